"""The files behind a spec: their contents are part of a run's identity."""

import hashlib
import json
import shutil
import sys
from pathlib import Path

import pytest

from ginrummy import artefacts, tournament
from ginrummy.errors import BadInput, UnknownName
from ginrummy.judging.study import estimate, study
from ginrummy.networks import network
from ginrummy.players.files import files_of, guarded, identified
from ginrummy.rules import EAAI
from ginrummy.runs import JournalMismatch
from ginrummy.tournament import Plan, match

MINE = """
from ginrummy.players.baseline import simple
{}

def make():
    return simple()
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory of one's own, which Python imports from."""
    monkeypatch.setenv("GINRUMMY_STATE", str(tmp_path / "state"))
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.syspath_prepend(str(tmp_path / "work"))
    yield tmp_path / "work"
    for name, module in list(sys.modules.items()):
        if (getattr(module, "__file__", None) or "").startswith(str(tmp_path)):
            del sys.modules[name]


def write(name: str, text: str = "") -> Path:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def digest(name: str) -> str:
    return hashlib.sha256(Path(name).read_bytes()).hexdigest()


# --- files_of -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "spec",
    [
        "simple",
        "hand-strength:knock=10/10/10/10/0",
        "knocking:knock_model=knock.onnx",
        "safe-discard:estimator=shankar-cnn:profile=code;model=,safest=2",
        "py:ginrummy.training.regret.knock_table@eaai_knocker",
        "py:itertools@count",
        "py:nowhere.at.all@make",
        "py:",
    ],
)
def test_what_ships_has_no_files(spec: str, here: Path) -> None:
    shutil.copy(artefacts.DIRECTORY / "knock.onnx", here)  # of the same name, and never read
    assert files_of(spec) == {}
    assert identified({"players": [spec]}) == {"players": [spec]}


def test_a_file_and_the_neighbours_that_it_imports() -> None:
    write("mine.py", MINE.format("import one, numpy\nfrom two import a, b\nfrom parts import three"))
    write("one.py", "def later():\n    import four.five.six")
    write("two.py", "import mine, one  # and back again")
    write("parts/__init__.py", "from .inner import x")
    write("parts/inner.py", "from . import deepest\nx = 1")
    write("parts/deepest.py")
    write("parts/three.py")
    write("parts/unused.py")
    write("four/five/six.py")
    write("unused.py")
    names = ["four/five/six.py", "mine.py", "one.py", "parts/__init__.py", "parts/deepest.py"]
    names += ["parts/inner.py", "parts/three.py", "two.py"]
    assert files_of("py:mine.py@make") == {name: digest(name) for name in names}


def test_a_file_in_another_directory_has_its_own_neighbours(here: Path) -> None:
    write("players/mine.py", MINE.format("import near, far"))
    write("players/near.py")
    write("far.py")
    assert list(files_of("py:players/mine.py@make")) == ["far.py", "players/mine.py", "players/near.py"]
    absolute = str(here / "players/mine.py")
    assert list(files_of(f"py:{absolute}@make")) == sorted(
        [absolute, str(here / "players/near.py"), "far.py"]
    )


def test_a_module_or_its_whole_package() -> None:
    write("alone.py", MINE.format("import beside"))
    write("beside.py")
    write("package/__init__.py")
    write("package/one.py", MINE.format(""))
    write("package/sub/two.py", "import beside")
    assert list(files_of("py:alone@make")) == ["alone.py", "beside.py"]
    whole = ["beside.py", "package/__init__.py", "package/one.py", "package/sub/two.py"]
    assert list(files_of("py:package.one@make")) == whole


def test_networks_by_path_at_any_depth(here: Path) -> None:
    for name in ("a.onnx", "b.onnx", "c.npz"):
        write(f"nets/{name}", name)
    absolute = str(here / "nets/c.npz")
    value = {
        "players": [["advanced:knock_model=./nets/a.onnx,estimator=belief-net:model=nets/b.onnx", "simple"]],
        "estimators": (f"bayes:minimum=3,table={absolute}", "belief-net:model=./nets/none.onnx"),
        "games": 3,
    }
    assert files_of(value) == {
        "./nets/a.onnx": digest("nets/a.onnx"),
        "nets/b.onnx": digest("nets/b.onnx"),
        absolute: digest(absolute),
    }
    nested = "safe-discard:estimator=bayes:minimum=3;table=./nets/c.npz,safest=2"
    assert files_of(nested) == {"./nets/c.npz": digest(absolute)}


def test_files_that_cannot_be_read() -> None:
    write("mine.py", "def broken(:")
    write("deep.py", "-" * 100_000 + "1")
    assert list(files_of(["py:mine.py@make", "py:deep.py@make"])) == ["deep.py", "mine.py"]
    with pytest.raises(BadInput, match=r"cannot read .*none\.py: No such file"):
        files_of("py:none.py@make")
    assert files_of("knocking:knock_model=./" + "x" * 5000) == {}


def test_work_is_refused_when_a_file_changes_meanwhile() -> None:
    write("mine.py", "before")
    assert guarded(len, "simple") is len
    work = guarded(len, {"players": ["py:mine.py@make"]})
    assert work("four") == 4
    write("mine.py", "after")
    with pytest.raises(BadInput, match=r"mine\.py changed while the run was under way"):
        work("four")


# --- a bare name is the shipped file ------------------------------------------------------------------------


def test_a_file_in_the_working_directory_does_not_replace_a_shipped_one(here: Path) -> None:
    shutil.copy(artefacts.DIRECTORY / "knock-gin.onnx", here / "knock.onnx")
    shipped = digest(str(artefacts.DIRECTORY / "knock.onnx"))
    assert network("knock.onnx").digest == shipped
    assert network("./knock.onnx").digest == digest("knock.onnx") != shipped
    write("only-here.onnx")
    with pytest.raises(UnknownName, match=r"give the path of your own with a slash, as in \./mine\.onnx"):
        network("only-here.onnx")


# --- runs ---------------------------------------------------------------------------------------------------


def test_a_journal_of_another_version_of_a_player_is_refused() -> None:
    plan = Plan(4, 1, EAAI, journal=Path("j"))
    write("mine.py", MINE.format("import helper"))
    write("helper.py")
    first = match("py:mine.py@make", "simple", plan)
    files = {"helper.py": digest("helper.py"), "mine.py": digest("mine.py")}
    assert first["provenance"]["files"] == files
    assert json.loads(Path("j").read_text().splitlines()[0])["identity"]["files"] == files
    assert match("py:mine.py@make", "simple", plan)["wins_a"] == first["wins_a"]
    write("helper.py", "# another")
    with pytest.raises(JournalMismatch, match=r"another version of helper\.py was played there; remove"):
        match("py:mine.py@make", "simple", plan)


def test_a_journal_of_another_network_is_refused(here: Path) -> None:
    plan, spec = Plan(4, 1, EAAI, journal=Path("j")), "knocking:knock_model=./own.onnx"
    shutil.copy(artefacts.DIRECTORY / "knock.onnx", "own.onnx")
    result = match(spec, "simple", plan)
    assert result["provenance"]["files"] == {"./own.onnx": digest("own.onnx")}
    shutil.copy(artefacts.DIRECTORY / "knock-gin.onnx", "own.onnx")
    with pytest.raises(JournalMismatch, match=r"another version of \./own\.onnx was played there"):
        match(spec, "simple", plan)


def test_the_evidence_of_a_study_names_the_files_behind_it() -> None:
    shutil.copy(artefacts.DIRECTORY / "belief-net.onnx", "own.onnx")
    write("mine.py", MINE.format(""))
    asked = study(["belief-net:model=./own.onnx"], ("py:mine.py@make", "simple"), "a")
    plan = Plan(4, 1, EAAI, journal=Path("j"))
    found = estimate(asked, plan)["provenance"]["files"]
    assert found == {"./own.onnx": digest("own.onnx"), "mine.py": digest("mine.py")}
    write("mine.py", MINE.format("# edited"))
    with pytest.raises(JournalMismatch, match=r"another version of mine\.py was played there"):
        estimate(asked, plan)


def test_shipped_players_keep_their_identity() -> None:
    result = match("simple", "random", Plan(2, 1, EAAI, journal=Path("j")))
    assert "files" not in result["provenance"]
    assert json.loads(Path("j").read_text().splitlines()[0])["identity"] == {
        "command": "match",
        "pairings": [["simple", "random"]],
        "games": 2,
        "seed": 1,
        "rules": "eaai",
        "shard_sizes": [2000],
    }


def test_a_player_that_changes_while_it_plays_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    write("mine.py", MINE.format(""))
    count = tournament.count_shard

    def edit(payload: dict) -> dict:
        if payload["start"] == 2:
            write("mine.py", MINE.format("# edited"))
        return count(payload)

    monkeypatch.setattr(tournament, "count_shard", edit)
    monkeypatch.setattr(tournament, "_shard_size", lambda pair: 2)
    with pytest.raises(BadInput, match=r"mine\.py changed"):
        match("py:mine.py@make", "simple", Plan(6, 1, EAAI, journal=Path("j")))
    assert len(Path("j").read_text().splitlines()) == 2  # the header, and the shard before the change


def test_rules_that_begin_as_a_java_player_does_are_no_player() -> None:
    assert files_of({"players": ["simple"], "rules": "eaai:max_rounds=1"}) == {}
