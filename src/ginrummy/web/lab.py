"""The laboratory: standings, cross table, the papers' figures beside ours, and matches to watch."""

import asyncio
import re
from functools import lru_cache
from html import escape
from pathlib import Path

from fastapi import Request
from nicegui import ui

from ginrummy.errors import GinRummyError
from ginrummy.experiments import PAPERS
from ginrummy.extras import ROOT
from ginrummy.web.catalogue import Catalogue
from ginrummy.web.frame import frame, heading
from ginrummy.web.house import House
from ginrummy.web.lab_tables import cross_html, standings_html
from ginrummy.web.matches import Match, Matches
from ginrummy.web.visitors import visitor_of

FIGURES = ROOT / "docs" / "reproduction"
"""Drawn from evidence by ``ginrummy reproduce``; not in an installation without the clone."""


def add(house: House) -> None:
    """Register the pages."""
    matches = Matches(house.catalogue)

    @ui.page("/laboratory")
    def laboratory(request: Request) -> None:
        visitor = visitor_of(request)
        with frame("Laboratory"):
            heading("Laboratory")
            standings = house.catalogue.standings
            heading("Standings", 2)
            ui.html(standings_html(standings, house.catalogue), sanitize=False).classes("scroll")
            heading("Cross table", 2)
            ui.html(cross_html(standings, house.catalogue), sanitize=False).classes("scroll")
            heading("Play a match", 2)
            _match_form(matches, house.catalogue, visitor)
            heading("The papers: published values beside ours", 2)
            with ui.element("ul").classes("papers"):
                for paper, words in PAPERS.items():
                    link = f"<a href='/laboratory/{paper}'>{paper}</a>: {escape(words)}"
                    ui.html(link, sanitize=False, tag="li")

    @ui.page("/laboratory/{paper}", response_timeout=30.0)
    async def paper_page(paper: str) -> None:
        with frame(f"Paper {paper}"):
            if paper not in PAPERS:
                ui.html("There is no such paper.", sanitize=False, tag="p")
                return
            text = await asyncio.to_thread(_paper, house.catalogue.results, paper)
            ui.html("<a href='/laboratory'>Laboratory</a>", sanitize=False, tag="p")
            ui.markdown(text, extras=["fenced-code-blocks", "tables"], sanitize=False).classes("paper")


@lru_cache(maxsize=8)
def _paper(results: Path, paper: str) -> str:
    """A paper's page from its evidence, as the documentation has it, with figures where they are drawn."""
    from ginrummy.reports import pages  # opens matplotlib

    try:
        text = pages.page(results, paper)
    except (OSError, GinRummyError) as error:
        return f"The evidence cannot be read: {error}"
    text = re.sub(r"^!!! note\n(?:    .*\n|\n)*", "", text, flags=re.MULTILINE)
    text = re.sub(r'^\?\?\? \w+ "(.*)"$', r"**\1**", text, flags=re.MULTILINE)
    text = re.sub(r"^    (\|.*)$", r"\1", text, flags=re.MULTILINE)
    here = FIGURES.is_dir()
    text = re.sub(r"!\[(.*?)\]\((\S+?\.svg)\)", r"![\1](/figures/\2)" if here else "", text)
    return re.sub(r"(?<!!)\[([^\]]*)\]\((?!/|http)[^)]*\)", r"\1", text)  # pages that are not served here


def _match_form(matches: Matches, catalogue: Catalogue, visitor: str) -> None:
    """Two players, a number of games, and a chart that grows while they play."""
    names = {name: catalogue.title(name) for name in reversed(catalogue.names)}
    under_way: dict[str, str] = {}
    with ui.element("div").classes("order match-form"):
        first = (
            ui.select(names, value="hand-strength", label="First").classes("field").props("outlined dense")
        )
        second = ui.select(names, value="simple", label="Second").classes("field").props("outlined dense")
        games = ui.select([200, 1000, 5000, 20_000], value=1000, label="Games").props("outlined dense")

        def begin() -> None:
            try:
                under_way["id"] = matches.start(visitor, first.value, second.value, games.value)
            except GinRummyError as error:
                ui.notify(str(error), type="negative")
                return
            chart.set_visibility(True)
            timer.active = True

        def stop() -> None:
            found = matches.find(visitor, under_way.get("id", ""))
            if found:
                found.stopped = True

        ui.button("Play", on_click=begin, color=None).classes("deal").props('no-caps id="play-match"')
        ui.button("Stop", on_click=stop, color=None).classes("act").props("no-caps flat")
    words = ui.html("", sanitize=False, tag="p").props('role="status" aria-live="polite" id="match-words"')
    chart = ui.echart(_chart(None)).classes("match-chart")
    chart.set_visibility(False)

    def look() -> None:
        found = matches.find(visitor, under_way.get("id", ""))
        if found is None:
            return
        words.set_content(escape(match_words(found, catalogue)))
        chart.options.clear()
        chart.options.update(_chart(found))
        chart.update()
        timer.active = not found.over

    timer = ui.timer(0.5, look, active=False)


def match_words(found: Match, catalogue: Catalogue) -> str:
    """How a match stands, in a sentence."""
    if found.fault:
        return found.fault
    first, second = catalogue.title(found.first), catalogue.title(found.second)
    if not found.curve:
        return f"{first} against {second}: waiting for its turn …"
    _, rate, low, high = found.curve[-1]
    end = "" if not found.over else " Stopped." if found.stopped else " Finished."
    return (
        f"{first} against {second}: {100 * rate:.1f} % of {found.done:,} games, "
        f"95 % interval {100 * low:.1f} to {100 * high:.1f}.{end}"
    )


def _chart(found: Match | None) -> dict[str, object]:
    curve = found.curve if found else []
    line = [[games, round(100 * rate, 2)] for games, rate, _, _ in curve]
    low = [[games, round(100 * value, 2)] for games, _, value, _ in curve]
    band = [[games, round(100 * (top - value), 2)] for games, _, value, top in curve]
    still = {"type": "line", "showSymbol": False, "stack": "band", "lineStyle": {"opacity": 0}}
    return {
        "animation": False,
        "grid": {"left": 45, "right": 15, "top": 15, "bottom": 35},
        "xAxis": {"type": "value", "name": "games", "nameLocation": "middle", "nameGap": 22, "min": 0},
        "yAxis": {"type": "value", "min": 0, "max": 100, "axisLabel": {"formatter": "{value} %"}},
        "series": [
            still | {"data": low},
            still | {"data": band, "areaStyle": {"color": "#2f8f57", "opacity": 0.25}},
            {
                "type": "line",
                "showSymbol": False,
                "data": line,
                "lineStyle": {"color": "#0b6b3a", "width": 3},
            },
        ],
    }
