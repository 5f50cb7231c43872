from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from grader.errors import AssignmentError, HarnessError, IsolationError, SubmissionError
from grader.report.schema import report_json_schema
from grader.score import needs_regrade_report


def _results(folder: Path) -> Any:
    fields = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    jsonschema.validate(fields, report_json_schema())
    return fields


def _raise(error: BaseException) -> Any:
    def answer(assignment: Any) -> Any:
        raise error

    return answer


def test_table_on_screen_and_results_in_the_current_folder(grade: Any, course: Path) -> None:
    ended = grade("submit", "solutions")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.endswith("Total 6 / 10\nResult: results.json\n")
    assert _results(course)["score"] == 6.0


def test_options_reach_the_pipeline(grade: Any, pipeline: Any, course: Path) -> None:
    grade(
        "submit",
        "homework.py",
        *("--exercise", "positional_encoding", "--exercise", "masked_softmax"),
        *("--seed", "42", "--device", "cpu", "--isolation", "process"),
    )
    path, assignment, options = pipeline.calls[0]
    assert (path, assignment.root) == (Path("homework.py"), course.resolve())
    assert (options.seed, options.device, options.isolation) == (42, "cpu", "process")
    assert options.exercises == ("positional_encoding", "masked_softmax")


def test_seed_is_left_to_the_pipeline_unless_given(grade: Any, pipeline: Any) -> None:
    grade("submit", "solutions")
    options = pipeline.calls[0][2]
    assert (options.seed, options.device, options.isolation, options.exercises) == (None, "auto", "auto", ())


def test_dash_prints_only_json_on_standard_output(grade: Any, course: Path) -> None:
    ended = grade("submit", "solutions", "-o", "-", "-v")
    assert json.loads(ended.out)["score"] == 6.0
    assert "\nTotal 6 / 10\n" in ended.err
    assert "Result:" not in ended.err
    assert not (course / "results.json").exists()


def test_quiet_prints_nothing_but_writes_the_result(grade: Any, course: Path) -> None:
    ended = grade("submit", "solutions", "-q", "-o", "mine.json")
    assert (ended.code, ended.out, ended.err) == (0, "", "")
    assert json.loads((course / "mine.json").read_text())["score"] == 6.0


def test_verbose_says_where_the_time_went(grade: Any) -> None:
    assert "Where the time went" in grade("submit", "solutions", "-v").out


def test_student_audience_leaves_out_staff_text_in_table_and_result(grade: Any, course: Path) -> None:
    ended = grade("submit", "solutions", "--audience", "student")
    assert "For staff." not in ended.out + (course / "results.json").read_text()
    assert "For staff." in grade("submit", "solutions").out


@pytest.mark.parametrize(("threshold", "code"), [("6", 0), ("6.01", 1), ("-1", 0)])
def test_fail_under_ends_with_one_only_below(grade: Any, threshold: str, code: int) -> None:
    assert grade("submit", "solutions", "--fail-under", threshold).code == code


def test_assignment_may_be_named(
    grade: Any, pipeline: Any, course: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (course / "elsewhere").mkdir()
    (course / "exercises").rename(course / "elsewhere" / "exercises")
    assert grade("submit", "solutions", "--assignment", "elsewhere").code == 0
    monkeypatch.setenv("GRADE_ASSIGNMENT", str(course / "elsewhere"))
    assert grade("submit", "solutions").code == 0
    assert {call[1].root for call in pipeline.calls} == {(course / "elsewhere").resolve()}


def test_missing_assignment_is_wrong_usage_and_touches_nothing(grade: Any, course: Path) -> None:
    (course / "exercises" / "assignment.toml").unlink()
    (course / "results.json").write_text("old")
    ended = grade("submit", "solutions")
    assert (ended.code, ended.err.count("\n")) == (2, 1)
    assert ended.err.startswith(
        f"grade: No assignment found: neither `{course.resolve()}` nor a folder above"
    )
    named = grade("submit", "solutions", "--assignment", "solutions")
    assert (named.code, "`solutions` is not an assignment" in named.err) == (2, True)
    assert (course / "results.json").read_text() == "old"


def test_broken_assignment_ends_with_three_and_no_older_result_stays(grade: Any, course: Path) -> None:
    (course / "exercises" / "assignment.toml").write_text("id = 1")
    (course / "results.json").write_text("old")
    assert grade("submit", "solutions").code == 3
    assert not (course / "results.json").exists()


@pytest.mark.parametrize(
    ("path", "output"),
    [
        ("homework.py", "homework.py"),
        ("homework.py", "link.json"),
        ("solutions", "solutions/masked_softmax.py"),
        ("solutions", "solutions/new.IPYNB"),
        ("solutions", "solutions/../solutions/a.tar.gz"),
        ("bare", "bare"),
    ],
)
def test_result_never_takes_the_place_of_the_submission(
    grade: Any, pipeline: Any, course: Path, path: str, output: str
) -> None:
    (course / "solutions" / "masked_softmax.py").write_text("mine")
    (course / "bare").write_text("mine")
    (course / "link.json").symlink_to("homework.py")
    ended = grade("submit", path, "-o", output)
    said = f"grade: `{output}` is part of the submission and would be overwritten; name another file.\n"
    assert (ended.code, ended.err, pipeline.calls) == (2, said, [])
    assert (course / "solutions" / "masked_softmax.py").read_text() == "mine"


def test_result_never_takes_the_place_of_any_code_or_archive(grade: Any, pipeline: Any, course: Path) -> None:
    for name in ("other.py", "other.ipynb", "other.zip"):
        (course / name).write_text("mine")
        assert grade("submit", "homework.py", "-o", name).code == 2
        assert (course / name).read_text() == "mine"
    assert pipeline.calls == []
    assert grade("submit", "solutions", "-o", "solutions/results.json").code == 0


def test_unreadable_submission_is_rejected_and_ends_with_zero(
    grade: Any, pipeline: Any, course: Path
) -> None:
    pipeline.answer = _raise(SubmissionError("`homework.py` is empty.", hint="Save it first."))
    ended = grade("submit", "homework.py")
    assert (ended.code, ended.err) == (0, "")
    assert "Rejected: `homework.py` is empty. Save it first.\nTotal 0 / 10\n" in ended.out
    results = _results(course)
    assert (results["status"], results["score"]) == ("rejected", 0.0)
    assert results["submission"]["id"] == "homework.py"


def test_rejected_submission_is_below_any_threshold(grade: Any, pipeline: Any) -> None:
    pipeline.answer = _raise(SubmissionError("No."))
    assert grade("submit", "homework.py", "--fail-under", "1").code == 1


@pytest.mark.parametrize("error", [HarnessError, IsolationError, AssignmentError])
def test_failure_that_is_not_the_students_ends_with_three_and_no_score(
    grade: Any, pipeline: Any, course: Path, error: type[HarnessError]
) -> None:
    pipeline.answer = _raise(error("It broke.", hint="Try again."))
    ended = grade("submit", "solutions", "--fail-under", "1", "--seed", "5")
    assert ended.code == 3
    assert ended.out.endswith(
        "Needs regrade: It broke. Try again.\nTotal not known: needs regrade\nResult: results.json\n"
    )
    results = _results(course)
    assert (results["status"], results["score"], results["seed"]) == ("needs_regrade", None, 5)


def test_report_that_needs_a_regrade_ends_with_three_even_when_quiet(grade: Any, pipeline: Any) -> None:
    pipeline.answer = lambda assignment: needs_regrade_report(assignment, "The judge died.")
    ended = grade("submit", "solutions", "-q")
    assert (ended.code, ended.out, ended.err) == (3, "", "grade: not graded: The judge died.\n")


def test_bug_of_ours_ends_with_three_and_not_like_a_low_score(
    grade: Any, pipeline: Any, course: Path
) -> None:
    pipeline.answer = _raise(ZeroDivisionError("oops"))
    (course / "results.json").write_text("old")
    ended = grade("submit", "solutions")
    assert ended.code == 3
    assert not (course / "results.json").exists()
    assert ended.err.endswith("grade: the grader itself failed: ZeroDivisionError: oops\n")


def test_interrupt_is_one_line_and_writes_nothing(grade: Any, pipeline: Any, course: Path) -> None:
    pipeline.answer = _raise(KeyboardInterrupt())
    before = sorted(course.iterdir())
    ended = grade("submit", "solutions")
    assert (ended.code, ended.out, ended.err) == (130, "", "grade: interrupted; nothing was written.\n")
    assert sorted(course.iterdir()) == before


def test_real_interrupt_signal_is_one_line_too(course: Path) -> None:
    code = (
        "import sys, os, signal, grader.pipeline\n"
        "from grader.__main__ import main\n"
        "def stop(*arguments): os.kill(os.getpid(), signal.SIGINT); signal.pause()\n"
        "grader.pipeline.grade_submission = stop\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "sys.exit(main(['submit', 'solutions']))\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert (ended.returncode, ended.stdout) == (128 + signal.SIGINT, "")
    assert ended.stderr == "grade: interrupted; nothing was written.\n"


def test_full_disk_is_said_and_leaves_nothing(
    grade: Any, course: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    before = sorted(course.iterdir())
    (course / "results.json").write_text("old")
    monkeypatch.setattr(os, "fsync", refuse)
    ended = grade("submit", "solutions")
    assert ended.code == 3
    assert ended.err == (
        "grade: `results.json` cannot be written: No space left on device. Name another file with -o.\n"
    )
    assert sorted(course.iterdir()) == before
