"""Advice: every legal answer of one decision with its chance to win the game, for people and for the coach.

    advice = advise(adviser(), view, row)
    advice.best.text, advice.best.win            # "discard KD", Estimate(value=0.612, error=0.004)
    for option in advice.options: ...            # all of them, the best first
    advice.cards[card], advice.types["at-once"]  # the belief that was used

All options are played in the same worlds, so how far an option is behind the best one (``behind``) is known
better than the two chances themselves. Errors are standard errors of the play in sampled worlds: they say how
far more play could move a number, not whether the belief is right.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ginrummy.cards import CARDS, NO_CARD, card_text
from ginrummy.compiled.worlds import DISCARDING, DRAWING, KNOCKING
from ginrummy.errors import BadInput
from ginrummy.estimators.types import TYPES
from ginrummy.melds import deadwoods
from ginrummy.scoring import BIG_GIN, DEAD, GIN, KNOCK, OUTCOMES, TIE, UNDERCUT
from ginrummy.search.arms import Trials
from ginrummy.search.elimination import differences
from ginrummy.search.searcher import Searcher
from ginrummy.stats import Estimate
from ginrummy.view import DISCARD, DRAWN, SELF, UPCARD, WHO, Sight, View, from_sights

QUESTIONS = {DRAWING: "draw", DISCARDING: "discard", KNOCKING: "knock"}


@dataclass(frozen=True)
class Ends:
    """How the round ends after an answer, as shares of the worlds; they add up to 1."""

    knock: float
    """The own knock wins."""
    gin: float
    """Own gin, now or later."""
    undercut: float
    """The own knock is undercut."""
    opponent_knock: float
    """The opponent's knock wins."""
    opponent_gin: float
    opponent_undercut: float
    """The opponent's knock is undercut."""
    dead: float
    """Nobody scores."""


@dataclass(frozen=True)
class Option:
    """One legal answer."""

    text: str
    """For people: take 7D, draw, pass, discard KD, discard KD and knock, knock, play on."""
    answer: int
    """1 take, 0 leave; the card to discard; 1 knock, 0 play on."""
    knock: bool
    """Whether a knock is part of the answer."""
    win: Estimate
    """Chance to win the game."""
    points: Estimate
    """Points of the round, positive for the side that asks."""
    behind: Estimate
    """How far its chance to win is behind the best option's; 0 for the best one."""
    ends: Ends
    """How the round ends."""


@dataclass(frozen=True)
class Advice:
    """What is known about one decision."""

    question: str
    """draw, discard or knock."""
    options: tuple[Option, ...]
    """Every legal answer, the best first."""
    blueprint: Option
    """What the blueprint answers without search."""
    played: Option
    """What the searching player answers: the blueprint's opinion counts beside the chances."""
    cards: tuple[float, ...]
    """[52] how likely the opponent holds each card; its known cards have 1."""
    types: dict[str, float]
    """How likely each type of opponent is (``estimators.types``)."""
    deadwood: Estimate
    """The opponent's deadwood: its mean, and as error its standard deviation among the hands."""
    worlds: int
    rollouts: int

    @property
    def best(self) -> Option:
        """The option with the greatest chance to win the game."""
        return self.options[0]


def question_of(view: View, row: int) -> int:
    """Which of ``QUESTIONS`` a side is asked, from what it sees."""
    seen = view[row]
    if int(seen["knocked"][0]):
        raise BadInput("expected a draw, a discard or a knock to decide, got a table after a knock")
    if int(seen["allowed"]):
        return DISCARDING
    events = int(seen["events"])
    own = events > 0 and seen["log"][events - 1, WHO] == SELF and seen["log"][events - 1, DISCARD] != NO_CARD
    return KNOCKING if own else DRAWING


def as_view(seen: Sight) -> View:
    """A view of one row, with the event under way: a sight has only finished events."""
    view = np.array(from_sights([seen]))
    if seen.allowed and seen.events < view["log"].shape[1]:
        view["log"][0, seen.events, [WHO, UPCARD, DRAWN, DISCARD]] = (
            SELF,
            seen.drawn if seen.top == NO_CARD else seen.top,
            seen.drawn,
            NO_CARD,
        )
    return view


def advise(searcher: Searcher, seen: View | Sight, row: int = 0, u: float = 0.5) -> Advice:
    """Advice for one decision, by the budget of the searcher's settings. ``u`` seeds the worlds."""
    view = as_view(seen) if isinstance(seen, Sight) else seen
    phase = question_of(view, row)
    rows = np.array([row])
    if phase == DISCARDING:
        trials = searcher.discards(view, rows, 0)
    else:
        asked = searcher.blueprint.takes if phase == DRAWING else searcher.blueprint.knocks
        trials = searcher.choices(asked(view, rows)[1])
    hidden = searcher.search(trials, view, rows, np.array([u]), phase, least=0)
    assert hidden is not None
    options = _options(trials, view[row], phase)
    marginals, (mean, spread) = _marginals(hidden.hands[0], hidden.weights[0])
    return Advice(
        question=QUESTIONS[phase],
        options=tuple(sorted(options, key=lambda option: -option.win.value)),
        blueprint=options[int(trials["home"][0])],
        played=options[int(searcher.chosen(trials)[0])],
        cards=marginals,
        types=dict(zip(TYPES, hidden.types[0].tolist(), strict=True)),
        deadwood=Estimate(mean, spread),
        worlds=int(trials["worlds"][0]),
        rollouts=int(trials["rollouts"][0]),
    )


def _options(trials: Trials, seen: np.void, phase: int) -> list[Option]:
    trial = trials[0]
    size, n = int(trial["size"]), max(1, int(trial["worlds"]))
    win, points = trial["total"][:size] / n, trial["points"][:size] / n
    squares = np.diagonal(trial["cross"])[:size] / n
    errors = np.sqrt(np.maximum(squares - win**2, 0) / n)
    spreads = np.sqrt(np.maximum(trial["squares"][:size] / n - points**2, 0) / n)
    behind = np.zeros((size, 2))
    best = int(win.argmax())
    differences(trials, best, behind)
    behind[best] = 0
    return [
        Option(
            text=_text(seen, phase, int(trial["answer"][k]), bool(trial["knock"][k])),
            answer=int(trial["answer"][k]),
            knock=bool(trial["knock"][k]) or (phase == KNOCKING and int(trial["answer"][k]) == 1),
            win=Estimate(float(win[k]), float(errors[k])),
            points=Estimate(float(points[k]), float(spreads[k])),
            behind=Estimate(float(behind[k, 0]), float(behind[k, 1])),
            ends=_ends(trial["ends"][k] / n),
        )
        for k in range(size)
    ]


def _ends(shares: Any) -> Ends:
    own, other = shares[: len(OUTCOMES)], shares[len(OUTCOMES) :]
    return Ends(
        knock=float(own[KNOCK]),
        gin=float(own[GIN] + own[BIG_GIN]),
        undercut=float(other[UNDERCUT]),
        opponent_knock=float(other[KNOCK]),
        opponent_gin=float(other[GIN] + other[BIG_GIN]),
        opponent_undercut=float(own[UNDERCUT]),
        dead=float(own[DEAD] + own[TIE]),
    )


def _text(seen: np.void, phase: int, answer: int, knock: bool) -> str:
    if phase == DISCARDING:
        return f"discard {card_text(answer)}" + " and knock" * knock
    if phase == KNOCKING:
        return "knock" if answer else "play on"
    if answer:
        return f"take {card_text(int(seen['top']))}"
    return "pass" if int(seen["offer"]) else "draw"


def _marginals(hands: Any, weights: Any) -> tuple[tuple[float, ...], tuple[float, float]]:
    """[52] chances of single cards, and mean and standard deviation of the deadwood, by weighted hands."""
    held = hands[:, None] >> np.arange(CARDS) & 1
    left = deadwoods(hands)
    mean = float(weights @ left)
    spread = float(np.sqrt(max(weights @ left**2 - mean**2, 0.0)))
    return tuple((weights @ held).tolist()), (mean, spread)
