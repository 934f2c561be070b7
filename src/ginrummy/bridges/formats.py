"""Records of games in the formats of several programs, by name: ``ginrummy convert`` reads and writes them.

A format is a line here: what it is, how a text in it begins, and two functions, ``read(text, rules)`` to
``GameRecord`` values and ``write(records)`` to text. Each is imported when it is used.
"""

import gzip
import importlib
import re
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ginrummy.errors import BadInput, GinRummyError, ParseError, UnknownName
from ginrummy.evidence import check_writable, write_files
from ginrummy.notation import GameRecord, read_all, write_all
from ginrummy.rules import PRESETS, Rules

Reader = Callable[[str, Rules], list[GameRecord]]
Writer = Callable[[Sequence[GameRecord]], str]


class Format(NamedTuple):
    """A format of records."""

    summary: str
    begins: str
    """How the first line that is not blank begins, as a regular expression."""
    module: str
    """Where ``read`` and ``write`` are."""


FORMATS = {
    "notation": Format("the text record of this project", r"\[", "ginrummy.bridges.formats"),
    "challenge": Format(
        "the verbose log of the EAAI challenge's program",
        r"# game \d|Player 0 is dealt ",
        "ginrummy.bridges.challenge_log",
    ),
    "jsonl": Format("JSON Lines, one game in each line", r"\{", "ginrummy.bridges.json_lines"),
    "openspiel": Format(
        "OpenSpiel's histories, one round in each line",
        r"\[?\s*\d+\s*[, ]",
        "ginrummy.bridges.openspiel.text",
    ),
    "positions": Format(
        "positions with all cards, one round in each line",
        rf"(?:{'|'.join(PRESETS)})[^ ]* \d+ \d+-\d+ ",
        "ginrummy.bridges.positions",
    ),
    "decisions": Format(
        "positions with what the player to move knows, one decision in each line: only written",
        r"$.",
        "ginrummy.bridges.decisions",
    ),
}


class Converted(NamedTuple):
    """What a conversion did."""

    source: str
    target: str
    games: int
    rounds: int


def read(text: str, rules: Rules) -> list[GameRecord]:
    """Games in our own notation, which says under which rules they were played."""
    games = read_all(text)
    if not games:
        raise ParseError("expected a game, got an empty file", 1, 1)
    return games


def write(records: Sequence[GameRecord]) -> str:
    """Games in our own notation."""
    return write_all(records)


def convert(source: Path, target: Path, rules: Rules, reads: str | None, writes: str) -> Converted:
    """Write the games of a file to another in another format. An error leaves the target as it was.

    ``reads`` is the format of the source; None: recognised by how it begins. ``rules`` are those of formats
    that do not name them.
    """
    write_text: Writer = _function(writes, "write")
    check_writable(target)
    name, games = read_games(source, rules, reads)
    write_files({target: [write_text(games)]})
    return Converted(name, writes, len(games), sum(len(game.rounds) for game in games))


def read_games(source: Path, rules: Rules, reads: str | None = None) -> tuple[str, list[GameRecord]]:
    """The games of a file in any format that can be read, and the format's name; arguments as in ``convert``.

    An error names the file.
    """
    text = _text(source)
    name = reads or _recognised(source, text)
    reader: Reader = _function(name, "read")
    try:
        return name, reader(text, rules)
    except GinRummyError as error:
        raise ParseError(f"{source}: {error}") from None


def _text(path: Path) -> str:
    """The text of a file, also of one compressed by gzip; bad bytes become bad text, with a place."""
    try:
        content = path.read_bytes()
        if content[:2] == b"\x1f\x8b":
            content = gzip.decompress(content)
    except (OSError, EOFError, zlib.error) as error:
        raise BadInput(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from None
    return content.decode("utf-8", errors="replace")


def _recognised(path: Path, text: str) -> str:
    first = text.lstrip("\ufeff \t\r\n")
    for name, one in FORMATS.items():
        if re.match(one.begins, first):
            return name
    raise BadInput(f"{path} is in no format that is known here ({', '.join(FORMATS)}); --from may name it")


def _function(name: str, what: str) -> Any:
    if name not in FORMATS:
        raise UnknownName(f"unknown format {name!r}: choose one of {', '.join(FORMATS)}")
    return getattr(importlib.import_module(FORMATS[name].module), what)
