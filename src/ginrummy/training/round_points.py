"""How often rounds end with how many points: ``ginrummy train round-points``.

``hand-strength:profile=tuned`` plays itself under every preset. ``equity`` turns the counts into chances to
win the game.
"""

import io
from typing import Any

import numpy as np

from ginrummy.equity import FILE
from ginrummy.players.playing import play
from ginrummy.players.registry import make_player
from ginrummy.rules import PRESETS
from ginrummy.training.play_data import DATA_SEED
from ginrummy.training.progress import Progress
from ginrummy.training.recipes import Recipe, Trained

PLAYER = "hand-strength:profile=tuned"
GAMES = {"smoke": 40, "full": 20_000}
SEED = DATA_SEED + 70_000
"""Added to the seed of the recipe: games of their own."""


def run(scale: str, seed: int, on_progress: Progress | None = None) -> Trained:
    """Play and count."""
    player, games = make_player(PLAYER), GAMES[scale]
    arrays: dict[str, Any] = {}
    facts: dict[str, Any] = {}
    presets = [name for name in PRESETS if name != "openspiel"]  # it has games of one round
    for done, name in enumerate(presets):
        if on_progress:
            on_progress(f"rules {name}", done, len(presets))
        rounds = play(player, player, range(games), PRESETS[name], SEED + seed, record=True).rounds
        points = np.where(rounds["starter"] == 0, rounds["points"], -rounds["points"])
        values, counts = np.unique(points, return_counts=True)
        arrays[f"{name}-points"], arrays[f"{name}-counts"] = values.astype(np.int32), counts.astype(np.int64)
        facts[name] = {
            "rounds": len(points),
            "mean_points_of_starter": round(float(points.mean()), 4),
            "dead": round(float((points == 0).mean()), 5),
        }
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    return Trained(file.getvalue(), {"player": PLAYER, "games": games, "seed": SEED + seed}, facts)


def summary(result: dict[str, Any]) -> str:
    """What a person reads about it."""
    found = result["training"].items()
    return "\n".join(
        f"{name}: {one['rounds']:,} rounds, {one['mean_points_of_starter']:+.2f} points for the starter"
        for name, one in found
    )


ROUND_POINTS = Recipe(FILE, run, summary)
