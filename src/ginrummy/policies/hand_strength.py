"""Hand strength: the discard score, draw and knock rules of the 2021 challenge's winner.

Source: Ahmed, Leppo, Lesniewski, Patel, Perez and Blum, "A Heuristic Evaluation Function for Hand Strength
Estimation in Gin Rummy" (EAAI 2021). A discard ``c`` is scored by

    s(c) = d0(c) + alpha * beta^t * df(c) + sum of weights for what the opponent could do with c

and the least score wins: ``d0`` is the deadwood left, ``df`` the mean of the ``k`` lowest deadwoods after one
more unseen card, ``t`` the own turn.

The look-ahead is exact but does not try every card. A card that melds with nothing can at best replace the
card whose discard lowers deadwood most, so its points alone decide. Only the few cards that meld are tried
one by one.

Choices take masks and numbers; the deciders at the end, in the form of ``compiled.policy``, read them from a
view.

There are two opponent terms: the paper's (indicators that add up), and that of the authors' later program
with its quirks, which matter because other players are measured against that program.
"""

import numpy as np

from ginrummy._jit import count, inlined, lean, lowest
from ginrummy.cards import CARDS, DECK, POINTS, RANK, SUIT
from ginrummy.compiled.policy import Policy
from ginrummy.meld_kernels import (
    DISCARD_GAIN,
    MAX_HELD,
    MAX_MELDS,
    RUN_DEADWOOD,
    deadwood,
    deadwood_without,
    extensions,
    find_best_sets,
    held_melds,
    least_after_discard,
    melds_with,
    pick_best_set,
    points,
    runs_and_gain,
    set_choices,
    set_ranks,
    without_sets,
)
from ginrummy.policies.baseline import any_card, spread_best
from ginrummy.view import DRAWN, UPCARD

MAX_K = 40
SETS = 32
"""Best meld sets looked at when melds are laid down; ten cards seldom have more than a few."""
FUTURE = CARDS + MAX_K
"""Integers of room that ``future_deadwood`` needs."""
KNOCK_TURNS = 20
"""Turns with a knock limit of their own; the last one serves all later turns."""

(
    ALPHA, BETA, SHIFT, K, SEQUENCE_PENALTY, SEQUENCE_BONUS, SET_PENALTY, SET_BONUS, RANK_PENALTY,
    RANK_BONUS, ADJACENT_PENALTY, ADJACENT_BONUS, TWO_PENALTY, TWO_BONUS, CODE, DEAREST, BEST, DRAW_MELD,
    DRAW_LOOSE, KNOCK,
) = range(20)  # fmt: skip
"""Places of the constants. ``KNOCK`` is the first of ``KNOCK_TURNS`` knock limits, by own turn from 1."""
KNOCK_LEAST = KNOCK + KNOCK_TURNS
"""The first of as many least deadwoods to knock with, besides gin."""
PARAMETERS = KNOCK_LEAST + KNOCK_TURNS


@inlined
def run_makers(hand, suit):
    """Thirteen bits: the ranks of a suit outside a hand that would be in a run with it."""
    p = hand >> (13 * suit) & SUIT
    run = p << 1 & p << 2 | p >> 1 & p >> 2 | p << 1 & p >> 1
    return run & SUIT & ~p


@inlined
def paired_ranks(hand):
    """Thirteen bits: the ranks held twice or more often."""
    c = hand & SUIT
    h = hand >> 13 & SUIT
    s = hand >> 26 & SUIT
    d = hand >> 39 & SUIT
    return c & h | s & d | (c | h) & (s | d)


@lean
def meld_makers(hand):
    """The cards outside a hand that would be in some meld with it."""
    makers = paired_ranks(hand) * RANK
    for suit in range(4):
        makers |= run_makers(hand, suit) << (13 * suit)
    return makers & ~hand


@lean
def future_deadwood(hand, unseen, k, scratch):
    """Mean of the ``k`` lowest least deadwoods after an unseen card and a discard.

    The mean is over all of them when fewer than ``k`` cards are unseen. ``scratch`` is room for ``FUTURE``
    integers.
    """
    makers = meld_makers(hand) & unseen
    now, swap = _after_makers(hand, makers, scratch)
    lows = scratch[CARDS:]
    n = 0
    cards = makers
    while cards != 0:
        n = _keep_low(lows, n, k, min(now, scratch[lowest(cards)]))
        cards &= cards - 1
    loose = unseen & ~makers
    total = np.int64(0)
    taken = place = 0
    for worth in range(1, 11):  # loose cards come in rising order of what they leave; merge both lists
        left = min(now, swap + worth)
        while place < n and taken < k and lows[place] <= left:
            total += lows[place]
            place += 1
            taken += 1
        if taken == k:
            break
        ranks = np.int64(RANK) << (worth - 1) if worth < 10 else np.int64(RANK) * 15 << 9
        more = min(count(loose & ranks), k - taken)
        total += more * left
        taken += more
    while place < n and taken < k:
        total += lows[place]
        place += 1
        taken += 1
    return total / taken if taken else np.float64(now)


@lean
def _after_makers(hand, makers, left):
    """Write to ``left[card]``, for each of ``makers``, the least deadwood after that card and a discard.

    Returns the least deadwood of the hand itself, and that after a discard from it. One pass over the ways to
    lay down the sets of the hand serves all cards. For a given rest of the hand, a new card changes the runs
    of one suit, or joins a pair (whose two cards then leave the rest), or joins a set of three: then it makes
    a set of four, or replaces one of the three.
    """
    sets = set_ranks(hand)
    pairs = paired_ranks(hand) & ~sets
    cards = makers
    while cards != 0:
        left[lowest(cards)] = 999
        cards &= cards - 1
    now = swap = np.int64(999)
    for choice in range(set_choices(hand, sets)):
        rest = without_sets(hand, sets, choice)
        total, gain = runs_and_gain(rest)
        now = min(now, total)
        swap = min(swap, total - gain)
        for suit in range(4):
            ranks = makers >> (13 * suit) & SUIT
            if ranks != 0:
                _join_runs(rest, total, suit, ranks, left)
        ranks = pairs
        while ranks != 0:
            rank = lowest(ranks)
            ranks &= ranks - 1
            four = np.int64(RANK) << rank
            if makers & four != 0:
                total, gain = runs_and_gain(rest & ~four)
                _lower(makers & four, total - gain, left)
        ranks = sets
        while ranks != 0:
            rank = lowest(ranks)
            ranks &= ranks - 1
            four = np.int64(RANK) << rank
            if makers & four != 0 and rest & four == 0:  # the three are a set
                _lower(makers & four, _with_one_of(rest, hand & four), left)
    return now, swap


@inlined
def _join_runs(rest, total, suit, ranks, left):
    """Lower ``left`` for cards of one suit that stay outside sets: only the runs of that suit change."""
    p = rest >> (13 * suit) & SUIT
    others = total - RUN_DEADWOOD[p]
    _, gain = runs_and_gain(rest & ~(np.int64(SUIT) << (13 * suit)))
    while ranks != 0:
        rank = ranks & -ranks
        ranks ^= rank
        after = others + RUN_DEADWOOD[p | rank] - max(gain, DISCARD_GAIN[p | rank])
        card = 13 * suit + lowest(rank)
        left[card] = min(left[card], after)


@inlined
def _lower(cards, after, left):
    while cards != 0:
        card = lowest(cards)
        cards &= cards - 1
        left[card] = min(left[card], after)


@lean
def _with_one_of(rest, three):
    """Least deadwood by runs after a discard from the rest, alone or with one of three cards."""
    total, gain = runs_and_gain(rest)
    least = total - gain
    while three != 0:
        total, gain = runs_and_gain(rest | three & -three)
        least = min(least, total - gain)
        three &= three - 1
    return least


@lean
def _keep_low(lows, n, k, value):
    """Insert a value into the rising list of the ``k`` lowest; returns its new length."""
    if n == k:
        if value >= lows[k - 1]:
            return n
        n -= 1
    place = n
    while place > 0 and lows[place - 1] > value:
        lows[place] = lows[place - 1]
        place -= 1
    lows[place] = value
    return n + 1


@lean
def _near(mask, card, step):
    """Whether a mask has the suited card ``step`` ranks away; False off the board."""
    rank = card % 13 + step
    return 0 <= rank < 13 and mask >> (card + step) & 1 == 1


@lean
def _gone(mask, card, step):
    """Whether the suited card ``step`` ranks away is unavailable: in the mask, or off the board."""
    rank = card % 13 + step
    return not 0 <= rank < 13 or mask >> (card + step) & 1 == 1


@lean
def _neighbours(held, card):
    """Which suited neighbours a mask has: one below, one above, two below, two above."""
    return _near(held, card, -1), _near(held, card, 1), _near(held, card, -2), _near(held, card, 2)


@lean
def _gone_neighbours(gone, card):
    """Which suited neighbours are unavailable: one below, one above, two below, two above."""
    return _gone(gone, card, -1), _gone(gone, card, 1), _gone(gone, card, -2), _gone(gone, card, 2)


@lean
def opponent_term(card, gone, held, p):
    """What the opponent could do with a card, by the paper: indicators that add up.

    ``gone`` are the cards that the opponent cannot have (the pile and the own hand), ``held`` those that it
    is known to hold. Rank fires on exactly one known card, Adjacent and 2-Adjacent once each.
    """
    low, high, low2, high2 = _neighbours(held, card)
    term = 0.0
    if (low and low2) or (low and high) or (high and high2):
        term += p[SEQUENCE_PENALTY]
    if low or high:
        term += p[ADJACENT_PENALTY]
    if low2 or high2:
        term += p[TWO_PENALTY]
    low, high, low2, high2 = _gone_neighbours(gone, card)
    if (low or low2) and (low or high) and (high or high2):
        term += p[SEQUENCE_BONUS]
    if low or high:
        term += p[ADJACENT_BONUS]
    if low2 or high2:
        term += p[TWO_BONUS]
    others = (np.int64(RANK) << card % 13) & ~(np.int64(1) << card)
    known = count(held & others)
    if known >= 2:
        term += p[SET_PENALTY]
    elif known == 1:
        term += p[RANK_PENALTY]
    lost = count(gone & others)
    if lost >= 2:
        term += p[SET_BONUS]
    elif lost == 1:
        term += p[RANK_BONUS]
    return term


@lean
def opponent_term_of_program(card, gone, held, p):
    """What the opponent could do with a card, as the authors' later program computes it, with its quirks.

    Neighbours count on each side, unless there is a sequence. For queens and kings the card two above is
    noted in place of the card one above. The count of the rank includes the card itself, and the rank penalty
    fires when that card is the only one gone. The sequence penalty reuses the pattern of the bonus.
    """
    rank = card % 13
    low, high, low2, high2 = _gone_neighbours(gone, card)
    if rank >= 11:
        high, high2 = True, False
    term = 0.0
    if (high and (low or low2)) or (low and (high or high2)):
        term += p[SEQUENCE_BONUS]
    else:
        term += p[ADJACENT_BONUS] * (int(low) + int(high)) + p[TWO_BONUS] * (int(low2) + int(high2))
    low, high, low2, high2 = _neighbours(held, card)
    if (high and (low or low2)) or (low and (high or high2)):
        term += p[SEQUENCE_PENALTY]
    else:
        term += p[ADJACENT_PENALTY] * (int(low) + int(high)) + p[TWO_PENALTY] * (int(low2) + int(high2))
    four = np.int64(RANK) << rank
    lost = count(gone & four)
    if lost >= 3:
        term += p[SET_BONUS]
    elif lost == 2:
        term += p[RANK_BONUS]
    if count(held & four) >= 2:
        term += p[SET_PENALTY]
    elif lost == 1:
        term += p[RANK_PENALTY]
    return term


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
def candidates(hand, allowed, p, scratch):
    """The discards to score: cards outside at least one best meld set. ``scratch[card]`` becomes their d0.

    The program adds two bounds: a candidate is worth at least the dearest one minus 5, and leaves at most the
    best deadwood plus 5. If every card is melded, all cards that may be discarded are candidates.
    """
    deadwood_without(hand, scratch)
    whole = deadwood(hand)
    loose = np.int64(0)
    dearest = np.int64(0)
    best = np.int64(999)
    cards = allowed
    while cards != 0:
        card = lowest(cards)
        cards &= cards - 1
        if scratch[card] == whole - POINTS[card]:
            loose |= np.int64(1) << card
            dearest = max(dearest, POINTS[card])
            best = min(best, scratch[card])
    if loose == 0:
        return allowed
    kept = np.int64(0)
    cards = loose
    while cards != 0:
        card = lowest(cards)
        cards &= cards - 1
        if POINTS[card] >= dearest - p[DEAREST] and scratch[card] <= best + p[BEST]:
            kept |= np.int64(1) << card
    return kept


@lean
def discard_score(card, left, hand, gone, held, weight, p, scratch):
    """s(c) of a discard that leaves ``left`` deadwood; the least is best.

    ``gone`` are the cards that the opponent cannot have, ``held`` those that it is known to hold, ``weight``
    is the weight of the future deadwood (``future_weight``). ``scratch`` is room for ``future_deadwood``.
    """
    if p[CODE] != 0:
        term = opponent_term_of_program(card, gone, held, p)
    else:
        term = opponent_term(card, gone, held, p)
    unseen = DECK & ~(gone | held)
    future = future_deadwood(hand ^ np.int64(1) << card, unseen, int(p[K]), scratch)
    return left + weight * future + term


@inlined
def future_weight(turn, p):
    """Weight of the future deadwood in the own turn, from 1."""
    return p[ALPHA] * p[BETA] ** (turn - p[SHIFT])


@lean
def best_by_score(hand, allowed, gone, held, turn, p, scratch):
    """Mask of the discards with the least score: one card, unless scores are equal."""
    cards = candidates(hand, allowed, p, scratch)
    gin = np.int64(0)
    left = cards
    while left != 0:
        card = lowest(left)
        left &= left - 1
        if scratch[card] == 0:
            gin |= np.int64(1) << card
    if gin != 0 and p[CODE] != 0:
        return gin
    if cards & (cards - 1) == 0:
        return cards
    weight = future_weight(turn, p)
    least = 1e18
    best = np.int64(0)
    while cards != 0:
        card = lowest(cards)
        bit = np.int64(1) << card
        cards ^= bit
        value = discard_score(card, scratch[card], hand, gone, held, weight, p, scratch[64:])
        if value < least - 1e-9:
            least = value
            best = bit
        elif value < least + 1e-9:
            best |= bit
    return best


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
