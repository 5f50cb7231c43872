"""The suites of an assignment, collected once, with their references loaded: ready to be forked."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from _pytest.config import _prepareconfig
from _pytest.main import Session as PytestSession

from grader.catalog import Assignment
from grader.errors import AssignmentError, HarnessError
from grader.records import Visibility
from grader.student.handle import Student
from grader.suite.checks import CheckInfo
from grader.suite.plugin import GradingPlugin
from grader.suite.reference import Reference, load_references
from grader.suite.verdict import Verdict

# Nothing of the machine, the folder or the environment changes how checks run.
PYTEST_ARGUMENTS = (
    "-c", os.devnull, "--noconftest", "--import-mode=importlib", "--assert=plain", "--capture=no", "--tb=no",
    "-p", "no:cacheprovider", "-p", "no:terminalreporter", "-p", "no:doctest", "-p", "no:unittest",
    "-p", "no:junitxml", "-p", "no:pastebin", "-p", "no:faulthandler", "-p", "no:logging", "-p", "no:warnings",
    "-p", "no:stepwise",
    "-p", "pytest_jsonreport.plugin", "--json-report", "--json-report-file=none", "--strict-markers",
)  # fmt: skip
OMITTED = ("collectors", "log", "traceback", "streams", "warnings", "keywords")
Diagnose = Callable[[CheckInfo, Verdict, Student], None]


def no_diagnosis(info: CheckInfo, verdict: Verdict, student: Student) -> None:
    """Used where nothing is to be diagnosed."""


class PreparedSuites:
    """A collected pytest session over the public and hidden suites of one assignment.

    Raises:
        AssignmentError: a suite or a reference does not import, or no check is found.
    """

    def __init__(self, assignment: Assignment, *, accelerator: str | None = None) -> None:
        self.assignment = assignment
        self.accelerator = accelerator
        self.diagnose: Diagnose = no_diagnosis
        self.reference = Reference(load_references(assignment), assignment.exercises)
        self.plugin = GradingPlugin()
        self._session = self._collect(suite_paths(assignment))
        self._by_stem: dict[str, list[pytest.Function]] = {stem: [] for stem in assignment.stems}
        for item in self._session.items:
            assert isinstance(item, pytest.Function)
            self._by_stem[self.plugin.info(item).stem].append(item)

    def _collect(self, paths: Sequence[Path]) -> PytestSession:
        if not paths:
            raise AssignmentError(f"`{self.assignment.root / 'tests'}` holds no suite of this assignment.")
        os.environ.pop("PYTEST_ADDOPTS", None)
        os.environ.pop("PYTEST_PLUGINS", None)
        os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
        arguments = [
            *PYTEST_ARGUMENTS,
            "--rootdir",
            str(self.assignment.root),
            "--json-report-omit",
            *OMITTED,
            "--",
        ]
        errors = _CollectionErrors()
        config = _prepareconfig([*arguments, *map(str, paths)], plugins=[self.plugin, errors])
        config._do_configure()
        self._config = config
        session: PytestSession = PytestSession.from_config(config)
        config.hook.pytest_sessionstart(session=session)
        config.hook.pytest_collection(session=session)
        if errors.found:
            raise AssignmentError(
                f"{len(errors.found)} of the suites cannot be collected: " + "; ".join(errors.found),
                problems=errors.found,
            )
        if not session.items:
            raise AssignmentError("The suites hold no check.", hint="A check is a function `test_...`.")
        return session

    def items(self, stem: str) -> list[pytest.Function]:
        """The cases of one exercise, public suites first, in file order."""
        return self._by_stem[stem]

    def catalogue(self) -> list[dict[str, Any]]:
        """Every check of every exercise, once, with the number of its cases."""
        entries: dict[tuple[str, str, str], dict[str, Any]] = {}
        for info in (self.plugin.info(item) for items in self._by_stem.values() for item in items):
            entry = entries.setdefault((info.stem, info.visibility, info.name), {**info.as_json(), "cases": 0})
            entry["cases"] += 1
        return list(entries.values())

    def run(self, items: Sequence[pytest.Function]) -> None:
        for number, item in enumerate(items, 1):
            following = items[number] if number < len(items) else None
            self._config.hook.pytest_runtest_protocol(item=item, nextitem=following)

    def finish(self) -> dict[str, Any]:
        """End the session and return pytest-json-report's report.

        Raises:
            HarnessError: there is none.
        """
        failed = any(
            record["outcome"] not in ("passed", "skipped") for record in self.plugin.judge.verdicts.values()
        )
        self._session.exitstatus = pytest.ExitCode.TESTS_FAILED if failed else pytest.ExitCode.OK
        self._config.hook.pytest_sessionfinish(session=self._session, exitstatus=self._session.exitstatus)
        report = getattr(self._config, "_json_report", None)
        if report is None or report.report is None:
            raise HarnessError("pytest-json-report made no report.")
        made: dict[str, Any] = report.report
        return made


class _CollectionErrors:
    """Keeps what pytest could not collect."""

    def __init__(self) -> None:
        self.found: list[str] = []

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.found.append(f"`{report.nodeid}`: {str(report.longrepr).strip().splitlines()[-1]}")


def suite_paths(assignment: Assignment) -> list[Path]:
    """The suite files that there are, exercise by exercise, public ones first."""
    kinds: tuple[Visibility, ...] = ("public", "hidden")
    named = [assignment.suite(stem, kind) for stem in assignment.stems for kind in kinds]
    return [path for path in named if path.is_file()]
