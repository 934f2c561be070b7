"""Rounds and decisions as lines of text that can be shared: see ``position`` for what a line says.

``positions`` has a line for each round, with all cards: the round as far as it was played. ``decisions``
has a line for each decision of each round, with only what the player to move may know; since such a line
hides cards, no game can be read from it, and ``ginrummy.read_sight`` reads what the player saw.
"""

from collections.abc import Iterator, Sequence

from ginrummy import position
from ginrummy.errors import BadInput, GinRummyError, ParseError
from ginrummy.notation import GameRecord, record_of, replay_game
from ginrummy.round import Round
from ginrummy.rules import Rules


def read(text: str, rules: Rules) -> list[GameRecord]:
    """A game for each line: the one round that it describes."""
    games = []
    for number, line in enumerate(text.lstrip("\ufeff").splitlines(), 1):
        if line.strip():
            try:
                games.append(record_of(position.read(line.strip())))
            except ParseError as error:
                raise ParseError(error.message, number, max(1, error.column)) from None
            except GinRummyError as error:
                raise ParseError(str(error), number, 1) from None
    if not games:
        raise ParseError("expected a position, got an empty file", 1, 1)
    return games


def write(records: Sequence[GameRecord]) -> str:
    """A line for each round, with all cards."""
    lines = []
    for record in records:
        for entry in replay_game(_open(record)).dealt:
            lines.append(position.write(entry.round, entry.number, entry.scores, entry.won) + "\n")
    return "".join(lines)


def write_decisions(records: Sequence[GameRecord]) -> str:
    """A line for each decision, with only what the player to move may know."""
    lines = []
    for record in records:
        for entry in replay_game(_open(record)).dealt:
            for table in _moments(entry.round):
                lines.append(position.write_for_mover(table, entry.number, entry.scores, entry.won) + "\n")
    return "".join(lines)


def _open(record: GameRecord) -> GameRecord:
    """The record, if it knows every card: a line with a guess in it would be wrong."""
    if any(one.one_sided for one in record.rounds):
        raise BadInput("expected a record that knows every card dealt and drawn")
    return record


def _moments(played: Round) -> Iterator[Round]:
    """The round before each of its actions at which there was a choice."""
    table = Round(played.deck, played.starter, played.rules)
    for _, action in played.actions:
        if len(table.legal_actions()) > 1:
            yield table
        table.apply(action)
