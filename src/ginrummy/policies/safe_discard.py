"""How much the opponent wants a card, by what it is believed to hold.

Source: Nguyen, Doan and Neller, EAAI 2021 (S0), Equations 8 and 9. The readings of what is safe are ours: see
``players.safe_discard``.
"""

import numpy as np

from ginrummy._jit import count, kernel, lowest
from ginrummy.cards import CARDS, DECK, POINTS
from ginrummy.policies.card_value import hit_count, loose_cards

SAFETIES = ("masked", "raw", "unknown", "open", "likely", "card", "near")
MASKED, RAW, UNKNOWN, OPEN, LIKELY, CARD, NEAR = range(7)
"""What makes a card unsafe:

- ``masked``: Equation 8 with the masked belief, in which the opponent surely does not hold own cards;
- ``raw``: Equation 8 with the raw belief;
- ``unknown``: Equation 8 with own cards as likely as the mean unseen card;
- ``open``: the mean of Equation 8 over the melds that contain no other own card;
- ``likely``: Equation 8 with a belief of one half or more counted as held, and any other as not held;
- ``card``: the raw belief in the card itself;
- ``near``: the sum of the masked beliefs in cards of its rank and in suited cards up to two ranks away.
"""
HALF = 0.5
"""With ``LIKELY`` a card counts as held from this belief on."""


@kernel
def desirability(card, belief, all_melds):
    """Equation 8: the sum, over the melds with the card, of the chance that the opponent holds the rest.

    The chances are taken as independent. A longer meld contains a meld of three, so only melds of three
    count; with ``all_melds`` all melds count. A run through the card is a stretch to its left and one to its
    right, so the sum over all runs is a product of two sums, minus the runs of one and two cards.
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
    """Equation 9: safety and deadwood on one scale; the best discard has the greatest value."""
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
def count_own(belief, hand, unseen, safety):
    """Change a belief [52] in place to what a reading of safety counts: see ``SAFETIES``."""
    if safety == UNKNOWN:
        total = 0.0
        for card in range(CARDS):
            if unseen >> card & 1:
                total += belief[card]
        mean = total / max(1, count(unseen))
        for card in range(CARDS):
            if hand >> card & 1:
                belief[card] = mean
    elif safety == LIKELY:
        for card in range(CARDS):
            belief[card] = 1.0 if belief[card] >= HALF else 0.0


@kernel
def open_desirability(card, belief, hand):
    """The mean chance that the opponent holds the rest of a meld of three, over those without own cards."""
    rank = card % 13
    total = 0.0
    melds = 0
    for skip in range(1, 4):  # the three others of the rank, less one of them
        a = (card + 13 * (skip % 3 + 1)) % 52
        b = (card + 13 * ((skip + 1) % 3 + 1)) % 52
        if (hand >> a | hand >> b) & 1 == 0:
            total += belief[a] * belief[b]
            melds += 1
    for start in range(max(0, rank - 2), min(10, rank) + 1):
        low = card - rank + start
        a = low if low != card else card + 1
        b = low + 2 if low + 2 != card else card - 1
        if (hand >> a | hand >> b) & 1 == 0:
            total += belief[a] * belief[b]
            melds += 1
    return total / melds if melds > 0 else 0.0


@kernel
def near_belief(card, belief):
    """The sum of the beliefs in the cards of the same rank and in suited cards up to two ranks away."""
    rank = card % 13
    total = 0.0
    for suits in range(1, 4):
        total += belief[(card + 13 * suits) % 52]
    for step in range(-2, 3):
        if step != 0 and 0 <= rank + step < 13:
            total += belief[card + step]
    return total


@kernel
def danger(card, belief, hand, safety):
    """How unsafe a card is; ``belief`` [52] has gone through ``count_own``."""
    if safety == OPEN:
        return np.float64(open_desirability(card, belief, hand))
    if safety == CARD:
        return np.float64(belief[card])
    if safety == NEAR:
        return np.float64(near_belief(card, belief))
    return np.float64(desirability(card, belief, False))


@kernel
def top_cards(cards, first, second, size):
    """The ``size`` cards with the greatest ``first`` [52]; the greater ``second`` [52] breaks ties."""
    chosen = np.int64(0)
    for _ in range(size):
        best = -1
        left = cards & ~chosen
        while left != 0:
            card = lowest(left)
            left &= left - 1
            if (
                best < 0
                or first[card] > first[best]
                or (first[card] == first[best] and second[card] > second[best])
            ):
                best = card
        if best >= 0:
            chosen |= np.int64(1) << best
    return chosen


@kernel
def parting(hands, discards, held, index, sets, loose, parts):
    """For hands of eleven and their discards: whether the discard was loose, and whether it left a partner.

    A partner is another loose card, outside the first best meld set, that shares a meld of three with it.
    """
    for k in range(hands.shape[0]):
        card = np.int64(discards[k])
        outside, _ = loose_cards(hands[k], held, index, sets)
        loose[k] = outside >> card & 1
        parts[k] = loose[k] and hit_count(outside, card, np.int64(DECK) & ~hands[k]) > 0
