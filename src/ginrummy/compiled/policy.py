"""A player made of kernels alone: four deciders over one record of a view, and their constants.

    draw(seen, p, u, scratch)         -> whether to take the upcard
    discard(seen, p, u, scratch)      -> the card to discard
    knock(seen, p, u, scratch)        -> whether to knock; asked only where the rules allow it
    spread(seen, p, u, scratch, out)  the melds to lay down, to ``out`` [1, 4]; zeros at the end

``seen`` is a record of ``view.VIEW``, which no decider writes to; ``p`` are the player's constants; ``u`` is
a uniform number in [0, 1); ``scratch`` is room for ``SCRATCH`` integers, whose content means nothing.

The same four kernels serve every loop: ``passes`` binds them into compiled loops, and the methods of
``Compiled`` ask them about the rows of a batch, for lockstep.
"""

from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from ginrummy._jit import Kernel, bound, template
from ginrummy.meld_kernels import MAX_MELDS
from ginrummy.view import BoolArray, FloatArray, IntArray, View

# ruff: noqa: F821
# mypy: disable-error-code=name-defined
# Both tools would report ``decide``, the open name of the templates below.

SCRATCH = 512
"""Integers of room that a decider may use."""


@dataclass(frozen=True)
class Policy:
    """The deciders of a player, as kernels."""

    draw: Kernel
    discard: Kernel
    knock: Kernel
    spread: Kernel


@template
def _answer_rows(view, rows, u, p, scratch, out):
    for k in range(rows.shape[0]):
        out[k] = decide(view[rows[k]], p, u[k], scratch)


@template
def _spread_rows(view, rows, u, p, scratch, out):
    for k in range(rows.shape[0]):
        decide(view[rows[k]], p, u[k], scratch, out[k : k + 1])


@cache
def _asking(policy: Policy) -> Policy:
    """A policy's deciders, each asked about the rows of a batch: (view, rows, u, p, scratch, out)."""
    return Policy(
        draw=bound(_answer_rows, decide=policy.draw),
        discard=bound(_answer_rows, decide=policy.discard),
        knock=bound(_answer_rows, decide=policy.knock),
        spread=bound(_spread_rows, decide=policy.spread),
    )


@dataclass(frozen=True)
class Compiled:
    """A policy with its constants: all that a compiled loop needs to know of a player."""

    policy: Policy
    constants: tuple[float, ...] = (0.0,)
    """``p`` of the deciders."""

    @cached_property
    def array(self) -> FloatArray:
        """The constants as kernels take them."""
        return np.array(self.constants, np.float64)

    @cached_property
    def rows(self) -> Policy:
        """The deciders, asked about rows of a batch."""
        return _asking(self.policy)

    def draw(self, view: View, rows: IntArray, u: FloatArray) -> BoolArray:
        """[N] bool: whether to take the upcard."""
        out = np.empty(len(rows), np.bool_)
        self.rows.draw(view, rows, u, self.array, np.empty(SCRATCH, np.int64), out)
        return out

    def discard(self, view: View, rows: IntArray, u: FloatArray) -> IntArray:
        """[N] int8: the card to discard."""
        out = np.empty(len(rows), np.int8)
        self.rows.discard(view, rows, u, self.array, np.empty(SCRATCH, np.int64), out)
        return out

    def knock(self, view: View, rows: IntArray, u: FloatArray) -> BoolArray:
        """[N] bool: whether to knock."""
        out = np.empty(len(rows), np.bool_)
        self.rows.knock(view, rows, u, self.array, np.empty(SCRATCH, np.int64), out)
        return out

    def spread(self, view: View, rows: IntArray, u: FloatArray) -> IntArray:
        """[N, 4] int64: the melds to lay down."""
        out = np.empty((len(rows), MAX_MELDS), np.int64)
        self.rows.spread(view, rows, u, self.array, np.empty(SCRATCH, np.int64), out)
        return out
