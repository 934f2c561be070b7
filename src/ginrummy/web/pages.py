"""All pages of NiceGUI, put on the application."""

from fastapi import FastAPI

from ginrummy.web.house import House


def add_pages(app: FastAPI, house: House) -> None:
    """Register every page and let NiceGUI serve them."""
    from nicegui import ui

    from ginrummy.web.games_page import add as add_games
    from ginrummy.web.home import add as add_home
    from ginrummy.web.review_page import add as add_review
    from ginrummy.web.table import add as add_table

    for add in (add_home, add_table, add_games, add_review):
        add(house)
    ui.run_with(
        app,
        title="Gin Rummy",
        favicon="🃏",
        show_welcome_message=False,
        storage_secret=None,
        reconnect_timeout=10.0,
    )
