"""Looking at what a submission computes: after all checks, in a worker of its own, and it decides nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from grader.errors import AssignmentError
from grader.pictures import Heatmaps
from grader.report.schema import Report

LIMITS = {"import_cpu_s": 1, "call_cpu_s": 1, "wall_factor": 60}
REFERENCE = "import torch\n\n\ndef {0}(X):\n    return 2 * X\n"
SUITE = """
    import pytest
    from grader.suite import require

    @pytest.mark.points(2)
    def test_values(student, reference, tensors, assert_close):
        \"\"\"Values match.\"\"\"
        X = tensors.randn(2, 3)
        assert_close(student.{0}(X.clone()), reference.{0}(X), like=X)
"""
LOOK = """
    import torch
    from grader.suite.pictures import heatmaps, row

    def look(student, reference=None):
        X = torch.arange(4.0).reshape(2, 2)
        expected = None if reference is None else reference.{0}(X)
        return [heatmaps("Doubled", "A matrix.", [row("X", student.{0}(X), expected)])]
"""
USER = """
    import torch
    from one import one

    def two(X):
        return one(X)
"""


@pytest.fixture(scope="module")
def grader(start_grader: Any, exercise_type: Any, tmp_path_factory: Any) -> Iterator[Any]:
    root = tmp_path_factory.mktemp("looking")
    for stem in ("one", "two"):
        path = root / "tests" / "public" / "see" / f"{stem}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(line[4:] for line in LOOK.format(stem).splitlines()), "utf-8")
    started = start_grader(
        root,
        LIMITS,
        {
            "one": exercise_type(REFERENCE.format("one"), hidden=SUITE.format("one")),
            "two": exercise_type(REFERENCE.format("two"), hidden=SUITE.format("two"), uses=("one",)),
        },
    )
    yield started
    started.host.close()


def look(grader: Any, folder: Path, one: str, two: str = REFERENCE.format("two")) -> Mapping[str, Any]:
    """The exercises of a run with pictures; its outcomes are those of one without."""
    submission = grader.load(folder, {"one.py": one, "two.py": two})
    runs = [
        grader.host.judge(submission, seed=7, device="cpu", exercises=(), pictures=pictures)
        for pictures in (False, True)
    ]
    bare, seen = ([(t["nodeid"], _ending(t)) for t in run.pytest_report["tests"]] for run in runs)
    assert bare == seen
    for without in runs[0].exercises.values():
        assert (without.pictures, without.no_picture) == ((), "")
    assert [run.stdout for run in runs[0].exercises.values()] == [
        r.stdout for r in runs[1].exercises.values()
    ]
    return runs[1].exercises


def _ending(test: Mapping[str, Any]) -> tuple[Any, ...]:
    record = test["metadata"]["check"]
    return record["outcome"], record["message"], record["points"]


def test_right_code_is_shown_as_expected(grader: Any, tmp_path: Path) -> None:
    runs = look(grader, tmp_path, REFERENCE.format("one"))
    (picture,) = runs["one"].pictures
    assert isinstance(picture, Heatmaps)
    assert picture.rows[0].student == ("0 2", "4 6")
    assert picture.rows[0].is_same
    assert runs["two"].pictures == runs["one"].pictures


def test_wrong_code_is_shown_beside_what_is_expected(grader: Any, tmp_path: Path) -> None:
    runs = look(grader, tmp_path, "import torch\nprint('hello')\n\n\ndef one(X):\n    return X / (X - 1)\n")
    (picture,) = runs["one"].pictures
    assert picture.rows[0].student == ("0 inf", "2 1.5")
    assert picture.rows[0].expected == ("0 2", "4 6")


def test_follow_through_shows_the_students_own_code(grader: Any, tmp_path: Path) -> None:
    runs = look(grader, tmp_path, "def one(X):\n    return 3 * X\n", USER)
    assert runs["two"].follow_through is True
    (picture,) = runs["two"].pictures
    assert picture.rows[0].student == ("0 3", "6 9")


def test_no_input_of_a_hidden_check_reaches_a_picture(grader: Any, tmp_path: Path) -> None:
    keeps = """
        import torch

        seen = []

        def one(X):
            seen.append(X.clone())
            return seen[0][:2, :2]
        """
    (picture,) = look(grader, tmp_path, keeps)["one"].pictures
    assert picture.rows[0].student == ("0 1", "2 3")  # its own input, the first that this worker saw


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("import os; os._exit(0)", "No picture: the code ends its process."),
        ("raise ValueError('SECRET')", "No picture: the code raises an error on the example."),
        ("while True: pass", "No picture: the code does not finish on the example."),
        ("return 'text'", "No picture: X is not a tensor."),
        ("return X[:1]", "No picture: X has the shape (1, 2), expected (2, 2)."),
        ("return X.expand(10**6, 2, 2)", "No picture: "),
    ],
)
def test_whatever_goes_wrong_costs_the_picture_only(
    grader: Any, tmp_path: Path, body: str, sentence: str
) -> None:
    runs = look(grader, tmp_path, f"def one(X):\n    {body}\n")
    assert runs["one"].pictures == ()
    assert runs["one"].no_picture.startswith(sentence)
    assert runs["two"].pictures != ()


def test_code_that_does_not_import_is_not_run_again(grader: Any, tmp_path: Path) -> None:
    runs = look(grader, tmp_path, "import torch\nraise RuntimeError('no')\n\n\ndef one(X):\n    return X\n")
    assert len(runs["one"].pictures) == 1  # its definitions do
    runs = look(grader, tmp_path / "worse", "def one(X=1 / 0):\n    return X\n")
    assert runs["one"].no_picture == "No picture: the code does not get as far as being imported."


def test_report_holds_the_pictures(grader: Any, tmp_path: Path) -> None:
    from datetime import datetime, timezone

    from grader.score import score_run

    submission = grader.load(tmp_path, {"one.py": REFERENCE.format("one"), "two.py": USER})
    run = grader.host.judge(submission, seed=7, device="cpu", exercises=(), pictures=True)
    report = score_run(
        grader.assignment, submission, run, seed=7, started_at=datetime.now(timezone.utc), duration_s=0.0
    )
    assert Report.model_validate_json(report.model_dump_json()) == report
    assert report.exercises[0].pictures == run.exercises["one"].pictures


def test_broken_look_stops_who_wants_pictures_and_nobody_else(
    start_grader: Any, exercise_type: Any, tmp_path: Path
) -> None:
    path = tmp_path / "course" / "tests" / "public" / "see" / "one.py"
    path.parent.mkdir(parents=True)
    path.write_text("def look(student, reference=None):\n    return student.one('text', 1)\n", "utf-8")
    exercise = exercise_type(REFERENCE.format("one"), hidden=SUITE.format("one"))
    started = start_grader(tmp_path / "course", LIMITS, {"one": exercise})
    try:
        submission = started.load(tmp_path / "in", {"one.py": REFERENCE.format("one")})
        assert started.run(submission).exercises["one"].no_picture == ""
        with pytest.raises(AssignmentError, match="fails on the reference: TypeError"):
            started.host.judge(submission, seed=7, device="cpu", exercises=(), pictures=True)
    finally:
        started.host.close()
