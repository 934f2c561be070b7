"""What was tried with champion's search, for its page: small matches."""

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


def read(results: Path) -> str:
    """The part of the page on what was tried, from the diary in a folder."""
    return section(read_arms(results / "champion-arms.jsonl"))


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
