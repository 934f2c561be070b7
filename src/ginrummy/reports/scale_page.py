# ruff: noqa: E501  (lines of a page)
"""The page on scale, from its evidence: what long work costs, and what larger clusters would do.

Figures are measured (``tests/measure_scale.py``), or computed here from measured costs: the seconds that the
experiments took on one machine, the driver's time for a shard, the time that a cluster takes to start.
"""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

Json = dict[str, Any]

CORES = (1, 2, 100, 1000)
"""Sizes of clusters to compute for."""
SHARD_SECONDS = 1.0
"""How long a task lasts, at least: ``runs.cluster`` puts short shards together."""


class Cost(NamedTuple):
    """What one published experiment took."""

    name: str
    core_seconds: float
    chain: int
    """Stages that must follow each other."""


def page(evidence: Json) -> str:
    """The whole page."""
    costs = [Cost(*cost) for cost in evidence["costs"]["experiments"]]
    parts = [
        _HEAD,
        _survives(),
        _CLUSTER,
        _STOP.format(**_stopping(evidence["stopping"])),
        _measured(evidence),
        _projection(evidence, costs),
        _limits(evidence),
        _provenance(evidence),
    ]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def experiment_costs(results: Path) -> list[Cost]:
    """Core-seconds of every experiment with evidence; figures that were measured together count once."""
    found: dict[tuple[Any, ...], Cost] = {}
    for path in sorted(results.glob("S[0-9]-*.json")):
        evidence = json.loads(path.read_text(encoding="utf-8"))
        seconds, made = evidence.get("seconds"), evidence.get("provenance", {})
        if not isinstance(seconds, float):
            continue
        words = re.search(r"--workers (\d+)", made.get("command", ""))
        cores = int(re.search(r"(\d+) cores", made.get("machine", "1 cores")).group(1))  # type: ignore[union-attr]
        used = min(int(words.group(1)) if words else 1, cores)
        found.setdefault((seconds, made.get("command")), Cost(path.stem, seconds * used, _chain(evidence)))
    return list(found.values())


def _chain(evidence: Json) -> int:
    """Stages of an experiment that wait for each other: generations, or the seeds of its arms."""
    points = [point.get("counts", {}) for point in evidence.get("points", []) if isinstance(point, dict)]
    longest = [len(c.get("generations", ())) + len(c.get("stages", ())) for c in points]
    return max([1, len(evidence.get("seeds", [])), *longest])


def _survives() -> str:
    return """
## What it survives

| fault | what happens | tested by |
|---|---|---|
| `kill -9` or crash of the driver | the same command goes on from the journal | `tests/kill_runs.py`, `test_runs.py`, `test_cluster.py` |
| `kill -9` of a local worker | the run ends with one line; the same command goes on | `tests/kill_runs.py`, `test_runs.py` |
| death of a Ray worker or of a whole node | its shards are done again elsewhere, the run goes on | `test_cluster.py` |
| a full disk | the run ends with one line, the journal is whole; the same command goes on when there is room | `test_faults.py`, on a small tmpfs |
| Ctrl-C | workers are stopped, finished shards are kept | `test_runs.py` |
| a second driver on the same journal | refused with one line | `test_runs.py`, `test_cluster.py` |
| other code, trained files, player files or parameters | refused with one line that says what differs | `test_runs.py`, `test_files.py` |
| a torn or damaged end of the journal | found by checksums, cut off and done again | `test_runs.py` |
| damage in the middle of the journal | refused: it is not the trace of an interruption | `test_runs.py` |

Every test compares the counters at the end with those of an undisturbed run, byte for byte. Times of decisions are the only
numbers of a result that differ between runs.

All long work goes this way: matches, tournaments, sweeps and searches of experiments, studies of estimators, play data, the
play that `champion-belief` learns from, the tables of regret minimisation, the games of a tuning trial. Not shared are
computations whose every step needs the one before: the self-play training of `champion` (its state file continues it after
an interruption), the steps of gradient descent, the rounds of one regret table, the trials of a search by CMA-ES. Smaller
recipes of `ginrummy train` play for minutes in one process before they learn.
"""


def _stopping(found: Json) -> dict[str, str]:
    return {
        "matches": f"{found['matches']:,}",
        "looks": f"{found['looks']:,}",
        "ordinary": f"{100 * found['wrong_ordinary']:.0f}",
        "valid": f"{100 * found['wrong_valid']:.1f}",
        "more": f"{found['pairs_until_one_point'] / found['pairs_of_fixed_size']:.1f}",
    }


def _measured(evidence: Json) -> str:
    found = evidence["overhead"]["executors"]
    lines = ["## Measured", "", "| what | figure |", "|---|---|"]
    rows = []
    for name, said in {"in_process": "in this process", "processes": "in a worker process"}.items():
        one = found[name]
        share = (one["total"] - one["shards"]) / one["shards"]
        rows.append(
            (f"processor time besides the shards, {said}", f"{100 * share:.1f} % ({one['count']:,} shards)")
        )
    start, each = ray_costs(evidence)
    rows += [
        ("Ray: start of a cluster for one command", f"{start:.1f} s of processor time"),
        ("Ray: processor time besides the shards, after the start", f"{100 * each:.1f} %"),
        ("Ray: both together in a run of one core-hour", f"{100 * (start / 3600 + each):.1f} %"),
    ]
    two = evidence["workers"]
    rows.append(
        (
            "two workers against one",
            f"{two['speedup']:.2f} times as fast ({_taken(two)} of the machine taken by others)",
        )
    )
    for run in evidence["memory"]["runs"]:
        rows.append(
            (
                f"memory of the driver, {run['games']:,} games",
                f"{run['peak_mb']:,.0f} MB, {run['seconds']:,.0f} s",
            )
        )
    robin = evidence["pairings"]
    rows += [
        (
            f"round robin of {robin['players']} players, {robin['pairings']:,} pairings, instant shards",
            f"{robin['seconds']:.1f} s in all, {robin['seconds_to_first_shard']:.1f} s to the first shard",
        ),
        (
            "its shards in a second, first and last tenth",
            f"{robin['shards_per_second_first_tenth']:,.0f} and {robin['shards_per_second_last_tenth']:,.0f}",
        ),
        (
            "its journal",
            f"{robin['journal_mb']:.1f} MB, read again in {robin['seconds_to_read_it_again']:.1f} s",
        ),
    ]
    for run in evidence["driver"]["runs"]:
        rows.append(
            (
                f"the driver with {run['workers']:,} instant workers",
                f"{run['shards_per_second']:,.0f} shards a second, {run['driver_cpu_ms_per_shard']:.2f} ms of "
                "processor time each, journal included",
            )
        )
    ray = evidence["ray"]
    rows += [
        ("the driver with instant tasks on Ray", f"{ray['shards_per_second']:,.0f} shards a second"),
        (
            "start of a Ray cluster on this machine",
            f"{ray['seconds_to_first_shard']:.0f} s to the first shard",
        ),
    ]
    return "\n".join([*lines, *(f"| {name} | {figure} |" for name, figure in rows)])


def ray_costs(evidence: Json) -> tuple[float, float]:
    """Processor seconds of a start of Ray, and its share of the work after that."""
    short, long = (evidence["overhead"]["executors"][name] for name in ("ray_short", "ray"))
    start = short["total"] - short["shards"]
    return start, max(0.0, long["total"] - long["shards"] - start) / long["shards"]


def _taken(part: Json) -> str:
    return f"{100 * part['provenance']['taken_by_others']:.0f} %"


def hours(costs: Sequence[Cost], cores: int, evidence: Json) -> float:
    """How long all experiments take one after the other on so many cores.

    Every stage of an experiment costs its share of the work, a start, and the last shard's end; and the driver
    must have time for every task.
    """
    start = evidence["ray"]["seconds_to_first_shard"] if cores > 2 else 0.0
    each = evidence["ray"]["driver_cpu_ms_per_shard"] / 1000 if cores > 2 else 0.0
    total = 0.0
    for cost in costs:
        tasks = cost.core_seconds / SHARD_SECONDS
        total += max(cost.core_seconds / cores, tasks * each) + cost.chain * SHARD_SECONDS + start
    return total / 3600


def _projection(evidence: Json, costs: list[Cost]) -> str:
    work = sum(cost.core_seconds for cost in costs) / 3600
    longest = sorted(costs, key=lambda cost: -cost.core_seconds)[:5]
    made, used = evidence["costs"]["champion_decisions"], evidence["costs"]["champion_seconds"]
    lines = [
        "## Larger clusters, on paper",
        "",
        f"The evidence of {len(costs)} experiments at full size took {work:.1f} core-hours. The longest are "
        + ", ".join(f"`{cost.name}` ({cost.core_seconds / 60:,.0f} core-minutes)" for cost in longest)
        + ". One after the other, with the measured start of a cluster, a second for the last task of each stage, "
        "and the measured time of the driver:",
        "",
        "| cores | all experiments | a thousand times the games |",
        "|---|---|---|",
    ]
    for cores in CORES:
        more = [cost._replace(core_seconds=1000 * cost.core_seconds) for cost in costs]
        lines.append(
            f"| {cores:,} | {_time(hours(costs, cores, evidence))} | {_time(hours(more, cores, evidence))} |"
        )
    lines += [
        "",
        f"`champion`'s network had learned from {made / 1e6:,.1f} million decisions in {_time(used / 3600)} of one core. This "
        "training is one process that plays and learns by turns, so a cluster does not shorten it; it can run several with "
        "other seeds or settings side by side. What a cluster does shorten is the play around it: matches that judge a network, "
        "the play that the belief learns from (51 opponents in every epoch, a shard each), and matches of the levels that "
        "search: they are shards like any other.",
    ]
    return "\n".join(lines)


def _time(found: float) -> str:
    if found >= 48:
        return f"{found / 24:,.1f} days"
    return f"{found:.1f} hours" if found >= 1 else f"{60 * found:.0f} minutes"


def _limits(evidence: Json) -> str:
    thousand = evidence["driver"]["runs"][-1]
    ray = evidence["ray"]
    local = 1000 / thousand["driver_cpu_ms_per_shard"]
    on_ray = 1000 / ray["driver_cpu_ms_per_shard"]
    return f"""
## Where the driver becomes the limit

The driver checks a result, writes it to the journal and adds it up: {thousand["driver_cpu_ms_per_shard"]:.2f} ms of its one
processor for a shard, so {local:,.0f} shards a second at most; with {thousand["workers"]:,} simulated workers that answer at once
the real driver took {thousand["shards_per_second"]:,.0f} a second on this machine, the disk's syncs and other load included. Everything
that has finished since the last look is synced together, so a slow disk makes batches larger and not the run slower. Handing
shards to Ray costs more: {ray["driver_cpu_ms_per_shard"]:.2f} ms, {on_ray:,.0f} shards a second. Shards shorter than a second go
several to a task, which spares Ray's part of it. So with shards of a second or more a thousand cores use about
{100 * 1000 / on_ray:.0f} % of the driver's processor on Ray; at {on_ray:,.0f} cores it would be full.

Beyond that:

- **Longer shards.** `Player.shard` says how many games a shard has; ten times as many games are a tenth of the driver's work.
  The price is a longer end of the run, when some workers have nothing left, and more to do again after a fault.
- **Several drivers.** Arms of an experiment, seeds and pairings are independent: two commands with two journals share a
  cluster, and their counters add up. A round robin can be cut by `--one-vs-all`.
- **A tree.** A task may return the sum of its shards in place of each: counters add up exactly (sums of floating-point numbers
  in a fixed order within the task). Then the journal has one line for a task, and the driver's work falls with its size.
- **The journal in an object store.** A journal is a local file because a sync of one append is what makes a shard durable. An
  object store has no append, but it has whole objects that appear at once: one object for each batch, named by its first
  shard, under a prefix with the header as its first object (through `fsspec`: `s3://`, `gs://`). Reading lists the prefix; the
  lock becomes a conditional write of an owner object with a heartbeat. Files of shards (`runs.parts`) are such objects already:
  whole, named by the shard, written before the journal says so; workers would then write them to the store themselves,
  and the driver would never see their content. A put takes longer than a local sync, so batches become larger, and the rate stays the same.

The memory of the driver does not depend on the games. It grows with the pairings (the sums of each) and by 16 bytes for each
shard (the place of its line). One run has at most 500,000 shards.
"""


def _provenance(evidence: Json) -> str:
    lines = ["## Where the figures come from", ""]
    for name, part in evidence.items():
        made: Mapping[str, Any] = part["provenance"]
        lines.append(
            f"- {name}: `{made['command']}`, commit `{str(made['commit'])[:12]}`, {made['machine']}, {made['made'][:10]}, "
            f"{100 * made['taken_by_others']:.0f} % of the machine taken by other work"
        )
    return "\n".join(lines)


_HEAD = """
# Scale

Long work is a list of shards, an executor and a journal (`runs/`). It survives whatever stops it, and it can be shared by
many machines, with the same numbers to the bit: results are added up in the order of the shards, whoever finished first.
This page is made from `results/scale.json`.
"""

_CLUSTER = """
## A Ray cluster

`make dev` installs Ray; elsewhere `pip install 'ginrummy[cluster]'` does. Start a head and as many nodes as you like, then
give any long command `--ray`:

```text
ray start --head --port=6379
ray start --address=HEAD:6379
ginrummy tournament simple hand-strength look-ahead --games 100000 --ray HEAD:6379
```

- Ray 2.60 works with a token. `ray get-auth-token --generate` makes one in `~/.ray/auth_token`; give the same one to nodes and
  drivers on other machines, in that file or as `RAY_AUTH_TOKEN`, with `RAY_AUTH_MODE=token`.
- Every node needs Python and the libraries of the package in the driver's versions. The package with its trained files travels
  with the job; so do your own player files and networks, wherever they are. A worker that has other code or another version
  of numpy, numba or onnxruntime is refused.
- A node compiles each kernel once; its workers wait for each other.
- All processors of the cluster work, and nodes may come and go. `--workers` is not looked at.
- The journal stays with the driver. The same command goes on from it with or without `--ray`.
- `--ray local` starts a cluster on this machine for one command; local processes (`--workers`) do the same with less.
"""

_STOP = """
## When to stop

`--until-ci` and `--sprt` test the win rate by betting on it: the evidence against a rate is what a gambler has made of one
coin who bets on the mirrored pairs, one after the other, in a game that is fair if that rate is the true one. He gets to
twenty coins with a chance of one in twenty at most, however long he plays (Ville's inequality), so looking often costs
nothing. In {matches} simulated matches of equal players with {looks} looks each, the ordinary 95 % interval was wrong at some look
in {ordinary} % of the matches, the interval of `--until-ci` in {valid} %. The price: to know a rate to within one percentage point
takes {more} times the games of a match of fixed size.
"""
