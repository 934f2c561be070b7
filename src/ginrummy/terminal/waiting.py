"""What a person sees while a command works: bars and lines on standard error."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
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
from ginrummy.counting import Standing
from ginrummy.stats import pair_interval
from ginrummy.terminal.screen import messages
from ginrummy.tournament import Plan, warm_up
from ginrummy.training.progress import Progress as OnProgress

DRAW_SECONDS = 0.1
"""Seconds between two drawings of a bar: shards may end thousands of times a second."""
SPEAK_SECONDS = 30.0
"""Seconds between two lines of progress when standard error is not a terminal."""


class GamesBar:
    """A bar of games: shards done, games in a second, the time left, and how the players stand.

    It is called with the number of games just finished. It is drawn at each call and not by a thread: a
    process with threads should not be forked. Without a terminal it prints a line now and then.
    """

    def __init__(self, screen: Console, games: int) -> None:
        self._screen, self._total = screen, games
        columns = (
            TextColumn("playing"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("games"),
            TextColumn("{task.description}"),
            TimeRemainingColumn(),
        )
        self._bar = _bar(screen, *columns)
        self._task = self._bar.add_task("", total=games)
        self._began = self._spoken = perf_counter()
        self._first = self._done = 0
        self._drawn = -DRAW_SECONDS
        self._standing = Standing(0, 0)

    def __call__(self, games: int) -> None:
        """Some games are finished."""
        if not games:
            return
        if not self._done:  # what an earlier run had finished, and the first shard: they say nothing of speed
            self._first, self._began = games, perf_counter()
        self._done += games
        now = perf_counter()
        if now - self._drawn >= DRAW_SECONDS or self._done >= self._total:
            self._drawn = now
            self._bar.start()
            self._bar.update(self._task, completed=self._done, description=self.text())
            self._bar.refresh()
        if not self._screen.is_terminal and perf_counter() - self._spoken > SPEAK_SECONDS:
            self._spoken = perf_counter()
            line = f"{self._done:,} of {self._total:,} games, {self.text()}{self._time_left()}"
            self._screen.print(line, highlight=False)

    def watch(self, standing: Standing) -> None:
        """How far the run is; the players of the last pairing stay until there are others."""
        known = self._standing
        players = (standing if standing.players else known)[2:]
        self._standing = Standing(max(standing.shards, known.shards), standing.of, *players)

    def text(self) -> str:
        """Shards, speed and the running estimate."""
        shards, of, players, pairs = self._standing
        parts = [f"{shards:,} of {of:,} shards"] if of else []
        if rate := self._rate():
            parts.append(f"{rate:,.0f} games/s")
        if players and sum(pairs) > 1:
            low, high = pair_interval(pairs)
            mean = sum(k * n for k, n in enumerate(pairs)) / (4 * sum(pairs))
            parts.append(f"{players[0]} wins {100 * mean:.1f} % [{100 * low:.1f}, {100 * high:.1f}]")
        return ", ".join(parts)

    def stop(self) -> None:
        """Take the bar away."""
        self._bar.stop()

    def _rate(self) -> float:
        seconds = perf_counter() - self._began
        return (self._done - self._first) / seconds if self._done > self._first and seconds > 0 else 0.0

    def _time_left(self) -> str:
        if not (rate := self._rate()):
            return ""
        return f", {timedelta(seconds=round(max(0, self._total - self._done) / rate))} left"


@contextmanager
def progress(specs: list[str], plan: Plan, games: int) -> Iterator[GamesBar]:
    """Compile what is needed, then show a bar of games. Yields the bar."""
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
    bar = GamesBar(screen, games)
    try:
        yield bar
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
