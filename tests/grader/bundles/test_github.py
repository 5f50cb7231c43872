"""The GitHub workflows: their YAML, and their last step run in a scratch workspace."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from grader.bundles.github import STUDENT, attempt_in
from grader.bundles.tree import load_bundle
from grader.catalog import Assignment


@pytest.mark.parametrize(("factor", "score"), [("2", 2), ("3", 0)])
def test_right_and_wrong_code_get_their_points(factor: str, score: int, attempt: Any, root: Path) -> None:
    trial = attempt("github", f"def double(x):\n    return x * {factor}\n")
    assert trial.document.startswith(f"::notice title=Result::Score: {score} / 2\n")
    assert f"\nscore={score}\n" in (root / "output.txt").read_text()
    assert "A small assignment" in (root / "summary.md").read_text()
    if score == 0:
        assert "file=submission/double.py" in trial.document


def test_hostile_code_reads_no_source_and_prints_no_command(attempt: Any, hostile: Any, root: Path) -> None:
    targets = [root / "output.txt", root / "summary.md", root / "workspace" / "x"]
    trial = attempt("github", hostile(*targets) + "\nprint('::error::owned')\n")
    assert trial.document.startswith("::notice title=Result::Score: 0 / 2\n")
    assert "owned" not in trial.document
    assert not (root / "workspace" / "x").exists()
    assert "\nscore=0\n" in (root / "output.txt").read_text()


def test_students_get_the_public_checks_and_no_staff_part(
    course: Assignment, tmp_path: Path, root: Path, without_namespaces: None
) -> None:
    files = load_bundle("github").files(course)
    handed = [file for file in files if file.path.startswith("student/")]
    assert not any("hidden" in file.path or "/solutions/" in file.path for file in handed)
    assert not any(b"SECRET-REFERENCE" in file.content for file in handed)
    submission = tmp_path / "double.py"
    submission.write_text("def double(x):\n    return x * 2\n")
    trial = attempt_in(STUDENT, files, submission, root)
    assert trial.document is not None
    assert "Practice score (public checks only)" in trial.document


def test_a_handout_gives_the_students_workflow_only(build: Any, exercise_type: Any) -> None:
    course = build(double=exercise_type(reference="", public="def test_x(): ..."))
    files = load_bundle("github").files(course)
    assert {file.path.split("/")[0] for file in files} == {"student"}


def test_workflows_give_student_code_no_rights(course: Assignment) -> None:
    files = {file.path: file.content for file in load_bundle("github").files(course, {"path": "hw 3"})}
    for name, trigger in (("student", "push"), ("staff", "workflow_dispatch")):
        text = files[f"{name}/.github/workflows/grade.yml"].decode()
        workflow = yaml.safe_load(text)
        assert trigger in workflow[True]  # YAML reads `on` as a boolean
        assert workflow["permissions"] == {"contents": "read"}
        steps = workflow["jobs"]["grade"]["steps"]
        checkouts = [step for step in steps if "checkout" in step.get("uses", "")]
        assert all(step["with"]["persist-credentials"] is False for step in checkouts)
        # An expression in a command would let an input act as a command.
        assert not any("${{" in step.get("run", "") for step in steps)
    assert "submission='submission/hw 3'" in files["staff/.github/grader/run.sh"].decode()
