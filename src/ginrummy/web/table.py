"""The page of one game: NiceGUI gives the frame, ``static/table.js`` the table, the API the game."""

from fastapi import Request
from nicegui import ui

from ginrummy.web.frame import frame
from ginrummy.web.house import House, NotFound
from ginrummy.web.visitors import visitor_of

SCRIPT = """
import { startTable } from "/static/table.js";
const ready = () => document.getElementById("table") ? startTable() : setTimeout(ready, 20);
ready();
"""


def add(house: House) -> None:
    """Register the page."""

    @ui.page("/game/{game}")
    def table(request: Request, game: str) -> None:
        try:
            kept = house.kept(visitor_of(request), game)
        except NotFound:
            with frame("No such game"):
                ui.html("You have no game with this id. <a href='/'>Begin one.</a>", sanitize=False, tag="p")
            return
        with frame("Gin Rummy", SCRIPT, wide=True):
            ui.html(f'<div id="table" data-game="{kept.id}"></div>', sanitize=False).classes("table-page")
