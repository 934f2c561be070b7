"""What each part of champion's search is worth: parts left out, parts alone, other worlds, and both bounds.

    python -m ginrummy.experiments.champion.ablation --games 1000 --seed 8101 --out champion-ablation.json

All arms play the same decks against the same opponents, and what every game brought is kept, so that arms can
be compared deck by deck. One arm is the blueprint: where it loses with the same cards in the same seat, the
cards were bad. A run is journalled: the same command goes on after an interruption.
"""

import argparse
from dataclasses import dataclass
from typing import Any

import numpy as np

from ginrummy import sim
from ginrummy.experiments.champion.running import arguments, no_rows, run
from ginrummy.experiments.champion.truth import peeking
from ginrummy.experiments.frame.evidence import Subject
from ginrummy.experiments.frame.experiment import Counts
from ginrummy.judging.shards import Shard
from ginrummy.players.base import under
from ginrummy.players.champion import champion
from ginrummy.players.registry import make_player
from ginrummy.tournament import count_games
from ginrummy.typed import Counters

OPPONENTS = ("hand-strength:profile=code", "hand-strength:profile=tuned", "simple")
SEARCH: dict[str, Any] = {"level": "default"}
BLUEPRINT = "hand-strength:profile=tuned"
TRUTH = "truth"
"""Worlds in which the opponent holds its true hand."""
ARMS: dict[str, dict[str, Any]] = {
    "blueprint": {"player": BLUEPRINT},
    "network alone": {"level": "fast"},
    "search": {},
    "without draws": {"draws": False},
    "without discards": {"discards": False},
    "without knocks": {"knocks": False},
    "draws alone": {"discards": False, "knocks": False},
    "discards alone": {"draws": False, "knocks": False},
    "knocks alone": {"draws": False, "discards": False},
    "uniform worlds (floor)": {"worlds": "uniform"},
    "right cards, wrong melds": {"worlds": "cards"},
    "weighed by deadwood": {"worlds": "tilted"},
    "every type alike": {"worlds": "even-types"},
    "true hand (ceiling)": {"worlds": TRUTH},
    "no trust in the network": {"trust": 0.0},
    "a gate instead of trust": {"trust": 0.0, "gate": 1.0},
    "five times the trust": {"trust": 0.002},
    "own side by the fast rule": {"plays": "rule"},
    "opponent by the fast rule": {"replies": "rule"},
    "opponent always by the program": {"replies": "program"},
    "no elimination": {"cut": 1000.0},
    "priced by points": {"price": "points"},
    "lines to the end of the round": {"depth": 0, "rollouts": 2000},
    "lines cut at once": {"depth": 1},
    "lines cut late in a round too": {"late": 1000},
    "a thirtieth of the rollouts": {"rollouts": 200, "hands": 64, "first": 0},
    "a tenth of the rollouts": {"rollouts": 600, "hands": 128, "first": 64},
    "a third of the rollouts": {"rollouts": 2000},
    "three times the rollouts": {"rollouts": 18_000},
    "level=strong": {"level": "strong"},
}
"""Arm -> how it differs from ``SEARCH``."""
BUDGETS = (
    "network alone", "a thirtieth of the rollouts", "a tenth of the rollouts", "a third of the rollouts",
    "search", "three times the rollouts", "level=strong",
)  # fmt: skip
"""Arms that differ in time alone: the curve of strength against time."""


@dataclass(frozen=True)
class Duel:
    """One arm against one opponent."""

    arm: str
    opponent: str


def count_wins(how: Duel, shard: Shard) -> Counters:
    """Counters of games of an arm against an opponent."""
    settings, opponent = _settings(how.arm), make_player(how.opponent)
    if "player" in settings:
        first, second = make_player(settings["player"]), opponent
    elif settings.get("worlds") == TRUTH:
        first, second = peeking(settings | {"worlds": "joint"}, opponent)
    else:
        first, second = champion(**settings), opponent
    first, second = under(first, shard.rules), under(second, shard.rules)
    played = sim.play(first, second, shard.games, shard.rules, shard.seed)
    return count_games(played, shard.rules) | {"by_game": _by_game(played, shard)}


def _by_game(played: sim.Run, shard: Shard) -> dict[str, int]:
    """Half points of the first player in each game, 0 to 2, by its number."""
    ahead = np.sign(played.games["score"][:, 0].astype(np.int64) - played.games["score"][:, 1])
    return {str(game): 1 + int(one) for game, one in zip(shard.games, ahead, strict=True)}


def _kept(counts: Counters) -> Counters:
    """Counters without the list of all margins."""
    return {key: value for key, value in counts.items() if key != "margins"}


def _settings(arm: str) -> dict[str, Any]:
    changes = ARMS[arm]
    alone = changes.get("level") == "fast" or "player" in changes
    return dict(changes) if alone else SEARCH | changes


def ablation(games: int, arms: tuple[str, ...], opponents: tuple[str, ...]) -> Counts[Duel]:
    """The experiment, with so many games of every point."""
    return Counts(
        id="champion-ablation",
        paper="champion",
        title="What the parts of champion's search are worth",
        measures="Share of games won by champion with parts of its search left out, alone or changed.",
        settings=Duel,
        subjects=tuple(
            Subject(f"{arm} against {opponent}", Duel(arm, opponent))
            for opponent in opponents
            for arm in arms
        ),
        sizes={"smoke": games, "full": games},
        seeds=1,
        work=count_wins,
        shard=20,
        keep=_kept,
        compare_points=no_rows,
    )


def main(words: list[str] | None = None) -> None:
    """Run the arms and write their evidence."""
    parser = argparse.ArgumentParser(prog="python -m ginrummy.experiments.champion.ablation")
    parser.add_argument("--arm", action="append", choices=list(ARMS))
    given = arguments(parser, 1000, 8101, words)
    run(
        parser.prog, ablation(given.games, tuple(given.arm or ARMS), tuple(given.against or OPPONENTS)), given
    )


if __name__ == "__main__":
    main()
