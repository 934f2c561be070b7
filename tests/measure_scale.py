"""Measure what long work costs beyond the work itself, and write it to the evidence of ``docs/scale.md``.

    python tests/measure_scale.py [PART…] [--out results/scale.json] [--page docs/scale.md]

Parts: overhead, workers, memory, pairings, driver, ray, stopping, costs. Each is measured by itself and replaces its
place in the file, with its own provenance. Processor time is used where the figure is a share of work, the
wall clock where it is a speed; the load of the machine is noted. ``workers`` and ``memory`` want a quiet machine.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from multiprocessing import Pipe, Process
from pathlib import Path
from typing import Any

import numpy as np

from ginrummy import tournament
from ginrummy.artefacts import record
from ginrummy.counting import Plan
from ginrummy.evidence import provenance, write_evidence
from ginrummy.reports import scale_page
from ginrummy.rules import EAAI
from ginrummy.runs import Journal, Shards, in_process, ordered, pool, using
from ginrummy.runs.workers import _send, perform
from ginrummy.sequential import UntilInterval
from ginrummy.stats import pair_interval
from ray_nodes import family

Json = dict[str, Any]
PAIR = ("hand-strength", "simple")
TICK = os.sysconf("SC_CLK_TCK")


def cpu(pids: Iterable[int]) -> float:
    """Processor seconds of some processes and of their children that have ended."""
    total = 0
    for pid in pids:
        try:
            words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        total += sum(map(int, words[11:15]))
    return total / TICK


def timed_shard(payload: Json) -> Json:
    """A shard, with its own processor time."""
    begin = time.process_time()
    counts = tournament.count_shard(payload)
    return counts | {"cpu": time.process_time() - begin}


# --- overhead ------------------------------------------------------------------------------------------------


def overhead(games: int = 500_000, on_ray: int = 1_000_000) -> Json:
    """What one long run costs besides its shards: in this process, in a worker process, on Ray.

    Ray's start costs the same for any run, so its run is a longer one, and a short one tells the start.
    """
    found = {}
    sizes = {"in_process": games, "processes": games, "ray_short": 4000, "ray": on_ray}
    for name, size in sizes.items():
        call = [sys.executable, __file__, "--child", name.partition("_short")[0], "--games", str(size)]
        found[name] = json.loads(subprocess.run(call, check=True, capture_output=True, text=True).stdout)
    return {"pair": list(PAIR), "executors": found}


def overhead_child(name: str, games: int) -> Json:
    """Processor seconds of all shards, and of everything that this process and its children did for them."""
    tournament.warm_up(list(PAIR), EAAI)
    payloads = Shards([{"players": list(PAIR), "rules": "eaai", "seed": 5}], range(games), 500)
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        if name == "ray":
            from ginrummy.runs.cluster import Cluster

            cluster = Cluster("local")
            before = cpu([os.getpid()])
            cluster.join()
            execute: pool.Executor = cluster.execute
        else:
            before = cpu([os.getpid()])
            execute = in_process if name == "in_process" else partial(pool.in_processes, workers=1)
        with Journal(Path(folder) / "j", {"command": "overhead"}, "x", len(payloads)) as journal:
            shards = sum(r["cpu"] for r in ordered(execute, timed_shard, payloads, journal=journal))
        if name == "ray":
            time.sleep(0.2)
            total = cpu(family(os.getpid())) - before
            cluster.close()
        else:
            total = cpu([os.getpid()]) - before
    return {"shards": shards, "total": total, "seconds": time.perf_counter() - start, "count": len(payloads)}


# --- two workers ---------------------------------------------------------------------------------------------


def workers(games: int = 100_000, rounds: int = 3) -> Json:
    """The same shards with one worker process and with two, by turns, by the wall clock."""
    tournament.warm_up(list(PAIR), EAAI)
    payloads = Shards([{"players": list(PAIR), "rules": "eaai", "seed": 5}], range(games), 500)
    seconds: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(rounds):
        for count in (1, 2):
            begin = time.perf_counter()
            execute = partial(pool.in_processes, workers=count)
            for _result in ordered(execute, tournament.count_shard, payloads):
                pass
            seconds[count].append(time.perf_counter() - begin)
    return {
        "pair": list(PAIR),
        "games": games,
        "seconds_of_one": seconds[1],
        "seconds_of_two": seconds[2],
        "speedup": min(seconds[1]) / min(seconds[2]),
    }


# --- memory --------------------------------------------------------------------------------------------------


def memory(sizes: Sequence[int] = (100_000, 1_000_000, 10_000_000)) -> Json:
    """The greatest memory of the driver of a match of two baselines, by the number of games."""
    rows = []
    for games in sizes:
        words = ["match", "simple", "simple", "--games", str(games), "--workers", "2", "--json", "--fresh"]
        code = (
            "import resource, sys\nfrom ginrummy.__main__ import main\nsys.argv[1:] = "
            f"{words!r}\ntry:\n    main()\nfinally:\n"
            "    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)\n"
        )
        with tempfile.TemporaryDirectory() as folder:
            env = os.environ | {"GINRUMMY_STATE": folder}
            done = subprocess.run(
                [sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True
            )
        result = json.loads(done.stdout)
        rows.append(
            {
                "games": result["games"],
                "peak_mb": int(done.stderr.split()[-1]) / 1024,
                "seconds": result["seconds"],
                "rounds": result["rounds"],
            }
        )
    return {"players": ["simple", "simple"], "runs": rows}


# --- instant workers -----------------------------------------------------------------------------------------


def canned(payload: Json) -> Json:
    """A result of the size of a real one, at once; its games are those of the payload."""
    rng = random.Random(payload["start"])
    games = payload["stop"] - payload["start"]
    pairs = games // 2
    halves = [pairs // 4, 0, pairs - 2 * (pairs // 4), 0, pairs // 4]
    margins: dict[str, int] = {}
    for _ in range(games):
        margin = str(rng.choice((-1, 1)) * rng.randint(100, 160))
        margins[margin] = margins.get(margin, 0) + 1
    return {
        "games": games, "wins": [pairs, pairs], "pairs": halves, "margins": margins,
        "outcomes": [0, games, games, 0, 0, 0], "points": [100 * games, 100 * games], "turns": 20 * games,
        "capped": 0, "decisions": [40 * games, 40 * games], "seconds": [0.001, 0.001],
    }  # fmt: skip


def pairings(players: int = 100) -> Json:
    """A round robin of so many players, every shard done at once: what plan, journal and ratings cost."""
    specs = [f"hand-strength:alpha={20 + n}" for n in range(players)]
    begin = time.perf_counter()
    tournament.warm_up(specs[:2], EAAI)
    moments: list[float] = []

    def instant(
        work: Any, payloads: Sequence[Any], todo: Iterable[int]
    ) -> Generator[list[tuple[int, Json]], None, None]:
        for shard in todo:
            yield [(shard, canned(payloads[shard]))]
            moments.append(time.perf_counter())

    with tempfile.TemporaryDirectory() as folder:
        journal = Path(folder) / "j"
        plan = Plan(200, 1, EAAI, journal=journal)
        begin = time.perf_counter()
        with using(instant):
            result = tournament.tournament(specs, plan)
        seconds = time.perf_counter() - begin
        size = journal.stat().st_size
        again = time.perf_counter()
        resumed = tournament.tournament(specs, plan)
        again = time.perf_counter() - again
    count = len(moments)
    tenth = count // 10
    return {
        "players": players,
        "pairings": len(result["matches"]),
        "shards": count,
        "seconds": seconds,
        "seconds_to_first_shard": moments[0] - begin,
        "shards_per_second_first_tenth": tenth / (moments[tenth] - moments[0]),
        "shards_per_second_last_tenth": tenth / (moments[-1] - moments[-1 - tenth]),
        "seconds_after_last_shard": seconds - (moments[-1] - begin),
        "seconds_to_read_it_again": again,
        "same": resumed["ratings"] == result["ratings"],
        "journal_mb": size / 1e6,
    }


class InstantWorker(pool.Worker):
    """The owner's side of a worker whose other side is one process that serves a thousand pipes at once."""

    def __init__(self, work: Any, payloads: Sequence[Any], team: Sequence[Any]) -> None:
        from collections import deque

        self.pipe = Server.ends.pop()
        self.process = Server.process  # type: ignore[assignment]
        self.shards: deque[int] = deque()
        self._bytes = bytearray()
        self._started = True
        self._silent = self._told = 0

    def end(self) -> None:
        self.pipe.close()


class Server:
    """The other side."""

    ends: list[Any]
    process: Process

    @classmethod
    def start(cls, count: int, answers: list[Json]) -> None:
        both = [Pipe() for _ in range(count)]
        cls.ends = [one for one, _ in both]
        cls.process = Process(target=serve, args=([far for _, far in both], cls.ends, answers), daemon=True)
        cls.process.start()
        for _, far in both:
            far.close()


def serve(pipes: list[Any], others: list[Any], answers: list[Json]) -> None:
    """Answer every shard number at once."""
    import selectors

    for end in others:
        end.close()
    with selectors.DefaultSelector() as waiting:
        for pipe in pipes:
            waiting.register(pipe, selectors.EVENT_READ)
        while waiting.get_map():
            for key, _ in waiting.select():
                try:
                    shard = key.fileobj.recv()  # type: ignore[union-attr]
                except (EOFError, ConnectionError):
                    shard = None
                if shard is None:
                    waiting.unregister(key.fileobj)
                else:
                    _send(key.fileobj, answers[shard % len(answers)])  # type: ignore[arg-type]


def driver(counts: Sequence[int] = (10, 100, 1000), shards: int = 12_000) -> Json:
    """How many finished shards in a second the real driver takes from so many instant workers, journal included."""
    payloads = Shards(
        [{"players": ["simple", "simple"], "rules": "eaai", "seed": 1}], range(2000 * shards), 2000
    )
    answer = perform(tournament.count_shard, payloads[0])
    rows = []
    usual, pool.Worker = pool.Worker, InstantWorker  # type: ignore[misc]
    try:
        for count in counts:
            Server.start(count, [answer])
            with tempfile.TemporaryDirectory() as folder:
                begin, used = time.perf_counter(), time.process_time()
                total: Json = {}
                with Journal(Path(folder) / "j", {"command": "driver"}, "x", shards) as journal:
                    execute = partial(pool.in_processes, workers=count)
                    for result in ordered(execute, tournament.count_shard, payloads, journal=journal):
                        total = tournament.add_counts((total, result))
                seconds, used = time.perf_counter() - begin, time.process_time() - used
            Server.process.kill()
            assert total["games"] == 2000 * shards
            rows.append(
                {
                    "workers": count,
                    "shards_per_second": shards / seconds,
                    "driver_cpu_ms_per_shard": 1000 * used / shards,
                    "games_per_second": total["games"] / seconds,
                }
            )
    finally:
        pool.Worker = usual  # type: ignore[misc]
    return {"shards": shards, "result_bytes": len(json.dumps(answer)), "runs": rows}


def nothing(payload: Json) -> Json:
    """A shard that takes no time, with the result of a real one."""
    return ANSWER


ANSWER = canned({"start": 0, "stop": 2000})


def ray(shards: int = 20_000) -> Json:
    """How many finished shards in a second the real driver takes from workers of Ray on this machine."""
    from ginrummy.runs.cluster import Cluster

    begin = time.perf_counter()
    cluster = Cluster("local")
    cluster.join()
    joined = time.perf_counter() - begin
    payloads = Shards([{}], range(2000 * shards), 2000)
    with tempfile.TemporaryDirectory() as folder, Journal(Path(folder) / "j", {}, "x", shards) as journal:
        moments = []
        before = time.process_time()
        for _ in ordered(cluster.execute, nothing, payloads, journal=journal):
            moments.append(time.perf_counter())
        used = time.process_time() - before
    cluster.close()
    half = shards // 2
    return {
        "seconds_to_join": joined,
        "seconds_to_first_shard": moments[0] - begin,
        "shards": shards,
        "shards_per_second": half / (moments[-1] - moments[-1 - half]),
        "driver_cpu_ms_per_shard": 1000 * used / shards,
    }


# --- rules that end a match ----------------------------------------------------------------------------------


def stopping(matches: int = 1000, looks: int = 200, each: int = 100) -> Json:
    """How often intervals are wrong that are looked at again and again, and what the valid ones cost in games."""
    rng = np.random.default_rng(7)
    chances = np.array([0.25, 0.0, 0.5, 0.0, 0.25])
    found = rng.multinomial(each, chances, size=(matches, looks)).cumsum(axis=1)
    rule = UntilInterval(1.0)
    plain = sum(any(not low <= 0.5 <= high for low, high in map(pair_interval, match)) for match in found)
    from ginrummy.sequential import ALPHA, log_capital

    bar = -np.log(ALPHA / 2)
    wrong = sum(
        any(log_capital(p, 0.5, 0.01) >= bar or log_capital(p[::-1], 0.5, 0.01) >= bar for p in match)
        for match in found
    )
    ends = [next((int(p.sum()) for p in match if rule.look(p)), None) for match in found[:40]]
    fixed = 1.96**2 * 0.125 / 0.01**2
    return {
        "matches": matches,
        "looks": looks,
        "pairs_between_looks": each,
        "wrong_ordinary": plain / matches,
        "wrong_valid": wrong / matches,
        "pairs_until_one_point": sorted(n for n in ends if n is not None)[len(ends) // 2],
        "pairs_of_fixed_size": fixed,
    }


def costs() -> Json:
    """What the published experiments and champion's training took, from their evidence and record."""
    results = Path(__file__).parent.parent / "results"
    training, made = (record("champion.onnx")[key] for key in ("training", "made_from"))
    return {
        "experiments": [list(cost) for cost in scale_page.experiment_costs(results)],
        "champion_decisions": made["decisions"],
        "champion_seconds": training["processor_seconds"],
    }


PARTS: dict[str, Callable[[], Json]] = {
    "overhead": overhead, "workers": workers, "memory": memory, "pairings": pairings, "driver": driver,
    "ray": ray, "stopping": stopping, "costs": costs,
}  # fmt: skip


@contextmanager
def load_noted(into: Json) -> Iterator[None]:
    """Note the share of the machine that other processes took."""
    begin, own, idle = time.perf_counter(), os.times(), idle_seconds()
    yield
    seconds, now = time.perf_counter() - begin, os.times()
    used = sum(now[:4]) - sum(own[:4])
    machine = seconds * (os.cpu_count() or 1)
    into["taken_by_others"] = round(max(0.0, machine - (idle_seconds() - idle) - used) / machine, 3)


def idle_seconds() -> float:
    words = Path("/proc/stat").read_text().split()
    return (int(words[4]) + int(words[5])) / TICK


def main() -> None:
    reader = argparse.ArgumentParser()
    reader.add_argument("parts", nargs="*", default=list(PARTS))
    reader.add_argument("--out", type=Path, default=Path("results/scale.json"))
    reader.add_argument("--page", type=Path)
    reader.add_argument("--child")
    reader.add_argument("--games", type=int, default=0)
    asked = reader.parse_args()
    if asked.child:
        print(json.dumps(overhead_child(asked.child, asked.games)))
        return
    evidence = json.loads(asked.out.read_text()) if asked.out.exists() else {}
    for name in asked.parts:
        noted: Json = {}
        with load_noted(noted):
            result = PARTS[name]()
        made = provenance() | {"command": f"python tests/measure_scale.py {name}"} | noted
        evidence[name] = result | {"provenance": made}
        write_evidence(asked.out, evidence)
        print(name, json.dumps(result, indent=1), file=sys.stderr)
    if asked.page:
        asked.page.write_text(scale_page.page(evidence), encoding="utf-8")


if __name__ == "__main__":
    main()
