"""Views at decisions of all kinds, for tests of what reads views."""

from __future__ import annotations

import numpy as np

from ginrummy import sim
from ginrummy.players.base import Player
from ginrummy.players.registry import make_player
from ginrummy.rules import EAAI


def decisions(watcher: str, opponent: str, games: int, seed: int) -> np.ndarray:
    """What a player saw when it was asked to draw, to discard and to knock, in the order of asking."""
    kept = []

    def keep(decide):
        def watched(view, rows, u):
            kept.append(view[rows].copy())
            return decide(view, rows, u)

        return watched

    plays = make_player(watcher)
    seeing = Player("watcher", keep(plays.draw), keep(plays.discard), keep(plays.knock), plays.spread)
    sim.play(seeing, make_player(opponent), range(games), EAAI, seed)
    return np.concatenate(kept)
