"""Paper S4, tuning the state tracking: a genetic algorithm over the nine constants, and fitness by turn.

Source: Nagai, Shrivastava, Ta, Byers and Bogaerts, "A Highly-Parameterized Ensemble To Play Gin Rummy", 2020.
Eight settings make a generation and are judged on 24,000 games against the baseline player. Fitness is the
share of the opponent's unknown cards among as many cards that are least likely in the stock. The poster draws
it by turn for ad=0 and ad=3; we read ad as the number of further cards that may be picked.

Differs: all settings of a generation watch the same games, each generation new ones, and all of them are
watched by the program's player; the poster's players watch games of their own. The number of generations is
ours. The best setting is judged once more on games that had no part in the search.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ginrummy.counting import count_shards
from ginrummy.errors import BadInput
from ginrummy.experiments.frame.drawings import Curves
from ginrummy.experiments.frame.evidence import Point, Scale, Subject
from ginrummy.experiments.frame.experiment import SEED_OFFSET, Subjects
from ginrummy.experiments.frame.rates import slope
from ginrummy.experiments.frame.verdicts import Row, Statement, claim
from ginrummy.judging.by_turn import SHARD, Beliefs, BeliefSettings, compact, count_beliefs, settings
from ginrummy.judging.overlaps import Watched, count_overlaps
from ginrummy.judging.shards import payload_head, shard_worker
from ginrummy.runs import Shards, default_journal_path, discard
from ginrummy.specs import named
from ginrummy.stats import Estimate
from ginrummy.tournament import Plan, Progress
from ginrummy.tracking import PROGRAM
from ginrummy.typed import Counters, read

Json = dict[str, Any]
NAMES = tuple(name for name in PROGRAM if name not in ("baseline", "passes"))
"""The nine constants."""
BASELINE, CODE = "tracker:profile=baseline", "tracker"
WORDS = {0: "overlap", 3: "overlap_3"}
"""ad -> the metric."""
ENOUGH = 1000
"""Moments that a turn needs to be compared."""
FIRST_CURVE = 10_000_000
"""Number of the first game of the last measurement, beyond those of any generation."""


@dataclass(frozen=True)
class Search:
    """How the genetic algorithm goes."""

    players: tuple[str, str]
    """The first one watches the second."""
    population: int
    generations: int


@dataclass(frozen=True)
class Generation:
    """One generation as evidence has it."""

    points: tuple[tuple[float, ...], ...]
    """The nine constants of each setting."""
    moments: int
    sums: tuple[float, ...]
    """Of the fitness of each setting over the moments."""

    def fitness(self) -> list[float]:
        """The mean fitness of each setting."""
        return [total / self.moments for total in self.sums]


@dataclass(frozen=True)
class Found:
    """The counters of a point."""

    generations: tuple[Generation, ...]
    curves: Counters
    """Of ``count_beliefs``: no adjacency, the program's constants, the best setting."""


class Grown(NamedTuple):
    """What a search gave."""

    generations: tuple[Generation, ...]
    best: str
    """The estimator with the best setting of all generations."""
    beliefs: Beliefs


def tracker_spec(point: Sequence[float]) -> str:
    """The estimator with these nine constants."""
    return named("tracker", dict(zip(NAMES, point, strict=True)))


def best_of(generations: Sequence[Generation]) -> str:
    """The estimator with the greatest fitness of all generations; the first of equals."""
    found = [
        (value, point) for one in generations for value, point in zip(one.fitness(), one.points, strict=True)
    ]
    return tracker_spec(max(found, key=lambda pair: pair[0])[1])


def curve_settings(search: Search, best: str) -> BeliefSettings:
    """What is judged by turn at the end."""
    return settings(
        (BASELINE, CODE, best),
        search.players,
        "b",
        metrics=tuple(WORDS.values()),
        bands=(),
        first=FIRST_CURVE,
    )


def grown(points: list[Point[Search]]) -> Grown:
    """The search of the one point, decoded by its own settings."""
    (point,) = points
    found = read(Found, dict(point.counts), point.series)
    if len(found.generations) != point.settings.generations:
        raise BadInput(f"{point.series} has {len(found.generations)} generations")
    best = best_of(found.generations)
    return Grown(found.generations, best, Beliefs([found.curves], curve_settings(point.settings, best)))


def lines(points: list[Point[Search]]) -> Mapping[str, Mapping[float, Estimate]]:
    """The poster's four lines, and the program's constants."""
    _, best, beliefs = grown(points)
    named_lines = {"adjacency": best, "the program's": CODE, "baseline": BASELINE}
    return {
        f"{words}, ad={ad}": {turn: beliefs.mean(metric, spec, turn) for turn in _turns(beliefs)}
        for ad, metric in WORDS.items()
        for words, spec in named_lines.items()
    }


def sizes(points: list[Point[Search]]) -> Mapping[float, int]:
    """Moments by turn."""
    beliefs = grown(points).beliefs
    return {turn: beliefs.moments(turn) for turn in _turns(beliefs)}


def _turns(beliefs: Beliefs) -> list[int]:
    """Turns that can be compared; at turn 0 nothing but a pass has been seen."""
    turns = [turn for turn in beliefs.turns if turn >= 1]
    return [turn for turn in turns if beliefs.moments(turn) >= ENOUGH] or turns


def compare(points: list[Point[Search]]) -> list[Row]:
    """What the poster says of its curves, and what the search gained."""
    generations, best, beliefs = grown(points)
    rows = []
    for ad, metric in WORDS.items():
        rows.append(
            claim(
                f"adjacency updates have a higher fitness than the baseline at every turn, ad={ad}",
                f"paired difference at each turn with {ENOUGH:,} moments or more",
                [
                    Statement(f"turn {turn}", beliefs.gap(metric, best, BASELINE, turn), low=0, unit="gain")
                    for turn in _turns(beliefs)
                ],
            )
        )
    for words, spec in (("adjacency", best), ("baseline", BASELINE)):
        rows.append(
            claim(
                f"fitness rises with the turn, {words}",
                "weighted slope of the mean fitness over the turns",
                [
                    Statement(
                        f"ad={ad}, by turn",
                        slope([(turn, beliefs.mean(metric, spec, turn)) for turn in _turns(beliefs)]),
                        low=0,
                        unit="gain",
                    )
                    for ad, metric in WORDS.items()
                ],
            )
        )
    return [*rows, *_ours(generations, best, beliefs)]


def _ours(generations: Sequence[Generation], best: str, beliefs: Beliefs) -> list[Row]:
    history = [max(one.fitness()) for one in generations]
    last = next(n for n, value in enumerate(history, 1) if value == max(history))
    return [
        claim(
            "ours: the search finds constants no worse than the program's",
            "best setting less the program's, fresh games, all moments, within a tenth of a point",
            [
                Statement(f"ad={ad}", beliefs.gap(metric, best, CODE), low=-0.001, unit="gain")
                for ad, metric in WORDS.items()
            ],
            f"Best of all: {best}, in generation {last} of {len(history)}. Best fitness by generation: "
            f"{', '.join(f'{value:.4f}' for value in history)}.",
        ),
        claim(
            "ours: the search learned something",
            "best fitness of the last generation less the mean of the first (no interval)",
            [
                Statement(
                    "gain",
                    Estimate(history[-1] - sum(generations[0].fitness()) / len(generations[0].sums), 0.0),
                    low=0,
                    unit="gain",
                )
            ],
        ),
    ]


@dataclass(frozen=True, kw_only=True)
class Genetic(Subjects[Search]):
    """Generation after generation, then the best by turn on fresh games."""

    def total_games(self, scale: Scale) -> int:
        """The games of all generations and of the last measurement."""
        return sum(subject.settings.generations + 1 for subject in self.subjects) * self.sizes[scale]

    def warm_up_players(self) -> list[str]:
        """The two players."""
        return list(self.subjects[0].settings.players)

    def measure(self, command: str, plan: Plan, on_progress: Progress | None) -> list[Point[Search]]:
        """Run every search to its end; each generation has its own games and its own journal."""
        from ginrummy.training.tuning.genetic import generation

        points = []
        for subject in self.subjects:
            search, done, journals = subject.settings, list[Generation](), []
            for number in range(search.generations):
                told = [one.fitness() for one in done]
                proposed = generation(NAMES, search.population, plan.seed, told)
                constants = tuple((*point, PROGRAM["baseline"], PROGRAM["passes"]) for point in proposed)
                watched, first = Watched(search.players, constants), number * plan.games
                counts, journal = self._count(count_overlaps, watched, command, plan, first, on_progress)
                done.append(Generation(tuple(proposed), counts["moments"], tuple(counts["sums"])))
                journals.append(journal)
            last = curve_settings(search, best_of(done))
            counts, journal = self._count(count_beliefs, last, command, plan, 0, on_progress)
            found = {"generations": [_json(one) for one in done], "curves": compact(counts)}
            points.append(Point(subject.series, plan.seed, found, search))
            for path in (*journals, journal):
                discard(path)
        return points

    def _count(
        self, work: Any, what: Any, command: str, plan: Plan, first: int, on_progress: Progress | None
    ) -> tuple[Json, Any]:
        """The counters of the plan's games from ``first`` on, and the journal that holds them."""
        payloads = Shards(
            [payload_head(what, self.rules, plan.seed)], range(first, first + plan.games), SHARD
        )
        identity = {"command": command, "games": plan.games, "first": first, "seed": plan.seed}
        identity |= {"what": payload_head(what, self.rules, plan.seed)}
        journal = default_journal_path(identity)
        journal.parent.mkdir(parents=True, exist_ok=True)
        worker = shard_worker(work, type(what))
        (counts,) = count_shards(worker, payloads, identity, plan._replace(journal=journal), on_progress)
        return counts, journal


def _json(one: Generation) -> Json:
    return {"points": [list(point) for point in one.points], "moments": one.moments, "sums": list(one.sums)}


GENETIC = Genetic(
    id="S4-ga",
    paper="S4",
    title="Tuning the state tracking with a genetic algorithm",
    measures="Share of the opponent's unknown cards that the tracker finds, by turn: with the constants that "
    "a genetic algorithm finds, with the program's, and with the baseline adjustment alone; as many cards "
    "are picked as are unknown (ad=0), or three more (ad=3). The size is the games of one generation, which "
    "all of its eight settings watch, and of the last measurement.",
    settings=Search,
    subjects=(Subject("nine constants", Search(("ensemble:profile=code", "simple"), 8, 30)),),
    sizes={"smoke": 40, "full": 24_000},
    unit="games a generation",
    seeds=1,
    seed_offset=SEED_OFFSET,
    compare_points=compare,
    drawing=Curves(
        "turn, with the number of moments",
        lines=lines,
        quantity="fitness: share of unknown cards found",
        level=None,
        sizes=sizes,
    ),
)

EXPERIMENTS = {GENETIC.id: GENETIC}
