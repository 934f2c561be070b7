"""The networks of the joint belief, in kernels: logits of single cards, and the weight of a whole hand.

The *context* is ``CONTEXT`` numbers that belong to no card: those of ``belief-net``, how the opponent played
in earlier rounds and in this one, and the odds of its types.

Cards: two layers that treat the suits alike, each with the mean of all suits, then 13 logits for each suit.
Hands: the *situation* gives a coefficient for each feature of a hand and an input of a small network over the
features; the sum of both is the logarithm of the hand's weight.
"""

import numpy as np

from ginrummy._jit import lean
from ginrummy.dense import add, dense, relu, size
from ginrummy.estimators.belief_net import SCALARS, SUIT_INPUTS, write_inputs
from ginrummy.estimators.hand_features import FEATURES
from ginrummy.estimators.types import EARLIER, NOW, TYPES, write_earlier, write_now

PLANES = 4 * SUIT_INPUTS
CONTEXT = SCALARS + EARLIER + NOW + len(TYPES)
INPUTS = PLANES + CONTEXT
"""Of the network of cards: planes suit by suit, then the context."""
WIDTH = 128
CARDS_SIZE = (
    size(SUIT_INPUTS, WIDTH)
    + (SUIT_INPUTS + CONTEXT) * WIDTH
    + size(WIDTH, WIDTH)
    + WIDTH * WIDTH
    + size(WIDTH, 13)
)
SITUATION = CONTEXT + WIDTH
"""What the network of hands knows of a row: the context, and the last layer of cards, mean over suits."""
MIND, FIRST, SECOND = 64, 40, 16
"""Widths of the networks of hands: over the situation; over the features, two layers."""
HANDS_SIZE = size(SITUATION, MIND, FEATURES + FIRST) + FEATURES * FIRST + size(FIRST, SECOND, 1)
CARDS_ROOM = SUIT_INPUTS + CONTEXT + 2 * 4 * WIDTH + 2 * WIDTH
HANDS_ROOM = MIND + FIRST + SECOND + 1
"""float32 of scratch."""


@lean
def write_row(seen, belief, odds, x):
    """Write the inputs of one row to ``x`` [INPUTS]; ``belief`` is that of Bayes' rule."""
    write_inputs(seen, belief, x)
    m = x[PLANES + SCALARS :]
    write_earlier(seen, m)
    write_now(seen, m[EARLIER:])
    for kind in range(len(TYPES)):
        m[EARLIER + NOW + kind] = odds[kind]


@lean
def card_logits(x, p, room, situation, out):
    """Write a logit for each card to ``out`` [52], and the situation."""
    n = SUIT_INPUTS + CONTEXT
    mean, rest = room[:n], room[n:]
    _mean(x, SUIT_INPUTS, mean)
    for j in range(CONTEXT):
        mean[SUIT_INPUTS + j] = x[PLANES + j]
    one, two, common = rest[: 4 * WIDTH], rest[4 * WIDTH : 8 * WIDTH], rest[8 * WIDTH : 9 * WIDTH]
    at = _suit_layer(x, SUIT_INPUTS, mean, n, p, 0, common, one)
    mean = rest[9 * WIDTH :]
    _mean(one, WIDTH, mean)
    at = _suit_layer(one, WIDTH, mean, WIDTH, p, at, common, two)
    for suit in range(4):
        dense(two[suit * WIDTH :], p, at, WIDTH, 13, out[13 * suit :])
    for j in range(CONTEXT):
        situation[j] = x[PLANES + j]
    _mean(two, WIDTH, situation[CONTEXT:])


@lean
def _mean(x, n, out):
    """Write the mean of four suits of ``n`` numbers."""
    for j in range(n):
        out[j] = (x[j] + x[j + n] + x[j + 2 * n] + x[j + 3 * n]) * np.float32(0.25)


@lean
def _suit_layer(x, n, mean, shared, p, at, common, out):
    """A layer that treats the suits alike, with ReLU; returns where the next one starts."""
    both = at + n * WIDTH + WIDTH
    for k in range(WIDTH):
        common[k] = p[at + n * WIDTH + k]
    add(mean, p, both, shared, WIDTH, common)
    for suit in range(4):
        one = out[suit * WIDTH :]
        for k in range(WIDTH):
            one[k] = common[k]
        add(x[suit * n :], p, at, n, WIDTH, one)
        relu(one, WIDTH)
    return both + shared * WIDTH


@lean
def read_situation(x, p, room, mind):
    """Write coefficients and inputs of the hands' network to ``mind`` [FEATURES + FIRST], once for a row."""
    at = dense(x, p, 0, SITUATION, MIND, room)
    relu(room, MIND)
    dense(room, p, at, MIND, FEATURES + FIRST, mind)


@lean
def energy(f, mind, p, room):
    """The logarithm of a hand's weight, from its features."""
    first, second, last = room[MIND:], room[MIND + FIRST :], room[MIND + FIRST + SECOND :]
    at = (SITUATION + 1) * MIND + (MIND + 1) * (FEATURES + FIRST)
    total = np.float32(0)
    for j in range(FEATURES):
        total += f[j] * mind[j]
    for k in range(FIRST):
        first[k] = mind[FEATURES + k]
    add(f, p, at, FEATURES, FIRST, first)
    relu(first, FIRST)
    at = dense(first, p, at + FEATURES * FIRST, FIRST, SECOND, second)
    relu(second, SECOND)
    dense(second, p, at, SECOND, 1, last)
    return total + last[0]
