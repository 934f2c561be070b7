"""What a side knows when it may knock, as one number: the infosets of learned knock tables, and their rule.

A table has a cell for each infoset. Every kind of infoset begins with the own deadwood, 0 to 10, followed by

- ``turn``: the own turn (paper S2);
- ``stock``: the cards left in the stock and the lowest rank that the opponent has discarded (paper S3);
- ``upcard``: the stock and the upcard of the side's last decision to draw (the program of S3's authors);
- ``outs``: the stock in steps of two, the unseen cards that would give gin at once, and how many cards the
  opponent is known to hold (beyond the papers: S3 names the chance of gin as what its infosets lack);
- ``scores``: the same, and the stage of both scores.

Training and players compute the infoset here, from the view alone, so that they cannot differ.
"""

import numpy as np

from ginrummy._jit import count, inlined, lean, lowest
from ginrummy.cards import DECK
from ginrummy.makers import meld_makers
from ginrummy.meld_kernels import deadwood, least_after_discard
from ginrummy.view import DISCARD, OTHER, SELF, UPCARD, WHO

DEADWOODS = 11
TURNS = 20
"""Own turns with cells of their own; the last one serves all later turns."""
NO_DISCARD = 13
"""In place of the opponent's lowest rank while it has discarded nothing."""
OUTS = 6
"""0, 1, 2, 3, 4 outs; 5 or more."""
PICK_UPS = 3
"""0, 1 known cards of the opponent; 2 or more."""
STAGES = 3
"""Scores below 40, below 70, above."""

BY_TURN, BY_STOCK, BY_UPCARD, BY_OUTS, BY_SCORES = range(5)
KINDS = {"turn": BY_TURN, "stock": BY_STOCK, "upcard": BY_UPCARD, "outs": BY_OUTS, "scores": BY_SCORES}
AXES = {
    "turn": (TURNS, 1),
    "stock": (32, 14),
    "upcard": (32, 53),
    "outs": (16, OUTS * PICK_UPS),
    "scores": (16, OUTS * PICK_UPS * STAGES * STAGES),
}
"""Kind -> sizes of the two axes besides the deadwood: the stage of the round, and all else."""


@lean
def lowest_discard(seen):
    """The lowest rank that the opponent has discarded in this round; ``NO_DISCARD`` before the first."""
    low = np.int64(NO_DISCARD)
    for event in range(seen.events):
        if seen.log[event, WHO] == OTHER and seen.log[event, DISCARD] >= 0:
            low = min(low, np.int64(seen.log[event, DISCARD]) % 13)
    return low


@lean
def last_upcard(seen):
    """The upcard that this side saw when it last chose a draw; 52 if it never has."""
    for event in range(seen.events - 1, -1, -1):
        if seen.log[event, WHO] == SELF and seen.log[event, UPCARD] >= 0:
            return np.int64(seen.log[event, UPCARD])
    return np.int64(52)


@lean
def gin_outs(hand, unseen):
    """How many unseen cards would give gin to ten cards without it. Only cards that meld can."""
    outs = 0
    cards = meld_makers(hand) & unseen
    while cards != 0:
        card = lowest(cards)
        cards &= cards - 1
        outs += least_after_discard(hand | np.int64(1) << card) == 0
    return outs


@inlined
def stage_of_score(score):
    """0, 1 or 2: how far a score has come towards 100."""
    return np.int64(score >= 40) + np.int64(score >= 70)


@lean
def infoset(kind, seen, left):
    """The number of the cell for a side that may knock with ``left`` deadwood."""
    if kind == BY_TURN:
        turn = np.int64(seen.own_turns)
        return left * TURNS + (TURNS if turn > TURNS else turn) - 1
    stock = np.int64(seen.stock)
    if kind == BY_STOCK:
        return (left * 32 + stock) * 14 + lowest_discard(seen)
    if kind == BY_UPCARD:
        return (left * 32 + stock) * 53 + last_upcard(seen)
    outs = min(gin_outs(seen.hand, DECK & ~(seen.hand | seen.pile | seen.opponent)), OUTS - 1)
    known = min(count(seen.opponent), PICK_UPS - 1)
    cell = ((left * 16 + stock // 2) * OUTS + outs) * PICK_UPS + known
    if kind == BY_OUTS:
        return cell
    return (cell * STAGES + stage_of_score(seen.score)) * STAGES + stage_of_score(seen.opponent_score)


@inlined
def knocks_by_table(kind, seen, u, table, start):
    """Knock with the probability that a table says, by ``u``; gin always.

    The table's probabilities are ``table[start:]``, by infoset.
    """
    left = deadwood(seen.hand)
    return left == 0 or u < table[start + infoset(kind, seen, left)]
