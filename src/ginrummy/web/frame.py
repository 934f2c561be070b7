"""What all pages share: head, navigation, styles."""

from collections.abc import Iterator
from contextlib import contextmanager

from nicegui import ui

LINKS = (
    ("/", "Play"),
    ("/games", "My games"),
    ("/quiz", "Quiz"),
    ("/editor", "Positions"),
    ("/laboratory", "Laboratory"),
)


def head(title: str, script: str = "") -> None:
    """Title, styles and an optional module of our own scripts."""
    ui.page_title(title)
    ui.add_head_html('<link rel="stylesheet" href="/static/style.css">')
    ui.query("html").props('lang="en"')
    if script:
        ui.add_body_html(f'<script type="module">{script}</script>')


@contextmanager
def frame(title: str, script: str = "", wide: bool = False) -> Iterator[None]:
    """A page with the navigation on top."""
    head(title, script)
    with ui.element("nav").classes("top").props('aria-label="Pages"'):
        with ui.element("a").classes("brand").props('href="/"'):
            ui.html('<span class="logo" aria-hidden="true">♠</span> Gin Rummy', sanitize=False, tag="span")
        for address, words in LINKS:
            with ui.element("a").props(f'href="{address}"'):
                ui.html(words, sanitize=False, tag="span")
    with ui.element("main").classes("wide" if wide else "narrow"):
        yield


def heading(words: str, level: int = 1) -> None:
    """A real heading, for screen readers."""
    ui.html(words, sanitize=False, tag=f"h{level}")
