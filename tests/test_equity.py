"""The chance to win the game from both scores."""

from functools import cache

import numpy as np
import pytest

from ginrummy.equity import MOST, chances, results_of, win_chances
from ginrummy.players.registry import make_player
from ginrummy.rules import EAAI, PRESETS
from ginrummy.training.round_points import PLAYER, SEED

POINTS, COUNTS = np.array([-3, 0, 2, 5]), np.array([3, 2, 4, 1])


@pytest.mark.parametrize("keeps", [True, False])
def test_chances_are_those_of_a_slow_recursion(keeps: bool) -> None:
    target, share = 6, COUNTS / COUNTS.sum()

    @cache
    def win(own: int, other: int, starts: int, dead_rounds: int) -> float:
        if dead_rounds > 25:  # the chance of so many dead rounds in a row is below 1e-17
            return 0.5
        total = 0.0
        for points, chance in zip(POINTS.tolist(), share.tolist(), strict=True):
            gain = points if starts else -points
            if gain == 0:
                total += chance * win(own, other, starts if keeps else 1 - starts, dead_rounds + 1)
            elif own + gain >= target:
                total += chance
            elif other - gain < target:
                total += chance * win(own + max(gain, 0), other + max(-gain, 0), 1 - starts, 0)
        return total

    table = chances(POINTS, COUNTS, target, keeps)
    for own in range(target):
        for other in range(target):
            for starts in (0, 1):
                assert table[own, other, starts] == pytest.approx(win(own, other, starts, 0), abs=1e-12)


@pytest.mark.parametrize("rules", PRESETS)
def test_both_sides_share_one_game_and_points_never_hurt(rules: str) -> None:
    table = win_chances(PRESETS[rules])
    assert table.shape == (PRESETS[rules].target,) * 2 + (2,)
    assert np.allclose(table + table.transpose(1, 0, 2)[:, :, ::-1], 1)
    assert (np.diff(table, axis=0) >= 0).all() and (np.diff(table, axis=1) <= 0).all()


def test_other_rules_take_the_nearest_preset() -> None:
    for ours, theirs in zip(results_of(EAAI._replace(target=50)), results_of(EAAI), strict=True):
        assert (ours == theirs).all()
    uk = results_of(PRESETS["uk"]._replace(max_turns=90))
    assert (uk[1] == results_of(PRESETS["uk"])[1]).all()
    assert win_chances(EAAI._replace(target=1000)).shape == (MOST, MOST, 2)


def test_the_shipped_counts_are_those_of_play() -> None:
    """A sample of the games behind the file, played again, has the same mean and share of dead rounds."""
    from ginrummy.players.playing import play

    player = make_player(PLAYER)
    rounds = play(player, player, range(400), EAAI, SEED + 1, record=True).rounds
    points = np.where(rounds["starter"] == 0, rounds["points"], -rounds["points"])
    values, counts = results_of(EAAI)
    mean = (values * counts).sum() / counts.sum()
    spread = np.sqrt((values**2 * counts).sum() / counts.sum())
    assert abs(points.mean() - mean) < 4 * spread / np.sqrt(len(points))
    assert set(np.unique(points).tolist()) <= set(values.tolist())
