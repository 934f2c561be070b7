"""Lockstep simulation: B games side by side, each player called once for all tables that wait for it.

    run = play(simple(), random(), games=range(10_000), rules=EAAI, seed=1)
    run.games["score"][:, 0]          # final scores of the first player, game by game

The results are the same for any batch size. An illegal answer stops the run with an ``IllegalAction``
that names the player, the game and what the player saw.

Both games of a mirrored pair deal the same cards, to swapped seats. A player from outside could look up in
one game what is hidden in the other. When such a player takes part, all even games are played first and all
odd games after them, each part with a fresh instance of the player. Results do not depend on this.
"""

from collections.abc import Callable
from functools import cache
from time import perf_counter, process_time
from typing import NamedTuple, Protocol

import numpy as np

from ginrummy._jit import Kernel, bound, kernel, lean, template
from ginrummy.answers import checked_answers, no_answer
from ginrummy.cards import CARDS
from ginrummy.decks import MAX_SEED, choice_key
from ginrummy.errors import BadInput, IllegalAction
from ginrummy.memory import Memory
from ginrummy.rules import Rules, rules_record
from ginrummy.scoring import DEAD, score
from ginrummy.tables import (
    DEFEND_PHASE,
    DISCARD_PHASE,
    DRAW_PHASE,
    FAULTS,
    GAME,
    IDLE,
    KNOCK_PHASE,
    ROUND,
    SPREAD_PHASE,
    Records,
    Tables,
    answer_defend,
    answer_discard,
    answer_draw,
    answer_knock,
    answer_spread,
    deal,
    finish,
    new_tables,
    next_uniform,
    start_game,
)
from ginrummy.view import BoolArray, FloatArray, IntArray, View, read_only, remembering, sight

# ruff: noqa: F821
# mypy: disable-error-code=name-defined
# Both tools would report ``conclude``, the open name of the templates below.

BATCH = 1024


class Deciders(Protocol):
    """What the simulator asks of a player: one answer for each of ``rows``, from the view and ``u`` alone."""

    @property
    def name(self) -> str:
        """For messages and results."""

    def draw(self, view: View, rows: IntArray, u: FloatArray) -> BoolArray:
        """[N] bool: whether to take the upcard."""

    def discard(self, view: View, rows: IntArray, u: FloatArray) -> IntArray:
        """[N] int8: the card to discard."""

    def knock(self, view: View, rows: IntArray, u: FloatArray) -> BoolArray:
        """[N] bool: whether to knock. Asked only where the hand's least deadwood is within the limit."""

    def spread(self, view: View, rows: IntArray, u: FloatArray) -> IntArray:
        """[N, 4] int64: the melds to lay down, as knocker or against ``view.knocked``; zeros at the end."""


class Run(NamedTuple):
    """The results of some games."""

    games: Records
    """[G] of ``tables.GAME``, in order of their numbers."""
    seconds: tuple[float, float]
    """Processor time spent in each player's deciders: other work of the machine does not count."""
    rounds: Records
    """[R] of ``tables.ROUND`` in the order of finishing; empty when no records were asked for. Where a player
    from outside plays, those of even games come first."""
    forfeits: IntArray | None = None
    """[G] int8, where games can be forfeited (``timed``, ``following``): -1, or the side that forfeited."""
    reasons: IntArray | None = None
    """[G] int8, where ``forfeits`` are: why, as a place in ``following.REASONS``; -1 in other games."""


@kernel
def begin(t, v0, v1, desk, rules, seed):
    """Begin the first game at every table."""
    for b in range(t.shape[0]):
        start_game(t[b], v0[b], v1[b], desk[0], rules[0], seed)


@kernel
def _deal_all(t, v0, v1, rules, seed):
    for b in range(t.shape[0]):
        t[b].key = choice_key(seed, t[b].game, 0)
        deal(t[b], v0[b], v1[b], rules[0])


@kernel
def playing(t):
    """How many tables have a game under way."""
    tables = 0
    for b in range(t.shape[0]):
        tables += t[b].phase != IDLE
    return tables


@kernel
def _waiting(t, phase, rows, u):
    """List the tables that wait in a phase, by side, with their uniform numbers; return how many."""
    n0 = 0
    n1 = 0
    for b in range(t.shape[0]):
        if t[b].phase == phase:
            if t[b].mover == 0:
                rows[0, n0] = b
                u[0, n0] = next_uniform(t[b])
                n0 += 1
            else:
                rows[1, n1] = b
                u[1, n1] = next_uniform(t[b])
                n1 += 1
    return n0, n1


# What happens at the end of a round is an open name, as in ``compiled.passes``: ``conclude`` books the round
# and gives the table its next task. ``sink`` is what it writes to.


@template
def _draws(t, v0, v1, desk, sink, rules, seed, rows, take):
    for k in range(rows.shape[0]):
        b = rows[k]
        v, w = (v0[b], v1[b]) if t[b].mover == 0 else (v1[b], v0[b])
        if answer_draw(t[b], v, w, desk[0], rules[0], take[k]):
            conclude(t[b], v0[b], v1[b], desk[0], sink, rules[0], seed, DEAD, 0)
    return 0, 0


@template
def _discards(t, v0, v1, desk, sink, rules, seed, rows, cards):
    for k in range(rows.shape[0]):
        b = rows[k]
        v, w = (v0[b], v1[b]) if t[b].mover == 0 else (v1[b], v0[b])
        fault, dead = answer_discard(t[b], v, w, desk[0], rules[0], np.int64(cards[k]))
        if fault:
            return fault, k
        if dead:
            conclude(t[b], v0[b], v1[b], desk[0], sink, rules[0], seed, DEAD, 0)
    return 0, 0


@template
def _knocks(t, v0, v1, desk, sink, rules, seed, rows, knock):
    for k in range(rows.shape[0]):
        b = rows[k]
        v, w = (v0[b], v1[b]) if t[b].mover == 0 else (v1[b], v0[b])
        if answer_knock(t[b], v, w, desk[0], rules[0], knock[k]):
            conclude(t[b], v0[b], v1[b], desk[0], sink, rules[0], seed, DEAD, 0)
    return 0, 0


@kernel
def _spreads(t, v0, v1, desk, sink, rules, seed, rows, melds):
    for k in range(rows.shape[0]):
        b = rows[k]
        v, w = (v0[b], v1[b]) if t[b].mover == 0 else (v1[b], v0[b])
        fault = answer_spread(t[b], v, w, rules[0], melds[k])
        if fault:
            return fault, k
    return 0, 0


@template
def _defences(t, v0, v1, desk, sink, rules, seed, rows, melds):
    for k in range(rows.shape[0]):
        b = rows[k]
        fault, left = answer_defend(t[b], v0[b] if t[b].mover == 0 else v1[b], desk[0], rules[0], melds[k])
        if fault:
            return fault, k
        outcome, worth = score(rules[0], np.int64(t[b].deadwood), left, t[b].big == 1)
        worth = -worth if t[b].knocker else worth
        conclude(t[b], v0[b], v1[b], desk[0], sink, rules[0], seed, outcome, worth)
    return 0, 0


@lean
def _book(t, a, b, desk, sink, rules, seed, outcome, worth):
    """Book a finished round and deal again; ``sink`` holds the results of games and the kept rounds."""
    finish(t, a, b, desk, sink[0], sink[1], rules, seed, outcome, worth)


@cache
def appliers(conclude: Kernel) -> tuple[tuple[int, str, Kernel], ...]:
    """Each phase, the decider that answers it, and the kernel that applies the answers."""
    return (
        (DRAW_PHASE, "draw", bound(_draws, conclude=conclude)),
        (DISCARD_PHASE, "discard", bound(_discards, conclude=conclude)),
        (KNOCK_PHASE, "knock", bound(_knocks, conclude=conclude)),
        (SPREAD_PHASE, "spread", _spreads),
        (DEFEND_PHASE, "spread", bound(_defences, conclude=conclude)),
    )


class Lockstep:
    """A batch of tables, the two players, and the loop over phases."""

    notes_rounds = False
    """Whether ``booked`` is to be called with the finished rounds, also when no records are asked for."""

    def __init__(self, players: tuple[Deciders, Deciders], batch: Tables, rules: Rules, seed: int) -> None:
        self.players = players
        self.batch = batch
        self.seen = (read_only(batch.first), read_only(batch.second))
        self.rules = rules
        self.record = rules_record(rules)
        self.seed = np.int64(seed)
        self.seconds = [0.0, 0.0]
        self.memory = Memory(rules, [remembers(player) for player in players])
        size = len(batch.tables)
        self.rows = np.zeros((2, size), np.int64)
        self.u = np.zeros((2, size), np.float64)

    def begin(self) -> None:
        """Begin the first game at every table."""
        begin(*self.batch, self.record, self.seed)

    def run(self, results: Records, record: bool) -> Run:
        """Play until every table is idle."""
        tables = self.batch.tables
        # One pass over a phase can finish a round at every table, so ``rounds`` is emptied after each pass.
        keep = record or self.memory.needed or self.notes_rounds
        rounds = np.zeros(len(tables) if keep else 0, ROUND)
        kept: list[Records] = []
        state = (*self.batch, (results, rounds), self.record, self.seed)
        wall, processor = perf_counter(), process_time()
        phases = appliers(_book)
        while playing(tables):
            for phase, name, apply in phases:
                self.step(state, phase, name, apply)
                if keep and self.batch.desk["kept"][0]:
                    finished = rounds[: self.batch.desk["kept"][0]].copy()
                    self.batch.desk["kept"] = 0
                    self.memory.note(finished, tables)
                    self.booked(finished)
                    if record:
                        kept.append(finished)
        played = np.concatenate(kept) if kept else rounds[:0]
        # The processor's clock costs as much as a fast decision, so it is read once and the rest is scaled.
        share = min(1.0, (process_time() - processor) / max(perf_counter() - wall, 1e-9))
        return Run(results, (self.seconds[0] * share, self.seconds[1] * share), played)

    def step(self, state: tuple[object, ...], phase: int, name: str, apply: Kernel) -> None:
        """Ask both sides at the tables that wait in a phase, and apply their answers."""
        waiting = _waiting(self.batch.tables, phase, self.rows, self.u)
        for side in (0, 1):
            if waiting[side]:
                rows: IntArray = self.rows[side, : waiting[side]]
                rows, answers = self.answered(side, phase, name, rows)
                fault, k = apply(*state, rows, answers)
                if fault:
                    raise self._illegal(side, name, int(rows[k]), answers[k], FAULTS[fault])

    def answered(self, side: int, phase: int, name: str, rows: IntArray) -> tuple[IntArray, IntArray]:
        """The tables to move on, out of those that wait for a side, and its answers for them."""
        return rows, self.ask(side, phase, name, rows)

    def booked(self, ended: Records) -> None:
        """Rounds have just been booked. Their tables have dealt again, begun another game or become idle."""

    def ask(self, side: int, phase: int, name: str, rows: IntArray) -> IntArray:
        """The answers of a side for the tables that wait for it."""
        if phase == DEFEND_PHASE and self.rules.optimal_defence:
            return no_answer(name, len(rows))
        player, view = self.players[side], self.seen[side]
        if remembers(player):
            view = remembering(view, self.memory.of(side, self.batch.tables, rows))
        start = perf_counter()
        given = getattr(player, name)(view, rows, self.u[side, : len(rows)])
        answers = checked_answers(player.name, name, given, len(rows))
        self.seconds[side] += perf_counter() - start
        return answers

    def _illegal(self, side: int, name: str, row: int, answer: object, fault: str) -> IllegalAction:
        table = self.batch.tables[row]
        return IllegalAction(
            f"player {self.players[side].name!r} (seat {table['seat'] ^ side}, game {table['game']}, "
            f"round {self.seen[side][row]['round']}) answered {name} with {answer}: {fault}; "
            f"it saw {sight(self.seen[side], row)}"
        )


def play(
    first: Deciders,
    second: Deciders,
    games: range,
    rules: Rules,
    seed: int,
    *,
    batch: int = BATCH,
    record: bool = False,
) -> Run:
    """Play the games of a range (their numbers choose decks and seats) in lockstep.

    The first player sits in seat 0 in even games and in seat 1 in odd ones.
    """
    check_games(games, seed)
    results = np.zeros(len(games), GAME)
    apart = is_foreign(first) or is_foreign(second)
    runs = []
    for part in parts(games, apart):
        tables = new_tables(max(1, min(batch, len(part))), part)
        tables.desk["first"] = games.start
        lockstep = Lockstep((fresh(first), fresh(second)), tables, rules, seed)
        lockstep.begin()
        runs.append(lockstep.run(results, record))
    if not apart:
        return runs[0]
    seconds = (sum(run.seconds[0] for run in runs), sum(run.seconds[1] for run in runs))
    return Run(results, seconds, np.concatenate([run.rounds for run in runs]))


def parts(games: range, apart: bool) -> list[range]:
    """The games that one instance of each player plays: all, or the even and the odd ones apart."""
    return [part for part in ((games[::2], games[1::2]) if apart else (games,)) if part]


def is_foreign(player: Deciders) -> bool:
    """Whether a player comes from outside the package: see ``players.foreign``."""
    return getattr(player, "fresh", None) is not None


def remembers(player: Deciders) -> bool:
    """Whether a player looks at the earlier rounds themselves: see ``memory``."""
    return bool(getattr(player, "remembers", False))


def fresh(player: Deciders) -> Deciders:
    """A player that has seen nothing: a new instance of one from outside; other players keep no state."""
    build: Callable[[], Deciders] | None = getattr(player, "fresh", None)
    return build() if build else player


def play_rounds(
    first: Deciders,
    second: Deciders,
    decks: IntArray,
    starters: IntArray,
    rules: Rules,
    *,
    scores: IntArray | None = None,
    seed: int = 0,
) -> Run:
    """Play one round from each given deck. [N, 52] int8 decks, [N] starting seats, [N, 2] scores before.

    The first player sits in seat 0. Game ``n`` of the result is the round from ``decks[n]``.
    """
    check_seed(seed)
    size = len(decks)
    decks = _integers("decks", decks, (size, CARDS), 0, CARDS - 1)
    starters = _integers("starters", starters, (size,), 0, 1)
    if (np.sort(decks, axis=1) != np.arange(CARDS)).any():
        raise BadInput("each deck must hold the 52 cards once")
    if scores is not None:
        scores = _integers("scores", scores, (size, 2), 0, np.iinfo(np.int32).max)
    batch = new_tables(size, range(size, size))
    batch.desk["first"] = 0
    lockstep = Lockstep((fresh(first), fresh(second)), batch, rules._replace(max_rounds=1), seed)
    batch.tables["deck"] = decks
    batch.tables["starter"] = starters
    batch.tables["game"] = batch.tables["row"] = np.arange(size)
    if scores is not None:
        batch.first["score"] = batch.second["opponent_score"] = scores[:, 0]
        batch.second["score"] = batch.first["opponent_score"] = scores[:, 1]
    _deal_all(batch.tables, batch.first, batch.second, lockstep.record, lockstep.seed)
    return lockstep.run(np.zeros(size, GAME), record=True)


def check_games(games: range, seed: int) -> None:
    """Refuse ranges and seeds that have no meaning."""
    if games.step != 1 or games.start < 0 or games.stop <= games.start:
        raise BadInput(f"expected a range of one or more games, got {games}")
    check_seed(seed)


def check_seed(seed: int) -> None:
    """Refuse seeds outside the range that ``decks`` takes."""
    if not 0 <= seed <= MAX_SEED:
        raise BadInput(f"the seed must be from 0 to {MAX_SEED}, not {seed}")


def _integers(what: str, given: IntArray, shape: tuple[int, ...], least: int, greatest: int) -> IntArray:
    """The caller's array, unchanged; ``BadInput`` unless it holds integers of this shape and range."""
    values = np.asarray(given)
    if values.shape != shape or values.dtype.kind not in "iu":
        raise BadInput(f"{what}: expected integers of shape {shape}, got {values.dtype} of {values.shape}")
    if ((values < least) | (values > greatest)).any():
        raise BadInput(f"{what}: expected numbers from {least} to {greatest}")
    return values
