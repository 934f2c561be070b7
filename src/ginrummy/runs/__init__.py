"""One way to run sharded, deterministic work: in this process or several, journalled, resumable.

A run is an identity (the parameters that define the work), the digest of the code, a list of payloads (one
per shard) and a top-level function from a payload to a JSON object. `Journal` remembers what is done, an
executor does the rest: this process, several, or a cluster (`using`). `ordered` hands the results out in
shard order whoever computed them, and the caller merges them one by one. A journal is removed by `discard`
once the result is delivered.
"""

from ginrummy.runs.journal import (
    Journal,
    JournalBusy,
    JournalError,
    JournalMismatch,
    Result,
    RunError,
    default_journal_path,
    discard,
    until_delivered,
)
from ginrummy.runs.pool import (
    Executor,
    Finished,
    Receive,
    check_workers,
    executor,
    in_process,
    in_processes,
    ordered,
    run_shards,
    using,
)
from ginrummy.runs.shards import Shards

__all__ = [
    "Executor",
    "Finished",
    "Journal",
    "JournalBusy",
    "JournalError",
    "JournalMismatch",
    "Receive",
    "Result",
    "RunError",
    "Shards",
    "check_workers",
    "default_journal_path",
    "discard",
    "executor",
    "in_process",
    "in_processes",
    "ordered",
    "run_shards",
    "until_delivered",
    "using",
]
