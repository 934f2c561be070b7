"""What one more card saves: a look-ahead over all unseen cards, exact, without trying each of them.

A card *saves* what the least deadwood falls by when it is drawn and the best discard follows. No card saves
less than nothing, because it can be discarded at once. A card that melds with nothing saves what the best
discard gains, minus its own points. Only the few cards that meld, the *makers*, are looked at one by one.

Savings are kept by amount: ``room[MOST - s]`` is the mask of the makers that save ``s``, and bit ``MOST - s``
of ``saved`` says that the place is in use. So the lowest bit is the greatest saving.
"""

import numpy as np

from ginrummy._jit import count, inlined, lean, lowest
from ginrummy.cards import CARDS, POINTS, RANK, SUIT
from ginrummy.makers import meld_makers, paired_ranks, run_makers
from ginrummy.meld_kernels import (
    DISCARD_GAIN,
    RUN_DEADWOOD,
    by_rank,
    in_runs,
    least_after_discard,
    runs_and_gain,
    set_choices,
    set_ranks,
    without_sets,
)

MOST = 61
"""More than any card can save: it brings at most four cards into a run, and one more is discarded."""
_PLACES = 64
ROOM = _PLACES + CARDS
"""Integers of room that a look-ahead needs."""
WORTH = POINTS[:13].astype(np.int64)
"""[13] int64: points of a rank."""


@lean
def future_deadwood(hand, unseen, k, room):
    """Mean of the ``k`` lowest least deadwoods after an unseen card and a discard, for a hand of ten cards.

    The mean is over all of them when fewer than ``k`` cards are unseen. ``room`` is for ``ROOM`` integers.
    """
    now, gain, saved, breakers = _savings(hand, unseen, room)
    most = min(k, count(unseen))
    total = most * now
    left = most
    dear = saved & ((np.int64(1) << (MOST - gain - 1)) - 1)  # these makers save more than any breaker
    while dear != 0 and left > 0:
        place = lowest(dear)
        dear &= dear - 1
        more = min(left, count(room[place]))
        left -= more
        total -= more * (MOST - place)
    if left > 0:
        while breakers != 0:
            card = breakers & -breakers
            breakers ^= card
            saved = _note(saved, now - least_after_discard(hand | card), card, room)
        total -= _cheap(left, gain, saved, unseen & ~meld_makers(hand), room)
    return total / most if most else np.float64(now)


@inlined
def _cheap(left, gain, saved, loose, room):
    """What the best ``left`` cards save together, of those that save at most one point more than the gain."""
    total = np.int64(0)
    for saves in range(gain + 1, 0, -1):
        more = count(loose & np.int64(RANK) << (gain - saves - 1)) if saves < gain else np.int64(0)
        place = MOST - saves
        if saved >> place & 1:
            more += count(room[place])
        more = min(left, more)
        left -= more
        total += more * saves
        if left == 0:
            break
    return total


@lean
def hopes(hand, unseen, room):
    """Upper bounds of what makers save after any discard from eleven cards.

    Returns (gain of the best discard from the eleven, ``saved``).

    Discard c, draw x, discard y: the deadwood left is at least that after x and y alone, minus the points of
    c. So when c is deadwood, a card saves no more after its discard than it does for the eleven cards.
    """
    _, gain, saved, breakers = _savings(hand, unseen, room)
    dear = (np.int64(1) << (MOST - gain + 1)) - 1  # the others save no more than a loose card may
    return gain, _note(saved, gain + 1, breakers, room) & dear


@inlined
def hope(hand, k, gain, saved, room):
    """Upper bound of what the best ``k`` cards save together, for ten of the eleven cards of ``hopes``."""
    makers = meld_makers(hand)
    left = k
    total = np.int64(0)
    while saved != 0:  # as many steps for each ten of the eleven: the processor predicts that
        place = lowest(saved)
        saved &= saved - 1
        more = min(left, count(room[place] & makers))
        left -= more
        total += more * (MOST - place)
    return total + left * max(gain - 1, 0)


@inlined
def _note(saved, saves, cards, room):
    """Note makers that save so much; returns the places in use."""
    place = MOST - max(saves, 0)
    before = room[place] if saved >> place & 1 else np.int64(0)
    room[place] = before | cards
    return saved | np.int64(1) << place


@inlined
def _savings(hand, unseen, room):
    """Savings of the makers: (least deadwood of the hand, gain of the best discard, ``saved``, breakers).

    Usually there is one best rest: all sets are laid down. That holds if no card of a set is in a run of the
    hand, and if no card of a set of four can be in a run with a maker. A *breaker* is a maker whose run needs
    a card of a set of three. It brings at most one card below and one card above the set's card into the run
    and leaves two cards of the set as deadwood, so it saves at most one point more than the best discard
    gains. Breakers are not noted here: they are seldom among the cards that save most.

    Ten or eleven cards are never all in melds of three, so some discard costs nothing. Twelve cards may be;
    then what is noted is an upper bound.
    """
    sets = set_ranks(hand)
    makers = run_makers(hand) & unseen
    fours = hand & hand >> 13 & hand >> 26 & hand >> 39 & SUIT
    if (sets & by_rank(in_runs(hand)) | fours & by_rank(in_runs(hand | makers) & hand)) != 0:
        now, gain, saved = _many_ways(hand, unseen, sets, room)
        breakers = np.int64(0)
    else:
        rest = hand & ~(sets * RANK)
        breakers = makers & ~run_makers(rest) & ~(paired_ranks(rest) * RANK)
        fourth = sets * RANK & unseen & ~makers
        now, gain, saved = _one_way(hand, rest, unseen, fourth, makers ^ breakers, room)
    return now, gain, saved, breakers


@inlined
def _one_way(hand, rest, unseen, fourth, makers, room):
    """(Least deadwood, gain of the best discard, ``saved``), where only the rest beside all sets matters.

    A card joins a set of three (``fourth``), or joins a pair, whose two cards then leave the rest, or joins
    the runs of one suit (``makers``).
    """
    c, h, s, d = rest & SUIT, rest >> 13 & SUIT, rest >> 26 & SUIT, rest >> 39 & SUIT
    now = np.int64(RUN_DEADWOOD[c]) + RUN_DEADWOOD[h] + RUN_DEADWOOD[s] + RUN_DEADWOOD[d]
    low = np.int64(max(DISCARD_GAIN[c], DISCARD_GAIN[h], 0))
    high = np.int64(max(DISCARD_GAIN[s], DISCARD_GAIN[d], 0))
    gain = max(low, high)
    saved = _note(np.int64(0), gain, fourth, room)
    pairs = paired_ranks(rest)
    while pairs != 0:
        rank = lowest(pairs)
        pairs &= pairs - 1
        four = np.int64(RANK) << rank
        cards = four & unseen
        if cards != 0:
            total, more = runs_and_gain(rest & ~four)
            saves = max(now - total + max(more, 0), gain - WORTH[rank])
            saved = _note(saved, saves, cards & ~makers, room)
            cards &= makers
            makers ^= cards
            while cards != 0:  # they join a pair or a run
                card = cards & -cards
                cards ^= card
                saved = _note(saved, now - least_after_discard(hand | card), card, room)
    # For each suit, thirteen bits with the best gain in the other three.
    others = max(high, np.int64(DISCARD_GAIN[h])) | max(high, np.int64(DISCARD_GAIN[c])) << 13
    others |= max(low, np.int64(DISCARD_GAIN[d])) << 26 | max(low, np.int64(DISCARD_GAIN[s])) << 39
    while makers != 0:
        card = makers & -makers
        shift = lowest(makers) // 13 * 13
        makers ^= card
        before = rest >> shift & SUIT
        after = before | card >> shift
        saves = RUN_DEADWOOD[before] - RUN_DEADWOOD[after] + max(others >> shift & SUIT, DISCARD_GAIN[after])
        saved = _note(saved, saves, card, room)
    return now, gain, saved


@lean
def _many_ways(hand, unseen, sets, scratch):
    """The same where sets compete with runs: over all choices to lay them down or not.

    For a given rest of the hand, a new card changes the runs of one suit, or joins a pair, or joins a set of
    three: then it makes a set of four, or replaces one of the three. A set of four laid down leaves a card to
    discard, so no discard costs anything here either.
    """
    room, left = scratch[:_PLACES], scratch[_PLACES:]
    torn = sets & by_rank(in_runs(hand | run_makers(hand) & unseen) & hand)
    kept = hand & ~((sets ^ torn) * RANK)
    makers = meld_makers(hand) & unseen
    pairs = paired_ranks(hand) & ~sets
    cards = makers
    while cards != 0:
        left[lowest(cards)] = 999
        cards &= cards - 1
    now = swap = np.int64(999)
    for choice in range(set_choices(kept, torn)):
        rest = without_sets(kept, torn, choice)
        total, gain = runs_and_gain(rest)
        now = min(now, total)
        swap = min(swap, total - max(gain, 0))
        _lower(makers & (sets ^ torn) * RANK, total - max(gain, 0), left)
        for suit in range(4):
            ranks = makers >> (13 * suit) & SUIT
            if ranks != 0:
                _join_runs(rest, total, suit, ranks, left)
        ranks = pairs
        while ranks != 0:
            four = np.int64(RANK) << lowest(ranks)
            ranks &= ranks - 1
            if makers & four != 0:
                total, gain = runs_and_gain(rest & ~four)
                _lower(makers & four, total - max(gain, 0), left)
        ranks = torn
        while ranks != 0:
            four = np.int64(RANK) << lowest(ranks)
            ranks &= ranks - 1
            if makers & four != 0 and rest & four == 0:  # the three are a set
                _lower(makers & four, _with_one_of(rest, hand & four), left)
    saved = np.int64(0)
    while makers != 0:
        card = makers & -makers
        makers ^= card
        saved = _note(saved, now - left[lowest(card)], card, room)
    return now, now - swap, saved


@inlined
def _join_runs(rest, total, suit, ranks, left):
    """Lower ``left`` for cards of one suit that stay outside sets: only the runs of that suit change."""
    p = rest >> (13 * suit) & SUIT
    others = total - RUN_DEADWOOD[p]
    _, gain = runs_and_gain(rest & ~(np.int64(SUIT) << (13 * suit)))
    gain = max(gain, 0)
    while ranks != 0:
        rank = ranks & -ranks
        ranks ^= rank
        after = others + RUN_DEADWOOD[p | rank] - max(gain, DISCARD_GAIN[p | rank])
        card = 13 * suit + lowest(rank)
        left[card] = min(left[card], after)


@inlined
def _lower(cards, after, left):
    """Lower ``left`` for cards."""
    while cards != 0:
        card = lowest(cards)
        cards &= cards - 1
        left[card] = min(left[card], after)


@lean
def _with_one_of(rest, three):
    """Least deadwood by runs after a discard from the rest, alone or with one of three cards."""
    total, gain = runs_and_gain(rest)
    least = total - max(gain, 0)
    while three != 0:
        total, gain = runs_and_gain(rest | three & -three)
        least = min(least, total - max(gain, 0))
        three &= three - 1
    return least
