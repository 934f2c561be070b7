"""The journal of a run: a file of JSON lines that survives kill -9 and power loss.

Line 1 is the header ``{"format", "identity", "code", "shards"}``. Every further line is a finished shard,
``{"shard", "result", "sum"}``, where ``sum`` is the CRC-32 of the result's canonical text, started from the
shard's index. A line is one write followed by fsync, so only the last line can be torn.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import os
import re
import stat
import tempfile
import weakref
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, TypeAlias

from ginrummy.errors import GinRummyError

FORMAT = "ginrummy-run/1"

REMEDY = "remove the file or use --fresh"
"""What to do about a journal that is refused."""
SHOWN = 80
"""Characters of a value in a message."""

Result: TypeAlias = dict[str, Any]
"""A JSON object."""


class RunError(GinRummyError, RuntimeError):
    """A run could not go on; the message is one line for the person at the terminal."""


class JournalError(RunError):
    """A journal cannot be used."""


class JournalMismatch(JournalError, ValueError):
    """The file is the journal of another run, or of other code."""


class JournalBusy(JournalError):
    """Another process is writing this journal."""


def canonical(value: object) -> str:
    """The one text of a JSON value: sorted keys, no spaces, ASCII, no NaN."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def default_journal_path(identity: Mapping[str, Any]) -> Path:
    """The default path of a run's journal: one file for each identity, whatever the code.

    The directory is ``$GINRUMMY_STATE``, otherwise ``$XDG_STATE_HOME/ginrummy/runs``, otherwise
    ``~/.local/state/ginrummy/runs``.
    """
    if own := os.environ.get("GINRUMMY_STATE"):
        folder = Path(own)
    else:
        state = Path(os.environ.get("XDG_STATE_HOME", ""))
        if not state.is_absolute():  # the XDG specification: ignore a relative path
            state = Path.home() / ".local" / "state"
        folder = state / "ginrummy" / "runs"
    command = re.sub(r"[^a-z0-9]+", "-", str(identity.get("command", "run")).lower()).strip("-")
    digest = hashlib.sha256(canonical(dict(identity)).encode()).hexdigest()[:12]
    return folder / f"{command or 'run'}-{digest}.jsonl"


class Journal:
    """The finished shards of one run, locked for this process until closed.

    Opening makes the file, or reads it when it belongs to the same run. ``fresh`` drops what an older
    journal at ``path`` holds, whatever its identity; a file that is not a journal is never dropped.
    """

    path: Path
    shards: int
    """How many shards the whole run has."""
    results: dict[int, Result]
    """Finished shards: index -> result, as JSON returns it (lists for tuples, strings for keys)."""

    def __init__(
        self, path: str | Path, identity: Mapping[str, Any], code: str, shards: int, *, fresh: bool = False
    ) -> None:
        if shards < 0:
            raise ValueError(f"expected a number of shards, got {shards}")
        self.path = Path(path)
        self.shards = shards
        self.results = {}
        header = {"format": FORMAT, "identity": dict(identity), "code": code, "shards": shards}
        text = canonical(header)
        self._fd = _open_locked(self.path, text, fresh)
        _OPEN.add(self)
        try:
            self._read(json.loads(text))
        except BaseException:
            self.close()
            raise

    @property
    def complete(self) -> bool:
        """Whether every shard is done."""
        return len(self.results) == self.shards

    def add(self, shard: int, result: Mapping[str, Any]) -> None:
        """Append a finished shard; it is on the disk when this returns."""
        if self._fd < 0:
            raise ValueError("the journal is closed")
        if not 0 <= shard < self.shards or shard in self.results:
            raise ValueError(f"expected a shard of 0..{self.shards - 1} that is not done, got {shard}")
        text = canonical(dict(result))
        line = f'{{"shard":{shard},"result":{text},"sum":{_sum(shard, text)}}}\n'.encode()
        size = os.fstat(self._fd).st_size
        try:
            if os.write(self._fd, line) != len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.fsync(self._fd)
        except OSError as error:
            with suppress(OSError):
                os.ftruncate(self._fd, size)
            raise JournalError(
                f"cannot write {self.path}: {error.strerror}; the shards in it are kept, and the same "
                "command goes on from there"
            ) from error
        self.results[shard] = json.loads(text)

    def expect(self, payloads: Sequence[Any], fits: Callable[[Any, Result], bool]) -> None:
        """Refuse the journal when a result in it does not fit its shard's payload."""
        for shard, result in self.results.items():
            if not fits(payloads[shard], result):
                raise JournalError(f"{self.path}: shard {shard} is not a result of this run; {REMEDY}")

    def close(self) -> None:
        """Release the file; its content stays."""
        fd, self._fd = self._fd, -1
        if fd >= 0:
            os.close(fd)

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _read(self, header: Result) -> None:
        content = _read_all(self._fd)
        lines = content.split(b"\n")
        torn = lines.pop()  # what follows the last newline; empty when all is well
        found = _parse_header(lines[0] if lines else torn)
        if found is None or not lines:
            raise JournalError(f"{self.path} is not a journal, or its first line is damaged")
        try:
            _compare(self.path, found, header)
        except RecursionError:
            raise JournalError(f"{self.path}, line 1: damaged; {REMEDY}") from None
        good = len(lines[0]) + 1
        for number, line in enumerate(lines[1:], start=2):
            entry = _parse_entry(line, self.shards)
            if entry is None and number == len(lines) and not torn:
                break  # the last line, damaged by a power loss: treated like a torn one
            if entry is None or entry[0] in self.results:
                raise JournalError(f"{self.path}, line {number}: damaged; {REMEDY}")
            self.results[entry[0]] = entry[1]
            good += len(line) + 1
        if good < len(content):
            os.ftruncate(self._fd, good)
            os.fsync(self._fd)


_FINISHED: list[list[Path]] = []
"""For each open `until_delivered` block, the journals whose results wait to be delivered."""


@contextmanager
def until_delivered() -> Iterator[None]:
    """Keep the journals of finished work until the block ends, and longer if it ends with an error.

    Put the work and the writing of its result in one block: whatever happens between the two, the same
    command finds the finished work again.
    """
    finished: list[Path] = []
    _FINISHED.append(finished)
    try:
        yield
    finally:
        _FINISHED.pop()
    for path in finished:
        discard(path)


def discard(path: Path) -> None:
    """Remove the journal (or checkpoint) of finished work: now, or when its result has been delivered."""
    if _FINISHED:
        _FINISHED[-1].append(path)
        return
    with suppress(OSError):  # in use by another process that does the same work: it will remove the file
        fd = os.open(path, os.O_RDWR | os.O_NOFOLLOW)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _is_at(fd, path):
                path.unlink()
        finally:
            os.close(fd)


_OPEN: weakref.WeakSet[Journal] = weakref.WeakSet()


def _close_inherited() -> None:
    """Forked workers must not hold the lock: it would outlive a parent that was killed."""
    for journal in list(_OPEN):
        journal.close()


os.register_at_fork(after_in_child=_close_inherited)


def _open_locked(path: Path, header: str, fresh: bool) -> int:
    """A descriptor of the journal at ``path``, made if absent, locked for this process alone."""
    while True:
        fd = _open(path, header)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if not _is_at(fd, path):  # removed by its owner between our open and our lock
                os.close(fd)
            elif fresh and _parse_header(_read_all(fd).split(b"\n", 1)[0]) is not None:
                path.unlink()
                os.close(fd)
                fresh = False
            else:
                return fd
        except BlockingIOError:
            os.close(fd)
            raise JournalBusy(f"{path} is in use: the same run is under way in another process") from None
        except BaseException:
            os.close(fd)
            raise


def _open(path: Path, header: str) -> int:
    """A descriptor of the plain file at ``path``, made if absent."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        while True:
            with suppress(FileNotFoundError):
                fd = os.open(path, os.O_RDWR | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK)
                break
            _create(path, header)
    except OSError as error:
        link = error.errno == errno.ELOOP
        why = "it is a symbolic link" if link else error.strerror
        raise JournalError(f"cannot use {path} as a journal: {why}") from error
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise JournalError(f"{path} is not a journal: it is not a plain file")
    return fd


def _create(path: Path, header: str) -> None:
    """Make the file appear at once with its header, on the disk.

    A hard link fails when the name exists. A rename would replace a file that another process has just made
    and locked. File systems without hard links get the rename.
    """
    fd, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    temporary = Path(name)
    try:
        with os.fdopen(fd, "wb") as file:
            file.write(header.encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(temporary, path)
        except FileExistsError:
            return
        except OSError:
            temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _is_at(fd: int, path: Path) -> bool:
    with suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(fd), path.stat())
    return False


def _read_all(fd: int) -> bytes:
    with open(fd, "rb", closefd=False) as file:
        file.seek(0)
        return file.read()


def _sum(shard: int, text: str) -> int:
    return zlib.crc32(text.encode(), shard)


def _parse_header(line: bytes) -> Result | None:
    """The header in a line, or None when the file is not one of our journals."""
    try:
        header = json.loads(line)
    except (ValueError, RecursionError):
        return None
    known = isinstance(header, dict) and isinstance(header.get("format"), str)
    return header if known and header["format"].startswith("ginrummy-run/") else None


def _parse_entry(line: bytes, shards: int) -> tuple[int, Result] | None:
    """Shard and result of a line, or None when it is damaged."""
    try:
        entry = json.loads(line)
        shard, result = entry["shard"], entry["result"]
        whole = type(shard) is int and 0 <= shard < shards and isinstance(result, dict)
        return (shard, result) if whole and entry["sum"] == _sum(shard, canonical(result)) else None
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def _compare(path: Path, found: Result, asked: Result) -> None:
    """Raise `JournalMismatch` when the file's header is not the one asked for."""
    if found == asked:
        return
    there, here = found.get("identity"), asked["identity"]
    if not isinstance(there, dict):
        raise JournalError(f"{path}, line 1: damaged; {REMEDY}")
    pairs = [(key, there.get(key, "absent"), here.get(key, "absent")) for key in sorted({*there, *here})]
    pairs += [(key, found.get(key, "absent"), asked[key]) for key in ("shards", "code", "format")]
    differs = "; ".join(_difference(key, a, b) for key, a, b in pairs if a != b)
    raise JournalMismatch(f"{path} is the journal of another run: {differs}; {REMEDY}")


def _difference(key: str, there: object, here: object) -> str:
    if key == "files":
        before, now = (value if isinstance(value, dict) else {} for value in (there, here))
        names = [name for name in sorted({*before, *now}) if before.get(name) != now.get(name)]
        return f"another version of {_short(', '.join(names))} was played there"
    return f"{_short(key)} is {_short(repr(there))} there, {_short(repr(here))} here"


def _short(text: str) -> str:
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"
