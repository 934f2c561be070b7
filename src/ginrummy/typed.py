"""JSON to typed values and back: one reader that checks, and one writer.

A dataclass is a JSON object with its fields as keys; a NamedTuple is a JSON list. The reader refuses wrong
types, missing and unknown keys, and numbers that are not finite, in one line that names the place. A field
with a default may be missing. A field marked ``LEFT_OUT`` is not written when it has its default.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from ginrummy.errors import BadInput

T = TypeVar("T")

Counters = Mapping[str, Any]
"""What adds up over shards: numbers, lists of numbers, and objects that hold these by name."""

_SCALARS: dict[Any, tuple[str, tuple[type, ...]]] = {
    str: ("text", (str,)),
    bool: ("true or false", (bool,)),
    int: ("a whole number", (int,)),
    float: ("a number", (int, float)),
    NoneType: ("null", (NoneType,)),
}


LEFT_OUT = {"left_out": True}
"""Metadata of a field of a dataclass that is not written when it has its default."""


def read(kind: type[T], found: Any, place: str) -> T:
    """A value of some type from JSON; ``place`` says where it was found, for error messages."""
    value: T = _read(kind, found, place)
    return value


def write(value: Any) -> Any:
    """A value as JSON."""
    if is_dataclass(value) and not isinstance(value, type):
        return {
            one.name: write(getattr(value, one.name))
            for one in fields(value)
            if not (one.metadata.get("left_out") and getattr(value, one.name) == one.default)
        }
    if isinstance(value, Mapping):
        return {key: write(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [write(part) for part in value]
    return value


def _read(kind: Any, found: Any, place: str) -> Any:
    if kind in _SCALARS:
        return _scalar(kind, found, place)
    if kind is Any:
        return _json(found, place)
    origin, inside = get_origin(kind), get_args(kind)
    if origin is Literal:
        if found not in inside:
            raise BadInput(f"{place}: expected one of {', '.join(map(str, inside))}, got {_short(found)}")
        return found
    if origin in (Union, UnionType):
        if found is None and NoneType in inside:
            return None
        (rest,) = [one for one in inside if one is not NoneType]
        return _read(rest, found, place)
    if origin is tuple:
        return _tuple(inside, found, place)
    if origin is not None and issubclass(origin, Mapping):
        _expect(isinstance(found, dict), "an object", found, place)
        return {key: _read(inside[1], part, f"{place}.{key}") for key, part in found.items()}
    whole = origin or kind
    if is_dataclass(whole):
        return _dataclass(whole, found, place)
    if issubclass(whole, tuple):  # a NamedTuple
        return whole(*_tuple(tuple(_hints(whole).values()), found, place))
    raise TypeError(f"no way to read {kind}")


def _scalar(kind: Any, found: Any, place: str) -> Any:
    words, types = _SCALARS[kind]
    _expect(isinstance(found, types) and (kind is bool or not isinstance(found, bool)), words, found, place)
    _expect(not isinstance(found, float) or math.isfinite(found), "a finite number", found, place)
    return found


def _tuple(inside: tuple[Any, ...], found: Any, place: str) -> tuple[Any, ...]:
    _expect(isinstance(found, list | tuple), "a list", found, place)
    if inside[1:] == (...,):
        return tuple(_read(inside[0], part, f"{place}[{n}]") for n, part in enumerate(found))
    _expect(len(found) == len(inside), f"a list of {len(inside)}", found, place)
    pairs = zip(inside, found, strict=True)
    return tuple(_read(one, part, f"{place}[{n}]") for n, (one, part) in enumerate(pairs))


def _dataclass(kind: Any, found: Any, place: str) -> Any:
    _expect(isinstance(found, dict), "an object", found, place)
    known = {one.name: one for one in fields(kind)}
    if unknown := [key for key in found if key not in known]:
        raise BadInput(f"{place}: unknown {', '.join(map(_short, unknown))}")
    if missing := [name for name, one in known.items() if name not in found and _required(one)]:
        raise BadInput(f"{place} lacks {', '.join(missing)}")
    hints = _hints(kind)
    return kind(**{key: _read(hints[key], part, f"{place}.{key}") for key, part in found.items()})


def _json(found: Any, place: str) -> Any:
    """Any JSON without NaN and infinities."""
    if isinstance(found, dict):
        return {key: _json(part, f"{place}.{key}") for key, part in found.items()}
    if isinstance(found, list):
        return [_json(part, place) for part in found]
    _expect(not isinstance(found, float) or math.isfinite(found), "a finite number", found, place)
    return found


def _required(one: "Field[Any]") -> bool:
    return one.default is MISSING and one.default_factory is MISSING


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)


def _expect(true: bool, wanted: str, found: Any, place: str) -> None:
    if not true:
        raise BadInput(f"{place}: expected {wanted}, got {_short(found)}")


def _short(found: Any) -> str:
    if isinstance(found, str):
        return repr(found if len(found) <= 60 else found[:60] + "…")
    if isinstance(found, dict):
        return "an object"
    if isinstance(found, Sequence):
        return f"a list of {len(found)}"
    return repr(found)[:60]
