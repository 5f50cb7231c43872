"""A report as one HTML page that needs nothing else: no network, no script, at most 1 MB.

`render_page` is the page; the other functions give its parts to whoever builds a page of their own. Every
text of a report and of a submission is hostile: Jinja escapes all of it, and the page forbids scripts and
the network as a second lock.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from grader.printable import printable
from grader.records import Audience, SourceText
from grader.report.audience import for_audience
from grader.report.code import Excerpt, Mark, whole
from grader.report.html_checks import Fullness, check_view
from grader.report.html_views import (
    ExerciseView,
    banner,
    exercise_view,
    footer,
    headline,
    note_texts,
    source_views,
)
from grader.report.schema import CheckResult, ExerciseResult, Report

MAX_PAGE_BYTES = 900_000  # of the 1 MB that a page may have; what staff say is added to it
_TEMPLATES = Path(__file__).parent / "templates"
_TICKS = re.compile(r"`([^`\n]{1,300})`")
_LONG = "This page would be too long with everything on it: "
_LESS = (
    Fullness(),
    Fullness(pictures=False, told=f"{_LONG}pictures are left out."),
    Fullness(
        False, False, False, 1000, f"{_LONG}pictures, code and output are left out, long texts are cut."
    ),
    Fullness(False, False, False, 160, f"{_LONG}only the beginning of every text is shown."),
)


@dataclass(frozen=True)
class Page:
    """What the template is filled with."""

    style: Markup
    assignment: str
    headline: str
    submission: str
    when: str
    when_exact: str
    banner: tuple[str, ...]
    exercises: tuple[ExerciseView, ...]
    notes: Sequence[str]
    sources: Sequence[Excerpt]
    footer: Sequence[str]


def render_page(report: Report, audience: Audience, sources: Iterable[SourceText] = ()) -> str:
    """The page for `audience`; a student's holds nothing that `for_audience` leaves out.

    `sources` are the submission's files; lines of a check are shown where the file is among them.
    """
    shown, files = for_audience(report, audience), tuple(sources)
    page = ""
    for full in _LESS:
        page = _render(shown, audience, files, full)
        if len(page.encode()) <= MAX_PAGE_BYTES:
            break
    return page


def _render(report: Report, audience: Audience, sources: Sequence[SourceText], full: Fullness) -> str:
    page = Page(
        style=Markup(stylesheet()),
        assignment=report.assignment.title,
        headline=headline(report),
        submission=report.submission.id,
        when=f"{report.started_at:%d %B %Y, %H:%M %Z}",
        when_exact=report.started_at.isoformat(),
        banner=banner(report, (full.told,) if full.told else ()),
        exercises=tuple(exercise_view(one, sources, audience, full) for one in report.exercises),
        notes=note_texts(report, full.text),
        sources=source_views(report, sources) if full.code else (),
        footer=footer(report, audience),
    )
    return _templates().get_template("page.html.j2").render(page=page)


def render_exercise(
    exercise: ExerciseResult, sources: Iterable[SourceText] = (), audience: Audience = "staff"
) -> Markup:
    """One exercise as a `<section>`; a report for students must have been cut down before."""
    view = exercise_view(exercise, tuple(sources), audience, Fullness())
    return _part("exercise", view)


def render_check(
    check: CheckResult, sources: Iterable[SourceText] = (), audience: Audience = "staff"
) -> Markup:
    """One check as a list item, to be put into `<ul class="gr-checks">`."""
    return _part("check", check_view(check, tuple(sources), audience, Fullness()))


def render_pictures(exercise: ExerciseResult) -> Markup:
    """The pictures of an exercise, or the sentence that says why there are none."""
    return _part("pictures", exercise_view(exercise, (), "staff", Fullness()))


def render_code(source: SourceText, marks: Iterable[Mark] = (), *, slug: str = "") -> Markup:
    """A whole source as a table; with a `slug` line n of its text has the id `slug-Ln`."""
    return _part("code", whole(source, marks), slug)


@lru_cache(maxsize=1)
def stylesheet() -> str:
    """The CSS of all parts, in light, dark and print; every class begins with `gr-`."""
    return (_TEMPLATES / "style.css").read_text("utf-8")


def _part(name: str, *arguments: Any) -> Markup:
    macro = getattr(_templates().get_template("parts.html.j2").module, name)
    return Markup(macro(*arguments))


@lru_cache(maxsize=1)
def _templates() -> Environment:
    made = Environment(
        loader=FileSystemLoader(_TEMPLATES), autoescape=True, undefined=StrictUndefined, auto_reload=False
    )
    made.filters["ticks"] = with_code
    return made


def with_code(text: str) -> Markup:
    """The text with what stands between backticks as `<code>`."""
    escaped = str(escape(printable(text, 20_000)))
    return Markup(_TICKS.sub(r"<code>\1</code>", escaped))
