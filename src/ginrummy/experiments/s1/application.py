"""Paper S1: what hand estimation is worth to the baseline's discards.

Source: Francis, Just and Neller, "Opponent Hand Estimation in the Game of Gin Rummy", EAAI 2021, section
"Hand Estimation Application": of the three safest discards the one that decreases deadwood the most.

The paper does not say what is safe. S1-application plays the reading that the player has by default;
S1-safety plays the readings side by side and counts what their discards do: how many the opponent takes, and
how many part two own cards that could have become a meld.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from ginrummy.cards import NO_CARD
from ginrummy.experiments.frame.drawings import Cell, Sheet
from ginrummy.experiments.frame.evidence import Arm, MatchPoint
from ginrummy.experiments.frame.experiment import SEED_OFFSET, Matches
from ginrummy.experiments.frame.rates import against_simple, by_series, in_rounds, win_rates
from ginrummy.experiments.frame.verdicts import Published, Row, Statement, claim, less, value
from ginrummy.judging.sums import Sums, cluster_sums
from ginrummy.melds import MAX_HELD, MAX_MELDS, deadwoods
from ginrummy.moments import decisions, in_order
from ginrummy.policies.safe_discard import parting
from ginrummy.rules import Rules
from ginrummy.sim import Run
from ginrummy.stats import Estimate
from ginrummy.tables import Records

Json = dict[str, Any]

PUBLISHED = Published('safe discards against simple, "approximately 55%"', 0.55, 100_000, 0.01)
DEFAULT, LITERAL, UNKNOWN, WEIGHED, BLIND, SURER = (
    "as played: the plug rule on the estimated hand",
    "Equation 8",
    "Equation 8, own cards as unknown ones",
    "ours: points less five times Equation 8, own cards as unknown ones",
    "ours, with equal chances for unseen cards",
    "ours, by belief-net",
)
BASELINE = "the baseline itself"

_READINGS: tuple[tuple[str, str], ...] = (
    (DEFAULT, "safe-discard"),
    ("as played, of two", "safe-discard:safest=2"),
    ("as played, of five", "safe-discard:safest=5"),
    ("as played, but knocks when it can", "safe-discard:knock_first=yes"),
    ("as played, the safest of the three dearest", "safe-discard:among=dearest"),
    (LITERAL, "safe-discard:safety=masked"),
    ("Equation 8, of five", "safe-discard:safest=5,safety=masked"),
    ("Equation 8, melded cards too", "safe-discard:safety=masked,among=all"),
    ("Equation 8, the safest of the three dearest", "safe-discard:safety=masked,among=dearest"),
    ("Equation 8, the network's numbers for own cards", "safe-discard:safety=raw"),
    (UNKNOWN, "safe-discard:safety=unknown"),
    ("Equation 8, melds with no further own card", "safe-discard:safety=open"),
    ("the belief in the card itself", "safe-discard:safety=card"),
    ("beliefs in its neighbours", "safe-discard:safety=near"),
)
"""Readings of the text, with the paper's estimator."""
_OTHER_SAFETIES = tuple(name for name, player in _READINGS if "safety=" in player)
_ESTIMATORS = ("bayes", "simple-nn", "ensemble-by-turn", "belief-net", "null")
_OURS: tuple[tuple[str, str], ...] = (
    *((f"as played, by {name}", f"safe-discard:estimator={name}") for name in _ESTIMATORS),
    (WEIGHED, "safe-discard:safety=unknown,among=weighed"),
    (BLIND, "safe-discard:estimator=null,safety=unknown,among=weighed"),
    (SURER, "safe-discard:estimator=belief-net,safety=unknown,among=weighed"),
    (BASELINE, "simple"),
)
"""Players that the paper has no number for."""


def count_discards(run: Run, rules: Rules) -> Json:
    """Counters of the recorded rounds, added up by mirrored pair (see ``sums``).

    For each side, as ``name_a`` and ``name_b``: ``loose`` discards of cards outside the melds; ``parts``,
    those that left behind another such card with which they share a meld of three; ``offered`` discards that
    the opponent could take, and ``fed``, those that it took; ``deadwood``, the least at the end. ``hands``
    are rounds.
    """
    rounds = in_order(run.rounds)
    rows = decisions(rounds, run.games, rules)
    place = np.repeat(np.arange(len(rounds)), rounds["events"])
    made = rows["discard"] != NO_CARD
    followed = np.append(place[1:] == place[:-1], False)
    offered = made & followed
    loose, parts = parted(rows[made])
    happened = {
        "loose": np.flatnonzero(made)[loose],
        "parts": np.flatnonzero(made)[parts],
        "offered": np.flatnonzero(offered),
        "fed": np.flatnonzero(offered & np.append(rows["took"][1:], False)),
    }
    columns: dict[str, npt.NDArray[np.int64]] = {"hands": np.ones(len(rounds), np.int64)}
    for side, name in enumerate("ab"):
        for what, where in happened.items():
            own = where[rows["side"][where] == side]
            columns[f"{what}_{name}"] = np.bincount(place[own], minlength=len(rounds))
        columns[f"deadwood_{name}"] = deadwoods(rounds["hands"][:, side])
    return cluster_sums(rounds["game"] // 2, columns)


def parted(rows: Records) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Whether the discards of these decisions were outside the melds, and whether they left a partner."""
    loose, parts = np.zeros(len(rows), np.bool_), np.zeros(len(rows), np.bool_)
    hands = rows["hand"] | np.int64(1) << rows["drawn"].astype(np.int64)
    held, index, sets = (
        np.empty(MAX_HELD, np.int64),
        np.empty(MAX_MELDS, np.int64),
        np.empty((1, MAX_MELDS), np.int64),
    )
    parting(hands, rows["discard"], held, index, sets, loose, parts)
    return loose, parts


def application(points: list[MatchPoint]) -> list[Row]:
    """The published win rate, and the claim that it is an advantage."""
    rate = against_simple(points)["safe-discard"]
    return [
        value(PUBLISHED, "ours", rate),
        claim(
            "hand estimation in discards has an advantage over the Simple Player",
            "win rate against simple above one half",
            [Statement("safe-discard against simple", rate, low=0.5)],
        ),
    ]


def application_cells(points: list[MatchPoint]) -> list[Cell]:
    """The one win rate."""
    rate = against_simple(points)["safe-discard"]
    return [Cell("safe-discard", "win rate against simple", rate, "rate", PUBLISHED)]


_COLUMNS = {
    "discards that part two loose cards": ("loose_a", "parts_a"),
    "discards that the opponent takes": ("offered_a", "fed_a"),
}


def _rates(points: list[MatchPoint]) -> dict[str, Estimate]:
    """Series -> win rate against simple."""
    rates = win_rates(points)
    return {point.series: rates[point.player, "simple"] for point in points}


def _sums(points: list[MatchPoint]) -> dict[str, Sums]:
    """Series -> what was counted in its hands."""
    return {name: Sums(in_rounds(point) for point in found) for name, found in by_series(points).items()}


def safety_cells(points: list[MatchPoint]) -> list[Cell]:
    """Win rates by reading, and what its discards do."""
    rates, theirs = _rates(points), dict(_READINGS)
    cells = []
    for name, sums in _sums(points).items():
        published = PUBLISHED if name in theirs else None
        cells.append(Cell(name, "win rate against simple", rates[name], "rate", published))
        for column, (bottom, top) in _COLUMNS.items():
            cells.append(Cell(name, column, sums.per(bottom, top), "rate"))
        cells.append(Cell(name, "deadwood at the end", sums.per("hands", "deadwood_a"), "mean"))
    return cells


def safety(points: list[MatchPoint]) -> list[Row]:
    """Each reading beside the published win rate, and the reasons why they fall short of it."""
    rates = _rates(points)
    rows = [value(PUBLISHED, reading, rates[reading]) for reading, _ in _READINGS]
    return [*rows, *_reasons(rates, _sums(points))]


def _reasons(rates: dict[str, Estimate], sums: dict[str, Sums]) -> list[Row]:
    """Our own claims: the paper says nothing about reasons."""
    parts, fed = ({name: found.per(*column) for name, found in sums.items()} for column in _COLUMNS.values())
    deadwood = {name: found.per("hands", "deadwood_a") for name, found in sums.items()}
    return [
        claim(
            "check: the baseline against itself wins half",
            "within a point of one half",
            [Statement("simple against simple", rates[BASELINE], 0.49, 0.51)],
        ),
        claim(
            "check: of the readings of what is safe, the one as played wins most and so comes nearest",
            "difference of the win rates above zero",
            [less(DEFAULT, other, rates, low=0) for other in _OTHER_SAFETIES],
        ),
        claim(
            "ours: as played, the estimate is worth something",
            "win rate above that of the same rule with equal chances for unseen cards",
            [less(DEFAULT, "as played, by null", rates, low=0)],
        ),
        claim(
            "reason: what Equation 8 calls safe gives the opponent fewer cards than the baseline does",
            "share of discards that the opponent takes",
            [less(LITERAL, BASELINE, fed, high=0)],
        ),
        claim(
            "reason: but it parts own cards, for a card beside an own one looks safe",
            "share of discards that leave a partner behind, above the baseline's and above that of the same "
            "rule with own cards as unknown ones",
            [less(LITERAL, other, parts, low=0) for other in (BASELINE, UNKNOWN)],
        ),
        claim(
            "reason: and it is left with more deadwood",
            "mean of all hands, above the baseline's",
            [less(LITERAL, BASELINE, deadwood, low=0, unit="mean")],
        ),
        claim(
            "reason: not to call own cards' neighbours safe brings wins",
            "difference of the win rates above zero",
            [less(UNKNOWN, LITERAL, rates, low=0)],
        ),
        claim(
            "ours: safety and deadwood weighed against each other bring more than the three safest",
            "win rate against simple above those of the reading as played and of the same safety",
            [less(WEIGHED, other, rates, low=0) for other in (DEFAULT, UNKNOWN)],
        ),
        claim(
            "ours: with it the published advantage is passed, and more so by a better estimate",
            "win rates against simple less the published one, and their difference, above zero",
            [
                *(
                    Statement(f"{name} less 55 %", rates[name] - PUBLISHED.estimate(), low=0, unit="gain")
                    for name in (WEIGHED, SURER)
                ),
                less(SURER, WEIGHED, rates, low=0),
            ],
        ),
        claim(
            "ours: most of that needs no estimate, but a count of the melds that are still possible",
            "win rate above one half by more than half as much with equal chances for unseen cards",
            [
                Statement("with equal chances less half of with the network", _share(rates), low=0),
                Statement(WEIGHED, rates[WEIGHED], low=0.5),
            ],
        ),
    ]


def _share(rates: dict[str, Estimate]) -> Estimate:
    """The weighed rule's gain over one half with equal chances, less half of that with the network."""
    gains = [rates[name] - Estimate(0.5, 0.0) for name in (BLIND, WEIGHED)]
    return gains[0] - gains[1].times(0.5)


EXPERIMENTS = {
    "S1-application": Matches(
        id="S1-application",
        paper="S1",
        title="Hand estimation application",
        measures="Win rate of safe-discard against simple. The paper does not say what is safe: the reading "
        "was chosen, on other decks, by nearness to the published win rate (see S1-safety).",
        arms=(Arm("safe-discard", 0.0, "safe-discard", "simple"),),
        sizes={"smoke": 40, "full": 100_000},
        seed_offset=SEED_OFFSET,
        compare_points=application,
        drawing=Sheet(application_cells, {"win rate against simple": 0.5}),
    ),
    "S1-safety": Matches(
        id="S1-safety",
        paper="S1",
        title="Readings of a safe discard",
        measures="Win rate of safe-discard against simple under every reading of what is safe and what it "
        "chooses from, with the paper's estimator; then with other estimators, and with safety weighed "
        "against deadwood. The other columns show what the discards do. The reading marked as played was "
        "chosen on other decks: among the readings that fit the text it comes nearest to the published win "
        "rate.",
        arms=tuple(Arm(reading, 0.0, player, "simple") for reading, player in (*_READINGS, *_OURS)),
        sizes={"smoke": 40, "full": 10_000},
        seed_offset=SEED_OFFSET,
        count_rounds=count_discards,
        compare_points=safety,
        drawing=Sheet(safety_cells, {"win rate against simple": 0.5}),
    ),
}
