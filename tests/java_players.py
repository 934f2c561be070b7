"""Compile the Java players of these tests; skip, with the reason, where there is no Java."""

import importlib.util
import shutil
import subprocess
from pathlib import Path

import pytest

SOURCES = Path(__file__).parent / "java"
MISSING = (
    "no javac: install a JDK (apt install default-jdk-headless)"
    if not shutil.which("javac")
    else "no JPype1: pip install 'ginrummy[eaai]'"
    if not importlib.util.find_spec("jpype")
    else ""
)
needs_java = pytest.mark.skipif(bool(MISSING), reason=MISSING)


def compile_players(target: Path, *names: str, package: str = "ginrummy", **changes: str) -> Path:
    """Compile some of the sources to a directory, in a package or in none; ``changes`` are texts to replace."""
    sources = target / "sources"
    sources.mkdir(parents=True)
    for name in ("Card", "GinRummyPlayer", *names):
        text = (SOURCES / f"{name}.java").read_text(encoding="utf-8")
        text = text.replace("package ginrummy;", f"package {package};" if package else "")
        for before, after in changes.items():
            assert name not in ("Legal",) or before in text
            text = text.replace(before, after)
        (sources / f"{name}.java").write_text(text, encoding="utf-8")
    return compile_files(target / "classes", *sorted(sources.glob("*.java")))


def compile_files(classes: Path, *files: Path, classpath: Path | None = None) -> Path:
    """Compile files to a directory of classes."""
    options = ["-cp", str(classpath)] if classpath else []
    call = ["javac", *options, "-d", str(classes), *map(str, files)]
    done = subprocess.run(call, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return classes
