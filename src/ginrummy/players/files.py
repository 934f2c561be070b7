"""The files outside the package on which players and estimators depend, with the digests of their contents.

The digest of the code covers the package and its trained files. A user's own player or network lies
elsewhere: its files belong to the identity of a run, so that a journal never mixes the work of two versions.

Files that a player opens while it plays (``open("weights.npz")``) are not covered.
"""

import ast
import importlib.util
import site
import sys
import sysconfig
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ginrummy import artefacts
from ginrummy._jit import PACKAGE
from ginrummy.errors import BadInput
from ginrummy.players import java

FOREIGN = "py:"
"""How the spec of a player from outside begins."""


def files_of(value: object) -> dict[str, str]:
    """Path -> SHA-256 of every file outside the package behind the specs in a JSON value, at any depth.

    ``py:file.py@make`` depends on the file and on the neighbours that it imports, ``py:module@make`` on the
    module or on its whole package, ``eaai:Class@classpath`` on all class files and jars of the classpath, and
    ``name:key=./path`` on the file at the path.
    """
    return {name: _digest(path) for name, path in _places(value).items()}


def identified(identity: Mapping[str, Any]) -> dict[str, Any]:
    """The identity of a run, with the ``files`` behind its specs if there are any."""
    files = files_of(identity)
    return {**identity, **({"files": files} if files else {})}


def guarded(work: Callable[[Any], Any], specs: object) -> Callable[[Any], Any]:
    """The same work, which fails at its end if a file behind the specs has changed since this call."""
    seen = {name: (str(path), _digest(path)) for name, path in _places(specs).items()}
    return Guarded(work, seen) if seen else work


@dataclass(frozen=True)
class Guarded:
    """Work that depends on files of the user."""

    work: Callable[[Any], Any]
    seen: dict[str, tuple[str, str]]
    """Name -> absolute path and digest."""

    def __call__(self, payload: Any) -> Any:
        """Do the work, then look at the files again."""
        result = self.work(payload)
        changed = [name for name, (path, digest) in self.seen.items() if _digest_now(Path(path)) != digest]
        if changed:
            raise BadInput(f"{', '.join(changed)} changed while the run was under way; --fresh starts anew")
        return result


def _digest(path: Path) -> str:
    try:
        return artefacts.digest(path.read_bytes())
    except OSError as error:
        raise BadInput(f"cannot read {path}: {error.strerror}") from None


def _digest_now(path: Path) -> str | None:
    try:
        return _digest(path)
    except BadInput:
        return None


def _places(value: object) -> dict[str, Path]:
    """Name -> absolute path of each file, sorted by name."""
    found: dict[str, Path] = {}
    for text in dict.fromkeys(_texts(value)):
        for name, path in _behind(text):
            place = path.absolute()
            if place.resolve().is_relative_to(PACKAGE):
                continue  # the digest of the code covers it
            if found.setdefault(name, place) != place:
                found[str(place)] = place  # two files of one name, below different directories of modules
    return dict(sorted(found.items()))


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _texts(inner)


def _behind(spec: str) -> Iterator[tuple[str, Path]]:
    """Name and path of each file behind one spec."""
    if spec.startswith(java.PREFIX) and "@" in spec:  # rules may begin so too: eaai:target=50
        yield from java.class_files(spec)
        return
    if spec.startswith(FOREIGN):
        place, _, _ = spec.removeprefix(FOREIGN).rpartition("@")
        yield from _file_player(Path(place)) if place.endswith(".py") else _module_player(place)
        return
    _, _, settings = spec.partition(":")
    for setting in settings.split(","):
        _, _, text = setting.partition("=")
        if "/" in text and _is_file(Path(text)):
            yield text, Path(text)
        elif ":" in text:  # an estimator, whose own parameters are separated by semicolons
            yield from _behind(text.replace(";", ","))


def _file_player(path: Path) -> Iterator[tuple[str, Path]]:
    """The file, and what it imports from its directory or from other directories of the user's modules."""
    for found in _with_imports([path], (path.parent, *own_directories())):
        near = found.is_relative_to(path.parent)
        yield found.as_posix() if near else _below(found, own_directories()), found


def _module_player(dotted: str) -> Iterator[tuple[str, Path]]:
    """The file of a module, or all files of the package that it is in, and what they import."""
    top = dotted.partition(".")[0]
    try:
        spec = importlib.util.find_spec(top)
    except (ImportError, ValueError):
        spec = None
    if spec is None or top == PACKAGE.name:
        return
    if spec.submodule_search_locations is not None:
        folders = [Path(folder) for folder in spec.submodule_search_locations]
        files = [path for folder in folders for path in sorted(folder.rglob("*.py"))]
        root = folders[0].parent
    elif spec.origin and _is_file(Path(spec.origin)):
        files = [Path(spec.origin)]
        root = files[0].parent
    else:
        return  # built into Python
    for found in _with_imports(files, own_directories()):
        yield _below(found, (root, *own_directories())), found


def _below(path: Path, roots: tuple[Path, ...]) -> str:
    """A name that does not depend on where the user's modules lie."""
    root = next((root for root in roots if path.is_relative_to(root)), None)
    return (path.relative_to(root) if root else path).as_posix()


def _with_imports(files: list[Path], directories: tuple[Path, ...]) -> Iterator[Path]:
    """Some files, and the files that they import from the directories, directly or not."""
    seen: set[Path] = set()
    waiting = list(files)
    while waiting:
        path = waiting.pop()
        if path.resolve() in seen:
            continue
        seen.add(path.resolve())
        yield path
        for level, dotted in _imports(path):
            if level == 0 and dotted.partition(".")[0] == PACKAGE.name:
                continue
            roots = directories if level == 0 else (path.parents[min(level, len(path.parents)) - 1],)
            for root in roots:
                waiting += _files_of_module(root, dotted.split("."))


def _imports(path: Path) -> Iterator[tuple[int, str]]:
    """What a file imports: the number of leading dots, and the dotted name."""
    if path.suffix != ".py":
        return
    try:
        tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return  # loading the file will report what is wrong with it
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((0, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            begin = f"{node.module}." if node.module else ""
            yield from ((node.level, begin + alias.name) for alias in node.names)


def _files_of_module(root: Path, words: list[str]) -> Iterator[Path]:
    """What ``import a.b.c`` reads below a directory: the files of a, a.b and a.b.c that are there."""
    for word in words:
        root = root / word
        for file in (root.with_name(word + ".py"), root / "__init__.py"):
            if _is_file(file):
                yield file


@cache
def _installed() -> tuple[Path, ...]:
    """Where Python and installed packages lie."""
    paths = sysconfig.get_paths()
    places = [paths[key] for key in ("stdlib", "platstdlib", "purelib", "platlib")]
    places += [*site.getsitepackages(), site.getusersitepackages()]
    return tuple(Path(place).resolve() for place in places)


def own_directories() -> tuple[Path, ...]:
    """Directories on Python's path that hold the user's modules, not installed ones."""
    paths = [Path(entry or ".") for entry in sys.path]
    return tuple(
        path
        for path in paths
        if path.is_dir() and not any(path.resolve().is_relative_to(place) for place in _installed())
    )


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # a name too long, or with a zero byte
        return False
