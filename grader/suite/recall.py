"""Cases that need not run: the code has given the replies with which they are known to pass.

The code is asked exactly what the case would ask, request by request. While its replies are known, so is the
next request, and at the end of a known trail the verdict. Where they are not, the case runs as ever, from
its first line; what the code has already answered is played back to it.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from typing import Any

import pytest

from grader.errors import HarnessError, StudentError
from grader.student.calls import Evidence
from grader.student.conversation import Exchange, Pass
from grader.student.session import Session
from grader.suite.plugin import GradingPlugin
from grader.suite.verdict import Verdict


def run_case(item: pytest.Function, following: pytest.Function | None) -> None:
    """pytest's protocol for one item, whichever ran before it: one that was recalled set nothing up."""
    item.session._setupstate.teardown_exact(item)
    item.ihook.pytest_runtest_protocol(item=item, nextitem=following)


class Recall:
    """Follows the trails that the plugin's checks have left."""

    def __init__(self, plugin: GradingPlugin) -> None:
        self._plugin = plugin

    def passes(self, item: pytest.Function) -> bool:
        """Did the case pass without being run? If not, pytest's protocol has to run for it now."""
        plugin, start_s = self._plugin, time.time()
        if plugin.why_not(item):
            return False
        try:
            plugin.session = session = plugin.begin(item)
            known = self._follow(item, session)
            if known is None:
                return False
            self._put_on_record(item, session, known.record, start_s)
            session.finish_check(passed=True)
        except HarnessError:
            return False  # the case meets it again, and says so
        plugin.session = None
        return True

    def _follow(self, item: pytest.Function, session: Session) -> Pass | None:
        try:
            session.require_loaded()
        except StudentError:
            return None
        step = self._plugin.judge.trails.start(self._plugin.trail_of(item, session))
        return None if step is None or session.missing else session.talk.follow(step)

    def _put_on_record(self, item: pytest.Function, session: Session, record: Any, start_s: float) -> None:
        plugin, stop_s = self._plugin, time.time()
        info, duration_s = plugin.info(item), stop_s - start_s
        plugin.judge.verdicts[item.nodeid] = {**record, "duration_s": round(duration_s, 6)}
        plugin.note_passed(info, True)
        if not plugin.judge.hides_output:
            look = partial(self._retell, item, session, tuple(session.talk.exchanges))
            plugin.judge.remember(item.nodeid, info, Verdict("passed"), session.device_name or "cpu", look)
        report = pytest.TestReport(
            item.nodeid, item.location, {}, "passed", None, "call",
            duration=duration_s, start=start_s, stop=stop_s,
        )  # fmt: skip
        # Where pytest-json-report looks for it; its own hook would need the whole protocol.
        vars(report)["_json_report_extra"] = {"metadata": {"check": {"outcome": "passed"}}}
        item.ihook.pytest_runtest_logreport(report=report)

    def _retell(self, item: pytest.Function, session: Session, exchanges: Sequence[Exchange]) -> Evidence:
        """What the case would have seen: it runs after all, on the replies that there were, and asks nobody.

        Raises:
            HarnessError: it did not pass this time.
        """
        plugin = self._plugin
        session.begin_check(plugin.seed_of_requests(item), exchanges)
        plugin.session, plugin.retells, plugin.retold = session, True, None
        try:
            run_case(item, None)
        finally:
            plugin.session, plugin.retells = None, False
        if plugin.retold is None or session.talk.has_diverged:
            raise HarnessError(f"`{item.nodeid}` did not pass again on the replies with which it passes.")
        return plugin.retold

    def must_run_again(self, item: pytest.Function) -> bool:
        """After a case has run: it did not ask what it is known to ask, so it has to run from the beginning.

        The code was asked what this case did not want to know: it gets a new process.
        """
        plugin = self._plugin
        session, plugin.diverged = plugin.diverged, None
        if session is None:
            return False
        plugin.judge.trails.forget(plugin.trail_of(item, session))
        session.start_over()
        return True
