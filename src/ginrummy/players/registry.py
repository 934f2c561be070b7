"""The one place that knows every player. ``make_player("name:key=value,…")`` builds one.

A player from outside is written ``py:module@factory`` or ``py:path/to/file.py@factory``: ``players.foreign``
loads and guards it. A Java player of the challenge is written ``eaai:package.Class@classpath``: see
``players.java``. Other bridges are imported when one of their players is asked for.
"""

import importlib

from ginrummy.players import foreign, java
from ginrummy.players.base import Player
from ginrummy.specs import Entry, Registry

_PLAYERS: Registry[Player] = Registry(
    "player",
    {
        "random": "ginrummy.players.baseline:random",
        "simple": "ginrummy.players.baseline:simple",
        "knocking": "ginrummy.players.deterministic:knocking",
        "estimating": "ginrummy.players.deterministic:estimating",
        "hitting": "ginrummy.players.deterministic:hitting",
        "medium-kh": "ginrummy.players.deterministic:medium_kh",
        "medium-he": "ginrummy.players.deterministic:medium_he",
        "medium-ek": "ginrummy.players.deterministic:medium_ek",
        "advanced": "ginrummy.players.deterministic:advanced",
        "safe-discard": "ginrummy.players.safe_discard:safe_discard",
        "hand-strength": "ginrummy.players.hand_strength:hand_strength",
        "look-ahead": "ginrummy.players.look_ahead:look_ahead",
        "ensemble": "ginrummy.players.ensemble:ensemble",
        "champion": "ginrummy.players.champion:champion",
    },
)

BRIDGES = {"openspiel": "ginrummy.bridges.openspiel.players:load"}
"""First word of a player's name -> the function of a bridge that builds the player from the whole text."""


def player_names() -> list[str]:
    """Every registered name."""
    return _PLAYERS.names()


def describe(name: str) -> Entry:
    """A registered player's description, from its factory."""
    return _PLAYERS.describe(name)


def make_player(spec: str) -> Player:
    """Build the player that a text names; a wrong name, key or value raises ``UnknownName``."""
    if spec.startswith("py:"):
        return foreign.load(spec)
    if spec.startswith(java.PREFIX):
        return java.load(spec)
    place = BRIDGES.get(spec.partition(":")[0])
    if place is None:
        return _PLAYERS.make(spec)
    module, _, load = place.partition(":")
    made: Player = getattr(importlib.import_module(module), load)(spec)
    return made
