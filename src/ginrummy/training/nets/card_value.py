"""The network that says what an upcard will cost: ``ginrummy train card-value``.

Source: Nguyen, Doan and Neller, "A Deterministic Neural Network Approach to Playing Gin Rummy", EAAI 2021
(S0). The baseline plays against itself and also takes half of the hitting cards. Each decision about an
upcard is a row: its deadwood points, the draws of both sides so far, its hit count. The target is its points
if it is deadwood in the final hand (without layoffs), otherwise 0.

The text says "each upcard draw decision" and "how much that card will cost us", so there are two readings:
``card-value`` learns from the cards taken, ``card-value-all`` from all decisions, where a card that was left
cost nothing. Every unit is a ReLU, the last one too. The last one starts with a positive bias, because a ReLU
that is negative everywhere never learns.
"""

from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from ginrummy._jit import kernel
from ginrummy.cards import DECK, POINTS
from ginrummy.melds import MAX_HELD, MAX_MELDS
from ginrummy.players.base import Player
from ginrummy.players.registry import make_player
from ginrummy.policies.card_value import hit_count, loose_cards
from ginrummy.rules import EAAI
from ginrummy.tables import Records
from ginrummy.training.nets.export import to_onnx
from ginrummy.training.nets.fit import Epoch, Fit, Rows, always, mse, rounded, train
from ginrummy.training.nets.layers import Scaled, layers, start_as_keras
from ginrummy.training.play_data import CHUNK, DATA_SEED, held_back, rows_of
from ginrummy.training.progress import Progress
from ginrummy.training.recipes import Recipe, Trained

Json = dict[str, Any]

PLAYER = "simple:hitting=0.5"
CARD_VALUE_SEED = DATA_SEED + 10_000
"""Added to the seed of a recipe: card-value networks learn from decks of their own."""
GAMES = {"smoke": 60, "full": 6000}
EPOCHS = {"smoke": 3, "full": 100}
BATCH = 1000
START_BIAS = 1.0
"""Of the last unit."""
ALL, TAKEN = "all decisions", "cards taken"


class CardValueNet(nn.Module):
    """Deadwood points of a card, turn and hit count -> 64-32-1, every unit ReLU."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(Scaled((10.0, 20.0, 5.0)), layers(3, 64, 32, 1))

    def logits(self, x: Tensor) -> Tensor:
        """[N, 3] -> [N, 1], before the last ReLU."""
        out: Tensor = self.body(x)
        return out

    def forward(self, x: Tensor) -> Tensor:
        """Expected deadwood points of the card at the end of the round."""
        return self.logits(x).relu()


class UpcardRows(NamedTuple):
    """Decisions about upcards."""

    x: npt.NDArray[np.float32]
    """[N, 3] deadwood points, draws before the decision, hit count."""
    y: npt.NDArray[np.float32]
    """[N, 1] deadwood points of the card in the final hand."""
    took: npt.NDArray[np.bool_]
    held: npt.NDArray[np.bool_]
    """Held back for validation."""


@kernel
def _fill(upcards, hands, free, finals, x, y, held, index, sets):
    for k in range(upcards.shape[0]):
        card = np.int64(upcards[k])
        x[k, 0] = POINTS[card]
        x[k, 2] = hit_count(hands[k], card, free[k])
        loose, _ = loose_cards(finals[k], held, index, sets)
        y[k, 0] = POINTS[card] if loose >> card & 1 else 0


def upcard_rows(rows: Records) -> UpcardRows:
    """Inputs and targets of recorded decisions."""
    forced = (rows["event"] == 2) & (rows["turn"] == 1)  # both have passed: the starter must draw
    rows = rows[~forced]
    hands = np.ascontiguousarray(rows["hand"])
    free = np.int64(DECK) & ~(hands | rows["pile"] | rows["opponent_known"])
    x, y = np.empty((len(rows), 3), np.float32), np.empty((len(rows), 1), np.float32)
    scratch = np.empty(MAX_HELD, np.int64), np.empty(MAX_MELDS, np.int64), np.empty((1, MAX_MELDS), np.int64)
    _fill(rows["upcard"], hands, free, np.ascontiguousarray(rows["final_hand"]), x, y, *scratch)
    x[:, 1] = rows["turn"] - ~rows["passed"]
    return UpcardRows(x, y, rows["took"], held_back(rows["game"]))


def gather(player: Player, games: range, seed: int) -> UpcardRows:
    """Let a player play against itself, and keep every decision about an upcard."""
    parts = [
        upcard_rows(rows_of(player, player, range(start, min(start + CHUNK, games.stop)), EAAI, seed))
        for start in range(games.start, games.stop, CHUNK)
    ]
    return UpcardRows(*(np.concatenate([part[k] for part in parts]) for k in range(4)))


class Fitted(NamedTuple):
    """A trained network, and how it does on games held back."""

    payload: bytes
    rows: int
    """Rows that it learned from."""
    history: list[Epoch]
    validation: dict[str, float]


def train_rows(data: UpcardRows, of: npt.NDArray[np.bool_], how: Fit, on_progress: Progress | None) -> Fitted:
    """Train on some of the rows, and measure on those of them that are held back."""
    model = CardValueNet()
    start_as_keras(model, how.seed)
    with torch.no_grad():
        list(model.parameters())[-1].fill_(START_BIAS)
    learn, check = of & ~data.held, of & data.held
    y = data.y[check]
    history = train(
        model, always(Rows(data.x[learn], data.y[learn])), Rows(data.x[check], y), how, on_progress
    )
    validation = {
        "mean_target": float(y.mean()),
        "mse": history[-1].validation,
        "mse_of_the_mean": float(y.var()),
    }
    payload = to_onnx(model, torch.from_numpy(data.x[:1000]), {0: "rows"})
    return Fitted(payload, int(learn.sum()), history, validation)


def training_record(fitted: Fitted, how: Fit) -> Json:
    """What the record of a card-value network says about its training."""
    return {
        "epochs": how.epochs,
        "batch": how.batch,
        "loss": "mean square error",
        "history": rounded(fitted.history, 5),
        "validation": fitted.validation,
    }


def run(reading: str, scale: str, seed: int, on_progress: Progress | None = None) -> Trained:
    """Play, train, measure on games held back, export."""
    data = gather(make_player(PLAYER), range(GAMES[scale]), CARD_VALUE_SEED + seed)
    how = Fit(EPOCHS[scale], BATCH, mse, seed)
    learned = data.took if reading == TAKEN else np.ones(len(data.took), np.bool_)
    fitted = train_rows(data, learned, how, on_progress)
    record = training_record(fitted, how)
    return Trained(
        payload=fitted.payload,
        made_from={
            "players": [PLAYER, PLAYER],
            "games": GAMES[scale],
            "seed": CARD_VALUE_SEED + seed,
            "rows": fitted.rows,
            "reading": reading,
        },
        training=record | {"validation": {"rows": fitted.rows, **fitted.validation}},
    )


def summary(result: Json) -> str:
    """What a person reads about the training."""
    data, training = result["made_from"], result["training"]
    values = training["validation"]
    return (
        f"{result['artefact']}: {data['rows']:,} rows ({data['reading']}) of {data['games']:,} games, "
        f"{training['epochs']} epochs\n"
        f"mean square error {values['mse']:.2f} on games held back, "
        f"{values['mse_of_the_mean']:.2f} for the mean alone"
    )


CARD_VALUE = Recipe("card-value.onnx", partial(run, TAKEN), summary)
OF_ALL = Recipe("card-value-all.onnx", partial(run, ALL), summary)
