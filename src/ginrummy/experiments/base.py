"""What an experiment is: something measured, kept as evidence, and held against what was published.

An experiment of win rates is a list of arms, each a player against an opponent. Its evidence keeps the
counters of every arm; ``Experiment.compare`` reads nothing else.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Literal, NamedTuple, get_args

from ginrummy import tournament
from ginrummy._jit import code_digest
from ginrummy.evidence import provenance
from ginrummy.experiments.verdicts import Row, finish
from ginrummy.rules import parse_rules
from ginrummy.runs import default_journal_path
from ginrummy.tournament import Plan, Progress

Json = dict[str, Any]
Scale = Literal["smoke", "full"]
SCALES: tuple[Scale, ...] = get_args(Scale)

FORMAT = "ginrummy-experiment/1"
_KEYS = {"scale", "games_per_point", "seeds", "rules", "arms", "points", "seconds", "provenance"}


class Settings(NamedTuple):
    """How to run, besides the scale. Only ``seed`` can change a number."""

    seed: int = 1
    workers: int = 1
    fresh: bool = False
    """Throw away what an interrupted run has left."""


class Arm(NamedTuple):
    """One measured point: a player against an opponent."""

    series: str
    """The line of the figure, or the name of the row."""
    x: float
    """The value of the parameter that the series varies."""
    player: str
    opponent: str


class Axis(NamedTuple):
    """How the points of an experiment are drawn."""

    label: str
    baseline: Mapping[str, float]
    """Series -> the opponent's own value of the parameter, where it is one number."""
    published: tuple[tuple[str, float, float], ...]
    """Published win rates: series (empty when the paper does not say which), x, rate."""


@dataclass(frozen=True)
class Experiment:
    """One published table or figure."""

    id: str
    """The name on the command line."""
    paper: str
    """The paper's short name, S0 to S4."""
    title: str
    """What the paper calls it."""
    measures: str
    """What is measured, in one sentence."""
    arms: tuple[Arm, ...]
    """The points."""
    games: Mapping[Scale, int]
    """Games of each arm, all seeds together."""
    compare_points: Callable[[list[Json]], list[Row]]
    """Points of the evidence -> rows; p-values over all rows are adjusted afterwards."""
    seeds: int = 2
    """How many seeds in a row, from the one that is set, share the games of every arm."""
    rules: str = "eaai"
    axis: Axis | None = None
    """How to draw it; None for a plain table."""

    def total_games(self, scale: Scale) -> int:
        """Games of the whole experiment."""
        return len(self.arms) * self.games[scale]

    def plan(self, scale: Scale, settings: Settings) -> Plan:
        """How the games of the first seed are played."""
        rules = parse_rules(self.rules)
        games = self.games[scale] // self.seeds
        return Plan(games, settings.seed, rules, settings.workers, fresh=settings.fresh)

    def run(self, scale: Scale, settings: Settings, on_progress: Progress | None = None) -> Json:
        """Play every arm and compare; the evidence. An interrupted run goes on from its journal."""
        start = perf_counter()
        plan = self.plan(scale, settings)
        pairings = [(arm.player, arm.opponent) for arm in self.arms]
        points, journals = [], []
        for seed in range(settings.seed, settings.seed + self.seeds):
            work = self.identity(scale, seed) | {"command": f"reproduce {self.id}"}
            journals.append(default_journal_path(work))
            journals[-1].parent.mkdir(parents=True, exist_ok=True)
            share = plan._replace(seed=seed, journal=journals[-1])
            counters = tournament.measure(work["command"], pairings, share, on_progress)
            points += [
                arm._asdict() | {"seed": seed} | point(counts)
                for arm, counts in zip(self.arms, counters, strict=True)
            ]
        for journal in journals:  # kept so far: the first seed's work outlives a stop during the second's
            journal.unlink(missing_ok=True)
        return {
            "format": FORMAT,
            **self.identity(scale, settings.seed),
            "title": self.title,
            "measures": self.measures,
            "points": points,
            "comparison": self.compare(points),
            "seconds": perf_counter() - start,
            "provenance": provenance(),
        }

    def identity(self, scale: Scale, seed: int) -> Json:
        """What the numbers depend on, besides the code."""
        return {
            "experiment": self.id,
            "paper": self.paper,
            "scale": scale,
            "games_per_point": self.games[scale],
            "seeds": list(range(seed, seed + self.seeds)),
            "rules": self.rules,
            "arms": [list(arm) for arm in self.arms],
        }

    def compare(self, points: list[Json]) -> list[Json]:
        """Published values and claims beside the points, with verdicts."""
        return finish(self.compare_points(points))

    def is_current(self, evidence: Json, scale: Scale, seed: int) -> bool:
        """Whether evidence is of this very work, made by this very code: then there is nothing to play."""
        same = {key: evidence.get(key) for key in self.identity(scale, seed)}
        return same == self.identity(scale, seed) and evidence["provenance"]["code"] == code_digest()

    def again(self, evidence: Json) -> Json:
        """The same evidence with titles and comparison made anew from its counters."""
        if evidence.get("format") != FORMAT or evidence.get("experiment") != self.id:
            raise ValueError(f"expected evidence of {self.id} in the form {FORMAT}")
        if missing := _KEYS - evidence.keys():
            raise ValueError(f"it lacks {', '.join(sorted(missing))}")
        fresh = {"title": self.title, "measures": self.measures}
        return evidence | fresh | {"comparison": self.compare(evidence["points"])}


def point(counts: Json) -> Json:
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
        },
        **{key: value for key, value in tournament.summary(counts).items() if key not in timings},
    }
