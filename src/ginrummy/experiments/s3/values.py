"""Duels of players that differ in one thing: what tips and knock rules are worth, in points a round."""

import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ginrummy.experiments.frame.drawings import Cell
from ginrummy.experiments.frame.evidence import Arm, MatchPoint
from ginrummy.experiments.frame.rates import win_rates
from ginrummy.stats import Estimate

POINTS, WON = "points a round", "win rate"


class Duel(NamedTuple):
    """Two players that differ in one thing."""

    name: str
    """What the first does and the second does not."""
    player: str
    opponent: str


def arms(duels: Iterable[Duel]) -> tuple[Arm, ...]:
    """The duels as arms of an experiment."""
    return tuple(Arm(duel.name, 0.0, duel.player, duel.opponent) for duel in duels)


def points_a_round(points: Iterable[MatchPoint]) -> dict[str, Estimate]:
    """Duel -> points by which the player beats the opponent in a round, seeds added up.

    Games count as independent. The games of a mirrored pair share their decks with seats swapped, so luck
    partly cancels and the true error is a little smaller.
    """
    sums: dict[str, tuple[int, int, int, int]] = {}
    for point in points:
        games, margin, squares, rounds = sums.get(point.series, (0, 0, 0, 0))
        counts = point.counts
        sums[point.series] = (
            games + counts.games,
            margin + counts.margin_sum,
            squares + counts.margin_squares,
            rounds + point.rounds,
        )
    found = {}
    for name, (games, margin, squares, rounds) in sums.items():
        spread = max(squares - margin * margin / games, 0.0)
        found[name] = Estimate(margin / rounds, math.sqrt(spread) / rounds)
    return found


def win_rate_of(points: list[MatchPoint]) -> Mapping[str, Estimate]:
    """Duel -> the player's win rate, seeds added up."""
    rates = win_rates(points)
    return {point.series: rates[point.player, point.opponent] for point in points}


def cells(points: list[MatchPoint]) -> list[Cell]:
    """Points a round and win rate of every duel."""
    worth, won = points_a_round(points), win_rate_of(points)
    found = []
    for name in worth:
        found += [Cell(name, POINTS, worth[name], "mean"), Cell(name, WON, won[name], "rate")]
    return found
