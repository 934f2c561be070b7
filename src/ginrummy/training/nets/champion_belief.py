"""``ginrummy train champion-belief``: the networks of the joint belief, one after the other.

First a classifier of the opponent's type; then logits of single cards, by the likelihood of the true hand;
then the weight of a whole hand, by telling the true hand from hands drawn by those logits. With true hands
from p and the others from q, the best such weight is p / q, whatever the number of hands.
"""

import io
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ginrummy import artefacts
from ginrummy.estimators import types
from ginrummy.estimators.exact_hands import unknown_cards
from ginrummy.estimators.types import TYPES
from ginrummy.players.registry import make_player
from ginrummy.runs.journal import default_journal_path
from ginrummy.runs.parts import directory
from ginrummy.training.nets.belief_play import Play
from ginrummy.training.nets.belief_pool import CODE, KEPT_OUT, TUNED, WATCHERS, Seen, pool
from ginrummy.training.nets.fit import Data, Epoch, Fit, best_epoch, rounded, train
from ginrummy.training.nets.hands import Hands, true_hand
from ginrummy.training.nets.joint_models import (
    BELIEF_NET,
    CardNet,
    HandNet,
    TypeNet,
    ranking_loss,
    start_as_belief_net,
    type_loss,
)
from ginrummy.training.nets.joint_rows import TypeRows, card_inputs, hand_rows, tilts, together
from ginrummy.training.nets.layers import start_as_keras
from ginrummy.training.play_data import DATA_SEED
from ginrummy.training.progress import Progress
from ginrummy.training.recipes import Recipe, Trained

Json = dict[str, Any]

AMONG = 64
"""Hands among which the true one is to be told."""
STAGES = ("types", "cards", "hands")
LOSSES = {
    "types": "-ln of the odds of the true type",
    "cards": "-ln of the chance of the true hand by single cards",
    "hands": f"-ln of the chance to tell the true hand among {AMONG}",
}
COMPARED = (TUNED, CODE, "hand-strength")
"""Players whose discards hands are compared with."""
VALIDATION = 500_000
"""Added to the seed of the play: games of their own."""


class Scale(NamedTuple):
    """How much to play and to train."""

    games: int
    """Of each opponent in one epoch; twice as many tell the type of a registered player."""
    keep: float
    """Share of the decisions that are learned from."""
    opponents: int
    """How many of the pool take part; 0: all."""
    types: Fit
    cards: Fit
    hands: Fit


FULL = Scale(
    250, 0.35, 0,
    types=Fit(5, 500, type_loss, rate=3e-3, cosine=True, keep_best=True),
    cards=Fit(8, 500, true_hand, rate=1e-3, cosine=True, keep_best=True),
    hands=Fit(8, 250, ranking_loss, rate=3e-3, cosine=True, keep_best=True),
)  # fmt: skip
SMOKE = FULL._replace(
    games=2, keep=0.2, opponents=4, **{name: replace(getattr(FULL, name), epochs=1) for name in STAGES}
)
SCALES = {"smoke": SMOKE, "full": FULL}


def compared_rules() -> npt.NDArray[np.float64]:
    """[RULES, PARAMETERS] the constants of ``COMPARED``."""
    found = [make_player(name).compiled for name in COMPARED]
    return np.stack([one.array for one in found if one is not None])


class Stages:
    """The three trainings, each of which builds on the ones before."""

    def __init__(self, scale: str, seed: int, folder: Path, on_progress: Progress | None) -> None:
        self.size, self.seed, self._on_progress = SCALES[scale], seed, on_progress
        self.checkpoint: Path | None = None
        if scale == "full":
            identity = {"command": "train champion-belief", "scale": scale, "seed": seed}
            self.checkpoint = default_journal_path(identity)
            self.checkpoint.parent.mkdir(parents=True, exist_ok=True)
        self.names = pool()[: self.size.opponents or None]
        self._play = Play(self.names, self.size.games, self.size.keep, folder)
        last = max(getattr(self.size, stage).epochs for stage in STAGES)
        epochs = [(epoch, DATA_SEED + seed) for epoch in range(last)]
        found = self._play.do(
            [*epochs, (0, DATA_SEED + seed + VALIDATION)], pool(), DATA_SEED + seed, on_progress
        )
        self.labels = np.array(found, np.int64)
        self.nets: dict[str, npt.NDArray[Any]] = {types.RULES: compared_rules()}
        self.history: dict[str, list[Epoch]] = {}
        self._kept: dict[tuple[int, int], Seen] = {}

    def played(self, epoch: int, seed: int = 0) -> Seen:
        """The play of one epoch, kept for the next stage."""
        if (epoch, seed) not in self._kept:
            self._kept[epoch, seed] = together(self._play.seen(epoch, DATA_SEED + self.seed + seed))
        return self._kept[epoch, seed]

    def rows(self, stage: str, seen: Seen) -> Data:
        """What a stage learns from these decisions."""
        rows = np.arange(len(seen.view))
        if stage == "types":
            return TypeRows(types.inputs(seen.view, rows), self.labels[seen.who])
        if stage == "hands":
            return hand_rows(seen, self.nets, AMONG, self.seed)
        odds = types.posterior(seen.view, rows, self.nets["types"])
        return Hands(card_inputs(seen.view, odds), seen.truth, unknown_cards(seen.view, rows)[0])

    def train(self, stage: str) -> None:
        """Train one network."""
        model: Any = {"types": TypeNet, "cards": CardNet, "hands": HandNet}[stage]()
        start_as_keras(model, self.seed)
        if isinstance(model, CardNet):
            start_as_belief_net(model)

        def on_progress(what: str, done: int, total: int) -> None:
            if self._on_progress:
                self._on_progress(f"{stage}: {what}", done, total)

        self.history[stage] = train(
            model,
            lambda epoch: self.rows(stage, self.played(epoch)),
            self.rows(stage, self.held_back),
            replace(getattr(self.size, stage), seed=self.seed),
            on_progress,
            self.checkpoint.with_suffix(f".{stage}.pt") if self.checkpoint else None,
        )
        self.nets[stage] = model.weights()

    @property
    def held_back(self) -> Seen:
        """Games of their own, for validation."""
        return self.played(0, VALIDATION)

    def payload(self) -> bytes:
        """The content of the file."""
        first = self.played(0)
        self.nets["tilts"] = tilts(first, hand_rows(first, self.nets, AMONG, self.seed))
        file = io.BytesIO()
        np.savez(file, **{name: self.nets[name] for name in types.NETS})  # type: ignore[arg-type]
        return file.getvalue()

    def discard(self) -> None:
        """Remove the checkpoints: the file is written."""
        for stage in STAGES if self.checkpoint else ():
            assert self.checkpoint is not None
            self.checkpoint.with_suffix(f".{stage}.pt").unlink(missing_ok=True)


def run(scale: str, seed: int, on_progress: Progress | None = None) -> Trained:
    """Play, train the three networks, measure them on other games."""
    identity = {"command": "play for champion-belief", "seed": seed}
    with directory(identity if scale == "full" else None) as folder:
        return _trained(Stages(scale, seed, folder, on_progress), seed)


def _trained(stages: Stages, seed: int) -> Trained:
    for stage in STAGES:
        stages.train(stage)
    payload = stages.payload()
    stages.discard()
    size, epochs = stages.size, max(len(history) for history in stages.history.values())
    played = [stages.played(epoch) for epoch in range(epochs)]
    return Trained(
        payload=payload,
        made_from={
            "players": list(stages.names),
            "watchers": list(dict.fromkeys(WATCHERS)),
            "types": {name: TYPES[kind] for name, kind in zip(pool(), stages.labels, strict=True)},
            "games": size.games * len(stages.names) * epochs,
            "seed": DATA_SEED + seed,
            "rows": sum(len(one.view) for one in played),
            "validation_rows": len(stages.held_back.view),
            "never_seen": list(KEPT_OUT),
            "compared": list(COMPARED),
            "starts_as": {"file": BELIEF_NET, "sha256": artefacts.digest(artefacts.load(BELIEF_NET))},
        },
        training={
            stage: {
                "loss": LOSSES[stage],
                "parameters": len(stages.nets[stage]),
                "batch": getattr(size, stage).batch,
                "rate": getattr(size, stage).rate,
                "best_epoch": best_epoch(history),
                "history": rounded(history),
            }
            for stage, history in stages.history.items()
        }
        | {"tilts": [round(float(slope), 3) for slope in stages.nets["tilts"]]},
    )


def summary(result: Json) -> str:
    """What a person reads about the training."""
    data, training = result["made_from"], result["training"]
    lines = [
        f"{result['artefact']}: {data['rows']:,} decisions of {data['games']:,} games against "
        f"{len(data['players'])} opponents in {result['seconds']:.0f} s"
    ]
    for stage in STAGES:
        best = min(training[stage]["history"], key=lambda epoch: float(epoch["validation"]))
        lines.append(f"{stage}: {LOSSES[stage]} {best['validation']:.4f} on games held back")
    return "\n".join(lines)


CHAMPION_BELIEF = Recipe("champion-belief.npz", run, summary)
