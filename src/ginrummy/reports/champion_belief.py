"""The section on the joint belief of the page on ``champion``, from ``results/champion-belief.json``."""

from typing import Any

from ginrummy.experiments.champion.belief import ESTIMATORS, ODDS, ROUNDS, WORTH
from ginrummy.judging.by_turn import ALL
from ginrummy.judging.whole_hands import BANDS, Sums, WholeHands
from ginrummy.tournament import add_counts
from ginrummy.training.nets.belief_pool import KEPT_OUT

Json = dict[str, Any]
OURS, CARDS_ALONE, EVEN = ESTIMATORS

_INTRODUCTION = """## What it believes

Worlds are drawn from a joint belief (`estimators.joint`, in `ginrummy estimate` as `joint`): whole hands with
weights, and the odds of six types of opponent. Three small networks run in one compiled kernel:

1. **Types.** How the opponent ended the earlier rounds of the game (knocks, gins, hands that could have
   knocked, turns, upcards taken) and how it has played in this one give the odds of six types, by when they
   knock: at once, early and then only with gin, with less and less deadwood, with little deadwood, late,
   with gin only. A type is a list of knock limits by turn (`estimators.types`), which rollouts play by.
2. **Cards.** `belief-net`, trained further with these inputs, gives a logit for each card. Hands are drawn by
   them exactly. Drawn so they have the right chances of single cards and too few melds.
3. **Hands.** Forty-one features of a hand (deadwood, melds, makers, what it would have done with the
   upcards that were left, how good its last discards were, whether three profiles of `hand-strength` would
   have thrown them from it, whether a player of these types would have knocked) and the situation give its
   weight. Fitted by telling true hands from drawn ones, which makes the
   weight the quotient of the two likelihoods.

Four times as many hands are drawn as are weighed; a guess by deadwood alone picks the better ones, and the
weights make up for it. Learned from play of {players} opponents, all registered players but two families
(marked †) and mixtures of one player's discards with another's knocks: {games:,} games, {rows:,} decisions.
"""


def section(record: Json, found: Json) -> str:
    """The section; ``record`` is that of the trained file, ``found`` the evidence."""
    by_opponent: dict[str, list[Json]] = {}
    for point in found["points"]:
        by_opponent.setdefault(point["series"], []).append(point["counts"])
    types = {series: settings["type"] for series, settings in found["arms"]}
    made = record["made_from"]
    head = _INTRODUCTION.format(players=len(made["players"]), games=made["games"], rows=made["rows"])
    hands = {name: _hands(counts) for name, counts in by_opponent.items()}
    return "\n".join([head, _opponents(found, hands), _turns(by_opponent), _types(by_opponent, types)])


def _hands(counts: list[Json]) -> WholeHands:
    return WholeHands({key: part for key, part in one.items() if key != "by_rounds"} for one in counts)


def _opponents(found: Json, hands: dict[str, WholeHands]) -> str:
    moments = sum(one.moments() for one in hands.values())
    lines = [
        f"Judged at {moments:,} moments of {found['games_per_point']} games against each opponent, seeds "
        f"{found['seeds'][0]} and {found['seeds'][1]}, with `champion` watching. "
        "*ln chance* is the mean logarithm of the chance that a belief gives to the true hand; *ahead* is "
        "how far `joint` is ahead of `belief-net` on the same moments, with its standard error.",
        "",
        "| opponent | ln chance: even | belief-net | joint | ahead | deadwood: true | belief-net | joint "
        "| could knock: true | belief-net | joint |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for name, of in hands.items():
        ahead = of.mean(f"ahead {CARDS_ALONE}")
        mark = " †" if name in KEPT_OUT else ""
        cells = [f"{of.mean(f'log_chance {spec}').value:.2f}" for spec in (EVEN, CARDS_ALONE, OURS)]
        cells.append(f"{ahead.value:.2f} ± {ahead.error:.2f}")
        lines.append(f"| `{name}`{mark} | " + " | ".join(cells + _facts(of, ALL)) + " |")
    return "\n".join([*lines, ""])


def _facts(of: WholeHands, band: str) -> list[str]:
    """Deadwood and the chance to knock: true, by belief-net, by joint."""
    out = []
    for fact, form in (("deadwood", "{:.1f}"), ("knock", "{:.1%}")):
        true = of.mean(f"true {fact}", band).value
        values = [true, *(true + of.mean(f"{fact} {spec}", band).value for spec in (CARDS_ALONE, OURS))]
        out += [form.format(value) for value in values]
    return out


def _turns(by_opponent: dict[str, list[Json]]) -> str:
    of = _hands([add_counts(counts) for counts in by_opponent.values()])
    lines = [
        "All opponents together, by the opponent's own turns. *Gin* is the chance that some card would give "
        "the opponent gin; the effective share says how many of the weighted hands count.",
        "",
        "| turns | moments | ahead | deadwood: true | belief-net | joint | could knock: true | belief-net "
        "| joint | gin: true | belief-net | joint | effective share |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for band in (ALL, *(band.name for band in BANDS)):
        ahead, gin = of.mean(f"ahead {CARDS_ALONE}", band), of.mean("true gin", band).value
        gins = [gin, *(gin + of.mean(f"gin {spec}", band).value for spec in (CARDS_ALONE, OURS))]
        cells = [f"{of.moments(band):,}", f"{ahead.value:.2f} ± {ahead.error:.2f}", *_facts(of, band)]
        cells += [f"{value:.1%}" for value in gins] + [f"{of.mean(f'size {OURS}', band).value:.0%}"]
        lines.append(f"| {band} | " + " | ".join(cells) + " |")
    errors = " and ".join(
        f"{of.calibration_error(OURS, fact):.3f} (belief-net {of.calibration_error(CARDS_ALONE, fact):.3f})"
        for fact in ("knock", "gin")
    )
    lines += ["", f"The mean distance of belief and truth in ten bins is, for knock and gin, {errors}.", ""]
    return "\n".join(lines)


def _types(by_opponent: dict[str, list[Json]], types: dict[str, str]) -> str:
    lines = [
        "What the earlier rounds of a game bring, by their number: the mean odds of the type that agrees "
        "best with the opponent's knocks (one in six would be 17 %), and how much likelier the true hand is "
        "than for the same belief without those rounds (ln chance, all opponents).",
        "",
        "| opponent | type | " + " | ".join(f"{name} rounds" for name in ROUNDS) + " |",
        "|---|---|" + "---|" * len(ROUNDS),
    ]
    totals: list[Json] = []
    for name, counts in by_opponent.items():
        rounds = add_counts([one["by_rounds"] for one in counts])
        totals.append(rounds)
        odds = [_share(rounds[some][ODDS]) for some in ROUNDS]
        mark = " †" if name in KEPT_OUT else ""
        lines.append(f"| `{name}`{mark} | {types[name]} | " + " | ".join(odds) + " |")
    together = add_counts(totals)
    worth = [Sums(*together[some][WORTH]).mean() for some in ROUNDS]
    cells = " | ".join(f"{one.value:+.3f} ± {one.error:.3f}" for one in worth)
    return "\n".join([*lines, f"| all: ln chance gained | | {cells} |", ""])


def _share(numbers: list[float]) -> str:
    of = Sums(*numbers)
    return f"{of.x / of.n:.0%}" if of.n else ""
