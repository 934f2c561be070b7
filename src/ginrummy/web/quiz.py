"""The quiz: questions made of the visitor's own mistakes."""

from nicegui import ui

from ginrummy.web.frame import frame, heading
from ginrummy.web.house import House

SCRIPT = """
import { startQuiz } from "/static/quiz.js";
const ready = () => document.getElementById("quiz") ? startQuiz() : setTimeout(ready, 20);
ready();
"""


def add(house: House) -> None:
    """Register the page."""

    @ui.page("/quiz")
    def quiz() -> None:
        with frame("Quiz", SCRIPT):
            heading("Quiz")
            ui.html('<div id="quiz"></div>', sanitize=False)
