"""Learning whole hands: networks trained by the likelihood of the opponent's true hand.

The networks of ``belief`` and ``ensemble`` learn this way, from the play of strong and mixed players
(``PAIRS``). The players of ``HELD_OUT`` are in no training: estimators are measured against them.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from ginrummy.cards import CARDS, DECK
from ginrummy.estimators.exact_hands import chances, unknown_cards
from ginrummy.training.nets.export import to_onnx
from ginrummy.training.nets.fit import Fit, best_epoch, rounded, train
from ginrummy.training.nets.layers import start_as_keras
from ginrummy.training.nets.quality import answers, quality
from ginrummy.training.nets.watched import Pair, Watched, watch
from ginrummy.training.play_data import DATA_SEED
from ginrummy.training.progress import Progress
from ginrummy.training.recipes import Trained

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
"""Who plays whom; a pair named twice counts twice."""
KINDS = {"simple": ("simple", "simple"), "hand-strength": ("simple", "hand-strength")}
"""Kinds of opponents that the record measures apart, and the pair that plays for each."""
KEEP = 4
"""One moment of so many is learned from: those of one round are much alike."""
VALIDATION_SEED = 7
"""Added to the seed of the data: validation has games of its own."""


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


class _HandLoss(torch.autograd.Function):
    """Mean of -ln of the chance of the true hands; the gradient is chance minus truth, card by card."""

    @staticmethod
    def forward(ctx: Any, logits: Tensor, targets: Tensor) -> Tensor:
        truth, free = targets.numpy().T.copy()
        chance, log_sums = chances(logits.detach().numpy(), free, truth & ~free)
        bits = torch.from_numpy(((truth & free)[:, None] >> np.arange(CARDS) & 1).astype(np.float32))
        open_ = torch.from_numpy((free[:, None] >> np.arange(CARDS) & 1).astype(np.float32))
        ctx.save_for_backward((torch.from_numpy(chance) - bits) * open_ / len(bits))
        total: Tensor = torch.from_numpy(log_sums).float() - (logits.detach() * bits).sum(dim=1)
        return total.mean()

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None]:
        return ctx.saved_tensors[0] * grads[0], None


def hand_loss(logits: Tensor, targets: Tensor) -> Tensor:
    """Mean of -ln of the chance that ``exact_hands`` gives to the true hand.

    ``targets`` [N, 2] int64: the true hand, and the cards that are unknown.
    """
    out: Tensor = _HandLoss.apply(logits, targets)  # type: ignore[no-untyped-call]
    return out


def true_hand(model: Any, x: Tensor, y: Tensor) -> Tensor:
    """``hand_loss`` as a loss of ``fit``."""
    return hand_loss(model(x), y)


class Kind(NamedTuple):
    """One of the networks."""

    build: Callable[[], nn.Module]
    see: Callable[[Watched, Masks], npt.NDArray[np.float16]]
    """Some rows of the moments -> inputs."""
    export: Callable[[Any], nn.Module]
    """The trained model -> the part of it that the file holds."""
    inputs: int
    """Of that part."""
    games: dict[str, int]
    """Games of each pair in one epoch, by scale."""
    fresh: bool
    """Whether every epoch plays new games."""
    how: Fit
    """At full scale, but for the seed."""


def how_of(kind: Kind, scale: str, seed: int) -> Fit:
    """How to train at a scale."""
    how = replace(kind.how, seed=seed)
    return how if scale == "full" else replace(how, epochs=2, batch=250, cosine=False, patience=2)


def run(kind: Kind, scale: str, seed: int, on_progress: Progress | None = None) -> Trained:
    """Play, train, measure on other games, export."""
    games = kind.games[scale]
    pairs = PAIRS if scale == "full" else PAIRS[1:4]
    data_seed = DATA_SEED + seed
    validation = _rows(kind, pairs, range(max(2, games // 5 // 2 * 2)), data_seed + VALIDATION_SEED)
    how = how_of(kind, scale, seed)
    model = kind.build()
    start_as_keras(model, seed)
    kept: list[Hands] = []

    def data(epoch: int) -> Hands:
        if kind.fresh or not kept:
            kept[:] = [_rows(kind, pairs, range(epoch * games, (epoch + 1) * games), data_seed)]
        return kept[0]

    history = train(model, data, validation, how, on_progress)
    out = kind.export(model)
    example = torch.rand(300, kind.inputs, generator=torch.Generator().manual_seed(1))
    kinds = {
        name: _rows(kind, (pair,), range(games), data_seed + VALIDATION_SEED) for name, pair in KINDS.items()
    }
    return Trained(
        payload=to_onnx(out, example, {0: "rows"}),
        made_from={
            "players": [list(pair) for pair in pairs],
            "games": games * len(pairs) * (len(history) if kind.fresh else 1),
            "seed": data_seed,
            "rows": len(kept[0]) * (len(history) if kind.fresh else 1),
            "new_games_each_epoch": kind.fresh,
            "validation_rows": len(validation),
            "kept": f"1 of {KEEP} moments",
            "never_seen": list(HELD_OUT),
        },
        training={
            "loss": "-ln of the chance of the true hand",
            "batch": how.batch,
            "rate": how.rate,
            "parameters": sum(p.numel() for p in model.parameters()),
            "best_epoch": best_epoch(history),
            "history": rounded(history),
            "validation": {"mixed": _quality(model, validation)}
            | {name: _quality(model, rows) for name, rows in kinds.items()},
        },
    )


def _rows(kind: Kind, pairs: tuple[Pair, ...], games: range, seed: int) -> Hands:
    """Every ``KEEP``-th moment of some games."""
    parts = []
    for place, seen in enumerate(watch(pairs, games, seed)):
        rows = seen.rows[place % KEEP :: KEEP]
        free, _ = unknown_cards(seen.moments.view, rows)
        parts.append((kind.see(seen, rows), seen.moments.truth[rows], free))
    return Hands(*(np.concatenate([part[k] for part in parts]) for k in range(3)))


def _quality(model: nn.Module, data: Hands) -> dict[str, float]:
    truth, free = data.y.numpy().T.copy()
    beliefs = chances(answers(model, data.x), free, truth & ~free)[0]
    return quality(beliefs, truth, DECK & ~free)
