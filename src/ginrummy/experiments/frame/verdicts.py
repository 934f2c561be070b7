"""Published numbers and claims beside ours, with verdicts that are computed, never typed in.

A value *differs* when the difference is significant after Holm's correction over the experiment's values. It
*agrees* when it is within the joint sampling error of both (95 %) and our interval is narrow enough to tell.
Otherwise it is *inconclusive*. A published interval stands for its centre, with the sampling error of its
games and the rounding of its ends. A claim is a list of statements "this quantity lies in this region". It
*holds* when every interval lies inside its region, and *does not hold* when one lies wholly outside.
Otherwise it is *inconclusive*. The intervals of one claim hold together at 95 % (Bonferroni).
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

from ginrummy import stats
from ginrummy.stats import Estimate, Unit
from ginrummy.typed import LEFT_OUT, write

Verdict = Literal["agrees", "differs", "holds", "does not hold", "inconclusive"]
WIDE = 0.02
"""Half-width of an interval beyond which a win rate cannot be said to agree."""
WIDE_SHARE = 0.05
"""The same for other numbers, as a share of the published one."""

Z90 = 1.6448536269514722


class Published(NamedTuple):
    """A number that a paper gives."""

    what: str
    value: float
    games: int | None
    """Games behind it, if known; they give its sampling error."""
    digit: float = 0.0001
    """Unit of the last digit given; rounding counts as an error too."""
    deviation: float | None = None
    """Standard deviation of one game; None: that of a win rate."""
    unit: Unit = "rate"
    of: str = "games"
    """What ``games`` counts."""
    interval: tuple[float, float] | None = None
    """The interval, where that is what the paper prints; ``value`` is its centre."""

    def estimate(self) -> Estimate:
        """The published number with its sampling and rounding error."""
        rounding = self.digit / math.sqrt(12)
        if self.games is None:
            return Estimate(self.value, rounding)
        one = math.sqrt(self.value * (1 - self.value)) if self.deviation is None else self.deviation
        return Estimate(self.value, math.hypot(one / math.sqrt(self.games), rounding))

    def like(self, ours: Estimate, size: int) -> "Published":
        """The same number with the spread of ours from ``size`` games, for use where its own is unknown."""
        return self._replace(deviation=ours.error * math.sqrt(size))


def published_interval(what: str, low: float, high: float, games: int | None = None) -> Published:
    """A win rate that is printed as a 90 % interval in whole percents.

    Where the number of games is not given it is the one that the interval's width implies.
    """
    centre = (low + high) / 2
    if games is None:
        games = round(centre * (1 - centre) * (2 * Z90 / (high - low)) ** 2)
    return Published(what, centre, games, 0.01, interval=(low, high))


class Statement(NamedTuple):
    """A quantity, and the open region in which a claim says that it lies."""

    text: str
    quantity: Estimate
    low: float = -math.inf
    high: float = math.inf
    unit: Unit = "rate"

    def truth(self, confidence: float) -> bool | None:
        """True when the interval is inside the region, False when outside, None when undecided."""
        low, high = self.quantity.interval(confidence)
        if self.low < low and high < self.high:
            return True
        return False if high <= self.low or low >= self.high else None

    def decided(self, confidence: float) -> "Number":
        """The statement with its interval and whether it is true."""
        low, high = self.quantity.interval(confidence)
        region = (
            None if math.isinf(self.low) else self.low,
            None if math.isinf(self.high) else self.high,
        )
        truth = self.truth(confidence)
        return Number(self.text, self.quantity.value, low, high, region, truth, self.unit)


def less(
    a: str,
    b: str,
    at: Mapping[str, Estimate],
    *,
    low: float = -math.inf,
    high: float = math.inf,
    unit: Unit = "rate",
) -> Statement:
    """A statement on the difference of two named quantities."""
    return Statement(f"{a} less {b}", at[a] - at[b], low, high, unit)


@dataclass(frozen=True, kw_only=True)
class Value:
    """A line of a comparison: a published number beside ours."""

    what: str
    """What the paper says."""
    compared: str
    """Which number of ours it is compared with."""
    verdict: Verdict
    published: float
    published_games: int | None
    ours: float
    low: float
    """Lower end of our interval, 95 % unless ``confidence`` says otherwise."""
    high: float
    unit: Unit
    wide: bool
    """Our interval is too wide to say that values agree."""
    p: float
    p_holm: float
    """Corrected for all values of the experiment, see ``finish``."""
    published_low: float | None = field(default=None, metadata=LEFT_OUT)
    """Lower end of the published interval, where there is one."""
    published_high: float | None = field(default=None, metadata=LEFT_OUT)
    published_of: str | None = field(default=None, metadata=LEFT_OUT)
    """What ``published_games`` counts, when not games."""
    confidence: float | None = field(default=None, metadata=LEFT_OUT)
    """Of ``low`` and ``high``, when not 0.95."""


@dataclass(frozen=True)
class Number:
    """A decided statement of a claim."""

    text: str
    value: float
    low: float
    """Lower end of the interval; all intervals of a claim hold together at 95 %."""
    high: float
    region: tuple[float | None, float | None]
    """Where the claim puts the number; None is unbounded."""
    true: bool | None
    unit: Unit = field(default="rate", metadata=LEFT_OUT)


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A line of a comparison: a claim in words, decided by its statements."""

    what: str
    compared: str
    verdict: Verdict
    numbers: tuple[Number, ...]
    note: str


Row = Value | Claim
"""One line of a comparison."""

_BLANK: dict[str, Any] = {
    "published": None,
    "published_games": None,
    "ours": None,
    "low": None,
    "high": None,
    "unit": "rate",
    "wide": False,
    "p": None,
    "p_holm": None,
    "numbers": [],
    "note": "",
}
"""What evidence has in the fields that only the other kind of row uses."""


def write_row(row: Row) -> dict[str, Any]:
    """A row as evidence keeps it: both kinds have the same keys."""
    own: dict[str, Any] = write(row)
    named = {"kind": "value" if isinstance(row, Value) else "claim"}
    return named | {key: own[key] for key in ("what", "compared", "verdict")} | _BLANK | own


def value(
    published: Published,
    compared: str,
    ours: Estimate,
    *,
    wide: float | None = None,
    wilson90: stats.Interval | None = None,
) -> Row:
    """A published number beside ours; ``finish`` decides the verdict when all p-values are known.

    ``wilson90`` is shown instead of our 95 % interval where the paper prints such intervals.
    """
    gap = ours - published.estimate()
    p = math.erfc(abs(gap.value) / gap.error / math.sqrt(2)) if gap.error else float(gap.value == 0)
    low, high = ours.interval()
    if wide is None:
        wide = WIDE if published.unit == "rate" else WIDE_SHARE * abs(published.value)
    ends = published.interval or (None, None)
    return Value(
        what=published.what,
        compared=compared,
        verdict="inconclusive",
        published=published.value,
        published_games=published.games,
        ours=ours.value,
        low=wilson90.low if wilson90 else low,
        high=wilson90.high if wilson90 else high,
        unit=published.unit,
        wide=(high - low) / 2 > wide,
        p=p,
        p_holm=p,
        published_low=ends[0],
        published_high=ends[1],
        published_of=published.of if published.of != "games" else None,
        confidence=0.9 if wilson90 else None,
    )


def claim(what: str, compared: str, statements: Sequence[Statement], note: str = "") -> Row:
    """A claim in words, decided by its statements."""
    if not statements:
        raise ValueError(f"the claim {what!r} has no statement that can fail")
    confidence = 1 - 0.05 / len(statements)
    numbers = tuple(statement.decided(confidence) for statement in statements)
    truths = [number.true for number in numbers]
    verdict: Verdict = "inconclusive"
    if False in truths:
        verdict = "does not hold"
    elif None not in truths:
        verdict = "holds"
    return Claim(what=what, compared=compared, verdict=verdict, numbers=numbers, note=note)


def finish(rows: Iterable[Row]) -> list[Row]:
    """The rows with the verdicts on values decided, by Holm's correction over all of them."""
    rows = list(rows)
    adjusted = iter(stats.holm([row.p for row in rows if isinstance(row, Value)]))
    done: list[Row] = []
    for row in rows:
        if isinstance(row, Value):
            p_holm = next(adjusted)
            verdict: Verdict = "inconclusive"
            if p_holm < 0.05:
                verdict = "differs"
            elif row.p >= 0.05 and not row.wide:
                verdict = "agrees"
            row = replace(row, p_holm=p_holm, verdict=verdict)
        done.append(row)
    return done
