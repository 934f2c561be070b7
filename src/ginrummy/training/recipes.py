"""What ``ginrummy train`` can rebuild, by name.

A `Recipe` makes a trained file; a `Study` trains and measures without making one. A module that holds a
recipe is imported only when that recipe is asked for: torch takes seconds to import and is not always
installed.
"""

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

from ginrummy import artefacts
from ginrummy.errors import BadInput, UnknownName
from ginrummy.evidence import provenance
from ginrummy.extras import how_to_install
from ginrummy.runs import executor, using
from ginrummy.runs.journal import default_journal_path
from ginrummy.training.progress import Progress

Json = dict[str, Any]

SCALES = ("smoke", "full")

_RECIPES = {
    "knock-table": "regret.knock_table:KNOCK_TABLE",
    "knock-stock": "regret.knock_files:STOCK",
    "knock-stock-2": "regret.knock_files:STOCK_AGAIN",
    "knock-outs": "regret.knock_files:BY_OUTS",
    "knock-scores": "regret.knock_files:BY_SCORES",
    "opponent-table": "opponent_table:OPPONENT_TABLE",
    "bayes": "bayes_counts:BAYES",
    "round-points": "round_points:ROUND_POINTS",
    "ann": "nets.events:ANN",
    "lstm": "nets.events:LSTM",
    "card-value": "nets.card_value:CARD_VALUE",
    "card-value-all": "nets.card_value:OF_ALL",
    "knock": "nets.knock:KNOCK",
    "knock-gin": "nets.knock:WITH_GIN",
    "knock-chances": "nets.knock:OF_CHANCES",
    "knock-chances-half": "nets.knock:OF_HALF",
    "knock-turns": "nets.knock:OF_TURNS",
    "knock-belief": "nets.knock_belief:KNOCK_BELIEF",
    "knock-loop-1": "nets.loop:KNOCK_1",
    "knock-loop-2": "nets.loop:KNOCK_2",
    "knock-loop-3": "nets.loop:KNOCK_3",
    "card-value-loop-1": "nets.loop:CARD_VALUE_1",
    "card-value-loop-2": "nets.loop:CARD_VALUE_2",
    "card-value-loop-3": "nets.loop:CARD_VALUE_3",
    "simple-nn": "nets.simple_nn:PAPER",
    "simple-nn-code": "nets.simple_nn:CODE",
    "simple-nn-small": "nets.simple_nn:LITTLE",
    "shankar-cnn": "nets.shankar:PAPER",
    "shankar-cnn-code": "nets.shankar:CODE",
    "shankar-cnn-small": "nets.shankar:LITTLE",
    "shankar-cnn-softmax": "nets.shankar:SOFTMAX",
    "ensemble-by-turn": "nets.ensemble:GATE",
    "ensemble-turns": "nets.ensemble:TURNS",
    "belief-net": "nets.belief:BELIEF",
    "champion": "selfplay.champion:CHAMPION",
    "champion-response": "selfplay.champion:CHAMPION_RESPONSE",
    "sketch": "nets.sketch:SKETCH",
    "champion-leaves": "nets.leaves:LEAVES",
    "champion-belief": "nets.champion_belief:CHAMPION_BELIEF",
    "champion-lessons": "selfplay.taught:LESSONS",
}
"""Name -> module in this package and the recipe in it."""


@dataclass(frozen=True)
class Trained:
    """What a recipe made: the content of the file, and what the file's record says."""

    payload: bytes
    made_from: Json
    """The play that it learned from: players, games, seed, rows, and more by recipe."""
    training: Json
    """How the training went, and measurements on games held back."""


class Recipe(NamedTuple):
    """How to make one trained file."""

    artefact: str
    """Name of the file."""
    run: Callable[..., Trained]
    """Scale, seed, progress -> what was made. An endless recipe also takes ``file``, ``decisions`` and
    ``changed``."""
    summary: Callable[[Json], str]
    """The result of ``rebuild`` -> what a person reads about it."""
    endless: bool = False
    """Whether the training can always go on: it keeps its state in a file."""

    def text(self, result: Json) -> str:
        """The summary of a result, and where the file is."""
        lines = [self.summary(result)]
        if "file" in result:
            lines.append(f"written to {result['file']}")
        return "\n".join(lines)


class Study(NamedTuple):
    """A training that ends in evidence, not in a trained file."""

    run: Callable[[str, int, int, Progress | None], Json]
    """Scale, seed, workers, progress -> evidence."""
    text: Callable[[Json], str]
    """Evidence -> what a person reads."""


def recipe_names() -> list[str]:
    """Everything that can be rebuilt."""
    return list(_RECIPES)


def module_of(name: str) -> str:
    """The module that holds a recipe."""
    if name not in _RECIPES:
        raise UnknownName(f"nothing called {name!r} to train: choose one of {', '.join(_RECIPES)}")
    return f"ginrummy.training.{_RECIPES[name].partition(':')[0]}"


def recipe(name: str) -> Recipe | Study:
    """The recipe of that name."""
    try:
        module = importlib.import_module(module_of(name))
    except ModuleNotFoundError as error:
        if error.name and error.name.startswith("ginrummy"):
            raise
        raise BadInput(
            f"training {name} needs more libraries: install them with {how_to_install('train')}"
        ) from None
    found: Recipe | Study = getattr(module, _RECIPES[name].partition(":")[2])
    return found


def makes_file(name: str) -> bool:
    """Whether a recipe makes a trained file."""
    return isinstance(recipe(name), Recipe)


def rebuild(
    name: str,
    scale: str,
    seed: int,
    workers: int = 1,
    directory: Path | None = None,
    on_progress: Progress | None = None,
    *,
    state: Path | None = None,
    decisions: int | None = None,
    changed: bool = False,
) -> Json:
    """Run a recipe. A trained file goes to ``directory``; by default, at full scale, to the package's own.

    ``state`` and ``decisions`` are for endless recipes: the file that keeps the training (by default one of
    the user's own, at full scale), and how far it goes. With ``changed`` a training may go on with other
    settings than it began with.
    """
    made = recipe(name)
    if scale not in SCALES:
        raise UnknownName(f"unknown scale {scale!r}: choose one of {', '.join(SCALES)}")
    if isinstance(made, Study):
        return made.run(scale, seed, workers, on_progress)
    start = perf_counter()
    command = f"ginrummy train {name} --scale {scale} --seed {seed}"
    if made.endless:
        if state is None and scale == "full":
            state = default_journal_path({"train": name, "seed": seed}).with_suffix(".npz")
        trained = made.run(scale, seed, on_progress, file=state, decisions=decisions, changed=changed)
        command += f" --decisions {decisions}" if decisions else ""
    elif state is not None or decisions is not None or changed:
        raise BadInput(f"--state, --decisions and --changed are not for {name}: its training has an end")
    else:
        with using(executor(workers)):
            trained = made.run(scale, seed, on_progress)
    result: Json = {
        "artefact": Path(made.artefact).stem,
        "scale": scale,
        "seed": seed,
        "made_from": trained.made_from,
        "training": trained.training,
        "seconds": perf_counter() - start,
        "provenance": provenance(),
    }
    if directory is None and scale == "full":
        directory = artefacts.DIRECTORY
    if directory is not None:
        record = {
            "recipe": command,
            "made_from": trained.made_from,
            "training": trained.training,
            "provenance": result["provenance"] | {"command": command},
        }
        result["file"] = str(artefacts.write(directory, made.artefact, trained.payload, record))
    return result
