"""How the points of an experiment are shown. ``reports.figures`` draws each kind."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ginrummy.experiments.frame.rates import curves
from ginrummy.experiments.frame.verdicts import Published
from ginrummy.judging.beliefs import BOUNDS
from ginrummy.judging.scores import METRICS
from ginrummy.stats import Estimate, Unit

Lines = Callable[[list[Any]], Mapping[str, Mapping[float, Estimate]]]
"""Points of the evidence -> series -> x -> number."""


class Curves(NamedTuple):
    """Lines against a parameter: win rates, unless ``lines`` says otherwise (a metric by turn, say)."""

    label: str
    """Of the horizontal axis."""
    baseline: Mapping[str, float] = {}
    """Series -> the opponent's own value of the parameter, where it is one number."""
    published: tuple[tuple[str, float, float], ...] = ()
    """Published numbers: series (empty when the paper does not say which), x, number."""
    lines: Lines = curves
    quantity: str = "win rate"
    """Of the vertical axis."""
    unit: Unit = "rate"
    level: float | None = 0.5
    """Where a line divides what is above from what is below."""
    bounds: tuple[str, ...] = ()
    """Series that are bounds, not results: dashed, and not drawn where they would flatten the others."""
    sizes: Callable[[list[Any]], Mapping[float, int]] | None = None
    """x -> the number of samples behind it, written along the bottom."""


class CrossTable(NamedTuple):
    """Win rates of every player against every other, as a heat map."""

    players: tuple[str, ...]
    """In order, by their names in the arms."""
    published: Mapping[tuple[str, str], tuple[float, float]]
    """(row, column) -> the published interval of the row player's win rate."""


class Cell(NamedTuple):
    """One number of a sheet."""

    row: str
    column: str
    ours: Estimate
    unit: Unit
    published: Published | None = None
    drawn: bool = True
    """Whether the figure shows it, or the table alone."""


class Sheet(NamedTuple):
    """A table of numbers with their published twins; drawn as one panel for each column."""

    cells: Callable[[list[Any]], list[Cell]]
    """Points of the evidence -> the numbers, by rows."""
    levels: Mapping[str, float] = {}
    """Column -> where a line divides its panel: one half for win rates."""
    folded: Callable[[list[Any]], Mapping[str, list[Cell]]] | None = None
    """Points of the evidence -> title -> more numbers, which a page shows as tables behind folds."""


class ShareMap(NamedTuple):
    """Shares by two quantities, as colours."""

    across: str
    """Of the horizontal axis."""
    down: str
    """Of the vertical axis."""
    columns: tuple[str, ...]
    rows: tuple[str, ...]
    """From top to bottom."""
    shares: Callable[[list[Any]], list[list[float | None]]]
    """Points of the evidence -> rows of shares; None where there is none."""
    quantity: str


Cells = Mapping[tuple[float, float], Estimate]
"""(row, column) -> number."""


class HeatMap(NamedTuple):
    """Win rates by two parameters in colour, in one or more panels; a single one is a table too."""

    panels: Callable[[list[Any]], Mapping[str, Cells]]
    """Points of the evidence -> title of a panel -> its cells; panels share their colours."""
    row: str
    """The parameter of the rows."""
    column: str
    """The parameter of the columns."""
    published: Mapping[str, tuple[float, float]] = {}
    """Panel -> the cell that the paper calls the best."""
    note: str = ""
    """What the colours show, when not the win rate of the row's player."""


Drawing = Curves | CrossTable | Sheet | HeatMap | ShareMap


def turn_curves(metric: str, lines: Lines, sizes: Callable[[list[Any]], Mapping[float, int]]) -> Curves:
    """A drawing of a metric of beliefs by turn, with both bounds."""
    shown = METRICS[metric]
    return Curves(
        "turn, with the number of moments",
        lines=lines,
        quantity=shown.label,
        unit=shown.unit,
        level=None,
        bounds=BOUNDS,
        sizes=sizes,
    )
