"""Ray nodes on this machine for tests: started as a person starts them, with one token, killed without mercy."""

import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

TOKEN = secrets.token_hex(32)
PATIENCE = 240.0
QUICK = '{"health_check_period_ms":500,"health_check_timeout_ms":1000,"health_check_failure_threshold":3}'
"""A dead node is noticed after seconds, not after half a minute."""


def settings(folder: Path) -> dict[str, str]:
    """The environment of nodes and drivers: they share a token."""
    return os.environ | {
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN": TOKEN,
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_DEDUP_LOGS": "0",
        "GINRUMMY_STATE": str(folder / "state"),
    }


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def start_node(folder: Path, port: int, head: bool) -> subprocess.Popen[bytes]:
    """One node with one processor; ``folder`` must have a short name, because sockets are made in it."""
    words = ["--node-ip-address=127.0.0.1", "--num-cpus=1", "--object-store-memory=80000000", "--block"]
    if head:
        words += ["--head", f"--port={port}", "--include-dashboard=false", f"--temp-dir={folder}/ray"]
        words += [f"--system-config={QUICK}"]
    else:
        words += [f"--address=127.0.0.1:{port}"]
    ray = Path(sys.executable).with_name("ray")
    return subprocess.Popen(
        [str(ray), "start", *words],
        env=settings(folder),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def wait_for_port(port: int) -> None:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.1)
    raise AssertionError("the head of the cluster does not start")


def wait_for_work(node: int) -> None:
    """Wait until a worker of a node does shards: Ray gives its processes such names."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        for pid in family(node):
            with suppress(OSError):
                if b"ray::do_shards" in Path(f"/proc/{pid}/cmdline").read_bytes():
                    return
        time.sleep(0.01)
    raise AssertionError("a node of the cluster gets no work")


def family(pid: int) -> list[int]:
    """A process and all its descendants."""
    found = [pid]
    for one in found:
        for task in Path(f"/proc/{one}/task").glob("*/children"):
            with suppress(OSError):
                found += [int(word) for word in task.read_text().split()]
    return found


def kill_node(node: subprocess.Popen[bytes]) -> None:
    """kill -9 of every process of a node, as when its machine loses power."""
    for pid in family(node.pid):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    node.wait(timeout=30)
