"""Paper S0's next step, measured: networks trained on the play they led to, beliefs in draw and knock.

Source: Nguyen, Doan and Neller, "A Deterministic Neural Network Approach to Playing Gin Rummy", EAAI 2021,
Future Work: "close the loop of a reinforcement learning training cycle" and "improved application of opponent
hand estimation". The paper has no numbers for either; the claims are what one would hope for.

Everything is compared with medium-kh, the paper's best player, in direct games and by games against simple.
"""

from itertools import pairwise

from ginrummy.experiments.frame.drawings import Cell, Sheet
from ginrummy.experiments.frame.evidence import Arm, MatchPoint
from ginrummy.experiments.frame.experiment import SEED_OFFSET, Matches
from ginrummy.experiments.frame.rates import win_rates
from ginrummy.experiments.frame.verdicts import Row, Statement, claim
from ginrummy.stats import Estimate

ROUNDS = 3
START = "medium-kh"
OPPONENTS = (START, "simple")
NEAR = 0.02
"""How far below another threshold a threshold may be and still count as good."""


def knock_loop(number: int, threshold: float = 0.9) -> str:
    """Name of the player with the knock network of a round."""
    return f"knock loop {number}" + (f", threshold {threshold:g}" if threshold != 0.9 else "")


def value_loop(number: int) -> str:
    """Name of the player with the card-value network of a round."""
    return f"card-value loop {number}"


BOTH_LOOPS = "both loops 3"
HITS_15 = "threshold 15"
BELIEF_DRAW, BELIEF_DRAW_15 = "belief in the draw", "belief in the draw, threshold 15"
BELIEF_KNOCK, BELIEF_BOTH = "belief in the knock", "belief in both"

_KNOCK_3 = f"knock_model=knock-loop-{ROUNDS}.onnx"


def _value(number: int) -> str:
    model = f",value_model=card-value-loop-{number}.onnx" if number else ""
    return f"value=network{model}"


SERIES: dict[str, str] = {
    START: START,
    **{knock_loop(r): f"{START}:knock_model=knock-loop-{r}.onnx" for r in range(1, ROUNDS + 1)},
    **{knock_loop(ROUNDS, t): f"{START}:knock={t:g},{_KNOCK_3}" for t in (0.8, 0.95)},
    **{value_loop(r): f"{START}:{_value(r)}" for r in range(ROUNDS + 1)},
    BOTH_LOOPS: f"{START}:{_value(ROUNDS)},{_KNOCK_3}",
    HITS_15: f"{START}:threshold=15",
    BELIEF_DRAW: f"{START}:belief=draw",
    BELIEF_DRAW_15: f"{START}:threshold=15,belief=draw",
    BELIEF_KNOCK: f"{START}:belief=knock",
    BELIEF_BOTH: f"{START}:belief=both",
}
"""Name -> the player, medium-kh itself first."""


def rates(points: list[MatchPoint], opponent: str) -> dict[str, Estimate]:
    """Name -> win rate against an opponent; against medium-kh its own is one half by symmetry."""
    found = win_rates(points)
    known = {name: found[spec, opponent] for name, spec in SERIES.items() if (spec, opponent) in found}
    return {START: Estimate(0.5, 0.0)} | known


def cells(points: list[MatchPoint]) -> list[Cell]:
    """Win rates against both opponents, and what they are above those of medium-kh."""
    at = {opponent: rates(points, opponent) for opponent in OPPONENTS}
    found = []
    for name in SERIES:
        for opponent, rate in at.items():
            if name != START or opponent != START:
                found.append(Cell(name, f"against {opponent}", rate[name], "rate"))
                if name != START:
                    gain = rate[name] - rate[START]
                    found.append(Cell(name, f"gain against {opponent}", gain, "gain", drawn=False))
    return found


def _steps(names: list[str], at: dict[str, Estimate]) -> list[Statement]:
    return [
        Statement(f"{after} less {before}", at[after] - at[before], low=0, unit="gain")
        for before, after in pairwise(names)
    ]


def _over(name: str, other: str, opponent: str, at: dict[str, Estimate]) -> Statement:
    text = f"{name} less {other}, against {opponent}"
    return Statement(text, at[name] - at[other], low=0, unit="gain")


def _worth(what: str, name: str, by: dict[str, dict[str, Estimate]], other: str = START) -> Row:
    """Better than another player, by direct games and by games with simple."""
    statements = [_over(name, other, opponent, at) for opponent, at in by.items()]
    return claim(what, f"win rates against both opponents above those of {other}", statements)


def compare(points: list[MatchPoint]) -> list[Row]:
    """What each step is worth."""
    by = {opponent: rates(points, opponent) for opponent in OPPONENTS}
    knock = [START, *(knock_loop(r) for r in range(1, ROUNDS + 1))]
    value = [value_loop(r) for r in range(ROUNDS + 1)]
    rows = []
    for what, names in (("knock", knock), ("card-value", value)):
        for opponent, at in by.items():
            rows.append(
                claim(
                    f"each round of the {what} network improves on the one before, against {opponent}",
                    "differences of the win rates above zero",
                    _steps(names, at),
                )
            )
    last = by[START]
    return [
        *rows,
        _worth("the first round of retraining improves on the paper's knock network", knock[1], by),
        _worth("three rounds of the knock network improve on the paper's", knock[-1], by),
        _worth("three rounds of the card-value network improve on the paper's", value[-1], by, value[0]),
        _worth("three rounds make the card-value network better than Equation 1", value[-1], by),
        _worth("both loops together are better than medium-kh", BOTH_LOOPS, by),
        claim(
            "the paper's threshold of 0.9 suits the retrained knock network",
            "win rate against medium-kh less than two points below that of any other threshold",
            [
                Statement(f"{knock[-1]} less {other}", last[knock[-1]] - last[other], low=-NEAR, unit="gain")
                for other in (knock_loop(ROUNDS, 0.8), knock_loop(ROUNDS, 0.95))
            ],
        ),
        _worth("belief in the draw is worth something over medium-kh", BELIEF_DRAW, by),
        _worth("belief in the draw is worth something at threshold 15", BELIEF_DRAW_15, by, HITS_15),
        _worth("belief in the knock is worth something over medium-kh", BELIEF_KNOCK, by),
        _worth("belief in draw and knock is worth something over medium-kh", BELIEF_BOTH, by),
    ]


LOOP = Matches(
    id="S0-loop",
    paper="S0",
    beyond=True,
    title="Future work: closing the loop, and beliefs in draw and knock",
    measures="Win rates against medium-kh and simple of medium-kh with networks that learned, for one, two "
    "and three rounds, from the play of the player of the round before; and of medium-kh with the belief of "
    "Bayes' rule in its draw (hits counted by the chance to get the missing card) and in its knock (expected "
    "points and melds of the opponent as inputs). Not in the paper, but the next steps that it names.",
    arms=tuple(
        Arm(name, float(column), spec, opponent)
        for column, opponent in enumerate(OPPONENTS)
        for name, spec in SERIES.items()
        if spec != opponent
    ),
    sizes={"smoke": 40, "full": 20_000},
    seed_offset=SEED_OFFSET,
    compare_points=compare,
    drawing=Sheet(cells, {f"against {opponent}": 0.5 for opponent in OPPONENTS}),
)

EXPERIMENTS = {LOOP.id: LOOP}
