"""What the cards gave and what the play gave: a result with its luck taken out, unbiased by construction.

Chance enters a game at two kinds of moments: a round is dealt, and a card is drawn from the stock. Take such
a moment with the state s before it and the card c that came, and any function V of states. By the rules every
card of the stock is equally likely to come, whoever plays and however, so

    luck(s, c) = V(s, c) - mean over all cards k of the stock of V(s, k)

has mean 0, whatever V is: the subtracted mean is the expectation of the first term. The same holds for a
deal, with the mean over freshly shuffled decks in place of the mean over cards. Sums of such terms have mean
0 too, so

    adjusted result = result - sum of all luck terms

has the same expectation as the result itself: against the same opponent it is right on the average, for every
player and every V. A good V makes it vary less, because the terms then cancel what the cards did to the
result; a bad V costs precision and never fairness. That is the idea of control variates; for games it is
known from MIVAT and AIVAT (without AIVAT's terms for the choices of a player whose strategy is known: a
person's is not).

V itself is measured by play in sampled worlds and carries noise. The noise has mean 0 and does not depend on
which card came, so it widens the error bars and nothing else. V sees both hands, which is allowed after the
game: all it must not see is the future, the order of the stock. Records that do not know all cards have no
luck term.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ginrummy.cards import NO_CARD
from ginrummy.coach.values import Floats, Pair, Rng, Value, fresh_decks, score_chance, stock_of
from ginrummy.coach.walk import Place, tables
from ginrummy.game import Dealt, Game
from ginrummy.notation import GameRecord
from ginrummy.round import Draw, Round

PAIRS = 12
"""Mirrored pairs of fresh decks with which a deal is compared, in each half of the play."""


@dataclass(frozen=True)
class LuckEvent:
    """What one deal or one card drawn gave to the seat under review."""

    place: Place
    """Before the card is drawn; action 0 with ``card`` -1 for the deal."""
    seat: int
    """Who drew; -1 for the deal."""
    card: int
    """The card; -1 for the deal."""
    win: float
    """Winning chance given by it, compared with the average card."""
    points: float
    """Points of the round given by it."""
    error: float
    """Standard error of ``win`` by the play that measured it, from two halves of that play."""


@dataclass(frozen=True)
class Luck:
    """A result and its two parts, for the seat under review."""

    result: float
    """1 for a game won, 0 for one lost, a half for a draw; of an unfinished game the chance to win it from
    the scores after its last finished round."""
    cards: float
    """The sum of all luck terms: how much winning chance the cards gave."""
    error: float
    """Standard error of ``cards``, and so of ``adjusted``, by the play that measured them. How much results
    differ from game to game is not in it."""
    adjusted: float
    """The result without them. It may be above 1 or below 0: it is an estimate for many such games."""
    margin: int
    """Points of all rounds, own minus the opponent's, without bonuses of the game."""
    cards_points: float
    """How many of these points the cards gave."""
    adjusted_points: float
    rounds: tuple[float, ...]
    """Winning chance that the cards of each round gave."""
    events: tuple[LuckEvent, ...]
    """Every deal and draw, in order."""


def luck_of(game: Game, seat: int, value: Value, effort: int = 1000, seed: int = 0) -> Luck:
    """The luck of the finished rounds of a game whose cards are all known, for one seat.

    ``effort`` is how many lines of play measure the card that came; as many are shared among those that could
    have come.
    """
    events: list[LuckEvent] = []
    finished = [entry for entry in game.dealt if entry.round.over]
    for k, entry in enumerate(finished):
        events += _round_events(k, entry, value, effort, np.random.default_rng([seed, k]))
    own = [_turned(event, seat) for event in events]
    total, total_points = sum(event.win for event in own), sum(event.points for event in own)
    result = _result(game, seat)
    first = game.dealt[0].scores
    gains = [after - before for after, before in zip(game.scores, first, strict=True)]
    margin = gains[seat] - gains[1 - seat]
    by_round = tuple(sum(event.win for event in own if event.place.round == k) for k in range(len(finished)))
    return Luck(
        result=result,
        cards=total,
        error=math.sqrt(sum(event.error**2 for event in own)),
        adjusted=result - total,
        margin=margin,
        cards_points=total_points,
        adjusted_points=margin - total_points,
        rounds=by_round,
        events=tuple(own),
    )


def _result(game: Game, seat: int) -> float:
    if game.over:
        return 0.5 if game.winner is None else float(game.winner == seat)
    return score_chance(game.rules, game.scores[seat], game.scores[1 - seat], game.starter == seat)


def knows_all(record: GameRecord) -> bool:
    """Whether a record has every card that was dealt or drawn."""
    return not any(one.one_sided for one in record.rounds)


def _round_events(k: int, entry: Dealt, value: Value, effort: int, rng: Rng) -> list[LuckEvent]:
    """The luck of seat 0 at the deal and at every draw of a round."""
    played = entry.round
    events = [_deal_event(k, entry, value, effort, rng)]
    for number, table in tables(entry):
        if number < len(played.actions) and isinstance(played.actions[number][1], Draw):
            events.append(_draw_event(Place(k, number), table, entry.scores, value, effort, rng))
    return events


def _deal_event(k: int, entry: Dealt, value: Value, effort: int, rng: Rng) -> LuckEvent:
    played = entry.round
    where = played.starter, entry.scores, rng

    def measure(lines: int) -> Floats:
        came = value.deals([played.deck], *where, lines)[0]
        others = value.deals(fresh_decks(rng, PAIRS), *where, max(1, lines // (2 * PAIRS)))
        term: Floats = came - others.mean(axis=0)
        return term

    return _event(Place(k, 0), -1, NO_CARD, measure, effort)


def _draw_event(place: Place, table: Round, scores: Pair, value: Value, effort: int, rng: Rng) -> LuckEvent:
    stock, card = stock_of(table), table.stock[0]

    def measure(lines: int) -> Floats:
        came = value.draws(table, scores, [card], rng, lines)[0]
        others = value.draws(table, scores, stock, rng, max(1, lines // len(stock)))
        term: Floats = came - others.mean(axis=0)
        return term

    return _event(place, table.mover, card, measure, effort)


def _event(place: Place, seat: int, card: int, measure: Callable[[int], Floats], effort: int) -> LuckEvent:
    """A term measured twice with half the effort: the mean counts, the difference tells how sure it is."""
    one, other = measure(max(1, effort // 2)), measure(max(1, effort // 2))
    win, points = ((one + other) / 2).tolist()
    return LuckEvent(place, seat, card, win, points, error=float(abs(one[0] - other[0]) / 2))


def _turned(event: LuckEvent, seat: int) -> LuckEvent:
    """A luck term of seat 0 as one of the seat under review."""
    sign = -1 if seat else 1
    return replace(event, win=sign * event.win, points=sign * event.points)
