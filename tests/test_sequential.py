"""Rules that end a match: however often they look, they are wrong no more often than they say."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from ginrummy import sequential
from ginrummy.counting import Plan
from ginrummy.errors import BadInput
from ginrummy.rules import EAAI
from ginrummy.sequential import ALPHA, Duel, UntilInterval, confidence_sequence, log_capital
from ginrummy.stats import pair_interval
from ginrummy.tournament import match

RATES = np.arange(5) / 4
MATCHES = 400
LOOKS, EACH = 60, 50
"""Looks at a match, and pairs between two of them."""
EVEN = np.array([0.25, 0.0, 0.5, 0.0, 0.25])
"""Pairs of two equal players whose games are independent."""


def shifted(mean: float) -> np.ndarray:
    """The same spread, about, with another mean."""
    p = mean
    return np.array([(1 - p) ** 2, 0.0, 2 * p * (1 - p), 0.0, p * p])


def simulated(chances: np.ndarray, matches: int = MATCHES, seed: int = 1) -> np.ndarray:
    """[matches, looks, 5] counts of pairs so far."""
    rng = np.random.default_rng(seed)
    return rng.multinomial(EACH, chances, size=(matches, LOOKS)).cumsum(axis=1)


def too_often(wrong: int, matches: int = MATCHES) -> bool:
    """Whether a share is above alpha by more than chance explains (three standard errors)."""
    return wrong / matches > ALPHA + 3 * math.sqrt(ALPHA * (1 - ALPHA) / matches)


def leaves_out(rate: float, pairs: np.ndarray, half: float) -> bool:
    """Whether a rate is not in the interval: it is refuted from one side or the other."""
    bar = math.log(2 / ALPHA)
    return log_capital(pairs, rate, half) >= bar or log_capital(pairs[::-1], 1 - rate, half) >= bar


@pytest.mark.parametrize("mean", [0.5, 0.62, 0.9])
def test_the_interval_holds_at_all_looks_together(mean: float) -> None:
    chances = shifted(mean)
    found = simulated(chances)
    wrong = sum(any(leaves_out(mean, pairs, 0.02) for pairs in looks) for looks in found)
    assert not too_often(wrong)
    for pairs in found[:5, 10]:
        low, high = confidence_sequence(pairs, 0.02)
        for rate in (low - 0.001, low + 0.001, mean, high - 0.001, high + 0.001):
            assert leaves_out(rate, pairs, 0.02) == (not low <= rate <= high)


def test_the_ordinary_interval_does_not() -> None:
    """The same looks at the interval for one look: it is wrong several times as often as it says."""
    wrong = 0
    for looks in simulated(EVEN):
        wrong += any(not low <= 0.5 <= high for low, high in (pair_interval(pairs) for pairs in looks))
    assert too_often(wrong) and wrong / MATCHES > 3 * ALPHA


@pytest.mark.parametrize(("mean", "wrong_answer"), [(0.50, "above 50 %"), (0.56, "below 56 %")])
def test_a_duel_is_answered_wrongly_with_a_chance_of_five_percent_at_most(
    mean: float, wrong_answer: str
) -> None:
    rule = Duel(50, 56)
    answers = [
        next((found["answer"] for pairs in looks if (found := rule.look(pairs))), "none")
        for looks in simulated(shifted(mean), seed=2)
    ]
    assert not too_often(answers.count(wrong_answer))
    assert answers.count("none") < 0.1 * MATCHES  # it does answer


def test_bets_are_fair_against_the_rate_that_they_test() -> None:
    """The expected capital after a pair is one at the rate itself, and less below it: Ville's condition."""
    for gap in (0.005, 0.02, 0.2):
        for rate, chances in ((0.5, EVEN), (0.62, shifted(0.62))):
            capital = [math.exp(log_capital(np.eye(5, dtype=int)[k], rate, gap)) for k in range(5)]
            assert float(chances @ capital) == pytest.approx(1.0)
            below = [math.exp(log_capital(np.eye(5, dtype=int)[k], rate + 0.05, gap)) for k in range(5)]
            assert float(chances @ below) < 1


def test_sides_are_treated_alike() -> None:
    pairs = [10, 3, 40, 5, 31]
    low, high = confidence_sequence(pairs, 0.02)
    assert confidence_sequence(pairs[::-1], 0.02) == pytest.approx((1 - high, 1 - low))
    assert confidence_sequence([0, 0, 0, 0, 1], 0.01) == (0.0, 1.0)


def test_a_match_ends_when_the_question_is_answered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever plays the shards: the same games count."""
    monkeypatch.setenv("GINRUMMY_STATE", str(tmp_path))
    found = []
    for workers in (1, 2):
        plan = Plan(40_000, 3, EAAI, workers=workers)
        found.append(match("simple", "random", plan, until=UntilInterval(2)))
        assert list(tmp_path.iterdir()) == []
    one, two = (
        {**result, "seconds": 0, "provenance": 0, "decision_ms_mean_a": 0, "decision_ms_mean_b": 0}
        for result in found
    )
    assert one == two
    assert one["games"] < 40_000 and one["stopped"]["answered"]
    low, high = one["stopped"]["interval"]
    assert high - low <= 0.04 and json.dumps(one)


def test_a_question_may_stay_open(tmp_path: Path) -> None:
    result = match("simple", "simple", Plan(4000, 3, EAAI, journal=tmp_path / "j"), until=Duel(49.9, 50.1))
    assert not result["stopped"]["answered"] and result["games"] == 4000 and "answer" not in result["stopped"]
    stopped = match("simple", "simple", Plan(4000, 3, EAAI, journal=tmp_path / "j"), until=Duel(30, 40))
    assert stopped["stopped"]["answer"] == "above 30 %" and stopped["games"] == 2000  # the same journal


@pytest.mark.parametrize("wrong", [lambda: UntilInterval(0), lambda: Duel(52, 50), lambda: Duel(0, 50)])
def test_senseless_questions_are_refused(wrong) -> None:
    with pytest.raises(BadInput):
        wrong()


def test_shares_of_the_bets_add_up() -> None:
    assert sum(sequential.SHARES) == pytest.approx(1) and len(sequential.SHARES) == len(sequential.VARIANCES)
