"""What can be counted about a card: who could meld it, which cards would help, which are dead.

*Dead* cards are those in the pile: nobody gets them any more, but for the upcard. *Live* cards are unseen.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ginrummy._jit import kernel
from ginrummy.cards import CARDS, POINTS, RANK, cards_of
from ginrummy.meld_kernels import deadwood, least_after_discard, melds_with
from ginrummy.melds import best_discards, deadwoods
from ginrummy.view import Sight

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Outs:
    """The unseen cards that would help a hand of ten."""

    cards: tuple[int, ...]
    """Unseen cards that would be in a meld."""
    live: float
    """How many of them are still in the stock, on the average by the belief."""
    gin: tuple[int, ...]
    """Unseen cards that would make gin."""
    knock: tuple[int, ...]
    """Unseen cards after which a knock is allowed, gin included."""


@dataclass(frozen=True)
class DiscardFacts:
    """What a discard gives to the opponent and leaves to its owner."""

    card: int
    deadwood: int
    """Least deadwood of the ten cards that are left."""
    danger: float
    """Chance that the opponent can meld the card with what it holds now."""
    gain: float
    """Points of deadwood that the opponent would save by taking the card, on the average."""
    outs: Outs
    """What would help the ten cards that are left."""
    own_runs: int
    """Runs of three through the card that its owner holds or can still complete."""
    opponent_runs: int
    """Runs of three through the card that the opponent may hold or complete."""
    dead_of_rank: int
    """Cards of its rank in the pile."""


@kernel
def _dangers(hands, weights, cards, out):
    """Write to ``out`` [C, 2] by card: the chance that it melds with a hand, and the points that it saves."""
    for h in range(hands.shape[0]):
        before = deadwood(hands[h])
        for k in range(cards.shape[0]):
            eleven = hands[h] | np.int64(1) << cards[k]
            if melds_with(eleven, cards[k]):
                out[k, 0] += weights[h]
            out[k, 1] += weights[h] * max(0, before - least_after_discard(eleven))


def dangers(hands: npt.NDArray[np.int64], weights: Floats, cards: list[int]) -> Floats:
    """[C, 2] by card: chance that the opponent can meld it, and the deadwood that it would save by taking it.

    ``hands`` and ``weights`` are the belief: whole hands and how likely each is.
    """
    out = np.zeros((len(cards), 2))
    _dangers(hands, weights, np.array(cards, np.int64), out)
    return out


def runs_through(card: int) -> Iterator[int]:
    """The masks of the runs of three cards that hold a card."""
    rank = card % 13
    for low in range(max(0, rank - 2), min(rank, 10) + 1):
        yield 0b111 << (card - rank + low)


def live_runs(card: int, within: int) -> int:
    """Runs of three through a card whose other cards are all among some cards."""
    return sum((run & ~(1 << card)) & ~within == 0 for run in runs_through(card))


def outs_of(ten: int, unseen: int, limit: int, chances: Floats) -> Outs:
    """What would help a hand of ten; ``chances`` [52]: how likely the opponent holds each card."""
    cards = np.array(cards_of(unseen), np.int64)
    if not len(cards):
        return Outs((), 0.0, (), ())
    before = int(deadwoods([ten])[0])
    eleven = np.int64(ten) | np.int64(1) << cards
    helps = deadwoods(eleven) < before + POINTS[cards]
    least = np.array([best_discards(int(hand))[0] for hand in eleven])
    return Outs(
        cards=tuple(cards[helps].tolist()),
        live=float((1.0 - chances[cards[helps]]).sum()),
        gin=tuple(cards[least == 0].tolist()),
        knock=tuple(cards[least <= limit].tolist()),
    )


def discard_facts(
    seen: Sight, cards: list[int], hands: npt.NDArray[np.int64], weights: Floats, chances: Floats
) -> dict[int, DiscardFacts]:
    """The facts of each of some cards that may be discarded from the eleven of a sight."""
    found = dangers(hands, weights, cards)
    left = deadwoods([seen.hand & ~(1 << card) for card in cards]).tolist()
    dead = seen.pile & ~(1 << seen.top if seen.top >= 0 else 0)
    return {
        card: DiscardFacts(
            card=card,
            deadwood=left[k],
            danger=float(min(1.0, found[k, 0])),
            gain=float(found[k, 1]),
            outs=outs_of(seen.hand & ~(1 << card), seen.unseen, seen.limit, chances),
            own_runs=live_runs(card, seen.hand | seen.unseen),
            opponent_runs=live_runs(card, seen.opponent | seen.unseen),
            dead_of_rank=(dead & RANK << card % 13).bit_count(),
        )
        for k, card in enumerate(cards)
    }


def as_array(chances: tuple[float, ...]) -> Floats:
    """[52] chances as an array."""
    found = np.array(chances, np.float64)
    assert found.shape == (CARDS,)
    return found
