"""Where champion wins and loses its points, for its page: counters of ``experiments.champion.losses``."""

import json
from pathlib import Path
from typing import Any

from ginrummy.experiments.champion.losses import ENDS, TURNS

Json = dict[str, Any]

_ABOUT = """## Where it wins and loses points

Rounds of `{player}`, {games:,} games against each opponent, seed {seed}. The first number of a cell is the
share of all rounds that end so, the second one what these rounds bring, in points for each round played; the
points of a row add up to the last column.

| opponent | {heads} | points a round |
|---|{rules}---|"""
_SIDES = """
Knocks without gin, and discards that the other side took, for `champion` and for its opponent. A *wait* is a
turn that ends with a hand that could knock.

| opponent | knocks a round | undercut | deadwood of a knock | waits a round | discards taken |
|---|---|---|---|---|---|"""
_BY_TURN = """
Points a round by the turn, from 1, of the side that ended it, all ends together; in brackets the share of
rounds.

| opponent | {heads} |
|---|{rules}"""


def read(results: Path) -> str:
    """The part of the page, from the evidence in a folder; nothing if there is none."""
    file = results / "champion-losses.json"
    return section(json.loads(file.read_text(encoding="utf-8"))) if file.exists() else ""


def section(found: Json) -> str:
    """The part of the page."""
    points = [(point["series"], point["counts"]) for point in found["points"]]
    ends, turns = list(ENDS[:-1]), list(TURNS)
    about = _ABOUT.format(
        player=found["arms"][0][1]["player"],
        games=found["games_per_point"],
        seed=found["seeds"][0],
        heads=" | ".join(ends),
        rules="---|" * len(ends),
    )
    by_turn = _BY_TURN.format(heads=" | ".join(f"turns {one}" for one in turns), rules="---|" * len(turns))
    return "\n".join(
        [
            about,
            *(_ends(name, counts, ends) for name, counts in points),
            _SIDES,
            *(_sides(name, counts) for name, counts in points),
            by_turn,
            *(_turns(name, counts, turns) for name, counts in points),
            "",
        ]
    )


def _ends(name: str, counts: Json, ends: list[str]) -> str:
    rounds = counts["rounds"]
    cells = []
    for end in ends:
        parts = counts["ends"][end].values()
        number, points = (sum(part[key] for part in parts) for key in ("rounds", "points"))
        cells.append(f"{number / rounds:.1%}, {points / rounds:+.2f}")
    return f"| `{name}` | {' | '.join(cells)} | {counts['points'] / rounds:+.2f} |"


def _sides(name: str, counts: Json) -> str:
    rounds = counts["rounds"]
    rows = [counts["sides"][side] for side in ("own", "opponent")]
    columns = [
        [f"{row['knocks'] / rounds:.2f}" for row in rows],
        [f"{row['undercut'] / max(1, row['knocks']):.1%}" for row in rows],
        [f"{row['knock_deadwood'] / max(1, row['knocks']):.1f}" for row in rows],
        [f"{row['waits'] / rounds:.2f}" for row in rows],
        [f"{row['taken'] / max(1, row['discards']):.1%}" for row in rows],
    ]
    return f"| `{name}` | " + " | ".join(" / ".join(column) for column in columns) + " |"


def _turns(name: str, counts: Json, turns: list[str]) -> str:
    rounds = counts["rounds"]
    cells = []
    for turn in turns:
        parts = [end[turn] for end in counts["ends"].values()]
        points, number = (sum(part[key] for part in parts) for key in ("points", "rounds"))
        cells.append(f"{points / rounds:+.2f} ({number / rounds:.0%})")
    return f"| `{name}` | {' | '.join(cells)} |"
