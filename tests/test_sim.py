"""The batch simulator: equal to the checked engine, whatever the batch and the loop."""

from itertools import product

import numpy as np
import pytest

from ginrummy import decks, sim
from ginrummy.errors import BadInput, IllegalAction
from ginrummy.game import Game
from ginrummy.players.base import Player
from ginrummy.players.baseline import random, simple
from ginrummy.players.playing import play
from ginrummy.round import Defend, Discard, Draw, Knock, Pass, Phase, PlayOn, Round, Take
from ginrummy.rules import EAAI, PRESETS, Rules
from ginrummy.scoring import BIG_GIN, DEAD
from ginrummy.view import NORMAL
from scripted import scripted, watched

PLAYERS = {"simple": simple(), "random": random()}
SHORT = {"max_rounds": 4}
"""Random players seldom finish a round; a few rounds of each game are enough."""


@pytest.mark.parametrize("names", list(product(PLAYERS, PLAYERS)), ids="-".join)
@pytest.mark.parametrize("preset", PRESETS)
def test_results_do_not_depend_on_batch_or_loop(names: tuple[str, str], preset: str) -> None:
    first, second = (PLAYERS[name] for name in names)
    rules = PRESETS[preset]._replace(**SHORT)
    games = range(6, 60)
    whole = sim.play(first, second, games, rules, 5)
    assert (play(first, second, games, rules, 5).games == whole.games).all()
    for batch in (1, 7, 64):
        assert (sim.play(first, second, games, rules, 5, batch=batch).games == whole.games).all()
    part = sim.play(first, second, range(20, 31), rules, 5, batch=4)
    assert (part.games == whole.games[14:25]).all()


def test_seeds_differ() -> None:
    one, two = (sim.play(simple(), simple(), range(50), EAAI, seed).games for seed in (1, 2))
    assert (one["score"] != two["score"]).any()


def test_a_mirrored_pair_shares_decks_and_starter_with_seats_swapped() -> None:
    run = sim.play(simple(), random(), range(2), EAAI, 3, record=True)
    first = {int(r["game"]): r for r in run.rounds if r["round"] == 0}
    assert (first[0]["deck"] == first[1]["deck"]).all()
    assert (first[0]["seat"], first[1]["seat"]) == (0, 1)
    seats = [int(first[g]["starter"]) ^ int(first[g]["seat"]) for g in (0, 1)]
    assert seats[0] == seats[1] == decks.starter(3, 0)


def step(table: Round, name: str, answer: object) -> None:
    """Play a simulator's answer on the checked engine."""
    if name == "draw":
        other = Draw() if table.offer == NORMAL else Pass()
        table.apply(Take() if answer else other)
        if not table.over and table.phase is Phase.DRAW and table.legal_actions() == [Draw()]:
            table.apply(Draw())  # both have passed: no decision
    elif name == "discard":
        table.apply(Discard(answer))
    elif name == "knock":
        if not answer:
            table.apply(PlayOn())  # a knock is applied with its melds, the next question
    else:
        melds = tuple(meld for meld in answer if meld)
        table.apply(Knock(melds) if table.phase is Phase.KNOCK else Defend(melds))


CASES = [(preset, names) for preset in PRESETS for names in (("simple", "random"), ("random", "simple"))]


@pytest.mark.parametrize(("preset", "names"), CASES, ids=[f"{p}-{'-'.join(n)}" for p, n in CASES])
def test_every_decision_replays_on_the_checked_engine(preset: str, names: tuple[str, str]) -> None:
    """One game at a time: each sight, each answer, each result is the same on both engines."""
    rules = PRESETS[preset]._replace(max_rounds=3)
    for game in range(12):
        asked: list[tuple[int, str, object, float, object]] = []

        def note(side: int):
            return lambda name, row, seen, u, answer: asked.append((side, name, seen, u, answer))

        players = [watched(PLAYERS[name], note(side)) for side, name in enumerate(names)]
        run = sim.play(*players, range(game, game + 1), rules, 9, batch=1, record=True)
        check_game(game, rules, 9, asked, run)


def check_game(number: int, rules: Rules, seed: int, asked: list, run: sim.Run) -> None:
    sheet = Game(rules, decks.starter(seed, number))
    seat_of = [number % 2, 1 - number % 2]
    questions = iter(asked)
    for kept in run.rounds:
        table = sheet.deal(decks.deck(seed, number, sheet.rounds))
        assert list(table.deck) == kept["deck"].tolist()
        counts = [0, 0]
        while not table.over:
            side, name, seen, u, answer = next(questions)
            seat = seat_of[side]
            assert table.mover == seat
            assert seen == sheet.sight(seat)
            assert u == decks.uniform(seed, number, sheet.rounds, seat, counts[seat])
            counts[seat] += 1
            step(table, name, answer)
        assert table.result is not None
        sign = {None: 0, seat_of[0]: 1, seat_of[1]: -1}[table.result.winner]
        assert (table.result.outcome, sign * table.result.points) == (kept["outcome"], kept["points"])
        assert [table.hands[seat] for seat in seat_of] == kept["hands"].tolist()
        sheet.book(table)
    assert next(questions, None) is None
    assert sheet.over
    assert [sheet.scores[seat] for seat in seat_of] == run.games[0]["score"].tolist()
    assert [sheet.won[seat] for seat in seat_of] == run.games[0]["won"].tolist()


def test_play_rounds_repeats_recorded_rounds() -> None:
    played = sim.play(simple(), simple(), range(0, 40, 1), EAAI, 2, record=True).rounds
    even = played[played["seat"] == 0]
    sides = []
    for side in (0, 1):
        logs = even["log"][:, side].copy()
        for k, events in enumerate(even["events"]):
            logs[k, events:] = -1
        sides.append(scripted(logs, even["spread"][:, side], even["knocker"] == side))
    again = sim.play_rounds(*sides, even["deck"], even["starter"], EAAI, scores=even["before"])
    order = np.argsort(again.rounds["game"])
    for field in ("outcome", "points", "hands", "events", "spread", "before"):
        assert (again.rounds[field][order] == even[field]).all(), field


DEALT = np.arange(52, dtype=np.int8)[None].repeat(2, axis=0)
SENSELESS = {
    "starter 2": {"starters": np.array([0, 2])},
    "starter -1": {"starters": np.array([0, -1])},
    "starter by halves": {"starters": np.array([0, 0.5])},
    "a starter too few": {"starters": np.array([0])},
    "decks of fractions": {"decks": DEALT.astype(float)},
    "a card plus 256": {"decks": DEALT.astype(int) + 256 * (DEALT == 7)},
    "a card twice": {"decks": np.where(DEALT == 7, 8, DEALT)},
    "short decks": {"decks": DEALT[:, :51]},
    "a single deck": {"decks": DEALT[0]},
    "scores of one side": {"scores": np.array([0, 5])},
    "scores below zero": {"scores": np.array([[0, 5], [-1, 0]])},
    "scores without room": {"scores": np.array([[0, 5], [2**31, 0]])},
    "scores of fractions": {"scores": np.array([[0, 5], [0.5, 0]])},
    "no seed": {"seed": -1},
}


@pytest.mark.parametrize("case", SENSELESS)
def test_rounds_that_cannot_be_dealt_are_refused(case: str) -> None:
    given = {"decks": DEALT, "starters": np.array([0, 1])}
    assert len(sim.play_rounds(simple(), simple(), **given, rules=EAAI).games) == 2
    with pytest.raises(BadInput):
        sim.play_rounds(simple(), simple(), **(given | SENSELESS[case]), rules=EAAI)


def replaced(**changes: object) -> Player:
    base = simple()
    parts = {name: getattr(base, name) for name in ("draw", "discard", "knock", "spread")}
    return Player("rogue", **(parts | changes))


ROGUES = {
    "the card is not in the hand": replaced(discard=lambda v, rows, u: [0] * len(rows)),
    "shape": replaced(draw=lambda v, rows, u: np.zeros(len(rows) + 1)),
    "may not be discarded": replaced(
        draw=lambda v, rows, u: np.ones(len(rows), bool), discard=lambda v, rows, u: v["drawn"][rows]
    ),
    "not disjoint melds": replaced(spread=lambda v, rows, u: np.full((len(rows), 4), 7)),
    "above the limit": replaced(spread=lambda v, rows, u: np.zeros((len(rows), 4), int)),
}


@pytest.mark.parametrize("fault", ROGUES)
def test_an_illegal_answer_stops_the_run_and_names_the_culprit(fault: str) -> None:
    with pytest.raises(IllegalAction, match=fault) as caught:
        sim.play(simple(), ROGUES[fault], range(8), EAAI, 1)
    assert "'rogue'" in str(caught.value)
    if fault != "shape":
        assert "game" in str(caught.value) and "hand" in str(caught.value)


def test_a_view_cannot_be_written_to() -> None:
    def meddle(view, rows, u):
        view["hand"][rows] = 0

    with pytest.raises(ValueError, match="read-only"):
        sim.play(replaced(draw=meddle), simple(), range(2), EAAI, 1)


def never(view, rows, u):
    return np.zeros(len(rows), bool)


def test_the_cap_on_turns_ends_a_round_as_dead_and_is_counted() -> None:
    swapper = replaced(draw=lambda v, rows, u: np.ones(len(rows), bool), knock=never)
    rules = EAAI._replace(max_turns=30, max_rounds=3)
    run = sim.play(swapper, swapper, range(6), rules, 1)
    assert (run.games["outcomes"][:, DEAD] == 3).all()
    assert (run.games["capped"] == 3).all()
    assert (run.games["turns"] == 90).all()


def test_a_game_without_end_is_stopped_and_drawn() -> None:
    waiter = replaced(knock=never)
    run = sim.play(waiter, waiter, range(4), EAAI._replace(max_rounds=5), 1)
    assert (run.games["score"] == 0).all()
    assert (run.games["outcomes"].sum(axis=1) == 5).all()


def test_big_gin_comes_up_and_scores_its_bonus() -> None:
    """Players who wait for gin sooner or later meld eleven cards."""
    patient = replaced(knock=never)
    rules = EAAI._replace(big_gin_bonus=31, max_rounds=40)
    run = sim.play(patient, patient, range(60), rules, 4, record=True)
    big = run.rounds[run.rounds["outcome"] == BIG_GIN]
    assert len(big) > 5
    assert (abs(big["points"]) >= 31).all()


@pytest.mark.parametrize("games", [range(0), range(-2, 4), range(0, 10, 2)])
def test_ranges_without_meaning_are_refused(games: range) -> None:
    with pytest.raises(ValueError, match="range"):
        sim.play(simple(), simple(), games, EAAI, 1)
    with pytest.raises(ValueError, match="range"):
        play(simple(), simple(), games, EAAI, 1)


def test_rates_of_the_baseline_are_stable_over_seeds() -> None:
    """Wide bands around values measured at 20,000 games over several seeds."""
    for seed in (11, 12):
        games = play(simple(), simple(), range(6000), EAAI, seed).games
        outcomes = games["outcomes"].sum(axis=0)
        shares = outcomes / outcomes.sum()
        assert 0.48 < (games["score"][:, 0] > games["score"][:, 1]).mean() < 0.52
        assert 10.0 < outcomes.sum() / 6000 < 10.45
        assert 12.3 < games["turns"].sum() / outcomes.sum() < 12.7
        assert abs(shares - [0.0017, 0.9346, 0.0209, 0, 0.0429, 0]).max() < 0.004
