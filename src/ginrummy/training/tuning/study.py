"""The search: trials of an Optuna study.

A trial's proposal depends on the seed, the trial's number and the finished trials alone, and a trial that was
interrupted is played again. So a study that was killed and continued ends the same as one that was not.
Workers share the games of one trial: the sequence of trials does not depend on their number.

With pruning a trial plays its games in parts. After each part it is compared, shard by shard, with the best
finished trial that played the same decks, and stops when it is clearly worse.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ginrummy.players.files import guarded
from ginrummy.rules import rules_text
from ginrummy.runs import Shards, run_shards
from ginrummy.tournament import add_counts, count_shard
from ginrummy.training.tuning.plan import (
    Leader,
    Shop,
    Standing,
    Tuning,
    first_game,
    pooled,
    population,
    score,
)
from ginrummy.training.tuning.space import Dimension, Point

if TYPE_CHECKING:
    from optuna import Study
    from optuna.distributions import BaseDistribution
    from optuna.samplers import BaseSampler
    from optuna.trial import FrozenTrial, Trial

Json = dict[str, Any]

SHARD = 500
"""Games of a shard."""
PARTS = 4
"""Parts of a trial that may be cut short, each with ``PART_SHARDS`` shards."""
PART_SHARDS = 5
WORSE = 0.01
"""Chance, by the signed-rank test, below which a trial counts as worse than the best."""
SHOWN = 10
"""Best trials that are reported while the search goes on."""
ENOUGH = 20
"""Finished trials that it takes to say which parameters matter."""


class Generation(NamedTuple):
    """How a generation of trials did on the games of the search."""

    trials: int
    """Trials so far, with those of this generation."""
    mean: float
    best: float


def search(study: "Study", tuning: Tuning, shop: Shop) -> None:
    """Play trials up to the budget, first a trial that was cut short."""
    from optuna.trial import Trial, TrialState

    distributions = {d.name: _distribution(d) for d in tuning.space.dimensions}
    budget = min(tuning.trials, tuning.space.grid_size() if tuning.sampler == "grid" else tuning.trials)
    while (done := len(ended(study))) < budget:
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
        trial.set_user_attr("player", spec)
        scores = _scores(study, trial, spec, tuning, done, shop.workers)
        if scores is None:
            study.tell(trial, state=TrialState.PRUNED)
        else:
            trial.set_user_attr("scores", scores)
            study.tell(trial, pooled(scores, tuning.weights))
        _report(study, shop, budget)


def _scores(
    study: "Study", trial: "Trial", spec: str, tuning: Tuning, number: int, workers: int
) -> list[float] | None:
    """What a trial scored against each opponent; None when it was cut short."""
    begin = first_game(tuning, number)
    games = range(begin, begin + tuning.games)
    if not tuning.prune:
        return [score(add_counts(shards), tuning.objective) for shards in _play(spec, tuning, games, workers)]
    size = 2 * max(1, tuning.games // (2 * PARTS * PART_SHARDS))
    played: list[list[Json]] = [[] for _ in tuning.against]
    for first in range(games.start, games.stop, size * PART_SHARDS):
        part = range(first, min(first + size * PART_SHARDS, games.stop))
        shards = _play(spec, tuning, part, workers, size)
        for place, found in enumerate(shards):
            played[place] += found
        for n, start in enumerate(range(part.start, part.stop, size)):
            values = [score(found[n], tuning.objective) for found in shards]
            trial.report(pooled(values, tuning.weights), start // 2)
        if part.stop < games.stop and _is_worse(study, trial._trial_id):
            return None
    return [score(add_counts(shards), tuning.objective) for shards in played]


def _is_worse(study: "Study", trial_id: int) -> bool:
    """Whether a trial is clearly worse than the best finished one on the same decks."""
    from scipy.stats import wilcoxon

    own = study._storage.get_trial(trial_id).intermediate_values
    rivals = [trial for trial in finished(study) if own.keys() <= trial.intermediate_values.keys()]
    if not rivals or len(own) < PART_SHARDS:
        return False
    best = max(rivals, key=lambda trial: trial.value or 0.0).intermediate_values
    less = [own[step] - best[step] for step in own]
    if not any(less) or sum(less) >= 0:
        return False
    return bool(wilcoxon(less, alternative="less", zero_method="zsplit").pvalue < WORSE)


def _report(study: "Study", shop: Shop, budget: int) -> None:
    """Say where the search stands."""
    trials = ended(study)
    pruned = [trial for trial in trials if _was_pruned(trial)]
    best = sorted(finished(study), key=lambda trial: (-(trial.value or 0.0), trial.number))[:SHOWN]
    if shop.on_trial:
        last = max(trials, key=lambda trial: trial.number)
        leaders = [_leader(trial) for trial in best]
        shop.on_trial(Standing(len(trials), budget, len(pruned), leaders, _leader(last)))
    elif shop.on_progress:
        found = f"best {best[0].value:.4f} at trial {best[0].number}" if best else "no trial is finished"
        shop.on_progress(f"searching: {found}", len(trials), budget)


def _leader(trial: "FrozenTrial") -> Leader:
    return Leader(trial.number, _score(trial), dict(trial.params))


def _was_pruned(trial: "FrozenTrial") -> bool:
    from optuna.trial import TrialState

    return trial.state == TrialState.PRUNED


def _given(tuning: Tuning, number: int) -> Point | None:
    """The point of a trial that no sampler chooses: a point of the grid, or the start for the first trial."""
    if tuning.sampler == "grid":
        return tuning.space.grid_point(number)
    return tuning.space.start if number == 0 else None


def finished(study: "Study") -> "list[FrozenTrial]":
    """The trials that have played all their games."""
    from optuna.trial import TrialState

    return study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))


def ended(study: "Study") -> "list[FrozenTrial]":
    """The trials that are over: they have played all their games, or were cut short."""
    from optuna.trial import TrialState

    return study.get_trials(deepcopy=False, states=(TrialState.COMPLETE, TrialState.PRUNED))


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
    if tuning.sampler == "tpe":
        start = max(10, 2 * len(tuning.space.dimensions))
        return samplers.TPESampler(seed=seed, multivariate=True, n_startup_trials=start)
    return samplers.RandomSampler(seed=seed)


def _distribution(dimension: Dimension) -> "BaseDistribution":
    from optuna import distributions as kinds

    if dimension.choices:
        return kinds.CategoricalDistribution(dimension.choices)
    low, high, step = dimension.low, dimension.high, dimension.step
    if dimension.whole:
        return kinds.IntDistribution(int(low), int(high), step=int(step) or 1)
    return kinds.FloatDistribution(low, high, step=step or None)


def _play(spec: str, tuning: Tuning, games: range, workers: int, size: int = SHARD) -> list[list[Json]]:
    """The counters of some games of a trial: opponent by opponent, shard by shard."""
    rules = rules_text(tuning.rules)
    known = [{"players": [spec, other], "rules": rules, "seed": tuning.seed} for other in tuning.against]
    payloads = Shards(known, games, size)
    shards = run_shards(guarded(count_shard, [spec, tuning.against]), payloads, workers=workers)
    return [[shards[k] for k in payloads.of(n)] for n in range(len(known))]


def history(tuning: Tuning, trials: "list[FrozenTrial]") -> list[Generation]:
    """How the search went, by generation."""
    size = population(tuning.space)
    values = [float(trial.value or 0.0) for trial in trials]
    rows = [values[first : first + size] for first in range(0, len(values), size)]
    return [Generation(size * n + len(row), sum(row) / len(row), max(row)) for n, row in enumerate(rows)]


def table(trials: "Sequence[FrozenTrial]") -> list[Json]:
    """Every trial of a search in order, with its parameters."""
    return [
        {
            "number": trial.number,
            "score": _score(trial),
            "pruned": _was_pruned(trial),
            "point": dict(trial.params),
        }
        for trial in sorted(trials, key=lambda trial: trial.number)
    ]


def _score(trial: "FrozenTrial") -> float:
    """What a trial scored; of one that was cut short, the mean over the games that it played."""
    if not _was_pruned(trial):
        return float(trial.value or 0.0)
    parts = list(trial.intermediate_values.values())
    return sum(parts) / len(parts)


def importance(study: "Study", tuning: Tuning) -> dict[str, float]:
    """How much each parameter has to do with being among the best tenth (PED-ANOVA); shares of one.

    Empty when there are too few trials to say, or when they do not differ.
    """
    from optuna.importance import PedAnovaImportanceEvaluator, get_param_importances

    values = {trial.value for trial in finished(study)}
    if len(finished(study)) < ENOUGH or len(values) < 2:
        return {}
    names = [dimension.name for dimension in tuning.space.dimensions]
    evaluator = PedAnovaImportanceEvaluator(evaluate_on_local=False)
    found = get_param_importances(study, evaluator=evaluator, params=names)
    return {name: float(share) for name, share in found.items()}
