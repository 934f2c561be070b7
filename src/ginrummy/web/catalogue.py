"""The opponents that a visitor may choose: every registered player, by measured strength.

Only names of this list are ever built for a visitor: a spec such as ``py:file.py@make`` would run code, and a
parameter could name a file.
"""

from collections.abc import Sequence
from pathlib import Path

from ginrummy.errors import UnknownName
from ginrummy.players.registry import describe, player_names
from ginrummy.store import Kept
from ginrummy.web import models
from ginrummy.web.standings import Standings, read_standings

FIRST = "simple"
"""The first opponent of a new visitor: it knows how to play and makes mistakes that one can see."""

LEVELS = ("champion:level=default", "champion:level=strong")
"""Players with parameters that the list offers too."""

CHARACTERS = {
    "random": "Throws cards about. Beat it while you learn the rules.",
    "simple": "Honest and hasty: melds what it can, sheds high cards, knocks as soon as it may.",
    "knocking": "Plays like simple but asks a network whether the moment to knock is good.",
    "estimating": "Watches what you pick up and holds back the cards that you seem to want.",
    "hitting": "Takes cards that could meld later, not only cards that meld now.",
    "medium-kh": "A builder with a sense of timing: the best player of its paper.",
    "medium-he": "A builder that guards its discards.",
    "medium-ek": "A guard with a sense of timing.",
    "advanced": "Builds, guards and times its knock, all three at once.",
    "safe-discard": "Careful to a fault: throws what it believes you cannot use.",
    "hand-strength": "The reported winner of the challenge: weighs every hand by what it may become.",
    "look-ahead": "Thinks one draw ahead, and knows from a table what a discard is worth to you.",
    "ensemble": "A committee: several judges vote on each card, and one of them tracks the stock.",
    "champion": "Learned by playing against itself. Answers at once, from instinct.",
    "champion:level=default": "The champion thinking: it plays out thousands of futures before each move.",
    "champion:level=strong": "The champion thinking six times as long.",
}
"""A line on each opponent's way of playing."""

TITLES = {"champion:level=default": "champion, thinking", "champion:level=strong": "champion, thinking long"}


class Catalogue:
    """The opponents with their ratings."""

    def __init__(self, results: Path) -> None:
        self.results = results
        self.standings: Standings = read_standings(results)
        names = [*player_names(), *LEVELS]
        self.names = sorted(names, key=self._strength)
        """The weakest first; those without a rating last."""

    def _strength(self, name: str) -> tuple[bool, float]:
        rated = self.standings.of(name)
        return rated is None, rated.rating if rated else 0.0

    def check(self, name: str) -> str:
        """Refuse a name that is not on the list."""
        if name not in self.names:
            raise UnknownName(f"unknown opponent {name!r}: choose one of {', '.join(self.names)}")
        return name

    def title(self, name: str) -> str:
        """The name for people."""
        return TITLES.get(name, name)

    def fitting(self, games: Sequence[Kept]) -> str:
        """An opponent for a visitor: one step up the ladder for each game won, one down for each lost."""
        ladder = [name for name in self.names if self.standings.of(name) or name == FIRST]
        place = ladder.index(FIRST)
        for game in reversed(games):
            if game.kind == "played" and game.finished and game.won is not None and game.opponent in ladder:
                place = ladder.index(game.opponent) + (1 if game.won else -1)
                place = min(max(place, 0), len(ladder) - 1)
        return ladder[place]

    def players(self, games: Sequence[Kept]) -> list[models.Player]:
        """The list for a visitor."""
        fitting = self.fitting(games)
        rows = []
        for name in self.names:
            rated = self.standings.of(name)
            rows.append(
                models.Player(
                    name=name,
                    title=self.title(name),
                    summary=describe(name.partition(":")[0]).summary,
                    character=CHARACTERS[name],
                    rating=round(rated.rating, 1) if rated else None,
                    rating_low=round(rated.low, 1) if rated else None,
                    rating_high=round(rated.high, 1) if rated else None,
                    fitting=name == fitting,
                )
            )
        return rows
