"""The numbers of paper S0's tables 5 and 6, win rates of its players, and its claims about them.

"Slightly better" is read as better at all, "just as well" as within two percentage points.
"""

import math
from collections.abc import Iterable

from ginrummy.experiments.frame.drawings import Cell
from ginrummy.experiments.frame.evidence import Arm, MatchPoint
from ginrummy.experiments.frame.rates import curves, win_rates
from ginrummy.experiments.frame.verdicts import (
    Published,
    Row,
    Statement,
    claim,
    less,
    published_interval,
    reread,
    value,
)
from ginrummy.stats import Estimate

NEAR = 0.02
"""What "as well as" means for a win rate."""
FLAT = 0.01
"""How far below another threshold a threshold may be and still count as good."""
GAMES = 10_000
"""Games of each pair of table 6."""

# Table 5: the threshold of the knock network

THRESHOLDS = (0.7, 0.8, 0.9, 1.0)
TABLE_5 = {0.7: 0.08, 0.8: 0.10, 0.9: 0.12, 1.0: 0.11}
"""Threshold -> increase of the win rate over one half."""
MODELS = {"chances to knock": "knock-chances.onnx", "knocks made": "knock.onnx"}
"""What the network learned from -> its file. The first has the loss and accuracy nearest to the published
ones (experiment S0-networks), and is chosen by that, not by win rates."""
TABLE_5_ARMS = tuple(
    Arm(learned, t, f"knocking:knock={t},knock_model={file}", "simple")
    for learned, file in MODELS.items()
    for t in THRESHOLDS
)


def _increase(threshold: float) -> Published:
    text = f"increase over one half against simple, threshold {threshold:g}"
    return Published(text, TABLE_5[threshold], None, 0.01, unit="gain")


def table_5_cells(points: list[MatchPoint]) -> list[Cell]:
    """Win rates, and what they are above one half."""
    cells = []
    for learned, at in curves(points).items():
        for threshold, rate in at.items():
            row = f"{learned}, threshold {threshold:g}"
            cells.append(Cell(row, "win rate against simple", rate, "rate"))
            gain = rate - Estimate(0.5, 0.0)
            cells.append(Cell(row, "increase over one half", gain, "gain", _increase(threshold)))
    return cells


def table_5(points: list[MatchPoint]) -> list[Row]:
    """The increases and the order of the thresholds."""
    rows = []
    for learned, at in curves(points).items():
        rows += [
            value(_increase(t), "win rate less one half", rate - Estimate(0.5, 0.0), reading=learned)
            for t, rate in at.items()
        ]
    for learned, at in curves(points).items():
        rows.append(
            claim(
                "threshold 0.9 is as good as 1.0 or better",
                "not a point below it",
                [Statement("0.9 less 1.0", at[0.9] - at[1.0], low=-FLAT)],
                "A sigmoid never exceeds 1.0, and gin is always knocked with, so our 1.0 is gin only.",
                reading=learned,
            )
        )
        for better, worse in ((1.0, 0.8), (0.8, 0.7)):
            rows.append(
                claim(
                    f"threshold {better:.1f} is better than {worse:.1f}",
                    "difference of the win rates above zero",
                    [Statement(f"{better:.1f} less {worse:.1f}", at[better] - at[worse], low=0)],
                    reading=learned,
                )
            )
    return rows


# Table 6: every player against every other

PLAYERS = (
    "simple",
    "hitting",
    "estimating",
    "knocking",
    "medium-kh",
    "medium-he",
    "medium-ek",
    "advanced",
)
_PRINTED = """
 -    53-55 53-55 41-43 40-42 53-55 43-44 42-44
45-47  -    48-49 38-40 37-39 48-50 35-36 34-36
45-47 51-52  -    30-31 30-31 48-50 32-33 31-32
57-59 60-62 69-70  -    49-50 68-70 57-58 56-58
58-60 61-63 69-70 50-51  -    68-69 58-60 57-59
45-47 50-52 49-51 30-32 31-32  -    32-33 30-32
56-57 64-65 67-68 42-43 40-42 67-68  -    48-49
56-58 64-66 68-69 42-44 41-43 68-70 51-52  -
"""


def _read(printed: str) -> dict[tuple[str, str], tuple[float, float]]:
    table = {}
    for player, line in zip(PLAYERS, printed.strip().splitlines(), strict=True):
        for other, cell in zip(PLAYERS, line.split(), strict=True):
            if player != other:
                low, high = (int(end) / 100 for end in cell.split("-"))
                table[player, other] = low, high
    return table


TABLE_6 = _read(_PRINTED)
"""(row, column) -> 90 % interval of the row player's win rate, both triangles as printed."""


def pair_published(player: str, other: str) -> Published:
    """What both triangles say of a pair: the interval of one, the mean of both centres."""
    shown = published_interval(f"{player} against {other}", *TABLE_6[player, other], GAMES)
    mirrored = 1 - sum(TABLE_6[other, player]) / 2
    return shown._replace(value=(shown.value + mirrored) / 2)


FIT, LETTER = "profile=fit", "profile=text"


def spec(player: str, profile: str) -> str:
    """A player in a profile; the default profile is not written."""
    return player if profile == FIT or player == "simple" else f"{player}:{profile}"


def letter_published() -> dict[tuple[str, str], tuple[float, float]]:
    """The published table under the names of the players in profile=text."""
    return {(spec(a, LETTER), spec(b, LETTER)): ends for (a, b), ends in TABLE_6.items()}


def table_6_arms(profile: str) -> tuple[Arm, ...]:
    """All pairs of the players in a profile."""
    return tuple(
        Arm(player, float(column), spec(player, profile), spec(other, profile))
        for row, player in enumerate(PLAYERS)
        for column, other in enumerate(PLAYERS[:row])
    )


def table_6(profile: str, points: list[MatchPoint]) -> list[Row]:
    """All pairs in a profile, then the text's conclusions one by one."""
    found = win_rates(points)
    rates = {(a, b): found[spec(a, profile), spec(b, profile)] for a in PLAYERS for b in PLAYERS if a != b}
    pairs = [(a, b) for row, a in enumerate(PLAYERS) for b in PLAYERS[:row]]
    at = {player: rates[player, "simple"] for player in PLAYERS if player != "simple"}
    claims = (*_alone(at), *_together(at), *_among_themselves(rates))
    return [
        *(value(pair_published(*pair), "the same pair", rates[pair], reading=profile) for pair in pairs),
        *(reread(row, profile) for row in claims),
    ]


def _wins(players: Iterable[str], at: dict[str, Estimate]) -> list[Statement]:
    return [Statement(f"{player} against simple", at[player], low=0.5) for player in players]


def _loses(players: Iterable[str], at: dict[str, Estimate]) -> list[Statement]:
    return [Statement(f"{player} against simple", at[player], high=0.5) for player in players]


def _alone(at: dict[str, Estimate]) -> list[Row]:
    """Players with one model, and which models suit each other, all against simple."""
    half = "win rate against simple"
    return [
        claim("the Knocking Player performs well", f"{half} above one half", _wins(["knocking"], at)),
        claim(
            "the Estimating and the Hitting Player clearly under-perform",
            f"{half} below one half",
            _loses(["estimating", "hitting"], at),
        ),
        claim(
            "of the three models the knocking decision brings most",
            f"{half} above those of the other two players with one model",
            [less("knocking", other, at, low=0) for other in ("estimating", "hitting")],
        ),
        claim(
            "the Medium Players KH and EK outperform the Simple Player",
            f"{half} above one half",
            _wins(["medium-kh", "medium-ek"], at),
        ),
        claim("the Medium Player HE performs poorly", f"{half} below one half", _loses(["medium-he"], at)),
        claim(
            "KH performs slightly better than the Knocking Player",
            "difference of the win rates against simple above zero",
            [less("medium-kh", "knocking", at, low=0)],
        ),
        claim(
            "EK performs worse than the Knocking Player",
            "difference of the win rates against simple below zero",
            [less("medium-ek", "knocking", at, high=0)],
        ),
        claim(
            "HE performs just as well as the Estimating and the Hitting Player",
            f"{half} within two points of theirs",
            [less("medium-he", other, at, low=-NEAR, high=NEAR) for other in ("estimating", "hitting")],
        ),
    ]


def _together(at: dict[str, Estimate]) -> list[Row]:
    """The player with all models, and the best one, against simple."""
    half = "win rate against simple"
    others = [player for player in PLAYERS if player not in ("simple", "medium-kh")]
    share = Estimate(
        at["knocking"].value - 0.5 - (at["medium-kh"].value - 0.5) / 2,
        math.hypot(at["knocking"].error, at["medium-kh"].error / 2),
    )
    return [
        claim("the Advanced Player performs well", f"{half} above one half", _wins(["advanced"], at)),
        claim(
            "the Advanced Player is better than EK",
            "difference of the win rates against simple above zero",
            [less("advanced", "medium-ek", at, low=0)],
        ),
        claim(
            "the Advanced Player is worse than KH",
            "difference of the win rates against simple below zero",
            [less("advanced", "medium-kh", at, high=0)],
        ),
        claim(
            "KH is the best strategy against the Simple Player",
            f"{half} above that of every other player",
            [less("medium-kh", other, at, low=0) for other in others],
        ),
        claim(
            "most of KH's improvement comes from the knocking decision",
            "the Knocking Player's rate over one half is more than half of KH's, which is above one half",
            [
                Statement("knocking's increase less half of KH's", share, low=0),
                *_wins(["medium-kh"], at),
            ],
        ),
    ]


def _among_themselves(rates: dict[tuple[str, str], Estimate]) -> list[Row]:
    """What the text says of games between the paper's own players."""
    against = {other: rates["advanced", other] for other in ("knocking", "medium-kh")}
    return [
        claim(
            "the Advanced Player performs poorly against the Knocking Player and KH",
            "its win rates below one half",
            [Statement(f"advanced against {other}", rate, high=0.5) for other, rate in against.items()],
        ),
        claim(
            "KH performs better against the Advanced Player than the Knocking Player does",
            "difference of their win rates against it above zero",
            [Statement("medium-kh less knocking", against["knocking"] - against["medium-kh"], low=0)],
        ),
    ]
