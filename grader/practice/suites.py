"""Public suites in an ordinary pytest session: the fixtures, a sandboxed worker, failures in plain words.

The checks run in pytest's own process, as an editor's test explorer expects; the student's code never does.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest
from _pytest._code.code import ReprFileLocation, TerminalRepr
from _pytest._io import TerminalWriter
from _pytest.runner import CallInfo

from grader.catalog import Assignment, read_assignment
from grader.errors import AssignmentError, StudentError, SubmissionError
from grader.judge.judge import offered_names
from grader.load import load_submission
from grader.practice.practice import HINT_WAITS_FOR, ISOLATION, SEED
from grader.printable import printable
from grader.records import Problem, Submission
from grader.report.wording import OUTCOME_SENTENCES
from grader.sandbox.box.devices import PRETEND
from grader.sandbox.isolation import choose_plan
from grader.sandbox.template import Template, TemplateClient
from grader.student.handle import Student
from grader.student.material import Material
from grader.student.session import Session
from grader.suite.checks import device_case_of
from grader.suite.comparison import Comparison
from grader.suite.judging import JudgeState
from grader.suite.plugin import GradingPlugin
from grader.suite.reference import Reference
from grader.suite.verdict import Verdict, judge_ending

NAME = "grader-practice"
MAX_PRINTED = 4000


def take_suite(config: pytest.Config, root: Path, path: Path) -> None:
    """A public suite of the assignment in `root` is about to be collected."""
    plugin = config.pluginmanager.get_plugin(NAME)
    if plugin is None:
        plugin = PracticePlugin(config)
        config.pluginmanager.register(plugin, NAME)
    plugin.take(root, path)


class Workers:
    """The template of one pytest session. It imports torch while pytest does, and is not there to collect."""

    def __init__(self, *, is_needed: bool) -> None:
        self._template: Template | None = None
        self._client: TemplateClient | None = None
        if is_needed:
            self._start()

    def _start(self) -> Template:
        if self._template is None:
            self._template = Template(choose_plan(ISOLATION))
        return self._template

    def client(self) -> TemplateClient:
        if self._client is None:
            self._client = self._start().connect()
        return self._client

    def close(self) -> None:
        if self._client is not None:
            self._client.close()
        if self._template is not None:
            self._template.close()


class Handout:
    """One assignment's folder: what its student has written, and the state of its checks."""

    def __init__(self, root: Path, workers: Workers) -> None:
        self._root, self._workers = root, workers
        self._rng = random.Random(SEED)

    @cached_property
    def assignment(self) -> Assignment:
        """Raises: AssignmentError: `assignment.toml` is broken."""
        return read_assignment(self._root).as_handout()

    @cached_property
    def submission(self) -> Submission | SubmissionError:
        try:
            return load_submission(self._root / "exercises", self.assignment)
        except SubmissionError as err:
            return err

    @cached_property
    def state(self) -> JudgeState:
        nothing = Reference({}, self.assignment.exercises)
        return JudgeState(SEED, self._open_session, nothing, lambda case, info, verdict, student: None)

    def problem(self, stem: str) -> Problem | None:
        """Why the exercise has no code to run, if it has none."""
        if isinstance(self.submission, SubmissionError):
            return Problem("missing", self.submission.message, self.submission.hint)
        return self.submission.exercises[stem].problem

    def _open_session(self, stem: str, device_case: str) -> Session:
        spec, submission = self.assignment.exercise(stem), self.submission
        assert isinstance(submission, Submission)
        source = submission.exercises[stem].source
        assert source is not None
        offers = offered_names(self.assignment, submission, spec)
        material = Material(spec, source, submission.modules, offers=offers)
        device = "cpu" if device_case == "cpu" else PRETEND
        rng = random.Random(self._rng.random())
        return Session(self._workers.client(), material, self.assignment.limits, rng, device)


class Told(TerminalRepr):
    """A failure as the student reads it: the reason, and nothing of the grader's inside."""

    def __init__(self, text: str, place: ReprFileLocation) -> None:
        self._text, self.reprcrash = text, place

    def toterminal(self, tw: TerminalWriter) -> None:
        tw.line(self._text)

    def __str__(self) -> str:
        return self._text


class PracticePlugin(GradingPlugin):
    """As in a judge, for the items of public suites; all others are none of its business."""

    def __init__(self, config: pytest.Config) -> None:
        super().__init__()
        self._shows_hints = config.get_verbosity() > 0
        self._workers = Workers(is_needed=not config.option.collectonly)
        self._roots: dict[Path, Handout] = {}
        self._suites: dict[Path, Handout] = {}
        self._printed_before = 0
        self._untouched: dict[str, str] = {}

    def take(self, root: Path, path: Path) -> None:
        if root not in self._roots:
            self._roots[root] = Handout(root, self._workers)
        handout = self._roots[root]
        try:
            is_known = path.stem.removeprefix("test_") in handout.assignment.stems
        except AssignmentError as err:
            raise pytest.UsageError(f"{err.message} {err.hint}".strip()) from err
        if is_known:
            self._suites[path] = handout

    def _handout_of(self, item: pytest.Item) -> Handout | None:
        return self._suites.get(item.path) if isinstance(item, pytest.Function) else None

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        if metafunc.definition.path in self._suites:
            super().pytest_generate_tests(metafunc)

    # Fixtures: of an exercise without code to run there are none, and no check gets as far as to use them.

    @pytest.fixture
    def student(self) -> Student | None:
        return self._student

    @pytest.fixture
    def assert_close(self) -> Comparison | None:
        return self._comparison

    # Running ------------------------------------------------------------------------------------------

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        handout = self._handout_of(item)
        if handout is None:
            return
        assert isinstance(item, pytest.Function)
        self.state, self._printed_before = handout.state, 0
        info = self.info(item)
        if handout.problem(info.stem) is not None:
            return
        for needed in info.needs:  # one that was not chosen holds nobody back
            self.judge.passed.setdefault(f"{info.stem}::{needed}", True)
        session = self.judge.sessions.get((info.stem, device_case_of(item)))
        self._printed_before = len(session.printed) if session is not None else 0
        super().pytest_runtest_setup(item)

    @pytest.hookimpl(tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> bool | None:  # type: ignore[override]
        handout = self._handout_of(pyfuncitem)
        if handout is None:
            return None
        problem = handout.problem(self.info(pyfuncitem).stem)
        if problem is not None:
            raise StudentError(problem.message, outcome=problem.outcome, kind="problem", hint=problem.hint)
        return super().pytest_pyfunc_call(pyfuncitem)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(  # type: ignore[override]
        self, item: pytest.Item, call: CallInfo[None]
    ) -> pytest.TestReport | None:
        """Our verdict on a check; what is no verdict (a skip, a mistake in the suite) is told by pytest."""
        handout = self._handout_of(item)
        if handout is None or call.when != "call":
            return None
        assert isinstance(item, pytest.Function)
        err = None if call.excinfo is None else call.excinfo.value
        problem = handout.problem(self.info(item).stem)
        if problem is not None and problem.outcome == "not_attempted":
            return self._skipped(item, call, problem)
        verdict = judge_ending(err, self.info(item), ()) if problem else self._verdict(item, err)
        if verdict.outcome in ("skipped", "harness_error"):
            return None
        return self._report(item, call, verdict)

    def _skipped(self, item: pytest.Function, call: CallInfo[None], problem: Problem) -> pytest.TestReport:
        """What nobody began is no failure: whoever has done the exercises that count sees green."""
        reason = printable(f"not attempted: {problem.message}", MAX_PRINTED, one_line=True)
        self._untouched[self.info(item).stem] = reason
        return pytest.TestReport(
            item.nodeid, item.location, dict.fromkeys(item.keywords, 1), "skipped",
            (str(item.path), (item.location[1] or 0) + 1, f"Skipped: {reason}"), "call",
            duration=call.duration, start=call.start, stop=call.stop,
        )  # fmt: skip

    def _report(self, item: pytest.Function, call: CallInfo[None], verdict: Verdict) -> pytest.TestReport:
        is_passed = verdict.outcome == "passed"
        return pytest.TestReport(
            item.nodeid, item.location, dict.fromkeys(item.keywords, 1),
            "passed" if is_passed else "failed", None if is_passed else self._tell(item, verdict), "call",
            sections=[*self._printed(item)],
            duration=call.duration, start=call.start, stop=call.stop,
        )  # fmt: skip

    def _tell(self, item: pytest.Function, verdict: Verdict) -> Told:
        info = self.info(item)
        message = verdict.message or OUTCOME_SENTENCES[verdict.outcome]
        lines = [info.title, "", *message.split("\n")]
        lines += [f"    {where}: {code}" if code else f"    {where}" for where, code in verdict.frames]
        waits = verdict.outcome == "failed" and verdict.reason in HINT_WAITS_FOR
        hint = verdict.hint or (info.hint if waits else "")
        if hint and (self._shows_hints or not waits):
            lines.append(f"Hint: {hint}")
        elif hint:
            lines.append("There is a hint: `pytest -v` shows it.")
        place = ReprFileLocation(str(item.path), item.location[1] or 0, message.partition("\n")[0])
        return Told(printable("\n".join(lines), MAX_PRINTED), place)

    def _printed(self, item: pytest.Function) -> Iterator[tuple[str, str]]:
        session = self.judge.sessions.get((self.info(item).stem, device_case_of(item)))
        said = session.printed[self._printed_before :] if session is not None else b""
        if said:
            yield "Printed by your code", printable(said.decode("utf-8", "replace"), MAX_PRINTED)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_teardown(  # type: ignore[override]
        self, item: pytest.Item, nextitem: pytest.Item | None
    ) -> Iterator[None]:
        """A worker lives as long as checks of its exercise follow each other."""
        yield
        if self._handout_of(item) is None:
            return
        self._student = self._comparison = None
        if nextitem is None or nextitem.path != item.path:
            self.judge.close_sessions()

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """A plain run counts what is skipped, and gives no reason."""
        for reason in self._untouched.values():
            terminalreporter.write_line(reason)

    def pytest_unconfigure(self) -> None:
        self._workers.close()

    # pytest-json-report is of use to others here, and its report is theirs. -----------------------------

    @pytest.hookimpl(optionalhook=True)
    def pytest_json_runtest_metadata(self, item: pytest.Item, call: CallInfo[None]) -> dict[str, Any] | None:
        return None

    @pytest.hookimpl(optionalhook=True)
    def pytest_json_modifyreport(self, json_report: dict[str, Any]) -> None:
        return
