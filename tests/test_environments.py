"""The environments: their libraries' own checks, the game behind them, and that they hide what is hidden."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("gymnasium", reason="the extra envs is not installed")
pytest.importorskip("pettingzoo", reason="the extra envs is not installed")

import gymnasium
import pettingzoo.test
from gymnasium.utils.env_checker import check_env

from ginrummy.bridges import pettingzoo as bridge
from ginrummy.bridges.gymnasium import FORFEIT, GinRummyEnv, GinRummyVectorEnv
from ginrummy.bridges.observations import (
    ACTION_PARTS,
    ACTIONS,
    ALL_ACTIONS,
    ASKED,
    BURIED,
    DEADWOOD,
    FIRST_MELD,
    HELD,
    KNOCK,
    KNOWN,
    LAID,
    LEAVE,
    LEFT,
    LIMIT,
    MELDS,
    NEW,
    OBSERVATION,
    OFFER,
    OTHER_SCORE,
    PLAY_ON,
    REFUSED,
    SCORE,
    SHOWN,
    SIZE,
    STARTED,
    STOCK,
    TAKE,
    TAKEN,
    THROWN,
    TOP,
    TURNS,
)
from ginrummy.bridges.stepping import Setting, Stepper
from ginrummy.cards import cards_of
from ginrummy.errors import BadInput, IllegalAction
from ginrummy.melds import best_meld_sets, deadwood
from ginrummy.players.base import Player, one_by_one
from ginrummy.players.registry import make_player, player_names
from ginrummy.round import Action, Defend, Discard, Draw, Knock, Pass, Phase, PlayOn, Take
from ginrummy.rules import EAAI, PRESETS
from ginrummy.session import Session
from ginrummy.view import NORMAL, Sight

SETTINGS: list[dict[str, Any]] = [
    {},
    {"episode": "game", "reward": "win"},
    {"melds": "choose"},
    {"rules": "us-boxes", "episode": "game", "melds": "choose"},
    *({"rules": name} for name in PRESETS if name != "eaai"),
]
"""Settings under which every environment is checked."""


@pytest.fixture(autouse=True)
def quiet() -> Any:
    """PettingZoo knows by name which of its own games have a dict as observation; it warns about others."""
    with warnings.catch_warnings():
        warnings.filterwarnings("error", module="ginrummy")
        warnings.filterwarnings("ignore", message="Observation is not a NumPy array")
        warnings.filterwarnings("ignore", message="Observation space for each agent probably should be")
        yield


# --- the libraries' own checks -----------------------------------------------------------------------------


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_pettingzoo_accepts_it(settings: dict[str, Any]) -> None:
    pettingzoo.test.api_test(bridge.env(**settings), num_cycles=200)
    pettingzoo.test.seed_test(lambda: bridge.env(**settings), num_cycles=50)
    pettingzoo.test.parallel_api_test(bridge.parallel_env(**settings), num_cycles=100)


def test_pettingzoo_measures_and_renders_it(capsys: pytest.CaptureFixture[str]) -> None:
    pettingzoo.test.performance_benchmark(bridge.env())
    pettingzoo.test.render_test(lambda render_mode=None: bridge.env(render_mode=render_mode))
    printed = capsys.readouterr().out
    assert float(printed.split("benchmark\n")[1].split()[0]) > 100  # turns per second
    assert "player_0: hand " in printed


@pytest.mark.parametrize("settings", [*SETTINGS, {"opponent": "medium-kh"}], ids=str)
def test_gymnasium_accepts_it(settings: dict[str, Any]) -> None:
    check_env(gymnasium.make("ginrummy/GinRummy-v0", **settings).unwrapped)


def test_gymnasium_makes_the_vector_environment() -> None:
    many = gymnasium.make_vec("ginrummy/GinRummy-v0", num_envs=5, vectorization_mode="vector_entry_point")
    observations, info = many.reset(seed=3)
    assert observations in many.observation_space
    assert info["action_mask"].shape == (5, many.single_action_space.n)
    many.close()


# --- the tables of indices ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("parts", "size"), [(OBSERVATION, SIZE), (ACTION_PARTS, ALL_ACTIONS)])
def test_the_tables_cover_every_index_once(parts: Any, size: int) -> None:
    assert parts[0].start == 0 and parts[-1].stop == size
    assert all(one.stop == other.start for one, other in pairwise(parts))


# --- a slow twin -------------------------------------------------------------------------------------------


def slow_observation(seen: Sight, asked: int | None, laid: int, target: int) -> np.ndarray:
    """The observation from the documented meaning of its indices, without any code of the encoder."""
    out = np.zeros(SIZE, np.float32)

    def mark(start: int, cards: Any) -> None:
        for card in cards:
            out[start + card] = 1

    mark(HELD, cards_of(seen.hand))
    mark(TOP, [seen.top] if seen.top >= 0 else [])
    mark(BURIED, [card for card in cards_of(seen.pile) if card != seen.top])
    mark(KNOWN, cards_of(seen.opponent))
    mark(THROWN, [event.discard for event in seen.log if not event.mine and event.discard >= 0])
    mark(REFUSED, [event.upcard for event in seen.log if not event.mine and not event.took])
    mark(SHOWN, [card for meld in seen.knocked for card in cards_of(meld)])
    mark(LAID, cards_of(laid))
    left = {card: deadwood(seen.hand & ~(1 << card)) / 100 for card in cards_of(seen.hand)}
    least = deadwood(seen.hand) / 100 if len(left) == 10 else min(left.values())
    if asked is not None:
        out[ASKED + asked] = 1
    if asked == 1:
        mark(NEW, [seen.drawn])
        for card in cards_of(seen.allowed):
            out[LEFT + card] = left[card]
        least = min(left[card] for card in cards_of(seen.allowed))
    if asked == 0:
        eleven = seen.hand | 1 << seen.top
        out[TAKEN] = min(deadwood(eleven & ~(1 << card)) for card in cards_of(eleven)) / 100
    out[DEADWOOD] = least
    if seen.offer != NORMAL:
        out[OFFER + seen.offer - 1] = 1
    out[STARTED] = seen.starts
    out[STOCK], out[TURNS], out[LIMIT] = seen.stock / 31, seen.turns / 200, seen.limit / 10
    out[SCORE], out[OTHER_SCORE] = min(1, seen.score / target), min(1, seen.opponent_score / target)
    return out


def asked_of(session: Session) -> int:
    phase = session._table.phase
    if phase is Phase.KNOCK and PlayOn() not in session.legal_actions():
        return 3
    return {Phase.DRAW: 0, Phase.DISCARD: 1, Phase.KNOCK: 2, Phase.DEFEND: 4}[phase]


class Follow:
    """A person's game (``Session``) that is told the actions of an environment."""

    def __init__(self, opponent: Player, rules: Any, seed: int, game: int, chooses: bool) -> None:
        self.session = Session(opponent, rules, seed, game=game)
        self.chooses = chooses
        self.melds: list[int] = []
        self.settle()

    def settle(self) -> None:
        """Deal the next round, and lay down melds where the environment does it itself."""
        session = self.session
        while not session.over:
            if session.round_over:
                session.deal()
            elif not self.chooses and asked_of(session) >= 3:
                self.lay_down((best_meld_sets(session.sight.hand) or [()])[0])
            else:
                return

    def lay_down(self, melds: Any) -> None:
        asked = asked_of(self.session)
        self.session.act(Defend(tuple(melds)) if asked == 4 else Knock(tuple(melds)))

    def act(self, action: int) -> None:
        session = self.session
        offer = session.sight.offer
        said: Action
        if action < 52:
            said = Discard(action)
        elif action == TAKE:
            said = Take()
        elif action == LEAVE:
            said = Draw() if offer == NORMAL else Pass()
        elif action == PLAY_ON:
            said = PlayOn()
        elif action == KNOCK and not self.chooses:
            said = Knock((best_meld_sets(session.sight.hand) or [()])[0])
        elif action == KNOCK:
            self.knocking = True
            return
        elif action >= FIRST_MELD:
            self.melds.append(int(MELDS[action - FIRST_MELD]))
            return
        else:
            self.lay_down(self.melds)
            self.melds = []
            self.knocking = False
            self.settle()
            return
        session.act(said)
        self.settle()

    knocking = False

    def observation(self) -> np.ndarray:
        asked = 3 if self.knocking else asked_of(self.session)
        return slow_observation(self.session.sight, asked, sum(self.melds), self.session.rules.target)


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_the_game_is_that_of_the_checked_rules(settings: dict[str, Any]) -> None:
    """Observations, rewards and results agree with a person's game at every step."""
    seen: Counter[str] = Counter()
    games = settings.get("episode") == "game"
    for opponent in ("simple", "random"):
        env = GinRummyEnv(opponent=opponent, illegal="raise", **settings)
        for episode in range(2 if games else 15):
            start = env.reset(seed=11 if episode == 0 else None)
            reward, info, session = followed(env, start, opponent, settings, seen)
            result = session.result
            assert result is not None
            assert info["score"] == list(result.scores)
            seen[info["outcome"]] += 1
            if settings.get("reward") == "win":
                assert reward == (0 if result.won is None else 1 if result.won else -1)
            elif games:
                assert reward == result.totals[0] - result.totals[1]
            else:
                assert reward == result.scores[0] - result.scores[1] == info["points"]
    assert min(seen["knock"] + seen["gin"], seen[str(KNOCK)], seen[str(TAKE)]) > 0
    assert settings.get("melds") != "choose" or seen["meld"] > 0


def followed(
    env: GinRummyEnv, start: tuple[Any, Any], opponent: str, settings: dict[str, Any], seen: Counter[str]
) -> tuple[float, dict[str, Any], Session]:
    """Play one episode by chance, and compare it with a person's game at every step."""
    rules = PRESETS[settings.get("rules", "eaai")]
    rules = rules if settings.get("episode") == "game" else rules._replace(max_rounds=1)
    game = int(env._table.batch.tables["game"][0])
    follow = Follow(make_player(opponent), rules, 11, game, settings.get("melds") == "choose")
    chance = np.random.default_rng(game)
    total, done, (observation, info) = 0.0, False, start
    while not done:
        assert np.abs(observation - follow.observation()).max() < 1e-6
        action = sensible(observation, np.flatnonzero(info["action_mask"]), chance)
        seen["meld" if action >= FIRST_MELD else str(action)] += 1
        follow.act(action)
        observation, reward, done, _, info = env.step(action)
        total += reward
    return total, info, follow.session


def sensible(seen: np.ndarray, legal: np.ndarray, chance: np.random.Generator) -> int:
    """Mostly a discard of least deadwood, so that knocks happen; any legal action otherwise."""
    left = seen[LEFT : LEFT + 52]
    if legal[0] < 52 and chance.random() < 0.8:
        legal = legal[left[legal] == left[legal].min()]
    return int(chance.choice(legal))


# --- many tables -------------------------------------------------------------------------------------------


def played(steps: int, **settings: Any) -> list[np.ndarray]:
    """All that a vector environment gives in some steps of random actions."""
    env = GinRummyVectorEnv(**settings)
    observations, info = env.reset(seed=9)
    kept = [observations, info["action_mask"]]
    for _ in range(steps):
        observations, reward, done, _, info = env.step(env.sample_actions())
        kept += [observations, reward, done, info["action_mask"]]
        if done.any():
            kept += [info["final_obs"][done], info["final_info"]["points"][done]]
    env.close()
    return kept


def test_tables_do_not_depend_on_threads() -> None:
    one, three = (played(60, num_envs=24, threads=threads) for threads in (1, 3))
    assert all((a == b).all() for a, b in zip(one, three, strict=True))


@pytest.mark.parametrize(
    "settings", [{}, {"rules": "openspiel"}, {"episode": "game", "melds": "choose"}], ids=str
)
def test_an_opponent_in_the_kernel_answers_as_one_that_is_asked(
    settings: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    inside = played(150, num_envs=16, opponent="simple", **settings)
    simple = make_player("simple")
    asked = Player("simple", simple.draw, simple.discard, simple.knock, simple.spread)
    monkeypatch.setattr("ginrummy.bridges.gymnasium.make_player", lambda spec: asked)
    outside = played(150, num_envs=16, opponent="simple", **settings)
    assert all((a == b).all() for a, b in zip(inside, outside, strict=True))


def test_a_row_of_many_is_a_table_alone() -> None:
    """Table b of B plays the games 2 (b + k B), so the only table of B = 1 plays game 0, 2, 4 …"""
    many, one = GinRummyVectorEnv(3, "random"), GinRummyEnv("random")
    seen, info = many.reset(seed=4)
    alone, _ = one.reset(seed=4)
    episodes = steps = 0
    while episodes < 1:
        assert (seen[0] == alone).all()
        actions = many.sample_actions()
        seen, reward, done, _, info = many.step(actions)
        alone, gain, over, _, end = one.step(int(actions[0]))
        assert (done[0], reward[0]) == (over, gain)
        steps += 1
        if over:
            assert (info["final_obs"][0] == alone).all()
            assert info["final_info"]["points"][0] == end["points"]
            episodes += 1
    assert steps > 5


# --- what is hidden stays hidden ---------------------------------------------------------------------------


def test_no_observation_changes_when_hidden_cards_are_swapped() -> None:
    """At many moments: deal the cards that one agent cannot know anew, and look again."""
    rng = np.random.default_rng(2)
    table = Stepper(1, None, Setting(EAAI))
    table.begin(8)
    worlds = 0
    for step in range(600):
        if step % 7 == 0:
            for side in (0, 1):
                worlds += swapped(table, side, rng)
        table.step(table.sample())
    assert worlds > 100


def swapped(table: Stepper, side: int, rng: np.random.Generator) -> bool:
    """Swap what ``side`` cannot know, compare its observation, and put the cards back."""
    batch = table.batch
    other = batch.second if side == 0 else batch.first
    seen = table.sight(0, side)
    before = table.observe(0, side)
    saved = batch.tables.copy(), batch.first.copy(), batch.second.copy()
    hidden = rng.permutation(cards_of(seen.unseen))
    held = int(other["hand"][0]).bit_count() - seen.opponent.bit_count()
    hand = seen.opponent | sum(1 << int(card) for card in hidden[:held])
    changed = hand != int(other["hand"][0])
    other["hand"] = hand
    other["allowed"] = hand if int(other["allowed"][0]) else 0
    batch.tables["deck"][0, 52 - seen.stock :] = hidden[held : held + seen.stock]
    assert held + seen.stock == len(hidden)
    assert (table.observe(0, side) == before).all()
    for array, kept in zip((batch.tables, batch.first, batch.second), saved, strict=True):
        array[:] = kept
    return changed


def test_an_agent_sees_no_more_by_observe_than_when_it_is_asked() -> None:
    """While the other agent moves, nothing of its hand, its drawn card or its questions is to be seen."""
    env = bridge.raw_env(melds="choose")
    env.reset(seed=21)
    for _ in range(400):
        mover = env.agent_selection
        if env.terminations[mover]:
            env.reset()
            continue
        waiting = next(agent for agent in bridge.AGENTS if agent != mover)
        seen = env.observe(waiting)
        hand = cards_of(env._table.sight(0, bridge.AGENTS.index(waiting)).hand)
        assert np.flatnonzero(seen["observation"][HELD : HELD + 52]).tolist() == hand
        assert not seen["action_mask"].any()
        assert not seen["observation"][ASKED : ASKED + 5].any()
        assert not seen["observation"][LAID : LAID + 52].any()
        env.step(int(env._table.sample()[0]))


def test_what_is_rendered_at_the_end_is_the_end() -> None:
    """The next episode has been dealt then: nothing of it may be shown."""
    env, alone = bridge.raw_env(render_mode="ansi"), GinRummyEnv(render_mode="ansi")
    env.reset(seed=3)
    while not env.terminations[env.agent_selection]:
        env.step(int(env._table.sample()[0]))
    _, info = alone.reset(seed=3)
    assert str(alone.render()).startswith("hand ")
    over = False
    while not over:
        _, _, over, _, info = alone.step(int(np.flatnonzero(info["action_mask"])[-1]))
    for shown in (env.render(), alone.render()):
        assert shown is not None and shown.startswith("over: ")


# --- what may go wrong -------------------------------------------------------------------------------------


def test_an_illegal_action_forfeits_or_raises() -> None:
    env = GinRummyEnv()
    env.reset(seed=1)
    _, reward, over, _, info = env.step(0)
    assert (reward, over, info["illegal"]) == (FORFEIT["points"], True, True)
    with pytest.raises(IllegalAction, match="expected a reset"):
        env.step(0)
    env.reset()
    strict = GinRummyEnv(illegal="raise")
    before, _ = strict.reset(seed=1)
    with pytest.raises(IllegalAction, match=r"expected one of the actions \[52, 53\], got 0"):
        strict.step(0)
    assert (strict._table.obs[0] == before).all()
    many = GinRummyVectorEnv(4)
    many.reset(seed=1)
    actions = many.sample_actions()
    actions[2] = 99
    with pytest.raises(IllegalAction, match=r"table 2: expected one of the actions .*, got 99"):
        many.step(actions)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"rules": "whist"}, "unknown rules 'whist'"),
        ({"opponent": "nobody"}, "unknown player 'nobody'"),
        ({"episode": "match"}, "episode is one of round, game, not 'match'"),
        ({"reward": "money"}, "reward is one of points, win, not 'money'"),
        ({"melds": "best"}, "melds is one of auto, choose, not 'best'"),
        ({"illegal": "ignore"}, "illegal is one of forfeit, raise, not 'ignore'"),
    ],
)
def test_wrong_settings_are_answered_with_what_is_possible(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        GinRummyEnv(**settings)


def test_a_vector_environment_checks_its_size_and_its_actions() -> None:
    with pytest.raises(BadInput, match="num_envs must be at least 1"):
        GinRummyVectorEnv(0)
    with pytest.raises(BadInput, match="expected from 1 to 2 threads"):
        GinRummyVectorEnv(2, threads=3)
    env = GinRummyVectorEnv(2)
    with pytest.raises(BadInput, match="one whole number as the seed of all tables"):
        env.reset(seed=[1, 2])
    env.reset(seed=1)
    with pytest.raises(BadInput, match=r"expected 2 whole numbers, got float64 of \(2,\)"):
        env.step(np.array([52.0, 52.0]))


# --- the page ----------------------------------------------------------------------------------------------

PAGE = (Path(__file__).parent.parent / "docs/environments.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("parts", [ACTION_PARTS, OBSERVATION], ids=["actions", "observations"])
def test_the_page_has_every_index(parts: Any) -> None:
    rows = re.findall(r"^\| ([0-9]+)(?: to ([0-9]+))? \| (.*) \|$", PAGE, re.MULTILINE)
    written = {(int(start), int(last or start) + 1, meaning) for start, last, meaning in rows}
    assert set(parts) <= written
    assert len(rows) == len(ACTION_PARTS) + len(OBSERVATION)
    assert f"A row of {SIZE} float32" in PAGE
    assert f"There are {ACTIONS} actions, and {ALL_ACTIONS} with" in PAGE


def test_the_code_of_the_page_runs() -> None:
    for code in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL):
        exec(compile(code, "environments.md", "exec"), {})


# --- opponents that are asked ------------------------------------------------------------------------------


def test_an_opponent_that_remembers_is_told_of_earlier_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    rounds: set[int] = set()

    def draw(seen: Sight, u: float) -> bool:
        assert len(seen.earlier) == seen.round
        rounds.add(seen.round)
        return False

    simple = make_player("simple")
    watching = one_by_one("watching", draw, lambda *_: 0, lambda *_: True, lambda *_: ())
    watching = replace(watching, discard=simple.discard, spread=simple.spread)
    monkeypatch.setattr("ginrummy.bridges.gymnasium.make_player", lambda spec: watching)
    env = GinRummyVectorEnv(4, episode="game")
    env.reset(seed=1)
    for _ in range(150):
        env.step(env.sample_actions())
    assert rounds >= {0, 1, 2}


def test_an_opponent_that_follows_whole_games_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    following = replace(make_player("simple"), compiled=None, sit=lambda *_: None)
    monkeypatch.setattr("ginrummy.bridges.gymnasium.make_player", lambda spec: following)
    with pytest.raises(BadInput, match="follows whole games"):
        GinRummyEnv()


# Two more players made of kernels would be compiled into a step of their own: half a minute for nothing new.
OPPONENTS = [name for name in player_names() if name not in ("look-ahead", "ensemble")]


@pytest.mark.parametrize("name", OPPONENTS)
def test_registered_players_can_be_the_opponent(name: str) -> None:
    env = GinRummyVectorEnv(2, name, episode="game")
    env.reset(seed=6)
    for _ in range(20):
        observations, _, _, _, info = env.step(env.sample_actions())
    assert observations in env.observation_space
    assert (info["action_mask"].sum(axis=1) > 0).all()
