"""Points of experiments with constructed numbers."""

from typing import Any

from ginrummy.experiments.frame.evidence import Arm, MatchCounts, MatchPoint

Json = dict[str, Any]


def played(arm: Arm, rate: float, pairs: int = 5000, *, seed: int = 101, margins: tuple[int, int] = (0, 0),
           in_rounds: Json | None = None) -> MatchPoint:  # fmt: skip
    """A point with a given win rate: half of the pairs are decided, or as many as the rate needs."""
    lead = round(pairs * (2 * rate - 1))  # pairs won both ways less pairs lost both ways
    decided = max(pairs // 2, abs(lead))
    won, lost = (decided + lead) // 2, (decided - lead) // 2
    even = pairs - won - lost
    wins = (2 * won + even, 2 * lost + even)
    counts = MatchCounts(2 * pairs, wins, (lost, 0, even, 0, won), *margins, in_rounds)
    return MatchPoint(
        **arm._asdict(),
        seed=seed,
        counts=counts,
        games=2 * pairs,
        wins_a=wins[0],
        drawn_games=0,
        win_rate_a=rate,
        wilson90_a=(rate, rate),
        pair_ci95_a=(rate, rate),
        mean_margin_a=0.0,
        median_margin_a=0.0,
        share_won_by_100_a=0.0,
        rounds=2 * pairs,
        rounds_per_game=1.0,
        turns_per_round=20.0,
        gin_rate=0.2,
        knock_rate=0.7,
        undercut_rate=0.05,
        dead_rate=0.05,
        points_per_round_a=0.0,
        points_per_round_b=0.0,
        capped_rounds=0,
    )
