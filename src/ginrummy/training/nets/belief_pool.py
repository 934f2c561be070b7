"""Play to learn the joint belief from: a broad pool of opponents, seen by strong and by simple players.

The pool has every registered player but the two families that are kept out of all fitting, and mixtures: the
draws and discards of one player with the knocks of a type (``estimators.types``). So how somebody plays does
not give away how he knocks. ``champion`` watches half of the games, because search meets the positions that
``champion`` reaches.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ginrummy import sim
from ginrummy.cards import NO_CARD
from ginrummy.estimators.types import KNOCK_LIMITS, KNOCK_TURNS, TYPES
from ginrummy.melds import deadwoods
from ginrummy.moments import decisions, in_order, views
from ginrummy.players.base import Player
from ginrummy.players.registry import make_player
from ginrummy.rules import EAAI, HAND_SIZE
from ginrummy.tables import Records
from ginrummy.view import DRAWN, NORMAL, PASSED, UPCARD, BoolArray, FloatArray, IntArray, View

Masks = npt.NDArray[np.int64]

TUNED, CODE = "hand-strength:profile=tuned", "hand-strength:profile=code"
FAST = "champion:level=fast"
"""The network alone: search would take hours, and reads the belief that is to be learned."""
REGISTERED = (
    "simple", "simple:hitting=0.5", "estimating", "hitting", "knocking", "medium-kh", "medium-he",
    "medium-ek", "advanced", "safe-discard", "hand-strength", CODE, TUNED, FAST, "random",
)  # fmt: skip
"""Players with their own way to knock."""
MIXED = ("simple", "hitting", "hand-strength", CODE, TUNED, FAST)
"""Players that also play with the knocks of each type: ``simple+gin``."""
KEPT_OUT = ("look-ahead", "look-ahead:profile=code", "ensemble", "ensemble:profile=code")
"""Two families that nothing is fitted on."""
WATCHERS = (FAST, TUNED, FAST, "simple", FAST, CODE)
"""Who watches, in turn."""
FEW = 6
"""Of what the opponent saw of the watcher, one moment of so many is kept as well."""


class Seen(NamedTuple):
    """Decisions of one side, and what was hidden from it."""

    view: View
    """[N] at a draw or a discard."""
    truth: Masks
    """[N] the opponent's hand."""
    who: npt.NDArray[np.int64]
    """[N] the opponent's place in ``pool()``."""
    game: npt.NDArray[np.int64]
    """[N] the number of the game, its pairing included: errors are clustered by it."""


def pool() -> tuple[str, ...]:
    """Every opponent that is learned from, mixtures written ``player+type``."""
    return (*REGISTERED, *(f"{name}+{kind}" for name in MIXED for kind in TYPES))


def opponent(name: str) -> Player:
    """A registered player, or one that knocks by the limits of a type."""
    base, plus, kind = name.partition("+")
    player = make_player(base)
    if not plus:
        return player
    limits = KNOCK_LIMITS[TYPES.index(kind)]

    def knock(view: View, rows: IntArray, u: FloatArray) -> BoolArray:
        turns = np.clip(view["own_turns"][rows], 1, KNOCK_TURNS) - 1
        left = deadwoods(view["hand"][rows])
        within: BoolArray = (left <= limits[turns]) | (left == 0)
        return within

    return replace(player, name=name, knock=knock, compiled=None)


def gather(names: tuple[str, ...], games: range, seed: int, keep: float) -> Iterator[Seen]:
    """Play every opponent against the watchers in turn; a share ``keep`` of the decisions is kept.

    Half of them are draws and half discards of the same turns: the opponent's hand is the same at both.
    """
    for place, name in enumerate(names):
        yield from gather_one(place, name, games, seed, keep)


def gather_one(place: int, name: str, games: range, seed: int, keep: float) -> Iterator[Seen]:
    """What ``gather`` keeps of the opponent at one place of its names."""
    everyone = pool()
    watcher = WATCHERS[(place + games.start) % len(WATCHERS)]
    one, two = make_player(watcher), opponent(name)
    rounds = in_order(sim.play(one, two, games, EAAI, seed + 1000 * place, record=True).rounds)
    rng = np.random.default_rng((seed, place, games.start))
    yield _seen(rounds, 0, everyone.index(name) if name in everyone else -1, keep, rng, place)
    if watcher in everyone and name in everyone:
        yield _seen(rounds, 1, everyone.index(watcher), keep / FEW, rng, place)


def _seen(rounds: Records, side: int, who: int, keep: float, rng: np.random.Generator, place: int) -> Seen:
    found = views(rounds, side, EAAI)
    goes_on = found.view["events"] < rounds["events"][found.round]  # no decision follows the last event
    whole = np.bitwise_count(found.truth) == HAND_SIZE
    rows = np.flatnonzero(goes_on & whole & (rng.random(len(found.truth)) < keep))
    view = found.view[rows].copy()
    of = found.round[rows]
    some = np.flatnonzero(rng.random(len(rows)) < 0.5)
    following = rounds["log"][of[some], side, view["events"][some]]
    _draw(view, some, following)
    return Seen(view, found.truth[rows], np.full(len(rows), who), rounds["game"][of] + 100_000 * place)


def _draw(view: View, rows: Masks, events: npt.NDArray[np.int8]) -> None:
    """Let some rows draw as their next event says: they come to the discard. A pass changes nothing."""
    drawn, upcard = events[:, DRAWN].astype(np.int64), events[:, UPCARD].astype(np.int64)
    drew = drawn != PASSED
    rows, drawn, upcard = rows[drew], drawn[drew], upcard[drew]
    took = drawn == upcard
    bit = np.int64(1) << drawn
    view["hand"][rows] |= bit
    view["allowed"][rows] = np.where(took, view["hand"][rows] & ~bit, view["hand"][rows])
    view["pile"][rows] &= np.where(took, ~bit, -1)
    view["top"][rows] = np.where(took, NO_CARD, view["top"][rows])
    view["stock"][rows] -= np.where(took, 0, 1).astype(np.int8)
    view["drawn"][rows] = drawn
    view["offer"][rows] = NORMAL
    view["turns"][rows] += 1
    view["own_turns"][rows] += 1
    at = view["events"][rows]
    view["log"][rows, at, UPCARD] = upcard
    view["log"][rows, at, DRAWN] = drawn


def label(name: str, games: range, seed: int) -> int:
    """The type that agrees best with a player's knocks against ``champion``, every turn counting the same.

    Who had no chance to knock but with gin counts as one who waits for it.
    """
    base, plus, kind = name.partition("+")
    if plus:
        return TYPES.index(kind)
    run = sim.play(make_player(base), make_player(FAST), games, EAAI, seed, record=True)
    rows = decisions(run.rounds, run.games, EAAI, games.start)
    rows = rows[(rows["side"] == 0) & rows["could_knock"] & (rows["deadwood_after"] > 0)]
    if not len(rows):
        return TYPES.index("gin")
    turns = np.clip(rows["own_turn"], 1, KNOCK_TURNS) - 1
    right = (rows["deadwood_after"] <= KNOCK_LIMITS[:, turns]) == rows["knocked"]
    shares = [right[:, turns == turn].mean(axis=1) for turn in np.unique(turns)]
    return int(np.mean(shares, axis=0).argmax())
