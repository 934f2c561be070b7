"""Several estimators in one: by turn, as the paper advises, or weighted by turn and by the opponent's style.

Source: Francis, Just and Neller, "Opponent Hand Estimation in the Game of Gin Rummy" (EAAI 2021, S1). The
paper advises the simple network or Bayes' rule up to turn 3, the simple network up to turn 9, the
convolutional network up to turn 28, and from then on the convolutional network or Bayes' rule. A turn is a
draw of either side.

Profile ``learned`` is ours and follows the paper's future work: a small network reads the turn and how the
opponent has played so far, and gives each of the three estimators a weight. The weighted logits give an exact
distribution over hands (``exact_hands``).
"""

import numpy as np
import numpy.typing as npt

from ginrummy._jit import kernel
from ginrummy.cards import CARDS, NO_CARD
from ginrummy.errors import UnknownName
from ginrummy.estimators.base import Beliefs, Estimator
from ginrummy.estimators.bayes import bayes
from ginrummy.estimators.exact_hands import chances, unknown_cards
from ginrummy.estimators.shankar_cnn import shankar_cnn
from ginrummy.estimators.simple_nn import simple_nn
from ginrummy.networks import network
from ginrummy.specs import named
from ginrummy.view import DISCARD, DRAWN, OTHER, UPCARD, WHO, IntArray, View

MEMBERS = ("bayes", "simple-nn", "shankar-cnn")
STAGES = (3, 9, 28)
"""Last turn of each of the paper's stages, except the last stage."""
EARLY, LATE = ("simple-nn", "bayes"), ("shankar-cnn", "bayes")
"""The paper's two choices for the first stage, and for the last."""
BUCKETS = (1, 3, 5, 7, 9, 12, 16, 22, 28)
"""Last turn of each bucket of turns that the gate sees, except the last bucket."""
STYLE = 8
GATE_INPUTS = len(BUCKETS) + 1 + STYLE
CLIP = 1e-4
"""Members' beliefs are kept at least this far from 0 and 1."""

Floats = npt.NDArray[np.float32]


@kernel
def _style(view, rows, out):
    for k in range(rows.shape[0]):
        seen = view[rows[k]]
        events = takes = discards = points = low = last = 0
        for event in range(seen.events):
            if seen.log[event, WHO] == OTHER:
                events += 1
                takes += seen.log[event, DRAWN] == seen.log[event, UPCARD]
                discard = seen.log[event, DISCARD]
                if discard != NO_CARD:
                    worth = min(discard % 13 + 1, 10)
                    low += discards > 0 and worth > last  # dearer than the discard before: kept on purpose
                    discards += 1
                    points += worth
                    last = worth
        out[k, 0] = events / 10
        out[k, 1] = takes / max(1, events)
        out[k, 2] = points / max(1, discards) / 10
        out[k, 3] = last / 10
        out[k, 4] = low / max(1, discards)
        out[k, 5] = seen.round / 10
        out[k, 6] = seen.opponent_score / 100
        out[k, 7] = seen.score / 100


def gate_inputs(view: View, rows: IntArray) -> Floats:
    """[N, GATE_INPUTS] bucket of the turn, one-hot; then the opponent's style in the round and the game.

    The style is: the opponent's events, the share of upcards taken, mean points of its discards, points of
    the last discard, the share of discards dearer than the one before; then the rounds played, its score and
    our score in the game.
    """
    out = np.zeros((len(rows), GATE_INPUTS), np.float32)
    bucket = np.searchsorted(BUCKETS, view["turns"][rows])
    out[np.arange(len(rows)), bucket] = 1
    style = np.empty((len(rows), STYLE), np.float32)
    _style(view, np.asarray(rows, np.int64), style)
    out[:, len(BUCKETS) + 1 :] = style
    return out


def members() -> list[Estimator]:
    """The estimators that are weighted, in the order of ``MEMBERS``."""
    return [bayes(), simple_nn(), shankar_cnn()]


def member_logits(view: View, rows: IntArray, among: list[Estimator]) -> Floats:
    """[N, 3, 52] logits of the members' masked beliefs."""
    beliefs = np.stack([one.masked(view, rows) for one in among], axis=1)
    sure = np.clip(beliefs.astype(np.float64), CLIP, 1 - CLIP)
    return np.log(sure / (1 - sure)).astype(np.float32)


def chosen(turns: IntArray, early: str, late: str) -> list[str]:
    """The estimator that the paper chooses for each turn."""
    stages = (early, "simple-nn", "shankar-cnn", late)
    return [stages[stage] for stage in np.searchsorted(STAGES, turns)]


def ensemble_by_turn(
    profile: str = "paper", early: str = "simple-nn", late: str = "shankar-cnn", model: str = ""
) -> Estimator:
    """One of three estimators by turn, or all three weighted by turn and style.

    Source: Francis, Just and Neller, "Opponent Hand Estimation in the Game of Gin Rummy", EAAI 2021.
    ``early`` and ``late`` choose what the paper leaves open: the estimator up to turn 3 and from turn 29 on.
    Profile ``learned`` is ours.
    """
    if early not in EARLY or late not in LATE:
        raise UnknownName(
            f"ensemble-by-turn: early is one of {', '.join(EARLY)}, late one of {', '.join(LATE)}"
        )
    settings: dict[str, object] = {} if early == EARLY[0] else {"early": early}
    settings |= {} if late == LATE[0] else {"late": late}
    if profile == "paper":
        return Estimator(named("ensemble-by-turn", settings), _switch(early, late).raw)
    if profile != "learned":
        raise UnknownName(f"ensemble-by-turn has no profile {profile!r}: choose one of paper, learned")
    found: dict[str, object] = {"profile": profile}
    found |= {"model": model} if model else {}
    return Estimator(named("ensemble-by-turn", found), _weighted(model or "ensemble-by-turn.onnx").raw)


def _switch(early: str, late: str) -> Estimator:
    by_name = dict(zip(MEMBERS, members(), strict=True))
    by_name["bayes"] = bayes(squash=True)  # as in the paper; ``learned`` uses the plain one

    def raw(view: View, rows: IntArray) -> Beliefs:
        out = np.empty((len(rows), CARDS), np.float32)
        names = np.array(chosen(view["turns"][rows], early, late), dtype=object)
        for name, member in by_name.items():
            some = np.flatnonzero(names == name)
            if len(some):
                out[some] = member.raw(view, rows[some])
        return out

    return Estimator("switch", raw)


def _weighted(model: str) -> Estimator:
    gate, among = network(model), members()

    def raw(view: View, rows: IntArray) -> Beliefs:
        weights = gate(gate_inputs(view, rows))
        logits = member_logits(view, rows, among)
        pooled = np.zeros((len(rows), CARDS), np.float32)
        for k in range(len(among)):  # one order for every row: a sum must not depend on the batch
            pooled += weights[:, k, None] * logits[:, k]
        return chances(pooled, *unknown_cards(view, rows))[0]

    return Estimator("weighted", raw)
