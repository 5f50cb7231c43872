"""The desk: all that a TA reads and does in a class, without any page. Every call is its own transaction.

Safe for several threads, and for several desks on one batch. Nothing that was done is overwritten: acts are
rows, what they show is worked out, and files (`grades.csv`, the students' pages) follow the gradebook.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path

from sqlalchemy import Connection, Engine, select

from grader.classroom.folder import BatchFolder, BatchSettings
from grader.classroom.gradebook import Action, Comment, open_database, tables
from grader.classroom.gradebook.actions import last_number, list_actions, read_action
from grader.classroom.gradebook.counting import read_grades
from grader.classroom.gradebook.transactions import connected
from grader.classroom.publishing import publish, publish_pages
from grader.errors import GraderError
from grader.printable import printable
from grader.report.schema import Report
from grader.review.desk_actions import Acting, clean_name, plain, undo
from grader.review.desk_clusters import read_clusters
from grader.review.desk_listing import (
    find_around,
    read_distribution,
    read_facets,
    read_ids,
    read_listing,
)
from grader.review.desk_query import Query
from grader.review.desk_records import (
    Acted,
    Around,
    Cluster,
    DeskError,
    Distribution,
    Download,
    Facets,
    Listing,
    ReadOnlyError,
    Sources,
    SubmissionView,
)
from grader.review.desk_sources import SourceReader
from grader.review.desk_titles import Titles, newest_run, read_titles
from grader.review.desk_view import read_run, read_submission

MAX_PATH, MAX_STEM, LAST_LINE = 400, 400, 1_000_000
_EVERYBODY = Query()


@contextmanager
def open_desk(folder: Path, database: str | None = None, read_only: bool = False) -> Iterator[Desk]:
    """The desk of the batch in `folder`; `database` is the URL that its gradebook was kept in, if any.

    Raises:
        DeskError: there is no batch, or its gradebook is missing. FolderError, GradebookError.
    """
    batch = BatchFolder(folder)
    settings = batch.read_settings()
    shown = printable(str(folder), one_line=True)
    if settings is None:
        raise DeskError(f"`{shown}` holds no batch.", hint="Grade a class with `grade batch` first.")
    if database is None and not batch.gradebook.is_file():
        raise DeskError(
            f"`{shown}` has no gradebook.",
            hint=f"Run `grade batch -o {shown}` once more, or name its database with --db.",
        )
    with open_database(database or batch.gradebook) as engine:
        with connected(engine) as connection:
            title = connection.execute(
                select(tables.batches.c.title).where(tables.batches.c.id == settings.id)
            ).scalar()
        if title is None:
            raise DeskError(
                "The gradebook does not know this batch.",
                hint=f"Run `grade batch -o {shown}` once more, or name its database with --db.",
            )
        if not read_only:
            _catch_up(batch, engine, settings.id)
        yield Desk(batch, settings, title, engine, database, read_only)


def _catch_up(batch: BatchFolder, engine: Engine, name: str) -> None:
    """A desk that was killed may have stored an act and not written the files that show it."""
    try:
        publish(batch, engine, name)
    except GraderError as err:
        raise DeskError(err.message, hint="To look only, start with --read-only.") from err


@dataclass
class Desk:
    """One class. `seen` of every act is what `version()` was when its page was made."""

    folder: BatchFolder
    settings: BatchSettings
    title: str
    engine: Engine
    database: str | None = None
    is_read_only: bool = False
    _titles: Titles = field(default_factory=Titles)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self._sources = SourceReader(self.settings)

    @property
    def batch(self) -> str:
        return self.settings.id

    # Reading

    def version(self) -> int:
        """The number of the last act in this class; 0 while there is none."""
        with connected(self.engine) as connection:
            return last_number(connection, self.batch)

    def listing(self, query: Query = _EVERYBODY) -> Listing:
        with connected(self.engine) as connection:
            return read_listing(connection, self.batch, query)

    def ids(self, query: Query = _EVERYBODY) -> tuple[str, ...]:
        """All that fit, in the order of the listing."""
        with connected(self.engine) as connection:
            return read_ids(connection, self.batch, query)

    def facets(self) -> Facets:
        with connected(self.engine) as connection:
            return read_facets(connection, self.batch, self._known_titles(connection))

    def distribution(self, query: Query = _EVERYBODY) -> Distribution:
        with connected(self.engine) as connection:
            return read_distribution(connection, self.batch, query)

    def clusters(self, query: Query = _EVERYBODY, least: int = 2) -> tuple[Cluster, ...]:
        """Those among the ones that fit who fail alike, at least so many, largest first."""
        with connected(self.engine) as connection:
            return read_clusters(connection, self.batch, self._known_titles(connection), query, least)

    def cluster(self, key: str) -> Cluster | None:
        """One of them, also with one member; None if nobody fails like that (any more)."""
        found = self.clusters(Query(cluster=key), least=1) if key else ()
        return next((one for one in found if one.key == key), None)

    def submission(self, submission: str) -> SubmissionView:
        """Raises: NoSuchSubmission."""
        with connected(self.engine) as connection:
            return read_submission(connection, self.batch, submission)

    def around(self, submission: str, query: Query = _EVERYBODY) -> Around:
        return find_around(self.ids(query), submission)

    def report(self, run: str) -> Report | None:
        """The report of any run, as the grader gave it."""
        with connected(self.engine) as connection:
            return read_run(connection, run)

    def source_files(self, submission: str) -> Sources:
        """What was handed in as it lies there now. Raises: NoSuchSubmission."""
        return self._sources.sources(submission, self.submission(submission).report)

    def download(self, submission: str) -> tuple[Download, ...]:
        """The files as they were handed in. Raises: NoSuchSubmission, GraderError."""
        self.submission(submission)
        return self._sources.download(submission)

    def history(
        self, submission: str | None = None, limit: int = 100, before: int | None = None
    ) -> tuple[Action, ...]:
        """Who did what, newest first; `before` is the number that a page goes on from."""
        with connected(self.engine) as connection:
            return list_actions(connection, self.batch, submission=submission, before=before, limit=limit)

    def action(self, number: int) -> Action | None:
        with connected(self.engine) as connection:
            return read_action(connection, self.batch, number)

    def scores(self, submissions: Sequence[str]) -> Mapping[str, float | None]:
        """The scores that count."""
        with connected(self.engine) as connection:
            grades = read_grades(connection, self.batch, submissions)
        return {grade.submission: grade.score for grade in grades}

    # Doing. All raise ReadOnlyError, ConflictError, NoSuchSubmission, and DeskError for what makes no sense.

    def override(
        self,
        who: str,
        submissions: str | Sequence[str],
        exercise: str,
        points: float | None,
        why: str,
        seen: int,
        check: str = "",
    ) -> Acted:
        """Give other points for a check or a whole exercise; None: the grader's again."""
        acting = self._acting(who, submissions, seen)
        return self._published(acting.override(exercise, check or "", points, why), acting.submissions)

    def comment(
        self,
        who: str,
        submissions: str | Sequence[str],
        text: str,
        seen: int,
        exercise: str = "",
        check: str = "",
        path: str = "",
        line: int | None = None,
        staff_only: bool = False,
    ) -> Acted:
        """Say something on the whole, an exercise, a check or a line; students see it unless `staff_only`."""
        if max(len(exercise), len(check)) > MAX_STEM or len(path) > MAX_PATH:
            raise DeskError("There is nothing of such a long name to comment on.")
        if line is not None and not (path and 1 <= line <= LAST_LINE):
            raise DeskError("A comment on a line names its file, and a line from 1 on.")
        acting = self._acting(who, submissions, seen)
        clean = [plain(name) for name in (exercise, check, path)]
        now = datetime.now(timezone.utc)
        new = Comment(
            submission="", thread="", run="", exercise=clean[0], check=clean[1], path=clean[2], line=line,
            text=text, staff_only=staff_only, who=acting.who, made_at=now, action=0,
        )  # fmt: skip
        return self._published(acting.comment(new), acting.submissions)

    def revise_comment(
        self,
        who: str,
        submissions: str | Sequence[str],
        thread: str,
        text: str | None,
        seen: int,
        staff_only: bool | None = None,
    ) -> Acted:
        """Put another text over a comment, or withdraw it (None), in these submissions only."""
        acting = self._acting(who, submissions, seen)
        return self._published(acting.revise(thread, text, staff_only), acting.submissions)

    def mark(self, who: str, submissions: str | Sequence[str], is_done: bool, seen: int) -> Acted:
        """Say that these are done, or not; no file shows it."""
        return Acted(self._acting(who, submissions, seen).mark(is_done))

    def undo(self, who: str, number: int, seen: int) -> Acted:
        """Take back exactly that act; of an undo: do it again."""
        self._check_writable()
        action = undo(self.engine, self.batch, clean_name(who), number, seen)
        return self._published(action, self.targets(number))

    def ask_for_regrade(self, who: str, submissions: Sequence[str]) -> Acted:
        """Only note who asked; `desk_regrade.Regrade` calls it and then grades."""
        return Acted(self._acting(who, submissions, 0).ask_for_regrade())

    def targets(self, number: int) -> tuple[str, ...]:
        """The ids of all submissions that an act is about."""
        targets = tables.action_targets
        query = select(targets.c.submission).where(targets.c.action == number, targets.c.batch == self.batch)
        with connected(self.engine) as connection:
            return tuple(connection.execute(query.order_by(targets.c.submission)).scalars())

    def _acting(self, who: str, submissions: str | Sequence[str], seen: int) -> Acting:
        self._check_writable()
        ids = (submissions,) if isinstance(submissions, str) else tuple(submissions)
        with connected(self.engine) as connection:
            titles = self._known_titles(connection)
        return Acting(self.engine, self.batch, titles, clean_name(who), ids, seen)

    def _check_writable(self) -> None:
        if self.is_read_only:
            raise ReadOnlyError("These pages are for reading only.", hint="Start them without --read-only.")

    def _published(self, action: Action, submissions: Sequence[str]) -> Acted:
        """What was done stays done when a file that shows it cannot be written; the next act tries again.

        While a batch is at work the pages are its own: it brings them up to date at its end.
        """
        pages = () if self.folder.is_locked() else submissions
        try:
            if action.thing == "points":
                publish(self.folder, self.engine, self.batch, pages)
            elif action.thing == "comment":
                publish_pages(self.folder, self.engine, self.batch, pages)
        except GraderError as err:
            return Acted(action, f"It is stored, but {err.message[:1].lower()}{err.message[1:]}")
        return Acted(action)

    def _known_titles(self, connection: Connection) -> Titles:
        """As the newest run has them; its report is read once."""
        run = newest_run(connection, self.batch)
        with self._lock:
            if run and run != self._titles.run:
                self._titles = read_titles(connection, run)
            return self._titles
