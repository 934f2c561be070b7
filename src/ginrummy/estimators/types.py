"""Types of opponent by how they knock, and how likely each of them is.

A type is a knock limit for each of its own turns: whoever is of this type knocks when its deadwood is at most
the limit of the turn, and always with gin. Search plays its rollouts with these limits:

    odds = posterior(view, rows)          # [N, T] adds up to 1
    limit = KNOCK_LIMITS[kind, min(turn, KNOCK_TURNS) - 1]

``turn`` is the opponent's own turn in the round, from 1. How somebody draws and discards is not part of a
type: the joint belief reads that from the log. How often the opponent takes upcards tells a *manner* beside
its type: players who also take upcards that do not meld at once draw and discard otherwise in rollouts
(``taking``).

A small network reads how the opponent knocked in earlier rounds of the game and how it has played in this
one. It was trained on players of every type (``ginrummy train champion-belief``).
"""

from functools import cache
from io import BytesIO
from typing import Any
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from ginrummy import artefacts, styles
from ginrummy._jit import count, kernel, lean
from ginrummy.cards import NO_CARD, POINTS
from ginrummy.dense import Weights, dense, relu, size, softmax
from ginrummy.errors import BadInput
from ginrummy.view import DISCARD, DRAWN, OTHER, PASSED, UPCARD, WHO, IntArray, View

KNOCK_TURNS = 20
"""Turns with a limit of their own; the last one serves all later turns."""
_LIMITS = {
    "at-once": (10,),
    "early": (10, 10, 10, 10, 0),
    "falling": (10, 10, 10, 10, 8, 7, 5, 4, 3, 2, 2, 2, 2, 0),
    "low": (4,),
    "late": (0, 0, 0, 0, 0, 0, 10),
    "gin": (0,),
}
TYPES = tuple(_LIMITS)
"""Knocks whenever it can; knocks in its first turns, then waits for gin; knocks with less and less deadwood
as the round goes on; knocks with little deadwood; knocks late only; waits for gin."""
MODEL = "champion-belief.npz"
RULES = "rules"
NETS = ("types", "cards", "hands", "tilts", RULES)
"""Arrays of the file: three networks; how hands are likelier by deadwood, by turn; constants of
``hand-strength`` with which discards are compared."""


def _limits() -> npt.NDArray[np.int64]:
    out = np.empty((len(TYPES), KNOCK_TURNS), np.int64)
    for k, limits in enumerate(_LIMITS.values()):
        out[k] = (*limits, *[limits[-1]] * (KNOCK_TURNS - len(limits)))
    out.flags.writeable = False
    return out


KNOCK_LIMITS = _limits()
"""[T, KNOCK_TURNS] the greatest deadwood to knock with, by type and own turn; under other rules, the least of
this and the limit of the round counts."""

MANNERS = ("picky", "greedy")
"""Takes the upcard for a meld; takes it also to build one."""
TAKEN = (0.185, 0.285)
"""Share of the upcards that each of them takes: most registered players, and the tuned ``hand-strength``."""
GREEDY_BEFORE = 0.5
"""How likely the second manner is before anything was seen."""
EVIDENCE = 0.7
"""Weight of each upcard: upcards of one round are not independent."""

EARLIER, NOW = 12, 16
"""Numbers about earlier rounds, and about this one."""
INPUTS = EARLIER + NOW
HIDDEN = 32
SIZE = size(INPUTS, HIDDEN, len(TYPES))
"""Numbers of the network."""
ROOM = INPUTS + HIDDEN + len(TYPES)
"""float32 of scratch that ``write_odds`` needs."""


@lean
def write_earlier(seen, out):
    """Write how the opponent ended earlier rounds of this game to ``out`` [EARLIER], as rates and means."""
    counts = seen.style
    rounds = max(1, np.int64(counts[styles.ROUNDS]))
    knocks, gins = max(1, np.int64(counts[styles.KNOCKS])), max(1, np.int64(counts[styles.GINS]))
    others = counts[styles.ROUNDS] - counts[styles.KNOCKS] - counts[styles.GINS]
    out[0] = min(1.0, counts[styles.ROUNDS] * 0.15)
    out[1] = 1.0 if counts[styles.ROUNDS] > 0 else 0.0
    out[2] = counts[styles.KNOCKS] / rounds
    out[3] = counts[styles.KNOCK_TURNS] * 0.1 / knocks
    out[4] = counts[styles.KNOCK_DEADWOOD] * 0.1 / knocks
    out[5] = counts[styles.GINS] / rounds
    out[6] = counts[styles.GIN_TURNS] * 0.1 / gins
    out[7] = counts[styles.WAITS] / rounds
    out[8] = counts[styles.WAIT_TURNS] * 0.1 / max(1, np.int64(counts[styles.WAITS]))
    out[9] = counts[styles.LEFT] * 0.03 / max(1, np.int64(others))
    out[10] = counts[styles.TURNS] * 0.1 / rounds
    out[11] = counts[styles.TAKES] / max(1, np.int64(counts[styles.OFFERS]))


@lean
def write_now(seen, out):
    """Write how the opponent has played in this round to ``out`` [NOW]."""
    turns = offers = takes = discards = total = dearer = court = 0
    last = 0
    for event in range(seen.events):
        if seen.log[event, WHO] != OTHER:
            continue
        took = seen.log[event, DRAWN] == seen.log[event, UPCARD]
        turns += seen.log[event, DRAWN] != PASSED
        offers += 1
        takes += took
        discard = np.int64(seen.log[event, DISCARD])
        if discard != NO_CARD:
            worth = POINTS[discard]
            dearer += discards > 0 and worth > last
            court += discards < 3 and worth == 10
            discards += 1
            total += worth
            last = worth
    out[0] = turns * 0.1
    out[1], out[2], out[3] = turns > 2, turns > 4, turns > 6
    out[4], out[5], out[6] = turns > 8, turns > 11, turns > 15
    out[7] = takes / max(1, offers)
    out[8] = takes * 0.3
    out[9] = total * 0.1 / max(1, discards)
    out[10] = last * 0.1
    out[11] = dearer / max(1, discards)
    out[12] = court * 0.3
    out[13] = seen.stock / 31.0
    out[14] = offers - turns
    out[15] = count(seen.opponent) * 0.2


@lean
def write_odds(seen, p, room, odds):
    """Write how likely each type is to ``odds`` [T] float64; ``room`` [ROOM] is scratch."""
    x, h, out = room[:INPUTS], room[INPUTS : INPUTS + HIDDEN], room[INPUTS + HIDDEN :]
    write_earlier(seen, x)
    write_now(seen, x[EARLIER:])
    at = dense(x, p, 0, INPUTS, HIDDEN, h)
    relu(h, HIDDEN)
    dense(h, p, at, HIDDEN, len(TYPES), out)
    softmax(out, len(TYPES), odds)


@kernel
def _posterior(view, rows, p, room, out):
    for k in range(rows.shape[0]):
        write_odds(view[rows[k]], p, room, out[k])


@kernel
def _inputs(view, rows, out):
    for k in range(rows.shape[0]):
        write_earlier(view[rows[k]], out[k])
        write_now(view[rows[k]], out[k, EARLIER:])


def inputs(view: View, rows: IntArray) -> Weights:
    """[N, INPUTS] what the network sees."""
    out = np.empty((len(rows), INPUTS), np.float32)
    _inputs(view, np.asarray(rows, np.int64), out)
    return out


def posterior(view: View, rows: IntArray, weights: Weights | None = None) -> npt.NDArray[np.float64]:
    """[N, T] how likely each type is, given what one side has seen. ``weights``: another network's."""
    out = np.empty((len(rows), len(TYPES)))
    p = shipped(MODEL)["types"] if weights is None else weights
    _posterior(view, np.asarray(rows, np.int64), p, np.empty(ROOM, np.float32), out)
    return out


def taking(view: View, rows: IntArray) -> npt.NDArray[np.float64]:
    """[N] how likely the opponent is greedy, by the upcards that it took and left in this game."""
    seen = view[np.asarray(rows)]
    log, theirs = seen["log"], np.arange(seen["log"].shape[1]) < seen["events"][:, None]
    theirs &= log[..., WHO] == OTHER
    taken = (theirs & (log[..., DRAWN] == log[..., UPCARD])).sum(1) + seen["style"][:, styles.TAKES]
    left = theirs.sum(1) + seen["style"][:, styles.OFFERS] - taken
    picky, greedy = TAKEN
    logit = np.log(GREEDY_BEFORE / (1 - GREEDY_BEFORE)) + EVIDENCE * (
        taken * np.log(greedy / picky) + left * np.log((1 - greedy) / (1 - picky))
    )
    odds: npt.NDArray[np.float64] = 1 / (1 + np.exp(-logit))
    return odds


@cache
def shipped(model: str) -> dict[str, npt.NDArray[Any]]:
    """The arrays of the belief by name: ``NETS``."""
    payload = artefacts.load(model)
    try:
        with np.load(BytesIO(payload), allow_pickle=False) as found:
            nets = {
                name: np.asarray(found[name], np.float64 if name == RULES else np.float32) for name in NETS
            }
    except (EOFError, ValueError, KeyError, BadZipFile) as error:
        raise BadInput(f"{model} does not hold the networks of a joint belief") from error
    if nets["types"].shape != (SIZE,):
        raise BadInput(f"{model} holds the networks of another joint belief")
    return nets
