"""What an experiment is: something measured, kept as evidence, and compared with what was published.

All experiments share sizes, seeds, journal, evidence and comparison. What is counted depends on the kind:

``Matches``: arms, each a player against an opponent, and perhaps a count of what happened in the rounds.
``Counts``: subjects, each given to a function that counts anything, shard by shard.
``Facts``: subjects that are computed, without games.

The evidence keeps the counters of every point; ``Experiment.compare`` reads nothing else.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any, Generic, NamedTuple, TypeVar

from ginrummy import tournament
from ginrummy._jit import code_digest
from ginrummy.counting import count_shards
from ginrummy.errors import BadInput
from ginrummy.evidence import provenance
from ginrummy.experiments.frame.drawings import Drawing
from ginrummy.experiments.frame.evidence import (
    Arm,
    Evidence,
    MatchPoint,
    Point,
    Scale,
    StoredPoint,
    Subject,
    match_point,
    read_head,
)
from ginrummy.experiments.frame.verdicts import Row
from ginrummy.judging.shards import Work, payload_head, shard_worker
from ginrummy.rules import parse_rules
from ginrummy.runs import Shards, default_journal_path, discard
from ginrummy.tournament import Plan, Progress, RoundCounter
from ginrummy.typed import Counters, read, write

Json = dict[str, Any]
P = TypeVar("P")
S = TypeVar("S")

SEED_OFFSET = 100
"""What most experiments add to the given seed, because the first few seeds were used for trials."""


class Settings(NamedTuple):
    """How to run, besides the scale. Only ``seed`` can change a number."""

    seed: int = 1
    workers: int = 1
    fresh: bool = False
    """Throw away the journal of an interrupted run."""


@dataclass(frozen=True, kw_only=True)
class Experiment(ABC, Generic[P]):
    """One published table or figure."""

    id: str
    """The name on the command line."""
    paper: str
    """The paper's short name, S0 to S4."""
    title: str
    """What the paper calls it."""
    measures: str
    """What is measured, in one sentence."""
    sizes: Mapping[Scale, int]
    """Games of each point, all seeds together."""
    unit: str = "games"
    """What the sizes count, in words: a game of one round is a hand."""
    compare_points: Callable[[list[P]], list[Row]]
    """Points of the evidence -> rows, each judged by itself."""
    seeds: int = 2
    """How many seeds in a row, from the given one on, share the games of every point."""
    seed_offset: int = 0
    """Added to the given seed, to avoid seeds that training has used."""
    rules: str = "eaai"
    beyond: bool = False
    """Whether it asks what the paper does not: summaries then count its claims as ours."""
    beside: str = ""
    """Another experiment, whose values pages show beside these, reading by reading."""
    drawing: Drawing | None = None
    """How to show the points; None for a plain table of matches."""

    @abstractmethod
    def parts(self) -> list[list[Any]]:
        """The arms or subjects as JSON, one for each point of a seed."""

    @abstractmethod
    def warm_up_players(self) -> list[str]:
        """Players whose kernels are compiled before workers start."""

    @abstractmethod
    def measure(self, command: str, plan: Plan, on_progress: Progress | None) -> list[P]:
        """The points of one seed, in the order of the parts."""

    @abstractmethod
    def read_part(self, found: Any, place: str) -> Any:
        """An arm or subject from JSON; settings that it lacks have their documented defaults."""

    @abstractmethod
    def read_point(self, found: Any, part: Any, place: str) -> P:
        """The point of an arm or subject from JSON; a point of another one is refused."""

    def total_games(self, scale: Scale) -> int:
        """Games of the whole experiment."""
        return len(self.parts()) * self.sizes[scale]

    def plan(self, scale: Scale, settings: Settings) -> Plan:
        """How the games of the first seed are played."""
        rules, seed = parse_rules(self.rules), settings.seed + self.seed_offset
        return Plan(self.sizes[scale] // self.seeds, seed, rules, settings.workers, fresh=settings.fresh)

    def run(self, scale: Scale, settings: Settings, on_progress: Progress | None = None) -> Evidence[P]:
        """Measure every point and compare; the evidence. An interrupted run goes on from its journal."""
        start = perf_counter()
        plan = self.plan(scale, settings)
        points: list[P] = []
        journals = []
        for further in range(self.seeds):
            work = self.identity(scale, settings.seed + further) | {"command": f"reproduce {self.id}"}
            journals.append(default_journal_path(work))
            journals[-1].parent.mkdir(parents=True, exist_ok=True)
            share = plan._replace(seed=plan.seed + further, journal=journals[-1])
            points += self.measure(work["command"], share, on_progress)
        identity = self.identity(scale, settings.seed)
        evidence = Evidence(
            **identity | {"seeds": tuple(identity["seeds"]), "arms": tuple(identity["arms"])},
            title=self.title,
            measures=self.measures,
            points=tuple(points),
            comparison=tuple(self.compare(points)),
            seconds=perf_counter() - start,
            provenance=provenance(),
        )
        for journal in journals:  # only now, so that a stop during the second seed does not lose the first
            discard(journal)
        return evidence

    def identity(self, scale: Scale, seed: int) -> Json:
        """What the numbers depend on, besides the code."""
        first = seed + self.seed_offset
        return {
            "experiment": self.id,
            "paper": self.paper,
            "scale": scale,
            "games_per_point": self.sizes[scale],
            "seeds": list(range(first, first + self.seeds)),
            "rules": self.rules,
            "arms": self.parts(),
        }

    def compare(self, points: Sequence[P]) -> list[Row]:
        """Published values and claims beside the points, with verdicts."""
        return self.compare_points(list(points))

    def shared(self, found: Json, scale: Scale, seed: int) -> Evidence[P] | None:
        """The evidence found, if it is of this work by this code; then nothing needs to be played.

        It may come from another experiment that measures the same.
        """
        ours = self.identity(scale, seed) | {"experiment": found.get("experiment")}
        same = all(found.get(key) == value for key, value in ours.items())
        made = found.get("provenance")
        if not same or not isinstance(made, dict) or made.get("code") != code_digest():
            return None
        return self.read(found | {"experiment": self.id})

    def read(self, found: Any) -> Evidence[P]:
        """Evidence from JSON, decoded by its own arms; titles and comparison are made again.

        Evidence of other arms is refused, and so are points that do not belong to the arms.
        """
        head = read_head(found, self.id)
        parts = [self.read_part(part, f"evidence.arms[{n}]") for n, part in enumerate(head.arms)]
        if difference := _difference(write(parts), self.parts()):
            raise BadInput(f"its arms are not those of {self.id}: {difference}")
        places = [(part, seed) for seed in head.seeds for part in parts]
        if len(head.points) != len(places):
            raise BadInput(f"it has {len(head.points)} points, not {len(places)}")
        points = tuple(
            self.read_point(point, part, f"evidence.points[{n}]")
            for n, (point, (part, _)) in enumerate(zip(head.points, places, strict=True))
        )
        for n, (point, (_, seed)) in enumerate(zip(head.points, places, strict=True)):
            if point["seed"] != seed:
                raise BadInput(f"evidence.points[{n}] belongs to seed {point['seed']}, not to {seed}")
        rows = tuple(self.compare(points))
        return replace(head, points=points, comparison=rows, title=self.title, measures=self.measures)


def _difference(found: list[list[Any]], ours: list[list[Any]]) -> str:
    """Where the arms of evidence first differ from an experiment's own; empty when they are the same."""
    if len(found) != len(ours):
        return f"there are {len(found)}, not {len(ours)}"
    for place, (one, other) in enumerate(zip(found, ours, strict=True)):
        if one != other:
            said, wanted = one[-1], other[-1]
            if one[:-1] == other[:-1] and isinstance(said, dict) and isinstance(wanted, dict):
                keys = [key for key in {**wanted, **said} if said.get(key) != wanted.get(key)]
                return f"arms[{place}] ({one[0]}) has other {', '.join(keys)}"
            return f"arms[{place}] is {one}, not {other}"
    return ""


@dataclass(frozen=True, kw_only=True)
class Matches(Experiment[MatchPoint]):
    """Win rates and margins of players against opponents."""

    arms: tuple[Arm, ...]
    """The points."""
    count_rounds: RoundCounter | None = None
    """What else is counted, from records of the rounds: kept as ``counts.in_rounds`` of a point."""

    def parts(self) -> list[list[Any]]:
        """The arms."""
        return [list(arm) for arm in self.arms]

    def read_part(self, found: Any, place: str) -> Arm:
        """An arm from JSON."""
        return read(Arm, found, place)

    def read_point(self, found: Any, part: Arm, place: str) -> MatchPoint:
        """A point repeats its whole arm."""
        point = read(MatchPoint, found, place)
        if point.arm != part:
            raise BadInput(f"{place} belongs to {list(point.arm)}, not to {list(part)}")
        return point

    def warm_up_players(self) -> list[str]:
        """The players of the first arm, and one spec for every other name."""
        specs = [spec for arm in self.arms for spec in (arm.player, arm.opponent)]
        others = {spec.partition(":")[0]: spec for spec in specs[2:]}
        for spec in specs[:2]:
            others.pop(spec.partition(":")[0], None)
        return [*specs[:2], *others.values()]

    def measure(self, command: str, plan: Plan, on_progress: Progress | None) -> list[MatchPoint]:
        """Play every arm on the plan's seed."""
        pairings = [(arm.player, arm.opponent) for arm in self.arms]
        counters = tournament.measure(command, pairings, plan, on_progress, self.count_rounds)
        return [match_point(arm, plan.seed, counts) for arm, counts in zip(self.arms, counters, strict=True)]


@dataclass(frozen=True, kw_only=True)
class Subjects(Experiment[Point[S]], Generic[S]):
    """What ``Counts``, ``Facts`` and ``search.Search`` share: subjects with settings of one type."""

    subjects: tuple[Subject[S], ...]
    """The points."""
    settings: type[S]
    """The type of the subjects' settings: evidence is read with it."""

    def parts(self) -> list[list[Any]]:
        """The subjects."""
        return [write(subject) for subject in self.subjects]

    def read_part(self, found: Any, place: str) -> Subject[S]:
        """A subject from JSON."""
        series, settings = read(tuple[str, Any], found, place)
        return Subject(series, read(self.settings, settings, f"{place} ({series})"))

    def read_point(self, found: Any, part: Subject[S], place: str) -> Point[S]:
        """A point of a subject, with the settings of the subject."""
        point = read(StoredPoint, found, place)
        if point.series != part.series:
            raise BadInput(f"{place} belongs to {point.series}, not to {part.series}")
        return Point(point.series, point.seed, point.counts, part.settings)


@dataclass(frozen=True, kw_only=True)
class Counts(Subjects[S]):
    """Anything that adds up over games. Counters may hold lists, such as sums by turn."""

    work: Work[S]
    """A top-level function: a subject's settings and a shard of games -> counters that add up."""
    shard: int = 50
    """Games in one piece of work."""
    keep: Callable[[Counters], Counters] = dict
    """The counters of a point -> what its evidence keeps of them."""

    def warm_up_players(self) -> list[str]:
        """The players of the first subject, if its settings name any."""
        return list(getattr(self.subjects[0].settings, "players", ()))

    def measure(self, command: str, plan: Plan, on_progress: Progress | None) -> list[Point[S]]:
        """Count every subject over the games of the plan's seed."""
        if self.shard % 2 or plan.games % 2:
            raise ValueError("a shard of games must be whole mirrored pairs")
        heads = [payload_head(subject.settings, self.rules, plan.seed) for subject in self.subjects]
        payloads = Shards(heads, range(plan.games), self.shard)
        identity = {"command": command, "subjects": self.parts(), "games": plan.games, "seed": plan.seed}
        worker = shard_worker(self.work, self.settings)
        sums = count_shards(worker, payloads, identity, plan, on_progress)
        return [
            Point(subject.series, plan.seed, self.keep(counts), subject.settings)
            for subject, counts in zip(self.subjects, sums, strict=True)
        ]


@dataclass(frozen=True, kw_only=True)
class Facts(Subjects[S]):
    """What can be computed and needs no games: one calculation for each subject."""

    work: Callable[[S], Counters]
    """A subject's settings -> what comes out."""
    sizes: Mapping[Scale, int] = field(default_factory=lambda: {"smoke": 1, "full": 1})
    unit: str = "calculation"
    seeds: int = 1

    def warm_up_players(self) -> list[str]:
        """None."""
        return []

    def measure(self, command: str, plan: Plan, on_progress: Progress | None) -> list[Point[S]]:
        """The result of every subject; no chance is involved."""
        points = []
        for subject in self.subjects:
            points.append(Point(subject.series, plan.seed, self.work(subject.settings), subject.settings))
            if on_progress:
                on_progress(1)
        return points
