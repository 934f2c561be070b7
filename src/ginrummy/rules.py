"""The rules of a game as one value, and the presets by name. Rule constants live here and nowhere else.

A finished round is recorded as facts (who knocked, both deadwoods); ``scoring`` prices the facts by a
``Rules`` value. ``Rules`` holds only integers and booleans, because kernels receive it as one record.
Compiled code holds no number of this module, so a new preset recompiles nothing; see ``limits``.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ginrummy.errors import BadInput, UnknownName
from ginrummy.limits import HAND_SIZE as HAND_SIZE
from ginrummy.limits import LOG_LENGTH as LOG_LENGTH
from ginrummy.limits import MAX_TURNS as MAX_TURNS


class Rules(NamedTuple):
    """What may be played and what it is worth."""

    knock_limit: int = 10
    """Greatest deadwood with which a player may knock (before Oklahoma)."""
    gin_bonus: int = 25
    undercut_bonus: int = 25
    big_gin_bonus: int = 0
    """Bonus for eleven melded cards, laid down at once after the draw; 0 when there is no big gin."""
    tie_undercuts: bool = True
    """Whether equal deadwood is an undercut; otherwise nobody scores."""
    oklahoma: bool = False
    """The first upcard's points are the knock limit, at most ``knock_limit``; an ace allows only gin."""
    optimal_defence: bool = False
    """The defender's melds and layoffs are chosen together for least deadwood; otherwise the defender
    declares melds and the leftover cards are laid off first-fit, as the challenge program does."""
    may_return: bool = False
    """The card just taken from the pile may be discarded again."""
    max_chain: int = 0
    """Most cards laid off on one end of a run under ``optimal_defence``; 0 for no such limit."""
    throwbacks_end: bool = False
    """The round is dead when both players, one after the other, take the same upcard and throw it back,
    unless the second one knocks."""
    wall: int = 2
    """The round is dead when a turn ends without a knock and at most this many stock cards remain."""
    wall_phase: bool = False
    """When the stock is down to the wall, the next player may still take the upcard if that allows a knock,
    and then must knock. The round ends if the player passes or cannot knock in this way."""
    max_takes: int = 0
    """The round is dead at this many attempts to take the upcard in ordinary turns; 0 for no such cap."""
    max_turns: int = MAX_TURNS
    """The round is dead after this many turns of both players (counted as ``capped_rounds``). Without a
    cap, two players that swap upcards would play for ever."""
    redeal_keeps_dealer: bool = True
    """After a dead round the same player deals again."""
    target: int = 100
    """First to reach this score wins the game."""
    max_rounds: int = 1000
    """The game is over after this many rounds; the leader wins, equal scores are a draw."""
    game_bonus: int = 0
    """Added to the winner's total when the game ends."""
    line_bonus: int = 0
    """Added to each player's total for each round won (a line, or box) when the game ends."""
    shutout_doubles: bool = False
    """The winner's total is doubled when the loser has not won a round."""


RULES = np.dtype((np.record, [(name, np.int64) for name in Rules._fields]))
"""The rules as kernels take them: one record, because passing twenty separate numbers is slow."""


def rules_record(rules: Rules) -> npt.NDArray[np.void]:
    """[1] of ``RULES``."""
    return np.array([tuple(map(int, rules))], RULES)


EAAI = Rules()
"""The EAAI 2021 challenge: 25 for gin, 25 for an undercut, automatic layoffs, no boxes."""

OPENSPIEL = Rules(
    tie_undercuts=False, optimal_defence=True, may_return=True, max_chain=2, throwbacks_end=True,
    wall_phase=True, max_takes=50, target=1, max_rounds=1,
)  # fmt: skip
"""One round as OpenSpiel's ``gin_rummy`` plays it, so that it can serve as an oracle."""

PRESETS: dict[str, Rules] = {
    "eaai": EAAI,
    "uk": EAAI._replace(gin_bonus=20, undercut_bonus=10),
    "us-boxes": EAAI._replace(
        gin_bonus=25, undercut_bonus=25, big_gin_bonus=31, optimal_defence=True,
        game_bonus=100, line_bonus=25, shutout_doubles=True,
    ),
    "oklahoma": EAAI._replace(oklahoma=True, optimal_defence=True, big_gin_bonus=31),
    "straight": EAAI._replace(knock_limit=0),
    "openspiel": OPENSPIEL,
}  # fmt: skip


def parse_rules(text: str) -> Rules:
    """Read ``preset`` or ``preset:key=value,key=value``: ``"uk"``, ``"eaai:big_gin_bonus=31"``."""
    name, _, changes = text.partition(":")
    if name not in PRESETS:
        raise UnknownName(f"unknown rules {name!r}: choose one of {', '.join(PRESETS)}")
    rules = PRESETS[name]
    for change in filter(None, changes.split(",")):
        key, equals, value = change.partition("=")
        if key not in Rules._fields or not equals:
            raise UnknownName(
                f"unknown rule {change!r}: write key=value with one of {', '.join(Rules._fields)}"
            )
        changed: dict[str, Any] = {key: _value(key, value)}
        rules = rules._replace(**changed)
    return check_rules(rules)


_GREATEST = {
    "knock_limit": 100,
    "max_turns": MAX_TURNS,
    "wall": 30,
    "max_rounds": 30_000,
    "target": 1_000_000,
}


def check_rules(rules: Rules) -> Rules:
    """Refuse values with which no game can be played, or for which the simulator has no room."""
    for name, value in rules._asdict().items():
        least = 1 if name in ("max_turns", "target", "max_rounds") else 0
        greatest = _GREATEST.get(name, 10_000)
        if not least <= value <= greatest:
            raise BadInput(f"rule {name} must be from {least} to {greatest}, not {value}")
    return rules


def rules_text(rules: Rules) -> str:
    """The shortest text that ``parse_rules`` reads back as these rules."""

    def written(name: str) -> str:
        pairs = zip(Rules._fields, rules, PRESETS[name], strict=True)
        changes = [f"{key}={int(ours)}" for key, ours, theirs in pairs if ours != theirs]
        return name + (":" + ",".join(changes) if changes else "")

    return min(map(written, PRESETS), key=lambda text: (text.count("="), len(text)))


def _value(key: str, text: str) -> int | bool:
    boolean = isinstance(Rules._field_defaults[key], bool)
    if boolean and text.lower() in ("true", "yes", "1", "false", "no", "0"):
        return text.lower() in ("true", "yes", "1")
    if not boolean and text.isascii() and text.isdigit() and len(text) < 10:
        return int(text)
    raise UnknownName(f"rule {key} takes {'yes or no' if boolean else 'a whole number'}, not {text!r}")
