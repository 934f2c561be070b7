"""Speed and memory of Java players, measured by hand: not part of the suite.

    python tests/java_growth.py build/java results/java-bridge.json

The first argument is the directory of the compiled test players (``javac -d build/java tests/java/*.java``).
A trivial Java player and one that works out melds play 20,000 games against ``simple`` in one process each.
"""

import json
import subprocess
import sys
from pathlib import Path
from time import process_time

GAMES, STEP = 20_000, 2_000
KINDS = ("Trivial", "Legal")


def resident() -> float:
    """Memory of this process in MB."""
    line = next(x for x in Path("/proc/self/status").read_text().splitlines() if x.startswith("VmRSS"))
    return round(int(line.split()[1]) / 1024, 1)


def measure(spec: str) -> dict[str, object]:
    from ginrummy.players.registry import make_player
    from ginrummy.tournament import count_shard

    simple_rounds, memory, seconds = 0, [], 0.0
    payload = {"players": [spec, "simple"], "rules": "eaai", "seed": 1, "forfeits": True}
    count_shard(payload | {"start": 0, "stop": 500})  # compile and load first
    assert make_player(spec).sit
    for start in range(0, GAMES, STEP):
        memory.append(resident())
        begin = process_time()
        for first in range(start, start + STEP, 500):
            counts = count_shard(payload | {"start": first, "stop": first + 500})
            assert counts["forfeits"] == [0, 0]
            simple_rounds += sum(counts["outcomes"])
        seconds += process_time() - begin
    memory.append(resident())
    return {
        "player": spec,
        "games": GAMES,
        "rounds_per_game": simple_rounds / GAMES,
        "games_per_second": round(GAMES / seconds, 1),
        "rounds_per_second": round(simple_rounds / seconds, 1),
        "resident_mb_every_2000_games": memory,
    }


def main(classes: str, out: str) -> None:
    from ginrummy.evidence import provenance, write_evidence

    found = []
    for kind in KINDS:
        call = [sys.executable, __file__, "--one", f"eaai:ginrummy.{kind}@{classes}"]
        found.append(json.loads(subprocess.run(call, check=True, capture_output=True, text=True).stdout))
        print(json.dumps(found[-1]), flush=True)
    specs = [str(one["player"]) for one in found]
    result = {"opponent": "simple", "seed": 1, "clock": "processor time of one process", "players": found}
    made = provenance(*specs) | {"command": f"python tests/java_growth.py {classes} {out}"}
    write_evidence(Path(out), result | {"provenance": made})


if __name__ == "__main__":
    if sys.argv[1] == "--one":
        print(json.dumps(measure(sys.argv[2])))
    else:
        main(*sys.argv[1:3])
