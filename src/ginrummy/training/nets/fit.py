"""The one way to train a network: Adam over shuffled batches, and the losses of every epoch.

Everything is seeded and one thread does the work, so a training repeats to the bit. ``Fit`` says how long to
train, whether to stop early and which weights to keep; the data may change from epoch to epoch.
"""

import math
from collections.abc import Callable, Iterable
from copy import deepcopy
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional

from ginrummy.training.progress import Progress

Loss: TypeAlias = Callable[[Any, Any, Tensor], Tensor]
"""Network, inputs and targets -> mean loss."""
RATE, EPSILON = 1e-3, 1e-7
"""Learning rate and epsilon of Adam: the defaults of Keras, which the papers used."""


class Data(Protocol):
    """Rows (or sequences) to learn from."""

    def __len__(self) -> int:
        """How many there are."""

    def take(self, rows: Tensor) -> tuple[Any, Tensor]:
        """Inputs and targets of some rows."""


DataOf: TypeAlias = Callable[[int], Data]
"""Number of an epoch, from 0 -> what this epoch learns from."""


class Rows:
    """Plain rows: [N, F] inputs and [N, O] targets."""

    def __init__(self, x: npt.NDArray[Any], y: npt.NDArray[Any]) -> None:
        self.x = torch.from_numpy(np.ascontiguousarray(x))
        self.y = torch.from_numpy(np.ascontiguousarray(y))

    def __len__(self) -> int:
        return len(self.x)

    def take(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        """Inputs and targets of some rows, as float32."""
        return self.x[rows].float(), self.y[rows].float()


def always(data: Data) -> DataOf:
    """The same data for every epoch."""
    return lambda epoch: data


def bce(model: Any, x: Any, y: Tensor) -> Tensor:
    """Mean binary cross-entropy over all outputs."""
    return functional.binary_cross_entropy_with_logits(model.logits(x), y)


def mse(model: Any, x: Any, y: Tensor) -> Tensor:
    """Mean square error over all outputs."""
    return functional.mse_loss(model(x), y)


@dataclass(frozen=True)
class Fit:
    """How to train."""

    epochs: int
    """At most."""
    batch: int
    loss: Loss = bce
    seed: int = 1
    rate: float = RATE
    """Of Adam, at the start."""
    epsilon: float = EPSILON
    """Of Adam."""
    cosine: bool = False
    """Whether the rate falls to 0 over all epochs, along a cosine."""
    keep_best: bool = False
    """Whether to keep the weights with the least validation loss; otherwise the last weights are kept."""
    patience: int | None = None
    """Stop after this many epochs without a better validation loss; None never stops early."""


class Epoch(NamedTuple):
    """The mean losses of one epoch."""

    train: float
    """Over the batches, each measured before its own step."""
    validation: float
    """After the epoch."""


def train(
    model: nn.Module,
    data: DataOf,
    validation: Data,
    how: Fit,
    on_progress: Progress | None = None,
    checkpoint: Path | None = None,
) -> list[Epoch]:
    """Train a network in place and return the losses of each epoch.

    With a checkpoint file, an interrupted training continues after its last whole epoch and ends the same.
    """
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    adam = torch.optim.Adam(model.parameters(), lr=how.rate, eps=how.epsilon)
    identity = _identity(model, how, len(data(0))) if checkpoint else {}
    history, best = _resume(model, adam, identity, checkpoint)
    while len(history) < how.epochs and not _patience_is_over(history, how):
        epoch = len(history)
        if on_progress:
            last = f", loss {history[-1].validation:.4f}" if history else ""
            on_progress(f"epoch {epoch + 1}{last}", epoch, how.epochs)
        loss = _learn(model, data(epoch), how, adam, epoch)
        history.append(Epoch(loss, evaluate(model, validation, how.loss)))
        if how.keep_best and best_epoch(history) == len(history):
            best = deepcopy(model.state_dict())
        if checkpoint:
            state = {"model": model.state_dict(), "adam": adam.state_dict(), "best": best}
            _save({"identity": identity, "history": [list(one) for one in history], **state}, checkpoint)
    if how.keep_best:
        model.load_state_dict(best)
    return history


def evaluate(model: nn.Module, data: Data, loss: Loss, batch: int = 4000) -> float:
    """Mean loss over all rows; NaN when there are none."""
    if not len(data):
        return math.nan
    total = weight = 0.0
    with torch.no_grad():
        for start in range(0, len(data), batch):
            x, y = data.take(torch.arange(start, min(start + batch, len(data))))
            total += float(loss(model, x, y)) * len(y)
            weight += len(y)
    return total / weight


def best_epoch(history: list[Epoch]) -> int:
    """The first epoch with the least validation loss, counted from 1."""
    return 1 + min(range(len(history)), key=lambda epoch: history[epoch].validation)


def rounded(rows: Iterable[NamedTuple], digits: int = 6) -> list[dict[str, float]]:
    """Epochs, or other rows of numbers, as a record keeps them."""
    return [{name: round(value, digits) for name, value in row._asdict().items()} for row in rows]


def _learn(model: nn.Module, data: Data, how: Fit, adam: torch.optim.Adam, epoch: int) -> float:
    """One pass over the data in an order that seed and epoch decide. Returns the mean loss."""
    order = torch.randperm(len(data), generator=torch.Generator().manual_seed(how.seed * 100_003 + epoch))
    total = weight = 0.0
    for start in range(0, len(order), how.batch):
        if how.cosine:
            done = (epoch + start / len(order)) / how.epochs
            adam.param_groups[0]["lr"] = how.rate * (1 + math.cos(math.pi * done)) / 2
        x, y = data.take(order[start : start + how.batch])
        adam.zero_grad()
        loss = how.loss(model, x, y)
        loss.backward()  # type: ignore[no-untyped-call]
        adam.step()
        total += float(loss.detach()) * len(y)
        weight += len(y)
    return total / max(1.0, weight)


def _patience_is_over(history: list[Epoch], how: Fit) -> bool:
    return bool(history) and how.patience is not None and len(history) - best_epoch(history) >= how.patience


def _identity(model: nn.Module, how: Fit, rows: int) -> dict[str, Any]:
    """What must agree for a training to continue from a checkpoint."""
    shapes = [list(p.shape) for p in model.parameters()]
    return asdict(how) | {"loss": getattr(how.loss, "__name__", ""), "rows": rows, "shapes": shapes}


def _save(state: dict[str, Any], path: Path) -> None:
    half = path.with_name(path.name + ".half")
    torch.save(state, half)
    half.replace(path)


def _resume(
    model: nn.Module, adam: torch.optim.Adam, identity: dict[str, Any], path: Path | None
) -> tuple[list[Epoch], dict[str, Any]]:
    """Load a checkpoint of the same training into model and Adam: its history and its best weights so far."""
    if path is None or not path.exists():
        return [], {}
    state = torch.load(path, weights_only=True)
    if state["identity"] != identity:
        return [], {}
    model.load_state_dict(state["model"])
    adam.load_state_dict(state["adam"])
    return [Epoch(*one) for one in state["history"]], state["best"]
