"""The one place that knows every player. ``make_player("name:key=value,…")`` builds one.

A player from outside is written ``py:module@factory`` or ``py:path/to/file.py@factory``: the factory
takes no arguments and returns a ``Player``.
"""

import importlib
import importlib.util
from pathlib import Path
from typing import Any

from ginrummy.errors import UnknownName
from ginrummy.players.base import Player
from ginrummy.specs import Entry, Registry

_PLAYERS: Registry[Player] = Registry(
    "player",
    {
        "random": "ginrummy.players.baseline:random",
        "simple": "ginrummy.players.baseline:simple",
        "knocking": "ginrummy.players.deterministic:knocking",
        "estimating": "ginrummy.players.deterministic:estimating",
        "hitting": "ginrummy.players.deterministic:hitting",
        "medium-kh": "ginrummy.players.deterministic:medium_kh",
        "medium-he": "ginrummy.players.deterministic:medium_he",
        "medium-ek": "ginrummy.players.deterministic:medium_ek",
        "advanced": "ginrummy.players.deterministic:advanced",
        "safe-discard": "ginrummy.players.safe_discard:safe_discard",
        "hand-strength": "ginrummy.players.hand_strength:hand_strength",
    },
)


def player_names() -> list[str]:
    """Every registered name."""
    return _PLAYERS.names()


def describe(name: str) -> Entry:
    """A registered player's description, from its factory."""
    return _PLAYERS.describe(name)


def make_player(spec: str) -> Player:
    """Build the player that a text names; a wrong name, key or value raises ``UnknownName``."""
    return _foreign(spec) if spec.startswith("py:") else _PLAYERS.make(spec)


def _foreign(spec: str) -> Player:
    place, at, attribute = spec.removeprefix("py:").rpartition("@")
    if not at:
        raise UnknownName(f"expected py:module@factory or py:file.py@factory, got {spec!r}")
    try:
        module = _load_file(Path(place)) if place.endswith(".py") else importlib.import_module(place)
        player = getattr(module, attribute)()
    except (ImportError, OSError, SyntaxError, AttributeError, TypeError) as error:
        raise UnknownName(f"cannot load player {spec!r}: {error}") from error
    if not isinstance(player, Player):
        raise UnknownName(f"{spec!r} gave a {type(player).__name__}, not a Player")
    return player


def _load_file(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
