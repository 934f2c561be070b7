"""When to stop a match: rules that may look at the results as often as they like.

An ordinary interval that is looked at again and again until it says what one hopes for is wrong far more
often than it admits. Here the evidence against a win rate is the capital of a gambler who bets on the
mirrored pairs, one after the other, in a game that is fair if that rate is the true one. However long he
plays, his capital reaches ``1 / alpha`` times the start with a chance of ``alpha`` at most (Ville's
inequality), so a look costs nothing. No normal approximation is made: a pair scores 0, 1/4, …, 1, and that is
all that is used.

Sources: Wald (1945) for the question; Waudby-Smith and Ramdas (2024), "Estimating means of bounded random
variables by betting", for the method. Differs: bets are fixed before the first game, a mixture of a few that
suit different spreads, so the capital follows from the five counts of pairs alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ginrummy.errors import BadInput
from ginrummy.stats import Interval

ALPHA = 0.05
"""The chance of a wrong answer, at most."""
RATES = np.arange(5) / 4
"""What a pair may score, in points of one game."""
VARIANCES = (0.25, 0.12, 0.06, 0.03, 0.015)
"""Variances of a pair's score that the bets suit. Two equal players have about 0.12, unequal ones less."""
SHARES = (0.1, 0.5, 0.2, 0.1, 0.1)
"""How much of the capital goes to the bets for each of them."""
LARGEST = 0.9
"""The greatest bet: a gambler who cannot lose all can go on."""


@dataclass(frozen=True)
class UntilInterval:
    """Play until the win rate is known to within ``percent`` percentage points on either side."""

    percent: float

    def __post_init__(self) -> None:
        if not 0.01 <= self.percent <= 50:
            raise BadInput(f"--until-ci takes percentage points from 0.01 to 50, not {self.percent:g}")

    def look(self, pairs: Sequence[int]) -> dict[str, Any] | None:
        """The answer, or None when more games are needed."""
        low, high = interval = confidence_sequence(pairs, self.percent / 100)
        return {"interval": list(interval)} if high - low <= 2 * self.percent / 100 else None

    def standing(self, pairs: Sequence[int]) -> dict[str, Any]:
        """The question, and what is known so far."""
        known = confidence_sequence(pairs, self.percent / 100)
        return {"rule": f"until-ci {self.percent:g}", "interval": list(known)}


@dataclass(frozen=True)
class Duel:
    """Play until it is known whether the win rate is above ``low`` or below ``high`` percent."""

    low: float
    high: float

    def __post_init__(self) -> None:
        if not 0 < self.low < self.high < 100:
            raise BadInput(
                f"--sprt takes two win rates in percent, the lower one first, not {self.low:g} {self.high:g}"
            )

    def look(self, pairs: Sequence[int]) -> dict[str, Any] | None:
        """The answer, or None when more games are needed."""
        against_low, against_high = self._evidence(pairs)
        bar = -math.log(ALPHA)
        if against_low >= bar:
            return {"answer": f"above {self.low:g} %"}
        return {"answer": f"below {self.high:g} %"} if against_high >= bar else None

    def standing(self, pairs: Sequence[int]) -> dict[str, Any]:
        """The question, and the logarithms of the evidence against either rate."""
        against_low, against_high = self._evidence(pairs)
        return {
            "rule": f"sprt {self.low:g} {self.high:g}",
            "log_evidence_against_low": against_low,
            "log_evidence_against_high": against_high,
        }

    def _evidence(self, pairs: Sequence[int]) -> tuple[float, float]:
        low, high = self.low / 100, self.high / 100
        gap = high - low
        return log_capital(pairs, low, gap), log_capital(list(reversed(pairs)), 1 - high, gap)


Rule = UntilInterval | Duel


def log_capital(pairs: Sequence[int], rate: float, gap: float) -> float:
    """The logarithm of the evidence against a win rate of ``rate`` or less, from counts of pairs by score.

    It is the capital, for a start of one, of a gambler who bets that the rate is ``gap`` higher. If the rate
    is ``rate`` or less, this ever reaches ``ln(1 / alpha)`` with a chance of ``alpha`` at most.
    """
    counts = np.asarray(pairs, np.float64)
    wins = np.log1p(_bets(gap)[:, None] * (RATES - rate)) @ counts
    return float(np.logaddexp.reduce(wins + np.log(SHARES)))


def confidence_sequence(pairs: Sequence[int], half: float, alpha: float = ALPHA) -> Interval:
    """An interval of the win rate that holds at all looks together with a chance of ``1 - alpha``.

    It is the tightest when it is about ``half`` wide on either side.
    """
    bar = math.log(2 / alpha)
    low = _edge(list(pairs), half, bar)
    return Interval(low, 1 - _edge(list(reversed(pairs)), half, bar))


def _edge(pairs: list[int], half: float, bar: float) -> float:
    """The greatest rate that is refuted from below; evidence falls as the rate rises."""
    low, high = 0.0, 1.0
    if log_capital(pairs, low, half) < bar:
        return 0.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if log_capital(pairs, middle, half) >= bar else (low, middle)
    return low


def _bets(gap: float) -> NDArray[np.float64]:
    """For each variance, the bet by which the capital grows fastest if the gap is the true one."""
    return np.minimum(gap / np.array(VARIANCES), LARGEST)
