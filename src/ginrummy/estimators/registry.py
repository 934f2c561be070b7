"""The one place that knows every estimator. ``make_estimator("name:key=value,…")`` builds one."""

from ginrummy.estimators.base import Estimator
from ginrummy.specs import Entry, Registry

_ESTIMATORS: Registry[Estimator] = Registry(
    "estimator",
    {
        "null": "ginrummy.estimators.bounds:null",
        "zero": "ginrummy.estimators.bounds:zero",
        "bayes": "ginrummy.estimators.bayes:bayes",
        "ann": "ginrummy.estimators.event_networks:ann",
        "lstm": "ginrummy.estimators.event_networks:lstm",
        "simple-nn": "ginrummy.estimators.simple_nn:simple_nn",
        "shankar-cnn": "ginrummy.estimators.shankar_cnn:shankar_cnn",
        "ensemble-by-turn": "ginrummy.estimators.ensemble:ensemble_by_turn",
        "belief-net": "ginrummy.estimators.belief_net:belief_net",
        "joint": "ginrummy.estimators.joint:joint",
        "tracker": "ginrummy.estimators.tracker:tracker",
    },
)


def estimator_names() -> list[str]:
    """Every registered name."""
    return _ESTIMATORS.names()


def describe(name: str) -> Entry:
    """A registered estimator's description, from its factory."""
    return _ESTIMATORS.describe(name)


def make_estimator(spec: str) -> Estimator:
    """Build the estimator that a text names; a wrong name, key or value raises ``UnknownName``."""
    return _ESTIMATORS.make(spec)
