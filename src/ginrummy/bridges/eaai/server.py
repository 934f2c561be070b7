"""Serve one of our players to other programs over a socket: one line for each call, in the challenge's order.

A connection is one player at one table, game after game. The other program tells what happens and asks; only
questions are answered:

    ginrummy 1                                       -> ginrummy 1 NAME
    deal SEAT STARTER CARD…                          a round begins
    wants CARD                                       -> yes | no
    drew SEAT CARD                                   - for a hidden card
    discard                                          -> CARD
    discarded SEAT CARD
    melds                                            -> none | melds CARD… | CARD… | …
    melded SEAT | CARD… | CARD…
    laid_off SEAT CARD CARD…
    shown SEAT CARD…                                 a hand at the end of the round
    scored N N                                       both scores after the round

A line that cannot be is answered by ``error`` and what is wrong, and the connection is closed.
"""

import socketserver
import threading
from collections.abc import Callable
from itertools import count

from ginrummy.bridges.eaai.onlooker import Onlooker
from ginrummy.cards import NO_CARD, card_text, parse_card
from ginrummy.errors import BadInput, GinRummyError, ParseError, one_line
from ginrummy.following import Declared
from ginrummy.players.base import Player, under
from ginrummy.players.registry import make_player
from ginrummy.rules import EAAI

VERSION = 1
"""Of the protocol."""
PORT = 7210
"""Where a player listens, unless told otherwise."""
LONGEST = 1000
"""Bytes of a line at most."""


class BotServer(socketserver.ThreadingTCPServer):
    """Listens for tables and gives each an onlooker of its own. Players are asked one at a time."""

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self, spec: str, host: str, port: int, seed: int) -> None:
        player = make_player(spec)
        if player.sit:
            raise BadInput("a Java player needs no server to play in a Java tournament: give it its class")
        self.player: Player = under(player, EAAI)
        self.seed = seed
        self.turn = threading.Lock()
        self._games = count()
        try:
            super().__init__((host, port), _Table)
        except (OSError, OverflowError) as error:
            why = getattr(error, "strerror", None) or str(error)
            raise BadInput(f"cannot listen at {host}:{port}: {why}") from None

    @property
    def address(self) -> str:
        """Host and port, as a person writes them."""
        host, port = self.server_address[:2]
        return f"{host!s}:{port}"

    def next_game(self) -> int:
        """The number of a game that begins."""
        return next(self._games)


class _Table(socketserver.StreamRequestHandler):
    """One connection."""

    server: BotServer
    disable_nagle_algorithm = True

    def handle(self) -> None:
        """Answer until the other side goes away or says something that cannot be."""
        onlooker = Onlooker(self.server.player, self.server.seed, self.server.next_game)
        try:
            self._greet()
            while line := self._line():
                with self.server.turn:
                    answer = _answer(onlooker, line.split())
                if answer is not None:
                    self._say(answer)
        except (GinRummyError, ValueError) as error:
            self._say(f"error {one_line(str(error))}")
        except OSError:
            pass  # the other side has gone

    def _greet(self) -> None:
        line = self._line()
        if line.split() != ["ginrummy", str(VERSION)]:
            raise ParseError(f"expected 'ginrummy {VERSION}', got {line!r}")
        self._say(f"ginrummy {VERSION} {self.server.player.name}")

    def _line(self) -> str:
        line = self.rfile.readline(LONGEST + 1)
        if len(line) > LONGEST:
            raise ParseError(f"expected a line of at most {LONGEST} bytes")
        return line.decode("ascii", errors="replace").strip()

    def _say(self, text: str) -> None:
        self.wfile.write(text.encode("ascii", errors="replace") + b"\n")


def _answer(onlooker: Onlooker, words: list[str]) -> str | None:
    """Make one call; the answer if it is a question."""
    kind, rest = words[0], words[1:]
    if kind == "wants":
        return "yes" if onlooker.wants(_card(rest)) else "no"
    if kind == "discard":
        return card_text(onlooker.discard())
    if kind == "melds":
        melds = onlooker.melds()
        return "none" if melds is None else _melds_text(melds)
    tell: Callable[[], None]
    if kind == "deal" and len(rest) == 12:
        tell = _later(onlooker.deal, _seat(rest), _seat(rest[1:]), list(map(parse_card, rest[2:])))
    elif kind in ("drew", "discarded") and len(rest) == 2:
        hidden = kind == "drew" and rest[1] == "-"
        tell = _later(getattr(onlooker, kind), _seat(rest), NO_CARD if hidden else _card(rest[1:]))
    elif kind == "melded" and rest:
        tell = _later(onlooker.melded, _seat(rest), _melds(rest[1:]))
    elif kind == "laid_off" and len(rest) >= 2:
        tell = _later(onlooker.laid_off, _seat(rest), _card(rest[1:]), list(map(parse_card, rest[2:])))
    elif kind == "shown" and rest:
        tell = _later(onlooker.shown, _seat(rest), list(map(parse_card, rest[1:])))
    elif kind == "scored" and len(rest) == 2:
        tell = _later(onlooker.scored, (int(rest[0]), int(rest[1])))
    else:
        raise ParseError(f"expected a call of the protocol, got {' '.join(words)!r}")
    tell()
    return None


def _later(call: Callable[..., None], *values: object) -> Callable[[], None]:
    return lambda: call(*values)


def _seat(words: list[str]) -> int:
    if words[0] not in ("0", "1"):
        raise ParseError(f"expected seat 0 or 1, got {words[0]!r}")
    return int(words[0])


def _card(words: list[str]) -> int:
    return parse_card(words[0] if words else "")


def _melds(words: list[str]) -> Declared:
    """``| CARD… | CARD…``."""
    parts = " ".join(words).split("|")[1:]
    return [[parse_card(word) for word in part.split()] for part in parts]


def _melds_text(melds: Declared) -> str:
    return " ".join(["melds", " | ".join(" ".join(map(card_text, meld)) for meld in melds)]).strip()
