"""What a worker of a cluster does with requests: one host for all threads, refusals that say who and why."""

from __future__ import annotations

import pickle
import select
import socket
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from grader.catalog import Assignment, read_assignment
from grader.classroom.cluster.agreement import (
    RefusalError,
    Terms,
    pack_request,
    terms_for,
    unpack_reply,
)
from grader.classroom.cluster.desk import Desk, Desks
from grader.classroom.judges import Judges, JudgeSettings
from grader.errors import AssignmentError, GraderError, HarnessError, IsolationError
from grader.load import load_submission
from grader.records import Submission, SuiteRun

pytest.importorskip("distributed")
WORKER = "tcp://10.0.0.5:4000"
SETTINGS = JudgeSettings(seed=5, device="auto", isolation="strict", exercises=())


class Host:
    """In the place of a judge host; a judge takes 20 ms, and its run tells which code it saw."""

    def __init__(self, problem: GraderError | None = None) -> None:
        self.environment = {"torch": "2.0", "level": "strict", "layers": []}
        self.problem, self.owner = problem, threading.get_ident()
        self.jobs: deque[tuple[str, str]] = deque()
        self.most_under_way, self.is_closed = 0, False

    def wait_ready(self) -> None:
        if self.problem is not None:
            raise self.problem

    def send(self, job: str, submission: Submission, **chosen: Any) -> None:
        assert threading.get_ident() == self.owner
        source = submission.exercises["double"].source
        self.jobs.append((job, "" if source is None else source.text))
        self.most_under_way = max(self.most_under_way, len(self.jobs))

    def wait(self, bell: socket.socket) -> bool:
        return not select.select([bell], [], [], 0.02)[0]

    def receive(self) -> tuple[str, SuiteRun | GraderError]:
        assert threading.get_ident() == self.owner
        job, text = self.jobs.popleft()
        if "# fails" in text:
            return job, HarnessError("The judge died before it was done.", hint="Ask.")
        return job, SuiteRun({"saw": text}, {}, {}, {})

    def close(self) -> None:
        assert threading.get_ident() == self.owner
        self.is_closed = True


class Office:
    """Desks with pretend hosts, and the request of a batch."""

    def __init__(self, course: Path, students: Any) -> None:
        self.course, self.students = read_assignment(course), students
        self.hosts: list[Host] = []
        self.problem: GraderError | None = None
        self.terms = terms_for(self.course, SETTINGS, None)
        self.desks = Desks(self.make_judges)

    def make_judges(self, assignment: Assignment, settings: JudgeSettings) -> Judges:
        def start() -> Host:
            self.hosts.append(Host(self.problem))
            return self.hosts[-1]

        return Judges(assignment, settings, start)

    def submission(self, student: str, text: str = "def double(x): return x\n") -> Submission:
        return load_submission(self.students.hand_in(student, double=text), self.course)

    def judge(self, submission: Submission, terms: Terms | None = None) -> Any:
        from grader.classroom.cluster.worker import judge_here

        request = pack_request(terms or self.terms, submission)
        return unpack_reply(judge_here(request, self.desks, WORKER), submission)


@pytest.fixture
def office(course: Path, students: Any) -> Any:
    office = Office(course, students)
    yield office
    office.desks.close()
    assert all(host.is_closed for host in office.hosts)


def test_threads_share_one_host_and_everyone_gets_the_own_run(office: Office) -> None:
    texts = [f"def double(x): return {number}\n" for number in range(12)]
    # All with one id, as two batches at once would have.
    submissions = [replace(office.submission(f"s{n}", text), id="same") for n, text in enumerate(texts)]
    with ThreadPoolExecutor(4) as pool:
        judged = list(pool.map(office.judge, submissions))
    assert [one.outcome.pytest_report["saw"] for one in judged] == texts
    assert len(office.hosts) == 1
    assert 2 <= office.hosts[0].most_under_way <= 4


def test_reply_says_where_it_was_judged_and_what_went_wrong(office: Office) -> None:
    judged = office.judge(office.submission("ada", "# fails\ndef double(x): return x\n"))
    assert isinstance(judged.outcome, HarnessError)
    assert (judged.outcome.message, judged.outcome.hint) == ("The judge died before it was done.", "Ask.")
    assert {"python", "platform", "torch", "level"} <= set(judged.environment)
    assert judged.started_at.tzinfo is not None


def test_other_seed_or_exercises_get_a_host_of_their_own(office: Office) -> None:
    ada = office.submission("ada")
    for settings in (SETTINGS, replace(SETTINGS, seed=6), replace(SETTINGS, exercises=("double",)), SETTINGS):
        office.judge(ada, replace(office.terms, settings=settings))
    assert len(office.hosts) == 3


def _refusal(call: Callable[[], Any]) -> RefusalError:
    with pytest.raises(RefusalError) as caught:
        call()
    return caught.value


def test_other_grader_is_refused(office: Office) -> None:
    terms = replace(office.terms, grader="0.0.9+abc")
    refusal = _refusal(lambda: office.judge(office.submission("ada"), terms))
    assert refusal.message.startswith(f"Worker `{WORKER}` refuses: it has the grader 0.")
    assert refusal.message.endswith(", the batch 0.0.9+abc.")
    assert office.hosts == []
    copy = pickle.loads(pickle.dumps(refusal))
    assert (copy.message, copy.hint, copy.worker) == (refusal.message, refusal.hint, WORKER)


def test_other_assignment_is_refused_also_when_it_changes_later(office: Office) -> None:
    ada = office.submission("ada")
    office.judge(ada)
    with office.course.suite("double", "hidden").open("a") as suite:
        suite.write("# changed\n")
    assert "the batch's has" in _refusal(lambda: office.judge(ada)).message
    gone = replace(office.terms, assignment="/nowhere")
    assert "it has no assignment: `/nowhere` is not" in _refusal(lambda: office.judge(ada, gone)).message


def test_machine_without_the_isolation_refuses(office: Office) -> None:
    office.problem = IsolationError("There are no namespaces here.", hint="Install bubblewrap.")
    refusal = _refusal(lambda: office.judge(office.submission("ada")))
    assert refusal.message == f"Worker `{WORKER}` refuses: it cannot judge. There are no namespaces here."
    assert (refusal.hint, refusal.worker) == ("Install bubblewrap.", WORKER)


def test_broken_suite_is_no_refusal(office: Office) -> None:
    office.problem = AssignmentError("Points do not add up.")
    with pytest.raises(AssignmentError, match="Points do not add up"):
        office.judge(office.submission("ada"))


def test_idle_desk_ends_its_host(office: Office) -> None:
    desk = Desk(lambda: office.make_judges(office.course, SETTINGS), idle_s=0.05)
    desk.judge(office.submission("ada"))
    end = time.monotonic() + 20
    while desk.is_open and time.monotonic() < end:
        time.sleep(0.01)
    desk.close()
    assert (desk.is_open, office.hosts[0].is_closed) == (False, True)


def test_worker_that_shuts_down_sends_its_work_elsewhere(office: Office) -> None:
    ada = office.submission("ada")
    office.judge(ada)
    office.desks.close()
    assert office.hosts[0].is_closed
    refusal = _refusal(lambda: office.judge(ada))
    assert ("shutting down" in refusal.message, pickle.loads(pickle.dumps(refusal)).is_leaving) == (
        True,
        True,
    )
