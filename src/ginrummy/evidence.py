"""Where a number comes from: command, code, machine and time, written beside it in one JSON file."""

import datetime
import json
import os
import platform
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from ginrummy import __version__
from ginrummy._jit import PACKAGE, code_digest

_NUMBERS = re.compile(r"(?<=\[)[-+0-9.eE,\s]+(?=\])")
"""The inside of a list of numbers."""


def provenance() -> dict[str, Any]:
    """What made a result: enough to make it again, and to judge its timings."""
    return {
        "command": " ".join(["ginrummy", *sys.argv[1:]]),
        "version": __version__,
        "code": code_digest(),
        "commit": _commit(),
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        "made": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
    }


def _commit() -> str | None:
    """The commit of the source tree, with a plus when it is changed; None when installed from a wheel."""

    def git(*words: str) -> str:
        call = ["git", "-C", str(PACKAGE), *words]
        return subprocess.run(call, capture_output=True, text=True, check=True, timeout=10).stdout.strip()

    try:
        changed = git("status", "--porcelain", "--", str(PACKAGE))
        return git("rev-parse", "HEAD") + ("+" if changed else "")
    except (OSError, subprocess.SubprocessError):
        return None


def check_writable(path: Path) -> None:
    """Refuse a file that cannot be written, before hours are spent on what should go in it."""
    directory = path.parent
    if (
        path.is_dir()
        or not directory.is_dir()
        or not os.access(path if path.exists() else directory, os.W_OK)
    ):
        raise ValueError(f"cannot write {path}: no such directory, or no permission")


def write_evidence(path: Path, result: dict[str, Any]) -> None:
    """Write a result as JSON; a reader never sees half a file."""
    partial = path.with_name(path.name + ".part")
    partial.write_text(as_text(result) + "\n", encoding="utf-8")
    partial.replace(path)


def as_text(result: Any) -> str:
    """JSON for people and version control: indented, but a list of numbers on one line."""
    return _NUMBERS.sub(lambda found: " ".join(found.group().split()), json.dumps(result, indent=1))
