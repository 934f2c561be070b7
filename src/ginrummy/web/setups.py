"""Tables put together by hand, as lines of the position format.

The coach reads positions that have a history. ``line_of`` writes one that leads to the table: both passed the
first card of the pile; then the person draws and throws every second card of the pile, and the opponent
throws the others. A card that the opponent is known to hold was thrown by the person and taken.
"""

from ginrummy.errors import BadInput
from ginrummy.rules import HAND_SIZE
from ginrummy.web import models

STOCK = 31
"""Cards of the stock after the deal."""


def line_of(asked: models.Setup) -> str:
    """The line of ``position`` for a table put together by hand; the person sits in seat 0 and starts."""
    _check(asked)
    first, *rest = asked.pile
    taken = list(asked.known)
    turns: list[str] = []
    drawn = 0
    while rest or taken:
        drawn += 1
        if taken:
            card = taken.pop(0)
            if not rest:
                raise BadInput("the opponent threw a card after each one that it took: the pile is too short")
            turns += [f"d{card}-{card}", f"t{card}-{rest.pop(0)}"]
            continue
        if len(rest) == 1:
            raise BadInput("one card more or less in the pile: the opponent has thrown the last one")
        turns += [f"d{rest[0]}-{rest[0]}", f"d??-{rest[1]}"]
        del rest[:2]
        drawn += 1
    if len(asked.hand) > HAND_SIZE:
        turns.append(f"d{asked.hand[-1]}")
        drawn += 1
    if STOCK - drawn < 2:
        raise BadInput("the pile has more cards than a round can have")
    passes = ["p", "p"] if turns else []
    other = "".join(asked.known) + "??" * (HAND_SIZE - len(asked.known))
    scores = f"{asked.scores[0]}-{asked.scores[1]}"
    hand = "".join(asked.hand)
    return " ".join(
        [asked.rules, "1", scores, "0-0", "0", hand, other, str(STOCK - drawn), first, *passes, *turns]
    )


def _check(asked: models.Setup) -> None:
    if len(asked.hand) not in (HAND_SIZE, HAND_SIZE + 1):
        raise BadInput(f"expected ten or eleven cards in the hand, got {len(asked.hand)}")
    if not asked.pile:
        raise BadInput("expected at least one card in the pile, got none")
    cards = [*asked.hand, *asked.pile, *asked.known]
    twice = sorted({card for card in cards if cards.count(card) > 1})
    if twice:
        raise BadInput(f"expected every card once, got {', '.join(twice)} more often")
