"""Players from outside: ``py:module@factory`` or ``py:path/to/file.py@factory``, loaded and guarded.

The factory takes no arguments and returns a ``Player``. What the guard does:

- A decider of the player gets copies of just the rows that wait, numbered from 0. Changes to them do not
  reach the game, and they give access to nothing else.
- An exception of the player's own code becomes a ``PlayerError`` that names the player and carries the
  traceback.
- Each instance comes from a freshly executed module, and so do the modules that lie beside it.
  ``Player.fresh`` builds another: the simulator never shows both games of a mirrored pair to one instance.
- The compiled loops never play it.

The player's code still runs in this process. Code that digs through the interpreter's frames, or leaves notes
in files or in a library's modules, is not stopped.
"""

import importlib
import importlib.util
import inspect
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from importlib.machinery import PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from ginrummy.errors import PlayerError, UnknownName, shortened
from ginrummy.players.base import Player
from ginrummy.view import FloatArray, IntArray, Remembering, View, remembering

_KEPT = {"ginrummy", "__main__", *sys.stdlib_module_names}
"""Top-level modules that are never executed anew."""
_LIBRARIES = {"site-packages", "dist-packages"}
"""Directories of installed libraries: modules that lie beside a player there do not belong to it."""


def load(spec: str) -> Player:
    """The player that ``py:module@factory`` or ``py:file.py@factory`` names, guarded.

    A place or a factory that does not exist raises ``UnknownName``; code that fails raises ``PlayerError``.
    """
    place, at, attribute = spec.removeprefix("py:").rpartition("@")
    if not at:
        raise UnknownName(f"expected py:module@factory or py:file.py@factory, got {spec!r}")
    if not place.endswith(".py"):
        return _build(spec, partial(_import_module, spec, place), attribute)
    try:
        path = Path(place).resolve()  # at once: a relative path must mean the same file for every instance
    except (OSError, RuntimeError, ValueError) as error:
        raise UnknownName(f"cannot load player {spec!r}: {error}") from None
    return _build(spec, partial(_execute_file, spec, path), attribute)


def _build(spec: str, module: Callable[[], ModuleType], attribute: str) -> Player:
    """A guarded instance from a freshly executed module."""
    loaded = module()
    with _their_code(f"cannot load player {spec!r}"):
        factory = getattr(loaded, attribute, None)
    if not callable(factory):
        raise UnknownName(f"cannot load player {spec!r}: there is no function {attribute!r}")
    if not _takes_nothing(factory):
        raise UnknownName(f"cannot load player {spec!r}: {attribute} must take no arguments")
    with _their_code(f"cannot load player {spec!r}"):
        player = factory()
    if not isinstance(player, Player):
        raise UnknownName(f"{spec!r} gave a {type(player).__name__}, not a Player")
    if not isinstance(player.name, str) or not isinstance(player.shard, int) or player.shard < 1:
        raise UnknownName(f"{spec!r} gave a Player whose name is not text or whose shard is below 1")
    return Player(
        player.name,
        draw=_guarded(player.name, "draw", player.draw),
        discard=_guarded(player.name, "discard", player.discard),
        knock=_guarded(player.name, "knock", player.knock),
        spread=_guarded(player.name, "spread", player.spread),
        shard=player.shard,
        fresh=partial(_build, spec, module, attribute),
        remembers=bool(player.remembers),
    )


def _guarded(player: str, question: str, decide: Callable[..., object]) -> Callable[..., Any]:
    """A decider that sees copies of its rows and nothing else; the answer is a copy too."""

    def ask(view: View, rows: IntArray, u: FloatArray) -> IntArray:
        own = np.take(np.asarray(view), rows)
        own.flags.writeable = False  # to report an honest mistake; the rows are only a copy
        if isinstance(view, Remembering):
            own = remembering(own, {place: view.earlier[row] for place, row in enumerate(rows.tolist())})
        chance, places = np.array(u), np.arange(len(rows))
        with _their_code(f"player {player!r} failed when asked for {question}"):
            return np.array(decide(own, places, chance))

    return ask


@contextmanager
def _their_code(what: str) -> Iterator[None]:
    """Turn any exception of a player's own code, and its attempt to exit, into a ``PlayerError``.

    Ctrl-C is the user's, not the player's.
    """
    try:
        yield
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        trace = error.__traceback__
        while trace and trace.tb_frame.f_code.co_filename == __file__:
            trace = trace.tb_next
        text = "".join(traceback.format_exception(type(error), error, trace))
        summary = traceback.format_exception_only(type(error), error)[-1].strip()
        raise PlayerError(f"{what}: {shortened(summary)}", text) from error


def _takes_nothing(factory: Callable[..., object]) -> bool:
    try:
        inspect.signature(factory).bind()
    except TypeError:
        return False
    except ValueError:  # a built-in that does not say what it takes
        pass
    return True


def _execute_file(spec: str, path: Path) -> ModuleType:
    """Execute a file from its source; compiled files of an older run are not used."""
    try:
        source = path.read_bytes()
    except (OSError, ValueError) as error:
        raise UnknownName(f"cannot load player {spec!r}: {getattr(error, 'strerror', error)}") from None
    with _executed_anew(path.parent, None):
        name = path.stem if path.stem not in {*sys.modules, *_KEPT} else f"_player_{path.stem}"
        found = importlib.util.spec_from_file_location(name, path)
        assert found  # the name ends with .py
        module = importlib.util.module_from_spec(found)
        sys.modules[name] = module
        try:
            with _their_code(f"cannot load player {spec!r}"):
                exec(compile(source, str(path), "exec", dont_inherit=True), vars(module))
        finally:
            del sys.modules[name]
    return module


def _import_module(spec: str, place: str) -> ModuleType:
    """Import the packages around a module one by one, then the module; an error names the first missing."""
    parts = place.split(".")
    if not all(part.isidentifier() for part in parts):
        raise UnknownName(f"cannot load player {spec!r}: {place!r} is not the name of a module")
    with _executed_anew(_directory(parts[0]), parts[0]):
        for length in range(1, len(parts) + 1):
            name = ".".join(parts[:length])
            with _their_code(f"cannot load player {spec!r}"):
                module = _imported(name)
            if module is None:
                raise UnknownName(f"cannot load player {spec!r}: there is no module {name!r}")
    assert module  # a text has one part or more
    return module


def _imported(name: str) -> ModuleType | None:
    """A module; None if it does not exist. If a module that it imports is missing, the error is raised."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
    return None


def _directory(top: str) -> Path | None:
    """Where a top-level module or package lies, if it is found on the path."""
    found = PathFinder.find_spec(top)
    return _parent(found.origin) if found and found.has_location and found.origin else None


@contextmanager
def _executed_anew(directory: Path | None, top: str | None) -> Iterator[None]:
    """Import the modules that lie in a directory anew within the context; restore everything at its end.

    In a directory of libraries only ``top`` itself is executed anew, and only if nothing else has loaded it
    already: many libraries cannot be executed twice.
    """
    library = directory is not None and bool(_LIBRARIES & set(directory.parts))
    kept = _KEPT | ({top} & set(sys.modules) if library else set())

    def own() -> list[str]:
        tops = {name.partition(".")[0] for name in sys.modules} - kept
        mine = {name for name in tops if (name == top if library else _lies_in(name, directory))}
        return [name for name in sys.modules if name.partition(".")[0] in mine]

    saved = {name: sys.modules.pop(name) for name in own()}
    writes, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    path = sys.path[:]
    if top is None:
        sys.path.insert(0, str(directory))
    importlib.invalidate_caches()
    try:
        yield
    finally:
        for name in own():
            del sys.modules[name]
        sys.modules.update(saved)
        sys.path[:] = path
        sys.dont_write_bytecode = writes


def _lies_in(top: str, directory: Path | None) -> bool:
    """Whether a loaded top-level module or package lies directly in a directory."""
    facts: dict[str, Any] = getattr(sys.modules.get(top), "__dict__", {})
    file = facts.get("__file__")
    return isinstance(file, str) and _parent(file) == directory


def _parent(file: str) -> Path:
    """The directory in which a module's file lies, or the directory of a package."""
    path = Path(file).absolute()
    return path.parent.parent if path.name == "__init__.py" else path.parent
