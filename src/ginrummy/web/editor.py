"""The position editor: a table put together by hand, for the coach."""

from nicegui import ui

from ginrummy.web.frame import frame, heading
from ginrummy.web.house import House

SCRIPT = """
import { startEditor } from "/static/editor.js";
const ready = () => document.getElementById("editor") ? startEditor() : setTimeout(ready, 20);
ready();
"""


def add(house: House) -> None:
    """Register the page."""

    @ui.page("/editor")
    def editor() -> None:
        with frame("Positions", SCRIPT):
            heading("Positions")
            ui.html('<div id="editor"></div>', sanitize=False)
