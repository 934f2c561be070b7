"""Any of our players as a follower: what it is told becomes the sight that it decides from.

The calls are those of the challenge's program (``following.Follower``). They tell less than the engine knows:
a refused first upcard is not reported, and a new game is not announced. Both are worked out from what comes
next. With the uniform numbers of the same game a player makes the same choices here as in the simulator.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from ginrummy import decks
from ginrummy.answers import checked_answers
from ginrummy.cards import CARDS, NO_CARD, Mask, cards_of, mask_of
from ginrummy.errors import IllegalAction
from ginrummy.following import Declared
from ginrummy.melds import deadwood
from ginrummy.players.base import Player
from ginrummy.rules import EAAI, HAND_SIZE
from ginrummy.styles import style_of
from ginrummy.view import (
    FIRST_OFFER,
    HIDDEN,
    NORMAL,
    PASSED,
    SECOND_OFFER,
    EarlierRound,
    Event,
    Sight,
    from_sights,
)


@dataclass
class _Seen:
    """What a seat knows of the round under way."""

    seat: int
    starter: int
    hand: int
    pile: int = 0
    top: int = NO_CARD
    opponent: int = 0
    drawn: int = NO_CARD
    taken: bool = False
    """Whether the seat holds the upcard that it took in this turn."""
    stock: int = CARDS - 2 * HAND_SIZE - 1
    turns: int = 0
    own_turns: int = 0
    log: list[Event] = field(default_factory=list)
    open: tuple[int, int] | None = None
    """Upcard and drawn card of the turn under way."""
    melds: list[tuple[Mask, ...] | None] = field(default_factory=lambda: [None, None])
    """Laid down, by seat."""
    knocker: int | None = None
    shown: int = 0
    """The opponent's hand at the end."""
    asked: int = 0

    @property
    def offer(self) -> int:
        """What is offered to the seat that draws next."""
        return (FIRST_OFFER, SECOND_OFFER, NORMAL)[min(len(self.log), 2)] if self.turns == 0 else NORMAL

    @property
    def passes(self) -> int:
        return sum(event.drawn == PASSED for event in self.log)


class Onlooker:
    """One of our players at one table of another program, game after game."""

    def __init__(self, player: Player, seed: int, number: Callable[[], int]) -> None:
        """``number`` gives the number of a game that begins: it chooses the uniform numbers."""
        self.player = player
        self.seed = seed
        self._number = number
        self._begin()
        self.round: _Seen | None = None

    def _begin(self) -> None:
        self.game = self._number()
        self.scores = (0, 0)
        self.earlier: tuple[EarlierRound, ...] = ()
        self.rounds = 0

    # What is told.

    def deal(self, seat: int, starter: int, cards: Sequence[int]) -> None:
        """A round begins; also a game, if the last one reached the target or broke off."""
        if self.round is not None or max(self.scores) >= EAAI.target:
            self._begin()
        self.round = _Seen(seat, starter, int(mask_of(cards)))

    def drew(self, seat: int, card: int) -> None:
        """A seat has drawn; a draw from the stock before any other means that both have passed."""
        seen = self._now()
        if seen.turns == 0 and seat == seen.starter and len(seen.log) == 1:
            self._pass(1 - seen.starter)
        if card != NO_CARD and seen.turns == 0 and seen.top == NO_CARD:
            self._turn_up(card)  # the opponent took the first upcard before this seat saw it
        took = card != NO_CARD and card == seen.top
        seen.open = (seen.top, card if card != NO_CARD else HIDDEN)
        seen.turns += 1
        if took:
            seen.pile &= ~(1 << card)
            seen.top = NO_CARD
        else:
            seen.stock -= 1
        if seat == seen.seat:
            seen.hand |= 1 << card
            seen.drawn, seen.taken = card, took
            seen.own_turns += 1
        elif took:
            seen.opponent |= 1 << card

    def discarded(self, seat: int, card: int) -> None:
        """A seat has discarded."""
        seen = self._now()
        if seen.open is None:
            raise IllegalAction("expected a draw before a discard")
        seen.log.append(Event(seat == seen.seat, *seen.open, card))
        seen.open, seen.taken = None, False
        if seat == seen.seat:
            seen.hand &= ~(1 << card)
        else:
            seen.opponent &= ~(1 << card)
        self._turn_up(card)

    def melded(self, seat: int, melds: Declared) -> None:
        """A seat has laid down melds: first the knocker, then the defender."""
        seen = self._now()
        seen.melds[seat] = tuple(mask_of(meld) for meld in melds)
        seen.knocker = seat if seen.knocker is None else seen.knocker

    def laid_off(self, seat: int, card: int, meld: Sequence[int]) -> None:
        """Nothing that a player asks for."""

    def shown(self, seat: int, hand: Sequence[int]) -> None:
        """The hand of a seat at the end of the round."""
        seen = self._now()
        if seat != seen.seat:
            seen.shown = int(mask_of(hand))

    def scored(self, scores: tuple[int, int]) -> None:
        """The round has ended."""
        seen = self._now()
        won = [after - before for after, before in zip(scores, self.scores, strict=True)]
        if seen.shown:  # an old framework does not show hands: then earlier rounds are not known
            own, other = (seen.melds[seat] or () for seat in (seen.seat, 1 - seen.seat))
            self.earlier += (
                EarlierRound(
                    starts=seen.starter == seen.seat,
                    limit=EAAI.knock_limit,
                    log=tuple(seen.log),
                    hand=Mask(seen.hand),
                    opponent=Mask(seen.shown),
                    knocked=None if seen.knocker is None else seen.knocker == seen.seat,
                    melds=(own, other),
                    points=won[seen.seat] - won[1 - seen.seat],
                ),
            )
        self.scores = scores
        self.rounds += 1
        self.round = None

    def allow(self, seconds: float) -> None:
        """Our players are not stopped."""

    def _turn_up(self, card: int) -> None:
        seen = self._now()
        seen.top = card
        seen.pile |= 1 << card

    def _pass(self, seat: int) -> None:
        seen = self._now()
        seen.log.append(Event(seat == seen.seat, seen.top, PASSED, NO_CARD))

    # What is asked.

    def wants(self, upcard: int) -> bool:
        """Whether to take the upcard."""
        seen = self._now()
        if seen.turns == 0:
            self._turn_up(upcard)
            if seen.passes == 1 and seen.starter == seen.seat:
                return False  # some versions of the program ask the starter again after both have passed
            if not seen.log and seen.starter != seen.seat:
                self._pass(seen.starter)
        take = bool(self._ask("draw"))
        if not take and seen.turns == 0:
            self._pass(seen.seat)
        return take

    def discard(self) -> int:
        """The card to discard."""
        return int(self._ask("discard"))

    def melds(self) -> Declared | None:
        """The melds to knock with or to lay down against a knock; None to play on."""
        seen = self._now()
        if seen.knocker is None and (deadwood(seen.hand) > EAAI.knock_limit or not self._ask("knock")):
            return None
        row = np.asarray(self._ask("spread")).tolist()
        return [cards_of(meld) for meld in row if meld]

    def _ask(self, question: str) -> np.generic:
        seen = self._now()
        u = decks.uniform(self.seed, self.game, self.rounds, seen.seat, seen.asked)
        seen.asked += 1
        given = getattr(self.player, question)(
            from_sights([self.sight()]), np.zeros(1, np.int64), np.array([u])
        )
        answer: np.generic = checked_answers(self.player.name, question, given, 1)[0]
        return answer

    def sight(self) -> Sight:
        """What the seat sees."""
        seen = self._now()
        barred = 1 << seen.drawn if seen.taken else 0
        return Sight(
            hand=Mask(seen.hand),
            allowed=Mask(seen.hand & ~barred if seen.hand.bit_count() > HAND_SIZE else 0),
            opponent=Mask(seen.opponent),
            pile=Mask(seen.pile),
            top=seen.top,
            drawn=seen.drawn,
            stock=seen.stock,
            offer=seen.offer,
            events=len(seen.log),
            turns=seen.turns,
            own_turns=seen.own_turns,
            limit=EAAI.knock_limit,
            score=self.scores[seen.seat],
            opponent_score=self.scores[1 - seen.seat],
            round=self.rounds,
            starts=seen.starter == seen.seat,
            knocked=(seen.melds[seen.knocker] or ()) if seen.knocker is not None else (),
            log=tuple(seen.log),
            style=style_of(self.earlier),
            earlier=self.earlier,
        )

    def _now(self) -> _Seen:
        if self.round is None:
            raise IllegalAction("expected a deal first")
        return self.round
