"""The visitor's games: go on, review, download, delete, upload."""

import asyncio
import time
from html import escape

from fastapi import Request
from nicegui import events, ui

from ginrummy.errors import GinRummyError
from ginrummy.web import models
from ginrummy.web.frame import frame, heading
from ginrummy.web.house import House
from ginrummy.web.visitors import visitor_of

MOST_UPLOAD = 400_000
"""Bytes of an uploaded record."""


def add(house: House) -> None:
    """Register the page."""

    @ui.page("/games")
    def games(request: Request) -> None:
        visitor = visitor_of(request)
        with frame("My games"):
            heading("My games")
            found = house.games(visitor)
            if not found:
                ui.html("No games yet. <a href='/'>Begin one.</a>", sanitize=False, tag="p")
            with ui.element("ul").classes("game-list"):
                for game in found:
                    _entry(house, visitor, game)
            _upload(house, visitor)


def _entry(house: House, visitor: str, game: models.Listed) -> None:
    scores = game.scores or (0, 0)
    kinds = {"branch": " (branch)", "uploaded": " (uploaded)"}
    ends = {True: "won", False: "lost", None: "drawn" if game.kind != "uploaded" else "recorded"}
    end = ends[game.won] if game.finished else "under way"
    when = time.strftime("%d %b %Y %H:%M", time.localtime(game.changed))
    with ui.element("li") as item:
        ui.html(
            f"<b>{escape(game.opponent_title)}</b>{kinds.get(game.kind, '')} · "
            f"{scores[0]} to {scores[1]} · {end} <span class='muted'>{when}</span>",
            sanitize=False,
            tag="span",
        )
        links = (
            f"<a class='act main' href='/review/{game.id}'>Review</a> "
            f"<a class='act' href='/api/games/{game.id}/record' download>Record</a>"
            if game.finished
            else f"<a class='act main' href='/game/{game.id}'>Go on</a>"
        )
        ui.html(links, sanitize=False, tag="span").classes("row")

        def remove() -> None:
            house.remove(visitor, game.id)
            item.delete()

        ui.button("Delete", on_click=remove, color=None).classes("act").props("no-caps flat")


def _upload(house: House, visitor: str) -> None:
    heading("Upload a record", 2)
    ui.html(
        "The text record of one game, as this page gives it and <code>ginrummy convert</code> writes it: "
        "at most 400 kB.",
        sanitize=False,
        tag="p",
    ).classes("muted")
    seat = ui.select({0: "judge seat 0", 1: "judge seat 1"}, value=0, label="Seat").props("outlined dense")

    async def take(event: events.UploadEventArguments) -> None:
        data = await event.file.read()
        try:
            asked = models.Upload(
                record=data.decode("utf-8", errors="replace")[:MOST_UPLOAD], seat=seat.value
            )
            kept = await asyncio.to_thread(house.upload, visitor, asked)
        except (GinRummyError, ValueError) as error:
            ui.notify(str(error).splitlines()[0], type="negative")
            return
        ui.navigate.to(f"/review/{kept}")

    upload = ui.upload(on_upload=take, max_file_size=MOST_UPLOAD, auto_upload=True, label="Choose a file")
    upload.props('accept=".txt,text/plain" flat bordered').classes("upload")
