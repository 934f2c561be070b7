"""How good beliefs about whole hands are: the likelihood of the true hand, and what drawn hands hold.

All estimators see the same moments: what one side sees after an event of its opponent that did not end the
round. Each gives the log chance of the true hand, and hands with weights. The facts of a hand are compared in
the mean: believed less true, so 0 is calibrated. Errors are clustered by mirrored pair of games.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ginrummy import moments, sim
from ginrummy._jit import count, kernel, lowest
from ginrummy.cards import DECK, RANK
from ginrummy.errors import BadInput, UnknownName
from ginrummy.estimators.base import Estimator
from ginrummy.estimators.registry import estimator_names, make_estimator
from ginrummy.judging.beliefs import hands_of_ten
from ginrummy.judging.by_turn import ALL, HANDS, Band, rounded
from ginrummy.judging.shards import Shard, added
from ginrummy.makers import meld_makers
from ginrummy.meld_kernels import deadwood, in_runs, least_after_discard, set_ranks
from ginrummy.moments import Moments
from ginrummy.players.registry import make_player
from ginrummy.stats import Estimate
from ginrummy.typed import Counters
from ginrummy.view import View

Json = dict[str, Any]
Masks = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

FACTS = {
    "deadwood": "points of deadwood",
    "melded": "cards in melds",
    "knock": "chance that the opponent could knock",
    "gin": "chance that some card would give it gin",
}
"""What is told of a hand."""
CHANCES = ("knock", "gin")
"""Facts that are true or false, so that beliefs in them have a Brier score."""
BINS = 10
"""Of the calibration of chances."""
CHUNK = 2048
"""Moments whose hands are in memory at once."""
BANDS = (
    Band("0-1", 0, 1), Band("2-3", 2, 3), Band("4-5", 4, 5), Band("6-8", 6, 8), Band("9-12", 9, 12),
    Band("13-", 13, None),
)  # fmt: skip
"""By the opponent's own turns in the round."""


@dataclass(frozen=True)
class HandSettings:
    """What ``count_hands`` judges."""

    estimators: tuple[str, ...]
    """The first one is compared with each of the others."""
    players: tuple[str, str]
    hand: str
    """Whose hand is guessed: see ``by_turn.HANDS``."""
    draws: int
    """Hands drawn for each moment."""
    every: int = 1
    """One moment of so many is judged, by round and event."""


@dataclass(frozen=True)
class HandCounts:
    """The shape of the counters of ``count_hands``."""

    games: int
    rounds: int
    bands: dict[str, dict[str, tuple[float, ...]]]
    """Band -> quantity -> its ``Sums``."""
    bins: dict[str, dict[str, tuple[tuple[float, ...], ...]]]
    """Estimator -> chance -> by bin: moments, believed, true."""


def hand_judge(spec: str) -> Estimator:
    """An estimator that knows whole hands; others are refused."""
    made = make_estimator(spec)
    if made.log_chances is None or made.sample is None:
        able = [name for name in estimator_names() if make_estimator(name).log_chances]
        raise UnknownName(f"estimator {spec} knows single cards only: for whole hands, {', '.join(able)}")
    return made


@kernel
def _tell(view, rows, hands, weights, out):
    """Write the weighted means of the facts of hands to ``out`` [N, 4]."""
    for k in range(rows.shape[0]):
        seen = view[rows[k]]
        out[k, :] = 0.0
        gone = seen.hand | seen.pile
        for n in range(hands.shape[1]):
            hand, weight = hands[k, n], weights[k, n]
            if weight == 0:
                continue
            left = deadwood(hand)
            out[k, 0] += weight * left
            out[k, 1] += weight * count(in_runs(hand) | set_ranks(hand) * RANK & hand)
            out[k, 2] += weight * (left <= seen.limit)
            makers = (meld_makers(hand) if left > 0 else np.int64(DECK)) & ~(gone | hand)
            while makers != 0:
                if least_after_discard(hand | np.int64(1) << lowest(makers)) == 0:
                    out[k, 3] += weight
                    break
                makers &= makers - 1


def facts(view: View, rows: Masks, hands: Masks, weights: Floats) -> Floats:
    """[N, 4] the weighted means of the facts of hands, in the order of ``FACTS``."""
    out = np.empty((len(rows), len(FACTS)))
    _tell(view, rows, hands, np.asarray(weights, np.float64), out)
    return out


def _uniforms(found: Moments, rows: Masks) -> Floats:
    """[N] a number in [0, 1) for each moment, by what is seen: the same in any shard."""
    seen = found.view[rows]
    mixed = (seen["hand"] % 1_000_003 * 1_009 + seen["pile"] % 1_000_003 + seen["events"]) % 1_000_003
    spread: Floats = mixed * 0.6180339887498949 % 1.0
    return spread


def _judge(made: Estimator, found: Moments, rows: Masks, draws: int) -> tuple[Floats, Floats, Floats]:
    """For some moments: log chances of the true hands, facts believed, and effective sample sizes."""
    logs, told, sizes = [], [], []
    assert made.log_chances is not None and made.sample is not None
    for start in range(0, len(rows), CHUNK):
        some = rows[start : start + CHUNK]
        u = _uniforms(found, some)
        logs.append(made.log_chances(found.view, some, found.truth[some]))
        if made.weighted:
            hands, weights = made.weighted(found.view, some, u, draws)
        else:
            hands = made.sample(found.view, some, u, draws)
            weights = np.full(hands.shape, 1.0 / draws)
        told.append(facts(found.view, some, np.asarray(hands), np.asarray(weights)))
        sizes.append(1.0 / np.square(weights).sum(axis=1))
    return np.concatenate(logs), np.concatenate(told), np.concatenate(sizes)


def count_hands(settings: HandSettings, shard: Shard) -> Counters:
    """Counters of all estimators over some games, in the shape of ``HandCounts``."""
    first, second = (make_player(spec) for spec in settings.players)
    run = sim.play(first, second, shard.games, shard.rules, shard.seed, record=True)
    rounds = moments.in_order(run.rounds)
    parts: list[dict[str, npt.NDArray[Any]]] = []
    for side in HANDS[settings.hand]:
        found = moments.views(rounds, side, shard.rules)
        goes_on = found.view["events"] < rounds["events"][found.round]  # a knock shows the hand
        turn_by_turn = found.view["round"].astype(np.int64) + found.view["events"]
        rows = hands_of_ten(found)
        rows = rows[goes_on[rows] & (turn_by_turn[rows] % settings.every == 0)]
        parts.append(_columns(settings, found, rows, rounds["game"]))
    columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    pairs, turns = columns.pop("pair"), columns.pop("turn")
    bands = {ALL: turns >= 0} | {
        name: (turns >= low) & (turns <= (10_000 if high is None else high)) for name, low, high in BANDS
    }
    return {
        "games": len(shard.games),
        "rounds": len(rounds),
        "bands": {
            band: {name: sums(pairs[chosen], values[chosen]) for name, values in columns.items()}
            for band, chosen in bands.items()
        },
        "bins": {
            spec: {fact: _bins(columns, spec, fact) for fact in CHANCES} for spec in settings.estimators
        },
    }


def _columns(
    settings: HandSettings, found: Moments, rows: Masks, games: npt.NDArray[Any]
) -> dict[str, npt.NDArray[Any]]:
    """Every quantity of every moment."""
    truth = facts(found.view, rows, found.truth[rows][:, None], np.ones((len(rows), 1)))
    out: dict[str, npt.NDArray[Any]] = {
        "pair": games[found.round[rows]].astype(np.int64) // 2,
        "turn": (found.view["turns"] - found.view["own_turns"])[rows].astype(np.int64),
    }
    out |= {f"true {fact}": truth[:, k] for k, fact in enumerate(FACTS)}
    for spec in settings.estimators:
        logs, told, sizes = _judge(hand_judge(spec), found, rows, settings.draws)
        out[f"log_chance {spec}"] = logs
        if spec != settings.estimators[0]:
            out[f"ahead {spec}"] = out[f"log_chance {settings.estimators[0]}"] - logs
        out |= {f"{fact} {spec}": told[:, k] - truth[:, k] for k, fact in enumerate(FACTS)}
        out |= {f"brier {fact} {spec}": np.square(out[f"{fact} {spec}"]) for fact in CHANCES}
        out[f"size {spec}"] = sizes / settings.draws
    return out


def sums(pairs: Masks, values: npt.NDArray[Any]) -> list[float]:
    """The numbers of ``Sums`` for one quantity; a mirrored pair must not be split between shards."""
    _, place = np.unique(pairs, return_inverse=True)
    size = int(place.max(initial=-1)) + 1
    n, x = np.bincount(place, minlength=size), np.bincount(place, values, minlength=size)
    return [float(number) for number in (size, n.sum(), x.sum(), n @ n, n @ x, x @ x)]


class Sums(NamedTuple):
    """Sums over mirrored pairs of games, with n moments and a total of x in each."""

    pairs: float
    n: float
    x: float
    nn: float
    nx: float
    xx: float

    def mean(self) -> Estimate:
        """The mean over moments, with its error clustered by pair."""
        if self.pairs < 2:
            raise BadInput(f"an error needs two clusters or more, not {self.pairs:g}")
        mean = self.x / self.n
        square = max(0.0, self.xx - 2 * mean * self.nx + mean * mean * self.nn)
        return Estimate(mean, math.sqrt(square * self.pairs / (self.pairs - 1)) / self.n)


def _bins(columns: dict[str, npt.NDArray[Any]], spec: str, fact: str) -> list[list[float]]:
    """By bin of the belief in a fact: moments, sum of beliefs, how often it was true."""
    true = columns[f"true {fact}"]
    believed = columns[f"{fact} {spec}"] + true
    place = np.clip((believed * BINS).astype(np.int64), 0, BINS - 1)
    return [
        np.bincount(place, weights, minlength=BINS).tolist()
        for weights in (np.ones(len(true)), believed, true)
    ]


def compact(counts: Counters) -> Counters:
    """Counters as evidence keeps them: to eight digits."""
    return dict(rounded(dict(counts), 8))


class WholeHands:
    """Counters of ``count_hands`` added up; gives means with errors."""

    def __init__(self, counters: Iterable[Counters]) -> None:
        self.counts = added(HandCounts, counters)
        if self.counts.bands.keys() != {ALL, *(band.name for band in BANDS)}:
            raise BadInput("the counters are not those of their bands of turns")

    def moments(self, band: str = ALL) -> int:
        """How many moments there were."""
        return int(self._any(band).n)

    def clusters(self, band: str = ALL) -> int:
        """How many mirrored pairs of games they come from."""
        return int(self._any(band).pairs)

    def mean(self, quantity: str, band: str = ALL) -> Estimate:
        """The mean of a quantity, such as ``log_chance joint`` or ``deadwood joint`` (believed less true)."""
        return Sums(*self.counts.bands[band][quantity]).mean()

    def _any(self, band: str) -> Sums:
        return Sums(*next(iter(self.counts.bands[band].values())))

    def calibration(self, spec: str, fact: str) -> list[tuple[int, float, float]]:
        """By bin with any moments: their number, the mean belief, how often it was true."""
        return [
            (int(n), believed / n, true / n)
            for n, believed, true in zip(*self.counts.bins[spec][fact], strict=True)
            if n
        ]

    def calibration_error(self, spec: str, fact: str) -> float:
        """The mean distance of belief and truth over the bins, by moments."""
        rows = self.calibration(spec, fact)
        return sum(n * abs(b - t) for n, b, t in rows) / max(1, sum(n for n, _, _ in rows))
