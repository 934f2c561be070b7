"""Mirrored matches and round robins: players in, evidence out.

A match is cut into shards of whole pairs. A shard is a function of its payload alone, and its result is a
handful of counters that add up, so any number of workers in any order gives the same numbers, and a
journal of finished shards is all that is needed to go on after an interruption.
"""

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import combinations
from pathlib import Path
from time import perf_counter

import numpy as np

from ginrummy import following, sim, stats, timed
from ginrummy.counting import Json as Json
from ginrummy.counting import Plan as Plan
from ginrummy.counting import Progress as Progress
from ginrummy.counting import Standing, counted
from ginrummy.counting import add_counts as add_counts
from ginrummy.counting import counts_its_games as counts_its_games
from ginrummy.counting import even as even
from ginrummy.errors import BadInput
from ginrummy.evidence import provenance
from ginrummy.players.base import Player
from ginrummy.players.playing import play
from ginrummy.players.registry import make_player
from ginrummy.rules import Rules, parse_rules, rules_text
from ginrummy.runs import Shards
from ginrummy.runs.journal import look_at
from ginrummy.scoring import BIG_GIN, DEAD, GIN, KNOCK, OUTCOMES, TIE, UNDERCUT, totals
from ginrummy.sequential import Rule
from ginrummy.sheets import Sheets, are_columns, columns_of

RoundCounter = Callable[[sim.Run, Rules], Json]
"""What happened in the rounds of a recorded run, as counters that add up."""

TIMED_SHARD = 20
"""Games of a shard at most, when there is a limit of time: they are played one by one."""


def warm_up(specs: list[str], rules: Rules, one_by_one: bool = False) -> None:
    """Build every player and play a pair of games, which compiles all kernels and checks all names.

    ``one_by_one`` compiles what games against the clock need: no player may lose time by it.
    """
    players = [_stand_in(make_player(spec)) for spec in specs]
    for first, second in combinations(players, 2):
        if one_by_one:
            sim.play(first, second, range(2), rules, 0, batch=1)
        else:
            play(first, second, range(2), rules, 0)


def _stand_in(player: Player) -> Player:
    """In place of a player that follows games, another one from outside the compiled loop.

    A Java player must not be played before worker processes are forked: Java does not survive a fork.
    """
    return replace(make_player("simple"), compiled=None) if player.sit else player


def match(
    first: str,
    second: str,
    plan: Plan,
    on_progress: Progress | None = None,
    sheets: Sheets | None = None,
    until: Rule | None = None,
) -> Json:
    """Play two players against each other; an odd number of games is rounded up to whole pairs.

    ``sheets`` gets every game, for CSV files. With ``until`` the plan's games are the most that are played.
    """
    start = perf_counter()
    (counts,) = measure("match", [(first, second)], plan, on_progress, sheets=sheets, until=until)
    return {
        "player_a": first,
        "player_b": second,
        "rules": rules_text(plan.rules),
        "seed": plan.seed,
        **_limit(plan),
        **summary(counts),
        **({"stopped": _stopped(until, counts["pairs"])} if until else {}),
        "seconds": perf_counter() - start,
        "provenance": provenance(first, second),
    }


def _stopped(until: Rule, pairs: list[int]) -> Json:
    """What a rule asked and whether it was answered."""
    answer = until.look(pairs)
    return until.standing(pairs) | {"answered": answer is not None, **(answer or {})}


def tournament(
    specs: list[str],
    plan: Plan,
    on_progress: Progress | None = None,
    sheets: Sheets | None = None,
    one_vs_all: str | None = None,
) -> Json:
    """Every player against every other, and Bradley-Terry ratings on the Elo scale with 95 % intervals.

    With ``one_vs_all`` only that player meets each of the others. There are no ratings then: they would
    compare players who never met.
    """
    start = perf_counter()
    specs = entrants(specs, one_vs_all)
    pairings = pairings_of(specs, one_vs_all)
    results = measure("tournament", pairings, plan, on_progress, sheets=sheets)
    matches = [
        {"player_a": first, "player_b": second, **summary(counts)}
        for (first, second), counts in zip(pairings, results, strict=True)
    ]
    standing: Json
    if one_vs_all is None:
        standing = {"ratings": _ratings(specs, pairings, results)}
    else:
        rates = [row["win_rate_a"] for row in matches]
        standing = {"one_vs_all": one_vs_all, "mean_win_rate_a": sum(rates) / len(rates)}
    return {
        "players": specs,
        "rules": rules_text(plan.rules),
        "seed": plan.seed,
        **_limit(plan),
        "games_per_pairing": even(plan.games),
        **standing,
        "matches": matches,
        "seconds": perf_counter() - start,
        "provenance": provenance(*specs),
    }


def entrants(specs: list[str], one_vs_all: str | None = None) -> list[str]:
    """The players of a tournament; the one who meets all the others may be named among them or not."""
    missing = one_vs_all is not None and one_vs_all not in specs
    found = [str(one_vs_all), *specs] if missing else specs
    if len(found) < 2 or len(set(found)) < len(found):
        raise BadInput("a tournament needs two or more different players")
    return found


def pairings_of(specs: list[str], one_vs_all: str | None = None) -> list[tuple[str, str]]:
    """Who meets whom."""
    if one_vs_all is None:
        return list(combinations(specs, 2))
    return [(one_vs_all, other) for other in specs if other != one_vs_all]


def _ratings(specs: list[str], pairings: list[tuple[str, str]], results: list[Json]) -> list[Json]:
    """The players by rating, the best first."""
    points = np.zeros((len(specs), len(specs)))
    for (first, second), counts in zip(pairings, results, strict=True):
        i, j = specs.index(first), specs.index(second)
        points[i, j] = points_a(counts)
        points[j, i] = counts["games"] - points[i, j]
    ratings = stats.bradley_terry(points)
    table = [
        {"player": spec, "rating": float(r), "low": float(low), "high": float(high), "points": float(p)}
        for spec, r, low, high, p in zip(specs, *ratings, points.sum(axis=1), strict=True)
    ]
    return sorted(table, key=lambda row: -row["rating"])


def _limit(plan: Plan) -> Json:
    """The limit of time, where there is one: a run without one is named as it always was."""
    return {} if plan.seconds_per_game is None else {"seconds_per_game": plan.seconds_per_game}


def count_shard(payload: Json, count_rounds: RoundCounter | None = None) -> Json:
    """Play one shard and count. Every value but time is an integer, and shards add up.

    ``count_rounds`` adds counters of its own, under ``in_rounds``. The payload may set ``seconds_per_game``,
    ``forfeits`` to count why games were forfeited, and ``by_game`` to get the columns of all games as well,
    which do not add up.
    """
    first, second = (make_player(spec) for spec in payload["players"])
    rules = parse_rules(payload["rules"])
    games = range(payload["start"], payload["stop"])
    run = play(
        first,
        second,
        games,
        rules,
        payload["seed"],
        record=count_rounds is not None,
        seconds_per_game=payload.get("seconds_per_game"),
    )
    counts = count_games(run, rules) | (count_reasons(run) if payload.get("forfeits") else {})
    if count_rounds:
        counts["in_rounds"] = count_rounds(run, rules)
    if payload.get("by_game"):
        counts["by_game"] = columns_of(run, rules)
    return counts


def count_games(run: sim.Run, rules: Rules) -> Json:
    """Counters of the games of a run, for ``summary``."""
    scores = run.games["score"].astype(np.int64)
    halves = 1 + np.sign(scores[:, 0] - scores[:, 1])  # 0, 1 or 2 half points for the first player
    forfeits: Json = {}
    if run.forfeits is not None:
        halves = np.choose(run.forfeits + 1, [halves, 0, 2])
        forfeits = {"forfeits": [int((run.forfeits == side).sum()) for side in (0, 1)]}
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
        **forfeits,
    }


def count_reasons(run: sim.Run) -> Json:
    """Forfeited games by side, and by side and reason (``following.REASONS``)."""
    forfeits = np.full(len(run.games), following.NOBODY) if run.forfeits is None else run.forfeits
    reasons = np.full(len(run.games), following.TIME) if run.reasons is None else run.reasons
    return {
        "forfeits": [int((forfeits == side).sum()) for side in (0, 1)],
        "forfeit_reasons": [
            int(((forfeits == side) & (reasons == reason)).sum())
            for side in (0, 1)
            for reason in range(len(following.REASONS))
        ],
    }


def points_a(counts: Json) -> float:
    """Games that the first player won; drawn games count half."""
    wins, losses = counts["wins"]
    return float((counts["games"] + wins - losses) / 2)


def summary(counts: Json) -> Json:
    """Counters as rates with intervals. Rates of outcomes are shares of all rounds and sum to one."""
    games, outcomes = counts["games"], counts["outcomes"]
    rounds = sum(outcomes)
    of_rounds = max(1, rounds)  # all games may have been forfeited in their first round
    forfeits = counts.get("forfeits")
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
        "turns_per_round": counts["turns"] / of_rounds,
        "gin_rate": (outcomes[GIN] + outcomes[BIG_GIN]) / of_rounds,
        "knock_rate": outcomes[KNOCK] / of_rounds,
        "undercut_rate": outcomes[UNDERCUT] / of_rounds,
        "dead_rate": (outcomes[DEAD] + outcomes[TIE]) / of_rounds,
        "points_per_round_a": counts["points"][0] / of_rounds,
        "points_per_round_b": counts["points"][1] / of_rounds,
        "capped_rounds": counts["capped"],
        "decision_ms_mean_a": ms[0],
        "decision_ms_mean_b": ms[1],
        **({"forfeits_a": forfeits[0], "forfeits_b": forfeits[1]} if forfeits else {}),
        **_reasons(counts),
    }


def _reasons(counts: Json) -> Json:
    """Reason -> games, of each side, where reasons were counted."""
    if "forfeit_reasons" not in counts:
        return {}
    size = len(following.REASONS)
    by_side = counts["forfeit_reasons"][:size], counts["forfeit_reasons"][size:]
    return {
        f"forfeit_reasons_{side}": {
            reason: n for reason, n in zip(following.REASONS, found, strict=True) if n
        }
        for side, found in zip("ab", by_side, strict=True)
    }


def _is_count(payload: Json, result: Json, in_rounds: bool) -> bool:
    """Whether a result found in a journal has the form of a result of ``count_shard``."""
    if not counts_its_games(payload, result) or isinstance(result.get("in_rounds"), dict) != in_rounds:
        return False
    if payload.get("by_game") and not are_columns(result.get("by_game"), result["games"]):
        return False
    lengths = {"wins": 2, "pairs": 5, "outcomes": len(OUTCOMES), "points": 2, "decisions": 2, "seconds": 2}
    if "seconds_per_game" in payload or payload.get("forfeits"):
        lengths["forfeits"] = 2
    if payload.get("forfeits"):
        lengths["forfeit_reasons"] = 2 * len(following.REASONS)
    numbers = {"games", "turns", "capped"}
    extra = {"in_rounds", "by_game"} if payload.get("by_game") else {"in_rounds"}
    if result.keys() - extra != {*lengths, *numbers, "margins"}:
        return False
    lists = all(
        isinstance(found := result[key], list) and len(found) == length and not any(map(_is_nested, found))
        for key, length in lengths.items()
    )
    if not lists or any(_is_nested(result[key]) for key in numbers) or not _is_histogram(result["margins"]):
        return False
    games = result["games"]
    return bool(games == sum(result["margins"].values()) == 2 * sum(result["pairs"]) >= sum(result["wins"]))


def _is_nested(value: object) -> bool:
    return isinstance(value, dict | list)


def _is_histogram(value: object) -> bool:
    return isinstance(value, dict) and all(
        re.fullmatch(r"-?\d{1,9}", key) and type(n) is int for key, n in value.items()
    )


def measure(
    command: str,
    pairings: list[tuple[str, str]],
    plan: Plan,
    on_progress: Progress | None = None,
    count_rounds: RoundCounter | None = None,
    sheets: Sheets | None = None,
    until: Rule | None = None,
) -> list[Json]:
    """Play many pairings as one journalled run. Returns the counters of each, for ``summary``.

    ``command`` names the run: an experiment's sweep goes on from its own journal. ``sheets`` gets every game.
    ``until`` ends a run of one pairing when its question is answered. It looks at the shards in their order,
    so the answer and the games that count do not depend on the workers.
    """
    games, rules = even(plan.games), rules_text(plan.rules)
    sim.check_games(range(games), plan.seed)
    sizes = [_shard_size(pair) for pair in pairings]
    extra = _limit(plan) | ({"by_game": True} if sheets else {})
    if any(make_player(spec).sit for pair in pairings for spec in pair):
        following.check_rules(plan.rules)
        extra["forfeits"] = True
    if plan.seconds_per_game is not None:
        timed.check_limit(plan.seconds_per_game)
        if count_rounds:
            raise ValueError("games against the clock keep no rounds to count")
        sizes = [min(size, TIMED_SHARD) for size in sizes]
        for pair in pairings:
            warm_up(list(pair), plan.rules, one_by_one=True)
    subjects = [{"players": list(pair), "rules": rules, "seed": plan.seed, **extra} for pair in pairings]
    payloads = Shards(subjects, range(games), sizes)
    identity = {
        "command": command,
        "pairings": [list(pair) for pair in pairings],
        "games": games,
        "seed": plan.seed,
        "rules": rules,
        "shard_sizes": sizes,
        **extra,
    }
    work = partial(count_shard, count_rounds=count_rounds) if count_rounds else count_shard
    fits = partial(_is_count, in_rounds=count_rounds is not None)
    sums: list[Json] = []
    with counted(work, payloads, identity, plan, on_progress, fits) as results:
        for place, pair in enumerate(pairings):
            total: Json = {}
            for shard in payloads.of(place):
                counts = next(results)
                if sheets:
                    sheets.add_games(pair, counts.pop("by_game"))
                total = add_counts((total, counts))
                if plan.watch:
                    plan.watch(Standing(shard + 1, len(payloads), pair, total["pairs"]))
                if until and until.look(total["pairs"]):
                    break
            sums.append(total)
            if sheets:
                sheets.end_pairing(pair, total, summary(total))
    return sums


def so_far(path: Path) -> Json | None:
    """What the journal of matches has found; None when it is the journal of something else."""
    found = look_at(path)
    pairings = found.header["identity"].get("pairings") if found else None
    if not found or not found.done or not isinstance(pairings, list):
        return None
    identity = found.header["identity"]
    shards = Shards([{}] * len(pairings), range(identity["games"]), identity["shard_sizes"])
    sums: list[Json] = [{} for _ in pairings]

    def add(shard: int, result: Json) -> None:
        result.pop("by_game", None)
        place = shards.subject_of(shard)
        sums[place] = add_counts((sums[place], result))

    look_at(path, add)
    return {
        "pairings": [
            {"player_a": first, "player_b": second, **summary(counts)}
            for (first, second), counts in zip(pairings, sums, strict=True)
            if counts
        ]
    }


def _shard_size(pair: tuple[str, str]) -> int:
    """Games of a shard: whole pairs, as many as suit the slower player."""
    return 2 * max(1, min(make_player(spec).shard for spec in pair) // 2)
