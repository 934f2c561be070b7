"""The work of ``ginrummy estimate --hands``: beliefs about whole hands, in games of any two players."""

from collections.abc import Sequence
from functools import partial
from time import perf_counter
from typing import Any

from ginrummy.counting import Plan, Progress, count_shards, counts_its_games, even
from ginrummy.errors import BadInput
from ginrummy.evidence import provenance
from ginrummy.judging.by_turn import ALL, SHARD
from ginrummy.judging.shards import payload_head, shard_worker
from ginrummy.judging.study import check_asked
from ginrummy.judging.whole_hands import (
    BANDS,
    CHANCES,
    FACTS,
    HandSettings,
    WholeHands,
    count_hands,
    hand_judge,
)
from ginrummy.rules import rules_text
from ginrummy.runs import Shards
from ginrummy.stats import Estimate
from ginrummy.typed import write

Json = dict[str, Any]


def asked(
    estimators: Sequence[str], players: Sequence[str], hand: str, draws: int, single_cards: object
) -> "partial[Json]":
    """The study that was asked for, to be run with a plan; it takes no options about ``single_cards``."""
    if single_cards:
        raise BadInput("--hands judges whole hands: --metric and --draw are about single cards")
    return partial(estimate_hands, hand_settings(estimators, players, hand, draws))


def hand_settings(estimators: Sequence[str], players: Sequence[str], hand: str, draws: int) -> HandSettings:
    """Check what was asked for; equal chances are always included."""
    names = [hand_judge(spec).name for spec in estimators]
    pair = check_asked(names, players, hand)
    judged = tuple(dict.fromkeys([*names, "null"]))
    return HandSettings(judged, pair, hand, draws)


def estimate_hands(settings: HandSettings, plan: Plan, on_progress: Progress | None = None) -> Json:
    """Judge beliefs about whole hands: what ``ginrummy estimate --hands`` shows."""
    start = perf_counter()
    games, rules = even(plan.games), rules_text(plan.rules)
    work = Shards([payload_head(settings, rules, plan.seed)], range(games), SHARD)
    identity = {
        "command": "estimate hands",
        **write(settings),
        "games": games,
        "seed": plan.seed,
        "rules": rules,
    }
    worker = shard_worker(count_hands, HandSettings)
    found = WholeHands(count_shards(worker, work, identity, plan, on_progress, _is_count))
    if found.clusters() < 2:
        raise BadInput("errors need two pairs of games or more: ask for 4 games at least")
    bands = [ALL, *(band.name for band in BANDS if found.clusters(band.name) > 1)]
    return {
        "estimators": list(settings.estimators),
        "players": list(settings.players),
        "hand": settings.hand,
        "drawn": settings.draws,
        "games": games,
        "rounds": found.counts.rounds,
        "moments": found.moments(),
        "rules": rules,
        "seed": plan.seed,
        "overall": _of(found, settings, ALL),
        "by_turn": [
            {"turns": band, "moments": found.moments(band), "hands": _of(found, settings, band)}
            for band in bands[1:]
        ],
        "calibration": {
            spec: {
                fact: {
                    "error": found.calibration_error(spec, fact),
                    "bins": [
                        {"moments": n, "believed": believed, "true": true}
                        for n, believed, true in found.calibration(spec, fact)
                    ],
                }
                for fact in CHANCES
            }
            for spec in settings.estimators
        },
        "seconds": perf_counter() - start,
        "provenance": provenance(settings.estimators, settings.players),
    }


def _is_count(payload: Json, result: Json) -> bool:
    """Whether a result of a journal is one of ``count_hands``."""
    try:
        WholeHands([result])
    except BadInput:
        return False
    return counts_its_games(payload, result)


def _of(found: WholeHands, settings: HandSettings, band: str) -> Json:
    """Truth and beliefs at some turns."""

    def number(quantity: str) -> Json:
        estimate: Estimate = found.mean(quantity, band)
        return {"mean": estimate.value, "error": estimate.error}

    out: Json = {"true": {fact: number(f"true {fact}") for fact in FACTS}}
    for spec in settings.estimators:
        out[spec] = {
            "log_chance": number(f"log_chance {spec}"),
            "effective_share": number(f"size {spec}"),
            **{f"{fact}_less_true": number(f"{fact} {spec}") for fact in FACTS},
            **{f"{fact}_brier": number(f"brier {fact} {spec}") for fact in CHANCES},
        }
        if spec != settings.estimators[0]:
            out[spec]["behind"] = number(f"ahead {spec}")
    return out
