"""The encoding of RLCard's ``gin-rummy``, for people who come from there, and its agents as our players.

    from ginrummy.bridges import rlcard

    rlcard.observation(seen)              # [5, 52]: hand, upcard, dead cards, known cards, unknown cards
    rlcard.legal_actions(seen)            # numbers of actions, as its environment lists them
    player = rlcard.player("mine", agent) # an agent that was trained there

Nothing here needs RLCard itself; tests compare every state of its own games with these functions. Its game
is not the whole game: the starter is dealt eleven cards and nobody is offered the first upcard, cards are
not laid off, and the winner gets a fixed reward.
"""

from collections import OrderedDict
from functools import lru_cache
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from ginrummy.bridges.turns import before_discard
from ginrummy.cards import CARDS, cards_of
from ginrummy.errors import BadInput
from ginrummy.melds import best_discards, best_meld_sets, deadwood
from ginrummy.players.base import Player, one_by_one
from ginrummy.rules import HAND_SIZE
from ginrummy.view import WALL_OFFER, Sight

SCORE_0, SCORE_1, DRAW, PICK_UP, DEAD_HAND, GIN, FIRST_DISCARD = range(7)
FIRST_KNOCK = FIRST_DISCARD + CARDS
ACTIONS = FIRST_KNOCK + CARDS
"""Its 110 actions: discards and knocks are followed by a card."""

_SUITS = (3, 1, 0, 2)
THEIRS = tuple(13 * _SUITS[card // 13] + card % 13 for card in range(CARDS))
"""[52] its number of each of our cards: its suits are in the order S H D C."""
OURS = tuple(THEIRS.index(card) for card in range(CARDS))
"""[52] our number of each of its cards."""


class Agent(Protocol):
    """What its agents have."""

    def eval_step(self, state: dict[str, Any]) -> tuple[int, Any]:
        """The action for a state, and anything else."""


class Choice(NamedTuple):
    """What an action says in our words."""

    takes: bool = False
    card: int = -1
    knocks: bool = False


def observation(seen: Sight) -> npt.NDArray[np.int64]:
    """[5, 52]: the own hand, the upcard, the rest of the pile, the opponent's known cards, unknown cards."""
    top = [seen.top] if seen.top >= 0 else []
    dead = [card for card in cards_of(seen.pile) if card != seen.top]
    planes = np.zeros((5, CARDS), np.int64)
    for plane, cards in enumerate(
        (cards_of(seen.hand), top, dead, cards_of(seen.opponent), cards_of(seen.unseen))
    ):
        planes[plane, [THEIRS[card] for card in cards]] = 1
    return planes


def legal_actions(seen: Sight, *, here: bool = False) -> list[int]:
    """The actions that its environment would list: gin alone where gin is possible.

    There a player may knock with the card just taken from the pile; ``here`` leaves out what our rules
    forbid.
    """
    if seen.hand.bit_count() == HAND_SIZE:
        return [DEAD_HAND, PICK_UP] if seen.offer == WALL_OFFER else [DRAW, PICK_UP]
    cards = cards_of(seen.allowed if here else seen.hand)
    left = {card: deadwood(seen.hand & ~(1 << card)) for card in cards}
    if min(left.values()) == 0:
        return [GIN]
    discards = [FIRST_DISCARD + THEIRS[card] for card in cards_of(seen.allowed)]
    knocks = [FIRST_KNOCK + THEIRS[card] for card, points in left.items() if points <= seen.limit]
    return sorted(discards) + sorted(knocks)


def state(seen: Sight, *, here: bool = False) -> dict[str, Any]:
    """A state as its agents get it; ``here`` as in ``legal_actions``."""
    planes, legal = observation(seen), legal_actions(seen, here=here)
    return {
        "obs": planes, "raw_obs": planes, "legal_actions": OrderedDict((action, None) for action in legal),
        "raw_legal_actions": legal, "action_record": [],
    }  # fmt: skip


def choice(action: int, seen: Sight) -> Choice:
    """What an action says; the card of gin, which its action does not name, leaves no deadwood."""
    if action in (DRAW, PICK_UP, DEAD_HAND):
        return Choice(takes=action == PICK_UP)
    if action == GIN:
        least, cards = best_discards(seen.hand)
        if least:
            raise BadInput(f"expected a hand with gin, got {seen}")
        may = [card for card in cards_of(cards) if seen.allowed >> card & 1] or cards_of(cards)
        return Choice(card=may[0], knocks=True)
    if FIRST_DISCARD <= action < FIRST_KNOCK:
        return Choice(card=OURS[action - FIRST_DISCARD])
    if FIRST_KNOCK <= action < ACTIONS:
        return Choice(card=OURS[action - FIRST_KNOCK], knocks=True)
    raise BadInput(f"expected an action from {DRAW} to {ACTIONS - 1}, got {action}")


def action_number(card: int, knocks: bool) -> int:
    """Its number of a discard of ours, with a knock or without one."""
    return (FIRST_KNOCK if knocks else FIRST_DISCARD) + THEIRS[card]


def player(name: str, agent: Agent) -> Player:
    """An agent of RLCard as a player. It is asked once for a discard and a knock together.

    Where the agent chooses among equals by chance of its own, results are not repeated by our seeds.
    """

    @lru_cache(maxsize=4096)
    def asked(seen: Sight) -> Choice:
        action, _ = agent.eval_step(state(seen, here=True))
        return choice(int(action), seen)

    def turn(seen: Sight) -> Choice:
        return asked(_as_dealt(before_discard(seen)))

    return one_by_one(
        name,
        draw=lambda seen, u: asked(seen).takes,
        discard=lambda seen, u: turn(seen).card,
        knock=lambda seen, u: turn(seen).knocks,
        spread=lambda seen, u: (best_meld_sets(seen.hand) or [()])[0],
    )


def _as_dealt(seen: Sight) -> Sight:
    """The card just taken from the pile may not be discarded, as in its game."""
    return seen._replace(allowed=type(seen.hand)(seen.hand & ~(1 << seen.drawn))) if seen.top < 0 else seen
