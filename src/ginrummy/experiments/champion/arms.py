"""A diary of the small matches by which settings of champion's search were chosen: one line of JSON each.

    ginrummy match champion:level=default,gate=2 simple --games 200 --seed 21 --out arm.json
    python -m ginrummy.experiments.champion.arms results/champion-arms.jsonl arm.json --note "gate of 2"

They say what was tried and what failed. The best of many arms is lucky: strength is measured anew, on fresh
seeds, with settings fixed before.
"""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

Json = dict[str, Any]
KEPT = (
    "player_a", "player_b", "rules", "seed", "games", "win_rate_a", "pair_ci95_a", "points_per_round_a",
    "points_per_round_b", "knock_rate", "gin_rate", "undercut_rate", "decision_ms_mean_a",
)  # fmt: skip
MADE = ("code", "commit", "made")


def line_of(match: Json, note: str) -> Json:
    """What the diary keeps of the result of a match."""
    made = match["provenance"]
    return {"note": note} | {key: match[key] for key in KEPT} | {key: made[key] for key in MADE}


def read_arms(path: Path) -> list[Json]:
    """The lines of the diary."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def main(words: list[str]) -> None:
    """Append the results of matches to the diary; those that it has are left out."""
    parser = argparse.ArgumentParser(prog="python -m ginrummy.experiments.champion.arms")
    parser.add_argument("diary", type=Path)
    parser.add_argument("matches", type=Path, nargs="+")
    parser.add_argument("--note", default="")
    given = parser.parse_args(words)
    known = read_arms(given.diary) if given.diary.exists() else []
    found = [line_of(json.loads(path.read_text(encoding="utf-8")), given.note) for path in given.matches]
    times = {line["made"] for line in known}
    with given.diary.open("a", encoding="utf-8") as file:
        for line in found:
            if line["made"] not in times:
                file.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
