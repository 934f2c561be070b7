"""The command that reviews recorded games."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from ginrummy.notation import GameRecord


def analyse(
    record: Annotated[Path, typer.Argument(help="A file of games, in any format that `convert` reads.")],
    seat: Annotated[
        int | None,
        typer.Option(min=0, max=1, help="Whose decisions (default: the seat named person, else 0)."),
    ] = None,
    game: Annotated[int, typer.Option(min=1, help="Which game of the file.")] = 1,
    opponent: Annotated[bool, typer.Option("--opponent", help="Judge the opponent's decisions too.")] = False,
    budget: Annotated[str, typer.Option(help="How closely to look: quick, normal or deep.")] = "normal",
    seed: Annotated[int, typer.Option(min=0, help="Determines the worlds that are sampled.")] = 0,
    html: Annotated[
        Path | None, typer.Option(help="Also write the review to this file: one page, with a replay.")
    ] = None,
    reads: Annotated[
        str | None, typer.Option("--from", help="Format of RECORD (default: recognised by its first line).")
    ] = None,
    rules: Annotated[str, typer.Option(help="Rules of games whose format does not name them.")] = "eaai",
    as_json: Annotated[bool, typer.Option("--json", help="Print exactly one JSON object.")] = False,
) -> None:
    """Review a recorded game: doubtful moves, mistakes and blunders, luck, winning chances."""
    from ginrummy.bridges.formats import read_games
    from ginrummy.coach import Budget, moments, review
    from ginrummy.coach.reviews import budget_named
    from ginrummy.errors import BadInput
    from ginrummy.evidence import check_writable, write_files
    from ginrummy.rules import parse_rules
    from ginrummy.terminal.review import show_review
    from ginrummy.terminal.waiting import reviewing

    spent: Budget = budget_named(budget)
    if html:
        check_writable(html)
    name, games = read_games(record, parse_rules(rules), reads)
    if game > len(games):
        raise BadInput(f"{record} has {len(games)} games: there is no game {game}")
    chosen = games[game - 1]
    judged = _seat(chosen) if seat is None else seat
    with reviewing() as on_progress:
        found = review(chosen, judged, spent, on_progress, opponent=opponent, seed=seed)
    if html:
        from ginrummy.coach.html import page

        write_files({html: [page(found, moments(chosen))]})
    if as_json:
        about = {"record": str(record), "format": name, "game": game, "games": len(games)}
        print(json.dumps(about | found.to_json(), indent=2, allow_nan=False))
        return
    if len(games) > 1:
        print(f"game {game} of {len(games)}")
    show_review(found)
    if html:
        print(f"written to {html}")


def _seat(record: "GameRecord") -> int:
    from ginrummy.session import PERSON

    return record.players.index(PERSON) if record.players.count(PERSON) == 1 else 0
