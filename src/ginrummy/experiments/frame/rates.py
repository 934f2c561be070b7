"""Win rates and curves from the points of an experiment, seeds added up."""

import math
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from ginrummy import stats
from ginrummy.errors import BadInput
from ginrummy.experiments.frame.evidence import MatchPoint, Point
from ginrummy.stats import Estimate
from ginrummy.typed import Counters

Q = TypeVar("Q", MatchPoint, Point[Any])

Z95 = 1.959963984540054


def win_rate(pairs: Sequence[int]) -> Estimate:
    """Win rate with its error clustered by mirrored pair (see ``stats.pair_interval``)."""
    low, high = stats.pair_interval(pairs, 0.95)
    mean = sum(k * n for k, n in enumerate(pairs)) / (4 * sum(pairs))
    return Estimate(mean, max(mean - low, high - mean) / Z95)  # one end may be clipped


def in_rounds(point: MatchPoint) -> Counters:
    """What was counted in the rounds of a match."""
    if point.counts.in_rounds is None:
        raise BadInput(f"{point.series} on seed {point.seed} has no counters of rounds")
    return point.counts.in_rounds


def win_rates(points: Iterable[MatchPoint]) -> dict[tuple[str, str], Estimate]:
    """(player, opponent) -> win rate, seeds added up; every pair is there in both orders."""
    pairs: dict[tuple[str, str], list[int]] = {}
    for point in points:
        known = pairs.setdefault((point.player, point.opponent), [0] * 5)
        known[:] = [a + b for a, b in zip(known, point.counts.pairs, strict=True)]
    rates = {pairing: win_rate(n) for pairing, n in pairs.items()}
    return rates | {(b, a): Estimate(1 - rate.value, rate.error) for (a, b), rate in rates.items()}


def against_simple(points: Iterable[MatchPoint]) -> dict[str, Estimate]:
    """Player -> its win rate against the baseline player."""
    return {player: rate for (player, other), rate in win_rates(points).items() if other == "simple"}


def by_series(points: Iterable[Q]) -> dict[str, list[Q]]:
    """Series -> its points."""
    found: dict[str, list[Q]] = {}
    for point in points:
        found.setdefault(point.series, []).append(point)
    return found


def curves(points: Iterable[MatchPoint]) -> dict[str, dict[float, Estimate]]:
    """Series -> x -> win rate from the points of an experiment, seeds added up."""
    pairs: dict[str, dict[float, list[int]]] = {}
    for point in points:
        known = pairs.setdefault(point.series, {}).setdefault(point.x, [0] * 5)
        known[:] = [a + b for a, b in zip(known, point.counts.pairs, strict=True)]
    return {name: {x: win_rate(n) for x, n in sorted(by_x.items())} for name, by_x in pairs.items()}


def slope(points: Sequence[tuple[float, Estimate]]) -> Estimate:
    """Weighted least-squares slope of estimates over x, with its standard error."""
    weights = [1 / estimate.error**2 for _, estimate in points]
    centre = sum(w * x for w, (x, _) in zip(weights, points, strict=True)) / sum(weights)
    spread = sum(w * (x - centre) ** 2 for w, (x, _) in zip(weights, points, strict=True))
    rise = sum(w * (x - centre) * e.value for w, (x, e) in zip(weights, points, strict=True))
    return Estimate(rise / spread, 1 / math.sqrt(spread))
