"""A round as one line of text, and rounds and games taken back step by step."""

from __future__ import annotations

import contextlib
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ginrummy import decks, position
from ginrummy.errors import GinRummyError, IllegalAction, ParseError
from ginrummy.game import Game
from ginrummy.round import Discard, Draw, Pass, Round, Take
from ginrummy.rules import EAAI, PRESETS, Rules
from playing import choose, play_game

PRESET = pytest.mark.parametrize("preset", PRESETS)
SEED = st.integers(0, 2**32)
SHORT = EAAI._replace(target=30, max_rounds=3)


def deal(seed: int, rules: Rules) -> Round:
    return Round.deal(decks.deck(seed, 0, 0), seed & 1, rules)


def check_lines(table: Round) -> None:
    """Both lines of a round give back what was written."""
    scores, won = (12, 30), (1, 2)
    line = position.write(table, 4, scores, won)
    if max(scores) >= table.rules.target or table.rules.max_rounds <= 4:
        scores, won, line = (0, 0), (0, 0), position.write(table)
    assert "\n" not in line and line.isascii()
    game = position.read(line)
    again = game.dealt[-1]
    assert again.round == table and again.round.deck[20:] == table.deck[20:]
    assert (again.scores, again.won) == (scores, won)
    assert position.write(again.round, again.number, again.scores, again.won) == line
    if table.over:
        return
    me = table.mover
    seen = table.sight(me, scores[me], scores[1 - me], again.number)
    assert position.read_sight(line) == seen
    hidden = position.write_for_mover(table, again.number, scores, won)
    assert position.read_sight(hidden) == seen


# --- one line of text --------------------------------------------------------------------------------------


@PRESET
@settings(max_examples=3, deadline=None)
@given(seed=SEED, patience=st.sampled_from([0.0, 0.5, 1.0]))
def test_every_moment_of_a_round_comes_back_from_its_line(preset: str, seed: int, patience: float) -> None:
    rng = random.Random(seed)
    table = deal(seed, PRESETS[preset])
    check_lines(table)
    while not table.over:
        table.apply(choose(table, rng, patience))
        check_lines(table)


@pytest.mark.parametrize("rules", ["straight", "eaai"])
def test_the_line_of_the_mover_does_not_depend_on_hidden_cards(rules: str) -> None:
    table = deal(5, PRESETS[rules])
    rng = random.Random(5)
    for _ in range(9):
        table.apply(choose(table, rng, 1.0))
    me = table.mover
    place = 10 * (1 - me)
    open_cards = {table.upcard, *table.pile} | {
        c for c in range(52) if (table.hands[me] | table.known[1 - me]) >> c & 1
    }
    deck = list(table.deck)
    dealt = next(
        k
        for k in range(place, place + 10)
        if deck[k] not in open_cards and table.hands[1 - me] >> deck[k] & 1
    )
    for other in range(30, 52):  # change a card that the mover cannot see for one deep in the stock
        if deck[other] in table.stock[5:]:
            deck[dealt], deck[other] = deck[other], deck[dealt]
            break
    twin = Round.deal(deck, table.starter, table.rules)
    for _, action in table.actions:
        twin.apply(action)
    assert twin.hands[1 - me] != table.hands[1 - me]
    assert twin.mover_position() == table.mover_position()
    assert twin.position() != table.position()


def test_lines_are_as_documented() -> None:
    order = "3C 8C 9C QH 2S 8S 3D 8D 9D KD 2C 4C JC 3H 8H JH 3S JS 2D JD 6H AC 9H"
    from ginrummy.cards import cards_of, mask_of, parse_card

    first = [parse_card(word) for word in order.split()]
    table = Round.deal([*first, *cards_of((1 << 52) - 1 & ~mask_of(first))], 0, EAAI)
    head = "eaai 1 0-0 0-0 0"
    assert table.mover_position() == f"{head} 3C8C9CQH2S8S3D8D9DKD {'??' * 10} 31 6H"
    for action in (Pass(), Take(), Discard(parse_card("4C")), Draw(), Discard(parse_card("KD"))):
        table.apply(action)
    assert table.mover_position() == f"{head} {'??' * 10} 2CJC3H6H8HJH3SJS2DJD 30 6H p t6H-4C d??-KD"
    assert table.position().startswith(f"{head} AC3C8C9CQH2S8S3D8D9D 2CJC3H6H8HJH3SJS2DJD 9H5C6C")
    assert table.position().endswith(" 6H p t6H-4C dAC-KD")
    assert f"    {table.mover_position()}\n" in position.__doc__
    for action in (Draw(), Discard(parse_card("9H"))):
        table.apply(action)
    assert table.mover_position() == f"{head} AC3C8C9CQH2S8S3D8D9D 6H{'??' * 9} 29 6H p t6H-4C dAC-KD d??-9H"


def test_the_line_of_a_game_carries_its_score() -> None:
    game = Game(EAAI, 1, scores=(50, 95), won=(2, 3), rounds=6)
    table = game.deal(decks.deck(1, 0, 0))
    assert game.position().startswith("eaai 7 50-95 2-3 1 ")
    assert game.mover_position().startswith("eaai 7 50-95 2-3 1 ")
    assert Game.from_position(game.position()) == game
    rng = random.Random(2)
    while not table.over:
        table.apply(choose(table, rng))
    line = game.position()
    game.book(table)
    assert Game.from_position(line) == game and game.position() == line
    with pytest.raises(IllegalAction, match="game without any"):
        Game(EAAI, 0).position()


FAULTS = {
    "": "column 1: expected rules, got the end",
    "bridge": "unknown rules 'bridge'",
    "eaai x": "column 6: expected the number of the round, got 'x'",
    "eaai 0 0-0 0-0 0 {a} {b} {s} 6H": "expected round 1 or later",
    "eaai 1 0-0 1-0 0 {a} {b} {s} 6H": "at most 0 rounds won",
    "eaai 1 00 0-0 0 {a} {b} {s} 6H": "column 8: expected the score",
    "eaai 1 0-0 0-0 2 {a} {b} {s} 6H": "expected round 1 or later and seat 0 or 1",
    "eaai 1 0-0 0-0 0 {a} 1X {s} 6H": "column 39: expected a card such as TD or 7C, got '1X'",
    "eaai 1 0-0 0-0 0 {a} {a} {s} 6H": "expected 52 different cards",
    "eaai 1 0-0 0-0 0 {a} {b}": "expected the stock",
    "eaai 1 0-0 0-0 0 {a} {b} 30 6H": "expected 52 different cards, got 51",
    "eaai 1 0-0 0-0 0 {a} {b} 31 6H x": "expected a turn such as p, t6H-4C or dAC-KD, got 'x'",
    "eaai 1 0-0 0-0 0 {a} {b} 31 6H t": "expected a turn",
    "eaai 1 0-0 0-0 0 {a} {b} 31 6H p-4C": "nothing can follow",
    "eaai 1 0-0 0-0 0 {a} {b} 31 6H t7H": "expected the upcard 6H, got 7H",
    "eaai 1 0-0 0-0 0 {a}TC {b} 31 6H": "expected ten cards dealt to seat 0",
    "eaai 1 0-0 0-0 0 {a} {b} 31 6H p p p": "got pass",
    "eaai 1 0-0 0-0 0 {a} {b} 31 6H m- p": "after the defence",
    "eaai 1 0-0 0-0 0 {a} {b} 31 6H m-": "expected to take the upcard or pass",
    "eaai 1 0-0 0-0 0 {a}{a} {b} 31 6H": "different cards",
    "eaai 1 100-0 0-0 0 {a} {b} 31 6H": "expected no more rounds",
    "eaai 1 0-0 0-0 0 {u} {u} 31 6H": "unknown cards of both seats",
    "eaai 1 0-0 0-0 0 {u} {b} 31 6H": "a position in which seat 1 is to move",
    "eaai 1 0-0 0-0 0 {a} 6H{n} 31 6H": "expected - known of 10 cards of seat 1 and 31 cards in the stock",
    "eaai 1 0-0 0-0 0 {a} {u} 30 6H": "expected - known of 10 cards of seat 1 and 31 cards in the stock",
}  # fmt: skip


@pytest.mark.parametrize("line", FAULTS)
def test_a_line_that_makes_no_sense_is_refused(line: str) -> None:
    words = {
        "a": "3C8C9CQH2S8S3D8D9DKD", "b": "2C4CJC3H8HJH3SJS2DJD", "s": "31", "u": "??" * 10, "n": "??" * 9,
    }  # fmt: skip
    with pytest.raises(GinRummyError) as error:
        position.read_sight(line.format(**words))
    assert FAULTS[line] in str(error.value)


@settings(max_examples=60, deadline=None)
@given(seed=SEED, data=st.data())
def test_damaged_lines_are_read_or_refused_and_nothing_else(seed: int, data: st.DataObject) -> None:
    rng = random.Random(seed)
    table = deal(seed % 50, SHORT)
    for _ in range(data.draw(st.integers(0, 12))):
        if not table.over:
            table.apply(choose(table, rng))
    line = table.position() if table.over or seed % 2 else table.mover_position()
    place = data.draw(st.integers(0, len(line) - 1))
    damaged = (
        line[:place]
        + data.draw(st.sampled_from(["", " ", "?", "A", "C", "-", "=", "|", "+", "9", "m"]))
        + line[place + 1 :]
    )
    for read in (position.read, position.read_sight):
        with contextlib.suppress(GinRummyError):
            read(damaged)


def test_only_a_full_line_gives_a_round_and_only_a_round_under_way_a_mover() -> None:
    table = deal(1, EAAI)
    with pytest.raises(ParseError, match="read_sight reads what the mover knows"):
        Round.from_position(table.mover_position())
    assert Round.from_position(table.position()) == table
    rng = random.Random(1)
    while not table.over:
        table.apply(choose(table, rng))
    with pytest.raises(IllegalAction, match="got a finished one"):
        table.mover_position()


# --- undo and copy -----------------------------------------------------------------------------------------


@PRESET
@settings(max_examples=4, deadline=None)
@given(seed=SEED)
def test_a_round_taken_back_is_the_round_as_it_was(preset: str, seed: int) -> None:
    rng = random.Random(seed)
    table = deal(seed, PRESETS[preset])
    while not table.over:
        table.apply(choose(table, rng))
    actions = [action for _, action in table.actions]
    while actions:
        assert table.undo() == actions.pop()
        fresh = deal(seed, PRESETS[preset])
        for action in actions:
            fresh.apply(action)
        assert vars(table) == vars(fresh)
    with pytest.raises(IllegalAction, match="fresh deal"):
        table.undo()


@settings(max_examples=5, deadline=None)
@given(seed=SEED)
def test_a_game_taken_back_is_the_game_as_it_was(seed: int) -> None:
    rng = random.Random(seed)
    game = Game(SHORT, seed & 1)
    before = []
    while not game.over:
        before.append(game.copy())
        if game.current is None:
            game.deal(decks.deck(seed, 0, game.rounds))
        elif game.current.over:
            game.book(game.current)
        else:
            game.current.apply(choose(game.current, rng))
    for old in reversed(before):
        game.undo()
        assert vars(game) == vars(old)
        assert game.current is None or game.current is game.dealt[-1].round
    with pytest.raises(IllegalAction, match="step to take back"):
        game.undo()


def test_copies_are_played_on_separately() -> None:
    table = deal(3, EAAI)
    rng = random.Random(3)
    for _ in range(8):
        twin = table.copy()
        assert twin == table and vars(twin) == vars(table)
        table.apply(choose(table, rng))
        assert twin != table
        twin.apply(table.actions[-1][1])
        assert twin == table
    game = Game(EAAI, 0)
    game.deal(table.deck)
    other = game.copy()
    assert other == game and other.current is other.dealt[0].round and other.current is not game.current
    assert game.current is not None
    game.current.apply(Pass())
    assert other != game and table != 3 and game != 3


def test_rounds_and_games_say_how_they_stand() -> None:
    table = Round.deal(decks.deck(1, 0, 0), 1, EAAI)
    assert repr(table).startswith("<Round eaai, turn 0, seat 1 to take the upcard or pass; 0: ")
    assert repr(table).endswith("; 31 in the stock>")
    table.apply(Take())
    assert "seat 1 to discard" in repr(table) and "upcard taken" in repr(table)
    game = play_game(SHORT, 4)
    ended = game.dealt[-1].round
    assert ended.result is not None
    assert "over: " in repr(ended) and f"scores {ended.result.points};" in repr(ended)
    assert "over: " in repr(game) and f"{game.scores[0]}-{game.scores[1]} after {game.rounds} rounds" in repr(
        game
    )
    assert repr(Game(EAAI, 1)) == "<Game eaai, 0-0 after 0 rounds, seat 1 starts the next one>"
