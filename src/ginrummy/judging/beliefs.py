"""What is judged: an estimator's beliefs at some moments of recorded rounds, beside the truth.

A *moment* is what one side sees after an event of its opponent (``moments.views``). Estimators are judged
between two bounds: equal chances for unseen cards, and the truth itself.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ginrummy import moments
from ginrummy.estimators.base import masked
from ginrummy.estimators.registry import make_estimator
from ginrummy.judging import metrics
from ginrummy.judging.metrics import Beliefs, Counts, Masks
from ginrummy.moments import Moments
from ginrummy.rules import HAND_SIZE

NULL = "null"
"""Equal chances for unseen cards: the lower bound."""
OMNISCIENT = "omniscient"
"""The truth itself: the upper bound. It is no estimator, because no player may ever hold it."""
BOUNDS = (NULL, OMNISCIENT)


@dataclass(frozen=True)
class Judged:
    """Beliefs about some moments, and what was true."""

    raw: Beliefs
    """[N, 52] the estimator's own beliefs."""
    masked: Beliefs
    """[N, 52] the same with known cards 0 or 1 and the right sum: what players use."""
    truth: Masks
    """[N] the opponent's hand."""
    known: Masks
    """[N] masks: own hand, pile, and what the opponent is known to hold."""
    seed: int
    """Orders equal beliefs."""

    @cached_property
    def places(self) -> Counts:
        """[N, 10] where the true cards stand in falling order of raw belief."""
        return metrics.places(self.raw, self.truth, self.seed)


def judged(spec: str, found: Moments, rows: Masks, seed: int) -> Judged:
    """What an estimator believes at some moments; ``found`` must have all moments of its rounds."""
    raw = _raw_beliefs(spec, found)[rows]
    known: Masks = (found.view["hand"] | found.view["pile"] | found.view["opponent"])[rows]
    return Judged(raw, masked(found.view, rows, raw), found.truth[rows], known, seed)


def hands_of_ten(found: Moments) -> Masks:
    """The rows of moments at which the opponent holds ten cards; after a big gin it holds eleven."""
    return np.flatnonzero(np.bitwise_count(found.truth) == HAND_SIZE)


def is_last(found: Moments) -> npt.NDArray[np.bool_]:
    """Whether a moment is the last one of its round."""
    return np.append(found.round[1:] != found.round[:-1], [True] * (len(found.round) > 0)).astype(np.bool_)


def _raw_beliefs(spec: str, found: Moments) -> Beliefs:
    if spec == OMNISCIENT:
        return moments.bits(found.truth)
    estimator = make_estimator(spec)
    if estimator.history:  # one pass along each round, not one for each of its moments
        return estimator.history(found.view, np.flatnonzero(is_last(found)))[0]
    return np.asarray(estimator.raw(found.view, np.arange(len(found.truth))))
