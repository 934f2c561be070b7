"""The command ``ginrummy`` and long work: where it is done, when it ends, what is unfinished."""

import json
import os
import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ginrummy.errors import BadInput

if TYPE_CHECKING:
    from ginrummy.sequential import Rule

Ray = Annotated[
    str | None,
    typer.Option(
        help="Share the work among the processors of a Ray cluster: auto, HOST:PORT, ray://… or local.",
        metavar="ADDRESS",
    ),
]
UntilCi = Annotated[
    float | None,
    typer.Option(help="Stop when the win rate is known to within so many percentage points either way."),
]
Sprt = Annotated[
    tuple[float, float] | None,
    typer.Option(
        help="Stop when it is known that A wins more than LOW, or less than HIGH, percent of the games.",
        metavar="LOW HIGH",
    ),
]
MOST_GAMES = 10_000_000
"""Games of a match at most, when a rule says when to stop."""


def shared(ray: str | None) -> AbstractContextManager[None]:
    """Where the shards are done: here, or on a Ray cluster."""
    if ray is None:
        return nullcontext()
    from ginrummy.runs.cluster import on_ray

    return on_ray(ray)


def rule(until_ci: float | None, sprt: tuple[float, float] | None) -> "Rule | None":
    """When a match ends before its last game."""
    if until_ci is None and sprt is None:
        return None
    from ginrummy.sequential import Duel, UntilInterval

    if until_ci is not None and sprt is not None:
        raise BadInput("--until-ci and --sprt ask different questions: give one of them")
    return UntilInterval(until_ci) if until_ci is not None else Duel(*sprt) if sprt else None


Name = Annotated[str, typer.Argument(help="A name of the list, its beginning, or the path of a journal.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print exactly one JSON object.")]

app = typer.Typer(
    help="List, show, resume and delete unfinished runs.",
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def _list(context: typer.Context, as_json: AsJson = False) -> None:
    """List, show, resume and delete unfinished runs; without a word more, list them."""
    if context.invoked_subcommand is None:
        from ginrummy import terminal
        from ginrummy.runs import shelf

        found = shelf.runs()
        if as_json:
            print(json.dumps({"runs": [shelf.told(run) for run in found]}, indent=2))
        else:
            terminal.show_runs(found)


@app.command()
def show(name: Name, as_json: AsJson = False) -> None:
    """Show one run: its command, what it computes, how far it is, what it has found so far."""
    from ginrummy import terminal, tournament
    from ginrummy.runs import shelf

    run = shelf.find(name)
    so_far = tournament.so_far(run.path)
    if as_json:
        print(json.dumps(shelf.told(run) | {"so_far": so_far}, indent=2))
    else:
        terminal.show_run(run, so_far)


@app.command()
def resume(name: Name) -> None:
    """Give the command of a run again, in its directory: it goes on from its journal."""
    from ginrummy.runs import shelf

    run = shelf.find(name)
    words, directory = shelf.command_of(run)
    if run.busy:
        raise BadInput(f"{run.name} is under way in another process")
    if not Path(directory).is_dir():
        raise BadInput(f"{run.name} was started in {directory}, which is not there")
    print(f"in {directory}: ginrummy {' '.join(words)}", file=sys.stderr, flush=True)
    os.chdir(directory)
    os.execv(sys.executable, [sys.executable, "-m", "ginrummy", *words])


@app.command()
def delete(
    names: Annotated[list[str], typer.Argument(metavar="NAME…", help="Names of the list, or paths.")],
) -> None:
    """Delete runs: what they have finished is lost."""
    from ginrummy.runs import shelf

    for run in [shelf.find(name) for name in names]:
        shelf.delete(run)
        print(f"deleted {run.path}")
