"""Lessons of a search: what champion's favourite answers are worth at decisions of its own games.

Champion's network plays against opponents of every type, and at some of its decisions it is asked what search
would find. A search is short: two hundred lines for all answers together. What it says of one decision is
uncertain, but it is the mean over hands that the opponent may hold, and so far less a matter of luck than one
look with the true hand (``what_if``). The network learns the mean of many such lessons (``taught``).

The answer of the search is played, and now and then another one, so that lessons are not only about positions
that the network likes to be in.
"""

import io
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ginrummy.cards import CARDS
from ginrummy.compiled.policy import Compiled
from ginrummy.compiled.worlds import DISCARDING, DRAWING, KNOCKING
from ginrummy.players.base import Player, under
from ginrummy.players.champion import belief, card_belief, network_answers
from ginrummy.players.registry import make_player
from ginrummy.policies import champion
from ginrummy.policies.champion import DISCARD, DRAW, INPUTS, KNOCK
from ginrummy.rules import parse_rules
from ginrummy.search.arms import Trials
from ginrummy.search.searcher import Searcher, Settings
from ginrummy.sim import Lockstep
from ginrummy.tables import GAME, new_tables
from ginrummy.training.selfplay.kernels import LOGITS, SCALE, encode_packed
from ginrummy.training.selfplay.pool import BLUEPRINT
from ginrummy.training.selfplay.rows import Packed
from ginrummy.view import BoolArray, FloatArray, IntArray, View

Floats = npt.NDArray[np.float32]

NETWORK = "champion.onnx"
"""The network of self-play, which plays and is taught."""
SEARCH = Settings(rollouts=224, hands=64, depth=3, cut=1e9)
"""A short search that drops no answer: all of them are compared in the same worlds."""
ASKED = {DRAW: 0.2, DISCARD: 0.3, KNOCK: 1.0}
"""Share of the open decisions that become lessons."""
TRIED = {DRAW: 0.04, DISCARD: 0.05, KNOCK: 0.06}
"""Share of the other decisions in which another answer is given by way of trial."""
AMONG = 4
"""Discards by way of trial are drawn from so many that the network likes best."""
ANSWERS = 8
"""Most answers of a lesson."""
PHASES = {DRAW: DRAWING, DISCARD: DISCARDING, KNOCK: KNOCKING}
NO, YES = CARDS, CARDS + 1
"""Codes of the answers to a draw or a knock, after the cards."""
TABLES = 256
"""Games that are played side by side."""


class Lessons(NamedTuple):
    """Decisions, with what their answers are worth by search."""

    packed: Packed
    blueprint: Floats  # [M, 54] the blueprint's scores
    hidden: IntArray  # [M] int64  the opponent's hand
    question: IntArray  # [M] int8  DRAW, DISCARD, KNOCK
    turn: IntArray  # [M] int16  own turns before
    codes: npt.NDArray[np.int8]  # [M, ANSWERS] the card; NO, YES; -1 for none. First what the network prefers
    worth: Floats  # [M, ANSWERS] the chance to win, times ``kernels.SCALE``, less that of the first answer

    @property
    def size(self) -> int:
        """How many decisions."""
        return len(self.question)

    def file(self) -> bytes:
        """All arrays in one file."""
        file = io.BytesIO()
        arrays: dict[str, Any] = self.packed._asdict() | dict(zip(self._fields[1:], self[1:], strict=True))
        np.savez(file, **arrays)
        return file.getvalue()


def joined(parts: list[Lessons]) -> Lessons:
    """Lessons one after the other."""
    ends, numbers = [], 0
    for one in parts:
        ends.append(one.packed.ends + numbers)
        numbers += len(one.packed.spots)
    spots, values = (np.concatenate([one.packed[k] for one in parts]) for k in range(2))
    rest = (np.concatenate([one[k] for one in parts]) for k in range(1, len(Lessons._fields)))
    return Lessons(Packed(spots, values, np.concatenate(ends)), *rest)


def read(content: Any) -> Lessons:
    """Lessons from a file, by its path or its bytes in memory."""
    with np.load(content, allow_pickle=False) as file:
        packed = Packed(*(file[name] for name in Packed._fields))
        return Lessons(packed, *(file[name] for name in Lessons._fields[1:]))


class Pupil:
    """Champion's network at play, with a search that it asks now and then."""

    def __init__(self, rules_name: str, seed: int) -> None:
        self.rules = parse_rules(rules_name)
        self._answers = network_answers(NETWORK).under(self.rules)
        self._search = Searcher(self._answers, belief("joint"), self.rules, SEARCH)
        self._rng = np.random.default_rng(seed)
        self._constants = champion.constants(_blueprint().array, self.rules)
        self.batch = new_tables(0, range(0))
        self.kept: list[Lessons] = []

    def player(self) -> Player:
        """What it plays as."""
        return Player("pupil", self._draw, self._discard, self._knock, _blueprint().spread)

    def play(self, opponent: str, games: range, seed: int) -> Lessons:
        """Lessons from games against an opponent."""
        self.batch, self.kept = new_tables(min(TABLES, len(games)), games), []
        players = self.player(), under(make_player(opponent), self.rules)
        lockstep = Lockstep(players, self.batch, self.rules, seed)
        lockstep.begin()
        lockstep.run(np.zeros(len(games), GAME), record=False)
        return joined(self.kept)

    def _tries(self, question: int, size: int) -> BoolArray:
        return self._rng.random(size) < TRIED[question]

    def _draw(self, view: View, rows: IntArray, u: FloatArray) -> BoolArray:
        return self._choose(view, rows, u, DRAW, *self._answers.takes(view, rows))

    def _knock(self, view: View, rows: IntArray, u: FloatArray) -> BoolArray:
        return self._choose(view, rows, u, KNOCK, *self._answers.knocks(view, rows))

    def _choose(
        self, view: View, rows: IntArray, u: FloatArray, question: int, open_: BoolArray, liked: FloatArray
    ) -> BoolArray:
        answers: BoolArray = (liked > 0) ^ (open_ & self._tries(question, len(rows)))
        some = np.flatnonzero(open_ & (self._rng.random(len(rows)) < ASKED[question]))
        if len(some):
            answers[some] = self._ask(view, rows, u, question, some, self._search.choices(liked[some])) == YES
        return answers

    def _discard(self, view: View, rows: IntArray, u: FloatArray) -> IntArray:
        allowed = view["allowed"][rows][:, None] >> np.arange(CARDS) & 1 == 1
        liked = np.argsort(-np.where(allowed, self._answers.scores(view, rows), -np.inf), 1)[:, :AMONG]
        other = self._tries(DISCARD, len(rows)) & (allowed.sum(1) >= AMONG)
        place = np.where(other, 1 + self._rng.integers(AMONG - 1, size=len(rows)), 0)
        cards: IntArray = liked[np.arange(len(rows)), place].astype(np.int8)
        some = np.flatnonzero(self._rng.random(len(rows)) < ASKED[DISCARD])
        if len(some):
            trials = self._search.discards(view, np.asarray(rows)[some], self._search.settings.candidates)
            several = trials["size"] > 1
            some = some[several]
            if len(some):
                cards[some] = self._ask(view, rows, u, DISCARD, some, trials[several])
        return cards

    def _ask(
        self, view: View, rows: IntArray, u: FloatArray, question: int, some: IntArray, trials: Trials
    ) -> IntArray:
        """Search some decisions and keep them as lessons; returns the codes of the answers to give."""
        asked = np.asarray(rows, np.int64)[some]
        self._search.search(trials, view, asked, np.asarray(u)[some], PHASES[question])
        codes, worth, chosen = _worths(trials, question, self._search.settings.trust)
        size = len(asked)
        packed, blueprint = Packed.room(size), np.empty((size, LOGITS), np.float32)
        x, scratch = np.empty(INPUTS, np.float32), np.empty(champion.SCRATCH, np.int64)
        beliefs = card_belief().cards(view, asked)
        room = scratch, x, x.view(np.int32), *packed
        encode_packed(view, asked, question, self._constants, beliefs, *room, blueprint)
        end = int(packed.ends[-1, 2])
        packed = Packed(packed.spots[:end].copy(), packed.values[:end].copy(), packed.ends)
        hidden, questions = self.batch.second["hand"][asked], np.full(size, question, np.int8)
        turns = view["own_turns"][asked].astype(np.int16)
        self.kept.append(Lessons(packed, blueprint, hidden.copy(), questions, turns, codes, worth))
        return chosen


def _worths(
    trials: Trials, question: int, trust: float
) -> tuple[npt.NDArray[np.int8], Floats, npt.NDArray[np.int64]]:
    """Codes of the answers of each trial, what they are worth beside home, and the code to play.

    A discard may be an arm twice, with and without a knock: it is worth the better of both.
    """
    codes, worth = np.full((len(trials), ANSWERS), -1, np.int8), np.zeros((len(trials), ANSWERS), np.float32)
    chosen = np.zeros(len(trials), np.int64)
    for row, trial in enumerate(trials):
        size = int(trial["size"])
        means, given = trial["total"][:size] / trial["worlds"], trial["answer"][:size]
        answers = given if question == DISCARD else NO + given
        best: dict[int, int] = {int(answers[trial["home"]]): int(trial["home"])}
        for arm, code in enumerate(answers.tolist()):
            if code not in best or means[arm] > means[best[code]]:
                best[code] = arm
        arms = list(best.values())
        codes[row, : len(arms)] = list(best)
        worth[row, : len(arms)] = SCALE * (means[arms] - means[arms[0]])
        chosen[row] = answers[arms][(means[arms] + trust * trial["liked"][arms]).argmax()]
    return codes, worth, chosen


def _blueprint() -> Compiled:
    compiled = make_player(BLUEPRINT).compiled
    assert compiled is not None
    return compiled
