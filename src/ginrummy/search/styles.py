"""How both sides play in rollouts.

The own side plays as a sketch of champion's network does (``policies.sketch``), or by the fast rule
(``policies.rollout``), with the knocks of the tuned ``hand-strength``. The opponent draws and discards as
``hand-strength`` does, as its program or, if it takes many upcards, as the tuned one; or by the fast rule. It
knocks as its type does.
"""

from functools import cache
from io import BytesIO
from typing import NamedTuple
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from ginrummy import artefacts
from ginrummy.compiled.policy import Compiled, Policy
from ginrummy.errors import BadInput
from ginrummy.estimators.types import KNOCK_LIMITS, MANNERS
from ginrummy.players.hand_strength import hand_strength
from ginrummy.policies import sketch
from ginrummy.policies.hand_strength import HAND_STRENGTH
from ginrummy.policies.rollout import CONSTANTS, DECAY, MAKER, ROLLOUT, TERM
from ginrummy.strength import KNOCK, KNOCK_TURNS, PARAMETERS

SKETCH, RULE = PLAYS = ("sketch", "rule")
STRENGTH, PROGRAM, _ = REPLIES = ("strength", "program", RULE)
"""How the own side plays on, and how the opponent does."""
PROFILES = {STRENGTH: ("code", "tuned"), PROGRAM: ("code", "code"), RULE: ("code", "code")}
"""Profiles of ``hand-strength`` for the two manners of opponent (``estimators.types``)."""
MODEL = "sketch.npz"
PARTS = ("discards", "draws", "knocks")
"""Networks of the sketch, in the order of its constants."""
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
def rule_style() -> npt.NDArray[np.float64]:
    """[CONSTANTS] of the fast rule on the own side."""
    return constants("tuned", OWN_TERM)


@cache
def sketch_style() -> npt.NDArray[np.float64]:
    """[sketch.CONSTANTS] of the sketch: those of the fast rule, then the networks."""
    payload = artefacts.load(MODEL)
    try:
        with np.load(BytesIO(payload), allow_pickle=False) as found:
            networks = [np.asarray(found[name], np.float32) for name in PARTS]
    except (EOFError, ValueError, KeyError, BadZipFile) as error:
        raise BadInput(f"{MODEL} does not hold the networks of a sketch") from error
    if sum(map(len, networks)) != sketch.WEIGHTS:
        raise BadInput(f"{MODEL} holds the networks of another sketch")
    return np.concatenate([rule_style(), sketch.packed(networks)])


def own_policy(plays: str) -> Compiled:
    """How the own side plays on: one of ``PLAYS``."""
    if plays == RULE:
        return Compiled(ROLLOUT, tuple(rule_style().tolist()))
    return Compiled(sketch.SKETCH, tuple(sketch_style().tolist()))


class Opponents(NamedTuple):
    """How the types of opponent play on."""

    policy: Policy
    styles: npt.NDArray[np.float64]
    """[M * T, P] constants of each type, manner by manner."""


@cache
def opponents(replies: str) -> Opponents:
    """The types of opponent: how they play on is one of ``REPLIES``."""
    policy, size = (ROLLOUT, CONSTANTS) if replies == RULE else (HAND_STRENGTH, PARAMETERS)
    styles = np.empty((len(MANNERS), len(KNOCK_LIMITS), size))
    for manner, profile in zip(styles, PROFILES[replies], strict=True):
        manner[:] = constants(profile, OTHER_TERM)[:size]
        manner[:, KNOCK : KNOCK + KNOCK_TURNS] = KNOCK_LIMITS
    return Opponents(policy, styles.reshape(-1, size))
