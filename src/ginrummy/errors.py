"""The errors that a user of the package may cause, by kind.

Every one is a ``GinRummyError`` and says in one line what was expected and what came; the command line prints
that line and ends with code 2. Any other exception is a bug of ours and keeps its traceback.
"""

import re

LONGEST_QUOTE = 200
"""Characters of a user's own text that an error line repeats."""
LONGEST_LINE = 600
"""Characters of an error line."""

_QUOTED = re.compile(rf"(?<!\w)(['\"])(.{{{LONGEST_QUOTE}}}).+?\1(?!\w)")
_WORD = re.compile(rf"(\S{{{LONGEST_QUOTE}}})\S{{2,}}")


class GinRummyError(Exception):
    """An error that a user can cause and correct."""


class BadInput(GinRummyError, ValueError):
    """A number, file or combination of arguments that has no meaning here."""


class ParseError(GinRummyError, ValueError):
    """Text that cannot be read: says what was expected, what came, and where.

    ``line`` and ``column`` count from one; zero means that the place is not known, as for a single card.
    """

    def __init__(self, message: str, line: int = 0, column: int = 0) -> None:
        place = f"line {line}, column {column}: " if line else ""
        super().__init__(place + message)
        self.message = message
        self.line = line
        self.column = column


class IllegalAction(GinRummyError, ValueError):
    """An action that the rules forbid: says what was expected and what came. The state is untouched."""


class UnknownName(GinRummyError, ValueError):
    """A name, key or value that does not exist: lists what is possible."""


class PlayerError(GinRummyError, RuntimeError):
    """A player from outside failed with an exception of its own: names the player.

    ``trace`` is the traceback of that exception, as text, for the author of the player.
    """

    def __init__(self, message: str, trace: str = "") -> None:
        super().__init__(message, trace)
        self.trace = trace

    def __str__(self) -> str:
        return str(self.args[0])


def shortened(text: str) -> str:
    """Text that is not quoted, cut to the length of a quotation."""
    return text if len(text) <= LONGEST_QUOTE else text[: LONGEST_QUOTE - 1] + "…"


def one_line(message: str) -> str:
    """A message on one line, with long quotations cut short."""
    line = _QUOTED.sub(r"\1\2…\1", " ".join(message.split()))
    line = _WORD.sub(r"\1…", line)
    return line if len(line) <= LONGEST_LINE else line[: LONGEST_LINE - 1] + "…"
