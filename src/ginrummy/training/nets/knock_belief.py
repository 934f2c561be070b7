"""The knock network that also gets what the opponent seems to hold: ``ginrummy train knock-belief``.

Source: Nguyen, Doan and Neller, EAAI 2021 (S0), future work: "improved application of opponent hand
estimation to play decisions". It learns from the same play as the knock network. It has two inputs besides
the paper's five: the points and the melds of three cards that the opponent is expected to hold, under the
masked belief of Bayes' rule (``policies.knock_features.with_belief``). A network with the five inputs alone
is trained on the same rows, and both are measured on games held back.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from ginrummy import sim
from ginrummy.estimators.registry import make_estimator
from ginrummy.moments import decisions
from ginrummy.players.base import Player
from ginrummy.policies.knock_features import FEATURES, view_features, with_belief
from ginrummy.rules import EAAI
from ginrummy.tables import Records
from ginrummy.training.nets import knock
from ginrummy.training.nets.fit import Fit, bce
from ginrummy.training.nets.knock import KNOCK_SEED, KNOCKS, STRIDE, KnockRows, Scale, baselines
from ginrummy.training.play_data import held_back
from ginrummy.training.progress import Progress
from ginrummy.training.recipes import Recipe, Trained
from ginrummy.view import BoolArray, FloatArray, IntArray, View

Json = dict[str, Any]
Floats = npt.NDArray[np.float32]

ESTIMATOR = "bayes"
SCALES = {
    "smoke": knock.SCALES["smoke"]._replace(rows={KNOCKS: (300,)}),
    "full": knock.SCALES["full"]._replace(games=200, rows={KNOCKS: (500_000,)}, epochs=10),
}
SEEN = ("hand", "pile", "opponent", "round", "score", "opponent_score")
"""Fields that tell one knock of a side from another: a view does not know its game."""


class Watched:
    """A player, and what it saw at each of its knocks."""

    def __init__(self, player: Player) -> None:
        self._knock = player.knock
        self._believe = make_estimator(ESTIMATOR).masked
        self._keys: list[tuple[IntArray, ...]] = []
        self._inputs: list[Floats] = []
        self.player = replace(player, knock=self._watch, compiled=None)

    def _watch(self, view: View, rows: IntArray, u: FloatArray) -> BoolArray:
        answers = self._knock(view, rows, u)
        made = rows[answers]
        if len(made):
            self._keys.append(tuple(view[name][made].astype(np.int64) for name in SEEN))
            self._inputs.append(with_belief(view_features(view, made), self._believe(view, made)))
        return answers

    def inputs(self, knocks: Records) -> Floats:
        """[N, 7] inputs of the network for recorded knocks of this player, in their order."""
        if not len(knocks):
            return np.empty((0, FEATURES + 2), np.float32)
        names = ("opponent_known", "round", "score", "opponent_score")
        wanted = (
            knocks["hand_after"],
            knock.pile_after(knocks),
            *(knocks[name].astype(np.int64) for name in names),
        )
        seen = tuple(np.concatenate(parts) for parts in zip(*self._keys, strict=True))
        to, by = np.lexsort(wanted), np.lexsort(seen)
        if any((a[to] != b[by]).any() for a, b in zip(wanted, seen, strict=True)):
            raise ValueError("the knocks that were seen are not those that were recorded")
        out = np.empty((len(knocks), FEATURES + 2), np.float32)
        out[to] = np.concatenate(self._inputs)[by]
        return out


def knocks_of(first: Player, second: Player, games: range, seed: int) -> tuple[Records, Floats]:
    """The knocks of some games, and [N, 7] inputs of the network for each."""
    sides = Watched(first), Watched(second)
    run = sim.play(sides[0].player, sides[1].player, games, EAAI, seed, record=True)
    rows = decisions(run.rounds, run.games, EAAI, games.start)
    knocks = rows[rows["knocked"]]
    x = np.empty((len(knocks), FEATURES + 2), np.float32)
    for side in (0, 1):
        own = knocks["side"] == side
        x[own] = sides[side].inputs(knocks[own])
    return knocks, x


def gather(
    players: Sequence[Player], size: Scale, seed: int, on_progress: Progress | None = None
) -> tuple[KnockRows, int]:
    """Play all pairs until there are enough rows; also the number of games. ``knock`` has the same games."""
    pairs = list(product(players, players))
    (need,) = size.rows[KNOCKS]
    parts: list[KnockRows] = []
    turn = have = 0
    while have < need:
        for place, (first, second) in enumerate(pairs):
            start = place * STRIDE + turn * size.games
            knocks, x = knocks_of(first, second, range(start, start + size.games), seed)
            won = (knocks["points"] > 0).astype(np.float32)[:, None]
            parts.append(KnockRows(x, won, held_back(knocks["game"])))
        turn += 1
        have = sum(int((~part.held).sum()) for part in parts)
        if on_progress:
            on_progress("playing", min(have, need), need)
    whole = KnockRows(*(np.concatenate([part[k] for part in parts]) for k in range(3)))
    return whole, turn * size.games * len(pairs)


def run(scale: str, seed: int, on_progress: Progress | None = None) -> Trained:
    """Play, train with and without the belief on the same rows, keep the network with the belief."""
    size = SCALES[scale]
    data, games = gather(baselines(size), size, KNOCK_SEED + seed, on_progress)
    (most,) = size.rows[KNOCKS]
    learn, check = knock.split(data, most, seed)
    how = Fit(size.epochs, size.batch, bce, seed)
    fitted = knock.train_rows(data, learn, check, how, on_progress)
    plain = knock.train_rows(data._replace(x=data.x[:, :FEATURES]), learn, check, how, on_progress)
    return Trained(
        payload=fitted.payload,
        made_from={
            "players": [player.name for player in baselines(size)],
            "pairings": len(size.limits) ** 2,
            "estimator": ESTIMATOR,
            "games": games,
            "seed": KNOCK_SEED + seed,
            "rows": len(learn),
            "reading": KNOCKS,
        },
        training=knock.training_record(fitted, how) | {"validation_without_belief": plain.validation},
    )


def summary(result: Json) -> str:
    """What a person reads about the training."""
    data, training = result["made_from"], result["training"]
    told, plain = training["validation"], training["validation_without_belief"]
    return (
        f"knock-belief: {data['rows']:,} rows of {data['games']:,} games, {training['epochs']} epochs; on "
        f"games held back, cross-entropy {told['cross_entropy']:.4f} with the belief, "
        f"{plain['cross_entropy']:.4f} without"
    )


KNOCK_BELIEF = Recipe("knock-belief.onnx", run, summary)
