"""The network that says whether a knock wins the round: ``ginrummy train knock``.

Source: Nguyen, Doan and Neller, EAAI 2021 (S0). Baseline players with every pair of knock limits from 0 to 10
play the same number of games each. The inputs are those of ``policies.knock_features``.

The paper's label is "1 or 0 if knocking results in a hand win or loss". Three readings of it are trained
and compared: knocks that were made, and whether they won; every chance to knock, and whether a knock there
and then would have won; every turn, and whether the side won the round.
"""

from itertools import product
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch

from ginrummy._jit import kernel
from ginrummy.evidence import provenance
from ginrummy.melds import MAX_HELD, MAX_MELDS, find_best_sets, first_fit_layoff, points
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

LIMITS = range(11)
DATA_SEED = 20_230_000
"""Added to the seed of a recipe: training must not see the decks that players are measured on."""
STRIDE = 1_000_000
"""Each pair of players has games of its own, so that no deck is played twice."""
KNOCKS, CHANCES, TURNS = "knocks made", "chances to knock", "all turns"
READINGS = (KNOCKS, CHANCES, TURNS)
READING = KNOCKS
"""The reading of the network that is kept."""
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
        tuple(LIMITS), 200, {KNOCKS: (500_000, 1_000_000), CHANCES: (1_000_000,), TURNS: (1_000_000,)}, 20, 1000
    ),
}  # fmt: skip
"""The paper tells neither epochs nor batch of this network: ours."""


class KnockRows(NamedTuple):
    """Rows of one reading."""

    x: npt.NDArray[np.float32]
    """[N, 5] features."""
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


def gather(size: Scale, seed: int, on_progress: Progress | None = None) -> tuple[dict[str, KnockRows], int]:
    """Play until every reading has rows enough to learn from; also the number of games."""
    players = [make_player(f"simple:knock_at={limit}") for limit in size.limits]
    pairs = list(product(players, players))
    parts: dict[str, list[KnockRows]] = {name: [] for name in READINGS}
    need = {name: max(size.rows[name]) for name in READINGS}
    have = dict.fromkeys(READINGS, 0)
    turn = 0
    while any(have[name] < need[name] for name in READINGS):
        for place, (first, second) in enumerate(pairs):
            start = place * STRIDE + turn * size.games
            rows = readings(rows_of(first, second, range(start, start + size.games), EAAI, seed))
            for name in READINGS:
                if have[name] < need[name]:
                    parts[name].append(rows[name])
        turn += 1
        have = {name: sum(int((~part.held).sum()) for part in parts[name]) for name in READINGS}
        if on_progress:
            on_progress("playing", min(have[KNOCKS], need[KNOCKS]), need[KNOCKS])
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


def study(scale: str, seed: int, on_progress: Progress | None = None) -> tuple[list[Study], int]:
    """Train every reading in the sizes of the scale; also the number of games played."""
    size = SCALES[scale]
    data, games = gather(size, DATA_SEED + seed, on_progress)
    how = Fit(size.epochs, size.batch, "bce", seed)
    order = np.random.default_rng(seed)
    found = []
    for name in READINGS:
        learn = order.permutation(np.flatnonzero(~data[name].held))
        check = order.permutation(np.flatnonzero(data[name].held))[: max(size.rows[name]) // 10]
        for rows in size.rows[name]:
            facts, payload = _train(data[name], learn[:rows], check, how, on_progress)
            found.append(Study(name, rows, payload, facts))
    return found, games


def _train(
    data: KnockRows, learn: Any, check: Any, how: Fit, on_progress: Progress | None
) -> tuple[Json, bytes]:
    model = KnockNet()
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


def measure(model: KnockNet, x: npt.NDArray[np.float32], y: npt.NDArray[np.float32]) -> Json:
    """Binary cross-entropy, mean square error and accuracy."""
    with torch.no_grad():
        chance = torch.cat([model(part) for part in torch.from_numpy(x).split(10_000)]).numpy()
    sure = np.clip(chance.astype(np.float64), 1e-7, 1 - 1e-7)
    return {
        "cross_entropy": float(-np.where(y == 1, np.log(sure), np.log(1 - sure)).mean()),
        "mse": float(((chance - y) ** 2).mean()),
        "accuracy": float(((chance >= 0.5) == (y == 1)).mean()),
    }


def run(scale: str, seed: int, workers: int = 1, on_progress: Progress | None = None) -> Json:
    """Play, train every reading, and keep the network of ``READING``."""
    start = perf_counter()
    found, games = study(scale, seed, on_progress)
    kept = max((one for one in found if one.reading == READING), key=lambda one: one.rows)
    limits = SCALES[scale].limits
    return {
        "artefact": "knock",
        "scale": scale,
        "seed": seed,
        "made_from": {
            "players": [f"simple:knock_at={limit}" for limit in limits],
            "pairings": len(limits) ** 2,
            "games": games,
            "seed": DATA_SEED + seed,
            "rows": kept.rows,
            "reading": READING,
        },
        "training": {
            "epochs": SCALES[scale].epochs,
            "batch": SCALES[scale].batch,
            "loss": "binary cross-entropy",
            "history": kept.facts["history"],
            "readings": [
                {"reading": one.reading, "rows": one.rows}
                | {name: value for name, value in one.facts.items() if name != "history"}
                for one in found
            ],
        },
        "seconds": perf_counter() - start,
        "provenance": provenance(),
        "payload": kept.payload,
    }


def text(result: Json) -> str:
    """What a person reads."""
    training = result["training"]
    lines = [
        f"knock: {result['made_from']['games']:,} games, {training['epochs']} epochs; on games held back:"
    ]
    for one in training["readings"]:
        values = one["validation"]
        lines.append(
            f"{one['reading']:16} {one['rows']:>9,} rows, {one['base_rate']:.1%} won: cross-entropy "
            f"{values['cross_entropy']:.3f}, mean square error {values['mse']:.3f}, "
            f"accuracy {values['accuracy']:.1%}"
        )
    lines.append(f"kept: {result['made_from']['reading']}")
    if "file" in result:
        lines.append(f"written to {result['file']}")
    return "\n".join(lines)


KNOCK = Recipe("knock.onnx", run, text)
