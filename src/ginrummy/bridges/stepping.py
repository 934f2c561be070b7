"""Tables that agents move by numbered actions: what all environments share.

``Stepper`` holds B tables. ``step`` takes one action for each table; a table then plays on until an agent
must decide again. Side 0 is always an agent. Side 1 is an opponent, or an agent too. An opponent made of
kernels plays inside the compiled step; any other one is asked through the batch interface. A finished episode
(a round or a game) is followed at once by the next one: table ``b`` of B plays the games ``2 * (b + k * B)``
of its seed. So results do not depend on the number of threads, and no two tables have the same cards.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ginrummy.answers import checked_answers
from ginrummy.bridges import stepping_kernels as kernels
from ginrummy.bridges.observations import (
    ACTIONS,
    ALL_ACTIONS,
    SIZE,
)
from ginrummy.bridges.stepping_kernels import AGENT, HOW
from ginrummy.compiled.passes import check_fault, scratch_for
from ginrummy.errors import BadInput, IllegalAction
from ginrummy.memory import Memory
from ginrummy.players.base import Player
from ginrummy.policies.baseline import RANDOM
from ginrummy.rules import Rules, rules_record
from ginrummy.scoring import OUTCOMES
from ginrummy.sim import appliers, check_seed, remembers
from ginrummy.tables import (
    FAULTS,
    GAME,
    ROUND,
    Records,
    new_tables,
)
from ginrummy.view import IntArray, Sight, read_only, remembering, sight

Floats = npt.NDArray[np.float32]
Episode = Literal["round", "game"]
Reward = Literal["points", "win"]
LayDown = Literal["auto", "choose"]


@dataclass(frozen=True)
class Setting:
    """What is played, and what counts."""

    rules: Rules
    episode: Episode = "round"
    """``round``: one deal from 0-0; ``game``: rounds to the target of the rules."""
    reward: Reward = "points"
    """``points``: what a round is worth, and at the end of a game the difference of the bonuses;
    ``win``: 1, 0 or -1 at the end of an episode."""
    melds: LayDown = "auto"
    """``auto``: a best meld set is laid down; ``choose``: agents lay down their melds by actions."""

    def __post_init__(self) -> None:
        _check("episode", self.episode, ("round", "game"))
        _check("reward", self.reward, ("points", "win"))
        _check("melds", self.melds, ("auto", "choose"))

    @property
    def actions(self) -> int:
        """How many actions there are."""
        return ALL_ACTIONS if self.melds == "choose" else ACTIONS


def _check(what: str, value: str, known: Sequence[str]) -> None:
    if value not in known:
        raise BadInput(f"{what} is one of {', '.join(known)}, not {value!r}")


class Stepper:
    """B tables that agents move; side 1 is the opponent, or an agent too if there is none."""

    def __init__(self, tables: int, opponent: Player | None, setting: Setting, threads: int = 1) -> None:
        if not 1 <= threads <= tables:
            raise BadInput(f"expected from 1 to {tables} threads for {tables} tables, got {threads}")
        if opponent and opponent.sit:
            raise BadInput(f"player {opponent.name!r} follows whole games: it cannot be an opponent here")
        self.setting = setting
        self.opponent = opponent.fresh() if opponent and opponent.fresh else opponent
        compiled = self.opponent.compiled if self.opponent else None
        self.asks = self.opponent is not None and compiled is None
        """Whether the opponent is asked from outside the kernel."""
        both = self.opponent is None or self.asks
        chooses = setting.melds == "choose"
        rules = setting.rules._replace(max_rounds=1) if setting.episode == "round" else setting.rules
        self.law = rules_record(rules)
        how = np.zeros(1, HOW)
        how["both"] = both
        how["chooses"] = [chooses, chooses if self.opponent is None else self.asks]
        how["wins"], how["rounds"] = setting.reward == "win", setting.episode == "round"
        how["stride"] = 2 * tables
        self.batch = new_tables(tables, range(0, np.iinfo(np.int64).max, 2))
        self.batch.desk["endless"] = 1
        self.batch.tables["row"] = np.arange(tables)
        self.agents = np.zeros(tables, AGENT)
        self.final: Floats = np.zeros((tables, 1 + both, SIZE), np.float32)
        """What each side saw at the end of the last episode."""
        self.obs: Floats = np.zeros((tables, SIZE), np.float32)
        """What the side to move sees."""
        self.mask: npt.NDArray[np.int8] = np.zeros((tables, setting.actions), np.int8)
        """1 for each action that it may choose."""
        self._memory = Memory(rules, [False, remembers(self.opponent) if self.opponent else False])
        self._rounds = np.zeros(tables if self._memory.needed else 0, ROUND)
        self._sink = np.zeros(tables, GAME), self._rounds, self.agents, self.final, how
        self._constants = compiled.array if compiled else np.zeros(1)
        self._kernel = kernels.step_of(compiled.policy if compiled else RANDOM)
        threads = 1 if self.asks else threads  # an opponent that is asked takes nearly all of the time
        bounds = np.linspace(0, tables, threads + 1).astype(np.int64).tolist()
        self._parts = [
            (self.batch.desk.copy(), scratch_for(1)[1], low, high) for low, high in pairwise(bounds)
        ]
        self._pool = ThreadPoolExecutor(threads - 1) if threads > 1 else None
        self._nothing = np.full(tables, -1, np.int64)
        self._turn = 0
        self.seed = np.int64(0)

    def begin(self, seed: int) -> None:
        """Begin the first episode of a seed at every table."""
        check_seed(seed)
        self.seed, self._turn = np.int64(seed), 0
        rows = np.arange(len(self.agents))
        self._start(rows, 2 * rows)

    def begin_next(self) -> None:
        """Leave the episodes under way and begin the next one at every table."""
        rows = np.arange(len(self.agents))
        self._start(rows, self.batch.tables["game"] + 2 * len(rows))

    def _start(self, rows: IntArray, games: IntArray) -> None:
        self._sink[0][rows] = np.zeros(1, GAME)
        kernels.begin(*self.batch, self.agents, self.law, self.seed, rows, games)
        self._run(self._nothing)
        self.agents["done"] = 0
        self.agents["reward"] = 0.0

    def step(self, actions: IntArray) -> None:
        """Play one action at every table; an illegal one raises ``IllegalAction`` and changes nothing."""
        row = kernels.first_illegal(self.mask, actions)
        if row >= 0:
            raise IllegalAction(
                f"table {row}: expected one of the actions {np.flatnonzero(self.mask[row]).tolist()}, "
                f"got {actions[row]}"
            )
        self._run(actions)

    def _run(self, actions: IntArray) -> None:
        self._run_kernel(actions)
        if self.asks:
            while self._ask_opponent():
                self._run_kernel(self._nothing)

    def _run_kernel(self, actions: IntArray) -> None:
        def part(desk: Any, scratch: IntArray, low: int, high: int) -> None:
            tables, first, second, _ = self.batch
            self._kernel(
                tables, first, second, desk, self._sink, self.law, self.seed, self._constants, scratch,
                actions, low, high, self.obs, self.mask,
            )  # fmt: skip

        first, *others = self._parts
        jobs = [self._pool.submit(part, *other) for other in others] if self._pool else []
        part(*first)
        for job in jobs:
            job.result()
        for desk, *_ in self._parts:
            if self.opponent and desk["fault"][0]:
                check_fault(self.batch._replace(desk=desk), ("agent", self.opponent.name))
            self._remember(desk)

    def _remember(self, desk: Records) -> None:
        """Keep the rounds that have just ended, for an opponent that looks at them."""
        kept = int(desk["kept"][0])
        if kept:
            self._memory.note(self._rounds[:kept].copy(), self.batch.tables)
            desk["kept"] = 0

    def _ask_opponent(self) -> bool:
        """Ask the opponent wherever it is to move; whether it was anywhere."""
        assert self.opponent
        tables = self.batch.tables
        rows, u = np.zeros(len(tables), np.int64), np.zeros(len(tables))
        state = (*self.batch, self._sink, self.law, self.seed)
        asked = False
        for phase, name, apply in appliers(kernels.conclude):
            n = kernels.waiting(tables, phase, rows, u)
            if n:
                asked = True
                view = read_only(self.batch.second)
                if self._memory.needed:
                    view = remembering(view, self._memory.of(1, tables, rows[:n]))
                given = getattr(self.opponent, name)(view, rows[:n], u[:n])
                answers = checked_answers(self.opponent.name, name, given, n)
                fault, k = apply(*state, rows[:n], answers)
                if fault:
                    raise IllegalAction(
                        f"player {self.opponent.name!r} answered {name} with {answers[k]}: {FAULTS[fault]}; "
                        f"it saw {sight(self.batch.second, int(rows[k]))}"
                    )
                self._remember(self.batch.desk)
        return asked

    def sample(self, out: IntArray | None = None) -> IntArray:
        """A random legal action for each table, from the seed."""
        actions = np.zeros(len(self.agents), np.int64) if out is None else out
        self._turn += 1
        kernels.sample(self.mask, self.seed, self._turn, actions)
        return actions

    def mover(self, row: int = 0) -> int:
        """The side that a table waits for."""
        return int(self.batch.tables[row]["mover"])

    def observe(self, row: int, side: int) -> Floats:
        """What one side sees of a table, whether or not it is to move."""
        out = np.zeros(SIZE, np.float32)
        views = self.batch.second if side else self.batch.first
        one = slice(row, row + 1)
        kernels.watch(
            self.batch.tables[one], views[one], self.batch.desk, self.agents[one], self.law, side, out
        )
        return out

    def sight(self, row: int, side: int) -> Sight:
        """The same in plain values."""
        return sight(self.batch.second if side else self.batch.first, row)

    def ending(self, row: int = 0) -> str:
        """How the last finished round of a table ended, in words."""
        agent = self.agents[row]
        first, second = agent["score"].tolist()
        return (
            f"over: {OUTCOMES[agent['outcome']]}, {agent['points']} points for side 0, score {first}-{second}"
        )

    def close(self) -> None:
        """End the threads."""
        if self._pool:
            self._pool.shutdown()
