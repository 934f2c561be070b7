"""A readable set of cards on top of the bit mask that the engine uses.

>>> from ginrummy.cardset import CardSet
>>> held = CardSet("AC 2C 3C TD")
>>> len(held), "TD" in held, str(held - CardSet("TD"))
(4, True, 'AC 2C 3C')
"""

import operator
from collections.abc import Iterable, Iterator, Set
from typing import SupportsIndex

from ginrummy.cards import CARDS, DECK, Mask, card_text, cards_of, hand_text, parse_card, parse_hand
from ginrummy.errors import BadInput

Cards = str | int | Iterable[int | str]
"""What can be read as a set of cards: text, a bit mask, or single cards as numbers or text."""


class CardSet(Set[int]):
    """A set of cards that never changes: text, a bit mask or single cards go in.

    It is a set of card numbers with all operators of sets. ``in`` also takes a card's text, ``str`` gives the
    cards as text, ``int`` the bit mask that the engine's functions take.

    Examples:
        >>> held = CardSet("3C 2C AC TD")
        >>> held
        CardSet('AC 2C 3C TD')
        >>> held & CardSet("AC AD"), held | {51}
        (CardSet('AC'), CardSet('AC 2C 3C TD KD'))
        >>> list(held), int(held)
        ([0, 1, 2, 48], 281474976710663)
    """

    __slots__ = ("mask",)
    mask: Mask
    """The cards as bits ``13 * suit + rank``."""

    def __init__(self, cards: Cards = 0) -> None:
        object.__setattr__(self, "mask", _mask(cards))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a CardSet never changes; make a new one")

    def __reduce__(self) -> tuple[type["CardSet"], tuple[int]]:
        return CardSet, (int(self.mask),)

    @classmethod
    def _from_iterable(cls, cards: Iterable[int]) -> "CardSet":  # type: ignore[override]
        """The result of a set operator."""
        return cls(_union(cards))

    def __contains__(self, card: object) -> bool:
        number = parse_card(card) if isinstance(card, str) else _index(card)
        return 0 <= number < CARDS and bool(self.mask >> number & 1)

    def __iter__(self) -> Iterator[int]:
        return iter(cards_of(self.mask))

    def __len__(self) -> int:
        return self.mask.bit_count()

    def __hash__(self) -> int:
        return self._hash()

    def __int__(self) -> int:
        return int(self.mask)

    def __index__(self) -> int:
        return int(self.mask)

    def __str__(self) -> str:
        return hand_text(self.mask)

    def __repr__(self) -> str:
        return f"CardSet({str(self)!r})"

    def texts(self) -> list[str]:
        """The text of each card, in order: ``["AC", "2C"]``."""
        return [card_text(card) for card in self]


def _mask(cards: Cards) -> Mask:
    if isinstance(cards, CardSet):
        return cards.mask
    if isinstance(cards, str):
        return parse_hand(cards)
    if isinstance(cards, Iterable):
        return _single(cards)
    mask = _index(cards)
    if not 0 <= mask <= DECK:
        raise BadInput(f"expected cards as text, a mask of bits 0 to 51, or single cards, got {cards!r}")
    return Mask(mask)


def _single(cards: Iterable[int | str]) -> Mask:
    """The mask of single cards; one that comes twice is an error."""
    mask = 0
    for card in cards:
        bit = 1 << _card(card)
        if mask & bit:
            raise BadInput(f"expected different cards, got {card_text(_card(card))} twice")
        mask |= bit
    return Mask(mask)


def _union(cards: Iterable[int]) -> int:
    """The mask of cards that may come twice, as set operators give them."""
    mask = 0
    for card in cards:
        mask |= 1 << _card(card)
    return mask


def _card(card: int | str) -> int:
    number = parse_card(card) if isinstance(card, str) else _index(card)
    if not 0 <= number < CARDS:
        raise BadInput(f"expected a card from 0 to 51 or its text, got {card!r}")
    return number


def _index(number: object) -> int:
    """A whole number of any type, numpy's included, as an int; -1 for anything else."""
    return operator.index(number) if isinstance(number, SupportsIndex) else -1
