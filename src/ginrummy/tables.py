"""B tables as an array of records, and the kernels that move one table on by one answer.

This is the fast engine. It implements the rules a second time; ``round.Round`` states them in checked form,
and tests replay the same records through both. Two loops drive these kernels: ``sim`` in lockstep over a
batch, and ``compiled.passes`` for players made of kernels. Both ask in the same order, so they give the same
results.

A table waits in a *phase* for the answer of one side (0 is the first player, 1 the second; ``seat`` says
where side 0 sits). Kernels take records: the table ``t``, the views ``a`` of side 0 and ``b`` of side 1, or
``v`` of the side that is asked and ``w`` of the other. An array of records keeps everything that one decision
touches within a few cache lines, and kernels need not count references to it: a NamedTuple of the same arrays
ran fifteen times slower.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ginrummy._jit import inlined, lean
from ginrummy.cards import CARDS, NO_CARD
from ginrummy.decks import choice_key, first_starter, key_uniform, shuffle
from ginrummy.meld_kernels import (
    MAX_MELDS,
    deadwood,
    deadwood_without,
    first_fit_layoff,
    optimal_layoff,
    points,
    spread_fault,
)
from ginrummy.rules import HAND_SIZE, LOG_LENGTH
from ginrummy.scoring import DEAD, OUTCOMES, round_limit
from ginrummy.styles import clear_style, note_round
from ginrummy.view import (
    DISCARD,
    DRAWN,
    FIRST_OFFER,
    HIDDEN,
    NORMAL,
    OTHER,
    PASSED,
    SECOND_OFFER,
    SELF,
    STYLE,
    UPCARD,
    VIEW,
    WALL_OFFER,
    WHO,
)

IDLE, DRAW_PHASE, DISCARD_PHASE, KNOCK_PHASE, SPREAD_PHASE, DEFEND_PHASE = range(6)
"""What a table waits for. The last two are the knocker's melds and the defender's."""

FAULTS = (
    "",
    "the card is not in the hand",
    "the card may not be discarded now",
    "these are not disjoint melds of the hand",
    "the deadwood is above the limit for knocking",
)
_OK, _NOT_HELD, _NOT_ALLOWED, _BAD_SPREAD, _TOO_MUCH = range(5)

Records = npt.NDArray[np.void]
_FIRST_STOCK = 2 * HAND_SIZE + 1
_TWICE = CARDS


def record_dtype(*fields: tuple[Any, ...]) -> np.dtype[np.void]:
    """The type of an array of records with these fields, aligned."""
    return np.dtype((np.record, np.dtype(list(fields), align=True)))


TABLE = record_dtype(
    ("key", np.uint64),  # key of the round's uniform numbers
    ("game", np.int64),  # number of the game
    ("row", np.int64),  # row of the game in the results
    ("asked", np.int32, (2,)),  # decisions of each side in this round
    ("phase", np.int8),  # IDLE … DEFEND_PHASE
    ("mover", np.int8),  # side that is asked
    ("knocker", np.int8),  # side that knocked, -1 before
    ("starter", np.int8),  # side that started the round
    ("seat", np.int8),  # seat of side 0
    ("big", np.int8),  # 1 when eleven cards were melded
    ("returned", np.int8),  # upcard that was just thrown back, -1 if none; _TWICE: by both sides in turn
    ("takes", np.int16),  # attempts to take the upcard in ordinary turns (``Rules.max_takes``)
    ("deadwood", np.int16),  # the mover's least deadwood after the discard; the knocker's declared one
    ("deck", np.int8, (CARDS,)),  # seat 0's hand, seat 1's hand, upcard, stock in order
    ("spread", np.int64, (2, MAX_MELDS)),  # melds laid down by each side
)
"""State of a table; no player sees all of it."""

DESK = record_dtype(
    ("next", np.int64),  # next game to begin
    ("stop", np.int64),  # end of the games
    ("step", np.int64),  # from one game to the next: 2 when the games of a pair are played separately
    ("first", np.int64),  # game of row 0 of the results
    ("endless", np.int64),  # 1: each table keeps one row of results, which a new game clears
    ("kept", np.int64),  # finished rounds kept
    ("fault", np.int64),  # place in ``FAULTS`` of what a compiled loop found wrong; 0 for no fault
    ("fault_row", np.int64),  # table of the fault; in ``compiled.worlds`` a line whose answer is illegal
    ("held", np.int64, (64,)),  # scratch for deadwoods and melds
    ("ways", np.int64, (MAX_MELDS, 64)),  # scratch for layoffs
)
"""What the tables of a batch share; an array of one."""

GAME = record_dtype(
    ("score", np.int32, (2,)),  # final scores, by side
    ("won", np.int32, (2,)),  # rounds won, by side
    ("outcomes", np.int32, (len(OUTCOMES),)),  # rounds by outcome, in the order of ``scoring.OUTCOMES``
    ("turns", np.int32),  # turns of both sides, all rounds together
    ("capped", np.int32),  # rounds ended by the cap on turns
    ("decisions", np.int32, (2,)),  # answers given, by side
)
"""Result of a game."""

ROUND = record_dtype(
    ("game", np.int64),
    ("round", np.int16),
    ("seat", np.int8),  # seat of side 0
    ("starter", np.int8),  # side
    ("deck", np.int8, (CARDS,)),
    ("log", np.int8, (2, LOG_LENGTH, 4)),  # both sides' logs
    ("events", np.int16),
    ("hands", np.int64, (2,)),  # at the end
    ("knocker", np.int8),  # side, -1 in a dead round
    ("spread", np.int64, (2, MAX_MELDS)),
    ("outcome", np.int8),
    ("points", np.int32),  # positive for side 0, negative for side 1
    ("before", np.int32, (2,)),  # scores before the round
    ("style", np.int16, (2, len(STYLE))),  # by side: what the views' ``style`` was in the round
)
"""A finished round, kept when records are asked for."""


class Tables(NamedTuple):
    """A batch: B tables, the two sides' views of them, and what they share."""

    tables: Records  # [B] TABLE
    first: Records  # [B] VIEW
    second: Records  # [B] VIEW
    desk: Records  # [1] DESK


def new_tables(size: int, games: range) -> Tables:
    """Empty tables with games to begin, in order; the first of them is row 0 of the results."""
    batch = Tables(np.zeros(size, TABLE), np.zeros(size, VIEW), np.zeros(size, VIEW), np.zeros(1, DESK))
    batch.desk["next"] = batch.desk["first"] = games.start
    batch.desk["stop"] = games.stop
    batch.desk["step"] = games.step
    return batch


@inlined
def next_uniform(t):
    """The uniform number for the answer that a table waits for; counts the decision."""
    side = t.mover
    decision = t.asked[side]
    t.asked[side] = decision + 1
    return key_uniform(t.key, t.seat ^ side, decision)


@lean
def start_game(t, a, b, desk, rules, seed):
    """Begin the next game at a table; when no game is left, the table becomes idle."""
    game = desk.next
    if game >= desk.stop:
        t.phase = IDLE
        return
    desk.next = game + desk.step
    t.game = game
    if desk.endless == 0:
        t.row = game - desk.first
    t.seat = game & 1
    t.starter = first_starter(seed, game >> 1) ^ (game & 1)
    a.round = b.round = 0
    a.score = b.score = a.opponent_score = b.opponent_score = 0
    clear_style(a)
    clear_style(b)
    shuffle(seed, game >> 1, 0, t.deck)
    t.key = choice_key(seed, game, 0)
    deal(t, a, b, rules)


@lean
def deal(t, a, b, rules):
    """Deal a table's deck: ten cards each, the upcard, the rest is stock. The starter is asked first."""
    hand0 = np.int64(0)
    hand1 = np.int64(0)
    for k in range(HAND_SIZE):
        hand0 |= np.int64(1) << np.int64(t.deck[k])
        hand1 |= np.int64(1) << np.int64(t.deck[HAND_SIZE + k])
    a.hand = hand1 if t.seat else hand0
    b.hand = hand0 if t.seat else hand1
    a.starts = 1 - t.starter
    b.starts = t.starter
    upcard = np.int64(t.deck[2 * HAND_SIZE])
    _deal_side(a, upcard, rules)
    _deal_side(b, upcard, rules)
    t.phase = DRAW_PHASE
    t.mover = t.starter
    t.knocker = -1
    t.asked[0] = t.asked[1] = 0
    t.takes = 0
    t.big = 0
    t.returned = NO_CARD


@lean
def _deal_side(v, upcard, rules):
    v.allowed = v.opponent = 0
    v.pile = np.int64(1) << upcard
    v.top = upcard
    v.drawn = NO_CARD
    v.stock = CARDS - _FIRST_STOCK
    v.offer = FIRST_OFFER
    v.events = v.turns = v.own_turns = 0
    v.limit = round_limit(rules, upcard)
    v.knocked[0] = v.knocked[1] = v.knocked[2] = v.knocked[3] = 0


@inlined
def _note(v, who, upcard, drawn):
    """Begin an event in a side's log."""
    event = v.events
    v.log[event, WHO] = who
    v.log[event, UPCARD] = upcard
    v.log[event, DRAWN] = drawn
    v.log[event, DISCARD] = NO_CARD


@inlined
def answer_draw(t, v, w, desk, rules, take):
    """Take the upcard or not. Returns whether the round is dead."""
    upcard = np.int64(v.top)
    offer = v.offer
    if take:
        if offer == NORMAL and rules.max_takes > 0:
            t.takes += 1
            if t.takes >= rules.max_takes:
                return True
        bit = np.int64(1) << upcard
        v.pile = w.pile = v.pile & ~bit
        v.top = w.top = NO_CARD
        w.opponent |= bit
        _note(v, SELF, upcard, upcard)
        _note(w, OTHER, upcard, upcard)
        _hold(t, v, w, rules, upcard)
        if not rules.may_return:
            v.allowed ^= bit
        if offer == WALL_OFFER:
            v.allowed &= _knock_discards(desk, v.hand, v.limit)
        return False
    if offer == NORMAL:
        _draw_stock(t, v, w, rules, upcard)
        return False
    _note(v, SELF, upcard, PASSED)
    _note(w, OTHER, upcard, PASSED)
    v.events += 1
    w.events += 1
    if offer == WALL_OFFER:
        return True
    t.mover ^= 1
    if offer == FIRST_OFFER:
        v.offer = w.offer = SECOND_OFFER
    else:
        _draw_stock(t, w, v, rules, upcard)
    return False


@inlined
def _draw_stock(t, v, w, rules, upcard):
    card = np.int64(t.deck[CARDS - v.stock])
    v.stock -= 1
    w.stock -= 1
    _note(v, SELF, upcard, card)
    _note(w, OTHER, upcard, HIDDEN)
    _hold(t, v, w, rules, card)


@inlined
def _hold(t, v, w, rules, card):
    """Put the drawn card in the mover's hand. Under rules with big gin, eleven melded cards are laid down."""
    hand = v.hand | np.int64(1) << card
    v.hand = v.allowed = hand
    v.drawn = card
    v.own_turns += 1
    v.turns += 1
    w.turns += 1
    if v.offer != WALL_OFFER:
        v.offer = w.offer = NORMAL
    t.phase = DISCARD_PHASE
    if rules.big_gin_bonus > 0 and deadwood(hand) == 0:
        v.events += 1
        w.events += 1
        t.big = 1
        t.knocker = t.mover
        t.phase = SPREAD_PHASE


@lean
def _knock_discards(desk, hand, limit):
    """The discards from eleven cards that leave a deadwood within the limit."""
    deadwood_without(hand, desk.held)
    cards = np.int64(0)
    for card in range(CARDS):
        if hand >> card & 1 and desk.held[card] <= limit:
            cards |= np.int64(1) << card
    return cards


@inlined
def answer_discard(t, v, w, desk, rules, card):
    """Discard a card. Returns (fault, whether the round is dead)."""
    if card < 0 or card >= CARDS or v.hand >> card & 1 == 0:
        return _NOT_HELD, False
    bit = np.int64(1) << card
    if v.allowed & bit == 0:
        return _NOT_ALLOWED, False
    v.hand ^= bit
    v.allowed = 0
    v.pile = w.pile = v.pile | bit
    v.top = w.top = card
    w.opponent &= ~bit
    event = v.events
    v.log[event, DISCARD] = card
    w.log[event, DISCARD] = card
    v.events = w.events = event + 1
    left = deadwood(v.hand)
    t.deadwood = left
    if v.offer == WALL_OFFER:
        t.knocker = t.mover
        t.phase = SPREAD_PHASE
        return _OK, False
    if rules.throwbacks_end:
        throw_back(t, card, v.log[event, UPCARD])
    if left <= v.limit:
        t.phase = KNOCK_PHASE
        return _OK, False
    return _OK, _pass_turn(t, v, w, desk, rules)


@inlined
def throw_back(t, card, upcard):
    """Note an upcard that was taken and thrown back, and whether the other side had just done the same."""
    if card != upcard:
        t.returned = NO_CARD
    elif t.returned == card:
        t.returned = _TWICE
    else:
        t.returned = card


@inlined
def _pass_turn(t, v, w, desk, rules):
    """Hand the turn over; True when the round is dead instead."""
    if v.turns >= rules.max_turns or t.returned == _TWICE:
        return True
    if v.stock <= rules.wall:
        top = np.int64(1) << np.int64(v.top)
        cards = _knock_discards(desk, w.hand | top, v.limit) if rules.wall_phase else np.int64(0)
        if (cards if rules.may_return else cards & ~top) == 0:
            return True
        v.offer = w.offer = WALL_OFFER
    t.mover ^= 1
    t.phase = DRAW_PHASE
    return False


@inlined
def answer_knock(t, v, w, desk, rules, knock):
    """Knock or play on. Returns whether the round is dead."""
    if knock:
        t.knocker = t.mover
        t.phase = SPREAD_PHASE
        return False
    return _pass_turn(t, v, w, desk, rules)


@lean
def answer_spread(t, v, w, rules, melds):
    """Lay down the knocker's melds; the defender comes next. Returns a fault."""
    if spread_fault(v.hand, melds) != 0:
        return _BAD_SPREAD
    loose = v.hand
    for k in range(MAX_MELDS):
        loose &= ~melds[k]
    left = points(loose)
    if left > (0 if t.big else v.limit):
        return _TOO_MUCH
    for k in range(MAX_MELDS):
        v.knocked[k] = w.knocked[k] = melds[k]
        t.spread[t.mover, k] = melds[k]
    t.deadwood = left
    t.mover ^= 1
    t.phase = DEFEND_PHASE
    return _OK


@lean
def answer_defend(t, v, desk, rules, melds):
    """Lay down the defender's melds. Returns (fault, the defender's deadwood after layoffs).

    Under ``optimal_defence`` the defender is not asked: ``melds`` is empty and the rules choose.
    """
    if spread_fault(v.hand, melds) != 0:
        return _BAD_SPREAD, np.int64(0)
    loose = v.hand
    for k in range(MAX_MELDS):
        desk.held[k] = v.knocked[k]
        t.spread[t.mover, k] = melds[k]
        loose &= ~melds[k]
    gin = t.deadwood == 0
    if rules.optimal_defence:
        laid = np.int64(0) if gin else optimal_layoff(v.hand, desk.held, rules.max_chain, desk.ways)
        return _OK, deadwood(v.hand & ~laid)
    if not gin:
        loose &= ~first_fit_layoff(loose, desk.held)
    return _OK, points(loose)


@lean
def finish(t, a, b, desk, games, rounds, rules, seed, outcome, worth):
    """Book a finished round (``worth`` is positive for side 0), then deal again or begin the next game."""
    if rounds.shape[0] > 0:
        _keep(t, a, b, rounds[desk.kept], outcome, worth)
        desk.kept += 1
    game = games[t.row]
    game.outcomes[outcome] += 1
    game.turns += a.turns
    game.decisions[0] += t.asked[0]
    game.decisions[1] += t.asked[1]
    if outcome == DEAD and a.turns >= rules.max_turns:
        game.capped += 1
    if worth != 0:
        winner = 0 if worth > 0 else 1
        game.score[winner] += abs(worth)
        game.won[winner] += 1
    round_ = a["round"] + 1  # not a.round: without the compiler this is a method of numpy
    if max(game.score[0], game.score[1]) >= rules.target or round_ >= rules.max_rounds:
        if desk.endless != 0:
            _clear(game)
        start_game(t, a, b, desk, rules, seed)
        return
    note_round(a, b.hand, t.knocker == 1)
    note_round(b, a.hand, t.knocker == 0)
    a.round = b.round = round_
    a.score = b.opponent_score = game.score[0]
    b.score = a.opponent_score = game.score[1]
    if worth != 0 or not rules.redeal_keeps_dealer:
        t.starter ^= 1
    shuffle(seed, t.game >> 1, round_, t.deck)
    t.key = choice_key(seed, t.game, round_)
    deal(t, a, b, rules)


@lean
def _clear(game):
    """Set a row of results to zero."""
    for side in range(2):
        game.score[side] = game.won[side] = game.decisions[side] = 0
    for outcome in range(len(OUTCOMES)):
        game.outcomes[outcome] = 0
    game.turns = game.capped = 0


@lean
def _keep(t, a, b, kept, outcome, worth):
    """Copy a finished round out of its table."""
    kept.game = t.game
    kept.round = a["round"]
    kept.seat = t.seat
    kept.starter = t.starter
    for k in range(CARDS):
        kept.deck[k] = t.deck[k]
    for event in range(a.events):
        for column in range(4):
            kept.log[0, event, column] = a.log[event, column]
            kept.log[1, event, column] = b.log[event, column]
    kept.events = a.events
    kept.hands[0] = a.hand
    kept.hands[1] = b.hand
    kept.knocker = t.knocker
    for side in range(2):
        for k in range(MAX_MELDS):
            kept.spread[side, k] = t.spread[side, k] if t.knocker >= 0 else 0
    kept.outcome = outcome
    kept.points = worth
    kept.before[0] = a.score
    kept.before[1] = b.score
    for place in range(len(STYLE)):
        kept.style[0, place] = a.style[place]
        kept.style[1, place] = b.style[place]
