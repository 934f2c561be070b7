"""What a player may do in a round, as small frozen values.

An action says nothing about the seat: a round knows whose turn it is.
"""

from dataclasses import dataclass

from ginrummy.cards import CARDS, DECK, Mask, card_text, hand_text

Melds = tuple[Mask, ...]


@dataclass(frozen=True, slots=True)
class Take:
    """Take the upcard."""


@dataclass(frozen=True, slots=True)
class Draw:
    """Draw from the stock."""


@dataclass(frozen=True, slots=True)
class Pass:
    """Leave the first upcard, or the upcard at the wall."""


@dataclass(frozen=True, slots=True)
class Discard:
    """End the turn by laying a card on the pile."""

    card: int


@dataclass(frozen=True, slots=True)
class Knock:
    """Knock after the discard of the same turn, with these melds; their order decides first-fit layoffs."""

    melds: Melds


@dataclass(frozen=True, slots=True)
class PlayOn:
    """Do not knock, although the hand allows it."""


@dataclass(frozen=True, slots=True)
class Defend:
    """Lay down the defender's melds; the rest is laid off as far as it fits."""

    melds: Melds


Action = Take | Draw | Pass | Discard | Knock | PlayOn | Defend

NAMES: dict[type[Action], str] = {
    Take: "take the upcard", Draw: "draw from the stock", Pass: "pass", Discard: "discard",
    Knock: "knock", PlayOn: "play on", Defend: "lay down melds against the knock",
}  # fmt: skip
"""What a player is asked to do, in words."""


def action_text(action: Action) -> str:
    """An action in words: ``"discard 9C"``."""
    name = NAMES.get(type(action), repr(action))
    match action:
        case Discard(card):
            return f"{name} {safe_card_text(card)}"
        case Knock(melds) | Defend(melds):
            return f"{name}: " + (" | ".join(map(safe_meld_text, melds)) or "no melds")
    return name


def safe_card_text(card: int) -> str:
    """Text of a card; of a value that is not a card, its ``repr``."""
    return card_text(card) if 0 <= card < CARDS else repr(card)


def safe_meld_text(meld: int) -> str:
    """Text of a meld's cards; of a value that is not a mask, its ``repr``."""
    return hand_text(meld) if 0 < meld <= DECK else repr(meld)
