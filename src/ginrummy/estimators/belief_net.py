"""Our own estimator: a network that treats the suits alike, and an exact distribution over whole hands.

The network gives one number for each card. From these numbers ``exact_hands`` computes the chances of single
cards, which add up to the number of cards that the opponent must hold, and draws whole hands at random. The
network is trained on the likelihood of the true hand, in play of strong and mixed players
(``training.nets.belief``).

The inputs are ``PLANES`` x 13 numbers for each suit, then ``SCALARS`` numbers. Recency is 1 for the
opponent's last event, and is multiplied by ``FADE`` for each event further back.
"""

import numpy as np
import numpy.typing as npt

from ginrummy._jit import count, kernel, lean
from ginrummy.cards import CARDS, DECK, NO_CARD
from ginrummy.estimators.base import Beliefs, Estimator
from ginrummy.estimators.bayes import bayes
from ginrummy.estimators.exact_hands import chances, draw_hands, log_chances_of, unknown_cards
from ginrummy.networks import network
from ginrummy.rules import HAND_SIZE
from ginrummy.specs import named
from ginrummy.view import DISCARD, DRAWN, OTHER, PASSED, UPCARD, WHO, FloatArray, IntArray, View

(
    FREE,  # neither seen nor known to be held
    OWN,  # in the own hand
    HELD,  # known to be in the opponent's hand
    LAST,  # the opponent's last discard
    SECOND,  # the one before
    THIRD,  # the one before that
    FOURTH,  # the one before the third
    DISCARDED,  # all its discards, by recency
    DECLINED,  # upcards that it left, by recency
    LEFT_LAST,  # the last upcard that it left
    TAKEN,  # upcards that it took, by recency
    OWN_DISCARDS,  # own discards
    BAYES,  # logit of Bayes' rule, for free cards
) = range(13)
PLANES = 13
SUIT_INPUTS = 13 * PLANES
SCALARS = 10
INPUTS = 4 * SUIT_INPUTS + SCALARS
FADE = 0.8
LIMIT = 6.0
"""Logits of Bayes' rule are limited to this, above and below 0."""
CHUNK = 8192
"""Rows whose inputs are in memory at once."""

Inputs = npt.NDArray[np.float32]


@lean
def _put(out, plane, card, value):
    """Write a card's value; the greater of two stays, because a card may come twice in the log."""
    at = SUIT_INPUTS * (card // 13) + 13 * plane + card % 13
    out[at] = max(out[at], value)


@lean
def _write_cards(seen, belief, out):
    free = np.int64(DECK) & ~(seen.hand | seen.pile | seen.opponent)
    for card in range(CARDS):
        if free >> card & 1:
            _put(out, FREE, card, 1.0)
            p = min(max(np.float64(belief[card]), 1e-6), 1.0 - 1e-6)
            at = SUIT_INPUTS * (card // 13) + 13 * BAYES + card % 13
            out[at] = min(max(np.log(p / (1.0 - p)), -LIMIT), LIMIT) / 3.0
        elif seen.hand >> card & 1:
            _put(out, OWN, card, 1.0)
        elif seen.opponent >> card & 1:
            _put(out, HELD, card, 1.0)
    return count(free)


@lean
def _write_events(seen, out):
    """Write the events; returns the opponent's events, takes, passes and mean points of its discards."""
    recency = 1.0
    events = takes = passes = discards = points = 0
    for back in range(seen.events):
        event = seen.events - 1 - back
        upcard = np.int64(seen.log[event, UPCARD])
        discard = np.int64(seen.log[event, DISCARD])
        drawn = np.int64(seen.log[event, DRAWN])
        if seen.log[event, WHO] != OTHER:
            if discard != NO_CARD:
                _put(out, OWN_DISCARDS, discard, 1.0)
            continue
        if drawn == upcard:
            takes += 1
            _put(out, TAKEN, upcard, recency)
        else:
            passes += drawn == PASSED
            _put(out, DECLINED, upcard, recency)
            if events == 0:
                _put(out, LEFT_LAST, upcard, 1.0)
        if discard != NO_CARD:
            if discards < 4:
                _put(out, 3 + discards, discard, 1.0)  # LAST, SECOND, THIRD, FOURTH
            _put(out, DISCARDED, discard, recency)
            discards += 1
            points += min(int(discard) % 13 + 1, 10)
        events += 1
        recency *= FADE
    return events, takes, passes, points / max(1, discards)


@lean
def write_inputs(seen, belief, out):
    """Write what the network sees of one row to ``out``; ``belief`` is that of Bayes' rule."""
    out[:] = 0.0
    size = _write_cards(seen, belief, out)
    events, takes, passes, points = _write_events(seen, out)
    at = 4 * SUIT_INPUTS
    unknown = HAND_SIZE - count(seen.opponent)
    out[at] = seen.turns / 20
    out[at + 1] = events / 10
    out[at + 2] = takes / 5
    out[at + 3] = seen.stock / 31
    out[at + 4] = passes
    out[at + 5] = points / 10
    out[at + 6] = unknown / 10
    out[at + 7] = unknown / max(1, size)
    out[at + 8] = 1.0 if events == 0 else 0.0
    out[at + 9] = takes / max(1, events)


@kernel
def _write_rows(view, rows, belief, out):
    for k in range(rows.shape[0]):
        write_inputs(view[rows[k]], belief[k], out[k])


def inputs(view: View, rows: IntArray, belief: Beliefs) -> Inputs:
    """[N, INPUTS] what the network sees. ``belief`` is what Bayes' rule says about the rows."""
    out = np.empty((len(rows), INPUTS), np.float32)
    _write_rows(view, np.asarray(rows, np.int64), belief, out)
    return out


def belief_net(model: str = "belief-net.onnx") -> Estimator:
    """A network with an exact distribution over whole hands, trained on mixed and strong play.

    Source: ours. One input is the belief of Bayes' rule (Nguyen, Doan and Neller, EAAI 2021).
    """
    evaluate, rule = network(model), bayes()

    def logits(view: View, rows: IntArray) -> Beliefs:
        return evaluate(inputs(view, rows, rule.raw(view, rows)))

    def raw(view: View, rows: IntArray) -> Beliefs:
        out = np.empty((len(rows), CARDS), np.float32)
        for start in range(0, len(rows), CHUNK):
            some = rows[start : start + CHUNK]
            out[start : start + CHUNK] = chances(logits(view, some), *unknown_cards(view, some))[0]
        return out

    def sample(view: View, rows: IntArray, u: FloatArray, hands: int) -> IntArray:
        return draw_hands(logits(view, rows), *unknown_cards(view, rows), u, hands)

    def log_chances(view: View, rows: IntArray, hands: IntArray) -> FloatArray:
        return log_chances_of(logits(view, rows), *unknown_cards(view, rows), hands)

    return Estimator(
        named("belief-net", {} if model == "belief-net.onnx" else {"model": model}),
        raw,
        sample=sample,
        log_chances=log_chances,
    )
