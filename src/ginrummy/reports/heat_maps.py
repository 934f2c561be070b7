"""Heat maps: win rates by two parameters, panel by panel."""

import math
from typing import Any

from ginrummy.experiments.frame.drawings import Cells, HeatMap

ACROSS = 5
"""Panels in a line at most."""
LEGIBLE = 150
"""Cells of a figure beyond which no numbers are written into them."""


def draw_heat_map(drawing: HeatMap, points: list[Any]) -> Any:
    """Panels that share their colours; numbers in the cells where there is room; a star on the best cell."""
    from matplotlib import pyplot
    from matplotlib.lines import Line2D

    panels = drawing.panels(points)
    across = min(ACROSS, len(panels))
    down = math.ceil(len(panels) / across)
    reach = max(abs(cell.value - 0.5) for cells in panels.values() for cell in cells.values())
    values = [cell.value for cells in panels.values() for cell in cells.values()]
    straddles = min(values) < 0.5 < max(values)
    scale = (0.5 - reach, 0.5 + reach) if straddles else (min(values), max(values))
    size = (7.2, 5.8) if len(panels) == 1 else (2.1 * across + 1.2, 2.15 * down + 0.6)
    size = (10.0, 4.6) if len(panels) == 2 else size
    figure, frames = pyplot.subplots(down, across, figsize=size, squeeze=False, layout="constrained")
    legible = sum(map(len, panels.values())) <= LEGIBLE
    for place, (axes, (title, cells)) in enumerate(zip(frames.flat, panels.items(), strict=False)):
        shade = "RdBu" if straddles else "viridis"
        image = _draw_panel(axes, cells, scale, shade, legible)
        _mark(axes, cells, drawing.published.get(title))
        axes.set_title(title, fontsize=9)
        if place % across == 0:
            axes.set_ylabel(drawing.row)
        if place // across == down - 1 or place + across >= len(panels):
            axes.set_xlabel(drawing.column)
    for axes in frames.flat[len(panels) :]:
        axes.set_visible(False)
    figure.colorbar(image, ax=frames, label=drawing.note or "win rate of the row's player, %")
    handles = [Line2D([], [], marker="*", linestyle="", color="black", label="our greatest")]
    if drawing.published:
        ring = {"marker": "o", "markerfacecolor": "none", "markersize": 10, "linestyle": ""}
        handles.append(Line2D([], [], color="black", label="published as the best", **ring))  # type: ignore[arg-type]
    figure.legend(handles=handles, loc="outside lower center", ncols=2, frameon=False, fontsize=8)
    return figure


def _draw_panel(axes: Any, cells: Cells, scale: tuple[float, float], shade: str, legible: bool) -> Any:
    rows, columns = _ends(cells, 0), _ends(cells, 1)
    none = float("nan")
    shares = [[100 * cells[r, c].value if (r, c) in cells else none for c in columns] for r in rows]
    image = axes.imshow(shares, cmap=shade, vmin=100 * scale[0], vmax=100 * scale[1], aspect="auto")
    step = 1 if legible or len(columns) <= 6 else 2
    axes.set_xticks(range(0, len(columns), step), [f"{c:g}" for c in columns[::step]])
    axes.set_yticks(range(0, len(rows), step), [f"{r:g}" for r in rows[::step]])
    axes.tick_params(length=0)
    if not legible:
        return image
    low, high = 100 * scale[0], 100 * scale[1]
    for i, row in enumerate(shares):
        for j, share in enumerate(row):
            if not math.isnan(share):
                place = (share - low) / (high - low) if high > low else 0.5
                dark = abs(place - 0.5) > 0.3 if shade == "RdBu" else place < 0.5
                colour = "white" if dark else "black"
                axes.text(j, i, f"{share:.1f}", ha="center", va="center", fontsize=7, color=colour)
    return image


def _mark(axes: Any, cells: Cells, published: tuple[float, float] | None) -> None:
    """A star on the greatest cell, a ring around the published one."""
    rows, columns = _ends(cells, 0), _ends(cells, 1)
    best = max(cells, key=lambda place: cells[place].value)
    corner = columns.index(best[1]) + 0.36, rows.index(best[0]) - 0.34
    axes.plot(*corner, "*", color="black", markeredgecolor="white", markersize=7, markeredgewidth=0.4)
    if published:
        at = columns.index(published[1]), rows.index(published[0])
        axes.plot(*at, "o", markerfacecolor="none", markeredgecolor="black", markersize=13)


def _ends(cells: Cells, axis: int) -> list[float]:
    return sorted({place[axis] for place in cells})
