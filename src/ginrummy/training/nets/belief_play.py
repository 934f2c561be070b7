"""The play of `belief_pool` as shards of a run: by epoch and opponent, in files, so that it can be shared.

A shard plays one opponent; its decisions go to a file beside the journal (``runs.parts``). All play comes
before the first training: workers are forked, and a process in which torch has started threads must not be.
"""

import io
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ginrummy.counting import Plan, counted, is_number
from ginrummy.rules import EAAI
from ginrummy.runs.parts import Place, parts, put, receive
from ginrummy.training.nets.belief_pool import Seen, gather_one, label
from ginrummy.training.progress import Progress

Json = dict[str, Any]


class Play:
    """The play of a training: epochs of decisions against every opponent, and the opponents' types."""

    def __init__(self, names: Sequence[str], games: int, keep: float, folder: Path) -> None:
        self.names, self.games, self.keep, self.folder = tuple(names), games, keep, folder

    def do(
        self,
        epochs: Sequence[tuple[int, int]],
        labelled: Sequence[str],
        seed: int,
        on_progress: Progress | None,
    ) -> list[int]:
        """Play the epochs (each with the seed of its games); the types of the ``labelled`` players."""
        with parts(self.folder) as place:
            payloads = [
                *(self._label(name, seed) for name in labelled),
                *(
                    self._payload(of, name, epoch, own, place)
                    for epoch, own in epochs
                    for of, name in enumerate(self.names)
                ),
            ]
            told = [{key: value for key, value in one.items() if key != "parts"} for one in payloads]
            identity = {"command": "play for champion-belief", "shards": told, "seed": seed}
            plan = Plan(len(payloads), seed, EAAI, journal=self.folder / "journal")
            fits = partial(_fits, folder=self.folder)
            found: list[int] = []
            with counted(play_shard, payloads, identity, plan, None, fits, self._receive) as results:
                for result in results:
                    found.append(result["found"])
                    if on_progress:
                        on_progress("playing", len(found), len(payloads))
        return found[: len(labelled)]

    def seen(self, epoch: int, seed: int) -> list[Seen]:
        """The decisions of an epoch, in the order of the opponents."""
        found: list[Seen] = []
        for of, name in enumerate(self.names):
            with np.load(self.folder / _file(self._payload(of, name, epoch, seed, {}))) as arrays:
                for n in range(len(arrays.files) // len(Seen._fields)):
                    found.append(Seen(*(arrays[f"{field}-{n}"] for field in Seen._fields)))
        return found

    def _payload(self, of: int, name: str, epoch: int, seed: int, place: Place) -> Json:
        start = epoch * self.games
        games = {"start": start, "stop": start + self.games}
        return {"opponent": name, "place": of, "seed": seed, "keep": self.keep, **games, "parts": place}

    def _label(self, name: str, seed: int) -> Json:
        return {"label": name, "seed": seed, "start": 0, "stop": 2 * self.games}

    def _receive(self, payload: Json, result: Json) -> Json:
        return result if "label" in payload else receive(self.folder / _file(payload), result)


def play_shard(payload: Json) -> Json:
    """One opponent in one epoch, or the type of one opponent."""
    games = range(payload["start"], payload["stop"])
    if "label" in payload:
        return {"games": len(games), "found": label(payload["label"], games, payload["seed"])}
    name, place = payload["opponent"], payload["place"]
    seen = list(gather_one(place, name, games, payload["seed"], payload["keep"]))
    file = io.BytesIO()
    arrays = {f"{field}-{n}": getattr(one, field) for n, one in enumerate(seen) for field in Seen._fields}
    np.savez(file, **arrays)
    sent = put(payload["parts"], _file(payload), file.getvalue())
    return {"games": len(games), "found": sum(len(one.view) for one in seen), **sent}


def _file(payload: Json) -> str:
    return f"{payload['seed']}-{payload['start']}-{payload['place']}.npz"


def _fits(payload: Json, result: Json, folder: Path) -> bool:
    """Whether a result of the journal belongs to its shard, and its file is there."""
    games = payload["stop"] - payload["start"]
    whole = result.keys() == {"games", "found"} and is_number(result["games"], games)
    kept = "label" in payload or (folder / _file(payload)).is_file()
    return whole and kept and type(result["found"]) is int
