"""A small network that reads its own last belief and the opponent's next event.

Source: Francis, Just and Neller, "Opponent Hand Estimation in the Game of Gin Rummy" (EAAI 2021, S1). 157
inputs: the belief before the event, the discard and the upcard one-hot, and +1 or -1 for an upcard that was
taken or not; the outputs are the belief after the event, which is the input at the next one. The first belief
is the prior: 10/42 for every card except the own ten.

The belief is fed back as the network gave it. Cards that are seen later are not corrected in it: the paper
does not mention such a correction. The network learns only the discard and the upcard of each event.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ginrummy._jit import kernel
from ginrummy.cards import CARDS, NO_CARD
from ginrummy.errors import UnknownName
from ginrummy.estimators.base import Beliefs, Estimator
from ginrummy.estimators.history import unseen_at_deal
from ginrummy.networks import network
from ginrummy.rules import HAND_SIZE
from ginrummy.specs import named
from ginrummy.view import DISCARD, DRAWN, OTHER, UPCARD, WHO, IntArray, View

INPUTS = 3 * CARDS + 1
PRIOR = HAND_SIZE / (CARDS - HAND_SIZE)
PROFILES = {"paper": "simple-nn.onnx", "code": "simple-nn-code.onnx", "small": "simple-nn-small.onnx"}
"""Every layer sigmoid, as in the paper; the first one ReLU, as in the authors' program."""

Evaluate = Callable[[npt.NDArray[np.float32]], npt.NDArray[np.float32]]


class Story(NamedTuple):
    """The opponent's events of N rows, row after row; S events in all."""

    prior: Beliefs
    """[N, 52] the belief before the first event."""
    counts: npt.NDArray[np.int64]
    """[N] events of each row."""
    upcard: npt.NDArray[np.int8]
    """[S]"""
    discard: npt.NDArray[np.int8]
    """[S] ``NO_CARD`` for a pass."""
    took: npt.NDArray[np.bool_]
    """[S] whether the upcard was taken."""


@kernel
def _count(view, rows, out):
    for k in range(rows.shape[0]):
        seen = view[rows[k]]
        out[k] = 0
        for event in range(seen.events):
            out[k] += seen.log[event, WHO] == OTHER


@kernel
def _tell(view, rows, prior, upcard, discard, took):
    n = 0
    for k in range(rows.shape[0]):
        seen = view[rows[k]]
        first = np.int64(seen.log[0, UPCARD] if seen.events > 0 or seen.allowed != 0 else seen.top)
        free = unseen_at_deal(seen) | np.int64(1) << first
        for card in range(CARDS):
            prior[k, card] = PRIOR if free >> card & 1 else 0.0
        for event in range(seen.events):
            if seen.log[event, WHO] == OTHER:
                upcard[n] = seen.log[event, UPCARD]
                discard[n] = seen.log[event, DISCARD]
                took[n] = seen.log[event, DRAWN] == seen.log[event, UPCARD]
                n += 1


@kernel
def _fill(belief, some, places, upcard, discard, took, out):
    for k in range(some.shape[0]):
        place = places[k]
        for card in range(CARDS):
            out[k, card] = belief[some[k], card]
        for at in range(CARDS, 3 * CARDS):
            out[k, at] = 0.0
        if discard[place] != NO_CARD:
            out[k, CARDS + discard[place]] = 1.0
        out[k, 2 * CARDS + upcard[place]] = 1.0
        out[k, 3 * CARDS] = 1.0 if took[place] else -1.0


def story(view: View, rows: IntArray) -> Story:
    """What the opponent did, from a side's own log."""
    places = np.asarray(rows, np.int64)
    counts = np.empty(len(places), np.int64)
    _count(view, places, counts)
    size = int(counts.sum())
    told = Story(
        np.empty((len(places), CARDS), np.float32),
        counts,
        np.empty(size, np.int8),
        np.empty(size, np.int8),
        np.empty(size, np.bool_),
    )
    _tell(view, places, told.prior, told.upcard, told.discard, told.took)
    return told


class Walk(NamedTuple):
    """What a network answered to a story, event by event."""

    last: Beliefs
    """[N, 52] the belief after the last event; without events the prior."""
    beliefs: Beliefs
    """[S, 52] the belief after each event; empty unless wanted."""
    inputs: Beliefs
    """[S, 157] what the network was asked at each event; empty unless wanted."""


def walk(told: Story, evaluate: Evaluate | None, *, beliefs: bool = False, inputs: bool = False) -> Walk:
    """Run a network over a story, one event of all rows at a time. Without a network the prior stays."""
    starts = np.cumsum(told.counts) - told.counts
    size = len(told.upcard)
    belief = told.prior.copy()
    after = np.empty((size if beliefs else 0, CARDS), np.float32)
    asked = np.empty((size if inputs else 0, INPUTS), np.float32)
    for step in range(int(told.counts.max(initial=0))):
        some = np.flatnonzero(told.counts > step)
        places = starts[some] + step
        x = np.empty((len(some), INPUTS), np.float32)
        _fill(belief, some, places, told.upcard, told.discard, told.took, x)
        if evaluate is not None:
            belief[some] = evaluate(x)
        if beliefs:
            after[places] = belief[some]
        if inputs:
            asked[places] = x
    return Walk(belief, after, asked)


def simple_nn(profile: str = "paper", model: str = "") -> Estimator:
    """A small network on its own last belief and the opponent's event.

    Source: Francis, Just and Neller, "Opponent Hand Estimation in the Game of Gin Rummy", EAAI 2021. Profile
    ``paper`` has sigmoids in every layer, ``code`` ReLU in the first, as in the authors' program; ``small``
    is ``paper`` trained on few games in few generations.
    Differs: a pass of the first upcard is an event without discard.
    """
    if profile not in PROFILES:
        raise UnknownName(f"simple-nn has no profile {profile!r}: choose one of {', '.join(PROFILES)}")
    evaluate = network(model or PROFILES[profile])

    def raw(view: View, rows: IntArray) -> Beliefs:
        return walk(story(view, rows), evaluate).last

    def history(view: View, rows: IntArray) -> tuple[Beliefs, IntArray]:
        told = story(view, rows)
        return walk(told, evaluate, beliefs=True).beliefs, told.counts

    settings: dict[str, object] = {} if profile == "paper" else {"profile": profile}
    return Estimator(named("simple-nn", settings | ({"model": model} if model else {})), raw, history)
