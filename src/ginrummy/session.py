"""One person's game against a player: no input, no output, nothing that the person may not see.

    session = Session(simple(), EAAI, seed=7)
    while not session.over:
        if session.round_over:
            session.deal()
        else:
            session.act(choice(session.sight, session.legal_actions()))

Decks and the opponent's uniform numbers are those of the simulator for the same seed and game, so a person
who answers like a player gets exactly that player's game. ``act`` and ``deal`` return what happened until the
person must act again. Neither these happenings nor ``sight`` contain a hidden card of the round under way.
``record`` is complete: it is for saving.
"""

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ginrummy import decks
from ginrummy.answers import checked_answers
from ginrummy.errors import BadInput, IllegalAction
from ginrummy.game import Game
from ginrummy.melds import deadwood
from ginrummy.notation import GameRecord, Showing, record_of, replay_game, round_record
from ginrummy.players.base import Player, under
from ginrummy.round import (
    Action,
    Defend,
    Discard,
    Draw,
    Knock,
    Melds,
    Pass,
    Phase,
    PlayOn,
    Round,
    Take,
    action_text,
)
from ginrummy.rules import HAND_SIZE, Rules
from ginrummy.sim import check_games
from ginrummy.view import HIDDEN, NORMAL, Sight, from_sights

PERSON = "person"
"""The person's name in records."""

Pair = tuple[int, int]
"""Two numbers: the person's, then the opponent's."""


@dataclass(frozen=True, slots=True)
class NewDeal:
    """A round begins."""

    number: int
    """From 1."""
    starts: bool
    """Whether the person starts."""
    upcard: int


@dataclass(frozen=True, slots=True)
class Passed:
    """The upcard was passed."""

    mine: bool


@dataclass(frozen=True, slots=True)
class Took:
    """The upcard was taken."""

    mine: bool
    card: int


@dataclass(frozen=True, slots=True)
class Drew:
    """A card was drawn from the stock."""

    mine: bool
    card: int
    """``HIDDEN`` when the opponent drew it."""


@dataclass(frozen=True, slots=True)
class Reached:
    """An attempt to take the upcard that ended the round instead (``Rules.max_takes``)."""

    mine: bool
    card: int


@dataclass(frozen=True, slots=True)
class Discarded:
    """A card was laid on the pile."""

    mine: bool
    card: int


@dataclass(frozen=True, slots=True)
class Knocked:
    """A hand was laid down."""

    mine: bool
    shown: Showing


class Row(NamedTuple):
    """One line of the score sheet."""

    number: int
    """Of the round, from 1."""
    outcome: int
    """One of ``scoring.OUTCOMES``."""
    mine: bool | None
    """Whether the person scored; None when nobody did."""
    points: int
    scores: Pair
    """After the round."""
    capped: bool
    """Whether the round was dead because it reached the cap on turns."""


@dataclass(frozen=True, slots=True)
class RoundOver:
    """A round has ended. After a knock both hands are open; in a dead round nobody shows a hand."""

    row: Row
    knocked: bool | None
    """Whether the person knocked; None in a dead round."""
    knock: Showing | None
    """The knocker's hand."""
    defence: Showing | None
    """The other hand."""


class GameResult(NamedTuple):
    """How a game ended."""

    won: bool | None
    """Whether the person won; None for a draw."""
    scores: Pair
    totals: Pair
    """The scores with the bonuses of the rules."""


@dataclass(frozen=True, slots=True)
class GameOver:
    """The game has ended."""

    result: GameResult


Happening = NewDeal | Passed | Took | Drew | Reached | Discarded | Knocked | RoundOver | GameOver


class Outlook(NamedTuple):
    """What a discard would leave."""

    left: int
    """Least deadwood."""
    knocks: tuple[Melds, ...]
    """The best meld sets to knock with; none when the person may not knock."""
    may_play_on: bool


class Beginning(NamedTuple):
    """How a game begins that does not begin with the first deck of its seed: a branch of a recorded game."""

    decks: tuple[tuple[int, ...], ...]
    """The decks of its first rounds; those of later rounds come from the seed."""
    starter: int
    """The seat that starts the first of them."""
    scores: Pair = (0, 0)
    """By seat, before the first of them."""
    won: Pair = (0, 0)
    """Rounds won by each seat before."""
    rounds: int = 0
    """Rounds played before."""


class Session:
    """A game under way. ``played`` has the actions of a game to continue: one list for each round.

    ``begins`` says how a game begins that is not that of its seed from the first deck on; its record names no
    seed.
    """

    def __init__(
        self,
        opponent: Player,
        rules: Rules,
        seed: int,
        *,
        person_seat: int = 0,
        game: int = 0,
        played: Sequence[Sequence[Action]] = (),
        begins: Beginning | None = None,
    ) -> None:
        check_games(range(game, game + 1), seed)
        if opponent.sit:
            raise BadInput(
                "a Java player follows whole games of other programs: a person cannot play against it"
            )
        if person_seat not in (0, 1):
            raise BadInput(f"expected the person in seat 0 or 1, got {person_seat!r}")
        self.opponent = opponent.fresh() if opponent.fresh else under(opponent, rules)
        self.rules = rules
        self.seed = seed
        self.number = game
        """The game's number under its seed: it determines decks and uniform numbers, as in the simulator."""
        self.person_seat = person_seat
        self.happenings: list[Happening] = []
        """Everything from the first deal on."""
        self.sheet: list[Row] = []
        """The score sheet: one row for each finished round."""
        self.result: GameResult | None = None
        self._begins = begins or Beginning((), decks.starter(seed, game))
        _, starter, scores, won, rounds = self._begins
        self._game = Game(rules, starter, scores=scores, won=won, rounds=rounds)
        self._table = self._deal()
        for place, actions in enumerate(played):
            if place:
                self._table = self._deal()
            for action in actions:
                self._apply(action)
        self._go_on()

    @classmethod
    def resume(cls, record: GameRecord, opponent: Player) -> "Session":
        """Continue a game from its complete record. The person's seat is the one named ``PERSON``."""
        if record.seed is None or record.game is None or record.players.count(PERSON) != 1:
            raise BadInput(f"expected a record with a seed, a game number and a seat named {PERSON!r}")
        dealt = replay_game(record).dealt
        starter = decks.starter(record.seed, record.game)
        for place, entry in enumerate(dealt):
            deck = decks.deck(record.seed, record.game, place)
            if _dealt(entry.round.deck) != _dealt(deck) or dealt[0].round.starter != starter:
                raise BadInput(f"expected the deal of seed {record.seed} in round {place + 1}, got another")
        return cls(
            opponent,
            record.rules,
            record.seed,
            person_seat=record.players.index(PERSON),
            game=record.game,
            played=[[action for _, action in entry.round.actions] for entry in dealt],
        )

    # What the person sees.

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.result is not None

    @property
    def round_over(self) -> bool:
        """Whether the round has ended; ``deal`` begins the next one."""
        return self._table.over

    @property
    def scores(self) -> Pair:
        """The score as it stands."""
        return self._mine_first(self._game.scores)

    @property
    def sight(self) -> Sight:
        """What the person sees of the round under way, or of the one just finished."""
        return self._sight(self.person_seat)

    def legal_actions(self) -> list[Action]:
        """What the person may do. Only the best meld sets are listed; others may be declared too."""
        return self._table.legal_actions()  # the person is the mover whenever a session waits

    def record(self) -> GameRecord:
        """The complete record, hidden cards included: for saving, not for showing."""
        names = (PERSON, self.opponent.name) if self.person_seat == 0 else (self.opponent.name, PERSON)
        if self._begins.decks:  # not the decks of the seed
            return record_of(self._game, names)
        return record_of(self._game, names, self.seed, self.number)

    # What would follow.

    def objection(self, *actions: Action) -> str:
        """Why these actions, applied in order, break the rules; empty when they do not."""
        table = deepcopy(self._table)
        try:
            for action in actions:
                table.apply(action)
        except IllegalAction as error:
            return str(error).partition(": ")[2]
        return ""

    def after_discard(self, card: int) -> Outlook:
        """What a legal discard would leave, and whether the person could then knock."""
        table = deepcopy(self._table)
        table.apply(Discard(card))
        left = int(deadwood(table.hands[self.person_seat]))
        if table.phase is not Phase.KNOCK:
            return Outlook(left, (), True)
        actions = table.legal_actions()
        return Outlook(left, tuple(a.melds for a in actions if isinstance(a, Knock)), PlayOn() in actions)

    def after_defence(self, melds: Melds) -> Showing:
        """What the person's hand would look like after a defence with these melds: layoffs and cards left."""
        table = deepcopy(self._table)
        table.apply(Defend(melds))
        shown = round_record(table).defence
        assert shown  # a defence was just applied
        return shown

    # What happens.

    def act(self, action: Action) -> list[Happening]:
        """Play the person's action, then the opponent's, until the person must act or the round is over."""
        known = len(self.happenings)
        self._apply(action)
        self._go_on()
        return self.happenings[known:]

    def deal(self) -> list[Happening]:
        """Begin the next round, and let the opponent move if it starts."""
        if not self.round_over:
            raise IllegalAction("expected the round to be played out first, got a deal")
        known = len(self.happenings)
        self._table = self._deal()
        self._go_on()
        return self.happenings[known:]

    def _deal(self) -> Round:
        place = len(self._game.dealt)
        given = self._begins.decks[place : place + 1]
        deck = given[0] if given else decks.deck(self.seed, self.number, self._game.rounds)
        table = self._game.deal(deck)
        starts = table.starter == self.person_seat
        self.happenings.append(NewDeal(self._game.rounds + 1, starts, table.upcard))
        return table

    def _go_on(self) -> None:
        """Let the opponent move, and make the forced draw after two passes, until the person must act."""
        while not self._table.over:
            if self._forced():
                self._apply(Draw())
            elif self._table.mover != self.person_seat:
                self._move_opponent()
            else:
                return

    def _forced(self) -> bool:
        table = self._table
        return table.phase is Phase.DRAW and table.offer == NORMAL and table.turns == 0

    def _apply(self, action: Action) -> None:
        table = self._table
        mine, upcard = table.mover == self.person_seat, table.top
        table.apply(action)
        match action:
            case Pass():
                self.happenings.append(Passed(mine))
            case Take():
                self.happenings.append((Reached if table.over else Took)(mine, upcard))
            case Draw():
                self.happenings.append(Drew(mine, table.drawn[self.person_seat] if mine else HIDDEN))
            case Discard(card):
                self.happenings.append(Discarded(mine, card))
            case Knock():
                shown = round_record(table).turns[-1].knock
                assert shown  # a knock was just applied
                self.happenings.append(Knocked(mine, shown))
        if table.over:
            self._book()

    def _book(self) -> None:
        result = self._game.book(self._table)
        mine = None if result.winner is None else result.winner == self.person_seat
        row = Row(self._game.rounds, result.outcome, mine, result.points, self.scores, result.capped)
        self.sheet.append(row)
        record = round_record(self._table)
        knock = record.turns[-1].knock
        knocked = None if result.knocker is None else result.knocker == self.person_seat
        self.happenings.append(RoundOver(row, knocked, knock, record.defence))
        if self._game.over:
            winner = self._game.winner
            won = None if winner is None else winner == self.person_seat
            self.result = GameResult(won, self.scores, self._mine_first(self._game.totals))
            self.happenings.append(GameOver(self.result))

    def _mine_first(self, by_seat: Pair) -> Pair:
        return by_seat if self.person_seat == 0 else (by_seat[1], by_seat[0])

    def _sight(self, seat: int) -> Sight:
        return self._game.sight(seat)

    # The opponent.

    def _move_opponent(self) -> None:
        """Ask the opponent as the simulator would, with the same uniform numbers."""
        table = self._table
        seat = table.mover
        asked = _decisions(table, seat)

        def chance(question: int) -> float:
            return decks.uniform(self.seed, self.number, self._game.rounds, seat, asked + question)

        action = choose(self.opponent, table, self._sight(seat), chance)
        try:
            self._apply(action)
        except IllegalAction as error:
            raise IllegalAction(
                f"player {self.opponent.name!r} (seat {seat}, game {self.number}, round {self._game.rounds}) "
                f"answered {action_text(action)}: {error}; it saw {self._sight(seat)}"
            ) from None


def choose(player: Player, table: Round, seen: Sight, chance: Callable[[int], float]) -> Action:
    """What a player does at a table where it is to move, from what it sees.

    ``chance`` gives the uniform number of its first question from now on, of its second one, and so on.
    """
    view, rows = from_sights([seen]), np.zeros(1, np.int64)

    def ask(name: str, question: int = 0) -> np.generic:
        """One answer, in the simulator's form."""
        given = getattr(player, name)(view, rows, np.array([chance(question)]))
        answer: np.generic = checked_answers(player.name, name, given, 1)[0]
        return answer

    def melds(question: int) -> Melds:
        return tuple(meld for meld in np.asarray(ask("spread", question)).tolist() if meld)

    match table.phase:
        case Phase.DRAW:
            leave = Draw() if table.offer == NORMAL else Pass()
            return Take() if ask("draw") else leave
        case Phase.DISCARD:
            return Discard(int(ask("discard")))
        case Phase.DEFEND:
            return Defend(melds(0))
    asks = PlayOn() in table.legal_actions()
    if asks and not ask("knock"):
        return PlayOn()
    return Knock(melds(int(asks)))


def _dealt(deck: Sequence[int]) -> list[set[int]]:
    """The parts of a deck that matter: the cards of each hand, the upcard, the stock in order."""
    hands = [set(deck[:HAND_SIZE]), set(deck[HAND_SIZE : 2 * HAND_SIZE])]
    return [*hands, *({card} for card in deck[2 * HAND_SIZE :])]


def _decisions(table: Round, seat: int) -> int:
    """Questions that a seat has answered in a round, as the simulator counts them.

    The forced draw after two passes does not count. A knock counts once here and twice in the simulator,
    which makes no difference: the knocker is asked nothing after it.
    """
    forced = 2 if [action for _, action in table.actions[:2]] == [Pass(), Pass()] else None
    return sum(who == seat and place != forced for place, (who, _) in enumerate(table.actions))
