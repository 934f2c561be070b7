"""What a position is worth to somebody who sees both hands: play from it, by a fast rule on both sides.

The order of the stock stays unknown: every line of play shuffles it anew. So the worth of a position before a
draw is the mean of its worths after each card that may come. ``luck`` rests on that. The review's curve shows
the same worth after every event.
"""

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from ginrummy.cards import CARDS, DECK, cards_of, mask_of
from ginrummy.compiled.policy import Compiled
from ginrummy.compiled.worlds import ASK, DISCARDING, DRAWING, LINE, Worlds, play_from
from ginrummy.policies.rollout import ROLLOUT
from ginrummy.round import Phase, Round
from ginrummy.rules import HAND_SIZE, Rules
from ginrummy.search.advice import as_view
from ginrummy.search.pricing import SPAN, price_list
from ginrummy.search.styles import rule_style
from ginrummy.stats import Estimate

Floats = npt.NDArray[np.float64]
Pair = tuple[int, int]
Rng = np.random.Generator


class Worth(NamedTuple):
    """What a position is worth to seat 0."""

    win: Estimate
    """Chance to win the game."""
    points: Estimate
    """Points of the round."""


class Value(Protocol):
    """Any guess of what positions are worth to seat 0: [N, 2] chance to win the game, points of the round.

    ``effort`` says how closely to look. Luck needs no good guess: a poor one makes its error bars longer.
    """

    def deals(
        self, dealt: Sequence[Sequence[int]], starter: int, scores: Pair, rng: Rng, effort: int
    ) -> Floats:
        """What each of some decks is worth as it is dealt."""

    def draws(self, table: Round, scores: Pair, cards: Sequence[int], rng: Rng, effort: int) -> Floats:
        """What a table before a draw from the stock is worth after each of some cards is drawn."""


class RolloutValue:
    """Play to the end of the round by the fast rule of search; points as chances to win (``equity``)."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules

    def deals(
        self, dealt: Sequence[Sequence[int]], starter: int, scores: Pair, rng: Rng, effort: int
    ) -> Floats:
        """What each of some decks is worth as it is dealt."""
        tables = [Round(deck, starter, self.rules) for deck in dealt]
        worths = [self.worth(table, scores, rng, effort) for table in tables]
        return np.array([(worth.win.value, worth.points.value) for worth in worths])

    def draws(self, table: Round, scores: Pair, cards: Sequence[int], rng: Rng, effort: int) -> Floats:
        """What a table before a draw from the stock is worth after each of some cards is drawn."""
        first = np.repeat(np.asarray(cards, np.int8), effort)
        results = self._play(table, rng, len(first), first)
        priced = _priced(results, table, scores, self.rules).reshape(len(cards), effort, 2)
        means: Floats = priced.mean(axis=1)
        return means

    def worth(self, table: Round, scores: Pair, rng: Rng, effort: int) -> Worth:
        """What a table is worth at which somebody is to draw or to discard, or whose round is over."""
        if table.result is not None:
            return _settled(table, scores, self.rules)
        priced = _priced(self._play(table, rng, effort), table, scores, self.rules)
        means, errors = priced.mean(axis=0), priced.std(axis=0) / np.sqrt(len(priced))
        return Worth(*(Estimate(float(m), float(e)) for m, e in zip(means, errors, strict=True)))

    def _play(
        self, table: Round, rng: Rng, lines: int, first: npt.NDArray[np.int8] | None = None
    ) -> npt.NDArray[np.float64]:
        """Points of the mover in each line of play; ``first``: the cards drawn first, if a draw is forced."""
        mover = table.mover
        view = as_view(table.sight(mover))
        hand = table.hands[1 - mover]
        stocks = _stocks(stock_of(table), lines, rng, first)
        todo = np.zeros(lines, LINE)
        todo["world"], todo["knock"] = np.arange(lines), ASK
        todo["answer"] = ASK if first is None else 0
        phase = DISCARDING if table.phase is Phase.DISCARD else DRAWING
        worlds = Worlds(np.full(lines, hand, np.int64), stocks)
        side, seed = _side(), int(rng.integers(1 << 40))
        found = play_from(view, 0, phase, worlds, todo, self.rules, mine=side, other=side, seed=seed)
        points: npt.NDArray[np.float64] = found["points"].astype(np.float64)
        return points


@cache
def _side() -> Compiled:
    return Compiled(ROLLOUT, tuple(rule_style().tolist()))


def stock_of(table: Round) -> list[int]:
    """The cards of the stock, in order of their numbers: what is in no hand and not in the pile."""
    seen = table.hands[0] | table.hands[1] | mask_of(table.pile)
    return cards_of(DECK & ~seen)


def _stocks(
    cards: list[int], lines: int, rng: Rng, first: npt.NDArray[np.int8] | None
) -> npt.NDArray[np.int8]:
    """[lines, S] shuffled stocks, each with its first card in front if one is given."""
    shuffled = rng.permuted(np.tile(np.array(cards, np.int8), (lines, 1)), axis=1)
    if first is not None:
        rows = np.arange(lines)
        places = (shuffled == first[:, None]).argmax(axis=1)
        shuffled[rows, places] = shuffled[:, 0]
        shuffled[:, 0] = first
    return shuffled


def _priced(points: Floats, table: Round, scores: Pair, rules: Rules) -> Floats:
    """[N, 2] chance to win and points, for seat 0, from the mover's points."""
    sign = -1 if table.mover else 1
    own = (sign * points).astype(np.int64)
    prices = price_list(rules, scores[0], scores[1], int(table.starter == 0))
    return np.stack([prices[np.clip(own, -SPAN, SPAN) + SPAN], own.astype(np.float64)], axis=1)


def _settled(table: Round, scores: Pair, rules: Rules) -> Worth:
    result = table.result
    assert result is not None
    points = 0 if result.winner is None else result.points * (1 - 2 * result.winner)
    win = price_list(rules, scores[0], scores[1], int(table.starter == 0))[SPAN + points]
    return Worth(Estimate(float(win), 0.0), Estimate(float(points), 0.0))


def fresh_decks(rng: Rng, pairs: int) -> list[list[int]]:
    """Decks in mirrored pairs, each as likely as any other deck.

    The second deck of a pair has the two hands exchanged. What is good for one seat in the first is good for
    the other in the second, so the mean over a pair varies little.
    """
    found = []
    for _ in range(pairs):
        deck = rng.permutation(CARDS).tolist()
        found += [deck, deck[HAND_SIZE : 2 * HAND_SIZE] + deck[:HAND_SIZE] + deck[2 * HAND_SIZE :]]
    return found


def score_chance(rules: Rules, own: int, other: int, starts: bool) -> float:
    """Chance to win the game from both scores, before a round that this side starts or not."""
    began = starts if rules.redeal_keeps_dealer else not starts  # a dead round leads to the next one
    return float(price_list(rules, own, other, int(began))[SPAN])
