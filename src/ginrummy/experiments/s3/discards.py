"""Paper S3, figures 1 and 2: what a discard is worth to the opponent, by rank and by one dead card beside it.

Source: Goldstein, Astudillo Guerra, Haigh, Cruz Ulloa and Blum, "Extracting Learned Discard and Knocking
Strategies from a Gin Rummy Bot", EAAI 2021. The numbers are those of the trained file of ``train
opponent-table``; their errors are clustered by batches of rounds. The pictures are lost, so only the
sentences of the text are tested.

"Nothing known" means that no other card of the rank and no suited card within two ranks has been seen.
"Similar" is read as within half a point.
"""

from dataclasses import dataclass

from ginrummy.cards import POINTS, RANKS
from ginrummy.experiments.frame.drawings import Cell, Curves, Sheet
from ginrummy.experiments.frame.evidence import Point, Subject
from ginrummy.experiments.frame.experiment import Facts
from ginrummy.experiments.frame.verdicts import Row, Statement, claim, less
from ginrummy.policies import opponent_table
from ginrummy.policies.opponent_table import GONE
from ginrummy.stats import Estimate
from ginrummy.typed import Counters

SIMILAR = 0.5
"""What "similar" means, in points."""
MIDDLE = tuple(range(3, 11))
"""Ranks that have neighbours on both sides and two away: four to jack."""

NONE, SAME, ADJACENT, TWO = "nothing known", "same rank", "one away", "two away"
_SIDES = {"one above": "up_1", "one below": "down_1", "two above": "up_2", "two below": "down_2"}


@dataclass(frozen=True)
class File:
    """Which table."""

    file: str


def read_gains(settings: File) -> Counters:
    """The numbers of both figures: gain and error by rank, and by the dead card beside the discard."""
    table = opponent_table.read(settings.file)
    by_rank = {RANKS[rank]: table.over((rank,)) for rank in range(13)}
    dead = {
        NONE: table.over(MIDDLE),
        SAME: table.over(MIDDLE, gone=1),
        "one above": table.over(MIDDLE, up_1=GONE),
        "one below": table.over(MIDDLE, down_1=GONE),
        "two above": table.over(MIDDLE, up_2=GONE),
        "two below": table.over(MIDDLE, down_2=GONE),
    }
    return {
        "observations": int(table.n.sum()),
        **{f"rank {name}": list(gain) for name, gain in by_rank.items()},
        **{f"dead {name}": list(gain) for name, gain in dead.items()},
    }


def gains(points: list[Point[File]]) -> dict[str, Estimate]:
    """Rank -> the opponent's gain with nothing known."""
    return {name: _estimate(points, f"rank {name}") for name in RANKS}


def dead_gains(points: list[Point[File]]) -> dict[str, Estimate]:
    """The dead card beside a discard -> the opponent's gain; both sides of a suit together too."""
    at = {name: _estimate(points, f"dead {name}") for name in (NONE, SAME, *_SIDES)}
    for name, one, other in ((ADJACENT, "one above", "one below"), (TWO, "two above", "two below")):
        both = (at[one].value + at[other].value) / 2
        at[name] = Estimate(both, (at[one].error ** 2 + at[other].error ** 2) ** 0.5 / 2)
    return at


def _estimate(points: list[Point[File]], key: str) -> Estimate:
    value, error = points[0].counts[key]
    return Estimate(float(value), float(error))


def worth(name: str) -> float:
    """Points of a rank."""
    return float(POINTS[RANKS.index(name)])


def fig1(points: list[Point[File]]) -> list[Row]:
    """The sentences about figure 1."""
    at = gains(points)

    def net(name: str) -> Estimate:
        return Estimate(at[name].value - worth(name), at[name].error)

    def over(high: str, low: str) -> list[Statement]:
        return [less(a, b, at, low=0, unit="mean") for a in high for b in low]

    return [
        claim("a king is the best discard", "every other rank gives more", over(RANKS[:12], "K")),
        claim("a queen follows", "every rank below gives more than a queen", over(RANKS[:11], "Q")),
        claim(
            "a jack and a ten have similar values",
            f"their difference is within {SIMILAR:g} points",
            [less("T", "J", at, low=-SIMILAR, high=SIMILAR, unit="mean")],
        ),
        claim(
            "seven is the highest rank that gives the opponent more than its own points",
            "gain less points: above zero for a seven, below zero for every higher rank",
            [Statement("7 less its points", net("7"), low=0, unit="mean")]
            + [Statement(f"{name} less its points", net(name), high=0, unit="mean") for name in RANKS[7:]],
        ),
        claim(
            "a seven or lower gives more than its own points",
            "gain less points above zero from ace to seven",
            [Statement(f"{name} less its points", net(name), low=0, unit="mean") for name in RANKS[:7]],
        ),
        claim("fours to sixes give more than sevens", "their differences", over("456", "7")),
        claim(
            "below four the gain falls",
            "each rank gives less than the next one: ace, two, three, four",
            [less(RANKS[k + 1], RANKS[k], at, low=0, unit="mean") for k in range(3)],
        ),
        claim(
            "fours to sixes give most",
            "each of them more than ace, two and three",
            over("456", "A23"),
        ),
    ]


def fig2(points: list[Point[File]]) -> list[Row]:
    """The sentences about figure 2."""
    at = dead_gains(points)
    return [
        claim(
            "a card is safer when a card of its rank is gone than when a suited neighbour is",
            "gain with a dead neighbour less gain with a dead card of the rank",
            [less(name, SAME, at, low=0, unit="mean") for name in ("one above", "one below")],
        ),
        claim(
            "cards beside a discard are not equal",
            "a dead suited neighbour counts otherwise than a dead card of the rank, both sides together",
            [less(ADJACENT, SAME, at, low=0, unit="mean")],
        ),
        claim(
            "ours: every dead card beside a discard makes it safer",
            "gain with nothing known less gain with one dead card",
            [less(NONE, name, at, low=0, unit="mean") for name in (SAME, *_SIDES)],
        ),
        claim(
            "ours: a dead card two away counts less than a dead neighbour",
            "the text gives no order for it; both sides together",
            [less(TWO, ADJACENT, at, low=0, unit="mean")],
        ),
    ]


def _lines(points: list[Point[File]]) -> dict[str, dict[float, Estimate]]:
    return {
        "the opponent's gain": {float(k + 1): gain for k, gain in enumerate(gains(points).values())},
        "points of the card": {float(k + 1): Estimate(worth(name), 0.0) for k, name in enumerate(RANKS)},
    }


def _cells(points: list[Point[File]]) -> list[Cell]:
    at = dead_gains(points)
    return [Cell(name, "gain", at[name], "mean") for name in (NONE, SAME, *_SIDES)]


def _figure(number: int, title: str, measures: str, compare: object, drawing: object) -> Facts[File]:
    return Facts(
        id=f"S3-fig{number}",
        paper="S3",
        title=title,
        measures=f"{measures} From the trained file: 1.5 million rounds of the look-ahead player, one card "
        "deep, against itself.",
        subjects=(Subject("opponent table", File(opponent_table.FILE)),),
        settings=File,
        work=read_gains,
        compare_points=compare,  # type: ignore[arg-type]
        drawing=drawing,  # type: ignore[arg-type]
    )


FIGURES = (
    _figure(
        1,
        "Figure 1: what a discard gives the opponent, by rank",
        "Mean points by which the opponent's deadwood falls if it takes a discard of which nothing is known.",
        fig1,
        Curves(
            "rank, ace 1 to king 13",
            lines=_lines,
            quantity="points",
            unit="mean",
            level=None,
            bounds=("points of the card",),
        ),
    ),
    _figure(
        2,
        "Figure 2: the same with one nearby card gone",
        "Mean gain of the opponent over ranks four to jack when one card near the discard is in the pile.",
        fig2,
        Sheet(_cells),
    ),
)

EXPERIMENTS = {figure.id: figure for figure in FIGURES}
