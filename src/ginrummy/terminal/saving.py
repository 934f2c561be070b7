"""Files of game records for ``ginrummy play``: a failed write leaves the old file unchanged."""

import os
from collections.abc import Sequence
from pathlib import Path

from ginrummy.errors import BadInput
from ginrummy.notation import GameRecord, read_all, write_all
from ginrummy.players.base import Player
from ginrummy.players.registry import make_player
from ginrummy.session import PERSON, Session


def file_named(text: str) -> Path:
    """The file that a person names; ``~`` is the home directory."""
    try:
        return Path(text).expanduser()
    except RuntimeError:
        raise BadInput(f"there is no home directory {text.partition('/')[0]!r}") from None


def shown(path: Path) -> str:
    """A file's name, fit to print."""
    text = str(path)
    return text if text.isprintable() else repr(text)


def check_file(path: Path) -> None:
    """Refuse what cannot be written as a plain file, before a game is played."""
    if path.exists() and not path.is_file():
        raise BadInput(f"cannot write {shown(path)}: it is not a plain file")
    if not path.parent.is_dir():
        raise BadInput(f"cannot write {shown(path)}: there is no such directory")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise BadInput(f"cannot write {shown(path)}: no permission")


def save(records: Sequence[GameRecord], path: Path) -> None:
    """Write records to a file, whole or not at all. Raises ``OSError`` or ``ValueError``."""
    check_file(path)
    target = path.resolve()  # a link stays a link
    partial = target.with_name(target.name + ".part")
    try:
        with partial.open("w", encoding="utf-8") as file:
            file.write(write_all(records))
            file.flush()
            os.fsync(file.fileno())
        partial.replace(target)
    except (OSError, ValueError):
        partial.unlink(missing_ok=True)
        raise


def load(path: Path, against: str | None = None) -> tuple[list[GameRecord], Session]:
    """The finished games of a file, and its last game, ready to continue.

    The opponent is the one that the record names, unless ``against`` names another.
    """
    text = path.read_bytes().decode("utf-8", errors="replace")  # bad bytes become bad text, with a place
    try:
        games = read_all(text)
        if not games or games[-1].finished:
            raise BadInput("its last game is finished" if games else "there is no game in it")
        return games[:-1], Session.resume(games[-1], _opponent(games[-1], against))
    except (ValueError, OverflowError) as error:
        why = "a number in it is too large" if isinstance(error, OverflowError) else error
        raise BadInput(f"cannot continue the game in {shown(path)}: {why}") from error


def _opponent(record: GameRecord, against: str | None) -> Player:
    others = [name for name in record.players if name != PERSON]
    if against is None and len(others) != 1:
        raise BadInput(f"expected one seat named {PERSON!r} and an opponent, got {', '.join(record.players)}")
    return make_player(others[0] if against is None else against)
