"""Runs: whatever interrupts them, the merged result is that of an undisturbed run."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import ginrummy.runs
from ginrummy.runs import (
    Journal,
    JournalBusy,
    JournalError,
    JournalMismatch,
    RunError,
    default_journal_path,
    run_shards,
)
from ginrummy.runs import journal as journal_module

IDENTITY: dict[str, Any] = {"command": "match", "players": ["simple", "random"], "games": 100, "seed": 1}
PAYLOADS = list(range(7))
RESULTS = [{"shard": i, "square": i * i, "third": i / 3, "by_turn": {"3": i}} for i in PAYLOADS]


def square(payload: int) -> dict[str, Any]:
    return {"shard": payload, "square": payload**2, "third": payload / 3, "by_turn": {3: payload}}


def late_first(payload: int) -> dict[str, Any]:
    time.sleep(0.1 if payload == 0 else 0.0)
    return square(payload)


class Broken(Exception):
    """Pickles, but does not unpickle."""

    def __init__(self, a: int, b: int) -> None:
        super().__init__("broken")


def fail_on_three(payload: int) -> dict[str, Any]:
    if payload == 3:
        raise KeyError("three")
    return square(payload)


def fail_badly(payload: int) -> dict[str, Any]:
    raise Broken(1, 2)


def die_on_three(payload: int) -> dict[str, Any]:
    if payload == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return square(payload)


def large_second(payload: str) -> dict[str, Any]:
    """A small result at once, or (given a file for its pid) a later one that no pipe can hold."""
    if payload:
        time.sleep(0.1)
        Path(payload).write_text(str(os.getpid()))
    return {"text": "x" * (5_000_000 if payload else 1)}


def who(payload: int) -> dict[str, Any]:
    time.sleep(0.02)
    return {"pid": os.getpid()}


def open_journal(path: Path, **changes: Any) -> Journal:
    options: dict[str, Any] = {"identity": IDENTITY, "code": "abc", "shards": len(PAYLOADS), **changes}
    return Journal(path, **options)


# --- run_shards ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("workers", [1, 2, 12])
@pytest.mark.parametrize("work", [square, late_first])
def test_results_do_not_depend_on_the_workers(workers: int, work: Callable[[int], dict[str, Any]]) -> None:
    assert run_shards(work, PAYLOADS, workers=workers) == RESULTS


def test_several_workers_share_the_shards() -> None:
    pids = {result["pid"] for result in run_shards(who, PAYLOADS, workers=2)}
    assert len(pids) == 2 and os.getpid() not in pids
    assert {result["pid"] for result in run_shards(who, PAYLOADS[:2], workers=1)} == {os.getpid()}


def test_no_shards_and_no_workers() -> None:
    assert run_shards(square, [], workers=2) == []
    with pytest.raises(ValueError, match="one worker"):
        run_shards(square, PAYLOADS, workers=0)


@pytest.mark.parametrize("workers", [1, 2])
def test_progress_counts_every_shard(workers: int, tmp_path: Path) -> None:
    seen: list[tuple[int, int, int]] = []
    with open_journal(tmp_path / "j") as journal:
        journal.add(5, square(5))
        run_shards(
            square,
            PAYLOADS,
            journal=journal,
            workers=workers,
            on_progress=lambda done, total, result: seen.append((done, total, result["shard"])),
        )
    assert [done for done, _, _ in seen] == [2, 3, 4, 5, 6, 7]
    assert {total for _, total, _ in seen} == {7}
    assert sorted(shard for _, _, shard in seen) == [0, 1, 2, 3, 4, 6]


@pytest.mark.parametrize("workers", [1, 2])
def test_an_exception_stops_the_run_and_keeps_what_is_done(workers: int, tmp_path: Path) -> None:
    with open_journal(tmp_path / "j") as journal:
        with pytest.raises(KeyError, match="three"):
            run_shards(fail_on_three, PAYLOADS, journal=journal, workers=workers)
        assert 3 not in journal.results and not journal.complete
        if workers == 1:
            assert sorted(journal.results) == [0, 1, 2]
    with open_journal(tmp_path / "j") as journal:
        assert run_shards(square, PAYLOADS, journal=journal, workers=workers) == RESULTS
        assert journal.complete


def test_a_workers_exception_shows_where_it_happened() -> None:
    with pytest.raises(KeyError) as caught:
        run_shards(fail_on_three, PAYLOADS, workers=2)
    assert "fail_on_three" in "".join(caught.value.__notes__)


def test_an_exception_that_does_not_pickle_becomes_a_run_error() -> None:
    with pytest.raises(RunError, match="Broken: broken"):
        run_shards(fail_badly, PAYLOADS, workers=2)


def test_a_result_that_json_cannot_hold_is_refused() -> None:
    for workers in (1, 2):
        with pytest.raises(ValueError, match="JSON compliant"):
            run_shards(_nan, PAYLOADS, workers=workers)


def _nan(payload: int) -> dict[str, Any]:
    return {"mean": float("nan")}


def test_a_killed_worker_is_reported(tmp_path: Path) -> None:
    with open_journal(tmp_path / "j") as journal:
        with pytest.raises(RunError, match="signal 9 while it did shard 3"):
            run_shards(die_on_three, PAYLOADS, journal=journal, workers=2)
        assert 3 not in journal.results


def test_a_worker_killed_in_mid_result_is_reported(tmp_path: Path) -> None:
    """While the owner is busy a worker gets stuck in sending: `ProcessPoolExecutor` can hang on its death."""
    pid = tmp_path / "pid"

    def kill(done: int, total: int, result: dict[str, Any]) -> None:
        until(lambda: pid.exists() and pid.read_text() != "")
        time.sleep(0.3)
        os.kill(int(pid.read_text()), signal.SIGKILL)

    with pytest.raises(RunError, match="signal 9 while it did shard 1"):
        run_shards(large_second, ["", str(pid)], workers=2, on_progress=kill)


def test_a_failing_progress_call_ends_the_workers() -> None:
    pids: list[int] = []

    def stop(done: int, total: int, result: dict[str, Any]) -> None:
        pids.append(result["pid"])
        raise InterruptedError

    with pytest.raises(InterruptedError):
        run_shards(who, PAYLOADS, workers=2, on_progress=stop)
    assert not alive(pids[0])


def test_the_journal_must_fit_the_run(tmp_path: Path) -> None:
    with open_journal(tmp_path / "j") as journal, pytest.raises(ValueError, match="7 shards, the run of 3"):
        run_shards(square, PAYLOADS[:3], journal=journal)


# --- Journal ------------------------------------------------------------------------------------------------


def test_journal_remembers(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "run.jsonl"
    with open_journal(path) as journal:
        journal.add(2, {"b": (1, 2), "a": {4: 0.1}})
        assert journal.results == {2: {"a": {"4": 0.1}, "b": [1, 2]}}
    with open_journal(path) as journal:
        assert journal.results == {2: {"a": {"4": 0.1}, "b": [1, 2]}}
        for shard in (2, -1, 7):
            with pytest.raises(ValueError, match="not done"):
                journal.add(shard, {})
        journal.remove()
    assert list(path.parent.iterdir()) == []
    with pytest.raises(ValueError, match="closed"):
        journal.add(3, {})


def test_journal_is_plain_json_lines(tmp_path: Path) -> None:
    with open_journal(tmp_path / "j") as journal:
        journal.add(0, {"x": 1})
    header, line = map(json.loads, (tmp_path / "j").read_text().splitlines())
    assert header == {"format": "ginrummy-run/1", "identity": IDENTITY, "code": "abc", "shards": 7}
    assert set(line) == {"shard", "result", "sum"} and line["result"] == {"x": 1}


def filled(path: Path) -> list[bytes]:
    with open_journal(path) as journal:
        for shard in (4, 1, 6):
            journal.add(shard, square(shard))
    return path.read_bytes().splitlines(keepends=True)


@pytest.mark.parametrize("tail", ["half", "no newline", "garbage", "zeros", "wrong sum"])
def test_a_torn_last_line_is_cut_off(tail: str, tmp_path: Path) -> None:
    path = tmp_path / "j"
    *whole, last = filled(path)
    torn = {
        "half": last[: len(last) // 2],
        "no newline": last[:-1],
        "garbage": b"\xff\x00{\n",
        "zeros": bytes(100),
        "wrong sum": last.replace(b'"square":36', b'"square":37'),
    }[tail]
    path.write_bytes(b"".join(whole) + torn)
    with open_journal(path) as journal:
        assert sorted(journal.results) == [1, 4]
        assert path.read_bytes() == b"".join(whole)
        assert run_shards(square, PAYLOADS, journal=journal) == RESULTS
    with open_journal(path) as journal:
        assert journal.complete


def test_any_cut_of_the_file_is_survived(tmp_path: Path) -> None:
    path = tmp_path / "j"
    lines = filled(path)
    content = b"".join(lines)
    for length in range(len(lines[0]), len(content), 5):
        path.write_bytes(content[:length])
        with open_journal(path) as journal:
            assert len(journal.results) == content[:length].count(b"\n") - 1


@pytest.mark.parametrize(
    "old, new", [(b'"square":1,', b'"square":2,'), (b'"shard":1,"res', b'"shard":2,"res'), (b"{", b"")]
)
def test_a_damaged_line_is_refused(old: bytes, new: bytes, tmp_path: Path) -> None:
    path = tmp_path / "j"
    lines = filled(path)
    assert old in lines[2]
    lines[2] = lines[2].replace(old, new)
    path.write_bytes(b"".join(lines))
    with pytest.raises(JournalError, match="line 3: damaged"):
        open_journal(path)
    with pytest.raises(JournalError, match="line 3"):  # the lock was released
        open_journal(path)
    assert path.read_bytes() == b"".join(lines)
    with open_journal(path, fresh=True) as journal:
        assert journal.results == {}


def test_a_repeated_shard_is_damage(tmp_path: Path) -> None:
    lines = filled(tmp_path / "j")
    (tmp_path / "j").write_bytes(b"".join([*lines, lines[1]]))
    with pytest.raises(JournalError, match="line 5"):
        open_journal(tmp_path / "j")


@pytest.mark.parametrize("content", [b"", b"a letter\n", b'{"format": 3}\n', b"[]\n", b"PAR1\x00\xff"])
@pytest.mark.parametrize("fresh", [False, True])
def test_a_file_that_is_no_journal_is_left_alone(content: bytes, fresh: bool, tmp_path: Path) -> None:
    (tmp_path / "j").write_bytes(content)
    with pytest.raises(JournalError, match="not a journal"):
        open_journal(tmp_path / "j", fresh=fresh)
    assert (tmp_path / "j").read_bytes() == content


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"code": "xyz"}, "code is 'abc' there, 'xyz' here; remove the file or use --fresh"),
        ({"identity": {**IDENTITY, "games": 200}}, "games is 100 there, 200 here; remove"),
        ({"identity": {**IDENTITY, "rules": "uk"}}, "rules is 'absent' there, 'uk' here; remove"),
        ({"shards": 8}, "shards is 7 there, 8 here; remove"),
    ],
)
def test_another_run_is_refused(changes: dict[str, Any], message: str, tmp_path: Path) -> None:
    filled(tmp_path / "j")
    with pytest.raises(JournalMismatch, match=message) as caught:
        open_journal(tmp_path / "j", **changes)
    assert isinstance(caught.value, ValueError) and "\n" not in str(caught.value)
    with open_journal(tmp_path / "j", **changes, fresh=True) as journal:
        assert journal.results == {}


def test_one_process_at_a_time(tmp_path: Path) -> None:
    with open_journal(tmp_path / "j") as journal:
        journal.add(0, {})
        for fresh in (False, True):
            with pytest.raises(JournalBusy, match="in use"):
                open_journal(tmp_path / "j", fresh=fresh)
    with open_journal(tmp_path / "j") as journal:
        assert journal.results == {0: {}}


def test_workers_do_not_hold_the_lock(tmp_path: Path) -> None:
    def reopen(done: int, total: int, result: dict[str, Any]) -> None:
        journal.close()
        open_journal(tmp_path / "j").close()
        raise InterruptedError

    journal = open_journal(tmp_path / "j")
    with pytest.raises(InterruptedError):
        run_shards(who, PAYLOADS, journal=journal, workers=2, on_progress=reopen)


def test_a_journal_removed_while_we_open_it_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "j"
    filled(path)
    flock = journal_module.fcntl.flock

    def remove_first(fd: int, operation: int) -> None:
        monkeypatch.undo()
        path.unlink()
        flock(fd, operation)

    monkeypatch.setattr(journal_module.fcntl, "flock", remove_first)
    with open_journal(path) as journal:
        assert journal.results == {} and path.exists()


def test_a_file_system_without_links_will_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(journal_module.os, "link", refuse)
    filled(tmp_path / "j")
    assert [p.name for p in tmp_path.iterdir()] == ["j"]


def test_a_full_disk_leaves_no_half_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = b"".join(filled(tmp_path / "j"))
    write = os.write
    with open_journal(tmp_path / "j") as journal:
        monkeypatch.setattr(journal_module.os, "write", lambda fd, line: write(fd, line[:9]))
        with pytest.raises(OSError, match="No space"):
            journal.add(0, square(0))
        assert 0 not in journal.results
    assert (tmp_path / "j").read_bytes() == before


def test_default_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GINRUMMY_STATE", raising=False)
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    path = default_journal_path(IDENTITY)
    assert path.parent == tmp_path / ".local/state/ginrummy/runs"
    assert path.name.startswith("match-") and path.suffix == ".jsonl"
    assert path == default_journal_path(dict(reversed(IDENTITY.items())))
    assert path != default_journal_path({**IDENTITY, "seed": 2})
    monkeypatch.setenv("XDG_STATE_HOME", "relative")
    assert default_journal_path(IDENTITY) == path
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "x"))
    assert default_journal_path(IDENTITY).parent == tmp_path / "x/ginrummy/runs"
    monkeypatch.setenv("GINRUMMY_STATE", str(tmp_path / "own"))
    assert default_journal_path({"command": "../Odd name"}).parent == tmp_path / "own"
    assert default_journal_path({"command": "../Odd name"}).name.startswith("odd-name-")


# --- interrupted processes ----------------------------------------------------------------------------------

SCRIPT = """
import json, os, sys, time
from pathlib import Path
from ginrummy.runs import Journal, run_shards

def work(payload):
    (Path(sys.argv[1]) / "pids" / str(os.getpid())).touch()
    time.sleep(float(sys.argv[3]))
    return {"payload": payload, "root": payload ** 0.5}

folder = Path(sys.argv[1])
with Journal(folder / "j", {"command": "test"}, "abc", 40) as journal:
    print(json.dumps(run_shards(work, range(40), journal=journal, workers=int(sys.argv[2]))))
"""
UNDISTURBED = [{"payload": i, "root": i**0.5} for i in range(40)]


def alive(pid: int) -> bool:
    """Whether the process runs; one that ended and was not yet collected does not."""
    stat = Path(f"/proc/{pid}/stat")
    if sys.platform == "linux":
        with suppress(FileNotFoundError, ProcessLookupError):
            return stat.read_text().rpartition(")")[2].split()[0] not in "ZX"
        return False
    with suppress(ProcessLookupError):
        os.kill(pid, 0)
        return True
    return False


def start(folder: Path, workers: int, pause: float) -> subprocess.Popen[str]:
    (folder / "pids").mkdir(exist_ok=True)
    (folder / "script.py").write_text(SCRIPT)
    source = str(Path(ginrummy.runs.__file__).parents[2])
    return subprocess.Popen(
        [sys.executable, "-P", str(folder / "script.py"), str(folder), str(workers), str(pause)],
        env={**os.environ, "PYTHONPATH": source},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def until(condition: Callable[[], bool], seconds: float = 10) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("how", ["kill -9", "ctrl-c", "terminate"])
def test_resume_after(how: str, workers: int, tmp_path: Path) -> None:
    run = start(tmp_path, workers, pause=0.05)
    path = tmp_path / "j"
    until(lambda: path.exists() and path.read_bytes().count(b"\n") >= 5)
    if how == "ctrl-c":
        os.killpg(run.pid, signal.SIGINT)  # as a terminal does
    else:
        run.send_signal(signal.SIGKILL if how == "kill -9" else signal.SIGTERM)
    out, err = run.communicate(timeout=10)
    assert run.returncode == {"kill -9": -9, "ctrl-c": -2, "terminate": -15}[how]
    assert out == "" and err.count("KeyboardInterrupt") == (how == "ctrl-c")
    pids = [int(p.name) for p in (tmp_path / "pids").iterdir()]
    assert len(pids) == workers
    until(lambda: not any(map(alive, pids)), seconds=3)

    kept = path.read_bytes()
    assert 5 <= kept.count(b"\n") < 40
    again = start(tmp_path, 3 - workers, pause=0)
    out, err = again.communicate(timeout=20)
    assert json.loads(out) == UNDISTURBED, err
    assert path.read_bytes().startswith(kept[: kept.rindex(b"\n") + 1])


def test_ctrl_c_does_not_wait_for_the_shards(tmp_path: Path) -> None:
    run = start(tmp_path, 2, pause=60)
    until(lambda: len(list((tmp_path / "pids").iterdir())) == 2)
    began = time.monotonic()
    run.send_signal(signal.SIGINT)
    run.communicate(timeout=10)
    assert time.monotonic() - began < 5
