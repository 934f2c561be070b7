"""Actions and observations of the environments, index by index; ``docs/environments.md`` has the tables.

An action is a number: discards are cards, then come the two answers to a draw, the two to a knock, and, where
agents lay down their melds themselves, the end of laying down and the 329 melds in the order of
``melds.all_melds``. An observation is a row of float32: planes of 52 numbers, one for each card, then single
numbers. It is a function of what one side may see (``view.VIEW``), of what that side is asked, and of the
rules.
"""

from typing import NamedTuple

import numpy as np

from ginrummy._jit import count, inlined, lean, lowest
from ginrummy.cards import CARDS
from ginrummy.meld_kernels import MAX_MELDS, deadwood, deadwood_without, least_after_discard
from ginrummy.melds import all_melds
from ginrummy.rules import HAND_SIZE, MAX_TURNS
from ginrummy.tables import DISCARD_PHASE, DRAW_PHASE, IDLE
from ginrummy.view import DISCARD, DRAWN, FIRST_OFFER, OTHER, PASSED, UPCARD, WHO

TAKE, LEAVE, KNOCK, PLAY_ON, DONE, FIRST_MELD = range(CARDS, CARDS + 6)
"""Take the upcard; draw from the stock or pass; knock; play on; all melds are laid down; the first meld."""
MELDS = np.array([int(meld) for meld in all_melds()], np.int64)
"""[329] int64: the melds, in the order of their actions from ``FIRST_MELD`` on."""
ACTIONS = DONE
"""Actions where melds are laid down automatically."""
ALL_ACTIONS = FIRST_MELD + len(MELDS)
"""Actions where agents lay down their melds themselves."""

HELD, TOP, BURIED, KNOWN, THROWN, REFUSED, NEW, SHOWN, LAID, LEFT = range(0, 10 * CARDS, CARDS)
"""Where the planes begin."""
ASKED = 10 * CARDS
"""What the agent is asked: five numbers, in the order of the phases."""
OFFER = ASKED + 5
STARTED, STOCK, TURNS, LIMIT, SCORE, OTHER_SCORE, DEADWOOD, TAKEN = range(OFFER + 3, OFFER + 11)
SIZE = TAKEN + 1
"""Numbers of an observation."""

_MOST_STOCK = np.float32(1.0 / (CARDS - 2 * HAND_SIZE - 1))
_MOST_TURNS = np.float32(1.0 / MAX_TURNS)
_HUNDREDTH = np.float32(0.01)
_TENTH = np.float32(0.1)


class Part(NamedTuple):
    """A part of an observation, or a range of actions: the places from ``start`` to before ``stop``."""

    start: int
    stop: int
    meaning: str


def _plane(start: int, meaning: str) -> Part:
    return Part(start, start + CARDS, meaning)


def _one(place: int, meaning: str) -> Part:
    return Part(place, place + 1, meaning)


OBSERVATION = (
    _plane(HELD, "1 for each card in the own hand"),
    _plane(TOP, "1 for the upcard"),
    _plane(BURIED, "1 for each card of the discard pile under the upcard"),
    _plane(KNOWN, "1 for each card that the opponent took from the pile and still holds"),
    _plane(THROWN, "1 for each card that the opponent has discarded in this round"),
    _plane(REFUSED, "1 for each upcard that the opponent has let lie in this round"),
    _plane(NEW, "1 for the card drawn in this turn, while a discard is asked for"),
    _plane(SHOWN, "1 for each card in the knocker's melds, once laid down"),
    _plane(LAID, '1 for each card in own melds that are laid down already (only with `melds="choose"`)'),
    _plane(
        LEFT, "deadwood left after the discard of this card, divided by 100; 0 if it may not be discarded"
    ),
    _one(ASKED, "1 when asked to take the upcard or leave it"),
    _one(ASKED + 1, "1 when asked for a discard"),
    _one(ASKED + 2, "1 when asked whether to knock"),
    _one(ASKED + 3, "1 when asked for melds as the knocker"),
    _one(ASKED + 4, "1 when asked for melds as the defender"),
    _one(OFFER, "1 while the starter may take the first upcard or pass"),
    _one(OFFER + 1, "1 while the dealer may take the first upcard or pass"),
    _one(OFFER + 2, "1 at the wall: take the upcard and knock, or pass"),
    _one(STARTED, "1 when this agent started the round"),
    _one(STOCK, "cards left in the stock, divided by 31"),
    _one(TURNS, "turns of both sides, divided by 200"),
    _one(LIMIT, "greatest deadwood to knock with, divided by 10"),
    _one(SCORE, "own score before the round, divided by the target, at most 1"),
    _one(OTHER_SCORE, "the opponent's score before the round, divided by the target, at most 1"),
    _one(
        DEADWOOD, "least deadwood of the hand, after the best discard if it has eleven cards, divided by 100"
    ),
    _one(TAKEN, "least deadwood after taking the upcard and a discard, divided by 100, when asked to draw"),
)
"""Every index of an observation. All numbers are from 0 to 1, but for the limit, which is at most 10."""

ACTION_PARTS = (
    Part(0, CARDS, "discard the card with this number"),
    _one(TAKE, "take the upcard"),
    _one(LEAVE, "leave the upcard: draw from the stock, or pass the first upcard, or pass at the wall"),
    _one(KNOCK, "knock"),
    _one(PLAY_ON, "play on, although the hand allows a knock"),
    _one(DONE, 'all melds are laid down (only with `melds="choose"`)'),
    Part(FIRST_MELD, ALL_ACTIONS, "lay down this meld, in the order of `melds.all_melds()` (likewise)"),
)
"""Every action."""


@inlined
def _write_cards(cards, start, out):
    while cards != 0:
        out[start + lowest(cards)] = 1.0
        cards &= cards - 1


@lean
def encode(seen, asked, laid, rules, held, out):
    """Write the observation of one side to ``out`` [SIZE] float32.

    ``asked`` is the phase in which this side is asked, ``tables.IDLE`` if it is not; ``laid`` are its cards
    in melds that it has laid down; ``held`` [52 or more] int64 is scratch.
    """
    for k in range(SIZE):
        out[k] = 0.0
    hand = seen.hand
    _write_cards(hand, HELD, out)
    pile = seen.pile
    if seen.top >= 0:
        out[TOP + seen.top] = 1.0
        pile &= ~(np.int64(1) << np.int64(seen.top))
    _write_cards(pile, BURIED, out)
    _write_cards(seen.opponent, KNOWN, out)
    for event in range(seen.events):
        if seen.log[event, WHO] == OTHER:
            if seen.log[event, DISCARD] >= 0:
                out[THROWN + seen.log[event, DISCARD]] = 1.0
            if seen.log[event, DRAWN] == PASSED or seen.log[event, DRAWN] != seen.log[event, UPCARD]:
                out[REFUSED + seen.log[event, UPCARD]] = 1.0
    for k in range(MAX_MELDS):
        _write_cards(seen.knocked[k], SHOWN, out)
    _write_cards(laid, LAID, out)
    if asked != IDLE:
        out[ASKED + asked - 1] = 1.0
    if asked == DISCARD_PHASE:
        out[NEW + seen.drawn] = 1.0
        deadwood_without(hand, held)
        least = np.int64(999)
        cards = seen.allowed
        while cards != 0:
            card = lowest(cards)
            cards &= cards - 1
            out[LEFT + card] = np.float32(held[card]) * _HUNDREDTH
            least = min(least, held[card])
        out[DEADWOOD] = np.float32(least) * _HUNDREDTH
    elif count(hand) > HAND_SIZE:
        out[DEADWOOD] = np.float32(least_after_discard(hand)) * _HUNDREDTH
    else:
        out[DEADWOOD] = np.float32(deadwood(hand)) * _HUNDREDTH
    if asked == DRAW_PHASE:
        eleven = hand | np.int64(1) << np.int64(seen.top)
        out[TAKEN] = np.float32(least_after_discard(eleven)) * _HUNDREDTH
    if seen.offer >= FIRST_OFFER:
        out[OFFER + seen.offer - FIRST_OFFER] = 1.0
    out[STARTED] = seen.starts
    out[STOCK] = np.float32(seen.stock) * _MOST_STOCK
    out[TURNS] = np.float32(seen.turns) * _MOST_TURNS
    out[LIMIT] = np.float32(seen.limit) * _TENTH
    target = np.float32(rules.target)
    out[SCORE] = min(np.float32(1.0), np.float32(seen.score) / target)
    out[OTHER_SCORE] = min(np.float32(1.0), np.float32(seen.opponent_score) / target)
