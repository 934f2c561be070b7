"""Luck: its terms have mean 0 whatever the value function, and a fair one makes results vary less."""

from collections.abc import Sequence

import numpy as np
import pytest

from ginrummy import decks
from ginrummy.cards import cards_of, mask_of
from ginrummy.coach.luck import Luck, luck_of
from ginrummy.coach.values import RolloutValue, score_chance, stock_of
from ginrummy.equity import win_chances
from ginrummy.game import Game
from ginrummy.melds import best_discards, deadwood, deadwoods
from ginrummy.notation import replay_game
from ginrummy.round import Defend, Discard, Draw, Knock, Pass, Phase, Take
from ginrummy.rules import EAAI
from ginrummy.view import NORMAL
from person_games import self_play

ROUND = EAAI._replace(max_rounds=1)


class DeadwoodValue:
    """A plain guess: every point of deadwood less than the opponent is worth half a point. No play at all."""

    def __init__(self, seats: Sequence[int] = (0, 1)) -> None:
        self.seats = seats

    def _worth(self, own: np.ndarray, other: np.ndarray) -> np.ndarray:
        ahead = (1 in self.seats) * other - (0 in self.seats) * own
        return np.stack([0.5 + ahead / 250, ahead / 2], axis=1)

    def deals(self, dealt, starter, scores, rng, effort):
        hands = np.array([[mask_of(deck[:10]), mask_of(deck[10:20])] for deck in dealt])
        return self._worth(deadwoods(hands[:, 0]), deadwoods(hands[:, 1]))

    def draws(self, table, scores, cards, rng, effort):
        hand, other = table.hands[table.mover], deadwood(table.hands[1 - table.mover])
        left = np.array([best_discards(hand | 1 << card)[0] for card in cards])
        still = np.full(len(cards), other)
        return self._worth(still, left) if table.mover else self._worth(left, still)


def plain_game(seed: int, number: int) -> Game:
    """A game of one round between two players who take what lowers deadwood and knock as soon as they can."""
    game = Game(ROUND, decks.starter(seed, number))
    table = game.deal(decks.deck(seed, number, 0))
    while not table.over:
        hand = table.hands[table.mover]
        if table.phase is Phase.DRAW:
            takes = best_discards(hand | 1 << table.top)[0] < deadwood(hand) - 3
            forced = table.offer == NORMAL and table.turns == 0
            table.apply(Take() if takes and not forced else Draw() if table.offer == NORMAL else Pass())
        elif table.phase is Phase.DISCARD:
            allowed = cards_of(table.allowed(table.mover))
            table.apply(Discard(min(allowed, key=lambda card: deadwood(hand & ~(1 << card)))))
        else:
            kinds = (Knock, Defend)
            table.apply(next(action for action in table.legal_actions() if isinstance(action, kinds)))
    game.book(table)
    return game


@pytest.fixture(scope="module")
def games() -> list[Game]:
    return [plain_game(11, 2 * k) for k in range(300)]


@pytest.mark.parametrize("seats", [(0, 1), (0,)], ids=["fair", "blind to one side"])
def test_luck_has_mean_zero_whatever_the_value(games: list[Game], seats: tuple[int, ...]) -> None:
    found = [luck_of(game, 0, DeadwoodValue(seats), seed=k) for k, game in enumerate(games)]
    for part in ("cards", "cards_points"):
        terms = np.array([getattr(one, part) for one in found])
        assert terms.std() > 0
        assert abs(terms.mean()) < 3.5 * terms.std() / np.sqrt(len(terms)), part


def test_terms_of_draws_alone_have_mean_zero_by_turn(games: list[Game]) -> None:
    """Not only their sum: early draws, late draws, and those of each seat."""
    found = [luck_of(game, 0, DeadwoodValue(), seed=k) for k, game in enumerate(games)]
    groups: dict[tuple[int, bool], list[float]] = {}
    for one in found:
        for event in one.events:
            if event.card >= 0:
                groups.setdefault((event.seat, event.place.action > 12), []).append(event.points)
    assert len(groups) == 4
    for terms in groups.values():
        values = np.array(terms)
        assert abs(values.mean()) < 3.5 * values.std() / np.sqrt(len(values))


def test_a_fair_value_makes_results_vary_less(games: list[Game]) -> None:
    found = [luck_of(game, 0, DeadwoodValue(), seed=k) for k, game in enumerate(games)]
    margins = np.array([one.margin for one in found], float)
    adjusted = np.array([one.adjusted_points for one in found])
    assert adjusted.var() < 0.8 * margins.var()


def test_values_by_play_are_unbiased_too_and_better() -> None:
    """Against the play that they are made for: a guess by deadwood leaves four fifths of this variance."""
    strong, value = "hand-strength:profile=tuned", RolloutValue(ROUND)
    some = [replay_game(self_play(strong, strong, seed, ROUND)) for seed in range(100, 150)]
    found = [luck_of(game, 0, value, effort=300, seed=k) for k, game in enumerate(some)]
    margins = np.array([one.margin for one in found], float)
    terms = np.array([one.cards_points for one in found])
    assert abs(terms.mean()) < 3.5 * terms.std() / np.sqrt(len(terms))
    assert np.array([one.adjusted_points for one in found]).var() < 0.6 * margins.var()


def test_luck_of_the_two_seats_is_opposite_and_adds_up(games: list[Game]) -> None:
    game = games[0]
    mine, other = (luck_of(game, seat, RolloutValue(ROUND), effort=40, seed=3) for seat in (0, 1))
    assert mine.cards == pytest.approx(-other.cards) and mine.cards_points == -other.cards_points
    assert mine.adjusted == mine.result - mine.cards
    assert mine.cards == pytest.approx(sum(event.win for event in mine.events))
    assert mine.rounds == (pytest.approx(mine.cards),)
    assert isinstance(mine, Luck) and mine.margin == -other.margin


def test_the_error_of_luck_tells_how_far_another_measurement_is_away(games: list[Game]) -> None:
    value = RolloutValue(ROUND)
    found = [[luck_of(game, 0, value, effort=80, seed=k) for k in range(6)] for game in games[:6]]
    for game in found:
        assert all(one.error > 0 for one in game)
    spread = np.mean([np.var([one.cards for one in game], ddof=1) for game in found])
    claimed = np.mean([one.error**2 for game in found for one in game])
    assert 0.5 < claimed / spread < 2.0
    plain = luck_of(games[0], 0, DeadwoodValue())
    assert all(event.error == 0 for event in plain.events if event.card >= 0)  # nothing is sampled


def test_the_worth_before_a_draw_is_the_mean_over_the_cards_that_may_come(games: list[Game]) -> None:
    game = games[1]
    value, rng = RolloutValue(ROUND), np.random.default_rng(1)
    table = game.dealt[0].round
    while table.actions:  # back to a draw from the stock
        if isinstance(table.undo(), Draw):
            break
    cards = stock_of(table)
    assert sorted(cards) == sorted(table.stock)
    each = value.draws(table, (0, 0), cards, rng, 200)
    again = value.draws(table, (0, 0), cards, rng, 200)
    assert each.shape == (len(cards), 2)
    assert each.mean(axis=0) == pytest.approx(again.mean(axis=0), abs=2.0)
    assert np.corrcoef(each[:, 1], again[:, 1])[0, 1] > 0.8


@pytest.mark.parametrize("keeps", [True, False])
def test_chances_from_scores_and_ended_rounds_are_those_of_the_table(games: list[Game], keeps: bool) -> None:
    rules = EAAI._replace(redeal_keeps_dealer=keeps)
    table = win_chances(rules)
    for own, other in ((0, 0), (40, 85), (99, 3)):
        for starts in (False, True):
            assert score_chance(rules, own, other, starts) == table[own, other, int(starts)]
    value, rng = RolloutValue(rules), np.random.default_rng(1)
    for game in games[2:30]:
        ended = game.dealt[0].round
        result, scores = ended.result, [40, 85]
        assert result is not None
        if result.winner is not None:
            scores[result.winner] += result.points
        later = 1 - ended.starter if result.points or not keeps else ended.starter
        over = max(scores) >= 100
        expected = float(scores[0] >= 100) if over else table[scores[0], scores[1], int(later == 0)]
        assert value.worth(ended, (40, 85), rng, 1).win.value == pytest.approx(expected)
