"""What other answers would have brought: the same as lines of play from the same position, priced alike."""

from collections.abc import Callable

import numpy as np
import pytest
import torch

from ginrummy.cards import CARDS
from ginrummy.compiled.policy import SCRATCH, Compiled
from ginrummy.compiled.worlds import Worlds, lines, play_from
from ginrummy.equity import win_chances
from ginrummy.estimators.types import TYPES
from ginrummy.melds import deadwoods
from ginrummy.players.registry import make_player
from ginrummy.policies import champion
from ginrummy.policies.champion import DISCARD, DRAW
from ginrummy.policies.rollout import ROLLOUT
from ginrummy.policies.sketch import SKETCH
from ginrummy.rules import EAAI, PRESETS
from ginrummy.search.leaves import INPUTS, leaf_rows, leaf_values, leaves
from ginrummy.search.pricing import SPAN, price_list
from ginrummy.search.searcher import discarded
from ginrummy.search.styles import own_policy
from ginrummy.strength import KNOCK, KNOCK_TURNS
from ginrummy.training.selfplay import what_if
from ginrummy.training.selfplay.arena import QUESTIONS, Arena, Experience, Law, Opponent
from ginrummy.training.selfplay.kernels import KNOCK as KNOCK_LOGIT
from ginrummy.training.selfplay.kernels import SCALE
from ginrummy.training.selfplay.learner import Learner, Settings, _log_chances, what_if_reward

TUNED = make_player("hand-strength:profile=tuned")


def arena_of(preset: str = "eaai", tables: int = 24, decisions: int = 1500) -> Arena:
    pool = [Opponent(make_player("simple"), 0.4, kind="at-once"), Opponent(TUNED, 0.3, greedy=True)]
    law = Law(preset, PRESETS[preset], 1, win_chances(PRESETS[preset]))
    return Arena(pool, TUNED.compiled, [law], 7, tables=tables, decisions=decisions, sure=-0.02)


def gathered(arena: Arena, check: Callable[..., None]) -> int:
    """Play; what other answers are worth is handed to ``check``, with the questions as ``ask`` gets them."""
    ask = what_if.WhatIf.ask

    def checked(self, *given):
        codes, worth = ask(self, *given)
        check(self, codes, worth, *given)
        return codes, worth

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(what_if.WhatIf, "ask", checked)
        return arena.gather(Learner(Settings(width=8, depth=2), 1).think)


@pytest.mark.parametrize("preset", ["eaai", "uk"])
def test_worths_are_those_of_lines_from_the_same_position(preset: str) -> None:
    """With stocks in the same orders, ``play_from`` and ``price_list`` find the same numbers."""
    arena, rules = arena_of(preset), PRESETS[preset]
    checked = dict.fromkeys(QUESTIONS.values(), 0)

    def compare(self, codes, worth, tables, mine, rows, facts, question, phase, who, law, chances, prices):
        whole = (mine["own_turns"][rows] >= what_if.LATE) | (rules != EAAI)
        for k in np.flatnonzero(whole)[: 2 if checked[question] < 12 else 0]:
            row, seen = rows[k], mine[rows[k]]
            size = int(seen["stock"])
            stocks = np.empty((what_if.WHOLE_WORLDS, size), np.int8)
            what_if._fill_stocks(tables[row], size, stocks)
            assert (stocks[0] == tables["deck"][row][CARDS - size :]).all()
            assert (np.sort(stocks, axis=1) == np.sort(stocks[0])).all()
            assert size < 8 or (stocks[1:] != stocks[0]).any()
            answers = [int(code) for code in codes[k] if code >= 0]
            worlds = Worlds(np.full(len(stocks), facts[0][k]), stocks)
            todo = lines(len(stocks), [code - CARDS if code >= CARDS else code for code in answers])
            policy, styles = next((one[0], one[2]) for one in self.plays if who[row] in one[1])
            other = Compiled(policy, tuple(styles[who[row]]))
            own = own_policy("sketch")
            seed = int(tables["key"][row] >> np.uint64(12))
            found = play_from(mine, int(row), phase, worlds, todo, rules, mine=own, other=other, seed=seed)
            price = price_list(rules, int(seen["score"]), int(seen["opponent_score"]), int(seen["starts"]))
            expected = SCALE * price[SPAN + found["points"]].reshape(len(stocks), -1).mean(axis=0)
            assert worth[k, : len(answers)] == pytest.approx(expected, abs=1e-5)
            assert (worth[k, len(answers) :] == 0).all()
            checked[question] += 1

    size = gathered(arena, compare)
    assert all(number >= 4 for number in checked.values()), checked
    kept = arena.kept
    unsure = kept.log_chance[:size] < -0.02
    assert ((kept.codes[:size, 0] >= 0) == unsure).all()
    cards = unsure & (kept.question[:size] == DISCARD)
    for codes, mask in zip(kept.codes[:size][cards], kept.mask[:size][cards], strict=True):
        assert all(int(mask) >> int(code) & 1 for code in codes if code >= 0)


def test_early_answers_are_worth_what_the_leaf_after_them_says() -> None:
    """After a discard that ends the turn, the network of leaves is asked about the opponent's draw."""
    checked = [0, 0]
    scratch = np.empty(SCRATCH, np.int64)

    def compare(self, codes, worth, tables, mine, rows, facts, question, phase, who, law, chances, prices):
        if question == DRAW:
            assert (worth >= 0).all() and (worth <= SCALE).all()
            return
        for k in np.flatnonzero(mine["own_turns"][rows] < what_if.LATE)[:40]:
            row = int(rows[k])
            first = np.repeat(mine[row : row + 1], 1)
            place = 0 if question == DISCARD else int(np.flatnonzero(codes[k] == what_if.NO)[0])
            if question == DISCARD:
                first = discarded(mine, np.array([row]), codes[k, :1])
                if deadwoods(first["hand"])[0] <= first["limit"][0]:
                    continue  # the side would be asked whether to knock
            second = first.copy()
            second["hand"], second["own_turns"] = facts[0][k], first["turns"] - first["own_turns"]
            x, kinds = np.empty((1, INPUTS), np.float32), self.kinds[who[row : row + 1]]
            leaf_rows(first, second, np.zeros(1, np.int64), 1, kinds, scratch, x)
            seen = mine[row]
            price = price_list(EAAI, int(seen["score"]), int(seen["opponent_score"]), int(seen["starts"]))
            value, room = np.empty(1), np.empty(1024, np.float32)
            leaf_values(x, leaves().weights, leaves().shares @ price, room, value)
            assert worth[k, place] == pytest.approx(SCALE * value[0], abs=1e-5)
            checked[question != DISCARD] += 1

    arena = arena_of()
    arena.rechecked = 1.0, 0.0, 0.0
    size = gathered(arena, compare)
    assert min(checked) > 20, checked
    assert (arena.kept.codes[:size, 0] >= 0).mean() > 0.6  # all early decisions
    greedy = 1 + len(TYPES)
    assert arena._what_if.kinds.tolist() == [TYPES.index("early"), TYPES.index("at-once"), greedy]


def test_sure_decisions_are_rechecked_by_their_shares() -> None:
    arena = arena_of()
    chances = np.array([-0.5, -0.01, -1e-6] * 4000, np.float32)
    u = np.random.default_rng(1).random(len(chances))
    dear, cheap = np.zeros(len(u), np.bool_), np.ones(len(u), np.bool_)

    def shares(cheap: np.ndarray) -> list[float]:
        return arena._asks(chances, cheap, u).reshape(-1, 3).mean(axis=0).tolist()

    assert shares(dear) == shares(cheap) == [1, 0, 0]
    arena.rechecked = 0.8, 0.3, 0.05
    assert shares(dear) == pytest.approx([1, 0.3, 0.05], abs=0.03)
    assert shares(cheap) == pytest.approx([1, 0.8, 0.8], abs=0.03)


def test_opponents_play_as_themselves_where_they_can() -> None:
    assert what_if.style_of(TUNED, "early", past=False) is TUNED.compiled
    simple = make_player("simple")
    assert what_if.style_of(simple, "at-once", past=False) is simple.compiled
    style = what_if.style_of(make_player("safe-discard"), "at-once", past=False)
    assert style.policy is ROLLOUT and (style.array[KNOCK : KNOCK + KNOCK_TURNS] == EAAI.knock_limit).all()
    assert what_if.style_of(make_player("champion"), "early", past=True).policy is SKETCH
    plays = what_if.what_if([TUNED.compiled, style, TUNED.compiled], [1, 0, 1]).plays
    assert [(policy, players.tolist()) for policy, players, _ in plays] == [
        (SKETCH, [0]), (TUNED.compiled.policy, [1, 3]), (ROLLOUT, [2])
    ]  # fmt: skip
    assert (plays[1][2][3] == TUNED.compiled.array).all()


def test_the_slope_favours_the_better_answer() -> None:
    """The slope raises the answers that are worth more, however seldom the actor gives them."""
    size = 4
    kept = Experience.room(size)
    kept.question[:] = DISCARD, champion.KNOCK, DISCARD, champion.KNOCK
    kept.mask[:] = 0b1111, 0, 0b1111, 0
    kept.codes[0, :3], kept.worth[0, :3] = (0, 1, 3), (1.0, 2.0, 0.0)
    for row in (1, 3):
        kept.codes[row, :2], kept.worth[row, :2] = (what_if.NO, what_if.NO + 1), (0.5, 0.1)
    logits = torch.zeros((size, 54))
    logits[3, KNOCK_LOGIT] = 12.0  # sure, and wrong
    logits.requires_grad = True
    part = np.arange(size)
    how = Settings(softened=4.0, step_worth=0.0)
    gain = what_if_reward(_log_chances(logits, kept, part)[2], kept, part, how)
    assert float(gain.detach()) == pytest.approx(0, abs=1e-6)  # against its own mean
    gain.backward()
    slope = logits.grad.numpy() * size
    third = 1 / 3
    assert slope[0, [0, 1, 3]] == pytest.approx([0, third, -third], abs=1e-6)
    assert slope[0, 2] == pytest.approx(0, abs=1e-6) and (slope[2] == 0).all()  # not played on
    assert slope[1, KNOCK_LOGIT] == pytest.approx(-0.25 * 0.4)
    surely = 1 / (1 + np.exp(-12.0 / 4))
    assert slope[3, KNOCK_LOGIT] == pytest.approx(-surely * (1 - surely) * 0.4, rel=1e-4)


def test_the_best_softened_policy_falls_by_the_worth_of_a_step() -> None:
    """Where an answer is worth two steps less, the slope vanishes when the softened logits are two apart."""
    kept = Experience.room(1)
    kept.question[:], kept.mask[:] = champion.KNOCK, 0
    how = Settings(softened=4.0, step_worth=0.003)
    kept.codes[0, :2] = what_if.NO, what_if.NO + 1
    kept.worth[0, :2] = 0.0, 2 * how.step_worth * SCALE
    for logit, sign in ((2 * how.softened, 0), (how.softened, 1), (3 * how.softened, -1)):
        logits = torch.zeros((1, 54))
        logits[0, KNOCK_LOGIT] = logit
        logits.requires_grad = True
        part = np.arange(1)
        what_if_reward(_log_chances(logits, kept, part)[2], kept, part, how).backward()
        slope = float(logits.grad[0, KNOCK_LOGIT])
        assert np.sign(slope) == sign if sign else slope == pytest.approx(0, abs=1e-6)


def test_the_opinion_of_the_reference_counts_beside_what_answers_brought() -> None:
    """A logit is worth ``trust`` of a game, counted from the best answer; far behind is far behind."""
    learner = Learner(Settings(width=8, depth=2, trust=0.001), 1)
    kept = Experience.room(2)
    kept.question[:] = DISCARD, champion.KNOCK
    kept.codes[0, :3], kept.codes[1, :2] = (3, 7, 9), (what_if.NO, what_if.NO + 1)
    kept.worth[:] = 0.5
    logits = torch.zeros((2, 54))
    logits[0, [3, 7, 9]] = torch.tensor([2.0, 5.0, -99.0])
    logits[1, KNOCK_LOGIT] = -4.0
    learner.reference.think = lambda asked, blueprint: logits[asked.rows]  # type: ignore[method-assign]
    learner._trust(kept, np.arange(2))
    unit = 0.001 * SCALE
    assert kept.worth[0] == pytest.approx([0.5 - 3 * unit, 0.5, 0.5 - 60 * unit, 0.5])
    assert kept.worth[1] == pytest.approx([0.5, 0.5 - 4 * unit, 0.5, 0.5])


def test_a_learner_that_renews_trusts_its_average() -> None:
    learner = Learner(Settings(width=8, depth=2), 1)
    with torch.no_grad():
        for one in learner.average.parameters():
            one.add_(1.0)
    before, average = (list(one.parameters()) for one in (learner.reference, learner.average))
    assert any((one != other).any() for one, other in zip(before, average, strict=True))
    learner.renew()
    assert all((one == other).all() for one, other in zip(before, average, strict=True))
