"""What the critic sees besides the view: the other hand and the stock in order. Training only.

The critic says how good a position is, so that the actor learns from less noise. It is never shipped, and
this module is the only one that writes its inputs.
"""

import numpy as np

from ginrummy._jit import lean, lowest
from ginrummy.cards import CARDS
from ginrummy.meld_kernels import best_discards, deadwood, deadwood_without
from ginrummy.tables import DISCARD_PHASE, DRAW_PHASE
from ginrummy.view import SECOND_OFFER

OTHER_HAND, OTHER_SAVING, NEXT = range(3)
"""Planes: the other hand, what its cards add to its deadwood, and from here on the stock: a plane for each of
the next four cards, and one for the eight after them."""
SECRET_PLANES = 7
SECRET_SUIT_INPUTS = 13 * SECRET_PLANES
_SINGLE = 4
_SEEN_AHEAD = 12
_DRAWS_AHEAD, _DRAWS_SHOWN = 8, 6
_OTHER_NUMBERS = 4
_AHEAD_NUMBERS = _DRAWS_SHOWN + 2
SECRET_NUMBERS = _OTHER_NUMBERS + 2 * _AHEAD_NUMBERS
SECRETS = CARDS * SECRET_PLANES + SECRET_NUMBERS
_LATE = 1.2


@lean
def write_secrets(t, v, w, scratch, y):
    """Write to ``y`` [SECRETS] what the side that sees ``v`` is not told; ``w`` is the other side's view."""
    y[:] = 0
    other = w.hand
    now = deadwood(other)
    deadwood_without(other, scratch)
    cards = other
    while cards != 0:
        card = lowest(cards)
        cards &= cards - 1
        y[_place(OTHER_HAND, card)] = 1.0
        y[_place(OTHER_SAVING, card)] = (now - scratch[card]) * 0.1
    for k in range(_SEEN_AHEAD):
        if k >= v.stock:
            break
        coming = np.int64(t.deck[CARDS - v.stock + k])
        if k < _SINGLE:
            y[_place(NEXT + k, coming)] = 1.0
        else:
            y[_place(NEXT + _SINGLE, coming)] = 1.0 - 0.1 * (k - _SINGLE)
    numbers = y[CARDS * SECRET_PLANES :]
    numbers[0] = now * 0.02
    numbers[1] = now <= v.limit
    numbers[2] = now <= 3
    numbers[3] = w.own_turns - v.own_turns
    mine = v.hand
    other_draws_first = 1
    if t.phase == DISCARD_PHASE:
        _, best = best_discards(mine)
        mine ^= best & -best
    elif t.phase == DRAW_PHASE and v.offer != SECOND_OFFER:
        other_draws_first = 0
    first = CARDS - np.int64(v.stock)
    own = numbers[_OTHER_NUMBERS : _OTHER_NUMBERS + _AHEAD_NUMBERS]
    _draw_ahead(t, mine, first + other_draws_first, v.limit, own)
    _draw_ahead(t, other, first + 1 - other_draws_first, v.limit, numbers[_OTHER_NUMBERS + _AHEAD_NUMBERS :])


@lean
def _place(plane, card):
    return SECRET_SUIT_INPUTS * (card // 13) + 13 * plane + card % 13


@lean
def _draw_ahead(t, hand, position, limit, out):
    """Write the deadwoods of a hand that draws every second stock card and keeps the least deadwood.

    The last two numbers say how soon it could knock and have gin.
    """
    knock = gin = _LATE
    left = np.int64(99)
    for k in range(_DRAWS_AHEAD):
        place = position + 2 * k
        if place < CARDS - 2:
            eleven = hand | np.int64(1) << np.int64(t.deck[place])
            left, best = best_discards(eleven)
            hand = eleven ^ (best & -best)
            if left <= limit and knock == _LATE:
                knock = 0.1 * k
            if left == 0 and gin == _LATE:
                gin = 0.1 * k
        if k < _DRAWS_SHOWN:
            out[k] = (left if left < 60 else 60) * 0.02
    out[_DRAWS_SHOWN], out[_DRAWS_SHOWN + 1] = knock, gin
