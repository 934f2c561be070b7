"""Paper S1, three estimators of the opponent's hand: figures 2 to 6, and the same with other profiles.

Source: Francis, Just and Neller, "Opponent Hand Estimation in the Game of Gin Rummy", EAAI 2021.

Differs: the paper gives no numbers, so its curves are checked by what the text says of them. A turn is a draw
of either side (figures that go beyond turn 29 allow no other reading), and every round of a game counts.
"""

from typing import Any

from ginrummy.experiments.frame.drawings import Sheet
from ginrummy.experiments.frame.evidence import Subject
from ginrummy.experiments.frame.experiment import SEED_OFFSET, Counts, Experiment
from ginrummy.experiments.s1 import claims
from ginrummy.judging.by_turn import SHARD, BeliefSettings, compact, count_beliefs, settings
from ginrummy.judging.scores import METRICS


def _figure(metric: str) -> Counts[BeliefSettings]:
    label = METRICS[metric].label
    return Counts(
        id=f"S1-fig{METRICS[metric].figure}",
        paper="S1",
        title=f"Figure {METRICS[metric].figure}: {label} by turn",
        measures=f"{label.capitalize()} of raw beliefs over all 52 cards after each event of the opponent, "
        "by turn of the table, in games of simple against simple: the paper's three estimators, ours, and "
        "both bounds on the same moments. The paper prints no numbers: what it says of its curves is "
        "checked as differences over all moments of a stretch of turns.",
        settings=BeliefSettings,
        subjects=(Subject("simple against simple", claims.FIGURE_SETTINGS),),
        sizes={"smoke": 200, "full": 50_000},
        seed_offset=SEED_OFFSET,
        work=count_beliefs,
        shard=SHARD,
        keep=compact,
        compare_points=claims.FIGURES[metric],
        drawing=claims.figure_curves(metric),
    )


VARIANTS = Counts(
    id="S1-variants",
    paper="S1",
    title="The estimators in their other profiles",
    measures="The paper's metrics of each estimator in every profile, over all moments of games of simple "
    "against simple: Bayes' rule with and without the logistic squash, networks after the text and after the "
    "authors' program, a convolutional network whose outputs add up to ten. The text's claims are checked "
    "once more with the program's networks.",
    settings=BeliefSettings,
    subjects=(
        Subject(
            "simple against simple",
            settings(claims.VARIANTS, metrics=claims.VARIANT_METRICS, bands=claims.BANDS),
        ),
    ),
    sizes={"smoke": 200, "full": 10_000},
    seed_offset=SEED_OFFSET,
    work=count_beliefs,
    shard=SHARD,
    keep=claims.without_turns,
    compare_points=claims.variants,
    drawing=Sheet(claims.variant_cells),
)

_EXPERIMENTS: tuple[Experiment[Any], ...] = (*map(_figure, claims.FIGURES), VARIANTS)
EXPERIMENTS = {experiment.id: experiment for experiment in _EXPERIMENTS}
