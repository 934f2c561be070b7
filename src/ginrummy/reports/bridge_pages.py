"""What the evidence of the bridges says: a learning curve as a figure, tables and sentences for pages."""

from pathlib import Path
from typing import Any

from ginrummy.reports.figures import save

Json = dict[str, Any]


def draw(evidence: Json, path: Path) -> None:
    """Draw how the rounds of the measurements ended, against the time of training."""
    save(path, "maskable-ppo", lambda: _figure(evidence))


def _figure(evidence: Json) -> Any:
    from matplotlib import pyplot

    curve = evidence["curve"]
    seconds = [point["seconds"] for point in curve]
    figure, (shares, points) = pyplot.subplots(1, 2, figsize=(8.4, 3.4), layout="constrained")
    kinds = (("won", "won", "#1b7f4d"), ("lost", "lost", "#b5372f"), ("dead", "dead", "#888888"))
    for kind, label, colour in kinds:
        share = [100 * _share(point, kind) for point in curve]
        shares.plot(seconds, share, color=colour, label=label, marker="o", markersize=3)
    shares.set_ylabel("rounds (%)")
    shares.legend(fontsize=8, frameon=False)
    points.plot(seconds, [p["points_per_round"] for p in curve], color="#1b7f4d", marker="o", markersize=3)
    points.set_ylabel(f"points a round against {evidence['opponent']}")
    for axes in (shares, points):
        axes.set_xlabel("seconds of training (processor time)")
        axes.grid(alpha=0.25)
    return figure


def _share(point: Json, kind: str) -> float:
    count = point["rounds"] - point["won"] - point["lost"] if kind == "dead" else point[kind]
    return float(count / point["rounds"])


def learning_sentence(evidence: Json) -> str:
    """The outcome of the training, for the page."""
    first, last = evidence["curve"][0], evidence["curve"][-1]
    low, high = last["ci95"]
    return (
        f"After {last['seconds']:.0f} seconds of processor time and {last['steps']:,} steps it won "
        f"{last['won']:,} and lost {last['lost']:,} of {last['rounds']:,} rounds on fresh cards against "
        f"`{evidence['opponent']}`: {last['win_rate']:.1%} of the decided ones (95 % interval {low:.1%} to "
        f"{high:.1%}), {last['points_per_round']:+.1f} points a round. Before the training it won "
        f"{first['won']:,} and lost {first['lost']:,}."
    )


def speed_table(evidence: Json) -> str:
    """Steps a second of the vector environment, for the page."""
    lines = [
        "| opponent | threads | steps a second of processor time | steps a second |",
        "|---|---|---|---|",
    ]
    for row in evidence["rates"]:
        lines.append(
            f"| `{row['opponent']}` | {row['threads']} | {row['steps_per_processor_second']:,} | "
            f"{row['steps_per_second']:,} |"
        )
    return "\n".join(lines)


def openspiel_table(there: Json, here: list[Json]) -> str:
    """Our players at OpenSpiel's table and its bots at ours, for the page."""
    head = "| table | ours | its bot | rounds | points a round of ours | 95 % interval (here of wins) |"
    lines = [head, "|---|---|---|---|---|---|"]
    for match in there["matches"]:
        low, high = match["ci95"]
        name = match["bot"] + (f", {match['simulations']} simulations" if match["simulations"] else "")
        points = f"{match['points_per_round']:+.1f} | {low:+.1f} to {high:+.1f}"
        lines.append(f"| there | `{match['player']}` | {name} | {match['rounds']} | {points} |")
    for match in here:
        bot = match["player_a"].removeprefix("openspiel:bot=").replace("simulations=", "")
        name = f"{bot.replace(',', ', ')} simulations" if "," in bot else bot
        points = match["points_per_round_b"] - match["points_per_round_a"]
        low, high = (100 * (1 - end) for end in reversed(match["pair_ci95_a"]))
        won = f"{100 * (1 - match['win_rate_a']):.1f} %: {low:.1f} to {high:.1f} %"
        lines.append(f"| here | `{match['player_b']}` | {name} | {match['rounds']} | {points:+.1f} | {won} |")
    return "\n".join(lines)
