"""Discards that look one turn ahead, as paper S3 has them in the training of its knock table.

Source: Goldstein, Astudillo Guerra, Haigh, Cruz Ulloa and Blum, "Extracting Learned Discard and Knocking
Strategies from a Gin Rummy Bot" (EAAI 2021). The value of a discard is the mean of the lowest 58.8 % (one in
1.7) of the deadwoods after one more unseen card and a discard; the least is best.

Differs: after the unseen card any discard may be best, where the paper takes the dearest card outside the
melds; no opponent term.
"""

import numpy as np

from ginrummy._jit import count, lean, lowest
from ginrummy.cards import DECK
from ginrummy.policies.baseline import any_card
from ginrummy.savings import future_deadwood
from ginrummy.strength import MAX_K, candidates

SHARE = 1 / 1.7
"""Share of the unseen cards, those that leave least deadwood, over which the mean is taken."""


@lean
def best_one_turn(hand, allowed, unseen, p, scratch):
    """Mask of the discards with the least deadwood to come: one card, unless values are equal."""
    cards = candidates(hand, allowed, p, scratch)
    if cards & (cards - 1) == 0:
        return cards
    k = min(max(int(count(unseen) * SHARE + 0.5), 1), MAX_K)
    least = 1e18
    best = np.int64(0)
    while cards != 0:
        card = lowest(cards)
        bit = np.int64(1) << card
        cards ^= bit
        value = future_deadwood(hand ^ bit, unseen, k, scratch[64:])
        if value < least - 1e-9:
            least = value
            best = bit
        elif value < least + 1e-9:
            best |= bit
    return best


@lean
def discard_one_turn(seen, p, u, scratch):
    """Discard for least deadwood one turn ahead; ties are broken by ``u``."""
    unseen = DECK & ~(seen.hand | seen.pile | seen.opponent)
    return any_card(best_one_turn(seen.hand, seen.allowed, unseen, p, scratch), u)
