"""Is a stored result still the one that grading now would give? Read off the report itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from grader.catalog import Assignment
from grader.classroom.engine import engine_version
from grader.classroom.folder import BatchSettings, StoredResult
from grader.errors import GraderError
from grader.records import Submission
from grader.report.schema import Report
from grader.score.surroundings import submission_info
from grader.score.unscored import chosen_exercises

NOT_GRADED = "not graded yet"
UNREADABLE = "its result cannot be read"
NEEDS_REGRADE = "it needs a regrade"
SUITES_CHANGED = "suites, references or the assignment changed"
GRADER_CHANGED = "the grader changed"
OTHER_EXERCISES = "other exercises were chosen"
OTHER_SEED = "the seed changed"
OTHER_ISOLATION = "the isolation level changed"
OTHER_DEVICE = "the device changed"
SUBMISSION_CHANGED = "the submission changed"


@dataclass(frozen=True)
class Current:
    """What a result must agree with to be kept."""

    suites: str
    grader: str
    stems: tuple[str, ...]
    seed: int
    isolation: str
    device: str

    def stale_because(self, stored: StoredResult | None) -> str:
        """Why a result must be made anew whatever the submission holds now; empty if that decides."""
        if stored is None:
            return NOT_GRADED
        report = stored.report
        if report is None:
            return UNREADABLE
        if report.status == "needs_regrade":
            return NEEDS_REGRADE
        if report.assignment.digest != self.suites:
            return SUITES_CHANGED
        if report.environment.grader != self.grader:
            return GRADER_CHANGED
        if tuple(exercise.stem for exercise in report.exercises) != self.stems:
            return OTHER_EXERCISES
        # A rejected submission never met a seed, a sandbox or a device.
        return "" if report.status == "rejected" else self._other_run(report)

    def _other_run(self, report: Report) -> str:
        if report.seed != self.seed:
            return OTHER_SEED
        if report.environment.isolation.level != self.isolation:
            return OTHER_ISOLATION
        used = {device.partition(":")[0] for device in report.environment.devices} - {"cpu"}
        if used and self.device not in ("auto", "cpu") and self.device not in used:
            return OTHER_DEVICE
        return ""


def current_for(assignment: Assignment, settings: BatchSettings) -> Current:
    stems = chosen_exercises(assignment, settings.exercises)
    has_all = assignment.has_staff_parts
    return Current(
        suites=assignment.digest,
        grader=engine_version(),
        # A handout is graded by its public suites only; exercises without one are not reported.
        stems=tuple(s.stem for s in stems if has_all or assignment.suite(s.stem, "public").is_file()),
        seed=settings.seed,
        isolation=settings.isolation,
        device=settings.device,
    )


def stale_because(
    current: Current, stored: StoredResult | None, load: Callable[[], Submission | GraderError]
) -> str:
    """Why a submission must be graded (again), or empty. `load` is asked only if nothing else decides."""
    reason = current.stale_because(stored)
    if reason or stored is None or stored.report is None:
        return reason
    return SUBMISSION_CHANGED if _differs(stored.report, load()) else ""


def _differs(report: Report, submitted: Submission | GraderError) -> bool:
    """Does the submission as it lies there now differ from the one that was graded?"""
    if isinstance(submitted, GraderError):
        return report.status != "rejected" or report.status_reason != told(submitted)
    now = sorted((file.path, file.sha256) for file in submission_info(submitted).files)
    then = sorted((file.path, file.sha256) for file in report.submission.files)
    return now != then


def told(error: GraderError) -> str:
    """An error as a report gives it for its reason."""
    return f"{error.message} {error.hint}".strip()
