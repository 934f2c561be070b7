"""What an estimator must beat. The upper bound, the truth, is not here, because no player may have it."""

import numpy as np

from ginrummy.cards import CARDS
from ginrummy.estimators.base import Beliefs, Estimator, masked
from ginrummy.view import IntArray, View


def null() -> Estimator:
    """Equal chances for every card that has not been seen.

    Source: ours, the lower bound of every comparison.
    """

    def raw(view: View, rows: IntArray) -> Beliefs:
        return masked(view, rows, np.ones((len(rows), CARDS), np.float32))

    return Estimator("null", raw)


def zero() -> Estimator:
    """No card is ever believed to be held: right for 42 cards of 52.

    Source: ours; it shows what accuracy over all cards is worth.
    """

    def raw(view: View, rows: IntArray) -> Beliefs:
        return np.zeros((len(rows), CARDS), np.float32)

    return Estimator("zero", raw)
