"""``add_16`` and ``add_32``: layers added up in registers give what the sums written out give, to the bit."""

import numpy as np
import pytest

from ginrummy._jit import Kernel, add_16, add_32, kernel


@kernel
def _add_16(x, n, p, at, out):
    add_16(x, n, p, at, out)


@kernel
def _add_32(x, n, p, at, out):
    add_32(x, n, p, at, out)


@pytest.mark.parametrize(("lanes", "add"), [(16, _add_16), (32, _add_32)])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("n", [2, 4, 40])
def test_sums_are_those_of_even_and_odd_inputs(lanes: int, add: Kernel, kind: type, n: int) -> None:
    rng = np.random.default_rng(n + lanes)
    x, p = rng.normal(size=n).astype(kind), rng.normal(size=5 + n * lanes + 7).astype(kind)
    out = rng.normal(size=lanes + 3).astype(kind)
    before, rows = out.copy(), p[5 : 5 + n * lanes].reshape(n, lanes)
    add(x, n, p, 5, out)
    even, odd = x[0] * rows[0], x[1] * rows[1]
    for j in range(2, n, 2):
        even, odd = even + x[j] * rows[j], odd + x[j + 1] * rows[j + 1]
    assert (out[:lanes] == before[:lanes] + (even + odd)).all()
    assert (out[lanes:] == before[lanes:]).all()
