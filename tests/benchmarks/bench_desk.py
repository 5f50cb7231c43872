"""How long does the desk take to answer for a large class? Nothing is graded; the class is made up.

    python tests/benchmarks/bench_desk.py [--size 2000] [--repeat 7]

Prints the median of several calls in milliseconds, on the clock and of the CPU (which a busy machine changes
less). What a page of the class asks for together must stay well under 150 ms on an idle machine; the exit
code says nothing about it, since machines differ.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parent))

from made_class import MISTAKES, make_class

from grader.review.desk import Desk, open_desk
from grader.review.desk_query import Query


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--size", type=int, default=2000)
    parser.add_argument("--repeat", type=int, default=7)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        make_class(Path(folder), asked.size)
        print(f"{asked.size} submissions stored in {time.perf_counter() - began:.1f} s")
        with open_desk(Path(folder)) as desk:
            for name, call in _calls(desk, asked.size).items():
                clock, cpu = _median_ms(call, asked.repeat)
                print(f"{name:45} {clock:8.1f} ms {cpu:8.1f} ms CPU")


def _calls(desk: Desk, size: int) -> dict[str, Callable[[], object]]:
    last = f"s{size // 2:05d}"
    by_score = Query(sort="score", descending=True, page=max(1, size // 100))
    narrow = Query(search="son mei", exercise="second", misconception=MISTAKES[1], done=False)
    everybody = desk.ids()

    def class_page(query: Query) -> None:
        desk.listing(query), desk.facets(), desk.distribution(query), desk.clusters(query), desk.version()

    return {
        "listing, first page": lambda: desk.listing(),
        "listing, by score, in the middle": lambda: desk.listing(by_score),
        "listing, search and three filters": lambda: desk.listing(narrow),
        "facets": desk.facets,
        "distribution": desk.distribution,
        "clusters": desk.clusters,
        "all of a class page": lambda: class_page(Query()),
        "all of a class page, filtered": lambda: class_page(narrow),
        "one submission": lambda: desk.submission(last),
        "its neighbours": lambda: desk.around(last),
        "override one check (and rewrite grades.csv)": lambda: desk.override(
            "ta", last, "first", 1.0, "why", desk.version(), "first::test_0"
        ),
        "comment on everybody": lambda: desk.comment("ta", everybody, "See the book.", desk.version()),
    }


def _median_ms(call: Callable[[], object], repeat: int) -> tuple[float, float]:
    clock, cpu = [], []
    for _ in range(repeat):
        began = time.perf_counter(), time.process_time()
        call()
        clock.append(time.perf_counter() - began[0])
        cpu.append(time.process_time() - began[1])
    return median(clock) * 1000, median(cpu) * 1000


if __name__ == "__main__":
    main()
