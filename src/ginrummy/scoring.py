"""What a finished round is worth: facts in, points out."""

import numpy as np

from ginrummy._jit import lean
from ginrummy.cards import IntArray
from ginrummy.rules import Rules

DEAD, KNOCK, GIN, BIG_GIN, UNDERCUT, TIE = range(6)
"""How a round ends. A tie scores nothing; under most rules equal deadwood is an undercut instead."""

OUTCOMES = ("dead", "knock", "gin", "big gin", "undercut", "tie")


@lean
def score(rules, knocker, defender, big):
    """Outcome of a knock and its points: positive for the knocker, negative for the defender.

    ``knocker`` and ``defender`` are deadwoods after layoffs; ``big`` says that eleven cards were melded.
    """
    if big:
        return BIG_GIN, rules.big_gin_bonus + defender
    if knocker == 0:
        return GIN, rules.gin_bonus + defender
    if knocker < defender:
        return KNOCK, defender - knocker
    if knocker == defender and not rules.tie_undercuts:
        return TIE, 0
    return UNDERCUT, -(rules.undercut_bonus + knocker - defender)


@lean
def round_limit(rules, upcard):
    """Greatest deadwood to knock with in a round that began with this upcard."""
    if not rules.oklahoma:
        return rules.knock_limit
    rank = upcard % 13
    return 0 if rank == 0 else min(rank + 1, 10, rules.knock_limit)


def final_totals(rules: Rules, scores: tuple[int, int], lines: tuple[int, int]) -> tuple[int, int]:
    """Scores of a finished game with its bonuses. ``lines`` are the rounds that each player won."""
    first, second = totals(rules, np.array([scores]), np.array([lines]))[0].tolist()
    return first, second


def totals(rules: Rules, scores: IntArray, lines: IntArray) -> IntArray:
    """Scores of finished games with their bonuses. [G, 2] scores and rounds won -> [G, 2].

    The winner gets the game bonus, doubled with the score in a shutout; both get the line bonus.
    """
    ahead = scores > scores[:, ::-1]
    shutout = ahead & (lines[:, ::-1] == 0) & rules.shutout_doubles
    earned = np.where(ahead, scores + rules.game_bonus, scores)
    return np.where(shutout, 2 * earned, earned) + rules.line_bonus * lines
