"""The actor as a compiled function of packed rows, in float32, for few rows at a time.

Torch needs hundreds of rows to be fast. Past selves sit at few tables, so they think with this kernel.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ginrummy._jit import kernel, lean
from ginrummy.cards import CARDS
from ginrummy.training.selfplay.arena import Floats
from ginrummy.training.selfplay.kernels import LOGITS
from ginrummy.training.selfplay.nets import VIEW_LAYOUT, Actor
from ginrummy.training.selfplay.rows import NO_SUIT, SUITS, Packed, sums

_UNROLLED = 4


class Weights(NamedTuple):
    """Weights of an actor as the kernel takes them: each table has a row for each input."""

    first: Floats  # [places, 2 * width]
    bias: Floats  # [width]
    own: Floats  # [depth - 1, width, width]
    shared: Floats  # [depth - 1, width, width]
    biases: Floats  # [depth - 1, width]
    discard: Floats  # [width + 1, 13]  the bias in the last row, here and below
    common: Floats  # [width + 1, 64]
    choices: Floats  # [64 + 1, 2]
    trust: Floats  # [3]


def weights(actor: Actor) -> Weights:
    """Copy the weights of an actor."""

    def array(tensor: Any) -> Floats:
        given: Floats = tensor.detach().numpy()
        return given

    def with_bias(layer: Any) -> Floats:
        return np.concatenate([array(layer.weight).T, array(layer.bias)[None]])

    trunk = actor.trunk
    own, shared = list[Any](trunk.suits), list[Any](trunk.shared)
    first = np.zeros((VIEW_LAYOUT.places, 2 * trunk.width), np.float32)
    first[VIEW_LAYOUT.own, : trunk.width] = array(own[0].weight).T
    first[VIEW_LAYOUT.shared, trunk.width :] = array(shared[0].weight).T
    copied = Weights(
        first,
        array(shared[0].bias),
        np.stack([array(one.weight).T for one in own[1:]]),
        np.stack([array(one.weight).T for one in shared[1:]]),
        np.stack([array(one.bias) for one in shared[1:]]),
        with_bias(actor.discard),
        with_bias(actor.common),
        with_bias(actor.choices),
        array(actor.trust),
    )
    return Weights(*(np.array(one, order="C") for one in copied))


@kernel
def _think(spots, values, ends, blueprint, w, h, z, out):
    width = w.bias.shape[0]
    for n in range(out.shape[0]):
        sums(spots, values, ends[n, 0], ends[n, 1], w.first, w.bias, h)
        for suit in range(SUITS):
            for j in range(width):
                h[suit, j] = max(h[suit, j] + h[NO_SUIT, j], np.float32(0))
        _average(h)
        for layer in range(w.biases.shape[0]):
            _layer(h, w.own[layer], w.shared[layer], w.biases[layer], z)
            _average(h)
        for suit in range(SUITS):
            _dense(h[suit], w.discard, out[n, 13 * suit : 13 * suit + 13])
        common = z[0, : w.common.shape[1]]
        _dense(h[NO_SUIT], w.common, common)
        for j in range(common.shape[0]):
            common[j] = max(common[j], np.float32(0))
        _dense(common, w.choices, out[n, CARDS:])
        for k in range(LOGITS):
            out[n, k] += w.trust[0 if k < CARDS else 1 + k - CARDS] * blueprint[n, k]


@lean
def _average(h):
    """Write the mean of the suits after them."""
    for j in range(h.shape[1]):
        h[NO_SUIT, j] = (h[0, j] + h[1, j] + (h[2, j] + h[3, j])) * np.float32(0.25)


@lean
def _layer(h, own, shared, bias, z):
    """A later layer on ``h`` [5, width]: the suits, then their mean. ``z`` is room like it."""
    width = bias.shape[0]
    for j in range(width):
        z[NO_SUIT, j] = bias[j]
    z[:NO_SUIT] = 0
    for which in range(SUITS + 1):
        table = own if which < SUITS else shared
        given, to = h[which], z[which]
        for k in range(0, width, _UNROLLED):
            a, b, c, d = given[k], given[k + 1], given[k + 2], given[k + 3]
            wa, wb, wc, wd = table[k], table[k + 1], table[k + 2], table[k + 3]
            for j in range(width):
                to[j] += a * wa[j] + b * wb[j] + (c * wc[j] + d * wd[j])
    for suit in range(SUITS):
        for j in range(width):
            h[suit, j] += max(z[suit, j] + z[NO_SUIT, j], np.float32(0))


@lean
def _dense(given, table, out):
    """A dense layer; its bias is the last row of the table."""
    inputs = given.shape[0]
    for j in range(out.shape[0]):
        out[j] = table[inputs, j]
    for k in range(inputs):
        value = given[k]
        for j in range(out.shape[0]):
            out[j] += value * table[k, j]


def think(w: Weights, packed: Packed, blueprint: npt.NDArray[np.float32], size: int) -> Floats:
    """[size, 54] logits of the first packed rows; ``blueprint`` [size or more, 54] are its scores."""
    out = np.empty((size, LOGITS), np.float32)
    h = np.empty((SUITS + 1, len(w.bias)), np.float32)
    z = np.empty((SUITS + 1, max(len(w.bias), w.common.shape[1])), np.float32)
    _think(*packed, blueprint, w, h, z, out)
    return out
