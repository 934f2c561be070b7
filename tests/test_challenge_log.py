"""What the challenge program's logs say, fact by fact; other tests compare the engine with the same records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import pytest

import challenge_log as log
import naive

STOCK = 31
FEWEST = 2
"""Stock cards left when a round dies."""
TARGET = 100


class Turn(NamedTuple):
    """A draw, a discard and what is true after them."""

    draw: log.Draw
    discard: log.Discard
    hand: list[int]
    """The ten cards left, dealt order, then as drawn."""
    stock: int
    """Cards left in the stock."""


@pytest.fixture(scope="module")
def games() -> dict[str, list[log.Game]]:
    return log.read_all()


@pytest.fixture(scope="module")
def rounds(games: dict[str, list[log.Game]]) -> list[log.Round]:
    return [deal for file in games.values() for game in file for deal in game.rounds]


@pytest.fixture(scope="module")
def knocked(rounds: list[log.Round]) -> list[tuple[log.Knock, log.Defence, log.Round]]:
    return [(deal.knock, deal.defence, deal) for deal in rounds if deal.knock and deal.defence]


def declines(deal: log.Round) -> list[log.Decline]:
    return [event for event in deal.events if isinstance(event, log.Decline)]


def turns(deal: log.Round) -> Iterator[Turn]:
    hands = [list(hand) for hand in deal.dealt]
    stock = STOCK
    moves = deal.events[len(declines(deal)) :]
    for draw, discard in zip(moves[::2], moves[1::2], strict=True):
        assert isinstance(draw, log.Draw)
        assert isinstance(discard, log.Discard)
        stock -= draw.source == "stock"
        hands[draw.seat].append(draw.card)
        hands[draw.seat].remove(discard.card)
        yield Turn(draw, discard, list(hands[draw.seat]), stock)


def final_hands(deal: log.Round) -> list[list[int]]:
    hands = [list(hand) for hand in deal.dealt]
    for turn in turns(deal):
        hands[turn.draw.seat] = turn.hand
    return hands


def test_every_line_is_accounted_for(games: dict[str, list[log.Game]], rounds: list[log.Round]) -> None:
    assert {file: (len(g), sum(len(x.rounds) for x in g)) for file, g in games.items()} == {
        "simple-simple.txt.gz": (120, 1205),
        "marjj5-simple.txt.gz": (60, 428),
        "depauw-tonic.txt.gz": (40, 217),
    }
    assert Counter(deal.kind for deal in rounds) == {"knock": 1460, "gin": 218, "undercut": 162, "dead": 10}


@pytest.mark.parametrize(
    "line", ["Player 0 sings.", "Player 1 wins.", "Player 0 is dealt [1C].", "", "# game 0 simple simple"]
)
def test_a_line_out_of_place_is_an_error(line: str) -> None:
    with pytest.raises(log.LogError, match="line 2"):
        log.parse(["# game 0 simple simple", line])
    with pytest.raises(log.LogError, match="line 1"):
        log.parse(["Player 0 starts."])


def test_a_cut_log_is_an_error() -> None:
    with pytest.raises(log.LogError, match="the end"):
        log.parse(["# game 0 simple simple"])


def test_first_upcard_is_offered_to_the_starter_then_to_the_other(rounds: list[log.Round]) -> None:
    """A pass is a "declines" line; after two the starter draws from the stock and nothing else is said."""
    seen: Counter[int] = Counter()
    for deal in rounds:
        passed = declines(deal)
        assert all(event.card == deal.upcard for event in passed)
        assert [event.seat for event in passed] == [deal.starter, 1 - deal.starter][: len(passed)]
        first = next(turns(deal)).draw
        assert first.seat == (1 - deal.starter if len(passed) == 1 else deal.starter)
        assert first.source == ("stock" if len(passed) == 2 else "upcard")
        seen[len(passed)] += 1
    assert seen == {0: 291, 1: 285, 2: 1274}


def test_seats_take_turns_and_no_card_appears_twice(rounds: list[log.Round]) -> None:
    thrown_back = 0
    for deal in rounds:
        seen = {*deal.dealt[0], *deal.dealt[1], deal.upcard}
        assert len(seen) == 21
        top, seat = deal.upcard, next(turns(deal)).draw.seat
        for turn in turns(deal):
            assert turn.draw.seat == turn.discard.seat == seat
            if turn.draw.source == "stock":
                assert turn.draw.card not in seen
                thrown_back += turn.discard.card == turn.draw.card
            else:
                assert turn.draw.card == top
                assert turn.discard.card != top, "an upcard may not be thrown back"
            seen.add(turn.draw.card)
            top, seat = turn.discard.card, 1 - seat
    assert thrown_back == 6494


def test_the_line_after_a_discard_is_the_first_best_meld_set(rounds: list[log.Round]) -> None:
    lines = 0
    for deal in rounds:
        for turn in turns(deal):
            said = turn.discard
            best = naive.best_meld_sets(turn.hand)
            assert said.melds == (best[0] if best else ())
            rest = set(naive.unmelded(turn.hand, said.melds))
            assert list(said.unmelded) == [c for c in turn.hand if c in rest]
            assert said.deadwood == naive.points(rest)
            lines += 1
    assert lines == 24465


def test_a_round_dies_when_a_turn_leaves_two_stock_cards(rounds: list[log.Round]) -> None:
    """The one who drew the stock to two discards and may knock; the other never gets that discard."""
    could_have_knocked = 0
    for deal in rounds:
        *before, last = turns(deal)
        assert all(turn.stock > FEWEST for turn in before)
        if deal.kind == "dead":
            assert last.stock == FEWEST
            assert last.draw.source == "stock"
            could_have_knocked += last.discard.deadwood <= 10
        else:
            assert last.stock > FEWEST  # in these logs nobody knocks on the very last card
    assert could_have_knocked == 8


def test_the_knocker_is_the_one_who_just_discarded(
    knocked: list[tuple[log.Knock, log.Defence, log.Round]],
) -> None:
    other_set = 0
    for knock, defence, deal in knocked:
        *_, last = turns(deal)
        assert knock.seat == last.draw.seat == 1 - defence.seat
        assert knock.melds in naive.best_meld_sets(last.hand)
        assert list(knock.unmelded) == naive.unmelded(last.hand, knock.melds)
        assert knock.deadwood == naive.points(knock.unmelded) <= 10
        assert knock.gin == (knock.deadwood == 0) == (deal.kind == "gin")
        other_set += knock.melds != last.discard.melds
    assert other_set == 50  # a best set, but not the first


def test_layoffs_are_first_fit_on_the_declared_melds(
    knocked: list[tuple[log.Knock, log.Defence, log.Round]],
) -> None:
    counts: Counter[int] = Counter()
    chains = 0
    for knock, defence, deal in knocked:
        hand = final_hands(deal)[defence.seat]
        steps = [] if knock.gin else naive.first_fit_layoffs(hand, defence.melds, knock.melds)
        assert [(step.card, tuple(sorted(step.meld))) for step in defence.layoffs] == steps
        gone = {step.card for step in steps}
        assert list(defence.unmelded) == [c for c in naive.unmelded(hand, defence.melds) if c not in gone]
        assert defence.deadwood == naive.points(defence.unmelded)
        counts[len(steps)] += 1
        chains += any(step.meld not in knock.melds for step in steps)
    assert counts == {0: 1142, 1: 531, 2: 140, 3: 26, 5: 1}
    assert chains == 92


def test_a_defender_may_declare_less_than_it_holds(
    knocked: list[tuple[log.Knock, log.Defence, log.Round]],
) -> None:
    """All but one declare a best meld set; that one keeps cards to lay off. 22 could have done better."""
    not_least, not_best = 0, 0
    for knock, defence, deal in knocked:
        hand = final_hands(deal)[defence.seat]
        not_least += naive.deadwood_with(hand, defence.melds) > naive.deadwood(hand)
        if not knock.gin:
            not_best += defence.deadwood > naive.defence_deadwood(hand, knock.melds)
    assert (not_least, not_best) == (1, 22)


def test_points_scores_and_winner(games: dict[str, list[log.Game]]) -> None:
    ties = 0
    for game in (game for file in games.values() for game in file):
        scores = [0, 0]
        for deal in game.rounds:
            assert max(scores) < TARGET
            if deal.knock and deal.defence:
                pair = naive.knock_points(deal.knock.deadwood, deal.defence.deadwood)
                assert deal.scorer is not None
                assert (deal.scorer == deal.knock.seat, deal.points) == (pair[0] > 0, max(pair))
                assert (deal.kind == "undercut") == (pair[1] > 0)
                ties += deal.knock.deadwood == deal.defence.deadwood
                scores[deal.scorer] += deal.points
            assert deal.scores == tuple(scores)
        assert game.scores == tuple(scores)
        assert game.scores[game.winner] >= TARGET > game.scores[1 - game.winner]
        assert game.rounds[-1].scorer == game.winner
    assert ties == 25  # all undercuts worth 25


def test_the_starter_changes_after_a_scored_round_only(games: dict[str, list[log.Game]]) -> None:
    after: Counter[tuple[bool, bool]] = Counter()
    for game in (game for file in games.values() for game in file):
        for deal, following in zip(game.rounds, game.rounds[1:], strict=False):
            after[deal.kind == "dead", deal.starter == following.starter] += 1
    assert after == {(False, False): 1620, (True, True): 10}


def test_a_dead_round_scores_nothing(rounds: list[log.Round]) -> None:
    for deal in rounds:
        if deal.kind == "dead":
            bare = replace(deal, knock=None, defence=None, scorer=None, points=0)
            assert deal == bare
