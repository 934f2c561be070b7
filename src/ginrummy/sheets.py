"""Games and pairings as CSV: ``games.csv`` has a row for each game, ``stats.csv`` one for each pairing.

The challenge's own tournament program writes files of these names: one row for each player and game (match,
round, player, score, win), and the time of every call of a player. Here a game is one row, and a pairing is
one row without times, so that the same games give the same bytes.

Shards return the columns of their games, and the journal keeps them, as it keeps counters. Rows go to a file
without a name as they come, so memory does not grow with the games. The files are written when all games are
there.
"""

import csv
import io
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ginrummy import sim
from ginrummy.errors import BadInput
from ginrummy.evidence import check_writable, write_files
from ginrummy.rules import Rules
from ginrummy.scoring import totals

Json = dict[str, Any]

COLUMNS = (
    "score_a", "score_b", "total_a", "total_b", "rounds", "rounds_won_a", "rounds_won_b", "turns", "forfeit"
)  # fmt: skip
"""What a shard says of each of its games; ``forfeit`` is the side that ran out of time, or -1."""
GAMES = (
    "match", "game", "player_a", "player_b", "seat_a", "score_a", "score_b", "total_a", "total_b", "winner",
    "rounds", "rounds_won_a", "rounds_won_b", "turns", "forfeit",
)  # fmt: skip
"""Columns of ``games.csv``."""
STATS = (
    "match", "player_a", "player_b", "games", "wins_a", "wins_b", "drawn_games", "win_rate_a", "low95_a",
    "high95_a", "mean_score_a", "mean_score_b", "mean_margin_a", "rounds", "rounds_per_game",
    "turns_per_round", "forfeits_a", "forfeits_b",
)  # fmt: skip
"""Columns of ``stats.csv``."""
SIDES = ("a", "b")


def columns_of(run: sim.Run, rules: Rules) -> dict[str, list[int]]:
    """The games of a run, column by column."""
    games = run.games
    score, won = games["score"].astype(np.int64), games["won"].astype(np.int64)
    ends = totals(rules, score, won)
    forfeits = np.full(len(games), -1) if run.forfeits is None else run.forfeits
    found = (
        *score.T, *ends.T, games["outcomes"].sum(axis=1), *won.T, games["turns"], forfeits
    )  # fmt: skip
    return {name: column.tolist() for name, column in zip(COLUMNS, found, strict=True)}


def are_columns(found: object, games: int) -> bool:
    """Whether a value of a journal is the columns of so many games."""
    return (
        isinstance(found, dict)
        and found.keys() == set(COLUMNS)
        and all(isinstance(column, list) and len(column) == games for column in found.values())
        and all(type(value) is int for column in found.values() for value in column)
        and set(found["forfeit"]) <= {-1, 0, 1}
    )


def winner(score: Sequence[int], forfeit: int) -> int:
    """The side that won a game, by its scores or because the other one forfeited it; -1 for a drawn game."""
    if forfeit >= 0:
        return 1 - forfeit
    return -1 if score[0] == score[1] else int(score[1] > score[0])


class _Pairing(NamedTuple):
    players: tuple[str, str]
    counts: Json
    summary: Json


class Sheets:
    """What ``games.csv`` and ``stats.csv`` will say."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._pairings: list[_Pairing] = []
        self._game = 0
        self._rows: io.TextIOWrapper | None = None

    def check(self) -> None:
        """Refuse a directory that cannot be written, before anything is played; make it if it is missing."""
        try:
            self.directory.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            why = "it is not a directory" if self.directory.exists() else error.strerror
            raise BadInput(f"cannot write to {self.directory}: {why}") from None
        for name in ("games.csv", "stats.csv"):
            check_writable(self.directory / name)

    def add_games(self, players: tuple[str, str], columns: dict[str, list[int]]) -> None:
        """Add the games of the next shard of a pairing."""
        rows = zip(*(columns[name] for name in COLUMNS), strict=True)
        number = len(self._pairings)
        numbered = (_game_row(number, self._game + n, players, row) for n, row in enumerate(rows))
        self._room().writelines(_lines(numbered))
        self._game += len(columns[COLUMNS[0]])

    def end_pairing(self, players: tuple[str, str], counts: Json, said: Json) -> None:
        """Add the counters of a pairing, all of whose games are there, and their summary."""
        self._pairings.append(_Pairing(players, counts, said))
        self._game = 0

    def write(self) -> None:
        """Write both files, whole or not at all."""
        stats = (_stats_row(number, pairing) for number, pairing in enumerate(self._pairings))
        write_files(
            {
                self.directory / "games.csv": self._games(),
                self.directory / "stats.csv": _lines([STATS, *stats]),
            }
        )

    def _games(self) -> Iterator[str]:
        yield from _lines([GAMES])
        room = self._room()
        room.seek(0)
        while piece := room.read(1 << 20):
            yield piece

    def _room(self) -> io.TextIOWrapper:
        """The file with the rows so far; it has no name and goes with this process."""
        if self._rows is None:
            self.directory.mkdir(parents=True, exist_ok=True)
            file = tempfile.TemporaryFile(dir=self.directory)  # noqa: SIM115
            self._rows = io.TextIOWrapper(file, encoding="utf-8", newline="")
        return self._rows


def _game_row(match: int, game: int, players: tuple[str, str], row: tuple[int, ...]) -> tuple[object, ...]:
    *ended, rounds, won_a, won_b, turns, forfeit = row
    won = winner(ended[:2], forfeit)
    said = SIDES[won] if won >= 0 else "draw"
    late = SIDES[forfeit] if forfeit >= 0 else ""
    return match, game, *players, game % 2, *ended, said, rounds, won_a, won_b, turns, late


def _stats_row(match: int, pairing: _Pairing) -> tuple[object, ...]:
    counts, said = pairing.counts, pairing.summary
    games, points = counts["games"], counts["points"]
    return (
        match, *pairing.players, games, *counts["wins"], said["drawn_games"], said["win_rate_a"],
        *said["pair_ci95_a"], points[0] / games, points[1] / games, said["mean_margin_a"], said["rounds"],
        said["rounds_per_game"], said["turns_per_round"], *counts.get("forfeits", (0, 0)),
    )  # fmt: skip


def _lines(rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """Rows as lines of a CSV file; a name with a comma is quoted."""
    room = io.StringIO()
    writer = csv.writer(room, lineterminator="\n")
    for row in rows:
        writer.writerow(row)
        yield room.getvalue()
        room.seek(0)
        room.truncate()
