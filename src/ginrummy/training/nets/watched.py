"""Games to learn estimators from: what each side saw after every event of its opponent, and the truth."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ginrummy import sim
from ginrummy.cards import CARDS
from ginrummy.moments import Moments, in_order, views
from ginrummy.players.registry import make_player
from ginrummy.rules import EAAI
from ginrummy.training.play_data import held_back

Pair = tuple[str, str]

SIMPLE: tuple[Pair, ...] = (("simple", "simple"),)
"""The play that the papers learn from."""
CHUNK = 250
"""Games in memory at a time."""


class Watched(NamedTuple):
    """Some moments of one side."""

    moments: Moments
    games: npt.NDArray[np.int64]
    """[N] number of the game."""

    @property
    def held_back(self) -> npt.NDArray[np.bool_]:
        """[N] whether a moment is for validation."""
        return held_back(self.games)

    @property
    def rows(self) -> npt.NDArray[np.int64]:
        """[N] every row of the view."""
        return np.arange(len(self.games))

    @property
    def last(self) -> npt.NDArray[np.int64]:
        """[R] the last moment of each round: its log has all events of the round."""
        return np.flatnonzero(np.diff(self.moments.round, append=-1))


def watch(pairs: Sequence[Pair], games: range, seed: int) -> Iterator[Watched]:
    """Play the games with every pair of players and look at them from both sides, ``CHUNK`` at a time."""
    for names in pairs:
        first, second = (make_player(name) for name in names)
        for start in range(games.start, games.stop, CHUNK):
            some = range(start, min(start + CHUNK, games.stop))
            rounds = in_order(sim.play(first, second, some, EAAI, seed, record=True).rounds)
            for side in (0, 1):
                found = views(rounds, side, EAAI)
                yield Watched(found, rounds["game"][found.round].astype(np.int64))


def known_cards(watched: Watched) -> npt.NDArray[np.int64]:
    """[N] masks: own hand, pile, and what the opponent is known to hold."""
    view = watched.moments.view
    known: npt.NDArray[np.int64] = view["hand"] | view["pile"] | view["opponent"]
    return known


def bits(masks: npt.NDArray[np.int64]) -> npt.NDArray[np.uint8]:
    """[N] masks as [N, 52] zeros and ones, in bytes: there are millions of rows."""
    return (masks[:, None] >> np.arange(CARDS) & 1).astype(np.uint8)
