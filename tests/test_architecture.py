"""Imports point to the same or an earlier layer; some libraries are imported in certain rooms only."""

import ast
from pathlib import Path

import pytest

import ginrummy

PACKAGE = Path(ginrummy.__file__).parent

LAYERS = [
    ["_jit", "_kernel_cache", "artefacts", "errors", "extras", "sequential", "specs", "stats", "typed"],
    ["cards", "cardset", "dense", "networks", "limits", "rules"],
    ["makers", "meld_kernels", "melds", "savings", "scoring", "strength"],
    ["view", "styles", "decks", "round_actions", "round", "game", "notation", "position", "equity"],
    ["answers", "tables", "memory", "sim", "following", "timed", "tracking", "moments", "compiled"],
    ["estimators", "policies"],
    ["players", "search"],
    ["counting", "evidence", "judging", "runs", "sheets", "tournament", "training"],
    ["bench", "experiments", "reports"],
    ["api", "coach", "session", "store"],
    ["terminal", "bridges", "web", "cli_bridges", "cli_coach", "cli_runs", "cli", "__main__", ""],
]  # fmt: skip
LAYER = {name: level for level, names in enumerate(LAYERS) for name in names}

DOORS = {
    "numba": {"_jit", "_kernel_cache"},
    "typer": {"cli", "cli_bridges", "cli_coach", "cli_runs"},
    "rich": {"terminal"},
    "torch": {"training"},
    "onnx": {"training"},
    "onnxscript": {"training"},
    "onnxruntime": {"networks"},
    "polars": {"training"},
    "optuna": {"training"},
    "cmaes": {"training"},
    "matplotlib": {"reports"},
    "gymnasium": {"bridges"},
    "pettingzoo": {"bridges"},
    "pyspiel": {"bridges"},
    "rlcard": {"bridges"},
    "stable_baselines3": {"bridges"},
    "sb3_contrib": {"bridges"},
    "jpype": {"bridges"},
    "ray": {"runs"},
    "sqlalchemy": {"store", "training"},
    "nicegui": {"web"},
    "fastapi": {"web"},
    "starlette": {"web"},
    "uvicorn": {"web"},
    "pydantic": {"web"},
    "subprocess": {"evidence", "bench"},
}
"""Library -> the rooms that may import it."""

MODULES = sorted(PACKAGE.rglob("*.py"))


def room(path: Path) -> str:
    """A module's name in the layers: the package for modules in one."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return "" if parts == ("__init__",) else parts[0]


def imports(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
            if node.module == "ginrummy":
                names |= {f"ginrummy.{alias.name}" for alias in node.names}
    return names


def test_every_module_has_a_layer() -> None:
    assert {room(path) for path in MODULES} == set(LAYER)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_imports_point_to_the_same_or_an_earlier_layer(path: Path) -> None:
    own = room(path)
    for name in imports(path):
        if name.startswith("ginrummy."):
            other = name.split(".")[1]
            if other in LAYER:
                assert LAYER[other] <= LAYER[own], f"{own} imports {name}"
            if {own, other} == {"estimators", "policies"}:
                pytest.fail(f"{own} imports {name}: estimators and policies do not import each other")
        door = DOORS.get(name.split(".")[0])
        assert door is None or own in door, f"{own} imports {name}"


def test_the_front_door_is_for_users() -> None:
    public = {f"ginrummy.{name}" for name in ginrummy.__all__}
    assert {path.name: found for path in MODULES if (found := imports(path) & public)} == {}


def test_nothing_that_decides_sees_a_table_or_a_round() -> None:
    for path in MODULES:
        if room(path) in ("estimators", "policies", "players", "search") and path.name != "playing.py":
            assert not imports(path) & {"ginrummy.tables", "ginrummy.sim", "ginrummy.round", "ginrummy.game"}


def test_modules_are_not_too_long() -> None:
    assert [p.name for p in MODULES if len(p.read_text(encoding="utf-8").splitlines()) > 700] == []
