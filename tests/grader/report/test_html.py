"""The page of a report: what is on it for whom, and that nothing on it is anything but text."""

from __future__ import annotations

import re
from collections import Counter
from html.parser import HTMLParser
from typing import Any

import pytest

from grader.pictures import Curve, Curves, HeatmapRow, Heatmaps
from grader.records import CellLine, SourceText
from grader.report.code import Mark
from grader.report.html import (
    render_check,
    render_code,
    render_exercise,
    render_page,
    render_pictures,
    stylesheet,
)
from grader.report.schema import Report
from grader.report.writing import dump_report, read_report

VOID = frozenset({"meta", "link", "br", "hr", "img", "input"})
HOSTILE = "</style></code><script>alert(1)</script><img src=x onerror=alert(1)> \u202eltr\x1b[31m"
SOURCE = SourceText("alpha", "alpha.py", "import torch\n\nx = x.detach()\n# the end\n")


class Parsed(HTMLParser):
    """Tags, ids and attributes of a page; fails where elements are not nested."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.text = ""
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, text: str) -> None:
        if self.open and self.open[-1] != "style":
            self.text += text

    def values(self, *names: str) -> list[str]:
        return [value for name, value in self.attributes if name in names]


def checked(page: str) -> Parsed:
    """The page, found to be well-formed, self-contained and without a script."""
    parsed = Parsed(page)
    ids = parsed.values("id")
    assert [one for one, count in Counter(ids).items() if count > 1] == []
    named = {part for value in parsed.values("aria-labelledby") for part in value.split()}
    linked = {value[1:] for value in parsed.values("href")}
    assert all(value.startswith("#") for value in parsed.values("href"))
    assert named | linked <= set(ids)
    assert all(value.startswith("data:image/png;base64,") for value in parsed.values("src", "xlink:href"))
    assert not [name for name, _ in parsed.attributes if name.startswith("on")]
    assert not {"script", "iframe", "object", "link", "img"} & set(parsed.tags)
    assert not re.search(r"https?://|@import|url\((?!#)", page)
    assert max(map(ord, page)) < 0xE000
    assert len(page.encode()) <= 1_000_000
    return parsed


def pictured(fields: dict[str, Any], *pictures: Any, **update: Any) -> Report:
    fields["exercises"][0] |= {"pictures": pictures, **update}
    return Report.model_validate(fields)


HEATMAPS = Heatmaps(
    "Weights",
    "Two matrices.",
    (HeatmapRow("a row", ("0.5 nan", "-inf 1e9"), ("0.5 0.5", "1 0"), ("01", "00")),),
)
CURVES = Curves(
    "Curves", "Two.", (Curve("yours", "0 1 2", "1 nan 3"), Curve("expected", "0 1 2", "1 2 3", "expected"))
)  # fmt: skip


def test_page_shows_score_and_every_check_with_its_reason(report: Report) -> None:
    page = checked(render_page(report, "student", [SOURCE]))
    for told in (
        "2 / 10 points", "Alpha", "2 / 6", "The shape is kept.", "passed", "Values match the reference.",
        "failed", "The largest error is 0.3", "off by one. The last valid key is masked.", "no grad",
        "Look at the mask.", "raised an error", "not attempted", "A magic is left out.", "printed by alice",
        "it stops in this line",
    ):  # fmt: skip
        assert told in page.text
    assert page.tags.count("h1") == 1
    assert page.tags.count("main") == 1
    assert ("lang", "en") in page.attributes


def test_failing_line_is_marked_among_its_neighbours(report: Report) -> None:
    page = render_page(report, "student", [SOURCE])
    marked = re.findall(r'<tr class="gr-error">.*?</tr>', page)
    assert "</b> 3</td>" in marked[0]
    assert "detach" in marked[0]
    assert "# the end" in page


def test_line_of_other_code_is_not_marked(report: Report) -> None:
    other = SourceText("alpha", "alpha.py", "a\nb\nc\n")
    page = render_page(report, "student", [other])
    assert 'class="gr-error"' not in page
    assert "x = x.detach()" in checked(page).text  # the report's own word for it stays


def test_lines_of_a_notebook_are_counted_in_their_cell(fields: dict[str, Any]) -> None:
    fields["exercises"][0]["checks"][2]["frames"] = [{"where": "`hw.ipynb` cell 4, line 2", "code": "y = 2"}]
    cells = {1: CellLine(2, 1), 2: CellLine(4, 1), 3: CellLine(4, 2)}
    source = SourceText("hw", "hw.ipynb", "x = 1\nz = 0\ny = 2\n", cells=cells)
    page = checked(render_page(Report.model_validate(fields), "student", [source]))
    excerpt = page.text[page.text.index("hw.ipynb") :]
    assert "Cell 4" in excerpt
    assert "▸ 2" in excerpt
    assert "x = 1" not in excerpt  # another cell's


def test_student_sees_nothing_that_is_for_staff(fields: dict[str, Any]) -> None:
    fields["seed"] = 918273645
    report = Report.model_validate(fields)
    student, staff = (render_page(report, who, [SOURCE]) for who in ("student", "staff"))
    for secret in ("SECRET", "918273645", "isolation"):
        assert secret.lower() not in checked(student).text.lower()
        assert secret.lower() in checked(staff).text.lower()


def test_staff_read_only_what_the_message_does_not_say(fields: dict[str, Any]) -> None:
    example = "came back: [1]\nexpected:  [2]"
    fields["exercises"][0]["checks"][1] |= {"message": f"Off by 1.\n{example}", "staff_message": example}
    page = checked(render_page(Report.model_validate(fields), "staff", [SOURCE]))
    assert page.text.count("came back: [1]") == 1
    assert "For staff:" not in page.text


def test_follow_through_is_said_and_keeps_its_details_from_students(fields: dict[str, Any]) -> None:
    fields["exercises"][0]["follow_through"] = True
    report = Report.model_validate(fields)
    student, staff = (checked(render_page(report, who, [SOURCE])).text for who in ("student", "staff"))
    assert "A mistake counts once" in student
    assert "Details of its checks are not shown" in student
    for hidden in (
        "The largest error is 0.3",
        "it stops in this line",
        "Look at the mask",
        "printed by alice",
        "off by one",
    ):
        assert hidden not in student
        assert hidden in staff


@pytest.mark.parametrize(
    ("status", "score", "headline", "sentence"),
    [
        ("rejected", 0.0, "Not accepted: 0 / 10", "You can fix this and hand it in again."),
        ("needs_regrade", None, "Not graded yet", "costs no points"),
        ("practice", 2.0, "Practice: 2 / 10", "public checks only"),
    ],
)
def test_other_statuses_are_said_in_plain_words(
    fields: dict[str, Any], status: str, score: float | None, headline: str, sentence: str
) -> None:
    fields |= {"status": status, "status_reason": "Because.", "score": score}
    for exercise in fields["exercises"]:
        if status != "practice":
            exercise |= {"checks": [], "score": score}
            exercise["status"] = "unreadable" if status == "rejected" else "needs_regrade"
    page = checked(render_page(Report.model_validate(fields), "student")).text
    assert headline in page
    assert sentence in page


def test_exercise_that_could_not_run_says_why_once_and_names_its_checks(report: Report) -> None:
    page = checked(render_page(report, "student"))
    assert page.text.count("is still as it was handed out.") == 1
    assert "1 check, none could be run" in page.text
    assert "Values match." in page.text


def test_extension_that_nobody_began_is_named_in_the_overview_only(fields: dict[str, Any]) -> None:
    fields["exercises"][1]["track"] = "extension"
    fields["max_score"] = 6.0
    page = checked(render_page(Report.model_validate(fields), "student")).text
    assert page.count("Beta") == 1
    assert "do not count in the total" in page


def test_hostile_text_stays_text_everywhere(fields: dict[str, Any]) -> None:
    alpha = fields["exercises"][0]
    fields["submission"] |= {"id": HOSTILE, "notes": [{"text": HOSTILE, "path": HOSTILE}]}
    fields["assignment"]["title"] = HOSTILE
    alpha |= {"title": HOSTILE, "stdout": HOSTILE, "no_picture": HOSTILE, "source": {"path": "alpha.py"}}
    code = f"x = '{HOSTILE}'\n"
    shown = Report.model_validate(fields).submission.id
    for check in alpha["checks"]:
        check |= {"title": HOSTILE}
        if check["outcome"] != "passed":
            check |= {
                "message": f"`{HOSTILE}`\n{HOSTILE}", "hint": HOSTILE, "staff_message": HOSTILE,
                "diagnosis": {"misconception": HOSTILE, "hint": HOSTILE},
                "frames": [{"where": "`alpha.py` line 1", "code": f"x = '{shown}'"}],
            }  # fmt: skip
    report = Report.model_validate(fields)
    for audience in ("student", "staff"):
        page = render_page(report, audience, [SourceText("alpha", "alpha.py", code)])
        assert "<script>alert(1)</script>" in checked(page).text
        assert "\\u202e" in page
        assert "\\x1b" in page
        assert "it stops in this line" in page


def test_pages_are_the_same_each_time(fields: dict[str, Any]) -> None:
    report = pictured(fields, HEATMAPS, CURVES)
    assert render_page(report, "staff", [SOURCE]) == render_page(report, "staff", [SOURCE])


def test_pictures_are_drawn_with_words_for_who_does_not_see_them(fields: dict[str, Any]) -> None:
    page = render_page(pictured(fields, HEATMAPS, CURVES), "student")
    parsed = checked(page)
    assert parsed.tags.count("svg") == 2
    assert parsed.values("role").count("img") == 2
    assert "Two matrices." in parsed.text
    assert "nan" in parsed.text
    assert "must get no weight" in parsed.text


def test_no_picture_is_one_sentence(fields: dict[str, Any]) -> None:
    page = checked(
        render_page(pictured(fields, no_picture="No picture: the code ends its process."), "student")
    )
    assert "svg" not in page.tags
    assert "No picture: the code ends its process." in page.text


def test_report_with_pictures_is_read_back_as_it_was(fields: dict[str, Any]) -> None:
    report = pictured(fields, HEATMAPS, CURVES)
    assert read_report(dump_report(report, "staff")) == report


def test_page_that_would_be_too_long_leaves_things_out_and_says_so(fields: dict[str, Any]) -> None:
    alpha = fields["exercises"][0]
    failed = alpha["checks"][1]
    many = [{**failed, "id": f"alpha::test_{n}", "score": 0.0, "max_score": 0.0} for n in range(400)]
    alpha["checks"] += [{**one, "message": f"{n} " + "<" * 3000} for n, one in enumerate(many)]
    page = checked(render_page(pictured(fields, HEATMAPS), "staff", [SOURCE]))
    assert "This page would be too long" in page.text
    assert "svg" not in page.tags


def test_long_sources_are_cut_and_shown_plain() -> None:
    text = "\n".join(f"line{n} = '<b>'" for n in range(9000)) + "\n" + "x" * 5000
    code = render_code(SourceText("a", "a.py", text), [Mark(3, "look", "comment")], slug="f1")
    assert "more lines" in code
    assert "<b>" not in code.replace("<b>▸</b>", "")
    assert 'id="f1-L3" class="gr-comment"' in code
    wide = render_code(SourceText("a", "a.py", "y = '" + "é" * 5000 + "'"))
    assert "the line goes on" in wide
    assert len(wide) < 3000


def test_parts_are_the_pages_own(fields: dict[str, Any]) -> None:
    exercise = pictured(fields, CURVES).exercises[0]
    whole = render_exercise(exercise, [SOURCE])
    assert render_pictures(exercise) in whole
    assert "Values match the reference." in render_check(exercise.checks[1])
    assert "SECRET" not in render_check(exercise.checks[1], audience="student")
    assert "prefers-color-scheme: dark" in stylesheet()
    assert "@media print" in stylesheet()
