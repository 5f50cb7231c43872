"""`grade submit --html`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from grader.errors import HarnessError, SubmissionError


def test_page_in_the_current_folder_beside_the_result(grade: Any, pipeline: Any, course: Path) -> None:
    ended = grade("submit", "solutions", "--html")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.endswith("Result: results.json\nPage: results.html\n")
    page = (course / "results.html").read_text("utf-8")
    assert page.startswith("<!doctype html>")
    assert "6 / 10 points" in page
    assert pipeline.calls[0][2].pictures is True


def test_page_where_the_user_says(grade: Any, course: Path) -> None:
    ended = grade("submit", "solutions", "--html", "mine.html", "-o", "-", "-q")
    assert ended.out.startswith("{")
    assert ended.out.endswith("}\n")
    assert "6 / 10 points" in (course / "mine.html").read_text("utf-8")
    assert not (course / "results.html").exists()


def test_without_it_no_picture_is_asked_for_and_nothing_is_drawn(
    grade: Any, pipeline: Any, course: Path
) -> None:
    assert grade("submit", "solutions").code == 0
    assert pipeline.calls[0][2].pictures is False
    assert not (course / "results.html").exists()


def test_page_is_for_whom_the_result_is(grade: Any, course: Path) -> None:
    grade("submit", "solutions", "--html", "--audience", "student")
    assert "For staff." not in (course / "results.html").read_text("utf-8")
    grade("submit", "solutions", "--html")
    assert "For staff." in (course / "results.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("error", "code", "headline"),
    [
        (SubmissionError("Nothing is in it."), 0, "Not accepted"),
        (HarnessError("Broken."), 3, "Not graded yet"),
    ],
)
def test_page_says_when_there_is_no_grade(
    grade: Any, pipeline: Any, course: Path, error: Exception, code: int, headline: str
) -> None:
    def answer(assignment: Any) -> Any:
        raise error

    pipeline.answer = answer
    assert grade("submit", "solutions", "--html").code == code
    page = (course / "results.html").read_text("utf-8")
    assert headline in page
    assert str(error) in page


def test_older_page_does_not_pass_for_one_of_a_run_that_failed(
    grade: Any, pipeline: Any, course: Path
) -> None:
    def answer(assignment: Any) -> Any:
        raise RuntimeError("ours")

    (course / "results.html").write_text("old")
    pipeline.answer = answer
    assert grade("submit", "solutions", "--html").code != 0
    assert not (course / "results.html").exists()


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--html", "homework.py"], "`homework.py` is code or an archive and would be overwritten"),
        (["--html", "solutions"], "`solutions` is a folder; --html takes a file."),
        (["--html", "no/page.html"], "`no/page.html` cannot be written: there is no folder `no`."),
        (["--html", "-"], "`--html` takes a file; standard output is for `-o -`."),
        (["--html", "a.json", "-o", "a.json"], "`a.json` is where the result goes"),
    ],
)
def test_page_takes_no_other_files_place(
    grade: Any, pipeline: Any, course: Path, arguments: list[str], complaint: str
) -> None:
    ended = grade("submit", "solutions", *arguments)
    assert ended.code == 2
    assert complaint in ended.err
    assert (pipeline.calls, (course / "homework.py").read_text()) == ([], "")


def test_option_before_the_submission_is_explained(grade: Any, pipeline: Any) -> None:
    ended = grade("submit", "--html", "solutions")
    assert (ended.code, pipeline.calls) == (2, [])
    assert "`--html` takes `solutions` as the page's file. Name the submission first" in ended.err


def test_command_starts_without_what_pages_need() -> None:
    code = "import sys, grader.cli.submit, grader.cli.batch; print(sorted(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    for heavy in ("torch", "matplotlib", "jinja2", "pygments", "numpy"):
        assert f"'{heavy}'" not in loaded
