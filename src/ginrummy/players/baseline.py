"""The challenge's baseline player with its variations, and a player of random legal moves."""

from ginrummy.compiled.policy import Compiled
from ginrummy.errors import UnknownName
from ginrummy.players.base import DrawDecider, Player, from_policy
from ginrummy.policies.baseline import RANDOM, SIMPLE
from ginrummy.policies.card_value import VARIED
from ginrummy.specs import Range, named, parameters

FAST_SHARD = 2000
AT_ONCE = 100
"""No hand of ten cards has more deadwood: with this limit a player knocks as soon as the rules allow it."""
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
    return Compiled(VARIED, (probability, AT_ONCE, AT_ONCE, 0, 1)).draw


MOST_HITS = 12
"""A card has three potential sets and three potential runs, each with two cards that may be in hand."""
RANGES = {
    "hitting": Range(0.0, 1.0),
    "knock_at": Range(0, 10, 0, whole=True),
    "knock_early": Range(0, 10, 10, whole=True),
    "knock_change": Range(0, 19, 6, whole=True),
}


@parameters(ranges=RANGES)
def simple(
    hitting: float = 0.0,
    knock_at: int = AT_ONCE,
    knock_early: int = AT_ONCE,
    knock_change: int = 0,
    least_hits: int = 1,
) -> Player:
    """Take a card that melds, keep the least deadwood, knock at once.

    Source: Neller, EAAI 2021 challenge, the baseline player. ``hitting`` (a chance to take a hitting card as
    well) and ``knock_at`` (the most deadwood to knock with) vary it as Nguyen, Doan and Neller did to gather
    play; 100 sets no limit beyond that of the rules. ``least_hits`` is the hit count from which a card is a
    hitting card: 1 by the paper's definition, more in other readings of its Table 1. ``knock_early`` is the
    limit before own turn ``knock_change``, as in the two-stage knock decider of Nagai, Shrivastava, Ta, Byers
    and Bogaerts; with ``knock_change=0`` there is one stage.
    Differs: ties are broken by ``u``, not by java.util.Random.
    """
    if not 0 <= hitting <= 1:
        raise UnknownName(f"simple: hitting is a probability from 0 to 1, not {hitting:g}")
    limits = {"knock_at": knock_at, "knock_early": knock_early, "knock_change": knock_change}
    for key, limit in limits.items():
        if not 0 <= limit <= AT_ONCE:
            raise UnknownName(f"simple: {key} is from 0 to {AT_ONCE}, not {limit}")
    if not 1 <= least_hits <= MOST_HITS:
        raise UnknownName(f"simple: least_hits is from 1 to {MOST_HITS}, not {least_hits}")
    settings: dict[str, object] = {"hitting": hitting} if hitting else {}
    settings |= {"least_hits": least_hits} if least_hits > 1 else {}
    usual = {"knock_at": AT_ONCE, "knock_early": AT_ONCE, "knock_change": 0}
    settings |= {key: limit for key, limit in limits.items() if limit != usual[key]}
    constants = hitting, knock_at, knock_early, knock_change, least_hits
    return from_policy(
        named("simple", settings), Compiled(VARIED, constants) if settings else _SIMPLE, FAST_SHARD
    )


def random() -> Player:
    """Draw, discard and knock at random among what is legal; lay down one of the best meld sets.

    Source: ours, for tests and as the floor of every rating.
    """
    return from_policy("random", Compiled(RANDOM), FAST_SHARD)
