"""Gymnasium environments: one agent against any player, at one table or at thousands.

    import gymnasium
    import ginrummy.bridges.gymnasium

    env = gymnasium.make("ginrummy/GinRummy-v0", opponent="simple", rules="eaai", episode="game")
    many = gymnasium.make_vec("ginrummy/GinRummy-v0", num_envs=4096, opponent="random")

Actions and observations are those of ``observations``; ``info["action_mask"]`` and ``action_masks()`` say
which actions are legal. Needs the extra ``envs``.
"""

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from ginrummy import decks
from ginrummy.bridges.observations import LIMIT, SIZE
from ginrummy.bridges.stepping import Episode, Floats, LayDown, Reward, Setting, Stepper
from ginrummy.errors import BadInput, IllegalAction
from ginrummy.extras import needed
from ginrummy.players.registry import make_player
from ginrummy.rules import parse_rules
from ginrummy.scoring import OUTCOMES
from ginrummy.view import IntArray

with needed("envs", "ginrummy.bridges.gymnasium"):
    import gymnasium
    from gymnasium import spaces
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space

Mask = npt.NDArray[np.int8]
Info = dict[str, Any]
ID = "ginrummy/GinRummy-v0"
FORFEIT = {"points": -100.0, "win": -1.0}
"""Reward of an illegal action, by kind of reward; the episode is over."""


def observation_space() -> spaces.Box:
    """All numbers are from 0 to 1, but for the knock limit."""
    high = np.ones(SIZE, np.float32)
    high[LIMIT] = 10.0
    return spaces.Box(np.zeros(SIZE, np.float32), high, dtype=np.float32)


class GinRummyEnv(gymnasium.Env[Floats, int]):
    """One table: the agent against a registered player. An episode is a round or a game."""

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["ansi", "human"], "render_fps": 1}

    def __init__(
        self,
        opponent: str = "simple",
        rules: str = "eaai",
        episode: Episode = "round",
        reward: Reward = "points",
        melds: LayDown = "auto",
        illegal: str = "forfeit",
        render_mode: str | None = None,
    ) -> None:
        """``illegal`` actions ``forfeit`` the episode, and ``info`` says so, or ``raise`` an error."""
        if illegal not in ("forfeit", "raise"):
            raise BadInput(f"illegal is one of forfeit, raise, not {illegal!r}")
        self._setting = Setting(parse_rules(rules), episode, reward, melds)
        self._table = Stepper(1, make_player(opponent), self._setting)
        self._forfeits = illegal == "forfeit"
        self._over = True
        self.observation_space = observation_space()
        self.action_space = spaces.Discrete(self._setting.actions)
        self.render_mode = render_mode

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Floats, Info]:
        """Begin the first episode of a seed; without a seed, the next episode."""
        fresh = self._np_random is None
        super().reset(seed=seed)
        if seed is not None or fresh:
            self._table.begin(int(self.np_random.integers(decks.MAX_SEED)) if seed is None else seed)
        elif not self._over:
            self._table.begin_next()  # otherwise the next episode has been dealt already
        self._over = False
        self._show()
        return self._table.obs[0].copy(), self._info()

    def step(self, action: int) -> tuple[Floats, float, bool, bool, Info]:
        """Play an action, and the opponent's answers to it."""
        if self._over:
            raise IllegalAction("expected a reset, since the episode is over, got an action")
        try:
            self._table.step(np.array([action], np.int64))
        except IllegalAction:
            if not self._forfeits:
                raise
            self._table.begin_next()
            self._over = True
            return self._end(FORFEIT[self._setting.reward], illegal=True)
        agent = self._table.agents[0]
        if agent["done"]:
            self._over = True
            return self._end(float(agent["reward"]))
        self._show()
        return self._table.obs[0].copy(), float(agent["reward"]), False, False, self._info()

    def _end(self, reward: float, illegal: bool = False) -> tuple[Floats, float, bool, bool, Info]:
        agent = self._table.agents[0]
        info: Info = {"action_mask": np.zeros(self._setting.actions, np.int8)}
        if illegal:
            return np.zeros(SIZE, np.float32), reward, True, False, info | {"illegal": True}
        info |= {"outcome": OUTCOMES[agent["outcome"]], "points": int(agent["points"])}
        info["score"] = agent["score"].tolist()
        return self._table.final[0, 0].copy(), reward, True, False, info

    def _info(self) -> Info:
        return {"action_mask": self._table.mask[0].copy()}

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """The legal actions, as sb3-contrib asks for them."""
        legal: npt.NDArray[np.bool_] = self._table.mask[0].astype(np.bool_)
        return legal

    def render(self) -> str | None:
        """What the agent sees, as one line of text."""
        text = self._table.ending() if self._over else str(self._table.sight(0, 0))
        if self.render_mode == "human":
            print(text)
        return text if self.render_mode == "ansi" else None

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()


class GinRummyVectorEnv(VectorEnv[Floats, IntArray, npt.NDArray[Any]]):
    """Thousands of tables in one call; a finished episode is followed by the next one within the same step.

    ``infos["final_obs"]`` and ``infos["final_info"]`` are valid in rows marked by ``infos["_final_obs"]``.
    An illegal action raises ``IllegalAction`` and changes nothing. With ``copy=False`` every call returns the
    same arrays again, written anew.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": [], "autoreset_mode": AutoresetMode.SAME_STEP}

    def __init__(
        self,
        num_envs: int = 1024,
        opponent: str = "simple",
        rules: str = "eaai",
        episode: Episode = "round",
        reward: Reward = "points",
        melds: LayDown = "auto",
        threads: int = 1,
        copy: bool = True,
    ) -> None:
        if num_envs < 1:
            raise BadInput(f"num_envs must be at least 1, not {num_envs}")
        self.num_envs = num_envs
        setting = Setting(parse_rules(rules), episode, reward, melds)
        self._tables = Stepper(num_envs, make_player(opponent), setting, threads)
        self._copy = copy
        self.single_observation_space = observation_space()
        self.single_action_space = spaces.Discrete(setting.actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._truncated = np.zeros(num_envs, np.bool_)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Floats, Info]:
        """Begin the first episodes of a seed; without a seed, the next ones. One seed serves all tables."""
        if seed is not None and not isinstance(seed, int | np.integer):
            raise BadInput(f"expected one whole number as the seed of all tables, got {seed!r}")
        fresh = self._np_random is None
        super().reset(seed=seed)
        if seed is not None or fresh:
            self._tables.begin(int(self.np_random.integers(decks.MAX_SEED)) if seed is None else seed)
        else:
            self._tables.begin_next()
        return self._own(self._tables.obs), {"action_mask": self._own(self._tables.mask)}

    def step(
        self, actions: IntArray
    ) -> tuple[Floats, npt.NDArray[Any], npt.NDArray[np.bool_], npt.NDArray[np.bool_], Info]:
        """Play one action at every table."""
        given = np.asarray(actions)
        if given.shape != (self.num_envs,) or given.dtype.kind not in "iu":
            raise BadInput(f"expected {self.num_envs} whole numbers, got {given.dtype} of {given.shape}")
        self._tables.step(given.astype(np.int64, copy=False))
        agents = self._tables.agents
        done = agents["done"].astype(np.bool_)
        info: Info = {"action_mask": self._own(self._tables.mask)}
        if done.any():
            info["final_obs"], info["_final_obs"] = self._own(self._tables.final[:, 0]), done.copy()
            info["final_info"] = {name: agents[name].copy() for name in ("outcome", "points", "score")}
            info["_final_info"] = done.copy()
        return self._own(self._tables.obs), agents["reward"].copy(), done, self._truncated.copy(), info

    def sample_actions(self) -> IntArray:
        """A random legal action for each table, from the seed of the environment."""
        return self._tables.sample()

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """[num_envs, actions] bool: the legal actions."""
        return self._tables.mask.astype(np.bool_)

    def close_extras(self, **kwargs: Any) -> None:
        """End the threads."""
        self._tables.close()

    def _own(self, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return array.copy() if self._copy else array


def register() -> None:
    """Make the environments known to Gymnasium by name; importing this module does it."""
    place = "ginrummy.bridges.gymnasium"
    if ID not in gymnasium.registry:
        gymnasium.register(
            ID, entry_point=f"{place}:GinRummyEnv", vector_entry_point=f"{place}:GinRummyVectorEnv"
        )


register()
