"""What was tried with champion's search, for its page: small matches."""

from itertools import pairwise
from pathlib import Path
from typing import Any

from ginrummy.experiments.champion.arms import read_arms

Json = dict[str, Any]

_TRIED = """## What was tried with search

Small matches, by which settings were chosen, in the order in which they were recorded
(`results/champion-arms.jsonl`). They are no measure of strength: the best of many arms is lucky, and all of
them share a few seeds. "±" is a standard error; the time is processor time for a decision in a batch.

| search | opponent | won | games | seed | points a round | ms | what it asks |
|---|---|---|---|---|---|---|---|"""


_POSITIONS = """
Arms compared at recorded decisions of the network (`results/champion-positions.jsonl`): where an arm answers
otherwise than the network, both answers are played on with the hand that the opponent truly held. The gain is
that of the chance to win the game, in hundredths, for each decision and for a round; "±" is a standard error.
"More" compares with the first arm of the same opponent, on the same decisions. The last column says who
played both answers on for the own side. An arm is named by how it differs from the `level=default` of its
day; the lines are in the order in which they were measured. Those judged by `hand-strength` are the oldest:
the search that they measured played by the fast rule (`plays=rule`).

| arm | opponent | decisions | draws | discards | knocks | gain a round | more, a round | judge |
|---|---|---|---|---|---|---|---|---|"""
_LEADS = """
Where the gain comes from, by how sure the network was: how far the logit of its answer was ahead of the next
one (a lead of 3 is a chance of 95 % between two answers, of 6 one of 99.8 %). Gains are in
hundredths of a chance to win.

| arm | opponent | lead | decisions a round | changed | gain a round |
|---|---|---|---|---|---|"""
OLDER_JUDGE = "hand-strength:profile=tuned"
"""Who played on in the lines that do not say."""


def read(results: Path) -> str:
    """The part of the page on what was tried, from the diaries in a folder."""
    found = section(read_arms(results / "champion-arms.jsonl"))
    file = results / "champion-positions.jsonl"
    return found + positions(read_arms(file)) if file.exists() else found


def positions(lines: list[Json]) -> str:
    """The table of arms at recorded decisions."""
    told = [line for line in lines if "by_lead" in line]
    leads = [_LEADS, *(row for line in told for row in _by_lead(line)), ""] if told else []
    return "\n".join([_POSITIONS, *map(_position, lines), "", *leads])


def _by_lead(line: Json) -> list[str]:
    bounds = [f"{one['from']:g}" for one in line["by_lead"]]
    names = [f"{low} to {high}" for low, high in pairwise(bounds)] + [f"{bounds[-1]} and more"]
    arm = f"| `{line['arm'] or 'default'}` | `{line['opponent']}` |"
    return [
        f"{arm} {name} | {one['decisions_per_round']:.1f} | "
        f"{one['changed']:.1%} | {_hundredths(one['gain_per_round'], 2)} |"
        for name, one in zip(names, line["by_lead"], strict=True)
    ]


def _position(line: Json) -> str:
    kinds = [line[name] for name in ("draws", "discards", "knocks")]
    number = sum(kind["decisions"] for kind in kinds)
    gains = " | ".join(_hundredths(kind["gain"], 3) for kind in kinds)
    return (
        f"| `{line['arm'] or 'default'}` | `{line['opponent']}` | {number:,} | {gains} | "
        f"{_hundredths(line['gain_per_round'], 2)} | {_hundredths(line['more_per_round'], 2)} | "
        f"{line.get('judge', OLDER_JUDGE)} |"
    )


def _hundredths(found: list[float], digits: int) -> str:
    mean, error = found
    return f"{100 * mean:+.{digits}f} ± {100 * error:.{digits}f}"


def section(arms: list[Json]) -> str:
    """The part of the page on what was tried."""
    return "\n".join([_TRIED, *map(_arm, arms), ""])


def _arm(arm: Json) -> str:
    low, high = arm["pair_ci95_a"]
    ahead = arm["points_per_round_a"] - arm["points_per_round_b"]
    settings = arm["player_a"].partition(":")[2].removeprefix("level=") or "fast"
    rules = "" if arm["rules"] == "eaai" else f" under `{arm['rules']}`"
    won = f"{arm['win_rate_a']:.1%} ± {(high - low) / 3.92:.1%}"
    return (
        f"| `{settings}` | `{arm['player_b']}`{rules} | {won} | "
        f"{arm['games']} | {arm['seed']} | {ahead:+.2f} | {arm['decision_ms_mean_a']:.2f} | {arm['note']} |"
    )
