"""One way to run sharded, deterministic work: in this process or several, journalled, resumable.

A run is an identity (the parameters that define the work), the digest of the code, a list of payloads (one
per shard) and a top-level function from a payload to a JSON object. `Journal` remembers what is done and
`run_shards` does the rest. The caller merges the results, which come in shard order whoever computed them.
A journal is removed by `discard` once the result is delivered.
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
from ginrummy.runs.pool import Executor, check_workers, in_process, in_processes, run_on, run_shards
from ginrummy.runs.shards import Shards

__all__ = [
    "Executor",
    "Journal",
    "JournalBusy",
    "JournalError",
    "JournalMismatch",
    "Result",
    "RunError",
    "Shards",
    "check_workers",
    "default_journal_path",
    "discard",
    "in_process",
    "in_processes",
    "run_on",
    "run_shards",
    "until_delivered",
]
