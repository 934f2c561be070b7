"""A joint belief: whole hands of the opponent with weights, and how likely each type of opponent is.

    belief = joint_belief()
    worlds = belief.sample(view, rows, u, 1000)     # weighted hands
    worlds.hands[k], worlds.weights[k]              # of row k: [1000] masks, [1000] weights that add up to 1
    worlds.types[k]                                 # [T] odds of ``types.TYPES``
    even = belief.resample(view, rows, u, 300)      # hands with equal weights, for rollouts
    kinds = belief.draw_types(view, rows, even, u)  # [N, 300] a type for each of these hands

Every hand has ten cards, holds what the opponent is known to hold and no card that has been seen elsewhere.
The answer for a row depends on its view, its ``u`` and the numbers asked for, and on nothing else.

Hands are drawn by the chances of single cards (``exact_hands``), which keep the marginals and know nothing of
melds. Of ``joint_kernels.MANY`` times as many, those are picked that have the likelier deadwood. A small
network over features of the whole hand (``hand_features``) then weighs them: it was fitted by the likelihood
of true hands among drawn ones. Kernels can call the parts of ``joint_kernels.sample_rows`` themselves.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ginrummy.cards import CARDS
from ginrummy.dense import Weights
from ginrummy.errors import BadInput
from ginrummy.estimators import joint_kernels as kernels
from ginrummy.estimators.base import Beliefs, Estimator
from ginrummy.estimators.bayes import bayes
from ginrummy.estimators.hand_features import PAST, PAST_ROWS
from ginrummy.estimators.joint_kernels import Floats, Masks
from ginrummy.estimators.joint_nets import CARDS_SIZE, HANDS_SIZE
from ginrummy.estimators.types import MODEL, NETS, TYPES, shipped
from ginrummy.specs import named
from ginrummy.view import FloatArray, IntArray, View

MORE = 4
"""``resample`` draws so many hands for each one that it returns, unless told otherwise."""
CHUNK = 1024
"""Rows whose hands are in memory at once."""
LIKELIHOOD = 1000
"""Drawn hands from which the chance of a given hand is estimated."""
MARGINALS = 512
"""Weighted hands from which the estimator takes its chances of single cards."""


class Sampled(NamedTuple):
    """Hands that the opponent may hold."""

    hands: Masks
    """[N, n] masks of ten cards."""
    weights: Floats
    """[N, n] how likely each hand is; a row adds up to 1."""
    types: Floats
    """[N, T] how likely each type of opponent is (``types.TYPES``)."""

    def sizes(self) -> Floats:
        """[N] effective sample size: how many hands of equal weights would be worth as much."""
        sizes: Floats = 1.0 / np.square(self.weights).sum(axis=1)
        return sizes


class JointBelief:
    """Draws hands by chances of single cards and weighs them. It is pure: it keeps nothing between calls."""

    def __init__(self, nets: Mapping[str, npt.NDArray[Any]]) -> None:
        self._nets = [nets[name] for name in NETS]
        self._rule = bayes()

    def sample(self, view: View, rows: IntArray, u: FloatArray, n: int) -> Sampled:
        """``n`` weighted hands for each row; ``u`` [N] has one uniform number for each."""
        size = len(rows)
        found = Sampled(np.empty((size, n), np.int64), np.empty((size, n)), np.empty((size, len(TYPES))))
        rows, u = np.asarray(rows, np.int64), np.asarray(u, np.float64)
        belief = self._rule.raw(view, rows)
        kernels.sample_rows(view, rows, belief, u, *self._nets, *kernels.room(), *found)
        return found

    def resample(
        self, view: View, rows: IntArray, u: FloatArray, n: int, among: int | None = None
    ) -> Sampled:
        """``n`` hands of equal weights for each row, picked from ``among`` weighted ones.

        Sampling is systematic: a hand of weight w comes n * w times, give or take less than one. The hands
        come in random order, so that the first ones are a sample too.
        """
        found = self.sample(view, rows, u, MORE * n if among is None else among)
        hands = np.empty((len(rows), n), np.int64)
        kernels.pick_rows(found.hands, found.weights, np.asarray(u, np.float64), hands)
        return Sampled(hands, np.full(hands.shape, 1.0 / n), found.types)

    def cards(self, view: View, rows: IntArray) -> Weights:
        """[N, 52] how likely the opponent holds each card, by the network of cards alone: fast."""
        out, rows = np.empty((len(rows), CARDS), np.float32), np.asarray(rows, np.int64)
        belief = self._rule.raw(view, rows)
        kernels.card_chances(view, rows, belief, *self._nets[:2], *kernels.room(), out)
        return out

    def by_cards(self, view: View, rows: IntArray, u: FloatArray, n: int) -> Sampled:
        """``n`` hands of equal weights by the chances of single cards alone: what the weights start from."""
        hands, odds = np.empty((len(rows), n), np.int64), np.empty((len(rows), len(TYPES)))
        rows, u = np.asarray(rows, np.int64), np.asarray(u, np.float64)
        belief = self._rule.raw(view, rows)
        kernels.by_cards(view, rows, belief, u, *self._nets[:2], *kernels.room(), hands, odds)
        return Sampled(hands, np.full(hands.shape, 1.0 / n), odds)

    def draw_types(self, view: View, rows: IntArray, found: Sampled, u: FloatArray) -> IntArray:
        """[N, n] int8: a type for each hand, drawn by the odds of the types given the hand.

        A hand that a type would have knocked with speaks against this type. So worlds with types drawn here
        are worlds of the joint distribution; ``found.types`` are the odds over all hands.
        """
        out = np.empty(found.hands.shape, np.int8)
        rows, u = np.asarray(rows, np.int64), np.asarray(u, np.float64)
        kernels.draw_types(
            view, rows, found.hands, found.types, u, np.empty((PAST_ROWS, PAST), np.int64), out
        )
        return out

    def log_chances(self, view: View, rows: IntArray, hands: IntArray, n: int = LIKELIHOOD) -> Floats:
        """[N] the logarithm of the chance of one hand for each row.

        The sum over all hands is estimated from ``n`` drawn ones and the hand itself. On the average that
        makes the chances of true hands too small, not too great.
        """
        out = np.empty(len(rows))
        rows, hands = np.asarray(rows, np.int64), np.asarray(hands, np.int64)
        belief, u = self._rule.raw(view, rows), np.full(len(rows), 0.5)
        kernels.log_chances(
            view, rows, belief, u, hands, n, *self._nets[:3], self._nets[4], *kernels.room(), out
        )
        return out


def joint_belief(model: str = MODEL) -> JointBelief:
    """The belief that search uses; ``model`` is another file of ``ginrummy train champion-belief``."""
    nets = shipped(model)
    if nets["cards"].shape != (CARDS_SIZE,) or nets["hands"].shape != (HANDS_SIZE,):
        raise BadInput(f"{model} holds the networks of another joint belief")
    return JointBelief(nets)


def joint(model: str = MODEL) -> Estimator:
    """Weighted whole hands: drawn by a network on cards, weighed by a network on hands, types of opponent.

    Source: ours. Its chances of single cards are those of 512 weighted hands.
    """
    belief = joint_belief(model)

    def raw(view: View, rows: IntArray) -> Beliefs:
        out = np.empty((len(rows), CARDS), np.float32)
        for start in range(0, len(rows), CHUNK):
            some = rows[start : start + CHUNK]
            found = belief.sample(view, some, np.full(len(some), 0.5), MARGINALS)
            kernels.marginals(found.hands, found.weights, out[start : start + CHUNK])
        return out

    def sample(view: View, rows: IntArray, u: FloatArray, hands: int) -> IntArray:
        return belief.resample(view, rows, u, hands).hands

    def weighted(view: View, rows: IntArray, u: FloatArray, hands: int) -> tuple[IntArray, FloatArray]:
        found = belief.sample(view, rows, u, hands)
        return found.hands, found.weights

    return Estimator(
        named("joint", {} if model == MODEL else {"model": model}),
        raw,
        sample=sample,
        weighted=weighted,
        log_chances=belief.log_chances,
    )
