"""Pages of the papers, from evidence. Nothing here is measured; a page says only what the evidence says."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ginrummy.experiments import PAPERS, experiment, experiment_ids
from ginrummy.experiments.frame import store
from ginrummy.experiments.frame.drawings import Cell, CrossTable, Curves, HeatMap, Sheet
from ginrummy.experiments.frame.evidence import Evidence, MatchPoint
from ginrummy.experiments.frame.experiment import Experiment, Matches
from ginrummy.experiments.frame.rates import win_rates
from ginrummy.experiments.frame.verdicts import Claim, Number, Row, Value, Verdict, counted
from ginrummy.reports.figures import draw_beside, percents
from ginrummy.reports.folds import arms_fold, fold
from ginrummy.reports.rule_page import RULE

VERDICT_COLOURS: dict[Verdict, str] = {
    "agrees": "green",
    "close": "cyan",
    "differs": "red",
    "holds": "green",
    "does not hold": "red",
    "inconclusive": "yellow",
}
"""Verdict -> its colour in the terminal; also the list of all verdicts."""

_UNITS = {
    "rate": "{:.2%}",
    "gain": "{:+.2%}",
    "accuracy": "{:.2%}",
    "points": "{:+.1f}",
    "count": "{:,.0f}",
    "mean": "{:.3f}",
    "ratio": "{:.3f}",
    "loss": "{:.3f}",
    "belief": "{:.4f}",
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


def row_cells(row: Row, most: int = 1000) -> Cells:
    """A row for a table; of a claim with many statements, the ``most`` that decide it."""
    if isinstance(row, Value):
        low, value, high = (_number(number, row.unit) for number in (row.low, row.ours, row.high))
        return Cells(_published(row), [f"{value} [{low}, {high}]"])
    deciding = sorted(row.numbers, key=_slack)[:most]
    ours = []
    for number in row.numbers:
        if number in deciding:
            low, value, high = (_number(x, number.unit) for x in (number.low, number.value, number.high))
            ours.append(f"{number.text}: {value} [{low}, {high}]")
    left_out = len(row.numbers) - len(ours)
    return Cells("", ours + [f"and {left_out} more"] * (left_out > 0))


def grid(shown: Experiment[Any], points: Sequence[Any]) -> Grid | None:
    """The points as a table in the paper's own layout, where the experiment has one."""
    if isinstance(shown.drawing, Sheet):
        return _sheet_grid(shown.drawing.cells(list(points)))
    if isinstance(shown.drawing, CrossTable):
        return _cross_grid(shown.drawing, points)
    if isinstance(shown.drawing, HeatMap):
        return _heat_grid(shown.drawing, points)
    return None


def _sheet_grid(cells: list[Cell]) -> Grid:
    columns = list(dict.fromkeys(cell.column for cell in cells))
    rows: dict[str, dict[str, str]] = {}
    for cell in cells:
        low, high = (_number(end, cell.unit) for end in cell.ours.interval())
        text = f"{_number(cell.ours.value, cell.unit)} [{low}, {high}]"
        if cell.published:
            twin = cell.published
            said = percents(twin.interval) + "%" if twin.interval else _number(twin.value, cell.unit)
            text += f" (published {said})"
        rows.setdefault(cell.row, {})[cell.column] = text
    return Grid(["", *columns], [[row, *(found.get(c, "") for c in columns)] for row, found in rows.items()])


def _cross_grid(table: CrossTable, points: Sequence[MatchPoint]) -> Grid:
    rates = win_rates(points)
    rows = []
    for player in table.players:
        row = [player]
        for other in table.players:
            text = ""
            if player != other:
                text = f"{100 * rates[player, other].value:.1f}"
                if (player, other) in table.published:
                    text += f" ({percents(table.published[player, other])})"
            row.append(text)
        rows.append(row)
    return Grid(["against", *table.players], rows)


def _heat_grid(drawing: HeatMap, points: Sequence[Any]) -> Grid | None:
    """Percents by row and column, where there is one panel."""
    panels = drawing.panels(list(points))
    if len(panels) != 1:
        return None
    (cells,) = panels.values()
    rows, columns = (sorted({place[axis] for place in cells}) for axis in (0, 1))
    texts = [
        [f"{row:g}", *(f"{100 * cells[row, c].value:.1f}" if (row, c) in cells else "" for c in columns)]
        for row in rows
    ]
    return Grid([f"{drawing.row}, by {drawing.column}", *(f"{column:g}" for column in columns)], texts)


def write_pages(results: Path, directory: Path) -> list[Path]:
    """Write a page and its figures for every paper; the pages written."""
    directory.mkdir(parents=True, exist_ok=True)
    pages = []
    for paper in PAPERS:
        for name, found in _evidence(results, paper).items():
            draw_beside(directory, experiment(name), found)
        pages.append(directory / f"{paper.lower()}.md")
        pages[-1].write_text(page(results, paper), encoding="utf-8")
    pages.append(directory / "index.md")
    pages[-1].write_text(RULE, encoding="utf-8")
    return pages


def page(results: Path, paper: str) -> str:
    """The page of a paper: published values and claims beside ours, from the evidence alone."""
    evidence = _evidence(results, paper)
    missing = [name for name in _ids(paper) if name not in evidence]
    parts = [_head(paper)]
    if evidence:
        parts.append(_summary(evidence))
    if missing:
        parts.append("Not measured yet: " + ", ".join(f"`{name}`" for name in missing) + ".")
    for name, found in evidence.items():
        shown = experiment(name)
        parts.append(_section(shown, found, evidence.get(shown.beside), _is_beside(name)))
    return "\n\n".join(parts) + "\n"


def _head(paper: str) -> str:
    return f"""# Paper {paper}: {PAPERS[paper]}

!!! note
    This page is generated from the evidence in `results/` by
    `ginrummy reproduce --from-evidence --page docs/reproduction`. Do not edit it.

[How the verdicts are computed](index.md), the same on all pages: a value *agrees*, is *close*, *differs* or
is *inconclusive*; a claim *holds*, *does not hold* or is *inconclusive*."""


class _Count(NamedTuple):
    """A line of a summary."""

    verdicts: list[int]
    """Of what the paper says, in the order of ``VERDICT_COLOURS``."""
    fine: int
    """Of ours, those that hold, agree or are close."""
    own: int
    """All of ours."""
    further: int
    """Rows under other readings."""


def summary(evidence: dict[str, Evidence[Any]]) -> dict[str, _Count]:
    """Experiment -> what its rows say. What an earlier experiment has counted is not counted again."""
    known: set[str] = set()
    counts = {}
    for name, found in evidence.items():
        rows = counted(found.comparison, known)
        known |= {row.what for row in rows}
        beyond = experiment(name).beyond
        said = [row.verdict for row in rows if not (beyond or row.ours_alone)]
        own = [row.verdict for row in rows if beyond or row.ours_alone]
        counts[name] = _Count(
            [said.count(verdict) for verdict in VERDICT_COLOURS],
            sum(verdict in ("agrees", "close", "holds") for verdict in own),
            len(own),
            len(found.comparison) - len(rows),
        )
    return counts


def _summary(evidence: dict[str, Evidence[Any]]) -> str:
    headings = ["experiment", *VERDICT_COLOURS, "ours", "other readings"]
    lines = ["| " + " | ".join(headings) + " |", "|---|" + "---:|" * (len(headings) - 1)]
    counts = summary(evidence)
    for name, line in counts.items():
        cells = [str(n or "") for n in line.verdicts]
        cells += [f"{line.fine} of {line.own}" if line.own else "", str(line.further or "")]
        lines.append(f"| `{name}` {evidence[name].title} | " + " | ".join(cells) + " |")
    total = [str(sum(column)) for column in zip(*(line.verdicts for line in counts.values()), strict=True)]
    total += [
        f"{sum(line.fine for line in counts.values())} of {sum(line.own for line in counts.values())}",
        str(sum(line.further for line in counts.values())),
    ]
    return "\n".join([*lines, "| **all** | " + " | ".join(total) + " |"])


def _is_beside(name: str) -> bool:
    return any(experiment(other).beside == name for other in experiment_ids())


def _section(
    shown: Experiment[Any],
    evidence: Evidence[Any],
    beside: Evidence[Any] | None = None,
    elsewhere: bool = False,
) -> str:
    """An experiment on a page; its values may stand beside those of another, or with that one."""
    made = evidence.provenance
    commit = made["commit"] or "unknown"
    seeds = " and ".join(map(str, evidence.seeds))
    seed = evidence.seeds[0] - shown.seed_offset
    parts = [
        f"## {evidence.title}",
        f"`{shown.id}`. {evidence.measures}",
        f"{len(evidence.arms)} points of {evidence.games_per_point:,} {shown.unit} each, "
        f"{evidence.scale} scale, rules `{evidence.rules}`, seeds {seeds}; "
        f"{evidence.seconds / 60:.0f} minutes on {made['machine']}; repeated by "
        f"`ginrummy reproduce {shown.id} --scale {evidence.scale} --seed {seed}`, "
        f"commit `{commit[:10]}{'+' * commit.endswith('+')}`, code `{made['code']}`, {made['made'][:10]}.",
    ]
    if shown.drawing:
        parts.append(f"![{evidence.title}]({shown.id}.svg)")
    else:
        parts.append(_points(evidence))
    if table := grid(shown, evidence.points):
        parts.append(_markdown(table))
    if isinstance(shown, Matches) and isinstance(shown.drawing, Curves):
        parts.append(arms_fold(evidence.points, shown.drawing.label))
    if isinstance(shown.drawing, Sheet) and shown.drawing.folded:
        more = shown.drawing.folded(list(evidence.points))
        parts += [fold(title, _markdown(_sheet_grid(cells))) for title, cells in more.items()]
    rows = [*evidence.comparison, *(beside.comparison if beside else ())]
    values = [row for row in rows if isinstance(row, Value)]
    if values and not elsewhere:
        parts.append(_values(values))
    if claims := [row for row in evidence.comparison if isinstance(row, Claim)]:
        parts.append(_claims(claims))
    return "\n\n".join(parts)


def _markdown(table: Grid) -> str:
    lines = ["| " + " | ".join(table.headings) + " |", "|---" + "|---:" * (len(table.headings) - 1) + "|"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in table.rows])


def _points(evidence: Evidence[Any]) -> str:
    lines = [
        "| player | opponent | seed | games | win rate | 95 % interval | mean margin |",
        "|---|---|---:|---:|---:|---:|---:|",
    ]
    for point in evidence.points:
        low, high = point.pair_ci95_a
        lines.append(
            f"| `{point.player}` | `{point.opponent}` | {point.seed} | {point.games:,} | "
            f"{point.win_rate_a:.2%} | {low:.2%} to {high:.2%} | {point.mean_margin_a:+.1f} |"
        )
    return "\n".join(lines)


def _values(rows: list[Value]) -> str:
    """Numbers with several readings as a table of both, the others one by one."""
    read = [row for row in rows if row.reading]
    readings = list(dict.fromkeys(row.reading for row in read))
    if len(readings) < 2:
        return _one_by_one(rows)
    tables = [_by_reading(read, readings)]
    if others := [row for row in rows if not row.reading]:
        tables.append(_one_by_one(others))
    return "\n\n".join(tables)


def _one_by_one(rows: list[Value]) -> str:
    program = any(row.measured for row in rows)
    headings = ["value", "published", *["the authors' program, measured by us"] * program, "its games"]
    headings += ["ours, 95 % interval", "margin", "p", "compared", "verdict"]
    lines = ["| " + " | ".join(headings) + " |"]
    lines.append("|---|" + "---:|" * (5 + program) + "---|---|")
    for row in rows:
        cells = row_cells(row)
        beside = [cells.published, ""] if not row.measured else ["", cells.published]
        games = f"{row.published_games:,}" if row.published_games else "unknown"
        games += f" {row.published_of}" if row.published_of else ""
        compared = f"{row.reading}: {row.compared}" if row.reading else row.compared
        texts = [
            row.what,
            *beside[: 1 + program],
            games,
            cells.ours[0],
            _margin(row),
            f"{row.p:.2g}",
            compared,
        ]
        lines.append("| " + " | ".join(texts) + f" | **{row.verdict}** |")
    return "\n".join(lines)


def _by_reading(rows: list[Value], readings: list[str]) -> str:
    """Each number under each reading, with its verdict; the fewer of the two make the columns."""
    numbers = {row.what: row for row in reversed(rows)}
    at = {(row.what, row.reading): f"{row_cells(row).ours[0]} **{row.verdict}**" for row in rows}
    whats = list(dict.fromkeys(row.what for row in rows))
    said = {what: f"{_published(numbers[what])} ± {_margin(numbers[what])}" for what in whats}
    tally = {reading: _tally([row for row in rows if row.reading == reading]) for reading in readings}
    if len(readings) <= len(whats):
        lines = ["| value | published ± margin | " + " | ".join(readings) + " |"]
        lines.append("|---|---:|" + "---:|" * len(readings))
        for what in whats:
            cells = [at.get((what, reading), "") for reading in readings]
            lines.append(f"| {what} | {said[what]} | " + " | ".join(cells) + " |")
        lines.append("| **all** | | " + " | ".join(tally.values()) + " |")
    else:
        lines = ["| reading | " + " | ".join(whats) + " | all |", "|---|" + "---:|" * len(whats) + "---|"]
        lines.append("| *published ± margin* | " + " | ".join(said.values()) + " | |")
        for reading in readings:
            cells = [at.get((what, reading), "") for what in whats]
            lines.append(f"| {reading} | " + " | ".join(cells) + f" | {tally[reading]} |")
    return "\n".join([*lines, "", _explained(rows, readings)])


def _explained(rows: list[Value], readings: list[str]) -> str:
    """Which reading explains most numbers, and which numbers none explains: computed from the verdicts."""
    fine = [row for row in rows if row.verdict in ("agrees", "close")]
    of = {reading: sum(row.reading == reading for row in rows) for reading in readings}
    hits = {reading: sum(row.reading == reading for row in fine) for reading in readings}
    most = max(hits.values())
    best = [
        f"*{reading}* ({hits[reading]} of {of[reading]})" for reading in readings if hits[reading] == most
    ]
    done = {row.what for row in fine}
    undecided = {row.what for row in rows if row.verdict == "inconclusive"} - done
    whats = list(dict.fromkeys(row.what for row in rows))
    left = [what for what in whats if what not in done | undecided]
    words = f"Most numbers agree or are close under {', '.join(best)}." if most else ""
    if left:
        words += f" Unexplained by any reading tried here: {'; '.join(left)}."
    if undecided:
        words += f" Undecided: {'; '.join(what for what in whats if what in undecided)}."
    if not left and not undecided and most < max(of.values()):
        words += " Every number is explained by some reading, but no reading explains all."
    return words.strip()


def _tally(rows: list[Value]) -> str:
    verdicts = [row.verdict for row in rows]
    return ", ".join(f"{verdicts.count(v)} {v}" for v in VERDICT_COLOURS if v in verdicts)


def _margin(row: Value) -> str:
    """A margin in the unit of its number, without a sign."""
    return _number(row.margin, row.unit).lstrip("+")


def _claims(rows: list[Claim]) -> str:
    lines = ["| claim | tested as | numbers | verdict |", "|---|---|---|---|"]
    for row in rows:
        numbers = "; ".join(row_cells(row).ours)
        note = f" {row.note}" if row.note else ""
        what = f"{row.what} ({row.reading})" if row.reading else row.what
        lines.append(f"| {what} | {row.compared} | {numbers}.{note} | **{row.verdict}** |")
    return "\n".join(lines)


def _number(number: float, unit: str) -> str:
    return _UNITS[unit].format(number)


def _published(row: Value) -> str:
    """A published number, or its interval in whole percents."""
    if row.published_low is not None and row.published_high is not None:
        return percents((row.published_low, row.published_high)) + "%"
    return _number(row.published, row.unit)


def _slack(number: Number) -> tuple[int, float]:
    """False statements first, then undecided ones, then true ones by how nearly they fail."""
    rank = {False: 0, None: 1, True: 2}[number.true]
    low, high = number.region
    rooms = [number.low - low] if low is not None else []
    rooms += [high - number.high] if high is not None else []
    return rank, min(rooms)


def _ids(paper: str) -> list[str]:
    return [name for name in experiment_ids() if experiment(name).paper == paper]


def _evidence(results: Path, paper: str) -> dict[str, Evidence[Any]]:
    read = {name: store.read(results, name) for name in _ids(paper)}
    return {name: found for name, found in read.items() if found is not None}
