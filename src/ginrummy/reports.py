"""Evidence in, figures and pages out. Nothing here is measured; a page says only what the evidence says."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from ginrummy.experiments import PAPERS, experiment, experiment_ids, store
from ginrummy.experiments.base import Experiment
from ginrummy.experiments.drawings import Cell, CrossTable, Curves, Sheet
from ginrummy.experiments.verdicts import Estimate, win_rates

Json = dict[str, Any]

VERDICT_COLOURS = {
    "agrees": "green",
    "holds": "green",
    "differs": "red",
    "does not hold": "red",
    "inconclusive": "yellow",
}
"""Verdict -> its colour in the terminal; also the list of all verdicts."""

LINES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7")
"""Colours of a figure's series, told apart by colour-blind readers too."""

_UNITS = {
    "rate": "{:.2%}",
    "gain": "{:+.2%}",
    "points": "{:+.1f}",
    "count": "{:,.0f}",
    "mean": "{:.3f}",
    "ratio": "{:.3f}",
    "loss": "{:.3f}",
}
"""Unit -> how its numbers are written."""


class Cells(NamedTuple):
    """A row of a comparison in words."""

    published: str
    ours: list[str]
    """With intervals: the value, or the statements of a claim."""


class Grid(NamedTuple):
    """A table of texts."""

    headings: list[str]
    rows: list[list[str]]


def row_cells(row: Json, most: int = 1000) -> Cells:
    """A row for a table; of a claim with many statements, the ``most`` that decide it."""
    if row["kind"] == "value":
        low, value, high = (_number(row[key], row["unit"]) for key in ("low", "ours", "high"))
        confidence = f" ({100 * row['confidence']:.0f} %)" if "confidence" in row else ""
        return Cells(_published(row), [f"{value} [{low}, {high}]{confidence}"])
    deciding = sorted(row["numbers"], key=_slack)[:most]
    ours = []
    for number in row["numbers"]:
        if number in deciding:
            unit = number.get("unit", "rate")
            low, value, high = (_number(number[key], unit) for key in ("low", "value", "high"))
            ours.append(f"{number['text']}: {value} [{low}, {high}]")
    left_out = len(row["numbers"]) - len(ours)
    return Cells("", ours + [f"and {left_out} more"] * (left_out > 0))


def grid(shown: Experiment, points: list[Json]) -> Grid | None:
    """The points as a table in the paper's own layout, where the experiment has one."""
    if isinstance(shown.drawing, Sheet):
        return _sheet_grid(shown.drawing.cells(points))
    if isinstance(shown.drawing, CrossTable):
        return _cross_grid(shown.drawing, points)
    return None


def _sheet_grid(cells: list[Cell]) -> Grid:
    columns = list(dict.fromkeys(cell.column for cell in cells))
    rows: dict[str, dict[str, str]] = {}
    for cell in cells:
        low, high = (_number(end, cell.unit) for end in cell.ours.interval())
        text = f"{_number(cell.ours.value, cell.unit)} [{low}, {high}]"
        if cell.published:
            twin = cell.published
            said = _ends(twin.interval) + "%" if twin.interval else _number(twin.value, cell.unit)
            text += f" (published {said})"
        rows.setdefault(cell.row, {})[cell.column] = text
    return Grid(["", *columns], [[row, *(found.get(c, "") for c in columns)] for row, found in rows.items()])


def _cross_grid(table: CrossTable, points: list[Json]) -> Grid:
    rates = win_rates(points)
    rows = []
    for player in table.players:
        row = [player]
        for other in table.players:
            text = ""
            if player != other:
                text = f"{100 * rates[player, other].value:.1f} ({_ends(table.published[player, other])})"
            row.append(text)
        rows.append(row)
    return Grid(["against", *table.players], rows)


def draw(drawn: Experiment, evidence: Json, path: Path) -> None:
    """Draw an experiment's points the way that its kind of drawing asks for."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams.update({"svg.hashsalt": drawn.id, "font.size": 9})
    from matplotlib import pyplot

    if drawn.drawing is None:
        raise ValueError(f"{drawn.id} is a table, not a figure")
    figure = _FIGURES[type(drawn.drawing)](drawn.drawing, evidence["points"])
    metadata = {"Date": None} if path.suffix == ".svg" else None
    figure.savefig(path, dpi=110, metadata=metadata)
    pyplot.close(figure)


def _draw_curves(drawing: Curves, points: list[Json]) -> Any:
    """Numbers against the parameter, with 95 % bands and the published points."""
    from matplotlib import pyplot
    from matplotlib.ticker import PercentFormatter

    figure, axes = pyplot.subplots(figsize=(6.4, 3.8), layout="constrained")
    if drawing.level is not None:
        axes.axhline(drawing.level, color="0.6", linewidth=0.8)
    lines = drawing.lines(points)
    colours = dict(zip(lines, LINES, strict=False)) | {"": "0.6"}
    for series, curve in lines.items():
        xs, ends = list(curve), [estimate.interval() for estimate in curve.values()]
        band = [end.low for end in ends], [end.high for end in ends]
        axes.fill_between(xs, *band, color=colours[series], alpha=0.2, linewidth=0)
        rates = [estimate.value for estimate in curve.values()]
        axes.plot(xs, rates, "o-", color=colours[series], markersize=3, label=series)
    for series, x in drawing.baseline.items():
        axes.axvline(x, color=colours[series], linestyle=":", linewidth=1)
    for series, x, rate in drawing.published:
        axes.plot(x, rate, "*", color=colours[series], markeredgecolor="black", markersize=9)
    if drawing.baseline:
        axes.plot([], [], ":", color="black", linewidth=1, label="the opponent's value")
    if drawing.published:
        axes.plot([], [], "*", color="white", markeredgecolor="black", markersize=9, label="published")
    axes.set_xlabel(drawing.label)
    axes.set_ylabel(f"{drawing.quantity}, 95 % band")
    if drawing.unit == "rate":
        axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=1))
    axes.legend(frameon=False, fontsize=8)
    axes.spines[["top", "right"]].set_visible(False)
    return figure


def _draw_cross_table(drawing: CrossTable, points: list[Json]) -> Any:
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
                axes.text(j, i, f"{shares[i][j]:.1f}", va="bottom", weight="bold", **words)
                axes.text(j, i, _ends(drawing.published[a, b]), va="top", fontsize=7, **words)
    axes.set_xticks(range(len(players)), players, rotation=30, ha="right")
    axes.set_yticks(range(len(players)), players)
    axes.tick_params(length=0)
    figure.colorbar(image, label="wins of the row player, %; below, the published 90 % interval")
    return figure


def _draw_sheet(drawing: Sheet, points: list[Json]) -> Any:
    """A panel for each column: our numbers with 95 % intervals, the published ones as stars or bars."""
    from matplotlib import pyplot
    from matplotlib.ticker import MaxNLocator, PercentFormatter

    cells = [cell for cell in drawing.cells(points) if cell.drawn]
    rows = list(dict.fromkeys(cell.row for cell in cells))
    columns = list(dict.fromkeys(cell.column for cell in cells))
    words = 0.065 * max(len(row) for row in rows)  # inches of the longest name at this size of letters
    size = 0.6 + words + (2.2 if len(columns) > 1 else 3.4) * len(columns), 0.9 + 0.3 * len(rows)
    figure, panels = pyplot.subplots(
        1, len(columns), figsize=size, sharey=True, squeeze=False, layout="constrained"
    )
    for axes, column in zip(panels[0], columns, strict=True):
        found = [cell for cell in cells if cell.column == column]
        for cell in found:
            y = rows.index(cell.row)
            low, high = cell.ours.interval()
            axes.plot([low, high], [y, y], color=LINES[0], linewidth=2)
            axes.plot(cell.ours.value, y, "o", color=LINES[0], markersize=4)
            if cell.published and cell.published.interval:
                axes.plot(cell.published.interval, [y, y], color=LINES[1], linewidth=6, alpha=0.5)
            elif cell.published:
                axes.plot(cell.published.value, y, "*", color=LINES[1], markersize=8)
        if found[0].unit in ("rate", "gain"):
            axes.xaxis.set_major_formatter(PercentFormatter(1, decimals=0))
        elif found[0].unit == "count":
            axes.xaxis.set_major_formatter(lambda x, _: f"{x:,.0f}")
        axes.xaxis.set_major_locator(MaxNLocator(4))
        axes.set_title(column, fontsize=8)
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(axis="y", color="0.9", linewidth=0.6)
    panels[0][0].set_yticks(range(len(rows)), rows)
    panels[0][0].set_ylim(len(rows) - 0.5, -0.5)
    figure.supxlabel("blue: ours, 95 % interval; orange: published", fontsize=7)
    return figure


_FIGURES: dict[type, Callable[[Any, list[Json]], Any]] = {
    Curves: _draw_curves,
    CrossTable: _draw_cross_table,
    Sheet: _draw_sheet,
}
"""Kind of drawing -> the function that makes it."""


def write_pages(results: Path, directory: Path) -> list[Path]:
    """Write a page and its figures for every paper; the pages written."""
    directory.mkdir(parents=True, exist_ok=True)
    pages = []
    for paper in PAPERS:
        for name, found in _evidence(results, paper).items():
            if experiment(name).drawing:
                draw(experiment(name), found, directory / f"{name}.svg")
        pages.append(directory / f"{paper.lower()}.md")
        pages[-1].write_text(page(results, paper), encoding="utf-8")
    return pages


def page(results: Path, paper: str) -> str:
    """The page of a paper: published values and claims beside ours, from the evidence alone."""
    evidence = _evidence(results, paper)
    missing = [name for name in _ids(paper) if name not in evidence]
    parts = [_head(paper), *_further_units(evidence)]
    if evidence:
        parts.append(_summary(evidence))
    if missing:
        parts.append("Not measured yet: " + ", ".join(f"`{name}`" for name in missing) + ".")
    parts += [_section(experiment(name), found) for name, found in evidence.items()]
    return "\n\n".join(parts) + "\n"


def _head(paper: str) -> str:
    return f"""# Paper {paper}: {PAPERS[paper]}

!!! note
    This page is generated from the evidence in `results/` by
    `ginrummy reproduce --from-evidence --page docs/reproduction`. Do not edit it.

Verdicts are computed. A value *differs* when its distance from ours is significant at 5 % after Holm's
correction over the values of the experiment, *agrees* when it is within the joint sampling error of both
(rounding included) and our interval is no wider than two points to either side, and is else *inconclusive*.
A claim is split into statements about our numbers. It *holds* when all their intervals, at 95 % together, lie
where the claim puts them, *does not hold* when one lies wholly elsewhere, and is else *inconclusive*.
Intervals are clustered by mirrored pairs of games; differences of arms are taken as independent."""


def _further_units(evidence: dict[str, Json]) -> list[str]:
    """What the head does not say, where values are more than rates and margins."""
    rows = [row for found in evidence.values() for row in found["comparison"] if row["kind"] == "value"]
    words = []
    if any(row["unit"] not in ("rate", "points") for row in rows):
        words.append(
            "Of totals, means and quotients our interval must be within a twentieth of the published number."
        )
    if any("published_low" in row for row in rows):
        words.append(
            "A published interval stands for its centre, with the sampling error of its games and the "
            "rounding of its ends; beside it stands our own of that kind, Wilson's at 90 %, marked (90 %)."
        )
    return ["\n".join(words)] if words else []


def _summary(evidence: dict[str, Json]) -> str:
    lines = [
        "| experiment | " + " | ".join(VERDICT_COLOURS) + " |",
        "|---|" + "---:|" * len(VERDICT_COLOURS),
    ]
    for name, found in evidence.items():
        verdicts = [row["verdict"] for row in found["comparison"]]
        counts = [str(verdicts.count(verdict) or "") for verdict in VERDICT_COLOURS]
        lines.append(f"| `{name}` {found['title']} | " + " | ".join(counts) + " |")
    return "\n".join(lines)


def _section(shown: Experiment, evidence: Json) -> str:
    made = evidence["provenance"]
    commit = made["commit"] or "unknown"
    seeds = " and ".join(map(str, evidence["seeds"]))
    seed = evidence["seeds"][0] - shown.seed_offset
    parts = [
        f"## {evidence['title']}",
        f"`{shown.id}`. {evidence['measures']}",
        f"{len(evidence['arms'])} points of {evidence['games_per_point']:,} {shown.unit} each, "
        f"{evidence['scale']} scale, rules `{evidence['rules']}`, seeds {seeds}; "
        f"{evidence['seconds'] / 60:.0f} minutes on {made['machine']}; made again by "
        f"`ginrummy reproduce {shown.id} --scale {evidence['scale']} --seed {seed}`, "
        f"commit `{commit[:10]}{'+' * commit.endswith('+')}`, code `{made['code']}`, {made['made'][:10]}.",
    ]
    if shown.drawing:
        parts.append(f"![{evidence['title']}]({shown.id}.svg)")
    else:
        parts.append(_points(evidence))
    if table := grid(shown, evidence["points"]):
        parts.append(_markdown(table))
    values = [row for row in evidence["comparison"] if row["kind"] == "value"]
    if values:
        parts.append(_values(values))
    if claims := [row for row in evidence["comparison"] if row["kind"] == "claim"]:
        parts.append(_claims(claims))
    return "\n\n".join(parts)


def _markdown(table: Grid) -> str:
    lines = ["| " + " | ".join(table.headings) + " |", "|---" + "|---:" * (len(table.headings) - 1) + "|"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in table.rows])


def _points(evidence: Json) -> str:
    lines = [
        "| player | opponent | seed | games | win rate | 95 % interval | mean margin |",
        "|---|---|---:|---:|---:|---:|---:|",
    ]
    for point in evidence["points"]:
        low, high = point["pair_ci95_a"]
        lines.append(
            f"| `{point['player']}` | `{point['opponent']}` | {point['seed']} | {point['games']:,} | "
            f"{point['win_rate_a']:.2%} | {low:.2%} to {high:.2%} | {point['mean_margin_a']:+.1f} |"
        )
    return "\n".join(lines)


def _values(rows: list[Json]) -> str:
    lines = [
        "| value | published | its games | ours, 95 % interval | p (Holm) | compared | verdict |",
        "|---|---:|---:|---:|---:|---|---|",
    ]
    for row in rows:
        cells = row_cells(row)
        games = f"{row['published_games']:,}" if row["published_games"] else "unknown"
        games += f" {row['published_of']}" if "published_of" in row else ""
        lines.append(
            f"| {row['what']} | {cells.published} | {games} | {cells.ours[0]} | "
            f"{row['p_holm']:.2g} | {row['compared']} | **{row['verdict']}** |"
        )
    return "\n".join(lines)


def _claims(rows: list[Json]) -> str:
    lines = ["| claim | tested as | numbers | verdict |", "|---|---|---|---|"]
    for row in rows:
        numbers = "; ".join(row_cells(row).ours)
        note = f" {row['note']}" if row["note"] else ""
        lines.append(f"| {row['what']} | {row['compared']} | {numbers}.{note} | **{row['verdict']}** |")
    return "\n".join(lines)


def _number(number: float, unit: str) -> str:
    return _UNITS[unit].format(number)


def _ends(interval: tuple[float, float]) -> str:
    """An interval as the papers print it, in whole percents."""
    return "-".join(f"{100 * end:.0f}" for end in interval)


def _published(row: Json) -> str:
    """A published number, or its interval in whole percents."""
    if "published_low" in row:
        return _ends((row["published_low"], row["published_high"])) + "%"
    return _number(row["published"], row["unit"])


def _slack(number: Json) -> tuple[int, float]:
    """False statements first, then undecided ones, then true ones by how nearly they fail."""
    rank = {False: 0, None: 1, True: 2}[number["true"]]
    low, high = number["region"]
    rooms = [number["low"] - low] if low is not None else []
    rooms += [high - number["high"]] if high is not None else []
    return rank, min(rooms)


def _ids(paper: str) -> list[str]:
    return [name for name in experiment_ids() if experiment(name).paper == paper]


def _evidence(results: Path, paper: str) -> dict[str, Json]:
    read = {name: store.read(results, name) for name in _ids(paper)}
    return {name: found for name, found in read.items() if found is not None}
