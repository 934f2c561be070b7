"""Let our players play OpenSpiel's bots at OpenSpiel's own table, in mirrored pairs of deals.

    python examples/openspiel_match.py --rounds 200 --out results/openspiel-there.json

Every deal is played twice, with the seats swapped. Needs the extra ``openspiel``.
"""

import argparse
import random
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyspiel

from ginrummy.bridges.openspiel.bots import bot
from ginrummy.bridges.openspiel.players import bot_maker
from ginrummy.evidence import as_text, provenance, write_evidence


def play(bots: list[Any], cards: list[int]) -> float:
    """What a round brings to player 0; chance takes the cards in the order of this deck."""
    state = pyspiel.load_game("gin_rummy").new_initial_state()
    deck = iter(cards)
    while not state.is_terminal():
        if state.is_chance_node():
            state.apply_action_with_legality_check(next(deck))
        else:
            state.apply_action_with_legality_check(bots[state.current_player()].step(state))
    return float(state.returns()[0])


def match(ours: str, theirs: str, simulations: int, rounds: int, seed: int) -> dict[str, Any]:
    """Points a round of our player, with an interval from the pairs."""
    make = bot_maker(theirs, simulations)
    pairs = []
    for pair in range(rounds // 2):
        cards = list(range(52))
        random.Random(1000 * seed + pair).shuffle(cards)
        first = play([bot(ours, 0, pair), make(1, pair)], cards)
        second = -play([make(0, pair), bot(ours, 1, pair)], cards)
        pairs.append((first + second) / 2)
    error = 1.96 * float(np.std(pairs, ddof=1)) / len(pairs) ** 0.5
    mean = float(np.mean(pairs))
    return {
        "player": ours, "bot": theirs, "simulations": simulations if theirs == "ismcts" else None,
        "rounds": 2 * len(pairs), "points_per_round": round(mean, 3),
        "ci95": [round(mean - error, 3), round(mean + error, 3)],
    }  # fmt: skip


def main() -> None:
    """Read the command line, play, and write the results."""
    parse = argparse.ArgumentParser(description="Play OpenSpiel's bots at its own table.")
    parse.add_argument("--players", nargs="+", default=["simple", "hand-strength"])
    parse.add_argument("--bots", nargs="+", default=["simple", "ismcts"])
    parse.add_argument("--simulations", type=int, default=100)
    parse.add_argument("--rounds", type=int, default=200)
    parse.add_argument("--seed", type=int, default=1)
    parse.add_argument("--out", type=Path)
    order = parse.parse_args()
    results = [
        match(ours, theirs, order.simulations, order.rounds, order.seed)
        for theirs in order.bots
        for ours in order.players
    ]
    made = provenance() | {"command": "python examples/openspiel_match.py " + " ".join(sys.argv[1:])}
    result = {"seed": order.seed, "matches": results, "provenance": made}
    print(as_text(result))
    if order.out:
        write_evidence(order.out, result)


if __name__ == "__main__":
    main()
