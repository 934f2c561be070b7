"""Things that are chosen by name on the command line: ``name`` or ``name:key=value,…``.

A registry maps names to factories, written ``module:function`` and imported only when wanted, so listing is
quick and an optional library is needed only by what uses it. A factory's keyword parameters are the
parameters of the thing, and those of ``@parameters(constants)`` where it takes ``**constants``; its docstring
is the description, with paragraphs ``Source:`` and ``Differs:``.
"""

import importlib
import inspect
from collections.abc import Callable, Mapping
from typing import Any, Generic, NamedTuple, TypeVar

from ginrummy.errors import UnknownName

T = TypeVar("T")
Factory = TypeVar("Factory", bound=Callable[..., Any])
_CONSTANTS = "_constants"


class Parameter(NamedTuple):
    """One parameter of a thing."""

    name: str
    default: bool | int | float | str


class Entry(NamedTuple):
    """What there is to say of a thing."""

    name: str
    summary: str
    source: str
    differs: str
    parameters: tuple[Parameter, ...]


class Registry(Generic[T]):
    """Names and factories of one kind of thing."""

    def __init__(self, kind: str, places: Mapping[str, str]) -> None:
        """``kind`` is the word for error messages; ``places`` maps names to ``module:function``."""
        self.kind = kind
        self._places = dict(places)

    def names(self) -> list[str]:
        """Every registered name."""
        return list(self._places)

    def describe(self, name: str) -> Entry:
        """A description, from the factory."""
        factory = self._factory(name)
        lines = inspect.getdoc(factory).splitlines()  # type: ignore[union-attr]
        return Entry(
            name, lines[0], _tagged(lines, "Source:"), _tagged(lines, "Differs:"), _parameters(factory)
        )

    def make(self, spec: str) -> T:
        """Build what a text names; a wrong name, key or value raises ``UnknownName``."""
        name, _, settings = spec.partition(":")
        factory = self._factory(name)
        known = {parameter.name: parameter.default for parameter in _parameters(factory)}
        values: dict[str, Any] = {}
        for setting in filter(None, settings.split(",")):
            key, equals, text = setting.partition("=")
            if key not in known or not equals:
                possible = ", ".join(known) or "none"
                raise UnknownName(
                    f"{self.kind} {name} has no parameter {setting!r}: its parameters are {possible}"
                )
            values[key] = _value(f"{self.kind} {name}", key, text, known[key])
        return factory(**values)

    def _factory(self, name: str) -> Callable[..., T]:
        if name not in self._places:
            raise UnknownName(f"unknown {self.kind} {name!r}: choose one of {', '.join(self._places)}")
        module, _, attribute = self._places[name].partition(":")
        factory: Callable[..., T] = getattr(importlib.import_module(module), attribute)
        return factory


def parameters(*constants: Mapping[str, bool | int | float | str]) -> Callable[[Factory], Factory]:
    """Say which ``**constants`` a factory takes, and their defaults."""

    def note(factory: Factory) -> Factory:
        setattr(factory, _CONSTANTS, {key: value for some in constants for key, value in some.items()})
        return factory

    return note


def named(name: str, settings: Mapping[str, object]) -> str:
    """A name with parameters, as the command line writes it."""
    words = [
        f"{key}={value:g}" if isinstance(value, float) else f"{key}={value}"
        for key, value in settings.items()
    ]
    return name + ":" * bool(words) + ",".join(words)


def _parameters(factory: Callable[..., object]) -> tuple[Parameter, ...]:
    signature = inspect.signature(factory).parameters.values()
    known = [Parameter(p.name, p.default) for p in signature if p.kind is not p.VAR_KEYWORD]
    return (*known, *(Parameter(*item) for item in getattr(factory, _CONSTANTS, {}).items()))


def _value(owner: str, key: str, text: str, default: bool | int | float | str) -> object:
    try:
        if isinstance(default, bool):
            return {"yes": True, "true": True, "no": False, "false": False}[text.lower()]
        return type(default)(text)
    except (KeyError, ValueError):
        kind = {bool: "yes or no", int: "a whole number", float: "a number"}.get(type(default), "text")
        raise UnknownName(f"{owner}: {key} takes {kind}, not {text!r}") from None


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
    return " ".join(taken).replace("``", "")
