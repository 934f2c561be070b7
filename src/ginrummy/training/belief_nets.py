"""Our own estimator: ``ginrummy train belief-net``; and gates: ``… ensemble-by-turn``, ``… ensemble-turns``.

The second gate sees the turn alone, not the opponent's style. All learn from play of strong and mixed players
by the likelihood of the true hand (``exact_hands``). The players of ``HELD_OUT`` are in no training:
estimators are measured against them.
"""

from functools import partial
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from ginrummy.cards import DECK
from ginrummy.estimators import ensemble
from ginrummy.estimators.bayes import bayes
from ginrummy.estimators.belief_net import INPUTS, inputs
from ginrummy.estimators.exact_hands import chances, unknown_cards
from ginrummy.evidence import provenance
from ginrummy.training.fit import to_onnx
from ginrummy.training.networks_s1 import GateNet, SuitNet, hand_loss, start_layers
from ginrummy.training.patient import Patient, best_epoch, train
from ginrummy.training.play_data import DATA_SEED
from ginrummy.training.recipes import Progress, Recipe
from ginrummy.training.watched import Pair, Watched, answers, quality, rounded, text, watch

Json = dict[str, Any]
Masks = npt.NDArray[np.int64]

HELD_OUT = ("hand-strength:profile=tuned", "advanced", "medium-kh", "simple:knock_at=2")
"""Players that no training has seen."""
PAIRS: tuple[Pair, ...] = (
    ("simple", "simple"),
    ("simple", "simple"),
    ("simple", "hand-strength"),
    ("simple", "hand-strength:profile=code"),
    ("simple", "simple:knock_at=5"),
    ("simple", "estimating"),
    ("simple", "hitting"),
    ("hand-strength", "hand-strength"),
    ("hand-strength", "simple:hitting=0.5"),
    ("hand-strength", "estimating"),
    ("hand-strength:profile=code", "hitting"),
    ("hand-strength:profile=code", "simple:knock_at=5"),
)
"""Who plays whom; one named twice counts twice."""
KINDS = {"simple": ("simple", "simple"), "hand-strength": ("simple", "hand-strength")}
"""Validation: the opponents that are looked at, and from where."""
KEEP = 4
VALIDATION_SEED = 7
"""Added to the seed of the data for games held back."""


class Hands:
    """Rows to learn from: inputs, true hands and unknown cards."""

    def __init__(self, x: npt.NDArray[np.float16], truth: Masks, free: Masks) -> None:
        self.x = torch.from_numpy(x)
        self.y = torch.from_numpy(np.stack([truth, free], axis=1))

    def __len__(self) -> int:
        return len(self.x)

    def take(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        """Inputs, and [N, 2] true hands and unknown cards."""
        return self.x[rows].float(), self.y[rows]


def _network_inputs(seen: Watched, rows: Masks) -> npt.NDArray[np.float16]:
    view = seen.moments.view
    return inputs(view, rows, bayes().raw(view, rows)).astype(np.float16)


def _gate_inputs(seen: Watched, rows: Masks) -> npt.NDArray[np.float16]:
    """[N, GATE_INPUTS + 3 x 52] what the gate sees, and the logits that it weighs."""
    view = seen.moments.view
    logits = ensemble.member_logits(view, rows, ensemble.members())
    return np.concatenate([ensemble.gate_inputs(view, rows), logits.reshape(len(rows), -1)], axis=1).astype(
        np.float16
    )


class Pool(nn.Module):
    """The gate and the sum that it weighs: how the ensemble is trained."""

    def __init__(self, style: bool = True) -> None:
        super().__init__()
        self.gate = GateNet()
        self.seen = torch.ones(ensemble.GATE_INPUTS)
        self.seen[-ensemble.STYLE :] = float(style)

    def forward(self, x: Tensor) -> Tensor:
        """[N, GATE_INPUTS + 3 x 52] -> [N, 52] logits."""
        weights = self.gate(x[:, : ensemble.GATE_INPUTS] * self.seen)
        logits = x[:, ensemble.GATE_INPUTS :].reshape(len(x), len(ensemble.MEMBERS), -1)
        out: Tensor = (weights[:, :, None] * logits).sum(dim=1)
        return out

    def trained_gate(self) -> GateNet:
        """The gate, blind to what it has not seen."""
        first = self.gate.body[0]
        assert isinstance(first, nn.Linear)
        with torch.no_grad():
            first.weight *= self.seen
        return self.gate


class Kind(NamedTuple):
    """One of the networks."""

    name: str
    build: Any
    see: Any
    """Moments -> inputs."""
    games: dict[str, int]
    """Games of each pair, at each epoch."""
    fresh: bool
    """Whether every epoch plays new games."""
    how: Patient


def _rows(kind: Kind, pairs: tuple[Pair, ...], games: range, seed: int) -> Hands:
    """Of every round some moments, ``KEEP`` apart: those of one round are much alike."""
    parts = []
    for place, seen in enumerate(watch(pairs, games, seed)):
        rows = seen.rows[place % KEEP :: KEEP]
        free, _ = unknown_cards(seen.moments.view, rows)
        parts.append((kind.see(seen, rows), seen.moments.truth[rows], free))
    return Hands(*(np.concatenate([part[k] for part in parts]) for k in range(3)))


def _loss(model: Any, x: Tensor, y: Tensor) -> Tensor:
    return hand_loss(model(x), y)


def _quality(model: nn.Module, data: Hands) -> Json:
    truth, free = data.y.numpy().T.copy()
    beliefs = chances(answers(model, data.x), free, truth & ~free)[0]
    return quality(beliefs, truth, DECK & ~free)


def run(kind: Kind, scale: str, seed: int, workers: int = 1, on_progress: Progress | None = None) -> Json:
    """Play, train, measure on other games, export."""
    start = perf_counter()
    games = kind.games[scale]
    pairs = PAIRS if scale == "full" else PAIRS[1:4]
    data_seed = DATA_SEED + seed
    validation = _rows(kind, pairs, range(max(2, games // 5 // 2 * 2)), data_seed + VALIDATION_SEED)
    how = kind.how if scale == "full" else Patient(2, 2, 250, kind.how.rate, seed=seed)
    model: nn.Module = kind.build()
    start_layers(model, seed)
    kept: list[Hands] = []

    def data(epoch: int) -> Hands:
        if kind.fresh or not kept:
            kept[:] = [_rows(kind, pairs, range(epoch * games, (epoch + 1) * games), data_seed)]
        return kept[0]

    history = train(model, data, validation, _loss, how, on_progress)
    out = model.trained_gate() if isinstance(model, Pool) else model
    size = ensemble.GATE_INPUTS if isinstance(model, Pool) else INPUTS
    example = torch.rand(300, size, generator=torch.Generator().manual_seed(1))
    kinds = {
        name: _rows(kind, (pair,), range(games), data_seed + VALIDATION_SEED) for name, pair in KINDS.items()
    }
    return {
        "artefact": kind.name,
        "scale": scale,
        "seed": seed,
        "made_from": {
            "players": [list(pair) for pair in pairs],
            "games": games * len(pairs) * (len(history) if kind.fresh else 1),
            "seed": data_seed,
            "rows": len(kept[0]) * (len(history) if kind.fresh else 1),
            "new_games_each_epoch": kind.fresh,
            "validation_rows": len(validation),
            "kept": f"1 of {KEEP} moments",
            "never_seen": list(HELD_OUT),
        },
        "training": {
            "loss": "-ln of the chance of the true hand",
            "batch": how.batch,
            "rate": how.rate,
            "parameters": sum(p.numel() for p in model.parameters()),
            "best_epoch": best_epoch(history),
            "history": rounded(history),
            "validation": {"mixed": _quality(model, validation)}
            | {name: _quality(model, rows) for name, rows in kinds.items()},
        },
        "seconds": perf_counter() - start,
        "provenance": provenance(),
        "payload": to_onnx(out, example, {0: "rows"}),
    }


_BELIEF = Kind(
    "belief-net", SuitNet, _network_inputs, {"smoke": 20, "full": 800}, True,
    Patient(10, 10, 500, 2e-3, cosine=True),
)  # fmt: skip
_GATE = Kind(
    "ensemble-by-turn", Pool, _gate_inputs, {"smoke": 8, "full": 600}, False,
    Patient(20, 5, 500, 3e-3, cosine=True),
)  # fmt: skip
_TURNS = _GATE._replace(name="ensemble-turns", build=partial(Pool, style=False))
"""The same without the opponent's style: what the turn alone is good for."""

BELIEF = Recipe("belief-net.onnx", partial(run, _BELIEF), text)
GATE = Recipe("ensemble-by-turn.onnx", partial(run, _GATE), text)
TURNS = Recipe("ensemble-turns.onnx", partial(run, _TURNS), text)
