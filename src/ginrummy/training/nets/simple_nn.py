"""The network that reads its own last belief: ``ginrummy train simple-nn``, ``…-code``, ``…-small``.

Source: Francis, Just and Neller, "Opponent Hand Estimation in the Game of Gin Rummy", EAAI 2021 (S1). The
baseline plays against itself. Training has several generations. Each one collects inputs by running the
network of the generation before over recorded rounds, and learns the true hand after each event from them,
with mean square error and early stopping, as in the authors' program. Before the first generation the belief
stays at the prior.

Differs: the program has batches of 50, a rate of 0.001, an epsilon of 0.0001 in Adam and up to 2,000 epochs.
That epsilon is large beside the gradients of this loss, so ours is ``EPSILON``. ``BATCH`` saves time: half as
many steps. ``RATE`` falls to 0 over the generations, along a cosine.

A generation starts with the weights of the one before. It learns from every event once an epoch. The belief
before the event is that of one of the generations so far, drawn at random: with the last generation's beliefs
alone, beliefs that are fed back need not settle. We keep the generation whose own beliefs, fed back, have the
least error on games held back.

``simple-nn-small`` has as little as the authors may have had: few games, the three generations of their
program, each until the loss on games held back stops falling.
"""

from collections.abc import Callable
from copy import deepcopy
from functools import partial
from math import cos, inf, pi
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from ginrummy.cards import CARDS
from ginrummy.estimators.simple_nn import INPUTS, Story, story, walk
from ginrummy.training.nets.export import to_onnx
from ginrummy.training.nets.fit import EPSILON, Epoch, Fit, mse, rounded, train
from ginrummy.training.nets.layers import start_as_keras
from ginrummy.training.nets.quality import quality, summary
from ginrummy.training.nets.watched import SIMPLE, bits, known_cards, watch
from ginrummy.training.play_data import DATA_SEED, HELD_BACK
from ginrummy.training.progress import Progress
from ginrummy.training.recipes import Recipe, Trained


class Size(NamedTuple):
    """How much to play and to train."""

    games: int
    generations: int
    epochs: int
    """At most, in each generation."""


SIZES = {"smoke": Size(60, 2, 2), "full": Size(10_000, 12, 2)}
SMALL = {"smoke": Size(60, 2, 2), "full": Size(500, 3, 20)}
PATIENCE = 1
BATCH = 100
RATE = 3e-3
TURNS = (3, 9, 28)
"""Last turns of the paper's parts of a round; the last part has no end."""


class SimpleNN(nn.Module):
    """Belief, discard, upcard, taken or not -> 100-85-60-52, every layer sigmoid, or the first one ReLU."""

    def __init__(self, first: type[nn.Module] = nn.Sigmoid) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(INPUTS, 100), first(),
            nn.Linear(100, 85), nn.Sigmoid(),
            nn.Linear(85, 60), nn.Sigmoid(),
            nn.Linear(60, CARDS),
        )  # fmt: skip

    def logits(self, x: Tensor) -> Tensor:
        """[N, 157] -> [N, 52]."""
        out: Tensor = self.body(x)
        return out

    def forward(self, x: Tensor) -> Tensor:
        """Beliefs."""
        return self.logits(x).sigmoid()


class Generation(NamedTuple):
    """How one generation went."""

    epochs: int
    rate: float
    fitted: float
    """Least validation loss, with the beliefs of the generation before as inputs."""
    fed_back: float
    """Error on games held back of the generation's own beliefs, fed back."""


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
    """The belief before each event, taken from one of the generations at random."""
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


def by_turn(beliefs: npt.NDArray[np.float32], rounds: Rounds) -> dict[str, float]:
    """Mean square error on games held back, by the paper's parts of a round."""
    held = rounds.held_back
    errors = np.square(beliefs - bits(rounds.truth[held])).mean(axis=1)
    part = np.searchsorted(TURNS, rounds.turn[held])
    names = [f"to turn {turn}" for turn in TURNS] + ["later"]
    return {name: round(float(errors[part == k].mean()), 6) for k, name in enumerate(names) if k in part}


class Course(NamedTuple):
    """How a training went, and the beliefs of the generation that was kept."""

    history: list[Epoch]
    generations: list[Generation]
    beliefs: npt.NDArray[np.float32]
    """Of the games held back."""


def train_generations(
    model: SimpleNN, rounds: Rounds, size: Size, seed: int, on_progress: Progress | None
) -> Course:
    """Collect and train in turn; the model ends with the weights of the best generation."""
    y, held = bits(rounds.truth), rounds.held_back
    walked = walk(rounds.told, None, inputs=True)
    events = walked.inputs[:, CARDS:].astype(np.int8)
    history: list[Epoch] = []
    generations: list[Generation] = []
    best, kept = deepcopy(model.state_dict()), walked.beliefs
    asked: list[npt.NDArray[np.float16]] = []
    for generation in range(size.generations):
        x = walked.inputs[:, :CARDS].astype(np.float16)
        asked.append(x[~held])
        rate = RATE * (1 + cos(pi * generation / size.generations)) / 2
        own_seed = 1000 * seed + generation
        how = Fit(size.epochs, BATCH, mse, own_seed, rate, EPSILON, keep_best=True, patience=PATIENCE)

        def data(epoch: int) -> Asked:
            return Asked(drawn(asked, 1000 * how.seed + epoch), events[~held], y[~held])  # noqa: B023

        fitted = train(model, data, Asked(x[held], events[held], y[held]), how, on_progress)
        history += fitted
        walked = walk(rounds.told, _function(model), beliefs=True, inputs=True)
        error = float(np.square(walked.beliefs[held] - y[held]).mean())
        if error < min((one.fed_back for one in generations), default=inf):
            best, kept = deepcopy(model.state_dict()), walked.beliefs[held]
        least = min(epoch.validation for epoch in fitted)
        generations.append(Generation(len(fitted), rate, least, error))
    model.load_state_dict(best)
    return Course(history, generations, kept)


def run(
    first: type[nn.Module],
    sizes: dict[str, Size],
    scale: str,
    seed: int,
    on_progress: Progress | None = None,
) -> Trained:
    """Play, train the generations, measure on games held back, export."""
    torch.set_num_threads(1)
    size = sizes[scale]
    rounds = gather(size.games, DATA_SEED + seed)
    held = rounds.held_back
    model = SimpleNN(first)
    start_as_keras(model, seed)
    course = train_generations(model, rounds, size, seed, on_progress)
    example = torch.rand(300, INPUTS, generator=torch.Generator().manual_seed(1))
    return Trained(
        payload=to_onnx(model, example, {0: "rows"}),
        made_from={
            "players": list(SIMPLE[0]),
            "games": size.games,
            "seed": DATA_SEED + seed,
            "rows": int((~held).sum()),
            "validation_rows": int(held.sum()),
            "held_back": f"1 of {HELD_BACK} pairs of games",
        },
        training={
            "loss": "mean square error",
            "batch": BATCH,
            "generations": rounded(course.generations),
            "fed_back_by_turn": by_turn(course.beliefs, rounds),
            "history": rounded(course.history),
            "validation": {"simple": quality(course.beliefs, rounds.truth[held], rounds.known[held])},
        },
    )


PAPER = Recipe("simple-nn.onnx", partial(run, nn.Sigmoid, SIZES), summary)
CODE = Recipe("simple-nn-code.onnx", partial(run, nn.ReLU, SIZES), summary)
LITTLE = Recipe("simple-nn-small.onnx", partial(run, nn.Sigmoid, SMALL), summary)
