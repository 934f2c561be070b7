"""The command line as a user meets it: right answers, and one clear line for every wrong word."""

import csv
import errno
import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from ginrummy import bench, cli
from ginrummy.players.registry import player_names
from ginrummy.runs import RunError

CONTRACT = {
    "player_a", "player_b", "rules", "seed", "games", "wins_a", "win_rate_a", "wilson90_a", "pair_ci95_a",
    "mean_margin_a", "median_margin_a", "share_won_by_100_a", "rounds", "rounds_per_game", "turns_per_round",
    "gin_rate", "knock_rate", "undercut_rate", "dead_rate", "points_per_round_a", "points_per_round_b",
    "capped_rounds", "decision_ms_mean_a", "decision_ms_mean_b", "seconds", "provenance",
}  # fmt: skip


def run(*words: str, state: Path, text: str = "") -> subprocess.CompletedProcess[str]:
    env = os.environ | {"GINRUMMY_STATE": str(state), "COLUMNS": "100"}
    call = [sys.executable, "-m", "ginrummy", *words]
    return subprocess.run(call, capture_output=True, text=True, input=text, env=env, timeout=300)


ERRORS = {
    "unknown player": (
        ["match", "nobody", "simple"],
        "unknown player 'nobody': choose one of random, simple, knocking, estimating, hitting, medium-kh",
    ),
    "unknown key": (["match", "simple:x=1", "simple"], "player simple has no parameter 'x=1'"),
    "unknown rules": (
        ["match", "simple", "simple", "--rules", "bridge"],
        "unknown rules 'bridge': choose one of eaai",
    ),
    "unknown rule": (["match", "simple", "simple", "--rules", "eaai:x=1"], "unknown rule 'x=1'"),
    "bad rule value": (
        ["match", "simple", "simple", "--rules", "eaai:target=x"],
        "target takes a whole number",
    ),
    "useless rules": (
        ["match", "simple", "simple", "--rules", "eaai:target=0"],
        "rule target must be from 1 to 1000000, not 0",
    ),
    "zero games": (["match", "simple", "simple", "--games", "0"], "--games"),
    "too many games": (["match", "simple", "simple", "--games", str(10**20)], "too many games for one run"),
    "games in words": (["match", "simple", "simple", "--games", "ten"], "--games"),
    "negative seed": (["match", "simple", "simple", "--seed", "-1"], "--seed"),
    "huge seed": (["match", "simple", "simple", "--games", "2", "--seed", str(2**63)], "seed"),
    "no workers": (["match", "simple", "simple", "--workers", "0"], "--workers"),
    "one player": (["match", "simple"], "Missing argument"),
    "no such command": (["mach"], "No such command 'mach'"),
    "no such option": (["match", "simple", "simple", "--game", "3"], "No such option"),
    "unwritable file": (
        ["match", "simple", "simple", "--out", "/no/such/place.json"],
        "cannot write /no/such/place.json",
    ),
    "directory as file": (["match", "simple", "simple", "--out", "/"], "cannot write /"),
    "unwritable journal": (
        ["match", "simple", "simple", "--journal", "/no/such/j"],
        "cannot write /no/such/j",
    ),
    "one in a tournament": (["tournament", "simple"], "two or more different players"),
    "twice in a tournament": (["tournament", "simple", "simple"], "two or more different players"),
    "bench out": (["bench", "--out", "/no/such/place.json"], "cannot write"),
    "unknown opponent": (["play", "--against", "nobody"], "unknown player 'nobody'"),
    "play rules": (["play", "--rules", "bridge"], "unknown rules 'bridge'"),
    "play save": (["play", "--save", "/no/such/game.gin"], "cannot write"),
}


@pytest.mark.parametrize("case", ERRORS)
def test_a_mistake_is_one_clear_line_and_exit_code_2(case: str, tmp_path: Path) -> None:
    words, message = ERRORS[case]
    done = run(*words, state=tmp_path)
    assert done.returncode == 2, done
    assert done.stdout == ""
    (line,) = [line for line in done.stderr.splitlines() if line.strip()]
    assert line.startswith("ginrummy: ")
    assert message in line
    assert "Traceback" not in done.stderr


LENGTHY = {
    "three thousand dots": ["match", "py:" + ".".join("a" * 3000) + "@make", "simple"],
    "a long name": ["match", "x" * 3000, "simple"],
    "a long name of many words": ["match", "some words " * 300, "simple"],
    "long rules": ["match", "simple", "simple", "--rules", "y" * 3000],
    "a long file": ["replay", "z" * 3000],
    "a long option": ["match", "simple", "simple", "--" + "o" * 3000],
    "a long command": ["q" * 3000],
    "a long option of many words": ["match", "simple", "simple", "--" + "some words " * 300],
    "many arguments": ["match", "simple", "simple", *["words"] * 600],
}


@pytest.mark.parametrize("case", LENGTHY)
def test_an_error_line_repeats_little_of_what_was_given(case: str, tmp_path: Path) -> None:
    done = run(*LENGTHY[case], state=tmp_path)
    (line,) = done.stderr.splitlines()
    given = " ".join(["words"] * 600) if case == "many arguments" else max(LENGTHY[case], key=len)
    assert done.returncode == 2 and line.startswith("ginrummy: ") and len(line) <= 600, line
    assert given[:150] in line and given[:250] not in line


def test_a_player_that_fails_shows_its_traceback_and_then_the_line(tmp_path: Path) -> None:
    mine = tmp_path / "mine.py"
    head = "from ginrummy.players.base import one_by_one\nf = lambda seen, u: {}[seen.top]\n"
    mine.write_text(head + "def make():\n    return one_by_one('mine', f, f, f, f)\n", encoding="utf-8")
    for workers in ("1", "2"):
        done = run("match", f"py:{mine}@make", "simple", "--workers", workers, state=tmp_path)
        assert done.returncode == 2 and done.stdout == ""
        lines = done.stderr.splitlines()
        assert any(line.startswith("Traceback") for line in lines) and f'File "{mine}", line 2' in done.stderr
        assert lines[-1].startswith("ginrummy: player 'mine' failed when asked for draw: KeyError")
    mine.write_text("import nothing_of_the_kind\n", encoding="utf-8")
    done = run("match", f"py:{mine}@make", "simple", state=tmp_path)
    assert done.returncode == 2 and f'File "{mine}", line 1' in done.stderr
    assert "cannot load player" in done.stderr.splitlines()[-1]


def shell(code: str, state: Path, *words: str, path: str = "") -> subprocess.CompletedProcess[str]:
    """Some Python code that runs the command line."""
    env = os.environ | {"GINRUMMY_STATE": str(state)}
    env["PYTHONPATH"] = os.pathsep.join(filter(None, [path, env.get("PYTHONPATH", "")]))
    call = [sys.executable, "-c", code, *words]
    return subprocess.run(call, capture_output=True, text=True, env=env, timeout=300)


@pytest.mark.parametrize("kind", ["ValueError", "RuntimeError", "KeyError", "AssertionError"])
def test_a_bug_of_ours_is_never_taken_for_a_mistake_of_the_user(kind: str, tmp_path: Path) -> None:
    code = (
        f"from ginrummy import cli\nfrom ginrummy.players import registry\n"
        f"def broken(): raise {kind}('a bug')\n"
        f"registry.player_names = broken\ncli.main()\n"
    )
    done = shell(code, tmp_path, "players")
    assert done.returncode == 1 and done.stdout == ""
    lines = done.stderr.splitlines()
    assert lines[0].startswith("Traceback") and "in broken" in done.stderr
    assert lines[-1].startswith("ginrummy: this is a fault of ginrummy")


@pytest.mark.parametrize("way", ["script", "module"])
def test_ctrl_c_while_starting_is_one_line(way: str, tmp_path: Path) -> None:
    """The library of the command line is the first that takes a while: Ctrl-C comes while it is imported."""
    (tmp_path / "typer.py").write_text("raise KeyboardInterrupt\n", encoding="utf-8")
    settings = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text(encoding="utf-8"))
    module, _, function = settings["project"]["scripts"]["ginrummy"].partition(":")
    script = f"import sys\nfrom {module} import {function}\nsys.exit({function}())\n"
    code = script if way == "script" else "import runpy\nrunpy.run_module('ginrummy', run_name='__main__')\n"
    done = shell(code, tmp_path, "players", path=str(tmp_path))
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "ginrummy: stopped\n")


BROKEN = {
    "no such file": (None, "No such file"),
    "not text": (b"\xff\xfe\x00", "line 1"),
    "not a record": (b"hello\n", "line 1, column 1"),
    "cut in a header": (b'[Rules "ea', "line 1"),
    "unknown rules": (b'[Rules "bridge"]\n', "bridge"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_record_is_one_clear_line(case: str, tmp_path: Path) -> None:
    content, message = BROKEN[case]
    path = tmp_path / "game.txt"
    if content is not None:
        path.write_bytes(content)
    done = run("replay", str(path), state=tmp_path)
    assert (done.returncode, done.stdout) == (2, ""), done
    (line,) = done.stderr.splitlines()
    assert message in line and line.startswith("ginrummy: ")


def test_a_record_that_breaks_the_rules_is_refused(tmp_path: Path) -> None:
    golden = (Path(__file__).parent / "data/golden/eaai.txt").read_text(encoding="utf-8")
    path = tmp_path / "game.txt"
    path.write_text(golden, encoding="utf-8")
    good = run("replay", str(path), state=tmp_path)
    assert good.returncode == 0 and "every move follows the rules" in good.stdout
    sheet = json.loads(run("replay", str(path), "--json", state=tmp_path).stdout)["games"][0]
    assert sheet["over"] and max(sheet["scores"]) >= 100
    path.write_text(golden.replace(" draws ", " takes ", 1), encoding="utf-8")
    bad = run("replay", str(path), state=tmp_path)
    assert bad.returncode == 2 and len(bad.stderr.splitlines()) == 1


def test_match_prints_exactly_one_json_object_by_the_contract(tmp_path: Path) -> None:
    out = tmp_path / "evidence.json"
    words = ["match", "simple", "random", "--games", "20", "--seed", "3", "--json", "--out", str(out)]
    done = run(*words, state=tmp_path / "state")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert set(result) >= CONTRACT
    assert json.loads(out.read_text()) == result
    assert not {key for key in result if "forfeit" in key or "seconds_per" in key}
    assert result["provenance"]["command"].startswith("ginrummy match simple random --games 20")


def test_match_with_a_limit_of_time_counts_forfeits(tmp_path: Path) -> None:
    words = ["match", "simple", "random", "--games", "4", "--seconds-per-game"]
    done = run(*words, "30", "--json", state=tmp_path)
    result = json.loads(done.stdout)
    assert set(result) >= CONTRACT
    assert [result[key] for key in ("seconds_per_game", "forfeits_a", "forfeits_b")] == [30, 0, 0]
    shown = run(*words, "1e-9", state=tmp_path)
    assert "forfeited, over 1e-09 s a game" in shown.stdout and "of 4 games" in shown.stdout
    wrong = run(*words, "0", state=tmp_path)
    assert (wrong.returncode, wrong.stderr.count("\n")) == (2, 1)


def test_a_tournament_of_one_against_all_shows_no_ratings(tmp_path: Path) -> None:
    words = ["tournament", "simple", "random", "hitting", "--one-vs-all", "simple", "--games", "20"]
    done = run(*words, state=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "simple against all others" in done.stdout and "Bradley-Terry" not in done.stdout
    result = json.loads(run(*words, "--json", state=tmp_path).stdout)
    assert "ratings" not in result and result["one_vs_all"] == "simple"
    assert [row["player_b"] for row in result["matches"]] == ["random", "hitting"]


def test_match_writes_games_as_csv(tmp_path: Path) -> None:
    place = tmp_path / "new" / "csv"
    done = run("match", "simple", "random", "--games", "4", "--csv", str(place), "--json", state=tmp_path)
    result = json.loads(done.stdout)
    games, stats = (list(csv.DictReader((place / name).open())) for name in ("games.csv", "stats.csv"))
    assert [row["game"] for row in games] == ["0", "1", "2", "3"]
    assert stats[0]["games"] == "4" and float(stats[0]["win_rate_a"]) == result["win_rate_a"]
    wrong = run("match", "simple", "random", "--csv", str(place / "games.csv"), state=tmp_path)
    assert wrong.returncode == 2 and "it is not a directory" in wrong.stderr


def test_match_speaks_to_a_person(tmp_path: Path) -> None:
    done = run("match", "simple", "random", "--games", "20", state=tmp_path)
    assert "simple against random: won 100.00% of 20 games" in done.stdout
    assert "rounds by outcome" in done.stdout


def test_tournament_shows_ratings_and_a_cross_table(tmp_path: Path) -> None:
    done = run("tournament", "simple", "random", "--games", "20", state=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "100.0%" in done.stdout and "Bradley-Terry" in done.stdout
    rows = json.loads(run("tournament", "simple", "random", "--games", "20", "--json", state=tmp_path).stdout)
    assert [row["player"] for row in rows["ratings"]] == ["simple", "random"]


def test_players_lists_everybody(tmp_path: Path) -> None:
    rows = json.loads(run("players", "--json", state=tmp_path).stdout)["players"]
    assert [row["name"] for row in rows] == player_names()
    assert all(row["summary"] and row["source"] for row in rows)
    shown = run("players", state=tmp_path).stdout
    assert "simple" in shown and "Neller" in shown


def test_bench_has_the_keys_of_the_contract(tmp_path: Path) -> None:
    done = run("bench", "--quick", "--json", state=tmp_path)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    keys = {
        "deadwood_ns",
        "rounds_per_second",
        "rollouts_per_second",
        "decision_us",
        "estimates_per_second",
        "moves_per_second",
    }
    assert set(result) >= keys | {"peak_memory_mb", "two_workers_speedup", "start_seconds"}
    assert set(result["decision_us"]) == set(player_names())
    assert result["decision_us"]["simple"]["mean"] <= result["decision_us"]["simple"]["greatest"]
    assert result["peak_memory_mb"] < 500
    assert set(result["rollouts_per_second"]) == {"simple", "hand-strength"}
    assert min(result["rollouts_per_second"].values()) > 0
    page = bench.page(result)
    assert page.count("rollouts/s") == 2 and "What bounds `hand-strength`" in page
    assert "load 9.0 on 2 cores" in bench.page({**result, "load": 9.0, "cores": 2})
    assert "busy" not in bench.page({**result, "load": 0.9, "cores": 2})


def test_the_bare_command_shows_help(tmp_path: Path) -> None:
    done = run(state=tmp_path)
    assert done.returncode == 0
    for command in ("players", "match", "tournament", "play", "bench"):
        assert command in done.stdout


def test_a_reader_that_leaves_early_is_no_error(tmp_path: Path) -> None:
    shell = f"{sys.executable} -m ginrummy players | head -1"
    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, timeout=60)
    assert "Traceback" not in done.stderr


def test_a_result_that_cannot_be_written_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    written = []

    def full() -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    writes = [(Path("x.json"), full), (Path("y.json"), lambda: written.append("y"))]
    for show in (lambda result: print(json.dumps(result)), None):  # None: it would be shown later
        with pytest.raises(
            RunError, match=r"cannot write x\.json: No space left on device; the result is on"
        ):
            cli._deliver({"a": 1}, writes, show)
        assert json.loads(capsys.readouterr().out) == {"a": 1}
    assert written == ["y", "y"]  # one full disk does not keep the result from another
    cli._deliver({"a": 1}, [], None)
    assert capsys.readouterr().out == ""
