"""Make records from played rounds, and play records through the rules again."""

from collections.abc import Sequence
from dataclasses import replace

from ginrummy.cards import NO_CARD, Mask, card_text, cards_of, mask_of
from ginrummy.errors import IllegalAction
from ginrummy.game import Game
from ginrummy.notation.hidden import guessed_deck, known_deck
from ginrummy.notation.records import Ending, GameRecord, Headers, Pair, RoundRecord, Showing, Turn
from ginrummy.round import (
    Defend,
    Discard,
    Draw,
    Knock,
    Pass,
    Phase,
    PlayOn,
    Round,
    RoundResult,
    Take,
    action_text,
)
from ginrummy.rules import HAND_SIZE, Rules
from ginrummy.scoring import OUTCOMES

ATTEMPTS = 60
"""Choices of unknown cards that are tried before a one-sided record is refused."""


def record_of(
    game: Game,
    players: tuple[str, str] = ("?", "?"),
    seed: int | None = None,
    number: int | None = None,
    headers: Headers = (),
) -> GameRecord:
    """The record of a game, finished or not, from the rounds that it dealt."""
    rounds = tuple(
        round_record(entry.round, entry.number + 1, entry.scores, entry.won) for entry in game.dealt
    )
    finished = game.over and game.current is None
    totals = game.totals if finished else (0, 0)
    return GameRecord(game.rules, players, seed, number, rounds, finished, game.winner, totals, headers)


def round_record(
    table: Round, number: int = 1, scores: Pair = (0, 0), won: Pair = (0, 0), headers: Headers = ()
) -> RoundRecord:
    """The record of a round, finished or not. ``number`` counts from 1; scores and wins are earlier ones."""
    hands = mask_of(table.deck[:HAND_SIZE]), mask_of(table.deck[HAND_SIZE : 2 * HAND_SIZE])
    stock = table.deck[2 * HAND_SIZE + 1 :]
    ending = _ending(table.result, scores) if table.result else None
    return RoundRecord(
        number, table.starter, scores, won, hands, table.upcard, stock, _turns(table, stock), _defence(table),
        ending, headers,
    )  # fmt: skip


def one_sided(record: GameRecord, seat: int) -> GameRecord:
    """The same record as one seat could have written it: the other's hidden cards are unknown."""
    return replace(record, rounds=tuple(_hidden(round_, seat) for round_ in record.rounds))


def replay(record: GameRecord) -> list[RoundResult]:
    """Play a record through and return the results of its finished rounds.

    Raises ``IllegalAction`` where it breaks the rules or its results do not follow from the play.
    """
    return [entry.round.result for entry in replay_game(record).dealt if entry.round.result]


def replay_game(record: GameRecord) -> Game:
    """Play a record through and return the game at its end, with its rounds in ``dealt``.

    In a one-sided record the unknown cards of those rounds are guesses that fit the record.
    """
    first = record.rounds[0] if record.rounds else None
    if first is None:
        return Game(record.rules, 0)
    standing = {"scores": first.scores, "won": first.won}
    game = Game(record.rules, first.starter, **standing, rounds=first.number - 1)
    for round_ in record.rounds:
        try:
            _replay_round(game, round_)
        except IllegalAction as error:
            raise IllegalAction(f"round {round_.number}: {error}") from None
    played = game.over, game.winner, game.totals if game.over else (0, 0)
    written = record.finished, record.winner, record.totals
    if played != written:
        raise IllegalAction(f"expected (over, winner, totals) {played} at the end of the game, got {written}")
    return game


def _replay_round(game: Game, record: RoundRecord) -> None:
    stands = game.rounds + 1, game.starter, game.scores, game.won
    written = record.number, record.starter, record.scores, record.won
    if stands != written:
        raise IllegalAction(f"expected (round, starter, scores, rounds won) {stands}, got {written}")
    table = game.deal(_deck(record, game.rules))
    _follow(table, record)
    if table.over:
        game.book(table)


# Following a record's lines.


def _follow(table: Round, record: RoundRecord) -> None:
    """Apply the lines of a record, and compare its shown hands and its result with the round."""
    for place, turn in enumerate(record.turns):
        try:
            _follow_turn(table, turn, record.ending is None and place == len(record.turns) - 1)
        except IllegalAction as error:
            raise IllegalAction(f"line {place + 1} of play: {error}") from None
    if record.defence:
        _follow_defence(table, record.defence)
    ending = _ending(table.result, record.scores) if table.result else None
    if ending != record.ending:
        raise IllegalAction(f"expected the result {_text(ending)}, got {_text(record.ending)}")
    if record.defence is None and table.knocker is not None and table.over:
        raise IllegalAction("expected the defender's melds, got none")


def _follow_turn(table: Round, turn: Turn, open_end: bool) -> None:
    if not table.over and turn.seat != table.mover:
        raise IllegalAction(f"expected seat {table.mover}, got seat {turn.seat}")
    _follow_draw(table, turn)
    if turn.discard != NO_CARD:
        table.apply(Discard(turn.discard))
    if turn.knock:
        table.apply(Knock(turn.knock.melds))
        _compare("cards left", table.hands[turn.seat] & ~sum(turn.knock.melds), turn.knock.loose)
    elif turn.played_on or (table.phase is Phase.KNOCK and not open_end):
        table.apply(PlayOn())


def _follow_draw(table: Round, turn: Turn) -> None:
    if turn.kind == "passes":
        table.apply(Pass())
        return
    if turn.kind == "draws":
        if not table.over and turn.card not in (NO_CARD, *table.stock[:1]):
            raise IllegalAction(f"expected the next card of the stock, got {card_text(turn.card)}")
        table.apply(Draw())
        return
    if not table.over and turn.card != table.top:
        raise IllegalAction(f"expected the upcard {_card(table.top)}, got {card_text(turn.card)}")
    table.apply(Take())
    if table.over != (turn.kind == "reaches"):
        word = "reaches for" if table.over else "takes"
        raise IllegalAction(f"expected a player who {word} the upcard, got one who {turn.kind}")


def _follow_defence(table: Round, defence: Showing) -> None:
    if table.phase is Phase.DEFEND:
        table.apply(Defend(defence.melds))
    result = table.result
    if result is None or result.knocker is None:
        raise IllegalAction(f"expected no defence, got {action_text(Defend(defence.melds))}")
    defender = 1 - result.knocker
    laid = mask_of(card for card, _ in result.layoffs)
    _compare("melds of the defender", result.melds[defender], defence.melds)
    _compare("layoffs", result.layoffs, defence.layoffs)
    _compare("cards left", table.hands[defender] & ~sum(defence.melds) & ~laid, defence.loose)


def _compare(what: str, expected: object, got: object) -> None:
    if expected != got:
        raise IllegalAction(f"expected the {what} {_show(expected)}, got {_show(got)}")


def _show(value: object) -> str:
    """Cards for a message: a mask, or a tuple of masks or of layoffs."""
    if isinstance(value, int):
        return " ".join(map(card_text, cards_of(value))) or "none"
    if isinstance(value, tuple) and value and isinstance(value[0], tuple):
        return ", ".join(f"{card_text(card)} on meld {place + 1}" for card, place in value)
    return " | ".join(map(_show, value)) or "none" if isinstance(value, tuple) else repr(value)


def _deck(record: RoundRecord, rules: Rules) -> list[int]:
    """A deck that fits the record; stock cards that were not drawn may stay unknown."""
    if not record.one_sided:
        return known_deck(record)
    first: IllegalAction | None = None
    for attempt in range(ATTEMPTS):
        deck = guessed_deck(record, attempt)
        try:
            _follow(Round.deal(deck, record.starter, rules), record)
            return deck
        except IllegalAction as error:
            first = first or error
    assert first is not None
    raise first


# Making records.


def _turns(table: Round, stock: Sequence[int]) -> tuple[Turn, ...]:
    """The actions of a round, one line for each turn."""
    turns: list[Turn] = []
    top, draws = table.upcard, 0
    for seat, action in table.actions:
        match action:
            case Pass():
                turns.append(Turn(seat, "passes"))
            case Take():
                turns.append(Turn(seat, "takes", top))
            case Draw():
                turns.append(Turn(seat, "draws", stock[draws]))
                draws += 1
            case Discard(card):
                turns[-1] = replace(turns[-1], discard=card)
                top = card
            case PlayOn():
                turns[-1] = replace(turns[-1], played_on=True)
            case Knock(melds):
                loose = Mask(table.hands[seat] & ~sum(melds))
                turns[-1] = replace(turns[-1], knock=Showing(melds, loose))
    if table.over and isinstance(table.actions[-1][1], Take):
        turns[-1] = replace(turns[-1], kind="reaches")
    return tuple(turns)


def _defence(table: Round) -> Showing | None:
    result = table.result
    if result is None or result.knocker is None:
        return None
    seat = 1 - result.knocker
    laid = mask_of(card for card, _ in result.layoffs)
    loose = Mask(table.hands[seat] & ~sum(result.melds[seat]) & ~laid)
    return Showing(result.melds[seat], loose, result.layoffs)


def _ending(result: RoundResult, before: Pair) -> Ending:
    gains = [result.points if result.winner == seat else 0 for seat in (0, 1)]
    scores = before[0] + gains[0], before[1] + gains[1]
    return Ending(result.outcome, result.winner, result.points, scores, result.capped)


def _hidden(record: RoundRecord, seat: int) -> RoundRecord:
    """A round as one seat saw it."""
    stock, turns, draws = [NO_CARD] * len(record.stock), [], 0
    for turn in record.turns:
        if turn.kind == "draws":
            if turn.seat == seat:
                stock[draws] = record.stock[draws]
            else:
                turn = replace(turn, card=NO_CARD)
            draws += 1
        turns.append(turn if turn.seat == seat else replace(turn, played_on=False))
    hands = (record.hands[0], Mask(0)) if seat == 0 else (Mask(0), record.hands[1])
    return replace(record, hands=hands, stock=tuple(stock), turns=tuple(turns))


def _text(ending: Ending | None) -> str:
    if ending is None:
        return "'unfinished'"
    winner = "nobody" if ending.winner is None else f"seat {ending.winner}"
    capped = " at the turn cap" if ending.capped else ""
    return f"{OUTCOMES[ending.outcome]}{capped}, {ending.points} for {winner}, score {ending.scores}"


def _card(card: int) -> str:
    return "(none)" if card == NO_CARD else card_text(card)
