"""The parts of a report that say what was graded and where, and carry no points."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Mapping, Sequence
from importlib import metadata
from typing import Any

from grader import __version__
from grader.catalog import Assignment
from grader.records import ExerciseRun, Note, SourceText, Submission, SuiteRun
from grader.report.schema import (
    AssignmentInfo,
    EnvironmentInfo,
    FileInfo,
    IsolationInfo,
    ReportNote,
    SourceInfo,
    SubmissionInfo,
)

UNKNOWN = "unknown"


def assignment_info(assignment: Assignment) -> AssignmentInfo:
    return AssignmentInfo(id=assignment.id, title=assignment.title, digest=assignment.digest)


def submission_info(
    submission: Submission, notes: Iterable[ReportNote] = (), submission_id: str | None = None
) -> SubmissionInfo:
    """The submission as a report shows it, with its own notes first and each note once."""
    own = [report_note(note) for note in submission.notes]
    return SubmissionInfo(
        id=submission_id or submission.id,
        files=tuple(FileInfo(path=file.path, sha256=file.sha256) for file in submission.files),
        notes=tuple(dict.fromkeys([*own, *notes])),
    )


def report_note(note: Note, exercise: str | None = None) -> ReportNote:
    return ReportNote(
        text=note.text,
        path=note.path or None,
        line=note.line,
        exercise=exercise,
        audience=note.audience,
    )


def source_info(source: SourceText | None) -> SourceInfo | None:
    if source is None:
        return None
    return SourceInfo(path=source.path, cells=tuple(sorted({place.cell for place in source.cells.values()})))


def run_notes(
    assignment: Assignment, submission: Submission, run: SuiteRun, stems: Sequence[str]
) -> list[ReportNote]:
    """What a reader should know of the run of these exercises, beside the checks."""
    notes = [report_note(note) for note in run.notes]
    for stem in stems:
        exercise_run = run.exercises.get(stem, ExerciseRun(stem))
        source = submission.exercises[stem].source
        if exercise_run.follow_through:
            used = " and ".join(f"`{used}`" for used in assignment.exercise(stem).uses)
            text = (
                f"Graded with the reference for {used}, so that a mistake made there costs points only once."
            )
            notes.append(ReportNote(text=text, exercise=stem))
        if source is not None:
            if exercise_run.used_definitions:
                text = f"Only the definitions of `{source.path}` are used: the file as a whole does not run."
                notes.append(ReportNote(text=text, path=source.path, exercise=stem))
            if exercise_run.used_definitions or source.definitions is None:
                # They are about the file: those of one that answers several exercises are told once.
                notes += [report_note(note) for note in source.left_out]
        notes += [report_note(note, stem) for note in exercise_run.notes]
    return notes


def environment_info(environment: Mapping[str, Any] | None = None) -> EnvironmentInfo:
    """The environment as a report shows it, from what the judge said.

    What it did not say is looked up in this process, without importing torch, or is "unknown".
    """
    told = environment or {}
    isolation = told.get("isolation") or {}
    return EnvironmentInfo(
        grader=str(told.get("grader") or __version__),
        python=str(told.get("python") or platform.python_version()),
        torch=str(told.get("torch") or _installed_torch()),
        platform=str(told.get("platform") or platform.platform()),
        devices=_names(told.get("devices")),
        isolation=IsolationInfo(
            level=str(isolation.get("level") or UNKNOWN),
            layers=_active_layers(isolation.get("layers") or ()),
            missing=_names(isolation.get("missing")),
        ),
    )


def _names(told: object) -> tuple[str, ...]:
    """One name, several or none, as a tuple."""
    if isinstance(told, str):
        return (told,)
    return tuple(str(name) for name in told) if isinstance(told, Iterable) else ()


def _active_layers(layers: Iterable[object]) -> tuple[str, ...]:
    """Layer names; a layer may be a name or a table {name, active, detail}."""
    names = []
    for layer in layers:
        if not isinstance(layer, Mapping):
            names.append(str(layer))
        elif layer.get("active"):
            names.append(str(layer["name"]))
    return tuple(names)


def _installed_torch() -> str:
    try:
        return metadata.version("torch")
    except metadata.PackageNotFoundError:
        return UNKNOWN
