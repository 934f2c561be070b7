"""A sketch of champion's network: what it would do, guessed by small networks in a microsecond.

Lines of play need a policy that costs next to nothing. The fast rule (``policies.rollout``) is one, but a
much weaker player than champion; what a move is worth depends on how well one plays on. The sketch learned
to answer as champion's network does (``ginrummy train sketch``): a small network scores each discard that the
fast rule would consider, two others answer draws and knocks. Decisions that champion settles without its
network are settled here too.

The constants are those of the fast rule, then the weights of the three networks, two in each constant: all
constants of a player are in one list of float64, and the layers are added up in float32 (``packed``).
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ginrummy._jit import add_16, add_32, inlined, kernel, lean, lowest
from ginrummy.cards import DECK
from ginrummy.compiled.policy import Policy
from ginrummy.dense import Weights, relu, size
from ginrummy.meld_kernels import deadwood, least_after_discard
from ginrummy.policies.rollout import CONSTANTS as RULE
from ginrummy.policies.rollout import spread
from ginrummy.policies.sketch_features import (
    CARD,
    CHOICE,
    CONTEXT,
    SCORES,
    look_ahead,
    read_log,
    write_card,
    write_choice,
    write_context,
    write_look_ahead,
)
from ginrummy.strength import candidates

HIDDEN, SECOND, CHOICE_HIDDEN = 32, 16, 32
DISCARDS = size(CONTEXT, HIDDEN) + CARD * HIDDEN + size(HIDDEN, SECOND) + SECOND
"""Weights of the network of discards: context to hidden with biases, card to hidden, hidden to a second layer
with biases, that to a score."""
CHOICES = size(CHOICE, CHOICE_HIDDEN, 1)
"""Weights of each of the networks of draws and knocks."""
DRAWS_AT, KNOCKS_AT = DISCARDS, DISCARDS + CHOICES
WEIGHTS = DISCARDS + 2 * CHOICES
CONSTANTS = RULE + (WEIGHTS + 1) // 2
_CARDS_AT = size(CONTEXT, HIDDEN)
_SECOND_AT = _CARDS_AT + CARD * HIDDEN
_SCORE_AT = _SECOND_AT + size(HIDDEN, SECOND)
_AHEAD, _FREE = 64, 64 + SCORES
"""Places in the scratch, after the deadwoods by card: the look-ahead, then the layers of the network."""


def packed(networks: Sequence[Weights]) -> npt.NDArray[np.float64]:
    """The weights of the networks, two float32 in each float64."""
    weights = np.zeros(WEIGHTS + WEIGHTS % 2, np.float32)
    weights[:WEIGHTS] = np.concatenate(networks)
    return weights.view(np.float64)


@inlined
def _output(hidden, w, at, n):
    """The weighted sum of a layer after ReLU, in four parts: the processor adds them side by side."""
    a = b = c = d = np.float32(0)
    for k in range(0, n, 4):
        a += max(hidden[k], np.float32(0)) * w[at + k]
        b += max(hidden[k + 1], np.float32(0)) * w[at + k + 1]
        c += max(hidden[k + 2], np.float32(0)) * w[at + k + 2]
        d += max(hidden[k + 3], np.float32(0)) * w[at + k + 3]
    return (a + b) + (c + d)


@lean
def best_by_sketch(seen, p, scratch):
    """The discard with the greatest score; gin before all others."""
    cards = candidates(seen.hand, seen.allowed, p, scratch)  # scratch[card]: the deadwood without it
    best = lowest(cards)
    if cards & (cards - 1) == 0:
        return best
    least = np.int64(999)
    rest = cards
    while rest != 0:
        card = lowest(rest)
        rest &= rest - 1
        if scratch[card] < least:
            least, best = scratch[card], card
    if least == 0:
        return best
    w, ahead, room = p[RULE:].view(np.float32), scratch[_AHEAD:_FREE], scratch[_FREE:].view(np.float32)
    f, common, layers = room[:CARD], room[CARD : CARD + HIDDEN], room[CARD + HIDDEN :]
    hidden, second = layers[:HIDDEN], layers[HIDDEN : HIDDEN + SECOND]
    look_ahead(cards, scratch, seen, p, ahead)
    log = read_log(seen)
    write_context(seen, log, least, f)
    for k in range(HIDDEN):
        common[k] = w[CONTEXT * HIDDEN + k]
    add_32(f, CONTEXT, w, 0, common)
    gone = seen.pile | seen.hand
    unseen = DECK & ~(gone | seen.opponent)
    most = -np.inf
    while cards != 0:
        card = lowest(cards)
        cards &= cards - 1
        write_card(card, seen.hand, scratch[card] - least, gone, seen.opponent, unseen, log, f)
        write_look_ahead(card, ahead, f)
        for k in range(HIDDEN):
            hidden[k] = common[k]
        add_32(f, CARD, w, _CARDS_AT, hidden)
        relu(hidden, HIDDEN)
        for k in range(SECOND):
            second[k] = w[_SECOND_AT + HIDDEN * SECOND + k]
        add_16(hidden, HIDDEN, w, _SECOND_AT, second)
        score = _output(second, w, _SCORE_AT, SECOND)
        if score > most:
            most, best = score, card
    return best


@lean
def _likes(seen, now, knocking, at, p, scratch):
    """How much the network of draws or knocks, ``at`` this place of the weights, likes yes."""
    w, room = p[RULE:].view(np.float32), scratch.view(np.float32)
    f, hidden = room[:CHOICE], room[CHOICE : CHOICE + CHOICE_HIDDEN]
    write_choice(seen, now, knocking, f)
    bias = at + CHOICE * CHOICE_HIDDEN
    for k in range(CHOICE_HIDDEN):
        hidden[k] = w[bias + k]
    add_32(f, CHOICE, w, at, hidden)
    last = bias + CHOICE_HIDDEN
    return w[last + CHOICE_HIDDEN] + _output(hidden, w, last, CHOICE_HIDDEN)


@lean
def draw(seen, p, u, scratch):
    """Take the upcard if it lowers deadwood and the sketch says so."""
    now = deadwood(seen.hand)
    if least_after_discard(seen.hand | np.int64(1) << np.int64(seen.top)) >= now:
        return False
    return _likes(seen, now, False, DRAWS_AT, p, scratch) > 0


@lean
def discard(seen, p, u, scratch):
    """Discard by the greatest score."""
    return best_by_sketch(seen, p, scratch)


@lean
def knock(seen, p, u, scratch):
    """Lay gin down; knock otherwise if the sketch says so."""
    now = deadwood(seen.hand)
    return now == 0 or _likes(seen, now, True, KNOCKS_AT, p, scratch) > 0


SKETCH = Policy(draw, discard, knock, spread)


@kernel
def card_rows(view, rows, p, scratch, cards_out, context, cards):
    """Write what the network of discards learns from.

    [N, 11] cards (left as they are where there are fewer), [N, CONTEXT], [N, 11, CARD].
    """
    for k in range(rows.shape[0]):
        seen = view[rows[k]]
        log = read_log(seen)
        gone = seen.pile | seen.hand
        unseen = DECK & ~(gone | seen.opponent)
        rest = found = candidates(seen.hand, seen.allowed, p, scratch)
        least = np.int64(999)
        n = 0
        while rest != 0:
            cards_out[k, n] = lowest(rest)
            least = min(least, scratch[lowest(rest)])
            rest &= rest - 1
            n += 1
        write_context(seen, log, least, context[k])
        ahead = scratch[_AHEAD:_FREE]
        look_ahead(found, scratch, seen, p, ahead)
        for place in range(n):
            card = cards_out[k, place]
            more = scratch[card] - least
            write_card(card, seen.hand, more, gone, seen.opponent, unseen, log, cards[k, place])
            write_look_ahead(card, ahead, cards[k, place])


@kernel
def choice_rows(view, rows, knocking, out):
    """Write what the networks of draws and knocks learn from: [N, CHOICE]."""
    for k in range(rows.shape[0]):
        seen = view[rows[k]]
        write_choice(seen, deadwood(seen.hand), knocking, out[k])
