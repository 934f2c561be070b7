"""Gin Rummy: exact rules, fast simulation, and the players of the literature.

Everything in ``__all__`` is loaded when it is first used, so ``import ginrummy`` alone is quick.
"""

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from ginrummy.api import (
        MatchResult,
        advise,
        best_melds,
        card,
        deadwood,
        deal,
        estimate,
        hand,
        play_match,
        review,
    )
    from ginrummy.cards import card_text
    from ginrummy.cardset import CardSet
    from ginrummy.coach.reviews import Review
    from ginrummy.decks import deck
    from ginrummy.errors import (
        BadInput,
        GinRummyError,
        IllegalAction,
        ParseError,
        PlayerError,
        UnknownName,
    )
    from ginrummy.estimators.base import Estimator
    from ginrummy.estimators.registry import estimator_names, make_estimator
    from ginrummy.game import Game
    from ginrummy.players.base import Player, one_by_one
    from ginrummy.players.registry import make_player, player_names
    from ginrummy.position import read_sight
    from ginrummy.round import Phase, Round, RoundResult
    from ginrummy.round_actions import Action, Defend, Discard, Draw, Knock, Pass, PlayOn, Take, action_text
    from ginrummy.rules import EAAI, PRESETS, Rules, parse_rules
    from ginrummy.search.advice import Advice
    from ginrummy.view import Sight

_HOMES = {
    "api": "MatchResult advise best_melds card deadwood deal estimate hand play_match review",
    "cards": "card_text",
    "cardset": "CardSet",
    "coach.reviews": "Review",
    "decks": "deck",
    "errors": "BadInput GinRummyError IllegalAction ParseError PlayerError UnknownName",
    "estimators.base": "Estimator",
    "estimators.registry": "estimator_names make_estimator",
    "game": "Game",
    "players.base": "Player one_by_one",
    "players.registry": "make_player player_names",
    "position": "read_sight",
    "round": "Phase Round RoundResult",
    "round_actions": "Action Defend Discard Draw Knock Pass PlayOn Take action_text",
    "rules": "EAAI PRESETS Rules parse_rules",
    "search.advice": "Advice",
    "view": "Sight",
}
_HOME = {name: module for module, names in _HOMES.items() for name in names.split()}
"""Where each public name lives."""

__all__ = [
    "EAAI", "PRESETS", "Action", "Advice", "BadInput", "CardSet", "Defend", "Discard", "Draw",
    "Estimator", "Game", "GinRummyError", "IllegalAction", "Knock", "MatchResult", "ParseError", "Pass",
    "Phase", "PlayOn", "Player", "PlayerError", "Review", "Round", "RoundResult", "Rules", "Sight", "Take",
    "UnknownName", "action_text", "advise", "best_melds", "card", "card_text", "deadwood", "deal", "deck",
    "estimate", "estimator_names", "hand", "make_estimator", "make_player", "one_by_one", "parse_rules",
    "play_match", "player_names", "read_sight", "review",
]  # fmt: skip


if not TYPE_CHECKING:  # otherwise a type checker would accept any name as an attribute

    def __getattr__(name: str) -> object:
        """Load a public name when it is first used."""
        if name not in _HOME:
            raise AttributeError(f"module 'ginrummy' has no attribute {name!r}")
        value = getattr(import_module(f"ginrummy.{_HOME[name]}"), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    """The public names, and those that the module already has."""
    return sorted({*globals(), *__all__})
