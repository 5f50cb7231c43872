"""How long the TA's pages take with a large class.

    python tests/benchmarks/bench_review.py [--size 2000] [--tries 7]

Makes a gradebook of known results (nothing is graded), starts `grade review` on it, and asks it over HTTP as
a browser does. The class page must answer in under 300 ms on an idle machine; the median of the tries is
compared. Exit code 1 if it takes longer.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import httpx

from grader.catalog import Assignment, find_assignment
from grader.classroom.folder import BatchFolder, new_settings
from grader.classroom.gradebook import Gradebook, StoredRun, open_database
from grader.classroom.records import Found, Identity
from grader.report.schema import Report
from grader.report.writing import dump_report

MOST_S = 0.3
ROOT = Path(__file__).resolve().parent.parent.parent
CHECKS = 10  # of an exercise
MISTAKES = (
    "inverted_mask",
    "no_scale",
    "keeps_one_key_too_many",
    "softmax_over_queries",
    "dropout_on_output",
)
PAGES = (
    ("class", "/"),
    ("class, page 20", "/?page=20&sort=score&descending=yes"),
    ("class, filtered", "/?misconception=no_scale&search=a"),
    ("all that fail alike", "/clusters"),
    ("one submission", "/submissions/s0007"),
    ("history", "/history"),
)


def make_report(assignment: Assignment, name: str, rng: random.Random) -> Report:
    """A third of the exercises fail some checks, of a few kinds."""
    exercises: list[dict[str, Any]] = []
    for spec in assignment.exercises:
        worth = spec.points / CHECKS
        mistake = rng.choice(MISTAKES) if rng.random() < 0.35 else ""
        failing = rng.choice((3, 5, 9)) if mistake else 0
        checks = [
            _check(spec.stem, number, worth, mistake if number < failing else "") for number in range(CHECKS)
        ]
        score = sum(check["score"] for check in checks)
        status = "partial" if failing else "passed"
        shown = {"stem": spec.stem, "title": spec.title, "track": spec.track, "status": status}
        exercises.append({**shown, "score": score, "max_score": worth * CHECKS, "checks": checks})
    core = [one for one in exercises if one["track"] == "core"]
    file = {"path": "solution.py", "sha256": hashlib.sha256(name.encode()).hexdigest()}
    isolation = {"level": "strict", "layers": [], "missing": []}
    return Report.model_validate(
        {
            "status": "graded",
            "score": sum(one["score"] for one in core),
            "max_score": sum(one["max_score"] for one in core),
            "assignment": {"id": assignment.id, "title": assignment.title, "digest": "d" * 64},
            "submission": {"id": name, "files": [file]},
            "exercises": exercises,
            "environment": {
                "grader": "0",
                "python": "3",
                "torch": "2",
                "platform": "-",
                "isolation": isolation,
            },
            "seed": 1,
            "started_at": datetime.now(timezone.utc),
            "duration_s": 1.0,
        }
    )


def _check(stem: str, number: int, worth: float, mistake: str) -> dict[str, Any]:
    check: dict[str, Any] = {
        "id": f"{stem}::test_{number}",
        "title": f"Property {number} holds.",
        "visibility": "hidden",
        "outcome": "failed" if mistake else "passed",
        "score": 0.0 if mistake else worth,
        "max_score": worth,
    }
    if mistake:
        check |= {"message": "The values are off by up to 1.2.", "diagnosis": {"misconception": mistake}}
    return check


def make_batch(folder: BatchFolder, assignment: Assignment, size: int) -> None:
    rng = random.Random(size)
    names = [f"s{number:04d}" for number in range(size)]
    folder.path.mkdir(parents=True)
    settings = new_settings(assignment, 1)
    folder.write_settings(settings)
    people = [Found(name, Identity(f"Student {name[::-1]}", name), ()) for name in names]
    with open_database(folder.gradebook) as engine:
        book = Gradebook(engine, settings.id)
        book.enter_class(settings, assignment.title, people)
        for first in range(0, size, 200):
            reports = [make_report(assignment, name, rng) for name in names[first : first + 200]]
            book.record([StoredRun(report, dump_report(report, "staff")) for report in reports])


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    command = [sys.executable, "-m", "grader", "review", str(folder)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield next(line.strip() for line in process.stdout if line.startswith("  http"))
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(30)


def time_pages(link: str, tries: int) -> dict[str, list[float]]:
    """Seconds of every try, after one that is not counted."""
    taken: dict[str, list[float]] = {}
    with httpx.Client(base_url=link.partition("/enter")[0], follow_redirects=True, timeout=60) as client:
        client.get(link).raise_for_status()
        for label, path in PAGES:
            client.get(path).raise_for_status()
            for _ in range(tries):
                began = time.perf_counter()
                client.get(path).raise_for_status()
                taken.setdefault(label, []).append(time.perf_counter() - began)
    return taken


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--size", type=int, default=2000, help="submissions in the class")
    parser.add_argument("--tries", type=int, default=7, help="requests of each page")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = BatchFolder(Path(scratch) / "batch")
        make_batch(folder, find_assignment(str(ROOT)), arguments.size)
        with serving(folder.path) as link:
            taken = time_pages(link, arguments.tries)
    print(f"{arguments.size} submissions, milliseconds per page\n")
    print(f"{'':24}{'median':>8}{'best':>8}{'worst':>8}")
    for label, times in taken.items():
        print(
            f"{label:24}{statistics.median(times) * 1e3:8.0f}{min(times) * 1e3:8.0f}{max(times) * 1e3:8.0f}"
        )
    return 0 if statistics.median(taken["class"]) < MOST_S else 1


if __name__ == "__main__":
    sys.exit(main())
