"""The two streams of a command: results go to standard output, progress to standard error."""

from rich.console import Console


def console() -> Console:
    """Standard output; when it is not a terminal, it is wide enough for tables."""
    screen = Console()
    return screen if screen.is_terminal else Console(width=110)


def messages() -> Console:
    """Standard error."""
    return Console(stderr=True)
