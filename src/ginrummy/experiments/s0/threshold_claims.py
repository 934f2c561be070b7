"""The numbers of paper S0's table 2, draws and melds by the threshold of the card value, and its claims.

Every reading plays the four thresholds. The first is the table's caption with Equation 1 counting hits, the
others change one thing each: what Equation 1 counts, whom the player meets, what its discards keep, whose
cards are counted, and which threshold was played in the row called 21.
"""

from collections.abc import Mapping
from itertools import pairwise
from typing import NamedTuple

from ginrummy.experiments.frame.drawings import Cell
from ginrummy.experiments.frame.evidence import Arm, MatchPoint
from ginrummy.experiments.frame.rates import win_rates
from ginrummy.experiments.frame.verdicts import Published, Row, Statement, claim, less, value
from ginrummy.experiments.s0.hand_claims import WORDS, hands_of
from ginrummy.judging.sums import Sums
from ginrummy.stats import Estimate

THRESHOLDS = ("1", "6", "21", "inf")
GAMES_2 = 1_000
TABLE_2 = {
    "1": {"draws": 62_664, "melds": 10_470},
    "6": {"draws": 57_649, "melds": 12_774},
    "21": {"draws": 19_355, "melds": 17_409},
    "inf": {"draws": 10_988, "melds": 14_396},
}
"""Threshold -> totals over 1,000 games."""


class Reading(NamedTuple):
    """Who plays in the row of a threshold; ``{t}`` stands for it."""

    name: str
    player: str
    opponent: str = "medium-kh"
    played: Mapping[str, str] = {}
    """Row -> the threshold played there, where it is another."""
    sides: str = "a"
    """Whose cards are counted: the player's, the opponent's, or those of both."""

    def arm(self, row: str) -> Arm:
        """The match of one row; readings that count other sides of the same match share it."""
        t = self.played.get(row, row)
        return Arm(threshold_series(self.name, row), 0.0, self.player.format(t=t), self.opponent.format(t=t))


HITS = Reading("hits", "hitting:threshold={t}")
TYPES = Reading("types", "hitting:value=types,threshold={t}")
PLAYED = (
    HITS,
    TYPES,
    Reading("against simple", "hitting:threshold={t}", "simple"),
    Reading("opponent with the same threshold", "hitting:threshold={t}", "medium-kh:threshold={t}"),
    Reading("keeps most value", "hitting:keep=hits,threshold={t}"),
    Reading("keeps most value by types", "hitting:keep=types,threshold={t}"),
    Reading("keeps what hits the hand", "hitting:keep=hitting,threshold={t}"),
    Reading("keeps what hits a loose card", "hitting:keep=loose,threshold={t}"),
    Reading("profile=text for both", "hitting:profile=text,threshold={t}", "medium-kh:profile=text"),
    Reading("the Medium Player KH's own cards", "medium-kh:threshold={t}", "hitting:threshold=21"),
)
"""Readings with games of their own."""
PROGRAM = "13, the threshold of the authors' program, in the row of 21"
DERIVED = {
    "hits, both sides": (HITS, ("draws_a", "draws_b"), ("melds_a", "melds_b")),
    "hits, the opponent": (HITS, ("draws_b",), ("melds_b",)),
}
"""Readings that count other sides of the games of one."""
EXTRA = Arm(PROGRAM, 0.0, "hitting:threshold=13", "medium-kh")


def threshold_series(reading: str, threshold: str) -> str:
    """The name of a point of table 2."""
    return f"{reading}, T = {threshold}"


ARMS = (*(reading.arm(row) for reading in PLAYED for row in THRESHOLDS), EXTRA)


def _in_games(threshold: str, what: str) -> Published:
    text = f"{WORDS[what]} in {GAMES_2:,} games, T = {threshold}"
    return Published(text, TABLE_2[threshold][what], GAMES_2, 1.0, unit="count")


def _a_thousand_games(sums: Sums, *names: str) -> Estimate:
    return sums.per("games", *names).times(GAMES_2)


def table_2_cells(points: list[MatchPoint]) -> list[Cell]:
    """Draws and melds of the player; win rate and hands a game to judge them by."""
    hands, rates = hands_of(points), win_rates(points)
    cells = []
    for point in points[: len(hands)]:
        name, sums = point.series, hands[point.series]
        threshold = "21" if name == PROGRAM else name.rpartition(" ")[2]
        first = name.startswith(("hits, ", "types, "))
        for what, word in WORDS.items():
            ours = _a_thousand_games(sums, f"{what}_a")
            published = _in_games(threshold, what)
            cells.append(Cell(name, f"{word}, 1,000 games", ours, "count", published, first))
        cells.append(Cell(name, "hands a game", sums.per("games", "hands"), "mean", drawn=first))
        cells.append(Cell(name, "win rate", rates[point.player, point.opponent], "rate", drawn=first))
    return cells


def _compared(sums: Sums, row: str, what: str, names: tuple[str, ...], reading: str) -> Row:
    ours = _a_thousand_games(sums, *names)
    published = _in_games(row, what).like(ours, int(sums.total("games")))
    return value(published, "ours, totals in as many games", ours, reading=reading)


def table_2(points: list[MatchPoint]) -> list[Row]:
    """Totals in 1,000 games under every reading, and how they move with the threshold."""
    hands = hands_of(points)
    rows = []
    for reading in PLAYED:
        for row in THRESHOLDS:
            sums = hands[threshold_series(reading.name, row)]
            rows += [_compared(sums, row, what, (f"{what}_a",), reading.name) for what in WORDS]
    for name, (reading, *sides) in DERIVED.items():
        for row in THRESHOLDS:
            sums = hands[threshold_series(reading.name, row)]
            rows += [
                _compared(sums, row, what, names, name) for what, names in zip(WORDS, sides, strict=True)
            ]
    rows += [_compared(hands[PROGRAM], "21", what, (f"{what}_a",), PROGRAM) for what in WORDS]
    for reading in (HITS, TYPES):
        rows += _moving(hands, reading.name)
    return [*rows, _same_games(hands), _never(hands)]


def _moving(hands: dict[str, Sums], reading: str) -> list[Row]:
    draws, melds = (
        {t: _a_thousand_games(hands[threshold_series(reading, t)], f"{what}_a") for t in THRESHOLDS}
        for what in ("draws", "melds")
    )
    return [
        claim(
            "the higher the threshold, the fewer face-up draws",
            "each threshold's draws in 1,000 games above those of the next",
            [less(a, b, draws, low=0, unit="count") for a, b in pairwise(THRESHOLDS)],
            reading=reading,
        ),
        claim(
            "a threshold of 21 forms most melds",
            "its melds in 1,000 games above those of the others",
            [less("21", t, melds, low=0, unit="count") for t in THRESHOLDS if t != "21"],
            reading=reading,
        ),
    ]


def _same_games(hands: dict[str, Sums]) -> Row:
    """With kinds of melds no card is worth more than 13 + 2 · 3 - 1 = 18."""
    totals = [hands[threshold_series("types", t)].total("draws_a") for t in ("21", "inf")]
    gap = Estimate(totals[0] - totals[1], 0.0)
    return claim(
        "check: with n as kinds of melds no card is worth 21, so T = 21 and T = inf are one player",
        "both take the same number of upcards in the same games",
        [Statement("draws at T = 21 less draws at T = inf", gap, -0.5, 0.5, "count")],
    )


def _never(hands: dict[str, Sums]) -> Row:
    """The text's remark on the last row, which the row itself contradicts."""
    draws = _a_thousand_games(hands[threshold_series("hits", "inf")], "draws_a")
    return claim(
        "T = infinity means that a player never draws the face-up card",
        "no face-up draws in 1,000 games",
        [Statement("draws at T = inf", draws, high=0.5, unit="count")],
        f"The paper's own row has {TABLE_2['inf']['draws']:,} draws: a card that melds is always taken, and "
        "the remark can mean only cards that do not meld.",
    )
