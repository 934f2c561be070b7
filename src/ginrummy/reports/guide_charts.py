"""Charts of the strategy guide: made to be read at a glance by a card player."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ginrummy.reports.figures import save
from ginrummy.stats import Estimate

KNOCK, WAIT, GIN = "#009e73", "#eef3ef", "#e69f00"
OURS, OTHER = "#0072b2", "#d55e00"

Shares = list[list[float | None]]


def draw_ranks(path: Path, gains: Mapping[str, Estimate], points: Mapping[str, int]) -> None:
    """What the opponent gains from a discard by rank, beside what its thrower gets rid of."""

    def make() -> Any:
        from matplotlib import pyplot

        figure, axes = pyplot.subplots(figsize=(7.0, 3.0), layout="constrained")
        places = range(len(gains))
        values = [gain.value for gain in gains.values()]
        errors = [1.96 * gain.error for gain in gains.values()]
        bars = axes.bar(places, values, color=OURS, width=0.7, yerr=errors, error_kw={"linewidth": 1})
        for bar, value in zip(bars, values, strict=True):
            axes.text(bar.get_x() + 0.35, value + 0.15, f"{value:.1f}", ha="center", fontsize=8)
        axes.plot(places, [points[rank] for rank in gains], "D", color=OTHER, markersize=4)
        axes.set_xticks(places, list(gains))
        axes.set_ylim(0, 12.5)
        axes.set_ylabel("points")
        axes.plot([], [], "s", color=OURS, label="the opponent gains, on average")
        axes.plot([], [], "D", color=OTHER, markersize=4, label="you get rid of")
        axes.legend(frameon=False, fontsize=8, loc="upper left")
        axes.spines[["top", "right"]].set_visible(False)
        return figure

    save(path, "guide-ranks", make)


def draw_neighbours(path: Path, gains: Mapping[str, Estimate]) -> None:
    """What the opponent gains from a discard by what is known to be dead."""

    def make() -> Any:
        from matplotlib import pyplot

        figure, axes = pyplot.subplots(figsize=(7.0, 2.4), layout="constrained")
        names = list(gains)
        values = [gain.value for gain in gains.values()]
        errors = [1.96 * gain.error for gain in gains.values()]
        axes.barh(names, values, color=OURS, height=0.65, xerr=errors, error_kw={"linewidth": 1})
        for place, value in enumerate(values):
            axes.text(value + errors[place] + 0.04, place, f"{value:.2f}", va="center", fontsize=8)
        axes.invert_yaxis()
        axes.set_xlabel("points that the opponent gains, on average: less is safer")
        axes.spines[["top", "right"]].set_visible(False)
        return figure

    save(path, "guide-neighbours", make)


def _panels(number: int, width: float, height: float) -> Any:
    from matplotlib import pyplot

    return pyplot.subplots(1, number, figsize=(width, height), layout="constrained", sharey=True)


def draw_windows(path: Path, windows: Mapping[str, Sequence[tuple[float, float]]], turns: int) -> None:
    """When to knock by own turn and deadwood: one panel for each rule set."""

    def make() -> Any:
        from matplotlib.patches import Patch, Rectangle

        figure, panels = _panels(len(windows), 7.2, 3.1)
        for axes, (name, by_turn) in zip(panels, windows.items(), strict=True):
            for turn in range(1, turns + 1):
                least, most = by_turn[min(turn, len(by_turn)) - 1]
                for left in range(11):
                    yes = least <= left <= most and most > 0
                    colour = GIN if left == 0 else KNOCK if yes else WAIT
                    axes.add_patch(Rectangle((turn - 0.46, left - 0.46), 0.92, 0.92, color=colour))
            axes.set_xlim(0.4, turns + 0.6)
            axes.set_ylim(-0.6, 10.6)
            last = [*map(str, range(1, turns)), f"{turns}+"]
            axes.set_xticks(range(1, turns + 1), last)
            axes.set_yticks(range(11), ["gin", *map(str, range(1, 11))])
            axes.set_xlabel("your turn")
            axes.set_title(name, fontsize=9)
            axes.tick_params(length=0)
            axes.spines[:].set_visible(False)
        panels[0].set_ylabel("your deadwood")
        handles = [Patch(color=KNOCK, label="knock"), Patch(color=WAIT, label="play on")]
        handles.append(Patch(color=GIN, label="gin: always lay down"))
        figure.legend(handles=handles, loc="outside lower center", ncols=3, frameon=False, fontsize=8)
        return figure

    save(path, "guide-windows", make)


def draw_stocks(path: Path, surfaces: Mapping[str, Shares]) -> None:
    """How often the learned strategy knocks by deadwood and stock cards gone: a panel for each rule set."""

    def make() -> Any:
        figure, panels = _panels(len(surfaces), 7.6, 2.9)
        image = None
        for axes, (name, shares) in zip(panels, surfaces.items(), strict=True):
            numbers = [[float("nan") if x is None else 100 * x for x in row[1:24]] for row in shares]
            axes.set_facecolor("0.9")
            image = axes.imshow(numbers, cmap="YlGn", vmin=0, vmax=100, aspect="auto")
            axes.set_xticks(range(0, 23, 3), range(1, 24, 3))
            axes.set_yticks(range(10), range(10, 0, -1))
            axes.set_xlabel("stock cards gone")
            axes.set_title(name, fontsize=9)
            axes.tick_params(length=0)
            axes.spines[:].set_visible(False)
        panels[0].set_ylabel("your deadwood")
        figure.colorbar(image, ax=panels, label="knocks in 100")
        return figure

    save(path, "guide-stocks", make)
