"""Paper S2 beyond its figures: readings of the text side by side, and the profiles against each other.

The text does not say whether the indicators add up. Two parameters of the player are the readings: ``stack``
(neighbours count beside a sequence too) and ``sides`` (a neighbour on each side counts twice). Each reading
plays the points that the text names, against itself, and the program of the authors.
"""

from itertools import combinations

from ginrummy.experiments.frame.drawings import Cell, CrossTable, Sheet
from ginrummy.experiments.frame.evidence import Arm, MatchPoint
from ginrummy.experiments.frame.experiment import SEED_OFFSET, Matches
from ginrummy.experiments.frame.rates import curves, win_rates
from ginrummy.experiments.frame.verdicts import Row, Statement, beats, claim
from ginrummy.experiments.s2.claims import FLAT, PUBLISHED, ZERO_WEIGHTS, At
from ginrummy.experiments.s2.figures import PLAYER, SWEEPS
from ginrummy.players.hand_strength import PROFILES
from ginrummy.stats import Estimate

CODE = f"{PLAYER}:profile=code"
READINGS = {
    "a sequence excludes its neighbours (default)": PLAYER,
    "neighbours count beside a sequence (stack=1)": f"{PLAYER}:stack=1",
    "neighbours count on each side (sides=1)": f"{PLAYER}:sides=1",
    "both (stack=1,sides=1)": f"{PLAYER}:stack=1,sides=1",
}
"""Reading -> the player."""
AGAINST_CODE = "against the program"

_NAMED = tuple(at for rows in PUBLISHED.values() for at in rows)
ZEROS = ("set", "sequence")
"""The text gives the two win rates with these weights at zero, and not which is which."""


def _points() -> list[tuple[str, float]]:
    """Series and place of every point that the text names."""
    return [(at.series, at.x) for at in _NAMED] + [(series, 0.0) for series in ZEROS]


def _arms() -> tuple[Arm, ...]:
    arms = []
    for reading, player in READINGS.items():
        for series, x in _points():
            (arm,) = [arm for arm in SWEEPS[series].arms(player) if arm.x == x]
            arms.append(arm._replace(series=f"{reading}; {series}"))
        arms.append(Arm(f"{reading}; {AGAINST_CODE}", 0.0, player, CODE))
    return tuple(arms)


def named_points(rates: dict[str, dict[float, Estimate]], reading: str) -> list[tuple[At, Estimate]]:
    """The text's named points and what a reading wins there; of the zero weights, the lower first."""
    found = [(at, rates[f"{reading}; {at.series}"][at.x]) for at in _NAMED]
    zeros = sorted(ZEROS, key=lambda series: rates[f"{reading}; {series}"][0.0].value)
    return found + [
        (At(series, 0.0, published), rates[f"{reading}; {series}"][0.0])
        for published, series in zip(ZERO_WEIGHTS, zeros, strict=True)
    ]


def readings(points: list[MatchPoint]) -> list[Row]:
    """Which readings bring the published points back."""
    rates = curves(points)
    rows = []
    for reading in READINGS:
        named = named_points(rates, reading)
        inside = [at for at, ours in named if abs(ours.value - at.published.value) < FLAT]
        rows.append(
            claim(
                f"ours: the points of the text come out if {reading}",
                "each of the eight named win rates within one point of the published one",
                [
                    Statement(
                        f"{at.series} {at.x:g} less the published {at.published.value:.2%}",
                        ours - Estimate(at.published.value, 0.0),
                        -FLAT,
                        FLAT,
                        unit="gain",
                    )
                    for at, ours in named
                ],
                f"{len(inside)} of {len(named)} are nearer than one point.",
            )
        )
    return rows


def cells(points: list[MatchPoint]) -> list[Cell]:
    """A row for each reading, a column for each named point."""
    rates = curves(points)
    found = []
    for reading in READINGS:
        found += [
            Cell(reading, f"{at.series} {at.x:g}", ours, "rate", at.published)
            for at, ours in named_points(rates, reading)
        ]
        found.append(Cell(reading, AGAINST_CODE, rates[f"{reading}; {AGAINST_CODE}"][0.0], "rate"))
    return found


BY_READING = Matches(
    id="S2-readings",
    paper="S2",
    title="Whether the indicators add up: four readings",
    measures="The points that the text names, each reading against itself with one pair of parameters "
    "changed; and each reading with the paper's constants against the program's profile. The default was "
    "chosen because these points come out with it; the games here are on seeds that had no part in that.",
    arms=_arms(),
    sizes={"smoke": 40, "full": 50_000},
    compare_points=readings,
    seed_offset=SEED_OFFSET + 60,
    drawing=Sheet(cells, {AGAINST_CODE: 0.5}),
)

PLAYERS = tuple(f"{PLAYER}:profile={profile}" for profile in PROFILES)


def profiles(points: list[MatchPoint]) -> list[Row]:
    """Nothing of this is published: who beats whom."""
    rates = win_rates(points)
    paper, code, tuned = PLAYERS
    return [
        beats(one, other, rates[one, other]) for one, other in ((paper, code), (tuned, paper), (tuned, code))
    ]


HEAD_TO_HEAD = Matches(
    id="S2-profiles",
    paper="S2",
    title="Paper, code and tuned against each other",
    measures="Win rates of the three profiles of the player, in percent: the constants and rules of the "
    "paper, those of the authors' later program, and ours.",
    arms=tuple(Arm(f"{a} - {b}", 0.0, a, b) for a, b in combinations(PLAYERS, 2)),
    sizes={"smoke": 200, "full": 100_000},
    compare_points=profiles,
    seed_offset=SEED_OFFSET + 80,
    drawing=CrossTable(PLAYERS, {}),
)

EXPERIMENTS = {experiment.id: experiment for experiment in (BY_READING, HEAD_TO_HEAD)}
