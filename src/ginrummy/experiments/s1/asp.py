"""Paper S1: the strings that order the rows of its pictures, found by exhaustive search.

An ambi-superpermutation of n elements holds every order of them, read forwards or backwards.
"""

from dataclasses import dataclass

from ginrummy.estimators import superpermutations
from ginrummy.experiments.frame.drawings import Cell, Sheet
from ginrummy.experiments.frame.evidence import Point, Subject
from ginrummy.experiments.frame.experiment import Facts
from ginrummy.experiments.frame.verdicts import Published, Row, Statement, claim, value
from ginrummy.stats import Estimate
from ginrummy.typed import Counters, read, write

_PUBLISHED = {"four, either way": 17, "four, forwards": 33}
"""Subject -> the length that the paper gives for a shortest string. For three elements it gives an example,
12312, and does not call it shortest."""


@dataclass(frozen=True)
class Orders:
    """Which orders a string is to hold."""

    n: int
    """How many elements are ordered."""
    ambi: bool
    """Read forwards or backwards."""


@dataclass(frozen=True)
class Shortest:
    """What the search found."""

    text: str
    length: int
    reach: tuple[int, ...]
    """How many orders strings reach that waste 0, 1, 2… symbols."""
    n: int
    ambi: bool


def search(orders: Orders) -> Counters:
    """A shortest string, by a search that leaves nothing out."""
    most, text = superpermutations.reach(orders.n, ambi=orders.ambi)
    return dict(write(Shortest(text, len(text), tuple(most), orders.n, orders.ambi)))


def _found(points: list[Point[Orders]]) -> dict[str, Shortest]:
    return {point.series: read(Shortest, point.counts, point.series) for point in points}


def cells(points: list[Point[Orders]]) -> list[Cell]:
    """The lengths."""
    rows = []
    for name, found in _found(points).items():
        known = _PUBLISHED.get(name)
        published = Published(name, known, None, 0, unit="count") if known else None
        rows.append(Cell(name, "shortest", Estimate(found.length, 0.0), "count", published))
    return rows


def compare(points: list[Point[Orders]]) -> list[Row]:
    """The published lengths, the published strings, and why none is shorter."""
    found = _found(points)
    rows = [
        value(
            Published(f"length of a shortest string, {name}", length, None, 0, unit="count"),
            f"exhaustive search, {found[name].text}",
            Estimate(found[name].length, 0.0),
        )
        for name, length in _PUBLISHED.items()
    ]
    for n, text in ((3, superpermutations.ASP3), (4, superpermutations.ASP4)):
        orders = len(superpermutations.covered(text, n, ambi=True))
        all_orders = found["three, either way" if n == 3 else "four, either way"].reach[-1]
        rows.append(
            claim(
                f"{text} holds every order of {n} elements, forwards or backwards",
                "orders in it, of those there are",
                [Statement("orders", Estimate(orders / all_orders, 0.0), low=1 - 1e-9, unit="rate")],
            )
        )
    rows.append(
        claim(
            "ours: the paper's example for three elements, 12312, is as short as can be",
            "length of a shortest string, by exhaustive search",
            [_exactly("symbols", found["three, either way"].length, len(superpermutations.ASP3))],
        )
    )
    rows.append(_star_diagram())
    rows.append(_none_shorter(found["four, either way"]))
    return rows


def _star_diagram() -> Row:
    text = superpermutations.ASP4
    stars = superpermutations.stars(text, 4)
    return claim(
        "its star diagram has 48 stars, each order appears once, and three columns have four stars",
        "counted",
        [
            _exactly("stars", sum(stars), 48),
            _exactly("subpermutations", len(superpermutations.subpermutations(text, 4)), 12),
            _exactly("columns with four stars", stars.count(4), 3),
        ],
    )


def _none_shorter(found: Shortest) -> Row:
    """A text of 16 symbols has 13 windows of four, so to hold 12 orders it may waste one symbol."""
    allowed = 16 - 3 - 12
    return claim(
        "no ambi-superpermutation of four elements has 16 symbols",
        "orders within reach of a string that wastes one symbol, of 12 needed",
        [Statement("orders", Estimate(found.reach[allowed], 0.0), high=11.5, unit="count")],
    )


def _exactly(text: str, ours: int, said: int) -> Statement:
    return Statement(text, Estimate(ours, 0.0), said - 0.5, said + 0.5, "count")


ASP = Facts(
    id="S1-asp",
    paper="S1",
    title="Ambi-superpermutations",
    measures="Shortest strings that hold every order of three, four and five elements, read either way or "
    "forwards only, by a search that leaves nothing out.",
    settings=Orders,
    subjects=(
        Subject("three, either way", Orders(3, ambi=True)),
        Subject("four, either way", Orders(4, ambi=True)),
        Subject("five, either way", Orders(5, ambi=True)),
        Subject("three, forwards", Orders(3, ambi=False)),
        Subject("four, forwards", Orders(4, ambi=False)),
    ),
    work=search,
    compare_points=compare,
    drawing=Sheet(cells),
)

EXPERIMENTS = {ASP.id: ASP}
