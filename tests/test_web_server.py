"""The server as a process: killed in the middle of games, wrong arguments, and what others can reach."""

import os
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import httpx
import pytest

from ginrummy.web.desk import MOST_WAITING, Lane, TooMany
from web_help import Server, choose, serving, visitor


def test_a_killed_server_loses_no_finished_move(tmp_path: Path) -> None:
    database = tmp_path / "games.sqlite"
    server = Server(database)
    answered: dict[str, dict[str, Any]] = {}
    with visitor(server.address) as client:
        for opponent in ("simple", "hand-strength", "champion"):
            state = client.post("/api/games", json={"opponent": opponent}).json()
            answered[state["id"]] = state

        def play() -> None:
            """Play all games on until the server is gone."""
            for _ in range(400):
                for game, state in list(answered.items()):
                    if state["phase"] == "game over":
                        continue
                    try:
                        answer = client.post(f"/api/games/{game}/act", json=choose(state))
                    except httpx.HTTPError:
                        return
                    answered[game] = answer.json()
                    played.set() if len(answered[game]["sheet"]) else None

        played = threading.Event()
        thread = threading.Thread(target=play)
        thread.start()
        assert played.wait(60)  # a round is over: the games are in their middle
        server.kill()
        thread.join(30)
        cookies = client.cookies
    again = Server(database, server.port)
    try:
        with visitor(again.address) as client:
            client.cookies = cookies
            for game, before in answered.items():
                state = client.get(f"/api/games/{game}").json()
                # The move under way when the server died may have been stored, but not told.
                assert state["moves"] in (before["moves"], before["moves"] + 1)
                if state["moves"] == before["moves"]:
                    assert state == before
                if state["phase"] != "game over":
                    following = client.post(f"/api/games/{game}/act", json=choose(state))
                    assert following.status_code == 200 and following.json()["moves"] == state["moves"] + 1
    finally:
        again.stop()


def run(*words: str, **env: str) -> subprocess.CompletedProcess[str]:
    call = [sys.executable, "-m", "ginrummy", "serve", "--no-browser", *words]
    return subprocess.run(call, capture_output=True, text=True, env=os.environ | env, timeout=120)


def test_wrong_arguments_are_one_line(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        done = run("--port", port, "--database", str(tmp_path / "x.sqlite"))
    assert done.returncode == 2 and done.stderr.startswith("ginrummy: cannot serve at 127.0.0.1 port")
    done = run("--port", "0", "--database", "nonsense://x")
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and "nonsense" in done.stderr


def test_the_server_is_reached_from_this_machine_only_and_serves_the_pages(tmp_path: Path) -> None:
    with serving(tmp_path / "games.sqlite") as server, visitor(server.address) as client:
        assert server.address.startswith("http://127.0.0.1:")
        for place, words in (("/", "Deal"), ("/games", "My games"), ("/quiz", "quiz"), ("/api", "JSON API")):
            answer = client.get(place)
            assert answer.status_code == 200 and words in answer.text
            assert "default-src 'self'" in answer.headers["content-security-policy"]
        assert "no game with this id" in client.get("/game/nothing").text
        addresses = {found[4][0] for found in socket.getaddrinfo(socket.gethostname(), None)}
        for address in addresses - {"127.0.0.1", "::1", "127.0.1.1"}:
            with pytest.raises(OSError), socket.create_connection((address, server.port), timeout=2):
                pass


def test_a_lane_serves_visitors_in_turn_and_says_who_is_ahead() -> None:
    lane = Lane("test")
    gate, begun, order = threading.Event(), threading.Event(), []
    first = lane.submit("ann", lambda: begun.set() or gate.wait())
    assert begun.wait(10)
    work = [lane.submit(name, lambda name=name: order.append(name)) for name in ("ann", "ann", "bob", "cid")]
    assert lane.ahead("ann") == 0 and lane.ahead("bob") == 2 and lane.ahead("cid") == 3 and lane.busy("bob")
    gate.set()
    for done in (first, *work):
        done.result(10)
    assert order == ["ann", "bob", "cid", "ann"]
    gate.clear()
    lane.submit("ann", gate.wait)
    with pytest.raises(TooMany):
        for _ in range(MOST_WAITING + 2):
            lane.submit("ann", gate.wait)
    gate.set()
    lane.close()
    with pytest.raises(TooMany):
        lane.submit("ann", gate.wait)
