"""Compile kernels and open networks before the first visitor waits for them."""

import time
from collections.abc import Callable

from ginrummy.cards import CARDS
from ginrummy.errors import GinRummyError
from ginrummy.players.registry import make_player, player_names
from ginrummy.round import Discard, Take
from ginrummy.rules import EAAI
from ginrummy.session import Session
from ginrummy.web.catalogue import LEVELS

TELL_AFTER = 2.0
"""Seconds after which the next step is worth a line."""


def warm_up(tell: Callable[[str], None]) -> None:
    """Play a few turns against every opponent."""
    names = [*player_names(), LEVELS[0]]
    start = time.monotonic()
    for place, name in enumerate(names, 1):
        if time.monotonic() - start > TELL_AFTER or place == 1:
            tell(f"preparing opponents {place}/{len(names)}: {name} …")
        _turns(name)
    _advice()


def _advice() -> None:
    """Ask the coach about a draw and a discard."""
    from ginrummy.web import advising  # opens networks

    session = Session(make_player("simple"), EAAI, seed=1)
    for action in (Take(), None):
        advising.advise(session.sight, session.rules, "joint")
        if action:
            session.act(action)


def _turns(name: str) -> None:
    session = Session(make_player(name), EAAI._replace(max_rounds=1), seed=1)
    for _ in range(12):
        if session.round_over:
            return
        actions = session.legal_actions()
        try:
            session.act(min(actions, key=lambda a: -a.card if isinstance(a, Discard) else CARDS))
        except GinRummyError:  # the opponent's fault is reported when somebody plays it
            return
