"""Each statistic against its twin in scipy or statsmodels, or against simulation where there is none."""

from __future__ import annotations

import statistics
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize
from scipy import stats as sp
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

from ginrummy import stats


def test_import_is_light() -> None:
    root = str(Path(stats.__file__).parents[1])
    code = (
        f"import sys; sys.path.insert(0, {root!r}); import ginrummy.stats; "
        "print(any(m in sys.modules for m in ('scipy', 'statsmodels', 'choix')))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "False"


@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.99])
@pytest.mark.parametrize(
    ("wins", "games"), [(0, 1), (1, 1), (0, 50), (50, 50), (31, 50), (12.5, 40), (5210, 10_000)]
)
def test_wilson_equals_statsmodels(wins: float, games: int, confidence: float) -> None:
    low, high = proportion_confint(wins, games, alpha=1 - confidence, method="wilson")
    assert stats.wilson(wins, games, confidence) == pytest.approx((low, high), abs=1e-12)


@pytest.mark.parametrize(("wins", "games"), [(0, 0), (-1, 5), (6, 5), (float("nan"), 5)])
def test_wilson_refuses(wins: float, games: int) -> None:
    with pytest.raises(ValueError, match="at least one game"):
        stats.wilson(wins, games)


@pytest.mark.parametrize("confidence", [0.0, 1.0, 95.0])
def test_confidence_is_a_share(confidence: float) -> None:
    for call in (
        lambda: stats.wilson(1, 2, confidence),
        lambda: stats.pair_interval([1, 0, 2, 0, 1], confidence),
        lambda: stats.paired_difference([1, 2], [3, 5], confidence),
    ):
        with pytest.raises(ValueError, match="confidence"):
            call()


@given(st.lists(st.integers(0, 30), min_size=5, max_size=5).filter(lambda c: sum(n > 0 for n in c) > 1))
def test_pair_interval_is_the_t_interval_of_pair_rates(counts: list[int]) -> None:
    rates = np.repeat(np.arange(5) / 4, counts)
    low, high = sp.t.interval(0.95, rates.size - 1, rates.mean(), sp.sem(rates))
    assert stats.pair_interval(counts) == pytest.approx((max(0, low), min(1, high)), abs=1e-9)


def test_pair_interval_covers() -> None:
    """The two games of a pair share their decks and depend on each other; coverage must hold all the same."""
    rng = np.random.default_rng(5)
    runs, pairs = 3_000, 100
    chance = np.array([0.10, 0.05, 0.40, 0.10, 0.35])
    truth = float(chance @ np.arange(5) / 4)
    intervals = [stats.pair_interval(counts.tolist()) for counts in rng.multinomial(pairs, chance, size=runs)]
    covered = np.mean([low <= truth <= high for low, high in intervals])
    assert abs(covered - 0.95) < 0.015  # 3.8 standard errors of the simulation


def test_pair_interval_narrows_when_pairs_split() -> None:
    split = stats.pair_interval([5, 0, 90, 0, 5])
    swept = stats.pair_interval([45, 0, 10, 0, 45])
    low, high = stats.wilson(100, 200, 0.95)
    assert split.high - split.low < high - low < swept.high - swept.low


@pytest.mark.parametrize("score", range(5))
@pytest.mark.parametrize("pairs", [1, 2, 40])
def test_pair_interval_without_spread_counts_pairs_as_trials(score: int, pairs: int) -> None:
    counts = [0] * 5
    counts[score] = pairs
    low, high = stats.pair_interval(counts)
    assert (low, high) == stats.wilson(score / 4 * pairs, pairs, 0.95)
    assert low <= score / 4 <= high and high - low > 0.05


@pytest.mark.parametrize("counts", [[], [1, 2, 3], [0] * 5, [3, -1, 0, 0, 0], [1] * 6])
def test_pair_interval_refuses(counts: list[int]) -> None:
    with pytest.raises(ValueError, match="five counts"):
        stats.pair_interval(counts)


@given(st.integers(0, 400), st.integers(0, 400))
def test_sign_test_equals_binomtest(wins: int, losses: int) -> None:
    expected = sp.binomtest(wins, wins + losses).pvalue if wins + losses else 1.0
    assert stats.sign_test(wins, losses) == pytest.approx(expected, rel=1e-9, abs=1e-300)


def test_sign_test_refuses_negative_counts() -> None:
    with pytest.raises(ValueError, match="counts"):
        stats.sign_test(3, -1)


@settings(max_examples=10)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_is_the_step_down_rule(p_values: list[float]) -> None:
    adjusted, greatest = [0.0] * len(p_values), 0.0
    for place, i in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        greatest = max(greatest, (len(p_values) - place) * p_values[i])
        adjusted[i] = min(1.0, greatest)
    assert stats.holm(p_values) == pytest.approx(adjusted)


def test_holm_edges() -> None:
    p_values = [0.01, 0.04, 0.03, 0.005, 0.9]
    assert stats.holm(p_values) == list(multipletests(p_values, method="holm")[1])
    assert stats.holm([]) == []
    with pytest.raises(ValueError, match="p-values"):
        stats.holm([0.2, 1.5])


def _tables(rng: np.random.Generator, rating: np.ndarray, games: np.ndarray, runs: int) -> np.ndarray:
    """Simulated cross tables [runs, P, P] of players with known ratings; ``games`` [P, P] is symmetric."""
    chance = 1 / (1 + 10 ** ((rating[None, :] - rating[:, None]) / 400))
    upper = np.triu(rng.binomial(games, chance, size=(runs, *games.shape)), 1).astype(float)
    return upper + np.swapaxes(np.triu(games, 1) - upper, 1, 2) * np.tril(np.ones_like(games), -1)


def test_bradley_terry_recovers_known_ratings() -> None:
    rating = np.array([-150.0, -40.0, 0.0, 30.0, 160.0])
    games = np.full((5, 5), 100_000) - np.diag([100_000] * 5)
    found = stats.bradley_terry(_tables(np.random.default_rng(1), rating, games, 1)[0])
    assert found.rating == pytest.approx(rating, abs=2.5)
    assert np.all(found.low < found.rating) and np.all(found.rating < found.high)
    assert found.rating.sum() == pytest.approx(0, abs=1e-9)


def test_bradley_terry_intervals_cover() -> None:
    """An uneven schedule with absent pairings: the intervals still hold the truth 95 times in 100."""
    rating = np.array([-120.0, 20.0, 40.0, 60.0])
    games = np.array([[0, 60, 200, 0], [60, 0, 120, 300], [200, 120, 0, 0], [0, 300, 0, 0]])
    found = [stats.bradley_terry(t) for t in _tables(np.random.default_rng(2), rating, games, 1_500)]
    covered = np.mean([(r.low <= rating) & (rating <= r.high) for r in found], axis=0)
    assert covered == pytest.approx([0.95] * 4, abs=0.02)


def test_bradley_terry_maximises_the_likelihood() -> None:
    points = np.array([[0, 40.5, 22], [19.5, 0, 31], [8, 14, 0]])
    table = points + 0.5 * (1 - np.eye(3))

    def loss(s: np.ndarray) -> float:
        return float((table * np.logaddexp(0, s[None, :] - s[:, None])).sum() + s.sum() ** 2)

    best = optimize.minimize(loss, np.zeros(3), tol=1e-10).x
    assert stats.bradley_terry(points).rating == pytest.approx(stats.ELO * best, abs=0.05)


def test_bradley_terry_of_two_players_is_the_log_odds() -> None:
    found = stats.bradley_terry([[0, 299.5], [99.5, 0]])
    assert found.rating[0] - found.rating[1] == pytest.approx(400 * np.log10(3))
    spread = 400 / np.log(10) / np.sqrt(400 * 0.75 * 0.25) / 2  # half the difference: distance to the mean
    assert (found.high - found.rating) / 1.959964 == pytest.approx([spread] * 2, rel=1e-6)


def test_bradley_terry_keeps_a_clean_sweep_finite() -> None:
    found = stats.bradley_terry([[0, 1000, 1000], [0, 0, 500], [0, 500, 0]])
    assert np.all(np.isfinite(found))
    assert found.rating[0] > found.rating[1] + 1000
    assert found.rating[1] == pytest.approx(found.rating[2], abs=1e-6)


def test_bradley_terry_along_a_chain() -> None:
    points = np.zeros((12, 12))
    for i in range(11):
        points[i, i + 1], points[i + 1, i] = 70, 30
    gaps = -np.diff(stats.bradley_terry(points).rating)
    assert gaps == pytest.approx([400 * np.log10(70.5 / 30.5)] * 11, abs=1e-3)


def test_bradley_terry_names_the_parts_of_a_split_field() -> None:
    points = np.zeros((4, 4))
    points[0, 2] = points[3, 1] = 5
    with pytest.raises(ValueError, match=r"0, 2 \| 1, 3"):
        stats.bradley_terry(points)


@pytest.mark.parametrize(
    "points",
    [[[0]], [[0, 1, 2], [1, 0, 2]], [[0, -1], [3, 0]], [[0, float("nan")], [3, 0]], [[2, 1], [1, 0]]],
)
def test_bradley_terry_refuses(points: list[list[float]]) -> None:
    with pytest.raises(ValueError, match="expected"):
        stats.bradley_terry(points)


def test_sprt_decides_at_walds_bounds() -> None:
    step = np.log(0.55 / 0.5), np.log(0.45 / 0.5)
    result = stats.sprt(300, 250, 0.5, 0.55)
    assert result == ("continue", pytest.approx(300 * step[0] + 250 * step[1]))
    assert stats.sprt(60, 20, 0.5, 0.55).decision == "accept p1"
    assert stats.sprt(20, 60, 0.5, 0.55).decision == "accept p0"
    assert stats.sprt(0, 0, 0.5, 0.55) == ("continue", 0.0)


@pytest.mark.parametrize(("truth", "wrong"), [(0.5, "accept p1"), (0.6, "accept p0")])
def test_sprt_errs_as_rarely_as_promised(truth: float, wrong: str) -> None:
    rng = np.random.default_rng(3)
    errors = 0
    for _ in range(400):
        won = np.cumsum(rng.random(3_000) < truth)
        for n in range(1, 3_001):
            decision = stats.sprt(int(won[n - 1]), n - int(won[n - 1]), 0.5, 0.6).decision
            if decision != "continue":
                break
        errors += decision == wrong
    assert errors <= 32  # at most 5 % of 400, and 2.8 standard errors


@pytest.mark.parametrize(
    "values",
    [
        (1, 1, 0.5, 0.5, 0.05, 0.05),
        (1, 1, 0.0, 0.5, 0.05, 0.05),
        (1, 1, 0.4, 0.5, 0.6, 0.05),
        (-1, 1, 0.4, 0.5, 0.05, 0.05),
    ],
)
def test_sprt_refuses(values: tuple[int, int, float, float, float, float]) -> None:
    with pytest.raises(ValueError, match="expected"):
        stats.sprt(*values)


def test_paired_difference_equals_the_paired_t_test() -> None:
    rng = np.random.default_rng(4)
    x, y = rng.normal(1, 2, 30), rng.normal(0, 1, 30)
    interval = sp.ttest_rel(x, y).confidence_interval(0.9)
    assert stats.paired_difference(x, y, 0.9) == pytest.approx((interval.low, interval.high))
    assert stats.paired_difference([3, 4, 5], [1, 2, 3]) == (2.0, 2.0)


@pytest.mark.parametrize(("x", "y"), [([1.0], [2.0]), ([1.0, 2.0], [1.0]), ([[1.0, 2.0]], [[1.0, 2.0]])])
def test_paired_difference_refuses(x: list[float], y: list[float]) -> None:
    with pytest.raises(ValueError, match="expected two rows"):
        stats.paired_difference(x, y)


@given(st.lists(st.integers(-200, 200), min_size=1))
def test_histograms_agree_with_the_sample(sample: list[int]) -> None:
    histogram = {value: sample.count(value) for value in [*sample, 999]}
    assert stats.histogram_mean(histogram) == pytest.approx(statistics.fmean(sample))
    assert stats.histogram_median(histogram) == statistics.median(sample)


@pytest.mark.parametrize("histogram", [{}, {3: 0}, {3: 2, 4: -1}])
def test_histograms_refuse(histogram: dict[int, int]) -> None:
    for call in (stats.histogram_mean, stats.histogram_median):
        with pytest.raises(ValueError, match="histogram"):
            call(histogram)
