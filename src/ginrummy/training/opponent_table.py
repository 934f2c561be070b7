"""What discards are worth to the opponent, counted in play: ``ginrummy train opponent-table``.

Source: Goldstein, Astudillo Guerra, Haigh, Cruz Ulloa and Blum, EAAI 2021 (S3), from 1.4 million hands.
The look-ahead player, one card deep, plays rounds against itself. At every discard, each card that it may
discard and that some best meld set leaves loose is looked up in the opponent's true hand: by how many points
would the opponent's deadwood fall? The same rounds say how many own turns follow a discard, which gives the
weights of the turns.

There are four generations. In the first the player knows nothing about opponents; in each later one it uses
the table of the one before. From the third on, tables differ by no more than chance.

Errors are clustered: observations of one round depend on each other, so the variance of a cell is taken
between batches of some thousands of rounds.
"""

from typing import Any

import numpy as np

from ginrummy._jit import kernel, lowest
from ginrummy.cards import NO_CARD
from ginrummy.compiled import games as compiled_games
from ginrummy.meld_kernels import deadwood, melds_with
from ginrummy.players.look_ahead import PAPER, built
from ginrummy.policies.future_hands import left_deadwood
from ginrummy.policies.look_ahead import loose_cards
from ginrummy.policies.opponent_table import (
    CELLS,
    ENDS,
    FILE,
    SHAPE,
    Floats,
    Ints,
    OpponentTable,
    cell_of,
    empty,
    payload,
)
from ginrummy.rules import EAAI, HAND_SIZE
from ginrummy.tables import Records
from ginrummy.training.play_data import DATA_SEED
from ginrummy.training.progress import Progress
from ginrummy.training.recipes import Recipe, Trained
from ginrummy.view import DISCARD, DRAWN, SELF, UPCARD, WHO

Json = dict[str, Any]

ROUNDS = {"smoke": (2_000, 4_000, 20_000), "full": (100_000, 100_000, 100_000, 1_500_000)}
"""Rounds of each generation."""
PLAYER: dict[str, float | str] = PAPER | {"cards": 1.0}
"""The player whose rounds are counted: the paper's, one card deep."""
FAR = 8.0
"""A usual distance of one observation from the mean, in points."""
TURNS, FOLLOWING = ENDS


@kernel
def _observe(rounds, n, total, squares, melds, ends, left):
    """Add what the discards of some rounds were worth: to numbers by cell, and to ``ends``.

    ``left`` is scratch. Returns the number of hands looked at.
    """
    hands = np.zeros(2, np.int64)
    known = np.zeros(2, np.int64)
    own = np.zeros(2, np.int64)
    last = np.zeros(2, np.int64)
    seen = 0
    for k in range(rounds.shape[0]):
        r = rounds[k]
        pile = np.int64(1) << np.int64(r.deck[2 * HAND_SIZE])
        for side in range(2):
            hands[side] = known[side] = own[side] = last[side] = 0
            start = HAND_SIZE * (r.seat ^ side)
            for place in range(HAND_SIZE):
                hands[side] |= np.int64(1) << np.int64(r.deck[start + place])
        for event in range(r.events):
            side = 0 if r.log[0, event, WHO] == SELF else 1
            last[side] += r.log[side, event, DRAWN] >= 0
        for event in range(r.events):
            side = 0 if r.log[0, event, WHO] == SELF else 1
            drawn = np.int64(r.log[side, event, DRAWN])
            discard = np.int64(r.log[side, event, DISCARD])
            if drawn < 0:
                continue
            own[side] += 1
            bit = np.int64(1) << drawn
            taken = np.int64(0)
            hands[side] |= bit
            if drawn == r.log[side, event, UPCARD]:
                taken = bit
                pile &= ~bit
                known[side] |= bit
            if discard == NO_CARD:
                continue
            ends[min(own[side], TURNS) - 1, min(last[side] - own[side], FOLLOWING - 1)] += 1
            seen += 1
            theirs, opponent = known[1 - side], hands[1 - side]
            before = deadwood(opponent)
            cards = loose_cards(hands[side], hands[side] & ~taken, left)
            while cards != 0:
                card = lowest(cards)
                cards &= cards - 1
                cell = cell_of(card, hands[side], theirs, pile)
                eleven = opponent | np.int64(1) << card
                n[cell] += 1
                fall = before - left_deadwood(eleven)
                total[cell] += fall
                squares[cell] += fall * fall
                melds[cell] += melds_with(eleven, card)
            bit = np.int64(1) << discard
            hands[side] &= ~bit
            known[side] &= ~bit
            pile |= bit
    return seen


class _Sums:
    """Sums over batches of rounds, from which means and clustered errors follow."""

    def __init__(self) -> None:
        self.n, self.total, self.squares, self.melds = (np.zeros(CELLS) for _ in range(4))
        self.nn, self.nt, self.tt = np.zeros(CELLS), np.zeros(CELLS), np.zeros(CELLS)
        self.ends: Ints = np.zeros(ENDS, np.int64)
        self.hands = self.rounds = 0

    def add(self, rounds: Records) -> None:
        n, total = np.zeros(CELLS), np.zeros(CELLS)
        left = np.zeros(64, np.int64)
        self.hands += int(_observe(rounds, n, total, self.squares, self.melds, self.ends, left))
        self.rounds += len(rounds)
        self.n += n
        self.total += total
        self.nn += n * n
        self.nt += n * total
        self.tt += total * total

    def table(self) -> OpponentTable:
        """Means, and errors by the spread of batches around the mean.

        Where few batches have seen a cell, they say too little: an error is never below that of independent
        observations with one more at a distance of ``FAR``.
        """
        some = np.maximum(self.n, 1)
        mean: Floats = self.total / some
        batches = self.tt - 2 * mean * self.nt + mean * mean * self.nn
        single = self.squares - mean * self.total + FAR**2
        error = np.where(self.n > 0, np.sqrt(np.maximum(batches, single)) / some, 0)
        arrays = (mean.reshape(SHAPE), error.reshape(SHAPE), (self.melds / some).reshape(SHAPE))
        return OpponentTable(self.n.astype(np.int64).reshape(SHAPE), *arrays, self.ends)


def count(table: OpponentTable, rounds: int, seed: int, on_progress: Progress | None = None) -> _Sums:
    """Observe at least so many rounds of the player that uses ``table``, against itself."""
    player = built(PLAYER, "look-ahead", table).compiled
    assert player is not None
    sums = _Sums()
    for batch in compiled_games.stream(player, player, EAAI, seed):
        sums.add(batch)
        if on_progress:
            on_progress("rounds observed", min(sums.rounds, rounds), rounds)
        if sums.rounds >= rounds:
            break
    return sums


def run(scale: str, seed: int, on_progress: Progress | None = None) -> Trained:
    """Play and count, generation after generation."""
    table, sums = empty(), _Sums()
    for generation, rounds in enumerate(ROUNDS[scale]):
        before = table
        sums = count(before, rounds, DATA_SEED + 10 * seed + generation, on_progress)
        table = sums.table()
    n = table.n[table.n > 0]
    both = (before.n >= 1000) & (table.n >= 1000)
    moved = np.average(np.abs(table.mean - before.mean)[both], weights=before.n[both])
    return Trained(
        payload=payload(table),
        made_from={
            "player": dict(PLAYER),
            "rounds": sums.rounds,
            "hands": sums.hands,
            "observations": int(n.sum()),
            "rounds_of_generations": list(ROUNDS[scale]),
            "seed": DATA_SEED + 10 * seed,
        },
        training={
            "cells": len(n),
            "cells_seen_100_times": int((n >= 100).sum()),
            "share_of_observations_in_them": float(n[n >= 100].sum() / n.sum()),
            "change_in_last_generation": float(moved),
        },
    )


def summary(result: Json) -> str:
    """What a person reads about the table."""
    data, counted = result["made_from"], result["training"]
    return (
        f"opponent-table: {data['observations']:,} potential discards of {data['hands']:,} hands in "
        f"{data['rounds']:,} rounds\n"
        f"{counted['cells']:,} different cells, {counted['cells_seen_100_times']:,} of them seen 100 "
        f"times or more: {counted['share_of_observations_in_them']:.2%} of all"
    )


OPPONENT_TABLE = Recipe(FILE, run, summary)
