"""``ginrummy train champion``: a network that plays, learned by self-play.

The training has no end of its own: ``decisions`` says how far it goes. What a training to some number of
decisions gives does not depend on interruptions, nor on whether it then goes on. On one core the same seed
gives the same numbers.
"""

from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from time import perf_counter, process_time
from typing import Any, NamedTuple

import numpy as np
import torch

from ginrummy import artefacts
from ginrummy.errors import BadInput
from ginrummy.estimators.types import MODEL as BELIEF
from ginrummy.players.registry import make_player
from ginrummy.policies.champion import INPUTS, USED_NUMBERS
from ginrummy.search.leaves import MODEL as LEAVES
from ginrummy.search.styles import MODEL as SKETCH
from ginrummy.training.nets.export import to_onnx
from ginrummy.training.progress import Progress
from ginrummy.training.recipes import Recipe, Trained
from ginrummy.training.selfplay import state
from ginrummy.training.selfplay.arena import Arena
from ginrummy.training.selfplay.kernels import GAMES, POINTS, ROUNDS, WINS
from ginrummy.training.selfplay.learner import Learner, Settings
from ginrummy.training.selfplay.pool import (
    BLUEPRINT,
    KEPT_OUT,
    PAST,
    PastSelf,
    due,
    laws,
    opponents,
    response_pool,
)

Json = dict[str, Any]
SEED = 880_000
"""Added to the seed of the recipe: games of their own."""
CHANGED = 10_000
"""Added for each change of a training: the new tables do not play the games of the old ones again."""
RENEWED = 100_000_000
"""Decisions after which the reference of the learner is renewed; each change of a training does so too."""
FIRST_NUMBERS = 44
"""Inputs about the table that the first trainings had; their states do not say."""


class Scale(NamedTuple):
    """How much to play."""

    tables: int
    step: int
    """Decisions of one step."""
    decisions: int
    """Decisions in all, unless the command says otherwise."""
    window: int
    """Steps for each point of the curve and for each write of the state."""
    settings: Settings


SCALES = {
    "smoke": Scale(
        64, 1500, 6000, 2, Settings(width=16, depth=2, critic_batch=256, actor_batch=128, warm_steps=1)
    ),
    "full": Scale(2048, 131_072, 200_000_000, 20, Settings()),
}


class Training:
    """A training that can be interrupted at any time."""

    def __init__(
        self, size: Scale, seed: int, file: Path | None, *, changed: bool = False, against: str | None = None
    ) -> None:
        """With ``against`` the learner meets this player alone, by the challenge's rules."""
        self.size, self.file = size, file
        blueprint = make_player(BLUEPRINT).compiled
        assert blueprint is not None
        self.learner = Learner(size.settings, seed)
        self.past = [PastSelf(f"past-{k}", self.learner.average, blueprint) for k in range(PAST)]
        self.curve: list[Json] = []
        self.changes: list[Json] = []
        self.seconds = 0.0
        pool, rules = (opponents(self.past), laws()) if against is None else response_pool(against)
        self.identity: Json = {
            "seed": seed, "tables": size.tables, "step": size.step, "settings": asdict(size.settings),
            "pool": {one.player.name: one.share for one in pool},
            "rules": {one.name: one.share for one in rules},
            "inputs": INPUTS, "used_numbers": USED_NUMBERS,
            "plays_on": artefacts.digest(artefacts.load(SKETCH)),
            "believes": artefacts.digest(artefacts.load(BELIEF)),
            "values": artefacts.digest(artefacts.load(LEAVES)),
        }  # fmt: skip
        kept = state.read(file) if file is not None and file.exists() else None
        same = kept is not None and kept.facts["identity"] == self.identity
        if kept is not None:
            self._continue(kept, same, changed)
        # New tables get games of their own.
        games = SEED + seed + CHANGED * len(self.changes)
        how = size.settings
        sure = how.sure if how.what_if else -np.inf
        sizes = {"tables": size.tables, "decisions": size.step}
        shares = how.rechecked_cut, how.rechecked, how.rechecked_surest
        rechecked = shares if how.what_if else (0.0, 0.0, 0.0)
        self.arena = Arena(pool, blueprint, rules, games, **sizes, sure=sure, rechecked=rechecked)
        self.names = self.arena.names
        if kept is not None and same:
            state.restore(kept, self.arena)

    def _continue(self, kept: state.Kept, same: bool, changed: bool) -> None:
        """Take over what an earlier training learned; note what has changed since."""
        before, now = kept.facts["identity"], self.identity
        was, how = before["settings"], now["settings"]
        alike = before["seed"] == now["seed"] and was["depth"] == how["depth"]
        alike &= before["inputs"] <= now["inputs"] and was["width"] <= how["width"]
        if not alike or not (same or changed):
            raise BadInput(
                f"{self.file} is the state of another training: give another file or other settings"
                + (" (--changed goes on with today's settings)" if alike else "")
            )
        state.fill(kept, self.learner, self.past, before.get("used_numbers", FIRST_NUMBERS))
        self.curve, self.seconds = kept.facts["curve"], kept.facts["seconds"]
        self.changes = kept.facts.get("changes", [])
        if not same:
            self.learner.renew()
            self.changes.append({"decisions": self.learner.decisions, "before": before})

    def run(self, decisions: int, on_progress: Progress | None = None) -> None:
        """Play and learn until the learner has decided so often."""
        learner, arena = self.learner, self.arena
        reports = []
        while learner.decisions < decisions:
            start, before = process_time(), learner.decisions
            report = learner.learn(arena.kept, arena.gather(learner.think))
            for k in due(before, learner.decisions):
                self.past[k].renew(learner.average)
            if before // RENEWED != learner.decisions // RENEWED:
                learner.renew()
            self.seconds += process_time() - start
            reports.append(asdict(report))
            if learner.steps % self.size.window == 0:
                self._note(reports)
                reports = []
                self.save()
            if on_progress:
                on_progress(self._line(), min(learner.decisions, decisions), decisions)

    def save(self) -> None:
        """Write the state, if there is a file for it."""
        if self.file is not None:
            facts = {
                "identity": self.identity, "curve": self.curve, "seconds": self.seconds,
                "changes": self.changes,
            }  # fmt: skip
            state.save(self.file, self.learner, self.past, self.arena, facts)

    def network(self) -> bytes:
        """The averaged actor as an ONNX file."""
        example = torch.zeros((2, INPUTS))
        example[:, : INPUTS // 3] = torch.rand((2, INPUTS // 3), generator=torch.Generator().manual_seed(1))
        return to_onnx(self.learner.average, example, {0: "rows"})

    def _note(self, reports: list[Json]) -> None:
        """Add a point to the curve: how the steps went, and the games that ended meanwhile."""
        results = self.arena.results
        point: Json = {"decisions": self.learner.decisions, "seconds": round(self.seconds, 1)}
        point |= {key: round(float(np.mean([one[key] for one in reports])), 5) for key in reports[0]}
        point["opponents"] = {
            name: {
                "games": int(row[GAMES]),
                "won": round(float(row[WINS] / max(1, row[GAMES])), 4),
                "points_per_round": round(float(row[POINTS] / max(1, row[ROUNDS])), 3),
            }
            for name, row in zip(self.names, results, strict=True)
        }
        self.curve.append(point)
        results[:] = 0

    def _line(self) -> str:
        if not self.curve:
            return "first games"
        last = self.curve[-1]["opponents"]
        return "won " + ", ".join(f"{last[name]['won']:.0%}" for name in self.names[1:5])


def run(
    scale: str,
    seed: int,
    on_progress: Progress | None = None,
    *,
    file: Path | None = None,
    decisions: int | None = None,
    changed: bool = False,
    against: str | None = None,
) -> Trained:
    """Train to a number of decisions, from the state in ``file`` if there is one.

    With ``changed``, the state may be one of other settings or of another pool.
    """
    size = SCALES[scale]
    if against is not None:
        size = size._replace(settings=replace(size.settings, cooling_start=1e17, cooling_end=1e18))
    training = Training(size, seed, file, changed=changed, against=against)
    start = perf_counter()
    training.run(decisions or size.decisions, on_progress)
    training.save()
    learner = training.learner
    return Trained(
        payload=training.network(),
        made_from={
            "opponents": training.names,
            "kept_out": list(KEPT_OUT),
            "blueprint": BLUEPRINT,
            "decisions": learner.decisions,
            "seed": SEED + seed,
            "tables": size.tables,
            "rules": training.identity["rules"],
            "plays_on": {"file": SKETCH, "sha256": training.identity["plays_on"]},
            "believes": {"file": BELIEF, "sha256": training.identity["believes"]},
            "values": {"file": LEAVES, "sha256": training.identity["values"]},
        },
        training={
            "changes": [
                {"decisions": one["decisions"], "settings_before": one["before"]["settings"]}
                for one in training.changes
            ],
            "settings": asdict(size.settings),
            "processor_seconds": round(training.seconds, 1),
            "decisions_per_second": round(learner.decisions / max(training.seconds, 1e-9)),
            "last_run_seconds": round(perf_counter() - start, 1),
            "curve": training.curve,
        },
    )


def summary(result: Json) -> str:
    """What a person reads about the training."""
    training = result["training"]
    lines = [
        f"champion: {result['made_from']['decisions']:,} decisions, "
        f"{training['decisions_per_second']:,} a second of processor time"
    ]
    if training["curve"]:
        last = training["curve"][-1]
        lines.append(f"games of the last {SCALES['full'].window} steps, with answers drawn by chance:")
        for name, one in last["opponents"].items():
            lines.append(f"  {name:<52} {one['won']:6.1%} of {one['games']:,} games")
    return "\n".join(lines)


CHAMPION = Recipe("champion.onnx", run, summary, endless=True)
FROZEN = "champion:level=fast"
CHAMPION_RESPONSE = Recipe("champion-response.onnx", partial(run, against=FROZEN), summary, endless=True)
"""A specialist against the shipped ``champion:level=fast``. If ``--state`` is a copy of the state of the
champion's training, it starts as strong as that. How much it wins says how far it can be exploited."""
