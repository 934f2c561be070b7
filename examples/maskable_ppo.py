"""Train MaskablePPO of sb3-contrib against a player for a minute, and measure it on fresh cards as it learns.

    python examples/maskable_ppo.py --seconds 60 --out results/maskable-ppo.json --draw docs/maskable-ppo.svg

Needs the extra ``rl``. The time is processor time of the whole training, measurements excluded.
"""

import argparse
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback

from ginrummy.bridges.gymnasium import GinRummyVectorEnv
from ginrummy.bridges.observations import DEADWOOD
from ginrummy.bridges.sb3 import GinRummyVecEnv
from ginrummy.evidence import provenance, write_evidence
from ginrummy.reports import bridge_pages
from ginrummy.stats import wilson

TABLES = 64
GAMMA = 0.99


class Shaped(GinRummyVecEnv):
    """The reward is the win, and on the way less deadwood than before.

    Against a random player few rounds are won by either side, so the win alone teaches slowly. The addition
    is a difference of potentials (Ng, Harada and Russell 1999), which does not change what the best play
    is.
    """

    def reset(self) -> np.ndarray:
        """Remember the deadwood of the first observation."""
        seen = super().reset()
        self.potential = -seen[:, DEADWOOD]
        return seen

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Add what the deadwood has changed by."""
        seen, rewards, done, told = super().step_wait()
        now = -seen[:, DEADWOOD]
        rewards = rewards + GAMMA * np.where(done, 0.0, now) - self.potential
        self.potential = now
        return seen, rewards.astype(np.float32), done, told


def measure(model: MaskablePPO, opponent: str, games: int, seed: int) -> dict[str, float]:
    """Play rounds on fresh cards with the likeliest actions; wins, losses and points of the agent."""
    env = GinRummyVectorEnv(256, opponent=opponent, reward="points")
    seen, _ = env.reset(seed=seed)
    points: list[int] = []
    while len(points) < games:
        actions, _ = model.predict(seen, action_masks=env.action_masks(), deterministic=True)
        seen, _, done, _, info = env.step(actions)
        if done.any():
            points += info["final_info"]["points"][done].tolist()
    won, lost = sum(p > 0 for p in points), sum(p < 0 for p in points)
    low, high = wilson(won, won + lost, 0.95) if won + lost else (0.0, 1.0)
    return {
        "rounds": len(points), "won": won, "lost": lost, "win_rate": won / max(1, won + lost),
        "ci95": [low, high], "points_per_round": float(np.mean(points)),
    }  # fmt: skip


class Curve(BaseCallback):
    """Measure the agent now and then, and stop the training when its time is over."""

    def __init__(self, opponent: str, seconds: float, every: float, games: int) -> None:
        super().__init__()
        self.opponent, self.seconds, self.every, self.games = opponent, seconds, every, games
        self.points: list[dict[str, float]] = []
        self.spent = self.due = 0.0

    def _on_training_start(self) -> None:
        self.clock = time.process_time()
        self.note()

    def note(self) -> None:
        """One point of the curve; its own time does not count."""
        self.spent += time.process_time() - self.clock
        found = measure(self.model, self.opponent, self.games, seed=10_000)
        self.points.append({"steps": self.num_timesteps, "seconds": round(self.spent, 2)} | found)
        print(self.points[-1], file=sys.stderr)
        self.due = self.spent + self.every
        self.clock = time.process_time()

    def _on_step(self) -> bool:
        now = self.spent + time.process_time() - self.clock
        if now >= self.due:
            self.note()
        return now < self.seconds

    def _on_training_end(self) -> None:
        if self.points[-1]["steps"] < self.num_timesteps:
            self.note()


def main() -> None:
    """Read the command line, train, and write what was measured."""
    parse = argparse.ArgumentParser(description="Train MaskablePPO against a player.")
    parse.add_argument("--opponent", default="random")
    parse.add_argument("--seconds", type=float, default=60.0)
    parse.add_argument("--every", type=float, default=5.0, help="seconds between two measurements")
    parse.add_argument("--games", type=int, default=2000, help="rounds of a measurement")
    parse.add_argument("--seed", type=int, default=1)
    parse.add_argument("--out", type=Path, help="write the curve to this file as JSON")
    parse.add_argument("--draw", type=Path, help="draw the curve")
    order = parse.parse_args()
    torch.set_num_threads(1)
    env = Shaped(TABLES, seed=order.seed, opponent=order.opponent, reward="win")
    model = MaskablePPO(
        "MlpPolicy", env, n_steps=128, batch_size=1024, n_epochs=4, gamma=GAMMA, gae_lambda=0.95,
        learning_rate=1e-3, ent_coef=0.01, seed=order.seed, device="cpu",
    )  # fmt: skip
    curve = Curve(order.opponent, order.seconds, order.every, order.games)
    model.learn(10**9, callback=curve)
    last = curve.points[-1]
    print(
        f"after {last['steps']:,} steps: wins {100 * last['win_rate']:.1f} % of decided rounds against "
        f"{order.opponent}, {last['points_per_round']:+.1f} points a round"
    )
    made = provenance() | {"command": "python examples/maskable_ppo.py " + " ".join(sys.argv[1:])}
    head = {"opponent": order.opponent, "seed": order.seed, "tables": TABLES}
    result = head | {"curve": curve.points, "provenance": made}
    if order.out:
        write_evidence(order.out, result)
    if order.draw:
        bridge_pages.draw(result, order.draw)


if __name__ == "__main__":
    main()
