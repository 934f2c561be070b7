"""Rounds to a target: who starts, who leads, who wins.

    game = Game(EAAI, first_starter=decks.starter(seed, number))
    while not game.over:
        table = game.deal(decks.deck(seed, number, game.rounds))
        ...                        # apply actions until table.over
        game.book(table)

The game is over at the target or at the cap on rounds.
"""

from collections.abc import Sequence
from copy import deepcopy
from typing import NamedTuple

from ginrummy.errors import BadInput, IllegalAction
from ginrummy.round import Round, RoundResult
from ginrummy.rules import Rules, rules_text
from ginrummy.scoring import final_totals
from ginrummy.styles import style_of
from ginrummy.view import Sight

Pair = tuple[int, int]


class Dealt(NamedTuple):
    """A round of a game, and how the game stood when it was dealt."""

    round: Round
    number: int
    """From 0."""
    scores: Pair
    won: Pair
    """Rounds won by each seat."""


class Game:
    """The score sheet of one game. Scores, rounds won and rounds played continue a game from its middle.

    Examples:
        >>> from ginrummy import EAAI, deck
        >>> game = Game(EAAI, first_starter=0)
        >>> table = game.deal(deck(seed=1, game=0, round_=0))
        >>> game
        <Game eaai, 0-0 after 0 rounds, round 1 under way>
    """

    def __init__(
        self, rules: Rules, first_starter: int, *, scores: Pair = (0, 0), won: Pair = (0, 0), rounds: int = 0
    ) -> None:
        if first_starter not in (0, 1):
            raise BadInput(f"expected seat 0 or 1 to start, got {first_starter!r}")
        if min(*scores, *won, rounds) < 0 or sum(won) > rounds:
            raise BadInput(f"expected a possible game, got scores {scores}, {won} of {rounds} rounds won")
        self.rules = rules
        self.starter: int = first_starter
        """Seat that starts the round under way, or the next one."""
        self.scores: Pair = scores
        """Points of each seat."""
        self.won: Pair = won
        """Rounds won by each seat."""
        self.rounds: int = rounds
        """Rounds booked."""
        self.dealt: list[Dealt] = []
        """Every round dealt, the one under way included."""
        self.current: Round | None = None
        """The round under way."""

    def deal(self, deck: Sequence[int]) -> Round:
        """Begin the next round."""
        if self.over:
            raise IllegalAction(f"expected no more rounds, got a deal: the game ended {_text(self.scores)}")
        if self.current is not None:
            raise IllegalAction(f"expected round {self.rounds + 1} to be booked first, got another deal")
        self.current = Round.deal(deck, self.starter, self.rules)
        self.dealt.append(Dealt(self.current, self.rounds, self.scores, self.won))
        return self.current

    def book(self, table: Round) -> RoundResult:
        """Enter the result of the round under way. The starter changes after a scored round."""
        if table is not self.current:
            raise IllegalAction("expected the round that this game dealt last, got another one")
        result = table.result
        if result is None:
            raise IllegalAction(f"expected a finished round, got one that waits for seat {table.mover}")
        if result.winner is not None:
            self.scores = _plus(self.scores, result.winner, result.points)
            self.won = _plus(self.won, result.winner, 1)
        if result.points or not self.rules.redeal_keeps_dealer:
            self.starter = 1 - self.starter
        self.rounds += 1
        self.current = None
        return result

    def undo(self) -> None:
        """Take the last step back: an action of the round under way, its deal, or the booking of a round."""
        if not self.dealt:
            raise IllegalAction("expected a step to take back, got a game without any")
        last = self.dealt[-1]
        if self.current is None:
            self.current = last.round
            self.starter, self.scores, self.won, self.rounds = (
                last.round.starter, last.scores, last.won, last.number,
            )  # fmt: skip
        elif self.current.actions:
            self.current.undo()
        else:
            self.dealt.pop()
            self.current = None

    def sight(self, seat: int) -> Sight:
        """What a seat may see of the last round dealt, with the earlier rounds of this game.

        Rounds before a game that was continued from its middle are not known.
        """
        last = self._last()
        earlier = tuple(entry.round.remembered(seat) for entry in self.dealt[:-1])
        seen = last.round.sight(seat, last.scores[seat], last.scores[1 - seat], last.number)
        return seen._replace(style=style_of(earlier), earlier=earlier)

    def copy(self) -> "Game":
        """The same game with copies of its rounds, to be played on separately."""
        return deepcopy(self)

    def position(self) -> str:
        """The last round dealt and the score in one line with all cards: ``from_position`` reads it back."""
        from ginrummy import position

        last = self._last()
        return position.write(last.round, last.number, last.scores, last.won)

    def mover_position(self) -> str:
        """The same with only what the mover may know: ``position.read_sight`` reads it."""
        from ginrummy import position

        last = self._last()
        return position.write_for_mover(last.round, last.number, last.scores, last.won)

    @classmethod
    def from_position(cls, line: str) -> "Game":
        """The game that a line of ``position`` describes, continued from its last round."""
        from ginrummy import position

        return position.read(line)

    def _last(self) -> Dealt:
        if not self.dealt:
            raise IllegalAction("expected a round to describe, got a game without any")
        return self.dealt[-1]

    def __eq__(self, other: object) -> bool:
        return vars(self) == vars(other) if isinstance(other, Game) else NotImplemented

    def __repr__(self) -> str:
        scores = f"{_text(self.scores)} after {self.rounds} rounds"
        if self.current is not None:
            state = f"{scores}, round {self.rounds + 1} under way"
        elif not self.over:
            state = f"{scores}, seat {self.starter} starts the next one"
        else:
            end = "a draw" if self.winner is None else f"seat {self.winner} wins"
            state = f"over: {end}, {scores}, totals {_text(self.totals)}"
        return f"<Game {rules_text(self.rules)}, {state}>"

    @property
    def over(self) -> bool:
        """Whether a score has reached the target, or the rounds their cap."""
        return max(self.scores) >= self.rules.target or self.rounds >= self.rules.max_rounds

    @property
    def winner(self) -> int | None:
        """The seat that won; none before the end and after a draw at the cap on rounds."""
        if not self.over or self.scores[0] == self.scores[1]:
            return None
        return int(self.scores[1] > self.scores[0])

    @property
    def totals(self) -> Pair:
        """Final totals with their bonuses; before the end, the scores so far."""
        return final_totals(self.rules, self.scores, self.won) if self.over else self.scores


def _plus(pair: Pair, seat: int, amount: int) -> Pair:
    return (pair[0], pair[1] + amount) if seat else (pair[0] + amount, pair[1])


def _text(scores: Pair) -> str:
    return f"{scores[0]}-{scores[1]}"
