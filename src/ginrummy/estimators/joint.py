"""A joint belief: whole hands of the opponent with weights, and how likely each type of opponent is.

    belief = joint_belief()
    worlds = belief.sample(view, rows, u, 1000)     # weighted hands
    worlds.hands[k], worlds.weights[k]              # of row k: [1000] masks, [1000] weights that add up to 1
    worlds.types[k]                                 # [T] odds of ``types.TYPES``
    even = belief.resample(view, rows, u, 300)      # hands with equal weights, for rollouts

Every hand has ten cards, holds what the opponent is known to hold and no card that has been seen elsewhere.
The answer for a row depends on its view, its ``u`` and the numbers asked for, and on nothing else.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ginrummy._jit import kernel
from ginrummy.decks import choice_key, key_uniform
from ginrummy.estimators.belief_net import belief_net
from ginrummy.estimators.types import posterior
from ginrummy.view import FloatArray, IntArray, View

MORE = 4
"""``resample`` draws so many hands for each one that it returns, unless told otherwise."""


class Sampled(NamedTuple):
    """Hands that the opponent may hold."""

    hands: npt.NDArray[np.int64]
    """[N, n] masks of ten cards."""
    weights: npt.NDArray[np.float64]
    """[N, n] how likely each hand is; a row adds up to 1."""
    types: npt.NDArray[np.float64]
    """[N, T] how likely each type of opponent is (``types.TYPES``)."""

    def sizes(self) -> npt.NDArray[np.float64]:
        """[N] effective sample size: how many hands of equal weights would be worth as much."""
        sizes: npt.NDArray[np.float64] = 1.0 / np.square(self.weights).sum(axis=1)
        return sizes


class JointBelief:
    """Draws hands by chances of single cards and weighs them."""

    def __init__(self) -> None:
        self._proposals = belief_net()

    def sample(self, view: View, rows: IntArray, u: FloatArray, n: int) -> Sampled:
        """``n`` weighted hands for each row; ``u`` [N] has one uniform number for each."""
        assert self._proposals.sample is not None
        hands = np.asarray(self._proposals.sample(view, rows, u, n), np.int64)
        return Sampled(hands, np.full(hands.shape, 1.0 / n), posterior(view, rows))

    def resample(
        self, view: View, rows: IntArray, u: FloatArray, n: int, among: int | None = None
    ) -> Sampled:
        """``n`` hands of equal weights for each row, picked from ``among`` weighted ones.

        Sampling is systematic: a hand of weight w comes n * w times, give or take less than one. The hands
        come in random order, so that the first ones are a sample too.
        """
        found = self.sample(view, rows, u, MORE * n if among is None else among)
        hands = np.empty((len(rows), n), np.int64)
        _pick(found.hands, found.weights, np.asarray(u, np.float64), hands)
        return Sampled(hands, np.full(hands.shape, 1.0 / n), found.types)


def joint_belief() -> JointBelief:
    """The belief that search uses."""
    return JointBelief()


@kernel
def _pick(hands, weights, u, out):
    """Systematic sampling, row by row, then a shuffle."""
    n = out.shape[1]
    for k in range(out.shape[0]):
        place = 0
        reached = weights[k, 0]
        for j in range(n):
            while reached < (j + u[k]) / n and place < hands.shape[1] - 1:
                place += 1
                reached += weights[k, place]
            out[k, j] = hands[k, place]
        key = choice_key(np.int64(u[k] * (1 << 52)), hands[k, 0], 1)
        for j in range(n - 1, 0, -1):
            other = np.int64(key_uniform(key, 0, j) * (j + 1))
            hand = out[k, j]
            out[k, j] = out[k, other]
            out[k, other] = hand
