"""The games of all visitors: sessions in memory, their records in the store, computing in lanes.

A change is committed to the store before anybody hears of it. A session that is not in memory, because the
server was started again or many games are played, is made again from its record.
"""

import secrets
import threading
from collections import OrderedDict
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple, TypeVar

from ginrummy import decks
from ginrummy.coach.branch import branch
from ginrummy.coach.walk import Place, check_seat
from ginrummy.errors import BadInput, GinRummyError
from ginrummy.notation import GameRecord, read, replay_game, write
from ginrummy.players.base import Player
from ginrummy.players.registry import make_player
from ginrummy.rules import Rules, parse_rules
from ginrummy.session import PERSON, Session
from ginrummy.store import Kept, Store
from ginrummy.web import advising, models
from ginrummy.web.catalogue import Catalogue
from ginrummy.web.desk import Lane
from ginrummy.web.state import actions_of, state_of

Answer = TypeVar("Answer")
BRANCH_SEED = "BranchSeed"
"""Header of a record that begins with a moment of another game: what its later rounds are dealt from."""
REVIEW_SEAT = "ReviewSeat"
"""Header of an uploaded record: whose decisions are judged."""
MOST_ROUNDS = 200
"""Rounds of an uploaded record."""
IN_MEMORY = 1000
"""Sessions that are kept ready."""
MOST_RULES = 200
"""Characters of a text of rules."""


class NotFound(GinRummyError):
    """There is no such thing for this visitor."""


class Conflict(GinRummyError):
    """The game is in another state than the visitor thinks."""


class Trouble(GinRummyError):
    """The opponent failed. Its error may describe its cards, so nothing of it is told."""


class Live(NamedTuple):
    """A session in memory."""

    visitor: str
    session: Session
    moves: int


class House:
    """What the page and the API ask. Methods that compute return futures."""

    def __init__(self, store: Store, catalogue: Catalogue) -> None:
        self.store = store
        self.catalogue = catalogue
        self.quick = Lane("quick", 8)
        """Moves against players that answer in milliseconds; most of these threads wait for the disk."""
        self.slow = Lane("slow", 1)
        """Moves against players that search."""
        self.thinking = Lane("thinking", 1)
        """Advice."""
        self.reviewing = Lane("reviewing", 1)
        """Reviews, which take some seconds each."""
        self._sessions: OrderedDict[str, Live] = OrderedDict()
        self._locks: dict[str, tuple[threading.Lock, int]] = {}
        self._guard = threading.Lock()

    def close(self) -> None:
        """End all work."""
        for lane in self.lanes:
            lane.close()
        self.store.close()

    @property
    def lanes(self) -> tuple[Lane, ...]:
        """All queues."""
        return self.quick, self.slow, self.thinking, self.reviewing

    # Games.

    def begin(self, visitor: str, asked: models.NewGame) -> "Future[models.State]":
        """Deal a new game."""
        name = asked.opponent or self.catalogue.fitting(self.store.games(visitor))
        self.catalogue.check(name)
        rules = _rules(asked.rules)
        seed = secrets.randbelow(decks.MAX_SEED)
        starter = decks.starter(seed, 0)
        deals = {"me": True, "opponent": False, "chance": secrets.randbelow(2) == 1}[asked.deals]

        def work() -> models.State:
            return self._add(visitor, new_session(name, rules, seed, 1 - starter if deals else starter))

        return self._lane(name).submit(visitor, work)

    def branch(self, visitor: str, game: str, asked: models.Branch) -> "Future[models.State]":
        """A new game that goes on from a moment of a finished one, with its hidden cards or others."""
        record = self.finished_record(visitor, game)
        self.catalogue.check(asked.opponent)
        place, seed = Place(asked.round, asked.action), secrets.randbelow(decks.MAX_SEED)

        def work() -> models.State:
            opponent = _player(asked.opponent)
            made = branch(record, place, opponent, seat=asked.seat, hidden=asked.hidden, seed=seed)
            return self._add(visitor, made, "branch")

        return self._lane(asked.opponent).submit(visitor, work)

    def _add(self, visitor: str, session: Session, kind: str = "played") -> models.State:
        game = secrets.token_urlsafe(16)
        name = session.opponent.name
        self.store.add(visitor, game, name, record_text(session), kind, session.over)
        self._keep(game, Live(visitor, session, 0))
        return state_of(session, game, 0, self.catalogue.title(name))

    def state(self, visitor: str, game: str) -> "Future[models.State]":
        """What the visitor sees of a game."""
        opponent = self._opponent(visitor, game)

        def work() -> models.State:
            with self._locked(game):
                live = self._stored(visitor, game)
                return state_of(live.session, game, live.moves, self.catalogue.title(opponent))

        return self._lane(opponent).submit(visitor, work)

    def act(self, visitor: str, game: str, move: models.Move) -> "Future[models.State]":
        """Play the visitor's action and the opponent's answer. Both are stored before the future ends."""
        opponent = self._opponent(visitor, game)

        def work() -> models.State:
            with self._locked(game):
                return self._act(visitor, game, move)

        return self._lane(opponent).submit(visitor, work)

    def _act(self, visitor: str, game: str, move: models.Move) -> models.State:
        _, session, moves = self._in_memory(visitor, game) or self._stored(visitor, game)
        if move.moves != moves:
            self._forget(game)
            raise Conflict(f"the game has {moves} moves, the action was made after {move.moves}: reload it")
        if session.over:
            raise BadInput("the game is over")
        if move.action == "deal" and not session.round_over:
            raise BadInput("the round is not over: there is nothing to deal")
        if move.action != "deal" and session.round_over:
            raise BadInput("the round is over: deal the next one")
        actions = [] if move.action == "deal" else actions_of(session, move)
        objection = session.objection(*actions)
        if objection:
            raise BadInput(f"that is against the rules: {objection}")
        with self._dropping(game):
            if move.action == "deal":
                session.deal()
            for action in actions:
                session.act(action)
        record = record_text(session)
        won = session.result.won if session.result else None
        if not self.store.advance(visitor, game, moves, record, finished=session.over, won=won):
            self._forget(game)
            raise Conflict("the game was changed elsewhere: reload it")
        self._keep(game, Live(visitor, session, moves + 1))
        return state_of(session, game, moves + 1, self.catalogue.title(session.opponent.name))

    def advice(self, visitor: str, game: str, estimator: str) -> "Future[models.Advice]":
        """The coach's advice about the decision that the visitor faces, from the visitor's sight alone."""
        advising.check_estimator(estimator)
        with self._locked(game):
            session = self._stored(visitor, game).session
            if session.round_over:
                raise BadInput("the round is over: there is nothing to decide")
            seen, rules = session.sight, session.rules
        return self.thinking.submit(visitor, lambda: advising.advise(seen, rules, estimator))

    def advise_position(self, visitor: str, asked: models.Position) -> "Future[models.Advice]":
        """The coach's advice about a position that the visitor made up."""
        return self.thinking.submit(visitor, lambda: advising.advise_position(asked))

    def kept(self, visitor: str, game: str) -> Kept:
        """A stored game of this visitor."""
        found = self.store.find(visitor, game) if len(game) == 22 else None
        if found is None:
            raise NotFound("you have no game with this id")
        return found

    def upload(self, visitor: str, asked: models.Upload) -> str:
        """Keep a record that was played elsewhere; its id."""
        record = uploaded(asked.record, asked.seat)
        game = secrets.token_urlsafe(16)
        opponent = record.players[1 - asked.seat]
        self.store.add(visitor, game, opponent[:200], write(record), "uploaded", True)
        return game

    def finished_record(self, visitor: str, game: str) -> GameRecord:
        """The complete record of a finished game; nobody gets that of a game under way."""
        kept = self.kept(visitor, game)
        if not kept.finished:
            raise BadInput("the record of a game shows all cards: it can be had when the game is over")
        return read(kept.record)

    def finished_text(self, visitor: str, game: str) -> str:
        """The same as text, for a download."""
        self.finished_record(visitor, game)
        return self.kept(visitor, game).record

    def games(self, visitor: str) -> list[models.Listed]:
        """The visitor's games, the latest first."""
        return [listed(kept, self.catalogue.title(kept.opponent)) for kept in self.store.games(visitor)]

    def remove(self, visitor: str, game: str) -> None:
        """Forget a game."""
        if not self.store.remove(visitor, game):
            raise NotFound("you have no game with this id")
        self._forget(game)

    def waiting(self, visitor: str) -> models.Waiting:
        """What the page says while it waits."""
        return models.Waiting(
            ahead=max(lane.ahead(visitor) for lane in (self.quick, self.slow)),
            busy=any(lane.busy(visitor) for lane in self.lanes),
        )

    # Sessions in memory.

    def _lane(self, opponent: str) -> Lane:
        return self.slow if "level=" in opponent else self.quick

    def _opponent(self, visitor: str, game: str) -> str:
        live = self._in_memory(visitor, game)
        return live.session.opponent.name if live else self.kept(visitor, game).opponent

    def _in_memory(self, visitor: str, game: str) -> "Live | None":
        """A session of this visitor that is ready. The store refuses a move if it is not the latest state."""
        with self._guard:
            found = self._sessions.get(game)
        return found if found is not None and found.visitor == visitor else None

    def _stored(self, visitor: str, game: str) -> "Live":
        """A session in the state that the store has."""
        kept = self.kept(visitor, game)
        if kept.kind == "uploaded":
            raise BadInput("an uploaded game cannot be played: review it, or branch from it")
        found = self._in_memory(visitor, game)
        if found is not None and found.moves == kept.moves:
            return found
        live = Live(visitor, resumed(read(kept.record), _player(kept.opponent)), kept.moves)
        self._keep(game, live)
        return live

    def _keep(self, game: str, live: "Live") -> None:
        with self._guard:
            self._sessions[game] = live
            self._sessions.move_to_end(game)
            while len(self._sessions) > IN_MEMORY:
                self._sessions.popitem(last=False)

    def _forget(self, game: str) -> None:
        with self._guard:
            self._sessions.pop(game, None)

    @contextmanager
    def _dropping(self, game: str):  # type: ignore[no-untyped-def]
        """Drop a session that failed in the middle of a move: the store still has the state before it."""
        try:
            yield
        except BaseException as error:
            self._forget(game)
            raise Trouble(
                f"the opponent failed with {type(error).__name__}: the game is as it was before your move"
            ) from None

    @contextmanager
    def _locked(self, game: str):  # type: ignore[no-untyped-def]
        """One change of a game at a time."""
        with self._guard:
            lock, users = self._locks.get(game, (threading.Lock(), 0))
            self._locks[game] = lock, users + 1
        try:
            with lock:
                yield
        finally:
            with self._guard:
                lock, users = self._locks[game]
                if users == 1:
                    del self._locks[game]
                else:
                    self._locks[game] = lock, users - 1


def new_session(opponent: str, rules: Rules, seed: int, person_seat: int) -> Session:
    """A game against a player by name."""
    return Session(_player(opponent), rules, seed, person_seat=person_seat)


def record_text(session: Session) -> str:
    """The complete record of a session. A branch is not a game of its seed, so a header keeps the seed."""
    record = session.record()
    if record.seed is None:
        record = replace(record, headers=((BRANCH_SEED, str(session.seed)),))
    return write(record)


def resumed(record: GameRecord, opponent: Player) -> Session:
    """The session that a record was written from."""
    if record.seed is not None:
        return Session.resume(record, opponent)
    last = len(record.rounds) - 1
    end = Place(last, len(replay_game(record).dealt[last].round.actions))
    return branch(record, end, opponent, hidden="kept", seed=int(dict(record.headers)[BRANCH_SEED]))


def uploaded(text: str, seat: int) -> GameRecord:
    """An uploaded record, checked by replay; a header says whose decisions are judged."""
    try:
        record = read(text)
        replay_game(record)
        check_seat(record, seat)
    except (ValueError, OverflowError) as error:
        raise BadInput(f"cannot use the record: {error}") from None
    if len(record.rounds) > MOST_ROUNDS:
        raise BadInput(f"expected a game of at most {MOST_ROUNDS} rounds, got {len(record.rounds)}")
    headers = tuple(pair for pair in record.headers if pair[0] != REVIEW_SEAT)
    return replace(record, headers=(*headers, (REVIEW_SEAT, str(seat))))


@lru_cache(maxsize=64)
def _player(name: str) -> Player:
    return make_player(name)


def _rules(text: str) -> Rules:
    if len(text) > MOST_RULES:
        raise BadInput(f"expected at most {MOST_RULES} characters of rules, got {len(text)}")
    rules = parse_rules(text)
    if rules.target > 1000 or rules.max_rounds > 1000:
        raise BadInput("expected a target of at most 1000 points and at most 1000 rounds")
    return rules


def seat_of(record: GameRecord) -> int:
    """Whose game it is: the person's, or that of the seat that an upload names."""
    named = dict(record.headers).get(REVIEW_SEAT, "")
    if named in ("0", "1"):
        return int(named)
    return record.players.index(PERSON) if PERSON in record.players else 0


def listed(kept: Kept, title: str) -> models.Listed:
    """A game as the visitor's list shows it; the score is read from the record's last finished round."""
    record = read(kept.record)
    seat = seat_of(record)
    ended = [entry.ending.scores for entry in record.rounds if entry.ending]
    scores = ended[-1] if ended else (0, 0)
    return models.Listed(
        id=kept.id,
        opponent=kept.opponent,
        opponent_title=title,
        kind=kept.kind,
        finished=kept.finished,
        won=kept.won,
        scores=(scores[seat], scores[1 - seat]),
        created=kept.created,
        changed=kept.changed,
    )
