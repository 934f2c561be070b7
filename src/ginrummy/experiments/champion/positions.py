"""Settings of champion's search compared at recorded positions, judged with the true hand: cheap and paired.

    python -m ginrummy.experiments.champion.positions simple --games 100 --arm trust=0 --arm worlds=uniform

Games of the network against the opponent are recorded, and some of its decisions are kept with the hand that
the opponent truly held. Where an arm answers otherwise than the network, both answers are played on many
times, with the true hand, stocks in random order, the opponent as it is and the network for the own side
(``judge``). What counts is the gain: how much the chance to win the game rises by the arm's answer.

It answers which of two settings chooses better with fewer games than matches need. It does not replace them:
the own side plays on without search.
"""

import argparse
import json
import sys
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ginrummy.compiled.worlds import DISCARDING, DRAWING, KNOCKING
from ginrummy.decks import uniform
from ginrummy.evidence import provenance
from ginrummy.experiments.champion.arms import MADE
from ginrummy.experiments.champion.judge import Asked, Judge
from ginrummy.players.base import Player
from ginrummy.players.champion import NETWORK, champion
from ginrummy.players.registry import make_player
from ginrummy.rules import EAAI
from ginrummy.search.arms import Trials
from ginrummy.search.searcher import Searcher
from ginrummy.sim import Lockstep
from ginrummy.stats import Estimate
from ginrummy.tables import GAME, new_tables
from ginrummy.view import BoolArray, FloatArray, IntArray, View

PHASES = {DRAWING: "draws", DISCARDING: "discards", KNOCKING: "knocks"}
KEPT = {DRAWING: 0.25, DISCARDING: 0.25, KNOCKING: 1.0}
"""Share of the decisions that are kept."""
JUDGE = "champion:level=fast"
"""How the own side plays on: by the network that was recorded."""
JUDGED = 100
"""Stocks in which an answer is judged."""
LEADS = (0.0, 1.0, 3.0, 6.0, 10.0, np.inf)
"""Bounds of classes of decisions: how far the logit of the network's answer is ahead of the next one."""


class Recorded(NamedTuple):
    """Decisions of one kind."""

    view: View
    truths: IntArray
    """The hands that the opponent held."""
    per_round: float
    """Decisions of this kind in a round."""


def record(opponent: Player, games: int, seed: int, fast: Player | None = None) -> dict[int, Recorded]:
    """Decisions of the network, of the shipped one or another, in games against an opponent."""
    batch = new_tables(min(64, games), range(games))
    fast, rng = fast or champion(level="fast"), np.random.default_rng(seed)
    views: dict[int, list[View]] = {phase: [] for phase in PHASES}
    truths: dict[int, list[IntArray]] = {phase: [] for phase in PHASES}
    asked = dict.fromkeys(PHASES, 0)

    def watched(phase: int, decide: Any) -> Any:
        def decide_rows(view: View, rows: IntArray, u: Any) -> Any:
            some = rows[rng.random(len(rows)) < KEPT[phase]]
            views[phase].append(view[some].copy())
            truths[phase].append(batch.second["hand"][some].copy())
            asked[phase] += len(rows)
            return decide(view, rows, u)

        return decide_rows

    deciders = (fast.draw, fast.discard, fast.knock)
    player = Player("recorded", *map(watched, PHASES, deciders), fast.spread)  # type: ignore[call-arg]
    lockstep = Lockstep((player, opponent), batch, EAAI, seed)
    lockstep.begin()
    rounds = lockstep.run(np.zeros(games, GAME), record=False).games["outcomes"].sum()
    return {
        phase: Recorded(np.concatenate(views[phase]), np.concatenate(truths[phase]), asked[phase] / rounds)
        for phase in PHASES
    }


class Gains(NamedTuple):
    """What an arm does at some decisions."""

    gain: FloatArray
    """[N] how much its answers gain over the network's."""
    changed: BoolArray
    """[N] whether it answers otherwise."""
    lead: FloatArray
    """[N] how far the logit of the network's answer is ahead of the next one, where there is one."""


def gains(searcher: Searcher, some: Recorded, phase: int, judge: Judge) -> Gains:
    """What an arm's answers gain over the network's."""
    view, rows = some.view, np.arange(len(some.view))
    u = np.array([uniform(judge.seed, row, 0, 0, phase) for row in range(len(rows))])
    trials, open_ = _trials(searcher, view, rows, phase)
    asked = np.flatnonzero(open_)
    searched = trials[asked]
    searcher.search(searched, view, rows[asked], u[asked], phase)
    chosen = searcher.chosen(searched)
    other = np.flatnonzero(chosen != searched["home"])
    places = np.stack([chosen[other], searched["home"][other]], 1)
    todo = [
        Asked(phase, int(asked[k]), int(searched["answer"][k, place]), int(searched["knock"][k, place]))
        for k, both in zip(other, places, strict=True)
        for place in both
    ]
    chances = judge.chances({phase: (view, some.truths)}, todo).reshape(-1, 2)
    gain, changed, lead = np.zeros(len(rows)), np.zeros(len(rows), np.bool_), np.full(len(rows), np.inf)
    gain[asked[other]] = chances[:, 0] - chances[:, 1]
    changed[asked[other]] = True
    lead[asked] = [_lead(trial) for trial in searched]
    return Gains(gain, changed, lead)


def _lead(trial: np.void) -> float:
    """How far the network's answer is ahead of the next one, in logits."""
    home, answers = int(trial["home"]), trial["answer"][: trial["size"]]
    others = trial["liked"][: trial["size"]][answers != answers[home]]
    return float(trial["liked"][home] - others.max()) if len(others) else np.inf


def by_lead(found: dict[int, Gains], recorded: dict[int, Recorded]) -> list[dict[str, Any]]:
    """What an arm gains in a round, by how sure the network was of its answer."""
    lines = []
    for low, high in pairwise(LEADS):
        some = {phase: (one.lead >= low) & (one.lead < high) for phase, one in found.items()}
        rates = {phase: recorded[phase].per_round for phase in found}
        inside = {phase: np.where(some[phase], one.gain, 0.0) for phase, one in found.items()}
        decisions = sum(rates[phase] * some[phase].mean() for phase in found)
        changed = sum(rates[phase] * (one.changed & some[phase]).mean() for phase, one in found.items())
        gain = sum(rates[phase] * inside[phase].mean() for phase in found)
        error = sum(rates[phase] ** 2 * inside[phase].var() / len(inside[phase]) for phase in found) ** 0.5
        lines.append(
            {
                "from": low,
                "decisions_per_round": round(float(decisions), 3),
                "changed": round(float(changed / max(decisions, 1e-9)), 4),
                "gain_per_round": [round(float(gain), 5), round(float(error), 5)],
            }
        )
    return lines


def _trials(searcher: Searcher, view: View, rows: IntArray, phase: int) -> tuple[Trials, Any]:
    if phase == DISCARDING:
        trials = searcher.discards(view, rows, searcher.settings.candidates)
        return trials, trials["size"] > 1
    asked = searcher.blueprint.takes if phase == DRAWING else searcher.blueprint.knocks
    open_, liked = asked(view, rows)
    return searcher.choices(liked), open_


def main(words: list[str]) -> None:
    """Record positions and print a line of JSON for each arm."""
    parser = argparse.ArgumentParser(prog="python -m ginrummy.experiments.champion.positions")
    parser.add_argument("opponent")
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--seed", type=int, default=71)
    parser.add_argument("--network", default=NETWORK, help="another network, by a path with a slash")
    parser.add_argument("--arm", action="append", default=[])
    given = parser.parse_args(words)
    opponent = make_player(given.opponent)
    fast = champion(level="fast", network=given.network)
    recorded = record(opponent, given.games, given.seed, fast)
    judge = Judge(fast, opponent, given.seed, JUDGED)
    first: dict[int, np.ndarray] = {}
    for arm in given.arm or [""]:
        network = f"network={given.network}" * (given.network != NETWORK)
        parts = filter(None, ["champion:level=default", network, arm])
        searcher = make_player(",".join(parts)).draw.__self__  # type: ignore[attr-defined]
        line: dict[str, Any] = {
            "arm": arm,
            "opponent": given.opponent,
            "games": given.games,
            "seed": given.seed,
            "judge": JUDGE,
        }
        total, variance, more, spread = 0.0, 0.0, 0.0, 0.0
        found = {phase: gains(searcher, recorded[phase], phase, judge) for phase in PHASES}
        for phase, name in PHASES.items():
            gain = found[phase].gain
            against = gain - first.setdefault(phase, gain)
            line[name] = {
                "decisions": len(gain),
                "changed": round(float(found[phase].changed.mean()), 4),
                "gain": _rounded(gain),
                "more_than_first": _rounded(against),
            }
            total += recorded[phase].per_round * gain.mean()
            variance += recorded[phase].per_round ** 2 * gain.var() / len(gain)
            more += recorded[phase].per_round * against.mean()
            spread += recorded[phase].per_round ** 2 * against.var() / len(gain)
        line["gain_per_round"] = [round(total, 5), round(variance**0.5, 5)]
        line["more_per_round"] = [round(more, 5), round(spread**0.5, 5)]
        line["by_lead"] = by_lead(found, recorded)
        made = provenance()
        print(json.dumps(line | {key: made[key] for key in MADE}), flush=True)


def _rounded(values: np.ndarray) -> Estimate:
    return Estimate(round(float(values.mean()), 6), round(float(values.std() / len(values) ** 0.5), 6))


if __name__ == "__main__":
    main(sys.argv[1:])
