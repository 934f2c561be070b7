"""Beyond paper S1: our estimators beside the paper's, against three kinds of opponent, turn by turn.

The kinds: the baseline, S2's player, and a mixed pool that neither ``belief-net`` nor the learned ensemble
has seen in training. *The paper's* are its three estimators after the text and after the program, Bayes' rule
without its squash, and its ensemble by turn. The best of them is chosen again at each turn, by the same
moments on which ours is judged.
"""

from collections.abc import Sequence

from ginrummy.experiments.frame.drawings import Cell, Sheet
from ginrummy.experiments.frame.evidence import Subject
from ginrummy.experiments.frame.experiment import SEED_OFFSET, Counts
from ginrummy.experiments.frame.rates import by_series
from ginrummy.experiments.frame.verdicts import Row, Statement, claim
from ginrummy.experiments.s1.claims import BeliefPoint, counted
from ginrummy.judging.beliefs import BOUNDS
from ginrummy.judging.by_turn import SHARD, Beliefs, BeliefSettings, compact, count_beliefs, settings
from ginrummy.judging.scores import METRICS, PAPER
from ginrummy.stats import Estimate

PAPERS = (
    "bayes",
    "bayes:squash=yes",
    "simple-nn",
    "simple-nn:profile=code",
    "shankar-cnn",
    "shankar-cnn:profile=code",
    "ensemble-by-turn",
)
LEARNED = "ensemble-by-turn:profile=learned"
BY_TURN_ALONE = "ensemble-by-turn:profile=learned,model=ensemble-turns.onnx"
OURS = "belief-net"
ESTIMATORS = (*PAPERS, LEARNED, BY_TURN_ALONE, OURS)
_WORDS = {LEARNED: "learned ensemble", BY_TURN_ALONE: "ensemble by learned turn"}
JUDGED = (*PAPER, "log_loss", "brier", "raw_log_loss")

KINDS: dict[str, tuple[tuple[str, str], ...]] = {
    "baseline": (("simple", "simple"),),
    "hand-strength": (("simple", "hand-strength"),),
    "mixed pool": (
        ("simple", "hand-strength:profile=tuned"),
        ("hand-strength", "advanced"),
        ("hand-strength", "medium-kh"),
        ("simple", "simple:knock_at=2"),
    ),
}
"""Kind of opponent -> who guesses, and whose hand is guessed."""
ENOUGH = 1000
"""Moments that a turn needs to be compared."""
OTHER_DECKS = 100_000
"""Distance between the game numbers of two players of a pool: their games must not share decks."""
ROUNDING = 1e-6
"""Differences below this come from 32-bit sums."""


def _settings(players: Sequence[str], first: int = 0) -> BeliefSettings:
    against = (OURS, LEARNED)
    return settings(ESTIMATORS, players, "b", metrics=JUDGED, bands=(), against=against, first=first)


def _series(kind: str, players: Sequence[str]) -> str:
    return f"{kind}: {players[1]} seen by {players[0]}"


def _found(points: list[BeliefPoint]) -> dict[str, Beliefs]:
    """Kind of opponent -> its counters, all of its players and seeds added up."""
    series = by_series(points)
    return {
        kind: counted([point for pair in pairs for point in series[_series(kind, pair)]])
        for kind, pairs in KINDS.items()
    }


def cells(points: list[BeliefPoint]) -> list[Cell]:
    """Every metric over all moments, by kind of opponent."""
    return [
        Cell(
            f"{_WORDS.get(name, name)}, {kind}",
            METRICS[metric].label,
            found.mean(metric, name),
            METRICS[metric].unit,
            drawn=metric in ("log_loss", "brier", "top_n") and name != BOUNDS[1],
        )
        for kind, found in _found(points).items()
        for name in (*ESTIMATORS, *BOUNDS)
        for metric in JUDGED
    ]


def compare(points: list[BeliefPoint]) -> list[Row]:
    """The claims about our estimators, for each kind of opponent."""
    rows: list[Row] = []
    for kind, found in _found(points).items():
        rows += [
            _ahead(f"ours: belief-net is better than each of the paper's, {kind}", found, OURS, PAPERS),
            *(_worse_nowhere(kind, found, metric) for metric in JUDGED),
            _calibrated(kind, found),
            _ahead(
                f"ours: the learned ensemble is better than each of its members, {kind}",
                found,
                LEARNED,
                ("bayes", "simple-nn", "shankar-cnn"),
            ),
            _ahead(
                f"ours: it is better than the paper's ensemble by turn, {kind}",
                found,
                LEARNED,
                ("ensemble-by-turn",),
            ),
            _ahead(
                f"ours: it is better than an ensemble that learned from the turn alone, so the opponent's "
                f"style tells it something, {kind}",
                found,
                LEARNED,
                (BY_TURN_ALONE,),
            ),
        ]
    return rows


def _ahead(what: str, found: Beliefs, one: str, others: Sequence[str]) -> Row:
    statements = [
        Statement(f"{one} less {other}", found.gap("log_loss", one, other), high=0, unit="belief")
        for other in others
    ]
    return claim(what, "log loss of unknown cards, all moments, paired", statements)


def _worse_nowhere(kind: str, found: Beliefs, metric: str) -> Row:
    """Turn by turn against each of the paper's, each difference at 95 % without correction."""
    sign = -1 if METRICS[metric].high else 1
    turns = [turn for turn in found.turns if found.moments(turn) >= ENOUGH]
    worse, better = set(), 0
    closest: tuple[float, int] | None = None
    for turn in turns:
        gaps = {name: found.gap(metric, OURS, name, turn).times(sign) for name in PAPERS}
        if any(gap.interval().low > ROUNDING for gap in gaps.values()):
            worse.add(turn)
        best = gaps[found.best(metric, PAPERS, turn)]
        better += best.interval().high < -ROUNDING
        closest = max(closest or (best.value, turn), (best.value, turn))
    note = f"Significantly better than the best of them at {better} of {len(turns)} turns."
    if worse:
        note += f" Worse at turn {', '.join(map(str, sorted(worse)))}."
    if closest:
        note += f" Least lead over the best of them: {-closest[0]:.4f}, at turn {closest[1]}."
    return claim(
        f"ours: belief-net is significantly worse at no turn, {kind}: {METRICS[metric].label}",
        f"than any of the paper's, at turns with {ENOUGH:,} moments or more, paired, 95 % without correction",
        [
            Statement("turns at which it is worse", Estimate(len(worse), 0.0), high=0.5, unit="count"),
            Statement("turns compared", Estimate(len(turns), 0.0), low=0.5, unit="count"),
        ],
        note,
    )


def _calibrated(kind: str, found: Beliefs) -> Row:
    errors = {name: found.calibration(name).error for name in (OURS, *PAPERS)}
    return claim(
        f"ours: belief-net is calibrated, {kind}",
        "mean distance of belief and share held (no interval) below 0.02 and below each of the paper's",
        [
            Statement(OURS, Estimate(errors[OURS], 0.0), high=0.02, unit="loss"),
            *(
                Statement(
                    f"{OURS} less {name}", Estimate(errors[OURS] - errors[name], 0.0), high=0, unit="loss"
                )
                for name in PAPERS
            ),
        ],
    )


BELIEFS = Counts(
    id="S1-beliefs",
    paper="S1",
    title="Beyond the paper: our estimators against three kinds of opponent",
    measures="All metrics of the paper's estimators, of the learned ensemble and of belief-net on the same "
    "moments, against the baseline, S2's player, and a pool of players that no estimator has learned from.",
    settings=BeliefSettings,
    subjects=tuple(
        Subject(_series(kind, pair), _settings(pair, OTHER_DECKS * place))
        for kind, pairs in KINDS.items()
        for place, pair in enumerate(pairs)
    ),
    sizes={"smoke": 40, "full": 5_000},
    seed_offset=SEED_OFFSET,
    work=count_beliefs,
    shard=SHARD,
    keep=compact,
    compare_points=compare,
    drawing=Sheet(cells),
)

EXPERIMENTS = {BELIEFS.id: BELIEFS}
