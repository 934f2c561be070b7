"""The tools that compare settings of champion's search: recorded positions and the diary of matches."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from ginrummy import sim
from ginrummy.cards import CARDS, DECK
from ginrummy.compiled.worlds import ASK, DISCARDING, DRAWING, KNOCKING, LINE, Worlds, play_from
from ginrummy.experiments.champion import ablation, arms, losses, positions, times
from ginrummy.experiments.champion.judge import Judge, play_lines
from ginrummy.judging.shards import Shard
from ginrummy.players.champion import adviser
from ginrummy.players.registry import make_player
from ginrummy.reports import champion_losses, champion_matches, champion_parts
from ginrummy.rules import EAAI
from ginrummy.search.searcher import Settings
from ginrummy.tournament import Plan, match


@pytest.fixture(scope="module")
def recorded() -> dict[int, positions.Recorded]:
    return positions.record(make_player("hand-strength:profile=tuned"), 4, 3)


def test_recorded_positions_have_the_hands_that_the_opponent_held(recorded) -> None:
    for some in recorded.values():
        assert len(some.view) == len(some.truths) > 5
        assert (np.bitwise_count(some.truths) == 10).all()
        assert (some.truths & (some.view["hand"] | some.view["pile"]) == 0).all()
        assert (some.view["opponent"] & ~some.truths == 0).all()
    assert (recorded[KNOCKING].truths & ~DECK == 0).all()


def test_only_changed_answers_are_judged(recorded) -> None:
    opponent = make_player("hand-strength:profile=tuned")
    some = recorded[DISCARDING]
    for gate, cut in ((0.0, 2.5), (1000.0, 1000.0)):
        search = adviser(settings=Settings(rollouts=100, hands=40, gate=gate, cut=cut))
        judge = Judge(make_player("champion"), opponent, 3, 8)
        gain, changed, lead = positions.gains(search, some, DISCARDING, judge)
        assert (changed | (gain == 0)).all() and (np.abs(gain) <= 1).all() and (lead >= 0).all()
        assert changed.any() == (len(judge._known) > 0) == (gate == 0)


def test_gains_by_lead_add_up_to_the_gain_of_a_round(recorded) -> None:
    rng = np.random.default_rng(4)
    found = {}
    for phase, some in recorded.items():
        size = len(some.view)
        gain, lead = rng.normal(size=size), rng.exponential(5, size)
        found[phase] = positions.Gains(gain, gain > 0, lead)
    classes = positions.by_lead(found, recorded)
    whole = sum(some.per_round * found[phase].gain.mean() for phase, some in recorded.items())
    assert [one["from"] for one in classes] == list(positions.LEADS[:-1])
    assert sum(one["gain_per_round"][0] for one in classes) == pytest.approx(whole, abs=1e-3)
    decisions = sum(some.per_round for some in recorded.values())
    assert sum(one["decisions_per_round"] for one in classes) == pytest.approx(decisions, abs=1e-2)


@pytest.mark.parametrize("phase", [DRAWING, DISCARDING, KNOCKING])
def test_the_judge_plays_on_as_the_compiled_loop_does(recorded, phase: int) -> None:
    """With players made of kernels, lines in lockstep end as those of ``play_from`` with the same chance."""
    players = make_player("hand-strength:profile=tuned"), make_player("simple")
    some, rng = recorded[phase], np.random.default_rng(8)
    rows = np.arange(0, len(some.view), max(1, len(some.view) // 12))
    todo, stocks = np.zeros(len(rows), LINE), np.zeros((len(rows), CARDS), np.int8)
    todo["knock"], keys = ASK, rng.integers(1 << 40, size=len(rows))
    for k, row in enumerate(rows):
        seen = some.view[row]
        hidden = int(DECK) & ~int(seen["hand"] | seen["pile"] | some.truths[row])
        cards = [card for card in range(CARDS) if hidden >> card & 1]
        stocks[k, : len(cards)] = rng.permutation(cards)
        choices = [card for card in range(CARDS) if int(seen["allowed"]) >> card & 1] or [0, 1]
        todo[k]["answer"] = rng.choice(choices)
    phases = np.full(len(rows), phase, np.int64)
    found = play_lines(players, some.view, rows, phases, some.truths[rows], stocks, todo, keys)
    assert len(np.unique(found["points"])) > 3
    for k, row in enumerate(rows):
        world = Worlds(some.truths[row : row + 1], stocks[k : k + 1, : int(some.view[row]["stock"])])
        sides = {"mine": players[0].compiled, "other": players[1].compiled}
        one = play_from(some.view, row, phase, world, todo[k : k + 1], EAAI, **sides, seed=int(keys[k]))
        assert (one["points"][0], one["outcome"][0]) == (found["points"][k], found["outcome"][k])


def test_the_diary_keeps_each_match_once(tmp_path) -> None:
    played = match("simple", "random", Plan(4, 1, EAAI))
    (tmp_path / "one.json").write_text(json.dumps(played))
    for _ in range(2):
        arms.main([str(tmp_path / "diary.jsonl"), str(tmp_path / "one.json"), "--note", "a trial"])
    (line,) = arms.read_arms(tmp_path / "diary.jsonl")
    assert line["note"] == "a trial" and line["games"] == 4
    assert line["win_rate_a"] == played["win_rate_a"] and line["code"] == played["provenance"]["code"]


def test_points_are_counted_by_end_turn_and_side() -> None:
    """The counters add up to what the games brought, and the page shows them."""
    shard = Shard(EAAI, 5, range(20))
    counts = losses.count_losses(losses.Duel("simple", "hand-strength:profile=tuned"), shard)
    run = sim.play(make_player("simple"), make_player("hand-strength:profile=tuned"), range(20), EAAI, 5)
    parts = [part for end in counts["ends"].values() for part in end.values()]
    score = run.games["score"]
    assert counts["games"] == 20
    assert sum(part["rounds"] for part in parts) == counts["rounds"] == run.games["outcomes"].sum()
    assert sum(part["points"] for part in parts) == counts["points"] == (score[:, 0] - score[:, 1]).sum()
    own, other = counts["sides"]["own"], counts["sides"]["opponent"]
    assert own["waits"] == 0 < other["waits"]  # the baseline knocks at once
    ends = {name: sum(part["rounds"] for part in end.values()) for name, end in counts["ends"].items()}
    assert own["knocks"] == ends["own knock"] + ends["own knock undercut"]
    assert own["undercut"] == ends["own knock undercut"]
    assert other["undercut"] == ends["undercut of the opponent"]
    assert 0 < own["taken"] < own["discards"]
    found = {
        "points": [{"series": "tuned", "counts": counts}], "arms": [["tuned", {"player": "simple"}]],
        "games_per_point": 20, "seeds": [5],
    }  # fmt: skip
    text = champion_losses.section(found)
    assert f"| {counts['points'] / counts['rounds']:+.2f} |" in text and "turns 10-" in text


def _match(opponent: str, games: int, won: float, half: float, ahead: float) -> dict[str, object]:
    return {
        "player_a": "champion:level=default", "player_b": opponent, "games": games, "rounds": 5 * games,
        "win_rate_a": won, "pair_ci95_a": [won - half, won + half], "points_per_round_a": 10 + ahead,
        "points_per_round_b": 10, "decision_ms_mean_a": 6.0,
    }  # fmt: skip


def test_matches_of_several_files_are_added_up() -> None:
    """300 games at 70 % and 100 at 90 % are 400 at 75 %; halves of intervals add up as squares."""
    files = [
        {"rules": "eaai", "seed": 1, "matches": [_match("hand-strength", 300, 0.7, 0.04, 2.0)]},
        {
            "rules": "eaai",
            "seed": 2,
            "matches": [_match("hand-strength", 100, 0.9, 0.08, 6.0), _match("look-ahead", 40, 0.5, 0.1, 0)],
        },
    ]
    first, second = champion_matches.added(files)
    assert (first.opponent, first.games, second.opponent) == ("hand-strength", 400, "look-ahead")
    half = math.hypot(0.04 * 0.75, 0.08 * 0.25)
    assert (first.won, first.low, first.high) == pytest.approx((0.75, 0.75 - half, 0.75 + half))
    assert first.ahead == pytest.approx(3.0)
    text = champion_matches.searching(files)
    assert "| `hand-strength` | 400 | 75.0% | 71.4% to 78.6% | +3.00 | 68%: reached | 76%: not yet |" in text
    assert "| `look-ahead` † | 40 |" in text and "seeds 1, 2" in text
    assert champion_matches.searching([]) == ""


def test_files_of_search_are_read_by_seed(tmp_path: Path) -> None:
    for name, seed in (
        ("champion-default-2.json", 2),
        ("champion-default.json", 1),
        ("champion-fast.json", 0),
    ):
        (tmp_path / name).write_text(json.dumps({"seed": seed, "matches": []}))
    assert [file["seed"] for file in champion_matches.read_searching(tmp_path)] == [1, 2]


def _point(
    arm: str, seed: int, pairs: dict[str, int], ms: float, opponent: str = "simple"
) -> dict[str, object]:
    """A point of which each pair of games brings so many half points, the first game as many as it can."""
    games = {
        str(2 * int(pair) + k): min(2, max(0, won - 2 * k)) for pair, won in pairs.items() for k in (0, 1)
    }
    counts = {"by_game": games, "seconds": [ms, 1.0], "decisions": [1000, 1000]}
    return {"seed": seed, "settings": {"arm": arm, "opponent": opponent}, "counts": counts}


def test_arms_are_compared_pair_by_pair() -> None:
    """Half points of pairs are 0 to 4; the other arm won one half point more in each of four pairs of five."""
    search = {"0": 2, "1": 4, "2": 0, "3": 3, "4": 1}
    more = {"0": 3, "1": 4, "2": 1, "3": 4, "4": 2}
    files = [
        {"seeds": [1], "points": [_point("search", 1, search, 6.0), _point("network alone", 1, more, 1.0)]},
        {"seeds": [2], "points": [_point("search", 2, search, 8.0)]},
    ]
    arms_of = champion_parts.added(files)["simple"]
    whole, other = arms_of["search"], arms_of["network alone"]
    assert (len(whole.games), len(other.games), whole.ms, other.ms) == (20, 10, 7.0, 1.0)
    assert whole.won()[0] == pytest.approx(0.5) and other.won()[0] == pytest.approx(0.7)
    mean, low, high = other.ahead(whole)  # the pairs of seed 1 alone
    assert mean == pytest.approx(0.2) and low < 0.2 < high < 0.35
    text = champion_parts.time(files)
    assert "| network alone | 1.00 | 70.0%, +20.0 (" in text and text.index("network") < text.index(
        "| search"
    )
    bounds = [_point("uniform worlds (floor)", 1, dict.fromkeys(search, 1), 6.0),
              _point("true hand (ceiling)", 1, dict.fromkeys(search, 3), 6.0)]  # fmt: skip
    text = champion_parts.parts([*files, {"seeds": [1], "points": bounds}])
    assert "50% against `simple`" in text and text.index("| search |") < text.index("| network alone | 70.0%")
    assert champion_parts.parts([]) == champion_parts.time([]) == champion_parts.luck([]) == ""


def test_games_are_told_apart_by_what_the_blueprint_made_of_the_cards() -> None:
    """The blueprint wins one game of each pair, and both of the last; champion wins what it wins, and more."""
    blueprint, search = {"0": 2, "1": 2, "2": 4}, {"0": 4, "1": 2, "2": 4}
    points = [_point("blueprint", 1, blueprint, 0.1), _point("search", 1, search, 6.0)]
    text = champion_parts.luck([{"seeds": [1], "points": points}])
    assert "| `simple` | search | 4 | 100.0% (" in text and "| 2 | 50.0% (" in text
    assert champion_parts.luck([{"seeds": [1], "points": points[1:]}]) == ""
    assert "blueprint" not in champion_parts.parts([{"seeds": [1], "points": points}])


def test_the_ablation_keeps_every_pair_of_games() -> None:
    shard = Shard(EAAI, 5, range(4, 12))
    counts = ablation.count_wins(ablation.Duel("network alone", "simple"), shard)
    run = sim.play(make_player("champion"), make_player("simple"), range(4, 12), EAAI, 5)
    won = run.games["score"][:, 0] > run.games["score"][:, 1]
    assert counts["by_game"] == {str(4 + k): 2 * int(one) for k, one in enumerate(won)}
    assert sum(counts["by_game"].values()) == 2 * counts["wins"][0]
    found = {"seed": 5, "settings": {"arm": "search", "opponent": "simple"}, "counts": counts}
    pairs = champion_parts.added([{"points": [found]}])["simple"]["search"].pairs()
    assert pairs == {(5, 2 + k): 2 * int(one) for k, one in enumerate(won.reshape(-1, 2).sum(1))}
    assert set(ablation.BUDGETS) <= set(ablation.ARMS)


def test_every_decision_at_one_table_is_timed() -> None:
    shard = Shard(EAAI._replace(max_rounds=2), 5, range(4))
    counts = times.count_times(times.Table("champion:level=default,rollouts=100,hands=40", "simple"), shard)
    run = sim.play(make_player("champion"), make_player("simple"), range(4), shard.rules, 5)
    assert counts["decisions"] > 20 * run.games["outcomes"].sum() / 8 and counts["games"] == 4
    for clock in ("wall", "processor"):
        classes, whole = counts[clock]["classes"], counts[clock]["sum"]
        assert sum(classes) == counts["decisions"]
        assert 0 < whole / counts["decisions"] <= times.longest(classes)
    assert times.longest([0, 3, 0, 1] + [0] * 38, 0.75) == times.EDGES[1]
    assert times.longest([0, 3, 0, 1] + [0] * 38) == times.EDGES[3]
    assert times.longest([0] * 41 + [1]) == math.inf
    point = {"series": "champion:level=default", "counts": counts}
    text = champion_parts.one_table({"points": [point], "games_per_point": 4, "seeds": [5]})
    assert f"| {counts['decisions']:,} |" in text
    assert champion_parts.one_table(None) == ""
