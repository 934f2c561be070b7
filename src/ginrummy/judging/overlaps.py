"""How well many settings of the tracker guess the opponent's unknown cards, on the same games: fast counters.

A search over the constants of ``tracking`` judges the same moments hundreds of times. One pass over the
records follows all settings at once, event by event; ``metrics.overlap`` of the estimator ``tracker`` gives
the same numbers, which a test holds.
"""

from dataclasses import dataclass

import numpy as np

from ginrummy import moments
from ginrummy._jit import count, kernel, lowest
from ginrummy.cards import CARDS, DECK, NO_CARD
from ginrummy.judging.shards import Shard
from ginrummy.players.playing import play
from ginrummy.players.registry import make_player
from ginrummy.rules import HAND_SIZE
from ginrummy.tracking import FIRST_STOCK, follow, shift, stock_share
from ginrummy.typed import Counters
from ginrummy.view import DISCARD, DRAWN, OTHER, PASSED, UPCARD, WHO


@dataclass(frozen=True)
class Watched:
    """Whose hand is guessed, by which settings."""

    players: tuple[str, str]
    """The first one watches the second."""
    constants: tuple[tuple[float, ...], ...]
    """[K] the constants of ``tracking``, in order."""


@kernel
def _overlap(p, free, held):
    """Share of ``held`` among as many free cards with the lowest chance to be in the stock."""
    size = count(held)
    found = 0.0
    left = held
    while left != 0:
        own = np.float32(1.0 - min(1.0, max(0.0, p[lowest(left)])))
        left &= left - 1
        above = equal = np.int64(0)
        others = free
        while others != 0:
            other = np.float32(1.0 - min(1.0, max(0.0, p[lowest(others)])))
            others &= others - 1
            above += other > own
            equal += other == own
        found += min(1.0, max(0.0, (size - above) / equal))
    return found / size if size > 0 else 1.0


@kernel
def _count(rounds, constants, p, sums):
    """Add up the overlaps of side 0's guesses after each event of side 1; returns how many there are."""
    n = 0
    for k in range(rounds.shape[0]):
        r = rounds[k]
        stock = FIRST_STOCK
        known = np.int64(0)
        share = stock_share(stock, known)
        p[:] = share
        pile = np.int64(1) << np.int64(r.deck[2 * HAND_SIZE])
        hand = _dealt(r, 0)
        truth = _dealt(r, 1)
        for event in range(r.events):
            theirs = r.log[0, event, WHO] == OTHER
            upcard = np.int64(r.log[0, event, UPCARD])
            drawn = np.int64(r.log[1 if theirs else 0, event, DRAWN])
            discard = np.int64(r.log[0, event, DISCARD])
            card = np.int64(1) << drawn if drawn != PASSED else np.int64(0)
            thrown = np.int64(1) << discard if discard != NO_CARD else np.int64(0)
            if drawn == upcard:
                pile &= ~card
            elif drawn != PASSED:
                stock -= 1
            pile |= thrown
            if theirs:
                truth = (truth | card) & ~thrown
                if drawn == upcard:
                    known |= card
                known &= ~thrown
                for place in range(constants.shape[0]):
                    follow(p[place], constants[place], upcard, drawn, discard)
            else:
                hand = (hand | card) & ~thrown
            now = stock_share(stock, known)
            for place in range(constants.shape[0]):
                shift(p[place], constants[place], share, now)
            share = now
            if theirs and count(truth) == HAND_SIZE:
                free = DECK & ~(hand | pile | known)
                for place in range(constants.shape[0]):
                    sums[place] += _overlap(p[place], free, truth & free)
                n += 1
    return n


@kernel
def _dealt(r, side):
    hand = np.int64(0)
    start = HAND_SIZE * (r.seat ^ side)
    for k in range(HAND_SIZE):
        hand |= np.int64(1) << np.int64(r.deck[start + k])
    return hand


def count_overlaps(settings: Watched, shard: Shard) -> Counters:
    """Counters of some games: ``games``, ``moments``, and ``sums`` [K] of the overlaps."""
    first, second = (make_player(spec) for spec in settings.players)
    run = play(first, second, shard.games, shard.rules, shard.seed, record=True)
    constants = np.array(settings.constants, np.float64)
    sums = np.zeros(len(constants))
    size = _count(moments.in_order(run.rounds), constants, np.empty((len(constants), CARDS)), sums)
    return {"games": len(shard.games), "moments": int(size), "sums": sums.tolist()}
