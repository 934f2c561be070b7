"""What a discard is worth to the opponent: a table learned from play, and how to read it.

Source: Goldstein, Astudillo Guerra, Haigh, Cruz Ulloa and Blum, "Extracting Learned Discard and Knocking
Strategies from a Gin Rummy Bot" (EAAI 2021), equation 4. The opponent *gains* the points by which its
deadwood falls if it takes the card and throws away its dearest loose card. A cell of the table is what one
may know about a discard:

    rank                 of the discard, ace 0 … king 12
    own, theirs, gone    other cards of its rank: in the own hand, known to be the opponent's, in the pile
    up 1, up 2           states of the suited cards one and two ranks above
    down 1, down 2       states of the suited cards one and two ranks below

Each state is ``UNKNOWN``, ``GONE`` (in the pile, or off the board), ``OWN`` or ``THEIRS``. All arrays have
the shape ``SHAPE``, with these eight axes in this order:

    table = read()                                # the shipped file, data/opponent-table.npz
    king = table.mean[12, 0, 0, 0, GONE, GONE, UNKNOWN, UNKNOWN]    # a king with nothing known about it
    gain = table.over((6,), up_1=GONE)            # sevens whose upper neighbour is gone, all else unknown

``ginrummy train opponent-table`` makes the file.
"""

from collections.abc import Iterable
from functools import cache
from io import BytesIO
from typing import NamedTuple
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from ginrummy import artefacts
from ginrummy._jit import count, inlined, lean
from ginrummy.cards import RANK
from ginrummy.errors import BadInput
from ginrummy.stats import Estimate

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

UNKNOWN, GONE, OWN, THEIRS = range(4)
"""States of a suited neighbour."""
SHAPE = (13, 4, 4, 4, 4, 4, 4, 4)
"""Rank; other cards of the rank that are own, theirs, gone; states of up 1, up 2, down 1, down 2."""
CELLS = 13 * 4**7
FILE = "opponent-table.npz"
SHRINKAGE = 100
"""Observations at which a cell counts as much as its parent does."""
ENDS = (20, 21)
"""Shape of the ends of rounds: own turn from 1 (the last one serves all later turns), own turns to come."""


@inlined
def _state(card, step, hand, theirs, pile):
    """The state of the suited card ``step`` ranks away."""
    rank = card % 13 + step
    if rank < 0 or rank > 12:
        return GONE
    bit = np.int64(1) << (card + step)
    if pile & bit:
        return GONE
    if hand & bit:
        return OWN
    return THEIRS if theirs & bit else UNKNOWN


@lean
def cell_of(card, hand, theirs, pile):
    """Number of the cell of a discard.

    ``hand`` is the own hand, with or without the card; ``theirs`` are the cards that the opponent is known
    to hold; ``pile`` are the cards of the pile.
    """
    others = (np.int64(RANK) << card % 13) & ~(np.int64(1) << card)
    cell = np.int64(card % 13)
    cell = cell << 2 | count(hand & others)
    cell = cell << 2 | count(theirs & others)
    cell = cell << 2 | count(pile & others)
    cell = cell << 2 | _state(card, 1, hand, theirs, pile)
    cell = cell << 2 | _state(card, 2, hand, theirs, pile)
    cell = cell << 2 | _state(card, -1, hand, theirs, pile)
    return cell << 2 | _state(card, -2, hand, theirs, pile)


class OpponentTable(NamedTuple):
    """Means and errors of the opponent's gain, with the number of observations behind them."""

    n: Ints  # [SHAPE] observations: one potential discard of one hand each
    mean: Floats  # [SHAPE] mean gain in points; 0 where nothing was observed
    error: Floats  # [SHAPE] its standard error, clustered by batches of rounds; 0 where nothing was observed
    melds: Floats  # [SHAPE] share of the observations in which the card melds with the opponent's cards
    ends: Ints  # [ENDS] discards by own turn and by own turns that were still to come in the round

    def value(self) -> Floats:
        """[SHAPE] the mean gain, shrunk: a cell with few observations is drawn towards its parent.

        The parent of a cell is the mean over all states of the neighbours, for the same rank and counts; the
        parent of that is the mean of the rank. A cell counts by its observations, the parent as much as
        ``SHRINKAGE`` observations.
        """
        n, total = self.n.astype(np.float64), self.n * self.mean
        ranks = total.sum(axis=tuple(range(1, 8))) / np.maximum(n.sum(axis=tuple(range(1, 8))), 1)
        axes = tuple(range(4, 8))
        parent = ranks.reshape(13, 1, 1, 1)
        counts = (total.sum(axis=axes) + SHRINKAGE * parent) / (n.sum(axis=axes) + SHRINKAGE)
        found: Floats = (total + SHRINKAGE * counts.reshape(13, 4, 4, 4, 1, 1, 1, 1)) / (n + SHRINKAGE)
        return found

    def value_of_program(self) -> Floats:
        """[SHAPE] the gain as the authors' program reads its table, with its quirks.

        An unknown card two above is noted as "one above is unknown, two above is gone"; so such cells share
        one mean. Cells with fewer than ``SHRINKAGE`` observations are drawn towards zero.
        """
        n, total = self.n.astype(np.float64), self.n * self.mean
        for array in (n, total):
            array[:, :, :, :, UNKNOWN, GONE] += array[:, :, :, :, :, UNKNOWN].sum(axis=4)
            array[:, :, :, :, :, UNKNOWN] = array[:, :, :, :, UNKNOWN, GONE][:, :, :, :, None]
        found: Floats = total / np.maximum(n, SHRINKAGE)
        return found

    def over(
        self,
        ranks: Iterable[int],
        own: int = 0,
        theirs: int = 0,
        gone: int = 0,
        up_1: int = UNKNOWN,
        up_2: int = UNKNOWN,
        down_1: int = UNKNOWN,
        down_2: int = UNKNOWN,
    ) -> Estimate:
        """Mean gain over some ranks, each counted equally, with what is known of the other cards.

        Ranks at the edge have no neighbour there: for them that state is ``GONE`` whatever is given.
        """
        means, errors = [], []
        for rank in ranks:
            cell = (
                rank, own, theirs, gone,
                up_1 if rank < 12 else GONE, up_2 if rank < 11 else GONE,
                down_1 if rank > 0 else GONE, down_2 if rank > 1 else GONE,
            )  # fmt: skip
            if not self.n[cell]:
                raise BadInput(f"nothing was observed in cell {cell} of the opponent table")
            means.append(self.mean[cell])
            errors.append(self.error[cell])
        return Estimate(float(np.mean(means)), float(np.linalg.norm(errors) / len(errors)))

    def weights(self, most: int = 8) -> Floats:
        """[20, most + 1] chance that 0, 1, … own turns are to come, by own turn; the last: ``most`` or more.

        Turns at which nothing was observed have the chances of the last turn before them.
        """
        rows = np.zeros((ENDS[0], most + 1))
        for turn, seen in enumerate(self.ends):
            if seen.sum():
                rows[turn, :most] = seen[:most] / seen.sum()
                rows[turn, most] = seen[most:].sum() / seen.sum()
            elif turn:
                rows[turn] = rows[turn - 1]
        return rows


def payload(table: OpponentTable) -> bytes:
    """A table as the content of its file: only cells with observations."""
    cells = np.flatnonzero(table.n)
    file = BytesIO()
    np.savez_compressed(
        file,
        cells=cells.astype(np.int32),
        n=table.n.ravel()[cells].astype(np.int32),
        mean=table.mean.ravel()[cells].astype(np.float32),
        error=table.error.ravel()[cells].astype(np.float32),
        melds=table.melds.ravel()[cells].astype(np.float32),
        ends=table.ends.astype(np.int64),
    )
    return file.getvalue()


@cache
def read(name: str = FILE) -> OpponentTable:
    """The table in a trained file, checked."""
    try:
        with np.load(BytesIO(artefacts.load(name)), allow_pickle=False) as file:
            cells, ends = file["cells"], file["ends"]
            arrays = {key: np.zeros(CELLS) for key in ("n", "mean", "error", "melds")}
            for key, array in arrays.items():
                array[cells] = file[key]
    except (ValueError, KeyError, IndexError, OSError, BadZipFile) as error:
        raise BadInput(f"{name} is not an opponent table: {error}") from None
    if ends.shape != ENDS or not all(np.isfinite(array).all() for array in arrays.values()):
        raise BadInput(f"{name} is not an opponent table: its numbers do not fit")
    n, mean, spread, melds = (array.reshape(SHAPE) for array in arrays.values())
    return OpponentTable(n.astype(np.int64), mean, spread, melds, ends)


def empty() -> OpponentTable:
    """A table without observations: every discard is worth nothing to the opponent."""
    zeros = np.zeros(SHAPE)
    return OpponentTable(zeros.astype(np.int64), zeros, zeros, zeros, np.ones(ENDS, np.int64))
