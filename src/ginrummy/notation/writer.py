"""Records to text. ``notation`` describes the text."""

from collections.abc import Iterable, Iterator

from ginrummy.cards import NO_CARD, card_text, hand_text
from ginrummy.notation.records import Ending, GameRecord, Headers, Pair, RoundRecord, Showing, Turn
from ginrummy.round import Melds
from ginrummy.rules import HAND_SIZE, rules_text
from ginrummy.scoring import OUTCOMES

UNKNOWN = "??"


def write(record: GameRecord) -> str:
    """The text of a game."""
    blocks = [_headers(_game_headers(record), record.headers)]
    for round_ in record.rounds:
        blocks.append(_headers(_round_headers(round_), round_.headers))
        blocks.append("\n".join(_play(round_)))
    blocks.append(_game_line(record))
    return "\n\n".join(blocks) + "\n"


def write_all(records: Iterable[GameRecord]) -> str:
    """The text of several games, one after the other."""
    return "\n".join(map(write, records))


def card_word(card: int) -> str:
    """A card, or ``??``."""
    return UNKNOWN if card == NO_CARD else card_text(card)


def melds_text(melds: Melds) -> str:
    """Melds side by side: ``"8C 8S 8D | 9C 9H 9D"``."""
    return " | ".join(map(hand_text, melds)) or "nothing"


def pair_text(pair: Pair) -> str:
    """Two numbers by seat: ``"12-0"``."""
    return f"{pair[0]}-{pair[1]}"


def _game_headers(record: GameRecord) -> Iterator[tuple[str, str]]:
    yield "Rules", rules_text(record.rules)
    yield "Seat0", record.players[0]
    yield "Seat1", record.players[1]
    if record.seed is not None:
        yield "Seed", str(record.seed)
    if record.game is not None:
        yield "Game", str(record.game)


def _round_headers(record: RoundRecord) -> Iterator[tuple[str, str]]:
    yield "Round", str(record.number)
    yield "Starter", str(record.starter)
    yield "Score", pair_text(record.scores)
    yield "Won", pair_text(record.won)
    for seat, hand in enumerate(record.hands):
        unknown = [UNKNOWN] * (HAND_SIZE - hand.bit_count())
        yield f"Hand{seat}", " ".join([*hand_text(hand).split(), *unknown])
    yield "Upcard", card_text(record.upcard)
    yield "Stock", " ".join(map(card_word, record.stock))


def _headers(known: Iterable[tuple[str, str]], others: Headers) -> str:
    return "\n".join(f'[{name} "{_escaped(value)}"]' for name, value in (*known, *others))


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"')


def _play(record: RoundRecord) -> Iterator[str]:
    for turn in record.turns:
        yield _turn(turn)
    if record.defence:
        knock = record.turns[-1].knock
        assert knock  # checked by RoundRecord
        yield _defence(1 - record.turns[-1].seat, record.defence, knock.melds)
    yield _result_line(record.ending)


def _turn(turn: Turn) -> str:
    if turn.kind == "passes":
        return f"{turn.seat} passes"
    if turn.kind == "reaches":
        return f"{turn.seat} reaches for {card_text(turn.card)}"
    parts = [f"{turn.seat} {turn.kind} {card_word(turn.card)}"]
    if turn.discard != NO_CARD:
        parts.append(f"discards {card_text(turn.discard)}")
    if turn.played_on:
        parts.append("plays on")
    if turn.knock:
        parts.append(f"knocks with {melds_text(turn.knock.melds)}")
        parts += _left(turn.knock)
    return ", ".join(parts)


def _defence(seat: int, defence: Showing, knocked: Melds) -> str:
    parts = [f"{seat} melds {melds_text(defence.melds)}"]
    for card, place in defence.layoffs:
        parts.append(f"lays off {card_text(card)} on {hand_text(knocked[place])}")
    return ", ".join(parts + _left(defence))


def _left(showing: Showing) -> list[str]:
    return [f"left with {hand_text(showing.loose)}"] if showing.loose else []


def _result_line(ending: Ending | None) -> str:
    if ending is None:
        return "result: unfinished"
    parts = [OUTCOMES[ending.outcome] + (" at the turn cap" if ending.capped else "")]
    if ending.winner is not None:
        parts.append(f"{ending.winner} scores {ending.points}")
    return f"result: {', '.join(parts)}, score {pair_text(ending.scores)}"


def _game_line(record: GameRecord) -> str:
    if not record.finished:
        return "game: unfinished"
    winner = "drawn" if record.winner is None else f"{record.winner} wins"
    return f"game: {winner}, totals {pair_text(record.totals)}"
