"""The loop of the game, written once as templates: each pair of players gets a kernel of its own.

The loop goes over all tables phase by phase; it does not play one table to its end. The processor then
predicts branches better and works at several tables at once (playing each table to its end was a third
slower). A *pass* asks one player about all tables that wait for one kind of answer. A pass is bound to one
player, a loop to two, so the code of a player is compiled once and not once for each opponent.

What happens at the end of a round is an open name too: ``conclude`` books the round and gives the table its
next task. ``games`` deals the next round or game, ``worlds`` sets up the next line of play. So is ``cut``,
which may end a round before a draw and then does the same; whole games never do (``never``).
"""

from functools import cache
from typing import NamedTuple

import numpy as np

from ginrummy._jit import Kernel, bound, inlined, lean, template
from ginrummy.compiled.policy import SCRATCH, Policy
from ginrummy.errors import IllegalAction
from ginrummy.meld_kernels import MAX_MELDS
from ginrummy.scoring import DEAD, score
from ginrummy.tables import (
    DEFEND_PHASE,
    DISCARD_PHASE,
    DRAW_PHASE,
    FAULTS,
    KNOCK_PHASE,
    SPREAD_PHASE,
    Tables,
    answer_defend,
    answer_discard,
    answer_draw,
    answer_knock,
    answer_spread,
    next_uniform,
)
from ginrummy.view import IntArray, sight

# ruff: noqa: F821
# mypy: disable-error-code=name-defined
# Both tools would report the open names.


@lean
def waiting(tables, low, high, rows):
    """List the tables that wait in a phase from ``low`` to ``high``, by side; return how many.

    Written without branches, because the processor cannot predict whether a table waits and for whom.
    """
    n0 = n1 = 0
    for b in range(tables.shape[0]):
        phase, side = tables[b].phase, tables[b].mover
        here = np.int64(phase >= low) & np.int64(phase <= high)
        rows[0, n0] = rows[1, n1] = b
        n0 += here & (1 - side)
        n1 += here & side
    return n0, n1


@inlined
def never(t, a, b, desk, sink, rules, seed, scratch):
    """A ``cut`` of loops that play every round to its end."""
    return False


@template
def _draws(rows, tables, mine, other, first, second, desk, sink, rules, seed, p, scratch):
    """Ask for draws."""
    for k in range(rows.shape[0]):
        b = rows[k]
        t = tables[b]
        if cut(t, first[b], second[b], desk, sink, rules, seed, scratch):
            continue
        take = draw(mine[b], p, next_uniform(t), scratch)
        if answer_draw(t, mine[b], other[b], desk, rules, take):
            conclude(t, first[b], second[b], desk, sink, rules, seed, DEAD, 0)


@template
def _discards(rows, tables, mine, other, first, second, desk, sink, rules, seed, p, scratch):
    """Ask for discards."""
    for k in range(rows.shape[0]):
        b = rows[k]
        t = tables[b]
        card = discard(mine[b], p, next_uniform(t), scratch)
        fault, dead = answer_discard(t, mine[b], other[b], desk, rules, np.int64(card))
        if fault:
            desk.fault = fault
            desk.fault_row = b
            return
        if dead:
            conclude(t, first[b], second[b], desk, sink, rules, seed, DEAD, 0)


@template
def _knocks(rows, tables, mine, other, first, second, desk, sink, rules, seed, p, scratch):
    """Ask whether to knock, and for the knocker's melds."""
    melds = scratch[SCRATCH:].reshape((1, MAX_MELDS))
    for k in range(rows.shape[0]):
        b = rows[k]
        t = tables[b]
        if t.phase == KNOCK_PHASE:
            yes = knock(mine[b], p, next_uniform(t), scratch)
            if answer_knock(t, mine[b], other[b], desk, rules, yes):
                conclude(t, first[b], second[b], desk, sink, rules, seed, DEAD, 0)
                continue
        if t.phase == SPREAD_PHASE:
            spread(mine[b], p, next_uniform(t), scratch, melds)
            fault = answer_spread(t, mine[b], other[b], rules, melds[0])
            if fault:
                desk.fault = fault
                desk.fault_row = b
                return


@template
def _defences(rows, tables, mine, other, first, second, desk, sink, rules, seed, p, scratch):
    """Ask for the defender's melds, and score."""
    melds = scratch[SCRATCH:].reshape((1, MAX_MELDS))
    melds[:] = 0  # where the rules choose the defence, nobody is asked
    for k in range(rows.shape[0]):
        b = rows[k]
        t = tables[b]
        u = next_uniform(t)
        if not rules.optimal_defence:
            spread(mine[b], p, u, scratch, melds)
        fault, left = answer_defend(t, mine[b], desk, rules, melds[0])
        if fault:
            desk.fault = fault
            desk.fault_row = b
            return
        outcome, worth = score(rules, np.int64(t.deadwood), left, t.big == 1)
        conclude(t, first[b], second[b], desk, sink, rules, seed, outcome, -worth if t.knocker else worth)


@template
def _loop(tables, first, second, desks, sink, law, seed, p0, p1, rows, scratch, room):
    """Play until every table is idle, until the room for finished rounds may not suffice, or to a fault.

    ``room`` is how many rounds can be kept; one pass through the phases needs a place for each table.
    ``desk.fault`` and ``desk.fault_row`` name a fault. Returns whether every table is idle.
    """
    desk, rules = desks[0], law[0]
    size = tables.shape[0]
    while desk.kept + size <= room:
        n0, n1 = waiting(tables, DRAW_PHASE, DRAW_PHASE, rows)
        active = n0 + n1
        draws_0(rows[0, :n0], tables, first, second, first, second, desk, sink, rules, seed, p0, scratch)
        draws_1(rows[1, :n1], tables, second, first, first, second, desk, sink, rules, seed, p1, scratch)
        n0, n1 = waiting(tables, DISCARD_PHASE, DISCARD_PHASE, rows)
        active += n0 + n1
        discards_0(rows[0, :n0], tables, first, second, first, second, desk, sink, rules, seed, p0, scratch)
        discards_1(rows[1, :n1], tables, second, first, first, second, desk, sink, rules, seed, p1, scratch)
        n0, n1 = waiting(tables, KNOCK_PHASE, SPREAD_PHASE, rows)
        active += n0 + n1
        knocks_0(rows[0, :n0], tables, first, second, first, second, desk, sink, rules, seed, p0, scratch)
        knocks_1(rows[1, :n1], tables, second, first, first, second, desk, sink, rules, seed, p1, scratch)
        n0, n1 = waiting(tables, DEFEND_PHASE, DEFEND_PHASE, rows)
        active += n0 + n1
        defences_0(rows[0, :n0], tables, first, second, first, second, desk, sink, rules, seed, p0, scratch)
        defences_1(rows[1, :n1], tables, second, first, first, second, desk, sink, rules, seed, p1, scratch)
        if desk.fault:
            return False
        if active == 0:
            return True
    return False


def scratch_for(size: int) -> tuple[IntArray, IntArray]:
    """``rows`` and ``scratch`` of a loop over ``size`` tables."""
    return np.empty((2, size + 1), np.int64), np.empty(SCRATCH + MAX_MELDS, np.int64)


def check_fault(batch: Tables, names: tuple[str, str]) -> None:
    """Raise ``IllegalAction`` when a loop has stopped at an answer that the rules forbid."""
    fault, row = int(batch.desk["fault"][0]), int(batch.desk["fault_row"][0])
    if fault:
        table = batch.tables[row]
        side = int(table["mover"])
        view = (batch.first, batch.second)[side]
        raise IllegalAction(
            f"player {names[side]!r} (seat {table['seat'] ^ side}, game {table['game']}, "
            f"round {view[row]['round']}): {FAULTS[fault]}; it saw {sight(view, row)}"
        )


class Passes(NamedTuple):
    """The passes of one player."""

    draws: Kernel
    discards: Kernel
    knocks: Kernel
    defences: Kernel


@cache
def passes_of(policy: Policy, conclude: Kernel, cut: Kernel = never) -> Passes:
    """The passes that ask one player."""
    return Passes(
        bound(_draws, draw=policy.draw, conclude=conclude, cut=cut),
        bound(_discards, discard=policy.discard, conclude=conclude),
        bound(_knocks, knock=policy.knock, spread=policy.spread, conclude=conclude),
        bound(_defences, spread=policy.spread, conclude=conclude),
    )


@cache
def loop_of(first: Policy, second: Policy, conclude: Kernel, cut: Kernel = never) -> Kernel:
    """The loop for two players, as one kernel: see ``_loop`` for its arguments."""
    names = {
        f"{name}_{side}": made
        for side, policy in enumerate((first, second))
        for name, made in passes_of(policy, conclude, cut)._asdict().items()
    }
    return bound(_loop, **names)
