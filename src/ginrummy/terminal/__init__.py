"""The shell of the command line: tables, progress, and a game for a person. It holds no game logic.

The command line calls what is named here; ``terminal.play`` and ``terminal.study`` are imported when needed.
"""

from ginrummy.terminal.results import (
    sheet_json,
    show_bench,
    show_experiment,
    show_experiments,
    show_match,
    show_players,
    show_sheet,
    show_tournament,
    show_tuning,
)
from ginrummy.terminal.runs import show_run, show_runs
from ginrummy.terminal.waiting import long_work, progress, steps

__all__ = [
    "long_work", "progress", "sheet_json", "show_bench", "show_experiment", "show_experiments", "show_match",
    "show_players", "show_run", "show_runs", "show_sheet", "show_tournament", "show_tuning", "steps",
]  # fmt: skip
