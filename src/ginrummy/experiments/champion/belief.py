"""How good champion's joint belief is, opponent by opponent, and what it gains from the rounds before.

    python -m ginrummy.experiments.champion.belief --games 80 --seed 8201 --out champion-belief.json

``champion`` watches every opponent. Beliefs about whole hands are judged by ``judging.whole_hands``: the
likelihood of the true hand and the facts of hands, by turn. The odds of the opponent's type, and what the
earlier rounds bring, are judged by the number of rounds played: the same belief is asked once more with those
rounds forgotten. The players of two families have been seen by no training.
"""

import argparse
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ginrummy import moments, sim
from ginrummy.estimators.joint import joint_belief
from ginrummy.estimators.types import TYPES
from ginrummy.experiments.champion.running import arguments, no_rows, run
from ginrummy.experiments.frame.evidence import Subject
from ginrummy.experiments.frame.experiment import Counts
from ginrummy.judging.beliefs import hands_of_ten
from ginrummy.judging.shards import Shard
from ginrummy.judging.whole_hands import HandSettings, compact, count_hands, sums
from ginrummy.players.registry import make_player
from ginrummy.training.nets.belief_pool import FAST, KEPT_OUT, label
from ginrummy.typed import Counters

WATCHER = FAST
LEARNED = (
    "simple", "hand-strength:profile=code", "hand-strength", "hand-strength:profile=tuned", FAST,
    "knocking", "estimating", "hitting", "medium-kh", "medium-he", "medium-ek", "advanced", "safe-discard",
)  # fmt: skip
OPPONENTS = (*LEARNED, *KEPT_OUT)
ESTIMATORS = ("joint", "belief-net", "null")
DRAWS = 300
EVERY = 3
"""One moment of so many is judged: those of one round are much alike."""
LABEL_GAMES, LABEL_SEED = range(200), 8200
"""Games that tell the type of an opponent."""
FEW_HANDS = 500
"""Hands behind the chance of a hand, with and without earlier rounds."""
ROUNDS = {"0": (0, 0), "1-2": (1, 2), "3-5": (3, 5), "6-": (6, 10_000)}
"""Rounds of the game before the present one."""

ODDS, WORTH = "odds of its type", "ln chance less without earlier rounds"


@dataclass(frozen=True)
class Watch:
    """One opponent, seen by the watcher."""

    opponent: str
    type: str
    """The type that agrees best with its knocks (``belief_pool.label``)."""


def count_belief(how: Watch, shard: Shard) -> Counters:
    """Counters of ``count_hands``, and by rounds played: odds of the type, worth of the earlier rounds."""
    settings = HandSettings(ESTIMATORS, (WATCHER, how.opponent), "b", DRAWS, EVERY)
    return dict(count_hands(settings, shard)) | {"by_rounds": _by_rounds(how, shard)}


def _by_rounds(how: Watch, shard: Shard) -> Counters:
    players = make_player(WATCHER), make_player(how.opponent)
    rounds = moments.in_order(sim.play(*players, shard.games, shard.rules, shard.seed, record=True).rounds)
    found = moments.views(rounds, 0, shard.rules)
    rows = hands_of_ten(found)
    rows = rows[found.view["events"][rows] < rounds["events"][found.round[rows]]][::EVERY]
    belief, view = joint_belief(), found.view[rows].copy()
    places, truth = np.arange(len(rows)), found.truth[rows]
    columns: dict[str, npt.NDArray[Any]] = {}
    known = belief.log_chances(view, places, truth, FEW_HANDS)
    odds = belief.by_cards(view, places, np.full(len(rows), 0.5), 1).types
    columns[ODDS] = odds[:, TYPES.index(how.type)]
    before = view["style"][:, 0].astype(np.int64)
    view["style"] = 0
    columns[WORTH] = known - belief.log_chances(view, places, truth, FEW_HANDS)
    pairs = rounds["game"][found.round[rows]].astype(np.int64) // 2
    return {
        name: {key: sums(pairs[chosen], values[chosen]) for key, values in columns.items()}
        for name, (low, high) in ROUNDS.items()
        for chosen in [(before >= low) & (before <= high)]
    }


def experiment(games: int, opponents: tuple[str, ...]) -> Counts[Watch]:
    """The experiment, with so many games of every opponent."""
    return Counts(
        id="champion-belief",
        paper="champion",
        title="How good champion's joint belief is",
        measures="Likelihood of true hands, facts of drawn hands and odds of types, opponent by opponent.",
        settings=Watch,
        subjects=tuple(
            Subject(name, Watch(name, TYPES[label(name, LABEL_GAMES, LABEL_SEED)])) for name in opponents
        ),
        sizes={"smoke": games, "full": games},
        seeds=2,
        work=count_belief,
        shard=20,
        keep=compact,
        compare_points=no_rows,
    )


def main(words: list[str] | None = None) -> None:
    """Judge the belief and write the evidence."""
    parser = argparse.ArgumentParser(prog="python -m ginrummy.experiments.champion.belief")
    given = arguments(parser, 80, 8201, words, step=4)
    run(parser.prog, experiment(given.games, tuple(given.against or OPPONENTS)), given)


if __name__ == "__main__":
    main()
