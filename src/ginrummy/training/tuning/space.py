"""What a study searches: some parameters of a player with their bounds.

Bounds come from three places: the player's own declarations (``specs.Range``), ``--range`` of the command
line, ``alpha=0:60``, and ``--space``, which writes all in one text and is also how a space is stored:

``alpha=10.0..80@20,k=3..12,program=0|1``: real numbers from 10 to 80, starting at 20; whole numbers from 3 to
12 (bounds written without a point); one of two values. ``alpha=0.0..60/5`` has steps of 5. Four numbers
describe a parameter that is itself a list of limits by own turn, such as ``knock=10/10/10/10/0``:
``knock.start``, the first limit; ``knock.hold``, the number of turns that keep it; ``knock.fall``, how much
each later turn takes off; ``knock.floor``, the least limit.
"""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

from ginrummy.errors import BadInput, ParseError, UnknownName
from ginrummy.players.registry import describe, make_player
from ginrummy.specs import Parameter, Range

Value: TypeAlias = float | int | str
Point: TypeAlias = dict[str, Value]
"""A value for every dimension, by name."""

SCHEDULE = {"start": 10.0, "hold": 4.0, "fall": 10.0, "floor": 0.0}
"""Parts of a list of limits by turn, and their values when the space leaves them out."""
SCHEDULE_TURNS = 20
MAX_STEPS = 10_000
GRID_POINTS = 5
"""Number of values that a grid tries between real bounds, or between whole ones that are far apart."""


class Dimension(NamedTuple):
    """One number, or one choice, that the search varies."""

    name: str
    low: float = 0.0
    high: float = 0.0
    start: Value = 0.0
    """Where the search begins."""
    whole: bool = False
    choices: tuple[Value, ...] = ()
    """The values to choose from; empty for a number between bounds."""
    step: float = 0.0
    """Distance of the values from the lower bound on; 0: any number, or any whole one."""

    def grid(self) -> list[Value]:
        """The values that a grid tries."""
        if self.choices:
            return list(self.choices)
        if self.step:
            steps = [
                self.low + self.step * n for n in range(int((self.high - self.low) / self.step + 1e-9) + 1)
            ]
            return [round(one) for one in steps] if self.whole else [rounded(one) for one in steps]
        if self.whole and self.high - self.low < 2 * GRID_POINTS:
            return list(range(int(self.low), int(self.high) + 1))
        steps = [self.low + (self.high - self.low) * n / (GRID_POINTS - 1) for n in range(GRID_POINTS)]
        return list(dict.fromkeys(round(step) for step in steps)) if self.whole else list(steps)


class Space(NamedTuple):
    """A player with some of its parameters left open."""

    player: str
    """The player as written, with the parameters that are not searched."""
    dimensions: tuple[Dimension, ...]

    @property
    def start(self) -> Point:
        """Where the search begins."""
        return {dimension.name: dimension.start for dimension in self.dimensions}

    def corners(self) -> list[Point]:
        """The start, and the two ends of all dimensions: a player that accepts these accepts all between."""
        ends = [(d.choices[0], d.choices[-1]) if d.choices else (d.low, d.high) for d in self.dimensions]
        names = [dimension.name for dimension in self.dimensions]
        return [self.start, *(dict(zip(names, end, strict=True)) for end in zip(*ends, strict=True))]

    def grid_size(self) -> int:
        """Points of the whole grid."""
        return math.prod(len(dimension.grid()) for dimension in self.dimensions)

    def grid_point(self, number: int) -> Point:
        """One point of the grid; the last dimension turns fastest."""
        point: Point = {}
        for dimension in reversed(self.dimensions):
            number, place = divmod(number, len(dimension.grid()))
            point[dimension.name] = dimension.grid()[place]
        return dict(reversed(point.items()))

    def spec(self, point: Point) -> str:
        """The player at a point, as text that ``make_player`` reads."""
        settings = [f"{name}={_text(value)}" for name, value in point.items() if "." not in name]
        for owner in dict.fromkeys(name.partition(".")[0] for name in point if "." in name):
            parts = {part: float(point.get(f"{owner}.{part}", usual)) for part, usual in SCHEDULE.items()}
            settings.append(f"{owner}={limits_by_turn(**parts)}")
        return self.player + ("," if ":" in self.player else ":") + ",".join(settings)


def limits_by_turn(start: float, hold: float, fall: float, floor: float) -> str:
    """Limits that stay for ``hold`` turns, then fall each turn down to ``floor``, as ``10/10/10/10/0``."""
    floor = min(floor, start)
    limits = [max(floor, start - fall * max(0.0, turn - hold)) for turn in range(1, SCHEDULE_TURNS + 1)]
    words = [str(int(limit + 1e-9)) for limit in limits]  # deadwood is whole: 3.5 allows what 3 allows
    while len(words) > 1 and words[-1] == words[-2]:
        words.pop()
    return "/".join(words)


class _Known(NamedTuple):
    """What is known of a player before its space is read."""

    player: str
    """As written."""
    name: str
    parameters: dict[str, Parameter]
    ranges: Mapping[str, Range]
    fixed: frozenset[str]
    """Parameters that are set in the player."""
    profile: Mapping[str, Value]
    """What the player's profile sets, where it names one."""

    def start(self, name: str) -> float:
        """Where a search of a number begins: at the profile's value, the declared start, or the default."""
        owner, dot, part = name.partition(".")
        declared = self.ranges[name].start if name in self.ranges else None
        if not dot and owner in self.profile:
            return float(self.profile[owner])
        if declared is not None:
            return declared
        return SCHEDULE[part] if dot else float(self.parameters[owner].default)

    def whole(self, name: str) -> bool:
        """Whether a parameter takes whole numbers only."""
        if name in self.ranges:
            return self.ranges[name].whole
        owner, dot, _ = name.partition(".")
        return not dot and isinstance(self.parameters[owner].default, int)


def _known(player: str) -> _Known:
    name, _, settings = player.partition(":")
    if name == "py":
        raise BadInput("a player from outside declares no parameters: nothing can be tuned")
    entry = describe(name)
    make_player(player)
    fixed = dict(setting.partition("=")[::2] for setting in settings.split(",") if setting)
    profile = entry.profiles.get(fixed.get("profile", ""), {})
    parameters = {parameter.name: parameter for parameter in entry.parameters}
    return _Known(player, name, parameters, entry.ranges, frozenset(fixed), profile)


def parse_space(player: str, text: str | None) -> Space:
    """Read a space for a player; without a text, all parameters that have declared bounds."""
    known = _known(player)
    if text is None:
        names = [name for name in known.ranges if name.partition(".")[0] not in known.fixed]
        if not names:
            raise ParseError(
                f"player {known.name} declares no bounds that are free: give some with --range name=low:high"
            )
        return _space(known, [_declared(name, known) for name in names])
    words = [word.strip() for word in text.split(",") if word.strip()]
    return _space(known, [_dimension(word, known) for word in words])


def parse_ranges(player: str, words: Sequence[str]) -> Space:
    """Read a space from the words of ``--range``: ``alpha``, ``alpha=0:60``, ``alpha=0:60:5``, ``a=x|y``.

    A name alone stands for its declared bounds. ``@20`` at the end says where to begin. The parameter itself
    says whether its numbers are whole.
    """
    known = _known(player)
    return _space(known, [_ranged(word.strip(), known) for word in words])


def _ranged(word: str, known: _Known) -> Dimension:
    name, equals, bounds = word.partition("=")
    _check_name(word, name, known)
    if not equals:
        if name not in known.ranges:
            raise ParseError(f"{name} of {known.name} has no declared bounds: write {name}=low:high")
        return _declared(name, known)
    if "|" in bounds:
        return _dimension(word, known)
    numbers, at, start = bounds.partition("@")
    parts = numbers.split(":")
    if len(parts) not in (2, 3) or not all(map(_is_number, parts)) or (at and not _is_number(start)):
        raise ParseError(f"expected {name}=low:high, {name}=low:high:step or {name}=a|b, got {word!r}")
    _check_numeric(name, known)
    low, high, *step = map(float, parts)
    return _between(name, (low, high), start, known, word, known.whole(name), step[0] if step else 0.0)


def _declared(name: str, known: _Known) -> Dimension:
    low, high, _, whole = known.ranges[name]
    return _between(name, (low, high), "", known, name, whole)


def _space(known: _Known, dimensions: list[Dimension]) -> Space:
    names = [dimension.name for dimension in dimensions]
    if not names:
        raise ParseError("the space is empty: expected name=low..high,…")
    if twice := [name for name in names if names.count(name) > 1]:
        raise ParseError(f"the space names {twice[0]} twice")
    if clash := [name for name in names if "." in name and name.partition(".")[0] in names]:
        raise ParseError(f"the space has both {clash[0]} and {clash[0].partition('.')[0]}")
    return Space(known.player, tuple(dimensions))


def space_text(space: Space) -> str:
    """The space as text again, with every start."""
    return ",".join(_dimension_text(dimension) for dimension in space.dimensions)


def rounded(value: float) -> float:
    """A real value as it is written and played: four digits."""
    return float(f"{value:.4g}")


def _text(value: Value) -> str:
    return value if isinstance(value, str) else f"{value:.4g}"


def _dimension_text(dimension: Dimension) -> str:
    if dimension.choices:
        return f"{dimension.name}={'|'.join(map(_text, dimension.choices))}"
    low = f"{dimension.low:g}" if dimension.whole else repr(float(dimension.low))
    step = f"/{dimension.step:g}" if dimension.step else ""
    return f"{dimension.name}={low}..{dimension.high:g}{step}@{_text(dimension.start)}"


def _check_name(word: str, name: str, known: _Known) -> None:
    """Refuse a parameter that the player does not have, or that is set already."""
    owner, dot, part = name.partition(".")
    if owner not in known.parameters or (dot and part not in SCHEDULE):
        possible = ", ".join(known.parameters) or "none"
        raise UnknownName(f"the space has {word!r}: the parameters of {known.name} are {possible}")
    if owner in known.fixed:
        raise ParseError(f"{owner} is set in the player and searched in the space: drop one of them")
    if dot and not isinstance(known.parameters[owner].default, str):
        raise ParseError(f"{owner} is one number, not limits by turn: write {owner}=low..high")


def _check_numeric(name: str, known: _Known) -> None:
    owner, dot, _ = name.partition(".")
    if isinstance(known.parameters[owner].default, (str, bool)) and not dot:
        raise ParseError(
            f"{owner} is not a number: write its values as {owner}=a|b, or {owner}.hold=low..high"
        )


def _dimension(word: str, known: _Known) -> Dimension:
    name, equals, bounds = word.partition("=")
    _check_name(word, name if equals else "", known)
    owner = name.partition(".")[0]
    default = known.parameters[owner].default
    if "|" in bounds:
        choices = tuple(_choice(choice, default, word) for choice in bounds.split("|"))
        begin = known.profile.get(owner, default)
        return Dimension(name, start=begin if begin in choices else choices[0], choices=choices)
    _check_numeric(name, known)
    return _bounded(name, bounds, known, word)


def _choice(text: str, default: object, word: str) -> Value:
    if isinstance(default, (str, bool)):
        return text
    if not _is_number(text):
        raise ParseError(f"expected numbers such as alpha=10|20|40, got {word!r}")
    return int(text) if isinstance(default, int) and text.lstrip("-").isdigit() else float(text)


def _bounded(name: str, text: str, known: _Known, word: str) -> Dimension:
    bounds, at, start = text.partition("@")
    bounds, slash, step = bounds.partition("/")
    low, dots, high = bounds.partition("..")
    numbers = [low, high, *([start] if at else []), *([step] if slash else [])]
    if not dots or not all(map(_is_number, numbers)):
        raise ParseError(f"expected name=low..high or name=low..high@start, got {word!r}")
    whole = not set(".eE") & set(low + high)
    return _between(name, (float(low), float(high)), start, known, word, whole, float(step) if slash else 0.0)


def _between(
    name: str,
    ends: tuple[float, float],
    start: str,
    known: _Known,
    word: str,
    whole: bool,
    step: float = 0.0,
) -> Dimension:
    """A dimension between two ends; ``start`` is empty where the search begins as the player says."""
    low, high = ends
    begin = float(start) if start else min(max(known.start(name), low), high)
    if not low < high or not low <= begin <= high or max(map(abs, ends)) > 1e6:
        raise ParseError(f"expected low < high, at most a million, the start between them, got {word!r}")
    if whole and not all(one == round(one) for one in (low, high, step)):
        raise ParseError(f"{name} takes whole numbers only, got {word!r}")
    if step < 0 or (step and (high - low) / step > MAX_STEPS):
        raise ParseError(f"expected a step above 0 that makes at most {MAX_STEPS:,} values, got {word!r}")
    made = Dimension(name, low, high, whole=whole, step=step)
    if step:
        made = made._replace(high=float(made.grid()[-1]))
        return made._replace(start=min(made.grid(), key=lambda one: abs(float(one) - begin)))
    return made._replace(start=round(begin) if whole else rounded(begin))


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False
