"""The verbose log of the challenge's program: games read into our records, and any game written as one.

    # game 0 simple marjj                     this line stands before a game, or not
    Player 0 is dealt [2D, 2C, 8D, …].
    Player 1 is dealt [9C, KS, 4S, …].
    Player 0 starts.
    The initial face up card is 6H.
    Player 0 declines 6H.
    Player 1 draws 6H.
    …

Reading is strict. The moves are played by the checked engine, then the game is written again, and every line
must be the same but for the order of cards within brackets. The log does not say where a card came from: a
drawn card that is the upcard was taken. The order in which cards were dealt is kept in the headers ``Dealt0``
and ``Dealt1`` of a round, and the line by which a game was forfeited in the header ``Forfeit`` of the game.
So a log that was read is written with the same bytes.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import NoReturn

from ginrummy.cards import CARDS, NO_CARD, card_text, cards_of, mask_of, parse_card
from ginrummy.errors import BadInput, GinRummyError, IllegalAction, ParseError
from ginrummy.game import Game
from ginrummy.melds import best_meld_sets, points
from ginrummy.notation import GameRecord, RoundRecord, record_of, replay_game
from ginrummy.round import Action, Defend, Discard, Draw, Knock, Pass, Phase, PlayOn, Round, Take
from ginrummy.rules import HAND_SIZE, Rules
from ginrummy.scoring import BIG_GIN, DEAD, GIN, KNOCK, OUTCOMES, TIE
from ginrummy.view import WALL_OFFER

CANCELLED = "The draw pile was reduced to two cards without knocking, so the hand is cancelled."
_CARD = r"[A23456789TJQK][CHSD]"
_GAME = re.compile(r"# game (\d+) (\S+) (\S+)")
_DEALT = re.compile(r"Player ([01]) is dealt \[(.*)\]\.")
_STARTS = re.compile(r"Player ([01]) starts\.")
_UPCARD = re.compile(rf"The initial face up card is ({_CARD})\.")
_MOVE = re.compile(rf"Player ([01]) (declines|draws|discards) ({_CARD})\.")
_KNOCKS = re.compile(
    r"Player ([01]) (?:goes gin with melds|melds) \[(.*?)\](?: with \d+ deadwood from .*)?\."
)
_SAYS = re.compile(r"Player [01] (?:has|lays off|scores|undercuts) .*")
_FORFEIT = re.compile(r"Player [01] (?:discards|melds) .* and forfeits\.")
_WINS = re.compile(r"Player [01] wins\.")
_LIST = re.compile(r"\[([^\[\]]*)\]")


# Reading.


def read(text: str, rules: Rules) -> list[GameRecord]:
    """The games of a log; a ``ParseError`` names the first line that cannot be."""
    lines = _Lines(text.splitlines())
    games: list[GameRecord] = []
    while lines.more():
        games.append(_read_game(lines, rules, len(games)))
    if not games:
        raise ParseError("expected a game, got an empty file", 1, 1)
    return games


class _Lines:
    """The lines of a log with their numbers, blank ones left out."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = [(number, line.rstrip()) for number, line in enumerate(lines, 1) if line.strip()]
        self.at = 0
        self.end = len(lines) + 1

    def more(self) -> bool:
        return self.at < len(self.lines)

    @property
    def next(self) -> str:
        return self.lines[self.at][1] if self.more() else ""

    @property
    def number(self) -> int:
        return self.lines[self.at][0] if self.more() else self.end

    def take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """The next line, if it fits."""
        found = pattern.fullmatch(self.next) if self.more() else None
        self.at += found is not None
        return found

    def need(self, pattern: re.Pattern[str], what: str) -> re.Match[str]:
        return self.take(pattern) or self.fail(what)

    def fail(self, expected: str) -> NoReturn:
        got = repr(self.next) if self.more() else "the end of the log"
        raise ParseError(f"expected {expected}, got {got}", self.number, 1)


def _read_game(lines: _Lines, rules: Rules, place: int) -> GameRecord:
    begin = lines.at
    head = lines.take(_GAME)
    game, dealt, forfeit = None, [], ""
    while not forfeit and _DEALT.fullmatch(lines.next):
        number = lines.number
        hands, starter, upcard = _read_deal(lines)
        dealt.append(hands)
        moves, forfeit = _read_moves(lines, upcard)
        game = game or Game(rules, starter)
        if game.starter != starter or game.over:
            what = "no more rounds" if game.over else f"seat {game.starter} to start"
            raise ParseError(f"expected {what}, got another deal", number, 1)
        _play(game, hands, upcard, moves, bool(forfeit) or not lines.more())
    if game is None:
        lines.fail("the hand of player 0 or a line '# game N NAME NAME'")
    lines.take(_WINS)
    names = (head[2], head[3]) if head else ("?", "?")
    headers = (("Forfeit", forfeit),) if forfeit else ()
    record = record_of(game, names, number=int(head[1]) if head else None, headers=headers)
    rounds = zip(record.rounds, dealt, strict=True)
    record = replace(record, rounds=tuple(replace(one, headers=_order(hands)) for one, hands in rounds))
    _compare(lines, begin, record, bool(head), place)
    return record


def _order(hands: Sequence[Sequence[int]]) -> tuple[tuple[str, str], ...]:
    return tuple((f"Dealt{seat}", " ".join(map(card_text, hand))) for seat, hand in enumerate(hands))


def _read_deal(lines: _Lines) -> tuple[list[list[int]], int, int]:
    """Both hands in the order dealt, the seat that starts, the first upcard."""
    hands = []
    for seat in "01":
        number = lines.number
        found = lines.need(_DEALT, f"the hand of player {seat}")
        cards = _cards(found[2], number)
        if found[1] != seat or len(set(cards)) != HAND_SIZE or len(cards) != HAND_SIZE:
            raise ParseError(f"expected ten cards of player {seat}, got {found[0]!r}", number, 1)
        hands.append(cards)
    starter = int(lines.need(_STARTS, "who starts")[1])
    number = lines.number
    upcard = parse_card(lines.need(_UPCARD, "the first face-up card")[1])
    if len({*hands[0], *hands[1], upcard}) != 2 * HAND_SIZE + 1:
        raise ParseError("expected 21 different cards in the hands and face up", number, 1)
    return hands, starter, upcard


Move = tuple[int, int, str, list[int]]
"""Line, seat, what was done, and cards or melds."""


def _read_moves(lines: _Lines, upcard: int) -> tuple[list[Move], str]:
    """The moves of a round up to its score table, and the line by which the game was forfeited, if any."""
    moves: list[Move] = []
    while lines.more():
        number = lines.number
        if found := lines.take(_MOVE):
            moves.append((number, int(found[1]), found[2], [parse_card(found[3])]))
        elif found := lines.take(_FORFEIT):
            return moves, found[0]
        elif found := lines.take(_KNOCKS):
            melds = [mask_of(_cards(inner, number)) for inner in _LIST.findall(found[2] + "]")]
            moves.append((number, int(found[1]), "melds", [int(meld) for meld in melds]))
        elif lines.next == "Player\tScore":
            lines.at += 3
            return moves, ""
        elif lines.next != CANCELLED and not _SAYS.fullmatch(lines.next):
            lines.fail("a line of a round")
        else:
            lines.at += 1
    return moves, ""


def _play(game: Game, hands: list[list[int]], upcard: int, moves: list[Move], open_end: bool) -> None:
    """Play the moves of a round by the rules; what they forbid is an error at its line."""
    stock, top = [], upcard
    for _, _, kind, cards in moves:
        if kind == "draws" and cards[0] != top:
            stock.append(cards[0])
        top = cards[0] if kind == "discards" else NO_CARD if kind == "draws" else top
    known = [*hands[0], *hands[1], upcard, *stock]
    line = moves[0][0] if moves else 0
    try:
        if len(known) > CARDS:
            raise IllegalAction(
                f"expected at most {CARDS - 2 * HAND_SIZE - 1} cards from the stock, got more"
            )
        table = game.deal([*known, *[NO_CARD] * (CARDS - len(known))])
        for number, seat, kind, cards in moves:
            line = number
            if kind == "melds" and table.over and table.rules.optimal_defence:
                continue  # the rules chose the defence; the line is compared later
            if table.phase is Phase.KNOCK and kind != "melds":
                table.apply(PlayOn())
            action = _action(table, kind, cards)
            if seat != table.mover and not table.over:
                raise IllegalAction(f"expected player {table.mover}, got player {seat}")
            table.apply(action)
        if table.phase is Phase.KNOCK and not open_end:
            table.apply(PlayOn())
        if table.over:
            game.book(table)
        elif not open_end:
            raise IllegalAction(f"expected a round that has ended before its scores, got {table!r}")
    except (IllegalAction, BadInput) as error:
        raise ParseError(str(error), line, 1) from None


def _action(table: Round, kind: str, cards: list[int]) -> Action:
    if kind == "declines":
        return Pass()
    if kind == "draws":
        return Take() if cards[0] == table.top else Draw()
    if kind == "discards":
        return Discard(cards[0])
    melds = tuple(mask_of(cards_of(meld)) for meld in cards)
    return Defend(melds) if table.phase is Phase.DEFEND else Knock(melds)


def _cards(text: str, line: int) -> list[int]:
    try:
        found = [parse_card(word) for word in text.split(", ")] if text else []
        mask_of(found)
        return found
    except GinRummyError as error:
        raise ParseError(str(error), line, 1) from None


def _compare(lines: _Lines, begin: int, record: GameRecord, headed: bool, place: int) -> None:
    """Refuse a log that says anything but what follows from its moves."""
    expected = list(_game_lines(record, place))[0 if headed else 1 :]
    got = lines.lines[begin : lines.at]
    for want, line in zip_longest(expected, got):
        if line is None:
            lines.fail(repr(want))
        if want is None or _sorted(want) != _sorted(line[1]):
            said = repr(want) if want is not None else "another game"
            raise ParseError(f"expected {said}, got {line[1]!r}", line[0], 1)


def _sorted(line: str) -> str:
    """A line with the cards of each list in one order."""
    return _LIST.sub(lambda found: "[" + ", ".join(sorted(found[1].split(", "))) + "]", line)


# Writing.


def write(records: Sequence[GameRecord]) -> str:
    """The log of some games. ``BadInput`` where a game has what the challenge's program does not know."""
    return "".join(f"{line}\n" for place, record in enumerate(records) for line in _game_lines(record, place))


def _game_lines(record: GameRecord, place: int) -> Iterator[str]:
    number = place if record.game is None else record.game
    names = ["_".join(name.split()) or "?" for name in record.players]
    yield f"# game {number} {names[0]} {names[1]}"
    if any(one.one_sided for one in record.rounds):
        raise BadInput(f"game {number} cannot be written as a log: not all its cards are known")
    game = replay_game(record)
    for entry, written in zip(game.dealt, record.rounds, strict=True):
        try:
            yield from _round_lines(entry.round, written)
        except BadInput as error:
            where = f"game {number}, round {written.number}"
            raise BadInput(f"{where} cannot be written as a log: {error}") from None
        if written.ending:
            yield from ("Player\tScore", *(f"{seat}\t{written.ending.scores[seat]}" for seat in (0, 1)))
    yield from (value for name, value in record.headers if name == "Forfeit")
    if record.finished and record.winner is None:
        raise BadInput(f"game {number} cannot be written as a log: it is drawn")
    if record.finished:
        yield f"Player {record.winner} wins."


def _round_lines(table: Round, record: RoundRecord) -> Iterator[str]:
    hands = [_dealt(record, seat) for seat in (0, 1)]
    for seat, hand in enumerate(hands):
        yield f"Player {seat} is dealt {_text(hand)}."
    yield f"Player {table.starter} starts."
    yield f"The initial face up card is {card_text(table.upcard)}."
    again = Round.deal(table.deck, table.starter, table.rules)
    for seat, action in table.actions:
        if isinstance(action, Pass) and again.offer == WALL_OFFER:
            raise BadInput("a pass at the wall")
        top = again.top
        again.apply(action)
        match action:
            case Pass():
                yield f"Player {seat} declines {card_text(top)}."
            case Take() | Draw():
                if again.over:
                    raise BadInput("a round that ends with an attempt to take the upcard")
                hands[seat].append(again.drawn[seat])
                yield f"Player {seat} draws {card_text(again.drawn[seat])}."
            case Discard(card):
                hands[seat].remove(card)
                yield f"Player {seat} discards {card_text(card)}."
                yield _has_line(seat, hands[seat])
            case Knock(melds):
                yield _knock_line(seat, table.hands[seat], melds)
    if table.result:
        yield from _result_lines(table)


def _dealt(record: RoundRecord, seat: int) -> list[int]:
    """A hand in the order dealt, if a header tells it, otherwise by card."""
    for name, value in record.headers:
        if name == f"Dealt{seat}":
            hand = [parse_card(word) for word in value.split()]
            if len(hand) != HAND_SIZE or mask_of(hand) != record.hands[seat]:
                raise BadInput(f"header {name} must have the cards of the hand")
            return hand
    return cards_of(record.hands[seat])


def _has_line(seat: int, hand: list[int]) -> str:
    """The first best meld set and the rest, in the order in which the cards came."""
    sets = best_meld_sets(mask_of(hand))
    melds = [cards_of(meld) for meld in sets[0]] if sets else []
    loose = [card for card in hand if not any(card in meld for meld in melds)]
    shown = _lists([*melds, loose]) if melds else _text(loose)
    return f"Player {seat} has {shown} with {points(mask_of(loose))} deadwood."


def _knock_line(seat: int, hand: int, melds: Sequence[int]) -> str:
    loose, shown = hand & ~sum(melds), _lists([cards_of(meld) for meld in melds])
    if not loose:
        return f"Player {seat} goes gin with melds {shown}."
    return f"Player {seat} melds {shown} with {points(loose)} deadwood from {_text(cards_of(loose))}."


def _result_lines(table: Round) -> Iterator[str]:
    result = table.result
    assert result
    if result.outcome == DEAD:
        yield CANCELLED
        return
    if result.outcome in (BIG_GIN, TIE):
        raise BadInput(OUTCOMES[result.outcome])
    assert result.knocker is not None and result.deadwoods is not None
    knocker, defender = result.knocker, 1 - result.knocker
    yield f"Player {defender} melds {_lists([cards_of(meld) for meld in result.melds[defender]])}."
    grown = [cards_of(meld) for meld in result.melds[knocker]]
    for card, place in result.layoffs:
        yield f"Player {defender} lays off {card_text(card)} on {_text(grown[place])}."
        grown[place].append(card)
    laid = mask_of(card for card, _ in result.layoffs)
    left, kept = result.deadwoods[defender], table.hands[defender] & ~sum(result.melds[defender]) & ~laid
    yield f"Player {defender} has {left} deadwood with {_text(cards_of(kept))}"
    rules, won = table.rules, result.points
    if result.outcome == GIN:
        bonus = f"the gin bonus of {rules.gin_bonus} plus opponent deadwood {left}"
        yield f"Player {knocker} scores {bonus} for {won} total points."
    elif result.outcome == KNOCK:
        yield f"Player {knocker} scores the deadwood difference of {won}."
    else:
        less = result.deadwoods[knocker] - left
        bonus = f"the undercut bonus of {rules.undercut_bonus} plus deadwood difference of {less}"
        yield f"Player {defender} undercuts and scores {bonus} for {won} total points."


def _text(cards: Sequence[int]) -> str:
    return "[" + ", ".join(map(card_text, cards)) + "]"


def _lists(melds: Sequence[Sequence[int]]) -> str:
    return "[" + ", ".join(map(_text, melds)) + "]"
