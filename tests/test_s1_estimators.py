"""S1's estimators and our own: the squash, the recurrent walk, the schedule, exact hands, small-scale rebuilding."""

import json
from functools import cache
from itertools import combinations
from math import exp, log
from pathlib import Path

import numpy as np
import pytest
import torch

from ginrummy import artefacts, networks, sim
from ginrummy.cards import CARDS, DECK
from ginrummy.errors import UnknownName
from ginrummy.estimators import bayes as bayes_module
from ginrummy.estimators import belief_net, ensemble, exact_hands, simple_nn
from ginrummy.estimators.registry import make_estimator
from ginrummy.moments import in_order, views
from ginrummy.players.registry import make_player
from ginrummy.rules import EAAI
from ginrummy.training import recipes
from ginrummy.training.nets import belief, fit, hands, quality, shankar, watched
from ginrummy.training.nets import simple_nn as simple_nn_net
from ginrummy.training.nets.layers import start_as_keras
from ginrummy.view import sight


@cache
def moments(first: str = "simple:hitting=0.5", second: str = "simple"):
    run = sim.play(make_player(first), make_player(second), range(10), EAAI, 5, record=True)
    return views(in_order(run.rounds), 1, EAAI)


def last_of_rounds(seen) -> np.ndarray:
    return np.flatnonzero(np.diff(seen.round, append=-1))


# Bayes' rule with the squash.


def test_the_curve_is_that_of_the_program() -> None:
    assert bayes_module.logistic([0, 0.5, 1]) == pytest.approx([0.12, 0.5, 0.88], abs=0.001)
    x = np.linspace(0, 6, 5001)
    weights = np.empty(CARDS)
    found = []
    for start in range(0, len(x) - CARDS, CARDS):
        weights[:] = x[start : start + CARDS]
        bayes_module._squash(weights, bayes_module.CURVE)
        found.append(weights.copy())
    exact = bayes_module.logistic(x[: CARDS * len(found)])
    assert np.abs(np.concatenate(found) - exact).max() < 1e-6


def test_squashed_bayes_equals_its_slow_twin() -> None:
    """Card by card: multiply, scale to the number of unknown cards, squash; known cards are 0 or 1."""
    seen = moments()
    rows = np.arange(0, len(seen.view), 5)
    raw = make_estimator("bayes:squash=yes").raw(seen.view, rows)
    table = bayes_module._shipped("bayes.npz", 50)
    e = 0.002
    for row, found in zip(rows, raw, strict=True):
        look = sight(seen.view, int(row))
        hand = {c for c in range(CARDS) if look.hand >> c & 1}
        for event in reversed(look.log):
            if event.mine and event.drawn >= 0:
                hand = (hand | {event.discard}) - {event.drawn}
        belief = dict.fromkeys(set(range(CARDS)) - hand - {look.log[0].upcard}, 10 / 42)
        held: set[int] = set()
        for event in look.log:
            if event.mine:
                belief.pop(event.drawn, None)
                continue
            held |= {event.upcard} if event.took else set()
            held -= {event.discard}
            belief.pop(event.discard, None)
            up_suit, up = divmod(event.upcard, 13)
            down_suit, down = divmod(event.discard, 13) if event.discard >= 0 else (up_suit, 13)
            for card in belief:
                suit, rank = divmod(card, 13)
                kin = 0 if suit == up_suit else 1 if suit == down_suit else 2
                belief[card] *= table[int(event.took), up, down, int(up_suit == down_suit), kin, rank]
            total = sum(belief.values())
            for card, weight in belief.items():
                x = weight * (10 - len(held)) / total
                belief[card] = (1 - 2 * e) / (1 + exp(4 / (1 - 2 * e) * (0.5 - x))) + e
        expected = np.array([belief.get(card, float(card in held)) for card in range(CARDS)])
        assert found == pytest.approx(expected, abs=2e-5)


def test_the_squash_has_a_name() -> None:
    assert make_estimator("bayes:squash=yes").name == "bayes:squash=yes"
    assert make_estimator("bayes:squash=no").name == "bayes"


# The network that reads its own belief.


def test_a_story_is_the_opponents_part_of_the_log() -> None:
    seen = moments()
    rows = np.arange(0, len(seen.view), 3)
    told = simple_nn.story(seen.view, rows)
    place = 0
    for k, row in enumerate(rows):
        look = sight(seen.view, int(row))
        theirs = [event for event in look.log if not event.mine]
        assert told.counts[k] == len(theirs)
        for event in theirs:
            assert (told.upcard[place], told.discard[place]) == (event.upcard, event.discard)
            assert told.took[place] == event.took
            place += 1
        assert np.unique(told.prior[k]).tolist() == [0, np.float32(10 / 42)]
        assert (told.prior[k] > 0).sum() == 42
        assert told.prior[k, look.log[0].upcard] > 0  # the first upcard counts as unknown
        own_draws = [event.drawn for event in look.log if event.mine and event.drawn != event.upcard]
        assert all(told.prior[k, card] > 0 for card in own_draws if card >= 0)
    assert place == len(told.upcard)


def test_beliefs_are_fed_back_one_event_after_the_other() -> None:
    seen = moments()
    rows = last_of_rounds(seen)[:20]
    told = simple_nn.story(seen.view, rows)

    def evaluate(x: np.ndarray) -> np.ndarray:
        weights = np.sin(np.arange(x.shape[1] * CARDS).reshape(-1, CARDS)).astype(np.float32)
        return 1 / (1 + np.exp(-x @ weights / 10))

    walked = simple_nn.walk(told, evaluate, beliefs=True, inputs=True)
    place = 0
    for k in range(len(rows)):
        belief = told.prior[k]
        for _ in range(told.counts[k]):
            x = walked.inputs[place]
            assert (x[:CARDS] == belief).all()
            discard = told.discard[place]
            assert np.flatnonzero(x[52:104]).tolist() == [discard] * int(discard >= 0)
            assert np.flatnonzero(x[104:156]).tolist() == [told.upcard[place]]
            assert x[156] == (1 if told.took[place] else -1)
            belief = walked.beliefs[place]
            assert belief == pytest.approx(evaluate(x[None])[0], abs=1e-5)
            place += 1
        assert (walked.last[k] == belief).all()
    unmoved = simple_nn.walk(told, None, inputs=True)
    assert (unmoved.last == told.prior).all()


def test_history_has_what_raw_says_at_every_moment() -> None:
    seen = moments()
    estimator = make_estimator("simple-nn")
    assert estimator.history is not None
    ends = last_of_rounds(seen)
    beliefs, counts = estimator.history(seen.view, ends)
    assert (counts == seen.opponent_events[ends]).all()
    assert (beliefs == estimator.raw(seen.view, np.arange(len(seen.view)))).all()


def test_generations_collect_with_the_network_of_the_one_before(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    real = simple_nn_net.walk

    def watched_walk(told, evaluate, **wanted):
        asked.append((evaluate is not None, wanted))
        return real(told, evaluate, **wanted)

    monkeypatch.setattr(simple_nn_net, "walk", watched_walk)
    monkeypatch.setitem(simple_nn_net.SIZES, "smoke", simple_nn_net.Size(20, 3, 1))
    result = simple_nn_net.PAPER.run("smoke", 1, None)
    collected = [with_network for with_network, wanted in asked if "inputs" in wanted]
    assert collected == [False, True, True, True]  # the last one to measure
    generations = result.training["generations"]
    assert len(generations) == 3
    kept = result.training["validation"]["simple"]
    assert kept["moments"] == result.made_from["validation_rows"]


def test_each_event_is_learned_with_the_belief_of_one_generation() -> None:
    generations = [np.full((900, CARDS), k, np.float16) for k in range(3)]
    found = simple_nn_net.drawn(generations, 1)
    assert (found == found[:, :1]).all()
    assert (np.bincount(found[:, 0].astype(int)) > 200).all()
    assert (found == simple_nn_net.drawn(generations, 1)).all()
    assert (found != simple_nn_net.drawn(generations, 2)).any()


def test_profiles_of_the_networks() -> None:
    kinds = [type(layer).__name__ for layer in simple_nn_net.SimpleNN().body]
    assert kinds == ["Linear", "Sigmoid"] * 3 + ["Linear"]
    code = simple_nn_net.SimpleNN(torch.nn.ReLU).body
    assert [type(layer).__name__ for layer in code][:4] == ["Linear", "ReLU", "Linear", "Sigmoid"]
    assert [code[k].out_features for k in (0, 2, 4, 6)] == [100, 85, 60, 52]
    x = torch.zeros(2, 1, 17, 13)
    shapes = []
    paper = shankar.ShankarNet()
    for layer in paper.body:
        x = layer(x)
        if isinstance(layer, torch.nn.MaxPool2d):
            shapes.append(tuple(x.shape[1:]))
    assert shapes == [(16, 8, 6), (32, 4, 3), (64, 2, 1)]
    whole = shankar.ShankarNet("softmax")(torch.rand(3, 1, 17, 13))
    assert whole.sum(dim=1).tolist() == pytest.approx([10, 10, 10], abs=1e-4)
    assert shankar.ShankarNet("code")(torch.rand(3, 1, 17, 13)).shape == (3, 52)


# The ensemble.


def test_the_schedule_is_the_papers() -> None:
    turns = np.arange(0, 41)
    names = ensemble.chosen(turns, "bayes", "bayes")
    assert names == ["bayes"] * 4 + ["simple-nn"] * 6 + ["shankar-cnn"] * 19 + ["bayes"] * 12
    default = ensemble.chosen(turns, "simple-nn", "shankar-cnn")
    assert default == ["simple-nn"] * 10 + ["shankar-cnn"] * 31


def test_the_ensemble_says_what_the_chosen_one_says() -> None:
    seen = moments()
    rows = np.arange(len(seen.view))
    found = make_estimator("ensemble-by-turn:early=bayes").raw(seen.view, rows)
    squashed = {name: "bayes:squash=yes" if name == "bayes" else name for name in ensemble.MEMBERS}
    by_name = {name: make_estimator(spec).raw(seen.view, rows) for name, spec in squashed.items()}
    for row, name in enumerate(ensemble.chosen(seen.turn, "bayes", "shankar-cnn")):
        assert (found[row] == by_name[name][row]).all()
    assert {"bayes", "simple-nn", "shankar-cnn"} == set(ensemble.chosen(seen.turn, "bayes", "shankar-cnn"))


def test_the_gate_sees_turn_and_style() -> None:
    seen = moments()
    rows = np.arange(0, len(seen.view), 7)
    x = ensemble.gate_inputs(seen.view, rows)
    buckets = len(ensemble.BUCKETS) + 1
    assert (x[:, :buckets].sum(axis=1) == 1).all()
    for row, inputs in zip(rows, x, strict=True):
        look = sight(seen.view, int(row))
        theirs = [event for event in look.log if not event.mine]
        bucket = int(inputs[:buckets].argmax())
        assert bucket == sum(look.turns > last for last in ensemble.BUCKETS)
        points = [min(event.discard % 13 + 1, 10) for event in theirs if event.discard >= 0]
        assert inputs[buckets + 1] == pytest.approx(sum(e.took for e in theirs) / len(theirs))
        assert inputs[buckets + 2] == pytest.approx(np.mean(points) / 10 if points else 0)
        assert inputs[buckets + 6] == pytest.approx(look.opponent_score / 100)


def test_the_learned_ensemble_adds_up_and_moves_with_style() -> None:
    seen = moments()
    rows = np.arange(len(seen.view))
    found = make_estimator("ensemble-by-turn:profile=learned").raw(seen.view, rows)
    assert found.sum(axis=1) == pytest.approx(np.full(len(rows), 10), abs=1e-4)
    gate = networks.network("ensemble-by-turn.onnx")
    x = ensemble.gate_inputs(seen.view, rows[:50])
    other = x.copy()
    other[:, len(ensemble.BUCKETS) + 2] += 0.4  # takes more upcards
    assert np.abs(gate(x) - gate(other)).max() > 0.01


# Exact hands.


def brute(logits: np.ndarray, free: list[int], k: int) -> dict[int, float]:
    """The chance of every hand, from all of them."""
    weights = {
        sum(1 << card for card in cards): exp(sum(float(logits[card]) for card in cards))
        for cards in combinations(free, k)
    }
    total = sum(weights.values())
    return {hand: weight / total for hand, weight in weights.items()}


def small_case() -> tuple[np.ndarray, list[int], int, dict[int, float]]:
    logits = np.random.default_rng(3).normal(0, 2, CARDS).astype(np.float32)
    free, held = (
        [1, 5, 9, 22, 30, 41, 51],
        (1 << 7) - 1 << 10,
    )  # seven cards are known, three of seven are not
    return logits, free, held, brute(logits, free, 3)


def test_chances_are_sums_over_all_hands() -> None:
    logits, free, held, hands = small_case()
    mask = sum(1 << card for card in free)
    found, log_sums = exact_hands.chances(logits[None], np.array([mask]), np.array([held]))
    for card in range(CARDS):
        expected = sum(p for hand, p in hands.items() if hand >> card & 1) + (held >> card & 1)
        assert found[0, card] == pytest.approx(expected, abs=1e-6)
    total = sum(exp(sum(float(logits[c]) for c in some)) for some in combinations(free, 3))
    assert log_sums[0] == pytest.approx(log(total), abs=1e-6)


def test_hands_are_drawn_as_often_as_they_should() -> None:
    logits, free, held, hands = small_case()
    mask, draws = sum(1 << card for card in free), 40_000
    drawn = exact_hands.draw_hands(logits[None], np.array([mask]), np.array([held]), np.array([0.37]), draws)
    found, counts = np.unique(drawn[0], return_counts=True)
    often = dict(zip(found.tolist(), (counts / draws).tolist(), strict=True))
    assert {hand & ~held for hand in often} <= set(hands)
    for hand, p in hands.items():
        assert abs(often.get(hand | held, 0) - p) < 5 * (p * (1 - p) / draws) ** 0.5 + 1e-4


def test_extreme_logits_stay_finite() -> None:
    logits = np.where(np.arange(CARDS) < 3, 400, -400).astype(np.float32)
    free = np.array([DECK])
    found, log_sums = exact_hands.chances(logits[None], free, np.array([0]))
    assert np.isfinite(found).all()
    assert np.isfinite(log_sums).all()
    assert found.sum() == pytest.approx(10, abs=1e-4)
    assert found[0, :3] == pytest.approx(1, abs=1e-6)
    drawn = exact_hands.draw_hands(logits[None], free, np.array([0]), np.array([0.5]), 20)
    assert (np.bitwise_count(drawn) == 10).all()
    assert (drawn & 7 == 7).all()


# Our own network.


def test_beliefs_add_up_and_hands_agree_with_them() -> None:
    seen = moments("hand-strength", "simple")
    estimator = make_estimator("belief-net")
    rows = np.arange(0, len(seen.view), 40)
    belief = estimator.raw(seen.view, rows)
    assert belief.sum(axis=1) == pytest.approx(np.full(len(rows), 10), abs=1e-4)
    assert estimator.masked(seen.view, rows) == pytest.approx(belief, abs=1e-5)
    assert estimator.sample is not None
    u = np.random.default_rng(1).random(len(rows))
    hands = estimator.sample(seen.view, rows, u, 4000)
    view = seen.view[rows]
    assert (np.bitwise_count(hands) == 10).all()
    assert (hands & (view["hand"] | view["pile"])[:, None] == 0).all()
    assert (hands & view["opponent"][:, None] == view["opponent"][:, None]).all()
    often = np.stack([(hands >> card & 1).mean(axis=1) for card in range(CARDS)], axis=1)
    error = np.sqrt(np.maximum(belief * (1 - belief), 1e-6) / 4000)
    assert (np.abs(often - belief) / error).max() < 6
    assert ((often - belief) / error).std() == pytest.approx(0.9, abs=0.2)
    again = estimator.sample(seen.view, rows[2:3], u[2:3], 4000)
    assert (again == hands[2:3]).all()
    assert (estimator.sample(seen.view, rows[2:3], u[3:4], 4000) != again).any()


def test_suits_are_treated_alike() -> None:
    model = belief.SuitNet(16, 2)
    start_as_keras(model, 1)
    x = torch.rand(5, belief_net.INPUTS)
    order = [2, 0, 3, 1]
    planes = x[:, : -belief_net.SCALARS].reshape(5, 4, -1)[:, order].reshape(5, -1)
    turned = torch.cat([planes, x[:, -belief_net.SCALARS :]], dim=1)
    with torch.no_grad():
        expected = model(x).reshape(5, 4, 13)[:, order].reshape(5, 52)
        assert torch.allclose(model(turned), expected, atol=1e-6)


def test_inputs_say_what_the_log_says() -> None:
    seen = moments()
    rows = np.arange(0, len(seen.view), 11)
    bayes = make_estimator("bayes").raw(seen.view, rows)
    x = belief_net.inputs(seen.view, rows, bayes)
    planes = x[:, : -belief_net.SCALARS].reshape(len(rows), 4, belief_net.PLANES, 13)
    planes = planes.transpose(0, 2, 1, 3).reshape(len(rows), belief_net.PLANES, CARDS)
    for k, row in enumerate(rows):
        look = sight(seen.view, int(row))
        theirs = [event for event in look.log if not event.mine]
        discards = [event.discard for event in theirs if event.discard >= 0]

        def cards(plane: int) -> set[int]:
            return set(np.flatnonzero(planes[k, plane]).tolist())

        assert cards(belief_net.FREE) == {c for c in range(CARDS) if look.unseen >> c & 1}
        assert cards(belief_net.OWN) == {c for c in range(CARDS) if look.hand >> c & 1}
        assert cards(belief_net.HELD) == {c for c in range(CARDS) if look.opponent >> c & 1}
        for back, plane in enumerate(range(belief_net.LAST, belief_net.FOURTH + 1)):
            assert cards(plane) == set(
                discards[len(discards) - 1 - back :][:1] if back < len(discards) else []
            )
        assert cards(belief_net.DISCARDED) == set(discards)
        assert cards(belief_net.DECLINED) == {event.upcard for event in theirs if not event.took}
        assert cards(belief_net.TAKEN) == {event.upcard for event in theirs if event.took}
        assert cards(belief_net.OWN_DISCARDS) == {e.discard for e in look.log if e.mine and e.discard >= 0}
        assert cards(belief_net.BAYES) <= cards(belief_net.FREE)
        if discards and theirs[-1].discard >= 0:
            assert planes[k, belief_net.DISCARDED, discards[-1]] == 1


def test_the_gradient_of_the_hand_loss() -> None:
    rng = np.random.default_rng(2)
    free = np.array([0b1111111100000000, DECK & ~0xFF])
    truth = np.array([0b11110000000011, 0b111111111100000000])
    truth[0] |= 0b11110000 << 20  # four more that are known
    targets = torch.from_numpy(np.stack([truth, free], axis=1))
    logits = torch.from_numpy(rng.normal(0, 1, (2, CARDS)).astype(np.float32)).requires_grad_()
    loss = hands.hand_loss(logits, targets)
    loss.backward()
    for row, card in [(0, 9), (0, 13), (1, 8), (1, 40), (0, 0)]:
        step = 0.05
        sides = []
        for sign in (1, -1):
            moved = logits.detach().clone()
            moved[row, card] += sign * step
            sides.append(float(hands.hand_loss(moved, targets)))
        assert float(logits.grad[row, card]) == pytest.approx((sides[0] - sides[1]) / (2 * step), abs=2e-3)


def test_no_training_sees_the_players_held_out() -> None:
    trained = {name for pair in hands.PAIRS for name in pair}
    assert not trained & set(hands.HELD_OUT)
    said = artefacts.record("belief-net.onnx")
    assert not {name for pair in said["made_from"]["players"] for name in pair} & set(hands.HELD_OUT)


# Training.


def test_training_stops_when_nothing_gets_better_and_keeps_the_best() -> None:
    rng = np.random.default_rng(1)
    x = rng.random((200, simple_nn.INPUTS)).astype(np.float32)
    noise = [fit.Rows(x, rng.integers(0, 2, (200, CARDS))) for _ in range(2)]
    model = simple_nn_net.SimpleNN(torch.nn.ReLU)
    start_as_keras(model, 1)
    how = fit.Fit(200, 50, fit.mse, rate=3e-3, keep_best=True, patience=3)
    history = fit.train(model, fit.always(noise[0]), noise[1], how)
    assert len(history) < 200
    assert len(history) == fit.best_epoch(history) + 3
    least = min(epoch.validation for epoch in history)
    assert fit.evaluate(model, noise[1], fit.mse) == pytest.approx(least)


def test_games_are_watched_from_both_sides_and_some_held_back() -> None:
    parts = list(watched.watch((("simple", "hand-strength"),), range(40), 3))
    assert len(parts) == 2
    for part in parts:
        assert set(part.games[part.held_back].tolist()) == {18, 19, 38, 39}
        assert (np.bitwise_count(part.moments.truth & watched.known_cards(part)) <= 10).all()
        assert (part.moments.truth & part.moments.view["hand"] == 0).all()


RECIPES = [
    "simple-nn",
    "simple-nn-code",
    "simple-nn-small",
    "shankar-cnn",
    "shankar-cnn-small",
    "shankar-cnn-code",
    "shankar-cnn-softmax",
    "ensemble-by-turn",
    "belief-net",
]


@pytest.mark.parametrize("name", RECIPES)
def test_every_network_is_rebuilt_in_small(name: str, tmp_path: Path) -> None:
    result = recipes.rebuild(name, "smoke", 1, 1, tmp_path)
    recipe = recipes.recipe(name)
    file = tmp_path / recipe.artefact
    said = artefacts.record(str(file))
    assert said["recipe"] == f"ginrummy train {name} --scale smoke --seed 1"
    assert said["made_from"]["rows"] > 0
    assert all(0.3 < kind["log_loss"] < 8 for kind in said["training"]["validation"].values())
    assert json.dumps(result)
    assert str(file) in recipe.text(result)
    kind = name.removesuffix("-code").removesuffix("-softmax").removesuffix("-small")
    learned = "profile=learned," if kind == "ensemble-by-turn" else ""
    seen = moments()
    belief = make_estimator(f"{kind}:{learned}model={file}").raw(seen.view, np.arange(30))
    assert belief.shape == (30, CARDS)
    assert np.isfinite(belief).all()


def test_rebuilding_gives_the_same_file_again(tmp_path: Path) -> None:
    files = [recipes.rebuild("belief-net", "smoke", 2, 1, tmp_path / str(k))["file"] for k in range(2)]
    assert Path(files[0]).read_bytes() == Path(files[1]).read_bytes()


@pytest.mark.parametrize("name", RECIPES)
def test_shipped_networks_are_small_and_of_full_scale(name: str) -> None:
    file = recipes.recipe(name).artefact
    assert artefacts.record(file)["recipe"].startswith(f"ginrummy train {name} --scale full")
    assert len(artefacts.load(file)) < 3_000_000


def test_our_network_is_better_than_the_papers() -> None:
    """A sample of what the experiments measure: log loss of unknown cards, against the baseline."""
    (side, _) = watched.watch((("simple", "simple"),), range(100), 77)
    view, rows, known = side.moments.view, side.rows, watched.known_cards(side)
    losses = {
        name: quality.quality(make_estimator(name).masked(view, rows), side.moments.truth, known)["log_loss"]
        for name in ("null", "bayes", "simple-nn", "shankar-cnn", "belief-net")
    }
    ours = losses.pop("belief-net")
    assert ours < min(losses.values()) - 0.02
    assert max(losses, key=lambda name: losses[name]) == "bayes"  # its cards are not independent: too sure
    assert max(losses["simple-nn"], losses["shankar-cnn"]) < losses["null"]


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("simple-nn:profile=x", "simple-nn has no profile 'x': choose one of paper, code"),
        ("shankar-cnn:profile=x", "choose one of paper, code, softmax"),
        ("ensemble-by-turn:profile=x", "choose one of paper, learned"),
        ("ensemble-by-turn:early=lstm", "early is one of simple-nn, bayes"),
        ("belief-net:model=none.onnx", "no trained file 'none.onnx'"),
    ],
)
def test_wrong_texts_are_answered_in_one_line(spec: str, words: str) -> None:
    with pytest.raises(UnknownName, match=words):
        make_estimator(spec)


def test_every_kind_of_picture_is_one_moment_in_so_many() -> None:
    some = shankar.gather(10, 4, 5)
    every = shankar.gather(10, 4, 1)
    assert len(some.x) == pytest.approx(len(every.x) / 5, rel=0.05)
    assert some.x.shape[1:] == (1, 17, 13)
    assert set(np.unique(some.x)) == {-2, -1, 0, 1}
