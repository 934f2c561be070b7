"""Go on from any moment of a recorded game against any player, with the hidden cards as they were or others.

    session = branch(record, Place(2, 14), make_player("champion"), hidden="redrawn", seed=3)

``kept``: the opponent holds what it held, and the stock lies as it lay. Somebody who has seen the record
knows these cards, so the game that follows is practice and no measure of strength.
``redrawn``: the opponent's unknown cards are drawn from the coach's belief at that moment, and the stock is
shuffled. Everything that the person saw stays as it was.

In both cases later rounds are dealt from the seed.
"""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from ginrummy.cards import CARDS, NO_CARD, cards_of
from ginrummy.coach.advice import ROLLOUTS, Coach, CoachAdvice, adviser
from ginrummy.coach.luck import knows_all
from ginrummy.coach.walk import Place, check_place, check_seat, sight_at, table_at
from ginrummy.errors import BadInput, IllegalAction, ParseError
from ginrummy.game import Dealt, Game
from ginrummy.notation import GameRecord, replay_game
from ginrummy.players.base import Player
from ginrummy.position import read_sight
from ginrummy.round import Action, Knock, Phase, PlayOn, Round
from ginrummy.rules import HAND_SIZE, Rules, parse_rules
from ginrummy.search.advice import as_view, question_of
from ginrummy.session import PERSON, Beginning, Session
from ginrummy.view import Sight

KEPT, REDRAWN = HIDDEN_CARDS = ("kept", "redrawn")
HANDS = 60
"""Hands that are drawn before a moment is given up: few do not fit what the rules would have asked before."""


def branch(
    record: GameRecord,
    place: Place,
    opponent: Player,
    *,
    seat: int | None = None,
    hidden: Literal["kept", "redrawn"] = "kept",
    seed: int = 0,
) -> Session:
    """A session that goes on from a moment of a record. The person sits in ``seat``.

    None is the seat named ``person``, otherwise seat 0. The record must know that seat's cards; hidden cards
    can be kept only if it knows the opponent's too. Cards of the stock that it does not know are shuffled.
    """
    if hidden not in HIDDEN_CARDS:
        raise BadInput(f"hidden cards are one of {', '.join(HIDDEN_CARDS)}, not {hidden!r}")
    person = _person(record) if seat is None else seat
    check_seat(record, person)
    if hidden == KEPT and not knows_all(record):
        raise BadInput("the record does not know the opponent's cards: they can only be redrawn")
    game = replay_game(record)
    check_place(game, place)
    rng = np.random.default_rng([seed, place.round, place.action])
    entries = game.dealt[: place.round + 1]
    given = [entry.round.deck for entry in entries]
    played = [[action for _, action in entry.round.actions] for entry in entries]
    given[-1] = _filled(given[-1], rng)
    played[-1] = played[-1][: place.action]
    if hidden == REDRAWN and not table_at(game, place).over:
        whole = knows_all(record)
        given[-1], played[-1] = _redrawn(game, place, person, given[-1], whole, rng)
    first = entries[0]
    begins = Beginning(tuple(given), first.round.starter, first.scores, first.won, first.number)
    return Session(opponent, record.rules, seed, person_seat=person, played=played, begins=begins)


def _person(record: GameRecord) -> int:
    return record.players.index(PERSON) if record.players.count(PERSON) == 1 else 0


def _filled(deck: Sequence[int], rng: np.random.Generator) -> tuple[int, ...]:
    """A deck whose unknown cards are dealt by chance."""
    missing = [card for card in range(CARDS) if card not in deck]
    rest = iter(rng.permutation(missing).tolist())
    return tuple(next(rest) if card == NO_CARD else card for card in deck)


def _redrawn(
    game: Game, place: Place, person: int, deck: tuple[int, ...], whole: bool, rng: np.random.Generator
) -> tuple[tuple[int, ...], list[Action]]:
    """A deck with other hidden cards that the person cannot tell from the true one, and the actions on it."""
    entry, base = game.dealt[place.round], _settled_place(game, place, person)
    table = table_at(game, base)
    seen = sight_at(game, place.round, table, person, whole)
    for hand in hands_like(seen, game.rules, HANDS, float(rng.random())):
        other = _with_hand(deck, table, 1 - person, hand, rng)
        try:
            return other, _replayed(entry, other, place.action, 1 - person)
        except IllegalAction:
            continue
    raise BadInput("no other cards that fit this moment were found: keep those of the record")


def _settled_place(game: Game, place: Place, person: int) -> Place:
    """The last moment up to a place at which the opponent held ten cards."""
    for action in range(place.action, -1, -1):
        table = table_at(game, Place(place.round, action))
        if table.hands[1 - person].bit_count() == HAND_SIZE and table.phase is not Phase.DEFEND:
            return Place(place.round, action)
    raise AssertionError("ten cards are dealt")


def hands_like(seen: Sight, rules: Rules, number: int, u: float) -> list[int]:
    """Hands of the opponent drawn from the coach's belief."""
    belief = adviser(rules, ROLLOUTS).belief
    found = belief.sample(as_view(seen), np.arange(1), np.array([u]), 8 * number)
    rng = np.random.default_rng(int(u * (1 << 52)))
    weights = found.weights[0] / found.weights[0].sum()
    return [int(hand) for hand in rng.choice(found.hands[0], number, p=weights)]


def _with_hand(
    deck: tuple[int, ...], table: Round, other: int, hand: int, rng: np.random.Generator
) -> tuple[int, ...]:
    """The deck in which ``other`` holds ``hand`` at the table, with a shuffled stock.

    Every card that it keeps to itself came from the deal or from a draw; a new card takes the place of each.
    """
    old = cards_of(table.hands[other] & ~table.known[other])
    new = rng.permutation(cards_of(hand & ~table.known[other])).tolist()
    swapped = dict(zip(old, new, strict=True))
    drawn = CARDS - len(table.stock)
    front = [swapped.get(card, card) for card in deck[:drawn]]
    rest = rng.permutation([card for card in range(CARDS) if card not in front]).tolist()
    return (*front, *rest)


def _replayed(entry: Dealt, deck: tuple[int, ...], actions: int, other: int) -> list[Action]:
    """The actions up to a moment on another deck. Whether ``other`` could knock and did not may differ."""
    table = Round(deck, entry.round.starter, entry.round.rules)
    for seat, action in entry.round.actions[:actions]:
        if seat == other and action == PlayOn():
            continue
        if table.phase is Phase.KNOCK and table.mover == other and not isinstance(action, Knock):
            table.apply(PlayOn())
        table.apply(action)
    if table.phase is Phase.KNOCK and table.mover == other:
        following = entry.round.actions[actions : actions + 1]
        if not (following and isinstance(following[0][1], Knock)):
            table.apply(PlayOn())
    return [action for _, action in table.actions]


# Positions typed by hand.


def read_position(line: str) -> tuple[Sight, Rules]:
    """What the mover sees in the position of a line, and its rules; ``ParseError`` if it makes no sense.

    The mover must have something to decide that the coach can judge.
    """
    words = line.split()
    if not words:
        raise ParseError("expected a position, got an empty line")
    rules = parse_rules(words[0])
    seen = read_sight(line)
    question_of(as_view(seen), 0)
    return seen, rules


def position_advice(line: str, coach: Coach | None = None, budget: int = ROLLOUTS) -> CoachAdvice:
    """Advice for a position typed as a line of ``position``."""
    seen, rules = read_position(line)
    return (coach or Coach()).advice(seen, rules, budget)
