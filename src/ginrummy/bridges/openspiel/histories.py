"""OpenSpiel's histories of ``gin_rummy``: lists of action numbers, one list for each round.

``Reading`` follows a history action by action and checks it against the rules ``openspiel``; ``read`` makes
a record of it, ``write`` makes the history of any round that OpenSpiel's rules allow. Its player 0 always
starts, so a seat of ours is a player of its, or the other one where seat 1 starts.

Differences that no translation can remove:

- The order in which the cards of a hand were dealt is not kept; ``write`` deals them in order.
- A defender there may lay off less than possible. The record then holds what was played and what it was
  worth; ``notation.replay`` refuses it, because our rules choose the best defence. A defence that is worth
  as much as the best one is recorded as the best one.
- There the deadwood of eleven cards is sometimes too high, and a knock is not offered that the rules allow.
  ``write`` writes such a knock; the library refuses it.
"""

from collections.abc import Sequence
from dataclasses import replace
from enum import Enum

from ginrummy.bridges.openspiel.codes import (
    DRAW,
    FIRST_MELD,
    KNOCK,
    MELDS,
    OURS,
    PASS,
    TAKE,
    THEIRS,
    meld_actions,
)
from ginrummy.cards import CARDS, NO_CARD, Mask, card_text, cards_of, mask_of
from ginrummy.errors import IllegalAction, ParseError
from ginrummy.game import Game
from ginrummy.melds import extensions, points
from ginrummy.notation import Ending, GameRecord, RoundRecord, Showing, record_of, round_record
from ginrummy.round import Discard, Draw, Knock, Pass, Phase, PlayOn, Round, Take
from ginrummy.rules import HAND_SIZE, OPENSPIEL
from ginrummy.scoring import DEAD, score
from ginrummy.view import NORMAL, WALL_OFFER

DEALT = 2 * HAND_SIZE + 1
_STOCK = CARDS - DEALT


class Step(Enum):
    """What a history waits for."""

    DEAL = "a card to deal"
    DRAW = "a draw"
    STOCK = "the card drawn from the stock"
    DISCARD = "a discard or a knock"
    KNOCK = "the discard of a knock"
    MELDS = "the knocker's melds"
    LAYOFFS = "layoffs"
    DEFENCE = "the defender's melds"
    OVER = "nothing more"


class Reading:
    """A history, followed action by action."""

    def __init__(self) -> None:
        self.step = Step.DEAL
        self.table: Round | None = None
        """The round so far; cards of the stock that were not drawn are unknown."""
        self.melds: list[Mask] = []
        """The knocker's, so far."""
        self.defence: list[Mask] = []
        """The defender's, so far."""
        self.layoffs: list[tuple[int, int]] = []
        """(card, place of the knocker's meld), so far."""
        self._dealt: list[int] = []
        self._drawn: list[int] = []

    @classmethod
    def of(cls, history: Sequence[int]) -> "Reading":
        """Follow a whole history; ``ParseError`` names the first action that does not fit."""
        reading = cls()
        for place, action in enumerate(history):
            try:
                reading.apply(action)
            except IllegalAction as error:
                raise ParseError(f"action {place + 1} of the history, {action}: {error}") from None
        return reading

    @property
    def player(self) -> int:
        """The player that is to move; -1 for chance and at the end."""
        if self.table is None or self.step in (Step.DEAL, Step.STOCK, Step.OVER):
            return -1
        return self.table.mover

    @property
    def hand(self) -> Mask:
        """What the mover holds that is neither laid down nor laid off."""
        assert self.table
        laid = self.melds if self.step is Step.MELDS else self.defence
        gone = mask_of(card for card, _ in self.layoffs)
        return Mask(self.table.hands[self.player] & ~sum(laid) & ~gone)

    def apply(self, action: int) -> None:
        """Go on by one action; ``IllegalAction`` if it does not fit."""
        match self.step:
            case Step.DEAL:
                self._deal(action)
            case Step.STOCK:
                self._draw(action)
            case Step.DRAW:
                self._answer_draw(action)
            case Step.DISCARD | Step.KNOCK:
                self._discard(action)
            case Step.MELDS | Step.DEFENCE:
                self._lay_down(action)
            case Step.LAYOFFS:
                self._lay_off(action)
            case Step.OVER:
                raise IllegalAction("expected nothing more")

    def _deal(self, action: int) -> None:
        self._dealt.append(self._unseen(action))
        if len(self._dealt) == DEALT:
            self.table = Round.deal([*self._dealt, *[NO_CARD] * _STOCK], 0, OPENSPIEL)
            self.step = Step.DRAW

    def _unseen(self, action: int) -> int:
        if not 0 <= action < CARDS or OURS[action] in (*self._dealt, *self._drawn):
            raise IllegalAction("expected a card that has not been dealt")
        return OURS[action]

    def _answer_draw(self, action: int) -> None:
        table = self._round()
        if action == PASS and table.over:  # at the wall, where no knock was possible
            self.step = Step.OVER
        elif action == PASS:
            table.apply(Pass())
            self.step = Step.OVER if table.over else Step.DRAW
        elif action == (KNOCK if table.offer == WALL_OFFER else TAKE):
            table.apply(Take())
            at_wall = table.offer == WALL_OFFER
            self.step = Step.OVER if table.over else Step.KNOCK if at_wall else Step.DISCARD
        elif action == DRAW and table.offer == NORMAL and not table.over:
            self.step = Step.STOCK
        else:
            raise IllegalAction(f"expected {self.step.value}")

    def _draw(self, action: int) -> None:
        card = self._unseen(action)
        table = self._round()
        deck = list(table.deck)
        deck[DEALT + len(self._drawn)] = card
        self._drawn.append(card)
        table.deck = tuple(deck)
        table.stock[0] = card
        table.apply(Draw())
        self.step = Step.DISCARD

    def _discard(self, action: int) -> None:
        table = self._round()
        if action == KNOCK and self.step is Step.DISCARD:
            self.step = Step.KNOCK
            return
        if not 0 <= action < CARDS:
            raise IllegalAction(f"expected {self.step.value}")
        before = table.copy()
        table.apply(Discard(OURS[action]))
        if self.step is Step.KNOCK:
            if table.phase is not Phase.KNOCK:
                self.table = before
                raise IllegalAction("expected a discard that leaves a hand to knock with")
            self.step = Step.MELDS
            return
        if table.phase is Phase.KNOCK:
            table.apply(PlayOn())
        at_wall = table.over and len(table.stock) == OPENSPIEL.wall and not table.thrown_back_twice
        self.step = Step.OVER if table.over and not at_wall else Step.DRAW

    def _lay_down(self, action: int) -> None:
        laid = self.melds if self.step is Step.MELDS else self.defence
        if action == PASS:
            self._end_melds()
            return
        meld = MELDS[action - FIRST_MELD] if 0 <= action - FIRST_MELD < len(MELDS) else 0
        if not meld or meld & ~self.hand:
            raise IllegalAction(f"expected {self.step.value}")
        laid.append(Mask(meld))

    def _end_melds(self) -> None:
        table = self._round()
        if self.step is Step.DEFENCE:
            self.step = Step.OVER
            return
        left = points(self.hand)
        if left > table.limit:
            raise IllegalAction(f"expected to knock with at most {table.limit} points left, got {left}")
        table.mover = 1 - table.mover  # the defender's layoffs and melds are followed here, not by the rules
        self.step = Step.LAYOFFS if left else Step.DEFENCE

    def _lay_off(self, action: int) -> None:
        if action == PASS:
            self.step = Step.DEFENCE
            return
        card = OURS[action] if 0 <= action < CARDS else NO_CARD
        place = self._place(card)
        if place is None or not self.hand >> card & 1:
            raise IllegalAction(f"expected {self.step.value}")
        self.layoffs.append((card, place))

    def _place(self, card: int) -> int | None:
        """The knocker's meld that a card can be laid off on."""
        for place, meld in enumerate(self.melds):
            grown = meld | mask_of(laid for laid, where in self.layoffs if where == place)
            if card != NO_CARD and extensions(grown) >> card & 1:
                return place
        return None

    def _round(self) -> Round:
        assert self.table
        return self.table


def read(history: Sequence[int]) -> RoundRecord:
    """The record of a history, finished or not."""
    reading = Reading.of(history)
    table = reading.table
    if table is None:
        raise ParseError(f"expected {DEALT} dealt cards, got {len(history)}")
    if reading.step in (Step.STOCK, Step.KNOCK, Step.MELDS, Step.LAYOFFS, Step.DEFENCE):
        raise ParseError(f"the history ends in the middle of a turn: expected {reading.step.value}")
    if table.phase is not Phase.KNOCK:
        return round_record(table)
    knocker, defender = 1 - table.mover, table.mover
    played = _showing(reading, table.hands[defender])
    table.mover = knocker
    table.apply(Knock(tuple(reading.melds)))
    record = round_record(table)
    assert table.result and table.result.deadwoods
    left = points(played.loose)
    if left == table.result.deadwoods[defender]:
        return record
    own = points(table.hands[knocker] & ~sum(reading.melds))
    outcome, worth = score(OPENSPIEL, own, left, False)
    winner = knocker if worth > 0 else defender if worth < 0 else None
    gains = (abs(worth), 0) if winner == 0 else (0, abs(worth)) if winner == 1 else (0, 0)
    return replace(record, defence=played, ending=Ending(int(outcome), winner, abs(int(worth)), gains))


def _showing(reading: Reading, hand: int) -> Showing:
    laid = mask_of(card for card, _ in reading.layoffs)
    loose = Mask(hand & ~sum(reading.defence) & ~laid)
    return Showing(tuple(reading.defence), loose, tuple(reading.layoffs))


def game_record(history: Sequence[int]) -> GameRecord:
    """The record of a game of one round, as OpenSpiel plays it."""
    record = read(history)
    empty = record_of(Game(OPENSPIEL, 0))
    if record.ending is None:
        return replace(empty, rounds=(record,))
    scores = record.ending.scores
    winner = None if scores[0] == scores[1] else int(scores[1] > scores[0])
    return replace(empty, rounds=(record,), finished=True, winner=winner, totals=scores)


def write(record: RoundRecord) -> list[int]:
    """The history of a round, checked action by action; ``IllegalAction`` where its rules forbid one."""
    if record.one_sided:
        raise IllegalAction("expected a record that knows every card dealt and drawn")
    actions = write_actions(record)
    reading = Reading()
    for place, action in enumerate(actions):
        try:
            reading.apply(action)
        except IllegalAction as error:
            raise IllegalAction(f"action {place + 1} of the history, {_text(action)}: {error}") from None
    if record.ending and reading.step is Step.DRAW and record.ending.outcome == DEAD:
        reading.apply(PASS)  # at the wall OpenSpiel asks once more
        actions.append(PASS)
    if bool(record.ending) != (reading.step is Step.OVER):
        wanted = "a finished round" if reading.step is Step.OVER else reading.step.value
        raise IllegalAction(f"expected {wanted} by the rules of OpenSpiel, got the end of the round")
    return actions


def write_actions(record: RoundRecord) -> list[int]:
    """The actions of a record, without a check."""
    hands = [cards_of(hand) for hand in record.hands]
    first = record.starter
    dealt = [*hands[first], *hands[1 - first], record.upcard]
    actions = [THEIRS[card] for card in dealt]
    stock = _STOCK
    for turn in record.turns:
        at_wall = stock == OPENSPIEL.wall
        if turn.kind == "passes":
            actions.append(PASS)
            continue
        if turn.kind == "draws":
            actions += [DRAW, THEIRS[record.stock[_STOCK - stock] if turn.card == NO_CARD else turn.card]]
            stock -= 1
        else:
            actions.append(KNOCK if at_wall else TAKE)
        if turn.discard != NO_CARD:
            actions += [KNOCK] if turn.knock and not at_wall else []
            actions.append(THEIRS[turn.discard])
        if turn.knock:
            actions += [*meld_actions(turn.knock.melds), PASS]
    if record.defence:
        knock = record.turns[-1].knock
        assert knock  # checked by RoundRecord
        if knock.loose:
            actions += [*(THEIRS[card] for card, _ in record.defence.layoffs), PASS]
        actions += [*meld_actions(record.defence.melds), PASS]
    return actions


def _text(action: int) -> str:
    words = {TAKE: "take the upcard", DRAW: "draw from the stock", PASS: "pass", KNOCK: "knock"}
    return words.get(action) or (card_text(OURS[action]) if action < CARDS else "a meld")
