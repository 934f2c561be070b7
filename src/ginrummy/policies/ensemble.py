"""The ensemble: six policies judge the hand that each discard would leave, and their weighted sum decides.

Source: Nagai, Shrivastava, Ta, Byers and Bogaerts, "A Highly-Parameterized Ensemble To Play Gin Rummy" (S4).

    obtainability  ob(c): how well the player can get a card: its own cards surely, the upcard nearly so, an
                   unknown card by its chance to be in the stock (``tracking``)
    meldability    m(c) = rank weight * m_rank(c) + run weight * m_run(c): 100 for a card melded in that way,
                   otherwise the sum of ob * ob over the pairs of cards that would complete a meld of three
    1 meldability  the sum of m(c) over the hand
    2 deadwood     one minus the deadwood
    3 ace-two      aces and twos held
    4 by turn      one minus the deadwood times a factor that grows with the own turn
    5 by known     the same with a factor that grows with the known cards of the opponent
    6 adjacency    pairs of one rank, of suited neighbours, of suited cards two apart

Each policy gives about 0 to 1, so that weights can be compared. The poster names the policies but not all of
their formulas: 3, 4 and 5 are our readings. The melds of a hand are its first best meld set in the order of
``meld_kernels``, as in the authors' program.
"""

import numpy as np

from ginrummy._jit import count, inlined, lean, lowest
from ginrummy.cards import CARDS, RANK, SUIT
from ginrummy.compiled.policy import Policy
from ginrummy.meld_kernels import (
    MAX_HELD,
    MAX_MELDS,
    deadwood,
    deadwood_without,
    find_best_sets,
    least_after_discard,
    melds_with,
)
from ginrummy.policies.baseline import any_card, spread_best
from ginrummy.tracking import TRACKED, track

(
    UNKNOWN, OWN, MELDED, HELD, DISCARDED, TOP, BURIED, RANK_WEIGHT, RUN_WEIGHT, W_MELDABILITY, W_DEADWOOD,
    W_ACE_TWO, W_TURN, W_KNOWN, W_ADJACENCY, TURN_FULL, TURN_POWER, KNOWN_FULL, KNOWN_POWER, PAIR_RANK,
    PAIR_ONE, PAIR_TWO, DRAW_TURN, DRAW_FALL, KNOCK_EARLY, KNOCK_LATE, KNOCK_TURN,
) = range(TRACKED, TRACKED + 27)  # fmt: skip
"""Places of the constants after those of ``tracking``."""

MOST_DEADWOOD, MOST_MELDABILITY, MOST_ADJACENCY, MOST_ACE_TWO = 98.0, 1000.0, 25.5, 8.0
"""What the sums are divided by."""
WIDE = 17
"""Places of a suit in the table of obtainability: thirteen ranks with two empty places on each side."""
TABLE = 4 * WIDE
_CHANCES = MAX_HELD + 2 * MAX_MELDS + 2 * CARDS
"""Where the integers of the scratch end and the room for real numbers begins."""


@inlined
def place_of(card):
    """Place of a card in the table of obtainability."""
    return WIDE * (card // 13) + card % 13 + 2


@lean
def fill_obtainability(hand, pile, top, opponent, chances, p, table):
    """Write how well each card outside the hand can be obtained to ``table`` [TABLE]; 0 off the board."""
    for place in range(TABLE):
        table[place] = 0.0
    for card in range(CARDS):
        bit = np.int64(1) << card
        if card == top:
            worth = p[TOP]
        elif pile & bit != 0:
            worth = p[BURIED]
        elif opponent & bit != 0:
            worth = p[HELD]
        else:
            worth = p[UNKNOWN] * min(1.0, max(0.0, chances[card]))
        if hand & bit == 0:
            table[place_of(card)] = worth


@lean
def first_melds(hand, held, index, melds):
    """(cards in runs, cards in sets) of the first best meld set. ``melds`` [1, 4] is scratch too."""
    runs = sets = np.int64(0)
    if find_best_sets(hand, 0, held, index, melds) > 0:
        for k in range(MAX_MELDS):
            meld = melds[0, k]
            if meld & meld >> 1 != 0:
                runs |= meld
            else:
                sets |= meld
    return runs, sets


@lean
def meldability(hand, runs, sets, p, table):
    """The sum of m(c) over the hand. The places of the hand in ``table`` are written first."""
    cards = hand
    while cards != 0:
        card = lowest(cards)
        cards &= cards - 1
        table[place_of(card)] = p[MELDED] if (runs | sets) >> card & 1 else p[OWN]
    total = 0.0
    cards = hand
    while cards != 0:
        card = lowest(cards)
        cards &= cards - 1
        place = place_of(card)
        if sets >> card & 1:
            rank = 100.0
        else:
            a, b, c = (
                table[(place + WIDE) % TABLE],
                table[(place + 2 * WIDE) % TABLE],
                table[(place + 3 * WIDE) % TABLE],
            )
            rank = a * b + b * c + c * a
        if runs >> card & 1:
            run = 100.0
        else:
            low, high = table[place - 1], table[place + 1]
            run = table[place - 2] * low + low * high + high * table[place + 2]
        total += p[RANK_WEIGHT] * rank + p[RUN_WEIGHT] * run
    return total


@lean
def adjacency(hand, p):
    """Pairs of the hand by weight, each counted from both of its cards."""
    same = np.int64(0)
    for suits in range(1, 4):
        same += count(hand & hand >> (13 * suits))
    one = two = np.int64(0)
    for suit in range(4):
        ranks = hand >> (13 * suit) & SUIT
        one += count(ranks & ranks >> 1)
        two += count(ranks & ranks >> 2)
    return 2.0 * (p[PAIR_RANK] * same + p[PAIR_ONE] * one + p[PAIR_TWO] * two)


@inlined
def _factor(number, full, power):
    """A factor that grows from 0 to 1, which it reaches at ``full``."""
    return 1.0 if number >= full else (number / full) ** power


@lean
def deadwood_weight(turn, known, p):
    """The joint weight of the three policies of deadwood in one decision: they differ in a factor only."""
    by_turn = p[W_TURN] * _factor(turn, p[TURN_FULL], p[TURN_POWER])
    return p[W_DEADWOOD] + by_turn + p[W_KNOWN] * _factor(known, p[KNOWN_FULL], p[KNOWN_POWER])


@lean
def worth_of_hand(hand, left, weight, p, table, held, index, melds):
    """The weighted sum of the six policies for a hand with ``left`` deadwood; the greatest is best.

    ``weight`` is ``deadwood_weight``. What the policies of deadwood give beyond that is the same for all
    hands of a decision and is left out.
    """
    worth = -weight * left / MOST_DEADWOOD
    if p[W_MELDABILITY] != 0:
        runs, sets = first_melds(hand, held, index, melds)
        worth += p[W_MELDABILITY] * meldability(hand, runs, sets, p, table) / MOST_MELDABILITY
    if p[W_ACE_TWO] != 0:
        worth += p[W_ACE_TWO] * count(hand & (RANK | RANK << 1)) / MOST_ACE_TWO
    if p[W_ADJACENCY] != 0:
        worth += p[W_ADJACENCY] * adjacency(hand, p) / MOST_ADJACENCY
    return worth


@lean
def best_seen(seen, p, scratch):
    """Mask of the discards whose hands are worth most: one card, unless hands are equal."""
    held, index = scratch[:MAX_HELD], scratch[MAX_HELD : MAX_HELD + MAX_MELDS]
    melds = scratch[MAX_HELD + MAX_MELDS : MAX_HELD + 2 * MAX_MELDS].reshape((1, MAX_MELDS))
    left = scratch[MAX_HELD + 2 * MAX_MELDS : _CHANCES]
    reals = scratch[_CHANCES : _CHANCES + CARDS + TABLE].view(np.float64)
    table = reals[CARDS:]
    if p[W_MELDABILITY] != 0:
        track(seen, p, reals)
        fill_obtainability(seen.hand, seen.pile, np.int64(seen.top), seen.opponent, reals, p, table)
    weight = deadwood_weight(seen.own_turns, count(seen.opponent), p)
    deadwood_without(seen.hand, left)
    most = -1e18
    best = np.int64(0)
    cards = seen.allowed
    while cards != 0:
        card = lowest(cards)
        bit = np.int64(1) << card
        cards ^= bit
        table[place_of(card)] = p[DISCARDED]
        worth = worth_of_hand(seen.hand ^ bit, left[card], weight, p, table, held, index, melds)
        if worth > most + 1e-12:
            most = worth
            best = bit
        elif worth > most - 1e-12:
            best |= bit
    return best


@lean
def draw(seen, p, u, scratch):
    """Take a card that the first best meld set melds; in later turns, also one that lowers deadwood."""
    top = np.int64(seen.top)
    eleven = seen.hand | np.int64(1) << top
    if melds_with(eleven, top):
        melds = scratch[MAX_HELD + MAX_MELDS : MAX_HELD + 2 * MAX_MELDS].reshape((1, MAX_MELDS))
        runs, sets = first_melds(eleven, scratch[:MAX_HELD], scratch[MAX_HELD : MAX_HELD + MAX_MELDS], melds)
        if (runs | sets) >> top & 1:
            return True
    if seen.own_turns < p[DRAW_TURN]:
        return False
    return deadwood(seen.hand) - least_after_discard(eleven) >= p[DRAW_FALL]


@lean
def discard(seen, p, u, scratch):
    """Leave the hand that is worth most; ties are broken by ``u``."""
    return any_card(best_seen(seen, p, scratch), u)


@lean
def knock(seen, p, u, scratch):
    """Knock within the limit of the stage of the round; gin always."""
    limit = p[KNOCK_EARLY] if seen.own_turns < p[KNOCK_TURN] else p[KNOCK_LATE]
    return deadwood(seen.hand) <= limit


@lean
def spread(seen, p, u, scratch, out):
    """Lay down the first best meld set to knock; any of them, by ``u``, to defend: as the program does."""
    spread_best(seen, p, u if seen.knocked[0] != 0 else 0.0, scratch, out)


ENSEMBLE = Policy(draw, discard, knock, spread)
