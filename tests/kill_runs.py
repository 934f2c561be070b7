"""Kill a match at random moments until it ends, and compare its counters with an undisturbed one.

    python tests/kill_runs.py [--kills 50] [--seed 1] [--driver]

Each attack hits the driver or a worker of ``ginrummy match`` with two workers at a random moment. It sends
SIGKILL; or SIGSTOP and, after a pause, SIGCONT, SIGKILL, or SIGKILL to the driver. With ``--driver`` every
attack is a SIGKILL of the driver. Then the same command goes on. At the end the journal holds the same counters as an undisturbed one, byte for byte (without the times).
pytest does not collect this file; ``test_kills.py`` runs a few of its attacks.
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

SHARD = 2000
PATIENCE = 300.0
"""Seconds without a new line in the journal, or without an end, after which a run hangs."""


Attack = Callable[[int, random.Random], str]
"""The driver's process, chance -> what was done to it or to its workers."""


class Report(NamedTuple):
    """What was done to a run, and what came of it."""

    blows: Counter[str]
    runs: int
    same: bool
    """Whether the counters are those of the undisturbed run."""


def command(journal: Path, games: int, workers: int) -> list[str]:
    words = ["match", "simple", "random", "--games", str(games), "--workers", str(workers), "--json"]
    return [sys.executable, "-m", "ginrummy", *words, "--journal", str(journal)]


def start(journal: Path, games: int, workers: int = 2) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command(journal, games, workers),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def counters(journal: Path) -> bytes:
    """The results of a journal by shard, without the times: the same bytes for the same games."""
    entries = [json.loads(line) for line in journal.read_bytes().splitlines()[1:]]
    results = {entry["shard"]: entry["result"] | {"seconds": None} for entry in entries}
    return json.dumps([results[shard] for shard in sorted(results)], sort_keys=True).encode()


def lines(journal: Path) -> int:
    return journal.read_bytes().count(b"\n") if journal.exists() else 0


def children(pid: int) -> list[int]:
    with suppress(OSError):
        return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return []


def strike(driver: int, chance: random.Random) -> str:
    """One blow; its name."""
    workers = children(driver)
    victim = chance.choice([driver, *workers])
    whom = "driver" if victim == driver else "worker"
    how = chance.choice(["killed", "killed", "stopped and continued", "stopped and killed", "driver killed"])
    with suppress(ProcessLookupError):
        if how == "killed":
            os.kill(victim, signal.SIGKILL)
            return f"{whom} killed"
        os.kill(victim, signal.SIGSTOP)
        time.sleep(chance.uniform(0.0, 0.5))
        if how == "driver killed":  # while a worker, or it itself, is stopped
            os.kill(driver, signal.SIGKILL)
            return f"{whom} stopped, driver killed"
        os.kill(victim, signal.SIGKILL if how == "stopped and killed" else signal.SIGCONT)
        return f"{whom} {how}"
    return "missed"


def ended(process: subprocess.Popen[bytes]) -> str:
    """What a run said at its end; one that does not end is an error."""
    try:
        said = process.communicate(timeout=PATIENCE)[1].decode()
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        raise AssertionError("a run hangs") from None
    assert "Traceback" not in said, said
    return said


def kill_driver(driver: int, chance: random.Random) -> str:
    """Kill the driver; what was done."""
    with suppress(ProcessLookupError):
        os.kill(driver, signal.SIGKILL)
        return "driver killed"
    return "missed"


def torment(folder: Path, kills: int, seed: int, games: int = 400_000, attack: Attack = strike) -> Report:
    """Strike so many blows at runs of one match, one after the other, and let the last one end."""
    chance = random.Random(seed)
    whole, struck = folder / "whole.jsonl", folder / "struck.jsonl"
    undisturbed = start(whole, games)
    said = ended(undisturbed)
    assert undisturbed.returncode == 0, said
    expected = counters(whole)
    blows: Counter[str] = Counter()
    runs = 0
    while sum(blows.values()) < kills:
        run = start(struck, games)
        runs += 1
        before = lines(struck)
        end = time.monotonic() + PATIENCE
        while lines(struck) <= max(1, before) and run.poll() is None:
            assert time.monotonic() < end, "a run makes no progress"
            time.sleep(0.005)
        while run.poll() is None and sum(blows.values()) < kills:
            time.sleep(chance.uniform(0.0, 0.3))
            blow = attack(run.pid, chance)
            blows[blow] += blow != "missed"
            if "continued" not in blow:
                break
        team = children(run.pid)
        said = ended(run)
        assert "another run" not in said, said  # a journal of other code would be refused without end
        if lines(struck) > games // SHARD:  # it has ended; the torment begins again
            assert counters(struck) == expected, "other counters"
            struck.unlink()
        until_dead(team)
    ended(start(struck, games))
    return Report(blows, runs, counters(struck) == expected)


def until_dead(pids: list[int]) -> None:
    """No worker outlives its driver."""
    end = time.monotonic() + 10
    while alive := [pid for pid in pids if _runs(pid)]:
        assert time.monotonic() < end, f"workers {alive} outlive their driver"
        time.sleep(0.01)


def _runs(pid: int) -> bool:
    with suppress(OSError):
        stat = Path(f"/proc/{pid}/stat").read_text()
        return (
            "ginrummy" in Path(f"/proc/{pid}/cmdline").read_text()
            and stat.rpartition(")")[2].split()[0] != "Z"
        )
    return False


def main() -> None:
    reader = argparse.ArgumentParser()
    reader.add_argument("--kills", type=int, default=50)
    reader.add_argument("--seed", type=int, default=1)
    reader.add_argument("--driver", action="store_true")
    asked = reader.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        attack = kill_driver if asked.driver else strike
        report = torment(Path(folder), asked.kills, asked.seed, attack=attack)
    result: dict[str, Any] = {"blows": dict(report.blows), "runs": report.runs, "same_bytes": report.same}
    print(json.dumps(result, indent=2))
    sys.exit(not report.same)


if __name__ == "__main__":
    main()
