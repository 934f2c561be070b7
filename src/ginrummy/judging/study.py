"""The work of ``ginrummy estimate``: any estimators, judged turn by turn in games of any two players."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from scipy.special import stdtrit

from ginrummy.counting import Plan, Progress, count_shards, counts_its_games, even
from ginrummy.errors import BadInput, UnknownName
from ginrummy.estimators.registry import make_estimator
from ginrummy.evidence import provenance
from ginrummy.judging.beliefs import BOUNDS, NULL
from ginrummy.judging.by_turn import (
    ALL,
    BINS,
    FEW,
    HANDS,
    SHARD,
    STAGES,
    Beliefs,
    BeliefSettings,
    count_beliefs,
    settings,
)
from ginrummy.judging.scores import PAPER, SHOWN
from ginrummy.judging.shards import payload_head, shard_worker
from ginrummy.players.registry import make_player
from ginrummy.rules import rules_text
from ginrummy.runs import Shards
from ginrummy.typed import write

Json = dict[str, Any]

BY_TURN = (*PAPER, "log_loss")
"""What is shown turn by turn unless other metrics are named."""


class Study(NamedTuple):
    """What to judge, besides how many games of which seed."""

    estimators: list[str]
    """Without the bounds."""
    players: tuple[str, str]
    hand: str
    """Whose hand is guessed: the first player's (a), the second's (b), or both."""
    by_turn: list[str]
    """Metrics to show turn by turn."""


def study(
    estimators: Sequence[str], players: Sequence[str], hand: str, by_turn: Sequence[str] | None = None
) -> Study:
    """Check what was asked for; wrong names raise ``UnknownName``. The papers' metrics are shown by turn."""
    for name in by_turn or []:
        if name not in SHOWN:
            raise UnknownName(f"unknown metric {name!r}: choose one of {', '.join(SHOWN)}")
    made = [make_estimator(spec).name for spec in estimators]
    first, second = check_asked(made, players, hand)
    guessing = [spec for spec, name in zip(estimators, made, strict=True) if name not in BOUNDS]
    return Study(guessing, (first, second), hand, list(dict.fromkeys(by_turn or BY_TURN)))


def check_asked(estimators: Sequence[str], players: Sequence[str], hand: str) -> tuple[str, str]:
    """The two players, if estimators, players and the hand to guess are what a study can take."""
    if hand not in HANDS:
        raise UnknownName(f"unknown hand {hand!r}: choose one of {', '.join(HANDS)}")
    if len(set(estimators)) < len(estimators):
        raise BadInput("an estimator is named twice")
    for spec in players:
        make_player(spec)
    first, second = players
    return first, second


def check_directory(directory: Path) -> None:
    """Refuse a path that cannot be a directory of figures, before anything is played."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(
            f"cannot draw into {directory}: it is not a directory, or cannot be written"
        ) from error


def estimate(asked: Study, plan: Plan, on_progress: Progress | None = None) -> Json:
    """Judge estimators at every turn of some games: what ``ginrummy estimate`` shows."""
    start = perf_counter()
    games, rules = even(plan.games), rules_text(plan.rules)
    judged = settings(asked.estimators, asked.players, asked.hand)
    work = Shards([payload_head(judged, rules, plan.seed)], range(games), SHARD)
    identity = {"command": "estimate", **write(judged), "games": games, "seed": plan.seed, "rules": rules}
    worker = shard_worker(count_beliefs, BeliefSettings)
    shards = count_shards(worker, work, identity, plan, on_progress, partial(_is_count, judged=judged))
    found = Beliefs(shards, judged)
    if found.clusters() < 2:
        raise BadInput("errors need two pairs of games or more: ask for 4 games at least")
    return {
        "estimators": list(judged.estimators),
        "players": list(asked.players),
        "hand": asked.hand,
        "games": games,
        "rounds": found.counts.rounds,
        "moments": found.moments(),
        "rules": rules,
        "seed": plan.seed,
        "overall": summary(found, ALL),
        "by_stage": [
            {"stage": name, "moments": found.moments(name), "metrics": summary(found, name)}
            for name, _, _ in STAGES
            if found.clusters(name) > 1
        ],
        "by_turn": [
            {"turn": turn, "moments": found.moments(turn), "metrics": summary(found, turn)}
            for turn in found.turns
        ],
        "calibration": {
            spec: {form: _calibration_json(found, spec, form) for form in ("raw", "masked")}
            for spec in judged.estimators
        },
        "seconds": perf_counter() - start,
        "provenance": provenance(judged.estimators, asked.players),
    }


def _is_count(payload: Json, result: Json, judged: BeliefSettings) -> bool:
    """Whether a result of a journal is one of ``count_beliefs``."""
    try:
        Beliefs([result], judged)
    except BadInput:
        return False
    return counts_its_games(payload, result)


def summary(found: Beliefs, where: int | str) -> Json:
    """Metric -> estimator -> mean, standard error, and the paired difference from the best (95 %)."""
    out: Json = {}
    for metric in found.metrics:
        best = found.best(metric, [e for e in found.estimators if e not in BOUNDS] or [NULL], where)
        out[metric] = {}
        for spec in found.estimators:
            mean, gap = found.mean(metric, spec, where), found.gap(metric, spec, best, where)
            out[metric][spec] = {"mean": mean.value, "error": mean.error, "best": spec == best}
            if spec not in BOUNDS and spec != best:
                half = float(stdtrit(found.clusters(where) - 1, 0.975)) * gap.error
                out[metric][spec]["behind"] = [gap.value, gap.value - half, gap.value + half]
                out[metric][spec]["behind_error"] = gap.error
    return out


def _calibration_json(found: Beliefs, spec: str, form: str) -> Json:
    shown = found.calibration(spec, form)
    return {
        "error": shown.error,
        "bins": [
            {
                "from": float(k) / BINS,
                "cards": int(shown.cards[k]),
                "believed": float(shown.believed[k]),
                "held": float(shown.held[k]),
            }
            for k in np.flatnonzero(shown.cards)
        ],
    }


def shown_turns(result: Json) -> list[Json]:
    """Turns with enough moments to be shown; all turns if none has enough."""
    return [row for row in result["by_turn"] if row["moments"] >= FEW] or list(result["by_turn"])
