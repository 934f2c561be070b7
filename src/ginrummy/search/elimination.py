"""Which arms are out, which one is chosen, and how sure that is.

All arms that are left were played in the same worlds, so two of them are compared by the mean of their
differences, world by world, and the standard error of that mean. Sums of products are enough for both.
"""

import numpy as np

from ginrummy._jit import kernel, lean

_TINY = 1e-12
"""Least variance of a difference: two arms that were equal in every world are not surely equal."""


@lean
def difference(trial, one, other):
    """Mean difference of the chances of two arms over the same worlds, and its standard error."""
    n = trial.worlds
    mean = (trial.total[one] - trial.total[other]) / n
    low, high = min(one, other), max(one, other)
    squares = trial.cross[one, one] + trial.cross[other, other] - 2 * trial.cross[low, high]
    return mean, np.sqrt(max(squares / n - mean * mean, _TINY) / n)


@lean
def leader(trial):
    """The arm with the greatest total among those that are left; the first of equal ones."""
    best = -1
    for place in range(trial.size):
        if trial.alive[place] == 1 and (best < 0 or trial.total[place] > trial.total[best]):
            best = place
    return best


@lean
def eliminate(trial, cut):
    """Drop the arms that are behind the leader by more than ``cut`` standard errors."""
    best = leader(trial)
    for place in range(trial.size):
        if trial.alive[place] == 1 and place != best:
            mean, error = difference(trial, best, place)
            if mean > cut * error:
                trial.alive[place] = 0
                trial.left = trial.left - 1


@lean
def choose(trial, gate):
    """The arm to play: the leader, if it is ahead of home by ``gate`` standard errors; otherwise home.

    A home that was dropped is far enough behind.
    """
    best = leader(trial)
    if best != trial.home and trial.alive[trial.home] == 1:
        if trial.worlds == 0:
            return trial.home
        mean, error = difference(trial, best, trial.home)
        if mean < gate * error:
            return trial.home
    return best


@kernel
def choose_rows(trials, gate, out):
    """The places of the arms to play, by trial."""
    for k in range(trials.shape[0]):
        out[k] = choose(trials[k], gate)


@kernel
def differences(trials, base, out):
    """Write to ``out`` [A, 2] how far each arm of a trial is from the arm ``base``: mean, standard error."""
    for place in range(trials[0].size):
        out[place, 0], out[place, 1] = difference(trials[0], place, base)
