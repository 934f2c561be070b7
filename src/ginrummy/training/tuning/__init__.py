"""Tune a player's parameters jointly against a pool of opponents, with Optuna.

``space`` is what is searched, ``plan`` everything that the outcome depends on, ``study`` the search,
``finals`` the measurement of the best on fresh decks, ``tune`` here all of it.

Trials that are compared play the same mirrored pairs (same seed, same decks), so that they differ by their
parameters more than by their luck. CMA-ES and NSGA-II compare within a generation, so each generation gets
decks of its own: with one set of 800 games for all, 750 trials learned those decks by heart (see
``results/S2-tuned.json``). The best of many trials is still biased upward, so we report no number of the
search as a strength: the best trials and the centre of the last ones meet again on more games with fresh
decks, and the winner is measured once more on two further seeds.
"""

from time import perf_counter
from typing import Any

from ginrummy import typed
from ginrummy.evidence import provenance
from ginrummy.rules import rules_text
from ginrummy.runs import default_journal_path
from ginrummy.training.tuning import finals
from ginrummy.training.tuning.plan import Shop, Tuning, identity, plan_tuning
from ginrummy.training.tuning.space import space_text
from ginrummy.training.tuning.study import finished, history, load_optuna, opened, search

__all__ = ["Shop", "Tuning", "load_optuna", "plan_tuning", "tune"]


def tune(tuning: Tuning, shop: Shop) -> dict[str, Any]:
    """Search, let the best meet again on fresh decks, measure the winner on two further seeds."""
    start = perf_counter()
    path = shop.study or default_journal_path(identity(tuning)).with_suffix(".db")
    with opened(path, tuning, shop.fresh) as study:
        search(study, tuning, shop)
        trials = finished(study)
    candidates = finals.finalists(tuning, trials)
    compared = finals.compare(tuning, shop, list(candidates))
    best = [row.player for row in compared[: finals.KEPT]]
    return {
        "player": tuning.space.player,
        "best": best[0],
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
        "search": [generation._asdict() for generation in history(tuning, trials)],
        "finalists": [typed.write(row) | {"from": candidates[row.player]} for row in compared],
        "measured": [
            {"player": player, "seeds": [typed.write(row) for row in rows]}
            for player, rows in finals.check(tuning, shop, best).items()
        ],
        "seconds": perf_counter() - start,
        "provenance": provenance(tuning.space.player, tuning.against),
    }
