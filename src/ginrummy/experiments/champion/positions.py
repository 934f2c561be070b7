"""Settings of champion's search compared at recorded positions, judged with the true hand: cheap and paired.

    python -m ginrummy.experiments.champion.positions simple --games 100 --arm trust=0 --arm worlds=uniform

Games of the network against the opponent are recorded, and some of its decisions are kept with the hand that
the opponent truly held. Where an arm answers otherwise than the network, both answers are played on many
times, with the true hand, stocks in random order, the opponent as it is and the sketch of the network
(``policies.sketch``) for the own side. What counts is the gain: how much the chance to win the game rises by
the arm's answer.

It answers which of two settings chooses better with fewer games than matches need. It does not replace them:
the own side plays on by a weaker rule than in a game.
"""

import argparse
import json
import sys
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ginrummy.cards import CARDS, DECK
from ginrummy.compiled.policy import Compiled
from ginrummy.compiled.worlds import (
    DISCARDING,
    DRAWING,
    KNOCKING,
    LINE,
    Worlds,
    play_from,
)
from ginrummy.decks import uniform
from ginrummy.errors import BadInput
from ginrummy.evidence import provenance
from ginrummy.experiments.champion.arms import MADE
from ginrummy.players.base import Player
from ginrummy.players.champion import champion
from ginrummy.players.registry import make_player
from ginrummy.rules import EAAI
from ginrummy.search.arms import Trials
from ginrummy.search.pricing import SPAN, price_list
from ginrummy.search.searcher import Searcher
from ginrummy.search.styles import own_policy
from ginrummy.sim import Lockstep
from ginrummy.stats import Estimate
from ginrummy.tables import GAME, new_tables
from ginrummy.view import IntArray, View

PHASES = {DRAWING: "draws", DISCARDING: "discards", KNOCKING: "knocks"}
KEPT = {DRAWING: 0.25, DISCARDING: 0.25, KNOCKING: 1.0}
"""Share of the decisions that are kept."""
JUDGE = "sketch"
"""How the own side plays on."""
JUDGED = 200
"""Stocks in which an answer is judged."""


class Recorded(NamedTuple):
    """Decisions of one kind."""

    view: View
    truths: IntArray
    """The hands that the opponent held."""
    per_round: float
    """Decisions of this kind in a round."""


def record(opponent: Player, games: int, seed: int) -> dict[int, Recorded]:
    """Decisions of the network in games against an opponent."""
    batch = new_tables(min(64, games), range(games))
    fast, rng = champion(level="fast"), np.random.default_rng(seed)
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


@dataclass
class Judge:
    """Chances to win after an answer, with the true hand."""

    opponent: Compiled
    seed: int

    def __post_init__(self) -> None:
        self._own, self._known = own_policy(JUDGE), dict[tuple[int, int, int, int], float]()

    def chance(self, some: Recorded, phase: int, row: int, answer: int, knock: int) -> float:
        """The mean over ``JUDGED`` stocks, the same ones for all answers of a decision."""
        key = phase, row, answer, knock
        if key not in self._known:
            seen = some.view[row]
            hidden = DECK & ~int(seen["hand"] | seen["pile"] | some.truths[row])
            cards = np.array([card for card in range(CARDS) if hidden >> card & 1], np.int8)
            rng = np.random.default_rng([self.seed, phase, row])
            stocks = rng.permuted(np.tile(cards, (JUDGED, 1)), axis=1)
            worlds = Worlds(np.full(JUDGED, some.truths[row]), stocks)
            todo = np.zeros(JUDGED, LINE)
            todo["world"], todo["answer"], todo["knock"] = np.arange(JUDGED), answer, knock
            found = play_from(some.view, row, phase, worlds, todo, EAAI, mine=self._own, other=self.opponent)
            scores = (int(seen[name]) for name in ("score", "opponent_score", "starts"))
            self._known[key] = float(price_list(EAAI, *scores)[SPAN + found["points"]].mean())
        return self._known[key]


def gains(searcher: Searcher, some: Recorded, phase: int, judge: Judge) -> tuple[np.ndarray, float]:
    """[N] how much an arm's answers gain over the network's, and the share of answers that it changes."""
    view, rows = some.view, np.arange(len(some.view))
    u = np.array([uniform(judge.seed, row, 0, 0, phase) for row in range(len(rows))])
    trials, open_ = _trials(searcher, view, rows, phase)
    asked = np.flatnonzero(open_)
    searched = trials[asked]
    searcher.search(searched, view, rows[asked], u[asked], phase)
    chosen = searcher.chosen(searched)
    gain = np.zeros(len(rows))
    changed = 0
    for trial, place, row in zip(searched, chosen.tolist(), asked.tolist(), strict=True):
        home = int(trial["home"])
        if place != home:
            changed += 1
            after, before = (
                judge.chance(some, phase, row, int(trial["answer"][k]), int(trial["knock"][k]))
                for k in (place, home)
            )
            gain[row] = after - before
    return gain, changed / len(rows)


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
    parser.add_argument("--arm", action="append", default=[])
    given = parser.parse_args(words)
    opponent = make_player(given.opponent)
    if opponent.compiled is None:
        raise BadInput(f"{given.opponent} is not made of kernels: rollouts cannot play it")
    recorded = record(opponent, given.games, given.seed)
    judge, first = Judge(opponent.compiled, given.seed), dict[int, np.ndarray]()
    for arm in given.arm or [""]:
        searcher = make_player("champion:level=default" + f",{arm}" * bool(arm)).draw.__self__  # type: ignore[attr-defined]
        line: dict[str, Any] = {
            "arm": arm,
            "opponent": given.opponent,
            "games": given.games,
            "seed": given.seed,
            "judge": JUDGE,
        }
        total, variance, more, spread = 0.0, 0.0, 0.0, 0.0
        for phase, name in PHASES.items():
            gain, changed = gains(searcher, recorded[phase], phase, judge)
            against = gain - first.setdefault(phase, gain)
            line[name] = {
                "decisions": len(gain),
                "changed": round(changed, 4),
                "gain": _rounded(gain),
                "more_than_first": _rounded(against),
            }
            total += recorded[phase].per_round * gain.mean()
            variance += recorded[phase].per_round ** 2 * gain.var() / len(gain)
            more += recorded[phase].per_round * against.mean()
            spread += recorded[phase].per_round ** 2 * against.var() / len(gain)
        line["gain_per_round"] = [round(total, 5), round(variance**0.5, 5)]
        line["more_per_round"] = [round(more, 5), round(spread**0.5, 5)]
        made = provenance()
        print(json.dumps(line | {key: made[key] for key in MADE}), flush=True)


def _rounded(values: np.ndarray) -> Estimate:
    return Estimate(round(float(values.mean()), 6), round(float(values.std() / len(values) ** 0.5), 6))


if __name__ == "__main__":
    main(sys.argv[1:])
