"""What a person sees while a search goes on: the best trials in a table, a bar with the time left."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter

from rich.console import Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from ginrummy._jit import is_compiled
from ginrummy.terminal.screen import messages
from ginrummy.terminal.waiting import SPEAK_SECONDS
from ginrummy.training.progress import Progress as OnProgress
from ginrummy.training.tuning import Leader, Standing, Tuning

COLUMNS = 7
"""Parameters that a table has room for: those that differ most among the best trials."""


@contextmanager
def searching(plan: Tuning) -> Iterator[tuple[OnProgress, Callable[[Standing], None]]]:
    """Show a search; yields the callback of further work and that of trials.

    The table is drawn at each call and not by a thread: a process with threads should not be forked. Without
    a terminal a line is printed now and then.
    """
    screen = messages()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    bar = Progress(*columns, console=screen, auto_refresh=False)
    task = bar.add_task("starting", total=None)
    live = Live(bar, console=screen, auto_refresh=False, transient=True)
    spoken, phase = perf_counter(), "searching"

    def show(line: str, done: int, total: int, table: Table | None = None) -> None:
        nonlocal spoken, phase
        kind = "searching" if table else "measuring"
        if kind != phase:  # the time left of another phase says nothing about this one
            phase = kind
            bar.reset(task)
        bar.update(task, description=line, completed=done, total=total)
        if screen.is_terminal:
            live.start()
            live.update(Group(table, bar) if table else bar, refresh=True)
        elif perf_counter() - spoken > SPEAK_SECONDS:
            spoken = perf_counter()
            screen.print(f"{line} ({done:,} of {total:,})", highlight=False)

    def on_trial(standing: Standing) -> None:
        best = standing.leaders[0] if standing.leaders else None
        found = f"best {best.value:.4f} at trial {best.number}" if best else "no trial is finished"
        cut = f", {standing.pruned} cut short" if standing.pruned else ""
        show(f"searching: {found}{cut}", standing.done, standing.budget, standing_table(standing, plan))

    try:
        if not is_compiled():
            screen.print("compiling kernels, once for this version (up to a minute) …")
        yield show, on_trial
    except KeyboardInterrupt:
        live.stop()
        screen.print("finished work is kept: the same command goes on from there")
        raise
    finally:
        live.stop()


def standing_table(standing: Standing, plan: Tuning) -> Table:
    """The best trials and the last one, with the parameters that differ most among them."""
    names = _telling(standing.leaders, plan)
    table = Table("", "trial", plan.objective, *names, box=None, pad_edge=False)
    for place, leader in enumerate(standing.leaders):
        table.add_row(f"{place + 1}", *_cells(leader, names))
    if all(leader.number != standing.last.number for leader in standing.leaders):
        table.add_row("last", *_cells(standing.last, names), style="dim")
    return table


def _cells(leader: Leader, names: list[str]) -> list[str]:
    values = [leader.point[name] for name in names]
    texts = [value if isinstance(value, str) else f"{value:.4g}" for value in values]
    return [f"{leader.number}", f"{leader.value:.2%}", *texts]


def _telling(leaders: list[Leader], plan: Tuning) -> list[str]:
    """The parameters that differ most among the best trials, in their own order."""

    def spread(name: str, low: float, high: float) -> float:
        values = [leader.point[name] for leader in leaders]
        if not all(isinstance(value, int | float) for value in values) or high <= low:
            return float(len(set(values)) > 1)
        numbers = [float(value) for value in values]
        return (max(numbers) - min(numbers)) / (high - low) if numbers else 0.0

    sizes = {d.name: spread(d.name, d.low, d.high) for d in plan.space.dimensions}
    kept = sorted(sizes, key=lambda name: -sizes[name])[:COLUMNS]
    return [name for name in sizes if name in kept]
