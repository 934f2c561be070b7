"""Published numbers and claims beside ours, with verdicts that are computed, never typed in.

A value *differs* when the difference is significant after Holm's correction over the experiment's values,
*agrees* when it is within the joint sampling error of both (95 %) and our interval is narrow enough to tell,
and is else *inconclusive*. A claim is a list of statements "this quantity lies in this region". It *holds*
when every interval lies inside its region, *does not hold* when one lies wholly outside, and is else
*inconclusive*; the intervals of one claim hold together at 95 % (Bonferroni).
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, NamedTuple

from ginrummy import stats

Json = dict[str, Any]
Verdict = Literal["agrees", "differs", "holds", "does not hold", "inconclusive"]

WIDE = 0.02
"""Half-width of an interval beyond which a win rate cannot be said to agree."""

Z95 = 1.959963984540054


class Estimate(NamedTuple):
    """A number with its standard error."""

    value: float
    error: float

    def interval(self, confidence: float = 0.95) -> stats.Interval:
        """Normal interval."""
        from scipy.special import ndtri

        half = float(ndtri((1 + confidence) / 2)) * self.error
        return stats.Interval(self.value - half, self.value + half)

    def __sub__(self, other: "Estimate") -> "Estimate":
        """Difference of two estimates, taken as independent although arms share their decks."""
        return Estimate(self.value - other.value, math.hypot(self.error, other.error))


class Published(NamedTuple):
    """A number that a paper gives."""

    what: str
    value: float
    games: int | None
    """Games behind it, if known: its sampling error counts."""
    digit: float = 0.0001
    """Unit of the last digit given: rounding counts as error too."""
    deviation: float | None = None
    """Standard deviation of one game; None: that of a win rate."""
    unit: Literal["rate", "points"] = "rate"

    def estimate(self) -> Estimate:
        """The published number with its sampling and rounding error."""
        rounding = self.digit / math.sqrt(12)
        if self.games is None:
            return Estimate(self.value, rounding)
        one = self.deviation or math.sqrt(self.value * (1 - self.value))
        return Estimate(self.value, math.hypot(one / math.sqrt(self.games), rounding))


class Statement(NamedTuple):
    """A quantity, and the open region in which a claim says that it lies."""

    text: str
    quantity: Estimate
    low: float = -math.inf
    high: float = math.inf

    def truth(self, confidence: float) -> bool | None:
        """True when the interval is inside the region, False when outside, None when it cannot be told."""
        low, high = self.quantity.interval(confidence)
        if self.low < low and high < self.high:
            return True
        return False if high <= self.low or low >= self.high else None


@dataclass(frozen=True)
class Row:
    """One line of a comparison."""

    kind: Literal["value", "claim"]
    what: str
    """What the paper says."""
    compared: str
    """What of ours is held against it, and how."""
    verdict: Verdict
    published: float | None = None
    published_games: int | None = None
    ours: float | None = None
    low: float | None = None
    """Lower end of our 95 % interval."""
    high: float | None = None
    unit: str = "rate"
    wide: bool = False
    """Our interval is too wide to say that values agree."""
    p: float | None = None
    p_holm: float | None = None
    numbers: tuple[Json, ...] = ()
    """The statements of a claim: text, value, simultaneous interval, region, truth."""
    note: str = ""


def value(published: Published, compared: str, ours: Estimate, *, wide: float = WIDE) -> Row:
    """A published number beside ours; the verdict comes when all p-values of the experiment are known."""
    gap = ours - published.estimate()
    p = math.erfc(abs(gap.value) / gap.error / math.sqrt(2)) if gap.error else float(gap.value == 0)
    low, high = ours.interval()
    return Row(
        "value",
        published.what,
        compared,
        "inconclusive",
        published.value,
        published.games,
        ours.value,
        low,
        high,
        published.unit,
        (high - low) / 2 > wide,
        p,
    )


def claim(what: str, compared: str, statements: Sequence[Statement], note: str = "") -> Row:
    """A claim in words, decided by its statements."""
    if not statements:
        raise ValueError(f"the claim {what!r} has no statement that can fail")
    confidence = 1 - 0.05 / len(statements)
    truths = [statement.truth(confidence) for statement in statements]
    numbers = []
    for statement, truth in zip(statements, truths, strict=True):
        low, high = statement.quantity.interval(confidence)
        region = [None if math.isinf(end) else end for end in (statement.low, statement.high)]
        numbers.append(
            {
                "text": statement.text,
                "value": statement.quantity.value,
                "low": low,
                "high": high,
                "region": region,
                "true": truth,
            }
        )
    verdict: Verdict = "inconclusive"
    if False in truths:
        verdict = "does not hold"
    elif None not in truths:
        verdict = "holds"
    return Row("claim", what, compared, verdict, numbers=tuple(numbers), note=note)


def finish(rows: Iterable[Row]) -> list[Json]:
    """Rows as JSON, the verdicts on values decided with Holm's correction over all of them."""
    rows = list(rows)
    values = [row for row in rows if row.p is not None]
    adjusted = iter(stats.holm([row.p for row in values if row.p is not None]))
    done = []
    for row in rows:
        if row.p is not None:
            p_holm = next(adjusted)
            verdict: Verdict = "inconclusive"
            if p_holm < 0.05:
                verdict = "differs"
            elif row.p >= 0.05 and not row.wide:
                verdict = "agrees"
            row = replace(row, p_holm=p_holm, verdict=verdict)
        done.append({**asdict(row), "numbers": list(row.numbers)})
    return done


def win_rate(pairs: Sequence[int]) -> Estimate:
    """Win rate with its error clustered by mirrored pair (see ``stats.pair_interval``)."""
    low, high = stats.pair_interval(pairs, 0.95)
    mean = sum(k * n for k, n in enumerate(pairs)) / (4 * sum(pairs))
    return Estimate(mean, max(mean - low, high - mean) / Z95)  # one end may be clipped


def curves(points: Iterable[Json]) -> dict[str, dict[float, Estimate]]:
    """Series -> x -> win rate from the points of an experiment, seeds added up."""
    pairs: dict[str, dict[float, list[int]]] = {}
    for point in points:
        known = pairs.setdefault(point["series"], {}).setdefault(point["x"], [0] * 5)
        known[:] = [a + b for a, b in zip(known, point["counts"]["pairs"], strict=True)]
    return {name: {x: win_rate(n) for x, n in sorted(by_x.items())} for name, by_x in pairs.items()}


def slope(points: Sequence[tuple[float, Estimate]]) -> Estimate:
    """Weighted least-squares slope of estimates over x, with its standard error."""
    weights = [1 / estimate.error**2 for _, estimate in points]
    centre = sum(w * x for w, (x, _) in zip(weights, points, strict=True)) / sum(weights)
    spread = sum(w * (x - centre) ** 2 for w, (x, _) in zip(weights, points, strict=True))
    rise = sum(w * (x - centre) * e.value for w, (x, e) in zip(weights, points, strict=True))
    return Estimate(rise / spread, 1 / math.sqrt(spread))
