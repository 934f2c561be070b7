"""``ginrummy serve``: the application, its start and its end."""

import logging
import os
import socket
import sys
import threading
import time
import webbrowser
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import uvicorn
from fastapi import FastAPI
from starlette.responses import Response
from starlette.staticfiles import StaticFiles

from ginrummy import __version__
from ginrummy.errors import BadInput
from ginrummy.store import Store
from ginrummy.web.api import add_api
from ginrummy.web.cards_svg import sprite
from ginrummy.web.catalogue import Catalogue
from ginrummy.web.house import House
from ginrummy.web.limits import Limits
from ginrummy.web.standings import results_directory
from ginrummy.web.visitors import Visitors

STATIC = Path(__file__).parent / "static"


@dataclass(frozen=True)
class Order:
    """What the command line asks for."""

    host: str
    port: int
    database: str | None
    open_browser: bool


def default_database() -> str:
    """A file in the user's data directory."""
    home = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return str(Path(home) / "ginrummy" / "games.sqlite")


def api_app(house: House) -> FastAPI:
    """The application without the pages of NiceGUI."""

    @asynccontextmanager
    async def life(_: FastAPI) -> AsyncIterator[None]:
        yield
        house.close()

    app = FastAPI(
        title="ginrummy",
        version=__version__,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/schema.json",
        lifespan=life,
    )
    app.add_middleware(Visitors)
    app.add_middleware(Limits)

    @app.get("/static/cards.svg", include_in_schema=False)
    def cards() -> Response:
        return Response(sprite(), media_type="image/svg+xml", headers={"cache-control": "max-age=3600"})

    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    add_api(app, house)
    return app


def full_app(house: House) -> FastAPI:
    """The application with all pages."""
    from ginrummy.web.pages import add_pages

    app = api_app(house)
    add_pages(app, house)
    return app


def serve(order: Order) -> None:
    """Serve the page until Ctrl-C."""
    listener = _listener(order.host, order.port)
    house = House(Store(order.database or default_database()), Catalogue(results_directory()))
    _compile()
    app = full_app(house)
    port = listener.getsockname()[1]
    shown = f"[{order.host}]" if ":" in order.host else order.host
    address = f"http://{shown}:{port}/"
    logging.getLogger("uvicorn.error").setLevel(logging.WARNING)
    config = uvicorn.Config(
        app, log_level="warning", access_log=False, timeout_graceful_shutdown=3, timeout_keep_alive=75
    )
    server = uvicorn.Server(config)
    threading.Thread(target=_announce, args=(server, address, order.open_browser), daemon=True).start()
    server.run(sockets=[listener])


def _listener(host: str, port: int) -> socket.socket:
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(512)
    except (OSError, OverflowError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise BadInput(f"cannot serve at {host} port {port}: {why}") from None
    return listener


def _announce(server: uvicorn.Server, address: str, open_browser: bool) -> None:
    """Print the address when the server answers, and open a browser where there is one."""
    while not server.started:
        time.sleep(0.05)
        if server.should_exit:
            return
    print(f"The page is at {address} (Ctrl-C ends it)", flush=True)
    if open_browser and (
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY") or sys.platform == "darwin"
    ):
        webbrowser.open(address)


def _compile() -> None:
    """Compile what the table needs, with lines of progress: only the first start of a version takes long."""
    from ginrummy.web.warm_up import warm_up

    warm_up(lambda line: print(line, file=sys.stderr, flush=True))
