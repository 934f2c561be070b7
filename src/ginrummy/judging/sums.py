"""Means and quotients with honest errors, from counters that add up.

What happens in the rounds of a mirrored pair is correlated: the two games share their decks. So every
quantity is added up by pair, and the sums over pairs of quantities and of their products are kept. They give
any quotient of two quantities, such as draws a hand, and its error clustered by pair.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ginrummy.errors import BadInput
from ginrummy.judging.shards import added
from ginrummy.stats import Estimate
from ginrummy.typed import Counters


@dataclass(frozen=True)
class SumCounts:
    """The shape of the counters of ``cluster_sums``."""

    clusters: int
    totals: dict[str, float]
    """Quantity -> its sum."""
    products: dict[str, dict[str, float]]
    """Quantity -> itself or a later one -> the sum over clusters of their product."""


def cluster_sums(keys: npt.NDArray[np.integer], columns: Mapping[str, npt.ArrayLike]) -> dict[str, Any]:
    """Counters of some quantities: their sums, and those of their products by cluster.

    ``keys`` [N] name the cluster of each row, ``columns`` are the quantities, [N] each. A cluster must
    not be split between shards.
    """
    _, place = np.unique(keys, return_inverse=True)
    size = int(place.max(initial=-1)) + 1
    by_cluster = {}
    for name, column in columns.items():
        values = np.asarray(column)
        added = np.zeros(size, np.float64 if values.dtype.kind == "f" else np.int64)
        np.add.at(added, place, values)
        by_cluster[name] = added
    return {
        "clusters": size,
        "totals": {name: added.sum().item() for name, added in by_cluster.items()},
        "products": {
            a: {b: (by_cluster[a] * by_cluster[b]).sum().item() for b in list(by_cluster)[k:]}
            for k, a in enumerate(by_cluster)
        },
    }


class Sums:
    """Counters of ``cluster_sums`` added up; gives means and quotients."""

    def __init__(self, counters: Iterable[Counters]) -> None:
        total = added(SumCounts, counters)
        self.clusters = total.clusters
        self.totals = total.totals
        self._products = total.products

    def total(self, *names: str) -> float:
        """The sum of some quantities over all clusters."""
        return sum(self.totals[name] for name in names)

    def per(self, bottom: str, *top: str) -> Estimate:
        """The sum of the ``top`` quantities divided by that of ``bottom``, with its clustered error."""
        if self.clusters < 2:
            raise BadInput(f"an error needs two clusters or more, not {self.clusters}")
        size = self.total(bottom)
        mean = self.total(*top) / size
        weights = dict.fromkeys(top, 1.0)
        weights[bottom] = weights.get(bottom, 0.0) - mean
        square = sum(u * v * self._product(a, b) for a, u in weights.items() for b, v in weights.items())
        return Estimate(mean, math.sqrt(max(0.0, square) * self.clusters / (self.clusters - 1)) / size)

    def _product(self, a: str, b: str) -> float:
        return self._products[a][b] if b in self._products[a] else self._products[b][a]
