"""Compiled play: the same rounds as lockstep, and rounds continued from any moment end as they really did."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from ginrummy import decks, sim
from ginrummy._jit import lean
from ginrummy.cards import DECK
from ginrummy.compiled import games as compiled_games
from ginrummy.compiled import policy, worlds
from ginrummy.compiled.policy import Compiled, Policy
from ginrummy.compiled.worlds import LINE, Worlds, lines, play_from
from ginrummy.errors import BadInput, IllegalAction
from ginrummy.moments import in_order
from ginrummy.players.base import Player, from_policy
from ginrummy.players.registry import make_player
from ginrummy.policies.baseline import SIMPLE, discard_any
from ginrummy.rules import EAAI, PRESETS, Rules
from ginrummy.tables import DEFEND_PHASE, DISCARD_PHASE, DRAW_PHASE, KNOCK_PHASE, SPREAD_PHASE
from plain_policy import PLAIN, plain


@lean
def discard_nothing(seen, p, u, scratch):
    return 99


PHASES = {"draw": DRAW_PHASE, "discard": DISCARD_PHASE, "knock": KNOCK_PHASE, "spread": SPREAD_PHASE}


def test_recorded_rounds_are_those_of_lockstep() -> None:
    """More rounds than the loop has room for at a time."""
    first, second = make_player("simple"), make_player("hand-strength")
    games = range(10, 700)
    ours = compiled_games.play(first.compiled, second.compiled, games, EAAI, 3, record=True)
    lockstep = sim.play(first, second, games, EAAI, 3, record=True)
    assert len(ours.rounds) > compiled_games.ROOM
    assert (ours.games == lockstep.games).all()
    assert (cleaned(ours.rounds) == cleaned(lockstep.rounds)).all()


def test_the_stream_gives_the_same_rounds_without_end() -> None:
    simple = make_player("simple").compiled
    rounds = compiled_games.stream(simple, simple, EAAI, 3, start=8)
    found = np.concatenate([next(rounds) for _ in range(3)])
    games = range(8, 600)
    whole = cleaned(compiled_games.play(simple, simple, games, EAAI, 3, record=True).rounds)
    ours = found[found["game"] < games.stop]
    assert len(found) > 2 * compiled_games.ROOM and (cleaned(ours) == whole).all()


def cleaned(rounds: np.ndarray) -> np.ndarray:
    """Rounds in order; what lies in a log beyond its events means nothing."""
    kept = in_order(rounds).copy()
    beyond = np.arange(kept["log"].shape[2]) >= kept["events"][:, None]
    kept["log"][np.broadcast_to(beyond[:, None], kept["log"].shape[:3])] = 0
    return kept


def test_a_policy_that_breaks_the_rules_is_named() -> None:
    wrong = Compiled(Policy(SIMPLE.draw, discard_nothing, SIMPLE.knock, SIMPLE.spread))
    with pytest.raises(IllegalAction, match=r"player 'crook' .*the card is not in the hand; it saw hand"):
        compiled_games.play(wrong, wrong, range(2), EAAI, 1, names=("crook", "crook"))


class Moment:
    """A question to the first player: what it saw, what it answered, at which table."""

    def __init__(self, phase: int, view: np.ndarray, row: int, answer: object) -> None:
        self.phase, self.view, self.row, self.answer = phase, view, row, answer


def watch(player: Player, seen: list[Moment]) -> Player:
    def watched(name):
        decide = getattr(player, name)

        def call(view, rows, u):
            answers = decide(view, rows, u)
            for row, answer in zip(rows, answers, strict=True):
                phase = PHASES[name]
                if name == "spread" and view["knocked"][row].any():
                    phase = DEFEND_PHASE
                seen.append(Moment(phase, view[row : row + 1].copy(), int(row), answer))
            return answers

        return call

    named = {name: watched(name) for name in PHASES}
    return replace(player, compiled=None, **named)


def the_world(moment: Moment, deck: np.ndarray) -> Worlds:
    """What was hidden in truth."""
    seen = moment.view[0]
    stock = deck[52 - int(seen["stock"]) :]
    hidden = DECK & ~int(seen["hand"] | seen["pile"])
    hand = hidden & ~sum(1 << int(card) for card in stock)
    return Worlds(np.array([hand], np.int64), stock[None, :])


@pytest.mark.parametrize("preset", PRESETS)
def test_play_from_any_moment_ends_as_the_round_did(preset: str) -> None:
    """With the truth as its world and players without chance, every moment of a round leads to its end."""
    rules = PRESETS[preset]
    mine, other = plain(10), plain(4)
    rounds = np.array([decks.deck(7, 2 * n, 0) for n in range(40)], np.int8)
    starters = np.arange(40) % 2
    seen: list[Moment] = []
    run = sim.play_rounds(
        watch(from_policy("mine", mine), seen), from_policy("other", other), rounds, starters, rules,
        scores=np.tile([30, 45], (40, 1)),
    )  # fmt: skip
    ended = {int(kept["game"]): kept for kept in run.rounds}
    asked = {moment.phase for moment in seen}
    assert {DRAW_PHASE, DISCARD_PHASE, KNOCK_PHASE, SPREAD_PHASE} <= asked
    for moment in seen[:: 1 if len(seen) < 1200 else 3]:
        world, kept = the_world(moment, rounds[moment.row]), ended[moment.row]
        todo = np.array([(0, worlds.ASK, worlds.ASK)], LINE)
        if moment.phase != SPREAD_PHASE and moment.phase != DEFEND_PHASE:
            forced = np.array([(0, int(moment.answer), worlds.ASK)], LINE)
            todo = np.concatenate([todo, forced])
        found = play_from(moment.view, 0, moment.phase, world, todo, rules, mine=mine, other=other)
        assert found["points"].tolist() == [kept["points"]] * len(todo), (preset, moment.phase)
        assert found["outcome"].tolist() == [kept["outcome"]] * len(todo)


def first_discard(rules: Rules = EAAI) -> Moment:
    seen: list[Moment] = []
    deck = np.array([decks.deck(1, 0, 0)], np.int8)
    player = make_player("simple")
    sim.play_rounds(watch(player, seen), player, deck, np.zeros(1, np.int64), rules)
    return next(moment for moment in seen if moment.phase == DISCARD_PHASE)


def sampled(moment: Moment, size: int) -> Worlds:
    """Worlds that the view allows, all alike."""
    rng = np.random.default_rng(1)
    seen = moment.view[0]
    known = int(seen["opponent"])
    hidden = [c for c in range(52) if (DECK & ~int(seen["hand"] | seen["pile"]) & ~known) >> c & 1]
    taken = 10 - known.bit_count()
    orders = np.array([rng.permutation(hidden) for _ in range(size)])
    hands = (np.int64(1) << orders[:, :taken]).sum(axis=1) | known
    return Worlds(hands, orders[:, taken:].astype(np.int8))


def test_lines_of_a_world_do_not_depend_on_what_is_played_beside_them() -> None:
    moment = first_discard()
    simple = make_player("simple").compiled
    cards = [c for c in range(52) if int(moment.view[0]["allowed"]) >> c & 1]
    there = sampled(moment, 100)
    todo = lines(100, cards)
    before = moment.view.copy()
    whole = play_from(moment.view, 0, DISCARD_PHASE, there, todo, EAAI, mine=simple, other=simple, seed=4)
    assert (moment.view == before).all()
    part = play_from(
        moment.view, 0, DISCARD_PHASE, there, todo[333:350], EAAI, mine=simple, other=simple, seed=4
    )
    assert (part == whole[333:350]).all()
    again = play_from(moment.view, 0, DISCARD_PHASE, there, todo, EAAI, mine=simple, other=simple, seed=5)
    assert (again["points"] != whole["points"]).any()


def test_a_discard_and_a_knock_can_both_be_forced() -> None:
    moment = first_discard(EAAI._replace(knock_limit=99))
    card = int(moment.answer)
    there = sampled(moment, 50)
    knocks, plays_on = (
        play_from(
            moment.view, 0, DISCARD_PHASE, there, lines(50, [card], knock), EAAI._replace(knock_limit=99),
            mine=plain(10), other=plain(10),
        )
        for knock in (1, 0)
    )  # fmt: skip
    assert (knocks["turns"] == moment.view["turns"][0]).all()
    assert (plays_on["turns"] > moment.view["turns"][0]).all()


def test_what_has_no_meaning_is_refused() -> None:
    moment = first_discard()
    there = sampled(moment, 3)
    simple = make_player("simple").compiled

    def ask(phase=DISCARD_PHASE, hidden=there, todo=None):
        todo = lines(3) if todo is None else todo
        return play_from(moment.view, 0, phase, hidden, todo, EAAI, mine=simple, other=simple)

    with pytest.raises(BadInput, match="expected a phase"):
        ask(phase=0)
    with pytest.raises(BadInput, match="a stock of"):
        ask(hidden=Worlds(there.hands, there.stocks[:, 1:]))
    with pytest.raises(BadInput, match="worlds of the unseen cards"):
        ask(hidden=Worlds(there.hands[::-1], there.stocks))
    with pytest.raises(BadInput, match="worlds of the unseen cards"):
        ask(hidden=Worlds(there.hands ^ int(moment.view[0]["hand"]), there.stocks))
    with pytest.raises(BadInput, match="lines of worlds 0 to 2"):
        ask(todo=lines(4))
    unheld = next(c for c in range(52) if not int(moment.view[0]["hand"]) >> c & 1)
    with pytest.raises(IllegalAction, match=f"line 1 answers {unheld} and knocks -1"):
        ask(todo=np.array([(0, worlds.ASK, worlds.ASK), (1, unheld, worlds.ASK)], LINE))


def test_an_illegal_answer_within_a_line_names_the_side() -> None:
    moment = first_discard()
    wrong = Compiled(Policy(SIMPLE.draw, discard_nothing, SIMPLE.knock, SIMPLE.spread))
    simple = make_player("simple").compiled
    with pytest.raises(IllegalAction, match=r"player 'other' .*not in the hand; it saw hand"):
        play_from(moment.view, 0, DISCARD_PHASE, sampled(moment, 3), lines(3), EAAI, mine=simple, other=wrong)


def test_any_two_policies_make_a_loop() -> None:
    """Deciders of several players can be put together; the same ones give the same kernel."""
    mixed = Policy(SIMPLE.draw, discard_any, SIMPLE.knock, PLAIN.spread)
    run = compiled_games.play(Compiled(mixed), Compiled(SIMPLE), range(20), EAAI, 1)
    player = from_policy("mixed", Compiled(mixed))
    assert (run.games == sim.play(player, make_player("simple"), range(20), EAAI, 1).games).all()
    assert worlds.loop(mixed, SIMPLE) is worlds.loop(mixed, SIMPLE)


def test_threads_do_not_share_scratch_room() -> None:
    with ThreadPoolExecutor(1) as pool:
        theirs = pool.submit(lambda: policy._ROOM.scratch).result()
    assert theirs is not policy._ROOM.scratch and theirs.shape == (policy.SCRATCH,)
