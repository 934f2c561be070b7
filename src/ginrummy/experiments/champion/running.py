"""What the commands of this room share: their arguments, their progress, and how evidence is written."""

import argparse
import sys
from pathlib import Path
from typing import Any

from ginrummy.errors import BadInput
from ginrummy.evidence import check_writable, write_evidence
from ginrummy.experiments.frame.evidence import Point
from ginrummy.experiments.frame.experiment import Counts, Settings
from ginrummy.experiments.frame.verdicts import Row
from ginrummy.typed import write


def no_rows(points: list[Point[Any]]) -> list[Row]:
    """Nothing is published to compare with; a page shows the points."""
    return []


def arguments(
    parser: argparse.ArgumentParser, games: int, seed: int, words: list[str] | None, *, step: int = 2
) -> argparse.Namespace:
    """Read games, seed, opponents and file, besides what the parser knows already."""
    parser.add_argument("--games", type=int, default=games, help="of each point")
    parser.add_argument("--seed", type=int, default=seed)
    parser.add_argument("--against", action="append", help="an opponent; several times for several")
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args(words)
    if given.games < step or given.games % step:
        raise BadInput(f"expected a number of games that {step} divides, got {given.games}")
    check_writable(given.out)
    return given


def run(module: str, asked: Counts[Any], given: argparse.Namespace) -> None:
    """Run an experiment, show how far it is, and write its evidence with the command that makes it again."""
    total, done = asked.total_games("full"), 0

    def progress(games: int) -> None:
        nonlocal done
        done += games
        print(f"\r{done:,} of {total:,} games", end="", file=sys.stderr, flush=True)

    result = write(asked.run("full", Settings(seed=given.seed), progress))
    result["provenance"]["command"] = f"{module} --games {given.games} --seed {given.seed}"
    write_evidence(given.out, result)
