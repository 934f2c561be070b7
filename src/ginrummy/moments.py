"""What happened in recorded rounds, moment by moment: rows for training and for study.

``decisions`` gives one row for each event of each round, both sides' hands included. ``views`` rebuilds what
one side saw right after each event of its opponent: what an estimator of the opponent's hand gets to see.

    run = sim.play(simple(), simple(), range(100), EAAI, seed=1, record=True)
    rows = decisions(run.rounds, run.games, EAAI)
    rows["hand"][rows["knocked"]]          # the hands that knocked, before their last draw

Rows do not depend on which other rounds and games are given: a part gives the same rows as the whole does.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ginrummy._jit import kernel
from ginrummy.cards import CARDS, NO_CARD
from ginrummy.errors import BadInput
from ginrummy.meld_kernels import deadwood
from ginrummy.rules import HAND_SIZE, Rules, rules_record
from ginrummy.scoring import round_limit
from ginrummy.tables import Records
from ginrummy.view import (
    DISCARD,
    DRAWN,
    FIRST_OFFER,
    NORMAL,
    PASSED,
    SECOND_OFFER,
    SELF,
    STYLE,
    UPCARD,
    VIEW,
    WALL_OFFER,
    WHO,
    IntArray,
    View,
)

COLUMNS: dict[str, tuple[type, str]] = {
    "game": (np.int32, "number of the game"),
    "round": (np.int16, "rounds of the game before this one"),
    "event": (np.int16, "events of the round before this one (one decision to draw and what followed)"),
    "side": (np.int8, "who decides: 0 the first player of the match, 1 the second"),
    "seat": (np.int8, "where that side sits"),
    "starter": (np.bool_, "whether that side started the round"),
    "turn": (np.int16, "draws of both sides in the round, this one included; a pass is not a draw"),
    "own_turn": (np.int16, "draws of this side in the round, this one included"),
    "score": (np.int32, "this side's score before the round"),
    "opponent_score": (np.int32, "the opponent's score before the round"),
    "upcard": (np.int8, "the card that could be taken"),
    "hand": (np.int64, "mask of this side's hand before the draw"),
    "pile": (np.int64, "mask of the pile before the draw, the upcard included"),
    "opponent_known": (np.int64, "mask of cards that the opponent took and has not discarded"),
    "stock": (np.int8, "cards of the stock before the draw"),
    "passed": (np.bool_, "the upcard was passed and nothing drawn"),
    "took": (np.bool_, "the upcard was taken"),
    "drawn": (np.int8, "the card drawn; -2 for a pass"),
    "discard": (np.int8, "the card discarded; -1 for none (a pass, or big gin)"),
    "hand_after": (np.int64, "mask of this side's hand after the discard"),
    "deadwood_after": (np.int16, "least deadwood of hand_after"),
    "could_knock": (np.bool_, "a card was discarded and deadwood_after is within the limit"),
    "knocked": (np.bool_, "the event ended the round with this side's knock (or gin)"),
    "takes": (np.int16, "upcards that this side has taken in the round, this event included"),
    "opponent_takes": (np.int16, "upcards that the opponent has taken in the round"),
    "opponent_hand": (np.int64, "mask of the opponent's hand at that moment, which this side does not see"),
    "outcome": (np.int8, "how the round ended: 0 dead, 1 knock, 2 gin, 3 big gin, 4 undercut, 5 tie"),
    "points": (np.int32, "points of the round, positive for this side"),
    "final_hand": (np.int64, "mask of this side's hand at the end of the round"),
    "final_deadwood": (np.int16, "least deadwood of final_hand, without layoffs"),
    "final_opponent_hand": (np.int64, "mask of the opponent's hand at the end of the round"),
    "won_game": (np.bool_, "whether this side won the game"),
}  # fmt: skip
"""Columns of ``decisions``: type and meaning."""

DECISION = np.dtype((np.record, np.dtype([(name, kind) for name, (kind, _) in COLUMNS.items()], align=True)))
"""One row of ``decisions``."""


class Moments(NamedTuple):
    """What one side saw after each event of its opponent, and what was hidden from it."""

    view: View
    """[N] of ``VIEW``, as a draw decision shows it; no melds are laid down yet."""
    truth: npt.NDArray[np.int64]
    """[N] mask of the opponent's hand."""
    round: npt.NDArray[np.int32]
    """[N] place of the round in the records given."""
    opponent_events: npt.NDArray[np.int16]
    """[N] events of the opponent in the round so far, the present one included."""
    turn: npt.NDArray[np.int16]
    """[N] draws of both sides in the round so far."""


@kernel
def _dealt(r, side):
    """Mask of the hand that was dealt to a side."""
    hand = np.int64(0)
    start = HAND_SIZE * (r.seat ^ side)
    for k in range(HAND_SIZE):
        hand |= np.int64(1) << np.int64(r.deck[start + k])
    return hand


@kernel
def _mover(r, event):
    return 0 if r.log[0, event, WHO] == SELF else 1


@kernel
def _fill_decisions(rounds, scores, rules, out):
    """Write the rows of all rounds, in order; ``scores`` [R, 2] are the final scores of each round's game."""
    n = 0
    hands = np.zeros(2, np.int64)
    known = np.zeros(2, np.int64)
    own = np.zeros(2, np.int64)
    takes = np.zeros(2, np.int64)
    for k in range(rounds.shape[0]):
        r = rounds[k]
        upcard = np.int64(r.deck[2 * HAND_SIZE])
        limit = round_limit(rules[0], upcard)
        pile = np.int64(1) << upcard
        stock = CARDS - 2 * HAND_SIZE - 1
        for side in range(2):
            hands[side] = _dealt(r, side)
            known[side] = own[side] = takes[side] = 0
        for event in range(r.events):
            side = _mover(r, event)
            other = 1 - side
            upcard = np.int64(r.log[side, event, UPCARD])
            drawn = np.int64(r.log[side, event, DRAWN])
            discard = np.int64(r.log[side, event, DISCARD])
            d = out[n]
            n += 1
            d.game = r.game
            d.round = r["round"]
            d.event = event
            d.side = side
            d.seat = r.seat ^ side
            d.starter = r.starter == side
            d.score = r.before[side]
            d.opponent_score = r.before[other]
            d.upcard = upcard
            d.hand = hands[side]
            d.pile = pile
            d.opponent_known = known[side]
            d.stock = stock
            d.passed = drawn == PASSED
            d.took = drawn == upcard
            d.drawn = drawn
            d.discard = discard
            d.opponent_hand = hands[other]
            if drawn != PASSED:
                own[side] += 1
                bit = np.int64(1) << drawn
                hands[side] |= bit
                if drawn == upcard:
                    takes[side] += 1
                    pile &= ~bit
                    known[other] |= bit
                else:
                    stock -= 1
            if discard != NO_CARD:
                bit = np.int64(1) << discard
                hands[side] &= ~bit
                pile |= bit
                known[other] &= ~bit
            left = deadwood(hands[side])
            d.turn = own[0] + own[1]
            d.own_turn = own[side]
            d.takes = takes[side]
            d.opponent_takes = takes[other]
            d.hand_after = hands[side]
            d.deadwood_after = left
            d.could_knock = discard != NO_CARD and left <= limit
            d.knocked = r.knocker == side and event == r.events - 1
            d.outcome = r.outcome
            d.points = r.points if side == 0 else -r.points
            d.final_hand = r.hands[side]
            d.final_deadwood = deadwood(r.hands[side])
            d.final_opponent_hand = r.hands[other]
            d.won_game = scores[k, side] > scores[k, other]


@kernel
def _fill_views(rounds, side, rules, view, truth, place, seen, turn):
    """Write a view for each event of the other side, in order."""
    n = 0
    other = 1 - side
    hands = np.zeros(2, np.int64)
    for k in range(rounds.shape[0]):
        r = rounds[k]
        top = np.int64(r.deck[2 * HAND_SIZE])
        limit = round_limit(rules[0], top)
        pile = np.int64(1) << top
        known = np.int64(0)
        stock = CARDS - 2 * HAND_SIZE - 1
        last = np.int64(NO_CARD)
        turns = own = theirs = 0
        offer = FIRST_OFFER
        hands[0] = _dealt(r, 0)
        hands[1] = _dealt(r, 1)
        for event in range(r.events):
            mover = _mover(r, event)
            upcard = np.int64(r.log[mover, event, UPCARD])
            drawn = np.int64(r.log[mover, event, DRAWN])
            discard = np.int64(r.log[mover, event, DISCARD])
            if drawn == PASSED:
                offer = SECOND_OFFER if offer == FIRST_OFFER else NORMAL
            else:
                offer = NORMAL
                turns += 1
                bit = np.int64(1) << drawn
                hands[mover] |= bit
                if mover == side:
                    own += 1
                    last = drawn
                if drawn == upcard:
                    pile &= ~bit
                    top = np.int64(NO_CARD)
                    if mover == other:
                        known |= bit
                else:
                    stock -= 1
            if discard != NO_CARD:
                bit = np.int64(1) << discard
                hands[mover] &= ~bit
                pile |= bit
                top = discard
                if mover == other:
                    known &= ~bit
            if mover == side:
                continue
            theirs += 1
            if stock <= rules[0].wall and event + 1 < r.events:
                offer = WALL_OFFER
            v = view[n]
            v.hand = hands[side]
            v.opponent = known
            v.pile = pile
            v.top = top
            v.drawn = last
            v.stock = stock
            v.offer = offer
            v.events = event + 1
            v.turns = turns
            v.own_turns = own
            v.limit = limit
            v.score = r.before[side]
            v.opponent_score = r.before[other]
            v.round = r["round"]
            v.starts = 1 if r.starter == side else 0
            for counter in range(len(STYLE)):
                v.style[counter] = r.style[side, counter]
            for past in range(event + 1):
                v.log[past, :] = r.log[side, past]
            truth[n] = hands[other]
            place[n] = k
            seen[n] = theirs
            turn[n] = turns
            n += 1


@kernel
def _count_views(rounds, side):
    """How many events of the other side there are in all rounds."""
    n = 0
    for k in range(rounds.shape[0]):
        for event in range(rounds[k].events):
            if _mover(rounds[k], event) != side:
                n += 1
    return n


def in_order(rounds: Records) -> Records:
    """The same rounds sorted by game, then by round: the order of finishing depends on the batch."""
    return rounds[np.lexsort((rounds["round"], rounds["game"]))]


def decisions(rounds: Records, games: Records, rules: Rules, first: int | None = None) -> Records:
    """One row of ``DECISION`` for each event, by game, round and event.

    ``games`` are the results of the games that the rounds belong to, in order of their numbers. If there are
    results of other games too, ``first`` must give the number of the first one; no number may be missing.
    """
    rounds = in_order(rounds)
    out = np.zeros(int(rounds["events"].sum()), DECISION)
    if len(rounds):
        scores = np.ascontiguousarray(games["score"][_places(rounds, games, first)])
        _fill_decisions(rounds, scores, rules_record(rules), out)
    return out


def _places(rounds: Records, games: Records, first: int | None) -> npt.NDArray[np.int64]:
    """Where the result of each round's game is among the results given."""
    if first is None:
        numbers, places = np.unique(rounds["game"], return_inverse=True)
        if len(numbers) != len(games):
            raise BadInput(
                f"expected the results of the {len(numbers)} games of these rounds, or the number of the "
                f"first result; got {len(games)} results"
            )
        return places.astype(np.int64)
    places = rounds["game"] - first
    if places.min() < 0 or places.max() >= len(games):
        raise BadInput(
            f"expected rounds of games {first} to {first + len(games) - 1}, got rounds of games "
            f"{rounds['game'].min()} to {rounds['game'].max()}"
        )
    return places


def views(rounds: Records, side: int, rules: Rules) -> Moments:
    """What ``side`` saw after each event of its opponent, in the order of the records.

    A view takes nearly 1 KB, and a thousand games of the baseline take about 60 MB.
    """
    size = int(_count_views(rounds, side)) if len(rounds) else 0
    found = Moments(
        np.zeros(size, VIEW),
        np.zeros(size, np.int64),
        np.zeros(size, np.int32),
        np.zeros(size, np.int16),
        np.zeros(size, np.int16),
    )
    if size:
        _fill_views(rounds, side, rules_record(rules), *found)
    return found


def bits(masks: IntArray) -> npt.NDArray[np.float32]:
    """Masks as rows of 52 zeros and ones. [N] int64 -> [N, 52] float32."""
    return (np.asarray(masks)[:, None] >> np.arange(CARDS) & 1).astype(np.float32)
