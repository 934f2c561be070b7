"""How both sides play in rollouts: constants of the fast rule (``policies.rollout``).

The own side plays on as the tuned ``hand-strength`` knocks. The opponent knocks as its type does.
"""

from functools import cache

import numpy as np
import numpy.typing as npt

from ginrummy.estimators.types import KNOCK_LIMITS
from ginrummy.players.hand_strength import hand_strength
from ginrummy.policies.rollout import CONSTANTS, DECAY, MAKER, TERM
from ginrummy.strength import KNOCK, KNOCK_TURNS, PARAMETERS

MAKER_POINTS, MAKER_DECAY = 2.0, 0.94
OWN_TERM, OTHER_TERM = 0.05, 0.1
"""Weights of the opponent term for the own side and for the opponent."""


def constants(profile: str, term: float) -> npt.NDArray[np.float64]:
    """[CONSTANTS] of the fast rule, with draws and knocks of a profile of ``hand-strength``."""
    blueprint = hand_strength(profile=profile).compiled
    assert blueprint is not None
    found = np.empty(CONSTANTS)
    found[:PARAMETERS] = blueprint.constants
    found[[MAKER, DECAY, TERM]] = MAKER_POINTS, MAKER_DECAY, term
    return found


@cache
def own_style() -> npt.NDArray[np.float64]:
    """[CONSTANTS] of the own side."""
    return constants("tuned", OWN_TERM)


@cache
def opponent_styles() -> npt.NDArray[np.float64]:
    """[T, CONSTANTS] of each type of opponent."""
    styles = np.tile(constants("code", OTHER_TERM), (len(KNOCK_LIMITS), 1))
    styles[:, KNOCK : KNOCK + KNOCK_TURNS] = KNOCK_LIMITS
    return styles
