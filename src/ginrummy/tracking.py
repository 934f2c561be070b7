"""How likely each unknown card is still in the stock, read from a side's log, for all who track cards.

Source: Nagai, Shrivastava, Ta, Byers and Bogaerts, "A Highly-Parameterized Ensemble To Play Gin Rummy" (S4).
Every unknown card begins with the share of the stock among unknown cards, 31 of 41. The opponent's draws and
discards then move the cards *adjacent* to the card in question: suited cards one and two ranks away, and
cards of its rank.

    the opponent takes c       p(a) <- p(a) - p(a) * alpha
    it declines c              p(a) <- p(a) + (1 - p(a)) * alpha
    it discards c              p(a) <- p(a) + (1 - p(a)) * alpha

Nine constants result: three kinds of adjacency for three kinds of event. After each event the *baseline* adds
the change in the share of the stock among unknown cards to every p.

The estimator ``tracker`` and the policy of the player ``ensemble`` both call ``track``. Estimators and
policies do not import each other, so it stands below both.
"""

from collections.abc import Mapping

import numpy as np

from ginrummy._jit import count, inlined, lean
from ginrummy.cards import CARDS, NO_CARD
from ginrummy.errors import UnknownName
from ginrummy.limits import HAND_SIZE
from ginrummy.view import DISCARD, DRAWN, OTHER, PASSED, UPCARD, WHO

(
    TAKE_ONE, TAKE_TWO, TAKE_RANK, DECLINE_ONE, DECLINE_TWO, DECLINE_RANK, DISCARD_ONE, DISCARD_TWO,
    DISCARD_RANK, BASELINE, PASSES,
) = range(11)  # fmt: skip
"""Places of the constants: nine weights; the share of the baseline's change to apply, 1 or 0; whether a pass
of the first upcard counts as declining it, 1 or 0."""
TRACKED = 11

FIRST_STOCK = CARDS - 2 * HAND_SIZE - 1

PROGRAM: dict[str, float] = {
    "take_one": 0.838,  # the opponent takes a card: suited neighbours become less likely in the stock
    "take_two": 0.0615,  # the same for suited cards two ranks away
    "take_rank": 0.383,  # the same for cards of its rank
    "decline_one": 0.398,  # it declines a card: suited neighbours become more likely in the stock
    "decline_two": 0.108,
    "decline_rank": 0.378,
    "discard_one": 0.271,  # it discards a card: suited neighbours become more likely in the stock
    "discard_two": 0.208,
    "discard_rank": 0.479,
    "baseline": 1.0,  # 1: follow the share of the stock among unknown cards; 0: do not
    "passes": 0.0,  # 1: a pass of the first upcard counts as declining it; 0: it does not
}
"""The constants of the authors' program, in order. A pass brings it no message."""


def check_shares(owner: str, constants: Mapping[str, float]) -> None:
    """Refuse a constant of tracking that is not a share from 0 to 1."""
    for name in PROGRAM:
        if not 0 <= constants[name] <= 1:
            raise UnknownName(f"{owner}: {name} is a share from 0 to 1, not {constants[name]:g}")


@inlined
def _move(p, card, weight, down):
    p[card] -= (p[card] if down else p[card] - 1.0) * weight


@lean
def _move_adjacent(p, card, constants, first, down):
    """Change the chances of the cards adjacent to ``card`` by three weights from place ``first`` on."""
    rank = card % 13
    if rank > 0:
        _move(p, card - 1, constants[first], down)
    if rank < 12:
        _move(p, card + 1, constants[first], down)
    if rank > 1:
        _move(p, card - 2, constants[first + 1], down)
    if rank < 11:
        _move(p, card + 2, constants[first + 1], down)
    for suits in range(1, 4):
        _move(p, (card + 13 * suits) % CARDS, constants[first + 2], down)


@lean
def follow(p, constants, upcard, drawn, discard):
    """Change the chances [52] by one event of the opponent."""
    if drawn == upcard:
        _move_adjacent(p, upcard, constants, TAKE_ONE, True)
    elif drawn != PASSED or constants[PASSES] != 0:
        _move_adjacent(p, upcard, constants, DECLINE_ONE, False)
    if discard != NO_CARD:
        _move_adjacent(p, discard, constants, DISCARD_ONE, False)


@lean
def shift(p, constants, before, now):
    """Change the chances [52] by what the share of the stock among unknown cards has changed."""
    if now != before:
        for card in range(CARDS):
            p[card] += constants[BASELINE] * (now - before)


@inlined
def stock_share(stock, held):
    """The share of the stock among unknown cards; ``held`` are cards that the opponent is known to hold."""
    return stock / (stock + HAND_SIZE - count(held))


@lean
def track(seen, constants, p):
    """Write to ``p`` [52] how likely each card is in the stock, by all events of a side's log.

    Only the numbers of unknown cards mean something. They are not held within 0 and 1: late in a round the
    baseline's change can take a card below 0.
    """
    stock = FIRST_STOCK
    held = np.int64(0)
    share = stock_share(stock, held)
    for card in range(CARDS):
        p[card] = share
    for event in range(seen.events):
        upcard = np.int64(seen.log[event, UPCARD])
        drawn = np.int64(seen.log[event, DRAWN])
        discard = np.int64(seen.log[event, DISCARD])
        if drawn != PASSED and drawn != upcard:
            stock -= 1
        if seen.log[event, WHO] == OTHER:
            if drawn == upcard:
                held |= np.int64(1) << upcard
            if discard != NO_CARD:
                held &= ~(np.int64(1) << discard)
            follow(p, constants, upcard, drawn, discard)
        now = stock_share(stock, held)
        shift(p, constants, share, now)
        share = now
