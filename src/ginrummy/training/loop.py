"""Closing the loop of paper S0: networks learned from the play of the player that earlier networks made.

    ginrummy train knock-loop-1        # from medium-kh; knock-loop-2 from medium-kh with knock-loop-1 …
    ginrummy train card-value-loop-1   # from medium-kh:value=network; and so on

Source: Nguyen, Doan and Neller, EAAI 2021 (S0), "Training cycle" of their future work: "In this work, we have
performed a single training iteration on Simple Player play data, but in the future we could use play data
from our Advanced player's self-play and close the loop". The paper's best player, medium-kh, plays here.

Inputs, labels and networks are those of the first round (``knock_net``, ``card_value_net``). Knocks are made
by every threshold against every other, in the place of knock limits. The card-value player keeps the
exploration of the first round: it also takes half of the cards that hit.
"""

from dataclasses import replace
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from ginrummy import artefacts
from ginrummy.evidence import provenance
from ginrummy.players.base import Player
from ginrummy.players.baseline import draw_hitting
from ginrummy.players.registry import make_player
from ginrummy.training import card_value_net, knock_net
from ginrummy.training.fit import Fit
from ginrummy.training.recipes import Progress, Recipe
from ginrummy.view import BoolArray, FloatArray, IntArray, View

Json = dict[str, Any]

ROUNDS = 3
THRESHOLDS = (0.0, 0.5, 0.7, 0.8, 0.9, 0.95)
"""At 0 every chance is a knock. None goes for gin alone, as in the first round none does."""
HITTING = 0.5
"""The chance that a hitting card is taken to see what comes of it."""
SEED_STEP = 10_000
"""Between the seeds of one round's play and the next one's."""


class Scale(NamedTuple):
    """How much to play and to train."""

    knock: knock_net.Scale
    """Its limits are not used: ``THRESHOLDS`` stand in their place."""
    games: int
    """Of the card-value player against itself."""
    epochs: int
    batch: int


SCALES = {
    "smoke": Scale(knock_net.Scale((), 20, {knock_net.READING: (300,)}, 2, 100), 20, 2, 1000),
    "full": Scale(knock_net.Scale((), 200, {knock_net.READING: (400_000,)}, 10, 1000), 4000, 40, 1000),
}


def knock_model(number: int) -> str:
    """The knock network of a round; round 0 is the paper's."""
    return f"knock-loop-{number}.onnx" if number else "knock.onnx"


def value_model(number: int) -> str:
    """The card-value network of a round; round 0 is the paper's."""
    return f"card-value-loop-{number}.onnx" if number else "card-value.onnx"


def knock_specs(number: int) -> list[str]:
    """The players whose knocks a round learns from."""
    return [f"medium-kh:knock={t:g},knock_model={knock_model(number - 1)}" for t in THRESHOLDS]


def value_spec(number: int) -> str:
    """The player whose draws a round learns from, before it explores."""
    return f"medium-kh:value=network,value_model={value_model(number - 1)}"


def exploring(player: Player, probability: float) -> Player:
    """The same player, which also takes what the baseline takes with this chance for hitting cards."""
    also = draw_hitting(probability)

    def draw(view: View, rows: IntArray, u: FloatArray) -> BoolArray:
        return player.draw(view, rows, u) | also(view, rows, u)

    return replace(player, name=f"{player.name} +hitting={probability:g}", draw=draw, compiled=None)


def run_knock(number: int, scale: str, seed: int, on_progress: Progress | None = None) -> Json:
    """One round of the knock network: play with the network before, learn from every knock."""
    start = perf_counter()
    size = SCALES[scale].knock
    specs = knock_specs(number)
    own_seed = knock_net.DATA_SEED + SEED_STEP * number + seed
    players = [make_player(spec) for spec in specs]
    data, games = knock_net.gather(size, own_seed, (knock_net.READING,), on_progress, players)
    rows = data[knock_net.READING]
    order = np.random.default_rng(seed)
    (most,) = size.rows[knock_net.READING]
    learn = order.permutation(np.flatnonzero(~rows.held))[:most]
    check = order.permutation(np.flatnonzero(rows.held))[: most // 10]
    how = Fit(size.epochs, size.batch, "bce", seed)
    facts, payload = knock_net.train_rows(rows, learn, check, how, on_progress)
    return {
        "artefact": f"knock-loop-{number}",
        "scale": scale,
        "seed": seed,
        "made_from": {
            "players": specs,
            "pairings": len(specs) ** 2,
            "model": _made_with(knock_model(number - 1)),
            "games": games,
            "seed": own_seed,
            "rows": len(learn),
            "reading": knock_net.READING,
        },
        "training": {
            "epochs": how.epochs,
            "batch": how.batch,
            "loss": "binary cross-entropy",
            **facts,
        },
        "seconds": perf_counter() - start,
        "provenance": provenance(),
        "payload": payload,
    }


def run_card_value(number: int, scale: str, seed: int, on_progress: Progress | None = None) -> Json:
    """One round of the card-value network: play with the network before, learn from upcards taken."""
    start = perf_counter()
    size = SCALES[scale]
    own_seed = card_value_net.DATA_SEED + SEED_STEP * number + seed
    player = exploring(make_player(value_spec(number)), HITTING)
    data = card_value_net.gather(player, range(size.games), own_seed)
    how = Fit(size.epochs, size.batch, "mse", seed)
    facts, payload = card_value_net.train_rows(data, data.took, how, on_progress)
    return {
        "artefact": f"card-value-loop-{number}",
        "scale": scale,
        "seed": seed,
        "made_from": {
            "players": [player.name, player.name],
            "model": _made_with(value_model(number - 1)),
            "games": size.games,
            "seed": own_seed,
            "rows": facts.pop("rows"),
            "reading": card_value_net.TAKEN,
            "taken": float(data.took.mean()),
        },
        "training": {
            "epochs": how.epochs,
            "batch": how.batch,
            "loss": "mean square error",
            "history": facts.pop("history"),
            "validation": facts,
        },
        "seconds": perf_counter() - start,
        "provenance": provenance(),
        "payload": payload,
    }


def _made_with(model: str) -> Json:
    return {"file": model, "sha256": artefacts.digest(artefacts.load(model))}


def text(result: Json) -> str:
    """What a person reads."""
    data, training = result["made_from"], result["training"]
    values = training["validation"]
    measured = (
        f"{training['base_rate']:.1%} won, cross-entropy {values['cross_entropy']:.3f}"
        if "cross_entropy" in values
        else f"mean square error {values['mse']:.2f}, {values['mse_of_the_mean']:.2f} for the mean alone"
    )
    line = (
        f"{result['artefact']}: {data['rows']:,} rows of {data['games']:,} games, {training['epochs']} "
        f"epochs; {measured} on games held back"
    )
    return f"{line}\nwritten to {result['file']}" if "file" in result else line


def _knock(number: int) -> Recipe:
    def run(scale: str, seed: int, workers: int = 1, on_progress: Progress | None = None) -> Json:
        return run_knock(number, scale, seed, on_progress)

    return Recipe(knock_model(number), run, text)


def _card_value(number: int) -> Recipe:
    def run(scale: str, seed: int, workers: int = 1, on_progress: Progress | None = None) -> Json:
        return run_card_value(number, scale, seed, on_progress)

    return Recipe(value_model(number), run, text)


KNOCK_1, KNOCK_2, KNOCK_3 = (_knock(number) for number in range(1, ROUNDS + 1))
CARD_VALUE_1, CARD_VALUE_2, CARD_VALUE_3 = (_card_value(number) for number in range(1, ROUNDS + 1))
