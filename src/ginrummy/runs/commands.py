"""The command under way, for the notes in its journals: ``ginrummy runs resume`` gives it again."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

_command: list[str] = []


def set_command(words: list[str]) -> None:
    """Say which command is under way; its words go into the journals that it makes."""
    _command[:] = words


def note() -> dict[str, Any] | None:
    """What a new journal says about how it came to be; None when no command is under way."""
    if not _command:
        return None
    began = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    return {"command": list(_command), "directory": str(Path.cwd()), "began": began}
