"""Paper S2, hand strength: figures 2 to 6, and the player against the baseline.

Source: Ahmed, Leppo, Lesniewski, Patel, Perez and Blum, "A Heuristic Evaluation Function for Hand Strength
Estimation in Gin Rummy", EAAI 2021. Every point of a figure is the player with one parameter, or one pair of
parameters, changed against the player with the paper's own values, 50,000 games.

Differs: the grids of the figures are not known, because the pictures are lost; ours cover what the text
mentions. The text says "3 for the bonus and -3 for the penalty". We take this as a slip, because penalties
are positive everywhere else in the paper.
"""

from dataclasses import dataclass

from ginrummy.experiments.frame.drawings import Curves
from ginrummy.experiments.frame.evidence import Arm, Scale
from ginrummy.experiments.frame.experiment import SEED_OFFSET, Matches
from ginrummy.experiments.s2 import claims
from ginrummy.players.hand_strength import PROFILES

PLAYER = "hand-strength"
PROGRAM = "hand-strength:profile=code,alpha=20,shift=0,k=6"
"""The rules of the authors' later program with the constants of the paper's baseline agent."""
GAMES: dict[Scale, int] = {"smoke": 200, "full": 50_000}

DEFINITE = tuple(range(-20, 41, 5))
POSSIBLE = tuple(sorted({*range(-10, 11, 2), -3, -1, 1, 3}))


@dataclass(frozen=True)
class Sweep:
    """One line of a figure."""

    series: str
    """Its name."""
    signs: dict[str, int]
    """Parameter of the player -> sign with which the magnitude is given to it."""
    grid: tuple[float, ...]
    baseline: float | None
    """The opponent's value, where it is one number."""

    def arms(self, opponent: str = PLAYER) -> list[Arm]:
        """The points of the line: the opponent itself with the line's parameters changed."""
        return [Arm(self.series, x, self._player(opponent, x), opponent) for x in map(float, self.grid)]

    def _player(self, base: str, x: float) -> str:
        name, _, settings = base.partition(":")
        kept = [
            setting for setting in settings.split(",") if setting and setting.split("=")[0] not in self.signs
        ]
        changed = [f"{key}={sign * x + 0.0:g}" for key, sign in self.signs.items()]
        return f"{name}:{','.join(kept + changed)}"


def _pair(series: str, key: str, grid: tuple[float, ...], baseline: float | None) -> Sweep:
    """A penalty and a bonus of one magnitude."""
    return Sweep(series, {f"{key}_penalty": 1, f"{key}_bonus": -1}, grid, baseline)


SWEEPS = {
    sweep.series: sweep
    for sweep in (
        Sweep("alpha", {"alpha": 1}, tuple(range(0, 61, 5)), 20),
        Sweep("beta", {"beta": 1}, (0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.92, 0.94, 0.96, 0.98, 1), 0.9),
        Sweep("k", {"k": 1}, tuple(range(1, 13)), 6),
        _pair("set", "set", DEFINITE, None),
        _pair("sequence", "sequence", DEFINITE, None),
        _pair("rank", "rank", POSSIBLE, 4),
        _pair("adjacent", "adjacent", POSSIBLE, 5),
        _pair("two-adjacent", "two", POSSIBLE, 3),
    )
}
"""Name of a line -> the line."""


def _figure(number: int, title: str, measures: str, label: str, *series: str) -> Matches:
    sweeps = [SWEEPS[name] for name in series]
    name = f"S2-fig{number}"
    return Matches(
        id=name,
        paper="S2",
        title=title,
        measures=measures,
        arms=tuple(arm for sweep in sweeps for arm in sweep.arms()),
        sizes=GAMES,
        compare_points=claims.COMPARE[name],
        seed_offset=SEED_OFFSET,
        drawing=Curves(
            label,
            {sweep.series: sweep.baseline for sweep in sweeps if sweep.baseline is not None},
            claims.published_points(name),
        ),
    )


FIGURES = (
    _figure(
        2,
        "Figure 2: the initial weight alpha",
        "Win rate of the player with another weight of future deadwood against its own weight of 20.",
        "initial weight alpha",
        "alpha",
    ),
    _figure(
        3,
        "Figure 3: the decay beta",
        "Win rate of the player with another decay of that weight by turn against its own decay of 0.9.",
        "decay beta",
        "beta",
    ),
    _figure(
        4,
        "Figure 4: the draws considered, k",
        "Win rate of the player that averages another number of best draws against its own 6.",
        "best draws considered, k",
        "k",
    ),
    _figure(
        5,
        "Figure 5: weights of definite melds",
        "Win rate with set or sequence weights of one magnitude (penalty +m, bonus -m) against +20 and -10.",
        "magnitude of penalty and bonus",
        "set",
        "sequence",
    ),
    _figure(
        6,
        "Figure 6: weights of possible melds",
        "Win rate with rank, adjacent or two-adjacent weights of another magnitude against 4, 5 and 3. The "
        'text gives the best ones as "3 for the bonus and -3 for the penalty" and "2 for the bonus and -2 '
        'for the penalty". This is a slip of signs: in the rest of the paper a penalty is positive and a '
        "bonus negative, and so they are here.",
        "magnitude of penalty and bonus",
        "rank",
        "adjacent",
        "two-adjacent",
    ),
)

_PROGRAM_SWEEPS = (
    Sweep("alpha", {"alpha": 1}, (40, 60), 20),
    Sweep("beta", {"beta": 1}, (0.94, 1), 0.9),
    Sweep("k", {"k": 1}, (3, 5), 6),
    _pair("set", "set", (0,), None),
    _pair("sequence", "sequence", (0,), None),
    _pair("rank", "rank", (0, 2), 4),
    _pair("adjacent", "adjacent", (0, 3), 5),
    _pair("two-adjacent", "two", (0, 1), 3),
)

BY_PROGRAM = Matches(
    id="S2-program",
    paper="S2",
    title="The published points by the rules of the authors' program",
    measures="The points that the text names, both sides by the rules of the later program (candidates "
    "within five points, neighbours counted on each side, its quirks) with the constants of the paper. "
    "Added when figures 2 and 3 differed under another reading of the indicators, to learn whether the "
    "paper's figures come from the program.",
    arms=tuple(arm for sweep in _PROGRAM_SWEEPS for arm in sweep.arms(PROGRAM)),
    sizes=GAMES,
    compare_points=claims.COMPARE["S2-program"],
)

VS_SIMPLE = Matches(
    id="S2-vs-simple",
    paper="S2",
    title="Hand strength against the baseline player",
    measures="Win rate and margin of every profile of the player against simple; the paper does not publish "
    "them.",
    arms=tuple(Arm(profile, 0.0, f"{PLAYER}:profile={profile}", "simple") for profile in PROFILES),
    sizes={"smoke": 200, "full": 100_000},
    compare_points=claims.COMPARE["S2-vs-simple"],
    seed_offset=SEED_OFFSET,
)

EXPERIMENTS = {experiment.id: experiment for experiment in (*FIGURES, BY_PROGRAM, VS_SIMPLE)}
