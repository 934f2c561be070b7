"""How good a belief about the opponent's hand is: the papers' metrics and the usual proper ones, in batches.

A belief is [N, 52] float32 and a truth is [N] int64 masks of the opponent's ten cards; each metric gives [N].

Sources: Francis, Just and Neller, "Opponent Hand Estimation in the Game of Gin Rummy" (EAAI 2021), for mean
squared difference, probabilistic integrity loss, minimum top largest, top n and drift area; Nguyen, Doan and
Neller, "A Deterministic Neural Network Approach to Playing Gin Rummy" (EAAI 2021), Equations 4 to 7, for
categorical and binary accuracy; Nagai, Shrivastava, Ta, Byers and Bogaerts, "A Highly-Parameterized Ensemble
To Play Gin Rummy" (2020), for the overlap. Log loss, Brier score, calibration and the area under the curve
are ours.

Where the first paper and its program differ: the paper's drift area adds (11 - i)(i - k), which can fall
below zero, so (11 - k)(i - k) is meant, as in the program. The program's mean squared difference is the root
of the sum, divided by 52 (``program_difference``). Its minimum top largest is -1 where all 52 cards are
needed, here it is 52.

Ties. Minimum top largest, top n and drift area need the cards in falling order of belief. Of equal beliefs
the higher card comes first, as in the program; this favours suits and ranks, and a belief with many equal
cards should be scored with a ``seed``: the order of equals is then drawn from the seed and the truth, and so
is the same however the rows are batched.

Metrics with ``known`` leave out the cards of those masks (own hand, pile, cards seen taken): what is known
needs no estimate. The paper scores all 52.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ginrummy._jit import count, kernel, lowest
from ginrummy.cards import CARDS, DECK
from ginrummy.decks import choice_key, key_uniform
from ginrummy.errors import BadInput
from ginrummy.rules import HAND_SIZE

Beliefs = npt.NDArray[np.float32]
Masks = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]

CLIP = 1e-6
"""By default the log loss takes no belief below this, or above one less this."""


@kernel
def _squares(belief, truth, known, out):
    for n in range(belief.shape[0]):
        total = 0.0
        for card in range(CARDS):
            gap = belief[n, card] - np.float64(truth[n] >> card & 1)
            total += 0.0 if known[n] >> card & 1 else gap * gap
        out[n] = total


@kernel
def _sums(belief, out):
    for n in range(belief.shape[0]):
        total = 0.0
        for card in range(CARDS):
            total += np.float64(belief[n, card])
        out[n] = total


@kernel
def _distances(belief, truth, out):
    for n in range(belief.shape[0]):
        total = 0.0
        for card in range(CARDS):
            total += abs(belief[n, card] - np.float64(truth[n] >> card & 1))
        out[n] = total


@kernel
def _right_sides(belief, truth, out):
    for n in range(belief.shape[0]):
        right = 0
        for card in range(CARDS):
            right += (belief[n, card] >= 0.5) == (truth[n] >> card & 1 == 1)
        out[n] = right / CARDS


@kernel
def _log_losses(belief, truth, known, clip, out):
    """Sum of -ln of what was given to each card's truth: one logarithm of a product for each suit."""
    for n in range(belief.shape[0]):
        total = 0.0
        for suit in range(4):
            product = 1.0
            for card in range(13 * suit, 13 * suit + 13):
                p = min(max(np.float64(belief[n, card]), clip), 1.0 - clip)
                given = p if truth[n] >> card & 1 else 1.0 - p
                product *= 1.0 if known[n] >> card & 1 else given
            total -= np.log(product)
        out[n] = total


@kernel
def _places(belief, truth, seed, order, out):
    """Write the places of the true cards, rising. ``order`` [52] is scratch: it decides between equals."""
    for card in range(CARDS):
        order[card] = card
    for n in range(belief.shape[0]):
        if seed >= 0:
            key = choice_key(seed, truth[n], 0)
            for card in range(CARDS):
                order[card] = key_uniform(key, 0, card)
        row = belief[n]
        left = truth[n]
        for k in range(out.shape[1]):
            held = lowest(left)
            left &= left - 1
            own = row[held]
            above = 0
            equal = 0
            for card in range(CARDS):
                above += row[card] > own
                equal += row[card] == own
            if equal > 1:
                for card in range(CARDS):
                    above += row[card] == own and order[card] > order[held]
            place = k
            while place > 0 and out[n, place - 1] > above + 1:
                out[n, place] = out[n, place - 1]
                place -= 1
            out[n, place] = above + 1


@kernel
def _drifts(places, out):
    for n in range(places.shape[0]):
        area = np.int64(0)
        for k in range(1, places.shape[1] + 1):
            area += (HAND_SIZE + 1 - k) * (np.int64(places[n, k - 1]) - k)
        out[n] = area


@kernel
def _overlaps(belief, truth, known, extra, out):
    for n in range(belief.shape[0]):
        row = belief[n]
        free = ~known[n] & DECK
        held = truth[n] & free
        size = count(held)
        picked = size + extra
        found = 0.0
        left = held
        while left != 0:
            card = lowest(left)
            left &= left - 1
            above = equal = 0
            others = free
            while others != 0:
                other = lowest(others)
                others &= others - 1
                above += row[other] > row[card]
                equal += row[other] == row[card]
            found += min(1.0, max(0.0, (picked - above) / equal))
        out[n] = found / size if size > 0 else 1.0


@kernel
def _bin_of(p, bins):
    """The bin of a belief; what lies outside 0 to 1 goes to the end bins."""
    return min(int(min(max(p, 0.0), 1.0) * bins), bins - 1)


@kernel
def _histogram(belief, truth, known, counts, sums):
    bins = counts.shape[1]
    for n in range(belief.shape[0]):
        for card in range(CARDS):
            if known[n] >> card & 1 == 0:
                p = np.float64(belief[n, card])
                place = _bin_of(p, bins)
                counts[truth[n] >> card & 1, place] += 1
                sums[place] += p


def _beliefs(belief: Beliefs) -> Beliefs:
    """Beliefs as the kernels take them; wrong shapes and values are errors."""
    beliefs = np.ascontiguousarray(belief, np.float32)
    if beliefs.ndim != 2 or beliefs.shape[1] != CARDS:
        raise BadInput(f"expected beliefs of shape [N, {CARDS}], got {beliefs.shape}")
    if not np.isfinite(beliefs).all():
        raise BadInput("a belief is not a finite number")
    return beliefs


def _checked(belief: Beliefs, truth: Masks) -> tuple[Beliefs, Masks]:
    """Beliefs and truths as the kernels take them."""
    beliefs = _beliefs(belief)
    truths = np.ascontiguousarray(truth, np.int64)
    if truths.shape != beliefs.shape[:1]:
        raise BadInput(f"expected {len(beliefs)} truths, got an array of shape {truths.shape}")
    if ((truths >> CARDS) != 0).any() or (np.bitwise_count(truths) != HAND_SIZE).any():
        raise BadInput(f"a truth is not a hand of {HAND_SIZE} cards")
    return beliefs, truths


def _known(known: Masks | None, rows: int) -> Masks:
    masks = np.zeros(rows, np.int64) if known is None else np.ascontiguousarray(known, np.int64)
    if masks.shape != (rows,) or ((masks >> CARDS) != 0).any():
        raise BadInput(f"expected {rows} masks of known cards")
    return masks


def mean_squared_difference(belief: Beliefs, truth: Masks, known: Masks | None = None) -> Floats:
    """Mean of the squared difference over the cards that are not known: the Brier score of a card."""
    masks = _known(known, len(belief))
    return _sum_of_squares(belief, truth, masks) / _unknown(masks)


def program_difference(belief: Beliefs, truth: Masks) -> Floats:
    """The mean squared difference of the first paper's program: the root of the sum over all cards, by 52."""
    return np.sqrt(_sum_of_squares(belief, truth, _known(None, len(belief)))) / CARDS


def _sum_of_squares(belief: Beliefs, truth: Masks, known: Masks) -> Floats:
    beliefs, truths = _checked(belief, truth)
    out = np.empty(len(truths))
    _squares(beliefs, truths, known, out)
    return out


def integrity_loss(belief: Beliefs) -> Floats:
    """How far the beliefs' sum is from ten cards, as a share of ten: 0.1 is the paper's ten per cent."""
    beliefs = _beliefs(belief)
    out = np.empty(len(beliefs))
    _sums(beliefs, out)
    return np.abs(out - HAND_SIZE) / HAND_SIZE


def places(belief: Beliefs, truth: Masks, seed: int | None = None) -> Counts:
    """Where the ten true cards stand in falling order of belief. [N, 10] int64, rising, from 1 to 52."""
    beliefs, truths = _checked(belief, truth)
    if seed is not None and seed < 0:
        raise BadInput(f"the seed must not be negative, got {seed}")
    out = np.empty((len(truths), HAND_SIZE), np.int64)
    _places(beliefs, truths, np.int64(-1 if seed is None else seed), np.empty(CARDS), out)
    return out


def minimum_top_largest(standing: Counts) -> Counts:
    """How many of the most probable cards include all ten true ones, from ``places``: 10 to 52."""
    return standing[:, -1].copy()


def top_n(standing: Counts) -> Counts:
    """How many of the ten most probable cards are true, from ``places``."""
    hits: Counts = (standing <= HAND_SIZE).sum(axis=1, dtype=np.int64)
    return hits


def drift_area(standing: Counts) -> Counts:
    """Sum over k of (11 - k)(i - k), where the k-th true card stands at place i: 0 at best, 2310 at worst."""
    out = np.empty(len(standing), np.int64)
    _drifts(np.ascontiguousarray(standing), out)
    return out


def overlap(belief: Beliefs, truth: Masks, known: Masks, extra: int = 0) -> Floats:
    """Share of the opponent's unknown cards among as many, and ``extra`` more, of the most probable ones.

    Only unknown cards are ranked. Of equal beliefs each is picked with the same chance: the share is the
    expected one. 1 where every card of the hand is known.
    """
    beliefs, truths = _checked(belief, truth)
    if extra < 0:
        raise BadInput(f"the number of extra cards must not be negative, got {extra}")
    out = np.empty(len(truths))
    _overlaps(beliefs, truths, _known(known, len(truths)), extra, out)
    return out


def categorical_accuracy(belief: Beliefs, truth: Masks) -> Floats:
    """One less the mean distance between belief and truth (Equations 4 and 5). All zeros gives 42/52."""
    beliefs, truths = _checked(belief, truth)
    out = np.empty(len(truths))
    _distances(beliefs, truths, out)
    return 1 - out / CARDS


def binary_accuracy(belief: Beliefs, truth: Masks) -> Floats:
    """Share of cards on the right side of a half; a half counts as held (Equations 6 and 7)."""
    beliefs, truths = _checked(belief, truth)
    out = np.empty(len(truths))
    _right_sides(beliefs, truths, out)
    return out


def log_loss(belief: Beliefs, truth: Masks, known: Masks | None = None, *, clip: float = CLIP) -> Floats:
    """Mean of -ln of what the belief gave to the truth of each card that is not known.

    Beliefs are kept ``clip`` away from 0 and 1.
    """
    beliefs, truths = _checked(belief, truth)
    masks = _known(known, len(truths))
    out = np.empty(len(truths))
    _log_losses(beliefs, truths, masks, clip, out)
    return out / _unknown(masks)


def _unknown(known: Masks) -> Counts:
    """How many cards are not known; 1 where all are, so that a mean over no card is 0."""
    free: Counts = np.maximum(CARDS - np.bitwise_count(known), 1)
    return free


class Histogram(NamedTuple):
    """How many cards had which belief. Histograms of different batches add up field by field."""

    cards: Counts
    """[2, bins] cards not held, cards held, by belief from 0 to 1 in equal bins."""
    total: Floats
    """[bins] sum of the beliefs in each bin."""


def histogram(belief: Beliefs, truth: Masks, known: Masks | None = None, *, bins: int = 1024) -> Histogram:
    """Count the cards that are not known by belief and truth: for ``auc``; with few bins ``calibration``."""
    beliefs, truths = _checked(belief, truth)
    if bins < 1:
        raise BadInput(f"expected one bin or more, got {bins}")
    counts, sums = np.zeros((2, bins), np.int64), np.zeros(bins)
    _histogram(beliefs, truths, _known(known, len(truths)), counts, sums)
    return Histogram(counts, sums)


class Calibration(NamedTuple):
    """What was believed and what was true, bin by bin; NaN where a bin is empty."""

    cards: Counts
    """[bins] how many cards."""
    believed: Floats
    """[bins] their mean belief."""
    held: Floats
    """[bins] share of them that the opponent held."""
    error: float
    """Expected calibration error: mean distance of ``believed`` and ``held``, weighted by cards."""


def calibration(found: Histogram) -> Calibration:
    """Compare beliefs with outcomes, bin by bin. Twenty bins or so make a readable table."""
    cards: Counts = found.cards.sum(axis=0)
    with np.errstate(invalid="ignore"):
        believed, held = found.total / cards, found.cards[1] / cards
    full = cards > 0
    error = np.abs(believed[full] - held[full]) @ cards[full] / max(int(cards.sum()), 1)
    return Calibration(cards, believed, held, float(error))


def auc(cards: Counts) -> float:
    """Chance that a held card had a greater belief than one not held, from the ``cards`` of a histogram.

    Beliefs of one bin count as equal, and equal beliefs count half. NaN when all cards, or none, were held.
    """
    absent, held = cards.astype(np.float64)
    below = np.cumsum(absent) - absent
    pairs = absent.sum() * held.sum()
    return float(held @ (below + absent / 2) / pairs) if pairs else float("nan")
