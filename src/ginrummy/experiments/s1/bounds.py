"""Paper S1, its future work: the player that uses an estimate, between knowing nothing and knowing all.

The upper bound plays by the same rule with the opponent's hand itself as belief. It sees that hand through a
connection between two players of one run that exists only here: no registered player has it.
"""

from dataclasses import dataclass, replace
from typing import Any

from ginrummy import moments, sim
from ginrummy.estimators.base import Beliefs, Estimator
from ginrummy.experiments.frame.drawings import Cell, Sheet
from ginrummy.experiments.frame.evidence import Point, Subject
from ginrummy.experiments.frame.experiment import SEED_OFFSET, Counts
from ginrummy.experiments.frame.rates import by_series, win_rate
from ginrummy.experiments.frame.verdicts import Row, Statement, claim
from ginrummy.judging.beliefs import OMNISCIENT
from ginrummy.judging.shards import Shard
from ginrummy.players.base import Player
from ginrummy.players.registry import make_player
from ginrummy.players.safe_discard import discard_among_safest
from ginrummy.stats import Estimate
from ginrummy.tournament import count_games
from ginrummy.typed import Counters, read
from ginrummy.view import FloatArray, IntArray, View

RULES: dict[str, dict[str, str]] = {
    "the three safest": {},
    "weighed (ours)": {"safety": "unknown", "among": "weighed"},
}
"""Rule -> the parameters of safe-discard that differ from its own."""
ESTIMATORS = ("null", "simple-nn", "shankar-cnn", "belief-net", OMNISCIENT)


def _series(rule: str, estimator: str) -> str:
    return f"{rule}, {estimator}"


@dataclass(frozen=True)
class Bounded:
    """How safe-discard plays."""

    estimator: str
    reading: dict[str, str]
    """Its other parameters."""


def count_wins(how: Bounded, shard: Shard) -> Counters:
    """Counters of games of safe-discard against simple."""
    if how.estimator == OMNISCIENT:
        first, second = peeking(how.reading)
    else:
        words = ",".join(f"{key}={value}" for key, value in how.reading.items())
        spec = f"safe-discard:estimator={how.estimator}" + f",{words}" * bool(words)
        first, second = make_player(spec), make_player("simple")
    return count_games(sim.play(first, second, shard.games, shard.rules, shard.seed), shard.rules)


def peeking(reading: dict[str, str]) -> tuple[Player, Player]:
    """The player that knows the hand of its opponent, and that opponent, the baseline.

    Both are asked to draw before either discards, because in mirrored games each side begins once.
    """
    baseline = make_player("simple")
    shown: list[View] = []

    def draw(view: View, rows: IntArray, u: FloatArray) -> Any:
        shown[:] = [view]
        return baseline.draw(view, rows, u)

    def truth(view: View, rows: IntArray) -> Beliefs:
        return moments.bits(shown[0]["hand"][rows])

    discard = discard_among_safest(Estimator(OMNISCIENT, truth), **reading)  # type: ignore[arg-type]
    return replace(make_player("safe-discard"), discard=discard), replace(baseline, draw=draw, compiled=None)


def _rates(points: list[Point[Bounded]]) -> dict[str, Estimate]:
    return {
        name: win_rate([sum(each) for each in zip(*map(_pairs, some), strict=True)])
        for name, some in by_series(points).items()
    }


def _pairs(point: Point[Bounded]) -> tuple[int, ...]:
    """Mirrored pairs by half points, 0 to 4."""
    return read(tuple[int, int, int, int, int], point.counts.get("pairs"), f"pairs of {point.series}")


def _way(rates: dict[str, Estimate], rule: str, estimator: str) -> Estimate:
    """How far an estimator has come from knowing nothing to knowing all."""
    null, all_ = (rates[_series(rule, bound)] for bound in ("null", OMNISCIENT))
    return (rates[_series(rule, estimator)] - null) / (all_ - null)


def cells(points: list[Point[Bounded]]) -> list[Cell]:
    """Win rates, and the share of the way from one bound to the other."""
    rates = _rates(points)
    found = []
    for rule in RULES:
        for estimator in ESTIMATORS:
            row = _series(rule, estimator)
            found.append(Cell(row, "win rate against simple", rates[row], "rate"))
            if estimator not in ("null", OMNISCIENT):
                share = _way(rates, rule, estimator)
                found.append(Cell(row, "of the way from null to omniscient", share, "rate"))
    return found


def compare(points: list[Point[Bounded]]) -> list[Row]:
    """Where the estimators stand, and what a perfect one would be worth."""
    rates = _rates(points)
    rows = []
    for rule in RULES:
        at = {name: rates[_series(rule, name)] for name in ESTIMATORS}
        rows += [
            claim(
                f"ours: the paper's estimate is worth something, {rule}",
                "win rate against simple above that with equal chances for unseen cards",
                [Statement("shankar-cnn less null", at["shankar-cnn"] - at["null"], low=0)],
            ),
            claim(
                f"ours: and far less than a perfect one, {rule}",
                "less than a fifth of the way from equal chances to the truth",
                [
                    Statement(name, _way(rates, rule, name), high=0.2)
                    for name in ("simple-nn", "shankar-cnn", "belief-net")
                ],
            ),
        ]
    rows.append(
        claim(
            "reason: 55 % is within reach of a better belief with the paper's rule, and of a better rule "
            "with the paper's belief, so neither alone is what falls short",
            "win rates above 55 %: the three safest with the truth as belief, and safety weighed against "
            "deadwood with the convolutional network's belief",
            [
                Statement(_series(rule, name), rates[_series(rule, name)], low=0.55)
                for rule, name in zip(RULES, (OMNISCIENT, "shankar-cnn"), strict=True)
            ],
        )
    )
    return rows


BOUNDS = Counts(
    id="S1-bounds",
    paper="S1",
    title="Between knowing nothing and knowing all",
    measures="Win rate against simple of safe-discard by equal chances, by estimators and by the truth, with "
    "the paper's rule and with safety weighed against deadwood: where the paper's future work would place "
    "an estimator.",
    settings=Bounded,
    subjects=tuple(
        Subject(_series(rule, estimator), Bounded(estimator, reading))
        for rule, reading in RULES.items()
        for estimator in ESTIMATORS
    ),
    sizes={"smoke": 40, "full": 10_000},
    seed_offset=SEED_OFFSET,
    work=count_wins,
    shard=500,
    compare_points=compare,
    drawing=Sheet(cells, {"win rate against simple": 0.5}),
)

EXPERIMENTS = {BOUNDS.id: BOUNDS}
