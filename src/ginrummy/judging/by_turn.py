"""Metrics of beliefs by turn: players and estimators in, counters that add up out, and what they say.

A *moment* is what one side sees after an event of its opponent (``moments.views``); its turn is the number of
draws of both sides so far, so a pass of the first upcard is seen at turn 0. All estimators judge the same
moments, so differences between them are paired. Errors are clustered by mirrored pair of games.

The bounds, equal chances and the truth, are always included. Equal beliefs stand in random order.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ginrummy import moments, sim
from ginrummy.errors import BadInput
from ginrummy.judging import metrics
from ginrummy.judging.beliefs import BOUNDS, Judged, hands_of_ten, judged
from ginrummy.judging.scores import METRICS, SHOWN
from ginrummy.players.registry import make_player
from ginrummy.rules import parse_rules
from ginrummy.stats import Estimate
from ginrummy.tournament import add_counts

Json = dict[str, Any]
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

HANDS = {"both": (0, 1), "a": (1,), "b": (0,)}
"""Whose hand is guessed -> the sides that guess."""
BINS = 20
"""Of the calibration."""
SHARD = 500
"""Games in one piece of work."""
FEW = 30
"""Moments below which a turn is not drawn."""
ALL = "all"
"""The band of all turns."""
STAGES = (("1-3", 1, 3), ("4-9", 4, 9), ("10-28", 10, 28), ("29-", 29, None))
"""The paper's stages of a round: name, first and last turn."""


def count_beliefs(payload: Json) -> Json:
    """Counters of all estimators over some games.

    ``payload`` has a study's ``settings``. For each turn and each band: moments and clusters, and by metric
    the sums of each estimator, those of products by cluster of pairs of estimators, and of each with the
    number of moments.
    """
    rules = parse_rules(payload["rules"])
    first, second = (make_player(spec) for spec in payload["players"])
    games = range(payload["first"] + payload["start"], payload["first"] + payload["stop"])
    run = sim.play(first, second, games, rules, payload["seed"], record=True)
    rounds = moments.in_order(run.rounds)
    estimators, names = payload["estimators"], payload["metrics"]
    pairs, turns, values = [], [], []
    cards: Json = {spec: {} for spec in estimators}
    for side in HANDS[payload["hand"]]:
        seen = moments.views(rounds, side, rules)
        rows = hands_of_ten(seen)
        pairs.append(rounds["game"][seen.round[rows]].astype(np.int64) // 2)
        turns.append(seen.turn[rows].astype(np.int64))
        part = np.empty((len(names), len(estimators), len(rows)))
        for e, spec in enumerate(estimators):
            beliefs = judged(spec, seen, rows, payload["seed"])
            part[:, e] = [METRICS[name].score(beliefs) for name in names]
            cards[spec] = add_counts([cards[spec], _cards(beliefs)])
        values.append(part)
    at = np.concatenate(turns)
    clusters, found = np.concatenate(pairs), np.concatenate(values, axis=2)
    bands = {ALL: at >= 0} | {
        name: (at >= low) & (at <= (math.inf if high is None else high))
        for name, low, high in payload["bands"]
    }

    def sums(chosen: npt.NDArray[np.bool_]) -> Json:
        return _sums(clusters[chosen], found[:, :, chosen], payload["pairs"])

    return {
        "games": len(games),
        "rounds": len(rounds),
        "turns": {str(turn): sums(at == turn) for turn in np.unique(at)},
        "bands": {name: sums(chosen) for name, chosen in bands.items()},
        "cards": cards,
    }


def _sums(clusters: Ints, values: Floats, pairs: Sequence[Sequence[int]]) -> Json:
    """Sums of [metrics, estimators, N] over rows, and of products by cluster."""
    _, place = np.unique(clusters, return_inverse=True)
    size = int(place.max(initial=-1)) + 1
    moments_of = np.bincount(place, minlength=size).astype(np.float64)
    by_cluster = np.array(
        [[np.bincount(place, column, minlength=size) for column in of_metric] for of_metric in values]
    )
    left, right = np.transpose(pairs)
    products = np.einsum("mec,mfc->mef", by_cluster, by_cluster)[:, left, right]
    return {
        "moments": int(moments_of.sum()),
        "clusters": size,
        "squares": float(moments_of @ moments_of),
        "sums": by_cluster.sum(axis=2).tolist(),
        "crossed": (by_cluster @ moments_of).tolist(),
        "products": products.tolist(),
    }


def _cards(of: Judged) -> Json:
    """How often unknown cards were believed in so much, and held: raw and masked beliefs."""
    forms = {"raw": of.raw, "masked": of.masked}
    counted = {form: metrics.histogram(b, of.truth, of.known, bins=BINS) for form, b in forms.items()}
    return {form: {"cards": h.cards.tolist(), "total": h.total.tolist()} for form, h in counted.items()}


class Beliefs:
    """Counters of ``count_beliefs`` added up, to be asked for means and differences."""

    def __init__(self, counters: Iterable[Json], settings: Json) -> None:
        """``settings`` are those that the counters were made with: they name the places of the sums."""
        self.counts = add_counts(list(counters))
        self.estimators: list[str] = settings["estimators"]
        self.metrics: list[str] = settings["metrics"]
        self._places = {(e, f): place for place, (e, f) in enumerate(settings["pairs"])}

    @classmethod
    def of(cls, points: Sequence[Json]) -> "Beliefs":
        """The points of an experiment added up, by the settings that came with them.

        Points that name their sums differently are not added up.
        """
        names = ("estimators", "metrics", "bands", "pairs")
        first = points[0]["settings"]
        for point in points:
            if any(point["settings"][name] != first[name] for name in names):
                raise BadInput(
                    f"{point['series']} and {points[0]['series']} were judged by different settings"
                )
        return cls((point["counts"] for point in points), first)

    @property
    def turns(self) -> list[int]:
        """Every turn with two clusters or more: one alone has no error."""
        found = self.counts["turns"]
        return sorted(int(turn) for turn in found if found[turn]["clusters"] > 1)

    def moments(self, where: int | str = ALL) -> int:
        """How many moments there were at a turn or in a band."""
        return int(self._at(where)["moments"])

    def clusters(self, where: int | str = ALL) -> int:
        """How many mirrored pairs of games they come from."""
        return int(self._at(where)["clusters"])

    def mean(self, metric: str, estimator: str, where: int | str = ALL) -> Estimate:
        """A metric's mean over the moments at a turn (a number) or in a band (a name)."""
        return self._quotient(metric, {estimator: 1.0}, where)

    def gap(self, metric: str, one: str, other: str, where: int | str = ALL) -> Estimate:
        """The mean difference of two estimators on the same moments."""
        if one == other:
            return Estimate(0.0, 0.0)
        return self._quotient(metric, {one: 1.0, other: -1.0}, where)

    def best(self, metric: str, among: Iterable[str], where: int | str = ALL) -> str:
        """Which of some estimators has the best mean."""
        sign = -1 if METRICS[metric].high else 1
        return min(among, key=lambda estimator: sign * self.mean(metric, estimator, where).value)

    def calibration(self, estimator: str, form: str = "masked") -> metrics.Calibration:
        """What was believed of unknown cards, and what was true."""
        found = self.counts["cards"][estimator][form]
        return metrics.calibration(metrics.Histogram(np.array(found["cards"]), np.array(found["total"])))

    def _at(self, where: int | str) -> Json:
        found: Json = (
            self.counts["bands"][where] if isinstance(where, str) else self.counts["turns"][str(where)]
        )
        return found

    def _quotient(self, metric: str, weights: Mapping[str, float], where: int | str) -> Estimate:
        at, m = self._at(where), self.metrics.index(metric)
        size, clusters = at["moments"], at["clusters"]
        if clusters < 2:
            raise ValueError(f"an error needs two clusters or more, not {clusters}")
        parts = [(self.estimators.index(name), weight) for name, weight in weights.items()]
        mean = sum(weight * at["sums"][m][e] for e, weight in parts) / size
        square = mean * mean * at["squares"]
        square -= 2 * mean * sum(weight * at["crossed"][m][e] for e, weight in parts)
        for e, u in parts:
            for f, v in parts:
                square += u * v * at["products"][m][self._places[min(e, f), max(e, f)]]
        return Estimate(mean, math.sqrt(max(0.0, square) * clusters / (clusters - 1)) / size)


def settings(
    estimators: Sequence[str],
    players: Sequence[str] = ("simple", "simple"),
    hand: str = "both",
    *,
    metrics: Sequence[str] = SHOWN,
    bands: Sequence[Sequence[Any]] = STAGES,
    against: Sequence[str] | None = None,
    first: int = 0,
) -> Json:
    """What ``count_beliefs`` is to judge, the bounds added: JSON, and part of the evidence.

    Differences are kept of all pairs of estimators; with ``against`` only those from the ones named there.
    ``first`` is the number of the first game: studies that are to be added up must not share their decks.
    """
    if first % 2:
        raise ValueError("a study begins with a whole mirrored pair")
    judged = [*estimators, *BOUNDS]
    kept = judged if against is None else against
    pairs = [
        [e, f]
        for e, one in enumerate(judged)
        for f, other in enumerate(judged)
        if e == f or (e < f and (one in kept or other in kept))
    ]
    return {
        "estimators": judged,
        "metrics": list(metrics),
        "bands": [list(band) for band in bands],
        "players": list(players),
        "hand": hand,
        "pairs": pairs,
        "first": first,
    }


def read_settings(found: Json) -> Json:
    """Settings as evidence has them; ``first`` came later and was 0 until then."""
    return {"first": 0} | found


def compact(counts: Json) -> Json:
    """Counters as evidence keeps them: sums to ten digits."""
    return counts | {"turns": _rounded(counts["turns"]), "bands": _rounded(counts["bands"])}


def _rounded(found: Any) -> Any:
    if isinstance(found, dict):
        return {name: _rounded(part) for name, part in found.items()}
    if isinstance(found, list):
        return [_rounded(part) for part in found]
    return float(f"{found:.10g}") if isinstance(found, float) else found
