"""Our players as bots of OpenSpiel: ``bot("hand-strength", player_id=0)`` plays its ``gin_rummy``.

A bot reads the history of the state, and shows its player only what that seat may see. Its answers depend
on the state and on its seed alone: it keeps nothing between two questions. The library asks for a knock
before the discard, for melds one at a time, and for layoffs; the bot asks its player in our order and
answers in theirs.
"""

from typing import Any

import numpy as np

from ginrummy import decks
from ginrummy.answers import checked_answers
from ginrummy.bridges.openspiel.codes import DRAW, KNOCK, PASS, TAKE, THEIRS, meld_actions
from ginrummy.bridges.openspiel.histories import Reading, Step
from ginrummy.cards import mask_of
from ginrummy.errors import BadInput
from ginrummy.extras import needed
from ginrummy.melds import defend_optimally
from ginrummy.players.base import Player
from ginrummy.players.registry import make_player
from ginrummy.round import Discard, Phase, Round
from ginrummy.rules import OPENSPIEL
from ginrummy.view import NORMAL, WALL_OFFER, from_sights

with needed("openspiel", "ginrummy.bridges.openspiel.bots"):
    import pyspiel

_QUESTIONS = ("draw", "discard", "knock", "spread")


def bot(player: str | Player, player_id: int, seed: int = 1) -> "PlayerBot":
    """A bot that plays as a registered player, or as any ``Player``."""
    return PlayerBot(make_player(player) if isinstance(player, str) else player, player_id, seed)


class PlayerBot(pyspiel.Bot):
    """One of our players at OpenSpiel's table."""

    def __init__(self, player: Player, player_id: int, seed: int = 1) -> None:
        super().__init__()
        if player_id not in (0, 1):
            raise BadInput(f"expected player 0 or 1, got {player_id!r}")
        self.player, self.player_id, self.seed = player, player_id, seed

    def restart(self) -> None:
        """Nothing is kept between two questions."""

    def restart_at(self, state: Any) -> None:
        """Nothing is kept between two questions."""

    def inform_action(self, state: Any, player_id: int, action: int) -> None:
        """The history of the state tells it."""

    def provides_force_action(self) -> bool:
        """Whether another action may be forced on it: yes, since the next state tells it."""
        return True

    def force_action(self, state: Any, action: int) -> None:
        """Nothing is kept between two questions."""

    def step(self, state: Any) -> int:
        """The action of this player in a state."""
        reading = Reading.of(state.history())
        table = reading.table
        assert table  # no bot is asked before the cards are dealt
        match reading.step:
            case Step.DRAW:
                return self._draw(table, state.legal_actions())
            case Step.DISCARD:
                return self._discard(table, KNOCK in state.legal_actions())
            case Step.KNOCK:
                return THEIRS[self._card(table)]
            case Step.MELDS:
                melds = [meld for meld in self._ask(table, "spread").tolist() if meld]
                return [*meld_actions(melds), PASS][len(reading.melds)]
        gone = mask_of(card for card, _ in reading.layoffs)
        knocked = reading.melds if sum(reading.melds) != table.hands[1 - self.player_id] else []
        defence = defend_optimally(table.hands[self.player_id], knocked, OPENSPIEL.max_chain)
        if reading.step is Step.LAYOFFS:
            left = [THEIRS[card] for card, _ in defence.layoffs if not gone >> card & 1]
            return left[0] if left else PASS
        return [*meld_actions(defence.melds), PASS][len(reading.defence)]

    def _draw(self, table: Round, legal: list[int]) -> int:
        if len(legal) == 1:  # the first draw after two passes, or the wall without a chance to knock
            return legal[0]
        take = bool(self._ask(table, "draw"))
        if table.offer == WALL_OFFER:
            return KNOCK if take else PASS
        return TAKE if take else DRAW if table.offer == NORMAL else PASS

    def _discard(self, table: Round, may_knock: bool) -> int:
        card = self._card(table)
        after = table.copy()
        after.apply(Discard(card))
        knocks = may_knock and after.phase is Phase.KNOCK and bool(self._ask(after, "knock"))
        return KNOCK if knocks else THEIRS[card]

    def _card(self, table: Round) -> int:
        return int(self._ask(table, "discard"))

    def _ask(self, table: Round, question: str) -> Any:
        """One answer of the player, in the simulator's form."""
        number = 4 * len(table.log) + _QUESTIONS.index(question)
        u = decks.uniform(self.seed, 0, 0, self.player_id, number)
        view = from_sights([table.sight(self.player_id)])
        given = getattr(self.player, question)(view, np.zeros(1, np.int64), np.array([u]))
        return checked_answers(self.player.name, question, given, 1)[0]
