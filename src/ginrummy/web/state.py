"""What a person sees of a session, as values for the API; and requests as actions of the rules.

Everything here is read from ``Session.sight``, its happenings and its legal actions: never from its record.
"""

from collections.abc import Sequence

from ginrummy.cards import NO_CARD, POINTS, card_text, cards_of, mask_of, parse_card
from ginrummy.errors import BadInput
from ginrummy.melds import best_meld_sets, deadwood
from ginrummy.notation import Showing
from ginrummy.round import Action, Defend, Discard, Draw, Knock, Melds, Pass, PlayOn, Take
from ginrummy.rules import HAND_SIZE, rules_text
from ginrummy.scoring import OUTCOMES
from ginrummy.session import (
    Discarded,
    Drew,
    GameOver,
    Happening,
    Knocked,
    NewDeal,
    Passed,
    Reached,
    RoundOver,
    Session,
    Took,
)
from ginrummy.view import Sight
from ginrummy.web import models
from ginrummy.web.words import card_name, ending_words, event_words

Texts = list[str]


def texts(mask: int) -> Texts:
    """The cards of a mask as texts."""
    return [card_text(card) for card in cards_of(mask)]


def state_of(session: Session, game: str, moves: int, title: str) -> models.State:
    """All that the person may see of a game."""
    seen = session.sight
    legal = [] if session.round_over else session.legal_actions()
    phase = phase_of(session, legal)
    arranged = best_meld_sets(seen.hand) or [()]
    told = round_happenings(session)
    result = session.result
    choosing = phase == "discard"
    return models.State(
        id=game,
        opponent=session.opponent.name,
        opponent_title=title,
        rules=rules_text(session.rules),
        target=session.rules.target,
        moves=moves,
        phase=phase,
        round=len(session.sheet) + (0 if session.round_over else 1),
        starts=seen.starts,
        hand=texts(seen.hand),
        drawn=card_text(seen.drawn) if choosing and seen.drawn != NO_CARD else None,
        deadwood=int(deadwood(seen.hand)),
        melds=[texts(meld) for meld in arranged[0]],
        upcard=card_text(seen.top) if seen.top != NO_CARD else None,
        pile=_pile(told),
        stock=seen.stock,
        opponent_cards=HAND_SIZE,
        opponent_known=texts(seen.opponent),
        limit=seen.limit,
        actions=_action_names(legal, phase),
        discards=_discards(session, seen, legal) if choosing else [],
        choices=_choices(session, legal),
        opponent_melds=[texts(meld) for meld in seen.knocked if meld] if phase == "defend" else [],
        scores=session.scores,
        sheet=[
            models.SheetRow(
                round=row.number,
                outcome=OUTCOMES[row.outcome],
                mine=row.mine,
                points=row.points,
                scores=row.scores,
            )
            for row in session.sheet
        ],
        events=[event for happening in told for event in _event(happening)],
        showdown=_showdown(told),
        result=models.Result(won=result.won, scores=result.scores, totals=result.totals) if result else None,
    )


def phase_of(session: Session, legal: Sequence[Action]) -> models.Phase:
    """What the person is asked."""
    if session.over:
        return "game over"
    if session.round_over:
        return "round over"
    kinds = {type(action) for action in legal}
    if Defend in kinds:
        return "defend"
    if Knock in kinds:
        return "knock"
    return "discard" if Discard in kinds else "draw"


def round_happenings(session: Session) -> list[Happening]:
    """What has happened since the last deal."""
    told = session.happenings
    start = max(place for place, happening in enumerate(told) if isinstance(happening, NewDeal))
    return told[start:]


def _action_names(legal: Sequence[Action], phase: str) -> list[str]:
    if phase == "round over":
        return ["deal"]
    names = {Take: "take", Draw: "draw", Pass: "pass", Discard: "discard", Knock: "knock"}
    names |= {PlayOn: "play on", Defend: "defend"}
    return list(dict.fromkeys(names[type(action)] for action in legal))


def _discards(session: Session, seen: Sight, legal: Sequence[Action]) -> list[models.DiscardChoice]:
    found = []
    for action in legal:
        if not isinstance(action, Discard):
            continue
        left = int(deadwood(seen.hand & ~(1 << action.card)))
        knocks: tuple[Melds, ...] = ()
        may_play_on = True
        if left <= seen.limit:
            outlook = session.after_discard(action.card)
            knocks, may_play_on = outlook.knocks, outlook.may_play_on
        found.append(
            models.DiscardChoice(
                card=card_text(action.card),
                left=left,
                knocks=[[texts(meld) for meld in melds] for melds in knocks],
                play_on=may_play_on,
            )
        )
    return found


def _choices(session: Session, legal: Sequence[Action]) -> list[models.Shown]:
    """Ways to lay the hand down: against a knock, or as a knock without a further discard."""
    shown = []
    for action in legal:
        if isinstance(action, Defend):
            shown.append(shown_of(session.after_defence(action.melds)))
        elif isinstance(action, Knock):
            loose = session.sight.hand & ~sum(action.melds)
            shown.append(shown_of(Showing(action.melds, mask_of(cards_of(loose)))))
    return shown


def shown_of(hand: Showing) -> models.Shown:
    """A hand laid open."""
    return models.Shown(
        melds=[texts(meld) for meld in hand.melds],
        loose=texts(hand.loose),
        layoffs=[(card_text(card), place) for card, place in hand.layoffs],
        left=sum(int(POINTS[card]) for card in cards_of(hand.loose)),
    )


def _pile(told: Sequence[Happening]) -> Texts:
    pile: Texts = []
    for happening in told:
        match happening:
            case NewDeal(_, _, upcard):
                pile = [card_text(upcard)]
            case Took():
                pile.pop()
            case Discarded(_, card):
                pile.append(card_text(card))
    return pile


def _event(happening: Happening) -> list[models.Event]:
    kinds: dict[type[Happening], models.EventKind] = {
        NewDeal: "deal",
        Passed: "pass",
        Took: "take",
        Drew: "draw",
        Reached: "reach",
        Discarded: "discard",
        Knocked: "knock",
        RoundOver: "round over",
        GameOver: "game over",
    }
    card: str | None = None
    mine: bool | None = None
    match happening:
        case NewDeal(_, starts, upcard):
            mine, card = starts, card_text(upcard)
        case Passed(own):
            mine = own
        case Took(own, number) | Drew(own, number) | Reached(own, number) | Discarded(own, number):
            mine, card = own, card_text(number) if number >= 0 else None
        case Knocked(own, _):
            mine = own
    return [models.Event(kind=kinds[type(happening)], mine=mine, card=card, text=event_words(happening))]


def _showdown(told: Sequence[Happening]) -> models.Showdown | None:
    for happening in told:
        if isinstance(happening, RoundOver):
            row = happening.row
            return models.Showdown(
                outcome=OUTCOMES[row.outcome],
                mine=row.mine,
                points=row.points,
                capped=row.capped,
                knocked=happening.knocked,
                knock=shown_of(happening.knock) if happening.knock else None,
                defence=shown_of(happening.defence) if happening.defence else None,
                text=ending_words(happening),
            )
    return None


# Requests as actions.


def actions_of(session: Session, move: models.Move) -> list[Action]:
    """The actions that a request means, in order; a request that has no meaning here is refused."""
    if move.card is not None and move.action != "discard":
        raise BadInput(f"expected no card with {move.action!r}, got {move.card}")
    match move.action:
        case "take":
            return [Take()]
        case "draw":
            return [Draw()]
        case "pass":
            return [Pass()]
        case "play on":
            return [PlayOn()]
        case "defend":
            return [Defend(_melds(session, move, Defend))]
        case "knock":
            return [Knock(_melds(session, move, Knock))]
        case "discard":
            return _discard(session, move)
    raise BadInput(f"expected an action in the round, got {move.action!r}")


def _discard(session: Session, move: models.Move) -> list[Action]:
    if move.card is None:
        raise BadInput("expected the card to discard, got none")
    action = Discard(parse_card(move.card))
    if action not in session.legal_actions():
        raise BadInput(f"expected a card that may be discarded now, got {card_name(action.card)}")
    if move.then is None:
        return [action]
    outlook = session.after_discard(action.card)
    if move.then == "play on":
        return [action, PlayOn()] if outlook.knocks else [action]
    if not outlook.knocks:
        raise BadInput(f"you may not knock with {outlook.left} points left")
    melds = outlook.knocks[0] if move.melds is None else _masks(move.melds)
    return [action, Knock(melds)]


def _melds(session: Session, move: models.Move, kind: type[Knock] | type[Defend]) -> Melds:
    if move.melds is not None:
        return _masks(move.melds)
    for action in session.legal_actions():
        if isinstance(action, Knock | Defend) and isinstance(action, kind):
            return action.melds
    raise BadInput(f"there is nothing to {move.action} now")


def _masks(melds: Sequence[Sequence[str]]) -> Melds:
    return tuple(mask_of([parse_card(card) for card in meld]) for meld in melds)
