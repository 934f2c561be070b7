"""All-kernel players in one compiled loop: the same answers as lockstep, without its bookkeeping.

A few tables are asked phase by phase, so the processor guesses the branches well and works at several
tables at once (one table played to its end, turn by turn, ran a third slower). The row kernels are those
of ``sim``, asked in the same order; a test holds the two equal game by game. The baseline's kernels stand
in the loop itself: behind the dispatch to larger players they ran an eighth slower. Compiled functions
cannot be passed around and cached reliably, so players are known here by code.
"""

from time import perf_counter

import numpy as np

from ginrummy._jit import count, kernel
from ginrummy.errors import IllegalAction
from ginrummy.melds import MAX_HELD, MAX_MELDS
from ginrummy.players.base import Player
from ginrummy.players.baseline import HAND_STRENGTH, SIMPLE
from ginrummy.policies import hand_strength
from ginrummy.policies.baseline import (
    least_deadwood_discard,
    nth_card,
    random_discard,
    random_spread,
    takes_meld,
)
from ginrummy.rules import Rules, rules_record
from ginrummy.scoring import DEAD
from ginrummy.sim import Run, check_games
from ginrummy.tables import (
    DISCARD_PHASE,
    DRAW_PHASE,
    FAULTS,
    GAME,
    KNOCK_PHASE,
    ROUND,
    SPREAD_PHASE,
    answer_defend,
    answer_discard,
    answer_draw,
    answer_knock,
    answer_spread,
    finish,
    new_tables,
    next_uniform,
    settle,
    start_game,
)
from ginrummy.view import read_only, sight

TABLES = 64
"""Tables in play: few enough to stay in the nearest cache."""


@kernel
def _draw(code, parameters, seen, u, scratch):
    if code == HAND_STRENGTH:
        return hand_strength.takes(seen, parameters, u, scratch)
    return u < 0.5


@kernel
def _discard(code, parameters, seen, u, scratch):
    if code == HAND_STRENGTH:
        best = hand_strength.best_by_score(seen, parameters, scratch)
        return nth_card(best, int(u * count(best)))
    return random_discard(seen, u)


@kernel
def _knock(code, parameters, seen, u):
    if code == HAND_STRENGTH:
        return hand_strength.knocks(seen, parameters)
    return code == SIMPLE or u < 0.5


@kernel
def _spread(code, parameters, seen, u, held, index, sets, out):
    if code == HAND_STRENGTH and parameters[hand_strength.CODE] != 0:
        hand_strength.tightest_spread(seen, held, index, sets, out)
    else:
        random_spread(seen, u, held, index, out)


@kernel
def _sides(first, second, b, mover):
    """The mover's view of a table, then the other side's."""
    return (first[b], second[b]) if mover == 0 else (second[b], first[b])


@kernel
def _pass_draws(tables, first, second, seen, desk, games, rounds, rules, seed, codes, parameters, scratch):
    """Ask all tables that wait for a draw. Returns whether there were any: if not, all games are over."""
    active = False
    for b in range(tables.shape[0]):
        t = tables[b]
        if t.phase == DRAW_PHASE:
            active = True
            side = t.mover
            v, w = _sides(first, second, b, side)
            u = next_uniform(t)
            if codes[side] == SIMPLE:
                take = takes_meld(seen[side][b])
            else:
                take = _draw(codes[side], parameters[side], seen[side][b], u, scratch)
            if answer_draw(t, v, w, desk, rules, take):
                finish(t, first[b], second[b], desk, games, rounds, rules, seed, DEAD, 0)
    return active


@kernel
def _pass_discards(tables, first, second, seen, desk, games, rounds, rules, seed, codes, parameters, scratch):
    """Ask all tables that wait for a discard. Returns (fault, table)."""
    for b in range(tables.shape[0]):
        t = tables[b]
        if t.phase == DISCARD_PHASE:
            side = t.mover
            v, w = _sides(first, second, b, side)
            u = next_uniform(t)
            if codes[side] == SIMPLE:
                card = least_deadwood_discard(seen[side][b], u, scratch)
            else:
                card = _discard(codes[side], parameters[side], seen[side][b], u, scratch)
            fault, dead = answer_discard(t, v, w, desk, rules, card)
            if fault:
                return fault, b
            if dead:
                finish(t, first[b], second[b], desk, games, rounds, rules, seed, DEAD, 0)
    return 0, 0


@kernel
def _pass_knocks(tables, first, second, seen, desk, games, rounds, rules, seed, codes, parameters, held):
    """Ask all tables that wait for a knock, and show down where one comes. Returns (fault, table)."""
    index = np.empty(MAX_MELDS, np.int64)
    sets = np.empty((32, MAX_MELDS), np.int64)
    melds = np.empty((2, MAX_MELDS), np.int64)
    for b in range(tables.shape[0]):
        t = tables[b]
        v, w = _sides(first, second, b, t.mover)
        if t.phase == KNOCK_PHASE:
            side = t.mover
            knock = _knock(codes[side], parameters[side], seen[side][b], next_uniform(t))
            if answer_knock(t, v, w, desk, rules, knock):
                finish(t, first[b], second[b], desk, games, rounds, rules, seed, DEAD, 0)
        if t.phase == SPREAD_PHASE:
            side = t.mover
            u = next_uniform(t)
            _spread(codes[side], parameters[side], seen[side][b], u, held, index, sets, melds[:1])
            fault = answer_spread(t, v, w, rules, melds[0])
            if fault:
                return fault, b
            side = t.mover
            u = next_uniform(t)
            melds[1, :] = 0
            if not rules.optimal_defence:
                _spread(codes[side], parameters[side], seen[side][b], u, held, index, sets, melds[1:])
            fault, left = answer_defend(t, w, desk, rules, melds[1])
            if fault:
                return fault, b
            settle(t, first[b], second[b], desk, games, rounds, rules, seed, left)
    return 0, 0


@kernel
def _play(tables, first, second, desks, seen, games, rounds, law, seed, codes, parameters):
    """Play all games of the queue. Returns (fault, table), zeros when all went well."""
    desk, rules = desks[0], law[0]
    scratch = np.empty(hand_strength.SCRATCH, np.int64)
    held = np.empty(MAX_HELD, np.int64)
    for b in range(tables.shape[0]):
        start_game(tables[b], first[b], second[b], desk, rules, seed)
    fault, b = 0, 0
    while fault == 0 and _pass_draws(
        tables, first, second, seen, desk, games, rounds, rules, seed, codes, parameters, scratch
    ):
        fault, b = _pass_discards(
            tables, first, second, seen, desk, games, rounds, rules, seed, codes, parameters, scratch
        )
        if fault == 0:
            fault, b = _pass_knocks(
                tables, first, second, seen, desk, games, rounds, rules, seed, codes, parameters, held
            )
    return fault, b


def play(first: Player, second: Player, games: range, rules: Rules, seed: int) -> Run:
    """Play the games of a range; the same results as ``sim.play``. Both players must have kernels."""
    if first.kernels is None or second.kernels is None:
        raise ValueError(f"the fused loop cannot play {first.name} against {second.name}")
    check_games(games, seed)
    players = (first, second)
    batch = new_tables(min(TABLES, len(games)), games)
    seen = (read_only(batch.first), read_only(batch.second))
    results = np.zeros(len(games), GAME)
    codes = np.array([first.kernels.code, second.kernels.code])
    constants = [np.array(kernels.parameters, np.float64) for kernels in (first.kernels, second.kernels)]
    start = perf_counter()
    none_kept = np.zeros(0, ROUND)
    fault, row = _play(
        *batch, seen, results, none_kept, rules_record(rules), np.int64(seed), codes, tuple(constants)
    )
    seconds = perf_counter() - start
    if fault:
        table = batch.tables[row]
        side = int(table["mover"])
        raise IllegalAction(
            f"player {players[side].name!r} (seat {table['seat'] ^ side}, game {table['game']}, "
            f"round {seen[side][row]['round']}): {FAULTS[fault]}; it saw {sight(seen[side], row)}"
        )
    return Run(results, _shares(seconds, results["decisions"].sum(axis=0).tolist()), none_kept)


def _shares(seconds: float, decisions: list[int]) -> tuple[float, float]:
    """The loop's time shared out by decisions: one loop cannot tell its players' times apart."""
    total = max(1, sum(decisions))
    return seconds * decisions[0] / total, seconds * decisions[1] / total
