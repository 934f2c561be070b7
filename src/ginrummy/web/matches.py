"""Matches that visitors start from the page: piece by piece, so that the interval can be watched.

Mirrored pairs of games as in ``ginrummy match``, with the same decks for the same seed. One match at a time;
others wait in a fair queue.
"""

import secrets
import threading
from dataclasses import dataclass, field

from ginrummy import stats
from ginrummy.errors import BadInput
from ginrummy.rules import parse_rules, rules_text
from ginrummy.tournament import count_shard
from ginrummy.web.catalogue import Catalogue
from ginrummy.web.desk import Lane

MOST_GAMES = 20_000
MOST_SEARCHING = 400
"""Games of a match with a player that searches."""
KEPT = 50
"""Matches that are remembered."""


@dataclass
class Match:
    """A match under way, or finished."""

    first: str
    second: str
    rules: str
    games: int
    seed: int
    pairs: list[int] = field(default_factory=lambda: [0] * 5)
    """By points of the first player in a pair, in halves."""
    curve: list[tuple[int, float, float, float]] = field(default_factory=list)
    """After each piece: games, win rate of the first player, its 95 % interval."""
    stopped: bool = False
    fault: str = ""

    @property
    def done(self) -> int:
        """Games played."""
        return 2 * sum(self.pairs)

    @property
    def over(self) -> bool:
        """Whether nothing more will come."""
        return self.stopped or bool(self.fault) or self.done >= self.games

    def add(self, pairs: list[int]) -> None:
        """Count the pairs of a piece."""
        self.pairs = [ours + new for ours, new in zip(self.pairs, pairs, strict=True)]
        rate = sum(k * count for k, count in enumerate(self.pairs)) / (4 * sum(self.pairs))
        low, high = stats.pair_interval(self.pairs)
        self.curve.append((self.done, rate, low, high))


class Matches:
    """The matches of all visitors."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue
        self.lane = Lane("matches", 1)
        self._matches: dict[str, tuple[str, Match]] = {}
        self._guard = threading.Lock()

    def start(self, visitor: str, first: str, second: str, games: int, rules: str = "eaai") -> str:
        """Queue a match; its id."""
        for name in (first, second):
            self.catalogue.check(name)
        most = MOST_SEARCHING if any("level=" in name for name in (first, second)) else MOST_GAMES
        if not 2 <= games <= most:
            raise BadInput(f"expected from 2 to {most} games between these players, got {games}")
        made = Match(
            first, second, rules_text(parse_rules(rules)), games + games % 2, secrets.randbelow(10**9)
        )
        name = secrets.token_urlsafe(16)
        with self._guard:
            if sum(owner == visitor and not found.over for owner, found in self._matches.values()) >= 2:
                raise BadInput("two matches of yours are under way: stop one or wait")
            while len(self._matches) >= KEPT:
                del self._matches[next(iter(self._matches))]
            self._matches[name] = visitor, made
        self.lane.submit(visitor, lambda: self._piece(visitor, made, 0))
        return name

    def find(self, visitor: str, name: str) -> Match | None:
        """A match of this visitor."""
        owner, found = self._matches.get(name, ("", None))
        return found if owner == visitor else None

    def _piece(self, visitor: str, made: Match, piece: int) -> None:
        """Play the next piece, and queue the one after it behind the other visitors' pieces."""
        if made.over:
            return
        slow = any("level=" in name for name in (made.first, made.second))
        size = 4 if slow else min(20 * 2 ** min(piece, 5), max(20, made.games // 20 // 2 * 2))
        stop = min(made.done + size, made.games)
        payload = {
            "players": [made.first, made.second],
            "rules": made.rules,
            "seed": made.seed,
            "start": made.done,
            "stop": stop,
        }
        try:
            made.add(count_shard(payload)["pairs"])
        except Exception as error:  # a match that fails must not end the thread that serves all
            made.fault = f"the match failed with {type(error).__name__}"
            return
        if not made.over:
            self.lane.submit(visitor, lambda: self._piece(visitor, made, piece + 1))
