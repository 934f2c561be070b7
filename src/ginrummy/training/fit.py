"""One plain training loop for all networks, and their way out: ONNX files with a record.

A network has ``logits(x)`` and ``forward(x)``; data gives batches by row numbers. Everything is seeded, one
thread does the work, and the history keeps the loss of every epoch on the training and the validation rows.
"""

import io
import math
import warnings
from collections.abc import Callable
from copy import deepcopy
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional

from ginrummy.networks import Network

Json = dict[str, Any]
Progress = Callable[[str, int, int], None]
"""Called with a line on the present work, what is done and the total."""

RATE = 0.001
"""Learning rate of Adam: the default of Keras, which the papers used."""
TOLERANCE = 1e-5
"""Greatest difference between a network in torch and its ONNX file."""


class Data(Protocol):
    """Rows (or sequences) to learn from."""

    def __len__(self) -> int:
        """How many there are."""

    def take(self, rows: Tensor) -> tuple[Any, Tensor]:
        """Inputs and targets of some rows."""


class Net(Protocol):
    """What the loop asks of a network, besides being an ``nn.Module``."""

    def logits(self, x: Any) -> Tensor:
        """Outputs before the last function."""

    def __call__(self, x: Any) -> Tensor:
        """Outputs."""


@dataclass(frozen=True)
class Fit:
    """How to train."""

    epochs: int
    batch: int
    loss: str = "bce"
    """``bce`` is binary cross-entropy, ``mse`` mean square error."""
    seed: int = 1
    rate: float = RATE
    keep: str = "last"
    """Whose weights stay: ``last`` for the last epoch's, ``best`` for those with least validation loss."""


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


def train(
    model: nn.Module,
    data: Data,
    validation: Data,
    how: Fit,
    on_progress: Progress | None = None,
    checkpoint: Path | None = None,
) -> list[Json]:
    """Train a network in place and return the loss of each epoch.

    With a checkpoint file, an interrupted training goes on from its last whole epoch and ends the same.
    """
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    adam = torch.optim.Adam(model.parameters(), lr=how.rate, eps=1e-7)
    history, best = _resume(model, adam, how, len(data), checkpoint)
    for epoch in range(len(history), how.epochs):
        if on_progress:
            last = f", loss {history[-1]['validation']:.4f}" if history else ""
            on_progress(f"epoch {epoch + 1}{last}", epoch, how.epochs)
        total = weight = 0.0
        order = torch.randperm(len(data), generator=_generator(how.seed, epoch))
        for start in range(0, len(order), how.batch):
            rows = order[start : start + how.batch]
            x, y = data.take(rows)
            adam.zero_grad()
            loss = _loss(how.loss, model, x, y)
            loss.backward()  # type: ignore[no-untyped-call]
            adam.step()
            total += float(loss.detach()) * len(y)
            weight += len(y)
        history.append({"train": total / weight, "validation": evaluate(model, validation, how.loss)})
        if how.keep == "best" and history[-1] == min(history, key=lambda one: one["validation"]):
            best = deepcopy(model.state_dict())
        if checkpoint:
            state = {"identity": _identity(model, how, len(data)), "history": history, "best": best}
            _save({**state, "model": model.state_dict(), "adam": adam.state_dict()}, checkpoint)
    if how.keep == "best":
        model.load_state_dict(best)
    return history


def evaluate(model: nn.Module, data: Data, loss: str, batch: int = 4000) -> float:
    """Mean loss over all rows."""
    if not len(data):
        return math.nan
    total = weight = 0.0
    with torch.no_grad():
        for start in range(0, len(data), batch):
            x, y = data.take(torch.arange(start, min(start + batch, len(data))))
            total += float(_loss(loss, model, x, y)) * len(y)
            weight += len(y)
    return total / weight


def _loss(name: str, model: Any, x: Any, y: Tensor) -> Tensor:
    if name == "bce":
        return functional.binary_cross_entropy_with_logits(model.logits(x), y)
    return functional.mse_loss(model(x), y)


def _generator(seed: int, epoch: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed * 100_003 + epoch)


def _identity(model: nn.Module, how: Fit, rows: int) -> Json:
    return {**asdict(how), "rows": rows, "shapes": [list(p.shape) for p in model.parameters()]}


def _save(state: Json, path: Path) -> None:
    half = path.with_name(path.name + ".half")
    torch.save(state, half)
    half.replace(path)


def _resume(
    model: nn.Module, adam: torch.optim.Adam, how: Fit, rows: int, path: Path | None
) -> tuple[list[Json], Json]:
    """History and best weights so far, model and optimiser as they were; without a checkpoint, nothing."""
    if path is None or not path.exists():
        return [], {}
    state = torch.load(path, weights_only=True)
    if state["identity"] != _identity(model, how, rows):
        return [], {}
    model.load_state_dict(state["model"])
    adam.load_state_dict(state["adam"])
    return state["history"], state["best"]


def start_as_keras(model: nn.Module, seed: int) -> None:
    """Weights at the start, as Keras sets them: Glorot uniform, biases zero, forget gates of LSTMs one."""
    torch.manual_seed(seed)
    for module in model.modules():
        if isinstance(module, nn.Linear):
            nn.init.xavier_uniform_(module.weight)
            nn.init.zeros_(module.bias)
        elif isinstance(module, nn.LSTM):
            for name, weights in module.named_parameters():
                if "bias" in name:
                    nn.init.zeros_(weights)
                else:
                    for gate in weights.chunk(4):
                        (nn.init.xavier_uniform_ if "ih" in name else nn.init.orthogonal_)(gate)
            size = module.hidden_size
            with torch.no_grad():
                dict(module.named_parameters())["bias_ih_l0"][size : 2 * size] = 1.0


class Scaled(nn.Module):
    """Divide inputs by constants, so that players feed raw numbers and the network sees small ones."""

    def __init__(self, by: tuple[float, ...]) -> None:
        super().__init__()
        self.by: Tensor
        self.register_buffer("by", torch.tensor(by))

    def forward(self, x: Tensor) -> Tensor:
        """The scaled inputs."""
        return x / self.by


def layers(*sizes: int) -> nn.Sequential:
    """Linear layers with ReLU between them, none after the last."""
    parts: list[nn.Module] = []
    for one, two in pairwise(sizes):
        parts += [nn.Linear(one, two), nn.ReLU()]
    return nn.Sequential(*parts[:-1])


def to_onnx(model: nn.Module, example: Tensor, dynamic: dict[int, str]) -> bytes:
    """The network as an ONNX file with input ``x`` and output ``y``, checked against torch.

    ``dynamic`` names the axes of input and output that may have any size.
    """
    file = io.BytesIO()
    model.eval()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the exporter's deprecations and its notes on variable batches
        torch.onnx.export(
            model, (example,), file, dynamo=False,  # type: ignore[arg-type]
            input_names=["x"], output_names=["y"],
            dynamic_axes={"x": dynamic, "y": dynamic},
        )  # fmt: skip
    payload = file.getvalue()
    with torch.no_grad():
        expected = model(example).numpy()
    found = Network("the exported network", payload)(example.numpy())
    if (difference := float(np.abs(found - expected).max())) > TOLERANCE:
        raise ValueError(f"the exported network differs from the trained one by {difference:.2g}")
    return payload
