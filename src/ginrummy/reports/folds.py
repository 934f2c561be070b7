"""Long tables behind a fold: every arm of a figure, for readers who want the numbers."""

from collections.abc import Sequence

from ginrummy.experiments.frame.evidence import MatchPoint
from ginrummy.experiments.frame.rates import curves


def arms_fold(points: Sequence[MatchPoint], label: str) -> str:
    """All arms of a figure as a folded table: the win rate of each seed, and of both with its interval."""
    seeds = sorted({point.seed for point in points})
    opponents = list(dict.fromkeys(point.opponent for point in points))
    rates = curves(points)
    words = ["player", *["opponent"] * (len(opponents) > 1)]
    numbers = ["games", *(f"seed {seed}" for seed in seeds), "together", "95 % interval"]
    lines = ["| " + " | ".join(["line", label, *words, *numbers]) + " |"]
    lines.append("|---|---:|" + "---|" * len(words) + "---:|" * len(numbers))
    for series, by_x in rates.items():
        for x, rate in by_x.items():
            arm = [point for point in points if (point.series, point.x) == (series, x)]
            low, high = rate.interval()
            cells = [
                series,
                f"{x:g}",
                *(f"`{name}`" for name in (arm[0].player, arm[0].opponent)[: len(words)]),
            ]
            cells += [f"{sum(point.games for point in arm):,}"]
            cells += [f"{point.win_rate_a:.2%}" for point in sorted(arm, key=lambda point: point.seed)]
            lines.append("| " + " | ".join([*cells, f"{rate.value:.2%}", f"{low:.2%} to {high:.2%}"]) + " |")
    count = sum(map(len, rates.values()))
    against = f", against `{opponents[0]}`" if len(opponents) == 1 else ""
    return fold(f"All {count} arms{against}", "\n".join(lines))


def fold(title: str, text: str) -> str:
    """A text behind a fold."""
    return f'??? note "{title}"\n\n' + "\n".join(f"    {line}" for line in text.splitlines())
