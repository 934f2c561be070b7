"""The tables of the store and how an older database becomes one of today.

``schema_version`` holds one number. Opening a database applies every step of ``STEPS`` above that number in
one transaction, so a database is always of exactly one version. A step is never changed once it has been
released: a change of the tables is a new step.
"""

from pathlib import Path

from sqlalchemy import Connection, Engine, create_engine, event, inspect, text
from sqlalchemy.exc import ArgumentError, OperationalError, SQLAlchemyError

from ginrummy.errors import BadInput
from ginrummy.extras import needed

STEPS: tuple[tuple[str, ...], ...] = (
    (
        """CREATE TABLE games (
            id VARCHAR(64) PRIMARY KEY,
            visitor VARCHAR(64) NOT NULL,
            opponent VARCHAR(200) NOT NULL,
            moves INTEGER NOT NULL,
            finished INTEGER NOT NULL,
            record TEXT NOT NULL,
            created DOUBLE PRECISION NOT NULL,
            changed DOUBLE PRECISION NOT NULL
        )""",
        "CREATE INDEX games_by_visitor ON games (visitor, changed)",
    ),
    (
        "ALTER TABLE games ADD COLUMN kind VARCHAR(20) NOT NULL DEFAULT 'played'",
        "ALTER TABLE games ADD COLUMN won INTEGER",
        """CREATE TABLE reviews (
            game VARCHAR(64) PRIMARY KEY REFERENCES games (id),
            body TEXT NOT NULL,
            made DOUBLE PRECISION NOT NULL
        )""",
    ),
)
"""Version 1: games. Version 2: reviews; where a game comes from and whether the person won it."""
VERSION = len(STEPS)


def open_database(url: str, version: int = VERSION) -> Engine:
    """A database by its URL, or a file of SQLite by its path, with the tables of ``version``."""
    engine = _engine(url)
    try:
        with engine.begin() as connection:
            _migrate(connection, version)
    except OperationalError as error:
        raise BadInput(f"cannot open the database {_shown(engine)}: {_reason(error)}") from None
    return engine


def _engine(url: str) -> Engine:
    if "://" not in url:
        path = Path(url).expanduser()
        path.parent.mkdir(parents=True, exist_ok=True)
        url = f"sqlite:///{path}"
    if url.startswith(("postgresql://", "postgres://")):
        url = "postgresql+psycopg://" + url.partition("://")[2]
    try:
        with needed("postgres", "a PostgreSQL database"):
            engine = create_engine(url, pool_pre_ping=True)
    except (ArgumentError, SQLAlchemyError):
        raise BadInput(f"expected sqlite:///FILE, postgresql://… or a file, got {url!r}") from None
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _set_up_sqlite)
    return engine


def _set_up_sqlite(connection: object, _: object) -> None:
    """Readers do not wait for writers; a committed move survives even a power cut."""
    cursor = connection.cursor()  # type: ignore[attr-defined]
    cursor.execute("PRAGMA journal_mode=WAL")
    cursor.execute("PRAGMA synchronous=FULL")
    cursor.execute("PRAGMA busy_timeout=10000")
    cursor.close()


def _migrate(connection: Connection, version: int) -> None:
    if not inspect(connection).has_table("schema_version"):
        connection.execute(text("CREATE TABLE schema_version (version INTEGER NOT NULL)"))
        connection.execute(text("INSERT INTO schema_version VALUES (0)"))
    found = int(connection.execute(text("SELECT version FROM schema_version")).scalar_one())
    if found > VERSION:
        raise BadInput(
            f"the database has schema {found}, and this ginrummy knows schemas up to {VERSION}: "
            "use the version of ginrummy that wrote it, or another database"
        )
    for step in STEPS[found:version]:
        for statement in step:
            connection.execute(text(statement))
    connection.execute(text("UPDATE schema_version SET version = :v"), {"v": max(found, version)})


def _shown(engine: Engine) -> str:
    return engine.url.render_as_string(hide_password=True)


def _reason(error: OperationalError) -> str:
    return str(error.orig).strip().splitlines()[0]
