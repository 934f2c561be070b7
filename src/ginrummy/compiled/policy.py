"""A player made of kernels alone: four deciders over one record of a view, and their constants.

    draw(seen, p, u, scratch)         -> whether to take the upcard
    discard(seen, p, u, scratch)      -> the card to discard
    knock(seen, p, u, scratch)        -> whether to knock; asked only where the rules allow it
    spread(seen, p, u, scratch, out)  the melds to lay down, to ``out`` [1, 4]; zeros at the end

``seen`` is a record of ``view.VIEW``, which no decider writes to; ``p`` are the player's constants; ``u`` is
a uniform number in [0, 1); ``scratch`` is room for ``SCRATCH`` integers, whose content means nothing.

The same four kernels serve every loop: ``passes`` binds them into compiled loops, and the deciders of
``Compiled`` ask them about the rows of a batch, for lockstep.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

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
def _asking(open_kernel: Kernel, decide: Kernel) -> Kernel:
    """A decider asked about the rows of a batch: (view, rows, u, p, scratch, out)."""
    return bound(open_kernel, decide=decide)


class _Room(threading.local):
    """Scratch room, one for each thread: kernels run side by side in threads."""

    def __init__(self) -> None:
        self.scratch = np.empty(SCRATCH, np.int64)


_ROOM = _Room()


@dataclass(frozen=True)
class Compiled:
    """A policy with its constants: all that a compiled loop needs to know of a player.

    Its deciders are functions with everything bound: at one table they take little longer than their kernels.
    """

    policy: Policy
    constants: tuple[float, ...] = (0.0,)
    """``p`` of the deciders."""

    @cached_property
    def array(self) -> FloatArray:
        """The constants as kernels take them."""
        return np.array(self.constants, np.float64)

    @cached_property
    def draw(self) -> Callable[[View, IntArray, FloatArray], BoolArray]:
        """[N] bool: whether to take the upcard."""
        return self._answers(self.policy.draw, np.dtype(np.bool_))

    @cached_property
    def discard(self) -> Callable[[View, IntArray, FloatArray], IntArray]:
        """[N] int8: the card to discard."""
        return self._answers(self.policy.discard, np.dtype(np.int8))

    @cached_property
    def knock(self) -> Callable[[View, IntArray, FloatArray], BoolArray]:
        """[N] bool: whether to knock."""
        return self._answers(self.policy.knock, np.dtype(np.bool_))

    @cached_property
    def spread(self) -> Callable[[View, IntArray, FloatArray], IntArray]:
        """[N, 4] int64: the melds to lay down."""
        ask, constants = _asking(_spread_rows, self.policy.spread), self.array

        def decide(view: View, rows: IntArray, u: FloatArray) -> IntArray:
            out = np.empty((len(rows), MAX_MELDS), np.int64)
            ask(view, rows, u, constants, _ROOM.scratch, out)
            return out

        return decide

    def _answers(self, kernel: Kernel, dtype: np.dtype[Any]) -> Callable[..., Any]:
        ask, constants = _asking(_answer_rows, kernel), self.array

        def decide(view: View, rows: IntArray, u: FloatArray) -> Any:
            out = np.empty(len(rows), dtype)
            ask(view, rows, u, constants, _ROOM.scratch, out)
            return out

        return decide
