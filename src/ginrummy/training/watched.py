"""Games to learn estimators from: what each side saw after every event of its opponent, and the truth."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from ginrummy import sim
from ginrummy.cards import CARDS
from ginrummy.judging.metrics import log_loss, mean_squared_difference, places, top_n
from ginrummy.moments import Moments, in_order, views
from ginrummy.players.registry import make_player
from ginrummy.rules import EAAI

Json = dict[str, Any]
Pair = tuple[str, str]

SIMPLE: tuple[Pair, ...] = (("simple", "simple"),)
"""What the papers learn from."""
CHUNK = 250
HELD_BACK = 10
"""Every tenth pair of games is for validation."""


class Watched(NamedTuple):
    """Some moments of one side."""

    moments: Moments
    games: npt.NDArray[np.int64]
    """[N] number of the game."""

    @property
    def held_back(self) -> npt.NDArray[np.bool_]:
        """[N] whether a moment is for validation."""
        held: npt.NDArray[np.bool_] = self.games // 2 % HELD_BACK == HELD_BACK - 1
        return held

    @property
    def rows(self) -> npt.NDArray[np.int64]:
        """[N] every row of the view."""
        return np.arange(len(self.games))

    @property
    def last(self) -> npt.NDArray[np.int64]:
        """[R] the last moment of each round: its log has all events of the round."""
        return np.flatnonzero(np.diff(self.moments.round, append=-1))


def watch(pairs: Sequence[Pair], games: range, seed: int) -> Iterator[Watched]:
    """Play the games with every pair of players and look at them from both sides, a few hundred at a time."""
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


def quality(
    beliefs: npt.NDArray[np.float32], truth: npt.NDArray[np.int64], known: npt.NDArray[np.int64]
) -> Json:
    """What the record of a trained file says of games held back; the losses are of unknown cards."""
    return {
        "moments": len(truth),
        "log_loss": float(log_loss(beliefs, truth, known).mean()),
        "brier": float(mean_squared_difference(beliefs, truth, known).mean()),
        "top_n": float(top_n(places(beliefs, truth)).mean()),
        "sum": float(beliefs.sum() / max(1, len(beliefs))),
    }


def answers(model: nn.Module, x: Tensor) -> npt.NDArray[np.float32]:
    """What a network says of all rows."""
    with torch.no_grad():
        parts = [model(x[start : start + 4000].float()).numpy() for start in range(0, len(x), 4000)]
    return np.concatenate(parts)


def rounded(history: list[Json]) -> list[Json]:
    """A history as a record keeps it."""
    return [{name: round(value, 6) for name, value in epoch.items()} for epoch in history]


def bits(masks: npt.NDArray[np.int64]) -> npt.NDArray[np.uint8]:
    """[N] masks as [N, 52] zeros and ones."""
    return (masks[:, None] >> np.arange(CARDS) & 1).astype(np.uint8)


def text(result: Json) -> str:
    """What a person reads of a training."""
    data, training = result["made_from"], result["training"]
    history = training["history"]
    last = min(history, key=lambda epoch: float(epoch["validation"]))
    lines = [
        f"{result['artefact']}: {data['rows']:,} moments, {len(history)} epochs in {result['seconds']:.0f} s",
        f"loss {last['train']:.4f}, on games held back {last['validation']:.4f}",
    ]
    for name, values in training["validation"].items():
        lines.append(f"{name}: log loss {values['log_loss']:.4f}, top n {values['top_n']:.2f}")
    if "file" in result:
        lines.append(f"written to {result['file']}")
    return "\n".join(lines)
