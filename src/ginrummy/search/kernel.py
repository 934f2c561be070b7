"""The compiled search: worlds, lines of play, results and elimination, batch by batch, in one kernel.

A batch is ``BATCH`` worlds or fewer, and every arm that is left is played in each of them: the same hidden
hand, the same stock, the same chance. Worlds are numbered through a decision. World n takes its hand, and the
type of opponent that goes with it, at the n-th point of a sequence that fills the unit interval evenly: any
number of worlds is close to the weights of the hands. Lines are played type by type, because a loop plays
with one list of constants for each side.

The loop is ``compiled.worlds``; nothing here sees a table but through it.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ginrummy._jit import Kernel, bound, inlined, lean, lowest, template
from ginrummy.cards import DECK
from ginrummy.compiled.policy import Policy
from ginrummy.compiled.worlds import LINE, RESULT, Room, begin, loop, next_line, room_for
from ginrummy.decks import choice_key, key_uniform
from ginrummy.scoring import DEAD, OUTCOMES
from ginrummy.search.arms import ARMS
from ginrummy.search.elimination import eliminate
from ginrummy.search.leaves import INPUTS, leaf_value, write_leaf
from ginrummy.search.pricing import SPAN
from ginrummy.view import NORMAL, IntArray

# ruff: noqa: F821
# mypy: disable-error-code=name-defined
# Both tools would report ``play``, the open name of the template below.

BATCH = 32
"""Worlds between two eliminations."""
_STEP = 0.6180339887498949
"""Step of the sequence: the golden ratio, less 1."""
_ENDLESS = np.iinfo(np.int64).max
CUT = -1
"""In place of an outcome: the line was cut, and its value estimated."""
_INPUTS_AT = 128
_HIDDEN_AT = _INPUTS_AT + (INPUTS + 1) // 2
"""Places in the scratch: a look-ahead, the inputs of the network of leaves, its layers."""


@lean
def _place(cumulated, x):
    """The first place whose cumulated weight is above ``x``."""
    low, high = 0, cumulated.shape[0] - 1
    while low < high:
        middle = (low + high) // 2
        if cumulated[middle] > x:
            high = middle
        else:
            low = middle + 1
    return low


@lean
def draw_worlds(seen, first, size, seed, choices, chances, types, hands, kinds, stocks):
    """Write worlds ``first`` and after: hands, types of opponent and stocks.

    ``chances`` are cumulated weights of the hands in ``choices``, ``types`` their types of opponent.
    """
    shift = key_uniform(choice_key(seed, 0, 0), 0, 0)
    for w in range(size):
        number = first + w
        x = shift + _STEP * number
        place = _place(chances, x - np.floor(x))
        hand = choices[place]
        hands[w] = hand
        kinds[w] = types[place]
        cards = DECK & ~(seen.hand | seen.pile | hand)
        n = 0
        key = choice_key(seed, number + 1, 0)
        while cards != 0:  # each card goes to a place drawn so far; what was there moves to the end
            place = np.int64(key_uniform(key, 0, n) * (n + 1))
            stocks[w, n] = stocks[w, place]
            stocks[w, place] = lowest(cards)
            cards &= cards - 1
            n += 1


@lean
def _list_lines(trial, kinds, size, kind, n, todo, results):
    """Append a line for every arm that is left in every world of a kind; returns the number of lines."""
    for w in range(size):
        if kinds[w] == kind:
            for arm in range(trial.size):
                if trial.alive[arm] == 1:
                    todo[n].world = w
                    todo[n].answer = trial.answer[arm]
                    todo[n].knock = trial.knock[arm]
                    results[n].points = 0
                    results[n].outcome = DEAD
                    n += 1
    return n


@inlined
def _price(prices, points):
    """The chance to win the game after a round of so many points."""
    return prices[min(max(points, -SPAN), SPAN) + SPAN]


@lean
def cut_line(t, a, b, desk, sink, rules, seed, scratch):
    """End a line that has gone on for ``depth`` turns: write down what it is worth, set up the next one."""
    weights, worth, depth, kind = sink[6]
    if a.turns < sink[0][0].turns + depth or a.offer != NORMAL:
        return False
    f, hidden = scratch[_INPUTS_AT:].view(np.float32), scratch[_HIDDEN_AT:].view(np.float32)
    write_leaf(a, b, np.int64(t.mover), kind, f, scratch)
    result = sink[5][t.game]
    result.outcome = CUT
    result.value = leaf_value(f, weights, worth, hidden)
    result.turns = a.turns
    next_line(t, a, b, desk, sink, rules, seed)
    return True


@lean
def _note(trial, size, prices, results):
    """Add the results of a batch of ``size`` worlds to the trial."""
    for place in range(size * trial.left):
        if results[place].outcome != CUT:
            results[place].value = _price(prices, np.int64(results[place].points))
    place = 0
    for _ in range(size):
        begins = place
        for arm in range(trial.size):
            if trial.alive[arm] == 0:
                continue
            result = results[place]
            value = result.value
            trial.total[arm] += value
            if result.outcome != CUT:
                worth = np.int64(result.points)
                trial.points[arm] += worth
                trial.squares[arm] += worth * worth
                trial.ends[arm, result.outcome + (len(OUTCOMES) if worth < 0 else 0)] += 1
            trial.played[arm] += 1
            at = begins
            for other in range(arm + 1):
                if trial.alive[other] == 1:
                    trial.cross[other, arm] += value * results[at].value
                    at += 1
            place += 1
    trial.worlds = trial.worlds + size


@template
def _search(
    trials,
    desk_room,
    position,
    phase,
    hidden,
    styles,
    own,
    prices,
    leaf,
    law,
    seed,
    budget,
    least,
    cut,
    trust,
):
    """Play batches until the budget of lines is used up or ``least`` arms are left.

    ``hidden`` is (hands to choose from, their cumulated weights, their types of opponent), ``styles`` [T, P]
    the constants of each type, ``own`` those of the own side, ``leaf`` (weights of the network of leaves,
    what its classes are worth, turns after which lines are cut). Returns the lines played.
    """
    tables, first, second, desks, rows, scratch, hands, kinds, stocks, todo, results = desk_room
    choices, chances, types = hidden
    trial, desk = trials[0], desks[0]
    rolled = 0
    weights, worth, depth = leaf
    while trial.left > least:
        size = min(kinds.shape[0], (budget - rolled) // trial.left)
        if size < 1:
            break
        draw_worlds(position[0], trial.worlds, size, seed, choices, chances, types, hands, kinds, stocks)
        key = seed + trial.worlds
        n = 0
        for kind in range(styles.shape[0]):
            start = n
            n = _list_lines(trial, kinds, size, kind, start, todo, results)
            if n > start:
                desk.next = start
                desk.stop = n
                sink = position, phase, hands, stocks, todo, results, (weights, worth, depth, kind)
                begin(tables, first, second, desks, sink, law, key)
                play(tables, first, second, desks, sink, law, key, own, styles[kind], rows, scratch, _ENDLESS)
        rolled += n
        _note(trial, size, prices, results)
        if least > 0:
            eliminate(trial, cut, trust)
    trial.rollouts = trial.rollouts + rolled
    return rolled


@cache
def search_kernel(mine: Policy, other: Policy) -> Kernel:
    """The search with these policies on the two sides of a rollout: see ``_search`` for its arguments."""
    return bound(_search, play=loop(mine, other, cut_line))


class SearchRoom(NamedTuple):
    """Memory for the batches of one search at a time."""

    room: Room
    hands: IntArray  # [BATCH] int64
    kinds: IntArray  # [BATCH] int64
    todo: npt.NDArray[np.void]  # [BATCH * ARMS] LINE
    results: npt.NDArray[np.void]  # [BATCH * ARMS] RESULT

    def with_stock(self, stock: int) -> tuple[object, ...]:
        """The arrays as the kernel takes them, for positions with so many cards in the stock."""
        stocks = np.zeros((BATCH, stock), np.int8)
        batch, rows, scratch = self.room
        return (*batch, rows, scratch, self.hands, self.kinds, stocks, self.todo, self.results)


def search_room() -> SearchRoom:
    """Room for a search."""
    lines = BATCH * ARMS
    whole = np.zeros(BATCH, np.int64)
    return SearchRoom(room_for(lines), whole, whole.copy(), np.zeros(lines, LINE), np.zeros(lines, RESULT))
