"""Java players of the challenge, compiled here from sources of our own: the same games as twins in Python."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from following_players import Rule, Sitting, twin
from ginrummy import following, play_match, sim
from ginrummy.cards import NO_CARD, card_text
from ginrummy.errors import BadInput, PlayerError, UnknownName
from ginrummy.extras import MissingExtra
from ginrummy.following import REASONS
from ginrummy.players import java
from ginrummy.players.files import files_of
from ginrummy.players.playing import play
from ginrummy.players.registry import make_player
from ginrummy.rules import EAAI, parse_rules
from java_players import compile_players, needs_java

pytestmark = needs_java
ALL = ("Legal", "Recorder", "Odd", "Trivial")


@pytest.fixture(scope="module")
def classes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Players in the package ``ginrummy``."""
    return compile_players(tmp_path_factory.mktemp("packaged"), *ALL)


@pytest.fixture(scope="module")
def plain_classes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Players without a package; this Legal has the same name and knocks at 5 or less."""
    return compile_players(
        tmp_path_factory.mktemp("plain"), "Legal", package="", **{"return 10;": "return 5;"}
    )


def player(classes: Path, name: str, more: str = ""):
    return make_player(f"eaai:ginrummy.{name}@{classes}{more}")


def command(*words: str, state: Path, **options):
    call = [sys.executable, "-m", "ginrummy", *words]
    env = os.environ | {"GINRUMMY_STATE": str(state)}
    return subprocess.run(call, capture_output=True, text=True, env=env, **options)


def test_a_java_player_plays_the_games_of_its_twin(classes: Path, plain_classes: Path) -> None:
    simple, games = make_player("simple"), range(4, 24)
    packaged, plain = player(classes, "Legal"), make_player(f"eaai:Legal@{plain_classes}")
    run = play(packaged, simple, games, EAAI, 3, record=True)
    assert (run.games == sim.play(twin(), simple, games, EAAI, 3).games).all()
    assert (run.forfeits == following.NOBODY).all() and len(run.rounds)
    run = play(plain, packaged, games, EAAI, 3)  # both classes are called Legal, and each has its own Card
    assert (run.games == sim.play(twin(5), twin(), games, EAAI, 3).games).all()


def as_text(call: tuple) -> str:
    """A call of a follower as ``Recorder.java`` writes it; answers are not in it."""
    names = {
        "deal": "startGame", "wants": "willDrawFaceUpCard", "drew": "reportDraw", "discard": "getDiscard",
        "discarded": "reportDiscard", "melds": "getFinalMelds", "melded": "reportFinalMelds",
        "laid_off": "reportLayoff", "shown": "reportFinalHand", "scored": "reportScores",
    }  # fmt: skip
    kind, *values = call
    if kind == "scored":
        return f"reportScores [{values[0]}, {values[1]}]"
    seats = {"deal": 2, "wants": 0}.get(kind, 1)
    words = [names[kind], *map(str, values[:seats])]
    return " ".join([*words, *(shown(value) for value in values[seats:])])


def shown(value) -> str:
    if isinstance(value, int):
        return "null" if value == NO_CARD else card_text(value)
    return "[" + ", ".join(map(shown, value)) + "]"


def test_every_call_comes_in_order_with_the_right_arguments(classes: Path, tmp_path: Path) -> None:
    """The recorder checks the identity of each card itself, and writes to the player's own directory."""
    simple, games = make_player("simple"), range(6)
    run = play(player(classes, "Recorder", f";cwd={tmp_path}"), simple, games, EAAI, 3)
    assert (run.forfeits == following.NOBODY).all()
    rule = Sitting(Rule)
    following.play(rule, simple, games, EAAI, 3)
    files = sorted(tmp_path.glob("calls-*.txt"))
    assert (
        len(files) == 6 and len({file.name.split("-")[1] for file in files}) == 2
    )  # loaders of even and odd
    told = sorted(file.read_text().splitlines() for file in files)
    want = sorted([as_text(call) for call in follower.calls] for follower in rule.followers)
    assert [[line.partition(" ->")[0] for line in lines] for lines in told] == want
    answers = {line.partition(" ")[0] for lines in told for line in lines if "->" in line}
    assert answers == {"willDrawFaceUpCard", "getDiscard", "getFinalMelds"}
    lines = {line for lines in told for line in lines}
    assert any(line.startswith("reportLayoff") for line in lines) and any("null" in line for line in lines)


def test_a_class_that_meets_itself_shares_nothing_with_itself(classes: Path, tmp_path: Path) -> None:
    recorder = player(classes, "Recorder", f";cwd={tmp_path}")
    run = play(recorder, player(classes, "Recorder", f";cwd={tmp_path}"), range(4), EAAI, 3)
    assert (run.games == sim.play(twin(), twin(), range(4), EAAI, 3).games).all()
    loaders = [file.name.split("-")[1] for file in tmp_path.glob("calls-*.txt")]
    assert len(loaders) == 8 and len(set(loaders)) == 4  # two sides, even and odd games


@pytest.mark.parametrize(
    "name, reason",
    [
        ("DiscardsAnother", "illegal discard"),
        ("DiscardsNull", "illegal discard"),
        ("DiscardsCopy", "illegal discard"),
        ("ThrowsBack", "illegal discard"),
        ("MeldsBadly", "illegal melds"),
        ("MeldsNull", "illegal melds"),
        ("KnocksHigh", "knock above the limit"),
        ("Throws", "exception"),
        ("ThrowsAtScores", "exception"),
        ("ThrowsAtStart", "exception"),
    ],
)
def test_cheats_and_failures_forfeit_the_game(
    classes: Path, name: str, reason: str, caplog: pytest.LogCaptureFixture
) -> None:
    simple = make_player("simple")
    run = play(simple, player(classes, name), range(6), EAAI, 3)
    assert (run.forfeits == 1).all() and {REASONS[r] for r in run.reasons} == {reason}
    if name == "Throws":
        assert (run.games["outcomes"].sum(axis=1) == 1).all()  # it fails in the second round
        assert "I cannot decide" in caplog.text and "ginrummy.Throws.getDiscard(Odd.java" in caplog.text
    if name == "DiscardsNull":
        assert "it may not discard something that is no card of the deck" in caplog.text


def test_melds_count_as_declared(classes: Path) -> None:
    """A player that lays nothing down against a knock pays for its melds too."""
    simple = make_player("simple")
    kind = type("Nothing", (Rule,), {"melds": lambda self: [] if self.defends else None})
    run = play(player(classes, "MeldsNothing"), simple, range(10), EAAI, 3)
    assert (run.games == following.play(Sitting(kind), simple, range(10), EAAI, 3).games).all()
    assert run.games["score"][:, 1].min() >= 100 and (run.forfeits == following.NOBODY).all()


def test_an_endless_swap_is_ended_by_the_cap(classes: Path) -> None:
    rules = parse_rules("eaai:max_rounds=2")
    run = play(player(classes, "Swaps"), player(classes, "Swaps"), range(2), rules, 3)
    assert run.games["capped"].tolist() == [2, 2] and (run.forfeits == following.NOBODY).all()


@pytest.mark.parametrize("name", ["NeverReturns", "Sleeps"])
def test_a_method_that_never_returns_loses_on_time(classes: Path, name: str) -> None:
    simple, start = make_player("simple"), time.monotonic()
    run = play(player(classes, name), simple, range(2), EAAI, 3, seconds_per_game=0.5)
    assert (run.forfeits == 0).all() and {REASONS[r] for r in run.reasons} == {"time"}
    assert time.monotonic() - start < 30
    legal = play(player(classes, "Legal"), simple, range(2), EAAI, 3, seconds_per_game=600)
    assert (legal.games == play(player(classes, "Legal"), simple, range(2), EAAI, 3).games).all()


@pytest.mark.parametrize(
    "spec, says",
    [
        ("eaai:Nobody", "expected eaai:package.Class@classpath"),
        ("eaai:1st@{classes}", "expected eaai:package.Class@classpath"),
        ("eaai:ginrummy.Legal@{classes}/nowhere", "does not exist"),
        ("eaai:ginrummy.Legal@{classes}/ginrummy/Legal.class", "neither a directory nor a jar"),
        ("eaai:ginrummy.Nobody@{classes}", "no ginrummy/Nobody.class in the classpath; compile"),
        ("eaai:Legal@{classes}/ginrummy", "wrong name"),
        ("eaai:ginrummy.Legal@{classes};cwd=nowhere", "no directory 'nowhere'"),
        ("eaai:ginrummy.Stranger@{classes}", "does not implement GinRummyPlayer"),
        ("eaai:ginrummy.NeedsNumber@{classes}", "no constructor without arguments"),
        ("eaai:ginrummy.GinRummyPlayer@{classes}", "does not implement"),
        ("eaai:ginrummy.Legal@{alone}", "needs the class ginrummy.GinRummyPlayer"),
        (
            "eaai:ginrummy.FailsToBegin@{classes}",
            "constructor failed: java.lang.IllegalStateException: no data",
        ),
    ],
)
def test_what_cannot_be_loaded_is_one_line(classes: Path, tmp_path: Path, spec: str, says: str) -> None:
    alone = tmp_path / "ginrummy"
    alone.mkdir()
    shutil.copy(classes / "ginrummy" / "Legal.class", alone)
    with pytest.raises((UnknownName, PlayerError), match=says) as found:
        made = make_player(spec.format(classes=classes, alone=tmp_path))
        play(made, make_player("simple"), range(2), EAAI, 1)
    assert "\n" not in str(found.value)


def test_without_jpype_or_java_the_error_says_how_to_get_them(
    classes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import jpype

    monkeypatch.setitem(sys.modules, "jpype", None)
    with pytest.raises(MissingExtra, match=r"a Java player needs .*'jpype'.*(make dev|ginrummy.eaai)"):
        player(classes, "Legal")
    monkeypatch.undo()

    def none() -> str:
        raise jpype.JVMNotFoundException("No JVM shared library file (libjvm.so) found.")

    monkeypatch.setattr(jpype, "getDefaultJVMPath", none)
    with pytest.raises(BadInput, match=r"no Java found.*install Java.*JAVA_HOME"):
        player(classes, "Legal")


def test_classes_and_jars_are_part_of_the_run(classes: Path, tmp_path: Path) -> None:
    own = tmp_path / "own"
    shutil.copytree(classes, own)
    jar = shutil.make_archive(str(tmp_path / "framework"), "zip", own)
    spec = f"eaai:ginrummy.Legal@{own}{os.pathsep}{jar}"
    found = files_of({"players": [spec, "simple"]})
    assert {"own/ginrummy/Legal.class", "own/ginrummy/Card.class", "framework.zip"} <= found.keys()
    (own / "ginrummy" / "Card.class").write_bytes(b"other")
    changed = {name for name, digest in files_of([spec]).items() if digest != found[name]}
    assert changed == {"own/ginrummy/Card.class"}
    from_jar = make_player(f"eaai:ginrummy.Trivial@{jar}")
    assert (play(from_jar, make_player("simple"), range(2), EAAI, 3).forfeits == following.NOBODY).all()
    (tmp_path / "lib").mkdir()
    shutil.copy(jar, tmp_path / "lib" / "a.jar")
    assert java.parse(f"eaai:ginrummy.Legal@{tmp_path}/lib/*").classpath == (tmp_path / "lib" / "a.jar",)


def test_it_plays_whole_games_only(classes: Path) -> None:
    with pytest.raises(BadInput, match="follows whole games"):
        sim.play(player(classes, "Legal"), make_player("simple"), range(2), EAAI, 1)


def test_a_match_on_two_workers_counts_forfeits(classes: Path, tmp_path: Path) -> None:
    spec = f"eaai:ginrummy.Throws@{classes}"
    words = ["match", spec, "simple", "--games", "260", "--json"]
    one, two = (command(*words, "--workers", n, state=tmp_path) for n in "12")
    assert one.returncode == two.returncode == 0, one.stderr + two.stderr
    found, same = json.loads(one.stdout), json.loads(two.stdout)
    for key in ("games", "wins_a", "mean_margin_a", "rounds", "forfeits_a", "forfeits_b"):
        assert found[key] == same[key]
    assert found["forfeit_reasons_a"] == {"exception": found["forfeits_a"]} and found["forfeits_a"] > 200
    assert "I cannot decide" in one.stderr and "Traceback" not in one.stderr
    assert any(name.endswith("Throws.class") for name in found["provenance"]["files"])


def test_a_tournament_shows_forfeits_and_what_java_prints_goes_to_standard_error(
    classes: Path, tmp_path: Path
) -> None:
    specs = [f"eaai:ginrummy.{name}@{classes}" for name in ("Talks", "DiscardsNull")]
    done = command(
        "tournament", *specs, "simple", "--games", "4", "--csv", str(tmp_path / "csv"), state=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert "hello from Java" in done.stderr and "hello" not in done.stdout
    assert "4 by eaai:ginrummy.DiscardsNull" in done.stdout and "(4 illegal discard)" in done.stdout
    rows = (tmp_path / "csv" / "games.csv").read_text().splitlines()
    assert sum(row.endswith(",b") for row in rows) == 4 and sum(row.endswith(",a") for row in rows) == 4


def test_other_rules_and_wrong_classes_end_a_command_with_one_line(classes: Path, tmp_path: Path) -> None:
    spec = f"eaai:ginrummy.Legal@{classes}"
    for words, says in [
        (["match", spec, "simple", "--rules", "oklahoma"], "know the rules of the challenge"),
        (["match", spec.replace("Legal", "Stranger"), "simple"], "does not implement GinRummyPlayer"),
        (["match", spec.replace("Legal", "FailsToBegin"), "simple"], "no data file"),
    ]:
        done = command(*words, "--games", "2", state=tmp_path)
        assert done.returncode == 2 and says in done.stderr.splitlines()[-1], done.stderr


def test_ctrl_c_ends_a_player_that_never_returns(classes: Path, tmp_path: Path) -> None:
    spec = f"eaai:ginrummy.NeverReturns@{classes}"
    call = [sys.executable, "-m", "ginrummy", "match", spec, "simple", "--games", "2"]
    env = os.environ | {"GINRUMMY_STATE": str(tmp_path)}
    run = subprocess.Popen(call, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    before = -1.0
    for _ in range(600):  # until it does nothing but count in Java, in a thread of its own
        time.sleep(0.1)
        used = float(Path(f"/proc/{run.pid}/stat").read_text().rpartition(")")[2].split()[11])
        maps = Path(f"/proc/{run.pid}/maps").read_text()
        if "libjvm" in maps and 0 <= before < used:
            break
        before = used if "libjvm" in maps else -1.0
    time.sleep(3)
    run.send_signal(signal.SIGINT)
    _, said = run.communicate(timeout=60)
    assert run.returncode == 130 and "stopped" in said


def test_play_data_and_a_study_of_estimators_watch_java_players_too(classes: Path, tmp_path: Path) -> None:
    spec, file = f"eaai:ginrummy.Legal@{classes}", tmp_path / "play.parquet"
    done = command("data", spec, "simple", "--games", "4", "--out", str(file), state=tmp_path)
    assert done.returncode == 0 and file.stat().st_size > 1000, done.stderr
    words = ["estimate", "bayes", "--players", spec, "simple", "--games", "4", "--json"]
    done = command(*words, state=tmp_path)
    assert done.returncode == 0 and json.loads(done.stdout), done.stderr
    done = command("play", "--against", spec, state=tmp_path, stdin=subprocess.DEVNULL)
    assert done.returncode == 2 and "a person cannot play against it" in done.stderr


def test_a_match_from_python_counts_forfeits(classes: Path) -> None:
    result = play_match(f"eaai:ginrummy.KnocksHigh@{classes}", "simple", games=4)
    assert (result.forfeits_a, result.forfeits_b) == (4, 0) and result.win_rate_a == 0
    assert result.forfeit_reasons_a == {"knock above the limit": 4} and result.forfeit_reasons_b == {}
