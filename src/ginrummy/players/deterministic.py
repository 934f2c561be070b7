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

The paper leaves much open, and its text and its tables do not fit together. Two profiles:

``fit``, the default, has the readings that were settled by nearness to Table 6 (experiment S0-readings),
partly against the text: a card is worth taking, and worth keeping, when its value reaches the threshold, 21
(13 for the hitting player, as in the authors' program); a card in hand is valued among those outside the
melds; Equation 8 adds up melds of three cards; the knock network learns from knocks made.

``text`` is the letter of the paper: all players with card value share one threshold (21, the best of Table
2); Hitting and KH keep the cards of most value by Equation 1; HE and Advanced discard among cards that do not
hit; Equation 8 adds up all melds; the knock network is the one whose loss and accuracy come nearest to the
published ones (experiment S0-networks), learned from all chances to knock. ``simple`` is the same in both.

In both, Equation 1 counts hits. The text says types of melds, but with types no card reaches 21, and Table 2
has different numbers for T = 21 and T = infinity.

Like the baseline that they change, all of them discard a card outside the melds, never repeat a draw-discard
pair in a round, break ties by ``u``, and knock with gin at once.
"""

from collections.abc import Sequence
from typing import Any

from ginrummy.errors import UnknownName
from ginrummy.players.base import DiscardDecider, DrawDecider, KnockDecider, Player
from ginrummy.players.baseline import always, discard_least, draw_melding, spread_best
from ginrummy.players.deterministic_deciders import (
    discard_dearest,
    discard_safest,
    discard_worst,
    draw_cheap,
    draw_likely,
    draw_valuable,
    knock_by_belief,
    knock_by_network,
)
from ginrummy.policies.card_value import KEEPS
from ginrummy.specs import Range, named, parameters

CARD_VALUE: dict[str, Any] = {
    "value": "hits",  # what Equation 1 counts: hits, or types of potential melds; "network" replaces it
    "threshold": 21.0,  # T of Equation 1: the value at which an upcard is taken, and a card kept
    "keep": "valued",  # what a discard keeps: see ``policies.card_value.KEEPS``
    "reward": 3.0,  # H of Equation 1
    "cost": 0.4,  # T of the network: an upcard whose expected deadwood is below it is taken
    "value_model": "card-value.onnx",
}
UNBOUNDED = ("threshold",)
"""Parameters that may be infinite: no card then reaches the threshold, as in the paper's Table 2."""
HITTING: dict[str, Any] = {"threshold": 13.0}
"""Defaults of the hitting player that differ."""
ESTIMATION: dict[str, Any] = {
    "estimator": "bayes",
    "desire_weight": 1.0,  # weights of Equation 9
    "deadwood_weight": 3.0,
    "all_melds": False,  # whether Equation 8 adds up all melds, or those of three cards only
}
KNOCK: dict[str, Any] = {
    "knock": 0.9,  # knock when the predicted chance to win the round reaches this
    "knock_model": "knock.onnx",
}
BELIEF: dict[str, Any] = {
    "belief": "none",  # decisions that also look at the belief: none, draw, knock or both
    "belief_model": "knock-belief.onnx",
}
PROFILE: dict[str, Any] = {"profile": "fit"}  # which readings: fit, nearest to Table 6, or text, the letter
_BY_VALUE: dict[str, Any] = {"threshold": 21.0, "keep": "hits"}
_NOT_HITTING: dict[str, Any] = {"threshold": 21.0, "keep": "hitting"}
_ALL_MELDS: dict[str, Any] = {"all_melds": True}
_CHANCES: dict[str, Any] = {"knock_model": "knock-chances.onnx"}
TEXT: dict[str, dict[str, Any]] = {
    "knocking": _CHANCES,
    "estimating": _ALL_MELDS,
    "hitting": _BY_VALUE,
    "medium-kh": _BY_VALUE | _CHANCES,
    "medium-he": _NOT_HITTING | _ALL_MELDS,
    "medium-ek": _ALL_MELDS | _CHANCES,
    "advanced": _NOT_HITTING | _ALL_MELDS | _CHANCES,
}
"""Player -> what profile ``text`` sets."""
VALUE_RANGES = {"threshold": Range(8.0, 30.0), "reward": Range(0.0, 12.0)}
ESTIMATION_RANGES = {"desire_weight": Range(0.0, 10.0), "deadwood_weight": Range(0.0, 10.0)}
KNOCK_RANGES = {"knock": Range(0.4, 1.0)}
"""Bounds of a search."""
VALUES = ("hits", "types", "network")
BELIEVERS = ("none", "draw", "knock", "both")
SHARD = 500


def _profiles(name: str, *fit: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """What both profiles of a player set: the same keys."""
    constants = {key: value for some in fit for key, value in some.items()}
    return {"fit": {key: constants[key] for key in TEXT[name]}, "text": TEXT[name]}


def _chosen(name: str, settings: dict[str, Any]) -> dict[str, Any]:
    """The settings of a player on top of those of its profile."""
    profile = settings.get("profile", "fit")
    if profile not in ("fit", "text"):
        raise UnknownName(f"{name} has no profile {profile!r}: choose one of fit, text")
    return (TEXT[name] if profile == "text" else {}) | settings


@parameters(PROFILE, KNOCK, ranges=KNOCK_RANGES, profiles=_profiles("knocking", KNOCK))
def knocking(**settings: Any) -> Player:
    """The baseline, with a network that decides when to knock.

    Source: Nguyen, Doan and Neller, EAAI 2021, Knocking Player.
    Differs: knocks when the prediction reaches the threshold, and always with gin.
    """
    chosen = _chosen("knocking", settings)
    return _player("knocking", settings, draw_melding, discard_least, _knock(chosen))


@parameters(PROFILE, ESTIMATION, ranges=ESTIMATION_RANGES, profiles=_profiles("estimating", ESTIMATION))
def estimating(**settings: Any) -> Player:
    """The baseline, discarding by deadwood and by how little the opponent seems to want a card.

    Source: Nguyen, Doan and Neller, EAAI 2021, Estimating Player, Equations 8 and 9 with Bayes' rule.
    """
    chosen = _chosen("estimating", settings)
    return _player("estimating", settings, draw_melding, _safest(chosen), always)


@parameters(
    PROFILE,
    CARD_VALUE | HITTING,
    unbounded=UNBOUNDED,
    ranges=VALUE_RANGES,
    profiles=_profiles("hitting", CARD_VALUE | HITTING),
)
def hitting(**settings: Any) -> Player:
    """The baseline, drawing and keeping cards by how they could meld with the hand.

    Source: Nguyen, Doan and Neller, EAAI 2021, Hitting Player, Equation 1.
    Differs: Equation 1 counts hits, not types of melds: with types no card reaches a threshold of 21.
    """
    chosen = HITTING | _chosen("hitting", settings)
    return _player("hitting", settings, _draw(chosen), _worst(chosen), always)


@parameters(
    PROFILE,
    CARD_VALUE,
    KNOCK,
    BELIEF,
    {"estimator": "bayes"},
    unbounded=UNBOUNDED,
    ranges=VALUE_RANGES | KNOCK_RANGES,
    profiles=_profiles("medium-kh", CARD_VALUE, KNOCK),
)
def medium_kh(**settings: Any) -> Player:
    """Draws and discards by card value, knocks by the network: the paper's best player.

    Source: Nguyen, Doan and Neller, EAAI 2021, Medium Player KH. With ``belief`` its draw, its knock or both
    also use the belief about the opponent's hand, which the paper leaves to future work.
    """
    belief = settings.get("belief", "none")
    if belief not in BELIEVERS:
        raise UnknownName(f"belief is one of {', '.join(BELIEVERS)}, not {belief!r}")
    own = _chosen("medium-kh", settings)
    chosen = CARD_VALUE | KNOCK | BELIEF | {"estimator": "bayes"} | own
    draw, knock = _draw(own), _knock(own)
    if belief in ("draw", "both"):
        if chosen["value"] != "hits":
            raise UnknownName(f"belief={belief} weighs hits: it goes with value=hits, not {chosen['value']}")
        draw = draw_likely(chosen["threshold"], chosen["reward"], chosen["estimator"])
    if belief in ("knock", "both"):
        knock = knock_by_belief(chosen["belief_model"], chosen["knock"], chosen["estimator"])
    return _player("medium-kh", settings, draw, _worst(own), knock)


@parameters(
    PROFILE,
    CARD_VALUE,
    ESTIMATION,
    unbounded=UNBOUNDED,
    ranges=VALUE_RANGES | ESTIMATION_RANGES,
    profiles=_profiles("medium-he", CARD_VALUE, ESTIMATION),
)
def medium_he(**settings: Any) -> Player:
    """Draws by card value, discards the safest of the cards not worth keeping.

    Source: Nguyen, Doan and Neller, EAAI 2021, Medium Player HE.
    """
    chosen = _chosen("medium-he", settings)
    return _player("medium-he", settings, _draw(chosen), _safest(chosen, keeps=True), always)


@parameters(
    PROFILE,
    ESTIMATION,
    KNOCK,
    ranges=ESTIMATION_RANGES | KNOCK_RANGES,
    profiles=_profiles("medium-ek", ESTIMATION, KNOCK),
)
def medium_ek(**settings: Any) -> Player:
    """Draws as the baseline, discards the safest card, knocks by the network.

    Source: Nguyen, Doan and Neller, EAAI 2021, Medium Player EK.
    """
    chosen = _chosen("medium-ek", settings)
    return _player("medium-ek", settings, draw_melding, _safest(chosen), _knock(chosen))


@parameters(
    PROFILE,
    CARD_VALUE,
    ESTIMATION,
    KNOCK,
    unbounded=UNBOUNDED,
    ranges=VALUE_RANGES | ESTIMATION_RANGES | KNOCK_RANGES,
    profiles=_profiles("advanced", CARD_VALUE, ESTIMATION, KNOCK),
)
def advanced(**settings: Any) -> Player:
    """Draws by card value, discards the safest card not worth keeping, knocks by the network.

    Source: Nguyen, Doan and Neller, EAAI 2021, Advanced Player.
    """
    chosen = _chosen("advanced", settings)
    return _player("advanced", settings, _draw(chosen), _safest(chosen, keeps=True), _knock(chosen))


def _player(
    name: str, settings: dict[str, Any], draw: DrawDecider, discard: DiscardDecider, knock: KnockDecider
) -> Player:
    return Player(named(name, settings), draw, discard, knock, spread_best, SHARD)


def _draw(settings: dict[str, Any]) -> DrawDecider:
    chosen = CARD_VALUE | settings
    _check(chosen["value"])
    if chosen["value"] == "network":
        return draw_cheap(chosen["value_model"], chosen["cost"])
    return draw_valuable(chosen["threshold"], chosen["reward"], chosen["value"] != "types")


def _worst(settings: dict[str, Any]) -> DiscardDecider:
    chosen = CARD_VALUE | settings
    if chosen["value"] == "network":
        return discard_dearest(chosen["value_model"])
    keep = _keep(chosen["keep"], KEEPS)
    return discard_worst(keep, chosen["threshold"], chosen["reward"], chosen["value"] != "types")


def _safest(settings: dict[str, Any], keeps: bool = False) -> DiscardDecider:
    chosen = CARD_VALUE | ESTIMATION | settings
    how = {name: chosen[name] for name in ESTIMATION}
    if not keeps:
        return discard_safest(**how)
    keep = _keep(chosen["keep"], KEEPS[: KEEPS.index("types")])
    valued = {"threshold": chosen["threshold"], "reward": chosen["reward"]}
    return discard_safest(**how, keep=keep, **valued, by_hits=chosen["value"] != "types")


def _keep(keep: str, known: Sequence[str]) -> int:
    if keep not in known:
        raise UnknownName(f"keep is one of {', '.join(known)}, not {keep!r}")
    return KEEPS.index(keep)


def _knock(settings: dict[str, Any]) -> KnockDecider:
    chosen = KNOCK | settings
    if not 0 <= chosen["knock"] <= 1:
        raise UnknownName(f"knock is a chance from 0 to 1, not {chosen['knock']:g}")
    return knock_by_network(chosen["knock_model"], chosen["knock"])


def _check(value: str) -> None:
    if value not in VALUES:
        raise UnknownName(f"value is one of {', '.join(VALUES)}, not {value!r}")
