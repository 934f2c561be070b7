"""The strategy guide: its pages say what tables and evidence say, and nothing else."""

import re
from pathlib import Path

import pytest

from ginrummy.errors import BadInput
from ginrummy.experiments.s3 import guide as tips
from ginrummy.experiments.s3 import rules
from ginrummy.experiments.s3.values import points_a_round
from ginrummy.players.registry import make_player
from ginrummy.reports import guide
from ginrummy.stats import Estimate

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "results"


@pytest.fixture(scope="module")
def collected() -> guide.Guide:
    return guide.collect(RESULTS)


def test_the_page_in_the_tree_is_written_from_the_evidence(collected: guide.Guide) -> None:
    page = (ROOT / "docs/guide.md").read_text(encoding="utf-8")
    assert page == guide.page(collected)
    for picture in re.findall(r"\]\(([^)]+\.svg)\)", page):
        assert (ROOT / "docs" / picture).exists()


def test_every_tip_has_its_measured_worth(collected: guide.Guide) -> None:
    page = guide.page(collected)
    for tip in [*collected.knocking, *collected.cards]:
        low, high = tip.worth.interval()
        assert f"{tip.worth.value:+.2f} [{low:+.2f}, {high:+.2f}]" in page
        assert 0 < tip.worth.error < 0.3
    assert len(collected.cards) == len(tips.DUELS) - 1  # one is for comparison


def test_the_page_to_print_needs_nothing_else(collected: guide.Guide) -> None:
    text = guide.one_page(collected)
    assert text.count("<svg") == 3
    outside = [link for link in re.findall(r'(?:href|src)="([^"#]+)"', text) if not link.startswith("#")]
    assert outside == []
    for tip in [*collected.knocking, *collected.cards]:
        assert (guide.worth_text(tip.worth) in text) == (tip.worth.interval().low > 0)


def test_a_rule_in_words() -> None:
    assert guide.rule_in_words([(5, 10), (5, 10), (6, 9), (0, 0)]) == (
        "turns 1 to 2: knock with 5 to 10; turn 3: knock with 6 to 9; from turn 4 on: wait for gin"
    )
    assert guide.rule_in_words([(0, 10)]) == "turn 1: knock with 1 to 10"


def test_verdicts_follow_the_interval() -> None:
    words = [guide.verdict(Estimate(value, 0.1)) for value in (0.5, 0.1, -0.5)]
    assert words == ["helps", "not told apart from nothing", "hurts"]


def test_what_the_charts_by_stock_show_is_computed() -> None:
    early = [[0.9] * guide.EARLY + [0.1] * 19] * 10
    late = [[0.1] * guide.EARLY + [None] * 18 + [0.9]] * 10
    us, uk = guide.NAMES["eaai"], guide.NAMES["uk"]
    first = guide.surface_words({us: early, uk: late})
    assert (
        "it knocks more often with fewer than 10" in first and "knocks less often than under the US" in first
    )
    second = guide.surface_words({us: late, uk: early})
    assert "it knocks less often with fewer than 10" in second and "about as often with six points" in second


def test_without_evidence_the_guide_says_what_to_run(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="ginrummy reproduce S3-guide"):
        guide.collect(tmp_path)


@pytest.mark.parametrize("name", list(rules.WINDOWS))
def test_duels_differ_in_one_thing_and_can_be_played(name: str) -> None:
    duels = [*rules.duels(name), *rules.outs_duels(name), *tips.DUELS]
    assert len({duel.name for duel in duels}) == len(duels)
    for duel in duels:
        assert make_player(duel.player).name != make_player(duel.opponent).name


def test_points_a_round_add_up_over_seeds() -> None:
    """Two seeds of one duel: margins and rounds are added, not averaged."""

    class Counts:
        def __init__(self, games: int, margin: int, squares: int) -> None:
            self.games, self.margin_sum, self.margin_squares = games, margin, squares

    class Match:
        def __init__(self, rounds: int, *counts: int) -> None:
            self.series, self.rounds, self.counts = "duel", rounds, Counts(*counts)

    found = points_a_round([Match(10, 2, 30, 900), Match(30, 2, 10, 700)])["duel"]  # type: ignore[list-item]
    assert found.value == 1.0
    assert found.error == pytest.approx((1600 - 40**2 / 4) ** 0.5 / 40)
