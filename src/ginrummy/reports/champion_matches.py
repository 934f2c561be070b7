"""How strong champion is, for its page: tables of matches, added up over all files of the same kind.

Matches with search are dear, so they are played in several runs with seeds of their own. A table adds up the
games of all files; the interval of the sum comes from those of the parts, which are independent.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ginrummy import artefacts

Json = dict[str, Any]
NETWORK = "champion.onnx"


class Goal(NamedTuple):
    """What the lower end of a 95 % interval is to reach, by opponent; ``rest`` for all that are not named."""

    title: str
    shares: dict[str, float]
    rest: float | None = None

    def cell(self, opponent: str, low: float) -> str:
        """What a table says about an opponent."""
        share = self.shares.get(opponent, self.rest)
        return "" if share is None else f"{share:.0%}: {'reached' if low >= share else 'not yet'}"


CODE, TUNED, PAPER = "hand-strength:profile=code", "hand-strength:profile=tuned", "hand-strength"
FAST_GOAL = Goal("to reach", {CODE: 0.67, TUNED: 0.63, "simple": 0.80})
FLOOR = Goal("at least", {CODE: 0.72, TUNED: 0.62, PAPER: 0.68, "simple": 0.77}, 0.72)
AIM = Goal("to reach", {CODE: 0.78, TUNED: 0.72, PAPER: 0.76, "simple": 0.80}, 0.78)


class Sum(NamedTuple):
    """All games against one opponent."""

    opponent: str
    games: int
    won: float
    low: float
    high: float
    ahead: float
    """Points a round."""


def added(files: Sequence[Json]) -> list[Sum]:
    """The matches of all files, opponent by opponent."""
    found: dict[str, list[Json]] = {}
    for file in files:
        for match in file["matches"]:
            found.setdefault(match["player_b"], []).append(match)
    return [_sum(name, matches) for name, matches in found.items()]


def _sum(opponent: str, matches: list[Json]) -> Sum:
    games, rounds = (sum(match[key] for match in matches) for key in ("games", "rounds"))
    won = sum(match["win_rate_a"] * match["games"] for match in matches) / games
    errors = [
        (match["pair_ci95_a"][1] - match["pair_ci95_a"][0]) / 2 * match["games"] / games for match in matches
    ]
    half = sum(error**2 for error in errors) ** 0.5
    points = sum(
        (match["points_per_round_a"] - match["points_per_round_b"]) * match["rounds"] for match in matches
    )
    return Sum(opponent, games, won, won - half, won + half, points / rounds)


def table(files: Sequence[Json], goals: Sequence[Goal]) -> list[str]:
    """How many games were won against each opponent, and what is to be reached."""
    kept_out = artefacts.record(NETWORK)["made_from"]["kept_out"]
    seeds = ", ".join(str(file["seed"]) for file in files)
    lines = [
        f"Mirrored pairs, rules `{files[0]['rules']}`, seed{'s' * (len(files) > 1)} {seeds}. "
        "The players marked † were never met in training.",
        "",
        "| opponent | games | won | 95 % interval | points a round |"
        + "".join(f" {one.title} |" for one in goals),
        "|---|---|---|---|---|" + "---|" * len(goals),
    ]
    for row in added(files):
        mark = " †" if row.opponent.partition(":")[0] in kept_out else ""
        cells = "".join(f" {one.cell(row.opponent, row.low)} |" for one in goals)
        won = f"{row.won:.1%} | {row.low:.1%} to {row.high:.1%}"
        lines.append(f"| `{row.opponent}`{mark} | {row.games:,} | {won} | {row.ahead:+.2f} |{cells}")
    times = [match["decision_ms_mean_a"] for file in files for match in file["matches"]]
    return [*lines, "", f"A decision takes {min(times):.3f} to {max(times):.3f} ms in a batch.", ""]


def alone(matches: Json) -> str:
    """The part on the network without search."""
    return "\n".join(["## How strong it is", "", "### The network alone", "", *table([matches], [FAST_GOAL])])


def searching(files: Sequence[Json]) -> str:
    """The part on ``level=default``."""
    if not files:
        return ""
    note = (
        "`level=default` with settings that were fixed before, on games that chose none of them. *At least*\n"
        "and *to reach* are goals for the lower end of the interval."
    )
    return "\n".join(["### With search", "", note, "", *table(files, [FLOOR, AIM])])


def read_searching(results: Path) -> list[Json]:
    """The matches of ``level=default``: all files of that name, by seed."""
    found = [json.loads(file.read_text(encoding="utf-8")) for file in results.glob("champion-default*.json")]
    return sorted(found, key=lambda file: int(file["seed"]))


def other_rules(others: Sequence[Json]) -> str:
    """One table for each player: a row for each opponent, a column for each preset."""
    if not others:
        return ""
    lines = ["### Under other rules", "", "The network is told the rules, and search plays by them.", ""]
    for player in dict.fromkeys(match["player_a"] for one in others for match in one["matches"]):
        mine = [one for one in others if one["matches"][0]["player_a"] == player]
        lines += _under_rules(player, mine)
    return "\n".join(lines)


def _under_rules(player: str, others: Sequence[Json]) -> list[str]:
    first = others[0]
    lines = [
        f"`{player}`, {first['games_per_pairing']:,} games each, seed {first['seed']}; share won, with its "
        "95 % interval:",
        "",
        "| opponent | " + " | ".join(f"`{one['rules']}`" for one in others) + " |",
        "|---|" + "---|" * len(others),
    ]
    for name in (match["player_b"] for match in first["matches"]):
        cells = []
        for one in others:
            match = next(match for match in one["matches"] if match["player_b"] == name)
            low, high = match["pair_ci95_a"]
            cells.append(f"{match['win_rate_a']:.1%} ({low:.1%} to {high:.1%})")
        lines.append(f"| `{name}` | " + " | ".join(cells) + " |")
    return [*lines, ""]
