"""GitHub Actions: annotations on the student's own lines, a step summary, and the score as step output.

Commands are printed, the summary goes to the file that `GITHUB_STEP_SUMMARY` names, `score`, `max_score` and
`status` to the one of `GITHUB_OUTPUT`. Nothing else may be printed: a line of a student could be a command.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import NamedTuple

from grader.exports.escaping import for_command, for_markdown, for_property
from grader.exports.fitting import MIB, cut, fit
from grader.exports.points import plain
from grader.exports.request import Rendered, Request
from grader.exports.shown import Shown, headline, misplaced_extensions, shown_checks
from grader.exports.targets import ResultFormat, Setting
from grader.report.places import Place
from grader.report.schema import Report
from grader.report.wording import OUTCOME_WORDS, STATUS_WORDS, score_text

MAX_ANNOTATIONS = 10  # per step and kind; GitHub drops the rest without a word
SUMMARY_BYTES = MIB - 4096
MESSAGE_CHARACTERS = 1500


class _Annotation(NamedTuple):
    kind: str
    path: str
    line: int | None
    title: str
    message: str

    def command(self) -> str:
        properties = [f"file={for_property(self.path)}"] if self.path else []
        if self.path and self.line is not None:
            properties.append(f"line={self.line}")
        properties.append(f"title={for_property(self.title)}")
        return f"::{self.kind} {','.join(properties)}::{for_command(self.message)}"


def render(request: Request) -> Rendered:
    report = request.report
    lines = [_score(report).command(), *(one.command() for one in _limited(_annotations(request)))]
    return Rendered(
        "\n".join(lines) + "\n",
        {
            "GITHUB_STEP_SUMMARY": fit(lambda room: _summary(request, room), SUMMARY_BYTES),
            "GITHUB_OUTPUT": _outputs(report),
        },
    )


def _score(report: Report) -> _Annotation:
    kind = "warning" if report.score is None else "notice"
    message = headline(report)
    if report.status_reason:
        message += f"\n{cut(report.status_reason, MESSAGE_CHARACTERS)}"
    return _Annotation(kind, "", None, "Result", message)


def _annotations(request: Request) -> Iterator[_Annotation]:
    root = request.settings["root"] or request.root
    for check in shown_checks(request.report, request.audience):
        if check.passed or not check.id.startswith(f"{check.stem}::"):
            continue
        place = check.places[-1] if check.places else None
        path = place.path if place else check.path
        kind = "warning" if check.outcome in ("harness_error", "not_attempted", "skipped") else "error"
        yield _Annotation(
            kind,
            posixpath.normpath(posixpath.join(root, path)) if path else "",
            place.line if place and place.cell is None else None,
            f"{check.name} ({check.points})",
            _message(check, place),
        )


def _message(check: Shown, place: Place | None) -> str:
    cell = f"Cell {place.cell}, line {place.line}: " if place and place.cell else ""
    return cut(cell + check.text, MESSAGE_CHARACTERS)


def _limited(found: Iterator[_Annotation]) -> Iterator[_Annotation]:
    """As many of each kind as GitHub shows; the last place says how many more there are."""
    by_kind: dict[str, list[_Annotation]] = {"error": [], "warning": []}
    for one in found:
        by_kind[one.kind].append(one)
    for kind, found_here in by_kind.items():
        # The result itself may be a warning.
        most = MAX_ANNOTATIONS - 1
        yield from found_here[:most]
        if len(found_here) > most:
            more = f"{len(found_here) - most} more: see the summary of this job."
            yield _Annotation("notice", "", None, f"More of kind {kind}", more)


def _summary(request: Request, room: int) -> str:
    report = request.report
    lines = [f"## {for_markdown(report.assignment.title)}: {for_markdown(headline(report))}", ""]
    if report.status_reason:
        lines += [for_markdown(cut(report.status_reason, 4 * room or 2000)), ""]
    lines += ["| Exercise | Points | Status |", "|---|---:|---|"]
    for exercise in report.exercises:
        points = score_text(exercise.score, exercise.max_score)
        status = STATUS_WORDS[exercise.status]
        title = exercise.title if exercise.track == "core" else f"{exercise.title} (extension)"
        lines.append(f"| {for_markdown(title)} | {points} | {status} |")
    for stem, reason in misplaced_extensions(report).items():
        lines += ["", f"{for_markdown(stem)}: {for_markdown(reason)}"]
    missed = [check for check in shown_checks(report, request.audience) if not check.passed] if room else []
    if missed:
        lines += ["", "| Check | Points | Outcome | Feedback |", "|---|---:|---|---|"]
    for check in missed:
        name, text = for_markdown(check.name), for_markdown(cut(check.text, room))
        lines.append(f"| {name} | {check.points} | {OUTCOME_WORDS[check.outcome]} | {text} |")
    return "\n".join(lines) + "\n\n"


def _outputs(report: Report) -> str:
    """Only numbers and our own words: nothing here can end a line early."""
    score = "" if report.score is None else plain(report.score)
    return f"status={report.status}\nscore={score}\nmax_score={plain(report.max_score)}\n"


FORMAT = ResultFormat(
    "GitHub Actions: annotations and step summary",
    render,
    file="-",
    settings=(Setting("root", "folder of the submission, seen from the repository", default=""),),
    is_log=True,
)
