"""Players from outside: honest ones play as before, cheats gain nothing, broken ones are named and shown."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from ginrummy import decks, sim, tournament
from ginrummy.errors import PlayerError, UnknownName
from ginrummy.moments import in_order
from ginrummy.players.base import Player
from ginrummy.players.baseline import random, simple
from ginrummy.players.registry import make_player
from ginrummy.rules import EAAI
from ginrummy.session import Session
from ginrummy.tables import Records

GAMES = 24

WRAPPER = """
from dataclasses import replace
from ginrummy.players.baseline import simple

def meddle(view, rows, u):
    pass

def after(decide):
    def ask(view, rows, u):
        answers = decide(view, rows, u)
        meddle(view, rows, u)
        return answers
    return ask

def make():
    player = simple()
    changed = {name: after(getattr(player, name)) for name in ("draw", "discard", "knock", "spread")}
    return replace(player, name="mine", **changed)
"""
"""The baseline in a file of one's own, with room for a misdeed."""


def write(directory: Path, text: str, name: str = "mine.py") -> str:
    (directory / name).write_text(text, encoding="utf-8")
    return f"py:{directory / name}@make"


def meddling(directory: Path, body: str) -> Player:
    """The baseline that does something more after every answer."""
    assert "    pass\n" in WRAPPER
    return make_player(write(directory, WRAPPER.replace("    pass\n", body)))


def games(first: Player, second: Player, **options: object) -> sim.Run:
    return sim.play(first, second, range(GAMES), EAAI, 4, **options)  # type: ignore[arg-type]


def plain(rounds: Records) -> Records:
    """Rounds in order of their games, without what is left in a log behind its last event."""
    kept = in_order(rounds).copy()
    for row in kept:
        row["log"][:, row["events"] :] = 0
    return kept


# Honest players.


@pytest.mark.parametrize("batch", [1, 5, 1024])
def test_an_honest_player_plays_the_games_it_always_played(tmp_path: Path, batch: int) -> None:
    mine = make_player(write(tmp_path, WRAPPER))
    ours, theirs = games(simple(), random(), record=True), games(mine, random(), batch=batch, record=True)
    assert (theirs.games == ours.games).all()
    assert (plain(theirs.rounds) == plain(ours.rounds)).all()
    assert min(theirs.seconds) > 0
    odd = sim.play(random(), mine, range(7, 12), EAAI, 4, batch=batch).games
    assert (odd == sim.play(random(), simple(), range(7, 12), EAAI, 4).games).all()


def test_play_rounds_and_one_game_and_self_play_agree_too(tmp_path: Path) -> None:
    mine = make_player(write(tmp_path, WRAPPER))
    assert (games(mine, mine).games == games(simple(), simple()).games).all()
    assert (sim.play(mine, mine, range(3, 4), EAAI, 4).games == games(simple(), simple()).games[3:4]).all()
    dealt = in_order(games(simple(), simple(), record=True).rounds)[:9]
    runs = [sim.play_rounds(p, p, dealt["deck"], dealt["starter"], EAAI) for p in (mine, simple())]
    assert (runs[0].games == runs[1].games).all()


def test_the_compiled_loop_never_plays_a_player_from_outside(tmp_path: Path) -> None:
    assert simple().compiled
    mine = make_player(write(tmp_path, WRAPPER))
    assert mine.compiled is None and mine.fresh is not None and mine.name == "mine"
    compiled = tournament.play(simple(), simple(), range(GAMES), EAAI, 4)
    assert (tournament.play(mine, simple(), range(GAMES), EAAI, 4).games == compiled.games).all()


# Cheats.

SPY = """
import json
import helpers
from ginrummy.players.base import Player
from ginrummy.players.baseline import simple

HERE = []
NOTES = {notes!r}
base = simple()

def draw(view, rows, u):
    # Of all hands that were ever seen, those that fit the hidden one: same upcard, no card in common.
    seen = [(int(view["hand"][k]), int(view["top"][k])) for k in range(len(view))]
    HERE.extend(seen)
    helpers.HERE.extend(seen)
    with open(NOTES, "a") as file:
        for row in rows:
            if view["turns"][row] == 0:
                hand, top = int(view["hand"][row]), int(view["top"][row])
                known = [other for other, up in HERE + helpers.HERE if up == top and other & hand == 0]
                file.write(json.dumps([hand, known]) + "\\n")
    return base.draw(view, rows, u)

def make():
    return Player("spy", draw, base.discard, base.knock, base.spread)
"""


@pytest.mark.parametrize("against_itself", [False, True])
@pytest.mark.parametrize("way", ["file", "module"])
def test_the_other_game_of_a_pair_is_never_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str, against_itself: bool
) -> None:
    """The spy looks for the hidden hand in its batch, in its module and in a module beside it."""
    notes = tmp_path / "notes"
    (tmp_path / "helpers.py").write_text("HERE = []\n", encoding="utf-8")
    spec = write(tmp_path, SPY.format(notes=str(notes)), "spy.py")
    if way == "module":
        monkeypatch.syspath_prepend(tmp_path)
        spec = "py:spy@make"
    spy = make_player(spec)
    run = games(spy, spy if against_itself else simple(), record=True)
    hidden = {}
    for kept in run.rounds:
        hands = [sum(1 << int(card) for card in kept["deck"][k : k + 10]) for k in (0, 10)]
        hidden |= {hands[0]: hands[1], hands[1]: hands[0]}
    lines = [json.loads(line) for line in notes.read_text().splitlines()]
    assert len(lines) > GAMES
    assert [hand for hand, known in lines if hidden[hand] in known] == []


MISDEEDS = {
    "writes its limit and its hand": (
        "    view.flags.writeable = True\n"
        "    view['limit'] = 100\n"
        "    view['hand'] = 0b111\n"
        "    if view.base is not None:\n"
        "        view.base['limit'] = 100\n"
    ),
    "writes rows": "    rows.flags.writeable = True\n    rows[:] = 10**9\n",
    "writes chances": "    u.flags.writeable = True\n    u[:] = 2.0\n",
}


@pytest.mark.parametrize("misdeed", MISDEEDS)
def test_writing_to_what_it_was_given_changes_nothing(tmp_path: Path, misdeed: str) -> None:
    cheat = meddling(tmp_path, MISDEEDS[misdeed])
    assert (games(cheat, simple()).games == games(simple(), simple()).games).all()
    assert (games(simple(), cheat).games == games(simple(), simple()).games).all()


def test_there_is_nothing_behind_what_it_was_given(tmp_path: Path) -> None:
    """``base`` would lead to the memory that an array was cut from: all tables, both sides' chances."""
    body = (
        "    assert view.base is None and rows.base is None and u.base is None\n"
        "    assert len(view) == len(rows) == len(u) and list(rows) == list(range(len(rows)))\n"
    )
    assert len(games(meddling(tmp_path, body), simple()).games) == GAMES


# Broken players.


@pytest.mark.parametrize("question", ["draw", "discard", "knock", "spread"])
def test_a_failing_player_is_named_and_shown(tmp_path: Path, question: str) -> None:
    text = WRAPPER + (
        f"\nplayer = make()\ndef fail(view, rows, u):\n    return 1 // 0  # here\n"
        f"def make():\n    return replace(player, {question}=fail)\n"
    )
    mine = make_player(write(tmp_path, text))
    with pytest.raises(PlayerError) as caught:
        games(mine, simple())
    expected = f"player 'mine' failed when asked for {question}: ZeroDivisionError: integer"
    assert str(caught.value).startswith(expected)
    assert "return 1 // 0  # here" in caught.value.trace
    assert "foreign.py" not in caught.value.trace and "Traceback" in caught.value.trace


def test_leaving_is_a_failure_and_ctrl_c_is_not(tmp_path: Path) -> None:
    leaver = meddling(tmp_path, "    raise SystemExit(0)\n")
    with pytest.raises(PlayerError, match="asked for draw: SystemExit: 0"):
        games(leaver, simple())
    with pytest.raises(PlayerError, match="SystemExit"):
        Session(leaver, EAAI, 1, person_seat=1 - decks.starter(1, 0))
    cancelled = meddling(tmp_path, "    import asyncio\n    raise asyncio.CancelledError('late')\n")
    with pytest.raises(PlayerError, match=r"player 'mine' failed .*CancelledError: late"):  # no Exception
        games(cancelled, simple())
    interrupted = meddling(tmp_path, "    raise KeyboardInterrupt\n")
    with pytest.raises(KeyboardInterrupt):
        games(interrupted, simple())


def test_a_long_message_of_a_player_is_cut_in_the_line_and_whole_in_the_traceback(tmp_path: Path) -> None:
    talker = meddling(tmp_path, "    raise ValueError('word ' * 1000)\n")
    with pytest.raises(PlayerError) as caught:
        games(talker, simple())
    assert len(str(caught.value)) < 300 and len(caught.value.trace) > 5000


BROKEN = {
    "a syntax error": ("def make(:\n", "SyntaxError"),
    "a failing import": (
        "import no_such_library\n",
        "ModuleNotFoundError: No module named 'no_such_library'",
    ),
    "a failing module": ("1 // 0\n", "ZeroDivisionError"),
    "a module that exits": ("raise SystemExit(3)\n", "SystemExit: 3"),
    "a failing factory": ("def make():\n    return [][0]\n", "IndexError"),
    "a factory without end": ("def make():\n    return make()\n", "RecursionError"),
}


@pytest.mark.parametrize("fault", BROKEN)
@pytest.mark.parametrize("way", ["file", "module"])
def test_code_that_does_not_load_shows_its_traceback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str, way: str
) -> None:
    text, message = BROKEN[fault]
    spec = write(tmp_path, text, "broken_player.py")
    if way == "module":
        monkeypatch.syspath_prepend(tmp_path)
        spec = "py:broken_player@make"
    with pytest.raises(PlayerError, match=message) as caught:
        make_player(spec)
    assert "cannot load player" in str(caught.value)
    assert "broken_player.py" in caught.value.trace


ABSENT = {
    "no such file": ("py:{}/none.py@make", "No such file"),
    "a directory": ("py:{}/folder.py@make", "Is a directory"),
    "a name that is too long": ("py:" + "x" * 5000 + ".py@make", "name too long"),
    "a name with a zero": ("py:{}/a\0b.py@make", "null"),
    "no such factory": ("py:{}/mine.py@other", "no function 'other'"),
    "no function": ("py:{}/mine.py@NUMBER", "no function 'NUMBER'"),
    "a function of something": ("py:{}/mine.py@after", "after must take no arguments"),
    "no player": ("py:{}/mine.py@nothing", "gave a NoneType, not a Player"),
    "no name": ("py:{}/mine.py@nameless", "name is not text"),
    "no such module": ("py:no_such_module_at_all@make", "no module 'no_such_module_at_all'"),
    "no such module in a package": ("py:ginrummy.players.nobody@make", "no module 'ginrummy.players.nobody'"),
    "three thousand dots": ("py:" + ".".join(["json"] * 3000) + "@make", "no module 'json.json'"),
    "empty words": ("py:a..b@make", "is not the name of a module"),
    "nothing": ("py:@", "is not the name of a module"),
}


@pytest.mark.parametrize("case", ABSENT)
def test_what_is_not_there_is_one_line(tmp_path: Path, case: str) -> None:
    extra = "NUMBER = 7\nnothing = lambda: None\nnameless = lambda: replace(make(), name=7)\n"
    write(tmp_path, WRAPPER + extra)
    (tmp_path / "folder.py").mkdir()
    spec, message = ABSENT[case]
    with pytest.raises(UnknownName, match=message):
        make_player(spec.format(tmp_path))


# Modules.


def test_every_instance_has_modules_of_its_own_and_leaves_no_trace(tmp_path: Path) -> None:
    (tmp_path / "helpers.py").write_text("made = []\n", encoding="utf-8")
    (tmp_path / "bag").mkdir()
    (tmp_path / "bag/__init__.py").write_text("", encoding="utf-8")
    (tmp_path / "bag/inner.py").write_text("made = []\n", encoding="utf-8")
    text = (
        "import helpers, bag.inner\nfrom dataclasses import dataclass\n"
        + WRAPPER
        + "\nmade = []\nold = make\n"
        "@dataclass\nclass Note:\n    text: 'str'\n"
        "def make():\n"
        "    for place in (made, helpers.made, bag.inner.made):\n        place.append(1)\n"
        "    return replace(old(), name=f'{len(made)} {len(helpers.made)} {len(bag.inner.made)}')\n"
    )
    spec = write(tmp_path, text)
    modules, path = dict(sys.modules), list(sys.path)
    player = make_player(spec)
    assert player.name == "1 1 1"
    assert player.fresh is not None and player.fresh().name == "1 1 1" == make_player(spec).name
    assert sys.path == path
    gone = {"helpers", "bag", "bag.inner", "mine"}
    assert not gone & set(sys.modules)
    assert all(sys.modules[name] is module for name, module in modules.items())
    assert not list(tmp_path.rglob("__pycache__"))


def test_a_module_of_the_same_name_that_is_loaded_already_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file may be called as it likes, and a module that the program has loaded is not disturbed."""
    monkeypatch.syspath_prepend(tmp_path)
    spec = write(tmp_path, "import numpy\n" + WRAPPER, "mine_too.py")
    import mine_too  # type: ignore[import-not-found]

    assert make_player("py:mine_too@make").name == "mine"
    assert make_player(spec).name == "mine"
    assert sys.modules["mine_too"] is mine_too
    assert make_player(write(tmp_path, WRAPPER, "numpy.py")).name == "mine"
    assert sys.modules["numpy"] is np
    assert make_player("py:ginrummy.players.baseline@simple").name == "simple"


def test_a_file_is_read_anew_for_every_instance(tmp_path: Path) -> None:
    """Even when it changes within the second that its compiled form would be good for."""
    one = make_player(write(tmp_path, WRAPPER.replace('"mine"', '"one1"')))
    two = make_player(write(tmp_path, WRAPPER.replace('"mine"', '"two2"')))
    assert (one.name, two.name) == ("one1", "two2")
