"""When to knock, learned by self-play: regret minimisation over this one decision; all else is fixed.

Source: Ahmed et al., "A Heuristic Evaluation Function for Hand Strength Estimation in Gin Rummy" (EAAI 2021).
Their knock rule came from such training over (deadwood, turn). The other paper, Goldstein et al., "Extracting
Learned Discard and Knocking Strategies from a Gin Rummy Bot" (EAAI 2021), uses (deadwood, stock size, lowest
card that the opponent has discarded). Both abstractions and more are in ``policies.knock_infosets``. A knock
ends the round, so the game tree grows only with the number of knock decisions.

An iteration deals one round of the fast engine. Both sides draw by the hand-strength rule and discard by a
fixed rule. Each time a discard leaves a hand within the limit, the table decides whether its side knocks or
plays on. The payoff is the points of the round. There are two ways to sample:

- ``outcome``: the updated side explores; one line of play, importance weights (``regret.mccfr``).
- ``external``: the updated side plays on at every decision, and at each one we compute what a knock would be
  worth. Every action is seen, so there are no weights and far less noise; rounds are longer.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ginrummy._jit import Kernel, bound, kernel, lean, template
from ginrummy.compiled.passes import passes_of, scratch_for
from ginrummy.compiled.policy import Policy
from ginrummy.decks import MAX_SEED, choice_key, first_starter, shuffle
from ginrummy.errors import BadInput, UnknownName
from ginrummy.meld_kernels import deadwood
from ginrummy.melds import MAX_MELDS
from ginrummy.players.hand_strength import hand_strength
from ginrummy.policies.baseline import discard_least, knock_at_once, spread_best
from ginrummy.policies.hand_strength import HAND_STRENGTH
from ginrummy.policies.knock_infosets import AXES, KINDS, infoset
from ginrummy.policies.knock_infosets import DEADWOODS as DEADWOODS
from ginrummy.policies.knock_infosets import TURNS as TURNS
from ginrummy.policies.one_turn import discard_one_turn
from ginrummy.rules import EAAI, MAX_TURNS, Rules, rules_record
from ginrummy.tables import (
    DISCARD_PHASE,
    DRAW_PHASE,
    IDLE,
    KNOCK_PHASE,
    answer_knock,
    deal,
    new_tables,
    next_uniform,
)
from ginrummy.training.regret.mccfr import (
    EPSILON,
    Floats,
    Regrets,
    average_strategy,
    average_weight,
    check_training,
    choose,
    new_path,
    new_regrets,
    update,
)
from ginrummy.training.regret.race import race

PLAY_ON, KNOCK = range(2)
_BOTH = 0b11
CHUNK = 50_000
_NO_GAMES = np.zeros((0, 2), np.int64), np.zeros((0, 0))
RACE_SEED, RACE_ROUNDS = 77, 40_000
"""Rounds from which the worth of scores is computed."""

ABSTRACTIONS = AXES
"""Kinds of infosets -> the sizes of their two axes besides the deadwood."""
DISCARDS = {
    "least": discard_least,
    "one-turn": discard_one_turn,
    "hand-strength": HAND_STRENGTH.discard,
}
SAMPLINGS = ("outcome", "external")


@dataclass(frozen=True)
class KnockTraining:
    """What is trained, without the seed."""

    rules: Rules = EAAI
    """Its points are the payoff."""
    rounds: int = 1_000_000
    """Iterations: one round each."""
    discards: str = "hand-strength"
    """The fixed rule for discards: one of ``DISCARDS``."""
    abstraction: str = "turn"
    """What a side knows when it decides, besides its deadwood: one of ``ABSTRACTIONS``."""
    sampling: str = "outcome"
    """One of ``SAMPLINGS``."""
    epsilon: float = EPSILON
    """Exploration of the updated side under outcome sampling."""
    linear: bool = False
    """Whether later rounds weigh more in the average strategy, in proportion to their number."""
    shared: bool = True
    """Whether both sides have one table; otherwise the starter of a round has one and the dealer another."""
    turn_cap: int = 0
    """After this many turns of both sides a round ends, and the payoff is the difference of the deadwoods;
    0: rounds end by the rules. The program of S3's authors trains with a cap of 15."""


class KnockTable(NamedTuple):
    """What was learned. R is 1 for a shared table, otherwise 2; S and E are the abstraction's axes."""

    knock: Floats  # [R, 11, S, E] probability to knock; NaN where the strategy never arrives
    visits: npt.NDArray[np.int64]  # [R, 11, S, E] updates
    share: Floats  # [R, 11, S, E] share of all decisions that arise here when the strategy is played
    advantage: Floats  # [R, 11, S, E] points by which knocking beat playing on, over the whole training;
    # NaN where unvisited, and under outcome sampling, whose regrets carry importance weights


@lean
def _leave(t, a, b, desk, sink, rules, seed, outcome, worth):
    """Write what a round is worth to side 0, and leave the table."""
    sink[0] = worth
    t.phase = IDLE


# ruff: noqa: F821
# mypy: disable-error-code=name-defined
# Both complain about the open names: the passes of ``compiled.passes``, and templates of this module.


@template
def _show_down(tables, mine, other, first, second, desk, sink, rules, p, rows, scratch):
    """Lay both hands down after a knock. Returns the points, positive for the knocker."""
    side = tables[0].mover
    knocks(rows, tables, mine, other, first, second, desk, sink, rules, 0, p, scratch)
    defences(rows, tables, other, mine, first, second, desk, sink, rules, 0, p, scratch)
    return sink[0] if side == 0 else -sink[0]


@template
def _price_knock(tables, mine, other, first, second, desk, sink, rules, p, rows, scratch):
    """Points of a knock now, positive for the knocker; the table then waits for the answer as before."""
    t, v, w = tables[0], mine[0], other[0]
    side = t.mover
    answer_knock(t, v, w, desk, rules, True)
    worth = show_down(tables, mine, other, first, second, desk, sink, rules, p, rows, scratch)
    for k in range(MAX_MELDS):
        v.knocked[k] = w.knocked[k] = 0
    t.knocker = -1
    t.mover = side
    t.phase = KNOCK_PHASE
    return worth


@lean
def _stop(t, a, b, sink):
    """End a round that has come to the cap of turns: it is worth the difference of the deadwoods."""
    sink[0] = deadwood(b.hand) - deadwood(a.hand)
    t.phase = IDLE


@template
def _to_next_knock(tables, first, second, desk, sink, rules, p, cap, rows, scratch):
    """Play until a side may knock, must lay down, or the round is over."""
    t = tables[0]
    while t.phase == DRAW_PHASE or t.phase == DISCARD_PHASE:
        side = t.mover
        mine, other = (first, second) if side == 0 else (second, first)
        if t.phase == DRAW_PHASE:
            if cap > 0 and mine[0].turns >= cap:
                _stop(t, first[0], second[0], sink)
                return
            draws(rows, tables, mine, other, first, second, desk, sink, rules, 0, p, scratch)
        else:
            discards(rows, tables, mine, other, first, second, desk, sink, rules, 0, p, scratch)


@lean
def _deal_round(t, a, b, rules, seed, n, scores):
    """Deal iteration ``n``; if ``scores`` has lines, at one of these scores of both sides."""
    shuffle(seed, n, 0, t.deck)
    t.key = choice_key(seed, n, 0)
    t.seat = 0
    t.starter = first_starter(seed, n)
    deal(t, a, b, rules)
    if scores.shape[0] > 0:
        line = scores[int(next_uniform(t) * scores.shape[0])]
        a.score = b.opponent_score = line[0]
        b.score = a.opponent_score = line[1]


@lean
def _payoff(v, points, value):
    """What points are worth to a side: themselves, or the change of its chance to win the game, in percent.

    ``value`` [101, 101] is the chance to win by own and opponent's score; empty: points count as they are.
    """
    if value.shape[0] == 0:
        return points
    own, other = np.int64(v.score), np.int64(v.opponent_score)
    won = min(own + max(points, 0), 100.0)
    lost = min(other + max(-points, 0), 100.0)
    return 100.0 * (value[int(won), int(lost)] - value[own, other])


@template
def _round(regret, path, spare, worths, tables, first, second, desk, sink, rules, p, cap, value, rows,
           scratch, kind, cells, shared, side, external, epsilon):  # fmt: skip
    """Play one dealt round. Returns the steps on the updated side's path and its payoff at the end.

    Under external sampling the updated side always plays on, and ``worths`` are the points of its knocks.
    """
    steps = 0
    t = tables[0]
    me = first[0] if side == 0 else second[0]
    to_next_knock(tables, first, second, desk, sink, rules, p, cap, rows, scratch)
    while t.phase != IDLE:
        mover = t.mover
        mine, other = (first, second) if mover == 0 else (second, first)
        if t.phase == KNOCK_PHASE:
            own = mover == side
            step = path[steps] if own else spare[0]
            v, w = mine[0], other[0]
            role = 0 if shared else 1 - v.starts
            cell = role * cells + infoset(kind, v, np.int64(t.deadwood))
            u = next_uniform(t)
            knock = choose(regret, step, cell, _BOTH, epsilon if own else 0.0, 1.0, u) == KNOCK
            if own and external:
                points = price_knock(tables, mine, other, first, second, desk, sink, rules, p, rows, scratch)
                worths[steps] = _payoff(v, points, value)
                knock = False
            steps += own
            if answer_knock(t, v, w, desk, rules, knock):
                return steps, 0.0
            if not knock:
                to_next_knock(tables, first, second, desk, sink, rules, p, cap, rows, scratch)
                continue
        worth = show_down(tables, mine, other, first, second, desk, sink, rules, p, rows, scratch)
        return steps, _payoff(me, worth if mover == side else -worth, value)
    return steps, _payoff(me, sink[0] if side == 0 else -sink[0], value)


@kernel
def _update_external(regret, average, visits, path, worths, steps, payoff, weight):
    """Learn from a path on which the worth of both actions is known: no importance weights."""
    reach = 1.0
    for k in range(steps):
        step = path[k]
        visits[step.cell] += 1
        average[step.cell, KNOCK] += weight * reach * step.policy[KNOCK]
        average[step.cell, PLAY_ON] += weight * reach * step.policy[PLAY_ON]
        reach *= step.policy[PLAY_ON]
    value = payoff
    for k in range(steps - 1, -1, -1):
        step = path[k]
        here = step.policy[KNOCK] * worths[k] + step.policy[PLAY_ON] * value
        regret[step.cell, KNOCK] += worths[k] - here
        regret[step.cell, PLAY_ON] += value - here
        value = here


@template
def _run(regret, average, visits, path, spare, worths, tables, first, second, desks, sink, law, seed, start,
         stop, p, cap, scores, value, rows, scratch, kind, cells, shared, external, epsilon, linear,
         out):  # fmt: skip
    """Learn from rounds ``start`` to ``stop``; if ``out`` has room, only write side 0's points to it."""
    desk, rules = desks[0], law[0]
    learn = out.shape[0] == 0
    for n in range(start, stop):
        _deal_round(tables[0], first[0], second[0], rules, seed, n, scores)
        steps, payoff = play_round(
            regret, path, spare, worths, tables, first, second, desk, sink, rules, p, cap, value, rows,
            scratch, kind, cells, shared, n & 1 if learn else 0, external, epsilon,
        )  # fmt: skip
        if not learn:
            out[n - start] = payoff
        elif external:
            _update_external(regret, average, visits, path, worths, steps, payoff, average_weight(linear, n))
        else:
            update(regret, average, visits, path, steps, payoff, average_weight(linear, n))


@cache
def _runner(discards: str) -> Kernel:
    """The training loop with a fixed rule for discards. Draws are those of the hand-strength player."""
    policy = Policy(HAND_STRENGTH.draw, DISCARDS[discards], knock_at_once, spread_best)
    passes = passes_of(policy, _leave)
    show_down = bound(_show_down, knocks=passes.knocks, defences=passes.defences)
    played = bound(
        _round,
        to_next_knock=bound(_to_next_knock, draws=passes.draws, discards=passes.discards),
        show_down=show_down,
        price_knock=bound(_price_knock, show_down=show_down),
    )
    return bound(_run, play_round=played)


def _play_rounds(
    training: KnockTraining, regrets: Regrets, seed: int, start: int, stop: int, learn: bool, out: Floats
) -> None:
    """Play iterations ``start`` to ``stop``: learn from them, or write their points to ``out``."""
    _, scratch = scratch_for(1)
    scores, value = _games() if training.abstraction == "scores" else _NO_GAMES
    _runner(training.discards)(
        *regrets, new_path(MAX_TURNS), new_path(1), np.empty(MAX_TURNS), *new_tables(1, range(0, 1)),
        np.zeros(1), rules_record(training.rules), np.int64(seed), start, stop, _constants(),
        training.turn_cap, scores, value, np.zeros(1, np.int64), scratch, KINDS[training.abstraction],
        DEADWOODS * math.prod(ABSTRACTIONS[training.abstraction]), training.shared,
        learn and training.sampling == "external", training.epsilon if learn else 0.0,
        learn and training.linear, out,
    )  # fmt: skip


def train(
    training: KnockTraining,
    seed: int,
    on_progress: Callable[[int], None] | None = None,
    on_chunk: Callable[[int, Regrets], None] | None = None,
) -> Regrets:
    """Train from nothing. ``on_progress`` is called with the number of rounds just played.

    ``on_chunk`` is called with the number of rounds so far and what has been learned from them.
    """
    check(training, seed)
    regrets = new_regrets(_cells(training), 2)
    for start in range(0, training.rounds, CHUNK):
        stop = min(start + CHUNK, training.rounds)
        _play_rounds(training, regrets, seed, start, stop, learn=True, out=np.zeros(0))
        if on_progress:
            on_progress(stop - start)
        if on_chunk:
            on_chunk(stop, regrets)
    return regrets


def play(training: KnockTraining, regret: Floats, seed: int, rounds: int) -> Floats:
    """[rounds] points of side 0 when both sides knock in proportion to the positive regrets of a table."""
    check(training, seed)
    out = np.zeros(rounds)
    regrets = new_regrets(_cells(training), 2)._replace(regret=regret)
    _play_rounds(training, regrets, seed, 0, rounds, learn=False, out=out)
    return out


def knock_table(training: KnockTraining, regrets: Regrets) -> KnockTable:
    """The average strategy of a training, by role, deadwood and the abstraction's axes."""
    shape = (1 if training.shared else 2, DEADWOODS, *ABSTRACTIONS[training.abstraction])
    visits = regrets.visits.reshape(shape)
    gains = (regrets.regret[:, KNOCK] - regrets.regret[:, PLAY_ON]).reshape(shape)
    seen = visits if training.sampling == "external" else np.zeros(shape)
    advantage = np.divide(gains, seen, out=np.full(shape, np.nan), where=seen > 0)
    weights = regrets.average.sum(axis=1).reshape(shape)
    share = weights / max(weights.sum(), 1.0)
    return KnockTable(average_strategy(regrets)[:, KNOCK].reshape(shape), visits, share, advantage)


def check(training: KnockTraining, seed: int) -> None:
    """Refuse settings that cannot be trained."""
    check_training(training.epsilon, training.rounds)
    for value, known in (
        (training.discards, DISCARDS),
        (training.abstraction, ABSTRACTIONS),
        (training.sampling, SAMPLINGS),
    ):
        if value not in known:
            raise UnknownName(f"unknown {value!r}: choose one of {', '.join(known)}")
    if training.rules.knock_limit >= DEADWOODS:
        raise BadInput(f"the table ends at deadwood {DEADWOODS - 1}: the rules allow knocks above it")
    if not 0 <= training.turn_cap <= MAX_TURNS:
        raise BadInput(f"a cap of turns is from 0, for none, to {MAX_TURNS}, not {training.turn_cap}")
    if not 0 <= seed <= MAX_SEED:
        raise BadInput(f"the seed must be from 0 to {MAX_SEED}, not {seed}")


def _cells(training: KnockTraining) -> int:
    stages, extras = ABSTRACTIONS[training.abstraction]
    return (1 if training.shared else 2) * DEADWOODS * stages * extras


def _constants() -> Floats:
    """The constants of the hand-strength player: its draws, and its discards where those are used."""
    compiled = hand_strength().compiled
    assert compiled is not None
    return np.array(compiled.constants, np.float64)


@cache
def _games() -> tuple[npt.NDArray[np.int64], Floats]:
    """Scores at which rounds begin, and the chance to win from any scores, by rounds with S2's knock rule."""
    rule = np.zeros((DEADWOODS, TURNS, 2))
    rule[:, :4, KNOCK] = rule[0, :, KNOCK] = 1.0
    rule[1:, 4:, PLAY_ON] = 1.0
    found = race(play(KnockTraining(), rule.reshape(-1, 2), RACE_SEED, RACE_ROUNDS))
    return found.lines(), found.value
