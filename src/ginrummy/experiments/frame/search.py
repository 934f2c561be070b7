"""Experiments whose later arms depend on earlier results: a grid, then its best players on fresh decks.

A ``Search`` plays stage after stage. A function of the settings and of the stages played so far names the
next stage, and nothing else does: the evidence keeps the counters of each stage, and reading it asks the same
function again who played there. Every stage has a seed of its own, so what a stage chooses is measured by the
next one on decks that had no part in the choice.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

from ginrummy import tournament
from ginrummy.errors import BadInput
from ginrummy.experiments.frame.evidence import Point, Scale
from ginrummy.experiments.frame.experiment import Subjects
from ginrummy.experiments.frame.rates import win_rate
from ginrummy.runs import default_journal_path, discard
from ginrummy.stats import Estimate
from ginrummy.tournament import Plan, Progress
from ginrummy.typed import read

S = TypeVar("S")


class Stage(NamedTuple):
    """Players that meet opponents on the decks of one seed."""

    name: str
    pairings: tuple[tuple[str, str], ...]
    times: int = 1
    """Games of each pairing, as a multiple of the experiment's size."""


class Played(NamedTuple):
    """A stage with its results."""

    stage: Stage
    pairs: tuple[tuple[int, int, int, int, int], ...]
    """Mirrored pairs by half points of the player, for each pairing."""
    games: int
    """Games of each pairing."""
    seed: int

    def rates(self) -> dict[str, Estimate]:
        """Player -> its win rate; a player met one opponent in a stage."""
        return {one: win_rate(n) for (one, _), n in zip(self.stage.pairings, self.pairs, strict=True)}

    def ranked(self) -> list[str]:
        """The players by win rate, the best first; equals in their order."""
        points = [sum(k * n for k, n in enumerate(pairs)) for pairs in self.pairs]
        order = sorted(range(len(points)), key=lambda place: -points[place])
        return [self.stage.pairings[place][0] for place in order]

    def best(self) -> str:
        """The player with the greatest win rate, the first of equals."""
        return self.ranked()[0]


Next = Callable[[S, Sequence[Played]], Stage | None]
"""Settings and the stages played so far -> the next stage, None at the end."""


@dataclass(frozen=True)
class _StageCounts:
    """A stage as evidence has it; ``played`` adds who the players were."""

    seed: int
    games: int
    pairs: tuple[tuple[int, int, int, int, int], ...]


@dataclass(frozen=True)
class _Counts:
    stages: tuple[_StageCounts, ...]


def played(point: Point[S], next_stage: Next[S]) -> list[Played]:
    """The stages of a point, the players named again from the settings and the counters."""
    found = read(_Counts, dict(point.counts), "counts")
    done: list[Played] = []
    for counts in found.stages:
        stage = next_stage(point.settings, done)
        if stage is None or len(stage.pairings) != len(counts.pairs):
            wanted = len(stage.pairings) if stage else 0
            raise BadInput(f"stage {len(done) + 1} has {len(counts.pairs)} pairings, not {wanted}")
        done.append(Played(stage, counts.pairs, counts.games, counts.seed))
    if next_stage(point.settings, done) is not None:
        raise BadInput(f"the search is not finished after {len(done)} stages")
    return done


@dataclass(frozen=True, kw_only=True)
class Search(Subjects[S], Generic[S]):
    """Stages of matches; the results of one decide who plays in the next."""

    next_stage: Next[S]
    expected_games: Mapping[Scale, int]
    """About how many games a run has, for the bar of progress."""
    seeds: int = 1

    def total_games(self, scale: Scale) -> int:
        """About how many games will be played."""
        return self.expected_games[scale]

    def warm_up_players(self) -> list[str]:
        """The players of the first pairing of each subject."""
        stages = [self.next_stage(subject.settings, []) for subject in self.subjects]
        return [spec for stage in stages if stage for spec in stage.pairings[0]]

    def measure(self, command: str, plan: Plan, on_progress: Progress | None) -> list[Point[S]]:
        """Play every subject to its end; each stage has the next seed and a journal of its own."""
        points, journals = [], []
        for subject in self.subjects:
            done: list[Played] = []
            while (stage := self.next_stage(subject.settings, done)) is not None:
                seed, games = plan.seed + len(done), plan.games * stage.times
                work = {"command": command, "subject": subject.series, "stage": len(done), "seed": seed}
                journals.append(default_journal_path(work | {"pairings": stage.pairings, "games": games}))
                journals[-1].parent.mkdir(parents=True, exist_ok=True)
                share = plan._replace(games=games, seed=seed, journal=journals[-1])
                counts = tournament.measure(command, list(stage.pairings), share, on_progress)
                pairs = tuple(tuple(one["pairs"]) for one in counts)
                done.append(Played(stage, pairs, counts[0]["games"], seed))
            points.append(Point(subject.series, plan.seed, stage_counts(done), subject.settings))
        for journal in journals:
            discard(journal)
        return points


def stage_counts(stages: Sequence[Played]) -> dict[str, Any]:
    """Stages as the counters of a point."""
    return {
        "stages": [{"seed": s.seed, "games": s.games, "pairs": [list(p) for p in s.pairs]} for s in stages]
    }
