"""Paper S3: verdicts on discards and players follow the numbers."""

import pytest

from ginrummy.cards import RANKS
from ginrummy.experiments.frame.evidence import Arm, Point
from ginrummy.experiments.s3 import discards, players
from ginrummy.experiments.s3.discards import File
from points import played

GAINS = dict(zip(RANKS, (6, 6.5, 7, 8, 8.2, 8, 7.5, 7, 6.5, 6, 5.9, 4, 3.5), strict=True))
DEAD = {
    "nothing known": 7.0,
    "same rank": 4.5,
    "one above": 5.5,
    "one below": 5.4,
    "two above": 6.3,
    "two below": 6.2,
}


def read_table(gains: dict[str, float], dead: dict[str, float]) -> list[Point[File]]:
    counts = {f"rank {name}": [gain, 0.02] for name, gain in gains.items()}
    counts |= {f"dead {name}": [gain, 0.02] for name, gain in dead.items()}
    return [Point("opponent table", 1, counts, File("x"))]


def verdicts(rows: list) -> dict[str, str]:
    return {row.what: row.verdict for row in rows}


def test_the_sentences_about_ranks_hold_where_they_are_true() -> None:
    assert set(verdicts(discards.fig1(read_table(GAINS, DEAD))).values()) == {"holds"}


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"K": 4.5}, "a king is the best discard"),
        ({"Q": 6.2}, "a queen follows"),
        ({"T": 6.6}, "a jack and a ten have similar values"),
        ({"8": 8.2}, "seven is the highest rank that gives the opponent more than its own points"),
        ({"6": 5.8}, "a seven or lower gives more than its own points"),
        ({"4": 7.4}, "fours to sixes give more than sevens"),
        ({"3": 8.5}, "below four the gain falls"),
        ({"A": 9.0}, "fours to sixes give most"),
    ],
)
def test_the_sentences_about_ranks_fail_where_they_are_false(changes: dict[str, float], what: str) -> None:
    assert verdicts(discards.fig1(read_table(GAINS | changes, DEAD)))[what] == "does not hold"


def test_the_sentences_about_dead_cards_follow_the_numbers() -> None:
    rows = verdicts(discards.fig2(read_table(GAINS, DEAD)))
    assert set(rows.values()) == {"holds"}
    turned = verdicts(discards.fig2(read_table(GAINS, DEAD | {"same rank": 5.6, "two above": 4.0})))
    assert list(turned.values()) == ["does not hold", "does not hold", "holds", "does not hold"]


def test_the_shipped_table_gives_all_numbers() -> None:
    counts = discards.read_gains(File("opponent-table.npz"))
    points = [Point("opponent table", 1, counts, File("x"))]
    assert len(discards.fig1(points)) == 8
    assert verdicts(discards.fig1(points))["a king is the best discard"] == "holds"
    assert verdicts(discards.fig2(points))["cards beside a discard are not equal"] == "holds"


def test_verdicts_on_win_rates_follow_the_numbers() -> None:
    def rows(paper: float, code: float) -> list:
        rates = {"paper": paper, "code": code}
        return players.against_simple(
            [
                played(arm, rates[arm.series], 50_000, seed=seed, margins=(4_000_000, 900_000_000))
                for arm in players.VS_SIMPLE.arms
                for seed in (101, 102)
            ]
        )

    said = verdicts(rows(0.758, 0.703))
    quarters = [row for row in rows(0.758, 0.703) if "three quarters" in row.what]
    assert [(row.reading, row.verdict) for row in quarters] == [
        ("profile paper", "holds"),
        ("profile code", "does not hold"),
    ]
    assert said["profile code plays as the program does"] == "holds"
    assert verdicts(rows(0.69, 0.6))["ours: both profiles win 70 % or more"] == "does not hold"
    first = rows(0.758, 0.703)[0]
    assert (first.published, round(first.ours, 3)) == (0.758, 0.758)


def test_every_pairing_is_played_once() -> None:
    arms = players.PAIRINGS.arms
    assert len(arms) == 10 == len({frozenset((arm.player, arm.opponent)) for arm in arms})
    said = players.pairings([played(arm, 0.4) for arm in arms])
    assert {row.verdict for row in said} == {"holds"}  # the later player of each pairing wins
    again = players.weights(
        [played(Arm(*arm), 0.70 + 0.02 * arm.x) for arm in players.WEIGHT.arms for _ in (1, 2)]
    )
    assert [row.verdict for row in again[2:]] == ["holds", "holds"]
