"""The numbers of paper S0's table 4, the accuracy of estimators, and what the paper says about them."""

from ginrummy.experiments.frame.drawings import Cell
from ginrummy.experiments.frame.evidence import Point
from ginrummy.experiments.frame.rates import by_series
from ginrummy.experiments.frame.verdicts import Published, Row, Statement, claim, less, value
from ginrummy.judging.beliefs import OMNISCIENT
from ginrummy.judging.last_moment import SCORES, UNKNOWN, Scores, Watched
from ginrummy.stats import Unit

TABLE_4 = {
    "ann": {"categorical": 0.6938, "binary": 0.6085},
    "lstm": {"categorical": 0.8107, "binary": 0.8024},
    "bayes": {"categorical": 0.8230, "binary": 0.6154},
}
LOSS = Published('loss of the recurrent network, "12 %"', 0.12, None, 0.01, unit="loss")
"""The text calls it categorical cross-entropy, whose unit is not a percent."""
READINGS = {
    "all cards, last moment": ("raw", "last", ""),
    "all cards, last moment, masked": ("masked", "last", ""),
    "all cards, all moments": ("raw", "all", ""),
    "all cards, all moments, masked": ("masked", "all", ""),
    "unknown cards, last moment": ("raw", "last", "_unknown"),
    "unknown cards, last moment, masked": ("masked", "last", "_unknown"),
    "unknown cards, all moments": ("raw", "all", "_unknown"),
    "unknown cards, all moments, masked": ("masked", "all", "_unknown"),
}
"""Reading -> (form of the belief, moments, cards). The first is the letter of Equations 4 to 7."""
LOSSES = {
    "binary cross-entropy, last moment": ("log_loss", "last"),
    "binary cross-entropy, all moments": ("log_loss", "all"),
    "squared error, last moment": ("squared", "last"),
    "squared error, all moments": ("squared", "all"),
}
ESTIMATORS = (*TABLE_4, "null", "zero", OMNISCIENT)
NOTHING = 42 / 52
"""Both accuracies of believing that the opponent holds no card."""
_COLUMNS: dict[str, tuple[str, Unit]] = {
    "categorical": ("categorical accuracy", "accuracy"),
    "binary": ("binary accuracy", "accuracy"),
    "log_loss": ("log loss", "loss"),
    "squared": ("squared error (Brier)", "loss"),
    "auc": ("AUC", "loss"),
}


def _scores(points: list[Point[Watched]]) -> dict[str, Scores]:
    return {name: Scores(point.counts for point in found) for name, found in by_series(points).items()}


def _accuracy(name: str, metric: str) -> Published | None:
    number = TABLE_4.get(name, {}).get(metric)
    return Published(f"{_COLUMNS[metric][0]}, {name}", number, None, unit="accuracy") if number else None


def table_4_cells(points: list[Point[Watched]]) -> list[Cell]:
    """Every metric, raw and masked, at the last moment and at all; the figure shows the paper's own case."""
    cells = []
    for name, scores in _scores(points).items():
        for form in ("raw", "masked"):
            for when in ("last", "all"):
                own = (form, when) == ("raw", "last")
                row = name if own else f"{name}, {form}, {when}"
                for metric in (*SCORES, "auc"):
                    column, unit = _COLUMNS[metric]
                    published = _accuracy(name, metric) if own else None
                    ours = scores.metric(metric, form, when)
                    cells.append(Cell(row, column, ours, unit, published, own))
                for metric in UNKNOWN:
                    column = f"{_COLUMNS[metric.partition('_')[0]][0]}, unknown cards"
                    ours = scores.metric(metric, form, when)
                    cells.append(Cell(row, column, ours, "accuracy", None, False))
    return cells


def table_4(points: list[Point[Watched]]) -> list[Row]:
    """The two accuracies, the conclusions of the text, and the score of believing nothing."""
    scores = _scores(points)
    rows = []
    for reading, (form, when, cards) in READINGS.items():
        for name in TABLE_4:
            for metric in ("categorical", "binary"):
                if published := _accuracy(name, metric):
                    ours = scores[name].metric(f"{metric}{cards}", form, when)
                    rows.append(value(published, "ours", ours, reading=reading))
    for reading, (loss, when) in LOSSES.items():
        ours = scores["lstm"].metric(loss, "raw", when)
        rows.append(value(LOSS, "ours, raw belief", ours, reading=reading))
    for metric in ("categorical", "binary"):
        at = {name: scores[name].metric(metric) for name in ESTIMATORS}
        rows.append(
            claim(
                f"the recurrent network is more accurate than the feed-forward one ({metric})",
                "last moment of a round",
                [less("lstm", "ann", at, low=0)],
            )
        )
    rows += [_bayes_first(scores, "last", "at the end"), _bayes_first(scores, "all", "at all turns")]
    last, every = (scores["lstm"].metric("categorical", when=when) for when in ("last", "all"))
    rows += [
        claim(
            "the recurrent network is best at the last turn and worse before",
            "categorical accuracy at the last moment above that at all moments",
            [Statement("last less all", last - every, low=0)],
        ),
        claim(
            "check: believing that the opponent holds no card scores 42 of 52 on both metrics",
            "to a millionth",
            [
                Statement(metric, scores["zero"].metric(metric), NOTHING - 1e-6, NOTHING + 1e-6)
                for metric in ("categorical", "binary")
            ],
        ),
    ]
    for name in TABLE_4:
        rows += _says_something(scores, name)
    return rows


def _bayes_first(scores: dict[str, Scores], when: str, words: str) -> Row:
    gap = scores["bayes"].metric("categorical", when=when) - scores["lstm"].metric("categorical", when=when)
    return claim(
        f"Bayes' rule is more accurate than the recurrent network {words}",
        "categorical accuracy of raw beliefs",
        [Statement("bayes less lstm", gap, low=0)],
    )


def _says_something(scores: dict[str, Scores], name: str) -> list[Row]:
    """Not in the paper: whether an estimator beats the bounds that know nothing."""
    above = scores[name].metric("categorical")
    ranks = scores[name].metric("auc") - scores["null"].metric("auc")
    return [
        claim(
            f"ours: {name} is more accurate than believing in no card",
            "categorical accuracy at the last moment above 42 of 52",
            [Statement(name, above, low=NOTHING)],
        ),
        claim(
            f"ours: {name} ranks cards better than equal chances for unseen cards",
            "AUC at the last moment above that of null",
            [Statement(f"{name} less null", ranks, low=0, unit="loss")],
        ),
    ]
