"""The way out of torch: a trained network as the content of an ONNX file."""

import io
import warnings

import numpy as np
import torch
from torch import Tensor, nn

from ginrummy.networks import Network

TOLERANCE = 1e-5
"""Greatest difference allowed between a network in torch and its ONNX file."""


def to_onnx(model: nn.Module, example: Tensor, dynamic: dict[int, str]) -> bytes:
    """The network as an ONNX file with input ``x`` and output ``y``, checked against torch.

    ``dynamic`` names the axes of input and output that may have any size.
    """
    file = io.BytesIO()
    model.eval()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the exporter warns of deprecations and of batches of any size
        torch.onnx.export(
            model, (example,), file, dynamo=False,  # type: ignore[arg-type]
            input_names=["x"], output_names=["y"],
            dynamic_axes={"x": dynamic, "y": dynamic},
        )  # fmt: skip
    payload = file.getvalue()
    with torch.no_grad():
        expected = model(example).numpy()
    found = Network("the exported network", payload)(example.numpy())
    size = max(1.0, float(np.abs(expected).max()))
    if (difference := float(np.abs(found - expected).max())) > TOLERANCE * size:
        raise ValueError(f"the exported network differs from the trained one by {difference:.2g}")
    return payload
