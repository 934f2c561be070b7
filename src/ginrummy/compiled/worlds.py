"""Play from here: any number of worlds from one position to the end of the round, in one compiled loop.

A *position* is what one side sees (a row of a view) and the phase in which that side is asked. A *world* is
what it does not see: the opponent's hand and the order of the stock. A *line* is a world with the side's
first answer, or without one; then the policies of both sides play on.

    simple = Compiled(SIMPLE)
    found = play_from(view, 0, DISCARD_PHASE, worlds, lines(100), rules, mine=simple, other=simple, seed=1)
    found["points"]        # of each line, positive for the side that is asked

Lines of one world share its cards and its uniform numbers, so differences between answers are paired.

The opponent's own log is not known: its draws from the stock are marked ``HIDDEN`` in its view. Only one rule
in the policies of the package reads them: the baseline repeats no draw-discard pair. The opponent's counters
of earlier rounds are 0: no policy made of kernels reads them.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ginrummy._jit import Kernel, count, inlined, lean
from ginrummy.cards import CARDS, DECK, NO_CARD
from ginrummy.compiled.passes import check_fault, loop_of, never, scratch_for
from ginrummy.compiled.policy import Compiled, Policy
from ginrummy.decks import choice_key
from ginrummy.errors import BadInput, IllegalAction
from ginrummy.meld_kernels import MAX_MELDS, deadwood, points
from ginrummy.rules import HAND_SIZE, Rules, rules_record
from ginrummy.tables import (
    DEFEND_PHASE,
    DISCARD_PHASE,
    DRAW_PHASE,
    IDLE,
    KNOCK_PHASE,
    SPREAD_PHASE,
    Records,
    Tables,
    answer_discard,
    answer_draw,
    answer_knock,
    new_tables,
    record_dtype,
    throw_back,
)
from ginrummy.view import (
    DISCARD,
    DRAWN,
    HIDDEN,
    OTHER,
    PASSED,
    SELF,
    STYLE,
    UPCARD,
    WHO,
    IntArray,
    View,
)

DRAWING, DISCARDING, KNOCKING = DRAW_PHASE, DISCARD_PHASE, KNOCK_PHASE
"""The phases in which a search compares answers, for callers that see no table."""
TABLES = 64
"""Tables in play, as in ``games``."""
ASK = -1
"""In place of an answer: the policy decides."""

LINE = record_dtype(
    ("world", np.int64),  # which world
    ("answer", np.int64),  # first answer: 1 take, 0 leave; the card to discard; 1 knock, 0 play on; or ASK
    ("knock", np.int64),  # after a forced discard: 1 knock, 0 play on; or ASK
)
RESULT = record_dtype(
    ("points", np.int32),  # of the round, positive for the side that is asked
    ("outcome", np.int8),  # in the order of ``scoring.OUTCOMES``
    ("turns", np.int16),  # draws of both sides in the whole round
    ("value", np.float64),  # for searches: the chance to win the game
)


class Worlds(NamedTuple):
    """What one side does not see, sampled."""

    hands: IntArray  # [W] int64  the opponent's hand
    stocks: IntArray  # [W, S] int8  the stock in order of drawing


def lines(worlds: int, answers: Sequence[int] = (ASK,), knock: int = ASK) -> Records:
    """Every answer in every world: [W * A] of ``LINE``, the answers of a world side by side."""
    found = np.zeros(worlds * len(answers), LINE)
    found["world"] = np.repeat(np.arange(worlds), len(answers))
    found["answer"] = np.tile(answers, worlds)
    found["knock"] = knock
    return found


@lean
def _copy_view(source, target):
    """Copy a view, with the part of the log that is written."""
    target.hand = source.hand
    target.allowed = source.allowed
    target.opponent = source.opponent
    target.pile = source.pile
    target.top = source.top
    target.drawn = source.drawn
    target.stock = source.stock
    target.offer = source.offer
    target.events = source.events
    target.turns = source.turns
    target.own_turns = source.own_turns
    target.limit = source.limit
    target.score = source.score
    target.opponent_score = source.opponent_score
    target.round = source["round"]
    target.starts = source.starts
    for place in range(len(STYLE)):
        target.style[place] = source.style[place]
    for k in range(MAX_MELDS):
        target.knocked[k] = source.knocked[k]
    for event in range(source.events + 1):  # with the event under way
        for column in range(4):
            target.log[event, column] = source.log[event, column]


@lean
def _turn_view(a, hand, b):
    """Write to ``b`` what the other side, which holds ``hand``, sees of the position ``a``."""
    b.hand = hand
    b.allowed = 0
    b.opponent = 0
    b.pile = a.pile
    b.top = a.top
    b.drawn = NO_CARD
    b.stock = a.stock
    b.offer = a.offer
    b.events = a.events
    b.turns = a.turns
    b.own_turns = a.turns - a.own_turns
    b.limit = a.limit
    b.score = a.opponent_score
    b.opponent_score = a.score
    b.round = a["round"]
    b.starts = 1 - a.starts
    for k in range(MAX_MELDS):
        b.knocked[k] = a.knocked[k]
    for event in range(a.events + 1):
        upcard, drawn, discard = a.log[event, UPCARD], a.log[event, DRAWN], a.log[event, DISCARD]
        own = a.log[event, WHO] == SELF
        b.log[event, WHO] = OTHER if own else SELF
        b.log[event, UPCARD] = upcard
        b.log[event, DRAWN] = HIDDEN if own and drawn != PASSED and drawn != upcard else drawn
        b.log[event, DISCARD] = discard
        if event == a.events:
            break  # an event under way is in the log only: the lines below count finished events
        if own and drawn == upcard:
            b.opponent |= np.int64(1) << np.int64(drawn)
        if own and discard >= 0:
            b.opponent &= ~(np.int64(1) << np.int64(discard))
        if not own and drawn != PASSED:
            b.drawn = drawn


@lean
def _seat(t, a, b, phase, key):
    """Set a table up from the position: side 0 sees ``a`` and is asked in ``phase``, side 1 sees ``b``."""
    t.key = key
    t.asked[0] = t.asked[1] = 0
    t.phase = phase
    t.mover = 0
    t.knocker = -1
    t.starter = 1 - a.starts
    t.seat = 0
    t.big = 0
    t.returned = NO_CARD
    t.takes = 0
    ordinary = False  # the first upcard is offered once or twice before ordinary turns begin
    for event in range(a.events):
        took = a.log[event, DRAWN] == a.log[event, UPCARD]
        t.takes += ordinary and took
        ordinary = ordinary or a.log[event, DRAWN] != PASSED or event == 1
        if a.log[event, DISCARD] >= 0:
            throw_back(t, np.int64(a.log[event, DISCARD]), np.int64(a.log[event, UPCARD]))
    if phase == DISCARD_PHASE and a.top == NO_CARD:
        b.opponent |= np.int64(1) << np.int64(a.drawn)
    if phase == DEFEND_PHASE:
        t.knocker = 1
        t.big = count(b.hand) > HAND_SIZE
        loose = b.hand
        for k in range(MAX_MELDS):
            t.spread[1, k] = a.knocked[k]
            loose &= ~a.knocked[k]
        t.deadwood = points(loose)
    elif phase == SPREAD_PHASE:
        t.knocker = 0
        t.big = count(a.hand) > HAND_SIZE
    elif phase == KNOCK_PHASE:
        t.deadwood = deadwood(a.hand)


@lean
def _answer(t, a, b, desk, rules, line):
    """Give the forced first answers of a line. Returns (fault, whether the round is dead)."""
    if line.answer == ASK:
        return 0, False
    if t.phase == DRAW_PHASE:
        return 0, answer_draw(t, a, b, desk, rules, line.answer == 1)
    if t.phase == KNOCK_PHASE:
        return 0, answer_knock(t, a, b, desk, rules, line.answer == 1)
    fault, dead = answer_discard(t, a, b, desk, rules, line.answer)
    if fault == 0 and t.phase == KNOCK_PHASE and line.knock != ASK:
        dead = answer_knock(t, a, b, desk, rules, line.knock == 1)
    return fault, dead


@lean
def seat_line(t, a, b, desk, rules, source, hand, stock, phase, key, line):
    """Set a line up at a table: the position ``source``, the other hand, the stock, the first answers.

    Returns (fault, whether the round is dead).
    """
    _copy_view(source, a)
    _turn_view(a, hand, b)
    size = np.int64(source.stock)
    for k in range(size):
        t.deck[CARDS - size + k] = stock[k]
    _seat(t, a, b, phase, key)
    return _answer(t, a, b, desk, rules, line)


@lean
def next_line(t, a, b, desk, sink, rules, seed):
    """Set the next line up at a table; when no line is left, the table becomes idle."""
    position, phase, hands, stocks, todo, results = sink[:6]
    while desk.next < desk.stop:
        place = desk.next
        desk.next = place + 1
        line = todo[place]
        world = line.world
        key = choice_key(seed, world, 0)
        fault, dead = seat_line(
            t, a, b, desk, rules, position[0], hands[world], stocks[world], phase, key, line
        )
        t.game = place
        if fault:  # only where a kernel forces an answer: ``play_from`` checks them all before it begins
            desk.fault = fault
            desk.fault_row = -1 - place
        elif not dead:
            return
        else:
            results[place].turns = a.turns
    t.phase = IDLE


@inlined
def note(result, a, outcome, worth):
    """Write down the result of a finished line."""
    result.points = worth
    result.outcome = outcome
    result.turns = a.turns


@lean
def _book(t, a, b, desk, sink, rules, seed, outcome, worth):
    """Write down the result of a finished line and go on to the next line."""
    note(sink[5][t.game], a, outcome, worth)
    next_line(t, a, b, desk, sink, rules, seed)


@lean
def begin(tables, first, second, desks, sink, law, seed):
    """Set a line up at every table, as long as there are lines."""
    for row in range(tables.shape[0]):
        next_line(tables[row], first[row], second[row], desks[0], sink, law[0], seed)


def loop(mine: Policy, other: Policy, cut: Kernel = never) -> Kernel:
    """The compiled loop over lines, for kernels that search: arguments as in ``passes._loop``.

    ``cut`` may end a line before a draw; it then writes the result down and calls ``next_line``.
    """
    return loop_of(mine, other, _book, cut)


class Room(NamedTuple):
    """Tables and scratch for lines of play: what ``begin`` and a ``loop`` work on."""

    batch: Tables
    rows: IntArray
    scratch: IntArray


def room_for(lines_: int) -> Room:
    """Room to play up to so many lines at a time."""
    batch = new_tables(min(TABLES, max(1, lines_)), range(lines_))
    return Room(batch, *scratch_for(len(batch.tables)))


def play_from(
    view: View,
    row: int,
    phase: int,
    worlds: Worlds,
    todo: Records,
    rules: Rules,
    *,
    mine: Compiled,
    other: Compiled,
    seed: int = 0,
) -> Records:
    """Play every line to the end of the round: [L] of ``RESULT``. The view is not changed."""
    _check(view[row], phase, worlds, todo)
    position = view[row : row + 1].copy()
    batch, *scratch = room_for(len(todo))
    results = np.zeros(len(todo), RESULT)
    hands = np.ascontiguousarray(worlds.hands, np.int64)
    stocks = np.ascontiguousarray(worlds.stocks, np.int8)
    sink = position, np.int64(phase), hands, stocks, todo, results
    law = rules_record(rules)
    begin(*batch, sink, law, np.int64(seed))
    play = loop(mine.policy, other.policy)
    play(*batch, sink, law, np.int64(seed), mine.array, other.array, *scratch, np.iinfo(np.int64).max)
    check_fault(batch, ("mine", "other"))
    return results


def _check(seen: np.void, phase: int, worlds: Worlds, todo: Records) -> None:
    """Refuse a phase that asks nobody, worlds that the view does not allow, and lines of unknown worlds."""
    if phase not in (DRAW_PHASE, DISCARD_PHASE, KNOCK_PHASE, SPREAD_PHASE, DEFEND_PHASE):
        raise BadInput(f"expected a phase in which a side is asked, got {phase}")
    hands, stocks = np.asarray(worlds.hands, np.int64), np.asarray(worlds.stocks, np.int64)
    if stocks.shape != (len(hands), int(seen["stock"])) or not len(hands):
        raise BadInput(f"expected worlds with a stock of {int(seen['stock'])} cards, got {stocks.shape}")
    if ((stocks < 0) | (stocks >= CARDS)).any():
        raise BadInput("expected cards from 0 to 51 in the stocks")
    known = int(seen["hand"] | seen["pile"])
    cards = np.bitwise_or.reduce(np.int64(1) << stocks, axis=1, initial=0)
    laid = int(np.bitwise_or.reduce(seen["knocked"]))
    size = HAND_SIZE + (phase == DEFEND_PHASE and laid.bit_count() > HAND_SIZE)  # eleven after a big gin
    whole = (hands | cards == DECK & ~known) & (np.bitwise_count(hands) == size)
    sure = hands & seen["opponent"] == seen["opponent"]
    if not (whole & sure & (hands & cards == 0)).all():
        raise BadInput(
            "expected worlds of the unseen cards: ten in the opponent's hand, the rest in the stock"
        )
    _check_answers(seen, phase, todo)
    if len(todo) and not (todo["world"].min() >= 0 and todo["world"].max() < len(hands)):
        raise BadInput(f"expected lines of worlds 0 to {len(hands) - 1}")


def _check_answers(seen: np.void, phase: int, todo: Records) -> None:
    """Refuse forced answers that the rules forbid."""
    given, knock = todo["answer"], todo["knock"]
    if phase == DISCARD_PHASE:
        allowed = [card for card in range(CARDS) if int(seen["allowed"]) >> card & 1]
    else:
        allowed = [0, 1] if phase in (DRAW_PHASE, KNOCK_PHASE) else []
    wrong = np.flatnonzero(~np.isin(given, [ASK, *allowed]) | ~np.isin(knock, [ASK, 0, 1]))
    if len(wrong):
        line = int(wrong[0])
        raise IllegalAction(
            f"line {line} answers {given[line]} and knocks {knock[line]}: expected one of {allowed} or {ASK} "
            f"to let the policy decide, and 0, 1 or {ASK} for the knock"
        )
