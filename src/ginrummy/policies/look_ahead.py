"""Look-ahead: discards by the deadwood of hands to come and by what the opponent gains.

Source: Goldstein, Astudillo Guerra, Haigh, Cruz Ulloa and Blum, "Extracting Learned Discard and Knocking
Strategies from a Gin Rummy Bot" (EAAI 2021). A discard ``c`` is scored by

    s(c) = sum over t of w(t) * d(c, t) + u(c)

and the least score wins. ``d(c, t)`` is the deadwood after ``t`` more turns: exact for 0, the mean over the
best choices of one, two or three unseen cards (``future_hands``), then falling in a straight line. ``w(t)``
is the chance that the round ends after ``t`` more own turns. ``u(c)`` is what the opponent gains from the
card (``opponent_table``). The knock is a rule of its own: limits by turn, or a table of probabilities.

The authors' program differs from the text. It looks two cards ahead, weighs only the eighth turn, and has
quirks of its own, which ``PROGRAM`` turns on; section names below say where.

The opponent table and the knock table are part of the constants ``p``: their places are fixed.
"""

import numpy as np

from ginrummy._jit import inlined, lean, lowest
from ginrummy.cards import CARDS, DECK, POINTS, RANK
from ginrummy.compiled.policy import Policy
from ginrummy.meld_kernels import (
    MAX_HELD,
    MAX_MELDS,
    deadwood,
    deadwood_without,
    held_melds,
    melds_with,
    pick_best_set,
)
from ginrummy.policies.baseline import any_card, spread_best
from ginrummy.policies.future_hands import left_deadwood, low_mean, low_mean_of_program
from ginrummy.policies.opponent_table import CELLS, ENDS, cell_of
from ginrummy.strength import gin_cards
from ginrummy.view import DISCARD, DRAWN, OTHER, UPCARD, WHO

FARTHEST = 8
"""The last turn that is weighed; the last weight serves all later turns."""
WEIGHT_TURNS = ENDS[0]
"""Own turns with weights of their own; the last one serves all later turns."""
KNOCK_TURNS = 20
"""Own turns with knock limits of their own; the last one serves all later turns."""
KNOCK_SHAPE = (11, 32, 14)
"""Axes of the knock table: deadwood, cards in the stock, lowest rank the opponent discarded (13: none)."""
NO_DISCARD = 13

(
    PROGRAM, CARDS_AHEAD, FIRST, LATER, WITHIN, MOST_CANDIDATES, OPPONENT, MARGIN, KNOCK_CHANCE,
    KNOCK_BY_TABLE,
) = range(10)  # fmt: skip
"""Places of the constants. One in ``FIRST`` choices of one card counts, one in ``LATER`` of more cards."""
WEIGHTS = 10
KNOCK_LEAST = WEIGHTS + WEIGHT_TURNS * (FARTHEST + 1)
KNOCK_MOST = KNOCK_LEAST + KNOCK_TURNS
KNOCK_TABLE = KNOCK_MOST + KNOCK_TURNS
GAIN = KNOCK_TABLE + KNOCK_SHAPE[0] * KNOCK_SHAPE[1] * KNOCK_SHAPE[2]
PARAMETERS = GAIN + CELLS
"""Number of constants: the head, weights by turn, knock limits by turn, knock table, opponent table."""

TREND = 0.6
"""How the mean three cards ahead goes on from the first two, for the guess: fitted to 23,000 discards."""

_FIRSTS, _SECONDS, _SCORES, _TALLY = (CARDS * k for k in range(1, 5))
"""Places in scratch; deadwoods by card come first."""


@lean
def loose_cards(hand, allowed, left):
    """The cards that some best meld set does not meld. ``left[card]`` becomes the deadwood without each card.

    If every card is melded, all cards that may be discarded.
    """
    deadwood_without(hand, left)
    whole = deadwood(hand)
    loose = np.int64(0)
    cards = allowed
    while cards != 0:
        card = lowest(cards)
        cards &= cards - 1
        if left[card] == whole - POINTS[card]:
            loose |= np.int64(1) << card
    return loose if loose != 0 else allowed


@lean
def expected(first, second, third, left, turn, p):
    """Expected deadwood over the turns to come, from ``left``, d(c, 0), and the means one to three cards on.

    With fewer cards ahead the later means are not read; the line then starts from the last one that is.
    """
    weights = p[WEIGHTS + (min(turn, WEIGHT_TURNS) - 1) * (FARTHEST + 1) :]
    ahead = int(p[CARDS_AHEAD])
    before, last = np.float64(left), first
    total = weights[0] * left + weights[1] * first
    if ahead >= 2:
        before, last = first, second
        total += weights[2] * second
    if ahead == 3:
        before, last = second, third
        total += weights[3] * third
    for t in range(ahead + 1, FARTHEST + 1):
        total += weights[t] * max(0.0, last - (before - last) * (t - ahead))
    return total


@inlined
def gain(card, hand, theirs, pile, p):
    """What the opponent gains from a discard."""
    return p[OPPONENT] * p[GAIN + cell_of(card, hand, theirs, pile)]


@lean
def best_by_score(hand, allowed, theirs, pile, turn, p, scratch):
    """Mask of the discards with the least score: one card, unless scores are equal. Gin is always taken.

    Three cards ahead are dear, so a first score guesses the third mean from the first two; only discards
    within ``MARGIN`` of the best guess are worked out.
    """
    cards = loose_cards(hand, allowed, scratch)
    gin = gin_cards(cards, scratch)
    if gin != 0:
        return gin
    if cards & (cards - 1) == 0:
        return cards
    unseen = DECK & ~(hand | theirs | pile)
    ahead = int(p[CARDS_AHEAD])
    firsts = scratch[_FIRSTS : _FIRSTS + CARDS].view(np.float64)
    seconds = scratch[_SECONDS : _SECONDS + CARDS].view(np.float64)
    scores = scratch[_SCORES : _SCORES + CARDS].view(np.float64)
    least = 1e18
    left = cards
    while left != 0:
        card = lowest(left)
        left &= left - 1
        rest = hand ^ np.int64(1) << card
        firsts[card] = low_mean(rest, unseen, 1, p[FIRST], scratch[_TALLY:])
        if ahead >= 2:
            seconds[card] = low_mean(rest, unseen, 2, p[LATER], scratch[_TALLY:])
        guess = seconds[card] + TREND * (seconds[card] - firsts[card])
        scores[card] = expected(firsts[card], seconds[card], guess, scratch[card], turn, p)
        scores[card] += gain(card, hand, theirs, pile, p)
        least = min(least, scores[card])
    if ahead == 3:
        limit = least + p[MARGIN]
        least = 1e18
        left = cards
        while left != 0:
            card = lowest(left)
            bit = left & -left
            left ^= bit
            if scores[card] > limit:
                cards ^= bit
            elif cards != bit:
                third = low_mean(hand ^ bit, unseen, 3, p[LATER], scratch[_TALLY:])
                scores[card] = expected(firsts[card], seconds[card], third, scratch[card], turn, p)
                scores[card] += gain(card, hand, theirs, pile, p)
                least = min(least, scores[card])
    return _least_of(cards, scores, least)


@inlined
def _least_of(cards, scores, least):
    """Those of ``cards`` whose score is the least one."""
    best = np.int64(0)
    while cards != 0:
        card = lowest(cards)
        cards &= cards - 1
        if scores[card] < least + 1e-9:
            best |= np.int64(1) << card
    return best


# The discards of the authors' program.


@lean
def stock_draws(seen):
    """The cards of the hand that came from the stock: the program goes on to count them as unseen."""
    cards = np.int64(0)
    for event in range(seen.events):
        if seen.log[event, WHO] != OTHER:
            drawn = np.int64(seen.log[event, DRAWN])
            if drawn >= 0 and drawn != seen.log[event, UPCARD]:
                cards |= np.int64(1) << drawn
    return cards & seen.hand


@lean
def candidates_of_program(hand, allowed, p, scratch):
    """At most so many discards, by the deadwood they leave, near the best; none that every best set melds.

    ``scratch[card]`` becomes the deadwood without each card. Of equal discards the lower cards come first.
    The cut comes before melded cards go, so they take places.
    """
    loose = loose_cards(hand, allowed, scratch)
    kept = np.int64(0)
    least = np.int64(999)
    for place in range(int(p[MOST_CANDIDATES])):
        cards = allowed & ~kept
        if cards == 0:
            break
        best = lowest(cards)
        while cards != 0:
            card = lowest(cards)
            cards &= cards - 1
            if scratch[card] < scratch[best]:
                best = card
        if place == 0:
            least = scratch[best]
        if scratch[best] > least + p[WITHIN]:
            break
        kept |= np.int64(1) << best
    return kept & loose if kept & loose != 0 else kept


@inlined
def _alike(cards):
    """The cards that the program takes for near-duplicates: of the same rank, or suited neighbours."""
    ranks = cards | cards >> 13 | cards >> 26 | cards >> 39
    up, down = cards << 1 & ~np.int64(RANK), cards >> 1 & ~(np.int64(RANK) << 12)
    return (ranks & 0x1FFF) * RANK | up | down


@lean
def best_of_program(hand, allowed, theirs, pile, drawn, p, scratch):
    """The discard that the authors' program chooses; of equal ones the lowest card.

    A first score, one card ahead, orders the candidates. Those that are alike to a better one go. The score
    proper is the deadwood after two cards, drawn out to the eighth turn, plus what the opponent gains.
    """
    cards = candidates_of_program(hand, allowed, p, scratch)
    gin = gin_cards(cards, scratch)
    if gin != 0:
        return gin & -gin
    if cards & (cards - 1) == 0:
        return cards
    unseen = DECK & ~(hand | theirs | pile) | drawn
    ones = scratch[_FIRSTS : _FIRSTS + CARDS].view(np.float64)
    left = cards
    while left != 0:
        card = lowest(left)
        left &= left - 1
        ones[card] = low_mean_of_program(hand ^ np.int64(1) << card, unseen, 1, p[FIRST], scratch[_TALLY:])
    least = 1e18
    best = np.int64(0)
    while cards != 0:
        card = lowest(cards)
        first = ones[card] + gain(card, hand, theirs, pile, p)
        left = cards
        while left != 0:  # the next one by the first score
            other = lowest(left)
            left &= left - 1
            if ones[other] + gain(other, hand, theirs, pile, p) < first:
                card = other
                first = ones[card] + gain(card, hand, theirs, pile, p)
        bit = np.int64(1) << card
        cards &= ~(bit | _alike(bit))
        two = low_mean_of_program(hand ^ bit, unseen, 2, p[LATER], scratch[_TALLY:])
        value = max(0.0, ones[card] - (FARTHEST - 2) * (ones[card] - two)) + gain(card, hand, theirs, pile, p)
        if value < least:
            least = value
            best = bit
    return best


# What both share: draws, knocks, and the deciders.


@lean
def takes(hand, top, p, scratch):
    """Take the upcard when it melds and deadwood falls, the dearest loose card being thrown away.

    The program asks whether the first of the best meld sets melds the card, the text whether one does.
    """
    eleven = hand | np.int64(1) << top
    if not melds_with(eleven, top) or left_deadwood(eleven) >= deadwood(hand):
        return False
    if p[PROGRAM] != 0:
        first = scratch[MAX_HELD + MAX_MELDS : MAX_HELD + 2 * MAX_MELDS].reshape((1, MAX_MELDS))
        pick_best_set(eleven, 0.0, scratch[:MAX_HELD], scratch[MAX_HELD : MAX_HELD + MAX_MELDS], first)
        return (first[0, 0] | first[0, 1] | first[0, 2] | first[0, 3]) >> top & 1 == 1
    whole = deadwood(eleven)
    for place in range(held_melds(eleven, scratch)):
        if scratch[place] >> top & 1 and deadwood(eleven & ~scratch[place]) == whole:
            return True
    return False


@lean
def lowest_discard(seen):
    """The lowest rank that the opponent has discarded in this round; ``NO_DISCARD`` before its first."""
    rank = np.int64(NO_DISCARD)
    for event in range(seen.events):
        if seen.log[event, WHO] == OTHER and seen.log[event, DISCARD] >= 0:
            rank = min(rank, np.int64(seen.log[event, DISCARD]) % 13)
    return rank


@lean
def knocks(left, turn, stock, low, p, u):
    """Knock by the table of probabilities, or by the limits of the own turn, from 1; gin always."""
    if left == 0:
        return True
    if p[KNOCK_BY_TABLE] != 0:
        if left >= KNOCK_SHAPE[0]:
            return False
        cell = (left * KNOCK_SHAPE[1] + min(stock, KNOCK_SHAPE[1] - 1)) * KNOCK_SHAPE[2] + low
        return u < p[KNOCK_TABLE + cell]
    place = min(turn, KNOCK_TURNS) - 1
    return p[KNOCK_LEAST + place] <= left <= p[KNOCK_MOST + place] and u < p[KNOCK_CHANCE]


@lean
def draw(seen, p, u, scratch):
    """Take what melds and lowers deadwood."""
    return takes(seen.hand, np.int64(seen.top), p, scratch)


@lean
def best_seen(seen, p, scratch):
    """The discards with the least score, by what a side sees."""
    if p[PROGRAM] != 0:
        return best_of_program(
            seen.hand, seen.allowed, seen.opponent, seen.pile, stock_draws(seen), p, scratch
        )
    return best_by_score(
        seen.hand, seen.allowed, seen.opponent, seen.pile, np.int64(seen.own_turns), p, scratch
    )


@lean
def discard(seen, p, u, scratch):
    """Discard by the least score; ties are broken by ``u``."""
    return any_card(best_seen(seen, p, scratch), u)


@lean
def knock(seen, p, u, scratch):
    """Knock by the table or by the limits of the turns."""
    low = lowest_discard(seen) if p[KNOCK_BY_TABLE] != 0 else np.int64(NO_DISCARD)
    return knocks(deadwood(seen.hand), np.int64(seen.own_turns), np.int64(seen.stock), low, p, u)


LOOK_AHEAD = Policy(draw, discard, knock, spread_best)
