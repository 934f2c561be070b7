"""Tables at which a learner plays against a pool, in lockstep, and what it can learn from.

Side 0 of every table is the learner. Side 1 is an opponent of the pool, or the learner again: then both
sides' decisions are kept. Opponents are asked through the batch interface, so any player can be in the pool.

Some tables play by other rules. The learner is told of them; its opponents see what their view shows.

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
from ginrummy.estimators.types import TYPES
from ginrummy.players.base import Player
from ginrummy.players.champion import card_belief
from ginrummy.policies import champion
from ginrummy.policies.champion import DISCARD, DRAW, INPUTS, open_rows
from ginrummy.rules import EAAI, Rules, rules_record
from ginrummy.sim import appliers
from ginrummy.tables import (
    DEFEND_PHASE,
    DISCARD_PHASE,
    DRAW_PHASE,
    FAULTS,
    GAME,
    KNOCK_PHASE,
    ROUND,
    Tables,
    new_tables,
)
from ginrummy.training.selfplay.kernels import LOGITS, begin_some, choose, collect, reward_sides, sort_waiting
from ginrummy.training.selfplay.privileged import SECRETS
from ginrummy.training.selfplay.rows import ROOM, Packed
from ginrummy.training.selfplay.what_if import (
    ANSWERS,
    LATE,
    NO_PRICES,
    OWN_KIND,
    leaf_prices,
    style_of,
    what_if,
)
from ginrummy.view import BoolArray, FloatArray, IntArray, read_only

Floats = npt.NDArray[np.float32]
Think = Callable[[Packed, IntArray, Floats], Floats]
"""Packed rows, which of them, and [N, 54] the blueprint's scores of these -> [N, 54] logits: discards, taking
the upcard, knocking."""

USUAL = 250
"""Numbers of a decision for which there is room; about 205 are not zero. A step ends early if all is full."""
SURER = -1e-5
"""Sure decisions whose answer has a log chance above this are rechecked less often."""
QUESTIONS = {DRAW_PHASE: DRAW, DISCARD_PHASE: DISCARD, KNOCK_PHASE: champion.KNOCK}


@dataclass(frozen=True)
class Experience:
    """Decisions of the learner in the order in which they were asked."""

    packed: Packed  # M rows: what the view tells, what only the critic sees
    blueprint: Floats  # [M, 54] the blueprint's scores
    hidden: IntArray  # [M] int64  the opponent's hand
    mask: IntArray  # [M] int64  the cards that could be discarded
    question: IntArray  # [M] int8  DRAW, DISCARD, KNOCK
    action: IntArray  # [M] int64  the card; 1 for yes, 0 for no
    log_chance: Floats  # [M] of the action
    after: IntArray  # [M] int64  the same side's next decision of the round, -1 if none
    reward: Floats  # [M]
    done: npt.NDArray[np.bool_]  # [M] whether the round ended after it
    codes: npt.NDArray[np.int8]  # [M, ANSWERS] answers that were played on, -1 for none (``what_if``)
    worth: Floats  # [M, ANSWERS] what they would have brought

    @staticmethod
    def room(size: int, numbers: int | None = None) -> "Experience":
        """Room for so many decisions, with so many numbers that are not zero."""
        return Experience(
            Packed.room(size, numbers), np.zeros((size, LOGITS), np.float32), np.zeros(size, np.int64),
            np.zeros(size, np.int64), np.zeros(size, np.int8), np.zeros(size, np.int64),
            np.zeros(size, np.float32), np.zeros(size, np.int64), np.zeros(size, np.float32),
            np.zeros(size, np.bool_), np.full((size, ANSWERS), -1, np.int8),
            np.zeros((size, ANSWERS), np.float32),
        )  # fmt: skip


class Opponent(NamedTuple):
    """A player of the pool and its part of the tables."""

    player: Player
    share: float
    other_rules: bool = False
    """Whether some of its tables play by other rules. Each such opponent costs calls of its own."""
    kind: str = OWN_KIND
    greedy: bool = False
    """Its type and manner (``estimators.types``): how leaves know it, and how it knocks in lines of play
    (``what_if``) that cannot play its own rules."""
    past: bool = False
    """Whether it is a past self of the learner."""


class Law(NamedTuple):
    """Rules, their part of the tables, and the chance to win under them."""

    name: str
    rules: Rules
    share: float
    chances: FloatArray


class Arena:
    """Tables in play. ``gather`` plays on until the learner has decided often enough.

    The first of the laws is that of all tables which the others leave.
    """

    def __init__(
        self,
        opponents: Sequence[Opponent],
        blueprint: Compiled,
        laws: Sequence[Law],
        seed: int,
        *,
        tables: int,
        decisions: int,
        sure: float = -np.inf,
        rechecked: tuple[float, float, float] = (0.0, 0.0, 0.0),
    ) -> None:
        """Decisions whose answer has a log chance below ``sure`` are played on with other answers.

        So is a share of the sure ones: ``rechecked`` has that of those whose lines are cut (``what_if``), and
        of those whose lines are not, that of most and that of the surest (``SURER``).
        """
        self.opponents, self.laws = list(opponents), list(laws)
        self.blueprint = blueprint
        self.seed = np.int64(seed)
        self._records = [rules_record(one.rules) for one in laws]
        self._constants = np.stack([champion.constants(blueprint.array, one.rules) for one in laws])
        self.decisions, self.sure, self.rechecked = decisions, sure, rechecked
        self._what_if = what_if(
            [style_of(one.player, one.kind, one.past) for one in opponents],
            [TYPES.index(one.kind) + len(TYPES) * one.greedy for one in opponents],
        )
        self._known = [k for k, one in enumerate(laws) if one.rules == EAAI]
        self._prices = [leaf_prices() if one.rules == EAAI else NO_PRICES for one in laws]
        self.batch = new_tables(tables, range(np.iinfo(np.int64).max))
        self.batch.desk["endless"] = 1
        self.batch.tables["row"] = np.arange(tables)
        self.seen = read_only(self.batch.first), read_only(self.batch.second)
        self.who = seats([one.share for one in opponents], tables)
        many = [0, *(1 + k for k, one in enumerate(opponents) if one.other_rules)]
        self.law_of = spread_laws(self.who, many, [one.share for one in laws[1:]])
        self.results = np.zeros((len(self.opponents) + len(laws), 4))
        other = (self.law_of > 0) & (self.who > 0)
        self._booked = np.where(other, len(self.opponents) + self.law_of, self.who)
        self._spare = 2 * tables * ROOM
        self.kept = Experience.room(decisions + 2 * tables, decisions * USUAL + self._spare)
        self._last = np.full((tables, 2), -1, np.int64)
        self._games, self._rounds = np.zeros(tables, GAME), np.zeros(0, ROUND)
        self._scratch, self._belief = np.empty(champion.SCRATCH, np.int64), card_belief()
        x, y = np.empty(INPUTS, np.float32), np.empty(SECRETS, np.float32)
        self._room = x, x.view(np.int32), y, y.view(np.int32)
        for k, record in enumerate(self._records):
            begin_some(*self.batch, record, self.seed, np.flatnonzero(self.law_of == k))

    @property
    def names(self) -> list[str]:
        """What the rows of ``results`` count: games by opponent, then games with the pool by other rules."""
        return [
            "itself",
            *(one.player.name for one in self.opponents),
            *(f"pool under {one.name}" for one in self.laws[1:]),
        ]

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
        states = [
            (
                *self.batch,
                (
                    self._games, self._rounds, law.chances, self._last,
                    kept.reward, kept.done, self.results, self._booked,
                ),
                record,
                self.seed,
            )
            for law, record in zip(self.laws, self._records, strict=True)
        ]  # fmt: skip
        size = len(self.batch.tables)
        places = np.zeros(3 + len(self.opponents), np.int64)
        rows, u = np.zeros(size, np.int64), np.zeros(size)
        n = 0
        full = len(kept.packed.spots) - self._spare
        while n < self.decisions and (n == 0 or kept.packed.ends[n - 1, 2] <= full):
            for phase, name, apply in appliers(reward_sides):
                sort_waiting(self.batch.tables, self.who, phase, places, rows, u)
                learner = slice(0, places[1])
                if phase in QUESTIONS:
                    n, answers = self._decide(think, QUESTIONS[phase], places, rows, u, n)
                    self._apply(apply, states, phase, "learner", rows[learner], answers)
                else:
                    for side in (0, 1):
                        part = slice(places[side - 1] if side else 0, places[side])
                        melds = self.blueprint.spread(self.seen[side], rows[part], u[part])
                        self._apply(apply, states, phase, "learner", rows[part], melds)
                for k, one in enumerate(self.opponents):
                    part = slice(places[1 + k], places[2 + k])
                    if part.start < part.stop:
                        given = getattr(one.player, name)(self.seen[1], rows[part], u[part])
                        answers = checked_answers(one.player.name, name, given, part.stop - part.start)
                        self._apply(apply, states, phase, one.player.name, rows[part], answers)
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
            open_rows(mine, rows[low:high], question, open_[low:high])
            asked = rows[low:high][open_[low:high]]
            end = collect(
                batch.tables, mine, other, asked, self._belief.cards(mine, asked), side, question,
                self._constants, self.law_of, self._scratch, *self._room, self._last, end,
                *kept.packed, kept.blueprint, kept.hidden, kept.mask, kept.question, kept.after,
            )  # fmt: skip
        logits = np.zeros((0, LOGITS), np.float32)
        if end > n:
            logits = think(kept.packed, np.arange(n, end), kept.blueprint[n:end])
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
        kept.codes[n:end] = -1
        asked, first = rows[:stop][open_], int(open_[:middle].sum())
        turns = np.r_[batch.first["own_turns"][asked[:first]], batch.second["own_turns"][asked[first:]]]
        cheap = (turns < LATE) & np.isin(self.law_of[asked], self._known)
        chosen = np.flatnonzero(self._asks(kept.log_chance[n:end], cheap, u[:stop][open_]))
        if len(chosen):
            self._play_on(question, asked, first, logits, n, chosen)
        return end, answers

    def _asks(self, log_chance: Floats, cheap: BoolArray, u: FloatArray) -> BoolArray:
        """Which decisions are played on with other answers: the unsure ones, and a share of the others.

        ``cheap`` ones have lines that are cut. The share is drawn by late digits of the uniform number that
        drew the answer.
        """
        often, *seldom = self.rechecked
        share = np.where(cheap, often, np.where(log_chance < SURER, *seldom))
        asks: BoolArray = (log_chance < self.sure) | (u * 65_536 % 1 < share)
        return asks

    def _play_on(
        self, question: int, asked: IntArray, first: int, logits: Floats, n: int, chosen: IntArray
    ) -> None:
        """Play the likeliest answers of some decisions on; ``asked`` are the tables from place ``n`` on.

        The first ones are decisions of side 0, the others of side 1.
        """
        kept, batch = self.kept, self.batch
        phase = next(key for key, value in QUESTIONS.items() if value == question)
        laws = self.law_of[asked[chosen]]
        for side, mine in enumerate((batch.first, batch.second)):
            for k in np.unique(laws):
                some = chosen[((chosen >= first) == side) & (laws == k)]
                if len(some):
                    facts = kept.hidden[n + some], logits[some], kept.mask[n + some]
                    kept.codes[n + some], kept.worth[n + some] = self._what_if.ask(
                        batch.tables, mine, asked[some], facts, question, phase, self.who, self._records[k],
                        self.laws[k].chances, self._prices[k],
                    )  # fmt: skip

    def _apply(
        self,
        apply: Kernel,
        states: Sequence[tuple[Any, ...]],
        phase: int,
        player: str,
        rows: IntArray,
        answers: IntArray,
    ) -> None:
        """Apply answers to the tables of some rows, law by law."""
        if not len(rows):
            return
        laws = self.law_of[rows]
        for k in range(len(states)) if laws.any() else (0,):
            here = np.flatnonzero(laws == k) if laws.any() else slice(None)
            asked, given = rows[here], answers[here]
            if phase == DEFEND_PHASE and self.laws[k].rules.optimal_defence:
                given = np.zeros_like(given)  # the rules choose
            fault, place = apply(*states[k], asked, given)
            if fault:
                raise IllegalAction(f"player {player!r} answered {given[place]}: {FAULTS[fault]}")


def seats(shares: Sequence[float], tables: int) -> IntArray:
    """[tables] int64: the opponent of each table, from 1; the learner itself has what the shares leave."""
    ends = np.round(np.cumsum(shares) * tables).astype(np.int64)
    who = np.zeros(tables, np.int64)
    start = 0
    for k, end in enumerate(ends):
        who[start:end] = 1 + k
        start = end
    return who


def spread_laws(who: IntArray, groups: Sequence[int], shares: Sequence[float]) -> IntArray:
    """[tables] int64: the law of each table.

    Laws after the first have their shares of all tables, spread over the tables of some opponents alike.
    """
    law_of = np.zeros(len(who), np.int64)
    rows = np.flatnonzero(np.isin(who, groups))
    for k, share in enumerate(shares):
        size = round(share * len(who))
        law_of[rows[k + np.arange(size) * len(rows) // max(1, size)] if size else []] = 1 + k
    return law_of
