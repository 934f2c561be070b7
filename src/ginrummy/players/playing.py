"""Play two players by the fastest loop that both allow: compiled if both are kernels, otherwise lockstep."""

from ginrummy import following, sim, timed
from ginrummy.compiled import games as compiled_games
from ginrummy.players.base import Player, under
from ginrummy.rules import Rules


def play(
    first: Player,
    second: Player,
    games: range,
    rules: Rules,
    seed: int,
    *,
    record: bool = False,
    seconds_per_game: float | None = None,
) -> sim.Run:
    """Play the games of a range; the results are the same whichever loop plays them.

    With ``seconds_per_game`` a player that uses more time in a game forfeits it, and no rounds are recorded.
    """
    first, second = under(first, rules), under(second, rules)
    if first.sit or second.sit:
        return following.play(
            first, second, games, rules, seed, record=record, seconds_per_game=seconds_per_game
        )
    if seconds_per_game is not None:
        return timed.play(first, second, games, rules, seed, seconds_per_game)
    if first.compiled and second.compiled:
        names = first.name, second.name
        return compiled_games.play(
            first.compiled, second.compiled, games, rules, seed, names=names, record=record
        )
    return sim.play(first, second, games, rules, seed, record=record)


def recorded(first: Player, second: Player, games: range, rules: Rules, seed: int) -> sim.Run:
    """Play the games of a range in lockstep and keep every round."""
    first, second = under(first, rules), under(second, rules)
    if first.sit or second.sit:
        return following.play(first, second, games, rules, seed, record=True)
    return sim.play(first, second, games, rules, seed, record=True)
