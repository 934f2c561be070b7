"""What other answers would have brought: the same as lines of play from the same position, priced alike."""

import numpy as np
import pytest
import torch

from ginrummy.cards import CARDS
from ginrummy.compiled.policy import Compiled
from ginrummy.compiled.worlds import Worlds, lines, play_from
from ginrummy.equity import win_chances
from ginrummy.players.registry import make_player
from ginrummy.policies import champion
from ginrummy.policies.champion import DISCARD
from ginrummy.policies.rollout import ROLLOUT
from ginrummy.rules import EAAI, PRESETS
from ginrummy.search.pricing import SPAN, price_list
from ginrummy.search.styles import own_policy
from ginrummy.strength import KNOCK, KNOCK_TURNS, PARAMETERS
from ginrummy.training.selfplay import what_if
from ginrummy.training.selfplay.arena import QUESTIONS, Arena, Experience, Law, Opponent
from ginrummy.training.selfplay.kernels import KNOCK as KNOCK_LOGIT
from ginrummy.training.selfplay.kernels import SCALE
from ginrummy.training.selfplay.learner import Learner, Settings, _log_chances, _what_if

TUNED = make_player("hand-strength:profile=tuned")


def arena_of(preset: str = "eaai", tables: int = 24, decisions: int = 1500) -> Arena:
    pool = [Opponent(make_player("simple"), 0.4, kind="at-once"), Opponent(TUNED, 0.3)]
    law = Law(preset, PRESETS[preset], 1, win_chances(PRESETS[preset]))
    return Arena(pool, TUNED.compiled, [law], 7, tables=tables, decisions=decisions, sure=-0.02)


@pytest.mark.parametrize("preset", ["eaai", "uk"])
def test_worths_are_those_of_lines_from_the_same_position(preset: str) -> None:
    """With stocks in the same orders, ``play_from`` and ``price_list`` find the same numbers."""
    arena, rules = arena_of(preset), PRESETS[preset]
    checked = dict.fromkeys(QUESTIONS.values(), 0)
    ask = what_if.WhatIf.ask

    def compared(self, tables, mine, rows, facts, question, phase, who, law, chances):
        codes, worth = ask(self, tables, mine, rows, facts, question, phase, who, law, chances)
        for k, row in enumerate(rows[:2] if checked[question] < 12 else ()):
            size = int(mine["stock"][row])
            stocks = np.empty((what_if.WORLDS, size), np.int8)
            what_if._fill_stocks(tables[row], size, stocks)
            assert (stocks[0] == tables["deck"][row][CARDS - size :]).all()
            assert (np.sort(stocks, axis=1) == np.sort(stocks[0])).all()
            assert size < 3 or (stocks[1:] != stocks[0]).any()
            answers = [int(code) for code in codes[k] if code >= 0]
            worlds = Worlds(np.full(what_if.WORLDS, facts[0][k]), stocks)
            todo = lines(what_if.WORLDS, [code - CARDS if code >= CARDS else code for code in answers])
            other = Compiled(ROLLOUT, tuple(self.styles[who[row]]))
            own = own_policy("sketch")
            seed = int(tables["key"][row] >> np.uint64(12))
            found = play_from(mine, int(row), phase, worlds, todo, rules, mine=own, other=other, seed=seed)
            seen = mine[row]
            prices = price_list(rules, int(seen["score"]), int(seen["opponent_score"]), int(seen["starts"]))
            expected = SCALE * prices[SPAN + found["points"]].reshape(what_if.WORLDS, -1).mean(axis=0)
            assert worth[k, : len(answers)] == pytest.approx(expected, abs=1e-5)
            assert (worth[k, len(answers) :] == 0).all()
            checked[question] += 1
        return codes, worth

    patch = pytest.MonkeyPatch()
    patch.setattr(what_if.WhatIf, "ask", compared)
    with patch.context():
        size = arena.gather(Learner(Settings(width=8, depth=2), 1).think)
    patch.undo()
    assert all(number >= 6 for number in checked.values()), checked
    kept = arena.kept
    unsure = kept.log_chance[:size] < -0.02
    assert ((kept.codes[:size, 0] >= 0) == unsure).all()
    cards = unsure & (kept.question[:size] == DISCARD)
    for codes, mask in zip(kept.codes[:size][cards], kept.mask[:size][cards], strict=True):
        assert all(int(mask) >> int(code) & 1 for code in codes if code >= 0)


def test_styles_are_those_of_the_players() -> None:
    style = what_if.style_of(TUNED, None)
    assert (style[:PARAMETERS] == TUNED.compiled.array).all()
    style = what_if.style_of(make_player("simple"), "at-once")
    assert (style[KNOCK : KNOCK + KNOCK_TURNS] == EAAI.knock_limit).all()
    style = what_if.style_of(make_player("simple:knock_at=0"), "gin")
    assert (style[KNOCK : KNOCK + KNOCK_TURNS] == 0).all()


def test_the_slope_favours_the_better_answer() -> None:
    """The gain is that of the actor's own mixture, and its slope raises the answers that are worth more."""
    size = 3
    kept = Experience.room(size)
    kept.question[:] = DISCARD, champion.KNOCK, DISCARD
    kept.mask[:] = 0b1111, 0, 0b1111
    kept.codes[0, :3], kept.worth[0, :3] = (0, 1, 3), (1.0, 2.0, 0.0)
    kept.codes[1, :2], kept.worth[1, :2] = (what_if.NO, what_if.NO + 1), (0.5, 0.1)
    logits = torch.zeros((size, 54), requires_grad=True)
    part = np.arange(size)
    gain = _what_if(_log_chances(logits, kept, part)[2], kept, part)
    assert float(gain.detach()) == pytest.approx(0, abs=1e-6)  # against its own mean
    gain.backward()
    slope = logits.grad.numpy() * size
    assert slope[0, [0, 1, 3]] == pytest.approx([0, 0.25, -0.25])
    assert slope[0, 2] == pytest.approx(0) and (slope[2] == 0).all()  # not played on
    assert slope[1, KNOCK_LOGIT] == pytest.approx(0.5 * (0.1 - 0.3) - 0.5 * 0.5 * (0.1 + 0.5 - 0.6))
