"""What the network of ``champion`` is told: a view as numbers, written by one kernel.

A row of ``INPUTS`` numbers has two parts. The first is ``PLANES`` planes of 52 cards, suit by suit: number
``SUIT_INPUTS * suit + 13 * plane + rank``, so that a network can treat the suits alike. The second is
``NUMBERS`` numbers about the whole table. Everything comes from the view of one side.

The blueprint is ``hand-strength`` with constants ``p``: its scores of discards and its answers to draws and
knocks are inputs, and the network learns a correction of them. A view shows the knock limit of a round, but
not what gin or an undercut is worth: ``constants`` appends that to ``p``. Without it the rules are ``eaai``.

A belief about the opponent's cards is handed in (``belief``: a chance for each card): the network is told it,
and what it means for the own cards.

A decision is *open* when the network is asked. The others are settled: an upcard that does not lower the
deadwood after a discard is left, gin is laid down.
"""

import numpy as np
import numpy.typing as npt

from ginrummy._jit import count, inlined, kernel, lean, lowest
from ginrummy.cards import CARDS, DECK
from ginrummy.compiled import policy
from ginrummy.makers import meld_makers
from ginrummy.meld_kernels import deadwood, deadwood_without, least_after_discard
from ginrummy.policies.hand_strength import ever_taken, knocks, takes
from ginrummy.rules import EAAI, Rules
from ginrummy.savings import future_deadwood
from ginrummy.strength import (
    CODE,
    PARAMETERS,
    K,
    candidates,
    future_weight,
    opponent_term,
    opponent_term_of_program,
)
from ginrummy.view import DISCARD as DISCARDED
from ginrummy.view import DRAWN, FIRST_OFFER, OTHER, SECOND_OFFER, STYLE, UPCARD, WHO, FloatArray

DRAW, DISCARD, KNOCK = range(3)
"""Questions that the network answers."""

(
    HELD,  # own cards
    TAKEN,  # cards that the opponent took and still holds
    THROWN,  # cards of the pile that the opponent discarded
    REFUSED,  # cards of the pile that the opponent left
    UPPERMOST,  # the upcard, in draws and knocks
    THROWN_LATELY,  # the opponent's discards, less the longer ago
    SAVING,  # what an own card adds to the deadwood, in tens
    WANTED,  # expected melds that the opponent could make with an own card
    MAKING,  # cards that would meld with the own hand, by what they save
    FUTURE_AFTER,  # after this discard: mean of the lowest deadwoods to come, above the best discard's
    OPPONENT_TERM,  # the blueprint's price for what the opponent could do with this discard
    LEFT_AFTER,  # after this discard: deadwood above the best discard's, in tens
    SCORE,  # the blueprint's score of this discard above the best one's
    CANDIDATE,  # discards that the blueprint scores
    BURIED,  # other cards of the pile
    SHOWN,  # own cards that the opponent saw being taken
    BELIEVED,  # how likely the opponent holds a card that was not seen
    DANGER,  # expected melds that the opponent could make with an own card or the upcard, by that belief
) = range(18)
PLANES = 18
SUIT_INPUTS = 13 * PLANES
CARD_INPUTS = CARDS * PLANES

(
    DRAWING, FIRST, SECOND, DISCARDING, KNOCKING,  # what is asked
    DEADWOOD, LEAST, MAY_KNOCK, BEST_LEFT, BEST_FUTURE, OUTS, KNOCK_OUTS, GIN_OUTS,  # the own hand
    TAKE_SAVES, TAKE_LEAVES, TAKE_KNOCKS, TAKE_GIN, TAKE_WANTED, TAKES, KNOCKS,  # the upcard, the blueprint
    STOCK, TURN, OWN_SCORE, OTHER_SCORE, STARTS, KNOWN, TOOK,  # the table
    OWN_75, OTHER_75, OWN_90, OTHER_90, TURN_1, TURN_2, TURN_3, TURN_4, TURN_5, TURN_6, TURN_7,
    LEAST_5, LEAST_2, LEAST_20, LEAST_30, STOCK_8, LEAD,
    EARLIER, KNOCK_RATE, GIN_RATE, WAIT_RATE, KNOCK_TURN, KNOCK_WITH, GIN_TURN, WAIT_TURN,  # earlier rounds
    LEFT_MEAN, TAKE_RATE, TURN_MEAN, WAITS_OF_CHANCES,
    LIMIT, GIN_ONLY, GIN_WORTH, UNDERCUT_WORTH, BIG_GIN, BEST_DEFENCE, TARGET,  # the rules; 0 under ``eaai``
) = range(63)  # fmt: skip
NUMBERS = 64
"""The last one is spare and always 0. A number that was spare before is a new input for an old network."""
USED_NUMBERS = 63
INPUTS = CARD_INPUTS + NUMBERS


def planes_of(inputs: int) -> int:
    """How many planes of cards a network with so many inputs is told."""
    return (inputs - NUMBERS) // CARDS


def first_planes(x: npt.NDArray[np.float32], planes: int) -> npt.NDArray[np.float32]:
    """Rows of inputs for a network that is told the first planes alone."""
    if planes == PLANES:
        return x
    cards = x[:, :CARD_INPUTS].reshape(len(x), 4, PLANES, 13)[:, :, :planes]
    return np.concatenate([cards.reshape(len(x), -1), x[:, CARD_INPUTS:]], 1)


FAR = 2.5
"""The score of a discard that the blueprint does not consider, and the greatest score of any."""
SCRATCH = policy.SCRATCH
"""Integers of room that ``encode`` needs."""


GIN_BONUS = PARAMETERS
"""The first of the constants that tell the rules: see ``constants``."""
_USUAL_LIMIT, _USUAL_BONUS, _USUAL_TARGET = EAAI.knock_limit, EAAI.gin_bonus, EAAI.target
(
    _ROUNDS, _TURNS, _KNOCKS, _KNOCK_TURNS, _KNOCK_DEADWOOD, _GINS, _GIN_TURNS,
    _WAITS, _WAIT_TURNS, _LEFT, _OFFERS, _TAKES,
) = range(len(STYLE))  # fmt: skip
_PRIOR = 2.0
"""Rounds or knocks that count as usual ones, so that a rate of few does not count in full."""


def constants(blueprint: FloatArray, rules: Rules) -> FloatArray:
    """The constants of the encoder: the blueprint's, then what the view does not tell of the rules."""
    told = (rules.gin_bonus, rules.undercut_bonus, rules.big_gin_bonus, rules.optimal_defence, rules.target)
    return np.concatenate([blueprint[:PARAMETERS], np.array(told, np.float64)])


def _partners() -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """For each card, the pairs of cards with which it makes a meld of three, as masks; and their number."""
    masks, sizes = np.zeros((CARDS, 6), np.int64), np.zeros(CARDS, np.int64)
    for card in range(CARDS):
        suit, rank = divmod(card, 13)
        pairs = [
            (card + a, card + b) for a, b in ((-2, -1), (-1, 1), (1, 2)) if rank + a >= 0 and rank + b < 13
        ]
        others = [13 * other + rank for other in range(4) if other != suit]
        pairs += [(others[k], others[(k + 1) % 3]) for k in range(3)]
        masks[card, : len(pairs)] = [1 << a | 1 << b for a, b in pairs]
        sizes[card] = len(pairs)
    return masks, sizes


PARTNERS, PARTNER_PAIRS = _partners()


@inlined
def place(plane, card):
    """Where the number of a card in a plane stands."""
    return SUIT_INPUTS * (card // 13) + 13 * plane + card % 13


@lean
def _mark(x, plane, cards, value):
    """Write a number for each card of a mask."""
    while cards != 0:
        x[place(plane, lowest(cards))] = value
        cards &= cards - 1


@lean
def _wanted(card, gone, known, chance):
    """Expected number of three-card melds that the opponent could make with a card.

    ``chance`` is that of holding an unseen card; ``gone`` are cards that the opponent cannot have.
    """
    total = 0.0
    for k in range(PARTNER_PAIRS[card]):
        pair = PARTNERS[card, k]
        if pair & gone == 0:
            held = count(pair & known)
            total += 1.0 if held == 2 else chance if held == 1 else chance * chance
    return total


@lean
def is_open(seen, question):
    """Whether the network is asked; otherwise ``settled`` answers."""
    if question == DRAW:
        return least_after_discard(seen.hand | np.int64(1) << np.int64(seen.top)) < deadwood(seen.hand)
    return question == DISCARD or deadwood(seen.hand) > 0


@inlined
def settled(question):
    """The answer where the network is not asked: leave the upcard, lay gin down."""
    return question != DRAW


@lean
def _danger(card, belief):
    """Expected number of three-card melds that the opponent could make with a card, by a belief."""
    total = np.float32(0)
    for k in range(PARTNER_PAIRS[card]):
        pair = PARTNERS[card, k]
        total += belief[lowest(pair)] * belief[lowest(pair & (pair - 1))]
    return total


@lean
def _encode_belief(seen, unseen, belief, x):
    """Write the belief, and what it means for the own cards and the upcard."""
    cards = unseen
    while cards != 0:
        card = lowest(cards)
        cards &= cards - 1
        x[place(BELIEVED, card)] = belief[card]
    cards = seen.hand
    if seen.top >= 0:
        cards |= np.int64(1) << np.int64(seen.top)
    while cards != 0:
        card = lowest(cards)
        cards &= cards - 1
        x[place(DANGER, card)] = _danger(card, belief)


@lean
def encode(seen, question, p, belief, scratch, x):
    """Write the inputs of the network for one decision to ``x`` [INPUTS].

    ``belief`` [52] says how likely the opponent holds each card: 1 if it is known to, 0 if it cannot.
    """
    x[:] = 0
    m = x[CARD_INPUTS:]
    hand, pile, known = seen.hand, seen.pile, seen.opponent
    gone = hand | pile
    unseen = DECK & ~(gone | known)
    chance = (10.0 - count(known)) / max(count(unseen), 1)
    _mark(x, HELD, hand, 1.0)
    _mark(x, TAKEN, known, 1.0)
    _read_log(seen, x)
    _encode_belief(seen, unseen, belief, x)
    now = deadwood(hand)
    deadwood_without(hand, scratch)
    cards = hand
    while cards != 0:
        card = lowest(cards)
        cards &= cards - 1
        x[place(SAVING, card)] = (now - scratch[card]) * 0.1
        x[place(WANTED, card)] = _wanted(card, gone, known, chance)
    if question == DISCARD:
        least = _encode_discards(seen, unseen, p, scratch, x)
    else:
        least = now
        _encode_makers(seen, now, unseen, x)
        top = np.int64(seen.top)
        x[place(UPPERMOST, top)] = 1.0
        if question == DRAW:
            _encode_upcard(seen, now, chance, p, scratch, m)
        else:
            m[KNOCKING] = 1.0
            m[KNOCKS] = 1.0 if knocks(now, np.int64(seen.own_turns), p) else -1.0
    m[DEADWOOD] = now * 0.02
    m[LEAST] = min(least, 10) * 0.1
    m[MAY_KNOCK] = least <= seen.limit
    m[LEAST_2], m[LEAST_5], m[LEAST_20], m[LEAST_30] = least <= 2, least <= 5, least <= 20, least <= 30
    _encode_table(seen, known, p, m)
    if seen.style[_ROUNDS] > 0:
        _encode_style(seen.style, m)
    _encode_rules(seen, p, m)


@lean
def _read_log(seen, x):
    """Write what the log tells: the opponent's discards and refusals, and own cards that it has seen."""
    took = 0
    refused = thrown = shown = np.int64(0)
    events = np.int64(seen.events)
    for event in range(events):
        upcard = np.int64(seen.log[event, UPCARD])
        drawn = np.int64(seen.log[event, DRAWN])
        if seen.log[event, WHO] == OTHER:
            if drawn == upcard:
                took += 1
            else:
                refused |= np.int64(1) << upcard
            card = np.int64(seen.log[event, DISCARDED])
            if card >= 0:
                thrown |= np.int64(1) << card
                x[place(THROWN_LATELY, card)] = 1.0 / (1.0 + 0.25 * (events - event))
        elif drawn == upcard:
            shown |= np.int64(1) << upcard
    if seen.own_turns > 0 and seen.top < 0:  # the upcard was taken just now
        shown |= np.int64(1) << np.int64(seen.drawn)
    thrown &= seen.pile
    refused &= seen.pile
    _mark(x, THROWN, thrown, 1.0)
    _mark(x, REFUSED, refused, 1.0)
    _mark(x, BURIED, seen.pile & ~(thrown | refused), 1.0)
    _mark(x, SHOWN, shown & seen.hand, 1.0)
    x[CARD_INPUTS + TOOK] = took * 0.2


@lean
def _encode_discards(seen, unseen, p, scratch, x):
    """Write the planes of a discard; returns the least deadwood that a discard leaves."""
    m = x[CARD_INPUTS:]
    m[DISCARDING] = 1.0
    chosen = candidates(seen.hand, seen.allowed, p, scratch)  # scratch[card]: the deadwood without it
    program = p[CODE] != 0
    held = ever_taken(seen) if program else seen.opponent
    gone = seen.pile | seen.hand
    there = DECK & ~(gone | held)
    weight = future_weight(seen.own_turns, p)
    lows = min(int(p[K]), count(there))
    least = np.int64(999)
    cards = seen.allowed
    while cards != 0:
        least = min(least, scratch[lowest(cards)])
        cards &= cards - 1
    _mark(x, FUTURE_AFTER, seen.allowed, 2.0)
    _mark(x, SCORE, seen.allowed, FAR)
    _mark(x, CANDIDATE, chosen, 1.0)
    _mark(x, MAKING, meld_makers(seen.hand) & unseen, 0.5)
    best_score = best_future = 1e18
    cards = chosen
    while cards != 0:
        card = lowest(cards)
        cards &= cards - 1
        if program:
            term = opponent_term_of_program(card, gone, held, p)
        else:
            term = opponent_term(card, gone, held, p)
        future = future_deadwood(seen.hand ^ np.int64(1) << card, there, lows, scratch[64:])
        value = scratch[card] + weight * future + term
        x[place(FUTURE_AFTER, card)] = future
        x[place(OPPONENT_TERM, card)] = term * 0.05
        x[place(LEFT_AFTER, card)] = (scratch[card] - least) * 0.1
        x[place(SCORE, card)] = value
        best_future = min(best_future, future)
        best_score = min(best_score, value)
    cards = chosen
    while cards != 0:
        card = lowest(cards)
        cards &= cards - 1
        k = place(FUTURE_AFTER, card)
        x[k] = min(2.0, (x[k] - best_future) * 0.2)
        k = place(SCORE, card)
        if least == 0:  # gin: nothing else matters
            x[k] = 0.0 if scratch[card] == 0 else FAR
        else:
            x[k] = min(FAR, (x[k] - best_score) * 0.02)
    m[BEST_LEFT] = least * 0.02
    m[BEST_FUTURE] = best_future * 0.02
    return least


@lean
def _encode_makers(seen, now, unseen, x):
    """Write which cards would meld with ten cards, and how many of them are live."""
    m = x[CARD_INPUTS:]
    top = np.int64(1) << np.int64(seen.top)
    outs = knock_outs = gin_outs = 0
    makers = meld_makers(seen.hand) & (unseen | top)
    while makers != 0:
        card = lowest(makers)
        makers &= makers - 1
        left = least_after_discard(seen.hand | np.int64(1) << card)
        if left < now:
            x[place(MAKING, card)] = 0.3 + (now - left) * 0.05
        if unseen >> card & 1:
            outs += left < now
            knock_outs += left <= seen.limit
            gin_outs += left == 0
    m[OUTS], m[KNOCK_OUTS], m[GIN_OUTS] = outs * 0.1, knock_outs * 0.1, gin_outs * 0.25


@lean
def _encode_upcard(seen, now, chance, p, scratch, m):
    """Write what the upcard would bring, and whether the blueprint takes it."""
    m[FIRST if seen.offer == FIRST_OFFER else SECOND if seen.offer == SECOND_OFFER else DRAWING] = 1.0
    top = np.int64(seen.top)
    bit = np.int64(1) << top
    left = least_after_discard(seen.hand | bit)
    m[TAKE_SAVES] = (now - left) * 0.1
    m[TAKE_LEAVES] = left * 0.02
    m[TAKE_KNOCKS] = left <= seen.limit
    m[TAKE_GIN] = left == 0
    m[TAKE_WANTED] = _wanted(top, (seen.hand | seen.pile) & ~bit, seen.opponent, chance)
    m[TAKES] = 1.0 if takes(seen.hand, top, p, 0.5, scratch) else -1.0


@lean
def _encode_style(style, m):
    """Write how the opponent played in earlier rounds, as rates around what is usual."""
    rounds, knocks, gins, waits = style[_ROUNDS], style[_KNOCKS], style[_GINS], style[_WAITS]
    m[EARLIER] = rounds / (rounds + 3.0)
    m[KNOCK_RATE], m[GIN_RATE], m[WAIT_RATE] = (
        knocks / (rounds + _PRIOR), gins / (rounds + _PRIOR), waits / (rounds + _PRIOR)
    )  # fmt: skip
    m[KNOCK_TURN] = _shift(style[_KNOCK_TURNS], knocks, 6.0, 0.2)
    m[KNOCK_WITH] = _shift(style[_KNOCK_DEADWOOD], knocks, 5.0, 0.2)
    m[GIN_TURN] = _shift(style[_GIN_TURNS], gins, 8.0, 0.2)
    m[WAIT_TURN] = _shift(style[_WAIT_TURNS], waits, 7.0, 0.2)
    m[LEFT_MEAN] = _shift(style[_LEFT], rounds - knocks - gins, 20.0, 0.05)
    m[TAKE_RATE] = (style[_TAKES] - 0.3 * style[_OFFERS]) / (style[_OFFERS] + 10.0) * 4.0
    m[TURN_MEAN] = _shift(style[_TURNS], rounds, 7.0, 0.2)
    m[WAITS_OF_CHANCES] = waits / (waits + knocks + 1.0)


@inlined
def _shift(total, number, usual, scale):
    """How far a mean lies from what is usual; less for few."""
    return (total - usual * number) / (number + _PRIOR) * scale


@lean
def _encode_rules(seen, p, m):
    """Write how the rules differ from the challenge's."""
    m[LIMIT] = (_USUAL_LIMIT - seen.limit) * 0.1
    m[GIN_ONLY] = seen.limit == 0
    if p.shape[0] > GIN_BONUS:
        m[GIN_WORTH] = (_USUAL_BONUS - p[GIN_BONUS]) * 0.1
        m[UNDERCUT_WORTH] = (_USUAL_BONUS - p[GIN_BONUS + 1]) * 0.1
        m[BIG_GIN] = p[GIN_BONUS + 2] > 0
        m[BEST_DEFENCE] = p[GIN_BONUS + 3]
        m[TARGET] = (p[GIN_BONUS + 4] - _USUAL_TARGET) * 0.01


@lean
def _encode_table(seen, known, p, m):
    """Write scores, turn and stock. Scores are told as if the target were 100."""
    turn = np.int64(seen.own_turns)
    m[STOCK] = seen.stock / 31.0
    m[STOCK_8] = seen.stock <= 8
    m[TURN] = (turn if turn < 12 else 12) * 0.1
    for k in range(7):
        m[TURN_1 + k] = turn > k
    target = p[GIN_BONUS + 4] if p.shape[0] > GIN_BONUS else 100.0
    own, other = seen.score / target, seen.opponent_score / target
    m[OWN_SCORE], m[OTHER_SCORE], m[LEAD] = own, other, own - other
    m[OWN_75], m[OTHER_75] = own >= 0.75, other >= 0.75
    m[OWN_90], m[OTHER_90] = own >= 0.9, other >= 0.9
    m[STARTS] = seen.starts
    m[KNOWN] = count(known) * 0.2


@kernel
def open_rows(view, rows, question, out):
    """Write to ``out`` [N] which decisions are open."""
    for k in range(rows.shape[0]):
        out[k] = is_open(view[rows[k]], question)


@kernel
def encode_rows(view, rows, question, p, beliefs, scratch, out):
    """Encode open decisions; ``beliefs`` [N, 52] are those about their rows."""
    for k in range(rows.shape[0]):
        encode(view[rows[k]], question, p, beliefs[k], scratch, out[k])
