"""The documentation page of the knock table, written from its evidence, conclusions included.

python -m ginrummy.reports.knock_page results/S2-knock.json docs/knocking.md
"""

import json
import sys
from pathlib import Path
from typing import Any

from ginrummy.reports.knock_words import findings, worth_words
from ginrummy.training.regret.knock_table import FOUND, RULES

Json = dict[str, Any]

TURNS_SHOWN = 14

_INTRODUCTION = """# When to knock

The paper on hand strength (Ahmed et al., EAAI 2021) took its knock rule from counterfactual regret
minimisation over the deadwood and the own turn: *gin always; in the first four turns knock if possible;
later only gin*. This page repeats the training and reports what comes out. It is written from
`results/S2-knock.json`.

## What was trained

Rounds of self-play in which everything but the knock is fixed: draws by the hand-strength rule, discards
by the hand-strength score or, as a simpler variant, for least deadwood. Whenever a discard leaves ten
points or fewer, a side knocks or plays on by one shared table of (deadwood, own turn). The payoff is the
points of the round. Regrets are learned in two ways:

- **outcome sampling** (Lanctot et al. 2009, exploration 0.6), the method of the papers: one line of play
  a round, importance weights;
- **external sampling** (of the same paper): the learner sees both actions. It plays on at every decision
  and the knock is priced on the spot; a knock ends the round, so this costs little, and without weights
  there is far less noise for the same rounds.

The same kernels learn Kuhn poker (value -1/18 within 0.005, NashConv below 0.02) and Leduc poker
(NashConv below 0.5 and falling), with OpenSpiel as the judge, in the tests.
"""

_REBUILD = """## Rebuild it

A quick look, in seconds (add `--scale full --out FILE` for the evidence, which took {minutes:.0f} minutes
on {machine}):

```console
$ ginrummy train knock-table
```

`ginrummy.training.regret.knocking` also knows the infosets of paper S3 (deadwood, stock size, lowest card
that the opponent has discarded) and others: [their tables](reproduction/s3.md). A least deadwood by turn is
said to the player as a window, `hand-strength:knock=5-10/5-10/0`, and runs in the compiled loop; that page
also says which window is best under both bonus rules, and what it is worth.
"""


_SHARES = """In the table below, *best limits* are the greatest deadwoods to knock with, by turn, whose gains
add up to most; *four turns* is the paper's rule, *best number of turns* the best rule of its kind; *least
deadwood* is a list for own turns 1, 2, … (after the list, only gin). Shares say how many of the decisions
that arise (without gin) a rule decides as the table does, mixed cells in proportion.
"""


def page(evidence: Json) -> str:
    """The whole page."""
    parts = [_INTRODUCTION, "## The tables\n"]
    for rules in RULES:
        parts.append(_table(_find(evidence, rules, "external", "hand-strength")))
    made = evidence["provenance"]
    rebuild = _REBUILD.format(minutes=evidence["seconds"] / 60, machine=made["machine"])
    parts += [_last_turns(evidence), "## The rule\n", findings(evidence), _SHARES, _rules(evidence)]
    parts += [_worth(evidence), _noise(evidence), rebuild, _source(evidence)]
    return "\n".join(parts)


def _find(evidence: Json, rules: str, sampling: str, discards: str) -> Json:
    key = (rules, sampling, discards)
    (group,) = [g for g in evidence["tables"] if (g["rules"], g["sampling"], g["discards"]) == key]
    return dict(group)


def _rows(*rows: list[str]) -> str:
    head, *rest = rows
    return "\n".join("| " + " | ".join(row) + " |" for row in (head, ["---:"] * len(head), *rest)) + "\n"


def _table(group: Json) -> str:
    head = ["deadwood", *map(str, range(1, TURNS_SHOWN + 1))]
    rows = [
        [str(left), *("-" if x is None else f"{100 * x:.0f}" for x in row[:TURNS_SHOWN])]
        for left, row in enumerate(group["mean_knock"])
    ]
    title = (
        f"Knocks in percent by deadwood and own turn, `{group['rules']}`, {_way(group)}, mean of two seeds "
        f"of {group['rounds']:,} rounds:\n"
    )
    return title + "\n" + _rows(head, *rows)


def _way(group: Json) -> str:
    return f"{group['discards']} discards, {group['sampling']} sampling"


def _last_turns(evidence: Json) -> str:
    head = ["rules", "training", *map(str, range(11))]
    rows = [
        [f"`{g['rules']}`", _way(g), *map(str, g["last_turn_above_half"])]
        for g in evidence["tables"]
        if g["sampling"] == "external"
    ]
    title = "Last own turn, counted from the first, in which knocking is more likely than not, by deadwood:\n"
    return title + "\n" + _rows(head, *rows)


def _rules(evidence: Json) -> str:
    head = [
        "rules",
        "training",
        "best limits",
        "four turns",
        "best number of turns",
        "least deadwood",
        "share",
    ]
    rows = []
    for g in evidence["tables"]:
        if g["sampling"] == "external":
            best = g["best_rule_of_its_kind"]
            low = "/".join("-" if x > 10 else str(x) for x in g["knock_from"])
            rows.append(
                [
                    f"`{g['rules']}`",
                    _way(g),
                    g["limits"],
                    f"{g['s2_rule_agrees']:.1%}",
                    f"{best['turns']} ({best['agrees']:.1%})",
                    low,
                    f"{g['knock_from_agrees']:.1%}",
                ]
            )
    return _rows(head, *rows)


def _worth(evidence: Json) -> str:
    found = "; ".join(f"`{rules}` {'/'.join(map(str, FOUND[rules]))}" for rules in RULES)
    head = ["rules", "player", "seed", "won", "95 % by pairs", "points a round"]
    rows = []
    for m in evidence["matches"]:
        low, high = m["pair_ci95_a"]
        points = m["points_per_round_a"] - m["points_per_round_b"]
        rows.append(
            [
                f"`{m['rules']}`",
                f"`{m['player_a']}`",
                str(m["seed"]),
                f"{m['win_rate_a']:.2%}",
                f"{low:.2%} to {high:.2%}",
                f"{points:+.2f}",
            ]
        )
    games = evidence["matches"][0]["games"]
    return (
        "## What it is worth\n\nHand strength with another knock rule against hand strength with the paper's "
        f"rule, {games:,} games each. The first player of each rule set has the best *limits* by turn that "
        "its parameter `knock` can say; the second has the rule found, the least deadwood by turn, made "
        f"smooth by hand ({found}).\n\n{worth_words(evidence)}\n\n" + _rows(head, *rows)
    )


def _noise(evidence: Json) -> str:
    head = ["rules", "training", "rounds", "mean difference", "same side of one half", "rounds/s"]
    rows = []
    for g in evidence["tables"]:
        speed = sum(run["rounds_per_second"] for run in g["runs"]) / len(g["runs"])
        seeds = g["seeds_agree"]
        rows.append(
            [
                f"`{g['rules']}`",
                _way(g),
                f"{g['rounds']:,}",
                f"{seeds['mean_difference']:.3f}",
                f"{seeds['same_side_of_half']:.1%}",
                f"{speed:,.0f}",
            ]
        )
    return (
        "## How sure the tables are\n\nTwo seeds compared, cells weighted by how often they arise. Rounds a "
        "second are by the wall clock, on a machine that had other work too.\n\n" + _rows(head, *rows)
    )


def _source(evidence: Json) -> str:
    made = evidence["provenance"]
    return f"Made by `{made['command']}`, commit `{made['commit'][:10]}`, {made['made'][:10]}.\n"


if __name__ == "__main__":
    Path(sys.argv[2]).write_text(page(json.loads(Path(sys.argv[1]).read_text("utf-8"))), "utf-8")
