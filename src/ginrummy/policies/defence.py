"""Laying melds down as well as the rules allow: against a knock with the layoffs in mind.

Leftover cards are laid off first-fit on the knocker's melds, as the challenge program does. A defender may
therefore do better with other melds than those of least deadwood: a card freed from a meld may go off, and
others with it. All sets of disjoint melds are tried; a hand of ten has at most three.
"""

import numpy as np

from ginrummy._jit import count, lean
from ginrummy.cards import DECK
from ginrummy.meld_kernels import MAX_HELD, MAX_MELDS, first_fit_layoff, held_melds, points
from ginrummy.policies.hand_strength import SETS, tightest_spread
from ginrummy.rules import HAND_SIZE

_NONE = np.int64(0)


@lean
def points_left(hand, melded, knocked, gin, copy):
    """Points of a defender's leftover cards after first-fit layoffs; against gin nothing is laid off."""
    loose = hand & ~melded
    if not gin:
        for k in range(MAX_MELDS):
            copy[k] = knocked[k]
        loose &= ~first_fit_layoff(loose, copy)
    return points(loose)


@lean
def best_defence(hand, knocked, scratch, out):
    """Write to ``out`` [1, 4] the melds that leave the defender fewest points; returns these points.

    Fewer melds win among equals, then those that come first. ``scratch`` is room for ``MAX_HELD`` +
    ``MAX_MELDS`` integers.
    """
    held, copy = scratch[:MAX_HELD], scratch[MAX_HELD : MAX_HELD + MAX_MELDS]
    n = held_melds(hand, held)
    laid = np.int64(0)
    for k in range(MAX_MELDS):
        laid |= knocked[k]
        out[0, k] = 0
    gin = count(laid) >= HAND_SIZE
    best = points_left(hand, _NONE, knocked, gin, copy)
    for i in range(n):
        one = held[i]
        best = _better(hand, best, one, _NONE, _NONE, knocked, gin, copy, out)
        for j in range(i + 1, n):
            two = held[j]
            if one & two != 0:
                continue
            best = _better(hand, best, one, two, _NONE, knocked, gin, copy, out)
            for k in range(j + 1, n):
                if held[k] & (one | two) == 0:
                    best = _better(hand, best, one, two, held[k], knocked, gin, copy, out)
    return best


@lean
def _better(hand, best, one, two, three, knocked, gin, copy, out):
    """Keep some melds if they leave fewer points than ``best``; returns the fewest points."""
    left = points_left(hand, one | two | three, knocked, gin, copy)
    if left < best:
        out[0, 0], out[0, 1], out[0, 2] = one, two, three
        return left
    return best


@lean
def spread_with_care(seen, p, u, scratch, out):
    """Defend with the layoffs in mind; knock with the best melds that leave least to lay off."""
    if seen.knocked[0] != 0:
        best_defence(seen.hand, seen.knocked, scratch, out)
        return
    rest = scratch[MAX_HELD + MAX_MELDS :]
    tightest_spread(
        seen.hand,
        DECK & ~(seen.hand | seen.pile),
        scratch[:MAX_HELD],
        scratch[MAX_HELD : MAX_HELD + MAX_MELDS],
        rest[: SETS * MAX_MELDS].reshape((SETS, MAX_MELDS)),
        out,
    )
