"""Tuning: it finds better players, continues after a stop, and is measured on decks that had no part in it."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ginrummy.errors import BadInput, ParseError, UnknownName
from ginrummy.players.hand_strength import PAPER, PROFILES
from ginrummy.players.registry import describe, make_player, player_names
from ginrummy.reports.tuning import draw_tuning
from ginrummy.rules import EAAI
from ginrummy.terminal.tuning import standing_table
from ginrummy.tournament import Plan, match
from ginrummy.training.tuning import Leader, Shop, Standing, Tuning, plan_tuning, storage, tune
from ginrummy.training.tuning import study as searching
from ginrummy.training.tuning.plan import first_game, population
from ginrummy.training.tuning.space import limits_by_turn, parse_ranges, parse_space, space_text

pytest.importorskip("optuna")

SMALL = {"trials": 10, "games": 20, "seed": 4, "rules": EAAI, "finalists": 3, "check_games": 20}


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GINRUMMY_STATE", str(tmp_path / "state"))


def small(space: str = "alpha=5.0..60@10,k=3..9", **settings: object) -> Tuning:
    return plan_tuning("hand-strength", ["simple"], space, None, **(SMALL | settings))


def sequence(study: Path) -> list[tuple[dict, float | None]]:
    import optuna

    loaded = optuna.load_study(study_name="ginrummy", storage=f"sqlite:///{study}")
    return [(trial.params, trial.value) for trial in loaded.trials]


def test_the_built_in_space_starts_near_the_paper_and_holds_all_of_the_player() -> None:
    space = parse_space("hand-strength", None)
    searched = {dimension.name.partition(".")[0] for dimension in space.dimensions}
    assert searched == set(PAPER) - {"shift"}  # the shift of the decay only rescales alpha
    assert make_player(space.spec(space.start)).compiled
    assert parse_space("hand-strength", space_text(space)) == space


def test_limits_by_turn() -> None:
    assert limits_by_turn(10, 4, 10, 0) == "10/10/10/10/0"
    assert limits_by_turn(10, 2, 4, 1) == "10/10/6/2/1"
    assert limits_by_turn(10, 1, 2.5, 0) == "10/7/5/2/0"
    assert limits_by_turn(3, 20, 1, 5) == "3"


def test_what_is_set_in_the_player_is_not_searched() -> None:
    space = parse_space("hand-strength:knock=10,k=4", None)
    assert not {"k", "knock.hold"} & {dimension.name for dimension in space.dimensions}
    assert space.spec({"alpha": 12.5}) == "hand-strength:knock=10,k=4,alpha=12.5"


@pytest.mark.parametrize(
    ("space", "error", "words"),
    [
        ("gamma=1..2", UnknownName, "the parameters of hand-strength are profile, alpha"),
        ("alpha", UnknownName, "the space has 'alpha'"),
        ("alpha=1", ParseError, "expected name=low..high"),
        ("alpha=x..2", ParseError, "expected name=low..high"),
        ("alpha=2..1", ParseError, "expected low < high"),
        ("alpha=1..nan", ParseError, "expected name=low..high"),
        ("alpha=1.0..2/0.00001", ParseError, "at most 10,000 values"),
        ("alpha=1..2@3", ParseError, "the start between them"),
        ("alpha=1..2,alpha=1..3", ParseError, "alpha twice"),
        ("alpha=a|b", ParseError, "expected numbers"),
        ("knock=1..2", ParseError, "not a number"),
        ("alpha.hold=1..2", ParseError, "one number"),
        ("knock.end=1..2", UnknownName, "knock.end"),
        ("knock.hold=1..2,knock=10|0", ParseError, "both"),
        (" , ", ParseError, "empty"),
    ],
)
def test_a_wrong_space_is_refused(space: str, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        parse_space("hand-strength", space)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"sampler": "magic"}, "choose one of cma-es"),
        ({"objective": "luck"}, "choose one of wins"),
        ({"decks": "mine"}, "choose one of generation"),
        ({"space": "k=1..90"}, "k must be from 1 to 40"),
        ({"space": "program=0|1"}, "use another --sampler"),
        ({"prune": True}, "compares whole generations"),
        ({"ranges": ["alpha"]}, "not both"),
        ({"space": None, "sampler": "grid", "trials": None}, "points: give fewer parameters"),
    ],
)
def test_a_wrong_plan_is_refused(settings: dict, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        small(**settings)


def test_a_generation_shares_its_decks_and_the_next_gets_others() -> None:
    size = population(small().space)
    begins = [first_game(small(), number) for number in range(2 * size + 1)]
    assert begins == [0] + [20] * size + [40] * size  # the start comes before the first generation
    assert first_game(small(decks="same"), 99) == 0


def test_it_finds_what_is_obviously_better() -> None:
    """Without a look at the future (alpha near 0) hand strength loses two games in three to the paper's."""
    against = ["hand-strength"]
    plan = plan_tuning(
        "hand-strength", against, "alpha=0.0..40@3", None, **(SMALL | {"trials": 20, "games": 120})
    )
    result = tune(plan, Shop())
    assert float(result["best"].partition("alpha=")[2]) > 10
    assert result["search"][-1]["mean"] > result["search"][0]["mean"]
    assert {row["seed"] for row in result["measured"][0]["seeds"]} == {6, 7}  # 4 searched, 5 chose


@pytest.mark.parametrize("sampler", ["cma-es", "nsga2", "tpe", "random"])
def test_a_study_that_was_stopped_ends_as_one_that_was_not(
    sampler: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan, whole, halted = small(sampler=sampler, trials=12), tmp_path / "whole.db", tmp_path / "halted.db"
    result = tune(plan, Shop(study=whole))
    played = searching.run_shards
    calls = iter(range(100))

    def stop_in_the_fifth(*words: object, **more: object) -> object:
        if next(calls) == 4:
            raise KeyboardInterrupt
        return played(*words, **more)

    with monkeypatch.context() as patch:
        patch.setattr(searching, "run_shards", stop_in_the_fifth)
        with pytest.raises(KeyboardInterrupt):
            tune(plan, Shop(study=halted))
    assert len(sequence(halted)) == (3 if plan.prune else 5)  # with pruning a trial plays in two parts here
    again = tune(plan, Shop(study=halted, workers=2))
    assert sequence(halted) == sequence(whole)
    assert again["measured"] == result["measured"]


def test_an_opponent_that_is_named_twice_is_refused() -> None:
    with pytest.raises(BadInput, match="named twice: name it once, and say with --weights"):
        plan_tuning(
            "hand-strength", ["simple", "simple"], "k=3..9", None, trials=1, games=2, seed=1, rules=EAAI
        )


def test_a_killed_study_goes_on(tmp_path: Path) -> None:
    study = tmp_path / "killed.db"
    words = ["tune", "hand-strength", "--against", "simple", "--space", "k=3..9", "--games", "100"]
    words += ["--study", str(study), "--finalists", "2", "--check-games", "20"]
    call = [sys.executable, "-m", "ginrummy", *words, "--trials", "100000"]
    child = subprocess.Popen(call, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 200
    while time.monotonic() < deadline and finished(study) < 4:
        time.sleep(0.1)
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    done = finished(study)
    ended = run(*words, "--trials", str(done + 2), "--json")
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout)["trials"] == finished(study) == len(sequence(study)) == done + 2


def finished(study: Path) -> int:
    try:
        with sqlite3.connect(f"file:{study}?mode=ro", uri=True) as file:
            (count,) = file.execute("SELECT count(*) FROM trials WHERE state = 'COMPLETE'").fetchone()
    except sqlite3.Error:  # the file is being made
        return 0
    return int(count)


def test_a_grid_is_tried_once(tmp_path: Path) -> None:
    plan = small("knock=10|10/10/10/10/0,program=0|1", sampler="grid", trials=50)
    result = tune(plan, Shop(study=tmp_path / "grid.db"))
    assert result["trials"] == len({str(params) for params, _ in sequence(tmp_path / "grid.db")}) == 4


def test_every_declared_range_can_be_searched() -> None:
    for name in player_names():
        entry = describe(name)
        parameters = {parameter.name for parameter in entry.parameters}
        assert {key.partition(".")[0] for key in entry.ranges} <= parameters
        assert all(set(profile) <= parameters for profile in entry.profiles.values())
        if entry.ranges:
            space = parse_space(name, None)
            assert [dimension.name for dimension in space.dimensions] == list(entry.ranges)
            for corner in space.corners():
                assert make_player(space.spec(corner))


def test_ranges_of_the_command_line() -> None:
    space = parse_ranges("simple", ["hitting=0:1:0.25", "knock_at=0:9:2@4", "knock_early"])
    assert [dimension.grid() for dimension in space.dimensions][:2] == [
        [0.0, 0.25, 0.5, 0.75, 1.0],
        [0, 2, 4, 6, 8],
    ]
    assert space.start == {"hitting": 0.0, "knock_at": 4, "knock_early": 10}
    assert parse_space("simple", space_text(space)) == space
    assert parse_ranges("hand-strength:profile=tuned", ["alpha=0:60"]).start == {"alpha": 56.0}
    assert parse_ranges("hand-strength", ["alpha=0:60"]).start == {"alpha": 30.0}
    assert parse_ranges("hand-strength", ["profile=code|paper"]).start == {"profile": "paper"}


@pytest.mark.parametrize(
    ("word", "words"),
    [
        ("nothing=1:2", "the parameters of simple are hitting"),
        ("knock_at=1", "expected knock_at=low:high"),
        ("knock_at=1:x", "expected knock_at=low:high"),
        ("knock_at=1:nan", "expected knock_at=low:high"),
        ("knock_at=0.5:3", "takes whole numbers only"),
        ("knock_at=0:9:0.5", "takes whole numbers only"),
        ("knock_at=9:0", "low < high"),
        ("hitting=0:1:-1", "a step above 0"),
    ],
)
def test_a_wrong_range_is_refused(word: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        parse_ranges("simple", [word])


def test_a_trial_that_is_clearly_worse_stops_and_the_rest_is_the_same(tmp_path: Path) -> None:
    """Knocking at once loses two games in three to gin only, so its limits of 7 to 10 are cut short."""
    settings = SMALL | {"trials": None, "games": 400, "sampler": "grid"}
    ranges = ["knock_at=0:10:5"]
    plans = [
        plan_tuning("simple", ["simple:knock_at=0"], None, None, ranges, **settings, prune=prune)
        for prune in (True, False)
    ]
    cut, whole = (tune(plan, Shop(study=tmp_path / f"{plan.prune}.db")) for plan in plans)
    assert [row["pruned"] for row in cut["trial_table"]] == [False, True, True]
    assert [row["pruned"] for row in whole["trial_table"]] == [False] * 3
    assert cut["best"] == whole["best"] == "simple:knock_at=0"
    assert cut["trial_table"][0] == whole["trial_table"][0]
    assert cut["trial_table"][1]["score"] < 0.45


def test_figures_and_importance_come_from_the_result(tmp_path: Path) -> None:
    ranges = ["knock_at=0:3", "knock_change=0:8"]
    settings = SMALL | {"trials": 24, "games": 100, "sampler": "random", "prune": False}
    plan = plan_tuning("simple", ["simple:knock_at=0"], None, None, ranges, **settings)
    result = tune(plan, Shop(study=f"sqlite:///{tmp_path}/study.db"))
    assert result["importance"].keys() == {"knock_at", "knock_change"}
    assert sum(result["importance"].values()) == pytest.approx(1)
    files = draw_tuning(json.loads(json.dumps(result)), tmp_path / "figures")
    assert [file.name for file in files] == ["history.svg", "parameters.svg", "importance.svg"]
    assert all(file.read_text(encoding="utf-8").startswith("<?xml") for file in files)
    few = tune(small(trials=2), Shop(study=tmp_path / "few.db"))
    assert few["importance"] == {}


def test_the_live_table_shows_the_best_and_the_last_trial() -> None:
    leaders = [Leader(7, 0.61, {"alpha": 31.5, "k": 6}), Leader(3, 0.6, {"alpha": 12.0, "k": 6})]
    standing = Standing(9, 20, 1, leaders, Leader(8, 0.4, {"alpha": 5.0, "k": 3}))
    table = standing_table(standing, small())
    cells = [list(column.cells) for column in table.columns]
    assert cells[1:3] == [["7", "3", "8"], ["61.00%", "60.00%", "40.00%"]]
    assert cells[3] == ["31.5", "12", "5"]


def test_another_search_does_not_go_on_with_a_study(tmp_path: Path) -> None:
    study = tmp_path / "study.db"
    tune(small(trials=1), Shop(study=study))
    with pytest.raises(ValueError, match="another search"):
        tune(small(trials=1, seed=5), Shop(study=study))
    tune(small(trials=1, seed=5), Shop(study=study, fresh=True))
    study.write_text("not a database " * 100)
    with pytest.raises(ValueError, match="no study of ours"):
        tune(small(trials=1), Shop(study=study))


def test_without_optuna_there_is_one_clear_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(ValueError, match="install it with make dev"):
        storage.load_optuna()


def run(*words: str) -> subprocess.CompletedProcess[str]:
    call = [sys.executable, "-m", "ginrummy", *words]
    return subprocess.run(call, capture_output=True, text=True, timeout=300)


def test_the_command(tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    words = ["tune", "hand-strength", "--against", "simple", "--against", "random", "--weights", "3/1"]
    sizes = ["--trials", "3", "--games", "10", "--finalists", "2", "--check-games", "20"]
    done = run(*words, *sizes, "--space", "k=3..9", "--objective", "points", "--out", str(out), "--json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result == json.loads(out.read_text(encoding="utf-8"))
    assert make_player(result["best"]) and result["weights"] == [0.75, 0.25]
    shown = run(*words, *sizes, "--space", "k=3..9", "--objective", "points")
    assert result["best"] in shown.stdout


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["tune", "hand-strength"], "needs an opponent"),
        (["tune", "random", "--against", "simple"], "declares no bounds"),
        (["tune", "simple", "--against", "random", "--range", "knock_at=5:1"], "low < high"),
        (["tune", "simple", "--against", "random", "--range", "alpha=5:1"], "the parameters of simple"),
        (["tune", "simple", "--against", "random", "--study", "mysql://me:secret@no.host/x"], "database"),
        (["tune", "hand-strength", "--against", "simple", "--weights", "1/2"], "a weight for each"),
        (["tune", "hand-strength", "--against", "simple", "--space", "x=1..2"], "the parameters of"),
        (["tune", "hand-strength", "--against", "simple", "--study", "/no/such/s.db"], "cannot write"),
    ],
)
def test_errors_are_one_line(words: list[str], expected: str) -> None:
    done = run(*words)
    assert done.returncode == 2 and done.stdout == ""
    assert expected in done.stderr and done.stderr.count("\n") == 1 and "secret" not in done.stderr


def test_the_tuned_profile_beats_the_paper() -> None:
    """It wins 52.5 % in the evidence (``S2-profiles``); 8,000 games tell that from one half."""
    assert set(PROFILES["tuned"]) == set(PAPER)
    low, _ = match("hand-strength:profile=tuned", "hand-strength", Plan(8000, 3001, EAAI))["pair_ci95_a"]
    assert low > 0.5
