"""The deciders of the challenge's baseline player, and random legal play.

Source: Neller, EAAI 2021 Gin Rummy challenge, the player called SimpleGinRummyPlayer: take a card that
melds, keep least deadwood, never repeat a draw-discard pair in a round, knock at once, and choose among
best meld sets at random.
"""

import numpy as np

from ginrummy._jit import count, kernel, lowest
from ginrummy.meld_kernels import best_discards, deadwood_without, melds_with, pick_best_set
from ginrummy.view import DISCARD, DRAWN


@kernel
def takes_meld(view):
    """Take the upcard when it is in some meld of the eleven cards, whether or not that lowers deadwood."""
    top = np.int64(view.top)
    return melds_with(view.hand | np.int64(1) << top, top)


@kernel
def repeated(view):
    """Cards whose discard would repeat a draw-discard pair of this round, in either order."""
    drawn = np.int64(view.drawn)
    cards = np.int64(0)
    for event in range(view.events - 2, -1, -2):  # the sides take turns, so every other event is own
        was_drawn = np.int64(view.log[event, DRAWN])
        discarded = np.int64(view.log[event, DISCARD])
        if was_drawn == drawn:
            cards |= np.int64(1) << discarded
        elif discarded == drawn:
            cards |= np.int64(1) << was_drawn
    return cards


@kernel
def nth_card(cards, n):
    """The n-th card of a mask, from 0, in order of ids."""
    for _ in range(n):
        cards &= cards - 1
    return lowest(cards)


@kernel
def least_deadwood_discard(view, u, scratch):
    """A discard that leaves least deadwood and repeats no pair, drawn by ``u`` among equals."""
    _, best = best_discards(view.hand)
    cards = view.allowed & ~repeated(view)
    if cards == 0:  # no round is long enough to repeat every pair; a guard, not a rule
        cards = view.allowed
    best = best & cards if best & cards else _best_of(view.hand, cards, scratch)
    return nth_card(best, int(u * count(best)))


@kernel
def _best_of(hand, cards, scratch):
    """Those of ``cards`` whose discard leaves least deadwood."""
    deadwood_without(hand, scratch)
    least = np.int64(999)
    best = np.int64(0)
    while cards != 0:
        card = lowest(cards)
        cards &= cards - 1
        if scratch[card] < least:
            least = scratch[card]
            best = np.int64(0)
        if scratch[card] == least:
            best |= np.int64(1) << card
    return best


@kernel
def random_discard(view, u):
    """Any card that may be discarded."""
    cards = view.allowed
    return nth_card(cards, int(u * count(cards)))


@kernel
def random_spread(view, u, held, index, out):
    """One of the best meld sets, drawn by ``u``, to ``out`` [1, 4]."""
    pick_best_set(view.hand, u, held, index, out)
