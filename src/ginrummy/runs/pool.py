"""Do the shards of a run: which are left, who does them, in which order they are handed back.

`run_on` knows what a shard is; an `Executor` knows who does it. `in_process` and `in_processes` are the
local ones.

`concurrent.futures.ProcessPoolExecutor` is not used: when a worker is killed while it sends a result larger
than a pipe holds, its owner waits for the rest for ever (seen in Python 3.11.7). Here each worker has a
pipe of its own, whose end the owner sees, and the owner starts no thread.
"""

from __future__ import annotations

import ctypes
import json
import multiprocessing
import os
import pickle
import signal
import sys
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from functools import partial
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, TypeAlias

from ginrummy.runs.journal import Journal, Result, RunError, canonical

Work: TypeAlias = Callable[[Any], Result]
"""A top-level function from a shard's payload to its result."""

Executor: TypeAlias = Callable[
    [Work, Sequence[Any], Sequence[int]], Generator[tuple[int, Result], None, None]
]
"""(work, payloads, shards to do) -> (shard, result) as they finish, in any order; closing it stops all."""

Progress: TypeAlias = Callable[[int, int, Result], None]
"""Called with shards done (those of the journal included), shards in all, and the result just added."""

AHEAD = 2
"""Shards handed to a worker at a time: one it does and one that waits, so that it never idles."""

if sys.platform == "linux":
    CONTEXT = multiprocessing.get_context("fork")
else:
    CONTEXT = multiprocessing.get_context("spawn")


def run_shards(
    work: Work,
    payloads: Sequence[Any],
    *,
    journal: Journal | None = None,
    workers: int = 1,
    on_progress: Progress | None = None,
) -> list[Result]:
    """Results of all shards, in shard order; shards that the journal has are not done again.

    One worker means this process. Several are forked on Linux, where they find compiled kernels in memory,
    before ``on_progress`` is first called; start no threads before this call (ONNX sessions do). An
    exception in a shard stops the run and is raised as it is; Ctrl-C kills the workers; finished shards
    stay in the journal.
    """
    if workers < 1:
        raise ValueError(f"expected one worker or more, got {workers}")
    execute = in_process if workers == 1 else partial(in_processes, workers=workers)
    return run_on(execute, work, payloads, journal=journal, on_progress=on_progress)


def run_on(
    execute: Executor,
    work: Work,
    payloads: Sequence[Any],
    *,
    journal: Journal | None = None,
    on_progress: Progress | None = None,
) -> list[Result]:
    """`run_shards` on any executor."""
    total = len(payloads)
    if journal is not None and journal.shards != total:
        raise ValueError(f"the journal is of {journal.shards} shards, the run of {total}")
    results = dict(journal.results) if journal is not None else {}
    todo = [shard for shard in range(total) if shard not in results]
    if todo:
        with closing(execute(work, payloads, todo)) as finished:
            for shard, result in finished:
                if journal is not None:
                    journal.add(shard, result)
                results[shard] = result
                if on_progress is not None:
                    on_progress(len(results), total, result)
    return [results[shard] for shard in range(total)]


def perform(work: Work, payload: Any) -> Result:
    """One shard's result as a journal returns it, so that a resumed run cannot differ from a whole one."""
    result: Result = json.loads(canonical(work(payload)))
    return result


def in_process(
    work: Work, payloads: Sequence[Any], todo: Sequence[int]
) -> Generator[tuple[int, Result], None, None]:
    """Do the shards here, one after the other."""
    for shard in todo:
        yield shard, perform(work, payloads[shard])


def in_processes(
    work: Work, payloads: Sequence[Any], todo: Sequence[int], *, workers: int
) -> Generator[tuple[int, Result], None, None]:
    """Do the shards in worker processes of this machine."""
    waiting = deque(todo)
    team: list[_Worker] = []
    try:
        with _interrupt_held():
            for _ in range(min(workers, len(todo))):
                team.append(_Worker(work, payloads))
        for worker in team * AHEAD:
            worker.give(waiting)
        while busy := {worker.pipe: worker for worker in team if worker.shards}:
            ready = [busy[pipe] for pipe in wait(list(busy)) if isinstance(pipe, Connection)]
            outcomes = [worker.take() for worker in ready]
            for worker in ready:
                worker.give(waiting)
            for shard, outcome in outcomes:
                if not isinstance(outcome, Exception):
                    yield shard, outcome
            for _, outcome in sorted(outcomes, key=lambda pair: pair[0]):
                if isinstance(outcome, Exception):
                    raise outcome
        for worker in team:
            worker.dismiss()
    except BaseException:
        for worker in team:
            worker.process.kill()
        raise
    finally:
        for worker in team:
            worker.process.join()
            worker.pipe.close()


class _Worker:
    """The owner's side of one worker process.

    Payloads travel when the process starts, later only shard numbers do: a pipe never fills in this
    direction, so owner and worker cannot both be stuck sending.
    """

    def __init__(self, work: Work, payloads: Sequence[Any]) -> None:
        self.pipe, far = CONTEXT.Pipe()
        self.process: BaseProcess = CONTEXT.Process(
            target=_serve, args=(far, work, payloads, os.getpid()), daemon=True
        )
        self.process.start()
        far.close()  # the worker holds the only copy: its death is an end of file here
        self.shards: deque[int] = deque()  # handed over and not yet answered

    def give(self, waiting: deque[int]) -> None:
        """Hand over the next shard, if there is one."""
        if waiting:
            self.shards.append(waiting.popleft())
            with suppress(BrokenPipeError):  # a dead worker is reported by `take`
                self.pipe.send(self.shards[-1])

    def take(self) -> tuple[int, Result | Exception]:
        """The answer for the oldest shard; a `RunError` when the process is dead."""
        shard = self.shards.popleft()
        try:
            return shard, self.pipe.recv()
        except (EOFError, OSError):
            self.process.join(1)
            code = self.process.exitcode
            how = f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"
            return shard, RunError(f"a worker process ended by {how} while it did shard {shard}")

    def dismiss(self) -> None:
        with suppress(BrokenPipeError):
            self.pipe.send(None)


def _serve(pipe: Connection[Any, Any], work: Work, payloads: Sequence[Any], parent: int) -> None:
    """A worker's life: shard numbers in, results or exceptions out, until None."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the owner decides
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    _die_with(parent)
    while (shard := pipe.recv()) is not None:
        answer: Result | Exception
        try:
            answer = perform(work, payloads[shard])
        except Exception as error:
            answer = _portable(error)
        pipe.send(answer)


def _portable(error: Exception) -> Exception:
    """The exception itself, with the worker's traceback as a note, or a stand-in when it does not pickle."""
    trace = traceback.format_exc()
    error.add_note(f"In a worker process:\n{trace}")
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        stand_in = RunError(f"{type(error).__name__}: {error}")
        stand_in.add_note(f"In a worker process:\n{trace}")
        return stand_in
    return error


def _die_with(parent: int) -> None:
    """End this process when its parent dies, even by kill -9."""
    if sys.platform == "linux":
        set_parent_death_signal = 1  # PR_SET_PDEATHSIG
        ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGKILL)
        if os.getppid() != parent:  # it died before the call
            os._exit(1)
    else:
        threading.Thread(target=_watch, args=(parent,), daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


@contextmanager
def _interrupt_held() -> Iterator[None]:
    """Ctrl-C waits until the workers are known, so that none is left behind."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
