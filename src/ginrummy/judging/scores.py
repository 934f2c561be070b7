"""The table of metrics by name: how each is computed from judged beliefs, and how it is shown.

A new metric is a function in ``metrics`` and a line here. The first paper on estimation scores raw beliefs
over all 52 cards. The log loss and the Brier score of unknown cards judge masked beliefs, which players use.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy.typing as npt

from ginrummy.judging import metrics
from ginrummy.judging.beliefs import Judged
from ginrummy.stats import Unit


class Metric(NamedTuple):
    """How a metric is computed and shown."""

    score: Callable[[Judged], npt.NDArray[Any]]
    """Judged beliefs -> one number for each moment, [N]."""
    label: str
    unit: Unit
    high: bool = False
    """Whether more is better."""
    figure: int | None = None
    """Of paper S1."""


METRICS = {
    "mean_squared_difference": Metric(
        lambda of: metrics.mean_squared_difference(of.raw, of.truth),
        "mean squared difference",
        "belief",
        figure=2,
    ),
    "integrity_loss": Metric(lambda of: metrics.integrity_loss(of.raw), "integrity loss", "rate", figure=3),
    "minimum_top_largest": Metric(
        lambda of: metrics.minimum_top_largest(of.places), "minimum top largest", "mean", figure=4
    ),
    "top_n": Metric(lambda of: metrics.top_n(of.places), "top n cards", "mean", high=True, figure=5),
    "drift_area": Metric(lambda of: metrics.drift_area(of.places), "drift area", "mean", figure=6),
    "log_loss": Metric(
        lambda of: metrics.log_loss(of.masked, of.truth, of.known), "log loss, unknown cards", "belief"
    ),
    "brier": Metric(
        lambda of: metrics.mean_squared_difference(of.masked, of.truth, of.known),
        "Brier score, unknown cards",
        "belief",
    ),
    "raw_log_loss": Metric(lambda of: metrics.log_loss(of.raw, of.truth), "log loss, raw beliefs", "belief"),
    "overlap": Metric(
        lambda of: metrics.overlap(of.raw, of.truth, of.known),
        "share of unknown cards found",
        "rate",
        high=True,
    ),
    "overlap_3": Metric(
        lambda of: metrics.overlap(of.raw, of.truth, of.known, 3),
        "share of unknown cards found with three more picks",
        "rate",
        high=True,
    ),
    "program_difference": Metric(
        lambda of: metrics.program_difference(of.raw, of.truth),
        "root of the squared difference, by 52",
        "belief",
    ),
}
"""Every metric by turn. The last one is how the paper's own program computes the first."""
PAPER = tuple(name for name, metric in METRICS.items() if metric.figure)
"""The five metrics of paper S1, in its order."""
SHOWN = tuple(name for name in METRICS if name != "program_difference")
"""What a study shows."""
