"""The folder of a batch: its settings, its lock, one result file per submission, and what is made from them.

DIR/batch.json          seed and settings, written once and when they change
DIR/results/<id>.json   a report for staff, written in one step when the submission is done
DIR/feedback/<id>.html  the student's page of that result
DIR/summary.json  DIR/grades.csv  DIR/gradebook.sqlite
DIR/.lock               held while a batch runs; worth nothing once its process is gone
"""

from __future__ import annotations

import fcntl
import os
import secrets
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from grader.catalog import Assignment
from grader.classroom.records import UsageError
from grader.errors import GraderError
from grader.printable import printable
from grader.report.schema import Report
from grader.report.writing import dump_report, read_report, write_report

SEEDS = 1 << 31


class FolderError(GraderError):
    """The folder cannot be used for this batch; nothing in it was changed."""


class WrongFolderError(FolderError, UsageError):
    """Another folder must be named."""


class BatchSettings(BaseModel):
    """What decides results beside submissions, assignment and grader, and where the submissions came from.

    `id` names the batch in a gradebook. `exercises` are the chosen stems, all when empty.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal[1] = 1
    id: str
    created_at: datetime
    assignment: str
    assignment_root: str
    seed: int
    exercises: tuple[str, ...] = ()
    device: str = "auto"
    isolation: str = "strict"
    paths: tuple[str, ...] = ()
    layout: str | None = None
    roster: str | None = None


@dataclass(frozen=True)
class StoredResult:
    """A result file: its text, and the report in it, or None if it is not one of this submission."""

    text: str
    report: Report | None


class BatchFolder:
    """The files of one batch. Reading is free; writing is for who holds `lock`."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def results(self) -> Path:
        return self.path / "results"

    @property
    def feedback(self) -> Path:
        return self.path / "feedback"

    @property
    def summary(self) -> Path:
        return self.path / "summary.json"

    @property
    def grades(self) -> Path:
        return self.path / "grades.csv"

    @property
    def gradebook(self) -> Path:
        return self.path / "gradebook.sqlite"

    def result_path(self, submission_id: str) -> Path:
        return self.results / f"{submission_id}.json"

    def page_path(self, submission_id: str) -> Path:
        return self.feedback / f"{submission_id}.html"

    def read_settings(self) -> BatchSettings | None:
        """The settings, or None if no batch was started here.

        Raises:
            FolderError: they cannot be read.
        """
        path = self.path / "batch.json"
        try:
            return BatchSettings.model_validate_json(path.read_bytes())
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, ValidationError) as err:
            reason = err.errors()[0]["msg"] if isinstance(err, ValidationError) else err.strerror
            raise FolderError(
                f"`{path}` cannot be read: {reason}.", hint="Name another folder with -o."
            ) from err

    def write_settings(self, settings: BatchSettings) -> None:
        """The settings come first: a folder with results and without them is not ours."""
        write_report(self.path / "batch.json", settings.model_dump_json(indent=2) + "\n")
        self.results.mkdir(exist_ok=True)

    def stored(self, submission_id: str) -> StoredResult | None:
        """The result of a submission, or None if there is none."""
        try:
            text = self.result_path(submission_id).read_bytes().decode()
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError):
            return StoredResult("", None)
        try:
            report = read_report(text)
        except ValidationError:
            return StoredResult(text, None)
        return StoredResult(text, report if report.submission.id == submission_id else None)

    def stored_ids(self) -> list[str]:
        """The ids of all results, sorted."""
        if not self.results.is_dir():
            return []
        names = (entry.name for entry in os.scandir(self.results))
        return sorted(name[:-5] for name in names if name.endswith(".json") and not name.startswith("."))

    def keep(self, submission_id: str, report: Report) -> str:
        """Write a result, whole or not at all, and return its text."""
        text = dump_report(report, "staff")
        # Not synced: a result that a power cut emptied is graded again, and a class has many of them.
        write_report(self.result_path(submission_id), text, durable=False)
        return text

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Make the folder and hold it; the system lets go of it when this process ends, however it ends.

        Where the block raises before it has written settings, a folder that was made here goes again.

        Raises:
            FolderError: another process holds it, it is used for something else, or cannot be written.
        """
        made = self._missing()
        try:
            with self._held():
                yield
        except BaseException:
            self._unmake(made)
            raise

    @contextmanager
    def _held(self) -> Iterator[None]:
        shown = printable(str(self.path), one_line=True)
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            if self.read_settings() is None and any(not e.name.startswith(".") for e in self.path.iterdir()):
                raise WrongFolderError(
                    f"`{shown}` is not empty and holds no batch.", hint="Name a new folder with -o DIR."
                )
            handle = (self.path / ".lock").open("a")
        except OSError as err:
            raise FolderError(f"`{shown}` cannot be used: {err.strerror}.") from err
        with handle:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as err:
                raise FolderError(
                    f"Another `grade batch` is at work in `{shown}`.", hint="Wait for it, or end it."
                ) from err
            self._clear_leftovers()
            yield

    def _missing(self) -> list[Path]:
        """The folder and those above it, innermost first, as far as they do not exist."""
        return [path for path in (self.path, *self.path.parents) if not path.exists()]

    def _unmake(self, made: list[Path]) -> None:
        """Remove what holds nothing yet; the first folder that does ends it."""
        if not made or (self.path / "batch.json").exists():
            return
        with suppress(OSError):
            (self.path / ".lock").unlink(missing_ok=True)
            for path in made:
                path.rmdir()

    def is_locked(self) -> bool:
        """Is a batch at work here now?"""
        try:
            with (self.path / ".lock").open("rb") as handle:
                fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        except OSError:
            return False  # there is no lock file yet, or none can be asked
        return False

    def _clear_leftovers(self) -> None:
        """Half-written files of a run that was killed."""
        for folder in (self.path, self.results, self.feedback):
            for path in folder.glob(".*.part"):
                path.unlink(missing_ok=True)


def new_settings(assignment: Assignment, seed: int | None) -> BatchSettings:
    return BatchSettings(
        id=uuid.uuid4().hex,
        created_at=datetime.now(timezone.utc),
        assignment=assignment.id,
        assignment_root=str(assignment.root),
        seed=seed if seed is not None else secrets.randbelow(SEEDS),
    )
