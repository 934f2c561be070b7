"""Rounds to a target: starters, scores, winners, misuse."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ginrummy import decks
from ginrummy.cards import DECK, cards_of, mask_of, parse_card, parse_hand
from ginrummy.errors import IllegalAction
from ginrummy.game import Game
from ginrummy.round import Defend, Discard, Draw, Knock, Pass, Round
from ginrummy.rules import EAAI, PRESETS, Rules
from ginrummy.scoring import DEAD, TIE
from playing import play_game, play_round

RUNS = "AC 2C 3C", "4H 5H 6H", "7S 8S 9S"
SETS = "KC KH KS", "QC QH QS", "TC TH TD"


def knock_deck(starter: int, loose: str, other: str) -> list[int]:
    """The starter draws the jack, discards it and knocks with one loose card against another."""
    ours, theirs = " ".join((*RUNS, loose)).split(), " ".join((*SETS, other)).split()
    hands = ours + theirs if starter == 0 else theirs + ours
    first = [parse_card(word) for word in [*hands, "KD", "JD"]]
    return [*first, *cards_of(DECK & ~mask_of(first))]


def knock(game: Game, loose: str = "AH", other: str = "9D", *, defend: bool = True) -> None:
    """Play a round in which the starter knocks; the defender melds all but one card, or nothing."""
    table = game.deal(knock_deck(game.starter, loose, other))
    for action in (Pass(), Pass(), Draw(), Discard(parse_card("JD"))):
        table.apply(action)
    table.apply(Knock(tuple(map(parse_hand, RUNS))))
    table.apply(Defend(tuple(map(parse_hand, SETS)) if defend else ()))
    game.book(table)


def die(game: Game) -> None:
    """Play a dead round: nobody takes or keeps anything."""
    table = game.deal(decks.deck(5, 0, 0))
    play_round(table, random.Random(0), patience=1.0)
    assert table.result is not None and table.result.outcome == DEAD
    game.book(table)


def test_the_starter_changes_after_a_scored_round_only() -> None:
    game = Game(EAAI, 1)
    knock(game)
    assert (game.scores, game.won, game.starter, game.rounds) == ((0, 8), (0, 1), 0, 1)
    die(game)
    assert (game.scores, game.starter, game.rounds) == ((0, 8), 0, 2)
    knock(game)
    assert (game.scores, game.won, game.starter) == ((8, 8), (1, 1), 1)


def test_a_dead_round_changes_the_starter_where_the_rules_say_so() -> None:
    game = Game(EAAI._replace(redeal_keeps_dealer=False), 0)
    die(game)
    assert game.starter == 1


@pytest.mark.parametrize("keeps", [True, False])
def test_a_tie_counts_as_not_scored(keeps: bool) -> None:
    game = Game(EAAI._replace(tie_undercuts=False, redeal_keeps_dealer=keeps), 0)
    knock(game, "9H", "9D")
    assert game.dealt[0].round.result is not None and game.dealt[0].round.result.outcome == TIE
    assert (game.scores, game.won, game.starter) == ((0, 0), (0, 0), 0 if keeps else 1)


def test_the_target_ends_the_game() -> None:
    game = Game(EAAI._replace(target=95), 0)
    assert game.winner is None and not game.over
    knock(game, defend=False)  # 90 of sets and 9, less the ace: 98
    assert (game.over, game.winner, game.scores, game.totals) == (True, 0, (98, 0), (98, 0))
    with pytest.raises(IllegalAction, match="ended 98-0"):
        game.deal(decks.deck(1, 0, 0))


def test_totals_have_their_bonuses_at_the_end() -> None:
    rules = EAAI._replace(target=95, game_bonus=100, line_bonus=25, shutout_doubles=True)
    game = Game(rules, 0)
    assert game.totals == (0, 0)
    knock(game, defend=False)
    assert game.totals == (25 + 100 + 98 + 100 + 98, 0)


def test_the_cap_on_rounds_ends_the_game() -> None:
    game = Game(EAAI._replace(max_rounds=2), 0)
    knock(game)
    knock(game)
    assert game.over and game.winner is None and game.scores == (8, 8)
    game = Game(EAAI._replace(max_rounds=1), 1)
    knock(game)
    assert game.over and game.winner == 1


def test_misuse_is_refused() -> None:
    game = Game(EAAI, 0)
    table = game.deal(decks.deck(1, 0, 0))
    with pytest.raises(IllegalAction, match="round 1 to be booked first"):
        game.deal(decks.deck(1, 0, 1))
    with pytest.raises(IllegalAction, match="waits for seat 0"):
        game.book(table)
    with pytest.raises(IllegalAction, match="another one"):
        game.book(Round.deal(decks.deck(1, 0, 0), 0, EAAI))
    play_round(table, random.Random(1))
    game.book(table)
    with pytest.raises(IllegalAction, match="another one"):
        game.book(table)
    with pytest.raises(ValueError, match="seat 0 or 1"):
        Game(EAAI, 2)
    with pytest.raises(ValueError, match="possible game"):
        Game(EAAI, 0, won=(1, 0))


def test_a_game_is_taken_up_in_the_middle() -> None:
    game = Game(EAAI, 1, scores=(50, 95), won=(2, 3), rounds=6)
    knock(game)
    assert (game.scores, game.winner, game.rounds, game.won) == ((50, 103), 1, 7, (2, 4))
    assert game.dealt[0][1:] == (6, (50, 95), (2, 3))


@pytest.mark.parametrize("preset", PRESETS)
@settings(max_examples=4)
@given(seed=st.integers(0, 2**32))
def test_a_game_is_the_sum_of_its_rounds(preset: str, seed: int) -> None:
    rules: Rules = PRESETS[preset]
    game = play_game(rules, seed)
    scores, won, starter = [0, 0], [0, 0], game.dealt[0].round.starter
    for number, entry in enumerate(game.dealt):
        assert (entry.number, entry.scores, entry.won) == (number, tuple(scores), tuple(won))
        assert entry.round.starter == starter and max(scores) < rules.target
        result = entry.round.result
        assert result is not None
        if result.winner is not None:
            scores[result.winner] += result.points
            won[result.winner] += 1
            starter = 1 - starter
    assert (game.scores, game.won, game.rounds) == (tuple(scores), tuple(won), len(game.dealt))
    assert max(scores) >= rules.target or game.rounds == rules.max_rounds
