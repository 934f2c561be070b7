"""The documentation is true: its commands run, and it names every player, rule, preset and module."""

import doctest
import json
import os
import pydoc
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import ginrummy
from ginrummy import bench
from ginrummy.estimators.registry import estimator_names
from ginrummy.players.registry import player_names
from ginrummy.reports import champion_page
from ginrummy.rules import PRESETS, Rules
from ginrummy.training.recipes import recipe_names

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def commands() -> list[str]:
    found: dict[str, None] = {}
    for page in PAGES:
        for block in re.findall(r"```console\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL):
            for line in block.splitlines():
                if "ginrummy " in line:
                    found[line.removeprefix("$ ").replace(".venv/bin/", "")] = None
    return list(found)


@pytest.mark.parametrize("command", commands())
def test_every_command_shown_runs(command: str, tmp_path: Path) -> None:
    words = shlex.split(command)
    assert words[0] == "ginrummy"
    call = [sys.executable, "-m", "ginrummy", *words[1:]]
    env = os.environ | {"GINRUMMY_STATE": str(tmp_path)}
    done = subprocess.run(call, cwd=ROOT, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


@pytest.mark.parametrize("page", ["README.md", "docs/api.md"])
def test_the_python_shown_runs(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    shown = "\n".join(re.findall(r"```pycon\n(.*?)```", text, re.DOTALL))
    test = doctest.DocTestParser().get_doctest(shown, {}, page, page, 0)
    told: list[str] = []
    done = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=told.append)
    assert done.attempted >= 7 and done.failed == 0, "".join(told)


def test_every_public_name_is_on_the_page_of_the_api() -> None:
    page = (ROOT / "docs/api.md").read_text(encoding="utf-8")
    assert [name for name in ginrummy.__all__ if not re.search(rf"\b{name}\b", page)] == []
    for module, name in re.findall(r"^::: (ginrummy[a-z_.]*?)(?:\.([A-Za-z_]+))?$", page, re.MULTILINE):
        place = f"{module}.{name}" if name else module
        assert pydoc.locate(place) is not None, f"{place} does not exist"


@pytest.mark.parametrize("factory", ["make", "make_careful"])
def test_the_players_of_the_guide_play(factory: str, tmp_path: Path) -> None:
    guide = (ROOT / "docs/write-a-player.md").read_text(encoding="utf-8")
    code = "\n".join(re.findall(r"```python\n(.*?)```", guide, re.DOTALL))
    (tmp_path / "mine.py").write_text(code, encoding="utf-8")
    call = [
        sys.executable,
        "-m",
        "ginrummy",
        "match",
        f"py:{tmp_path}/mine.py@{factory}",
        "simple",
        "--games",
        "10",
    ]
    env = os.environ | {"GINRUMMY_STATE": str(tmp_path)}
    done = subprocess.run(call, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_two_commands_come_first_in_the_readme() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert re.search(r"```console\n(.*?)```", text, re.DOTALL).group(1).split("\n")[:2] == [
        "$ make play",
        "$ make test",
    ]


def test_estimators_and_trained_files_are_all_documented() -> None:
    page = (ROOT / "docs/estimators.md").read_text(encoding="utf-8")
    assert [name for name in estimator_names() if f"`{name}`" not in page] == []
    shown = re.sub(r"`([a-z-]+)-1` to `-3`", r"`\1-1` `\1-2` `\1-3`", page)
    made = [name for name in recipe_names() if name != "knock-table"]
    assert [name for name in made if f"`{name}`" not in shown] == []


def test_the_code_of_the_page_on_estimators_runs() -> None:
    page = (ROOT / "docs/estimators.md").read_text(encoding="utf-8")
    code = "\n".join(re.findall(r"```python\n(.*?)```", page, re.DOTALL))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "52)" in done.stdout and "(3, 4) 10" in done.stdout


def test_players_rules_and_presets_are_all_documented() -> None:
    players = (ROOT / "docs/players.md").read_text(encoding="utf-8")
    rules = (ROOT / "docs/rules.md").read_text(encoding="utf-8")
    assert [name for name in player_names() if f"`{name}`" not in players] == []
    assert [name for name in (*PRESETS, *Rules._fields) if f"`{name}`" not in rules] == []


def test_the_page_on_performance_is_made_from_its_evidence() -> None:
    evidence = json.loads((ROOT / "results/bench.json").read_text(encoding="utf-8"))
    assert (ROOT / "docs/performance.md").read_text(encoding="utf-8") == bench.page(evidence)


def test_the_page_on_champion_is_made_from_its_record_and_evidence() -> None:
    written = (ROOT / "docs/champion.md").read_text(encoding="utf-8")
    assert written == champion_page.page_of(ROOT / "results/champion-fast.json")


def test_the_numbers_of_the_page_on_java_are_those_of_the_evidence() -> None:
    page = " ".join((ROOT / "docs/java.md").read_text(encoding="utf-8").split())

    def evidence(name: str):
        return json.loads((ROOT / f"results/java-{name}.json").read_text(encoding="utf-8"))

    quick, slow = evidence("bridge")["players"]
    memory = [f"{round(one['resident_mb_every_2000_games'][-1])}" for one in (quick, slow)]
    said = [
        f"plays {quick['games_per_second']:,.0f} games a second ({quick['rounds_per_game']:.1f} rounds each",
        f"plays {slow['games_per_second']:,.0f} ({slow['rounds_per_game']:.1f} rounds each",
        f"{memory[0]} and {memory[1]} MB",
    ]
    for opponent in ("champion-fast", "hand-strength"):
        match = evidence(opponent)
        assert match["forfeits_a"] == match["forfeits_b"] == 0 and match["games"] == 1000
        said.append(f"{100 * match['win_rate_a']:.1f} %")
    said.append(f"forfeited {evidence('forfeits')['forfeits_a']} of 1,000")
    assert [words for words in said if words not in page] == []


def test_links_between_pages_lead_somewhere() -> None:
    for page in [*PAGES, *sorted((ROOT / "docs/reproduction").glob("*.md"))]:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
