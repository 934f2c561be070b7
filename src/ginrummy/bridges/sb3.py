"""The vector environment as stable-baselines3 wants it, for MaskablePPO of sb3-contrib.

    from sb3_contrib import MaskablePPO
    from ginrummy.bridges.sb3 import GinRummyVecEnv

    model = MaskablePPO("MlpPolicy", GinRummyVecEnv(64, opponent="random", reward="win"))
    model.learn(100_000)

Needs the extra ``rl``.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ginrummy.bridges.gymnasium import GinRummyVectorEnv
from ginrummy.bridges.stepping import Floats
from ginrummy.extras import needed
from ginrummy.view import IntArray

with needed("rl", "ginrummy.bridges.sb3"):
    from stable_baselines3.common.vec_env import VecEnv

MASKS = "action_masks"
"""What sb3-contrib asks a table for."""


class GinRummyVecEnv(VecEnv):
    """Tables of ``gymnasium.GinRummyVectorEnv``; settings are the same."""

    def __init__(self, num_envs: int, *, seed: int = 1, **settings: Any) -> None:
        self.tables = GinRummyVectorEnv(num_envs, **settings)
        self._seed: int | None = seed
        self._lengths, self._returns = np.zeros(num_envs, np.int64), np.zeros(num_envs)
        space = self.tables.single_observation_space, self.tables.single_action_space
        super().__init__(num_envs, *space)

    def reset(self) -> Floats:
        """Begin the first episodes of the seed; later calls begin the next ones."""
        observations, _ = self.tables.reset(seed=self._seed)
        self._seed = None
        self._lengths[:], self._returns[:] = 0, 0
        return observations

    def step_async(self, actions: IntArray) -> None:
        """Keep the actions."""
        self._actions = actions

    def step_wait(self) -> tuple[Floats, Floats, npt.NDArray[np.bool_], list[dict[str, Any]]]:
        """Play the actions."""
        observations, rewards, done, _, info = self.tables.step(self._actions)
        self._lengths += 1
        self._returns += rewards
        told: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for row in np.flatnonzero(done):
            episode = {"r": float(self._returns[row]), "l": int(self._lengths[row]), "t": 0.0}
            told[row] = {"terminal_observation": info["final_obs"][row], "episode": episode}
        self._lengths[done], self._returns[done] = 0, 0
        return observations, rewards.astype(np.float32), done, told

    def close(self) -> None:
        """End the threads."""
        self.tables.close()

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> list[Any]:
        """The legal actions of each table; there is no other method."""
        if method_name != MASKS:
            raise AttributeError(f"the tables have no method {method_name!r}, only {MASKS!r}")
        masks = self.tables.action_masks()
        return [masks[row] for row in self._get_indices(indices)]

    def has_attr(self, attr_name: str) -> bool:
        """Whether the tables have an attribute."""
        return attr_name == MASKS

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """An attribute of each table; only ``render_mode`` is asked for."""
        if attr_name != "render_mode":
            raise AttributeError(f"the tables have no attribute {attr_name!r}")
        return [None for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Nothing can be set."""
        raise AttributeError(f"the tables have no attribute {attr_name!r}")

    def env_is_wrapped(self, wrapper_class: type, indices: Any = None) -> list[bool]:
        """No table is wrapped."""
        return [False for _ in self._get_indices(indices)]

    def _get_indices(self, indices: int | Iterable[int] | None) -> Sequence[int]:
        if indices is None:
            return range(self.num_envs)
        return [indices] if isinstance(indices, int) else list(indices)
