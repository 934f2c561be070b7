"""What was unknown at each event of a round, from a side's own log.

Knowledge only grows within a round: a card that was seen stays in a known hand or in the pile.
"""

import numpy as np

from ginrummy._jit import kernel
from ginrummy.cards import DECK, NO_CARD
from ginrummy.view import DISCARD, DRAWN, OTHER, UPCARD, WHO


@kernel
def unseen_at_deal(view):
    """Cards that were neither in the own hand nor the first upcard."""
    free = np.int64(DECK) & ~(view.hand | view.pile | view.opponent)
    held = np.int64(0)
    for event in range(view.events):
        free |= revealed(view, event, held)
        held = held_after(view, event, held)
    own_draw = np.int64(view.drawn)
    if view.allowed != 0 and own_draw != np.int64(view.log[view.events, UPCARD]):
        free |= np.int64(1) << own_draw  # drawn from the stock, and not yet followed by a discard
    return free


@kernel
def revealed(view, event, held):
    """The card that an event showed for the first time, as a mask: an own stock draw, or a discard.

    ``held`` are the cards that the opponent was known to hold before the event.
    """
    upcard = np.int64(view.log[event, UPCARD])
    if view.log[event, WHO] == OTHER:
        discard = np.int64(view.log[event, DISCARD])
        if discard in (NO_CARD, upcard):
            return np.int64(0)
        return (np.int64(1) << discard) & ~held
    drawn = np.int64(view.log[event, DRAWN])
    if drawn < 0 or drawn == upcard:
        return np.int64(0)
    return np.int64(1) << drawn


@kernel
def held_after(view, event, held):
    """The cards that the opponent is known to hold after an event."""
    if view.log[event, WHO] == OTHER:
        drawn = np.int64(view.log[event, DRAWN])
        if drawn >= 0:
            held |= np.int64(1) << drawn
        discard = np.int64(view.log[event, DISCARD])
        if discard != NO_CARD:
            held &= ~(np.int64(1) << discard)
    return held
