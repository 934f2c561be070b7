"""Monte Carlo counterfactual regret minimisation with outcome sampling: the kernels that all games share.

Source: Lanctot, Waugh, Zinkevich and Bowling, "Monte Carlo Sampling for Regret Minimization in Extensive
Games" (NIPS 2009). One iteration plays one game and updates one player. That player explores: with
probability ``epsilon`` it acts at random, otherwise by its present strategy; chance and the other players
act as they always do. Each decision of the player is a *step* of a path. At the end the payoff is divided by
the probability with which the player's own choices were sampled, and changes the regrets of every cell on the
path.

A game numbers its infosets as *cells* and its actions from 0. It has a small kernel of its own that plays an
iteration (compiled functions cannot be passed as arguments): it calls ``choose`` at each decision and
``update`` at the end. Random numbers are functions of a counter, not of a state: a run is a function of its
seed.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ginrummy._jit import kernel
from ginrummy.errors import BadInput

EPSILON = 0.6
"""Share of exploration that Lanctot et al. recommend."""
MAX_ACTIONS = 3

STEP: np.dtype[Any] = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("cell", np.int64),  # infoset
                ("legal", np.int64),  # bits of the legal actions
                ("action", np.int64),  # action taken
                ("sample", np.float64),  # probability with which it was taken
                ("other", np.float64),  # probability that the other players played to this decision
                ("policy", np.float64, (MAX_ACTIONS,)),  # strategy at this decision, 0 for illegal actions
            ],
            align=True,
        ),
    )
)
"""One decision of the player whose regrets are updated."""

Floats = npt.NDArray[np.float64]


class Regrets(NamedTuple):
    """What a run learns; flat arrays that kernels change in place."""

    regret: Floats  # [cells, actions] sums of sampled counterfactual regrets
    average: Floats  # [cells, actions] sums of strategies, weighted by reach
    visits: npt.NDArray[np.int64]  # [cells] updates


def new_regrets(cells: int, actions: int) -> Regrets:
    """Tables before the first iteration."""
    if not 2 <= actions <= MAX_ACTIONS:
        raise BadInput(f"a game has from 2 to {MAX_ACTIONS} actions, not {actions}")
    return Regrets(np.zeros((cells, actions)), np.zeros((cells, actions)), np.zeros(cells, np.int64))


def new_path(length: int) -> npt.NDArray[np.void]:
    """Room for the steps of one iteration."""
    return np.zeros(length, STEP)


def average_strategy(regrets: Regrets) -> Floats:
    """[cells, actions] what the run converges to; a row of NaN for a cell without any weight."""
    total = regrets.average.sum(axis=1, keepdims=True)
    with np.errstate(invalid="ignore"):
        strategy: Floats = regrets.average / np.where(total > 0, total, np.nan)
    return strategy


def check_training(epsilon: float, iterations: int) -> None:
    """Refuse settings that cannot train: without exploration some regrets are never sampled."""
    if not 0 < epsilon <= 1:
        raise BadInput(f"epsilon must be above 0 and at most 1, not {epsilon}")
    if iterations < 1:
        raise BadInput(f"expected one or more iterations, got {iterations}")


@kernel
def match_regrets(regret, cell, legal, policy):
    """Write to ``policy`` the strategy in proportion to positive regrets; uniform when there are none."""
    total = 0.0
    number = 0
    for action in range(regret.shape[1]):
        policy[action] = 0.0
        if legal >> action & 1:
            number += 1
            policy[action] = max(regret[cell, action], 0.0)
            total += policy[action]
    for action in range(regret.shape[1]):
        if legal >> action & 1:
            policy[action] = policy[action] / total if total > 0.0 else 1.0 / number


@kernel
def explore(probability, epsilon, number):
    """Probability to sample one of ``number`` legal actions that the strategy plays with ``probability``."""
    return epsilon / number + (1.0 - epsilon) * probability


@kernel
def choose(regret, step, cell, legal, epsilon, other, u):
    """Sample an action at a cell by ``u`` and write the decision to ``step``. Returns the action.

    ``epsilon`` is 0 for players that are not updated. ``other`` is the probability of the other players'
    actions so far; the average strategy is then that of the theory. If ``other`` is 1, an iteration counts in
    proportion to how often the others reach the cell: a different weighting, with much lower variance.
    """
    step.cell = cell
    step.legal = legal
    step.other = other
    match_regrets(regret, cell, legal, step.policy)
    number = 0
    for action in range(regret.shape[1]):
        number += legal >> action & 1
    chosen = -1
    for action in range(regret.shape[1]):
        if legal >> action & 1:
            sample = explore(step.policy[action], epsilon, number)
            if sample > 0.0:  # if rounding leaves some of u, the last possible action takes it
                chosen = action
                step.sample = sample
                if u < sample:
                    break
                u -= sample
    step.action = chosen
    return chosen


@kernel
def update(regret, average, visits, path, steps, payoff, weight):
    """Learn from a path of the updated player and its payoff; ``weight`` counts in the average strategy."""
    reach = 1.0
    sample = 1.0
    for k in range(steps):
        step = path[k]
        visits[step.cell] += 1
        share = weight * reach / (sample * step.other)
        for action in range(regret.shape[1]):
            average[step.cell, action] += share * step.policy[action]
        reach *= step.policy[step.action]
        sample *= step.sample
    tail = payoff / sample
    for k in range(steps - 1, -1, -1):
        step = path[k]
        taken = step.policy[step.action]
        for action in range(regret.shape[1]):
            if step.legal >> action & 1:
                regret[step.cell, action] += tail * ((1.0 if action == step.action else 0.0) - taken)
        tail *= taken


@kernel
def average_weight(linear, iteration):
    """Weight of an iteration in the average strategy: its number, or the same for all."""
    return iteration + 1.0 if linear else 1.0
