"""Metrics of beliefs: cases computed by hand, slow twins, ties, and bad input."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from ginrummy import decks
from ginrummy.cards import mask_of
from ginrummy.errors import BadInput
from ginrummy.judging.metrics import (
    CLIP,
    Histogram,
    auc,
    binary_accuracy,
    calibration,
    categorical_accuracy,
    drift_area,
    histogram,
    integrity_loss,
    log_loss,
    mean_squared_difference,
    minimum_top_largest,
    overlap,
    places,
    program_difference,
    top_n,
)
from ginrummy.judging.scores import PAPER

LOW = np.array([mask_of(range(10))])


def all_metrics(
    belief: np.ndarray, truth: np.ndarray, known: np.ndarray | None = None
) -> dict[str, np.ndarray]:
    """Every metric that has a value for each row, by name."""
    plain = (mean_squared_difference, program_difference, categorical_accuracy, binary_accuracy)
    standing = places(belief, truth)
    found = {way.__name__: way(belief, truth) for way in plain} | {"integrity_loss": integrity_loss(belief)}
    found |= {way.__name__: way(standing) for way in (minimum_top_largest, top_n, drift_area)}
    return found | {
        "brier": mean_squared_difference(belief, truth, known),
        "log_loss": log_loss(belief, truth, known),
    }


def row(values: dict[int, float]) -> np.ndarray:
    belief = np.zeros((1, 52), np.float32)
    for card, value in values.items():
        belief[0, card] = value
    return belief


NEARLY = row(dict.fromkeys(range(9), 0.9) | {10: 0.5, 9: 0.25})
"""Nine of cards 0 to 9 at 0.9; the tenth at 0.25, below a wrong card at 0.5."""


def test_a_case_by_hand() -> None:
    """Squares 9 x 0.01 + 0.5625 + 0.25 = 0.9025; sum 8.85; the last true card stands at place 11."""
    assert mean_squared_difference(NEARLY, LOW) == pytest.approx(0.9025 / 52)
    assert program_difference(NEARLY, LOW) == pytest.approx(0.95 / 52)
    assert integrity_loss(NEARLY) == pytest.approx(0.115)
    assert places(NEARLY, LOW).tolist() == [[*range(1, 10), 11]]
    assert minimum_top_largest(places(NEARLY, LOW)) == 11
    assert top_n(places(NEARLY, LOW)) == 9
    assert drift_area(places(NEARLY, LOW)) == 1
    assert categorical_accuracy(NEARLY, LOW) == pytest.approx(1 - 2.15 / 52)
    assert binary_accuracy(NEARLY, LOW) == 50 / 52  # a half counts as held
    assert mean_squared_difference(NEARLY, LOW) == pytest.approx(0.9025 / 52)
    expected = -(9 * math.log(0.9) + math.log(0.5) + math.log(0.25) + 41 * math.log(1 - CLIP)) / 52
    assert log_loss(NEARLY, LOW) == pytest.approx(expected)


@pytest.mark.parametrize("clip", [1e-6, 1e-7, 0.1])
def test_the_log_loss_is_clipped_where_it_is_told(clip: float) -> None:
    expected = -(9 * math.log(0.9) + math.log(0.5) + math.log(0.25) + 41 * math.log(1 - clip)) / 52
    assert log_loss(NEARLY, LOW, clip=clip) == pytest.approx(expected)


def test_known_cards_are_left_out() -> None:
    known = np.array([mask_of([*range(8), *range(20, 40)])])
    assert mean_squared_difference(NEARLY, LOW, known) == pytest.approx((0.9025 - 0.08) / 24)
    expected = -(math.log(0.9) + math.log(0.5) + math.log(0.25) + 21 * math.log(1 - CLIP)) / 24
    assert log_loss(NEARLY, LOW, known) == pytest.approx(expected)
    assert histogram(NEARLY, LOW, known, bins=4).cards.tolist() == [[21, 0, 1, 0], [0, 1, 0, 1]]
    everything = np.array([(1 << 52) - 1])
    assert log_loss(NEARLY, LOW, everything) == mean_squared_difference(NEARLY, LOW, everything) == 0


@pytest.mark.parametrize(
    ("belief", "largest", "hits", "drift"),
    [
        (row({card: 1 - card / 100 for card in range(10)}), 10, 10, 0),
        (row({51: 0.9} | {card: 0.5 - card / 100 for card in range(10)}), 11, 9, 55),
        (row({card: 0.3 + card / 100 for card in range(52)}), 52, 0, 42 * 55),
        (row({0: 0.9, 20: 0.8, 21: 0.7} | {card: 0.6 - card / 100 for card in range(1, 10)}), 12, 8, 2 * 45),
    ],
)
def test_rank_metrics_by_hand(belief: np.ndarray, largest: int, hits: int, drift: int) -> None:
    """Places 1…10; all one late; 43…52; the first right and then two wrong."""
    assert minimum_top_largest(places(belief, LOW)) == largest
    assert top_n(places(belief, LOW)) == hits
    assert drift_area(places(belief, LOW)) == drift


def test_the_drift_area_as_printed_would_fall_below_zero() -> None:
    """The paper prints (11 - i)(i - k) where (11 - k)(i - k) is meant: an error late in the list would be a gain."""
    worst = row({card: 0.3 + card / 100 for card in range(52)})
    standing = places(worst, LOW)[0].tolist()
    assert sum((11 - i) * (i - k) for k, i in enumerate(standing, 1)) < 0
    assert drift_area(places(worst, LOW)) == sum((11 - k) * (i - k) for k, i in enumerate(standing, 1))


def test_null_and_perfect_beliefs() -> None:
    """All zeros has 80.77 % of S0's both accuracies: they reward to expect nothing."""
    nothing, perfect = np.zeros((1, 52), np.float32), row(dict.fromkeys(range(10), 1.0))
    assert (
        categorical_accuracy(nothing, LOW) == binary_accuracy(nothing, LOW) == pytest.approx(0.8077, abs=5e-5)
    )
    assert integrity_loss(nothing) == 1
    assert log_loss(nothing, LOW) == pytest.approx(-10 * math.log(CLIP) / 52, rel=1e-5)
    found = {name: float(values[0]) for name, values in all_metrics(perfect, LOW).items()}
    assert found.pop("log_loss") == pytest.approx(CLIP, rel=1e-3)
    assert found == {
        "mean_squared_difference": 0,
        "program_difference": 0,
        "integrity_loss": 0,
        "minimum_top_largest": 10,
        "top_n": 10,
        "drift_area": 0,
        "categorical_accuracy": 1,
        "binary_accuracy": 1,
        "brier": 0,
    }


# -- slow twins ----------------------------------------------------------------------------------------------


def samples(rows: int, seed: int, levels: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Beliefs (of a few levels, for ties, or of many), hands, and known cards."""
    rng = random.Random(seed)
    belief = np.array(
        [
            [rng.randrange(levels) / levels if levels else rng.random() for _ in range(52)]
            for _ in range(rows)
        ],
        np.float32,
    )
    truth = np.array([mask_of(rng.sample(range(52), 10)) for _ in range(rows)], np.int64)
    known = np.array([mask_of(rng.sample(range(52), rng.randrange(40))) for _ in range(rows)], np.int64)
    return belief, truth, known


def standings(belief: list[float], truth: int, seed: int | None) -> list[int]:
    """Places of the true cards, by sorting all 52."""

    def key(card: int) -> tuple[float, float]:
        return belief[card], card if seed is None else decks.uniform(seed, truth, 0, 0, card)

    order = sorted(range(52), key=key, reverse=True)
    return [place for place, card in enumerate(order, 1) if truth >> card & 1]


def drift(belief: list[float], truth: int, seed: int | None) -> int:
    """The paper's own loop, with its slip corrected."""
    inside = set(standings(belief, truth, seed))
    i = d = 0
    for k in range(1, 11):
        while len([place for place in inside if place <= i]) < k:
            i += 1
        d += (11 - k) * (i - k)
    return d


@pytest.mark.parametrize(("levels", "seed"), [(0, None), (5, None), (1, None), (5, 3), (1, 4)])
def test_rank_metrics_against_twins(levels: int, seed: int | None) -> None:
    belief, truth, _ = samples(200, 1, levels)
    rows = [(one.tolist(), int(hand)) for one, hand in zip(belief, truth, strict=True)]
    with np.errstate(over="ignore"):
        expected = [standings(*one, seed) for one in rows]
        drifts = [drift(*one, seed) for one in rows]
        assert places(belief, truth, seed).tolist() == expected
        assert minimum_top_largest(places(belief, truth, seed)).tolist() == [max(one) for one in expected]
        assert top_n(places(belief, truth, seed)).tolist() == [sum(p <= 10 for p in one) for one in expected]
        assert drift_area(places(belief, truth, seed)).tolist() == drifts


def test_card_metrics_against_twins() -> None:
    belief, truth, known = samples(200, 2)
    belief[:20] = np.round(belief[:20])  # certain beliefs, many of them wrong
    belief[20:30] *= 3  # not all within 0 and 1, as a raw output may be
    found = all_metrics(belief, truth, known)
    assert set(PAPER) < set(found)
    for n in range(len(truth)):
        p = belief[n].tolist()
        t = [int(truth[n]) >> card & 1 for card in range(52)]
        free = [card for card in range(52) if not int(known[n]) >> card & 1]
        clipped = [min(max(x, CLIP), 1 - CLIP) for x in p]
        losses = [-math.log(clipped[card] if t[card] else 1 - clipped[card]) for card in free]
        squares = [(p[card] - t[card]) ** 2 for card in range(52)]
        expected = {
            "mean_squared_difference": sum(squares) / 52,
            "integrity_loss": abs(sum(p) - 10) / 10,
            "categorical_accuracy": sum(1 - abs(t[card] - p[card]) for card in range(52)) / 52,
            "binary_accuracy": sum(1 - abs((p[card] >= 0.5) - t[card]) for card in range(52)) / 52,
            "brier": sum(squares[card] for card in free) / len(free),
            "log_loss": sum(losses) / len(free),
        }
        for name, value in expected.items():
            assert found[name][n] == pytest.approx(value, rel=1e-9, abs=1e-12), name
    root = found["program_difference"]
    assert root == pytest.approx(np.sqrt(52 * found["mean_squared_difference"]) / 52)


# -- ties ----------------------------------------------------------------------------------------------------


def test_of_equal_beliefs_the_higher_card_comes_first() -> None:
    flat = np.full((2, 52), 0.25, np.float32)
    ends = np.array([mask_of(range(10)), mask_of(range(42, 52))])
    assert places(flat, ends).tolist() == [list(range(43, 53)), list(range(1, 11))]


def test_a_seed_orders_equals_by_chance_whatever_the_batch() -> None:
    flat = np.full((3000, 52), 0.25, np.float32)
    _, truth, _ = samples(3000, 6)
    with np.errstate(over="ignore"):
        hits = top_n(places(flat, truth, seed=1))
        assert hits.mean() == pytest.approx(100 / 52, abs=4 * 1.1 / math.sqrt(3000))
        assert (places(flat, truth, seed=1)[700:710] == places(flat[:10], truth[700:710], seed=1)).all()
        assert (places(flat, truth, seed=1) != places(flat, truth, seed=2)).any(axis=1).mean() > 0.99
        lows = minimum_top_largest(places(flat[:300], np.repeat(LOW, 300), seed=1))
    assert len(set(lows.tolist())) == 1  # the same truth, the same order


def test_a_seed_changes_nothing_where_there_are_no_ties() -> None:
    belief, truth, _ = samples(50, 8)
    with np.errstate(over="ignore"):
        assert (places(belief, truth, seed=1) == places(belief, truth)).all()


# -- histograms ----------------------------------------------------------------------------------------------


def test_calibration_by_hand() -> None:
    """Ten cards at 0.75, of which nine held; one held at 0.25 with three that are not; 38 at nothing."""
    belief = row(dict.fromkeys(range(9), 0.75) | {10: 0.75, 9: 0.25, 11: 0.25, 12: 0.25, 13: 0.25})
    found = calibration(histogram(belief, LOW, bins=2))
    assert found.cards.tolist() == [42, 10]
    assert found.believed.tolist() == [1 / 42, 0.75]
    assert found.held.tolist() == [1 / 42, 0.9]
    assert found.error == pytest.approx(0.15 * 10 / 52)
    fine = calibration(histogram(belief, LOW, bins=20))
    assert fine.cards[5] == 4
    assert fine.held[5] == 0.25
    assert np.isnan(fine.held[10])
    assert fine.error == pytest.approx(0.15 * 10 / 52)


def test_beliefs_at_and_beyond_the_ends_go_to_the_end_bins() -> None:
    found = histogram(row({0: 1.0, 1: 7.5, 2: -3.0, 3: 1e30}), LOW, bins=10)
    assert found.cards[1].tolist() == [7, 0, 0, 0, 0, 0, 0, 0, 0, 3]
    assert found.cards[0].tolist() == [42] + [0] * 9


def test_auc_against_all_pairs() -> None:
    belief, truth, known = samples(40, 9, levels=64)
    belief = (belief + (truth[:, None] >> np.arange(52) & 1) / 8).astype(np.float32)
    free = known[:, None] >> np.arange(52) & 1 == 0
    held = truth[:, None] >> np.arange(52) & 1 == 1
    yes, no = belief[free & held], belief[free & ~held]
    pairs = (yes[:, None] > no).mean() + (yes[:, None] == no).mean() / 2
    assert auc(histogram(belief, truth, known, bins=1024).cards) == pytest.approx(pairs, abs=1e-12)
    assert 0.6 < pairs < 0.7
    assert auc(histogram(row(dict.fromkeys(range(10), 1.0)), LOW).cards) == 1
    assert auc(histogram(np.zeros((1, 52), np.float32), LOW).cards) == 0.5
    assert math.isnan(auc(histogram(NEARLY, LOW, LOW).cards))


def test_histograms_add_up() -> None:
    belief, truth, known = samples(30, 10)
    whole = histogram(belief, truth, known, bins=8)
    parts = [histogram(belief[a:b], truth[a:b], known[a:b], bins=8) for a, b in ((0, 11), (11, 30))]
    total = Histogram(*(first + second for first, second in zip(*parts, strict=True)))
    assert (total.cards == whole.cards).all()
    assert total.total == pytest.approx(whole.total)


# -- bad input -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("belief", "truth", "message"),
    [
        (np.zeros((1, 51)), LOW, r"expected beliefs of shape \[N, 52\]"),
        (np.zeros(52), LOW, r"expected beliefs of shape \[N, 52\]"),
        (np.zeros((2, 52)), LOW, "expected 2 truths"),
        (row({3: math.nan}), LOW, "not a finite number"),
        (NEARLY, np.array([mask_of(range(11))]), "not a hand of 10 cards"),
        (NEARLY, np.array([-1]), "not a hand of 10 cards"),
    ],
)
def test_bad_beliefs_and_truths(belief: np.ndarray, truth: np.ndarray, message: str) -> None:
    for metric in (
        mean_squared_difference,
        places,
        binary_accuracy,
        categorical_accuracy,
        log_loss,
        histogram,
    ):
        with pytest.raises(ValueError, match=message):
            metric(belief, truth)


def test_bad_masks_seeds_and_bins() -> None:
    with pytest.raises(ValueError, match="masks of known cards"):
        mean_squared_difference(NEARLY, LOW, np.zeros(2, np.int64))
    with pytest.raises(ValueError, match="masks of known cards"):
        log_loss(NEARLY, LOW, np.array([1 << 52]))
    with pytest.raises(ValueError, match="must not be negative"):
        places(NEARLY, LOW, seed=-1)
    with pytest.raises(ValueError, match="one bin or more"):
        histogram(NEARLY, LOW, bins=0)
    with pytest.raises(ValueError, match="expected beliefs"):
        integrity_loss(np.zeros((1, 51), np.float32))


def test_no_rows() -> None:
    none = np.zeros((0, 52), np.float32)
    assert {len(values) for values in all_metrics(none, np.zeros(0, np.int64)).values()} == {0}


def test_the_overlap_by_hand() -> None:
    """Cards 0 to 9 are held. Nine are found among the first ten, the tenth is the next one."""
    nobody = np.zeros(1, np.int64)
    assert overlap(NEARLY, LOW, nobody) == pytest.approx(0.9)
    assert overlap(NEARLY, LOW, nobody, 1) == 1
    known = np.array([mask_of([0, 1, 10, 11])])  # eight unknown cards are held, and none stands before them
    assert overlap(NEARLY, LOW, known) == 1
    assert overlap(NEARLY, LOW, np.array([mask_of(range(10))])) == 1
    equal = np.full((1, 52), 0.2, np.float32)
    assert overlap(equal, LOW, known) == pytest.approx(8 / 48)
    assert overlap(equal, LOW, known, 3) == pytest.approx(11 / 48)
    with pytest.raises(BadInput, match="extra"):
        overlap(equal, LOW, known, -1)


def test_the_overlap_is_what_picking_at_random_among_equals_gives() -> None:
    rng = random.Random(3)
    for extra in (0, 3):
        deck = rng.sample(range(52), 52)
        truth, known = deck[:10], deck[8:30]
        belief = np.array([[rng.randrange(4) / 4 for _ in range(52)]], np.float32)
        free = [card for card in range(52) if card not in known]
        hits = 0
        for _ in range(4000):
            order = sorted(free, key=lambda card: (-belief[0, card], rng.random()))
            hits += len(set(order[: 8 + extra]) & set(truth))
        found = overlap(belief, np.array([mask_of(truth)]), np.array([mask_of(known)]), extra)
        assert found == pytest.approx(hits / 4000 / 8, abs=0.02)
