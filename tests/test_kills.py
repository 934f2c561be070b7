"""A few attacks of ``kill_runs.py``: whatever is killed or stopped, the counters stay the same."""

import sys
from pathlib import Path

import pytest

from kill_runs import torment


@pytest.mark.skipif(sys.platform != "linux", reason="finds workers in /proc")
def test_killed_runs_end_with_the_same_bytes(tmp_path: Path) -> None:
    report = torment(tmp_path, kills=4, seed=7, games=100_000)
    assert report.same
    assert report.blows.total() == 4
