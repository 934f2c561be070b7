"""The end of a study: the best trials meet again on fresh decks, and the winners are measured on others."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ginrummy.stats import pair_interval
from ginrummy.tournament import Plan, measure, points_a
from ginrummy.training.tuning.plan import Shop, Tuning, pooled, population, score
from ginrummy.training.tuning.space import Point, Space, rounded

if TYPE_CHECKING:
    from optuna.trial import FrozenTrial

Json = dict[str, Any]

ENLARGED = 4
"""The finalists play this many times a trial's games."""
KEPT = 3
"""Finalists that are measured in the end."""
CHECK_SEEDS = 2


@dataclass(frozen=True)
class Match:
    """A player against one opponent."""

    player_b: str
    games: int
    win_rate_a: float
    pair_ci95_a: list[float]
    points_share_a: float


@dataclass(frozen=True)
class Measured:
    """A player against all opponents, on the decks of one seed."""

    player: str
    seed: int
    score: float
    """Weighted mean of the win rates."""
    matches: list[Match]


def finalists(tuning: Tuning, trials: "list[FrozenTrial]") -> dict[str, str]:
    """Player -> where it comes from: the start, the centre of the last trials, the best trials."""
    found = {tuning.space.spec(tuning.space.start): "start"}
    last = trials[-3 * population(tuning.space) :]
    found.setdefault(tuning.space.spec(centre(tuning.space, last)), "centre of the last trials")
    for trial in sorted(trials, key=lambda trial: (-(trial.value or 0.0), trial.number)):
        if len(found) >= tuning.finalists:
            break
        found.setdefault(trial.user_attrs["player"], f"trial {trial.number}")
    return found


def centre(space: Space, trials: "list[FrozenTrial]") -> Point:
    """The mean of the better half of some trials: it averages out the luck of single trials."""
    half = sorted(trials, key=lambda trial: -(trial.value or 0.0))[: max(1, len(trials) // 2)]
    point: Point = {}
    for dimension in space.dimensions:
        values = [trial.params[dimension.name] for trial in half]
        if dimension.choices:
            point[dimension.name] = max(dimension.choices, key=values.count)
        else:
            mean = sum(values) / len(values)
            point[dimension.name] = round(mean) if dimension.whole else rounded(mean)
    return point


def compare(tuning: Tuning, shop: Shop, players: list[str]) -> list[Measured]:
    """The finalists on more games with fresh decks, best first."""
    rows = _measure(tuning, shop, players, ENLARGED * tuning.games, tuning.seed + 1, "finalists")
    return sorted(rows, key=lambda row: -row.score)


def check(tuning: Tuning, shop: Shop, players: list[str]) -> dict[str, list[Measured]]:
    """The best finalists, in the order of the comparison, on each of two seeds that chose nothing."""
    seeds = [tuning.seed + 2 + n for n in range(CHECK_SEEDS)]
    by_seed = [_measure(tuning, shop, players, tuning.check_games, seed, "measuring") for seed in seeds]
    return {player: [rows[n] for rows in by_seed] for n, player in enumerate(players)}


def _measure(
    tuning: Tuning, shop: Shop, specs: list[str], games: int, seed: int, what: str
) -> list[Measured]:
    pairings = [(spec, other) for spec in specs for other in tuning.against]
    total, done = len(pairings) * (games + games % 2), 0

    def on_progress(played: int) -> None:
        nonlocal done
        done += played
        if shop.on_progress:
            shop.on_progress(f"{what}, seed {seed}", done, total)

    counts = measure("tune", pairings, Plan(games, seed, tuning.rules, shop.workers), on_progress)
    each = len(tuning.against)
    return [_measured(spec, seed, tuning, counts[n * each : (n + 1) * each]) for n, spec in enumerate(specs)]


def _measured(player: str, seed: int, tuning: Tuning, counts: list[Json]) -> Measured:
    matches = [
        Match(
            player_b=other,
            games=one["games"],
            win_rate_a=points_a(one) / one["games"],
            pair_ci95_a=list(pair_interval(one["pairs"], 0.95)),
            points_share_a=score(one, "points"),
        )
        for other, one in zip(tuning.against, counts, strict=True)
    ]
    return Measured(player, seed, pooled([score(one, "wins") for one in counts], tuning.weights), matches)
