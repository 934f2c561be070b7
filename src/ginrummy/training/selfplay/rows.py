"""Inputs of the networks as lists of the numbers that are not zero, and the first layer on such lists.

About one input in ten is not zero. A row is packed once; the first layer of a network then adds up only the
columns of weights that it needs, forwards and backwards. Later layers are dense and belong to ``nets``.

A packed row has two parts: what the view tells, for both networks, and after it what only the critic sees.
Each number has a *spot*: ``8 * place + suit``, where ``place`` counts the inputs of one suit, then the
numbers about the table; inputs that belong to no suit have ``NO_SUIT``.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ginrummy._jit import lean
from ginrummy.policies.champion import CARD_INPUTS, NUMBERS, SUIT_INPUTS
from ginrummy.training.selfplay.privileged import SECRET_NUMBERS, SECRET_SUIT_INPUTS
from ginrummy.view import IntArray

SUITS = 4
NO_SUIT = 4
VIEW_PLACES = SUIT_INPUTS + NUMBERS
"""Places of the numbers that the view tells."""
PLACES = VIEW_PLACES + SECRET_SUIT_INPUTS + SECRET_NUMBERS
"""Places of all numbers."""
ROOM = 512
"""Numbers that a packed row can have. The planes of ``policies.champion`` mark at most 330 cards together,
then come its 64 numbers, and at most 52 secrets."""

GROUP = 4
"""The first layer adds up so many numbers of one suit at a time."""

_SUIT_OF = 7
_PLACE_OF = 3


class Packed(NamedTuple):
    """Rows of inputs without their zeros, one after the other."""

    spots: npt.NDArray[np.uint16]  # [numbers]
    values: npt.NDArray[np.float32]  # [numbers]
    ends: IntArray  # [M, 3] int64  where a row begins, where what the view tells ends, where all ends

    @staticmethod
    def room(rows: int, numbers: int | None = None) -> "Packed":
        """Room for so many rows, with so many numbers together."""
        size = rows * ROOM if numbers is None else numbers
        return Packed(np.zeros(size, np.uint16), np.zeros(size, np.float32), np.zeros((rows, 3), np.int64))


@lean
def _pack(dense, bits, suit_inputs, first, start, spots, values):
    """Append the numbers of ``dense`` that are not zero from ``start`` on; returns where they end.

    ``bits`` is the same memory as int32. ``dense`` has ``suit_inputs`` numbers for each suit and then those
    of no suit; ``first`` is their first place. The numbers of each suit, and those of none, are filled up
    with zeros to whole groups of ``GROUP``.
    """
    n = start
    begin = 0
    for suit in range(SUITS + 1):
        end = begin + suit_inputs if suit < SUITS else dense.shape[0]
        place = first if suit < SUITS else first + suit_inputs
        k = begin
        while k < end:
            # Most stretches hold zeros alone.
            if k + 8 <= end and (
                bits[k] | bits[k + 1] | bits[k + 2] | bits[k + 3]
                | bits[k + 4] | bits[k + 5] | bits[k + 6] | bits[k + 7]
            ) == 0:  # fmt: skip
                k += 8
                continue
            for j in range(k, min(k + 8, end)):
                if dense[j] != 0:
                    spots[n] = (place + j - begin) << _PLACE_OF | suit
                    values[n] = dense[j]
                    n += 1
            k += 8
        while (n - start) % GROUP != 0:
            spots[n] = place << _PLACE_OF | suit
            values[n] = 0
            n += 1
        begin = end
    return n


@lean
def pack_view(x, bits, start, spots, values):
    """Pack the inputs of one decision that the view tells; returns where they end."""
    return _pack(x, bits, SUIT_INPUTS, 0, start, spots, values)


@lean
def pack_secrets(y, bits, start, spots, values):
    """Pack the secrets of one decision; returns where they end."""
    return _pack(y, bits, SECRET_SUIT_INPUTS, VIEW_PLACES, start, spots, values)


@lean
def sums(spots, values, start, stop, table, bias, out):
    """Add up the first layer of one row: ``out`` [5, width] gets each suit's own sum, then the shared one.

    ``table`` [PLACES, 2 * width] holds for each place its weights to its own suit, then to all suits.
    """
    width = bias.shape[0]
    out[:] = 0
    shared = out[NO_SUIT]
    for j in range(width):
        shared[j] = bias[j]
    for k in range(start, stop, GROUP):
        a, b, c, d = values[k], values[k + 1], values[k + 2], values[k + 3]
        wa, wb = table[spots[k] >> _PLACE_OF], table[spots[k + 1] >> _PLACE_OF]
        wc, wd = table[spots[k + 2] >> _PLACE_OF], table[spots[k + 3] >> _PLACE_OF]
        suit = spots[k] & _SUIT_OF
        if suit != NO_SUIT:
            own = out[suit]
            for j in range(width):
                own[j] += a * wa[j] + b * wb[j] + (c * wc[j] + d * wd[j])
        for j in range(width):
            i = width + j
            shared[j] += a * wa[i] + b * wb[i] + (c * wc[i] + d * wd[i])


@lean
def first_layer(spots, values, ends, kind, rows, table, bias, room, bits, out):
    """Write the first layer of some rows to ``out`` [4, N, width], as the bits of bfloat16 numbers.

    ``kind`` 0 reads what the view tells, 1 all numbers. ``room`` [6, width] float32 and ``bits``, the same
    memory as uint32, are for intermediate sums.
    """
    width = bias.shape[0]
    for n in range(rows.shape[0]):
        row = rows[n]
        sums(spots, values, ends[row, 0], ends[row, 1 + kind], table, bias, room[:5])
        shared, rounded, whole = room[NO_SUIT], room[5], bits[5]
        for suit in range(SUITS):
            own, to = room[suit], out[suit, n]
            for j in range(width):
                rounded[j] = max(own[j] + shared[j], np.float32(0))
            for j in range(width):
                to[j] = (
                    whole[j] + np.uint32(0x7FFF) + (whole[j] >> np.uint32(16) & np.uint32(1))
                ) >> np.uint32(16)


@lean
def first_layer_back(spots, values, ends, kind, rows, forward, slope, room, bits, to_table, to_bias):
    """Add the slopes of the first layer's weights to ``to_table`` and ``to_bias``.

    ``forward`` is what ``first_layer`` gave, ``slope`` [4, N, width] the slope of the loss by it, as bits.
    """
    width = to_bias.shape[0]
    for n in range(rows.shape[0]):
        row = rows[n]
        shared = room[NO_SUIT]
        shared[:] = 0
        for suit in range(SUITS):
            own, whole, gate, given = room[suit], bits[suit], forward[suit, n], slope[suit, n]
            for j in range(width):
                whole[j] = np.uint32(given[j]) << np.uint32(16) if gate[j] != 0 else np.uint32(0)
            for j in range(width):
                shared[j] += own[j]
        for j in range(width):
            to_bias[j] += shared[j]
        for k in range(ends[row, 0], ends[row, 1 + kind]):
            value = values[k]
            weights = to_table[spots[k] >> _PLACE_OF]
            suit = spots[k] & _SUIT_OF
            if suit != NO_SUIT:
                own = room[suit]
                for j in range(width):
                    weights[j] += value * own[j]
            for j in range(width):
                weights[width + j] += value * shared[j]


assert CARD_INPUTS == SUITS * SUIT_INPUTS
