"""What answers are worth with the true hand, played on in lockstep by any two players.

``compiled.worlds`` plays lines by kernels alone. Champion's network is no kernel, so here the lines of many
positions are set up at tables of their own and all of them are played side by side.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ginrummy._jit import kernel, lean
from ginrummy.cards import CARDS, DECK
from ginrummy.compiled.worlds import LINE, RESULT, note, seat_line
from ginrummy.decks import choice_key
from ginrummy.players.base import Player
from ginrummy.rules import EAAI, Rules
from ginrummy.search.pricing import SPAN, price_list
from ginrummy.sim import Lockstep, appliers, playing
from ginrummy.tables import IDLE, Records, new_tables
from ginrummy.view import FloatArray, IntArray, View

TABLES = 4096
"""Lines that are played side by side."""


class Asked(NamedTuple):
    """One answer of one decision to be judged."""

    phase: int
    row: int
    """Of the positions of this phase."""
    answer: int
    knock: int


@kernel
def _seat(t, v0, v1, desk, view, rows, phases, hands, stocks, todo, results, rules, keys):
    """Set up line k at table k; lines that end with their first answers are booked at once."""
    for k in range(todo.shape[0]):
        key = choice_key(keys[k], 0, 0)
        source, stock = view[rows[k]], stocks[k]
        _, dead = seat_line(
            t[k], v0[k], v1[k], desk[0], rules[0], source, hands[k], stock, phases[k], key, todo[k]
        )
        t[k].game = k
        if dead:
            results[k].points = 0
            t[k].phase = IDLE
    for k in range(todo.shape[0], t.shape[0]):
        t[k].phase = IDLE


@lean
def _book(t, a, b, desk, sink, rules, seed, outcome, worth):
    """Write down the result of a line; its table becomes idle."""
    note(sink[0][t.game], a, outcome, worth)
    t.phase = IDLE


def play_lines(
    players: tuple[Player, Player],
    view: View,
    rows: IntArray,
    phases: IntArray,
    hands: IntArray,
    stocks: IntArray,
    todo: Records,
    keys: IntArray,
    rules: Rules = EAAI,
) -> Records:
    """Play lines to the end of the round, at a table each: [L] of ``compiled.worlds.RESULT``.

    Line k starts from ``view[rows[k]]`` in ``phases[k]``, with the other hand ``hands[k]`` and ``stocks[k]``
    [52], of which as many cards count as the position has in its stock.
    """
    results = np.zeros(len(todo), RESULT)
    batch = new_tables(len(todo), range(len(todo)))
    lockstep = Lockstep(players, batch, rules, 0)
    _seat(*batch, view, rows, phases, hands, stocks, todo, results, lockstep.record, keys)
    state = (*batch, (results,), lockstep.record, lockstep.seed)
    while playing(batch.tables):
        for phase, name, apply in appliers(_book):
            lockstep.step(state, phase, name, apply)
    return results


class Judge:
    """Chances to win after an answer, with the true hand; answers of a decision meet the same stocks."""

    def __init__(self, own: Player, opponent: Player, seed: int, stocks: int) -> None:
        self.players = own, opponent
        self.seed, self.stocks = seed, stocks
        self._known: dict[Asked, float] = {}

    def chances(self, positions: dict[int, tuple[View, IntArray]], asked: Sequence[Asked]) -> FloatArray:
        """[N] the mean chance to win over ``stocks`` orders of the stock.

        ``positions`` are views and true hands of the opponent, by phase.
        """
        new = [one for one in dict.fromkeys(asked) if one not in self._known]
        at_a_time = max(1, TABLES // self.stocks)
        for start in range(0, len(new), at_a_time):
            some = new[start : start + at_a_time]
            self._known |= dict(zip(some, self._play(positions, some), strict=True))
        return np.array([self._known[one] for one in asked])

    def _play(self, positions: dict[int, tuple[View, IntArray]], some: Sequence[Asked]) -> list[float]:
        seen = np.stack([positions[one.phase][0][one.row] for one in some])
        truths = np.array([positions[one.phase][1][one.row] for one in some])
        lines = len(some) * self.stocks
        todo, stocks = np.zeros(lines, LINE), np.zeros((lines, CARDS), np.int8)
        todo["answer"] = np.repeat([one.answer for one in some], self.stocks)
        todo["knock"] = np.repeat([one.knock for one in some], self.stocks)
        keys = np.zeros(lines, np.int64)
        for k, one in enumerate(some):
            hidden = DECK & ~int(seen[k]["hand"] | seen[k]["pile"] | truths[k])
            cards = np.array([card for card in range(CARDS) if hidden >> card & 1], np.int8)
            rng = np.random.default_rng([self.seed, one.phase, one.row])
            part = slice(k * self.stocks, (k + 1) * self.stocks)
            stocks[part, : len(cards)] = rng.permuted(np.tile(cards, (self.stocks, 1)), axis=1)
            keys[part] = rng.integers(1 << 40, size=self.stocks)
        rows = np.repeat(np.arange(len(some)), self.stocks)
        phases = np.array([one.phase for one in some], np.int64)[rows]
        found = play_lines(self.players, seen, rows, phases, truths[rows], stocks, todo, keys)
        points = found["points"].reshape(len(some), self.stocks)
        prices = (
            price_list(EAAI, *(int(one[name]) for name in ("score", "opponent_score", "starts")))
            for one in seen
        )
        return [float(price[SPAN + won].mean()) for price, won in zip(prices, points, strict=True)]
