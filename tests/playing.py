"""Seeded play for tests: mostly sensible, so that rounds end in every way, now and then at random."""

from __future__ import annotations

import random

from ginrummy import decks
from ginrummy.game import Game
from ginrummy.melds import deadwood
from ginrummy.round import Action, Discard, Knock, Phase, PlayOn, Round
from ginrummy.rules import Rules


def choose(table: Round, rng: random.Random, patience: float = 0.3) -> Action:
    """A legal action. ``patience`` is the chance to play on instead of knocking."""
    actions = table.legal_actions()
    hand = table.hands[table.mover]
    if table.phase is Phase.KNOCK and PlayOn() in actions:
        knocks = [action for action in actions if isinstance(action, Knock)]
        return PlayOn() if rng.random() < patience else rng.choice(knocks)
    if table.phase is Phase.DISCARD and rng.random() > 0.1:
        return min(actions, key=lambda action: (left_without(hand, action), rng.random()))
    if table.phase is Phase.DRAW and len(actions) == 2 and rng.random() > 0.2:
        eleven = hand | 1 << table.top
        best = min(deadwood(eleven & ~(1 << card)) for card in range(52) if eleven >> card & 1)
        return actions[0 if best < deadwood(hand) else 1]
    return rng.choice(actions)


def left_without(hand: int, action: Action) -> int:
    assert isinstance(action, Discard)
    return int(deadwood(hand & ~(1 << action.card)))


def play_round(table: Round, rng: random.Random, patience: float = 0.3) -> Round:
    """Play a round to its end."""
    while not table.over:
        table.apply(choose(table, rng, patience))
    return table


def play_game(rules: Rules, seed: int, patience: float = 0.3) -> Game:
    """Play a game to its end."""
    rng = random.Random(seed)
    game = Game(rules, decks.starter(seed, 0))
    while not game.over:
        game.book(play_round(game.deal(decks.deck(seed, 0, game.rounds)), rng, patience))
    return game
