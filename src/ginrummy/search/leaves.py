"""What a line of play is worth where it is cut: a small network over all cards, in a kernel.

Play in a world need not go on to the end of the round. After some turns both hands, the pile and the rest of
the stock are known in that world, and a network that has watched many rounds of champion's network against
opponents of all types says how such rounds end. It gives a chance to each of ``BINS`` classes of points; the
order of the stock is not told, so one answer stands for all orders. Nobody at the table knows so much: only a
search may ask, about worlds that it made up itself.

Lines are cut where a side is asked for a draw in an ordinary turn.

    chances = write_chances(own, other, mover, kind, weights, scratch)   # -> scratch
"""

from functools import cache
from io import BytesIO
from typing import NamedTuple
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from ginrummy import artefacts
from ginrummy._jit import add_32, count, inlined, kernel, lean
from ginrummy.cards import DECK, RANK
from ginrummy.dense import Weights, relu, size
from ginrummy.errors import BadInput
from ginrummy.estimators.types import KNOCK_LIMITS, KNOCK_TURNS, TYPES
from ginrummy.makers import meld_makers, paired_ranks
from ginrummy.meld_kernels import deadwood, in_runs, least_after_discard, points, set_ranks
from ginrummy.savings import future_deadwood
from ginrummy.strength import neighbours
from ginrummy.view import IntArray

EDGES = (-45, -35, -28, -25, -13, -1, 0, 1, 13, 25, 28, 35, 45)
"""Least points of each class but the first: those below, and so on. A dead round is a class of its own."""
BINS = len(EDGES) + 1
MODEL = "leaves.npz"

(
    DEADWOOD, LOW, MAY, DOES, LOOSE, LOOSE_1, LOOSE_2, LOOSE_3, ALONE, DEAREST, FUTURE, MAKERS, OUTS,
    LIMIT_OUTS, TYPE_OUTS, GIN_OUTS, SAVED, GIVES, GIVES_POINTS, TAKE_SAVES, TAKE_DOES, TAKE_GIN,
) = range(22)  # fmt: skip
"""Numbers of a side: its deadwood, whether it could knock and whether its type would, cards outside melds,
lone cards, what the stock may bring, its loose cards that the other side could use, the upcard if it may take
it."""
SIDE = 22
_LOWEST = 6
"""Cards over which the future deadwood is a mean."""
_TABLE = 2 * SIDE
(
    MOVES, STOCK, LAST, TURN, TURN_2, TURN_4, TURN_6, TURN_9, OWN_SCORE, OTHER_SCORE, LEAD, GREEDY,
) = range(_TABLE, _TABLE + 12)  # fmt: skip
"""Numbers of the table: who moves, the stock, turns, scores, the manner of the opponent."""
KIND = _TABLE + 12
"""The first of as many numbers as there are types: 1 for that of the opponent."""
INPUTS = KIND + len(TYPES)
LANES, SECOND, PARTS = 32, 32, 4
HIDDEN = PARTS * LANES
"""The first layer is added up in parts."""
WEIGHTS = PARTS * size(INPUTS, LANES) + size(HIDDEN, SECOND) + size(SECOND, LANES)
"""The parts of the first layer, the second layer, the outputs."""
OUTPUTS = LANES
"""Of these ``BINS`` count."""


@lean
def _write_side(hand, other, stock, top, limit, does, f, scratch):
    """Write the numbers of one side to ``f`` [SIDE].

    ``top`` is the upcard that it may take, or 0; ``limit`` that of the round, ``does`` that of its type.
    """
    now = deadwood(hand)
    sets = set_ranks(hand) * RANK & hand
    loose = hand & ~(in_runs(hand) | sets)
    size = max(count(stock), 1)
    f[DEADWOOD], f[LOW] = now * 0.02, min(now, 10) * 0.1
    f[MAY], f[DOES] = now <= limit, now <= does
    cards = count(loose)
    f[LOOSE], f[LOOSE_1], f[LOOSE_2], f[LOOSE_3] = cards * 0.1, cards <= 1, cards <= 2, cards <= 3
    low, high, low2, high2 = neighbours(hand)
    alone = loose & ~(paired_ranks(hand) * RANK | low | high | low2 | high2)
    f[ALONE], f[DEAREST] = points(alone) * 0.03, (now - least_after_discard(hand)) * 0.1
    f[FUTURE] = future_deadwood(hand, stock, _LOWEST, scratch) * 0.03
    outs = limit_outs = type_outs = gin_outs = saved = 0
    makers = meld_makers(hand) & stock
    f[MAKERS] = count(makers) * 0.1
    while makers != 0:
        card = makers & -makers
        makers ^= card
        left = least_after_discard(hand | card)
        outs += left < now
        limit_outs += left <= limit
        type_outs += left <= does
        gin_outs += left == 0
        saved += now - left
    f[OUTS], f[LIMIT_OUTS], f[TYPE_OUTS] = outs / size, limit_outs / size, type_outs / size
    f[GIN_OUTS], f[SAVED] = 3.0 * gin_outs / size, 0.1 * saved / size
    wanted = loose & meld_makers(other)
    f[GIVES], f[GIVES_POINTS] = count(wanted) * 0.3, points(wanted) * 0.03
    f[TAKE_SAVES] = f[TAKE_DOES] = f[TAKE_GIN] = 0
    if top != 0:
        left = least_after_discard(hand | top)
        f[TAKE_SAVES], f[TAKE_DOES], f[TAKE_GIN] = max(now - left, 0) * 0.1, left <= does, left == 0


@lean
def write_leaf(a, b, mover, kind, f, scratch):
    """Write the inputs of a position in which side ``mover`` is asked for a draw: ``a`` is 0, ``b`` is 1.

    ``kind`` is the type of side 1, manner by manner.
    """
    stock = DECK & ~(a.hand | b.hand | a.pile)
    top = np.int64(1) << np.int64(a.top)
    limit = np.int64(a.limit)
    types = KNOCK_LIMITS.shape[0]
    turn = np.int64(b.own_turns)
    does = min(limit, KNOCK_LIMITS[kind % types, turn if turn < KNOCK_TURNS else KNOCK_TURNS - 1])
    up = top if mover == 0 else np.int64(0)
    _write_side(a.hand, b.hand, stock, up, limit, limit, f[:SIDE], scratch)
    _write_side(b.hand, a.hand, stock, top ^ up, limit, does, f[SIDE : 2 * SIDE], scratch)
    f[MOVES] = 1.0 - mover
    f[STOCK], f[LAST] = a.stock / 31.0, a.stock <= 6
    turn = np.int64(a.own_turns)
    f[TURN] = (turn if turn < 12 else 12) * 0.1
    f[TURN_2], f[TURN_4], f[TURN_6], f[TURN_9] = turn >= 2, turn >= 4, turn >= 6, turn >= 9
    f[OWN_SCORE], f[OTHER_SCORE] = a.score * 0.01, a.opponent_score * 0.01
    f[LEAD] = f[OWN_SCORE] - f[OTHER_SCORE]
    f[GREEDY] = kind >= types
    for k in range(types):
        f[KIND + k] = 0
    f[KIND + kind % types] = 1


@inlined
def leaf_value(f, w, prices, hidden):
    """The mean of ``prices`` [BINS] by the chances that the network gives: of the inputs ``f``.

    ``hidden`` is room for HIDDEN + SECOND + OUTPUTS float32.
    """
    first, second, out = hidden[:HIDDEN], hidden[HIDDEN : HIDDEN + SECOND], hidden[HIDDEN + SECOND :]
    whole = (INPUTS + 1) * LANES
    for part in range(PARTS):
        at, lanes = part * whole, first[part * LANES : (part + 1) * LANES]
        for k in range(LANES):
            lanes[k] = w[at + INPUTS * LANES + k]
        add_32(f, INPUTS, w, at, lanes)
    relu(first, HIDDEN)
    at = PARTS * whole
    for k in range(SECOND):
        second[k] = w[at + HIDDEN * SECOND + k]
    add_32(first, HIDDEN, w, at, second)
    relu(second, SECOND)
    at += (HIDDEN + 1) * SECOND
    for k in range(OUTPUTS):
        out[k] = w[at + SECOND * OUTPUTS + k]
    add_32(second, SECOND, w, at, out)
    top = out[0]
    for k in range(1, BINS):
        top = max(top, out[k])
    total, value = 0.0, 0.0
    for k in range(BINS):
        chance = np.exp(np.float64(out[k] - top))
        total += chance
        value += chance * prices[k]
    return value / total


@kernel
def leaf_rows(first, second, rows, mover, kinds, scratch, out):
    """Write the inputs of some tables, for training; ``kinds`` [N] are types of side 1."""
    for k in range(rows.shape[0]):
        b = rows[k]
        write_leaf(first[b], second[b], mover, kinds[k], out[k], scratch)


@kernel
def leaf_values(x, w, prices, hidden, out):
    """The values of rows of inputs."""
    for k in range(x.shape[0]):
        out[k] = leaf_value(x[k], w, prices, hidden)


class Leaves(NamedTuple):
    """The trained network."""

    weights: Weights  # [WEIGHTS] float32
    shares: npt.NDArray[np.float64]
    """[BINS, 2 * SPAN + 1] how the points of a class are spread."""


@cache
def leaves(model: str = MODEL) -> Leaves:
    """The shipped network of leaves."""
    payload = artefacts.load(model)
    try:
        with np.load(BytesIO(payload), allow_pickle=False) as found:
            weights = np.asarray(found["weights"], np.float32)
            shares = np.asarray(found["shares"], np.float64)
    except (EOFError, ValueError, KeyError, BadZipFile) as error:
        raise BadInput(f"{model} does not hold the network of leaves") from error
    if weights.shape != (WEIGHTS,) or shares.shape[0] != BINS:
        raise BadInput(f"{model} holds another network of leaves")
    return Leaves(weights, shares)


def bin_of(won: IntArray) -> npt.NDArray[np.int64]:
    """The classes of points."""
    return np.searchsorted(EDGES, won, side="right")
