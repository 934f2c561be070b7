"""The deciders of paper S0: card value, safe discards, the knock network (see ``players.deterministic``)."""

from collections.abc import Callable

import numpy as np

from ginrummy._jit import count, kernel, lowest
from ginrummy.cards import CARDS, POINTS
from ginrummy.estimators.base import Beliefs
from ginrummy.estimators.registry import make_estimator
from ginrummy.melds import MAX_HELD, MAX_MELDS, deadwoods
from ginrummy.networks import network
from ginrummy.players.base import DiscardDecider, DrawDecider, KnockDecider
from ginrummy.policies.baseline import least_deadwood_discard, nth_card, repeated
from ginrummy.policies.card_value import (
    BY_HITS,
    BY_TYPES,
    hit_count,
    loose_cards,
    takes_likely,
    takes_valued,
    unseen,
    worst_kept,
)
from ginrummy.policies.knock_features import view_features, with_belief
from ginrummy.policies.safe_discard import best_valued, discard_value
from ginrummy.view import BoolArray, FloatArray, IntArray, View


@kernel
def _draws(view, rows, threshold, reward, count_by, out):
    for k in range(rows.shape[0]):
        out[k] = takes_valued(view[rows[k]], threshold, reward, count_by)


@kernel
def _likely_draws(view, rows, threshold, reward, belief, out):
    for k in range(rows.shape[0]):
        out[k] = takes_likely(view[rows[k]], threshold, reward, belief[k])


@kernel
def candidates(seen, held, index, sets):
    """(cards to choose from, which repeat no draw-discard pair and may be none; cards outside the melds)."""
    loose, _ = loose_cards(seen.hand, held, index, sets)
    return loose & seen.allowed & ~repeated(seen), loose


@kernel
def choose(seen, cards, values, u, room):
    """The card of greatest value; without candidates, the baseline's discard."""
    if cards == 0:
        return least_deadwood_discard(seen, u, room)
    best = best_valued(cards, values)
    return nth_card(best, int(u * count(best)))


@kernel
def _discards_by_value(view, rows, u, keep, threshold, reward, count_by, room, held, index, sets, out):
    values = np.empty(CARDS)
    for k in range(rows.shape[0]):
        seen = view[rows[k]]
        cards, loose = candidates(seen, held, index, sets)
        free = unseen(seen)
        cards = worst_kept(cards, seen.hand, loose, free, keep, threshold, reward, count_by, values)
        out[k] = choose(seen, cards, values, u[k], room)


@kernel
def _discards_by_safety(
    view, rows, u, belief, desire, deadwood, all_melds, keep, threshold, reward, count_by,
    room, held, index, sets, out,
):  # fmt: skip
    values = np.empty(CARDS)
    for k in range(rows.shape[0]):
        seen = view[rows[k]]
        cards, loose = candidates(seen, held, index, sets)
        if keep >= 0:
            free = unseen(seen)
            cards = worst_kept(cards, seen.hand, loose, free, keep, threshold, reward, count_by, values)
        left = cards
        while left != 0:
            card = lowest(left)
            left &= left - 1
            values[card] = discard_value(card, belief[k], desire, deadwood, all_melds)
        out[k] = choose(seen, cards, values, u[k], room)


@kernel
def _discards_by_cost(view, rows, u, cards, cost, room, out):
    for k in range(rows.shape[0]):
        out[k] = choose(view[rows[k]], cards[k], cost[k], u[k], room)


@kernel
def _upcard_features(view, rows, out):
    for k in range(rows.shape[0]):
        seen = view[rows[k]]
        top = np.int64(seen.top)
        out[k, 0] = POINTS[top]
        out[k, 1] = seen.turns
        out[k, 2] = hit_count(seen.hand, top, unseen(seen))


@kernel
def _hand_features(view, rows, held, index, sets, cards, out):
    """Write the candidates of each row, and the network's inputs for each candidate."""
    for k in range(rows.shape[0]):
        seen = view[rows[k]]
        cards[k], _ = candidates(seen, held, index, sets)
        free = unseen(seen)
        left = cards[k]
        while left != 0:
            card = lowest(left)
            left &= left - 1
            out[k, card, 0] = POINTS[card]
            out[k, card, 1] = seen.turns
            out[k, card, 2] = hit_count(seen.hand, card, free)


def believer(estimator: str) -> Callable[[View, IntArray], Beliefs]:
    """Masked beliefs of an estimator; semicolons separate its own parameters if it has several."""
    return make_estimator(estimator.replace(";", ",")).masked


def scratch() -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Room for the kernels: 64 numbers, held melds, their places, a best meld set."""
    return (
        np.empty(64, np.int64),
        np.empty(MAX_HELD, np.int64),
        np.empty(MAX_MELDS, np.int64),
        np.empty((1, MAX_MELDS), np.int64),
    )


def draw_valuable(threshold: float, reward: float, by_hits: bool) -> DrawDecider:
    """Take a card that melds, or whose value by Equation 1 reaches the threshold."""
    count_by = _count_by(by_hits)

    def draw(view: View, rows: IntArray, u: FloatArray) -> BoolArray:
        out = np.empty(len(rows), np.bool_)
        _draws(view, rows, threshold, reward, count_by, out)
        return out

    return draw


def draw_likely(threshold: float, reward: float, estimator: str) -> DrawDecider:
    """The same, with hits weighted by the chance that the opponent does not hold the missing card."""
    believe = believer(estimator)

    def draw(view: View, rows: IntArray, u: FloatArray) -> BoolArray:
        out = np.empty(len(rows), np.bool_)
        _likely_draws(view, rows, threshold, reward, believe(view, rows), out)
        return out

    return draw


def draw_cheap(model: str, cost: float) -> DrawDecider:
    """Take a card whose expected deadwood at the end of the round is below ``cost``."""
    expected = network(model)

    def draw(view: View, rows: IntArray, u: FloatArray) -> BoolArray:
        features = np.empty((len(rows), 3), np.float32)
        _upcard_features(view, rows, features)
        return expected(features)[:, 0] < np.float32(cost)

    return draw


def discard_worst(keep: int, threshold: float, reward: float, by_hits: bool) -> DiscardDecider:
    """Discard by card value: see ``policies.card_value.worst_kept``."""
    how = keep, threshold, reward, _count_by(by_hits)

    def discard(view: View, rows: IntArray, u: FloatArray) -> IntArray:
        out = np.empty(len(rows), np.int8)
        _discards_by_value(view, rows, u, *how, *scratch(), out)
        return out

    return discard


def discard_dearest(model: str) -> DiscardDecider:
    """Discard the card outside the melds with the most expected deadwood at the end of the round."""
    expected = network(model)

    def discard(view: View, rows: IntArray, u: FloatArray) -> IntArray:
        out = np.empty(len(rows), np.int8)
        cards = np.empty(len(rows), np.int64)
        features = np.zeros((len(rows), CARDS, 3), np.float32)
        room, *melding = scratch()
        _hand_features(view, rows, *melding, cards, features)
        wanted = features[:, :, 0] > 0
        cost = np.zeros((len(rows), CARDS))
        cost[wanted] = expected(features[wanted])[:, 0]
        _discards_by_cost(view, rows, u, cards, cost, room, out)
        return out

    return discard


def discard_safest(
    estimator: str,
    desire_weight: float,
    deadwood_weight: float,
    all_melds: bool,
    keep: int = -1,
    threshold: float = 0.0,
    reward: float = 0.0,
    by_hits: bool = True,
) -> DiscardDecider:
    """Discard by Equation 9 among cards outside the melds; with ``keep`` >= 0, some are kept."""
    believe = believer(estimator)
    how = desire_weight, deadwood_weight, all_melds, keep, threshold, reward, _count_by(by_hits)

    def discard(view: View, rows: IntArray, u: FloatArray) -> IntArray:
        out = np.empty(len(rows), np.int8)
        _discards_by_safety(view, rows, u, believe(view, rows), *how, *scratch(), out)
        return out

    return discard


def _count_by(by_hits: bool) -> int:
    return BY_HITS if by_hits else BY_TYPES


def _reached(view: View, rows: IntArray, chance: FloatArray, threshold: float) -> BoolArray:
    gin: BoolArray = deadwoods(view["hand"][rows]) == 0
    return gin | (chance >= np.float32(threshold))


def knock_by_network(model: str, threshold: float) -> KnockDecider:
    """Knock with gin, or when the predicted chance to win the round reaches the threshold."""
    predict = network(model)

    def knock(view: View, rows: IntArray, u: FloatArray) -> BoolArray:
        chance = predict(view_features(view, rows))[:, 0]
        return _reached(view, rows, chance, threshold)

    return knock


def knock_by_belief(model: str, threshold: float, estimator: str) -> KnockDecider:
    """The same with a network that also sees the belief about the opponent's hand."""
    predict, believe = network(model), believer(estimator)

    def knock(view: View, rows: IntArray, u: FloatArray) -> BoolArray:
        chance = predict(with_belief(view_features(view, rows), believe(view, rows)))[:, 0]
        return _reached(view, rows, chance, threshold)

    return knock
