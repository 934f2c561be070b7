"""What other answers would have brought: lines of play from the learner's own decisions, with the same cards.

Wherever the learner is unsure, and at some of its sure decisions, its likeliest answers are played on to the
end of the round, all in the same worlds: the opponent holds the hand that it truly holds, and the stock comes
once as it truly lies and then in other orders. The learner's side plays on as the shipped sketch of its
network does (``policies.sketch``). An opponent made of kernels plays as itself, the learner and its past
selves as the sketch, anybody else by the fast rule of search (``policies.rollout``). The learner is told the
mean worth of each of these answers. Nobody could know one such number at the table; over many decisions that
look alike, they average to what the answer is worth to somebody who sees only his own side.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ginrummy._jit import Kernel, bound, inlined, lean, lowest, template
from ginrummy.cards import CARDS
from ginrummy.compiled.passes import check_fault
from ginrummy.compiled.policy import Compiled, Policy
from ginrummy.compiled.worlds import ASK, LINE, RESULT, Room, begin, loop, room_for
from ginrummy.decks import choice_key, key_uniform
from ginrummy.estimators.types import KNOCK_LIMITS, TYPES
from ginrummy.players.base import Player
from ginrummy.policies.champion import DISCARD, DRAW
from ginrummy.policies.rollout import ROLLOUT
from ginrummy.policies.sketch import SKETCH
from ginrummy.scoring import DEAD
from ginrummy.search.styles import OTHER_TERM, constants, own_policy, sketch_style
from ginrummy.search.styles import SKETCH as SKETCHED
from ginrummy.strength import KNOCK, KNOCK_TURNS
from ginrummy.training.selfplay.kernels import KNOCK as KNOCK_LOGIT
from ginrummy.training.selfplay.kernels import SCALE, TAKE
from ginrummy.view import FloatArray, IntArray

# ruff: noqa: F821
# mypy: disable-error-code=name-defined
# Both tools would report ``play``, the open name of the template below.

ANSWERS = 4
"""Most answers of a decision that are played on."""
WORLDS = 4
"""Orders of the stock in which each of them is played: the true one, and others."""
NEAR = 30.0
"""Discards whose logits are further behind the greatest one than this are not played on."""
NO = CARDS
"""Code of the answer no; yes comes after it. Discards are coded as their cards; -1 is no answer."""
_ENDLESS = np.iinfo(np.int64).max


@lean
def _list_answers(row, question, mask, codes):
    """Write the codes of the likeliest answers to ``codes`` [ANSWERS], the likeliest first; returns how many.

    ``row`` are the logits of one decision.
    """
    if question != DISCARD:
        yes = row[TAKE if question == DRAW else KNOCK_LOGIT] > 0
        codes[0], codes[1] = NO + yes, NO + 1 - yes
        return 2
    n = 0
    high = 0.0
    cards = mask
    while cards != 0 and n < ANSWERS:
        best = lowest(cards)
        rest = cards
        while rest != 0:
            card = lowest(rest)
            rest &= rest - 1
            if row[card] > row[best]:
                best = card
        if n == 0:
            high = row[best]
        elif row[best] < high - NEAR:
            break
        codes[n] = best
        cards ^= np.int64(1) << best
        n += 1
    return n


@lean
def _fill_stocks(t, size, stocks):
    """Write the true order of the stock, then others drawn by chance, to ``stocks`` [WORLDS, size]."""
    for k in range(size):
        stocks[0, k] = t.deck[CARDS - size + k]
    key = choice_key(np.int64(t.key >> np.uint64(12)), size, 7)
    drawn = 0
    for w in range(1, stocks.shape[0]):
        for k in range(size):  # each card goes to a place drawn so far; what was there moves to the end
            place = np.int64(key_uniform(key, 0, drawn) * (k + 1))
            drawn += 1
            stocks[w, k] = stocks[w, place]
            stocks[w, place] = stocks[0, k]


@inlined
def chance_after(chances, own, other, starts, worth, keeps):
    """The chance to win after a round of ``worth`` points; ``keeps``: who started starts again if it is 0."""
    target = chances.shape[0]
    own_after, other_after = own + max(worth, 0), other + max(-worth, 0)
    if own_after >= target:
        return 1.0
    if other_after >= target:
        return 0.0
    return chances[own_after, other_after, starts if worth == 0 and keeps != 0 else 1 - starts]


@template
def _play_on(
    t,
    mine,
    rows,
    hidden,
    logits,
    mask,
    question,
    phase,
    who,
    styles,
    own,
    law,
    chances,
    desk_room,
    codes,
    worth,
):
    """Play on from some decisions: rows of tables, and for each the other hand, logits and mask.

    Writes codes of answers and what they are worth, in rewards.
    """
    tables, first, second, desks, free, scratch, hands, cards, todo, results = desk_room
    desk = desks[0]
    for k in range(rows.shape[0]):
        b = rows[k]
        seen = mine[b]
        size = np.int64(seen.stock)
        stocks = cards[: WORLDS * size].reshape((WORLDS, size))
        _fill_stocks(t[b], size, stocks)
        answers = _list_answers(logits[k], question, mask[k], codes[k])
        n = 0
        for w in range(WORLDS):
            hands[w] = hidden[k]
            for a in range(answers):
                code = codes[k, a]
                todo[n].world = w
                todo[n].answer = code - NO if code >= NO else code
                todo[n].knock = ASK
                results[n].points = 0
                results[n].outcome = DEAD
                n += 1
        desk.next = 0
        desk.stop = n
        sink = mine[b : b + 1], phase, hands, stocks, todo, results
        key = np.int64(t[b].key >> np.uint64(12))
        begin(tables, first, second, desks, sink, law, key)
        play(tables, first, second, desks, sink, law, key, own, styles[who[b]], free, scratch, _ENDLESS)
        keeps = law[0].redeal_keeps_dealer
        starts = np.int64(seen.starts)
        for a in range(answers):
            total = 0.0
            for w in range(WORLDS):
                total += chance_after(
                    chances,
                    np.int64(seen.score),
                    np.int64(seen.opponent_score),
                    starts,
                    np.int64(results[w * answers + a].points),
                    keeps,
                )
            worth[k, a] = total / WORLDS * SCALE


@cache
def _kernel(other: Policy) -> Kernel:
    return bound(_play_on, play=loop(SKETCH, other))


class WhatIf(NamedTuple):
    """Memory for lines of play, and how the opponents of an arena play in them."""

    room: Room
    plays: list[tuple[Policy, IntArray, FloatArray]]
    """Each policy, which opponents play it (0: the learner itself), and [1 + opponents, P] constants."""
    hands: IntArray  # [WORLDS] int64
    cards: IntArray  # [WORLDS * CARDS] int8
    todo: npt.NDArray[np.void]  # [WORLDS * ANSWERS] LINE
    results: npt.NDArray[np.void]  # [WORLDS * ANSWERS] RESULT

    def ask(
        self,
        tables: npt.NDArray[np.void],
        mine: npt.NDArray[np.void],
        rows: IntArray,
        facts: tuple[IntArray, npt.NDArray[np.float32], IntArray],
        question: int,
        phase: int,
        who: IntArray,
        law: npt.NDArray[np.void],
        chances: FloatArray,
    ) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.float32]]:
        """[N, ANSWERS] codes of answers, -1 for none, and what they are worth.

        ``mine`` are the views of the side that decides at tables ``rows``; ``facts`` are for each of them the
        other hand, the logits and the cards that may be discarded.
        """
        codes = np.full((len(rows), ANSWERS), -1, np.int8)
        worth = np.zeros((len(rows), ANSWERS), np.float32)
        batch, free, scratch = self.room
        desk_room = (*batch, free, scratch, self.hands, self.cards, self.todo, self.results)
        for policy, players, styles in self.plays:
            some = np.flatnonzero(np.isin(who[rows], players))
            if len(some):
                found = codes[some], worth[some]
                _kernel(policy)(
                    tables, mine, rows[some], *(one[some] for one in facts), question, np.int64(phase), who,
                    styles, sketch_style(), law, chances, desk_room, *found,
                )  # fmt: skip
                codes[some], worth[some] = found
        check_fault(batch, ("learner's line", "opponent's line"))
        return codes, worth


def what_if(opponents: list[Compiled]) -> WhatIf:
    """Room for lines against these opponents, each given by how it plays in lines."""
    lines = WORLDS * ANSWERS
    everybody = [own_policy(SKETCHED), *opponents]
    plays: list[tuple[Policy, IntArray, FloatArray]] = []
    for policy in dict.fromkeys(one.policy for one in everybody):
        players = np.array([k for k, one in enumerate(everybody) if one.policy is policy])
        styles = np.zeros((len(everybody), len(everybody[players[0]].array)))
        styles[players] = [everybody[k].array for k in players]
        plays.append((policy, players, styles))
    hands, cards = np.zeros(WORLDS, np.int64), np.zeros(WORLDS * CARDS, np.int8)
    return WhatIf(room_for(lines), plays, hands, cards, np.zeros(lines, LINE), np.zeros(lines, RESULT))


def style_of(player: Player, kind: str | None) -> Compiled:
    """How an opponent plays in lines: as itself, by the fast rule with the knocks of a type, or sketched.

    ``kind`` is the type of a player that is not made of kernels; without one it is a past self.
    """
    if player.compiled is not None:
        return player.compiled
    if kind is None:
        return own_policy(SKETCHED)
    found = constants("code", OTHER_TERM)
    found[KNOCK : KNOCK + KNOCK_TURNS] = KNOCK_LIMITS[TYPES.index(kind)]
    return Compiled(ROLLOUT, tuple(found.tolist()))
