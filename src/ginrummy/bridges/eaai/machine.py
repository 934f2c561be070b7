"""The Java virtual machine of this process: whether there is one, its start, its errors."""

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from ginrummy.errors import BadInput
from ginrummy.extras import needed

OPTIONS = (
    "-XX:+UseSerialGC",  # one thread: other collectors start several, which play on other cores
    "-Xms16m",  # the heap begins small and grows when it is needed, so that memory shows what is in use
    "-Djava.awt.headless=true",
)
"""Options of the machine; the user's own come from the environment, as ``JAVA_TOOL_OPTIONS``."""
GRACE = 2.0
"""Seconds after Ctrl-C in which a Java method may return before the process ends all the same."""
_STARTED: list[int] = []
"""The process that started the machine."""
_GUARDED = "guarded_call"
"""The function in which the main thread waits for Java."""


def check() -> Any:
    """The module ``jpype``, if it and Java are installed; otherwise an error that says how to get them."""
    with needed("eaai", "a Java player"):
        import jpype
    try:
        jpype.getDefaultJVMPath()
    except (jpype.JVMNotFoundException, jpype.JVMNotSupportedException) as error:
        raise BadInput(
            "no Java found for a player of the challenge: install Java 11 or later (on Debian and Ubuntu "
            f"apt install default-jdk-headless) or set JAVA_HOME ({' '.join(str(error).split())[:120]})"
        ) from None
    return jpype


def start(cwd: Path | None) -> Any:
    """The module ``jpype`` with the machine running. What Java prints goes to standard error."""
    jpype = check()
    if jpype.isJVMStarted():
        if _STARTED and _STARTED[0] != os.getpid():
            raise BadInput(
                "Java was started before the worker processes and does not live in them: play the match in a "
                "process of its own, or with one worker"
            )
        return jpype
    with within(cwd):
        jpype.startJVM(*OPTIONS, convertStrings=False, interrupt=False)
    _STARTED[:] = [os.getpid()]
    system = jpype.JClass("java.lang.System")
    system.setOut(system.err)
    if threading.current_thread() is threading.main_thread():
        _watch_for_interrupts()
    return jpype


@contextmanager
def within(cwd: Path | None) -> Iterator[None]:
    """Run the block in a directory; None: where the process is."""
    if cwd is None:
        yield
        return
    before = Path.cwd()
    os.chdir(cwd)
    try:
        yield
    finally:
        os.chdir(before)


def _watch_for_interrupts() -> None:
    """Let Ctrl-C end the process also while a Java method runs and never returns.

    Python handles a signal in its main thread, between two of its own steps. While that thread waits for Java
    there are none, so another thread looks whether the same call still runs ``GRACE`` seconds later.
    """
    ear, mouth = os.pipe()
    os.set_blocking(mouth, False)
    before = signal.set_wakeup_fd(mouth, warn_on_full_buffer=False)
    if before != -1:  # somebody else listens already
        signal.set_wakeup_fd(before)
        os.close(ear)
        os.close(mouth)
        return
    threading.Thread(target=_end_when_stuck, args=(ear,), daemon=True).start()


def _end_when_stuck(ear: int) -> None:
    while True:
        if signal.SIGINT not in os.read(ear, 64):
            continue
        waiting = _guarded_frame()
        time.sleep(GRACE)
        if waiting is not None and _guarded_frame() is waiting:
            with suppress(OSError):
                os.write(2, b"ginrummy: stopped while a Java player was thinking\n")
            os._exit(130)


def _guarded_frame() -> object:
    """The frame of the main thread, if it waits for Java."""
    frame = sys._current_frames().get(threading.main_thread().ident or 0)
    return frame if frame is not None and frame.f_code.co_name == _GUARDED else None
