"""Closing the loop of paper S0: networks that learn from the play of a player with earlier networks.

    ginrummy train knock-loop-1        # from medium-kh; knock-loop-2 from medium-kh with knock-loop-1 …
    ginrummy train card-value-loop-1   # from medium-kh:value=network; and so on

Source: Nguyen, Doan and Neller, EAAI 2021 (S0), "Training cycle" of their future work: "In this work, we have
performed a single training iteration on Simple Player play data, but in the future we could use play data
from our Advanced player's self-play and close the loop". The paper's best player, medium-kh, plays here.

Inputs, labels and networks are those of the first round (``knock``, ``card_value``). Players with different
thresholds knock, all against all; in the first round they had different knock limits. The card-value player
explores as in the first round: it also takes half of the cards that hit.
"""

from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from ginrummy import artefacts
from ginrummy.players.base import Player
from ginrummy.players.baseline import draw_hitting
from ginrummy.players.registry import make_player
from ginrummy.training.nets import card_value, knock
from ginrummy.training.nets.fit import Fit, bce, mse
from ginrummy.training.progress import Progress
from ginrummy.training.recipes import Recipe, Trained
from ginrummy.view import BoolArray, FloatArray, IntArray, View

Json = dict[str, Any]

ROUNDS = 3
THRESHOLDS = (0.0, 0.5, 0.7, 0.8, 0.9, 0.95)
"""At 0 a player knocks at every chance. As in the first round, no player waits for gin alone."""
HITTING = 0.5
"""The chance to take a hitting card in order to explore."""
SEED_STEP = 10_000
"""Added to the seed of the play once a round."""


class Scale(NamedTuple):
    """How much to play and to train."""

    knock: knock.Scale
    """Its limits are not used: ``THRESHOLDS`` replace them."""
    games: int
    """Of the card-value player against itself."""
    epochs: int
    batch: int


SCALES = {
    "smoke": Scale(knock.Scale((), 20, {knock.READING: (300,)}, 2, 100), 20, 2, 1000),
    "full": Scale(knock.Scale((), 200, {knock.READING: (400_000,)}, 10, 1000), 4000, 40, 1000),
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
    """The same player, which also takes hitting cards with this probability, as the baseline can."""
    also = draw_hitting(probability)

    def draw(view: View, rows: IntArray, u: FloatArray) -> BoolArray:
        return player.draw(view, rows, u) | also(view, rows, u)

    return replace(player, name=f"{player.name} +hitting={probability:g}", draw=draw, compiled=None)


def run_knock(number: int, scale: str, seed: int, on_progress: Progress | None = None) -> Trained:
    """One round of the knock network: play with the network before, learn from every knock."""
    size = SCALES[scale].knock
    specs = knock_specs(number)
    own_seed = knock.KNOCK_SEED + SEED_STEP * number + seed
    players = [make_player(spec) for spec in specs]
    data, games = knock.gather(size, own_seed, (knock.READING,), on_progress, players)
    rows = data[knock.READING]
    (most,) = size.rows[knock.READING]
    learn, check = knock.split(rows, most, seed)
    how = Fit(size.epochs, size.batch, bce, seed)
    fitted = knock.train_rows(rows, learn, check, how, on_progress)
    return Trained(
        payload=fitted.payload,
        made_from={
            "players": specs,
            "pairings": len(specs) ** 2,
            "model": _made_with(knock_model(number - 1)),
            "games": games,
            "seed": own_seed,
            "rows": len(learn),
            "reading": knock.READING,
        },
        training=knock.training_record(fitted, how),
    )


def run_card_value(number: int, scale: str, seed: int, on_progress: Progress | None = None) -> Trained:
    """One round of the card-value network: play with the network before, learn from upcards taken."""
    size = SCALES[scale]
    own_seed = card_value.CARD_VALUE_SEED + SEED_STEP * number + seed
    player = exploring(make_player(value_spec(number)), HITTING)
    data = card_value.gather(player, range(size.games), own_seed)
    how = Fit(size.epochs, size.batch, mse, seed)
    fitted = card_value.train_rows(data, data.took, how, on_progress)
    return Trained(
        payload=fitted.payload,
        made_from={
            "players": [player.name, player.name],
            "model": _made_with(value_model(number - 1)),
            "games": size.games,
            "seed": own_seed,
            "rows": fitted.rows,
            "reading": card_value.TAKEN,
            "taken": float(data.took.mean()),
        },
        training=card_value.training_record(fitted, how),
    )


def _made_with(model: str) -> dict[str, str]:
    return {"file": model, "sha256": artefacts.digest(artefacts.load(model))}


def summary(result: Json) -> str:
    """What a person reads about the training."""
    data, training = result["made_from"], result["training"]
    values = training["validation"]
    measured = (
        f"{training['base_rate']:.1%} won, cross-entropy {values['cross_entropy']:.3f}"
        if "cross_entropy" in values
        else f"mean square error {values['mse']:.2f}, {values['mse_of_the_mean']:.2f} for the mean alone"
    )
    return (
        f"{result['artefact']}: {data['rows']:,} rows of {data['games']:,} games, {training['epochs']} "
        f"epochs; {measured} on games held back"
    )


def _knock(number: int) -> Recipe:
    return Recipe(knock_model(number), partial(run_knock, number), summary)


def _card_value(number: int) -> Recipe:
    return Recipe(value_model(number), partial(run_card_value, number), summary)


KNOCK_1, KNOCK_2, KNOCK_3 = (_knock(number) for number in range(1, ROUNDS + 1))
CARD_VALUE_1, CARD_VALUE_2, CARD_VALUE_3 = (_card_value(number) for number in range(1, ROUNDS + 1))
