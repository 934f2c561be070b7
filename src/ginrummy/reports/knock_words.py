"""What the tables of the knock training show, in sentences that are computed from the numbers."""

import math
from itertools import groupby
from typing import Any

from ginrummy.players.hand_strength import PAPER
from ginrummy.training.regret.knock_table import RULES

Json = dict[str, Any]

PAPERS_LIMITS = str(PAPER["knock"])
"""The paper's rule as limits by turn."""
GIN_TURNS = 14
"""Turns for which "gin is always laid down" is looked at; later ones are rare."""
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
CONDITIONS = {"eaai": "under the challenge's rules", "uk": "with 20 for gin and 10 for an undercut"}


def external(evidence: Json, rules: str, discards: str) -> Json:
    """The tables of external sampling under a rule set, with one kind of discards."""
    (found,) = [
        group
        for group in evidence["tables"]
        if (group["rules"], group["sampling"], group["discards"]) == (rules, "external", discards)
    ]
    return dict(found)


def findings(evidence: Json) -> str:
    """The list of what the tables show: what is confirmed, what is not, and what the table has instead."""
    groups = {(rules, kind): external(evidence, rules, kind) for rules in RULES for kind in kinds(evidence)}
    first = groups[RULES[0], kinds(evidence)[0]]
    words = [
        _gin(first),
        *(_limits(groups, rules) for rules in RULES),
        *(_shape(groups[rules, kinds(evidence)[0]]) for rules in RULES),
        _stretches(first),
        *_longer(evidence, groups),
    ]
    return "\n".join(f"- {one}" for one in words) + "\n"


def kinds(evidence: Json) -> list[str]:
    """The kinds of discards, in the order of the evidence."""
    return list(dict.fromkeys(g["discards"] for g in evidence["tables"] if g["sampling"] == "external"))


def _gin(group: Json) -> str:
    least = min(x for x in group["mean_knock"][0][:GIN_TURNS] if x is not None)
    if least > 0.9:
        return "Gin is laid down at once, as the paper has it."
    return f"Gin is not always laid down at once: in some turn only {least:.0%} do it."


def early_turns(limits: str) -> int | None:
    """The number of turns of a rule "knock whenever possible, later only gin"; None if it is no such rule.

    Limits of very late turns, after a stretch of gin only, are rare and left out.
    """
    numbers = [int(word) for word in limits.split("/")]
    turns = len(list(next(iter(groupby(numbers)))[1])) if numbers[0] == 10 else 0
    rest = numbers[turns:]
    stretch = [number for number, _ in groupby(rest)]
    return turns if stretch and stretch[0] == 0 and len(rest) - rest.count(0) <= len(rest) // 2 else None


def _limits(groups: dict[tuple[str, str], Json], rules: str) -> str:
    """Whether the best limits are the paper's rule, or another rule of its kind."""
    found = {kind: group["limits"] for (own, kind), group in groups.items() if own == rules}
    when = CONDITIONS[rules].capitalize()
    if set(found.values()) == {PAPERS_LIMITS}:
        return f"{when} the best limits by turn are the paper's rule, turn for turn, whatever the discards."
    parts = []
    for kind, limits in found.items():
        turns = early_turns(limits)
        if limits == PAPERS_LIMITS:
            said = "are the paper's rule, turn for turn"
        elif turns:
            said = f"knock for {_number(turns)} turns, then only with gin"
        elif turns == 0:
            said = "never knock but with gin"
        else:
            said = f"are no rule of the paper's kind: `{limits}`"
        parts.append(f"with {kind} discards they {said}")
    return f"{when} the best limits by turn are these: {'; '.join(parts)}."


def _shape(group: Json) -> str:
    """Whether a least deadwood by turn comes nearer to the table than a number of turns does."""
    turns, least = group["best_rule_of_its_kind"], group["knock_from_agrees"]
    when = CONDITIONS[group["rules"]]
    shares = f"{least:.1%} of decisions against {turns['agrees']:.1%} for the best number of turns"
    if least > turns["agrees"] + 0.01:
        return f"A limit is the wrong shape {when}: a *least* deadwood by turn comes nearer ({shares})."
    if least < turns["agrees"] - 0.01:
        return f"A limit has the right shape {when}: a least deadwood by turn does worse ({shares})."
    return f"A least deadwood by turn decides {when} about as many as a limit does ({shares})."


def _stretches(group: Json) -> str:
    """For how many turns knocking is more likely than not, by deadwood."""
    last = group["last_turn_above_half"][1:]
    parts = []
    for turn, some in groupby(enumerate(last, 1), key=lambda pair: pair[1]):
        points = [left for left, _ in some]
        span = f"{points[0]}" if len(points) == 1 else f"{points[0]} to {points[-1]}"
        noun = "point" if points == [1] else "points"
        parts.append(f"{span} {noun} {f'up to turn {turn}' if turn else 'in no turn'}")
    low, high = sum(last[:4]) / 4, sum(last[5:]) / 5
    if high > low + 1:
        said = "Early knocks are for *high* deadwood; with little a hand is near to gin"
    elif low > high + 1:
        said = "Early knocks are for *low* deadwood"
    else:
        said = "Knocking depends little on the deadwood"
    way = f"`{group['rules']}`, {group['discards']} discards"
    return f"{said}. Knocking is more likely than not ({way}) with {', '.join(parts)}."


def _longer(evidence: Json, groups: dict[tuple[str, str], Json]) -> list[str]:
    """Whether knocking goes on for longer under the other rules, and with the other discards."""

    def turns(rules: str, kind: str) -> float:
        last = groups[rules, kind]["last_turn_above_half"][1:]
        return float(sum(last) / len(last))

    base, other = RULES
    kind = kinds(evidence)[0]
    found = [_compared(turns(other, kind), turns(base, kind), "When an undercut costs 10 instead of 25")]
    found += [
        _compared(turns(base, simpler), turns(base, kind), f"With {simpler} discards instead of {kind}")
        for simpler in kinds(evidence)[1:]
    ]
    return found


def _compared(ours: float, base: float, when: str) -> str:
    numbers = f"{ours:.1f} turns instead of {base:.1f}, mean over deadwoods of one to ten"
    if abs(ours - base) < 0.25:
        return f"{when}, knocking goes on for about as long ({numbers})."
    return f"{when}, knocking goes on for {'longer' if ours > base else 'a shorter time'} ({numbers})."


def worth_words(evidence: Json) -> str:
    """What each rule wins against the paper's, seeds together, in words."""
    parts = []
    for rules in RULES:
        matches = [match for match in evidence["matches"] if match["rules"] == rules]
        for player, name in zip(
            dict.fromkeys(match["player_a"] for match in matches),
            ("the best limits", "the least deadwood by turn"),
            strict=False,
        ):
            if player == f"hand-strength:knock={PAPERS_LIMITS}":
                parts.append(f"under `{rules}` the best limits are the paper's rule: that match is a check")
                continue
            some = [match for match in matches if match["player_a"] == player]
            rate = sum(match["win_rate_a"] for match in some) / len(some)
            halves = [(match["pair_ci95_a"][1] - match["pair_ci95_a"][0]) / 2 for match in some]
            error = math.sqrt(sum(half**2 for half in halves)) / len(halves)
            said = (
                "wins more" if rate - error > 0.5 else "wins less" if rate + error < 0.5 else "inconclusive"
            )
            span = f"[{rate - error:.2%}, {rate + error:.2%}]"
            parts.append(f"under `{rules}` {name}: {said}, {rate:.2%} {span}")
    return f"Both seeds together, {'; '.join(parts)}."


def _number(n: int) -> str:
    return NUMBERS[n] if n < len(NUMBERS) else str(n)
