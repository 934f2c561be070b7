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
from ginrummy.makers import paired_ranks
from ginrummy.meld_kernels import DISCARD_GAIN, RUN_DEADWOOD, deadwood, set_choices, set_ranks, without_sets

BINS = 160
"""Bins of a tally: thirteen cards leave at most 128 points."""
TALLY = BINS + 2 * 68
"""Integers of room that ``low_mean`` needs."""

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


@lean
def _add_to_two(hand, rest, cards, tally):
    """Count cards, each joined to the better of the hand by runs alone and the hand with its one set."""
    while cards != 0:
        card = cards & -cards
        cards ^= card
        best, dearest = _runs(hand | card)
        total, loose = _runs(rest | card)
        if total < best or (total == best and loose > dearest):
            best, dearest = total, loose
        tally[best - dearest] += 1


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
    pairs = paired_ranks(hand)
    joining = cards & pairs * RANK
    in_runs = _run_cards(hand)
    sets = set_ranks(hand)
    rest = hand
    hard = np.int64(0)
    if sets != 0:
        laid = hand & sets * RANK
        rest ^= laid
        hard = cards & (joining & sets * RANK | _near(laid) & in_runs)
        if in_runs & laid != 0:  # already now a set and a run want the same card
            if sets & (sets - 1) == 0 and count(laid) == 3:
                _add_to_two(hand, rest, cards & ~joining, tally)
                cards = hard = joining
            else:
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


@inlined
def _sort_out(hand, cards):
    """(the cards of sets, the cards that alone may make or break a set): the others change runs only.

    A card may make a set if its rank is held twice. It may break one if it makes a run with a card of a set.
    """
    hard = cards & paired_ranks(hand) * RANK
    sets = set_ranks(hand)
    if sets == 0:
        return np.int64(0), hard
    laid = hand & sets * RANK
    in_runs = _run_cards(hand)
    if in_runs & laid != 0:  # already now a set and a run want the same card
        return laid, cards
    return laid, hard | cards & _near(laid) & in_runs


@inlined
def _above(bit, laid):
    """Higher ranks of a suit that make a run with ``bit`` and a card of ``laid`` between or beside them."""
    ranks = bit << 1 if (bit << 2 | bit >> 1) & laid != 0 else np.int64(0)
    return ranks | bit << 2 if bit << 1 & laid != 0 else ranks


@inlined
def _below(bit, laid):
    """Lower ranks of a suit that do so."""
    ranks = bit >> 1 if (bit << 1 | bit >> 2) & laid != 0 else np.int64(0)
    return ranks | bit >> 2 if bit >> 1 & laid != 0 else ranks


_PATTERN, _PLAIN, _DEAD, _LOOSE = 52, 56, 60, 64
_ROOM = 68
"""Room of one level: packed numbers by card; then, by suit, the pattern, the cards that change runs only, the
deadwood and the dearest card of the pattern."""


@inlined
def _fill(rest, plain, room):
    """Look up the runs of each suit, alone and with each card."""
    for suit in range(4):
        pattern = rest >> (13 * suit) & SUIT
        ranks = plain >> (13 * suit) & SUIT
        packed = np.int64(_PACKED[pattern])
        room[_PATTERN + suit] = pattern
        room[_PLAIN + suit] = ranks
        room[_DEAD + suit] = packed >> _DEAREST_BITS
        room[_LOOSE + suit] = packed & _DEAREST
        while ranks != 0:
            room[13 * suit + lowest(ranks)] = _PACKED[pattern | ranks & -ranks]
            ranks &= ranks - 1


@inlined
def _add_known(suit, ranks, total, loose, room, tally):
    """Count cards of one suit beside ``total`` points and a dearest card of ``loose`` in the other suits."""
    while ranks != 0:
        packed = room[13 * suit + lowest(ranks)]
        ranks &= ranks - 1
        tally[total + (packed >> _DEAREST_BITS) - max(loose, packed & _DEAREST)] += 1


@inlined
def _single_ranks(hand):
    """Thirteen bits: the ranks held once."""
    return (hand | hand >> 13 | hand >> 26 | hand >> 39) & SUIT & ~paired_ranks(hand)


@lean
def _tally_two(hand, cards, tally, room):
    """Count every pair of ``cards``."""
    laid, hard = _sort_out(hand, cards)
    plain = cards ^ hard
    while hard != 0:
        card = hard & -hard
        hard ^= card
        add_each(hand | card, hard | plain, tally)
    if plain == 0:
        return
    _fill(hand ^ laid, plain, room)
    single = _single_ranks(hand)
    total = room[_DEAD] + room[_DEAD + 1] + room[_DEAD + 2] + room[_DEAD + 3]
    for one in range(4):
        pattern = room[_PATTERN + one]
        sets = laid >> (13 * one) & SUIT
        ranks = room[_PLAIN + one]
        loose = np.int64(0)
        for suit in range(4):
            if suit != one:
                loose = max(loose, room[_LOOSE + suit])
        while ranks != 0:  # both of one suit
            bit = ranks & -ranks
            ranks ^= bit
            run = ranks & _above(bit, sets)
            _add_suit(pattern | bit, total - room[_DEAD + one], loose, ranks ^ run, tally)
            while run != 0:  # both make a run with a card of a set
                tally[left_deadwood(hand | (bit | run & -run) << (13 * one))] += 1
                run &= run - 1
        for two in range(one + 1, 4):
            others = total - room[_DEAD + one] - room[_DEAD + two]
            loose = np.int64(0)
            for suit in range(4):
                if suit != one and suit != two:
                    loose = max(loose, room[_LOOSE + suit])
            ranks = room[_PLAIN + one]
            while ranks != 0:
                bit = ranks & -ranks
                packed = room[13 * one + lowest(ranks)]
                ranks ^= bit
                _add_known(
                    two, room[_PLAIN + two] & ~(bit & single), others + (packed >> _DEAREST_BITS),
                    max(loose, packed & _DEAREST), room, tally,
                )  # fmt: skip
    while single != 0:  # two cards that make a set with one of the hand
        four = (np.int64(RANK) << lowest(single)) & plain
        single &= single - 1
        while four != 0:
            card = four & -four
            four ^= card
            mates = four
            while mates != 0:
                tally[left_deadwood(hand | card | mates & -mates)] += 1
                mates &= mates - 1


@lean
def _tally_three(hand, cards, tally, room):
    """Count every three of ``cards``."""
    laid, hard = _sort_out(hand, cards)
    plain = cards ^ hard
    while hard != 0:
        card = hard & -hard
        hard ^= card
        _tally_two(hand | card, hard | plain, tally, room[_ROOM:])
    if plain == 0:
        return
    _fill(hand ^ laid, plain, room)
    single = _single_ranks(hand)
    total = room[_DEAD] + room[_DEAD + 1] + room[_DEAD + 2] + room[_DEAD + 3]
    for one in range(4):
        sets = laid >> (13 * one) & SUIT
        _two_of_one_suit(one, total, single, sets, tally, room)
        _one_of_each_suit(one, total, single, tally, room)
        if sets != 0:
            _runs_with_sets(hand, one, sets, plain, single, tally)
    ranks = SUIT & ~paired_ranks(hand)
    while ranks != 0:  # cards of one rank that make a set, with one of the hand or without
        four = (np.int64(RANK) << lowest(ranks)) & plain
        held = ranks & -ranks & single
        ranks &= ranks - 1
        _sets_of_rank(hand, four, plain, held, tally)


@lean
def _two_of_one_suit(one, total, single, sets, tally, room):
    """Count two cards of a suit with a third of the same or of another; no runs with cards of ``sets``."""
    pattern, others = room[_PATTERN + one], total - room[_DEAD + one]
    first = room[_PLAIN + one]
    while first != 0:
        bit = first & -first
        first ^= bit
        second = first & ~_above(bit, sets)
        while second != 0:
            mate = second & -second
            second ^= mate
            both = bit | mate
            most = max(
                room[_LOOSE + (one + 1 & 3)], room[_LOOSE + (one + 2 & 3)], room[_LOOSE + (one + 3 & 3)]
            )
            _add_suit(pattern | both, others, most, second & ~_above(mate, sets), tally)
            packed = np.int64(_PACKED[pattern | both])
            for step in range(1, 4):
                two = one + step & 3
                loose = max(
                    packed & _DEAREST,
                    room[_LOOSE + (one + (1 if step != 1 else 2) & 3)],
                    room[_LOOSE + (one + (3 if step != 3 else 2) & 3)],
                )
                left = others - room[_DEAD + two] + (packed >> _DEAREST_BITS)
                _add_known(two, room[_PLAIN + two] & ~(both & single), left, loose, room, tally)


@lean
def _one_of_each_suit(out, total, single, tally, room):
    """Count three cards of three suits, all but ``out``."""
    one, two, three = (out + 1) & 3, (out + 2) & 3, (out + 3) & 3
    others = room[_DEAD + out]
    first = room[_PLAIN + one]
    while first != 0:
        bit = first & -first
        packed = room[13 * one + lowest(first)]
        first ^= bit
        left = others + (packed >> _DEAREST_BITS)
        loose = max(room[_LOOSE + out], packed & _DEAREST)
        second = room[_PLAIN + two] & ~(bit & single)
        while second != 0:
            mate = second & -second
            packed = room[13 * two + lowest(second)]
            second ^= mate
            third = room[_PLAIN + three] & ~((bit | mate) & single | bit & mate)
            _add_known(
                three, third, left + (packed >> _DEAREST_BITS), max(loose, packed & _DEAREST), room, tally
            )


@lean
def _runs_with_sets(hand, one, sets, plain, single, tally):
    """Count threes in which two cards of a suit make a run with a card of a set.

    A three with several such pairs counts at its lowest. Threes with two cards of a single rank are counted
    by ``_sets_of_rank``.
    """
    ranks = plain >> (13 * one) & SUIT
    while ranks != 0:
        bit = ranks & -ranks
        ranks ^= bit
        mates = ranks & _above(bit, sets)
        while mates != 0:
            mate = mates & -mates
            mates ^= mate
            both = bit | mate
            early = (_above(bit, sets) | _below(bit, sets)) & (mate - 1) | _below(mate, sets) & (bit - 1)
            third = plain & ~((both | early) << (13 * one)) & ~((both & single) * RANK)
            add_each(hand | both << (13 * one), third, tally)


@lean
def _sets_of_rank(hand, four, plain, held, tally):
    """Count threes in which cards of one rank make a set: two with the one that is ``held``, or three."""
    done = np.int64(0)
    while four != 0:
        card = four & -four
        four ^= card
        mates = four
        between = np.int64(0)
        while mates != 0:
            mate = mates & -mates
            mates ^= mate
            if held != 0:
                add_each(hand | card | mate, plain & ~(card | mate | done | between), tally)
            else:
                third = mates
                while third != 0:
                    tally[left_deadwood(hand | card | mate | third & -third)] += 1
                    third &= third - 1
            between |= mate
        done |= card


@lean
def tally_after(hand, unseen, more, tally, room):
    """Count in ``tally[d]`` the choices of ``more`` (1 to 3) unseen cards that leave deadwood ``d``."""
    if more == 1:
        add_each(hand, unseen, tally)
    elif more == 2:
        _tally_two(hand, unseen, tally, room)
    else:
        _tally_three(hand, unseen, tally, room)


@lean
def _mean_of_lowest(tally, divisor, up):
    """Mean of the lowest deadwoods of a tally, one in ``divisor``, rounded down or ``up``; -1 if empty."""
    choices = np.int64(0)
    for left in range(BINS):
        choices += tally[left]
    if choices == 0:
        return -1.0
    share = choices / divisor
    wanted = np.int64(np.ceil(share) if up else np.floor(share))
    if wanted < 1:
        wanted = np.int64(1)
    total = taken = np.int64(0)
    for left in range(BINS):
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
    tally = scratch[:BINS]
    for left in range(BINS):
        tally[left] = 0
    tally_after(hand, unseen, more, tally, scratch[BINS:TALLY])
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
def _tally_pairs_of_program(hand, fresh, again, tally, room):
    """Count every ordered pair of cards that the program takes for unseen, a card with itself included."""
    _tally_two(hand, fresh, tally, room)
    for left in range(BINS):
        tally[left] *= 2
    cards = fresh
    while cards != 0:
        card = cards & -cards
        cards ^= card
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
    tally = scratch[:BINS]
    for left in range(BINS):
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
        _tally_pairs_of_program(hand, fresh, again, tally, scratch[BINS:TALLY])
    return _mean_of_lowest(tally, divisor, True)
