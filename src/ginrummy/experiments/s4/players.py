"""Paper S4, the ensemble as a player: against the baseline, and against the winner of the challenge.

Source: Nagai, Shrivastava, Ta, Byers and Bogaerts, "A Highly-Parameterized Ensemble To Play Gin Rummy", 2020.
The win rate of the authors' program is not from the poster: it was measured with their Java program under the
challenge's rules.
"""

from ginrummy.experiments.frame.evidence import Arm, MatchPoint
from ginrummy.experiments.frame.experiment import SEED_OFFSET, Matches
from ginrummy.experiments.frame.rates import win_rates
from ginrummy.experiments.frame.verdicts import Published, Row, Statement, claim, value
from ginrummy.players.ensemble import PROFILES
from ginrummy.stats import Estimate

PLAYER = "ensemble"
WINNERS = {"paper": "hand-strength", "code": "hand-strength:profile=code"}
"""Profile of the challenge's winner -> the player."""

TUNED = Published("win rate of the best values after iteration 1", 0.739, 5_000, 0.001)
PROGRAM = Published(
    "win rate of the authors' Java program against the baseline", 0.729, 5_700, 0.001, measured=True
)
"""Its interval is given, 71.7 to 74.0 %, and not its games: as many as make an interval of that width."""


def spec(profile: str) -> str:
    """The player in a profile."""
    return f"{PLAYER}:profile={profile}"


EARLIER = {turn: f"{spec('tuned')},knock_turn={turn}" for turn in (3, 4, 5)}
"""Own turn from which the knock stage is late -> the tuned player with it; by itself it has 6."""


def against_simple(points: list[MatchPoint]) -> list[Row]:
    """The program's own win rate, the poster's best one, and what tuning must reach."""
    rates = _rates(points)
    return [
        value(PROGRAM, "profile code", rates[spec("code")]),
        value(
            TUNED,
            "profile poster: the poster's weights and knock stages, the program's other values",
            rates[spec("poster")],
        ),
        value(TUNED, "profile tuned: our own search over the same subsets", rates[spec("tuned")]),
        claim(
            "the code profile plays as the program does",
            "win rate from 71.5 to 74.5 %",
            [Statement(spec("code"), rates[spec("code")], 0.715, 0.745)],
        ),
        claim(
            "tuning raises the win rate",
            "tuned above base, our round guesses",
            [Statement("tuned less base", rates[spec("tuned")] - rates[spec("base")], low=0, unit="gain")],
        ),
        claim(
            "ours: the tuned profile wins 73 % or more",
            "win rate",
            [Statement(spec("tuned"), rates[spec("tuned")], low=0.73)],
        ),
        claim(
            "the change of knock stages at turn 6, found with simple players, is best for the ensemble too",
            "tuned with an earlier change is less than one point better",
            [
                Statement(
                    f"turn {turn} less turn 6", rates[other] - rates[spec("tuned")], high=0.01, unit="gain"
                )
                for turn, other in EARLIER.items()
            ],
        ),
    ]


def against_winners(points: list[MatchPoint]) -> list[Row]:
    """Nothing is published: who wins between the two papers' players."""
    rates = {(p.player, p.opponent): rate for p, rate in zip(points, _each(points), strict=True)}
    return [
        claim(
            f"ours: {other} is stronger than {spec(profile)}",
            "win rate of the ensemble below one half",
            [Statement(f"{spec(profile)} against {other}", rates[spec(profile), other], high=0.5)],
        )
        for profile in PROFILES
        for other in WINNERS.values()
    ]


def _each(points: list[MatchPoint]) -> list[Estimate]:
    found = win_rates(points)
    return [found[point.player, point.opponent] for point in points]


def _rates(points: list[MatchPoint]) -> dict[str, Estimate]:
    return {point.player: rate for point, rate in zip(points, _each(points), strict=True)}


VS_SIMPLE = Matches(
    id="S4-vs-simple",
    paper="S4",
    title="The ensemble against the baseline player",
    measures="Win rate and margin of every profile of the player against simple, and of the tuned one with "
    "an earlier change of knock stages. The poster gives .701 for its first guesses, which are lost, and "
    ".739 for the best values of its first iteration of tuning.",
    arms=(
        *(Arm(profile, 0.0, spec(profile), "simple") for profile in PROFILES),
        *(Arm(f"tuned, late from turn {turn}", 0.0, player, "simple") for turn, player in EARLIER.items()),
    ),
    sizes={"smoke": 200, "full": 50_000},
    seed_offset=SEED_OFFSET,
    compare_points=against_simple,
)

VS_WINNER = Matches(
    id="S4-vs-hand-strength",
    paper="S4",
    title="The ensemble against the challenge's winner",
    measures="Win rate of every profile of the ensemble against hand-strength, as its paper and as its "
    "program play it. Nobody has published this.",
    arms=tuple(
        Arm(f"{profile} against {name}", 0.0, spec(profile), other)
        for profile in PROFILES
        for name, other in WINNERS.items()
    ),
    sizes={"smoke": 200, "full": 20_000},
    seed_offset=SEED_OFFSET,
    compare_points=against_winners,
)

EXPERIMENTS = {experiment.id: experiment for experiment in (VS_SIMPLE, VS_WINNER)}
