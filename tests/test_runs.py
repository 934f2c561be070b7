"""Runs: whatever interrupts them, the merged result equals that of an undisturbed run."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
import tracemalloc
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import ginrummy.runs
from ginrummy.errors import BadInput, GinRummyError
from ginrummy.runs import (
    Journal,
    JournalBusy,
    JournalError,
    JournalMismatch,
    RunError,
    Shards,
    default_journal_path,
    discard,
    executor,
    ordered,
    run_shards,
    until_delivered,
    using,
)
from ginrummy.runs import journal as journal_module
from ginrummy.runs import workers as workers_module
from ginrummy.runs.pool import EARLY

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


def die_with_a_child(payload: str) -> dict[str, Any]:
    """Die, but leave a child behind that holds the pipe open."""
    if payload:
        if child := os.fork():
            Path(payload).write_text(str(child))
            os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(20)
        os._exit(0)
    return {}


def leave_a_thread(payload: str) -> dict[str, Any]:
    """A good result, and a thread that keeps the process from ending."""

    def idle() -> None:
        time.sleep(15)
        Path(payload).touch()

    threading.Thread(target=idle).start()
    return {}


def leave(payload: int) -> dict[str, Any]:
    sys.exit(0)


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


def test_a_dead_worker_is_found_out_though_its_pipe_stays_open(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    with pytest.raises(RunError, match="signal 9 while it did shard 1"):
        run_shards(die_with_a_child, ["", str(pid)], workers=2)
    child = int(pid.read_text())
    assert alive(child)  # its end was not waited for
    os.kill(child, signal.SIGKILL)


def test_a_worker_that_does_not_leave_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers_module, "LEAVE_SECONDS", 0.2, raising=False)
    assert run_shards(leave_a_thread, [str(tmp_path / "a"), str(tmp_path / "b")], workers=2) == [{}, {}]
    assert list(tmp_path.iterdir()) == []  # the threads were not waited for


def test_a_worker_that_never_starts_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """As when a fork copies a lock that another thread holds."""
    monkeypatch.setattr(workers_module, "BEAT", 0.02)
    monkeypatch.setattr(workers_module, "START_BEATS", 5)
    monkeypatch.setattr(workers_module, "_die_with", lambda parent: time.sleep(60))
    with pytest.raises(RunError, match="did not start"):
        run_shards(square, PAYLOADS, workers=2)


def test_a_stopped_worker_holds_up_nobody_and_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """It is stopped in the middle of a message that no pipe can hold; the other worker goes on meanwhile."""
    monkeypatch.setattr(workers_module, "BEAT", 0.02)
    monkeypatch.setattr(workers_module, "STOPPED_BEATS", 2)
    pid = tmp_path / "pid"
    done_while_stopped = []
    late = threading.Timer(30, lambda: os.kill(int(pid.read_text()), signal.SIGCONT))  # no test hangs

    def stop_and_continue(done: int, total: int, result: dict[str, Any]) -> None:
        if done == 1:
            until(lambda: pid.exists() and pid.read_text() != "")
            time.sleep(0.3)
            os.kill(int(pid.read_text()), signal.SIGSTOP)
            late.start()
        elif done == 2 and late.is_alive():
            done_while_stopped.append(done)
            mentioned.start()

    def continue_when_mentioned() -> None:
        until(lambda: "is stopped: waiting for it" in caplog.text)
        os.kill(int(pid.read_text()), signal.SIGCONT)

    mentioned = threading.Thread(target=continue_when_mentioned)
    results = run_shards(large_second, ["", str(pid), ""], workers=2, on_progress=stop_and_continue)
    late.cancel()
    mentioned.join()
    assert [len(result["text"]) for result in results] == [1, 5_000_000, 1]
    assert done_while_stopped == [2]


def test_a_slow_worker_is_waited_for(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(workers_module, "BEAT", 0.01)
    monkeypatch.setattr(workers_module, "SLOW_BEATS", 2)
    assert run_shards(late_first, PAYLOADS[:2], workers=2) == RESULTS[:2]
    assert "has been at shard 0 for" in caplog.text


@pytest.mark.parametrize("workers", [1, 2])
def test_work_cannot_end_the_run_by_leaving(workers: int) -> None:
    with pytest.raises(RunError, match=r"SystemExit\(0\)"):
        run_shards(leave, PAYLOADS, workers=workers)


def test_too_many_workers_are_refused() -> None:
    with pytest.raises(BadInput, match="at most 1,024"):
        run_shards(square, PAYLOADS, workers=10**6)


def test_a_failing_progress_call_ends_the_workers() -> None:
    pids: list[int] = []

    def stop(done: int, total: int, result: dict[str, Any]) -> None:
        pids.append(result["pid"])
        raise InterruptedError

    with pytest.raises(InterruptedError):
        run_shards(who, PAYLOADS, workers=2, on_progress=stop)
    assert not alive(pids[0])


def test_the_journal_must_fit_the_run(tmp_path: Path) -> None:
    with open_journal(tmp_path / "j") as journal, pytest.raises(ValueError, match="7 shards, the run has 3"):
        run_shards(square, PAYLOADS[:3], journal=journal)


def backwards(work: Any, payloads: Any, todo: Any) -> Any:
    """An executor that ends the last shard first, several at a time."""
    shards = list(todo)
    while shards:
        batch = [shards.pop() for _ in range(min(3, len(shards)))]
        yield [(shard, workers_module.perform(work, payloads[shard])) for shard in batch]


@pytest.mark.parametrize("journalled", [True, False])
def test_results_come_in_order_whichever_ends_first(journalled: bool, tmp_path: Path) -> None:
    many = range(300)  # more than may wait in memory when there is a journal
    with Journal(tmp_path / "j", IDENTITY, "abc", len(many)) as journal, using(backwards):
        found = run_shards(square, many, journal=journal if journalled else None)
    assert found == [json.loads(json.dumps(square(k))) for k in many]


def test_closing_the_results_stops_the_work(tmp_path: Path) -> None:
    pids: set[int] = set()
    with open_journal(tmp_path / "j") as journal:
        results = ordered(executor(2), who, PAYLOADS, journal=journal)
        pids.add(next(results)["pid"])
        results.close()
        assert 1 <= len(journal.results) < len(PAYLOADS)
    until(lambda: not any(map(alive, pids)))


def test_results_of_a_journal_do_not_stay_in_memory(tmp_path: Path) -> None:
    """Twenty megabytes of results pass through; what is held at any moment is a few of them."""
    big, many = {"text": "x" * 100_000}, range(200)
    with Journal(tmp_path / "j", IDENTITY, "abc", len(many)) as journal:
        tracemalloc.start()
        for result in ordered(backwards, lambda payload: big, many, journal=journal):
            assert len(result["text"]) == 100_000
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert peak < (EARLY + 20) * 110_000 < 0.5 * len(many) * 100_000


# --- Shards -------------------------------------------------------------------------------------------------


def test_shards_are_the_games_of_each_subject_in_pieces() -> None:
    shards = Shards([{"name": "a"}, {"name": "a"}, {"name": "b"}], range(10, 17), [4, 7, 3])
    assert [(one["name"], one["start"], one["stop"]) for one in shards] == [
        ("a", 10, 14), ("a", 14, 17), ("a", 10, 17), ("b", 10, 13), ("b", 13, 16), ("b", 16, 17),
    ]  # fmt: skip
    assert [list(shards.of(place)) for place in range(3)] == [[0, 1], [2], [3, 4, 5]]
    assert shards[1:3] == [shards[1], shards[2]] and len(shards) == 6
    for wrong in (6, -1):
        with pytest.raises(IndexError):
            shards[wrong]


def test_shards_are_made_when_they_are_asked_for() -> None:
    shards = Shards([{}], range(2**62, 2**62 + 10**9), 2000)
    assert len(shards) == 500_000
    assert shards[499_999] == {"start": 2**62 + 10**9 - 2000, "stop": 2**62 + 10**9}


@pytest.mark.parametrize("games", [10**9 + 1, 10**20, 10**4000])
def test_a_run_that_cannot_end_is_refused(games: int) -> None:
    with pytest.raises(BadInput, match=r"at most 1,000,000,000 of each pairing") as caught:
        Shards([{}], range(games), 2000)
    assert len(str(caught.value)) < 200


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
    discard(path)
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


def test_a_torn_end_of_several_lines_is_cut_off(tmp_path: Path) -> None:
    """Several shards are written at once: a power loss may leave zeros in place of all of them."""
    path = tmp_path / "j"
    *whole, second, last = filled(path)
    for torn in (bytes(len(second)) + last[:-9], second[9:] + last[9:], b"\0" * 40 + b"\n\n" + last[:5]):
        path.write_bytes(b"".join(whole) + torn)
        with open_journal(path) as journal:
            assert sorted(journal.results) == [4]
        assert path.read_bytes() == b"".join(whole)


def test_several_shards_are_added_all_or_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_journal(tmp_path / "j") as journal:
        before = (tmp_path / "j").read_bytes()
        write = os.write
        monkeypatch.setattr(journal_module.os, "write", lambda fd, line: write(fd, line[:150]))
        with pytest.raises(JournalError, match="No space left"):
            journal.add_all([(k, square(k)) for k in (2, 5)])
        monkeypatch.undo()
        assert len(journal.results) == 0 and (tmp_path / "j").read_bytes() == before
        with pytest.raises(ValueError, match="not done"):
            journal.add_all([(2, {}), (2, {})])
        journal.add_all([(k, square(k)) for k in (5, 2)])
        assert dict(journal.results) == {2: RESULTS[2], 5: RESULTS[5]}


def test_a_note_is_kept_and_not_compared(tmp_path: Path) -> None:
    with open_journal(tmp_path / "j", note={"command": ["match"]}) as journal:
        journal.add(1, square(1))
    with open_journal(tmp_path / "j", note={"command": ["other"]}) as journal:
        assert list(journal.results) == [1]
    found = journal_module.look_at(tmp_path / "j")
    assert found is not None and found.header["note"] == {"command": ["match"]} and found.done == 1
    assert journal_module.look_at(tmp_path / "absent") is None


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


BEGIN = b'{"format":"ginrummy-run/1","code":"abc","shards":7,"identity":'


@pytest.mark.parametrize(
    "identity",
    [
        b"3",
        b"null",
        b'["a"]',
        b'"text"',
        b'{"command":[[[1]]],"files":7}',
        b'{"a":' * 900 + b"1" + b"}" * 900,
    ],
)
def test_a_header_of_the_wrong_type_is_refused(identity: bytes, tmp_path: Path) -> None:
    (tmp_path / "j").write_bytes(BEGIN + identity + b"}\n")
    with pytest.raises(JournalError) as caught:
        open_journal(tmp_path / "j")
    assert "remove the file or use --fresh" in str(caught.value) and len(str(caught.value)) < 2000
    with open_journal(tmp_path / "j", fresh=True) as journal:
        assert journal.results == {}


@pytest.mark.parametrize("opening, closing", [(b"[", b"]"), (b'{"a":', b"}")])
def test_a_header_that_is_too_deep_is_refused(opening: bytes, closing: bytes, tmp_path: Path) -> None:
    deep = opening * 100_000 + b"1" + closing * 100_000
    for content in (BEGIN + deep + b"}\n", b'{"format":' + deep + b"}\n", deep + b"\n"):
        (tmp_path / "j").write_bytes(content)
        with pytest.raises(JournalError, match="not a journal, or its first line is damaged"):
            open_journal(tmp_path / "j")


def test_an_entry_that_is_too_deep_is_damage(tmp_path: Path) -> None:
    lines = filled(tmp_path / "j")
    deep = b'{"shard":0,"result":{"a":' + b"[" * 100_000 + b"]" * 100_000 + b'},"sum":0}\n'
    (tmp_path / "j").write_bytes(b"".join([*lines[:2], deep, *lines[2:]]))
    with pytest.raises(JournalError, match="line 3: damaged"):
        open_journal(tmp_path / "j")


def test_a_result_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    with open_journal(tmp_path / "j") as journal:
        journal.add(1, square(1))
        journal.add(4, {})
        journal.expect(PAYLOADS[:2] + [0] * 5, lambda payload, result: payload == 0 or result["square"] == 1)
        with pytest.raises(JournalError, match="shard 4 is not a result of this run; remove the file"):
            journal.expect(PAYLOADS, lambda payload, result: "square" in result)


def test_another_version_of_a_file_is_refused(tmp_path: Path) -> None:
    before, now = ({**IDENTITY, "files": {"a.py": digest, "b.py": "2"}} for digest in "13")
    open_journal(tmp_path / "j", identity=before).close()
    with pytest.raises(JournalMismatch, match=r"another version of a\.py was played there; remove"):
        open_journal(tmp_path / "j", identity=now)
    with pytest.raises(JournalMismatch, match=r"another version of a\.py, b\.py was played there; remove"):
        open_journal(tmp_path / "j")


@pytest.mark.parametrize("kind", ["pipe", "link", "directory", "no directory"])
def test_what_is_no_plain_file_is_no_journal(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "j"
    (tmp_path / "other").write_text("kept")
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "link":
        path.symlink_to(tmp_path / "other")
    elif kind == "directory":
        path.mkdir()
    else:
        path = tmp_path / "other" / "j"
    for fresh in (False, True):
        with pytest.raises(JournalError, match=f"{path}"):
            open_journal(path, fresh=fresh)
    assert (tmp_path / "other").read_text() == "kept"


def test_a_mutated_journal_is_refused_or_loses_its_end(tmp_path: Path) -> None:
    """Whatever one byte becomes, no other result is read than those that were written."""
    path = tmp_path / "j"
    content = b"".join(filled(path))
    for place in range(len(content)):
        for byte in {0, 10, 34, 48 + place % 10, 125, 255}:
            path.write_bytes(content[:place] + bytes([byte]) + content[place + 1 :])
            try:
                with open_journal(path) as journal:
                    found = dict(journal.results)
            except GinRummyError as error:
                assert "\n" not in str(error)
            else:
                assert all(found[shard] == RESULTS[shard] for shard in found) and len(found) >= 1


def test_a_journal_is_kept_until_its_result_is_delivered(tmp_path: Path) -> None:
    first, second = tmp_path / "a", tmp_path / "b"
    filled(first), filled(second)
    with pytest.raises(InterruptedError), until_delivered():
        discard(first)
        raise InterruptedError
    assert first.exists()
    with until_delivered():
        with until_delivered():
            discard(first)
        discard(second)
        assert first.exists() and second.exists()
    assert list(tmp_path.iterdir()) == []


def test_a_journal_in_use_is_not_removed(tmp_path: Path) -> None:
    with open_journal(tmp_path / "j"):
        discard(tmp_path / "j")
        assert (tmp_path / "j").exists()
    discard(tmp_path / "j")
    discard(tmp_path / "never there")
    assert list(tmp_path.iterdir()) == []


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
        with pytest.raises(JournalError, match="No space left on device; the shards in it are kept"):
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
