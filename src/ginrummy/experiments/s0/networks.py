"""Paper S0: losses and accuracies of the knock network and of the card-value network, on fresh decks.

The text says "1 or 0 if knocking results in a hand win or loss" and "each upcard draw decision", which leaves
open what rows the networks learned from. Each reading's own network is judged by rows of its own kind. The
reading of ``profile=text`` is chosen here, by nearness to the published loss and accuracy.
"""

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from ginrummy.experiments.frame.drawings import Cell, Sheet
from ginrummy.experiments.frame.evidence import Point, Subject
from ginrummy.experiments.frame.experiment import SEED_OFFSET, Counts
from ginrummy.experiments.frame.rates import by_series
from ginrummy.experiments.frame.verdicts import Published, Row, Statement, claim, value
from ginrummy.experiments.s0.hand_counts import is_hit
from ginrummy.judging.shards import Shard
from ginrummy.judging.sums import Sums, cluster_sums
from ginrummy.networks import network
from ginrummy.players.registry import make_player
from ginrummy.stats import Estimate, Unit
from ginrummy.tables import Records
from ginrummy.typed import Counters, read

CHANCES, KNOCKS, WITH_GIN = "chances to knock", "knocks made", "knocks made, gin-only players too"
HALF = "chances to knock, half the rows"
TAKEN, ALL, HITS = "cards taken", "all decisions", "hitting cards taken"
STRIDE = 1_000_000
"""Each pair of players has games of its own, so that no deck is played twice."""
MORE = 20
"""Games of upcards for one game of each pair of knock limits."""
CLIP = 1e-7
"""How far the network library of the paper keeps beliefs away from 0 and 1 in its loss."""


@dataclass(frozen=True)
class Losses:
    """The shape of what evidence keeps of a network."""

    games: int
    sums: Counters


@dataclass(frozen=True)
class Judged:
    """A network and the rows that it is judged by."""

    model: str
    rows: str
    """Kind of rows: of decisions to knock, or of upcards."""
    lowest: int = 1
    """Least knock limit of the players."""


NETWORKS = {
    CHANCES: Judged("knock-chances.onnx", CHANCES),
    KNOCKS: Judged("knock.onnx", KNOCKS),
    WITH_GIN: Judged("knock-gin.onnx", KNOCKS, 0),
    HALF: Judged("knock-chances-half.onnx", CHANCES),
    TAKEN: Judged("card-value.onnx", TAKEN),
    ALL: Judged("card-value-all.onnx", ALL),
    HITS: Judged("card-value.onnx", HITS),
}
KNOCK, VALUES = (CHANCES, KNOCKS, WITH_GIN), (TAKEN, ALL, HITS)

SQUARED, ENTROPY = "mean square error", "cross-entropy"
LOSS = {
    "0.5M rows": Published("loss of the knock network, 0.5M rows", 0.16, None, 0.01, unit="loss"),
    "1.0M rows": Published("loss of the knock network, 1.0M rows", 0.14, None, 0.01, unit="loss"),
}
ACCURACY = {
    "0.5M rows": Published("accuracy of the knock network, 0.5M rows", 0.83, None, 0.01, unit="accuracy"),
    "1.0M rows": Published("accuracy of the knock network, 1.0M rows", 0.84, None, 0.01, unit="accuracy"),
}
"""Table 5: the first row has its own network, the others share one."""
STEPS: tuple[tuple[str, str, float, Unit], ...] = (
    ("loss", "squared", 0.02, "loss"),
    ("accuracy", "right", 0.01, "accuracy"),
)
"""What is better in the later rows of Table 5, and by how much."""
COST = Published("mean square error of the card-value network", 8.2, None, 0.1, unit="mean")


def count_errors(judged: Judged, shard: Shard) -> Counters:
    """Losses of a network over the rows of some games of each pair of players."""
    if judged.rows in VALUES:
        keys, guess, truth = _upcards(judged, shard)
    else:
        keys, guess, truth = _knocks(judged, shard)
    sure = np.clip(guess, CLIP, 1 - CLIP)
    columns: dict[str, Any] = {
        "rows": np.ones(len(truth), np.int64),
        "squared": (guess - truth) ** 2,
        "target": truth,
        "target_squared": truth**2,
    }
    if judged.rows not in VALUES:
        columns["entropy"] = -np.where(truth == 1, np.log(sure), np.log(1 - sure))
        columns["right"] = ((guess >= 0.5) == (truth == 1)).astype(np.int64)
    return {"games": len(shard.games), "sums": cluster_sums(keys, columns)}


Found = tuple[npt.NDArray[np.int64], npt.NDArray[np.float64], npt.NDArray[np.float64]]
"""Cluster of each row, what the network says, what was true."""


def _knocks(judged: Judged, shard: Shard) -> Found:
    from ginrummy.training.nets.knock import readings
    from ginrummy.training.play_data import rows_of

    players = [make_player(f"simple:knock_at={limit}") for limit in range(judged.lowest, 11)]
    keys, x, y = [], [], []
    for place, (first, second) in enumerate(product(players, players)):
        games = range(place * STRIDE + shard.games.start, place * STRIDE + shard.games.stop)
        rows = rows_of(first, second, games, shard.rules, shard.seed)
        kept = readings(rows)[judged.rows]
        chosen = rows["could_knock"] if judged.rows == CHANCES else rows["knocked"]
        keys.append(rows["game"][chosen].astype(np.int64) // 2)
        x.append(kept.x)
        y.append(kept.y[:, 0])
    guess = network(judged.model)(np.concatenate(x))[:, 0]
    return np.concatenate(keys), guess.astype(np.float64), np.concatenate(y).astype(np.float64)


def _upcards(judged: Judged, shard: Shard) -> Found:
    from ginrummy.training.nets.card_value import PLAYER, upcard_rows
    from ginrummy.training.play_data import rows_of

    player = make_player(PLAYER)
    games = range(MORE * shard.games.start, MORE * shard.games.stop)
    rows: Records = rows_of(player, player, games, shard.rules, shard.seed)
    rows = rows[~((rows["event"] == 2) & (rows["turn"] == 1))]
    if judged.rows != ALL:
        rows = rows[rows["took"]]
    if judged.rows == HITS:
        rows = rows[is_hit(rows)]
    kept = upcard_rows(rows)
    guess = network(judged.model)(kept.x)[:, 0]
    return rows["game"].astype(np.int64) // 2, guess.astype(np.float64), kept.y[:, 0].astype(np.float64)


def _sums(points: list[Point[Judged]]) -> dict[str, Sums]:
    return {
        name: Sums(read(Losses, point.counts, name).sums for point in found)
        for name, found in by_series(points).items()
    }


def _losses(sums: Sums) -> dict[str, Estimate]:
    return {SQUARED: sums.per("rows", "squared"), ENTROPY: sums.per("rows", "entropy")}


def _variance(sums: Sums) -> Estimate:
    """The square error of saying the mean of the targets each time; its error is that of the mean square."""
    mean, square = sums.per("rows", "target"), sums.per("rows", "target_squared")
    return Estimate(square.value - mean.value**2, square.error)


def cells(points: list[Point[Judged]]) -> list[Cell]:
    """Losses and accuracies."""
    found = []
    for name, sums in _sums(points).items():
        if name in VALUES:
            row = f"card value, {name}"
            found.append(Cell(row, SQUARED, sums.per("rows", "squared"), "loss", COST))
            found.append(Cell(row, "the same of the mean alone", _variance(sums), "loss", drawn=False))
            continue
        row = f"knock, {name}"
        rows = "0.5M rows" if name == HALF else "1.0M rows"
        for kind, loss in _losses(sums).items():
            found.append(Cell(row, kind, loss, "loss", LOSS[rows] if kind == SQUARED else None))
        found.append(Cell(row, "accuracy", sums.per("rows", "right"), "accuracy", ACCURACY[rows]))
    return found


def compare(points: list[Point[Judged]]) -> list[Row]:
    """Table 5's loss and accuracy, the card-value network's loss, and which reading is nearest."""
    sums = _sums(points)
    rows: list[Row] = []
    for name in KNOCK:
        for kind in (SQUARED, ENTROPY):
            for size, said in LOSS.items():
                learned = HALF if (name, size) == (CHANCES, "0.5M rows") else name
                compared = f"our network of {'0.5M' if learned == HALF else '1.0M'} rows"
                right = sums[learned].per("rows", "right")
                rows += [
                    value(said, compared, _losses(sums[learned])[kind], reading=f"{name}, {kind}"),
                    value(ACCURACY[size], compared, right, reading=f"{name}, {kind}"),
                ]
    for name in VALUES:
        ours = sums[name].per("rows", "squared")
        rows.append(value(COST, "games of simple with hitting=0.5", ours, reading=name))
    return [*rows, *_nearest(sums), *_half(sums), *_too_large(sums)]


def _nearest(sums: dict[str, Sums]) -> list[Row]:
    """What decides between chances and knocks for ``profile=text``."""
    statements = []
    compared: tuple[tuple[str, float, str, Unit], ...] = (
        ("loss", LOSS["1.0M rows"].value, "squared", "loss"),
        ("accuracy", ACCURACY["1.0M rows"].value, "right", "accuracy"),
    )
    for what, said, top, unit in compared:
        near, far = (sums[name].per("rows", top) for name in (CHANCES, KNOCKS))
        gap = Estimate(abs(near.value - said), near.error) - Estimate(abs(far.value - said), far.error)
        statements.append(Statement(f"distance of {what}, chances less knocks", gap, high=0, unit=unit))
    return [
        claim(
            "ours: chances to knock come nearer to the published loss and accuracy than knocks made",
            "distances from 0.14 (as mean square error) and 0.84",
            statements,
            "The network of profile=text and of table 5 is chosen by this, not by win rates.",
        )
    ]


def _half(sums: dict[str, Sums]) -> list[Row]:
    """Whether half the rows are too few. Both networks are judged by the same games: the errors are wide."""
    statements = []
    for what, top, step, unit in STEPS:
        half, whole = (sums[name].per("rows", top) for name in (HALF, CHANCES))
        statements.append(Statement(f"{what}, half less whole", half - whole, -step / 2, step / 2, unit))
    return [
        claim(
            "reason: half the rows teach our network as much, so their number does not explain the steps of "
            "table 5",
            "loss (mean square error) and accuracy of both networks, less than half a published step apart",
            statements,
        )
    ]


def _too_large(sums: dict[str, Sums]) -> list[Row]:
    """A network that learns anything is below the variance of its target."""
    return [
        claim(
            "reason: the published loss is above the variance of the target, so the target was another one",
            "square error of the mean alone below 8.2",
            [Statement(name, _variance(sums[name]), high=COST.value, unit="mean") for name in VALUES],
        )
    ]


EXPERIMENTS = {
    "S0-networks": Counts(
        id="S0-networks",
        paper="S0",
        title="Losses and accuracies of the networks",
        measures="Loss and accuracy of the knock networks in games of the baseline with every pair of knock "
        "limits, and of the card-value networks in games of the baseline that takes half of the hitting "
        "cards, all on decks that no training has seen. Table 5 has a knock network from 0.5 million rows "
        "and one from 1.0 million; so has the first reading here, and in the others ours of 1.0 million "
        "stands beside both. The games count for each of the 100 pairs of limits; of the second kind there "
        "are 20 times as many.",
        settings=Judged,
        subjects=tuple(Subject(name, judged) for name, judged in NETWORKS.items()),
        sizes={"smoke": 4, "full": 100},
        seed_offset=SEED_OFFSET,
        work=count_errors,
        shard=10,
        compare_points=compare,
        drawing=Sheet(cells),
    )
}
