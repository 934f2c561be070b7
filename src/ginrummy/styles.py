"""How the opponent played in the earlier rounds of a game, as counters that grow round by round.

The counters stand in the field ``style`` of a view, in the order of ``view.STYLE``. They are made from what
the side saw: its own log, the hand that the opponent showed at the end, and the melds that were laid down.
A kernel keeps them for the fast engine (``note_round``); ``style_of`` states the same for people to read.
"""

from collections.abc import Sequence

import numpy as np

from ginrummy._jit import lean
from ginrummy.meld_kernels import MAX_MELDS, deadwood, points
from ginrummy.view import DRAWN, OTHER, PASSED, STYLE, UPCARD, WHO, EarlierRound

(
    ROUNDS, TURNS, KNOCKS, KNOCK_TURNS, KNOCK_DEADWOOD, GINS, GIN_TURNS,
    WAITS, WAIT_TURNS, LEFT, OFFERS, TAKES,
) = range(len(STYLE))  # fmt: skip
"""Places of the counters."""
MOST = 32_000
"""No counter grows beyond this."""


@lean
def clear_style(v):
    """Set the counters to zero: a game begins."""
    for place in range(len(STYLE)):
        v.style[place] = 0


@lean
def _add(v, place, amount):
    v.style[place] = min(MOST, v.style[place] + amount)


@lean
def note_round(v, shown, ended):
    """Count a finished round for the side that sees ``v``.

    ``shown`` is the opponent's hand at the end; ``ended`` says whether the opponent knocked.
    """
    turns = np.int64(v.turns) - v.own_turns
    _add(v, ROUNDS, 1)
    _add(v, TURNS, turns)
    if ended:
        loose = shown
        for k in range(MAX_MELDS):
            loose &= ~v.knocked[k]
        declared = points(loose)
        if declared > 0:
            _add(v, KNOCKS, 1)
            _add(v, KNOCK_TURNS, turns)
            _add(v, KNOCK_DEADWOOD, declared)
        else:
            _add(v, GINS, 1)
            _add(v, GIN_TURNS, turns)
    else:
        left = deadwood(shown)
        _add(v, LEFT, left)
        if left <= v.limit and turns > 0:
            _add(v, WAITS, 1)
            _add(v, WAIT_TURNS, turns)
    offers = takes = 0
    for event in range(v.events):
        if v.log[event, WHO] == OTHER:
            # The draw after two passes is forced: the starter has refused the upcard already.
            forced = event == 2 and v.log[0, DRAWN] == PASSED and v.log[1, DRAWN] == PASSED
            offers += 0 if forced else 1
            takes += v.log[event, DRAWN] == v.log[event, UPCARD]
    _add(v, OFFERS, offers)
    _add(v, TAKES, takes)


def style_of(rounds: Sequence[EarlierRound]) -> tuple[int, ...]:
    """The counters after these rounds, from the rounds themselves."""
    counts = dict.fromkeys(STYLE, 0)
    for played in rounds:
        drawn = [event for event in played.log if event.drawn != PASSED]
        turns = sum(not event.mine for event in drawn)
        found = {"rounds": 1, "turns": turns} | _end_of(played, turns)
        forced = [event.drawn for event in played.log[:2]] == [PASSED, PASSED]
        choices = [event for k, event in enumerate(played.log) if not (forced and k == 2)]
        found["offers"] = sum(not event.mine for event in choices)
        found["takes"] = sum(event.took for event in drawn if not event.mine)
        for name, amount in found.items():
            counts[name] = min(MOST, counts[name] + amount)
    return tuple(counts.values())


def _end_of(played: EarlierRound, turns: int) -> dict[str, int]:
    """The counters that tell how a round ended for the opponent."""
    if played.knocked is False:
        declared = int(points(played.opponent & ~sum(played.melds[1])))
        if declared:
            return {"knocks": 1, "knock_turns": turns, "knock_deadwood": declared}
        return {"gins": 1, "gin_turns": turns}
    left = int(deadwood(int(played.opponent)))
    waited = {"waits": 1, "wait_turns": turns} if left <= played.limit and turns else {}
    return {"left": left} | waited
