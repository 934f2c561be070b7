"""Regret minimisation against known equilibria, checked with OpenSpiel, and its parts one by one."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyspiel
import pytest
from open_spiel.python.algorithms import expected_game_score, exploitability
from open_spiel.python.policy import TabularPolicy

from ginrummy import decks
from ginrummy.errors import UnknownName
from ginrummy.players.base import Player
from ginrummy.players.baseline import discard_least
from ginrummy.players.hand_strength import hand_strength
from ginrummy.players.registry import make_player
from ginrummy.reports import knock_page
from ginrummy.rules import PRESETS
from ginrummy.sim import play_rounds
from ginrummy.training import recipes
from ginrummy.training.regret import knock_table, knocking, mccfr
from ginrummy.training.regret.knocking import KNOCK, KnockTraining
from toys import poker

EVIDENCE = Path(__file__).parent.parent / "results/S2-knock.json"


def kuhn_policy(strategy: np.ndarray) -> TabularPolicy:
    policy = TabularPolicy(pyspiel.load_game("kuhn_poker"))
    for text, row in policy.state_lookup.items():
        history = ["", "p", "b", "pb"].index(text[1:])
        policy.action_probability_array[row] = strategy[poker.kuhn_cell(int(text[0]), history)]
    return policy


def leduc_cell(state: pyspiel.State) -> int:
    """Our number of the infoset in which a state's player acts, from the state's history alone."""
    private, deals, betting, closed = [], [], "", -1
    for action in state.full_history():
        if action.player < 0:
            deals.append(action.action // 2)
        else:
            betting += "fcr"[action.action]
            if closed < 0 and betting in poker.CLOSED:
                closed, betting = poker.CLOSED.index(betting), ""
    private, public = deals[:2], deals[2] if len(deals) > 2 else 0
    rank = private[state.current_player()]
    return int(poker.leduc_cell(rank, public, closed, poker.BETTING.index(betting)))


def leduc_policy(strategy: np.ndarray) -> TabularPolicy:
    policy = TabularPolicy(pyspiel.load_game("leduc_poker"))
    for state, row in zip(policy.states, range(len(policy.states)), strict=True):
        legal = policy.legal_actions_mask[row]
        ours = strategy[leduc_cell(state)]
        if np.isnan(ours).any():  # the strategy never plays to this cell
            ours = legal / legal.sum()
        assert not ours[legal == 0].any()  # the two games agree on what is legal
        policy.action_probability_array[row] = ours
    return policy


def nash_conv(policy: TabularPolicy) -> float:
    return float(exploitability.nash_conv(policy.game, policy))


@pytest.mark.parametrize("seed", [1, 2])
def test_kuhn_poker_comes_to_its_value_and_to_equilibrium(seed: int) -> None:
    policy = kuhn_policy(mccfr.average_strategy(poker.train_kuhn(2_000_000, seed)))
    assert nash_conv(policy) < 0.02
    value = expected_game_score.policy_value(policy.game.new_initial_state(), [policy, policy])
    assert abs(value[0] - poker.KUHN_VALUE) < 0.005
    assert value[0] == -value[1]


def test_leduc_poker_nears_equilibrium_as_iterations_grow() -> None:
    """Uniform play has a NashConv of 4.75."""
    early, late = (
        nash_conv(leduc_policy(mccfr.average_strategy(poker.train_leduc(iterations, 1))))
        for iterations in (100_000, 4_000_000)
    )
    assert late < 0.5 < early < 1.5


@pytest.mark.parametrize(
    ("regrets", "legal", "expected"),
    [
        ([0, 0, 0], 0b111, [1 / 3, 1 / 3, 1 / 3]),
        ([-1, -5, 0], 0b011, [0.5, 0.5, 0]),
        ([3, 1, 0], 0b111, [0.75, 0.25, 0]),
        ([3, -9, 1], 0b111, [0.75, 0, 0.25]),
        ([100, 1, 1], 0b110, [0, 0.5, 0.5]),
    ],
)
def test_regret_matching(regrets: list[float], legal: int, expected: list[float]) -> None:
    policy = np.full(3, 9.0)
    mccfr.match_regrets(np.array([regrets], np.float64), 0, legal, policy)
    assert policy.tolist() == pytest.approx(expected)


@pytest.mark.parametrize("epsilon", [0.0, 0.6, 1.0])
@pytest.mark.parametrize("legal", [0b111, 0b110, 0b011])
def test_actions_are_sampled_as_often_as_said_and_the_chances_sum_to_one(epsilon: float, legal: int) -> None:
    regret = np.array([[1.0, 3.0, 0.0]])
    step = mccfr.new_path(1)
    found: dict[int, list[float]] = {}
    for u in (np.arange(1200) + 0.5) / 1200:
        action = mccfr.choose(regret, step[0], 0, legal, epsilon, 1.0, u)
        assert legal >> action & 1 and step["action"][0] == action
        found.setdefault(action, []).append(float(step["sample"][0]))
    assert sum(chances[0] for chances in found.values()) == pytest.approx(1.0)
    for chances in found.values():
        assert len(chances) / 1200 == pytest.approx(chances[0], abs=2 / 1200)
    assert mccfr.choose(regret, step[0], 0, legal, epsilon, 1.0, 1.0) in found


def exact_regrets(state: pyspiel.State, player: int, weight: float, out: np.ndarray) -> float:
    """Counterfactual regrets of Kuhn poker when everybody acts at random; returns the state's value."""
    if state.is_terminal():
        return float(state.returns()[player])
    if state.is_chance_node():
        return sum(
            p * exact_regrets(state.child(a), player, weight * p, out) for a, p in state.chance_outcomes()
        )
    own = state.current_player() == player
    values = [exact_regrets(state.child(a), player, weight * (1 if own else 0.5), out) for a in (0, 1)]
    if own:
        text = state.information_state_string()
        cell = poker.kuhn_cell(int(text[0]), ["", "p", "b", "pb"].index(text[1:]))
        out[cell] += weight * (np.array(values) - np.mean(values))
    return float(np.mean(values))


def test_sampled_regrets_are_right_on_average() -> None:
    exact = np.zeros((poker.KUHN_CELLS, 2))
    for player in (0, 1):
        exact_regrets(pyspiel.load_game("kuhn_poker").new_initial_state(), player, 1.0, exact)
    frozen = mccfr.new_regrets(poker.KUHN_CELLS, 2)
    learned = mccfr.new_regrets(poker.KUHN_CELLS, 2)
    path, spare = mccfr.new_path(4), mccfr.new_path(1)
    n = 40_000
    for k in range(n):
        key = np.uint64(decks.choice_key(5, k, 0))
        steps, payoff = poker._kuhn_iteration(frozen.regret, path, spare, key, k & 1, 0.6)
        mccfr.update(*learned, path, steps, payoff, 1.0)
    assert np.abs(learned.regret / (n / 2) - exact).max() < 0.03
    assert mccfr.average_strategy(learned) == pytest.approx(0.5)


def test_a_run_is_a_function_of_its_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    first, again, other = (poker.train_leduc(20_000, seed) for seed in (7, 7, 8))
    assert all((a == b).all() for a, b in zip(first, again, strict=True))
    assert (first.regret != other.regret).any()
    training = KnockTraining(rounds=900, discards="least")
    whole = knocking.train(training, 3)
    monkeypatch.setattr(knocking, "CHUNK", 100)
    pieces = knocking.train(training, 3)
    assert all((a == b).all() for a, b in zip(whole, pieces, strict=True))


def fixed_player(discards: str, limit: int) -> Player:
    player = replace(hand_strength(knock=str(limit)), compiled=None)
    return replace(player, discard=discard_least) if discards == "least" else player


@pytest.mark.parametrize("rules", ["eaai", "us-boxes"])
@pytest.mark.parametrize(("discards", "limit"), [("least", 10), ("hand-strength", 0), ("least", 3)])
def test_training_rounds_are_rounds_of_the_engine(rules: str, discards: str, limit: int) -> None:
    n, seed = 60, 11
    training = KnockTraining(PRESETS[rules], discards=discards)
    regret = np.zeros((knocking.DEADWOODS, knocking.TURNS, 2))
    regret[: limit + 1, :, KNOCK] = regret[limit + 1 :, :, 1 - KNOCK] = 1.0
    ours = knocking.play(training, regret.reshape(-1, 2), seed, n)
    cards = np.array([decks.deck(seed, 2 * k, 0) for k in range(n)], np.int8)
    starters = np.array([decks.starter(seed, 2 * k) for k in range(n)])
    player = fixed_player(discards, limit)
    rounds = play_rounds(player, player, cards, starters, PRESETS[rules], seed=seed).rounds
    assert ours.tolist() == rounds["points"][np.argsort(rounds["game"])].tolist()
    assert np.count_nonzero(ours) > n // 3


def test_both_samplings_learn_to_lay_down_gin_and_not_to_knock_late() -> None:
    for sampling, rounds, sure in (("external", 10_000, 0.95), ("outcome", 150_000, 0.8)):
        training = KnockTraining(rounds=rounds, discards="least", sampling=sampling)
        table = knocking.knock_table(training, knocking.train(training, 2))
        assert table.knock.shape == table.visits.shape == (1, 11, 20, 1)
        weight = table.share[0, :, :, 0]
        assert np.average(table.knock[0, 0, 4:14, 0], weights=weight[0, 4:14]) > sure
        assert np.average(table.knock[0, 8:, 10:14, 0], weights=weight[8:, 10:14]) < 1 - sure
        assert weight.sum() == pytest.approx(1.0)
        assert np.isnan(table.advantage).all() == (sampling == "outcome")


def test_infosets_of_the_later_paper_and_two_tables() -> None:
    training = KnockTraining(rounds=2000, discards="least", abstraction="stock", shared=False)
    table = knocking.knock_table(training, knocking.train(training, 1))
    assert table.knock.shape == (2, 11, 32, 14)
    assert (table.visits.sum(axis=(1, 2, 3)) > 100).all()
    assert table.visits[:, :, :2].sum() == 0  # two cards of the stock are never drawn


@pytest.mark.parametrize(
    "wrong", [{"discards": "x"}, {"abstraction": "x"}, {"sampling": "x"}, {"epsilon": 0.0}, {"rounds": 0}]
)
def test_a_training_without_meaning_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError):
        knocking.train(KnockTraining(**wrong), 1)  # type: ignore[arg-type]


def test_limits_and_bands_come_from_tables() -> None:
    knock = np.zeros((11, 20))
    knock[0] = 1
    knock[5:, :2] = 0.9
    knock[9:, 2] = 0.5
    assert knock_table.band(knock) == [5, 5, 9]
    gains = np.full((11, 20), -1.0)
    gains[1:, 0] = 1.0
    gains[8:, 1] = 9.0
    assert knock_table.limits(gains, np.ones((11, 20))) == "10/10/0"


def test_a_wrong_name_lists_what_can_be_trained() -> None:
    with pytest.raises(UnknownName, match="choose one of knock-table"):
        recipes.recipe("nothing")
    with pytest.raises(UnknownName, match="choose one of smoke, full"):
        recipes.rebuild("knock-table", "huge", 1)


def test_the_evidence_is_what_training_gives() -> None:
    """A short training comes out on the same side of one half as the evidence in nearly all decisions."""
    groups = json.loads(EVIDENCE.read_text(encoding="utf-8"))["tables"]
    for group in (g for g in groups if g["sampling"] == "external" and g["discards"] == "least"):
        training = KnockTraining(PRESETS[group["rules"]], 30_000, "least", sampling="external")
        table = knocking.knock_table(training, knocking.train(training, 99))
        kept = np.array(group["mean_knock"], np.float64)
        here = table.knock[0, :, :, 0]
        sure = (np.abs(kept - 0.5) > 0.4) & ~np.isnan(here)
        share = np.array(group["share"]) * sure
        alike = (here >= 0.5) == (kept >= 0.5)
        assert (share * alike).sum() / share.sum() > 0.9


def test_the_rule_found_decides_as_the_evidence_does() -> None:
    groups = json.loads(EVIDENCE.read_text(encoding="utf-8"))["tables"]
    for group in groups:
        if group["sampling"] == "external" and group["discards"] == "hand-strength":
            low = list(knock_table.FOUND[group["rules"]])
            knock, share = np.array(group["mean_knock"], np.float64), np.array(group["share"])
            assert knock_table._follows(knock, share, low) > 0.9


def test_players_can_be_made_by_the_names_in_the_evidence() -> None:
    matches = json.loads(EVIDENCE.read_text(encoding="utf-8"))["matches"]
    for spec in {match["player_a"] for match in matches}:
        assert make_player(spec).name.startswith("hand-strength")


def test_the_page_is_written_from_the_evidence() -> None:
    written = (EVIDENCE.parent.parent / "docs/knocking.md").read_text(encoding="utf-8")
    assert written == knock_page.page(json.loads(EVIDENCE.read_text(encoding="utf-8")))
