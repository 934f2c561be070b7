"""The text record: identity, golden files, faults with their place, replay, one-sided records, fuzz."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ginrummy import decks, notation
from ginrummy.cards import DECK, NO_CARD, Mask, cards_of, mask_of
from ginrummy.errors import IllegalAction, ParseError
from ginrummy.game import Game
from ginrummy.notation import (
    Ending,
    GameRecord,
    RoundRecord,
    Showing,
    Turn,
    one_sided,
    read,
    read_all,
    record_of,
    replay,
    replay_game,
    round_record,
    write,
    write_all,
)
from ginrummy.round import Draw, Pass, Round, Take
from ginrummy.rules import EAAI, OPENSPIEL, PRESETS
from playing import choose, play_game, play_round

GOLDEN = Path(__file__).parent / "data" / "golden"
SEED = st.integers(0, 2**32)


def golden_records() -> dict[str, list[GameRecord]]:
    """What the golden files hold, made anew."""
    eaai = record_of(
        play_game(EAAI, 7), ("Ann", 'Bob "the wall"'), seed=7, number=0, headers=(("Event", "golden"),)
    )
    boxes = record_of(play_game(PRESETS["us-boxes"], 3), seed=3, number=0)
    rounds = [record_of(play_game(OPENSPIEL, seed, 0.8), seed=seed, number=0) for seed in range(6)]
    return {
        "eaai": [eaai],
        "us-boxes": [boxes],
        "openspiel-rounds": rounds,
        "eaai-seen-from-seat-0": [one_sided(eaai, 0)],
    }


@pytest.mark.parametrize("name", ["eaai", "us-boxes", "openspiel-rounds", "eaai-seen-from-seat-0"])
def test_golden_files_are_what_play_gives(name: str) -> None:
    text = (GOLDEN / f"{name}.txt").read_text(encoding="utf-8")
    assert read_all(text) == golden_records()[name]
    assert write_all(read_all(text)) == text
    for record in read_all(text):
        assert len(replay(record)) == len(record.rounds)


def test_the_example_in_the_documentation_is_a_legal_record() -> None:
    assert notation.__doc__ is not None
    example_text = notation.__doc__.partition("\n")[2].partition("A file holds games")[0]
    record = read(example_text)
    assert [result.points for result in replay(record)] == [7]
    plain = "\n".join(line.partition(";")[0].strip() for line in example_text.strip().splitlines())
    assert write(record) == plain + "\n"


# --- identity --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("preset", PRESETS)
@settings(max_examples=8)
@given(seed=SEED, patience=st.sampled_from([0.0, 0.5, 1.0]))
def test_records_of_play_come_back_and_replay(preset: str, seed: int, patience: float) -> None:
    rules = PRESETS[preset]._replace(target=30)
    game = play_game(rules._replace(max_rounds=4), seed, patience)
    record = record_of(game, ("a", "b"), seed, 0)
    assert read(write(record)) == record
    results = [entry.round.result for entry in game.dealt]
    assert replay(record) == results
    assert record_of(replay_game(record), ("a", "b"), seed, 0) == record
    for seat in (0, 1):
        seen = one_sided(record, seat)
        assert read(write(seen)) == seen
        assert replay(seen) == results


@pytest.mark.parametrize("preset", ["eaai", "openspiel", "oklahoma"])
@settings(max_examples=15)
@given(seed=SEED, steps=st.integers(0, 60))
def test_a_game_saved_in_the_middle_comes_back(preset: str, seed: int, steps: int) -> None:
    rng = random.Random(seed)
    game = Game(PRESETS[preset]._replace(target=100, max_rounds=100), seed & 1)
    table = game.deal(decks.deck(seed, 0, 0))
    for _ in range(steps):
        if table.over:
            game.book(table)
            if game.over:
                break
            table = game.deal(decks.deck(seed, 0, game.rounds))
        table.apply(choose(table, rng, 0.7))
    if table.over and game.current is table:
        game.book(table)
    record = record_of(game)
    assert read(write(record)) == record
    back = replay_game(record)
    assert record_of(back) == record
    if game.current is not None and back.current is not None:
        assert write(record).endswith("result: unfinished\n\ngame: unfinished\n")
        ours = {key: value for key, value in vars(table).items() if key not in ("deck", "stock")}
        assert ours == {key: value for key, value in vars(back.current).items() if key in ours}
    for seat in (0, 1):
        seen = one_sided(record, seat)
        assert read(write(seen)) == seen
        replay(seen)


CARDS = st.integers(0, 51)
MASKS = st.lists(CARDS, min_size=1, max_size=5, unique=True).map(mask_of)
PRINTABLE = st.text(st.characters(exclude_categories=("C", "Z")) | st.sampled_from(' ";\\[]'), max_size=12)
PAIRS = st.tuples(st.integers(0, 999), st.integers(0, 999))
NAMES = st.from_regex(r"X[A-Za-z0-9_]{0,8}", fullmatch=True)
HEADERS = st.lists(st.tuples(NAMES, PRINTABLE), max_size=3).map(tuple)


@st.composite
def showings(draw: st.DrawFn, layoffs_on: int = 0) -> Showing:
    """A hand laid open, which need not be possible."""
    cards = draw(st.lists(CARDS, max_size=11, unique=True))
    cuts = sorted(draw(st.lists(st.integers(0, len(cards)), max_size=4)))
    pieces = [cards[a:b] for a, b in zip([0, *cuts], [*cuts, len(cards)], strict=True)]
    laid = tuple((card, draw(st.integers(0, layoffs_on - 1))) for card in pieces[0]) if layoffs_on else ()
    melds = tuple(mask_of(piece) for piece in pieces[2:] if piece)
    return Showing(melds, mask_of(pieces[1] if len(pieces) > 1 else []), laid)


@st.composite
def turns(draw: st.DrawFn) -> Turn:
    kind = draw(st.sampled_from(["passes", "reaches", "takes", "draws"]))
    seat, card = draw(st.integers(0, 1)), draw(CARDS)
    if kind == "passes":
        return Turn(seat, "passes")
    if kind == "reaches":
        return Turn(seat, "reaches", card)
    discard = draw(st.integers(NO_CARD, 51))
    drawn = draw(st.sampled_from([card, NO_CARD])) if kind == "draws" else card
    return Turn(seat, kind, drawn, discard, None, discard != NO_CARD and draw(st.booleans()))  # type: ignore[arg-type]


@st.composite
def round_records(draw: st.DrawFn, finished: bool = True) -> RoundRecord:
    """A record of good form whose play need not follow the rules."""
    deck = draw(st.permutations(range(52)))
    hidden = draw(st.sets(st.integers(21, 51)))
    sizes = draw(st.tuples(st.integers(0, 10), st.integers(0, 10)))
    hands = mask_of(deck[: sizes[0]]), mask_of(deck[10 : 10 + sizes[1]])
    stock = tuple(NO_CARD if k in hidden else deck[k] for k in range(21, 52))
    played = draw(st.lists(turns(), max_size=5))
    defence = None
    if draw(st.booleans()):
        knock = draw(showings())
        played.append(Turn(draw(st.integers(0, 1)), "draws", draw(CARDS), draw(CARDS), knock))
        if draw(st.booleans()):
            defence = draw(showings(len(knock.melds)))
    ending = None
    if finished:
        outcome = draw(st.integers(0, 5))
        winner = draw(st.sampled_from([None, 0, 1]))
        points = draw(st.integers(0, 200)) if winner is not None else 0
        ending = Ending(outcome, winner, points, draw(PAIRS), outcome == 0 and draw(st.booleans()))
    won = draw(st.tuples(st.integers(0, 9), st.integers(0, 9)))
    number = sum(won) + draw(st.integers(1, 5))
    return RoundRecord(
        number, draw(st.integers(0, 1)), draw(PAIRS), won, hands, deck[20], stock, tuple(played), defence,
        ending, draw(HEADERS),
    )  # fmt: skip


@st.composite
def game_records(draw: st.DrawFn) -> GameRecord:
    rules = draw(st.sampled_from(list(PRESETS.values())))._replace(target=draw(st.integers(1, 500)))
    rounds = draw(st.lists(round_records(), max_size=2))
    finished = bool(rounds) and draw(st.booleans())
    if not finished and draw(st.booleans()):
        rounds.append(draw(round_records(finished=False)))
    winner, totals = (draw(st.sampled_from([None, 0, 1])), draw(PAIRS)) if finished else (None, (0, 0))
    seed, number = draw(st.tuples(*[st.none() | st.integers(0, 2**63)] * 2))
    players = draw(PRINTABLE), draw(PRINTABLE)
    return GameRecord(rules, players, seed, number, tuple(rounds), finished, winner, totals, draw(HEADERS))


def outcome_of(record: GameRecord) -> str:
    """Replay a record that may well be nonsense: only the two named errors may come."""
    try:
        return str(replay(record))
    except (IllegalAction, ParseError) as error:
        return type(error).__name__


@settings(max_examples=150)
@given(record=game_records())
def test_any_record_comes_back(record: GameRecord) -> None:
    text = write(record)
    assert read(text) == record
    assert write(read(text)) == text
    outcome_of(record)


@settings(max_examples=20)
@given(records=st.lists(game_records(), max_size=3))
def test_several_games_in_one_file(records: list[GameRecord]) -> None:
    assert read_all(write_all(records)) == records


# --- reading ---------------------------------------------------------------------------------------------

BASE = (GOLDEN / "eaai.txt").read_text(encoding="utf-8") if (GOLDEN / "eaai.txt").exists() else ""


def test_comments_blanks_and_loose_spelling_are_read() -> None:
    text = "; a game\n\n" + BASE.replace("\n0 ", "\n  0   ").replace("\n1 ", "\n\t1 ")
    assert read(text.replace("\n", "\r\n")) == read(BASE)
    noted = "\n".join(line + " ; well, [noted]" for line in text.split("\n"))
    assert read(noted) == read(text) == read(BASE)
    assert read(BASE.replace("TD", "10♦").replace("AH", "ah")) == read(BASE)


def test_unknown_headers_are_kept_in_order() -> None:
    more = [("Site", 'a "b" \\ ; c'), ("Date", ""), ("Site", "again")]
    lines = "".join(
        f'[{name} "' + value.replace("\\", "\\\\").replace('"', '\\"') + '"]\n' for name, value in more
    )
    text = BASE.replace('[Seat0 "Ann"]\n', lines + '[Seat0 "Ann"]\n').replace("[Upcard", lines + "[Upcard", 1)
    record = read(text)
    assert record.headers == (*more, ("Event", "golden"))
    assert record.rounds[0].headers == tuple(more)
    assert read(write(record)) == record


SMALL = """[Rules "eaai"]

[Round "1"]
[Starter "0"]
[Score "0-0"]
[Won "0-0"]
[Hand0 "3C 8C 9C QH 2S 8S 3D 8D 9D KD"]
[Hand1 "2C 4C JC 3H 8H JH 3S JS 2D JD"]
[Upcard "6H"]
[Stock "AC 9H UNKNOWN"]

0 passes
1 takes 6H, discards 4C
0 draws AC, discards KD
1 draws 9H, discards 9H
0 takes 9H, discards QH, knocks with 8C 8S 8D | 9C 9H 9D, left with AC 3C 2S 3D
1 melds JC JH JS JD, lays off 8H on 8C 8S 8D, left with 2C 3H 6H 3S 2D
result: knock, 0 scores 7, score 7-0

game: unfinished
""".replace("UNKNOWN", " ".join(["??"] * 29))


@pytest.mark.parametrize(
    ("old", "new", "line", "column", "message"),
    [
        ('"eaai"', '"eaaj"', 1, 9, "unknown rules 'eaaj'"),
        ('"eaai"', '"eaai:wall=99"', 1, 9, "rule wall must be from 0 to 30"),
        ('[Rules "eaai"]', '[Rules "eaai]', 1, 1, "expected a header such as"),
        ('[Rules "eaai"]', '[Rules "eaai"]\n[Rules "uk"]', 2, 2, "each header once"),
        ('[Rules "eaai"]', '[Rules "eaai"]\n[Upcard "6H"]', 2, 2, "each header once in its place"),
        ('[Rules "eaai"]', "", 3, 2, "with [Rules] among them"),
        ('[Starter "0"]', '[Starter "0"]\n[Seed "1"]', 5, 2, "each header once in its place"),
        ('[Starter "0"]', '[Starter "2"]', 4, 11, "expected seat 0 or 1, got '2'"),
        ('[Starter "0"]\n', "", 3, 2, "with [Starter] among them"),
        ('[Score "0-0"]', '[Score "0:0"]', 5, 9, "two numbers such as 12-0"),
        ('[Won "0-0"]', '[Won "1-0"]', 3, 2, "round 1 cannot begin"),
        ('[Round "1"]', '[Round "one"]', 3, 9, "expected a whole number, got 'one'"),
        ("3C 8C 9C", "3C 8X 9C", 7, 12, "expected a card such as 6H, got '8X'"),
        ("3C 8C 9C", "3C 3C 9C", 7, 12, "each card once"),
        ("3C 8C 9C", "3C 9C", 7, 9, "10 cards in [Hand0]"),
        ("3H 8H JH", "3H 8C JH", 8, 21, "each card once"),
        ('[Upcard "6H"]', '[Upcard "??"]', 9, 10, "expected a card such as 6H, got '??'"),
        ("0 passes", "2 passes", 12, 1, "expected seat 0 or 1, got '2'"),
        ("0 passes", "0 folds", 12, 3, "expected 'passes' or 'takes'"),
        ("0 passes", "0 passes now", 12, 10, "expected the end of the line, got 'now'"),
        ("takes 6H,", "takes ??,", 13, 9, "expected a card"),
        ("takes 6H, discards 4C", "takes 6H, discards", 13, 21, "expected a card such as 6H, got nothing"),
        ("discards KD", "keeps KD", 14, 11, "expected the end of the line, got ','"),
        ("8C 8S 8D |", "8C 8C 8D |", 16, 41, "each card once"),
        ("left with AC", "left with 8C", 16, 1, "got 8C twice"),
        ("1 melds", "0 melds", 17, 1, "expected seat 1 to meld"),
        ("on 8C 8S 8D", "on 8C 8S", 17, 37, "expected a meld of the knocker"),
        ("result: knock", "result: win", 18, 9, "'unfinished' or one of dead, knock"),
        ("result: knock, 0 scores 7,", "result: knock,", 18, 16, ""),
        ("score 7-0", "score 7", 18, 34, "two numbers"),
        ("result: knock, 0 scores 7, score 7-0\n", "", 19, 1, "expected 'result', got 'game'"),
        ("game: unfinished", "", 21, 1, "expected [Round] or the line 'game"),
        ("game: unfinished", "game: over", 20, 7, "expected '0' or '1', got 'over'"),
        ("game: unfinished", "game: unfinished\n0 passes", 21, 1, "the end after one game"),
        ("0 passes", "0 pas\x00ses", 12, 6, "printable text"),
    ],
)  # fmt: skip
def test_faults_name_their_place(old: str, new: str, line: int, column: int, message: str) -> None:
    text = SMALL.replace(old, new, 1)
    if not message:
        assert read(text).rounds[0].ending == Ending(1, None, 0, (7, 0))
        return
    with pytest.raises(ParseError) as caught:
        read(text)
    assert message in caught.value.message
    assert (caught.value.line, caught.value.column) == (line, column)


def test_an_empty_text_is_no_game() -> None:
    assert read_all(" \n; nothing\n") == []
    with pytest.raises(ParseError, match="line 1"):
        read("")


@pytest.mark.parametrize(
    "make",
    [
        lambda: Turn(2, "passes"),
        lambda: Turn(0, "passes", 3),
        lambda: Turn(0, "takes"),
        lambda: Turn(0, "draws", 3, 52),
        lambda: Turn(0, "reaches", 3, 4),
        lambda: Turn(0, "draws", 3, played_on=True),
        lambda: Turn(0, "draws", 3, 4, Showing((), Mask(0), ((1, 0),))),
        lambda: Showing((Mask(7), Mask(7)), Mask(0)),
        lambda: Showing((Mask(0),), Mask(0)),
        lambda: Ending(9, None, 0, (0, 0)),
        lambda: Ending(1, None, 5, (0, 0)),
        lambda: Ending(1, 0, 5, (0, 0), True),
        lambda: GameRecord(EAAI, headers=(("Rules", "x"),)),
        lambda: GameRecord(EAAI, headers=(("a b", "x"),)),
        lambda: GameRecord(EAAI, headers=(("A", "x\ny"),)),
        lambda: GameRecord(EAAI, players=("\n", "")),
        lambda: GameRecord(EAAI, seed=-1),
        lambda: GameRecord(EAAI, finished=True),
        lambda: GameRecord(EAAI, winner=0),
        lambda: GameRecord(EAAI, rounds=(unfinished(), unfinished())),
        lambda: replace(unfinished(), stock=()),
        lambda: replace(unfinished(), upcard=0, hands=(Mask(1), Mask(0))),
        lambda: replace(unfinished(), upcard=NO_CARD),
        lambda: replace(unfinished(), defence=Showing((), Mask(0))),
        lambda: replace(unfinished(), number=0),
    ],
)
def test_records_of_bad_form_cannot_be_made(make) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError):
        make()


def unfinished() -> RoundRecord:
    return round_record(Round.deal(decks.deck(1, 0, 0), 0, EAAI))


# --- replay ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("0 passes\n", "", "line 1 of play: expected seat 0, got seat 1"),
        ("1 takes 6H", "1 takes 7H", "line 2 of play: expected the upcard 6H, got 7H"),
        ("1 takes 6H", "1 draws ??", "expected to take the upcard or pass"),
        ("discards 4C", "discards 6H", "expected a discard from .* got 6H"),
        ("discards 4C", "discards 4D", "expected a discard from .* got 4D"),
        ("0 draws AC", "0 draws AD", "expected the next card of the stock, got AD"),
        ("discards KD", "discards KD, plays on", "got play on"),
        ("1 draws 9H, discards 9H", "1 reaches for KD", "expected a player who takes the upcard"),
        ("8C 8S 8D | 9C 9H 9D, left", "8C 8S 8D, left", "at most 10 points left"),
        (", left with AC 3C 2S 3D", ", left with AC", "expected the cards left AC 3C 2S 3D, got AC"),
        (", lays off 8H on 8C 8S 8D", "", "expected the layoffs 8H on meld 1, got none"),
        (", left with 2C 3H", ", left with 2C", "expected the cards left 2C 3H 6H 3S 2D"),
        ("1 melds JC JH JS JD", "1 melds JC JH JS", "expected the cards left"),
        ("1 melds JC JH JS JD", "1 melds JC JH JD 9H", "expected a meld, got"),
        ("result: knock", "result: gin", "expected the result knock, 7 for seat 0, .* got gin"),
        ("0 scores 7", "0 scores 8", "got knock, 8 for seat 0"),
        ("0 scores 7", "1 scores 7", "got knock, 7 for seat 1"),
        ("score 7-0", "score 8-0", r"score \(8, 0\)"),
        ("result: knock, 0 scores 7, score 7-0", "result: unfinished", "got 'unfinished'"),
        ("1 melds", "; 1 melds", "expected the result 'unfinished'"),
        ("game: unfinished", "game: 0 wins, totals 7-0", "at the end of the game"),
        ('"eaai"', '"eaai:target=7"', "at the end of the game"),
        ('[Score "0-0"]', '[Score "100-0"]', "the game ended 100-0"),
        ('[Starter "0"]', '[Starter "1"]', "expected seat 1, got seat 0"),
    ],
)  # fmt: skip
def test_replay_refuses_what_does_not_follow(old: str, new: str, message: str) -> None:
    assert replay(read(SMALL))[0].points == 7
    assert old in SMALL
    with pytest.raises(IllegalAction, match=message):
        replay(read(SMALL.replace(old, new, 1)))


def test_rounds_must_follow_each_other() -> None:
    record = read(BASE)
    assert len(replay(replace(record, rounds=record.rounds[1:]))) == len(record.rounds) - 1
    with pytest.raises(IllegalAction, match=r"expected \(round, starter, scores"):
        replay(replace(record, rounds=record.rounds[:1] + record.rounds[2:]))
    with pytest.raises(IllegalAction, match="end of the game"):
        replay(replace(record, rounds=record.rounds[:1]))


def test_not_knocking_need_not_be_written() -> None:
    text = write(record_of(play_game(EAAI, 11, patience=0.9)))
    assert ", plays on" in text
    assert replay(read(text.replace(", plays on", ""))) == replay(read(text))


def test_the_last_allowed_take_is_written_as_such() -> None:
    table = Round.deal(decks.deck(1, 0, 0), 0, EAAI._replace(max_takes=1))
    for action in (Pass(), Pass(), Draw()):
        table.apply(action)
    table.apply(table.legal_actions()[-1])
    table.apply(Take())
    record = GameRecord(table.rules, rounds=(round_record(table),))
    assert f"{table.mover} reaches for " in write(record)
    assert replay(read(write(record))) == [table.result]
    with pytest.raises(IllegalAction, match="expected a player who reaches for"):
        replay(read(write(record).replace("reaches for", "takes")))


# --- one-sided records -----------------------------------------------------------------------------------


def test_one_sided_records_hide_what_the_seat_did_not_see() -> None:
    record = read(BASE)
    seen = one_sided(record, 1)
    for ours, full in zip(seen.rounds, record.rounds, strict=True):
        assert ours.one_sided and not full.one_sided
        assert ours.hands == (0, full.hands[1])
        own = [turn.card for turn in full.turns if turn.kind == "draws" and turn.seat == 1]
        assert [card for card in ours.stock if card != NO_CARD] == own
        assert all(turn.card == NO_CARD for turn in ours.turns if turn.kind == "draws" and turn.seat == 0)


@pytest.mark.parametrize("seat", [0, 1])
def test_one_sided_records_are_checked_where_they_can_be(seat: int) -> None:
    text = write(one_sided(read(SMALL), seat))
    assert replay(read(text))[0].points == 7
    for old, new in [
        ("discards 4C", "discards 8S" if seat else "discards KD"),  # the other seat is shown to hold it
        ("0 scores 7", "0 scores 6"),
        ("discards 9H", "discards JC"),  # shown by the same hand later
        ("takes 6H", "takes 5H"),
        (", left with 2C 3H 6H 3S 2D", ", left with 2C 3H 6H 3S"),
    ]:
        assert old in text
        with pytest.raises(IllegalAction):
            replay(read(text.replace(old, new, 1)))


def test_hidden_hands_that_could_knock_at_the_wall() -> None:
    """A pass at the wall tells that the hidden hand could have knocked: cards that fit are found."""
    rules = OPENSPIEL._replace(max_takes=0, throwbacks_end=False)
    passed = dead = 0
    for seed in range(40):
        table = Round.deal(decks.deck(seed, 0, 0), 0, rules)
        play_round(table, random.Random(seed), patience=1.0)
        record = GameRecord(rules, rounds=(round_record(table),), finished=True)
        if table.result is None or table.result.knocker is not None:
            continue
        passed += record.rounds[0].turns[-1].kind == "passes"
        dead += 1
        for seat in (0, 1):
            assert replay(one_sided(record, seat)) == [table.result]
    assert passed >= 2 and dead >= 10


# --- fuzz ------------------------------------------------------------------------------------------------


def survive(text: str) -> None:
    """Read and replay: only the two named errors may come."""
    try:
        record = read(text)
    except ParseError as error:
        assert error.line >= 1 and error.column >= 1
        return
    assert read(write(record)) == record
    outcome_of(record)


@settings(max_examples=200)
@given(text=st.binary(max_size=200).map(lambda data: data.decode("latin-1")) | st.text(max_size=100))
@example("[")
@example('[Rules "eaai"]')
@example("\ufeff")
def test_noise_is_refused(text: str) -> None:
    survive(text)


WORDS = [
    "0", "1", "passes", "takes", "draws", "reaches", "for", "discards", "knocks", "with", "melds",
    "lays", "off", "on", "left", "plays", "nothing", "result", "game", "unfinished", "??", ",", "|", ":",
    ";", "AC", "2C", "3C", "8H", "9H", "KD", "0-0", "7-0", "99999999999-0", "dead", "gin", "tie",
    "knock", "wins", "drawn", "totals",
]  # fmt: skip


@settings(max_examples=300)
@given(
    source=st.sampled_from([SMALL, *BASE.split("\n\n[Round")[:1]]),
    seed=SEED,
    edits=st.integers(1, 4),
    rules=st.sampled_from([*PRESETS, "eaai:max_takes=1", "eaai:max_turns=2", "openspiel:wall=29"]),
)
def test_mutated_records_raise_the_named_errors_only(source: str, seed: int, edits: int, rules: str) -> None:
    rng = random.Random(seed)
    text = SMALL.replace('"eaai"', f'"{rules}"') if source is SMALL else BASE
    for _ in range(edits):
        place = rng.randrange(len(text))
        words = text.split(" ")
        lines = text.split("\n")
        match rng.randrange(6):
            case 0:
                text = text[:place] + text[place + 1 :]
            case 1:
                text = text[:place] + chr(rng.choice([*range(32, 127), 0, 0x2028, 0x663])) + text[place:]
            case 2 | 3:
                words[rng.randrange(len(words))] = rng.choice(WORDS)
                text = " ".join(words)
            case 4:
                line = lines.pop(rng.randrange(len(lines)))
                lines.insert(rng.randrange(len(lines) + 1), line)
                text = "\n".join(lines)
            case 5:
                lines.insert(rng.randrange(len(lines)), rng.choice(lines))
                text = "\n".join(lines)
    survive(text)


@settings(max_examples=100)
@given(seed=SEED)
def test_a_card_swapped_in_the_play_never_passes_unseen(seed: int) -> None:
    rng = random.Random(seed)
    record = read(SMALL)
    turns_ = list(record.rounds[0].turns)
    place = rng.randrange(1, len(turns_))
    other = rng.choice([card for card in cards_of(DECK) if card != turns_[place].discard])
    turns_[place] = replace(turns_[place], discard=other)
    changed = replace(record, rounds=(replace(record.rounds[0], turns=tuple(turns_)),))
    with pytest.raises(IllegalAction):
        replay(changed)


def test_the_stock_tells_draws_that_are_not_written() -> None:
    text = SMALL.replace("0 draws AC", "0 draws ??")
    assert replay(read(text)) == replay(read(SMALL))
    assert not read(text).rounds[0].one_sided
    told = SMALL.replace('"AC 9H', '"?? ??')
    assert replay(read(told)) == replay(read(SMALL))
