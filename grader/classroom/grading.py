"""Grades a class: decides what is to be done, keeps judges busy, keeps every result as it comes.

Killed at any point, nothing is lost but what was under way: a result file is whole or absent, and the
gradebook takes from the result files whatever it does not have yet. Reports are not kept in memory.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from functools import partial
from typing import NamedTuple

from grader.catalog import Assignment
from grader.classroom.folder import BatchFolder, BatchSettings, StoredResult
from grader.classroom.gradebook import Gradebook, StoredRun
from grader.classroom.judges import Judged, Judging
from grader.classroom.pages import Pages
from grader.classroom.progress import Watcher
from grader.classroom.reading import ClassReader
from grader.classroom.records import Found
from grader.classroom.staleness import NEEDS_REGRADE, Current, stale_because, told
from grader.classroom.tally import Tally
from grader.errors import GraderError, HarnessError, SubmissionError
from grader.pipeline import describe_run
from grader.records import SourceText, Submission, SuiteRun
from grader.report.schema import Report
from grader.score import needs_regrade_report, rejected_report, score_run
from grader.score.unscored import Facts

FORCED = "--force was given"


class _Done(NamedTuple):
    """A submission that is done, and the texts that were read of it."""

    found: Found
    report: Report
    sources: tuple[SourceText, ...] = ()


# That wait to be written to the gradebook. Their reports are in memory till then, half a MB each.
RUNS_AT_ONCE = 8


@dataclass
class Grading:
    """One run over a class. `tally` holds what is known of the results so far.

    `why` says of every submission without a current result why it has none; `to_do` are those of them that
    are graded in this run. `gone` are ids that have a result and are no longer in the input.
    """

    folder: BatchFolder
    settings: BatchSettings
    assignment: Assignment
    current: Current
    book: Gradebook
    reader: ClassReader
    judges: Judging
    watcher: Watcher
    pages: Pages
    tally: Tally = field(default_factory=Tally)
    to_do: list[Found] = field(default_factory=list)
    why: dict[str, str] = field(default_factory=dict)
    gone: list[str] = field(default_factory=list)
    graded: int = 0
    _unwritten: list[StoredRun] = field(default_factory=list)

    def look(self, found: Sequence[Found], is_chosen: Callable[[Found], bool], *, force: bool) -> None:
        """Find out what is to be done. Results that stay are counted; all go to the gradebook."""
        for one in found:
            stored, chosen = self._take(one.id), is_chosen(one)
            reason = (
                FORCED if force and chosen else stale_because(self.current, stored, partial(self._load, one))
            )
            if reason:
                self.why[one.id] = reason
            if reason and chosen:
                self.to_do.append(one)
                self.judges.start()
            elif stored is not None and stored.report is not None:
                self.tally.add(stored.report)
                self._complete(one, stored.report)
        ids = {one.id for one in found}
        self.gone = [name for name in self.folder.stored_ids() if name not in ids]
        for name in self.gone:
            self._take(name)
        self.flush()

    def _complete(self, found: Found, report: Report) -> None:
        """Make the page that a result lacks: it was made without, or killed before it was written."""
        if self.pages.are_missing(found.id):
            submission = self._load(found)
            sources = () if isinstance(submission, GraderError) else submission.sources
            self.pages.make(report, sources)

    def _take(self, submission_id: str) -> StoredResult | None:
        """A stored result, which the gradebook gets too: the run that made it may have been killed before."""
        stored = self.folder.stored(submission_id)
        if stored is not None and stored.report is not None:
            self._record(stored.report, stored.text)
        return stored

    def _load(self, found: Found) -> Submission | GraderError:
        try:
            return self.reader.load(found, self.assignment)
        except SubmissionError as err:
            return err
        except Exception as err:  # noqa: BLE001  # whatever it is, it must not stop the class
            return _our_failure("reading it", err)

    def grade(self, jobs: int | None) -> None:
        """Grade what is to be done, `jobs` at a time; what needs a regrade gets one, at the end."""
        again: list[Found] = []
        self.watcher.begin(len(self.to_do), "Grading")
        for done in self._grade(self.to_do, jobs):
            self._keep(done)
            self.watcher.finished(done.report.status)
            if done.report.status == "needs_regrade":
                again.append(done.found)
            else:
                self.tally.add(done.report)
            # Last: stopped here, the result is counted and only its page is missing.
            self.pages.make(done.report, done.sources)
        if again:
            self.flush()  # the first run is kept in the gradebook; its result file is about to go
            self.watcher.begin(len(again), "Grading again")
            # One of them may be what kills hosts: alone, it takes no other with it.
            for done in self._grade(again, jobs if self.judges.deaths == 0 else 1):
                self._keep(done)
                self.watcher.finished(done.report.status)
                self.tally.add(done.report)
                self.pages.make(done.report, done.sources)
        self.flush()

    def _grade(self, found: Sequence[Found], jobs: int | None) -> Iterator[_Done]:
        """Reports as they are done. While judges work, the next is read and the last one scored."""
        by_id = {one.id: one for one in found}
        waiting = deque(found)
        loaded: deque[Submission] = deque()
        while waiting or loaded or self.judges.under_way:
            while loaded and self.judges.has_room(jobs):
                self.judges.send(loaded.popleft())
            if waiting and not loaded:
                submission = self._load(one := waiting.popleft())
                if isinstance(submission, SubmissionError):
                    yield _Done(one, self._reject(one, submission))
                elif isinstance(submission, GraderError):
                    yield _Done(one, self._regrade(submission, {"submission_id": one.id}))
                else:
                    loaded.append(submission)
            elif self.judges.under_way:
                judged = self.judges.receive()
                while loaded and self.judges.has_room(jobs):
                    self.judges.send(loaded.popleft())  # before scoring, so that no core waits
                submission = judged.submission
                yield _Done(by_id[submission.id], self._score(judged), submission.sources)

    def _reject(self, found: Found, err: SubmissionError) -> Report:
        return rejected_report(
            self.assignment,
            told(err),
            submission_id=found.id,
            exercises=self.settings.exercises,
            environment={"grader": self.current.grader},
            started_at=datetime.now(timezone.utc),
        )

    def _regrade(self, err: GraderError, known: Facts) -> Report:
        known["exercises"] = self.settings.exercises
        known["environment"] = {"grader": self.current.grader}
        known["seed"] = self.settings.seed
        return needs_regrade_report(self.assignment, told(err), **known)

    def _score(self, judged: Judged) -> Report:
        run = judged.outcome
        facts: Facts = {
            "submission": judged.submission,
            "started_at": judged.started_at,
            "duration_s": judged.duration_s,
        }
        if isinstance(run, GraderError):
            return self._regrade(run, facts)
        try:
            environment = {**describe_run(run, judged.environment), "grader": self.current.grader}
            return score_run(
                self.assignment,
                judged.submission,
                SuiteRun(run.pytest_report, environment, run.exercises, run.timings, run.notes),
                seed=self.settings.seed,
                started_at=judged.started_at,
                duration_s=judged.duration_s,
                exercises=self.settings.exercises,
            )
        except GraderError:
            raise  # the assignment's author must look at it; it is the same for everybody
        except Exception as err:  # noqa: BLE001  # whatever it is, it must not stop the class
            return self._regrade(_our_failure("scoring it", err), facts)

    def _keep(self, done: _Done) -> None:
        report = done.report
        self.pages.drop(report.submission.id)
        self._record(report, self.folder.keep(report.submission.id, report))
        self.graded += 1
        if report.status == "needs_regrade":
            self.why[report.submission.id] = NEEDS_REGRADE
        else:
            self.why.pop(report.submission.id, None)

    def _record(self, report: Report, text: str) -> None:
        run = StoredRun(report, text)
        if run.id in self.book.known:
            return
        self._unwritten.append(run)
        if len(self._unwritten) >= RUNS_AT_ONCE:
            self.flush()

    def flush(self) -> None:
        """Write what waits to the gradebook."""
        runs, self._unwritten = self._unwritten, []
        self.book.record(runs)


def _our_failure(doing: str, err: Exception) -> HarnessError:
    return HarnessError(f"The grader failed while {doing}: {type(err).__name__}: {err}")
