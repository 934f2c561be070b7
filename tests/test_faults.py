"""Real faults: a disk that is full, files that workers elsewhere cannot see, two processes that compile at once."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from ginrummy import cli
from ginrummy.errors import BadInput
from ginrummy.players.files import Guarded, guarded
from ginrummy.runs import luggage, parts, using
from ginrummy.runs.journal import Journal, JournalError
from kill_runs import counters

WORDS = ["match", "simple", "random", "--games", "60000", "--json"]


def ginrummy(*words: str, cwd: Path, **env: str) -> subprocess.CompletedProcess[str]:
    call = [sys.executable, "-m", "ginrummy", *words]
    return subprocess.run(call, cwd=cwd, env=os.environ | env, capture_output=True, text=True, timeout=300)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system with room for a part of a journal."""
    place = tmp_path / "disk"
    place.mkdir()
    call = ["mount", "-t", "tmpfs", "-o", "size=24k", "tmpfs", str(place)]
    if subprocess.run(call, capture_output=True).returncode:
        pytest.skip("a small file system can only be mounted by root")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def test_a_full_disk_loses_nothing(small_disk: Path, tmp_path: Path) -> None:
    whole, torn = tmp_path / "whole", small_disk / "torn"
    assert ginrummy(*WORDS, "--journal", str(whole), cwd=tmp_path).returncode == 0
    full = ginrummy(*WORDS, "--journal", str(torn), "--workers", "2", cwd=tmp_path)
    assert full.returncode == 2 and full.stdout == "" and full.stderr.count("\n") == 1
    assert "No space left on device; the shards in it are kept" in full.stderr
    kept = torn.read_bytes()
    assert kept.endswith(b"\n") and 1 < kept.count(b"\n") < whole.read_bytes().count(b"\n")
    assert counters(torn) != counters(whole)
    subprocess.run(["mount", "-o", "remount,size=1m", str(small_disk)], check=True)
    again = ginrummy(*WORDS, "--journal", str(torn), "--workers", "2", cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    assert torn.read_bytes().startswith(kept)
    assert counters(torn) == counters(whole)


def test_a_disk_without_room_for_a_journal_is_one_line(small_disk: Path, tmp_path: Path) -> None:
    (small_disk / "filler").write_bytes(bytes(24 * 1024 - 4096))
    with pytest.raises(JournalError, match="No space left on device"):
        Journal(small_disk / "j", {"command": "x" * 9000}, "abc", 3)
    assert [path.name for path in small_disk.iterdir()] == ["filler"]


# --- unfinished runs -----------------------------------------------------------------------------------------


def test_runs_are_listed_shown_resumed_and_deleted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GINRUMMY_STATE", str(tmp_path / "state"))
    words = ["match", "simple", "random", "--games", "200000", "--workers", "2", "--json"]
    run = subprocess.Popen(
        [sys.executable, "-m", "ginrummy", *words],
        cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    end = time.monotonic() + 120
    journals: list[Path] = []
    while not journals or journals[0].read_bytes().count(b"\n") < 4:
        assert time.monotonic() < end and run.poll() is None
        journals = list((tmp_path / "state").glob("*.jsonl"))
        time.sleep(0.01)
    os.kill(run.pid, signal.SIGSTOP)
    (listed,) = json.loads(said("runs", "--json"))["runs"]
    assert listed["state"] == "under way" and listed["command"] == words and listed["done"] >= 3
    assert listed["directory"] == str(tmp_path) and listed["shards"] == 100
    name = listed["name"]
    for word in ("delete", "resume"):
        with pytest.raises(BadInput, match="under way"):
            said("runs", word, name)
    os.killpg(run.pid, signal.SIGKILL)
    run.wait()

    table = said("runs")
    assert "waits" in table and "of 100" in table
    shown = said("runs", "show", name[:8])
    assert "simple against random: 100.0 %" in shown and "ginrummy match simple random" in shown
    with pytest.raises(BadInput, match="no run is called nothing"):
        said("runs", "show", "nothing")
    resumed = ginrummy("runs", "resume", name, cwd=Path("/"))
    assert resumed.returncode == 0 and json.loads(resumed.stdout)["games"] == 200_000
    assert "no unfinished runs" in said("runs")
    kept = tmp_path / "state" / "other.jsonl"
    Journal(kept, {"command": "x"}, "abc", 3).close()
    assert "of other code" in said("runs")
    said("runs", "delete", "other")
    assert not kept.exists()


def said(*words: str) -> str:
    """What a command prints; its errors are raised."""
    result = CliRunner().invoke(cli.app, words, catch_exceptions=False)
    return result.stdout


# --- files of shards, files of users -------------------------------------------------------------------------


def test_a_worker_that_does_not_see_the_directory_sends_its_file(tmp_path: Path) -> None:
    content = np.arange(1000).tobytes()
    with parts.parts(tmp_path / "parts") as place:
        assert parts.put(place, "near", content) == {}
        far = parts.put({**place, "directory": str(tmp_path / "not here")}, "far", content)
        assert json.loads(json.dumps(far)) == far and far.keys() == {parts.CONTENT}
        assert parts.receive(tmp_path / "parts" / "far", {"rows": 3, **far}) == {"rows": 3}
        assert parts.receive(tmp_path / "parts" / "near", {"rows": 3}) == {"rows": 3}
    assert {path.name: path.read_bytes() for path in (tmp_path / "parts").iterdir()} == {
        "near": content,
        "far": content,
    }


def test_play_data_from_elsewhere_is_the_same_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers that see nothing of the driver's directory, in an executor that answers in reverse order."""
    from ginrummy.counting import Plan
    from ginrummy.rules import EAAI
    from ginrummy.runs.workers import perform
    from ginrummy.training import play_data

    monkeypatch.setattr(play_data, "CHUNK", 10)

    def far(work, payloads, todo):
        for shard in reversed(list(todo)):
            hidden = payloads[shard] | {"parts": payloads[shard]["parts"] | {"mark": "none"}}
            yield [(shard, perform(work, hidden))]

    play_data.write("simple", "random", Plan(40, 1, EAAI), tmp_path / "near.parquet")
    with using(far):
        play_data.write("simple", "random", Plan(40, 1, EAAI), tmp_path / "far.parquet")
    near, there = (play_data.read(tmp_path / f"{name}.parquet") for name in ("near", "far"))
    assert near.equals(there) and len(near) > 1000
    assert sorted(path.name for path in tmp_path.iterdir()) == ["far.parquet", "near.parquet"]


def test_files_of_the_user_travel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home, root = tmp_path / "home", tmp_path / "root"
    home.mkdir()
    (home / "mine.py").write_text("import helper\n")
    (home / "helper.py").write_text("X = 1\n")
    monkeypatch.chdir(home)
    specs = ["py:mine.py@make", f"py:{home}/mine.py@make", "simple"]
    work = guarded(len, specs)
    carried = luggage.packed(work)
    assert isinstance(work, Guarded) and carried is not None
    assert set(carried.files) == {f"{home}/mine.py", f"{home}/helper.py"}
    luggage.unpack(carried, root)
    there = luggage.working_directory(carried, root)
    assert (there / "mine.py").read_text() == "import helper\n" and there.is_relative_to(root)
    payload = {"players": specs, "start": 3, "elsewhere": "/etc/passwd"}
    moved = luggage.moved(payload, carried, root)
    assert moved["players"] == [specs[0], f"py:{there}/mine.py@make", "simple"]
    assert moved["start"] == 3 and moved["elsewhere"] == "/etc/passwd"
    copy = luggage.moved_work(work, root)
    (home / "mine.py").write_text("import helper  # changed here, not there\n")
    assert copy(specs) == 3
    (there / "helper.py").write_text("X = 2\n")
    with pytest.raises(Exception, match=r"helper\.py changed"):
        copy(specs)
    assert luggage.packed(len) is None


# --- kernels -------------------------------------------------------------------------------------------------

COMPILES = """
import json, sys, time
from pathlib import Path
sys.path.insert(0, sys.argv[1])
import own
Path(sys.argv[2]).touch()
while len(list(Path(sys.argv[1]).glob("ready-*"))) < 3:
    time.sleep(0.01)
own.outer(3)
print(json.dumps([sum(k.stats.cache_misses.values()) for k in (own.inner, own.outer)]))
"""
OWN = """
from ginrummy._jit import kernel

@kernel
def inner(n):
    total = 0
    for k in range(n):
        total += k * k
    return total

@kernel
def outer(n):
    return inner(n) + inner(n + 1)
"""


def test_processes_that_start_together_compile_each_kernel_once(tmp_path: Path) -> None:
    """As the workers of a node do, whose cache is empty."""
    (tmp_path / "own.py").write_text(OWN)
    env = os.environ | {"GINRUMMY_CACHE": str(tmp_path / "cache")}
    started = [
        subprocess.Popen(
            [sys.executable, "-c", COMPILES, str(tmp_path), str(tmp_path / f"ready-{n}")],
            env=env, stdout=subprocess.PIPE, text=True,
        )
        for n in range(3)
    ]  # fmt: skip
    misses = [json.loads(process.communicate(timeout=120)[0]) for process in started]
    assert [sum(column) for column in zip(*misses, strict=True)] == [1, 1]
