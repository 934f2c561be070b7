"""Deadwood after one, two or three more cards, over every choice of unseen cards.

The 2021 papers estimate a hand by the deadwood it would have with a few more cards and one discard. The *left
deadwood* of ten cards and more is found in two steps: the melds that leave least deadwood, then the dearest
card outside them is thrown away. Where several ways to meld are equal, the one with the dearest loose card
counts.

Every choice of cards is tried; nothing is sampled. What makes that fast: the last card changes the runs of
one suit only, so its deadwood is one look-up, unless it joins a pair or a set. Deadwoods are whole numbers,
so they are counted by value, and the mean of the lowest ones needs no sorting.
"""

import numpy as np
import numpy.typing as npt

from ginrummy._jit import count, inlined, lean, lowest
from ginrummy.cards import POINTS, RANK, SUIT
from ginrummy.meld_kernels import DISCARD_GAIN, RUN_DEADWOOD, deadwood, set_choices, set_ranks, without_sets

TALLY = 160
"""Bins of a tally, the room that ``low_mean`` needs: thirteen cards leave at most 128 points."""

_DEAREST_BITS = 4
_DEAREST = 15


def _packed() -> npt.NDArray[np.int16]:
    """By suit pattern: sixteen times the least deadwood by runs, plus the dearest card outside the runs."""
    dearest = np.maximum(DISCARD_GAIN, 0).astype(np.int16)
    return (RUN_DEADWOOD.astype(np.int16) << _DEAREST_BITS) | dearest


_PACKED = _packed()
"""[8192] int16, small enough for the nearest cache: one look-up gives both numbers."""

_UP_1, _UP_2 = ~RANK, ~(RANK | RANK << 1)
_DOWN_1, _DOWN_2 = ~(RANK << 12), ~(RANK << 12 | RANK << 11)


@inlined
def pair_ranks(hand):
    """Thirteen bits: the ranks held twice or more often."""
    c = hand & SUIT
    h = hand >> 13 & SUIT
    s = hand >> 26 & SUIT
    d = hand >> 39 & SUIT
    return c & h | s & d | (c | h) & (s | d)


@inlined
def _near(hand):
    """Every card that is one or two ranks away from a suited card of the hand."""
    return hand << 1 & _UP_1 | hand << 2 & _UP_2 | hand >> 1 & _DOWN_1 | hand >> 2 & _DOWN_2


@inlined
def _runs(rest):
    """(deadwood by runs, the dearest card outside them) of what is left beside sets."""
    c = np.int64(_PACKED[rest & SUIT])
    h = np.int64(_PACKED[rest >> 13 & SUIT])
    s = np.int64(_PACKED[rest >> 26 & SUIT])
    d = np.int64(_PACKED[rest >> 39 & SUIT])
    total = (c >> _DEAREST_BITS) + (h >> _DEAREST_BITS) + (s >> _DEAREST_BITS) + (d >> _DEAREST_BITS)
    return total, max(c & _DEAREST, h & _DEAREST, s & _DEAREST, d & _DEAREST)


@lean
def left_deadwood(hand):
    """Least deadwood of a hand, minus the dearest card outside the melds."""
    ranks = set_ranks(hand)
    best, dearest = _runs(hand)
    if ranks != 0:
        for choice in range(1, set_choices(hand, ranks)):
            total, loose = _runs(without_sets(hand, ranks, choice))
            if total < best or (total == best and loose > dearest):
                best, dearest = total, loose
    return best - dearest


@inlined
def _add_suit(pattern, others, loose, ranks, tally):
    """Count the cards of one suit whose runs alone change."""
    while ranks != 0:
        packed = np.int64(_PACKED[pattern | ranks & -ranks])
        ranks &= ranks - 1
        tally[others + (packed >> _DEAREST_BITS) - max(loose, packed & _DEAREST)] += 1


@inlined
def _add_to_one(rest, cards, tally):
    """Count cards, each joined to the one rest that matters."""
    c, h, s, d = rest & SUIT, rest >> 13 & SUIT, rest >> 26 & SUIT, rest >> 39 & SUIT
    pc, ph = np.int64(_PACKED[c]), np.int64(_PACKED[h])
    ps, pd = np.int64(_PACKED[s]), np.int64(_PACKED[d])
    dc, dh, ds, dd = pc >> _DEAREST_BITS, ph >> _DEAREST_BITS, ps >> _DEAREST_BITS, pd >> _DEAREST_BITS
    lc, lh, ls, ld = pc & _DEAREST, ph & _DEAREST, ps & _DEAREST, pd & _DEAREST
    low, high = max(lc, lh), max(ls, ld)
    _add_suit(c, dh + ds + dd, max(lh, high), cards & SUIT, tally)
    _add_suit(h, dc + ds + dd, max(lc, high), cards >> 13 & SUIT, tally)
    _add_suit(s, dc + dh + dd, max(ld, low), cards >> 26 & SUIT, tally)
    _add_suit(d, dc + dh + ds, max(ls, low), cards >> 39 & SUIT, tally)


@inlined
def _run_cards(hand):
    """Every card, held or not, that has the suited cards beside it to be in a run."""
    up, up_2 = hand << 1 & _UP_1, hand << 2 & _UP_2
    down, down_2 = hand >> 1 & _DOWN_1, hand >> 2 & _DOWN_2
    return up & up_2 | down & down_2 | up & down


@inlined
def add_each(hand, cards, tally):
    """Count the left deadwood of the hand with each of ``cards``, one at a time.

    A set is laid down unless one of its cards could be in a run. Where that is certain, one look-up gives a
    card's deadwood; the cards for which it is not are worked out one by one.
    """
    pairs = pair_ranks(hand)
    joining = cards & pairs * RANK
    in_runs = _run_cards(hand)
    sets = set_ranks(hand)
    rest = hand
    hard = np.int64(0)
    if sets != 0:
        laid = hand & sets * RANK
        rest ^= laid
        hard = cards & (joining & sets * RANK | _near(laid))
        if in_runs & laid != 0:  # already now a set and a run want the same card
            hard = cards
    if joining != 0:
        hard |= joining & in_runs
        sure = joining & ~hard
        while sure != 0:  # the card and the pair in hand are a set
            four = np.int64(RANK) << lowest(sure) % 13
            if four & hand & in_runs != 0:
                hard |= four & sure
            else:
                total, loose = _runs(rest & ~four)
                tally[total - loose] += count(four & sure)
            sure &= ~four
        cards &= ~joining
    cards &= ~hard
    while hard != 0:
        card = hard & -hard
        hard ^= card
        tally[left_deadwood(hand | card)] += 1
    _add_to_one(rest, cards, tally)


@lean
def tally_after(hand, unseen, more, tally):
    """Count in ``tally[d]`` the choices of ``more`` (1 to 3) unseen cards that leave deadwood ``d``."""
    if more == 1:
        add_each(hand, unseen, tally)
        return
    first = unseen
    while first != 0:
        one = first & -first
        first ^= one
        if more == 2:
            add_each(hand | one, first, tally)
            continue
        second = first
        while second != 0:
            two = second & -second
            second ^= two
            add_each(hand | one | two, second, tally)


@lean
def _mean_of_lowest(tally, divisor, up):
    """Mean of the lowest deadwoods of a tally, one in ``divisor``, rounded down or ``up``; -1 if empty."""
    choices = np.int64(0)
    for left in range(TALLY):
        choices += tally[left]
    if choices == 0:
        return -1.0
    share = choices / divisor
    wanted = np.int64(np.ceil(share) if up else np.floor(share))
    if wanted < 1:
        wanted = np.int64(1)
    total = taken = np.int64(0)
    for left in range(TALLY):
        some = min(tally[left], wanted - taken)
        total += some * left
        taken += some
        if taken == wanted:
            break
    return total / taken


@lean
def low_mean(hand, unseen, more, divisor, scratch):
    """Mean left deadwood over the best choices of ``more`` unseen cards: one in ``divisor`` of all choices.

    The number of choices is rounded down, but at least one counts. With fewer than ``more`` unseen cards it
    is the deadwood left by the hand itself. ``scratch`` is room for ``TALLY`` integers.
    """
    tally = scratch[:TALLY]
    for left in range(TALLY):
        tally[left] = 0
    tally_after(hand, unseen, more, tally)
    mean = _mean_of_lowest(tally, divisor, False)
    return mean if mean >= 0 else np.float64(left_deadwood(hand))


@lean
def _with_copies(hand, copies):
    """Left deadwood of a hand in which some cards count twice, as they do in a list that has them twice.

    Melds are made of different cards, so a second copy is dead unless the first one is melded: then it
    counts nothing. A card that one best meld set melds and another does not counts as not melded.
    """
    left = left_deadwood(hand)
    least = deadwood(hand)
    while copies != 0:
        card = lowest(copies)
        copies &= copies - 1
        if least == deadwood(hand ^ np.int64(1) << card) + POINTS[card]:
            left += POINTS[card]
    return left


@lean
def _tally_pairs_of_program(hand, fresh, again, tally):
    """Count every ordered pair of cards that the program takes for unseen, a card with itself included."""
    cards = fresh
    while cards != 0:
        card = cards & -cards
        cards ^= card
        add_each(hand | card, fresh ^ card, tally)
        tally[_with_copies(hand | card, card)] += 1
        copies = again
        while copies != 0:
            copy = copies & -copies
            copies ^= copy
            tally[_with_copies(hand | card, copy)] += 2
    cards = again
    while cards != 0:
        card = cards & -cards
        cards ^= card
        copies = again
        while copies != 0:
            copy = copies & -copies
            copies ^= copy
            if copy == card:
                tally[_with_copies(hand, card) + _second_copy(hand, card)] += 1
            else:
                tally[_with_copies(hand, card | copy)] += 1


@inlined
def _second_copy(hand, card):
    """Points of one more copy of a card that is in the hand twice already: none if it is melded."""
    number = lowest(card)
    loose = deadwood(hand) == deadwood(hand ^ card) + POINTS[number]
    return POINTS[number] if loose else 0


@lean
def low_mean_of_program(hand, unseen, more, divisor, scratch):
    """``low_mean`` as the authors' program computes it for one or two more cards, with its quirks.

    The number of choices is rounded up. ``unseen`` may hold cards of the hand, which the program still takes
    for unseen: they then count twice. Two cards come in every order, a card with itself too.
    """
    tally = scratch[:TALLY]
    for left in range(TALLY):
        tally[left] = 0
    fresh, again = unseen & ~hand, unseen & hand
    if more == 1:
        add_each(hand, fresh, tally)
        cards = again
        while cards != 0:
            card = cards & -cards
            cards ^= card
            tally[_with_copies(hand, card)] += 1
    else:
        _tally_pairs_of_program(hand, fresh, again, tally)
    return _mean_of_lowest(tally, divisor, True)
