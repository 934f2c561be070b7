"""Play data: rebuilt views are what players saw, rows are what happened, files are whole and readable."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from ginrummy import moments, sim
from ginrummy.errors import BadInput
from ginrummy.melds import deadwoods
from ginrummy.players.base import Player
from ginrummy.players.baseline import random, simple
from ginrummy.rules import EAAI, PRESETS
from ginrummy.runs import JournalError
from ginrummy.scoring import DEAD, KNOCK, UNDERCUT
from ginrummy.tournament import Plan
from ginrummy.training import play_data
from ginrummy.view import FIRST_OFFER, PASSED, sight
from scripted import watched

PLAYERS = {"simple": simple(), "random": random()}
DECK = (1 << 52) - 1


def play(names: str, preset: str = "eaai", games: int = 6, **changes: int) -> sim.Run:
    first, second = (PLAYERS[name] for name in names.split("-"))
    rules = PRESETS[preset]._replace(**{"max_rounds": 4} | changes)
    return sim.play(first, second, range(games), rules, 7, record=True)


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("names", ["simple-simple", "simple-random", "random-simple", "random-random"])
@pytest.mark.parametrize("preset", PRESETS)
def test_rebuilt_views_are_what_the_player_saw(preset: str, names: str, side: int) -> None:
    """One game at a time: at a draw the player sees what there was after the opponent's last event."""
    rules = PRESETS[preset]._replace(max_rounds=3)
    compared = 0
    for game in range(8):
        seen = []

        def note(name: str, row: int, shown, u: float, answer: object) -> None:
            if name == "draw" and shown.offer != FIRST_OFFER:
                seen.append(shown)

        players: list[Player] = [PLAYERS[name] for name in names.split("-")]
        players[side] = watched(players[side], note)
        run = sim.play(*players, range(game, game + 1), rules, 3, record=True)
        found = moments.views(run.rounds, side, rules)
        rebuilt = {
            (v["round"].item(), v["events"].item()): sight(found.view, k) for k, v in enumerate(found.view)
        }
        for shown in seen:
            assert rebuilt[shown.round, shown.events] == shown._replace(
                earlier=()
            )  # views have counters alone
        compared += len(seen)
    assert compared > 20


@pytest.mark.parametrize("side", [0, 1])
def test_truth_and_places_of_rebuilt_views(side: int) -> None:
    run = play("simple-random")
    found = moments.views(run.rounds, side, EAAI)
    assert (found.view["hand"] & found.truth == 0).all()
    assert (found.view["pile"] & found.truth == 0).all()
    assert (found.view["opponent"] & ~found.truth == 0).all()
    assert (np.bitwise_count(found.truth) == 10).all()
    assert (found.turn == found.view["turns"]).all()
    for place, record in enumerate(run.rounds):
        mine = found.round == place
        theirs = [event for event in record["log"][side][: record["events"]] if event[0] == 1]
        assert found.opponent_events[mine].tolist() == list(range(1, len(theirs) + 1))
        if record["log"][side][record["events"] - 1][0] == 1:
            assert found.truth[mine][-1] == record["hands"][1 - side]


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("names", ["simple-simple", "random-simple"])
def test_decisions_follow_from_the_records(names: str, preset: str) -> None:
    run = play(names, preset)
    rules = PRESETS[preset]._replace(max_rounds=4)
    rows = moments.decisions(run.rounds, run.games, rules)
    assert len(rows) == run.rounds["events"].sum()
    start = 0
    for record in moments.in_order(run.rounds):
        part = rows[start : start + record["events"]]
        start += record["events"]
        assert (part["game"] == record["game"]).all()
        assert (part["round"] == record["round"]).all()
        assert part["event"].tolist() == list(range(len(part)))
        check_round(record, part)


def check_round(record, part) -> None:
    """Walk one round with sets of cards, apart from the kernel."""
    deck = record["deck"].tolist()
    seats = [set(deck[:10]), set(deck[10:20])]
    hands = [seats[record["seat"]], seats[1 - record["seat"]]]
    pile, stock = {deck[20]}, deck[21:]
    known: list[set[int]] = [set(), set()]
    takes, draws = [0, 0], [0, 0]
    for row in part:
        side, other = int(row["side"]), 1 - int(row["side"])
        assert row["starter"] == (record["starter"] == side)
        assert row["seat"] == record["seat"] ^ side
        assert (row["hand"], row["pile"]) == (mask(hands[side]), mask(pile))
        assert (row["opponent_known"], row["opponent_hand"]) == (mask(known[side]), mask(hands[other]))
        assert row["stock"] == len(stock)
        assert row["upcard"] in pile
        if row["passed"]:
            assert (row["drawn"], row["discard"]) == (PASSED, -1)
        else:
            draws[side] += 1
            if row["took"]:
                assert row["drawn"] == row["upcard"]
                pile.remove(int(row["drawn"]))
                known[other].add(int(row["drawn"]))
                takes[side] += 1
            else:
                assert row["drawn"] == stock.pop(0)
            hands[side].add(int(row["drawn"]))
        if row["discard"] >= 0:
            hands[side].remove(int(row["discard"]))
            pile.add(int(row["discard"]))
            known[other].discard(int(row["discard"]))
        assert row["hand_after"] == mask(hands[side])
        assert row["deadwood_after"] == deadwoods(np.array([mask(hands[side])]))[0]
        assert (row["turn"], row["own_turn"]) == (sum(draws), draws[side])
        assert (row["takes"], row["opponent_takes"]) == (takes[side], takes[other])
        assert row["final_hand"] == record["hands"][side]
        assert row["final_opponent_hand"] == record["hands"][other]
        assert row["points"] == (record["points"] if side == 0 else -record["points"])
        assert row["outcome"] == record["outcome"]
        assert row["score"] == record["before"][side]
    last = part[-1] if len(part) else None
    assert [bool(x) for x in part["knocked"][:-1]] == [False] * (len(part) - 1)
    if last is not None:
        assert bool(last["knocked"]) == (record["outcome"] != DEAD)
        assert not last["knocked"] or last["could_knock"] or last["discard"] < 0
        assert last["final_hand"] == last["hand_after"]


def mask(cards: set[int]) -> int:
    return sum(1 << card for card in cards)


def test_what_the_columns_say_of_knocks_and_games() -> None:
    run = play("simple-simple", max_rounds=1000)
    rows = moments.decisions(run.rounds, run.games, EAAI)
    assert (rows["could_knock"] == (~rows["passed"] & (rows["deadwood_after"] <= 10))).all()
    assert (rows["knocked"] == rows["could_knock"]).all()  # the baseline knocks at once
    for game, result in enumerate(run.games):
        winner = 0 if result["score"][0] > result["score"][1] else 1
        mine = rows["game"] == game
        assert (rows["won_game"][mine] == (rows["side"][mine] == winner)).all()
    ends = rows[rows["knocked"] & np.isin(rows["outcome"], [KNOCK, UNDERCUT])]
    assert ((ends["points"] > 0) == (ends["outcome"] == KNOCK)).all()
    assert (rows["final_deadwood"] == deadwoods(rows["final_hand"])).all()


def test_part_of_the_games_knows_its_winners() -> None:
    whole = sim.play(simple(), simple(), range(20), EAAI, 2, record=True)
    part = sim.play(simple(), simple(), range(8, 14), EAAI, 2, record=True)
    rows = moments.decisions(whole.rounds, whole.games, EAAI)
    some = moments.decisions(part.rounds, part.games, EAAI)
    assert (rows[(rows["game"] >= 8) & (rows["game"] < 14)] == some).all()


def test_part_of_the_rounds_knows_its_winners() -> None:
    run = sim.play(simple(), simple(), range(10, 30), EAAI, 2, record=True)
    rows = moments.decisions(run.rounds, run.games, EAAI)
    assert 0 < (rows["won_game"] & (rows["side"] == 0)).sum() < (rows["side"] == 0).sum()
    later = run.rounds[run.rounds["game"] >= 17]
    odd = run.rounds[run.rounds["game"] % 2 == 1]
    assert (moments.decisions(later, run.games, EAAI, 10) == rows[rows["game"] >= 17]).all()
    assert (moments.decisions(later, run.games[7:], EAAI) == rows[rows["game"] >= 17]).all()
    assert (moments.decisions(odd, run.games[1::2], EAAI) == rows[rows["game"] % 2 == 1]).all()
    firsts = run.rounds[run.rounds["round"] == 0]
    assert (moments.decisions(firsts, run.games, EAAI) == rows[rows["round"] == 0]).all()
    with pytest.raises(BadInput, match=r"results of the 13 games of these rounds, or .* got 20 results"):
        moments.decisions(later, run.games, EAAI)
    for first in (11, 18, -10):
        with pytest.raises(BadInput, match=f"expected rounds of games {first} to {first + 19}, got"):
            moments.decisions(run.rounds, run.games, EAAI, first)


def test_no_rounds_no_rows() -> None:
    run = play("simple-simple")
    assert len(moments.decisions(run.rounds[:0], run.games, EAAI)) == 0
    assert len(moments.views(run.rounds[:0], 0, EAAI).view) == 0


def test_bits() -> None:
    assert moments.bits(np.array([DECK, 5]))[:, :4].tolist() == [[1, 1, 1, 1], [1, 0, 1, 0]]
    assert moments.bits(np.array([0, DECK])).sum(axis=1).tolist() == [0, 52]


def write(path: Path, games: int = 12, workers: int = 1, **settings: bool) -> dict:
    return play_data.write(
        "simple", "random", Plan(games, 3, EAAI._replace(max_rounds=3), workers, **settings), path
    )


def test_a_file_holds_the_rows_whatever_the_workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = EAAI._replace(max_rounds=3)
    expected = play_data.collect(simple(), random(), range(12), rules, 3)
    result = write(tmp_path / "a.parquet")
    monkeypatch.setattr(play_data, "CHUNK", 4)
    write(tmp_path / "b.parquet", workers=2)
    assert play_data.collect(simple(), random(), range(12), rules, 3).equals(expected)
    for name in ("a", "b"):
        assert play_data.read(tmp_path / f"{name}.parquet").equals(expected)
    assert result["rows"] == len(expected)
    assert result["rounds"] == expected.select("game", "round").n_unique()
    assert result["bytes"] == (tmp_path / "a.parquet").stat().st_size
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.parquet", "b.parquet"]


def test_the_rows_do_not_depend_on_the_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = play_data.collect(simple(), simple(), range(10), EAAI, 3)
    monkeypatch.setattr(play_data, "CHUNK", 3)
    assert play_data.collect(simple(), simple(), range(10), EAAI, 3).equals(whole)
    assert whole.schema == play_data.TYPES
    assert whole.equals(whole.sort("game", "round", "event"))


def test_a_file_says_what_it_is(tmp_path: Path) -> None:
    write(tmp_path / "a.parquet", games=3)
    said = play_data.about(tmp_path / "a.parquet")
    assert said["players"] == ["simple", "random"]
    assert (said["games"], said["seed"], said["rules"]) == (4, 3, "eaai:max_rounds=3")
    assert said["provenance"]["code"]
    meanings = json.loads(pl.read_parquet_metadata(tmp_path / "a.parquet")["ginrummy.columns"])
    assert list(meanings) == list(moments.COLUMNS)


def test_other_files_are_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "text.parquet").write_text("not a table")
    pl.DataFrame({"a": [1]}).write_parquet(tmp_path / "other.parquet")
    old = {"ginrummy.schema": "0"}
    pl.DataFrame({"a": [1]}).write_parquet(tmp_path / "old.parquet", metadata=old)
    named = {"ginrummy.schema": str(play_data.SCHEMA), "ginrummy.made_by": "{}"}
    pl.DataFrame({"a": [1]}).write_parquet(tmp_path / "columns.parquet", metadata=named)
    for name, message in {
        "text": "not a Parquet file",
        "other": "not play data",
        "old": "has version 0",
        "columns": "does not have the columns",
    }.items():
        with pytest.raises(ValueError, match=message) as error:
            play_data.read(tmp_path / f"{name}.parquet")
        assert "\n" not in str(error.value)


@pytest.mark.parametrize("damage", ["missing", "cut", "other rows"])
def test_a_part_that_is_not_what_the_journal_says_is_refused(
    damage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(play_data, "CHUNK", 4)
    path = tmp_path / "a.parquet"
    with monkeypatch.context() as broken:
        broken.setattr(play_data, "_join", stop)
        with pytest.raises(KeyboardInterrupt):
            write(path)
    part = tmp_path / "a.parquet.parts" / "4.npy"
    content = part.read_bytes()
    part.unlink()
    if damage == "cut":
        part.write_bytes(content[:-100])
    elif damage == "other rows":
        np.save(part, np.zeros(3))
    with pytest.raises(
        JournalError, match="shard 1 is not a result of this run; remove the file or use --fresh"
    ):
        write(path)
    write(path, fresh=True)


def test_more_games_than_one_run_takes_leave_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="too many games for one run"):
        write(tmp_path / "a.parquet", games=10**20)
    assert list(tmp_path.iterdir()) == []


def test_the_files_behind_a_player_are_kept_with_its_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text("from ginrummy.players.baseline import simple as make\n")
    result = play_data.write("py:mine.py@make", "simple", Plan(2, 3, EAAI), Path("a.parquet"))
    assert list(result["provenance"]["files"]) == ["mine.py"]
    assert play_data.about(Path("a.parquet"))["provenance"]["files"] == result["provenance"]["files"]


def test_an_interrupted_file_is_finished_from_its_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(play_data, "CHUNK", 4)
    path = tmp_path / "a.parquet"
    with monkeypatch.context() as broken:
        broken.setattr(play_data, "_join", stop)
        with pytest.raises(KeyboardInterrupt):
            write(path)
    assert not path.exists()
    with monkeypatch.context() as idle:
        idle.setattr(play_data, "rows_of", stop)  # all parts are there: nothing is played again
        write(path)
    whole = play_data.read(path)
    with monkeypatch.context() as broken:
        broken.setattr(play_data, "_join", stop)
        with pytest.raises(KeyboardInterrupt):
            write(path)
    assert play_data.read(path).equals(whole)  # the old file stays until the new one is whole
    write(path, fresh=True)
    assert play_data.read(path).equals(whole)
    assert [p.name for p in tmp_path.iterdir()] == ["a.parquet"]


def stop(*words: object) -> None:
    raise KeyboardInterrupt


def ginrummy(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "ginrummy", *words],
        capture_output=True,
        text=True,
        env=os.environ | {"COLUMNS": "100"},
    )


def test_the_command(tmp_path: Path) -> None:
    path = tmp_path / "play.parquet"
    done = ginrummy("data", "simple", "simple", "--games", "20", "--seed", "5", "--out", str(path), "--json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["rows"] == len(play_data.read(path)) > 1000
    assert {"rounds", "bytes", "seconds", "provenance", "games", "seed", "rules"} <= result.keys()
    said = ginrummy("data", "simple", "simple", "--games", "20", "--out", str(path)).stdout
    assert "rows" in said and "MB" in said


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nobody", "simple", "--out", "{}/a.parquet"], "unknown player 'nobody'"),
        (["simple", "simple"], "Missing option '--out'"),
        (["simple", "simple", "--out", "/no/such/place.parquet"], "cannot write /no/such/place.parquet"),
        (["simple", "simple", "--out", "{}/a.parquet", "--rules", "bridge"], "unknown rules 'bridge'"),
        (["simple", "simple", "--out", "{}/a.parquet", "--games", "0"], "--games"),
    ],
)
def test_a_mistake_is_one_line(words: list[str], message: str, tmp_path: Path) -> None:
    done = ginrummy("data", *(word.format(tmp_path) for word in words))
    assert done.returncode == 2
    assert done.stdout == ""
    (line,) = [line for line in done.stderr.splitlines() if line.strip()]
    assert message in line
    assert list(tmp_path.iterdir()) == []


def test_the_page_lists_the_columns_and_its_example_runs(tmp_path: Path) -> None:
    page = (Path(__file__).parent.parent / "docs/data.md").read_text(encoding="utf-8")
    for name, (kind, meaning) in moments.COLUMNS.items():
        assert f"| `{name}` | {kind.__name__.rstrip('_')} | {meaning} |" in page
    write(tmp_path / "a.parquet")
    code = (
        page.split("```python\n")[1]
        .split("```")[0]
        .replace("/tmp/ginrummy-play.parquet", f"{tmp_path}/a.parquet")
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "['simple', 'random']" in done.stdout
