"""JSON Lines with its schema, positions, decisions and OpenSpiel's histories as formats of ``ginrummy convert``."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import pytest

from ginrummy import notation, position
from ginrummy.bridges import decisions, formats, json_lines, json_schema, positions
from ginrummy.bridges.openspiel import text as openspiel
from ginrummy.errors import BadInput, GinRummyError, ParseError
from ginrummy.notation import GameRecord, one_sided, read_all, record_of, replay
from ginrummy.rules import EAAI, OPENSPIEL, PRESETS
from playing import play_game

ROOT = Path(__file__).parent.parent
GOLDEN = sorted((Path(__file__).parent / "data/golden").glob("*.txt"))
SCHEMA = ROOT / "docs/game.schema.json"


def games() -> list[GameRecord]:
    """Golden games, one game under each preset, and what one seat knows of them."""
    found = [game for file in GOLDEN for game in read_all(file.read_text(encoding="utf-8"))]
    found += [record_of(play_game(rules, 3), ("Ann", "Bob ü"), 3, 0) for rules in PRESETS.values()]
    return found + [one_sided(game, seat) for game in found for seat in (0, 1)]


def test_json_lines_keep_everything() -> None:
    for game in games():
        assert json_lines.read(json_lines.write([game]), EAAI) == [game]
    assert json_lines.read(json_lines.write(games()), EAAI) == games()


def test_the_published_schema_is_that_of_the_reader() -> None:
    """Made from the types that the reader checks against: ``python -m ginrummy.bridges.json_schema FILE``."""
    assert SCHEMA.read_text(encoding="utf-8") == json_schema.schema_text()


def test_every_line_follows_the_schema_and_broken_ones_do_not() -> None:
    jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed")
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    for game in games():
        validator.validate(json.loads(json_lines.write([game])))
    rng = random.Random(1)
    lines = [json.loads(line) for line in json_lines.write(games()[:4]).splitlines()]
    refused = 0
    for _ in range(120):
        broken = json.loads(json.dumps(rng.choice(lines)))
        break_one(broken, rng)
        if not validator.is_valid(broken):
            refused += 1
            with pytest.raises(ParseError, match="line 1, column 1"):
                json_lines.read(json.dumps(broken), EAAI)
    assert refused > 40


def break_one(value: Any, rng: random.Random) -> None:
    """Change something deep inside a JSON value."""
    places: list[tuple[Any, Any]] = []

    def walk(inner: Any) -> None:
        pairs = (
            inner.items() if isinstance(inner, dict) else enumerate(inner) if isinstance(inner, list) else ()
        )
        for key, part in pairs:
            places.append((inner, key))
            walk(part)

    walk(value)
    holder, key = rng.choice(places)
    if isinstance(holder, dict) and rng.random() < 0.3:
        del holder[key]
    else:
        holder[key] = rng.choice([None, "ZZ", -1.5, [], {}, True, "7H"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1, column 1: expected a game, got an empty file"),
        ('{"format": ', "line 1, column 12: expected JSON"),
        ("\n[]", "line 2, column 1: game: expected an object"),
        ('{"format": "ginrummy-game", "version": 2}', "line 1, column 1: "),
        ("[" * 100_000, "line 1, column 1: expected JSON"),
    ],
)
def test_broken_json_lines_are_named_by_line(text: str, message: str) -> None:
    with pytest.raises(ParseError, match=re.escape(message)):
        json_lines.read(text, EAAI)


def test_a_card_twice_is_an_error_with_its_line(tmp_path: Path) -> None:
    lines = json_lines.write(games()[:2]).splitlines()
    broken = json.loads(lines[1])
    broken["rounds"][0]["upcard"] = next(card for card in broken["rounds"][0]["hands"][0] if card != "??")
    source, target = tmp_path / "in.jsonl", tmp_path / "out.gin"
    source.write_text("\n".join([lines[0], json.dumps(broken)]), encoding="utf-8")
    target.write_text("as it was", encoding="utf-8")
    with pytest.raises(ParseError, match=r"in\.jsonl: line 2, column 1: the card .. comes twice"):
        formats.convert(source, target, EAAI, None, "notation")
    assert target.read_text(encoding="utf-8") == "as it was"


def test_positions_hold_rounds_and_decisions_what_the_mover_knows() -> None:
    whole = [game for game in games() if not any(one.one_sided for one in game.rounds)]
    text = positions.write(whole)
    read = positions.read(text, EAAI)
    rounds = [one for game in whole for one in game.rounds]
    assert len(read) == len(rounds) == len(text.splitlines())
    for game, one in zip(read, rounds, strict=True):
        again = game.rounds[0]
        assert (again.turns, again.defence, again.ending, again.scores) == (
            one.turns,
            one.defence,
            one.ending,
            one.scores,
        )
    assert positions.write(read) == text
    lines = decisions.write(whole).splitlines()
    assert len(lines) > 10 * len(rounds)
    for line in lines[::7]:
        seen = position.read_sight(line)
        assert "??" in line and seen.hand.bit_count() in (10, 11)


def test_formats_that_hide_cards_are_refused() -> None:
    hidden = [game for game in games() if any(one.one_sided for one in game.rounds)][:1]
    for module in (positions, decisions):
        with pytest.raises(BadInput, match="knows every card"):
            module.write(hidden)
    with pytest.raises(GinRummyError, match="game 1, round 1: expected a record that knows every card"):
        openspiel.write(hidden)
    with pytest.raises(BadInput, match="decisions hide cards"):
        decisions.read("", EAAI)


def test_histories_go_there_and_back() -> None:
    played = [record_of(play_game(OPENSPIEL, seed)) for seed in range(40)]
    text = openspiel.write(played)
    read = openspiel.read(text, EAAI)
    assert openspiel.write(read) == text
    for game, before in zip(read, played, strict=True):
        ours, theirs = game.rounds[0], before.rounds[0]
        assert ours.ending and theirs.ending
        assert (ours.ending.outcome, ours.ending.points) == (theirs.ending.outcome, theirs.ending.points)
        replay(game)
    assert openspiel.read(
        f"# two rounds\n[{text.splitlines()[0]}]\n\n{text.splitlines()[1].replace(',', '')}", EAAI
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1, column 1: expected a history, got an empty file"),
        ("1, 2, x", "line 1, column 1: expected whole numbers with commas or blanks"),
        ("# a comment\n1, 1", "line 2, column 1: action 2 of the history, 1: expected a card"),
        ("1 2 3", "line 1, column 1: expected 21 dealt cards, got 3"),
    ],
)
def test_broken_histories_are_named_by_line(text: str, message: str) -> None:
    with pytest.raises(ParseError, match=re.escape(message)):
        openspiel.read(text, EAAI)


@pytest.mark.parametrize("name", ["jsonl", "openspiel", "positions"])
def test_a_file_is_recognised_by_its_first_line(name: str, tmp_path: Path) -> None:
    source, middle, target = tmp_path / "a", tmp_path / "b", tmp_path / "c"
    source.write_text(notation.write(record_of(play_game(OPENSPIEL, 5))), encoding="utf-8")
    assert formats.convert(source, middle, EAAI, None, name).target == name
    assert formats.convert(middle, target, EAAI, None, "notation").source == name


def test_every_format_is_documented() -> None:
    page = (ROOT / "docs/commands.md").read_text(encoding="utf-8")
    assert [name for name in formats.FORMATS if f"| `{name}` |" not in page] == []
