"""Unfinished runs as tables."""

from datetime import UTC, datetime
from typing import Any

from rich.console import Console
from rich.table import Table

from ginrummy.runs.journal import state_directory
from ginrummy.runs.shelf import Run

WIDTH = 60
"""Characters of a command in the list."""


def show_runs(found: list[Run]) -> None:
    """The runs of the user's directory."""
    screen = Console()
    if not found:
        screen.print(f"no unfinished runs in {state_directory()}", highlight=False)
        return
    table = Table()
    for head in ("run", "state", "shards", "last change (UTC)", "command"):
        table.add_column(head, justify="right" if head == "shards" else "left", overflow="fold")
    for run in found:
        changed = datetime.fromtimestamp(run.path.stat().st_mtime, UTC)
        table.add_row(
            run.name, run.state, f"{run.done:,} of {run.shards:,}", f"{changed:%Y-%m-%d %H:%M}", _command(run)
        )
    screen.print(table)


def show_run(run: Run, so_far: dict[str, Any] | None) -> None:
    """One run, line by line."""
    screen = Console()
    note = run.header.get("note") or {}
    lines = {
        "run": run.name,
        "journal": str(run.path),
        "state": run.state,
        "shards": f"{run.done:,} of {run.shards:,}",
        "command": " ".join(["ginrummy", *note["command"]]) if note.get("command") else "not noted",
        "directory": note.get("directory", ""),
        "began": note.get("began", ""),
        "code": run.header.get("code", ""),
    }
    for name, text in lines.items():
        if text:
            screen.print(f"{name:<10} {text}", highlight=False, markup=False)
    for row in (so_far or {}).get("pairings", []):
        low, high = row["pair_ci95_a"]
        screen.print(
            f"{row['player_a']} against {row['player_b']}: {100 * row['win_rate_a']:.1f} % "
            f"[{100 * low:.1f}, {100 * high:.1f}] of {row['games']:,} games",
            highlight=False,
            markup=False,
        )


def _command(run: Run) -> str:
    note = run.header.get("note") or {}
    text = " ".join(note.get("command") or [str(run.header["identity"].get("command", ""))])
    return text if len(text) <= WIDTH else text[: WIDTH - 1] + "…"
