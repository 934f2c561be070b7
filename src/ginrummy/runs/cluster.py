"""Shards on a Ray cluster: ``--ray auto``, ``--ray ray://host:port``, ``--ray host:port``, ``--ray local``.

The package with its trained files travels with the job, and so do the user's own files. A worker says what
it is made of before it works: other code or another version of a library that computes is refused, because
results must be the same to the bit. Shards that are lost with a worker or a node are done again. Small shards
go several to a task, so that the driver keeps up with many workers.
"""

from __future__ import annotations

import atexit
import io
import logging
import os
import shutil
import sys
import tempfile
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

from ginrummy._jit import PACKAGE, code_digest
from ginrummy.errors import shortened
from ginrummy.extras import needed
from ginrummy.runs import luggage as bags
from ginrummy.runs.journal import Result, RunError
from ginrummy.runs.luggage import Luggage
from ginrummy.runs.pool import Finished, using
from ginrummy.runs.workers import Work, perform, portable

BEAT = 5.0
"""Seconds between two looks at the size of the cluster."""
TASK_SECONDS = 1.0
"""How long a task should last: shorter shards go several to a task."""
MOST = 64
"""Shards of a task, at most."""
TRIES = 5
"""How often a shard may be lost before the run ends."""
STORE_BYTES = 100_000_000
"""Memory for objects of a cluster that is started here: results are small."""
LIBRARIES = ("numpy", "numba", "onnxruntime")
"""Libraries that compute."""
_LOG = logging.getLogger("ginrummy.runs")


class Errand(NamedTuple):
    """What all tasks of a run share."""

    work: Work
    luggage: Luggage | None
    made_of: dict[str, str]


@contextmanager
def on_ray(address: str) -> Iterator[None]:
    """Do the shards of all runs within the block on a Ray cluster, which is joined when it is first needed.

    Nothing reaches standard output during the block: threads of Ray print news of its workers there.
    """
    cluster = Cluster(address)
    try:
        with using(cluster.execute), redirect_stdout(_Quiet()):
            yield
    finally:
        cluster.close()


class _Quiet(io.TextIOBase):
    """Standard error for this thread; what other threads print goes nowhere."""

    def __init__(self) -> None:
        self._thread = threading.current_thread()

    def write(self, text: str) -> int:
        return sys.stderr.write(text) if threading.current_thread() is self._thread else len(text)


class Cluster:
    """A connection to a Ray cluster."""

    def __init__(self, address: str) -> None:
        self._address = address
        with needed("cluster", "--ray"):
            import ray
        self._ray: Any = ray

    def join(self) -> None:
        """Connect, if that has not been done."""
        if self._ray.is_initialized():
            return
        address = self._address
        travels = {"py_modules": [str(PACKAGE)], "excludes": ["**/__pycache__/**"]}
        options: dict[str, Any] = {"runtime_env": travels, "log_to_driver": False, "logging_level": "error"}
        if address == "local":
            options |= {"num_cpus": os.cpu_count(), "object_store_memory": STORE_BYTES}
            options |= {"include_dashboard": False}
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        try:
            self._ray.init(address=address, **options)
        except Exception as error:  # whatever Ray raises, it is about the cluster
            why = shortened(" ".join(str(error).split()))
            raise RunError(
                f"cannot reach a Ray cluster ({address}): {why}; nodes and driver need the same token"
            ) from error
        self._task = self._ray.remote(num_cpus=1, max_retries=0)(do_shards)

    def close(self) -> None:
        """Leave the cluster; a local one ends."""
        self._ray.shutdown()

    def processors(self) -> int:
        """Processors of all nodes that are alive."""
        return int(self._ray.cluster_resources().get("CPU", 0))

    def execute(
        self, work: Work, payloads: Sequence[Any], todo: Iterable[int]
    ) -> Generator[Finished, None, None]:
        """The executor."""
        self.join()
        errand = Errand(work, bags.packed(work), made_of())
        _by_value(self._ray, work)
        box = [self._ray.put(errand)]  # in a list it is fetched when asked for, once for each process
        yield from _Crew(self, box, payloads, todo).results()

    def start(self, box: list[Any], payloads: list[Any]) -> Any:
        """A task under way."""
        return self._task.remote(box, payloads)

    def cancel(self, tasks: Iterable[Any]) -> None:
        """Stop tasks at once."""
        for task in tasks:
            with suppress(Exception):
                self._ray.cancel(task, force=True)

    def finished(self, tasks: list[Any]) -> list[Any]:
        """The tasks that have ended, after a beat at the latest."""
        ready, _ = self._ray.wait(tasks, num_returns=len(tasks), timeout=0)
        if not ready:
            ready, _ = self._ray.wait(tasks, num_returns=1, timeout=BEAT)
        return list(ready)

    def answer(self, task: Any) -> tuple[list[Result | Exception], float] | str:
        """The outcomes of a task and its seconds; or how it was lost."""
        errors = self._ray.exceptions
        try:
            found: tuple[list[Result | Exception], float] = self._ray.get(task)
        except errors.RuntimeEnvSetupError as error:
            raise RunError(f"the package could not be sent to a node: {shortened(str(error))}") from error
        except errors.RayTaskError:
            raise
        except errors.RayError as error:
            return type(error).__name__
        return found


class _Crew:
    """The tasks of one run."""

    def __init__(
        self, cluster: Cluster, box: list[Any], payloads: Sequence[Any], todo: Iterable[int]
    ) -> None:
        self._cluster, self._box, self._payloads = cluster, box, payloads
        self._waiting, self._again = iter(todo), deque[int]()
        self._tasks: dict[Any, list[int]] = {}
        self._handed = 0
        self._pace = 0.0  # seconds of a shard, about
        self._lost: Counter[int] = Counter()
        self._looked = -BEAT
        self._processors = 1

    def results(self) -> Iterator[Finished]:
        """Results as they come, until all shards are done."""
        try:
            while True:
                self._hand_out()
                if not self._tasks:
                    return
                done, failure = self._collected(self._cluster.finished(list(self._tasks)))
                if done:
                    yield done
                if failure is not None:
                    raise failure
        finally:
            self._cluster.cancel(self._tasks)

    def _collected(self, ended: list[Any]) -> tuple[Finished, Exception | None]:
        done: Finished = []
        failures: dict[int, Exception] = {}
        for task in ended:
            shards = self._tasks.pop(task)
            answer = self._cluster.answer(task)
            if isinstance(answer, str):
                self._lose(shards, answer)
                continue
            outcomes, seconds = answer
            self._pace = seconds / len(shards)
            for shard, outcome in zip(shards, outcomes, strict=False):  # work stops at the first exception
                if isinstance(outcome, Exception):
                    failures[shard] = outcome
                else:
                    done.append((shard, outcome))
        return done, failures[min(failures)] if failures else None

    def _lose(self, shards: list[int], how: str) -> None:
        """Shards that ended with their worker or node are done again."""
        _LOG.warning("a worker of the cluster was lost (%s): %d shards are done again", how, len(shards))
        self._lost.update(shards)
        if max(self._lost[shard] for shard in shards) >= TRIES:
            raise RunError(f"shard {shards[0]} was lost {TRIES} times with its worker ({how})")
        self._again.extend(shards)

    def _hand_out(self) -> None:
        """Two tasks for each processor, so that none idles."""
        if time.monotonic() - self._looked >= BEAT:
            self._looked = time.monotonic()
            self._processors = max(1, self._cluster.processors())
        while len(self._tasks) < 2 * self._processors:
            shards = list(self._next())
            if not shards:
                return
            task = self._cluster.start(self._box, [self._payloads[shard] for shard in shards])
            self._tasks[task] = shards

    def _next(self) -> Iterator[int]:
        """The shards of the next task: few at the beginning, and at the end one for each processor."""
        left = len(self._payloads) - self._handed
        size = int(TASK_SECONDS / self._pace) if self._pace else 1
        for _ in range(max(1, min(size, MOST, left // (4 * self._processors)))):
            if self._again:
                yield self._again.popleft()
                return  # by itself: it may be what ended its worker
            shard = next(self._waiting, None)
            if shard is None:
                return
            self._handed += 1
            yield shard


@cache
def made_of() -> dict[str, str]:
    """What results depend on besides payloads: the digest of the code, and versions of libraries."""
    return {"code": code_digest()} | {name: metadata.version(name) for name in LIBRARIES}


def _by_value(ray: Any, work: Any) -> None:
    """Let functions of modules that do not travel, such as a script's own, travel by value."""
    inner = getattr(work, "work", work)
    module = sys.modules.get(getattr(getattr(inner, "func", inner), "__module__", ""))
    if module is not None and not module.__name__.startswith(("ginrummy", "__main__")):
        ray.cloudpickle.register_pickle_by_value(module)


# --- in a worker of the cluster ----------------------------------------------------------------------------


class _Office(NamedTuple):
    """An errand as a worker process has set it up."""

    work: Work
    prepare: Callable[[Any], Any]
    """A payload -> the same with paths of this machine."""


_offices: dict[str, _Office] = {}


def do_shards(box: list[Any], payloads: list[Any]) -> tuple[list[Result | Exception], float]:
    """Do some shards, up to the first that fails: the outcomes, and the seconds that it took."""
    began = time.perf_counter()
    outcomes: list[Result | Exception] = []
    try:
        office = _office(box)
        for payload in payloads:
            outcomes.append(perform(office.work, office.prepare(payload)))
    except Exception as error:
        outcomes.append(portable(error, "a worker of the cluster"))
    return outcomes, time.perf_counter() - began


def _office(box: list[Any]) -> _Office:
    import ray

    name = box[0].hex()
    if name not in _offices:
        errand: Errand = ray.get(box[0])
        _check(errand.made_of)
        _offices.clear()
        _offices[name] = _set_up(errand)
    return _offices[name]


def _check(driver: dict[str, str]) -> None:
    for what, wanted in driver.items():
        if (found := made_of()[what]) != wanted:
            raise RunError(f"a node of the cluster has {what} {found}, the driver has {wanted}")


def _set_up(errand: Errand) -> _Office:
    if errand.luggage is None:
        return _Office(errand.work, lambda payload: payload)
    carried = errand.luggage
    root = Path(tempfile.mkdtemp(prefix="ginrummy-"))
    atexit.register(shutil.rmtree, root, ignore_errors=True)
    bags.unpack(carried, root)
    os.chdir(bags.working_directory(carried, root))
    sys.path[:0] = bags.module_directories(carried, root)
    work = bags.moved_work(errand.work, root)
    return _Office(work, lambda payload: bags.moved(payload, carried, root))
