"""A review as one HTML file that needs nothing else: text, curve, replay and quiz, without any download."""

import json
import re
from collections.abc import Sequence
from html import escape
from importlib.resources import files
from typing import Any

from ginrummy import typed
from ginrummy.cards import SUITS as SUIT_LETTERS
from ginrummy.cards import SYMBOLS as SUIT_SIGNS
from ginrummy.cards import pretty
from ginrummy.coach.graph import HEIGHT, LEFT, RIGHT, WIDTH, graph
from ginrummy.coach.luck import Luck
from ginrummy.coach.marks import MARKS, SYMBOLS, THRESHOLDS
from ginrummy.coach.replay import Moment
from ginrummy.coach.reviews import Judged, Review
from ginrummy.coach.walk import Place
from ginrummy.stats import Estimate

MINUS = "\N{MINUS SIGN}"
LUCKY = 5
"""Cards that are named among the luckiest, and as many among the unluckiest."""


def page(found: Review, shown: Sequence[Moment]) -> str:
    """The file. ``shown`` are the moments of the same record (``replay.moments``)."""
    title = escape(f"{found.players[found.seat]} against {found.players[1 - found.seat]}: review")
    parts = [
        "<!DOCTYPE html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{title}</title>",
        f"<style>{_file('review.css')}</style></head><body>",
        _head(found),
        "<main>",
        _summary(found),
        _curve(found),
        _REPLAY,
        _marked(found),
        _luck(found, shown),
        _quiz(found),
        _legend(),
        "</main>",
        f'<script type="application/json" id="data">{_data(found, shown)}</script>',
        f"<script>{_file('review.js')}</script>",
        "</body></html>",
    ]
    return "\n".join(part for part in parts if part) + "\n"


def percent(share: float, places: int = 1) -> str:
    """A share of winning chance."""
    return f"{100 * share:.{places}f} %"


def signed(share: float) -> str:
    """A share with its sign."""
    return f"{100 * share:+.1f} %".replace("-", MINUS)


def _bar(value: Estimate) -> str:
    """A loss with its standard error."""
    return f"{percent(value.value)} <span class='error'>± {100 * value.error:.1f}</span>"


def _file(name: str) -> str:
    return files("ginrummy.coach").joinpath("static", name).read_text(encoding="utf-8")


def _head(found: Review) -> str:
    me, other = found.seat, 1 - found.seat
    names = [escape(name) for name in found.players]
    if not found.finished:
        ended = "unfinished"
    elif found.winner is None:
        ended = "drawn"
    else:
        ended = "won" if found.winner == me else "lost"
    return (
        f"<header><h1>{names[me]} <small>against</small> {names[other]}</h1>"
        f"<p>{ended}, {found.totals[me]} to {found.totals[other]} · rules {escape(found.rules)} · "
        f"reviewed for {names[me]}</p></header>"
    )


def _summary(found: Review) -> str:
    own = found.own
    boxes = [
        (
            "Error rate",
            percent(own.error_rate, 2),
            f"lost for each of {own.mattered} decisions that mattered",
        ),
        ("Lost by play", percent(own.lost), f"of winning chance, in {own.decisions} decisions"),
        *((mark.capitalize(), str(own.counts[mark]), _threshold(mark)) for mark in reversed(MARKS)),
    ]
    luck = found.luck
    if luck is not None:
        points = f"{luck.cards_points:+.0f}".replace("-", MINUS)
        boxes.append(
            (
                "The cards gave",
                signed(luck.cards),
                f"± {100 * luck.error:.0f} of winning chance, {points} points",
            )
        )
        boxes.append(("Result without luck", percent(luck.adjusted, 0), _result_words(luck)))
    for side in found.sides[1:]:
        boxes.append(
            (
                f"Error rate of {escape(side.name)}",
                percent(side.error_rate, 2),
                f"of {side.mattered} decisions",
            )
        )
    cells = "".join(
        f"<div class='box'><dt>{name}</dt><dd>{value}</dd><small>{note}</small></div>"
        for name, value, note in boxes
    )
    return f"<section><h2>In short</h2><dl class='boxes'>{cells}</dl></section>"


def _threshold(mark: str) -> str:
    sign = escape(SYMBOLS[mark])
    return f"{sign}: {100 * THRESHOLDS[mark]:.0f} % or more"


def _result_words(luck: Luck) -> str:
    return f"the result was {percent(luck.result, 0)}"


def _curve(found: Review) -> str:
    legend = "the line: play from here with both hands known · " if found.luck is not None else ""
    return (
        "<section><h2>Winning chance</h2>"
        f"<div class='scroll'>{graph(found)}</div>"
        f"<p class='note'>{legend}the dots: as {escape(found.players[found.seat])} could know it. "
        "Click to go to a moment.</p></section>"
    )


_REPLAY = """<section id="replay"><h2>Replay</h2>
<div class="controls">
<button type="button" id="back-mark" aria-label="previous mark">◂ mark</button>
<button type="button" id="back" aria-label="one step back">◂</button>
<input type="range" id="when" min="0" value="0" aria-label="moment of the game">
<button type="button" id="on" aria-label="one step on">▸</button>
<button type="button" id="on-mark" aria-label="next mark">mark ▸</button>
</div>
<label class="note"><input type="checkbox" id="open" checked> show the opponent's cards</label>
<div class="table">
<div class="seat" id="other"></div>
<div class="middle" id="middle"></div>
<div class="seat" id="own"></div>
</div>
<p id="said" role="status" aria-live="polite"></p>
<div id="judged"></div>
</section>"""


def _marked(found: Review) -> str:
    if not found.marked:
        return "<section><h2>Marked decisions</h2><p>None: nothing that can be called doubtful.</p></section>"
    places = {point.place: n for n, point in enumerate(found.curve)}
    rows = "".join(_marked_row(found, one, places.get(one.place, 0)) for one in found.marked)
    return f"<section><h2>Marked decisions</h2><ol class='marked'>{rows}</ol></section>"


def _jump(found: Review, place: Place, at: int) -> str:
    """A button that goes to a moment."""
    return f"<button type='button' data-at='{at}'>round {found.round_number(place)}</button>"


def _marked_row(found: Review, one: Judged, at: int) -> str:
    reason = _cards_in(one.advice.reason) if one.advice is not None else ""
    line = _cards_in("; ".join(one.line))
    return (
        f"<li class='{one.mark}'>{_jump(found, one.place, at)} "
        f"<b>{escape(SYMBOLS[one.mark])} {one.mark}</b>: {_cards_in(one.played)} "
        f"loses {_bar(one.loss)} against <b>{_cards_in(one.best)}</b>."
        f"<p>{reason}</p><p class='note'>With the cards as they lay: {line}.</p></li>"
    )


_CARD = re.compile(r"\b([A2-9TJQK])([CHSD])\b")


def _cards_in(text: str) -> str:
    """Words with their cards drawn as people write them."""

    def drawn(match: re.Match[str]) -> str:
        rank, suit = match.groups()
        red = " class='red'" if suit in "HD" else ""
        return f"<span{red}>{'10' if rank == 'T' else rank}{SUIT_SIGNS[SUIT_LETTERS.index(suit)]}</span>"

    return _CARD.sub(drawn, escape(text)).replace(" %", "&nbsp;%")


def _luck(found: Review, shown: Sequence[Moment]) -> str:
    luck = found.luck
    if luck is None:
        return (
            "<section><h2>Luck</h2><p>The record does not know all cards, so nobody can say what the cards "
            "gave.</p></section>"
        )
    places = {moment.place: n for n, moment in enumerate(shown)}
    order = sorted(luck.events, key=lambda event: event.win)
    lists = ""
    for heading, events in (("Luckiest", order[::-1][:LUCKY]), ("Unluckiest", order[:LUCKY])):
        rows = "".join(
            f"<li>{_jump(found, event.place, places.get(event.place, 0))} "
            f"{_luck_words(found, event.seat, event.card)} <b>{signed(event.win)}</b></li>"
            for event in events
        )
        lists += f"<div><h3>{heading} cards</h3><ul>{rows}</ul></div>"
    return (
        "<section><h2>Luck</h2>"
        f"<p>The cards gave {escape(found.players[found.seat])} {signed(luck.cards)} "
        f"<span class='error'>± {100 * luck.error:.1f}</span> of winning chance. "
        f"The result was {percent(luck.result, 0)}; without the luck of the cards it is "
        f"{percent(luck.adjusted, 0)}. This is right on the average over many games; for one game it is a "
        "rough number, which may lie above 100 % or below 0 %.</p>"
        f"{_luck_bars(found, luck)}<div class='two'>{lists}</div></section>"
    )


def _luck_words(found: Review, seat: int, card: int) -> str:
    if card < 0:
        return "the deal"
    red = " class='red'" if card // 13 in (1, 3) else ""
    return f"{escape(found.players[seat])} draws <span{red}>{pretty(card)}</span>"


def _luck_bars(found: Review, luck: Luck) -> str:
    """What the cards of each round gave, as bars."""
    widest = max(0.05, *(abs(gave) for gave in luck.rounds))
    rows = []
    for k, gave in enumerate(luck.rounds):
        width = 50 * abs(gave) / widest
        side = f"left:50%;width:{width:.1f}%" if gave >= 0 else f"right:50%;width:{width:.1f}%"
        kind = "good" if gave >= 0 else "bad"
        rows.append(
            f"<tr><th scope='row'>round {found.first_round + k}</th><td class='bar'>"
            f"<span class='{kind}' style='{side}'></span></td><td>{signed(gave)}</td></tr>"
        )
    return f"<table class='luck'><caption>What the cards of each round gave</caption>{''.join(rows)}</table>"


def _quiz(found: Review) -> str:
    if not found.quiz:
        return ""
    return (
        "<section id='quiz'><h2>Quiz</h2><p class='note'>Your own decisions, the dearest first. You see what "
        "you saw then.</p><div id='question'></div></section>"
    )


def _legend() -> str:
    marks = ", ".join(
        f"{mark} {SYMBOLS[mark]} for {100 * THRESHOLDS[mark]:.0f} % of winning chance or more"
        for mark in MARKS
    )
    return (
        "<section class='note'><h2>How to read this</h2>"
        "<p>Every answer of a decision is played on in many worlds that fit what the player saw; no hidden "
        f"card is used to judge a decision. Marks: {escape(marks)}. The table of a decision is a first look "
        "at all answers. Where the answer played may be 1 % behind, it and the best one are played again in "
        "fresh worlds, and the loss comes from these alone. A loss is marked only if it is at least two "
        "standard errors above zero; the number behind ± is one standard error, so the true value lies "
        "within twice that in 19 of 20 cases, if the belief about the opponent is right. A decision mattered "
        "if a natural answer would have cost 1 %.</p></section>"
    )


def _data(found: Review, shown: Sequence[Moment]) -> str:
    """What the script needs, as JSON that no text in it can break out of."""
    judged = {one.place: n for n, one in enumerate(found.judged)}
    wins = {point.place: point for point in found.curve}
    steps = []
    for moment in shown:
        step: dict[str, Any] = typed.write(moment)
        point = wins.get(moment.place)
        step["win"] = None if point is None or point.win is None else point.win.value
        step["seen"] = None if point is None else point.seen
        step["judged"] = judged.get(moment.place)
        steps.append(step)
    data = {
        "players": found.players,
        "seat": found.seat,
        "graph": [WIDTH, LEFT, RIGHT, HEIGHT],
        "symbols": SYMBOLS,
        "steps": steps,
        "judged": [_judged(one) for one in found.judged],
        "quiz": [_quiz_item(found, item.place) for item in found.quiz],
    }
    text = json.dumps(_short(data), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace("&", "\\u0026").replace("\u2028", " ").replace("\u2029", " ")


def _judged(one: Judged) -> dict[str, Any]:
    return {
        "seat": one.seat,
        "question": one.question,
        "played": one.played,
        "best": one.best,
        "loss": list(one.loss),
        "mark": one.mark,
        "options": [[text, list(win), list(behind)] for text, win, behind in one.options],
        "reason": one.advice.reason if one.advice is not None else "",
        "line": list(one.line),
    }


def _quiz_item(found: Review, place: tuple[int, int]) -> dict[str, Any]:
    """A question points to its moment; the script hides what the seat could not see."""
    item = next(one for one in found.quiz if one.place == place)
    return {"place": list(place), "options": item.options, "answer": item.answer, "played": item.played,
            "loss": list(item.loss), "reason": item.reason}  # fmt: skip


def _short(value: Any) -> Any:
    """The same values with four places: enough for a screen."""
    if isinstance(value, float):
        return round(value, 4)
    if isinstance(value, dict):
        return {key: _short(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_short(part) for part in value]
    return value
