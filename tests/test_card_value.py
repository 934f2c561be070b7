"""Hitting cards, Equation 1, Equations 8 and 9: against slow twins that spell the definitions out."""

from itertools import combinations

import numpy as np
import pytest

from ginrummy.cards import CARDS, DECK, cards_of, parse_card
from ginrummy.policies.card_value import BY_HITS, BY_TYPES, card_value, hit_count, hitting_cards, loose_cards
from ginrummy.policies.knock_features import features
from ginrummy.policies.safe_discard import best_valued, desirability, discard_value

THREES = [
    *(frozenset(13 * suit + rank + step for step in range(3)) for suit in range(4) for rank in range(11)),
    *(
        frozenset(13 * suit + rank for suit in suits)
        for rank in range(13)
        for suits in combinations(range(4), 3)
    ),
]
MELDS = [
    *(
        frozenset(13 * suit + rank for rank in range(start, stop))
        for suit in range(4)
        for start in range(13)
        for stop in range(start + 3, 14)
    ),
    *(
        frozenset(13 * suit + rank for suit in suits)
        for rank in range(13)
        for size in (3, 4)
        for suits in combinations(range(4), size)
    ),
]


def hand_of(text: str) -> np.int64:
    return np.int64(sum(1 << parse_card(word) for word in text.split()))


def slow_hits(hand: int, card: int, free: int) -> int:
    held = set(cards_of(hand)) - {card}
    reach = held | set(cards_of(free))
    return sum(len((meld - {card}) & held) for meld in THREES if card in meld and meld - {card} <= reach)


def some_hands(n: int = 300) -> list[tuple[np.int64, np.int64]]:
    """Hands of ten or eleven cards, with some of the other cards as unseen ones."""
    rng = np.random.default_rng(7)
    found = []
    for k in range(n):
        deck = rng.permutation(CARDS)
        size = 10 + k % 2
        gone = int(rng.integers(0, 25))
        found.append(
            (
                np.int64(sum(1 << int(c) for c in deck[:size])),
                np.int64(sum(1 << int(c) for c in deck[size + gone :])),
            )
        )
    return found


def test_hit_counts_equal_the_definition() -> None:
    for hand, free in some_hands():
        for card in range(CARDS):
            assert hit_count(hand, card, free) == slow_hits(int(hand), card, int(free))
        hits = sum(1 << c for c in range(CARDS) if slow_hits(int(hand), c, int(free)))
        assert hitting_cards(hand, np.int64(DECK), free) == hits


@pytest.mark.parametrize(
    ("upcard", "unseen", "hits"),
    [
        ("5H", DECK, 4 + 1),  # three sets share 5C or 5D; 5H 6H 7H shares 7H
        ("7C", DECK, 2 + 1 + 2),  # 5C 6C 7C shares two, 6C 7C 8C one; 7H is shared by two sets
        ("KD", DECK, 0),
    ],
)
def test_hit_counts_of_a_small_hand(upcard: str, unseen: int, hits: int) -> None:
    hand = hand_of("5C 5D 6C 7H")
    found = hit_count(hand, parse_card(upcard), np.int64(unseen & ~int(hand)))
    assert found == slow_hits(int(hand), parse_card(upcard), unseen & ~int(hand))
    assert found == hits


def test_a_card_out_of_reach_ends_a_potential_meld() -> None:
    hand = hand_of("5C 6C")
    four, seven = parse_card("4C"), parse_card("7C")
    assert hit_count(hand, seven, np.int64(DECK) & ~hand) == 3
    assert hit_count(hand, seven, np.int64(DECK) & ~hand & ~hand_of("8C")) == 2
    assert hit_count(hand_of("6C"), seven, np.int64(0)) == 0
    assert hit_count(hand, four, np.int64(0)) == 2


def test_equation_1() -> None:
    hand = hand_of("AC AD 2H KS")
    free = np.int64(DECK) & ~hand
    ace = parse_card("AH")  # sets with AC and AD, the run AH 2H 3H
    assert card_value(hand, ace, free, 3.0, BY_TYPES) == 13 + 2 * 3 - 1
    assert card_value(hand, ace, free, 3.0, BY_HITS) == 13 + slow_hits(int(hand), ace, int(free)) * 3 - 1
    assert card_value(hand, parse_card("9D"), free, 3.0, BY_TYPES) == 13 - 9


def test_types_never_reach_the_published_threshold() -> None:
    """Why Equation 1 is read with hits: kinds of melds give 18 at most, and the paper's threshold is 21."""
    best = max(
        card_value(hand, card, free, 3.0, BY_TYPES) for hand, free in some_hands() for card in range(CARDS)
    )
    assert best == 18


def slow_desirability(card: int, belief: np.ndarray, melds: list[frozenset[int]]) -> float:
    return sum(np.prod([belief[other] for other in meld - {card}]) for meld in melds if card in meld)


@pytest.mark.parametrize(("all_melds", "melds"), [(False, THREES), (True, MELDS)])
def test_equation_8(all_melds: bool, melds: list[frozenset[int]]) -> None:
    rng = np.random.default_rng(3)
    for _ in range(20):
        belief = rng.random(CARDS).astype(np.float32)
        for card in range(CARDS):
            wanted = slow_desirability(card, belief.astype(np.float64), melds)
            assert desirability(card, belief, all_melds) == pytest.approx(wanted, rel=1e-5)


def test_equation_9_weighs_safety_and_deadwood() -> None:
    belief = np.zeros(CARDS, np.float32)
    belief[[parse_card("7H"), parse_card("7S")]] = 0.5
    assert discard_value(parse_card("7C"), belief, 1.0, 3.0, False) == pytest.approx(0.75 + 2.1)
    assert discard_value(parse_card("KC"), belief, 1.0, 3.0, False) == pytest.approx(1 + 3)
    values = np.zeros(CARDS)
    values[[3, 9, 20]] = 2, 5, 5
    assert best_valued(np.int64(1 << 3 | 1 << 9 | 1 << 20), values) == 1 << 9 | 1 << 20


def test_loose_cards_and_knock_features() -> None:
    hand = hand_of("3C 4C 5C 9H 9S 9D 2D 3D 7H KC")
    scratch = np.empty(80, np.int64), np.empty(4, np.int64), np.empty((1, 4), np.int64)
    loose, melds = loose_cards(hand, *scratch)
    assert loose == hand_of("2D 3D 7H KC")
    assert melds == 2
    piles = np.array([hand_of("AD 4D")])
    row = features(np.array([hand]), piles, np.array([0]), np.array([9]), np.array([2]))
    # 2D and 3D lost both runs, but 3D hits 3C, 2D hits nothing; 7H hits 9H over 8H
    assert row.tolist() == [[9, 22, 2, 2, 2]]
