"""What was tried with champion's search, for its page: small matches, and answers at recorded positions."""

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

_POSITIONS = """### At recorded positions

Decisions of the network in games against `hand-strength:profile=code`; each answer that search changed was
judged with the true hand (`experiments.champion.positions`, `results/champion-positions.jsonl`). The gain is
in chances to win the game, with standard errors. "More" compares with the first line of the same games,
decision by decision.

| belief | search | games | gain a round | discards changed | more for each | knocks changed | more for each |
|---|---|---|---|---|---|---|---|"""


def read(results: Path) -> str:
    """The part of the page on what was tried, from the files of a folder."""
    arms, positions = (read_arms(results / f"champion-{name}.jsonl") for name in ("arms", "positions"))
    return section(arms, positions)


def section(arms: list[Json], positions: list[Json]) -> str:
    """The part of the page on what was tried."""
    lines = [_TRIED, *map(_arm, arms), "", _POSITIONS, *map(_position, positions), ""]
    return "\n".join(lines)


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


def _position(line: Json) -> str:
    gain, error = line["gain_per_round"]
    cells = [line["belief"], f"`{line['arm']}`", str(line["games"]), f"{gain:+.3f} ± {error:.3f}"]
    for kind in (line["discards"], line["knocks"]):
        more, unsure = kind["more_than_first"]
        cells += [f"{kind['changed']:.0%}", f"{more:+.4f} ± {unsure:.4f}"]
    return f"| {' | '.join(cells)} |"
