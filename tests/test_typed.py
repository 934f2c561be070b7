"""JSON to typed values: what is read is what was written, and faults are reported in one line with their place."""

from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import pytest

from ginrummy.errors import BadInput
from ginrummy.typed import LEFT_OUT, Counters, read, write


class Stretch(NamedTuple):
    name: str
    last: int | None


@dataclass(frozen=True)
class Inner:
    sizes: tuple[int, ...]
    share: float


@dataclass(frozen=True)
class Outer:
    name: str
    kind: Literal["a", "b"]
    parts: dict[str, Inner]
    stretch: Stretch
    counts: Counters
    later: int = 0
    seldom: str | None = field(default=None, metadata=LEFT_OUT)


JSON: dict[str, Any] = {
    "name": "x",
    "kind": "b",
    "parts": {"one": {"sizes": [1, 2], "share": 1}},
    "stretch": ["late", None],
    "counts": {"sums": [[1.5, 2], [3, 4]], "by": {"x": 1}},
    "later": 3,
}


def test_what_is_read_is_written_again() -> None:
    value = read(Outer, JSON, "file")
    assert value.parts["one"] == Inner((1, 2), 1) and value.stretch == Stretch("late", None)
    assert write(value) == JSON
    assert write(read(Outer, JSON | {"seldom": "y"}, "file")) == JSON | {"seldom": "y"}


def test_a_field_with_a_default_may_be_missing() -> None:
    less = {key: part for key, part in JSON.items() if key != "later"}
    assert read(Outer, less, "file").later == 0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"name": 3}, "file.name: expected text, got 3"),
        ({"kind": "c"}, "file.kind: expected one of a, b, got 'c'"),
        ({"kind": []}, "file.kind: expected one of a, b, got a list of 0"),
        ({"parts": []}, "file.parts: expected an object, got a list of 0"),
        ({"parts": {"one": {"sizes": [1]}}}, "file.parts.one lacks share"),
        ({"parts": {"one": {"sizes": [1, 2.5], "share": 1}}}, r"file.parts.one.sizes\[1\]: expected a whole number"),
        ({"parts": {"one": {"sizes": [True], "share": 1}}}, r"sizes\[0\]: expected a whole number, got True"),
        ({"parts": {"one": {"sizes": [], "share": float("nan")}}}, "share: expected a finite number, got nan"),
        ({"stretch": ["late"]}, "file.stretch: expected a list of 2, got a list of 1"),
        ({"counts": {"sums": [[float("inf")]]}}, "file.counts.sums: expected a finite number, got inf"),
        ({"later": None}, "file.later: expected a whole number, got None"),
        ({"other": 1}, "file: unknown 'other'"),
        ({"x" * 5000: 1}, "file: unknown 'x{60}…'$"),
    ],
)  # fmt: skip
def test_what_is_wrong_meets_one_line(change: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput, match=message) as caught:
        read(Outer, JSON | change, "file")
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 200
