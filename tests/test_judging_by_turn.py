"""Metrics by turn: counters against a slow twin, what is paired, bounds, shards, and the command."""

import json
import math
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ginrummy import moments, sim
from ginrummy.errors import UnknownName
from ginrummy.estimators.registry import make_estimator
from ginrummy.judging import metrics
from ginrummy.judging.beliefs import BOUNDS
from ginrummy.judging.by_turn import STAGES, Beliefs, BeliefSettings, compact, count_beliefs, settings
from ginrummy.judging.scores import SHOWN
from ginrummy.judging.shards import Shard
from ginrummy.judging.study import BY_TURN, estimate, study
from ginrummy.players.registry import make_player
from ginrummy.reports import figures
from ginrummy.rules import EAAI, parse_rules
from ginrummy.runs import JournalError
from ginrummy.scoring import BIG_GIN
from ginrummy.terminal.study import with_error
from ginrummy.tournament import Plan
from test_cli import run
from test_tournament import rewrite

Json = dict[str, Any]

ALL_METRICS = (*SHOWN, "program_difference")
SMALL = settings(["bayes:squash=yes", "simple-nn"], metrics=ALL_METRICS)


def count(judged: BeliefSettings, start: int = 0, stop: int = 8) -> Json:
    return dict(count_beliefs(judged, Shard(EAAI, 71, range(start, stop))))


@pytest.fixture(scope="module")
def counted() -> Json:
    return count(SMALL)


@cache
def slowly(spec: str, hand: str = "both") -> list[tuple[int, int, dict[str, float]]]:
    """(pair of games, turn, metrics) of every moment, one by one and without any kernel of ours."""
    players = [make_player("simple"), make_player("simple")]
    rounds = moments.in_order(sim.play(*players, range(8), EAAI, 71, record=True).rounds)
    rows = []
    for side in {"both": (0, 1), "a": (1,), "b": (0,)}[hand]:
        seen = moments.views(rounds, side, EAAI)
        estimator = make_estimator(spec)
        for n in range(len(seen.truth)):
            raw = estimator.raw(seen.view, np.array([n]))[0].astype(np.float64)
            held = [seen.truth[n] >> card & 1 for card in range(52)]
            view = seen.view[n]
            known = int(view.hand | view.pile | view.opponent)
            masked = estimator.masked(seen.view, np.array([n]))[0].astype(np.float64)
            free = [card for card in range(52) if not known >> card & 1]
            squares = sum((raw[card] - held[card]) ** 2 for card in range(52))
            sure, plain = (
                [min(max(p, metrics.CLIP), 1 - metrics.CLIP) for p in belief] for belief in (masked, raw)
            )
            rows.append(
                (
                    int(rounds["game"][seen.round[n]]) // 2,
                    int(seen.turn[n]),
                    {
                        "mean_squared_difference": squares / 52,
                        "program_difference": math.sqrt(squares) / 52,
                        "integrity_loss": abs(sum(raw) - 10) / 10,
                        "brier": sum((masked[c] - held[c]) ** 2 for c in free) / len(free),
                        "log_loss": -sum(math.log(sure[c] if held[c] else 1 - sure[c]) for c in free)
                        / len(free),
                        "raw_log_loss": -sum(
                            math.log(plain[c] if held[c] else 1 - plain[c]) for c in range(52)
                        )
                        / 52,
                    },
                )
            )
    return rows


def test_means_and_errors_are_those_of_a_slow_twin(counted: Json) -> None:
    found = Beliefs([counted], SMALL)
    for spec in ("bayes:squash=yes", "simple-nn"):
        rows = slowly(spec)
        assert found.moments() == len(rows)
        for name in rows[0][2]:
            for where, low, high in (("all", 0, 999), ("4-9", 4, 9), (2, 2, 2)):
                chosen = [(pair, values[name]) for pair, turn, values in rows if low <= turn <= high]
                mean = sum(value for _, value in chosen) / len(chosen)
                apart: dict[int, float] = {}
                for pair, value in chosen:
                    apart[pair] = apart.get(pair, 0.0) + value - mean
                spread = sum(gap**2 for gap in apart.values()) * len(apart) / (len(apart) - 1)
                ours = found.mean(name, spec, where)
                assert ours.value == pytest.approx(mean, rel=1e-4, abs=1e-6)
                assert ours.error == pytest.approx(math.sqrt(spread) / len(chosen), rel=2e-3, abs=1e-7)
                assert found.moments(where) == len(chosen)


def test_differences_are_paired(counted: Json) -> None:
    found = Beliefs([counted], SMALL)
    one, other = slowly("simple-nn"), slowly("bayes:squash=yes")
    gaps = [(a[0], a[2]["log_loss"] - b[2]["log_loss"]) for a, b in zip(one, other, strict=True)]
    mean = sum(gap for _, gap in gaps) / len(gaps)
    apart: dict[int, float] = {}
    for pair, gap in gaps:
        apart[pair] = apart.get(pair, 0.0) + gap - mean
    spread = sum(gap**2 for gap in apart.values()) * len(apart) / (len(apart) - 1)
    ours = found.gap("log_loss", "simple-nn", "bayes:squash=yes")
    assert ours.value == pytest.approx(mean, rel=1e-3)
    assert ours.error == pytest.approx(math.sqrt(spread) / len(gaps), rel=1e-2)
    back = found.gap("log_loss", "bayes:squash=yes", "simple-nn")
    assert (back.value, back.error) == (pytest.approx(-ours.value), pytest.approx(ours.error))
    assert found.gap("log_loss", "simple-nn", "simple-nn") == (0.0, 0.0)


def test_rank_metrics_are_those_of_the_metrics_room() -> None:
    rounds = moments.in_order(
        sim.play(make_player("simple"), make_player("simple"), range(8), EAAI, 71, record=True).rounds
    )
    seen = moments.views(rounds, 0, EAAI)
    belief = make_estimator("shankar-cnn").raw(seen.view, np.arange(len(seen.truth)))
    judged = settings(["shankar-cnn"], hand="b", metrics=["top_n", "drift_area", "minimum_top_largest"])
    found = Beliefs([count(judged)], judged)
    for name, way in (
        ("top_n", metrics.top_n),
        ("drift_area", metrics.drift_area),
        ("minimum_top_largest", metrics.minimum_top_largest),
    ):
        assert found.mean(name, "shankar-cnn").value == pytest.approx(
            way(metrics.places(belief, seen.truth, 71)).mean()
        )


def test_bounds_bound(counted: Json) -> None:
    found = Beliefs([counted], SMALL)
    assert SMALL.estimators[-2:] == BOUNDS == ("null", "omniscient")
    best = {"minimum_top_largest": 10.0, "top_n": 10.0, "overlap": 1.0, "overlap_3": 1.0}
    for name in ALL_METRICS:
        value, error = found.mean(name, "omniscient")
        assert value == pytest.approx(best.get(name, 0.0), abs=2e-6) and error < 1e-6
    assert found.mean("integrity_loss", "null").value < 1e-6
    assert found.calibration("null").error < 1e-3 < found.calibration("simple-nn").error
    assert found.calibration("omniscient").error == 0.0


def test_turns_and_stages_add_up(counted: Json) -> None:
    found = Beliefs([counted], SMALL)
    by_hand = {name: 0 for name, _, _ in STAGES}
    total = 0
    for turn, at in counted["turns"].items():
        total += at["moments"]
        for name, low, high in STAGES:
            by_hand[name] += at["moments"] if low <= int(turn) <= (high or 999) else 0
    assert total == found.moments() and by_hand == {name: found.moments(name) for name in by_hand}
    sizes = [found.moments(turn) for turn in found.turns if turn >= 1]
    assert sizes == sorted(sizes, reverse=True)  # one moment for each round that reaches a turn
    assert found.moments(1) == counted["rounds"]


def test_shards_add_up(counted: Json) -> None:
    parts = [count(SMALL, start, start + 4) for start in (0, 4)]
    found, again = Beliefs([counted], SMALL), Beliefs(parts, SMALL)
    for name in ALL_METRICS:
        for where in ("all", "10-28", 3):
            for one, other in zip(
                found.mean(name, "simple-nn", where), again.mean(name, "simple-nn", where), strict=True
            ):
                assert one == pytest.approx(other, rel=1e-6)


def test_the_hand_that_is_guessed_can_be_chosen() -> None:
    names = ["mean_squared_difference"]
    sizes = []
    for hand in ("a", "b"):
        judged = settings(["bayes"], hand=hand, metrics=names)
        found = Beliefs([count(judged)], judged)
        rows = slowly("bayes", hand)
        sizes.append(found.moments())
        assert sizes[-1] == len(rows)
        mean = sum(values[names[0]] for _, _, values in rows) / len(rows)
        assert found.mean(names[0], "bayes").value == pytest.approx(mean, rel=1e-4)
    both = settings(["bayes"], metrics=names)
    assert sum(sizes) == Beliefs([count(both)], both).moments()


def test_a_big_gin_is_no_hand_of_ten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GINRUMMY_STATE", str(tmp_path))
    rules = parse_rules("us-boxes")
    gin = "simple:knock_at=0"
    rounds = sim.play(make_player(gin), make_player(gin), range(40), rules, 5, record=True).rounds
    assert (rounds["outcome"] == BIG_GIN).any()
    found = estimate(study(["bayes", "simple-nn"], (gin, gin), "both"), Plan(40, 5, rules))
    events = sum(len(moments.views(rounds, side, rules).truth) for side in (0, 1))
    assert found["moments"] == events - (rounds["outcome"] == BIG_GIN).sum()


def test_fewer_pairs_give_the_same_differences(counted: Json) -> None:
    judged = settings(["bayes:squash=yes", "simple-nn"], metrics=ALL_METRICS, against=["simple-nn"])
    assert len(judged.pairs) < len(SMALL.pairs)
    few, all_ = Beliefs([count(judged)], judged), Beliefs([counted], SMALL)
    gap = few.gap("top_n", "null", "simple-nn", "1-3")
    assert gap == all_.gap("top_n", "null", "simple-nn", "1-3")
    with pytest.raises(KeyError):
        few.gap("top_n", "null", "bayes:squash=yes")


def test_evidence_keeps_what_matters(counted: Json) -> None:
    kept, whole = Beliefs([compact(counted)], SMALL), Beliefs([counted], SMALL)
    assert kept.turns == whole.turns
    for turn in kept.turns:
        for one, other in zip(
            kept.gap("drift_area", "null", "simple-nn", turn),
            whole.gap("drift_area", "null", "simple-nn", turn),
            strict=True,
        ):
            assert one == pytest.approx(other, rel=1e-5)


@pytest.mark.parametrize(
    "change",
    [
        lambda right: right.clear(),
        lambda right: right["bands"].pop("all"),
        lambda right: right["bands"]["29-"].update(moments=0, clusters=5),
        lambda right: right["turns"]["1"].update(sums=[]),
        lambda right: right["cards"]["null"]["raw"].update(total=[]),
        lambda right: right["cards"]["null"]["raw"]["cards"].__setitem__(0, []),
        lambda right: right["cards"].pop("null"),
    ],
)
def test_a_forged_result_with_a_right_checksum_is_refused(change: Any, tmp_path: Path) -> None:
    plan, asked = Plan(4, 1, EAAI, journal=tmp_path / "j"), study([], ("simple", "simple"), "both")
    estimate(asked, plan)
    right = json.loads((tmp_path / "j").read_text().splitlines()[1])["result"]
    change(right)
    rewrite(tmp_path / "j", 0, right)
    with pytest.raises(JournalError, match="shard 0 is not a result of this run"):
        estimate(asked, plan)


def test_one_pair_of_games_has_no_error() -> None:
    found = Beliefs([count(SMALL, 0, 2)], SMALL)
    with pytest.raises(ValueError, match="two clusters or more"):
        found.mean("brier", "simple-nn")
    with pytest.raises(ValueError, match="4 games at least"):
        estimate(study(["bayes"], ("simple", "simple"), "both"), Plan(2, 1, EAAI))


def test_a_study_says_who_is_best(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GINRUMMY_STATE", str(tmp_path))
    asked = study(["null", "bayes:squash=yes", "belief-net"], ("simple", "random"), "a")
    assert asked.estimators == ["bayes:squash=yes", "belief-net"] and tuple(asked.by_turn) == BY_TURN
    one = estimate(asked, Plan(8, 3, EAAI))
    two = estimate(asked, Plan(8, 3, EAAI, workers=2))
    told = ("overall", "by_turn", "calibration", "moments")
    assert {key: one[key] for key in told} == {key: two[key] for key in told}
    for row in one["overall"].values():
        assert sum(found["best"] for found in row.values()) == 1
        assert not any(row[bound]["best"] for bound in BOUNDS)
        (behind,) = [found["behind"] for found in row.values() if "behind" in found]
        assert behind[1] <= behind[0] <= behind[2]
    files = figures.draw_study(one, tmp_path / "drawn")
    assert [file.name for file in files[:5]] == [
        "figure-2-mean-squared-difference.svg",
        "figure-3-integrity-loss.svg",
        "figure-4-minimum-top-largest.svg",
        "figure-5-top-n.svg",
        "figure-6-drift-area.svg",
    ]
    text = files[0].read_text(encoding="utf-8")
    assert (
        "<!-- belief-net -->" in text and "<!-- null -->" in text and "omniscient is 0 at all turns" in text
    )
    assert "<!-- omniscient -->" not in text  # not drawn, so not in the legend
    assert f"<!-- {one['by_turn'][0]['moments']:,} -->" in text


@pytest.mark.parametrize(
    ("estimators", "hand", "metric", "words"),
    [
        (["nothing"], "both", None, "unknown estimator 'nothing'"),
        (["omniscient"], "both", None, "unknown estimator 'omniscient'"),
        (["bayes"], "mine", None, "unknown hand 'mine': choose one of both, a, b"),
        (["bayes"], "both", ["mse"], "unknown metric 'mse': choose one of mean_squared_difference"),
    ],
)
def test_wrong_names_are_refused(
    estimators: list[str], hand: str, metric: list[str] | None, words: str
) -> None:
    with pytest.raises(UnknownName, match=words):
        study(estimators, ("simple", "simple"), hand, metric)


@pytest.mark.parametrize("twin", ["bayes", "bayes:minimum=50", "bayes:"])
def test_the_same_estimator_twice_is_refused(twin: str) -> None:
    with pytest.raises(ValueError, match="named twice"):
        study(["bayes", twin], ("simple", "simple"), "both")


def test_few_pairs_of_games_give_wide_intervals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GINRUMMY_STATE", str(tmp_path))
    found = estimate(study(["bayes", "belief-net"], ("simple", "simple"), "both"), Plan(4, 3, EAAI))
    gap = found["overall"]["log_loss"]["bayes"]
    assert gap["behind"][2] - gap["behind"][1] == pytest.approx(2 * 12.706 * gap["behind_error"], rel=1e-3)
    stages = {row["stage"]: row["moments"] for row in found["by_stage"]}
    assert stages["1-3"] == sum(row["moments"] for row in found["by_turn"] if 1 <= row["turn"] <= 3)


@pytest.mark.parametrize(
    ("value", "error", "text"),
    [
        (0.12741, 0.00023, "0.1274(2)"),
        (405.39, 1.52, "405(2)"),
        (30.287, 0.045, "30.29(4)"),
        (-0.49, 0.02, "-0.49(2)"),
        (10.0, 0.0, "10"),
        (3e-9, 0.0, "0"),
        (1e-6, 0.0, "0"),
        (0.555537, 2e-8, "0.555537"),
    ],
)
def test_errors_stand_in_the_last_digit(value: float, error: float, text: str) -> None:
    assert with_error(value, error) == text


def test_the_command_prints_tables_draws_and_answers_in_json(tmp_path: Path) -> None:
    words = [
        "estimate",
        "bayes",
        "simple-nn",
        "--games",
        "30",
        "--players",
        "simple",
        "random",
        "--hand",
        "a",
    ]
    done = run(*words, "--metric", "top_n", "--draw", str(tmp_path / "figures"), state=tmp_path)
    assert done.returncode == 0, done.stderr
    for word in (
        "the hand of simple",
        "omniscient",
        "null",
        "minus the best, paired",
        "calibration error",
        "turn",
    ):
        assert word in done.stdout
    assert len(list((tmp_path / "figures").glob("*.svg"))) == len(SHOWN) + 1
    found = json.loads(run(*words, "--json", state=tmp_path).stdout)
    assert found["players"] == ["simple", "random"] and found["hand"] == "a"
    turn = found["by_turn"][5]
    assert turn["moments"] > 0 and turn["metrics"]["top_n"]["bayes"]["error"] > 0
    assert not list(tmp_path.glob("*.jsonl"))


def test_an_empty_table_meets_one_line(tmp_path: Path) -> None:
    (tmp_path / "empty.npz").touch()
    done = run("estimate", f"bayes:table={tmp_path}/empty.npz", state=tmp_path)
    assert done.returncode == 2 and "empty.npz is not a table of counts" in done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["estimate", "nothing"], "unknown estimator 'nothing'"),
        (["estimate"], "Missing argument"),
        (["estimate", "bayes", "--players", "nobody", "simple"], "unknown player 'nobody'"),
        (["estimate", "bayes", "--hand", "c"], "unknown hand 'c'"),
        (["estimate", "bayes", "--games", "2"], "4 games at least"),
        (["estimate", "bayes", "--draw", "/dev/null"], "cannot draw into /dev/null"),
        (["estimate", "bayes", "--draw", "/dev/null/x"], "cannot draw into /dev/null/x"),
        (["estimate", "belief-net:model=ann.onnx", "--games", "4"], "network ann.onnx takes rows of"),
    ],
)
def test_wrong_words_meet_one_line(words: list[str], said: str, tmp_path: Path) -> None:
    done = run(*words, state=tmp_path)
    assert done.returncode == 2 and said in done.stderr and done.stdout == ""
    assert len(done.stderr.strip().splitlines()) == 1
