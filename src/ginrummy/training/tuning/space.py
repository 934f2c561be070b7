"""What a study searches: a player's parameters with their bounds, written as text.

``alpha=10.0..80@20,k=3..12,program=0|1``: real numbers from 10 to 80, starting at 20; whole numbers from 3 to
12 (bounds written without a point); one of two values. Four numbers describe a parameter that is itself a
list of limits by own turn, such as ``knock=10/10/10/10/0``: ``knock.start``, the first limit; ``knock.hold``,
the number of turns that keep it; ``knock.fall``, how much each later turn takes off; ``knock.floor``, the
least limit.
"""

import math
from typing import NamedTuple, TypeAlias

from ginrummy.errors import ParseError, UnknownName
from ginrummy.players.registry import describe
from ginrummy.specs import Parameter

Value: TypeAlias = float | int | str
Point: TypeAlias = dict[str, Value]
"""A value for every dimension, by name."""

SCHEDULE = {"start": 10.0, "hold": 4.0, "fall": 10.0, "floor": 0.0}
"""Parts of a list of limits by turn, and their values when the space leaves them out."""
SCHEDULE_TURNS = 20
GRID_POINTS = 5
"""Number of values that a grid tries between real bounds, or between whole ones that are far apart."""

DEFAULT_SPACES = {
    "hand-strength": "alpha=5.0..80@30,beta=0.85..1.0@0.94,k=2..12,"
    "sequence_penalty=0.0..40,sequence_bonus=-30.0..5,set_penalty=0.0..40,set_bonus=-30.0..5,"
    "rank_penalty=-4.0..16,rank_bonus=-16.0..4,adjacent_penalty=-4.0..16,adjacent_bonus=-16.0..4,"
    "two_penalty=-4.0..12,two_bonus=-12.0..4,program=0..1@1,dearest=2..10,best=3..16,draw_meld=0..4,"
    "draw_loose=4..12,knock.hold=2..8@5,knock.fall=0.5..10@10,knock.floor=0..4@0",
}
"""Built-in spaces, by player. Their ends include "never": no card is worth more than 10, so ``dearest=10``
sets no bound."""


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

    def grid(self) -> list[Value]:
        """The values that a grid tries."""
        if self.choices:
            return list(self.choices)
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


def parse_space(player: str, text: str | None) -> Space:
    """Read a space for a player; without a text, the one that is built in."""
    name, _, settings = player.partition(":")
    known = {parameter.name: parameter for parameter in describe(name).parameters}
    fixed = {setting.partition("=")[0]: setting.partition("=")[2] for setting in settings.split(",")}
    if text is None:
        if name not in DEFAULT_SPACES:
            raise ParseError(f"player {name} has no built-in space: give one with --space name=low..high,…")
        words = [word for word in DEFAULT_SPACES[name].split(",") if _owner(word) not in fixed]
    else:
        words = [word.strip() for word in text.split(",") if word.strip()]
    dimensions = [_dimension(word, name, known, fixed) for word in words]
    names = [dimension.name for dimension in dimensions]
    if not names:
        raise ParseError("the space is empty: expected name=low..high,…")
    if twice := [name for name in names if names.count(name) > 1]:
        raise ParseError(f"the space names {twice[0]} twice")
    if clash := [name for name in names if "." in name and name.partition(".")[0] in names]:
        raise ParseError(f"the space has both {clash[0]} and {clash[0].partition('.')[0]}")
    return Space(player, tuple(dimensions))


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
    low = f"{dimension.low:g}" if dimension.whole else repr(dimension.low)
    return f"{dimension.name}={low}..{dimension.high:g}@{_text(dimension.start)}"


def _owner(word: str) -> str:
    """The player's parameter that a dimension belongs to."""
    return word.partition("=")[0].partition(".")[0]


def _dimension(word: str, player: str, known: dict[str, Parameter], fixed: dict[str, str]) -> Dimension:
    name, equals, bounds = word.partition("=")
    owner, dot, part = name.partition(".")
    if not equals or owner not in known or (dot and part not in SCHEDULE):
        possible = ", ".join(known)
        raise UnknownName(f"the space has {word!r}: the parameters of {player} are {possible}")
    if owner in fixed:
        raise ParseError(f"{owner} is set in the player and searched in the space: drop one of them")
    default = known[owner].default
    if dot and not isinstance(default, str):
        raise ParseError(f"{owner} is one number, not limits by turn: write {owner}=low..high")
    if "|" in bounds:
        choices = tuple(_choice(choice, default, word) for choice in bounds.split("|"))
        return Dimension(name, start=default if default in choices else choices[0], choices=choices)
    if isinstance(default, (str, bool)) and not dot:
        raise ParseError(
            f"{owner} is not a number: write its values as {owner}=a|b, or {owner}.hold=low..high"
        )
    return _bounded(name, bounds, SCHEDULE[part] if dot else float(default), word)


def _choice(text: str, default: object, word: str) -> Value:
    if isinstance(default, (str, bool)):
        return text
    try:
        return float(text)
    except ValueError:
        raise ParseError(f"expected numbers such as alpha=10|20|40, got {word!r}") from None


def _bounded(name: str, text: str, default: float, word: str) -> Dimension:
    bounds, at, start = text.partition("@")
    low, dots, high = bounds.partition("..")
    try:
        ends = float(low), float(high)
        begin = float(start) if at else min(max(default, ends[0]), ends[1])
    except ValueError:
        raise ParseError(f"expected name=low..high or name=low..high@start, got {word!r}") from None
    if not dots or not ends[0] < ends[1] or not ends[0] <= begin <= ends[1] or max(map(abs, ends)) > 1e6:
        raise ParseError(f"expected low < high with the start between them, got {word!r}")
    whole = not set(".eE") & set(low + high)
    return Dimension(name, *ends, start=round(begin) if whole else rounded(begin), whole=whole)
