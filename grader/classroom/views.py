"""Reads one grading of a class from where it is kept: a batch's folder, its summary, a gradebook."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import TypeAdapter, ValidationError
from sqlalchemy import Engine, select

from grader.classroom.changes import CheckInfo, ClassView
from grader.classroom.folder import BatchFolder
from grader.classroom.gradebook import list_runs, tables
from grader.classroom.gradebook.grades import RunInfo, read_report_text
from grader.classroom.gradebook.transactions import connected
from grader.classroom.rows import Row
from grader.classroom.tally import Tally
from grader.errors import GraderError
from grader.printable import printable
from grader.report.schema import Report
from grader.report.writing import read_report


class ViewError(GraderError):
    """There is no grading where one was expected."""


class ViewPair(NamedTuple):
    old: ClassView
    new: ClassView


def view_of_folder(path: Path) -> ClassView:
    """The results in a batch's folder, read one by one."""
    folder = BatchFolder(path)
    stored = (folder.stored(one) for one in folder.stored_ids())
    return _view(str(path), (one.report for one in stored if one is not None and one.report is not None))


def view_of_summary(path: Path) -> ClassView:
    """A class as its `summary.json` tells it.

    Raises:
        ViewError: it is not one.
    """
    shown = printable(str(path), one_line=True)
    try:
        summary = json.loads(path.read_bytes())
        lines = [line for line in summary["submissions"] if line["status"] != "not_graded_yet"]
        rows = TypeAdapter(list[Row]).validate_python([_row_fields(line) for line in lines])
        titles = {entry["stem"]: str(entry["title"]) for entry in summary["exercises"]}
        checks = {
            entry["id"]: CheckInfo(
                entry["title"], entry["exercise"], float(entry["max_score"]), titles[entry["exercise"]]
            )
            for entry in summary["checks"]
        }
    except (OSError, ValueError, KeyError, TypeError, ValidationError) as err:
        raise ViewError(f"`{shown}` is not the summary.json of a batch.") from err
    return ClassView(shown, {row.id: row for row in rows}, checks)


def _row_fields(line: dict[str, Any]) -> dict[str, Any]:
    return {name: line[name] for name in Row.__dataclass_fields__}


def view_of_batch(engine: Engine, name: str) -> ClassView:
    """A batch of a gradebook by its id, of which the beginning is enough: each submission's last run.

    Raises:
        ViewError: there is no such batch, or more than one.
    """
    with connected(engine) as connection:
        ids = list(connection.execute(select(tables.batches.c.id)).scalars())
    fitting = [one for one in ids if one.startswith(name)]
    if len(fitting) != 1:
        shown = printable(name, 100, one_line=True)
        found = "no batch" if not fitting else f"{len(fitting)} batches"
        raise ViewError(
            f"The gradebook has {found} `{shown}`.", hint=f"It has: {', '.join(sorted(ids)) or 'none'}."
        )
    last = {run.submission: run for run in list_runs(engine, fitting[0])}
    return _view(fitting[0], _reports(engine, last.values()))


def last_two(engine: Engine, batch: str) -> ViewPair | None:
    """Of every submission its last run, and the one before (its last too, if it was graded once).

    None if every one was graded once.

    Runs that need a regrade say nothing and are passed over.
    """
    before: dict[str, RunInfo] = {}
    last: dict[str, RunInfo] = {}
    for run in list_runs(engine, batch):
        if run.status != "needs_regrade":
            before[run.submission] = last.get(run.submission, run)
            last[run.submission] = run
    if before == last:
        return None
    return ViewPair(
        _view("the run before", _reports(engine, before.values())),
        _view("the last run", _reports(engine, last.values())),
    )


def _reports(engine: Engine, runs: Iterable[RunInfo]) -> Iterator[Report]:
    for run in runs:
        text = read_report_text(engine, run.id)
        if text is not None:
            yield read_report(text)


def _view(label: str, reports: Iterable[Report]) -> ClassView:
    tally = Tally()
    for report in reports:
        tally.add(report)
    checks = {
        count.id: CheckInfo(
            count.title, count.exercise, count.max_score, tally.exercises[count.exercise].title
        )
        for count in tally.checks.values()
    }
    return ClassView(label, tally.rows, checks)
