"""The Shankar array: what the plug rule says about every card, as a picture for a convolutional network.

One cell for each card, a row for each suit in the order C H S D, a column for each rank from the ace up:

    -2 in the own hand
    -1 not in the opponent's hand, or a safe discard
     0 unknown
     1 in the opponent's hand, or likely to be in its meld

Source: Francis, Just and Neller, "Opponent Hand Estimation in the Game of Gin Rummy" (EAAI 2021), after the
plug rule of Shankar, "How to Win at Gin Rummy". What the paper leaves open follows the authors' program.

How the cards of a view are read:

- A card is *closed* when it is in the own hand, or in the pile and out of the opponent's reach. All others
  are *open*. A card's run openings are the open cards next to it in its suit, counted outward on both sides
  to the first closed one; its set openings are the other open cards of its rank.
- A card is *taken* while the opponent is known to hold it, and *refused* once the opponent has discarded or
  declined it. A pass of the first upcard is a decline. A refused card stays refused in the own hand.
- A card about which the opponent has not yet decided is open. If it is an own discard, it is unknown like any
  other card. If it is the first upcard, it is shown as -1, as in the paper's first table, but it is not
  closed before the opponent answers.

The plug rule is applied until nothing changes; a safe card is closed from then on:

1. A taken card with fewer than two run openings and two or more set openings: the unknown cards of its rank
   are likely.
2. An unknown card with fewer than two run openings is safe when it has fewer than two set openings too, or
   when a card of its rank is refused.
3. A taken card with exactly two run openings and fewer than two set openings: those two, where unknown, are
   likely.

Rules 1 and 2 can meet in one case only: a rank with a refused card and a taken card that cannot be in a run.
The paper names no order, and the program's scan decides by the order of the suits. Here rule 1 comes first,
because a player takes a card that is of use, and because the array then does not depend on the order of the
suits. Only where both rules meet does the scan give another array.

One pass is enough. A card in a possible run has two run openings, so rule 2 closes no card of any possible
run, and the run openings that rules 1 and 3 ask about do not change. Closing a card by rule 2 takes set
openings only from cards of its rank, which are refused with it or had fewer than two before.
"""

import numpy as np
import numpy.typing as npt

from ginrummy._jit import kernel
from ginrummy.cards import CARDS, DECK, NO_CARD, RANK, RANKS, SUIT, SUITS
from ginrummy.errors import BadInput
from ginrummy.estimators.superpermutations import ASP4
from ginrummy.view import DISCARD, DRAWN, OTHER, UPCARD, WHO, IntArray, View

OWN, SAFE, UNKNOWN, LIKELY = -2, -1, 0, 1
"""Values of a cell."""
ROWS = np.array([int(symbol) - 1 for symbol in ASP4])
"""[17] The suit of each row of a stacked array, by the ambi-superpermutation of four elements."""

Int8s = npt.NDArray[np.int8]

_ACES, _TWOS, _THREES = RANK, RANK << 1, RANK << 2
_KINGS, _QUEENS, _JACKS = RANK << 12, RANK << 11, RANK << 10
_BELOW = tuple(DECK & ~mask for mask in (_ACES, _ACES | _TWOS, _ACES | _TWOS | _THREES))
_ABOVE = tuple(DECK & ~mask for mask in (_KINGS, _KINGS | _QUEENS, _KINGS | _QUEENS | _JACKS))
"""The cards that have a suited card one, two and three ranks below, and above."""


@kernel
def refused_cards(view):
    """Cards that the opponent discarded or declined when it last decided about them, as a mask."""
    cards = np.int64(0)
    for event in range(view.events):
        if view.log[event, WHO] == OTHER:
            upcard = np.int64(view.log[event, UPCARD])
            if np.int64(view.log[event, DRAWN]) != upcard:
                cards |= np.int64(1) << upcard
            discard = np.int64(view.log[event, DISCARD])
            if discard != NO_CARD:
                cards |= np.int64(1) << discard
    return cards & ~view.opponent


@kernel
def awaited_card(view, refused):
    """The upcard as a mask while the opponent has not decided about it, and whether it is an own discard."""
    top = np.int64(view.top)
    if top == NO_CARD:
        return np.int64(0), False
    card = np.int64(1) << top
    if view.events == 0:
        return card, False
    last = view.events - 1
    if view.log[last, WHO] == OTHER:
        return np.int64(0), False
    if np.int64(view.log[last, DISCARD]) != NO_CARD:
        return card, True
    return card & ~refused, False  # passed by this side; the opponent may have passed it before


@kernel
def _set_openings(cards):
    """The cards, in the mask or not, with two or more others of their rank in the mask."""
    c = cards & SUIT
    h = cards >> 13 & SUIT
    s = cards >> 26 & SUIT
    d = cards >> 39 & SUIT
    both, either = s & d, s | d
    others = both | h & either | (both | c & either) << 13
    both, either = c & h, c | h
    return others | (both | d & either) << 26 | (both | s & either) << 39


@kernel
def _same_rank(cards):
    """Every card of the ranks in a mask."""
    return ((cards | cards >> 13 | cards >> 26 | cards >> 39) & SUIT) * RANK


@kernel
def _run_openings(cards):
    """The cards with two or more run openings in the mask."""
    below = cards << 1 & _BELOW[0]
    above = cards >> 1 & _ABOVE[0]
    return below & above | below & cards << 2 & _BELOW[1] | above & cards >> 2 & _ABOVE[1]


@kernel
def _only_run(taken, cards):
    """For each taken card with exactly two run openings in the mask: these two."""
    below = cards << 1 & _BELOW[0]
    below2 = cards << 2 & _BELOW[1]
    below3 = cards << 3 & _BELOW[2]
    above = cards >> 1 & _ABOVE[0]
    above2 = cards >> 2 & _ABOVE[1]
    above3 = cards >> 3 & _ABOVE[2]
    middle = taken & below & above & ~below2 & ~above2
    high = taken & below & below2 & ~below3 & ~above
    low = taken & above & above2 & ~above3 & ~below
    return middle << 1 | middle >> 1 | high >> 1 | high >> 2 | low << 1 | low << 2


@kernel
def plug(free, unknown, taken, refused):
    """The plug rule on masks: (safe cards, likely cards) among the unknown. ``free`` are all open cards."""
    no_run = ~_run_openings(free)
    sets = _set_openings(free)
    likely = _same_rank(taken & no_run & sets) & unknown
    safe = unknown & ~likely & no_run & (~sets | _same_rank(refused))
    free &= ~safe
    likely |= _only_run(taken & ~_set_openings(free), free) & unknown
    return safe, likely


@kernel
def shankar_row(view, out):
    """Write the Shankar array of one record of a view to ``out`` [4, 13]."""
    refused = refused_cards(view)
    awaited, own_discard = awaited_card(view, refused)
    gone = view.pile & ~awaited
    free = np.int64(DECK) & ~(view.hand | gone)
    unknown = free & ~view.opponent
    if not own_discard:
        unknown &= ~awaited
    safe, likely = plug(free, unknown, view.opponent, refused)
    ones = view.opponent | likely
    minus = safe | gone | view.hand
    if not own_discard:
        minus |= awaited
    for suit in range(4):
        for rank in range(13):
            card = 13 * suit + rank
            out[suit, rank] = (ones >> card & 1) - (minus >> card & 1) - (view.hand >> card & 1)


@kernel
def _fill(view, rows, out):
    for k in range(rows.shape[0]):
        shankar_row(view[rows[k]], out[k])


def shankar_arrays(view: View, rows: IntArray) -> Int8s:
    """The Shankar arrays of some rows of a view. [N] rows -> [N, 4, 13] int8."""
    places = np.asarray(rows, np.int64)
    out = np.empty((len(places), len(SUITS), len(RANKS)), np.int8)
    _fill(view, places, out)
    return out


def stacked(arrays: Int8s) -> Int8s:
    """Rows repeated so that every order of the suits appears somewhere. [N, 4, 13] -> [N, 17, 13] int8."""
    if arrays.ndim != 3 or arrays.shape[1:] != (len(SUITS), CARDS // len(SUITS)):
        raise BadInput(f"expected arrays of shape [N, 4, 13], got {arrays.shape}")
    return arrays[:, ROWS]


def shankar_stacks(view: View, rows: IntArray) -> Int8s:
    """The stacked Shankar arrays of some rows of a view. [N] rows -> [N, 17, 13] int8."""
    return stacked(shankar_arrays(view, rows))
