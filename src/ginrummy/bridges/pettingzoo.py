"""The PettingZoo environment: two agents at one table, as PettingZoo's own classic games are used.

    from ginrummy.bridges import pettingzoo

    env = pettingzoo.env(rules="eaai", episode="game", reward="win")
    env.reset(seed=1)
    for agent in env.agent_iter():
        observation, reward, termination, truncation, info = env.last()
        done = termination or truncation
        env.step(None if done else env.action_space(agent).sample(observation["action_mask"]))

``env`` ends the game at an illegal action, ``raw_env`` raises ``IllegalAction``; ``parallel_env`` is the same
game behind the parallel interface: both agents give an action at every step, and that of the agent who is not
to move is not used (its mask has no legal action). Needs the extra ``envs``.
"""

from typing import Any, ClassVar

import numpy as np

from ginrummy import decks
from ginrummy.bridges.stepping import Episode, LayDown, Reward, Setting, Stepper
from ginrummy.extras import needed
from ginrummy.rules import parse_rules
from ginrummy.scoring import OUTCOMES

with needed("envs", "ginrummy.bridges.pettingzoo"):
    from gymnasium import spaces
    from pettingzoo import AECEnv, ParallelEnv
    from pettingzoo.utils import wrappers
    from pettingzoo.utils.conversions import turn_based_aec_to_parallel

from ginrummy.bridges.gymnasium import FORFEIT, observation_space

Observation = dict[str, Any]
AGENTS = ["player_0", "player_1"]


def env(**settings: Any) -> AECEnv[str, Observation, Any]:
    """The environment with PettingZoo's usual wrappers; ``raw_env`` lists the settings."""
    raw = raw_env(**settings)
    table: Any = wrappers.TerminateIllegalWrapper(raw, illegal_reward=FORFEIT[raw.setting.reward])
    table = wrappers.AssertOutOfBoundsWrapper(table)
    return wrappers.OrderEnforcingWrapper(table)


def parallel_env(**settings: Any) -> ParallelEnv[str, Observation, Any]:
    """The same game behind the parallel interface; both agents give an action, and the mover's counts."""
    parallel: ParallelEnv[str, Observation, Any] = turn_based_aec_to_parallel(raw_env(**settings))
    return parallel


class raw_env(AECEnv[str, Observation, Any]):
    """Gin Rummy between two agents."""

    metadata: ClassVar[dict[str, Any]] = {
        "name": "gin_rummy_v0", "is_parallelizable": False, "render_modes": ["ansi", "human"],
        "render_fps": 1,
    }  # fmt: skip

    def __init__(
        self,
        rules: str = "eaai",
        episode: Episode = "round",
        reward: Reward = "points",
        melds: LayDown = "auto",
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        self.setting = Setting(parse_rules(rules), episode, reward, melds)
        self._table = Stepper(1, None, self.setting)
        self._begun = self._over = False
        self.possible_agents = list(AGENTS)
        self.agents: list[str] = []
        observed = {
            "observation": observation_space(),
            "action_mask": spaces.Box(0, 1, (self.setting.actions,), np.int8),
        }
        self._observation_spaces = {agent: spaces.Dict(observed) for agent in AGENTS}
        self._action_spaces = {agent: spaces.Discrete(self.setting.actions) for agent in AGENTS}
        self.render_mode = render_mode

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The planes and numbers of ``observations``, and the legal actions."""
        return self._observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The actions of ``observations``."""
        return self._action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin the first episode of a seed; without a seed, the next episode."""
        if seed is not None or not self._begun:
            chance = np.random.default_rng()
            self._table.begin(int(chance.integers(decks.MAX_SEED)) if seed is None else seed)
            self._begun = True
        elif not self._over:
            self._table.begin_next()  # otherwise the next episode has been dealt already
        self._over = False
        self.agents = list(AGENTS)
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in AGENTS}
        self.agent_selection = AGENTS[self._table.mover()]
        self._show()

    def step(self, action: Any) -> None:
        """Play an action of the agent that is to move."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        self._table.step(np.array([action], np.int64))
        result = self._table.agents[0]
        self._over = bool(result["done"])
        reward = float(result["reward"])
        self.rewards = {AGENTS[0]: reward, AGENTS[1]: -reward}
        if self._over:
            self.terminations = dict.fromkeys(AGENTS, True)
            self.infos = {name: _ending(result, side) for side, name in enumerate(AGENTS)}
            self.agent_selection = AGENTS[1 - AGENTS.index(agent)]
        else:
            self.agent_selection = AGENTS[self._table.mover()]
        self._accumulate_rewards()
        self._show()

    def observe(self, agent: str) -> Observation:
        """What one agent may see, at any time; its mask is empty unless it is to move."""
        side = AGENTS.index(agent)
        if self._over:
            seen, mask = self._table.final[0, side].copy(), None
        else:
            seen = self._table.observe(0, side)
            mask = self._table.mask[0].copy() if self._table.mover() == side else None
        empty = np.zeros(self.setting.actions, np.int8)
        return {"observation": seen, "action_mask": empty if mask is None else mask}

    def render(self) -> str | None:
        """What the agent that is to move sees, as one line of text."""
        if self._over:  # the next episode has been dealt, and is not to be seen yet
            text = self._table.ending()
        else:
            text = f"{self.agent_selection}: {self._table.sight(0, self._table.mover())}"
        if self.render_mode == "human":
            print(text)
        return text if self.render_mode == "ansi" else None

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()

    def close(self) -> None:
        """Nothing is left open."""


def _ending(result: Any, side: int) -> dict[str, Any]:
    """How the last round ended, seen from one side."""
    points, score = int(result["points"]), result["score"].tolist()
    return {
        "outcome": OUTCOMES[result["outcome"]],
        "points": -points if side else points,
        "score": score[::-1] if side else score,
    }
