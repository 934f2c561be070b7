"""The slow twin of ``policies.sketch_features``: the same numbers from sets of cards and from a sight."""

from __future__ import annotations

from itertools import combinations

import numpy as np

import naive
from ginrummy.strength import ALPHA, BETA, SHIFT, K, discard_score
from ginrummy.view import FIRST_OFFER, SECOND_OFFER, Sight


def cards_of(mask: int) -> set[int]:
    return {card for card in range(52) if mask >> card & 1}


def makers(hand: set[int]) -> set[int]:
    """The cards outside a hand that would be in some meld with it."""
    return {
        card
        for card in set(range(52)) - hand
        if any(naive.is_meld((card, *two)) for two in combinations(hand, 2))
    }


def mates(card: int) -> set[int]:
    return {other for other in range(52) if other % 13 == card % 13} - {card}


def beside(card: int, away: int) -> list[int]:
    """The cards so many ranks away in the same suit, below and above."""
    return [card + step for step in (-away, away) if 0 <= card % 13 + step < 13]


def any_beside(cards: set[int], card: int) -> list[float]:
    return [float(any(one in cards for one in beside(card, away))) for away in (1, 2)]


def log_of(seen: Sight) -> tuple[set[int], set[int], list[int], list[int], set[int]]:
    """The opponent's discards and refusals in the pile, both in order, and own cards that it saw taken."""
    pile, theirs = cards_of(seen.pile), [event for event in seen.log if not event.mine]
    thrown = [event.discard for event in theirs if event.discard >= 0]
    left = [event.upcard for event in theirs if not event.took]
    shown = {event.upcard for event in seen.log if event.mine and event.took} & cards_of(seen.hand)
    return set(thrown) & pile, set(left) & pile, thrown, left, shown


def looked_ahead(seen: Sight, cards: list[int], constants: np.ndarray) -> dict[int, tuple[float, float]]:
    """For each discard: how much less one more card saves than after the best one, how much more it scores."""
    hand, pile, known = (cards_of(mask) for mask in (seen.hand, seen.pile, seen.opponent))
    unseen = set(range(52)) - hand - pile - known
    saved, scores = {}, {}
    for card in cards:
        rest = hand - {card}
        left = naive.deadwood(rest)
        after = sorted(naive.deadwood_after_discard(rest | {one}) for one in unseen)[: int(constants[K])]
        future = sum(after) / len(after)
        saved[card] = left - future
        weight = constants[ALPHA] * constants[BETA] ** (seen.own_turns - constants[SHIFT])
        gone, held = np.int64(seen.hand | seen.pile), np.int64(seen.opponent)
        scores[card] = discard_score(card, left, future, gone, held, weight, constants)
    return {card: (max(saved.values()) - saved[card], scores[card] - min(scores.values())) for card in cards}


def context_numbers(seen: Sight, least: int) -> list[float]:
    """Of the table at a discard, in the order of ``sketch_features``."""
    turn = min(seen.own_turns, 14)
    thrown, left, *_ = log_of(seen)
    return [
        turn * 0.1,
        turn <= 2,
        turn <= 5,
        turn**2 * 0.01,
        min(seen.opponent.bit_count(), 4) * 0.3,
        seen.stock / 31,
        least * 0.03,
        least <= seen.limit,
        seen.score * 0.01,
        seen.opponent_score * 0.01,
        seen.score >= 75,
        seen.opponent_score >= 75,
        seen.starts,
        len(left) * 0.1,
        len(thrown) * 0.1,
        seen.top >= 0,
        seen.score >= 60,
        *style_numbers(seen),
    ]


def style_numbers(seen: Sight) -> list[float]:
    """Of how the opponent ended earlier rounds."""
    rounds, _, knocks, knock_turns, knock_with, gins, _, waits, *_ = seen.style
    return [
        rounds / (rounds + 3),
        *(one / (rounds + 2) for one in (knocks, gins, waits)),
        (knock_turns - 6 * knocks) / (knocks + 2) * 0.2,
        (knock_with - 5 * knocks) / (knocks + 2) * 0.2,
        waits / (waits + knocks + 1),
    ]


def card_numbers(seen: Sight, card: int, more: float, ahead: tuple[float, float]) -> list[float]:
    """Of a discard, in the order of ``sketch_features``; ``ahead`` is what ``looked_ahead`` says of it."""
    hand, pile, known = (cards_of(mask) for mask in (seen.hand, seen.pile, seen.opponent))
    gone, rest = hand | pile, hand - {card}
    unseen = set(range(52)) - gone - known
    alike = mates(card)
    by_set = {one for one in makers(rest) if len(mates(one) & rest) >= 2}
    by_run = {one for one in makers(rest) if any(naive.is_run((one, *two)) for two in combinations(rest, 2))}
    alone = {
        one
        for one in rest
        if not mates(one) & rest and not any(other in rest for away in (1, 2) for other in beside(one, away))
    }
    thrown, left, threw, refused, shown = log_of(seen)
    lost, held = len(alike & gone), len(alike & known)
    runs = [run for run in ((-2, -1), (-1, 1), (1, 2)) if all(0 <= card % 13 + step < 13 for step in run)]
    live = [run for run in runs if not any(card + step in gone for step in run)]
    half = sum(sum(card + step in known for step in run) == 1 for run in live)
    off = [2 - len(beside(card, away)) + sum(one in gone for one in beside(card, away)) for away in (1, 2)]
    last, before = ({one} for one in (*reversed(threw), -1, -1)[:2])
    lately = {refused[-1]} if refused else set()
    return [
        more * 0.1,
        len(by_run & unseen) * 0.3,
        len(by_set & unseen) * 0.3,
        len(alike & rest),
        sum(one in rest for one in beside(card, 1)),
        sum(one in rest for one in beside(card, 2)),
        len(alone) * 0.3,
        naive.points(alone) * 0.05,
        naive.value(card) * 0.1,
        naive.value(card) == 10,
        *(lost == n for n in (1, 2, 3)),
        *off,
        len(live) * 0.5,
        (3 - lost) * (2 - lost) * 0.2,
        held == 1,
        held >= 2,
        sum(one in known for one in beside(card, 1)),
        sum(one in known for one in beside(card, 2)),
        any(all(card + step in known for step in run) for run in runs),
        half * 0.5,
        (2 - lost) * 0.5 if held == 1 else 0.0,
        len(alike & thrown),
        *any_beside(thrown, card),
        len(alike & left),
        *any_beside(left, card),
        bool(alike & last),
        *any_beside(last, card),
        bool(alike & before),
        *any_beside(lately, card),
        bool(alike & lately),
        card in shown,
        ahead[0] * 0.3,
        ahead[1] * 0.01,
    ]


def choice_numbers(seen: Sight, knocking: bool) -> list[float]:
    """Of a draw or a knock, in the order of ``sketch_features``."""
    hand = cards_of(seen.hand)
    unseen = set(range(52)) - hand - cards_of(seen.pile) - cards_of(seen.opponent)
    now, turn = naive.deadwood(hand), min(seen.own_turns, 14)
    live = makers(hand) & unseen
    after = [naive.deadwood_after_discard(hand | {card}) for card in live]
    gin = sum(one == 0 for one in after)
    numbers = [
        now * (0.1 if knocking else 0.03),
        turn * 0.1,
        turn**2 * 0.01,
        gin * 0.2,
        sum(one < now for one in after) * 0.1,
        sum(one <= seen.limit for one in after) * 0.1,
        len(live) * 0.2,
        gin == 0,
        seen.opponent.bit_count() * 0.3,
        seen.stock / 31,
        seen.score * 0.01,
        seen.opponent_score * 0.01,
        seen.score >= 75,
        seen.opponent_score >= 75,
        *(turn <= n for n in (1, 2, 3, 4, 6)),
        *(now <= n for n in (2, 5, seen.limit)),
        *style_numbers(seen),
        seen.starts,
        seen.score + now + 15 >= 100,
    ]
    if knocking:
        return [*numbers, *[0.0] * 13]
    eleven = hand | {seen.top}
    left = naive.deadwood_after_discard(eleven)
    melds = any(seen.top in meld for meld in naive.melds_in(eleven))
    return [
        *numbers,
        (now - left) * 0.1,
        melds,
        left * 0.03,
        left <= seen.limit,
        left == 0,
        seen.offer == FIRST_OFFER,
        seen.offer == SECOND_OFFER,
        naive.value(seen.top) * 0.1,
        len(mates(seen.top) & hand) * 0.5,
        sum(one in hand for one in beside(seen.top, 1)),
        melds * (now - left) * 0.1,
        len(makers(eleven) & unseen) * 0.1,
        len(log_of(seen)[1]) * 0.1,
    ]
