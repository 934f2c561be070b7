"""Mirrored matches and round robins: players in, evidence out.

A match is cut into shards of whole pairs. A shard is a function of its payload alone, and its result is a
handful of counters that add up, so any number of workers in any order gives the same numbers, and a
journal of finished shards is all that is needed to go on after an interruption.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from itertools import combinations
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from ginrummy import sim, stats
from ginrummy._jit import code_digest
from ginrummy.evidence import provenance
from ginrummy.players.playing import play
from ginrummy.players.registry import make_player
from ginrummy.rules import Rules, parse_rules, rules_text
from ginrummy.runs import Journal, default_journal_path, run_shards
from ginrummy.scoring import BIG_GIN, DEAD, GIN, KNOCK, TIE, UNDERCUT, totals

Json = dict[str, Any]
Progress = Callable[[int], None]
"""Called with the number of games just finished."""
RoundCounter = Callable[[sim.Run, Rules], Json]
"""What happened in the rounds of a recorded run, as counters that add up."""


class Plan(NamedTuple):
    """How to measure: everything that the result depends on but the players."""

    games: int
    seed: int
    rules: Rules
    workers: int = 1
    journal: Path | None = None
    """Where finished shards are kept; by default a file named by the work, removed when it is done."""
    fresh: bool = False
    """Throw an old journal away instead of going on from it."""


def warm_up(specs: list[str], rules: Rules) -> None:
    """Build every player and play a pair of games, so that all kernels are compiled and names are right."""
    players = [make_player(spec) for spec in specs]
    for first, second in combinations(players, 2):
        play(first, second, range(2), rules, 0)


def match(first: str, second: str, plan: Plan, on_progress: Progress | None = None) -> Json:
    """Play two players against each other; an odd number of games is rounded up to whole pairs."""
    start = perf_counter()
    (counts,) = measure("match", [(first, second)], plan, on_progress)
    return {
        "player_a": first,
        "player_b": second,
        "rules": rules_text(plan.rules),
        "seed": plan.seed,
        **summary(counts),
        "seconds": perf_counter() - start,
        "provenance": provenance(),
    }


def tournament(specs: list[str], plan: Plan, on_progress: Progress | None = None) -> Json:
    """Every player against every other, and Bradley-Terry ratings on the Elo scale with 95 % intervals."""
    if len(specs) < 2 or len(set(specs)) < len(specs):
        raise ValueError("a tournament needs two or more different players")
    start = perf_counter()
    pairings = list(combinations(specs, 2))
    results = measure("tournament", pairings, plan, on_progress)
    points = np.zeros((len(specs), len(specs)))
    matches = []
    for (first, second), counts in zip(pairings, results, strict=True):
        i, j = specs.index(first), specs.index(second)
        points[i, j] = points_a(counts)
        points[j, i] = counts["games"] - points[i, j]
        matches.append({"player_a": first, "player_b": second, **summary(counts)})
    ratings = stats.bradley_terry(points)
    table = [
        {"player": spec, "rating": float(r), "low": float(low), "high": float(high), "points": float(p)}
        for spec, r, low, high, p in zip(specs, *ratings, points.sum(axis=1), strict=True)
    ]
    return {
        "players": specs,
        "rules": rules_text(plan.rules),
        "seed": plan.seed,
        "games_per_pairing": even(plan.games),
        "ratings": sorted(table, key=lambda row: -row["rating"]),
        "matches": matches,
        "seconds": perf_counter() - start,
        "provenance": provenance(),
    }


def count_shard(payload: Json, count_rounds: RoundCounter | None = None) -> Json:
    """Play one shard and count. Every value is an integer (but time), and shards add up.

    ``count_rounds`` adds counters of its own, as ``in_rounds``.
    """
    first, second = (make_player(spec) for spec in payload["players"])
    rules = parse_rules(payload["rules"])
    games = range(payload["start"], payload["stop"])
    run = play(first, second, games, rules, payload["seed"], record=count_rounds is not None)
    return count_games(run, rules) | ({"in_rounds": count_rounds(run, rules)} if count_rounds else {})


def count_games(run: sim.Run, rules: Rules) -> Json:
    """Counters of the games of a run, for ``summary``."""
    scores = run.games["score"].astype(np.int64)
    halves = 1 + np.sign(scores[:, 0] - scores[:, 1])  # 0, 1 or 2 half points for the first player
    ends = totals(rules, scores, run.games["won"].astype(np.int64))
    margins = Counter((ends[:, 0] - ends[:, 1]).tolist())
    return {
        "games": len(scores),
        "wins": [int((halves == 2).sum()), int((halves == 0).sum())],
        "pairs": np.bincount(halves[0::2] + halves[1::2], minlength=5).tolist(),
        "margins": {str(margin): n for margin, n in sorted(margins.items())},
        "outcomes": run.games["outcomes"].sum(axis=0).tolist(),
        "points": scores.sum(axis=0).tolist(),
        "turns": int(run.games["turns"].sum()),
        "capped": int(run.games["capped"].sum()),
        "decisions": run.games["decisions"].sum(axis=0).tolist(),
        "seconds": list(run.seconds),
    }


def add_counts(shards: list[Json]) -> Json:
    """The sum of shards: numbers add up, lists place by place, objects key by key."""
    total: Json = {}
    for shard in shards:
        total = _sum(total, shard)
    return total


def _sum(a: Any, b: Any) -> Any:
    if isinstance(a, dict):
        return a | {key: _sum(a[key], value) if key in a else value for key, value in b.items()}
    if isinstance(a, list):
        return [_sum(x, y) for x, y in zip(a, b, strict=True)]
    return a + b


def points_a(counts: Json) -> float:
    """Games that the first player won, drawn games counting half."""
    wins, losses = counts["wins"]
    return float((counts["games"] + wins - losses) / 2)


def summary(counts: Json) -> Json:
    """What counters say: rates with intervals. Rates of outcomes are shares of all rounds and sum to one."""
    games, outcomes = counts["games"], counts["outcomes"]
    rounds = sum(outcomes)
    margins = {int(margin): n for margin, n in counts["margins"].items()}
    ms = [1000 * s / max(1, n) for s, n in zip(counts["seconds"], counts["decisions"], strict=True)]
    return {
        "games": games,
        "wins_a": counts["wins"][0],
        "drawn_games": games - sum(counts["wins"]),
        "win_rate_a": points_a(counts) / games,
        "wilson90_a": list(stats.wilson(points_a(counts), games, 0.90)),
        "pair_ci95_a": list(stats.pair_interval(counts["pairs"], 0.95)),
        "mean_margin_a": stats.histogram_mean(margins),
        "median_margin_a": stats.histogram_median(margins),
        "share_won_by_100_a": sum(n for margin, n in margins.items() if margin >= 100) / games,
        "rounds": rounds,
        "rounds_per_game": rounds / games,
        "turns_per_round": counts["turns"] / rounds,
        "gin_rate": (outcomes[GIN] + outcomes[BIG_GIN]) / rounds,
        "knock_rate": outcomes[KNOCK] / rounds,
        "undercut_rate": outcomes[UNDERCUT] / rounds,
        "dead_rate": (outcomes[DEAD] + outcomes[TIE]) / rounds,
        "points_per_round_a": counts["points"][0] / rounds,
        "points_per_round_b": counts["points"][1] / rounds,
        "capped_rounds": counts["capped"],
        "decision_ms_mean_a": ms[0],
        "decision_ms_mean_b": ms[1],
    }


def measure(
    command: str,
    pairings: list[tuple[str, str]],
    plan: Plan,
    on_progress: Progress | None = None,
    count_rounds: RoundCounter | None = None,
) -> list[Json]:
    """Play many pairings as one journalled run; the counters of each, for ``summary``.

    ``command`` names the run: an experiment's sweep goes on from its own journal.
    """
    games, rules = even(plan.games), rules_text(plan.rules)
    sizes = [_shard_size(pair) for pair in pairings]
    payloads = [
        {
            "players": list(pair),
            "rules": rules,
            "seed": plan.seed,
            "start": start,
            "stop": min(start + size, games),
        }
        for pair, size in zip(pairings, sizes, strict=True)
        for start in range(0, games, size)
    ]
    identity = {
        "command": command,
        "pairings": [list(pair) for pair in pairings],
        "games": games,
        "seed": plan.seed,
        "rules": rules,
        "shard_sizes": sizes,
    }
    work = partial(count_shard, count_rounds=count_rounds) if count_rounds else count_shard
    shards = count_shards(work, payloads, identity, plan, on_progress)
    by_pairing: dict[str, list[Json]] = {}
    for payload, shard in zip(payloads, shards, strict=True):
        by_pairing.setdefault(str(payload["players"]), []).append(shard)
    return [add_counts(by_pairing[str(list(pair))]) for pair in pairings]


def count_shards(
    work: Callable[[Json], Json],
    payloads: list[Json],
    identity: Mapping[str, Any],
    plan: Plan,
    on_progress: Progress | None = None,
) -> list[Json]:
    """The counters of each payload, as one journalled run; each must count its ``games``."""
    path = plan.journal or default_journal_path(identity)

    def report(done: int, total: int, result: Json) -> None:
        if on_progress:
            on_progress(result["games"])

    with Journal(path, identity, code_digest(), len(payloads), fresh=plan.fresh) as journal:
        if on_progress:
            on_progress(sum(result["games"] for result in journal.results.values()))
        shards = run_shards(work, payloads, journal=journal, workers=plan.workers, on_progress=report)
        if plan.journal is None:
            journal.remove()
    return shards


def even(games: int) -> int:
    """Games rounded up to whole mirrored pairs."""
    if games < 1:
        raise ValueError(f"the number of games must be at least 1, not {games}")
    return games + games % 2


def _shard_size(pair: tuple[str, str]) -> int:
    """Games of a shard: whole pairs, as the slower player bears."""
    return 2 * max(1, min(make_player(spec).shard for spec in pair) // 2)
