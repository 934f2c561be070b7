"""Text to records. ``notation`` describes the text.

Text is read line by line: a header, or a line of words. Every fault is a ``ParseError`` that names the line
and the column of the word at which reading failed.
"""

import re
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from ginrummy.cards import NO_CARD, Mask, card_text, mask_of, parse_card
from ginrummy.errors import ParseError
from ginrummy.notation.records import (
    GAME_HEADERS,
    ROUND_HEADERS,
    STOCK_SIZE,
    Ending,
    GameRecord,
    Headers,
    Kind,
    Pair,
    RoundRecord,
    Showing,
    Turn,
)
from ginrummy.notation.writer import UNKNOWN
from ginrummy.round import Melds
from ginrummy.rules import HAND_SIZE, Rules, parse_rules
from ginrummy.scoring import OUTCOMES

_HEADER = re.compile(r'\s*\[([A-Za-z][A-Za-z0-9_]*) +"((?:[^"\\]|\\["\\])*)"\]\s*(?:;.*)?')
_WORD = re.compile(r"[,|:]|[^\s,|:]+")
_PAIR = re.compile(r"([0-9]{1,12})-([0-9]{1,12})")
_NUMBER = re.compile(r"[0-9]{1,20}")


def read(text: str) -> GameRecord:
    """The one game of a text."""
    reader = _Reader(text)
    game = reader.game()
    if reader.items:
        raise reader.fault("the end after one game")
    return game


def read_all(text: str) -> list[GameRecord]:
    """Every game of a text, in order."""
    reader = _Reader(text)
    games = []
    while reader.items:
        games.append(reader.game())
    return games


class _Word(NamedTuple):
    text: str
    line: int
    column: int

    def fault(self, expected: str) -> ParseError:
        got = repr(self.text) if self.text else "nothing more"
        return ParseError(f"expected {expected}, got {got}", self.line, self.column)


class _Header(NamedTuple):
    name: _Word
    value: _Word
    """As it stands between the quotes."""

    @property
    def text(self) -> str:
        return re.sub(r"\\(.)", r"\1", self.value.text)

    def words(self) -> list[_Word]:
        """The words of the value."""
        line, column = self.value.line, self.value.column
        return [_Word(m[0], line, column + m.start()) for m in re.finditer(r"\S+", self.value.text)]

    def one(self) -> _Word:
        """The only word of the value."""
        words = self.words()
        if len(words) != 1:
            raise self.value.fault("one word")
        return words[0]


class _Line:
    """The words of one line of play, read from left to right."""

    def __init__(self, words: list[_Word], end: _Word) -> None:
        self.words = words
        self.end = end

    def next(self) -> _Word:
        return self.words[0] if self.words else self.end

    def pop(self) -> _Word:
        return self.words.pop(0) if self.words else self.end

    def expect(self, *texts: str) -> str:
        """Consume one word, which must be one of these."""
        word = self.pop()
        if word.text not in texts:
            raise word.fault(" or ".join(map(repr, texts)))
        return word.text

    def phrase(self, text: str) -> bool:
        """Consume these words if they come next."""
        words = text.split()
        if [word.text for word in self.words[: len(words)]] != words:
            return False
        del self.words[: len(words)]
        return True

    def cards(self) -> list[_Word]:
        """Consume the words up to a comma, a bar or the end: at least one."""
        taken = [self.pop()]
        while self.words and self.next().text not in (",", "|"):
            taken.append(self.pop())
        return taken

    def finish(self) -> None:
        if self.words:
            raise self.next().fault("the end of the line")


def _items(text: str) -> Iterator[_Header | _Line]:
    """The lines of a text, without blank lines and comments."""
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw.removesuffix("\r")
        bad = next((k for k, c in enumerate(line) if not c.isprintable() and c != "\t"), None)
        if bad is not None:
            raise _Word(line[bad], number, bad + 1).fault("printable text")
        if line.lstrip().startswith("["):
            header = _HEADER.fullmatch(line)
            if header is None:
                column = len(line) - len(line.lstrip()) + 1
                raise _Word(line.strip(), number, column).fault('a header such as [Upcard "6H"]')
            spots = [_Word(header[k], number, header.start(k) + 1) for k in (1, 2)]
            yield _Header(*spots)
            continue
        line = line.partition(";")[0].rstrip()
        words = [_Word(m[0], number, m.start() + 1) for m in _WORD.finditer(line)]
        if words:
            yield _Line(words, _Word("", number, len(line) + 1))


class _Reader:
    """A text, read once from top to bottom."""

    def __init__(self, text: str) -> None:
        self.items = deque(_items(text))
        self.end = _Word("", text.count("\n") + 1, len(text) - text.rfind("\n"))

    def fault(self, expected: str) -> ParseError:
        """The error for a next line that is not the one expected."""
        return self.spot().fault(expected)

    def spot(self) -> _Word:
        if not self.items:
            return self.end
        item = self.items[0]
        return item.name if isinstance(item, _Header) else item.next()

    def line(self, expected: str) -> _Line:
        item = self.items[0] if self.items else None
        if not isinstance(item, _Line):
            raise self.fault(expected)
        return item

    def headers(self, own: tuple[str, ...], strange: tuple[str, ...]) -> tuple[dict[str, _Header], Headers]:
        """The next block of headers, up to a line of play or the header [Round]: known ones and others."""
        known: dict[str, _Header] = {}
        others = []
        while self.items and isinstance(header := self.items[0], _Header):
            name = header.name.text
            if name == "Round" and ("Round" in known or "Round" not in own):
                break
            if name in known or name in strange:
                raise header.name.fault(f"each header once in its place ({', '.join(own)})")
            if name in own:
                known[name] = header
            else:
                others.append((name, header.text))
            self.items.popleft()
        return known, tuple(others)

    def game(self) -> GameRecord:
        start = self.spot()
        known, others = self.headers(GAME_HEADERS, ROUND_HEADERS[1:])
        if "Rules" not in known:
            raise start.fault("a game's headers, with [Rules] among them")
        rules = _rules(known["Rules"])
        seats = [known[name].text if name in known else "?" for name in ("Seat0", "Seat1")]
        seed, number = (_number(known[n].one()) if n in known else None for n in ("Seed", "Game"))
        rounds = []
        while self.items and isinstance(self.items[0], _Header):
            rounds.append(self.round())
        place = self.spot()
        finished, winner, totals = self.game_line()
        players = seats[0], seats[1]
        with _placed(place):
            return GameRecord(rules, players, seed, number, tuple(rounds), finished, winner, totals, others)

    def game_line(self) -> tuple[bool, int | None, Pair]:
        line = self.line("[Round] or the line 'game: …'")
        self.items.popleft()
        line.expect("game")
        line.expect(":")
        winner = None
        finished = not line.phrase("unfinished")
        totals = (0, 0)
        if finished:
            if not line.phrase("drawn"):
                winner = int(line.expect("0", "1"))
                line.expect("wins")
            line.expect(",")
            line.expect("totals")
            totals = _pair(line.pop())
        line.finish()
        return finished, winner, totals

    def round(self) -> RoundRecord:
        start = self.spot()
        known, others = self.headers(ROUND_HEADERS, GAME_HEADERS)
        missing = [name for name in ROUND_HEADERS if name not in known]
        if missing:
            raise start.fault(f"a round's headers, with [{missing[0]}] among them")
        dealt = _Dealt()
        hands = dealt.hand(known["Hand0"]), dealt.hand(known["Hand1"])
        upcard = dealt.cards(known["Upcard"], 1, known_only=True)[0]
        stock = tuple(dealt.cards(known["Stock"], STOCK_SIZE))
        turns, defence = self.play()
        ending = self.result_line()
        number, starter = _number(known["Round"].one()), _seat(known["Starter"].one())
        scores, won = _pair(known["Score"].one()), _pair(known["Won"].one())
        with _placed(start):
            return RoundRecord(
                number, starter, scores, won, hands, upcard, stock, turns, defence, ending, others
            )

    def play(self) -> tuple[tuple[Turn, ...], Showing | None]:
        turns: list[Turn] = []
        while True:
            line = self.line("a line of play or the line 'result: …'")
            if line.next().text == "result":
                return tuple(turns), None
            self.items.popleft()
            place = line.next()
            seat = _seat(line.pop())
            with _placed(place):
                if turns and turns[-1].knock:
                    if seat == turns[-1].seat:
                        raise place.fault(f"seat {1 - seat} to meld against the knock")
                    return tuple(turns), _defence(line, turns[-1].knock)
                turns.append(_turn(line, seat))

    def result_line(self) -> Ending | None:
        line = self.line("the line 'result: …'")
        self.items.popleft()
        place = line.next()
        line.expect("result")
        line.expect(":")
        if line.phrase("unfinished"):
            line.finish()
            return None
        outcome = next((k for k, name in enumerate(OUTCOMES) if line.phrase(name)), None)
        if outcome is None:
            raise line.next().fault(f"'unfinished' or one of {', '.join(OUTCOMES)}")
        capped = line.phrase("at the turn cap")
        winner, points = None, 0
        line.expect(",")
        if not line.phrase("score"):
            winner = _seat(line.pop())
            line.expect("scores")
            points = _number(line.pop())
            line.expect(",")
            line.expect("score")
        scores = _pair(line.pop())
        line.finish()
        with _placed(place):
            return Ending(outcome, winner, points, scores, capped)


class _Dealt:
    """The cards of one deal, none of which may come twice."""

    def __init__(self) -> None:
        self.seen: set[int] = set()

    def cards(self, header: _Header, size: int, *, known_only: bool = False) -> list[int]:
        words = header.words()
        if len(words) != size:
            raise header.value.fault(f"{size} cards in [{header.name.text}]")
        cards = []
        for word in words:
            card = NO_CARD if word.text == UNKNOWN and not known_only else _card(word)
            if card in self.seen:
                raise word.fault("each card once")
            if card != NO_CARD:
                self.seen.add(card)
            cards.append(card)
        return cards

    def hand(self, header: _Header) -> Mask:
        return mask_of(card for card in self.cards(header, HAND_SIZE) if card != NO_CARD)


def _turn(line: _Line, seat: int) -> Turn:
    verb = line.expect("passes", "takes", "draws", "reaches")
    kind: Kind = verb  # type: ignore[assignment]
    if kind == "passes":
        line.finish()
        return Turn(seat, kind)
    if kind == "reaches":
        line.expect("for")
    word = line.pop()
    card = NO_CARD if kind == "draws" and word.text == UNKNOWN else _card(word)
    discard, knock, played_on = NO_CARD, None, False
    if kind != "reaches" and line.phrase(", discards"):
        discard = _card(line.pop())
        played_on = line.phrase(", plays on")
    if kind != "reaches" and not played_on and line.phrase(", knocks with"):
        knock = Showing(_melds(line), _left(line))
    line.finish()
    return Turn(seat, kind, card, discard, knock, played_on)


def _defence(line: _Line, knock: Showing) -> Showing:
    line.expect("melds")
    melds = _melds(line)
    layoffs = []
    while line.phrase(", lays off"):
        card = _card(line.pop())
        line.expect("on")
        words = line.cards()
        meld = _mask(words)
        if meld not in knock.melds:
            raise words[0].fault("a meld of the knocker")
        layoffs.append((card, knock.melds.index(meld)))
    left = _left(line)
    line.finish()
    return Showing(melds, left, tuple(layoffs))


def _melds(line: _Line) -> Melds:
    if line.phrase("nothing"):
        return ()
    melds = [_mask(line.cards())]
    while line.phrase("|"):
        melds.append(_mask(line.cards()))
    return tuple(melds)


def _left(line: _Line) -> Mask:
    return _mask(line.cards()) if line.phrase(", left with") else Mask(0)


def _mask(words: list[_Word]) -> Mask:
    mask = 0
    for word in words:
        bit = 1 << _card(word)
        if mask & bit:
            raise word.fault("each card once")
        mask |= bit
    return Mask(mask)


def _card(word: _Word) -> int:
    try:
        return parse_card(word.text)
    except ParseError:
        raise word.fault(f"a card such as {card_text(18)}") from None


def _seat(word: _Word) -> int:
    if word.text not in ("0", "1"):
        raise word.fault("seat 0 or 1")
    return int(word.text)


def _number(word: _Word) -> int:
    if not _NUMBER.fullmatch(word.text):
        raise word.fault("a whole number")
    return int(word.text)


def _pair(word: _Word) -> Pair:
    pair = _PAIR.fullmatch(word.text)
    if pair is None:
        raise word.fault("two numbers such as 12-0")
    return int(pair[1]), int(pair[2])


def _rules(header: _Header) -> Rules:
    try:
        return parse_rules(header.text)
    except ValueError as error:
        raise ParseError(str(error), header.value.line, header.value.column) from None


@contextmanager
def _placed(place: _Word) -> Iterator[None]:
    """Report a fault in the form of a record at its place in the text."""
    try:
        yield
    except ParseError:
        raise
    except ValueError as error:
        raise ParseError(str(error), place.line, place.column) from None
