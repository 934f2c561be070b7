"""Reviews of finished games: made once in the background, kept in the store, given as plain values.

A review shows all cards, as everybody may see them when a game is over. It is made for games that are over
only.
"""

import json
import threading
from collections.abc import Iterator
from typing import Any

from ginrummy import typed
from ginrummy.cards import NO_CARD, card_text, cards_of
from ginrummy.coach import Judged, Review, html, review
from ginrummy.coach import moments as all_moments
from ginrummy.coach.walk import tables
from ginrummy.errors import BadInput, GinRummyError, one_line
from ginrummy.game import Game
from ginrummy.notation import GameRecord, replay_game
from ginrummy.position import read_sight
from ginrummy.web import models
from ginrummy.web.advising import advice_of
from ginrummy.web.house import House, seat_of
from ginrummy.web.state import texts

GAMES_OF_QUIZ = 30
"""Latest games that the quiz takes its questions from."""


class Reviews:
    """The reviews under way and those in the store."""

    def __init__(self, house: House) -> None:
        self.house = house
        self._progress: dict[str, tuple[int, int]] = {}
        self._faults: dict[str, str] = {}
        self._guard = threading.Lock()

    def get(self, visitor: str, game: str) -> models.ReviewProgress:
        """A visitor's review, or how far it is; the first call begins it."""
        record = self.house.finished_record(visitor, game)
        kept = self.house.store.review(visitor, game)
        if kept is not None:
            return models.ReviewProgress(ready=True, review=json.loads(kept)["page"])
        with self._guard:
            fault = self._faults.pop(game, None)
            if fault is not None:
                return models.ReviewProgress(ready=False, error=fault)
            if game not in self._progress:
                self._progress[game] = 0, 0
                try:
                    self.house.reviewing.submit(visitor, lambda: self._make(game, record))
                except GinRummyError:
                    del self._progress[game]
                    raise
            done, total = self._progress[game]
        return models.ReviewProgress(ready=False, done=done, total=total)

    def _make(self, game: str, record: GameRecord) -> None:
        def tell(done: int, total: int) -> None:
            with self._guard:
                self._progress[game] = done, total

        try:
            found = review(record, seat_of(record), "quick", tell)
            body = {"page": review_json(record, found), "whole": found.to_json()}
            self.house.store.keep_review(game, json.dumps(body))
        except GinRummyError as error:
            with self._guard:
                self._faults[game] = one_line(str(error))
        finally:
            with self._guard:
                self._progress.pop(game, None)

    def file(self, visitor: str, game: str) -> str:
        """The review as one page that needs nothing else, as ``ginrummy analyse --html`` writes it."""
        record = self.house.finished_record(visitor, game)
        kept = self.house.store.review(visitor, game)
        if kept is None:
            raise BadInput("the game has no review yet: ask for it first")
        found = typed.read(Review, json.loads(kept)["whole"], "review")
        return html.page(found, all_moments(record))

    def quiz(self, visitor: str) -> list[models.Question]:
        """Questions made of the visitor's own mistakes in reviewed games, the latest games first."""
        found: list[models.Question] = []
        for game in self.house.store.games(visitor, GAMES_OF_QUIZ):
            kept = self.house.store.review(visitor, game.id) if game.finished else None
            for item in json.loads(kept)["page"]["quiz"] if kept else []:
                found.append(question(item, game.id, game.opponent))
        return found


def question(item: dict[str, Any], game: str, opponent: str) -> models.Question:
    """A question as the page shows it: what the person saw then."""
    seen = read_sight(item["position"])
    return models.Question(
        game=game,
        opponent=opponent,
        hand=texts(seen.hand),
        upcard=card_text(seen.top) if seen.top != NO_CARD else None,
        drawn=card_text(seen.drawn) if seen.allowed and seen.drawn != NO_CARD else None,
        pile=texts(seen.pile),
        stock=seen.stock,
        opponent_known=texts(seen.opponent),
        scores=(seen.score, seen.opponent_score),
        **{key: item[key] for key in ("question", "options", "answer", "played", "loss", "reason")},
    )


def review_json(record: GameRecord, found: Review) -> dict[str, Any]:
    """A review as plain values, with every moment of the game for the slider."""
    own, seat = found.own, found.seat
    return {
        "players": list(found.players),
        "seat": seat,
        "rules": found.rules,
        "finished": found.finished,
        "winner": found.winner,
        "totals": list(found.totals),
        "own": {
            "decisions": own.decisions,
            "mattered": own.mattered,
            "counts": own.counts,
            "lost": own.lost,
            "error_rate": own.error_rate,
        },
        "luck": _luck(found),
        "decisions": [_decision(one) for one in found.judged],
        "curve": [
            {
                "round": point.place.round,
                "action": point.place.action,
                "text": point.text,
                "win": [point.win.value, point.win.error] if point.win else None,
                "seen": point.seen,
            }
            for point in found.curve
        ],
        "moments": list(moments(replay_game(record))),
        "quiz": [
            {
                "position": item.position,
                "question": item.question,
                "options": list(item.options),
                "answer": item.answer,
                "played": item.played,
                "loss": [item.loss.value, item.loss.error],
                "reason": item.reason,
            }
            for item in found.quiz
        ],
    }


def _luck(found: Review) -> dict[str, Any] | None:
    luck = found.luck
    if luck is None:
        return None
    return {
        "result": luck.result,
        "cards": luck.cards,
        "adjusted": luck.adjusted,
        "margin": luck.margin,
        "cards_points": luck.cards_points,
        "adjusted_points": luck.adjusted_points,
        "rounds": list(luck.rounds),
    }


def _decision(one: Judged) -> dict[str, Any]:
    return {
        "round": one.place.round,
        "action": one.place.action,
        "question": one.question,
        "played": one.played,
        "best": one.best,
        "loss": [one.loss.value, one.loss.error],
        "win": [one.win.value, one.win.error],
        "mark": one.mark,
        "mattered": one.mattered,
        "options": [[text, list(win), list(behind)] for text, win, behind in _plain(one)],
        "line": list(one.line),
        "advice": advice_of(one.advice, 0.0).model_dump() if one.advice else None,
    }


def _plain(one: Judged) -> Iterator[tuple[str, tuple[float, float], tuple[float, float]]]:
    for text, win, behind in one.options:
        yield (
            text,
            (round(win.value, 5), round(win.error, 5)),
            (round(behind.value, 5), round(behind.error, 5)),
        )


def moments(game: Game) -> Iterator[dict[str, Any]]:
    """The table before each action of each round, with both hands open."""
    for number, entry in enumerate(game.dealt):
        for action, table in tables(entry):
            yield {
                "round": number,
                "action": action,
                "hands": [[card_text(card) for card in cards_of(hand)] for hand in table.hands],
                "upcard": card_text(table.top) if table.top != NO_CARD else None,
                "stock": len(table.stock),
                "mover": -1 if table.over else table.mover,
                "scores": list(entry.scores),
            }
