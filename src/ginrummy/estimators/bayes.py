"""Bayes' rule on an abstraction of the opponent's events, with frequencies counted in play.

Source: Nguyen, Doan and Neller, EAAI 2021 (S0). An event is whether the upcard was taken, its rank, the rank
of the discard, and whether the two are of one suit. A card is described by its rank and by whether it has the
suit of the upcard, of the discard, or of neither. A belief is multiplied by the frequency of the event among
hands that hold such a card, then scaled so that unknown cards add up to their number in the opponent's hand.

With ``squash`` the beliefs in unknown cards then go through a logistic curve at every event, which keeps them
below 1.
Source: Francis, Just and Neller, EAAI 2021 (S1), with the constants of the authors' program. Cards that are
known stay 0 or 1, as that paper says; squashed beliefs no longer add up to the number of unknown cards.

Differs: the first upcard counts as unknown in the prior 10/42 (as in the paper) until the opponent acts; a
pass of the first upcard is an event without discard.
"""

from functools import cache
from io import BytesIO
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from ginrummy import artefacts
from ginrummy._jit import count, kernel
from ginrummy.cards import CARDS, NO_CARD
from ginrummy.errors import BadInput, UnknownName
from ginrummy.estimators.base import Beliefs, Estimator
from ginrummy.estimators.history import held_after, revealed, unseen_at_deal
from ginrummy.rules import HAND_SIZE
from ginrummy.specs import named
from ginrummy.view import DISCARD, DRAWN, OTHER, UPCARD, WHO, IntArray, View

SHAPE = (2, 13, 14, 2)
"""An event: taken or not, rank of the upcard, rank of the discard (13: none), one suit (or no discard)."""
WITH_UPCARD, WITH_DISCARD, NEITHER = range(3)
"""The suit of a card relative to an event. When upcard and discard have one suit, the first applies."""
PRIOR = HAND_SIZE / (CARDS - HAND_SIZE)
Table = npt.NDArray[np.float64]

EPSILON = 0.002
STEEPNESS = 4 / (1 - 2 * EPSILON)
"""Steepness of the logistic curve, which maps 0 to 0.12, 0.5 to 0.5 with slope 1, and 1 to 0.88."""
CELLS, TOP = 4096, 4.0
"""Up to ``TOP`` the curve is read from a table, with an error below 2e-7; above, it is constant to 1e-6."""


def logistic(x: npt.ArrayLike) -> Table:
    """The curve that keeps beliefs below 1."""
    found: Table = (1 - 2 * EPSILON) / (1 + np.exp(STEEPNESS * (0.5 - np.asarray(x, np.float64)))) + EPSILON
    return found


CURVE = np.append(logistic(np.linspace(0, TOP, CELLS + 1)), logistic(TOP))
"""[CELLS + 2] the curve at equal steps."""


@kernel
def event_of(upcard, drawn, discard):
    """(taken, rank of the upcard, rank of the discard, one suit or no discard) of an opponent's event."""
    if discard == NO_CARD:
        return int(drawn == upcard), upcard % 13, 13, 1
    return int(drawn == upcard), upcard % 13, discard % 13, int(upcard // 13 == discard // 13)


@kernel
def kinship(suit, upcard, discard):
    """How a suit relates to the cards of an event."""
    if suit == upcard // 13:
        return WITH_UPCARD
    if discard != NO_CARD and suit == discard // 13:
        return WITH_DISCARD
    return NEITHER


@kernel
def _believe(seen, likelihood, curve, weights, out):
    """Write the belief after all events of a log to ``out`` [52]. An empty ``curve`` does not squash.

    ``weights`` is scratch.
    """
    free = unseen_at_deal(seen)
    held = np.int64(0)
    for card in range(CARDS):
        weights[card] = PRIOR
    first = np.int64(1) << np.int64(seen.log[0, UPCARD] if seen.events > 0 or seen.allowed != 0 else seen.top)
    free |= first
    for event in range(seen.events):
        free &= ~revealed(seen, event, held)
        held = held_after(seen, event, held)
        if seen.log[event, WHO] != OTHER:
            continue
        upcard, discard = np.int64(seen.log[event, UPCARD]), np.int64(seen.log[event, DISCARD])
        free &= ~first
        took, up, down, suited = event_of(upcard, np.int64(seen.log[event, DRAWN]), discard)
        for suit in range(4):
            row = likelihood[took, up, down, suited, kinship(suit, upcard, discard)]
            for rank in range(13):
                weights[13 * suit + rank] *= row[rank]
        _normalise(weights, free, HAND_SIZE - count(held))
        if curve.shape[0] > 0:
            _squash(weights, curve)
    for card in range(CARDS):
        out[card] = weights[card] if free >> card & 1 else held >> card & 1


@kernel
def _normalise(weights, free, unknown):
    """Scale ``free`` cards to add up to ``unknown``; if all their weights are 0, give equal chances."""
    total = 0.0
    for card in range(CARDS):
        if free >> card & 1:
            total += weights[card]
    size = count(free)
    for card in range(CARDS):
        if total > 0:
            weights[card] *= unknown / total
        else:
            weights[card] = unknown / max(1, size)


@kernel
def _squash(weights, curve):
    for card in range(CARDS):
        x = min(weights[card], TOP) * (CELLS / TOP)
        cell = int(x)
        weights[card] = curve[cell] + (x - cell) * (curve[cell + 1] - curve[cell])


@kernel
def _believe_rows(view, rows, likelihood, curve, weights, out):
    for k in range(rows.shape[0]):
        _believe(view[rows[k]], likelihood, curve, weights, out[k])


def likelihoods(visits: IntArray, held: IntArray, minimum: int) -> Table:
    """[2, 13, 14, 2, 3, 13] float64: what to multiply a card's belief by; 1 where an event is too rare.

    ``visits`` counts events, ``held`` the hands that held a card by event, kinship and rank. A count is
    divided by the number of suits of that kinship, and by how often the rank is held in all events.
    """
    suits = np.empty((2, 3))
    suits[0], suits[1] = (1, 1, 2), (1, 1, 3)
    often = held.sum(axis=tuple(range(held.ndim - 1)))
    table = held / suits[:, :, None] / np.maximum(often, 1)
    table /= np.maximum(table.max(axis=(-1, -2), keepdims=True), 1e-300)  # a common factor: no tiny numbers
    table[visits < minimum] = 1.0
    return np.ascontiguousarray(table)


@cache
def _shipped(name: str, minimum: int) -> Table:
    payload = artefacts.load(name)
    try:
        with np.load(BytesIO(payload), allow_pickle=False) as counts:
            return likelihoods(counts["visits"], counts["held"], minimum)
    except (EOFError, ValueError, KeyError, IndexError, AttributeError, BadZipFile) as error:
        raise BadInput(f"{name} is not a table of counts for bayes") from error


def bayes(minimum: int = 50, table: str = "bayes.npz", squash: bool = False) -> Estimator:
    """Bayes' rule over frequencies of draws and discards, by rank and suitedness.

    Source: Nguyen, Doan and Neller, "A Deterministic Neural Network Approach to Playing Gin Rummy";
    ``squash``: Francis, Just and Neller, "Opponent Hand Estimation in the Game of Gin Rummy", both EAAI 2021.
    Differs: passes of the first upcard are events without discard.
    """
    if minimum < 0:
        raise UnknownName(f"estimator bayes: minimum is a number of observations, not {minimum}")
    likelihood = _shipped(table, minimum)
    settings: dict[str, object] = {} if minimum == 50 else {"minimum": minimum}
    settings |= {} if table == "bayes.npz" else {"table": table}
    settings |= {"squash": "yes"} if squash else {}
    curve = CURVE if squash else CURVE[:0]

    def raw(view: View, rows: IntArray) -> Beliefs:
        out = np.empty((len(rows), CARDS), np.float32)
        _believe_rows(view, rows, likelihood, curve, np.empty(CARDS), out)
        return out

    return Estimator(named("bayes", settings), raw)
