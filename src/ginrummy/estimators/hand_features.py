"""What tells a likely hand of the opponent from an unlikely one, beyond the chances of its single cards.

``read_past`` reads the log once for a row. ``write_features`` then writes ``FEATURES`` numbers about one hand
of ten: its deadwood and melds, what it would have done with the upcards that were left, how good its discards
were, and whether it would have knocked.

The likelihood of the last three discards is taken from the hand with the discarded card put back. For the
last one that is the hand as it was, and it can be followed further back while upcards were taken. Beyond a
draw from the stock it is a guess: the card drawn then may be any card of the present hand.

They are also compared with what ``hand-strength`` would have thrown (``strength``), by ``RULES`` lists of its
constants that the file of the belief carries: many players throw as one of its profiles does.
"""

import numpy as np

from ginrummy._jit import count, lean, lowest
from ginrummy.cards import NO_CARD, POINTS, RANK
from ginrummy.estimators.types import KNOCK_LIMITS, KNOCK_TURNS, TYPES
from ginrummy.makers import NO_ACES, NO_HIGH, NO_KINGS, NO_LOW, meld_makers, paired_ranks
from ginrummy.meld_kernels import (
    deadwood,
    deadwood_without,
    in_runs,
    least_after_discard,
    melds_with,
    points,
    set_ranks,
)
from ginrummy.strength import CODE, judge_throw, throw_chance
from ginrummy.view import DISCARD, DRAWN, OTHER, PASSED, UPCARD, WHO

(
    DEADWOOD, ROOT, WITHIN, FIVE, TWO, GIN,  # least deadwood: its size, its root, whether it is small
    MELDED, LIVE, HOPED,  # cards in melds; makers that are left; makers that are left as far as it knows
    PAIRS, NEXT, GAPS, ALONE, ALONE_POINTS, DEAREST, COURT,  # pairs and neighbours; cards without any
    LEFT_1, SAVED_1, LEFT_2, LEFT_MORE,  # upcards left that would have melded and saved points
    THROWN_1, THROWN_2, THROWN_MORE,  # discards that would meld with the hand
    TAKEN_1, TAKEN_MORE,  # upcards taken that are in no meld
    LOSS_1, WORSE_1, CHANCE_1, LOSS_2, CHANCE_2, LOSS_3, CHANCE_3,  # how good its discards were
    KNOCKS,  # whether it would have knocked after its last discard
    DEARER,  # loose cards dearer than the last discard
    LIKELY,  # log chance of the hand by single cards
    SAME_1, ABOVE_1,  # whether ``hand-strength`` throws the last discard, by the first rule; its score above
    SECOND_1, THIRD_1,  # the same by the other rules
    SAME_2, SAME_3,  # the discards before, by the first rule
) = range(41)  # fmt: skip
FEATURES = 41
RULES = 3
"""Lists of constants of ``hand-strength`` with which discards are compared; the first for three discards."""

PAST = 32
"""Cards of each kind that are remembered, the latest first."""
LEFT, THROWN, FIXED, PILES, HELD, EVER, TURNS, HEAD = range(8)
"""Rows of the past: upcards left; discards; the card taken with each discard, -1 for none. What the opponent
saw before each discard: the pile, cards that this side was known to hold, cards that it had ever taken; and
the opponent's turn. Last, numbers:"""
PAST_ROWS = 8
LEFTS, THROWS, DEAD, TURN, TAKEN = range(5)
"""how many were left and thrown; cards that it knows not to come; its own turns; the last upcard taken, if it
still holds it (-1: none)."""
FADE = 0.8
"""Weight of an event for each event further back."""
MAKER = 1.5
"""Points that a live maker is worth in the score of a discard."""
TAU = 3.0
"""Points of score by which a choice becomes e times less likely."""
WINDOW = 8
"""Discards that leave so much more than the least deadwood are not considered."""
FAR = -6.0
"""The least log chance of a discard."""
SURE = 0.97
"""A hand within the limit of a type knocks this often."""


@lean
def read_past(seen, past):
    """Write what the log tells about the opponent to ``past`` [PAST_ROWS, PAST] int64."""
    head = past[HEAD]
    lefts = throws = turn = 0
    taken = np.int64(NO_CARD)
    mine = np.int64(0)
    last = np.int64(NO_CARD)
    for back in range(seen.events):
        event = seen.events - 1 - back
        upcard = np.int64(seen.log[event, UPCARD])
        drawn = np.int64(seen.log[event, DRAWN])
        if seen.log[event, WHO] != OTHER:
            if drawn == upcard:
                mine |= np.int64(1) << upcard
            continue
        turn += drawn != PASSED
        took = drawn == upcard
        if took and taken == NO_CARD and seen.opponent >> upcard & 1:
            taken = upcard
        if not took and upcard != last and lefts < PAST:
            past[LEFT, lefts] = upcard  # a pass of the first upcard and the forced draw after it count once
            lefts += 1
        last = upcard
        discard = np.int64(seen.log[event, DISCARD])
        if discard != NO_CARD and throws < PAST:
            past[THROWN, throws] = discard
            past[FIXED, throws] = upcard if took else NO_CARD
            past[TURNS, throws] = turn  # counted from the last one for now
            throws += 1
    if seen.allowed != 0 and seen.top < 0:  # the upcard was taken just now
        mine |= np.int64(1) << np.int64(seen.drawn)
    head[LEFTS], head[THROWS], head[TURN], head[TAKEN] = lefts, throws, turn, taken
    head[DEAD] = seen.pile | (mine & seen.hand)
    _read_tables(seen, turn, throws, past)


@lean
def _read_tables(seen, turns, throws, past):
    """Write what the opponent saw before each of its discards: see the rows of the past."""
    pile = held = ever = np.int64(0)
    place = throws
    for event in range(seen.events):
        upcard = np.int64(seen.log[event, UPCARD])
        drawn = np.int64(seen.log[event, DRAWN])
        discard = np.int64(seen.log[event, DISCARD])
        top = np.int64(1) << upcard
        if event == 0:
            pile = top
        took = drawn == upcard
        if took:
            pile &= ~top
        if seen.log[event, WHO] != OTHER:
            if took:
                held |= top
                ever |= top
            if discard != NO_CARD:
                held &= ~(np.int64(1) << discard)
        elif discard != NO_CARD:
            place -= 1
            if 0 <= place < PAST:
                past[PILES, place], past[HELD, place], past[EVER, place] = pile, held, ever
                past[TURNS, place] = turns + 1 - past[TURNS, place]
        if discard != NO_CARD:
            pile |= np.int64(1) << discard


@lean
def would_knock(kind, left, turn, limit):
    """Whether a type knocks with this deadwood in its turn, from 1; ``limit`` is that of the round."""
    place = (KNOCK_TURNS if turn > KNOCK_TURNS else turn) - 1
    return left == 0 or (left <= KNOCK_LIMITS[kind, place] and left <= limit)


@lean
def knock_chance(left, turn, limit, odds):
    """How likely a hand with this deadwood knocks in its turn, from 1, by the odds of the types."""
    total = 0.0
    for kind in range(len(TYPES)):
        if would_knock(kind, left, turn, limit):
            total += odds[kind]
    return total


@lean
def _judge_discard(hand, card, fixed, dead, scratch):
    """How good it was to throw a card from a hand with it: three numbers.

    They are: deadwood above the least, score above the least, and log chance. The score is the deadwood left
    less the worth of the live makers; the card just taken (``fixed``) may not be thrown.
    """
    bit = np.int64(1) << card
    eleven = hand | bit
    deadwood_without(eleven, scratch)
    cards = eleven if fixed < 0 else eleven & ~(np.int64(1) << fixed)
    gone = dead | eleven
    least = scratch[card]
    rest = cards
    while rest != 0:
        least = min(least, scratch[lowest(rest)])
        rest &= rest - 1
    own = scratch[card] - MAKER * count(meld_makers(hand) & ~gone)
    best = own
    total = 1.0
    rest = cards & ~bit
    while rest != 0:
        other = lowest(rest)
        rest &= rest - 1
        if scratch[other] <= least + WINDOW:
            value = scratch[other] - MAKER * count(meld_makers(eleven ^ np.int64(1) << other) & ~gone)
            best = min(best, value)
            total += np.exp(min((own - value) / TAU, 20.0))
    return scratch[card] - least, own - best, max(-np.log(total), FAR)


@lean
def write_features(hand, seen, past, odds, likely, rules, scratch, out):
    """Write the numbers of one hand to ``out`` [FEATURES] float32; returns its deadwood.

    ``odds`` are those of the types, ``likely`` is the log chance of the hand by single cards, ``rules``
    [RULES, PARAMETERS] are constants of ``hand-strength``, ``scratch`` is room for ``SCRATCH`` integers.
    """
    head = past[HEAD]
    left = deadwood(hand)
    _write_shape(hand, left, seen, head[DEAD], out)
    _write_history(hand, left, seen, past, out)
    then = hand
    for back in range(3):
        lost, worse, chance = 0.0, 0.0, 0.0
        if back < head[THROWS]:
            card, fixed = past[THROWN, back], past[FIXED, back]
            lost, worse, chance = _judge_discard(then, card, fixed, head[DEAD], scratch)
            _compare(then, back, card, fixed, past, rules, scratch, out)
            if fixed >= 0 and then >> fixed & 1:  # the hand before that draw is known
                then = then & ~(np.int64(1) << fixed) | np.int64(1) << card
        else:
            _compare_nothing(back, out)
        place = LOSS_1 if back == 0 else LOSS_2 if back == 1 else LOSS_3
        out[place] = min(lost, 20.0) * 0.1
        if back == 0:
            out[WORSE_1] = min(worse, 20.0) * 0.1
        out[CHANCE_1 if back == 0 else CHANCE_2 if back == 1 else CHANCE_3] = chance * 0.25
    out[KNOCKS] = 0.0
    if head[THROWS] > 0:
        out[KNOCKS] = np.log(1.0 - SURE * knock_chance(left, head[TURN], seen.limit, odds)) * 0.3
    out[LIKELY] = likely * 0.1
    return left


@lean
def _compare(hand, back, card, fixed, past, rules, scratch, out):
    """Write whether ``hand-strength`` throws a card from a hand with it."""
    eleven = hand | np.int64(1) << card
    allowed = eleven if fixed < 0 else eleven & ~(np.int64(1) << fixed)
    gone = past[PILES, back] | eleven
    for rule in range(RULES if back == 0 else 1):
        p = rules[rule]
        known = past[EVER, back] if p[CODE] != 0 else past[HELD, back]
        turn = past[TURNS, back]
        if back == 0 and rule == 0:
            same, above = judge_throw(eleven, card, allowed, gone, known, turn, p, scratch)
            out[SAME_1], out[ABOVE_1] = same, above * 0.05
            continue
        same = throw_chance(eleven, card, allowed, gone, known, turn, p, scratch)
        if back == 0:
            out[SECOND_1 + rule - 1] = same
        else:
            out[SAME_2 if back == 1 else SAME_3] = same


@lean
def _compare_nothing(back, out):
    """Write that there is no such discard."""
    if back == 0:
        for place in range(SAME_1, SAME_2):
            out[place] = 0.0
    else:
        out[SAME_2 if back == 1 else SAME_3] = 0.0


@lean
def _write_shape(hand, left, seen, dead, out):
    """Write deadwood, melds, pairs and neighbours."""
    out[DEADWOOD], out[ROOT] = left * 0.05, np.sqrt(left) * 0.3
    out[WITHIN], out[FIVE], out[TWO], out[GIN] = left <= seen.limit, left <= 5, left <= 2, left == 0
    melded = in_runs(hand) | set_ranks(hand) * RANK & hand
    out[MELDED] = count(melded) * 0.1
    makers = meld_makers(hand)
    out[LIVE] = count(makers & ~(seen.hand | seen.pile)) * 0.2
    out[HOPED] = count(makers & ~dead) * 0.2
    pairs = paired_ranks(hand)
    above, below = hand & hand >> 1 & NO_KINGS, hand & hand << 1 & NO_ACES
    above2, below2 = hand & hand >> 2 & NO_HIGH, hand & hand << 2 & NO_LOW
    out[PAIRS] = count(pairs) * 0.3
    out[NEXT], out[GAPS] = count(above) * 0.2, count(above2) * 0.2
    alone = hand & ~(pairs * RANK | above | below | above2 | below2)
    out[ALONE], out[ALONE_POINTS] = count(alone) * 0.2, points(alone) * 0.05
    dearest = 0
    if alone != 0:
        ranks = (alone | alone >> 13 | alone >> 26 | alone >> 39) & 0x1FFF
        while ranks & (ranks - 1) != 0:
            ranks &= ranks - 1
        dearest = POINTS[lowest(ranks)]
    out[DEAREST] = dearest * 0.1
    out[COURT] = count(hand & ~melded & np.int64(RANK) * 0x1E00) * 0.2


@lean
def _write_history(hand, left, seen, past, out):
    """Write what the hand would have done with upcards left, discards and cards taken."""
    head = past[HEAD]
    out[LEFT_1] = out[SAVED_1] = out[LEFT_2] = out[LEFT_MORE] = 0.0
    fade = 1.0
    for back in range(head[LEFTS]):
        card = past[LEFT, back]
        eleven = hand | np.int64(1) << card
        if melds_with(eleven, card):
            saved = left - least_after_discard(eleven)
            if saved > 0:
                if back == 0:
                    out[LEFT_1], out[SAVED_1] = 1.0, min(saved, 20) * 0.1
                elif back == 1:
                    out[LEFT_2] = 1.0
                else:
                    out[LEFT_MORE] += fade
        if back > 1:
            fade *= FADE
    out[THROWN_1] = out[THROWN_2] = out[THROWN_MORE] = 0.0
    fade = 1.0
    for back in range(head[THROWS]):
        card = past[THROWN, back]
        if melds_with(hand | np.int64(1) << card, card):
            if back == 0:
                out[THROWN_1] = 1.0
            elif back == 1:
                out[THROWN_2] = 1.0
            else:
                out[THROWN_MORE] += fade
        if back > 1:
            fade *= FADE
    out[TAKEN_1] = out[TAKEN_MORE] = 0.0
    known = seen.opponent
    while known != 0:
        card = lowest(known)
        known &= known - 1
        if not melds_with(hand, card):
            if card == head[TAKEN]:
                out[TAKEN_1] = 1.0
            else:
                out[TAKEN_MORE] += 0.5
    out[DEARER] = 0.0
    if head[THROWS] > 0:
        thrown = POINTS[past[THROWN, 0]]
        loose = hand & ~(in_runs(hand) | set_ranks(hand) * RANK)
        if thrown < 10:
            out[DEARER] = count(loose & np.int64(RANK) * (0x1FFF & ~((1 << thrown) - 1))) * 0.2
