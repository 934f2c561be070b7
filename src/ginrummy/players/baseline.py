"""The challenge's baseline player with its variations, and a player of random legal moves."""

from ginrummy.compiled.policy import Compiled
from ginrummy.errors import UnknownName
from ginrummy.players.base import DrawDecider, Player, from_policy
from ginrummy.policies.baseline import RANDOM, SIMPLE
from ginrummy.policies.card_value import VARIED
from ginrummy.specs import named

FAST_SHARD = 2000

NO_LIMIT = 99
"""Deadwood that no hand within the rules' limit exceeds."""
_SIMPLE = Compiled(SIMPLE)
draw_melding, discard_least, always, spread_best = (
    _SIMPLE.draw,
    _SIMPLE.discard,
    _SIMPLE.knock,
    _SIMPLE.spread,
)
"""The baseline's deciders, for players that share some of them."""


def draw_hitting(probability: float) -> DrawDecider:
    """Take a card that melds, and with some probability a hitting card."""
    return Compiled(VARIED, (probability, NO_LIMIT)).draw


def simple(hitting: float = 0.0, knock_at: int = 10) -> Player:
    """Take a card that melds, keep the least deadwood, knock at once.

    Source: Neller, EAAI 2021 challenge, the baseline player. ``hitting`` (a chance to take a hitting card as
    well) and ``knock_at`` (the deadwood to knock with) vary it as Nguyen, Doan and Neller did to gather play.
    Differs: ties are broken by ``u``, not by java.util.Random.
    """
    if not 0 <= hitting <= 1:
        raise UnknownName(f"simple: hitting is a probability from 0 to 1, not {hitting:g}")
    if not 0 <= knock_at <= 10:
        raise UnknownName(f"simple: knock_at is from 0 to 10, not {knock_at}")
    settings: dict[str, object] = {"hitting": hitting} if hitting else {}
    settings |= {"knock_at": knock_at} if knock_at < 10 else {}
    within = knock_at if knock_at < 10 else NO_LIMIT
    deciders = Compiled(VARIED, (hitting, within)) if settings else _SIMPLE
    return from_policy(named("simple", settings), deciders, FAST_SHARD)


def random() -> Player:
    """Draw, discard and knock at random among what is legal; lay down one of the best meld sets.

    Source: ours, for tests and as the floor of every rating.
    """
    return from_policy("random", Compiled(RANDOM), FAST_SHARD)
