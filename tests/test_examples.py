"""The examples run, and what their evidence says is what the page says."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ginrummy.reports import bridge_pages

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs/environments.md").read_text(encoding="utf-8")


def has(*libraries: str) -> bool:
    return all(importlib.util.find_spec(library) for library in libraries)


def run(name: str, *words: str) -> dict[str, Any]:
    out = Path(words[-1])
    call = [sys.executable, str(ROOT / "examples" / name), *words]
    done = subprocess.run(call, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    return found


@pytest.mark.skipif(not has("sb3_contrib"), reason="the extra rl is not installed")
def test_maskable_ppo_learns(tmp_path: Path) -> None:
    """Two seconds are enough to lose fewer points than an untrained network."""
    words = ["--seconds", "2", "--every", "60", "--games", "300", "--draw", str(tmp_path / "curve.svg")]
    curve = run("maskable_ppo.py", *words, "--out", str(tmp_path / "out.json"))["curve"]
    assert curve[0]["steps"] == 0 and curve[-1]["steps"] > 1000
    assert curve[-1]["rounds"] >= 300
    assert (tmp_path / "curve.svg").read_text(encoding="utf-8").startswith("<?xml")


@pytest.mark.skipif(not has("gymnasium"), reason="the extra envs is not installed")
def test_the_vector_environment_is_measured(tmp_path: Path) -> None:
    words = ["--opponents", "random", "--tables", "64", "--steps", "3", "--repeats", "1"]
    rates = run("vector_steps.py", *words, "--out", str(tmp_path / "out.json"))["rates"]
    assert [row["threads"] for row in rates] == [1, 2]
    assert all(row["steps_per_processor_second"] > 0 for row in rates)


def test_the_page_says_what_was_measured() -> None:
    curve = json.loads((ROOT / "results/maskable-ppo.json").read_text(encoding="utf-8"))
    speed = json.loads((ROOT / "results/vector-env.json").read_text(encoding="utf-8"))
    assert bridge_pages.learning_sentence(curve) in " ".join(PAGE.split())
    assert bridge_pages.speed_table(speed) in PAGE
    assert curve["curve"][-1]["ci95"][0] > 0.5  # it beats its opponent


def test_the_page_on_openspiel_says_what_was_measured() -> None:
    names = ("openspiel-there", "openspiel-simple-here", "openspiel-ismcts-here")
    there, *here = (json.loads((ROOT / f"results/{name}.json").read_text(encoding="utf-8")) for name in names)
    page = (ROOT / "docs/openspiel.md").read_text(encoding="utf-8")
    assert bridge_pages.openspiel_table(there, here) in page


@pytest.mark.skipif(not has("stable_baselines3"), reason="the extra rl is not installed")
def test_tables_for_stable_baselines_say_what_they_lack() -> None:
    from ginrummy.bridges.sb3 import GinRummyVecEnv

    env = GinRummyVecEnv(3, opponent="random")
    env.reset()
    assert env.has_attr("action_masks") and not env.has_attr("colour")
    assert [mask.sum() for mask in env.env_method("action_masks", indices=[0, 2])] == [2, 2]
    for call in (
        lambda: env.env_method("fly"),
        lambda: env.get_attr("colour"),
        lambda: env.set_attr("colour", 1),
    ):
        with pytest.raises(AttributeError, match="the tables have no"):
            call()


@pytest.mark.skipif(not has("pyspiel"), reason="the extra openspiel is not installed")
def test_our_players_meet_the_bots_of_openspiel_at_its_table(tmp_path: Path) -> None:
    words = ["--players", "simple", "--bots", "random", "--rounds", "6", "--out", str(tmp_path / "out.json")]
    (result,) = run("openspiel_match.py", *words)["matches"]
    assert result["rounds"] == 6 and result["points_per_round"] > 0
