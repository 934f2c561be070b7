"""Paper S4's experiments: the fast fitness, the genetic algorithm, and that evidence is read as it was made."""

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from ginrummy import moments
from ginrummy.errors import BadInput
from ginrummy.experiments.frame.evidence import Subject
from ginrummy.experiments.frame.experiment import Settings
from ginrummy.experiments.s4 import genetic, players
from ginrummy.judging.beliefs import hands_of_ten, judged
from ginrummy.judging.overlaps import Watched, count_overlaps
from ginrummy.judging.scores import METRICS
from ginrummy.judging.shards import Shard
from ginrummy.players.ensemble import PROFILES
from ginrummy.players.playing import play
from ginrummy.players.registry import make_player
from ginrummy.rules import EAAI
from ginrummy.tracking import PROGRAM
from ginrummy.training.tuning.genetic import generation

ROOT = Path(__file__).parents[1]
PLAYERS = ("ensemble:profile=code", "simple")


def test_the_fast_fitness_is_the_metric_of_the_estimator() -> None:
    games = range(30)
    settings = [PROGRAM, PROGRAM | {"take_one": 0.2, "discard_rank": 0.9}, PROGRAM | {"baseline": 0.0}]
    watched = Watched(PLAYERS, tuple(tuple(values.values()) for values in settings))
    found = count_overlaps(watched, Shard(EAAI, 5, games))
    first, second = map(make_player, PLAYERS)
    rounds = moments.in_order(play(first, second, games, EAAI, 5, record=True).rounds)
    seen = moments.views(rounds, 0, EAAI)
    rows = hands_of_ten(seen)
    specs = ["tracker", "tracker:take_one=0.2,discard_rank=0.9", "tracker:baseline=0"]
    sums = [METRICS["overlap"].score(judged(spec, seen, rows, 1)).sum() for spec in specs]
    assert found["moments"] == len(rows) > 1000
    assert found["sums"] == pytest.approx(sums, rel=1e-6)
    assert len(set(np.round(found["sums"], 6))) == 3


def test_generations_follow_from_the_fitness_alone_and_improve() -> None:
    names = ("a", "b", "c")

    def fitness(point: tuple[float, ...]) -> float:
        return -sum((x - 0.3) ** 2 for x in point)

    told: list[list[float]] = []
    for _ in range(12):
        points = generation(names, 8, 4, told)
        assert points == generation(names, 8, 4, told)
        assert len(points) == 8 and all(0 <= x <= 1 for point in points for x in point)
        told.append([fitness(point) for point in points])
    best = [max(max(row) for row in told[:n]) for n in range(1, 13)]
    assert all(a <= b for a, b in pairwise(best)) and best[-1] > best[0]
    assert generation(names, 8, 5, []) != generation(names, 8, 4, [])


@pytest.fixture(scope="module")
def small() -> genetic.Genetic:
    search = genetic.Search(PLAYERS, 8, 3)
    return replace(genetic.GENETIC, subjects=(Subject("few", search),), sizes={"smoke": 20, "full": 20})


def test_a_search_is_read_from_its_evidence(small: genetic.Genetic, tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("GINRUMMY_STATE", str(tmp_path))
    evidence = small.run("smoke", Settings(seed=1))
    text = json.dumps(evidence.to_json())
    again = small.read(json.loads(text))
    assert json.dumps(again.to_json()) == text
    found = genetic.grown(list(again.points))
    told: list[list[float]] = []
    for one in found.generations:
        assert list(one.points) == generation(genetic.NAMES, 8, 101, told)
        told.append(one.fitness())
    top = max(max(row) for row in told)
    assert found.best in {
        genetic.tracker_spec(point)
        for one in found.generations
        for value, point in zip(one.fitness(), one.points, strict=True)
        if value == top
    }
    drawn = genetic.lines(list(again.points))
    assert list(drawn) == [
        f"{w}, ad={ad}" for ad in (0, 3) for w in ("adjacency", "the program's", "baseline")
    ]
    assert all(
        drawn["baseline, ad=3"][t].value >= drawn["baseline, ad=0"][t].value for t in drawn["baseline, ad=0"]
    )
    broken = json.loads(text)
    broken["points"][0]["counts"]["generations"].pop()
    with pytest.raises(BadInput, match="2 generations"):
        small.read(broken)


def test_the_tracker_is_judged_on_the_moments_of_the_figures_of_paper_s1() -> None:
    """The same games on the same seeds: as many moments at each turn, and the same numbers for the bounds."""
    ours, theirs = (
        json.loads((ROOT / f"results/{name}.json").read_text(encoding="utf-8"))
        for name in ("S4-tracker", "S1-fig2")
    )
    assert ours["seeds"] == theirs["seeds"]
    for point, other in zip(ours["points"], theirs["points"], strict=True):
        turns, figure = point["counts"]["turns"], other["counts"]["turns"]
        turns = {turn: at for turn, at in turns.items() if turn in figure}  # the figures keep no rare turns
        assert [at["moments"] for at in turns.values()] == [at["moments"] for at in figure.values()]
        judges, judged_there = ours["arms"][0][1]["estimators"], theirs["arms"][0][1]["estimators"]
        for metric in range(len(theirs["arms"][0][1]["metrics"])):
            for name in ("null", "bayes:squash=yes"):
                own = [at["sums"][metric][judges.index(name)] for at in turns.values()]
                there = [at["sums"][metric][judged_there.index(name)] for at in figure.values()]
                assert own == pytest.approx(there, rel=1e-8)


def test_players_are_compared_with_what_was_published(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("GINRUMMY_STATE", str(tmp_path))
    small = replace(players.VS_SIMPLE, sizes={"smoke": 40, "full": 40})
    evidence = small.run("smoke", Settings(seed=3))
    assert {point.player for point in evidence.points} == {
        *map(players.spec, PROFILES),
        *players.EARLIER.values(),
    }
    again = small.read(json.loads(json.dumps(evidence.to_json())))
    assert again.comparison == evidence.comparison
    code = [point for point in evidence.points if point.series == "code"]
    together = sum(point.counts.wins[0] for point in code) / 40
    assert len(code) == 2 and evidence.comparison[0].ours == pytest.approx(together)
    swapped = [
        replace(point, opponent=other) for other in players.WINNERS.values() for point in evidence.points
    ]
    rows = players.against_winners(swapped)
    assert len(rows) == len(players.VS_WINNER.arms)
    assert {row.numbers[0].value for row in rows if "code against" in row.numbers[0].text} == {together}
