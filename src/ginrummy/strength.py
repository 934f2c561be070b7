"""How strong a hand is after a discard, by the score of ``hand-strength``: kernels without a view.

Source: Ahmed, Leppo, Lesniewski, Patel, Perez and Blum, "A Heuristic Evaluation Function for Hand Strength
Estimation in Gin Rummy" (EAAI 2021). A discard ``c`` is scored by

    s(c) = d0(c) + alpha * beta^t * df(c) + sum of weights for what the opponent could do with c

and the least score wins: ``d0`` is the deadwood left, ``df`` the mean of the ``k`` lowest deadwoods after one
more unseen card (``savings``), ``t`` the own turn.

A policy plays by it (``policies.hand_strength``), and a belief asks which hands would have thrown what was
thrown (``estimators.hand_features``); so it stands below both.

There are two opponent terms: the paper's, and that of the authors' later program with its quirks, which
matter because other players are measured against that program.
"""

import numpy as np

from ginrummy._jit import count, highest, inlined, lean, lowest
from ginrummy.cards import DECK, POINTS, RANK
from ginrummy.makers import NO_ACES, NO_HIGH, NO_KINGS, NO_LOW
from ginrummy.meld_kernels import by_rank, deadwood, deadwood_without, in_runs, lay_sure_sets
from ginrummy.savings import WORTH, future_deadwood, hope, hopes

MAX_K = 40
KNOCK_TURNS = 20
"""Turns with a knock limit of their own; the last one serves all later turns."""

(
    ALPHA, BETA, SHIFT, K, SEQUENCE_PENALTY, SEQUENCE_BONUS, SET_PENALTY, SET_BONUS, RANK_PENALTY,
    RANK_BONUS, ADJACENT_PENALTY, ADJACENT_BONUS, TWO_PENALTY, TWO_BONUS, STACK, SIDES, CODE, DEAREST, BEST,
    DRAW_MELD, DRAW_LOOSE, KNOCK,
) = range(22)  # fmt: skip
"""Places of the constants. ``KNOCK`` is the first of ``KNOCK_TURNS`` knock limits, by own turn from 1."""
KNOCK_LEAST = KNOCK + KNOCK_TURNS
"""The first of as many least deadwoods to knock with, besides gin."""
PARAMETERS = KNOCK_LEAST + KNOCK_TURNS
SCRATCH = 512
"""Integers of room that ``best_by_score`` and ``judge_throw`` need."""
FAR = 60.0
"""Points of score above the best at which no difference is made any more."""


@inlined
def neighbours(held):
    """The cards with a suited neighbour in a mask: one below, one above, two below, two above."""
    return held << 1 & NO_ACES, held >> 1 & NO_KINGS, held << 2 & NO_LOW, held >> 2 & NO_HIGH


@inlined
def gone_neighbours(gone):
    """The cards with a suited neighbour in a mask or off the board, in the same order."""
    low, high, low2, high2 = neighbours(gone)
    return low | ~NO_ACES, high | ~NO_KINGS, low2 | ~NO_LOW, high2 | ~NO_HIGH


@inlined
def opponent_term(card, gone, held, p):
    """What the opponent could do with a card, by the paper.

    ``gone`` are the cards that the opponent cannot have (the pile and the own hand), ``held`` those that it
    is known to hold. Among each of the two, Sequence counts, otherwise Adjacent and 2-Adjacent do; and Set
    counts (two cards or more), otherwise Rank does (one card).
    """
    low, high, low2, high2 = neighbours(held)
    run = low & low2 | low & high | high & high2
    term = _run_term(run, low, high, low2, high2, card,
                     p[SEQUENCE_PENALTY], p[ADJACENT_PENALTY], p[TWO_PENALTY], p)  # fmt: skip
    low, high, low2, high2 = gone_neighbours(gone)
    run = (low | low2) & (low | high) & (high | high2)
    term += _run_term(run, low, high, low2, high2, card,
                      p[SEQUENCE_BONUS], p[ADJACENT_BONUS], p[TWO_BONUS], p)  # fmt: skip
    others = (np.int64(RANK) << card % 13) & ~(np.int64(1) << card)
    known, lost = count(held & others), count(gone & others)
    several, one = p[SET_PENALTY], p[RANK_PENALTY]
    term += several if known >= 2 else one if known == 1 else 0.0
    several, one = p[SET_BONUS], p[RANK_BONUS]
    term += several if lost >= 2 else one if lost == 1 else 0.0
    return term


@inlined
def _run_term(run, low, high, low2, high2, card, sequence, adjacent, two, p):
    """The weights of a card's suit: of the sequence, if it is in ``run``, otherwise of its neighbours.

    With ``STACK`` the neighbours count beside a sequence too; with ``SIDES`` a neighbour on each side counts
    twice.
    """
    near, far = (low | high) >> card & 1, (low2 | high2) >> card & 1
    if p[SIDES] != 0:
        near += (low & high) >> card & 1
        far += (low2 & high2) >> card & 1
    apart = adjacent * near + two * far
    if run >> card & 1 == 0:
        return apart
    return sequence + apart if p[STACK] != 0 else sequence


@inlined
def opponent_term_of_program(card, gone, held, p):
    """What the opponent could do with a card, as the authors' later program computes it, with its quirks.

    Neighbours count on each side, unless there is a sequence. For queens and kings the card two above is
    noted in place of the card one above. The count of the rank includes the card itself, and the rank penalty
    fires when that card is the only one gone. The sequence penalty reuses the pattern of the bonus.
    """
    low, high, low2, high2 = gone_neighbours(gone)
    term = _by_sides(low, high | ~NO_HIGH, low2, high2 & NO_HIGH, card,
                     p[SEQUENCE_BONUS], p[ADJACENT_BONUS], p[TWO_BONUS])  # fmt: skip
    low, high, low2, high2 = neighbours(held)
    term += _by_sides(low, high, low2, high2, card, p[SEQUENCE_PENALTY], p[ADJACENT_PENALTY], p[TWO_PENALTY])
    four = np.int64(RANK) << card % 13
    known, lost = count(held & four), count(gone & four)
    several, one = p[SET_BONUS], p[RANK_BONUS]
    term += several if lost >= 3 else one if lost == 2 else 0.0
    several, one = p[SET_PENALTY], p[RANK_PENALTY]
    term += several if known >= 2 else one if lost == 1 else 0.0
    return term


@inlined
def _by_sides(low, high, low2, high2, card, sequence, adjacent, two):
    """The program's sum of weights: of a sequence through the card, otherwise of each neighbour."""
    low, high, low2, high2 = low >> card & 1, high >> card & 1, low2 >> card & 1, high2 >> card & 1
    apart = adjacent * (low + high) + two * (low2 + high2)
    return sequence if high & (low | low2) | low & high2 else apart


@lean
def candidates(hand, allowed, p, scratch):
    """The discards to score: cards outside at least one best meld set. ``scratch[card]`` becomes their d0.

    The program adds two bounds: a candidate is worth at least the dearest one minus 5, and leaves at most the
    best deadwood plus 5. If every card is melded, all cards that may be discarded are candidates.
    """
    rest, torn = lay_sure_sets(hand)
    whole = deadwood(hand)
    if torn == 0:
        loose = rest & ~in_runs(rest) & allowed
    else:
        loose = _outside_a_best_set(hand, allowed, whole, scratch)
    if loose == 0:
        deadwood_without(hand, scratch)
        return allowed
    dearest = WORTH[highest(by_rank(loose))]
    best = whole - dearest
    kept = np.int64(0)
    while loose != 0:
        card = lowest(loose)
        loose &= loose - 1
        left = whole - POINTS[card]
        scratch[card] = left
        if POINTS[card] >= dearest - p[DEAREST] and left <= best + p[BEST]:
            kept |= np.int64(1) << card
    return kept


@lean
def _outside_a_best_set(hand, cards, whole, scratch):
    """Those of ``cards`` that at least one best meld set leaves out; ``whole`` is the hand's deadwood."""
    deadwood_without(hand, scratch)
    loose = np.int64(0)
    while cards != 0:
        card = lowest(cards)
        cards &= cards - 1
        if scratch[card] == whole - POINTS[card]:
            loose |= np.int64(1) << card
    return loose


@inlined
def discard_score(card, left, future, gone, held, weight, p):
    """s(c) of a discard that leaves ``left`` deadwood and ``future`` deadwood; the least is best.

    ``gone`` are the cards that the opponent cannot have, ``held`` those that it is known to hold, ``weight``
    is the weight of the future deadwood (``future_weight``).
    """
    if p[CODE] != 0:
        term = opponent_term_of_program(card, gone, held, p)
    else:
        term = opponent_term(card, gone, held, p)
    return left + weight * future + term


@inlined
def future_weight(turn, p):
    """Weight of the future deadwood in the own turn, from 1."""
    return p[ALPHA] * p[BETA] ** (turn - p[SHIFT])


@lean
def best_by_score(hand, allowed, gone, held, turn, p, scratch):
    """Mask of the discards with the least score: one card, unless scores are equal.

    Only scores that may be the least are worked out, one in four or five: bounds from one look-ahead for all
    eleven cards rule out the others.
    """
    left, bounds, room = scratch[:64], scratch[64:128].view(np.float64), scratch[128:]
    cards = candidates(hand, allowed, p, left)
    gin = gin_cards(cards, left) if p[CODE] != 0 else np.int64(0)
    if gin != 0:
        return gin
    if cards & (cards - 1) == 0:
        return cards
    weight = future_weight(turn, p)
    unseen = DECK & ~(gone | held)
    k = min(int(p[K]), count(unseen))
    first = lower_bounds(cards, hand, gone, held, k, weight, p, left, bounds, room)
    future = future_deadwood(hand ^ np.int64(1) << first, unseen, k, room)
    reached = discard_score(first, left[first], future, gone, held, weight, p)
    # Far more than the tolerance of ties and the error of the bounds: what lies above can change no tie.
    beyond = reached + 1e-6 * (1 + abs(weight))
    least = 1e18
    best = np.int64(0)
    while cards != 0:
        card = lowest(cards)
        bit = np.int64(1) << card
        cards ^= bit
        if bounds[card] > beyond:
            continue
        value = reached
        if card != first:
            future = future_deadwood(hand ^ bit, unseen, k, room)
            value = discard_score(card, left[card], future, gone, held, weight, p)
        if value < least - 1e-9:
            least = value
            best = bit
        elif value < least + 1e-9:
            best |= bit
    return best


@inlined
def gin_cards(cards, left):
    """The discards that leave no deadwood."""
    found = np.int64(0)
    while cards != 0:
        card = lowest(cards)
        cards &= cards - 1
        if left[card] == 0:
            found |= np.int64(1) << card
    return found


@lean
def lower_bounds(cards, hand, gone, held, k, weight, p, left, bounds, room):
    """Write a lower bound of the score of each of ``cards`` to ``bounds``; returns the card with the least.

    A bound rests on a discard from the deadwood and on a positive weight; without them it is minus infinity.
    """
    whole = deadwood(hand)
    gain, saved = hopes(hand, DECK & ~(gone | held), room)
    first = lowest(cards)
    least = np.inf
    while cards != 0:
        card = lowest(cards)
        bit = np.int64(1) << card
        cards ^= bit
        future = left[card] - hope(hand ^ bit, k, gain, saved, room) / max(k, 1)
        bound = discard_score(card, left[card], future, gone, held, weight, p)
        if weight < 0 or left[card] != whole - POINTS[card]:
            bound = -np.inf
        bounds[card] = bound
        if bound < least:
            least = bound
            first = card
    return first


@lean
def throw_chance(hand, card, allowed, gone, held, turn, p, scratch):
    """The chance of throwing a card by the score: 0, or one of the best ones at random."""
    best = best_by_score(hand, allowed, gone, held, turn, p, scratch)
    return 1.0 / count(best) if best >> card & 1 else 0.0


@lean
def judge_throw(hand, card, allowed, gone, held, turn, p, scratch):
    """How well throwing a card fits the score: its chance among the best ones, and its score above theirs.

    ``hand`` has the card. A card that is no candidate counts as far above.
    """
    best = best_by_score(hand, allowed, gone, held, turn, p, scratch)
    if best >> card & 1:
        return 1.0 / count(best), 0.0
    left, room = scratch[:64], scratch[128:]
    if candidates(hand, allowed, p, left) >> card & 1 == 0:
        return 0.0, FAR
    other = lowest(best)
    weight = future_weight(turn, p)
    unseen = DECK & ~(gone | held)
    k = min(int(p[K]), count(unseen))
    thrown = future_deadwood(hand ^ np.int64(1) << card, unseen, k, room)
    least = future_deadwood(hand ^ np.int64(1) << other, unseen, k, room)
    above = discard_score(card, left[card], thrown, gone, held, weight, p) - discard_score(
        other, left[other], least, gone, held, weight, p
    )
    return 0.0, min(above, FAR)
