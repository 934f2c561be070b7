"""Evidence in, figures and pages out. Nothing here is measured; a page says only what the evidence says."""

from pathlib import Path
from typing import Any, NamedTuple

from ginrummy.experiments import PAPERS, experiment, experiment_ids, store
from ginrummy.experiments.base import Experiment
from ginrummy.experiments.verdicts import curves

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


class Cells(NamedTuple):
    """A row of a comparison in words."""

    published: str
    ours: list[str]
    """With intervals: the value, or the statements of a claim."""


def row_cells(row: Json, most: int = 1000) -> Cells:
    """A row for a table; of a claim with many statements, the ``most`` that decide it."""
    if row["kind"] == "value":
        low, value, high = (_number(row[key], row["unit"]) for key in ("low", "ours", "high"))
        return Cells(_number(row["published"], row["unit"]), [f"{value} [{low}, {high}]"])
    deciding = sorted(row["numbers"], key=_slack)[:most]
    ours = [
        f"{number['text']}: {number['value']:.2%} [{number['low']:.2%}, {number['high']:.2%}]"
        for number in row["numbers"]
        if number in deciding
    ]
    left_out = len(row["numbers"]) - len(ours)
    return Cells("", ours + [f"and {left_out} more"] * (left_out > 0))


def draw(drawn: Experiment, evidence: Json, path: Path) -> None:
    """Draw win rates against the parameter, with 95 % bands and the published points."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams.update({"svg.hashsalt": drawn.id, "font.size": 9})
    from matplotlib import pyplot
    from matplotlib.ticker import PercentFormatter

    if drawn.axis is None:
        raise ValueError(f"{drawn.id} is a table, not a figure")
    figure, axes = pyplot.subplots(figsize=(6.4, 3.8), layout="constrained")
    axes.axhline(0.5, color="0.6", linewidth=0.8)
    lines = curves(evidence["points"])
    colours = dict(zip(lines, LINES, strict=False)) | {"": "0.6"}
    for series, curve in lines.items():
        xs, ends = list(curve), [estimate.interval() for estimate in curve.values()]
        band = [end.low for end in ends], [end.high for end in ends]
        axes.fill_between(xs, *band, color=colours[series], alpha=0.2, linewidth=0)
        rates = [estimate.value for estimate in curve.values()]
        axes.plot(xs, rates, "o-", color=colours[series], markersize=3, label=series)
    for series, x in drawn.axis.baseline.items():
        axes.axvline(x, color=colours[series], linestyle=":", linewidth=1)
    for series, x, rate in drawn.axis.published:
        axes.plot(x, rate, "*", color=colours[series], markeredgecolor="black", markersize=9)
    if drawn.axis.baseline:
        axes.plot([], [], ":", color="black", linewidth=1, label="the opponent's value")
    if drawn.axis.published:
        axes.plot([], [], "*", color="white", markeredgecolor="black", markersize=9, label="published")
    axes.set_xlabel(drawn.axis.label)
    axes.set_ylabel("win rate, 95 % band")
    axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=1))
    axes.legend(frameon=False, fontsize=8)
    axes.spines[["top", "right"]].set_visible(False)
    metadata = {"Date": None} if path.suffix == ".svg" else None
    figure.savefig(path, dpi=110, metadata=metadata)
    pyplot.close(figure)


def write_pages(results: Path, directory: Path) -> list[Path]:
    """Write a page and its figures for every paper that has evidence; the pages written."""
    directory.mkdir(parents=True, exist_ok=True)
    pages = []
    for paper in PAPERS:
        evidence = _evidence(results, paper)
        if not evidence:
            continue
        for name, found in evidence.items():
            if experiment(name).axis:
                draw(experiment(name), found, directory / f"{name}.svg")
        pages.append(directory / f"{paper.lower()}.md")
        pages[-1].write_text(page(results, paper), encoding="utf-8")
    return pages


def page(results: Path, paper: str) -> str:
    """The page of a paper: published values and claims beside ours, from the evidence alone."""
    evidence = _evidence(results, paper)
    missing = [name for name in _ids(paper) if name not in evidence]
    parts = [_head(paper), _summary(evidence)]
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
    parts = [
        f"## {evidence['title']}",
        f"`{shown.id}`. {evidence['measures']}",
        f"{len(evidence['arms'])} points of {evidence['games_per_point']:,} games each, {evidence['scale']} "
        f"scale, rules `{evidence['rules']}`, seeds {seeds}; {evidence['seconds'] / 60:.0f} minutes on "
        f"{made['machine']}; made again by "
        f"`ginrummy reproduce {shown.id} --scale {evidence['scale']} --seed {evidence['seeds'][0]}`, "
        f"commit `{commit[:10]}{'+' * commit.endswith('+')}`, code `{made['code']}`, {made['made'][:10]}.",
    ]
    if shown.axis:
        parts.append(f"![{evidence['title']}]({shown.id}.svg)")
    else:
        parts.append(_points(evidence))
    values = [row for row in evidence["comparison"] if row["kind"] == "value"]
    if values:
        parts.append(_values(values))
    parts.append(_claims([row for row in evidence["comparison"] if row["kind"] == "claim"]))
    return "\n\n".join(parts)


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
    return f"{number:.2%}" if unit == "rate" else f"{number:+.1f}"


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
