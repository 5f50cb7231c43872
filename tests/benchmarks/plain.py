"""The same suites without the grader: ordinary pytest in the process that holds the student's code.

A pytest plugin (`-p plain`, the submission's folder in PLAIN_SUBMISSION, the course's in PLAIN_COURSE), and
the same checks called one after the other. No isolation, no limits, no second process: only for measuring.
"""

from __future__ import annotations

import importlib.util
import inspect
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch

from grader.catalog import Assignment, read_assignment
from grader.suite.comparison import Comparison
from grader.suite.inputs import Inputs
from grader.suite.plugin import DEFAULT_TOLERANCES
from grader.suite.reference import Reference, load_references

SEED = 1


class PlainStudent:
    """The submission's symbols, imported here."""

    device = "cpu"

    def __init__(self, folder: Path, assignment: Assignment) -> None:
        self._folder, self._assignment = folder, assignment
        self._modules: dict[str, ModuleType] = {}

    def __getattr__(self, name: str) -> Any:
        for spec in self._assignment.exercises:
            if name in spec.symbols:
                return getattr(self._module(spec.stem), name)
        raise AttributeError(name)

    def _module(self, stem: str) -> ModuleType:
        if stem not in self._modules:
            self._modules[stem] = _load(stem, self._folder / f"{stem}.py")
        return self._modules[stem]


def _load(name: str, path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(path.parent))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(path.parent))
    return module


# As a pytest plugin -----------------------------------------------------------------------------------


def pytest_configure(config: pytest.Config) -> None:
    for marker in ("points(n)", "hint(text)", "needs(name)", "accelerator", "misconception(name, *reasons)"):
        config.addinivalue_line("markers", marker)


@pytest.fixture(scope="session")
def course() -> Assignment:
    return read_assignment(Path(os.environ["PLAIN_COURSE"]))


@pytest.fixture(scope="session")
def student(course: Assignment) -> PlainStudent:
    return PlainStudent(Path(os.environ["PLAIN_SUBMISSION"]), course)


@pytest.fixture(scope="session")
def reference(course: Assignment) -> Reference:
    return Reference(load_references(course), course.exercises)


@pytest.fixture
def tensors(request: pytest.FixtureRequest) -> Inputs:
    return Inputs(SEED, request.node.originalname)


@pytest.fixture
def assert_close(request: pytest.FixtureRequest) -> Comparison:
    return Comparison(getattr(request.module, "TOLERANCES", DEFAULT_TOLERANCES))


# Without pytest ---------------------------------------------------------------------------------------


class PlainSuites:
    """All checks of a course, collected by hand, to be called in this process."""

    def __init__(self, assignment: Assignment) -> None:
        torch.set_num_threads(1)
        self.assignment = assignment
        self.reference = Reference(load_references(assignment), assignment.exercises)
        self.checks = list(self._collect())

    def _collect(self) -> Iterator[tuple[ModuleType, Callable[..., None], dict[str, Any]]]:
        for stem in self.assignment.stems:
            for kind in ("public", "hidden"):
                path = self.assignment.suite(stem, kind)  # type: ignore[arg-type]
                if path.is_file():
                    module = _load(f"plain_{kind}_{stem}", path)
                    for name, function in vars(module).items():
                        if name.startswith("test_"):
                            yield from ((module, function, case) for case in _cases(function))

    def grade(self, folder: Path) -> int:
        """How many cases pass."""
        student, passed = PlainStudent(folder, self.assignment), 0
        for module, function, case in self.checks:
            known = {
                "student": student,
                "reference": self.reference,
                "tensors": Inputs(SEED, function.__name__),
                "assert_close": Comparison(getattr(module, "TOLERANCES", DEFAULT_TOLERANCES)),
                **case,
            }
            wanted = inspect.signature(function).parameters
            try:
                function(**{name: known[name] for name in wanted})
                passed += 1
            except Exception:  # noqa: BLE001  # whatever a wrong solution raises, it has failed
                continue
        return passed


def _cases(function: Callable[..., None]) -> list[dict[str, Any]]:
    """The parameters of each case, from `pytest.mark.parametrize`."""
    cases: list[dict[str, Any]] = [{}]
    for mark in getattr(function, "pytestmark", []):
        if mark.name == "parametrize":
            names = (
                [name.strip() for name in mark.args[0].split(",")]
                if isinstance(mark.args[0], str)
                else mark.args[0]
            )
            cases = [{**case, **_named(names, values)} for case in cases for values in mark.args[1]]
    return cases


def _named(names: list[str], values: Any) -> dict[str, Any]:
    """One case's parameters by name; a single one may stand alone."""
    values = getattr(values, "values", values)
    if len(names) > 1:
        return dict(zip(names, values, strict=True))
    return {names[0]: values[0] if isinstance(values, tuple) and len(values) == 1 else values}
