"""The slow twin of ``estimators.hand_features``: the same numbers from sets of cards and from a sight."""

from __future__ import annotations

import math

import numpy as np

import naive
from ginrummy import savings, strength
from ginrummy.cards import DECK, cards_of, mask_of
from ginrummy.view import Sight


def features(
    seen: Sight, hand: set[int], odds: dict[tuple[int, ...], float], likely: float, rules: np.ndarray
) -> list[float]:
    """The numbers of one hand. ``odds`` are those of types, by their knock limits from the first turn on;
    ``rules`` are constants of ``hand-strength``."""
    theirs = [event for event in reversed(seen.log) if not event.mine]
    thrown = [event for event in theirs if event.discard >= 0]
    left = [event.upcard for event in theirs if not event.took]
    left = [card for k, card in enumerate(left) if k == 0 or card != left[k - 1]]
    known = {card for card in range(52) if seen.opponent >> card & 1}
    taken = [event.upcard for event in theirs if event.took and event.upcard in known]
    turn = sum(event.drawn != -2 for event in theirs)
    own = {card for card in range(52) if seen.hand >> card & 1}
    pile = {card for card in range(52) if seen.pile >> card & 1}
    shown = {event.upcard for event in seen.log if event.mine and event.took}
    if seen.allowed and seen.top < 0:
        shown.add(seen.drawn)
    dead = pile | (shown & own)
    deadwood = naive.deadwood(hand)
    return [
        *_shape(hand, deadwood, seen, own | pile, dead),
        *_left(hand, deadwood, left),
        *_thrown(hand, [event.discard for event in thrown]),
        float(bool(taken) and not _melds(hand, taken[0])),
        0.5 * sum(not _melds(hand, card) for card in known if card not in taken[:1]),
        *_discards(hand, [(event.discard, event.upcard if event.took else -1) for event in thrown], dead),
        _knocks(deadwood, turn, seen.limit, odds) if thrown else 0.0,
        _dearer(hand, thrown[0].discard) if thrown else 0.0,
        0.1 * likely,
        *_compared(seen, hand, rules),
    ]


def _compared(seen: Sight, hand: set[int], rules: np.ndarray) -> list[float]:
    """Whether ``hand-strength`` throws the last three discards: the table of each of them is played again."""
    tables: list[tuple[int, int, set[int], set[int], set[int], int]] = []
    pile, held, ever, turn = {seen.log[0].upcard} if seen.log else set(), set[int](), set[int](), 0
    for event in seen.log:
        if event.took:
            pile = pile - {event.upcard}
        if event.mine and event.took:
            held, ever = held | {event.upcard}, ever | {event.upcard}
        if event.mine:
            held = held - {event.discard}
        else:
            turn += event.drawn != -2
        if not event.mine and event.discard >= 0:
            fixed = event.upcard if event.took else -1
            tables.append((event.discard, fixed, pile, held, ever, turn))
        if event.discard >= 0:
            pile = pile | {event.discard}
    then, found = set(hand), []
    for card, fixed, *table in tables[::-1][:3]:
        found.append([_judged(then | {card}, card, fixed, *table, rule) for rule in rules])
        if fixed in then:
            then = then - {fixed} | {card}
    found += [[(0.0, 0.0)] * len(rules)] * (3 - len(found))
    (first, second, third), before, earliest = found
    return [first[0], first[1] / 20, second[0], third[0], before[0][0], earliest[0][0]]


def _judged(
    eleven: set[int], card: int, fixed: int, pile: set[int], held: set[int], ever: set[int], turn: int,
    p: np.ndarray,
) -> tuple[float, float]:  # fmt: skip
    """The chance that a card is thrown, and its score above the best one's."""
    known = ever if p[strength.CODE] else held
    gone, there = mask_of(pile | eleven), mask_of(known)
    scratch = np.empty(strength.SCRATCH, np.int64)
    choice = cards_of(int(strength.candidates(mask_of(eleven), mask_of(eleven - {fixed}), p, scratch)))
    weight, unseen = strength.future_weight(turn, p), DECK & ~(gone | there)
    lows = min(int(p[strength.K]), unseen.bit_count())
    scores = {}
    for other in choice:
        rest = eleven - {other}
        future = savings.future_deadwood(mask_of(rest), unseen, lows, scratch)
        scores[other] = strength.discard_score(other, naive.deadwood(rest), future, gone, there, weight, p)
    gin = [other for other in choice if naive.deadwood(eleven - {other}) == 0]
    best = [other for other in choice if scores[other] < min(scores.values()) + 1e-9]
    if p[strength.CODE] and gin:
        best = gin
    if card in best:
        return 1 / len(best), 0.0
    return 0.0, min(scores[card] - scores[min(best)], 60.0) if card in choice else 60.0


def _melds(hand: set[int], card: int) -> bool:
    return any(card in meld for meld in naive.melds_in(hand | {card}))


def _makers(hand: set[int]) -> set[int]:
    return {card for card in set(range(52)) - hand if _melds(hand, card)}


def _melded(hand: set[int]) -> set[int]:
    return {card for meld in naive.melds_in(hand) for card in meld}


def _shape(hand: set[int], deadwood: int, seen: Sight, gone: set[int], dead: set[int]) -> list[float]:
    makers = _makers(hand)
    ranks = [sum(card % 13 == rank for card in hand) for rank in range(13)]

    def partner(card: int, step: int) -> bool:
        return card % 13 + step in range(13) and card + step in hand

    alone = {
        card
        for card in hand
        if ranks[card % 13] < 2 and not any(partner(card, step) for step in (-2, -1, 1, 2))
    }
    loose = hand - _melded(hand)
    return [
        deadwood / 20,
        math.sqrt(deadwood) * 0.3,
        float(deadwood <= seen.limit),
        float(deadwood <= 5),
        float(deadwood <= 2),
        float(deadwood == 0),
        len(_melded(hand)) / 10,
        len(makers - gone) / 5,
        len(makers - dead) / 5,
        0.3 * sum(held >= 2 for held in ranks),
        sum(partner(card, 1) for card in hand) / 5,
        sum(partner(card, 2) for card in hand) / 5,
        len(alone) / 5,
        naive.points(alone) / 20,
        max((naive.value(card) for card in alone), default=0) / 10,
        sum(card % 13 >= 9 for card in loose) / 5,
    ]


def _left(hand: set[int], deadwood: int, left: list[int]) -> list[float]:
    saved = [
        deadwood - naive.deadwood_after_discard(hand | {card}) if _melds(hand, card) else 0 for card in left
    ]
    first = [float(saved[0] > 0), min(saved[0], 20) / 10 if saved[0] > 0 else 0.0] if saved else [0.0, 0.0]
    second = float(len(saved) > 1 and saved[1] > 0)
    return [*first, second, sum(0.8**k for k, fall in enumerate(saved[2:]) if fall > 0)]


def _thrown(hand: set[int], thrown: list[int]) -> list[float]:
    melds = [_melds(hand, card) for card in thrown]
    more = sum(0.8**k for k, melded in enumerate(melds[2:]) if melded)
    return [float(any(melds[:1])), float(any(melds[1:2])), more]


def _discards(hand: set[int], thrown: list[tuple[int, int]], dead: set[int]) -> list[float]:
    out: list[tuple[float, float, float]] = []
    then = set(hand)
    for card, fixed in thrown[:3]:
        eleven = then | {card}
        after = {other: naive.deadwood(eleven - {other}) for other in eleven}
        least = min(after[other] for other in eleven if other != fixed)
        score = {o: after[o] - 1.5 * len(_makers(eleven - {o}) - dead - eleven) for o in eleven}
        rivals = [o for o in eleven if o != card and o != fixed and after[o] <= least + 8]
        best = min([score[card], *(score[o] for o in rivals)])
        total = 1 + sum(math.exp(min((score[card] - score[o]) / 3, 20)) for o in rivals)
        out.append((after[card] - least, score[card] - best, max(-math.log(total), -6)))
        if fixed in then:
            then = then - {fixed} | {card}
    out += [(0.0, 0.0, 0.0)] * (3 - len(out))
    (loss, worse, chance), second, third = out
    return [
        min(loss, 20) / 10, min(worse, 20) / 10, chance / 4,
        min(second[0], 20) / 10, second[2] / 4, min(third[0], 20) / 10, third[2] / 4,
    ]  # fmt: skip


def _knocks(deadwood: int, turn: int, limit: int, odds: dict[tuple[int, ...], float]) -> float:
    place = min(turn, 20) - 1
    chance = sum(odd for limits, odd in odds.items() if deadwood <= min(limits[place], limit))
    return 0.3 * math.log(1 - 0.97 * (1.0 if deadwood == 0 else chance))


def _dearer(hand: set[int], last: int) -> float:
    return 0.2 * sum(naive.value(card) > naive.value(last) for card in hand - _melded(hand))
