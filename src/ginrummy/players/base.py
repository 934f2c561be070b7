"""A player is data: deciders under a name, and the policy behind them if they are all kernels."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import index

import numpy as np

from ginrummy.compiled.policy import Compiled
from ginrummy.errors import IllegalAction
from ginrummy.following import Sit
from ginrummy.melds import MAX_MELDS
from ginrummy.rules import Rules
from ginrummy.view import BoolArray, FloatArray, IntArray, Sight, View, sight

DrawDecider = Callable[[View, IntArray, FloatArray], BoolArray]
DiscardDecider = Callable[[View, IntArray, FloatArray], IntArray]
KnockDecider = Callable[[View, IntArray, FloatArray], BoolArray]
SpreadDecider = Callable[[View, IntArray, FloatArray], IntArray]


@dataclass(frozen=True)
class Player:
    """Four deciders under one name. Deciders are pure: view, rows and uniform numbers in, answers out."""

    name: str
    """As written on the command line, with parameters that differ from the defaults."""
    draw: DrawDecider
    discard: DiscardDecider
    knock: KnockDecider
    spread: SpreadDecider
    shard: int = 500
    """Games in one piece of work: fewer for a slow player, so that an interruption loses little."""
    compiled: Compiled | None = None
    """Set when the player is made of kernels alone: compiled loops can play it, with the same answers."""
    fresh: "Callable[[], Player] | None" = None
    """Set for players from outside (``players.foreign``): builds another instance, which has seen nothing."""
    remembers: bool = False
    """Whether it looks at the earlier rounds themselves (``Sight.earlier``): views then hold them."""
    sit: Sit | None = None
    """Set for players that follow their games (``following``): only ``players.playing`` can play them."""
    under: "Callable[[Rules], Player] | None" = None
    """Set when a player's answers depend on rules that its view does not show, as the bonuses: builds the
    player for these rules. Until then it plays by the challenge's."""


def under(player: Player, rules: Rules) -> Player:
    """A player made for the rules of a game."""
    return player.under(rules) if player.under else player


def from_policy(name: str, compiled: Compiled, shard: int = 500) -> Player:
    """A player made of kernels alone: its deciders in lockstep are those of its policy."""
    return Player(name, compiled.draw, compiled.discard, compiled.knock, compiled.spread, shard, compiled)


def one_by_one(
    name: str,
    draw: Callable[[Sight, float], bool],
    discard: Callable[[Sight, float], int],
    knock: Callable[[Sight, float], bool],
    spread: Callable[[Sight, float], Sequence[int]],
) -> Player:
    """A player from functions that look at one table at a time. Slow, and easy to write.

    Each function gets a ``Sight`` and a uniform number in [0, 1), its only source of chance. ``draw`` and
    ``knock`` answer with a bool, ``discard`` with a card, ``spread`` with up to four melds as masks.
    """

    def melds(seen: Sight, u: float) -> IntArray:
        row = np.zeros(MAX_MELDS, np.int64)
        laid = [index(meld) for meld in spread(seen, u)]  # refuses a fraction, which the row would truncate
        if len(laid) > MAX_MELDS:
            raise IllegalAction(
                f"player {name!r} answered spread with {len(laid)} melds: at most {MAX_MELDS}"
            )
        row[: len(laid)] = laid
        return row

    def each(decide: Callable[[Sight, float], object]) -> Callable[[View, IntArray, FloatArray], IntArray]:
        def decide_rows(view: View, rows: IntArray, u: FloatArray) -> IntArray:
            return np.array([decide(sight(view, int(row)), float(x)) for row, x in zip(rows, u, strict=True)])

        return decide_rows

    return Player(name, each(draw), each(discard), each(knock), each(melds), remembers=True)  # type: ignore[arg-type]
