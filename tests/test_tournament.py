"""Matches and tournaments: what is counted, and that nothing is lost or changed by an interruption."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ginrummy import tournament
from ginrummy.players.base import Player
from ginrummy.players.baseline import simple
from ginrummy.rules import EAAI, PRESETS
from ginrummy.runs import JournalMismatch
from ginrummy.tournament import Plan, add_counts, count_shard, match

LONG = 240_000
"""Games that last long enough to be interrupted."""
TIMES = ("seconds", "provenance", "decision_ms_mean_a", "decision_ms_mean_b")


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GINRUMMY_STATE", str(tmp_path / "state"))
    return tmp_path / "state"


def numbers(result: dict) -> dict:
    return {key: value for key, value in result.items() if key not in TIMES}


def test_a_match_counts_what_the_games_say() -> None:
    result = match("simple", "random", Plan(40, 1, EAAI))
    games = tournament.play(simple(), tournament.make_player("random"), range(40), EAAI, 1).games
    margins = games["score"][:, 0] - games["score"][:, 1]
    outcomes = games["outcomes"].sum(axis=0)
    assert result["wins_a"] == (margins > 0).sum()
    assert result["win_rate_a"] == (margins > 0).mean()
    assert result["mean_margin_a"] == margins.mean()
    assert result["share_won_by_100_a"] == (margins >= 100).mean()
    assert result["rounds"] == outcomes.sum()
    assert result["turns_per_round"] == games["turns"].sum() / outcomes.sum()
    rates = [result[f"{kind}_rate"] for kind in ("gin", "knock", "undercut", "dead")]
    assert sum(rates) == pytest.approx(1)
    assert result["wilson90_a"][0] < result["win_rate_a"] <= result["wilson90_a"][1]


@pytest.mark.parametrize("rules", ["us-boxes", "openspiel", "straight"])
def test_other_rules_count_too(rules: str) -> None:
    result = match("simple", "simple", Plan(60, 1, PRESETS[rules]))
    assert result["games"] == 60
    if rules == "us-boxes":
        assert abs(result["mean_margin_a"]) < 200 and result["share_won_by_100_a"] > 0.3


def test_drawn_games_count_half() -> None:
    result = match("random", "random", Plan(20, 1, EAAI._replace(max_rounds=1)))
    assert result["drawn_games"] > 10
    assert result["win_rate_a"] == (result["wins_a"] + result["drawn_games"] / 2) / 20


def test_an_odd_number_of_games_is_rounded_up_to_pairs() -> None:
    assert match("simple", "simple", Plan(3, 1, EAAI))["games"] == 4


@pytest.mark.parametrize("workers", [1, 2])
def test_shards_and_workers_do_not_change_the_numbers(workers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = numbers(match("simple", "simple", Plan(700, 4, EAAI)))
    monkeypatch.setattr(tournament, "_shard_size", lambda pair: 100)
    assert numbers(match("simple", "simple", Plan(700, 4, EAAI, workers))) == whole


def test_shards_add_up() -> None:
    def shard(start: int, stop: int) -> dict:
        counts = count_shard(
            {"players": ["simple", "random"], "rules": "eaai", "seed": 2, "start": start, "stop": stop}
        )
        return {key: value for key, value in counts.items() if key != "seconds"}

    total = add_counts([shard(0, 10), shard(10, 30)])
    whole = shard(0, 30)
    assert {k: v for k, v in total.items() if k != "margins"} == {
        k: v for k, v in whole.items() if k != "margins"
    }
    assert dict(sorted(total["margins"].items())) == dict(sorted(whole["margins"].items()))


def test_a_finished_match_leaves_no_journal(own_state: Path) -> None:
    match("simple", "simple", Plan(10, 1, EAAI))
    assert list(own_state.iterdir()) == []


def test_a_journal_that_was_asked_for_is_kept_and_used(tmp_path: Path) -> None:
    path = tmp_path / "work.jsonl"
    first = match("simple", "simple", Plan(10, 1, EAAI, journal=path))
    lines = path.read_text().splitlines()
    assert len(lines) == 2
    assert numbers(match("simple", "simple", Plan(10, 1, EAAI, journal=path))) == numbers(first)
    assert path.read_text().splitlines() == lines


def test_a_journal_of_other_code_or_parameters_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "work.jsonl"
    match("simple", "simple", Plan(10, 1, EAAI, journal=path))
    with pytest.raises(JournalMismatch, match="seed"):
        match("simple", "simple", Plan(10, 2, EAAI, journal=path))
    monkeypatch.setattr(tournament, "code_digest", lambda: "other")
    with pytest.raises(JournalMismatch, match="code"):
        match("simple", "simple", Plan(10, 1, EAAI, journal=path))
    assert match("simple", "simple", Plan(10, 2, EAAI, journal=path, fresh=True))["seed"] == 2


@pytest.fixture(scope="module")
def undisturbed() -> dict:
    """The numbers of a match that nobody interrupts."""
    shards = [
        count_shard(
            {"players": ["simple", "simple"], "rules": "eaai", "seed": 1, "start": k, "stop": k + 2000}
        )
        for k in range(0, LONG, 2000)
    ]
    return tournament.summary(add_counts(shards))


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT], ids=["kill", "interrupt"])
@pytest.mark.parametrize("workers", [1, 2])
def test_an_interrupted_match_goes_on_and_ends_with_the_same_numbers(
    how: signal.Signals, workers: int, own_state: Path, undisturbed: dict
) -> None:
    words = ["match", "simple", "simple", "--games", str(LONG), "--workers", str(workers), "--json"]
    command = [sys.executable, "-m", "ginrummy", *words]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=os.environ)
    deadline = time.monotonic() + 120
    while not any(len(path.read_text().splitlines()) > 3 for path in own_state.glob("*.jsonl")):
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.01)
    process.send_signal(how)
    message = process.communicate(timeout=60)[1].decode()
    assert process.returncode == (130 if how == signal.SIGINT else -signal.SIGKILL)
    assert how == signal.SIGKILL or "the same command goes on from there" in message
    (journal,) = own_state.glob("*.jsonl")
    assert 3 < len(journal.read_text().splitlines()) < 1 + LONG // 2000
    ended = subprocess.run(command, capture_output=True, check=True, env=os.environ)
    result = numbers(json.loads(ended.stdout))
    assert {key: result[key] for key in numbers(undisturbed)} == numbers(undisturbed)


def test_a_tournament_rates_everybody() -> None:
    result = tournament.tournament(["random", "simple"], Plan(50, 1, EAAI))
    assert [row["player"] for row in result["ratings"]] == ["simple", "random"]
    for row in result["ratings"]:
        assert row["low"] < row["rating"] < row["high"]
    (only,) = result["matches"]
    assert only["win_rate_a"] < 0.1
    with pytest.raises(ValueError, match="different"):
        tournament.tournament(["simple", "simple"], Plan(50, 1, EAAI))


def test_an_error_of_a_player_keeps_what_is_finished(
    monkeypatch: pytest.MonkeyPatch, own_state: Path
) -> None:
    calls = []

    def break_down(payload: dict) -> dict:
        calls.append(payload)
        if len(calls) == 3:
            raise ValueError("broken player")
        return count_shard(payload)

    monkeypatch.setattr(tournament, "count_shard", break_down)
    monkeypatch.setattr(tournament, "_shard_size", lambda pair: 10)
    with pytest.raises(ValueError, match="broken player"):
        match("simple", "simple", Plan(50, 1, EAAI))
    match("simple", "simple", Plan(50, 1, EAAI))
    assert [call["start"] for call in calls] == [0, 10, 20, 20, 30, 40]


def test_the_compiled_loop_is_used_only_where_it_can_be() -> None:
    slow = Player("slow", simple().draw, simple().discard, simple().knock, simple().spread)
    fast = tournament.play(simple(), simple(), range(10), EAAI, 1)
    assert (tournament.play(slow, simple(), range(10), EAAI, 1).games == fast.games).all()
