"""One worker process: what it runs, and its owner's side of it.

Shard numbers travel to a worker and never fill its pipe; answers travel back as a length and a pickle, and
the owner takes whatever bytes have come. So neither side can wait forever for a half-sent message, whatever
is killed or stopped in between.
"""

from __future__ import annotations

import ctypes
import json
import logging
import multiprocessing
import os
import pickle
import signal
import struct
import sys
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, TypeAlias

from ginrummy.runs.journal import Result, RunError, canonical

Work: TypeAlias = Callable[[Any], Result]
"""A top-level function from a shard's payload to its result."""
Outcome: TypeAlias = tuple[int, Result | Exception]
"""A shard, and its result or its exception."""

BEAT = 1.0
"""Seconds between two checks of silent workers."""
START_BEATS = 120
"""Beats within which a worker must start, unless it is stopped."""
STOPPED_BEATS = 5
"""Beats after which a stopped worker is mentioned."""
SLOW_BEATS = 600
"""Beats after which a slow shard is mentioned."""
LEAVE_SECONDS = 5.0
"""Seconds that a worker without work has to end itself before it is killed."""

_LENGTH = struct.Struct("!Q")
_CHUNK = 1 << 20
_STARTED = None
"""The first answer of a worker."""
_LOG = logging.getLogger("ginrummy.runs")

if sys.platform == "linux":
    CONTEXT = multiprocessing.get_context("fork")
else:
    CONTEXT = multiprocessing.get_context("spawn")


def perform(work: Work, payload: Any) -> Result:
    """One shard's result as a journal returns it, so that a resumed run cannot differ from a whole one."""
    try:
        result: Result = json.loads(canonical(work(payload)))
    except SystemExit as error:  # from a player, for example: it must not end the run as if all were well
        raise RunError(f"a shard ended with SystemExit({error.code!r})") from error
    return result


class Worker:
    """The owner's side of one worker process. Payloads are sent when the process starts."""

    def __init__(self, work: Work, payloads: Sequence[Any], team: Sequence[Worker]) -> None:
        self.pipe, far = CONTEXT.Pipe()
        self.shards: deque[int] = deque()  # handed over and not yet answered
        self._bytes = bytearray()
        self._started = False
        self._silent = 0  # beats since anything came
        self._told = 0  # beats of silence at the last warning
        forked = CONTEXT.get_start_method() == "fork"
        ours = [self.pipe, *(worker.pipe for worker in team)] if forked else []
        self.process: BaseProcess = CONTEXT.Process(
            target=_serve, args=(far, ours, work, payloads, os.getpid()), daemon=True
        )
        try:
            self.process.start()
        except OSError as error:
            self.pipe.close()
            raise RunError(f"cannot start worker process {len(team) + 1}: {error.strerror}") from error
        finally:
            far.close()  # the worker holds the only copy: its death is an end of file here

    def give(self, shard: int) -> None:
        """Hand over a shard."""
        self.shards.append(shard)
        with suppress(ConnectionError):  # `take` will find that the worker is dead
            self.pipe.send(shard)

    def take(self) -> list[Outcome]:
        """The answers that have come; a `RunError` when the process is dead."""
        try:
            found = os.read(self.pipe.fileno(), _CHUNK)
        except OSError:
            found = b""
        if not found:
            return [self._dead()]
        self._silent = self._told = 0
        self._bytes += found
        outcomes: list[Outcome] = []
        while (message := self._message()) is not None:
            answer = pickle.loads(message)
            if answer is _STARTED:
                self._started = True
            else:
                outcomes.append((self.shards.popleft(), answer))
        return outcomes

    def look_after(self) -> list[Outcome]:
        """One beat: report a worker that is dead or never started, mention one that is stopped or slow."""
        if not self.process.is_alive():
            return [] if self.pipe.poll() else [self._dead()]  # first read what it has sent
        self._silent += 1
        stopped = is_stopped(self.process.pid)
        if not self._started and not stopped and self._silent >= START_BEATS:
            self.process.kill()
            return [(self._lost(), RunError(f"a worker process did not start in {START_BEATS} s"))]
        if self._silent >= max(STOPPED_BEATS if stopped else SLOW_BEATS, 2 * self._told):
            self._told = self._silent
            how = "is stopped" if stopped else f"has been at shard {self.shards[0]} for {self._silent} s"
            _LOG.warning("worker process %s %s: waiting for it", self.process.pid, how)
        return []

    def dismiss(self) -> None:
        """Tell the process that there is no more work."""
        with suppress(ConnectionError):
            self.pipe.send(None)

    def end(self) -> None:
        """Wait for the process to end, and kill it if it is stopped or held up by its threads."""
        self.process.join(LEAVE_SECONDS)
        if self.process.is_alive():
            self.process.kill()
            self.process.join(LEAVE_SECONDS)
        self.pipe.close()

    def _message(self) -> bytes | None:
        """The next whole message, taken from the bytes that have come."""
        if len(self._bytes) < _LENGTH.size:
            return None
        (length,) = _LENGTH.unpack_from(self._bytes)
        end = _LENGTH.size + length
        if len(self._bytes) < end:
            return None
        message = bytes(self._bytes[_LENGTH.size : end])
        del self._bytes[:end]
        return message

    def _lost(self) -> int:
        """The shard that the process was doing. From now on it has none."""
        shard = self.shards[0]
        self.shards.clear()
        return shard

    def _dead(self) -> Outcome:
        shard = self._lost()
        self.process.join(1)
        code = self.process.exitcode
        if code is None:
            how = "closed its pipe"
        else:
            how = f"ended by signal {-code}" if code < 0 else f"ended by exit code {code}"
        return shard, RunError(f"a worker process {how} while it did shard {shard}")


def is_stopped(pid: int | None) -> bool:
    """Whether a process is stopped, as by SIGSTOP or Ctrl-Z; False where that cannot be known."""
    with suppress(OSError, IndexError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in ("T", "t")
    return False


def _serve(
    pipe: Connection[Any, Any], ours: Sequence[Connection[Any, Any]], work: Work, payloads: Any, parent: int
) -> None:
    """What a worker runs: shard numbers in, results or exceptions out, until None comes or the owner ends.

    ``ours`` are the owner's ends of pipes, which a fork copies: an open copy would hide the owner's death.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the owner decides
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    for end in ours:
        end.close()
    _die_with(parent)
    with suppress(EOFError, ConnectionError):
        _send(pipe, _STARTED)
        while (shard := pipe.recv()) is not None:
            answer: Result | Exception
            try:
                answer = perform(work, payloads[shard])
            except Exception as error:
                answer = portable(error)
            _send(pipe, answer)


def _send(pipe: Connection[Any, Any], answer: object) -> None:
    message = pickle.dumps(answer)
    left = memoryview(_LENGTH.pack(len(message)) + message)
    while left:
        left = left[os.write(pipe.fileno(), left) :]


def portable(error: Exception, where: str = "a worker process") -> Exception:
    """The exception itself, with the worker's traceback as a note, or a stand-in when it does not pickle."""
    trace = traceback.format_exc()
    error.add_note(f"In {where}:\n{trace}")
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        stand_in = RunError(f"{type(error).__name__}: {error}")
        stand_in.add_note(f"In {where}:\n{trace}")
        return stand_in
    return error


def _die_with(parent: int) -> None:
    """End this process when its parent dies, even by kill -9.

    On Linux the signal comes when the thread that forked ends, so a run must not outlive its thread.
    """
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
