"""What ``bench`` measures: decisions by their fastest repeat, rollouts in worlds that the view allows."""

from dataclasses import replace

import numpy as np
import pytest

from ginrummy import bench, sim
from ginrummy.cards import DECK
from ginrummy.players.registry import make_player
from ginrummy.rules import EAAI


def test_a_decision_counts_with_the_fastest_of_its_repeats(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, asked = [0.0], [0]
    simple = make_player("simple")

    def slow(view, rows, u):
        asked[0] += 1
        clock[0] += 9.0 if asked[0] == disturbed else 0.25
        return simple.discard(view, rows, u)

    player, disturbed = replace(simple, discard=slow, compiled=None), -1
    sim.play(player, player, range(2), EAAI, 1, batch=1)
    disturbed = 2 * asked[0] + 5  # in the first repeat that counts
    monkeypatch.setattr(bench, "perf_counter", lambda: clock[0])
    found = bench.decision_us(player, 2)
    assert asked[0] > disturbed
    assert found["greatest"] == pytest.approx(250_000)
    assert 0 < found["mean"] < 250_000


def test_rollouts_begin_at_first_discards_of_different_deals() -> None:
    positions = bench.first_discards(20)
    assert len({int(view["hand"][0]) for view in positions}) == len(positions) == 20
    assert {int(view["own_turns"][0]) for view in positions} == {1}
    assert {int(view["hand"][0]).bit_count() for view in positions} == {11}


def test_worlds_are_all_that_the_view_allows() -> None:
    view = bench.first_discards(2)[0].copy()
    hidden = DECK & ~int(view["hand"][0] | view["pile"][0])
    view["opponent"] = known = hidden & -hidden
    there = bench.uniform_worlds(view, 4000, np.random.default_rng(2))
    stocks = np.bitwise_or.reduce(np.int64(1) << there.stocks.astype(np.int64), axis=1)
    assert (there.hands & known == known).all() and (there.hands & stocks == 0).all()
    assert (there.hands | stocks == hidden).all() and (np.bitwise_count(there.hands) == 10).all()
    others = [card for card in range(52) if (hidden & ~known) >> card & 1]
    shares = [(there.hands >> card & 1).mean() for card in others]
    assert np.abs(np.array(shares) - 9 / len(others)).max() < 0.04
    firsts = np.bincount(there.stocks[:, 0], minlength=52)[others] / 4000
    assert np.abs(firsts - 1 / len(others)).max() < 0.02


def test_only_players_made_of_kernels_roll_out() -> None:
    assert bench.rollouts_per_second(make_player("simple"), 2, 10) > 0
    with pytest.raises(ValueError, match="not made of kernels"):
        bench.rollouts_per_second(make_player("knocking"), 2, 10)
