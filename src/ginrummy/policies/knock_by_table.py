"""Hand strength with a learned knock table in place of a window by turn: the rest is the same."""

from ginrummy._jit import lean
from ginrummy.compiled.policy import Policy
from ginrummy.policies.hand_strength import HAND_STRENGTH
from ginrummy.policies.knock_infosets import knocks_by_table
from ginrummy.strength import PARAMETERS

KIND = PARAMETERS
"""Place of the kind of infosets among the constants; the table follows."""


@lean
def knock(seen, p, u, scratch):
    """Knock by the table that follows the constants of hand strength."""
    return knocks_by_table(int(p[KIND]), seen, u, p, KIND + 1)


HAND_STRENGTH_BY_TABLE = Policy(HAND_STRENGTH.draw, HAND_STRENGTH.discard, knock, HAND_STRENGTH.spread)
