"""The network that says what an upcard will cost: ``ginrummy train card-value``.

Source: Nguyen, Doan and Neller, EAAI 2021 (S0). The baseline, which also takes half of the hitting cards,
plays against itself. Each decision about an upcard is a row: its deadwood points, the draws of both sides so
far, its hit count; the target is its points if it is deadwood in the final hand (without layoffs), else 0.

The text speaks of "each upcard draw decision", and of "how much that card will cost us": ``card-value``
learns from the cards taken, ``card-value-all`` from all decisions, where a card that was left cost nothing.
Every unit is a ReLU, the last one too; it begins with a positive bias, since a ReLU that is negative
everywhere never learns.
"""

from functools import partial
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch

from ginrummy._jit import kernel
from ginrummy.cards import DECK, POINTS
from ginrummy.evidence import provenance
from ginrummy.melds import MAX_HELD, MAX_MELDS
from ginrummy.players.base import Player
from ginrummy.players.registry import make_player
from ginrummy.policies.card_value import hit_count, loose_cards
from ginrummy.rules import EAAI
from ginrummy.tables import Records
from ginrummy.training import fit
from ginrummy.training.fit import Fit, Rows, start_as_keras, to_onnx
from ginrummy.training.networks_s0 import CardValueNet
from ginrummy.training.play_data import CHUNK, rows_of
from ginrummy.training.recipes import Progress, Recipe

Json = dict[str, Any]

PLAYER = "simple:hitting=0.5"
DATA_SEED = 20_220_000
"""Added to the seed of a recipe: training must not see the decks that players are measured on."""
GAMES = {"smoke": 60, "full": 6000}
EPOCHS = {"smoke": 3, "full": 100}
BATCH = 1000
HELD_BACK = 10
"""Every tenth pair of games is for validation."""
START_BIAS = 1.0
"""Of the last unit."""
ALL, TAKEN = "all decisions", "cards taken"


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
    return UpcardRows(x, y, rows["took"], rows["game"] // 2 % HELD_BACK == HELD_BACK - 1)


def gather(player: Player, games: range, seed: int) -> UpcardRows:
    """Let a player play itself, and look at every decision about an upcard."""
    parts = [
        upcard_rows(rows_of(player, player, range(start, min(start + CHUNK, games.stop)), EAAI, seed))
        for start in range(games.start, games.stop, CHUNK)
    ]
    return UpcardRows(*(np.concatenate([part[k] for part in parts]) for k in range(4)))


def run(
    name: str, reading: str, scale: str, seed: int, workers: int = 1, on_progress: Progress | None = None
) -> Json:
    """Play, train, measure on games held back, export."""
    start = perf_counter()
    data = gather(make_player(PLAYER), range(GAMES[scale]), DATA_SEED + seed)
    how = Fit(EPOCHS[scale], BATCH, "mse", seed)
    learned = data.took if reading == TAKEN else np.ones(len(data.took), np.bool_)
    found, payload = train_rows(data, learned, how, on_progress)
    return {
        "artefact": name,
        "scale": scale,
        "seed": seed,
        "made_from": {
            "players": [PLAYER, PLAYER],
            "games": GAMES[scale],
            "seed": DATA_SEED + seed,
            "rows": found["rows"],
            "reading": reading,
        },
        "training": {
            "epochs": how.epochs,
            "batch": how.batch,
            "loss": "mean square error",
            "history": found.pop("history"),
            "validation": found,
        },
        "seconds": perf_counter() - start,
        "provenance": provenance(),
        "payload": payload,
    }


def train_rows(
    data: UpcardRows, of: npt.NDArray[np.bool_], how: Fit, on_progress: Progress | None
) -> tuple[Json, bytes]:
    """Train on some rows: what came of it on those held back, and the network as a file."""
    model = CardValueNet()
    start_as_keras(model, how.seed)
    with torch.no_grad():
        list(model.parameters())[-1].fill_(START_BIAS)
    learn, check = of & ~data.held, of & data.held
    history = fit.train(
        model, Rows(data.x[learn], data.y[learn]), Rows(data.x[check], data.y[check]), how, on_progress
    )
    inputs = torch.from_numpy(data.x[:1000])
    y = data.y[check]
    return {
        "rows": int(learn.sum()),
        "mean_target": float(y.mean()),
        "mse": history[-1]["validation"],
        "mse_of_the_mean": float(y.var()),
        "history": [{name: round(value, 5) for name, value in epoch.items()} for epoch in history],
    }, to_onnx(model, inputs, {0: "rows"})


def text(result: Json) -> str:
    """What a person reads."""
    data, training = result["made_from"], result["training"]
    values = training["validation"]
    lines = [
        f"{result['artefact']}: {data['rows']:,} rows ({data['reading']}) of {data['games']:,} games, "
        f"{training['epochs']} epochs",
        f"mean square error {values['mse']:.2f} on games held back, "
        f"{values['mse_of_the_mean']:.2f} for the mean alone",
    ]
    if "file" in result:
        lines.append(f"written to {result['file']}")
    return "\n".join(lines)


CARD_VALUE = Recipe("card-value.onnx", partial(run, "card-value", TAKEN), text)
OF_ALL = Recipe("card-value-all.onnx", partial(run, "card-value-all", ALL), text)
