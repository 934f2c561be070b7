"""Paper S3: look-ahead against the baseline, and against the winner of the challenge, in every profile.

Source: Goldstein, Astudillo Guerra, Haigh, Cruz Ulloa and Blum, "Extracting Learned Discard and Knocking
Strategies from a Gin Rummy Bot", EAAI 2021: 100,000 games against the baseline. The win rate of the authors'
program is not from the paper: it was measured with their Java program under the challenge's rules.
"""

import math
from collections.abc import Sequence
from itertools import combinations

from ginrummy.experiments.frame.drawings import CrossTable, Curves
from ginrummy.experiments.frame.evidence import Arm, MatchPoint
from ginrummy.experiments.frame.experiment import SEED_OFFSET, Matches
from ginrummy.experiments.frame.rates import by_series, curves, win_rates
from ginrummy.experiments.frame.verdicts import Published, Row, Statement, beats, claim, value
from ginrummy.players import hand_strength, look_ahead
from ginrummy.stats import Estimate

GAMES = 100_000
WON = Published("win rate against the baseline", 0.758, GAMES, 0.001)
MARGIN = Published("mean margin against the baseline", 42.4, GAMES, 0.1, unit="points")
MEDIAN = Published("median margin against the baseline", 60, GAMES, 1, unit="points")
BY_100 = Published("share of games won by 100 or more", 0.17, GAMES, 0.01)
PROGRAM = (
    Published(
        "win rate of the authors' Java program against the baseline", 0.701, 4_000, 0.001, measured=True
    ),
    Published("mean margin of the authors' Java program", 34.6, 4_000, 0.1, unit="points", measured=True),
)
"""Its interval is given, 68.6 to 71.5 %, and not its games: as many as make an interval of that width."""


def spec(profile: str) -> str:
    """Look-ahead in a profile."""
    return f"look-ahead:profile={profile}"


def mean_margin(points: Sequence[MatchPoint]) -> Estimate:
    """Mean margin; its error is by games, which mirrored pairs make a little too wide."""
    games = sum(point.counts.games for point in points)
    total = sum(point.counts.margin_sum for point in points)
    squares = sum(point.counts.margin_squares for point in points)
    mean = total / games
    return Estimate(mean, math.sqrt((squares / games - mean**2) / games))


def median_margin(points: Sequence[MatchPoint]) -> Estimate:
    """Mean of the medians of the seeds; the error is that of a normal distribution of the same width."""
    mean = sum(point.median_margin_a for point in points) / len(points)
    return Estimate(mean, math.sqrt(math.pi / 2) * mean_margin(points).error)


def share_by_100(points: Sequence[MatchPoint]) -> Estimate:
    """Share of all games won by 100 or more."""
    games = sum(point.games for point in points)
    share = sum(point.share_won_by_100_a * point.games for point in points) / games
    return Estimate(share, math.sqrt(share * (1 - share) / games))


def against_simple(points: list[MatchPoint]) -> list[Row]:
    """What the paper says of its agent, beside both profiles; and what the program was measured at."""
    rows: list[Row] = []
    series = by_series(points)
    rates = {profile: win_rates(some)[spec(profile), "simple"] for profile, some in series.items()}
    for profile, some in series.items():
        margin, median = mean_margin(some), median_margin(some)
        name = f"profile {profile}"
        rows += [
            value(WON, "win rate", rates[profile], reading=name),
            value(MARGIN.like(margin, GAMES), "interval by games", margin, reading=name),
            value(MEDIAN.like(median, GAMES), "mean of the medians of two seeds", median, reading=name),
            value(BY_100, "share of all games", share_by_100(some), reading=name),
        ]
    margin = mean_margin(series["code"])
    return [
        *rows,
        value(PROGRAM[0], "profile code", rates["code"]),
        value(PROGRAM[1].like(margin, GAMES), "profile code; interval by games", margin),
        *(
            claim(
                "the agent wins more than three quarters of its games",
                "win rate above 75 %",
                [Statement(name, rate, low=0.75)],
                reading=f"profile {profile}",
            )
            for name, (profile, rate) in zip(map(spec, rates), rates.items(), strict=True)
        ),
        claim(
            "profile code plays as the program does",
            "win rate from 68 to 72.5 %",
            [Statement(spec("code"), rates["code"], 0.68, 0.725)],
        ),
        claim(
            "ours: both profiles win 70 % or more",
            "win rates",
            [Statement(spec(profile), rate, low=0.7) for profile, rate in rates.items()],
        ),
    ]


VS_SIMPLE = Matches(
    id="S3-vs-simple",
    paper="S3",
    title="Look-ahead against the baseline player",
    measures="Win rate, mean and median margin and the share of games won by 100 or more, in both profiles.",
    arms=tuple(Arm(profile, 0.0, spec(profile), "simple") for profile in look_ahead.PROFILES),
    sizes={"smoke": 200, "full": GAMES},
    compare_points=against_simple,
    seed_offset=SEED_OFFSET,
)

PLAYERS = (
    *map(spec, look_ahead.PROFILES),
    *(f"hand-strength:profile={profile}" for profile in hand_strength.PROFILES),
)
"""Every profile of both players."""


def pairings(points: list[MatchPoint]) -> list[Row]:
    """Nothing of this is published: who beats whom, one claim for each pairing of the two players."""
    rates = win_rates(points)
    return [beats(winner, loser, rates[winner, loser]) for loser, winner in combinations(PLAYERS, 2)]


PAIRINGS = Matches(
    id="S3-pairings",
    paper="S3",
    title="Look-ahead and hand-strength, every profile against every other",
    measures="Win rates of both players of the two papers, in all their profiles.",
    arms=tuple(Arm(f"{a} - {b}", 0.0, a, b) for a, b in combinations(PLAYERS, 2)),
    sizes={"smoke": 40, "full": 20_000},
    compare_points=pairings,
    seed_offset=SEED_OFFSET,
    drawing=CrossTable(PLAYERS, {}),
)

WEIGHTS = (0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0)


def weights(points: list[MatchPoint]) -> list[Row]:
    """Not published: how much what the opponent gains should count."""
    (curve,) = curves(points).values()
    best = max(curve, key=lambda x: curve[x].value)
    return [
        *(
            value(WON, f"two cards ahead, the opponent's gain counts {x:g} times", curve[x])
            for x in (1.0, 2.0)
        ),
        claim(
            "ours: the table of the opponent's gains is worth having",
            "weight 1 above weight 0",
            [Statement("1 less 0", curve[1.0] - curve[0.0], low=0, unit="gain")],
        ),
        claim(
            "ours: the opponent's gain counts for too little in the sum of the paper",
            "weight 2 above weight 1",
            [Statement("2 less 1", curve[2.0] - curve[1.0], low=0, unit="gain")],
            f"Best of {len(curve)} weights: {best:g}.",
        ),
    ]


WEIGHT = Matches(
    id="S3-weight",
    paper="S3",
    title="How much the opponent's gain counts",
    measures="Win rate against the baseline by the weight of what the opponent gains; the paper's sum has "
    "weight 1. Two cards ahead, otherwise profile paper. Added after trials fell short of the paper's win "
    "rate, to learn where the rest may be.",
    arms=tuple(
        Arm("weight", weight, f"look-ahead:cards=2,opponent={weight:g}", "simple") for weight in WEIGHTS
    ),
    sizes={"smoke": 200, "full": 20_000},
    compare_points=weights,
    seed_offset=SEED_OFFSET,
    drawing=Curves(
        "weight of the opponent's gain", {"weight": 1.0}, (("weight", 1.0, WON.value),), level=WON.value
    ),
)

EXPERIMENTS = {experiment.id: experiment for experiment in (VS_SIMPLE, PAIRINGS, WEIGHT)}
