"""Counting over games in shards: typed settings in, counters that add up out.

Workers and journals see JSON. ``payload_head`` writes it and ``shard_worker`` reads it back; a counting
function sees its settings and its shard as values.
"""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, NamedTuple, TypeVar

from ginrummy.rules import Rules, parse_rules
from ginrummy.tournament import add_counts
from ginrummy.typed import Counters, read, write

S = TypeVar("S")
Json = dict[str, Any]


class Shard(NamedTuple):
    """Some games of a seed."""

    rules: Rules
    seed: int
    games: range
    """Whole mirrored pairs."""


Work = Callable[[S, Shard], Counters]
"""A top-level function: settings and a shard -> counters that add up, ``games`` among them."""


def payload_head(settings: Any, rules: str, seed: int) -> Json:
    """What the payloads of some settings share, as JSON; ``runs.Shards`` adds ``start`` and ``stop``."""
    return {**write(settings), "rules": rules, "seed": seed}


def shard_worker(work: Work[S], kind: type[S]) -> Callable[[Json], Json]:
    """The function that a worker calls with a payload; ``kind`` is the type of the settings."""
    return partial(_count_shard, work=work, kind=kind)


def added(kind: type[S], counters: Iterable[Counters]) -> S:
    """Counters of one shape added up; each is checked first, so that only like is added to like."""
    parts = [dict(counts) for counts in counters]
    for part in parts:
        read(kind, part, "counts")
    return read(kind, add_counts(parts), "counts")


def _count_shard(payload: Json, work: Work[S], kind: type[S]) -> Json:
    own = {"rules", "seed", "start", "stop"}
    settings = read(kind, {key: part for key, part in payload.items() if key not in own}, "payload")
    shard = Shard(parse_rules(payload["rules"]), payload["seed"], range(payload["start"], payload["stop"]))
    return dict(work(settings, shard))
