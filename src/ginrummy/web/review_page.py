"""The page of one review: ``static/review.js`` shows what the API gives."""

import json
from html import escape

from fastapi import Request
from nicegui import ui

from ginrummy.web.frame import frame
from ginrummy.web.house import House, NotFound
from ginrummy.web.visitors import visitor_of

SCRIPT = """
import { startReview } from "/static/review.js";
const ready = () => document.getElementById("review") ? startReview() : setTimeout(ready, 20);
ready();
"""


def add(house: House) -> None:
    """Register the page."""

    @ui.page("/review/{game}")
    def review(request: Request, game: str) -> None:
        try:
            kept = house.kept(visitor_of(request), game)
        except NotFound:
            with frame("No such game"):
                ui.html("You have no game with this id.", sanitize=False, tag="p")
            return
        opponents = json.dumps([[name, house.catalogue.title(name)] for name in house.catalogue.names])
        with frame("Review", SCRIPT, wide=True):
            ui.html(
                f'<div id="review" class="review-page" data-game="{kept.id}" '
                f'data-opponent="{escape(kept.opponent)}" data-opponents="{escape(opponents)}"></div>',
                sanitize=False,
            ).classes("table-page")
