"""Training until the validation loss no longer falls: any loss, and data that may be new at each epoch."""

import math
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from ginrummy.training.fit import Data, Progress

Json = dict[str, Any]
Loss = Callable[[Any, Any, Tensor], Tensor]
"""Network, inputs and targets -> mean loss."""


@dataclass(frozen=True)
class Patient:
    """How to train."""

    epochs: int
    """At most."""
    patience: int
    """Epochs without a better validation loss after which to stop."""
    batch: int
    rate: float = 1e-3
    eps: float = 1e-7
    """Of Adam."""
    cosine: bool = False
    """Let the rate fall to nothing over all epochs, by the cosine."""
    seed: int = 1


def train(
    model: nn.Module,
    data: Callable[[int], Data],
    validation: Data,
    loss: Loss,
    how: Patient,
    on_progress: Progress | None = None,
) -> list[Json]:
    """Train a network in place on ``data(epoch)`` and return the losses. The best weights stay."""
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    adam = torch.optim.Adam(model.parameters(), lr=how.rate, eps=how.eps)
    history: list[Json] = []
    best, least = deepcopy(model.state_dict()), math.inf
    for epoch in range(how.epochs):
        if on_progress:
            last = f", loss {history[-1]['validation']:.4f}" if history else ""
            on_progress(f"epoch {epoch + 1}{last}", epoch, how.epochs)
        found = {"train": _epoch(model, data(epoch), loss, how, adam, epoch)}
        history.append(found | {"validation": evaluate(model, validation, loss)})
        if history[-1]["validation"] < least:
            best, least = deepcopy(model.state_dict()), history[-1]["validation"]
        elif how.patience <= epoch - best_epoch(history) + 1:
            break
    model.load_state_dict(best)
    return history


def best_epoch(history: list[Json]) -> int:
    """The epoch with least validation loss, from 1."""
    return 1 + min(range(len(history)), key=lambda epoch: history[epoch]["validation"])


def _epoch(
    model: nn.Module, data: Data, loss: Loss, how: Patient, adam: torch.optim.Adam, epoch: int
) -> float:
    generator = torch.Generator().manual_seed(how.seed * 100_003 + epoch)
    order = torch.randperm(len(data), generator=generator)
    total = 0.0
    for start in range(0, len(order), how.batch):
        if how.cosine:
            done = (epoch + start / len(order)) / how.epochs
            adam.param_groups[0]["lr"] = how.rate * (1 + math.cos(math.pi * done)) / 2
        x, y = data.take(order[start : start + how.batch])
        adam.zero_grad()
        one = loss(model, x, y)
        one.backward()  # type: ignore[no-untyped-call]
        adam.step()
        total += float(one.detach()) * len(y)
    return total / max(1, len(order))


def evaluate(model: nn.Module, data: Data, loss: Loss, batch: int = 4000) -> float:
    """Mean loss over all rows."""
    total = 0.0
    with torch.no_grad():
        for start in range(0, len(data), batch):
            x, y = data.take(torch.arange(start, min(start + batch, len(data))))
            total += float(loss(model, x, y)) * len(y)
    return total / max(1, len(data))
