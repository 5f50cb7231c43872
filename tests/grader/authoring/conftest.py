"""This repository's own assignment, and how a notebook is filled in."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest

from grader.authoring.notebook import make_notebook
from grader.catalog import Assignment, read_assignment

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="session")
def ours() -> Assignment:
    return read_assignment(ROOT)


@pytest.fixture(scope="session")
def notebook(ours: Assignment) -> Any:
    return nbformat.reads(make_notebook(ours), as_version=4)


Fill = Callable[..., str]


@pytest.fixture
def fill(ours: Assignment) -> Fill:
    """`fill(stem, ...)`: the notebook with the references of these exercises (all by default) in it."""

    def write(*stems: str) -> str:
        notebook = nbformat.reads(make_notebook(ours), as_version=4)
        for cell in notebook.cells:
            stem = re.fullmatch(r"\d+-(\w+)-stub", cell.id)
            if stem and (not stems or stem[1] in stems):
                cell.source = _without_siblings(ours, stem[1])
        return str(nbformat.writes(notebook))

    return write


def _without_siblings(assignment: Assignment, stem: str) -> str:
    text = assignment.reference(stem).read_text()
    siblings = "|".join(assignment.stems)
    return re.sub(rf"(?m)^from (?:{siblings}) import .*\n", "", text)
