"""The statistics behind every number the laboratory prints.

Wins are counted in points: a win is one, a drawn game half. scipy, statsmodels and choix do the
mathematics; they are imported where they are used, so that importing this module costs no more than numpy.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ginrummy.errors import BadInput

FloatArray: TypeAlias = NDArray[np.float64]

ELO = 400.0 / math.log(10.0)
"""Elo points per unit of log-odds: 400 points are odds of ten to one."""


class Interval(NamedTuple):
    """A confidence interval."""

    low: float
    high: float


Unit: TypeAlias = Literal["rate", "gain", "accuracy", "points", "count", "mean", "ratio", "loss", "belief"]
"""The kind of a number, which decides how it is written: a share in percent, a share with its sign, an
accuracy in percent, points of a game, a total, a mean of small numbers, a quotient, a loss, a loss of beliefs
to four places."""


class Estimate(NamedTuple):
    """A number with its standard error."""

    value: float
    error: float

    def interval(self, confidence: float = 0.95) -> Interval:
        """Normal interval."""
        from scipy.special import ndtri

        half = float(ndtri((1 + confidence) / 2)) * self.error
        return Interval(self.value - half, self.value + half)

    def __sub__(self, other: Estimate) -> Estimate:
        """Difference of two estimates, treated as independent although arms share their decks."""
        return Estimate(self.value - other.value, math.hypot(self.error, other.error))

    def __truediv__(self, other: Estimate) -> Estimate:
        """Quotient of two independent estimates, with its error to first order."""
        value = self.value / other.value
        return Estimate(value, math.hypot(self.error, value * other.error) / abs(other.value))

    def times(self, factor: float) -> Estimate:
        """A multiple."""
        return Estimate(self.value * factor, self.error * abs(factor))


class Ratings(NamedTuple):
    """Bradley-Terry ratings of P players on the Elo scale; they sum to zero."""

    rating: FloatArray  # [P] float64  strength relative to the mean of all players
    low: FloatArray  # [P] float64  lower end of the 95 % interval of `rating`
    high: FloatArray  # [P] float64  upper end


class SprtResult(NamedTuple):
    """What a sequential test says so far."""

    decision: Literal["accept p0", "accept p1", "continue"]
    llr: float
    """Log-likelihood ratio of p1 over p0."""


def wilson(wins: float, games: int, confidence: float = 0.90) -> Interval:
    """Wilson score interval for a win rate from independent games.

    ``wins`` may be fractional because a drawn game counts half. The formula is written out here because
    importing statsmodels takes longer than many matches; a test compares the two.
    """
    from scipy.special import ndtri

    _check_confidence(confidence)
    if games < 1 or not 0 <= wins <= games:
        raise BadInput(f"expected 0 <= wins <= games and at least one game, got {wins} of {games}")
    z2 = float(ndtri((1 + confidence) / 2)) ** 2
    rate = wins / games
    centre = (rate + z2 / (2 * games)) / (1 + z2 / games)
    half = math.sqrt(z2 * (rate * (1 - rate) + z2 / (4 * games)) / games) / (1 + z2 / games)
    return Interval(max(0.0, centre - half), min(1.0, centre + half))


def pair_interval(pair_scores: Sequence[int], confidence: float = 0.95) -> Interval:
    """Interval for A's win rate per game, clustered by mirrored pair.

    ``pair_scores[k]`` is the number of pairs in which A scored k/2 points of the two games, k = 0..4.
    The two games of a pair share their decks, so the pair is the unit: the interval is the mean of the
    pairs' rates with the t quantile for pairs - 1 degrees of freedom (for clusters of equal size this is the
    sandwich estimate), clipped to [0, 1].

    When every pair scored the same (a single pair is such a case) the sample says nothing about the spread.
    A rate in [0, 1] with mean p has variance p(1 - p) at most, so each pair then counts as a single trial:
    the result is the Wilson interval of the mean rate over the pairs, which tends to be too wide.
    """
    from scipy.special import stdtrit

    _check_confidence(confidence)
    counts = np.asarray(pair_scores, dtype=np.float64)
    if counts.shape != (5,) or bool(np.any(counts < 0)) or counts.sum() < 1:
        raise BadInput(f"expected five counts of pairs, not all zero, got {list(pair_scores)}")
    pairs = int(counts.sum())
    rates = np.arange(5) / 4
    mean = float(counts @ rates) / pairs
    if np.count_nonzero(counts) == 1:
        return wilson(mean * pairs, pairs, confidence)
    variance = float(counts @ (rates - mean) ** 2) / (pairs - 1)
    half = float(stdtrit(pairs - 1, (1 + confidence) / 2)) * math.sqrt(variance / pairs)
    return Interval(max(0.0, mean - half), min(1.0, mean + half))


def sign_test(wins: int, losses: int) -> float:
    """Two-sided exact p-value of "a win is as likely as a loss"; 1 when there is neither."""
    from scipy.special import bdtr

    if wins < 0 or losses < 0:
        raise BadInput(f"expected counts, got {wins} wins and {losses} losses")
    return min(1.0, 2 * float(bdtr(min(wins, losses), wins + losses, 0.5)))


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's adjusted p-values, in the order given: they bound the chance of one or more false findings."""
    if not all(0 <= p <= 1 for p in p_values):
        raise BadInput(f"expected p-values in [0, 1], got {list(p_values)}")
    if not p_values:
        return []
    from statsmodels.stats.multitest import multipletests

    return [float(p) for p in multipletests(p_values, method="holm")[1]]


def bradley_terry(points: ArrayLike) -> Ratings:
    """Ratings from a cross table: ``points[i, j]`` is what i scored against j (win 1, draw 1/2).

    Maximum likelihood by choix (iterative Luce spectral ranking), with intervals from the Fisher
    information, whose pseudo-inverse is the covariance of the ratings relative to their mean.

    Prior: one drawn game between every two players that met. It keeps the rating of a player that won or lost
    everything finite, and hardly matters among the hundreds of games of a real match. Games count as
    independent.
    """
    table = np.array(points, dtype=np.float64)
    if table.ndim != 2 or table.shape[0] != table.shape[1] or table.shape[0] < 2:
        raise BadInput(f"expected a square table of two players or more, got shape {table.shape}")
    if not np.all(np.isfinite(table)) or np.any(table < 0) or np.any(np.diag(table) != 0):
        raise BadInput("expected finite points of 0 or more, and zeros on the diagonal")
    met = (table + table.T) > 0
    _check_connected(met)

    from choix import ilsr_pairwise_dense

    table += 0.5 * met
    strength = np.asarray(ilsr_pairwise_dense(table, max_iter=10_000), dtype=np.float64)
    strength -= strength.mean()
    chance = 1 / (1 + np.exp(strength[None, :] - strength[:, None]))  # [P, P] i beats j
    weight = (table + table.T) * chance * (1 - chance)
    information = np.diag(weight.sum(axis=1)) - weight
    half = 1.959963984540054 * np.sqrt(np.diag(np.linalg.pinv(information, rcond=1e-9, hermitian=True)))
    return Ratings(ELO * strength, ELO * (strength - half), ELO * (strength + half))


def sprt(wins: int, losses: int, p0: float, p1: float, alpha: float = 0.05, beta: float = 0.05) -> SprtResult:
    """Wald's sequential test of win rate p0 against p1 > p0.

    ``alpha`` is the chance to accept p1 when p0 is true, ``beta`` the chance to accept p0 when p1 is true.
    Trials must be independent: count the mirrored pairs in which both games were won, or both lost; do not
    count the games of a pair one by one.
    """
    if not 0 < p0 < p1 < 1:
        raise BadInput(f"expected 0 < p0 < p1 < 1, got p0 = {p0}, p1 = {p1}")
    if not (0 < alpha < 0.5 and 0 < beta < 0.5):
        raise BadInput(f"expected alpha and beta between 0 and 0.5, got {alpha} and {beta}")
    if wins < 0 or losses < 0:
        raise BadInput(f"expected counts, got {wins} wins and {losses} losses")
    llr = wins * math.log(p1 / p0) + losses * math.log((1 - p1) / (1 - p0))
    if llr >= math.log((1 - beta) / alpha):
        return SprtResult("accept p1", llr)
    if llr <= math.log(beta / (1 - alpha)):
        return SprtResult("accept p0", llr)
    return SprtResult("continue", llr)


def paired_difference(x: ArrayLike, y: ArrayLike, confidence: float = 0.95) -> Interval:
    """Interval (Student's t) for the mean of ``x - y``; ``x[i]`` and ``y[i]`` come from the same chance.

    Rows that all differ by the same amount give an interval of width zero.
    """
    from scipy.special import stdtrit

    _check_confidence(confidence)
    a, b = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if a.ndim != 1 or a.shape != b.shape or a.size < 2:
        raise BadInput(f"expected two rows of one length, two values or more, got {a.shape} and {b.shape}")
    difference = a - b
    mean = float(difference.mean())
    error = float(difference.std(ddof=1)) / math.sqrt(a.size)
    half = float(stdtrit(a.size - 1, (1 + confidence) / 2)) * error
    return Interval(mean - half, mean + half)


def histogram_mean(histogram: Mapping[int, int]) -> float:
    """Mean of the values of a histogram kept as value -> count."""
    return sum(value * count for value, count in histogram.items()) / _total(histogram)


def histogram_median(histogram: Mapping[int, int]) -> float:
    """Median of a histogram kept as value -> count; for an even total, the mean of the middle two values."""
    total = _total(histogram)
    return (_ranked(histogram, (total - 1) // 2) + _ranked(histogram, total // 2)) / 2


def _ranked(histogram: Mapping[int, int], rank: int) -> int:
    """The value at place ``rank`` (from 0) of the sorted sample; ``rank`` is below the total."""
    seen = 0
    for value in sorted(histogram):
        seen += histogram[value]
        if seen > rank:
            break
    return value


def _total(histogram: Mapping[int, int]) -> int:
    if any(count < 0 for count in histogram.values()):
        raise BadInput("expected counts of 0 or more in the histogram")
    total = sum(histogram.values())
    if total == 0:
        raise BadInput("the histogram is empty")
    return total


def _check_confidence(confidence: float) -> None:
    if not 0 < confidence < 1:
        raise BadInput(f"expected a confidence between 0 and 1, got {confidence}")


def _check_connected(met: NDArray[np.bool_]) -> None:
    from scipy.sparse.csgraph import connected_components

    groups, label = connected_components(met, directed=False)
    if groups > 1:
        parts = " | ".join(", ".join(map(str, np.flatnonzero(label == g))) for g in range(groups))
        raise BadInput(f"players without a chain of games between them cannot be rated together: {parts}")
