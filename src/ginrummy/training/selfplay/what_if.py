"""What other answers would have brought: lines of play from the learner's own decisions, with the same cards.

The learner's likeliest answers are tried, all in the same worlds: the opponent holds the hand that it truly
holds. Until the own turn ``LATE`` a line ends where the other side is next asked for a draw, and the network
of leaves says what such a position is worth, with all cards known (``search.leaves``): one look costs a few
microseconds and knows how champion's network goes on. From then on, and under other rules, lines go on to the
end of the round, where the learner is unsure and at some of its sure decisions; the stock then comes once as
it truly lies and then in other orders. The learner's side plays on as the shipped sketch of its network does
(``policies.sketch``). An opponent made of kernels plays as itself, the learner and its past selves as the
sketch, anybody else by the fast rule of search (``policies.rollout``). The learner is told the mean worth of
each of these answers. Nobody could know one such number at the table; over many decisions that look alike,
they average to what the answer is worth to somebody who sees only his own side.
"""

from functools import cache
from itertools import product
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
from ginrummy.rules import EAAI
from ginrummy.scoring import DEAD
from ginrummy.search.kernel import CUT, cut_line
from ginrummy.search.leaves import BINS, leaves
from ginrummy.search.pricing import price_list
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
"""Orders of the stock in which a draw is played: the true one, and others."""
WHOLE_WORLDS = 2
"""The same, where lines go on to the end of the round. A cut line of another answer knows no order."""
LATE = 8
"""From this own turn on lines go on to the end of the round: it is near, and leaves are told little of it."""
NEAR = 30.0
"""Discards whose logits are further behind the greatest one than this are not played on."""
OWN_KIND = "early"
"""The type of the learner itself and of its past selves."""
NO = CARDS
"""Code of the answer no; yes comes after it. Discards are coded as their cards; -1 is no answer."""
_ENDLESS = np.iinfo(np.int64).max
_NO_CUT = 1 << 30


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
    leaf,
    desk_room,
    codes,
    worth,
):
    """Play on from some decisions: rows of tables, and for each the other hand, logits and mask.

    ``leaf`` has the network of leaves, what its classes are worth by both scores and who began the round, and
    the type of each opponent. Writes codes of answers and what they are worth, in rewards.
    """
    tables, first, second, desks, free, scratch, hands, cards, todo, results = desk_room
    desk = desks[0]
    weights, prices, kinds = leaf
    for k in range(rows.shape[0]):
        b = rows[k]
        seen = mine[b]
        size = np.int64(seen.stock)
        cuts = prices.shape[0] > 1 and seen.own_turns < LATE
        worlds = (WORLDS if question == DRAW else 1) if cuts else WHOLE_WORLDS
        stocks = cards[: worlds * size].reshape((worlds, size))
        _fill_stocks(t[b], size, stocks)
        answers = _list_answers(logits[k], question, mask[k], codes[k])
        n = 0
        for w in range(worlds):
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
        starts = np.int64(seen.starts)
        price = prices[seen.score * cuts, seen.opponent_score * cuts, starts]
        end = weights, price, np.int64(0 if cuts else _NO_CUT), kinds[who[b]]
        sink = mine[b : b + 1], phase, hands, stocks, todo, results, end
        key = np.int64(t[b].key >> np.uint64(12))
        begin(tables, first, second, desks, sink, law, key)
        play(tables, first, second, desks, sink, law, key, own, styles[who[b]], free, scratch, _ENDLESS)
        keeps = law[0].redeal_keeps_dealer
        own_score, other_score = np.int64(seen.score), np.int64(seen.opponent_score)
        for a in range(answers):
            total = 0.0
            for w in range(worlds):
                result = results[w * answers + a]
                if result.outcome == CUT:
                    total += result.value
                else:
                    won = np.int64(result.points)
                    total += chance_after(chances, own_score, other_score, starts, won, keeps)
            worth[k, a] = total / worlds * SCALE


@cache
def _kernel(other: Policy) -> Kernel:
    return bound(_play_on, play=loop(SKETCH, other, cut_line))


class WhatIf(NamedTuple):
    """Memory for lines of play, and how the opponents of an arena play in them."""

    room: Room
    plays: list[tuple[Policy, IntArray, FloatArray]]
    """Each policy, which opponents play it (0: the learner itself), and [1 + opponents, P] constants."""
    kinds: IntArray  # [1 + opponents] int64  types, manner by manner, as leaves know them
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
        prices: FloatArray,
    ) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.float32]]:
        """[N, ANSWERS] codes of answers, -1 for none, and what they are worth.

        ``mine`` are the views of the side that decides at tables ``rows``; ``facts`` are for each of them the
        other hand, the logits and the cards that may be discarded. ``prices`` are those of ``leaf_prices``,
        or none where lines must go on to the end of the round.
        """
        codes = np.full((len(rows), ANSWERS), -1, np.int8)
        worth = np.zeros((len(rows), ANSWERS), np.float32)
        batch, free, scratch = self.room
        desk_room = (*batch, free, scratch, self.hands, self.cards, self.todo, self.results)
        leaf = leaves().weights, prices, self.kinds
        for policy, players, styles in self.plays:
            some = np.flatnonzero(np.isin(who[rows], players))
            if len(some):
                found = codes[some], worth[some]
                _kernel(policy)(
                    tables, mine, rows[some], *(one[some] for one in facts), question, np.int64(phase), who,
                    styles, sketch_style(), law, chances, leaf, desk_room, *found,
                )  # fmt: skip
                codes[some], worth[some] = found
        check_fault(batch, ("learner's line", "opponent's line"))
        return codes, worth


@cache
def leaf_prices() -> FloatArray:
    """[100, 100, 2, BINS] what the classes of leaves are worth, by both scores and who began the round."""
    shares, target = leaves().shares, EAAI.target
    prices = np.empty((target, target, 2, BINS))
    for own, other, starts in product(range(target), range(target), range(2)):
        prices[own, other, starts] = shares @ price_list(EAAI, own, other, starts)
    return prices


NO_PRICES = np.zeros((1, 1, 2, BINS))
"""For rules that the network of leaves does not know."""


def what_if(opponents: list[Compiled], kinds: list[int]) -> WhatIf:
    """Room for lines against these opponents, each given by how it plays in lines and by its type.

    Types are numbers of ``estimators.types``, manner by manner.
    """
    lines = WORLDS * ANSWERS
    everybody = [own_policy(SKETCHED), *opponents]
    plays: list[tuple[Policy, IntArray, FloatArray]] = []
    for policy in dict.fromkeys(one.policy for one in everybody):
        players = np.array([k for k, one in enumerate(everybody) if one.policy is policy])
        styles = np.zeros((len(everybody), len(everybody[players[0]].array)))
        styles[players] = [everybody[k].array for k in players]
        plays.append((policy, players, styles))
    hands, cards = np.zeros(WORLDS, np.int64), np.zeros(WORLDS * CARDS, np.int8)
    types = np.array([TYPES.index(OWN_KIND), *kinds], np.int64)
    return WhatIf(room_for(lines), plays, types, hands, cards, np.zeros(lines, LINE), np.zeros(lines, RESULT))


def style_of(player: Player, kind: str, past: bool) -> Compiled:
    """How an opponent plays in lines: as itself, sketched if it is a past self, or by the fast rule.

    The fast rule has the knocks of ``kind``, a type of opponent.
    """
    if player.compiled is not None:
        return player.compiled
    if past:
        return own_policy(SKETCHED)
    found = constants("code", OTHER_TERM)
    found[KNOCK : KNOCK + KNOCK_TURNS] = KNOCK_LIMITS[TYPES.index(kind)]
    return Compiled(ROLLOUT, tuple(found.tolist()))
