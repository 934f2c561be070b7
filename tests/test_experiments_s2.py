"""Paper S2 beyond its figures: readings, profiles and tuning; pages whose sentences follow the numbers."""

import copy
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from ginrummy.experiments.frame.evidence import MatchPoint
from ginrummy.experiments.frame.experiment import Matches
from ginrummy.experiments.frame.rates import curves
from ginrummy.experiments.frame.verdicts import Claim
from ginrummy.experiments.s2 import readings, tuned
from ginrummy.experiments.s2.figures import FIGURES
from ginrummy.players.registry import make_player
from ginrummy.reports import knock_words, tuning_page
from ginrummy.reports.folds import arms_fold
from points import Json, played

RESULTS = Path(__file__).parent.parent / "results"


def points(shown: Matches, rate: Callable[[str], float], pairs: int = 25_000) -> list[MatchPoint]:
    return [played(arm, rate(arm.series), pairs) for arm in shown.arms]


def verdicts(shown: Matches, rate: Callable[[str], float]) -> dict[str, str]:
    return {row.what: row.verdict for row in shown.compare(points(shown, rate)) if isinstance(row, Claim)}


def as_published(series: str) -> float:
    published = {at.series: at.published.value for at in readings._NAMED}
    published |= {"sequence": 0.4691, "set": 0.4803, readings.AGAINST_CODE: 0.54}
    return published[series.split("; ")[1]]


def test_a_reading_is_judged_by_the_named_points() -> None:
    found = verdicts(readings.BY_READING, as_published)
    assert len(found) == 4 and set(found.values()) == {"holds"}
    stacking = "neighbours count beside a sequence (stack=1); sequence"
    found = verdicts(readings.BY_READING, lambda series: 0.53 if series == stacking else as_published(series))
    assert sorted(found.values()) == ["does not hold", "holds", "holds", "holds"]


def test_the_lower_of_the_two_zero_weights_meets_the_lower_published_one() -> None:
    rates = curves(points(readings.BY_READING, as_published))
    *_, low, high = readings.named_points(rates, next(iter(readings.READINGS)))
    assert (low[0].series, low[0].published.value) == ("sequence", 0.4691)
    assert (high[0].series, high[0].published.value) == ("set", 0.4803)


def test_the_readings_differ_in_what_they_say() -> None:
    vectors = {tuple(make_player(spec).compiled.constants) for spec in readings.READINGS.values()}
    assert len(vectors) == 4
    (arm,) = [
        arm for arm in readings.BY_READING.arms if arm.series.startswith("both") and "; set" in arm.series
    ]
    assert arm.player == "hand-strength:stack=1,sides=1,set_penalty=0,set_bonus=0"
    assert arm.opponent == "hand-strength:stack=1,sides=1"


@pytest.mark.parametrize(("rate", "expected"), [(0.6, 1), (0.4, 2)])
def test_profiles_beat_each_other_by_the_numbers(rate: float, expected: int) -> None:
    """The arms are paper-code, paper-tuned and code-tuned: a first player that wins makes one claim true."""
    found = list(verdicts(readings.HEAD_TO_HEAD, lambda series: rate).values())
    assert found.count("holds") == expected and found.count("does not hold") == 3 - expected


def test_a_part_put_back_is_as_in_the_paper() -> None:
    tuned_one, paper = make_player(tuned.TUNED).compiled.array, make_player("hand-strength").compiled.array
    for part in tuned.PARTS:
        found = make_player(tuned.put_back(part)).compiled.array
        changed = found != tuned_one
        assert changed.any() and (found[changed] == paper[changed]).all()


def test_every_claim_on_tuning_can_hold_and_fail() -> None:
    def good(series: str) -> float:
        return 0.52 if series in tuned.PARTS else 0.56

    assert set(verdicts(tuned.TUNING, good).values()) == {"holds"}
    assert set(verdicts(tuned.TUNING, lambda series: 0.45 if series in tuned.PARTS else 0.4).values()) == {
        "does not hold"
    }


def test_the_fold_has_every_arm() -> None:
    figure = FIGURES[0]
    text = arms_fold([played(arm, 0.5, seed=seed) for seed in (101, 102) for arm in figure.arms], "alpha")
    lines = text.splitlines()
    assert lines[0] == '??? note "All 13 arms, against `hand-strength`"' and lines[1] == ""
    assert all(line.startswith("    | ") or line.startswith("    |-") for line in lines[2:])
    assert len(lines) == 4 + 13 and "| `hand-strength:alpha=40` | 20,000 | 50.00% | 50.00% |" in text


def test_other_numbers_give_other_sentences_on_tuning() -> None:
    def said(rate: Callable[[str], float]) -> dict[str, str]:
        rates = {name: by_x[0.0] for name, by_x in curves(points(tuned.TUNING, rate)).items()}
        found = tuning_page.part_words(rates), tuning_page.change_words(rates), tuning_page.pool_words(rates)
        return dict(zip(("parts", "changes", "pool"), found, strict=True))

    first = said(lambda series: {"the ten weights": 0.5}.get(series, 0.55))
    assert first["parts"].startswith("The gain rests on the ten weights. It is inconclusive")
    assert first["changes"].startswith("- better: `draw_loose=2` (55.0%)") and "worse" not in first["changes"]
    assert first["pool"] == "So the tuned player beats paper, code and simple."
    second = said(
        lambda series: {"the knock rule": 0.6, "draw_loose=2": 0.4, "tuned against code": 0.4}.get(
            series, 0.5
        )
    )
    assert second["pool"] == "So the tuned player is not told apart from paper and simple and loses to code."
    assert second["parts"].startswith("It would win more without the knock rule. It is inconclusive")
    assert "- worse: `draw_loose=2` (40.0%)\n- inconclusive: `draw_loose=4`" in second["changes"]


@pytest.mark.parametrize(
    ("score", "expected"),
    [(0.55, "Nothing better was found: on fresh decks the best of 1 other finalists won 55.00% (trial 7)"),
     (0.61, "On fresh decks its best finalist won 61.00% (trial 7) against 60.00% of the profile")],
)  # fmt: skip
def test_what_a_search_found_is_computed(score: float, expected: str) -> None:
    finalists = [{"from": "start", "score": 0.6}, {"from": "trial 7", "score": score}]
    search = {"trials": 3, "games_per_trial": 10, "finalists": finalists, "best": "x"}
    assert expected in tuning_page.found_words(search | {"provenance": {"commit": "c0ffee"}})


@pytest.fixture(scope="module")
def knock() -> Json:
    found: Json = json.loads((RESULTS / "S2-knock.json").read_text(encoding="utf-8"))
    return found


def changed(evidence: Json, **fields: object) -> Json:
    """The evidence with other numbers in the table under the challenge's rules that the sentences rest on."""
    other = copy.deepcopy(evidence)
    for group in other["tables"]:
        if (group["rules"], group["sampling"]) == ("eaai", "external"):
            group.update(fields)
    return other


def test_other_tables_give_other_sentences_on_knocking(knock: Json) -> None:
    def said(**fields: object) -> str:
        return knock_words.findings(changed(knock, **fields))

    assert "are the paper's rule, turn for turn, whatever the discards" in said(limits="10/10/10/10/0")
    assert "with hand-strength discards they knock for six turns" in said(limits="10/10/10/10/10/10/0")
    assert "they never knock but with gin" in said(limits="0")
    assert "no rule of the paper's kind: `5/4/3`" in said(limits="5/4/3")
    turns = {"best_rule_of_its_kind": {"turns": 4, "agrees": 0.9}}
    assert "A limit is the wrong shape under the challenge's rules" in said(**turns, knock_from_agrees=0.97)
    assert "A limit has the right shape under the challenge's rules" in said(**turns, knock_from_agrees=0.8)
    assert "decides under the challenge's rules about as many" in said(**turns, knock_from_agrees=0.9)
    assert "for *high* deadwood" in said(last_turn_above_half=[19, *[1] * 5, *[6] * 5])
    low = said(last_turn_above_half=[19, *[9] * 5, *[2] * 5])
    assert (
        "for *low* deadwood" in low and "with 1 to 5 points up to turn 9, 6 to 10 points up to turn 2" in low
    )
    assert "instead of 25, knocking goes on for a shorter time" in said(last_turn_above_half=[19] * 11)
    assert "Gin is not always laid down at once: in some turn only 20%" in said(mean_knock=[[0.2] * 20] * 11)


def test_the_worth_of_a_knock_rule_is_computed(knock: Json) -> None:
    other = copy.deepcopy(knock)
    for match in other["matches"]:
        match |= {"win_rate_a": 0.45, "pair_ci95_a": [0.44, 0.46]}
    assert "the least deadwood by turn: wins less, 45.00%" in knock_words.worth_words(other)
    for match in other["matches"]:
        match |= {"win_rate_a": 0.5, "pair_ci95_a": [0.49, 0.51]}
    assert "the least deadwood by turn: inconclusive" in knock_words.worth_words(other)


def test_the_page_on_tuning_is_written_from_the_evidence() -> None:
    page = (RESULTS.parent / "docs/tuning.md").read_text(encoding="utf-8")
    assert tuning_page.BEGIN + tuning_page.from_files(RESULTS) + tuning_page.END in page
