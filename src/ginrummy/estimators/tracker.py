"""The chance that a card is still in the stock, followed from event to event, as a belief about the hand."""

import numpy as np

from ginrummy._jit import kernel
from ginrummy.cards import CARDS, DECK
from ginrummy.errors import UnknownName
from ginrummy.estimators.base import Beliefs, Estimator
from ginrummy.specs import named, parameters
from ginrummy.tracking import PROGRAM, check_shares, track
from ginrummy.view import IntArray, View

PROFILES: dict[str, dict[str, float]] = {
    "code": PROGRAM,
    "baseline": dict.fromkeys(PROGRAM, 0.0) | {"baseline": 1.0},
}


@kernel
def _believe(view, rows, constants, p, out):
    for k in range(rows.shape[0]):
        seen = view[rows[k]]
        track(seen, constants, p)
        free = np.int64(DECK) & ~(seen.hand | seen.pile | seen.opponent)
        for card in range(CARDS):
            if free >> card & 1:
                out[k, card] = 1.0 - min(1.0, max(0.0, p[card]))
            else:
                out[k, card] = seen.opponent >> card & 1


@parameters(PROGRAM)
def tracker(profile: str = "code", **constants: float) -> Estimator:
    """Follow how likely each card is in the stock; takes, declines and discards move adjacent cards.

    Source: Nagai, Shrivastava, Ta, Byers and Bogaerts, "A Highly-Parameterized Ensemble To Play Gin Rummy",
    2020. Profile ``code`` has the nine constants of the authors' program, ``baseline`` none: no adjacency.

    Differs: the poster prints p(c) <- change for the baseline; the change is added. Beliefs are 1 minus the
    chance to be in the stock, held within 0 and 1; they need not add up to ten.
    """
    if profile not in PROFILES:
        raise UnknownName(f"tracker has no profile {profile!r}: choose one of {', '.join(PROFILES)}")
    settings: dict[str, object] = {} if profile == "code" else {"profile": profile}
    chosen = PROFILES[profile] | constants
    check_shares("tracker", chosen)
    values = np.array([chosen[name] for name in PROGRAM])

    def raw(view: View, rows: IntArray) -> Beliefs:
        out = np.empty((len(rows), CARDS), np.float32)
        _believe(view, np.asarray(rows, np.int64), values, np.empty(CARDS), out)
        return out

    return Estimator(named("tracker", settings | constants), raw)
