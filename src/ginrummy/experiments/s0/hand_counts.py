"""What happens in hands, counted by side: upcards taken, hitting cards among them, melds and deadwood.

A *hand* is a round, as the papers call it. Side ``a`` is the player of an arm, side ``b`` its opponent.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from ginrummy.cards import DECK
from ginrummy.judging.sums import cluster_sums
from ginrummy.meld_kernels import melds_with
from ginrummy.melds import best_meld_sets, deadwoods
from ginrummy.moments import decisions, in_order
from ginrummy.policies.card_value import hit_count
from ginrummy.rules import Rules
from ginrummy.sim import Run
from ginrummy.tables import Records

Json = dict[str, Any]
Ints = npt.NDArray[np.int64]

SIDES = ("a", "b")


def count_hands(run: Run, rules: Rules) -> Json:
    """Counters of the recorded rounds, added up by mirrored pair (see ``sums``).

    For each side, as ``name_a`` and ``name_b``: ``draws`` upcards taken; ``hits`` those that melded with
    nothing in hand but were hitting cards; ``melds`` in a best meld set at the end (of several best sets one
    with fewest melds); ``deadwood``, the least at the end, without layoffs; ``lost`` hands, and
    ``lost_deadwood`` in them. ``games`` and ``hands`` are what to divide by.
    """
    rounds = in_order(run.rounds)
    rows = decisions(rounds, run.games, rules)
    place = np.repeat(np.arange(len(rounds)), rounds["events"])
    columns: dict[str, Ints] = {
        "games": (rounds["round"] == 0).astype(np.int64),
        "hands": np.ones(len(rounds), np.int64),
    }
    for side, name in enumerate(SIDES):
        taken = rows["took"] & (rows["side"] == side)
        left = deadwoods(rounds["hands"][:, side])
        lost = (rounds["points"] < 0) if side == 0 else (rounds["points"] > 0)
        columns |= {
            f"draws_{name}": np.bincount(place[taken], minlength=len(rounds)),
            f"hits_{name}": np.bincount(place[taken], is_hit(rows[taken]), len(rounds)).astype(np.int64),
            f"melds_{name}": np.array([meld_count(hand) for hand in rounds["hands"][:, side].tolist()]),
            f"deadwood_{name}": left,
            f"lost_{name}": lost.astype(np.int64),
            f"lost_deadwood_{name}": left * lost,
        }
    return cluster_sums(rounds["game"] // 2, columns)


def is_hit(rows: Records) -> npt.NDArray[np.bool_]:
    """Whether the upcards of these decisions were hitting cards that melded with nothing in hand."""
    found = np.zeros(len(rows), np.bool_)
    unseen = DECK & ~(rows["hand"] | rows["pile"] | rows["opponent_known"])
    for k, (hand, card, free) in enumerate(zip(rows["hand"], rows["upcard"], unseen, strict=True)):
        upcard = np.int64(card)
        if not melds_with(hand | np.int64(1) << upcard, upcard):
            found[k] = hit_count(hand, upcard, free) > 0
    return found


def meld_count(hand: int) -> int:
    """Melds in the first of the best meld sets."""
    return len(next(iter(best_meld_sets(hand)), ()))
