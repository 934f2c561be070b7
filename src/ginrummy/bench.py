"""How fast it is: kernels, simulator and players, on this machine, in one process on one core.

A figure is the best of a few repeats: other work on the machine only ever makes a repeat slower. Work in this
process is timed by processor time, which does not count what else the machine does; commands and workers by
the wall clock, and so are decisions: the processor's clock costs more than a fast decision.
"""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from time import perf_counter, process_time
from typing import Any

import numpy as np

from ginrummy import decks, sim
from ginrummy.cards import CARDS, DECK
from ginrummy.compiled.worlds import Worlds, lines, play_from
from ginrummy.estimators.registry import estimator_names, make_estimator
from ginrummy.evidence import provenance
from ginrummy.meld_kernels import deadwood_many
from ginrummy.moments import views
from ginrummy.players.base import Player
from ginrummy.players.playing import play
from ginrummy.players.registry import make_player, player_names
from ginrummy.rules import EAAI, HAND_SIZE
from ginrummy.tables import DISCARD_PHASE
from ginrummy.tournament import Plan, match
from ginrummy.view import FloatArray, IntArray, View

Json = dict[str, Any]
WEIGHED = 1000
"""Views on which an estimator that weighs whole hands is timed."""
LARGE_BATCH = 4096
DEALS, WORLDS = 50, 1000
"""Rollouts: positions, and worlds that are played from each."""
DECISION_REPEATS = 3
"""How often the same decisions are timed."""
CLOCKS = """ Times are processor times; those of whole
commands and of two workers are by the wall clock."""
DECISION_CLOCK = """ Decisions are by the wall clock too,
each by the fastest of {repeats} repeats."""
ROLLOUTS = """A rollout plays a round from the first discard of the side that starts to its end, through
`ginrummy.compiled.worlds.play_from`, in a world drawn uniformly from what that side's view allows: the
opponent's hand and the order of the stock. What bounds `hand-strength` is its discard: one look-ahead for
the eleven cards bounds the scores of the candidates, and those that may be the least are then worked out,
each over the unseen cards that would meld. `simple` looks at the deadwood that each discard leaves.

"""
"""What the page says of clocks and of rollouts; older results, by the wall clock, have no rollouts."""
BUSY = 0.5
"""Work of others, in processes for each core, from which the page says that the machine was busy."""


def bench(quick: bool = False, on_step: Callable[[str], None] = lambda step: None) -> Json:
    """Measure everything. ``quick`` plays a tenth of the games: for tests, not for records."""
    scale = 10 if quick else 1
    load = os.getloadavg()[0]
    simple, random = make_player("simple"), make_player("random")
    on_step("deadwood")
    result: Json = {"deadwood_ns": deadwood_ns(400_000 // scale)}
    on_step("simple against simple")
    result["rounds_per_second"] = {
        "simple-simple": rounds_per_second(simple, simple, 40_000 // scale, batch=None),
        "simple-simple lockstep": rounds_per_second(simple, simple, 40_000 // scale, batch=LARGE_BATCH),
        "simple-simple one table": rounds_per_second(simple, simple, 100 // scale, batch=1),
    }
    on_step("hand strength against itself")
    strong = make_player("hand-strength")
    result["rounds_per_second"]["hand-strength-hand-strength"] = rounds_per_second(
        strong, strong, 1000 // scale, None
    )
    result["games_per_second"] = {
        "hand-strength-hand-strength": games_per_second(strong, strong, 1000 // scale)
    }
    on_step("rollouts")
    result["rollouts_per_second"] = {
        player.name: rollouts_per_second(player, DEALS // scale, WORLDS) for player in (simple, strong)
    }
    on_step("medium-kh against simple")
    result["rounds_per_second"]["medium-kh-simple"] = rounds_per_second(
        make_player("medium-kh"), simple, 4000 // scale, batch=sim.BATCH
    )
    on_step("random play")
    result["moves_per_second"] = moves_per_second(random, 600 // scale)
    on_step("decisions, one game at a time")
    result["decision_us"] = {name: decision_us(make_player(name), 20 // scale) for name in player_names()}
    result["decision_repeats"] = DECISION_REPEATS
    on_step("estimates")
    result["estimates_per_second"] = estimates_per_second(200 // scale)
    on_step("two workers")
    result["two_workers_speedup"] = two_workers_speedup(400_000 // scale)
    on_step("memory and start")
    result["peak_memory_mb"] = peak_memory_mb()
    result["start_seconds"] = start_seconds()
    return {**result, "load": load, "cores": os.cpu_count(), "provenance": provenance()}


def page(result: Json) -> str:
    """The documentation's page on performance, from one result."""
    rates, us, start = result["rounds_per_second"], result["decision_us"], result["start_seconds"]
    made, rollouts = result["provenance"], result.get("rollouts_per_second", {})  # not in older results
    rows = [
        ("one deadwood call, random ten-card hands", f"{result['deadwood_ns']:.1f} ns"),
        ("`simple` against `simple`, compiled loop", f"{rates['simple-simple']:,.0f} rounds/s"),
        ("the same in lockstep, batch of 4,096", f"{rates['simple-simple lockstep']:,.0f} rounds/s"),
        ("the same, one table at a time", f"{rates['simple-simple one table']:,.0f} rounds/s"),
        ("`medium-kh` against `simple`, in lockstep", f"{rates['medium-kh-simple']:,.0f} rounds/s"),
        ("random legal play", f"{result['moves_per_second']:,.0f} moves/s"),
        *((f"`{pair[: len(pair) // 2]}` against itself", f"{rate:,.0f} games/s")
          for pair, rate in result["games_per_second"].items()),
        *((f"rollouts from the first discard, `{name}` on both sides", f"{rate:,.0f} rollouts/s")
          for name, rate in rollouts.items()),
        *((f"a decision of `{name}`, one game at a time",
           f"{time['mean']:.1f} µs, at most {time['greatest']:,.0f} µs") for name, time in us.items()),
        *((f"beliefs of `{name}`", f"{rate:,.0f} a second")
          for name, rate in result["estimates_per_second"].items()),
        ("two workers against one", f"{result['two_workers_speedup']:.2f} times as fast"),
        ("peak memory, batch of 4,096", f"{result['peak_memory_mb']:.0f} MB"),
        ("`ginrummy --help`", f"{start['help']:.2f} s"),
        ("`ginrummy match` of two games, kernels compiled", f"{start['match']:.2f} s"),
    ]  # fmt: skip
    clocks, explained = (CLOCKS, ROLLOUTS) if rollouts else ("", "")
    if "decision_repeats" in result:  # not in older results
        clocks += DECISION_CLOCK.format(repeats=result["decision_repeats"])
    load, cores = result.get("load", 0.0), result.get("cores", 1)
    if load > BUSY * cores:
        clocks += (
            f" The machine was\nbusy with other work (load {load:.1f} on {cores} cores):"
            " figures by the wall clock are worse than on a quiet one."
        )
    table = "\n".join(f"| {what} | {value} |" for what, value in rows)
    return f"""# Performance

This page is made by `ginrummy bench --out results/bench.json --page docs/performance.md`; do not edit it.

One process on one core unless it says otherwise; {made["machine"]}, Python {made["python"]}, measured
{made["made"][:10]} at commit `{(made["commit"] or "unknown")[:12]}`. A figure is the best of a few repeats:
other work on a machine only ever makes a repeat slower.{clocks}

| what | measured |
|---|---|
{table}

{explained}\
Rounds are whole rounds with scoring, records off. For comparison, on one core of another machine and with the
same pairing, the fastest engine known elsewhere (Rust) played 24,200 rounds/s and the challenge's own program
(Java) 3,015.
"""


def deadwood_ns(hands: int) -> float:
    """Nanoseconds of one deadwood call on random ten-card hands."""
    cards = np.random.default_rng(1).random((hands, 52)).argsort(axis=1)[:, :10]
    masks = (np.int64(1) << cards.astype(np.int64)).sum(axis=1)
    out = np.empty_like(masks)
    return 1e9 / hands * _best(lambda: deadwood_many(masks, out))


def rounds_per_second(first: Player, second: Player, games: int, batch: int | None) -> float:
    """Rounds a second through the compiled loop (batch None) or in lockstep."""

    def rounds() -> int:
        if batch is None:
            run = play(first, second, range(games), EAAI, 1)
        else:
            run = sim.play(first, second, range(games), EAAI, 1, batch=batch)
        return int(run.games["outcomes"].sum())

    return rounds() / _best(rounds)


def games_per_second(first: Player, second: Player, games: int) -> float:
    """Whole games a second through the compiled loop."""
    return games / _best(lambda: play(first, second, range(games), EAAI, 1), repeats=3)


def moves_per_second(player: Player, games: int) -> float:
    """Answers a second of one player against itself through the compiled loop."""

    def moves() -> int:
        return int(play(player, player, range(games), EAAI, 1).games["decisions"].sum())

    return moves() / _best(moves)


def decision_us(player: Player, games: int) -> Json:
    """Microseconds of a decision, one game at a time: mean and greatest.

    The same games are played several times, and each decision counts with the fastest of its repeats.
    """
    times: list[float] = []

    def timed(decide: Callable[..., Any]) -> Callable[..., Any]:
        def call(view: View, rows: IntArray, u: FloatArray) -> Any:
            start = perf_counter()
            answer = decide(view, rows, u)
            times.append(perf_counter() - start)
            return answer

        return call

    watched = Player(
        player.name, timed(player.draw), timed(player.discard), timed(player.knock), timed(player.spread)
    )
    sim.play(watched, watched, range(2), EAAI, 1, batch=1)
    times.clear()
    for _ in range(DECISION_REPEATS):
        sim.play(watched, watched, range(max(2, games)), EAAI, 1, batch=1)
    fastest = np.reshape(times, (DECISION_REPEATS, -1)).min(axis=0)
    return {"mean": 1e6 * float(fastest.mean()), "greatest": 1e6 * float(fastest.max())}


def rollouts_per_second(player: Player, deals: int, worlds: int) -> float:
    """Rounds a second from first discards to the end, a kernel player on both sides, in worlds of chance."""
    if player.compiled is None:
        raise ValueError(f"{player.name} is not made of kernels")
    policy, rng = player.compiled, np.random.default_rng(1)
    positions = first_discards(deals)
    sampled = [uniform_worlds(position, worlds, rng) for position in positions]
    todo = lines(worlds)

    def work() -> None:
        for position, there in zip(positions, sampled, strict=True):
            play_from(position, 0, DISCARD_PHASE, there, todo, EAAI, mine=policy, other=policy, seed=1)

    return len(positions) * worlds / _best(work, repeats=3)


def first_discards(deals: int) -> list[View]:
    """What the side that starts sees at its first discard, in each of some seeded deals: [1] views."""
    simple, found = make_player("simple"), dict[int, View]()

    def discard(view: View, rows: IntArray, u: FloatArray) -> IntArray:
        for row in rows.tolist():
            found.setdefault(row, view[row : row + 1].copy())
        return simple.discard(view, rows, u)

    dealt = np.array([decks.deck(1, 2 * pair, 0) for pair in range(max(2, deals))], np.int8)
    starters = np.zeros(len(dealt), np.int64)
    sim.play_rounds(replace(simple, compiled=None, discard=discard), simple, dealt, starters, EAAI)
    return [found[row] for row in sorted(found)]


def uniform_worlds(view: View, size: int, rng: np.random.Generator) -> Worlds:
    """Hands of the opponent and orders of the stock that a [1] view allows, all equally likely."""
    held = int(view["opponent"][0])
    unseen = DECK & ~int(view["hand"][0] | view["pile"][0]) & ~held
    cards = np.array([card for card in range(CARDS) if unseen >> card & 1])
    orders = cards[rng.random((size, len(cards))).argsort(axis=1)]
    drawn = HAND_SIZE - held.bit_count()
    hands = (np.int64(1) << orders[:, :drawn]).sum(axis=1) | held
    return Worlds(hands, orders[:, drawn:].astype(np.int8))


def estimates_per_second(games: int) -> Json:
    """Beliefs a second by estimator, over the views of one side of some games of the baseline.

    An estimator that goes along a round, event by event, is timed doing so: each event is an estimate.
    """
    simple = make_player("simple")
    seen = views(sim.play(simple, simple, range(max(2, games)), EAAI, 1, record=True).rounds, 0, EAAI)
    rows = np.arange(len(seen.view))
    last = np.flatnonzero(np.diff(seen.round, append=-1))
    speeds = {}
    for name in estimator_names():
        believe = make_estimator(name)
        some = rows[:WEIGHED] if believe.weighted else rows  # a belief from weighed hands takes a millisecond
        work: Callable[[], object] = partial(believe.raw, seen.view, some)
        if believe.history:
            work = partial(believe.history, seen.view, last)
        speeds[name] = len(some) / _best(work, repeats=2)
    return speeds


def two_workers_speedup(games: int) -> float:
    """How much faster a match is with two workers than with one: the better of two tries."""

    def seconds(workers: int) -> float:
        return float(match("simple", "simple", Plan(games, 2, EAAI, workers, fresh=True))["seconds"])

    return max(seconds(1) / seconds(2) for _ in range(2))


def peak_memory_mb() -> float:
    """Peak memory of a fresh process that plays a large batch in lockstep.

    Asked of the kernel's own mark: what ``getrusage`` says begins with the memory of the parent.
    """
    code = (
        "from ginrummy import sim;from ginrummy.rules import EAAI;"
        "from ginrummy.players.registry import make_player;p=make_player('simple');"
        f"sim.play(p,p,range({3 * LARGE_BATCH}),EAAI,1,batch={LARGE_BATCH});"
        "print(open('/proc/self/status').read().split('VmHWM:')[1].split()[0])"
    )
    _fresh("-c", code)  # compiles what is not compiled yet, which takes memory of its own
    return float(_fresh("-c", code)) / 1024


def start_seconds() -> Json:
    """Seconds of a whole command in a fresh process: the help text, and a small match."""

    def seconds(*words: str) -> float:
        return _best(lambda: _fresh("-m", "ginrummy", *words), repeats=3, clock=perf_counter)

    return {
        "help": seconds("--help"),
        "match": seconds("match", "simple", "simple", "--games", "2", "--json"),
    }


def _fresh(*words: str) -> str:
    call = [sys.executable, *words]
    return subprocess.run(call, capture_output=True, text=True, check=True).stdout


def _best(work: Callable[[], object], repeats: int = 5, clock: Callable[[], float] = process_time) -> float:
    """Least time of a few repeats, after one that does not count."""
    work()
    times = []
    for _ in range(repeats):
        start = clock()
        work()
        times.append(clock() - start)
    return min(times)
