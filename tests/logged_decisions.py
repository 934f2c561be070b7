"""The decisions of one player in the challenge's logs: what it saw, and what it answered."""

from collections.abc import Iterator
from typing import NamedTuple

import challenge_log
from ginrummy.cards import mask_of
from ginrummy.round import Defend, Discard, Draw, Knock, Pass, Phase, PlayOn, Round, Take
from ginrummy.rules import EAAI
from ginrummy.view import Sight
from test_baseline import deck_of


class Decision(NamedTuple):
    """One answer: a bool to ``draw`` and ``knock``, a card to ``discard``, masks of melds to ``spread``."""

    what: str
    seen: Sight
    answer: object


def decisions(file: str, name: str) -> Iterator[Decision]:
    """All decisions of a player in one log, replayed on the checked engine."""
    for game in challenge_log.read(challenge_log.DATA / file):
        seat = game.names.index(name)
        for logged in game.rounds:
            yield from _of_round(logged, seat)


def _of_round(logged: challenge_log.Round, seat: int) -> Iterator[Decision]:
    table = Round.deal(deck_of(logged), logged.starter, EAAI)
    for happened in logged.events:
        ours = happened.seat == seat == table.mover
        if isinstance(happened, challenge_log.Discard):
            if ours:
                yield Decision("discard", table.sight(seat), happened.card)
            table.apply(Discard(happened.card))
            if table.phase is Phase.KNOCK:
                knocks = logged.knock is not None and happened is logged.events[-1]
                if ours:
                    yield Decision("knock", table.sight(seat), knocks)
                if not knocks:
                    table.apply(PlayOn())
            continue
        takes = isinstance(happened, challenge_log.Draw) and happened.source == "upcard"
        if ours and table.legal_actions() != [Draw()]:
            yield Decision("draw", table.sight(seat), takes)
        declines = isinstance(happened, challenge_log.Decline)
        table.apply(Take() if takes else Pass() if declines else Draw())
    for kind, laid in ((Knock, logged.knock), (Defend, logged.defence)):
        if laid:
            melds = tuple(mask_of(meld) for meld in laid.melds)
            if laid.seat == seat:
                yield Decision("spread", table.sight(seat), melds)
            table.apply(kind(melds))
