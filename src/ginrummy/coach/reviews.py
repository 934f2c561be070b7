"""The review of a game: every decision judged, the curve of winning chances, luck taken out, a quiz.

    found = review(record, seat=0)
    found.error_rate, found.counts              # loss for each decision that mattered; marks
    for judged in found.marked: ...             # doubtful, mistake, blunder
    found.luck.adjusted                         # the result without what the cards gave

A decision is judged from the sight of the seat that made it, in two steps. First all answers are played in
the same sampled worlds, which names the best one. Where the answer played could be 1 % behind it, the two are
played again in fresh worlds, and only these give the loss: the best of many noisy numbers looks better than
it is, a second look at it does not. The curve and the luck use all cards, as everybody may after the game;
they need a record that knows all cards.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from ginrummy import typed
from ginrummy.coach.advice import Coach, CoachAdvice, CoachOption, adviser
from ginrummy.coach.lines import best_line
from ginrummy.coach.luck import Luck, knows_all, luck_of
from ginrummy.coach.marks import MARKS, THRESHOLDS, mark_of, mattered
from ginrummy.coach.reasons import reason_of
from ginrummy.coach.replay import moments_of
from ginrummy.coach.values import RolloutValue
from ginrummy.coach.walk import Decision, Place, check_seat, decisions, table_at, tables
from ginrummy.compiled.worlds import DISCARDING, DRAWING
from ginrummy.errors import BadInput
from ginrummy.game import Game
from ginrummy.notation import GameRecord, replay_game
from ginrummy.position import write_for_mover
from ginrummy.rules import rules_text
from ginrummy.search.advice import as_view
from ginrummy.search.elimination import differences
from ginrummy.search.searcher import Searcher
from ginrummy.stats import Estimate

OnProgress = Callable[[int, int], None]
"""Called with the steps done and the steps in all."""


@dataclass(frozen=True)
class Budget:
    """How closely a review looks."""

    look: int = 4_000
    """Lines of play of the first look at a discard, shared by its answers; a quarter of it at a draw."""
    duel: int = 12_000
    """Lines of play of the second look, shared by the answer played and the best one."""
    luck: int = 3_000
    """Lines of play for each card drawn."""
    curve: int = 400
    """Lines of play for each point of the curve."""


BUDGETS = {
    "quick": Budget(2_400, 6_000, 1_000, 120),
    "normal": Budget(),
    "deep": Budget(20_000, 50_000, 10_000, 2_000),
}
"""The game of four rounds in ``examples`` took 6, 10 and 34 seconds of a processor that other work shared."""


@dataclass(frozen=True)
class Judged:
    """One decision, judged."""

    place: Place
    """Before the action."""
    seat: int
    question: str
    """draw or discard; a knock belongs to the discard before it."""
    played: str
    """The answer that was played, in words."""
    best: str
    """The best answer, in words."""
    loss: Estimate
    """Winning chance lost, 0 or more."""
    win: Estimate
    """Chance to win after the answer played, as its seat could know it."""
    mark: str
    """doubtful, mistake, blunder, or empty."""
    mattered: bool
    options: tuple[tuple[str, Estimate, Estimate], ...]
    """Every answer, the best first: words, chance to win, how far it is behind."""
    advice: CoachAdvice | None
    """The whole advice, for marked decisions."""
    line: tuple[str, ...]
    """The best line, for marked decisions: the best answer and what follows with the cards as they lay
    (``lines``); only the answer if the record does not know all cards."""


@dataclass(frozen=True)
class CurvePoint:
    """The winning chance of the seat under review after an event."""

    place: Place
    """After the action before this place; action 0: after the deal."""
    text: str
    """What happened."""
    win: Estimate | None
    """By play from here with both hands known; None if the record does not know all cards."""
    seen: float | None
    """As the seat could know it, at its own decisions: the worth of its best answer."""


@dataclass(frozen=True)
class QuizItem:
    """A question made of an own mistake."""

    position: str
    """What the seat could see, as a line of ``position``."""
    place: Place
    question: str
    options: tuple[str, ...]
    """In an order that does not give the answer away."""
    answer: str
    played: str
    loss: Estimate
    reason: str


@dataclass(frozen=True)
class SideReport:
    """What one seat's decisions add up to."""

    seat: int
    name: str
    decisions: int
    mattered: int
    """Decisions that mattered."""
    counts: dict[str, int]
    """Mark -> how often."""
    lost: float
    """Winning chance lost by all decisions that mattered."""
    error_rate: float
    """The same for each of them; 0 without any."""


@dataclass(frozen=True)
class Review:
    """The review of one game for one seat."""

    rules: str
    players: tuple[str, str]
    seat: int
    first_round: int
    """Number in the game of the record's first round: 1 unless it begins in the middle."""
    finished: bool
    winner: int | None
    totals: tuple[int, int]
    """Final totals, or the scores so far."""
    sides: tuple[SideReport, ...]
    """The seat under review; then its opponent, if it was asked for."""
    judged: tuple[Judged, ...]
    """Every decision, in order."""
    curve: tuple[CurvePoint, ...]
    luck: Luck | None
    """None if the record does not know all cards."""
    quiz: tuple[QuizItem, ...]
    """The greatest loss first."""

    @property
    def own(self) -> SideReport:
        """What the decisions of the seat under review add up to."""
        return self.sides[0]

    @property
    def marked(self) -> tuple[Judged, ...]:
        """The marked decisions of the seat under review."""
        return tuple(one for one in self.judged if one.mark and one.seat == self.seat)

    def round_number(self, place: Place) -> int:
        """The number in the game of a moment's round."""
        return self.first_round + place.round

    def to_json(self) -> dict[str, Any]:
        """Plain values; ``typed.read(Review, …)`` reads them back."""
        written: dict[str, Any] = typed.write(self)
        return written


def review(
    record: GameRecord,
    seat: int = 0,
    budget: Budget | Literal["quick", "normal", "deep"] = "normal",
    on_progress: OnProgress | None = None,
    *,
    opponent: bool = False,
    seed: int = 0,
) -> Review:
    """Review a game for one seat, and its opponent's decisions too if asked.

    The record may be unfinished or one-sided, as long as it knows all cards of the seats that are judged.
    """
    spent = budget if isinstance(budget, Budget) else budget_named(budget)
    seats = (seat, 1 - seat) if opponent else (seat,)
    for judged_seat in seats:
        check_seat(record, judged_seat)
    game = replay_game(record)
    open_cards = knows_all(record)
    todo = list(decisions(game, seats, open_cards))
    tell = on_progress or (lambda done, total: None)
    total = len(todo) + 2
    judge = _Judge(game, record.players if open_cards else None, spent, seed)
    judged = []
    for k, one in enumerate(todo):
        tell(k, total)
        if (found := judge.judged(one)) is not None:
            judged.append(found)
    tell(len(todo), total)
    curve = _curve(game, record, seat, judged, spent.curve if open_cards else 0, seed)
    tell(len(todo) + 1, total)
    value = RolloutValue(record.rules)
    luck = luck_of(game, seat, value, spent.luck, seed) if open_cards else None
    tell(total, total)
    return Review(
        rules=rules_text(record.rules),
        players=record.players,
        seat=seat,
        first_round=record.rounds[0].number,
        finished=game.over,
        winner=game.winner,
        totals=game.totals,
        sides=tuple(_side(one, record.players[one], judged) for one in seats),
        judged=tuple(judged),
        curve=curve,
        luck=luck,
        quiz=_quiz(game, seat, judged),
    )


def budget_named(name: str) -> Budget:
    """A budget by its name."""
    if name not in BUDGETS:
        raise BadInput(f"unknown budget {name!r}: choose one of {', '.join(BUDGETS)}")
    return BUDGETS[name]


class _Judge:
    """Judges decisions with one budget."""

    def __init__(self, game: Game, names: tuple[str, str] | None, budget: Budget, seed: int) -> None:
        """``names`` of the seats, for best lines; None where the cards are not known."""
        self.game, self.names, self.budget = game, names, budget
        self.rules = game.rules
        self.first, self.second = Coach(seed=seed), Coach(seed=seed + 1)

    def judged(self, one: Decision) -> Judged | None:
        """A decision judged; None where there was only one answer."""
        advice = self.first.advice(one.sight, self.rules, self.budget.look)
        if len(advice.options) < 2:
            return None
        played = advice.option(one.answer, one.knock)
        best, loss = self._loss(one, advice, played)
        mark = mark_of(loss)
        return Judged(
            place=one.place,
            seat=one.seat,
            question=one.question,
            played=played.text,
            best=best.text,
            loss=loss,
            win=played.win,
            mark=mark,
            mattered=mattered([Estimate(-o.behind.value, o.behind.error) for o in advice.options], mark),
            options=tuple((option.text, option.win, option.behind) for option in advice.options),
            advice=replace(advice, reason=reason_of(advice, one.sight, played)) if mark else None,
            line=self._line(one, best) if mark else (),
        )

    def _line(self, one: Decision, best: CoachOption) -> tuple[str, ...]:
        if self.names is None:
            return (best.text,)
        return best_line(self.game, one, best.answer, best.knock, self.names)

    def _loss(self, one: Decision, advice: CoachAdvice, played: CoachOption) -> tuple[CoachOption, Estimate]:
        """The best answer, and what the answer played loses to it."""
        best = advice.best
        if played is best:
            return best, Estimate(0.0, 0.0)
        rough = Estimate(-played.behind.value, played.behind.error)
        if rough.value + 2 * rough.error < min(THRESHOLDS.values()):
            return best, rough
        fresh = self._duel(one, best, played)
        return (best, fresh) if fresh.value > 0 else (played, Estimate(0.0, fresh.error))

    def _duel(self, one: Decision, best: CoachOption, played: CoachOption) -> Estimate:
        """How far ``best`` is ahead of ``played`` in fresh worlds."""
        searcher = adviser(self.rules, self.budget.duel)
        u = self.second.chance(one.sight)
        return duel(searcher, one, u, (best.answer, best.knock), (played.answer, played.knock))


def duel(
    searcher: Searcher, one: Decision, u: float, first: tuple[int, bool], second: tuple[int, bool]
) -> Estimate:
    """How far one answer is ahead of another in winning chance, by play of these two alone."""
    view, rows = as_view(one.sight), np.arange(1)
    if one.question == "discard":
        phase, trials = DISCARDING, searcher.discards(view, rows, 0)
    else:
        phase, trials = DRAWING, searcher.choices(np.array([False]))
    size = int(trials["size"][0])
    arms = list(zip(trials["answer"][0, :size].tolist(), trials["knock"][0, :size].tolist(), strict=True))
    places = [arms.index((answer, int(knock))) for answer, knock in (first, second)]
    trials["alive"] = 0
    trials["alive"][0, places] = 1
    trials["left"] = len(places)
    searcher.search(trials, view, rows, np.array([u]), phase, least=0)
    out = np.zeros((size, 2))
    differences(trials, places[1], out)
    return Estimate(float(out[places[0], 0]), float(out[places[0], 1]))


def _side(seat: int, name: str, judged: list[Judged]) -> SideReport:
    own = [one for one in judged if one.seat == seat]
    that = [one for one in own if one.mattered]
    lost = sum(one.loss.value for one in that)
    return SideReport(
        seat=seat,
        name=name,
        decisions=len(own),
        mattered=len(that),
        counts={mark: sum(one.mark == mark for one in own) for mark in MARKS},
        lost=lost,
        error_rate=lost / len(that) if that else 0.0,
    )


def _curve(
    game: Game, record: GameRecord, seat: int, judged: list[Judged], effort: int, seed: int
) -> tuple[CurvePoint, ...]:
    """The winning chance after every event; with ``effort`` 0 only what the seat could know."""
    seen = {one.place: one.options[0][1].value for one in judged if one.seat == seat}
    texts = {moment.place: moment.text for moment in moments_of(game, record)}
    value, points = RolloutValue(game.rules), []
    for k, entry in enumerate(game.dealt):
        rng = np.random.default_rng([seed, k, 1])
        for number, table in tables(entry):
            place = Place(k, number)
            if place not in texts:
                continue
            win = None
            if effort:
                worth = value.worth(table, entry.scores, rng, effort).win
                win = worth if seat == 0 else Estimate(1.0 - worth.value, worth.error)
            points.append(CurvePoint(place, texts[place], win, seen.get(place)))
    return tuple(points)


def _quiz(game: Game, seat: int, judged: list[Judged]) -> tuple[QuizItem, ...]:
    """The marked decisions of a seat as questions, the greatest loss first."""
    items = []
    for one in judged:
        if one.mark and one.seat == seat and one.advice is not None:
            entry = game.dealt[one.place.round]
            line = write_for_mover(table_at(game, one.place), entry.number, entry.scores, entry.won)
            items.append(
                QuizItem(
                    position=line,
                    place=one.place,
                    question=one.question,
                    options=tuple(sorted(option.text for option in one.advice.options)),
                    answer=one.best,
                    played=one.played,
                    loss=one.loss,
                    reason=one.advice.reason,
                )
            )
    return tuple(sorted(items, key=lambda item: -item.loss.value))
