"""Published numbers and claims beside ours, with verdicts that are computed, never typed in.

A value *differs* when the difference is significant after Holm's correction over the experiment's values,
*agrees* when it is within the joint sampling error of both (95 %) and our interval is narrow enough to tell,
and is else *inconclusive*. A published interval stands for its centre, with the sampling error of its games
and the rounding of its ends. A claim is a list of statements "this quantity lies in this region". It *holds*
when every interval lies inside its region, *does not hold* when one lies wholly outside, and is else
*inconclusive*; the intervals of one claim hold together at 95 % (Bonferroni).
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, NamedTuple

from ginrummy import stats
from ginrummy.stats import Estimate, Unit

Json = dict[str, Any]
Verdict = Literal["agrees", "differs", "holds", "does not hold", "inconclusive"]
WIDE = 0.02
"""Half-width of an interval beyond which a win rate cannot be said to agree."""
WIDE_SHARE = 0.05
"""The same for other numbers, as a share of the published one."""

Z95 = 1.959963984540054
Z90 = 1.6448536269514722


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
        """The same number; where its spread is unknown, that of ours from ``size`` games stands in for it."""
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
        """True when the interval is inside the region, False when outside, None when it cannot be told."""
        low, high = self.quantity.interval(confidence)
        if self.low < low and high < self.high:
            return True
        return False if high <= self.low or low >= self.high else None


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
    """Lower end of our interval, 95 % unless ``confidence`` says otherwise."""
    high: float | None = None
    unit: str = "rate"
    wide: bool = False
    """Our interval is too wide to say that values agree."""
    p: float | None = None
    p_holm: float | None = None
    numbers: tuple[Json, ...] = ()
    """The statements of a claim: text, value, simultaneous interval, region, truth."""
    note: str = ""
    published_low: float | None = None
    """Lower end of the published interval, where there is one."""
    published_high: float | None = None
    published_of: str | None = None
    """What ``published_games`` counts, when not games."""
    confidence: float | None = None
    """Of ``low`` and ``high``, when not 0.95."""


_SELDOM = ("published_low", "published_high", "published_of", "confidence")
"""Written to evidence only where they say something."""


def value(
    published: Published,
    compared: str,
    ours: Estimate,
    *,
    wide: float | None = None,
    wilson90: stats.Interval | None = None,
) -> Row:
    """A published number beside ours; the verdict comes when all p-values of the experiment are known.

    ``wilson90`` is shown in the place of our 95 % interval, beside a paper that prints such intervals.
    """
    gap = ours - published.estimate()
    p = math.erfc(abs(gap.value) / gap.error / math.sqrt(2)) if gap.error else float(gap.value == 0)
    low, high = ours.interval()
    if wide is None:
        wide = WIDE if published.unit == "rate" else WIDE_SHARE * abs(published.value)
    ends = published.interval or (None, None)
    return Row(
        "value",
        published.what,
        compared,
        "inconclusive",
        published.value,
        published.games,
        ours.value,
        wilson90.low if wilson90 else low,
        wilson90.high if wilson90 else high,
        published.unit,
        (high - low) / 2 > wide,
        p,
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
                **({"unit": statement.unit} if statement.unit != "rate" else {}),
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
        said = {k: v for k, v in asdict(row).items() if k not in _SELDOM or v is not None}
        done.append({**said, "numbers": list(row.numbers)})
    return done


def win_rate(pairs: Sequence[int]) -> Estimate:
    """Win rate with its error clustered by mirrored pair (see ``stats.pair_interval``)."""
    low, high = stats.pair_interval(pairs, 0.95)
    mean = sum(k * n for k, n in enumerate(pairs)) / (4 * sum(pairs))
    return Estimate(mean, max(mean - low, high - mean) / Z95)  # one end may be clipped


def wilson90(points: Iterable[Json]) -> stats.Interval:
    """Wilson's 90 % interval of a win rate, all points together."""
    counts = [point["counts"] for point in points]
    games = sum(count["games"] for count in counts)
    lead = sum(count["wins"][0] - count["wins"][1] for count in counts)
    return stats.wilson((games + lead) / 2, games, 0.90)


def win_rates(points: Iterable[Json]) -> dict[tuple[str, str], Estimate]:
    """(player, opponent) -> win rate from the points of an experiment, seeds added up; both ways round."""
    pairs: dict[tuple[str, str], list[int]] = {}
    for point in points:
        known = pairs.setdefault((point["player"], point["opponent"]), [0] * 5)
        known[:] = [a + b for a, b in zip(known, point["counts"]["pairs"], strict=True)]
    rates = {pairing: win_rate(n) for pairing, n in pairs.items()}
    return rates | {(b, a): Estimate(1 - rate.value, rate.error) for (a, b), rate in rates.items()}


def against_simple(points: Iterable[Json]) -> dict[str, Estimate]:
    """Player -> its win rate against the baseline player."""
    return {player: rate for (player, other), rate in win_rates(points).items() if other == "simple"}


def by_series(points: Iterable[Json]) -> dict[str, list[Json]]:
    """Series -> its points."""
    found: dict[str, list[Json]] = {}
    for point in points:
        found.setdefault(point["series"], []).append(point)
    return found


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
