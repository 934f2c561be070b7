"""All pages of NiceGUI, put on the application."""

from fastapi import FastAPI
from starlette.middleware.gzip import GZipMiddleware
from starlette.staticfiles import StaticFiles

from ginrummy.web.house import House


def add_pages(app: FastAPI, house: House) -> None:
    """Register every page and let NiceGUI serve them."""
    from nicegui import ui

    from ginrummy.web.editor import add as add_editor
    from ginrummy.web.games_page import add as add_games
    from ginrummy.web.home import add as add_home
    from ginrummy.web.lab import FIGURES
    from ginrummy.web.lab import add as add_lab
    from ginrummy.web.quiz import add as add_quiz
    from ginrummy.web.review_page import add as add_review
    from ginrummy.web.table import add as add_table

    for add in (add_home, add_table, add_games, add_review, add_quiz, add_editor, add_lab):
        add(house)
    if FIGURES.is_dir():
        app.mount("/figures", StaticFiles(directory=FIGURES), name="figures")
    ui.run_with(
        app,
        title="Gin Rummy",
        favicon="🃏",
        show_welcome_message=False,
        storage_secret=None,
        reconnect_timeout=10.0,
        gzip_middleware_factory=lambda inner: GZipMiddleware(inner, minimum_size=20_000, compresslevel=5),
    )
