"""What an author still has to do: marks that `grade new` leaves, and a notebook that is out of step."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from grader.authoring.notebook import is_in_step, notebook_path, picture_path, text_path
from grader.catalog import Assignment
from grader.errors import AssignmentError
from grader.verify.files import relative
from grader.verify.schema import ProofProblem

# Not a plain "TODO": that word belongs to students, whose stubs may say so.
_MARK = re.compile(r"TODO\(author\)(?::\s*(?P<task>.*))?")


def unfinished(assignment: Assignment, stem: str) -> Iterator[ProofProblem]:
    """Every mark `TODO(author)` in the files of one exercise."""
    for path in _files(assignment, stem):
        text = path.read_bytes().decode("utf-8", "replace")
        for number, line in enumerate(text.split("\n"), 1):
            if found := _MARK.search(line):
                task = (found["task"] or "").partition(" | ")[0].strip('").,:# ')
                yield ProofProblem(
                    path=relative(path, assignment),
                    line=number,
                    exercise=stem,
                    message="This is still to be written (`TODO(author)`).",
                    advice=f"{task[:1].upper()}{task[1:]}." if task else "Write it, and take the mark out.",
                )


def is_unfinished(content: bytes) -> bool:
    """Is there a mark `TODO(author)` in this file?"""
    return _MARK.search(content.decode("utf-8", "replace")) is not None


def stale_notebook(assignment: Assignment) -> Iterator[ProofProblem]:
    """The notebook that students get is not what the stubs and texts give."""
    path = relative(notebook_path(assignment), assignment)
    try:
        is_fresh = is_in_step(assignment)
    except AssignmentError as err:
        yield ProofProblem(path=path, message=err.message, advice=err.hint or "Correct that file.")
        return
    if not is_fresh:
        message = "The notebook is not what the stubs and exercises/notebook/ give."
        yield ProofProblem(path=path, message=message, advice="Run `grade notebook`; never edit it by hand.")


def _files(assignment: Assignment, stem: str) -> Iterator[Path]:
    single = (
        assignment.stub(stem),
        text_path(assignment, stem),
        assignment.reference(stem),
        assignment.misconceptions(stem),
        assignment.suite(stem, "public"),
        picture_path(assignment, stem),
        assignment.suite(stem, "hidden"),
    )
    yield from (path for path in single if path.is_file())
    for folder in ("wheats", "chaffs"):
        yield from sorted((assignment.root / "tests" / folder / stem).glob("*.py"))
