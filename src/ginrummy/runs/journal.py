"""The journal of a run: a file of JSON lines that survives kill -9 and power loss.

Line 1 is the header ``{"format", "identity", "code", "shards"}``, and ``note``: the command that made it.
Every further line is a finished shard, ``{"shard", "result", "sum"}``, where ``sum`` is the CRC-32 of the
result's canonical text, started from the shard's index. Lines are added by one write followed by fsync, so
only the end of the file can be torn. Memory holds the places of the lines, not the results: those are read
from the file when they are asked for.
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
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, TypeAlias

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


def state_directory() -> Path:
    """Where journals are kept.

    It is ``$GINRUMMY_STATE``, otherwise ``$XDG_STATE_HOME/ginrummy/runs``, otherwise
    ``~/.local/state/ginrummy/runs``.
    """
    if own := os.environ.get("GINRUMMY_STATE"):
        return Path(own)
    state = Path(os.environ.get("XDG_STATE_HOME", ""))
    if not state.is_absolute():  # the XDG specification: ignore a relative path
        state = Path.home() / ".local" / "state"
    return state / "ginrummy" / "runs"


def default_journal_path(identity: Mapping[str, Any]) -> Path:
    """The default path of a run's journal: one file for each identity, whatever the code."""
    command = re.sub(r"[^a-z0-9]+", "-", str(identity.get("command", "run")).lower()).strip("-")
    digest = hashlib.sha256(canonical(dict(identity)).encode()).hexdigest()[:12]
    return state_directory() / f"{command or 'run'}-{digest}.jsonl"


class Stored(Mapping[int, Result]):
    """Finished shards: index -> result, read from the file at each call.

    A result is as JSON returns it: lists for tuples, strings for keys.
    """

    def __init__(self, fd: int, shards: int) -> None:
        self._fd = fd
        self._places = array("q", bytes(8 * shards))  # where a line begins; 0: the shard is not done
        self._lengths = array("q", bytes(8 * shards))
        self._count = 0

    def __getitem__(self, shard: int) -> Result:
        if shard not in self:
            raise KeyError(shard)
        line = os.pread(self._fd, self._lengths[shard], self._places[shard])
        result: Result = json.loads(line)["result"]
        return result

    def __contains__(self, shard: object) -> bool:
        return isinstance(shard, int) and 0 <= shard < len(self._places) and self._places[shard] > 0

    def __iter__(self) -> Iterator[int]:
        return (shard for shard, place in enumerate(self._places) if place)

    def __len__(self) -> int:
        return self._count

    def note(self, shard: int, place: int, length: int) -> None:
        """Remember where the line of a shard is."""
        self._places[shard], self._lengths[shard] = place, length
        self._count += 1


class Journal:
    """The finished shards of one run, locked for this process until closed.

    Opening makes the file, or reads it when it belongs to the same run. ``fresh`` drops what an older
    journal at ``path`` holds, whatever its identity; a file that is not a journal is never dropped. ``note``
    is for people (`ginrummy runs`): it is written when the file is made and never compared.
    """

    path: Path
    shards: int
    """How many shards the whole run has."""
    results: Stored
    """Finished shards; to be read while the journal is open."""

    def __init__(
        self,
        path: str | Path,
        identity: Mapping[str, Any],
        code: str,
        shards: int,
        *,
        fresh: bool = False,
        note: Mapping[str, Any] | None = None,
    ) -> None:
        if shards < 0:
            raise ValueError(f"expected a number of shards, got {shards}")
        self.path = Path(path)
        self.shards = shards
        header = {"format": FORMAT, "identity": dict(identity), "code": code, "shards": shards}
        text = canonical(header | ({"note": dict(note)} if note else {}))
        self._fd = _open_locked(self.path, text, fresh)
        self.results = Stored(self._fd, shards)
        _OPEN.add(self)
        try:
            self._size = self._read(json.loads(canonical(header)))
        except BaseException:
            self.close()
            raise

    @property
    def complete(self) -> bool:
        """Whether every shard is done."""
        return len(self.results) == self.shards

    def add(self, shard: int, result: Mapping[str, Any]) -> None:
        """Append a finished shard; it is on the disk when this returns."""
        self.add_all([(shard, result)])

    def add_all(self, finished: Iterable[tuple[int, Mapping[str, Any]]]) -> None:
        """Append finished shards by one write and one sync; all are on the disk on return, or none."""
        if self._fd < 0:
            raise ValueError("the journal is closed")
        lines: dict[int, bytes] = {}
        for shard, result in finished:
            if not 0 <= shard < self.shards or shard in self.results or shard in lines:
                raise ValueError(f"expected a shard of 0..{self.shards - 1} that is not done, got {shard}")
            lines[shard] = _line(shard, result)
        content = b"".join(lines.values())
        try:
            if os.write(self._fd, content) != len(content):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.fsync(self._fd)
        except OSError as error:
            with suppress(OSError):
                os.ftruncate(self._fd, self._size)
            raise JournalError(
                f"cannot write {self.path}: {error.strerror}; the shards in it are kept, and the same "
                "command goes on from there"
            ) from error
        for shard, line in lines.items():
            self.results.note(shard, self._size, len(line))
            self._size += len(line)

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

    def _read(self, header: Result) -> int:
        """Find the lines of the file and cut a damaged end off; the size of the file."""
        with open(self._fd, "rb", closefd=False) as file:
            file.seek(0)
            first = file.readline()
            found = _parse_header(first)
            if found is None or not first.endswith(b"\n"):
                raise JournalError(f"{self.path} is not a journal, or its first line is damaged")
            try:
                _compare(self.path, found, header)
            except RecursionError:
                raise JournalError(f"{self.path}, line 1: damaged; {REMEDY}") from None
            place, damaged = len(first), 0
            for number, line in enumerate(file, start=2):
                shard = _shard_of(line, self.shards)
                if shard is None:
                    damaged = damaged or number  # the end of a write that a power loss has torn, it seems
                elif damaged or shard in self.results:
                    raise JournalError(f"{self.path}, line {damaged or number}: damaged; {REMEDY}")
                else:
                    self.results.note(shard, place, len(line))
                    place += len(line)
        if damaged:
            os.ftruncate(self._fd, place)
            os.fsync(self._fd)
        return place


class Found(NamedTuple):
    """What a journal says of itself to somebody who does not own it."""

    path: Path
    header: Result
    done: int
    """Shards that are finished."""


def look_at(path: Path, on_result: Callable[[int, Result], None] | None = None) -> Found | None:
    """Read a journal without locking it, shard by shard; None when the file is not one."""
    try:
        with path.open("rb") as file:
            header = _parse_header(file.readline())
            if header is None or not isinstance(header.get("identity"), dict):
                return None
            shards, done = header.get("shards"), 0
            for line in file:
                shard = _shard_of(line, shards if isinstance(shards, int) else 0)
                if shard is None:
                    break
                done += 1
                if on_result:
                    on_result(shard, json.loads(line)["result"])
    except OSError:
        return None
    return Found(path, header, done)


def is_busy(path: Path) -> bool:
    """Whether a process is writing the journal."""
    with suppress(OSError), path.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


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


def _line(shard: int, result: Mapping[str, Any]) -> bytes:
    text = canonical(dict(result))
    return f'{{"shard":{shard},"result":{text},"sum":{_sum(shard, text)}}}\n'.encode()


def _shard_of(line: bytes, shards: int) -> int | None:
    """The shard of a whole line with the right sum, or None when the line is damaged."""
    try:
        entry = json.loads(line)
        shard, result = entry["shard"], entry["result"]
        whole = type(shard) is int and 0 <= shard < shards and isinstance(result, dict)
        good = whole and line.endswith(b"\n") and entry["sum"] == _sum(shard, canonical(result))
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return shard if good else None


def _compare(path: Path, found: Result, asked: Result) -> None:
    """Raise `JournalMismatch` when the file's header is not the one asked for; notes do not count."""
    if {key: value for key, value in found.items() if key != "note"} == asked:
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
