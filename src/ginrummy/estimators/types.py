"""Types of opponent by how they knock, and how likely each of them is.

A type is a knock limit for each of its own turns: whoever is of this type knocks when its deadwood is at most
the limit of the turn, and always with gin. Search plays its rollouts with these limits:

    odds = posterior(view, rows)          # [N, T] adds up to 1
    limit = KNOCK_LIMITS[kind, min(turn, KNOCK_TURNS) - 1]

``turn`` is the opponent's own turn in the round, from 1.
"""

import numpy as np
import numpy.typing as npt

from ginrummy.view import IntArray, View

KNOCK_TURNS = 20
"""Turns with a limit of their own; the last one serves all later turns."""
_LIMITS = {
    "at-once": (10,),
    "early": (10, 10, 10, 10, 0),
    "gin": (0,),
    "late": (0, 0, 0, 0, 0, 0, 10),
    "low": (5,),
}
TYPES = tuple(_LIMITS)
"""Knocks whenever it can; knocks in its first turns and then waits for gin; waits for gin; knocks late only;
knocks with little deadwood."""


def _limits() -> npt.NDArray[np.int64]:
    out = np.empty((len(TYPES), KNOCK_TURNS), np.int64)
    for k, limits in enumerate(_LIMITS.values()):
        out[k] = (*limits, *[limits[-1]] * (KNOCK_TURNS - len(limits)))
    out.flags.writeable = False
    return out


KNOCK_LIMITS = _limits()
"""[T, KNOCK_TURNS] the greatest deadwood to knock with, by type and own turn; under other rules, the least of
this and the limit of the round counts."""


def posterior(view: View, rows: IntArray) -> npt.NDArray[np.float64]:
    """[N, T] how likely each type is, given what one side has seen."""
    return np.full((len(rows), len(TYPES)), 1.0 / len(TYPES))
