"""Values that only resemble answers: the simulator and a person's game refuse the same ones."""

import numpy as np
import pytest

from ginrummy import sim
from ginrummy.answers import checked_answers
from ginrummy.errors import IllegalAction
from ginrummy.players.base import Player, one_by_one
from ginrummy.players.baseline import simple
from ginrummy.round import Discard, Pass, PlayOn
from ginrummy.rules import EAAI
from ginrummy.session import Session


def answering(question: str, change) -> Player:  # type: ignore[no-untyped-def]
    """The baseline with one answer changed into something else."""
    base = simple()
    parts = {name: getattr(base, name) for name in ("draw", "discard", "knock", "spread")}
    honest = parts[question]
    parts[question] = lambda view, rows, u: change(honest(view, rows, u))
    return Player("odd", **parts)


NOT_ANSWERS = {
    "a card plus 256": ("discard", lambda cards: cards.astype(np.int64) + 256),
    "a card less 256": ("discard", lambda cards: cards.astype(np.int16) - 256),
    "a card plus 2**32": ("discard", lambda cards: cards.astype(np.uint64) + np.uint64(2**32)),
    "a card and a bit": ("discard", lambda cards: cards + 0.9),
    "a card as a float": ("discard", lambda cards: cards.astype(float)),
    "a card in writing": ("discard", lambda cards: cards.astype(str)),
    "no card": ("discard", lambda cards: [None] * len(cards)),
    "a long number": ("discard", lambda cards: [2**70] * len(cards)),
    "yes in writing": ("draw", lambda yes: np.where(yes, "yes", "no")),
    "three quarters": ("draw", lambda yes: yes * 0.75),
    "two": ("draw", lambda yes: yes * np.int64(2) + 2),
    "less than no": ("draw", lambda yes: yes * np.int64(1) - 2),
    "knock, maybe": ("knock", lambda yes: yes * 0.5),
    "knock twice": ("knock", lambda yes: yes * np.int8(2)),
    "melds of fractions": ("spread", lambda melds: melds + 0.25),
    "melds below zero": ("spread", lambda melds: melds.astype(np.int32) * 0 - 1),
    "melds out of range": ("spread", lambda melds: melds.astype(np.uint64) + np.uint64(2**63)),
    "ragged": ("spread", lambda melds: [[1, 2], [3]]),
}


@pytest.mark.parametrize("case", NOT_ANSWERS)
def test_the_simulator_names_the_player_and_what_came(case: str) -> None:
    question, change = NOT_ANSWERS[case]
    with pytest.raises(IllegalAction, match=rf"player 'odd'.*{question}"):
        sim.play(simple(), answering(question, change), range(4), EAAI, 1)


@pytest.mark.parametrize("case", NOT_ANSWERS)
def test_a_persons_game_refuses_the_same(case: str) -> None:
    """The person throws away what comes, so that the opponent is asked all questions."""
    question, change = NOT_ANSWERS[case]
    with pytest.raises(IllegalAction, match=rf"player 'odd'.*{question}"):
        session = Session(answering(question, change), EAAI, 1)
        while not session.over:
            if session.round_over:
                session.deal()
            else:
                legal = session.legal_actions()
                quiet = [a for a in legal if isinstance(a, (Pass, PlayOn, Discard))]
                session.act((quiet or legal[::-1])[0])


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int16, np.int32, np.int64, np.uint64, ">i4"])
def test_integers_of_any_kind_are_answers(kind: object) -> None:
    assert checked_answers("odd", "discard", np.array([0, 51], kind), 2).tolist() == [0, 51]
    assert checked_answers("odd", "draw", np.array([0, 1], kind), 2).tolist() == [False, True]
    assert checked_answers("odd", "spread", np.array([[7, 0, 0, 0]], kind), 1).tolist() == [[7, 0, 0, 0]]
    assert checked_answers("odd", "discard", [3], 1).dtype == np.int8
    assert checked_answers("odd", "knock", [1], 1).dtype == np.bool_


def test_one_by_one_does_not_round_melds_either() -> None:
    base = simple()

    def laying(melds) -> Player:  # type: ignore[no-untyped-def]
        player = one_by_one("odd", lambda s, u: False, lambda s, u: 0, lambda s, u: True, lambda s, u: melds)
        return Player("odd", base.draw, base.discard, base.knock, player.spread)

    with pytest.raises(TypeError, match="integer"):
        sim.play(laying([7.5]), simple(), range(2), EAAI, 1)
    with pytest.raises(IllegalAction, match="'odd' answered spread with 5 melds: at most 4"):
        sim.play(laying([7] * 5), simple(), range(2), EAAI, 1)
