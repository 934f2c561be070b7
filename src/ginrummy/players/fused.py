"""All-kernel players in one compiled loop: the same answers as lockstep, without its bookkeeping.

One table plays game after game, so its whole state stays in the nearest cache. The loop asks in the same
order as ``sim`` and through the same row kernels; a test holds the two equal game by game. Compiled
functions cannot be passed around and cached reliably, so players are known here by code.
"""

from time import perf_counter

import numpy as np

from ginrummy._jit import kernel
from ginrummy.errors import IllegalAction
from ginrummy.melds import MAX_HELD, MAX_MELDS
from ginrummy.players.base import Player
from ginrummy.players.baseline import SIMPLE
from ginrummy.policies.baseline import least_deadwood_discard, random_discard, random_spread, takes_meld
from ginrummy.rules import Rules
from ginrummy.scoring import DEAD
from ginrummy.sim import Run, check_games
from ginrummy.tables import (
    DISCARD_PHASE,
    DRAW_PHASE,
    FAULTS,
    GAME,
    IDLE,
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


@kernel
def _draw(code, parameters, seen, u):  # type: ignore[no-untyped-def]
    if code == SIMPLE:
        return takes_meld(seen)
    return u < 0.5


@kernel
def _discard(code, parameters, seen, u, scratch):  # type: ignore[no-untyped-def]
    if code == SIMPLE:
        return least_deadwood_discard(seen, u, scratch)
    return random_discard(seen, u)


@kernel
def _knock(code, parameters, seen, u):  # type: ignore[no-untyped-def]
    return code == SIMPLE or u < 0.5


@kernel
def _ask(t, v, w, seen, desk, code, parameters, rules, scratch, held, index, melds):  # type: ignore[no-untyped-def]
    """Ask the mover once. Returns (fault, whether the round is dead, the defender's deadwood or -1)."""
    phase = t.phase
    u = next_uniform(t)
    if phase == DRAW_PHASE:
        return 0, answer_draw(t, v, w, desk, rules, _draw(code, parameters, seen, u)), np.int64(-1)
    if phase == DISCARD_PHASE:
        card = _discard(code, parameters, seen, u, scratch)
        fault, dead = answer_discard(t, v, w, desk, rules, card)
        return fault, dead, np.int64(-1)
    if phase == KNOCK_PHASE:
        return 0, answer_knock(t, v, w, desk, rules, _knock(code, parameters, seen, u)), np.int64(-1)
    if phase == SPREAD_PHASE:
        random_spread(seen, u, held, index, melds)
        return answer_spread(t, v, w, rules, melds[0]), False, np.int64(-1)
    melds[:, :] = 0
    if not rules.optimal_defence:
        random_spread(seen, u, held, index, melds)
    fault, left = answer_defend(t, v, desk, rules, melds[0])
    return fault, False, left


@kernel
def _play(tables, first, second, desks, seen, games, rounds, rules, seed, codes, parameters0, parameters1):  # type: ignore[no-untyped-def]
    """Play all games of the queue at one table. Returns a fault, 0 when all went well."""
    t, a, b, desk = tables[0], first[0], second[0], desks[0]
    seen0, seen1 = seen[0][0], seen[1][0]
    scratch = np.empty(64, np.int64)
    held = np.empty(MAX_HELD, np.int64)
    index = np.empty(MAX_MELDS, np.int64)
    melds = np.empty((1, MAX_MELDS), np.int64)
    start_game(t, a, b, desk, rules, seed)
    while t.phase != IDLE:
        if t.mover == 0:
            fault, dead, left = _ask(
                t, a, b, seen0, desk, codes[0], parameters0, rules, scratch, held, index, melds
            )
        else:
            fault, dead, left = _ask(
                t, b, a, seen1, desk, codes[1], parameters1, rules, scratch, held, index, melds
            )
        if fault:
            return fault
        if dead:
            finish(t, a, b, desk, games, rounds, rules, seed, DEAD, 0)
        elif left >= 0:
            settle(t, a, b, desk, games, rounds, rules, seed, left)
    return 0


def play(first: Player, second: Player, games: range, rules: Rules, seed: int) -> Run:
    """Play the games of a range; the same results as ``sim.play``. Both players must have kernels."""
    if first.kernels is None or second.kernels is None:
        raise ValueError(f"the fused loop cannot play {first.name} against {second.name}")
    check_games(games, seed)
    players = (first, second)
    batch = new_tables(1, games)
    seen = (read_only(batch.first), read_only(batch.second))
    results = np.zeros(len(games), GAME)
    codes = np.array([first.kernels.code, second.kernels.code])
    constants = [np.array(kernels.parameters, np.float64) for kernels in (first.kernels, second.kernels)]
    start = perf_counter()
    none_kept = np.zeros(0, ROUND)
    fault = _play(*batch, seen, results, none_kept, rules, np.int64(seed), codes, *constants)
    seconds = perf_counter() - start
    if fault:
        table = batch.tables[0]
        side = int(table["mover"])
        raise IllegalAction(
            f"player {players[side].name!r} (seat {table['seat'] ^ side}, game {table['game']}, "
            f"round {seen[side][0]['round']}): {FAULTS[fault]}; it saw {sight(seen[side], 0)}"
        )
    return Run(results, _shares(seconds, results["decisions"].sum(axis=0).tolist()), none_kept)


def _shares(seconds: float, decisions: list[int]) -> tuple[float, float]:
    """The loop's time shared out by decisions: one loop cannot tell its players' times apart."""
    total = max(1, sum(decisions))
    return seconds * decisions[0] / total, seconds * decisions[1] / total
