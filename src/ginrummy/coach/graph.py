"""The curve of winning chances as inline SVG: a line, dots, round borders, marks. No library, no script."""

from collections.abc import Sequence
from html import escape

from ginrummy.coach.marks import SYMBOLS
from ginrummy.coach.reviews import CurvePoint, Review

WIDTH, HEIGHT = 1000, 280
LEFT, RIGHT, TOP, BOTTOM = 44, 12, 26, 24


def place_x(number: int, total: int) -> float:
    """Where a point of the curve stands from left to right."""
    return LEFT + (WIDTH - LEFT - RIGHT) * (number / max(1, total - 1))


def place_y(chance: float) -> float:
    """Where a winning chance stands from top to bottom."""
    return TOP + (HEIGHT - TOP - BOTTOM) * (1.0 - min(1.0, max(0.0, chance)))


def graph(found: Review) -> str:
    """The curve of a review."""
    points = found.curve
    parts = [
        f'<svg id="graph" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="Winning chance of {escape(found.players[found.seat])} after every event">',
        *_grid(),
        *_rounds(points, found.first_round),
        _line(points),
        *_dots(points),
        *_marks(found),
        f'<line id="cursor" x1="{LEFT}" x2="{LEFT}" y1="{TOP}" y2="{HEIGHT - BOTTOM}"/>',
        "</svg>",
    ]
    return "\n".join(parts)


def _grid() -> list[str]:
    lines = []
    for percent in (0, 25, 50, 75, 100):
        y = place_y(percent / 100)
        kind = "half" if percent == 50 else "grid"
        lines.append(f'<line class="{kind}" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        lines.append(
            f'<text class="axis" x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{percent} %</text>'
        )
    return lines


def _rounds(points: Sequence[CurvePoint], first: int) -> list[str]:
    """A border where each round begins, with its number."""
    lines, total = [], len(points)
    starts = [n for n, point in enumerate(points) if n == 0 or point.place.round != points[n - 1].place.round]
    for k, start in enumerate(starts):
        x = place_x(start, total)
        end = place_x(starts[k + 1] if k + 1 < len(starts) else total - 1, total)
        lines.append(f'<line class="round" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{HEIGHT - BOTTOM}"/>')
        if end - x > 24:
            middle = (x + end) / 2
            text = f"round {first + k}" if end - x > 60 else str(first + k)
            lines.append(
                f'<text class="axis" x="{middle:.1f}" y="{HEIGHT - 7}" text-anchor="middle">{text}</text>'
            )
    return lines


def _line(points: Sequence[CurvePoint]) -> str:
    """The chances with both hands known, as one line."""
    places = [
        f"{place_x(n, len(points)):.1f},{place_y(point.win.value):.1f}"
        for n, point in enumerate(points)
        if point.win is not None
    ]
    return f'<polyline class="open" points="{" ".join(places)}"/>' if places else ""


def _dots(points: Sequence[CurvePoint]) -> list[str]:
    """The chances as the seat could know them."""
    return [
        f'<circle class="seen" cx="{place_x(n, len(points)):.1f}" cy="{place_y(point.seen):.1f}" r="2.4"/>'
        for n, point in enumerate(points)
        if point.seen is not None
    ]


def _marks(found: Review) -> list[str]:
    """The marked decisions of the seat, with their signs."""
    places = {point.place: (n, point) for n, point in enumerate(found.curve)}
    parts = []
    for one in found.marked:
        if one.place not in places:
            continue
        n, point = places[one.place]
        chance = point.seen if point.win is None else point.win.value
        x, y = place_x(n, len(found.curve)), place_y(chance or 0.0)
        title = escape(f"{one.mark}: {one.played}, best {one.best}, {100 * one.loss.value:.1f} % lost")
        above = y - 11 if y > TOP + 14 else y + 20
        parts.append(
            f'<g class="{one.mark}" data-at="{n}"><title>{title}</title>'
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5"/>'
            f'<text x="{x:.1f}" y="{above:.1f}" text-anchor="middle">{SYMBOLS[one.mark]}</text></g>'
        )
    return parts
