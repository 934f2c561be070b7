"""What ``ginrummy estimate`` found, for a person."""

import math
from collections.abc import Iterable
from textwrap import wrap
from typing import Any

from rich.table import Table

from ginrummy.experiments.by_turn import BOUNDS, METRICS
from ginrummy.experiments.estimate import shown_turns
from ginrummy.terminal import console

Json = dict[str, Any]


def show_study(result: Json, by_turn: Iterable[str]) -> None:
    """All turns together, how far each estimator is behind the best, and some metrics turn by turn."""
    out = console()
    first, second = result["players"]
    whose = {"both": "both hands are guessed", "a": f"the hand of {first}", "b": f"the hand of {second}"}
    out.print(
        f"[bold]{first}[/] against [bold]{second}[/], {whose[result['hand']]}: {result['games']:,} games, "
        f"{result['rounds']:,} rounds, {result['moments']:,} moments, {result['seconds']:.1f} s",
        highlight=False,
        soft_wrap=True,
    )
    out.print(
        "12.34(5): a mean with its standard error in the last digit, by mirrored pairs; the best is bold."
    )
    tables = [_overall(result)]
    if len(result["estimators"]) > len(BOUNDS) + 1:
        tables.append(_behind(result))
    for table in [*tables, *(_turns(result, name) for name in by_turn)]:
        out.print()
        out.print(table)


def _overall(result: Json) -> Table:
    table = _table("all turns", result["estimators"])
    for name, metric in METRICS.items():
        if name in result["overall"]:
            arrow = "↑" if metric.high else "↓"
            table.add_row(f"{metric.label} {arrow}", *_cells(result["overall"][name]))
    for form in ("raw", "masked"):
        errors = [f"{found[form]['error']:.3f}" for found in result["calibration"].values()]
        table.add_row(f"calibration error, {form} ↓", *errors)
    return table


def _behind(result: Json) -> Table:
    """Paired differences, which are far surer than the means themselves."""
    table = _table("less the best, paired", [e for e in result["estimators"] if e not in BOUNDS])
    for name, metric in METRICS.items():
        found = result["overall"].get(name, {})
        cells = []
        for spec in found:
            if spec not in BOUNDS:
                cells.append("best" if found[spec]["best"] else _gap(*found[spec]["behind"]))
        if cells:
            table.add_row(metric.label, *cells)
    return table


def _turns(result: Json, name: str) -> Table:
    table = _table(METRICS[name].label, result["estimators"], "turn", "moments")
    for row in shown_turns(result):
        table.add_row(str(row["turn"]), f"{row['moments']:,}", *_cells(row["metrics"][name]))
    return table


def _table(title: str, estimators: Iterable[str], *first: str) -> Table:
    table = Table(
        title=f"[bold]{title}",
        title_justify="left",
        title_style="",
        box=None,
        pad_edge=False,
        padding=(0, 1, 0, 0),
    )
    for heading in first or ("",):
        table.add_column(heading, justify="right" if first else "left", no_wrap=True)
    for spec in estimators:
        table.add_column("\n".join(wrap(spec, 10)), justify="right", overflow="fold")
    return table


def _cells(found: Json) -> list[str]:
    return [f"[bold]{_text(one)}" if one["best"] else _text(one) for one in found.values()]


def _text(one: Json) -> str:
    return with_error(one["mean"], one["error"])


def _gap(value: float, low: float, high: float) -> str:
    return f"{'+' * (value >= 0)}{with_error(value, (high - low) / (2 * 1.96))}"


def with_error(value: float, error: float) -> str:
    """A number with its standard error in units of its last digit: 0.1274(2). Without error, in full."""
    if error < 1e-9:
        return f"{value:.6g}" if abs(value) >= 1e-6 else "0"
    digits = max(0, -math.floor(math.log10(error)))
    return f"{value:.{digits}f}({round(error * 10**digits)})"
