"""Published numbers and claims beside ours, with verdicts that are computed, never typed in.

A value is judged by two tests, and by nothing but its own numbers, so the same comparison has the same
verdict wherever it is shown. *Equivalence*: our 95 % interval lies inside the published value plus or minus a
margin (``MARGINS``). *Difference*: the distance is significant at 1 % (``LEVEL``), given the sampling errors
of both and the rounding of the published number. The four outcomes:

    equivalent, no difference    agrees
    equivalent, a difference     close: the two are not the same, and nearer than the margin
    not equivalent, difference   differs
    neither                      inconclusive: too few games to tell

A published interval stands for its centre, with the sampling error of its games and the rounding of its ends.

A claim is a list of statements "this quantity lies in this region". It *holds* when every interval lies
inside its region, and *does not hold* when one lies wholly outside. Otherwise it is *inconclusive*. The
intervals of one claim hold together at 95 % (Bonferroni).

A number or claim may be compared under several *readings* of what the paper leaves open. All are shown, and
the first one counts (``counted``).
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

from ginrummy.stats import Estimate, Unit
from ginrummy.typed import LEFT_OUT, write

Verdict = Literal["agrees", "close", "differs", "holds", "does not hold", "inconclusive"]
LEVEL = 0.01
"""Significance of a difference. One comparison in a hundred differs by chance alone."""
MARGINS: dict[Unit, float] = {"rate": 0.02, "gain": 0.02, "accuracy": 0.01, "points": 2.0}
"""Unit -> how far apart equivalent values may be: win rates, accuracies of beliefs, points of a game."""
MARGIN_SHARE = 0.05
"""The same for all other units, as a share of the published number."""

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
    measured: bool = False
    """Our own measurement of the authors' program: printed in no paper, and not counted as published."""

    def margin(self) -> float:
        """How far from it an equivalent value may be: never less than its last digit can tell."""
        return max(MARGINS.get(self.unit, MARGIN_SHARE * abs(self.value)), self.digit)

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
    """Lower end of our 95 % interval."""
    high: float
    unit: Unit
    margin: float
    """How far from the published number our interval may reach."""
    p: float
    """Of the difference."""
    published_low: float | None = field(default=None, metadata=LEFT_OUT)
    """Lower end of the published interval, where there is one."""
    published_high: float | None = field(default=None, metadata=LEFT_OUT)
    published_of: str | None = field(default=None, metadata=LEFT_OUT)
    """What ``published_games`` counts, when not games."""
    measured: bool = field(default=False, metadata=LEFT_OUT)
    """See ``Published.measured``."""
    reading: str = field(default="", metadata=LEFT_OUT)
    """Under which reading of the text, where several are compared."""

    @property
    def ours_alone(self) -> bool:
        """Whether the paper says nothing of it."""
        return self.measured


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
    reading: str = field(default="", metadata=LEFT_OUT)
    """Under which reading of the text, where several are compared."""

    @property
    def ours_alone(self) -> bool:
        """Whether the paper says nothing of it: our own questions, checks and reasons."""
        return self.what.startswith(("ours:", "check:", "reason:")) or "(ours)" in self.what


Row = Value | Claim
"""One line of a comparison."""

_BLANK: dict[str, Any] = {
    "published": None,
    "published_games": None,
    "ours": None,
    "low": None,
    "high": None,
    "unit": "rate",
    "margin": None,
    "p": None,
    "numbers": [],
    "note": "",
}
"""What evidence has in the fields that only the other kind of row uses."""


def write_row(row: Row) -> dict[str, Any]:
    """A row as evidence keeps it: both kinds have the same keys."""
    own: dict[str, Any] = write(row)
    named = {"kind": "value" if isinstance(row, Value) else "claim"}
    return named | {key: own[key] for key in ("what", "compared", "verdict")} | _BLANK | own


def value(published: Published, compared: str, ours: Estimate, *, reading: str = "") -> Row:
    """A published number beside ours, judged by both tests."""
    gap = ours - published.estimate()
    p = math.erfc(abs(gap.value) / gap.error / math.sqrt(2)) if gap.error else float(gap.value == 0)
    (low, high), margin = ours.interval(), published.margin()
    equivalent = published.value - margin <= low and high <= published.value + margin
    if equivalent:
        verdict: Verdict = "agrees" if p >= LEVEL else "close"
    else:
        verdict = "differs" if p < LEVEL else "inconclusive"
    ends = published.interval or (None, None)
    return Value(
        what=published.what,
        compared=compared,
        verdict=verdict,
        published=published.value,
        published_games=published.games,
        ours=ours.value,
        low=low,
        high=high,
        unit=published.unit,
        margin=margin,
        p=p,
        published_low=ends[0],
        published_high=ends[1],
        published_of=published.of if published.of != "games" else None,
        measured=published.measured,
        reading=reading,
    )


def claim(
    what: str, compared: str, statements: Sequence[Statement], note: str = "", *, reading: str = ""
) -> Row:
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
    return Claim(what=what, compared=compared, verdict=verdict, numbers=numbers, note=note, reading=reading)


def beats(winner: str, loser: str, rate: Estimate) -> Row:
    """Our claim that one player beats another; ``rate`` is its win rate."""
    statement = Statement(f"{winner} against {loser}", rate, low=0.5)
    return claim(f"ours: {winner} beats {loser}", "win rate above one half", [statement])


def reread(row: Row, reading: str) -> Row:
    """The same comparison under another reading: a summary that has counted the first leaves it out."""
    return replace(row, reading=reading)


def counted(rows: Iterable[Row], known: Iterable[str] = ()) -> list[Row]:
    """The rows that a summary counts: of each published number and of each claim the first.

    ``known`` has what earlier experiments of the paper have counted. A claim without a reading is never one
    of those, even where its words are the same: it is about this experiment.
    """
    before, seen, found = set(known), set(), []
    for row in rows:
        again = row.what in before and (isinstance(row, Value) or bool(row.reading))
        if not again and row.what not in seen:
            seen.add(row.what)
            found.append(row)
    return found
