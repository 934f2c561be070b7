"""The player of paper S1: the baseline, with discards chosen among the safest.

The paper gives one sentence: "Among the top three safest discards, discard the card that decreases the
deadwood score the most." Elsewhere it says what is safe, by the plug rule: a card is safe when the opponent
lacks a card of each meld that it could complete. Every reading of this is a parameter, and experiment
S1-safety compares them.
"""

import inspect

import numpy as np

from ginrummy._jit import kernel, lowest
from ginrummy.cards import CARDS, POINTS
from ginrummy.errors import UnknownName
from ginrummy.estimators.base import Estimator
from ginrummy.estimators.registry import make_estimator
from ginrummy.meld_kernels import deadwood, deadwood_without
from ginrummy.players.base import DiscardDecider, Player
from ginrummy.players.baseline import always, draw_melding, spread_best
from ginrummy.players.deterministic_deciders import candidates, choose, scratch
from ginrummy.policies.baseline import least_deadwood_discard, repeated
from ginrummy.policies.card_value import unseen
from ginrummy.policies.safe_discard import CARD, RAW, SAFETIES, best_valued, count_own, danger, top_cards
from ginrummy.specs import Range, named, parameters
from ginrummy.view import FloatArray, IntArray, View

SHARD = 500
AMONG = ("safest", "dearest", "all", "weighed")
_SAFEST, _DEAREST, _ALL, _WEIGHED = range(4)
"""How a discard is chosen:

- ``safest``: the dearest of the safest cards outside the melds;
- ``dearest``: the safest of the dearest cards outside the melds;
- ``all``: the card that leaves least deadwood, among the safest of all cards;
- ``weighed``: the card outside the melds with most points minus ``weight`` times danger.
"""


@kernel
def _weigh(seen, cards, belief, safety, among, room, safe, gain):
    """Write how safe each card is, and what its discard does for deadwood, to ``safe`` and ``gain`` [52]."""
    count_own(belief, seen.hand, unseen(seen), safety)
    if among == _ALL:
        deadwood_without(seen.hand, room)
    left = cards
    while left != 0:
        card = lowest(left)
        left &= left - 1
        safe[card] = -danger(card, belief, seen.hand, safety)
        gain[card] = -room[card] if among == _ALL else POINTS[card]


@kernel
def _choose_safe(seen, u, cards, among, size, weight, room, safe, gain):
    if among == _DEAREST:
        return choose(seen, best_valued(top_cards(cards, gain, safe, size), safe), gain, u, room)
    if among == _WEIGHED:
        left = cards
        while left != 0:
            card = lowest(left)
            left &= left - 1
            gain[card] += weight * safe[card]
        return choose(seen, cards, gain, u, room)
    return choose(seen, top_cards(cards, safe, gain, size), gain, u, room)


@kernel
def _discards(view, rows, u, belief, safety, among, size, weight, knock_first, room, held, index, sets, out):
    safe = np.empty(CARDS)
    gain = np.empty(CARDS)
    for k in range(rows.shape[0]):
        seen = view[rows[k]]
        if knock_first:
            card = least_deadwood_discard(seen, u[k], room)
            if deadwood(seen.hand & ~(np.int64(1) << np.int64(card))) <= seen.limit:
                out[k] = card
                continue
        cards, _ = candidates(seen, held, index, sets)
        if among == _ALL:
            cards = seen.allowed & ~repeated(seen)
        _weigh(seen, cards, belief[k], safety, among, room, safe, gain)
        out[k] = _choose_safe(seen, u[k], cards, among, size, weight, room, safe, gain)


def discard_among_safest(
    estimator: Estimator,
    safest: int = 3,
    safety: str = "likely",
    among: str = "safest",
    weight: float = 5.0,
    knock_first: bool = False,
) -> DiscardDecider:
    """Discard by safety and deadwood: see ``safe_discard``."""
    reading = SAFETIES.index(safety)
    believe = estimator.raw if reading in (RAW, CARD) else estimator.masked
    how = reading, AMONG.index(among), safest, weight, knock_first

    def discard(view: View, rows: IntArray, u: FloatArray) -> IntArray:
        out = np.empty(len(rows), np.int8)
        _discards(view, rows, u, np.array(believe(view, rows), np.float32), *how, *scratch(), out)
        return out

    return discard


@parameters(ranges={"safest": Range(1, 8, whole=True), "weight": Range(0.0, 20.0)})
def safe_discard(
    estimator: str = "shankar-cnn",
    safest: int = 3,
    safety: str = "likely",
    among: str = "safest",
    weight: float = 5.0,
    knock_first: bool = False,
) -> Player:
    """The baseline, discarding the dearest of the three cards that are safest against the estimated hand.

    Source: Francis, Just and Neller, "Opponent Hand Estimation in the Game of Gin Rummy", EAAI 2021.
    Differs: the paper does not say how a belief makes a card safe. Here (``safety=likely``) its plug rule is
    applied to the estimated hand: the cards with a belief of one half or more. A card is safer when it would
    complete fewer melds of three there; ties go to the dearer card; only cards outside the melds are
    considered. This reading was chosen from those that the text allows, on other decks, because it comes
    nearest to the published win rate; it still falls short (experiment S1-safety).

    Ours: ``among=weighed`` discards the card with most points minus ``weight`` times its danger; with
    ``knock_first`` a discard that allows a knock comes before safety.
    """
    if not 1 <= safest <= 11:
        raise UnknownName(f"safe-discard: safest is a number of cards from 1 to 11, not {safest}")
    if safety not in SAFETIES:
        raise UnknownName(f"safe-discard has no safety {safety!r}: choose one of {', '.join(SAFETIES)}")
    if among not in AMONG:
        raise UnknownName(f"safe-discard has no among {among!r}: choose one of {', '.join(AMONG)}")
    if not 0 <= weight < np.inf:
        raise UnknownName(f"safe-discard: weight is zero or more, not {weight:g}")
    reading = {"safety": safety, "among": among, "weight": weight, "knock_first": knock_first}
    settings: dict[str, object] = {"estimator": estimator, "safest": safest} | reading
    usual = inspect.signature(safe_discard).parameters
    settings = {key: value for key, value in settings.items() if value != usual[key].default}
    if knock_first:
        settings["knock_first"] = "yes"
    return Player(
        named("safe-discard", settings),
        draw_melding,
        discard_among_safest(
            make_estimator(estimator.replace(";", ",")), safest, safety, among, weight, knock_first
        ),
        always,
        spread_best,
        SHARD,
    )
