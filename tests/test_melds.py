"""Melds, deadwood and layoffs against the slow twin, against brute force and against the challenge program.

Hands are random or *rich*: put together from melds that overlap and a few loose cards, because random hands
seldom have two ways to be melded (``hands.py``).
"""

from __future__ import annotations

import gzip
import hashlib
import json
import random
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import naive
from ginrummy import meld_kernels, melds
from ginrummy.cards import DECK, cards_of, mask_of, parse_hand
from ginrummy.errors import BadInput
from ginrummy.melds import MAX_HELD, MAX_MELDS, meld_row
from hands import ALL_MELDS, Hand, knocks, random_hands, rich_hands

DATA = Path(__file__).parent / "data" / "challenge" / "best-meld-sets.jsonl.gz"

SAMPLE = [
    hand
    for size in range(1, 15)
    for hand in random_hands(size, 100, size) + rich_hands(size, 200 if size < 13 else 60, 100 + size)
]
TENS = random_hands(10, 500, 1) + rich_hands(10, 1000, 2)


def as_mask(hand: Hand) -> np.int64:
    return np.int64(mask_of(hand))


def test_the_sample_is_rich() -> None:
    several = sum(len(naive.best_meld_sets(hand)) > 1 for hand in TENS)
    overlapping = sum(
        any(set(a) & set(b) and not set(a) <= set(b) and not set(b) <= set(a) for a in own for b in own)
        for own in map(naive.melds_in, TENS)
    )
    assert several > 150
    assert overlapping > 600


# --- tables and exact counts -------------------------------------------------------------------------------


def test_all_329_melds_in_the_documented_order() -> None:
    ours = melds.all_melds()
    assert len(ours) == 329
    assert [tuple(cards_of(meld)) for meld in ours] == ALL_MELDS
    runs = ours[: 4 * 66]
    assert runs == sorted(runs, key=lambda meld: ((meld & -meld).bit_length(), meld.bit_count()))
    first_sets = [tuple(cards_of(meld)) for meld in ours[264:269]]
    assert first_sets == [(13, 26, 39), (0, 26, 39), (0, 13, 39), (0, 13, 26), (0, 13, 26, 39)]


def digest(table: np.ndarray) -> str:
    return hashlib.sha256(table.astype("<i2").tobytes()).hexdigest()


def test_the_tables_of_suit_patterns_are_what_they_were() -> None:
    """Found once, and right then: ``test_suit_patterns_one_by_one`` compares a slice with the slow twin."""
    assert {name: digest(getattr(meld_kernels, name)) for name in DIGESTS} == DIGESTS


DIGESTS = {
    "SUIT_POINTS": "fc8e8bf82058bd2b3755e7bc0b8a035970c0294d0b7f9f7cab5355c0c9653e26",
    "RUN_DEADWOOD": "35ee745278d4c8d2ec3e492e0d390bd8dcf24266b78b66cbcfcb48d4f6c605bb",
    "DISCARD_GAIN": "0d0556db8e884b9575fa748695c3fe64288036dd6a29e710fb827c52c5b02816",
    "DISCARD_RANKS": "c3496f8ff09a71ea3905ce294767fb54b286f069bd64277e380428bd9dbb6128",
}


def test_suit_patterns_one_by_one() -> None:
    for pattern in range(0, 1 << 13, 7):
        hand = cards_of(pattern)
        least = naive.points(hand) - sum(naive.points(run) for run in longest_runs(hand))
        assert meld_kernels.SUIT_POINTS[pattern] == naive.points(hand)
        assert meld_kernels.RUN_DEADWOOD[pattern] == least
        gains = {
            card: least - naive.points(rest) + sum(naive.points(run) for run in longest_runs(rest))
            for card in hand
            for rest in [[other for other in hand if other != card]]
        }
        best = max(gains.values(), default=meld_kernels.NO_GAIN)
        assert meld_kernels.DISCARD_GAIN[pattern] == best
        assert meld_kernels.DISCARD_RANKS[pattern] == mask_of(card for card in gains if gains[card] == best)


def longest_runs(hand: list[int]) -> list[list[int]]:
    """Unbroken stretches of three or more cards of one suit: melding all of them is best without sets."""
    stretches: list[list[int]] = []
    for card in hand:
        if stretches and stretches[-1][-1] == card - 1:
            stretches[-1].append(card)
        else:
            stretches.append([card])
    return [stretch for stretch in stretches if len(stretch) >= 3]


SMALL_DECKS = {
    "ace to five": "AC 2C 3C 4C 5C AH 2H 3H 4H 5H AS 2S 3S 4S 5S AD 2D 3D 4D 5D",
    "nine to king": "9C TC JC QC KC 9H TH JH QH KH 9S TS JS QS KS 9D TD JD QD KD",
    "three to eight": "3C 4C 5C 6C 7C 8C 3H 4H 5H 6H 7H 8H 3S 4S 5S 6S 7S 8S 7D 8D",
}


def least_of_all_subsets(deck: Hand) -> np.ndarray:
    """[2**n] Least deadwood of every subset of a small deck: the highest card is loose, or in some meld."""
    n = len(deck)
    place = {card: i for i, card in enumerate(deck)}
    within = [sum(1 << place[card] for card in meld) for meld in ALL_MELDS if set(meld) <= set(deck)]
    least = np.zeros(1 << n, np.int64)
    for top in range(n):
        lower = np.arange(1 << top)
        best = naive.value(deck[top]) + least[lower]
        for meld in within:
            if meld.bit_length() == top + 1:
                rest = meld ^ 1 << top
                best = np.where(lower & rest == rest, np.minimum(best, least[lower & ~rest]), best)
        least[1 << top : 2 << top] = best
    return least


@pytest.mark.parametrize(
    ("name", "gin_hands"), [("ace to five", 1_234), ("nine to king", 1_234), ("three to eight", 671)]
)
def test_every_subset_of_a_small_deck(name: str, gin_hands: int) -> None:
    """All 1,048,576 hands; the number of ten-card hands without deadwood; all discards from eleven."""
    deck = tuple(sorted(naive.cards(SMALL_DECKS[name])))
    least = least_of_all_subsets(deck)
    subsets = np.arange(1 << len(deck))
    masks = np.zeros(len(subsets), np.int64)
    for i, card in enumerate(deck):
        masks |= (subsets >> i & 1) << card
    sizes = np.bitwise_count(subsets)
    ours = np.empty_like(masks)
    meld_kernels.deadwood_many(masks, ours)
    assert (ours == least).all()
    assert int(((sizes == 10) & (least == 0)).sum()) == gin_hands
    rng = np.random.default_rng(3)
    for subset in rng.choice(subsets[sizes <= 11], 150):
        hand = [card for i, card in enumerate(deck) if subset >> i & 1]
        assert naive.deadwood(hand) == least[subset]
    for subset in rng.choice(subsets[sizes == 11], 10_000, replace=False):
        left = {i: int(least[subset ^ 1 << i]) for i in range(len(deck)) if subset >> i & 1}
        best = min(left.values())
        wanted = sum(1 << deck[i] for i in left if left[i] == best)
        assert melds.best_discards(masks[subset]) == (best, wanted)


# --- kernels against the slow twin -------------------------------------------------------------------------


def test_deadwood() -> None:
    masks = np.array([as_mask(hand) for hand in SAMPLE])
    wanted = [naive.deadwood(hand) for hand in SAMPLE]
    assert melds.deadwoods(masks).tolist() == wanted
    assert [int(melds.deadwood(mask)) for mask in masks] == wanted
    assert [int(melds.points(mask)) for mask in masks] == [naive.points(hand) for hand in SAMPLE]
    assert melds.deadwoods(masks[:1000].reshape(10, 100)).shape == (10, 100)
    assert melds.deadwoods(masks[::2]).tolist() == wanted[::2]  # not contiguous


def test_deadwood_without_each_card_and_the_best_discards() -> None:
    for hand in SAMPLE[::3]:
        out = np.full(52, -7, np.int64)
        meld_kernels.deadwood_without(as_mask(hand), out)
        wanted = {card: naive.deadwood(set(hand) - {card}) for card in hand}
        assert {card: int(out[card]) for card in hand} == wanted
        assert (out[sorted(set(range(52)) - set(hand))] == -7).all()
        least = min(wanted.values())
        best = mask_of(card for card in hand if wanted[card] == least)
        assert melds.best_discards(as_mask(hand)) == (least, best)


def test_melds_with_a_card() -> None:
    for hand in SAMPLE:
        melded = {card for meld in naive.melds_in(hand) for card in meld}
        assert {card for card in hand if melds.melds_with(as_mask(hand), card)} == melded


def test_held_melds_come_in_the_documented_order() -> None:
    for hand in SAMPLE:
        assert [tuple(cards_of(meld)) for meld in melds.all_melds(as_mask(hand))] == naive.melds_in(hand)


def test_the_room_for_held_melds_suffices() -> None:
    """A suit holds 66 melds; fourteen cards cannot hold more than ``MAX_HELD``."""
    assert len(melds.all_melds(mask_of(range(13)))) == 66
    assert max(len(naive.melds_in(hand)) for hand in SAMPLE) <= 66 < MAX_HELD


def test_best_meld_sets() -> None:
    for hand in SAMPLE:
        ours = [
            tuple(tuple(cards_of(meld)) for meld in chosen) for chosen in melds.best_meld_sets(as_mask(hand))
        ]
        assert ours == naive.best_meld_sets(hand)


def test_best_meld_sets_of_the_challenge_program() -> None:
    """All 4,000 hands, with the order of sets and of melds within a set."""
    with gzip.open(DATA, "rt") as file:
        records = [json.loads(line) for line in file]
    assert len(records) == 4000
    for record in records:
        hand = mask_of(record["hand"])
        assert melds.deadwood(np.int64(hand)) == record["deadwood"]
        ours = [[cards_of(meld) for meld in chosen] for chosen in melds.best_meld_sets(hand)]
        assert ours == record["best_meld_sets"]


NO_HANDS = {
    -1: "a mask has bits 0 to 51 only, not -1",
    1 << 52: "a mask has bits 0 to 51 only, not 0x10000000000000",
    10**5000: "a mask has bits 0 to 51 only, not 0x",
    1.5: "a mask is a whole number, not 1.5",
    "AC": "a mask is a whole number, not 'AC'",
    mask_of(range(15)): "expected a hand of at most 14 cards, got 15",
    DECK: "expected a hand of at most 14 cards, got 52",
}


@pytest.mark.parametrize(("hand", "why"), NO_HANDS.items(), ids=range(len(NO_HANDS)))
def test_what_is_no_hand_is_refused(hand: int, why: str) -> None:
    run = parse_hand("3C 4C 5C")
    for ask in (
        melds.deadwood,
        melds.best_discards,
        melds.best_meld_sets,
        lambda hand: melds.defend(hand, (), (run,)),
        lambda hand: melds.defend_optimally(hand, (run,)),
    ):
        with pytest.raises(BadInput, match=why):
            ask(hand)


@pytest.mark.parametrize("mask", [-1, 1 << 52, 0.5])
def test_what_is_no_mask_is_refused(mask: int) -> None:
    for ask in (melds.points, melds.is_meld, melds.extensions, melds.all_melds):
        with pytest.raises(BadInput, match="a mask"):
            ask(mask)
    with pytest.raises(BadInput, match="a mask"):
        melds.melds_with(mask, 0)


def test_what_is_no_array_of_hands_is_refused() -> None:
    hand = parse_hand("AC 2C 3C KH")
    assert melds.deadwoods([hand, 0]).tolist() == [10, 0]
    assert melds.deadwoods([]).tolist() == []
    assert melds.deadwoods(np.array([[hand]], np.uint64)).tolist() == [[10]]
    for hands, why in (
        ([hand, -1], "bits 0 to 51 only, not -1"),
        ([hand, 1 << 52], "bits 0 to 51 only"),
        (np.array([1 << 63], np.uint64), "bits 0 to 51 only, not 0x8000000000000000"),
        ([hand, DECK], "at most 14 cards, got 52"),
        ([1.0], "numbers of type float64"),
        ([10**30], "numbers of type object"),
    ):
        with pytest.raises(BadInput, match=why):
            melds.deadwoods(hands)


def test_what_does_not_fit_is_refused() -> None:
    hand, run = parse_hand("3C 4C 5C KH"), parse_hand("6C 7C 8C")
    for ask, why in (
        (lambda: melds.best_discards(0), "a card to discard, got an empty one"),
        (lambda: melds.melds_with(hand, 51), "expected a card of the hand 3C 4C 5C KH, got card 51"),
        (lambda: melds.melds_with(hand, 52), "a card is a whole number from 0 to 51, not 52"),
        (lambda: melds.extensions(hand), "expected a meld, got 3C 4C 5C KH"),
        (lambda: melds.extensions(0), "expected a meld, got no cards"),
        (lambda: melds.meld_row((run,) * 5), "expected at most 4 melds, got 5"),
        (lambda: melds.defend(hand, (run,), ()), "a card is not in the hand"),
        (lambda: melds.defend(hand, (), (hand,)), "expected a meld, got 3C 4C 5C KH"),
    ):
        with pytest.raises(BadInput, match=why):
            ask()


def picked(hand: Hand, u: float) -> tuple[int, ...]:
    out = np.full((1, MAX_MELDS), 99, np.int64)
    meld_kernels.pick_best_set(
        as_mask(hand), u, np.empty(MAX_HELD, np.int64), np.empty(MAX_MELDS, np.int64), out
    )
    return tuple(int(meld) for meld in out[0] if meld)


def test_pick_best_set_reaches_every_set_alike() -> None:
    seen: Counter[int] = Counter()
    for hand in TENS + rich_hands(11, 100, 7):
        sets = melds.best_meld_sets(as_mask(hand))
        n = len(sets)
        seen[n] += 1
        if n == 0:
            assert picked(hand, 0.0) == picked(hand, 0.999) == ()
            continue
        for k in range(n):
            assert picked(hand, (k + 1e-9) / n) == picked(hand, (k + 0.5) / n) == sets[k]
            assert picked(hand, np.nextafter((k + 1) / n - 1e-12, 0)) == sets[k]
        assert picked(hand, np.nextafter(1.0, 0.0)) == sets[-1]
    assert seen[0] and seen[1] and seen[2] and max(seen) > 2, seen


def test_is_meld() -> None:
    rng = random.Random(9)
    for meld in ALL_MELDS:
        assert melds.is_meld(as_mask(meld))
        for card in meld:
            less = tuple(other for other in meld if other != card)
            assert bool(melds.is_meld(as_mask(less))) == naive.is_meld(less)
        more = tuple(sorted({*meld, rng.randrange(52)}))
        assert bool(melds.is_meld(as_mask(more))) == naive.is_meld(more)
    for size in (1, 2, 3, 4, 5):
        for hand in random_hands(size, 200, size) + rich_hands(size, 200, size):
            assert bool(melds.is_meld(as_mask(hand))) == naive.is_meld(hand)
    assert not melds.is_meld(np.int64(0))
    for text in ("QC KC AC", "QC KC AH", "KC AH 2H", "KC KH AH", "AC 2C AH", "KD QD AC"):
        assert not melds.is_meld(np.int64(parse_hand(text)))


def masks_row(*masks: int) -> np.ndarray:
    """A row of four masks, whatever they are."""
    return np.array([*masks, *[0] * (MAX_MELDS - len(masks))], np.int64)


def test_spread_fault_names_the_fault() -> None:
    def fault(hand: str, *laid: str) -> str:
        row = masks_row(*(parse_hand(meld) for meld in laid))
        return meld_kernels.SPREAD_FAULTS[meld_kernels.spread_fault(np.int64(parse_hand(hand)), row)]

    hand = "4C 5C 6C 6H 6S 6D 9H KC KD 2S"
    assert fault(hand) == fault(hand, "", "4C 5C 6C", "", "6H 6S 6D") == ""
    assert fault(hand, "4C 5C") == fault(hand, "4C 5C 6C", "9H KC KD") == "these cards are not a meld"
    assert fault(hand, "KC KD KH") == "a card is not in the hand"
    assert fault(hand, "4C 5C 6C", "6C 6H 6S") == "a card is in two melds"
    for junk in (-1, 1 << 62, -(2**63), 7 << 52, 1):
        assert meld_kernels.spread_fault(np.int64(DECK), masks_row(junk)) in (1, 2)


def test_spread_fault_on_random_choices() -> None:
    rng = random.Random(4)
    seen: Counter[int] = Counter()
    for hand in TENS * 2:
        pool = [*naive.melds_in(hand), rng.choice(ALL_MELDS), tuple(rng.sample(hand, 3))]
        laid = rng.sample(pool, min(len(pool), rng.randint(1, 3)))
        used = [card for meld in laid for card in meld]
        clean = all(map(naive.is_meld, laid)) and set(used) <= set(hand) and len(used) == len(set(used))
        got = int(meld_kernels.spread_fault(as_mask(hand), masks_row(*map(mask_of, laid))))
        assert (got == 0) == clean
        seen[got] += 1
    assert set(seen) == {0, 1, 2, 3}


# --- layoffs -----------------------------------------------------------------------------------------------


def test_extensions_of_every_meld() -> None:
    for meld in ALL_MELDS:
        wanted = [card for card in range(52) if card not in meld and naive.fits(card, meld)]
        assert cards_of(int(melds.extensions(as_mask(meld)))) == wanted


KNOCKS = knocks(1000, 11)


def test_first_fit_layoff() -> None:
    rng = random.Random(6)
    laid_cards = 0
    for hand, laid in KNOCKS:
        own = rng.choice(naive.best_meld_sets(hand) or [()])
        loose = naive.unmelded(hand, own)
        steps = naive.first_fit_layoffs(hand, own, laid)
        row = meld_row(tuple(map(mask_of, laid)))
        assert cards_of(int(meld_kernels.first_fit_layoff(as_mask(tuple(loose)), row))) == sorted(
            s.card for s in steps
        )
        assert sorted(cards_of(int(np.bitwise_or.reduce(row)))) == sorted(
            [card for meld in laid for card in meld] + [step.card for step in steps]
        )
        assert all(melds.is_meld(meld) for meld in row if meld)
        defence = melds.defend(mask_of(hand), tuple(map(mask_of, own)), tuple(map(mask_of, laid)))
        assert [card for card, _ in defence.layoffs] == [step.card for step in steps]
        assert defence.deadwood == naive.deadwood_after_first_fit(hand, own, laid, gin=False)
        laid_cards += len(steps)
    assert laid_cards > 1000


def least_with_chain(hand: Hand, laid: tuple[Hand, ...], chain: int) -> int:
    """Least deadwood over every order of layoffs with at most ``chain`` cards on one end of a run."""
    seen: set[tuple[frozenset[int], tuple[Hand, ...]]] = set()
    best = 999

    def within(meld: Hand, base: Hand) -> bool:
        return naive.is_set(meld) or max(base[0] - meld[0], meld[-1] - base[-1]) <= chain

    def explore(loose: frozenset[int], table: tuple[Hand, ...]) -> None:
        nonlocal best
        if (loose, table) in seen:
            return
        seen.add((loose, table))
        best = min(best, deadwoods_seen(loose))
        for card in loose:
            for k, meld in enumerate(table):
                grown = tuple(sorted((*meld, card)))
                if naive.is_meld(grown) and (chain == 0 or within(grown, laid[k])):
                    explore(loose - {card}, (*table[:k], grown, *table[k + 1 :]))

    cache: dict[frozenset[int], int] = {}

    def deadwoods_seen(loose: frozenset[int]) -> int:
        if loose not in cache:
            cache[loose] = naive.deadwood(loose)
        return cache[loose]

    explore(frozenset(hand), laid)
    return best


@pytest.mark.parametrize("chain", [0, 1, 2])
def test_optimal_layoff(chain: int) -> None:
    """A limit of two costs nothing: three cards in a chain are a run, and the defender's own meld."""
    better = limited = 0
    for hand, laid in KNOCKS:
        least = least_with_chain(hand, laid, chain)
        row = meld_row(tuple(map(mask_of, laid)))
        ways = np.empty((MAX_MELDS, 64), np.int64)
        cards = int(meld_kernels.optimal_layoff(as_mask(hand), row, chain, ways))
        assert cards & ~mask_of(hand) == 0
        assert melds.deadwood(np.int64(mask_of(hand) & ~cards)) == least
        defence = melds.defend_optimally(mask_of(hand), tuple(map(mask_of, laid)), chain)
        check_defence(defence, hand, laid, least)
        if chain == 0:
            assert least == naive.defence_deadwood(hand, laid)
        own = (naive.best_meld_sets(hand) or [()])[0]
        better += least < naive.deadwood_after_first_fit(hand, own, laid, gin=False)
        limited += chain > 0 and least > least_with_chain(hand, laid, 0)
    assert better > 5 or chain == 1
    assert (limited > 0) == (chain == 1)


def check_defence(defence: melds.Defence, hand: Hand, laid: tuple[Hand, ...], least: int) -> None:
    """The layoffs can be laid in the order given, and hand, melds and deadwood add up."""
    table = list(laid)
    for card, place in defence.layoffs:
        assert naive.fits(card, table[place])
        table[place] = tuple(sorted((*table[place], card)))
    away = [card for card, _ in defence.layoffs] + [card for meld in defence.melds for card in cards_of(meld)]
    assert len(away) == len(set(away))
    assert set(away) <= set(hand)
    assert all(naive.is_meld(cards_of(meld)) for meld in defence.melds)
    assert defence.deadwood == least == naive.points(set(hand) - set(away))


def test_a_card_that_others_follow_goes_on_the_run() -> None:
    """First fit would strand the nine: the eight of clubs also fits the eights."""
    eights, run = parse_hand("8H 8S 8D"), parse_hand("5C 6C 7C")
    hand = parse_hand("8C 9C KD")
    defence = melds.defend_optimally(hand, (eights, run))
    assert defence == ((), ((7, 1), (8, 1)), 10)
    assert melds.defend(hand, (), (eights, run)).layoffs == ((7, 0),)


def test_a_chain_of_one_ends_there() -> None:
    hand, run = parse_hand("9C TC QC KH"), (parse_hand("6C 7C 8C"),)
    assert [melds.defend_optimally(hand, run, chain).deadwood for chain in (0, 1, 2)] == [20, 30, 20]
    assert melds.defend_optimally(parse_hand("9C TC JC KH"), run, 2) == ((parse_hand("9C TC JC"),), (), 10)
