"""What `check` and `see` give back in a notebook: a small table and pictures; plain text elsewhere.

All text is escaped; colours are few and read on light and dark.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from html import escape

from grader.pictures import Picture
from grader.practice.page import Page
from grader.practice.standing import Standing, is_done, passed, to_fix
from grader.report.schema import CheckResult, ExerciseResult
from grader.report.wording import OUTCOME_SENTENCES, OUTCOME_WORDS

_GREEN, _RED, _AMBER = "#1a7f37", "#cf222e", "#9a6700"
_CELL = "text-align:left;vertical-align:top;padding:2px 10px 2px 0"
_PRE = "margin:2px 0 2px 0;white-space:pre-wrap;font-size:90%"


@dataclass(frozen=True)
class Verdicts:
    """The results of some exercises, or in `problem` a sentence why there are none."""

    standing: Standing | None = None
    problem: str = ""

    def __repr__(self) -> str:
        if self.standing is None:
            return self.problem
        stream = io.StringIO()
        page = Page(stream, hints=True)
        for result in self.standing.exercises:
            page.show_exercise(self.standing, result)
            page.say(_total(result))
        return "\n".join(line.rstrip() for line in stream.getvalue().strip("\n").split("\n"))

    def _repr_html_(self) -> str:
        if self.standing is None:
            return f'<p style="color:{_AMBER}">{escape(self.problem)}</p>'
        return "".join(_exercise(self.standing, result) for result in self.standing.exercises)


@dataclass(frozen=True)
class Pictures:
    """Pictures of some exercises, and sentences on those that there are none of."""

    pictures: tuple[Picture, ...] = ()
    problems: tuple[str, ...] = ()

    def __repr__(self) -> str:
        told = [f"{picture.title}: {picture.alt} {picture.summary}".strip() for picture in self.pictures]
        return "\n".join([*told, *self.problems])

    def _repr_html_(self) -> str:
        from grader.report.pictures import figure

        drawn = [figure(picture) for picture in self.pictures]
        return "".join([*drawn, *(f'<p style="color:{_AMBER}">{escape(text)}</p>' for text in self.problems)])


def _total(result: ExerciseResult) -> str:
    return f"{passed(result.checks)} of {len(result.checks)} checks pass"


def _exercise(standing: Standing, result: ExerciseResult) -> str:
    colour = _GREEN if is_done(result) else _RED
    title = f'<b>{escape(result.title)}</b>: <span style="color:{colour}">{_total(result)}</span>'
    first = to_fix(result)[0].id if to_fix(result) else ""
    rows = "".join(_row(check, is_first=check.id == first) for check in result.checks)
    way = "".join(
        f"<p>It builds on <code>{escape(other.stem)}</code>, which does not pass yet: look there first.</p>"
        for other in standing.in_the_way(result)
    )
    output = ""
    if result.stdout:
        output = f'<p>Printed by your code:</p><pre style="{_PRE}">{escape(result.stdout)}</pre>'
    return f'<div>{title}{way}<table style="border-collapse:collapse">{rows}</table>{output}</div>'


def _row(check: CheckResult, *, is_first: bool) -> str:
    """A line; the first that fails has its reason, with the hint folded away."""
    sign, colour = ("✓", _GREEN) if check.outcome == "passed" else ("✗", _RED)
    said = escape(check.title)
    if check.outcome != "passed":
        said += f" <i>({OUTCOME_WORDS[check.outcome]})</i>"
    if is_first:
        said += _reason(check)
    return f'<tr><td style="{_CELL};color:{colour}">{sign}</td><td style="{_CELL}">{said}</td></tr>'


def _reason(check: CheckResult) -> str:
    lines = [check.message or OUTCOME_SENTENCES[check.outcome]]
    lines += [f"    {frame.where}: {frame.code}" for frame in check.frames]
    reason = f'<pre style="{_PRE}">{escape(chr(10).join(lines))}</pre>'
    if check.hint:
        reason += f"<details><summary>Hint</summary>{escape(check.hint)}</details>"
    return reason
