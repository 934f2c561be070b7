"""Histories of OpenSpiel as text: one line for each round, numbers with commas or blanks between them.

    29, 3, 44, 17, …, 54, 52, 12

Brackets around a line are allowed; a line that begins with ``#`` is a comment. A written line begins with the
deal, as ``state.history()`` does.
"""

import re
from collections.abc import Sequence

from ginrummy.bridges.openspiel import histories
from ginrummy.errors import IllegalAction, ParseError
from ginrummy.notation import GameRecord
from ginrummy.rules import Rules

_LINE = re.compile(r"\[?\s*(\d{1,3}(?:(?:\s*,\s*|\s+)\d{1,3})*)\s*\]?")


def read(text: str, rules: Rules) -> list[GameRecord]:
    """A game of one round for each line; its rules are always those of OpenSpiel."""
    games = []
    for number, line in enumerate(text.lstrip("\ufeff").splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        found = _LINE.fullmatch(line.strip())
        if found is None:
            raise ParseError("expected whole numbers with commas or blanks between them", number, 1)
        try:
            games.append(histories.game_record([int(word) for word in re.findall(r"\d+", found[1])]))
        except ParseError as error:
            raise ParseError(error.message, number, 1) from None
    if not games:
        raise ParseError("expected a history, got an empty file", 1, 1)
    return games


def write(records: Sequence[GameRecord]) -> str:
    """A line for each round of each game."""
    lines = []
    for game, record in enumerate(records, 1):
        for one in record.rounds:
            try:
                actions = histories.write(one)
            except IllegalAction as error:
                raise IllegalAction(f"game {game}, round {one.number}: {error}") from None
            lines.append(", ".join(map(str, actions)) + "\n")
    return "".join(lines)
