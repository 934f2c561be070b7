"""What is tuned, how, and against whom: everything that the outcome of a study depends on."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ginrummy.errors import BadInput, UnknownName
from ginrummy.players.registry import make_player
from ginrummy.rules import Rules, rules_text
from ginrummy.tournament import points_a
from ginrummy.training.progress import Progress
from ginrummy.training.tuning.space import Point, Space, parse_ranges, parse_space, space_text

Json = dict[str, Any]

SAMPLERS = ("cma-es", "nsga2", "tpe", "random", "grid")
POPULATIONS = ("cma-es", "nsga2")
"""Samplers that compare the trials of a whole generation: none of them may be cut short."""
OBJECTIVES = ("wins", "points")
DECKS = ("generation", "same")
TRIALS = 300
"""Budget of a search that is not a grid."""
MOST_GRID = 20_000
"""Most points of a grid that is played as a whole."""


class Tuning(NamedTuple):
    """Everything that the outcome of a study depends on."""

    space: Space
    against: tuple[str, ...]
    weights: tuple[float, ...]
    """What each opponent counts for; they sum to one."""
    trials: int
    games: int
    """Games of a trial against each opponent."""
    seed: int
    rules: Rules
    sampler: str = "cma-es"
    objective: str = "wins"
    """``wins``: mean win rate; ``points``: mean share of all points scored, which is less noisy."""
    decks: str = "generation"
    """``generation``: the trials of a generation share their decks, the next one gets others; ``same``: all
    trials share the same decks, which a long search learns by heart."""
    finalists: int = 12
    check_games: int = 20_000
    """Games of the winner against each opponent on each fresh seed."""
    prune: bool = False
    """Whether a trial stops when it is clearly worse than the best trial on the same decks."""


class Leader(NamedTuple):
    """One of the best trials so far."""

    number: int
    value: float
    point: Point


class Standing(NamedTuple):
    """Where a search stands after a trial."""

    done: int
    budget: int
    pruned: int
    """Trials that were cut short."""
    leaders: list[Leader]
    """The best first."""
    last: Leader


class Shop(NamedTuple):
    """How a study is carried out; the outcome does not depend on this."""

    workers: int = 1
    study: Path | str | None = None
    """The file of the study, or the URL of a database; None: a file named after the search."""
    fresh: bool = False
    on_progress: Progress | None = None
    on_trial: Callable[[Standing], None] | None = None
    """Called after each trial of the search, in place of ``on_progress``."""


def plan_tuning(
    player: str,
    against: list[str],
    space: str | None,
    weights: str | None,
    ranges: Sequence[str] = (),
    **settings: Any,
) -> Tuning:
    """Check what a user asked for; every mistake is an error of one line.

    Left out, ``trials`` is the whole grid or ``TRIALS``, ``decks`` the same for a grid and new ones for each
    generation otherwise, and ``prune`` is on where no generation must be whole.
    """
    if space is not None and ranges:
        raise BadInput("give --space or --range, not both")
    parsed = parse_ranges(player, ranges) if ranges else parse_space(player, space)
    if not against:
        raise BadInput("tuning needs an opponent: --against PLAYER, one or more times")
    if len(set(against)) < len(against):
        raise BadInput("an opponent is named twice: name it once, and say with --weights what it counts for")
    sampler = settings.get("sampler", "cma-es")
    _check_word(sampler, SAMPLERS)
    usual = _usual(parsed, sampler, settings.get("trials"))
    given = {key: value for key, value in settings.items() if value is not None}
    tuning = Tuning(parsed, tuple(against), _weights(weights, len(against)), **(usual | given))
    _check_word(tuning.objective, OBJECTIVES)
    _check_word(tuning.decks, DECKS)
    if tuning.prune and sampler in POPULATIONS:
        raise BadInput(f"{sampler} compares whole generations: no trial may be cut short, leave out --prune")
    if sampler == "cma-es" and any(dimension.choices for dimension in parsed.dimensions):
        raise BadInput("cma-es needs numbers between bounds; for a|b use another --sampler")
    for spec in (*against, *(parsed.spec(corner) for corner in parsed.corners())):
        make_player(spec)
    return tuning._replace(games=tuning.games + tuning.games % 2)


def _check_word(word: str, known: Sequence[str]) -> None:
    if word not in known:
        raise UnknownName(f"unknown {word!r}: choose one of {', '.join(known)}")


def _usual(space: Space, sampler: str, trials: int | None) -> Json:
    """What a search of this kind does unless told otherwise."""
    if sampler != "grid":
        return {"trials": TRIALS, "decks": "generation", "prune": sampler not in POPULATIONS}
    points = space.grid_size()
    if trials is None and points > MOST_GRID:
        raise BadInput(
            f"the grid has {points:,} points: give fewer parameters, wider steps (name=low:high:step) "
            "or --trials"
        )
    return {"trials": points, "decks": "same", "prune": True}


def _weights(text: str | None, opponents: int) -> tuple[float, ...]:
    """Weights from text such as ``2/2/1``, made to sum to one; equal ones by default."""
    try:
        weights = [float(word) for word in text.split("/")] if text else [1.0] * opponents
    except ValueError:
        weights = []
    if len(weights) != opponents or min(weights) < 0 or not 0 < sum(weights) < 1e9:
        raise BadInput(
            f"expected a weight for each of the {opponents} opponents, such as 2/2/1, got {text!r}"
        )
    return tuple(weight / sum(weights) for weight in weights)


def identity(tuning: Tuning) -> Json:
    """What makes two studies the same search; a study may continue with a larger budget of trials."""
    return {
        "command": "tune",
        "player": tuning.space.player,
        "space": space_text(tuning.space),
        "against": list(tuning.against),
        "weights": list(tuning.weights),
        "games": tuning.games,
        "seed": tuning.seed,
        "rules": rules_text(tuning.rules),
        "sampler": tuning.sampler,
        "objective": tuning.objective,
        "decks": tuning.decks,
        "prune": tuning.prune,
    }


def population(space: Space) -> int:
    """Trials of a generation: somewhat more than usual, because games are noisy."""
    return max(8, 2 * len(space.dimensions) // 3)


def first_game(tuning: Tuning, number: int) -> int:
    """The first game of a trial. The first trial is the start and no part of a generation."""
    size = population(tuning.space)
    return tuning.games * ((number + size - 1) // size) if tuning.decks == "generation" else 0


def score(counts: Json, objective: str) -> float:
    """What the counters of a match are worth to the first player, from 0 to 1."""
    if objective == "wins":
        return points_a(counts) / float(counts["games"])
    own, other = counts["points"]
    return float(own / max(1, own + other))


def pooled(scores: list[float], weights: tuple[float, ...]) -> float:
    """The weighted mean of the scores against all opponents."""
    return sum(score * weight for score, weight in zip(scores, weights, strict=True))
