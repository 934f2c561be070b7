"""The numbers of paper S0's table 1, draws and melds with and without hitting cards, and its claims.

Where the spread of a published total is not given, the spread of ours is used.
"""

import math
from typing import NamedTuple

from ginrummy.experiments.frame.drawings import Cell
from ginrummy.experiments.frame.evidence import Arm, MatchPoint
from ginrummy.experiments.frame.rates import by_series, in_rounds
from ginrummy.experiments.frame.verdicts import Published, Row, Statement, claim, value
from ginrummy.judging.sums import Sums
from ginrummy.stats import Estimate

NO_HITTING = "no hitting"
HANDS = 50_000
TABLE_1 = {
    NO_HITTING: {"draws": 105_103, "melds": 171_170},
    "collect": {"draws": 123_504, "melds": 176_374},
}
"""Totals over 50,000 hands."""
WORDS = {"draws": "face-up draws", "melds": "melds"}
BOTH, ONE = "both sides", "the player alone"


def hands_of(points: list[MatchPoint]) -> dict[str, Sums]:
    """Series -> what was counted in its hands."""
    return {name: Sums(in_rounds(point) for point in found) for name, found in by_series(points).items()}


class Collecting(NamedTuple):
    """One reading of "collect hitting": what a hitting card is, and against whom."""

    hits: int
    """Hit count from which a card is a hitting card."""
    itself: bool
    """Whether the opponent collects too."""

    @property
    def series(self) -> str:
        """Its name in the evidence."""
        card = "hitting cards" if self.hits == 1 else f"cards with {self.hits} hits or more"
        return f"{card}, against {'itself' if self.itself else 'simple'}"

    def arm(self) -> Arm:
        """The match that is played."""
        player = "simple:hitting=0.5" + (f",least_hits={self.hits}" if self.hits > 1 else "")
        return Arm(self.series, float(self.hits), player, player if self.itself else "simple")


COLLECTING = tuple(Collecting(hits, itself) for hits in (1, 2, 3, 4, 5) for itself in (False, True))
"""The first is the text's: any hitting card, against the baseline."""
CLAIMED = (1, 3)
"""Least hits of the readings under which the text's claims are tested."""
ARMS = (Arm(NO_HITTING, 0.0, "simple", "simple"), *(how.arm() for how in COLLECTING))


def _a_hand(strategy: str, what: str) -> Published:
    total = TABLE_1[strategy][what]
    text = f"{WORDS[what]} a hand, {strategy} ({total:,} in {HANDS:,})"
    return Published(text, total / HANDS, HANDS, 1 / HANDS, unit="mean", of="hands")


def _mean_a_hand(sums: Sums, what: str, sides: str) -> Estimate:
    names = (f"{what}_a", f"{what}_b") if sides == BOTH else (f"{what}_a",)
    return sums.per("hands", *names)


def table_1_cells(points: list[MatchPoint]) -> list[Cell]:
    """Draws and melds a hand, of both sides and of each."""
    cells = []
    for name, sums in hands_of(points).items():
        strategy = NO_HITTING if name == NO_HITTING else "collect"
        for what, word in WORDS.items():
            ours = _mean_a_hand(sums, what, BOTH)
            cells.append(Cell(name, f"{word} a hand, both sides", ours, "mean", _a_hand(strategy, what)))
        for what, word in WORDS.items():
            for who, side in (("the player", "a"), ("the opponent", "b")):
                ours = sums.per("hands", f"{what}_{side}")
                cells.append(Cell(name, f"{word}, {who}", ours, "mean", drawn=False))
    return cells


def table_1(points: list[MatchPoint]) -> list[Row]:
    """Totals by hand, and the quotients of the two strategies, under every reading."""
    hands = hands_of(points)
    plain = hands[NO_HITTING]
    rows = [_total(NO_HITTING, what, plain, "ours, both sides together", "") for what in WORDS]
    for how in COLLECTING:
        sums = hands[how.series]
        rows += [_total("collect", what, sums, "ours, both sides together", how.series) for what in WORDS]
        rows += [_quotient(sums, plain, what, BOTH, how.series) for what in WORDS]
    for how in COLLECTING[:2]:
        alone = f"{how.series}, {ONE}"
        rows += [_quotient(hands[how.series], plain, what, ONE, alone) for what in WORDS]
    for how in COLLECTING:
        for what, word in WORDS.items() if how.hits in CLAIMED else ():
            more = _mean_a_hand(hands[how.series], what, ONE) - _mean_a_hand(plain, what, ONE)
            rows.append(
                claim(
                    f"collecting hitting cards brings more {word}",
                    "the player's mean a hand above that of the player without hitting",
                    [Statement(f"more {word} a hand", more, low=0, unit="mean")],
                    reading=how.series,
                )
            )
    return rows


def _total(strategy: str, what: str, sums: Sums, compared: str, reading: str) -> Row:
    ours = _mean_a_hand(sums, what, BOTH)
    published = _a_hand(strategy, what).like(ours, int(sums.total("hands")))
    return value(published, compared, ours, reading=reading)


def _quotient(sums: Sums, plain: Sums, what: str, sides: str, reading: str) -> Row:
    """Collecting divided by not collecting: comparable even if the paper counted something else."""
    ours = [_mean_a_hand(some, what, sides) for some in (sums, plain)]
    theirs = [
        _a_hand(strategy, what).like(mean, int(some.total("hands"))).estimate()
        for strategy, mean, some in zip(("collect", NO_HITTING), ours, (sums, plain), strict=True)
    ]
    quotient = theirs[0] / theirs[1]
    published = Published(
        f"{WORDS[what]}, collecting by not collecting",
        quotient.value,
        HANDS,
        0.0,
        quotient.error * math.sqrt(HANDS),
        "ratio",
        "hands",
    )
    return value(published, f"ours, {sides}", ours[0] / ours[1], reading=reading)
