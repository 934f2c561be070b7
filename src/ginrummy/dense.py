"""Small networks in kernels: layers whose weights stand one after the other in one float32 array.

A layer of ``n`` inputs and ``m`` outputs takes ``n * m`` weights, input by input, then ``m`` biases. Sums are
made in one order, whatever else is asked in the same call, so that one table gets the answers of a batch.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from ginrummy._jit import lean

Weights = npt.NDArray[np.float32]


def size(*widths: int) -> int:
    """Numbers that layers of these widths take."""
    return sum((n + 1) * m for n, m in pairwise(widths))


def flat(layers: Sequence[tuple[npt.ArrayLike, npt.ArrayLike]]) -> Weights:
    """Layers in one array, from their weights [outputs, inputs] and biases [outputs], as torch keeps them."""
    parts = [part for w, b in layers for part in (np.asarray(w).T.ravel(), np.asarray(b).ravel())]
    return np.concatenate(parts).astype(np.float32)


@lean
def dense(x, p, at, n, m, out):
    """Write the ``m`` outputs of the layer that starts at ``p[at]``; returns where the next one starts."""
    bias = at + n * m
    for k in range(m):
        out[k] = p[bias + k]
    add(x, p, at, n, m, out)
    return bias + m


@lean
def add(x, p, at, n, m, out):
    """Add to ``out`` what the weights at ``p[at]`` make of ``x``. Inputs that are 0 cost nothing.

    The row of weights is cut out first: places that count from 0 let the compiler add several at a time.
    """
    for j in range(n):
        value = x[j]
        if value != 0:
            row = p[at + j * m : at + j * m + m]
            for k in range(len(row)):
                out[k] += value * row[k]


@lean
def relu(x, n):
    """Raise the first ``n`` numbers to 0."""
    for k in range(n):
        x[k] = max(x[k], np.float32(0))


@lean
def softmax(x, n, out):
    """Write chances from the first ``n`` logits; ``out`` is float64."""
    top = np.float64(x[0])
    for k in range(1, n):
        top = max(top, np.float64(x[k]))
    total = 0.0
    for k in range(n):
        out[k] = np.exp(np.float64(x[k]) - top)
        total += out[k]
    for k in range(n):
        out[k] /= total
