"""The kernels of the joint belief: read a row, draw hands, weigh them, pick some. See ``joint``.

A row is read once (``think``, ``prepare``, ``write_tilt``); then hands are drawn and weighed in any number.
Scratch is handed in: ``room`` makes it.
"""

import numpy as np
import numpy.typing as npt

from ginrummy._jit import count, kernel, lean, lowest
from ginrummy.cards import CARDS, DECK
from ginrummy.decks import choice_key, key_uniform
from ginrummy.dense import Weights
from ginrummy.estimators.exact_hands import draw_one, hands_key, sum_up, turn_round, weigh
from ginrummy.estimators.hand_features import (
    FEATURES,
    HEAD,
    PAST,
    PAST_ROWS,
    SURE,
    THROWS,
    TURN,
    knock_chance,
    read_past,
    would_knock,
    write_features,
)
from ginrummy.estimators.joint_nets import (
    CARDS_ROOM,
    FIRST,
    HANDS_ROOM,
    INPUTS,
    SITUATION,
    card_logits,
    energy,
    read_situation,
    write_row,
)
from ginrummy.estimators.types import ROOM as TYPES_ROOM
from ginrummy.estimators.types import TYPES, write_odds
from ginrummy.meld_kernels import deadwood
from ginrummy.rules import HAND_SIZE
from ginrummy.strength import SCRATCH

Masks = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

MANY = 4
"""So many hands are drawn for each one that is weighed: a cheap guess by deadwood picks the better ones."""
STEPS = 6
"""How often the chances of single cards are adjusted, so that they add up to a hand."""
DEADWOODS = 101
"""Deadwoods of ten cards: 0 to 100."""

SITUATION_AT = INPUTS
_MIND = SITUATION_AT + SITUATION
_FEATURES = _MIND + FEATURES + FIRST
_LOGITS = _FEATURES + FEATURES
_SMALL = _LOGITS + CARDS
SINGLES = _SMALL + max(CARDS_ROOM, HANDS_ROOM, TYPES_ROOM)
"""float32 of scratch: inputs, situation, mind, features, logits, and the room of each network in turn."""
PAST_AT = CARDS
SCRATCH_AT = PAST_AT + PAST_ROWS * PAST
INTS = SCRATCH_AT + SCRATCH
"""int64 of scratch: cards, past, and room for what is worked out about a hand."""
_WEIGHTS = len(TYPES)
_TABLE = _WEIGHTS + CARDS
_SUMS = _TABLE + (CARDS + 1) * (HAND_SIZE + 1)
_TILT = _SUMS + (HAND_SIZE + 1) * (CARDS + 1)
DOUBLES = _TILT + DEADWOODS
"""float64 of scratch: odds of types, weights of cards, their sums in both orders, log tilt by deadwood."""


def room() -> tuple[Weights, Masks, Floats]:
    """Scratch for the kernels below, one row at a time."""
    return np.empty(SINGLES, np.float32), np.empty(INTS, np.int64), np.empty(DOUBLES)


@lean
def think(seen, belief, types, cards, singles, ints, doubles):
    """Read one row: odds of types, inputs, logits of cards and the past go to the scratch.

    ``types`` and ``cards`` are the weights of networks, ``belief`` is that of Bayes' rule.
    """
    write_odds(seen, types, singles[_SMALL:], doubles)
    write_row(seen, belief, doubles, singles[:INPUTS])
    card_logits(singles, cards, singles[_SMALL:], singles[SITUATION_AT:_MIND], singles[_LOGITS:])
    read_past(seen, ints[PAST_AT:SCRATCH_AT].reshape((PAST_ROWS, PAST)))


@lean
def prepare(seen, singles, ints, doubles):
    """Sum up over all hands by the logits that ``think`` left, for ``draw``: returns three numbers.

    They are: free cards, unknown cards of the opponent, and the logarithm of the sum over all hands.
    """
    free = np.int64(DECK) & ~(seen.hand | seen.pile | seen.opponent)
    k = min(HAND_SIZE - count(seen.opponent), count(free))
    table = doubles[_TABLE:_SUMS].reshape((CARDS + 1, HAND_SIZE + 1))
    size, top = weigh(singles[_LOGITS:_SMALL], free, ints, doubles[_WEIGHTS:_TABLE])
    sum_up(doubles[_WEIGHTS:_TABLE], size, k, table)
    turn_round(table, size, k, doubles[_SUMS:_TILT].reshape((HAND_SIZE + 1, CARDS + 1)))
    return size, k, np.log(table[0, k]) + k * top


@lean
def draw(seen, u, size, k, ints, doubles, hands):
    """Draw hands by the chances of single cards."""
    sums = doubles[_SUMS:_TILT].reshape((HAND_SIZE + 1, CARDS + 1))
    key = hands_key(u, seen.hand)
    for n in range(hands.shape[0]):
        hands[n] = draw_one(ints, size, k, sums, seen.opponent, key, n)


@lean
def log_odds(cards, singles):
    """The sum of the logits of some cards that ``think`` left."""
    total = 0.0
    while cards != 0:
        total += singles[_LOGITS + lowest(cards)]
        cards &= cards - 1
    return total


@lean
def write_tilt(seen, tilts, ints, doubles):
    """Write how much likelier hands become by their deadwood alone, as logarithms, to the scratch."""
    head = ints[PAST_AT:SCRATCH_AT].reshape((PAST_ROWS, PAST))[HEAD]
    slope = tilts[min(head[TURN], tilts.shape[0] - 1)]
    for left in range(DEADWOODS):
        doubles[_TILT + left] = -slope * left
        if head[THROWS] > 0:
            doubles[_TILT + left] += np.log(1.0 - SURE * knock_chance(left, head[TURN], seen.limit, doubles))


@lean
def preselect(many, u, doubles, chances, hands):
    """Pick some of many hands by their deadwood alone: a cheap guess of the weights to come."""
    for n in range(many.shape[0]):
        chances[n] = np.exp(doubles[_TILT + deadwood(many[n])])
    pick(many, chances, u, hands)


@lean
def write_energies(seen, hands, total, tilted, net, rules, singles, ints, doubles, out):
    """Write the logarithm of each hand's weight; ``net`` weighs hands, ``total`` is that of ``prepare``.

    ``tilted`` says whether the hands were picked by their deadwood, so that weights must make up for it.
    """
    mind, features, small = singles[_MIND:_FEATURES], singles[_FEATURES:_LOGITS], singles[_SMALL:]
    past, scratch = ints[PAST_AT:SCRATCH_AT].reshape((PAST_ROWS, PAST)), ints[SCRATCH_AT:]
    read_situation(singles[SITUATION_AT:], net, small, mind)
    for n in range(hands.shape[0]):
        likely = log_odds(hands[n] & ~seen.opponent, singles) - total
        left = write_features(hands[n], seen, past, doubles, likely, rules, scratch, features)
        out[n] = energy(features, mind, net, small)
        if tilted:
            out[n] -= doubles[_TILT + left]


@lean
def normalise(weights):
    """Turn logarithms of weights into weights that add up to 1, in place; returns the log of their sum."""
    top = -np.inf
    for n in range(weights.shape[0]):
        top = max(top, weights[n])
    total = 0.0
    for n in range(weights.shape[0]):
        weights[n] = np.exp(weights[n] - top)
        total += weights[n]
    for n in range(weights.shape[0]):
        weights[n] /= total
    return np.log(total) + top


@lean
def pick(hands, weights, u, out):
    """Systematic sampling: a hand of weight w, of the sum of all, comes n * w times, give or take one."""
    total = 0.0
    for k in range(hands.shape[0]):
        total += weights[k]
    n = out.shape[0]
    place = 0
    reached = weights[0]
    for j in range(n):
        while reached < (j + u) / n * total and place < hands.shape[0] - 1:
            place += 1
            reached += weights[place]
        out[j] = hands[place]


@lean
def shuffle(hands, u):
    """Put hands in random order."""
    key = choice_key(np.int64(u * (1 << 52)), hands.shape[0], 1)
    for j in range(hands.shape[0] - 1, 0, -1):
        other = np.int64(key_uniform(key, 0, j) * (j + 1))
        hand = hands[j]
        hands[j] = hands[other]
        hands[other] = hand


@kernel
def sample_rows(
    view, rows, belief, u, types, cards, net, tilts, rules, singles, ints, doubles, hands, weights, odds
):
    """Weighted hands and odds of types for some rows."""
    many = np.empty(MANY * hands.shape[1], np.int64)
    chances = np.empty(many.shape[0])
    for k in range(rows.shape[0]):
        seen = view[rows[k]]
        think(seen, belief[k], types, cards, singles, ints, doubles)
        size, unknown, total = prepare(seen, singles, ints, doubles)
        write_tilt(seen, tilts, ints, doubles)
        draw(seen, u[k], size, unknown, ints, doubles, many)
        preselect(many, u[k], doubles, chances, hands[k])
        write_energies(seen, hands[k], total, True, net, rules, singles, ints, doubles, weights[k])
        normalise(weights[k])
        for kind in range(odds.shape[1]):
            odds[k, kind] = doubles[kind]


@lean
def _chances(logits, free, unknown, out):
    """Write chances of the free cards that add up to ``unknown``: logits are moved alike until they do."""
    size = count(free)
    shift = 0.0
    cards = free
    while cards != 0:
        shift -= logits[lowest(cards)] / size
        cards &= cards - 1
    for step in range(STEPS):
        total, slope = 0.0, 1e-9
        cards = free
        while cards != 0:
            card = lowest(cards)
            cards &= cards - 1
            chance = 1.0 / (1.0 + np.exp(-(logits[card] + shift)))
            out[card] = chance
            total += chance
            slope += chance * (1.0 - chance)
        if step < STEPS - 1:
            shift += min(max((unknown - total) / slope, -2.0), 2.0)


@kernel
def card_chances(view, rows, belief, types, cards, singles, ints, doubles, out):
    """Write how likely the opponent holds each card, by the network of cards alone."""
    for k in range(rows.shape[0]):
        seen = view[rows[k]]
        think(seen, belief[k], types, cards, singles, ints, doubles)
        free = np.int64(DECK) & ~(seen.hand | seen.pile | seen.opponent)
        for card in range(CARDS):
            out[k, card] = seen.opponent >> card & 1
        if free != 0:
            unknown = min(HAND_SIZE - count(seen.opponent), count(free))
            _chances(singles[_LOGITS:_SMALL], free, unknown, out[k])


@kernel
def by_cards(view, rows, belief, u, types, cards, singles, ints, doubles, hands, odds):
    """Hands by the chances of single cards, and odds of types."""
    for k in range(rows.shape[0]):
        seen = view[rows[k]]
        think(seen, belief[k], types, cards, singles, ints, doubles)
        size, unknown, _ = prepare(seen, singles, ints, doubles)
        draw(seen, u[k], size, unknown, ints, doubles, hands[k])
        for kind in range(odds.shape[1]):
            odds[k, kind] = doubles[kind]


@kernel
def log_chances(view, rows, belief, u, truth, n, types, cards, net, rules, singles, ints, doubles, out):
    """The logarithms of the chances of given hands, from ``n`` drawn ones."""
    hands, weights = np.empty(n + 1, np.int64), np.empty(n + 1)
    for k in range(rows.shape[0]):
        seen = view[rows[k]]
        think(seen, belief[k], types, cards, singles, ints, doubles)
        size, unknown, total = prepare(seen, singles, ints, doubles)
        draw(seen, u[k], size, unknown, ints, doubles, hands)
        hands[n] = truth[k]
        write_energies(seen, hands, total, False, net, rules, singles, ints, doubles, weights)
        own = weights[n] + log_odds(truth[k] & ~seen.opponent, singles) - total
        out[k] = own - normalise(weights) + np.log(n + 1)


@kernel
def draw_types(view, rows, hands, odds, u, past, out):
    """Draw a type for each hand: one that would have knocked with it is no longer likely."""
    given = np.empty(odds.shape[1])
    for k in range(rows.shape[0]):
        seen = view[rows[k]]
        read_past(seen, past)
        turn = past[HEAD, TURN]
        key = choice_key(np.int64(u[k] * (1 << 52)), hands.shape[1], 2)
        for n in range(hands.shape[1]):
            left = deadwood(hands[k, n])
            for kind in range(odds.shape[1]):
                given[kind] = odds[k, kind]
                if past[HEAD, THROWS] > 0 and would_knock(kind, left, turn, seen.limit):
                    given[kind] *= 1.0 - SURE
            reached = key_uniform(key, 0, n) * given.sum()
            kind = 0
            while kind < odds.shape[1] - 1 and reached >= given[kind]:
                reached -= given[kind]
                kind += 1
            out[k, n] = kind


@kernel
def pick_rows(hands, weights, u, out):
    """Hands of equal weights from weighted ones, in random order."""
    for k in range(out.shape[0]):
        pick(hands[k], weights[k], u[k], out[k])
        shuffle(out[k], u[k])


@kernel
def marginals(hands, weights, out):
    """Write the chance of each card, row by row."""
    for k in range(hands.shape[0]):
        for card in range(CARDS):
            total = 0.0
            for n in range(hands.shape[1]):
                if hands[k, n] >> card & 1:
                    total += weights[k, n]
            out[k, card] = min(1.0, total)
