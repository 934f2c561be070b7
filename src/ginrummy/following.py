"""Players that follow a game: they are told all that happens and remember it, as players of the challenge do.

Other players are pure functions of the view. A follower is an object that sits at one table for one game. It
is called in the order of the challenge's program:

    deal                            at the beginning of each round
    wants                           before each own draw: take the upcard?
    drew, discard, discarded        drew and discarded tell of the turns of both seats
    melds                           after each own discard (anything but None is a knock), and against a knock
    melded, laid_off                at a knock: both seats' melds, then each card laid off
    shown, scored                   at the end of each round: both hands, then both scores

A follower loses the whole game by an illegal discard, by illegal melds, by a knock above the limit, and when
it raises ``Forfeit``. With a limit of time it loses the game in which it uses more. Forfeits are counted.

``play`` runs such games in lockstep, so the other player may be any player and is asked in batches. Each game
has a follower of its own, which is told of an opponent's turn before its own next decision or at the end of
the round: the order of its calls is that of the challenge.
"""

import logging
from collections import Counter
from collections.abc import Callable, Sequence
from time import perf_counter, process_time
from typing import Any, Protocol

import numpy as np

from ginrummy.answers import answer_shape
from ginrummy.cards import CARDS, NO_CARD, cards_of
from ginrummy.errors import BadInput
from ginrummy.melds import MAX_MELDS, defend, is_meld, points
from ginrummy.round_actions import safe_card_text
from ginrummy.rules import EAAI, HAND_SIZE, Rules
from ginrummy.sim import Deciders, Lockstep, Run, begin, check_games, fresh, is_foreign, parts
from ginrummy.tables import (
    DISCARD_PHASE,
    DRAW_PHASE,
    GAME,
    IDLE,
    KNOCK_PHASE,
    ROUND,
    SPREAD_PHASE,
    Records,
    new_tables,
)
from ginrummy.view import DISCARD, DRAWN, OTHER, PASSED, SELF, WHO, IntArray

REASONS = ("time", "exception", "illegal discard", "illegal melds", "knock above the limit")
"""Why a game is forfeited."""
TIME, EXCEPTION, ILLEGAL_DISCARD, ILLEGAL_MELDS, HIGH_KNOCK = range(len(REASONS))
NOBODY = -1
"""In place of a side or a reason: the game was not forfeited."""
BATCH = 64
"""Games side by side: each has a follower of its own, which may hold much memory."""
SAME_RULES = (
    "knock_limit", "big_gin_bonus", "oklahoma", "optimal_defence", "may_return", "max_chain",
    "throwbacks_end", "wall_phase", "max_takes",
)  # fmt: skip
"""Rules that followers know from the challenge, so that they cannot be changed."""
SHOWN = 3
"""Forfeits of a player that are described in full; the others are only counted."""

Cards = Sequence[int]
Declared = list[list[int]]
"""Melds as declared: cards in their order."""
_LOG = logging.getLogger("ginrummy.following")
_DESCRIBED = Counter[str]()
"""Forfeits of each player in this process."""


class Forfeit(Exception):
    """A follower loses the game: one of ``REASONS``, what happened, and a traceback for its author."""

    def __init__(self, reason: int, what: str, trace: str = "") -> None:
        super().__init__(reason, what, trace)
        self.reason, self.what, self.trace = reason, what, trace


Lost = tuple[int, Forfeit]
"""The side that forfeits, and why."""


class Follower(Protocol):
    """One player at one table for one game. Any method may raise ``Forfeit``."""

    def deal(self, seat: int, starter: int, cards: Cards) -> None:
        """A round begins; ``cards`` are the ten cards dealt, in their order."""

    def wants(self, upcard: int) -> bool:
        """Whether to take the upcard."""

    def drew(self, seat: int, card: int) -> None:
        """A seat has drawn; ``NO_CARD`` for a card that is hidden from this one."""

    def discard(self) -> int:
        """The card to discard; ``NO_CARD`` for something that is not a card."""

    def discarded(self, seat: int, card: int) -> None:
        """A seat has discarded."""

    def melds(self) -> Declared | None:
        """After an own discard: the melds to knock with, or None. Against a knock: the own melds."""

    def melded(self, seat: int, melds: Declared) -> None:
        """A seat has laid down these melds."""

    def laid_off(self, seat: int, card: int, meld: Cards) -> None:
        """A seat has laid a card off on a meld of the other, given as it stood before."""

    def shown(self, seat: int, hand: Cards) -> None:
        """The hand of a seat at the end of the round."""

    def scored(self, scores: tuple[int, int]) -> None:
        """Scores by seat after the round."""

    def allow(self, seconds: float) -> None:
        """In games with a limit of time: how many seconds are left. A call may end itself when they are."""


Sit = Callable[[int, int], Follower]
"""(game number, side) -> a follower that has seen nothing, for this game."""


def sit_of(player: Deciders) -> Sit | None:
    """How a player sits down at a table, if it follows games."""
    found: Sit | None = getattr(player, "sit", None)
    return found


def follows(player: Deciders) -> bool:
    """Whether a player follows its games: only ``play`` below can play it."""
    return sit_of(player) is not None


def check_rules(rules: Rules) -> None:
    """Refuse rules that a player of the challenge does not know."""
    changed = [name for name in SAME_RULES if getattr(rules, name) != getattr(EAAI, name)]
    if changed:
        raise BadInput(
            f"players that follow games (eaai:…) know the rules of the challenge: {', '.join(changed)} must "
            "be as in the rules eaai"
        )


def play(
    first: Deciders,
    second: Deciders,
    games: range,
    rules: Rules,
    seed: int,
    *,
    record: bool = False,
    seconds_per_game: float | None = None,
    batch: int = BATCH,
) -> Run:
    """Play the games of a range, with one player or two that follow them.

    Even and odd games are played apart. With ``seconds_per_game`` games are played one by one, and time
    counts as in ``timed``. Recorded rounds of forfeited games are kept.
    """
    check_games(games, seed)
    check_rules(rules)
    results = np.zeros(len(games), GAME)
    forfeits = np.full((2, len(games)), NOBODY, np.int8)
    runs = []
    for part in parts(games, apart=True):
        size = 1 if seconds_per_game is not None else max(1, min(batch, len(part)))
        tables = new_tables(size, part)
        tables.desk["first"] = games.start
        players = fresh(first), fresh(second)
        game = Following(players, tables, rules, seed, results, forfeits, seconds_per_game)
        game.begin()
        runs.append(game.run(results, record))
    seconds = sum(run.seconds[0] for run in runs), sum(run.seconds[1] for run in runs)
    rounds = np.concatenate([run.rounds for run in runs]) if record else np.zeros(0, ROUND)
    return Run(results, seconds, rounds, forfeits[0], forfeits[1])


class _Place:
    """One side of one table: its follower, and what it has been told of the round."""

    __slots__ = ("declared", "follower", "seat", "told", "told_knock")

    def __init__(self, follower: Follower, seat: int) -> None:
        self.follower = follower
        self.seat = seat
        self.told = 0  # events of the log
        self.told_knock = False
        self.declared: Declared | None = None

    def catch_up(self, events: list[list[int]]) -> None:
        """Tell of the opponent's turns; the own ones were told when they were played."""
        opponent = 1 - self.seat
        for event in events:
            if event[WHO] == OTHER and event[DRAWN] != PASSED:
                self.follower.drew(opponent, event[DRAWN])
                self.follower.discarded(opponent, event[DISCARD])
        self.told += len(events)


class Following(Lockstep):
    """Tables at which one side or both follow the game."""

    notes_rounds = True

    def __init__(
        self,
        players: tuple[Deciders, Deciders],
        batch: Any,
        rules: Rules,
        seed: int,
        results: Records,
        forfeits: IntArray,
        limit: float | None,
    ) -> None:
        super().__init__(players, batch, rules, seed)
        self.results = results
        self.forfeits = forfeits
        self.limit = limit
        self.sits = [sit_of(player) for player in players]
        self.clocks = [perf_counter if follows(p) or is_foreign(p) else process_time for p in players]
        size = len(batch.tables)
        self.places: list[list[_Place | None]] = [[None, None] for _ in range(size)]
        self.row_of: dict[int, int] = {}
        """Game -> the table where it is played."""
        self.used = np.zeros((size, 2))
        """Seconds used in the game by each side."""

    # Beginning and ending games.

    def begin(self) -> None:
        """Begin the first game at every table."""
        super().begin()
        for row in range(len(self.places)):
            self._seat(row)

    def _seat(self, row: int) -> None:
        """Let followers sit down for the game that has begun at a table, and tell them of the deal."""
        one = slice(row, row + 1)
        tables, first, second, desk = self.batch
        while tables["phase"][row] != IDLE:
            table = tables[row]
            game, seat = int(table["game"]), int(table["seat"])
            self.row_of[game] = row
            self.used[row] = 0
            self.places[row] = [
                _Place(sit(game, side), seat ^ side) if sit else None for side, sit in enumerate(self.sits)
            ]
            lost = self._deal(row)
            if lost is None:
                return
            self._book_forfeit(row, *lost)
            begin(tables[one], first[one], second[one], desk, self.record, self.seed)
        self.places[row] = [None, None]

    def _deal(self, row: int) -> Lost | None:
        """Tell of a deal, seat 0 first; the first that forfeits by it, if any."""
        table = self.batch.tables[row]
        deck, starter = table["deck"].tolist(), int(table["seat"] ^ table["starter"])

        def tell(place: _Place, side: int) -> None:
            place.told, place.told_knock, place.declared = 0, False, None
            cards = deck[HAND_SIZE * place.seat : HAND_SIZE * (place.seat + 1)]
            place.follower.deal(place.seat, starter, cards)

        return self._tell_both(row, tell)

    def _tell_both(self, row: int, tell: Callable[[_Place, int], None]) -> Lost | None:
        """Tell the followers of a table something on their time, seat 0 first; the first that forfeits."""
        places = [(place, side) for side, place in enumerate(self.places[row]) if place]
        for place, side in sorted(places, key=lambda pair: pair[0].seat):
            start = perf_counter()
            try:
                self._allow(row, side)
                tell(place, side)
                self._spend(row, side, perf_counter() - start)
            except Forfeit as lost:
                return side, lost
            finally:
                self.seconds[side] += perf_counter() - start
        return None

    def _allow(self, row: int, side: int) -> None:
        if self.limit is not None:
            place = self.places[row][side]
            assert place
            place.follower.allow(self.limit - self.used[row, side])

    def _spend(self, row: int, side: int, seconds: float) -> None:
        if self.limit is not None:
            self.used[row, side] += seconds
            if self.used[row, side] > self.limit:
                raise Forfeit(TIME, f"used more than {self.limit:g} s")

    def _forfeit(self, row: int, side: int, lost: Forfeit) -> None:
        """End the game at a table, which a side has lost, and begin the next one there."""
        self._book_forfeit(row, side, lost)
        one = slice(row, row + 1)
        tables, first, second, desk = self.batch
        begin(tables[one], first[one], second[one], desk, self.record, self.seed)
        self._seat(row)

    def _book_forfeit(self, row: int, side: int, lost: Forfeit) -> None:
        """Scores stay as they were; the decisions of the round under way count."""
        table = self.batch.tables[row]
        self.results["decisions"][table["row"]] += table["asked"]
        del self.row_of[int(table["game"])]
        self._note_forfeit(int(table["game"]), side, lost)

    def _note_forfeit(self, game: int, side: int, lost: Forfeit) -> None:
        self.forfeits[:, game - self.batch.desk["first"][0]] = side, lost.reason
        name = self.players[side].name
        _DESCRIBED[name] += 1
        if _DESCRIBED[name] <= SHOWN:
            trace = f"\n{lost.trace}" if lost.trace else ""
            more = " (further forfeits are only counted)" if _DESCRIBED[name] == SHOWN else ""
            _LOG.warning("%s forfeits game %d: %s%s%s", name, game, lost.what, more, trace)

    # Asking.

    def answered(self, side: int, phase: int, name: str, rows: IntArray) -> tuple[IntArray, IntArray]:
        """Answers of a side, without the tables at which it has just forfeited the game."""
        if not self.sits[side]:
            return self._asked(side, phase, name, rows)
        answer = {
            DRAW_PHASE: self._draw, DISCARD_PHASE: self._discard, KNOCK_PHASE: self._knock,
            SPREAD_PHASE: self._spread,
        }.get(phase, self._defend)  # fmt: skip
        start, done = perf_counter(), perf_counter()
        view = self.batch[1 + side]
        seen = {key: view[key] for key in ("events", "top", "drawn", "hand", "allowed", "log")}
        kept: list[int] = []
        answers: list[Any] = []
        for row in rows.tolist():
            place = self.places[row][side]
            assert place
            try:
                self._allow(row, side)
                given = answer(place, row, seen)
                if self.limit is not None:
                    before, done = done, perf_counter()
                    self._spend(row, side, done - before)
            except Forfeit as lost:
                self._forfeit(row, side, lost)
                continue
            kept.append(row)
            answers.append(given)
        self.seconds[side] += perf_counter() - start
        dtype = {"draw": np.bool_, "discard": np.int8, "knock": np.bool_, "spread": np.int64}[name]
        given_all: IntArray = np.array(answers, dtype).reshape(answer_shape(name, len(kept)))
        return np.array(kept, np.int64), given_all

    def _asked(self, side: int, phase: int, name: str, rows: IntArray) -> tuple[IntArray, IntArray]:
        """Answers of a side that does not follow; against the clock there is one table."""
        start = self.clocks[side]()
        answers = self.ask(side, phase, name, rows)
        if self.limit is None:
            return rows, answers
        try:
            self._spend(int(rows[0]), side, self.clocks[side]() - start)
        except Forfeit as lost:
            self._forfeit(int(rows[0]), side, lost)
            return rows[:0], answers[:0]
        return rows, answers

    def _draw(self, place: _Place, row: int, seen: dict[str, Any]) -> bool:
        place.catch_up(seen["log"][row, place.told : seen["events"][row]].tolist())
        return place.follower.wants(int(seen["top"][row]))

    def _discard(self, place: _Place, row: int, seen: dict[str, Any]) -> int:
        place.catch_up(seen["log"][row, place.told : seen["events"][row]].tolist())
        follower, seat = place.follower, place.seat
        follower.drew(seat, int(seen["drawn"][row]))
        card = follower.discard()
        if card == NO_CARD or not int(seen["allowed"][row]) >> card & 1:
            raise Forfeit(ILLEGAL_DISCARD, f"it may not discard {_text(card)}")
        place.told += 1  # the turn under way
        follower.discarded(seat, card)
        place.declared = follower.melds()
        if place.declared is not None:
            left = points(_left(int(seen["hand"][row]) & ~(1 << card), place.declared))
            if left > self.rules.knock_limit:
                limit = self.rules.knock_limit
                raise Forfeit(HIGH_KNOCK, f"it knocked with {left} points left, above {limit}")
        return card

    def _knock(self, place: _Place, row: int, seen: dict[str, Any]) -> bool:
        return place.declared is not None

    def _spread(self, place: _Place, row: int, seen: dict[str, Any]) -> list[int]:
        assert place.declared is not None
        return _row(place.declared)

    def _defend(self, place: _Place, row: int, seen: dict[str, Any]) -> list[int]:
        place.catch_up(seen["log"][row, place.told : seen["events"][row]].tolist())
        knocker = (1 - place.seat) ^ int(self.batch.tables["seat"][row])
        place.follower.melded(1 - place.seat, self.declared(row, knocker, self.batch.tables["spread"][row]))
        place.told_knock = True
        melds = place.follower.melds()
        if melds is None:
            raise Forfeit(ILLEGAL_MELDS, "it gave no list of melds against a knock")
        _left(int(seen["hand"][row]), melds)
        place.declared = melds
        return _row(melds)

    def declared(self, row: int, side: int, spread: IntArray) -> Declared:
        """Melds of a side in the order declared; those of a player that gives masks, by card."""
        place = self.places[row][side]
        if place and place.declared is not None:
            return place.declared
        return [cards_of(meld) for meld in spread[side].tolist() if meld]

    # After a round.

    def booked(self, ended: Records) -> None:
        """Tell followers how rounds ended and of the next deal; let them sit down for the next game."""
        for round_ in ended:
            game = int(round_["game"])
            row = self.row_of[game]
            table = self.batch.tables[row]
            goes_on = int(table["game"]) == game and table["phase"] != IDLE
            lost = self._tell_end(row, round_)
            if not goes_on:
                if lost:
                    self._note_forfeit(game, *lost)
                del self.row_of[game]
                self._seat(row)
                continue
            lost = lost or self._deal(row)
            if lost:
                self._forfeit(row, *lost)

    def _tell_end(self, row: int, round_: np.void) -> Lost | None:
        """Tell both sides of the end of a round; the first that forfeits by it, if any."""
        ending = _Ending(self, row, round_)

        def tell(place: _Place, side: int) -> None:
            place.catch_up(round_["log"][side, place.told : round_["events"]].tolist())
            ending.tell(place)

        return self._tell_both(row, tell)


class _Ending:
    """What both sides are told at the end of a round."""

    def __init__(self, game: Following, row: int, round_: np.void) -> None:
        seat = int(round_["seat"])
        self.knocker = NOBODY
        hands = [_hand(round_, seat ^ s, s) for s in (0, 1)]
        self.hands = hands
        gain = int(round_["points"])
        sides = [int(round_["before"][0]) + max(gain, 0), int(round_["before"][1]) + max(-gain, 0)]
        self.scores = (sides[seat], sides[1 - seat])
        self.layoffs: list[tuple[int, list[int]]] = []
        side = int(round_["knocker"])
        if side < 0:
            return
        self.knocker = seat ^ side
        self.melds = [game.declared(row, seat ^ s, round_["spread"]) for s in (0, 1)]
        laid = list(map(_mask, self.melds[self.knocker]))
        gin = sum(laid) == sum(1 << card for card in hands[self.knocker])
        defender = sum(1 << card for card in hands[1 - self.knocker])
        grown = [list(meld) for meld in self.melds[self.knocker]]
        own = list(map(_mask, self.melds[1 - self.knocker]))
        for card, k in defend(defender, own, () if gin else laid).layoffs:
            self.layoffs.append((card, list(grown[k])))
            grown[k].append(card)

    def tell(self, place: _Place) -> None:
        """Tell one side."""
        follower = place.follower
        if self.knocker != NOBODY:
            if not place.told_knock:
                follower.melded(self.knocker, self.melds[self.knocker])
            follower.melded(1 - self.knocker, self.melds[1 - self.knocker])
            for card, meld in self.layoffs:
                follower.laid_off(1 - self.knocker, card, meld)
        for seat in (0, 1):
            follower.shown(seat, self.hands[seat])
        follower.scored(self.scores)


def _hand(round_: np.void, side: int, seat: int) -> list[int]:
    """A hand at the end, in the order in which its cards came."""
    hand: list[int] = round_["deck"][HAND_SIZE * seat : HAND_SIZE * (seat + 1)].tolist()
    for event in round_["log"][side, : round_["events"]].tolist():
        if event[WHO] == SELF and event[DRAWN] != PASSED:
            hand.append(event[DRAWN])
            hand.remove(event[DISCARD])
    return hand


def _mask(meld: list[int]) -> int:
    """The cards of a meld; as in the challenge, a card may be named twice."""
    mask = 0
    for card in meld:
        mask |= 1 << card
    return mask


def _row(melds: Declared) -> list[int]:
    masks = list(map(_mask, melds))
    return masks + [0] * (MAX_MELDS - len(masks))


def _left(hand: int, melds: Declared) -> int:
    """The cards of a hand outside melds; what is not a meld of the hand forfeits the game."""
    for meld in melds:
        mask = _mask(meld) if all(0 <= card < CARDS for card in meld) else 0
        if mask & ~hand or not is_meld(mask):
            raise Forfeit(ILLEGAL_MELDS, f"it may not meld {' '.join(map(_text, meld)) or 'nothing'}")
        hand &= ~mask
    return hand


def _text(card: int) -> str:
    return "something that is no card of the deck" if card == NO_CARD else safe_card_text(card)
