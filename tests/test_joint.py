"""The joint belief: hands that agree with the view, weights, types; the same for a batch and for one table."""

import math
from functools import cache
from itertools import combinations

import numpy as np
import pytest

import deciding
import slow_features
import test_players
from ginrummy import artefacts, sim
from ginrummy._jit import kernel
from ginrummy.cards import DECK, cards_of, mask_of
from ginrummy.errors import BadInput
from ginrummy.estimators import hand_features, joint_kernels, joint_nets, types
from ginrummy.estimators.exact_hands import chances as exact_chances
from ginrummy.estimators.exact_hands import draw_hands
from ginrummy.estimators.joint import joint_belief
from ginrummy.estimators.registry import make_estimator
from ginrummy.estimators.types import KNOCK_LIMITS, KNOCK_TURNS, TYPES, posterior
from ginrummy.melds import deadwoods
from ginrummy.moments import views
from ginrummy.players.registry import make_player
from ginrummy.rules import EAAI
from ginrummy.strength import SCRATCH
from ginrummy.training.nets import champion_belief
from ginrummy.view import OTHER, sight


@cache
def decisions() -> np.ndarray:
    """Views at decisions of all kinds: drawing, discarding, knocking."""
    return deciding.decisions("hand-strength:profile=tuned", "simple:hitting=0.5", 4, 9)[::3]


def uniforms(view: np.ndarray) -> np.ndarray:
    return np.random.default_rng(4).random(len(view))


def test_hands_agree_with_the_view_and_weights_add_up() -> None:
    view = decisions()
    rows = np.arange(len(view))
    for found in (
        joint_belief().sample(view, rows, uniforms(view), 60),
        joint_belief().resample(view, rows, uniforms(view), 40, 90),
    ):
        assert found.hands.dtype == np.int64
        assert (np.bitwise_count(found.hands) == 10).all()
        assert (found.hands & (view["hand"] | view["pile"])[:, None] == 0).all()
        assert (~found.hands & view["opponent"][:, None] == 0).all()
        assert (found.weights >= 0).all()
        assert found.weights.sum(axis=1) == pytest.approx(np.ones(len(view)), abs=1e-9)
        assert found.types.shape == (len(view), len(TYPES))
        assert found.types.sum(axis=1) == pytest.approx(np.ones(len(view)), abs=1e-9)
        assert (found.sizes() <= found.hands.shape[1] + 1e-6).all()


def test_one_table_gets_what_a_batch_gets() -> None:
    belief, view = joint_belief(), decisions()
    rows, u = np.arange(len(view)), uniforms(view)
    whole, even = belief.sample(view, rows, u, 50), belief.resample(view, rows, u, 20, 50)
    for some in (rows[:1], rows[7:9], rows[::-5]):
        for all_, few in (
            (whole, belief.sample(view, some, u[some], 50)),
            (even, belief.resample(view, some, u[some], 20, 50)),
        ):
            for a, b in zip(all_, few, strict=True):
                assert (a[some] == b).all()
    assert (belief.sample(view, rows, 1 - u, 50).hands != whole.hands).any()


def test_resampling_keeps_the_weights() -> None:
    """A hand of weight w comes n * w times, give or take less than one."""
    rng = np.random.default_rng(1)
    weights = rng.dirichlet(np.full(8, 0.5), size=5)
    hands = np.arange(40).reshape(5, 8)
    out = np.empty((5, 100), np.int64)
    joint_kernels.pick_rows(hands, weights, rng.random(5), out)
    for k in range(5):
        counts = np.array([(out[k] == hand).sum() for hand in hands[k]])
        assert np.abs(counts - 100 * weights[k]).max() < 1
        assert (np.diff(out[k]) < 0).any(), "in random order"


def test_types_have_limits_for_every_turn() -> None:
    assert KNOCK_LIMITS.shape == (len(TYPES), KNOCK_TURNS)
    assert ((KNOCK_LIMITS >= 0) & (KNOCK_LIMITS <= 10)).all()
    assert len({tuple(row) for row in KNOCK_LIMITS.tolist()}) == len(TYPES)
    view = decisions()
    odds = posterior(view, np.arange(len(view)))
    assert (odds > 0).all()
    assert odds.sum(axis=1) == pytest.approx(np.ones(len(view)))


def test_the_odds_of_types_follow_earlier_rounds() -> None:
    """Who knocked at once in five rounds is not one who waits for gin, and the other way round."""
    view = decisions()[:1].copy()
    view["style"] = 0
    fresh = posterior(view, np.arange(1))[0]
    view["style"] = [5, 30, 4, 24, 32, 0, 0, 0, 0, 30, 40, 6]  # four knocks in turn 6 with 8 points
    knocker = posterior(view, np.arange(1))[0]
    view["style"] = [5, 50, 0, 0, 0, 3, 30, 2, 20, 12, 60, 9]  # three gins, and two hands that could knock
    waiter = posterior(view, np.arange(1))[0]
    at_once, gin = TYPES.index("at-once"), TYPES.index("gin")
    assert knocker[at_once] > 1.5 * fresh[at_once] > 1.5 * waiter[at_once]
    assert waiter[gin] > fresh[gin] > knocker[gin]


def test_true_hands_throw_what_was_thrown() -> None:
    """Whoever plays as a profile of ``hand-strength`` threw what this profile throws from the true hand."""
    past = np.empty((hand_features.PAST_ROWS, hand_features.PAST), np.int64)
    rules = types.shipped(types.MODEL)[types.RULES]
    for rule, name in enumerate(champion_belief.COMPARED):
        run = sim.play(make_player(name), make_player("simple"), range(6), EAAI, 3, record=True)
        found = views(run.rounds, 1, EAAI)
        rows = np.flatnonzero(np.bitwise_count(found.truth) == 10)
        zeros, hands = np.zeros((len(rows), len(TYPES))), found.truth[rows, None]
        out = np.empty((len(rows), 1, hand_features.FEATURES), np.float32)
        _features(found.view, rows, hands, zeros, zeros, rules, past, np.empty(SCRATCH, np.int64), out)
        place = (hand_features.SAME_1, hand_features.SECOND_1, hand_features.THIRD_1)[rule]
        thrown = (found.view["log"][rows, :, 3] >= 0) & (found.view["log"][rows, :, 0] == OTHER)
        some = np.array([thrown[k, : found.view["events"][row]].any() for k, row in enumerate(rows)])
        assert some.sum() > 200
        assert (out[some, 0, place] > 0).all()
        assert (out[~some, 0, place] == 0).all()


@kernel
def _features(view, rows, hands, odds, likely, rules, past, scratch, out):
    for k in range(rows.shape[0]):
        hand_features.read_past(view[rows[k]], past)
        for n in range(hands.shape[1]):
            hand_features.write_features(
                hands[k, n], view[rows[k]], past, odds[k], likely[k, n], rules, scratch, out[k, n]
            )


def test_features_equal_their_slow_twin() -> None:
    view = decisions()[::3]
    rows, rng = np.arange(len(view)), np.random.default_rng(2)
    few = make_estimator("null").sample(view, rows, uniforms(view), 1)
    hands = np.concatenate([few, joint_belief().resample(view, rows, uniforms(view), 2).hands], axis=1)
    odds, likely = rng.dirichlet(np.ones(len(TYPES)), len(view)), -20 * rng.random(hands.shape)
    out = np.empty((*hands.shape, hand_features.FEATURES), np.float32)
    rules = types.shipped(types.MODEL)[types.RULES]
    assert rules.shape[0] == hand_features.RULES
    past = np.empty((hand_features.PAST_ROWS, hand_features.PAST), np.int64)
    _features(view, rows, hands, odds, likely, rules, past, np.empty(SCRATCH, np.int64), out)
    for k in rows:
        seen = sight(view, int(k))
        by_limits = {tuple(KNOCK_LIMITS[t].tolist()): float(odds[k, t]) for t in range(len(TYPES))}
        for n in range(3):
            cards = set(cards_of(int(hands[k, n])))
            slow = slow_features.features(seen, cards, by_limits, likely[k, n], rules)
            assert out[k, n] == pytest.approx(slow, abs=1e-5), f"row {k}: {seen}"
    varied = np.ptp(out.reshape(-1, hand_features.FEATURES), axis=0) > 0
    rare = {hand_features.GIN, hand_features.TWO}  # such hands would have knocked
    assert set(np.flatnonzero(~varied)) <= rare


def relu(x: np.ndarray) -> np.ndarray:
    return np.maximum(x, 0)


def layer(p: np.ndarray, at: int, n: int, m: int, bias: bool = True) -> tuple[np.ndarray, np.ndarray, int]:
    weights = p[at : at + n * m].reshape(n, m).astype(np.float64)
    end = at + n * m
    return weights, p[end : end + m * bias].astype(np.float64), end + m * bias


def test_networks_equal_matrix_products() -> None:
    rng = np.random.default_rng(3)
    cards, hands = (
        rng.normal(0, 0.1, n).astype(np.float32) for n in (joint_nets.CARDS_SIZE, joint_nets.HANDS_SIZE)
    )
    x = (rng.random(joint_nets.INPUTS) * (rng.random(joint_nets.INPUTS) < 0.2)).astype(np.float32)
    room = np.empty(joint_nets.CARDS_ROOM, np.float32)
    situation, logits = np.empty(joint_nets.SITUATION, np.float32), np.empty(52, np.float32)
    joint_nets.card_logits(x, cards, room, situation, logits)

    n, width = joint_nets.SUIT_INPUTS, joint_nets.WIDTH
    planes, context = x[: 4 * n].reshape(4, n).astype(np.float64), x[4 * n :].astype(np.float64)
    own, bias, at = layer(cards, 0, n, width)
    both, _, at = layer(cards, at, n + len(context), width, bias=False)
    one = relu(planes @ own + bias + np.concatenate([planes.mean(0), context]) @ both)
    own, bias, at = layer(cards, at, width, width)
    both, _, at = layer(cards, at, width, width, bias=False)
    two = relu(one @ own + bias + one.mean(0) @ both)
    last, bias, at = layer(cards, at, width, 13)
    assert at == len(cards)
    assert logits == pytest.approx((two @ last + bias).ravel(), abs=1e-4)
    assert situation == pytest.approx(np.concatenate([context, two.mean(0)]), abs=1e-5)

    f = rng.random(hand_features.FEATURES).astype(np.float32)
    mind = np.empty(hand_features.FEATURES + joint_nets.FIRST, np.float32)
    room = np.empty(joint_nets.HANDS_ROOM, np.float32)
    joint_nets.read_situation(situation, hands, room, mind)
    found = joint_nets.energy(f, mind, hands, room)
    first, bias, at = layer(hands, 0, len(situation), joint_nets.MIND)
    second, more, at = layer(hands, at, joint_nets.MIND, len(mind))
    expected = relu(situation @ first + bias) @ second + more
    assert mind == pytest.approx(expected, abs=1e-4)
    first, _, at = layer(hands, at, len(f), joint_nets.FIRST, bias=False)
    second, bias, at = layer(hands, at, joint_nets.FIRST, joint_nets.SECOND)
    third, last_bias, at = layer(hands, at, joint_nets.SECOND, 1)
    assert at == len(hands)
    hidden = relu(relu(f @ first + mind[len(f) :]) @ second + bias)
    assert found == pytest.approx(float(f @ mind[: len(f)] + (hidden @ third + last_bias)[0]), abs=1e-4)


@kernel
def _weigh_all(
    view, belief, types_, cards, net, tilts, rules, singles, ints, doubles, hands, weights, likely
):
    """Weights of given hands, as if each had been drawn once, and their log chances by single cards."""
    joint_kernels.think(view[0], belief[0], types_, cards, singles, ints, doubles)
    _, _, total = joint_kernels.prepare(view[0], singles, ints, doubles)
    for n in range(hands.shape[0]):
        likely[n] = joint_kernels.log_odds(hands[n] & ~view[0].opponent, singles) - total
    joint_kernels.write_energies(view[0], hands, total, False, net, rules, singles, ints, doubles, weights)
    joint_kernels.normalise(weights)


def test_weighted_hands_have_the_distribution_of_the_model() -> None:
    """In a case of few possible hands, all of them can be weighed; samples agree with that."""
    view = decisions()
    late = int(view["stock"].argmin())
    view = view[late : late + 1].copy()
    free = cards_of(DECK & ~int(view["hand"][0] | view["pile"][0] | view["opponent"][0]))
    unknown = 10 - int(view["opponent"][0]).bit_count()
    for card in free[: len(free) - unknown - 3]:  # bury all but a few, so that there are few hands
        view["pile"] |= np.int64(1) << card
    rest = free[len(free) - unknown - 3 :]
    known = int(view["opponent"][0])
    hands = np.array([known | mask_of(some) for some in combinations(rest, unknown)], np.int64)
    belief = joint_belief()
    weights, likely = np.empty(len(hands)), np.empty(len(hands))
    raw = belief._rule.raw(view, np.arange(1))
    _weigh_all(view, raw, *belief._nets, *joint_kernels.room(), hands, weights, likely)
    assert np.exp(likely).sum() == pytest.approx(1)
    target = weights * np.exp(likely)
    target /= target.sum()
    assert len(hands) > 50 and 1 / np.square(target).sum() > 5
    found = belief.sample(view, np.arange(1), np.array([0.3]), 20_000)
    shares = np.array([found.weights[0][found.hands[0] == hand].sum() for hand in hands])
    assert shares.sum() == pytest.approx(1)
    assert np.abs(shares - target).max() < 0.01
    even = belief.resample(view, np.arange(1), np.array([0.3]), 5_000)
    counted = np.array([(even.hands[0] == hand).mean() for hand in hands])
    assert np.abs(counted - target).max() < 0.015


def test_drawn_hands_have_the_exact_chances_of_single_cards() -> None:
    rng = np.random.default_rng(6)
    free, held = np.array([mask_of(range(10, 40))]), np.array([mask_of([1, 2, 50])])
    logits = rng.normal(0, 1.5, (1, 52)).astype(np.float32)
    hands = draw_hands(logits, free, held, np.array([0.25]), 20_000)[0]
    found = (hands[:, None] >> np.arange(52) & 1).mean(axis=0)
    assert found == pytest.approx(exact_chances(logits, free, held)[0][0], abs=0.02)


def test_the_worlds_do_not_change_when_hidden_cards_are_swapped() -> None:
    """A player that looks at nothing but the drawn worlds passes the test of every registered player."""
    test_players.test_it_is_unmoved_when_hidden_cards_are_swapped("estimating:estimator=joint")


def test_a_file_of_another_kind_is_refused(tmp_path) -> None:
    other = tmp_path / "other.npz"
    np.savez(other, **{name: np.zeros(3, np.float32) for name in types.NETS})
    for path in (other, artefacts.DIRECTORY / "bayes.npz"):
        with pytest.raises(BadInput, match="joint belief"):
            joint_belief(str(path))


def test_types_drawn_for_hands_are_not_those_that_would_have_knocked() -> None:
    belief, view = joint_belief(), decisions()
    rows, u = np.arange(len(view)), uniforms(view)
    found = belief.resample(view, rows, u, 50)
    kinds = belief.draw_types(view, rows, found, u)
    assert kinds.shape == found.hands.shape
    turns = view["turns"] - view["own_turns"]
    left = deadwoods(found.hands.ravel()).reshape(found.hands.shape)
    ready = (left <= 10) & (left > 0) & (turns > 0)[:, None]
    assert ready.sum() > 50
    at_once = kinds == TYPES.index("at-once")
    assert at_once[ready].mean() < 0.3 * at_once[~ready].mean()
    counted = np.array([(kinds == kind).mean() for kind in range(len(TYPES))])
    assert np.abs(counted - found.types.mean(axis=0)).max() < 0.1


def test_log_chances_of_all_hands_add_up() -> None:
    """Of the exact ones; the joint ones are estimated and lie near those of weighed samples."""
    view = decisions()[:40]
    rows = np.arange(len(view))
    truth = make_estimator("null").sample(view, rows, uniforms(view), 1)[:, 0]
    unknown = 10 - np.bitwise_count(view["opponent"])
    free = 52 - np.bitwise_count(view["hand"] | view["pile"] | view["opponent"])
    even = make_estimator("null").log_chances(view, rows, truth)
    expected = [-math.log(math.comb(int(n), int(k))) for n, k in zip(free, unknown, strict=True)]
    assert even == pytest.approx(expected)
    few, many = (joint_belief().log_chances(view, rows, truth, n) for n in (500, 4000))
    assert np.abs(few - many).mean() < 0.1
