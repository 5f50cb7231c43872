"""What a save touches."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from grader.catalog import Assignment, read_assignment
from grader.load import load_submission
from grader.practice.changes import batches
from grader.records import Submission


@pytest.fixture
def assignment(handout: Path, right: Mapping[str, str]) -> Assignment:
    for stem, text in right.items():
        (handout / "exercises" / f"{stem}.py").write_text(text, "utf-8")
    return read_assignment(handout)


def load(assignment: Assignment, path: str = "exercises") -> Submission:
    return load_submission(assignment.root / path, assignment)


def test_first_look_checks_everything(assignment: Assignment) -> None:
    assert batches(assignment, None, load(assignment)) == (("twice", "fourfold"),)


def test_save_without_a_change_checks_nothing(assignment: Assignment) -> None:
    assert batches(assignment, load(assignment), load(assignment)) == ()


def test_what_builds_on_a_changed_exercise_comes_second(assignment: Assignment) -> None:
    before = load(assignment)
    (assignment.root / "exercises" / "twice.py").write_text("def twice(X):\n    return X\n", "utf-8")
    assert batches(assignment, before, load(assignment)) == (("twice",), ("fourfold",))


def test_exercise_on_which_nothing_builds_is_checked_alone(assignment: Assignment) -> None:
    before = load(assignment)
    (assignment.root / "exercises" / "fourfold.py").write_text("def fourfold(X):\n    return X\n", "utf-8")
    assert batches(assignment, before, load(assignment)) == (("fourfold",),)


def test_changed_file_that_any_may_import_touches_all(assignment: Assignment) -> None:
    before = load(assignment)
    (assignment.root / "exercises" / "common.py").write_text("TWO = 2\n", "utf-8")
    assert batches(assignment, before, load(assignment)) == (("twice", "fourfold"),)


def test_of_a_notebook_the_exercise_whose_cell_changed_comes_first(
    assignment: Assignment, right: Mapping[str, str]
) -> None:
    def write(*sources: str) -> Submission:
        cells = [{"cell_type": "code", "source": text, "metadata": {}, "outputs": []} for text in sources]
        notebook = {"nbformat": 4, "nbformat_minor": 4, "metadata": {}, "cells": cells}
        (assignment.root / "mine.ipynb").write_text(json.dumps(notebook), "utf-8")
        return load(assignment, "mine.ipynb")

    own = right["fourfold"].partition("\n\n\n")[2]
    before = write(right["twice"], own)
    after = write(right["twice"], own + "\n    # done\n    return 4 * X\n")
    assert batches(assignment, before, after) == (("fourfold",), ("twice",))
