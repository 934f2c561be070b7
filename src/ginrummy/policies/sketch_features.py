"""What a sketch of champion's network sees: few numbers, from masks, for each discard and each choice.

``write_card`` tells of one discard: what it leaves in the hand, and what the opponent could do with it by
the cards that are gone, taken, thrown and left. ``look_ahead`` adds what one more card would save, and the
score of ``hand-strength``, which the network corrects too. ``write_context`` tells of the table.
``write_choice`` tells of a draw or a knock.
"""

from typing import Any, NamedTuple

import numpy as np

from ginrummy._jit import count, inlined, lean, lowest
from ginrummy.cards import CARDS, DECK, POINTS, RANK
from ginrummy.makers import meld_makers, paired_ranks, run_makers
from ginrummy.meld_kernels import in_runs, least_after_discard, melds_with, points
from ginrummy.savings import ROOM, future_deadwood
from ginrummy.strength import K, discard_score, future_weight, gone_neighbours, neighbours
from ginrummy.styles import GINS, KNOCK_DEADWOOD, KNOCK_TURNS, KNOCKS, ROUNDS, WAITS
from ginrummy.view import DISCARD, DRAWN, FIRST_OFFER, OTHER, SECOND_OFFER, UPCARD, WHO

(
    LEFT_MORE, RUN_MAKERS, SET_MAKERS, OWN_MATES, OWN_NEAR, OWN_FAR, ALONE, ALONE_POINTS,  # the own hand
    WORTH, COURT,  # the card itself
    GONE_1, GONE_2, GONE_3, GONE_NEAR, GONE_FAR, LIVE_RUNS, LIVE_SETS,  # what is gone, what is not
    TAKEN_1, TAKEN_2, TAKEN_NEAR, TAKEN_FAR, COMPLETES, HALF_RUNS, HALF_SETS,  # the opponent's known cards
    THROWN_MATES, THROWN_NEAR, THROWN_FAR, LEFT_MATES, LEFT_NEAR, LEFT_FAR,  # what it threw and left
    LAST_MATE, LAST_NEAR, LAST_FAR, BEFORE_MATE, LATELY_NEAR, LATELY_FAR, LATELY_MATE,  # what it did last
    SHOWN,  # whether it saw the card being taken
    SAVED_LESS, SCORE_MORE,  # what one more card saves after it, and the score of ``hand-strength``
) = range(40)  # fmt: skip
"""Numbers of a discard. *Mates* are cards of the same rank, *near* and *far* ones are one and two ranks away
in the same suit."""
CARD = 40
SCORES = 2 * CARDS + ROOM
"""Numbers of room, of eight bytes each, that ``look_ahead`` needs."""

_STYLE = 7
CONTEXT = 17 + _STYLE
"""Numbers of the table: turn (four times), known cards of the opponent, stock, deadwood (twice), scores and
whether they are high, who starts, cards left and thrown, whether the upcard was taken, how close the target
is, the opponent's style. Their number is even, as sums of layers want it."""

_STYLE_AT = 22
_SAVES = 31
CHOICE = 44
"""Numbers of a draw or a knock; those from ``_SAVES`` on are about the upcard, 0 for a knock."""


class Seen(NamedTuple):
    """What the log tells, as masks."""

    thrown: Any
    """Cards of the pile that the opponent discarded."""
    left: Any
    """Cards of the pile that the opponent left."""
    last: Any
    """The opponent's last discard."""
    before: Any
    """The discard before that."""
    lately: Any
    """The upcard that it left last."""
    shown: Any
    """Own cards that it saw being taken."""


@lean
def read_log(seen):
    """The masks of ``Seen``."""
    thrown = left = last = before = lately = shown = np.int64(0)
    for event in range(seen.events):
        upcard = np.int64(1) << np.int64(seen.log[event, UPCARD])
        took = seen.log[event, DRAWN] == seen.log[event, UPCARD]
        if seen.log[event, WHO] != OTHER:
            if took:
                shown |= upcard
            continue
        if not took:
            lately = upcard
            left |= upcard
        if seen.log[event, DISCARD] >= 0:
            before = last
            last = np.int64(1) << np.int64(seen.log[event, DISCARD])
            thrown |= last
    return Seen(thrown & seen.pile, left & seen.pile, last, before, lately, shown & seen.hand)


@inlined
def _beside(cards, card):
    """Whether some of the cards are one rank away, and two ranks away."""
    low, high, low2, high2 = neighbours(cards)
    return (low | high) >> card & 1, (low2 | high2) >> card & 1


@lean
def write_card(card, hand, more, gone, known, unseen, log, f):
    """Write the numbers of a discard to ``f`` [CARD]; ``more``: deadwood above that of the best discard.

    ``gone`` are the pile and the own hand, ``known`` the cards that the opponent took and still holds.
    """
    bit = np.int64(1) << card
    mates = (np.int64(RANK) << card % 13) & ~bit
    _write_own(card, hand ^ bit, mates, unseen, f)
    f[LEFT_MORE] = more * 0.1
    f[WORTH], f[COURT] = POINTS[card] * 0.1, POINTS[card] == 10
    _write_danger(card, mates, gone, known, f)
    f[THROWN_MATES], f[LEFT_MATES] = count(log.thrown & mates), count(log.left & mates)
    f[THROWN_NEAR], f[THROWN_FAR] = _beside(log.thrown, card)
    f[LEFT_NEAR], f[LEFT_FAR] = _beside(log.left, card)
    f[LAST_MATE], f[BEFORE_MATE] = log.last & mates != 0, log.before & mates != 0
    f[LAST_NEAR], f[LAST_FAR] = _beside(log.last, card)
    f[LATELY_MATE] = log.lately & mates != 0
    f[LATELY_NEAR], f[LATELY_FAR] = _beside(log.lately, card)
    f[SHOWN] = log.shown >> card & 1


@lean
def look_ahead(cards, left, seen, p, room):
    """Work out what one more card saves after each discard, and its score by ``hand-strength``.

    ``left`` has the deadwood after each of ``cards``. They are written to ``room`` by card, less those of the
    best discard: first what is saved, then the scores.
    """
    saved, scores, rest = room[:CARDS].view(np.float64), room[CARDS : 2 * CARDS].view(np.float64), cards
    gone = seen.pile | seen.hand
    unseen = DECK & ~(gone | seen.opponent)
    k = min(np.int64(p[K]), count(unseen))
    weight = future_weight(seen.own_turns, p)
    most, least = -np.inf, np.inf
    while rest != 0:
        card = lowest(rest)
        rest &= rest - 1
        future = future_deadwood(seen.hand ^ np.int64(1) << card, unseen, k, room[2 * CARDS :])
        saved[card] = left[card] - future
        scores[card] = discard_score(card, left[card], future, gone, seen.opponent, weight, p)
        most, least = max(most, saved[card]), min(least, scores[card])
    while cards != 0:
        card = lowest(cards)
        cards &= cards - 1
        saved[card] = most - saved[card]
        scores[card] -= least


@inlined
def write_look_ahead(card, room, f):
    """Write the numbers that ``look_ahead`` left for a discard to ``f`` [CARD]."""
    f[SAVED_LESS] = room[:CARDS].view(np.float64)[card] * 0.3
    f[SCORE_MORE] = room[CARDS : 2 * CARDS].view(np.float64)[card] * 0.01


@inlined
def _write_own(card, rest, mates, unseen, f):
    """Write what the discard leaves in the own hand."""
    pairs = paired_ranks(rest) * RANK
    low, high, low2, high2 = neighbours(rest)
    f[RUN_MAKERS] = count(run_makers(rest) & unseen) * 0.3
    f[SET_MAKERS] = count(pairs & ~rest & unseen) * 0.3
    f[OWN_MATES] = count(mates & rest)
    f[OWN_NEAR] = (low >> card & 1) + (high >> card & 1)
    f[OWN_FAR] = (low2 >> card & 1) + (high2 >> card & 1)
    alone = rest & ~(in_runs(rest) | pairs | low | high | low2 | high2)
    f[ALONE], f[ALONE_POINTS] = count(alone) * 0.3, points(alone) * 0.05


@inlined
def _write_danger(card, mates, gone, known, f):
    """Write which melds the opponent could make with the card, by what is gone and by what it took."""
    lost, held = count(gone & mates), count(known & mates)
    there = 3 - lost
    f[GONE_1], f[GONE_2], f[GONE_3] = lost == 1, lost == 2, lost == 3
    f[TAKEN_1], f[TAKEN_2] = held == 1, held >= 2
    f[LIVE_SETS] = there * (there - 1) * 0.2
    f[HALF_SETS] = (held == 1) * (there - 1) * 0.5
    low, high, low2, high2 = gone_neighbours(gone)
    low, high, low2, high2 = low >> card & 1, high >> card & 1, low2 >> card & 1, high2 >> card & 1
    below, around, above = 1 - (low | low2), 1 - (low | high), 1 - (high | high2)  # live runs
    f[GONE_NEAR], f[GONE_FAR] = low + high, low2 + high2
    f[LIVE_RUNS] = (below + around + above) * 0.5
    low, high, low2, high2 = neighbours(known)
    low, high, low2, high2 = low >> card & 1, high >> card & 1, low2 >> card & 1, high2 >> card & 1
    f[TAKEN_NEAR], f[TAKEN_FAR] = low + high, low2 + high2
    f[COMPLETES] = low & low2 | low & high | high & high2
    f[HALF_RUNS] = ((low ^ low2) * below + (low ^ high) * around + (high ^ high2) * above) * 0.5


@lean
def write_context(seen, log, least, x):
    """Write the numbers of the table to ``x`` [CONTEXT]; ``least``: deadwood after the best discard."""
    turn = min(seen.own_turns, 14)
    x[0], x[1], x[2], x[3] = turn * 0.1, turn <= 2, turn <= 5, turn * turn * 0.01
    x[4] = min(count(seen.opponent), 4) * 0.3
    x[5] = seen.stock / 31.0
    x[6], x[7] = least * 0.03, least <= seen.limit
    x[8], x[9] = seen.score * 0.01, seen.opponent_score * 0.01
    x[10], x[11], x[12] = seen.score >= 75, seen.opponent_score >= 75, seen.starts
    x[13], x[14], x[15] = count(log.left) * 0.1, count(log.thrown) * 0.1, seen.top >= 0
    x[16] = seen.score + 40 >= 100
    _write_style(seen.style, x[17:])


@lean
def write_choice(seen, now, knocking, f):
    """Write the numbers of a draw or a knock to ``f`` [CHOICE]; ``now`` is the deadwood of the hand."""
    unseen = DECK & ~(seen.pile | seen.hand | seen.opponent)
    turn = min(seen.own_turns, 14)
    _write_outs(seen, now, unseen, f)
    f[0] = now * (0.1 if knocking else 0.03)
    f[1], f[2] = turn * 0.1, turn * turn * 0.01
    f[8], f[9] = count(seen.opponent) * 0.3, seen.stock / 31.0
    f[10], f[11] = seen.score * 0.01, seen.opponent_score * 0.01
    f[12], f[13] = seen.score >= 75, seen.opponent_score >= 75
    f[14], f[15], f[16], f[17], f[18] = turn <= 1, turn <= 2, turn <= 3, turn <= 4, turn <= 6
    f[19], f[20], f[21] = now <= 2, now <= 5, now <= seen.limit
    _write_style(seen.style, f[_STYLE_AT:])
    f[29], f[30] = seen.starts, seen.score + now + 15 >= 100
    if knocking:
        for place in range(_SAVES, CHOICE):
            f[place] = 0.0
    else:
        _write_upcard(seen, now, unseen, f)


@inlined
def _write_outs(seen, now, unseen, f):
    """Write how many live cards would meld, lower the deadwood, allow a knock, and give gin."""
    makers = meld_makers(seen.hand) & unseen
    f[6] = count(makers) * 0.2
    gin = lower = knock = 0
    while makers != 0:
        left = least_after_discard(seen.hand | np.int64(1) << lowest(makers))
        makers &= makers - 1
        gin += left == 0
        lower += left < now
        knock += left <= seen.limit
    f[3], f[4], f[5], f[7] = gin * 0.2, lower * 0.1, knock * 0.1, gin == 0


@inlined
def _write_style(style, f):
    """Write how the opponent ended earlier rounds of the game: ``_STYLE`` numbers."""
    rounds, knocks = np.float64(style[ROUNDS]), np.float64(style[KNOCKS])
    f[0] = rounds / (rounds + 3.0)
    f[1], f[2], f[3] = knocks / (rounds + 2.0), style[GINS] / (rounds + 2.0), style[WAITS] / (rounds + 2.0)
    f[4] = (style[KNOCK_TURNS] - 6.0 * knocks) / (knocks + 2.0) * 0.2
    f[5] = (style[KNOCK_DEADWOOD] - 5.0 * knocks) / (knocks + 2.0) * 0.2
    f[6] = style[WAITS] / (style[WAITS] + knocks + 1.0)


@inlined
def _write_upcard(seen, now, unseen, f):
    """Write what the upcard would bring."""
    top = np.int64(seen.top)
    bit = np.int64(1) << top
    left = least_after_discard(seen.hand | bit)
    melds = melds_with(seen.hand | bit, top)
    f[31], f[32], f[33] = (now - left) * 0.1, melds, left * 0.03
    f[34], f[35] = left <= seen.limit, left == 0
    f[36], f[37] = seen.offer == FIRST_OFFER, seen.offer == SECOND_OFFER
    f[38] = POINTS[top] * 0.1
    f[39] = count((np.int64(RANK) << top % 13) & ~bit & seen.hand) * 0.5
    low, high, _, _ = neighbours(seen.hand)
    f[40] = (low >> top & 1) + (high >> top & 1)
    f[41] = melds * (now - left) * 0.1
    f[42] = count(meld_makers(seen.hand | bit) & unseen) * 0.1
    f[43] = count(read_log(seen).left) * 0.1
