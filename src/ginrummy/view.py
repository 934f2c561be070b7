"""What one side may see of B tables, and nothing else.

A ``View`` is an array of records, one for each table. The simulator keeps one for each side, with memory of
its own, and hands out a read-only array: the other side's cards are not in it. A decider gets the view and
the ``rows`` that wait for its answer:

    def draw(view: View, rows: IntArray, u: FloatArray) -> BoolArray:
        return view["top"][rows] % 13 < 3     # take aces, twos and threes

``Sight`` is the same for one table, in plain values, for players written card by card and for people.

Both also hold what a side may know of the earlier rounds of its game. A view has counters of how the opponent
played (``style``, see ``styles``), small enough for kernels and networks. The sights of players written card
by card have the rounds themselves too (``earlier``): the log as the side saw it, and both hands, which are
shown at the end of every round, as the challenge's program does.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ginrummy.cards import DECK, NO_CARD, Mask, hand_text
from ginrummy.melds import MAX_MELDS
from ginrummy.rules import LOG_LENGTH

IntArray = npt.NDArray[np.integer]
FloatArray = npt.NDArray[np.floating]
BoolArray = npt.NDArray[np.bool_]

WHO, UPCARD, DRAWN, DISCARD = range(4)
"""Columns of the log. One event is one decision to draw and what followed."""
SELF, OTHER = range(2)
"""Values of ``WHO``."""
HIDDEN, PASSED = -1, -2
"""Values of ``DRAWN`` besides a card: an unseen stock card; a pass of the first upcard."""
NORMAL, FIRST_OFFER, SECOND_OFFER, WALL_OFFER = range(4)
"""Values of ``offer``: an ordinary turn (take or draw); the starter may take the first upcard or pass; then
the dealer may; at the wall (``Rules.wall_phase``), take the upcard and knock, or pass."""

STYLE = (
    "rounds",  # finished rounds of the game
    "turns",  # the opponent's turns in them
    "knocks",  # rounds that the opponent ended by a knock, gin not counted
    "knock_turns",  # its own turn of those knocks, added up
    "knock_deadwood",  # the deadwood that it declared, added up
    "gins",  # rounds that the opponent ended by gin
    "gin_turns",  # its own turn of those gins, added up
    "waits",  # other rounds in which the hand that it showed could have knocked since its last discard
    "wait_turns",  # its own turn of that discard, added up
    "left",  # least deadwood of the hands that it showed in rounds that it did not end, added up
    "offers",  # upcards that it could take
    "takes",  # upcards that it took
)
"""The counters of ``style``: how the opponent played in the earlier rounds of the game."""
NO_STYLE = (0,) * len(STYLE)
"""The counters before the first round has ended."""


VIEW = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("hand", np.int64),  # cards held
                ("allowed", np.int64),  # cards that may be discarded now: not one just taken from the pile
                ("opponent", np.int64),  # cards known to be in the opponent's hand: taken, not yet discarded
                ("pile", np.int64),  # cards of the discard pile, the upcard included
                ("top", np.int8),  # the upcard, -1 while it is taken
                ("drawn", np.int8),  # card drawn in the last own turn, -1 before the first
                ("stock", np.int8),  # cards left in the stock
                ("offer", np.int8),  # NORMAL, FIRST_OFFER, SECOND_OFFER, WALL_OFFER
                ("events", np.int16),  # events in the log
                ("turns", np.int16),  # draws of both sides in this round
                ("own_turns", np.int16),  # own draws in this round, the present one included
                ("limit", np.int16),  # greatest deadwood to knock with in this round
                ("score", np.int32),  # own score in the game
                ("opponent_score", np.int32),
                ("round", np.int16),  # rounds of the game before this one
                ("starts", np.int8),  # 1 when this side started the round
                ("style", np.int16, (len(STYLE),)),  # counters of earlier rounds, see ``STYLE``
                ("knocked", np.int64, (MAX_MELDS,)),  # the knocker's melds once laid down, zeros before
                ("log", np.int8, (LOG_LENGTH, 4)),  # WHO, UPCARD, DRAWN, DISCARD; valid up to ``events``
            ],
            align=True,
        ),
    )
)
"""One row of a view. ``view["hand"]`` is the [B] array of a field; kernels read ``view[row].hand``."""

View = npt.NDArray[np.void]
"""[B] of ``VIEW``."""


def read_only(view: View) -> View:
    """The same rows, which the holder cannot write to."""
    rows = view.view()
    rows.flags.writeable = False
    return rows


class Event(NamedTuple):
    """One line of a side's log."""

    mine: bool
    upcard: int
    drawn: int
    """The card; ``HIDDEN`` for the opponent's stock draw; ``PASSED``."""
    discard: int
    """``NO_CARD`` when passed or not yet discarded."""

    @property
    def took(self) -> bool:
        """Whether the upcard was taken."""
        return self.drawn >= 0 and self.drawn == self.upcard


class EarlierRound(NamedTuple):
    """A finished round of the game as one side knows it."""

    starts: bool
    """Whether this side started the round."""
    limit: int
    """Greatest deadwood to knock with."""
    log: tuple[Event, ...]
    hand: Mask
    """Own cards at the end."""
    opponent: Mask
    """The opponent's cards at the end, which are shown."""
    knocked: bool | None
    """Whether this side ended the round; None in a dead round."""
    melds: tuple[tuple[Mask, ...], tuple[Mask, ...]]
    """Laid down: own melds, the opponent's."""
    points: int
    """Positive for this side."""


class Sight(NamedTuple):
    """What one side sees of one table, in plain values: masks are ints, a missing card is ``NO_CARD``."""

    hand: Mask
    allowed: Mask
    opponent: Mask
    pile: Mask
    top: int
    drawn: int
    stock: int
    offer: int
    events: int
    turns: int
    own_turns: int
    limit: int
    score: int
    opponent_score: int
    round: int
    starts: bool
    knocked: tuple[Mask, ...]
    log: tuple[Event, ...]
    style: tuple[int, ...] = NO_STYLE
    """Counters of earlier rounds, in the order of ``STYLE``."""
    earlier: tuple[EarlierRound, ...] = ()
    """The finished rounds of the game, for players written card by card."""

    @property
    def unseen(self) -> Mask:
        """Cards that are in the stock or unknown in the opponent's hand."""
        return Mask(DECK & ~(self.hand | self.pile | self.opponent))

    def __str__(self) -> str:
        known = hand_text(self.opponent) or "-"
        top = hand_text(1 << self.top) if self.top != NO_CARD else "-"
        return (
            f"hand {hand_text(self.hand)}; upcard {top}; opponent known to hold {known}; "
            f"stock {self.stock}; turn {self.own_turns}; score {self.score}-{self.opponent_score}"
        )


class Remembering(np.ndarray[tuple[int], np.dtype[np.void]]):
    """A view that also holds the finished rounds of each table's game."""

    earlier: Mapping[int, tuple[EarlierRound, ...]]
    """Row -> rounds, for the rows that wait."""


def remembering(view: View, earlier: Mapping[int, tuple[EarlierRound, ...]]) -> Remembering:
    """The same rows together with earlier rounds, which ``sight`` puts into its sights."""
    made = view.view(Remembering)
    made.earlier = earlier
    return made


_APART = ("knocked", "log", "starts", "style", "earlier")
_PLAIN = tuple(name for name in Sight._fields if name not in _APART)


def sight(view: View, row: int) -> Sight:
    """One row of a view in plain values."""
    record = view[row]
    values = {name: record[name].item() for name in _PLAIN}
    log = record["log"][: values["events"]].tolist()
    return Sight(
        **values,
        starts=bool(record["starts"]),
        knocked=tuple(Mask(meld) for meld in record["knocked"].tolist() if meld),
        log=events_of(log),
        style=tuple(record["style"].tolist()),
        earlier=view.earlier.get(row, ()) if isinstance(view, Remembering) else (),
    )


def events_of(log: Sequence[Sequence[int]]) -> tuple[Event, ...]:
    """The rows of a log as events."""
    return tuple(Event(who == SELF, upcard, drawn, discard) for who, upcard, drawn, discard in log)


def from_sights(sights: Sequence[Sight]) -> View:
    """A view with one row for each sight: the inverse of ``sight``, to ask deciders about any table."""
    view = np.zeros(len(sights), VIEW)
    for row, seen in enumerate(sights):
        for name in (*_PLAIN, "starts", "style"):
            view[name][row] = getattr(seen, name)
        view["knocked"][row, : len(seen.knocked)] = seen.knocked
        for event, (mine, *cards) in enumerate(seen.log):
            view["log"][row, event] = [SELF if mine else OTHER, *cards]
    earlier = {row: seen.earlier for row, seen in enumerate(sights) if seen.earlier}
    return remembering(read_only(view), earlier) if earlier else read_only(view)
