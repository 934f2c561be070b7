"""Games against the clock: forfeits, whose time is counted, and nothing else changed.

The clocks of most tests stand still unless a player spins or sleeps, so a busy machine changes nothing.
"""

import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ginrummy import sim, timed, tournament
from ginrummy.errors import BadInput
from ginrummy.players.base import Player
from ginrummy.players.registry import make_player
from ginrummy.rules import EAAI
from ginrummy.runs import JournalError
from ginrummy.timed import NOBODY

AMPLE = 1000.0
"""Seconds that nobody uses up."""
SLOW = """
import time
from dataclasses import replace
from ginrummy.players.baseline import simple

def player():
    quick = simple()
    def draw(view, rows, u):
        if view["starts"][0] and view["round"][0] == 1:
            {wait}
        return quick.draw(view, rows, u)
    return replace(quick, name="slow", draw=draw)
"""


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GINRUMMY_STATE", str(tmp_path / "state"))


def outside(directory: Path, wait: str) -> str:
    """A player from outside that waits in the second round, if it starts that round."""
    (directory / "slow.py").write_text(SLOW.format(wait=wait), encoding="utf-8")
    return f"py:{directory}/slow.py@player"


class Clocks:
    """Clocks of one's own: work moves both, waiting moves the wall clock alone."""

    processor = wall = 0.0

    def spin(self, seconds: float) -> None:
        self.processor += seconds
        self.wall += seconds

    def sleep(self, seconds: float) -> None:
        self.wall += seconds


@pytest.fixture
def clocks(monkeypatch: pytest.MonkeyPatch) -> Clocks:
    made = Clocks()
    monkeypatch.setattr(timed, "process_time", lambda: made.processor)
    monkeypatch.setattr(timed, "perf_counter", lambda: made.wall)
    monkeypatch.setattr(time, "sleep", made.sleep)
    return made


def wasting(waste, rounds: int = 0) -> Player:
    """The baseline of the package, but for what it does before a draw after so many rounds."""
    quick = make_player("simple")

    def draw(view, rows, u):
        assert len(rows) == 1, "games against the clock are played one at a time"
        if view["round"][rows[0]] >= rounds:
            waste()
        return quick.draw(view, rows, u)

    return replace(quick, draw=draw, compiled=None)


@pytest.mark.parametrize("pair", [("simple", "random"), ("hand-strength", "knocking")])
def test_with_time_enough_the_games_are_those_of_lockstep(pair: tuple[str, str]) -> None:
    first, second = map(make_player, pair)
    games = range(6, 17)
    run = timed.play(first, second, games, EAAI, 3, AMPLE)
    assert (run.games == sim.play(first, second, games, EAAI, 3).games).all()
    assert (run.forfeits == NOBODY).all() and len(run.forfeits) == len(games)
    assert min(run.seconds) > 0


def test_a_player_from_outside_plays_even_and_odd_games_apart(tmp_path: Path) -> None:
    player, simple = make_player(outside(tmp_path, "pass")), make_player("simple")
    run = timed.play(player, simple, range(3, 12), EAAI, 3, AMPLE)
    assert (run.games == sim.play(simple, simple, range(3, 12), EAAI, 3).games).all()


def test_the_side_that_is_late_forfeits_the_game_at_once(clocks: Clocks) -> None:
    late, simple = wasting(lambda: clocks.spin(31), rounds=1), make_player("simple")
    whole = sim.play(simple, simple, range(4), EAAI, 1).games
    for side, pair in enumerate([(late, simple), (simple, late)]):
        run = timed.play(*pair, range(4), EAAI, 1, 30)
        assert run.forfeits.tolist() == [side] * 4
        assert (run.games["outcomes"].sum(axis=1) == 1).all()  # the round under way is not counted
        assert (whole["outcomes"].sum(axis=1) > 1).all()
        assert (run.games["score"].max(axis=1) < 100).all()
        assert (run.games["decisions"][:, side] > 0).all()


def test_time_is_counted_game_by_game(clocks: Clocks) -> None:
    """A player that uses three seconds for a draw may draw ten times in each game, not in all games."""
    player, simple = wasting(lambda: clocks.spin(3)), make_player("simple")
    draws = clocks.processor
    run = timed.play(player, simple, range(4), EAAI, 1, AMPLE)
    assert (run.forfeits == NOBODY).all()
    spent = clocks.processor - draws
    assert spent > 4 * 30
    most = timed.play(player, simple, range(4), EAAI, 1, spent * 0.6)
    assert (most.forfeits == NOBODY).all()
    least = timed.play(player, simple, range(4), EAAI, 1, 6)
    assert (least.forfeits == 0).all()
    assert (least.games["decisions"][:, 0] >= 3).all()  # the third draw is one too many


def test_the_limit_itself_may_be_used(clocks: Clocks) -> None:
    player, simple = wasting(lambda: clocks.spin(1), rounds=99), make_player("simple")
    once = [True]

    def draw(view, rows, u):
        if once:
            once.pop()
            clocks.spin(30)
        return player.draw(view, rows, u)

    assert timed.play(replace(player, draw=draw), simple, range(1), EAAI, 1, 30).forfeits.tolist() == [NOBODY]


def test_who_waits_uses_time_only_if_it_comes_from_outside(clocks: Clocks, tmp_path: Path) -> None:
    simple = make_player("simple")
    run = timed.play(wasting(lambda: time.sleep(31)), simple, range(2), EAAI, 1, 30)
    assert run.forfeits.tolist() == [NOBODY] * 2 and clocks.wall > 100
    for side in (0, 1):
        late = make_player(outside(tmp_path, "time.sleep(31)"))
        pair = (late, simple) if side == 0 else (simple, late)
        found = timed.play(*pair, range(8), EAAI, 1, 30)
        lost = found.forfeits == side
        assert 0 < lost.sum() < 8 and (found.forfeits[~lost] == NOBODY).all()
        assert (found.games["outcomes"][lost].sum(axis=1) == 1).all()


def test_forfeits_are_losses_whatever_the_scores() -> None:
    games = np.zeros(4, timed.GAME)
    games["score"] = [[90, 0], [90, 0], [0, 90], [0, 90]]
    forfeits = np.array([0, -1, 1, 0], np.int8)
    counts = tournament.count_games(sim.Run(games, (0.0, 0.0), games[:0], forfeits), EAAI)
    assert counts["wins"] == [2, 2] and counts["forfeits"] == [2, 1]
    assert counts["pairs"] == [0, 0, 2, 0, 0]
    said = tournament.summary(counts)
    assert (said["forfeits_a"], said["forfeits_b"]) == (2, 1) and said["win_rate_a"] == 0.5
    assert said["rounds"] == 0 and said["turns_per_round"] == 0
    plain = tournament.count_games(sim.Run(games, (0.0, 0.0), games[:0]), EAAI)
    assert "forfeits" not in plain and "forfeits_a" not in tournament.summary(plain)


def test_a_match_counts_forfeits_and_its_limit_is_part_of_the_run(clocks: Clocks, tmp_path: Path) -> None:
    spec, journal = outside(tmp_path, "time.sleep(31)"), tmp_path / "journal"
    plan = tournament.Plan(8, 1, EAAI, journal=journal, seconds_per_game=30.0)
    result = tournament.match("simple", spec, plan)
    assert result["seconds_per_game"] == 30
    assert result["forfeits_a"] == 0 and 0 < result["forfeits_b"] < 8
    assert result["wins_a"] >= result["forfeits_b"]
    again = tournament.match("simple", spec, plan)
    assert again["forfeits_b"] == result["forfeits_b"]
    for other in (None, 29.0):
        with pytest.raises(JournalError):
            tournament.match("simple", spec, plan._replace(seconds_per_game=other))


@pytest.mark.parametrize("limit", [0.0, -1.0, float("nan"), float("inf")])
def test_a_limit_without_meaning_is_refused(limit: float) -> None:
    simple = make_player("simple")
    with pytest.raises(BadInput, match="seconds above 0"):
        timed.play(simple, simple, range(2), EAAI, 1, limit)
    with pytest.raises(BadInput, match="seconds above 0"):
        tournament.match("simple", "simple", tournament.Plan(2, 1, EAAI, seconds_per_game=limit))
