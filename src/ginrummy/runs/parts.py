"""Files that shards make, beside the journal: for results that are too large for its lines.

A worker that can see the directory writes its file there itself. One on another machine sends the content,
and the driver writes it. Either way the file is whole and on the disk before the journal says so.
"""

from __future__ import annotations

import base64
import os
import shutil
import tempfile
import uuid
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ginrummy.runs.journal import Result, RunError, default_journal_path

CONTENT = "content"
"""The key of a result under which the content of a file travels."""
Place = dict[str, str]
"""The directory of the files, and a mark by which a worker knows that it sees the driver's directory."""


@contextmanager
def parts(directory: Path, fresh: bool = False) -> Iterator[Place]:
    """A directory for the files of a run, made if absent, emptied if ``fresh``."""
    if fresh:
        shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True, exist_ok=True)
    mark = directory / f".{uuid.uuid4().hex}"
    mark.touch()
    try:
        yield {"directory": str(directory.absolute()), "mark": mark.name}
    finally:
        mark.unlink(missing_ok=True)


@contextmanager
def directory(identity: Mapping[str, Any] | None) -> Iterator[Path]:
    """A directory for parts and their journal, by the name of the work: it is removed when the work is done.

    If the work ends with an error, the directory stays for the next start. Without a name it never stays.
    """
    if identity is None:
        with tempfile.TemporaryDirectory() as folder:
            yield Path(folder)
        return
    path = default_journal_path(identity).with_suffix(".parts")
    yield path
    shutil.rmtree(path, ignore_errors=True)


def put(place: Place, name: str, content: bytes) -> Result:
    """In a worker: keep a file. What comes back belongs into the shard's result."""
    directory = Path(place["directory"])
    if (directory / place["mark"]).exists():
        write_part(directory / name, content)
        return {}
    return {CONTENT: base64.b85encode(zlib.compress(content, 1)).decode()}


def receive(path: Path, result: Result) -> Result:
    """In the driver: write the file of a shard, if its content has come with the result."""
    sent = result.pop(CONTENT, None)
    if sent is not None:
        write_part(path, zlib.decompress(base64.b85decode(sent)))
    return result


def write_part(path: Path, content: bytes) -> None:
    """Write a file, whole or not at all, and not before it is on the disk."""
    half = path.with_name(path.name + ".half")
    try:
        with half.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        half.replace(path)
    except OSError as error:
        raise RunError(f"cannot write {path}: {error.strerror or error}; finished parts are kept") from error
