"""A genetic algorithm in generations, by Optuna's NSGA-II: a function from what is known to what to try next.

Nothing is stored: the study is made again from the fitness of all finished generations, so a search that was
interrupted goes on as if it had not been.
"""

from collections.abc import Sequence

from ginrummy.training.tuning.storage import load_optuna

DIGITS = 4
"""Decimals of a proposed number."""


def generation(
    names: Sequence[str], population: int, seed: int, fitness: Sequence[Sequence[float]]
) -> list[tuple[float, ...]]:
    """The next generation of points, each with a number from 0 to 1 for every name.

    ``fitness`` has a row for each finished generation, with a number for each of its points; more is better.
    Children mix two of the best so far (blend crossover); each of their numbers is drawn anew with chance
    one in the number of names.
    """
    optuna = load_optuna()
    from optuna.distributions import BaseDistribution, FloatDistribution
    from optuna.samplers import NSGAIISampler
    from optuna.samplers.nsgaii import BLXAlphaCrossover

    sampler = NSGAIISampler(seed=seed, population_size=population, crossover=BLXAlphaCrossover())
    study = optuna.create_study(direction="maximize", sampler=sampler)
    kinds: dict[str, BaseDistribution] = {name: FloatDistribution(0.0, 1.0) for name in names}
    for row in (*fitness, None):
        trials = [study.ask(kinds) for _ in range(population)]
        if row is not None:
            for trial, found in zip(trials, row, strict=True):
                study.tell(trial, found)
    return [tuple(round(float(trial.params[name]), DIGITS) for name in names) for trial in trials]
