"""Every round of the challenge program's logs, played again by the checked engine and through the notation.

The logs are an independent source: our legal moves, layoffs, points, next starter and winner must equal theirs.
"""

from __future__ import annotations

import pytest

import challenge_log
from ginrummy.cards import NO_CARD, card_text, cards_of, mask_of
from ginrummy.game import Game
from ginrummy.notation import one_sided, read, record_of, replay, write
from ginrummy.round import Defend, Discard, Draw, Knock, Pass, Phase, PlayOn, Round, Take
from ginrummy.rules import EAAI
from ginrummy.scoring import OUTCOMES


def deck_of(logged: challenge_log.Round) -> list[int]:
    """The cards that the log shows; the rest of the stock is unknown."""
    drawn = [e.card for e in logged.events if isinstance(e, challenge_log.Draw) and e.source == "stock"]
    known = [*logged.dealt[0], *logged.dealt[1], logged.upcard, *drawn]
    return known + [NO_CARD] * (52 - len(known))


def masks(melds: tuple[challenge_log.Meld, ...]) -> tuple[int, ...]:
    return tuple(mask_of(meld) for meld in melds)


def play(table: Round, logged: challenge_log.Round) -> None:
    """Apply the events of a log in their order."""
    for event in logged.events:
        if table.phase is Phase.KNOCK:
            table.apply(PlayOn())
        assert table.mover == event.seat
        if isinstance(event, challenge_log.Decline):
            assert event.card == table.top
            table.apply(Pass())
        elif isinstance(event, challenge_log.Draw):
            table.apply(Take() if event.source == "upcard" else Draw())
            assert table.drawn[event.seat] == event.card
        else:
            table.apply(Discard(event.card))
            held = [*event.unmelded, *(card for meld in event.melds for card in meld)]
            assert table.hands[event.seat] == mask_of(held)
            assert (event.deadwood <= 10) == (table.phase is Phase.KNOCK)
    if logged.knock is None:
        if table.phase is Phase.KNOCK:
            table.apply(PlayOn())
        return
    assert table.mover == logged.knock.seat
    table.apply(Knock(masks(logged.knock.melds)))
    assert logged.defence is not None
    table.apply(Defend(masks(logged.defence.melds)))


def check(table: Round, logged: challenge_log.Round) -> None:
    """The engine's result is the log's."""
    result = table.result
    assert result is not None
    facts = OUTCOMES[result.outcome], result.winner, result.points
    assert facts == (logged.kind, logged.scorer, logged.points)
    if logged.knock is None or logged.defence is None:
        assert result.deadwoods is None and len(table.stock) == 2
        return
    knocker = logged.knock.seat
    assert result.knocker == knocker
    assert result.deadwoods is not None
    assert result.deadwoods[knocker] == logged.knock.deadwood
    assert result.deadwoods[1 - knocker] == logged.defence.deadwood
    assert [card for card, _ in result.layoffs] == [step.card for step in logged.defence.layoffs]
    grown = [set(meld) for meld in logged.knock.melds]
    for (card, place), step in zip(result.layoffs, logged.defence.layoffs, strict=True):
        assert grown[place] == set(step.meld), card_text(card)
        grown[place].add(card)
    laid = mask_of(card for card, _ in result.layoffs)
    left = table.hands[1 - knocker] & ~sum(result.melds[1 - knocker]) & ~laid
    assert cards_of(left) == sorted(logged.defence.unmelded)


@pytest.mark.parametrize("file", challenge_log.FILES)
def test_the_challenge_programs_games_are_ours(file: str) -> None:
    games = challenge_log.read(challenge_log.DATA / file)
    assert games
    for logged_game in games:
        game = Game(EAAI, logged_game.rounds[0].starter)
        for logged in logged_game.rounds:
            assert game.starter == logged.starter
            table = game.deal(deck_of(logged))
            play(table, logged)
            check(table, logged)
            game.book(table)
            assert game.scores == logged.scores
        assert (game.over, game.winner, game.scores) == (True, logged_game.winner, logged_game.scores)

        record = record_of(game, logged_game.names, number=logged_game.number)
        text = write(record)
        assert read(text) == record
        results = [entry.round.result for entry in game.dealt]
        assert replay(record) == results
        assert replay(read(write(one_sided(record, logged_game.number & 1)))) == results
