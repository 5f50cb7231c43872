"""`grade convert` and `grade export`, and what `grade submit --format` adds."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import grader.pipeline
from grader.cli._results import choose_delivery
from grader.report.schema import Report


@pytest.fixture
def stored(tmp_path: Path, reports: dict[str, Report]) -> Path:
    for name, report in reports.items():
        (tmp_path / f"{name}.json").write_text(report.model_dump_json())
    return tmp_path


def test_convert_prints_the_document(stored: Path, grade: Any) -> None:
    code, out, err = grade("convert", "full.json", "--format", "gradescope")
    assert (code, err) == (0, "")
    assert json.loads(out)["score"] == 5
    code, out, _ = grade("convert", "full.json", "--format", "codio", "-o", "form.txt")
    assert (code, out) == (0, "")
    assert (stored / "form.txt").read_text().startswith("grade=100&")


def test_settings_come_from_options_and_then_the_environment(
    stored: Path, grade: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VPL_GRADEMAX", "10")
    assert grade("convert", "full.json", "--format", "vpl")[1].endswith("Grade :=>> 10\n")
    _, out, _ = grade("convert", "full.json", "--format", "vpl", "--with", "maximum=4")
    assert out.endswith("Grade :=>> 4\n")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--format", "gradscope"], "Did you mean `gradescope`?"),
        (["--format", "lti-ags"], "--with user="),
        (["--format", "vpl", "--with", "maximum"], "takes NAME=VALUE"),
        (["--format", "vpl", "--with", "maximum=nan"], "a number above zero"),
        (["--format", "vpl", "--with", "max=1"], "There is no setting `max`"),
    ],
)
def test_wrong_usage_is_one_line(arguments: list[str], complaint: str, stored: Path, grade: Any) -> None:
    code, out, err = grade("convert", "full.json", *arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert complaint in err


def test_what_is_no_result_is_refused(stored: Path, grade: Any) -> None:
    (stored / "other.json").write_text("{}")
    code, _, err = grade("convert", "other.json", "--format", "junit")
    assert code == 2
    assert "is no results.json" in err


def test_without_a_document_the_old_one_goes_and_the_exit_code_says_so(stored: Path, grade: Any) -> None:
    old = stored / "feedback.json"
    old.write_text('{"fractionalScore": 1, "feedback": ""}')
    code, out, err = grade("convert", "needs regrade.json", "--format", "coursera", "-o", "feedback.json")
    assert (code, out) == (3, "")
    assert "nothing is written for coursera" in err
    assert not old.exists()


@pytest.mark.parametrize(("name", "code"), [("prairielearn", 0), ("junit", 3), ("autolab", 0), ("json", 3)])
def test_exit_code_is_the_one_with_which_the_platform_keeps_the_document(
    name: str, code: int, stored: Path, grade: Any
) -> None:
    assert grade("convert", "needs regrade.json", "--format", name)[0] == code


def test_names_are_found_without_importing_a_target() -> None:
    script = (
        "import sys; from grader.__main__ import main; main(['--help']);"
        "print([m for m in sys.modules if m.startswith('grader.exports.') and m != 'grader.exports.targets'])"
    )
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ended.stdout.rstrip().endswith("[]")


def test_submit_writes_only_the_document_where_all_output_is_read(
    stored: Path, grade: Any, reports: dict[str, Report], monkeypatch: pytest.MonkeyPatch
) -> None:
    (stored / "exercises").mkdir()
    (stored / "exercises" / "assignment.toml").write_text(
        'id = "tiny"\ntitle = "T"\n[[exercises]]\nstem = "a"\ntitle = "A"\npoints = 1\nsymbols = ["a"]\n'
    )
    (stored / "hw").mkdir()
    result = grader.pipeline.GradeResult(report=reports["graded"])
    monkeypatch.setattr(grader.pipeline, "grade_submission", lambda *_: result)
    code, out, err = grade("submit", "hw", "--format", "github")
    assert (code, err) == (0, "")
    assert all(line.startswith("::") for line in out.splitlines())
    assert "file=hw/alpha.py" in out
    code, out, err = grade("submit", "hw", "--format", "gradescope")
    assert "Total" in out
    assert "SECRET-INPUT" not in (stored / "results.json").read_text()


def test_every_format_has_a_place_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert choose_delivery("junit", {}, None, None).output == "junit.xml"
    assert choose_delivery("json", {}, None, None).audience == "staff"
    assert choose_delivery("gradescope", {}, None, None).audience == "student"


def test_export_needs_a_batch(grade: Any, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    code, _, err = grade("export", "canvas", "empty")
    assert code == 2
    assert "holds no batch" in err
    assert "Did you mean `canvas`" in grade("export", "canvs", "empty")[2]
    assert os.listdir(tmp_path / "empty") == []
