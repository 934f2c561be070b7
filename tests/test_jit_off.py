"""Kernels as plain Python give what the compiled ones give: no result depends on the compiler."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import jit_off_checks
from ginrummy._jit import JIT_DISABLED

CHECKS = Path(__file__).parent / "jit_off_checks.py"


@pytest.mark.skipif(JIT_DISABLED, reason="compares with compiled kernels")
def test_python_and_compiled_kernels_agree() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error::RuntimeWarning", str(CHECKS)],
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    plain = json.loads(done.stdout)
    assert plain["jit_disabled"] is True
    for ours, theirs in zip(jit_off_checks.checks(), plain["found"], strict=True):
        assert ours.keys() == theirs.keys()
        for name in ours:
            assert ours[name] == theirs[name], name
