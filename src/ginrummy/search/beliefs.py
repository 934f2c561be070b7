"""Beliefs to compare the joint one with: how much of a search's strength comes from its worlds.

belief_of("joint")       the belief that search uses (``estimators.joint``)
belief_of("tilted")      its hands, weighed by their deadwood alone
belief_of("cards")       its hands, all with the same weight: right chances of single cards, wrong melds
belief_of("even-types")  its hands and weights, with every type of opponent as likely as any other
belief_of("uniform")     every hand that the view allows, and every type, equally likely
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ginrummy.cards import CARDS
from ginrummy.errors import UnknownName
from ginrummy.estimators.exact_hands import draw_hands, unknown_cards
from ginrummy.estimators.joint import JointBelief, Sampled, joint_belief
from ginrummy.estimators.types import TYPES
from ginrummy.melds import deadwoods
from ginrummy.search.searcher import Belief
from ginrummy.view import FloatArray, IntArray, View

WORLDS = ("joint", "even-types", "tilted", "cards", "uniform")
TILT = 0.06
"""Weight of a hand falls by this factor of e for each point of deadwood, in ``tilted``."""


@dataclass(frozen=True)
class Uniform:
    """Every hand that the view allows is as likely as any other, and so is every type."""

    def sample(self, view: View, rows: IntArray, u: FloatArray, n: int) -> Sampled:
        """``n`` hands for each row."""
        even = np.zeros((len(rows), CARDS), np.float32)
        hands = draw_hands(even, *unknown_cards(view, rows), u, n)
        return Sampled(hands, np.full(hands.shape, 1.0 / n), _even_types(len(rows)))

    def draw_types(self, view: View, rows: IntArray, found: Sampled, u: FloatArray) -> IntArray:
        """[N, n] types of the hands, in turn."""
        return _types_in_turn(found)


@dataclass(frozen=True)
class Less:
    """The joint belief with some of its knowledge taken away."""

    belief: JointBelief
    hands: bool = True
    """Whether whole hands are weighed; otherwise they only have the right chances of single cards."""
    types: bool = True
    """Whether it tells types of opponent apart."""
    tilt: float = 0.0
    """Hands that are not weighed otherwise are weighed by their deadwood."""

    def sample(self, view: View, rows: IntArray, u: FloatArray, n: int) -> Sampled:
        """``n`` hands for each row."""
        draw = self.belief.sample if self.hands else self.belief.by_cards
        found = draw(view, rows, u, n)
        if not self.types:
            found = found._replace(types=_even_types(len(rows)))
        if self.tilt:
            left = deadwoods(found.hands.ravel()).reshape(found.hands.shape)
            weights = found.weights * np.exp(-self.tilt * (left - left.min(axis=1, keepdims=True)))
            found = found._replace(weights=weights / weights.sum(axis=1, keepdims=True))
        return found

    def draw_types(self, view: View, rows: IntArray, found: Sampled, u: FloatArray) -> IntArray:
        """[N, n] types of the hands: by the belief, or in turn."""
        return self.belief.draw_types(view, rows, found, u) if self.types else _types_in_turn(found)


def belief_of(worlds: str) -> Belief:
    """A belief by name."""
    if worlds not in WORLDS:
        raise UnknownName(f"unknown worlds {worlds!r}: choose one of {', '.join(WORLDS)}")
    if worlds == "uniform":
        return Uniform()
    if worlds == "joint":
        return joint_belief()
    return Less(
        joint_belief(),
        hands=worlds == "even-types",
        types=worlds != "even-types",
        tilt=TILT if worlds == "tilted" else 0.0,
    )


def _even_types(rows: int) -> npt.NDArray[np.float64]:
    return np.full((rows, len(TYPES)), 1.0 / len(TYPES))


def _types_in_turn(found: Sampled) -> npt.NDArray[np.int64]:
    """[N, n] all types equally often; the hands come in random order."""
    rows, n = found.hands.shape
    return np.tile(np.arange(n) % len(TYPES), (rows, 1))
