"""The process that grades a selection again: one request as JSON in, a line of JSON out for each step."""

from __future__ import annotations

import json
import signal
import sys
from pathlib import Path
from typing import Any

from grader.catalog import find_assignment
from grader.classroom.batch import run_batch
from grader.classroom.folder import BatchFolder
from grader.classroom.options import BatchOptions
from grader.errors import GraderError
from grader.report.schema import ReportStatus

_INTERRUPTED, _NOT_DONE = 130, 3


class Teller:
    """A `Watcher` that passes on what it is told."""

    def say(self, text: str) -> None:
        _tell(say=text)

    def begin(self, total: int, what: str) -> None:
        _tell(begin=total, what=what)

    def finished(self, status: ReportStatus) -> None:
        _tell(finished=status)


def main() -> int:
    request = json.loads(sys.stdin.buffer.read())
    folder = Path(request["folder"])
    options = BatchOptions(
        paths=(),
        folder=folder,
        ids=tuple(request["ids"]),
        force=True,
        database=request["database"],
        # A class that was graded without pages gets none now: it would be everybody's.
        pages=BatchFolder(folder).feedback.is_dir(),
    )
    signal.signal(signal.SIGINT, signal.default_int_handler)  # may be ignored where the pages were started
    try:
        end = run_batch(options, find_assignment(request["assignment"]), Teller())
    except GraderError as err:
        _tell(problem=f"{err.message} {err.hint}".strip())
        return _NOT_DONE
    except KeyboardInterrupt:
        return _INTERRUPTED
    there = {one.id for one in end.discovery.found}
    missing = [one for one in options.ids if one not in there]
    if missing:
        _tell(problem=f"{len(missing)} are no longer in the input and were not graded, first `{missing[0]}`.")
    return 0


def _tell(**message: Any) -> None:
    print(json.dumps(message), flush=True)
