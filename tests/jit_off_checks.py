"""Small slices of the kernels' results as JSON, for ``test_jit_off``: compiled and as plain Python.

Run as a program with ``NUMBA_DISABLE_JIT=1`` in the environment, it prints what plain Python gives.
"""

from __future__ import annotations

import json
import random
import sys

import numpy as np

from ginrummy import decks, meld_kernels, melds, scoring
from ginrummy._jit import JIT_DISABLED
from ginrummy.cards import mask_of
from ginrummy.players import baseline
from ginrummy.rules import PRESETS, rules_record
from ginrummy.sim import play

Results = dict[str, object]


def hands() -> list[int]:
    """Random and crowded hands of 1 to 14 cards, as masks."""
    rng = random.Random(1)
    crowded = [card for card in range(52) if card % 13 in (3, 4, 5, 6, 7)]
    return [
        mask_of(rng.sample(deck, size))
        for size in range(1, 15)
        for deck in (range(52), crowded)
        for _ in range(2)
    ]


def meld_results() -> Results:
    found: dict[str, list[object]] = {}

    def note(name: str, value: object) -> None:
        found.setdefault(name, []).append(value)

    melded = melds.all_melds()
    for place, mask in enumerate(map(np.int64, hands())):
        out = np.zeros(64, np.int64)
        meld_kernels.deadwood_without(mask, out)
        note("deadwood_without", [int(out[card]) for card in range(52) if mask >> card & 1])
        note("deadwood", int(melds.deadwood(mask)))
        note("points", int(melds.points(mask)))
        note("best_discards", [int(value) for value in melds.best_discards(mask)])
        note("melds_with", [bool(melds.melds_with(mask, card)) for card in range(52) if mask >> card & 1])
        note("all_melds", melds.all_melds(mask))
        note("best_meld_sets", melds.best_meld_sets(mask))
        picked = np.zeros((1, melds.MAX_MELDS), np.int64)
        held, index = np.zeros(melds.MAX_HELD, np.int64), np.zeros(melds.MAX_MELDS, np.int64)
        meld_kernels.pick_best_set(mask, 0.7, held, index, picked)
        note("pick_best_set", picked.tolist())
        knocker = tuple(meld for meld in melded[place::97] if not meld & mask)[:1]
        note("defend", melds.defend(mask, (), knocker))
        for chain in (0, 1, 2):
            note("defend_optimally", melds.defend_optimally(mask, knocker, chain))
        note("is_meld", bool(melds.is_meld(mask)))
        note("spread_fault", int(meld_kernels.spread_fault(mask, melds.meld_row((melded[place],)))))
    note(
        "329",
        [[int(melds.extensions(np.int64(meld))), bool(melds.is_meld(np.int64(meld)))] for meld in melded],
    )
    return dict(found)


def chance_results() -> Results:
    keys = [(seed, game, round_) for seed in (0, 7, decks.MAX_SEED) for game in (0, 3) for round_ in (0, 2)]
    return {
        "decks": [decks.deck(*key) for key in keys],
        "starters": [decks.starter(seed, game) for seed, game, _ in keys],
        "uniforms": [
            decks.uniform(*key, seat, decision) for key in keys for seat in (0, 1) for decision in (0, 9)
        ],
    }


def scoring_results() -> Results:
    return {
        name: [
            [int(value) for value in scoring.score(rules_record(rules)[0], knocker, defender, False)]
            + [int(scoring.round_limit(rules_record(rules)[0], knocker))]
            for knocker in range(11)
            for defender in (0, 5, 10, 50)
        ]
        for name, rules in PRESETS.items()
    }


def game_results() -> Results:
    """Whole games under every rule that branches in a kernel; each with the rounds' records."""
    found: Results = {}
    for name, games, target in (
        ("eaai", 2, 60),
        ("us-boxes", 2, 40),
        ("oklahoma", 2, 30),
        ("openspiel", 4, 1),
    ):
        rules = PRESETS[name]._replace(target=target, max_rounds=5)
        run = play(baseline.simple(), baseline.random(), range(games), rules, seed=3, record=True)
        found[name] = [run.games.tolist(), run.rounds.tolist()]
    return found


def checks() -> Results:
    """Everything, in values that JSON can carry."""
    with np.errstate(over="ignore"):  # the mixer of ``decks`` wraps round on purpose
        found = [meld_results(), chance_results(), scoring_results(), game_results()]
    return json.loads(json.dumps(found, default=lambda value: value.tolist()))


if __name__ == "__main__":
    json.dump({"jit_disabled": JIT_DISABLED, "found": checks()}, sys.stdout)
