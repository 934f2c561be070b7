"""The player of paper S1: every reading of "safe" by hand and against a naive twin, and its counters."""

from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ginrummy import sim
from ginrummy.cards import cards_of, parse_card
from ginrummy.errors import UnknownName
from ginrummy.estimators.base import Estimator
from ginrummy.estimators.registry import make_estimator
from ginrummy.experiments import experiment
from ginrummy.experiments.frame.evidence import MatchPoint, Point
from ginrummy.experiments.frame.experiment import Matches, Settings
from ginrummy.experiments.frame.verdicts import Claim, Value
from ginrummy.experiments.s1 import application as s1_application
from ginrummy.experiments.s1 import bounds as s1_bounds
from ginrummy.judging.sums import Sums, cluster_sums
from ginrummy.melds import best_meld_sets, deadwood
from ginrummy.players import safe_discard
from ginrummy.players.registry import make_player
from ginrummy.players.safe_discard import discard_among_safest
from ginrummy.policies.card_value import loose_cards
from ginrummy.policies.safe_discard import (
    CARD,
    LIKELY,
    MASKED,
    NEAR,
    OPEN,
    RAW,
    SAFETIES,
    UNKNOWN,
    count_own,
    danger,
    parting,
    top_cards,
)
from ginrummy.rules import EAAI
from ginrummy.view import NORMAL, PASSED, SELF, Sight, View, from_sights
from points import played

THREES = [
    *({13 * suit + rank + step for step in range(3)} for suit in range(4) for rank in range(11)),
    *({13 * suit + rank for suit in suits} for rank in range(13) for suits in combinations(range(4), 3)),
]
POINTS = [min(card % 13 + 1, 10) for card in range(52)]


def hand_of(text: str) -> int:
    return sum(1 << parse_card(word) for word in text.split())


def belief_in(**chances: float) -> np.ndarray:
    belief = np.zeros(52, np.float32)
    for card, chance in chances.items():
        belief[parse_card(card)] = chance
    return belief


# Danger of a card


def danger_of(card: str, belief: np.ndarray, hand: str, safety: int, unseen: str = "") -> float:
    counted = belief.copy()
    count_own(counted, np.int64(hand_of(hand)), np.int64(hand_of(unseen)), safety)
    return float(danger(parse_card(card), counted, np.int64(hand_of(hand)), safety))


BELIEF = belief_in(KH=0.5, KS=0.25, QC=0.75, JC=0.5)


@pytest.mark.parametrize(
    ("safety", "hand", "expected"),
    [
        (MASKED, "KC 2D", 0.5 * 0.25 + 0.75 * 0.5),  # the set with H and S, the run with Q and J
        (LIKELY, "KC 2D", 1.0),  # the run alone: KS is not believed in
        (NEAR, "KC 2D", 0.5 + 0.25 + 0.75 + 0.5),
        (OPEN, "KC 2D", (0.5 * 0.25 + 0.75 * 0.5) / 4),  # three sets and a run are open
        (OPEN, "KC KD", (0.5 * 0.25 + 0.75 * 0.5) / 2),  # a set and a run are left
        (OPEN, "KC KD KH JC", 0.0),
    ],
)
def test_danger_by_hand(safety: int, hand: str, expected: float) -> None:
    assert danger_of("KC", BELIEF, hand, safety) == pytest.approx(expected)


def test_own_cards_count_as_the_mean_unseen_card_or_by_the_network() -> None:
    unseen = "KH KS QC JC"  # the mean is one half
    found = danger_of("KC", BELIEF, "KC KD", UNKNOWN, unseen)
    assert found == pytest.approx(0.5 * 0.25 + 0.5 * 0.5 + 0.25 * 0.5 + 0.75 * 0.5)
    raw = BELIEF + belief_in(KD=0.1, KC=0.9)
    assert danger_of("KC", raw, "KC KD", RAW) == pytest.approx(0.5 * 0.25 + 0.1 * 0.75 + 0.75 * 0.5)
    assert danger_of("KC", raw, "KC KD", CARD) == pytest.approx(0.9)


def test_likely_begins_at_one_half() -> None:
    assert danger_of("KC", belief_in(QC=0.5, JC=0.5), "KC", LIKELY) == 1
    assert danger_of("KC", belief_in(QC=0.49, JC=1.0), "KC", LIKELY) == 0


def slow_danger(card: int, belief: list[float], hand: set[int], unseen: set[int], safety: str) -> float:
    """The readings spelled out with sets of cards."""
    if safety == "card":
        return belief[card]
    if safety == "near":
        near = [c for c in range(52) if c % 13 == card % 13 or (c // 13 == card // 13 and abs(c - card) < 3)]
        return sum(belief[c] for c in near if c != card)
    if safety == "unknown":
        mean = sum(belief[c] for c in unseen) / len(unseen)
        belief = [mean if c in hand else chance for c, chance in enumerate(belief)]
    if safety == "likely":
        belief = [float(chance >= 0.5) for chance in belief]
    rests = [meld - {card} for meld in THREES if card in meld]
    if safety == "open":
        rests = [rest for rest in rests if not rest & hand]
    total = sum(float(np.prod([belief[c] for c in rest])) for rest in rests)
    return total / max(1, len(rests)) if safety == "open" else total


@pytest.mark.parametrize("safety", SAFETIES)
def test_danger_is_that_of_a_naive_twin(safety: str) -> None:
    chance = np.random.default_rng(4)
    how = SAFETIES.index(safety)
    for _ in range(30):
        deck = chance.permutation(52).tolist()
        hand, unseen = set(deck[:11]), set(deck[11:40])
        belief = chance.uniform(size=52).astype(np.float32)
        masks = [np.int64(sum(1 << card for card in cards)) for cards in (hand, unseen)]
        counted = belief.copy()
        count_own(counted, *masks, how)
        for card in hand:
            wanted = slow_danger(card, belief.tolist(), hand, unseen, safety)
            assert danger(card, counted, masks[0], how) == pytest.approx(wanted, rel=1e-4)


def test_top_cards_go_by_the_first_number_then_by_the_second() -> None:
    first, second = np.zeros(52), np.zeros(52)
    first[[0, 1, 2]] = 1.0
    second[[1, 2, 3]] = [5.0, 7.0, 9.0]
    cards = np.int64(0b11111)
    assert [top_cards(cards, first, second, size) for size in (1, 2, 3, 4)] == [0b100, 0b110, 0b111, 0b1111]
    assert top_cards(np.int64(0b1001), first, second, 5) == 0b1001


# Decisions

HAND = "3C 4C 5C 9H 9S KD QD 2S 7H AD 8C"
"""A run, and the loose cards 9H 9S KD QD 2S 7H AD 8C."""


def to_discard(hand: str, **fields: object) -> Sight:
    blank = dict.fromkeys(Sight._fields, 0) | {"knocked": (), "log": (), "offer": NORMAL, "top": -1}
    mask = hand_of(hand)
    cards = {"hand": mask, "allowed": mask, "drawn": parse_card(hand.split()[-1]), "limit": 10, "stock": 25}
    return Sight(**blank | cards | fields)


def ask(spec: str, belief: np.ndarray, monkeypatch: pytest.MonkeyPatch, hand: str = HAND) -> int:
    """The discard of a player that is told what to believe."""

    def raw(view: View, rows: np.ndarray) -> np.ndarray:
        return np.tile(belief, (len(rows), 1))

    estimator = Estimator("told", raw)
    object.__setattr__(estimator, "masked", raw)
    monkeypatch.setattr(safe_discard, "make_estimator", lambda _: estimator)
    player = make_player(spec)
    return int(player.discard(from_sights([to_discard(hand)]), np.arange(1), np.array([0.0]))[0])


def card(text: str) -> int:
    return parse_card(text)


def test_the_dearest_of_the_three_safest_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    # King and queen would complete melds of the jack and ten; the nines a set.
    belief = belief_in(JD=0.9, TD=0.9, KH=0.8, KS=0.8, QH=0.7, QS=0.7, **{"9C": 0.6, "9D": 0.6})
    assert ask("safe-discard", belief, monkeypatch) == card("8C")  # 8C 7H 2S AD complete nothing
    # By Equation 8 alone the same, but of five the nine of hearts comes before the queen.
    assert ask("safe-discard:safety=masked", belief, monkeypatch) == card("8C")
    assert ask("safe-discard:safety=masked,safest=5", belief, monkeypatch) in (card("9H"), card("9S"))


def test_small_differences_count_by_equation_8_but_not_from_one_half_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    belief = belief_in(
        JD=0.3, TD=0.1, KH=0.3, KS=0.3, QH=0.3, QS=0.3, **{"8H": 0.2, "TH": 0.2, "TS": 0.2, "8S": 0.2}
    )
    assert ask("safe-discard", belief, monkeypatch) in (card("KD"), card("QD"))
    # 8H and 8S may make a set with 8C; 7H, 2S and AD complete nothing.
    assert ask("safe-discard:safety=masked", belief, monkeypatch) == card("7H")


def test_equation_8_parts_a_pair_that_own_cards_as_unknown_ones_keep(monkeypatch: pytest.MonkeyPatch) -> None:
    # All chances are one in four, so melds are counted: four are open to a nine, as the other one is own,
    # five to 2C, six to the other loose cards.
    hand = "JC QC KC 9H 9S TD 7C 4H 6S 3D 2C"
    held = set(cards_of(hand_of(hand)))
    belief = np.array([0.0 if c in held else 0.25 for c in range(52)], np.float32)
    nines = (card("9H"), card("9S"))
    assert ask("safe-discard:safest=1,safety=masked", belief, monkeypatch, hand) in nines
    assert ask("safe-discard:safety=masked", belief, monkeypatch, hand) in nines
    assert ask("safe-discard:safest=1,safety=unknown", belief, monkeypatch, hand) == card("2C")
    for kept in ("unknown", "open"):
        assert ask(f"safe-discard:safety={kept}", belief, monkeypatch, hand) == card("TD")


def test_the_other_ways_to_choose(monkeypatch: pytest.MonkeyPatch) -> None:
    belief = belief_in(JD=1.0, TD=1.0, KH=1.0, KS=1.0)
    # The three dearest are KD, QD and a nine; the nine is the safest of them.
    assert ask("safe-discard:among=dearest", belief, monkeypatch) in (card("9H"), card("9S"))
    # Where all are safe, the dearest goes after all.
    assert ask("safe-discard:among=dearest", belief_in(), monkeypatch) in (card("KD"), card("QD"))
    # KD completes a set, QD a run; a nine costs one point less than either, so any weight above 1 gives it.
    assert ask("safe-discard:among=weighed,weight=2", belief, monkeypatch) in (card("9H"), card("9S"))
    assert ask("safe-discard:among=weighed,weight=0.5", belief, monkeypatch) in (card("KD"), card("QD"))


def test_melded_cards_are_candidates_only_on_request(monkeypatch: pytest.MonkeyPatch) -> None:
    loose = belief_in(**dict.fromkeys(["KH", "KS", "JD", "TD", "8H", "TH", "7S", "8S", "TS", "9D"], 1.0))
    more = belief_in(**dict.fromkeys(["2H", "2D", "AH", "AS", "7D", "7C", "8D", "6H", "AC", "2C"], 1.0))
    belief = np.maximum(loose, more)
    melded = [card(name) for name in ("3C", "4C", "5C")]
    assert ask("safe-discard:safety=masked", belief, monkeypatch) not in melded
    assert ask("safe-discard:safety=masked,among=all,safest=1", belief, monkeypatch) in melded


def test_a_discard_that_allows_to_knock_comes_first_on_request(monkeypatch: pytest.MonkeyPatch) -> None:
    hand = "3C 4C 5C 9H 9S 9D AH AD 2S 3H KD"  # without the king: seven points
    belief = belief_in(QD=1.0, JD=1.0)
    assert ask("safe-discard:knock_first=yes", belief, monkeypatch, hand) == card("KD")
    assert ask("safe-discard", belief, monkeypatch, hand) == card("3H")


def test_wrong_settings_are_refused_and_names_say_what_is_set() -> None:
    for spec in ("safest=0", "safety=some", "among=none", "weight=-1"):
        with pytest.raises(UnknownName, match="safe-discard"):
            make_player(f"safe-discard:{spec}")
    assert make_player("safe-discard:safest=3,safety=likely,weight=5").name == "safe-discard"
    spec = "safe-discard:estimator=null,safest=2,safety=open,among=weighed,weight=2.5,knock_first=yes"
    assert make_player(spec).name == spec
    assert make_player(make_player(spec).name).name == spec


def test_whole_decisions_are_those_of_a_naive_twin() -> None:
    """Equation 8 with equal chances, on the views of some games, with sets and lists."""
    spec, estimator = "safe-discard:estimator=null,safety=masked", make_estimator("null")
    player = make_player(spec)
    seen: list[tuple[View, np.ndarray]] = []

    def discard(view: View, rows: np.ndarray, u: np.ndarray) -> np.ndarray:
        answers = player.discard(view, rows, u)
        seen.append((view[rows].copy(), answers))
        return answers

    sim.play(replace(player, discard=discard), make_player("simple"), range(4), EAAI, 3)
    checked = 0
    for views, answers in seen:
        beliefs = estimator.masked(views, np.arange(len(views)))
        for view, belief, answer in zip(views, beliefs.astype(float), answers, strict=True):
            hand = set(cards_of(int(view["hand"])))
            sets = list(best_meld_sets(int(view["hand"])))
            if len(sets) > 1 or view["events"] > 8:
                continue  # one set of loose cards, and no pair to be repeated
            melded = {c for melds in sets for meld in melds for c in cards_of(meld)}
            cards = [c for c in hand - melded if view["allowed"] >> c & 1]
            risk = {c: slow_danger(c, belief.tolist(), hand, set(), "masked") for c in cards}
            order = sorted(cards, key=lambda c: (round(risk[c], 6), -POINTS[c]))
            if not cards or (len(order) > 3 and abs(risk[order[2]] - risk[order[3]]) < 1e-6):
                continue
            assert POINTS[answer] == max(POINTS[c] for c in order[:3])
            checked += 1
    assert checked > 20


# What is counted


def test_partners_by_hand() -> None:
    rows = [
        ("3C 4C 5C 9H 9S KD QD 2S 7H AD 8C", "9H", True, True),  # the other nine
        ("3C 4C 5C 9H 9S KD QD 2S 7H AD 8C", "KD", True, True),  # the queen
        ("3C 4C 5C 9H 9S KD QD 2S 7H AD 8C", "2S", True, False),
        ("3C 4C 5C 9H 9S KD QD 2S 7H AD 8C", "7H", True, True),  # 7H 8H 9H
        ("3C 4C 5C 9H 9S KD QD 2S 7H AD 6D", "4C", False, False),
    ]
    hands = np.array([hand_of(hand) for hand, *_ in rows])
    cards = np.array([card(name) for _, name, *_ in rows], np.int8)
    loose, parts = np.zeros(len(rows), np.bool_), np.zeros(len(rows), np.bool_)
    parting(hands, cards, *safe_discard.scratch()[1:], loose, parts)
    assert loose.tolist() == [row[2] for row in rows]
    assert parts.tolist() == [row[3] for row in rows]


def test_discards_are_counted_as_a_naive_replay_counts_them() -> None:
    run = sim.play(
        make_player("safe-discard:estimator=null"), make_player("simple"), range(8), EAAI, 3, record=True
    )
    said = Sums([s1_application.count_discards(run, EAAI)]).totals
    totals = dict.fromkeys(said, 0)
    for record in run.rounds:
        totals["hands"] += 1
        events = [tuple(event) for event in record["log"][0, : record["events"]].tolist()]
        for n, (who, _, _, discard) in enumerate(events):
            side = "a" if who == SELF else "b"
            if discard >= 0 and n + 1 < len(events):
                totals[f"offered_{side}"] += 1
                totals[f"fed_{side}"] += events[n + 1][2] == discard
        for side, letter in enumerate("ab"):
            totals[f"deadwood_{letter}"] += int(deadwood(record["hands"][side]))
            hand = set(record["deck"][10 * (record["seat"] ^ side) :][:10].tolist())
            for who, _, drawn, discard in record["log"][side, : record["events"]].tolist():
                if who != SELF or drawn == PASSED:
                    continue
                hand.add(drawn)
                mask = np.int64(sum(1 << c for c in hand))
                outside = set(cards_of(int(loose_cards(mask, *safe_discard.scratch()[1:])[0])))
                melds = [meld for meld in THREES if discard in meld and not meld & (hand - outside)]
                totals[f"loose_{letter}"] += discard in outside
                totals[f"parts_{letter}"] += discard in outside and any(len(m & outside) > 1 for m in melds)
                hand.discard(discard)
    assert said == totals
    assert 0 < said["fed_a"] < said["offered_a"]
    assert 0 < said["parts_a"] < said["loose_a"]


def test_every_arm_is_a_player_and_none_is_twice() -> None:
    for name in ("S1-application", "S1-safety"):
        found = experiment(name)
        assert isinstance(found, Matches)
        assert len({arm.player for arm in found.arms}) == len({arm.series for arm in found.arms})
        for arm in found.arms:
            assert make_player(arm.player).name == arm.player


@pytest.mark.parametrize(
    ("pairs", "value", "advantage"),
    [
        ([100, 200, 10_000, 3000, 500], "close", "holds"),
        ([200, 900, 4000, 1500, 550], "agrees", "holds"),
        ([900, 2000, 8000, 1000, 500], "differs", "does not hold"),
    ],
)
def test_the_application_can_go_every_way(pairs: list[int], value: str, advantage: str) -> None:
    (arm,) = s1_application.EXPERIMENTS["S1-application"].arms
    point = played(arm, 0.5)
    point = replace(point, counts=replace(point.counts, pairs=tuple(pairs)))
    rows = experiment("S1-application").compare([point])
    assert [row.verdict for row in rows] == [value, advantage]


def some_points(literal: dict[str, float], rates: dict[str, float]) -> list[MatchPoint]:
    """Points of S1-safety: wins by series of half of the pairs (else one half), and Equation 8's counts."""
    found = experiment("S1-safety")
    assert isinstance(found, Matches)
    points = []
    for arm in found.arms:
        wins = round(4000 * rates.get(arm.series, 0.5))
        usual = {"hands": 10.0, "loose_a": 100.0, "parts_a": 40.0, "offered_a": 100.0, "fed_a": 15.0}
        usual |= {"deadwood_a": 160.0} | (literal if arm.series == s1_application.LITERAL else {})
        noise = np.tile([1.0, 1.02], 500)
        counted = {
            name: number * (1.0 if name[:2] in ("ha", "lo", "of") else noise)
            for name, number in usual.items()
        }
        columns = {name: np.broadcast_to(number, 1000) for name, number in counted.items()}
        point = played(arm, 0.5, in_rounds=cluster_sums(np.arange(1000), columns))
        pairs = ((4000 - wins) // 2, 0, 4000, 0, wins // 2)
        points.append(replace(point, counts=replace(point.counts, pairs=pairs)))
    return points


def verdicts(points: list[MatchPoint]) -> list[str]:
    return [row.verdict for row in experiment("S1-safety").compare(points) if isinstance(row, Claim)]


def test_every_reason_can_hold_and_fail() -> None:
    good = {"parts_a": 45.0, "fed_a": 13.0, "deadwood_a": 175.0}
    won = {s1_application.LITERAL: 0.4, s1_application.WEIGHED: 0.8, s1_application.BLIND: 0.75}
    won |= {s1_application.SURER: 0.95, s1_application.DEFAULT: 0.6}
    assert set(verdicts(some_points(good, won))) == {"holds"}
    bad = {"parts_a": 35.0, "fed_a": 17.0, "deadwood_a": 150.0}
    lost = {s1_application.LITERAL: 0.6, s1_application.WEIGHED: 0.4, s1_application.BLIND: 0.4}
    lost |= {s1_application.BASELINE: 0.6, s1_application.DEFAULT: 0.45}
    assert set(verdicts(some_points(bad, lost))) == {"does not hold"}


def test_a_smoke_run_of_the_application(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GINRUMMY_STATE", str(tmp_path))
    evidence = experiment("S1-application").run("smoke", Settings())
    assert evidence.seeds == (101, 102)
    assert sum(point.counts.games for point in evidence.points) == 40
    assert [type(row) for row in evidence.comparison] == [Value, Claim]


def bounds_points(rates: dict[str, float]) -> list[Point[s1_bounds.Bounded]]:
    """Points of S1-bounds with these win rates by estimator, whatever the rule."""
    points = []
    for rule in s1_bounds.RULES:
        for name in s1_bounds.ESTIMATORS:
            wins = round(20_000 * rates[name])
            counts = {"pairs": [20_000 - wins, 0, 0, 0, wins]}
            points.append(Point(f"{rule}, {name}", 101, counts, s1_bounds.Bounded(name, {})))
    return points


def test_every_claim_on_the_bounds_can_hold_and_fail() -> None:
    good = {"null": 0.5, "simple-nn": 0.52, "shankar-cnn": 0.572, "belief-net": 0.53, "omniscient": 0.98}
    held = experiment("S1-bounds").compare(bounds_points(good))
    assert len(held) == 5 and {row.verdict for row in held} == {"holds"}
    bad = {"null": 0.4, "simple-nn": 0.3, "shankar-cnn": 0.3, "belief-net": 0.45, "omniscient": 0.48}
    failed = experiment("S1-bounds").compare(bounds_points(bad))
    assert {row.verdict for row in failed} == {"does not hold"}
    cells = s1_bounds.cells(bounds_points(good))
    (way,) = [
        c for c in cells if c.row == "the three safest, shankar-cnn" and c.column.startswith("of the way")
    ]
    assert way.ours.value == pytest.approx(0.15)


def test_the_bound_knows_the_hand_and_nobody_else_does(monkeypatch: pytest.MonkeyPatch) -> None:
    beliefs = []

    def listen(estimator: Estimator, **reading: Any) -> Any:
        usual = discard_among_safest(estimator, **reading)

        def discard(view: Any, rows: Any, u: Any) -> Any:
            for row, belief in zip(rows, estimator.raw(view, rows), strict=True):
                seen = view[row]
                held = int((belief > 0).astype(np.int64) @ (1 << np.arange(52)))
                assert belief.sum() == 10 and not held & (int(seen.hand) | int(seen.pile))
                assert held & int(seen.opponent) == seen.opponent  # what it took is still there
                beliefs.append(held)
            return usual(view, rows, u)

        return discard

    monkeypatch.setattr(s1_bounds, "discard_among_safest", listen)
    first, second = s1_bounds.peeking({})
    sim.play(first, second, range(4), EAAI, 3)
    assert len(beliefs) > 100
    with pytest.raises(UnknownName):
        make_player("safe-discard:estimator=omniscient")
