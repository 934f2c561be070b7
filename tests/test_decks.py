"""The chance source: what it depends on, that it is fair, and that it never changes.

The chi-square tests have fixed seeds, so they always give the same result. Their threshold is far out (one in ten
thousand), so that only a broken source fails them.
"""

from __future__ import annotations

import random
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2, kstest

from ginrummy import decks
from ginrummy.decks import MAX_SEED, deck, starter, uniform

RARE = 1e-4

seeds = st.integers(0, MAX_SEED)
games = st.integers(0, 10**9)
rounds = st.integers(0, 1000)


@given(seeds, games, rounds)
def test_a_deck_is_a_permutation_and_mirrored_games_share_it(seed: int, game: int, round_: int) -> None:
    cards = deck(seed, game, round_)
    assert sorted(cards) == list(range(52))
    assert deck(seed, game ^ 1, round_) == cards == deck(seed, game, round_)
    assert starter(seed, game) == starter(seed, game ^ 1)
    assert starter(seed, game) in (0, 1)


@given(seeds, games, rounds, st.integers(0, 1), st.integers(0, 400))
def test_a_uniform_number_is_in_its_range_and_stays(
    seed: int, game: int, round_: int, seat: int, decision: int
) -> None:
    u = uniform(seed, game, round_, seat, decision)
    assert 0.0 <= u < 1.0
    assert u == uniform(seed, game, round_, seat, decision)


def test_decks_differ_by_seed_pair_and_round() -> None:
    keys = list(product((0, 1, 2, MAX_SEED), range(0, 60, 2), range(25)))
    assert len({tuple(deck(*key)) for key in keys}) == len(keys)


def test_uniform_numbers_differ_by_seed_game_round_seat_and_decision() -> None:
    keys = list(product((0, 1, MAX_SEED), range(20), range(10), range(2), range(40)))
    assert len({uniform(*key) for key in keys}) == len(keys)


def test_decks_and_choices_are_separate_streams() -> None:
    """A choice that followed the deck would tell a player what it cannot see."""
    first = np.array([deck(4, 2 * pair, 0)[0] for pair in range(3000)])
    u = np.array([uniform(4, 2 * pair, 0, 0, 0) for pair in range(3000)])
    assert abs(np.corrcoef(first, u)[0, 1]) < 4 / np.sqrt(3000)


# --- fairness ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def many() -> np.ndarray:
    """[40000, 52] decks of different pairs, rounds and seeds."""
    out = np.empty((40_000, 52), np.int8)
    for n in range(len(out)):
        decks.shuffle(11 + n // 20_000, n // 4, n % 4, out[n])
    return out


def p_value(counts: np.ndarray, freedom: int | None = None) -> float:
    """Of a table of counts whose cells are all alike."""
    expected = counts.sum() / counts.size
    statistic = ((counts - expected) ** 2 / expected).sum()
    return float(chi2.sf(statistic, counts.size - 1 if freedom is None else freedom))


def test_every_card_is_as_likely_at_every_place(many: np.ndarray) -> None:
    counts = np.array([np.bincount(many[:, place], minlength=52) for place in range(52)])
    assert p_value(counts, 51 * 51) > RARE
    by_place = [p_value(row) for row in counts]
    assert min(by_place) > RARE / 52
    assert kstest(by_place, "uniform").pvalue > RARE


@pytest.mark.parametrize(
    ("one", "two"), [(0, 1), (50, 51), (9, 10), (19, 20), (20, 21), (0, 51), (21, 22), (3, 4)]
)
def test_every_pair_of_cards_is_as_likely_at_two_places(many: np.ndarray, one: int, two: int) -> None:
    """Odd and even places share 64 bits of the source, so neighbours of both kinds are looked at."""
    pairs = many[:, one].astype(np.int64) * 52 + many[:, two]
    counts = np.bincount(pairs, minlength=52 * 52).reshape(52, 52)
    assert (np.diag(counts) == 0).all()
    assert p_value(counts[~np.eye(52, dtype=bool)]) > RARE


def test_the_same_place_in_two_rounds_or_pairs_is_independent(many: np.ndarray) -> None:
    for step in (1, 4, 20_000):
        pairs = many[:-step, 0].astype(np.int64) // 4 * 13 + many[step:, 0] // 4
        assert p_value(np.bincount(pairs, minlength=169)) > RARE


def test_orders_of_three_places_are_alike(many: np.ndarray) -> None:
    for places in ((0, 1, 2), (20, 21, 22), (49, 50, 51)):
        ranks = np.argsort(np.argsort(many[:, places], axis=1), axis=1) @ (9, 3, 1)
        assert p_value(np.unique(ranks, return_counts=True)[1]) > RARE


def test_hands_hold_as_many_of_a_suit_as_chance_has_it(many: np.ndarray) -> None:
    """Mean and variance of the clubs among ten cards: hypergeometric."""
    for hand in (many[:, :10], many[:, 10:20], many[:, 21:31]):
        clubs = (hand < 13).sum(axis=1)
        assert abs(clubs.mean() - 2.5) < 4 * np.sqrt(1.5441 / len(many))
        assert abs(clubs.var() - 10 * 0.25 * 0.75 * 42 / 51) < 0.05


@pytest.mark.parametrize("varied", ["seed", "game", "round", "seat", "decision"])
def test_uniform_numbers_are_uniform_whatever_counts(varied: str) -> None:
    place = ["seed", "game", "round", "seat", "decision"].index(varied)
    key = [17, 6, 3, 1, 5]
    drawn = []
    for n in range(20_000):
        if varied == "seat":
            key[0], key[3] = 17 + n // 2, n % 2
        else:
            key[place] = n
        drawn.append(uniform(*key))
    u = np.array(drawn)
    assert p_value(np.bincount((u * 100).astype(int), minlength=100)) > RARE
    pairs = (u[:-1] * 16).astype(int) * 16 + (u[1:] * 16).astype(int)
    assert p_value(np.bincount(pairs, minlength=256)) > RARE
    low = (u * 2**53).astype(np.int64) & 255  # the last bits are as good as the first
    assert p_value(np.bincount(low, minlength=256)) > RARE


def test_each_seat_starts_half_of_all_pairs() -> None:
    for seed in (0, 1, 99):
        starts = sum(starter(seed, 2 * pair) for pair in range(20_000))
        assert abs(starts - 10_000) < 4 * np.sqrt(5_000)


# --- golden values -----------------------------------------------------------------------------------------

MIX = 0xFFFFFFFFFFFFFFFF


def mixed(x: int) -> int:
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & MIX
    x = (x ^ x >> 27) * 0x94D049BB133111EB & MIX
    return x ^ x >> 31


def key_of(seed: int, purpose: int, index: int, round_: int) -> int:
    step = 0x9E3779B97F4A7C15
    key = mixed(seed + step * purpose & MIX)
    key = mixed(key + step * (index + 1) & MIX)
    return mixed(key + step * (round_ + 1) & MIX)


def test_the_source_in_plain_whole_numbers() -> None:
    """The same function written down a second time, without the package."""
    step = 0x9E3779B97F4A7C15
    rng = random.Random(2)
    for _ in range(200):
        seed, game, round_ = rng.randrange(2**63), rng.randrange(10**9), rng.randrange(1000)
        seat, decision = rng.randrange(2), rng.randrange(400)
        bits = mixed(key_of(seed, 3, game, round_) + step * (2 * decision + seat + 1) & MIX)
        assert uniform(seed, game, round_, seat, decision) == (bits >> 11) / 2**53
        assert starter(seed, game) == key_of(seed, 2, game // 2, 0) >> 63
        cards, key = list(range(52)), key_of(seed, 1, game // 2, round_)
        for left in range(52, 1, -1):
            if left % 2 == 0:
                key = key + step & MIX
            word = mixed(key) >> (0 if left % 2 == 0 else 32) & 0xFFFFFFFF
            place = word * left >> 32
            cards[place], cards[left - 1] = cards[left - 1], cards[place]
        assert deck(seed, game, round_) == cards


DECKS = {
    (0, 0, 0): (
        "44 40 4 32 1 38 27 13 25 8 18 50 3 37 28 20 0 49 14 22 17 51 10 7 21 24 39 30 "
        "26 5 36 16 48 33 43 15 45 11 42 41 29 35 12 9 46 19 31 47 2 23 6 34"
    ),
    (1, 0, 0): (
        "22 35 38 13 4 24 33 10 37 6 11 34 43 20 29 47 12 50 48 31 23 2 7 46 9 1 32 15 "
        "5 42 3 18 49 0 28 21 17 51 8 16 36 41 26 40 25 14 39 27 19 30 45 44"
    ),
    (1, 0, 1): (
        "50 27 19 7 24 31 43 5 45 37 42 25 12 8 0 17 46 40 2 26 48 14 28 1 29 10 38 34 "
        "36 35 18 49 30 4 6 11 9 47 44 20 3 23 16 33 51 21 39 22 15 41 13 32"
    ),
    (1, 2, 0): (
        "50 13 41 43 26 39 6 16 0 1 35 36 24 15 49 34 38 48 20 19 25 7 11 44 47 21 14 "
        "23 22 51 29 27 42 5 17 4 40 28 45 18 10 12 30 32 9 8 31 46 3 2 37 33"
    ),
    (2021, 999, 7): (
        "19 11 17 5 8 32 46 28 7 21 12 15 49 40 30 41 33 39 45 16 25 24 27 22 6 38 0 "
        "42 29 35 10 23 47 20 14 48 36 4 3 44 50 31 1 26 18 51 2 43 9 37 34 13"
    ),
    (MAX_SEED, 123456789, 42): (
        "38 49 30 32 4 47 11 28 6 35 1 39 40 33 0 5 21 15 23 31 10 16 13 18 8 43 9 17 "
        "46 12 45 48 44 20 3 50 41 51 42 34 25 26 29 27 19 14 2 7 22 24 37 36"
    ),
}
UNIFORMS = {
    (0, 0, 0, 0, 0): 0.9609541258165661,
    (1, 0, 0, 0, 0): 0.7241222443707972,
    (1, 0, 0, 1, 0): 0.9075980754931952,
    (1, 0, 0, 0, 1): 0.08788090700235052,
    (1, 1, 0, 0, 0): 0.32175628640288045,
    (1, 0, 1, 0, 0): 0.9419491167308641,
    (2021, 999, 7, 1, 33): 0.05499815749222725,
}


@pytest.mark.parametrize("key", DECKS)
def test_decks_are_what_they_always_were(key: tuple[int, int, int]) -> None:
    assert " ".join(map(str, deck(*key))) == DECKS[key]


@pytest.mark.parametrize("key", UNIFORMS)
def test_uniform_numbers_are_what_they_always_were(key: tuple[int, int, int, int, int]) -> None:
    assert uniform(*key) == UNIFORMS[key]


def test_starters_are_what_they_always_were() -> None:
    assert (
        "".join(str(starter(1, 2 * pair)) for pair in range(40)) == "0011100111110111001100101011011001101000"
    )
