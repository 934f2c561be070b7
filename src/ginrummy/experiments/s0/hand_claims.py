"""The numbers of paper S0's tables 1 to 3, which count what happens in hands, and its claims about them.

Where the spread of a published total is not given, the spread of ours is used.
"""

import math
from itertools import pairwise
from typing import Any

from ginrummy.experiments.frame.drawings import Cell
from ginrummy.experiments.frame.evidence import MatchPoint
from ginrummy.experiments.frame.rates import against_simple, by_series, in_rounds, win_rates
from ginrummy.experiments.frame.verdicts import (
    Published,
    Row,
    Statement,
    claim,
    less,
    published_interval,
    value,
)
from ginrummy.judging.sums import Sums
from ginrummy.stats import Estimate


def _hands(points: list[MatchPoint]) -> dict[str, Sums]:
    """Series -> what was counted in its hands."""
    return {name: Sums(in_rounds(point) for point in found) for name, found in by_series(points).items()}


# Table 1: collecting hitting cards

NO_HITTING, AGAINST_SIMPLE, AGAINST_ITSELF = (
    "no hitting",
    "collect, against simple",
    "collect, against itself",
)
HANDS = 50_000
TABLE_1 = {
    NO_HITTING: {"draws": 105_103, "melds": 171_170},
    "collect": {"draws": 123_504, "melds": 176_374},
}
"""Totals over 50,000 hands."""
_WORDS = {"draws": "face-up draws", "melds": "melds"}
BOTH, ONE = "both sides", "the player"


def _a_hand(strategy: str, what: str) -> Published:
    total = TABLE_1[strategy][what]
    text = f"{_WORDS[what]} a hand, {strategy} ({total:,} in {HANDS:,})"
    return Published(text, total / HANDS, HANDS, 1 / HANDS, unit="mean", of="hands")


def _mean_a_hand(sums: Sums, what: str, sides: str) -> Estimate:
    names = (f"{what}_a", f"{what}_b") if sides == BOTH else (f"{what}_a",)
    return sums.per("hands", *names)


def table_1_cells(points: list[MatchPoint]) -> list[Cell]:
    """Draws and melds a hand, of both sides and of each."""
    cells = []
    for name, sums in _hands(points).items():
        strategy = NO_HITTING if name == NO_HITTING else "collect"
        for what, word in _WORDS.items():
            ours = _mean_a_hand(sums, what, BOTH)
            cells.append(Cell(name, f"{word} a hand, both sides", ours, "mean", _a_hand(strategy, what)))
        for what, word in _WORDS.items():
            for who, side in (("the player", "a"), ("the opponent", "b")):
                ours = sums.per("hands", f"{what}_{side}")
                cells.append(Cell(name, f"{word}, {who}", ours, "mean", drawn=False))
    return cells


def table_1(points: list[MatchPoint]) -> list[Row]:
    """Totals by hand, and the quotients of the two strategies."""
    hands = _hands(points)
    rows = []
    for name, sums in hands.items():
        strategy = NO_HITTING if name == NO_HITTING else "collect"
        for what in _WORDS:
            ours = _mean_a_hand(sums, what, BOTH)
            published = _a_hand(strategy, what).like(ours, int(sums.total("hands")))
            rows.append(value(published, f"ours, {name}, both sides together", ours))
    for name in (AGAINST_SIMPLE, AGAINST_ITSELF):
        for sides in (BOTH, ONE) if name == AGAINST_SIMPLE else (BOTH,):
            rows += [_quotient(hands, name, what, sides) for what in _WORDS]
    for name in (AGAINST_SIMPLE, AGAINST_ITSELF):
        for what, word in _WORDS.items():
            more = _mean_a_hand(hands[name], what, ONE) - _mean_a_hand(hands[NO_HITTING], what, ONE)
            rows.append(
                claim(
                    f"collecting hitting cards brings more {word}",
                    "the player's mean a hand above that of the player without hitting",
                    [Statement(f"more {word} a hand", more, low=0, unit="mean")],
                    reading=name,
                )
            )
    return rows


def _quotient(hands: dict[str, Sums], name: str, what: str, sides: str) -> Row:
    """Collecting divided by not collecting: comparable even if the paper counted something else."""
    ours = [_mean_a_hand(hands[series], what, sides) for series in (name, NO_HITTING)]
    sizes = [int(hands[series].total("hands")) for series in (name, NO_HITTING)]
    theirs = [
        _a_hand(strategy, what).like(mean, size).estimate()
        for strategy, mean, size in zip(("collect", NO_HITTING), ours, sizes, strict=True)
    ]
    quotient = theirs[0] / theirs[1]
    published = Published(
        f"{_WORDS[what]}, collecting by not collecting",
        quotient.value,
        HANDS,
        0.0,
        quotient.error * math.sqrt(HANDS),
        "ratio",
        "hands",
    )
    return value(published, f"ours, {name}, {sides}", ours[0] / ours[1])


# Table 2: the threshold of the card value

READINGS = ("types", "hits")
"""What n is in Equation 1: kinds of potential melds, or the hit count."""
THRESHOLDS = ("1", "6", "21", "inf")
GAMES_2 = 1_000
TABLE_2 = {
    "1": {"draws": 62_664, "melds": 10_470},
    "6": {"draws": 57_649, "melds": 12_774},
    "21": {"draws": 19_355, "melds": 17_409},
    "inf": {"draws": 10_988, "melds": 14_396},
}
"""Threshold -> totals over 1,000 games."""


def threshold_series(reading: str, threshold: str) -> str:
    """The name of a point of table 2."""
    return f"{reading}, T = {threshold}"


def _in_games(threshold: str, what: str) -> Published:
    text = f"{_WORDS[what]} in {GAMES_2:,} games, T = {threshold}"
    return Published(text, TABLE_2[threshold][what], GAMES_2, 1.0, unit="count")


def _a_thousand_games(sums: Sums, what: str) -> Estimate:
    return sums.per("games", f"{what}_a").times(GAMES_2)


def table_2_cells(points: list[MatchPoint]) -> list[Cell]:
    """Draws and melds of the hitting player; win rate and hands a game to judge them by."""
    hands, rates = _hands(points), win_rates(points)
    cells = []
    for point in points[: len(hands)]:
        name, sums = point.series, hands[point.series]
        threshold = name.rpartition(" ")[2]
        for what, word in _WORDS.items():
            ours = _a_thousand_games(sums, what)
            cells.append(Cell(name, f"{word}, 1,000 games", ours, "count", _in_games(threshold, what)))
        cells.append(Cell(name, "hands a game", sums.per("games", "hands"), "mean"))
        cells.append(Cell(name, "win rate", rates[point.player, point.opponent], "rate"))
    return cells


def table_2(points: list[MatchPoint]) -> list[Row]:
    """Totals in 1,000 games for both readings, and how they move with the threshold."""
    hands = _hands(points)
    rows = []
    for reading in READINGS:
        for threshold in THRESHOLDS:
            sums = hands[threshold_series(reading, threshold)]
            for what in _WORDS:
                ours = _a_thousand_games(sums, what)
                games = int(sums.total("games"))
                published = _in_games(threshold, what).like(ours, games)
                rows.append(value(published, f"ours, n as {reading}", ours))
    for reading in READINGS:
        draws, melds = (
            {t: _a_thousand_games(hands[threshold_series(reading, t)], what) for t in THRESHOLDS}
            for what in ("draws", "melds")
        )
        rows += [
            claim(
                "the higher the threshold, the fewer face-up draws",
                "each threshold's draws in 1,000 games above those of the next",
                [less(a, b, draws, low=0, unit="count") for a, b in pairwise(THRESHOLDS)],
                reading=f"n as {reading}",
            ),
            claim(
                "a threshold of 21 forms most melds",
                "its melds in 1,000 games above those of the others",
                [less("21", t, melds, low=0, unit="count") for t in THRESHOLDS if t != "21"],
                reading=f"n as {reading}",
            ),
        ]
    return [*rows, _same_games(hands)]


def _same_games(hands: dict[str, Sums]) -> Row:
    """With kinds of melds no card is worth more than 13 + 2 · 3 - 1 = 18."""
    totals = [hands[threshold_series("types", t)].total("draws_a") for t in ("21", "inf")]
    gap = Estimate(totals[0] - totals[1], 0.0)
    return claim(
        "check: with n as kinds of melds no card is worth 21, so T = 21 and T = inf are one player",
        "both take the same number of upcards in the same games",
        [Statement("draws at T = 21 less draws at T = inf", gap, -0.5, 0.5, "count")],
    )


# Table 3: heuristic and network

HANDS_3 = 10_000
_HEURISTIC = {"win": (0.45, 0.47), "hits": 0.04, "deadwood": 15.54}
_NETWORK = {"win": (0.20, 0.24), "hits": 2.63, "deadwood": 18.43}
TABLE_3: dict[str, Any] = {"types": _HEURISTIC, "hits": _HEURISTIC, "network": _NETWORK}
"""The paper's heuristic stands beside both readings of it."""
GAMES_3 = 10_000
"""Games behind the heuristic's win rate, which is that of table 6."""


def _win_published(series: str) -> Published:
    """The heuristic's interval is that of table 6; the network's is as wide as 10,000 hands make it."""
    model = "network" if series == "network" else "heuristic"
    games = None if series == "network" else GAMES_3
    low, high = TABLE_3[series]["win"]
    return published_interval(f"win rate against simple, {model}", low, high, games)


def _hand_published(series: str, what: str, words: str) -> Published:
    model = "network" if series == "network" else "heuristic"
    number = TABLE_3[series][what]
    return Published(f"{words} a hand, {model}", number, HANDS_3, 0.01, unit="mean", of="hands")


def _deadwoods(sums: Sums) -> dict[str, Estimate]:
    return {
        "all hands": sums.per("hands", "deadwood_a"),
        "lost hands": sums.per("lost_a", "lost_deadwood_a"),
    }


def _wins(points: list[MatchPoint]) -> dict[str, Estimate]:
    """Series -> win rate against simple."""
    rates = against_simple(points)
    return {point.series: rates[point.player] for point in points}


def table_3_cells(points: list[MatchPoint]) -> list[Cell]:
    """The three rows of the paper as columns."""
    hands, rates = _hands(points), _wins(points)
    cells = []
    for name, sums in hands.items():
        hits = _hand_published(name, "hits", "hitting cards drawn")
        deadwood = _hand_published(name, "deadwood", "deadwood")
        cells.append(Cell(name, "win rate", rates[name], "rate", _win_published(name)))
        cells.append(Cell(name, "hitting cards a hand", sums.per("hands", "hits_a"), "mean", hits))
        for which, ours in _deadwoods(sums).items():
            cells.append(Cell(name, f"deadwood, {which}", ours, "mean", deadwood))
    return cells


def table_3(points: list[MatchPoint]) -> list[Row]:
    """The three numbers of each model, and claims that the network is worse than the heuristic."""
    hands, rates = _hands(points), _wins(points)
    rows = []
    for name in by_series(points):
        reading, sums = f"ours, value={name}", hands[name]
        win = rates[name]
        rows.append(value(_win_published(name), reading, win))
        hits = sums.per("hands", "hits_a")
        published = _hand_published(name, "hits", "hitting cards drawn")
        rows.append(value(published.like(hits, int(sums.total("hands"))), reading, hits))
        for which, ours in _deadwoods(sums).items():
            size = int(sums.total("hands" if which == "all hands" else "lost_a"))
            published = _hand_published(name, "deadwood", "deadwood").like(ours, size)
            rows.append(value(published, f"{reading}, {which}", ours))
    return rows + [row for reading in READINGS for row in _network_against(reading, hands, rates)]


def _network_against(reading: str, hands: dict[str, Sums], rates: dict[str, Estimate]) -> list[Row]:
    """The network beside one reading of the heuristic."""
    wins = {name: rates[name] for name in hands}
    hits = {name: sums.per("hands", "hits_a") for name, sums in hands.items()}
    deadwood = {name: sums.per("hands", "deadwood_a") for name, sums in hands.items()}
    return [
        claim(
            "the network plays worse than the heuristic",
            "its win rate against simple below the heuristic's",
            [less("network", reading, wins, high=0)],
            reading=reading,
        ),
        claim(
            "the network collects more hitting cards than the heuristic",
            "hitting cards a hand",
            [less("network", reading, hits, low=0, unit="mean")],
            reading=reading,
        ),
        claim(
            "the network is left with more deadwood than the heuristic",
            "least deadwood at the end, mean of all hands",
            [less("network", reading, deadwood, low=0, unit="mean")],
            reading=reading,
        ),
    ]
