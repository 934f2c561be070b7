"""Paper S4's tracker by the five metrics of paper S1, on the very moments of that paper's figures.

``S1-fig2`` to ``S1-fig6`` judge three estimators of S1 and ours at 50,000 games of simple against simple.
This experiment plays the same games on the same seeds, so its moments are theirs, and its bounds repeat their
numbers: the curves can be put side by side. Bayes' rule and the simple network are judged once more, because
they cost little and their differences from the tracker are then paired.
"""

import math

from ginrummy.experiments.frame.drawings import Cell, Sheet
from ginrummy.experiments.frame.evidence import Subject
from ginrummy.experiments.frame.experiment import SEED_OFFSET, Counts
from ginrummy.experiments.frame.verdicts import Row, Statement, claim
from ginrummy.experiments.s1.claims import BeliefPoint, counted
from ginrummy.judging.beliefs import BOUNDS, NULL
from ginrummy.judging.by_turn import (
    ALL,
    SHARD,
    STAGES,
    Beliefs,
    BeliefSettings,
    compact,
    count_beliefs,
    settings,
)
from ginrummy.judging.scores import METRICS, PAPER

TRACKER = "tracker"
OTHERS = ("bayes:squash=yes", "simple-nn")
ESTIMATORS = (TRACKER, *OTHERS)
JUDGED = (*PAPER, "log_loss", "overlap", "overlap_3")


def cells(points: list[BeliefPoint]) -> list[Cell]:
    """Every metric over all moments and by stage."""
    found = counted(points)
    places = [ALL, *(band.name for band in STAGES if found.clusters(band.name) > 1)]
    return [
        Cell(
            name if where == ALL else f"{name}, turns {where}",
            METRICS[metric].label,
            found.mean(metric, name, where),
            METRICS[metric].unit,
            drawn=name not in BOUNDS and metric in PAPER,
        )
        for where in places
        for name in (*ESTIMATORS, *BOUNDS)
        for metric in JUDGED
    ]


def compare(points: list[BeliefPoint]) -> list[Row]:
    """The tracker against equal chances and against S1's estimators, metric by metric."""
    found = counted(points)
    rows = [_ahead(found, metric, NULL) for metric in JUDGED if metric != "integrity_loss"]
    return [*rows, *(_ahead(found, metric, other) for other in OTHERS for metric in PAPER)]


def _ahead(found: Beliefs, metric: str, other: str) -> Row:
    high = METRICS[metric].high
    turns = [turn for turn in found.turns if found.moments(turn) >= 1000]
    best = [found.best(metric, (TRACKER, other), turn) for turn in turns]
    words = "equal chances" if other == NULL else other
    return claim(
        f"ours: the tracker is better than {words} by {METRICS[metric].label}",
        "all moments, paired",
        [
            Statement(
                f"tracker less {other}",
                found.gap(metric, TRACKER, other),
                low=0.0 if high else -math.inf,
                high=math.inf if high else 0.0,
                unit=METRICS[metric].unit,
            )
        ],
        f"Better at {best.count(TRACKER)} of {len(turns)} turns with 1,000 moments or more.",
    )


JUDGING = Counts(
    id="S4-tracker",
    paper="S4",
    beyond=True,
    title="Beyond the poster: the tracker by the metrics of paper S1",
    measures="The five metrics of paper S1, the log loss and the tracker's own fitness, over the moments of "
    "figures 2 to 6 of that paper: the same 50,000 games of simple against simple on the same seeds.",
    settings=BeliefSettings,
    subjects=(Subject("simple against simple", settings(ESTIMATORS, metrics=JUDGED)),),
    sizes={"smoke": 200, "full": 50_000},
    seed_offset=SEED_OFFSET,
    work=count_beliefs,
    shard=SHARD,
    keep=compact,
    compare_points=compare,
    drawing=Sheet(cells),
)

EXPERIMENTS = {JUDGING.id: JUDGING}
