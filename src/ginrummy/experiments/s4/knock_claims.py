"""What paper S4 says about knocking, and how each sentence is tested.

The best of many settings is biased upward by its own luck. So the poster's .57 for the best of 825 is
compared twice: with the greatest of our 825, which has the same luck, and with the published setting on fresh
decks, which has none.
"""

from collections.abc import Sequence
from typing import NamedTuple

from ginrummy.experiments.frame.drawings import Cell
from ginrummy.experiments.frame.evidence import Arm, MatchPoint, Scale
from ginrummy.experiments.frame.rates import curves, win_rates
from ginrummy.experiments.frame.search import Played
from ginrummy.experiments.frame.verdicts import Published, Row, Statement, claim, value
from ginrummy.stats import Estimate

THRESHOLDS = tuple(range(11))
GIN_ONLY = "simple:knock_at=0"
SIZES: dict[Scale, int] = {"smoke": 40, "full": 2_000}
GAMES = 2_000
FLAT = 0.01
"""How far below the best setting another may be and still count as good."""


class Setting(NamedTuple):
    """A two-stage limit: alpha_k0 before own turn alpha_k2, alpha_k1 from it on."""

    early: int
    late: int
    change: int

    def text(self) -> str:
        """As the poster writes it."""
        return f"({self.early}, {self.late}, {self.change})"


PUBLISHED = Setting(10, 0, 6)
BEST = Published("the highest win rate of the 825 settings, at (10, 0, 6)", 0.57, GAMES, 0.01)


def one_stage(limit: int) -> str:
    """The baseline player with one limit."""
    return f"simple:knock_at={limit}"


def two_stage(setting: Setting) -> str:
    """The baseline player with a two-stage limit."""
    early, late, change = setting
    return f"simple:knock_at={late},knock_early={early},knock_change={change}"


def one_stage_rows(points: list[MatchPoint]) -> list[Row]:
    """Gin only against every other limit, and the order of the limits."""
    rates = {int(own): {int(x): rate for x, rate in row.items()} for own, row in curves(points).items()}
    means = {own: _mean([row[x] for x in row if x != own]) for own, row in rates.items()}
    unlike = max(abs(rates[a][b].value + rates[b][a].value - 1) for a in rates for b in rates)
    order = sorted(means, key=lambda own: -means[own].value)
    found = ", ".join(f"{own}: {means[own].value:.1%}" for own in order)
    return [
        claim(
            "the best one-stage limit is 0: knock only on gin",
            "limit 0 wins more than half its games against each other limit",
            [Statement(f"0 against {x}", rates[0][x], low=0.5) for x in THRESHOLDS[1:]],
            f"Mean win rate against the other ten limits: {found}.",
            reading="121 pairings",
        ),
        claim(
            "the best one-stage limit is 0, by the mean over all opponents",
            "mean win rate of limit 0 against the other ten above that of every other limit",
            [Statement(f"0 less {x}", means[0] - means[x], low=0) for x in THRESHOLDS[1:]],
        ),
        claim(
            "a higher limit is worse throughout (ours)",
            "each limit wins more than half its games against the next higher one",
            [Statement(f"{x} against {x + 1}", rates[x][x + 1], low=0.5) for x in THRESHOLDS[:-1]],
            "A pairing and the same the other way round share their decks and differ by broken ties alone "
            f"(by {unlike:.1%} at most): they say the same thing twice.",
        ),
    ]


def gin_rows(points: list[MatchPoint]) -> list[Row]:
    """The claim of the 121 pairings with more games."""
    (rates,) = curves(points).values()
    return [
        claim(
            "the best one-stage limit is 0: knock only on gin",
            "limit 0 wins more than half its games against each other limit",
            [Statement(f"0 against {x:g}", rate, low=0.5) for x, rate in rates.items()],
            reading="more games",
        )
    ]


def _mean(rates: Sequence[Estimate]) -> Estimate:
    error = sum(rate.error**2 for rate in rates) ** 0.5
    return Estimate(sum(rate.value for rate in rates) / len(rates), error / len(rates))


def two_stage_rows(grid: Sequence[Setting], stages: Sequence[Played]) -> list[Row]:
    """The grid, and what is left of its best on fresh decks."""
    names = {two_stage(setting): setting for setting in grid}
    first, again, last = (stage.rates() for stage in stages)
    top, winner, published = stages[0].best(), stages[1].best(), two_stage(PUBLISHED)
    rank = 1 + sum(rate.value > first[published].value for rate in first.values())
    ten = sorted(again, key=lambda spec: -again[spec].value)[:10]
    listed = ", ".join(f"{names[spec].text()} {again[spec].value:.1%}" for spec in ten)
    return [
        value(
            BEST,
            f"the greatest of our 825, at {names[top].text()}; the best of many, as published",
            first[top],
        ),
        value(BEST, "ours at (10, 0, 6) on fresh decks, without the luck of a choice", last[published]),
        claim(
            "the two-stage decider is better than the best one-stage one, gin only",
            f"win rate of {names[winner].text()}, chosen on two earlier seeds, above one half on a third",
            [Statement(f"{names[winner].text()}, less one half", _gain(last[winner]), 0, unit="gain")],
            f"The interval is free of the winner's curse: {stages[2].games:,} games on seed "
            f"{stages[2].seed}, which chose nothing. In the grid this setting won {first[winner].value:.2%}.",
        ),
        claim(
            "(10, 0, 6) is the best setting",
            "none of the best others of the second stage is a point or more above it on the third seed",
            [
                Statement(
                    f"{names[spec].text()} less (10, 0, 6)", rate - last[published], high=FLAT, unit="gain"
                )
                for spec, rate in last.items()
                if spec != published
            ],
            f"In the grid (10, 0, 6) is number {rank} of {len(grid)}. On fresh decks: {listed}.",
        ),
        claim(
            "check: the best of the grid is lucky",
            "the greatest win rate of the grid is above that of the same setting on fresh decks",
            [
                Statement(
                    f"{names[top].text()}, grid less fresh decks", first[top] - again[top], 0, unit="gain"
                )
            ],
        ),
        claim(
            "an early limit of 10 and a late limit of 0 are best together (ours)",
            "mean win rate of the settings (10, 0, x) in the grid above that of all others",
            [
                Statement(
                    "mean of (10, 0, x) less mean of all other settings",
                    _mean([first[spec] for spec, s in names.items() if (s.early, s.late) == (10, 0)])
                    - _mean([first[spec] for spec, s in names.items() if (s.early, s.late) != (10, 0)]),
                    0,
                    unit="gain",
                )
            ],
        ),
    ]


def _gain(rate: Estimate) -> Estimate:
    return Estimate(rate.value - 0.5, rate.error)


def heat_map_rows(points: list[MatchPoint]) -> list[Row]:
    """Where the heat map is warm."""
    rates = {
        int(early): {int(late): rate for late, rate in row.items()} for early, row in curves(points).items()
    }
    late_0 = [(early, rates[early][0]) for early in sorted(rates)]
    flat = {(early, late): rate for early, row in rates.items() for late, rate in row.items()}
    best = max(flat, key=lambda place: flat[place].value)
    gap = flat[best] - flat[10, 0] if best != (10, 0) else Estimate(0.0, flat[best].error)
    return [
        claim(
            "with alpha_k2 = 8, too, an early limit of 10 and a late limit of 0 are best",
            "no other cell is a point or more above (10, 0)",
            [Statement(f"({best[0]}, {best[1]}) less (10, 0)", gap, high=FLAT, unit="gain")],
        ),
        claim(
            "the higher the early limit, the better, with a late limit of 0",
            "(10, 0) above (1, 0) and above (5, 0)",
            [
                Statement(f"(10, 0) less ({early}, 0)", late_0[-1][1] - rate, 0, unit="gain")
                for early, rate in late_0
                if early in (1, 5)
            ],
        ),
        claim(
            "a late limit above 0 costs",
            "with an early limit of 10, each late limit from 3 on is worse than 0",
            [
                Statement(f"(10, 0) less (10, {late})", rates[10][0] - rates[10][late], 0, unit="gain")
                for late in range(3, 10)
            ],
        ),
    ]


COLUMNS = (
    "gin only against at once",
    "early, then gin, against at once",
    "early, then gin, against gin only",
)
RULES: dict[str, tuple[str, str, str]] = {
    "the baseline player, two stages (10, 0, 6) (S4)": ("simple", GIN_ONLY, two_stage(PUBLISHED)),
    "hand-strength, its four turns (S2)": (
        "hand-strength:knock=10",
        "hand-strength:knock=0",
        "hand-strength:knock=10/10/10/10/0",
    ),
    "hand-strength:profile=code, its three turns (S2)": (
        "hand-strength:profile=code,knock=10",
        "hand-strength:profile=code,knock=0",
        "hand-strength:profile=code,knock=10/10/10/0",
    ),
    "ensemble, two stages (10, 0, 6) (S4)": (
        "ensemble:knock_early=10,knock_late=10",
        "ensemble:knock_early=0,knock_late=0",
        "ensemble:knock_early=10,knock_late=0,knock_turn=6",
    ),
}
"""Player -> the same with each rule: at once; gin only; early, then gin."""
NETWORK = {"knock network of the baseline player, threshold 1.0 (S0)": ("simple", "knocking:knock=1")}
"""Player -> at once; gin only. S0's network has no early stage."""


def rule_arms() -> list[Arm]:
    """Every rule of every player against the same player with another rule."""
    arms = []
    for name, (at_once, gin, early) in RULES.items():
        for x, (player, other) in enumerate(((gin, at_once), (early, at_once), (early, gin))):
            arms.append(Arm(name, float(x), player, other))
    return [*arms, *(Arm(name, 0.0, gin, at_once) for name, (at_once, gin) in NETWORK.items())]


def rule_cells(points: list[MatchPoint]) -> list[Cell]:
    """A row for each player, a column for each comparison of rules."""
    return [
        Cell(name, COLUMNS[int(x)], rate, "rate")
        for name, row in curves(points).items()
        for x, rate in row.items()
    ]


def rule_rows(points: list[MatchPoint]) -> list[Row]:
    """The same finding in every player, and the same size in S0 and S4."""
    rates = curves(points)
    by_pairing = win_rates(points)
    gin = by_pairing[GIN_ONLY, "simple"]
    (network,) = (by_pairing[player, other] for other, player in NETWORK.values())
    rows = [
        claim(
            claimed,
            f"{column}: win rate above one half for every player that has the rules",
            [Statement(name, row[x], low=0.5) for name, row in rates.items() if x in row],
        )
        for x, claimed, column in (
            (0.0, "gin only is better than knocking at once", COLUMNS[0]),
            (1.0, "early, then gin, is better than knocking at once", COLUMNS[1]),
            (2.0, "early, then gin, is better than gin only", COLUMNS[2]),
        )
    ]
    return [
        *rows,
        claim(
            "S0's threshold of 1.0 is gin only",
            "its win rate against the baseline within one point of that of gin only",
            [Statement("network at 1.0 less gin only", network - gin, -FLAT, FLAT, unit="gain")],
        ),
    ]
