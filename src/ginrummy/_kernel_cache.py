"""Compiled kernels on disk: the directory of each, and files that are locked and checked.

A kernel's directory is named by a digest of the sources that it was compiled from: its own module and every
module of the package that this one imports, directly or not, because compiled code holds the code and the
constants of what it calls. A change to one policy therefore recompiles that policy and what calls it, and
nothing else; numba alone looks at one file and would use stale code. For a module outside the package (such
as a user's own player) all Python files in its directory count.

numba's files are protected in two ways. A lock on the directory keeps two processes that compile at the same
time from giving one file name to two signatures. A checksum finds a damaged file: it is thrown away, and the
kernel is compiled again.
"""

import fcntl
import hashlib
import os
import pickle
import re
import shutil
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

import numba
from numba.core import caching

PACKAGE = Path(__file__).parent
PATIENCE = 300.0
"""Seconds after which a process compiles a kernel though another one seems to be at it."""
DAYS_KEPT = 30
"""Directories of older sources are removed when nobody has used them for this many days."""
_NUMBERLESS = ("_kernel_cache.py", "errors.py", "rules.py", "specs.py")
"""Modules whose content never reaches compiled code: names and messages."""
_IMPORT = re.compile(
    r"^\s*(?:from\s+(ginrummy[\w.]*)\s+import\s+(\([^)]*\)|.*)|import\s+(ginrummy[\w.]*))", re.M
)
_CHECKSUM = hashlib.sha256().digest_size
_config: Any = numba.config
_File: Any = caching.IndexDataCacheFile
_Cache: Any = caching.FunctionCache


@cache
def sources(path: Path) -> frozenset[Path]:
    """The Python files whose text decides what the kernels of one file compile to."""
    if not path.is_relative_to(PACKAGE):
        beside = frozenset(path.parent.glob("*.py")) | {path}
        return beside.union(*(_reached(module) for file in beside for module in _imported(file)))
    return _reached(path)


@cache
def _reached(path: Path) -> frozenset[Path]:
    """A file of the package and all files of the package that it imports, directly or not."""
    found, waiting = {path}, [path]
    while waiting:
        fresh = _imported(waiting.pop()) - found
        found |= fresh
        waiting += fresh
    return frozenset(file for file in found if file.relative_to(PACKAGE).as_posix() not in _NUMBERLESS)


@cache
def _imported(path: Path) -> frozenset[Path]:
    """The files of the package that a file imports, from its text: nothing is executed."""
    found = set()
    for module, names, plain in _IMPORT.findall(_text(path).decode("utf-8", errors="replace")):
        base = (module or plain).split(".")[1:]
        words = [word.split()[0] for word in names.strip("()\n ").split(",") if word.split()]
        for parts in (base, *([*base, word] for word in words)):
            file = PACKAGE.joinpath(*parts)
            for candidate in (file.with_suffix(".py"), file / "__init__.py"):
                if parts and candidate.is_file():
                    found.add(candidate)
    return frozenset(found)


@cache
def _text(path: Path) -> bytes:
    return path.read_bytes()


def digest(files: Iterable[Path]) -> str:
    """A short name for the content of some files, and for the version of the compiler."""
    total = hashlib.sha256(numba.__version__.encode())
    for path in sorted(files):
        name = path.relative_to(PACKAGE).as_posix() if path.is_relative_to(PACKAGE) else path.name
        total.update(name.encode() + b"\0" + hashlib.sha256(_text(path)).digest())
    return total.hexdigest()[:16]


@cache
def root() -> Path:
    """Where compiled kernels are: in $GINRUMMY_CACHE, or in the user's cache directory if that is not set.

    If the directory cannot be written, a temporary one is used.
    """
    home = os.environ.get("GINRUMMY_CACHE")
    user = Path(os.environ.get("XDG_CACHE_HOME", "~/.cache")).expanduser() / "ginrummy"
    path = (Path(home) if home else user) / "kernels"
    try:
        path.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            return path
    except OSError:
        return Path(tempfile.mkdtemp(prefix="ginrummy-kernels-"))


@cache
def directory(name: str, files: frozenset[Path]) -> Path:
    """The directory of the kernels compiled from these files; ``name`` tells people what is there."""
    path = root() / f"{name}-{digest(files)}"
    if path.is_dir():
        with suppress(OSError):
            os.utime(path)
    else:
        path.mkdir(parents=True, exist_ok=True)
        _remove_old(name)
    return path


def _remove_old(name: str) -> None:
    """Remove directories of older sources of the same name that nobody has used for ``DAYS_KEPT`` days."""
    limit = time.time() - DAYS_KEPT * 24 * 3600
    for path in root().glob(f"{name}-*"):
        with suppress(OSError):
            if path.stat().st_mtime < limit:
                shutil.rmtree(path)


class _CheckedFile(_File):  # type: ignore[misc]
    """numba's index and data files with a checksum in front of each."""

    def _load_index(self) -> Any:
        try:
            version, stamp, overloads = pickle.loads(self._read(Path(self._index_path)))
        except FileNotFoundError:
            return {}
        return overloads if (version, stamp) == (self._version, self._source_stamp) else {}

    def _save_index(self, overloads: Any) -> None:
        self._write(self._index_path, (self._version, self._source_stamp, overloads))

    def _load_data(self, name: str) -> Any:
        return pickle.loads(self._read(Path(self._data_path(name))))

    def _save_data(self, name: str, data: Any) -> None:
        self._write(self._data_path(name), data)

    def _read(self, path: Path) -> bytes:
        content = path.read_bytes()
        text = content[_CHECKSUM:]
        if _checksum(path.name, text) != content[:_CHECKSUM]:
            raise ValueError(f"{path} is damaged")
        return text

    def _write(self, path: str, value: Any) -> None:
        text = self._dump(value)
        with self._open_for_write(path) as file:
            file.write(_checksum(Path(path).name, text) + text)


def _checksum(name: str, text: bytes) -> bytes:
    """The checksum of a file's name and content, so that one file cannot replace another."""
    return hashlib.sha256(name.encode() + b"\0" + text).digest()


class _Turn:
    """The right to compile one kernel: one process of a machine has it at a time."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._fd = -1
        self._depth = 0  # several signatures, or a kernel that calls itself

    def take(self) -> None:
        """Wait for the right. It ends with the process that has it, however that ends."""
        self._depth += 1
        if self._fd >= 0:
            return
        try:
            self._fd = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o666)
        except OSError:
            return
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            try:
                fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            except OSError:
                time.sleep(0.05)

    def give_back(self) -> None:
        """Let others have it."""
        self._depth = max(0, self._depth - 1)
        if self._depth == 0 and self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


class KernelCache(_Cache):  # type: ignore[misc]
    """numba's cache of one function, in a directory of ours, with locked and checked files."""

    def __init__(self, function: Any, where: Path) -> None:
        with _numba_directory(where):
            super().__init__(function)
        self._cache_path = str(where)
        self._cache_file = _CheckedFile(str(where), self._impl.filename_base, source_stamp=None)
        self._turn = _Turn(where / f"{self._impl.filename_base}.compiling")

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Compiled code from the disk; None when it is missing or cannot be read, and is to be compiled.

        While one process compiles a kernel, others that need it wait, and then find it on the disk. A kernel
        never waits for one that calls it, so no two processes wait for each other.
        """
        found = self._load(sig, target_context)
        if found is None:
            self._turn.take()
            found = self._load(sig, target_context)
            if found is not None:
                self._turn.give_back()
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep compiled code, and let others have it."""
        try:
            super().save_overload(sig, data)
        finally:
            self._turn.give_back()

    def _load(self, sig: Any, target_context: Any) -> Any:
        with self._locked():
            try:
                return super().load_overload(sig, target_context)
            except Exception:  # after any damage the code is compiled again
                with suppress(OSError):
                    self.flush()
                return None

    def _save_overload(self, sig: Any, data: Any) -> None:
        """Keep compiled code. A full or read-only disk only costs time at the next start."""
        if not self._impl.check_cachable(data):
            return
        key, reduced = self._index_key(sig, data.codegen), self._impl.reduce(data)
        with self._locked(), suppress(OSError):
            try:
                self._cache_file.save(key, reduced)
            except ValueError:  # a damaged index
                self.flush()
                self._cache_file.save(key, reduced)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Let one process at a time work on the files of this directory."""
        try:
            fd = os.open(Path(self._cache_path) / "lock", os.O_RDWR | os.O_CREAT, 0o666)
        except OSError:
            yield
            return
        try:
            fcntl.flock(fd, fcntl.LOCK_EX)
            yield
        finally:
            os.close(fd)


@contextmanager
def _numba_directory(path: Path) -> Iterator[None]:
    """Make numba look for its files here, whatever the environment says."""
    before = _config.CACHE_DIR
    _config.CACHE_DIR = str(path)
    try:
        yield
    finally:
        _config.CACHE_DIR = before
