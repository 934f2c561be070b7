"""Java players of the EAAI challenge: ``eaai:package.Class@classpath``, what the text means and which files.

    eaai:SimpleBot@classes                       a class without a package, in the directory classes
    eaai:team.Bot@build/classes:lib/framework.jar    several entries, separated as on Java's command line
    eaai:Bot@classes;cwd=data                    relative file names of the player start at data

The classpath holds the player's classes and those of the challenge's framework. ``bridges.eaai`` starts Java
and plays the class; nothing here needs Java, so a wrong name is found at once.
"""

import importlib
import os
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from ginrummy.errors import BadInput, UnknownName
from ginrummy.following import Follower
from ginrummy.players.base import Player

PREFIX = "eaai:"
"""How the spec of a Java player begins."""
SHARD = 128
"""Games of a shard: both halves fill the tables of ``following``."""
_CLASS = re.compile(r"[A-Za-z_$][\w$]*(\.[A-Za-z_$][\w$]*)*")


class JavaSpec(NamedTuple):
    """A Java player as written."""

    text: str
    class_name: str
    classpath: tuple[Path, ...]
    """Directories and jars, absolute."""
    cwd: Path | None
    """Where relative file names of the player start; None: where the command was started."""

    @property
    def class_file(self) -> str:
        """The file of the class below a directory of the classpath, or in a jar."""
        return self.class_name.replace(".", "/") + ".class"


def parse(text: str) -> JavaSpec:
    """Read ``eaai:package.Class@classpath`` with ``;cwd=DIR`` at the end or not; every entry must exist."""
    name, at, rest = text.removeprefix(PREFIX).partition("@")
    places, _, cwd = rest.partition(";cwd=")
    if not at or not places or not _CLASS.fullmatch(name):
        raise UnknownName(
            f"expected eaai:package.Class@classpath or eaai:Class@classpath;cwd=DIR, got {text!r}"
        )
    classpath = tuple(
        place for entry in filter(None, places.split(os.pathsep)) for place in _entries(text, entry)
    )
    directory = _absolute(cwd) if cwd else None
    if directory and not directory.is_dir():
        raise UnknownName(f"cannot load player {text!r}: there is no directory {cwd!r}")
    return JavaSpec(text, name, classpath, directory)


def _entries(text: str, entry: str) -> Iterator[Path]:
    """The places of one entry: a directory, a jar, or all jars of ``directory/*``."""
    path = _absolute(entry)
    if path.name == "*":
        yield from sorted(path.parent.glob("*.jar"))
    elif path.is_dir() or zipfile.is_zipfile(path):
        yield path
    else:
        what = "is neither a directory nor a jar" if path.exists() else "does not exist"
        raise UnknownName(f"cannot load player {text!r}: {entry!r} {what}")


def _absolute(place: str) -> Path:
    try:
        return Path(place).absolute()
    except (OSError, ValueError) as error:
        raise UnknownName(f"cannot read the place {place!r}: {error}") from None


def load(text: str) -> Player:
    """The player that a text names. Java starts when its first game begins, in the process that plays it."""
    spec = parse(text)
    if not any(_holds(place, spec.class_file) for place in spec.classpath):
        raise UnknownName(
            f"cannot load player {text!r}: there is no {spec.class_file} in the classpath; compile the class "
            "with javac and give the directory above its package, or the jar"
        )
    _bridge("machine").check()
    no = _whole_games_only
    return Player(text, draw=no, discard=no, knock=no, spread=no, shard=SHARD, sit=_Seats(spec))


class _Seats:
    """Sits down at tables; the class is loaded at the first one."""

    def __init__(self, spec: JavaSpec) -> None:
        self.spec = spec
        self._loaded: Any = None

    def __call__(self, game: int, side: int) -> Follower:
        """A new instance for one game."""
        if self._loaded is None:
            self._loaded = _bridge("classes").loaded(self.spec)
        follower: Follower = self._loaded(game, side)
        return follower


def _bridge(module: str) -> Any:
    """A module of the bridge to Java, which stands above this room and is imported only when it is used."""
    return importlib.import_module(f"ginrummy.bridges.eaai.{module}")


def _whole_games_only(*asked: object) -> NoReturn:
    raise BadInput(
        "a Java player follows whole games: it plays in match, tournament, tune, data and estimate, not here"
    )


def _holds(place: Path, file: str) -> bool:
    if place.is_dir():
        return (place / file).is_file()
    with zipfile.ZipFile(place) as jar:
        return file in jar.namelist()


def class_files(text: str) -> Iterator[tuple[str, Path]]:
    """Name and path of each class file and jar behind a spec; data that a player reads is not among them."""
    for place in parse(text).classpath:
        if place.is_dir():
            for path in sorted(place.rglob("*.class")):
                yield f"{place.name}/{path.relative_to(place).as_posix()}", path
        else:
            yield place.name, place
