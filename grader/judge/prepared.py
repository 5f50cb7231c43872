"""The suites of an assignment, collected once, with their references loaded: ready to be forked."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest
from _pytest.config import _prepareconfig
from _pytest.main import Session as PytestSession

from grader.catalog import Assignment
from grader.diagnose import Diagnoser
from grader.diagnose.diagnoser import Tolerances
from grader.errors import AssignmentError, HarnessError
from grader.judge.looking import Looks, load_looks
from grader.records import Visibility
from grader.student.handle import Student
from grader.student.trails import Tape, Trails
from grader.suite.checks import device_case_of
from grader.suite.plugin import DEFAULT_TOLERANCES, GradingPlugin
from grader.suite.recall import Recall, only_hears_replies
from grader.suite.reference import Reference, load_references

# Nothing of the machine, the folder or the environment changes how checks run.
PYTEST_ARGUMENTS = (
    "-c", os.devnull, "--noconftest", "--import-mode=importlib", "--assert=plain", "--capture=no", "--tb=no",
    "-p", "no:cacheprovider", "-p", "no:terminalreporter", "-p", "no:doctest", "-p", "no:unittest",
    "-p", "no:junitxml", "-p", "no:pastebin", "-p", "no:faulthandler", "-p", "no:logging",
    "-p", "no:warnings", "-p", "no:stepwise", "-p", "no:threadexception", "-p", "no:unraisableexception",
    "-p", "pytest_jsonreport.plugin", "--json-report", "--json-report-file=none", "--strict-markers",
)  # fmt: skip
_BEFORE_STEM = " "  # in the name of an exercise's trails, after the seed
OMITTED = ("collectors", "log", "traceback", "streams", "warnings", "keywords")


class PreparedSuites:
    """A collected pytest session over the public and hidden suites of one assignment.

    Raises:
        AssignmentError: a suite or a reference does not import, or no check is found.
    """

    def __init__(self, assignment: Assignment, *, accelerator: str | None = None) -> None:
        self.assignment = assignment
        self.accelerator = accelerator
        _refuse_hidden_symbols(assignment)
        references = load_references(assignment)
        self.reference = Reference(references, assignment.exercises)
        self.plugin = GradingPlugin()
        self.recall, self.trails = Recall(self.plugin), Trails()
        self._session = self._collect(suite_paths(assignment))
        self._by_stem: dict[str, list[pytest.Function]] = {stem: [] for stem in assignment.stems}
        for item in self._session.items:
            assert isinstance(item, pytest.Function)
            self._by_stem[self.plugin.info(item).stem].append(item)
            _ = item.location  # found out once, not in every judge
        for items in self._by_stem.values():
            # A worker that has left the CPU does not come back to it.
            items.sort(key=lambda item: device_case_of(item) != "cpu")
        self._refuse_twins()
        self.diagnoser = Diagnoser(assignment, references, self._tolerances())

    def _refuse_twins(self) -> None:
        """A check is named by exercise and function: public and hidden ones need names of their own."""
        names = [(entry["stem"], entry["name"]) for entry in self.catalogue]
        twins = sorted({f"`{stem}`: `{name}`" for stem, name in names if names.count((stem, name)) > 1})
        if twins:
            raise AssignmentError(
                f"Both suites of an exercise have a check of one name: {', '.join(twins)}.",
                problems=twins,
                hint="Rename one of each pair.",
            )

    def _tolerances(self) -> dict[str, Tolerances]:
        """The tolerances of each exercise: those of its hidden suite, if it has one."""
        return {
            stem: getattr(items[-1].module, "TOLERANCES", DEFAULT_TOLERANCES)
            for stem, items in self._by_stem.items()
            if items
        }

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

    @cached_property
    def catalogue(self) -> list[dict[str, Any]]:
        """Every check of every exercise, once, with the number of its cases."""
        entries: dict[tuple[str, str, str], dict[str, Any]] = {}
        for info in (self.plugin.info(item) for items in self._by_stem.values() for item in items):
            key = (info.stem, info.visibility, info.name)
            entry = entries.setdefault(key, {**info.as_json(), "cases": 0})
            entry["cases"] += 1
        return list(entries.values())

    @cached_property
    def looks(self) -> Looks:
        """What draws the exercises' pictures; loaded when one is first asked for."""
        return load_looks(self.assignment, self.reference)

    def run(self, items: Sequence[pytest.Function]) -> None:
        """Every case gets its verdict."""
        for number, item in enumerate(items, 1):
            following = items[number] if number < len(items) else None
            self._config.hook.pytest_runtest_protocol(item=item, nextitem=following)

    def run_or_recall(self, stem: str) -> bool:
        """All cases of an exercise get their verdicts; where the code's replies are known, without running.

        False if the checks ask other things than they did in another run: then all that was done counts for
        nothing, and they are to `run` on code that they have never asked.
        """
        items, judge = self.items(stem), self.plugin.judge
        judge.tape, judge.played = Tape(), {}
        key = f"{judge.seed}{_BEFORE_STEM}{stem}"
        if self.recall.passes(key, items):
            return True
        self.run(items)
        judge.played = {}
        if judge.has_strayed:
            judge.trails.forget(key)
            return False
        self.recall.keep(key, items)
        return True

    def learn_trails(self, packed: Mapping[str, Any]) -> None:
        """What a judge has sent home; whether a suite may leave trails is found out when it leaves one."""
        for key in {entry["key"] for entry in packed["fresh"]}:
            stem = key.partition(_BEFORE_STEM)[2]
            if not all(map(only_hears_replies, {item.path for item in self.items(stem)})):
                self.trails.forget(key)
        self.trails.learn(packed)

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


def _refuse_hidden_symbols(assignment: Assignment) -> None:
    """A suite could not reach `student.device`: the handle has something else of that name."""
    own = {*vars(Student), "calls", "made"}
    hidden = sorted({name for spec in assignment.exercises for name in spec.symbols} & own)
    if hidden:
        raise AssignmentError(f"Symbols must not be called `{'`, `'.join(hidden)}`.", problems=hidden)


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
