"""Trained files of knock tables under two rule sets: ``ginrummy train knock-stock`` and others.

Source: Goldstein, Astudillo Guerra, Haigh, Cruz Ulloa and Blum, "Extracting Learned Discard and Knocking
Strategies from a Gin Rummy Bot" (EAAI 2021): outcome sampling with epsilon 0.6 over 12.5 million hands under
25 points for gin and undercut, and under 20 for gin and 10 for an undercut; discards look one turn ahead.

A file keeps, for each rule set, the average strategy, the sums of regrets, the visits, the shares of all
decisions, and the course of the training. ``players.knock_tables`` reads it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ginrummy.counting import Plan, counted
from ginrummy.rules import PRESETS
from ginrummy.runs import executor, in_process
from ginrummy.runs.parts import directory, parts, put, receive
from ginrummy.training.progress import Progress
from ginrummy.training.recipes import Recipe, Trained
from ginrummy.training.regret.knocking import (
    CHUNK,
    KNOCK,
    KnockTable,
    KnockTraining,
    knock_table,
    train,
)
from ginrummy.training.regret.mccfr import Floats, Regrets, average_strategy

Json = dict[str, Any]

RULES = ("eaai", "uk")
"""25 points for gin and for an undercut; 20 and 10."""
CHECKS = 25
"""Points of the course of a training."""
PAPER = KnockTraining(rounds=12_500_000, discards="one-turn", abstraction="stock")
"""The training of the paper, under its first rule set."""
OUTS = KnockTraining(rounds=1_000_000, discards="hand-strength", abstraction="outs", sampling="external")
"""Beyond the paper: the chance of gin and the opponent's known cards, with the play of hand strength."""
SCORES = replace(OUTS, abstraction="scores", rounds=600_000)
SMOKE = 60_000


class Course(NamedTuple):
    """How a training went: one entry for each of its checks."""

    rounds: npt.NDArray[np.int64]  # [C] rounds so far
    regret: Floats  # [C] positive regrets of all cells together, divided by the rounds: a bound, in points
    change: Floats  # [C] mean change of the average strategy since the check before, by shares of decisions
    knock: Floats  # [C, 11] mean probability to knock by deadwood, by shares of decisions


class Learned(NamedTuple):
    """What a training gives."""

    table: KnockTable
    regrets: Regrets
    course: Course


@dataclass
class _Watch:
    """Notes the course of a training."""

    training: KnockTraining
    before: Floats | None = None

    def __post_init__(self) -> None:
        self.notes: list[tuple[int, float, float, Floats]] = []

    def note(self, rounds: int, regrets: Regrets) -> None:
        """Called after every chunk; keeps ``CHECKS`` notes."""
        every = max(CHUNK, -(-self.training.rounds // (CHECKS * CHUNK)) * CHUNK)
        if rounds % every and rounds != self.training.rounds:
            return
        knock = average_strategy(regrets)[:, KNOCK]
        weight = regrets.average.sum(axis=1)
        known = np.nan_to_num(knock)
        last = np.zeros_like(known) if self.before is None else self.before
        change = float((weight * np.abs(known - last)).sum() / weight.sum())
        bound = float(np.maximum(regrets.regret.max(axis=1), 0.0).sum() / rounds)
        rows = weight.reshape(11, -1)
        means = (rows * known.reshape(11, -1)).sum(axis=1) / np.maximum(rows.sum(axis=1), 1e-300)
        self.notes.append((rounds, bound, change, means))
        self.before = known

    def course(self) -> Course:
        """The notes as arrays."""
        rounds, bound, change, knock = zip(*self.notes, strict=True)
        return Course(np.array(rounds), np.array(bound), np.array(change), np.array(knock))


def learn(training: KnockTraining, seed: int, on_progress: Progress | None = None) -> Learned:
    """Train one table and note its course."""
    watch = _Watch(training)
    done = 0

    def told(rounds: int) -> None:
        nonlocal done
        done += rounds
        if on_progress:
            on_progress(f"{training.abstraction} table", done, training.rounds)

    regrets = train(training, seed, told, watch.note)
    return Learned(knock_table(training, regrets), regrets, watch.course())


def arrays(learned: Learned) -> dict[str, npt.NDArray[Any]]:
    """What the file keeps of a table; axes as in ``KnockTable``, without the role."""
    table, course = learned.table, learned.course
    shape = table.knock[0].shape
    return {
        "knock": table.knock[0].astype(np.float32),
        "share": table.share[0].astype(np.float32),
        "visits": table.visits[0].astype(np.int32),
        "regret": learned.regrets.regret.reshape(*shape, 2).astype(np.float32),
        "course_rounds": course.rounds.astype(np.int64),
        "course_regret": course.regret,
        "course_change": course.change,
        "course_knock": course.knock.astype(np.float32),
    }


_FULL: dict[str, KnockTraining] = {}
"""The full trainings, by the names of their recipes."""


def learn_shard(payload: Json, on_progress: Progress | None = None) -> Json:
    """One table: the training under one rule set. Its rounds follow each other; the rule sets are apart."""
    training = replace(
        _FULL[payload["recipe"]], rules=PRESETS[payload["rules"]], rounds=payload["stop"] - payload["start"]
    )
    learned = learn(training, payload["seed"], on_progress)
    file = BytesIO()
    np.savez(file, **arrays(learned))  # type: ignore[arg-type]
    sent = put(payload["parts"], f"{payload['rules']}.npz", file.getvalue())
    return {"games": training.rounds, "told": _told(learned), **sent}


def _trainings(
    name: str, rounds: int, seed: int, folder: Path, on_progress: Progress | None
) -> Iterator[tuple[str, Json, dict[str, npt.NDArray[Any]]]]:
    """Rule set, what is told of its training, and its arrays: each a shard of one journalled run."""
    identity = {"command": f"train {name}", "rounds": rounds, "seed": seed, "rules": list(RULES)}
    plan = Plan(rounds, seed, PRESETS[RULES[0]], journal=folder / "journal")
    here = executor(1) is in_process  # only then can a shard tell how far it is
    work = partial(learn_shard, on_progress=on_progress) if here else learn_shard
    with parts(folder) as place:
        shared = {"recipe": name, "seed": seed, "start": 0, "stop": rounds, "parts": place}
        payloads = [shared | {"rules": rules} for rules in RULES]
        with counted(work, payloads, identity, plan, None, partial(_fits, folder), _receive) as found:
            for rules, result in zip(RULES, found, strict=True):
                with np.load(folder / f"{rules}.npz") as file:
                    yield rules, result["told"], {key: file[key] for key in file.files}


def _fits(folder: Path, payload: Json, result: Json) -> bool:
    """Whether a result of the journal is one of ``learn_shard``, and its file is there."""
    whole = result.keys() == {"games", "told"} and result["games"] == payload["stop"] - payload["start"]
    return whole and (folder / f"{payload['rules']}.npz").is_file()


def _receive(payload: Json, result: Json) -> Json:
    return receive(Path(payload["parts"]["directory"]) / f"{payload['rules']}.npz", result)


def _recipe(name: str, full: KnockTraining) -> Recipe:
    _FULL[name] = full

    def run(scale: str, seed: int, on_progress: Progress | None = None) -> Trained:
        kept: dict[str, npt.NDArray[Any]] = {}
        told: Json = {}
        rounds = full.rounds if scale == "full" else SMOKE
        work = {"command": f"train {name}", "rounds": rounds, "seed": seed}
        with directory(work if scale == "full" else None) as folder:
            for rules, said, found in _trainings(name, rounds, seed, folder, on_progress):
                kept |= {f"{rules}_{key}": part for key, part in found.items()}
                told[rules] = said
        file = BytesIO()
        np.savez_compressed(file, **kept)  # type: ignore[arg-type]
        made_from = {
            "rules": list(RULES),
            "rounds": rounds,
            "seed": seed,
            "abstraction": full.abstraction,
            "discards": full.discards,
            "draws": "hand-strength",
            "sampling": full.sampling,
            "epsilon": full.epsilon,
        }
        return Trained(file.getvalue(), made_from, told)

    return Recipe(f"{name}.npz", run, summary)


def _told(learned: Learned) -> Json:
    table, course = learned.table, learned.course
    share = table.share[0].reshape(11, -1)
    knock = np.nan_to_num(table.knock[0]).reshape(11, -1)
    return {
        "cells_visited": int((table.visits > 0).sum()),
        "positive_regret_per_round": round(float(course.regret[-1]), 4),
        "last_change": round(float(course.change[-1]), 5),
        "knocks_by_deadwood": [
            round(float((s * k).sum() / max(s.sum(), 1e-300)), 4) for s, k in zip(share, knock, strict=True)
        ],
    }


def summary(result: Json) -> str:
    """What a person reads about the tables."""
    data = result["made_from"]
    lines = [
        f"{result['artefact']}: {data['rounds']:,} rounds for each rule set, {data['sampling']} sampling"
    ]
    for rules, told in result["training"].items():
        knocks = " ".join(f"{100 * share:.0f}" for share in told["knocks_by_deadwood"])
        lines.append(
            f"{rules}: knocks in percent of the decisions with 0, 1, …, 10 deadwood: {knocks}; "
            f"positive regret {told['positive_regret_per_round']} a round"
        )
    return "\n".join(lines)


STOCK = _recipe("knock-stock", PAPER)
STOCK_AGAIN = _recipe("knock-stock-2", replace(PAPER, rounds=500_000))
"""A shorter training with another seed: how far chance matters."""
BY_OUTS = _recipe("knock-outs", OUTS)
BY_SCORES = _recipe("knock-scores", SCORES)
