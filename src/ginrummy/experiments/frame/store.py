"""Files of evidence: what a run of ``reproduce`` reads and writes, ``<directory>/<experiment>.json``."""

import json
from pathlib import Path
from typing import Any, NamedTuple

from ginrummy.errors import BadInput, UnknownName
from ginrummy.evidence import check_writable, write_evidence
from ginrummy.experiments import experiment, experiment_ids
from ginrummy.experiments.frame.evidence import FORMAT, SCALES, Evidence, Scale
from ginrummy.experiments.frame.experiment import Experiment, Settings

Json = dict[str, Any]

RESULTS = Path("results")
"""Where evidence is kept unless told otherwise."""


class Order(NamedTuple):
    """What to reproduce, and where to keep it."""

    experiments: list[Experiment[Any]]
    scale: Scale
    settings: Settings
    out: Path
    """Directory of evidence."""
    writes: bool
    """Whether evidence is kept at all: at smoke scale only when a directory is named."""
    plays: bool
    """False: nothing is played, everything comes from existing evidence."""


def order(
    ids: list[str], scale: str, settings: Settings, out: Path | None, plays: bool, listing: bool = False
) -> Order:
    """Check what was asked for, before anything is played."""
    chosen = [experiment(name) for name in dict.fromkeys(ids or experiment_ids())]
    scales = [known for known in SCALES if known == scale]
    if not scales:
        raise UnknownName(f"unknown scale {scale!r}: choose one of {', '.join(SCALES)}")
    directory, writes = out or RESULTS, out is not None or scale == "full" or not plays
    wanted = Order(chosen, scales[0], settings, directory, writes, plays)
    if listing:
        return wanted
    if not plays:
        there = [known for known in chosen if path(directory, known.id).exists()]
        if not there or len(there) < len(ids):
            names = ", ".join(known.id for known in chosen if known not in there)
            raise BadInput(f"there is no evidence of {names} in {directory}")
        wanted = wanted._replace(experiments=there)
    _check_directory(wanted)
    return wanted


def _check_directory(wanted: Order) -> None:
    """Refuse files that cannot be written, and never overwrite full-scale evidence with a smoke run."""
    if not wanted.writes:
        return
    if wanted.plays:
        wanted.out.mkdir(parents=True, exist_ok=True)
    for known in wanted.experiments:
        file = path(wanted.out, known.id)
        check_writable(file)
        if not wanted.plays or not file.exists():
            continue
        evidence = _raw(wanted.out, known.id)
        if (evidence.get("format"), evidence.get("experiment")) != (FORMAT, known.id):
            raise BadInput(f"{file} is no evidence of {known.id}, and would be overwritten")
        if wanted.scale == "smoke" and evidence.get("scale") == "full":
            raise BadInput(f"{file} holds evidence of full scale: name another directory for smoke runs")


def path(directory: Path, name: str) -> Path:
    """The file of an experiment's evidence."""
    return directory / f"{name}.json"


def read(directory: Path, name: str) -> Evidence[Any] | None:
    """The evidence of an experiment, None when there is none."""
    file = path(directory, name)
    if not file.exists():
        return None
    try:
        return experiment(name).read(json.loads(file.read_text(encoding="utf-8")))
    except ValueError as error:
        raise BadInput(f"{file} is no evidence of {name}: {error}") from error
    except (KeyError, IndexError, TypeError, ArithmeticError, RecursionError) as error:
        what = f"{type(error).__name__} {error}"
        raise BadInput(f"{file} is no evidence of {name}: its counters cannot be compared: {what}") from error


def stored(order: Order, wanted: Experiment[Any]) -> Evidence[Any] | None:
    """Existing evidence to use instead of playing: of the same code, or any when nothing is to be played."""
    if not order.writes or order.settings.fresh:
        return None
    if not order.plays:
        return read(order.out, wanted.id)
    same_paper = [name for name in experiment_ids() if experiment(name).paper == wanted.paper]
    for name in sorted(same_paper, key=lambda name: name != wanted.id):  # its own, then another figure's
        if found := wanted.shared(_raw(order.out, name), order.scale, order.settings.seed):
            return found
    return None


def _raw(directory: Path, name: str) -> Json:
    """The unchecked content of a file of evidence; empty where there is no such file, or no JSON."""
    try:
        found = json.loads(path(directory, name).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def keep(order: Order, wanted: Experiment[Any], evidence: Evidence[Any]) -> None:
    """Write the evidence, if evidence is kept."""
    if order.writes:
        write_evidence(path(order.out, wanted.id), evidence.to_json())


def listing(order: Order) -> list[Json]:
    """The experiments, their sizes, and the existing evidence."""
    rows = []
    for known in order.experiments:
        evidence = read(order.out, known.id)
        rows.append(
            {
                "id": known.id,
                "paper": known.paper,
                "title": known.title,
                "measures": known.measures,
                "points": len(known.parts()),
                "unit": known.unit,
                "games": {scale: known.total_games(scale) for scale in SCALES},
                "evidence": evidence and f"{evidence.scale}, {evidence.provenance['made'][:10]}",
            }
        )
    return rows
