"""How much the opponent wants a card, by what it is believed to hold.

Source: Nguyen, Doan and Neller, EAAI 2021 (S0), Equations 8 and 9.
"""

import numpy as np

from ginrummy._jit import kernel, lowest
from ginrummy.cards import POINTS


@kernel
def desirability(card, belief, all_melds):
    """Equation 8: over the melds with the card, the chance that the opponent holds the rest, added up.

    The chances are taken as independent. A longer meld holds one of three cards already, so melds of three
    are counted; with ``all_melds`` all are. Runs through the card are products of a stretch to its left and
    one to its right, so the sum over all of them is a product of two sums, less those of one and two cards.
    """
    rank = card % 13
    a, b, c = belief[(card + 13) % 52], belief[(card + 26) % 52], belief[(card + 39) % 52]
    sets = a * b + a * c + b * c
    below = belief[card - 1] if rank > 0 else 0.0
    above = belief[card + 1] if rank < 12 else 0.0
    if not all_melds:
        lower = below * belief[card - 2] if rank > 1 else 0.0
        upper = above * belief[card + 2] if rank < 11 else 0.0
        return sets + lower + below * above + upper
    left = right = 1.0
    product = 1.0
    for step in range(1, rank + 1):
        product *= belief[card - step]
        left += product
    product = 1.0
    for step in range(1, 13 - rank):
        product *= belief[card + step]
        right += product
    return sets + a * b * c + left * right - 1.0 - below - above


@kernel
def discard_value(card, belief, desire_weight, deadwood_weight, all_melds):
    """Equation 9: safety and deadwood on one scale; the best discard has most."""
    safety = 1.0 - desirability(card, belief, all_melds)
    return safety * desire_weight + POINTS[card] / 10.0 * deadwood_weight


@kernel
def best_valued(cards, values):
    """Those of ``cards`` with the greatest of ``values`` [52]."""
    most = -np.inf
    best = np.int64(0)
    while cards != 0:
        card = lowest(cards)
        cards &= cards - 1
        if values[card] > most:
            most = values[card]
            best = np.int64(0)
        if values[card] == most:
            best |= np.int64(1) << card
    return best


@kernel
def safest_cards(cards, belief, size, values):
    """The ``size`` cards that the opponent wants least, of equals the dearest; ``values`` is scratch."""
    left = cards
    while left != 0:
        card = lowest(left)
        left &= left - 1
        values[card] = desirability(card, belief, False)
    chosen = np.int64(0)
    for _ in range(size):
        best = -1
        left = cards & ~chosen
        while left != 0:
            card = lowest(left)
            left &= left - 1
            if (
                best < 0
                or values[card] < values[best]
                or (values[card] == values[best] and POINTS[card] > POINTS[best])
            ):
                best = card
        if best >= 0:
            chosen |= np.int64(1) << best
    return chosen
