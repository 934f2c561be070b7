"""Paper S0's tables: counters count the right things, every verdict can occur, pages say what was measured."""

import itertools
import json
import math
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ginrummy import sim
from ginrummy.cards import DECK, cards_of
from ginrummy.estimators.registry import estimator_names
from ginrummy.experiments import experiment, experiment_ids
from ginrummy.experiments.frame import store
from ginrummy.experiments.frame.evidence import MatchPoint, Point
from ginrummy.experiments.frame.experiment import Counts, Matches
from ginrummy.experiments.frame.verdicts import Claim, Value
from ginrummy.experiments.s0 import hand_claims as in_hands
from ginrummy.experiments.s0 import hand_counts, networks
from ginrummy.experiments.s0 import player_claims as of_players
from ginrummy.experiments.s0 import tables as s0
from ginrummy.experiments.s0 import threshold_claims as of_thresholds
from ginrummy.judging import last_moment as estimation
from ginrummy.judging.beliefs import OMNISCIENT, is_last
from ginrummy.judging.shards import Shard
from ginrummy.judging.sums import Sums, cluster_sums
from ginrummy.melds import all_melds, best_meld_sets, deadwood
from ginrummy.moments import in_order, views
from ginrummy.players.registry import make_player
from ginrummy.reports import figures, pages
from ginrummy.rules import EAAI, parse_rules
from ginrummy.tournament import Plan, measure
from ginrummy.view import PASSED, SELF
from points import played

Json = dict[str, Any]

TABLES = [name for name in experiment_ids() if name.startswith("S0-table")]
TRIPLES = [set(cards_of(meld)) for meld in all_melds(DECK) if len(list(cards_of(meld))) == 3]


# What is counted


def naive_hand(record: Any, side: int) -> dict[str, int]:
    """One side of a recorded round, replayed with sets of cards and melds looked up in a list."""
    start = 10 * (int(record["seat"]) ^ side)
    hand, pile = set(record["deck"][start : start + 10].tolist()), {int(record["deck"][20])}
    theirs: set[int] = set()
    draws = hits = 0
    for who, upcard, drawn, discard in record["log"][side, : record["events"]].tolist():
        if drawn == PASSED:
            continue
        if drawn == upcard:
            near = [meld - {upcard} for meld in TRIPLES if upcard in meld]
            if who == SELF:
                unseen = set(range(52)) - hand - pile - theirs
                draws += 1
                hits += not any(pair <= hand for pair in near) and any(
                    pair & hand and pair <= hand | unseen for pair in near
                )
            pile.remove(upcard)
        if who == SELF:
            hand.add(drawn)
            hand.remove(discard)
        elif drawn == upcard:
            theirs.add(upcard)
        theirs.discard(discard)
        pile.add(discard)
    assert sum(1 << card for card in hand) == record["hands"][side]
    mask = int(record["hands"][side])
    lost = bool(record["points"] < 0 if side == 0 else record["points"] > 0)
    left = int(deadwood(np.int64(mask)))
    return {
        "draws": draws,
        "hits": hits,
        "melds": min(map(len, best_meld_sets(mask)), default=0),
        "deadwood": left,
        "lost": lost,
        "lost_deadwood": left * lost,
    }


@pytest.mark.parametrize("players", [("simple:hitting=0.5", "simple"), ("hitting:threshold=6", "random")])
def test_hands_are_counted_as_a_naive_replay_counts_them(players: tuple[str, str]) -> None:
    run = sim.play(*map(make_player, players), range(12), EAAI, 3, record=True)
    said = Sums([hand_counts.count_hands(run, EAAI)])
    totals: dict[str, int] = {}
    by_pair: dict[tuple[int, str], int] = {}
    for record in run.rounds:
        for side, letter in enumerate("ab"):
            for name, n in naive_hand(record, side).items():
                key = f"{name}_{letter}"
                totals[key] = totals.get(key, 0) + n
                by_pair[int(record["game"]) // 2, key] = by_pair.get((int(record["game"]) // 2, key), 0) + n
    assert said.totals == totals | {"games": 12, "hands": len(run.rounds)}
    assert totals["hits_a"] > 0
    assert said.clusters == 6
    products = hand_counts.count_hands(run, EAAI)["products"]
    expected = sum(by_pair[pair, "draws_a"] * by_pair[pair, "melds_b"] for pair in range(6))
    assert products["draws_a"]["melds_b"] == expected


def test_counts_of_hands_do_not_depend_on_shards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GINRUMMY_STATE", str(tmp_path))
    run = sim.play(make_player("simple"), make_player("hitting"), range(20), EAAI, 5, record=True)
    whole = Sums([hand_counts.count_hands(run, EAAI)])
    parts = []
    for start in (0, 8):
        games = range(start, 8 if start == 0 else 20)
        part = sim.play(make_player("simple"), make_player("hitting"), games, EAAI, 5, record=True)
        parts.append(hand_counts.count_hands(part, EAAI))
    assert Sums(parts).totals == whole.totals
    assert Sums(parts).per("hands", "draws_b") == pytest.approx(whole.per("hands", "draws_b"))
    plan = Plan(20, 5, EAAI)
    (counts,) = measure("test", [("simple", "hitting")], plan, count_rounds=hand_counts.count_hands)
    assert Sums([counts["in_rounds"]]).totals == whole.totals


def test_recording_changes_no_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GINRUMMY_STATE", str(tmp_path))
    plan = Plan(60, 5, EAAI)
    (fused,) = measure("test", [("simple", "simple")], plan)
    (recorded,) = measure("test", [("simple", "simple")], plan, count_rounds=hand_counts.count_hands)
    assert {key: recorded[key] for key in fused if key != "seconds"} == {
        key: fused[key] for key in fused if key != "seconds"
    }


def test_a_hand_of_table_1_is_a_game_of_one_round() -> None:
    rules = parse_rules(s0.TABLE_1.rules)
    run = sim.play(make_player("simple"), make_player("simple"), range(50), rules, 1, record=True)
    assert len(run.rounds) == 50
    assert rules._replace(max_rounds=EAAI.max_rounds) == EAAI


# Estimators


def test_metrics_are_those_of_the_equations() -> None:
    chance = np.random.default_rng(2)
    belief = chance.uniform(size=(7, 52)).astype(np.float32)
    belief[0, :4] = [0.0, 1.0, 0.5, 1.0]
    hands = [chance.choice(52, 10, replace=False).tolist() for _ in range(6)]
    hands.insert(0, [0, 1, *range(30, 38)])
    masks = np.array([sum(1 << card for card in hand) for hand in hands])
    found = {name: score(belief, masks) for name, score in estimation.SCORES.items()}
    for n, hand in enumerate(hands):
        pairs = [(p, float(card in hand)) for card, p in enumerate(belief[n].tolist())]
        clipped = [(min(max(p, 1e-7), 1 - 1e-7), y) for p, y in pairs]
        assert found["categorical"][n] == pytest.approx(sum(1 - abs(y - p) for p, y in pairs) / 52)
        assert found["binary"][n] == pytest.approx(
            sum(1 - abs((1 if p >= 0.5 else 0) - y) for p, y in pairs) / 52
        )
        assert found["log_loss"][n] == pytest.approx(
            -sum(y * math.log(p) + (1 - y) * math.log(1 - p) for p, y in clipped) / 52
        )
        assert found["squared"][n] == pytest.approx(sum((p - y) ** 2 for p, y in pairs) / 52)


def estimate(name: str, start: int = 0, stop: int = 10, seed: int = 101) -> Json:
    watched = estimation.Watched(name, ("simple", "simple"))
    return dict(estimation.count_estimates(watched, Shard(EAAI, seed, range(start, stop))))


def test_bounds_score_what_they_must() -> None:
    best = estimation.Scores([estimation.keep(estimate("omniscient"))])
    nothing = estimation.Scores([estimation.keep(estimate("zero"))])
    even = estimation.Scores([estimation.keep(estimate("null"))])
    for form, when in itertools.product(estimation.FORMS, estimation.WHEN):
        assert best.metric("categorical", form, when) == (1, 0)
        assert best.metric("log_loss", form, when).value == pytest.approx(0, abs=1e-6)
        assert best.metric("auc", form, when).value == 1
    assert nothing.metric("binary") == pytest.approx((42 / 52, 0))
    assert nothing.metric("auc").value == 0.5
    assert 0.5 < even.metric("auc").value < 1
    assert nothing.metric("squared", "masked").value == pytest.approx(even.metric("squared").value)
    assert even.metric("squared", "masked") == pytest.approx(even.metric("squared"))


def test_moments_are_counted_once_and_the_last_of_each_round_is_known() -> None:
    run = sim.play(make_player("simple"), make_player("simple"), range(10), EAAI, 101, record=True)
    rounds = in_order(run.rounds)
    every = last = 0
    for side in (0, 1):
        found = views(rounds, side, EAAI)
        every += len(found.round)
        last += len(np.unique(found.round))
        chosen = found.opponent_events[is_last(found)]
        assert chosen.tolist() == [
            found.opponent_events[found.round == n].max() for n in np.unique(found.round)
        ]
    scores = estimation.Scores([estimation.keep(estimate("zero"))])
    assert (scores.moments("last"), scores.moments("all")) == (last, every)


def test_estimates_add_up_over_shards() -> None:
    from ginrummy.tournament import add_counts

    whole = estimation.keep(estimate("null"))
    parts = estimation.keep(add_counts([estimate("null", 0, 4), estimate("null", 4, 10)]))
    for part in ("raw_last", "masked_all"):
        assert parts[part]["sums"]["totals"] == pytest.approx(whole[part]["sums"]["totals"])
        assert parts[part]["areas"]["area"] == pytest.approx(whole[part]["areas"]["area"])
        assert parts[part]["areas"] == pytest.approx(whole[part]["areas"])
        assert whole[part]["areas"]["pairs"] == 5


# Published numbers


def test_table_6_is_read_as_printed() -> None:
    assert of_players.TABLE_6["medium-kh", "simple"] == (0.58, 0.60)
    assert of_players.TABLE_6["simple", "advanced"] == (0.42, 0.44)
    assert of_players.TABLE_6["advanced", "medium-ek"] == (0.51, 0.52)
    assert len(of_players.TABLE_6) == 56


def test_the_two_triangles_of_table_6_contradict_each_other_in_one_pair() -> None:
    odd = [
        {a, b}
        for a, b in itertools.combinations(of_players.PLAYERS, 2)
        if sum(of_players.TABLE_6[a, b]) + sum(of_players.TABLE_6[b, a]) != pytest.approx(2)
    ]
    assert odd == [{"estimating", "medium-he"}]
    assert of_players.pair_published("medium-he", "estimating").value == pytest.approx(0.505)
    assert of_players.pair_published("knocking", "simple").value == pytest.approx(0.58)


def test_the_arms_are_all_pairs_of_table_6() -> None:
    pairs = [frozenset((arm.player, arm.opponent)) for arm in s0.TABLE_6.arms]
    assert len(pairs) == len(set(pairs)) == 28
    assert s0.TABLE_6.total_games("full") == s0.TABLE_6_TEXT.total_games("full") == 280_000
    assert set(pairs) == {
        frozenset(spec.partition(":")[0] for spec in (arm.player, arm.opponent))
        for arm in s0.TABLE_6_TEXT.arms
    }
    assert all("profile=text" in arm.player for arm in s0.TABLE_6_TEXT.arms)


@pytest.mark.parametrize("name", TABLES)
def test_every_player_and_estimator_is_there(name: str) -> None:
    wanted = experiment(name)
    if isinstance(wanted, Matches):
        assert len({(arm.player, arm.opponent) for arm in wanted.arms}) == len(wanted.arms)
        for spec in {spec for arm in wanted.arms for spec in (arm.player, arm.opponent)}:
            make_player(spec)
    else:
        assert isinstance(wanted, Counts)
        assert {subject.series for subject in wanted.subjects} <= {*estimator_names(), OMNISCIENT}


@pytest.mark.parametrize("name", TABLES)
def test_no_seed_of_training_is_used(name: str) -> None:
    assert experiment(name).identity("full", 1)["seeds"] == [101, 102]


# Verdicts


def counted(means: dict[str, float], clusters: int = 4000) -> Json:
    """Counters of hands with given means a hand: ten hands in each of two games a pair."""
    chance = np.random.default_rng(4)
    columns = {"games": np.full(clusters, 2), "hands": np.full(clusters, 20), "lost_a": np.full(clusters, 10)}
    names = ("draws", "hits", "melds", "deadwood", "lost_deadwood")
    for key in (f"{name}_{side}" for name in names for side in "ab"):
        noise = chance.normal(size=clusters)
        columns[key] = 20 * means.get(key, 1.0) * (1 + 0.05 * (noise - noise.mean()))
    return cluster_sums(np.arange(clusters), columns)


def matched(arm: Any, rate: float, means: dict[str, float] | None = None) -> MatchPoint:
    return played(arm, rate, in_rounds=counted(means or {}))


def table_1(draws: float, melds: float, plainly: float = 1.0) -> list[MatchPoint]:
    """Points of table 1: what collecting multiplies draws and melds by, and the published ones without it."""
    plain = {"draws_a": 1.05103, "draws_b": 1.05103, "melds_a": 1.7117, "melds_b": 1.7117}
    plain = {key: plainly * x for key, x in plain.items()}
    more = {key: x * (draws if "draws" in key else melds) for key, x in plain.items()}
    return [
        matched(arm, 0.5, plain if arm.series == in_hands.NO_HITTING else more) for arm in s0.TABLE_1.arms
    ]


def table_2(totals: Callable[[str, str], tuple[float, float]]) -> list[MatchPoint]:
    points = []
    for arm in s0.TABLE_2.arms:
        reading, _, threshold = arm.series.rpartition(", T = ")
        draws, melds = totals(reading, threshold if reading else "21")
        points.append(matched(arm, 0.3, {"draws_a": draws / 10_000, "melds_a": melds / 10_000}))
    return points


def table_3(network: dict[str, float], heuristic: dict[str, float]) -> list[MatchPoint]:
    points = []
    for arm in s0.TABLE_3.arms:
        means = network if arm.series.startswith("network") else heuristic
        hands = {
            "hits_a": means["hits"],
            "deadwood_a": means["deadwood"],
            "lost_deadwood_a": means["deadwood"] / 2,
        }
        points.append(matched(arm, means["win"], hands))
    return points


def table_4(
    last: dict[str, float], every: dict[str, float], auc: dict[str, float]
) -> list[Point[estimation.Watched]]:
    """Points of table 4: categorical accuracy at the last moment and at all, binary one point lower, AUC."""
    points = []
    for subject in s0.TABLE_4.subjects:
        counts: Json = {"games": 1000}
        for form, when in itertools.product(estimation.FORMS, estimation.WHEN):
            noise = np.random.default_rng(5).normal(size=500)
            noise = 0.0 if subject.series == "zero" else 0.02 * (noise - noise.mean())
            value = (last if when == "last" else every)[subject.series]
            less = 0.0 if subject.series == "zero" else 0.01
            columns = {
                "moments": np.full(500, 10),
                "categorical": 10 * (value + noise),
                "binary": 10 * (value - less + noise),
            }
            columns |= {"log_loss": 10 * (0.3 + noise), "squared": 10 * (0.1 + noise)}
            columns |= {"unknown": np.full(500, 300), "apart": 300 * (1 - value + noise)}
            columns |= {"astray": 300 * (1 - value + less + noise)}
            columns = {name: np.broadcast_to(column, 500) for name, column in columns.items()}
            area = auc[subject.series]
            areas = {"pairs": 20, "sum": 20 * area, "squares": 20 * (area**2 + 1e-6), "area": area}
            counts[f"{form}_{when}"] = {"sums": cluster_sums(np.arange(500), columns), "areas": areas}
        points.append(Point(subject.series, 101, counts, subject.settings))
    return points


NOTHING = 42 / 52
SURE = {"null": 0.76, "zero": NOTHING, "omniscient": 1.0}
AREAS = {"ann": 0.85, "lstm": 0.88, "bayes": 0.87, "null": 0.8, "zero": 0.5, "omniscient": 1.0}


def table_5(rates: dict[float, float]) -> list[MatchPoint]:
    return [matched(arm, rates[arm.x]) for arm in s0.TABLE_5.arms]


def table_6(rate: Callable[[str, str], float], table: Matches = s0.TABLE_6) -> list[MatchPoint]:
    """Points of table 6 in a profile; ``rate`` knows players by their bare names."""

    def bare(spec: str) -> str:
        return spec.partition(":")[0]

    return [matched(arm, rate(bare(arm.player), bare(arm.opponent))) for arm in table.arms]


PUBLISHED_AGAINST_SIMPLE = {"medium-kh": 0.60, "knocking": 0.58, "advanced": 0.565, "medium-ek": 0.545}


def as_printed(player: str, other: str) -> float:
    """Win rates like those of the paper, far enough apart for 10,000 games."""
    if other == "simple":
        return PUBLISHED_AGAINST_SIMPLE.get(player, 0.46)
    return {("advanced", "medium-kh"): 0.41, ("advanced", "knocking"): 0.44}.get(
        (player, other), of_players.pair_published(player, other).value
    )


def upside_down(player: str, other: str) -> float:
    if other == "simple":
        rates = {"medium-kh": 0.40, "knocking": 0.42, "advanced": 0.43, "medium-ek": 0.46, "medium-he": 0.55}
        return rates.get(player, 0.6)
    if player == "advanced" and other in ("knocking", "medium-kh"):
        return {"knocking": 0.55, "medium-kh": 0.6}[other]
    return of_players.pair_published(player, other).value + 0.05


def falling(reading: str, threshold: str) -> tuple[float, float]:
    published = of_thresholds.TABLE_2[threshold]
    return published["draws"], published["melds"]


def rising(reading: str, threshold: str) -> tuple[float, float]:
    place = of_thresholds.THRESHOLDS.index(threshold)
    return 30_000 + 1000 * place, 8_000 + 500 * (place == 0)


HOLDS: dict[str, Callable[[], list[Any]]] = {
    "S0-table1": lambda: table_1(1.175, 1.03),
    "S0-table2": lambda: table_2(falling),
    "S0-table3": lambda: table_3(
        {"win": 0.22, "hits": 2.63, "deadwood": 18.43}, {"win": 0.46, "hits": 0.04, "deadwood": 15.54}
    ),
    "S0-table4": lambda: table_4(
        {"ann": 0.815, "lstm": 0.82, "bayes": 0.83, **SURE},
        {"ann": 0.8, "lstm": 0.8, "bayes": 0.81, **SURE},
        AREAS,
    ),
    "S0-table5": lambda: table_5({0.7: 0.54, 0.8: 0.565, 0.9: 0.61, 1.0: 0.595}),
    "S0-table6": lambda: table_6(as_printed),
    "S0-table6-text": lambda: table_6(as_printed, s0.TABLE_6_TEXT),
}
"""Points under which every claim is true."""

FAILS: dict[str, Callable[[], list[Any]]] = {
    "S0-table1": lambda: table_1(0.9, 0.95, 1.2),
    "S0-table2": lambda: table_2(rising),
    "S0-table3": lambda: table_3(
        {"win": 0.52, "hits": 0.5, "deadwood": 12.0}, {"win": 0.5, "hits": 1.0, "deadwood": 14.0}
    ),
    "S0-table4": lambda: table_4(
        {"ann": 0.78, "lstm": 0.75, "bayes": 0.70, **(SURE | {"zero": 0.5})},
        {"ann": 0.8, "lstm": 0.8, "bayes": 0.7, **SURE},
        AREAS | {"null": 0.9},
    ),
    "S0-table5": lambda: table_5({0.7: 0.7, 0.8: 0.66, 0.9: 0.5, 1.0: 0.56}),
    "S0-table6": lambda: table_6(upside_down),
    "S0-table6-text": lambda: table_6(upside_down, s0.TABLE_6_TEXT),
}
"""Points under which every claim is false and every value far off."""


@pytest.mark.parametrize("name", TABLES)
def test_every_claim_can_hold(name: str) -> None:
    rows = experiment(name).compare(HOLDS[name]())
    odd = {row.what: row.verdict for row in rows if isinstance(row, Claim) and row.verdict != "holds"}
    denied = (
        "check: with n as kinds of melds",
        "T = infinity",
    )  # the published numbers themselves deny these
    assert all(what.startswith(denied) for what in odd)


@pytest.mark.parametrize("name", TABLES)
def test_every_claim_can_fail(name: str) -> None:
    compared = experiment(name).compare(FAILS[name]())
    rows = [row for row in compared if row.reading not in of_thresholds.DERIVED]
    wrong = {Claim: "does not hold", Value: "differs"}
    assert {row.what: row.verdict for row in rows if row.verdict != wrong[type(row)]} == {}


@pytest.mark.parametrize("name", ["S0-table1", "S0-table2", "S0-table3"])
def test_published_numbers_agree_with_themselves(name: str) -> None:
    """The constructed points that hold are the published numbers: only win rates of table 3 are not."""
    values = [row for row in experiment(name).compare(HOLDS[name]()) if isinstance(row, Value)]
    assert {row.verdict for row in values if row.reading not in of_thresholds.DERIVED} == {"agrees"}


def losses(squared: dict[str, float], right: dict[str, float], spread: float = 5.0) -> list[Point[Any]]:
    """Points of the networks with given square errors and accuracies."""
    noise = np.random.default_rng(3).normal(size=400)
    noise = 0.02 * (noise - noise.mean())
    points = []
    for name, judged in networks.NETWORKS.items():
        mean = squared[name]
        columns = {"rows": np.full(400, 10), "squared": 10 * mean * (1 + noise), "target": np.full(400, 0.0)}
        columns["target_squared"] = 10 * spread * (1 + noise)
        if name not in networks.VALUES:
            columns |= {"entropy": 30 * mean * (1 + noise), "right": 10 * right[name] * (1 + noise)}
        counts = {"games": 4, "sums": cluster_sums(np.arange(400), columns)}
        points.append(Point(name, 101, counts, judged))
    return points


def test_the_knock_network_is_chosen_by_loss_and_accuracy() -> None:
    wanted = experiment("S0-networks")
    near = {**dict.fromkeys(networks.NETWORKS, 0.08), networks.CHANCES: 0.14, networks.TAKEN: 8.2}
    near[networks.HALF] = 0.14
    right = {networks.CHANCES: 0.84, networks.KNOCKS: 0.9, networks.WITH_GIN: 0.9, networks.HALF: 0.84}
    rows = wanted.compare(losses(near, right))
    first = {row.what: row.verdict for row in reversed(rows) if isinstance(row, Value)}
    assert first["loss of the knock network, 1.0M rows"] == "agrees"
    assert first["accuracy of the knock network, 1.0M rows"] == "agrees"
    assert first["mean square error of the card-value network"] == "agrees"
    assert {row.verdict for row in rows if isinstance(row, Claim)} == {"holds"}
    swapped = near | {networks.CHANCES: 0.08, networks.KNOCKS: 0.14}
    other = {networks.CHANCES: 0.9, networks.KNOCKS: 0.84, networks.WITH_GIN: 0.9, networks.HALF: 0.84}
    wrong = wanted.compare(losses(swapped, other, spread=9.0))
    assert {row.verdict for row in wrong if isinstance(row, Claim)} == {"does not hold"}


def test_the_first_row_of_table_5_is_compared_with_the_network_of_half_the_rows() -> None:
    squared = {**dict.fromkeys(networks.NETWORKS, 0.14), networks.HALF: 0.16}
    right = {**dict.fromkeys(networks.NETWORKS, 0.84), networks.HALF: 0.83}
    rows = experiment("S0-networks").compare(losses(squared, right))
    said = [
        row for row in rows if isinstance(row, Value) and row.reading == "chances to knock, mean square error"
    ]
    assert len(said) == 4 and {row.verdict for row in said} == {"agrees"}
    (few,) = [row for row in rows if "half the rows" in row.what]
    assert few.verdict == "does not hold"


def test_losses_are_counted_on_rows_of_the_network_s_own_kind() -> None:
    shard = Shard(EAAI, 5, range(2))
    for name in (networks.CHANCES, networks.HITS, networks.ALL):
        counts = networks.count_errors(networks.NETWORKS[name], shard)
        sums = Sums([counts["sums"]])
        assert counts["games"] == 2 and sums.total("rows") > 300
        assert 0 < sums.total("squared") < sums.total("target_squared")
        if name == networks.CHANCES:
            assert sums.total("target") == sums.total("target_squared")  # won or not
            assert 0.7 < sums.total("right") / sums.total("rows") < 0.95


def test_one_player_at_two_thresholds_is_found_out() -> None:
    same = table_2(lambda reading, t: falling(reading, "21" if t == "inf" else t))
    (check,) = [row for row in s0.TABLE_2.compare(same) if row.what.startswith("check")]
    assert check.verdict == "holds"


def test_a_table_6_as_printed_agrees() -> None:
    points = table_6(lambda player, other: of_players.pair_published(player, other).value)
    values = [row for row in s0.TABLE_6.compare(points) if isinstance(row, Value)]
    assert len(values) == 28
    assert {row.verdict for row in values} == {"agrees"}
    assert all(row.margin == 0.02 and row.published_games == 10_000 for row in values)


def test_one_pair_off_by_three_points_differs() -> None:
    def rate(player: str, other: str) -> float:
        return of_players.pair_published(player, other).value + 0.03 * (
            (player, other) == ("knocking", "simple")
        )

    verdicts = {row.what: row.verdict for row in s0.TABLE_6.compare(table_6(rate)) if isinstance(row, Value)}
    assert [what for what, verdict in verdicts.items() if verdict == "differs"] == ["knocking against simple"]


def test_the_cross_table_is_drawn_with_published_intervals(tmp_path: Path) -> None:
    points = HOLDS["S0-table6"]()
    table = pages.grid(s0.TABLE_6, points)
    assert table is not None
    rows = {row[0]: dict(zip(table.headings[1:], row[1:], strict=True)) for row in table.rows}
    assert rows["medium-kh"]["simple"] == "60.0 (58-60)"
    assert rows["simple"]["medium-kh"] == "40.0 (40-42)"
    assert rows["simple"]["simple"] == ""
    figures.draw(s0.TABLE_6, points, tmp_path / "x.svg")
    text = (tmp_path / "x.svg").read_text(encoding="utf-8")
    assert text.count("<!-- 58-60 -->") == 2  # KH against simple and EK
    assert "<!-- 60.0 -->" in text


# The command line


def run(*words: str, state: Path) -> subprocess.CompletedProcess[str]:
    env = os.environ | {"GINRUMMY_STATE": str(state)}
    call = [sys.executable, "-m", "ginrummy", "reproduce", *words]
    return subprocess.run(call, cwd=state, capture_output=True, text=True, env=env, timeout=600)


@pytest.fixture(scope="module")
def smoke(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All tables at smoke scale through the command line, with their page."""
    state = tmp_path_factory.mktemp("reproduce-s0")
    done = run(*TABLES, "--out", "mine", "--page", "pages", "--workers", "2", state=state)
    assert done.returncode == 0, done.stderr
    assert all(name in done.stdout for name in TABLES)
    assert "11 points of 200 hands" in done.stdout
    return state


def test_a_smoke_run_leaves_evidence_figures_and_a_page(smoke: Path) -> None:
    page = (smoke / "pages/s0.md").read_text(encoding="utf-8")
    assert page == pages.page(smoke / "mine", "S0")
    assert not any(
        f"`{name}`" in line for line in page.splitlines() for name in TABLES if "Not measured" in line
    )
    assert "`ginrummy reproduce S0-table4 --scale smoke --seed 1`" in page
    assert "| against | simple |" in page
    for name in TABLES:
        evidence = json.loads((smoke / f"mine/{name}.json").read_text(encoding="utf-8"))
        assert evidence["seeds"] == [101, 102]
        assert len(evidence["points"]) == 2 * len(experiment(name).parts())
        assert (smoke / f"pages/{name}.svg").read_text(encoding="utf-8").startswith("<?xml")
        read = store.read(smoke / "mine", name)
        assert read is not None and evidence == json.loads(json.dumps(read.to_json()))
        assert f"]({name}.svg)" in page


def test_a_smoke_run_is_small(smoke: Path) -> None:
    for name in TABLES:
        assert (smoke / f"mine/{name}.json").stat().st_size < 700_000


def test_one_worker_gives_the_numbers_of_two(smoke: Path) -> None:
    done = run("S0-table4", "--json", state=smoke)
    assert done.returncode == 0, done.stderr
    (evidence,) = json.loads(done.stdout)["experiments"]
    kept = json.loads((smoke / "mine/S0-table4.json").read_text(encoding="utf-8"))
    assert evidence["points"] == kept["points"]
