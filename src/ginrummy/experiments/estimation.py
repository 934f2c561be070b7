"""How well estimators know the opponent's hand: metrics of beliefs, as counters that add up.

A *moment* is what one side sees after an event of its opponent (``moments.views``). All metrics are means
over the 52 cards of a moment, known cards included, and then over moments:

    categorical  1 - |belief - truth|                           (paper S0, Equations 4 and 5)
    binary       whether belief rounded at 0.5 is the truth     (Equations 6 and 7)
    log_loss     binary cross-entropy, beliefs kept ``CLIP`` away from 0 and 1
    squared      (belief - truth)²: the mean squared error, which is the Brier score of a card

The AUC is the chance that a held card is believed in more than one that is not held, over all pairs of any
cards of any moments; it comes from histograms of beliefs.
"""

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from ginrummy import moments, sim
from ginrummy.estimators.base import masked
from ginrummy.estimators.registry import make_estimator
from ginrummy.experiments.sums import Sums, cluster_sums
from ginrummy.experiments.verdicts import Estimate
from ginrummy.moments import Moments
from ginrummy.players.registry import make_player
from ginrummy.rules import parse_rules

Json = dict[str, Any]
Floats = npt.NDArray[np.float64]

OMNISCIENT = "omniscient"
"""The truth itself, the upper bound. It is no estimator, since no player may ever hold it."""
FORMS = ("raw", "masked")
"""A method's own belief; the same with known cards 0 or 1 and the right sum."""
WHEN = ("last", "all")
"""The last moment of a round, for each side; all moments."""
METRICS = ("categorical", "binary", "log_loss", "squared")
BINS = 1000
"""Of the histograms behind the AUC."""
CLIP = 1e-7
"""What the network library of paper S0 keeps beliefs away from 0 and 1 in its loss."""


def count_estimates(payload: Json) -> Json:
    """Counters of one estimator over some games; the work of an experiment of kind ``Counts``.

    ``payload`` names the ``estimator`` and the two ``players`` that are watched. Both sides' moments count.
    """
    first, second = (make_player(spec) for spec in payload["players"])
    rules, games = parse_rules(payload["rules"]), range(payload["start"], payload["stop"])
    run = sim.play(first, second, games, rules, payload["seed"], record=True)
    rounds = moments.in_order(run.rounds)
    sides = [moments.views(rounds, side, rules) for side in (0, 1)]
    pairs = np.concatenate([rounds["game"][side.round] // 2 for side in sides])
    truth = moments.bits(np.concatenate([side.truth for side in sides])).astype(np.float64)
    last = np.concatenate([is_last(side) for side in sides])
    beliefs = [believe(payload["estimator"], side) for side in sides]
    counted: Json = {"games": len(games)}
    for form in FORMS:
        belief = np.concatenate([found[form] for found in beliefs]).astype(np.float64)
        columns = {"moments": np.ones(len(belief), np.int64), **score(belief, truth)}
        for when, chosen in zip(WHEN, (last, np.ones_like(last)), strict=True):
            counted[f"{form}_{when}"] = {
                "sums": cluster_sums(pairs[chosen], {name: x[chosen] for name, x in columns.items()}),
                "beliefs": histograms(belief[chosen], truth[chosen]),
                "areas": _areas(belief[chosen], truth[chosen], pairs[chosen]),
            }
    return counted


def is_last(found: Moments) -> npt.NDArray[np.bool_]:
    """Whether a moment is the last one of its round."""
    return np.append(found.round[1:] != found.round[:-1], [True] * (len(found.round) > 0)).astype(np.bool_)


def believe(spec: str, found: Moments) -> dict[str, npt.NDArray[np.float32]]:
    """The beliefs of an estimator in every form. [N, 52] each."""
    rows = np.arange(len(found.round))
    if spec == OMNISCIENT:
        raw = moments.bits(found.truth)
    else:
        raw = np.asarray(make_estimator(spec).raw(found.view, rows))
    return {"raw": raw, "masked": masked(found.view, rows, raw)}


def score(belief: Floats, truth: Floats) -> dict[str, Floats]:
    """Every metric of every moment. [N, 52] beliefs, [N, 52] zeros and ones -> [N] each."""
    miss = np.abs(belief - truth)
    surely = np.clip(belief, CLIP, 1 - CLIP)
    return {
        "categorical": (1 - miss).mean(axis=1),
        "binary": ((belief >= 0.5) == (truth == 1)).mean(axis=1),
        "log_loss": -np.log(np.where(truth == 1, surely, 1 - surely)).mean(axis=1),
        "squared": (miss**2).mean(axis=1),
    }


def histograms(belief: Floats, truth: Floats) -> list[list[int]]:
    """How often beliefs fall in each of ``BINS`` bins: of cards not held, and of cards held."""
    bins = np.clip((belief * BINS).astype(np.int64), 0, BINS - 1)
    counts = np.bincount((bins + BINS * truth.astype(np.int64)).ravel(), minlength=2 * BINS)
    return [counts[:BINS].tolist(), counts[BINS:].tolist()]


def area(beliefs: list[list[int]]) -> float:
    """The AUC from histograms; beliefs of one bin count as equal."""
    absent, held = (np.array(counts, np.float64) for counts in beliefs)
    below = np.cumsum(absent) - absent
    return float(held @ (below + absent / 2) / (held.sum() * absent.sum()))


def _areas(belief: Floats, truth: Floats, pairs: npt.NDArray[np.integer]) -> Json:
    """Each mirrored pair's own AUC: the spread of these gives the error of the whole."""
    each = [area(histograms(belief[pairs == pair], truth[pairs == pair])) for pair in np.unique(pairs)]
    return {"pairs": len(each), "sum": sum(each), "squares": sum(value**2 for value in each)}


def keep(counts: Json) -> Json:
    """What evidence keeps: all but the histograms, which give way to the AUC."""
    kept: Json = {"games": counts["games"]}
    for part in (f"{form}_{when}" for form in FORMS for when in WHEN):
        found = counts[part]
        kept[part] = {"sums": found["sums"], "areas": found["areas"] | {"area": area(found["beliefs"])}}
    return kept


class Scores:
    """What the points of one estimator say, seeds added up."""

    def __init__(self, points: Iterable[Json]) -> None:
        self._counts = [point["counts"] for point in points]

    def metric(self, name: str, form: str = "raw", when: str = "last") -> Estimate:
        """The mean of a metric over moments, clustered by mirrored pair; or ``auc``."""
        parts = [counts[f"{form}_{when}"] for counts in self._counts]
        if name != "auc":
            return Sums(part["sums"] for part in parts).per("moments", name)
        areas = [part["areas"] for part in parts]
        pairs = sum(one["pairs"] for one in areas)
        mean = sum(one["sum"] for one in areas) / pairs
        variance = max(0.0, sum(one["squares"] for one in areas) / pairs - mean**2)
        value = sum(one["area"] * one["pairs"] for one in areas) / pairs
        return Estimate(value, math.sqrt(variance / max(1, pairs - 1)))

    def moments(self, when: str = "last") -> int:
        """How many moments were scored."""
        return int(Sums(counts[f"raw_{when}"]["sums"] for counts in self._counts).total("moments"))
