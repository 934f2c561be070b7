"""The coach in the terminal: the best answers of a decision, and the review of a game."""

import re

from rich.box import SIMPLE_HEAD
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from ginrummy.cards import parse_card, pretty
from ginrummy.coach import CoachAdvice, Judged, Luck, Review
from ginrummy.coach.marks import DOUBTFUL, MARKS, SYMBOLS
from ginrummy.stats import Estimate
from ginrummy.terminal.screen import console

SHOWN = 5
"""Answers that are shown of a decision."""
EXPLAINED = 3
"""Marked decisions that get a reason."""
COLUMNS = 64
"""Width of the curve."""
_LEVELS = "▁▂▃▄▅▆▇█"
_STYLES = {"doubtful": "yellow", "mistake": "dark_orange", "blunder": "bold red"}


def percent(share: float, places: int = 1) -> str:
    """A share of winning chance."""
    return f"{100 * share:.{places}f} %"


def with_error(value: Estimate) -> str:
    """A share with its standard error."""
    return f"{100 * value.value:.1f} ± {100 * value.error:.1f} %"


def advice_lines(advice: CoachAdvice) -> list[RenderableType]:
    """The best answers with their worth, and the reason."""
    table = Table("answer", box=SIMPLE_HEAD, pad_edge=False)
    for heading in ("wins the game", "behind", "points"):
        table.add_column(heading, justify="right")
    for place, option in enumerate(advice.options[:SHOWN]):
        behind = "-" if place == 0 else with_error(Estimate(-option.behind.value, option.behind.error))
        points = f"{option.points.value:+.1f}"
        style = "bold" if place == 0 else ""
        table.add_row(answer_text(option.text), with_error(option.win), behind, points, style=style)
    return ["The coach says:", table, answer_text(advice.reason)]


_CARD = re.compile(r"\b[A2-9TJQK][CHSD]\b")


def answer_text(text: str) -> str:
    """Words with their cards as people write them."""
    return _CARD.sub(lambda found: pretty(parse_card(found[0])), text)


def show_review(found: Review) -> None:
    """A review on standard output."""
    out = console()
    for line in review_lines(found):
        out.print(line, highlight=False, markup=False)


def review_lines(found: Review) -> list[RenderableType]:
    """A review for a screen: summary, curve, marked decisions, luck."""
    me, other = found.players[found.seat], found.players[1 - found.seat]
    lines: list[RenderableType] = [
        Text(me, "bold").append(f" against {other}, rules {found.rules}: {_result(found)}", "not bold")
    ]
    for side in found.sides:
        counts = ", ".join(counted(side.counts[mark], mark) for mark in reversed(MARKS))
        lines.append(
            f"{side.name}: {counts}; error rate {percent(side.error_rate, 2)} over {side.mattered} decisions "
            f"that mattered, of {side.decisions}; {percent(side.lost)} of winning chance lost"
        )
    lines += _luck_lines(found.luck)
    lines += _curve_lines(found)
    if found.marked:
        lines.append(_table(found))
        dearest = sorted(found.marked, key=lambda one: -one.loss.value)[:EXPLAINED]
        for one in dearest:
            lines += _explained(one, found.round_number(one.place))
    else:
        lines.append("No decision is marked.")
    return lines


def counted(number: int, mark: str) -> str:
    """How many decisions have a mark: 3 blunders, 1 mistake, 8 doubtful."""
    return f"{number} {mark}{'' if number == 1 or mark == DOUBTFUL else 's'}"


def _result(found: Review) -> str:
    me = found.seat
    score = f"{found.totals[me]} to {found.totals[1 - me]}"
    if not found.finished:
        return f"unfinished, {score}"
    if found.winner is None:
        return f"drawn, {score}"
    return f"{'won' if found.winner == me else 'lost'}, {score}"


def _luck_lines(luck: Luck | None) -> list[RenderableType]:
    if luck is None:
        return ["Luck: the record does not know all cards, so nobody can say what they gave."]
    gave = f"{100 * luck.cards:+.1f} ± {100 * luck.error:.1f} % of winning chance"
    gave += f" ({luck.cards_points:+.0f} points)"
    return [
        f"Luck: the cards gave {gave}; the result was {percent(luck.result, 0)}, without luck "
        f"{percent(luck.adjusted, 0)}"
    ]


def _curve_lines(found: Review) -> list[RenderableType]:
    """The winning chance as a row of small bars."""
    chances = [point.seen if point.win is None else point.win.value for point in found.curve]
    known = [chance for chance in chances if chance is not None]
    if not known:
        return []
    width = min(COLUMNS, len(known))
    picked = [known[k * (len(known) - 1) // max(1, width - 1)] for k in range(width)]
    bars = "".join(_LEVELS[min(len(_LEVELS) - 1, int(len(_LEVELS) * chance))] for chance in picked)
    return [f"Winning chance: {bars} {percent(known[-1], 0)}"]


def _table(found: Review) -> Table:
    table = Table("round", "mark", "played", "best", box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("lost", justify="right")
    for one in found.marked:
        mark = Text(f"{SYMBOLS[one.mark]} {one.mark}", _STYLES[one.mark])
        played, best = answer_text(one.played), answer_text(one.best)
        table.add_row(str(found.round_number(one.place)), mark, played, best, with_error(one.loss))
    return table


def _explained(one: Judged, number: int) -> list[RenderableType]:
    head = f"Round {number}, {answer_text(one.played)} instead of {answer_text(one.best)}: "
    reason = answer_text(one.advice.reason) if one.advice is not None else ""
    return ["", Text(head, "bold").append(reason, "not bold")]
