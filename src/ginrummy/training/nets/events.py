"""Networks that estimate the opponent's hand from its events: ``ginrummy train ann`` and ``… train lstm``.

Source: Nguyen, Doan and Neller, "A Deterministic Neural Network Approach to Playing Gin Rummy", EAAI 2021
(S0). The baseline plays against itself. After each event of the opponent (a pass is one) the inputs are those
of ``estimators.event_networks``, and the target is the opponent's hand.

Differs: the loss is binary cross-entropy. The paper names no loss for the feed-forward network, and a
categorical one for the LSTM, which has no meaning for ten cards at once.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import PackedSequence, pack_sequence

from ginrummy import sim
from ginrummy.cards import CARDS
from ginrummy.estimators.event_networks import INPUTS, all_events
from ginrummy.moments import bits, in_order, views
from ginrummy.players.registry import make_player
from ginrummy.rules import EAAI
from ginrummy.runs import default_journal_path, discard
from ginrummy.training.nets.export import to_onnx
from ginrummy.training.nets.fit import Data, Fit, Rows, always, bce, best_epoch, rounded, train
from ginrummy.training.nets.layers import layers, start_as_keras
from ginrummy.training.play_data import DATA_SEED, held_back
from ginrummy.training.progress import Progress
from ginrummy.training.recipes import Recipe, Trained

Json = dict[str, Any]
Bytes = npt.NDArray[np.uint8]

PLAYER = "simple"
CHUNK = 250
"""Games in memory at a time."""
VECTORS = 4
"""Vectors of 52 that describe an event of the opponent."""


def _vectors(x: Tensor) -> list[Tensor]:
    """The four vectors of each event."""
    return [x[..., CARDS * k : CARDS * (k + 1)] for k in range(VECTORS)]


class EventNet(nn.Module):
    """One event, 4 x 52 inputs flattened -> ReLU 512-256-128-64 -> sigmoid 52."""

    def __init__(self) -> None:
        super().__init__()
        self.body = layers(VECTORS * CARDS, 512, 256, 128, 64, CARDS)

    def logits(self, x: Tensor) -> Tensor:
        """[N, 208] -> [N, 52]."""
        out: Tensor = self.body(x)
        return out

    def forward(self, x: Tensor) -> Tensor:
        """Beliefs."""
        return self.logits(x).sigmoid()


class SequenceNet(nn.Module):
    """All events: an LSTM(128) for each of the four vectors -> ReLU 768-256-64 -> sigmoid 52 at each step."""

    def __init__(self) -> None:
        super().__init__()
        self.cells = nn.ModuleList(nn.LSTM(CARDS, 128, batch_first=True) for _ in range(VECTORS))
        self.body = layers(VECTORS * 128, 768, 256, 64, CARDS)

    def logits(self, x: PackedSequence | Tensor) -> Tensor:
        """[N, T, 208] -> [N, T, 52], or all steps of packed sequences -> [S, 52]."""
        if isinstance(x, Tensor):
            parts = [cell(part)[0] for cell, part in zip(self.cells, _vectors(x), strict=True)]
        else:
            parts = [
                cell(x._replace(data=part.contiguous()))[0].data
                for cell, part in zip(self.cells, _vectors(x.data), strict=True)
            ]
        out: Tensor = self.body(torch.cat(parts, dim=-1))
        return out

    def forward(self, x: PackedSequence | Tensor) -> Tensor:
        """Beliefs."""
        return self.logits(x).sigmoid()


class Sequences:
    """Events of many rounds, one after the other. Batches take whole rounds, without any padding."""

    def __init__(
        self, x: npt.NDArray[np.uint8], y: npt.NDArray[np.uint8], lengths: npt.NDArray[np.int64]
    ) -> None:
        self.x = torch.from_numpy(x)
        self.y = torch.from_numpy(y)
        ends = np.cumsum(lengths)
        self.spans = np.stack([ends - lengths, ends], axis=1).tolist()

    def __len__(self) -> int:
        return len(self.spans)

    def take(self, rows: Tensor) -> tuple[PackedSequence, Tensor]:
        """The events of some rounds and the opponent's hands after them, packed alike."""
        spans = sorted((self.spans[row] for row in rows.tolist()), key=lambda span: span[0] - span[1])
        x = pack_sequence([self.x[start:stop] for start, stop in spans])
        y = pack_sequence([self.y[start:stop] for start, stop in spans])
        return x._replace(data=x.data.float()), y.data.float()


class Events(NamedTuple):
    """Opponents' events of many rounds, one after the other."""

    x: Bytes
    """[S, 208] inputs."""
    y: Bytes
    """[S, 52] the opponent's hand after each event."""
    lengths: npt.NDArray[np.int64]
    """[R] events of each round, of each side as observer."""
    games: npt.NDArray[np.int64]
    """[R] number of the game."""

    def of(self, rounds: npt.NDArray[np.bool_]) -> "Events":
        """Some of the rounds."""
        steps = np.repeat(rounds, self.lengths)
        return Events(self.x[steps], self.y[steps], self.lengths[rounds], self.games[rounds])

    @property
    def last(self) -> npt.NDArray[np.int64]:
        """[R] the last event of each round."""
        ends: npt.NDArray[np.int64] = np.cumsum(self.lengths) - 1
        return ends


def gather(games: range, seed: int) -> Events:
    """Play the baseline against itself and look at each round from both sides."""
    player = make_player(PLAYER)
    parts = []
    for start in range(games.start, games.stop, CHUNK):
        some = range(start, min(start + CHUNK, games.stop))
        rounds = in_order(sim.play(player, player, some, EAAI, seed, record=True).rounds)
        parts += [_side_events(rounds, side) for side in (0, 1)]
    return Events(*(np.concatenate([part[k] for part in parts]) for k in range(4)))


def _side_events(rounds: Any, side: int) -> Events:
    """The events of one side's opponents."""
    seen = views(rounds, side, EAAI)
    ends = np.flatnonzero(np.diff(seen.round, append=-1))  # the last view of a round knows all its events
    lengths = seen.opponent_events[ends].astype(np.int64)
    steps = int(lengths.max())
    inputs = all_events(seen.view, ends, steps)
    x = inputs[np.arange(steps) < lengths[:, None]]
    assert len(x) == len(seen.truth)
    return Events(
        x.astype(np.uint8).reshape(-1, INPUTS),
        bits(seen.truth).astype(np.uint8),
        lengths,
        rounds["game"][seen.round[ends]].astype(np.int64),
    )


class Kind(NamedTuple):
    """One of the two networks."""

    name: str
    build: Callable[[], nn.Module]
    data: Callable[[Events], Data]
    epochs: int
    smoke_epochs: int
    example: tuple[int, ...]
    """Shape of the rows that the exported file is checked with."""


def _as_rows(events: Events) -> Rows:
    return Rows(events.x, events.y)


def _as_sequences(events: Events) -> Sequences:
    return Sequences(events.x, events.y, events.lengths)


BATCH = 1500
GAMES = {"smoke": 40, "full": 1120}
"""Games played; nine in ten are learned from: "over 1,000" in the paper."""
_ANN = Kind("ann", EventNet, _as_rows, 50, 3, (300, INPUTS))
_LSTM = Kind("lstm", SequenceNet, _as_sequences, 130, 2, (300, 9, INPUTS))


def run(kind: Kind, scale: str, seed: int, on_progress: Progress | None = None) -> Trained:
    """Play, train, measure on games held back, export."""
    games = GAMES[scale]
    events = gather(range(games), DATA_SEED + seed)
    held = held_back(events.games)
    learned, validation = events.of(~held), events.of(held)
    how = Fit(kind.smoke_epochs if scale == "smoke" else kind.epochs, BATCH, bce, seed)
    model = kind.build()
    start_as_keras(model, seed)
    identity = {"command": f"train {kind.name}", "scale": scale, "seed": seed}
    checkpoint = default_journal_path(identity).with_suffix(".pt") if scale == "full" else None
    if checkpoint:
        checkpoint.parent.mkdir(parents=True, exist_ok=True)
    history = train(model, always(kind.data(learned)), kind.data(validation), how, on_progress, checkpoint)
    shape = kind.example
    example = (torch.rand(shape, generator=torch.Generator().manual_seed(1)) < 0.05).float()
    payload = to_onnx(model, example, {0: "rows", 1: "steps"} if len(shape) == 3 else {0: "rows"})
    beliefs = _beliefs(model, kind, validation)
    if checkpoint:
        discard(checkpoint)
    return Trained(
        payload=payload,
        made_from={
            "players": [PLAYER, PLAYER],
            "games": games,
            "seed": DATA_SEED + seed,
            "rows": len(learned.x),
            "rounds": len(learned.lengths),
            "validation_rows": len(validation.x),
        },
        training={
            "epochs": how.epochs,
            "batch": how.batch,
            "loss": "binary cross-entropy",
            "best_epoch": best_epoch(history),
            "history": rounded(history),
            "validation": {
                "all events": accuracy(beliefs, validation.y),
                "last event of a round": accuracy(beliefs[validation.last], validation.y[validation.last]),
            },
        },
    )


def _beliefs(model: nn.Module, kind: Kind, events: Events) -> npt.NDArray[np.float32]:
    """[S, 52] what the network says after each event."""
    with torch.no_grad():
        if kind.name == "ann":
            found: npt.NDArray[np.float32] = model(torch.from_numpy(events.x).float()).numpy()
            return found
        parts = []
        for stop, length in zip(np.cumsum(events.lengths), events.lengths, strict=True):
            x = torch.from_numpy(events.x[stop - length : stop]).float()
            parts.append(model(x[None])[0].numpy())
    return np.concatenate(parts)


def accuracy(beliefs: npt.NDArray[np.float32], truth: Bytes) -> dict[str, float]:
    """Equations 4 to 7 of the paper, and the binary cross-entropy."""
    sure = np.clip(beliefs.astype(np.float64), 1e-7, 1 - 1e-7)
    return {
        "categorical": float(1 - np.abs(truth - beliefs).mean()),
        "binary": float(((beliefs >= 0.5) == truth).mean()),
        "cross_entropy": float(-np.where(truth == 1, np.log(sure), np.log(1 - sure)).mean()),
    }


def summary(result: Json) -> str:
    """What a person reads about the training."""
    data, training = result["made_from"], result["training"]
    name, last = result["artefact"], training["history"][-1]
    lines = [
        f"{name}: {data['rows']:,} events of {data['games']:,} games, {training['epochs']} epochs",
        f"loss {last['train']:.4f}, on games held back {last['validation']:.4f} "
        f"(least after epoch {training['best_epoch']})",
    ]
    for name, values in training["validation"].items():
        lines.append(f"{name}: categorical {values['categorical']:.2%}, binary {values['binary']:.2%}")
    return "\n".join(lines)


ANN = Recipe("ann.onnx", partial(run, _ANN), summary)
LSTM = Recipe("lstm.onnx", partial(run, _LSTM), summary)
