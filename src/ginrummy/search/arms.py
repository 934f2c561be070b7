"""The answers that a search compares, its *arms*, and all that has been found out about them.

A ``TRIAL`` is one record for one decision. An arm is a first answer, and after a discard whether to knock, in
the form of ``compiled.worlds.LINE``. One arm is *home*: what the blueprint would answer.
"""

import numpy as np
import numpy.typing as npt

from ginrummy._jit import kernel, lean, lowest
from ginrummy.meld_kernels import deadwood_without
from ginrummy.scoring import OUTCOMES

ARMS = 24
"""Most arms: eleven discards, with and without a knock."""
ENDS = 2 * len(OUTCOMES)
"""Ends of a round: the outcomes that bring the side points, or nothing, then those that cost it points."""

TRIAL = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("size", np.int64),  # arms
                ("left", np.int64),  # arms that are still compared
                ("home", np.int64),  # the blueprint's arm
                ("worlds", np.int64),  # worlds in which the arms that are left were played
                ("rollouts", np.int64),  # lines played
                ("answer", np.int64, (ARMS,)),  # as in ``LINE``
                ("knock", np.int64, (ARMS,)),
                ("liked", np.float64, (ARMS,)),  # how much the blueprint likes the arm, as a logit
                ("alive", np.int64, (ARMS,)),  # 1 while the arm is compared
                ("played", np.int64, (ARMS,)),  # worlds in which the arm was played
                ("total", np.float64, (ARMS,)),  # sum of the chances to win the game
                ("cross", np.float64, (ARMS, ARMS)),  # sums of products of two arms' chances, world by world
                ("points", np.float64, (ARMS,)),  # sum of points
                ("squares", np.float64, (ARMS,)),  # sum of squares of points
                ("ends", np.int64, (ARMS, ENDS)),  # how the rounds ended
            ],
            align=True,
        ),
    )
)

Trials = npt.NDArray[np.void]
"""[N] of ``TRIAL``."""


@lean
def add_arm(trial, answer, knock, liked):
    """Add an arm; returns its place."""
    place = trial.size
    trial.liked[place] = liked
    trial.answer[place] = answer
    trial.knock[place] = knock
    trial.alive[place] = 1
    trial.size = place + 1
    trial.left = trial.left + 1
    return place


@lean
def propose_choice(trial, liked):
    """The arms of a draw or a knock: no and yes; home is yes if the blueprint likes it by more than 0."""
    add_arm(trial, 0, 0, 0.0)
    add_arm(trial, 1, 0, liked)
    trial.home = np.int64(liked > 0)


@lean
def propose_discards(trial, seen, scores, knocks, most, scratch):
    """The arms of a discard: the ``most`` cards with the greatest scores, and knocks where they are allowed.

    Home is the card with the greatest score, followed by a knock if ``knocks``. A knock is tried with that
    card and with the one that leaves the least deadwood. Gin is settled: its discard, the best one by score,
    becomes the only arm.
    """
    hand, allowed = seen.hand, seen.allowed
    deadwood_without(hand, scratch)
    least = np.int64(999)
    gin = np.int64(0)
    cards = allowed
    while cards != 0:
        card = lowest(cards)
        cards &= cards - 1
        least = min(least, scratch[card])
        if scratch[card] == 0:
            gin |= np.int64(1) << card
    if gin != 0:
        add_arm(trial, _greatest(gin, scores), 1, 0.0)
        trial.home = 0
        return
    trial.home = 0
    cards = allowed
    home = np.int64(-1)
    tidy = np.int64(-1)  # of those that leave the least deadwood, the one that the blueprint likes best
    while cards != 0:
        card = _greatest(cards, scores)
        cards ^= np.int64(1) << card
        if tidy < 0 and scratch[card] == least:
            tidy = card
        if trial.size < most:
            add_arm(trial, card, 0, scores[card])
        if home < 0:
            home = card
    if least > seen.limit:
        return
    if scratch[home] <= seen.limit:
        place = add_arm(trial, home, 1, scores[home])
        if knocks:
            trial.home = place
    if tidy != home:
        add_arm(trial, tidy, 1, scores[tidy])


@lean
def propose_all_discards(trial, seen, scores, knocks, scratch):
    """Every legal discard, without and with a knock, the blueprint's card first."""
    deadwood_without(seen.hand, scratch)
    trial.home = 0
    cards = seen.allowed
    while cards != 0:
        card = _greatest(cards, scores)
        cards ^= np.int64(1) << card
        first = trial.size == 0
        add_arm(trial, card, 0, scores[card])
        if scratch[card] <= seen.limit:
            place = add_arm(trial, card, 1, scores[card])
            if first and (knocks or scratch[card] == 0):
                trial.home = place


@lean
def _greatest(cards, scores):
    """The card of a mask with the greatest score; the first of equal ones."""
    best = lowest(cards)
    while cards != 0:
        card = lowest(cards)
        cards &= cards - 1
        if scores[card] > scores[best]:
            best = card
    return best


@kernel
def start_choices(trials, liked):
    """Set up draws or knocks: one trial for each of the blueprint's answers."""
    for k in range(trials.shape[0]):
        propose_choice(trials[k], liked[k])


@kernel
def start_discards(trials, view, rows, scores, knocks, most, scratch):
    """Set up discards, with at most ``most`` cards; 0 for every legal answer."""
    for k in range(trials.shape[0]):
        if most > 0:
            propose_discards(trials[k], view[rows[k]], scores[k], knocks[k], most, scratch)
        else:
            propose_all_discards(trials[k], view[rows[k]], scores[k], knocks[k], scratch)
