"""Standings and cross table as HTML."""

from html import escape

from ginrummy.web.catalogue import Catalogue
from ginrummy.web.standings import Meeting, Rated, Standings


def standings_html(standings: Standings, catalogue: Catalogue) -> str:
    """The players by rating, each with a bar for its 95 % interval."""
    rated = standings.rated
    if not rated:
        return "<p>No evidence of matches was found: run <code>ginrummy tournament</code>.</p>"
    shown = [row for row in rated if row.player != "random"] or list(rated)
    low, high = min(row.low for row in shown), max(row.high for row in shown)

    def place(rating: float) -> float:
        return 100 * min(1.0, max(0.0, (rating - low) / (high - low)))

    def line(number: int, row: Rated) -> str:
        bar = f"<i style='left:{place(row.low):.1f}%;right:{100 - place(row.high):.1f}%'></i>"
        return (
            f"<tr><td>{number}</td><td>{escape(catalogue.title(row.player))}</td>"
            f"<td class='number'>{row.rating:.0f}</td>"
            f"<td class='number muted'>{row.low:.0f} to {row.high:.0f}</td>"
            f"<td class='number muted'>{row.games:,}</td>"
            f"<td class='whisker'>{bar}<b style='left:{place(row.rating):.1f}%'></b></td></tr>"
        )

    rows = "".join(line(number, row) for number, row in enumerate(rated, 1))
    heads = "".join(f"<th>{words}</th>" for words in ("", "player", "rating", "95 %", "games", ""))
    sources = ", ".join(f"results/{name}" for name in standings.sources)
    return (
        f"<table class='standings'><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"
        f"<p class='muted'>Bradley-Terry on the Elo scale with simple at 1500, from {sources}. "
        "The bar of random is cut.</p>"
    )


def cross_html(standings: Standings, catalogue: Catalogue) -> str:
    """How often each player beat each: rows against columns."""
    names = [row.player for row in standings.rated]
    heads = "".join(f"<th title='{escape(name)}'>{place}</th>" for place, name in enumerate(names, 1))
    rows = []
    for number, name in enumerate(names, 1):
        cells = "".join(_cell(standings.meeting(name, other)) for other in names)
        rows.append(f"<tr><th>{number} {escape(catalogue.title(name))}</th>{cells}</tr>")
    return (
        f"<table class='cross'><thead><tr><th>won, %</th>{heads}</tr></thead>"
        f"<tbody>{''.join(rows)}</tbody></table>"
    )


def _cell(met: Meeting | None) -> str:
    if met is None:
        return "<td class='none'></td>"
    good, share = met.rate >= 0.5, abs(met.rate - 0.5) * 2
    colour = f"color-mix(in srgb, {'#2f8f57' if good else '#d0634f'} {70 * share:.0f}%, #fffdf8)"
    title = f"{met.first} against {met.second}: {100 * met.rate:.1f} % of {met.games} games"
    return f"<td style='background:{colour}' title='{escape(title)}'>{100 * met.rate:.0f}</td>"
