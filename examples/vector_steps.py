"""Measure how many steps a second the vector environment makes with random legal actions.

    python examples/vector_steps.py --out results/vector-env.json

The rate by processor time counts the time of all threads, so other work of the machine does not disturb it;
the choice of the actions is part of it. The best of several repeats counts.
"""

import argparse
import sys
import time
from pathlib import Path

from ginrummy.bridges.gymnasium import GinRummyVectorEnv
from ginrummy.evidence import as_text, provenance, write_evidence


def measure(opponent: str, tables: int, threads: int, steps: int, repeats: int) -> dict[str, object]:
    """The best rates of some repeats."""
    env = GinRummyVectorEnv(tables, opponent=opponent, threads=threads, copy=False)
    env.reset(seed=1)
    for _ in range(20):
        env.step(env.sample_actions())
    best_wall = best_processor = 0.0
    for _ in range(repeats):
        wall, processor = time.perf_counter(), time.process_time()
        for _ in range(steps):
            env.step(env.sample_actions())
        best_wall = max(best_wall, tables * steps / (time.perf_counter() - wall))
        best_processor = max(best_processor, tables * steps / (time.process_time() - processor))
    env.close()
    return {
        "opponent": opponent, "tables": tables, "threads": threads,
        "steps_per_processor_second": round(best_processor), "steps_per_second": round(best_wall),
    }  # fmt: skip


def main() -> None:
    """Read the command line, measure, and write the rates."""
    parse = argparse.ArgumentParser(description="Measure the vector environment.")
    parse.add_argument("--opponents", nargs="+", default=["random", "simple", "hand-strength"])
    parse.add_argument("--tables", type=int, default=4096)
    parse.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parse.add_argument("--steps", type=int, default=200)
    parse.add_argument("--repeats", type=int, default=5)
    parse.add_argument("--out", type=Path)
    order = parse.parse_args()
    rates = [
        measure(opponent, order.tables, threads, order.steps, order.repeats)
        for opponent in order.opponents
        for threads in order.threads
    ]
    made = provenance() | {"command": "python examples/vector_steps.py " + " ".join(sys.argv[1:])}
    result = {"rules": "eaai", "episode": "round", "rates": rates, "provenance": made}
    print(as_text(result))
    if order.out:
        write_evidence(order.out, result)


if __name__ == "__main__":
    main()
