"""Ratings of players, computed from the evidence files of matches.

``standings.json`` is a tournament of all registered players; the other files add players that met some of
them. All games of a pairing are added up, and Bradley-Terry ratings are computed from the sums.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ginrummy import stats
from ginrummy.extras import ROOT

FILES = ("standings.json", "champion-default*.json")
"""Evidence that the ratings come from: names, or patterns of names."""
ANCHOR, ANCHOR_RATING = "simple", 1500.0
"""Ratings have no zero of their own: the baseline is put at this number."""


@dataclass(frozen=True)
class Meeting:
    """All games of two players."""

    first: str
    second: str
    points: float
    """Of the first: a win 1, a draw one half."""
    games: int

    @property
    def rate(self) -> float:
        """The first player's share."""
        return self.points / self.games


@dataclass(frozen=True)
class Rated:
    """A player's rating with its 95 % interval."""

    player: str
    rating: float
    low: float
    high: float
    points: float
    games: int


@dataclass(frozen=True)
class Standings:
    """The players by rating, the best first, and how each fared against each."""

    rated: tuple[Rated, ...]
    meetings: tuple[Meeting, ...]
    sources: tuple[str, ...]
    """The files that the numbers come from."""

    def of(self, player: str) -> Rated | None:
        """One player's rating, if it was measured."""
        return next((row for row in self.rated if row.player == player), None)

    def meeting(self, first: str, second: str) -> Meeting | None:
        """How two players fared, from the first one's side."""
        for found in self.meetings:
            if (found.first, found.second) == (first, second):
                return found
            if (found.second, found.first) == (first, second):
                return Meeting(first, second, found.games - found.points, found.games)
        return None


def results_directory() -> Path:
    """Where the evidence files are: in the clone, or beside the installed package."""
    packed = Path(__file__).parents[1] / "results"
    return packed if packed.is_dir() else ROOT / "results"


def read_standings(directory: Path, names: tuple[str, ...] = FILES) -> Standings:
    """The standings from the evidence files that exist."""
    found = [path.name for name in names for path in sorted(directory.glob(name))]
    counted: dict[tuple[str, str], list[float]] = {}
    for name in found:
        evidence = json.loads((directory / name).read_text(encoding="utf-8"))
        if evidence["rules"] == "eaai":
            _count(evidence, counted)
    meetings = tuple(Meeting(*pair, points, int(games)) for pair, (points, games) in counted.items())
    return Standings(_rated(meetings), meetings, tuple(found))


def _count(evidence: dict[str, Any], counted: dict[tuple[str, str], list[float]]) -> None:
    for match in evidence["matches"]:
        first, second = match["player_a"], match["player_b"]
        points, games = match["wins_a"] + match["drawn_games"] / 2, match["games"]
        if (second, first) in counted:
            first, second, points = second, first, games - points
        entry = counted.setdefault((first, second), [0.0, 0.0])
        entry[0] += points
        entry[1] += games


def _rated(meetings: tuple[Meeting, ...]) -> tuple[Rated, ...]:
    names = list(dict.fromkeys(name for m in meetings for name in (m.first, m.second)))
    if len(names) < 2:
        return ()
    points = np.zeros((len(names), len(names)))
    for met in meetings:
        i, j = names.index(met.first), names.index(met.second)
        points[i, j] += met.points
        points[j, i] += met.games - met.points
    elo, low, high = stats.bradley_terry(points)
    shift = ANCHOR_RATING - (elo[names.index(ANCHOR)] if ANCHOR in names else 0.0)
    rows = [
        Rated(
            name,
            float(elo[k] + shift),
            float(low[k] + shift),
            float(high[k] + shift),
            float(points[k].sum()),
            int((points[k] + points[:, k]).sum()),
        )
        for k, name in enumerate(names)
    ]
    return tuple(sorted(rows, key=lambda row: -row.rating))
