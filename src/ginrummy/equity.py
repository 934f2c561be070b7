"""The chance to win the game from both scores, by dynamic programming over rounds.

    table = win_chances(EAAI)
    table[own, other, starts]      # ``starts`` is 1 when the side starts the next round

The results of rounds come from play of a strong player against itself (``round-points.npz``, rebuilt by
``ginrummy train round-points``): how often the starter wins or loses how many points, for each preset. Other
rules use the preset with the same bonuses and knock limit, or the challenge's.
"""

import io
from functools import cache

import numpy as np

from ginrummy import artefacts
from ginrummy._jit import lean
from ginrummy.rules import PRESETS, Rules
from ginrummy.view import FloatArray, IntArray

FILE = "round-points.npz"
SHAPING = ("gin_bonus", "undercut_bonus", "big_gin_bonus", "knock_limit", "oklahoma")
"""The rules that shape the results of rounds."""
MOST = 250
"""Targets up to this many points have a table; it would be too large beyond."""


@lean
def _fill(points, shares, dead, keeps, out):
    """Fill a table of chances from high scores to low ones."""
    target = out.shape[0]
    for total in range(2 * target - 2, -1, -1):
        for own in range(max(0, total - target + 1), min(target - 1, total) + 1):
            other = total - own
            here = out[own, other]
            for starts in range(2):
                for k in range(points.shape[0]):
                    gain = points[k] if starts else -points[k]
                    if own + gain >= target:
                        here[starts] += shares[k]
                    elif other - gain < target:
                        here[starts] += shares[k] * out[own + max(gain, 0), other + max(-gain, 0), 1 - starts]
            second, first = here[0], here[1]
            if keeps:  # a dead round is dealt again at the same scores
                here[0], here[1] = second / (1 - dead), first / (1 - dead)
            else:
                here[0] = (second + dead * first) / (1 - dead * dead)
                here[1] = (first + dead * second) / (1 - dead * dead)


def chances(points: IntArray, counts: IntArray, target: int, redeal_keeps_dealer: bool) -> FloatArray:
    """[target, target, 2] chances to win: own score, other score, whether the side starts.

    ``points`` are results of a round for its starter, ``counts`` how often each came; 0 is a dead round.
    """
    shares = np.asarray(counts, np.float64) / np.sum(counts)
    scored = np.asarray(points) != 0
    out = np.zeros((target, target, 2))
    dead = float(shares[~scored].sum())
    _fill(np.asarray(points, np.int64)[scored], shares[scored], dead, redeal_keeps_dealer, out)
    return out


def results_of(rules: Rules) -> tuple[IntArray, IntArray]:
    """Points of the starter and how often each came, under the preset nearest to the rules."""
    shape = tuple(getattr(rules, name) for name in SHAPING)
    same = [
        name for name, preset in PRESETS.items() if tuple(getattr(preset, key) for key in SHAPING) == shape
    ]
    name = next((name for name in same if name != "openspiel"), "eaai")
    with np.load(io.BytesIO(artefacts.load(FILE))) as file:
        return file[f"{name}-points"], file[f"{name}-counts"]


@cache
def win_chances(rules: Rules) -> FloatArray:
    """[target, target, 2] chances to win under these rules; targets above ``MOST`` count as ``MOST``."""
    points, counts = results_of(rules)
    table = chances(points, counts, min(rules.target, MOST), rules.redeal_keeps_dealer)
    table.flags.writeable = False
    return table
