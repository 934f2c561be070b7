"""Hitting cards and what a card is worth: how often it could meld with the hand.

Source: Nguyen, Doan and Neller, "A Deterministic Neural Network Approach to Playing Gin Rummy", EAAI 2021
(S0). A *potential meld* of a card has three cards, at least one of them in hand, and the rest in hand or
unseen. A card with a potential meld is a *hitting card*; its *hit count* adds up, over the cards in hand,
the potential melds that it shares with each.

Kernels take ``free``, the cards that may still be within reach: the unseen ones. Cards of the hand count as
available whether or not they are already melded: the paper asks for "at least one card in hand".
"""

import numpy as np

from ginrummy._jit import count, lean, lowest
from ginrummy.cards import DECK, POINTS, RANK
from ginrummy.compiled.policy import Policy
from ginrummy.meld_kernels import MAX_MELDS, deadwood, find_best_sets, melds_with
from ginrummy.policies.baseline import discard_least, spread_best

WORTH = 13.0
"""Equation 1: the constant that keeps values positive."""
BY_TYPES, BY_HITS = range(2)
"""What Equation 1 multiplies by H: the types of potential melds (0, 1 or 2), or the hit count."""
KEEPS = ("valued", "hitting", "loose", "types", "hits")
KEEP_VALUED, KEEP_HITTING, KEEP_LOOSE, KEEP_TYPES, KEEP_HITS = range(5)
"""What a discard keeps: cards whose value among the loose ones reaches the threshold; cards that hit the
hand; cards that hit a loose one; the cards of most value by Equation 1, with types of melds; the same with
hits."""


@lean
def unseen(view):
    """Cards in the stock or unknown in the opponent's hand."""
    return np.int64(DECK) & ~(view.hand | view.pile | view.opponent)


@lean
def hit_counts(hand, card, free):
    """(hits by sets, hits by runs) of a card with a hand that may hold it already."""
    rank = card % 13
    bit = np.int64(1) << card
    hand &= ~bit
    reach = hand | free
    peers = (np.int64(RANK) << rank) & ~bit
    sets = 0
    left = peers
    while left != 0:  # each pair of the three other cards of the rank leaves one of them out
        out = np.int64(1) << lowest(left)
        left &= left - 1
        pair = peers ^ out
        if pair & ~reach == 0:
            sets += count(pair & hand)
    runs = 0
    for start in range(max(0, rank - 2), min(10, rank) + 1):
        pair = (np.int64(7) << (card - rank + start)) ^ bit
        if pair & ~reach == 0:
            runs += count(pair & hand)
    return sets, runs


@lean
def hit_count(hand, card, free):
    """The hit count of a card."""
    sets, runs = hit_counts(hand, card, free)
    return sets + runs


@lean
def hitting_cards(hand, cards, free):
    """Those of ``cards`` that hit the hand."""
    found = np.int64(0)
    while cards != 0:
        card = lowest(cards)
        cards &= cards - 1
        if hit_count(hand, card, free) > 0:
            found |= np.int64(1) << card
    return found


@lean
def card_value(hand, card, free, reward, count_by):
    """Equation 1: 13 + n H - deadwood, where n counts types of potential melds or hits."""
    sets, runs = hit_counts(hand, card, free)
    n = sets + runs if count_by == BY_HITS else (sets > 0) + (runs > 0)
    return WORTH + n * reward - POINTS[card]


@lean
def likely_hits(hand, card, free, belief):
    """The hit count weighted by chances: a meld that lacks a card counts by the chance to get that card.

    The chance that the opponent does not hold the card is divided by its mean over all unseen cards. When
    nothing is known about the opponent, the result is the hit count.
    """
    rank = card % 13
    bit = np.int64(1) << card
    hand &= ~bit
    peers = (np.int64(RANK) << rank) & ~bit
    common = 0.0
    left = free
    while left != 0:
        common += 1.0 - belief[lowest(left)]
        left &= left - 1
    common = max(common / max(1, count(free)), 1e-9)
    total = 0.0
    left = peers
    while left != 0:
        out = np.int64(1) << lowest(left)
        left &= left - 1
        total += _likely_pair(peers ^ out, hand, free, belief, common)
    for start in range(max(0, rank - 2), min(10, rank) + 1):
        total += _likely_pair((np.int64(7) << (card - rank + start)) ^ bit, hand, free, belief, common)
    return total


@lean
def _likely_pair(pair, hand, free, belief, common):
    if pair & ~(hand | free) != 0:
        return 0.0
    missing = pair & ~hand
    hits = float(count(pair & hand))
    return hits * (1.0 - belief[lowest(missing)]) / common if missing != 0 else hits


@lean
def loose_cards(hand, held, index, sets):
    """The cards outside the first best meld set, and the number of its melds. The arrays are scratch."""
    loose = hand
    melds = 0
    if find_best_sets(hand, 0, held, index, sets) > 0:
        for k in range(MAX_MELDS):
            if sets[0, k] != 0:
                loose &= ~sets[0, k]
                melds += 1
    return loose, melds


@lean
def worst_kept(cards, hand, loose, free, keep, threshold, reward, count_by, values):
    """Those of ``cards`` that may be discarded under the rule ``keep``; the worst has the greatest value.

    With ``KEEP_TYPES`` and ``KEEP_HITS`` all cards may be discarded, and the worst has the least value by
    Equation 1. Otherwise the cards to keep are left out, unless no card would be left, and the worst is the
    dearest of the rest. With ``KEEP_VALUED``, ``count_by`` says what the value counts. With ``KEEP_LOOSE`` a
    card hits when it shares a meld of three with another loose card, even if the third card is out of reach.
    The values are written to ``values`` [52].
    """
    kept = np.int64(0)
    if keep == KEEP_HITTING:
        kept = hitting_cards(hand, cards, free)
    elif keep == KEEP_LOOSE:
        kept = hitting_cards(loose, cards, np.int64(DECK) & ~hand)
    left = cards
    while left != 0:
        card = lowest(left)
        left &= left - 1
        values[card] = POINTS[card]
        if keep == KEEP_VALUED and card_value(loose, card, free, reward, count_by) >= threshold:
            kept |= np.int64(1) << card
        elif keep == KEEP_TYPES:
            values[card] = -card_value(hand, card, free, reward, BY_TYPES)
        elif keep == KEEP_HITS:
            values[card] = -card_value(hand, card, free, reward, BY_HITS)
    return cards & ~kept if cards & ~kept != 0 else cards


@lean
def takes_hitting(view, u, probability, hits):
    """Take the upcard when it melds, and with some probability when its hit count is ``hits`` or more."""
    top = np.int64(view.top)
    if melds_with(view.hand | np.int64(1) << top, top):
        return True
    return u < probability and hit_count(view.hand, top, unseen(view)) >= hits


@lean
def takes_valued(view, threshold, reward, count_by):
    """Take the upcard when it melds, or when its value reaches the threshold."""
    top = np.int64(view.top)
    if melds_with(view.hand | np.int64(1) << top, top):
        return True
    return card_value(view.hand, top, unseen(view), reward, count_by) >= threshold


@lean
def takes_likely(view, threshold, reward, belief):
    """Take the upcard when it melds, or when its value by likely hits reaches the threshold."""
    top = np.int64(view.top)
    if melds_with(view.hand | np.int64(1) << top, top):
        return True
    return WORTH + likely_hits(view.hand, top, unseen(view), belief) * reward - POINTS[top] >= threshold


@lean
def draw_hitting(seen, p, u, scratch):
    """Take a card that melds, and with probability ``p[0]`` a card with ``p[4]`` hits or more."""
    return takes_hitting(seen, u, p[0], p[4])


@lean
def knock_within(seen, p, u, scratch):
    """Knock with at most ``p[2]`` deadwood before own turn ``p[3]``, and with at most ``p[1]`` from it on."""
    return deadwood(seen.hand) <= (p[2] if seen.own_turns < p[3] else p[1])


VARIED = Policy(draw_hitting, discard_least, knock_within, spread_best)
"""The baseline with five constants: the chance to take a hitting card, the deadwood to knock with, the
deadwood to knock with early in a round, the own turn that ends the early stage, and the hits that make a
hitting card."""
