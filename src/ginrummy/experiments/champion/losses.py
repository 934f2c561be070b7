"""Where champion wins and loses its points: by the end of the round, by turn, by knocks and cards given away.

    python -m ginrummy.experiments.champion.losses --games 2000 --seed 8301 --out champion-losses.json

Every round belongs to one end (own knock, own gin, own knock undercut, and the same of the opponent, dead)
and to a turn: that of the side which ended it. Points are from champion's side.
"""

import argparse
from dataclasses import dataclass

import numpy as np

from ginrummy.experiments.champion.running import arguments, no_rows, run
from ginrummy.experiments.frame.evidence import Subject
from ginrummy.experiments.frame.experiment import Counts
from ginrummy.judging.shards import Shard
from ginrummy.moments import decisions
from ginrummy.players.base import under
from ginrummy.players.registry import make_player
from ginrummy.scoring import BIG_GIN, GIN, KNOCK, UNDERCUT
from ginrummy.sim import Run, play
from ginrummy.tables import Records
from ginrummy.typed import Counters

OPPONENTS = (
    "hand-strength:profile=code", "hand-strength:profile=tuned", "hand-strength", "simple", "look-ahead",
    "ensemble:profile=tuned",
)  # fmt: skip
PLAYER = "champion:level=fast"
ENDS = (
    "own knock", "own gin", "undercut of the opponent",
    "opponent's knock", "opponent's gin", "own knock undercut", "dead",
)  # fmt: skip
TURNS = {"1-3": (0, 3), "4-6": (4, 6), "7-9": (7, 9), "10-": (10, 99)}
"""Turns of the side that ended the round, by name."""


@dataclass(frozen=True)
class Duel:
    """A player, and its opponent."""

    player: str
    opponent: str


def ends_of(rows: Records) -> np.ndarray:
    """[N] places in ``ENDS``, from the decisions that ended rounds, as side 0 sees them."""
    own = rows["points"] * np.where(rows["side"] == 0, 1, -1) > 0
    outcome = rows["outcome"]
    place = np.full(len(rows), len(ENDS) - 1)
    for ours, theirs, kinds in ((0, 3, (KNOCK,)), (1, 4, (GIN, BIG_GIN)), (2, 5, (UNDERCUT,))):
        those = np.isin(outcome, kinds)
        place[those] = np.where(own[those], ours, theirs)
    return place


def count_losses(how: Duel, shard: Shard) -> Counters:
    """Counters of rounds and points by end and turn, of knocks, and of discards that the other side took."""
    players = [under(make_player(name), shard.rules) for name in (how.player, how.opponent)]
    found = play(players[0], players[1], shard.games, shard.rules, shard.seed, record=True)
    return counted(found, shard)


def counted(found: Run, shard: Shard) -> Counters:
    """The counters of recorded rounds."""
    rows = decisions(found.rounds, found.games, shard.rules, shard.games.start)
    new = (np.diff(rows["game"]) != 0) | (np.diff(rows["round"]) != 0)
    last = np.append(np.flatnonzero(new), len(rows) - 1)
    ended = rows[last]
    sign = np.where(ended["side"] == 0, 1, -1)
    points, place = ended["points"] * sign, ends_of(ended)
    turns = ended["own_turn"]
    ends = {
        name: {
            turn: {"rounds": int(chosen.sum()), "points": int(points[chosen].sum())}
            for turn, (low, high) in TURNS.items()
            for chosen in [(place == k) & (turns >= low) & (turns <= high)]
        }
        for k, name in enumerate(ENDS)
    }
    after = np.append(rows["took"][1:], False)
    after[last] = False  # the next decision belongs to another round
    sides = {}
    for side, name in enumerate(("own", "opponent")):
        mine = rows["side"] == side
        thrown = mine & (rows["discard"] >= 0) & ~rows["knocked"]
        knocks = mine & rows["knocked"] & (rows["deadwood_after"] > 0)
        sides[name] = {
            "discards": int(thrown.sum()),
            "taken": int((thrown & after).sum()),
            "knocks": int(knocks.sum()),
            "undercut": int((knocks & (rows["outcome"] == UNDERCUT)).sum()),
            "knock_deadwood": int(rows["deadwood_after"][knocks].sum()),
            "waits": int((mine & rows["could_knock"] & ~rows["knocked"]).sum()),
        }
    totals = {"games": len(found.games), "rounds": len(ended), "points": int(points.sum())}
    return totals | {"ends": ends, "sides": sides}


def experiment(games: int, player: str, opponents: tuple[str, ...]) -> Counts[Duel]:
    """The experiment, with so many games of every opponent."""
    return Counts(
        id="champion-losses",
        paper="champion",
        title="Where champion wins and loses its points",
        measures="Rounds and points by the end of the round and its turn; knocks; discards that were taken.",
        settings=Duel,
        subjects=tuple(Subject(name, Duel(player, name)) for name in opponents),
        sizes={"smoke": games, "full": games},
        seeds=1,
        work=count_losses,
        shard=100,
        compare_points=no_rows,
    )


def main(words: list[str] | None = None) -> None:
    """Play, count and write the evidence."""
    parser = argparse.ArgumentParser(prog="python -m ginrummy.experiments.champion.losses")
    parser.add_argument("--player", default=PLAYER)
    given = arguments(parser, 2000, 8301, words)
    run(parser.prog, experiment(given.games, given.player, tuple(given.against or OPPONENTS)), given)


if __name__ == "__main__":
    main()
