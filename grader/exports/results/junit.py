"""JUnit XML: a suite per exercise, a case per check. Points are properties; there is no score in JUnit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from xml.etree import ElementTree as ET

from grader.exports.escaping import for_xml
from grader.exports.fitting import cut
from grader.exports.request import Rendered, Request
from grader.exports.shown import Shown, headline, shown_checks
from grader.exports.targets import ResultFormat
from grader.report.schema import Report
from grader.report.wording import points_text

TEXT_CHARACTERS = 8192


def render(request: Request) -> Rendered:
    report = request.report
    root = ET.Element("testsuites", {"name": for_xml(report.assignment.title)})
    checks = list(shown_checks(report, request.audience, has_skipped=True))
    for exercise in report.exercises:
        suite = ET.SubElement(root, "testsuite", {"name": for_xml(exercise.stem)})
        own = [check for check in checks if check.stem == exercise.stem]
        _count(suite, own)
        suite.set("timestamp", report.started_at.isoformat(timespec="seconds"))
        _add_properties(suite, {"score": exercise.score, "max_score": exercise.max_score})
        for check in own:
            _add_case(suite, check)
        if exercise.stdout and request.audience == "staff":
            ET.SubElement(suite, "system-out").text = for_xml(exercise.stdout)
    _count(root, checks)
    if not report.exercises:
        _add_empty_suite(root, report)
    ET.indent(root)
    return Rendered('<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n")


def _add_empty_suite(root: ET.Element, report: Report) -> None:
    """Some readers refuse a file without any suite."""
    suite = ET.SubElement(root, "testsuite", {"name": for_xml(report.assignment.id)})
    _count(suite, ())
    _add_properties(suite, {"score": report.score, "max_score": report.max_score})
    ET.SubElement(suite, "system-out").text = for_xml(headline(report))


def _count(element: ET.Element, checks: Sequence[Shown]) -> None:
    counts = Counter(check.verdict for check in checks)
    element.set("tests", str(counts.total()))
    element.set("failures", str(counts["failed"]))
    element.set("errors", str(counts["error"]))
    element.set("skipped", str(counts["skipped"]))
    element.set("time", f"{sum(check.duration_s for check in checks):.3f}")


def _add_properties(element: ET.Element, values: dict[str, float | None]) -> None:
    known = {name: value for name, value in values.items() if value is not None}
    properties = ET.SubElement(element, "properties") if known else element
    for name, value in known.items():
        ET.SubElement(properties, "property", {"name": name, "value": points_text(value)})


def _add_case(suite: ET.Element, check: Shown) -> None:
    case = ET.SubElement(
        suite,
        "testcase",
        {"classname": for_xml(check.stem), "name": for_xml(check.title), "time": f"{check.duration_s:.3f}"},
    )
    if check.places or check.path:
        case.set("file", for_xml(check.places[-1].path if check.places else check.path))
    if check.places and check.places[-1].cell is None:
        case.set("line", str(check.places[-1].line))
    if check.passed:
        return
    text = for_xml(cut(check.text, TEXT_CHARACTERS))
    first = text.partition("\n")[0]
    if check.verdict == "skipped":
        ET.SubElement(case, "skipped", {"message": first}).text = text
        return
    kind = "error" if check.verdict == "error" else "failure"
    ET.SubElement(case, kind, {"message": first, "type": check.outcome}).text = text


FORMAT = ResultFormat("JUnit XML", render, file="junit.xml")
