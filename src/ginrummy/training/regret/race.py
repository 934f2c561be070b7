"""A game as a race to 100 points: the chance to win from any scores, and how often scores come up.

Rounds are taken as independent and alike, with points as often as they were measured and both sides equal.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

TARGET = 100
LINES = 4096


class Race(NamedTuple):
    """What scores mean for the game."""

    value: npt.NDArray[np.float64]  # [101, 101] chance to win by own and opponent's score; 100: has won
    visits: npt.NDArray[np.float64]  # [100, 100] how often rounds with points begin at these scores in a game

    def lines(self) -> npt.NDArray[np.int64]:
        """[4096, 2] scores, as often as rounds begin at them."""
        shares = np.cumsum(self.visits.ravel()) / self.visits.sum()
        places = np.searchsorted(shares, (np.arange(LINES) + 0.5) / LINES)
        return np.stack(np.divmod(places, TARGET), axis=1).astype(np.int64)


def race(points: npt.NDArray[np.float64]) -> Race:
    """The race that rounds with these points make; rounds without points change nothing."""
    worth = np.abs(points[points != 0]).astype(np.int64)
    steps, counts = np.unique(worth, return_counts=True)
    chances = counts / counts.sum() / 2
    value = np.zeros((TARGET + 1, TARGET + 1))
    value[TARGET, :TARGET] = 1.0
    for own in range(TARGET - 1, -1, -1):
        after = np.minimum(own + steps, TARGET)
        for other in range(TARGET - 1, -1, -1):
            lost = np.minimum(other + steps, TARGET)
            value[own, other] = chances @ value[after, other] + chances @ value[own, lost]
    visits = np.zeros((TARGET + 1, TARGET + 1))
    visits[0, 0] = 1.0
    for own in range(TARGET):
        after = np.minimum(own + steps, TARGET)
        for other in range(TARGET):
            here = visits[own, other]
            np.add.at(visits, (after, other), here * chances)
            np.add.at(visits, (own, np.minimum(other + steps, TARGET)), here * chances)
    return Race(value, visits[:TARGET, :TARGET])
