"""Knock tables: infosets against slow twins, trained files, windows by turn, players that knock by a table."""

from dataclasses import replace

import numpy as np
import pytest

import naive
from ginrummy import artefacts, decks
from ginrummy.cards import cards_of
from ginrummy.errors import UnknownName
from ginrummy.experiments.frame.evidence import Point
from ginrummy.experiments.s3 import knocking as figures
from ginrummy.melds import deadwood
from ginrummy.players.base import Player
from ginrummy.players.hand_strength import hand_strength
from ginrummy.players.knock_tables import NAMES, knock_chances, outs_rule, whole
from ginrummy.players.playing import play
from ginrummy.players.registry import make_player
from ginrummy.policies import knock_infosets as infosets
from ginrummy.rules import EAAI
from ginrummy.sim import play_rounds
from ginrummy.training.regret import knock_files, knocking
from ginrummy.training.regret.knocking import KNOCK, PLAY_ON, KnockTraining
from ginrummy.training.regret.race import race
from ginrummy.view import Sight, from_sights, sight

ROUNDS = 80


def watched(seen: list[Sight]) -> Player:
    """Hand strength that knocks late, and notes what it saw whenever it might have knocked."""

    def knock(view, rows, u):
        seen.extend(sight(view, int(row)) for row in rows)
        return np.array([deadwood(int(hand)) == 0 for hand in view["hand"][rows]])

    return replace(hand_strength(), knock=knock, compiled=None)


@pytest.fixture(scope="module")
def moments() -> list[Sight]:
    seen: list[Sight] = []
    cards = np.array([decks.deck(5, 2 * k, 0) for k in range(ROUNDS)], np.int8)
    scores = np.arange(2 * ROUNDS).reshape(ROUNDS, 2) * 7 % 100
    play_rounds(watched(seen), watched(seen), cards, np.zeros(ROUNDS, int), EAAI, scores=scores, seed=5)
    loose = [one for one in seen if deadwood(one.hand) > 0]
    assert len(loose) > 150
    return loose


def plain_infoset(kind: str, seen: Sight) -> tuple[int, ...]:
    """What the infoset is made of, read from the log card by card."""
    others = [event.discard % 13 for event in seen.log if not event.mine and event.discard >= 0]
    own = [event.upcard for event in seen.log if event.mine]
    hand = list(cards_of(seen.hand))
    outs = sum(naive.deadwood_after_discard([*hand, card]) == 0 for card in cards_of(seen.unseen))
    near = (seen.stock // 2, min(outs, 5), min(len(cards_of(seen.opponent)), 2))
    stages = [sum(score >= step for step in (40, 70)) for score in (seen.score, seen.opponent_score)]
    return {
        "turn": (min(seen.own_turns, 20) - 1, 0),
        "stock": (seen.stock, min(others, default=13)),
        "upcard": (seen.stock, own[-1]),
        "outs": near,
        "scores": (*near, *stages),
    }[kind]


@pytest.mark.parametrize(
    ("kind", "sizes"),
    [("turn", (20, 1)), ("stock", (32, 14)), ("upcard", (32, 53)), ("outs", (16, 6, 3)),
     ("scores", (16, 6, 3, 3, 3))],
)  # fmt: skip
def test_an_infoset_is_what_the_log_says(kind: str, sizes: tuple[int, ...], moments: list[Sight]) -> None:
    assert np.prod(infosets.AXES[kind]) == np.prod(sizes)
    view = from_sights(moments)
    found = set()
    step = 4 if kind in ("outs", "scores") else 1
    for row in range(0, len(moments), step):
        seen = moments[row]
        left = deadwood(seen.hand)
        expected = np.ravel_multi_index((left, *plain_infoset(kind, seen)), (11, *sizes))
        assert infosets.infoset(infosets.KINDS[kind], view[row], left) == expected
        found.add(int(expected))
    assert len(found) > 20


def test_a_round_that_meets_the_cap_is_worth_the_difference_of_the_deadwoods() -> None:
    cap, seed = 9, 4
    never = np.zeros((11, 20, 2))
    never[0, :, KNOCK] = never[1:, :, PLAY_ON] = 1.0
    training = KnockTraining(turn_cap=cap)
    ours = knocking.play(training, never.reshape(-1, 2), seed, ROUNDS)
    cards = np.array([decks.deck(seed, 2 * k, 0) for k in range(ROUNDS)], np.int8)
    starters = np.array([decks.starter(seed, 2 * k) for k in range(ROUNDS)])
    player = replace(hand_strength(knock="0"), compiled=None)
    rounds = play_rounds(player, player, cards, starters, EAAI._replace(max_turns=cap), seed=seed).rounds
    rounds = rounds[np.argsort(rounds["game"])]
    left = [[deadwood(int(hand)) for hand in hands] for hands in rounds["hands"]]
    expected = [
        points if knocker >= 0 else b - a
        for points, knocker, (a, b) in zip(rounds["points"], rounds["knocker"], left, strict=True)
    ]
    assert ours.tolist() == expected
    assert (rounds["knocker"] < 0).sum() > ROUNDS // 2


def test_a_game_is_a_race() -> None:
    half = race(np.array([50.0, -50.0, 0.0]))
    assert half.value[0, 0] == 0.5 and half.value[50, 0] == 0.75 and half.value[50, 50] == 0.5
    assert half.visits[0, 0] == 1 and half.visits[50, 0] == 0.5 and half.visits[50, 50] == 0.5
    found = race(np.array([10.0, 25, 40, -33]))
    inner = found.value[:100, :100]
    assert inner + inner.T == pytest.approx(np.ones((100, 100)))
    assert (np.diff(inner, axis=0) >= -1e-12).all() and inner[90, 10] > 0.8
    lines = found.lines()
    assert lines.shape == (4096, 2) and lines.min() == 0 and lines.max() < 100
    share = found.visits / found.visits.sum()
    assert (lines == 0).all(axis=1).mean() == pytest.approx(share[0, 0], abs=0.001)


def test_unknown_cells_follow_their_stage_then_their_deadwood() -> None:
    knock, share = np.full((2, 2, 2), np.nan), np.ones((2, 2, 2))
    knock[0, 0] = [0.2, np.nan]
    assert whole(knock, share).tolist() == [[[0.2, 0.2], [0.2, 0.2]], [[0, 0], [0, 0]]]


@pytest.mark.parametrize("name", NAMES)
def test_every_shipped_table_has_a_chance_for_every_cell(name: str) -> None:
    kind, chances = knock_chances(name)
    word = name.partition("-")[0]
    assert kind == infosets.KINDS[word]
    assert chances.shape == (11 * np.prod(infosets.AXES[word]),)
    assert chances.min() >= 0 and chances.max() <= 1
    record = artefacts.record(f"knock-{word}.npz")
    assert record["made_from"]["rounds"] >= 600_000


def test_a_short_training_has_the_shape_of_the_shipped_table() -> None:
    """Early knocks with much deadwood, few late ones with little: in the file, and in a training of seconds."""

    def means(knock: np.ndarray, share: np.ndarray) -> list[float]:
        parts = [(slice(6, 11), slice(25, 31)), (slice(1, 5), slice(4, 15))]
        return [float((knock[part] * share[part]).sum() / share[part].sum()) for part in parts]

    training = replace(knock_files.OUTS, rounds=8_000, discards="one-turn", abstraction="stock")
    table = knocking.knock_table(training, knocking.train(training, 9))
    share = table.share[0] * ~np.isnan(table.knock[0])
    for knock in (np.nan_to_num(table.knock[0]), knock_chances("stock-eaai").chances.reshape(11, 32, 14)):
        early, late = means(knock, share)
        assert early > 0.55 and late < 0.4 and early - late > 0.3


def test_a_training_file_is_a_function_of_its_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(knock_files, "SMOKE", 2_000)
    first, again, other = (knock_files.STOCK.run("smoke", seed, None) for seed in (1, 1, 2))
    assert first.payload == again.payload != other.payload
    assert first.training["uk"]["cells_visited"] > 100


def test_a_window_by_turn() -> None:
    player = hand_strength(knock="3-10/5-8/0")
    knocks = player.compiled.policy.knock.py_func.__globals__["knocks"]
    p = player.compiled.array
    found = {turn: [left for left in range(11) if knocks(left, turn, p)] for turn in (1, 2, 3, 30)}
    assert found == {1: [0, *range(3, 11)], 2: [0, 5, 6, 7, 8], 3: [0], 30: [0]}
    plain = hand_strength().compiled.array
    limits = [10, 10, 10, 10] + [0] * 30
    assert all(knocks(d, t, plain) == (d <= limits[t - 1]) for d in range(11) for t in range(1, 30))
    for wrong in ("11", "6-5/0", "x", "stock-us", "-", "/".join("9" * 21)):
        with pytest.raises(UnknownName, match="takes limits by turn"):
            hand_strength(knock=wrong)


def test_a_player_with_a_table_plays_the_same_in_both_loops() -> None:
    player = make_player("hand-strength:knock=stock-eaai")
    other = make_player("hand-strength:knock=outs-eaai")
    fast, slow = (play(a, other, range(20), EAAI, 3).games for a in (player, replace(player, compiled=None)))
    assert (fast == slow).all()


def test_a_rule_by_outs_is_a_table() -> None:
    kind, chances = outs_rule("outs2-20")  # type: ignore[misc]
    table = chances.reshape(11, 16, 6, 3)
    assert kind == infosets.BY_OUTS
    assert (table[:, 10:, :3] == 1).all() and not table[:, :10].any() and not table[:, :, 3:].any()
    assert outs_rule("10/0") is None and outs_rule("outs-eaai") is None


def test_a_table_is_asked_by_chance() -> None:
    """A table of one half knocks in half of all cases, by ``u``; gin always."""
    table = np.full(11 * 32 * 14 + 3, 0.5)
    gin = from_sights([Sight(0b1111111111, 0, 0, 0, -1, -1, 20, 0, 0, 1, 1, 10, 0, 0, 0, True, (), ())])
    high = from_sights([Sight(0b1110111111, 0, 0, 0, -1, -1, 20, 0, 0, 1, 1, 10, 0, 0, 0, True, (), ())])
    ask = infosets.knocks_by_table
    assert ask(infosets.BY_STOCK, gin[0], 0.9, table, 3)
    loose = from_sights([Sight(0b111 | 1 << 20 | 0b111 << 26 | 0b111 << 40, 0, 0, 0, -1, -1, 20, 0, 0, 1, 1, 10,
                               0, 0, 0, True, (), ())])  # fmt: skip
    assert 0 < deadwood(int(loose["hand"][0])) <= 10 and deadwood(int(high["hand"][0])) == 0
    assert ask(infosets.BY_STOCK, loose[0], 0.49, table, 3)
    assert not ask(infosets.BY_STOCK, loose[0], 0.51, table, 3)


def point(rules: str, file: str, early: float, late: float) -> Point[figures.Table]:
    """A table that knocks with one probability until ten stock cards are gone, then with another."""
    decisions, chance = np.full((11, 32), 0.01), np.full((11, 32), late)
    chance[:, 22:] = early
    counts = {
        "decisions": decisions.tolist(),
        "knocks": (decisions * chance).tolist(),
        "cells": np.full((11, 32), 4).tolist(),
        "chances": (4 * chance / 2).tolist(),
    }
    return Point(rules, 1, counts, figures.Table(file, rules))


def test_probabilities_are_by_decisions_or_by_infosets() -> None:
    points = [
        point(rules, file, early + more, 0.02)
        for file, more in zip(figures.FILES, (0.0, 0.1), strict=True)
        for rules, early in (("eaai", 0.3), ("uk", 0.6))
    ]
    curve, plain = figures.by_deadwood(points), figures.by_deadwood(points, infosets=True)
    share = 10 / 30  # of the stock sizes 2 to 31
    assert curve["uk"][7.0].value == pytest.approx(share * 0.6 + (1 - share) * 0.02)
    assert plain["uk"][7.0].value == pytest.approx(curve["uk"][7.0].value / 2)
    part = figures.SIZES[1] / sum(figures.SIZES)
    assert curve["eaai"][1.0].error == pytest.approx(share * 0.1 * part**0.5)
    by_stock = figures.by_draws(points, "eaai")
    assert by_stock[9.0].value == pytest.approx(0.3) and by_stock[10.0].value == pytest.approx(0.02)
    grid = figures.surface(points, "uk")
    assert len(grid) == 10 and grid[0][0] == pytest.approx(0.6) and grid[9][28] == pytest.approx(0.02)
    rows = figures.EXPERIMENTS["S3-fig4"].compare(points)
    assert rows[0].ours == 10  # type: ignore[union-attr]


def test_the_figures_read_the_shipped_tables() -> None:
    for rules in figures.BONUSES:
        counts = figures.summed(figures.Table(figures.FILES[0], rules))
        assert counts["rounds"] == figures.SIZES[0] and np.array(counts["decisions"]).shape == (11, 32)
        assert np.array(counts["decisions"]).sum() == pytest.approx(1.0, abs=1e-3)
        assert len(counts["course"]["rounds"]) == knock_files.CHECKS
