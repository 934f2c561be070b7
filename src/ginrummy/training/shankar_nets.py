"""Convolutional networks on the stacked Shankar array: ``ginrummy train shankar-cnn`` and its profiles.

Source: Francis, Just and Neller, EAAI 2021 (S1): games of the baseline against itself. The paper does not say
how the head is made nor what it is trained on: one channel, dense 52 sigmoid, binary cross-entropy and early
stopping here; ``shankar-cnn-code`` has the layers and the mean square error of the authors' program;
``shankar-cnn-softmax`` ten times a softmax at the end, which makes the beliefs add up to ten.

The rate falls to nothing by the cosine over all epochs. The paper's network learns from every moment of
10,000 games, that with a softmax from one of four. What their rate starts from was chosen: after three
epochs on one of ten moments the paper's loss was 0.4132 from 0.001, 0.4052 from 0.002 and 0.4012 from 0.004.

Differs: the program's network, four times as slow, learns from one of five moments. At the program's rate of
0.01 Adam drives every output to zero and leaves it there, with the start and the epsilon of Keras too: so in
six of eight trials with batches of 32 to 250. 0.001 here, in batches of 100 (after two epochs on one of
forty moments an error of 0.1214, for 0.1241 in batches of 250).
"""

from functools import partial
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch

from ginrummy.estimators.shankar import shankar_stacks
from ginrummy.evidence import provenance
from ginrummy.training.fit import Rows, to_onnx
from ginrummy.training.networks_s1 import ShankarNet, bce, mse, one_of_ten, start_layers
from ginrummy.training.patient import Loss, Patient, best_epoch, train
from ginrummy.training.play_data import DATA_SEED
from ginrummy.training.recipes import Progress, Recipe
from ginrummy.training.watched import (
    SIMPLE,
    answers,
    bits,
    known_cards,
    quality,
    rounded,
    text,
    watch,
)

Json = dict[str, Any]

GAMES = {"smoke": 30, "full": 10_000}
PATIENCE = 3


class Kind(NamedTuple):
    """One of the networks."""

    profile: str
    loss: Loss
    words: str
    batch: int
    rate: float
    """At the start."""
    keep: int
    """One moment of so many is learned from."""
    epochs: int


class Pictures(NamedTuple):
    """Stacks and truths of some moments."""

    x: npt.NDArray[np.int8]
    """[N, 1, 17, 13]"""
    truth: npt.NDArray[np.int64]
    known: npt.NDArray[np.int64]
    held_back: npt.NDArray[np.bool_]


def gather(games: int, seed: int, keep: int) -> Pictures:
    """Play the baseline against itself; every ``keep``-th moment of both sides."""
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


def run(kind: Kind, scale: str, seed: int, workers: int = 1, on_progress: Progress | None = None) -> Json:
    """Play, train, measure on games held back, export."""
    start = perf_counter()
    found = gather(GAMES[scale], DATA_SEED + seed, kind.keep)
    held, y = found.held_back, bits(found.truth)
    model = ShankarNet(kind.profile)
    model.to(memory_format=torch.channels_last)  # type: ignore[call-overload]  # a third less time
    start_layers(model, seed)
    epochs = kind.epochs if scale == "full" else 1
    how = Patient(epochs, PATIENCE, kind.batch, kind.rate, cosine=True, seed=seed)
    data, validation = Rows(found.x[~held], y[~held]), Rows(found.x[held], y[held])
    history = train(model, lambda _: data, validation, kind.loss, how, on_progress)
    example = validation.x[:300].float()
    beliefs = answers(model, validation.x)
    return {
        "artefact": "shankar-cnn" if kind.profile == "paper" else f"shankar-cnn-{kind.profile}",
        "scale": scale,
        "seed": seed,
        "made_from": {
            "players": list(SIMPLE[0]),
            "games": GAMES[scale],
            "seed": DATA_SEED + seed,
            "rows": int((~held).sum()),
            "validation_rows": int(held.sum()),
            "kept": f"1 of {kind.keep} moments",
        },
        "training": {
            "loss": kind.words,
            "batch": kind.batch,
            "rate": kind.rate,
            "best_epoch": best_epoch(history),
            "history": rounded(history),
            "validation": {"simple": quality(beliefs, found.truth[held], found.known[held])},
        },
        "seconds": perf_counter() - start,
        "provenance": provenance(),
        "payload": to_onnx(model, example, {0: "rows"}),
    }


_PAPER = Kind("paper", bce, "binary cross-entropy", 250, 4e-3, 1, 16)
_CODE = Kind("code", mse, "mean square error", 100, 1e-3, 5, 2)
_SOFTMAX = Kind("softmax", one_of_ten, "cross-entropy of a softmax", 250, 4e-3, 4, 8)

PAPER = Recipe("shankar-cnn.onnx", partial(run, _PAPER), text)
CODE = Recipe("shankar-cnn-code.onnx", partial(run, _CODE), text)
SOFTMAX = Recipe("shankar-cnn-softmax.onnx", partial(run, _SOFTMAX), text)
