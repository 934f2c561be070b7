"""The inputs of the knock network.

Source: Nguyen, Doan and Neller, EAAI 2021 (S0): number of turns, deadwood points, number of melds, number of
hitting cards, number of cards that the opponent drew face-up.

Differs: a turn is a draw of either side, and hitting cards are those outside the melds, as in the authors'
program.
"""

import numpy as np
import numpy.typing as npt

from ginrummy._jit import count, kernel
from ginrummy.cards import CARDS, DECK, POINTS
from ginrummy.meld_kernels import MAX_HELD, MAX_MELDS, points
from ginrummy.policies.card_value import hitting_cards, loose_cards
from ginrummy.view import DRAWN, OTHER, UPCARD, WHO, IntArray, View

TURNS, DEADWOOD, MELDS, HITTING, TAKEN, POINTS_HELD, MELDS_HELD = range(7)
FEATURES = 5
"""Features of the paper; two more come from a belief."""


@kernel
def taken_by_opponent(view):
    """Upcards that the opponent took in this round."""
    taken = 0
    for event in range(view.events):
        if view.log[event, WHO] == OTHER and view.log[event, DRAWN] == view.log[event, UPCARD]:
            taken += 1
    return taken


@kernel
def _features(hands, free, held, index, sets, out):
    for k in range(hands.shape[0]):
        loose, melds = loose_cards(hands[k], held, index, sets)
        out[k, DEADWOOD] = points(loose)
        out[k, MELDS] = melds
        out[k, HITTING] = count(hitting_cards(hands[k], loose, free[k]))


@kernel
def _believed(belief, out):
    """The opponent's expected points and expected melds of three, with cards taken as independent."""
    for k in range(belief.shape[0]):
        p = belief[k]
        held = 0.0
        melds = 0.0
        for card in range(CARDS):
            held += p[card] * POINTS[card]
            if card % 13 < 11:
                melds += p[card] * p[card + 1] * p[card + 2]
        for rank in range(13):
            a, b, c, d = p[rank], p[rank + 13], p[rank + 26], p[rank + 39]
            melds += a * b * c + a * b * d + a * c * d + b * c * d
        out[k, POINTS_HELD] = held
        out[k, MELDS_HELD] = melds


@kernel
def _taken(view, rows, out):
    for k in range(rows.shape[0]):
        out[k] = taken_by_opponent(view[rows[k]])


def features(
    hands: IntArray, piles: IntArray, known: IntArray, turns: IntArray, taken: IntArray
) -> npt.NDArray[np.float32]:
    """[N, 5] float32 from hands, piles and known cards of the opponent (masks), draws so far, its takes."""
    out = np.empty((len(hands), FEATURES), np.float32)
    own = np.ascontiguousarray(hands, np.int64)
    free = np.int64(DECK) & ~(own | piles | known)
    scratch = np.empty(MAX_HELD, np.int64), np.empty(MAX_MELDS, np.int64), np.empty((1, MAX_MELDS), np.int64)
    _features(own, free, *scratch, out)
    out[:, TURNS] = turns
    out[:, TAKEN] = taken
    return out


def view_features(view: View, rows: IntArray) -> npt.NDArray[np.float32]:
    """[N, 5] float32: the same from a view, after the discard."""
    taken = np.empty(len(rows), np.int16)
    _taken(view, rows, taken)
    hand, pile, known, turns = (view[name][rows] for name in ("hand", "pile", "opponent", "turns"))
    return features(hand, pile, known, turns, taken)


def with_belief(known: npt.NDArray[np.float32], belief: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """[N, 7] float32: the paper's features, and the opponent's expected points and melds under a belief."""
    out = np.empty((len(known), FEATURES + 2), np.float32)
    out[:, :FEATURES] = known
    _believed(belief, out)
    return out
