"""The frame of experiments: every verdict can occur, claims can fail, pages say what the evidence says."""

import json
import math
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ginrummy.errors import BadInput
from ginrummy.experiments import PAPERS, experiment, experiment_ids
from ginrummy.experiments.frame import store
from ginrummy.experiments.frame.drawings import Cell, Curves, Sheet
from ginrummy.experiments.frame.evidence import FORMAT, Arm, MatchPoint, Point, Subject
from ginrummy.experiments.frame.experiment import Counts, Matches, Settings
from ginrummy.experiments.frame.rates import curves, slope, win_rate, win_rates
from ginrummy.experiments.frame.verdicts import (
    Claim,
    Published,
    Row,
    Statement,
    Value,
    claim,
    counted,
    published_interval,
    reread,
    value,
)
from ginrummy.experiments.s2 import claims as s2_claims
from ginrummy.judging.shards import Shard
from ginrummy.judging.sums import Sums, cluster_sums
from ginrummy.players.hand_strength import PROFILES
from ginrummy.players.registry import make_player
from ginrummy.reports import figures, pages
from ginrummy.reports.rule_page import RULE
from ginrummy.stats import Estimate
from ginrummy.tournament import Plan, measure, summary
from points import played

ROOT = Path(__file__).parent.parent
Json = dict[str, Any]

ARM = Arm("x", 0.0, "a", "b")
S2 = [name for name in experiment_ids() if experiment(name).paper == "S2"]
SWEPT = [name for name in S2 if name in s2_claims.COMPARE]
"""The figures, and what else the module of their claims compares."""


def matches(name: str) -> Matches:
    found = experiment(name)
    assert isinstance(found, Matches)
    return found


def run(*words: str, state: Path) -> subprocess.CompletedProcess[str]:
    env = os.environ | {"GINRUMMY_STATE": str(state)}
    call = [sys.executable, "-m", "ginrummy", "reproduce", *words]
    return subprocess.run(call, cwd=state, capture_output=True, text=True, env=env, timeout=300)


def verdict(published: Published, ours: Estimate) -> str:
    return value(published, "ours", ours).verdict


@pytest.mark.parametrize(
    ("gap", "error", "expected"),
    [
        (0.004, 0.003, "agrees"),  # inside the margin of two points, and 1.3 errors away
        (0.012, 0.003, "close"),  # inside the margin, and 4 errors away
        (0.017, 0.003, "differs"),  # the interval reaches beyond the margin, and 6 errors away
        (0.017, 0.008, "inconclusive"),  # beyond the margin, and 2.1 errors away
        (0.0, 0.02, "inconclusive"),  # nothing can be told
    ],
)
def test_a_value_goes_four_ways_by_equivalence_and_difference(
    gap: float, error: float, expected: str
) -> None:
    published = Published("x", 0.5, None, 0.0)
    assert verdict(published, Estimate(0.5 + gap, error)) == expected
    assert verdict(published, Estimate(0.5 - gap, error)) == expected


@pytest.mark.parametrize(
    ("published", "margin"),
    [
        (Published("x", 0.5, None), 0.02),
        (Published("x", 0.8107, None, unit="accuracy"), 0.01),
        (Published("x", 42.4, None, 0.1, unit="points"), 2.0),
        (Published("x", 62_664, None, 1.0, unit="count"), 3133.2),
        (Published("x", 0.14, None, 0.01, unit="loss"), 0.01),  # a unit of its last digit is more than 5 %
    ],
)
def test_the_margin_follows_the_unit_and_the_last_digit(published: Published, margin: float) -> None:
    assert published.margin() == pytest.approx(margin)


def test_a_verdict_depends_on_its_own_numbers_alone() -> None:
    one, ours = Published("x", 0.5, 10_000), Estimate(0.514, 0.004)
    alone = value(one, "y", ours)
    beside = [value(one, "y", ours), *(value(Published(f"n{k}", 0.5, None), "y", ours) for k in range(30))]
    assert beside[0] == alone


def test_a_summary_counts_a_published_number_once_by_its_first_reading() -> None:
    published = Published("x", 0.5, None, 0.0)
    rows = [
        value(published, "y", Estimate(0.6, 0.001), reading="a"),
        value(published, "y", Estimate(0.5, 0.001), reading="b"),
        claim("z", "y", [Statement("s", Estimate(0.6, 0.001), high=0.5)], reading="a"),
        claim("z", "y", [Statement("s", Estimate(0.4, 0.001), high=0.5)], reading="b"),
    ]
    assert [row.verdict for row in counted(rows)] == ["differs", "does not hold"]
    assert counted(rows, known=["x", "z"]) == []
    again = claim("z", "y", [Statement("s", Estimate(0.4, 0.001), high=0.5)])
    assert counted([again], known=["z"]) == [again]  # the same words about another experiment
    assert reread(again, "c").reading == "c" and counted([reread(again, "c")], known=["z"]) == []


def read_under(reading: str, first: float, second: float) -> list[Row]:
    """Two published numbers, 0.5 and 0.6, under a reading."""
    numbers = (("x", 0.5, first), ("y", 0.6, second))
    return [
        value(Published(what, said, None, 0.0), "z", Estimate(ours, 0.001), reading=reading)
        for what, said, ours in numbers
    ]


def test_readings_stand_side_by_side_and_the_page_says_what_they_explain() -> None:
    rows = read_under("a", 0.5, 0.7) + read_under("b", 0.5, 0.6)
    page = pages._values(rows)
    assert "| value | published ± margin | a | b |" in page
    assert "| y | 60.00% ± 2.00% | 70.00% [69.80%, 70.20%] **differs** | 60.00%" in page
    assert "| **all** | | 1 agrees, 1 differs | 2 agrees |" in page
    assert page.endswith("Most numbers agree or are close under *b* (2 of 2).")
    crossed = pages._values(read_under("a", 0.5, 0.7) + read_under("b", 0.9, 0.6))
    assert crossed.endswith("Every number is explained by some reading, but no reading explains all.")
    left = pages._values(read_under("a", 0.5, 0.7) + read_under("b", 0.5, 0.8))
    assert left.endswith("Unexplained by any reading tried here: y.")
    many = [row for name in "abc" for row in read_under(name, 0.5, 0.6)]
    assert pages._values(many).startswith("| reading | x | y | all |")


def test_a_measured_program_has_a_column_of_its_own() -> None:
    program = Published("x", 0.5, 10_000, measured=True)
    rows = [
        value(program, "z", Estimate(0.5, 0.001)),
        value(Published("y", 0.6, 100), "z", Estimate(0.6, 0.1)),
    ]
    page = pages._values(rows)
    assert "| value | published | the authors' program, measured by us | its games |" in page
    assert "| x |  | 50.00% | 10,000 |" in page and "| y | 60.00% |  | 100 |" in page
    assert [row.ours_alone for row in rows] == [True, False]


def test_a_value_within_the_joint_error_agrees() -> None:
    assert verdict(Published("x", 0.5073, 50_000), Estimate(0.5040, 0.0022)) == "agrees"


def test_a_value_far_outside_differs() -> None:
    assert verdict(Published("x", 0.5073, 50_000), Estimate(0.53, 0.0022)) == "differs"


def test_a_wide_interval_is_inconclusive_however_close() -> None:
    assert verdict(Published("x", 0.51, 50_000), Estimate(0.51, 0.03)) == "inconclusive"


def test_a_wide_interval_may_still_differ() -> None:
    assert verdict(Published("x", 0.51, 50_000), Estimate(0.30, 0.03)) == "differs"


def test_the_published_size_and_digits_count_as_error() -> None:
    ours = Estimate(0.515, 0.0022)
    assert verdict(Published("x", 0.5, None, 0.0001), ours) == "close"
    assert verdict(Published("x", 0.5, 1_000, 0.0001), ours) == "agrees"
    assert verdict(Published("x", 0.5, None, 0.05), ours) == "agrees"


def test_the_error_of_a_published_rate() -> None:
    assert Published("x", 0.5, 10_000, 0.0).estimate().error == pytest.approx(0.005)
    assert Published("x", 45.0, 10_000, 0.0, 80.0, "points").estimate().error == pytest.approx(0.8)


def test_a_quotient_of_estimates() -> None:
    quotient = Estimate(2.0, 0.02) / Estimate(4.0, 0.08)
    assert quotient.value == 0.5
    assert quotient.error == pytest.approx(0.5 * math.hypot(0.01, 0.02))


def test_a_published_interval_is_its_centre_with_sampling_and_rounding_error() -> None:
    published = published_interval("x", 0.57, 0.59, 10_000)
    assert published.value == pytest.approx(0.58)
    sampling = math.sqrt(0.58 * 0.42 / 10_000)
    assert published.estimate().error == pytest.approx(math.hypot(sampling, 0.01 / math.sqrt(12)))
    assert verdict(published, Estimate(0.588, 0.004)) == "agrees"
    assert verdict(published, Estimate(0.605, 0.004)) == "differs"
    assert pages.row_cells(value(published, "y", Estimate(0.588, 0.004))) == (
        "57-59%",
        ["58.80% [58.02%, 59.58%]"],
    )


def test_the_size_behind_an_interval_follows_from_its_width() -> None:
    implied = published_interval("x", 0.20, 0.24)
    assert implied.games == pytest.approx(1161, abs=1)
    assert published_interval("x", 0.20, 0.22).games == pytest.approx(4 * 1122, abs=20)


def test_other_numbers_than_rates_agree_within_a_twentieth() -> None:
    published = Published("x", 1000, None, 1.0, unit="count")
    assert verdict(published, Estimate(1010, 15)) == "agrees"
    assert verdict(published, Estimate(1010, 40)) == "inconclusive"


def test_the_spread_of_ours_stands_in_for_an_unknown_one() -> None:
    published = Published("x", 2.0, 400, 0.0, unit="mean").like(Estimate(2.1, 0.01), 10_000)
    assert published.estimate().error == pytest.approx(1 / 20)
    assert Published("x", 2.0, 400, 0.0).like(Estimate(0.0, 0.0), 10_000).estimate().error == 0


@pytest.mark.parametrize(
    ("unit", "number", "text"),
    [
        ("rate", 0.12345, "12.35%"),
        ("gain", 0.08, "+8.00%"),
        ("points", 45.04, "+45.0"),
        ("count", 62664.4, "62,664"),
        ("mean", 2.10206, "2.102"),
        ("ratio", 1.17508, "1.175"),
        ("loss", 0.34484, "0.345"),
    ],
)
def test_numbers_are_written_by_their_unit(unit: Any, number: float, text: str) -> None:
    row = value(Published("x", number, None, unit=unit), "y", Estimate(number, 0.0))
    assert pages.row_cells(row) == (text, [f"{text} [{text}, {text}]"])
    said = claim("x", "y", [Statement("z", Estimate(number, 0.0), low=-1, unit=unit)])
    assert pages.row_cells(said).ours == [f"z: {text} [{text}, {text}]"]


def test_clustered_sums_give_the_error_of_a_quotient() -> None:
    chance = np.random.default_rng(1)
    keys = np.repeat(np.arange(300), 2)
    hands = chance.integers(1, 4, 600)
    draws = hands * 2 + chance.integers(0, 3, 600)
    shards = [
        cluster_sums(keys[part], {"hands": hands[part], "draws": draws[part]})
        for part in (slice(200), slice(200, None))
    ]
    sums = Sums(shards)
    by_pair = np.array([[column[keys == key].sum() for column in (draws, hands)] for key in range(300)])
    mean = by_pair[:, 0].sum() / by_pair[:, 1].sum()
    residual = by_pair[:, 0] - mean * by_pair[:, 1]
    estimate = sums.per("hands", "draws")
    assert (sums.clusters, sums.total("draws", "hands")) == (300, draws.sum() + hands.sum())
    assert estimate.value == pytest.approx(mean)
    assert estimate.error == pytest.approx(math.sqrt(300 / 299 * (residual**2).sum()) / hands.sum())
    assert sums.per("hands", "hands") == pytest.approx((1.0, 0.0))


def test_an_error_needs_two_clusters() -> None:
    with pytest.raises(ValueError, match="two clusters or more, not 1"):
        Sums([cluster_sums(np.zeros(3, int), {"n": np.ones(3), "x": np.ones(3)})]).per("n", "x")


def test_win_rates_of_pairs_go_both_ways() -> None:
    rates = win_rates([played(Arm("x", 0.0, "a", "b"), 0.8)] * 2)
    assert rates["a", "b"].value == pytest.approx(0.8)
    assert rates["b", "a"].value == pytest.approx(0.2)
    assert rates["b", "a"].error == rates["a", "b"].error


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


def points(name: str, rate: Any) -> list[MatchPoint]:
    """Points of an experiment with constructed win rates, 25,000 pairs each."""
    made = []
    for arm in matches(name).arms:
        chosen = rate(arm.series, arm.x)
        margins = round(50_000 * 168 * (chosen - 0.5)), 50_000 * 8000
        made.append(played(arm, chosen, 25_000, seed=1, margins=margins))
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


@pytest.mark.parametrize("name", SWEPT)
def test_every_claim_can_hold(name: str) -> None:
    rows = experiment(name).compare(points(name, as_the_paper_says))
    claims = [row for row in rows if isinstance(row, Claim)]
    assert {row.what: row.verdict for row in claims if row.verdict != "holds"} == {}


@pytest.mark.parametrize("name", SWEPT)
def test_every_claim_can_fail(name: str) -> None:
    rows = experiment(name).compare(points(name, as_the_paper_denies))
    wrong = {Claim: "does not hold", Value: "differs"}
    assert {row.what: row.verdict for row in rows if row.verdict != wrong[type(row)]} == {}


def test_every_published_value_has_its_arm() -> None:
    for name, rows in s2_claims.PUBLISHED.items():
        arms = {(arm.series, arm.x) for arm in matches(name).arms}
        assert {(at.series, at.x) for at in rows} <= arms


@pytest.mark.parametrize("name", S2)
def test_every_arm_is_a_player_and_none_is_twice(name: str) -> None:
    arms = matches(name).arms
    pairings = {(arm.player, arm.opponent) for arm in arms}
    assert len(pairings) == len({(arm.series, arm.x) for arm in arms}) == len(arms)
    for arm in arms:
        make_player(arm.player)


def test_the_sweeps_change_what_they_say() -> None:
    (arm,) = [arm for arm in matches("S2-fig5").arms if (arm.series, arm.x) == ("set", -20.0)]
    assert arm.player == "hand-strength:set_penalty=-20,set_bonus=20"
    (zero,) = [arm for arm in matches("S2-fig6").arms if (arm.series, arm.x) == ("two-adjacent", 0.0)]
    assert zero.player == "hand-strength:two_penalty=0,two_bonus=0"


@pytest.fixture(scope="module")
def smoke(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All experiments of one paper at smoke scale through the command line, with pages."""
    state = tmp_path_factory.mktemp("reproduce")
    done = run(*S2, "--out", "mine", "--page", "pages", "--workers", "2", state=state)
    assert done.returncode == 0, done.stderr
    assert all(name in done.stdout for name in S2)
    return state


def test_a_smoke_run_leaves_evidence_figures_and_a_page(smoke: Path) -> None:
    for name in S2:
        evidence = json.loads((smoke / f"mine/{name}.json").read_text(encoding="utf-8"))
        assert evidence["scale"] == "smoke"
        assert len(evidence["points"]) == 2 * len(matches(name).arms)
        assert all(
            row["compared"] and row["verdict"] in pages.VERDICT_COLOURS for row in evidence["comparison"]
        )
        assert evidence["provenance"]["command"].startswith("ginrummy reproduce")
        if experiment(name).drawing:
            assert (smoke / f"pages/{name}.svg").read_text(encoding="utf-8").startswith("<?xml")
    page = (smoke / "pages/s2.md").read_text(encoding="utf-8")
    assert page == pages.page(smoke / "mine", "S2")
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
    found = experiment("S2-fig3").read(bare)
    assert json.loads(json.dumps(found.to_json())) == evidence
    assert curves(found.points)["beta"][0.9].value == pytest.approx(
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
    with pytest.raises(
        ValueError, match="is no evidence of S2-fig3: evidence lacks paper, scale, games_per_point, seeds"
    ):
        store.read(tmp_path, "S2-fig3")


def commits(found: Any) -> list[Any]:
    """Every commit that a file of evidence names, however deep."""
    if isinstance(found, dict):
        own = [found["commit"]] if "commit" in found else []
        return own + [commit for value in found.values() for commit in commits(value)]
    return [commit for value in found for commit in commits(value)] if isinstance(found, list) else []


def test_evidence_comes_from_committed_code() -> None:
    for file in sorted((ROOT / "results").glob("*.json*")):
        text = file.read_text(encoding="utf-8")
        parts = text.splitlines() if file.suffix == ".jsonl" else [text]  # a diary has an object in each line
        named = [commit for part in parts for commit in commits(json.loads(part))]
        assert len(named) >= len(parts), file
        assert all(isinstance(one, str) and re.fullmatch("[0-9a-f]{40}", one) for one in named), file


def committed(name: str) -> Json:
    evidence: Json = json.loads((ROOT / f"results/{name}.json").read_text(encoding="utf-8"))
    return evidence


def test_a_setting_that_came_later_has_its_default() -> None:
    old = committed("S1-fig2")
    for _, settings in old["arms"]:
        settings.pop("first", None)  # as before there was such a setting
    arms = [[series, settings | {"first": 0}] for series, settings in old["arms"]]
    wanted = experiment("S1-fig2")
    assert wanted.read(old | {"arms": arms}).comparison == wanted.read(old).comparison
    arms[0][1]["first"] = 2
    with pytest.raises(
        BadInput, match=r"not those of S1-fig2: arms\[0\] \(simple against simple\) has other first"
    ):
        wanted.read(old | {"arms": arms})


@pytest.mark.parametrize("name", ["S1-fig2", "S1-fig6", "S1-variants", "S1-beliefs"])
@pytest.mark.parametrize("names", ["metrics", "estimators"])
def test_counters_under_other_names_are_refused(name: str, names: str, tmp_path: Path) -> None:
    """Sums stand at the places of names: with two names exchanged, claims would turn to their opposites."""
    evidence = committed(name)
    listed = evidence["arms"][0][1][names]
    listed[0], listed[-1] = listed[-1], listed[0]
    (tmp_path / f"{name}.json").write_text(json.dumps(evidence), encoding="utf-8")
    with pytest.raises(
        ValueError, match=f"is no evidence of {name}: its arms are not those.* other {names}$"
    ):
        store.read(tmp_path, name)


def test_counters_are_read_by_the_names_that_came_with_them() -> None:
    """The same counters in another order, with their names in that order, say the same."""
    wanted = experiment("S1-fig4")
    points = wanted.read(committed("S1-fig4")).points
    expected = wanted.compare(points)
    names = points[0].settings.metrics
    first, last = names.index("minimum_top_largest"), names.index("drift_area")

    def exchange(values: Sequence[Any]) -> list[Any]:
        moved = list(values)
        moved[first], moved[last] = values[last], values[first]
        return moved

    exchanged = []
    for point in points:
        counts = dict(point.counts)
        for part in ("turns", "bands"):
            counts[part] = {
                where: at | {name: exchange(at[name]) for name in ("sums", "crossed", "products")}
                for where, at in counts[part].items()
            }
        settings = replace(point.settings, metrics=tuple(exchange(names)))
        exchanged.append(replace(point, counts=counts, settings=settings))
    assert wanted.compare(exchanged) == expected
    wrong = [replace(point, settings=one.settings) for point, one in zip(points, exchanged, strict=True)]
    assert wanted.compare(wrong) != expected


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda e: e["arms"][0].__setitem__(2, "random"), r"arms\[0\] is .*'random'"),
        (lambda e: e["arms"].pop(), "there are 12, not 13"),
        (lambda e: e["points"].pop(), "it has 25 points, not 26"),
        (lambda e: e["points"].reverse(), r"points\[0\] belongs to"),
        (lambda e: e["points"][3].update(player="simple"), r"points\[3\] belongs to"),
        (lambda e: e["points"][3].update(seed=99), r"points\[3\] belongs to"),
    ],
)
def test_other_arms_and_points_are_refused(change: Any, message: str) -> None:
    evidence = committed("S2-fig2")
    change(evidence)
    with pytest.raises(BadInput, match=message):
        experiment("S2-fig2").read(evidence)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda e: e["points"][3]["counts"].update(pairs=[1, 2]), "evidence.points[3].counts.pairs: expected a list of 5"),
        (lambda e: e["points"][3]["counts"].update(games="x"), "evidence.points[3].counts.games: expected a whole number"),
        (lambda e: e["points"][3].update(win_rate_a=math.nan), "evidence.points[3].win_rate_a: expected a finite number, got nan"),
        (lambda e: e["points"][3].pop("games"), "evidence.points[3] lacks games"),
        (lambda e: e["points"].__setitem__(3, []), "evidence.points[3]: expected an object, got a list of 0"),
        (lambda e: e.update(more=1), "evidence: unknown 'more'"),
        (lambda e: e.update(scale="big"), "evidence.scale: expected one of smoke, full, got 'big'"),
        (lambda e: e["arms"][0].append(1), "evidence.arms[0]: expected a list of 4, got a list of 5"),
        (lambda e: e["provenance"].pop("made"), "evidence.provenance lacks made"),
    ],
)  # fmt: skip
def test_damaged_evidence_meets_one_line_with_file_and_place(
    change: Any, message: str, tmp_path: Path
) -> None:
    evidence = committed("S2-fig2")
    change(evidence)
    file = tmp_path / "S2-fig2.json"
    file.write_text(json.dumps(evidence), encoding="utf-8")
    with pytest.raises(BadInput, match=f"{file} is no evidence of S2-fig2: .*{re.escape(message)}") as caught:
        store.read(tmp_path, "S2-fig2")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "path", "message"),
    [
        ("S0-table1", ("counts", "in_rounds", "totals"), "counts.totals: expected an object, got 5"),
        (
            "S0-table4",
            ("counts", "raw_last", "sums", "products", "binary"),
            "counts.products.binary: expected",
        ),
        (
            "S0-table4",
            ("counts", "masked_all", "areas"),
            "counts.masked_all.areas: expected an object, got 5",
        ),
        ("S1-variants", ("counts", "bands", "1-9"), "counts.bands.1-9: expected an object, got 5"),
        ("S1-asp", ("counts", "reach"), "three, either way.reach: expected a list, got 5"),
        ("S1-bounds", ("counts", "pairs"), "pairs of the three safest, null: expected a list, got 5"),
    ],
)
def test_counters_of_another_shape_are_refused(name: str, path: tuple[str, ...], message: str) -> None:
    evidence = committed(name)
    inside = evidence["points"][0]
    for key in path[:-1]:
        inside = inside[key]
    inside[path[-1]] = 5
    with pytest.raises(BadInput, match=re.escape(message)):
        experiment(name).read(evidence)


def test_counters_that_do_not_fit_their_names_are_refused() -> None:
    evidence = committed("S1-fig2")
    evidence["points"][0]["counts"]["bands"]["all"]["sums"][1].pop()
    evidence["points"][1]["counts"]["bands"]["all"]["sums"][1].pop()
    with pytest.raises(BadInput, match="the counters of turns all do not fit their metrics and estimators"):
        experiment("S1-fig2").read(evidence)


def test_smoke_scale_writes_nothing_unasked_and_answers_in_json(tmp_path: Path) -> None:
    done = run("S2-vs-simple", "--json", state=tmp_path)
    assert done.returncode == 0, done.stderr
    (evidence,) = json.loads(done.stdout)["experiments"]
    assert evidence["experiment"] == "S2-vs-simple"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["S2-fig9"], "unknown experiment 'S2-fig9': choose one of S0-table1"),
        (["--scale", "huge"], "unknown scale 'huge': choose one of smoke, full"),
        (["S2-fig2", "--from-evidence"], "there is no evidence of S2-fig2"),
        (["--from-evidence"], "there is no evidence of S0-table1, S0-table2"),
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
    assert {row["id"] for row in rows if row["evidence"]} == set(S2)
    assert all(row["evidence"].startswith("smoke, ") for row in rows if row["evidence"])
    hands = next(row for row in rows if row["id"] == "S0-table1")
    assert (hands["unit"], hands["points"], hands["games"]["full"]) == ("hands", 11, 550_000)


def test_a_stopped_run_goes_on_and_ends_with_the_same_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GINRUMMY_STATE", str(tmp_path))
    wanted = matches("S2-vs-simple")
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
    done: list[int] = []
    again = wanted.run("smoke", Settings(), done.append)
    assert again.points == whole.points
    assert sum(done) == wanted.total_games("smoke")
    assert list(tmp_path.iterdir()) == []


@dataclass(frozen=True)
class Factor:
    factor: int


def by_turn(settings: Factor, shard: Shard) -> Json:
    """A stand-in for a metric by turn: numbers of the games, in lists that add up."""
    games = np.array(shard.games)
    return {
        "games": len(games),
        "turns": [len(games), len(games) // 2],
        "sums": [int(settings.factor * games.sum()), shard.seed],
    }


def mean_by_turn(points: list[Point[Factor]]) -> dict[str, dict[float, Estimate]]:
    return {
        point.series: {
            turn: Estimate(total / n, 0.1)
            for turn, (total, n) in enumerate(zip(point.counts["sums"], point.counts["turns"], strict=True))
        }
        for point in points
    }


COUNTED = Counts(
    id="S9-turns",
    paper="S9",
    title="Any metric by turn",
    measures="Nothing.",
    sizes={"smoke": 20, "full": 200},
    settings=Factor,
    subjects=(Subject("one", Factor(1)), Subject("two", Factor(2))),
    work=by_turn,
    shard=4,
    seed_offset=100,
    compare_points=lambda points: [
        claim("x", "y", [Statement("first turn of two", mean_by_turn(points)["two"][0], low=0, unit="mean")])
    ],
    drawing=Curves("turn", lines=mean_by_turn, quantity="metric", unit="mean", level=None),
)


def test_anything_that_adds_up_can_be_an_experiment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GINRUMMY_STATE", str(tmp_path))
    done: list[int] = []
    evidence = COUNTED.run("smoke", Settings(seed=1, workers=2), done.append)
    assert sum(done) == COUNTED.total_games("smoke") == 40
    assert evidence.seeds == (101, 102)
    assert [(point.series, point.seed) for point in evidence.points] == [
        ("one", 101), ("two", 101), ("one", 102), ("two", 102)
    ]  # fmt: skip
    assert evidence.points[1].counts == {"games": 10, "turns": [10, 5], "sums": [90, 3 * 101]}
    assert evidence.comparison[0].verdict == "holds"
    kept = json.loads(json.dumps(evidence.to_json()))
    assert COUNTED.read(kept) == evidence
    assert COUNTED.shared(kept, "smoke", 1)
    assert COUNTED.shared(kept, "smoke", 2) is None
    assert list(tmp_path.iterdir()) == []


def test_mirrored_pairs_are_not_torn() -> None:
    with pytest.raises(ValueError, match="whole mirrored pairs"):
        replace(COUNTED, shard=5).run("smoke", Settings())


def test_counts_go_on_from_their_journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GINRUMMY_STATE", str(tmp_path))
    whole = COUNTED.run("smoke", Settings())
    left = 8  # six shards a seed: the stop comes in the second seed's part

    def stop(games: int) -> None:
        nonlocal left
        left -= games > 0
        if left == 0:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        COUNTED.run("smoke", Settings(), stop)
    assert len(list(tmp_path.glob("*.jsonl"))) == 2
    done: list[int] = []
    assert COUNTED.run("smoke", Settings(), done.append).points == whole.points
    assert done[0] == 20  # the whole first seed, from its journal


def test_a_metric_by_turn_is_drawn_as_curves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GINRUMMY_STATE", str(tmp_path))
    evidence = COUNTED.run("smoke", Settings())
    figures.draw(COUNTED, evidence.points, tmp_path / "x.svg")
    text = (tmp_path / "x.svg").read_text(encoding="utf-8")
    assert all(f"<!-- {words} -->" in text for words in ("turn", "metric, 95 % band", "one", "two"))


def test_a_sheet_is_a_table_with_published_twins(tmp_path: Path) -> None:
    def cells(points: list[Any]) -> list[Cell]:
        ours = Estimate(points[0]["draws"], 10.0)
        twin = Published("x", 62_664, 1000, unit="count")
        return [
            Cell("T = 1", "draws", ours, "count", twin),
            Cell(
                "T = 1", "win rate", Estimate(0.46, 0.01), "rate", published_interval("y", 0.45, 0.47, 10_000)
            ),
            Cell("T = 6", "draws", ours, "count", drawn=False),
        ]

    def none(points: list[Any]) -> list[Row]:
        return [claim("x", "y", [Statement("z", Estimate(1.0, 0.1), low=0)])]

    shown = Matches(
        id="S9-sheet", paper="S9", title="t", measures="m", sizes={"smoke": 2, "full": 2}, arms=(),
        compare_points=none, drawing=Sheet(cells),
    )  # fmt: skip
    table = pages.grid(shown, [{"draws": 60_000.0}])
    assert table == (
        ["", "draws", "win rate"],
        [
            [
                "T = 1",
                "60,000 [59,980, 60,020] (published 62,664)",
                "46.00% [44.04%, 47.96%] (published 45-47%)",
            ],
            ["T = 6", "60,000 [59,980, 60,020]", ""],
        ],
    )
    figures.draw(shown, [{"draws": 60_000.0}], tmp_path / "x.svg")
    text = (tmp_path / "x.svg").read_text(encoding="utf-8")
    assert "<!-- T = 1 -->" in text and "<!-- T = 6 -->" not in text
    assert "<!-- published -->" in text and "<!-- published interval -->" in text
    assert "<!-- one half -->" not in text  # no column is said to be a win rate


def test_a_legend_names_only_what_is_drawn_and_win_rates_have_a_line_at_one_half(tmp_path: Path) -> None:
    def cells(points: list[Any]) -> list[Cell]:
        return [Cell("one", "win rate", Estimate(0.46, 0.01), "rate")]

    for levels in ({}, {"win rate": 0.5}):
        figure = figures.draw_sheet(Sheet(cells, levels), [])
        (axes,) = figure.axes
        shown = [text.get_text() for text in figure.legends[0].get_texts()]
        assert shown == ["ours, 95 % interval", *["one half"] * bool(levels)]
        assert [0.5, 0.5] in [list(line.get_xdata()) for line in axes.lines] or not levels


def test_intervals_are_drawn_with_their_true_ends() -> None:
    def cells(points: list[Any]) -> list[Cell]:
        published = [published_interval("x", 0.45, 0.47, 10_000), Published("y", 0.5, 100)]
        return [
            Cell(str(n), "win rate", Estimate(0.46, 0.01), "rate", one) for n, one in enumerate(published)
        ]

    (axes,) = figures.draw_sheet(Sheet(cells), []).axes
    ends = [tuple(line.get_xdata()) for line in axes.lines if len(line.get_xdata()) == 2]
    assert ends == [Estimate(0.46, 0.01).interval(), (0.45, 0.47), Estimate(0.46, 0.01).interval()]
    assert {line.get_solid_capstyle() for line in axes.lines if len(line.get_xdata()) == 2} == {"butt"}
    heights = [set(line.get_ydata()) for line in axes.lines]
    assert not (heights[0] | heights[1]) & heights[2]  # ours and the published one never cover each other


def test_where_two_curves_coincide_both_are_seen(tmp_path: Path) -> None:
    same = {0.0: Estimate(0.5, 0.01), 1.0: Estimate(0.6, 0.01)}
    figure = figures._draw_curves(Curves("x", lines=lambda _: {"one": same, "two": same}), [])
    first, second = (line for line in figure.axes[0].lines if line.get_label() in ("one", "two"))
    assert first.get_linewidth() > second.get_linewidth() and first.get_zorder() <= second.get_zorder()
    assert first.get_markersize() > second.get_markersize() and first.get_marker() != second.get_marker()


def test_a_paper_without_evidence_still_has_a_page(tmp_path: Path) -> None:
    for paper in PAPERS:
        text = pages.page(tmp_path, paper)
        names = [name for name in experiment_ids() if experiment(name).paper == paper]
        assert f"Not measured yet: {', '.join(f'`{name}`' for name in names)}." in text


def same(one: Any, other: Any) -> bool:
    """Whether two JSON values agree; another processor may add up floating-point numbers a little otherwise."""
    if isinstance(one, dict) and isinstance(other, dict):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)
    return type(one) is type(other) and bool(one == other)


def test_the_evidence_in_the_tree_is_compared_as_this_code_compares_and_written_as_it_is() -> None:
    for file in (ROOT / "results").glob("*.json"):
        evidence = json.loads(file.read_text(encoding="utf-8"))
        if evidence.get("format") == FORMAT:
            again = experiment(file.stem).read(evidence).to_json()
            assert same(json.loads(json.dumps(again)), evidence), file.name


def test_the_pages_in_the_tree_are_what_the_evidence_says() -> None:
    for paper in PAPERS:
        page = (ROOT / f"docs/reproduction/{paper.lower()}.md").read_text(encoding="utf-8")
        assert page == pages.page(ROOT / "results", paper)
        for figure in re.findall(r"\]\(([^)]+\.svg)\)", page):
            assert (ROOT / "docs/reproduction" / figure).exists()
    rule = (ROOT / "docs/reproduction/index.md").read_text(encoding="utf-8")
    assert rule == RULE
    assert all(f"**{verdict}**" in rule for verdict in pages.VERDICT_COLOURS)


def test_every_experiment_is_documented() -> None:
    for name in experiment_ids():
        page = ROOT / f"docs/reproduction/{experiment(name).paper.lower()}.md"
        assert f"`{name}`" in page.read_text(encoding="utf-8")
