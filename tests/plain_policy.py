"""A player without randomness, for tests: its answers depend only on the cards that it sees."""

import numpy as np

from ginrummy._jit import lean, lowest
from ginrummy.compiled.policy import Compiled, Policy
from ginrummy.meld_kernels import MAX_HELD, MAX_MELDS, best_discards, deadwood, find_best_sets, melds_with


@lean
def draw(seen, p, u, scratch):
    top = np.int64(seen.top)
    return melds_with(seen.hand | np.int64(1) << top, top)


@lean
def discard(seen, p, u, scratch):
    _, best = best_discards(seen.hand)
    return lowest(best & seen.allowed) if best & seen.allowed else lowest(seen.allowed)


@lean
def knock(seen, p, u, scratch):
    return deadwood(seen.hand) <= p[0]


@lean
def spread(seen, p, u, scratch, out):
    for k in range(MAX_MELDS):
        out[0, k] = 0
    find_best_sets(seen.hand, 0, scratch[:MAX_HELD], scratch[MAX_HELD : MAX_HELD + MAX_MELDS], out)


PLAIN = Policy(draw, discard, knock, spread)


def plain(knock_at: int) -> Compiled:
    """The player; it knocks with at most so much deadwood."""
    return Compiled(PLAIN, (float(knock_at),))
