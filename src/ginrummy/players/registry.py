"""The one place that knows every player. ``make_player("name:key=value,…")`` builds one.

Players are named by module and factory and imported only when wanted, so listing them is quick and an
optional library is needed only by the player that uses it. A factory's keyword parameters are the
player's parameters, and where it takes ``**constants``, those that its module names in ``CONSTANTS``; its
docstring is the player's description, with paragraphs ``Source:`` and ``Differs:``.

A player from outside is written ``py:module@factory`` or ``py:path/to/file.py@factory``: the factory
takes no arguments and returns a ``Player``.
"""

import importlib
import importlib.util
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from ginrummy.errors import UnknownName
from ginrummy.players.base import Player

_PLAYERS = {
    "random": "ginrummy.players.baseline:random",
    "simple": "ginrummy.players.baseline:simple",
    "hand-strength": "ginrummy.players.hand_strength:hand_strength",
}


class Parameter(NamedTuple):
    """One parameter of a player."""

    name: str
    default: bool | int | float | str


class Entry(NamedTuple):
    """What there is to say of a player."""

    name: str
    summary: str
    source: str
    differs: str
    parameters: tuple[Parameter, ...]


def player_names() -> list[str]:
    """Every registered name."""
    return list(_PLAYERS)


def describe(name: str) -> Entry:
    """A registered player's description, from its factory."""
    factory = _factory(name)
    lines = inspect.getdoc(factory).splitlines()  # type: ignore[union-attr]
    return Entry(name, lines[0], _tagged(lines, "Source:"), _tagged(lines, "Differs:"), _parameters(factory))


def make_player(spec: str) -> Player:
    """Build the player that a text names; a wrong name, key or value raises ``UnknownName``."""
    if spec.startswith("py:"):
        return _foreign(spec)
    name, _, settings = spec.partition(":")
    factory = _factory(name)
    known = {parameter.name: parameter.default for parameter in _parameters(factory)}
    values: dict[str, Any] = {}
    for setting in filter(None, settings.split(",")):
        key, equals, text = setting.partition("=")
        if key not in known or not equals:
            possible = ", ".join(known) or "none"
            raise UnknownName(f"player {name} has no parameter {setting!r}: its parameters are {possible}")
        values[key] = _value(name, key, text, known[key])
    return factory(**values)


def _factory(name: str) -> Callable[..., Player]:
    if name not in _PLAYERS:
        raise UnknownName(f"unknown player {name!r}: choose one of {', '.join(_PLAYERS)}")
    module, _, attribute = _PLAYERS[name].partition(":")
    factory: Callable[..., Player] = getattr(importlib.import_module(module), attribute)
    return factory


def _parameters(factory: Callable[..., Player]) -> tuple[Parameter, ...]:
    signature = inspect.signature(factory).parameters.values()
    named = [Parameter(p.name, p.default) for p in signature if p.kind is not p.VAR_KEYWORD]
    constants = (
        inspect.getmodule(factory).__dict__.get("CONSTANTS", {}) if len(named) < len(signature) else {}
    )
    return (*named, *(Parameter(*item) for item in constants.items()))


def _value(player: str, key: str, text: str, default: bool | int | float | str) -> object:
    try:
        if isinstance(default, bool):
            return {"yes": True, "true": True, "no": False, "false": False}[text.lower()]
        return type(default)(text)
    except (KeyError, ValueError):
        kind = {bool: "yes or no", int: "a whole number", float: "a number"}.get(type(default), "text")
        raise UnknownName(f"player {player}: {key} takes {kind}, not {text!r}") from None


def _tagged(lines: list[str], tag: str) -> str:
    """The paragraph of a docstring that begins with a tag."""
    taken: list[str] = []
    for line in map(str.strip, lines):
        if line.startswith(tag):
            taken = [line.removeprefix(tag).strip()]
        elif taken and line and not line.startswith(("Source:", "Differs:")):
            taken.append(line)
        elif taken:
            break
    return " ".join(taken)


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
