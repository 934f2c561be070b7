"""A convolutional network on the stacked Shankar array.

Source: Francis, Just and Neller, "Opponent Hand Estimation in the Game of Gin Rummy" (EAAI 2021, S1): 17 x 13
cells as one channel with values -2 to 1. The paper leaves the head open; see ``training.nets.shankar``.
"""

import numpy as np

from ginrummy.errors import UnknownName
from ginrummy.estimators.base import Beliefs, Estimator
from ginrummy.estimators.shankar import shankar_stacks
from ginrummy.networks import network
from ginrummy.specs import named
from ginrummy.view import IntArray, View

PROFILES = {
    "paper": "shankar-cnn.onnx",
    "code": "shankar-cnn-code.onnx",
    "softmax": "shankar-cnn-softmax.onnx",
    "small": "shankar-cnn-small.onnx",
}
CHUNK = 8192
"""Rows whose arrays are in memory at once: an array has 221 numbers."""


def shankar_cnn(profile: str = "paper", model: str = "") -> Estimator:
    """A convolutional network on what the plug rule says about every card.

    Source: Francis, Just and Neller, "Opponent Hand Estimation in the Game of Gin Rummy", EAAI 2021. Profile
    ``paper`` has the paper's three layers of 3 x 3 and 2 x 2 pools, ``code`` the two layers of 4 x 4 of the
    authors' program, ``softmax`` the paper's layers with a softmax times ten at the end; ``small`` is
    ``paper`` trained on few games.
    Differs: the paper does not say how the head is made and trained.
    """
    if profile not in PROFILES:
        raise UnknownName(f"shankar-cnn has no profile {profile!r}: choose one of {', '.join(PROFILES)}")
    evaluate = network(model or PROFILES[profile])

    def raw(view: View, rows: IntArray) -> Beliefs:
        parts = [
            evaluate(shankar_stacks(view, rows[start : start + CHUNK])[:, None])
            for start in range(0, max(1, len(rows)), CHUNK)
        ]
        return np.concatenate(parts)

    settings: dict[str, object] = {} if profile == "paper" else {"profile": profile}
    return Estimator(named("shankar-cnn", settings | ({"model": model} if model else {})), raw)
