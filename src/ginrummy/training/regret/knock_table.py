"""The knock table: train it under two rule sets, find the rule in it, and measure what the rule is worth.

``ginrummy train knock-table`` runs this. Every training (rules, discards, sampling, seed) is a shard of one
journalled run. Then players with the rules found play matches against the plain hand-strength player.
"""

from dataclasses import replace
from itertools import product
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from ginrummy import tournament
from ginrummy._jit import code_digest
from ginrummy.evidence import provenance
from ginrummy.melds import deadwoods
from ginrummy.players.base import Player
from ginrummy.players.hand_strength import hand_strength
from ginrummy.rules import parse_rules
from ginrummy.runs import Journal, default_journal_path, discard, run_shards
from ginrummy.training.progress import Progress
from ginrummy.training.recipes import Study
from ginrummy.training.regret.knocking import DEADWOODS, TURNS, KnockTraining, knock_table, train
from ginrummy.training.regret.mccfr import EPSILON, Floats
from ginrummy.view import BoolArray, FloatArray, IntArray, View

Json = dict[str, Any]

RULES = ("eaai", "uk")
S2_TURNS = 4
"""Turns in which the paper's rule knocks."""
NEVER = DEADWOODS

FOUND = {
    "eaai": (5, 5, 5, 5, 6, 6),
    "uk": (1, 1, 1, 4, 4, 4, 5, 6, 6),
}
"""The rule found: least deadwood, besides 0, to knock with in own turns 1, 2, …; later turns wait for gin.
It is where the probabilities of ``results/S2-knock.json`` (hand-strength discards, external sampling) pass
one half, smoothed by hand. The evidence says in how many decisions rule and table agree."""


class Scale(NamedTuple):
    """How much to train and to play."""

    rounds: dict[tuple[str, str], int]
    """Rounds of each training, by sampling and discards."""
    games: int
    """Games of each match; 0 for none."""


SCALES = {
    "smoke": Scale({("outcome", "least"): 20_000, ("external", "least"): 10_000}, 0),
    "full": Scale(
        {
            ("outcome", "hand-strength"): 600_000,
            ("external", "hand-strength"): 300_000,
            ("outcome", "least"): 5_000_000,
            ("external", "least"): 1_000_000,
        },
        20_000,
    ),
}


def run(scale: str, seed: int, workers: int = 1, on_progress: Progress | None = None) -> Json:
    """Train with two seeds under both rule sets, derive the rules, and play the matches of the scale."""
    start = perf_counter()
    size = SCALES[scale]
    seeds = [seed, seed + 1]
    payloads = [
        {"rules": rules, "sampling": sampling, "discards": discards, "rounds": rounds, "seed": one}
        for (sampling, discards), rounds in size.rounds.items()
        for rules, one in product(RULES, seeds)
    ]
    identity = {"command": "train knock-table", "scale": scale, "trainings": payloads}
    report = on_progress or (lambda line, done, total: None)
    _warm_up(payloads)
    path = default_journal_path(identity)
    with Journal(path, identity, code_digest(), len(payloads)) as journal:
        journal.expect(payloads, lambda _, table: table.keys() == {"knock", "share", "advantage", "visits"})
        tables = run_shards(
            train_shard, payloads, journal=journal, workers=workers,
            on_progress=lambda done, total, _: report("training", done, total),
        )  # fmt: skip
        results = [payload | table for payload, table in zip(payloads, tables, strict=True)]
        groups = [
            _group([r for r in results if (r["rules"], r["sampling"], r["discards"]) == (rules, *way)])
            for rules, way in product(RULES, size.rounds)
        ]
        matches = _matches(groups, size.games, seeds, workers, report) if size.games else []
    discard(path)
    return {
        "artefact": "knock-table",
        "scale": scale,
        "seeds": seeds,
        "axes": ["deadwood 0..10", "own turn 1..20, the last for all later ones"],
        "epsilon": EPSILON,
        "tables": groups,
        "matches": matches,
        "seconds": perf_counter() - start,
        "provenance": provenance(),
    }


def train_shard(payload: Json) -> Json:
    """One training: [11][20] tables by deadwood and own turn; None where play never arrives."""
    training = _training(payload)
    start = perf_counter()
    regrets = train(training, payload["seed"])
    seconds = perf_counter() - start
    table = knock_table(training, regrets)
    return {
        "knock": _listed(table.knock[0, :, :, 0], 4),
        "share": _listed(table.share[0, :, :, 0], 6),
        "advantage": _listed(table.advantage[0, :, :, 0], 3),
        "visits": table.visits[0, :, :, 0].tolist(),
        "rounds_per_second": payload["rounds"] / seconds,
    }


def _training(payload: Json) -> KnockTraining:
    return KnockTraining(
        parse_rules(payload["rules"]), payload["rounds"], payload["discards"], sampling=payload["sampling"]
    )


def _warm_up(payloads: list[Json]) -> None:
    """Compile the kernels before worker processes start."""
    train(_training(payloads[0] | {"rounds": 1}), 0)


def _listed(table: Floats, digits: int) -> list[list[float | None]]:
    return [[None if x != x else round(x, digits) for x in row] for row in table.tolist()]


def _array(rows: list[list[float | None]]) -> Floats:
    return np.array(rows, np.float64)


def _group(runs: list[Json]) -> Json:
    """Trainings that differ by seed alone, and what they show together."""
    knock, share = (_array_mean([_array(r[name]) for r in runs]) for name in ("knock", "share"))
    advantage, visits = (_array_mean([_array(r[name]) for r in runs]) for name in ("advantage", "visits"))
    low = band(knock)
    external = runs[0]["sampling"] == "external"
    shared = {name: runs[0][name] for name in ("rules", "sampling", "discards", "rounds")}
    return shared | {
        "runs": [{name: r[name] for name in ("seed", "rounds_per_second", "knock", "visits")} for r in runs],
        "seeds_agree": _agreement([_array(r["knock"]) for r in runs], share),
        "mean_knock": _listed(knock, 4),
        "mean_advantage": _listed(advantage, 2) if external else None,
        "share": _listed(share, 5),
        "knock_with": [np.flatnonzero(column >= 0.5).tolist() for column in knock.T],
        "last_turn_above_half": [_last_turn(row) for row in knock],
        "knock_from": low,
        "limits": limits(advantage, visits) if external else None,
        "s2_rule_agrees": _follows(knock, share, [1] * S2_TURNS),
        "best_rule_of_its_kind": _best_turns(knock, share),
        "knock_from_agrees": _follows(knock, share, low),
        "found_rule_agrees": _follows(knock, share, list(FOUND[runs[0]["rules"]])),
    }


def _array_mean(tables: list[Floats]) -> Floats:
    """Mean of tables cell by cell; NaN where one of them is unknown."""
    mean: Floats = np.mean(tables, axis=0)
    return mean


def band(knock: Floats) -> list[int]:
    """By turn: the least deadwood above 0 that, like all greater ones, knocks with probability 0.5 or more.

    11 where there is none; the list ends with the last turn that has one.
    """
    low = []
    for turn in range(TURNS):
        least = NEVER
        while least > 1 and knock[least - 1, turn] >= 0.5:
            least -= 1
        low.append(least)
    while low and low[-1] == NEVER:
        low.pop()
    return low


def limits(advantage: Floats, visits: Floats) -> str:
    """Greatest deadwood to knock with by turn, as the hand-strength player takes it: the best such limits.

    The best limit of a turn is the one whose cells gain most together, by the mean gain of knocking in each.
    """
    gains = np.nan_to_num(advantage) * visits
    best = [int(np.argmax([0, *np.cumsum(gains[1:, turn])])) for turn in range(TURNS)]
    while len(best) > 1 and best[-1] == best[-2]:
        best.pop()
    return "/".join(map(str, best))


def _last_turn(row: Floats) -> int:
    """Last turn of a deadwood's first stretch of turns with probability one half or more; 0 for none."""
    above = np.nan_to_num(row) >= 0.5
    return int(np.argmin(above)) if not above.all() else TURNS


def _follows(knock: Floats, share: Floats, low: list[int]) -> float:
    """Share of decisions (without gin) in which rule and table agree; mixed cells count in proportion."""
    rule = np.zeros(knock.shape)
    for turn, least in enumerate(low):
        rule[least:, turn] = 1.0
    weight = np.where(np.isnan(knock), 0.0, share)[1:]
    alike = 1.0 - np.abs(np.nan_to_num(knock) - rule)[1:]
    return round(float((weight * alike).sum() / weight.sum()), 4)


def _best_turns(knock: Floats, share: Floats) -> Json:
    """The number of turns for which the paper's kind of rule (knock early, then gin) agrees best."""
    found = [_follows(knock, share, [1] * turns) for turns in range(TURNS)]
    return {"turns": int(np.argmax(found)), "agrees": max(found)}


def _agreement(tables: list[Floats], share: Floats) -> Json:
    """How much the tables of two seeds differ, with cells weighted by their share of decisions."""
    first, second = tables
    known = ~(np.isnan(first) | np.isnan(second))
    weight = share * known
    apart = np.abs(np.nan_to_num(first) - np.nan_to_num(second))
    same = (np.nan_to_num(first) >= 0.5) == (np.nan_to_num(second) >= 0.5)
    total = weight.sum()
    return {
        "mean_difference": round(float((weight * apart).sum() / total), 4),
        "same_side_of_half": round(float((weight * same).sum() / total), 4),
    }


def _matches(groups: list[Json], games: int, seeds: list[int], workers: int, report: Progress) -> list[Json]:
    """Both forms of the rule found against the hand-strength player with the paper's rule."""
    results = []
    done = 0
    for rules in RULES:
        (group,) = [
            g
            for g in groups
            if (g["rules"], g["sampling"], g["discards"]) == (rules, "external", "hand-strength")
        ]
        changed = [f"hand-strength:knock={group['limits']}", f"py:{__name__}@{rules}_knocker"]
        for spec, seed in product(changed, seeds):
            report(f"{spec} under {rules}", done, 2 * len(changed) * len(seeds))
            plan = tournament.Plan(games, seed, parse_rules(rules), workers)
            (counts,) = tournament.measure("knock-table match", [(spec, "hand-strength")], plan)
            names = {"player_a": spec, "player_b": "hand-strength", "rules": rules, "seed": seed}
            results.append(names | tournament.summary(counts))
            done += 1
    return results


def _knocker(rules: str) -> Player:
    least = np.full(TURNS, NEVER)
    least[: len(FOUND[rules])] = FOUND[rules]

    def knock(view: View, rows: IntArray, u: FloatArray) -> BoolArray:
        left = deadwoods(view["hand"][rows])
        turn = np.minimum(view["own_turns"][rows], TURNS) - 1
        return np.asarray((left == 0) | (left >= least[turn]), np.bool_)

    return replace(hand_strength(), name=f"hand-strength, knock table {rules}", knock=knock, compiled=None)


def eaai_knocker() -> Player:
    """Hand strength with the knock rule found under the challenge's rules."""
    return _knocker("eaai")


def uk_knocker() -> Player:
    """Hand strength with the knock rule found under 20 for gin and 10 for an undercut."""
    return _knocker("uk")


def text(result: Json) -> str:
    """What a person reads: each table by deadwood and turn, and how far simple rules agree with it."""
    lines = []
    for group in result["tables"]:
        lines.append(
            f"{group['rules']}, {group['discards']} discards, {group['sampling']} sampling, "
            f"{group['rounds']:,} rounds by each of {len(group['runs'])} seeds: knocks in percent"
        )
        lines.append("turn     " + "".join(f"{turn:4}" for turn in range(1, 17)))
        for left, row in enumerate(group["mean_knock"]):
            cells = ("   -" if x is None else f"{100 * x:4.0f}" for x in row[:16])
            lines.append(f"with {left:2}: " + "".join(cells))
        best = group["best_rule_of_its_kind"]
        lines.append(
            f"knock in the first four turns, then gin: agrees in {group['s2_rule_agrees']:.1%}; "
            f"in the first {best['turns']}: {best['agrees']:.1%}; "
            f"from {'/'.join(map(str, group['knock_from']))} up by turn: {group['knock_from_agrees']:.1%}; "
            f"the rule found: {group['found_rule_agrees']:.1%}"
        )
        lines.append("")
    for match in result["matches"]:
        low, high = match["pair_ci95_a"]
        lines.append(
            f"{match['player_a']} against {match['player_b']}, {match['rules']}, seed {match['seed']}: "
            f"won {match['win_rate_a']:.2%} ({low:.2%} to {high:.2%})"
        )
    return "\n".join(lines).rstrip()


KNOCK_TABLE = Study(run, text)
