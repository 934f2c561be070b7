"""Cards as small integers, hands as bit masks, and their text.

The written contract: a card is ``13 * suit + rank`` with ace 0 … king 12 and suits in the order C H S D
(the order of the challenge program). A hand is an int64 with bit ``card`` set for each card held. A card's
text is rank then suit: ``TD`` is the ten of diamonds.
"""

import operator
from collections.abc import Iterable, Iterator
from typing import NewType

import numpy as np
import numpy.typing as npt

from ginrummy.errors import BadInput, ParseError

Mask = NewType("Mask", int)
IntArray = npt.NDArray[np.integer]

RANKS = "A23456789TJQK"
SUITS = "CHSD"
SYMBOLS = "♣♥♠♦"
NO_CARD = -1
CARDS = 52
DECK = Mask((1 << CARDS) - 1)
SUIT = 0x1FFF
"""The thirteen bits of one suit, shifted by ``13 * suit``."""
RANK = 1 | 1 << 13 | 1 << 26 | 1 << 39
"""The four bits of one rank, shifted by ``rank``."""

POINTS = np.array([min(card % 13 + 1, 10) for card in range(CARDS)], dtype=np.int64)
"""[52] What each card counts as deadwood: ace 1, court cards 10."""

_IDS = {rank + suit: 13 * s + r for s, suit in enumerate(SUITS) for r, rank in enumerate(RANKS)}
_TEXTS = tuple(sorted(_IDS, key=_IDS.__getitem__))


def as_card(card: int) -> int:
    """A card as a plain number; anything other than a whole number from 0 to 51 is refused."""
    number = _whole(card)
    if number is None or not 0 <= number < CARDS:
        raise BadInput(f"a card is a whole number from 0 to 51, not {_short(card)}")
    return number


def as_mask(mask: int) -> Mask:
    """A mask as a plain number; anything other than a whole number with bits 0 to 51 is refused."""
    number = _whole(mask)
    if number is None:
        raise BadInput(f"a mask is a whole number, not {_short(mask)}")
    if not 0 <= number <= DECK:
        raise BadInput(f"a mask has bits 0 to 51 only, not {_short(number)}")
    return Mask(number)


def card_text(card: int) -> str:
    """Text of a card: ``card_text(0) == "AC"``."""
    return _TEXTS[as_card(card)]


def parse_card(text: str) -> int:
    """Read a card in upper or lower case; ``10`` is read as ``T`` and suit symbols as their letters."""
    plain = text.strip().replace("10", "T")
    for symbol, suit in zip(SYMBOLS, SUITS, strict=True):
        plain = plain.replace(symbol, suit)
    card = _IDS.get(plain.upper()) if plain.isascii() else None
    if card is None:
        raise ParseError(f"expected a card such as TD or 7C, got {text!r}")
    return card


def cards_of(mask: int) -> list[int]:
    """The cards of a mask, in order of their ids."""
    plain = as_mask(mask)
    return [card for card in range(CARDS) if plain >> card & 1]


def mask_of(cards: Iterable[int]) -> Mask:
    """The mask of some cards. A card that comes twice is refused."""
    mask = 0
    for card in map(as_card, cards):
        if mask >> card & 1:
            raise BadInput(f"expected different cards, got {_TEXTS[card]} twice")
        mask |= 1 << card
    return Mask(mask)


def hand_text(mask: int) -> str:
    """Text of the cards of a mask, in order of their ids: ``"AC 2C TD"``."""
    return " ".join(map(card_text, cards_of(mask)))


def parse_hand(text: str) -> Mask:
    """Read cards separated by blanks or commas into a mask."""
    cards = [parse_card(word) for word in text.replace(",", " ").split()]
    if len(set(cards)) != len(cards):
        raise ParseError(f"a card comes twice in {text!r}")
    return mask_of(cards)


def pretty(card: int) -> str:
    """A card as people write it: ``"10♦"``."""
    text = card_text(card)
    return ("10" if text[0] == "T" else text[0]) + SYMBOLS[SUITS.index(text[1])]


def by_suit(mask: int) -> Iterator[list[int]]:
    """The cards of a mask, one list for each suit."""
    for suit in range(4):
        yield cards_of(mask & SUIT << 13 * suit)


def _whole(number: object) -> int | None:
    """A whole number of any type, numpy's included, as a plain one; None for anything else."""
    try:
        return operator.index(number)  # type: ignore[arg-type]
    except TypeError:
        return None


def _short(given: object) -> str:
    """What was given, in few characters: Python refuses to write very long numbers in decimal."""
    text = hex(given) if isinstance(given, int) and abs(given) > DECK else repr(given)
    return text if len(text) <= 40 else text[:40] + "…"
