"""Matches and tournaments: what is counted, and that nothing is lost or changed by an interruption."""

import io
import json
import os
import resource
import signal
import socket
import subprocess
import sys
import threading
import time
import zlib
from pathlib import Path

import pytest
from rich.console import Console

from ginrummy import counting, terminal, tournament
from ginrummy.errors import BadInput
from ginrummy.evidence import check_writable, write_evidence
from ginrummy.players.base import Player
from ginrummy.players.baseline import simple
from ginrummy.rules import EAAI, PRESETS
from ginrummy.runs import JournalError, JournalMismatch, Shards, until_delivered
from ginrummy.terminal import waiting
from ginrummy.tournament import Plan, add_counts, count_shard, match

LONG = 240_000
"""Games that last long enough to be interrupted."""
TIMES = ("seconds", "provenance", "decision_ms_mean_a", "decision_ms_mean_b")


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GINRUMMY_STATE", str(tmp_path / "state"))
    return tmp_path / "state"


def numbers(result: dict) -> dict:
    return {key: value for key, value in result.items() if key not in TIMES}


def test_a_match_counts_what_the_games_say() -> None:
    result = match("simple", "random", Plan(40, 1, EAAI))
    games = tournament.play(simple(), tournament.make_player("random"), range(40), EAAI, 1).games
    margins = games["score"][:, 0] - games["score"][:, 1]
    outcomes = games["outcomes"].sum(axis=0)
    assert result["wins_a"] == (margins > 0).sum()
    assert result["win_rate_a"] == (margins > 0).mean()
    assert result["mean_margin_a"] == margins.mean()
    assert result["share_won_by_100_a"] == (margins >= 100).mean()
    assert result["rounds"] == outcomes.sum()
    assert result["turns_per_round"] == games["turns"].sum() / outcomes.sum()
    rates = [result[f"{kind}_rate"] for kind in ("gin", "knock", "undercut", "dead")]
    assert sum(rates) == pytest.approx(1)
    assert result["wilson90_a"][0] < result["win_rate_a"] <= result["wilson90_a"][1]


@pytest.mark.parametrize("rules", ["us-boxes", "openspiel", "straight"])
def test_other_rules_count_too(rules: str) -> None:
    result = match("simple", "simple", Plan(60, 1, PRESETS[rules]))
    assert result["games"] == 60
    if rules == "us-boxes":
        assert abs(result["mean_margin_a"]) < 200 and result["share_won_by_100_a"] > 0.3


def test_drawn_games_count_half() -> None:
    result = match("random", "random", Plan(20, 1, EAAI._replace(max_rounds=1)))
    assert result["drawn_games"] > 10
    assert result["win_rate_a"] == (result["wins_a"] + result["drawn_games"] / 2) / 20


def test_an_odd_number_of_games_is_rounded_up_to_pairs() -> None:
    assert match("simple", "simple", Plan(3, 1, EAAI))["games"] == 4


@pytest.mark.parametrize("workers", [1, 2])
def test_shards_and_workers_do_not_change_the_numbers(workers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = numbers(match("simple", "simple", Plan(700, 4, EAAI)))
    monkeypatch.setattr(tournament, "_shard_size", lambda pair: 100)
    assert numbers(match("simple", "simple", Plan(700, 4, EAAI, workers))) == whole


def test_shards_add_up() -> None:
    def shard(start: int, stop: int) -> dict:
        counts = count_shard(
            {"players": ["simple", "random"], "rules": "eaai", "seed": 2, "start": start, "stop": stop}
        )
        return {key: value for key, value in counts.items() if key != "seconds"}

    total = add_counts([shard(0, 10), shard(10, 30)])
    whole = shard(0, 30)
    assert {k: v for k, v in total.items() if k != "margins"} == {
        k: v for k, v in whole.items() if k != "margins"
    }
    assert dict(sorted(total["margins"].items())) == dict(sorted(whole["margins"].items()))


def test_a_finished_match_leaves_no_journal(own_state: Path) -> None:
    match("simple", "simple", Plan(10, 1, EAAI))
    assert list(own_state.iterdir()) == []


def test_a_journal_that_was_asked_for_is_kept_and_used(tmp_path: Path) -> None:
    path = tmp_path / "work.jsonl"
    first = match("simple", "simple", Plan(10, 1, EAAI, journal=path))
    lines = path.read_text().splitlines()
    assert len(lines) == 2
    assert numbers(match("simple", "simple", Plan(10, 1, EAAI, journal=path))) == numbers(first)
    assert path.read_text().splitlines() == lines


def test_a_journal_of_other_code_or_parameters_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "work.jsonl"
    match("simple", "simple", Plan(10, 1, EAAI, journal=path))
    with pytest.raises(JournalMismatch, match="seed"):
        match("simple", "simple", Plan(10, 2, EAAI, journal=path))
    monkeypatch.setattr(counting, "code_digest", lambda: "other")
    with pytest.raises(JournalMismatch, match="code"):
        match("simple", "simple", Plan(10, 1, EAAI, journal=path))
    assert match("simple", "simple", Plan(10, 2, EAAI, journal=path, fresh=True))["seed"] == 2


def test_a_pairing_that_is_listed_twice_is_counted_once_in_each() -> None:
    pairings = [("simple", "random"), ("random", "simple"), ("simple", "random")]
    first, other, again = tournament.measure("test", pairings, Plan(20, 1, EAAI))
    assert first["games"] == other["games"] == again["games"] == 20
    assert first["wins"] == again["wins"] != other["wins"]


@pytest.mark.parametrize("games", [10**12, 10**20, 10**4000])
def test_a_match_that_cannot_end_is_refused(games: int, own_state: Path) -> None:
    with pytest.raises(BadInput, match=r"too many games for one run: at most 1,000,000,000"):
        match("simple", "simple", Plan(games, 1, EAAI))
    assert not own_state.exists()


def test_a_number_of_workers_that_has_no_meaning_leaves_no_journal(own_state: Path) -> None:
    for workers in (0, 10**6):
        with pytest.raises(BadInput, match="expected one worker or more"):
            match("simple", "simple", Plan(4, 1, EAAI, workers))
    assert not own_state.exists()


# --- a journal that holds something else ---------------------------------------------------------------------


def rewrite(path: Path, shard: int, result: dict) -> None:
    """Put another result in the place of a shard's, with a right checksum."""
    header, *lines = path.read_text().splitlines()
    entries = {entry["shard"]: entry for entry in map(json.loads, lines)}
    text = json.dumps(result, sort_keys=True, separators=(",", ":"))
    entries[shard] = {"shard": shard, "result": result, "sum": zlib.crc32(text.encode(), shard)}
    path.write_text("\n".join([header, *map(json.dumps, entries.values())]) + "\n")


@pytest.mark.parametrize(
    "change",
    [
        lambda right: {},
        lambda right: {"games": 10},
        lambda right: right | {"games": 12},
        lambda right: right | {"games": "10"},
        lambda right: right | {"wins": [9, 9]},
        lambda right: right | {"wins": [1, 2, 3]},
        lambda right: right | {"pairs": [5, 0, 0, 0, [0]]},
        lambda right: right | {"margins": {"a": 10}},
        lambda right: right | {"turns": [right["turns"]]},
        lambda right: right | {"outcomes": None},
        lambda right: right | {"more": 1},
        lambda right: right | {"in_rounds": {}},
    ],
)
def test_a_result_with_a_right_checksum_is_checked_all_the_same(change: object, tmp_path: Path) -> None:
    path = tmp_path / "work.jsonl"
    plan = Plan(10, 1, EAAI, journal=path)
    match("simple", "simple", plan)
    right = json.loads(path.read_text().splitlines()[1])["result"]
    rewrite(path, 0, right)
    match("simple", "simple", plan)
    rewrite(path, 0, change(right))  # type: ignore[operator]
    with pytest.raises(
        JournalError, match="shard 0 is not a result of this run; remove the file or use --fresh"
    ):
        match("simple", "simple", plan)


def test_shards_must_count_the_same_things(tmp_path: Path) -> None:
    path = tmp_path / "work.jsonl"
    plan, payloads = Plan(4, 1, EAAI, journal=path), Shards([{}], range(4), 2)

    def count(payload: dict) -> dict:
        return {"games": 2, "more": {"1": 3}}

    assert counting.count_shards(count, payloads, {}, plan) == [{"games": 4, "more": {"1": 6}}]
    rewrite(path, 1, {"games": 2})
    with pytest.raises(JournalError, match="its shards do not count the same things; remove"):
        counting.count_shards(count, payloads, {}, plan)


# --- progress ------------------------------------------------------------------------------------------------


def test_no_thread_runs_when_workers_are_forked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also when a run goes on, and the bar starts with what the journal has."""
    monkeypatch.setattr(tournament, "_shard_size", lambda pair: 10)
    monkeypatch.setattr(waiting, "messages", lambda: Console(file=io.StringIO(), force_terminal=True))
    plan = Plan(60, 1, EAAI, journal=tmp_path / "j")
    match("simple", "simple", plan)
    journal = (tmp_path / "j").read_text().splitlines(keepends=True)
    (tmp_path / "j").write_text("".join(journal[:3]))
    threads: list[int] = []
    fork = os.fork

    def count_threads() -> int:
        threads.append(threading.active_count())
        return fork()

    before = threading.active_count()
    monkeypatch.setattr(os, "fork", count_threads)
    seen: list[int] = []
    with terminal.progress(["simple", "simple"], plan, 60) as on_progress:
        match("simple", "simple", plan._replace(workers=2), lambda n: (on_progress(n), seen.append(n))[1])
    assert threads == [before, before]
    assert seen == [30, 10, 10, 10]


# --- the result is written, or is not lost -------------------------------------------------------------------


def test_the_journal_outlives_the_match_until_its_result_is_delivered(own_state: Path) -> None:
    with pytest.raises(InterruptedError), until_delivered():
        first = match("simple", "simple", Plan(10, 1, EAAI))
        raise InterruptedError  # before anybody has seen it
    assert len(list(own_state.iterdir())) == 1
    with until_delivered():
        assert numbers(match("simple", "simple", Plan(10, 1, EAAI))) == numbers(first)
        assert len(list(own_state.iterdir())) == 1
    assert list(own_state.iterdir()) == []


def command(*words: str, most: int | None = None) -> subprocess.CompletedProcess[str]:
    """Run a command; no file may grow beyond ``most`` bytes."""

    def limit() -> None:
        if most:
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

    call = [sys.executable, "-m", "ginrummy", *words]
    return subprocess.run(call, capture_output=True, text=True, preexec_fn=limit, env=os.environ)


def test_a_full_disk_does_not_lose_the_result(own_state: Path, tmp_path: Path) -> None:
    """The journal fits, the evidence does not."""
    out = tmp_path / "out" / "result.json"
    out.parent.mkdir()
    words = ["match", "simple", "simple", "--games", "10", "--json", "--out", str(out)]
    full = command(*words, most=800)
    assert full.returncode == 2
    (line,) = full.stderr.strip().splitlines()
    assert line.startswith(f"ginrummy: cannot write {out}: File too large; the result is on standard output")
    assert len(list(own_state.iterdir())) == 1 and list(out.parent.iterdir()) == []
    again = command(*words)
    assert again.returncode == 0
    assert numbers(json.loads(again.stdout)) == numbers(json.loads(full.stdout))
    assert json.loads(out.read_text()) == json.loads(again.stdout)
    assert list(own_state.iterdir()) == [] and list(out.parent.iterdir()) == [out]


def test_a_full_disk_under_the_journal_is_one_line_and_keeps_what_is_done(own_state: Path) -> None:
    words = ["match", "simple", "random", "--games", "6000", "--json"]
    full = command(*words, most=2000)
    assert full.returncode == 2 and full.stdout == ""
    (line,) = full.stderr.strip().splitlines()
    assert line.startswith("ginrummy: cannot write") and line.endswith("the same command goes on from there")
    (journal,) = own_state.iterdir()
    assert 1 <= len(journal.read_text().splitlines()) < 4 and journal.read_text().endswith("\n")
    assert json.loads(command(*words).stdout)["games"] == 6000


@pytest.mark.parametrize("kind", ["pipe", "socket", "link", "dangling link", "directory"])
def test_only_plain_files_are_written(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, target = tmp_path / "out", tmp_path / "target"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "socket":
        monkeypatch.chdir(tmp_path)  # the name of a socket is short
        socket.socket(socket.AF_UNIX).bind("out")
    elif kind == "directory":
        path.mkdir()
    else:
        path.symlink_to(target)
    if kind == "link":
        target.write_text("kept")
    with pytest.raises(BadInput, match="it is not a plain file"):
        check_writable(path)
    with pytest.raises(BadInput, match="it is not a plain file"):
        write_evidence(path, {"a": 1})
    assert not target.exists() or target.read_text() == "kept"
    assert not path.is_file() or kind == "link"
    assert {found.name for found in tmp_path.iterdir()} <= {"out", "target"}


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    check_writable(path)
    assert list(tmp_path.iterdir()) == []
    write_evidence(path, {"a": [1, 2]})
    with pytest.raises(TypeError):
        write_evidence(path, {"a": object()})
    assert json.loads(path.read_text()) == {"a": [1, 2]} and list(tmp_path.iterdir()) == [path]
    with pytest.raises(BadInput, match=r"cannot write .*File name too long"):
        check_writable(tmp_path / ("x" * 250))


@pytest.fixture(scope="module")
def undisturbed() -> dict:
    """The numbers of a match that nobody interrupts."""
    shards = [
        count_shard(
            {"players": ["simple", "simple"], "rules": "eaai", "seed": 1, "start": k, "stop": k + 2000}
        )
        for k in range(0, LONG, 2000)
    ]
    return tournament.summary(add_counts(shards))


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT], ids=["kill", "interrupt"])
@pytest.mark.parametrize("workers", [1, 2])
def test_an_interrupted_match_goes_on_and_ends_with_the_same_numbers(
    how: signal.Signals, workers: int, own_state: Path, undisturbed: dict
) -> None:
    words = ["match", "simple", "simple", "--games", str(LONG), "--workers", str(workers), "--json"]
    command = [sys.executable, "-m", "ginrummy", *words]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=os.environ)
    deadline = time.monotonic() + 120
    while not any(len(path.read_text().splitlines()) > 3 for path in own_state.glob("*.jsonl")):
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.01)
    process.send_signal(how)
    message = process.communicate(timeout=60)[1].decode()
    assert process.returncode == (130 if how == signal.SIGINT else -signal.SIGKILL)
    assert how == signal.SIGKILL or "the same command goes on from there" in message
    (journal,) = own_state.glob("*.jsonl")
    assert 3 < len(journal.read_text().splitlines()) < 1 + LONG // 2000
    ended = subprocess.run(command, capture_output=True, check=True, env=os.environ)
    result = numbers(json.loads(ended.stdout))
    assert {key: result[key] for key in numbers(undisturbed)} == numbers(undisturbed)


def test_a_tournament_rates_everybody() -> None:
    result = tournament.tournament(["random", "simple"], Plan(50, 1, EAAI))
    assert [row["player"] for row in result["ratings"]] == ["simple", "random"]
    for row in result["ratings"]:
        assert row["low"] < row["rating"] < row["high"]
    (only,) = result["matches"]
    assert only["win_rate_a"] < 0.1
    with pytest.raises(ValueError, match="different"):
        tournament.tournament(["simple", "simple"], Plan(50, 1, EAAI))


def test_an_error_of_a_player_keeps_what_is_finished(
    monkeypatch: pytest.MonkeyPatch, own_state: Path
) -> None:
    calls = []

    def break_down(payload: dict) -> dict:
        calls.append(payload)
        if len(calls) == 3:
            raise ValueError("broken player")
        return count_shard(payload)

    monkeypatch.setattr(tournament, "count_shard", break_down)
    monkeypatch.setattr(tournament, "_shard_size", lambda pair: 10)
    with pytest.raises(ValueError, match="broken player"):
        match("simple", "simple", Plan(50, 1, EAAI))
    match("simple", "simple", Plan(50, 1, EAAI))
    assert [call["start"] for call in calls] == [0, 10, 20, 20, 30, 40]


def test_the_compiled_loop_is_used_only_where_it_can_be() -> None:
    slow = Player("slow", simple().draw, simple().discard, simple().knock, simple().spread)
    fast = tournament.play(simple(), simple(), range(10), EAAI, 1)
    assert (tournament.play(slow, simple(), range(10), EAAI, 1).games == fast.games).all()
