"""Metrics of paper S0: one estimator's beliefs at the last moment of a round and at all moments.

All metrics are means over the 52 cards of a moment, known cards included, and then over moments:

    categorical  1 - |belief - truth|                           (paper S0, Equations 4 and 5)
    binary       whether belief rounded at 0.5 is the truth     (Equations 6 and 7)
    log_loss     binary cross-entropy, beliefs kept ``CLIP`` away from 0 and 1
    squared      (belief - truth)²: the mean squared error, which is the Brier score of a card

Of unknown cards alone ``unknown`` has the number, ``apart`` the sum of |belief - truth|, and ``astray`` how
many are on the wrong side of 0.5: the same two accuracies without the cards that everybody gets right.

The AUC is the chance that a held card is believed in more than one that is not held, over all pairs of any
cards of any moments; it comes from histograms of beliefs.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from ginrummy import moments, sim
from ginrummy.judging import metrics
from ginrummy.judging.beliefs import hands_of_ten, is_last, judged
from ginrummy.judging.shards import Shard
from ginrummy.judging.sums import Sums, cluster_sums
from ginrummy.players.registry import make_player
from ginrummy.stats import Estimate
from ginrummy.typed import Counters, read

Json = dict[str, Any]

FORMS = ("raw", "masked")
"""A method's own belief; the same with known cards 0 or 1 and the right sum."""
WHEN = ("last", "all")
"""The last moment of a round, for each side; all moments."""
BINS = 1000
"""Of the histograms behind the AUC."""
CLIP = 1e-7
"""How far the network library of paper S0 keeps beliefs away from 0 and 1 in its loss."""
SCORES: dict[str, Callable[[metrics.Beliefs, metrics.Masks], metrics.Floats]] = {
    "categorical": metrics.categorical_accuracy,
    "binary": metrics.binary_accuracy,
    "log_loss": partial(metrics.log_loss, clip=CLIP),
    "squared": metrics.mean_squared_difference,
}
"""Name in the evidence -> the metric."""
UNKNOWN = {"categorical_unknown": "apart", "binary_unknown": "astray"}
"""Accuracy of unknown cards -> the counter of what is wrong."""


@dataclass(frozen=True)
class Watched:
    """Which estimator is judged, and in whose games."""

    estimator: str
    players: tuple[str, str]


@dataclass(frozen=True)
class Areas:
    """The AUC of all moments, and the sums over mirrored pairs of each pair's own."""

    pairs: int
    sum: float
    squares: float
    area: float


@dataclass(frozen=True)
class Part:
    """What evidence keeps of beliefs in one form at some moments."""

    sums: Counters
    areas: Areas


@dataclass(frozen=True)
class EstimateCounts:
    """The shape of what evidence keeps of an estimator: a part for each form and each kind of moments."""

    games: int
    raw_last: Part
    raw_all: Part
    masked_last: Part
    masked_all: Part


def count_estimates(watched: Watched, shard: Shard) -> Counters:
    """Counters of one estimator over some games, the moments of both sides together."""
    first, second = (make_player(spec) for spec in watched.players)
    rules = shard.rules
    run = sim.play(first, second, shard.games, rules, shard.seed, record=True)
    rounds = moments.in_order(run.rounds)
    sides = [moments.views(rounds, side, rules) for side in (0, 1)]
    seen = [(side, hands_of_ten(side)) for side in sides]
    pairs = np.concatenate([rounds["game"][side.round[rows]] // 2 for side, rows in seen])
    last = np.concatenate([is_last(side)[rows] for side, rows in seen])
    found = [judged(watched.estimator, side, rows, shard.seed) for side, rows in seen]
    truth = np.concatenate([one.truth for one in found])
    known = np.concatenate([one.known for one in found])
    counted: Json = {"games": len(shard.games)}
    for form, beliefs in zip(FORMS, ([one.raw for one in found], [one.masked for one in found]), strict=True):
        belief = np.concatenate(beliefs)
        columns: dict[str, npt.NDArray[Any]] = {"moments": np.ones(len(belief), np.int64)}
        columns |= {name: score(belief, truth) for name, score in SCORES.items()}
        columns |= _of_unknown(belief, truth, known)
        for when, chosen in zip(WHEN, (last, np.ones_like(last)), strict=True):
            counted[f"{form}_{when}"] = {
                "sums": cluster_sums(pairs[chosen], {name: x[chosen] for name, x in columns.items()}),
                "beliefs": _cards(belief[chosen], truth[chosen]).tolist(),
                "areas": _areas(belief[chosen], truth[chosen], pairs[chosen]),
            }
    return counted


def _of_unknown(belief: metrics.Beliefs, truth: metrics.Masks, known: metrics.Masks) -> dict[str, Any]:
    """[N] each: unknown cards, how far beliefs are from the truth, how many are on its other side."""
    held, unknown = moments.bits(truth), 1 - moments.bits(known)
    return {
        "unknown": unknown.sum(axis=1).astype(np.int64),
        "apart": (np.abs(belief - held) * unknown).sum(axis=1),
        "astray": (((belief >= 0.5) != (held == 1)) * unknown).sum(axis=1).astype(np.int64),
    }


def _cards(belief: metrics.Beliefs, truth: metrics.Masks) -> metrics.Counts:
    """[2, bins] how often beliefs fall in each bin: of cards not held, and of cards held."""
    return metrics.histogram(belief, truth, bins=BINS).cards


def _areas(belief: metrics.Beliefs, truth: metrics.Masks, pairs: npt.NDArray[np.integer]) -> Json:
    """Each mirrored pair's own AUC: the spread of these gives the error of the whole."""
    each = [metrics.auc(_cards(belief[pairs == pair], truth[pairs == pair])) for pair in np.unique(pairs)]
    return {"pairs": len(each), "sum": sum(each), "squares": sum(value**2 for value in each)}


def keep(counts: Counters) -> Counters:
    """What evidence keeps: everything but the histograms, which are replaced by the AUC."""
    kept: Json = {"games": counts["games"]}
    for part in (f"{form}_{when}" for form in FORMS for when in WHEN):
        found = counts[part]
        area = {"area": metrics.auc(np.array(found["beliefs"]))}
        kept[part] = {"sums": found["sums"], "areas": found["areas"] | area}
    return kept


class Scores:
    """What the counters of one estimator say, seeds added up."""

    def __init__(self, counters: Iterable[Counters]) -> None:
        self._counts = [read(EstimateCounts, counts, "counts") for counts in counters]

    def metric(self, name: str, form: str = "raw", when: str = "last") -> Estimate:
        """The mean of a metric over moments, clustered by mirrored pair; or ``auc``."""
        parts = self._parts(form, when)
        if name in UNKNOWN:
            wrong = Sums(part.sums for part in parts).per("unknown", UNKNOWN[name])
            return Estimate(1 - wrong.value, wrong.error)
        if name != "auc":
            return Sums(part.sums for part in parts).per("moments", name)
        areas = [part.areas for part in parts]
        pairs = sum(one.pairs for one in areas)
        mean = sum(one.sum for one in areas) / pairs
        variance = max(0.0, sum(one.squares for one in areas) / pairs - mean**2)
        value = sum(one.area * one.pairs for one in areas) / pairs
        return Estimate(value, math.sqrt(variance / max(1, pairs - 1)))

    def moments(self, when: str = "last") -> int:
        """How many moments were scored."""
        return int(Sums(part.sums for part in self._parts("raw", when)).total("moments"))

    def _parts(self, form: str, when: str) -> list[Part]:
        return [getattr(counts, f"{form}_{when}") for counts in self._counts]
