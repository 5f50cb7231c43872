"""The pytest plugin: markers, fixtures, and one verdict for each case of a check.

The session is collected once; a judge is a fork of that process with `JudgeState` set. Workers belong to
the judge: one per exercise, a further one for checks on another device.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from types import MappingProxyType
from typing import Any, Literal

import pytest
import torch
from _pytest.runner import CallInfo

from grader.errors import StudentError
from grader.records import DEVICE_CASES
from grader.sandbox.box import audit
from grader.student.handle import Student
from grader.student.session import Session
from grader.suite.checks import CheckInfo, case_of, describe_check, device_case_of
from grader.suite.comparison import Comparison
from grader.suite.inputs import Inputs, seed_of
from grader.suite.judging import JudgeState
from grader.suite.reference import Reference
from grader.suite.verdict import Verdict, judge_ending

# A machine this busy may make honest code hit the wall clock; then one more try is fair.
BUSY_LOAD_PER_CORE = 2.0
DEFAULT_TOLERANCES = MappingProxyType({torch.float32: 1e-5, torch.float64: 1e-9})


class GradingPlugin:
    """Registered with the collected session; `state` is None until a judge is forked."""

    def __init__(self) -> None:
        self.state: JudgeState | None = None
        self._infos: dict[str, CheckInfo] = {}
        self._session: Session | None = None
        self._student: Student | None = None
        self._comparison: Comparison | None = None

    @property
    def judge(self) -> JudgeState:
        assert self.state is not None, "checks run only in a judge"
        return self.state

    def info(self, item: pytest.Item) -> CheckInfo:
        assert isinstance(item, pytest.Function)
        if item.nodeid not in self._infos:
            self._infos[item.nodeid] = describe_check(item)
        return self._infos[item.nodeid]

    # Collection ---------------------------------------------------------------------------------------

    def pytest_configure(self, config: pytest.Config) -> None:
        for line in (
            "points(n): points that the check carries",
            "hint(text): what a student may try when the check fails",
            "needs(name): skipped unless the named check of the same suite passed",
            "accelerator: runs on the CPU and again on another device",
            "misconception(name, *reasons): what a failure for one of these reasons means",
            "asserts: a bare assert that does not hold is the student's failure, not a mistake in the suite",
        ):
            config.addinivalue_line("markers", line)

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        if metafunc.definition.get_closest_marker("accelerator") is not None:
            metafunc.fixturenames.append("device_case")
            metafunc.parametrize("device_case", DEVICE_CASES)

    # Fixtures -----------------------------------------------------------------------------------------

    @pytest.fixture
    def student(self) -> Student:
        """The submission's functions and classes."""
        assert self._student is not None
        return self._student

    @pytest.fixture
    def reference(self) -> Reference:
        """The reference's functions and classes, in float64."""
        return self.judge.reference

    @pytest.fixture
    def tensors(self, request: pytest.FixtureRequest) -> Inputs:
        """Random inputs from this run's secret seed."""
        return Inputs(self.judge.seed, request.node.originalname)

    @pytest.fixture
    def assert_close(self) -> Comparison:
        """Compares with the suite's tolerances."""
        assert self._comparison is not None
        return self._comparison

    # Running ------------------------------------------------------------------------------------------

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        assert isinstance(item, pytest.Function)
        why_not = self.why_not(item)
        if why_not:
            pytest.skip(why_not)
        self._session = self.begin(item)
        # For what a suite's own fixtures and functions draw.
        audit.seed_everything(self._seed_of_requests(item))
        self._student = Student(self._session)
        tolerances = getattr(item.module, "TOLERANCES", DEFAULT_TOLERANCES)
        self._comparison = Comparison(tolerances)

    def why_not(self, item: pytest.Function) -> str:
        """Why the case is skipped; empty if it is not."""
        info = self.info(item)
        for needed in info.needs:
            if self.judge.passed.get(f"{info.stem}::{needed}") is not True:
                return f"Skipped: needs `{self._title(info.stem, needed)}` to pass first."
        is_exhausted = self.judge.session(info.stem, "cpu").is_exhausted
        return "Skipped: the code hit the time limit twice before." if is_exhausted else ""

    def begin(self, item: pytest.Function) -> Session:
        """The session of the case, at its beginning: nothing that ran before has a say in what it asks."""
        info = self.info(item)
        session = self.judge.session(info.stem, device_case_of(item))
        if info.visibility == "hidden":
            session.seal_output()
        played = self.judge.played.get(item.nodeid)
        exchanges = () if played is None else played.exchanges
        session.begin_check(self._seed_of_requests(item), exchanges, self.judge.tape.note)
        self.judge.tape.begin()
        return session

    def _seed_of_requests(self, item: pytest.Item) -> int:
        return seed_of(self.judge.seed, f"requests of {item.nodeid}") % (1 << 32)

    def _title(self, stem: str, name: str) -> str:
        titles = (info.title for info in self._infos.values() if (info.stem, info.name) == (stem, name))
        return next(titles, name)

    @pytest.hookimpl(tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> bool:
        names = pyfuncitem._fixtureinfo.argnames
        arguments = {name: pyfuncitem.funcargs[name] for name in names}
        try:
            self._run(pyfuncitem, arguments)
        except StudentError as err:
            if not deserves_retry(err):
                raise
            self._run(pyfuncitem, arguments)
        return True

    def _run(self, item: pytest.Function, arguments: dict[str, Any]) -> None:
        student, comparison = self._student, self._comparison
        assert student is not None
        assert comparison is not None
        student.calls.clear()
        # The references' first weights depend on the run's seed and the check, not on what ran before.
        torch.default_generator.manual_seed(seed_of(self.judge.seed, item.nodeid))
        student.made.clear()
        if device_case_of(item) == "device":
            student._session.require_loaded()
            comparison.device = student.device
            if student._session.device_name is None:
                return
        item.function(**arguments)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: CallInfo[None]) -> pytest.TestReport:
        """A report without pytest's traceback text, which costs most of a failing check and helps nobody."""
        excinfo, when = call.excinfo, call.when
        assert when != "collect"
        outcome: Literal["passed", "failed", "skipped"] = "passed"
        longrepr: Any = None
        if excinfo is not None and excinfo.errisinstance(pytest.skip.Exception):
            outcome, longrepr = "skipped", (str(item.path), 0, str(excinfo.value))
        elif excinfo is not None:
            outcome, longrepr = "failed", excinfo.typename
            if when == "teardown":
                self._spoil(item, excinfo.value)
        return pytest.TestReport(
            item.nodeid, item.location, {}, outcome, longrepr, when,
            duration=call.duration, start=call.start, stop=call.stop,
        )  # fmt: skip

    def pytest_json_runtest_metadata(self, item: pytest.Item, call: CallInfo[None]) -> dict[str, Any] | None:
        """The verdict travels in pytest-json-report's metadata: here its outcome, at the end all of it.

        The report is told again with each later stage, and metadata is checked each time.
        """
        assert isinstance(item, pytest.Function)
        failed_early = call.when == "setup" and call.excinfo is not None
        if call.when != "call" and not failed_early:
            return None
        verdict = self._verdict(item, None if call.excinfo is None else call.excinfo.value)
        record = verdict.as_json(self.info(item), case_of(item), round(call.duration, 6))
        self.judge.verdicts[item.nodeid] = record
        self._tape_end(item, record, is_plain=call.excinfo is None)
        return {"check": {"outcome": record["outcome"]}}

    def _verdict(self, item: pytest.Function, err: BaseException | None) -> Verdict:
        info, student = self.info(item), self._student
        verdict = judge_ending(err, info, student.calls if student else ())
        session = self.judge.session(info.stem, device_case_of(item))
        if verdict.outcome == "timed_out":
            self.judge.session(info.stem, "cpu").time_outs += 1
        self._set_device(item, verdict, session)
        if verdict.outcome not in ("passed", "skipped") and self.judge.hides_output:
            verdict.message, verdict.frames, verdict.staff_message, verdict.hint = HIDDEN, (), "", ""
        elif verdict.outcome != "harness_error" and student is not None and not self.judge.hides_output:
            self.judge.remember(item.nodeid, info, verdict, student)
        if self._comparison is not None:
            verdict.margins = [vars(margin) for margin in self._comparison.margins]
        key = f"{info.stem}::{info.name}"
        passed = verdict.outcome == "passed" and self.judge.passed.get(key, True)
        self.judge.passed[key] = passed
        played = self.judge.played.get(item.nodeid)
        if verdict.outcome != "skipped" and not (played and played.is_over):
            session.finish_check(verdict.outcome == "passed")
        return verdict

    def _tape_end(self, item: pytest.Function, record: dict[str, Any], *, is_plain: bool) -> None:
        session, tape = self._session, self.judge.tape
        if not is_plain or session is None or session.missing or session.talk.has_strayed:
            tape.spoil()
        else:
            tape.end(item.nodeid, session.device_name, record)

    def _set_device(self, item: pytest.Function, verdict: Verdict, session: Session) -> None:
        """Per device: passed, failed, inconclusive or not available; only failed costs points."""
        if verdict.outcome in ("skipped", "harness_error"):
            return
        if device_case_of(item) == "cpu":
            verdict.devices = {"cpu": "passed" if verdict.outcome == "passed" else "failed"}
            return
        name = (session.device_name or session.device).partition(":")[0]
        if session.device_name is None:
            verdict.devices = {name: "not available"}
            verdict.staff_message = session.device_reason
        elif verdict.outcome == "raised" and verdict.reason == "unsupported":
            verdict.outcome, verdict.devices = "passed", {name: "inconclusive"}
            verdict.staff_message, verdict.message, verdict.frames, verdict.hint = verdict.message, "", (), ""
        else:
            verdict.devices = {name: "passed" if verdict.outcome == "passed" else "failed"}

    def _spoil(self, item: pytest.Item, err: BaseException) -> None:
        """A suite's fixture failed after the verdict: whatever that was, it does not count."""
        verdict = judge_ending(AssertionError(f"teardown: {type(err).__name__}: {err}"), self.info(item), ())
        spoilt = {
            "outcome": verdict.outcome,
            "message": verdict.message,
            "staff_message": verdict.staff_message,
        }
        self.judge.verdicts[item.nodeid].update(spoilt)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_teardown(self) -> Iterator[None]:
        yield
        if self._session is not None and self._session.talk.has_strayed:
            self.judge.has_strayed = True
        self._student = self._comparison = self._session = None

    def pytest_json_modifyreport(self, json_report: dict[str, Any]) -> None:
        """What counts is the last verdict of each case (after a follow-through, the better one)."""
        for test in json_report.get("tests", []):
            record = self.judge.verdicts.get(test["nodeid"])
            if record is None:
                continue
            test.setdefault("metadata", {})["check"] = record
            if record["outcome"] == "passed":
                test["outcome"] = "passed"  # an inconclusive device, or the run of the two that counts


HIDDEN = "Failed as well with the reference in place of your own code; details are not shown."


def deserves_retry(err: StudentError) -> bool:
    """True for endings that the machine, not the code, may have caused."""
    if err.kind == "killed":
        return True
    return err.kind == "wall_limit" and os.getloadavg()[0] > BUSY_LOAD_PER_CORE * (os.cpu_count() or 1)
