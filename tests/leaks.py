"""Looks for hidden cards in every byte that a visitor receives while games are played.

    watcher = Watcher()
    watcher.saw("POST /api/games", body)          # everything that came
    watcher.check(record)                         # with the truth of this moment: raises Leak

A hidden card is one that lies in the stock or is unknown in the opponent's hand. It is looked for as text
(7H, 7h, 10H), with symbols, in words, as masks and lists of numbers, in the order of the stock, as the seed from
which all decks come, and all of this behind percent signs, base64, hexadecimal digits and compression.

``python tests/leaks.py --games 100`` plays whole games over HTTP against a server of its own, with pages and
advice in between, and says how much was read.
"""

import base64
import binascii
import json
import re
import sys
import tempfile
import urllib.parse
import zlib
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from ginrummy.cards import CARDS, RANKS, SUITS, SYMBOLS, cards_of
from ginrummy.notation import GameRecord, read, replay_game
from ginrummy.session import PERSON

RANK_WORDS = [
    "ace",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "jack",
    "queen",
    "king",
]
SUIT_WORDS = ["clubs", "hearts", "spades", "diamonds"]


class Leak(AssertionError):
    """A hidden card was found in what a visitor received."""


def spellings(card: int) -> list[str]:
    """How a card could be written."""
    rank, suit = RANKS[card % 13], SUITS[card // 13]
    ranks = [rank, "10"] if rank == "T" else [rank]
    short = [r + s for r in ranks for s in (suit, SYMBOLS[card // 13])]
    return [*short, *(text.lower() for text in short), f"{RANK_WORDS[card % 13]} of {SUIT_WORDS[card // 13]}"]


_ANY = re.compile(
    r"(?<![A-Za-z0-9])(?:(?:10|[A2-9TJQK])[CHSD♣♥♠♦]|(?:10|[2-9])[chsd]|[atjqk][♣♥♠♦])(?![A-Za-z0-9])"
    r"|(?<=[\"'])[atjqk][chsd](?=\\?[\"'])"  # two small letters may be any word (js, as) but between quotes
    rf"|\b(?:{'|'.join(RANK_WORDS)}) of (?:{'|'.join(SUIT_WORDS)})\b"
)
"""A card in any spelling, as a whole word."""
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{16,}={0,2}")
_HEX = re.compile(r"(?:[0-9a-fA-F]{2}){8,}")
_NUMBERS = re.compile(r"\[\s*-?\d+(?:\s*,\s*-?\d+){2,}\s*\]")
_CODES = {text: card for card in range(CARDS) for text in spellings(card)}


class Truth:
    """What the person must not know at one moment of a game."""

    def __init__(self, record: GameRecord) -> None:
        game = replay_game(record)
        seat = record.players.index(PERSON)
        table = game.dealt[-1].round
        shown = any(turn.knock for turn in record.rounds[-1].turns)
        other = 0 if shown else table.hands[1 - seat] & ~table.known[1 - seat]
        stock = [card for card in table.stock if card >= 0]
        self.cards = {*cards_of(other), *stock}
        self.masks = {int(mask) for mask in (table.hands[1 - seat], other) if mask}
        if shown:
            self.masks = set()
        self.masks.add(sum(1 << card for card in stock))
        self.seed = record.seed
        self.deck = record.rounds[-1].stock


def readings(data: bytes) -> Iterator[str]:
    """A message as text, and what is packed in it."""
    text = data.decode("utf-8", errors="replace")
    yield re.sub("%[0-9A-Fa-f]{2}", " ", text)
    if "%" in text:
        yield urllib.parse.unquote(text)
    if "\\u" in text:
        yield re.sub(r"\\+u([0-9a-fA-F]{4})", lambda found: chr(int(found.group(1), 16)), text)
    for found in _BASE64.findall(text):
        try:
            inner = base64.b64decode(found.replace("-", "+").replace("_", "/") + "==", validate=False)
        except (binascii.Error, ValueError):
            continue
        if inner.isascii():
            yield inner.decode()
        yield from _unpacked(inner)
    for found in _HEX.findall(text):
        inner = bytes.fromhex(found)
        if inner.isascii():
            yield inner.decode()
    yield from _unpacked(data)


def _unpacked(data: bytes) -> Iterator[str]:
    """What compressed bytes hold, if it is text: nearly any bytes can be unpacked to something."""
    for width in (zlib.MAX_WBITS, 31, -zlib.MAX_WBITS):
        try:
            text = zlib.decompressobj(width).decompress(data, 1 << 20).decode("utf-8")
        except (zlib.error, UnicodeDecodeError):
            continue
        if text.isprintable() or text.isascii():
            yield text


class Watcher:
    """Everything that came since the last check, and how much was read in all."""

    def __init__(self, *secrets: str) -> None:
        self.names = set(secrets)  # ids, which are random letters
        self.waiting: list[tuple[str, bytes]] = []
        self.bytes = 0
        self.messages = 0
        self.checks = 0

    def saw(self, source: str, data: bytes) -> None:
        """Keep a message until the truth of its moment is known."""
        self.bytes += len(data)
        self.messages += 1
        self.waiting.append((source, data))

    def check(self, record: str) -> None:
        """Look for what is hidden now in all that came since the last check."""
        truth = Truth(read(record))
        self.checks += 1
        for source, data in self.waiting:
            for name in self.names:
                data = data.replace(name.encode(), b"")
            for text in readings(data):
                _search(source, text, truth)
        self.waiting.clear()


def _search(source: str, text: str, truth: Truth) -> None:
    for found in _ANY.findall(text):
        if _CODES[found] in truth.cards:
            raise Leak(f"{source} names the hidden card {found}: …{_around(text, found)}…")
    for mask in truth.masks:
        for shape in (str(mask), f"{mask:x}", f"{mask:X}", f"{mask:b}"):
            if mask.bit_count() > 2 and shape in text:
                raise Leak(f"{source} has the mask {shape} of hidden cards")
    if truth.seed is not None and truth.seed > 10**6:
        for shape in (str(truth.seed), f"{truth.seed:x}"):
            if shape in text:
                raise Leak(f"{source} has the seed of all decks")
    for found in _NUMBERS.findall(text):
        numbers = json.loads(found)
        steps = {b - a for a, b in pairwise(numbers)}
        hidden = sum(number in truth.cards for number in numbers)
        # Eight or more numbers of hidden cards; the page's own lists of elements are runs.
        if hidden >= 8 and hidden > 0.7 * len(numbers) and len(steps) > 1:
            raise Leak(f"{source} lists hidden cards as numbers: {found}")


def _around(text: str, found: str) -> str:
    place = text.index(found)
    return text[max(0, place - 60) : place + 60].replace("\n", " ")


def check_log(lines: list[str]) -> None:
    """A log names no card at all."""
    for line in lines:
        if found := _ANY.search(line):
            raise Leak(f"the log names a card, {found.group()}: {line.strip()}")


# Whole games over HTTP.


def watched_games(games: int, opponents: list[str], tell: bool = False, rules: str = "eaai") -> Watcher:
    """Play games against a server in a process of its own and look at every byte that comes."""
    import httpx

    from ginrummy.store import Store
    from web_help import choose, serving

    with tempfile.TemporaryDirectory() as place, serving(Path(place) / "games.sqlite") as server:
        store = Store(str(Path(place) / "games.sqlite"))
        watcher = Watcher()
        static: dict[str, bytes] = {}
        with httpx.Client(base_url=server.address, timeout=60, trust_env=False) as client:

            def ask(method: str, path: str, body: object = None) -> httpx.Response:
                answer = client.request(method, path, json=body) if body else client.request(method, path)
                head = "\n".join(f"{k}: {v}" for k, v in answer.headers.items() if k not in ("etag", "date"))
                if path.startswith(("/static/", "/_nicegui/")):
                    assert static.setdefault(path, answer.content) == answer.content
                elif not path.endswith("/advice"):  # names unseen cards by its nature: see the test of twins
                    watcher.saw(f"{method} {path}", head.encode() + b"\n" + answer.content)
                return answer

            ask("GET", "/")
            for cookie in client.cookies.jar:
                watcher.names.add(cookie.value or "")
            for number in range(games):
                opponent = opponents[number % len(opponents)]
                state = ask("POST", "/api/games", {"opponent": opponent, "rules": rules}).json()
                watcher.names.add(state["id"])
                turn = 0
                while state["phase"] != "game over":
                    turn += 1
                    if turn % 40 == 2:
                        for path in (f"/game/{state['id']}", "/games", "/", "/static/cards.svg"):
                            ask("GET", path)
                        for path in ("record", "review", *(["advice"] * (number % 10 == 0)), ""):
                            ask("GET", f"/api/games/{state['id']}/{path}".rstrip("/"))
                        ask("POST", f"/api/games/{state['id']}/act", {"moves": 0, "action": "knock"})
                        watcher.check(_record(store, state["id"]))
                    state = ask("POST", f"/api/games/{state['id']}/act", choose(state, number)).json()
                    watcher.check(_record(store, state["id"]))
                if tell:
                    print(
                        f"game {number + 1} against {opponent}: {watcher.messages} messages, {watcher.bytes} bytes"
                    )
        check_log(server.lines)
        store.close()
    return watcher


def _record(store: object, game: str) -> str:
    from sqlalchemy import text

    with store.engine.connect() as connection:  # type: ignore[attr-defined]
        return str(
            connection.execute(text("SELECT record FROM games WHERE id = :id"), {"id": game}).scalar_one()
        )


def main() -> None:
    games = int(sys.argv[sys.argv.index("--games") + 1]) if "--games" in sys.argv else 100
    rules = sys.argv[sys.argv.index("--rules") + 1] if "--rules" in sys.argv else "eaai"
    opponents = ["simple", "hand-strength", "champion", "medium-kh", "random"]
    found = watched_games(games, opponents, tell=True, rules=rules)
    print(
        f"{games} whole games: {found.messages} messages, {found.bytes} bytes, {found.checks} checks, no leak"
    )


if __name__ == "__main__":
    main()
