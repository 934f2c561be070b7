"""The slow twin of the kernels: Gin Rummy by brute force over sets of cards.

It shares no code with the package, so that an error in one is not repeated in the other. Everything is
written to be checked by eye: cards are ints 0..51 (``13 * suit + rank``, ace 0, suits C H S D), a meld is a
tuple of card ids in rising order, a hand is any iterable of distinct ids. Nothing here is fast.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import combinations
from typing import NamedTuple

RANKS = "A23456789TJQK"
SUITS = "CHSD"

Meld = tuple[int, ...]
MeldSet = tuple[Meld, ...]


class Layoff(NamedTuple):
    """One card laid off, and the knocker's meld as it stood just before."""

    card: int
    meld: Meld


# --- cards -------------------------------------------------------------------------------------------------


def card(text: str) -> int:
    """The id of a card written rank then suit: ``card("TD")`` is 48."""
    return 13 * SUITS.index(text[1:]) + RANKS.index(text[0])


def cards(text: str) -> tuple[int, ...]:
    """The ids of cards separated by blanks, in the order written."""
    return tuple(card(word) for word in text.split())


def name(card_id: int) -> str:
    """The text of a card: ``name(48)`` is ``"TD"``."""
    suit, rank = divmod(card_id, 13)
    return RANKS[rank] + SUITS[suit]


def value(card_id: int) -> int:
    """Points a card costs when unmelded: ace 1, ten and court cards 10."""
    return min(card_id % 13 + 1, 10)


def points(hand: Iterable[int]) -> int:
    """Sum of the values of some cards."""
    return sum(value(c) for c in hand)


# --- melds -------------------------------------------------------------------------------------------------


def is_set(hand: Iterable[int]) -> bool:
    """Three or four cards of one rank."""
    held = sorted(hand)
    return len(set(held)) == len(held) and len(held) in (3, 4) and len({c % 13 for c in held}) == 1


def is_run(hand: Iterable[int]) -> bool:
    """Three or more neighbouring ranks of one suit; the ace is low only."""
    held = sorted(hand)
    one_suit = len({c // 13 for c in held}) == 1
    return one_suit and len(held) >= 3 and held == list(range(held[0], held[0] + len(held)))


def is_meld(hand: Iterable[int]) -> bool:
    """A set or a run."""
    held = list(hand)
    return is_set(held) or is_run(held)


@cache
def all_melds() -> tuple[Meld, ...]:
    """All 329 melds, in the order of the challenge program.

    First the 264 runs (66 a suit) by suit, first rank and length, 3 to 13 cards; then the 65 sets by rank:
    without the club, without the heart, without the spade, without the diamond, all four.
    """
    runs = [
        tuple(range(13 * suit + first, 13 * suit + first + length))
        for suit in range(4)
        for first in range(13)
        for length in range(3, 13 - first + 1)
    ]
    sets = []
    for rank in range(13):
        four = tuple(13 * suit + rank for suit in range(4))
        sets += [tuple(c for c in four if c != missing) for missing in four]
        sets.append(four)
    return tuple(runs + sets)


def melds_in(hand: Iterable[int]) -> list[Meld]:
    """The melds that lie wholly within a hand, in the order of :func:`all_melds`."""
    held = set(hand)
    return [meld for meld in all_melds() if set(meld) <= held]


def disjoint_sets(melds: Sequence[Meld]) -> Iterator[MeldSet]:
    """Every way to choose melds that share no card, the empty choice included; melds keep their order."""
    yield ()
    for i, meld in enumerate(melds):
        apart = [other for other in melds[i + 1 :] if not set(other) & set(meld)]
        for rest in disjoint_sets(apart):
            yield (meld, *rest)


def meld_sets(hand: Iterable[int]) -> list[MeldSet]:
    """Every set of disjoint melds within a hand, the empty one included."""
    return list(disjoint_sets(melds_in(hand)))


def unmelded(hand: Iterable[int], melds: Iterable[Meld]) -> list[int]:
    """The cards of a hand outside the given melds, in id order."""
    used = {c for meld in melds for c in meld}
    return sorted(set(hand) - used)


def deadwood_with(hand: Iterable[int], melds: Iterable[Meld]) -> int:
    """Points of the cards outside the given melds."""
    return points(unmelded(hand, melds))


def deadwood(hand: Iterable[int]) -> int:
    """Least deadwood of a hand over all its sets of disjoint melds."""
    held = list(hand)
    return min(deadwood_with(held, melds) for melds in meld_sets(held))


def deadwood_after_discard(hand: Iterable[int], kept: int | None = None) -> int:
    """Least deadwood that eleven cards can reach by one discard; ``kept`` is a card that may not go."""
    held = set(hand)
    return min(deadwood(held - {c}) for c in held if c != kept)


def best_meld_sets(hand: Iterable[int]) -> list[MeldSet]:
    """Every set of melds with the least deadwood, in the challenge program's order.

    Sets come by number of melds, then by meld index (:func:`all_melds`). Within a set the melds come in the
    order (i mod 4, i), i being the meld's place among the melds that the hand contains. A hand without a meld
    has no best set: the list is empty.
    """
    held = list(hand)
    own = melds_in(held)
    if not own:
        return []
    chosen = list(disjoint_sets(own))
    least = min(deadwood_with(held, melds) for melds in chosen)
    best = [melds for melds in chosen if deadwood_with(held, melds) == least]
    place = {meld: i for i, meld in enumerate(own)}
    best.sort(key=lambda melds: (len(melds), [place[meld] for meld in melds]))
    return [tuple(sorted(melds, key=lambda meld: (place[meld] % 4, place[meld]))) for melds in best]


def maximal_best_meld_sets(hand: Iterable[int]) -> list[MeldSet]:
    """Those of :func:`best_meld_sets` to which no further meld of the hand can be added.

    They are the same sets: cards cost at least a point, so a set with room for another meld is never best.
    """
    held = list(hand)
    kept = []
    for melds in best_meld_sets(held):
        rest = unmelded(held, melds)
        if not any(is_meld(three) for three in combinations(rest, 3)):
            kept.append(melds)
    return kept


# --- laying off --------------------------------------------------------------------------------------------


def fits(card_id: int, meld: Iterable[int]) -> bool:
    """Whether a card extends a meld: either end of a run, the fourth card of a set."""
    return is_meld([*meld, card_id])


def first_fit_layoffs(
    defender: Iterable[int], own_melds: Iterable[Meld], knocker_melds: Iterable[Meld]
) -> list[Layoff]:
    """The challenge program's automatic layoffs, in order.

    Repeat: the first unmelded card in id order that extends a meld of the knocker goes on the first meld it
    fits. Melds grow, so chains happen. Against gin nothing is laid off; the caller must not ask.
    """
    left = unmelded(defender, own_melds)
    table = [tuple(sorted(meld)) for meld in knocker_melds]
    done: list[Layoff] = []
    while True:
        step = next(((c, i) for c in left for i, meld in enumerate(table) if fits(c, meld)), None)
        if step is None:
            return done
        c, i = step
        done.append(Layoff(c, table[i]))
        table[i] = tuple(sorted((*table[i], c)))
        left.remove(c)


def deadwood_after_first_fit(
    defender: Iterable[int], own_melds: Iterable[Meld], knocker_melds: Iterable[Meld], *, gin: bool
) -> int:
    """The defender's deadwood under the challenge program, given the declared melds."""
    held, own = list(defender), list(own_melds)
    left = set(unmelded(held, own))
    if not gin:
        left -= {step.card for step in first_fit_layoffs(held, own, knocker_melds)}
    return points(left)


def least_after_layoffs(left: Iterable[int], knocker_melds: Iterable[Meld]) -> int:
    """Least points left of loose cards over all ways to lay off on the knocker's melds, in any order."""
    seen: dict[tuple[frozenset[int], frozenset[Meld]], int] = {}

    def least(loose: frozenset[int], table: frozenset[Meld]) -> int:
        key = (loose, table)
        if key not in seen:
            results = [points(loose)]
            for c in loose:
                for meld in table:
                    if fits(c, meld):
                        grown = (table - {meld}) | {tuple(sorted((*meld, c)))}
                        results.append(least(loose - {c}, grown))
            seen[key] = min(results)
        return seen[key]

    return least(frozenset(left), frozenset(tuple(sorted(meld)) for meld in knocker_melds))


def defence_deadwood(defender: Iterable[int], knocker_melds: Iterable[Meld]) -> int:
    """Least deadwood the defender can reach over all choices of own melds and of layoffs."""
    held, table = list(defender), list(knocker_melds)
    return min(least_after_layoffs(unmelded(held, own), table) for own in meld_sets(held))


# --- scoring -----------------------------------------------------------------------------------------------


def knock_points(
    knocker_deadwood: int,
    defender_deadwood: int,
    *,
    gin_bonus: int = 25,
    undercut_bonus: int = 25,
    tie_to_defender: bool = True,
) -> tuple[int, int]:
    """Points of (knocker, defender) for a finished round; the defender's deadwood is after layoffs.

    Gin (no deadwood) pays the bonus and the defender's deadwood, whatever the defender holds. A lower
    deadwood pays the difference. A higher one is an undercut: the defender gets the bonus and the difference.
    A tie is an undercut too, or else nobody scores.
    """
    if knocker_deadwood == 0:
        return gin_bonus + defender_deadwood, 0
    if knocker_deadwood < defender_deadwood:
        return defender_deadwood - knocker_deadwood, 0
    if knocker_deadwood == defender_deadwood and not tie_to_defender:
        return 0, 0
    return 0, undercut_bonus + knocker_deadwood - defender_deadwood
