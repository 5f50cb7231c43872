"""Looks at what a submission computes, once all of its checks are done: pictures for its report.

Nothing in here can change an outcome: verdicts are closed before it begins, and whatever goes wrong costs a
picture. The worker is a fresh one that has never seen an input of a check, so no picture can carry one, and
no reference stands in it, so none can carry an answer. One worker serves all exercises in turn.

Code that passes every check of an exercise is not run again: checks compare a hundred times more closely than
an eye does, so its picture is the reference's, and most of a class costs nothing.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from grader.catalog import Assignment, Limits
from grader.errors import AssignmentError, GraderError, StudentError
from grader.sandbox.template import TemplateClient
from grader.student.handle import Student
from grader.student.material import Material
from grader.student.session import Session
from grader.suite.pictures import Look, Looked, load_look, look_safely, path_of_look
from grader.suite.reference import Reference

CALL_CPU_S = 1.5
BUDGET_S = 12.0  # on the wall, for all exercises of a submission together
SEED = 1  # the run's own would tell what the checks' inputs were
_TOO_LATE = "No picture: the ones before took too long."
_NOT_LOADED = "No picture: the code does not get as far as being imported."


class Looks(NamedTuple):
    """`look` of every exercise that has one, by stem, and what it shows of the reference, where there is one.

    `error` if a file of them is broken.
    """

    by_stem: Mapping[str, Look]
    right: Mapping[str, Looked]
    error: AssignmentError | None = None


def load_looks(assignment: Assignment, reference: Reference) -> Looks:
    """All `tests/public/see/<stem>.py`. A broken one stops whoever wants pictures, and nobody else."""
    paths = {stem: path_of_look(assignment, stem) for stem in assignment.stems}
    try:
        by_stem = {stem: load_look(path) for stem, path in paths.items() if path.is_file()}
        right = {
            stem: _look_at_reference(look, reference, paths[stem])
            for stem, look in by_stem.items()
            if assignment.reference(stem).is_file()
        }
    except AssignmentError as err:
        return Looks({}, {}, err)
    return Looks(by_stem, right)


def _look_at_reference(look: Look, reference: Reference, path: Path) -> Looked:
    try:
        return Looked(tuple(look(reference, reference)))
    except Exception as err:  # an author's file may raise anything
        raise AssignmentError(f"`{path}` fails on the reference: {type(err).__name__}: {err}") from err


@dataclass(frozen=True)
class Subject:
    """One exercise to look at: what its worker is given, how its code loads, whether all of it is right."""

    material: Material
    only_definitions: bool = False
    is_importable: bool = True
    is_right: bool = False

    @property
    def stem(self) -> str:
        return self.material.spec.stem


def look_at(
    subjects: Iterable[Subject],
    looks: Looks,
    client: TemplateClient,
    limits: Limits,
    reference: Reference,
) -> dict[str, Looked]:
    """Pictures by stem, of the exercises that have any.

    Raises:
        AssignmentError: a file of looks is broken.
    """
    if looks.error is not None:
        raise looks.error
    limits = replace(limits, call_cpu_s=min(limits.call_cpu_s, CALL_CPU_S), exercise_wall_s=BUDGET_S)
    end, last = time.monotonic() + BUDGET_S, None
    found: dict[str, Looked] = {}
    for subject in subjects:
        look = looks.by_stem.get(subject.stem)
        if look is None:
            continue
        if subject.is_right and subject.stem in looks.right:
            found[subject.stem] = looks.right[subject.stem]
            continue
        if not subject.is_importable or time.monotonic() > end:
            found[subject.stem] = Looked((), _TOO_LATE if subject.is_importable else _NOT_LOADED)
            continue
        session = Session(client, subject.material, limits, random.Random(SEED))
        session.only_definitions = subject.only_definitions
        found[subject.stem] = _look(look, session, last, reference if subject.stem in looks.right else None)
        last = session
    if last is not None:
        last.retire()
    return found


def _look(look: Look, session: Session, last: Session | None, reference: Reference | None) -> Looked:
    try:
        session.seal_output()
        if last is not None:
            session.go_on_from(last)
        session.worker()
    except (StudentError, GraderError):
        return Looked((), _NOT_LOADED)
    return look_safely(look, Student(session), reference)
