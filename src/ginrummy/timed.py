"""Games against the clock: a side that uses more time in a game than the limit forfeits that game.

    run = play(first, second, range(100), EAAI, seed=1, seconds_per_game=30)
    run.forfeits                      # game by game: -1, or the side that forfeited it

In lockstep the tables of a batch share the time of a call, so games are played one at a time here, those of
players made of kernels too. The time of a side is the time in its deciders, with the check of their answers:

- Players of the package are timed by the processor time of this process, as the challenge's own program does.
  What else the machine does is not counted.
- Players from outside are timed by the wall clock: they may wait for another process, or sleep.

The time is looked at when an answer comes. A side that has used more than the limit loses the game at once,
and its last answer is not played. Scores stay as they were. A decider that never answers is not stopped.
"""

from collections.abc import Callable
from time import perf_counter, process_time

import numpy as np

from ginrummy.errors import BadInput
from ginrummy.following import NOBODY
from ginrummy.rules import Rules
from ginrummy.sim import Deciders, Lockstep, Run, check_games, fresh, is_foreign, parts
from ginrummy.tables import GAME, ROUND, new_tables
from ginrummy.view import IntArray


class _OutOfTime(Exception):
    """A side has used more time than it may."""

    def __init__(self, side: int) -> None:
        super().__init__(side)
        self.side = side


class _OnTheClock(Lockstep):
    """One game at one table, with the time of both sides."""

    def __init__(
        self, players: tuple[Deciders, Deciders], game: int, first: int, rules: Rules, seed: int, limit: float
    ) -> None:
        batch = new_tables(1, range(game, game + 1))
        batch.desk["first"] = first
        super().__init__(players, batch, rules, seed)
        self.limit = limit
        self.clocks: list[Callable[[], float]] = [
            perf_counter if is_foreign(player) else process_time for player in players
        ]
        self.used = [0.0, 0.0]

    def ask(self, side: int, phase: int, name: str, rows: IntArray) -> IntArray:
        """The answer of a side, if it comes in time."""
        start = self.clocks[side]()
        answers = super().ask(side, phase, name, rows)
        self.used[side] += self.clocks[side]() - start
        if self.used[side] > self.limit:
            raise _OutOfTime(side)
        return answers


def play(
    first: Deciders, second: Deciders, games: range, rules: Rules, seed: int, seconds_per_game: float
) -> Run:
    """Play the games of a range one by one; without a forfeit the results are those of ``sim.play``.

    A process that compiles kernels while it plays does so on the players' time: play a few games before.
    """
    check_games(games, seed)
    check_limit(seconds_per_game)
    results = np.zeros(len(games), GAME)
    forfeits = np.full(len(games), NOBODY, np.int8)
    seconds = [0.0, 0.0]
    for part in parts(games, is_foreign(first) or is_foreign(second)):
        players = fresh(first), fresh(second)
        for game in part:
            table = _OnTheClock(players, game, games.start, rules, seed, seconds_per_game)
            table.begin()
            try:
                table.run(results, record=False)
            except _OutOfTime as late:
                forfeits[game - games.start] = late.side
                results["decisions"][game - games.start] += table.batch.tables["asked"][0]
            seconds = [spent + more for spent, more in zip(seconds, table.seconds, strict=True)]
    return Run(results, (seconds[0], seconds[1]), np.zeros(0, ROUND), forfeits)


def check_limit(seconds: float) -> None:
    """Refuse a limit of time that has no meaning."""
    if not 0 < seconds < float("inf"):
        raise BadInput(f"the limit must be a number of seconds above 0, not {seconds}")
