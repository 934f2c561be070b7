"""Kernels of the arena: who waits, what the learner is told, what it answers, and what a round brings."""

import numpy as np

from ginrummy._jit import kernel, lean, lowest
from ginrummy.policies.champion import (
    CARD_INPUTS,
    DISCARD,
    DRAW,
    KNOCKS,
    SCORE,
    TAKES,
    encode,
    place,
    settled,
)
from ginrummy.tables import finish, next_uniform, start_game
from ginrummy.training.selfplay.privileged import write_secrets
from ginrummy.training.selfplay.rows import pack_secrets, pack_view

SCALE = 5.0
"""A whole game is worth this much reward."""
ROUNDS, POINTS, GAMES, WINS = range(4)
"""Columns of the results by opponent."""
TAKE, KNOCK = 52, 53
"""Places of the two choices among the logits; the discards come before them."""
LOGITS = 54


@kernel
def begin_some(t, v0, v1, desk, rules, seed, rows):
    """Begin the first game at some tables."""
    for k in range(rows.shape[0]):
        b = rows[k]
        start_game(t[b], v0[b], v1[b], desk[0], rules[0], seed)


@kernel
def sort_waiting(t, who, phase, places, rows, u):
    """List the tables that wait in a phase, group by group: the learner as side 0, as side 1, the opponents.

    Group ``g`` ends at ``places[g]`` of ``rows``; ``u`` are the uniform numbers of the tables.
    """
    places[:] = 0
    for b in range(t.shape[0]):
        if t[b].phase == phase:
            places[1 if t[b].mover == 0 else 2 + who[b]] += 1
    for g in range(1, places.shape[0]):
        places[g] += places[g - 1]
    for b in range(t.shape[0]):
        if t[b].phase == phase:
            g = 0 if t[b].mover == 0 else 1 + who[b]
            rows[places[g]] = b
            u[places[g]] = next_uniform(t[b])
            places[g] += 1


@kernel
def collect(
    t, mine, other, rows, beliefs, side, question, constants, laws, scratch, x, x_bits, y, y_bits, last,
    start, spots, values, ends, blueprint, hidden, mask, questions, after,
):  # fmt: skip
    """Encode the learner's open decisions at some tables from place ``start`` on; returns the next place."""
    n = start
    for k in range(rows.shape[0]):
        b = rows[k]
        seen = mine[b]
        encode(seen, question, constants[laws[b]], beliefs[k], scratch, x)
        write_secrets(t[b], seen, other[b], scratch, y)
        ends[n, 0] = ends[n - 1, 2] if n > 0 else 0
        ends[n, 1] = pack_view(x, x_bits, ends[n, 0], spots, values)
        ends[n, 2] = pack_secrets(y, y_bits, ends[n, 1], spots, values)
        say_blueprint(x, blueprint[n])
        hidden[n] = other[b].hand
        mask[n] = seen.allowed
        questions[n] = question
        after[n] = -1
        if last[b, side] >= 0:
            after[last[b, side]] = n
        last[b, side] = n
        n += 1
    return n


@lean
def say_blueprint(x, out):
    """Write the blueprint's scores to ``out`` [54]: what the logits correct."""
    for card in range(52):
        out[card] = -x[place(SCORE, card)]
    out[TAKE] = x[CARD_INPUTS + TAKES]
    out[KNOCK] = x[CARD_INPUTS + KNOCKS]


@kernel
def encode_packed(view, rows, question, p, beliefs, scratch, x, bits, spots, values, ends, blueprint):
    """Encode and pack open decisions; ``beliefs`` [N, 52] are those about their rows."""
    for n in range(rows.shape[0]):
        encode(view[rows[n]], question, p, beliefs[n], scratch, x)
        ends[n, 0] = ends[n - 1, 2] if n > 0 else 0
        ends[n, 1] = ends[n, 2] = pack_view(x, bits, ends[n, 0], spots, values)
        say_blueprint(x, blueprint[n])


@kernel
def choose(logits, mask, question, u, open_, answers, actions, log_chances):
    """Draw answers by the logits: to ``answers`` for all rows, to ``actions`` for the open ones."""
    n = 0
    chance = np.empty(52)
    for k in range(u.shape[0]):
        if not open_[k]:
            answers[k] = settled(question)
            continue
        row = logits[n]
        if question != DISCARD:
            logit = np.float64(row[TAKE if question == DRAW else KNOCK])
            yes = 1.0 / (1.0 + np.exp(-logit))
            answers[k] = u[k] < yes
            log_chances[n] = np.log(max(yes if answers[k] else 1.0 - yes, 1e-12))
        else:
            high = -1e30
            cards = mask[n]
            while cards != 0:
                high = max(high, np.float64(row[lowest(cards)]))
                cards &= cards - 1
            total = 0.0
            cards = mask[n]
            while cards != 0:
                card = lowest(cards)
                cards &= cards - 1
                chance[card] = np.exp(row[card] - high)
                total += chance[card]
            summed = 0.0
            card = 0
            cards = mask[n]
            while cards != 0:
                card = lowest(cards)
                cards &= cards - 1
                summed += chance[card]
                if summed > u[k] * total:
                    break
            answers[k] = card
            log_chances[n] = np.log(max(chance[card] / total, 1e-12))
        actions[n] = answers[k]
        n += 1


@lean
def reward_sides(t, a, b, desk, sink, rules, seed, outcome, worth):
    """Give the result of a finished round to the last decision of each side, and deal again."""
    games, rounds, chances, last, reward, done, results, booked = sink
    own, other = np.int64(a.score), np.int64(b.score)
    own_after, other_after = own + max(worth, 0), other + max(-worth, 0)
    target = chances.shape[0]
    starter = np.int64(t.starter)
    next_starter = 1 - starter if worth != 0 or rules.redeal_keeps_dealer == 0 else starter
    before = chances[own, other, 1 - starter]
    over = own_after >= target or other_after >= target
    after = np.float64(own_after >= target) if over else chances[own_after, other_after, 1 - next_starter]
    for side in range(2):
        k = last[t.row, side]
        if k >= 0:
            reward[k] = (after - before) * SCALE * (1 - 2 * side)
            done[k] = True
        last[t.row, side] = -1
    row = results[booked[t.row]]
    row[ROUNDS] += 1
    row[POINTS] += worth
    if over:
        row[GAMES] += 1
        row[WINS] += own_after >= target
    finish(t, a, b, desk, games, rounds, rules, seed, outcome, worth)


@kernel
def skip(kept, after, done, reward, hops):
    """Join what decisions that are not kept lie between: each kept one then points to the next kept one.

    ``hops`` becomes the number of decisions to it. ``done`` and ``reward`` move to the last kept one.
    """
    for n in range(after.shape[0] - 1, -1, -1):
        k = after[n]
        hops[n] = 1
        if k >= 0 and not kept[k]:
            hops[n] += hops[k]
            after[n], done[n], reward[n] = after[k], done[k], reward[k]


@kernel
def advantages(kept, after, hops, done, reward, values, decay, gains, valid):
    """Generalised advantages of the kept decisions, from the last to the first.

    ``decay`` is by decision: what follows after several counts that many times less. A decision without a
    successor whose round is not over yet only helps the one before it; ``valid`` says which decisions have an
    advantage.
    """
    for n in range(after.shape[0] - 1, -1, -1):
        k = after[n]
        valid[n] = kept[n] and (done[n] or k >= 0)
        gains[n] = 0.0
        if valid[n]:
            if done[n]:
                gains[n] = reward[n] - values[n]
            else:
                gains[n] = values[k] - values[n] + (decay ** hops[n] * gains[k] if valid[k] else 0.0)
