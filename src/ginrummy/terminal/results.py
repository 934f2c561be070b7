"""Results for a person: tables on standard output."""

from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ginrummy.game import Game
from ginrummy.notation import GameRecord
from ginrummy.rules import rules_text
from ginrummy.scoring import OUTCOMES
from ginrummy.specs import Entry
from ginrummy.terminal.screen import console

if TYPE_CHECKING:
    from ginrummy.experiments.frame.evidence import Evidence

Json = dict[str, Any]


def show_players(entries: list[Entry]) -> None:
    """A table of players."""
    table = Table("player", "what it does", "source", "parameters", box=None, pad_edge=False)
    for entry in entries:
        parameters = ", ".join(f"{p.name}={p.default}" for p in entry.parameters)
        table.add_row(f"[bold]{entry.name}", entry.summary, entry.source, parameters or "-")
    console().print(table)


def show_match(result: Json) -> None:
    """A match in a few lines."""
    out = console()
    low, high = result["pair_ci95_a"]
    out.print(
        f"[bold]{result['player_a']}[/] against [bold]{result['player_b']}[/]: won "
        f"[bold]{result['win_rate_a']:.2%}[/] of {result['games']:,} games "
        f"(95 % interval by pairs {low:.2%} to {high:.2%})",
        highlight=False,
        soft_wrap=True,
    )
    wilson_low, wilson_high = result["wilson90_a"]
    lines = [
        ("Wilson 90 %", f"{wilson_low:.2%} to {wilson_high:.2%}"),
        ("margin, mean and median", f"{result['mean_margin_a']:+.1f}, {result['median_margin_a']:+g} points"),
        ("won by 100 or more", f"{result['share_won_by_100_a']:.1%} of games"),
        ("rounds", f"{result['rounds']:,}, {result['rounds_per_game']:.2f} a game"),
        ("turns a round", f"{result['turns_per_round']:.2f}"),
        ("rounds by outcome", _outcomes(result)),
        ("points a round", f"{result['points_per_round_a']:.2f} to {result['points_per_round_b']:.2f}"),
        ("rounds ended by the cap", f"{result['capped_rounds']:,}"),
        *_forfeits(result, result),
        *_answer(result),
        ("rules, seed", f"{result['rules']}, {result['seed']}"),
        ("time", f"{result['seconds']:.2f} s, {result['rounds'] / result['seconds']:,.0f} rounds/s"),
    ]
    _show_lines(out, lines)


def _answer(result: Json) -> list[tuple[str, str]]:
    """What a rule asked that ends a match, and the answer."""
    if "stopped" not in result:
        return []
    found = result["stopped"]
    if "interval" in found:
        low, high = found["interval"]
        said = f"{low:.2%} to {high:.2%}, valid at every look"
    else:
        said = found.get("answer", "not known")
    return [(f"--{found['rule']}", said if found["answered"] else f"{said}: more games are needed")]


def _forfeits(plan: Json, row: Json) -> list[tuple[str, str]]:
    """Games forfeited, where they can be, with the reasons where there is more than the limit of time."""
    if "forfeits_a" not in row:
        return []
    what = "forfeited"
    if "forfeit_reasons_a" not in row:
        what += f", over {plan['seconds_per_game']:g} s a game"
    said = []
    for side in "ab":
        reasons = ", ".join(f"{n:,} {reason}" for reason, n in row.get(f"forfeit_reasons_{side}", {}).items())
        said.append(
            f"{row[f'forfeits_{side}']:,} by {row[f'player_{side}']}" + f" ({reasons})" * bool(reasons)
        )
    return [(what, ", ".join(said))]


def show_tournament(result: Json) -> None:
    """Ratings and the cross table, or the matches of one player against all others."""
    out = console()
    if "one_vs_all" in result:
        _show_one_vs_all(out, result)
    else:
        _show_cross_table(out, result)
    forfeits = [line for row in result["matches"] for line in _forfeits(result, row)]
    if forfeits:
        _show_lines(out, forfeits)


def _show_one_vs_all(out: Console, result: Json) -> None:
    table = Table("against", "won", "95 % by pairs", "margin", "games", box=None, pad_edge=False)
    for row in result["matches"]:
        low, high = row["pair_ci95_a"]
        rate, interval = f"{row['win_rate_a']:.2%}", f"{low:.2%} to {high:.2%}"
        table.add_row(row["player_b"], rate, interval, f"{row['mean_margin_a']:+.1f}", f"{row['games']:,}")
    out.print(f"[bold]{result['one_vs_all']}[/] against all others", highlight=False, soft_wrap=True)
    out.print(table)
    out.print(
        f"Mean of the win rates {result['mean_win_rate_a']:.2%}. {result['games_per_pairing']:,} games a "
        f"pairing, rules {result['rules']}, seed {result['seed']}, {result['seconds']:.1f} s.",
        highlight=False,
    )


def _show_cross_table(out: Console, result: Json) -> None:
    """A row's share of points against each column."""
    order = [row["player"] for row in result["ratings"]]
    table = Table("", "player", "rating", "95 %", *(str(k + 1) for k in range(len(order))), box=None)
    shares = _shares(result)
    for place, row in enumerate(result["ratings"]):
        cells = [f"{shares[row['player'], other]:.1%}" if other != row["player"] else "·" for other in order]
        interval = f"{row['low']:+.0f} to {row['high']:+.0f}"
        table.add_row(str(place + 1), f"[bold]{row['player']}", f"{row['rating']:+.0f}", interval, *cells)
    out.print(table)
    out.print(
        f"{result['games_per_pairing']:,} games a pairing, rules {result['rules']}, seed {result['seed']}, "
        f"{result['seconds']:.1f} s. Ratings are Bradley-Terry on the Elo scale, mean 0.",
        highlight=False,
    )


def show_experiments(result: Json) -> None:
    """A table of experiments and of the evidence there is."""
    table = Table("experiment", "title", "full scale", "smoke", "", "evidence", box=None, pad_edge=False)
    for row in result["experiments"]:
        sizes = [f"{row['games'][scale]:,}" for scale in ("full", "smoke")]
        table.add_row(f"[bold]{row['id']}", row["title"], *sizes, row["unit"], row["evidence"] or "-")
    console().print(table)


def show_experiment(result: "Evidence[Any]") -> None:
    """An experiment: what was published, what was measured, and the verdicts."""
    from ginrummy.experiments import experiment
    from ginrummy.reports.pages import VERDICT_COLOURS, grid, row_cells

    out, shown = console(), experiment(result.experiment)
    out.print(f"[bold]{result.experiment}[/] {result.title}", highlight=False)
    if cells := grid(shown, result.points):
        points = Table(*cells.headings, box=None, pad_edge=False, padding=(0, 2, 1, 0))
        for line in cells.rows:
            points.add_row(*map(escape, line))
        out.print(points, highlight=False)
    headings = ("published, and what is compared", "ours, 95 % interval", "verdict")
    table = Table(*headings, box=None, pad_edge=False, padding=(0, 2, 1, 0))
    for row in result.comparison:
        published, ours = row_cells(row, most=2)
        colour = VERDICT_COLOURS[row.verdict]
        compared = f"{row.reading}: {row.compared}" if row.reading else row.compared
        what = f"{row.what} {published}\n[dim]{escape(compared)}"
        table.add_row(what, escape("\n".join(ours)), f"[{colour}]{row.verdict}")
    out.print(table)
    out.print(
        f"{len(result.arms)} points of {result.games_per_point:,} {shown.unit}, rules "
        f"{result.rules}, seed {result.seeds[0]}, {result.seconds:.1f} s",
        highlight=False,
    )


def show_tuning(result: Json) -> None:
    """The tuned player, and its results on seeds that had no part in the search."""
    out = console()
    out.print(f"[bold]{result['best']}[/]", highlight=False, soft_wrap=True)
    table = Table("place", "seed", "against", "won", "95 % by pairs", "games", box=None, pad_edge=False)
    for place, row in enumerate(result["measured"]):
        for seed in row["seeds"]:
            for match in seed["matches"]:
                low, high = match["pair_ci95_a"]
                rate, interval = f"{match['win_rate_a']:.2%}", f"{low:.2%} to {high:.2%}"
                words = str(place + 1), str(seed["seed"]), match["player_b"], rate, interval
                table.add_row(*words, f"{match['games']:,}")
    out.print(table)
    out.print(
        f"{result['trials']:,} trials of {result['games_per_trial']:,} games by {result['sampler']}"
        f"{_cut_short(result)}, seed "
        f"{result['seed']}, rules {result['rules']}, {result['seconds']:.1f} s. The places compare "
        f"{len(result['finalists'])} finalists on decks that the search did not use; the rates above come "
        "from yet other decks.",
        highlight=False,
    )
    out.print(f"study: {result['study']}", highlight=False, soft_wrap=True)


def _cut_short(result: Json) -> str:
    return f" ({result['pruned']:,} cut short)" if result["pruned"] else ""


def show_bench(result: Json) -> None:
    """Speeds, one to a line."""
    lines = [("one deadwood call", f"{result['deadwood_ns']:.1f} ns")]
    lines += [(f"rounds/s, {pair}", f"{rate:,.0f}") for pair, rate in result["rounds_per_second"].items()]
    lines += [(f"games/s, {pair}", f"{rate:,.0f}") for pair, rate in result["games_per_second"].items()]
    for name, rate in result["rollouts_per_second"].items():
        lines.append((f"rollouts/s from the first discard, {name}", f"{rate:,.0f}"))
    lines += [("moves/s, random play", f"{result['moves_per_second']:,.0f}")]
    for name, us in result["decision_us"].items():
        lines.append((f"decision of {name}", f"{us['mean']:.1f} µs, at most {us['greatest']:.0f} µs"))
    for name, rate in result["estimates_per_second"].items():
        lines.append((f"beliefs/s, {name}", f"{rate:,.0f}"))
    lines += [
        ("two workers against one", f"{result['two_workers_speedup']:.2f} times as fast"),
        ("peak memory, batch of 4,096", f"{result['peak_memory_mb']:.0f} MB"),
        ("ginrummy --help", f"{result['start_seconds']['help']:.2f} s"),
        ("ginrummy match, two games", f"{result['start_seconds']['match']:.2f} s"),
    ]
    _show_lines(console(), lines)


def sheet_json(record: GameRecord, game: Game) -> Json:
    """A replayed game's score sheet as plain values."""
    return {
        "players": list(record.players),
        "rules": rules_text(record.rules),
        "rounds": [
            {
                "round": dealt.number + 1,
                "outcome": OUTCOMES[dealt.round.result.outcome] if dealt.round.result else None,
                "winner": dealt.round.result.winner if dealt.round.result else None,
                "points": dealt.round.result.points if dealt.round.result else 0,
            }
            for dealt in game.dealt
        ],
        "scores": list(game.scores),
        "over": game.over,
        "winner": game.winner,
        "totals": list(game.totals),
    }


def show_sheet(record: GameRecord, game: Game) -> None:
    """A replayed game's score sheet."""
    sheet = sheet_json(record, game)
    names = [name if name != "?" else f"seat {seat}" for seat, name in enumerate(sheet["players"])]
    table = Table("round", "outcome", *names, box=None, pad_edge=False)
    for row in sheet["rounds"]:
        points = [str(row["points"]) if row["winner"] == seat else "" for seat in (0, 1)]
        table.add_row(str(row["round"]), row["outcome"] or "unfinished", *points)
    table.add_row("", "[bold]score", *(f"[bold]{score}" for score in sheet["scores"]))
    out = console()
    out.print(table)
    if sheet["winner"] is not None:
        totals = " to ".join(map(str, sheet["totals"]))
        out.print(f"{names[sheet['winner']]} wins, {totals}; every move follows the rules", highlight=False)
    else:
        out.print("drawn" if sheet["over"] else "unfinished; every move so far follows the rules")


def _outcomes(result: Json) -> str:
    kinds = ("knock", "gin", "undercut", "dead")
    return ", ".join(f"{kind} {result[kind + '_rate']:.1%}" for kind in kinds)


def _shares(result: Json) -> dict[tuple[str, str], float]:
    shares = {}
    for row in result["matches"]:
        shares[row["player_a"], row["player_b"]] = row["win_rate_a"]
        shares[row["player_b"], row["player_a"]] = 1 - row["win_rate_a"]
    return shares


def _show_lines(out: Console, lines: list[tuple[str, str]]) -> None:
    width = max(len(label) for label, _ in lines)
    for label, value in lines:
        out.print(f"  {label:{width}}  {value}", highlight=False, soft_wrap=True)
