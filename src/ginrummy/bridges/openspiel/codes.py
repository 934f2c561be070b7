"""Cards, actions and melds of OpenSpiel's ``gin_rummy`` as numbers, and ours.

Its suits are in the order S C D H, ours are C H S D. Its melds have at most five cards: longer runs are laid
down in parts. Tests compare every number with the library's own.
"""

from collections.abc import Iterable

from ginrummy.cards import CARDS, Mask, cards_of, mask_of

TAKE, DRAW, PASS, KNOCK, FIRST_MELD = range(CARDS, CARDS + 5)
LONGEST = 5
"""Cards of its longest meld."""

_SUITS = (1, 3, 0, 2)
THEIRS = tuple(13 * _SUITS[card // 13] + card % 13 for card in range(CARDS))
"""[52] its number of each of our cards."""
OURS = tuple(THEIRS.index(card) for card in range(CARDS))
"""[52] our number of each of its cards."""


def _in_their_order() -> list[Mask]:
    """The 185 melds: sets rank by rank (without each suit in turn, then all four), then runs by length."""
    sets, runs = [], []
    for rank in range(13):
        four = [13 * suit + rank for suit in range(4)]
        for left_out in four:
            sets.append([card for card in four if card != left_out])
        sets.append(four)
    for length in range(3, LONGEST + 1):
        for suit in range(4):
            for low in range(13 - length + 1):
                runs.append([13 * suit + low + k for k in range(length)])
    return [mask_of(OURS[card] for card in meld) for meld in (*sets, *runs)]


MELDS = tuple(_in_their_order())
"""[185] the melds in the order of its numbers, as our masks."""
_NUMBERS = {meld: number for number, meld in enumerate(MELDS)}


def meld_parts(meld: int) -> list[Mask]:
    """A meld in parts of at most five cards."""
    cards = cards_of(meld)
    if len(cards) <= LONGEST:
        return [Mask(meld)]
    cut = 3 if len(cards) <= 8 else LONGEST
    return [mask_of(cards[:cut]), *meld_parts(mask_of(cards[cut:]))]


def meld_actions(melds: Iterable[int]) -> list[int]:
    """The actions that lay down these melds."""
    return [FIRST_MELD + _NUMBERS[part] for meld in melds for part in meld_parts(meld)]
