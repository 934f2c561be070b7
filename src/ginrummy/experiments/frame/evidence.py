"""What evidence is made of: arms, points with their counters, and the whole with its comparison.

On disk evidence is JSON, read and written by ``typed``. Every point belongs to an arm, and the arms stand in
the evidence itself: counters are decoded by what their own arm says, never by today's settings.
"""

from dataclasses import dataclass, field, fields
from typing import Any, Generic, Literal, NamedTuple, TypeVar, get_args

from ginrummy import tournament
from ginrummy.errors import BadInput
from ginrummy.experiments.frame.verdicts import Row, write_row
from ginrummy.typed import LEFT_OUT, Counters, read, write

Json = dict[str, Any]
S = TypeVar("S")
P = TypeVar("P")
Scale = Literal["smoke", "full"]
SCALES: tuple[Scale, ...] = get_args(Scale)

FORMAT = "ginrummy-experiment/1"


class Arm(NamedTuple):
    """One arm of ``Matches``: a player against an opponent."""

    series: str
    """The line of the figure, or the name of the row."""
    x: float
    """The value of the parameter that the series varies."""
    player: str
    opponent: str


class Subject(NamedTuple, Generic[S]):
    """One arm of ``Counts`` and ``Facts``."""

    series: str
    """The line of the figure, or the name of the row."""
    settings: S
    """What the counting function needs to know of it."""


@dataclass(frozen=True)
class MatchCounts:
    """Counters of the games of a match."""

    games: int
    wins: tuple[int, int]
    """Games won by the player and by the opponent."""
    pairs: tuple[int, int, int, int, int]
    """Mirrored pairs by half points of the player, 0 to 4."""
    margin_sum: int
    margin_squares: int
    in_rounds: Counters | None = field(default=None, metadata=LEFT_OUT)
    """What else was counted, from records of the rounds."""


@dataclass(frozen=True, kw_only=True)
class MatchPoint:
    """One measured point of ``Matches``: an arm, its counters on one seed, and what they say."""

    series: str
    x: float
    player: str
    opponent: str
    seed: int
    counts: MatchCounts
    games: int
    wins_a: int
    drawn_games: int
    win_rate_a: float
    wilson90_a: tuple[float, float]
    pair_ci95_a: tuple[float, float]
    mean_margin_a: float
    median_margin_a: float
    share_won_by_100_a: float
    rounds: int
    rounds_per_game: float
    turns_per_round: float
    gin_rate: float
    knock_rate: float
    undercut_rate: float
    dead_rate: float
    points_per_round_a: float
    points_per_round_b: float
    capped_rounds: int

    @property
    def arm(self) -> Arm:
        """The arm that was played."""
        return Arm(self.series, self.x, self.player, self.opponent)


@dataclass(frozen=True)
class Point(Generic[S]):
    """One measured point of ``Counts`` and ``Facts``: the counters of a subject on one seed."""

    series: str
    seed: int
    counts: Counters
    settings: S
    """The settings of its subject, which say what the counters mean. Evidence keeps them with the arms."""


@dataclass(frozen=True)
class StoredPoint:
    """A ``Point`` as evidence has it."""

    series: str
    seed: int
    counts: Counters


@dataclass(frozen=True, kw_only=True)
class Evidence(Generic[P]):
    """Everything that is kept of a measured experiment."""

    experiment: str
    paper: str
    scale: Scale
    games_per_point: int
    seeds: tuple[int, ...]
    rules: str
    arms: tuple[Any, ...]
    """As they are on disk; the points hold them decoded."""
    title: str
    measures: str
    points: tuple[P, ...]
    """All arms on the first seed, then all arms on the next."""
    comparison: tuple[Row, ...]
    """Always computed from the points, never read."""
    seconds: float
    provenance: Json

    def to_json(self) -> Json:
        """The evidence as it is kept on disk."""
        own = {one.name: write(getattr(self, one.name)) for one in fields(self)}
        for point in own["points"]:
            point.pop("settings", None)
        return {"format": FORMAT, **own, "comparison": [write_row(row) for row in self.comparison]}


_PROVENANCE = ("code", "commit", "machine", "made")
"""What pages say about how evidence was made."""


def read_head(found: Any, name: str) -> Evidence[Any]:
    """Evidence of an experiment from JSON, with its points as JSON and without a comparison."""
    if not isinstance(found, dict) or found.get("format") != FORMAT or found.get("experiment") != name:
        raise BadInput(f"expected evidence of {name} in the form {FORMAT}")
    head = {key: part for key, part in found.items() if key not in ("format", "comparison")}
    evidence = read(_Head, head, "evidence")
    if missing := [key for key in _PROVENANCE if key not in evidence.provenance]:
        raise BadInput(f"evidence.provenance lacks {', '.join(missing)}")
    return Evidence(**{one.name: getattr(evidence, one.name) for one in fields(evidence)}, comparison=())


@dataclass(frozen=True, kw_only=True)
class _Head:
    """The keys of evidence besides its format and comparison."""

    experiment: str
    paper: str
    scale: Scale
    games_per_point: int
    seeds: tuple[int, ...]
    rules: str
    arms: tuple[Any, ...]
    title: str
    measures: str
    points: tuple[Any, ...]
    seconds: float
    provenance: Json


def match_point(arm: Arm, seed: int, counts: Json) -> MatchPoint:
    """What is kept of an arm on one seed: the counters that comparisons need, and what they say."""
    margins = {int(margin): n for margin, n in counts["margins"].items()}
    summary = tournament.summary(counts)
    kept = MatchCounts(
        counts["games"],
        tuple(counts["wins"]),
        tuple(counts["pairs"]),
        sum(margin * n for margin, n in margins.items()),
        sum(margin * margin * n for margin, n in margins.items()),
        counts.get("in_rounds"),
    )
    named = {**arm._asdict(), "seed": seed, "counts": write(kept)}
    said = {one.name: summary[one.name] for one in fields(MatchPoint) if one.name not in named}
    return read(MatchPoint, named | said, f"{arm.series} on seed {seed}")
