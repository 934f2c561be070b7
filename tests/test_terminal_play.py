"""A game in the terminal: scripted through a fake console and through a pipe."""

import io
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console

from ginrummy import decks, session
from ginrummy.cards import DECK, card_text, cards_of, hand_text, mask_of, parse_card, parse_hand
from ginrummy.errors import UnknownName
from ginrummy.notation import read, replay
from ginrummy.players.base import Player
from ginrummy.players.baseline import simple
from ginrummy.round import Defend, Discard, PlayOn, Take
from ginrummy.rules import EAAI, PRESETS, Rules
from ginrummy.session import Discarded, Knocked, RoundOver, Session
from ginrummy.terminal import play as terminal_play
from ginrummy.terminal.play import Shell
from test_session import Puppet

CARD = re.compile("(10|[A2-9JQK])([♣♥♠♦])")


class Screen:
    """A game whose answers come from a list or from a function, and what was printed."""

    def __init__(
        self,
        *answers: str | type[BaseException],
        seed: int = 7,
        rules: Rules = EAAI,
        width: int = 80,
        save: Path | None = None,
        opponent: Player | None = None,
    ) -> None:
        self.out = io.StringIO()
        self.answers = list(answers)
        self.prompts: list[str] = []
        self.session = Session(opponent or simple(), rules, seed)
        self.shell = Shell(self.session, Console(file=self.out, width=width), self.ask, save)

    def ask(self, prompt: str) -> str:
        self.prompts.append(prompt)
        self.out.write(prompt)
        answer = self.answers.pop(0) if self.answers else EOFError
        if not isinstance(answer, str):
            raise answer
        self.out.write(answer + "\n")
        return answer

    def run(self) -> str:
        self.shell.run()
        return self.out.getvalue()


class Robot(Screen):
    """Answers as the baseline player would, and watches that nothing hidden is printed."""

    def __init__(self, *, own_melds: bool = False, **settings: object) -> None:
        super().__init__(**settings)  # type: ignore[arg-type]
        self.puppet = Puppet(self.session, simple())
        self.own_melds = own_melds
        self.given: list[str] = []
        self.round_from = 0

    def ask(self, prompt: str) -> str:
        self.check(prompt)
        self.answers = [self.answer(prompt)]
        self.given += self.answers
        return super().ask(prompt)

    def check(self, prompt: str) -> None:
        if self.session.round_over:
            self.round_from = len(self.out.getvalue())
            return
        text = self.out.getvalue()[self.round_from :] + prompt
        printed = mask_of({parse_card(rank + suit) for rank, suit in CARD.findall(text)})
        seen = self.session.sight
        shown = 0
        last = self.session.happenings[-1]
        if isinstance(last, Knocked):
            shown = sum(last.shown.melds) | last.shown.loose
        assert printed & seen.hand
        assert not printed & seen.unseen & ~shown

    def answer(self, prompt: str) -> str:
        if prompt.startswith("Enter") and not prompt.startswith("Enter lays"):
            return ""
        if "k knock" in prompt:
            return "k"
        action = self.puppet.choose()
        if isinstance(action, Defend):
            return " | ".join(map(hand_text, action.melds)) or "none" if self.own_melds else ""
        if isinstance(action, Discard):
            return card_text(action.card).lower()
        return "t" if isinstance(action, Take) else "p" if "p pass" in prompt else "d"


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("width", [80, 50])
def test_whole_games_show_nothing_hidden(preset: str, width: int) -> None:
    for seed in range(3):
        robot = Robot(seed=seed, rules=PRESETS[preset]._replace(max_rounds=4), width=width)
        text = robot.run()
        assert robot.session.over
        assert "the game" in text or "The game is drawn" in text
        assert max(map(len, text.splitlines())) <= max(width, max(map(len, robot.prompts)) + 30)


def test_melds_against_a_knock_can_be_typed() -> None:
    robot = Robot(seed=3, own_melds=True)
    text = robot.run()
    typed = [line for line in robot.given if len(line.split()) > 2]
    assert typed
    assert robot.session.over
    assert "against the rules" not in text


def test_a_turn_with_every_typing_mistake() -> None:
    screen = Screen(
        "x", "d", "p", "p", "t", "kh", "2s", "zz", "77", "0", "k", "9c 10h", "k 9", "10h k", "9", "u", "qd", ""
    )  # fmt: skip
    text = screen.run()
    for words in (
        "Please answer t to take K♠, or p to pass.",
        "Not yet: the first upcard is taken or passed before anyone draws from the stock.",
        "There is nothing to pass now",
        "You have just taken K♥ from the pile: discard another card.",
        "2♠ is not in your hand.",
        "I cannot read 'zz' as a card",
        "Your cards are numbered from 1 to 11.",
        "to knock, say k and the card to discard",
        "Please name one card",
        "You may not knock with 50 points left (at most 10).",
        "Discard J♥, leaving 50 points",
        "You discard Q♦",
    ):
        assert words in " ".join(text.split()), words
    assert [h.card for h in screen.session.happenings if isinstance(h, Discarded) and h.mine] == [
        parse_card("QD")
    ]


def test_a_discard_can_be_taken_back_or_changed_before_it_is_sent() -> None:
    plain, changed = Screen("p", "t"), Screen("p", "t", "jh", "u", "jh", "qd", "what", "10")
    plain.run()
    text = changed.run()
    assert "Discard J♥, leaving 50 points" in text
    assert "Discard Q♦, leaving 50 points" in text
    assert changed.session.happenings == plain.session.happenings
    assert changed.session.sight == plain.session.sight


def test_commands_work_at_every_question() -> None:
    screen = Screen("?", "h", "s", "l", "p", "h", "l", "d", "H", "S", "L", "kh")
    text = " ".join(screen.run().split())
    assert "Each player holds ten cards" in text
    assert "You may: take the upcard pass" in text
    assert "You may: take the upcard draw from the stock" in text
    assert "discard one of" in text
    assert "no round is finished yet" in text
    assert (
        "Round 1: simple starts; the upcard is K♠ simple passes You pass simple draws from the stock" in text
    )


def test_known_cards_and_deadwood_are_shown() -> None:
    robot = Robot(seed=1)
    text = robot.run()
    assert re.search("simple is known to hold .*[♣♥♠♦]", text)
    assert "nothing is known of the hand of simple" in text
    assert re.search(r"least deadwood \d+", text)
    over = next(h for h in robot.session.happenings if isinstance(h, RoundOver) and h.knock)
    assert f"= {over.row.points}" in text


AMBIGUOUS = "4C 5C 6C 5H 5S 9D TD JD QD KD"
"""Ten points left, with the run of clubs or with the set of fives."""


@pytest.fixture
def ambiguous(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every deal gives the person a hand with two best meld sets, and a king to discard."""
    hand = parse_hand(AMBIGUOUS)
    other = parse_hand("AC 2H 3S 4D 6H 8S TC QH KC 2D")
    first = [*cards_of(hand), *cards_of(other), parse_card("7D"), parse_card("KH")]
    rest = cards_of(DECK & ~mask_of(first))
    deck = first + rest
    monkeypatch.setattr(session.decks, "deck", lambda *_: deck)
    monkeypatch.setattr(session.decks, "starter", lambda *_: 0)


def never() -> Player:
    """Passes, draws and throws the drawn card away."""
    player = simple()
    return Player(
        "never",
        lambda view, rows, u: u < 0,
        lambda view, rows, u: view["drawn"][rows],
        lambda view, rows, u: u < 0,
        player.spread,
    )


@pytest.mark.parametrize(
    ("answers", "melds"),
    [
        (["kh", "k"], 0),
        (["kh k", ""], 0),
        (["k kh", "k 2"], 1),
        (["kh", "k 3", "k 4c 5c", "k 5c 5h 5s | zz", "k 9d 10d jd", "k 2"], 1),
        (["kh", "", "k 9d td jd qd kd | 4c 5c 6c"], None),
        (["kh", "u", "4c", "kh", "k 1"], 0),
    ],
)
def test_knocking_with_a_choice_of_melds(ambiguous: None, answers: list[str], melds: int | None) -> None:
    screen = Screen("p", *answers, opponent=never(), rules=EAAI._replace(max_rounds=1))
    text = screen.run()
    knock = next(h for h in screen.session.happenings if isinstance(h, Knocked))
    sets = [
        set(map(parse_hand, s.split("|"))) for s in ("4C 5C 6C|9D TD JD QD KD", "5C 5H 5S|9D TD JD QD KD")
    ]
    assert knock.mine
    assert set(knock.shown.melds) in sets
    assert screen.session.over
    if melds is None:
        assert list(knock.shown.melds) == [parse_hand("9D TD JD QD KD"), parse_hand("4C 5C 6C")]
        assert "Please choose" in text
    else:
        listed = re.findall(r"^  [12]  (.*[♣♥♠♦].*)", text, re.MULTILINE)[melds]
        assert mask_of({parse_card("".join(c)) for c in CARD.findall(listed)}) == sum(knock.shown.melds)
    if "k 3" in answers:
        for words in ("Choose a number from 1 to 2", "a meld, got 4C 5C", "cannot read", "at most 10"):
            assert words in text


def test_playing_on_instead_of_knocking(ambiguous: None) -> None:
    screen = Screen("p", "kh", "p", "d", opponent=never())
    screen.run()
    assert not any(isinstance(h, Knocked) for h in screen.session.happenings)
    assert PlayOn() not in screen.session.legal_actions()
    assert [h.card for h in screen.session.happenings if isinstance(h, Discarded) and h.mine] == [
        parse_card("KH")
    ]


# Saving and leaving.


def test_a_saved_game_replays(tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    robot = Robot(seed=5, save=path)
    robot.run()
    record = read(path.read_text(encoding="utf-8"))
    assert record == robot.session.record()
    assert record.finished
    assert [result.points for result in replay(record)] == [row.points for row in robot.session.sheet]


@pytest.mark.parametrize("leave", [EOFError, KeyboardInterrupt])
def test_leaving_saves_where_asked(tmp_path: Path, leave: type[BaseException]) -> None:
    path = tmp_path / "game.txt"
    path.write_text("old", encoding="utf-8")
    text = Screen("p", "t", leave, save=path).run()
    assert "replacing what is there" in " ".join(text.split())
    assert text.endswith("Good-bye.\n")
    record = read(path.read_text(encoding="utf-8"))
    assert not record.finished
    again = Session.resume(record, simple())
    assert again.sight.drawn == parse_card("KH")
    assert Screen(leave).run().endswith("Good-bye.\n")


def test_quitting_asks_whether_to_save(tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    text = Screen(
        "q", "u", "w", f"w {path}", f"w {path}", "n", f"w {tmp_path}/no/x", "q", str(path), "y"
    ).run()
    for words in ("Please name a file", "The game is saved in", "Nothing was written", "That did not work"):
        assert words in text
    assert text.endswith("Good-bye.\n")
    read(path.read_text(encoding="utf-8"))
    screen = Screen("Q", "")
    assert "Good-bye" in screen.run()
    saved = tmp_path / "other.txt"
    Screen("q", save=saved).run()
    assert saved.exists()


def test_a_wrong_name_rule_or_file_is_refused_before_the_game(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="unknown player"):
        terminal_play.play("nobody", 1, "eaai", None)
    with pytest.raises(UnknownName, match="unknown rules"):
        terminal_play.play("simple", 1, "whist", None)
    with pytest.raises(ValueError, match="cannot write"):
        terminal_play.play("simple", 1, "eaai", tmp_path / "no" / "game.txt")
    with pytest.raises(ValueError, match="seed"):
        terminal_play.play("simple", decks.MAX_SEED + 1, "eaai", None)


def test_a_seed_is_chosen_and_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def end(_: str) -> str:
        raise EOFError

    monkeypatch.setattr("builtins.input", end)
    monkeypatch.setattr(terminal_play, "is_compiled", lambda: False)
    seeds = set()
    for _ in range(2):
        terminal_play.play("simple", None, "uk", None)
        out = capsys.readouterr().out
        assert "compiling kernels" in out
        seeds.add(int(re.findall(r"Seed (\d+)", out)[0]))
    assert len(seeds) == 2


# Through a pipe.


@pytest.fixture
def command(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[bytes]]:
    def run(words: list[str], lines: list[str], **environment: str) -> subprocess.CompletedProcess[bytes]:
        call = [sys.executable, "-m", "ginrummy", "play", *words]
        text = "".join(line + "\n" for line in lines).encode()
        env = os.environ | {"PYTHONIOENCODING": "utf-8"} | environment
        return subprocess.run(call, input=text, capture_output=True, timeout=120, env=env, cwd=tmp_path)

    return run


def test_a_whole_game_through_a_pipe(
    command: Callable[..., subprocess.CompletedProcess[bytes]], tmp_path: Path
) -> None:
    robot = Robot(seed=9)
    robot.run()
    done = command(["--seed", "9", "--save", "game.txt"], robot.given)
    out = done.stdout.decode()
    assert (done.returncode, done.stderr) == (0, b"")
    assert "\x1b" not in out
    assert out.splitlines()[-1] == "The game is saved in game.txt."
    assert read((tmp_path / "game.txt").read_text(encoding="utf-8")) == robot.session.record()


def test_an_ascii_terminal_gets_letters(command: Callable[..., subprocess.CompletedProcess[bytes]]) -> None:
    done = command(["--seed", "7"], ["p", "t", "9"], PYTHONIOENCODING="ascii")
    out = done.stdout.decode("ascii")
    assert done.returncode == 0
    assert "t take KS" in out
    assert "Discard JH, leaving 50 points" in out
    assert "?" not in out.replace("? help", "").replace("which card?", "")
    assert out.endswith("Good-bye.\n")


@pytest.mark.parametrize(
    "words", [["--against", "nobody"], ["--rules", "whist"], ["--save", "no/such/game.txt"], ["--seed", "x"]]
)
def test_a_bad_command_is_one_line(
    command: Callable[..., subprocess.CompletedProcess[bytes]], words: list[str]
) -> None:
    done = command(words, [])
    assert done.returncode == 2
    assert done.stdout == b""
    assert len(done.stderr.decode().splitlines()) == 1
