"""What the parts of champion's search are worth, strength against time, times at one table: for its page.

The counters come from ``experiments.champion.ablation``. All arms of a file play the same decks, so an arm is
compared with the whole search pair by pair of games. Several files with seeds of their own add up.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ginrummy import stats
from ginrummy.experiments.champion.ablation import BUDGETS
from ginrummy.experiments.champion.times import longest
from ginrummy.reports.figures import LINES, MARKERS, save

Json = dict[str, Any]
WHOLE, ALONE, BLUEPRINT = "search", "network alone", "blueprint"
"""The arm with which all others are compared, the one without any search, and the player that it began as."""

_PARTS = """## What the parts of the search are worth

`level=default` with parts left out, alone or changed, with worlds in which all hands are alike, and with the
true hand. All arms against one opponent play the same decks, {games} games each (seed {seeds}). The second
number is what the arm wins more than the whole search, in percentage points with its 95 % interval by pairs
of games.
"""
_GAP = """
Between worlds in which all hands are alike and the true hand, the joint belief closes this part of the gap:
{gaps}.
"""
_LUCK = """## With good cards and with bad ones

The blueprint, the tuned `hand-strength`, played the same decks in the same seats against the same opponents.
Where it won, the cards were good, or good enough; where it lost, they were bad. How many games of each kind
there were, and the share of them that champion won, with Wilson's 95 % intervals:

| opponent | arm | blueprint won | of these | blueprint lost | of these |
|---|---|---|---|---|---|"""
_TIME = """## Strength against time

The same decks again: budgets of the search, by the processor time of a decision in a batch.
"""
_TABLE = """## Time at one table

As against a person: milliseconds of every decision by the processor's clock, in brackets by the wall clock
of a machine with other work; {games:,} games of each level, seed {seed}.
The 99th of a hundred and the longest are upper edges of classes that are a quarter wide.

| player | decisions | mean | 99th of a hundred | longest |
|---|---|---|---|---|"""
_FIGURE = """
![Games won against the time of a decision](champion-time.svg)
"""


class Played(NamedTuple):
    """All games of an arm against an opponent."""

    games: dict[tuple[int, int], int]
    """Seed and number of a game -> half points of the arm, 0 to 2."""
    ms: float
    """Milliseconds of processor time for a decision."""

    def pairs(self) -> dict[tuple[int, int], int]:
        """Seed and number of a mirrored pair -> half points of the arm, 0 to 4."""
        found: dict[tuple[int, int], int] = {}
        for (seed, game), won in self.games.items():
            found[seed, game // 2] = found.get((seed, game // 2), 0) + won
        return found

    def won(self) -> tuple[float, float, float]:
        """Share of games won and its 95 % interval."""
        found = list(self.pairs().values())
        low, high = stats.pair_interval([found.count(k) for k in range(5)], 0.95)
        return sum(found) / (4 * len(found)), low, high

    def ahead(self, other: "Played") -> tuple[float, float, float]:
        """How much more of the games that both played were won than by the other arm, with its interval."""
        mine, its = self.pairs(), other.pairs()
        both = sorted(mine.keys() & its.keys())
        low, high = stats.paired_difference([mine[key] / 4 for key in both], [its[key] / 4 for key in both])
        return (low + high) / 2, low, high

    def where(self, other: "Played", won: int) -> "Played":
        """The games in which the other arm made so many half points."""
        return self._replace(
            games={key: one for key, one in self.games.items() if other.games.get(key) == won}
        )


Found = dict[str, dict[str, Played]]
"""Opponent -> arm -> games."""


def read(results: Path) -> list[Json]:
    """The evidence in a folder: all files of that name, by seed."""
    found = [json.loads(file.read_text(encoding="utf-8")) for file in results.glob("champion-ablation*.json")]
    return sorted(found, key=lambda file: int(file["seeds"][0]))


def added(files: Sequence[Json]) -> Found:
    """The games of all files."""
    games: dict[tuple[str, str], dict[tuple[int, int], int]] = {}
    times: dict[tuple[str, str], list[tuple[float, int]]] = {}
    for point in (point for file in files for point in file["points"]):
        key, counts = (point["settings"]["opponent"], point["settings"]["arm"]), point["counts"]
        mine = {(int(point["seed"]), int(game)): int(won) for game, won in counts["by_game"].items()}
        games.setdefault(key, {}).update(mine)
        times.setdefault(key, []).append((counts["seconds"][0], counts["decisions"][0]))
    found: Found = {}
    for (opponent, arm), played in games.items():
        seconds, decisions = (sum(one) for one in zip(*times[opponent, arm], strict=True))
        found.setdefault(opponent, {})[arm] = Played(played, 1000 * seconds / max(1, decisions))
    return found


def parts(files: Sequence[Json]) -> str:
    """The part on the parts; nothing without evidence."""
    if not files:
        return ""
    found = added(files)
    games = sorted({len(one.games) for arms in found.values() for one in arms.values()})
    seeds = ", ".join(dict.fromkeys(str(seed) for file in files for seed in file["seeds"]))
    about = _PARTS.format(games=" or ".join(f"{one:,}" for one in games), seeds=seeds)
    budgets = set(BUDGETS) - {WHOLE, ALONE}
    budgets.add(BLUEPRINT)
    names = dict.fromkeys(arm for arms in found.values() for arm in arms if arm not in budgets)
    heads = " | ".join(f"`{opponent}`" for opponent in found)
    lines = [about, f"| arm | {heads} |", "|---|" + "---|" * len(found)]
    for arm in sorted(names, key=lambda name: name != WHOLE):
        lines.append(f"| {arm} | " + " | ".join(_cell(arms, arm) for arms in found.values()) + " |")
    gaps = [f"{_closed(arms):.0%} against `{name}`" for name, arms in found.items() if _has_bounds(arms)]
    return "\n".join([*lines, _GAP.format(gaps=", ".join(gaps)) if gaps else ""])


FLOOR, CEILING = "uniform worlds (floor)", "true hand (ceiling)"


def _has_bounds(arms: dict[str, Played]) -> bool:
    return {FLOOR, CEILING, WHOLE} <= arms.keys()


def _closed(arms: dict[str, Played]) -> float:
    """The part of the gap between floor and ceiling that the whole search closes."""
    low, mine, high = (arms[name].won()[0] for name in (FLOOR, WHOLE, CEILING))
    return (mine - low) / (high - low)


def _cell(arms: dict[str, Played], arm: str) -> str:
    if arm not in arms:
        return ""
    won, low, high = arms[arm].won()
    if arm == WHOLE or WHOLE not in arms:
        return f"{won:.1%} ({low:.1%} to {high:.1%})"
    more, least, most = arms[arm].ahead(arms[WHOLE])
    return f"{won:.1%}, {100 * more:+.1f} ({100 * least:+.1f} to {100 * most:+.1f})"


def luck(files: Sequence[Json]) -> str:
    """The part on good and bad cards; nothing without the blueprint's games."""
    rows = []
    for opponent, arms in added(files).items():
        for arm in (ALONE, WHOLE):
            if arm in arms and BLUEPRINT in arms:
                parts = [arms[arm].where(arms[BLUEPRINT], won) for won in (2, 0)]
                cells = " | ".join(f"{len(one.games):,} | {_share(one)}" for one in parts)
                rows.append(f"| `{opponent}` | {arm} | {cells} |")
    return "\n".join([_LUCK, *rows, ""]) if rows else ""


def _share(played: Played) -> str:
    won = sum(played.games.values()) / (2 * max(1, len(played.games)))
    low, high = stats.wilson(won * len(played.games), len(played.games), 0.95)
    return f"{won:.1%} ({low:.1%} to {high:.1%})"


def time(files: Sequence[Json]) -> str:
    """The part on strength against time; nothing without two budgets."""
    found = _curves(files)
    if not found:
        return ""
    heads = " | ".join(f"`{opponent}`" for opponent in found)
    lines = [_TIME, f"| budget | ms a decision | {heads} |", "|---|---|" + "---|" * len(found)]
    for arm in BUDGETS:
        given = [arms[arm].ms for arms in found.values() if arm in arms]
        if given:
            cells = " | ".join(_cell(arms, arm) for arms in found.values())
            lines.append(f"| {arm} | {sum(given) / len(given):.2f} | {cells} |")
    return "\n".join([*lines, _FIGURE])


def one_table(found: Json | None) -> str:
    """The part on decisions at one table; nothing without evidence."""
    if found is None:
        return ""
    lines = [_TABLE.format(games=found["games_per_point"], seed=found["seeds"][0])]
    for point in found["points"]:
        counts = point["counts"]
        cells = []
        for clock in ("processor", "wall"):
            one = counts[clock]
            mean = one["sum"] / counts["decisions"]
            cells.append((f"{mean:.2f}", *(f"{longest(one['classes'], share):.3g}" for share in (0.99, 1.0))))
        shown = " | ".join(f"{mine} ({wall})" for mine, wall in zip(*cells, strict=True))
        lines.append(f"| `{point['series']}` | {counts['decisions']:,} | {shown} |")
    return "\n".join([*lines, ""])


def read_times(results: Path) -> Json | None:
    """The evidence on decisions at one table, if it is there."""
    file = results / "champion-times.json"
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else None


def _curves(files: Sequence[Json]) -> Found:
    """Opponents against which at least two budgets were played."""
    found = added(files)
    budgets = {name: {arm: arms[arm] for arm in BUDGETS if arm in arms} for name, arms in found.items()}
    return {name: arms for name, arms in budgets.items() if len(arms) > 1}


def draw(files: Sequence[Json], path: Path) -> None:
    """Draw strength against time, if there is evidence for it."""
    found = _curves(files)
    if found:
        save(path, "champion-time", lambda: _figure(found))


def _figure(found: Found) -> Any:
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7.2, 4.2), layout="constrained")
    for colour, mark, (name, arms) in zip(LINES, MARKERS, found.items(), strict=False):
        points = sorted((one.ms, *one.won()) for one in arms.values())
        x = [one[0] for one in points]
        y = [100 * one[1] for one in points]
        bars = [[100 * (one[1] - one[2]) for one in points], [100 * (one[3] - one[1]) for one in points]]
        axes.errorbar(
            x, y, bars, color=colour, marker=mark, markersize=4, capsize=2, linewidth=1.4, label=name
        )
    axes.set_xscale("log")
    axes.set_xlabel("milliseconds a decision")
    axes.set_ylabel("games won (%)")
    axes.legend(fontsize=8, frameon=False, ncols=3, loc="lower center", bbox_to_anchor=(0.5, 1.0))
    axes.grid(alpha=0.25)
    return figure
