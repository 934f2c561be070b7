"""Hands for tests: random ones, and rich ones in which melds overlap."""

from __future__ import annotations

import random

import naive

Hand = tuple[int, ...]
ALL_MELDS = list(naive.all_melds())


def random_hands(size: int, number: int, seed: int) -> list[Hand]:
    rng = random.Random(seed)
    return [tuple(sorted(rng.sample(range(52), size))) for _ in range(number)]


def rich_hands(size: int, number: int, seed: int) -> list[Hand]:
    """Hands of melds that were drawn near each other, so that overlaps are common, and of loose cards."""
    rng = random.Random(seed)
    hands = []
    while len(hands) < number:
        low = rng.randrange(9)
        near = [card for card in range(52) if low <= card % 13 <= low + 4]
        pool = [meld for meld in ALL_MELDS if all(low <= card % 13 <= low + 4 for card in meld)]
        held: set[int] = set()
        for meld in rng.sample(pool, rng.randint(1, 6)):
            if len(held | set(meld)) <= size:
                held |= set(meld)
        while len(held) < size:
            held.add(rng.choice(near if rng.random() < 0.7 else range(52)))
        hands.append(tuple(sorted(held)))
    return hands


def knocks(number: int, seed: int) -> list[tuple[Hand, tuple[Hand, ...]]]:
    """A defender's ten cards, rich in layoffs, and a knocker's disjoint melds."""
    rng = random.Random(seed)
    found = []
    while len(found) < number:
        knocker = rich_hands(10, 1, rng.randrange(10**9))[0]
        sets = naive.best_meld_sets(knocker)
        if not sets:
            continue
        laid = rng.choice(sets)
        beyond = {card + step for meld in laid for card in meld for step in (-2, -1, 1, 2, 13, 26, 39)}
        near = [card for card in sorted(beyond) if 0 <= card < 52 and card not in knocker]
        held = set(rng.sample(near, min(len(near), rng.randint(3, 9))))
        while len(held) < 10:
            held.add(rng.choice([card for card in range(52) if card not in knocker]))
        found.append((tuple(sorted(held)), laid))
    return found
