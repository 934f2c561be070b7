"""One instance of a Java player at one table: calls of ``following`` become those of the challenge.

Cards are the framework's own objects, the same ones each time, since players compare them by identity. An
exception forfeits the game. With a limit of time calls are made by another thread: then a method that never
returns forfeits the game as well.
"""

import queue
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from ginrummy.bridges.eaai import machine
from ginrummy.cards import NO_CARD, parse_card
from ginrummy.errors import ParseError, shortened
from ginrummy.following import EXCEPTION, ILLEGAL_MELDS, TIME, Declared, Forfeit

if TYPE_CHECKING:
    from ginrummy.bridges.eaai.classes import Deck

STOP_SECONDS = 1.0
"""How long a thread that ran out of time may take to end after it was told to."""


class JavaFollower:
    """See ``following.Follower``."""

    def __init__(
        self, jpype: Any, instance: Any, deck: "Deck", methods: frozenset[str], cwd: Path | None
    ) -> None:
        self.jpype = jpype
        self.deck = deck
        self.cwd = cwd
        self.list = jpype.JClass("java.util.ArrayList")
        self.seconds: float | None = None
        self._start, self._will_draw = instance.startGame, instance.willDrawFaceUpCard
        self._report_draw, self._get_discard = instance.reportDraw, instance.getDiscard
        self._report_discard, self._get_melds = instance.reportDiscard, instance.getFinalMelds
        self._report_melds, self._report_scores = instance.reportFinalMelds, instance.reportScores
        self._report_layoff = instance.reportLayoff if "reportLayoff" in methods else None
        self._report_hand = instance.reportFinalHand if "reportFinalHand" in methods else None

    # The calls, in the order of the challenge's program.

    def deal(self, seat: int, starter: int, cards: Sequence[int]) -> None:
        """``startGame``: it is called for every round."""
        self.guarded_call(self._start, seat, starter, [self.deck.cards[card] for card in cards])

    def wants(self, upcard: int) -> bool:
        """``willDrawFaceUpCard``."""
        return bool(self.guarded_call(self._will_draw, self.deck.cards[upcard]))

    def drew(self, seat: int, card: int) -> None:
        """``reportDraw``, with null for a hidden card."""
        self.guarded_call(self._report_draw, seat, self.deck.cards[card] if card >= 0 else None)

    def discard(self) -> int:
        """``getDiscard``; anything but a card object of the framework is no card."""
        place = self.deck.index_of(self.guarded_call(self._get_discard))
        return self.deck.ids[place] if place >= 0 else NO_CARD

    def discarded(self, seat: int, card: int) -> None:
        """``reportDiscard``."""
        self.guarded_call(self._report_discard, seat, self.deck.cards[card])

    def melds(self) -> Declared | None:
        """``getFinalMelds``."""
        given = self.guarded_call(self._get_melds)
        if given is None:
            return None
        try:
            return [[self._id(card) for card in meld] for meld in given]
        except (TypeError, AttributeError, ParseError, self.jpype.JException):
            said = shortened(str(given))
            raise Forfeit(ILLEGAL_MELDS, f"its melds are not lists of cards: {said}") from None

    def melded(self, seat: int, melds: Declared) -> None:
        """``reportFinalMelds``."""
        lists = self.list()
        for meld in melds:
            lists.add(self._cards(meld))
        self.guarded_call(self._report_melds, seat, lists)

    def laid_off(self, seat: int, card: int, meld: Sequence[int]) -> None:
        """``reportLayoff``."""
        if self._report_layoff is not None:
            self.guarded_call(self._report_layoff, seat, self.deck.cards[card], self._cards(meld))

    def shown(self, seat: int, hand: Sequence[int]) -> None:
        """``reportFinalHand``."""
        if self._report_hand is not None:
            self.guarded_call(self._report_hand, seat, self._cards(hand))

    def scored(self, scores: tuple[int, int]) -> None:
        """``reportScores``."""
        self.guarded_call(self._report_scores, list(scores))

    def allow(self, seconds: float) -> None:
        """From now on calls end after so many seconds in all."""
        self.seconds = seconds

    # How a call is made.

    def guarded_call(self, method: Any, *values: Any) -> Any:
        """Call a method of the instance. An exception of its code, or no answer in time, is a ``Forfeit``."""
        try:
            if self.seconds is None and self.cwd is None:
                return method(*values)
            with machine.within(self.cwd):
                if self.seconds is None:
                    return method(*values)
                start = monotonic()
                given = _runner(self.jpype).call(method, values, self.seconds)
                self.seconds -= monotonic() - start
                return given
        except self.jpype.JException as error:
            said = f"{method.__name__} threw {shortened(str(error.toString()))}"
            raise Forfeit(EXCEPTION, said, str(error.stacktrace())) from None

    def _cards(self, cards: Sequence[int]) -> Any:
        found = self.list()
        for card in cards:
            found.add(self.deck.cards[card])
        return found

    def _id(self, card: Any) -> int:
        """Our id of a card in a meld: melds are judged by what their cards are, not by identity."""
        place = self.deck.index_of(card)
        return self.deck.ids[place] if place >= 0 else parse_card(str(card.toString()))


class _Runner:
    """A thread that calls methods, so that its owner need not wait for them."""

    def __init__(self, jpype: Any) -> None:
        self.jpype = jpype
        self._orders: queue.SimpleQueue[tuple[Any, tuple[Any, ...]] | None] = queue.SimpleQueue()
        self._answers: queue.SimpleQueue[tuple[Any, BaseException | None]] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._java_thread: Any = None
        self._thread.start()

    def call(self, method: Callable[..., Any], values: tuple[Any, ...], seconds: float) -> Any:
        """What a method gives, if it gives it in time."""
        self._orders.put((method, values))
        try:
            given, error = self._answers.get(timeout=max(seconds, 0.001))
        except queue.Empty:
            self._give_up()
            raise Forfeit(TIME, f"{method.__name__} did not return in time") from None
        if error is not None:
            raise error
        return given

    def _work(self) -> None:
        self._java_thread = self.jpype.JClass("java.lang.Thread").currentThread()
        while (order := self._orders.get()) is not None:
            method, values = order
            try:
                self._answers.put((method(*values), None))
            except BaseException as error:
                self._answers.put((None, error))

    def _give_up(self) -> None:
        """Leave the thread: interrupt it, and stop it where Java still can (before Java 20)."""
        _RUNNERS.remove(self)
        self._orders.put(None)
        for order in (self._java_thread.interrupt, self._java_thread.stop):
            try:
                order()
            except self.jpype.JException:
                return
            try:
                self._answers.get(timeout=STOP_SECONDS)
                return
            except queue.Empty:
                continue


_RUNNERS: list[_Runner] = []


def _runner(jpype: Any) -> _Runner:
    """The thread of this process for calls with a limit of time; a new one when the last was given up."""
    if not _RUNNERS:
        _RUNNERS.append(_Runner(jpype))
    return _RUNNERS[0]
