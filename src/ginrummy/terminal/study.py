"""What ``ginrummy estimate`` found, for a person."""

import math
from collections.abc import Iterable
from textwrap import wrap
from typing import Any

from rich.markup import escape
from rich.table import Table

from ginrummy.judging.beliefs import BOUNDS
from ginrummy.judging.scores import METRICS
from ginrummy.judging.study import shown_turns
from ginrummy.judging.whole_hands import CHANCES, FACTS
from ginrummy.terminal.screen import console

Json = dict[str, Any]

WIDE = 5
"""Most estimators in one table, not counting the bounds."""


def show_study(result: Json, by_turn: Iterable[str]) -> None:
    """All turns together, how far each estimator is behind the best, and some metrics turn by turn."""
    out = console()
    first, second = (escape(name) for name in result["players"])
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
    guessing = [spec for spec in result["estimators"] if spec not in BOUNDS]
    groups = [[*guessing[k : k + WIDE], *BOUNDS] for k in range(0, max(1, len(guessing)), WIDE)]
    tables = [_overall(result, shown) for shown in groups]
    tables += [_behind(result, shown[: -len(BOUNDS)]) for shown in groups if len(guessing) > 1]
    for table in [*tables, *(_turns(result, name, shown) for name in by_turn for shown in groups)]:
        out.print()
        out.print(table)


def show_hands(result: Json) -> None:
    """Beliefs about whole hands: the likelihood of the true hand, and what drawn hands hold, by turn."""
    out = console()
    first, second = (escape(name) for name in result["players"])
    out.print(
        f"[bold]{first}[/] against [bold]{second}[/], hands of {result['hand']}: {result['games']:,} games, "
        f"{result['moments']:,} moments, {result['drawn']} hands drawn for each, {result['seconds']:.1f} s",
        highlight=False,
        soft_wrap=True,
    )
    out.print("Facts are believed less true: 0 is calibrated. Turns are the opponent's own turns.")
    tables = [_whole_hands("all turns", result["overall"], result)]
    tables += [
        _whole_hands(f"turns {row['turns']}, {row['moments']:,} moments", row["hands"], result)
        for row in result["by_turn"]
    ]
    for table in tables:
        out.print()
        out.print(table)


def _whole_hands(title: str, found: Json, result: Json) -> Table:
    shown = result["estimators"]
    table = _table(title, ["true", *shown])
    table.add_row("ln chance of the true hand ↑", "", *(_text(found[spec]["log_chance"]) for spec in shown))
    for fact, words in FACTS.items():
        cells = [_text(found[spec][f"{fact}_less_true"]) for spec in shown]
        table.add_row(words, _text(found["true"][fact]), *cells)
    for fact in CHANCES:
        cells = [_text(found[spec][f"{fact}_brier"]) for spec in shown]
        table.add_row(f"Brier score of {fact} ↓", "", *cells)
    shares = [f"{found[spec]['effective_share']['mean']:.0%}" for spec in shown]
    table.add_row("effective share of the hands ↑", "", *shares)
    return table


def _overall(result: Json, shown: list[str]) -> Table:
    table = _table("all turns", shown)
    for name, metric in METRICS.items():
        if name in result["overall"]:
            arrow = "↑" if metric.high else "↓"
            table.add_row(f"{metric.label} {arrow}", *_cells(result["overall"][name], shown))
    for form in ("raw", "masked"):
        errors = [f"{result['calibration'][spec][form]['error']:.3f}" for spec in shown]
        table.add_row(f"calibration error, {form} ↓", *errors)
    return table


def _behind(result: Json, shown: list[str]) -> Table:
    """Paired differences, whose errors are far smaller than those of the means."""
    table = _table("minus the best, paired", shown)
    for name, metric in METRICS.items():
        if found := result["overall"].get(name):
            cells = ["best" if found[spec]["best"] else _gap(found[spec]) for spec in shown]
            table.add_row(metric.label, *cells)
    return table


def _turns(result: Json, name: str, shown: list[str]) -> Table:
    table = _table(METRICS[name].label, shown, "turn", "moments")
    for row in shown_turns(result):
        table.add_row(str(row["turn"]), f"{row['moments']:,}", *_cells(row["metrics"][name], shown))
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
        table.add_column("\n".join(map(escape, wrap(spec, 10))), justify="right", overflow="fold")
    return table


def _cells(found: Json, shown: list[str]) -> list[str]:
    return [f"[bold]{_text(found[spec])}" if found[spec]["best"] else _text(found[spec]) for spec in shown]


def _text(one: Json) -> str:
    return with_error(one["mean"], one["error"])


def _gap(one: Json) -> str:
    text = with_error(one["behind"][0], one["behind_error"])
    return text if text == "0" or text.startswith("-") else f"+{text}"


def with_error(value: float, error: float) -> str:
    """A number with its standard error in units of its last digit: 0.1274(2). Without error, in full."""
    if error < 1e-7:  # what is left is the rounding of 32-bit sums
        return f"{value:.6g}" if abs(value) > 2e-6 else "0"
    digits = max(0, -math.floor(math.log10(error)))
    return f"{value:.{digits}f}({round(error * 10**digits)})"
