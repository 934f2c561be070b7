"""One deal as a checked state machine: the readable statement of the rules.

    table = Round.deal(decks.deck(seed=1, game=0, round_=0), starter=0, rules=EAAI)
    table.apply(Pass())
    table.legal_actions()          # [Take(), Pass()]: the dealer may take the first upcard

A turn is a draw and a discard. The starter, then the dealer, may take the first upcard; when both pass, the
starter draws from the stock. After a discard that leaves few enough points, the player knocks or plays on.
The knocker declares melds, and the cards outside them are the deadwood; then the defender lays down melds
and lays off cards. An action that the rules forbid raises ``IllegalAction`` and changes nothing.

``tables`` implements the same rules a second time, for speed; tests compare the two.
"""

from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple

from ginrummy.cards import CARDS, DECK, NO_CARD, Mask, cards_of, hand_text, mask_of
from ginrummy.errors import BadInput, IllegalAction
from ginrummy.melds import Defence, best_meld_sets, deadwood, defend, defend_optimally, is_meld, points
from ginrummy.round_actions import (
    NAMES,
    Action,
    Defend,
    Discard,
    Draw,
    Knock,
    Melds,
    Pass,
    PlayOn,
    Take,
    action_text,
    safe_card_text,
    safe_meld_text,
)
from ginrummy.rules import HAND_SIZE, Rules, rules_text
from ginrummy.scoring import DEAD, OUTCOMES, round_limit, score
from ginrummy.view import (
    FIRST_OFFER,
    HIDDEN,
    NORMAL,
    PASSED,
    SECOND_OFFER,
    WALL_OFFER,
    EarlierRound,
    Event,
    Sight,
)

__all__ = [
    "Action", "Defend", "Discard", "Draw", "Knock", "Melds", "Pass", "Phase", "PlayOn", "Played", "Round",
    "RoundResult", "Take", "action_text",
]  # fmt: skip


class Phase(Enum):
    """What a round waits for."""

    DRAW = "draw"
    DISCARD = "discard"
    KNOCK = "knock"
    DEFEND = "defend"
    OVER = "over"


class Played(NamedTuple):
    """One line of the round's log, as an onlooker who sees every card would write it."""

    seat: int
    upcard: int
    drawn: int
    """The card, or ``view.PASSED``."""
    discard: int
    """``NO_CARD`` after a pass and after big gin."""


class RoundResult(NamedTuple):
    """The facts of a finished round, and what it is worth."""

    outcome: int
    """One of ``scoring.OUTCOMES``."""
    knocker: int | None
    winner: int | None
    """The seat that scores; none in a dead round or a tie."""
    points: int
    deadwoods: tuple[int, int] | None
    """By seat, after layoffs; none in a dead round, where nobody shows a hand."""
    melds: tuple[Melds, Melds]
    """Laid down, by seat."""
    layoffs: tuple[tuple[int, int], ...]
    """The defender's: (card, place of the knocker's meld that it went on), in the order laid."""
    capped: bool
    """A dead round that had reached the cap on turns."""


class Round:
    """The state of one deal. Read its fields freely; only ``apply`` and ``undo`` change them.

    Examples:
        >>> from ginrummy import Pass, deal
        >>> table = deal(seed=1)
        >>> table
        <Round eaai, turn 0, seat 0 to take the upcard or pass; ...>
        >>> table.apply(Pass())
        >>> table.undo()
        Pass()
    """

    def __init__(self, deck: Sequence[int], starter: int, rules: Rules) -> None:
        self.deck: tuple[int, ...] = _checked(deck, starter)
        """Seat 0's ten cards, seat 1's ten, the first upcard, and the stock in order of drawing."""
        self.rules: Rules = rules
        self.starter: int = starter
        """The seat that does not deal and moves first."""
        self.upcard: int = self.deck[20]
        """The first upcard."""
        self.limit: int = int(round_limit(rules, self.upcard))
        """Greatest deadwood to knock with."""
        self.hands: list[int] = [mask_of(self.deck[:10]), mask_of(self.deck[10:20])]
        """What each seat holds, as bit masks."""
        self.pile: list[int] = [self.upcard]
        """The discard pile, its top last."""
        self.stock: list[int] = list(self.deck[21:])
        """Cards left to draw, the next one first; ``NO_CARD`` where a record does not know the card."""
        self.phase: Phase = Phase.DRAW
        """What the round waits for."""
        self.mover: int = starter
        """The seat that is to act."""
        self.offer = FIRST_OFFER
        self.turns: int = 0
        """Draws of both seats."""
        self.own_turns = [0, 0]
        self.drawn: list[int] = [NO_CARD, NO_CARD]
        """The card that each seat drew last."""
        self.taken = False
        """Whether the mover holds an upcard taken in this turn."""
        self.known: list[int] = [0, 0]
        """Cards of each hand that the other seat has seen taken from the pile."""
        self.takes = 0
        """Attempts to take the upcard in ordinary turns (``Rules.max_takes``)."""
        self.returned = NO_CARD
        """The upcard that was taken and thrown back in the last turn (``Rules.throwbacks_end``)."""
        self.thrown_back_twice = False
        """Whether both seats in turn have just thrown the same upcard back."""
        self.big = False
        """Whether eleven melded cards are to be laid down."""
        self.knocker: int | None = None
        """The seat that knocked."""
        self.knocked: Melds = ()
        """The knocker's melds once laid down."""
        self.log: list[Played] = []
        """One line for each decision to draw, as an onlooker who sees every card would write it."""
        self.actions: list[tuple[int, Action]] = []
        """(seat, action) from the deal on."""
        self.result: RoundResult | None = None
        """The result; None before the end of the round."""

    @classmethod
    def deal(cls, deck: Sequence[int], starter: int, rules: Rules) -> "Round":
        """Deal seat 0's ten cards, seat 1's ten, the upcard, and the stock in order of drawing.

        Stock cards may be unknown (``NO_CARD``) as long as they are never drawn.
        """
        return cls(deck, starter, rules)

    # What may be done.

    @property
    def over(self) -> bool:
        """Whether the round has ended."""
        return self.phase is Phase.OVER

    @property
    def top(self) -> int:
        """The upcard; ``NO_CARD`` while it is taken."""
        return NO_CARD if self.taken else self.pile[-1]

    def allowed(self, seat: int) -> Mask:
        """The cards that a seat may discard now; none unless it has drawn."""
        hand = self.hands[seat]
        if hand.bit_count() == HAND_SIZE:
            return Mask(0)
        barred = 1 << self.drawn[seat] if self.taken and not self.rules.may_return else 0
        if self.offer == WALL_OFFER:
            return self._knock_discards(hand, barred)
        return Mask(hand & ~barred)

    def legal_actions(self) -> list[Action]:
        """What the mover may do. Only the best meld sets are listed; other melds may be declared too."""
        actions: list[Action] = []
        for kind in self._kinds():
            if kind is Discard:
                actions += map(Discard, cards_of(self.allowed(self.mover)))
            elif kind in (Knock, Defend):
                sets = best_meld_sets(self.hands[self.mover]) or [()]
                actions += map(Knock if kind is Knock else Defend, sets)
            else:
                actions.append(kind())  # type: ignore[call-arg]
        return actions

    def apply(self, action: Action) -> None:
        """Play one action for the mover."""
        self._check(action)
        self.actions.append((self.mover, action))
        match action:
            case Take():
                self._take()
            case Draw():
                self._hold(self.stock.pop(0))
            case Pass():
                self._pass()
            case Discard(card):
                self._discard(card)
            case PlayOn():
                self._end_turn()
            case Knock(melds):
                self._knock(melds)
            case Defend(melds):
                hand = self.hands[self.mover]
                self._settle(defend(hand, melds, () if self._gin() else self.knocked))

    def undo(self) -> Action:
        """Take the last action back and return it: the round is as it was before.

        The round is replayed from the deal, so the result is exact for every kind of action.
        """
        if not self.actions:
            raise IllegalAction("expected an action to take back, got a fresh deal")
        *before, (_, last) = self.actions
        again = Round(self.deck, self.starter, self.rules)
        for _, action in before:
            again.apply(action)
        vars(self).update(vars(again))
        return last

    def copy(self) -> "Round":
        """The same state, to be played on separately."""
        twin = Round.__new__(Round)
        for name, value in vars(self).items():
            setattr(twin, name, value.copy() if isinstance(value, list) else value)
        return twin

    def position(self) -> str:
        """The round in one line with all cards: ``from_position`` reads it back."""
        from ginrummy import position

        return position.write(self)

    def mover_position(self) -> str:
        """The round in one line with only what the mover may know: ``position.read_sight`` reads it."""
        from ginrummy import position

        return position.write_for_mover(self)

    @classmethod
    def from_position(cls, line: str) -> "Round":
        """The round that a line of ``position`` describes, with all its actions."""
        from ginrummy import position

        return position.read(line).dealt[-1].round

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Round):
            return NotImplemented
        # The order of the cards in a dealt hand does not matter; hands and stock hold the rest of the deck.
        return vars(self) | {"deck": ()} == vars(other) | {"deck": ()}

    def __repr__(self) -> str:
        hands = "; ".join(f"{seat}: {hand_text(hand)}" for seat, hand in enumerate(self.hands))
        top = safe_card_text(self.top) if self.top != NO_CARD else "taken"
        return (
            f"<Round {rules_text(self.rules)}, turn {self.turns}, {self._state_text()}; {hands}; "
            f"upcard {top}; {len(self.stock)} in the stock>"
        )

    def _state_text(self) -> str:
        if self.result is None:
            return f"seat {self.mover} to {' or '.join(NAMES[kind] for kind in self._kinds())}"
        ending = OUTCOMES[self.result.outcome]
        if self.result.winner is None:
            return f"over: {ending}"
        return f"over: {ending}, seat {self.result.winner} scores {self.result.points}"

    def _kinds(self) -> tuple[type[Action], ...]:
        """The kinds of action that the mover may choose from."""
        match self.phase:
            case Phase.DRAW if self.offer != NORMAL:
                return Take, Pass
            case Phase.DRAW if self.turns == 0:  # both have passed the first upcard
                return (Draw,)
            case Phase.DRAW:
                return Take, Draw
            case Phase.DISCARD:
                return (Discard,)
            case Phase.KNOCK if self.big or self.offer == WALL_OFFER:
                return (Knock,)
            case Phase.KNOCK:
                return Knock, PlayOn
            case Phase.DEFEND:
                return (Defend,)
        return ()

    def _check(self, action: Action) -> None:
        """Refuse what the rules forbid."""
        kinds = self._kinds()
        if not kinds:
            raise IllegalAction(f"the round is over: expected nothing more, got {action_text(action)}")
        if type(action) not in kinds:
            raise self._illegal("to " + " or ".join(NAMES[kind] for kind in kinds), action_text(action))
        match action:
            case Draw() if self.stock[0] == NO_CARD:
                raise self._illegal("to know the next card of the stock", "an unknown one")
            case Discard(card):
                allowed = self.allowed(self.mover)
                if not (0 <= card < CARDS and allowed >> card & 1):
                    raise self._illegal(f"a discard from {hand_text(allowed)}", safe_card_text(card))
            case Knock(melds):
                self._check_melds(melds)
                limit = 0 if self.big else self.limit
                left = _points(self.hands[self.mover] & ~sum(melds))
                if left > limit:
                    raise self._illegal(f"to knock with at most {limit} points left", f"{left}")
            case Defend(melds):
                self._check_melds(melds)

    def _check_melds(self, melds: Melds) -> None:
        left = self.hands[self.mover]
        for meld in melds:
            if not 0 < meld <= DECK or not is_meld(int(meld)):
                raise self._illegal("a meld", safe_meld_text(meld))
            if meld & ~left:
                raise self._illegal(f"a meld from the cards {hand_text(left)}", safe_meld_text(meld))
            left &= ~meld

    def _illegal(self, expected: str, got: str) -> IllegalAction:
        return IllegalAction(f"seat {self.mover}, turn {self.turns}: expected {expected}, got {got}")

    # What an action does.

    def _take(self) -> None:
        if self.offer == NORMAL:
            self.takes += 1
            if self.takes == self.rules.max_takes:
                self._die()
                return
        self.taken = True
        card = self.pile.pop()
        self.known[self.mover] |= 1 << card
        self._hold(card)

    def _pass(self) -> None:
        self.log.append(Played(self.mover, self.top, PASSED, NO_CARD))
        if self.offer == WALL_OFFER:
            self._die()
            return
        self.offer = SECOND_OFFER if self.offer == FIRST_OFFER else NORMAL
        self.mover = 1 - self.mover

    def _hold(self, card: int) -> None:
        """Take a drawn card into the hand. Under rules with big gin, eleven melded cards are laid down."""
        seat = self.mover
        self.hands[seat] |= 1 << card
        self.drawn[seat] = card
        self.own_turns[seat] += 1
        self.turns += 1
        if self.offer != WALL_OFFER:
            self.offer = NORMAL
        self.phase = Phase.DISCARD
        if self.rules.big_gin_bonus > 0 and _least(self.hands[seat]) == 0:
            self.big = True
            self._note(NO_CARD)
            self.phase = Phase.KNOCK

    def _note(self, discard: int) -> None:
        drawn = self.drawn[self.mover]
        self.log.append(Played(self.mover, drawn if self.taken else self.pile[-1], drawn, discard))

    def _discard(self, card: int) -> None:
        seat = self.mover
        self._note(card)
        thrown_back = self.taken and card == self.drawn[seat]
        again = thrown_back and card == self.returned
        self.returned = card if thrown_back else NO_CARD
        self.hands[seat] &= ~(1 << card)
        self.known[seat] &= ~(1 << card)
        self.pile.append(card)
        self.taken = False
        self.thrown_back_twice = again
        if _least(self.hands[seat]) <= self.limit:
            self.phase = Phase.KNOCK
        else:
            self._end_turn()

    def _end_turn(self) -> None:
        """Hand the turn over, unless the cap on turns, two throwbacks or the wall make the round dead."""
        other = 1 - self.mover
        if self.turns >= self.rules.max_turns or (self.rules.throwbacks_end and self.thrown_back_twice):
            self._die()
            return
        if len(self.stock) <= self.rules.wall:
            top = 1 << self.pile[-1]
            barred = 0 if self.rules.may_return else top
            if not (self.rules.wall_phase and self._knock_discards(self.hands[other] | top, barred)):
                self._die()
                return
            self.offer = WALL_OFFER
        self.mover = other
        self.phase = Phase.DRAW

    def _knock_discards(self, eleven: int, barred: int) -> Mask:
        """The discards from eleven cards that leave a hand to knock with."""
        cards = cards_of(eleven & ~barred)
        return mask_of(card for card in cards if _least(eleven & ~(1 << card)) <= self.limit)

    def _knock(self, melds: Melds) -> None:
        self.knocker = self.mover
        self.knocked = tuple(map(Mask, melds))
        self.mover = 1 - self.mover
        self.phase = Phase.DEFEND
        if self.rules.optimal_defence:
            melded = () if self._gin() else self.knocked
            self._settle(defend_optimally(self.hands[self.mover], melded, self.rules.max_chain))

    def _gin(self) -> bool:
        """Whether the knocker has no deadwood: then nothing can be laid off."""
        return sum(self.knocked) == self.hands[1 - self.mover]

    def _settle(self, defence: Defence) -> None:
        """Price a knock."""
        knocker, defender = 1 - self.mover, self.mover
        left = _points(self.hands[knocker] & ~sum(self.knocked))
        outcome, worth = score(self.rules, left, defence.deadwood, self.big)
        left0, left1 = (defence.deadwood, left) if knocker else (left, defence.deadwood)
        melds0, melds1 = (defence.melds, self.knocked) if knocker else (self.knocked, defence.melds)
        self.phase = Phase.OVER
        self.result = RoundResult(
            outcome=int(outcome),
            knocker=knocker,
            winner=knocker if worth > 0 else defender if worth < 0 else None,
            points=abs(int(worth)),
            deadwoods=(left0, left1),
            melds=(melds0, melds1),
            layoffs=defence.layoffs,
            capped=False,
        )

    def _die(self) -> None:
        self.phase = Phase.OVER
        capped = self.turns >= self.rules.max_turns
        self.result = RoundResult(DEAD, None, None, 0, None, ((), ()), (), capped)

    # What one seat sees.

    def sight(self, seat: int, score: int = 0, opponent_score: int = 0, round_number: int = 0) -> Sight:
        """What a seat may see of this round alone: ``Game.sight`` adds the earlier rounds.

        The scores are those before the round; ``round_number`` counts from 0.
        """
        return Sight(
            hand=Mask(self.hands[seat]),
            allowed=self.allowed(seat),
            opponent=Mask(self.known[1 - seat]),
            pile=mask_of(self.pile),
            top=self.top,
            drawn=self.drawn[seat],
            stock=len(self.stock),
            offer=self.offer,
            events=len(self.log),
            turns=self.turns,
            own_turns=self.own_turns[seat],
            limit=self.limit,
            score=score,
            opponent_score=opponent_score,
            round=round_number,
            starts=self.starter == seat,
            knocked=self.knocked,
            log=tuple(_seen(event, seat) for event in self.log),
        )

    def remembered(self, seat: int) -> EarlierRound:
        """What a seat knows of the finished round: both hands are shown at the end."""
        result = self.result
        if result is None:
            raise IllegalAction("expected a finished round to remember, got one under way")
        won = 1 if result.winner == seat else -1
        return EarlierRound(
            starts=self.starter == seat,
            limit=self.limit,
            log=tuple(_seen(event, seat) for event in self.log),
            hand=Mask(self.hands[seat]),
            opponent=Mask(self.hands[1 - seat]),
            knocked=None if result.knocker is None else result.knocker == seat,
            melds=(result.melds[seat], result.melds[1 - seat]),
            points=won * result.points,
        )


def _seen(event: Played, seat: int) -> Event:
    mine = event.seat == seat
    hidden = not mine and event.drawn != PASSED and event.drawn != event.upcard
    return Event(mine, event.upcard, HIDDEN if hidden else event.drawn, event.discard)


def _checked(deck: Sequence[int], starter: int) -> tuple[int, ...]:
    cards = tuple(int(card) for card in deck)
    known = [card for card in cards if card != NO_CARD]
    if starter not in (0, 1):
        raise BadInput(f"expected seat 0 or 1 to start, got {starter!r}")
    if len(cards) != CARDS or NO_CARD in cards[:21]:
        raise BadInput(f"expected 52 cards, the first 21 of them known, got {len(cards)}")
    mask_of(known)
    return cards


def _least(hand: int) -> int:
    return int(deadwood(int(hand)))


def _points(mask: int) -> int:
    return int(points(int(mask)))
