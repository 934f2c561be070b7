"""The command ``ginrummy``: a thin shell. Results go to standard output, progress to standard error.

Libraries that take long to import are imported by the command that needs them, so ``--help`` is quick.
Every error that a user can cause is one line and exit code 2; a player from outside that fails shows its
traceback first. Anything else is a bug of ours: a traceback and exit code 1.
"""

import json
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ginrummy import __version__, cli_bridges, cli_coach, cli_runs
from ginrummy.cli_runs import MOST_GAMES, Ray, Sprt, UntilCi, rule, shared
from ginrummy.errors import BadInput, GinRummyError, PlayerError, one_line, shortened
from ginrummy.runs.commands import set_command

if TYPE_CHECKING:
    from ginrummy.experiments.frame.experiment import Experiment
    from ginrummy.experiments.frame.store import Order
    from ginrummy.sheets import Sheets
    from ginrummy.tournament import Plan

UsageError: type[Exception] = typer.BadParameter.__bases__[0]
"""A command used wrongly: the base class of what typer raises, whichever version of click it bundles."""

STOPPED = 130
"""Exit code after Ctrl-C."""
app = typer.Typer(
    help="A laboratory for the card game Gin Rummy.",
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Games = Annotated[
    int, typer.Option(min=1, help="Games (of each pairing); odd numbers are rounded up to pairs.")
]
Seed = Annotated[int, typer.Option(min=0, help="Determines all decks and all random choices of players.")]
RulesText = Annotated[str, typer.Option("--rules", help="A preset, or preset:key=value,… .")]
Workers = Annotated[int, typer.Option(min=1, help="Processes that share the work.")]
Out = Annotated[Path | None, typer.Option(help="Also write the result to this file as JSON.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print exactly one JSON object.")]
JournalFile = Annotated[
    Path | None, typer.Option("--journal", help="Keep finished work in this file; it is not removed.")
]
SecondsPerGame = Annotated[
    float | None,
    typer.Option(help="A player that uses more time in a game forfeits it; games are played one by one."),
]
Csv = Annotated[
    Path | None, typer.Option("--csv", help="Write games.csv and stats.csv to this directory.", metavar="DIR")
]
Fresh = Annotated[bool, typer.Option(help="Start anew and drop what an interrupted run has left.")]


def _print_version(asked: bool) -> None:
    if asked:
        print(f"ginrummy {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


@app.command()
def players(as_json: AsJson = False) -> None:
    """List every player: what it does, where it comes from, its parameters."""
    from ginrummy.players.registry import describe, player_names

    entries = [describe(name) for name in player_names()]
    if as_json:
        rows = [
            {"name": e.name, "summary": e.summary, "source": e.source, "differs": e.differs}
            | {"parameters": dict(e.parameters), "profiles": list(e.profiles)}
            | {"ranges": {key: [bound.low, bound.high] for key, bound in e.ranges.items()}}
            for e in entries
        ]
        _print_json({"players": rows})
        return
    from ginrummy import terminal

    terminal.show_players(entries)


@app.command()
def match(
    player_a: Annotated[str, typer.Argument(help="name or name:key=value,…")],
    player_b: Annotated[str, typer.Argument(help="name or name:key=value,…")],
    games: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Games; odd numbers are rounded up to pairs. (default: 1000; with --until-ci or --sprt "
            "the most that are played, 10,000,000)",
        ),
    ] = None,
    seed: Seed = 1,
    rules: RulesText = "eaai",
    workers: Workers = 1,
    ray: Ray = None,
    out: Out = None,
    journal: JournalFile = None,
    fresh: Fresh = False,
    until_ci: UntilCi = None,
    sprt: Sprt = None,
    seconds_per_game: SecondsPerGame = None,
    csv: Csv = None,
    as_json: AsJson = False,
) -> None:
    """Play two players against each other in mirrored pairs of games."""
    from ginrummy import terminal, tournament

    until = rule(until_ci, sprt)
    games = games or (MOST_GAMES if until else 1000)
    plan = _plan(games, seed, rules, workers, out, journal, fresh, seconds_per_game)
    sheets = _sheets(csv)
    with _until_delivered():
        with shared(ray), terminal.progress([player_a, player_b], plan, games) as bar:
            watched = plan._replace(watch=bar.watch)
            result = tournament.match(player_a, player_b, watched, bar, sheets, until)
        _report(result, out, as_json, terminal.show_match, sheets)


@app.command("tournament")
def tournament_command(
    names: Annotated[list[str], typer.Argument(metavar="PLAYER…", help="two or more players")],
    games: Games = 1000,
    seed: Seed = 1,
    rules: RulesText = "eaai",
    workers: Workers = 1,
    ray: Ray = None,
    out: Out = None,
    journal: JournalFile = None,
    fresh: Fresh = False,
    one_vs_all: Annotated[
        str | None,
        typer.Option(metavar="PLAYER", help="Only this player meets each of the others; no ratings."),
    ] = None,
    seconds_per_game: SecondsPerGame = None,
    csv: Csv = None,
    as_json: AsJson = False,
) -> None:
    """Play every player against every other and rate them, or one against all others."""
    from ginrummy import terminal, tournament

    plan = _plan(games, seed, rules, workers, out, journal, fresh, seconds_per_game)
    sheets = _sheets(csv)
    entrants = tournament.entrants(names, one_vs_all)
    pairings = tournament.pairings_of(entrants, one_vs_all)
    with _until_delivered():
        with shared(ray), terminal.progress(entrants, plan, games * len(pairings)) as bar:
            watched = plan._replace(watch=bar.watch)
            result = tournament.tournament(entrants, watched, bar, sheets, one_vs_all)
        _report(result, out, as_json, terminal.show_tournament, sheets)


@app.command()
def play(
    against: Annotated[str | None, typer.Option(help="The opponent (default: simple).")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Repeat the decks of an earlier game.")] = None,
    rules: Annotated[str | None, typer.Option(help="Preset, or preset:key=value,… (default: eaai).")] = None,
    save: Annotated[Path | None, typer.Option(help="Write the record of the game to this file.")] = None,
    load: Annotated[Path | None, typer.Option(help="Continue the last game of this file.")] = None,
) -> None:
    """Play a game in the terminal."""
    from ginrummy.terminal import play as game

    game.play(game.Order(against, seed, rules, save, load))


@app.command()
def serve(
    host: Annotated[str, typer.Option(help="The address to serve at; 0.0.0.0 is every one.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes a free one.")] = 8080,
    database: Annotated[
        str | None,
        typer.Option(help="A file of SQLite or postgresql://… (default: a file in your data directory)."),
    ] = None,
    browser: Annotated[bool, typer.Option(help="Open a browser where there is one.")] = True,
) -> None:
    """Serve the page: play anyone with a coach, review games, look into the laboratory."""
    from ginrummy.web import server

    server.serve(server.Order(host, port, database, browser))


app.add_typer(cli_runs.app, name="runs")
app.command("serve-bot")(cli_bridges.serve_bot)
app.command("java-client")(cli_bridges.java_client)


@app.command()
def replay(
    record: Annotated[Path, typer.Argument(help="A file of game records.")],
    as_json: AsJson = False,
) -> None:
    """Check recorded games against the rules, and show their score sheets."""
    from ginrummy import terminal
    from ginrummy.notation import read_all, replay_game

    text = record.read_bytes().decode("utf-8", errors="replace")  # bad bytes become bad text, with a place
    games = [(game, replay_game(game)) for game in read_all(text)]
    if as_json:
        _print_json({"games": [terminal.sheet_json(*game) for game in games]})
        return
    for game, played in games:
        terminal.show_sheet(game, played)


app.command()(cli_bridges.convert)
app.command()(cli_coach.analyse)


@app.command()
def reproduce(
    ids: Annotated[
        list[str] | None, typer.Argument(metavar="[ID]…", help="Experiments; all when none is named.")
    ] = None,
    scale: Annotated[str, typer.Option(help="smoke (a quick check) or full (the paper's size).")] = "smoke",
    seed: Seed = 1,
    workers: Workers = 1,
    ray: Ray = None,
    listing: Annotated[bool, typer.Option("--list", help="List the experiments and their evidence.")] = False,
    out: Annotated[
        Path | None,
        typer.Option(help="Directory for evidence and figures (default: results for full, none for smoke)."),
    ] = None,
    page: Annotated[
        Path | None, typer.Option(help="Also write the papers' pages to this directory, from the evidence.")
    ] = None,
    from_evidence: Annotated[
        bool, typer.Option("--from-evidence", help="Play nothing: compare and draw existing evidence.")
    ] = False,
    fresh: Fresh = False,
    as_json: AsJson = False,
) -> None:
    """Repeat the papers' experiments: published values beside ours, with verdicts and figures."""
    from ginrummy import terminal
    from ginrummy.experiments.frame import store
    from ginrummy.experiments.frame.experiment import Settings

    settings = Settings(seed, workers, fresh and not from_evidence)
    order = store.order(ids or [], scale, settings, out, not from_evidence, listing)
    if listing:
        _report({"experiments": store.listing(order)}, None, as_json, terminal.show_experiments)
        return
    if page and not order.writes:
        raise BadInput("a page is made from evidence: give --out, --scale full or --from-evidence as well")
    results = []
    with _until_delivered() if as_json else nullcontext():
        for experiment in order.experiments:
            with _until_delivered():
                results.append(_reproduced(order, experiment, page is None, as_json, ray))
        if as_json:
            _report({"experiments": results}, None, as_json, terminal.show_experiments)
    if page and order.writes:
        from ginrummy.reports import pages

        pages.write_pages(order.out, page)


def _reproduced(
    order: "Order", experiment: "Experiment[Any]", draws: bool, as_json: bool, ray: str | None
) -> dict[str, Any]:
    """Measure an experiment unless its evidence exists, then keep and show the result."""
    from ginrummy import terminal
    from ginrummy.experiments.frame import store
    from ginrummy.reports import figures

    found = store.stored(order, experiment)
    if found is None:
        players, plan = experiment.warm_up_players(), experiment.plan(order.scale, order.settings)
        games = experiment.total_games(order.scale)
        with shared(ray), terminal.progress(players, plan, games) as on_progress:
            found = experiment.run(order.scale, order.settings, on_progress)
    evidence, result = found, found.to_json()

    def keep() -> None:
        store.keep(order, experiment, evidence)
        if order.writes and draws:  # otherwise the page's writer draws them
            figures.draw_beside(order.out, experiment, evidence)

    show = None if as_json else lambda _: terminal.show_experiment(evidence)
    _deliver(result, [(order.out, keep)], show)
    return result


@app.command()
def tune(
    player: Annotated[
        str, typer.Argument(help="name or name:key=value,… ; what is set here is not searched")
    ],
    against: Annotated[list[str] | None, typer.Option(help="An opponent; repeat it for more.")] = None,
    ranges: Annotated[
        list[str] | None,
        typer.Option(
            "--range",
            help="A parameter to search: alpha, alpha=0:60, alpha=0:60:5 or a=x|y; repeat it for more. "
            "Without any, all parameters for which the player declares bounds.",
        ),
    ] = None,
    trials: Annotated[
        int | None,
        typer.Option(min=1, help="Budget (default: the whole grid, else 300); a larger one continues."),
    ] = None,
    games: Annotated[int, typer.Option(min=2, help="Games of a trial against each opponent.")] = 1000,
    seed: Seed = 1,
    space: Annotated[
        str | None, typer.Option(help="All parameters to search in one text: alpha=10.0..80@20,k=3..12,…")
    ] = None,
    sampler: Annotated[str, typer.Option(help="cma-es, nsga2 (genetic), tpe, random or grid.")] = "cma-es",
    objective: Annotated[str, typer.Option(help="wins, or points: the share of all points.")] = "wins",
    decks: Annotated[
        str | None,
        typer.Option(help="generation: new decks for each generation; same: one set for all (grids)."),
    ] = None,
    prune: Annotated[
        bool | None,
        typer.Option(
            "--prune/--no-prune",
            help="Stop trials that are clearly worse than the best on the same decks (default if possible).",
        ),
    ] = None,
    weights: Annotated[str | None, typer.Option(help="Weight of each opponent, such as 2/2/1.")] = None,
    finalists: Annotated[int, typer.Option(min=2, help="Players compared again on fresh decks.")] = 12,
    check_games: Annotated[int, typer.Option(min=2, help="Games per seed of the last measurement.")] = 20_000,
    study: Annotated[
        str | None, typer.Option(help="Keep the search in this SQLite file, or in the database of this URL.")
    ] = None,
    draw: Annotated[
        Path | None, typer.Option(help="Directory for figures: history, importance, parameters.")
    ] = None,
    rules: RulesText = "eaai",
    workers: Workers = 1,
    ray: Ray = None,
    out: Out = None,
    fresh: Fresh = False,
    as_json: AsJson = False,
) -> None:
    """Tune a player's parameters against opponents, and measure the result on fresh decks."""
    from ginrummy import terminal
    from ginrummy.rules import parse_rules
    from ginrummy.terminal.tuning import searching
    from ginrummy.training import tuning

    _check_out(out)
    if draw:
        from ginrummy.judging.study import check_directory

        check_directory(draw)
    plan = tuning.plan_tuning(
        player,
        against or [],
        space,
        weights,
        ranges or [],
        trials=trials,
        games=games,
        seed=seed,
        rules=parse_rules(rules),
        sampler=sampler,
        objective=objective,
        decks=decks,
        prune=prune,
        finalists=finalists,
        check_games=check_games,
    )
    place = tuning.place_of(study)
    with _until_delivered():
        with shared(ray), searching(plan) as (on_progress, on_trial):
            result = tuning.tune(plan, tuning.Shop(workers, place, fresh, on_progress, on_trial))
        if draw:
            from ginrummy.reports.tuning import draw_tuning

            draw_tuning(result, draw)
        _report(result, out, as_json, terminal.show_tuning)


@app.command("train")
def train_command(
    name: Annotated[
        str, typer.Argument(help="what to rebuild: knock-table, ann, lstm, card-value, knock, …")
    ],
    scale: Annotated[str, typer.Option(help="smoke (seconds) or full.")] = "smoke",
    seed: Seed = 1,
    workers: Workers = 1,
    ray: Ray = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="knock-table: also write the result to this file. Others: the directory of the trained file "
            "(default: the package's own at full scale, none at smoke)."
        ),
    ] = None,
    state: Annotated[
        Path | None,
        typer.Option(help="champion: the file that keeps the training; the same command continues from it."),
    ] = None,
    decisions: Annotated[
        int | None, typer.Option(min=1, help="champion: how many decisions to learn from in all.")
    ] = None,
    changed: Annotated[
        bool, typer.Option("--changed", help="champion: go on with other settings than before.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Rebuild a trained file or the knock table from scratch."""
    from ginrummy import terminal
    from ginrummy.training import recipes

    recipe = recipes.recipe(name)
    directory = out if recipes.makes_file(name) else None
    if directory is None:
        _check_out(out)
    elif directory.exists() and not directory.is_dir():
        raise BadInput(f"cannot write to {directory}: {name} makes a file and needs a directory")
    with _until_delivered():
        with shared(ray), terminal.long_work() as on_progress:
            result = recipes.rebuild(
                name, scale, seed, workers, directory, on_progress,
                state=state, decisions=decisions, changed=changed,
            )  # fmt: skip
        _report(result, None if directory else out, as_json, lambda shown: print(recipe.text(shown)))


@app.command()
def guide(
    out: Annotated[Path, typer.Option(help="The page to write; its charts go beside it.")] = Path(
        "docs/guide.md"
    ),
    one_page: Annotated[
        Path | None, typer.Option(help="Write one side of paper to this HTML file instead.", metavar="FILE")
    ] = None,
    results: Annotated[Path, typer.Option(help="Directory of the evidence.")] = Path("results"),
) -> None:
    """Write the strategy guide for people, from learned tables and evidence."""
    from ginrummy.evidence import check_writable
    from ginrummy.reports import guide as reports

    check_writable(one_page or out)
    if one_page:
        one_page.write_text(reports.one_page(reports.collect(results)), encoding="utf-8")
        print(f"written to {one_page}")
        return
    for path in reports.write_page(results, out):
        print(f"written to {path}")


@app.command("data")
def data_command(
    player_a: Annotated[str, typer.Argument(help="name or name:key=value,…")],
    player_b: Annotated[str, typer.Argument(help="name or name:key=value,…")],
    out: Annotated[Path, typer.Option(help="The Parquet file to write.")],
    games: Games = 1000,
    seed: Seed = 1,
    rules: RulesText = "eaai",
    workers: Workers = 1,
    ray: Ray = None,
    fresh: Fresh = False,
    as_json: AsJson = False,
) -> None:
    """Play games and write every decision as a row of a Parquet file."""
    from ginrummy import terminal
    from ginrummy.training import play_data

    plan = _plan(games, seed, rules, workers, out, None, fresh)
    with shared(ray), terminal.progress([player_a, player_b], plan, games) as bar:
        result = play_data.write(player_a, player_b, plan._replace(watch=bar.watch), out, bar)
    _report(result, None, as_json, lambda shown: print(play_data.text(shown)))


@app.command()
def estimate(
    estimators: Annotated[list[str], typer.Argument(metavar="ESTIMATOR…", help="name or name:key=value,…")],
    players: Annotated[
        tuple[str, str], typer.Option(help="Whose games are watched.", metavar="PLAYER PLAYER")
    ] = ("simple", "simple"),
    hand: Annotated[str, typer.Option(help="Whose hand is guessed: a, b or both.")] = "both",
    games: Games = 1000,
    seed: Seed = 1,
    metric: Annotated[
        list[str] | None,
        typer.Option(help="A metric to print by turn; repeat for more (default: the paper's, and log loss)."),
    ] = None,
    draw: Annotated[Path | None, typer.Option(help="Directory for figures of every metric by turn.")] = None,
    hands: Annotated[int | None, typer.Option(help="Judge whole hands; so many are drawn.", min=1)] = None,
    rules: RulesText = "eaai",
    workers: Workers = 1,
    ray: Ray = None,
    out: Out = None,
    journal: JournalFile = None,
    fresh: Fresh = False,
    as_json: AsJson = False,
) -> None:
    """Judge estimators of the opponent's hand, turn by turn, between two bounds."""
    from ginrummy import terminal
    from ginrummy.judging import hand_study, study
    from ginrummy.terminal.study import show_hands, show_study

    if hands:
        work, show = hand_study.asked(estimators, players, hand, hands, metric or draw), show_hands
    else:
        cards = study.study(estimators, players, hand, metric)
        work, show = partial(study.estimate, cards), partial(show_study, by_turn=cards.by_turn)
    plan = _plan(games, seed, rules, workers, out, journal, fresh)
    if draw:
        study.check_directory(draw)
    with _until_delivered():
        with shared(ray), terminal.progress(list(players), plan, games) as bar:
            result = work(plan._replace(watch=bar.watch), bar)
        if draw:
            from ginrummy.reports.figures import draw_study

            draw_study(result, draw)
        _report(result, out, as_json, show)


@app.command()
def bench(
    as_json: AsJson = False,
    out: Out = None,
    page: Annotated[Path | None, typer.Option(help="Write the documentation's page to this file.")] = None,
    quick: Annotated[bool, typer.Option(help="A tenth of the work: a quick look, not a record.")] = False,
) -> None:
    """Measure the speed of kernels, simulator and players on this machine."""
    from ginrummy import bench as speed
    from ginrummy import terminal

    _check_out(out)
    _check_out(page)
    with terminal.steps() as on_step:
        result = speed.bench(quick, on_step)
    _report(result, out, as_json, terminal.show_bench)
    if page:
        page.write_text(speed.page(result), encoding="utf-8")


def _plan(
    games: int,
    seed: int,
    rules: str,
    workers: int,
    out: Path | None,
    journal: Path | None,
    fresh: bool,
    seconds_per_game: float | None = None,
) -> "Plan":
    from ginrummy.evidence import check_writable
    from ginrummy.rules import parse_rules
    from ginrummy.tournament import Plan

    _check_out(out)
    if journal:
        check_writable(journal)
    if seconds_per_game is not None:
        from ginrummy.timed import check_limit

        check_limit(seconds_per_game)
    return Plan(games, seed, parse_rules(rules), workers, journal, fresh, seconds_per_game)


def _sheets(directory: Path | None) -> "Sheets | None":
    """Where the games go, if CSV files are asked for."""
    if directory is None:
        return None
    from ginrummy.sheets import Sheets

    sheets = Sheets(directory)
    sheets.check()
    return sheets


def _check_out(out: Path | None) -> None:
    if out:
        from ginrummy.evidence import check_writable

        check_writable(out)


def _report(
    result: dict[str, Any],
    out: Path | None,
    as_json: bool,
    show: Callable[[dict[str, Any]], None],
    sheets: "Sheets | None" = None,
) -> None:
    """Write the result to its files, if any are named, and print it."""
    from ginrummy.evidence import write_evidence

    writes: list[tuple[Path | None, Callable[[], None]]] = []
    if sheets:
        writes.append((sheets.directory, sheets.write))
    if out:
        writes.append((out, lambda: write_evidence(out, result)))
    _deliver(result, writes, _print_json if as_json else show)


def _deliver(
    result: dict[str, Any],
    writes: list[tuple[Path | None, Callable[[], None]]],
    show: Callable[[dict[str, Any]], None] | None,
) -> None:
    """Write a result, place by place, and show it. It is shown even when a disk is full."""
    from ginrummy.errors import GinRummyError
    from ginrummy.runs import RunError

    failure: Exception | None = None
    for place, write in writes:
        try:
            write()
        except (OSError, GinRummyError) as error:
            failure, failed = error, place
    if show or failure:
        (show or _print_json)(result)
        sys.stdout.flush()  # if standard output is a file on a full disk, fail while the journal is kept
    if failure:
        why = getattr(failure, "strerror", None) or str(failure)
        raise RunError(
            f"cannot write {failed}: {why}; the result is on standard output, and the finished work is kept: "
            "the same command writes it again without playing"
        ) from failure


def _until_delivered() -> AbstractContextManager[None]:
    """Keep the journal of a run until its result is written and printed."""
    from ginrummy.runs import until_delivered

    return until_delivered()


def _print_json(result: dict[str, Any]) -> None:
    print(json.dumps(result, indent=2))


@contextmanager
def _one_line_errors() -> Iterator[None]:
    """Report what a user can cause in one line on standard error; show bugs with their traceback."""
    try:
        yield
    except UsageError as error:
        _fail(shortened(_message(error)) + " (see ginrummy --help)", 2)
    except (KeyboardInterrupt, typer.Abort):
        _fail("stopped", STOPPED)
    except BrokenPipeError:
        sys.stderr.close()  # the program that reads our output has ended: there is nothing more to say
        raise SystemExit(1) from None
    except PlayerError as error:
        print(error.trace.rstrip(), file=sys.stderr)
        _fail(str(error), 2)
    except (GinRummyError, OSError) as error:
        _fail(str(error), 2)
    except Exception:
        traceback.print_exc()
        _fail("this is a fault of ginrummy, not yours: please report it with the lines above", 1)


def _message(error: Exception) -> str:
    return str(getattr(error, "format_message", error.__str__)())


def _fail(message: str, code: int) -> None:
    print("ginrummy: " + one_line(message), file=sys.stderr)
    raise SystemExit(code)


def main() -> None:
    """Run the command line."""
    with _one_line_errors():
        if len(sys.argv) == 1:
            sys.argv.append("--help")
        set_command(sys.argv[1:])
        command = typer.main.get_command(app)
        code = command.main(prog_name="ginrummy", standalone_mode=False)
        if code == STOPPED:  # typer turns Ctrl-C into this code
            raise KeyboardInterrupt
        raise SystemExit(code if isinstance(code, int) else 0)
