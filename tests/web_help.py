"""Helpers of the tests of the page: a server in a process of its own, and a client that plays whole games."""

import os
import queue
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx


class Server:
    """``ginrummy serve`` in a process of its own."""

    def __init__(self, database: Path | str, port: int = 0, *more: str) -> None:
        words = ["serve", "--port", str(port), "--database", str(database), "--no-browser", *more]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "ginrummy", *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=os.environ | {"PYTHONUNBUFFERED": "1"},
        )
        self.lines: list[str] = []
        found: queue.Queue[str | None] = queue.Queue()

        def read() -> None:
            assert self.process.stdout
            for line in self.process.stdout:
                self.lines.append(line)
                if match := re.search(r"http://\S+", line):
                    found.put(match.group().rstrip("/"))
            found.put(None)

        threading.Thread(target=read, daemon=True).start()
        address = found.get(timeout=240)
        assert address, "".join(self.lines)
        self.address: str = address
        self.port = int(address.rpartition(":")[2])

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(10)

    def stop(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.kill()


@contextmanager
def serving(database: Path | str, *more: str) -> Iterator[Server]:
    server = Server(database, 0, *more)
    try:
        yield server
    finally:
        server.stop()


def choose(state: dict[str, Any], careless: int = 0) -> dict[str, Any]:
    """A sensible action: take what lowers nothing is refused, keep the least deadwood, knock when allowed.

    ``careless`` varies the play, so that games differ.
    """
    move: dict[str, Any] = {"moves": state["moves"]}
    match state["phase"]:
        case "round over":
            return move | {"action": "deal"}
        case "defend":
            return move | {"action": "defend"}
        case "knock":
            return move | {"action": "knock"}
        case "draw":
            other = "pass" if "pass" in state["actions"] else "draw"
            take = "take" in state["actions"] and (state["moves"] + careless) % 5 == 0
            return move | {"action": "take" if take or other not in state["actions"] else other}
    best = min(state["discards"], key=lambda found: found["left"])
    action = move | {"action": "discard", "card": best["card"]}
    return action | ({"then": "knock"} if best["knocks"] else {})


def play_game(
    client: Any, opponent: str = "simple", rules: str = "eaai", careless: int = 0
) -> dict[str, Any]:
    """Play a whole game by the API; ``client`` has ``get`` and ``post`` as httpx."""
    answer = client.post("/api/games", json={"opponent": opponent, "rules": rules})
    assert answer.status_code == 201, answer.text
    state = answer.json()
    while state["phase"] != "game over":
        answer = client.post(f"/api/games/{state['id']}/act", json=choose(state, careless))
        assert answer.status_code == 200, answer.text
        state = answer.json()
    return state


def visitor(address: str) -> httpx.Client:
    """A client with cookies of its own."""
    return httpx.Client(base_url=address, timeout=30, trust_env=False)


def wait_for(condition: Any, seconds: float = 20.0) -> None:
    """Wait until something is true."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.05)
