"""The games of visitors: kept move by move, given back to their owner only.

Moves that come at the same time are committed together: one thread writes all that wait in one transaction,
so a slow disk costs each of them one write and not one after the other.

A visitor is known by the digest of a secret: the store never sees the secret itself. A game is its complete
record (``notation``), so a session can be made from it again. ``advance`` commits before it returns, and
refuses a move that was made on an older state of the game.
"""

import queue
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Engine, text

from ginrummy.errors import BadInput
from ginrummy.store.schema import open_database

MOST_AT_ONCE = 100
"""Moves of one transaction."""
MOST_GAMES = 2000
"""Games that one visitor may keep."""


@dataclass(frozen=True)
class Kept:
    """One stored game."""

    id: str
    opponent: str
    moves: int
    """How far the game is: it grows with every change."""
    finished: bool
    record: str
    """The complete record, hidden cards included."""
    created: float
    changed: float
    kind: str
    """played, uploaded or branch."""
    won: bool | None
    """Whether the person won; None for a draw, an unfinished game or somebody else's game."""


_ADVANCE = text(
    "UPDATE games SET moves = :next, record = :record, finished = :finished, won = :won, changed = :now"
    " WHERE id = :id AND visitor = :visitor AND moves = :moves"
)
_FIELDS = "id, opponent, moves, finished, record, created, changed, kind, won"


class Store:
    """Games on a database."""

    def __init__(self, url: str) -> None:
        self.engine: Engine = open_database(url)
        self._writes = threading.Lock()
        self._moves: queue.SimpleQueue[tuple[dict[str, Any], Future[bool]] | None] = queue.SimpleQueue()
        self._writer = threading.Thread(target=self._write_moves, name="store", daemon=True)
        self._writer.start()

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        """A transaction, committed at the end. One at a time: SQLite has one writer."""
        with self._writes, self.engine.begin() as connection:
            yield connection

    def add(self, visitor: str, game: str, opponent: str, record: str, kind: str, finished: bool) -> None:
        """Keep a new game."""
        now = time.time()
        with self._writing() as connection:
            many = connection.execute(text("SELECT COUNT(*) FROM games WHERE visitor = :v"), {"v": visitor})
            if int(many.scalar_one()) >= MOST_GAMES:
                raise BadInput(f"expected at most {MOST_GAMES} games of one visitor: delete some first")
            connection.execute(
                text(
                    "INSERT INTO games (id, visitor, opponent, moves, finished, record, created, changed,"
                    " kind) VALUES (:id, :visitor, :opponent, 0, :finished, :record, :now, :now, :kind)"
                ),
                {
                    "id": game,
                    "visitor": visitor,
                    "opponent": opponent,
                    "finished": int(finished),
                    "record": record,
                    "now": now,
                    "kind": kind,
                },
            )

    def advance(
        self, visitor: str, game: str, moves: int, record: str, *, finished: bool, won: bool | None
    ) -> bool:
        """Replace state ``moves`` of a game by the next one; False if the game is in another state.

        Returns when the change is committed.
        """
        values = {
            "next": moves + 1,
            "record": record,
            "finished": int(finished),
            "won": None if won is None else int(won),
            "now": time.time(),
            "id": game,
            "visitor": visitor,
            "moves": moves,
        }
        future: Future[bool] = Future()
        self._moves.put((values, future))
        return future.result()

    def _write_moves(self) -> None:
        """Commit the moves that wait, all of them in one transaction, until the store is closed."""
        while (first := self._moves.get()) is not None:
            batch = [first]
            while not self._moves.empty() and len(batch) < MOST_AT_ONCE:
                following = self._moves.get()
                if following is None:
                    self._moves.put(None)
                    break
                batch.append(following)
            try:
                with self._writing() as connection:
                    done = [connection.execute(_ADVANCE, values).rowcount == 1 for values, _ in batch]
            except BaseException as error:
                for _, future in batch:
                    future.set_exception(error)
            else:
                for (_, future), changed in zip(batch, done, strict=True):
                    future.set_result(changed)

    def find(self, visitor: str, game: str) -> Kept | None:
        """A game of this visitor; nobody else's."""
        query = text(f"SELECT {_FIELDS} FROM games WHERE id = :id AND visitor = :visitor")
        with self.engine.connect() as connection:
            row = connection.execute(query, {"id": game, "visitor": visitor}).one_or_none()
        return _kept(row) if row else None

    def games(self, visitor: str, limit: int = 100) -> list[Kept]:
        """The visitor's games, the latest first."""
        query = text(f"SELECT {_FIELDS} FROM games WHERE visitor = :v ORDER BY changed DESC LIMIT :n")
        with self.engine.connect() as connection:
            rows = connection.execute(query, {"v": visitor, "n": limit}).all()
        return [_kept(row) for row in rows]

    def remove(self, visitor: str, game: str) -> bool:
        """Forget a game of this visitor, with its review."""
        named = {"id": game, "visitor": visitor}
        own = "SELECT id FROM games WHERE id = :id AND visitor = :visitor"
        with self._writing() as connection:
            connection.execute(text(f"DELETE FROM reviews WHERE game IN ({own})"), named)
            done = connection.execute(text("DELETE FROM games WHERE id = :id AND visitor = :visitor"), named)
        return bool(done.rowcount)

    def keep_review(self, game: str, body: str) -> None:
        """Keep the review of a finished game in the place of an earlier one."""
        with self._writing() as connection:
            connection.execute(text("DELETE FROM reviews WHERE game = :id"), {"id": game})
            connection.execute(
                text("INSERT INTO reviews (game, body, made) VALUES (:id, :body, :now)"),
                {"id": game, "body": body, "now": time.time()},
            )

    def review(self, visitor: str, game: str) -> str | None:
        """The kept review of a visitor's game."""
        query = text(
            "SELECT reviews.body FROM reviews JOIN games ON games.id = reviews.game"
            " WHERE games.id = :id AND games.visitor = :visitor"
        )
        with self.engine.connect() as connection:
            body = connection.execute(query, {"id": game, "visitor": visitor}).scalar_one_or_none()
        return None if body is None else str(body)

    def close(self) -> None:
        """Write what waits, and close all connections."""
        self._moves.put(None)
        self._writer.join()
        self.engine.dispose()


def _kept(row: object) -> Kept:
    values = dict(row._mapping)  # type: ignore[attr-defined]
    won = values.pop("won")
    return Kept(**values | {"finished": bool(values["finished"])}, won=None if won is None else bool(won))
