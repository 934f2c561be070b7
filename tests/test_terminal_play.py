"""A game in the terminal: scripted through a fake console and through a pipe."""

import io
import os
import re
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console

from ginrummy import decks, session
from ginrummy.cards import DECK, card_text, cards_of, hand_text, mask_of, parse_card, parse_hand
from ginrummy.errors import BadInput, UnknownName
from ginrummy.notation import read, read_all, replay
from ginrummy.players.base import Player
from ginrummy.players.baseline import simple
from ginrummy.round import Defend, Discard, PlayOn, Take
from ginrummy.rules import EAAI, PRESETS, Rules
from ginrummy.session import Discarded, Knocked, RoundOver, Session
from ginrummy.terminal import play as terminal_play
from ginrummy.terminal import saving
from ginrummy.terminal.play import Order, Shell
from ginrummy.view import BoolArray, FloatArray, IntArray, View
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
        if prompt.startswith("Another game"):
            return "n"
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
        "Not yet: the first upcard must be taken or passed before anyone draws.",
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
    screen = Screen("?", "h", "s", "l", "v", "p", "h", "l", "d", "H", "S", "L", "V", "kh")
    text = " ".join(screen.run().split())
    assert "Each player holds ten cards" in text
    assert "You may: take the upcard pass" in text
    assert "You may: take the upcard draw from the stock" in text
    assert "discard one of" in text
    assert "no round is finished yet" in text
    assert "The pile, 1 from the top: K♠" in text
    assert "The pile, 2 from the top: K♥ K♠" in text
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


@pytest.mark.parametrize("leave", [EOFError, KeyboardInterrupt])
def test_leaving_asks_for_a_file_where_none_was_named(tmp_path: Path, leave: type[BaseException]) -> None:
    path = tmp_path / "game.txt"
    screen = Screen("p", "t", leave, f"{tmp_path}/no/x", str(path))
    text = screen.run()
    assert "there is no such directory" in " ".join(text.split())
    assert text.endswith("Good-bye.\n")
    assert read(path.read_text(encoding="utf-8")) == screen.session.record()
    screen = Screen("p", "t", f"w {path}", "y", leave)
    assert screen.run().endswith("Good-bye.\n")
    assert not any("Save the game" in prompt for prompt in screen.prompts)  # it is saved already


def test_quitting_asks_whether_to_save(tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    text = Screen(
        "q", "u", "w", f"w {path}", f"w {path}", "n", f"w {tmp_path}/no/x", "p", "q", str(path), "y"
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


def test_quitting_right_after_saving_asks_nothing(tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    screen = Screen("p", f"w {path}", "v", "q")
    assert screen.run().endswith("Good-bye.\n")
    assert not any("Save the game" in prompt for prompt in screen.prompts)
    screen = Screen("p", f"w {path}", "y", "t", "w", "q")  # w alone writes to the same file again
    screen.run()
    assert not any("Save the game" in prompt for prompt in screen.prompts)
    assert read(path.read_text(encoding="utf-8")) == screen.session.record()


ODD_ANSWERS = [
    "9" * 5000, "k " + "9" * 5000, "-1", "0", "٣٣", "²", "\x00", "\x1b[2J", "\x7f", "\ud800", "🂡", "k", "k k",
    "| | |", "none", "k none", "9c 9c", "t t", "x" * 100_000, " ", "\t", "w", "w ~nosuchuser/x.txt", "w a\x00b",
    "w .", "w /", "w /dev/full", "w /dev/null", "w " + "x" * 5000, "w \ud800/x", "w no/such/file", "w ~", "?", "h",
    "v", "s", "l", "u", "n", "no",
]  # fmt: skip
"""What a cat may type: nothing here is a move that ends the game, and nothing may lose it."""


@pytest.mark.parametrize("width", [80, 20])
def test_nothing_that_is_typed_loses_a_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "game.txt"

    class Cat(Robot):
        """Types every odd answer at each kind of question before it answers as the baseline."""

        odd: list[str] = []
        teased: set[str] = set()

        def answer(self, prompt: str) -> str:
            kind = re.sub("(10|[A2-9JQK])[♣♥♠♦]", "card", prompt)
            if "replace it?" in prompt or "Save the game" in prompt or "Another game" in prompt:
                return "n"
            if kind not in self.teased:
                self.teased.add(kind)
                self.odd = [
                    word for word in ODD_ANSWERS if not (word.strip() in ("", "none") and "Enter" in prompt)
                ]
            if self.odd:
                return self.odd.pop(0)
            return super().answer(prompt)

        def check(self, prompt: str) -> None:
            pass

    robot = Cat(seed=3, save=path, width=width, rules=EAAI._replace(max_rounds=3))
    robot.run()
    assert len(robot.teased) >= 4
    assert robot.session.over
    assert read(path.read_text(encoding="utf-8")) == robot.session.record()
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["game.txt"]


def test_a_full_disk_keeps_what_was_saved_and_asks_for_another_file(tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    Screen("p", "q", save=path).run()
    before = path.read_bytes()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    screen = Screen("p", "t", "q", "", save=path)
    resource.setrlimit(resource.RLIMIT_FSIZE, (64, hard))
    try:
        text = screen.run()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert "That did not work: [Errno 27]" in text
    assert any("Save the game elsewhere?" in prompt for prompt in screen.prompts)
    assert path.read_bytes() == before
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["game.txt"]


def test_a_file_name_that_is_too_long_is_not_repeated_whole() -> None:
    text = Screen("w " + "x" * 5000, "q", "").run()
    _, _, said = text.partition("That did not work: [Errno 36]")  # behind what was typed
    assert 0 < said.count("x") < 300


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    target, link = tmp_path / "game.txt", tmp_path / "link.txt"
    link.symlink_to(target)
    Screen("p", "q", save=link).run()
    assert link.is_symlink()
    assert not read(target.read_text(encoding="utf-8")).finished


def broken() -> Player:
    """An opponent that fails at its second draw."""
    player = simple()

    def draw(view: View, rows: IntArray, u: FloatArray) -> BoolArray:
        if view["own_turns"][rows].max():
            raise ZeroDivisionError("my own fault")
        return player.draw(view, rows, u)

    return Player("broken", draw, player.discard, player.knock, player.spread)


def test_a_fault_of_the_opponent_does_not_lose_the_game(tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    for answers, save in ((["p", "d", "1", ""], path), (["p", "d", "1", "", str(path), "y"], None)):
        with pytest.raises(ZeroDivisionError):
            Screen(*answers, opponent=broken(), save=save).run()
        assert len(read(path.read_text(encoding="utf-8")).rounds[0].turns) >= 3


# Going on.


def test_a_saved_game_goes_on(tmp_path: Path) -> None:
    """The same answers give the same game, whether or not it was saved and loaded on the way."""
    path = tmp_path / "game.txt"
    whole = Robot(seed=5)
    whole.run()
    for stop in (1, 7, len(whole.given) // 2, len(whole.given) - 2):
        Screen(*whole.given[:stop], seed=5, save=path).run()
        before, session = saving.load(path)
        assert before == []
        assert session.opponent.name == "simple"
        rest = Screen(*whole.given[stop:], save=path)
        rest.shell = Shell(session, Console(file=rest.out, width=80), rest.ask, path)
        rest.run()
        if session.over:  # what was typed last may have been half an answer: a card that was not yet sent
            assert session.record() == whole.session.record()
            assert read(path.read_text(encoding="utf-8")) == whole.session.record()


def test_another_game_is_dealt_and_kept_in_the_same_file(tmp_path: Path) -> None:
    path = tmp_path / "game.txt"

    class Keen(Robot):
        games = 0

        def answer(self, prompt: str) -> str:
            if prompt.startswith("Another game"):
                self.games += 1
                self.puppet = Puppet(self.shell.session, simple())
                return ("what", "y", "no")[self.games - 1]
            self.session = self.shell.session
            self.puppet.session = self.session
            return super().answer(prompt)

        def check(self, prompt: str) -> None:
            pass

    rules = EAAI._replace(max_rounds=2)
    robot = Keen(seed=5, save=path, rules=rules)
    first = robot.session
    text = robot.run()
    second = robot.shell.session
    assert "Please answer y to play another game" in text
    assert text.endswith("Good-bye.\n")
    assert (first.seed, second.seed, second.over) == (5, 6, True)
    assert read_all(path.read_text(encoding="utf-8")) == [first.record(), second.record()]
    Screen("p", "q", save=tmp_path / "one.txt", seed=7).run()
    both = path.read_text(encoding="utf-8") + "\n" + (tmp_path / "one.txt").read_text(encoding="utf-8")
    path.write_text(both, encoding="utf-8")
    before, session = saving.load(path)
    assert before == [first.record(), second.record()]
    assert session.seed == 7


def test_only_a_game_of_this_program_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    Screen("p", "q", save=path).run()
    text = path.read_text(encoding="utf-8")
    for changed, why in (
        ("", "there is no game in it"),
        ("nonsense", "line 1, column 1: expected"),
        (text.replace("person", "Ann"), "expected one seat named 'person' and an opponent, got Ann, simple"),
        (text.replace("simple", "nobody"), "unknown player 'nobody'"),
        (text.replace('[Seed "7"]', '[Seed "8"]'), "expected the deal of seed 8"),
        (text.replace('[Seed "7"]', '[Seed "99999999999999999999"]'), "a number in it is too large"),
        (text.replace('[Seed "7"]\n', ""), "expected a record with a seed"),
    ):
        path.write_text(changed, encoding="utf-8")
        with pytest.raises(BadInput, match=f"cannot continue the game in .*{re.escape(why)}"):
            saving.load(path)
    path.write_text(text.replace("simple", "nobody"), encoding="utf-8")
    assert saving.load(path, "random")[1].opponent.name == "random"


def test_a_wrong_name_rule_or_file_is_refused_before_the_game(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="unknown player"):
        terminal_play.play(Order("nobody"))
    with pytest.raises(UnknownName, match="unknown rules"):
        terminal_play.play(Order(rules="whist"))
    with pytest.raises(BadInput, match=r"cannot write .*: there is no such directory"):
        terminal_play.play(Order(save=tmp_path / "no" / "game.txt"))
    with pytest.raises(BadInput, match="cannot write /dev/null: it is not a plain file"):
        terminal_play.play(Order(save=Path("/dev/null")))
    with pytest.raises(ValueError, match="seed"):
        terminal_play.play(Order(seed=decks.MAX_SEED + 1))
    with pytest.raises(BadInput, match="leave out --seed and --rules"):
        terminal_play.play(Order(load=tmp_path / "game.txt", seed=3))


def test_a_seed_is_chosen_and_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def end(_: str) -> str:
        raise EOFError

    monkeypatch.setattr("builtins.input", end)
    monkeypatch.setattr(terminal_play, "is_compiled", lambda: False)
    seeds = set()
    for _ in range(2):
        terminal_play.play(Order(rules="uk"))
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
    assert out.splitlines()[-3:] == [
        "The game is saved in game.txt.",
        "Another game? y/n · r review of this one > n",
        "Good-bye.",
    ]
    assert read((tmp_path / "game.txt").read_text(encoding="utf-8")) == robot.session.record()


def test_an_ascii_terminal_gets_letters(command: Callable[..., subprocess.CompletedProcess[bytes]]) -> None:
    done = command(["--seed", "7"], ["p", "t", "9"], PYTHONIOENCODING="ascii")
    out = done.stdout.decode("ascii")
    assert done.returncode == 0
    assert "t take KS" in out
    assert "Discard JH, leaving 50 points" in out
    assert "?" not in out.replace("? help", "").replace("which card?", "").replace("game first?", "")
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


def test_closed_standard_input_is_one_line(tmp_path: Path) -> None:
    call = [sys.executable, "-m", "ginrummy", "play"]
    done = subprocess.run(
        call, capture_output=True, timeout=120, cwd=tmp_path, preexec_fn=lambda: os.close(0)
    )
    assert done.returncode == 2
    assert done.stdout == b""
    assert done.stderr.decode().splitlines() == [
        "ginrummy: play needs standard input and standard output; one of them is closed"
    ]


def test_bytes_that_are_no_text_are_typing_mistakes(tmp_path: Path) -> None:
    call = [sys.executable, "-m", "ginrummy", "play", "--seed", "7", "--save", "game.txt"]
    env = os.environ | {"PYTHONUTF8": "1"}
    typed = b"\xff\xfe\np\nt\nw \xff\xfe\n" + b"9" * 5000 + b"\nw ~nosuchuser/x.txt\n"
    done = subprocess.run(call, input=typed, capture_output=True, timeout=120, env=env, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"Please answer t to take" in done.stdout
    assert not read((tmp_path / "game.txt").read_text(encoding="utf-8")).finished
