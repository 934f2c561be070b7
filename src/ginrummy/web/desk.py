"""Computing off the event loop: threads behind queues that serve visitors in turn.

Kernels and networks run without Python's lock, so a search in one thread does not keep the page from
answering. A lane takes the next piece of work from the visitor who was served longest ago: somebody with ten
questions does not keep others waiting.
"""

import threading
from collections import OrderedDict, deque
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

from ginrummy.errors import GinRummyError

Answer = TypeVar("Answer")
MOST_WAITING = 6
"""Pieces of work of one visitor that may wait in a lane."""


class TooMany(GinRummyError):
    """A visitor asks more than is answered."""


class Lane:
    """A queue, fair between visitors, with its own threads."""

    def __init__(self, name: str, threads: int = 1) -> None:
        self._waiting: OrderedDict[str, deque[tuple[Future[Any], Callable[[], Any]]]] = OrderedDict()
        self._at_work: list[str] = []
        self._change = threading.Condition()
        self._open = True
        self._threads = [
            threading.Thread(target=self._serve, name=f"{name}-{place}", daemon=True)
            for place in range(threads)
        ]
        for thread in self._threads:
            thread.start()

    def submit(self, visitor: str, work: Callable[[], Answer]) -> "Future[Answer]":
        """Queue a piece of work of a visitor."""
        future: Future[Answer] = Future()
        with self._change:
            if not self._open:
                raise TooMany("the server is closing")
            own = self._waiting.setdefault(visitor, deque())
            if len(own) >= MOST_WAITING:
                raise TooMany("too many questions at once: wait for the answers to the earlier ones")
            own.append((future, work))
            self._change.notify()
        return future

    def ahead(self, visitor: str) -> int:
        """How many pieces of work of others are done before the visitor's next one."""
        with self._change:
            others = sum(name != visitor for name in self._at_work)
            if visitor not in self._waiting:
                return 0
            return others + list(self._waiting).index(visitor)

    def busy(self, visitor: str) -> bool:
        """Whether work of this visitor is waiting or being done."""
        with self._change:
            return visitor in self._waiting or visitor in self._at_work

    def close(self) -> None:
        """Take no more work, and end the threads when they are idle."""
        with self._change:
            self._open = False
            for own in self._waiting.values():
                for future, _ in own:
                    future.cancel()
            self._waiting.clear()
            self._change.notify_all()

    def _next(self) -> tuple[str, Future[Any], Callable[[], Any]] | None:
        with self._change:
            while not self._waiting:
                if not self._open:
                    return None
                self._change.wait()
            visitor, own = self._waiting.popitem(last=False)
            future, work = own.popleft()
            if own:
                self._waiting[visitor] = own  # to the end of the line
            self._at_work.append(visitor)
            return visitor, future, work

    def _serve(self) -> None:
        while (found := self._next()) is not None:
            visitor, future, work = found
            try:
                if future.set_running_or_notify_cancel():
                    try:
                        answer = work()
                    except BaseException as error:
                        future.set_exception(error)
                    else:
                        future.set_result(answer)
            finally:
                with self._change:
                    self._at_work.remove(visitor)
