"""What ``ginrummy train`` can rebuild, by name.

A recipe is a module or an object with ``run(scale, seed, workers, on_progress) -> Json`` and
``text(result)``. One that makes a trained file has its name as ``artefact``; its result then has the file's
content as ``payload``, and what the file's record says as ``made_from`` and ``training``.
"""

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from ginrummy import artefacts
from ginrummy.errors import BadInput, UnknownName
from ginrummy.extras import how_to_install

Json = dict[str, Any]
Progress = Callable[[str, int, int], None]
"""Called with a line on the present work, what is done and the total."""

SCALES = ("smoke", "full")

_RECIPES = {
    "knock-table": "ginrummy.training.knock_table",
    "bayes": "ginrummy.training.bayes_counts:BAYES",
    "ann": "ginrummy.training.event_nets:ANN",
    "lstm": "ginrummy.training.event_nets:LSTM",
    "card-value": "ginrummy.training.card_value_net:CARD_VALUE",
    "card-value-all": "ginrummy.training.card_value_net:OF_ALL",
    "knock": "ginrummy.training.knock_net:KNOCK",
    "knock-gin": "ginrummy.training.knock_net:WITH_GIN",
    "knock-chances": "ginrummy.training.knock_net:OF_CHANCES",
    "knock-turns": "ginrummy.training.knock_net:OF_TURNS",
    "knock-belief": "ginrummy.training.knock_belief:KNOCK_BELIEF",
    "knock-loop-1": "ginrummy.training.loop:KNOCK_1",
    "knock-loop-2": "ginrummy.training.loop:KNOCK_2",
    "knock-loop-3": "ginrummy.training.loop:KNOCK_3",
    "card-value-loop-1": "ginrummy.training.loop:CARD_VALUE_1",
    "card-value-loop-2": "ginrummy.training.loop:CARD_VALUE_2",
    "card-value-loop-3": "ginrummy.training.loop:CARD_VALUE_3",
    "simple-nn": "ginrummy.training.simple_nn_nets:PAPER",
    "simple-nn-code": "ginrummy.training.simple_nn_nets:CODE",
    "shankar-cnn": "ginrummy.training.shankar_nets:PAPER",
    "shankar-cnn-code": "ginrummy.training.shankar_nets:CODE",
    "shankar-cnn-softmax": "ginrummy.training.shankar_nets:SOFTMAX",
    "ensemble-by-turn": "ginrummy.training.belief_nets:GATE",
    "ensemble-turns": "ginrummy.training.belief_nets:TURNS",
    "belief-net": "ginrummy.training.belief_nets:BELIEF",
}


class Recipe(NamedTuple):
    """A recipe that makes a trained file."""

    artefact: str
    """Name of the file."""
    run: Callable[[str, int, int, Progress | None], Json]
    text: Callable[[Json], str]


def recipe_names() -> list[str]:
    """Everything that can be rebuilt."""
    return list(_RECIPES)


def recipe(name: str) -> Any:
    """The recipe of that name."""
    if name not in _RECIPES:
        raise UnknownName(f"nothing called {name!r} to train: choose one of {', '.join(_RECIPES)}")
    module, _, attribute = _RECIPES[name].partition(":")
    try:
        found = importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name and error.name.startswith("ginrummy"):
            raise
        raise BadInput(
            f"training {name} needs more libraries: install them with {how_to_install('train')}"
        ) from None
    return getattr(found, attribute) if attribute else found


def rebuild(
    name: str,
    scale: str,
    seed: int,
    workers: int = 1,
    directory: Path | None = None,
    on_progress: Progress | None = None,
) -> Json:
    """Run a recipe. A trained file goes to ``directory``, at full scale by default to the package's own."""
    made = recipe(name)
    if scale not in SCALES:
        raise UnknownName(f"unknown scale {scale!r}: choose one of {', '.join(SCALES)}")
    result: Json = made.run(scale, seed, workers, on_progress)
    payload = result.pop("payload", None)
    if directory is None and scale == "full":
        directory = artefacts.DIRECTORY
    if payload is not None and directory is not None:
        command = f"ginrummy train {name} --scale {scale} --seed {seed}"
        record = {
            "recipe": command,
            "made_from": result["made_from"],
            "training": result["training"],
            "provenance": result["provenance"] | {"command": command},
        }
        result["file"] = str(artefacts.write(directory, made.artefact, payload, record))
    return result


def makes_file(name: str) -> bool:
    """Whether a recipe makes a trained file."""
    return hasattr(recipe(name), "artefact")
