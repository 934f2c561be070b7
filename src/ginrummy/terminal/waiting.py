"""What a person sees while a command works: bars and lines on standard error."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from ginrummy._jit import is_compiled
from ginrummy.terminal.screen import messages
from ginrummy.tournament import Plan, warm_up

SPEAK_SECONDS = 30.0
"""Between two lines of progress off a terminal."""


@contextmanager
def progress(specs: list[str], plan: Plan, games: int) -> Iterator[Callable[[int], None]]:
    """Compile what is needed, then show a bar of games with the time left. Yields the bar's callback.

    The bar starts at its first call, when worker processes exist: it runs in a thread, and a process with
    threads should not be forked.
    """
    screen = messages()
    compiling = (
        "compiling kernels, once for this version (up to a minute)" if not is_compiled() else "starting"
    )
    with screen.status(compiling):
        if not is_compiled():
            screen.print(compiling + " …")
        warm_up(specs, plan.rules)
    columns = (
        TextColumn("playing"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("games"),
        TimeRemainingColumn(),
    )
    bar = Progress(*columns, console=screen, disable=not screen.is_terminal, transient=True)
    task = bar.add_task("games", total=games)

    def on_progress(done: int) -> None:
        if done:
            bar.start()
            bar.advance(task, done)

    try:
        yield on_progress
    except KeyboardInterrupt:
        bar.stop()
        screen.print("finished work is kept: the same command goes on from there")
        raise
    finally:
        bar.stop()


@contextmanager
def steps() -> Iterator[Callable[[str], None]]:
    """Show the name of the step at work."""
    with messages().status("starting") as status:
        yield lambda step: status.update(f"measuring: {step}")


@contextmanager
def long_work() -> Iterator[Callable[[str, int, int], None]]:
    """Show a line on how it stands with a bar of steps; off a terminal, a line now and then."""
    screen = messages()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    bar = Progress(*columns, console=screen, disable=not screen.is_terminal, transient=True)
    task = bar.add_task("starting", total=None)
    spoken = perf_counter()

    def on_progress(line: str, done: int, total: int) -> None:
        nonlocal spoken
        bar.update(task, description=line, completed=done, total=total)
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
