"""Marks of decisions: doubtful, mistake, blunder, by the winning chance that they lost.

A loss is measured by play in sampled worlds and has a standard error. A decision is marked when two things
hold: the loss itself reaches the threshold of the mark, and it is at least ``SURE`` standard errors above 0.
So a long error bar never makes a mark on its own; what is only perhaps a mistake stays without a mark.
"""

from ginrummy.stats import Estimate

DOUBTFUL, MISTAKE, BLUNDER = MARKS = ("doubtful", "mistake", "blunder")
THRESHOLDS = {DOUBTFUL: 0.01, MISTAKE: 0.02, BLUNDER: 0.04}
"""Least loss of winning chance."""
SURE = 2.0
"""Standard errors by which a loss must be above 0."""
MATTERS = 0.01
"""A decision mattered if a near answer costs this much winning chance."""
SYMBOLS = {DOUBTFUL: "?!", MISTAKE: "?", BLUNDER: "??"}
"""As chess players write them."""


def mark_of(loss: Estimate) -> str:
    """The mark of a loss; empty when there is none."""
    if loss.value < SURE * loss.error:
        return ""
    reached = [mark for mark in MARKS if loss.value >= THRESHOLDS[mark]]
    return reached[-1] if reached else ""


def mattered(costs: list[Estimate], mark: str) -> bool:
    """Whether a decision mattered, from what each answer costs, the best first.

    It did if the third best answer, or the second of two, costs ``MATTERS`` or more: somebody who chooses
    among the natural answers could lose something. A marked decision mattered in any case.
    """
    if mark:
        return True
    if len(costs) < 2:
        return False
    near = costs[min(2, len(costs) - 1)]
    return near.value >= max(MATTERS, near.error)
