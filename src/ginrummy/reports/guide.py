"""The strategy guide for people: tips in plain words with what each is worth, from tables and evidence alone.

``ginrummy guide`` writes a page with charts, and a page to print that holds everything in one file. Values of
tips come from ``results/S3-guide.json``, ``S3-knock-us.json`` and ``S3-knock-uk.json``; charts of discards
from the opponent table, charts of knocks from ``S3-fig4.json`` and ``S3-fig5.json``.
"""

import html
import re
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np

from ginrummy import artefacts
from ginrummy.errors import BadInput
from ginrummy.experiments.frame import store
from ginrummy.experiments.frame.evidence import Evidence
from ginrummy.experiments.s3 import guide as tips
from ginrummy.experiments.s3 import knocking, rules
from ginrummy.experiments.s3.values import points_a_round
from ginrummy.players.knock_tables import knock_windows
from ginrummy.policies import opponent_table
from ginrummy.policies.knock_infosets import OUTS, PICK_UPS
from ginrummy.policies.opponent_table import GONE
from ginrummy.reports import guide_charts
from ginrummy.stats import Estimate

RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
MIDDLE = range(3, 11)
"""Four to jack: ranks that have two neighbours on both sides."""
TURNS = 11
EARLY = 10
"""Stock cards gone up to which the charts by stock are called early."""
CHARTS = ("guide-windows", "guide-stocks", "guide-ranks", "guide-neighbours")
NAMES = {"eaai": "US: 25 for gin, 25 for an undercut", "uk": "UK: 20 for gin, 10 for an undercut"}
EXPERIMENTS = ("S3-guide", "S3-knock-us", "S3-knock-uk", "S3-outs-us", "S3-outs-uk", "S3-fig4", "S3-fig5")


class Tip(NamedTuple):
    """One piece of advice."""

    advice: str
    why: str
    worth: Estimate
    """Points a round, against the same player without it."""
    source: str


class Guide(NamedTuple):
    """Everything that both pages say."""

    knocking: list[Tip]
    cards: list[Tip]
    ranks: dict[str, Estimate]
    neighbours: dict[str, Estimate]
    windows: dict[str, list[tuple[float, float]]]
    surfaces: dict[str, guide_charts.Shares]
    games: int
    """Games behind each worth."""


def collect(results: Path) -> Guide:
    """The guide from the evidence in a directory."""
    found = {name: _evidence(results, name) for name in EXPERIMENTS}
    worth = {name: points_a_round(found[name].points) for name in EXPERIMENTS[:5]}
    ranks, neighbours = _ranks(), _neighbours()
    return Guide(
        knocking=_knock_tips(worth),
        cards=_card_tips(worth["S3-guide"], ranks, neighbours),
        ranks=ranks,
        neighbours=neighbours,
        windows={NAMES[key]: _window(rules.WINDOWS[key]) for key in NAMES},
        surfaces={
            NAMES["eaai"]: knocking.surface(list(found["S3-fig4"].points), "eaai"),
            NAMES["uk"]: knocking.surface(list(found["S3-fig5"].points), "uk"),
        },
        games=found["S3-guide"].games_per_point,
    )


def _evidence(results: Path, name: str) -> Evidence[Any]:
    found = store.read(results, name)
    if found is None:
        raise BadInput(f"there is no evidence of {name} in {results}: run ginrummy reproduce {name} first")
    return found


def _window(text: str) -> list[tuple[float, float]]:
    return list(zip(*knock_windows("guide", text, TURNS), strict=True))


def _ranks() -> dict[str, Estimate]:
    """Rank -> what the opponent gains from it when nothing is known."""
    table = opponent_table.read()
    return {name: table.over((rank,)) for rank, name in enumerate(RANKS)}


def _neighbours() -> dict[str, Estimate]:
    """What is known to be dead -> what the opponent gains from a four to jack."""
    table = opponent_table.read()

    def mean(*kinds: dict[str, int]) -> Estimate:
        parts = [table.over(MIDDLE, **kind) for kind in kinds]
        value = sum(part.value for part in parts) / len(parts)
        return Estimate(value, sum(part.error**2 for part in parts) ** 0.5 / len(parts))

    return {
        "nothing known": mean({}),
        "two away in suit is dead": mean({"up_2": GONE}, {"down_2": GONE}),
        "next in suit is dead": mean({"up_1": GONE}, {"down_1": GONE}),
        "one of the rank is dead": mean({"gone": 1}),
        "two of the rank are dead": mean({"gone": 2}),
        "both next in suit are dead": mean({"up_1": GONE, "down_1": GONE}),
    }


def rule_in_words(windows: list[tuple[float, float]]) -> str:
    """A window by turn as a sentence."""
    parts = []
    start = 0
    for turn in range(1, len(windows) + 1):
        if turn == len(windows) or windows[turn] != windows[start]:
            least, most = windows[start]
            first, last = start + 1, turn
            when = f"turn {first}" if first == last else f"turns {first} to {last}"
            if most == 0:
                parts.append(f"from turn {first} on: wait for gin")
            else:
                parts.append(f"{when}: knock with {max(least, 1):g} to {most:g}")
            start = turn
    return "; ".join(parts)


def _knock_tips(worth: dict[str, dict[str, Estimate]]) -> list[Tip]:
    found = []
    for key, name in NAMES.items():
        source = "S3-knock-us" if key == "eaai" else "S3-knock-uk"
        at = worth[source]
        short = name.partition(":")[0]
        found += [
            Tip(
                f"{short}: do not knock as soon as you can.",
                f"Knock by the chart instead. {rule_in_words(_window(rules.WINDOWS[key])).capitalize()}.",
                at["window against knocking at once"],
                source,
            ),
            Tip(
                f"{short}: do not wait for gin from the start.",
                "Early on the opponent holds many points and has few cards to lay off.",
                at["window against gin only"],
                source,
            ),
            Tip(
                f"{short}: with very few points play on.",
                "A hand with little deadwood is near gin, and a trap: whoever knocks against it is undercut.",
                at["window against its own turns without a least deadwood"],
                source,
            ),
            Tip(
                f"{short}: in place of the chart, count your outs: unseen cards that give gin at once.",
                f"{outs_in_words(rules.OUTS_RULES[key])} The worth is what this adds to the chart.",
                worth[f"S3-outs-{short.lower()}"]["outs rule against the window"],
                f"S3-outs-{short.lower()}",
            ),
            Tip(
                f"{short}: in place of the chart, knock by a table of outs, deadwood and stock.",
                f"While 20 or more stock cards are left it knocks in {_knocks_by_outs(key)}. The worth "
                "is what it adds to the chart.",
                at["window against the table by outs"].times(-1),
                source,
            ),
        ]
    return found


def outs_in_words(rule: str) -> str:
    """A rule by outs as a sentence."""
    outs, stock = rule.removeprefix("outs").split("-")
    return f"Knock with {outs} or fewer while the stock has {stock} cards or more; otherwise wait for gin."


def _knocks_by_outs(key: str) -> str:
    """How often the table by outs knocks while the stock is high, by outs, in words."""
    with np.load(BytesIO(artefacts.load("knock-outs.npz"))) as file:
        knock, share = (file[f"{key}_{name}"].reshape(11, 16, OUTS, PICK_UPS) for name in ("knock", "share"))
    early = (slice(1, 11), slice(10, 16))
    known, weight = np.nan_to_num(knock[early]), share[early]
    shares = (known * weight).sum(axis=(0, 1, 3)) / weight.sum(axis=(0, 1, 3))
    words = [f"{100 * one:.0f} with {outs}" for outs, one in enumerate(shares)]
    return f"{words[0].replace(' with 0', '')} of 100 chances with no out, {', '.join(words[1:])} or more"


def _card_tips(at: dict[str, Estimate], ranks: dict[str, Estimate], near: dict[str, Estimate]) -> list[Tip]:
    plain = near["nothing known"].value
    rank_off, next_off, two_off = (
        plain - near[name].value
        for name in ("one of the rank is dead", "next in suit is dead", "two away in suit is dead")
    )
    order = sorted(ranks, key=lambda rank: ranks[rank].value)
    safest, worst = order[0], order[-1]
    return [
        Tip(
            "Keep what can still become a meld.",
            "Before you throw a card, count which unseen cards would help the ten that remain.",
            at[tips.AHEAD],
            "S3-guide",
        ),
        Tip(
            "Throw what the opponent gains least from.",
            f"If you know nothing, throw a {_spoken(safest)} first: the opponent gains "
            f"{ranks[safest].value:.1f} points from it on average, and {ranks[worst].value:.1f} from a "
            f"{_spoken(worst)}, the worst.",
            at[tips.TABLE],
            "S3-guide",
        ),
        Tip(
            "Watch the pile and what the opponent takes.",
            "All that the pile and the pick-ups of the opponent tell, together.",
            at[tips.WATCH],
            "S3-guide",
        ),
        Tip(
            "Throw cards whose partners are dead.",
            f"Of the fours to jacks, a dead card of the same rank makes a discard {rank_off:.2f} safer, "
            f"a dead next card of the suit {next_off:.2f}, a dead card two away {two_off:.2f}.",
            at[tips.DEAD],
            "S3-guide",
        ),
        Tip(
            "Count dead cards of the same rank.",
            "The pile shows you which sets nobody can make any more.",
            at[tips.DEAD_RANK],
            "S3-guide",
        ),
        Tip(
            "Count dead neighbours of the suit.",
            "The same for runs.",
            at[tips.DEAD_RUN],
            "S3-guide",
        ),
        Tip(
            "Feed nothing to what the opponent has taken.",
            "A card taken from the pile is in a meld: keep its rank and its neighbours away from that hand.",
            at[tips.TAKEN],
            "S3-guide",
        ),
        Tip(
            "Do not take a card from the pile just because it lowers your deadwood.",
            "A card that melds with nothing costs you a draw from the stock and shows your hand.",
            at[tips.DRAW],
            "S3-guide",
        ),
        Tip(
            "Take it all the same if it lowers your deadwood by six or more.",
            "An ace or a two in place of a high loose card.",
            at[tips.DRAW_MUCH],
            "S3-guide",
        ),
    ]


def _spoken(rank: str) -> str:
    return {"A": "ace", "J": "jack", "Q": "queen", "K": "king", "8": "eight"}.get(rank, rank)


def worth_text(worth: Estimate) -> str:
    """Points a round with their 95 % interval."""
    low, high = worth.interval()
    return f"{worth.value:+.2f} [{low:+.2f}, {high:+.2f}]"


def verdict(worth: Estimate) -> str:
    """What the interval says about a tip."""
    low, high = worth.interval()
    return "helps" if low > 0 else "hurts" if high < 0 else "not told apart from nothing"


_HEAD = """# A strategy guide for people

!!! note
    This page is generated by `ginrummy guide` from learned tables and from the evidence in `results/`. Do not
    edit it.

Guides to Gin Rummy contradict each other. Here every tip was played: a program that follows the tip against
the same program without it, {games:,} games each. Its *worth* is what it gains in points a round, with a 95 %
interval.

A page to print, with everything on one side of paper: `ginrummy guide --one-page guide.html`.
"""


def page(guide: Guide, pictures: str = "") -> str:
    """The page of the documentation; ``pictures`` is the directory of the charts as the page links to it."""

    def picture(name: str, words: str) -> str:
        return f"![{words}]({pictures}{name}.svg)"

    safe = sorted(guide.ranks, key=lambda rank: guide.ranks[rank].value)
    parts = [
        _HEAD.format(games=guide.games),
        "## When to knock",
        "\n".join(f"- **{name}.** {rule_in_words(by_turn).capitalize()}. Gin is always laid down."
                  for name, by_turn in guide.windows.items()),
        picture(CHARTS[0], "When to knock by turn and deadwood"),
        _tip_table(guide.knocking),
        "By the stock, the strategy that training by regret found (paper S3) knocks as this chart says. "
        + surface_words(guide.surfaces),
        picture(CHARTS[1], "How often the learned strategy knocks, by stock and deadwood"),
        "## What to throw and what to take",
        _tip_table(guide.cards),
        "### Which rank first",
        "What the opponent's deadwood falls by, on average, if you throw a card of which nothing is known. "
        f"From safest to most dangerous: {', '.join(safe)}.",
        picture(CHARTS[2], "What the opponent gains by rank"),
        "### What a dead card is worth",
        "The same for fours to jacks, when some card that could meld with the discard lies in the pile.",
        picture(CHARTS[3], "What the opponent gains by what is dead"),
        _neighbour_table(guide.neighbours),
        "## How it was measured",
        "The tips on cards are duels of `S3-guide`, those on knocks of `S3-knock-…` and `S3-outs-…`, on "
        "[the page of paper S3](reproduction/s3.md). Players are `hand-strength` or `look-ahead` with one "
        "thing changed, so a tip is worth what it adds to good play; against a weak opponent it may be worth "
        "more or less. Charts of discards come from the trained file `opponent-table.npz`, those by stock "
        "from `knock-stock.npz`.",
    ]  # fmt: skip
    return "\n\n".join(part.strip() for part in parts) + "\n"


def surface_words(surfaces: dict[str, guide_charts.Shares]) -> str:
    """What the charts by stock show: when, with what, and under which rules the strategy knocks more."""
    us, uk = surfaces[NAMES["eaai"]], surfaces[NAMES["uk"]]
    early, late = (_mean([row[part] for row in us]) for part in (slice(0, EARLY), slice(EARLY, None)))
    high, low = _mean(us[: len(us) // 2]), _mean(us[len(us) // 2 :])
    return (
        f"Under the US bonuses it knocks {_more(early, late)} with fewer than {EARLY} stock cards gone than "
        f"later ({early:.0%} and {late:.0%} of the cells of the chart), and {_more(high, low)} with six "
        f"points or more than with fewer ({high:.0%} and {low:.0%}). Under the UK bonuses it knocks "
        f"{_more(_mean(uk), _mean(us))} than under the US ones ({_mean(uk):.0%} and {_mean(us):.0%})."
    )


def _more(one: float, other: float) -> str:
    if abs(one - other) < 0.02:
        return "about as often"
    return "more often" if one > other else "less often"


def _mean(rows: guide_charts.Shares) -> float:
    known = [share for row in rows for share in row if share is not None]
    return sum(known) / len(known)


def _tip_table(found: list[Tip]) -> str:
    lines = ["| tip | worth, points a round | |", "|---|---:|---|"]
    for tip in found:
        lines.append(f"| **{tip.advice}** {tip.why} | {worth_text(tip.worth)} | {verdict(tip.worth)} |")
    return "\n".join(lines)


def _neighbour_table(near: dict[str, Estimate]) -> str:
    plain = near["nothing known"]
    lines = ["| in the pile | the opponent gains | safer by |", "|---|---:|---:|"]
    for name, gain in near.items():
        low, high = gain.interval()
        safer = "" if gain is plain else worth_text(plain - gain)
        lines.append(f"| {name} | {gain.value:.2f} [{low:.2f}, {high:.2f}] | {safer} |")
    return "\n".join(lines)


def draw(guide: Guide, directory: Path) -> list[Path]:
    """Draw the charts into a directory; the files written."""
    directory.mkdir(parents=True, exist_ok=True)
    files = [directory / f"{name}.svg" for name in CHARTS]
    points = dict(zip(RANKS, (*range(1, 11), 10, 10, 10), strict=True))
    guide_charts.draw_windows(files[0], guide.windows, TURNS)
    guide_charts.draw_stocks(files[1], guide.surfaces)
    guide_charts.draw_ranks(files[2], guide.ranks, points)
    guide_charts.draw_neighbours(files[3], guide.neighbours)
    return files


def write_page(results: Path, out: Path) -> list[Path]:
    """Write the page and its charts beside it; the files written."""
    guide = collect(results)
    files = draw(guide, out.parent)
    out.write_text(page(guide), encoding="utf-8")
    return [out, *files]


_STYLE = """
@page { size: A4; margin: 9mm }
body { font: 7.7pt/1.2 Georgia, serif; max-width: 190mm; margin: 0 auto; color: #111 }
h1 { font-size: 15pt; margin: 0 0 1mm } h2 { font-size: 10.5pt; margin: 2mm 0 1mm; color: #00694d }
p { margin: 0 0 1.5mm } table { border-collapse: collapse; width: 100% }
td { padding: .5mm 1mm; border-bottom: .2mm solid #ccc; vertical-align: top }
td:last-child { white-space: nowrap; text-align: right; font-family: sans-serif; font-size: 7.2pt }
.two { display: flex; gap: 4mm } .two > div { flex: 1; min-width: 0 } svg { width: 100%; height: auto }
.middle { width: 105mm; margin: 0 auto }
footer { font-size: 7.5pt; color: #555; margin-top: 2mm }
"""


def one_page(guide: Guide) -> str:
    """One side of paper: a single HTML file that needs nothing else, with the tips that help."""
    with TemporaryDirectory() as place:
        windows, _, ranks, near = (_inline(path) for path in draw(guide, Path(place)))
    said = "".join(
        f"<p><b>{html.escape(name)}.</b> {rule_in_words(by_turn).capitalize()}.</p>"
        for name, by_turn in guide.windows.items()
    )
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Gin Rummy on one page</title>'
        f"<style>{_STYLE}</style></head><body><h1>Gin Rummy on one page</h1>"
        "<p>What each tip is worth in points a round, against the same good player without it, with a 95 % "
        f"interval. Measured over {guide.games:,} games each.</p>"
        f'<h2>When to knock</h2>{said}<div class="middle">{windows}</div>{_tip_rows(guide.knocking)}'
        f"<h2>What to throw and what to take</h2>{_tip_rows(guide.cards)}"
        f'<div class="two"><div><h2>What the opponent gains, by rank</h2>{ranks}</div>'
        f"<div><h2>When some card is dead (fours to jacks)</h2>{near}</div></div>"
        "<footer>Made by <i>ginrummy guide</i> from learned tables and measured games. Deadwood: the points "
        "of your cards outside melds. Turn: your own draws in this round.</footer></body></html>\n"
    )


def _inline(path: Path) -> str:
    text = path.read_text(encoding="utf-8")
    return re.sub(r"^.*?(?=<svg)", "", text, flags=re.DOTALL)


def _tip_rows(found: list[Tip]) -> str:
    rows = "".join(
        f"<tr><td><b>{html.escape(tip.advice)}</b> {html.escape(tip.why)}</td>"
        f"<td>{worth_text(tip.worth)}</td></tr>"
        for tip in found
        if verdict(tip.worth) == "helps"
    )
    return f"<table>{rows}</table>"
