"""Rounds that the simulator has kept, played through the checked rules."""

import numpy as np

from ginrummy.round import Defend, Discard, Draw, Knock, Pass, Phase, PlayOn, Round, Take
from ginrummy.rules import Rules
from ginrummy.view import DISCARD, DRAWN, NORMAL, PASSED, WHO


def table_of(kept: np.void, rules: Rules) -> Round:
    """The finished round of a record of ``tables.ROUND``, by seats."""
    seat = int(kept["seat"])
    table = Round.deal(kept["deck"].tolist(), int(kept["starter"]) ^ seat, rules)
    for event in range(kept["events"]):
        side = int(kept["log"][0, event, WHO])  # side 0's log says SELF = 0 for side 0
        line = kept["log"][side, event]
        if table.phase is Phase.KNOCK:
            table.apply(PlayOn())
        if table.offer == NORMAL and table.turns == 0 and table.phase is Phase.DRAW:
            table.apply(Draw())
        elif line[DRAWN] == PASSED:
            table.apply(Pass())
            continue
        else:
            table.apply(Take() if line[DRAWN] == table.top else Draw())
        if line[DISCARD] >= 0:
            table.apply(Discard(int(line[DISCARD])))
    knocker = int(kept["knocker"])
    if knocker >= 0:
        laid = [tuple(int(meld) for meld in melds if meld) for melds in kept["spread"]]
        table.apply(Knock(laid[knocker]))
        if not table.over:
            table.apply(Defend(laid[1 - knocker]))
    elif table.phase is Phase.KNOCK:
        table.apply(PlayOn())
    elif not table.over:
        table.apply(Take())  # the attempt that ends the round
    assert table.over
    return table
