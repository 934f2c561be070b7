"""Play data: every decision of recorded games as rows, in memory or in one Parquet file.

    frame = collect(make_player("simple"), make_player("simple"), range(1000), EAAI, seed=1)
    frame.filter(pl.col("could_knock")).group_by("deadwood_after").len()

The columns are those of ``moments.COLUMNS``. The rows depend on players, games, rules and seed alone.
"""

import io
import json
import shutil
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from ginrummy import sim
from ginrummy.counting import Plan, Progress, counted, counts_its_games, even
from ginrummy.errors import BadInput
from ginrummy.evidence import provenance
from ginrummy.moments import COLUMNS, DECISION, decisions
from ginrummy.players.base import Player
from ginrummy.players.playing import recorded
from ginrummy.players.registry import make_player
from ginrummy.rules import Rules, parse_rules, rules_text
from ginrummy.runs import RunError, Shards
from ginrummy.runs.parts import parts, put, receive
from ginrummy.tables import Records

Json = dict[str, Any]

SCHEMA = 1
"""Version of the columns; a change of a name, a type or a meaning raises it."""
DATA_SEED = 20_210_000
"""Added to the seed of a recipe: no training may see the decks that its result is measured on."""
HELD_BACK = 10
"""One of so many pairs of games is for validation: nothing learns from it."""
CHUNK = 500
"""Games recorded at a time: some 70,000 rows of the baseline, 20 MB with the records."""

_TYPES: dict[type, type[pl.DataType]] = {
    np.bool_: pl.Boolean,
    np.int8: pl.Int8,
    np.int16: pl.Int16,
    np.int32: pl.Int32,
    np.int64: pl.Int64,
}
TYPES = pl.Schema({name: _TYPES[kind] for name, (kind, _) in COLUMNS.items()})


def rows_of(first: Player, second: Player, games: range, rules: Rules, seed: int) -> Records:
    """The decisions of some games as an array of ``moments.DECISION``, all in memory at once."""
    run = recorded(first, second, games, rules, seed)
    return decisions(run.rounds, run.games, rules, games.start)


def held_back(games: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Whether each game, by its number, is held back for validation: both games of every tenth pair are."""
    held: npt.NDArray[np.bool_] = games // 2 % HELD_BACK == HELD_BACK - 1
    return held


def frame_of(rows: Records) -> pl.DataFrame:
    """Rows as a table."""
    return pl.DataFrame({name: np.ascontiguousarray(rows[name]) for name in COLUMNS}, schema=TYPES)


def collect(first: Player, second: Player, games: range, rules: Rules, seed: int) -> pl.DataFrame:
    """The decisions of some games as a table. A few hundred games are recorded at a time."""
    sim.check_games(games, seed)
    parts = [
        frame_of(rows_of(first, second, range(start, min(start + CHUNK, games.stop)), rules, seed))
        for start in range(games.start, games.stop, CHUNK)
    ]
    return pl.concat(parts)


def write(first: str, second: str, plan: Plan, path: Path, on_progress: Progress | None = None) -> Json:
    """Play games between two players, write their decisions to one Parquet file, and say what is in it.

    Finished parts are kept in a directory beside the file, with a journal: after an interruption the same
    call continues from there. The file itself appears whole or not at all.
    """
    begin = perf_counter()
    games = even(plan.games)
    made_by: Json = {
        "players": [first, second],
        "rules": rules_text(plan.rules),
        "games": games,
        "seed": plan.seed,
    }
    sim.check_games(range(games), plan.seed)
    directory = path.with_name(path.name + ".parts")
    identity = {"command": "data", "schema": SCHEMA, **made_by, "chunk": CHUNK}
    beside = plan._replace(journal=directory / "journal", fresh=False)
    Shards([made_by], range(games), CHUNK)  # refuses too many games before anything is made
    rows = rounds = 0
    with parts(directory, plan.fresh) as place:
        payloads = Shards([made_by | {"parts": place}], range(games), CHUNK)
        with counted(_write_part, payloads, identity, beside, on_progress, _is_part, _receive) as results:
            for result in results:
                rows, rounds = rows + result["rows"], rounds + result["rounds"]
            made_by |= {"provenance": provenance(first, second)}
            try:
                _join([_part(payload) for payload in payloads], path, made_by)
            except (OSError, pl.exceptions.PolarsError) as error:
                raise RunError(f"cannot write {path}: {error}; the parts in {directory} are kept") from error
    shutil.rmtree(directory)
    return {
        "player_a": first,
        "player_b": second,
        **{name: made_by[name] for name in ("rules", "seed", "games")},
        "rounds": rounds,
        "rows": rows,
        "columns": len(COLUMNS),
        "file": str(path),
        "bytes": path.stat().st_size,
        "seconds": perf_counter() - begin,
        "provenance": made_by["provenance"],
    }


def _write_part(payload: Json) -> Json:
    """Play one piece and write its rows to a file. No polars here: its threads do not survive a fork."""
    first, second = (make_player(spec) for spec in payload["players"])
    games = range(payload["start"], payload["stop"])
    rows = rows_of(first, second, games, parse_rules(payload["rules"]), payload["seed"])
    file = io.BytesIO()
    np.save(file, rows, allow_pickle=False)
    sent = put(payload["parts"], _part(payload).name, file.getvalue())
    return {"games": len(games), "rows": len(rows), "rounds": int((rows["event"] == 0).sum()), **sent}


def _receive(payload: Json, result: Json) -> Json:
    return receive(_part(payload), result)


def _part(payload: Json) -> Path:
    """The file with the rows of a piece."""
    return Path(payload["parts"]["directory"]) / f"{payload['start']}.npy"


def _is_part(payload: Json, result: Json) -> bool:
    """Whether a result of the journal is one of ``_write_part``, and its file is there."""
    if result.keys() != {"games", "rows", "rounds"} or not counts_its_games(payload, result):
        return False
    try:
        rows = np.load(_part(payload), mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError):
        return False
    return bool(rows.dtype == DECISION) and rows.shape == (result["rows"],)


def _join(parts: list[Path], path: Path, made_by: Json) -> None:
    """Make one file of the parts, in order; its metadata say what is in it."""
    tables = []
    for part in parts:
        tables.append(part.with_suffix(".parquet"))
        frame_of(np.load(part)).write_parquet(tables[-1], compression="lz4")
    metadata = {
        "ginrummy.schema": str(SCHEMA),
        "ginrummy.columns": json.dumps({name: meaning for name, (_, meaning) in COLUMNS.items()}),
        "ginrummy.made_by": json.dumps(made_by),
    }
    half = path.with_name(path.name + ".half")
    pl.scan_parquet(tables).sink_parquet(half, compression="zstd", maintain_order=True, metadata=metadata)
    half.replace(path)


def read(path: Path) -> pl.DataFrame:
    """Read a table that ``write`` made; refuse anything else."""
    about(path)
    frame = pl.read_parquet(path)
    if frame.schema != TYPES:
        raise BadInput(f"{path} does not have the columns of play data")
    return frame


def about(path: Path) -> Json:
    """What a file of play data says about itself: players, rules, games, seed, provenance."""
    try:
        metadata = pl.read_parquet_metadata(path)
    except pl.exceptions.PolarsError as error:
        raise BadInput(f"{path} is not a Parquet file: {' '.join(str(error).split())}") from None
    version = metadata.get("ginrummy.schema")
    if version is None:
        raise BadInput(f"{path} is not play data: it was not written by ginrummy data")
    if version != str(SCHEMA):
        raise BadInput(f"{path} has version {version} of the columns, not {SCHEMA}: write it again")
    made_by: Json = json.loads(metadata["ginrummy.made_by"])
    return made_by


def text(result: Json) -> str:
    """What a person reads about a file just written."""
    return (
        f"{result['file']}: {result['rows']:,} rows of {result['rounds']:,} rounds in "
        f"{result['games']:,} games, {result['bytes'] / 1e6:.1f} MB, {result['seconds']:.1f} s"
    )
