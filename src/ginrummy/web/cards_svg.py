# ruff: noqa: E501  (drawings have long lines)
"""Playing cards as drawings of our own: pips in their usual places, court cards with simple figures.

``sprite`` is one SVG with a symbol for each card (``card-7H``), for the back and for an empty place. The ink of
a suit is ``currentColor``, so that a page chooses two or four colours by style alone. The sprite is the same
for everybody and for every game: it tells nothing about who holds what.
"""

from functools import cache

from ginrummy.cards import RANKS, SUITS

WIDTH, HEIGHT = 200, 280

PIPS = {
    "C": "M0-45C14-45 24-35 24-22C24-15 21-9 16-5C30-10 46-1 46 16C46 31 35 40 22 40C13 40 7 35 4 28"
    "C5 40 9 46 16 50H-16C-9 46-5 40-4 28C-7 35-13 40-22 40C-35 40-46 31-46 16C-46-1-30-10-16-5"
    "C-21-9-24-15-24-22C-24-35-14-45 0-45Z",
    "H": "M0 48C-8 34-44 10-44-16C-44-33-33-44-20-44C-10-44-3-38 0-29C3-38 10-44 20-44C33-44 44-33 44-16"
    "C44 10 8 34 0 48Z",
    "S": "M0-48C6-32 44-8 44 16C44 31 34 40 22 40C13 40 7 35 4 27C5 39 9 46 16 50H-16C-9 46-5 39-4 27"
    "C-7 35-13 40-22 40C-34 40-44 31-44 16C-44-8-6-32 0-48Z",
    "D": "M0-50C10-32 24-14 38 0C24 14 10 32 0 50C-10 32-24 14-38 0C-24-14-10-32 0-50Z",
}
"""Outlines of the suits around (0, 0), about 100 high."""

_LEFT, _MID, _RIGHT = 68, 100, 132
_TOP, _BOTTOM = 58, 222
_THIRD = (_BOTTOM - _TOP) / 3
PLACES: dict[str, list[tuple[float, float]]] = {
    "A": [(_MID, 140)],
    "2": [(_MID, _TOP), (_MID, _BOTTOM)],
    "3": [(_MID, _TOP), (_MID, 140), (_MID, _BOTTOM)],
    "4": [(_LEFT, _TOP), (_RIGHT, _TOP), (_LEFT, _BOTTOM), (_RIGHT, _BOTTOM)],
}
PLACES["5"] = [*PLACES["4"], (_MID, 140)]
PLACES["6"] = [*PLACES["4"], (_LEFT, 140), (_RIGHT, 140)]
PLACES["7"] = [*PLACES["6"], (_MID, 101)]
PLACES["8"] = [*PLACES["7"], (_MID, 179)]
_COLUMNS = [(x, _TOP + row * _THIRD) for row in range(4) for x in (_LEFT, _RIGHT)]
PLACES["9"] = [*_COLUMNS, (_MID, 140)]
PLACES["T"] = [*_COLUMNS, (_MID, _TOP + _THIRD / 2), (_MID, _BOTTOM - _THIRD / 2)]

_GOLD, _SKIN, _LINE = "#f0b429", "#f8dcc0", "#2b2118"
_ROBES = {
    "C": ("#23497f", "#b3263a"),
    "H": ("#b3263a", "#23497f"),
    "S": ("#31343f", "#b3263a"),
    "D": ("#b3263a", "#c9772b"),
}
"""Main and second colour of the court of each suit."""


@cache
def sprite() -> str:
    """All cards as symbols of one SVG."""
    cards = "".join(
        f'<symbol id="card-{rank}{suit}" viewBox="0 0 {WIDTH} {HEIGHT}">{face(rank, suit)}</symbol>'
        for suit in SUITS
        for rank in RANKS
    )
    back_symbol = f'<symbol id="card-back" viewBox="0 0 {WIDTH} {HEIGHT}">{back()}</symbol>'
    return f'<svg xmlns="http://www.w3.org/2000/svg" width="0" height="0">{cards}{back_symbol}</svg>'


def face(rank: str, suit: str) -> str:
    """The drawing of one card."""
    middle = _court(rank, suit) if rank in "JQK" else _pips(rank, suit)
    corner = _corner(rank, suit)
    return f'{_paper()}{middle}{corner}<g transform="rotate(180 100 140)">{corner}</g>'


def back() -> str:
    """The back of every card: a lattice with a border."""
    lines = "".join(f'<path d="M{x} 18L{x + 244} 262M{x + 244} 18L{x} 262"/>' for x in range(-226, 190, 22))
    return (
        f'<rect x="1.5" y="1.5" width="197" height="277" rx="15" fill="#fffdf8" stroke="#b9b2a3"/>'
        f'<svg x="14" y="14" width="172" height="252" viewBox="14 14 172 252">'
        f'<rect x="14" y="14" width="172" height="252" rx="8" fill="#8c1f2f"/>'
        f'<g stroke="#e9c46a" stroke-width="1.6" opacity=".75" fill="none">{lines}</g></svg>'
        f'<rect x="14" y="14" width="172" height="252" rx="8" fill="none" stroke="#e9c46a" stroke-width="3"/>'
        f'<circle cx="100" cy="140" r="34" fill="#8c1f2f" stroke="#e9c46a" stroke-width="3"/>'
        f'<g fill="#e9c46a">{_pip("S", 100, 124, 0.24)}{_pip("H", 84, 141, 0.24)}'
        f"{_pip('D', 116, 141, 0.24)}{_pip('C', 100, 158, 0.24)}</g>"
    )


def _paper() -> str:
    return '<rect x="1.5" y="1.5" width="197" height="277" rx="15" fill="#fffdf8" stroke="#b9b2a3" stroke-width="1.5"/>'


def _pip(suit: str, x: float, y: float, size: float, turned: bool = False) -> str:
    turn = " rotate(180)" if turned else ""
    return f'<path transform="translate({x:g} {y:g}) scale({size:g}){turn}" d="{PIPS[suit]}"/>'


def _corner(rank: str, suit: str) -> str:
    text = "10" if rank == "T" else rank
    squeeze = ' textLength="37" lengthAdjust="spacingAndGlyphs"' if rank == "T" else ""
    return (
        f'<g fill="currentColor"><text x="{26 if rank == "T" else 24}" y="44" font-size="40" font-weight="700" text-anchor="middle" '
        f"font-family=\"Georgia,'DejaVu Serif',serif\"{squeeze}>{text}</text>{_pip(suit, 24, 68, 0.27)}</g>"
    )


def _pips(rank: str, suit: str) -> str:
    size = 0.95 if rank == "A" else 0.4
    drawn = "".join(_pip(suit, x, y, size, turned=y > 141) for x, y in PLACES[rank])
    return f'<g fill="currentColor">{drawn}</g>'


def _court(rank: str, suit: str) -> str:
    """A figure that looks the same when the card is turned: one half, drawn twice."""
    half = {"J": _jack, "Q": _queen, "K": _king}[rank](*_ROBES[suit]) + (
        f'<g fill="currentColor">{_pip(suit, 64, 52, 0.34)}</g>'
    )
    window = f'<svg x="44" y="28" width="112" height="112" viewBox="44 28 112 112">{half}</svg>'
    return (
        f'<rect x="44" y="28" width="112" height="224" rx="4" fill="#fff8e6"/>{window}'
        f'<g transform="rotate(180 100 140)">{window}</g>'
        f'<path d="M44 140H156" stroke="{_LINE}" stroke-width="1"/>'
        f'<rect x="44" y="28" width="112" height="224" rx="4" fill="none" stroke="{_LINE}" stroke-width="1.5"/>'
    )


def _shoulders(main: str, second: str) -> str:
    """A robe with a collar and a band of gold."""
    dots = "".join(
        f'<circle cx="{x}" cy="{y}" r="2.2"/>' for x, y in ((66, 128), (80, 134), (120, 134), (134, 128))
    )
    return (
        f'<path d="M50 142C52 118 66 110 88 106H112C134 110 148 118 150 142Z" fill="{main}" stroke="{_LINE}" '
        f'stroke-width="1.5"/><path d="M88 106L100 142L112 106Z" fill="{second}" stroke="{_LINE}"/>'
        f'<path d="M88 106L100 140M112 106L100 140" stroke="{_GOLD}" stroke-width="3" fill="none"/>'
        f'<path d="M58 122C70 116 80 130 76 142M142 122C130 116 120 130 124 142" stroke="{_GOLD}" '
        f'stroke-width="2.5" fill="none"/><g fill="{_GOLD}">{dots}</g>'
    )


def _head(hair: str) -> str:
    """Face, eyes, nose and mouth."""
    return (
        f'{hair}<path d="M82 74C82 62 118 62 118 74V88C118 102 108 110 100 110C92 110 82 102 82 88Z" '
        f'fill="{_SKIN}" stroke="{_LINE}" stroke-width="1.3"/>'
        f'<g fill="none" stroke="{_LINE}" stroke-width="1.4" stroke-linecap="round">'
        '<path d="M87 79Q91.500 76 96 79M104 79Q108.500 76 113 79M100 82V91Q98 93 96.500 92"/></g>'
        f'<g fill="{_LINE}"><circle cx="91.500" cy="82.500" r="1.7"/><circle cx="108.500" cy="82.500" r="1.7"/></g>'
        '<path d="M95 99Q100 102.500 105 99" stroke="#a5303c" stroke-width="2" fill="none" stroke-linecap="round"/>'
    )


def _king(main: str, second: str) -> str:
    crown = (
        f'<path d="M78 68L74 44L88 56L100 38L112 56L126 44L122 68Z" fill="{_GOLD}" stroke="{_LINE}" '
        f'stroke-width="1.5" stroke-linejoin="round"/><path d="M78 68H122V62H78Z" fill="{second}" stroke="{_LINE}"/>'
        f'<g fill="{main}" stroke="{_LINE}" stroke-width=".8"><circle cx="74" cy="43" r="3"/>'
        '<circle cx="100" cy="37" r="3.500"/><circle cx="126" cy="43" r="3"/></g>'
    )
    hair = '<path d="M80 66C74 82 76 98 80 104L120 104C124 98 126 82 120 66Z" fill="#6b4423"/>'
    beard = (
        f'<path d="M82 88C84 120 116 120 118 88C114 97 108 95 100 95C92 95 86 97 82 88Z" fill="#6b4423" '
        f'stroke="{_LINE}"/><path d="M92 96Q100 91 108 96" stroke="#4a2e16" stroke-width="3" fill="none"/>'
    )
    sword = (
        f'<path d="M140 36L144 44V112H136V44Z" fill="#dfe4ea" stroke="{_LINE}"/>'
        f'<path d="M127 112H153V117H127Z" fill="{_GOLD}" stroke="{_LINE}"/>'
        f'<rect x="137" y="117" width="6" height="14" fill="{second}" stroke="{_LINE}"/>'
    )
    return _shoulders(main, second) + sword + _head(hair) + beard + crown


def _queen(main: str, second: str) -> str:
    hair = (
        '<path d="M78 70C68 88 70 112 64 124C76 128 84 118 86 104H114C116 118 124 128 136 124'
        'C130 112 132 88 122 70Z" fill="#a8642a" stroke="#2b2118"/>'
    )
    points = "".join(
        f'<circle cx="{x}" cy="{y}" r="3.200"/>'
        for x, y in ((80, 50), (90, 45), (100, 43), (110, 45), (120, 50))
    )
    crown = (
        f'<path d="M79 69Q76 60 80 52L88 62L90 47L97 60L100 45L103 60L110 47L112 62L120 52Q124 60 121 69'
        f'Q100 61 79 69Z" fill="{_GOLD}" stroke="{_LINE}" stroke-width="1.4" stroke-linejoin="round"/>'
        f'<g fill="{second}" stroke="{_LINE}" stroke-width=".8">{points}</g>'
    )
    petals = "".join(
        f'<ellipse cx="140" cy="92" rx="4" ry="9" transform="rotate({angle} 140 100)"/>'
        for angle in range(0, 360, 60)
    )
    flower = (
        f'<path d="M140 104C138 118 134 128 128 140" stroke="#2f7d3b" stroke-width="3" fill="none"/>'
        f'<g fill="{second}" stroke="{_LINE}" stroke-width=".7">{petals}</g><circle cx="140" cy="100" r="4" fill="{_GOLD}"/>'
    )
    necklace = f'<path d="M86 108Q100 122 114 108" stroke="{_GOLD}" stroke-width="3" fill="none"/>'
    return _shoulders(main, second) + _head(hair) + necklace + crown + flower


def _jack(main: str, second: str) -> str:
    hair = (
        '<path d="M80 70C72 86 74 104 78 110C84 112 88 106 88 100H112C112 106 116 112 122 110'
        'C126 104 128 86 120 70Z" fill="#d9a441" stroke="#2b2118"/>'
    )
    cap = (
        f'<path d="M74 68C72 50 90 42 108 46C122 48 130 58 126 68Q100 60 74 68Z" fill="{main}" stroke="{_LINE}" '
        f'stroke-width="1.4"/><path d="M74 68Q100 58 126 68L125 74Q100 65 75 74Z" fill="{_GOLD}" stroke="{_LINE}"/>'
        f'<path d="M112 50C122 34 138 34 148 42C138 44 128 52 116 58Z" fill="{second}" stroke="{_LINE}"/>'
        f'<path d="M114 55C124 44 136 42 146 42" stroke="#fff8e6" stroke-width="1.2" fill="none"/>'
    )
    staff = (
        f'<path d="M141 74V142" stroke="#7a4a21" stroke-width="5"/>'
        f'<path d="M141 58L150 76L141 84L132 76Z" fill="#dfe4ea" stroke="{_LINE}"/>'
    )
    return _shoulders(main, second) + staff + _head(hair) + cap
