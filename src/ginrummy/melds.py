"""Melds, least deadwood, best meld sets and layoffs, for Python code: every argument is checked.

    deadwood(parse_hand("AC 2C 3C KH"))         # 10
    best_meld_sets(parse_hand("AC 2C 3C KH"))   # [(the mask of AC 2C 3C,)]

Masks are plain numbers, in and out. An argument that is not a mask of cards, a hand or a meld raises
``BadInput``. Kernels call ``ginrummy.meld_kernels``, which has the same functions under the same names
without checks, and documents how they work and the order of melds.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ginrummy import meld_kernels as kernels
from ginrummy.cards import DECK, Mask, as_card, as_mask, cards_of, hand_text
from ginrummy.errors import BadInput
from ginrummy.meld_kernels import MAX_CARDS, MAX_HELD, MAX_MELDS

__all__ = [
    "MAX_CARDS", "MAX_HELD", "MAX_MELDS", "Defence", "all_melds", "best_discards", "best_meld_sets",
    "deadwood", "deadwoods", "defend", "defend_optimally", "extensions", "is_meld", "meld_row", "melds_with",
    "points",
]  # fmt: skip

Int64s = npt.NDArray[np.int64]
ALL_MELDS = 329
"""Melds within the whole deck."""


def points(mask: int) -> int:
    """Points of all cards in a mask."""
    return int(kernels.points(as_mask(mask)))


def deadwood(hand: int) -> int:
    """Least deadwood of a hand, over all ways to meld it."""
    return int(kernels.deadwood(_as_hand(hand)))


def deadwoods(hands: npt.ArrayLike) -> Int64s:
    """Least deadwood of many hands at once. [N] integer masks -> [N] int64 points."""
    given = np.asarray(hands)
    if given.dtype.kind not in "iu" and given.size:
        raise BadInput(f"expected hands as masks, got numbers of type {given.dtype}")
    masks = np.ascontiguousarray(given, dtype=np.int64)
    wrong = kernels.first_wrong_hand(masks.ravel())
    if wrong >= 0:
        _as_hand(int(given.ravel()[wrong]))  # raises an error that says what is wrong
    out = np.empty(masks.shape, dtype=np.int64)
    kernels.deadwood_many(masks.ravel(), out.ravel())
    return out


def best_discards(hand: int) -> tuple[int, Mask]:
    """Least deadwood after one discard, and the mask of all discards that leave it."""
    mask = _as_hand(hand)
    if not mask:
        raise BadInput("expected a hand with a card to discard, got an empty one")
    least, cards = kernels.best_discards(mask)
    return int(least), Mask(int(cards))


def melds_with(hand: int, card: int) -> bool:
    """Whether some meld within the hand contains the card, useful or not. The hand must hold the card."""
    mask, held = as_mask(hand), as_card(card)
    if not mask >> held & 1:
        raise BadInput(f"expected a card of the hand {hand_text(mask)}, got card {held}")
    return bool(kernels.melds_with(mask, held))


def is_meld(mask: int) -> bool:
    """Whether the cards of a mask are one meld."""
    return bool(kernels.is_meld(as_mask(mask)))


def extensions(meld: int) -> Mask:
    """The cards that can be laid off on a meld: the ends of a run, the fourth card of a set."""
    return Mask(int(kernels.extensions(_as_meld(meld))))


def best_meld_sets(hand: int) -> list[tuple[Mask, ...]]:
    """Every meld set of least deadwood, in the documented order; an empty list without melds."""
    mask = np.int64(_as_hand(hand))
    held, index = np.empty(MAX_HELD, np.int64), np.empty(MAX_MELDS, np.int64)
    none = np.zeros((0, MAX_MELDS), np.int64)
    sets = np.zeros((kernels.find_best_sets(mask, 0, held, index, none), MAX_MELDS), np.int64)
    kernels.find_best_sets(mask, 0, held, index, sets)
    return [tuple(Mask(int(meld)) for meld in row if meld) for row in sets]


def all_melds(hand: int = DECK) -> list[Mask]:
    """Every meld within a mask (the whole deck has 329), in the documented order."""
    held = np.empty(ALL_MELDS, np.int64)
    found = kernels.held_melds(np.int64(as_mask(hand)), held)
    return [Mask(int(meld)) for meld in held[:found]]


class Defence(NamedTuple):
    """A defender's hand after a knock: melds, layoffs and the deadwood left."""

    melds: tuple[Mask, ...]
    """The defender's own melds."""
    layoffs: tuple[tuple[int, int], ...]
    """(card, place of the knocker's meld that it went on), in the order laid."""
    deadwood: int


def defend(hand: int, declared: Sequence[int], knocker: Sequence[int]) -> Defence:
    """Lay off first-fit from a defender's declared melds, as the challenge program does."""
    mask, own, melds = _as_hand(hand), meld_row(declared), meld_row(knocker)
    fault = kernels.SPREAD_FAULTS[kernels.spread_fault(mask, own)]
    if fault:
        raise BadInput(f"expected disjoint melds of the hand {hand_text(mask)}, but {fault}")
    loose = mask & ~sum(declared)
    laid = int(kernels.first_fit_layoff(loose, melds.copy()))
    return Defence(tuple(map(Mask, declared)), _layoff_order(laid, melds), points(loose & ~laid))


def defend_optimally(hand: int, knocker: Sequence[int], chain: int = 0) -> Defence:
    """Choose melds and layoffs together for least deadwood.

    ``chain`` limits the cards laid on one end of a run; 0 means no limit.
    """
    mask, melds = _as_hand(hand), meld_row(knocker)
    laid = int(kernels.optimal_layoff(mask, melds, chain, np.empty((MAX_MELDS, 64), np.int64)))
    rest = mask & ~laid
    own = best_meld_sets(rest)
    return Defence(own[0] if own else (), _layoff_order(laid, melds), deadwood(rest))


def meld_row(melds: Sequence[int]) -> Int64s:
    """Melds as the row of four masks that kernels take, zeros at the end."""
    if len(melds) > MAX_MELDS:
        raise BadInput(f"expected at most {MAX_MELDS} melds, got {len(melds)}")
    row = np.zeros(MAX_MELDS, np.int64)
    row[: len(melds)] = [_as_meld(meld) for meld in melds]
    return row


def _layoff_order(laid: int, melds: Int64s) -> tuple[tuple[int, int], ...]:
    """Name the meld that each laid card goes on: the lowest card that fits, on the first meld that fits.

    A choice is taken back when it leaves some card without a place: the eight of clubs goes on 5C 6C 7C and
    not on the eights when the nine has to follow it.
    """
    order = _find_layoff_order(laid, melds.tolist())
    assert order is not None, "every laid card fits a meld in some order"
    return tuple(order)


def _find_layoff_order(laid: int, melds: list[int]) -> list[tuple[int, int]] | None:
    if not laid:
        return []
    for card in cards_of(laid):
        for place, meld in enumerate(melds):
            if meld and int(kernels.extensions(meld)) >> card & 1:
                grown = [*melds[:place], meld | 1 << card, *melds[place + 1 :]]
                rest = _find_layoff_order(laid ^ 1 << card, grown)
                if rest is not None:
                    return [(card, place), *rest]
    return None


def _as_hand(hand: int) -> Mask:
    mask = as_mask(hand)
    if mask.bit_count() > MAX_CARDS:
        raise BadInput(f"expected a hand of at most {MAX_CARDS} cards, got {mask.bit_count()}")
    return mask


def _as_meld(meld: int) -> Mask:
    mask = as_mask(meld)
    if not kernels.is_meld(mask):
        raise BadInput(f"expected a meld, got {hand_text(mask) or 'no cards'}")
    return mask
