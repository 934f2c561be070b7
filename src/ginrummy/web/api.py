"""The JSON API under ``/api``: what programs and the table of the page ask.

    players, games (list, new, state, act, delete), advice, review, records, and who is waiting

Every error is ``{"error": "one line"}``. Games are found only with the secret of the visitor who began them.
"""

import asyncio
from concurrent.futures import Future
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, FastAPI, Path, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, PlainTextResponse
from starlette.exceptions import HTTPException

from ginrummy.errors import GinRummyError, one_line
from ginrummy.web import models
from ginrummy.web.desk import TooMany
from ginrummy.web.house import Conflict, House, NotFound, Trouble
from ginrummy.web.reviewing import Reviews
from ginrummy.web.schema_page import schema_page
from ginrummy.web.setups import line_of
from ginrummy.web.visitors import visitor_of

Answer = TypeVar("Answer")
GameId = Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{22}$", description="The id of a game.")]
FAULTS: dict[int | str, dict[str, Any]] = {
    400: {"model": models.Fault},
    404: {"model": models.Fault},
    409: {"model": models.Fault},
}
CODES: tuple[tuple[type[Exception], int], ...] = (
    (NotFound, 404),
    (Conflict, 409),
    (TooMany, 429),
    (Trouble, 500),
    (GinRummyError, 400),
)


async def done(future: "Future[Answer]") -> Answer:
    """Wait for a lane without keeping the event loop from other visitors."""
    return await asyncio.wrap_future(future)


def add_api(app: FastAPI, house: House) -> None:
    """Add the API's routes and its errors to an application."""
    router = APIRouter(prefix="/api", responses=FAULTS)
    _games(router, house)
    _thinking(router, house)
    _after(router, house, Reviews(house))
    app.include_router(router)

    @app.get("/api", include_in_schema=False)
    def front() -> HTMLResponse:
        return HTMLResponse(schema_page(app.openapi()))

    _errors(app)


def _games(router: APIRouter, house: House) -> None:
    @router.get("/players")
    async def players(request: Request) -> list[models.Player]:
        """Every opponent, the weakest first, with its rating."""
        visitor = visitor_of(request)
        games = await asyncio.to_thread(house.store.games, visitor)
        return house.catalogue.players(games)

    @router.get("/games")
    async def games(request: Request) -> list[models.Listed]:
        """Your games, the latest first."""
        return await asyncio.to_thread(house.games, visitor_of(request))

    @router.post("/games", status_code=201)
    async def new_game(request: Request, asked: models.NewGame) -> models.State:
        """Begin a game."""
        visitor = visitor_of(request)
        return await done(await asyncio.to_thread(house.begin, visitor, asked))

    @router.get("/games/{game}")
    async def state(request: Request, game: GameId) -> models.State:
        """What you see of a game."""
        visitor = visitor_of(request)
        return await done(await asyncio.to_thread(house.state, visitor, game))

    @router.post("/games/{game}/act")
    async def act(request: Request, game: GameId, move: models.Move) -> models.State:
        """Play an action; the opponent answers. Both are stored before you hear of them."""
        visitor = visitor_of(request)
        return await done(await asyncio.to_thread(house.act, visitor, game, move))

    @router.delete("/games/{game}", status_code=204)
    async def forget(request: Request, game: GameId) -> None:
        """Forget a game and its review."""
        await asyncio.to_thread(house.remove, visitor_of(request), game)

    @router.get("/waiting")
    async def waiting(request: Request) -> models.Waiting:
        """Whether something is being computed for you, and how many visitors are served before."""
        return house.waiting(visitor_of(request))

    @router.get("/games/{game}/record", response_class=PlainTextResponse)
    async def record(request: Request, game: GameId) -> PlainTextResponse:
        """The text record of a finished game."""
        text = await asyncio.to_thread(house.finished_text, visitor_of(request), game)
        name = f'attachment; filename="game-{game[:6]}.txt"'
        return PlainTextResponse(text, headers={"content-disposition": name})


def _thinking(router: APIRouter, house: House) -> None:
    @router.get("/games/{game}/advice")
    async def advice(
        request: Request,
        game: GameId,
        estimator: Annotated[str, Query(max_length=40, description="Of the opponent's hand.")] = "joint",
    ) -> models.Advice:
        """What the coach says about the decision that you face."""
        visitor = visitor_of(request)
        return await done(await asyncio.to_thread(house.advice, visitor, game, estimator))

    @router.post("/advice")
    async def advise_position(request: Request, asked: models.Position) -> models.Advice:
        """What the coach says about a position."""
        return await done(house.advise_position(visitor_of(request), asked))

    @router.post("/advice/table")
    async def advise_table(request: Request, asked: models.Setup) -> models.Advice:
        """What the coach says about a table put together by hand."""
        position = models.Position(position=line_of(asked), estimator=asked.estimator)
        return await done(house.advise_position(visitor_of(request), position))


def _after(router: APIRouter, house: House, reviews: Reviews) -> None:
    @router.get("/games/{game}/review")
    async def review(request: Request, game: GameId) -> models.ReviewProgress:
        """The review of a finished game, or how far it is; the first call begins it."""
        return await asyncio.to_thread(reviews.get, visitor_of(request), game)

    @router.get("/games/{game}/review.html", response_class=HTMLResponse)
    async def review_file(request: Request, game: GameId) -> HTMLResponse:
        """The review as one file that needs nothing else."""
        page = await asyncio.to_thread(reviews.file, visitor_of(request), game)
        name = f'attachment; filename="review-{game[:6]}.html"'
        return HTMLResponse(page, headers={"content-disposition": name})

    @router.post("/games/{game}/branch", status_code=201)
    async def branch(request: Request, game: GameId, asked: models.Branch) -> models.State:
        """Play on from a moment of a finished game, in a new game."""
        visitor = visitor_of(request)
        return await done(await asyncio.to_thread(house.branch, visitor, game, asked))

    @router.post("/records", status_code=201)
    async def upload(request: Request, asked: models.Upload) -> models.Uploaded:
        """Keep a record that was played elsewhere, to review it."""
        game = await asyncio.to_thread(house.upload, visitor_of(request), asked)
        return models.Uploaded(id=game)

    @router.get("/quiz")
    async def quiz(request: Request) -> list[models.Question]:
        """Questions made of your own mistakes in reviewed games."""
        return await asyncio.to_thread(reviews.quiz, visitor_of(request))


def _errors(app: FastAPI) -> None:
    def fault(code: int, text: str) -> JSONResponse:
        return JSONResponse({"error": one_line(text)}, status_code=code)

    @app.exception_handler(GinRummyError)
    async def known(_: Request, error: Exception) -> JSONResponse:
        code = next(code for kind, code in CODES if isinstance(error, kind))
        return fault(code, str(error))

    @app.exception_handler(RequestValidationError)
    async def invalid(_: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, RequestValidationError)
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        return fault(422, f"{place}: {first['msg']}")

    @app.exception_handler(HTTPException)
    async def http(request: Request, error: Exception) -> Any:
        assert isinstance(error, HTTPException)
        return fault(error.status_code, str(error.detail))

    @app.exception_handler(Exception)
    async def bug(_: Request, error: Exception) -> JSONResponse:
        return fault(500, f"this is a fault of ginrummy ({type(error).__name__}), not yours")
