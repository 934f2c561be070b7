"""What ``ginrummy train`` can rebuild, by name. A recipe is a module with ``run`` and ``text``."""

import importlib
from typing import Any

from ginrummy.errors import UnknownName

_RECIPES = {"knock-table": "ginrummy.training.knock_table"}


def recipe_names() -> list[str]:
    """Every artefact that can be rebuilt."""
    return list(_RECIPES)


def recipe(name: str) -> Any:
    """The module of an artefact: ``run(scale, seed, workers, on_progress)`` and ``text(result)``."""
    if name not in _RECIPES:
        raise UnknownName(f"nothing called {name!r} to train: choose one of {', '.join(_RECIPES)}")
    return importlib.import_module(_RECIPES[name])
