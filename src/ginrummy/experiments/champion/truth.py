"""The ceiling of search: worlds in which the opponent holds its true hand.

The searching player sees that hand through a connection between two players of one run that exists only
here: no registered player has it, and no belief can be named that knows it.
"""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ginrummy.estimators.joint import Sampled
from ginrummy.players.base import Player
from ginrummy.players.champion import champion, searching
from ginrummy.search.searcher import Belief, Searcher
from ginrummy.view import FloatArray, IntArray, View


@dataclass
class Truth:
    """A belief that looks at the opponent's view; before the opponent was first asked, it only guesses."""

    guess: Belief
    shown: list[View] = field(default_factory=list)

    def sample(self, view: View, rows: IntArray, u: FloatArray, n: int) -> Sampled:
        """The true hand, ``n`` times."""
        found = self.guess.sample(view, rows, u, n)
        if not self.shown:
            return found
        hands = np.repeat(self.shown[0]["hand"][rows][:, None], n, axis=1)
        return found._replace(hands=hands, weights=np.full(hands.shape, 1.0 / n))

    def draw_types(self, view: View, rows: IntArray, found: Sampled, u: FloatArray) -> IntArray:
        """Types by the guess, for these hands."""
        return self.guess.draw_types(view, rows, found, u)


def peeking(
    settings: dict[str, Any], opponent: Player, knowing: type[Truth] = Truth
) -> tuple[Player, Player]:
    """``champion`` with these settings, which knows the hand of its opponent, and that opponent."""
    plain: Searcher = champion(**settings).draw.__self__  # type: ignore[attr-defined]
    truth = knowing(plain.belief)

    def draw(view: View, rows: IntArray, u: FloatArray) -> Any:
        truth.shown[:] = [view]
        return opponent.draw(view, rows, u)

    seeing = Searcher(plain.blueprint, truth, plain.rules, plain.settings)
    return searching("champion that sees all", seeing), replace(opponent, draw=draw, compiled=None)
