"""Libraries that only some commands need, and how to get them."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
"""The root of the clone, when the package runs from one."""


def how_to_install(extra: str) -> str:
    """The command that installs an extra: ``make dev`` in a clone, ``pip install`` otherwise."""
    clone = (ROOT / "Makefile").exists() and (ROOT / "pyproject.toml").exists()
    return "make dev" if clone else f"pip install 'ginrummy[{extra}]'"
