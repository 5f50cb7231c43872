"""What isolation adds to a worker: the life of a confined one beside that of a bare fork, in pairs.

    python tests/benchmarks/bench_isolation.py [--pairs 40]

Both templates run at once and take turns, since the speed of a machine drifts. A life is: fork, confine,
first frame, kill, reap. The goal: at most 25 ms more in the median.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time

from grader.catalog import Limits
from grader.sandbox.isolation import choose_plan
from grader.sandbox.template import Template, TemplateClient
from grader.sandbox.worker import Worker

GOAL_MS = 25.0


def life_ms(client: TemplateClient) -> float:
    began = time.perf_counter()
    Worker(client, Limits(), lambda module: None).close()
    return (time.perf_counter() - began) * 1e3


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pairs", type=int, default=40)
    count = parser.parse_args().pairs
    plans = choose_plan("auto"), choose_plan("process", without=("limits", "privileges"))
    templates = [Template(plan) for plan in plans]
    try:
        clients = [template.connect() for template in templates]
        for client in clients:
            life_ms(client)
        pairs = [tuple(map(life_ms, clients)) for _ in range(count)]
    finally:
        for template in templates:
            template.close()
    confined, bare = (statistics.median(column) for column in zip(*pairs, strict=True))
    extra = statistics.median(first - second for first, second in pairs)
    print(f"confined worker, whole life   {confined:6.1f} ms (median of {count})")
    print(f"bare fork, whole life         {bare:6.1f} ms")
    print(f"isolation adds                {extra:6.1f} ms (median of pairs; goal: at most {GOAL_MS:g})")
    return 0 if extra <= GOAL_MS else 1


if __name__ == "__main__":
    sys.exit(main())
