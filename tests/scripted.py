"""Players that repeat a record, and watchers of what a player is asked and answers."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ginrummy.melds import MAX_MELDS
from ginrummy.players.base import Player
from ginrummy.view import DISCARD, DRAWN, UPCARD, sight


def scripted(logs: np.ndarray, spreads: np.ndarray, knocks: np.ndarray) -> Player:
    """Repeat, row by row, what a side's logs say: [N, L, 4] logs, [N, 4] melds, [N] knock at the last event?"""

    def event(view, rows):
        return logs[rows, view["events"][rows]]

    def draw(view, rows, u):
        return event(view, rows)[:, DRAWN] == event(view, rows)[:, UPCARD]

    def discard(view, rows, u):
        return event(view, rows)[:, DISCARD]

    def knock(view, rows, u):
        lengths = (logs[rows, :, 0] >= 0).sum(axis=1)
        return knocks[rows] & (view["events"][rows] == lengths)

    return Player("scripted", draw, discard, knock, lambda view, rows, u: spreads[rows])


def watched(player: Player, note: Callable[[str, int, Any, float, Any], None]) -> Player:
    """The same player; ``note(name, row, sight, u, answer)`` is called for each answer."""

    def watch(name: str) -> Callable[..., np.ndarray]:
        def decide(view, rows, u):
            answers = getattr(player, name)(view, rows, u)
            for row, x, answer in zip(rows, u, answers, strict=True):
                note(name, int(row), sight(view, int(row)), float(x), np.asarray(answer).tolist())
            return answers

        return decide

    return Player(
        player.name, watch("draw"), watch("discard"), watch("knock"), watch("spread"), remembers=True
    )


def melds_row(melds) -> list[int]:
    masks = [sum(1 << card for card in meld) for meld in melds]
    return masks + [0] * (MAX_MELDS - len(masks))
