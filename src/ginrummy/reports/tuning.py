"""Figures of a search from a result of ``tune``: how it went, which parameters matter, where the best lie."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ginrummy.reports.figures import save

Json = dict[str, Any]

OURS, BEST = "#0072b2", "#d55e00"
PANEL = 2.4
"""Width of a panel, inches."""
ACROSS = 4


def draw_tuning(result: Json, directory: Path) -> list[Path]:
    """``history.svg``, ``parameters.svg`` and, where it can be told, ``importance.svg``; the files."""
    directory.mkdir(parents=True, exist_ok=True)
    figures: dict[str, Callable[[Json], Any]] = {"history": _history, "parameters": _parameters}
    if result["importance"]:
        figures["importance"] = _importance
    files = []
    for name, make in figures.items():
        files.append(directory / f"{name}.svg")
        save(files[-1], name, lambda make=make: make(result))  # type: ignore[misc]
    return files


def _history(result: Json) -> Any:
    """The score of every trial, the best so far, and what the winner scored on fresh decks."""
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7.0, 4.2), layout="constrained")
    whole = [row for row in result["trial_table"] if not row["pruned"]]
    cut = [row for row in result["trial_table"] if row["pruned"]]
    axes.plot(*_places(whole), "o", color=OURS, markersize=3, alpha=0.6, label="trials")
    if cut:
        axes.plot(*_places(cut), "x", color="0.6", markersize=3, label="cut short")
    best, line = 0.0, []
    for row in whole:
        best = max(best, row["score"])
        line.append((row["number"], best))
    axes.step(*zip(*line, strict=True), where="post", color=BEST, linewidth=1.2, label="best so far")
    scores = [seed["score"] for seed in result["measured"][0]["seeds"]]
    if result["objective"] == "wins":
        label = "the winner on fresh decks"
        axes.axhline(sum(scores) / len(scores), color="0.3", linestyle="--", linewidth=1, label=label)
    axes.set_xlabel("trial")
    axes.set_ylabel(_score_name(result))
    axes.legend(frameon=False, fontsize=8)
    axes.spines[["top", "right"]].set_visible(False)
    return figure


def _importance(result: Json) -> Any:
    from matplotlib import pyplot

    rows = sorted(result["importance"].items(), key=lambda row: row[1])
    figure, axes = pyplot.subplots(figsize=(6.4, 0.8 + 0.26 * len(rows)), layout="constrained")
    axes.barh([name for name, _ in rows], [share for _, share in rows], color=OURS, height=0.6)
    axes.set_xlabel("share in what tells the best tenth of the trials from all points (PED-ANOVA)")
    axes.spines[["top", "right"]].set_visible(False)
    return figure


def _parameters(result: Json) -> Any:
    """A panel for each parameter: the score of the trials by its value."""
    from matplotlib import pyplot

    whole = [row for row in result["trial_table"] if not row["pruned"]]
    names = list(whole[0]["point"])
    across = min(ACROSS, len(names))
    down = math.ceil(len(names) / across)
    size = PANEL * across + 0.6, 1.9 * down + 0.4
    figure, panels = pyplot.subplots(
        down, across, figsize=size, sharey=True, squeeze=False, layout="constrained"
    )
    top = max(whole, key=lambda row: row["score"])
    for axes, name in zip(panels.flat, names, strict=False):
        axes.plot(
            [_value(row, name) for row in whole],
            [row["score"] for row in whole],
            "o",
            color=OURS,
            markersize=2.5,
            alpha=0.5,
        )
        axes.plot(_value(top, name), top["score"], "*", color=BEST, markersize=8)
        axes.set_xlabel(name, fontsize=8)
        axes.tick_params(labelsize=7)
        axes.spines[["top", "right"]].set_visible(False)
    for axes in panels[:, 0]:
        axes.set_ylabel(_score_name(result), fontsize=8)
    for axes in panels.flat[len(names) :]:
        axes.set_visible(False)
    return figure


def _score_name(result: Json) -> str:
    return "win rate" if result["objective"] == "wins" else "share of points"


def _value(row: Json, name: str) -> float | str:
    value: float | str = row["point"][name]
    return value


def _places(rows: list[Json]) -> tuple[list[int], list[float]]:
    return [row["number"] for row in rows], [row["score"] for row in rows]
