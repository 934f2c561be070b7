"""Kuhn and Leduc poker: two small games with known equilibria that prove the regret kernels.

Kuhn poker has three cards, one each, an ante of 1 and one bet of 1; its value for the first player is
-1/18 (Kuhn 1950). Leduc poker has six cards of three ranks, an ante of 1, two rounds of betting with at most
two raises (of 2, then of 4) and a public card between them (Southey et al. 2005). Actions are numbered as
OpenSpiel does: Kuhn pass 0, bet 1; Leduc fold 0, call 1, raise 2.
"""

import numpy as np

from ginrummy._jit import kernel
from ginrummy.decks import choice_key, key_uniform
from ginrummy.training.regret.mccfr import (
    EPSILON,
    Regrets,
    average_weight,
    check_training,
    choose,
    new_path,
    new_regrets,
    update,
)

KUHN_CELLS = 12
"""A card and one of four betting histories: none, pass, bet, pass and bet."""
KUHN_VALUE = -1.0 / 18.0
"""Value of Kuhn poker for the first player."""

FOLD, CALL, RAISE = range(3)
BETTING = ("", "c", "r", "cr", "rr", "crr")
"""States of a betting round in which a player acts."""
CLOSED = ("cc", "rc", "crc", "rrc", "crrc")
"""How a betting round without a fold ends."""
LEDUC_CELLS = 3 * len(BETTING) * (1 + 3 * len(CLOSED))

_ACTOR = np.array([0, 1, 1, 0, 0, 1])
_AFTER_CALL = np.array([1, -1, -2, -3, -4, -5])  # a negative number closes the round: -1 - place in CLOSED
_AFTER_RAISE = np.array([2, 3, 4, 5, -9, -9])
_LEGAL = np.array([0b110, 0b110, 0b111, 0b111, 0b011, 0b011])


@kernel
def kuhn_cell(card, history):
    """Number of an infoset of Kuhn poker: card 0..2; history 0 none, 1 pass, 2 bet, 3 pass and bet."""
    return 4 * card + history


@kernel
def leduc_cell(rank, public, closed, state):
    """Number of an infoset of Leduc poker.

    Ranks are 0..2; ``closed`` is the place of the first round's end in ``CLOSED``, -1 within the first
    round, where ``public`` has no meaning; ``state`` is the place of the betting in ``BETTING``.
    """
    rounds = 0 if closed < 0 else 1 + 3 * closed + public
    return (rounds * 3 + rank) * 6 + state


@kernel
def _kuhn_iteration(regret, path, spare, key, player, epsilon):
    """Play one game. Returns the steps on the path and the player's payoff."""
    first = int(3.0 * key_uniform(key, 0, 0))
    second = (first + 1 + int(2.0 * key_uniform(key, 0, 1))) % 3
    winner = 1.0 if first > second else -1.0
    history = 0
    steps = 0
    others = 1.0
    while True:
        mover = 1 if history == 1 or history == 2 else 0
        own = mover == player
        step = path[steps] if own else spare[0]
        cell = kuhn_cell(first if mover == 0 else second, history)
        u = key_uniform(key, 1, history)
        action = choose(regret, step, cell, 3, epsilon if own else 0.0, others, u)
        if own:
            steps += 1
        else:
            others *= step.policy[action]
        if history == 0:
            history = 1 + action
        elif history == 1 and action == 1:
            history = 3
        else:
            break
    if history == 1:
        worth = winner
    elif action == 1:
        worth = 2.0 * winner
    else:
        worth = 1.0 if history == 2 else -1.0
    return steps, worth if player == 0 else -worth


@kernel
def _train_kuhn(regret, average, visits, path, spare, seed, start, stop, epsilon, linear):
    for n in range(start, stop):
        key = choice_key(seed, n, 0)
        steps, payoff = _kuhn_iteration(regret, path, spare, key, n & 1, epsilon)
        update(regret, average, visits, path, steps, payoff, average_weight(linear, n))


@kernel
def _showdown(first, second, public):
    """1 when the first player's hand is better, -1 when the second's, 0 when they are equal."""
    if first == second:
        return 0.0
    if first == public:
        return 1.0
    if second == public:
        return -1.0
    return 1.0 if first > second else -1.0


@kernel
def _leduc_deal(key):
    """Ranks of the two private cards and of the public one."""
    first = int(6.0 * key_uniform(key, 0, 0))
    second = int(5.0 * key_uniform(key, 0, 1))
    second += second >= first
    low, high = min(first, second), max(first, second)
    public = int(4.0 * key_uniform(key, 0, 2))
    public += public >= low
    public += public >= high
    return first // 2, second // 2, public // 2


@kernel
def _leduc_iteration(regret, path, spare, paid, key, player, epsilon):
    """Play one game. Returns the steps on the path and the player's payoff; ``paid`` [2] is scratch."""
    first, second, public = _leduc_deal(key)
    paid[0] = paid[1] = 1.0
    closed, state, steps, asked = -1, 0, 0, 0
    others = 1.0
    while True:
        mover = _ACTOR[state]
        own = mover == player
        step = path[steps] if own else spare[0]
        cell = leduc_cell(first if mover == 0 else second, public, closed, state)
        u = key_uniform(key, 1, asked)
        asked += 1
        action = choose(regret, step, cell, _LEGAL[state], epsilon if own else 0.0, others, u)
        if own:
            steps += 1
        else:
            others *= step.policy[action]
        if action == FOLD:
            return steps, -paid[mover] if own else paid[mover]
        paid[mover] = paid[1 - mover]
        if action == RAISE:
            paid[mover] += 2.0 if closed < 0 else 4.0
            state = _AFTER_RAISE[state]
            continue
        state = _AFTER_CALL[state]
        if state < 0 and closed >= 0:
            break
        if state < 0:
            closed = -1 - state
            state = 0
    worth = paid[0] * _showdown(first, second, public)
    return steps, worth if player == 0 else -worth


@kernel
def _train_leduc(regret, average, visits, path, spare, seed, start, stop, epsilon, linear):
    paid = np.empty(2)
    for n in range(start, stop):
        key = choice_key(seed, n, 0)
        steps, payoff = _leduc_iteration(regret, path, spare, paid, key, n & 1, epsilon)
        update(regret, average, visits, path, steps, payoff, average_weight(linear, n))


def train_kuhn(iterations: int, seed: int, epsilon: float = EPSILON, linear: bool = False) -> Regrets:
    """Train both players of Kuhn poker from nothing."""
    check_training(epsilon, iterations)
    regrets = new_regrets(KUHN_CELLS, 2)
    _train_kuhn(*regrets, new_path(4), new_path(1), np.int64(seed), 0, iterations, epsilon, linear)
    return regrets


def train_leduc(iterations: int, seed: int, epsilon: float = EPSILON, linear: bool = False) -> Regrets:
    """Train both players of Leduc poker from nothing."""
    check_training(epsilon, iterations)
    regrets = new_regrets(LEDUC_CELLS, 3)
    _train_leduc(*regrets, new_path(8), new_path(1), np.int64(seed), 0, iterations, epsilon, linear)
    return regrets
