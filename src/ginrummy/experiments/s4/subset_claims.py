"""What paper S4 says about its subsets and weights, and how each sentence is tested."""

from itertools import product

from ginrummy.experiments.frame.drawings import Cells, Curves, HeatMap
from ginrummy.experiments.frame.evidence import Arm, MatchPoint, Point, Scale, Subject
from ginrummy.experiments.frame.experiment import SEED_OFFSET, Matches
from ginrummy.experiments.frame.rates import curves, slope
from ginrummy.experiments.frame.search import Search, played
from ginrummy.experiments.frame.verdicts import Published, Row, Statement, claim, value
from ginrummy.experiments.s4.subsets import (
    OPPONENT,
    PLAYER,
    SEARCH,
    WEIGHTS,
    Path,
    SubsetSearch,
    next_stage,
    path,
    spec_of,
)
from ginrummy.players.ensemble import POSTER
from ginrummy.specs import named
from ginrummy.stats import Estimate

GAMES = 5_000
BASE = Published("win rate of the base values", 0.701, GAMES, 0.001)
FIRST = Published("win rate of the best values after iteration 1", 0.739, GAMES, 0.001)
DEADWOOD = ("w_deadwood", "w_turn", "w_known")
FLAT = 0.01
"""How far below the best another setting may be and still count as good."""
NEAR = 0.02
"""The same for a cell of 5,000 games, whose interval is wider."""
TARGET = 0.73
SIZES: dict[Scale, int] = {"smoke": 40, "full": GAMES}


def _path(points: list[Point[SubsetSearch]]) -> Path:
    (point,) = points
    return path(point.settings, played(point, next_stage))


def subset_rows(points: list[Point[SubsetSearch]]) -> list[Row]:
    """The path from the base values, the lucky numbers of the grids beside those of fresh decks."""
    (point,) = points
    found = _path(points)
    assert found.last is not None
    rates = found.last.rates()
    base = spec_of(point.settings, {})
    first, winner = found.checks[0].after, found.winner
    lucky = next(step for step in found.steps if step.subset == "weights" and step.iteration == 1).grid
    top = lucky.rates()[lucky.best()]
    checks = [
        f"iteration {check.iteration}: {_gain_text(check.played.rates(), check.before, check.after)}"
        for check in found.checks
        if check.played
    ]
    games = f"{found.last.games:,} games on seed {found.last.seed}, which chose nothing"
    more = rates[winner] - rates[first] if winner != first else Estimate(0.0, rates[first].error)
    return [
        value(BASE, "our base values (ours are guesses too)", rates[base]),
        value(FIRST, "the greatest of our last grid of iteration 1; the best of many, as published", top),
        value(FIRST, "what iteration 1 chose, on fresh decks", rates[first]),
        claim(
            "tuning one subset after another helps",
            "what iteration 1 chose wins more than the base values, on fresh decks",
            [Statement("iteration 1 less base", rates[first] - rates[base], 0, unit="gain")],
            f"Measured on {games}. The path: {_path_text(found)}.",
        ),
        claim(
            "further iterations help (ours)",
            "the winner wins more than what iteration 1 chose, on fresh decks",
            [Statement("winner less iteration 1", more, 0, unit="gain")],
            f"Gains on the fresh decks of each check: {'; '.join(checks)}. The search ends with the first "
            f"iteration that gains less than {point.settings.helps:.1%}.",
        ),
        claim(
            f"the tuned player wins {TARGET:.0%} or more against the baseline (ours)",
            "win rate of the winner on fresh decks",
            [Statement(winner, rates[winner], low=TARGET)],
            f"Measured on {games}.",
        ),
        claim(
            "a combined weight of 0.6 for the three policies of deadwood is best",
            "in the grid of weights of iteration 1, the best with 0.6 is less than a point below the best",
            [_combined(found, point.settings)],
            _weights_text(winner, point.settings),
        ),
    ]


def settings_of(spec: str) -> dict[str, str]:
    """The parameters that are written in a player's name."""
    return dict(word.split("=") for word in spec.partition(":")[2].split(","))


def _path_text(found: Path) -> str:
    """What each step changed."""
    words = []
    for step in found.steps:
        before, after = settings_of(step.before), settings_of(step.after)
        changed = [f"{key} {text}" for key, text in after.items() if before.get(key) != text]
        changed += [f"{key} as in base" for key in before if key not in after]
        if changed:
            words.append(f"iteration {step.iteration}, {step.subset}: {', '.join(changed)}")
    return "; ".join(words)


def _gain_text(rates: dict[str, Estimate], before: str, after: str) -> str:
    gap = rates[after] - rates[before]
    low, high = gap.interval()
    return f"{gap.value:+.2%} [{low:+.2%}, {high:+.2%}]"


def _combined(found: Path, search: SubsetSearch) -> Statement:
    """The best setting with a combined weight of 0.6 against the best of all."""
    step = next(step for step in found.steps if step.subset == "weights" and step.iteration == 1)
    rates = step.grid.rates()
    sums = {spec: sum(weights_of(spec, search)[key] for key in DEADWOOD) for spec in rates}
    like = max((spec for spec in rates if abs(sums[spec] - 0.6) < 1e-6), key=lambda spec: rates[spec].value)
    best = step.grid.best()
    gap = rates[best] - rates[like] if best != like else Estimate(0.0, rates[best].error)
    return Statement(f"best of all ({sums[best]:g}) less best with 0.6", gap, high=FLAT, unit="gain")


def weights_of(spec: str, search: SubsetSearch) -> dict[str, float]:
    """The six weights of a player."""
    settings = settings_of(spec)
    return {key: float(settings.get(key, search.start[key])) for key in WEIGHTS}


def _weights_text(spec: str, search: SubsetSearch) -> str:
    weights = weights_of(spec, search)
    listed = ", ".join(f"{key.removeprefix('w_')} {weight:g}" for key, weight in weights.items())
    combined = sum(weights[key] for key in DEADWOOD)
    return f"The winner's weights: {listed}; the three of deadwood add up to {combined:.3g}."


def path_lines(points: list[Point[SubsetSearch]]) -> dict[str, dict[float, Estimate]]:
    """Step by step: the best of each grid on its own decks, and what was chosen on fresh decks."""
    found = _path(points)
    grids = {float(n + 1): step.grid.rates()[step.grid.best()] for n, step in enumerate(found.steps)}
    again = {float(n + 1): step.again.rates()[step.after] for n, step in enumerate(found.steps)}
    before = {float(n + 1): step.again.rates()[step.before] for n, step in enumerate(found.steps)}
    return {
        "best of the grid, on the decks that chose it": grids,
        "chosen among the best, on the decks of that choice": again,
        "the setting before, on the same decks": before,
    }


SUBSETS = Search(
    id="S4-subsets",
    paper="S4",
    title="Five subsets, one after another, until it stops helping",
    measures="Win rate against simple of ensemble with the parameters of one subset after another searched "
    "by grid (meldability, adjacency, deadwood by turn, deadwood by known cards, weights), from our base "
    "values. The six best of each grid and the setting so far meet again on fresh decks, three times the "
    "games; an iteration is checked on others, ten times the games; the winner, the base values and what "
    "iteration 1 chose are measured in the end on yet others, twenty times the games.",
    subjects=(Subject("path", SEARCH),),
    settings=SubsetSearch,
    next_stage=next_stage,
    expected_games={scale: 1_300 * games for scale, games in SIZES.items()},
    sizes=SIZES,
    seed_offset=SEED_OFFSET + 100,
    compare_points=subset_rows,
    drawing=Curves(
        "subset searched, five in an iteration",
        published=(("", 0.0, BASE.value), ("", 5.0, FIRST.value)),
        lines=path_lines,
        level=None,
    ),
)

GRID = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)
PARTNERS = {"w_meldability": "and meldability", "w_adjacency": "and in-hand adjacency"}
"""The other weight of each plot -> its title."""


def _pair_arms() -> list[Arm]:
    """The weight of lowering deadwood with another one; the rest keeps the poster's proportions."""
    arms = []
    for partner, (own, other) in product(PARTNERS, product(GRID, GRID)):
        rest = [key for key in WEIGHTS if key not in ("w_deadwood", partner)]
        share = (1 - own - other) / sum(POSTER[key] for key in rest)
        weights = {"w_deadwood": own, partner: other} | {key: round(share * POSTER[key], 4) for key in rest}
        arms.append(Arm(f"{partner} {own:g}", other, named(PLAYER, weights), OPPONENT))
    return arms


def _panels(points: list[MatchPoint]) -> dict[str, Cells]:
    rates = curves(points)
    return {
        title: {(own, x): rate for own in GRID for x, rate in rates[f"{partner} {own:g}"].items()}
        for partner, title in PARTNERS.items()
    }


def pair_rows(points: list[MatchPoint]) -> list[Row]:
    """Slopes of the win rate over each weight, and whether the best value of one depends on the other."""
    rows: list[Row] = []
    for (title, cells), partner in zip(_panels(points).items(), PARTNERS, strict=True):
        own = slope([(row, rate) for (row, _), rate in cells.items()])
        other = slope([(column, rate) for (_, column), rate in cells.items()])
        best = max(cells, key=lambda place: cells[place].value)
        poster = POSTER["w_deadwood"], POSTER[partner]
        gap = cells[best] - cells[poster] if best != poster else Estimate(0.0, cells[best].error)
        rows.append(
            claim(
                f"lowering deadwood {title}: the poster's weights are as good as any",
                f"no cell is two points or more above deadwood {poster[0]:g}, other {poster[1]:g}",
                [Statement("greatest cell less the poster's", gap, high=NEAR, unit="gain")],
            )
        )
        rows.append(
            claim(
                f"lowering deadwood {title}: a weight of deadwood is worth more than none",
                "slope of the win rate over the weight of deadwood above zero",
                [Statement("per unit of the weight of deadwood", own, 0, unit="gain")],
                f"Slope over the other weight {other.value:+.2%} [{other.interval().low:+.2%}, "
                f"{other.interval().high:+.2%}]. Greatest cell: deadwood {best[0]:g}, other {best[1]:g} with "
                f"{cells[best].value:.2%}. {_ridge(cells)}",
            )
        )
    return rows


def _ridge(cells: Cells) -> str:
    """For each value of the other weight, the best weight of deadwood."""
    columns = sorted({column for _, column in cells})
    best = [max(GRID, key=lambda row, c=column: cells[row, c].value) for column in columns]  # type: ignore[misc]
    listed = ", ".join(f"{column:g}: {row:g}" for column, row in zip(columns, best, strict=True))
    return f"Best weight of deadwood by the other weight: {listed}."


CORRELATION = Matches(
    id="S4-correlation",
    paper="S4",
    title="Two plots of pairs of weights",
    measures="Win rate against simple of ensemble by the weight of lowering deadwood and that of meldability "
    "or of in-hand adjacency; the other weights keep the poster's proportions and all add up to one. The "
    "points of the poster's two correlation plots are lost, and the second weight of its second plot cannot "
    "be read.",
    arms=tuple(_pair_arms()),
    sizes={"smoke": 40, "full": 5_000},
    seed_offset=SEED_OFFSET + 150,
    compare_points=pair_rows,
    drawing=HeatMap(
        _panels, "weight of lowering deadwood", "other weight", note="win rate against simple, %"
    ),
)

EXPERIMENTS = {experiment.id: experiment for experiment in (SUBSETS, CORRELATION)}
