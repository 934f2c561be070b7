"""What the record of a trained estimator says about its beliefs on games held back."""

from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from ginrummy.judging.metrics import log_loss, mean_squared_difference, places, top_n

Json = dict[str, Any]


def quality(
    beliefs: npt.NDArray[np.float32], truth: npt.NDArray[np.int64], known: npt.NDArray[np.int64]
) -> dict[str, float]:
    """Metrics of [N, 52] beliefs; the losses are those of unknown cards only."""
    return {
        "moments": len(truth),
        "log_loss": float(log_loss(beliefs, truth, known).mean()),
        "brier": float(mean_squared_difference(beliefs, truth, known).mean()),
        "top_n": float(top_n(places(beliefs, truth)).mean()),
        "sum": float(beliefs.sum() / max(1, len(beliefs))),
    }


def answers(model: nn.Module, x: Tensor) -> npt.NDArray[np.float32]:
    """The outputs of a network for all rows."""
    with torch.no_grad():
        parts = [model(x[start : start + 4000].float()).numpy() for start in range(0, len(x), 4000)]
    return np.concatenate(parts)


def summary(result: Json) -> str:
    """What a person reads about the training of an estimator."""
    data, training = result["made_from"], result["training"]
    history = training["history"]
    best = min(history, key=lambda epoch: float(epoch["validation"]))
    lines = [
        f"{result['artefact']}: {data['rows']:,} moments, {len(history)} epochs in {result['seconds']:.0f} s",
        f"loss {best['train']:.4f}, on games held back {best['validation']:.4f}",
    ]
    for name, values in training["validation"].items():
        lines.append(f"{name}: log loss {values['log_loss']:.4f}, top n {values['top_n']:.2f}")
    return "\n".join(lines)
