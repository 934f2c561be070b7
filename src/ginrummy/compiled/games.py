"""Whole games between players made of kernels alone: the same answers and results as lockstep, faster.

``sim`` asks the same deciders in the same order; a test compares the two game by game under every preset.
"""

from collections.abc import Iterator
from time import process_time

import numpy as np

from ginrummy._jit import lean
from ginrummy.compiled.passes import loop_of, scratch_for
from ginrummy.compiled.policy import Compiled
from ginrummy.errors import IllegalAction
from ginrummy.rules import Rules, rules_record
from ginrummy.sim import Run, check_games
from ginrummy.tables import FAULTS, GAME, ROUND, Records, finish, new_tables, start_game
from ginrummy.view import sight

TABLES = 64
"""Tables in play: few enough to stay in the nearest cache."""
ROOM = 4096
"""Finished rounds that are kept before they are copied out."""
_ENDLESS = np.iinfo(np.int64).max


@lean
def _begin(tables, first, second, desks, law, seed):
    for b in range(tables.shape[0]):
        start_game(tables[b], first[b], second[b], desks[0], law[0], seed)


@lean
def _book(t, a, b, desk, sink, rules, seed, outcome, worth):
    """Book a finished round and deal again; ``sink`` holds the results of games and the kept rounds."""
    finish(t, a, b, desk, sink[0], sink[1], rules, seed, outcome, worth)


def play(
    first: Compiled,
    second: Compiled,
    games: range,
    rules: Rules,
    seed: int,
    *,
    names: tuple[str, str] = ("first", "second"),
    record: bool = False,
) -> Run:
    """Play the games of a range; the same results as ``sim.play``. ``names`` are for messages."""
    check_games(games, seed)
    batch = new_tables(min(TABLES, len(games)), games)
    results = np.zeros(len(games), GAME)
    rounds = np.zeros(ROOM if record else 0, ROUND)
    law, start, kept = rules_record(rules), process_time(), [rounds[:0]]
    _begin(*batch, law, np.int64(seed))
    loop = loop_of(first.policy, second.policy, _book)
    fixed = (results, rounds), law, np.int64(seed), first.array, second.array, *scratch_for(len(batch.tables))
    done = False
    while not done:
        done = loop(*batch, *fixed, ROOM if record else _ENDLESS)
        _check(batch.desk, batch.tables, (batch.first, batch.second), names)
        if record:
            kept.append(rounds[: batch.desk["kept"][0]].copy())
            batch.desk["kept"] = 0
    seconds = _shares(process_time() - start, results["decisions"].sum(axis=0).tolist())
    return Run(results, seconds, np.concatenate(kept))


def stream(
    first: Compiled, second: Compiled, rules: Rules, seed: int, *, start: int = 0
) -> Iterator[Records]:
    """An endless stream of finished rounds from game ``start`` on, some thousands at a time.

    Memory stays constant. Rounds come in the order of finishing, and each names its game. Training takes as
    many as it wants.
    """
    games = range(start, np.iinfo(np.int64).max)
    check_games(games, seed)
    batch = new_tables(TABLES, games)
    batch.desk["endless"] = 1
    batch.tables["row"] = np.arange(TABLES)
    results, rounds, law = np.zeros(TABLES, GAME), np.zeros(ROOM, ROUND), rules_record(rules)
    _begin(*batch, law, np.int64(seed))
    loop = loop_of(first.policy, second.policy, _book)
    fixed = (results, rounds), law, np.int64(seed), first.array, second.array, *scratch_for(TABLES)
    while True:
        loop(*batch, *fixed, ROOM)
        _check(batch.desk, batch.tables, (batch.first, batch.second), ("first", "second"))
        yield rounds[: batch.desk["kept"][0]].copy()
        batch.desk["kept"] = 0


def _check(desk: Records, tables: Records, views: tuple[Records, Records], names: tuple[str, str]) -> None:
    """Raise ``IllegalAction`` if a policy gave an answer that the rules forbid."""
    fault, row = int(desk["fault"][0]), int(desk["fault_row"][0])
    if fault:
        table = tables[row]
        side = int(table["mover"])
        raise IllegalAction(
            f"player {names[side]!r} (seat {table['seat'] ^ side}, game {table['game']}, "
            f"round {views[side][row]['round']}): {FAULTS[fault]}; it saw {sight(views[side], row)}"
        )


def _shares(seconds: float, decisions: list[int]) -> tuple[float, float]:
    """The loop's time, divided in proportion to decisions: one loop cannot time its players separately."""
    total = max(1, sum(decisions))
    return seconds * decisions[0] / total, seconds * decisions[1] / total
