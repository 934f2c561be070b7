"""Libraries that only some commands need, and how to get them."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ginrummy.errors import GinRummyError

ROOT = Path(__file__).parents[2]
"""The root of the clone, when the package runs from one."""


def how_to_install(extra: str) -> str:
    """The command that installs an extra: ``make dev`` in a clone, ``pip install`` otherwise."""
    clone = (ROOT / "Makefile").exists() and (ROOT / "pyproject.toml").exists()
    return "make dev" if clone else f"pip install 'ginrummy[{extra}]'"


class MissingExtra(GinRummyError, ImportError):
    """A library is not installed that only some parts of the package need."""


@contextmanager
def needed(extra: str, what: str) -> Iterator[None]:
    """Say which extra is missing when an import within this context finds no library."""
    try:
        yield
    except ModuleNotFoundError as error:
        library = (error.name or "ginrummy").partition(".")[0]
        if library == "ginrummy":
            raise
        raise MissingExtra(
            f"{what} needs the library {library!r}: install it with {how_to_install(extra)}"
        ) from None
