"""The frame of experiments: verdicts can go every way, claims can fail, pages say what the evidence says."""

import json
import math
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ginrummy import reports
from ginrummy.experiments import PAPERS, experiment, experiment_ids, s2_claims, store
from ginrummy.experiments.base import Settings
from ginrummy.experiments.verdicts import (
    Estimate,
    Published,
    Statement,
    claim,
    curves,
    finish,
    slope,
    value,
    win_rate,
)
from ginrummy.players.hand_strength import PROFILES
from ginrummy.players.registry import make_player
from ginrummy.tournament import Plan, measure, summary

ROOT = Path(__file__).parent.parent
Json = dict[str, Any]


def run(*words: str, state: Path) -> subprocess.CompletedProcess[str]:
    env = os.environ | {"GINRUMMY_STATE": str(state)}
    call = [sys.executable, "-m", "ginrummy", "reproduce", *words]
    return subprocess.run(call, cwd=state, capture_output=True, text=True, env=env, timeout=300)


def verdict(published: Published, ours: Estimate, *others: Published) -> str:
    rows = [value(published, "ours", ours), *(value(other, "ours", ours) for other in others)]
    return str(finish(rows)[0]["verdict"])


def test_a_value_within_the_joint_error_agrees() -> None:
    assert verdict(Published("x", 0.5073, 50_000), Estimate(0.5040, 0.0022)) == "agrees"


def test_a_value_far_outside_differs() -> None:
    assert verdict(Published("x", 0.5073, 50_000), Estimate(0.52, 0.0022)) == "differs"


def test_a_wide_interval_is_inconclusive_however_close() -> None:
    assert verdict(Published("x", 0.51, 50_000), Estimate(0.51, 0.03)) == "inconclusive"


def test_a_wide_interval_may_still_differ() -> None:
    assert verdict(Published("x", 0.51, 50_000), Estimate(0.30, 0.03)) == "differs"


def test_what_only_holm_saves_is_inconclusive() -> None:
    published = Published("x", 0.5, None, 0.0)
    ours = Estimate(0.5 + 2.2 * 0.002, 0.002)  # p = 0.028 alone, 0.11 among four
    assert verdict(published, ours) == "differs"
    assert verdict(published, ours, *[Published("y", ours.value, None, 0.0)] * 3) == "inconclusive"


def test_the_published_size_and_digits_count_as_error() -> None:
    ours = Estimate(0.515, 0.0022)
    assert verdict(Published("x", 0.5, None, 0.0001), ours) == "differs"
    assert verdict(Published("x", 0.5, 1_000, 0.0001), ours) == "agrees"
    assert verdict(Published("x", 0.5, None, 0.05), ours) == "agrees"


def test_the_error_of_a_published_rate() -> None:
    assert Published("x", 0.5, 10_000, 0.0).estimate().error == pytest.approx(0.005)
    assert Published("x", 45.0, 10_000, 0.0, 80.0, "points").estimate().error == pytest.approx(0.8)


@pytest.mark.parametrize(
    ("rate", "error", "expected"),
    [(0.45, 0.01, "holds"), (0.55, 0.01, "does not hold"), (0.49, 0.01, "inconclusive")],
)
def test_a_claim_goes_three_ways(rate: float, error: float, expected: str) -> None:
    assert claim("x", "y", [Statement("z", Estimate(rate, error), high=0.5)]).verdict == expected


def test_the_intervals_of_a_claim_hold_together() -> None:
    one = Statement("z", Estimate(0.48, 0.009), high=0.5)  # 2.2 standard errors
    assert claim("x", "y", [one]).verdict == "holds"
    assert claim("x", "y", [one] * 5).verdict == "inconclusive"


def test_a_claim_without_statements_is_refused() -> None:
    with pytest.raises(ValueError, match="can fail"):
        claim("x", "y", [])


def test_win_rate_has_the_interval_of_its_pairs() -> None:
    plan = Plan(400, 5, experiment("S2-fig2").plan("smoke", Settings()).rules)
    (counts,) = measure("test", [("simple", "simple")], plan)
    said, ours = summary(counts), win_rate(counts["pairs"])
    assert ours.value == pytest.approx(said["win_rate_a"])
    assert list(ours.interval()) == pytest.approx(said["pair_ci95_a"])


def test_slope_of_a_line() -> None:
    line = [(float(x), Estimate(0.5 - 0.01 * x, 0.002)) for x in range(5)]
    assert slope(line).value == pytest.approx(-0.01)
    assert slope(line).error == pytest.approx(0.002 / math.sqrt(10))


def points(name: str, rate: Any) -> list[Json]:
    """Points of an experiment with constructed win rates, 25,000 pairs each."""
    made = []
    for arm in experiment(name).arms:
        pairs, chosen = 25_000, rate(arm.series, arm.x)
        lead = round(pairs * (2 * chosen - 1))  # pairs won both ways less pairs lost both ways
        decided = max(pairs // 2, abs(lead))
        won, lost = (decided + lead) // 2, (decided - lead) // 2
        counts = {
            "games": 2 * pairs,
            "pairs": [lost, 0, pairs - won - lost, 0, won],
            "margin_sum": round(2 * pairs * 168 * (chosen - 0.5)),
            "margin_squares": 2 * pairs * 8000,
        }
        said = {"win_rate_a": chosen, "pair_ci95_a": [chosen, chosen], "mean_margin_a": 0.0}
        made.append(arm._asdict() | {"seed": 1, "counts": counts} | said)
    return made


def as_the_paper_says(series: str, x: float) -> float:
    """Win rates under which every claim of the paper is true."""
    if series == "alpha":
        return 0.505 + 0.005 * (x == 40) - 0.005 * (x == 20) - max(0.0, 15 - x) * 0.025
    if series == "beta":
        return 0.5 + 0.0073 * (x == 0.94) - max(0.0, 0.9 - x) * 0.6
    if series == "k":
        return {5: 0.506, 3: 0.5, 4: 0.5, 6: 0.5, 7: 0.49, 8: 0.49}.get(round(x), 0.47)
    if series in ("set", "sequence"):
        return min(0.5, (0.4691 if series == "set" else 0.4803) + 0.003 * x)
    if series in PROFILES:
        return {"paper": 0.75, "code": 0.768}.get(series, 0.8)
    if x <= 0:
        return 0.48 + 0.01 * x
    best, top = {"adjacent": (3, 0.53), "rank": (2, 0.518), "two-adjacent": (1, 0.506)}[series]
    return top if x == best else 0.5


def as_the_paper_denies(series: str, x: float) -> float:
    """Win rates under which every claim of the paper is false."""
    if series == "alpha":
        return 0.47 if x == 60 else 0.6 - 0.004 * x
    if series == "beta":
        return 0.45 - 0.2 * (x - 0.5) - 0.05 * (x == 0.94)
    if series == "k":
        return 0.35 + 0.03 * abs(x - 5)
    if series == "set":
        return 0.57 + 0.004 * abs(x)
    if series == "sequence":
        return 0.65 - 0.002 * abs(x + 20)
    if series in PROFILES:
        return 0.4 if series == "paper" else 0.3
    if x > 0:
        return 0.45
    return 0.55 - 0.012 * x + {"adjacent": 0.0, "rank": 0.03, "two-adjacent": 0.06}[series]


@pytest.mark.parametrize("name", experiment_ids())
def test_every_claim_can_hold(name: str) -> None:
    rows = experiment(name).compare(points(name, as_the_paper_says))
    claims = [row for row in rows if row["kind"] == "claim"]
    assert {row["what"]: row["verdict"] for row in claims if row["verdict"] != "holds"} == {}


@pytest.mark.parametrize("name", experiment_ids())
def test_every_claim_can_fail(name: str) -> None:
    rows = experiment(name).compare(points(name, as_the_paper_denies))
    wrong = {"claim": "does not hold", "value": "differs"}
    assert {row["what"]: row["verdict"] for row in rows if row["verdict"] != wrong[row["kind"]]} == {}


def test_every_published_value_has_its_arm() -> None:
    for name, rows in s2_claims.PUBLISHED.items():
        arms = {(arm.series, arm.x) for arm in experiment(name).arms}
        assert {(at.series, at.x) for at in rows} <= arms


@pytest.mark.parametrize("name", experiment_ids())
def test_every_arm_is_a_player_and_none_is_twice(name: str) -> None:
    arms = experiment(name).arms
    assert len({arm.player for arm in arms}) == len({(arm.series, arm.x) for arm in arms}) == len(arms)
    for arm in arms:
        make_player(arm.player)


def test_the_sweeps_change_what_they_say() -> None:
    (arm,) = [arm for arm in experiment("S2-fig5").arms if (arm.series, arm.x) == ("set", -20.0)]
    assert arm.player == "hand-strength:set_penalty=-20,set_bonus=20"
    (zero,) = [arm for arm in experiment("S2-fig6").arms if (arm.series, arm.x) == ("two-adjacent", 0.0)]
    assert zero.player == "hand-strength:two_penalty=0,two_bonus=0"


@pytest.fixture(scope="module")
def smoke(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All experiments at smoke scale through the command line, with pages."""
    state = tmp_path_factory.mktemp("reproduce")
    done = run("--out", "mine", "--page", "pages", "--workers", "2", state=state)
    assert done.returncode == 0, done.stderr
    assert all(name in done.stdout for name in experiment_ids())
    return state


def test_a_smoke_run_leaves_evidence_figures_and_a_page(smoke: Path) -> None:
    for name in experiment_ids():
        evidence = json.loads((smoke / f"mine/{name}.json").read_text(encoding="utf-8"))
        assert evidence["scale"] == "smoke"
        assert len(evidence["points"]) == 2 * len(experiment(name).arms)
        assert all(
            row["compared"] and row["verdict"] in reports.VERDICT_COLOURS for row in evidence["comparison"]
        )
        assert evidence["provenance"]["command"].startswith("ginrummy reproduce")
        if experiment(name).axis:
            assert (smoke / f"pages/{name}.svg").read_text(encoding="utf-8").startswith("<?xml")
    page = (smoke / "pages/s2.md").read_text(encoding="utf-8")
    assert page == reports.page(smoke / "mine", "S2")
    assert "generated from the evidence" in page
    assert not list(smoke.glob("*.jsonl"))


def test_current_evidence_is_not_played_again(smoke: Path) -> None:
    wanted = store.order(["S2-fig2"], "smoke", Settings(), smoke / "mine", True)
    assert store.stored(wanted, experiment("S2-fig2")) is not None
    other_seed = store.order(["S2-fig2"], "smoke", Settings(seed=9), smoke / "mine", True)
    assert store.stored(other_seed, experiment("S2-fig2")) is None
    fresh = store.order(["S2-fig2"], "smoke", Settings(fresh=True), smoke / "mine", True)
    assert store.stored(fresh, experiment("S2-fig2")) is None


def test_comparisons_come_from_the_counters_alone(smoke: Path) -> None:
    evidence = json.loads((smoke / "mine/S2-fig3.json").read_text(encoding="utf-8"))
    bare = evidence | {"comparison": [], "title": ""}
    assert experiment("S2-fig3").again(bare) == evidence
    assert curves(evidence["points"])["beta"][0.9].value == pytest.approx(
        sum(p["win_rate_a"] for p in evidence["points"] if p["x"] == 0.9) / 2
    )


def test_a_smoke_run_never_replaces_full_evidence(smoke: Path, tmp_path: Path) -> None:
    evidence = json.loads((smoke / "mine/S2-fig3.json").read_text(encoding="utf-8"))
    (tmp_path / "S2-fig3.json").write_text(json.dumps(evidence | {"scale": "full"}), encoding="utf-8")
    with pytest.raises(ValueError, match="holds evidence of full scale"):
        store.order(["S2-fig3"], "smoke", Settings(), tmp_path, True)


def test_figures_lie_beside_the_evidence_when_there_is_no_page(smoke: Path) -> None:
    done = run("S2-fig4", "--from-evidence", "--out", "mine", state=smoke)
    assert done.returncode == 0, done.stderr
    assert (smoke / "mine/S2-fig4.svg").read_bytes() == (smoke / "pages/S2-fig4.svg").read_bytes()


def test_evidence_of_something_else_is_refused(smoke: Path, tmp_path: Path) -> None:
    (tmp_path / "S2-fig3.json").write_bytes((smoke / "mine/S2-fig2.json").read_bytes())
    with pytest.raises(ValueError, match="is no evidence of S2-fig3"):
        store.read(tmp_path, "S2-fig3")
    (tmp_path / "S2-fig3.json").write_text('{"format": "ginrummy-experiment/1", "experiment": "S2-fig3"}')
    with pytest.raises(ValueError, match="is no evidence of S2-fig3: it lacks arms"):
        store.read(tmp_path, "S2-fig3")


def test_smoke_scale_writes_nothing_unasked_and_answers_in_json(tmp_path: Path) -> None:
    done = run("S2-vs-simple", "--json", state=tmp_path)
    assert done.returncode == 0, done.stderr
    (evidence,) = json.loads(done.stdout)["experiments"]
    assert evidence["experiment"] == "S2-vs-simple"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["S2-fig9"], "unknown experiment 'S2-fig9': choose one of S2-fig2"),
        (["--scale", "huge"], "unknown scale 'huge': choose one of smoke, full"),
        (["--from-evidence"], "there is no evidence of S2-fig2"),
        (["S2-fig2", "--page", "x"], "a page is made from evidence"),
        (["S2-fig2", "--out", "/proc/none"], "none"),
    ],
)
def test_wrong_words_are_answered_in_one_line(words: list[str], message: str, tmp_path: Path) -> None:
    done = run(*words, state=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_the_list_says_what_is_there(smoke: Path) -> None:
    done = run("--list", "--out", "mine", "--json", state=smoke)
    rows = json.loads(done.stdout)["experiments"]
    assert [row["id"] for row in rows] == experiment_ids()
    assert all(row["evidence"].startswith("smoke, ") for row in rows)


def test_a_stopped_run_goes_on_and_ends_with_the_same_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GINRUMMY_STATE", str(tmp_path))
    wanted = experiment("S2-vs-simple")
    whole = wanted.run("smoke", Settings())
    left = len(wanted.arms) + 1  # a shard for each arm and seed: the stop comes in the second seed's half

    def stop(games: int) -> None:
        nonlocal left
        left -= games > 0
        if left == 0:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        wanted.run("smoke", Settings(), stop)
    assert len(list(tmp_path.glob("*.jsonl"))) == 2
    played: list[int] = []
    again = wanted.run("smoke", Settings(), played.append)
    assert again["points"] == whole["points"]
    assert sum(played) == wanted.total_games("smoke")
    assert list(tmp_path.iterdir()) == []


def test_the_pages_in_the_tree_are_what_the_evidence_says() -> None:
    for paper in PAPERS:
        page = (ROOT / f"docs/reproduction/{paper.lower()}.md").read_text(encoding="utf-8")
        assert page == reports.page(ROOT / "results", paper)
        for figure in re.findall(r"\]\(([^)]+\.svg)\)", page):
            assert (ROOT / "docs/reproduction" / figure).exists()


def test_every_experiment_is_documented() -> None:
    for name in experiment_ids():
        page = ROOT / f"docs/reproduction/{experiment(name).paper.lower()}.md"
        assert f"`{name}`" in page.read_text(encoding="utf-8")
