"""The only source of chance: decks, first starters and players' uniform numbers, all from counters.

Nothing here has state. A deck is a function of (seed, pair, round), a uniform number a function of
(seed, game, round, seat, decision), so results do not depend on batch size, worker count or order.
Games ``2k`` and ``2k + 1`` are a mirrored pair: the same decks and the same starting seat, with the
players' seats swapped.

The function is a chain of splitmix64 finalisers (Steele, Lea and Flood 2014). Cards are drawn by
Fisher-Yates with 32 bits for each card; the bias of the multiply-and-shift is below 52 / 2**32 for any order.
"""

import numpy as np

from ginrummy._jit import inlined, lean
from ginrummy.cards import CARDS

_STEP = np.uint64(0x9E3779B97F4A7C15)
_M1 = np.uint64(0xBF58476D1CE4E5B9)
_M2 = np.uint64(0x94D049BB133111EB)
_S30, _S27, _S31, _S32, _S11 = (np.uint64(n) for n in (30, 27, 31, 32, 11))
_LOW = np.uint64(0xFFFFFFFF)
_DECK, _STARTER, _CHOICE = (np.uint64(n) for n in (1, 2, 3))

MAX_SEED = 2**63 - 1


@inlined
def _mix(x):
    """A bijection of 64 bits that scatters them."""
    x = (x ^ (x >> _S30)) * _M1
    x = (x ^ (x >> _S27)) * _M2
    return x ^ (x >> _S31)


@lean
def _key(seed, purpose, index, round_):
    """Key of one stream: what it is for, and which game (or pair) and round it belongs to."""
    key = _mix(np.uint64(seed) + _STEP * purpose)
    key = _mix(key + _STEP * np.uint64(index + 1))
    return _mix(key + _STEP * np.uint64(round_ + 1))


@lean
def choice_key(seed, game, round_):
    """Key of all uniform numbers of one round; ``key_uniform`` counts through it."""
    return _key(seed, _CHOICE, game, round_)


@inlined
def key_uniform(key, seat, decision):
    """Uniform number in [0, 1) for a seat's decision, numbered from 0 within the round."""
    bits = _mix(key + _STEP * np.uint64(2 * decision + seat + 1))
    return np.float64(bits >> _S11) * (1.0 / 9007199254740992.0)


@lean
def shuffle(seed, pair, round_, out):
    """Write the deck of a round to ``out`` [52]."""
    key = _key(seed, _DECK, pair, round_)
    for card in range(CARDS):
        out[card] = card
    left = CARDS
    bits = np.uint64(0)
    while left > 1:
        if left & 1 == 0:
            key += _STEP
            bits = _mix(key)
        place = np.int64(((bits & _LOW) * np.uint64(left)) >> _S32)
        bits >>= _S32
        left -= 1
        card = out[place]
        out[place] = out[left]
        out[left] = card


@lean
def first_starter(seed, pair):
    """The seat, 0 or 1, that starts the first round of both games of a pair."""
    return np.int64(_key(seed, _STARTER, pair, 0) >> np.uint64(63))


def deck(seed: int, game: int, round_: int) -> list[int]:
    """The deck of a round: seat 0's ten cards, seat 1's ten, the upcard, the stock in order of drawing."""
    out = np.empty(CARDS, np.int8)
    shuffle(seed, game // 2, round_, out)
    return [int(card) for card in out]


def starter(seed: int, game: int) -> int:
    """The seat that starts the first round of a game."""
    return int(first_starter(seed, game // 2))


def uniform(seed: int, game: int, round_: int, seat: int, decision: int) -> float:
    """The uniform number in [0, 1) for one decision of one seat."""
    key = np.uint64(choice_key(seed, game, round_))  # the kernel returns a plain int: restore its type
    return float(key_uniform(key, seat, decision))
