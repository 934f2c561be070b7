"""Tune a player's parameters jointly against a pool of opponents, with Optuna.

``space`` is what is searched, ``plan`` everything that the outcome depends on, ``storage`` where the study is
kept, ``study`` the search, ``finals`` the measurement of the best on fresh decks, ``tune`` here all of it.

Trials that are compared play the same mirrored pairs (same seed, same decks), so that they differ by their
parameters more than by their luck. CMA-ES and NSGA-II compare within a generation, so each generation gets
decks of its own: a search on one set of decks can learn them by heart. The best of many trials is still
biased upward, so we report no number of the search as a strength: the best trials and the centre of the last
ones meet again on more games with fresh decks, and the winner is measured once more on two further seeds.
"""

from time import perf_counter
from typing import Any

from ginrummy import typed
from ginrummy.evidence import provenance
from ginrummy.rules import rules_text
from ginrummy.training.tuning import finals
from ginrummy.training.tuning.plan import Leader, Shop, Standing, Tuning, plan_tuning
from ginrummy.training.tuning.space import space_text
from ginrummy.training.tuning.storage import load_optuna, opened, place_of, shown, usual_place
from ginrummy.training.tuning.study import ended, finished, history, importance, search, table

__all__ = ["Leader", "Shop", "Standing", "Tuning", "load_optuna", "place_of", "plan_tuning", "tune"]


def tune(tuning: Tuning, shop: Shop) -> dict[str, Any]:
    """Search, let the best meet again on fresh decks, measure the winner on two further seeds."""
    start = perf_counter()
    place = shop.study or usual_place(tuning)
    with opened(place, tuning, shop.fresh) as study:
        search(study, tuning, shop)
        trials, played, matters = finished(study), table(ended(study)), importance(study, tuning)
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
        "prune": tuning.prune,
        "trials": len(played),
        "pruned": sum(row["pruned"] for row in played),
        "games_per_trial": tuning.games * len(tuning.against),
        "seed": tuning.seed,
        "study": shown(place),
        "search": [generation._asdict() for generation in history(tuning, trials)],
        "trial_table": played,
        "importance": matters,
        "finalists": [typed.write(row) | {"from": candidates[row.player]} for row in compared],
        "measured": [
            {"player": player, "seeds": [typed.write(row) for row in rows]}
            for player, rows in finals.check(tuning, shop, best).items()
        ],
        "seconds": perf_counter() - start,
        "provenance": provenance(tuning.space.player, tuning.against),
    }
