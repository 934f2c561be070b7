"""What a side saw earlier in its turn, for players of other programs that decide a whole turn at once.

We ask for the discard and then for the knock; other programs ask for both together, or for the knock first.
The answer to our later question is then part of the answer to the earlier one.
"""

from ginrummy.cards import NO_CARD, Mask
from ginrummy.rules import HAND_SIZE
from ginrummy.view import Sight


def before_discard(seen: Sight) -> Sight:
    """What was seen when the discard of this turn was asked for, after the draw.

    Every card is allowed in it, so it is the same value whichever of the turn's questions it comes from.
    """
    if seen.hand.bit_count() == HAND_SIZE and seen.log and seen.log[-1].mine:
        last = seen.log[-1]
        log = seen.log[:-1]
        seen = seen._replace(
            hand=Mask(seen.hand | 1 << last.discard),
            pile=Mask(seen.pile & ~(1 << last.discard)),
            top=NO_CARD if last.took else last.upcard,
            drawn=last.drawn,
            log=log,
            events=len(log),
        )
    return seen._replace(allowed=Mask(seen.hand)) if seen.hand.bit_count() > HAND_SIZE else seen
