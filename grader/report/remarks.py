"""What people of the course say to a student over a report: the points that count, and their comments.

As plain text that goes before the report's, and as a part of an HTML page. Reasons of overrides, names of
staff and comments for staff only are no part of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html import escape

from grader.printable import printable
from grader.report.schema import Report
from grader.report.wording import score_text

HEADING = "From the course staff"
_BEGIN, _END = "<!-- staff -->", "<!-- /staff -->"
_PART = re.compile(f"{_BEGIN}.*?{_END}\n?", re.DOTALL)
_OPENING = re.compile(r"<main\b[^>]*>|<body\b[^>]*>")


@dataclass(frozen=True)
class Changed:
    """Points that a person gave, for a check or (`check` empty) a whole exercise."""

    exercise: str
    check: str
    points: float


@dataclass(frozen=True)
class Said:
    """A comment for the student: on a check, an exercise, a line of a file, or on the whole."""

    text: str
    exercise: str = ""
    check: str = ""
    path: str = ""
    line: int | None = None


@dataclass(frozen=True)
class Remarks:
    """`score` is the one that counts, None while there is none; `note` says more about it, or nothing."""

    score: float | None
    max_score: float
    note: str = ""
    changed: tuple[Changed, ...] = ()
    said: tuple[Said, ...] = ()

    def has_news(self, report: Report) -> bool:
        """Is there anything that the report itself does not say?"""
        is_other = self.score is not None and (report.score is None or abs(report.score - self.score) > 1e-6)
        return is_other or bool(self.changed or self.said)


@dataclass(frozen=True)
class _Titles:
    names: Mapping[str, str] = field(default_factory=dict)
    points: Mapping[tuple[str, str], tuple[float | None, float]] = field(default_factory=dict)

    def of(self, exercise: str, check: str) -> str:
        title = self.names.get(exercise, exercise)
        return f"{title}: {self.names.get(check, check)}" if check else title


def remarks_text(remarks: Remarks, report: Report) -> str:
    """The remarks as lines of plain text; nothing if there is no news."""
    if not remarks.has_news(report):
        return ""
    titles = _titles(report)
    lines = list(_grade_line(remarks))
    lines += [f"  {line}" for line in _change_lines(remarks, titles)]
    if remarks.said:
        lines += ["", f"{HEADING}:"]
    for said in remarks.said:
        first, *rest = said.text.split("\n")
        lines.append(f"- {_where(said, titles)}: {first}")
        lines += [f"  {line}" for line in rest]
    return "\n".join(lines).strip()


def remarks_html(remarks: Remarks, report: Report) -> str:
    """The same as a section of HTML, escaped; nothing if there is no news."""
    if not remarks.has_news(report):
        return ""
    titles = _titles(report)
    parts = [f'<section class="gr-staff" aria-labelledby="gr-staff"><h2 id="gr-staff">{HEADING}</h2>']
    parts += [f"<p><strong>{_html(line)}</strong></p>" for line in _grade_line(remarks)]
    if changes := list(_change_lines(remarks, titles)):
        parts.append(f"<ul>{''.join(f'<li>{_html(line)}</li>' for line in changes)}</ul>")
    if remarks.said:
        said = (f"<dt>{_html(_where(one, titles))}</dt><dd>{_html(one.text)}</dd>" for one in remarks.said)
        parts.append(f"<dl>{''.join(said)}</dl>")
    return f"{_BEGIN}{''.join(parts)}</section>{_END}\n"


def has_remarks(page: str) -> bool:
    return _BEGIN in page


def with_remarks(page: str, remarks: Remarks | None, report: Report) -> str:
    """A student's page with these remarks at its head, in place of any that it has."""
    bare = _PART.sub("", page)
    section = "" if remarks is None else remarks_html(remarks, report)
    opening = _OPENING.search(bare)
    if not section or opening is None:
        return bare
    return f"{bare[: opening.end()]}{section}{bare[opening.end() :]}"


def _html(text: str) -> str:
    return escape(printable(text, 20_000)).replace("\n", "<br>")


def _grade_line(remarks: Remarks) -> Iterator[str]:
    if remarks.score is not None:
        note = f" ({remarks.note})" if remarks.note else ""
        yield f"The grade that counts: {score_text(remarks.score, remarks.max_score)}{note}"


def _change_lines(remarks: Remarks, titles: _Titles) -> Iterator[str]:
    for changed in remarks.changed:
        known = titles.points.get((changed.exercise, changed.check))
        if known is None:
            continue  # of an earlier version of the assignment; it counts for nothing
        given, most = known
        yield (
            f"{titles.of(changed.exercise, changed.check)}: {score_text(changed.points, most)} "
            f"instead of {score_text(given, most)}"
        )


def _where(said: Said, titles: _Titles) -> str:
    if said.path:
        path = f"`{printable(said.path, 200, one_line=True)}`"
        return f"{path} line {said.line}" if said.line else path
    return titles.of(said.exercise, said.check) if said.exercise else "Your submission"


def _titles(report: Report) -> _Titles:
    names: dict[str, str] = {}
    points: dict[tuple[str, str], tuple[float | None, float]] = {}
    for exercise in report.exercises:
        names[exercise.stem] = exercise.title
        points[exercise.stem, ""] = exercise.score, exercise.max_score
        for check in exercise.checks:
            names[check.id] = check.title
            points[exercise.stem, check.id] = check.score, check.max_score
    return _Titles(names, points)
