"""A distribution over whole hands from one number for each card: conditional Bernoulli.

Each unknown card c has a weight exp(logit[c]). The chance of a set of exactly k unknown cards is the product
of its weights, divided by the sum of such products over all sets of k cards. One table of partial sums gives
the chances of single cards, which add up to k, and hands drawn at random. Both are exact.

Hands drawn so keep the chances of single cards and nothing else: cards come independently but for their
number, while real hands have melds. In mid game they hold some ten points of deadwood more than real hands.
Whoever plays on from a hand should weigh them (``joint``).

Source: Chen, Dempster and Liu, "Weighted finite population sampling to maximize entropy", Biometrika 1994.
"""

import numpy as np
import numpy.typing as npt

from ginrummy._jit import count, kernel, lean
from ginrummy.cards import CARDS, DECK
from ginrummy.decks import choice_key, key_uniform
from ginrummy.estimators.base import Beliefs
from ginrummy.rules import HAND_SIZE
from ginrummy.view import FloatArray, IntArray, View

RANGE = 30.0
"""Logits that are more than this below the greatest one are raised to that distance."""


@lean
def weigh(logits, free, cards, weights):
    """List the free cards and their weights, at most 1; returns their number and the greatest logit."""
    size = 0
    top = -np.inf
    for card in range(CARDS):
        if free >> card & 1:
            cards[size] = card
            size += 1
            top = max(top, np.float64(logits[card]))
    for place in range(size):
        weights[place] = np.exp(max(np.float64(logits[cards[place]]) - top, -RANGE))
    return size, top


@lean
def sum_up(weights, size, k, table):
    """``table[i, j]``: the sum, over all sets of j cards among i, i + 1, …, of the product of weights."""
    for j in range(k + 1):
        table[size, j] = 0.0
    table[size, 0] = 1.0
    for place in range(size - 1, -1, -1):
        table[place, 0] = 1.0
        for j in range(1, k + 1):
            table[place, j] = table[place + 1, j] + weights[place] * table[place + 1, j - 1]


@kernel
def _include(weights, size, k, table, before, cards, out):
    """Write the chance of each card to ``out`` [52]. ``before`` is scratch: sums over the cards before."""
    for j in range(k + 1):
        before[j] = 0.0
    before[0] = 1.0
    for place in range(size):
        chance = 0.0
        for j in range(k):
            chance += before[j] * table[place + 1, k - 1 - j]
        out[cards[place]] = min(1.0, weights[place] * chance / table[0, k])
        for j in range(k, 0, -1):
            before[j] += weights[place] * before[j - 1]


@kernel
def _chances(logits, free, held, cards, weights, table, before, out, log_sums):
    for n in range(logits.shape[0]):
        k = min(HAND_SIZE - count(held[n]), count(free[n]))
        for card in range(CARDS):
            out[n, card] = held[n] >> card & 1
        size, top = weigh(logits[n], free[n], cards, weights)
        log_sums[n] = 0.0
        if k > 0:
            sum_up(weights, size, k, table)
            _include(weights, size, k, table, before, cards, out[n])
            log_sums[n] = np.log(table[0, k]) + k * top


@lean
def turn_round(table, size, k, sums):
    """Write the sums of ``sum_up`` by number of cards first: ``sums[j, i]``, for ``draw_one``."""
    for j in range(k + 1):
        for place in range(size + 1):
            sums[j, place] = table[place, j]


@lean
def draw_one(cards, size, k, sums, held, key, number):
    """One hand at random, as a mask; ``number`` says which of the key's hands.

    One uniform number for each card held: the next card is the first place at which the chance that all of
    the cards still to come lie beyond it falls below the number.
    """
    mask = held
    place = 0
    for left in range(k, 0, -1):
        sure = size - left  # the last place at which the next card can be
        low = key_uniform(key, 0, HAND_SIZE * number + left - 1) * sums[left, place]
        while place < sure and sums[left, place + 1] > low:
            place += 1
        mask |= np.int64(1) << cards[place]
        place += 1
    return mask


@lean
def hands_key(u, free):
    """The key of all hands that are drawn for a row."""
    return choice_key(np.int64(u * (1 << 52)), free, 0)


@kernel
def _draw(logits, free, held, u, cards, weights, table, sums, out):
    for n in range(logits.shape[0]):
        k = min(HAND_SIZE - count(held[n]), count(free[n]))
        size, _ = weigh(logits[n], free[n], cards, weights)
        sum_up(weights, size, k, table)
        turn_round(table, size, k, sums)
        key = hands_key(u[n], free[n])
        for hand in range(out.shape[1]):
            out[n, hand] = draw_one(cards, size, k, sums, held[n], key, hand)


def unknown_cards(view: View, rows: IntArray) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """[N] masks: cards that may or may not be the opponent's, and cards that it is known to hold."""
    held = view["opponent"][rows]
    return DECK & ~(view["hand"][rows] | view["pile"][rows] | held), held


def chances(logits: Beliefs, free: IntArray, held: IntArray) -> tuple[Beliefs, npt.NDArray[np.float64]]:
    """[N, 52] the chance that each card is held, and [N] the logarithm of the sum over all hands."""
    out, log_sums = np.empty((len(logits), CARDS), np.float32), np.empty(len(logits))
    _chances(logits, free, held, *_scratch(), np.empty(HAND_SIZE + 1), out, log_sums)
    return out, log_sums


def log_chances_of(
    logits: Beliefs, free: IntArray, held: IntArray, hands: IntArray
) -> npt.NDArray[np.float64]:
    """[N] the logarithm of the chance of one hand for each row."""
    _, log_sums = chances(logits, free, held)
    bits = (np.asarray(hands)[:, None] & free[:, None]) >> np.arange(CARDS) & 1
    out: npt.NDArray[np.float64] = (logits.astype(np.float64) * bits).sum(axis=1) - log_sums
    return out


def draw_hands(
    logits: Beliefs, free: IntArray, held: IntArray, u: FloatArray, hands: int
) -> npt.NDArray[np.int64]:
    """[N, hands] hands of ten as masks; ``u`` has one uniform number for each row."""
    out = np.empty((len(logits), hands), np.int64)
    sums = np.empty((HAND_SIZE + 1, CARDS + 1))
    _draw(logits, free, held, np.asarray(u, np.float64), *_scratch(), sums, out)
    return out


def _scratch() -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    return np.empty(CARDS, np.int64), np.empty(CARDS), np.empty((CARDS + 1, HAND_SIZE + 1))
