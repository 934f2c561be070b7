"""The page on scale is made from its evidence, and what it computes follows from measured costs."""

import json
from pathlib import Path

import pytest

from ginrummy.reports import scale_page
from ginrummy.reports.scale_page import Cost, experiment_costs, hours, ray_costs

ROOT = Path(__file__).parent.parent


def evidence() -> dict:
    return json.loads((ROOT / "results/scale.json").read_text(encoding="utf-8"))


def test_the_page_is_made_from_its_evidence() -> None:
    assert (ROOT / "docs/scale.md").read_text(encoding="utf-8") == scale_page.page(evidence())


def test_what_the_evidence_must_show() -> None:
    """The aims of the page that do not depend on what else the machine does."""
    found = evidence()
    largest = max(found["memory"]["runs"], key=lambda run: run["games"])
    assert largest["games"] == 10_000_000 and largest["peak_mb"] < 1000
    smaller = [run["peak_mb"] for run in found["memory"]["runs"] if run["games"] <= 1_000_000]
    assert largest["peak_mb"] < 1.2 * max(smaller)
    robin = found["pairings"]
    assert robin["pairings"] == 4950 and robin["same"]
    assert robin["shards_per_second_last_tenth"] > 0.7 * robin["shards_per_second_first_tenth"]
    assert found["driver"]["runs"][-1]["workers"] == 1000
    processes = found["overhead"]["executors"]["processes"]
    assert processes["total"] < 1.05 * processes["shards"]
    assert ray_costs(found).share(2, 3600) < 0.05
    assert found["stopping"]["wrong_valid"] <= 0.05 < found["stopping"]["wrong_ordinary"]


def test_costs_are_core_seconds_and_count_once(tmp_path: Path) -> None:
    def write(name: str, seconds: float, command: str, **more: object) -> None:
        made = {"command": command, "machine": "Linux, 2 cores"}
        (tmp_path / f"{name}.json").write_text(json.dumps({"seconds": seconds, "provenance": made} | more))

    write("S1-fig2", 10.0, "ginrummy reproduce S1-fig2 S1-fig3", seeds=[1, 2])
    write("S1-fig3", 10.0, "ginrummy reproduce S1-fig2 S1-fig3", seeds=[1, 2])
    write("S4-ga", 8.0, "ginrummy reproduce --workers 2", points=[{"counts": {"generations": [1, 2, 3]}}])
    write("S4-more", 8.0, "ginrummy reproduce --workers 4")
    write("bench", 5.0, "ginrummy bench")
    assert experiment_costs(tmp_path) == [
        Cost("S1-fig2", 10.0, 2),
        Cost("S4-ga", 16.0, 3),
        Cost("S4-more", 16.0, 1),
    ]


def test_more_cores_help_and_the_driver_is_a_limit() -> None:
    ray = {"seconds_to_first_shard": 10.0, "driver_cpu_ms_per_task": 1.0}
    costs = [Cost("a", 1e7, 1)]
    one, hundred, many = (hours(costs, cores, {"ray": ray}) for cores in (1, 100, 1000))
    assert one == pytest.approx((1e7 + 1) / 3600) and hundred < one / 99
    assert many == pytest.approx((1e4 + 2.5 + 10) / 3600)
    slow = {"ray": ray | {"driver_cpu_ms_per_task": 10.0}}  # a hundred tasks a second, each of two and a half
    assert hours(costs, 1000, slow) == pytest.approx((1e7 / 2.5 * 0.01 + 2.5 + 10) / 3600)
