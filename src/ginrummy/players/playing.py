"""Play two players by the fastest loop that both allow: compiled if both are kernels, otherwise lockstep."""

from ginrummy import sim
from ginrummy.compiled import games as compiled_games
from ginrummy.players.base import Player
from ginrummy.rules import Rules


def play(
    first: Player, second: Player, games: range, rules: Rules, seed: int, *, record: bool = False
) -> sim.Run:
    """Play the games of a range; the results are the same whichever loop plays them."""
    if first.compiled and second.compiled:
        names = first.name, second.name
        return compiled_games.play(
            first.compiled, second.compiled, games, rules, seed, names=names, record=record
        )
    return sim.play(first, second, games, rules, seed, record=record)
