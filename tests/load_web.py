"""Load: many games in progress at once against a server in a process of its own, on loopback.

    python tests/load_web.py --games 200 --seconds 60 --think 2

Every visitor thinks for a while (uniform between half and one and a half times ``--think`` seconds), acts, and waits
for the answer; games that end are followed by new ones. Half of them play ``simple``, half ``hand-strength``. Prints
one JSON object: latencies of moves, processor time of the server for each move, and its memory over time.
"""

import argparse
import asyncio
import json
import os
import random
import tempfile
import time
from pathlib import Path
from typing import Any

import httpx

from web_help import choose, serving

OPPONENTS = ("simple", "hand-strength")
TICK = os.sysconf("SC_CLK_TCK")


def processor_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def memory_mb(pid: int) -> float:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return 0.0


class Load:
    """Visitors and what they measured."""

    def __init__(self, address: str, think: float) -> None:
        self.address, self.think = address, think
        self.latencies: dict[str, list[float]] = {name: [] for name in OPPONENTS}
        self.faults: list[str] = []
        self.ended = 0
        self.playing = 0
        self.end = 0.0

    async def visitor(self, number: int, client: httpx.AsyncClient) -> None:
        """One person who plays until the time is up."""
        rng = random.Random(number)
        head = {"authorization": f"Bearer {number:043d}"}
        opponent = OPPONENTS[number % 2]
        state: dict[str, Any] | None = None
        while time.monotonic() < self.end:
            if state is None or state["phase"] == "game over":
                self.ended += state is not None
                answer = await client.post("/api/games", json={"opponent": opponent}, headers=head)
                self.playing += state is None
                state = answer.json()
            await asyncio.sleep(self.think * rng.uniform(0.5, 1.5))
            start = time.perf_counter()
            move = choose(state, number)
            answer = await client.post(f"/api/games/{state['id']}/act", json=move, headers=head)
            self.latencies[opponent].append(time.perf_counter() - start)
            if answer.status_code != 200:
                self.faults.append(answer.text[:200])
                return
            state = answer.json()


def share(values: list[float], part: float) -> float:
    return round(1000 * sorted(values)[min(len(values) - 1, int(part * len(values)))], 1) if values else 0.0


async def run(address: str, pid: int, games: int, seconds: float, think: float) -> dict[str, Any]:
    load = Load(address, think)
    load.end = time.monotonic() + seconds
    limits = httpx.Limits(max_connections=games, max_keepalive_connections=games)
    memory: list[float] = []
    before, own = processor_seconds(pid), time.process_time()
    async with httpx.AsyncClient(base_url=address, timeout=60, limits=limits, trust_env=False) as client:
        everybody = [asyncio.create_task(load.visitor(number, client)) for number in range(games)]
        while time.monotonic() < load.end:
            memory.append(round(memory_mb(pid), 1))
            await asyncio.sleep(max(0.5, seconds / 12))
        await asyncio.gather(*everybody)
        memory.append(round(memory_mb(pid), 1))
    spent = processor_seconds(pid) - before
    moves = sum(map(len, load.latencies.values()))
    return {
        "games_in_progress": load.playing,
        "games_ended": load.ended,
        "seconds": seconds,
        "think_seconds": think,
        "moves": moves,
        "moves_per_second": round(moves / seconds, 1),
        "ms_by_opponent": {
            name: {
                "p50": share(found, 0.5),
                "p95": share(found, 0.95),
                "p99": share(found, 0.99),
                "max": share(found, 1),
            }
            for name, found in load.latencies.items()
        },
        "ms_p95": share([value for found in load.latencies.values() for value in found], 0.95),
        "server_processor_ms_per_move": round(1000 * spent / max(1, moves), 2),
        "client_processor_seconds": round(time.process_time() - own, 1),
        "memory_mb": memory,
        "faults": load.faults,
        "machine_load": os.getloadavg()[0],
    }


def measure(games: int, seconds: float, think: float) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as place, serving(Path(place) / "games.sqlite") as server:
        return asyncio.run(run(server.address, server.process.pid, games, seconds, think))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--think", type=float, default=2.0)
    asked = parser.parse_args()
    print(json.dumps(measure(asked.games, asked.seconds, asked.think), indent=2))


if __name__ == "__main__":
    main()
