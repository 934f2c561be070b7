"""Where a number comes from: command, code, machine and time, written beside it in one JSON file."""

import datetime
import json
import os
import platform
import re
import stat
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ginrummy import __version__
from ginrummy._jit import PACKAGE, code_digest
from ginrummy.errors import BadInput
from ginrummy.players.files import files_of

_NUMBERS = re.compile(r"(?<=\[)[-+0-9.eE,\s]+(?=\])")
"""The inside of a list of numbers."""


def provenance(*specs: object) -> dict[str, Any]:
    """What made a result: enough to make it again, and to judge its timings.

    ``files`` is there when the specs name players or networks outside the package.
    """
    files = files_of(specs)
    return {
        "command": " ".join(["ginrummy", *sys.argv[1:]]),
        "version": __version__,
        "code": code_digest(),
        **({"files": files} if files else {}),
        "commit": _commit(),
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        "made": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
    }


def _commit() -> str | None:
    """The commit of the source tree, with a plus when it has changes; None when installed from a wheel."""

    def git(*words: str) -> str:
        call = ["git", "-C", str(PACKAGE), *words]
        return subprocess.run(call, capture_output=True, text=True, check=True, timeout=10).stdout.strip()

    try:
        changed = git("status", "--porcelain", "--", str(PACKAGE))
        return git("rev-parse", "HEAD") + ("+" if changed else "")
    except (OSError, subprocess.SubprocessError):
        return None


def check_writable(path: Path) -> None:
    """Refuse a file that cannot be written, before hours of work are spent on its content.

    Devices, pipes and links are refused too: writing a result replaces the file, so it would replace them.
    """
    _check_plain(path)
    if path.exists() and not os.access(path, os.W_OK):
        raise BadInput(f"cannot write {path}: no permission")
    try:
        half, fd = _open_half(path)
        os.close(fd)
        half.unlink()
    except OSError as error:
        raise BadInput(f"cannot write {path}: {error.strerror}") from None


def write_evidence(path: Path, result: dict[str, Any]) -> None:
    """Write a result as JSON; a reader never sees half a file, and what is written is on the disk."""
    write_files({path: [as_text(result) + "\n"]})


def write_files(files: Mapping[Path, Iterable[str]]) -> None:
    """Write files from pieces of text, all or none: they take their places when all are on the disk."""
    halves: dict[Path, Path] = {}
    try:
        for path, pieces in files.items():
            _check_plain(path)
            half, fd = _open_half(path)
            halves[path] = half
            with os.fdopen(fd, "w", encoding="utf-8", newline="") as file:
                file.writelines(pieces)
                file.flush()
                os.fsync(file.fileno())
        for path, half in halves.items():
            half.replace(path)
    except BaseException:
        for half in halves.values():
            half.unlink(missing_ok=True)
        raise


def _check_plain(path: Path) -> None:
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return
    except (OSError, ValueError) as error:
        raise BadInput(f"cannot write {path}: {getattr(error, 'strerror', error)}") from None
    if not stat.S_ISREG(mode):
        raise BadInput(f"cannot write {path}: it is not a plain file")


def _open_half(path: Path) -> tuple[Path, int]:
    """A new file beside ``path`` that takes its place when it is whole."""
    half = path.with_name(f".{path.name}.{os.getpid()}.part")
    half.unlink(missing_ok=True)  # left by a killed process that had the same number
    return half, os.open(half, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)


def as_text(result: Any) -> str:
    """JSON for people and version control: indented, but a list of numbers on one line."""
    return _NUMBERS.sub(lambda found: " ".join(found.group().split()), json.dumps(result, indent=1))
