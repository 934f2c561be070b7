"""The search: trials of an Optuna study in one SQLite file.

A trial's proposal depends on the seed, the trial's number and the finished trials alone, and a trial that was
cut short is played again. So a study that was killed and continued ends the same as one that was not. Workers
share the games of one trial: the sequence of trials does not depend on their number.
"""

import fcntl
import json
import sqlite3
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

from ginrummy._jit import code_digest
from ginrummy.errors import BadInput
from ginrummy.extras import how_to_install
from ginrummy.players.files import guarded, identified
from ginrummy.rules import rules_text
from ginrummy.runs import Shards, run_shards
from ginrummy.tournament import add_counts, count_shard
from ginrummy.training.tuning.plan import Shop, Tuning, first_game, identity, pooled, population, score
from ginrummy.training.tuning.space import Dimension, Point

if TYPE_CHECKING:
    from optuna import Study
    from optuna.distributions import BaseDistribution
    from optuna.samplers import BaseSampler
    from optuna.trial import FrozenTrial

Json = dict[str, Any]

SHARD = 500
"""Games of a shard."""


class Generation(NamedTuple):
    """How a generation of trials did on the games of the search."""

    trials: int
    """Trials so far, with those of this generation."""
    mean: float
    best: float


def load_optuna() -> ModuleType:
    """Import Optuna, which is an extra, and keep it quiet."""
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
def opened(path: Path, tuning: Tuning, fresh: bool) -> "Iterator[Study]":
    """Open or make the file of a study, locked for this process."""
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
            own = json.dumps(identified(identity(tuning)) | {"code": code_digest()}, sort_keys=True)
            if study.user_attrs.get("identity", own) != own:
                raise BadInput(f"{path} is the study of another search or of other code (--fresh drops it)")
            study.set_user_attr("identity", own)
            yield study
        finally:
            storage.engine.dispose()


def _connect(path: Path) -> sqlite3.Connection:
    """Open the file so that a commit survives the end of this process without waiting for the disk each time.

    Optuna commits every parameter separately: some thirty commits a trial, which took longer than its games.
    """
    connection = sqlite3.connect(path, timeout=60, check_same_thread=False)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")
    return connection


def search(study: "Study", tuning: Tuning, shop: Shop) -> None:
    """Play trials up to the budget, first a trial that was cut short."""
    from optuna.trial import Trial, TrialState

    distributions = {d.name: _distribution(d) for d in tuning.space.dimensions}
    budget = min(tuning.trials, tuning.space.grid_size() if tuning.sampler == "grid" else tuning.trials)
    while (done := len(finished(study))) < budget:
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
        scores = [score(counts, tuning.objective) for counts in _play(spec, tuning, done, shop.workers)]
        trial.set_user_attr("player", spec)
        trial.set_user_attr("scores", scores)
        study.tell(trial, pooled(scores, tuning.weights))
        if shop.on_progress:
            best = study.best_trial
            shop.on_progress(f"searching: best {best.value:.4f} at trial {best.number}", done + 1, budget)


def _given(tuning: Tuning, number: int) -> Point | None:
    """The point of a trial that no sampler chooses: a point of the grid, or the start for the first trial."""
    if tuning.sampler == "grid":
        return tuning.space.grid_point(number)
    return tuning.space.start if number == 0 else None


def finished(study: "Study") -> "list[FrozenTrial]":
    """The trials that have played all their games."""
    from optuna.trial import TrialState

    return study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))


def _sampler(tuning: Tuning, number: int) -> "BaseSampler":
    """The sampler for one trial, seeded by its number: a study that continues later proposes the same."""
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


def _play(spec: str, tuning: Tuning, number: int, workers: int) -> list[Json]:
    """One trial's counters against each opponent."""
    begin = first_game(tuning, number)
    rules = rules_text(tuning.rules)
    known = [{"players": [spec, other], "rules": rules, "seed": tuning.seed} for other in tuning.against]
    payloads = Shards(known, range(begin, begin + tuning.games), SHARD)
    shards = run_shards(guarded(count_shard, [spec, tuning.against]), payloads, workers=workers)
    return [add_counts([shards[k] for k in payloads.of(n)]) for n in range(len(known))]


def history(tuning: Tuning, trials: "list[FrozenTrial]") -> list[Generation]:
    """How the search went, by generation."""
    size = population(tuning.space)
    values = [float(trial.value or 0.0) for trial in trials]
    rows = [values[first : first + size] for first in range(0, len(values), size)]
    return [Generation(size * n + len(row), sum(row) / len(row), max(row)) for n, row in enumerate(rows)]
