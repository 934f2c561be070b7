"""Paper S3, figures 3 to 5: when the learned strategy knocks, by deadwood and by stock, under two bonuses.

Source: Goldstein, Astudillo Guerra, Haigh, Cruz Ulloa and Blum, "Extracting Learned Discard and Knocking
Strategies from a Gin Rummy Bot", EAAI 2021. The numbers come from the trained files of ``train knock-stock``:
12.5 million hands for each rule set, as published, and a second training of 500,000 with other chance.

The paper does not say over what its probabilities are averaged. Two readings: over the *decisions* that come
up when the strategy is played, and over the *infosets* of the table, each counted once. Claims are tested by
decisions; the factor between the rule sets is given for both. Gin is left out: it is always laid down.

Numbers are those of the first training. Their errors come from the differences between both trainings, pooled
over the numbers of one kind; the variance of a training is taken to fall with the number of its hands.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from io import BytesIO
from typing import Any

import numpy as np
import numpy.typing as npt

from ginrummy import artefacts
from ginrummy.experiments.frame.drawings import Curves, ShareMap
from ginrummy.experiments.frame.evidence import Point, Subject
from ginrummy.experiments.frame.experiment import Facts
from ginrummy.experiments.frame.rates import slope
from ginrummy.experiments.frame.verdicts import Published, Row, Statement, claim, value
from ginrummy.stats import Estimate
from ginrummy.typed import Counters

Floats = npt.NDArray[np.float64]

BONUSES = {"eaai": "25 for gin, 25 for an undercut", "uk": "20 for gin, 10 for an undercut"}
"""Rule set -> what it is called."""
FILES = ("knock-stock.npz", "knock-stock-2.npz")
"""The training, and a second one with other chance."""
SIZES = (12_500_000, 500_000)
"""Their hands."""
FULL = 31
"""Stock cards after the deal."""
DEADWOODS = range(1, 11)
LOW = 0.08
"""The probability below which the paper calls knocking over."""
FIRST_LOW = {"eaai": 8, "uk": 17}
"""Stock cards gone when the published probability has fallen below it."""


@dataclass(frozen=True)
class Table:
    """One learned table."""

    file: str
    rules: str


def summed(table: Table) -> Counters:
    """A table summed up by deadwood 0 to 10 and stock 0 to 31, over the opponent's lowest discard."""
    with np.load(BytesIO(artefacts.load(table.file))) as file:
        knock, share, visits = (file[f"{table.rules}_{key}"] for key in ("knock", "share", "visits"))
        course = {key: file[f"{table.rules}_course_{key}"] for key in ("rounds", "regret", "change")}
    known = np.where(np.isnan(knock), 0.0, knock).astype(np.float64)
    return {
        "rounds": int(artefacts.record(table.file)["made_from"]["rounds"]),
        "decisions": _listed(share.sum(axis=2), 8),
        "knocks": _listed((share * known).sum(axis=2), 8),
        "cells": (visits > 0).sum(axis=2).tolist(),
        "chances": _listed(known.sum(axis=2), 4),
        "visits": visits.sum(axis=2).tolist(),
        "course": {key: [float(f"{x:.6g}") for x in part] for key, part in course.items()},
    }


def _listed(numbers: npt.NDArray[Any], digits: int) -> list[list[float]]:
    return [[round(float(x), digits) for x in row] for row in numbers]


@dataclass(frozen=True)
class Learned:
    """Both trainings of a rule set, ready to be asked for probabilities."""

    decisions: list[Floats]  # of each training: [11, 32] shares of all decisions
    knocks: list[Floats]  # [11, 32] the same, times the probability to knock
    cells: list[Floats]  # [11, 32] infosets that came up
    chances: list[Floats]  # [11, 32] sum of their probabilities

    def both(self, rows: Any, columns: Any, infosets: bool = False) -> tuple[float, float]:
        """The probability over some deadwoods and stock sizes, in each training."""
        parts = zip(*((self.chances, self.cells) if infosets else (self.knocks, self.decisions)), strict=True)
        first, second = (
            float(top[np.ix_(rows, columns)].sum() / max(whole[np.ix_(rows, columns)].sum(), 1e-300))
            for top, whole in parts
        )
        return first, second


def learned(points: list[Point[Table]]) -> dict[str, Learned]:
    """Rule set -> its two trainings."""
    found = {}
    for rules in BONUSES:
        own = [point.counts for point in points if point.settings.rules == rules]
        found[rules] = Learned(
            *([np.array(counts[key], np.float64) for counts in own] for key in
              ("decisions", "knocks", "cells", "chances"))
        )  # fmt: skip
    return found


def pooled(pairs: Mapping[Any, tuple[float, float]]) -> dict[Any, Estimate]:
    """The numbers of the first training; their error is taken from all differences to the second."""
    part = SIZES[1] / sum(SIZES)
    error = float(np.sqrt(part * np.mean([(a - b) ** 2 for a, b in pairs.values()])))
    return {key: Estimate(a, error) for key, (a, _) in pairs.items()}


STOCKS = list(range(2, FULL + 1))


def by_deadwood(points: list[Point[Table]], infosets: bool = False) -> dict[str, dict[float, Estimate]]:
    """Rule set -> deadwood -> probability to knock."""
    return {
        rules: pooled({float(d): found.both([d], STOCKS, infosets) for d in DEADWOODS})
        for rules, found in learned(points).items()
    }


def by_draws(points: list[Point[Table]], rules: str) -> dict[float, Estimate]:
    """Stock cards gone -> probability to knock, all deadwoods together, while decisions come up."""
    found = learned(points)[rules]
    gone = [g for g in range(FULL - 1) if found.decisions[0][1:, FULL - g].sum() > 1e-6]
    return pooled({float(g): found.both(list(DEADWOODS), [FULL - g]) for g in gone})


def _mean(curve: Mapping[float, Estimate]) -> Estimate:
    """The mean of independent estimates."""
    n = len(curve)
    return Estimate(
        sum(e.value for e in curve.values()) / n, float(np.sqrt(sum(e.error**2 for e in curve.values()))) / n
    )


def fig3(points: list[Point[Table]]) -> list[Row]:
    """By deadwood."""
    decided, plain = by_deadwood(points), by_deadwood(points, infosets=True)
    us, uk = decided["eaai"], decided["uk"]
    factor = Published(
        "how many times more often a player knocks at 20 and 10, averaged over the deadwoods", 11, None, 1,
        unit="ratio",
    )  # fmt: skip
    return [
        value(factor, "by decisions", _mean(uk) / _mean(us)),
        value(factor, "by infosets", _mean(plain["uk"]) / _mean(plain["eaai"])),
        claim(
            "under either bonus configuration a player should not knock most of the time",
            "probability below one half at every deadwood from 1 to 10",
            [
                Statement(f"deadwood {d:g}, {BONUSES[rules]}", e, high=0.5)
                for rules, curve in decided.items()
                for d, e in curve.items()
            ],
        ),
        claim(
            "the probability of knocking decreases as the deadwood decreases",
            "it rises with the deadwood: slope above zero, and ten above one",
            [
                *(
                    Statement(f"slope by point, {BONUSES[r]}", slope(list(c.items())), low=0, unit="gain")
                    for r, c in decided.items()
                ),
                *(
                    Statement(f"10 less 1, {BONUSES[r]}", c[10.0] - c[1.0], low=0, unit="gain")
                    for r, c in decided.items()
                ),
            ],
        ),
        claim(
            "under the smaller undercut bonus a player knocks more often",
            "20 and 10 less 25 and 25 above zero at every deadwood",
            [Statement(f"deadwood {d:g}", uk[d] - us[d], low=0, unit="gain") for d in us],
        ),
    ]


def _surface_claims(rules: str) -> Callable[[list[Point[Table]]], list[Row]]:
    def compare(points: list[Point[Table]]) -> list[Row]:
        found, curve = learned(points)[rules], by_draws(points, rules)
        early = [FULL - g for g in range(1, 5)]
        parts = pooled(
            {
                "8 to 10": found.both([8, 9, 10], early),
                "1 to 4": found.both([1, 2, 3, 4], early),
                "5 to 7": found.both([5, 6, 7], early),
            }
        )
        limit = FIRST_LOW[rules]
        fallen = [_first_below(found, n) for n in range(2)]
        ours = Estimate(fallen[0], max(abs(fallen[0] - fallen[1]) / 2, 0.5))
        drawn = Published(
            f"stock cards gone when the probability has fallen below {LOW:g} for good, rules {rules}",
            limit, None, 1, unit="count",
        )  # fmt: skip
        after = pooled(
            {
                f"{low} to {high} stock cards gone": found.both(
                    list(DEADWOODS), [FULL - g for g in range(low, high + 1)]
                )
                for low, high in ((limit, limit + 2), (limit + 3, limit + 5), (limit + 6, 28))
            }
        )
        return [
            value(drawn, "all deadwoods together, by decisions", ours),
            claim(
                "a player is likely to knock early with larger amounts of deadwood",
                "one to four stock cards gone, deadwood 8 to 10: above one half",
                [Statement("deadwood 8 to 10", parts["8 to 10"], low=0.5)],
            ),
            claim(
                "even in the early stages a player with smaller deadwood is less likely to knock",
                "one to four stock cards gone: differences above zero",
                [
                    Statement("8 to 10 less 1 to 4", parts["8 to 10"] - parts["1 to 4"], low=0, unit="gain"),
                    Statement("8 to 10 less 5 to 7", parts["8 to 10"] - parts["5 to 7"], low=0, unit="gain"),
                ],
            ),
            claim(
                "as the stock falls a player becomes less likely to knock",
                "slope by stock cards gone below zero",
                [Statement("slope by card", slope(list(curve.items())), high=0, unit="gain")],
            ),
            claim(
                f"once {limit} cards have been drawn from the stock the probability is below {LOW:g}",
                "all deadwoods together, by decisions",
                [Statement(name, e, high=LOW) for name, e in after.items()],
                f"Ours is below one half for good when {_first_below(found, 0, 0.5):g} cards are gone.",
            ),
        ]

    return compare


def _first_below(found: Learned, training: int, level: float = LOW) -> float:
    """Stock cards gone when the probability of one training has fallen below a level for good."""
    for gone in range(FULL - 3, -1, -1):
        if found.decisions[training][1:, FULL - gone].sum() > 1e-6:
            at = found.both(list(DEADWOODS), [FULL - gone])[training]
            if at >= level:
                return float(gone + 1)
    return 0.0


def surface(points: list[Point[Table]], rules: str) -> list[list[float | None]]:
    """Deadwood 10 to 1 by stock cards gone, 0 to 28: the probability, None where no decision comes up."""
    found = learned(points)[rules]
    rows: list[list[float | None]] = []
    for deadwood in reversed(DEADWOODS):
        row: list[float | None] = []
        for gone in range(FULL - 2):
            seen = float(found.decisions[0][deadwood, FULL - gone])
            row.append(found.both([deadwood], [FULL - gone])[0] if seen > 1e-6 else None)
        rows.append(row)
    return rows


def _lines(points: list[Point[Table]]) -> dict[str, dict[float, Estimate]]:
    decided, plain = by_deadwood(points), by_deadwood(points, infosets=True)
    return {f"{name}, by decisions": decided[rules] for rules, name in BONUSES.items()} | {
        f"{name}, by infosets": plain[rules] for rules, name in BONUSES.items()
    }


_SUBJECTS = tuple(
    Subject(f"{BONUSES[rules]}, {which}", Table(file, rules))
    for file, which in zip(FILES, ("first training", "second training"), strict=True)
    for rules in BONUSES
)
_MEASURES = (
    "of the average strategy of outcome-sampling regret minimisation (epsilon 0.6, 12.5 million hands, "
    "one-turn discards) over deadwood, stock size and lowest opponent discard, from the trained file. A "
    "second training of 500,000 hands says how sure the numbers are."
)


def _figure(number: int, title: str, measures: str, compare: Any, drawing: Any) -> Facts[Table]:
    return Facts(
        id=f"S3-fig{number}",
        paper="S3",
        title=title,
        measures=f"{measures} {_MEASURES}",
        subjects=_SUBJECTS,
        settings=Table,
        work=summed,
        compare_points=compare,
        drawing=drawing,
    )


def _heat_map(rules: str) -> ShareMap:
    return ShareMap(
        across="stock cards gone",
        down="deadwood",
        columns=tuple(map(str, range(FULL - 2))),
        rows=tuple(map(str, reversed(DEADWOODS))),
        shares=lambda points: surface(points, rules),
        quantity="probability to knock",
    )


FIGURES = (
    _figure(
        3,
        "Figure 3: knocking by deadwood",
        "Probability to knock by deadwood under both bonus rules,",
        fig3,
        Curves("deadwood", lines=_lines, quantity="probability to knock", level=None),
    ),
    _figure(
        4,
        "Figure 4: knocking by deadwood and stock, 25 and 25",
        "Probability to knock by deadwood and stock cards gone with 25 for gin and undercut,",
        _surface_claims("eaai"),
        _heat_map("eaai"),
    ),
    _figure(
        5,
        "Figure 5: knocking by deadwood and stock, 20 and 10",
        "Probability to knock by deadwood and stock cards gone with 20 for gin and 10 for an undercut,",
        _surface_claims("uk"),
        _heat_map("uk"),
    ),
)

EXPERIMENTS = {figure.id: figure for figure in FIGURES}
