"""The joint belief: hands that agree with the view, weights, types; the same for a batch and for one table."""

from functools import cache

import numpy as np
import pytest

from ginrummy import sim
from ginrummy.estimators import joint
from ginrummy.estimators.joint import joint_belief
from ginrummy.estimators.types import KNOCK_LIMITS, KNOCK_TURNS, TYPES, posterior
from ginrummy.players.base import Player
from ginrummy.players.registry import make_player
from ginrummy.rules import EAAI


@cache
def decisions() -> np.ndarray:
    """Views at decisions of all kinds: drawing, discarding, knocking."""
    kept = []

    def keep(decide):
        def watched(view, rows, u):
            kept.append(view[rows].copy())
            return decide(view, rows, u)

        return watched

    strong = make_player("hand-strength:profile=tuned")
    watcher = Player("watcher", keep(strong.draw), keep(strong.discard), keep(strong.knock), strong.spread)
    sim.play(watcher, make_player("simple:hitting=0.5"), range(4), EAAI, 9)
    return np.concatenate(kept)[::3]


def chances(view: np.ndarray) -> np.ndarray:
    return np.random.default_rng(4).random(len(view))


def test_hands_agree_with_the_view_and_weights_add_up() -> None:
    view = decisions()
    rows = np.arange(len(view))
    for found in (
        joint_belief().sample(view, rows, chances(view), 60),
        joint_belief().resample(view, rows, chances(view), 40, 90),
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
    rows, u = np.arange(len(view)), chances(view)
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
    joint._pick(hands, weights, rng.random(5), out)
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
