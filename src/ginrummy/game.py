"""Rounds to a target: who starts, who leads, who wins.

    game = Game(EAAI, first_starter=decks.starter(seed, number))
    while not game.over:
        table = game.deal(decks.deck(seed, number, game.rounds))
        ...                        # apply actions until table.over
        game.book(table)

The game is over at the target or at the cap on rounds.
"""

from collections.abc import Sequence
from typing import NamedTuple

from ginrummy.errors import BadInput, IllegalAction
from ginrummy.round import Round, RoundResult
from ginrummy.rules import Rules
from ginrummy.scoring import final_totals

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
    """The score sheet of one game. A game may be taken up in the middle by giving how it stands."""

    def __init__(
        self, rules: Rules, first_starter: int, *, scores: Pair = (0, 0), won: Pair = (0, 0), rounds: int = 0
    ) -> None:
        if first_starter not in (0, 1):
            raise BadInput(f"expected seat 0 or 1 to start, got {first_starter!r}")
        if min(*scores, *won, rounds) < 0 or sum(won) > rounds:
            raise BadInput(f"expected a possible game, got scores {scores}, {won} of {rounds} rounds won")
        self.rules = rules
        self.starter = first_starter
        """Seat that starts the round under way, or the next one."""
        self.scores = scores
        self.won = won
        self.rounds = rounds
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

    @property
    def over(self) -> bool:
        """Whether the target is reached, or the cap on rounds."""
        return max(self.scores) >= self.rules.target or self.rounds >= self.rules.max_rounds

    @property
    def winner(self) -> int | None:
        """The seat that won; none before the end and after a draw at the cap on rounds."""
        if not self.over or self.scores[0] == self.scores[1]:
            return None
        return int(self.scores[1] > self.scores[0])

    @property
    def totals(self) -> Pair:
        """Final totals with their bonuses; before the end the scores as they stand."""
        return final_totals(self.rules, self.scores, self.won) if self.over else self.scores


def _plus(pair: Pair, seat: int, amount: int) -> Pair:
    return (pair[0], pair[1] + amount) if seat else (pair[0] + amount, pair[1])


def _text(scores: Pair) -> str:
    return f"{scores[0]}-{scores[1]}"
