"""Games cut into shards: the payloads of a run, each made when it is asked for."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any, overload

from ginrummy.errors import BadInput

MAX_SHARDS = 500_000
"""Most shards of one run, whose results are held in memory: 1,000,000,000 games of the fastest players."""


class Shards(Sequence[dict[str, Any]]):
    """The games of some subjects, cut into pieces: subject by subject, each from its first game on.

    A payload has the values of its subject, and ``start`` and ``stop`` of its games. A run of more than
    ``MAX_SHARDS`` is refused.
    """

    def __init__(
        self, subjects: Sequence[Mapping[str, Any]], games: range, sizes: int | Sequence[int]
    ) -> None:
        """``sizes`` says how many games a shard has: one number for all subjects, or one for each."""
        self._subjects = [dict(subject) for subject in subjects]
        self._games = games
        self._sizes = [sizes] * len(subjects) if isinstance(sizes, int) else list(sizes)
        played = games.stop - games.start
        self._ends = list(accumulate(-(-played // size) for size in self._sizes))
        if self._ends and self._ends[-1] > MAX_SHARDS:
            most = MAX_SHARDS // len(self._sizes) * min(self._sizes)
            raise BadInput(
                f"too many games for one run: at most {most:,} of each pairing here; use several seeds"
            )

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    @overload
    def __getitem__(self, shard: int) -> dict[str, Any]: ...

    @overload
    def __getitem__(self, shard: slice) -> list[dict[str, Any]]: ...

    def __getitem__(self, shard: int | slice) -> dict[str, Any] | list[dict[str, Any]]:
        if isinstance(shard, slice):
            return [self[k] for k in range(*shard.indices(len(self)))]
        if not 0 <= shard < len(self):
            raise IndexError(f"expected a shard from 0 to {len(self) - 1}, got {shard}")
        place = self.subject_of(shard)
        start = self._games.start + (shard - self.of(place).start) * self._sizes[place]
        stop = min(start + self._sizes[place], self._games.stop)
        return {**self._subjects[place], "start": start, "stop": stop}

    @property
    def subjects(self) -> int:
        """How many subjects there are."""
        return len(self._subjects)

    def subject_of(self, shard: int) -> int:
        """The place of the subject that a shard belongs to."""
        return bisect_right(self._ends, shard)

    def of(self, subject: int) -> range:
        """The shards of the subject at this place."""
        return range(self._ends[subject - 1] if subject else 0, self._ends[subject])
