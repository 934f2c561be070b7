"""The slow twin against the challenge program's own melds, and against rules worked out by hand."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path

import pytest

import naive
from naive import card, cards

DATA = Path(__file__).parent / "data" / "challenge" / "best-meld-sets.jsonl.gz"


def test_cards_read_as_written() -> None:
    assert [naive.name(i) for i in (0, 12, 13, 26, 39, 48, 51)] == ["AC", "KC", "AH", "AS", "AD", "TD", "KD"]
    assert all(card(naive.name(i)) == i for i in range(52))
    assert naive.points(range(52)) == 4 * (45 + 40)


def test_there_are_329_melds() -> None:
    melds = naive.all_melds()
    assert len(melds) == len(set(melds)) == 329
    assert Counter(map(naive.is_run, melds)) == {True: 4 * 66, False: 13 * 5}
    assert all(naive.is_run(meld) != naive.is_set(meld) for meld in melds)
    short = [meld for meld in melds if len(meld) <= 10]
    assert len(short) == 305  # no hand of ten cards holds a longer run


def test_no_run_goes_round_the_corner() -> None:
    assert not naive.is_meld(cards("QC KC AC"))
    assert not naive.is_meld(cards("KC AH 2H"))  # neighbouring ids, two suits
    assert not naive.is_meld(cards("AC 2C"))


def test_best_meld_sets_equal_those_of_the_challenge_program() -> None:
    sizes: Counter[int] = Counter()
    out_of_index_order = 0
    place = {meld: i for i, meld in enumerate(naive.all_melds())}
    with gzip.open(DATA, "rt") as file:
        for line in file:
            record = json.loads(line)
            wanted = [tuple(map(tuple, melds)) for melds in record["best_meld_sets"]]
            got = naive.best_meld_sets(record["hand"])
            assert got == wanted, record
            assert naive.maximal_best_meld_sets(record["hand"]) == got, record
            assert naive.deadwood(record["hand"]) == record["deadwood"], record
            sizes[min(len(wanted), 2)] += 1
            out_of_index_order += any(list(melds) != sorted(melds, key=place.__getitem__) for melds in wanted)
    assert sizes == {0: 637, 1: 3180, 2: 183}  # hands with no best set, one, several
    assert out_of_index_order == 244  # hands that tell the (i mod 4, i) order from the plain one


@pytest.mark.parametrize(
    ("hand", "least"),
    [
        ("AC 2C 3C 4C 5C 6C 7C 8C 9C TC", 0),
        ("AC AH AS 2C 2H 2S 3C 3H 3S 3D", 0),
        ("AC 3H 5S 7D 9C JH KS 2D 4C 6H", 57),
        ("4C 5C 6C 6H 6S 9D 9H KC KD 2S", 49),  # the sixes; with the run it would be 52
    ],
)
def test_deadwood_by_hand(hand: str, least: int) -> None:
    assert naive.deadwood(cards(hand)) == least


def test_deadwood_after_discard_can_forbid_a_card() -> None:
    hand = cards("AC 2C 3C 5H 6H 7H 9S TS JS 2D KD")
    assert naive.deadwood_after_discard(hand) == 2
    assert naive.deadwood_after_discard(hand, kept=card("KD")) == 10


def test_layoffs_chain_and_take_the_first_fitting_meld() -> None:
    knocker = (cards("5C 6C 7C"), cards("8H 8S 8D"))
    steps = naive.first_fit_layoffs(cards("3C 4C 8C 9C KD"), (), knocker)
    assert steps == [
        (card("4C"), cards("5C 6C 7C")),
        (card("3C"), cards("4C 5C 6C 7C")),
        (card("8C"), cards("3C 4C 5C 6C 7C")),
        (card("9C"), cards("3C 4C 5C 6C 7C 8C")),
    ]
    swapped = naive.first_fit_layoffs(cards("8C 9C KD"), (), knocker[::-1])
    assert swapped == [(card("8C"), cards("8H 8S 8D"))]  # the nine is stranded: first fit is not always best
    assert naive.least_after_layoffs(cards("8C 9C KD"), knocker[::-1]) == 10


def test_the_best_defence_may_declare_more_deadwood_than_the_least() -> None:
    """Keep the fives together and the six and seven of clubs go on the knocker's run."""
    knocker = (cards("8C 9C TC"),)
    defender = cards("5C 6C 7C 5H 5S")
    run, fives = cards("5C 6C 7C"), cards("5C 5H 5S")
    assert naive.best_meld_sets(defender) == [(run,)]
    assert naive.deadwood_after_first_fit(defender, [run], knocker, gin=False) == 10
    assert naive.deadwood_after_first_fit(defender, [fives], knocker, gin=False) == 0
    assert naive.defence_deadwood(defender, knocker) == 0


def test_no_layoff_against_gin() -> None:
    knocker = (cards("AC AH AS"), cards("3C 4C 5C"), cards("7D 8D 9D TD"))
    assert naive.deadwood_after_first_fit(cards("AD KD"), (), knocker, gin=True) == 11
    assert naive.deadwood_after_first_fit(cards("AD KD"), (), knocker, gin=False) == 10


@pytest.mark.parametrize(
    ("knocker", "defender", "challenge", "books"),
    [
        (0, 30, (55, 0), (50, 0)),
        (0, 0, (25, 0), (20, 0)),  # gin cannot be undercut
        (9, 10, (1, 0), (1, 0)),
        (9, 9, (0, 25), (0, 10)),
        (9, 2, (0, 32), (0, 17)),
    ],
)
def test_points(knocker: int, defender: int, challenge: tuple[int, int], books: tuple[int, int]) -> None:
    assert naive.knock_points(knocker, defender) == challenge
    assert naive.knock_points(knocker, defender, gin_bonus=20, undercut_bonus=10) == books
    if knocker == defender and knocker:
        assert naive.knock_points(knocker, defender, tie_to_defender=False) == (0, 0)
