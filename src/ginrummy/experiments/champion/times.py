"""How long champion thinks when it plays one table, as against a person: every decision by two clocks.

    python -m ginrummy.experiments.champion.times --games 40 --seed 8501 --out champion-times.json

The wall clock counts what a person waits, and with it whatever else the machine does; the processor's clock
counts the work alone. Settled decisions, of which the network is not even asked, count too.
"""

import argparse
from collections.abc import Callable
from dataclasses import dataclass, replace
from time import perf_counter, thread_time
from typing import Any

import numpy as np

from ginrummy import sim
from ginrummy.experiments.champion.running import arguments, no_rows, run
from ginrummy.experiments.frame.evidence import Subject
from ginrummy.experiments.frame.experiment import Counts
from ginrummy.judging.shards import Shard
from ginrummy.players.base import Player
from ginrummy.players.registry import make_player
from ginrummy.typed import Counters
from ginrummy.view import FloatArray, IntArray, View

LEVELS = ("champion:level=fast", "champion:level=default", "champion:level=strong")
OPPONENT = "hand-strength:profile=tuned"
EDGES = tuple(float(edge) for edge in np.round(np.geomspace(0.1, 1000, 41), 3))
"""Milliseconds: the classes in which decisions are counted; greater ones are counted in the last."""
MS = 1000


@dataclass(frozen=True)
class Table:
    """Who is timed, and against whom."""

    player: str
    opponent: str = OPPONENT


def count_times(how: Table, shard: Shard) -> Counters:
    """Counters of the decisions of games that are played one table at a time."""
    times: list[tuple[float, float]] = []
    player, opponent = timed(make_player(how.player), times), make_player(how.opponent)
    sim.play(player, opponent, shard.games, shard.rules, shard.seed, batch=1)
    wall, processor = np.array(times).T * MS
    return {
        "games": len(shard.games),
        "decisions": len(times),
        "wall": _counted(wall),
        "processor": _counted(processor),
    }


def timed(player: Player, times: list[tuple[float, float]]) -> Player:
    """A player whose draws, discards and knocks are timed: seconds by the wall and by the processor."""

    def watched(decide: Callable[[View, IntArray, FloatArray], Any]) -> Callable[..., Any]:
        def answer(view: View, rows: IntArray, u: FloatArray) -> Any:
            before = perf_counter(), thread_time()
            found = decide(view, rows, u)
            times.append((perf_counter() - before[0], thread_time() - before[1]))
            return found

        return answer

    return replace(
        player, draw=watched(player.draw), discard=watched(player.discard), knock=watched(player.knock),
        compiled=None,
    )  # fmt: skip


def _counted(ms: FloatArray) -> dict[str, Any]:
    """The sum, and how many decisions took how long."""
    classes = np.bincount(np.searchsorted(EDGES, ms), minlength=len(EDGES) + 1)
    return {"sum": round(float(ms.sum()), 3), "classes": classes.tolist()}


def longest(classes: list[int], share: float = 1.0) -> float:
    """The upper edge of the class that holds this share of the decisions, the shortest first."""
    place = int(np.searchsorted(np.cumsum(classes), share * sum(classes) - 1e-9))
    return EDGES[place] if place < len(EDGES) else float("inf")


def experiment(games: int, players: tuple[str, ...]) -> Counts[Table]:
    """The experiment, with so many games of every player."""
    return Counts(
        id="champion-times",
        paper="champion",
        title="How long champion thinks at one table",
        measures="Milliseconds of every decision, by the wall clock and by the processor's.",
        settings=Table,
        subjects=tuple(Subject(name, Table(name)) for name in players),
        sizes={"smoke": games, "full": games},
        seeds=1,
        work=count_times,
        shard=10,
        compare_points=no_rows,
    )


def main(words: list[str] | None = None) -> None:
    """Play, time and write the evidence."""
    parser = argparse.ArgumentParser(prog="python -m ginrummy.experiments.champion.times")
    given = arguments(parser, 20, 8501, words)
    run(parser.prog, experiment(given.games, tuple(given.against or LEVELS)), given)


if __name__ == "__main__":
    main()
