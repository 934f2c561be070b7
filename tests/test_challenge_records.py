"""The challenge's log read into our records and written again: the same bytes, and no broken line accepted."""

import gzip
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import challenge_log as oracle
from ginrummy import decks
from ginrummy.bridges import challenge_log, formats
from ginrummy.errors import BadInput, ParseError, UnknownName
from ginrummy.game import Game
from ginrummy.melds import best_discards, best_meld_sets
from ginrummy.notation import one_sided, read_all, record_of, replay, write_all
from ginrummy.round import Defend, Discard, Draw, Knock, Pass, Phase, PlayOn, Take
from ginrummy.rules import EAAI, Rules, parse_rules


def log_text(file: str) -> str:
    return gzip.decompress((oracle.DATA / file).read_bytes()).decode()


@pytest.fixture(scope="module")
def one_game() -> list[str]:
    """The shortest logged game with a layoff and a dead round or a gin, line by line."""
    games = log_text("depauw-tonic.txt.gz").split("# game ")[1:]
    chosen = min((game for game in games if "lays off" in game and "goes gin" in game), key=len)
    return ("# game " + chosen).splitlines()


@pytest.mark.parametrize("file", oracle.FILES)
def test_every_logged_game_is_read_and_written_with_the_same_bytes(file: str) -> None:
    text = log_text(file)
    games = challenge_log.read(text, EAAI)
    assert challenge_log.write(games) == text
    assert challenge_log.write(read_all(write_all(games))) == text
    for game, logged in zip(games, oracle.read(oracle.DATA / file), strict=True):
        assert (game.players, game.game, game.winner) == (logged.names, logged.number, logged.winner)
        assert [result.points for result in replay(game)] == [deal.points for deal in logged.rounds]


def test_a_log_without_heads_or_with_other_orders_of_cards_is_read_too(one_game: list[str]) -> None:
    bare = [line.replace("[JC, JH, JS]", "[JS, JC, JH]") for line in one_game[1:]]
    (game,) = challenge_log.read("\n\n".join(bare), EAAI)
    assert game.players == ("?", "?") and game.game is None
    assert challenge_log.write([game]).splitlines()[1:] == one_game[1:]


def test_a_line_missing_doubled_or_changed_is_an_error_with_its_number(one_game: list[str]) -> None:
    changed = 0
    for k, line in enumerate(one_game):
        if k:  # without its head a game is read too
            with pytest.raises(ParseError) as found:
                challenge_log.read("\n".join([*one_game[:k], *one_game[k + 1 :]]), EAAI)
            assert 1 <= found.value.line <= len(one_game) + 1
        with pytest.raises(ParseError):
            challenge_log.read("\n".join([*one_game[: k + 1], *one_game[k:]]), EAAI)
        other = line.replace("0", "1") if "0" in line else line.replace("1", "0")
        if k and other != line:
            with pytest.raises(ParseError):
                challenge_log.read("\n".join([*one_game[:k], other, *one_game[k + 1 :]]), EAAI)
            changed += 1
    assert changed > 50


def test_the_error_is_at_the_line(one_game: list[str]) -> None:
    place = next(k for k, line in enumerate(one_game) if " has [" in line)
    broken = [*one_game[:place], one_game[place].replace(" with ", " with 1"), *one_game[place + 1 :]]
    with pytest.raises(ParseError, match=rf"line {place + 1}, column 1: expected 'Player . has"):
        challenge_log.read("\n".join(broken), EAAI)
    with pytest.raises(ParseError, match=r"line 3, .*expected a line of a round|line 3, .*expected"):
        challenge_log.read("\n".join([*one_game[:2], "Player 0 sings.", *one_game[2:]]), EAAI)


def test_a_log_that_stops_is_an_unfinished_game_or_an_error(one_game: list[str]) -> None:
    read = 0
    for k in range(5, len(one_game)):
        try:
            (game,) = challenge_log.read("\n".join(one_game[:k]), EAAI)
        except ParseError as error:
            assert error.line
            continue
        assert not game.finished
        assert challenge_log.write([game]).splitlines() == one_game[:k]
        read += 1
    assert read > 10


def test_a_forfeit_is_kept(one_game: list[str]) -> None:
    place = next(k for k, line in enumerate(one_game) if " discards " in line)
    line = one_game[place].replace(".", " illegally and forfeits.")
    text = "\n".join([*one_game[:place], line, *one_game]) + "\n"
    first, second = challenge_log.read(text, EAAI)
    assert not first.finished and second.finished
    assert dict(first.headers)["Forfeit"] == line
    assert challenge_log.write(read_all(write_all([first, second]))) == text


def played(rules: Rules, game: int = 0, rounds: int = 99) -> Game:
    """A game between two who take the least deadwood, and knock at once."""
    table = Game(rules, decks.starter(1, game))
    while not table.over and table.rounds < rounds:
        deal = table.deal(decks.deck(1, game, table.rounds))
        while not deal.over:
            deal.apply(chosen(deal))
        table.book(deal)
    return table


def chosen(deal):
    hand, legal = deal.hands[deal.mover], deal.legal_actions()
    if deal.phase is Phase.DISCARD:
        return min((a for a in legal), key=lambda a: best_discards(hand)[1] >> a.card & 1 == 0)
    if deal.phase in (Phase.KNOCK, Phase.DEFEND):
        melds = (best_meld_sets(hand) or [()])[0]
        return Knock(melds) if deal.phase is Phase.KNOCK else Defend(melds)
    return legal[-1]


@pytest.mark.parametrize("name", ["eaai", "uk", "straight", "oklahoma:big_gin_bonus=0", "eaai:target=30"])
def test_our_own_games_go_there_and_back(name: str) -> None:
    rules = parse_rules(name)
    records = [record_of(played(rules, game), ("a b", "simple"), number=game) for game in range(3)]
    text = challenge_log.write(records)
    again = challenge_log.read(text, rules)
    assert challenge_log.write(again) == text
    for ours, theirs in zip(records, again, strict=True):
        assert theirs.players == ("a_b", "simple")
        assert [one.ending for one in theirs.rounds] == [one.ending for one in ours.rounds]
        assert [(one.hands, one.turns, one.defence) for one in theirs.rounds] == [
            (one.hands, one.turns, one.defence) for one in ours.rounds
        ]


def test_what_the_log_cannot_say_is_refused() -> None:
    record = record_of(played(EAAI))
    with pytest.raises(BadInput, match="not all its cards are known"):
        challenge_log.write([one_sided(record, 0)])
    drawn = record_of(played(EAAI._replace(max_rounds=1, wall=30)))
    assert drawn.finished and drawn.winner is None
    with pytest.raises(BadInput, match="it is drawn"):
        challenge_log.write([drawn])
    wrong = replace(
        record, rounds=(replace(record.rounds[0], headers=(("Dealt0", "AC"),)), *record.rounds[1:])
    )
    with pytest.raises(BadInput, match=r"round 1 cannot be written.*Dealt0"):
        challenge_log.write([wrong])


def test_every_kind_of_move_is_written() -> None:
    text = challenge_log.write([record_of(played(EAAI, game)) for game in range(10)])
    for word in (
        "declines",
        "draws",
        "discards",
        "goes gin",
        "lays off",
        "undercuts",
        "difference of",
        "wins",
    ):
        assert word in text
    assert {type(a) for game in range(3) for d in played(EAAI, game).dealt for _, a in d.round.actions} >= {
        Pass, Draw, Discard, Knock, Defend,
    }  # fmt: skip
    assert PlayOn and Take


def test_the_command_converts_both_ways_and_leaves_nothing_half_written(tmp_path: Path) -> None:
    source = oracle.DATA / "depauw-tonic.txt.gz"

    def convert(*words: object):
        call = [sys.executable, "-m", "ginrummy", "convert", *map(str, words)]
        return subprocess.run(call, capture_output=True, text=True)

    games, log = tmp_path / "games.gin", tmp_path / "games.log"
    done = convert(source, games)
    assert done.returncode == 0 and "40 games, 217 rounds: read as challenge" in done.stdout, done.stderr
    done = convert(games, log, "--to", "challenge", "--json")
    assert json.loads(done.stdout) == {
        "source": "notation",
        "target": "challenge",
        "games": 40,
        "rounds": 217,
    }
    assert log.read_text() == log_text("depauw-tonic.txt.gz")
    lines = log.read_text().splitlines()
    log.write_text("\n".join([*lines[:99], *lines[100:]]))
    before = games.read_bytes()
    done = convert(log, games)
    assert done.returncode == 2 and "games.log: line " in done.stderr and len(done.stderr.splitlines()) == 1
    assert games.read_bytes() == before and sorted(p.name for p in tmp_path.iterdir()) == [
        "games.gin",
        "games.log",
    ]


def test_formats_that_are_not_known_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_text("hello")
    with pytest.raises(BadInput, match="in no format"):
        formats.convert(file, tmp_path / "b", EAAI, None, "challenge")
    with pytest.raises(UnknownName, match="choose one of notation, challenge"):
        formats.convert(file, tmp_path / "b", EAAI, None, "morse")
    file.write_bytes(b"\x1f\x8b broken")
    with pytest.raises(BadInput, match="cannot read"):
        formats.convert(file, tmp_path / "b", EAAI, None, "challenge")
    for text in ("", "\n"):
        with pytest.raises(ParseError, match="empty file"):
            challenge_log.read(text, EAAI)
    assert not (tmp_path / "b").exists()
