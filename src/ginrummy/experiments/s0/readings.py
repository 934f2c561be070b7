"""Paper S0: every reading of what the text leaves open, played against the baseline.

The text leaves open what Equation 1 counts, how players with card value discard, which melds Equation 8 adds
up, and what the knock network learns from. Every reading is played against simple and compared with the
paper's win rate. The players have the readings that come nearest; this table shows the alternatives.
"""

from ginrummy.experiments.frame.drawings import Cell, Sheet
from ginrummy.experiments.frame.evidence import Arm, MatchPoint
from ginrummy.experiments.frame.experiment import Matches
from ginrummy.experiments.frame.rates import win_rates
from ginrummy.experiments.frame.verdicts import Row, published_interval, value
from ginrummy.experiments.s0.player_claims import GAMES, TABLE_6, pair_published

_ARMS: tuple[tuple[str, str], ...] = (
    ("hitting, as played: takes and keeps from 13 on, by hits", "hitting"),
    ("hitting, from 21 on", "hitting:threshold=21"),
    ("hitting, values by types of melds", "hitting:value=types"),
    ("hitting, keeps most value by types", "hitting:keep=types"),
    ("hitting, keeps most value by hits", "hitting:keep=hits"),
    ("hitting, keeps cards that hit the hand", "hitting:keep=hitting,threshold=21"),
    ("hitting, keeps cards that hit a loose card", "hitting:keep=loose,threshold=21"),
    ("medium-kh, as played: takes and keeps from 21 on", "medium-kh"),
    ("medium-kh, from 13 on", "medium-kh:threshold=13"),
    ("medium-kh, keeps most value by types", "medium-kh:keep=types"),
    ("medium-kh, keeps cards that hit the hand", "medium-kh:keep=hitting"),
    ("medium-kh, keeps cards that hit a loose card", "medium-kh:keep=loose"),
    ("estimating, as played: melds of three cards", "estimating"),
    ("estimating, all melds", "estimating:all_melds=yes"),
    ("medium-he, as played: takes and keeps from 21 on", "medium-he"),
    ("medium-he, keeps cards that hit the hand", "medium-he:keep=hitting"),
    ("medium-he, keeps cards that hit a loose card", "medium-he:keep=loose"),
    ("advanced, as played", "advanced"),
    ("advanced, keeps cards that hit the hand", "advanced:keep=hitting"),
    ("advanced, keeps cards that hit a loose card", "advanced:keep=loose"),
    ("knocking, as played: knocks made, limits 1 to 10", "knocking"),
    ("knocking, limits 0 to 10", "knocking:knock_model=knock-gin.onnx"),
    ("knocking, chances to knock", "knocking:knock_model=knock-chances.onnx"),
    ("medium-ek, as played", "medium-ek"),
    ("medium-ek, knock network of limits 0 to 10", "medium-ek:knock_model=knock-gin.onnx"),
)
"""(reading, player)."""


def _compared(points: list[MatchPoint]) -> list[tuple[str, str]]:
    played = {point.player for point in points}
    return [(reading, player) for reading, player in _ARMS if player in played]


def compare(points: list[MatchPoint]) -> list[Row]:
    """Each other reading beside the published win rate of its player; those as played are in table 6."""
    rates = win_rates(points)
    return [
        value(pair_published(player.partition(":")[0], "simple"), reading, rates[player, "simple"])
        for reading, player in _compared(points)
        if ":" in player
    ]


def cells(points: list[MatchPoint]) -> list[Cell]:
    """Win rates by reading."""
    rates = win_rates(points)
    return [
        Cell(
            reading,
            "win rate against simple",
            rates[player, "simple"],
            "rate",
            published_interval(player, *TABLE_6[player.partition(":")[0], "simple"], GAMES),
        )
        for reading, player in _compared(points)
    ]


EXPERIMENTS = {
    "S0-readings": Matches(
        id="S0-readings",
        paper="S0",
        title="Readings of the text",
        measures="Win rate against simple of the players under every reading of what the paper leaves open. "
        "The readings marked as played were chosen on other decks because they come nearest to the published "
        "tables 3 and 6; this table shows the alternatives. Verdicts on the readings as played are those of "
        "table 6. The letter of the paper is profile=text there.",
        arms=tuple(Arm(reading, 0.0, player, "simple") for reading, player in _ARMS),
        sizes={"smoke": 40, "full": 20_000},
        seed_offset=100,
        compare_points=compare,
        drawing=Sheet(cells, {"win rate against simple": 0.5}),
    )
}
