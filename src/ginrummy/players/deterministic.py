"""The eight players of paper S0: the baseline with one, two or three of its decisions replaced.

Source: Nguyen, Doan and Neller, "A Deterministic Neural Network Approach to Playing Gin Rummy", EAAI 2021,
Table 7. Card value replaces draw and discard, hand estimation the discard, the knock network the knock:

    card value  estimation  knock     player
                                      simple
                            yes       knocking
                yes                   estimating
                yes         yes       medium-ek
    yes                               hitting
    yes                     yes       medium-kh
    yes         yes                   medium-he
    yes         yes         yes       advanced

Readings that were settled by measurement (docs/reproduction/s0.md): Equation 1 counts hits; card value keeps
hitting cards when discarding, as the paper says of Medium Player HE; Equation 8 adds up melds of three cards. Like the
baseline that they change, all of them discard a card outside the melds, never repeat a draw-discard pair in
a round, break ties by ``u``, and knock with gin at once.
"""

from typing import Any

from ginrummy.errors import UnknownName
from ginrummy.players.base import DiscardDecider, DrawDecider, KnockDecider, Player
from ginrummy.players.baseline import always, discard_least, draw_melding, spread_best
from ginrummy.players.deterministic_deciders import (
    discard_dearest,
    discard_not_hitting,
    discard_safest,
    draw_cheap,
    draw_valuable,
    knock_by_network,
)
from ginrummy.specs import named, parameters

CARD_VALUE: dict[str, Any] = {
    "value": "hits",  # what Equation 1 counts: hits, or types of potential melds; or "network" instead
    "threshold": 21.0,  # T of Equation 1: the worth at which an upcard is taken
    "reward": 3.0,  # H of Equation 1
    "cost": 0.4,  # T of the network: the expected deadwood below which an upcard is taken
    "value_model": "card-value.onnx",
}
ESTIMATION: dict[str, Any] = {
    "estimator": "bayes",
    "desire_weight": 1.0,  # weights of Equation 9
    "deadwood_weight": 3.0,
    "all_melds": False,  # Equation 8 over all melds, not those of three cards alone
}
KNOCK: dict[str, Any] = {
    "knock": 0.9,  # the predicted chance to win the round at which to knock
    "knock_model": "knock.onnx",
}
VALUES = ("hits", "types", "network")
SHARD = 500


@parameters(KNOCK)
def knocking(**settings: Any) -> Player:
    """The baseline, with a network that decides when to knock.

    Source: Nguyen, Doan and Neller, EAAI 2021, Knocking Player.
    Differs: knocks when the prediction reaches the threshold, and always with gin.
    """
    return _player("knocking", settings, draw_melding, discard_least, _knock(settings))


@parameters(ESTIMATION)
def estimating(**settings: Any) -> Player:
    """The baseline, discarding by deadwood and by how little the opponent seems to want a card.

    Source: Nguyen, Doan and Neller, EAAI 2021, Estimating Player, Equations 8 and 9 with Bayes' rule.
    """
    return _player("estimating", settings, draw_melding, _safest(settings, False), always)


@parameters(CARD_VALUE)
def hitting(**settings: Any) -> Player:
    """The baseline, drawing and keeping cards by how they could meld with the hand.

    Source: Nguyen, Doan and Neller, EAAI 2021, Hitting Player, Equation 1.
    Differs: Equation 1 counts hits, not kinds of melds: its published threshold of 21 is else never met.
    """
    return _player("hitting", settings, _draw(settings), _keep_hitting(settings), always)


@parameters(CARD_VALUE, KNOCK)
def medium_kh(**settings: Any) -> Player:
    """Draws and discards by card value, knocks by the network: the paper's best player.

    Source: Nguyen, Doan and Neller, EAAI 2021, Medium Player KH.
    """
    return _player("medium-kh", settings, _draw(settings), _keep_hitting(settings), _knock(settings))


@parameters(CARD_VALUE, ESTIMATION)
def medium_he(**settings: Any) -> Player:
    """Draws by card value, discards the safest card that does not hit.

    Source: Nguyen, Doan and Neller, EAAI 2021, Medium Player HE.
    """
    return _player("medium-he", settings, _draw(settings), _safest(settings, True), always)


@parameters(ESTIMATION, KNOCK)
def medium_ek(**settings: Any) -> Player:
    """Draws as the baseline, discards the safest card, knocks by the network.

    Source: Nguyen, Doan and Neller, EAAI 2021, Medium Player EK.
    """
    return _player("medium-ek", settings, draw_melding, _safest(settings, False), _knock(settings))


@parameters(CARD_VALUE, ESTIMATION, KNOCK)
def advanced(**settings: Any) -> Player:
    """Draws by card value, discards the safest card that does not hit, knocks by the network.

    Source: Nguyen, Doan and Neller, EAAI 2021, Advanced Player.
    """
    return _player("advanced", settings, _draw(settings), _safest(settings, True), _knock(settings))


def _player(
    name: str, settings: dict[str, Any], draw: DrawDecider, discard: DiscardDecider, knock: KnockDecider
) -> Player:
    return Player(named(name, settings), draw, discard, knock, spread_best, SHARD)


def _draw(settings: dict[str, Any]) -> DrawDecider:
    chosen = CARD_VALUE | settings
    _check(chosen["value"])
    if chosen["value"] == "network":
        return draw_cheap(chosen["value_model"], chosen["cost"])
    return draw_valuable(chosen["threshold"], chosen["reward"], chosen["value"] == "hits")


def _keep_hitting(settings: dict[str, Any]) -> DiscardDecider:
    chosen = CARD_VALUE | settings
    return discard_dearest(chosen["value_model"]) if chosen["value"] == "network" else discard_not_hitting


def _safest(settings: dict[str, Any], keeps_hitting: bool) -> DiscardDecider:
    chosen = ESTIMATION | settings
    return discard_safest(*(chosen[name] for name in ESTIMATION), keeps_hitting)


def _knock(settings: dict[str, Any]) -> KnockDecider:
    chosen = KNOCK | settings
    if not 0 <= chosen["knock"] <= 1:
        raise UnknownName(f"knock is a chance from 0 to 1, not {chosen['knock']:g}")
    return knock_by_network(chosen["knock_model"], chosen["knock"])


def _check(value: str) -> None:
    if value not in VALUES:
        raise UnknownName(f"value is one of {', '.join(VALUES)}, not {value!r}")
