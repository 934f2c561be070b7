"""The version, and how to get what a command needs."""

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import ginrummy
from ginrummy import extras
from ginrummy.training import recipes, tuning


@pytest.fixture
def without_extras(monkeypatch: pytest.MonkeyPatch) -> None:
    """An installation that has neither torch nor Optuna."""
    for name in ("torch", "optuna", "cmaes"):
        monkeypatch.setitem(sys.modules, name, None)
    module = recipes.module_of("lstm")
    monkeypatch.delitem(sys.modules, module, raising=False)


@pytest.mark.parametrize("clone", [True, False])
def test_the_hint_for_a_missing_extra_fits_the_installation(
    clone: bool, without_extras: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    if clone:
        (tmp_path / "Makefile").touch()
        (tmp_path / "pyproject.toml").touch()
    monkeypatch.setattr(extras, "ROOT", tmp_path)
    with pytest.raises(ValueError, match="needs more libraries") as training:
        recipes.recipe("lstm")
    with pytest.raises(ValueError, match="needs Optuna") as search:
        tuning.load_optuna()
    for error, extra in ((training, "train"), (search, "tune")):
        assert str(error.value).endswith("make dev" if clone else f"pip install 'ginrummy[{extra}]'")


@pytest.mark.parametrize(
    ("bridge", "library", "extra"),
    [
        ("gymnasium", "gymnasium", "envs"),
        ("pettingzoo", "pettingzoo", "envs"),
        ("sb3", "stable_baselines3", "rl"),
        ("openspiel.bots", "pyspiel", "openspiel"),
        ("openspiel.players", "pyspiel", "openspiel"),
    ],
)
def test_a_bridge_says_which_extra_it_needs(
    bridge: str, library: str, extra: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(extras, "ROOT", tmp_path)
    for loaded in [name for name in sys.modules if name.startswith(f"{library}.")]:
        monkeypatch.delitem(sys.modules, loaded)  # otherwise an earlier test's import would still serve
    monkeypatch.setitem(sys.modules, library, None)
    monkeypatch.delitem(sys.modules, f"ginrummy.bridges.{bridge}", raising=False)
    with pytest.raises(extras.MissingExtra) as missing:
        importlib.import_module(f"ginrummy.bridges.{bridge}")
    assert str(missing.value) == (
        f"ginrummy.bridges.{bridge} needs the library {library!r}: "
        f"install it with pip install 'ginrummy[{extra}]'"
    )


def test_what_needs_no_library_works_without_any(monkeypatch: pytest.MonkeyPatch) -> None:
    for library in ("gymnasium", "pettingzoo", "stable_baselines3", "pyspiel", "rlcard"):
        monkeypatch.setitem(sys.modules, library, None)
    for bridge in ("formats", "json_lines", "positions", "openspiel.histories", "openspiel.text", "rlcard"):
        monkeypatch.delitem(sys.modules, f"ginrummy.bridges.{bridge}", raising=False)
        importlib.import_module(f"ginrummy.bridges.{bridge}")


def test_this_is_a_clone() -> None:
    assert extras.how_to_install("train") == "make dev"


def test_the_command_tells_its_version() -> None:
    call = [sys.executable, "-m", "ginrummy", "--version"]
    done = subprocess.run(call, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"ginrummy {ginrummy.__version__}\n", "")


def test_the_version_is_that_of_the_distribution() -> None:
    project = (Path(__file__).parent.parent / "pyproject.toml").read_text(encoding="utf-8")
    assert f'\nversion = "{ginrummy.__version__}"\n' in project
