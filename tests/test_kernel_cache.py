"""Compiled code on disk: the right directory, files that cannot do harm, and several first starts at once."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from ginrummy import _kernel_cache, limits, rules
from ginrummy._kernel_cache import PACKAGE, digest, sources

SUM = """
from ginrummy._jit import bound, kernel, lean, template

@kernel
def double(x):
    return 2 * x

@kernel
def triple(x):
    return 3 * x

@template
def _twice(x):
    return change(change(x))

from helper import STEP

@kernel
def step(x):
    return x + STEP

print(double(21), double(2.5), step(1), bound(_twice, change=double)(1), bound(_twice, change=triple)(1))
"""
WANTED = "42 5.0 {step} 4 9\n"


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A small program with kernels of its own, and a module beside it."""
    (tmp_path / "helper.py").write_text("STEP = 1\n")
    file = tmp_path / "program.py"
    file.write_text(textwrap.dedent(SUM))
    return file


def start(program: Path, **more: str) -> subprocess.Popen[str]:
    env = os.environ | {"GINRUMMY_CACHE": str(program.parent / "cache")} | more
    call = [sys.executable, str(program)]
    return subprocess.Popen(call, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env)


def run(program: Path, **more: str) -> str:
    process = start(program, **more)
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    assert err == ""
    return out


def kept(program: Path) -> list[Path]:
    return sorted((program.parent / "cache").rglob("*.nb[ci]"))


def test_damaged_files_are_thrown_away_and_compiled_again(program: Path) -> None:
    assert run(program) == WANTED.format(step=2)
    files = kept(program)
    assert len(files) > 8
    whole = {file: file.read_bytes() for file in files}
    for damage in (
        lambda b: b"",
        lambda b: b[: len(b) // 2],
        lambda b: b[:-40] + bytes(40),
        lambda b: b"{}" * 99,
    ):
        for file in files:
            file.write_bytes(damage(whole[file]))
        assert run(program) == WANTED.format(step=2)
    run(program)
    assert {file.name for file in kept(program)} == {file.name for file in files}


def test_a_file_in_the_place_of_another_is_not_taken_for_it(program: Path) -> None:
    """Code of one signature under the name of another: the checksum is right, the content is not."""
    run(program)
    one, two = (file for file in kept(program) if ".double-" in file.name and file.suffix == ".nbc")
    first, second = one.read_bytes(), two.read_bytes()
    one.write_bytes(second)
    two.write_bytes(first)
    assert run(program) == WANTED.format(step=2)


def test_two_first_starts_at_once_both_succeed(program: Path) -> None:
    both = [start(program) for _ in range(3)]
    for process in both:
        out, err = process.communicate(timeout=300)
        assert (process.returncode, out, err) == (0, WANTED.format(step=2), "")
    assert run(program) == WANTED.format(step=2)


def test_a_cache_that_cannot_be_written_costs_time_only(program: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert run(program, GINRUMMY_CACHE=str(tmp_path / "file" / "below")) == WANTED.format(step=2)


def test_a_change_beside_a_player_of_ones_own_is_seen(program: Path) -> None:
    assert run(program) == WANTED.format(step=2)
    (program.parent / "helper.py").write_text("STEP = 5\n")
    assert run(program) == WANTED.format(step=6)


def test_a_kernel_depends_on_what_its_module_imports_and_on_nothing_else() -> None:
    melds, policy = PACKAGE / "meld_kernels.py", PACKAGE / "policies" / "hand_strength.py"
    assert melds in sources(policy) and PACKAGE / "cards.py" in sources(policy)
    for other in ("tables.py", "sim.py", "players/hand_strength.py", "policies/safe_discard.py", "cli.py"):
        assert PACKAGE / other not in sources(policy)
    assert policy not in sources(PACKAGE / "policies" / "baseline.py")
    assert policy not in sources(PACKAGE / "compiled" / "passes.py")


def test_the_rules_are_not_compiled_in() -> None:
    """Kernels get rules as a record; the numbers that they hold are those of ``limits``."""
    numbers = {name: value for name, value in vars(rules).items() if type(value) is int}
    assert numbers.items() <= vars(limits).items()
    files = sources(PACKAGE / "tables.py")
    assert PACKAGE / "limits.py" in files and PACKAGE / "rules.py" not in files


def test_a_changed_source_has_another_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    files = sources(PACKAGE / "policies" / "baseline.py")
    before = digest(files)
    changed = PACKAGE / "meld_kernels.py"
    monkeypatch.setattr(
        _kernel_cache, "_text", lambda path: path.read_bytes() + (b"#" if path == changed else b"")
    )
    assert digest(files) != before


def test_old_directories_go_when_nobody_uses_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_kernel_cache, "root", lambda: tmp_path)
    old, recent = tmp_path / "ginrummy.x-0", tmp_path / "ginrummy.x-1"
    for path in (old, recent):
        path.mkdir()
    os.utime(old, (0, 0))
    made = _kernel_cache.directory("ginrummy.x", frozenset({PACKAGE / "cards.py"}))
    assert sorted(tmp_path.iterdir()) == sorted([recent, made])
