"""Hand strength: the discard, draw and knock rules of the 2021 challenge's winner.

Discards follow the score of ``strength``, which names its source. Choices take masks and numbers; the
deciders at the end, in the form of ``compiled.policy``, read them from a view.
"""

import numpy as np

from ginrummy._jit import lean
from ginrummy.cards import DECK
from ginrummy.compiled.policy import Policy
from ginrummy.meld_kernels import (
    MAX_HELD,
    MAX_MELDS,
    deadwood,
    extensions,
    find_best_sets,
    held_melds,
    least_after_discard,
    melds_with,
    pick_best_set,
    points,
)
from ginrummy.policies.baseline import any_card, spread_best
from ginrummy.strength import (
    CODE,
    DRAW_LOOSE,
    DRAW_MELD,
    KNOCK,
    KNOCK_LEAST,
    KNOCK_TURNS,
    best_by_score,
)
from ginrummy.view import DRAWN, UPCARD

SETS = 32
"""Best meld sets looked at when melds are laid down; ten cards seldom have more than a few."""


@lean
def ever_taken(view):
    """Every card that the opponent has taken from the pile in this round, even if discarded later."""
    cards = np.int64(0)
    own = view.events & 1  # the sides take turns, and an event under way is own
    for event in range(1 - own, view.events, 2):
        drawn = view.log[event, DRAWN]
        if drawn >= 0 and drawn == view.log[event, UPCARD]:
            cards |= np.int64(1) << np.int64(drawn)
    return cards


@lean
def takes(hand, top, p, u, scratch):
    """Take the upcard when a best meld set melds it and the deadwood after a discard falls by enough.

    ``DRAW_MELD`` is the fall that a melding card must bring, ``DRAW_LOOSE`` that of any other card. The
    program asks whether a best meld set picked at random, here by ``u``, melds the card.
    """
    eleven = hand | np.int64(1) << top
    fall = deadwood(hand) - least_after_discard(eleven)
    if fall >= p[DRAW_MELD] and melds_with(eleven, top):
        if p[CODE] != 0:
            melded = _in_picked_set(eleven, top, u, scratch)
        else:
            melded = _in_a_best_set(eleven, top, scratch)
        if melded:
            return True
    return fall >= p[DRAW_LOOSE]


@lean
def _in_picked_set(hand, card, u, scratch):
    """Whether the best meld set that ``u`` picks melds the card."""
    picked = scratch[MAX_HELD + MAX_MELDS : MAX_HELD + 2 * MAX_MELDS].reshape((1, MAX_MELDS))
    pick_best_set(hand, u, scratch[:MAX_HELD], scratch[MAX_HELD : MAX_HELD + MAX_MELDS], picked)
    return (picked[0, 0] | picked[0, 1] | picked[0, 2] | picked[0, 3]) >> card & 1 == 1


@lean
def _in_a_best_set(hand, card, scratch):
    """Whether some best meld set of the hand melds the card."""
    whole = deadwood(hand)
    for place in range(held_melds(hand, scratch)):
        if scratch[place] >> card & 1 and deadwood(hand & ~scratch[place]) == whole:
            return True
    return False


@lean
def knocks(left, turn, p):
    """Knock when the deadwood is in the window of the own turn, from 1; gin always."""
    place = (KNOCK_TURNS if turn > KNOCK_TURNS else turn) - 1
    return left == 0 or p[KNOCK_LEAST + place] <= left <= p[KNOCK + place]


@lean
def tightest_spread(hand, there, held, index, sets, out):
    """Write to ``out`` [1, 4] the best meld set that leaves the fewest points to lay off.

    The first of equal sets wins. ``there`` are the cards that the opponent may hold.
    """
    for place in range(MAX_MELDS):
        out[0, place] = 0
    found = min(find_best_sets(hand, 0, held, index, sets), sets.shape[0])
    least = np.int64(9999)
    for row in range(found):
        reach = np.int64(0)
        for place in range(MAX_MELDS):
            if sets[row, place] != 0:
                reach |= extensions(sets[row, place])
        worth = points(reach & there)
        if worth < least:
            least = worth
            for place in range(MAX_MELDS):
                out[0, place] = sets[row, place]


@lean
def draw(seen, p, u, scratch):
    """Take what lowers deadwood by enough."""
    return takes(seen.hand, np.int64(seen.top), p, u, scratch)


@lean
def best_seen(seen, p, scratch):
    """The discards with the least score, by what a side sees."""
    held = ever_taken(seen) if p[CODE] != 0 else seen.opponent
    return best_by_score(seen.hand, seen.allowed, seen.pile | seen.hand, held, seen.own_turns, p, scratch)


@lean
def discard(seen, p, u, scratch):
    """Discard by the least score; ties are broken by ``u``."""
    return any_card(best_seen(seen, p, scratch), u)


@lean
def knock(seen, p, u, scratch):
    """Knock by the windows of the turns."""
    return knocks(deadwood(seen.hand), np.int64(seen.own_turns), p)


@lean
def spread(seen, p, u, scratch, out):
    """Lay down the tightest best meld set, as the program does; otherwise any best meld set, by ``u``."""
    if p[CODE] != 0:
        held, index, sets = (
            scratch[:MAX_HELD],
            scratch[MAX_HELD : MAX_HELD + MAX_MELDS],
            scratch[MAX_HELD + MAX_MELDS :],
        )
        there = DECK & ~(seen.hand | seen.pile)
        tightest_spread(
            seen.hand, there, held, index, sets[: SETS * MAX_MELDS].reshape((SETS, MAX_MELDS)), out
        )
    else:
        spread_best(seen, p, u, scratch, out)


HAND_STRENGTH = Policy(draw, discard, knock, spread)
