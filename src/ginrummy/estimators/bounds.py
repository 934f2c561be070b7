"""What an estimator must beat. The upper bound, the truth, is not here, because no player may have it."""

import numpy as np

from ginrummy.cards import CARDS
from ginrummy.estimators.base import Beliefs, Estimator, masked
from ginrummy.estimators.exact_hands import draw_hands, log_chances_of, unknown_cards
from ginrummy.view import FloatArray, IntArray, View


def null() -> Estimator:
    """Equal chances for every card that has not been seen.

    Source: ours, the lower bound of every comparison.
    """

    def raw(view: View, rows: IntArray) -> Beliefs:
        return masked(view, rows, np.ones((len(rows), CARDS), np.float32))

    def sample(view: View, rows: IntArray, u: FloatArray, hands: int) -> IntArray:
        return draw_hands(_even(rows), *unknown_cards(view, rows), u, hands)

    def log_chances(view: View, rows: IntArray, hands: IntArray) -> FloatArray:
        return log_chances_of(_even(rows), *unknown_cards(view, rows), hands)

    return Estimator("null", raw, sample=sample, log_chances=log_chances)


def _even(rows: IntArray) -> Beliefs:
    return np.zeros((len(rows), CARDS), np.float32)


def zero() -> Estimator:
    """No card is ever believed to be held: right for 42 cards of 52.

    Source: ours; it shows what accuracy over all cards is worth.
    """

    def raw(view: View, rows: IntArray) -> Beliefs:
        return np.zeros((len(rows), CARDS), np.float32)

    return Estimator("zero", raw)
