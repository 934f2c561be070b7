"""The finished rounds of the games under way, for players that look at them (``Player.remembers``).

Counters of earlier rounds are in every view. The rounds themselves are kept only where a player asks for
them, because they are large: players written card by card do.
"""

from collections.abc import Sequence

from ginrummy.cards import Mask
from ginrummy.melds import defend_optimally
from ginrummy.rules import Rules
from ginrummy.scoring import round_limit
from ginrummy.tables import IDLE, Records
from ginrummy.view import EarlierRound, IntArray, events_of


class Memory:
    """What each side that remembers knows of the earlier rounds, by game."""

    def __init__(self, rules: Rules, sides: Sequence[bool]) -> None:
        self._rules = rules
        self._rounds: tuple[dict[int, tuple[EarlierRound, ...]] | None, ...] = tuple(
            {} if remembers else None for remembers in sides
        )

    @property
    def needed(self) -> bool:
        """Whether a side remembers."""
        return any(rounds is not None for rounds in self._rounds)

    def note(self, finished: Records, tables: Records) -> None:
        """Add finished rounds (``tables.ROUND``), and forget the games that no table plays any more."""
        playing = set(tables["game"][tables["phase"] != IDLE].tolist()) if len(finished) else set()
        for side, rounds in enumerate(self._rounds):
            if rounds is None:
                continue
            for kept in finished:
                game = int(kept["game"])
                if game in playing:
                    rounds[game] = (*rounds.get(game, ()), remembered(kept, side, self._rules))
                else:
                    rounds.pop(game, None)

    def of(self, side: int, tables: Records, rows: IntArray) -> dict[int, tuple[EarlierRound, ...]]:
        """The earlier rounds that a side knows, for the rows that wait."""
        rounds = self._rounds[side] or {}
        return {row: rounds.get(int(tables["game"][row]), ()) for row in rows.tolist()}


def remembered(kept: Records, side: int, rules: Rules) -> EarlierRound:
    """What a side knows of a finished round (a record of ``tables.ROUND``)."""
    other = 1 - side
    knocker = int(kept["knocker"])
    spread = [tuple(Mask(meld) for meld in melds if meld) for melds in kept["spread"].tolist()]
    hands = [Mask(hand) for hand in kept["hands"].tolist()]
    if rules.optimal_defence and knocker >= 0:  # the rules chose the defence: no side declared it
        defender = 1 - knocker
        gin = sum(spread[knocker]) == hands[knocker]
        spread[defender] = defend_optimally(
            hands[defender], () if gin else spread[knocker], rules.max_chain
        ).melds
    points = int(kept["points"])
    return EarlierRound(
        starts=int(kept["starter"]) == side,
        limit=int(round_limit(rules, int(kept["deck"][20]))),
        log=events_of(kept["log"][side, : kept["events"]].tolist()),
        hand=hands[side],
        opponent=hands[other],
        knocked=None if knocker < 0 else knocker == side,
        melds=(spread[side], spread[other]),
        points=-points if side else points,
    )
