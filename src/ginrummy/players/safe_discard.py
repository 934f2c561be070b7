"""The player of paper S1: the baseline, with discards chosen among the safest."""

import numpy as np

from ginrummy._jit import kernel
from ginrummy.cards import CARDS, POINTS
from ginrummy.errors import UnknownName
from ginrummy.players.base import DiscardDecider, Player
from ginrummy.players.baseline import always, draw_melding, spread_best
from ginrummy.players.deterministic_deciders import believer, candidates, choose, scratch
from ginrummy.policies.safe_discard import safest_cards
from ginrummy.specs import named
from ginrummy.view import FloatArray, IntArray, View

SHARD = 500


@kernel
def _discards(view, rows, u, belief, size, room, held, index, sets, out):
    values = np.empty(CARDS)
    for k in range(rows.shape[0]):
        seen = view[rows[k]]
        cards, _ = candidates(seen, held, index, sets)
        out[k] = choose(seen, safest_cards(cards, belief[k], size, values), POINTS, u[k], room)


def discard_among_safest(estimator: str, safest: int) -> DiscardDecider:
    """Of the few cards outside the melds that the opponent wants least, discard the dearest."""
    believe = believer(estimator)

    def discard(view: View, rows: IntArray, u: FloatArray) -> IntArray:
        out = np.empty(len(rows), np.int8)
        _discards(view, rows, u, believe(view, rows), safest, *scratch(), out)
        return out

    return discard


def safe_discard(estimator: str = "shankar-cnn", safest: int = 3) -> Player:
    """The baseline, discarding the dearest of the three cards that the opponent seems to want least.

    Source: Francis, Just and Neller, "Opponent Hand Estimation in the Game of Gin Rummy", EAAI 2021.
    Differs: the paper does not say what is safe; here the least desirability (Equation 8 of Nguyen, Doan and
    Neller) among cards outside the melds, of equals the dearest.
    """
    if not 1 <= safest <= 11:
        raise UnknownName(f"safe-discard: safest is a number of cards from 1 to 11, not {safest}")
    settings: dict[str, object] = {} if estimator == "shankar-cnn" else {"estimator": estimator}
    settings |= {} if safest == 3 else {"safest": safest}
    return Player(
        named("safe-discard", settings),
        draw_melding,
        discard_among_safest(estimator, safest),
        always,
        spread_best,
        SHARD,
    )
