"""A round under way, or finished, as one line of text: with all cards, or with what the mover may know.

    eaai 1 0-0 0-0 0 AC3C8C9CQH2S8S3D8D9D 2CJC3H6H8HJH3SJS2DJD 9H4S… 6H p t6H-4C dAC-KD
    eaai 1 0-0 0-0 0 ???????????????????? 2CJC3H6H8HJH3SJS2DJD 30 6H p t6H-4C d??-KD

The words, with a blank between them:

    rules    a preset, with changes: eaai, eaai:big_gin_bonus=31
    round    its number in the game, from 1
    score    of the game before the round, by seat
    won      rounds won before, by seat
    starter  the seat that started the round
    hands    two words: what seat 0 and seat 1 hold now, ?? for each unknown card
    stock    the cards left, in order of drawing; or only their number
    upcard   the first one of the round
    turns    one word each: the seats take turns, from the starter on
             p            passes
             t6H-4C       takes 6H, discards 4C
             t6H          takes 6H and has yet to discard: the last turn only
             dAC-KD       draws AC, discards KD
             d??-KD       draws an unknown card, discards KD
             r6H          reaches for 6H, which ends the round (rule max_takes)
             dAC-KD+      plays on, although the hand allows a knock
             dAC-KD=8C8S8D|9C9H9D   knocks with these melds (=- with none)
             mJCJHJSJD    the defender melds (m- nothing)

``notation`` is the record of a whole game, line by line; this is one moment of it.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Literal

from ginrummy.cards import CARDS, NO_CARD, Mask, card_text, cards_of, mask_of, parse_card
from ginrummy.errors import GinRummyError, IllegalAction, ParseError
from ginrummy.game import Game
from ginrummy.notation import GameRecord, RoundRecord, Showing, Turn, replay_game, round_record
from ginrummy.round import Defend, Discard, Draw, Knock, Melds, Pass, Phase, PlayOn, Round, Take
from ginrummy.rules import HAND_SIZE, Rules, parse_rules, rules_text
from ginrummy.view import Sight

UNKNOWN = "??"
STOCK_SIZE = CARDS - 2 * HAND_SIZE - 1

Pair = tuple[int, int]
Hands = tuple[list[int], list[int]]
"""Cards by seat, ``NO_CARD`` for each unknown one."""

_NONE = "-"
_KINDS: dict[str, Literal["passes", "takes", "draws", "reaches"]] = {
    "p": "passes", "t": "takes", "d": "draws", "r": "reaches",
}  # fmt: skip
_TURN = re.compile(
    r"(?P<kind>[ptdr])(?P<card>[0-9A-Z?]{2})?(-(?P<discard>[0-9A-Z]{2}))?((?P<on>\+)|=(?P<melds>\S+))?"
)
_PAIR = re.compile(r"([0-9]{1,9})-([0-9]{1,9})")


# Writing.


def write(table: Round, number: int = 0, scores: Pair = (0, 0), won: Pair = (0, 0)) -> str:
    """A round with all its cards. ``number`` is from 0; scores and rounds won are those before the round."""
    record = round_record(table, number + 1, scores, won)
    hands = [_cards_word(cards_of(hand)) for hand in table.hands]
    words = [_turn_word(turn) for turn in record.turns]
    for _, action in table.actions[-1:]:
        if isinstance(action, Defend):
            words.append("m" + _melds_word(action.melds))
    return _line(table, record, hands, _stock_word(table.stock), words)


def write_for_mover(table: Round, number: int = 0, scores: Pair = (0, 0), won: Pair = (0, 0)) -> str:
    """A round under way with only what the mover may know."""
    if table.over:
        raise IllegalAction("expected a round under way, in which somebody is to move, got a finished one")
    record = round_record(table, number + 1, scores, won)
    me, other = table.mover, 1 - table.mover
    shown = table.hands[other] if table.phase is Phase.DEFEND else table.known[other]
    unknown = table.hands[other].bit_count() - shown.bit_count()
    hands = ["", ""]
    hands[me] = _cards_word(cards_of(table.hands[me]))
    hands[other] = _cards_word([*cards_of(shown), *[NO_CARD] * unknown])
    turns = [turn if turn.seat == me else _from_outside(turn) for turn in record.turns]
    return _line(table, record, hands, str(len(table.stock)), [_turn_word(turn) for turn in turns])


def _from_outside(turn: Turn) -> Turn:
    """A turn as the other seat sees it."""
    return replace(turn, card=NO_CARD if turn.kind == "draws" else turn.card, played_on=False)


def _line(table: Round, record: RoundRecord, hands: list[str], stock: str, turns: list[str]) -> str:
    heads = [rules_text(table.rules), str(record.number), _pair_word(record.scores), _pair_word(record.won)]
    return " ".join([*heads, str(table.starter), *hands, stock, card_text(table.upcard), *turns])


def _turn_word(turn: Turn) -> str:
    word = turn.kind[0]
    if turn.kind != "passes":
        word += _cards_word([turn.card])
    if turn.discard != NO_CARD:
        word += "-" + card_text(turn.discard)
    if turn.knock:
        word += "=" + _melds_word(turn.knock.melds)
    return word + "+" * turn.played_on


def _cards_word(cards: Sequence[int]) -> str:
    return "".join(UNKNOWN if card == NO_CARD else card_text(card) for card in cards)


def _melds_word(melds: Melds) -> str:
    return "|".join(_cards_word(cards_of(meld)) for meld in melds) or _NONE


def _stock_word(stock: Sequence[int]) -> str:
    return str(len(stock)) if all(card == NO_CARD for card in stock) else _cards_word(stock)


def _pair_word(pair: Pair) -> str:
    return f"{pair[0]}-{pair[1]}"


# Reading.


def read(line: str) -> Game:
    """The game that a line with all cards describes: its round is played through the rules again.

    The round is the last one in ``dealt``, and is booked when it is over.
    """
    with _faults_of_a_line():
        return _play(_parse(line))


def read_sight(line: str) -> Sight:
    """What the mover sees in the position of a line, with all cards or with what the mover may know."""
    with _faults_of_a_line():
        found = _parse(line)
        return _seen(found) if found.hidden else _seen_openly(found)


def _seen_openly(found: "_Line") -> Sight:
    """What the mover sees, from a line with all cards."""
    table = _play(found).dealt[-1].round
    return _sight(table, table.mover, found)


def _seen(found: "_Line") -> Sight:
    """What the mover sees, from a line with what the mover may know; any fitting cards fill the unknown."""
    me = found.seer()
    other = 1 - me
    table = replay_game(GameRecord(found.rules, rounds=(found.record(me),))).dealt[-1].round
    if table.phase is Phase.KNOCK and table.mover == other:  # the cards filled in would allow a knock
        table.apply(PlayOn())
    if table.over or table.mover == other:
        raise ParseError(f"expected a position in which seat {me} is to move, got another one")
    shown = table.hands[other] if table.phase is Phase.DEFEND else table.known[other]
    given = mask_of(card for card in found.hands[other] if card != NO_CARD)
    sizes = len(found.hands[other]), len(found.stock)
    if given != shown or sizes != (table.hands[other].bit_count(), len(table.stock)):
        known = _cards_word(cards_of(shown)) or _NONE
        raise ParseError(
            f"expected {known} known of {table.hands[other].bit_count()} cards of seat {other} "
            f"and {len(table.stock)} cards in the stock"
        )
    return _sight(table, me, found)


@contextmanager
def _faults_of_a_line() -> Iterator[None]:
    """Turn any fault that comes from a line's values into an error of the package."""
    try:
        yield
    except GinRummyError:
        raise
    except ValueError as error:
        raise ParseError(str(error)) from None


def _sight(table: Round, seat: int, found: "_Line") -> Sight:
    return table.sight(seat, found.scores[seat], found.scores[1 - seat], found.number)


@dataclass(frozen=True)
class _Line:
    """The words of a line, read one by one; nothing is known yet of whether they fit together."""

    rules: Rules
    number: int
    """From 0."""
    scores: Pair
    won: Pair
    starter: int
    hands: Hands
    stock: list[int]
    upcard: int
    turns: tuple[Turn, ...]
    defence: Melds | None

    @property
    def hidden(self) -> bool:
        """Whether some card that was dealt or drawn is unknown."""
        return NO_CARD in self.hands[0] + self.hands[1] or any(map(_unknown_draw, self.turns))

    def seer(self) -> int:
        """The seat from which a line with hidden cards was written: its own cards are known."""
        blind = {turn.seat for turn in self.turns if _unknown_draw(turn)}
        blind |= {seat for seat in (0, 1) if NO_CARD in self.hands[seat]}
        if len(blind) != 1:
            raise ParseError("expected all cards of the mover, got unknown cards of both seats")
        return 1 - blind.pop()

    def dealt(self, seat: int) -> Mask:
        """What a seat was dealt: its hand now with its own turns taken back."""
        hand = set(self.hands[seat])
        for turn in reversed(self.turns):
            if turn.seat == seat:
                hand |= {turn.discard} - {NO_CARD}
                if turn.kind in ("takes", "draws"):
                    hand.discard(turn.card)
        if len(hand) != HAND_SIZE:
            raise ParseError(f"expected ten cards dealt to seat {seat}, got {_cards_word(sorted(hand))}")
        return mask_of(hand)

    def drawn(self) -> list[int]:
        """The cards drawn from the stock, in order."""
        return [turn.card for turn in self.turns if turn.kind == "draws"]

    def record(self, me: int) -> RoundRecord:
        """The round as one seat saw it."""
        hands = (self.dealt(me), Mask(0)) if me == 0 else (Mask(0), self.dealt(me))
        drawn = self.drawn()
        if len(drawn) > STOCK_SIZE:
            raise ParseError(f"expected at most {STOCK_SIZE} draws, got {len(drawn)}")
        stock = (*drawn, *[NO_CARD] * (STOCK_SIZE - len(drawn)))
        return RoundRecord(
            self.number + 1, self.starter, self.scores, self.won, hands, self.upcard, stock, self.turns
        )


def _unknown_draw(turn: Turn) -> bool:
    return turn.kind == "draws" and turn.card == NO_CARD


def _play(found: _Line) -> Game:
    """Deal and play what a line with all cards says."""
    if found.hidden:
        raise ParseError("expected every card dealt or drawn, got ??; read_sight reads what the mover knows")
    hands = [cards_of(found.dealt(seat)) for seat in (0, 1)]
    deck = [*hands[0], *hands[1], found.upcard, *found.drawn(), *found.stock]
    known = [card for card in deck if card != NO_CARD]
    if len(deck) != CARDS or len(set(known)) < len(known):
        raise ParseError(f"expected 52 different cards, got {len(deck)}, {len(set(known))} of them different")
    game = Game(found.rules, found.starter, scores=found.scores, won=found.won, rounds=found.number)
    table = game.deal(deck)
    for place, turn in enumerate(found.turns):
        _play_turn(table, turn, last=place == len(found.turns) - 1)
    if found.defence is not None:
        table.apply(Defend(found.defence))
    if any(set(cards_of(table.hands[seat])) != set(found.hands[seat]) for seat in (0, 1)):
        raise ParseError("expected the hands that follow from the turns, got others")
    if table.over:
        game.book(table)
    return game


def _play_turn(table: Round, turn: Turn, last: bool) -> None:
    if turn.kind in ("takes", "reaches") and turn.card != table.top:
        raise IllegalAction(f"expected the upcard {_cards_word([table.top])}, got {card_text(turn.card)}")
    table.apply(Pass() if turn.kind == "passes" else Draw() if turn.kind == "draws" else Take())
    if table.over != (turn.kind == "reaches") and turn.kind != "passes":
        raise IllegalAction(f"expected the round to end by an attempt to take, got {_turn_word(turn)}")
    if turn.discard != NO_CARD:
        table.apply(Discard(turn.discard))
    if turn.knock:
        table.apply(Knock(turn.knock.melds))
    elif turn.played_on or (table.phase is Phase.KNOCK and not last):
        table.apply(PlayOn())


def _parse(line: str) -> _Line:
    """Read the words of a line."""
    words = _Words(line)
    try:
        rules, number = parse_rules(words.next("rules")), words.number("the number of the round")
        scores, won = words.pair("the score, such as 12-0"), words.pair("the rounds won, such as 1-0")
        starter = words.number("the seat that started, 0 or 1")
        hands = words.cards("the hand of seat 0"), words.cards("the hand of seat 1")
        stock, upcard = words.stock(), words.card("the first upcard")
        turns, defence = words.turns(starter, hands)
    except ParseError as error:
        raise error if error.line else ParseError(error.message, 1, words.column) from None
    if number < 1 or starter not in (0, 1):
        raise ParseError(f"expected round 1 or later and seat 0 or 1, got {number} and {starter}")
    if sum(won) > number - 1:
        raise ParseError(f"expected at most {number - 1} rounds won, got {_pair_word(won)}")
    return _Line(rules, number - 1, scores, won, starter, hands, stock, upcard, turns, defence)


class _Words:
    """The words of a line one after the other; a fault names the column of the word."""

    def __init__(self, line: str) -> None:
        self.words: Iterator[re.Match[str]] = re.finditer(r"\S+", line)
        self.column = 1

    def next(self, expected: str) -> str:
        """The next word."""
        found = next(self.words, None)
        if found is None:
            raise ParseError(f"expected {expected}, got the end of the line", 1, self.column)
        self.column = found.start() + 1
        return found.group()

    def number(self, expected: str) -> int:
        word = self.next(expected)
        if not re.fullmatch(r"[0-9]{1,5}", word):
            raise ParseError(f"expected {expected}, got {word!r}")
        return int(word)

    def pair(self, expected: str) -> Pair:
        word = self.next(expected)
        found = _PAIR.fullmatch(word)
        if not found:
            raise ParseError(f"expected {expected}, got {word!r}")
        return int(found[1]), int(found[2])

    def card(self, expected: str) -> int:
        return parse_card(self.next(expected))

    def cards(self, expected: str) -> list[int]:
        return _cards(self.next(expected))

    def stock(self) -> list[int]:
        word = self.next("the stock: its cards or their number")
        if re.fullmatch(r"[0-9]{1,2}", word):
            return [NO_CARD] * int(word)
        return _cards(word)

    def turns(self, starter: int, hands: Hands) -> tuple[tuple[Turn, ...], Melds | None]:
        """The turns, and the defender's melds when they are the last word."""
        turns: list[Turn] = []
        defence: Melds | None = None
        for found in self.words:
            self.column = found.start() + 1
            word = found.group()
            if defence is not None:
                raise ParseError(f"expected the end of the line after the defence, got {word!r}")
            if word[0] == "m":
                defence = _melds(word[1:])
            else:
                turns.append(_turn(word, (starter + len(turns)) % 2, hands))
        return tuple(turns), defence


def _turn(word: str, seat: int, hands: Hands) -> Turn:
    found = _TURN.fullmatch(word)
    if not found or (found["card"] is None) != (found["kind"] == "p"):
        raise ParseError(f"expected a turn such as p, t6H-4C or dAC-KD, got {word!r}")
    card = _cards(found["card"])[0] if found["card"] else NO_CARD
    discard = parse_card(found["discard"]) if found["discard"] else NO_CARD
    try:
        knock = _showing(_melds(found["melds"]), hands[seat]) if found["melds"] else None
        return Turn(seat, _KINDS[found["kind"]], card, discard, knock, bool(found["on"]))
    except ValueError as error:
        raise ParseError(f"{error}, got {word!r}") from None


def _showing(melds: Melds, hand: list[int]) -> Showing:
    """The knocker's hand laid open."""
    melded = {card for meld in melds for card in cards_of(meld)}
    return Showing(melds, mask_of(set(hand) - melded - {NO_CARD}))


def _melds(word: str) -> Melds:
    return () if word == _NONE else tuple(mask_of(_cards(part)) for part in word.split("|"))


def _cards(word: str) -> list[int]:
    """Cards without blanks between them."""
    texts = [word[place : place + 2] for place in range(0, len(word), 2)]
    cards = [NO_CARD if text == UNKNOWN else parse_card(text) for text in texts]
    known = [card for card in cards if card != NO_CARD]
    if len(set(known)) < len(known):
        raise ParseError(f"expected different cards, got {word!r}")
    return cards
