"""What the view tells of the earlier rounds of a game: counters, and the rounds themselves."""

from collections.abc import Callable

import numpy as np
import pytest

from ginrummy import decks, sim
from ginrummy.cards import cards_of
from ginrummy.game import Game
from ginrummy.melds import best_meld_sets, deadwood
from ginrummy.memory import remembered
from ginrummy.moments import views
from ginrummy.players.base import Player, one_by_one
from ginrummy.players.registry import make_player
from ginrummy.round import Discard, Draw, Pass, Round, Take
from ginrummy.rules import EAAI, PRESETS
from ginrummy.styles import MOST, ROUNDS, note_round, style_of
from ginrummy.view import HIDDEN, PASSED, STYLE, VIEW, Sight


def watcher(note: Callable[[Sight], object]) -> Player:
    """Takes no upcard, keeps the least deadwood, knocks; and shows what it sees when it draws."""

    def draw(seen: Sight, u: float) -> bool:
        note(seen)
        return False

    return one_by_one(
        "watcher",
        draw=draw,
        discard=lambda seen, u: min(cards_of(seen.allowed), key=lambda card: deadwood(seen.hand ^ 1 << card)),
        knock=lambda seen, u: True,
        spread=lambda seen, u: (best_meld_sets(seen.hand) or [()])[0],
    )


def named(seen: Sight) -> dict[str, int]:
    return dict(zip(STYLE, seen.style, strict=True))


@pytest.fixture(scope="module")
def sights() -> list[Sight]:
    """What a simple player sees of whole games against the baseline."""
    seen: list[Sight] = []
    sim.play(watcher(seen.append), make_player("simple"), range(10), EAAI, 6, batch=4)
    return seen


def test_a_player_sees_all_earlier_rounds_of_its_own_game(sights: list[Sight]) -> None:
    assert max(seen.round for seen in sights) >= 3
    for seen in sights:
        assert len(seen.earlier) == seen.round == named(seen)["rounds"]
        assert seen.score - seen.opponent_score == sum(one.points for one in seen.earlier)
        assert seen.style == style_of(seen.earlier)


def test_earlier_logs_hide_what_the_opponent_drew(sights: list[Sight]) -> None:
    events = [event for seen in sights for one in seen.earlier for event in one.log if not event.mine]
    assert {event.drawn for event in events if not event.took} == {HIDDEN, PASSED}


def test_the_memory_forgets_finished_games() -> None:
    tables = sim.new_tables(3, range(9))
    lockstep = sim.Lockstep((watcher(lambda seen: None), make_player("simple")), tables, EAAI, 2)
    lockstep.begin()
    lockstep.run(np.zeros(9, sim.GAME), record=False)
    assert lockstep.memory.needed
    assert lockstep.memory._rounds == ({}, None)


def test_counters_tell_who_knocks_and_who_waits_for_gin() -> None:
    last: dict[str, dict[str, int]] = {}
    for name in ("simple", "simple:knock_at=0"):
        seen: list[Sight] = []
        sim.play(watcher(seen.append), make_player(name), range(20), EAAI, 3)
        last[name] = {key: sum(named(one)[key] for one in seen) for key in STYLE}
    knocker, waiter = last.values()
    assert knocker["knocks"] > 4 * knocker["gins"] > 0
    assert 1 <= knocker["knock_deadwood"] / knocker["knocks"] <= 10
    assert knocker["waits"] == 0
    assert waiter["knocks"] == 0
    assert waiter["gin_turns"] / waiter["gins"] > knocker["knock_turns"] / knocker["knocks"] > 3
    assert 0 < waiter["takes"] < waiter["offers"]


def test_recorded_rounds_give_the_counters_back() -> None:
    rules = PRESETS["uk"]
    run = sim.play(make_player("simple"), make_player("simple"), range(6), rules, 4, record=True)
    for side in (0, 1):
        for game in range(6):
            rounds = run.rounds[run.rounds["game"] == game]
            earlier = [remembered(kept, side, rules) for kept in rounds]
            for kept in rounds:
                assert tuple(kept["style"][side].tolist()) == style_of(earlier[: kept["round"]])
            found = views(rounds, side, rules)
            assert (found.view["style"] == rounds["style"][found.round, side]).all()


def test_no_counter_overflows() -> None:
    view = np.zeros(1, VIEW)
    view["style"] = MOST - 1
    view["turns"] = 150
    for _ in range(3):
        note_round(view[0], 0b1111111111, False)
    assert view["style"][0, ROUNDS] == MOST
    assert view["style"].max() == MOST


def played(deck: list[int]) -> tuple[Round, Game]:
    """A game whose first round is dead: nobody takes an upcard, and everyone throws the highest card."""
    game = Game(EAAI, first_starter=0)
    table = game.deal(deck)
    while not table.over:
        actions = table.legal_actions()
        if Pass() in actions:
            table.apply(Pass())
        elif Draw() in actions:
            table.apply(Draw())
        elif isinstance(actions[0], Discard):
            table.apply(max((a for a in actions if isinstance(a, Discard)), key=lambda a: a.card))
        else:
            table.apply(actions[-1])  # play on
    game.book(table)
    game.deal(decks.deck(1, 0, 0))
    return table, game


def test_earlier_rounds_show_nothing_that_was_hidden() -> None:
    """The order in which the opponent drew two cards that it kept, and cards that nobody drew, stay hidden."""
    deck = [int(card) for card in decks.deck(9, 0, 0)]
    table, game = played(deck)
    assert table.result and table.result.knocker is None
    drawn = [deck.index(event.drawn) for event in table.log if event.seat == 1 and event.drawn >= 0]
    kept = [place for place in drawn if table.hands[1] >> deck[place] & 1]
    first, second = kept[:2]
    other = deck.copy()
    other[first], other[second] = deck[second], deck[first]
    other[-2:] = deck[-2:][::-1]
    changed, again = played(other)
    assert changed.log != table.log
    assert again.sight(0) == game.sight(0)
    assert again.sight(0).earlier
    assert Take() in game.current.legal_actions()  # type: ignore[union-attr]
