"""The errors of the package, by kind. All are ValueErrors; the command line prints them as one line."""


class ParseError(ValueError):
    """Text that cannot be read: says what was expected, what came, and where.

    ``line`` and ``column`` count from one; zero means that the place is not known (a single card, say).
    """

    def __init__(self, message: str, line: int = 0, column: int = 0) -> None:
        place = f"line {line}, column {column}: " if line else ""
        super().__init__(place + message)
        self.message = message
        self.line = line
        self.column = column


class IllegalAction(ValueError):
    """An action that the rules forbid: says what was expected and what came. The state is untouched."""


class UnknownName(ValueError):
    """A name, key or value that does not exist: lists what is possible."""
