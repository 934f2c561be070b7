"""Things that are chosen by name on the command line: ``name`` or ``name:key=value,…``.

A registry maps names to factories. Factories are written ``module:function`` and imported only when needed,
so listing is quick, and an optional library is needed only by the things that use it. The keyword parameters
of a factory are the parameters of the thing; a factory that takes ``**constants`` lists them with
``@parameters``, which may also say between which bounds a search varies them. Its docstring is the
description, with paragraphs ``Source:`` and ``Differs:``.

A number is finite, unless ``@parameters`` says that the parameter may be infinite. A name that ``named``
writes is read back as exactly the same values.
"""

import importlib
import inspect
import math
from collections.abc import Callable, Collection, Mapping
from functools import partial
from numbers import Real
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

from ginrummy.errors import BadInput, UnknownName

T = TypeVar("T")
Factory = TypeVar("Factory", bound=Callable[..., Any])
Value: TypeAlias = bool | int | float | str
_CONSTANTS = "_constants"
_UNBOUNDED = "_unbounded"
_RANGES = "_ranges"
_PROFILES = "_profiles"


class Range(NamedTuple):
    """Between which bounds a search varies a parameter."""

    low: float
    high: float
    start: float | None = None
    """Where a search begins; None: at the player's own value."""
    whole: bool = False
    """Whether only whole numbers make sense."""


class Parameter(NamedTuple):
    """One parameter of a thing."""

    name: str
    default: Value


class Entry(NamedTuple):
    """The description of a thing."""

    name: str
    summary: str
    source: str
    differs: str
    parameters: tuple[Parameter, ...]
    ranges: Mapping[str, Range]
    """Parameter -> its bounds for a search, where the factory declares them. A name with a point is a part of
    a parameter that is a list, as ``knock.hold``: see ``training.tuning.space``."""
    profiles: Mapping[str, Mapping[str, Value]]
    """Value of the parameter ``profile`` -> what it sets, where the factory declares it."""


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
        summary, said = lines[0].replace("``", ""), partial(_tagged, lines)
        ranges, profiles = getattr(factory, _RANGES, {}), getattr(factory, _PROFILES, {})
        words = name, summary, said("Source:"), said("Differs:")
        return Entry(*words, _parameters(factory), ranges, profiles)

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
            unbounded = key in getattr(factory, _UNBOUNDED, ())
            values[key] = _value(f"{self.kind} {name}", key, text, known[key], unbounded)
        return factory(**values)

    def _factory(self, name: str) -> Callable[..., T]:
        if name not in self._places:
            raise UnknownName(f"unknown {self.kind} {name!r}: choose one of {', '.join(self._places)}")
        module, _, attribute = self._places[name].partition(":")
        factory: Callable[..., T] = getattr(importlib.import_module(module), attribute)
        return factory


def parameters(
    *constants: Mapping[str, Value],
    unbounded: Collection[str] = (),
    ranges: Mapping[str, Range] | None = None,
    profiles: Mapping[str, Mapping[str, Value]] | None = None,
) -> Callable[[Factory], Factory]:
    """Say which ``**constants`` a factory takes and their defaults, and what else is known of parameters.

    ``unbounded`` may be infinite; ``ranges`` are bounds for a search; ``profiles`` says what each value of a
    parameter ``profile`` sets.
    """

    def note(factory: Factory) -> Factory:
        setattr(factory, _CONSTANTS, {key: value for some in constants for key, value in some.items()})
        setattr(factory, _UNBOUNDED, frozenset(unbounded))
        setattr(factory, _RANGES, dict(ranges or {}))
        setattr(factory, _PROFILES, dict(profiles or {}))
        return factory

    return note


def named(name: str, settings: Mapping[str, object]) -> str:
    """A name with parameters, as the command line writes it: reading it gives the same values exactly."""
    words = [f"{key}={_text(value)}" for key, value in settings.items()]
    return name + ":" * bool(words) + ",".join(words)


def _text(value: object) -> str:
    """A value as ``_value`` reads it back: 20 for 20.0, otherwise all digits that a float needs."""
    if isinstance(value, Real) and not isinstance(value, int):
        return repr(float(value)).removesuffix(".0")
    text = str(value)
    if "," in text:
        raise BadInput(f"the value of a parameter cannot contain a comma: {text!r}")
    return text


def _parameters(factory: Callable[..., object]) -> tuple[Parameter, ...]:
    signature = inspect.signature(factory).parameters.values()
    known = [Parameter(p.name, p.default) for p in signature if p.kind is not p.VAR_KEYWORD]
    return (*known, *(Parameter(*item) for item in getattr(factory, _CONSTANTS, {}).items()))


def _value(owner: str, key: str, text: str, default: Value, unbounded: bool) -> object:
    try:
        if isinstance(default, bool):
            return {"yes": True, "true": True, "no": False, "false": False}[text.lower()]
        value = type(default)(text)
        if isinstance(value, float) and (math.isnan(value) or (math.isinf(value) and not unbounded)):
            raise ValueError
        return value
    except (KeyError, ValueError):
        kinds = {bool: "yes or no", int: "a whole number", float: "a finite number"}
        kind = "a number or inf" if unbounded else kinds.get(type(default), "text")
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
