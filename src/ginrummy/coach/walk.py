"""A record taken apart into decisions, each with what the seat that made it could see, and nothing else."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from ginrummy.cards import NO_CARD
from ginrummy.errors import BadInput
from ginrummy.game import Dealt, Game
from ginrummy.notation import GameRecord, RoundRecord
from ginrummy.round import Action, Discard, Knock, Phase, Round, Take
from ginrummy.rules import HAND_SIZE
from ginrummy.styles import style_of
from ginrummy.view import NORMAL, EarlierRound, Sight


class Place(NamedTuple):
    """A moment of a record: before the action with this number, both from 0."""

    round: int
    """Which round of the record; not its number in the game."""
    action: int
    """Which action of the round; the number of all actions means its end."""


@dataclass(frozen=True)
class Decision:
    """A choice that somebody made: the draw, or the discard together with the knock."""

    place: Place
    """Before the draw or the discard."""
    seat: int
    question: str
    """draw or discard; a knock belongs to the discard before it."""
    answer: int
    """1 take, 0 leave; the card discarded."""
    knock: bool
    """Whether a knock followed the discard."""
    sight: Sight


def knows(record: GameRecord, seat: int) -> bool:
    """Whether a record has all cards that a seat was dealt and drew."""
    return all(_knows(round_, seat) for round_ in record.rounds)


def _knows(record: RoundRecord, seat: int) -> bool:
    if record.hands[seat].bit_count() < HAND_SIZE:
        return False
    draws = [turn for turn in record.turns if turn.kind == "draws"]
    pairs = zip(draws, record.stock, strict=False)
    return all(turn.card != NO_CARD or card != NO_CARD for turn, card in pairs if turn.seat == seat)


def check_seat(record: GameRecord, seat: int) -> None:
    """Refuse a seat whose own cards the record does not have."""
    if seat not in (0, 1):
        raise BadInput(f"expected seat 0 or 1, got {seat!r}")
    if not record.rounds:
        raise BadInput("expected a record with a round, got one without any")
    if not knows(record, seat):
        raise BadInput(f"the record does not know all cards of seat {seat}: its decisions cannot be judged")


def sight_at(game: Game, place: int, table: Round, seat: int, whole: bool = True) -> Sight:
    """What a seat saw of a table of a game; ``place`` is the number of its round among those dealt.

    Where the record does not know all cards (not ``whole``), an earlier round that ended without a knock
    shows no true hand of the opponent; it is left out.
    """
    entry = game.dealt[place]
    earlier: tuple[EarlierRound, ...] = tuple(
        one.round.remembered(seat)
        for one in game.dealt[:place]
        if whole or (one.round.result is not None and one.round.result.knocker is not None)
    )
    seen = table.sight(seat, entry.scores[seat], entry.scores[1 - seat], entry.number)
    return seen._replace(style=style_of(earlier), earlier=earlier)


def tables(entry: Dealt) -> Iterator[tuple[int, Round]]:
    """A round before each of its actions and at its end. The same table is moved on and given again."""
    played = entry.round
    table = Round(played.deck, played.starter, played.rules)
    for number, (_, action) in enumerate(played.actions):
        yield number, table
        table.apply(action)
    yield len(played.actions), table


def table_at(game: Game, place: Place) -> Round:
    """The table at a moment of a game that was replayed."""
    check_place(game, place)
    for number, table in tables(game.dealt[place.round]):
        if number == place.action:
            return table
    raise AssertionError("a checked place is in its round")


def check_place(game: Game, place: Place) -> None:
    """Refuse a moment that a game does not have."""
    if not 0 <= place.round < len(game.dealt):
        raise BadInput(f"expected a round from 0 to {len(game.dealt) - 1}, got {place.round}")
    actions = len(game.dealt[place.round].round.actions)
    if not 0 <= place.action <= actions:
        raise BadInput(f"expected an action from 0 to {actions} of round {place.round}, got {place.action}")


def decisions(game: Game, seats: tuple[int, ...], whole: bool = True) -> Iterator[Decision]:
    """Every choice of some seats in a game that was replayed, in order; ``whole`` as in ``sight_at``.

    Where only one thing could be done there is no choice.
    """
    for k, entry in enumerate(game.dealt):
        actions = entry.round.actions
        for number, table in tables(entry):
            if number == len(actions) or table.mover not in seats or not is_choice(table):
                continue
            after = actions[number + 1] if number + 1 < len(actions) else None
            if isinstance(actions[number][1], Discard) and after is None and not entry.round.over:
                continue  # the record ends between the discard and the word about a knock
            yield _decision(game, Place(k, number), table, after, whole)


def _decision(
    game: Game, place: Place, table: Round, after: tuple[int, Action] | None, whole: bool
) -> Decision:
    seat, action = game.dealt[place.round].round.actions[place.action]
    seen = sight_at(game, place.round, table, seat, whole)
    if isinstance(action, Discard):
        knock = after is not None and isinstance(after[1], Knock)
        return Decision(place, seat, "discard", action.card, knock, seen)
    return Decision(place, seat, "draw", int(isinstance(action, Take)), False, seen)


def is_choice(table: Round) -> bool:
    """Whether the mover chooses between answers that a coach compares."""
    if table.phase is Phase.DRAW:
        return not (table.offer == NORMAL and table.turns == 0)  # the draw after two passes is forced
    return table.phase is Phase.DISCARD
