"""Do the shards of a run: find those that are left, share them out, return the results in order.

`run_on` knows what a shard is; an `Executor` knows who does it. `in_process` and `in_processes` are the
local ones.

`concurrent.futures.ProcessPoolExecutor` is not used: when a worker is killed while it sends a result larger
than a pipe holds, its owner waits forever for the rest (seen in Python 3.11.7). Here each worker has its own
pipe, the owner notices when that pipe closes, and the owner starts no thread.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from itertools import islice
from multiprocessing.connection import wait
from typing import Any, TypeAlias

from ginrummy.errors import BadInput
from ginrummy.runs import workers as working
from ginrummy.runs.journal import Journal, Result
from ginrummy.runs.workers import Outcome, Work, Worker, perform

Executor: TypeAlias = Callable[
    [Work, Sequence[Any], Iterable[int]], Generator[tuple[int, Result], None, None]
]
"""(work, payloads, shards to do) -> (shard, result) as they finish, in any order. Closing stops all work."""

OnShard: TypeAlias = Callable[[int, int, Result], None]
"""Called with shards done (those of the journal included), shards in all, and the result just added."""

AHEAD = 2
"""Shards handed to a worker at a time: one that it does and one that waits, so that it never idles."""
MAX_WORKERS = 1024


def run_shards(
    work: Work,
    payloads: Sequence[Any],
    *,
    journal: Journal | None = None,
    workers: int = 1,
    on_progress: OnShard | None = None,
) -> list[Result]:
    """Results of all shards, in shard order; shards that the journal has are not done again.

    One worker means this process. Several workers are forked on Linux before ``on_progress`` is first called,
    and so they find compiled kernels in memory. Start no threads before this call (ONNX sessions start some),
    and do not end the calling thread while it runs. An exception in a shard stops the run and is raised
    unchanged. Ctrl-C kills the workers. Finished shards stay in the journal.
    """
    check_workers(workers)
    execute = in_process if workers == 1 else partial(in_processes, workers=workers)
    return run_on(execute, work, payloads, journal=journal, on_progress=on_progress)


def check_workers(workers: int) -> None:
    """Refuse fewer than one worker and more than ``MAX_WORKERS``."""
    if not 1 <= workers <= MAX_WORKERS:
        raise BadInput(f"expected one worker or more, at most {MAX_WORKERS:,}, got {workers}")


def run_on(
    execute: Executor,
    work: Work,
    payloads: Sequence[Any],
    *,
    journal: Journal | None = None,
    on_progress: OnShard | None = None,
) -> list[Result]:
    """`run_shards` on any executor."""
    total = len(payloads)
    if journal is not None and journal.shards != total:
        raise ValueError(f"the journal has {journal.shards} shards, the run has {total}")
    results = dict(journal.results) if journal is not None else {}
    done = frozenset(results)
    if len(done) < total:
        todo = (shard for shard in range(total) if shard not in done)
        with closing(execute(work, payloads, todo)) as finished:
            for shard, result in finished:
                if journal is not None:
                    journal.add(shard, result)
                results[shard] = result
                if on_progress is not None:
                    on_progress(len(results), total, result)
    return [results[shard] for shard in range(total)]


def in_process(
    work: Work, payloads: Sequence[Any], todo: Iterable[int]
) -> Generator[tuple[int, Result], None, None]:
    """Do the shards here, one after the other."""
    for shard in todo:
        yield shard, perform(work, payloads[shard])


def in_processes(
    work: Work, payloads: Sequence[Any], todo: Iterable[int], *, workers: int
) -> Generator[tuple[int, Result], None, None]:
    """Do the shards in worker processes of this machine.

    The owner checks silent workers at every beat. A dead worker ends the run with a `RunError`. A stopped or
    slow worker is waited for, with a warning now and then.
    """
    waiting = iter(todo)
    first = list(islice(waiting, workers))
    team: list[Worker] = []
    try:
        with _interrupt_held():
            for _ in first:
                team.append(Worker(work, payloads, team))
        for worker, shard in zip(team, first, strict=True):
            worker.give(shard)
        yield from _results(team, waiting)
        for worker in team:
            worker.dismiss()
        for worker in team:
            worker.end()
    except BaseException:
        for worker in team:
            worker.process.kill()
        for worker in team:
            worker.end()
        raise


def _results(team: list[Worker], waiting: Iterator[int]) -> Iterator[tuple[int, Result]]:
    """(shard, result) as they come, until no worker has a shard left."""
    looked = time.monotonic()
    _hand_out(team, waiting)
    while busy := [worker for worker in team if worker.shards]:
        ready = wait([worker.pipe for worker in busy], working.BEAT)
        outcomes: list[Outcome] = []
        for worker in busy:
            if worker.pipe in ready:
                outcomes += worker.take()
        if time.monotonic() - looked >= working.BEAT:
            looked = time.monotonic()
            for worker in busy:
                outcomes += worker.look_after() if worker.shards else []
        _hand_out(team, waiting)
        for shard, outcome in outcomes:
            if not isinstance(outcome, Exception):
                yield shard, outcome
        for _, outcome in sorted(outcomes, key=lambda pair: pair[0]):
            if isinstance(outcome, Exception):
                raise outcome


def _hand_out(team: list[Worker], waiting: Iterator[int]) -> None:
    """Give shards to the workers in turn, until each has ``AHEAD`` shards."""
    for share in range(AHEAD):
        for worker, shard in zip([one for one in team if len(one.shards) <= share], waiting, strict=False):
            worker.give(shard)


@contextmanager
def _interrupt_held() -> Iterator[None]:
    """Delay Ctrl-C until all workers are known, so that none is left running."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
