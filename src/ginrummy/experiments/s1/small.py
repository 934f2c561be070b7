"""Paper S1: whether the orderings that do not hold come back with networks that learned from less.

The paper does not say how many games its networks learned from, nor for how long. Ours had 10,000 games. Here
the same layers learned from 500, in three generations or until the loss on games held back stopped falling.
All estimators judge the same moments.
"""

from ginrummy.experiments.frame.drawings import Cell, Sheet
from ginrummy.experiments.frame.evidence import Subject
from ginrummy.experiments.frame.experiment import SEED_OFFSET, Counts
from ginrummy.experiments.frame.verdicts import Row, Statement, claim, reread
from ginrummy.experiments.s1.claims import (
    BANDS,
    ORDERINGS,
    TEXT,
    BeliefPoint,
    Reading,
    Trio,
    counted,
    without_turns,
)
from ginrummy.judging.beliefs import BOUNDS, OMNISCIENT
from ginrummy.judging.by_turn import SHARD, Beliefs, BeliefSettings, count_beliefs, settings
from ginrummy.judging.scores import METRICS, PAPER
from ginrummy.stats import Estimate

NETWORK, CONVOLUTION = "simple-nn:profile=small", "shankar-cnn:profile=small"
TRIOS = {
    "both networks from 500 games": TEXT._replace(network=NETWORK, convolution=CONVOLUTION),
    "the convolutional network from 500 games": TEXT._replace(convolution=CONVOLUTION),
    "the simple network from 500 games": TEXT._replace(network=NETWORK),
}
"""Reading -> the three estimators."""
ESTIMATORS = (*TEXT, NETWORK, CONVOLUTION)


def orderings(found: Beliefs, trio: Trio) -> list[Row]:
    """What the text says of all figures, with these three."""
    return [row for metric, said in ORDERINGS.items() for row in said(Reading(found, metric, trio))]


def compare(points: list[BeliefPoint]) -> list[Row]:
    """Every ordering with every trio, and how many hold."""
    found = counted(points)
    full = orderings(found, TEXT)
    rows: list[Row] = []
    for reading, trio in TRIOS.items():
        these = orderings(found, trio)
        held, before = (sum(row.verdict == "holds" for row in some) for some in (these, full))
        back = [
            new.what
            for new, old in zip(these, full, strict=True)
            if (new.verdict, old.verdict) == ("holds", "does not hold")
        ]
        lost = [
            new.what
            for new, old in zip(these, full, strict=True)
            if (new.verdict, old.verdict) == ("does not hold", "holds")
        ]
        rows.append(
            claim(
                f"reason: less to learn from brings back orderings of the text: {reading}",
                f"orderings that hold, of {len(full)}, less those that hold with 10,000 games, same moments",
                [Statement("more orderings", Estimate(held - before, 0.0), low=0.5, unit="count")],
                f"{held} hold, {before} with 10,000 games. Come back: {'; '.join(back) or 'none'}. "
                f"Lost: {'; '.join(lost) or 'none'}.",
            )
        )
        rows += [reread(row, reading) for row in these]
    return rows


def cells(points: list[BeliefPoint]) -> list[Cell]:
    """Every estimator's metrics over all moments."""
    found = counted(points)
    return [
        Cell(
            name,
            METRICS[metric].label,
            found.mean(metric, name),
            METRICS[metric].unit,
            None,
            name != OMNISCIENT,
        )
        for name in (*ESTIMATORS, *BOUNDS)
        for metric in PAPER
    ]


EXPERIMENTS = {
    "S1-small": Counts(
        id="S1-small",
        paper="S1",
        title="The orderings with networks that learned from less",
        measures="The text's orderings once more, with the simple network, the convolutional network, or "
        "both trained on 500 games of the baseline instead of 10,000, in games of simple against simple.",
        settings=BeliefSettings,
        subjects=(Subject("simple against simple", settings(ESTIMATORS, metrics=PAPER, bands=BANDS)),),
        sizes={"smoke": 200, "full": 2_000},
        seed_offset=SEED_OFFSET,
        work=count_beliefs,
        shard=SHARD,
        keep=without_turns,
        compare_points=compare,
        drawing=Sheet(cells),
    )
}
