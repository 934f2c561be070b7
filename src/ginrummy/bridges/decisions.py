"""Decisions as lines of text: the format ``decisions`` of ``formats``, see ``positions``."""

from collections.abc import Sequence

from ginrummy.bridges.positions import write_decisions
from ginrummy.errors import BadInput
from ginrummy.notation import GameRecord
from ginrummy.rules import Rules


def read(text: str, rules: Rules) -> list[GameRecord]:
    """Refused: the lines hide cards."""
    raise BadInput("decisions hide cards: no game can be read from them; ginrummy.read_sight reads one line")


def write(records: Sequence[GameRecord]) -> str:
    """A line for each decision."""
    return write_decisions(records)
