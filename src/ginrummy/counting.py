"""Counting over games as one journalled run: shards in, sums out.

The result of a shard is counters that add up. They are added in shard order as they come, and nothing but the
sums stays in memory, however many games are played. Because the order is that of the shards, sums of
floating-point numbers do not depend on who finished first.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from ginrummy._jit import code_digest
from ginrummy.errors import BadInput
from ginrummy.players.files import guarded, identified
from ginrummy.rules import Rules
from ginrummy.runs import (
    Journal,
    JournalError,
    Receive,
    Shards,
    default_journal_path,
    discard,
    executor,
    ordered,
)
from ginrummy.runs.commands import note
from ginrummy.runs.journal import REMEDY

Json = dict[str, Any]
Progress = Callable[[int], None]
"""Called with the number of games just finished."""
Fits = Callable[[Json, Json], bool]
"""(payload, result) -> whether a result found in a journal can belong to the payload."""


class Standing(NamedTuple):
    """How far a run is."""

    shards: int
    """Finished shards."""
    of: int
    """All shards."""
    players: tuple[str, str] | None = None
    """The pairing that was counted last."""
    pairs: Sequence[int] = ()
    """Its mirrored pairs so far, by half points of the first player."""


class Plan(NamedTuple):
    """How to measure: everything but the players."""

    games: int
    seed: int
    rules: Rules
    workers: int = 1
    journal: Path | None = None
    """Where finished shards are kept; by default a file named after the work, which is removed at the end."""
    fresh: bool = False
    """Throw an old journal away instead of going on from it."""
    seconds_per_game: float | None = None
    """A player that uses more time than this in one game forfeits it; see ``timed``."""
    watch: Callable[[Standing], None] | None = None
    """Is told how far the run is."""


def even(games: int) -> int:
    """Games rounded up to whole mirrored pairs."""
    if games < 1:
        raise BadInput(f"the number of games must be at least 1, not {games}")
    return games + games % 2


def add_counts(shards: Iterable[Json]) -> Json:
    """The sum of shards: numbers add up, lists place by place, objects key by key."""
    total: Json = {}
    for shard in shards:
        total = _sum(total, shard)
    return total


def _sum(a: Any, b: Any) -> Any:
    if isinstance(a, dict):
        return a | {key: _sum(a[key], value) if key in a else value for key, value in b.items()}
    if isinstance(a, list):
        return [_sum(x, y) for x, y in zip(a, b, strict=True)]
    return a + b


def counts_its_games(payload: Json, result: Json) -> bool:
    """Whether a result found in a journal counts the games of its shard and holds only numbers."""
    return is_number(result.get("games"), payload["stop"] - payload["start"]) and _adds_up(result)


def _adds_up(value: object) -> bool:
    if isinstance(value, dict):
        return all(map(_adds_up, value.values()))
    return all(map(_adds_up, value)) if isinstance(value, list) else type(value) in (int, float)


def is_number(value: object, number: int) -> bool:
    """Whether a value of a journal is this whole number."""
    return type(value) is int and value == number


def count_shards(
    work: Callable[[Json], Json],
    payloads: Shards,
    identity: Mapping[str, Any],
    plan: Plan,
    on_progress: Progress | None = None,
    fits: Fits = counts_its_games,
) -> list[Json]:
    """The counters of each subject's shards added up, as one journalled run; each counts its ``games``."""
    sums: list[Json] = [{} for _ in range(payloads.subjects)]
    with counted(work, payloads, identity, plan, on_progress, fits) as results:
        for place, total in enumerate(sums):
            for _ in payloads.of(place):
                total |= _sum(total, next(results))
    return sums


@contextmanager
def counted(
    work: Callable[[Json], Json],
    payloads: Sequence[Json],
    identity: Mapping[str, Any],
    plan: Plan,
    on_progress: Progress | None = None,
    fits: Fits = counts_its_games,
    receive: Receive | None = None,
) -> Iterator[Iterator[Json]]:
    """The results of all shards in order, as one journalled run; the journal is locked during the block.

    The files behind the players and networks of a run become part of the journal's identity. ``fits`` checks
    the results that the journal already has. The journal is removed after the block unless the plan names it.
    """
    execute = executor(plan.workers)
    path = plan.journal or default_journal_path(identity)
    code = code_digest()
    with Journal(path, identified(identity), code, len(payloads), fresh=plan.fresh, note=note()) as journal:
        report = _Report(plan, on_progress)

        def fitting(payload: Json, result: Json) -> bool:
            good = fits(payload, result)
            report.kept += result["games"] if good else 0
            return good

        journal.expect(payloads, fitting)
        found = ordered(
            execute, guarded(work, identity), payloads, journal=journal, on_progress=report, receive=receive
        )
        with closing(found):
            yield _alike(found, path)
        report.last()
    if plan.journal is None:
        discard(path)


class _Report:
    """Tells whoever waits about each finished shard.

    The games that the journal has are reported with the first shard that is done. That is after the workers
    are forked: a progress bar may start a thread.
    """

    def __init__(self, plan: Plan, on_progress: Progress | None) -> None:
        self.kept = 0
        self._watch, self._on_progress = plan.watch, on_progress

    def __call__(self, done: int, total: int, result: Json) -> None:
        if self._watch:
            self._watch(Standing(done, total))
        if self._on_progress:
            self._on_progress(self.kept + result["games"])
        self.kept = 0

    def last(self) -> None:
        """At the end; when all was in the journal, no shard was done."""
        if self._on_progress and self.kept:
            self._on_progress(self.kept)


def _alike(results: Iterable[Json], path: Path) -> Iterator[Json]:
    """Results that count the same things; others are refused."""
    known: frozenset[str] | None = None
    for result in results:
        if known not in (None, frozenset(result)):
            raise JournalError(f"{path}: its shards do not count the same things; {REMEDY}")
        known = frozenset(result)
        yield result
