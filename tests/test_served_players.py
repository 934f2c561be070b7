"""Our players in other programs: sights made from calls alone, the server, the Java class, a Java tournament."""

import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from following_players import Sitting
from ginrummy import following, sim
from ginrummy.bridges.eaai import client
from ginrummy.bridges.eaai.onlooker import Onlooker
from ginrummy.bridges.eaai.server import PORT, VERSION, BotServer
from ginrummy.errors import BadInput, UnknownName
from ginrummy.players.base import one_by_one
from ginrummy.players.registry import make_player
from ginrummy.rules import EAAI
from ginrummy.view import from_sights
from java_players import compile_files, compile_players, needs_java

SEED = 3


def onlooking(spec_or_player) -> Sitting:
    player = make_player(spec_or_player) if isinstance(spec_or_player, str) else spec_or_player
    return Sitting(lambda game: Onlooker(player, SEED, lambda: game), "onlooker")


@pytest.mark.parametrize("spec", ["simple", "random", "hand-strength", "champion:level=fast"])
def test_a_player_decides_from_calls_as_it_does_in_the_simulator(spec: str) -> None:
    """Every sight and every uniform number is the same, or some game would differ."""
    games, other = range(4, 16), make_player("simple")
    for pair in ((onlooking(spec), other), (other, onlooking(spec))):
        run = following.play(*pair, games, EAAI, SEED)
        ours = [make_player(spec) if isinstance(player, Sitting) else player for player in pair]
        assert (run.games == sim.play(*ours, games, EAAI, SEED).games).all()
        assert (run.forfeits == following.NOBODY).all()


def test_the_sights_are_those_of_the_simulator() -> None:
    def watching(seen: list[object]):
        quick = make_player("simple")

        def note(question):
            def decide(sight, u):
                seen.append((question, sight, u))
                given = getattr(quick, question)(from_sights([sight]), np.zeros(1, np.int64), np.array([u]))[
                    0
                ]
                return [m for m in given.tolist() if m] if question == "spread" else given.item()

            return decide

        return one_by_one("watching", *map(note, ("draw", "discard", "knock", "spread")))

    told: list[object] = []
    known: list[object] = []
    other = make_player("simple")
    following.play(other, onlooking(watching(told)), range(1), EAAI, SEED)
    sim.play(other, watching(known), range(1), EAAI, SEED)
    assert len(told) > 50 and told == known


@contextmanager
def served(spec: str) -> Iterator[BotServer]:
    with BotServer(spec, "127.0.0.1", 0, SEED) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def talk(server: BotServer, *lines: str) -> list[str]:
    with socket.create_connection(server.server_address[:2], timeout=30) as line:
        line.sendall("".join(f"{text}\n" for text in lines).encode())
        line.shutdown(socket.SHUT_WR)
        return line.makefile().read().splitlines()


HELLO = f"ginrummy {VERSION}"
DEAL = "deal 1 0 AC 2C 3C 5H 5S 5D 9C 9H 9S KD"


def test_the_server_answers_questions_and_names_what_cannot_be() -> None:
    with served("simple") as server:
        assert talk(server, HELLO) == [f"{HELLO} simple"]
        assert talk(server, HELLO, DEAL, "wants 4C") == [f"{HELLO} simple", "yes"]
        after = [HELLO, DEAL, "wants KC", "drew 0 -", "discarded 0 4C", "wants 4C", "drew 1 4C", "discard"]
        assert talk(server, *after)[1:] == ["no", "yes", "KD"]
        *_, melds = talk(server, *after, "discarded 1 KD", "melds")
        assert melds.startswith("melds ")
        laid = melds.removeprefix("melds ").split(" | ")
        assert sorted(laid) == ["5H 5S 5D", "9C 9H 9S", "AC 2C 3C 4C"]
        for lines, says in [
            (["hello"], "expected 'ginrummy 1'"),
            ([HELLO, "discard"], "expected a deal first"),
            ([HELLO, "sing"], "expected a call of the protocol"),
            ([HELLO, DEAL.replace("KD", "1X")], "expected a card"),
            ([HELLO, DEAL.replace("KD", "AC")], "twice"),
            ([HELLO, DEAL.replace("deal 1", "deal 7")], "expected seat 0 or 1"),
            ([HELLO, DEAL, "discarded 0 2H"], "expected a draw before a discard"),
            ([HELLO, "scored a b"], "invalid literal"),
            ([HELLO, "x" * 2000], "at most 1000 bytes"),
        ]:
            assert talk(server, *lines)[-1].startswith("error ") and says in talk(server, *lines)[-1]


def test_what_cannot_be_served_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="unknown player"):
        BotServer("nobody", "127.0.0.1", 0, 1)
    with served("simple") as server, pytest.raises(BadInput, match=r"cannot listen at 127.0.0.1"):
        BotServer("simple", "127.0.0.1", server.server_address[1], 1).server_close()
    (tmp_path / "file").touch()
    for name, package, place in [
        ("1st", "", tmp_path),
        ("A", "a-b", tmp_path),
        ("A", "b", tmp_path / "file"),
    ]:
        with pytest.raises(BadInput):
            client.write(place, name, package, "127.0.0.1", PORT)


@needs_java
@pytest.mark.parametrize("package", ["ginrummy", ""])
def test_our_player_enters_a_java_tournament(package: str, tmp_path: Path) -> None:
    """Two games of the command's own player and class against a Java player, in a Java program."""
    classes = compile_players(tmp_path / "players", "Legal", "Tournament", package=package)
    words = [sys.executable, "-m", "ginrummy"]
    call = [*words, "serve-bot", "hand-strength", "--port", "0"]
    with subprocess.Popen(call, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout
            address = server.stdout.readline().split(" listens at ")[1].split(";")[0]
            port = address.split(":")[1]
            made = [
                *words,
                "java-client",
                str(tmp_path / "ours"),
                "--package",
                package,
                "--class",
                "Ours",
                "--port",
                port,
            ]
            done = subprocess.run(made, capture_output=True, text=True)
            file = Path(done.stdout.strip().removeprefix("written to "))
            assert done.returncode == 0 and file.name == "Ours.java", done.stderr
            compile_files(classes, file, classpath=classes)
            dot = f"{package}." if package else ""
            play = ["java", "-cp", str(classes), f"{dot}Tournament", f"{dot}Ours", f"{dot}Legal", "3", "5"]
            played = subprocess.run(play, capture_output=True, text=True, timeout=300)
        finally:
            server.terminate()
    assert played.returncode == 0, played.stderr
    games = played.stdout.splitlines()
    assert len(games) == 3 and all(" wins " in game for game in games), played.stdout
    assert not played.stderr


@needs_java
def test_without_a_server_the_class_says_how_to_start_one(tmp_path: Path) -> None:
    classes = compile_players(tmp_path / "players", "Legal", "Tournament")
    file = client.write(tmp_path / "ours", "Ours", "ginrummy", "127.0.0.1", 1)
    compile_files(classes, file, classpath=classes)
    play = ["java", "-cp", str(classes), "ginrummy.Tournament", "ginrummy.Ours", "ginrummy.Legal", "1", "5"]
    played = subprocess.run(play, capture_output=True, text=True)
    assert played.returncode and "start one with: ginrummy serve-bot PLAYER --port 1" in played.stderr
