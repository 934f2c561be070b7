"""Tables at which a learner plays against a pool, in lockstep, and what it can learn from.

Side 0 of every table is the learner. Side 1 is an opponent of the pool, or the learner again: then both
sides' decisions are kept. Opponents are asked through the batch interface, so any player can be in the pool.

The reward of a round is the change of the chance to win the game, times ``kernels.SCALE``. It is given to the
last decision of each side; ``kernels.advantages`` spreads it over the earlier ones.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ginrummy._jit import Kernel
from ginrummy.answers import checked_answers
from ginrummy.compiled.policy import Compiled
from ginrummy.errors import IllegalAction
from ginrummy.players.base import Player
from ginrummy.policies import champion
from ginrummy.policies.champion import DISCARD, DRAW, INPUTS
from ginrummy.rules import Rules, rules_record
from ginrummy.sim import appliers, begin
from ginrummy.tables import (
    DISCARD_PHASE,
    DRAW_PHASE,
    FAULTS,
    GAME,
    KNOCK_PHASE,
    ROUND,
    Tables,
    new_tables,
)
from ginrummy.training.selfplay.kernels import choose, collect, reward_sides, sort_waiting
from ginrummy.training.selfplay.privileged import SECRETS
from ginrummy.view import FloatArray, IntArray, read_only

Floats = npt.NDArray[np.float32]
Think = Callable[[Floats], Floats]
"""[N, INPUTS] inputs -> [N, 54] logits: discards, taking the upcard, knocking."""

QUESTIONS = {DRAW_PHASE: DRAW, DISCARD_PHASE: DISCARD, KNOCK_PHASE: champion.KNOCK}


@dataclass(frozen=True)
class Experience:
    """Decisions of the learner in the order in which they were asked."""

    x: Floats  # [M, INPUTS]
    y: Floats  # [M, SECRETS]
    mask: IntArray  # [M] int64  the cards that could be discarded
    question: IntArray  # [M] int8  DRAW, DISCARD, KNOCK
    action: IntArray  # [M] int64  the card; 1 for yes, 0 for no
    log_chance: Floats  # [M] of the action
    after: IntArray  # [M] int64  the same side's next decision of the round, -1 if none
    reward: Floats  # [M]
    done: npt.NDArray[np.bool_]  # [M] whether the round ended after it

    @staticmethod
    def room(size: int) -> "Experience":
        """Room for so many decisions."""
        return Experience(
            np.zeros((size, INPUTS), np.float32), np.zeros((size, SECRETS), np.float32),
            np.zeros(size, np.int64), np.zeros(size, np.int8), np.zeros(size, np.int64),
            np.zeros(size, np.float32), np.zeros(size, np.int64), np.zeros(size, np.float32),
            np.zeros(size, np.bool_),
        )  # fmt: skip


class Opponent(NamedTuple):
    """A player of the pool and its part of the tables."""

    player: Player
    share: float


class Arena:
    """Tables in play. ``gather`` plays on until the learner has decided often enough."""

    def __init__(
        self,
        opponents: Sequence[Opponent],
        blueprint: Compiled,
        rules: Rules,
        chances: FloatArray,
        seed: int,
        *,
        tables: int,
        decisions: int,
    ) -> None:
        self.opponents = list(opponents)
        self.blueprint = blueprint
        self.law, self.seed = rules_record(rules), np.int64(seed)
        self.decisions = decisions
        self.batch = new_tables(tables, range(np.iinfo(np.int64).max))
        self.batch.desk["endless"] = 1
        self.batch.tables["row"] = np.arange(tables)
        self.seen = read_only(self.batch.first), read_only(self.batch.second)
        self.who = seats([one.share for one in opponents], tables)
        self.results = np.zeros((1 + len(self.opponents), 4))
        self.kept = Experience.room(decisions + 2 * tables)
        self._last = np.full((tables, 2), -1, np.int64)
        self._chances = chances
        self._games, self._rounds = np.zeros(tables, GAME), np.zeros(0, ROUND)
        self._scratch = np.empty(champion.SCRATCH, np.int64)
        begin(*self.batch, self.law, self.seed)

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """All that must be kept to play on later as if without a break."""
        named: dict[str, npt.NDArray[Any]] = dict(zip(Tables._fields, self.batch, strict=True))
        return named | {"games": self._games, "results": self.results}

    def restore(self, state: dict[str, npt.NDArray[Any]]) -> None:
        """Play on from what ``state`` gave."""
        for name, array in self.state().items():
            array[:] = state[name]

    def gather(self, think: Think) -> int:
        """Play until there are enough decisions; they are in ``kept``. Returns how many.

        Rounds that are under way go on in the next call; their decisions of this call have no reward.
        """
        kept = self.kept
        self._last[:] = -1
        kept.reward[:], kept.done[:] = 0, False
        sink = (
            self._games, self._rounds, self._chances, self._last,
            kept.reward, kept.done, self.results, self.who,
        )  # fmt: skip
        state = (*self.batch, sink, self.law, self.seed)
        size = len(self.batch.tables)
        places = np.zeros(3 + len(self.opponents), np.int64)
        rows, u = np.zeros(size, np.int64), np.zeros(size)
        n = 0
        while n < self.decisions:
            for phase, name, apply in appliers(reward_sides):
                sort_waiting(self.batch.tables, self.who, phase, places, rows, u)
                learner = slice(0, places[1])
                if phase in QUESTIONS:
                    n, answers = self._decide(think, QUESTIONS[phase], places, rows, u, n)
                    self._apply(apply, state, "learner", name, rows[learner], answers)
                else:
                    for side in (0, 1):
                        part = slice(places[side - 1] if side else 0, places[side])
                        melds = self.blueprint.spread(self.seen[side], rows[part], u[part])
                        self._apply(apply, state, "learner", name, rows[part], melds)
                for k, one in enumerate(self.opponents):
                    part = slice(places[1 + k], places[2 + k])
                    if part.start < part.stop:
                        given = getattr(one.player, name)(self.seen[1], rows[part], u[part])
                        answers = checked_answers(one.player.name, name, given, part.stop - part.start)
                        self._apply(apply, state, one.player.name, name, rows[part], answers)
        return n

    def _decide(
        self, think: Think, question: int, places: IntArray, rows: IntArray, u: FloatArray, n: int
    ) -> tuple[int, IntArray]:
        """The learner's answers on both sides; its open decisions are kept from place ``n`` on."""
        kept, batch = self.kept, self.batch
        middle, stop = int(places[0]), int(places[1])
        open_ = np.zeros(stop, np.bool_)
        end = n
        views = ((0, batch.first, batch.second, 0, middle), (1, batch.second, batch.first, middle, stop))
        for side, mine, other, low, high in views:
            end = collect(
                batch.tables, mine, other, rows[low:high], side, question,
                self.blueprint.array, self._scratch, self._last, end, open_[low:high],
                kept.x, kept.y, kept.mask, kept.question, kept.after,
            )  # fmt: skip
        logits = think(kept.x[n:end]) if end > n else np.zeros((0, 54), np.float32)
        answers = np.zeros(stop, np.int64)
        choose(
            logits,
            kept.mask[n:end],
            question,
            u[:stop],
            open_,
            answers,
            kept.action[n:end],
            kept.log_chance[n:end],
        )
        return end, answers

    def _apply(
        self, apply: Kernel, state: tuple[Any, ...], player: str, name: str, rows: IntArray, answers: IntArray
    ) -> None:
        if len(rows):
            fault, k = apply(*state, rows, answers)
            if fault:
                raise IllegalAction(f"player {player!r} answered {name} with {answers[k]}: {FAULTS[fault]}")


def seats(shares: Sequence[float], tables: int) -> IntArray:
    """[tables] int64: the opponent of each table, from 1; the learner itself has what the shares leave."""
    ends = np.round(np.cumsum(shares) * tables).astype(np.int64)
    who = np.zeros(tables, np.int64)
    start = 0
    for k, end in enumerate(ends):
        who[start:end] = 1 + k
        start = end
    return who
