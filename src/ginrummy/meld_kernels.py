"""Melds, least deadwood, best meld sets and layoffs for other kernels: bare, fast, and without checks.

A mask with bits other than the 52 cards, or with far more cards than a hand, gives wrong results here or an
endless loop. Python code calls ``ginrummy.melds``, which checks.

How deadwood is found. Runs live within a suit, so an 8,192-entry table gives the least deadwood of any
thirteen-bit suit pattern by runs alone. Only ranks held three or four times can be sets. A set with no card
in a run is laid down in any case; the others branch: each choice of sets leaves four suit patterns to look
up. A hand seldom has such a rank, so a call is a handful of look-ups.

The order of melds is a contract, and the same as in the challenge program: runs by suit, start and length,
then sets by rank: without clubs, without hearts, without spades, without diamonds, all four.
"""

import numpy as np
import numpy.typing as npt

from ginrummy._jit import count, inlined, kernel, lean, lowest
from ginrummy.cards import DECK, POINTS, RANK, SUIT

MAX_CARDS = 14
MAX_MELDS = 4
"""Melds that a hand of up to 14 cards can lay down."""
MAX_HELD = 80
"""Room for the melds that a hand of up to 14 cards contains (a whole suit has 66, the most)."""


def _suit_tables() -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int8]]:
    """Points, and least deadwood by runs, of every suit pattern: three or more neighbours are melded."""
    held = np.arange(1 << 13)[:, None] >> np.arange(13) & 1
    padded = np.pad(held, ((0, 0), (2, 2)))
    starts = padded[:, :15] & padded[:, 1:16] & padded[:, 2:17]
    melded = starts[:, :13] | starts[:, 1:14] | starts[:, 2:15]
    return (held @ POINTS[:13]).astype(np.int8), ((held - melded) @ POINTS[:13]).astype(np.int8)


SUIT_POINTS, RUN_DEADWOOD = _suit_tables()
"""[8192] int8 each: points of a suit pattern; its least deadwood by runs alone. The tables of this module are
as small as possible, because together they should fit in the nearest cache."""


def _discard_tables() -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int16]]:
    """For every suit pattern: the most by which one discard lowers its deadwood, and the ranks that do so."""
    patterns = np.arange(1 << 13)
    ranks = np.arange(13)
    held = patterns[:, None] >> ranks & 1 == 1
    gains = RUN_DEADWOOD[patterns][:, None] - RUN_DEADWOOD[patterns[:, None] & ~(1 << ranks)]
    gains = np.where(held, gains, NO_GAIN)
    best = gains.max(axis=1)
    which = ((gains == best[:, None]) & held) @ (1 << ranks)
    return best.astype(np.int8), which.astype(np.int16)


NO_GAIN = -99
RUN_STARTS = np.int64(RANK) * 0x7FF
"""The cards that a run can start with: aces to jacks."""
DISCARD_GAIN, DISCARD_RANKS = _discard_tables()
"""[8192] int8: the most by which one discard lowers a suit's deadwood by runs. [8192] int16: its ranks."""


@inlined
def points(mask):
    """Points of all cards in a mask."""
    return (
        np.int64(SUIT_POINTS[mask & SUIT])
        + SUIT_POINTS[mask >> 13 & SUIT]
        + SUIT_POINTS[mask >> 26 & SUIT]
        + SUIT_POINTS[mask >> 39 & SUIT]
    )


@inlined
def _run_deadwood(mask):
    return (
        np.int64(RUN_DEADWOOD[mask & SUIT])
        + RUN_DEADWOOD[mask >> 13 & SUIT]
        + RUN_DEADWOOD[mask >> 26 & SUIT]
        + RUN_DEADWOOD[mask >> 39 & SUIT]
    )


@inlined
def set_ranks(mask):
    """Thirteen bits: the ranks held three or four times."""
    c = mask & SUIT
    h = mask >> 13 & SUIT
    s = mask >> 26 & SUIT
    d = mask >> 39 & SUIT
    return (c & h & (s | d)) | (s & d & (c | h))


@lean
def set_choices(hand, ranks):
    """How many ways there are to meld the given ranks as sets or not: two for three cards, six for four."""
    ways = 1
    while ranks != 0:
        four = RANK << lowest(ranks)
        ranks &= ranks - 1
        ways *= 6 if hand & four == four else 2
    return ways


@lean
def without_sets(hand, ranks, choice):
    """The hand without the sets of one choice out of ``set_choices``."""
    rest = hand
    while ranks != 0:
        rank = lowest(ranks)
        ranks &= ranks - 1
        four = np.int64(RANK) << rank
        if hand & four == four:
            way = choice % 6
            choice //= 6
            if way > 0:
                rest &= ~four
            if way > 1:
                rest |= np.int64(1) << (13 * (way - 2) + rank)
        else:
            if choice & 1:
                rest &= ~four
            choice >>= 1
    return rest


@inlined
def in_runs(mask):
    """The cards of a mask that are in some run of it."""
    starts = mask & mask >> 1 & mask >> 2 & RUN_STARTS
    return starts | starts << 1 | starts << 2


@inlined
def by_rank(mask):
    """Thirteen bits: the ranks of a mask."""
    return (mask | mask >> 13 | mask >> 26 | mask >> 39) & SUIT


@inlined
def lay_sure_sets(mask):
    """(the mask without its sure sets, the ranks of its other sets).

    A set is sure when none of its cards is in a run of the mask: then nothing else can meld them.
    """
    ranks = set_ranks(mask)
    torn = ranks & by_rank(in_runs(mask))
    return mask & ~((ranks ^ torn) * RANK), torn


@inlined
def deadwood(hand):
    """Least deadwood of a hand, over all ways to meld it."""
    rest, torn = lay_sure_sets(hand)
    best = _run_deadwood(rest)
    if torn != 0:
        for choice in range(1, set_choices(rest, torn)):
            best = min(best, _run_deadwood(without_sets(rest, torn, choice)))
    return best


@lean
def deadwood_without(hand, out):
    """Write to ``out[card]`` the least deadwood of the hand without that card, for every card of the hand.

    One pass over the choices of sets serves all cards: removing a card that is in no chosen set changes one
    look-up. A card in a chosen set gets its value from the choices that leave it out.
    """
    _run_deadwood_without(hand, True, out)
    ranks = set_ranks(hand)
    if ranks != 0:
        for choice in range(1, set_choices(hand, ranks)):
            _run_deadwood_without(without_sets(hand, ranks, choice), False, out)


@lean
def _run_deadwood_without(rest, fresh, out):
    """Lower ``out[card]`` to the deadwood by runs of the rest without that card; with ``fresh``, set it."""
    total = _run_deadwood(rest)
    for suit in range(4):
        pattern = rest >> (13 * suit) & SUIT
        others = total - RUN_DEADWOOD[pattern]
        ranks = pattern
        while ranks != 0:
            card = 13 * suit + lowest(ranks)
            left = others + RUN_DEADWOOD[pattern ^ (ranks & -ranks)]
            ranks &= ranks - 1
            if fresh or left < out[card]:
                out[card] = left


@inlined
def best_discards(hand):
    """Least deadwood after one discard, and the mask of all discards that leave it."""
    rest, torn = lay_sure_sets(hand)
    least, total, best = _best_run_discards(rest)
    if torn != 0 or total == 0:
        least, best = _best_discards_by_choices(hand, rest, torn)
    return least, best


@lean
def _best_discards_by_choices(hand, rest, torn):
    """``best_discards`` over all choices of the sets that compete with runs.

    No discard from a sure set is among the best while any card is deadwood. If all cards meld, any set may
    have to give a card, so all sets are then choices.
    """
    least, whole, best = _best_run_discards(rest)
    for choice in range(1, set_choices(rest, torn)):
        left, total, cards = _best_run_discards(without_sets(rest, torn, choice))
        whole = min(whole, total)
        if left < least:
            least = left
            best = cards
        elif left == least:
            best |= cards
    if whole == 0 and rest != hand:
        least, best = _best_discards_by_choices(hand, hand, set_ranks(hand))
    return least, best


@inlined
def _best_run_discards(rest):
    """Least deadwood by runs after a discard from the rest, deadwood before it, and the discards."""
    c = rest & SUIT
    h = rest >> 13 & SUIT
    s = rest >> 26 & SUIT
    d = rest >> 39 & SUIT
    gain = max(DISCARD_GAIN[c], DISCARD_GAIN[h], DISCARD_GAIN[s], DISCARD_GAIN[d])
    cards = np.int64(DISCARD_RANKS[c]) if DISCARD_GAIN[c] == gain else np.int64(0)
    cards |= np.int64(DISCARD_RANKS[h]) << 13 if DISCARD_GAIN[h] == gain else np.int64(0)
    cards |= np.int64(DISCARD_RANKS[s]) << 26 if DISCARD_GAIN[s] == gain else np.int64(0)
    cards |= np.int64(DISCARD_RANKS[d]) << 39 if DISCARD_GAIN[d] == gain else np.int64(0)
    total = _run_deadwood(rest)
    return total - gain, total, cards


@inlined
def runs_and_gain(rest):
    """(deadwood by runs, the most by which one discard lowers it)."""
    c = rest & SUIT
    h = rest >> 13 & SUIT
    s = rest >> 26 & SUIT
    d = rest >> 39 & SUIT
    gain = max(DISCARD_GAIN[c], DISCARD_GAIN[h], DISCARD_GAIN[s], DISCARD_GAIN[d])
    return _run_deadwood(rest), np.int64(gain)


@lean
def least_after_discard(hand):
    """Least deadwood after one discard: ``best_discards`` without the cards."""
    rest, torn = lay_sure_sets(hand)
    whole, gain = runs_and_gain(rest)
    least = whole - gain
    if torn != 0:
        for choice in range(1, set_choices(rest, torn)):
            total, gain = runs_and_gain(without_sets(rest, torn, choice))
            least = min(least, total - gain)
            whole = min(whole, total)
    if whole == 0 and least > 0:
        least, _ = _best_discards_by_choices(hand, hand, set_ranks(hand))
    return least


@inlined
def melds_with(hand, card):
    """Whether some meld within the hand contains the card, useful or not. The hand must hold the card."""
    suit = card // 13
    rank = card - 13 * suit
    if count(hand >> rank & RANK) >= 3:
        return True
    pattern = (hand >> (13 * suit) & SUIT) << 2
    near = pattern >> rank & 31  # two below, one below, the card, one above, two above
    return near & 7 == 7 or near & 14 == 14 or near & 28 == 28


@lean
def held_melds(hand, out):
    """Write every meld that the hand contains to ``out``, in the documented order; return how many."""
    n = 0
    for suit in range(4):
        pattern = hand >> (13 * suit) & SUIT
        starts = pattern & pattern >> 1 & pattern >> 2
        while starts != 0:
            start = lowest(starts)
            starts &= starts - 1
            run = np.int64(7)
            while pattern >> start & run == run:
                out[n] = run << (13 * suit + start)
                n += 1
                run = run << 1 | 1
    ranks = set_ranks(hand)
    while ranks != 0:
        rank = lowest(ranks)
        ranks &= ranks - 1
        four = np.int64(RANK) << rank
        if hand & four == four:
            for suit in range(4):
                out[n] = four ^ np.int64(1) << (13 * suit + rank)
                n += 1
            out[n] = four
        else:
            out[n] = hand & four
        n += 1
    return n


@lean
def find_best_sets(hand, pick, held, index, sets):
    """Count the best meld sets and write those numbered from ``pick`` on to ``sets``, in order.

    Sets come by number of melds, then by the places of their melds in ``held``. Within a set the melds
    come in the order (place mod 4, place), which is how the challenge program lays them down and which
    decides some first-fit layoffs. ``index`` is scratch.
    """
    n = held_melds(hand, held)
    if n == 0:
        return 0
    union = np.int64(0)
    shared = False
    for k in range(n):
        shared |= held[k] & union != 0
        union |= held[k]
    if not shared and n <= MAX_MELDS:  # no two melds share a card: all of them are the one best set
        for k in range(n):
            index[k] = k
        if pick == 0 and sets.shape[0] > 0:
            _in_order(held, index, n, sets, 0)
        return 1
    melded = points(hand) - deadwood(hand)
    found = 0
    for size in range(1, min(MAX_MELDS, count(union) // 3) + 1):
        found = _sets_of_size(size, melded, found, pick, held, n, index, sets)
    return found


@lean
def _sets_of_size(size, melded, found, pick, held, n, index, sets):
    """Go through all sets of ``size`` disjoint melds; note those that meld the given points."""
    used = total = np.int64(0)
    depth = candidate = 0
    while True:
        while candidate < n and held[candidate] & used != 0:
            candidate += 1
        if candidate == n:  # no more melds at this depth: take the last one back
            if depth == 0:
                return found
            depth -= 1
            candidate = index[depth]
            used ^= held[candidate]
            total -= points(held[candidate])
        elif depth < size - 1:
            index[depth] = candidate
            used |= held[candidate]
            total += points(held[candidate])
            depth += 1
        elif total + points(held[candidate]) == melded:
            index[depth] = candidate
            if 0 <= found - pick < sets.shape[0]:
                _in_order(held, index, size, sets, found - pick)
            found += 1
        candidate += 1


@lean
def _in_order(held, index, size, sets, row):
    """Write a set of melds to a row of ``sets``, in the order in which they are laid down."""
    n = 0
    for residue in range(4):
        for k in range(size):
            if index[k] & 3 == residue:
                sets[row, n] = held[index[k]]
                n += 1
    for k in range(n, MAX_MELDS):
        sets[row, k] = 0


@lean
def pick_best_set(hand, u, held, index, out):
    """Write one best meld set to ``out`` (shape [1, 4]), drawn by the uniform number ``u``.

    ``held`` [MAX_HELD] and ``index`` [MAX_MELDS] are scratch. A hand without melds gives zeros.
    """
    for k in range(MAX_MELDS):
        out[0, k] = 0
    found = find_best_sets(hand, 0, held, index, out)
    choice = int(u * found)
    if choice > 0:
        find_best_sets(hand, choice, held, index, out)


@inlined
def extensions(meld):
    """The cards that can be laid off on a meld: the ends of a run, the fourth card of a set."""
    if meld & meld >> 1 == 0:
        rank = lowest(meld) % 13
        return (np.int64(RANK) << rank) & ~meld
    suit = np.int64(SUIT) << (13 * (lowest(meld) // 13))
    return (meld << 1 | meld >> 1) & suit & ~meld


@lean
def first_fit_layoff(loose, melds):
    """The cards among ``loose`` that are laid off automatically; ``melds`` [4] is extended in place.

    The lowest loose card that extends a meld goes on the first meld that it extends, until no card fits.
    """
    laid = np.int64(0)
    while True:
        reach = np.int64(0)
        for k in range(MAX_MELDS):
            if melds[k] != 0:
                reach |= extensions(melds[k])
        fits = loose & ~laid & reach
        if fits == 0:
            return laid
        card = fits & -fits
        laid |= card
        for k in range(MAX_MELDS):
            if melds[k] != 0 and extensions(melds[k]) & card != 0:
                melds[k] |= card
                break


@lean
def _layoff_ways(hand, meld, chain, out):
    """Write to ``out`` every set of cards of the hand that can go on one meld; return how many.

    The empty set comes first. On a run a set is a stretch below it and a stretch above it, each of at
    most ``chain`` cards (0: any number).
    """
    out[0] = 0
    n = 1
    if meld == 0:
        return n
    first = lowest(meld)
    if meld & meld >> 1 == 0:
        fourth = extensions(meld) & hand
        if fourth != 0:
            out[n] = fourth
            n += 1
        return n
    ace = first - first % 13
    low = first
    below = np.int64(0)
    while True:
        above = np.int64(0)
        last = first + count(meld) - 1
        high = last
        while True:
            if below | above:
                out[n] = below | above
                n += 1
            high += 1
            if high > ace + 12 or hand >> high & 1 == 0 or 0 < chain < high - last:
                break
            above |= np.int64(1) << high
        low -= 1
        if low < ace or hand >> low & 1 == 0 or 0 < chain < first - low:
            return n
        below |= np.int64(1) << low


@lean
def optimal_layoff(hand, melds, chain, ways):
    """The cards to lay off on ``melds`` so that the rest of the hand has least deadwood.

    Melds and layoffs are chosen together. Among equal choices the one found first wins. The ways of the first
    meld are tried fastest, so a card goes on an earlier meld rather than a later one. ``chain`` limits the
    cards on one end of a run (0: no limit). ``ways`` [4, 64] is scratch.
    """
    n0 = _layoff_ways(hand, melds[0], chain, ways[0])
    n1 = _layoff_ways(hand, melds[1], chain, ways[1])
    n2 = _layoff_ways(hand, melds[2], chain, ways[2])
    n3 = _layoff_ways(hand, melds[3], chain, ways[3])
    best = deadwood(hand)
    laid = np.int64(0)
    for choice in range(1, n0 * n1 * n2 * n3):
        a = ways[0, choice % n0]
        b = ways[1, choice // n0 % n1]
        c = ways[2, choice // (n0 * n1) % n2]
        d = ways[3, choice // (n0 * n1 * n2)]
        if a & b | (a | b) & c | (a | b | c) & d:
            continue
        left = deadwood(hand & ~(a | b | c | d))
        if left < best:
            best = left
            laid = a | b | c | d
    return laid


@lean
def is_meld(mask):
    """Whether the cards of a mask are one meld."""
    size = count(mask)
    if size < 3:
        return False
    first = lowest(mask)
    rank = first % 13
    if mask & mask >> 1 == 0:
        return mask & ~(np.int64(RANK) << rank) == 0
    return rank + size <= 13 and mask >> first == (np.int64(1) << size) - 1


@lean
def spread_fault(hand, melds):
    """What is wrong with melds laid down: 0 nothing, 1 not a meld, 2 not in the hand, 3 card used twice."""
    used = np.int64(0)
    for k in range(MAX_MELDS):
        meld = melds[k]
        if meld == 0:
            continue
        if meld < 0 or not is_meld(meld):
            return 1
        if meld & ~hand != 0:
            return 2
        if meld & used != 0:
            return 3
        used |= meld
    return 0


SPREAD_FAULTS = ("", "these cards are not a meld", "a card is not in the hand", "a card is in two melds")


@kernel
def deadwood_many(hands, out):
    """Write the least deadwood of each hand to ``out``."""
    for k in range(hands.shape[0]):
        out[k] = deadwood(hands[k])


@kernel
def first_wrong_hand(hands):
    """The place of the first mask that is not a hand of at most ``MAX_CARDS`` cards; -1 when all are."""
    for k in range(hands.shape[0]):
        if hands[k] & ~np.int64(DECK) != 0 or count(hands[k]) > MAX_CARDS:
            return k
    return -1
