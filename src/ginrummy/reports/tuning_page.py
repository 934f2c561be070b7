"""The part of the page on tuning that reports results, written from evidence, conclusions included.

python -m ginrummy.reports.tuning_page results docs/tuning.md
"""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ginrummy.errors import BadInput
from ginrummy.experiments.frame import store
from ginrummy.experiments.frame.evidence import Evidence, MatchPoint
from ginrummy.experiments.frame.rates import curves
from ginrummy.experiments.s2.tuned import CHANGES, PARTS, POOL
from ginrummy.stats import Estimate

Json = dict[str, Any]

BEGIN, END = "<!-- result -->\n", "<!-- end of result -->\n"
"""Marks around what is written here; the rest of the page is written by hand."""
LINE = 110
"""Letters of a line of a command."""


def write_page(results: Path, out: Path) -> None:
    """Write the result into a page, between the marks."""
    text = out.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    _, mark, after = rest.partition(END)
    if not mark:
        raise BadInput(f"{out} has no marks for the result: {BEGIN.strip()} and {END.strip()}")
    out.write_text(f"{before}{BEGIN}{from_files(results)}{END}{after}", encoding="utf-8")


def from_files(results: Path) -> str:
    """The result from the evidence in a directory."""
    measured = store.read(results, "S2-tuned")
    if measured is None:
        raise BadInput(f"there is no evidence of S2-tuned in {results}")
    return result(measured, json.loads((results / "S2-search.json").read_text(encoding="utf-8")))


def result(measured: Evidence[MatchPoint], search: Json) -> str:
    """The whole result in Markdown."""
    rates = {series: by_x[0.0] for series, by_x in curves(measured.points).items()}
    parted = {part: rates[part] for part in PARTS} | {"nothing": rates["tuned against paper"]}
    made = measured.provenance
    seeds = " and ".join(map(str, measured.seeds))
    parts = [
        "## The result: `hand-strength:profile=tuned`",
        "Pool: `hand-strength` (paper), `hand-strength:profile=code` and `simple`, weights 2/2/1. Measured "
        f"on seeds {seeds}, {measured.games_per_point:,} games for each line; evidence: `S2-tuned` on [the "
        f"page of paper S2](reproduction/s2.md), commit `{made['commit'][:10]}`.",
        _table("against", {name: rates[f"tuned against {name}"] for name in POOL}),
        pool_words(rates),
        "What each part is worth: the win rate against `hand-strength` when that part is as in the paper.",
        _table("as in the paper", parted),
        part_words(rates),
        "### Searched again",
        "The profile comes from a search against an earlier reading of the paper, whose record names no "
        "commit and is not kept. From its values a search was run again on fresh decks, against the pool as "
        "it is now.",
        found_words(search),
        f"```text\n{_folded(search['provenance']['command'])}\n```",
        "### What did and did not help",
        "One constant of the paper's player changed, against the paper's player, each judged by itself at "
        "95 %:",
        change_words(rates),
    ]  # fmt: skip
    return "\n\n".join(parts) + "\n\n"


def _table(head: str, rates: dict[str, Estimate]) -> str:
    lines = [f"| {head} | won | 95 % by pairs |", "|---|---:|---:|"]
    for name, rate in rates.items():
        low, high = rate.interval()
        lines.append(f"| {name} | {rate.value:.2%} | {low:.2%} to {high:.2%} |")
    return "\n".join(lines)


def _said(gap: Estimate, better: str, worse: str) -> str:
    """One of two words by the sign of a difference, or that it cannot be told."""
    low, high = gap.interval()
    return better if low > 0 else worse if high < 0 else "inconclusive"


def _span(rate: Estimate) -> str:
    low, high = rate.interval()
    return f"{rate.value:.2%} [{low:.2%}, {high:.2%}]"


def _half(rate: Estimate) -> Estimate:
    return rate - Estimate(0.5, 0.0)


def pool_words(rates: dict[str, Estimate]) -> str:
    """Whom the tuned player beats."""
    verdicts = {name: _said(_half(rates[f"tuned against {name}"]), "beats", "loses to") for name in POOL}
    words = [
        f"{verdict.replace('inconclusive', 'is not told apart from')} "
        + _listed([name for name, found in verdicts.items() if found == verdict])
        for verdict in dict.fromkeys(verdicts.values())
    ]
    return f"So the tuned player {_listed(words)}."


def part_words(rates: dict[str, Estimate]) -> str:
    """Which parts of the profile the gain rests on."""
    whole = rates["tuned against paper"]
    verdicts = {part: _said(whole - rates[part], "gains", "loses") for part in PARTS}
    sentences = []
    for verdict, begin in (
        ("gains", "The gain rests on"),
        ("loses", "It would win more without"),
        ("inconclusive", "It is inconclusive what it owes to"),
    ):
        parts = [part for part, found in verdicts.items() if found == verdict]
        if parts:
            sentences.append(f"{begin} {_listed(parts)}.")
    return " ".join(sentences)


def found_words(search: Json) -> str:
    """A search: its size, and whether any trial did better than where it began."""
    scores = {row["from"]: row["score"] for row in search["finalists"]}
    start = scores.pop("start")
    best = max(scores, key=lambda origin: scores[origin])
    size = (
        f"It had {search['trials']} trials of {search['games_per_trial']:,} games (`results/S2-search.json`, "
        f"commit `{search['provenance']['commit'][:10]}`). "
    )
    numbers = f"{scores[best]:.2%} ({best}) against {start:.2%} of the profile, weighted win rates"
    if scores[best] <= start:
        return (
            f"{size}Nothing better was found: on fresh decks the best of {len(scores)} other finalists won "
            f"{numbers}. So the profile stays."
        )
    return (
        f"{size}On fresh decks its best finalist won {numbers}: `{search['best']}`. A choice among "
        f"{len(scores) + 1} players favours luck, so this is no proof that it is stronger."
    )


def _folded(command: str) -> str:
    """A command over several lines."""
    lines = [""]
    for word in command.split(" "):
        if len(lines[-1]) + len(word) > LINE and lines[-1]:
            lines[-1] += " \\"
            lines.append("   ")
        lines[-1] += f" {word}" if lines[-1] else word
    return "\n".join(lines)


def change_words(rates: dict[str, Estimate]) -> str:
    """The single changes by what they do."""
    verdicts = {change: _said(_half(rates[change]), "better", "worse") for change in CHANGES}
    lines = []
    for verdict, word in (("better", "better"), ("worse", "worse"), ("inconclusive", "inconclusive")):
        some = [
            f"`{change}` ({rates[change].value:.1%})" for change in CHANGES if verdicts[change] == verdict
        ]
        if some:
            lines.append(f"- {word}: {', '.join(some)}")
    return "\n".join(lines)


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


if __name__ == "__main__":
    write_page(Path(sys.argv[1]), Path(sys.argv[2]))
