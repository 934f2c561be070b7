"""What paper S1 says about its figures 2 to 6, one ordering after the other.

"Early" is up to turn 9 and "late" from turn 29 on, as in the paper's advice on when to use which estimator;
where the text names other turns, those are taken. "Matched" is a difference of less than a twentieth.
"""

import math
from collections.abc import Callable, Mapping
from functools import partial
from itertools import pairwise
from typing import NamedTuple

from ginrummy.experiments.frame.drawings import Cell, Curves, turn_curves
from ginrummy.experiments.frame.evidence import Point
from ginrummy.experiments.frame.verdicts import Row, Statement, claim, reread
from ginrummy.judging.beliefs import BOUNDS, NULL, OMNISCIENT
from ginrummy.judging.by_turn import ALL, FEW, Band, Beliefs, BeliefSettings, compact, settings
from ginrummy.judging.scores import METRICS, PAPER
from ginrummy.stats import Estimate
from ginrummy.typed import Counters

MATCHED = 0.05
"""Share of the mean by which matched estimators may differ."""
BANDS = (
    Band("1-9", 1, 9),
    Band("1-10", 1, 10),
    Band("1-12", 1, 12),
    Band("10-28", 10, 28),
    Band("10-", 10, None),
    Band("11-", 11, None),
    Band("13-24", 13, 24),
    Band("17-", 17, None),
    Band("25-", 25, None),
    Band("29-", 29, None),
)
"""The stretches of turns that the text mentions."""


class Trio(NamedTuple):
    """The three estimators, in some profile."""

    bayes: str = "bayes:squash=yes"
    network: str = "simple-nn"
    convolution: str = "shankar-cnn"

    def others(self, one: str) -> list[str]:
        """The other two."""
        return [name for name in self if name != one]


TEXT = Trio()
PROGRAM = Trio("bayes:squash=yes", "simple-nn:profile=code", "shankar-cnn:profile=code")
OURS = "belief-net"
VARIANTS = (
    "bayes",
    "bayes:squash=yes",
    "simple-nn",
    "simple-nn:profile=code",
    "shankar-cnn",
    "shankar-cnn:profile=code",
    "shankar-cnn:profile=softmax",
)
VARIANT_METRICS = (*PAPER, "program_difference", "log_loss")


FIGURE_SETTINGS = settings((*TEXT, OURS), metrics=PAPER, bands=BANDS)
"""What the figures judge: all of them the same games, so that one measurement serves all five."""


BeliefPoint = Point[BeliefSettings]


def counted(points: list[BeliefPoint]) -> Beliefs:
    """The counters of some points added up."""
    return Beliefs.of([(point.settings, point.counts) for point in points])


def figure_curves(metric: str) -> Curves:
    """A figure like the paper's, with ours and both bounds."""

    def lines(points: list[BeliefPoint]) -> Mapping[str, Mapping[float, Estimate]]:
        found = counted(points)
        return {
            name: {turn: found.mean(metric, name, turn) for turn in _drawn(found)}
            for name in (*TEXT, OURS, *BOUNDS)
        }

    def sizes(points: list[BeliefPoint]) -> Mapping[float, int]:
        found = counted(points)
        return {turn: found.moments(turn) for turn in _drawn(found)}

    return turn_curves(metric, lines, sizes)


def _drawn(found: Beliefs) -> list[int]:
    return [turn for turn in found.turns if found.moments(turn) >= FEW]


class Reading(NamedTuple):
    """The counters of a metric, from which claims about orderings are made."""

    found: Beliefs
    metric: str
    trio: Trio

    def ahead(self, what: str, band: str, one: str, *others: str) -> Row:
        """A claim that one estimator is better than others in a stretch of turns."""
        return self.claim(what, band, [(one, other) for other in others], one if len(others) > 1 else None)

    def claim(self, what: str, band: str, pairs: list[tuple[str, str]], first: str | None = None) -> Row:
        """A claim that of each pair the first is better."""
        high = METRICS[self.metric].high
        statements = [
            Statement(
                f"{one} less {other}",
                self.found.gap(self.metric, one, other, band),
                low=0.0 if high else -math.inf,
                high=math.inf if high else 0.0,
                unit=METRICS[self.metric].unit,
            )
            for one, other in pairs
        ]
        note = self._turns_best(first, band) if first else ""
        where = "all moments" if band == ALL else f"moments of turns {band}"
        return claim(self._named(what), f"{METRICS[self.metric].label}, {where}", statements, note)

    def matched(self, what: str, band: str, one: str, other: str) -> Row:
        """A claim that two estimators are about as good."""
        level = self.found.mean(self.metric, other, band).value
        gap = self.found.gap(self.metric, one, other, band).times(1 / level)
        text = f"{one} less {other}, by the latter"
        compared = f"{METRICS[self.metric].label}, moments of turns {band}, within {MATCHED:.0%} of the mean"
        return claim(self._named(what), compared, [Statement(text, gap, -MATCHED, MATCHED, "gain")])

    def _named(self, what: str) -> str:
        """A claim with its metric: the text says the same about several."""
        label, rest = METRICS[self.metric].label, what.removeprefix("ours: ")
        return f"ours: {label}: {rest}" if rest != what else f"{label}: {what}"

    def _turns_best(self, one: str, band: str) -> str:
        low, _, high = band.partition("-")
        turns = [t for t in _drawn(self.found) if int(low) <= t <= (int(high) if high else t)]
        if not turns:  # the counters have stretches of turns alone
            return ""
        best = [self.found.best(self.metric, self.trio, turn) for turn in turns]
        return f"Best of the three at {best.count(one)} of {len(turns)} turns."


def mean_squared_difference(at: Reading) -> list[Row]:
    """Figure 2."""
    bayes, network, convolution = at.trio
    return [
        at.matched(
            "the simple network and Bayes' rule are nearly evenly matched early", "1-9", network, bayes
        ),
        at.ahead(
            "the convolutional network is ahead in mid game",
            "10-28",
            convolution,
            *at.trio.others(convolution),
        ),
        at.claim(
            "it pulls ahead there: before, one of the others is better",
            "1-9",
            [(at.found.best(at.metric, (bayes, network), "1-9"), convolution)],
        ),
        at.ahead("Bayes' rule beats the other two late", "29-", bayes, *at.trio.others(bayes)),
    ]


def integrity_loss(at: Reading) -> list[Row]:
    """Figure 3."""
    bayes, network, convolution = at.trio
    return [
        at.ahead(
            "the simple network is closest to ten cards until turn 10",
            "1-10",
            network,
            *at.trio.others(network),
        ),
        at.ahead("Bayes' rule is closest after turn 10", "11-", bayes, *at.trio.others(bayes)),
        at.matched("the two networks are matched after turn 16", "17-", network, convolution),
    ]


def minimum_top_largest(at: Reading) -> list[Row]:
    """Figure 4."""
    bayes, network, convolution = at.trio
    return [
        at.claim(
            "the simple network and Bayes' rule are better than the convolutional network up to turn 12",
            "1-12",
            [(network, convolution), (bayes, convolution)],
        ),
        at.ahead(
            "the convolutional network has a little advantage over Bayes' rule from turn 13 to 24",
            "13-24",
            convolution,
            bayes,
        ),
        at.matched("and the two are matched there", "13-24", convolution, bayes),
        at.ahead(
            "Bayes' rule has an advantage over the convolutional network after turn 24",
            "25-",
            bayes,
            convolution,
        ),
        at.claim(
            "the simple network is worse than both after turn 10",
            "11-",
            [(bayes, network), (convolution, network)],
        ),
    ]


def ranked(at: Reading) -> list[Row]:
    """Figures 5 and 6; the text says the same about both."""
    _, network, convolution = at.trio
    return [
        at.ahead(
            "the simple network is preferable in the early game", "1-9", network, *at.trio.others(network)
        ),
        at.ahead(
            "the convolutional network is better in mid game",
            "10-28",
            convolution,
            *at.trio.others(convolution),
        ),
        at.ahead("and until the end", "29-", convolution, *at.trio.others(convolution)),
    ]


ORDERINGS: dict[str, Callable[[Reading], list[Row]]] = {
    "mean_squared_difference": mean_squared_difference,
    "integrity_loss": integrity_loss,
    "minimum_top_largest": minimum_top_largest,
    "top_n": ranked,
    "drift_area": ranked,
}
"""Metric -> what the text says of its figure."""


def _figure(metric: str, points: list[BeliefPoint]) -> list[Row]:
    found = counted(points)
    rows = ORDERINGS[metric](Reading(found, metric, TEXT))
    if metric != "integrity_loss":  # equal chances add up by themselves
        rows.append(_says_something(found, metric))
    return [*rows, _best_of_all(found, metric), _falling(found)]


def _says_something(found: Beliefs, metric: str) -> Row:
    """Not in the paper: whether its estimators beat equal chances."""
    statements = [
        Statement(
            f"{name} less {NULL}, turns {band}",
            found.gap(metric, name, NULL, band),
            low=0.0 if METRICS[metric].high else -math.inf,
            high=math.inf if METRICS[metric].high else 0.0,
            unit=METRICS[metric].unit,
        )
        for name in TEXT
        for band in ("1-9", "10-28", "29-")
    ]
    return claim(
        f"ours: {METRICS[metric].label}: each of the three is better than equal chances for unseen cards, "
        "early, in mid game and late",
        METRICS[metric].label,
        statements,
    )


def _best_of_all(found: Beliefs, metric: str) -> Row:
    at = Reading(found, metric, TEXT)
    return at.claim("ours: belief-net is better than each of the three", ALL, [(OURS, name) for name in TEXT])


def _falling(found: Beliefs) -> Row:
    """N falls from turn to turn, as it must when each sample is a round that reached the turn."""
    turns = [turn for turn in _drawn(found) if turn >= 1]
    rise = max(found.moments(b) - found.moments(a) for a, b in pairwise(turns))
    last = turns[-1]
    return claim(
        "check: the number of samples falls with the turn, and rounds go beyond turn 29",
        f"the greatest rise from one turn to the next; the last turn with {FEW} moments or more",
        [
            Statement("rise", Estimate(rise, 0.0), high=0.5, unit="count"),
            Statement("last turn", Estimate(last, 0.0), low=29.5, unit="count"),
        ],
    )


FIGURES: dict[str, Callable[[list[BeliefPoint]], list[Row]]] = {
    metric: partial(_figure, metric) for metric in PAPER
}
"""Metric -> what the text says of its figure, in the paper's order."""


def without_turns(counts: Counters) -> Counters:
    """Counters of stretches of turns alone."""
    return dict(compact(counts)) | {"turns": {}}


def variant_cells(points: list[BeliefPoint]) -> list[Cell]:
    """Every estimator's metrics over all moments."""
    found = counted(points)
    return [
        Cell(
            name,
            METRICS[metric].label,
            found.mean(metric, name),
            METRICS[metric].unit,
            drawn=name != OMNISCIENT,
        )
        for name in (*VARIANTS, *BOUNDS)
        for metric in VARIANT_METRICS
    ]


def variants(points: list[BeliefPoint]) -> list[Row]:
    """The text's claims with the program's networks, and what the profiles change."""
    found = counted(points)
    rows = []
    for metric, said in ORDERINGS.items():
        for row in said(Reading(found, metric, PROGRAM)):
            reading = f"figure {METRICS[metric].figure}, the program's networks"
            rows.append(reread(row, reading))
    softmax = "shankar-cnn:profile=softmax"
    squash = found.gap("integrity_loss", "bayes:squash=yes", "bayes")
    rows += [
        claim(
            "a softmax of ten cards has no integrity loss",
            "all moments, to a millionth",
            [Statement(softmax, found.mean("integrity_loss", softmax), high=1e-6)],
        ),
        claim(
            "ours: the squash is where the integrity of Bayes' rule is lost",
            "integrity loss, all moments",
            [
                Statement("with less without", squash, low=0),
                Statement("without", found.mean("integrity_loss", "bayes"), high=1e-6),
            ],
        ),
        claim(
            "ours: the squash makes Bayes' rule a better estimator",
            "log loss of unknown cards, all moments",
            [
                Statement(
                    "with less without",
                    found.gap("log_loss", "bayes:squash=yes", "bayes"),
                    high=0,
                    unit="belief",
                )
            ],
        ),
    ]
    return rows
