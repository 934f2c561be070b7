"""The best line at a decision: the best answer, and how play goes on after it with the cards as they lay.

The network of ``champion`` plays both sides from there, each from its own sight. The line is hindsight: it
shows one way in which the cards would have fallen, and it is no part of any judgement.
"""

from functools import cache

from ginrummy import decks
from ginrummy.cards import NO_CARD, card_text
from ginrummy.coach.walk import Decision, sight_at, table_at
from ginrummy.errors import IllegalAction
from ginrummy.game import Game
from ginrummy.melds import best_meld_sets
from ginrummy.players.base import Player, under
from ginrummy.players.registry import make_player
from ginrummy.round import Action, Discard, Draw, Knock, Pass, Phase, PlayOn, Round, RoundResult, Take
from ginrummy.rules import Rules
from ginrummy.scoring import OUTCOMES
from ginrummy.session import choose
from ginrummy.view import NORMAL

PLAYS_ON = "champion:level=fast"
TURNS = 4
"""Turns of both sides that a line shows before it is cut to its end."""


@cache
def _player(rules: Rules) -> Player:
    return under(make_player(PLAYS_ON), rules)


def best_line(game: Game, one: Decision, answer: int, knock: bool, names: tuple[str, str]) -> tuple[str, ...]:
    """What follows an answer, in words: some turns, then how the round ends if the record knows the stock."""
    entry = game.dealt[one.place.round]
    table = table_at(game, one.place)
    for action in _first(table, one.question, answer, knock):
        table.apply(action)
    player = _player(game.rules)
    try:
        while not table.over:
            table.apply(_next(game, entry.number, one.place.round, table, player))
    except IllegalAction:  # the stock is not known any further
        pass
    words = _turns(table, one.place.action, names)
    shown = words[: TURNS + 1]
    if len(words) > len(shown):
        shown.append("…")
    return (*shown, ending_words(table.result, names)) if table.result else tuple(shown)


def _first(table: Round, question: str, answer: int, knock: bool) -> list[Action]:
    if question == "draw":
        return [Take() if answer else Draw() if table.offer == NORMAL else Pass()]
    actions: list[Action] = [Discard(answer)]
    after = table.copy()
    after.apply(actions[0])
    if after.phase is Phase.KNOCK:
        sets = best_meld_sets(after.hands[table.mover]) or [()]
        actions.append(Knock(sets[0]) if knock else PlayOn())
    return actions


def _next(game: Game, number: int, place: int, table: Round, player: Player) -> Action:
    """What the player does for whoever is to move."""
    if table.phase is Phase.DRAW and table.offer == NORMAL and table.turns == 0:
        return Draw()
    seat = table.mover
    seen = sight_at(game, place, table, seat)
    asked = len(table.actions)
    return choose(player, table, seen, lambda k: decks.uniform(0, 0, number, seat, asked + k))


def _turns(table: Round, start: int, names: tuple[str, str]) -> list[str]:
    """The actions from a place on, one text for each turn."""
    words: list[str] = []
    mover = -1
    twin = Round(table.deck, table.starter, table.rules)
    for number, (seat, action) in enumerate(table.actions):
        top = twin.top
        twin.apply(action)
        if number < start:
            continue
        text = _words(action, top, twin.drawn[seat])
        if not text:
            continue
        if seat == mover and words:
            words[-1] += f", {text}"
        else:
            words.append(f"{names[seat]} {text}")
        mover = seat
    return words


def _words(action: Action, top: int, drawn: int) -> str:
    match action:
        case Pass():
            return "passes"
        case Take():
            return f"takes {card_text(top)}"
        case Draw():
            return f"draws {card_text(drawn)}" if drawn != NO_CARD else "draws"
        case Discard(card):
            return f"discards {card_text(card)}"
        case Knock():
            return "knocks"
    return ""


def ending_words(result: RoundResult, players: tuple[str, str]) -> str:
    """How a round ended, in words."""
    outcome = OUTCOMES[result.outcome]
    if result.winner is None:
        return f"{outcome}: nobody scores"
    return f"{outcome}: {players[result.winner]} scores {result.points}"
