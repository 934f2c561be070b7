"""The opponents of self-play: registered players, types by knocking, and the learner's own past.

Two families stay out of all training as a test: ``look-ahead`` and ``ensemble``. The weak players of paper S0
share their parts; two of them stand for all.
"""

from copy import deepcopy

import numpy as np

from ginrummy.cards import CARDS
from ginrummy.compiled.policy import Compiled
from ginrummy.equity import win_chances
from ginrummy.players.base import Player
from ginrummy.players.champion import card_belief
from ginrummy.players.registry import make_player
from ginrummy.policies import champion
from ginrummy.policies.champion import DISCARD, DRAW, INPUTS, open_rows, settled
from ginrummy.rules import EAAI, PRESETS
from ginrummy.training.selfplay.arena import Floats, Law, Opponent
from ginrummy.training.selfplay.forward import think, weights
from ginrummy.training.selfplay.kernels import KNOCK, LOGITS, TAKE, encode_packed
from ginrummy.training.selfplay.nets import Actor
from ginrummy.training.selfplay.rows import Packed
from ginrummy.training.selfplay.what_if import OWN_KIND
from ginrummy.view import BoolArray, FloatArray, IntArray, View

BLUEPRINT = "hand-strength:profile=tuned"
REGISTERED = {
    "hand-strength:profile=code": 0.16,
    BLUEPRINT: 0.20,
    "hand-strength": 0.12,
    "simple": 0.12,
    "medium-kh": 0.02,
    "safe-discard": 0.02,
    # Types: knock whenever possible, late, and only with gin.
    "hand-strength:profile=tuned,knock=10": 0.05,
    "hand-strength:profile=tuned,knock=0/0/0/0/0/0/10": 0.03,
    "hand-strength:profile=tuned,knock=0": 0.04,
    "simple:knock_at=0": 0.03,
}
"""Specification -> part of the tables."""
KINDS = {
    "simple": "at-once",
    "safe-discard": "at-once",
    "hand-strength:profile=tuned,knock=10": "at-once",
    "medium-kh": "falling",
    "hand-strength:profile=tuned,knock=0/0/0/0/0/0/10": "late",
    "hand-strength:profile=tuned,knock=0": "gin",
    "simple:knock_at=0": "gin",
}
"""Specification -> type of opponent, where it is not that of the learner."""
OTHER_RULES = {"uk": 0.025, "oklahoma": 0.025, "straight": 0.025, "us-boxes": 0.025}
"""Preset -> part of the tables; the rest play by the challenge's rules."""
WITH_OTHER_RULES = ("hand-strength:profile=code", BLUEPRINT, "simple")
"""Opponents at the tables with other rules, besides the learner itself."""
KEPT_OUT = ("look-ahead", "ensemble")
PAST = 3
"""Past selves in the pool."""
PAST_SHARE = 0.03
"""Part of the tables of each."""
NEWER, OLDER = 8_000_000, 4
"""The first past self is renewed every ``NEWER`` decisions, each further one ``OLDER`` times as seldom."""


class PastSelf:
    """An earlier state of the actor as a player."""

    def __init__(self, name: str, actor: Actor, blueprint: Compiled) -> None:
        self.actor, self._weights = deepcopy(actor), weights(actor)
        self._blueprint = blueprint
        self.player = Player(name, self._draw, self._discard, self._knock, blueprint.spread)

    def renew(self, actor: Actor) -> None:
        """Become what the actor is now."""
        self.actor.load_state_dict(actor.state_dict())
        self._weights = weights(actor)

    def _logits(self, view: View, rows: IntArray, question: int) -> tuple[BoolArray, Floats]:
        """Which decisions are open, and the logits of those."""
        open_ = np.zeros(len(rows), np.bool_)
        open_rows(view, rows, question, open_)
        asked = rows[open_]
        size, beliefs = len(asked), card_belief().cards(view, asked)
        packed, scratch = Packed.room(size), np.empty(champion.SCRATCH, np.int64)
        x, blueprint = np.empty(INPUTS, np.float32), np.empty((size, LOGITS), np.float32)
        room = scratch, x, x.view(np.int32), *packed
        encode_packed(view, asked, question, self._blueprint.array, beliefs, *room, blueprint)
        return open_, think(self._weights, packed, blueprint, size)

    def _yes(self, view: View, rows: IntArray, u: FloatArray, question: int, place: int) -> BoolArray:
        open_, logits = self._logits(view, rows, question)
        answers = np.full(len(rows), bool(settled(question)))
        answers[open_] = u[open_] < 1 / (1 + np.exp(-logits[:, place].astype(np.float64)))
        return answers

    def _draw(self, view: View, rows: IntArray, u: FloatArray) -> BoolArray:
        return self._yes(view, rows, u, DRAW, TAKE)

    def _knock(self, view: View, rows: IntArray, u: FloatArray) -> BoolArray:
        return self._yes(view, rows, u, champion.KNOCK, KNOCK)

    def _discard(self, view: View, rows: IntArray, u: FloatArray) -> IntArray:
        _, logits = self._logits(view, rows, DISCARD)
        allowed = view["allowed"][rows][:, None] >> np.arange(CARDS) & 1 == 1
        weights = np.where(allowed, logits[:, :CARDS].astype(np.float64), -np.inf)
        summed = np.exp(weights - weights.max(1, keepdims=True)).cumsum(1)
        cards: IntArray = (summed > u[:, None] * summed[:, -1:]).argmax(1).astype(np.int8)
        return cards


def opponents(past: list[PastSelf]) -> list[Opponent]:
    """The pool: registered players, then past selves; the learner itself plays the remaining tables."""
    known = [
        Opponent(
            make_player(spec),
            share,
            other_rules=spec in WITH_OTHER_RULES,
            kind=KINDS.get(spec, OWN_KIND),
            greedy=spec.startswith(BLUEPRINT),
        )
        for spec, share in REGISTERED.items()
    ]
    return known + [Opponent(one.player, PAST_SHARE, past=True) for one in past]


def response_pool(against: str) -> tuple[list[Opponent], list[Law]]:
    """All tables against one player, by the challenge's rules: for a specialist."""
    return [Opponent(make_player(against), 1.0, past=True)], [Law("eaai", EAAI, 1.0, win_chances(EAAI))]


def laws() -> list[Law]:
    """The challenge's rules, and the others with their parts of the tables."""
    others = [
        Law(name, PRESETS[name], share, win_chances(PRESETS[name])) for name, share in OTHER_RULES.items()
    ]
    return [Law("eaai", EAAI, 1 - sum(OTHER_RULES.values()), win_chances(EAAI)), *others]


def due(before: int, after: int) -> list[int]:
    """The past selves to renew when the number of decisions has grown from ``before`` to ``after``."""
    periods = [NEWER * OLDER**k for k in range(PAST)]
    return [k for k, period in enumerate(periods) if before // period != after // period]
