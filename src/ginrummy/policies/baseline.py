"""The challenge's baseline player and random legal play, as kernels.

Source: Neller, EAAI 2021 Gin Rummy challenge, the player called SimpleGinRummyPlayer: take a card that
melds, keep least deadwood, never repeat a draw-discard pair in a round, knock at once, and choose among
best meld sets at random.

The choices themselves come first: masks and numbers in, cards out. The deciders in the form of
``compiled.policy`` follow; they read masks and numbers from a view.
"""

import numpy as np

from ginrummy._jit import count, inlined, lean, lowest
from ginrummy.compiled.policy import Policy
from ginrummy.meld_kernels import (
    MAX_HELD,
    MAX_MELDS,
    best_discards,
    deadwood_without,
    melds_with,
    pick_best_set,
)
from ginrummy.view import DISCARD, DRAWN


@inlined
def nth_card(cards, n):
    """The n-th card of a mask, from 0, in order of ids."""
    for _ in range(n):
        cards &= cards - 1
    return lowest(cards)


@inlined
def any_card(cards, u):
    """One card of a mask, drawn by ``u``."""
    return nth_card(cards, int(u * count(cards)))


@inlined
def takes_meld(hand, top):
    """Take the upcard when it is in some meld of the eleven cards, whether or not that lowers deadwood."""
    return melds_with(hand | np.int64(1) << top, top)


@inlined
def repeated(view):
    """Cards whose discard would repeat a draw-discard pair of this round, in either order."""
    cards = np.int64(0)
    if view.top >= 0:  # the drawn card comes from the stock: it has been in no pair before
        return cards
    drawn = np.int64(view.drawn)
    for event in range(view.events - 2, -1, -2):  # the sides take turns, so every other event is own
        was_drawn = np.int64(view.log[event, DRAWN])
        discarded = np.int64(view.log[event, DISCARD])
        if was_drawn == drawn:
            cards |= np.int64(1) << discarded
        elif discarded == drawn:
            cards |= np.int64(1) << was_drawn
    return cards


@inlined
def least_deadwood(hand, allowed, avoided, scratch):
    """The discards that leave least deadwood among those that are allowed and, if possible, not avoided."""
    _, best = best_discards(hand)
    cards = allowed & ~avoided
    if cards == 0:  # only a guard: no round is long enough to repeat every pair
        cards = allowed
    return best & cards if best & cards else _best_of(hand, cards, scratch)


@lean
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


@inlined
def least_deadwood_discard(seen, u, scratch):
    """A discard that leaves least deadwood and repeats no draw-discard pair, drawn by ``u`` among equals."""
    return any_card(least_deadwood(seen.hand, seen.allowed, repeated(seen), scratch), u)


@inlined
def draw_melding(seen, p, u, scratch):
    """Take a card that melds."""
    return takes_meld(seen.hand, np.int64(seen.top))


@inlined
def discard_least(seen, p, u, scratch):
    """Leave least deadwood and repeat no draw-discard pair; ties are broken by ``u``."""
    return least_deadwood_discard(seen, u, scratch)


@inlined
def knock_at_once(seen, p, u, scratch):
    """Knock whenever asked."""
    return True


@lean
def spread_best(seen, p, u, scratch, out):
    """Lay down one of the best meld sets, drawn by ``u``."""
    pick_best_set(seen.hand, u, scratch[:MAX_HELD], scratch[MAX_HELD : MAX_HELD + MAX_MELDS], out)


@inlined
def toss(seen, p, u, scratch):
    """Yes in half of all cases, by ``u``."""
    return u < 0.5


@inlined
def discard_any(seen, p, u, scratch):
    """Discard any card that may be discarded, by ``u``."""
    return any_card(seen.allowed, u)


SIMPLE = Policy(draw_melding, discard_least, knock_at_once, spread_best)
RANDOM = Policy(toss, discard_any, toss, spread_best)
