"""Metrics of beliefs by turn: counters over games, and the means and differences that they give.

A *moment* is what one side sees after an event of its opponent (``moments.views``); its turn is the number of
draws of both sides so far, so a pass of the first upcard is seen at turn 0. All estimators judge the same
moments, so differences between them are paired. Errors are clustered by mirrored pair of games.

The bounds, equal chances and the truth, are always included. Equal beliefs stand in random order.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ginrummy import moments
from ginrummy.errors import BadInput
from ginrummy.judging import metrics
from ginrummy.judging.beliefs import BOUNDS, Judged, hands_of_ten, judged
from ginrummy.judging.scores import METRICS, SHOWN
from ginrummy.judging.shards import Shard, added
from ginrummy.players.playing import recorded
from ginrummy.players.registry import make_player
from ginrummy.stats import Estimate
from ginrummy.tournament import add_counts
from ginrummy.typed import Counters

Json = dict[str, Any]
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

HANDS = {"both": (0, 1), "a": (1,), "b": (0,)}
"""Whose hand is guessed -> the sides that guess."""
BINS = 20
"""Bins of the calibration."""
SHARD = 500
"""Games in one piece of work."""
FEW = 30
"""A turn with fewer moments is not drawn."""
ALL = "all"
"""The band of all turns."""


class Band(NamedTuple):
    """A stretch of turns."""

    name: str
    low: int
    high: int | None
    """The last turn; None: until the end."""


STAGES = (Band("1-3", 1, 3), Band("4-9", 4, 9), Band("10-28", 10, 28), Band("29-", 29, None))
"""The paper's stages of a round."""


@dataclass(frozen=True)
class BeliefSettings:
    """What ``count_beliefs`` judges; the places of its counters are the places of these names."""

    estimators: tuple[str, ...]
    """Including the bounds."""
    metrics: tuple[str, ...]
    bands: tuple[Band, ...]
    players: tuple[str, str]
    hand: str
    """Whose hand is guessed."""
    pairs: tuple[tuple[int, int], ...]
    """Pairs of places of estimators, the first not above the second, whose products are kept."""
    first: int = 0
    """Number of the first game. Evidence older than this setting does not have it: it is 0 there."""

    def same_places(self, other: "BeliefSettings") -> bool:
        """Whether counters of both stand for the same things, place by place."""
        ours, theirs = ((s.estimators, s.metrics, s.bands, s.pairs) for s in (self, other))
        return ours == theirs


@dataclass(frozen=True)
class Place:
    """Counters at one turn or in one band."""

    moments: int
    clusters: int
    squares: float
    """Of the moments by cluster."""
    sums: tuple[tuple[float, ...], ...]
    """[metrics, estimators]"""
    crossed: tuple[tuple[float, ...], ...]
    """[metrics, estimators] products with the moments by cluster."""
    products: tuple[tuple[float, ...], ...]
    """[metrics, pairs]"""


@dataclass(frozen=True)
class CardCounts:
    """How many unknown cards had which belief, in bins."""

    cards: tuple[tuple[int, ...], tuple[int, ...]]
    """Cards not held, cards held; [bins] each."""
    total: tuple[float, ...]
    """[bins] sums of beliefs."""


@dataclass(frozen=True)
class BeliefCounts:
    """The shape of the counters of ``count_beliefs``."""

    games: int
    rounds: int
    turns: dict[str, Place]
    bands: dict[str, Place]
    cards: dict[str, dict[str, CardCounts]]
    """Estimator -> form -> what it believed of unknown cards."""


def count_beliefs(settings: BeliefSettings, shard: Shard) -> Counters:
    """Counters of all estimators over some games, in the shape of ``BeliefCounts``.

    For each turn and each band: moments and clusters, and by metric the sums of each estimator, those of
    products by cluster of pairs of estimators, and of each with the number of moments.
    """
    first, second = (make_player(spec) for spec in settings.players)
    games = range(settings.first + shard.games.start, settings.first + shard.games.stop)
    run = recorded(first, second, games, shard.rules, shard.seed)
    rounds = moments.in_order(run.rounds)
    estimators, names = settings.estimators, settings.metrics
    pairs, turns, values = [], [], []
    cards: Json = {spec: {} for spec in estimators}
    for side in HANDS[settings.hand]:
        seen = moments.views(rounds, side, shard.rules)
        rows = hands_of_ten(seen)
        pairs.append(rounds["game"][seen.round[rows]].astype(np.int64) // 2)
        turns.append(seen.turn[rows].astype(np.int64))
        part = np.empty((len(names), len(estimators), len(rows)))
        for e, spec in enumerate(estimators):
            beliefs = judged(spec, seen, rows, shard.seed)
            part[:, e] = [METRICS[name].score(beliefs) for name in names]
            cards[spec] = add_counts([cards[spec], _cards(beliefs)])
        values.append(part)
    at = np.concatenate(turns)
    clusters, found = np.concatenate(pairs), np.concatenate(values, axis=2)
    bands = {ALL: at >= 0} | {
        name: (at >= low) & (at <= (math.inf if high is None else high)) for name, low, high in settings.bands
    }

    def sums(chosen: npt.NDArray[np.bool_]) -> Json:
        return _sums(clusters[chosen], found[:, :, chosen], settings.pairs)

    return {
        "games": len(games),
        "rounds": len(rounds),
        "turns": {str(turn): sums(at == turn) for turn in np.unique(at)},
        "bands": {name: sums(chosen) for name, chosen in bands.items()},
        "cards": cards,
    }


def _sums(clusters: Ints, values: Floats, pairs: Sequence[tuple[int, int]]) -> Json:
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
    """How many unknown cards had which belief, and how many of them were held: raw and masked beliefs."""
    forms = {"raw": of.raw, "masked": of.masked}
    counted = {form: metrics.histogram(b, of.truth, of.known, bins=BINS) for form, b in forms.items()}
    return {form: {"cards": h.cards.tolist(), "total": h.total.tolist()} for form, h in counted.items()}


def _fits(at: Place, settings: BeliefSettings) -> bool:
    """Whether the counters of a turn or band have a place for each metric, estimator and pair."""
    estimators, pairs = len(settings.estimators), len(settings.pairs)
    shapes = [(at.sums, estimators), (at.crossed, estimators), (at.products, pairs)]
    sized = all([len(row) for row in sums] == [size] * len(settings.metrics) for sums, size in shapes)
    return sized and 0 <= at.clusters <= at.moments and (at.clusters > 0) == (at.moments > 0)


def _are_cards(cards: Mapping[str, Mapping[str, CardCounts]], settings: BeliefSettings) -> bool:
    """Whether every estimator has its bins, for raw and for masked beliefs."""
    forms = [cards.get(spec, {}).get(form) for spec in settings.estimators for form in ("raw", "masked")]
    return len(cards) == len(settings.estimators) and all(
        found is not None and {BINS} == {len(found.total), *map(len, found.cards)} for found in forms
    )


class Beliefs:
    """Counters of ``count_beliefs`` added up; gives means and differences."""

    def __init__(self, counters: Iterable[Counters], settings: BeliefSettings) -> None:
        """``settings`` must be those that the counters were made with: they name the places of the sums."""
        self.counts = added(BeliefCounts, counters)
        self.estimators, self.metrics = settings.estimators, settings.metrics
        self._places = {pair: place for place, pair in enumerate(settings.pairs)}
        for where, at in [*self.counts.turns.items(), *self.counts.bands.items()]:
            if not _fits(at, settings):
                raise BadInput(f"the counters of turns {where} do not fit their metrics and estimators")
        if self.counts.bands.keys() != {ALL, *(band.name for band in settings.bands)}:
            raise BadInput("the counters are not those of their bands of turns")
        if not _are_cards(self.counts.cards, settings):
            raise BadInput("the counters of cards do not fit their estimators and bins")

    @classmethod
    def of(cls, counted: Sequence[tuple[BeliefSettings, Counters]]) -> "Beliefs":
        """Counters added up, by the settings that came with them; differing settings are refused."""
        settings = counted[0][0]
        if not all(settings.same_places(other) for other, _ in counted):
            raise BadInput("counters with different estimators, metrics, bands or pairs cannot be added up")
        return cls((counts for _, counts in counted), settings)

    @property
    def turns(self) -> list[int]:
        """Every turn with two clusters or more; a single cluster has no error."""
        return sorted(int(turn) for turn, at in self.counts.turns.items() if at.clusters > 1)

    def moments(self, where: int | str = ALL) -> int:
        """How many moments there were at a turn or in a band."""
        return self._at(where).moments

    def clusters(self, where: int | str = ALL) -> int:
        """How many mirrored pairs of games they come from."""
        return self._at(where).clusters

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
        found = self.counts.cards[estimator][form]
        return metrics.calibration(metrics.Histogram(np.array(found.cards), np.array(found.total)))

    def _at(self, where: int | str) -> Place:
        return self.counts.bands[where] if isinstance(where, str) else self.counts.turns[str(where)]

    def _quotient(self, metric: str, weights: Mapping[str, float], where: int | str) -> Estimate:
        at, m = self._at(where), self.metrics.index(metric)
        size, clusters = at.moments, at.clusters
        if clusters < 2:
            raise BadInput(f"an error needs two clusters or more, not {clusters}")
        parts = [(self.estimators.index(name), weight) for name, weight in weights.items()]
        mean = sum(weight * at.sums[m][e] for e, weight in parts) / size
        square = mean * mean * at.squares
        square -= 2 * mean * sum(weight * at.crossed[m][e] for e, weight in parts)
        for e, u in parts:
            for f, v in parts:
                square += u * v * at.products[m][self._places[min(e, f), max(e, f)]]
        return Estimate(mean, math.sqrt(max(0.0, square) * clusters / (clusters - 1)) / size)


def settings(
    estimators: Sequence[str],
    players: Sequence[str] = ("simple", "simple"),
    hand: str = "both",
    *,
    metrics: Sequence[str] = SHOWN,
    bands: Sequence[Band] = STAGES,
    against: Sequence[str] | None = None,
    first: int = 0,
) -> BeliefSettings:
    """What ``count_beliefs`` is to judge, the bounds added.

    Differences are kept of all pairs of estimators; with ``against`` only those from the ones named there.
    ``first`` is the number of the first game: studies that are to be added up must not share their decks.
    """
    if first % 2:
        raise ValueError("a study begins with a whole mirrored pair")
    judged = (*estimators, *BOUNDS)
    kept = judged if against is None else against
    pairs = tuple(
        (e, f)
        for e, one in enumerate(judged)
        for f, other in enumerate(judged)
        if e == f or (e < f and (one in kept or other in kept))
    )
    one, other = players
    return BeliefSettings(judged, tuple(metrics), tuple(bands), (one, other), hand, pairs, first)


def compact(counts: Counters) -> Counters:
    """Counters as evidence keeps them: sums to ten digits."""
    return dict(counts) | {"turns": rounded(counts["turns"], 10), "bands": rounded(counts["bands"], 10)}


def rounded(found: Any, digits: int) -> Any:
    """Nested counters with every number that is not whole rounded to some digits."""
    if isinstance(found, dict):
        return {name: rounded(part, digits) for name, part in found.items()}
    if isinstance(found, list):
        return [rounded(part, digits) for part in found]
    return float(f"{found:.{digits}g}") if isinstance(found, float) else found
