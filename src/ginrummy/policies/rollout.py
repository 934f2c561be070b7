"""A fast rule for rollouts: what the opponent plays after the answers that a search compares.

A discard ``c`` is scored by

    s(c) = d0(c) - MAKER * DECAY^t * (live cards that would meld afterwards) + TERM * opponent term

and the least score wins: ``d0`` is the deadwood left, ``t`` the own turn, and the opponent term is that of
``hand-strength``'s program. Nothing looks ahead. Draw and knock follow the rules of ``hand-strength`` by the
same constants: a type of opponent is a list of knock limits.

The constants are those of ``hand_strength``, with three more at the end.
"""

import numpy as np

from ginrummy._jit import count, inlined, lean, lowest
from ginrummy.cards import DECK
from ginrummy.compiled.policy import Policy
from ginrummy.makers import meld_makers
from ginrummy.meld_kernels import deadwood, least_after_discard, melds_with
from ginrummy.policies.baseline import spread_best
from ginrummy.policies.defence import spread_with_care
from ginrummy.policies.hand_strength import knocks
from ginrummy.strength import DRAW_LOOSE, DRAW_MELD, PARAMETERS, candidates, opponent_term_of_program

MAKER, DECAY, TERM = range(PARAMETERS, PARAMETERS + 3)
"""Places of the constants that follow those of ``hand_strength``."""
CONSTANTS = PARAMETERS + 3
_HARDLY = 100.0
"""No upcard lowers the deadwood by this much."""


@lean
def best_fast(hand, allowed, gone, held, turn, p, scratch):
    """The discard with the least score; the first of equal ones.

    ``gone`` are the pile and the own hand, ``held`` the cards that the opponent is known to hold.
    """
    cards = candidates(hand, allowed, p, scratch)
    best = lowest(cards)
    if cards & (cards - 1) == 0:
        return best
    unseen = DECK & ~(gone | held)
    weight = p[MAKER] * p[DECAY] ** turn
    least = np.inf
    while cards != 0:
        card = lowest(cards)
        bit = np.int64(1) << card
        cards ^= bit
        live = count(meld_makers(hand ^ bit) & unseen)
        value = scratch[card] - weight * live + p[TERM] * opponent_term_of_program(card, gone, held, p)
        if scratch[card] == 0:  # gin: nothing else matters
            return card
        if value < least:
            least = value
            best = card
    return best


@inlined
def draw(seen, p, u, scratch):
    """Take what lowers deadwood by enough: less from a card that melds than from one that does not."""
    top = np.int64(seen.top)
    eleven = seen.hand | np.int64(1) << top
    needed = p[DRAW_MELD] if melds_with(eleven, top) else p[DRAW_LOOSE]
    return needed < _HARDLY and deadwood(seen.hand) - least_after_discard(eleven) >= needed


@lean
def discard(seen, p, u, scratch):
    """Discard by the least score."""
    gone = seen.pile | seen.hand
    return best_fast(seen.hand, seen.allowed, gone, seen.opponent, np.int64(seen.own_turns), p, scratch)


@inlined
def knock(seen, p, u, scratch):
    """Knock by the limits of the own turns; gin always."""
    return knocks(deadwood(seen.hand), np.int64(seen.own_turns), p)


@lean
def spread(seen, p, u, scratch, out):
    """Lay down any best melds with gin and in defence; otherwise those that leave least to lay off."""
    if seen.knocked[0] != 0 or deadwood(seen.hand) == 0:
        spread_best(seen, p, 0.0, scratch, out)
    else:
        spread_with_care(seen, p, u, scratch, out)


ROLLOUT = Policy(draw, discard, knock, spread)
