"""Tune a player's parameters jointly against a pool of opponents, with Optuna.

Trials that are compared play the same mirrored pairs (same seed, same decks), so that they differ by their
parameters more than by their luck. CMA-ES and NSGA-II compare within a generation, so each generation gets
decks of its own: with one set of 800 games for all, 750 trials learned those decks by heart (see
``results/S2-tuned.json``). The best of many trials is biased upward all the same, so no number of the search
is reported as a strength: the best trials, and the centre of the last ones, meet again on more games with
fresh decks, and the winner of that is measured once more on two further seeds.

A study lies in one SQLite file. A trial's proposal depends on the seed, the trial's number and the finished
trials alone, and a trial that was cut short is taken up again, so that a study that was killed ends as one
that was not. Workers share the games of one trial: the sequence does not depend on their number.
"""

import fcntl
import json
import sqlite3
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

from ginrummy._jit import code_digest
from ginrummy.errors import BadInput, UnknownName
from ginrummy.evidence import provenance
from ginrummy.extras import how_to_install
from ginrummy.players.files import guarded, identified
from ginrummy.players.registry import make_player
from ginrummy.rules import Rules, rules_text
from ginrummy.runs import Shards, default_journal_path, run_shards
from ginrummy.stats import pair_interval
from ginrummy.tournament import Plan, add_counts, count_shard, measure, points_a
from ginrummy.training.tuning_space import Dimension, Point, Space, parse_space, rounded, space_text

if TYPE_CHECKING:
    from optuna import Study
    from optuna.distributions import BaseDistribution
    from optuna.samplers import BaseSampler
    from optuna.trial import FrozenTrial

Json = dict[str, Any]
Progress = Callable[[str, int, int], None]
"""Called with a line on how it stands, steps done and steps in all."""

SAMPLERS = ("cma-es", "nsga2", "random", "grid")
OBJECTIVES = ("wins", "points")
DECKS = ("generation", "same")
ENLARGED = 4
"""The finalists play this many times a trial's games."""
KEPT = 3
"""Finalists that are measured in the end."""
CHECK_SEEDS = 2
SHARD = 500
"""Games of a shard."""


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
    trials share theirs, which a long search learns by heart."""
    finalists: int = 12
    check_games: int = 20_000
    """Games of the winner against each opponent on each fresh seed."""


class Shop(NamedTuple):
    """How a study is carried out; the outcome does not depend on it."""

    workers: int = 1
    study: Path | None = None
    fresh: bool = False
    on_progress: Progress | None = None


def plan_tuning(
    player: str, against: list[str], space: str | None, weights: str | None, **settings: Any
) -> Tuning:
    """Check what a user asked for; every mistake is an error of one line."""
    parsed = parse_space(player, space)
    if not against:
        raise BadInput("tuning needs an opponent: --against PLAYER, one or more times")
    if len(set(against)) < len(against):
        raise BadInput("an opponent is named twice: name it once, and say with --weights what it counts for")
    tuning = Tuning(parsed, tuple(against), _weights(weights, len(against)), **settings)
    words = ((tuning.sampler, SAMPLERS), (tuning.objective, OBJECTIVES), (tuning.decks, DECKS))
    for word, known in words:
        if word not in known:
            raise UnknownName(f"unknown {word!r}: choose one of {', '.join(known)}")
    if tuning.sampler == "cma-es" and any(dimension.choices for dimension in parsed.dimensions):
        raise BadInput("cma-es needs numbers between bounds; for a|b use another --sampler")
    for spec in (*against, *(parsed.spec(corner) for corner in parsed.corners())):
        make_player(spec)
    return tuning._replace(games=tuning.games + tuning.games % 2)


def tune(tuning: Tuning, shop: Shop) -> Json:
    """Search, let the best meet again on fresh decks, measure the winner on two further seeds."""
    start = perf_counter()
    path = shop.study or default_journal_path(_identity(tuning)).with_suffix(".db")
    with _study(path, tuning, shop.fresh) as study:
        _search(study, tuning, shop)
        trials = _finished(study)
    candidates = finalists(tuning, trials)
    final = _compare(tuning, shop, candidates)
    checks = _check(tuning, shop, final)
    return {
        "player": tuning.space.player,
        "best": checks[0]["player"],
        "against": list(tuning.against),
        "weights": list(tuning.weights),
        "rules": rules_text(tuning.rules),
        "space": space_text(tuning.space),
        "sampler": tuning.sampler,
        "objective": tuning.objective,
        "decks": tuning.decks,
        "trials": len(trials),
        "games_per_trial": tuning.games * len(tuning.against),
        "seed": tuning.seed,
        "study": str(path),
        "search": _history(tuning, trials),
        "finalists": final,
        "measured": checks,
        "seconds": perf_counter() - start,
        "provenance": provenance(tuning.space.player, tuning.against),
    }


def load_optuna() -> ModuleType:
    """Optuna, quiet; it is an extra."""
    try:
        import cmaes  # noqa: F401
        import optuna
    except ImportError:
        raise BadInput(f"tuning needs Optuna: install it with {how_to_install('tune')}") from None
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    warnings.filterwarnings("ignore", category=optuna.exceptions.ExperimentalWarning)
    warnings.filterwarnings("ignore", message="`x0` has been deprecated", category=FutureWarning)
    return optuna


@contextmanager
def _study(path: Path, tuning: Tuning, fresh: bool) -> "Iterator[Study]":
    """Open or make the study's file, locked for this process."""
    optuna = load_optuna()
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.with_name(path.name + ".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise BadInput(f"another process is at work on the study {path}") from None
        if fresh:
            for end in ("", "-wal", "-shm"):
                path.with_name(path.name + end).unlink(missing_ok=True)
        try:
            storage = optuna.storages.RDBStorage(
                f"sqlite:///{path.absolute()}", engine_kwargs={"creator": lambda: _connect(path)}
            )
            study = optuna.create_study(
                storage=storage, study_name="ginrummy", direction="maximize", load_if_exists=True
            )
        except Exception as error:
            raise BadInput(f"{path} is no study of ours: {str(error).splitlines()[0]}") from error
        try:
            identity = json.dumps(identified(_identity(tuning)) | {"code": code_digest()}, sort_keys=True)
            if study.user_attrs.get("identity", identity) != identity:
                raise BadInput(f"{path} is the study of another search or of other code (--fresh drops it)")
            study.set_user_attr("identity", identity)
            yield study
        finally:
            storage.engine.dispose()


def _connect(path: Path) -> sqlite3.Connection:
    """Open the file so that a commit outlives this process without waiting for the disk each time.

    Optuna commits every parameter by itself: some thirty commits a trial, which took longer than its games.
    """
    connection = sqlite3.connect(path, timeout=60, check_same_thread=False)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")
    return connection


def _identity(tuning: Tuning) -> Json:
    """What makes two studies the same search; a larger budget of trials goes on with it."""
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
    }


def _search(study: "Study", tuning: Tuning, shop: Shop) -> None:
    """Play trials up to the budget; a trial that was cut short comes first."""
    from optuna.trial import Trial, TrialState

    distributions = {d.name: _distribution(d) for d in tuning.space.dimensions}
    budget = min(tuning.trials, tuning.space.grid_size() if tuning.sampler == "grid" else tuning.trials)
    while (done := len(_finished(study))) < budget:
        study.sampler = _sampler(tuning, done)
        cut_short = study.get_trials(deepcopy=False, states=(TrialState.RUNNING,))
        if cut_short:
            trial = Trial(study, cut_short[0]._trial_id)
        else:
            given = _given(tuning, done)
            if given and not study.get_trials(deepcopy=False, states=(TrialState.WAITING,)):
                study.enqueue_trial(given)
            trial = study.ask()
        point = {name: trial._suggest(name, kind) for name, kind in distributions.items()}
        spec = tuning.space.spec(point)
        scores = [_score(counts, tuning.objective) for counts in _play(spec, tuning, done, shop.workers)]
        trial.set_user_attr("player", spec)
        trial.set_user_attr("scores", scores)
        study.tell(trial, _pooled(scores, tuning.weights))
        if shop.on_progress:
            best = study.best_trial
            shop.on_progress(f"searching: best {best.value:.4f} at trial {best.number}", done + 1, budget)


def _given(tuning: Tuning, number: int) -> Point | None:
    """The point of a trial that no sampler chooses: the grid's, else the start for the first trial."""
    if tuning.sampler == "grid":
        return tuning.space.grid_point(number)
    return tuning.space.start if number == 0 else None


def population(space: Space) -> int:
    """Trials of a generation: somewhat more than usual, because games are noisy."""
    return max(8, 2 * len(space.dimensions) // 3)


def _finished(study: "Study") -> "list[FrozenTrial]":
    from optuna.trial import TrialState

    return study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))


def _sampler(tuning: Tuning, number: int) -> "BaseSampler":
    """The sampler for one trial: seeded by its number, so that going on later proposes the same."""
    from optuna import samplers

    seed = (tuning.seed * 1_000_003 + number) % 2**32
    size = population(tuning.space)
    if tuning.sampler == "cma-es":
        whole = any(dimension.whole for dimension in tuning.space.dimensions)
        return samplers.CmaEsSampler(
            x0=tuning.space.start, seed=seed, popsize=size, with_margin=whole, warn_independent_sampling=False
        )
    if tuning.sampler == "nsga2":
        return samplers.NSGAIISampler(seed=seed, population_size=size)
    return samplers.RandomSampler(seed=seed)


def _distribution(dimension: Dimension) -> "BaseDistribution":
    from optuna import distributions as kinds

    if dimension.choices:
        return kinds.CategoricalDistribution(dimension.choices)
    if dimension.whole:
        return kinds.IntDistribution(int(dimension.low), int(dimension.high))
    return kinds.FloatDistribution(dimension.low, dimension.high)


def first_game(tuning: Tuning, number: int) -> int:
    """The first game of a trial. The first trial is the start and no part of a generation."""
    size = population(tuning.space)
    return tuning.games * ((number + size - 1) // size) if tuning.decks == "generation" else 0


def _play(spec: str, tuning: Tuning, number: int, workers: int) -> list[Json]:
    """One trial's counters against each opponent."""
    begin = first_game(tuning, number)
    rules = rules_text(tuning.rules)
    known = [{"players": [spec, other], "rules": rules, "seed": tuning.seed} for other in tuning.against]
    payloads = Shards(known, range(begin, begin + tuning.games), SHARD)
    shards = run_shards(guarded(count_shard, [spec, tuning.against]), payloads, workers=workers)
    return [add_counts([shards[k] for k in payloads.of(n)]) for n in range(len(known))]


def _score(counts: Json, objective: str) -> float:
    if objective == "wins":
        return points_a(counts) / float(counts["games"])
    own, other = counts["points"]
    return float(own / max(1, own + other))


def _pooled(scores: list[float], weights: tuple[float, ...]) -> float:
    return sum(score * weight for score, weight in zip(scores, weights, strict=True))


def finalists(tuning: Tuning, trials: "list[FrozenTrial]") -> dict[str, str]:
    """Player -> where it comes from: the start, the centre of the last trials, the best trials."""
    found = {tuning.space.spec(tuning.space.start): "start"}
    last = trials[-3 * population(tuning.space) :]
    found.setdefault(tuning.space.spec(centre(tuning.space, last)), "centre of the last trials")
    for trial in sorted(trials, key=lambda trial: (-(trial.value or 0.0), trial.number)):
        if len(found) >= tuning.finalists:
            break
        found.setdefault(trial.user_attrs["player"], f"trial {trial.number}")
    return found


def centre(space: Space, trials: "list[FrozenTrial]") -> Point:
    """The mean of the better half of some trials: it averages away what luck gave to one of them."""
    half = sorted(trials, key=lambda trial: -(trial.value or 0.0))[: max(1, len(trials) // 2)]
    point: Point = {}
    for dimension in space.dimensions:
        values = [trial.params[dimension.name] for trial in half]
        if dimension.choices:
            point[dimension.name] = max(dimension.choices, key=values.count)
        else:
            mean = sum(values) / len(values)
            point[dimension.name] = round(mean) if dimension.whole else rounded(mean)
    return point


def _compare(tuning: Tuning, shop: Shop, candidates: dict[str, str]) -> list[Json]:
    """The finalists on more games with fresh decks, best first."""
    rows = _measure(tuning, shop, list(candidates), ENLARGED * tuning.games, tuning.seed + 1, "finalists")
    for row in rows:
        row["from"] = candidates[row["player"]]
    return sorted(rows, key=lambda row: -row["score"])


def _check(tuning: Tuning, shop: Shop, final: list[Json]) -> list[Json]:
    """The best finalists, in the order that the comparison gave them, on seeds that chose nothing."""
    specs = [row["player"] for row in final[:KEPT]]
    seeds = [tuning.seed + 2 + n for n in range(CHECK_SEEDS)]
    by_seed = [_measure(tuning, shop, specs, tuning.check_games, seed, "measuring") for seed in seeds]
    return [{"player": spec, "seeds": [rows[n] for rows in by_seed]} for n, spec in enumerate(specs)]


def _measure(tuning: Tuning, shop: Shop, specs: list[str], games: int, seed: int, what: str) -> list[Json]:
    pairings = [(spec, other) for spec in specs for other in tuning.against]
    total, done = len(pairings) * (games + games % 2), 0

    def on_progress(played: int) -> None:
        nonlocal done
        done += played
        if shop.on_progress:
            shop.on_progress(f"{what}, seed {seed}", done, total)

    counts = measure("tune", pairings, Plan(games, seed, tuning.rules, shop.workers), on_progress)
    each = len(tuning.against)
    return [_row(spec, seed, tuning, counts[n * each : (n + 1) * each]) for n, spec in enumerate(specs)]


def _row(player: str, seed: int, tuning: Tuning, counts: list[Json]) -> Json:
    scores = [_score(one, "wins") for one in counts]
    return {
        "player": player,
        "seed": seed,
        "score": _pooled(scores, tuning.weights),
        "matches": [
            {
                "player_b": other,
                "games": one["games"],
                "win_rate_a": points_a(one) / one["games"],
                "pair_ci95_a": list(pair_interval(one["pairs"], 0.95)),
                "points_share_a": _score(one, "points"),
            }
            for other, one in zip(tuning.against, counts, strict=True)
        ],
    }


def _history(tuning: Tuning, trials: "list[FrozenTrial]") -> list[Json]:
    """How the search went, by generation: its mean and its best score on the games of the search."""
    size = population(tuning.space)
    values = [float(trial.value or 0.0) for trial in trials]
    rows = [values[first : first + size] for first in range(0, len(values), size)]
    return [
        {"trials": size * n + len(row), "mean": sum(row) / len(row), "best": max(row)}
        for n, row in enumerate(rows)
    ]


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
