"""What a person sees while a command works: bars and lines on standard error."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)

from ginrummy._jit import is_compiled
from ginrummy.terminal.screen import messages
from ginrummy.tournament import Plan, warm_up
from ginrummy.training.progress import Progress as OnProgress

SPEAK_SECONDS = 30.0
"""Seconds between two lines of progress when standard error is not a terminal."""


@contextmanager
def progress(specs: list[str], plan: Plan, games: int) -> Iterator[Callable[[int], None]]:
    """Compile what is needed, then show a bar of games with the time left. Yields the bar's callback.

    The bar is drawn at each call and not by a thread: a process with threads should not be forked.
    """
    screen = messages()
    compiling = (
        "compiling kernels, once for this version (up to a minute)" if not is_compiled() else "starting"
    )
    before = set(threading.enumerate())
    with screen.status(compiling):
        if not is_compiled():
            screen.print(compiling + " …")
        warm_up(specs, plan.rules, one_by_one=plan.seconds_per_game is not None)
    for thread in set(threading.enumerate()) - before:
        thread.join(1)  # the status has a thread, which rich does not wait for
    columns = (
        TextColumn("playing"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("games"),
        TimeRemainingColumn(),
    )
    bar = _bar(screen, *columns)
    task = bar.add_task("games", total=games)

    def on_progress(done: int) -> None:
        if done:
            bar.start()
            bar.advance(task, done)
            bar.refresh()

    try:
        yield on_progress
    except KeyboardInterrupt:
        bar.stop()
        screen.print("finished work is kept: the same command goes on from there")
        raise
    finally:
        bar.stop()


def _bar(screen: Console, *columns: ProgressColumn) -> Progress:
    """A bar that is drawn only when it is called: a thread of rich must not exist at a fork."""
    hidden = not screen.is_terminal
    return Progress(*columns, console=screen, disable=hidden, transient=True, auto_refresh=False)


@contextmanager
def steps() -> Iterator[Callable[[str], None]]:
    """Show the name of the current step."""
    with messages().status("starting") as status:
        yield lambda step: status.update(f"measuring: {step}")


@contextmanager
def long_work() -> Iterator[OnProgress]:
    """Show a status line with a bar of steps; without a terminal, print a line now and then."""
    screen = messages()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    bar = _bar(screen, *columns)
    task = bar.add_task("starting", total=None)
    spoken = perf_counter()

    def on_progress(line: str, done: int, total: int) -> None:
        nonlocal spoken
        bar.start()
        bar.update(task, description=line, completed=done, total=total)
        bar.refresh()
        if not screen.is_terminal and perf_counter() - spoken > SPEAK_SECONDS:
            spoken = perf_counter()
            screen.print(f"{line} ({done:,} of {total:,})", highlight=False)

    try:
        if not is_compiled():
            screen.print("compiling kernels, once for this version (up to a minute) …")
        yield on_progress
    except KeyboardInterrupt:
        bar.stop()
        screen.print("finished work is kept: the same command goes on from there")
        raise
    finally:
        bar.stop()


@contextmanager
def reviewing() -> Iterator[Callable[[int, int], None]]:
    """Show a bar of decisions while the coach looks at a game."""
    screen = messages()
    columns = (TextColumn("the coach looks"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    bar = _bar(screen, *columns)
    task = bar.add_task("decisions", total=None)

    def on_progress(done: int, total: int) -> None:
        bar.start()
        bar.update(task, completed=done, total=total)
        bar.refresh()

    try:
        if not is_compiled():
            screen.print("compiling kernels, once for this version (up to a minute) …")
        yield on_progress
    finally:
        bar.stop()
