"""Which arms are out, which one is chosen, and how sure that is.

All arms that are left were played in the same worlds, so two of them are compared by the mean of their
differences, world by world, and the standard error of that mean. Sums of products are enough for both.

The blueprint has an opinion of its own: it learned from more play than a search can do, and without the
errors of a belief. So what it likes counts beside the means: ``trust`` is the chance to win that a unit of
its logits is worth.
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
def lead(trial, one, other, trust):
    """How far one arm is ahead of another, with the blueprint's opinion."""
    mean = (trial.total[one] - trial.total[other]) / max(1, trial.worlds)
    return mean + trust * (trial.liked[one] - trial.liked[other])


@lean
def leader(trial, trust):
    """The arm that is ahead of all others that are left; the first of equal ones."""
    best = -1
    for place in range(trial.size):
        if trial.alive[place] == 1 and (best < 0 or lead(trial, place, best, trust) > 0):
            best = place
    return best


@lean
def eliminate(trial, cut, trust):
    """Drop the arms that are behind the leader by more than ``cut`` standard errors."""
    best = leader(trial, trust)
    for place in range(trial.size):
        if trial.alive[place] == 1 and place != best:
            _, error = difference(trial, best, place)
            if lead(trial, best, place, trust) > cut * error:
                trial.alive[place] = 0
                trial.left = trial.left - 1


@lean
def choose(trial, gate, trust):
    """The arm to play: the leader, if it is ahead of home by ``gate`` standard errors; otherwise home.

    A home that was dropped is far enough behind.
    """
    best = leader(trial, trust)
    if best != trial.home and trial.alive[trial.home] == 1:
        if trial.worlds == 0:
            return trial.home
        _, error = difference(trial, best, trial.home)
        if lead(trial, best, trial.home, trust) < gate * error:
            return trial.home
    return best


@kernel
def choose_rows(trials, gate, trust, out):
    """The places of the arms to play, by trial."""
    for k in range(trials.shape[0]):
        out[k] = choose(trials[k], gate, trust)


@kernel
def differences(trials, base, out):
    """Write to ``out`` [A, 2] how far each arm of a trial is from the arm ``base``: mean, standard error."""
    for place in range(trials[0].size):
        out[place, 0], out[place, 1] = difference(trials[0], place, base)
