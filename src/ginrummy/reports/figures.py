"""Figures of experiments and of estimators, drawn from evidence and results."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from ginrummy.experiments.frame.drawings import CrossTable, Curves, HeatMap, ShareMap, Sheet, turn_curves
from ginrummy.experiments.frame.evidence import Evidence
from ginrummy.experiments.frame.experiment import Experiment
from ginrummy.experiments.frame.rates import win_rates
from ginrummy.judging.beliefs import BOUNDS
from ginrummy.judging.scores import METRICS
from ginrummy.judging.study import shown_turns
from ginrummy.reports.heat_maps import draw_heat_map
from ginrummy.reports.sheets import draw_sheet
from ginrummy.stats import Estimate

Json = dict[str, Any]

LINES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#882255", "#999933")
"""Colours of a figure's series, which colour-blind readers can tell apart; then again from the start."""


MARKERS = "os^DvPX*"
"""Marks of a figure's series."""


def draw(drawn: Experiment[Any], points: Sequence[Any], path: Path) -> None:
    """Draw an experiment's points as its kind of drawing says."""
    if drawn.drawing is None:
        raise ValueError(f"{drawn.id} is a table, not a figure")
    save(path, drawn.id, lambda: _FIGURES[type(drawn.drawing)](drawn.drawing, list(points)))


def draw_beside(directory: Path, drawn: Experiment[Any], evidence: Evidence[Any]) -> None:
    """Draw an experiment's evidence into the directory where it is kept, if it has a drawing."""
    if drawn.drawing:
        draw(drawn, evidence.points, directory / f"{drawn.id}.svg")


def draw_study(result: Json, directory: Path) -> list[Path]:
    """Every metric by turn and the calibration, from a result of ``estimate``; the files written."""
    directory.mkdir(parents=True, exist_ok=True)
    files = []
    for name, metric in METRICS.items():
        if name in result["overall"]:
            number = f"figure-{metric.figure}-" if metric.figure else ""
            files.append(directory / f"{number}{name.replace('_', '-')}.svg")
            save(files[-1], name, partial(_draw_curves, study_curves(result, name), []))
    files.append(directory / "calibration.svg")
    found = {spec: forms for spec, forms in result["calibration"].items() if spec not in BOUNDS}
    save(files[-1], "calibration", lambda: _draw_calibration(found))
    return files


def study_curves(result: Json, metric: str) -> Curves:
    """A metric by turn from a result of ``estimate``, as a drawing."""
    turns = shown_turns(result)
    lines: dict[str, dict[float, Estimate]] = {spec: {} for spec in result["estimators"]}
    for row in turns:
        for spec, found in row["metrics"][metric].items():
            lines[spec][row["turn"]] = Estimate(found["mean"], found["error"])
    return turn_curves(metric, lambda _: lines, lambda _: {row["turn"]: row["moments"] for row in turns})


def save(path: Path, salt: str, make: Callable[[], Any]) -> None:
    """Write a figure; the same numbers give the same file."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams.update({"svg.hashsalt": salt, "font.size": 9})
    from matplotlib import pyplot

    figure = make()
    figure.savefig(path, dpi=110, metadata={"Date": None} if path.suffix == ".svg" else None)
    pyplot.close(figure)


def _draw_curves(drawing: Curves, points: list[Any]) -> Any:
    """Numbers against the parameter, with 95 % bands and the published points."""
    from matplotlib import pyplot
    from matplotlib.ticker import PercentFormatter

    lines = drawing.lines(points)
    wide = drawing.sizes is not None
    figure, axes = pyplot.subplots(figsize=(8.0, 4.4) if wide else (7.0, 4.2), layout="constrained")
    if drawing.level is not None:
        axes.axhline(drawing.level, color="0.6", linewidth=0.8)
    results = [series for series in lines if series not in drawing.bounds]
    colours = {series: LINES[k % len(LINES)] for k, series in enumerate(results)} | {"": "0.6"}
    for place, series in enumerate(results):
        _draw_curve(axes, series, lines[series], place, len(results))
    for series, x in drawing.baseline.items():
        axes.axvline(x, color=colours[series], linestyle=":", linewidth=1)
    for series, x, rate in drawing.published:
        axes.plot(x, rate, "*", color=colours[series], markeredgecolor="black", markersize=9, zorder=4)
    if drawing.baseline:
        axes.plot([], [], ":", color="black", linewidth=1, label="the opponent's value")
    if drawing.published:
        axes.plot([], [], "*", color="white", markeredgecolor="black", markersize=9, label="published")
    beyond = _draw_bounds(axes, {series: lines[series] for series in drawing.bounds})
    axes.set_xlabel("; ".join([drawing.label, *beyond]))
    axes.set_ylabel(f"{drawing.quantity}, 95 % band")
    if drawing.unit == "rate":
        axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=1))
    if drawing.sizes:
        _write_sizes(axes, drawing.sizes(points))
    axes.legend(frameon=False, fontsize=8)
    axes.spines[["top", "right"]].set_visible(False)
    return figure


def _draw_curve(axes: Any, series: str, curve: Mapping[float, Estimate], place: int, many: int) -> None:
    """One series. Later ones are thinner: where two coincide, the earlier one shows on both sides."""
    colour, width = LINES[place % len(LINES)], 1.2 + 1.2 * (many - 1 - place) / max(1, many - 1)
    xs, ends = list(curve), [estimate.interval() for estimate in curve.values()]
    band = [end.low for end in ends], [end.high for end in ends]
    axes.fill_between(xs, *band, color=colour, alpha=0.2, linewidth=0)
    values = [estimate.value for estimate in curve.values()]
    style: dict[str, Any] = {"linewidth": width, "markersize": 2.5 + width, "solid_capstyle": "butt"}
    axes.plot(xs, values, MARKERS[place % len(MARKERS)] + "-", color=colour, label=series, **style)


def _draw_bounds(axes: Any, bounds: Mapping[str, Mapping[float, Estimate]]) -> list[str]:
    """Dashed lines. A constant bound far from the results is not drawn; its value is returned in words."""
    low, high = axes.get_ylim()
    constant = {}
    for (series, curve), colour in zip(bounds.items(), ("0.35", "0.6"), strict=False):
        values = [round(estimate.value, 6) for estimate in curve.values()]
        if max(values) - min(values) < 2e-6:
            constant[series] = values[0], colour
        else:
            axes.plot(list(curve), values, "--", color=colour, linewidth=1, zorder=1, label=series)
            low, high = min(low, *values), max(high, *values)
    beyond = []
    for series, (value, colour) in constant.items():
        if low <= value <= high:
            axes.axhline(value, linestyle="--", color=colour, linewidth=1, zorder=1, label=series)
        else:
            beyond.append(f"{series} is {value:.3g} at all turns")
    if bounds:
        room = 0.03 * (high - low)
        axes.set_ylim(low - room, high + room)
    return beyond


def _write_sizes(axes: Any, sizes: Mapping[float, int]) -> None:
    """N below every other turn, upright, as the papers have it."""
    low, high = axes.get_ylim()
    axes.set_ylim(low - 0.14 * (high - low), high)
    bottom = axes.get_xaxis_transform()
    for x, size in list(sizes.items())[::2]:
        axes.text(x, 0.01, f"{size:,}", transform=bottom, fontsize=6, rotation=90, ha="center", color="0.4")


def _draw_calibration(found: Mapping[str, Json]) -> Any:
    """What was believed of unknown cards against what was true, masked beliefs."""
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(5.6, 5.0), layout="constrained")
    axes.plot([0, 1], [0, 1], "--", color="0.6", linewidth=1)
    for k, (spec, forms) in enumerate(found.items()):
        bins = forms["masked"]["bins"]
        places = [one["believed"] for one in bins], [one["held"] for one in bins]
        label = f"{spec}, off by {forms['masked']['error']:.3f}"
        axes.plot(*places, "o-", color=LINES[k % len(LINES)], markersize=3, linewidth=1, label=label)
    axes.set_xlabel("believed (masked beliefs about unknown cards)")
    axes.set_ylabel("share held by the opponent")
    if found:
        axes.legend(frameon=False, fontsize=8)
    axes.spines[["top", "right"]].set_visible(False)
    return figure


def _draw_cross_table(drawing: CrossTable, points: list[Any]) -> Any:
    """Win rates of rows against columns in colour, the published intervals written below ours."""
    from matplotlib import pyplot

    rates, players = win_rates(points), drawing.players
    none = Estimate(float("nan"), 0.0)
    shares = [[100 * rates.get((a, b), none).value for b in players] for a in players]
    figure, axes = pyplot.subplots(figsize=(7.2, 5.6), layout="constrained")
    image = axes.imshow(shares, cmap="RdBu", vmin=20, vmax=80)
    for i, a in enumerate(players):
        for j, b in enumerate(players):
            if a != b:
                colour = "white" if abs(shares[i][j] - 50) > 20 else "black"
                words: dict[str, Any] = {"ha": "center", "color": colour}
                published = drawing.published.get((a, b))
                place = "center" if published is None else "bottom"
                axes.text(j, i, f"{shares[i][j]:.1f}", va=place, weight="bold", **words)
                if published is not None:
                    axes.text(j, i, percents(published), va="top", fontsize=7, **words)
    axes.set_xticks(range(len(players)), players, rotation=30, ha="right")
    axes.set_yticks(range(len(players)), players)
    axes.tick_params(length=0)
    below = "; below, the published 90 % interval" if drawing.published else ""
    figure.colorbar(image, label=f"wins of the row player, %{below}")
    return figure


def _draw_share_map(drawing: ShareMap, points: list[Any]) -> Any:
    """Shares in colour, from white for none to dark for one; grey where there is none."""
    from matplotlib import pyplot

    shares = [[float("nan") if x is None else x for x in row] for row in drawing.shares(points)]
    figure, axes = pyplot.subplots(figsize=(8.0, 3.6), layout="constrained")
    axes.set_facecolor("0.88")
    image = axes.imshow(shares, cmap="YlGnBu", vmin=0, vmax=1, aspect="auto")
    axes.set_xticks(range(len(drawing.columns)), drawing.columns, fontsize=8)
    axes.set_yticks(range(len(drawing.rows)), drawing.rows)
    axes.set_xlabel(drawing.across)
    axes.set_ylabel(drawing.down)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    figure.colorbar(image, label=drawing.quantity)
    return figure


_FIGURES: dict[type, Callable[[Any, list[Any]], Any]] = {
    Curves: _draw_curves,
    CrossTable: _draw_cross_table,
    Sheet: draw_sheet,
    HeatMap: draw_heat_map,
    ShareMap: _draw_share_map,
}
"""Kind of drawing -> the function that makes it."""


def percents(interval: tuple[float, float]) -> str:
    """An interval as the papers print it, in whole percents."""
    return "-".join(f"{100 * end:.0f}" for end in interval)
