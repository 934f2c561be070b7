"""Makers: the cards that would meld with a hand. Bare kernels on masks, for other kernels."""

import numpy as np

from ginrummy._jit import inlined
from ginrummy.cards import RANK, SUIT

NO_ACES, NO_KINGS, NO_LOW, NO_HIGH = (np.int64(RANK) * ranks for ranks in (0x1FFE, 0xFFF, 0x1FFC, 0x7FF))
"""The cards with a lower neighbour in their suit, with a higher one, with two lower ones, with two higher."""


@inlined
def run_makers(hand):
    """The cards outside a hand that would be in a run with it."""
    below, above = hand << 1 & NO_ACES, hand >> 1 & NO_KINGS
    return (below & hand << 2 & NO_LOW | above & hand >> 2 & NO_HIGH | below & above) & ~hand


@inlined
def paired_ranks(hand):
    """Thirteen bits: the ranks held twice or more often."""
    c = hand & SUIT
    h = hand >> 13 & SUIT
    s = hand >> 26 & SUIT
    d = hand >> 39 & SUIT
    return c & h | s & d | (c | h) & (s | d)


@inlined
def meld_makers(hand):
    """The cards outside a hand that would be in some meld with it."""
    return run_makers(hand) | paired_ranks(hand) * RANK & ~hand
