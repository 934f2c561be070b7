"""Kernels of ``stepping``: play an action at a table, play on to the next question, and say what is legal."""

from functools import cache

import numpy as np

from ginrummy._jit import Kernel, bound, kernel, lean, lowest, template
from ginrummy.bridges.observations import (
    DONE,
    FIRST_MELD,
    KNOCK,
    LEAVE,
    MELDS,
    PLAY_ON,
    TAKE,
    encode,
)
from ginrummy.compiled.policy import SCRATCH, Policy
from ginrummy.decks import choice_key, key_uniform
from ginrummy.meld_kernels import MAX_HELD, MAX_MELDS, deadwood, pick_best_set, points
from ginrummy.scoring import DEAD, score
from ginrummy.tables import (
    DEFEND_PHASE,
    DISCARD_PHASE,
    DRAW_PHASE,
    IDLE,
    KNOCK_PHASE,
    SPREAD_PHASE,
    answer_defend,
    answer_discard,
    answer_draw,
    answer_knock,
    answer_spread,
    finish,
    next_uniform,
    record_dtype,
    start_game,
)

# ruff: noqa: F821
# mypy: disable-error-code=name-defined
# Both tools would report the open names of the templates.

AGENT = record_dtype(
    ("laid", np.int64, (MAX_MELDS,)),  # melds that the side to move has laid down so far
    ("melds", np.int64),  # how many
    ("reward", np.float64),  # of side 0 since its last action; side 1 has the opposite
    ("pending", np.float64),  # of an episode that has begun and not yet been asked about
    ("done", np.int8),  # whether the episode ended after the last action
    ("outcome", np.int8),  # of the last finished round, in the order of ``scoring.OUTCOMES``
    ("points", np.int32),  # of the last finished round, positive for side 0
    ("score", np.int32, (2,)),  # of the episode that ended
)
"""What an environment keeps for each table."""

HOW = record_dtype(
    ("both", np.int64),  # 1: side 1 is asked for draws, discards and knocks from outside the kernel
    ("chooses", np.int64, (2,)),  # 1: this side is asked for its melds from outside the kernel
    ("wins", np.int64),  # 1: the reward is the win, not the points
    ("rounds", np.int64),  # 1: an episode is a round
    ("stride", np.int64),  # from a table's game to its next one
)
"""How the tables of an environment are played."""


@lean
def conclude(t, a, b, desk, sink, rules, seed, outcome, worth):
    """Give the reward of a finished round, keep what was seen at its end, and deal again."""
    games, rounds, agents, final, settings = sink
    how = settings[0]
    agent, game = agents[t.row], games[t.row]
    own = game.score[0] + max(worth, 0)
    other = game.score[1] + max(-worth, 0)
    over = max(own, other) >= rules.target or a["round"] + 1 >= rules.max_rounds
    reward = 0.0
    if how.wins == 0:
        reward += worth
    if over and how.rounds == 0 and how.wins == 0:
        first, second = game.won[0] + (worth > 0), game.won[1] + (worth < 0)
        reward += _bonus(rules, own, other, first, second) - _bonus(rules, other, own, second, first)
    if over and how.wins == 1:
        reward = 1.0 if own > other else -1.0 if own < other else 0.0
    if agent.done:  # this round belongs to the next episode
        agent.pending = 0.0 if over else agent.pending + reward
    else:
        agent.reward += reward
        agent.outcome, agent.points = outcome, worth
        agent.score[0], agent.score[1] = own, other
        if over:
            agent.done = 1
            laid = np.int64(0)
            encode(a, IDLE, laid, rules, desk.held, final[t.row, 0])
            if how.both:
                encode(b, IDLE, laid, rules, desk.held, final[t.row, 1])
    agent.melds = 0
    desk.next = t.game + how.stride
    finish(t, a, b, desk, games, rounds, rules, seed, outcome, worth)


@lean
def _bonus(rules, own, other, won, lost):
    """What a side gets at the end of a game beyond its score: see ``scoring.totals``."""
    total = rules.line_bonus * won
    if own > other:
        total += rules.game_bonus
        if rules.shutout_doubles and lost == 0:
            total += own + rules.game_bonus
    return total


@lean
def _lay_down(t, a, b, desk, sink, rules, seed, melds):
    """Lay down the mover's melds, as knocker or as defender. Returns a fault."""
    v, w = (a, b) if t.mover == 0 else (b, a)
    if t.phase == SPREAD_PHASE:
        return answer_spread(t, v, w, rules, melds)
    fault, left = answer_defend(t, v, desk, rules, melds)
    if fault == 0:
        outcome, worth = score(rules, np.int64(t.deadwood), left, t.big == 1)
        conclude(t, a, b, desk, sink, rules, seed, outcome, -worth if t.knocker else worth)
    return fault


@lean
def _act(t, a, b, desk, sink, rules, seed, agent, action):
    """Play an agent's action, which is legal."""
    v, w = (a, b) if t.mover == 0 else (b, a)
    dead = False
    if t.phase == DRAW_PHASE:
        dead = answer_draw(t, v, w, desk, rules, action == TAKE)
    elif t.phase == DISCARD_PHASE:
        _, dead = answer_discard(t, v, w, desk, rules, action)
    elif t.phase == KNOCK_PHASE:
        dead = answer_knock(t, v, w, desk, rules, action == KNOCK)
    elif action >= FIRST_MELD:
        agent.laid[agent.melds] = MELDS[action - FIRST_MELD]
        agent.melds += 1
    else:
        for k in range(agent.melds, MAX_MELDS):
            agent.laid[k] = 0
        agent.melds = 0
        _lay_down(t, a, b, desk, sink, rules, seed, agent.laid)
    if dead:
        conclude(t, a, b, desk, sink, rules, seed, DEAD, 0)


@template
def play_on_template(t, a, b, desk, sink, rules, seed, p, scratch, how):
    """Play on until an agent must decide, or to a fault of the opponent."""
    melds = scratch[SCRATCH:].reshape((1, MAX_MELDS))
    while desk.fault == 0:
        side, phase = t.mover, t.phase
        v, w = (a, b) if side == 0 else (b, a)
        outside = side == 0 or how.both == 1
        dead = False
        if phase >= SPREAD_PHASE:
            given = phase == DEFEND_PHASE and rules.optimal_defence != 0
            if how.chooses[side] == 1 and not given:
                return
            melds[:] = 0
            u = 0.0 if side == 0 else next_uniform(t)
            if not given and outside:
                pick_best_set(
                    v.hand, 0.0, scratch[:MAX_HELD], scratch[MAX_HELD : MAX_HELD + MAX_MELDS], melds
                )
            elif not given:
                spread(v, p, u, scratch, melds)
            desk.fault = _lay_down(t, a, b, desk, sink, rules, seed, melds[0])
            continue
        if outside:
            return
        u = next_uniform(t)
        if phase == DRAW_PHASE:
            dead = answer_draw(t, v, w, desk, rules, draw(v, p, u, scratch))
        elif phase == DISCARD_PHASE:
            fault, dead = answer_discard(t, v, w, desk, rules, np.int64(discard(v, p, u, scratch)))
            desk.fault = fault
        else:
            dead = answer_knock(t, v, w, desk, rules, knock(v, p, u, scratch))
        if dead:
            conclude(t, a, b, desk, sink, rules, seed, DEAD, 0)


@lean
def _write_mask(t, v, agent, mask):
    """Mark the actions that the mover may choose from."""
    for k in range(mask.shape[0]):
        mask[k] = 0
    if t.phase == DRAW_PHASE:
        mask[TAKE] = mask[LEAVE] = 1
    elif t.phase == DISCARD_PHASE:
        cards = v.allowed
        while cards != 0:
            mask[lowest(cards)] = 1
            cards &= cards - 1
    elif t.phase == KNOCK_PHASE:
        mask[KNOCK] = mask[PLAY_ON] = 1
    elif mask.shape[0] > DONE:
        rest = v.hand & ~_laid(agent)
        limit = 999 if t.phase == DEFEND_PHASE else 0 if t.big else v.limit
        mask[DONE] = points(rest) <= limit
        for k in range(MELDS.shape[0]):
            if MELDS[k] & ~rest == 0 and deadwood(rest & ~MELDS[k]) <= limit:
                mask[FIRST_MELD + k] = 1


@lean
def _laid(agent):
    cards = np.int64(0)
    for k in range(agent.melds):
        cards |= agent.laid[k]
    return cards


@template
def step_template(tables, first, second, desks, sink, law, seed, p, scratch, actions, low, high, obs, mask):
    """Play one action at each table from ``low`` to ``high`` (-1: none), and see what it leads to."""
    desk, rules = desks[0], law[0]
    agents, how = sink[2], sink[4][0]
    for row in range(low, high):
        t, a, b, agent = tables[row], first[row], second[row], agents[row]
        if actions[row] >= 0:
            agent.reward = agent.pending
            agent.pending = 0.0
            agent.done = 0
            _act(t, a, b, desk, sink, rules, seed, agent, actions[row])
        play_on(t, a, b, desk, sink, rules, seed, p, scratch, how)
        if desk.fault:
            desk.fault_row = row
            return
        v = a if t.mover == 0 else b
        encode(v, t.phase, _laid(agent), rules, desk.held, obs[row])
        _write_mask(t, v, agent, mask[row])


@kernel
def begin(tables, first, second, desks, agents, law, seed, rows, games):
    """Begin these games at these tables."""
    for k in range(rows.shape[0]):
        row = rows[k]
        desks[0].next = games[k]
        start_game(tables[row], first[row], second[row], desks[0], law[0], seed)
        agents[row].melds = 0
        agents[row].pending = 0.0
        agents[row].done = 1  # what happens before the first decision belongs to the episode that begins


@kernel
def watch(table, seen, desks, agent, law, side, out):
    """The observation of one side of one table."""
    asked = table[0].phase if table[0].mover == side else IDLE
    encode(seen[0], asked, _laid(agent[0]) if asked != IDLE else np.int64(0), law[0], desks[0].held, out)


@kernel
def first_illegal(mask, actions):
    """The first table whose action is not legal; -1 if all are."""
    for row in range(actions.shape[0]):
        action = actions[row]
        if action < 0 or action >= mask.shape[1] or mask[row, action] == 0:
            return row
    return -1


@kernel
def sample(mask, seed, turn, out):
    """One legal action for each table, all equally likely."""
    for row in range(mask.shape[0]):
        legal = 0
        for action in range(mask.shape[1]):
            legal += mask[row, action]
        left = int(key_uniform(choice_key(seed, row, turn), 0, 0) * legal)
        for action in range(mask.shape[1]):
            if mask[row, action]:
                if left == 0:
                    out[row] = action
                    break
                left -= 1


@kernel
def waiting(tables, phase, rows, u):
    """List the tables that wait for side 1 in a phase, with their uniform numbers; return how many."""
    n = 0
    for row in range(tables.shape[0]):
        if tables[row].phase == phase and tables[row].mover == 1:
            rows[n] = row
            u[n] = next_uniform(tables[row])
            n += 1
    return n


@cache
def step_of(policy: Policy) -> Kernel:
    """The step against an opponent made of kernels."""
    deciders = {
        "draw": policy.draw,
        "discard": policy.discard,
        "knock": policy.knock,
        "spread": policy.spread,
    }
    return bound(step_template, play_on=bound(play_on_template, **deciders))
