"""Games as JSON Lines for tools: one object in each line, one line for each game.

``docs/game.schema.json`` is the published schema, made from the types here. Cards are text (``AC``,
``TD``), ``??`` where a record does not know one. Seats are 0 and 1. Everything that the text record holds
is kept.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from ginrummy.cards import NO_CARD, Mask, cards_of, mask_of, parse_card
from ginrummy.errors import GinRummyError, ParseError
from ginrummy.notation import Ending, GameRecord, RoundRecord, Showing, Turn
from ginrummy.notation.writer import UNKNOWN, card_word
from ginrummy.rules import HAND_SIZE, Rules, parse_rules, rules_text
from ginrummy.scoring import OUTCOMES
from ginrummy.typed import LEFT_OUT
from ginrummy.typed import read as read_typed
from ginrummy.typed import write as write_typed

Card = str
Cards = tuple[str, ...]
Outcome = Literal["dead", "knock", "gin", "big gin", "undercut", "tie"]


@dataclass(frozen=True)
class LayoffLine:
    """A card laid off."""

    card: Card
    meld: int
    """Place of the knocker's meld, from 0."""


@dataclass(frozen=True)
class ShowingLine:
    """A hand laid open at a knock."""

    melds: tuple[Cards, ...]
    """In the order declared."""
    left: Cards
    """Cards neither melded nor laid off."""
    layoffs: tuple[LayoffLine, ...] = field(default=(), metadata=LEFT_OUT)
    """In the order laid."""


@dataclass(frozen=True)
class TurnLine:
    """A pass, or a draw and what followed in the same turn."""

    seat: int
    does: Literal["passes", "takes", "draws", "reaches"]
    """reaches: an attempt to take the upcard that ended the round."""
    card: Card | None = field(default=None, metadata=LEFT_OUT)
    """The card taken or drawn."""
    discard: Card | None = field(default=None, metadata=LEFT_OUT)
    knock: ShowingLine | None = field(default=None, metadata=LEFT_OUT)
    plays_on: bool = field(default=False, metadata=LEFT_OUT)
    """The player could have knocked and did not."""


@dataclass(frozen=True)
class ResultLine:
    """How a round ended."""

    outcome: Outcome
    winner: int | None
    points: int
    scores: tuple[int, int]
    """After the round, by seat."""
    capped: bool = field(default=False, metadata=LEFT_OUT)
    """A dead round that reached the cap on turns."""


@dataclass(frozen=True)
class RoundLine:
    """One round."""

    number: int
    """From 1."""
    starter: int
    scores: tuple[int, int]
    """Before the round, by seat."""
    won: tuple[int, int]
    """Rounds won before, by seat."""
    hands: tuple[Cards, Cards]
    """The ten cards dealt to each seat."""
    upcard: Card
    stock: Cards
    """31 cards in order of drawing."""
    turns: tuple[TurnLine, ...]
    defence: ShowingLine | None = field(default=None, metadata=LEFT_OUT)
    result: ResultLine | None = field(default=None, metadata=LEFT_OUT)
    """Missing while the round is not finished."""
    headers: tuple[tuple[str, str], ...] = field(default=(), metadata=LEFT_OUT)
    """Names and values of headers of the text record that the format does not know."""


@dataclass(frozen=True)
class EndLine:
    """How a game ended."""

    winner: int | None
    totals: tuple[int, int]
    """By seat, with bonuses."""


@dataclass(frozen=True)
class GameLine:
    """A game, or some rounds of one that follow each other."""

    format: Literal["ginrummy-game"]
    version: Literal[1]
    rules: str
    """A preset, or preset:key=value,…"""
    players: tuple[str, str]
    """Names by seat."""
    rounds: tuple[RoundLine, ...]
    seed: int | None = field(default=None, metadata=LEFT_OUT)
    game: int | None = field(default=None, metadata=LEFT_OUT)
    """Number of the game under its seed."""
    result: EndLine | None = field(default=None, metadata=LEFT_OUT)
    """Missing while the game is not finished."""
    headers: tuple[tuple[str, str], ...] = field(default=(), metadata=LEFT_OUT)
    """Names and values of headers of the text record that the format does not know."""


def write(records: Sequence[GameRecord]) -> str:
    """A line for each game."""
    return "".join(json.dumps(write_typed(_game_line(one)), ensure_ascii=False) + "\n" for one in records)


def read(text: str, rules: Rules) -> list[GameRecord]:
    """The games of a text, of which only the form is checked; a fault is named with its line."""
    games = []
    for number, line in enumerate(text.lstrip("\ufeff").split("\n"), 1):
        if not line.strip():
            continue
        try:
            games.append(_game(read_typed(GameLine, json.loads(line), "game")))
        except json.JSONDecodeError as error:
            raise ParseError(f"expected JSON: {error.msg}", number, error.colno) from None
        except RecursionError:
            raise ParseError("expected JSON that is not nested so deep", number, 1) from None
        except GinRummyError as error:
            raise ParseError(getattr(error, "message", str(error)), number, 1) from None
    if not games:
        raise ParseError("expected a game, got an empty file", 1, 1)
    return games


# Records to lines.


def _game_line(record: GameRecord) -> GameLine:
    end = EndLine(record.winner, record.totals) if record.finished else None
    rounds = tuple(map(_round_line, record.rounds))
    rules = rules_text(record.rules)
    return GameLine(
        "ginrummy-game", 1, rules, record.players, rounds, record.seed, record.game, end, record.headers
    )


def _round_line(record: RoundRecord) -> RoundLine:
    ending = record.ending
    result = None
    if ending:
        outcome: Any = OUTCOMES[ending.outcome]
        result = ResultLine(outcome, ending.winner, ending.points, ending.scores, ending.capped)
    first, second = (_dealt(hand) for hand in record.hands)
    return RoundLine(
        record.number, record.starter, record.scores, record.won, (first, second), card_word(record.upcard),
        tuple(map(card_word, record.stock)), tuple(map(_turn_line, record.turns)),
        _showing_line(record.defence), result, record.headers,
    )  # fmt: skip


def _dealt(hand: int) -> Cards:
    known = _words(hand)
    return (*known, *[UNKNOWN] * (HAND_SIZE - len(known)))


def _words(mask: int) -> Cards:
    return tuple(map(card_word, cards_of(mask)))


def _turn_line(turn: Turn) -> TurnLine:
    unknown = turn.card == NO_CARD and turn.kind == "passes"
    card = None if unknown else card_word(turn.card)
    discard = None if turn.discard == NO_CARD else card_word(turn.discard)
    return TurnLine(turn.seat, turn.kind, card, discard, _showing_line(turn.knock), turn.played_on)


def _showing_line(showing: Showing | None) -> ShowingLine | None:
    if showing is None:
        return None
    layoffs = tuple(LayoffLine(card_word(card), place) for card, place in showing.layoffs)
    return ShowingLine(tuple(map(_words, showing.melds)), _words(showing.loose), layoffs)


# Lines to records.


def _game(line: GameLine) -> GameRecord:
    end = line.result
    return GameRecord(
        parse_rules(line.rules), line.players, line.seed, line.game, tuple(map(_round, line.rounds)),
        end is not None, end.winner if end else None, end.totals if end else (0, 0),
        line.headers,
    )  # fmt: skip


def _round(line: RoundLine) -> RoundRecord:
    result = line.result
    ending = None
    if result:
        outcome = OUTCOMES.index(result.outcome)
        ending = Ending(outcome, result.winner, result.points, result.scores, result.capped)
    turns = tuple(map(_turn, line.turns))
    hands = _mask(line.hands[0]), _mask(line.hands[1])
    stock = tuple(map(_card, line.stock))
    return RoundRecord(
        line.number, line.starter, line.scores, line.won, hands, _card(line.upcard), stock, turns,
        _showing(line.defence), ending, line.headers,
    )  # fmt: skip


def _turn(line: TurnLine) -> Turn:
    card, discard = (NO_CARD if text is None else _card(text) for text in (line.card, line.discard))
    return Turn(line.seat, line.does, card, discard, _showing(line.knock), line.plays_on)


def _showing(line: ShowingLine | None) -> Showing | None:
    if line is None:
        return None
    layoffs = tuple((_card(one.card), one.meld) for one in line.layoffs)
    return Showing(tuple(map(_mask, line.melds)), _mask(line.left), layoffs)


def _card(text: str) -> int:
    return NO_CARD if text == UNKNOWN else parse_card(text)


def _mask(texts: Cards) -> Mask:
    return mask_of(parse_card(text) for text in texts if text != UNKNOWN)
