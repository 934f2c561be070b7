"""Games as a person's session records them, played by two players."""

from ginrummy.notation import GameRecord
from ginrummy.players.registry import make_player
from ginrummy.rules import EAAI, Rules
from ginrummy.session import Session


def self_play(first: str, second: str, seed: int, rules: Rules = EAAI) -> GameRecord:
    """A game between two players; the first one sits where the person would."""
    person = make_player(first)
    session = Session(make_player(second), rules, seed)
    opponent = session.opponent
    while not session.over:
        if session.round_over:
            session.deal()
            continue
        session.opponent = person
        session._move_opponent()
        session.opponent = opponent
        session._go_on()
    return session.record()
