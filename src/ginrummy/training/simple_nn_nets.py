"""The network that reads its own last belief: ``ginrummy train simple-nn`` and ``… simple-nn-code``.

Source: Francis, Just and Neller, EAAI 2021 (S1): games of the baseline against itself; several generations,
each of which collects inputs by running the network of the one before over recorded rounds and learns the
true hand after each event from them; mean square error and early stopping, as in the authors' program.
Before the first generation the belief stays at the prior.

Differs: the program has batches of 50, a rate of 0.001 and an epsilon of 0.0001 in Adam, and up to 2,000
epochs. That epsilon is above nine of ten gradients of this loss: after three epochs, one a generation on
3,000 games, the error of beliefs fed back was 0.1505, and 0.1446 with ``EPSILON`` and a rate of 0.002.
``BATCH`` is for time: half as many steps. ``RATE`` falls to nothing over the generations, by the cosine.

A generation begins with the weights of the one before. It learns from every event once an epoch, with the
belief before it as one of the generations so far had it, drawn by chance. From the last one's alone, beliefs
that are fed back do not settle: with the program's settings their error went up and down between 0.151 and
0.166 in eight generations. Nor is it better to draw the last one's for half of all events: in batches of 100
at 0.003 the error after eight was 0.1371, after turn 28 0.123; drawn alike, in batches of 50 at 0.002, 0.1366
and 0.111. Of all generations the one is kept whose own beliefs, fed back, have the least error on games held
back.
"""

from collections.abc import Callable
from copy import deepcopy
from functools import partial
from math import cos, inf, pi
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from ginrummy.cards import CARDS
from ginrummy.estimators.simple_nn import INPUTS, Story, story, walk
from ginrummy.evidence import provenance
from ginrummy.training.fit import to_onnx
from ginrummy.training.networks_s1 import SimpleNN, mse, start_layers
from ginrummy.training.patient import Patient, train
from ginrummy.training.play_data import DATA_SEED
from ginrummy.training.recipes import Progress, Recipe
from ginrummy.training.watched import (
    HELD_BACK,
    SIMPLE,
    bits,
    known_cards,
    quality,
    rounded,
    text,
    watch,
)

Json = dict[str, Any]

GAMES = {"smoke": 60, "full": 10_000}
GENERATIONS = {"smoke": 2, "full": 12}
EPOCHS = {"smoke": 2, "full": 2}
"""At most, in each generation."""
PATIENCE = 1
BATCH = 100
RATE, EPSILON = 3e-3, 1e-7
TURNS = (3, 9, 28)
"""Last turns of the paper's parts of a round, but for the last part."""


class Rounds(NamedTuple):
    """Stories of many rounds and what was true after each event."""

    told: Story
    truth: npt.NDArray[np.int64]
    """[S]"""
    known: npt.NDArray[np.int64]
    """[S]"""
    held_back: npt.NDArray[np.bool_]
    """[S] whether an event is of a game for validation."""
    turn: npt.NDArray[np.int16]
    """[S] draws of both sides so far."""


def gather(games: int, seed: int) -> Rounds:
    """Play the baseline against itself and keep what both sides saw."""
    parts: list[Story] = []
    rest = []
    for seen in watch(SIMPLE, range(games), seed):
        parts.append(story(seen.moments.view, seen.last))
        rest.append((seen.moments.truth, known_cards(seen), seen.held_back, seen.moments.turn))
    told = Story(*(np.concatenate([part[k] for part in parts]) for k in range(len(parts[0]))))
    found = Rounds(told, *(np.concatenate([part[k] for part in rest]) for k in range(4)))
    assert len(told.upcard) == len(found.truth)
    return found


class Asked:
    """What a network is asked at each event, in two parts to save memory, and the true hand after it."""

    def __init__(
        self, beliefs: npt.NDArray[np.float16], events: npt.NDArray[np.int8], truth: npt.NDArray[np.uint8]
    ) -> None:
        self.parts = [torch.from_numpy(part) for part in (beliefs, events, truth)]

    def __len__(self) -> int:
        return len(self.parts[0])

    def take(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        """Inputs and targets of some events."""
        beliefs, events, truth = (part[rows].float() for part in self.parts)
        return torch.cat([beliefs, events], dim=1), truth


def drawn(generations: list[npt.NDArray[np.float16]], seed: int) -> npt.NDArray[np.float16]:
    """The belief before each event as one of the generations had it, drawn by chance."""
    picks = np.random.default_rng(seed).integers(len(generations), size=len(generations[0]))
    out = generations[0].copy()
    for pick, beliefs in enumerate(generations):
        out[picks == pick] = beliefs[picks == pick]
    return out


def _function(model: nn.Module) -> Callable[[npt.NDArray[np.float32]], npt.NDArray[np.float32]]:
    def evaluate(x: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        with torch.no_grad():
            found: npt.NDArray[np.float32] = model(torch.from_numpy(x)).numpy()
        return found

    return evaluate


def by_turn(beliefs: npt.NDArray[np.float32], rounds: Rounds) -> Json:
    """Mean square error on games held back, by the paper's parts of a round."""
    held = rounds.held_back
    errors = np.square(beliefs - bits(rounds.truth[held])).mean(axis=1)
    part = np.searchsorted(TURNS, rounds.turn[held])
    names = [f"to turn {turn}" for turn in TURNS] + ["later"]
    return {name: round(float(errors[part == k].mean()), 6) for k, name in enumerate(names) if k in part}


def run(
    name: str,
    first: type[nn.Module],
    scale: str,
    seed: int,
    workers: int = 1,
    on_progress: Progress | None = None,
) -> Json:
    """Play, then collect and train by turns; measure on games held back; export."""
    start = perf_counter()
    torch.set_num_threads(1)
    rounds = gather(GAMES[scale], DATA_SEED + seed)
    y, held = bits(rounds.truth), rounds.held_back
    model = SimpleNN(first)
    start_layers(model, seed)
    walked = walk(rounds.told, None, inputs=True)
    events = walked.inputs[:, CARDS:].astype(np.int8)
    history: list[Json] = []
    generations: list[Json] = []
    best, kept = deepcopy(model.state_dict()), walked.beliefs
    asked: list[npt.NDArray[np.float16]] = []
    for generation in range(GENERATIONS[scale]):
        x = walked.inputs[:, :CARDS].astype(np.float16)
        asked.append(x[~held])
        rate = RATE * (1 + cos(pi * generation / GENERATIONS[scale])) / 2
        how = Patient(EPOCHS[scale], PATIENCE, BATCH, rate, EPSILON, seed=1000 * seed + generation)

        def data(epoch: int) -> Asked:
            return Asked(drawn(asked, 1000 * how.seed + epoch), events[~held], y[~held])  # noqa: B023

        history += (
            fitted := train(model, data, Asked(x[held], events[held], y[held]), mse, how, on_progress)
        )
        walked = walk(rounds.told, _function(model), beliefs=True, inputs=True)
        error = float(np.square(walked.beliefs[held] - y[held]).mean())
        if error < min((one["fed_back"] for one in generations), default=inf):
            best, kept = deepcopy(model.state_dict()), walked.beliefs[held]
        least = min(epoch["validation"] for epoch in fitted)
        generations.append({"epochs": len(fitted), "rate": rate, "fitted": least, "fed_back": error})
    model.load_state_dict(best)
    example = torch.rand(300, INPUTS, generator=torch.Generator().manual_seed(1))
    return {
        "artefact": name,
        "scale": scale,
        "seed": seed,
        "made_from": {
            "players": list(SIMPLE[0]),
            "games": GAMES[scale],
            "seed": DATA_SEED + seed,
            "rows": int((~held).sum()),
            "validation_rows": int(held.sum()),
            "held_back": f"1 of {HELD_BACK} pairs of games",
        },
        "training": {
            "loss": "mean square error",
            "batch": BATCH,
            "generations": rounded(generations),
            "fed_back_by_turn": by_turn(kept, rounds),
            "history": rounded(history),
            "validation": {"simple": quality(kept, rounds.truth[held], rounds.known[held])},
        },
        "seconds": perf_counter() - start,
        "provenance": provenance(),
        "payload": to_onnx(model, example, {0: "rows"}),
    }


PAPER = Recipe("simple-nn.onnx", partial(run, "simple-nn", nn.Sigmoid), text)
CODE = Recipe("simple-nn-code.onnx", partial(run, "simple-nn-code", nn.ReLU), text)
