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


class Line:
    """One kept connection that sends JSON and reads JSON: a client that costs little processor time."""

    def __init__(self, address: str, secret: str) -> None:
        host, _, port = address.removeprefix("http://").partition(":")
        self.host, self.port, self.secret = host, int(port), secret

    async def open(self) -> None:
        self.reader, self.writer = await asyncio.open_connection(self.host, self.port)

    async def post(self, path: str, body: object) -> tuple[int, Any]:
        data = json.dumps(body).encode()
        head = (
            f"POST {path} HTTP/1.1\r\nHost: {self.host}\r\nAuthorization: Bearer {self.secret}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(data)}\r\n\r\n"
        )
        self.writer.write(head.encode() + data)
        lines = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower().splitlines()
        length = next(int(line.split(":")[1]) for line in lines if line.startswith("content-length:"))
        return int(lines[0].split()[1]), json.loads(await self.reader.readexactly(length))


class Load:
    """Visitors and what they measured."""

    def __init__(self, address: str, think: float) -> None:
        self.address, self.think = address, think
        self.latencies: dict[str, list[float]] = {name: [] for name in OPPONENTS}
        self.faults: list[str] = []
        self.ended = 0
        self.playing = 0
        self.end = 0.0

    async def visitor(self, number: int) -> None:
        """One person who plays until the time is up."""
        rng = random.Random(number)
        line = Line(self.address, f"{number:043d}")
        await asyncio.sleep(self.think * rng.random())  # people do not come all at once
        await line.open()
        opponent = OPPONENTS[number % 2]
        state: dict[str, Any] | None = None
        while time.monotonic() < self.end:
            if state is None or state["phase"] == "game over":
                self.ended += state is not None
                self.playing += state is None
                _, state = await line.post("/api/games", {"opponent": opponent})
            await asyncio.sleep(self.think * rng.uniform(0.5, 1.5))
            move = choose(state, number)
            start = time.perf_counter()
            code, answer = await line.post(f"/api/games/{state['id']}/act", move)
            self.latencies[opponent].append(time.perf_counter() - start)
            if code != 200:
                self.faults.append(str(answer)[:200])
                return
            state = answer
        line.writer.close()


def share(values: list[float], part: float) -> float:
    return round(1000 * sorted(values)[min(len(values) - 1, int(part * len(values)))], 1) if values else 0.0


async def run(address: str, pid: int, games: int, seconds: float, think: float) -> dict[str, Any]:
    load = Load(address, think)
    load.end = time.monotonic() + seconds
    memory: list[float] = []
    before, own = processor_seconds(pid), time.process_time()
    everybody = [asyncio.create_task(load.visitor(number)) for number in range(games)]
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
