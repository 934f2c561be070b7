"""The user's own files on their way to another machine.

Work that depends on files outside the package (`players.files.Guarded`) takes them along. A worker unpacks
them below a directory of its own, in the same tree, and works from the place where the driver's working
directory would be: relative paths lead to the copies, and absolute ones in payloads are changed to do so.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from ginrummy.errors import BadInput
from ginrummy.players.files import Guarded, own_directories

_PATH = re.compile(r"/[^:;,@=]*")
"""An absolute path in a spec, such as ``py:/home/me/mine.py@make``."""


class Luggage(NamedTuple):
    """Files of the driver's machine."""

    files: dict[str, bytes]
    """Absolute path there -> content."""
    directory: str
    """The driver's working directory."""
    modules: tuple[str, ...]
    """Directories from which the user's modules are imported."""


def packed(work: Callable[[Any], Any]) -> Luggage | None:
    """The files that a piece of work depends on; None when there are none."""
    if not isinstance(work, Guarded):
        return None
    try:
        files = {path: Path(path).read_bytes() for path, _ in work.seen.values()}
    except OSError as error:
        raise BadInput(f"cannot read {error.filename}: {error.strerror}") from None
    modules = tuple(str(directory.absolute()) for directory in own_directories())
    return Luggage(files, str(Path.cwd()), modules)


def unpack(luggage: Luggage, root: Path) -> None:
    """Write the files below a directory."""
    for path, content in luggage.files.items():
        place = _below(root, path)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
    for directory in (luggage.directory, *luggage.modules):
        _below(root, directory).mkdir(parents=True, exist_ok=True)


def working_directory(luggage: Luggage, root: Path) -> Path:
    """The copy of the driver's working directory."""
    return _below(root, luggage.directory)


def module_directories(luggage: Luggage, root: Path) -> list[str]:
    """The copies of the directories of modules."""
    return [str(_below(root, directory)) for directory in luggage.modules]


def moved_work(work: Callable[[Any], Any], root: Path) -> Callable[[Any], Any]:
    """The same work, which looks at the copies."""
    if not isinstance(work, Guarded):
        return work
    seen = {name: (str(_below(root, path)), digest) for name, (path, digest) in work.seen.items()}
    return Guarded(work.work, seen)


def moved(value: Any, luggage: Luggage, root: Path) -> Any:
    """A payload in which absolute paths of the files lead to the copies."""
    if isinstance(value, str):
        return _PATH.sub(lambda found: _moved_path(found.group(), luggage, root), value)
    if isinstance(value, dict):
        return {key: moved(part, luggage, root) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [moved(part, luggage, root) for part in value]
    return value


def _moved_path(text: str, luggage: Luggage, root: Path) -> str:
    path = Path(text)
    known = any(Path(file).is_relative_to(path) for file in luggage.files)
    return str(_below(root, text)) if known else text


def _below(root: Path, path: str) -> Path:
    return root / path.lstrip("/")
