"""Unfinished runs: the journals in the user's directory of runs, for ``ginrummy runs``."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from ginrummy._jit import code_digest
from ginrummy.errors import BadInput
from ginrummy.runs.journal import Result, discard, is_busy, look_at, state_directory


class Run(NamedTuple):
    """A journal, seen from outside."""

    path: Path
    header: Result
    done: int
    """Shards that are finished."""
    busy: bool
    """Whether a process is at it."""

    @property
    def name(self) -> str:
        """What it is called in the list."""
        return self.path.stem

    @property
    def shards(self) -> int:
        """All shards."""
        return int(self.header["shards"])

    @property
    def state(self) -> str:
        """Whether it can go on."""
        if self.busy:
            return "under way"
        if self.header.get("code") != code_digest():
            return "of other code"
        return "finished" if self.done == self.shards else "waits"


def runs() -> list[Run]:
    """All journals of the user's directory, the youngest first."""
    paths = list(state_directory().glob("*.jsonl"))
    found = [run for path in paths if (run := _read(path)) is not None]
    return sorted(found, key=lambda run: -run.path.stat().st_mtime)


def find(name: str) -> Run:
    """The run of this name, of a name that begins so, or in the journal at this path."""
    if (path := Path(name)).is_file():
        if (run := _read(path)) is None:
            raise BadInput(f"{name} is not a journal")
        return run
    found = [run for run in runs() if run.name.startswith(name)]
    exact = [run for run in found if run.name == name]
    if len(exact or found) != 1:
        what = "no run is" if not found else f"{len(found)} runs are"
        raise BadInput(f"{what} called {name}: see ginrummy runs")
    return (exact or found)[0]


def command_of(run: Run) -> tuple[list[str], str]:
    """The words of the command that made a run, and its directory."""
    note = run.header.get("note")
    words = note.get("command") if isinstance(note, dict) else None
    if not isinstance(note, dict) or not isinstance(words, list) or not words:
        raise BadInput(f"{run.name} does not say which command made it: give the command again")
    return [str(word) for word in words], str(note.get("directory", "."))


def delete(run: Run) -> None:
    """Remove a journal, unless a process is at it."""
    discard(run.path)
    if run.path.exists():
        raise BadInput(f"{run.name} is under way in another process: stop it first")


def told(run: Run) -> dict[str, Any]:
    """A run as JSON."""
    note = run.header.get("note") or {}
    return {
        "name": run.name,
        "path": str(run.path),
        "state": run.state,
        "shards": run.shards,
        "done": run.done,
        "code": run.header.get("code"),
        "command": note.get("command"),
        "directory": note.get("directory"),
        "began": note.get("began"),
        "identity": run.header["identity"],
    }


def _read(path: Path) -> Run | None:
    found = look_at(path)
    if found is None or not isinstance(found.header.get("shards"), int):
        return None
    return Run(path, found.header, found.done, is_busy(path))
