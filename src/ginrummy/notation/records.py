"""What the text record of a game holds, as frozen values. ``notation`` describes the text.

A record holds what was written down, which need not follow the rules: ``notation.replay`` checks that.
Only the form is checked here (seats, repeated cards, sizes): a wrong form raises ``BadInput``.
"""

import re
from dataclasses import dataclass
from typing import Literal

from ginrummy.cards import CARDS, NO_CARD, Mask, card_text, cards_of, mask_of
from ginrummy.errors import BadInput
from ginrummy.round import Melds
from ginrummy.rules import HAND_SIZE, Rules
from ginrummy.scoring import DEAD, OUTCOMES

STOCK_SIZE = CARDS - 2 * HAND_SIZE - 1

Pair = tuple[int, int]
Headers = tuple[tuple[str, str], ...]
Kind = Literal["passes", "takes", "draws", "reaches"]

GAME_HEADERS = ("Rules", "Seat0", "Seat1", "Seed", "Game")
ROUND_HEADERS = ("Round", "Starter", "Score", "Won", "Hand0", "Hand1", "Upcard", "Stock")

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


@dataclass(frozen=True)
class Showing:
    """A hand laid open at a knock."""

    melds: Melds
    """In the order declared."""
    loose: Mask
    """Cards neither melded nor laid off."""
    layoffs: tuple[tuple[int, int], ...] = ()
    """(card, place of the knocker's meld that it went on), in the order laid."""

    def __post_init__(self) -> None:
        cards = [*(card for meld in self.melds for card in cards_of(meld)), *cards_of(self.loose)]
        mask_of([*cards, *(card for card, _ in self.layoffs)])
        if 0 in self.melds:
            raise BadInput("expected cards in every meld, got none")


@dataclass(frozen=True)
class Turn:
    """One line of play: a pass, or a draw and what followed in the same turn."""

    seat: int
    kind: Kind
    """``reaches`` is an attempt to take the upcard that ended the round instead (``Rules.max_takes``)."""
    card: int = NO_CARD
    """The card taken or drawn; ``NO_CARD`` when a draw is unknown."""
    discard: int = NO_CARD
    """``NO_CARD`` when there is none: big gin, or a round left in the middle of a turn."""
    knock: Showing | None = None
    played_on: bool = False
    """The record says that the player could have knocked and did not."""

    def __post_init__(self) -> None:
        _check_seat(self.seat)
        if not NO_CARD <= min(self.card, self.discard) <= max(self.card, self.discard) < CARDS:
            raise BadInput(f"expected cards, got {self.card} and {self.discard}")
        if self.kind != "draws" and (self.card == NO_CARD) != (self.kind == "passes"):
            raise BadInput(f"a player {self.kind}: expected a known card, or no card for a pass")
        if self.kind in ("passes", "reaches") and (self.discard != NO_CARD or self.knock):
            raise BadInput(f"nothing can follow when a player {self.kind}")
        if self.played_on and (self.knock or self.discard == NO_CARD):
            raise BadInput("expected to play on after a discard and without a knock")
        if self.knock and self.knock.layoffs:
            raise BadInput("a knocker cannot lay off cards")


@dataclass(frozen=True)
class Ending:
    """How a round ended, as written in its result line."""

    outcome: int
    """One of ``scoring.OUTCOMES``."""
    winner: int | None
    points: int
    scores: Pair
    """After the round."""
    capped: bool = False

    def __post_init__(self) -> None:
        if not 0 <= self.outcome < len(OUTCOMES) or self.winner not in (None, 0, 1):
            raise BadInput(f"expected an outcome and a winner, got {self.outcome} and {self.winner}")
        if (self.capped and self.outcome != DEAD) or (self.points and self.winner is None):
            raise BadInput("only a dead round is capped, and points need a winner")


@dataclass(frozen=True)
class RoundRecord:
    """One round. A round without ``ending`` is unfinished."""

    number: int
    """From 1."""
    starter: int
    scores: Pair
    """Before the round."""
    won: Pair
    """Rounds that each seat had won before."""
    hands: tuple[Mask, Mask]
    """The cards dealt to each seat, as far as known: ten in a full record."""
    upcard: int
    stock: tuple[int, ...]
    """[31] in order of drawing, ``NO_CARD`` where unknown."""
    turns: tuple[Turn, ...] = ()
    defence: Showing | None = None
    ending: Ending | None = None
    headers: Headers = ()
    """Headers that the format does not know, kept unchanged."""

    def __post_init__(self) -> None:
        _check_seat(self.starter)
        _check_headers(self.headers, GAME_HEADERS + ROUND_HEADERS)
        if len(self.stock) != STOCK_SIZE:
            raise BadInput(f"expected a stock of {STOCK_SIZE} cards, got {len(self.stock)}")
        if min(self.number - 1, *self.scores, *self.won) < 0 or sum(self.won) > self.number - 1:
            raise BadInput(f"round {self.number} cannot begin at {self.scores} with {self.won} rounds won")
        seen: set[int] = set()
        dealt = [cards_of(hand) for hand in self.hands]
        for card in (*dealt[0], *dealt[1], self.upcard, *(c for c in self.stock if c != NO_CARD)):
            if card in seen:
                raise BadInput(f"the card {card_text(card)} comes twice")
            seen.add(card)
        if max(map(len, dealt)) > HAND_SIZE or self.upcard == NO_CARD:
            raise BadInput("expected an upcard and at most ten cards in each hand")
        if self.defence:
            knock = self.turns[-1].knock if self.turns else None
            if knock is None or any(not 0 <= k < len(knock.melds) for _, k in self.defence.layoffs):
                raise BadInput("expected a knock before the defence, and layoffs on its melds")

    @property
    def one_sided(self) -> bool:
        """Whether a card that was dealt or drawn is unknown."""
        draws = [turn.card for turn in self.turns if turn.kind == "draws"]
        unknown = any(draw == NO_CARD == card for draw, card in zip(draws, self.stock, strict=False))
        return unknown or min(hand.bit_count() for hand in self.hands) < HAND_SIZE


@dataclass(frozen=True)
class GameRecord:
    """A game, or some rounds of one that follow each other."""

    rules: Rules
    players: tuple[str, str] = ("?", "?")
    """Names by seat."""
    seed: int | None = None
    game: int | None = None
    """Number of the game under its seed."""
    rounds: tuple[RoundRecord, ...] = ()
    finished: bool = False
    winner: int | None = None
    """Of a finished game; None for a draw."""
    totals: Pair = (0, 0)
    """Of a finished game, with bonuses."""
    headers: Headers = ()
    """Headers that the format does not know, kept unchanged."""

    def __post_init__(self) -> None:
        _check_headers(self.headers, GAME_HEADERS + ROUND_HEADERS)
        _check_headers(tuple(zip(("Seat0", "Seat1"), self.players, strict=True)), ())
        if min(self.seed or 0, self.game or 0) < 0:
            raise BadInput("seed and game must not be negative")
        if any(record.ending is None for record in self.rounds[:-1]):
            raise BadInput("only the last round of a game can be unfinished")
        if self.finished and (not self.rounds or self.rounds[-1].ending is None):
            raise BadInput("a finished game ends with a finished round")
        if not self.finished and (self.winner is not None or self.totals != (0, 0)):
            raise BadInput("an unfinished game has no winner and no totals")


def _check_seat(seat: int) -> None:
    if seat not in (0, 1):
        raise BadInput(f"expected seat 0 or 1, got {seat!r}")


def _check_headers(headers: Headers, taken: tuple[str, ...]) -> None:
    for name, value in headers:
        if not _NAME.fullmatch(name) or name in taken:
            raise BadInput(f"expected a header's name that is not in use, got {name!r}")
        if not value.isprintable():
            raise BadInput(f"expected printable text in header {name}, got {value!r}")
