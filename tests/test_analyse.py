"""Reviews for people: the command, the page it writes, and the coach in the terminal game."""

import io
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple

import pytest
from rich.console import Console

from ginrummy.bridges.formats import FORMATS, convert, read_games
from ginrummy.cli import main
from ginrummy.coach import Budget, Coach, Review, moments, review
from ginrummy.coach.html import page
from ginrummy.coach.walk import tables
from ginrummy.notation import GameRecord, one_sided, read, replay_game, write
from ginrummy.players.baseline import simple
from ginrummy.round import Phase
from ginrummy.rules import EAAI
from ginrummy.session import Session
from ginrummy.terminal.play import Shell
from ginrummy.terminal.review import advice_lines, counted, review_lines
from ginrummy.typed import write as plain_values

ROOT = Path(__file__).parent.parent
GAME = ROOT / "examples/game.txt"
SMALL = Budget(look=240, duel=400, luck=40, curve=20)


@pytest.fixture(scope="module")
def record() -> GameRecord:
    return read(GAME.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def reviewed(record: GameRecord) -> Review:
    return review(record, 0, SMALL)


@pytest.fixture(scope="module")
def short(record: GameRecord, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The first round of the game as a file."""
    path = tmp_path_factory.mktemp("games") / "short.txt"
    path.write_text(write(GameRecord(record.rules, record.players, rounds=record.rounds[:1])))
    return path


class Done(NamedTuple):
    """What a command did."""

    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def analyse(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    """The command, without a process of its own: starting one takes longer than most of these tests."""

    def run(*words: str) -> Done:
        monkeypatch.setattr(sys, "argv", ["ginrummy", "analyse", *words])
        with pytest.raises(SystemExit) as ended:
            main()
        return Done(int(ended.value.code or 0), *capsys.readouterr())

    return run


# Moments.


def test_moments_show_every_card_once_and_no_guess(record: GameRecord) -> None:
    game = replay_game(record)
    shown = moments(record)
    expected = sum(
        table.phase not in (Phase.KNOCK, Phase.DEFEND) for entry in game.dealt for _, table in tables(entry)
    )
    assert len(shown) == expected
    for moment in shown:
        cards = [card for seat in moment.cards for group in (*seat.melds, seat.loose) for card in group]
        for seat in (0, 1):
            hand = [card for group in (*moment.cards[seat].melds, moment.cards[seat].loose) for card in group]
            assert set(moment.taken[seat]) <= set(hand)
        assert len({*cards, *moment.pile}) == len(cards) + len(moment.pile) == 52 - moment.stock
    half = moments(one_sided(record, 0))
    hidden = [moment for moment in half if moment.mover >= 0]
    assert all(moment.cards[1].deadwood is None for moment in hidden)
    assert any(moment.cards[1].unknown == 10 for moment in hidden)
    assert not any(re.search(r"hand-strength draws \w\w$", moment.text) for moment in half)
    assert half[-1].scores == shown[-1].scores == game.scores


# The page.


class Parts(HTMLParser):
    """The tags of a page, and where they point."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.script = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [value or "" for name, value in attrs if name in ("src", "href", "srcset", "action")]
        self.script = dict(attrs).get("id") or "" if tag == "script" else self.script


def test_the_page_loads_nothing_and_holds_its_data(record: GameRecord, reviewed: Review) -> None:
    text = page(reviewed, moments(record))
    parts = Parts()
    parts.feed(text)
    assert parts.links == [] and "link" not in parts.tags and "img" not in parts.tags
    for loads in ("http://", "https://", "@import", "url(", "fetch(", "XMLHttpRequest", "import("):
        assert loads not in text
    assert parts.tags.count("svg") == 1 and parts.tags.count("script") == 2
    data = json.loads(re.search(r'id="data">(.*?)</script>', text, re.DOTALL).group(1))
    assert len(data["steps"]) == len(reviewed.curve) and len(data["judged"]) == len(reviewed.judged)
    assert len(data["quiz"]) == len(reviewed.quiz)
    assert text == page(reviewed, moments(record))


def test_names_cannot_break_out_of_the_page(record: GameRecord) -> None:
    evil = '</script><script>alert("x")</script>'
    named = replace(record, players=(evil, "a & b <i>"), rounds=record.rounds[:1], finished=False,
                    winner=None, totals=(0, 0))  # fmt: skip
    text = page(review(named, 0, SMALL), moments(named))
    assert "alert(" in text and "<script>alert" not in text and "</script><script>a" not in text
    assert "<i>" not in text.replace('make("i"', "")


@pytest.mark.parametrize("seat", [0, 1])
def test_the_page_of_a_one_sided_record_says_what_is_missing(record: GameRecord, seat: int) -> None:
    half = one_sided(GameRecord(record.rules, record.players, rounds=record.rounds[:1]), seat)
    found = review(half, seat, SMALL)
    text = page(found, moments(half))
    assert "does not know all cards" in text and 'class="open"' not in text


@pytest.mark.skipif(shutil.which("chromium") is None, reason="no chromium here")
@pytest.mark.parametrize("width", [1200, 390])
def test_the_page_works_in_a_browser(
    record: GameRecord, reviewed: Review, tmp_path: Path, width: int
) -> None:
    """The script runs to its end: hands are drawn, the quiz is asked, nothing is wider than the screen."""
    file = tmp_path / "review.html"
    probe = (
        "<script>document.title = [document.querySelectorAll('#own .card').length, "
        "document.querySelectorAll('#question .answers button').length > 1, "
        "document.documentElement.scrollWidth <= innerWidth].join(' ')</script>"
    )
    file.write_text(page(reviewed, moments(record)).replace("</body>", probe + "</body>"), encoding="utf-8")
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    call = ["chromium", *flags, f"--window-size={width},1000", "--dump-dom", file.as_uri()]
    done = subprocess.run(call, capture_output=True, text=True, timeout=120)
    title = re.search("<title>(.*?)</title>", done.stdout).group(1)
    assert re.fullmatch("1[01] true true", title), title


# The command.


def test_the_command_reviews_and_writes_a_page(
    analyse: Callable[..., Done], short: Path, tmp_path: Path
) -> None:
    html = tmp_path / "review.html"
    done = analyse(str(short), "--budget", "quick", "--html", str(html))
    assert done.returncode == 0, done.stderr
    assert "simple against hand-strength" in done.stdout and "Luck: the cards gave" in done.stdout
    assert html.read_text(encoding="utf-8").startswith("<!DOCTYPE html>") and str(html) in done.stdout


def test_json_is_one_object_and_the_same_again(analyse: Callable[..., Done], short: Path) -> None:
    words = [str(short), "--budget", "quick", "--seat", "1", "--json"]
    first, second = analyse(*words), analyse(*words)
    assert first.returncode == 0 and first.stdout == second.stdout
    found = json.loads(first.stdout)
    assert found["seat"] == 1 and found["format"] == "notation" and found["games"] == 1
    assert set(found) >= {"sides", "judged", "curve", "luck", "quiz", "rules", "players"}


@pytest.mark.parametrize("name", [name for name in FORMATS if name != "decisions"])
def test_every_format_can_be_reviewed(short: Path, tmp_path: Path, name: str) -> None:
    file = tmp_path / "game"
    convert(short, file, EAAI, None, name)
    found, games = read_games(file, EAAI)
    ours = read(short.read_text())
    assert found == name and len(games) == 1
    seat = games[0].rounds[0].hands.index(ours.rounds[0].hands[0])  # OpenSpiel's starter is its seat 0
    judged = review(games[0], seat, SMALL).judged
    assert [one.played for one in judged] == [one.played for one in review(ours, 0, SMALL).judged]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nowhere.txt"], "cannot read nowhere.txt"),
        ([str(ROOT / "README.md")], "no format that is known"),
        ([str(GAME), "--game", "2"], "there is no game 2"),
        ([str(GAME), "--budget", "endless"], "unknown budget 'endless'"),
        ([str(GAME), "--seat", "2"], "--seat"),
        ([str(GAME), "--html", "/nowhere/at/all.html"], "/nowhere/at/all.html"),
        ([str(GAME), "--from", "chess"], "unknown format 'chess'"),
        ([str(GAME), "--rules", "chess"], "unknown rules 'chess'"),
    ],
)
def test_bad_input_is_one_line_and_code_2(analyse: Callable[..., Done], words: list[str], said: str) -> None:
    done = analyse(*words)
    assert done.returncode == 2 and done.stdout == ""
    assert said in done.stderr and len(done.stderr.strip().splitlines()) == 1


def test_a_record_without_the_own_cards_is_refused(
    analyse: Callable[..., Done], record: GameRecord, tmp_path: Path
) -> None:
    file = tmp_path / "half.txt"
    file.write_text(write(one_sided(record, 1)))
    done = analyse(str(file))
    assert done.returncode == 2 and "does not know all cards of seat 0" in done.stderr


# The terminal.


def test_review_lines_name_every_mark(reviewed: Review) -> None:
    out = io.StringIO()
    Console(file=out, width=120).print(*review_lines(reviewed), sep="\n")
    text = out.getvalue()
    assert f"{reviewed.own.mattered} decisions that mattered" in text and "Winning chance:" in text
    for one in reviewed.marked:
        assert one.mark in text
    assert counted(1, "blunder") == "1 blunder" and counted(2, "mistake") == "2 mistakes"
    assert counted(3, "doubtful") == "3 doubtful"


class Script:
    """A terminal game with typed answers."""

    def __init__(self, *answers: str, coach: Coach | None) -> None:
        self.out, self.answers, self.prompts = io.StringIO(), list(answers), []
        self.session = Session(simple(), EAAI._replace(max_rounds=1), 7)
        self.shell = Shell(self.session, Console(file=self.out, width=100), self.ask, coach=coach)

    def ask(self, prompt: str) -> str:
        self.prompts.append(prompt)
        if not self.answers:
            raise EOFError
        return self.answers.pop(0)


def test_h_shows_the_best_moves_with_their_worth() -> None:
    script = Script("h", coach=Coach())
    script.shell.run()
    text = script.out.getvalue()
    found = Coach().advice(script.session.sight, script.session.rules)
    assert "You may:" in text and "The coach says:" in text
    assert f"{100 * found.best.win.value:.1f} ± {100 * found.best.win.error:.1f} %" in text
    assert plain_values(found)["question"] == "draw" and advice_lines(found)


def test_a_game_ends_with_its_review_on_request(monkeypatch: pytest.MonkeyPatch) -> None:
    from ginrummy.terminal import play

    def quick(record: GameRecord, seat: int, budget: str, on_progress: object) -> Review:
        assert budget == "quick"
        return review(record, seat, SMALL)

    monkeypatch.setattr(play, "review", quick)
    script = Script(coach=Coach())
    while not script.session.over:  # a game played elsewhere; the shell only asks what comes next
        script.session._move_opponent()
        script.session._go_on()
    script.answers = ["r", "maybe", "n"]
    script.shell.run()
    text = script.out.getvalue()
    assert "error rate" in text and "Please answer y" in text and text.endswith("Good-bye.\n")
    assert script.prompts == ["Another game? y/n · r review of this one > "] * 3


def test_a_review_that_is_broken_off_loses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    from ginrummy.terminal import play

    def stopped(*arguments: object, **named: object) -> Review:
        raise KeyboardInterrupt

    monkeypatch.setattr(play, "review", stopped)
    script = Script(coach=Coach())
    while not script.session.over:
        script.session._move_opponent()
        script.session._go_on()
    script.answers = ["r", "n"]
    script.shell.run()
    assert "The review was skipped." in script.out.getvalue() and script.answers == []
