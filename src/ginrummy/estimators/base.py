"""An estimator is data: a function from a view to beliefs about the opponent's hand.

A belief is [N, 52] float32: for each card the probability that the opponent holds it after its last event.
The *raw* belief is what a paper's method gives and what its tables score. The *masked* belief is what players
use: cards that are known are 0 or 1, and the rest add up to the number of the opponent's unknown cards.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ginrummy._jit import count, kernel
from ginrummy.cards import CARDS, DECK
from ginrummy.rules import HAND_SIZE
from ginrummy.view import FloatArray, IntArray, View

Beliefs = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Estimator:
    """A method under one name. It is pure: view and rows in, raw beliefs out."""

    name: str
    """As written on the command line, with parameters that differ from the defaults."""
    raw: Callable[[View, IntArray], Beliefs]
    history: Callable[[View, IntArray], tuple[Beliefs, IntArray]] | None = None
    """Raw beliefs after each event of the opponent, in one pass: [S, 52] for all events of the first row,
    then of the second and so on, and [N] the number of events of each row. Recurrent estimators have it."""
    sample: Callable[[View, IntArray, FloatArray, int], IntArray] | None = None
    """Draws whole hands of the opponent from a uniform number for each row. n hands: [N, n] int64 masks."""
    weighted: Callable[[View, IntArray, FloatArray, int], tuple[IntArray, FloatArray]] | None = None
    """The same with weights: [N, n] masks and [N, n] weights that add up to 1 in each row."""
    log_chances: Callable[[View, IntArray, IntArray], FloatArray] | None = None
    """[N] the logarithm of the chance of one whole hand for each row."""

    def masked(self, view: View, rows: IntArray) -> Beliefs:
        """What players use: see ``masked``."""
        return masked(view, rows, self.raw(view, rows))


@kernel
def _mask(view, rows, out):
    for k in range(rows.shape[0]):
        seen = view[rows[k]]
        free = np.int64(DECK) & ~(seen.hand | seen.pile | seen.opponent)
        mask_row(out[k], free, seen.opponent)


@kernel
def mask_row(belief, free, held):
    """Set known cards to 0 or 1 and scale ``free`` ones to the number of unknown cards, none above 1."""
    unknown = min(HAND_SIZE - count(held), count(free))
    total = 0.0
    for card in range(CARDS):
        if free >> card & 1:
            if not belief[card] > 0:  # NaN and negatives count as 0
                belief[card] = 0.0
            total += belief[card]
        else:
            belief[card] = held >> card & 1
    if total <= 0:
        total = 0.0
        for card in range(CARDS):
            if free >> card & 1:
                belief[card] = 1.0
                total += 1.0
    left = free
    while left != 0 and unknown > 0:  # a card that would exceed 1 becomes 1; the others share the rest
        scale = unknown / total
        sure = np.int64(0)
        for card in range(CARDS):
            if left >> card & 1 and belief[card] * scale >= 1.0:
                sure |= np.int64(1) << card
        if sure == 0:
            for card in range(CARDS):
                if left >> card & 1:
                    belief[card] *= scale
            return
        total = 0.0
        left &= ~sure
        for card in range(CARDS):
            if sure >> card & 1:
                belief[card] = 1.0
            elif left >> card & 1:
                total += belief[card]
        unknown -= count(sure)
        if total <= 0 and unknown > 0:  # all remaining beliefs are 0: use equal chances
            for card in range(CARDS):
                if left >> card & 1:
                    belief[card] = 1.0
                    total += 1.0
    for card in range(CARDS):
        if left >> card & 1:
            belief[card] = 0.0


def masked(view: View, rows: IntArray, belief: Beliefs) -> Beliefs:
    """Raw beliefs with known cards set to 0 or 1 and the rest scaled to the number of unknown cards."""
    out = np.array(belief, np.float32)
    _mask(view, rows, out)
    return out
