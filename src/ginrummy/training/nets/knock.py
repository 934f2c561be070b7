"""The network that says whether a knock wins the round: ``ginrummy train knock``.

Source: Nguyen, Doan and Neller, "A Deterministic Neural Network Approach to Playing Gin Rummy", EAAI 2021
(S0). Baseline players with every pair of knock limits play equally many games. The inputs are those of
``policies.knock_features``.

The paper's label is "1 or 0 if knocking results in a hand win or loss", its limits are "<= 10". ``knock``
learns from the knocks that players with limits from 1 to 10 made. The other readings are there for comparison
(experiment S0-readings): in ``knock-gin`` players that only go gin (limit 0) play too; ``knock-chances``
learns from each chance to knock what a knock at that moment would have brought, ``knock-chances-half`` from
half as many of them, as the first row of the paper's Table 5 has it; ``knock-turns`` learns from each turn
whether the side won the round.
"""

from collections.abc import Sequence
from functools import partial
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from ginrummy._jit import kernel
from ginrummy.meld_kernels import MAX_HELD, MAX_MELDS, find_best_sets, first_fit_layoff, points
from ginrummy.players.base import Player
from ginrummy.players.registry import make_player
from ginrummy.policies.knock_features import features
from ginrummy.rules import EAAI, Rules, rules_record
from ginrummy.scoring import score
from ginrummy.tables import Records
from ginrummy.training.nets.export import to_onnx
from ginrummy.training.nets.fit import Epoch, Fit, Rows, always, bce, rounded, train
from ginrummy.training.nets.layers import Scaled, layers, start_as_keras
from ginrummy.training.play_data import DATA_SEED, held_back, rows_of
from ginrummy.training.progress import Progress
from ginrummy.training.recipes import Recipe, Trained

Json = dict[str, Any]
Bools = npt.NDArray[np.bool_]

LIMITS = tuple(range(1, 11))
KNOCK_SEED = DATA_SEED + 20_000
"""Added to the seed of a recipe: knock networks learn from decks of their own."""
STRIDE = 1_000_000
"""Each pair of players has games of its own, so that no deck is played twice."""
KNOCKS, CHANCES, TURNS = "knocks made", "chances to knock", "all turns"
READINGS = (KNOCKS, CHANCES, TURNS)
READING = KNOCKS
"""What the network of the players learns from."""


class Scale(NamedTuple):
    """How much to play and to train."""

    limits: tuple[int, ...]
    games: int
    """Games of each pair of players at a time; they play on until there are enough rows."""
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
"""The paper gives neither epochs nor batch of this network; these are ours."""

KNOCK_SCALE = (20.0, 10.0, 3.0, 5.0, 5.0, 50.0, 1.0)
"""What the inputs of the knock network are divided by."""


class KnockNet(nn.Module):
    """Turns, deadwood, melds, hitting cards, opponent's face-up draws -> ReLU 128-64-32 -> sigmoid 1.

    With 7 inputs, also the points and the melds that the opponent is believed to hold.
    """

    def __init__(self, inputs: int = 5) -> None:
        super().__init__()
        self.body = nn.Sequential(Scaled(KNOCK_SCALE[:inputs]), layers(inputs, 128, 64, 32, 1))

    def logits(self, x: Tensor) -> Tensor:
        """[N, 5 or 7] -> [N, 1]."""
        out: Tensor = self.body(x)
        return out

    def forward(self, x: Tensor) -> Tensor:
        """Probability that a knock wins the round."""
        return self.logits(x).sigmoid()


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
            held_back(those["game"]),
        )
    return found


def pile_after(rows: Records) -> npt.NDArray[np.int64]:
    """[N] masks of the pile after each recorded turn: without a card taken, with the discard."""
    one = np.int64(1)
    taken = np.where(rows["took"], one << rows["upcard"].astype(np.int64), 0)
    pile: npt.NDArray[np.int64] = rows["pile"] & ~taken | one << rows["discard"].astype(np.int64)
    return pile


def _features(rows: Records) -> npt.NDArray[np.float32]:
    """What the player sees after the discard."""
    pile = pile_after(rows)
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
    """Play until every wanted reading has enough rows to learn from; also the number of games.

    All pairs of the players play; the default players are the baselines.
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


class Fitted(NamedTuple):
    """A trained network, and how it does on the rows that it learned from and on others."""

    payload: bytes
    base_rate: float
    """Share of rows won."""
    train: dict[str, float]
    validation: dict[str, float]
    history: list[Epoch]

    def facts(self) -> Json:
        """What a record says about the training, but for the history."""
        return {"base_rate": self.base_rate, "train": self.train, "validation": self.validation}


def train_rows(data: KnockRows, learn: Any, check: Any, how: Fit, on_progress: Progress | None) -> Fitted:
    """Train on some rows, and measure on others."""
    model = KnockNet(data.x.shape[1])
    start_as_keras(model, how.seed)
    rows, validation = (Rows(data.x[some], data.y[some]) for some in (learn, check))
    history = train(model, always(rows), validation, how, on_progress)
    return Fitted(
        to_onnx(model, torch.from_numpy(data.x[learn[:1000]]), {0: "rows"}),
        float(data.y[learn].mean()),
        measure(model, data.x[learn], data.y[learn]),
        measure(model, data.x[check], data.y[check]),
        history,
    )


def training_record(fitted: Fitted, how: Fit) -> Json:
    """What the record of a knock network says about its training."""
    return {
        "epochs": how.epochs,
        "batch": how.batch,
        "loss": "binary cross-entropy",
        **fitted.facts(),
        "history": rounded(fitted.history),
    }


def split(data: KnockRows, most: int, seed: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Numbers of at most so many rows to learn from and a tenth as many to check with, in random order."""
    order = np.random.default_rng(seed)
    learn = order.permutation(np.flatnonzero(~data.held))[:most]
    check = order.permutation(np.flatnonzero(data.held))[: most // 10]
    return learn, check


def _pieces(x: npt.NDArray[np.float32], size: int = 10_000) -> list[npt.NDArray[np.float32]]:
    return [x[start : start + size] for start in range(0, len(x), size)]


def measure(model: KnockNet, x: npt.NDArray[np.float32], y: npt.NDArray[np.float32]) -> dict[str, float]:
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

    reading: str
    with_gin: bool
    """Whether players that only go gin play too."""
    half: bool
    """Whether it learns from half of the rows."""


def run(kind: Kind, scale: str, seed: int, on_progress: Progress | None = None) -> Trained:
    """Play, train once for each size of the scale, and keep the network with most rows."""
    size = SCALES[scale]
    if kind.with_gin:
        size = size._replace(limits=(0, *size.limits))
    sizes = size.rows[kind.reading]
    data, games = gather(size, KNOCK_SEED + seed, (kind.reading,), on_progress)
    rows = data[kind.reading]
    how = Fit(size.epochs, size.batch, bce, seed)
    learn, check = split(rows, max(sizes), seed)
    if kind.half:
        sizes = (max(sizes) // 2,)
    found = {most: train_rows(rows, learn[:most], check, how, on_progress) for most in sizes}
    kept = found[max(sizes)]
    return Trained(
        payload=kept.payload,
        made_from={
            "players": [f"simple:knock_at={limit}" for limit in size.limits],
            "pairings": len(size.limits) ** 2,
            "games": games,
            "seed": KNOCK_SEED + seed,
            "rows": max(sizes),
            "reading": kind.reading,
        },
        training={
            "epochs": how.epochs,
            "batch": how.batch,
            "loss": "binary cross-entropy",
            "history": rounded(kept.history),
            "sizes": [{"rows": most} | fitted.facts() for most, fitted in found.items()],
        },
    )


def summary(result: Json) -> str:
    """What a person reads about the training."""
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
    return "\n".join(lines)


def _recipe(name: str, reading: str, *, with_gin: bool = False, half: bool = False) -> Recipe:
    return Recipe(f"{name}.onnx", partial(run, Kind(reading, with_gin, half)), summary)


KNOCK = _recipe("knock", KNOCKS)
WITH_GIN = _recipe("knock-gin", KNOCKS, with_gin=True)
OF_CHANCES = _recipe("knock-chances", CHANCES)
OF_HALF = _recipe("knock-chances-half", CHANCES, half=True)
OF_TURNS = _recipe("knock-turns", TURNS)
