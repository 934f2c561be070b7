"""Games as CSV: what the files say, the same bytes however they were made, whole or not at all."""

import csv
import json
from pathlib import Path

import pytest

from ginrummy import evidence, sheets, tournament
from ginrummy.errors import BadInput
from ginrummy.players.registry import make_player
from ginrummy.rules import EAAI, PRESETS
from ginrummy.runs import JournalError
from ginrummy.sheets import GAMES, STATS, Sheets
from ginrummy.tournament import Plan

NAMES = ("games.csv", "stats.csv")


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GINRUMMY_STATE", str(tmp_path / "state"))


def written(sheet: Sheets) -> dict[str, bytes]:
    sheet.check()
    sheet.write()
    return {name: (sheet.directory / name).read_bytes() for name in NAMES}


def rows(text: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(text.decode().splitlines()))


def test_a_row_for_each_game_and_each_pairing(tmp_path: Path) -> None:
    sheet = Sheets(tmp_path / "csv")
    players = ["simple", "random", "hitting:threshold=12.5,reward=2.0"]
    rules = PRESETS["us-boxes"]
    result = tournament.tournament(players, Plan(6, 2, rules), sheets=sheet)
    files = written(sheet)
    games, stats = rows(files["games.csv"]), rows(files["stats.csv"])
    assert tuple(games[0]) == GAMES and tuple(stats[0]) == STATS
    assert [(row["match"], row["game"]) for row in games] == [
        (str(m), str(g)) for m in range(3) for g in range(6)
    ]
    assert [row["seat_a"] for row in games] == ["0", "1"] * 9
    assert [row["player_b"] for row in stats] == [players[1], players[2], players[2]]
    played = tournament.play(make_player("simple"), make_player(players[2]), range(6), rules, 2).games
    second = [row for row in games if row["match"] == "1"]
    assert [int(row["score_a"]) for row in second] == played["score"][:, 0].tolist()
    assert [int(row["rounds_won_b"]) for row in second] == played["won"][:, 1].tolist()
    assert [int(row["rounds"]) for row in second] == played["outcomes"].sum(axis=1).tolist()
    for row, said in zip(stats, result["matches"], strict=True):
        mine = [game for game in games if game["match"] == row["match"]]
        wins = [sum(game["winner"] == side for game in mine) for side in ("a", "b", "draw")]
        assert wins == [int(row[key]) for key in ("wins_a", "wins_b", "drawn_games")]
        assert float(row["win_rate_a"]) == said["win_rate_a"]
        assert [float(row["low95_a"]), float(row["high95_a"])] == said["pair_ci95_a"]
        margins = [int(game["total_a"]) - int(game["total_b"]) for game in mine]
        assert float(row["mean_margin_a"]) == pytest.approx(sum(margins) / 6) == said["mean_margin_a"]
        assert float(row["mean_score_b"]) == sum(int(game["score_b"]) for game in mine) / 6
        assert (row["forfeits_a"], row["forfeits_b"]) == ("0", "0")


def test_winners_and_forfeits_by_name() -> None:
    assert [sheets.winner((3, 2), -1), sheets.winner((2, 3), -1), sheets.winner((2, 2), -1)] == [0, 1, -1]
    assert [sheets.winner((3, 2), 0), sheets.winner((3, 2), 1)] == [1, 0]
    row = sheets._game_row(0, 3, ("x", "y"), (50, 20, 50, 20, 2, 2, 0, 31, 0))
    assert dict(zip(GAMES, row, strict=True)) == {
        "match": 0, "game": 3, "player_a": "x", "player_b": "y", "seat_a": 1, "score_a": 50, "score_b": 20,
        "total_a": 50, "total_b": 20, "winner": "b", "rounds": 2, "rounds_won_a": 2, "rounds_won_b": 0,
        "turns": 31, "forfeit": "a",
    }  # fmt: skip


def test_a_forfeit_is_in_the_files(tmp_path: Path) -> None:
    sheet = Sheets(tmp_path)
    result = tournament.match("simple", "simple", Plan(4, 1, EAAI, seconds_per_game=1e-9), sheets=sheet)
    files = written(sheet)
    late = [row["forfeit"] for row in rows(files["games.csv"])]
    (stats,) = rows(files["stats.csv"])
    assert set(late) <= {"a", "b"} and late.count("a") == int(stats["forfeits_a"]) == result["forfeits_a"]
    assert int(stats["wins_a"]) == late.count("b") and int(stats["rounds"]) == 0


def test_the_same_bytes_for_any_workers_and_after_an_interruption(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def made(name: str, plan: Plan) -> dict[str, bytes]:
        sheet = Sheets(tmp_path / name)
        tournament.tournament(["simple", "random", "hitting"], plan, sheets=sheet)
        return written(sheet)

    plan = Plan(20, 1, EAAI)
    whole = made("whole", plan)
    monkeypatch.setattr(tournament, "_shard_size", lambda pair: 6)
    assert made("two", plan._replace(workers=2)) == whole
    journal = tmp_path / "journal"
    assert made("kept", plan._replace(journal=journal)) == whole
    lines = journal.read_text().splitlines(keepends=True)
    journal.write_text("".join(lines[:5]))
    assert made("resumed", plan._replace(journal=journal)) == whole


def test_a_journal_without_games_is_not_taken_for_one_with_games(tmp_path: Path) -> None:
    plan = Plan(4, 1, EAAI, journal=tmp_path / "journal")
    tournament.match("simple", "random", plan)
    with pytest.raises(JournalError):
        tournament.match("simple", "random", plan, sheets=Sheets(tmp_path))


@pytest.mark.parametrize(
    "change",
    [
        lambda columns: None,
        lambda columns: columns | {"turns": columns["turns"][1:]},
        lambda columns: columns | {"turns": [1.5] * 4},
        lambda columns: columns | {"forfeit": [2] * 4},
        lambda columns: {key: value for key, value in columns.items() if key != "turns"},
    ],
)
def test_columns_of_a_journal_are_checked(change: object) -> None:
    payload = {"players": ["simple", "random"], "rules": "eaai", "seed": 1, "start": 0, "stop": 4}
    right = tournament.count_shard(payload | {"by_game": True})
    assert tournament._is_count(payload | {"by_game": True}, right, in_rounds=False)
    assert not tournament._is_count(payload, right, in_rounds=False)
    wrong = json.loads(json.dumps(right)) | {"by_game": change(right["by_game"])}  # type: ignore[operator]
    assert not tournament._is_count(payload | {"by_game": True}, wrong, in_rounds=False)


def test_both_files_are_written_or_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sheet = Sheets(tmp_path / "csv")
    tournament.match("simple", "random", Plan(4, 1, EAAI), sheets=sheet)
    before = written(sheet)
    opened = evidence._open_half

    def full(path: Path) -> tuple[Path, int]:
        if path.name == "stats.csv":
            raise OSError(28, "No space left on device")
        return opened(path)

    tournament.match("random", "simple", Plan(4, 1, EAAI), sheets=sheet)
    monkeypatch.setattr(evidence, "_open_half", full)
    with pytest.raises(OSError, match="No space"):
        sheet.write()
    assert {name: (sheet.directory / name).read_bytes() for name in NAMES} == before
    assert {path.name for path in sheet.directory.iterdir()} == set(NAMES)


def test_a_place_that_cannot_be_written_is_refused_before_the_games(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInput, match="it is not a directory"):
        Sheets(tmp_path / "file").check()
    (tmp_path / "stats.csv").mkdir()
    with pytest.raises(BadInput, match="it is not a plain file"):
        Sheets(tmp_path).check()


def test_one_against_all_meets_each_of_the_others() -> None:
    plan = Plan(4, 1, EAAI)
    whole = tournament.tournament(["simple", "random", "hitting"], plan)
    for named in (["random", "simple", "hitting"], ["random", "hitting"]):
        result = tournament.tournament(named, plan, one_vs_all="simple")
        met = [(row["player_a"], row["player_b"], row["wins_a"]) for row in result["matches"]]
        assert met == [(row["player_a"], row["player_b"], row["wins_a"]) for row in whole["matches"][:2]]
        assert result["mean_win_rate_a"] == sum(row["win_rate_a"] for row in result["matches"]) / 2
        assert "ratings" not in result
    with pytest.raises(BadInput, match="two or more different players"):
        tournament.tournament(["simple"], plan, one_vs_all="simple")
