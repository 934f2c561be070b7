"""Dot plots of sheets: a panel for each column, our numbers beside the published ones.

Intervals are drawn with their true ends (butt caps), and a thin tick marks the value. Published numbers stand
a little below ours, so neither covers the other.
"""

from textwrap import fill
from typing import Any

from ginrummy.experiments.frame.drawings import Cell, Sheet

OURS, PUBLISHED = "#0072b2", "#d55e00"
WIDTH = 10.0
"""Greatest width of a figure, inches: wider ones are too small to read on a page."""
PANEL = 2.4
"""Least width of a panel, inches."""
NAME = 40
"""Letters in a line of a row's name."""
LETTER = 0.068
"""Width of a letter, inches."""
ROW, TALL_ROW = 0.27, 0.3
"""Height of a row, inches; the second where some name has two lines."""


def draw_sheet(drawing: Sheet, points: list[Any]) -> Any:
    """Panels in lines that are no wider than a page; every line repeats the names of the rows."""
    from matplotlib import pyplot

    cells = [cell for cell in drawing.cells(points) if cell.drawn]
    rows = list(dict.fromkeys(cell.row for cell in cells))
    columns = list(dict.fromkeys(cell.column for cell in cells))
    names = [fill(row, NAME) for row in rows]
    words = LETTER * max(len(line) for name in names for line in name.splitlines())
    across = min(len(columns), max(1, int((WIDTH - words) / PANEL)))
    down = -(-len(columns) // across)
    across = -(-len(columns) // down)
    width = words + across * min(4.2, (WIDTH - words) / across)
    row = TALL_ROW if any("\n" in name for name in names) else ROW
    height = 0.5 + down * (0.6 + row * len(rows))
    figure, panels = pyplot.subplots(
        down, across, figsize=(width, height), sharey=True, squeeze=False, layout="constrained"
    )
    for axes, column in zip(panels.flat, columns, strict=False):
        found = [cell for cell in cells if cell.column == column]
        _draw_panel(axes, found, [rows.index(cell.row) for cell in found], drawing.levels.get(column))
        axes.set_title(column, fontsize=9)
    for axes in panels.flat[len(columns) :]:
        axes.set_visible(False)
    panels[0][0].set_yticks(range(len(rows)), names)
    panels[0][0].set_ylim(len(rows) - 0.5, -0.5)
    handles = _handles(cells, columns, drawing)
    figure.legend(handles=handles, loc="outside lower center", ncols=4, frameon=False, fontsize=8)
    return figure


def _draw_panel(axes: Any, cells: list[Cell], places: list[int], level: float | None) -> None:
    from matplotlib.ticker import MaxNLocator

    if level is not None:
        axes.axvline(level, color="0.6", linewidth=0.8)
    for cell, y in zip(cells, places, strict=True):
        axes.plot(cell.ours.interval(), [y, y], color=OURS, linewidth=4, alpha=0.5, solid_capstyle="butt")
        axes.plot(cell.ours.value, y, "|", color=OURS, markersize=9)
        if cell.published and cell.published.interval:
            below = [y + 0.27, y + 0.27]
            axes.plot(cell.published.interval, below, color=PUBLISHED, linewidth=3, solid_capstyle="butt")
        elif cell.published:
            axes.plot(cell.published.value, y + 0.27, "*", color=PUBLISHED, markersize=6)
    unit = cells[0].unit
    axes.xaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
    if unit in ("rate", "gain", "accuracy"):
        axes.xaxis.set_major_formatter(lambda x, _: f"{100 * x:.3g}%")
    elif unit == "count":
        axes.xaxis.set_major_formatter(lambda x, _: f"{x:,.0f}")
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color="0.9", linewidth=0.6)
    axes.tick_params(labelsize=8)


def _handles(cells: list[Cell], columns: list[str], drawing: Sheet) -> list[Any]:
    """A legend of only what the panels show."""
    from matplotlib.lines import Line2D

    tick: dict[str, Any] = {"marker": "|", "markersize": 9}
    handles = [Line2D([], [], color=OURS, linewidth=4, alpha=0.5, label="ours, 95 % interval", **tick)]
    published = [cell.published for cell in cells if cell.published]
    if any(one.interval is None for one in published):
        handles.append(Line2D([], [], color=PUBLISHED, linestyle="", marker="*", label="published"))
    if any(one.interval is not None for one in published):
        handles.append(Line2D([], [], color=PUBLISHED, linewidth=3, label="published interval"))
    levels = {drawing.levels[column] for column in columns if column in drawing.levels}
    if 0.5 in levels:
        handles.append(Line2D([], [], color="0.6", linewidth=0.8, label="one half"))
    return handles
