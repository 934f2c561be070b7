"""The challenge's baseline player, and a player of random legal moves."""

import numpy as np

from ginrummy._jit import kernel
from ginrummy.errors import UnknownName
from ginrummy.melds import MAX_HELD, MAX_MELDS, deadwoods
from ginrummy.players.base import DrawDecider, Kernels, KnockDecider, Player
from ginrummy.policies.baseline import least_deadwood_discard, random_discard, random_spread, takes_meld
from ginrummy.policies.card_value import takes_hitting
from ginrummy.specs import named
from ginrummy.view import BoolArray, FloatArray, IntArray, View

SIMPLE, RANDOM, HAND_STRENGTH = range(3)
"""Codes of the fused loop."""
FAST_SHARD = 2000
AT_ONCE = 100
"""No hand of ten cards has more deadwood: a knock within so much comes as soon as the rules allow it."""


@kernel
def _draws(view, rows, out):
    for k in range(rows.shape[0]):
        out[k] = takes_meld(view[rows[k]])


@kernel
def _draws_hitting(view, rows, u, probability, out):
    for k in range(rows.shape[0]):
        out[k] = takes_hitting(view[rows[k]], u[k], probability)


@kernel
def _discards(view, rows, u, scratch, out):
    for k in range(rows.shape[0]):
        out[k] = least_deadwood_discard(view[rows[k]], u[k], scratch)


@kernel
def _random_discards(view, rows, u, out):
    for k in range(rows.shape[0]):
        out[k] = random_discard(view[rows[k]], u[k])


@kernel
def _spreads(view, rows, u, held, index, out):
    for k in range(rows.shape[0]):
        random_spread(view[rows[k]], u[k], held, index, out[k : k + 1])


def draw_melding(view: View, rows: IntArray, u: FloatArray) -> BoolArray:
    """Take a card that is in some meld of the eleven."""
    out = np.empty(len(rows), np.bool_)
    _draws(view, rows, out)
    return out


def discard_least(view: View, rows: IntArray, u: FloatArray) -> IntArray:
    """Leave least deadwood, repeat no draw-discard pair, ties by ``u``."""
    out = np.empty(len(rows), np.int8)
    _discards(view, rows, u, np.empty(64, np.int64), out)
    return out


def discard_any(view: View, rows: IntArray, u: FloatArray) -> IntArray:
    """Any legal discard, by ``u``."""
    out = np.empty(len(rows), np.int8)
    _random_discards(view, rows, u, out)
    return out


def always(view: View, rows: IntArray, u: FloatArray) -> BoolArray:
    """Yes, whenever asked."""
    return np.ones(len(rows), np.bool_)


def coin(view: View, rows: IntArray, u: FloatArray) -> BoolArray:
    """Yes in half of all cases, by ``u``."""
    return u < 0.5


def spread_best(view: View, rows: IntArray, u: FloatArray) -> IntArray:
    """One of the best meld sets, by ``u``."""
    out = np.empty((len(rows), MAX_MELDS), np.int64)
    _spreads(view, rows, u, np.empty(MAX_HELD, np.int64), np.empty(MAX_MELDS, np.int64), out)
    return out


def draw_hitting(probability: float) -> DrawDecider:
    """Take a card that melds, and with some probability a hitting card."""

    def draw(view: View, rows: IntArray, u: FloatArray) -> BoolArray:
        out = np.empty(len(rows), np.bool_)
        _draws_hitting(view, rows, u, probability, out)
        return out

    return draw


def knock_within(limit: int) -> KnockDecider:
    """Knock with at most so much deadwood."""

    def knock(view: View, rows: IntArray, u: FloatArray) -> BoolArray:
        return deadwoods(view["hand"][rows]) <= limit

    return knock


def simple(hitting: float = 0.0, knock_at: int = AT_ONCE) -> Player:
    """Take a card that melds, keep the least deadwood, knock at once.

    Source: Neller, EAAI 2021 challenge, the baseline player. ``hitting`` (a chance to take a hitting card as
    well) and ``knock_at`` (the most deadwood to knock with) vary it as Nguyen, Doan and Neller did to gather
    play; 100 is no limit besides that of the rules.
    Differs: ties are broken by ``u``, not by java.util.Random.
    """
    if not 0 <= hitting <= 1:
        raise UnknownName(f"simple: hitting is a probability from 0 to 1, not {hitting:g}")
    if not 0 <= knock_at <= AT_ONCE:
        raise UnknownName(f"simple: knock_at is from 0 to {AT_ONCE}, not {knock_at}")
    settings = {"hitting": hitting} if hitting else {}
    settings |= {"knock_at": knock_at} if knock_at < AT_ONCE else {}
    return Player(
        named("simple", settings),
        draw_hitting(hitting) if hitting else draw_melding,
        discard_least,
        knock_within(knock_at) if knock_at < AT_ONCE else always,
        spread_best,
        FAST_SHARD,
        None if settings else Kernels(SIMPLE),
    )


def random() -> Player:
    """Draw, discard and knock at random among what is legal; lay down one of the best meld sets.

    Source: ours, for tests and as the floor of every rating.
    """
    return Player("random", coin, discard_any, coin, spread_best, FAST_SHARD, Kernels(RANDOM))
