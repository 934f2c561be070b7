"""Read the challenge program's verbose logs into plain records.

It imports nothing from the package: tests compare the engine with this independent source. Card ids are
``13 * suit + rank``, ace 0, suits C H S D. Every line of a log must fit the grammar below, or
:class:`LogError` names it.

    game      # game N NAME0 NAME1, rounds, "Player W wins."
    round     two "is dealt", "starts", "initial face up card", events, ending, a score table of three lines
    events    "declines" (first upcard only), "draws", "discards" and at once "has ... with N deadwood"
    ending    "... the hand is cancelled." | the knocker's melds, the defender's melds, layoffs, the
              defender's deadwood, one line of points

The log does not say where a draw came from. Cards are unique, so a drawn card that equals the top of the pile
came from the pile and any other came from the stock.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

RANKS = "A23456789TJQK"
SUITS = "CHSD"
DATA = Path(__file__).parent / "data" / "challenge"
FILES = ("simple-simple.txt.gz", "marjj5-simple.txt.gz", "depauw-tonic.txt.gz")

Meld = tuple[int, ...]
Kind = Literal["gin", "knock", "undercut", "dead"]


class LogError(ValueError):
    """A line that the grammar does not allow at its place."""


@dataclass(frozen=True)
class Decline:
    """A pass on the first upcard; later refusals leave no line."""

    seat: int
    card: int


@dataclass(frozen=True)
class Draw:
    """A card taken, and from where."""

    seat: int
    card: int
    source: Literal["upcard", "stock"]


@dataclass(frozen=True)
class Discard:
    """A discard and the line after it: the ten cards left as the program melds them."""

    seat: int
    card: int
    melds: tuple[Meld, ...]
    unmelded: tuple[int, ...]
    deadwood: int


Event = Decline | Draw | Discard


@dataclass(frozen=True)
class Layoff:
    """A card laid off on a meld as it stood: the declared cards, then those laid off before, in order."""

    card: int
    meld: Meld


@dataclass(frozen=True)
class Knock:
    """The knocker's declaration; ``unmelded`` is empty for gin."""

    seat: int
    gin: bool
    melds: tuple[Meld, ...]
    unmelded: tuple[int, ...]
    deadwood: int


@dataclass(frozen=True)
class Defence:
    """The defender's declaration, the automatic layoffs, and what is left after both."""

    seat: int
    melds: tuple[Meld, ...]
    layoffs: tuple[Layoff, ...]
    unmelded: tuple[int, ...]
    deadwood: int


@dataclass(frozen=True)
class Round:
    """One deal. A dead round has no knock, no defence, no scorer and no points."""

    dealt: tuple[tuple[int, ...], tuple[int, ...]]
    """Ten cards for each seat, in the order dealt."""
    starter: int
    upcard: int
    events: tuple[Event, ...]
    knock: Knock | None
    defence: Defence | None
    kind: Kind
    scorer: int | None
    points: int
    scores: tuple[int, int]
    """Scores of seats 0 and 1 after this round."""


@dataclass(frozen=True)
class Game:
    """Rounds to the target."""

    number: int
    names: tuple[str, str]
    rounds: tuple[Round, ...]
    scores: tuple[int, int]
    winner: int


def _card(text: str) -> int:
    return 13 * SUITS.index(text[1]) + RANKS.index(text[0])


def _cards(text: str) -> tuple[int, ...]:
    return tuple(_card(word) for word in text.split(", ") if word)


def _melds(text: str) -> tuple[Meld, ...]:
    """The inner lists of ``[3C, 3S, 3D], [4S]``, as it stands between the outer brackets."""
    return tuple(_cards(inner) for inner in re.findall(r"\[([^\[\]]*)\]", text))


C = r"[A23456789TJQK][CHSD]"
LIST = rf"\[((?:{C}(?:, {C})*)?)\]"  # [AC, 2C], perhaps empty
LISTS = rf"\[((?:\[(?:{C}(?:, {C})*)?\](?:, )?)*)\]"  # [[AC, 2C, 3C], [..]], perhaps empty
GAME = re.compile(r"# game (\d+) (\S+) (\S+)")
DEALT = re.compile(rf"Player ([01]) is dealt {LIST}\.")
STARTS = re.compile(r"Player ([01]) starts\.")
UPCARD = re.compile(rf"The initial face up card is ({C})\.")
DECLINES = re.compile(rf"Player ([01]) declines ({C})\.")
DRAWS = re.compile(rf"Player ([01]) draws ({C})\.")
DISCARDS = re.compile(rf"Player ([01]) discards ({C})\.")
HAS_LOOSE = re.compile(rf"Player ([01]) has {LIST} with (\d+) deadwood\.")
HAS_MELDS = re.compile(rf"Player ([01]) has {LISTS} with (\d+) deadwood\.")
CANCELLED = re.compile(r"The draw pile was reduced to two cards without knocking, so the hand is cancelled\.")
KNOCKS = re.compile(rf"Player ([01]) melds {LISTS} with (\d+) deadwood from {LIST}\.")
GIN = re.compile(rf"Player ([01]) goes gin with melds {LISTS}\.")
DEFENDS = re.compile(rf"Player ([01]) melds {LISTS}\.")
LAYS_OFF = re.compile(rf"Player ([01]) lays off ({C}) on {LIST}\.")
LEFT = re.compile(rf"Player ([01]) has (\d+) deadwood with {LIST}")
GIN_POINTS = re.compile(
    r"Player ([01]) scores the gin bonus of 25 plus opponent deadwood (\d+) for (\d+) total points\."
)
KNOCK_POINTS = re.compile(r"Player ([01]) scores the deadwood difference of (\d+)\.")
UNDERCUT_POINTS = re.compile(
    r"Player ([01]) undercuts and scores the undercut bonus of 25"
    r" plus deadwood difference of (\d+) for (\d+) total points\."
)
TABLE = re.compile(r"Player\tScore")
SCORE = re.compile(r"([01])\t(\d+)")
WINS = re.compile(r"Player ([01]) wins\.")


class _Lines:
    """The lines of a log, read once from top to bottom."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.lines = [line.rstrip("\n") for line in lines]
        self.at = 0

    def __bool__(self) -> bool:
        return self.at < len(self.lines)

    def take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Consume the next line if it fits the pattern."""
        match = pattern.fullmatch(self.lines[self.at]) if self else None
        self.at += match is not None
        return match

    def need(self, *patterns: re.Pattern[str], seat: int | None = None) -> re.Match[str]:
        """Consume the next line, which must fit one of the patterns and, if given, speak of ``seat``."""
        for pattern in patterns:
            match = self.take(pattern)
            if match and (seat is None or seat == int(match[1])):
                return match
            if match:
                self.at -= 1
        came = repr(self.lines[self.at]) if self else "the end"
        expected = " or ".join(pattern.pattern for pattern in patterns)
        raise LogError(f"line {self.at + 1}: expected {expected} (seat {seat}), came {came}")


def _discard(lines: _Lines) -> Discard:
    move = lines.need(DISCARDS)
    seat, card = int(move[1]), _card(move[2])
    held = lines.need(HAS_LOOSE, HAS_MELDS, seat=seat)
    if held.re is HAS_LOOSE:
        return Discard(seat, card, (), _cards(held[2]), int(held[3]))
    *melds, rest = _melds(held[2])
    return Discard(seat, card, tuple(melds), rest, int(held[3]))


def _events(lines: _Lines, upcard: int) -> Iterator[Event]:
    """Declines, then draws and discards in turn, until a line that is none of them."""
    while decline := lines.take(DECLINES):
        yield Decline(int(decline[1]), _card(decline[2]))
    top = upcard
    while draw := lines.take(DRAWS):
        seat, card = int(draw[1]), _card(draw[2])
        yield Draw(seat, card, "upcard" if card == top else "stock")
        discard = _discard(lines)
        if discard.seat != seat:
            raise LogError(f"line {lines.at}: seat {seat} drew, seat {discard.seat} discarded")
        yield discard
        top = discard.card


def _knock(lines: _Lines) -> Knock:
    match = lines.need(GIN, KNOCKS)
    if match.re is GIN:
        return Knock(int(match[1]), True, _melds(match[2]), (), 0)
    return Knock(int(match[1]), False, _melds(match[2]), _cards(match[4]), int(match[3]))


def _defence(lines: _Lines, seat: int) -> Defence:
    melds = _melds(lines.need(DEFENDS, seat=seat)[2])
    layoffs = []
    while step := lines.take(LAYS_OFF):
        if int(step[1]) != seat:
            raise LogError(f"line {lines.at}: the knocker lays off")
        layoffs.append(Layoff(_card(step[2]), _cards(step[3])))
    left = lines.need(LEFT, seat=seat)
    return Defence(seat, melds, tuple(layoffs), _cards(left[3]), int(left[2]))


def _points(lines: _Lines) -> tuple[Kind, int, int]:
    """Kind, scorer and points of a round that was knocked."""
    match = lines.need(GIN_POINTS, KNOCK_POINTS, UNDERCUT_POINTS)
    seat, number = int(match[1]), int(match[2])
    if match.re is KNOCK_POINTS:
        return "knock", seat, number
    if int(match[3]) != number + 25:
        raise LogError(f"line {lines.at}: {number} and the bonus are not {match[3]}")
    return ("gin" if match.re is GIN_POINTS else "undercut"), seat, int(match[3])


def _scores(lines: _Lines) -> tuple[int, int]:
    lines.need(TABLE)
    return int(lines.need(SCORE, seat=0)[2]), int(lines.need(SCORE, seat=1)[2])


def _round(lines: _Lines) -> Round:
    dealt = _cards(lines.need(DEALT, seat=0)[2]), _cards(lines.need(DEALT, seat=1)[2])
    starter = int(lines.need(STARTS)[1])
    upcard = _card(lines.need(UPCARD)[1])
    events = tuple(_events(lines, upcard))
    if lines.take(CANCELLED):
        return Round(dealt, starter, upcard, events, None, None, "dead", None, 0, _scores(lines))
    knock = _knock(lines)
    defence = _defence(lines, 1 - knock.seat)
    kind, scorer, points = _points(lines)
    return Round(dealt, starter, upcard, events, knock, defence, kind, scorer, points, _scores(lines))


def parse(lines: Iterable[str]) -> list[Game]:
    """The games of a log; every line is accounted for, or :class:`LogError` is raised."""
    source = _Lines(lines)
    games = []
    while source:
        head = source.need(GAME)
        rounds = [_round(source)]
        while not (end := source.take(WINS)):
            rounds.append(_round(source))
        games.append(Game(int(head[1]), (head[2], head[3]), tuple(rounds), rounds[-1].scores, int(end[1])))
    return games


def read(path: Path) -> list[Game]:
    """The games of a gzipped log."""
    with gzip.open(path, "rt", encoding="ascii") as file:
        return parse(file)


def read_all() -> dict[str, list[Game]]:
    """The games of the three logs kept with the tests, by file name."""
    return {file: read(DATA / file) for file in FILES}
