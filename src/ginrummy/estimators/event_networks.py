"""Networks that read the opponent's events: one event (feed-forward) or all of them (recurrent).

Source: Nguyen, Doan and Neller, EAAI 2021 (S0). Each event is four vectors of 52: the opponent's discard, the
upcard it declined, the upcard it took, and the cards known to be in the own hand or in the pile.
"""

import numpy as np
import numpy.typing as npt

from ginrummy._jit import kernel
from ginrummy.cards import CARDS, DECK, NO_CARD
from ginrummy.estimators.base import Beliefs, Estimator
from ginrummy.estimators.history import held_after, revealed, unseen_at_deal
from ginrummy.networks import network
from ginrummy.specs import named
from ginrummy.view import DISCARD, DRAWN, OTHER, UPCARD, WHO, IntArray, View

DISCARDED, DECLINED, TAKEN, KNOWN = range(4)
INPUTS = 4 * CARDS
STEPS = 8
"""Sequences are padded to a multiple of this, so that few shapes are ever evaluated."""


@kernel
def _count_events(view, rows, out):
    for k in range(rows.shape[0]):
        seen = view[rows[k]]
        out[k] = 0
        for event in range(seen.events):
            if seen.log[event, WHO] == OTHER:
                out[k] += 1


@kernel
def _write_card(out, vector, card):
    if card >= 0:
        out[vector * CARDS + card] = 1.0


@kernel
def _write_known(out, free, held):
    known = np.int64(DECK) & ~(free | held)
    for card in range(CARDS):
        out[KNOWN * CARDS + card] = known >> card & 1


@kernel
def _write_events(seen, last_only, out):
    """Write the opponent's events of a log to ``out`` [T, 208], or only the last one to ``out`` [1, 208]."""
    free = unseen_at_deal(seen)
    held = np.int64(0)
    step = 0
    for event in range(seen.events):
        free &= ~revealed(seen, event, held)
        held = held_after(seen, event, held)
        if seen.log[event, WHO] != OTHER:
            continue
        if last_only:
            step = 0
            out[0, :] = 0.0
        upcard = np.int64(seen.log[event, UPCARD])
        taken = seen.log[event, DRAWN] == upcard
        _write_card(out[step], DISCARDED, np.int64(seen.log[event, DISCARD]))
        _write_card(out[step], DECLINED, NO_CARD if taken else upcard)
        _write_card(out[step], TAKEN, upcard if taken else NO_CARD)
        _write_known(out[step], free, held)
        step += 1
    if step == 0:
        _write_known(out[0], free, held)


@kernel
def _write_rows(view, rows, last_only, out):
    for k in range(rows.shape[0]):
        _write_events(view[rows[k]], last_only, out[k])


def count_events(view: View, rows: IntArray) -> IntArray:
    """[N] Events of the opponent."""
    out = np.empty(len(rows), np.int64)
    _count_events(view, rows, out)
    return out


def last_events(view: View, rows: IntArray) -> npt.NDArray[np.float32]:
    """[N, 208] The opponent's last event; before the first, only the known cards."""
    out = np.zeros((len(rows), 1, INPUTS), np.float32)
    _write_rows(view, rows, True, out)
    return out[:, 0]


def all_events(view: View, rows: IntArray, steps: int) -> npt.NDArray[np.float32]:
    """[N, T, 208] All events of the opponent, zeros after the last; before the first, only known cards."""
    out = np.zeros((len(rows), steps, INPUTS), np.float32)
    _write_rows(view, rows, False, out)
    return out


def ann(model: str = "ann.onnx") -> Estimator:
    """A feed-forward network on the opponent's last event.

    Source: Nguyen, Doan and Neller, EAAI 2021.
    Differs: trained on binary cross-entropy, since the paper names no loss.
    """
    evaluate = network(model)

    def raw(view: View, rows: IntArray) -> Beliefs:
        return evaluate(last_events(view, rows))

    return Estimator(named("ann", {} if model == "ann.onnx" else {"model": model}), raw)


def lstm(model: str = "lstm.onnx") -> Estimator:
    """Four recurrent layers over all events of the opponent.

    Source: Nguyen, Doan and Neller, EAAI 2021.
    Differs: trained on binary cross-entropy; a categorical one has no meaning for ten cards at once.
    """
    evaluate = network(model)

    def raw(view: View, rows: IntArray) -> Beliefs:
        counts = np.maximum(count_events(view, rows), 1)
        out = np.empty((len(rows), CARDS), np.float32)
        padded = -(-counts // STEPS) * STEPS
        for steps in np.unique(padded):  # a longer padding would change no answer and only cost time
            some = np.flatnonzero(padded == steps)
            beliefs = evaluate(all_events(view, rows[some], int(steps)))
            out[some] = beliefs[np.arange(len(some)), counts[some] - 1]
        return out

    return Estimator(named("lstm", {} if model == "lstm.onnx" else {"model": model}), raw)
