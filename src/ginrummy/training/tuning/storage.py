"""Where a study is kept: an SQLite file by default, or any database that Optuna can reach by a URL."""

import fcntl
import hashlib
import json
import sqlite3
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from ginrummy._jit import code_digest
from ginrummy.errors import BadInput
from ginrummy.evidence import check_writable
from ginrummy.extras import how_to_install
from ginrummy.players.files import identified
from ginrummy.runs import default_journal_path
from ginrummy.training.tuning.plan import Tuning, identity

if TYPE_CHECKING:
    from optuna import Study

NAME = "ginrummy"
"""The name of a study in a file of its own; in a shared database a digest of the search is added."""
_SQLITE = "sqlite:///"


def load_optuna() -> ModuleType:
    """Import Optuna, which is an extra, and keep it quiet."""
    try:
        import cmaes  # noqa: F401
        import optuna
    except ImportError:
        raise BadInput(f"tuning needs Optuna: install it with {how_to_install('tune')}") from None
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    warnings.filterwarnings("ignore", category=optuna.exceptions.ExperimentalWarning)
    warnings.filterwarnings("ignore", message="`x0` has been deprecated", category=FutureWarning)
    warnings.filterwarnings("ignore", message="The reported value is ignored", category=UserWarning)
    return optuna


def place_of(text: str | None) -> Path | str | None:
    """Where a study is kept, from what a user wrote: a file, or the URL of a database; checked early."""
    if text is None:
        return None
    if text.startswith(_SQLITE):
        text = text.removeprefix(_SQLITE)
    elif "://" in text:
        return text
    if not text or text == ":memory:":
        raise BadInput("a study is kept in a file or a database: expected a path or a URL")
    check_writable(Path(text))
    return Path(text)


def shown(place: Path | str) -> str:
    """The place of a study for people: a URL without its password."""
    if isinstance(place, Path):
        return str(place)
    from sqlalchemy.engine import make_url

    return make_url(place).render_as_string(hide_password=True)


def usual_place(tuning: Tuning) -> Path:
    """The file of a study for which no place is named."""
    return default_journal_path(identity(tuning)).with_suffix(".db")


@contextmanager
def opened(place: Path | str, tuning: Tuning, fresh: bool) -> "Iterator[Study]":
    """Open or make a study, locked for this process."""
    optuna = load_optuna()
    own = json.dumps(identified(identity(tuning)) | {"code": code_digest()}, sort_keys=True)
    with _locked(place), _connected(optuna, place, tuning, fresh) as study:
        if study.user_attrs.get("identity", own) != own:
            raise BadInput(
                f"{shown(place)} is the study of another search or of other code (--fresh drops it)"
            )
        study.set_user_attr("identity", own)
        yield study


@contextmanager
def _locked(place: Path | str) -> Iterator[None]:
    """Keep other processes of this machine away from the study."""
    if isinstance(place, Path):
        lock_path = place.with_name(place.name + ".lock")
    else:
        lock_path = default_journal_path({"study": place}).with_suffix(".lock")
    lock_path.parent.mkdir(parents=True, exist_ok=True)
    with lock_path.open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise BadInput(f"another process is at work on the study {_safely_shown(place)}") from None
        yield


@contextmanager
def _connected(optuna: Any, place: Path | str, tuning: Tuning, fresh: bool) -> "Iterator[Study]":
    name, url, options = NAME, place, {}
    if isinstance(place, Path):
        if fresh:
            for end in ("", "-wal", "-shm"):
                place.with_name(place.name + end).unlink(missing_ok=True)
        url, options = f"{_SQLITE}{place.absolute()}", {"creator": lambda: _connect(place)}
    else:
        name = f"{NAME}-{hashlib.sha256(json.dumps(identity(tuning)).encode()).hexdigest()[:12]}"
    try:
        storage = optuna.storages.RDBStorage(url, engine_kwargs=options)
        if fresh and name in optuna.get_all_study_names(storage):
            optuna.delete_study(study_name=name, storage=storage)
        study = optuna.create_study(
            storage=storage, study_name=name, direction="maximize", load_if_exists=True
        )
    except Exception as error:
        what = "is no study of ours" if isinstance(place, Path) else "cannot be used as a database"
        words = str(error).strip().splitlines() or [type(error).__name__]
        raise BadInput(f"{_safely_shown(place)} {what}: {words[0]}") from error
    try:
        yield study
    finally:
        storage.engine.dispose()


def _safely_shown(place: Path | str) -> str:
    """The place for an error message; a URL that cannot be read may hold a password, so it is left out."""
    try:
        return shown(place)
    except Exception:
        return "the URL"


def _connect(path: Path) -> sqlite3.Connection:
    """Open the file so that a commit survives the end of this process without waiting for the disk each time.

    Optuna commits every parameter separately: some thirty commits a trial, which took longer than its games.
    """
    connection = sqlite3.connect(path, timeout=60, check_same_thread=False)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")
    return connection
