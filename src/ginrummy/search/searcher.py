"""A position in, an answer out: the blueprint proposes, worlds come from a belief, play in them decides.

The blueprint is asked first. Its answer is home; it also says which discards are worth comparing. Where there
is only one answer, or where the blueprint says that the question is settled, nothing is searched.

An answer depends on the row of the view, its uniform number and the settings. By count, it is the same in
any batch and on any machine; by the clock (``Settings.ms``) it depends on how far the time reached.
"""

import threading
from dataclasses import dataclass
from time import perf_counter
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from ginrummy.compiled import policy
from ginrummy.compiled.passes import check_fault
from ginrummy.compiled.worlds import DISCARDING, DRAWING, KNOCKING
from ginrummy.estimators.joint import Sampled
from ginrummy.estimators.types import TYPES, taking
from ginrummy.melds import deadwoods
from ginrummy.rules import EAAI, Rules, rules_record
from ginrummy.search.arms import TRIAL, Trials, start_choices, start_discards
from ginrummy.search.elimination import choose_rows
from ginrummy.search.kernel import BATCH, SearchRoom, search_kernel, search_room
from ginrummy.search.leaves import leaves
from ginrummy.search.pricing import point_list, price_list
from ginrummy.search.styles import SKETCH, STRENGTH, opponents, own_policy
from ginrummy.view import DISCARD, BoolArray, FloatArray, IntArray, View

WIN, POINTS = PRICES = ("win", "points")
SPREAD = 0.7548776662466927
"""Step of the sequence that fills the unit interval evenly; not that of the worlds (``kernel``)."""
WHOLE = 3
"""Where lines are not cut though others are, one counts as so many: it takes about that much longer."""
_NO_CUT = 1 << 30
_ENDLESS = 1 << 30


class Blueprint(Protocol):
    """What proposes candidates, and is played unless search is sure of something better."""

    def takes(self, view: View, rows: IntArray) -> tuple[BoolArray, FloatArray]:
        """[N] whether the draw is open, [N] how much it likes to take the upcard: above 0 for yes."""

    def scores(self, view: View, rows: IntArray) -> npt.NDArray[np.float64]:
        """[N, 52] scores of discards, the greatest is best; those of other cards do not matter."""

    def knocks(self, view: View, rows: IntArray) -> tuple[BoolArray, FloatArray]:
        """[N] whether the knock is open, [N] how much it likes to knock: above 0 for yes."""


class Belief(Protocol):
    """What draws the hands that the opponent may hold (``estimators.joint``)."""

    def sample(self, view: View, rows: IntArray, u: FloatArray, n: int) -> Sampled:
        """``n`` weighted hands for each row, and odds of the types of opponent."""

    def draw_types(self, view: View, rows: IntArray, found: Sampled, u: FloatArray) -> IntArray:
        """[N, n] a type of opponent for each of these hands."""


@dataclass(frozen=True)
class Settings:
    """How much is searched, and when its result is believed."""

    rollouts: int = 1000
    """Most lines of play for a decision."""
    ms: float = 0.0
    """Milliseconds for a decision instead; 0 for a budget by count."""
    hands: int = 400
    """Hands that the belief draws."""
    first: int = 0
    """Hands that it draws for a first look, and worlds that are then played; 0 draws all hands at once."""
    candidates: int = 5
    """Discards that are compared."""
    cut: float = 2.5
    """Standard errors behind the leader at which an arm is dropped."""
    gate: float = 0.0
    """Standard errors by which an arm must be ahead of the blueprint's."""
    trust: float = 0.0004
    """Chance to win that a unit of the blueprint's logits counts as, beside what play in worlds brings."""
    depth: int = 0
    """Turns of both sides after which a line is cut and estimated; 0 plays lines to the end of the round."""
    late: int = 8
    """From this own turn on no line is cut: the rest of the round is short."""
    price: str = WIN
    """What points are worth: the chance to win the game, or just themselves."""
    plays: str = SKETCH
    """How the own side plays on in rollouts: as a sketch of the network, or by the fast rule."""
    replies: str = STRENGTH
    """How the opponent plays on in rollouts: as ``hand-strength``, as its program, or by the fast rule."""
    draws: bool = True
    discards: bool = True
    knocks: bool = True
    """Which decisions are searched; the blueprint answers the others."""


class Hidden(NamedTuple):
    """What a belief says about one row, as the kernel takes it."""

    hands: npt.NDArray[np.int64]
    chances: npt.NDArray[np.float64]
    """Cumulated weights of the hands."""
    types: npt.NDArray[np.int64]
    """A type of opponent for each hand, manner by manner."""


class _Rooms(threading.local):
    """Memory of the search, one for each thread."""

    def __init__(self) -> None:
        self.room: SearchRoom = search_room()


_ROOMS = _Rooms()


class Searcher:
    """Decides draws, discards and knocks by search."""

    def __init__(self, blueprint: Blueprint, belief: Belief, rules: Rules, settings: Settings) -> None:
        self.blueprint, self.belief, self.rules, self.settings = blueprint, belief, rules, settings
        self._law = rules_record(rules)
        self._cuts = settings.depth > 0 and rules == EAAI  # the network of leaves knows no other rules
        self._own = own_policy(settings.plays)
        self._others = opponents(settings.replies)
        self._kernel = search_kernel(self._own.policy, self._others.policy)

    def draw(self, view: View, rows: IntArray, u: FloatArray) -> BoolArray:
        """[N] whether to take the upcard."""
        open_, liked = self.blueprint.takes(view, rows)
        return self._choose(view, rows, u, DRAWING, open_ & self.settings.draws, liked)

    def knock(self, view: View, rows: IntArray, u: FloatArray) -> BoolArray:
        """[N] whether to knock."""
        open_, liked = self.blueprint.knocks(view, rows)
        return self._choose(view, rows, u, KNOCKING, open_ & self.settings.knocks, liked)

    def discard(self, view: View, rows: IntArray, u: FloatArray) -> IntArray:
        """[N] the card to discard."""
        most = self.settings.candidates if self.settings.discards else 1
        trials = self.discards(view, rows, most)
        if self.settings.discards:
            self.search(trials, view, rows, u, DISCARDING)
            cards = trials["answer"][np.arange(len(trials)), self.chosen(trials)]
        else:
            cards = trials["answer"][:, 0]
        return cards.astype(np.int8)

    def choices(self, liked: FloatArray | BoolArray) -> Trials:
        """Trials of draws or knocks; how much the blueprint likes yes."""
        trials = np.zeros(len(liked), TRIAL)
        start_choices(trials, np.asarray(liked, np.float64))
        return trials

    def discards(self, view: View, rows: IntArray, most: int) -> Trials:
        """Trials of discards with at most ``most`` cards; 0 for every legal answer."""
        scores = np.ascontiguousarray(self.blueprint.scores(view, rows), np.float64)
        trials = np.zeros(len(rows), TRIAL)
        knocks = self._knocks_after(view, rows, scores)
        start_discards(trials, view, rows, scores, knocks, most, np.empty(policy.SCRATCH, np.int64))
        return trials

    def chosen(self, trials: Trials) -> IntArray:
        """[N] places of the arms to play."""
        places = np.empty(len(trials), np.int64)
        choose_rows(trials, self.settings.gate, self.settings.trust, places)
        return places

    def search(
        self, trials: Trials, view: View, rows: IntArray, u: FloatArray, phase: int, least: int = 1
    ) -> Sampled | None:
        """Play the arms of every trial until its budget is used up or ``least`` arms are left.

        Most decisions are soon clear, and drawing hands takes as long as play in them. With a budget by
        count, arms are first compared in few hands, and all hands are drawn where more than one arm is left.
        Returns the last worlds that were drawn, or None if there was nothing to compare.
        """
        asked = np.flatnonzero(trials["size"] > least)
        worlds = None
        few = self.settings.first
        if 0 < few < self.settings.hands and least == 1 and not self.settings.ms and len(asked):
            worlds = self._look(trials, view, rows, u, phase, asked, least, few, few)
            asked = asked[trials["left"][asked] > 1]
        if len(asked):
            worlds = self._look(trials, view, rows, u, phase, asked, least, self.settings.hands, _ENDLESS)
        return worlds

    def _look(
        self,
        trials: Trials,
        view: View,
        rows: IntArray,
        u: FloatArray,
        phase: int,
        asked: IntArray,
        least: int,
        hands: int,
        most: int,
    ) -> Sampled:
        """Play the arms of some trials in worlds with so many hands: ``most`` lines for each arm."""
        begun = perf_counter()
        some, chance = np.asarray(rows)[asked], np.asarray(u, np.float64)[asked]
        worlds = self.belief.sample(view, some, chance, hands)
        types = np.asarray(self.belief.draw_types(view, some, worlds, chance), np.int64)
        types += len(TYPES) * draw_manners(view, some, chance, hands)
        shared = (perf_counter() - begun) / len(asked)
        for k, place in enumerate(asked.tolist()):
            hidden = Hidden(
                np.ascontiguousarray(worlds.hands[k], np.int64),
                np.cumsum(worlds.weights[k]) / worlds.weights[k].sum(),
                types[k].copy(),
            )
            seed = int(chance[k] * (1 << 52))
            trial = trials[place : place + 1]
            lines = most * int(trial["size"][0])
            self._play(trial, view, int(some[k]), phase, hidden, seed, least, lines, shared)
        return worlds

    def _play(
        self,
        trial: Trials,
        view: View,
        row: int,
        phase: int,
        hidden: Hidden,
        seed: int,
        least: int,
        lines: int,
        spent: float,
    ) -> None:
        """Search one decision, by count or by the clock; at most so many lines now."""
        position = view[row : row + 1].copy()
        seen = position[0]
        scores = int(seen["score"]), int(seen["opponent_score"]), int(seen["starts"])
        prices = price_list(self.rules, *scores) if self.settings.price == WIN else point_list()
        known = leaves()
        cuts = self._cuts and seen["own_turns"] < self.settings.late
        leaf = known.weights, known.shares @ prices, np.int64(self.settings.depth if cuts else _NO_CUT)
        rollouts = self.settings.rollouts // (WHOLE if self.settings.depth and not cuts else 1)
        fixed = (
            _ROOMS.room.with_stock(int(seen["stock"])), position, np.int64(phase), tuple(hidden),
            self._others.styles, self._own.array, prices, leaf, self._law, np.int64(seed),
        )  # fmt: skip
        cut = self.settings.cut, self.settings.trust
        if not self.settings.ms:
            budget = np.int64(min(lines, rollouts - int(trial["rollouts"][0])))
            self._kernel(trial, *fixed, budget, np.int64(least), *cut)
            check_fault(_ROOMS.room.room.batch, ("own rollout", "opponent's rollout"))
            return
        end = perf_counter() + self.settings.ms / 1000 - spent
        while trial["left"][0] > least:
            budget = np.int64(BATCH * trial["left"][0])
            begun = perf_counter()
            self._kernel(trial, *fixed, budget, np.int64(least), *cut)
            check_fault(_ROOMS.room.room.batch, ("own rollout", "opponent's rollout"))
            now = perf_counter()
            if now + (now - begun) > end:  # another batch would take about as long
                return

    def _choose(
        self, view: View, rows: IntArray, u: FloatArray, phase: int, open_: BoolArray, liked: FloatArray
    ) -> BoolArray:
        answers: BoolArray = liked > 0
        some = np.flatnonzero(open_)
        if len(some):
            trials = self.choices(liked[some])
            self.search(trials, view, np.asarray(rows)[some], np.asarray(u)[some], phase)
            answers[some] = self.chosen(trials) == 1
        return answers

    def _knocks_after(self, view: View, rows: IntArray, scores: npt.NDArray[np.float64]) -> BoolArray:
        """[N] whether the blueprint knocks after the discard that it likes best."""
        allowed = view["allowed"][rows][:, None] >> np.arange(scores.shape[1]) & 1 == 1
        after = discarded(view, rows, np.where(allowed, scores, -np.inf).argmax(1))
        may = np.flatnonzero(deadwoods(after["hand"]) <= after["limit"])
        answers = np.zeros(len(rows), np.bool_)
        if len(may):
            answers[may] = self.blueprint.knocks(after, may)[1] > 0
        return answers


def draw_manners(view: View, rows: IntArray, u: FloatArray, n: int) -> npt.NDArray[np.int64]:
    """[N, n] a manner of opponent for each of ``n`` hands: the second one as often as is likely."""
    places = (np.asarray(u)[:, None] + SPREAD * np.arange(n)) % 1
    return (places < taking(view, rows)[:, None]).astype(np.int64)


def discarded(view: View, rows: IntArray, cards: IntArray) -> View:
    """[N] what the side sees after discarding these cards, when it is asked whether to knock."""
    after: View = view[rows].copy()
    bits = np.int64(1) << np.asarray(cards, np.int64)
    after["hand"] ^= bits
    after["pile"] |= bits
    after["allowed"] = 0
    after["top"] = cards
    after["log"][np.arange(len(after)), after["events"], DISCARD] = cards
    after["events"] += 1
    return after
