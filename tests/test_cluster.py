"""Runs on a Ray cluster of two nodes: the same bytes as here, though nodes, workers and drivers are killed."""

import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

if importlib.util.find_spec("ray") is None:  # Ray reads its token when it is imported: not yet
    pytest.skip("needs the extra 'cluster'", allow_module_level=True)
if sys.platform != "linux":
    pytest.skip("finds the processes of a node in /proc", allow_module_level=True)

from ginrummy.errors import PlayerError
from ginrummy.rules import EAAI
from ginrummy.runs import RunError, run_shards
from ginrummy.runs import cluster as clusters
from ginrummy.tournament import Plan, match
from kill_runs import counters
from ray_nodes import (
    PATIENCE,
    TOKEN,
    free_port,
    kill_node,
    settings,
    start_node,
    wait_for_port,
    wait_for_work,
)

SLOW = """
import time
from dataclasses import replace
from pause import SECONDS
from ginrummy.players.baseline import simple

def make():
    plain = simple()
    def draw(view, rows, u):
        time.sleep(SECONDS)
        return plain.draw(view, rows, u)
    return replace(plain, name="slow", draw=draw, shard=20, compiled=None)

def broken():
    def draw(view, rows, u):
        raise ZeroDivisionError("a fault of mine")
    return replace(simple(), name="broken", draw=draw, compiled=None)
"""


class Nodes(NamedTuple):
    folder: Path
    port: int
    head: subprocess.Popen[bytes]
    other: subprocess.Popen[bytes]

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"


@pytest.fixture(scope="module")
def nodes() -> Iterator[Nodes]:
    folder = Path(tempfile.mkdtemp(prefix="gr-", dir="/tmp"))
    (folder / "slow.py").write_text(SLOW)
    (folder / "pause.py").write_text("SECONDS = 0.004\n")
    port = free_port()
    head = start_node(folder, port, head=True)
    wait_for_port(port)
    made = Nodes(folder, port, head, start_node(folder, port, head=False))
    yield made
    kill_node(made.other)
    kill_node(made.head)
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def here(nodes: Nodes) -> Iterator[clusters.Cluster]:
    """A connection of this process."""
    before = dict(os.environ)
    os.environ |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": TOKEN}
    cluster = clusters.Cluster(nodes.address)
    cluster.join()
    end = time.monotonic() + PATIENCE
    while cluster.processors() < 2:
        assert time.monotonic() < end, "the second node does not join"
        time.sleep(0.1)
    yield cluster
    cluster.close()
    os.environ.clear()
    os.environ |= before


def drive(nodes: Nodes, journal: str, ray: bool = True, games: int = 200) -> subprocess.Popen[str]:
    """A tournament in the folder of the nodes, in which a player of the user's own is named by a relative path."""
    words = ["tournament", "simple", "random", "py:slow.py@make", "--games", str(games), "--json"]
    words += ["--journal", journal, *(["--ray", nodes.address] if ray else ["--workers", "2"])]
    return subprocess.Popen(
        [sys.executable, "-m", "ginrummy", *words],
        cwd=nodes.folder,
        env=settings(nodes.folder),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(run: subprocess.Popen[str]) -> tuple[dict[str, Any], str]:
    out, said = run.communicate(timeout=PATIENCE)
    assert run.returncode == 0, said
    return json.loads(out), said


def wait_for_lines(journal: Path, lines: int, run: subprocess.Popen[str]) -> None:
    end = time.monotonic() + PATIENCE
    while not journal.exists() or journal.read_bytes().count(b"\n") < lines:
        assert time.monotonic() < end and run.poll() is None, "the run makes no progress"
        time.sleep(0.02)


@pytest.fixture(scope="module")
def undisturbed(nodes: Nodes) -> bytes:
    ended(drive(nodes, "whole", ray=False))
    return counters(nodes.folder / "whole")


def who(payload: int) -> dict[str, Any]:
    time.sleep(0.3)
    return {"pid": os.getpid(), "payload": payload}


def die(payload: int) -> dict[str, Any]:
    if payload == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return {"payload": payload}


def test_both_nodes_work_and_results_come_in_order(here: clusters.Cluster) -> None:
    with clusters.using(here.execute):
        results = run_shards(who, range(6))
    assert [result["payload"] for result in results] == list(range(6))
    assert len({result["pid"] for result in results}) >= 2


def test_a_shard_that_ends_its_worker_again_and_again_ends_the_run(
    here: clusters.Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clusters, "TRIES", 2)
    with clusters.using(here.execute), pytest.raises(RunError, match="shard 1 was lost 2 times"):
        run_shards(die, range(3))


def test_other_code_is_refused(here: clusters.Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    other = clusters.made_of() | {"code": "other"}
    monkeypatch.setattr(clusters, "made_of", lambda: other)
    with (
        clusters.using(here.execute),
        pytest.raises(RunError, match="a node of the cluster has code"),
    ):
        run_shards(who, range(2))


def test_a_players_fault_comes_back(here: clusters.Cluster, nodes: Nodes, tmp_path: Path) -> None:
    """The player is named by an absolute path, which the worker finds below a directory of its own."""
    plan = Plan(20, 1, EAAI, journal=tmp_path / "j")
    with clusters.using(here.execute), pytest.raises(PlayerError, match="a fault of mine") as caught:
        match("simple", f"py:{nodes.folder}/slow.py@broken", plan)
    assert "ginrummy-" in caught.value.trace  # the copy's place


def test_a_cluster_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    words = ["match", "simple", "random", "--games", "2", "--ray", "nonsense://"]
    call, env = [sys.executable, "-m", "ginrummy", *words], settings(tmp_path)
    done = subprocess.run(call, env=env, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert "cannot reach a Ray cluster" in done.stderr


def test_a_killed_driver_goes_on_and_a_second_one_is_refused(nodes: Nodes, undisturbed: bytes) -> None:
    journal = nodes.folder / "driver"
    run = drive(nodes, "driver")
    wait_for_lines(journal, 3, run)
    os.kill(run.pid, signal.SIGSTOP)
    second = drive(nodes, "driver", ray=False)
    assert "is in use" in second.communicate(timeout=PATIENCE)[1] and second.returncode == 2
    run.kill()
    run.communicate()
    assert counters(journal) != undisturbed
    ended(drive(nodes, "driver"))
    assert counters(journal) == undisturbed


def test_a_killed_node_costs_nothing_but_time(nodes: Nodes, undisturbed: bytes) -> None:
    """The last test here: from now on the cluster has one node."""
    journal = nodes.folder / "node"
    run = drive(nodes, "node")
    wait_for_lines(journal, 2, run)
    wait_for_work(nodes.other.pid)
    kill_node(nodes.other)
    _, said = ended(run)
    assert "done again" in said
    assert counters(journal) == undisturbed
