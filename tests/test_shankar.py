"""The Shankar array: paper S1's four worked tables cell by cell, and a slow twin of the plug rule."""

from __future__ import annotations

import dataclasses
from itertools import permutations

import numpy as np
import pytest

from ginrummy.cards import CARDS, NO_CARD, cards_of, mask_of, parse_card, parse_hand
from ginrummy.estimators.shankar import ROWS, shankar_arrays, shankar_stacks, stacked
from ginrummy.estimators.superpermutations import ASP4
from ginrummy.melds import best_discards
from ginrummy.players.base import Player
from ginrummy.players.baseline import random, simple
from ginrummy.rules import PRESETS
from ginrummy.sim import play
from ginrummy.view import FIRST_OFFER, HIDDEN, NORMAL, PASSED, Event, Sight, View, from_sights, sight

# The paper's tables, as printed: rows C H S D, columns A 2 3 4 5 6 7 8 9 T J Q K.
FIRST = """
    -2  0  0  0  0 -2  0  0  0  0 -2  0  0
     0  0  0  0  0  0  0  0  0  0  0  0 -1
    -2  0  0  0  0 -2 -2 -2  0  0  0  0 -2
     0  0  0  0 -2  0  0  0  0  0  0 -2  0
"""
SECOND = """
    -2  0  0  0  0 -2  0  0  0  0 -2  0 -1
     0  0  0  0  0  0  0  0  0  0  0  0 -1
    -2  0  0  0  0 -2 -2 -2  0  0  0  0 -2
     0  0  0  0 -2  0  0  0  0  0  0 -2 -1
"""
THIRD = """
    -2  0  0  0  0 -2 -2 -1  0  0 -2  0 -1
     0  0  0  0  0  0  0  0  0  0  0  0 -1
    -2  0  0  0  0 -2 -2 -2  0  0  0  0 -2
     0  0  0  0 -2  0  0  0  0  0  0 -2 -1
"""
FOURTH = """
    -2  0  0  0  0 -2  1 -1  0  0 -2  0 -1
     0  0  0  0  0  0  1  0  0  0  0  0 -1
    -2  0  0  0  0 -2 -2 -2  0  0  0  0 -2
     0  0  0  0 -2  0  1  0  0  0  0 -2 -1
"""
HAND = "AC AS 5D 6C 6S 7S 8S JC QD KS"


def table(text: str) -> list[list[int]]:
    return [[int(cell) for cell in line.split()] for line in text.strip().splitlines()]


def event(mine: bool, upcard: str, drawn: str | int, discard: str | int = NO_CARD) -> Event:
    return Event(
        mine, *(parse_card(card) if isinstance(card, str) else card for card in (upcard, drawn, discard))
    )


def seen(
    hand: str, pile: str, top: str | None, log: list[Event], opponent: str = "", acting: bool = False
) -> Sight:
    """A sight with the fields that the array reads, and likely values elsewhere."""
    held = parse_hand(hand)
    return Sight(
        hand=held,
        allowed=held if acting else mask_of([]),
        opponent=parse_hand(opponent),
        pile=parse_hand(pile),
        top=parse_card(top) if top else NO_CARD,
        drawn=NO_CARD,
        stock=20,
        offer=NORMAL if log else FIRST_OFFER,
        events=len(log),
        turns=len(log),
        own_turns=len(log) // 2,
        limit=10,
        score=0,
        opponent_score=0,
        round=0,
        starts=False,
        knocked=(),
        log=tuple(log),
    )


def array(one: Sight) -> list[list[int]]:
    return shankar_arrays(from_sights([one]), np.array([0]))[0].tolist()


def cell(one: Sight, card: str) -> int:
    suit, rank = divmod(parse_card(card), 13)
    return array(one)[suit][rank]


PASSES = [event(False, "KH", PASSED), event(True, "KH", PASSED)]
EIGHT = event(False, "KH", HIDDEN, "8C")
SEVEN = event(True, "8C", "7C", "7C")


@pytest.mark.parametrize(
    ("one", "expected"),
    [
        (seen(HAND, "KH", "KH", []), FIRST),
        (seen(HAND, "KH", "KH", PASSES[:1]), SECOND),
        (seen(HAND, "KH", "KH", PASSES), SECOND),
        (seen(HAND + " 7C", "KH 8C", "8C", [*PASSES, EIGHT], acting=True), THIRD),
        (seen(HAND, "KH 8C", None, [*PASSES, EIGHT, SEVEN], opponent="7C"), FOURTH),
    ],
)
def test_the_papers_tables(one: Sight, expected: str) -> None:
    assert array(one) == table(expected)


def test_an_own_discard_is_unknown_until_the_opponent_acts() -> None:
    waiting = seen(HAND, "KH 8C 7C", "7C", [*PASSES, EIGHT, SEVEN])
    expected = table(THIRD)
    expected[0][6] = 0
    assert array(waiting) == expected
    declined = seen(HAND, "KH 8C 7C 2D", "2D", [*PASSES, EIGHT, SEVEN, event(False, "7C", HIDDEN, "2D")])
    assert cell(declined, "7C") == cell(declined, "2D") == -1


def test_an_own_discard_that_cannot_be_melded_is_safe_at_once() -> None:
    log = [*PASSES, event(False, "KH", HIDDEN, "3D"), event(True, "3D", "KC", "KC")]
    assert cell(seen(HAND, "KH 3D KC", "KC", log), "KC") == -1


def test_the_first_upcard_is_open_until_the_opponent_answers() -> None:
    passed = seen(HAND, "KH", "KH", [event(True, "KH", PASSED)])
    assert array(passed) == table(FIRST)
    both = [event(True, "KH", PASSED), event(False, "KH", PASSED)]
    assert array(seen(HAND, "KH", "KH", both)) == table(SECOND)


def test_a_pass_of_the_first_upcard_is_a_decline() -> None:
    """9H passed: 9C, between two own cards, is safe by the refusal alone, with 9S and 9D open."""
    hand = "8C TC AH 3H 5H 2S 4S JD QD KS"
    assert cell(seen(hand, "9H", "9H", [event(False, "9H", PASSED)]), "9C") == -1
    assert cell(seen(hand, "9H", "9H", []), "9C") == 0


def test_an_upcard_that_the_opponent_passed_is_closed_whoever_passes_next() -> None:
    """8H needs 9H for a run, with 7H own and two eights own."""
    hand = "7H 8C 8S AH 3D 5D 2S 4S JD KS"
    theirs, ours = event(False, "9H", PASSED), event(True, "9H", PASSED)
    for log, expected in (([], 0), ([ours], 0), ([theirs], -1), ([theirs, ours], -1), ([ours, theirs], -1)):
        assert cell(seen(hand, "9H", "9H", log), "8H") == expected


def test_a_refused_card_counts_in_the_own_hand_too() -> None:
    """The opponent threw 9H and this side took it: the opponent collects no nines."""
    log = [*PASSES, event(False, "KH", HIDDEN, "9H"), event(True, "9H", "9H", "AH")]
    hand = "8C TC 9H 3H 5H 2S 4S JD QD KS"
    assert cell(seen(hand, "KH AH", "AH", log), "9C") == -1
    dealt = [*PASSES, event(False, "KH", HIDDEN, "5D"), event(True, "5D", "AH", "AH")]
    assert cell(seen(hand, "KH 5D AH", "AH", dealt), "9C") == 0


def test_a_taken_card_with_one_run_left_marks_it() -> None:
    """7C taken, two sevens in the own hand: a run. 5C is own and 9C gone, so 6C 7C 8C; 4C 8C own: 5C 6C 7C."""
    log = [*PASSES, event(False, "KH", HIDDEN, "9C"), event(True, "9C", "7C", "7C")]
    middle = seen("5C 7H 7S AH 3H 2S 4S JD QD KS", "KH 9C", None, log, opponent="7C")
    assert [cell(middle, card) for card in ("6C", "7C", "8C", "TC")] == [1, 1, 1, 0]
    top = seen("4C 8C 7H 7S 3H 2S 4S JD QD KS", "KH 9C", None, log, opponent="7C")
    assert [cell(top, card) for card in ("3C", "5C", "6C")] == [0, 1, 1]
    wide = seen("9H 7H 7S AH 3H 2S 4S JD QD KS", "KH 9C", None, log, opponent="7C")  # three openings or more
    assert [cell(wide, card) for card in ("5C", "6C", "8C")] == [0, 0, 0]


def test_a_taken_card_beside_a_taken_card() -> None:
    """5C and 6C taken, 4C and 8C closed: of both runs' openings only 7C is unknown."""
    log = [*PASSES, event(False, "KH", HIDDEN, "8C"), event(True, "8C", "5C", "5C")]
    both = seen("4C 5H 5S 6H 6S 2S 4S JD QD KS", "KH 8C", None, log, opponent="5C 6C")
    assert [cell(both, card) for card in ("5C", "6C", "7C", "5D", "6D")] == [1, 1, 1, 0, 0]
    # The sixes are open, so that 6C may be in a set; 5C can only be in the run, and marks 7C beyond 6C.
    across = seen("4C 5H 5S AH 3H 2S 4S JD QD KS", "KH 8C", None, log, opponent="5C 6C")
    assert [cell(across, card) for card in ("7C", "6D", "6H", "6S")] == [1, 0, 0, 0]


def test_a_taken_card_outweighs_a_refused_one_of_its_rank() -> None:
    """7D refused, 7C taken and without a run, 7H between own cards: the opponent's sevens are likely."""
    log = [*PASSES, event(False, "KH", HIDDEN, "7D"), event(True, "7D", "7C", "7C")]
    one = seen("6C 8C 6H 8H AH 2S 4S JD QD KS", "KH 7D", None, log, opponent="7C")
    assert [cell(one, card) for card in ("7C", "7H", "7S", "7D")] == [1, 1, 1, -1]


# -- the slow twin: cells, walks and repeated passes ------------------------------------------------------------

Cell = tuple[int, int]


def cells(mask: int) -> set[Cell]:
    return {divmod(card, 13) for card in cards_of(mask)}


def history(one: Sight) -> tuple[set[Cell], Cell | None, bool]:
    """Refused cells, the cell that waits for the opponent, and whether that is an own discard."""
    last_word: dict[int, str] = {}
    waits: tuple[int, bool] | None = (one.top, False) if not one.log else None
    for entry in one.log:
        if entry.mine and entry.discard != NO_CARD:
            waits = (entry.discard, True)
        elif entry.mine and entry.drawn == PASSED and last_word.get(entry.upcard) is None:
            waits = (entry.upcard, False)
        elif not entry.mine:
            waits = None
            last_word[entry.upcard] = "took" if entry.took else "refused"
            if entry.discard != NO_CARD:
                last_word[entry.discard] = "refused"
    refused = {divmod(card, 13) for card, word in last_word.items() if word == "refused"}
    refused -= cells(one.opponent)
    if waits is None or one.top == NO_CARD:
        return refused, None, False
    return refused, divmod(waits[0], 13), waits[1]


def run_openings(closed: set[Cell], suit: int, rank: int) -> list[Cell]:
    found = []
    for step in (-1, 1):
        place = rank + step
        while 0 <= place < 13 and (suit, place) not in closed:
            found.append((suit, place))
            place += step
    return found


def set_openings(closed: set[Cell], suit: int, rank: int) -> list[Cell]:
    return [(other, rank) for other in range(4) if other != suit and (other, rank) not in closed]


def twin(one: Sight, safe_first: bool = False) -> list[list[int]]:
    """The plug rule by repeated passes over the cells until nothing changes; rule 1 goes before rule 2."""
    refused, waits, own_discard = history(one)
    code = {(suit, rank): 0 for suit in range(4) for rank in range(13)}
    closed = cells(one.hand) | cells(one.pile)
    fixed = cells(one.opponent)
    if waits is not None:
        closed.discard(waits)
        if not own_discard:
            code[waits] = -1
            fixed = fixed | {waits}
    code |= (
        dict.fromkeys(closed, -1) | dict.fromkeys(cells(one.hand), -2) | dict.fromkeys(cells(one.opponent), 1)
    )

    def unknown(place: Cell) -> bool:
        return code[place] == 0 and place not in closed and place not in fixed

    def mark_likely(with_runs: bool) -> bool:
        changed = False
        for place in cells(one.opponent):
            run, mates = run_openings(closed, *place), set_openings(closed, *place)
            meant: list[Cell] = []
            if len(run) < 2 <= len(mates):
                meant = mates
            elif with_runs and len(run) == 2 and len(mates) < 2:
                meant = run
            for other in filter(unknown, meant):
                code[other] = 1
                changed = True
        return changed

    def mark_safe() -> bool:
        changed = False
        for place in filter(unknown, list(code)):
            suit, rank = place
            spurned = any((other, rank) in refused for other in range(4))
            few = len(set_openings(closed, suit, rank)) < 2
            if len(run_openings(closed, suit, rank)) < 2 and (few or spurned):
                code[place] = -1
                closed.add(place)
                changed = True
        return changed

    if not safe_first:
        mark_likely(with_runs=True)
    while mark_safe() | mark_likely(with_runs=True):
        pass
    return [[code[suit, rank] for rank in range(13)] for suit in range(4)]


# -- views of real play --------------------------------------------------------------------------------------


def watched_views(first: Player, second: Player, games: int, seed: int, rules: str = "eaai") -> View:
    """What the first player saw at every decision of some games."""
    kept: list[np.ndarray] = []

    def watch(name: str):
        def decide(view, rows, u):
            kept.append(view[rows].copy())
            return getattr(first, name)(view, rows, u)

        return decide

    watching = Player("watched", watch("draw"), watch("discard"), watch("knock"), watch("spread"))
    with np.errstate(
        over="ignore"
    ):  # the mixer of ``decks`` wraps round on purpose, seen without the compiler
        play(watching, second, range(games), PRESETS[rules], seed)
    return np.concatenate(kept)


def swaps() -> Player:
    """Takes most upcards, so that cards go back and forth."""

    def draw(view, rows, u):
        return u < 0.8

    def discard(view, rows, u):
        out = np.empty(len(rows), np.int8)
        for k, row in enumerate(rows):
            choices = cards_of(int(best_discards(view["hand"][row])[1]) & int(view["allowed"][row]))
            choices = choices if choices and u[k] < 0.7 else cards_of(int(view["allowed"][row]))
            out[k] = choices[int(u[k] * 997) % len(choices)]
        return out

    return dataclasses.replace(random(), name="swaps", draw=draw, discard=discard, compiled=None)


@pytest.fixture(scope="module")
def views() -> View:
    """Some thousand views: plain play, wild play, rules with a wall phase and returned upcards."""
    parts = [
        watched_views(simple(), simple(), 8, seed=1),
        watched_views(swaps(), swaps(), 2, seed=2),
        watched_views(random(), swaps(), 2, seed=3, rules="openspiel"),
        watched_views(simple(), swaps(), 2, seed=4, rules="oklahoma"),
    ]
    every = np.concatenate(parts)
    return every[np.random.default_rng(5).permutation(len(every))[:4000]]


def test_the_twin_on_real_views(views: View) -> None:
    assert len(views) > 1500
    arrays = shankar_arrays(views, np.arange(len(views)))
    for row in range(len(views)):
        one = sight(views, row)
        assert arrays[row].tolist() == twin(one), str(one)
    assert (arrays == 1).any(axis=(1, 2)).mean() > 0.1
    assert set(np.unique(arrays)) == {-2, -1, 0, 1}


def test_the_rules_meet_only_where_a_rank_is_both_taken_and_refused(views: View) -> None:
    """With rule 2 before rule 1 the array differs in some views, all of the kind that the module names."""
    differ = 0
    for row in range(len(views)):
        one = sight(views, row)
        if twin(one) != twin(one, safe_first=True):
            differ += 1
            taken, refused = cells(one.opponent), history(one)[0]
            assert {rank for _, rank in taken} & {rank for _, rank in refused}
    assert 0 < differ < len(views) / 4


def test_what_is_known_is_shown(views: View) -> None:
    """Own cards are -2, taken cards 1, the rest of the pile -1; nothing else is -2."""
    bits = np.arange(CARDS)
    arrays = shankar_arrays(views, np.arange(len(views))).reshape(-1, CARDS)
    own = views["hand"][:, None] >> bits & 1 == 1
    taken = views["opponent"][:, None] >> bits & 1 == 1
    top = np.where(views["top"] < 0, 0, 1 << np.maximum(views["top"], 0).astype(np.int64))
    buried = (views["pile"] & ~top)[:, None] >> bits & 1 == 1
    assert ((arrays == -2) == own).all()
    assert (arrays[taken] == 1).all()
    assert (arrays[buried] == -1).all()


def test_suits_in_another_order_give_the_rows_in_that_order(views: View) -> None:
    def moved(mask: int, order: tuple[int, ...]) -> int:
        return sum(1 << 13 * order[card // 13] + card % 13 for card in cards_of(mask))

    def turned(card: int, order: tuple[int, ...]) -> int:
        return 13 * order[card // 13] + card % 13 if card >= 0 else card

    orders = list(permutations(range(4)))
    for row in range(0, 400):
        one, order = sight(views, row), orders[row % 24]
        other = one._replace(
            hand=moved(one.hand, order),
            allowed=moved(one.allowed, order),
            opponent=moved(one.opponent, order),
            pile=moved(one.pile, order),
            top=turned(one.top, order),
            log=tuple(Event(e.mine, *(turned(card, order) for card in e[1:])) for e in one.log),
        )
        rows = array(one)
        assert array(other) == [rows[order.index(suit)] for suit in range(4)]


def test_rows_choose_and_order(views: View) -> None:
    rows = np.array([7, 3, 3, 11], np.int32)
    every = shankar_arrays(views, np.arange(20))
    assert (shankar_arrays(views, rows) == every[rows]).all()
    assert shankar_arrays(views, rows[:0]).shape == (0, 4, 13)


def test_the_stack_holds_every_order_of_the_suits(views: View) -> None:
    rows = np.arange(50)
    arrays, stacks = shankar_arrays(views, rows), shankar_stacks(views, rows)
    assert stacks.shape == (50, 17, 13)
    assert stacks.dtype == np.int8
    for place, symbol in enumerate(ASP4):
        assert (stacks[:, place] == arrays[:, "1234".index(symbol)]).all()
    for order in permutations(range(4)):
        starts = [k for k in range(14) if tuple(ROWS[k : k + 4]) in (order, order[::-1])]
        assert len(starts) == 1
    with pytest.raises(ValueError, match=r"expected arrays of shape \[N, 4, 13\]"):
        stacked(stacks)
