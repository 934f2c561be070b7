"""The points of a round as a chance to win the game, from both scores before it.

    prices = price_list(rules, own=40, other=70, starts=1)
    prices[SPAN + 25], prices[SPAN - 25], prices[SPAN]     # 25 points won, 25 points lost, a dead round

One list serves all rollouts of a decision.
"""

import numpy as np
import numpy.typing as npt

from ginrummy.equity import win_chances
from ginrummy.rules import Rules

SPAN = 255
"""More points than a round can bring; results beyond are priced as this many."""


def price_list(rules: Rules, own: int, other: int, starts: int) -> npt.NDArray[np.float64]:
    """[2 * SPAN + 1] chances to win by points of the round, from -SPAN to SPAN; ``starts``: who began it."""
    table = win_chances(rules)
    size = len(table)
    points = np.arange(-SPAN, SPAN + 1)
    mine, theirs = own + np.maximum(points, 0), other + np.maximum(-points, 0)
    # A target too great for a table counts as a smaller one, at the same distance from it.
    rows, columns = (np.clip(size - (rules.target - score), 0, size - 1) for score in (mine, theirs))
    again = (points == 0) & rules.redeal_keeps_dealer  # whoever started starts again
    next_starts = np.where(again, starts, 1 - starts)
    chances = table[rows, columns, next_starts]
    prices: npt.NDArray[np.float64] = np.where(
        mine >= rules.target, 1.0, np.where(theirs >= rules.target, 0.0, chances)
    )
    return prices


def point_list() -> npt.NDArray[np.float64]:
    """[2 * SPAN + 1] the points themselves, scaled to 0 … 1, for a search that ignores the score."""
    prices: npt.NDArray[np.float64] = 0.5 + np.arange(-SPAN, SPAN + 1) / (2 * SPAN)
    return prices
