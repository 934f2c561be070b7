"""The bridge to OpenSpiel: its numbers, its histories, our players there and its bots here."""

from __future__ import annotations

import random
import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

pyspiel = pytest.importorskip("pyspiel", reason="the extra openspiel is not installed")
# ruff: noqa: E402, since nothing below can be imported without the library

from ginrummy import notation, sim
from ginrummy.bridges.openspiel import codes, histories, players
from ginrummy.bridges.openspiel.bots import bot
from ginrummy.cards import card_text, mask_of
from ginrummy.errors import BadInput, IllegalAction, ParseError, PlayerError, UnknownName
from ginrummy.players.registry import make_player
from ginrummy.rules import EAAI, OPENSPIEL
from ginrummy.scoring import OUTCOMES
from kept_rounds import table_of

GAME = pyspiel.load_game("gin_rummy")


def test_cards_and_melds_have_its_numbers() -> None:
    its = pyspiel.gin_rummy.GinRummyUtils(13, 4, 10)
    assert [its.card_string(codes.THEIRS[card]).upper() for card in range(52)] == [
        card_text(card) for card in range(52)
    ]
    assert {number: mask_of(codes.OURS[c] for c in meld) for number, meld in its.int_to_meld.items()} == dict(
        enumerate(codes.MELDS)
    )


def played(bots: list[Any], seed: int) -> Any:
    """The last state of a round between two bots."""
    chance = random.Random(seed)
    state = GAME.new_initial_state()
    for one in bots:
        one.restart()
    while not state.is_terminal():
        if state.is_chance_node():
            state.apply_action(chance.choice(state.legal_actions()))
        else:
            state.apply_action_with_legality_check(bots[state.current_player()].step(state))
    return state


def theirs(name: str, player_id: int, seed: int) -> Any:
    if name == "its simple":
        return players.simple_bot(player_id)
    return pyspiel.make_uniform_random_bot(player_id, seed)


def points_of(record: notation.RoundRecord) -> list[float]:
    assert record.ending
    worth = float(record.ending.points)
    return {0: [worth, -worth], 1: [-worth, worth], None: [0.0, 0.0]}[record.ending.winner]


PAIRS = [
    ("simple", "its simple", 40),
    ("its simple", "hand-strength", 40),
    ("random", "simple", 25),
    ("its random", "medium-kh", 15),
    ("random", "random", 15),
    ("its random", "its random", 40),
    ("champion:level=fast", "its simple", 10),
]


@cache
def rounds_there() -> list[Any]:
    """Rounds at OpenSpiel's table; its checks of legality pass."""
    states = []
    for first, second, number in PAIRS:
        for seed in range(number):
            bots = [
                theirs(name, seat, seed) if name.startswith("its ") else bot(name, seat, seed)
                for seat, name in enumerate((first, second))
            ]
            states.append(played(bots, seed))
    return states


def test_our_players_play_there_and_the_histories_are_records() -> None:
    """Every history is read, is worth the same, and is written back."""
    seen: Counter[str] = Counter()
    for state in rounds_there():
        history = state.history()
        record = histories.read(history)
        assert points_of(record) == state.returns()
        seen[OUTCOMES[record.ending.outcome]] += 1
        again = histories.write(record)
        twin = GAME.new_initial_state()
        for action in again:
            twin.apply_action_with_legality_check(action)
        assert twin.returns() == state.returns() and twin.is_terminal()
        seen["same history"] += again[21:] == history[21:]
        game = histories.game_record(history)
        assert notation.read(notation.write(game)) == game
        try:
            notation.replay(game)
            seen["by our rules"] += 1
        except IllegalAction as error:
            assert (
                "expected the result" in str(error)
                or "of the defender" in str(error)
                or "layoffs" in str(error)
            )
            seen["weak defence"] += 1
    assert min(seen[name] for name in ("knock", "gin", "undercut", "dead")) > 0
    assert seen["weak defence"] <= seen["by our rules"]
    assert seen["same history"] > 100


def test_every_moment_of_a_history_can_be_read() -> None:
    """The phases of both agree at every action."""
    steps = {
        "FIRST_UPCARD": "DRAW", "DRAW": "DRAW", "WALL": "DRAW", "DISCARD": "DISCARD", "KNOCK": "KNOCK MELDS",
        "LAYOFF": "LAYOFFS DEFENCE",
    }  # fmt: skip
    for final in rounds_there()[::9]:
        state, reading = GAME.new_initial_state(), histories.Reading()
        for action in final.history():
            if not state.is_chance_node():
                assert reading.step.name in steps[state.current_phase().name].split()
                table = reading.table
                assert table
                if not table.over:
                    assert reading.player == state.current_player()
                    assert sorted(state.hands()[reading.player]) == sorted(
                        codes.THEIRS[card] for card in range(52) if reading.hand >> card & 1
                    )
            state.apply_action(action)
            reading.apply(action)
        assert reading.step is histories.Step.OVER


@pytest.mark.parametrize(
    ("spec", "games"),
    [
        ("openspiel:bot=simple", 24),
        ("openspiel:bot=random", 10),
        ("openspiel:bot=ismcts,simulations=4", 2),
    ],
)
def test_its_bots_play_here_by_its_rules(spec: str, games: int) -> None:
    """Rounds of our simulator, played there again: every action is legal, every result the same."""
    player = make_player(spec)
    assert player.name == spec
    run = sim.play(player, make_player("simple"), range(games), OPENSPIEL, 3, record=True)
    assert (
        "ismcts" in spec
        or (  # the library's IS-MCTS gives other answers from the same seed
            sim.play(make_player(spec), make_player("simple"), range(games), OPENSPIEL, 3, batch=1).games
            == run.games
        ).all()
    )
    left_out = 0
    for kept in run.rounds:
        table = table_of(kept, OPENSPIEL)
        state = GAME.new_initial_state()
        try:
            for action in histories.write(notation.round_record(table)):
                state.apply_action_with_legality_check(action)
        except pyspiel.SpielError:  # a knock that it does not offer: see ``histories``
            left_out += 1
            continue
        worth = float(kept["points"]) * (1 - 2 * (int(kept["seat"]) ^ table.starter))
        assert state.returns() == [worth, -worth]
    assert left_out <= 1


def test_any_bot_can_be_made_a_player() -> None:
    asked = []

    def make(player_id: int, seed: int) -> Any:
        asked.append(player_id)
        return pyspiel.make_uniform_random_bot(player_id, seed)

    mine = players.player("mine", make)
    run = sim.play(mine, make_player("simple"), range(2), OPENSPIEL, 5)
    assert set(asked) == {0, 1}
    assert run.games["outcomes"].sum() == 2


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("openspiel:bot=alpha", "bot is one of ismcts, simple, random, not 'alpha'"),
        ("openspiel:simulations=0", "simulations is at least 1, not 0"),
        ("openspiel:depth=3", "player openspiel has no parameter 'depth=3'"),
    ],
)
def test_wrong_words_are_answered_with_what_is_possible(spec: str, message: str) -> None:
    with pytest.raises((BadInput, UnknownName), match=message):
        make_player(spec)


def test_its_bots_know_their_own_rules_only() -> None:
    with pytest.raises(PlayerError, match="plays by the rules openspiel"):
        sim.play(make_player("openspiel:bot=random"), make_player("simple"), range(20), EAAI, 1)


def history() -> list[int]:
    return list(rounds_there()[0].history())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda h: h[:5], "expected 21 dealt cards, got 5"),
        (
            lambda h: [h[0], h[0], *h[2:]],
            "action 2 of the history, .*: expected a card that has not been dealt",
        ),
        (lambda h: [*h[:21], 55, *h[21:]], "action 22 of the history, 55: expected a draw"),
        (lambda h: [*h, 54], "expected nothing more"),
        (lambda h: [*h[:-1], 300], "action .* of the history, 300: expected the defender's melds"),
        (lambda h: h[:-1], "the history ends in the middle of a turn: expected the defender's melds"),
    ],
)
def test_broken_histories_are_refused(change: Any, message: str) -> None:
    with pytest.raises(ParseError, match=message):
        histories.read(change(history()))


def test_an_unfinished_history_is_an_unfinished_record() -> None:
    record = histories.read(history()[:25])
    assert record.ending is None
    assert histories.write(record)[21:] == history()[21:25]


def test_a_round_that_its_rules_forbid_is_not_written() -> None:
    """Under the challenge's rules the wall is dead for everybody; a one-sided record hides cards."""
    run = sim.play(
        make_player("random"), make_player("random"), range(30), EAAI._replace(max_rounds=1), 2, record=True
    )
    refused = 0
    for kept in run.rounds:
        record = notation.round_record(table_of(kept, EAAI))
        try:
            histories.write(record)
        except IllegalAction as error:
            refused += 1
            assert (
                "by the rules of OpenSpiel" in str(error)
                or "of the history" in str(error)
                or "expected" in str(error)
            )
    assert refused < len(run.rounds)
    game = notation.one_sided(notation.GameRecord(EAAI, rounds=(record,)), 0)
    with pytest.raises(IllegalAction, match="knows every card"):
        histories.write(game.rounds[0])


def test_the_code_of_the_page_runs() -> None:
    page = (Path(__file__).parent.parent / "docs/openspiel.md").read_text(encoding="utf-8")
    for code in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
        exec(compile(code, "openspiel.md", "exec"), {})
