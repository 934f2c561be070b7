"""``ginrummy train champion-leaves``: how rounds end from positions in which all cards are known.

Champion's network plays against opponents of every type. Some positions before a draw are kept, with both
hands and the stock (``search.leaves``), and with the class of points that the round brought in the end.

The network explores: now and then it gives another answer than the one it likes best, and the positions after
such discards are all kept. Whoever compares answers asks about positions that the network itself would avoid.
Had it never been there, what it knows of them would be a guess from positions that it chose for good reasons.
"""

import io
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional

from ginrummy import artefacts
from ginrummy.cards import CARDS
from ginrummy.compiled import policy
from ginrummy.compiled.policy import Compiled
from ginrummy.dense import flat
from ginrummy.estimators.types import TYPES
from ginrummy.players.base import Player
from ginrummy.players.champion import NETWORK, NetworkAnswers, network_answers
from ginrummy.players.registry import make_player
from ginrummy.rules import EAAI
from ginrummy.search.leaves import (
    BINS,
    EDGES,
    HIDDEN,
    INPUTS,
    LANES,
    MODEL,
    OUTPUTS,
    SECOND,
    bin_of,
    leaf_rows,
)
from ginrummy.search.pricing import SPAN
from ginrummy.sim import Lockstep
from ginrummy.tables import GAME, Tables, new_tables
from ginrummy.training.nets.fit import Fit, Rows, always, best_epoch, rounded, train
from ginrummy.training.nets.layers import start_as_keras
from ginrummy.training.play_data import DATA_SEED
from ginrummy.training.progress import Progress
from ginrummy.training.recipes import Recipe, Trained
from ginrummy.view import NORMAL, BoolArray, FloatArray, IntArray, View

Json = dict[str, Any]
Floats = npt.NDArray[np.float32]

GREEDY = len(TYPES)
"""Added to a type for the second manner of opponent."""


class Met(NamedTuple):
    """An opponent whose rounds are watched."""

    spec: str
    kind: str
    """Its type (``estimators.types``)."""
    greedy: bool
    share: float
    """Of the games."""


OPPONENTS = (
    Met("hand-strength:profile=code", "early", False, 0.2),
    Met("hand-strength", "early", False, 0.14),
    Met("hand-strength:profile=tuned", "early", True, 0.2),
    Met("champion:level=fast", "early", False, 0.08),
    Met("simple", "at-once", False, 0.12),
    Met("hand-strength:profile=tuned,knock=10", "at-once", True, 0.04),
    Met("hand-strength:profile=tuned,knock=0", "gin", True, 0.05),
    Met("hand-strength:profile=code,knock=0", "gin", False, 0.03),
    Met("simple:knock_at=0", "gin", False, 0.03),
    Met("hand-strength:profile=code,knock=4", "low", False, 0.04),
    Met("hand-strength:profile=tuned,knock=0/0/0/0/0/0/10", "late", True, 0.03),
    Met("medium-kh", "falling", False, 0.04),
)
SEED = 960_000
"""Added to the seed of the recipe: games of their own."""
VALIDATION = 500_000
"""Added for the games held back."""
KEPT = 0.35
"""Share of the positions that are kept; those after a discard by way of trial are all kept."""
TRIED = 0.12
"""Share of champion's answers that are given by way of trial."""
AMONG = 4
"""Discards by way of trial are drawn from so many that it likes best, as in ``selfplay.what_if``."""


class Scale(NamedTuple):
    """How much to play and to train."""

    games: int
    """Against all opponents together."""
    fit: Fit


def _surprise(model: Any, x: Tensor, y: Tensor) -> Tensor:
    """Mean cross-entropy of the classes."""
    return functional.cross_entropy(model(x), y[:, 0].long())


SCALES = {
    "smoke": Scale(60, Fit(1, 500, _surprise)),
    "full": Scale(200_000, Fit(12, 2000, _surprise, rate=4e-3, cosine=True, keep_best=True)),
}


class Leaf(nn.Module):
    """Numbers of a position -> two ReLU layers -> logits of the classes."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(INPUTS, HIDDEN), nn.Linear(HIDDEN, SECOND)
        self.out = nn.Linear(SECOND, BINS)

    def forward(self, x: Tensor) -> Tensor:
        """[N, INPUTS] -> [N, BINS]."""
        logits: Tensor = self.out(torch.relu(self.second(torch.relu(self.first(x)))))
        return logits

    def weights(self) -> Floats:
        """As ``search.leaves`` reads them."""
        w, b = _of(self.first)
        out_w, out_b = np.zeros((OUTPUTS, SECOND), np.float32), np.zeros(OUTPUTS, np.float32)
        out_w[:BINS], out_b[:BINS] = _of(self.out)
        parts = [(w[k : k + LANES], b[k : k + LANES]) for k in range(0, HIDDEN, LANES)]
        return flat([*parts, _of(self.second), (out_w, out_b)])


def _of(layer: nn.Linear) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    return layer.weight.detach().numpy(), layer.bias.detach().numpy()


class Watching:
    """Keeps positions of the rounds of two players, with the number of their game and round."""

    def __init__(self, batch: Tables, kind: int, seed: int) -> None:
        self._batch, self._kind, self._rng = batch, kind, np.random.default_rng(seed)
        self._scratch = np.empty(policy.SCRATCH, np.int64)
        self._tried = np.zeros(len(batch.tables), np.bool_)
        self.x: list[Floats] = []
        self.where: list[IntArray] = []

    def watched(self, player: Player, side: int) -> Player:
        """A player whose draws are watched."""
        draw: Callable[[View, IntArray, FloatArray], BoolArray] = player.draw

        def decide(view: View, rows: IntArray, u: FloatArray) -> BoolArray:
            ordinary = np.asarray(rows, np.int64)[view["offer"][rows] == NORMAL]
            some = ordinary[(self._rng.random(len(ordinary)) < KEPT) | self._tried[ordinary]]
            self._tried[rows] = False
            x = np.empty((len(some), INPUTS), np.float32)
            tables, first, second, _ = self._batch
            kinds = np.full(len(some), self._kind, np.int64)
            leaf_rows(first, second, some, side, kinds, self._scratch, x)
            self.x.append(x)
            self.where.append(np.stack([tables["game"][some], first["round"][some]], 1).astype(np.int64))
            return draw(view, rows, u)

        return Player(player.name, decide, player.discard, player.knock, player.spread)

    def exploring(self, answers: NetworkAnswers, spread: Compiled) -> Player:
        """Champion's network, which gives other answers now and then."""

        def tries(size: int) -> BoolArray:
            return self._rng.random(size) < TRIED

        def draw(view: View, rows: IntArray, u: FloatArray) -> BoolArray:
            open_, liked = answers.takes(view, rows)
            yes: BoolArray = (liked > 0) ^ (open_ & tries(len(rows)))
            return yes

        def discard(view: View, rows: IntArray, u: FloatArray) -> IntArray:
            allowed = view["allowed"][rows][:, None] >> np.arange(CARDS) & 1 == 1
            best = np.argsort(-np.where(allowed, answers.scores(view, rows), -np.inf), 1)[:, :AMONG]
            other = tries(len(rows)) & (allowed.sum(1) >= AMONG)
            self._tried[rows] = other
            place = np.where(other, 1 + self._rng.integers(AMONG - 1, size=len(rows)), 0)
            cards: IntArray = best[np.arange(len(rows)), place].astype(np.int8)
            return cards

        def knock(view: View, rows: IntArray, u: FloatArray) -> BoolArray:
            open_, liked = answers.knocks(view, rows)
            yes: BoolArray = (liked > 0) ^ (open_ & tries(len(rows)))
            return yes

        return Player("champion that explores", draw, discard, knock, spread.spread)


def watched(games: int, seed: int, on_progress: Progress | None = None) -> tuple[Floats, IntArray]:
    """Inputs and points of positions from games of champion's network against each opponent."""
    inputs, points = [], []
    spreading = make_player("hand-strength:profile=tuned").compiled
    assert spreading is not None
    for place, one in enumerate(OPPONENTS):
        if on_progress:
            on_progress(f"games against {one.spec}", place, len(OPPONENTS))
        number = max(2, round(games * one.share))
        batch = new_tables(min(1024, number), range(number))
        watching = Watching(batch, TYPES.index(one.kind) + GREEDY * one.greedy, seed + place)
        own = watching.exploring(network_answers(), spreading)
        players = watching.watched(own, 0), watching.watched(make_player(one.spec), 1)
        lockstep = Lockstep(players, batch, EAAI, seed + place)
        lockstep.begin()
        rounds = lockstep.run(np.zeros(number, GAME), record=True).rounds
        won = np.zeros((number, int(rounds["round"].max()) + 1), np.int64)
        won[rounds["game"], rounds["round"]] = rounds["points"]
        where = np.concatenate(watching.where)
        inputs.append(np.concatenate(watching.x))
        points.append(won[where[:, 0], where[:, 1]])
    return np.concatenate(inputs), np.concatenate(points)


def run(scale: str, seed: int, on_progress: Progress | None = None) -> Trained:
    """Play, then train."""
    size = SCALES[scale]
    first = SEED + DATA_SEED + seed
    (x, points), (held_x, held_points) = (
        watched(games, start, on_progress)
        for games, start in ((size.games, first), (max(60, size.games // 20), first + VALIDATION))
    )
    model = Leaf()
    start_as_keras(model, seed)
    how = replace(size.fit, seed=seed)
    history = train(model, always(_rows(x, points)), _rows(held_x, held_points), how, on_progress)
    shares = _shares(points)
    file = io.BytesIO()
    np.savez_compressed(file, weights=model.weights(), shares=shares)
    return Trained(
        payload=file.getvalue(),
        made_from={
            "teacher": NETWORK,
            "teacher_sha256": artefacts.digest(artefacts.load(NETWORK)),
            "opponents": {one.spec: one.share for one in OPPONENTS},
            "games": size.games,
            "seed": first,
            "rows": len(x),
        },
        training={
            "explained": _explained(model, held_x, held_points, shares),
            "losses": {"best_epoch": best_epoch(history), "history": rounded(history)},
        },
    )


def _rows(x: Floats, points: IntArray) -> Rows:
    return Rows(x, bin_of(points)[:, None].astype(np.float32))


def _shares(points: IntArray) -> Floats:
    """[BINS, 2 * SPAN + 1] how the points of each class are spread; one point for a class that never came."""
    counts = np.zeros((BINS, 2 * SPAN + 1))
    np.add.at(counts, (np.arange(BINS), SPAN + np.array([EDGES[0] - 1, *EDGES])), 1e-6)
    np.add.at(counts, (bin_of(points), points + SPAN), 1)
    shares: Floats = (counts / counts.sum(1, keepdims=True)).astype(np.float32)
    return shares


def _explained(model: Leaf, x: Floats, points: IntArray, shares: Floats) -> float:
    """Share of the variance of points that the mean of the classes explains."""
    means = shares @ np.arange(-SPAN, SPAN + 1)
    with torch.no_grad():
        chances = torch.softmax(model(torch.from_numpy(x)), 1).numpy()
    return round(float(1 - np.var(points - chances @ means) / np.var(points)), 4)


def summary(result: Json) -> str:
    """What a person reads about the training."""
    rows, explained = result["made_from"]["rows"], result["training"]["explained"]
    return (
        f"{result['artefact']}: {rows:,} positions in {result['seconds']:.0f} s; "
        f"explains {explained:.1%} of the variance of points in games held back"
    )


LEAVES = Recipe(MODEL, run, summary)
