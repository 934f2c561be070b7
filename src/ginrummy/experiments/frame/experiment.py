"""What an experiment is: something measured, kept as evidence, and held against what was published.

The frame is one: sizes, seeds, journal, evidence, comparison. What is counted is up to the kind:

``Matches``: arms, each a player against an opponent, and perhaps a count of what happened in the rounds.
``Counts``: subjects, each handed to a function that counts whatever it likes, shard by shard.
``Facts``: subjects that are computed, without games.

The evidence keeps the counters of every point; ``Experiment.compare`` reads nothing else.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, Literal, NamedTuple, get_args

from ginrummy import tournament
from ginrummy._jit import code_digest
from ginrummy.errors import BadInput
from ginrummy.evidence import provenance
from ginrummy.experiments.frame.drawings import Drawing
from ginrummy.experiments.frame.verdicts import Row, finish
from ginrummy.rules import parse_rules
from ginrummy.runs import default_journal_path
from ginrummy.tournament import Plan, Progress, RoundCounter, add_counts

Json = dict[str, Any]
Scale = Literal["smoke", "full"]
SCALES: tuple[Scale, ...] = get_args(Scale)

FORMAT = "ginrummy-experiment/1"
SEED_OFFSET = 100
"""What most experiments add to the seed that is set: things were tried on the first few seeds."""
_KEYS = {"scale", "games_per_point", "seeds", "rules", "arms", "points", "seconds", "provenance"}


class Settings(NamedTuple):
    """How to run, besides the scale. Only ``seed`` can change a number."""

    seed: int = 1
    workers: int = 1
    fresh: bool = False
    """Throw away what an interrupted run has left."""


@dataclass(frozen=True, kw_only=True)
class Experiment(ABC):
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
    compare_points: Callable[[list[Json]], list[Row]]
    """Points of the evidence -> rows; p-values over all rows are adjusted afterwards."""
    seeds: int = 2
    """How many seeds in a row, from the one that is set, share the games of every point."""
    seed_offset: int = 0
    """Added to the seed that is set, to keep away from seeds that training has used."""
    rules: str = "eaai"
    drawing: Drawing | None = None
    """How to show the points; None for a plain table of matches."""

    @abstractmethod
    def parts(self) -> list[list[Any]]:
        """What tells the points apart, one entry for each."""

    @abstractmethod
    def warm_up_players(self) -> list[str]:
        """Players whose kernels are compiled before workers start."""

    @abstractmethod
    def measure(self, command: str, plan: Plan, on_progress: Progress | None) -> list[Json]:
        """The points of one seed, in the order of the parts."""

    def total_games(self, scale: Scale) -> int:
        """Games of the whole experiment."""
        return len(self.parts()) * self.sizes[scale]

    def plan(self, scale: Scale, settings: Settings) -> Plan:
        """How the games of the first seed are played."""
        rules, seed = parse_rules(self.rules), settings.seed + self.seed_offset
        return Plan(self.sizes[scale] // self.seeds, seed, rules, settings.workers, fresh=settings.fresh)

    def run(self, scale: Scale, settings: Settings, on_progress: Progress | None = None) -> Json:
        """Measure every point and compare; the evidence. An interrupted run goes on from its journal."""
        start = perf_counter()
        plan = self.plan(scale, settings)
        points, journals = [], []
        for further in range(self.seeds):
            work = self.identity(scale, settings.seed + further) | {"command": f"reproduce {self.id}"}
            journals.append(default_journal_path(work))
            journals[-1].parent.mkdir(parents=True, exist_ok=True)
            share = plan._replace(seed=plan.seed + further, journal=journals[-1])
            points += self.measure(work["command"], share, on_progress)
        for journal in journals:  # kept so far: the first seed's work outlives a stop during the second's
            journal.unlink(missing_ok=True)
        evidence = {
            "format": FORMAT,
            **self.identity(scale, settings.seed),
            "title": self.title,
            "measures": self.measures,
            "points": points,
            "comparison": [],
            "seconds": perf_counter() - start,
            "provenance": provenance(),
        }
        return evidence | {"comparison": self.compare(self.decode(evidence))}

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

    def compare(self, points: list[Json]) -> list[Json]:
        """Published values and claims beside the points, with verdicts."""
        return finish(self.compare_points(points))

    def read_part(self, part: list[Any]) -> list[Any]:
        """An arm of evidence in the form of ``parts``: a setting that it lacks has its documented default."""
        return part

    def decode(self, evidence: Json) -> list[Json]:
        """The points of evidence, each with the ``settings`` of its arm, as the evidence itself states them.

        Evidence of other arms is refused, and so are points that do not belong to the arms.
        """
        arms = [self.read_part(part) for part in evidence["arms"]]
        if difference := _difference(arms, self.parts()):
            raise BadInput(f"its arms are not those of {self.id}: {difference}")
        places = [(arm, seed) for seed in evidence["seeds"] for arm in arms]
        if len(evidence["points"]) != len(places):
            raise BadInput(f"it has {len(evidence['points'])} points, not {len(places)}")
        return [
            self.decode_point(place, point, arm, seed)
            for place, (point, (arm, seed)) in enumerate(zip(evidence["points"], places, strict=True))
        ]

    def decode_point(self, place: int, point: Json, arm: list[Any], seed: int) -> Json:
        """One point with what its arm says of it."""
        said = self.arm_of(point), point["seed"]
        if said != (wanted := (arm[: len(said[0])], seed)):
            raise BadInput(f"point {place + 1} belongs to {said}, not to {wanted}")
        return point

    def arm_of(self, point: Json) -> list[Any]:
        """What a point says of its arm: the beginning of a part."""
        return [point["series"]]

    def shared(self, found: Json, scale: Scale, seed: int) -> Json | None:
        """Evidence of this very work by this very code, if what was found is that: nothing need be played.

        It may be another experiment's, where both measure the same.
        """
        ours = self.identity(scale, seed) | {"experiment": found.get("experiment")}
        same = all(found.get(key) == value for key, value in ours.items())
        if not same or found.get("provenance", {}).get("code") != code_digest():
            return None
        return self.again(found | {"experiment": self.id})

    def again(self, evidence: Json) -> Json:
        """The same evidence with titles and comparison made anew from its counters."""
        if evidence.get("format") != FORMAT or evidence.get("experiment") != self.id:
            raise ValueError(f"expected evidence of {self.id} in the form {FORMAT}")
        if missing := _KEYS - evidence.keys():
            raise ValueError(f"it lacks {', '.join(sorted(missing))}")
        fresh = {"title": self.title, "measures": self.measures}
        return evidence | fresh | {"comparison": self.compare(self.decode(evidence))}


def _difference(found: list[list[Any]], ours: list[list[Any]]) -> str:
    """Where the arms of evidence first differ from an experiment's own; empty when they are the same."""
    if len(found) != len(ours):
        return f"there are {len(found)}, not {len(ours)}"
    for place, (one, other) in enumerate(zip(found, ours, strict=True)):
        if one != other:
            said, wanted = one[-1], other[-1]
            if one[:-1] == other[:-1] and isinstance(said, dict) and isinstance(wanted, dict):
                keys = [key for key in {**wanted, **said} if said.get(key) != wanted.get(key)]
                return f"arm {place + 1} ({one[0]}) has other {', '.join(keys)}"
            return f"arm {place + 1} is {one}, not {other}"
    return ""


class Arm(NamedTuple):
    """One measured point of ``Matches``: a player against an opponent."""

    series: str
    """The line of the figure, or the name of the row."""
    x: float
    """The value of the parameter that the series varies."""
    player: str
    opponent: str


@dataclass(frozen=True, kw_only=True)
class Matches(Experiment):
    """Win rates and margins of players against opponents."""

    arms: tuple[Arm, ...]
    """The points."""
    count_rounds: RoundCounter | None = None
    """What else is counted, from records of the rounds: kept as ``counts.in_rounds`` of a point."""

    def parts(self) -> list[list[Any]]:
        """The arms."""
        return [list(arm) for arm in self.arms]

    def arm_of(self, point: Json) -> list[Any]:
        """A point of a match repeats its whole arm."""
        return [point[name] for name in Arm._fields]

    def warm_up_players(self) -> list[str]:
        """The first arm's, and one spec for every other name."""
        specs = [spec for arm in self.arms for spec in (arm.player, arm.opponent)]
        others = {spec.partition(":")[0]: spec for spec in specs[2:]}
        for spec in specs[:2]:
            others.pop(spec.partition(":")[0], None)
        return [*specs[:2], *others.values()]

    def measure(self, command: str, plan: Plan, on_progress: Progress | None) -> list[Json]:
        """Play every arm on the plan's seed."""
        pairings = [(arm.player, arm.opponent) for arm in self.arms]
        counters = tournament.measure(command, pairings, plan, on_progress, self.count_rounds)
        return [
            arm._asdict() | {"seed": plan.seed} | match_point(counts)
            for arm, counts in zip(self.arms, counters, strict=True)
        ]


class Subject(NamedTuple):
    """One measured point of ``Counts``."""

    series: str
    """The line of the figure, or the name of the row."""
    settings: Json
    """What the counting function is told of it."""


@dataclass(frozen=True, kw_only=True)
class Counts(Experiment):
    """Anything that adds up over games. Counters may hold lists, such as sums by turn."""

    subjects: tuple[Subject, ...]
    """The points."""
    work: Callable[[Json], Json]
    """A top-level function: a subject's settings with ``rules``, ``seed``, ``start`` and ``stop`` (of its
    games) -> counters that add up, ``games`` among them."""
    shard: int = 50
    """Games in one piece of work."""
    keep: Callable[[Json], Json] = dict
    """The counters of a point -> what its evidence keeps of them."""
    read_settings: Callable[[Json], Json] = dict
    """Settings as evidence has them -> all of them, with the defaults of settings that came later."""

    def parts(self) -> list[list[Any]]:
        """The subjects."""
        return [list(subject) for subject in self.subjects]

    def read_part(self, part: list[Any]) -> list[Any]:
        """A subject with all of its settings."""
        series, settings = part
        return [series, self.read_settings(settings)]

    def decode_point(self, place: int, point: Json, arm: list[Any], seed: int) -> Json:
        """A point with the settings of its subject: they say what the places of its counters mean."""
        return super().decode_point(place, point, arm, seed) | {"settings": arm[1]}

    def warm_up_players(self) -> list[str]:
        """The players of the first subject, if its settings name any."""
        return list(self.subjects[0].settings.get("players", []))

    def measure(self, command: str, plan: Plan, on_progress: Progress | None) -> list[Json]:
        """Count every subject over the games of the plan's seed."""
        if self.shard % 2 or plan.games % 2:
            raise ValueError("a shard of games must be whole mirrored pairs")
        starts = range(0, plan.games, self.shard)
        payloads = [
            {
                **subject.settings,
                "rules": self.rules,
                "seed": plan.seed,
                "start": start,
                "stop": min(start + self.shard, plan.games),
            }
            for subject in self.subjects
            for start in starts
        ]
        identity = {"command": command, "subjects": self.parts(), "games": plan.games, "seed": plan.seed}
        shards = tournament.count_shards(self.work, payloads, identity, plan, on_progress)
        each = len(starts)
        return [
            {
                "series": subject.series,
                "seed": plan.seed,
                "counts": self.keep(add_counts(shards[n * each : (n + 1) * each])),
            }
            for n, subject in enumerate(self.subjects)
        ]


@dataclass(frozen=True, kw_only=True)
class Facts(Experiment):
    """What can be computed and needs no games: one calculation for each subject."""

    subjects: tuple[Subject, ...]
    """The points."""
    work: Callable[[Json], Json]
    """A subject's settings -> what comes out."""
    sizes: Mapping[Scale, int] = field(default_factory=lambda: {"smoke": 1, "full": 1})
    unit: str = "calculation"
    seeds: int = 1

    def parts(self) -> list[list[Any]]:
        """The subjects."""
        return [list(subject) for subject in self.subjects]

    def warm_up_players(self) -> list[str]:
        """None."""
        return []

    def measure(self, command: str, plan: Plan, on_progress: Progress | None) -> list[Json]:
        """Every subject's result; chance has no part in it."""
        points = []
        for subject in self.subjects:
            counts = self.work(dict(subject.settings))
            points.append({"series": subject.series, "seed": plan.seed, "counts": counts})
            if on_progress:
                on_progress(1)
        return points


def match_point(counts: Json) -> Json:
    """What is kept of an arm: the counters that comparisons need, and what they say."""
    margins = {int(margin): n for margin, n in counts["margins"].items()}
    timings = ("decision_ms_mean_a", "decision_ms_mean_b")
    return {
        "counts": {
            "games": counts["games"],
            "wins": counts["wins"],
            "pairs": counts["pairs"],
            "margin_sum": sum(margin * n for margin, n in margins.items()),
            "margin_squares": sum(margin * margin * n for margin, n in margins.items()),
            **{key: counts[key] for key in ("in_rounds",) if key in counts},
        },
        **{key: value for key, value in tournament.summary(counts).items() if key not in timings},
    }
