"""Do the shards of a run: find those that are left, share them out, hand the results out in order.

`ordered` knows what a shard is; an `Executor` knows who does it. `in_process` and `in_processes` are the
local ones, `ginrummy.runs.cluster` has the one for Ray.

Results come in shard order whoever computed them, so sums of them are the same to the bit. A result that
ends early waits in the journal, not in memory.

`concurrent.futures.ProcessPoolExecutor` is not used: when a worker is killed while it sends a result larger
than a pipe holds, its owner waits forever for the rest (seen in Python 3.11.7). Here each worker has its own
pipe, the owner notices when that pipe closes, and the owner starts no thread.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Container, Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from itertools import islice
from multiprocessing.connection import wait
from typing import Any, TypeAlias

from ginrummy.errors import BadInput
from ginrummy.runs import workers as working
from ginrummy.runs.journal import Journal, Result
from ginrummy.runs.workers import Outcome, Work, Worker, perform

Finished: TypeAlias = list[tuple[int, Result]]
"""Shards with their results that have ended since the last look."""
Executor: TypeAlias = Callable[[Work, Sequence[Any], Iterable[int]], Generator[Finished, None, None]]
"""(work, payloads, shards to do) -> what has finished, in any order. Closing stops all work."""

OnShard: TypeAlias = Callable[[int, int, Result], None]
"""Called with shards done (those of the journal included), shards in all, and the result just added."""
Receive: TypeAlias = Callable[[Any, Result], Result]
"""(payload, what a worker sent) -> the result."""

AHEAD = 2
"""Shards handed to a worker at a time: one that it does and one that waits, so that it never idles."""
MAX_WORKERS = 1024
EARLY = 64
"""Results that wait in memory for one of a lower number; more are read from the journal again."""


_IN_USE: list[Executor] = []
"""Executors of the open `using` blocks."""


@contextmanager
def using(execute: Executor) -> Iterator[None]:
    """Do the shards of all runs within the block on this executor, whatever workers they ask for."""
    _IN_USE.append(execute)
    try:
        yield
    finally:
        _IN_USE.pop()


def executor(workers: int) -> Executor:
    """The executor of the innermost `using` block; without one, this process or several of this machine."""
    check_workers(workers)
    if _IN_USE:
        return _IN_USE[-1]
    return in_process if workers == 1 else partial(in_processes, workers=workers)


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
    with closing(
        ordered(executor(workers), work, payloads, journal=journal, on_progress=on_progress)
    ) as found:
        return list(found)


def check_workers(workers: int) -> None:
    """Refuse fewer than one worker and more than ``MAX_WORKERS``."""
    if not 1 <= workers <= MAX_WORKERS:
        raise BadInput(f"expected one worker or more, at most {MAX_WORKERS:,}, got {workers}")


def ordered(
    execute: Executor,
    work: Work,
    payloads: Sequence[Any],
    *,
    journal: Journal | None = None,
    on_progress: OnShard | None = None,
    receive: Receive | None = None,
) -> Generator[Result, None, None]:
    """The result of each shard in order, as soon as it and all before it are there.

    Closing the generator stops the work. ``receive`` turns what came from a worker into what the journal
    keeps, as when a worker sends the content of a file.
    """
    total = len(payloads)
    if journal is not None and journal.shards != total:
        raise ValueError(f"the journal has {journal.shards} shards, the run has {total}")
    early: dict[int, Result] = {}  # finished before one of a lower number; a journal has the others
    kept: Container[int] = journal.results if journal is not None else early
    done = len(journal.results) if journal is not None else 0
    place = 0

    def following() -> Iterator[Result]:
        nonlocal place
        while place in kept:
            found = early.pop(place, None)
            if found is None and journal is not None:
                found = journal.results[place]
            place += 1
            yield found or {}

    yield from following()
    if done == total:
        return
    with closing(execute(work, payloads, _left(place, total, kept))) as finished:
        for batch in finished:
            if receive is not None:
                batch = [(shard, receive(payloads[shard], result)) for shard, result in batch]
            if journal is not None:
                journal.add_all(batch)
            for shard, result in batch:
                if journal is None or len(early) < EARLY:
                    early[shard] = result
                done += 1
                if on_progress is not None:
                    on_progress(done, total, result)
            yield from following()


def _left(first: int, total: int, kept: Container[int]) -> Iterator[int]:
    """The shards that are to be done, looked up when they are handed out."""
    return (shard for shard in range(first, total) if shard not in kept)


def in_process(work: Work, payloads: Sequence[Any], todo: Iterable[int]) -> Generator[Finished, None, None]:
    """Do the shards here, one after the other."""
    for shard in todo:
        yield [(shard, perform(work, payloads[shard]))]


def in_processes(
    work: Work, payloads: Sequence[Any], todo: Iterable[int], *, workers: int
) -> Generator[Finished, None, None]:
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


def _results(team: list[Worker], waiting: Iterator[int]) -> Iterator[Finished]:
    """Results as they come, until no worker has a shard left."""
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
        if batch := [(shard, found) for shard, found in outcomes if not isinstance(found, Exception)]:
            yield batch
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
