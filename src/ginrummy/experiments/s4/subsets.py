"""Paper S4, the remaining hyper-parameters: five subsets, grid-searched one after another, again and again.

Source: Nagai, Shrivastava, Ta, Byers and Bogaerts, "A Highly-Parameterized Ensemble To Play Gin Rummy",
poster, DePauw University, 2020: from guessed values (base) each subset in turn gets the values that win most
of 5,000 games against the baseline player.

Differs: the base values and the grids are lost; ours are round guesses (``ensemble:profile=base``). The best
of a grid is partly luck, so the best few of each grid meet again on fresh decks before one is chosen. The
poster stops after one iteration; we go on, with finer grids around the values found, until an iteration no
longer helps on fresh decks.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import permutations, product
from typing import NamedTuple

from ginrummy.experiments.frame.search import Played, Stage
from ginrummy.players.ensemble import PROFILES
from ginrummy.specs import named
from ginrummy.typed import LEFT_OUT

PLAYER, OPPONENT = "ensemble", "simple"
WEIGHTS = ("w_meldability", "w_deadwood", "w_ace_two", "w_turn", "w_known", "w_adjacency")
Values = Mapping[str, float]
"""Parameter -> value, for all parameters of all subsets."""


@dataclass(frozen=True)
class Subset:
    """Parameters that are searched together."""

    name: str
    values: Mapping[str, tuple[float, ...]]
    """Parameter -> the values of the first iteration; later ones try halves of their steps."""
    sums_to_one: bool = field(default=False, metadata=LEFT_OUT)
    """Whether only values that add up to one are tried."""


@dataclass(frozen=True)
class SubsetSearch:
    """How the subsets are searched."""

    base: str
    """The profile from which the search starts."""
    start: Mapping[str, float]
    """Its values of all parameters that are searched."""
    opponent: str
    subsets: tuple[Subset, ...]
    kept: int
    """Best settings of a grid that play again on fresh decks, beside the setting so far."""
    again_times: int
    """Their games, as a multiple of those of a setting of a grid."""
    check_times: int
    """The same when an iteration is checked against the one before."""
    last_times: int
    """The same for the last measurement."""
    helps: float
    """What an iteration must gain on fresh decks for another one to follow."""
    most: int
    """Iterations at most."""
    landmarks: tuple[str, ...]
    """Profiles that are measured beside the winner in the end."""


class Step(NamedTuple):
    """A subset of one iteration: what was tried and what was chosen."""

    iteration: int
    subset: str
    grid: Played
    again: Played
    before: str
    after: str


class Check(NamedTuple):
    """An iteration against the one before, on fresh decks."""

    iteration: int
    before: str
    after: str
    played: Played | None
    """None when the iteration changed nothing."""


class Path(NamedTuple):
    """Everything that a search has done, and the stage that comes next."""

    steps: list[Step]
    checks: list[Check]
    last: Played | None
    winner: str
    stage: Stage | None


def spec_of(search: SubsetSearch, values: Values) -> str:
    """The player with these values; those of the base profile are left out."""
    changed = {key: value for key, value in values.items() if value != search.start[key]}
    return named(PLAYER, {"profile": search.base, **changed})


def path(search: SubsetSearch, done: Sequence[Played]) -> Path:
    """The search as far as it has been played."""
    played = iter(done)
    now: Values = search.start
    start = spec_of(search, now)
    steps: list[Step] = []
    checks: list[Check] = []
    known = {start: now}

    def unfinished(stage: Stage) -> Path:
        return Path(steps, checks, None, spec_of(search, now), stage)

    for iteration in range(1, search.most + 1):
        before = spec_of(search, now)
        for subset in search.subsets:
            own = spec_of(search, now)
            tried = {spec_of(search, one): one for one in grid(subset, now, iteration)}
            known |= tried
            stage = _stage(f"iteration {iteration}, {subset.name}, grid", tried, search.opponent)
            first = next(played, None)
            if first is None:
                return unfinished(stage)
            again = [own, *first.ranked()[: search.kept]]
            stage = _stage(
                f"iteration {iteration}, {subset.name}, again", again, search.opponent, search.again_times
            )
            second = next(played, None)
            if second is None:
                return unfinished(stage)
            now = known[second.best()]
            steps.append(Step(iteration, subset.name, first, second, own, spec_of(search, now)))
        after = spec_of(search, now)
        found = None
        if after != before:
            stage = _stage(
                f"iteration {iteration}, check", [before, after], search.opponent, search.check_times
            )
            found = next(played, None)
            if found is None:
                return unfinished(stage)
        checks.append(Check(iteration, before, after, found))
        if found is None or gain(found, before, after) <= 0:
            now = known[before]
        if found is None or gain(found, before, after) < search.helps:
            break
    winner = spec_of(search, now)
    landmarks = [named(PLAYER, {"profile": one}) for one in search.landmarks]
    measured = [winner, start, checks[0].after, *landmarks]
    stage = _stage("last", measured, search.opponent, search.last_times)
    last = next(played, None)
    return Path(steps, checks, last, winner, stage if last is None else None)


def next_stage(search: SubsetSearch, done: Sequence[Played]) -> Stage | None:
    """What is played next."""
    return path(search, done).stage


def gain(played: Played, before: str, after: str) -> float:
    """By how much one player's win rate is above another's."""
    rates = played.rates()
    return rates[after].value - rates[before].value


def grid(subset: Subset, now: Values, iteration: int) -> Iterator[Values]:
    """The settings that an iteration tries, the present one first.

    The first iteration tries all values of the subset, later ones the present value and half a step, a
    quarter of a step and so on to either side. Weights that add up to one are moved by such a step from each
    to each.
    """
    yield now
    if iteration == 1:
        choices = list(subset.values.values())
    else:
        choices = [_around(now[key], values, iteration) for key, values in subset.values.items()]
    if subset.sums_to_one and iteration > 1:
        yield from _moves(subset, now, iteration)
        return
    for values in product(*choices):
        if not subset.sums_to_one or abs(sum(values) - 1) < 1e-9:
            yield {**now, **dict(zip(subset.values, values, strict=True))}


def _around(value: float, values: tuple[float, ...], iteration: int) -> tuple[float, ...]:
    """The present value, and one finer step to either side within the bounds of the first grid."""
    step = (values[-1] - values[0]) / (len(values) - 1) / 2 ** (iteration - 1)
    near = (value - step, value, value + step)
    return tuple(dict.fromkeys(_rounded(min(max(one, values[0]), values[-1])) for one in near))


def _moves(subset: Subset, now: Values, iteration: int) -> Iterator[Values]:
    """Every move of a step from one weight to another."""
    values = next(iter(subset.values.values()))
    step = (values[1] - values[0]) / 2 ** (iteration - 1)
    for giver, taker in permutations(subset.values, 2):
        moved = min(step, now[giver])
        if moved > 0:
            changed = {giver: _rounded(now[giver] - moved), taker: _rounded(now[taker] + moved)}
            yield {**now, **changed}


def _rounded(value: float) -> float:
    return round(value, 4)


def _stage(name: str, players: Sequence[str] | Mapping[str, Values], opponent: str, times: int = 1) -> Stage:
    return Stage(name, tuple((player, opponent) for player in dict.fromkeys(players)), times)


_FIFTHS = tuple(round(0.2 * n, 1) for n in range(6))
_SUBSETS = (
    Subset(
        "meldability",
        {
            "unknown": (0.6, 0.8, 1.0),
            "held": (0.0, 0.35, 0.7),
            "rank_weight": (0.3, 0.5, 0.7),
            "run_weight": (0.3, 0.5, 0.7),
        },
    ),
    Subset(
        "adjacency",
        {
            "pair_rank": (0.2, 0.4, 0.6, 0.8),
            "pair_one": (0.2, 0.4, 0.6, 0.8),
            "pair_two": (0.0, 0.2, 0.4, 0.6),
        },
    ),
    Subset(
        "deadwood by turn", {"turn_full": (1.0, 4.0, 7.0, 10.0, 13.0), "turn_power": (0.5, 1.0, 1.5, 2.0)}
    ),
    Subset(
        "deadwood by known cards",
        {"known_full": (1.0, 2.0, 3.0, 4.0, 5.0), "known_power": (0.5, 1.0, 1.5, 2.0)},
    ),
    Subset("weights", dict.fromkeys(WEIGHTS, _FIFTHS), sums_to_one=True),
)
SEARCH = SubsetSearch(
    base="base",
    start={key: PROFILES["base"][key] for subset in _SUBSETS for key in subset.values},
    opponent=OPPONENT,
    subsets=_SUBSETS,
    kept=6,
    again_times=3,
    check_times=10,
    last_times=20,
    helps=0.002,
    most=5,
    landmarks=("poster", "code"),
)
"""Five subsets in the poster's order; 81, 64, 20, 20 and 252 settings in the first iteration."""
