"""The network that says whether a knock wins the round: ``ginrummy train knock``.

Source: Nguyen, Doan and Neller, EAAI 2021 (S0). Baseline players with every pair of knock limits play as many
games each. The inputs are those of ``policies.knock_features``.

The paper's label is "1 or 0 if knocking results in a hand win or loss", its limits "<= 10". ``knock`` learns
from knocks that were made with limits from 1 to 10. Other readings are kept to be compared (experiment
S0-readings): ``knock-gin`` has players that only go gin as well (limit 0), ``knock-chances`` learns from each
chance to knock what a knock there and then would have brought, ``knock-turns`` from each turn whether the
side won the round.
"""

from collections.abc import Sequence
from functools import partial
from itertools import product
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch

from ginrummy._jit import kernel
from ginrummy.evidence import provenance
from ginrummy.meld_kernels import MAX_HELD, MAX_MELDS, find_best_sets, first_fit_layoff, points
from ginrummy.players.base import Player
from ginrummy.players.registry import make_player
from ginrummy.policies.knock_features import features
from ginrummy.rules import EAAI, Rules, rules_record
from ginrummy.scoring import score
from ginrummy.tables import Records
from ginrummy.training import fit
from ginrummy.training.fit import Fit, Rows, start_as_keras, to_onnx
from ginrummy.training.networks_s0 import KnockNet
from ginrummy.training.play_data import rows_of
from ginrummy.training.recipes import Progress, Recipe

Json = dict[str, Any]
Bools = npt.NDArray[np.bool_]

LIMITS = tuple(range(1, 11))
DATA_SEED = 20_230_000
"""Added to the seed of a recipe: training must not see the decks that players are measured on."""
STRIDE = 1_000_000
"""Each pair of players has games of its own, so that no deck is played twice."""
KNOCKS, CHANCES, TURNS = "knocks made", "chances to knock", "all turns"
READINGS = (KNOCKS, CHANCES, TURNS)
READING = KNOCKS
"""What the network of the players learns from."""
HELD_BACK = 10
"""Every tenth pair of games is for validation."""


class Scale(NamedTuple):
    """How much to play and to train."""

    limits: tuple[int, ...]
    games: int
    """Games of each pair of players at a time; more are played until there are rows enough."""
    rows: dict[str, tuple[int, ...]]
    """Sizes of the trainings, by reading."""
    epochs: int
    batch: int


SCALES = {
    "smoke": Scale((2, 10), 20, dict.fromkeys(READINGS, (500,)), 2, 100),
    "full": Scale(
        LIMITS,
        1250,
        {KNOCKS: (500_000, 1_000_000), CHANCES: (1_000_000,), TURNS: (1_000_000,)},
        20,
        1000,
    ),
}
"""The paper tells neither epochs nor batch of this network: ours."""


class KnockRows(NamedTuple):
    """Rows of one reading."""

    x: npt.NDArray[np.float32]
    """[N, 5] features (7 with a belief)."""
    y: npt.NDArray[np.float32]
    """[N, 1] won or not."""
    held: Bools
    """Held back for validation."""


@kernel
def knock_worth(rules, hand, opponent, held, index, sets):
    """Points of a knock with a hand, positive for the knocker: both lay down their first best meld set."""
    sets[0, :] = 0
    find_best_sets(hand, 0, held, index, sets)
    loose = hand
    for k in range(MAX_MELDS):
        loose &= ~sets[0, k]
        sets[1, k] = sets[0, k]
    own = points(loose)
    sets[0, :] = 0
    find_best_sets(opponent, 0, held, index, sets[:1])
    left = opponent
    for k in range(MAX_MELDS):
        left &= ~sets[0, k]
    if own > 0:
        left &= ~first_fit_layoff(left, sets[1])
    _, worth = score(rules, own, points(left), False)
    return worth


@kernel
def _knock_worths(rules, hands, opponents, held, index, sets, out):
    for k in range(hands.shape[0]):
        out[k] = knock_worth(rules[0], hands[k], opponents[k], held, index, sets)


def knock_worths(rules: Rules, hands: Any, opponents: Any) -> npt.NDArray[np.int64]:
    """[N] points of a knock with each hand against each opponent's hand."""
    out = np.empty(len(hands), np.int64)
    scratch = np.empty(MAX_HELD, np.int64), np.empty(MAX_MELDS, np.int64), np.empty((2, MAX_MELDS), np.int64)
    own, other = (np.ascontiguousarray(masks, np.int64) for masks in (hands, opponents))
    _knock_worths(rules_record(rules), own, other, *scratch, out)
    return out


def readings(rows: Records) -> dict[str, KnockRows]:
    """Recorded decisions as rows of each reading."""
    some = {KNOCKS: rows[rows["knocked"]], CHANCES: rows[rows["could_knock"]], TURNS: rows[~rows["passed"]]}
    found = {}
    for name, those in some.items():
        if name == CHANCES:
            won = knock_worths(EAAI, those["hand_after"], those["opponent_hand"]) > 0
        else:
            won = those["points"] > 0
        found[name] = KnockRows(
            _features(those),
            won.astype(np.float32)[:, None],
            those["game"] // 2 % HELD_BACK == HELD_BACK - 1,
        )
    return found


def _features(rows: Records) -> npt.NDArray[np.float32]:
    """What the player sees after the discard."""
    one = np.int64(1)
    taken = np.where(rows["took"], one << rows["upcard"].astype(np.int64), 0)
    pile = rows["pile"] & ~taken | one << rows["discard"].astype(np.int64)
    return features(rows["hand_after"], pile, rows["opponent_known"], rows["turn"], rows["opponent_takes"])


def baselines(size: Scale) -> list[Player]:
    """The baseline with every limit."""
    return [make_player(f"simple:knock_at={limit}") for limit in size.limits]


def gather(
    size: Scale,
    seed: int,
    wanted: tuple[str, ...] = READINGS,
    on_progress: Progress | None = None,
    players: Sequence[Player] | None = None,
) -> tuple[dict[str, KnockRows], int]:
    """Play until every wanted reading has rows enough to learn from; also the number of games.

    All pairs of the players play, by default of the baselines.
    """
    players = players or baselines(size)
    pairs = list(product(players, players))
    parts: dict[str, list[KnockRows]] = {name: [] for name in wanted}
    need = {name: max(size.rows[name]) for name in wanted}
    have = dict.fromkeys(wanted, 0)
    turn = 0
    while any(have[name] < need[name] for name in wanted):
        for place, (first, second) in enumerate(pairs):
            start = place * STRIDE + turn * size.games
            rows = readings(rows_of(first, second, range(start, start + size.games), EAAI, seed))
            for name in wanted:
                if have[name] < need[name]:
                    parts[name].append(rows[name])
        turn += 1
        have = {name: sum(int((~part.held).sum()) for part in parts[name]) for name in wanted}
        if on_progress:
            least = min(wanted, key=lambda name: have[name] / need[name])
            on_progress("playing", min(have[least], need[least]), need[least])
    whole = {
        name: KnockRows(*(np.concatenate([part[k] for part in some]) for k in range(3)))
        for name, some in parts.items()
    }
    return whole, turn * size.games * len(pairs)


class Study(NamedTuple):
    """One training."""

    reading: str
    rows: int
    payload: bytes
    facts: Json


def study(
    size: Scale, seed: int, wanted: tuple[str, ...] = READINGS, on_progress: Progress | None = None
) -> tuple[list[Study], int]:
    """Train the wanted readings in the sizes of the scale; also the number of games played."""
    data, games = gather(size, DATA_SEED + seed, wanted, on_progress)
    how = Fit(size.epochs, size.batch, "bce", seed)
    order = np.random.default_rng(seed)
    found = []
    for name in wanted:
        learn = order.permutation(np.flatnonzero(~data[name].held))
        check = order.permutation(np.flatnonzero(data[name].held))[: max(size.rows[name]) // 10]
        for rows in size.rows[name]:
            facts, payload = train_rows(data[name], learn[:rows], check, how, on_progress)
            found.append(Study(name, rows, payload, facts))
    return found, games


def train_rows(
    data: KnockRows, learn: Any, check: Any, how: Fit, on_progress: Progress | None
) -> tuple[Json, bytes]:
    """Train on some rows, check on others: what came of it, and the network as a file."""
    model = KnockNet(data.x.shape[1])
    start_as_keras(model, how.seed)
    history = fit.train(
        model, Rows(data.x[learn], data.y[learn]), Rows(data.x[check], data.y[check]), how, on_progress
    )
    facts = {
        "base_rate": float(data.y[learn].mean()),
        "train": measure(model, data.x[learn], data.y[learn]),
        "validation": measure(model, data.x[check], data.y[check]),
        "history": [{name: round(value, 6) for name, value in epoch.items()} for epoch in history],
    }
    return facts, to_onnx(model, torch.from_numpy(data.x[learn[:1000]]), {0: "rows"})


def _pieces(x: npt.NDArray[np.float32], size: int = 10_000) -> list[npt.NDArray[np.float32]]:
    return [x[start : start + size] for start in range(0, len(x), size)]


def measure(model: KnockNet, x: npt.NDArray[np.float32], y: npt.NDArray[np.float32]) -> Json:
    """Binary cross-entropy, mean square error and accuracy."""
    with torch.no_grad():
        chance = np.concatenate([model(torch.from_numpy(part)).numpy() for part in _pieces(x)])
    sure = np.clip(chance.astype(np.float64), 1e-7, 1 - 1e-7)
    return {
        "cross_entropy": float(-np.where(y == 1, np.log(sure), np.log(1 - sure)).mean()),
        "mse": float(((chance - y) ** 2).mean()),
        "accuracy": float(((chance >= 0.5) == (y == 1)).mean()),
    }


class Kind(NamedTuple):
    """One of the networks."""

    name: str
    reading: str
    with_gin: bool
    """Whether players that never knock but with gin play as well."""


def run(kind: Kind, scale: str, seed: int, workers: int = 1, on_progress: Progress | None = None) -> Json:
    """Play, train, and keep the network of most rows."""
    start = perf_counter()
    size = SCALES[scale]
    if kind.with_gin:
        size = size._replace(limits=(0, *size.limits))
    found, games = study(size, seed, (kind.reading,), on_progress)
    kept = max(found, key=lambda one: one.rows)
    return {
        "artefact": kind.name,
        "scale": scale,
        "seed": seed,
        "made_from": {
            "players": [f"simple:knock_at={limit}" for limit in size.limits],
            "pairings": len(size.limits) ** 2,
            "games": games,
            "seed": DATA_SEED + seed,
            "rows": kept.rows,
            "reading": kind.reading,
        },
        "training": {
            "epochs": size.epochs,
            "batch": size.batch,
            "loss": "binary cross-entropy",
            "history": kept.facts["history"],
            "sizes": [
                {"rows": one.rows} | {name: value for name, value in one.facts.items() if name != "history"}
                for one in found
            ],
        },
        "seconds": perf_counter() - start,
        "provenance": provenance(),
        "payload": kept.payload,
    }


def text(result: Json) -> str:
    """What a person reads."""
    data, training = result["made_from"], result["training"]
    lines = [
        f"{result['artefact']}: {data['games']:,} games, {data['reading']}, {training['epochs']} epochs; "
        "on games held back:"
    ]
    for one in training["sizes"]:
        values = one["validation"]
        lines.append(
            f"{one['rows']:>9,} rows, {one['base_rate']:.1%} won: "
            f"cross-entropy {values['cross_entropy']:.3f}, mean square error {values['mse']:.3f}, "
            f"accuracy {values['accuracy']:.1%}"
        )
    if "file" in result:
        lines.append(f"written to {result['file']}")
    return "\n".join(lines)


def _recipe(name: str, reading: str, with_gin: bool = False) -> Recipe:
    return Recipe(f"{name}.onnx", partial(run, Kind(name, reading, with_gin)), text)


KNOCK = _recipe("knock", KNOCKS)
WITH_GIN = _recipe("knock-gin", KNOCKS, with_gin=True)
OF_CHANCES = _recipe("knock-chances", CHANCES)
OF_TURNS = _recipe("knock-turns", TURNS)
