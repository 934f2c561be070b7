"""Convolutional networks on the stacked Shankar array: ``ginrummy train shankar-cnn`` and its profiles.

Source: Francis, Just and Neller, "Opponent Hand Estimation in the Game of Gin Rummy", EAAI 2021 (S1). They
learn from games of the baseline against itself. The paper does not say what the head looks like or which loss
it used. ``shankar-cnn`` has one channel, dense 52 sigmoid, binary cross-entropy and early stopping;
``shankar-cnn-code`` has the layers and the mean square error of the authors' program; ``shankar-cnn-softmax``
ends in ten times a softmax, so that the beliefs add up to ten; ``shankar-cnn-small`` is the paper's network
trained on as few games as the authors may have had.

The rate falls to 0 along a cosine over all epochs. The paper's network learns from every moment of 10,000
games, the one with a softmax from one of four. The rates at the start are ours.

Differs: the program's network is slower and learns from one of five moments. The program's rate is 0.01, at
which Adam may drive every output to 0 and leave it there; we use 0.001 in batches of 100.
"""

from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional

from ginrummy.cards import CARDS
from ginrummy.estimators.shankar import shankar_stacks
from ginrummy.rules import HAND_SIZE
from ginrummy.training.nets.export import to_onnx
from ginrummy.training.nets.fit import Fit, Loss, Rows, always, bce, best_epoch, mse, rounded, train
from ginrummy.training.nets.layers import start_as_keras
from ginrummy.training.nets.quality import answers, quality, summary
from ginrummy.training.nets.watched import SIMPLE, bits, known_cards, watch
from ginrummy.training.play_data import DATA_SEED
from ginrummy.training.progress import Progress
from ginrummy.training.recipes import Recipe, Trained

SMOKE = 30
"""Games at smoke scale."""
PATIENCE = 3


class ShankarNet(nn.Module):
    """[N, 1, 17, 13] -> three layers of 3 x 3 with 16, 32 and 64 filters, ReLU and 2 x 2 pools -> dense 52.

    Profile ``code`` has two layers of 4 x 4 with 16 and 128 filters, no pools and no padding. The head is a
    sigmoid; profile ``softmax`` has ten times a softmax.
    """

    def __init__(self, profile: str = "paper") -> None:
        super().__init__()
        self.softmax = profile == "softmax"
        parts: list[nn.Module] = []
        if profile == "code":
            parts += [nn.Conv2d(1, 16, 4), nn.ReLU(), nn.Conv2d(16, 128, 4), nn.ReLU()]
            size = 128 * 11 * 7
        else:
            for one, two in ((1, 16), (16, 32), (32, 64)):
                parts += [nn.Conv2d(one, two, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)]
            size = 64 * 2 * 1
        self.body = nn.Sequential(*parts, nn.Flatten(), nn.Linear(size, CARDS))

    def logits(self, x: Tensor) -> Tensor:
        """[N, 1, 17, 13] -> [N, 52]."""
        out: Tensor = self.body(x)
        return out

    def forward(self, x: Tensor) -> Tensor:
        """Beliefs."""
        found = self.logits(x)
        return HAND_SIZE * found.softmax(dim=1) if self.softmax else found.sigmoid()


def one_of_ten(model: Any, x: Any, y: Tensor) -> Tensor:
    """Cross-entropy of a softmax with the ten cards as equal targets."""
    return functional.cross_entropy(model.logits(x), y / HAND_SIZE)


class Kind(NamedTuple):
    """One of the networks."""

    profile: str
    loss: Loss
    words: str
    """Name of the loss in the record."""
    batch: int
    rate: float
    """At the start."""
    keep: int
    """One moment of so many is learned from."""
    epochs: int
    games: int = 10_000
    """Games played at full scale."""


class Pictures(NamedTuple):
    """Stacks and truths of some moments."""

    x: npt.NDArray[np.int8]
    """[N, 1, 17, 13]"""
    truth: npt.NDArray[np.int64]
    known: npt.NDArray[np.int64]
    held_back: npt.NDArray[np.bool_]


def gather(games: int, seed: int, keep: int) -> Pictures:
    """Play the baseline against itself; keep every ``keep``-th moment of both sides."""
    parts = []
    for seen in watch(SIMPLE, range(games), seed):
        rows = seen.rows[::keep]
        parts.append(
            Pictures(
                shankar_stacks(seen.moments.view, rows)[:, None],
                seen.moments.truth[rows],
                known_cards(seen)[rows],
                seen.held_back[rows],
            )
        )
    return Pictures(*(np.concatenate([part[k] for part in parts]) for k in range(4)))


def run(kind: Kind, scale: str, seed: int, on_progress: Progress | None = None) -> Trained:
    """Play, train, measure on games held back, export."""
    games = kind.games if scale == "full" else SMOKE
    found = gather(games, DATA_SEED + seed, kind.keep)
    held, y = found.held_back, bits(found.truth)
    model = ShankarNet(kind.profile)
    model.to(memory_format=torch.channels_last)  # type: ignore[call-overload]  # a third less time
    start_as_keras(model, seed)
    epochs = kind.epochs if scale == "full" else 1
    how = Fit(epochs, kind.batch, kind.loss, seed, kind.rate, cosine=True, keep_best=True, patience=PATIENCE)
    data, validation = Rows(found.x[~held], y[~held]), Rows(found.x[held], y[held])
    history = train(model, always(data), validation, how, on_progress)
    example = validation.x[:300].float()
    beliefs = answers(model, validation.x)
    return Trained(
        payload=to_onnx(model, example, {0: "rows"}),
        made_from={
            "players": list(SIMPLE[0]),
            "games": games,
            "seed": DATA_SEED + seed,
            "rows": int((~held).sum()),
            "validation_rows": int(held.sum()),
            "kept": f"1 of {kind.keep} moments",
        },
        training={
            "loss": kind.words,
            "batch": kind.batch,
            "rate": kind.rate,
            "best_epoch": best_epoch(history),
            "history": rounded(history),
            "validation": {"simple": quality(beliefs, found.truth[held], found.known[held])},
        },
    )


_PAPER = Kind("paper", bce, "binary cross-entropy", 250, 4e-3, 1, 16)
_CODE = Kind("code", mse, "mean square error", 100, 1e-3, 5, 2)
_SOFTMAX = Kind("softmax", one_of_ten, "cross-entropy of a softmax", 250, 4e-3, 4, 8)

_SMALL = _PAPER._replace(games=500)

PAPER = Recipe("shankar-cnn.onnx", partial(run, _PAPER), summary)
CODE = Recipe("shankar-cnn-code.onnx", partial(run, _CODE), summary)
LITTLE = Recipe("shankar-cnn-small.onnx", partial(run, _SMALL), summary)
SOFTMAX = Recipe("shankar-cnn-softmax.onnx", partial(run, _SOFTMAX), summary)
