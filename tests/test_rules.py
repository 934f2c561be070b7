"""Presets pinned value by value, rules as text, and what every end of a round and of a game is worth."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
from ginrummy import scoring
from ginrummy.errors import UnknownName
from ginrummy.rules import MAX_TURNS, PRESETS, Rules, check_rules, parse_rules, rules_record, rules_text
from ginrummy.scoring import BIG_GIN, GIN, KNOCK, TIE, UNDERCUT, final_totals, totals

EAAI = {
    "knock_limit": 10, "gin_bonus": 25, "undercut_bonus": 25, "big_gin_bonus": 0, "tie_undercuts": True,
    "oklahoma": False, "optimal_defence": False, "may_return": False, "max_chain": 0, "throwbacks_end": False,
    "wall": 2, "wall_phase": False, "max_takes": 0, "max_turns": 200, "redeal_keeps_dealer": True,
    "target": 100, "max_rounds": 1000, "game_bonus": 0, "line_bonus": 0, "shutout_doubles": False,
}  # fmt: skip

PINNED: dict[str, dict[str, int | bool]] = {
    "eaai": {},
    "uk": {"gin_bonus": 20, "undercut_bonus": 10},
    "us-boxes": {
        "big_gin_bonus": 31, "optimal_defence": True,
        "game_bonus": 100, "line_bonus": 25, "shutout_doubles": True,
    },
    "oklahoma": {"oklahoma": True, "optimal_defence": True, "big_gin_bonus": 31},
    "straight": {"knock_limit": 0},
    "openspiel": {
        "tie_undercuts": False, "optimal_defence": True, "may_return": True, "max_chain": 2,
        "throwbacks_end": True, "wall_phase": True, "max_takes": 50, "target": 1, "max_rounds": 1,
    },
}  # fmt: skip


def test_the_presets_are_these() -> None:
    assert list(PRESETS) == list(PINNED)


@pytest.mark.parametrize("name", PINNED)
def test_each_preset_holds_its_values(name: str) -> None:
    values = PRESETS[name]._asdict()
    assert values == EAAI | PINNED[name]
    assert {key: type(value) for key, value in values.items()} == {key: type(EAAI[key]) for key in EAAI}
    assert check_rules(PRESETS[name]) == PRESETS[name]


# --- text --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_is_written_by_its_name(name: str) -> None:
    assert parse_rules(name) == parse_rules(name + ":") == PRESETS[name]
    assert rules_text(PRESETS[name]) == name


def test_changes_are_read_in_order_and_written_shortest() -> None:
    rules = parse_rules("eaai:big_gin_bonus=31,oklahoma=yes,wall=3,wall=0")
    assert rules == PRESETS["eaai"]._replace(big_gin_bonus=31, oklahoma=True, wall=0)
    assert rules_text(rules) == "oklahoma:optimal_defence=0,wall=0"
    assert rules_text(parse_rules("eaai:gin_bonus=20,undercut_bonus=10")) == "uk"


@pytest.mark.parametrize(
    ("word", "value"),
    [("yes", True), ("No", False), ("TRUE", True), ("false", False), ("1", True), ("0", False)],
)
def test_yes_and_no_in_every_spelling(word: str, value: bool) -> None:
    assert parse_rules(f"eaai:oklahoma={word}").oklahoma is value


numbers = st.integers(0, 999)
wanted = {key: st.booleans() if isinstance(value, bool) else numbers for key, value in EAAI.items()} | {
    "target": st.integers(1, 999),
    "max_rounds": st.integers(1, 999),
    "max_turns": st.integers(1, MAX_TURNS),
    "wall": st.integers(0, 30),
    "knock_limit": st.integers(0, 100),
}


@given(st.builds(Rules, **wanted))
def test_text_reads_back_as_the_same_rules(rules: Rules) -> None:
    text = rules_text(rules)
    assert parse_rules(text) == rules
    assert all(type(a) is type(b) for a, b in zip(parse_rules(text), rules, strict=True))
    record = rules_record(rules)[0]
    assert [int(record[key]) for key in Rules._fields] == [int(value) for value in rules]


@given(st.sampled_from(sorted(PRESETS)), st.fixed_dictionaries({}, optional=wanted))
def test_text_is_never_longer_than_the_changes_that_made_it(
    name: str, changes: dict[str, int | bool]
) -> None:
    rules = PRESETS[name]._replace(**changes)
    text = rules_text(rules)
    assert parse_rules(text) == rules
    assert text.count("=") <= len(changes)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", f"unknown rules '': choose one of {', '.join(PRESETS)}"),
        ("hollywood", "unknown rules 'hollywood': choose one of eaai, "),
        ("uk,wall=3", "unknown rules 'uk,wall=3': choose one of"),
        ("EAAI", "unknown rules 'EAAI'"),
        ("uk:bonus=3", "unknown rule 'bonus=3': write key=value with one of knock_limit, gin_bonus, "),
        ("uk:wall", "unknown rule 'wall': write key=value"),
        ("uk:=3", "unknown rule '=3': write key=value"),
        ("uk:wall=", "rule wall takes a whole number, not ''"),
        ("uk:wall=-1", "rule wall takes a whole number, not '-1'"),
        ("uk:wall=two", "rule wall takes a whole number, not 'two'"),
        ("uk:wall=1.5", "rule wall takes a whole number, not '1.5'"),
        ("uk:wall=٣", "rule wall takes a whole number, not '٣'"),
        ("uk:target=1234567890", "rule target takes a whole number, not '1234567890'"),
        ("uk:oklahoma=2", "rule oklahoma takes yes or no, not '2'"),
        ("uk:oklahoma=", "rule oklahoma takes yes or no, not ''"),
    ],
)
def test_text_that_is_no_rule_is_refused(text: str, message: str) -> None:
    with pytest.raises(UnknownName) as caught:
        parse_rules(text)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"max_turns": 0}, "rule max_turns must be from 1 to 200, not 0"),
        ({"max_turns": 201}, "rule max_turns must be from 1 to 200, not 201"),
        ({"target": 0}, "rule target must be from 1 to 1000000, not 0"),
        ({"max_rounds": 30_001}, "rule max_rounds must be from 1 to 30000, not 30001"),
        ({"wall": 31}, "rule wall must be from 0 to 30, not 31"),
        ({"wall": -1}, "rule wall must be from 0 to 30, not -1"),
        ({"gin_bonus": -1}, "rule gin_bonus must be from 0 to 10000, not -1"),
        ({"line_bonus": -5}, "rule line_bonus must be from 0 to 10000, not -5"),
        ({"max_chain": -2}, "rule max_chain must be from 0 to 10000, not -2"),
    ],
)
def test_rules_without_a_game_are_refused(changes: dict[str, int], message: str) -> None:
    with pytest.raises(ValueError) as caught:
        check_rules(PRESETS["eaai"]._replace(**changes))
    assert str(caught.value) == message
    if min(changes.values()) >= 0:
        (key, value), *_ = changes.items()
        with pytest.raises(ValueError, match=message):
            parse_rules(f"eaai:{key}={value}")


# --- a round -----------------------------------------------------------------------------------------------


def priced(rules: Rules, knocker: int, defender: int, big: bool = False) -> tuple[int, int]:
    outcome, worth = scoring.score(rules_record(rules)[0], knocker, defender, big)
    return int(outcome), int(worth)


@pytest.mark.parametrize(
    ("name", "knocker", "defender", "outcome", "worth"),
    [
        ("eaai", 9, 30, KNOCK, 21),
        ("eaai", 9, 10, KNOCK, 1),
        ("eaai", 0, 30, GIN, 55),
        ("eaai", 0, 0, GIN, 25),  # gin cannot be undercut
        ("eaai", 9, 9, UNDERCUT, -25),
        ("eaai", 9, 2, UNDERCUT, -32),
        ("eaai", 10, 0, UNDERCUT, -35),
        ("uk", 9, 30, KNOCK, 21),
        ("uk", 0, 30, GIN, 50),
        ("uk", 9, 9, UNDERCUT, -10),
        ("uk", 9, 2, UNDERCUT, -17),
        ("us-boxes", 0, 30, GIN, 55),
        ("us-boxes", 9, 9, UNDERCUT, -25),
        ("oklahoma", 3, 3, UNDERCUT, -25),
        ("straight", 0, 98, GIN, 123),
        ("openspiel", 9, 30, KNOCK, 21),
        ("openspiel", 0, 69, GIN, 94),
        ("openspiel", 9, 9, TIE, 0),
        ("openspiel", 1, 1, TIE, 0),
        ("openspiel", 0, 0, GIN, 25),
        ("openspiel", 9, 2, UNDERCUT, -32),
    ],
)
def test_what_a_knock_is_worth(name: str, knocker: int, defender: int, outcome: int, worth: int) -> None:
    assert priced(PRESETS[name], knocker, defender) == (outcome, worth)


@pytest.mark.parametrize(
    ("name", "worth"), [("us-boxes", 51), ("oklahoma", 51), ("eaai:big_gin_bonus=40", 60)]
)
def test_big_gin_pays_its_own_bonus(name: str, worth: int) -> None:
    assert priced(parse_rules(name), 0, 20, big=True) == (BIG_GIN, worth)
    assert priced(parse_rules(name), 0, 20) == (GIN, 45)
    assert priced(parse_rules(name), 0, 0, big=True) == (BIG_GIN, worth - 20)


@pytest.mark.parametrize("name", PRESETS)
def test_every_deadwood_is_priced_as_the_slow_twin_prices_it(name: str) -> None:
    rules = PRESETS[name]
    for knocker in range(11):
        for defender in range(99):
            first, second = naive.knock_points(
                knocker, defender, gin_bonus=rules.gin_bonus, undercut_bonus=rules.undercut_bonus,
                tie_to_defender=rules.tie_undercuts,
            )  # fmt: skip
            assert priced(rules, knocker, defender)[1] == first - second


@pytest.mark.parametrize("suit", range(4))
def test_oklahoma_knocks_with_the_points_of_the_first_upcard(suit: int) -> None:
    oklahoma, low = (
        rules_record(PRESETS["oklahoma"])[0],
        rules_record(parse_rules("oklahoma:knock_limit=7"))[0],
    )
    cards = range(13 * suit, 13 * suit + 13)
    limits = [0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10]  # an ace means gin only
    assert [int(scoring.round_limit(oklahoma, card)) for card in cards] == limits
    assert [int(scoring.round_limit(low, card)) for card in cards] == [min(7, limit) for limit in limits]


@pytest.mark.parametrize("name", sorted(set(PRESETS) - {"oklahoma"}))
def test_elsewhere_the_first_upcard_does_not_matter(name: str) -> None:
    rules = rules_record(PRESETS[name])[0]
    assert {int(scoring.round_limit(rules, card)) for card in range(52)} == {0 if name == "straight" else 10}


# --- a game ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "scores", "lines", "expected"),
    [
        ("eaai", (104, 61), (4, 3), (104, 61)),
        ("uk", (50, 100), (2, 3), (50, 100)),
        ("us-boxes", (104, 61), (4, 3), (104 + 100 + 4 * 25, 61 + 3 * 25)),
        ("us-boxes", (61, 104), (3, 4), (61 + 3 * 25, 104 + 100 + 4 * 25)),
        ("us-boxes", (110, 0), (3, 0), (2 * (110 + 100) + 3 * 25, 0)),  # a shutout: boxes are not doubled
        ("us-boxes", (0, 110), (0, 3), (0, 2 * (110 + 100) + 3 * 25)),
        ("us-boxes", (70, 70), (2, 3), (70 + 50, 70 + 75)),  # ended by the cap on rounds: no winner, no bonus
        ("us-boxes", (0, 0), (0, 0), (0, 0)),
        ("eaai:game_bonus=100", (100, 0), (2, 0), (200, 0)),
        ("eaai:line_bonus=20", (100, 30), (2, 1), (140, 50)),
        ("eaai:shutout_doubles=yes", (100, 0), (2, 0), (200, 0)),
        ("eaai:shutout_doubles=yes", (100, 1), (2, 1), (100, 1)),
    ],
)
def test_totals_of_a_game(
    name: str, scores: tuple[int, int], lines: tuple[int, int], expected: tuple[int, int]
) -> None:
    rules = parse_rules(name)
    assert final_totals(rules, scores, lines) == expected
    assert final_totals(rules, scores[::-1], lines[::-1]) == expected[::-1]


def test_totals_of_many_games_are_those_of_each() -> None:
    rng = np.random.default_rng(5)
    lines = rng.integers(0, 4, (500, 2))
    scores = np.where(lines > 0, rng.integers(1, 130, (500, 2)), 0)
    for name in PRESETS:
        together = totals(PRESETS[name], scores, lines)
        assert together.shape == (500, 2)
        for score, line, total in zip(scores.tolist(), lines.tolist(), together.tolist(), strict=True):
            assert final_totals(PRESETS[name], tuple(score), tuple(line)) == tuple(total)


def test_outcomes_are_named_in_order() -> None:
    assert scoring.OUTCOMES == ("dead", "knock", "gin", "big gin", "undercut", "tie")
    assert tuple(range(6)) == (scoring.DEAD, KNOCK, GIN, BIG_GIN, UNDERCUT, TIE)
