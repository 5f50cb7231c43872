"""Moodle VPL: standard output of `vpl_execution`, points on the activity's scale.

Every line is a comment line but the last, so no text can be taken for a grade; the marks that VPL looks for
hold angle brackets, which no text of ours keeps. Without a grade line VPL proposes no grade.
"""

from __future__ import annotations

from collections.abc import Iterator

from grader.exports.escaping import without_tags
from grader.exports.fitting import MIB, fit
from grader.exports.points import fraction_of, plain
from grader.exports.request import Rendered, Request
from grader.exports.shown import headline, overview, shown_checks
from grader.exports.targets import ResultFormat, Setting, SettingError

LIMIT_BYTES = MIB
DECIMALS = 2


def render(request: Request) -> Rendered:
    def document(room: int) -> str:
        lines = [f"Comment :=>>{line}" for line in _comments(request, room)]
        if (grade := _grade(request)) is not None:
            lines.append(f"Grade :=>> {grade}")
        return "\n".join(lines) + "\n"

    return Rendered(fit(document, LIMIT_BYTES))


def _comments(request: Request, room: int) -> Iterator[str]:
    """`-` at the start makes a title, `>` preformatted text."""
    first, *rest = overview(request.report).splitlines() or [headline(request.report)]
    yield f"-{without_tags(first)}"
    yield from (f">{without_tags(line)}" for line in rest)
    for check in shown_checks(request.report, request.audience) if room else ():
        lost = None if check.score is None or not check.counts else check.max_score - check.score
        yield f"-{without_tags(check.name)}" + (f" (-{plain(lost)})" if lost else "")
        yield from (f">{without_tags(line)}" for line in check.text[:room].splitlines())


def _grade(request: Request) -> int | float | None:
    report, maximum = request.report, request.number("maximum")
    if report.score is None:
        return None
    if maximum is None:
        return plain(round(report.score, DECIMALS))
    try:
        minimum = float(request.settings["minimum"] or 0)
    except ValueError as err:
        raise SettingError("`minimum` takes a number.") from err
    fraction = fraction_of(report)
    if fraction is None or not minimum < maximum:
        return None
    return plain(round(minimum + fraction * (maximum - minimum), DECIMALS))


FORMAT = ResultFormat(
    "Moodle VPL, what vpl_execution prints",
    render,
    file="-",
    settings=(
        Setting("maximum", "highest grade of the activity", "VPL_GRADEMAX", ""),
        Setting("minimum", "lowest grade of the activity", "VPL_GRADEMIN", ""),
    ),
    is_log=True,
    ends_well=True,
)
