"""Paper S1: its recommendation of an ensemble, and the estimators of other papers on its five metrics.

The recommended ensemble takes the simple network up to turn 9, the convolutional network from turn 10 on
(``ensemble-by-turn``; where the text leaves a choice, its first or the one that it would "stick to"). Beside
it and its members stand the estimators of papers S0 and S4, ours, and both bounds, on the same moments, by
the paper's stages of a round.
"""

import math

from ginrummy.experiments.frame.drawings import Cell, Sheet
from ginrummy.experiments.frame.evidence import Subject
from ginrummy.experiments.frame.experiment import SEED_OFFSET, Counts
from ginrummy.experiments.frame.verdicts import Row, Statement, claim
from ginrummy.experiments.s1.claims import OURS, TEXT, BeliefPoint, counted
from ginrummy.judging.beliefs import BOUNDS, NULL, OMNISCIENT
from ginrummy.judging.by_turn import (
    ALL,
    FEW,
    STAGES,
    Beliefs,
    BeliefSettings,
    compact,
    count_beliefs,
    settings,
)
from ginrummy.judging.scores import METRICS, PAPER

SCHEDULE = "ensemble-by-turn"
OTHERS = ("ann", "lstm", "tracker")
"""Estimators of papers S0 and S4."""
ESTIMATORS = (*TEXT, SCHEDULE, *OTHERS, OURS)


def _better(found: Beliefs, metric: str, one: str, other: str, where: str = ALL) -> Statement:
    """The statement that one estimator is better than another."""
    high = METRICS[metric].high
    place = "" if where == ALL else f", turns {where}"
    return Statement(
        f"{METRICS[metric].label}: {one} less {other}{place}",
        found.gap(metric, one, other, where),
        low=0.0 if high else -math.inf,
        high=math.inf if high else 0.0,
        unit=METRICS[metric].unit,
    )


def compare(points: list[BeliefPoint]) -> list[Row]:
    """The recommendation metric by metric, dominance, and the other papers' estimators."""
    found = counted(points)
    rows = [
        claim(
            f"the recommended ensemble is better than each of its members: {METRICS[metric].label}",
            "all moments, paired",
            [_better(found, metric, SCHEDULE, name) for name in TEXT],
        )
        for metric in PAPER
    ]
    rows.append(_no_one_dominates(found))
    for name in OTHERS:
        rows.append(
            claim(
                f"ours: {name} is better than equal chances for unseen cards",
                "all metrics of the paper but integrity loss, all moments, paired",
                [_better(found, metric, name, NULL) for metric in PAPER if metric != "integrity_loss"],
            )
        )
        rows.append(
            claim(
                f"ours: belief-net is better than {name}",
                "all metrics of the paper, all moments, paired",
                [_better(found, metric, OURS, name) for metric in PAPER],
            )
        )
    return rows


def _no_one_dominates(found: Beliefs) -> Row:
    """For each of the three, the clearest case in which another is better."""
    statements = []
    for name in TEXT:
        cases = [
            (metric, other, stage.name) for metric in PAPER for other in TEXT.others(name) for stage in STAGES
        ]

        def clear(case: tuple[str, str, str]) -> float:
            metric, other, stage = case
            gap = found.gap(metric, other, name, stage)  # noqa: B023
            return (1 if METRICS[metric].high else -1) * gap.value / max(gap.error, 1e-12)

        metric, other, stage = max(cases, key=clear)
        statements.append(_better(found, metric, other, name, stage))
    return claim(
        "no one estimator is consistently dominant",
        "each of the three is worse than another by some metric in some stage of a round; the clearest of 40 "
        "cases each",
        statements,
    )


def cells(points: list[BeliefPoint]) -> list[Cell]:
    """Every estimator's metrics by stage."""
    found = counted(points)
    return [
        Cell(
            name if stage == ALL else f"{name}, turns {stage}",
            METRICS[metric].label,
            found.mean(metric, name, stage),
            METRICS[metric].unit,
            None,
            stage == ALL and name != OMNISCIENT,
        )
        for name in (*ESTIMATORS, *BOUNDS)
        for stage in (ALL, *(band.name for band in STAGES))
        for metric in PAPER
    ]


def by_turn(points: list[BeliefPoint]) -> dict[str, list[Cell]]:
    """Metric -> its values at each turn, for the estimators that the paper's figures do not have."""
    found = counted(points)
    turns = [turn for turn in found.turns if found.moments(turn) >= FEW]
    return {
        f"By turn: {METRICS[metric].label}": [
            Cell(f"turn {turn}", name, found.mean(metric, name, turn), METRICS[metric].unit)
            for turn in turns
            for name in (SCHEDULE, *OTHERS, OURS, NULL)
        ]
        for metric in PAPER
    }


EXPERIMENTS = {
    "S1-schedule": Counts(
        id="S1-schedule",
        paper="S1",
        title="The recommended ensemble, and the estimators of other papers",
        measures="The paper's five metrics of its estimators, of the ensemble that it recommends, of S0's "
        "two networks, S4's tracker, ours and both bounds, by stage of a round, on the same moments of games "
        "of simple against simple. Every turn by itself stands behind the folds, for the estimators that "
        "figures 2 to 6 do not show.",
        settings=BeliefSettings,
        subjects=(Subject("simple against simple", settings(ESTIMATORS, metrics=PAPER)),),
        sizes={"smoke": 200, "full": 2_000},
        seed_offset=SEED_OFFSET,
        work=count_beliefs,
        shard=100,
        keep=compact,
        compare_points=compare,
        drawing=Sheet(cells, folded=by_turn),
    )
}
