"""DIR/feedback/<id>.html: the student's page of every result, made when the result is.

A page that is there belongs to the result beside it: the old one is gone before a new result is written, so
a run that is killed leaves a page missing, never a wrong one, and the next run makes it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from grader.classroom.folder import BatchFolder
from grader.errors import GraderError
from grader.records import SourceText
from grader.report.schema import Report


@dataclass(frozen=True)
class Pages:
    """The pages of one batch; with `wanted` False none are made, and none are left that no longer hold."""

    folder: BatchFolder
    wanted: bool
    say: Callable[[str], None]

    def are_missing(self, submission_id: str) -> bool:
        return self.wanted and not self.folder.page_path(submission_id).is_file()

    def drop(self, submission_id: str) -> None:
        """The result is about to change."""
        self.folder.page_path(submission_id).unlink(missing_ok=True)

    def make(self, report: Report, sources: Iterable[SourceText]) -> None:
        """Draw and write the page. Whatever goes wrong costs the page, is told, and stops nobody."""
        if not self.wanted:
            return
        from grader.report.html import render_page
        from grader.report.writing import write_report

        name = report.submission.id
        try:
            page = render_page(report, "student", sources)
            self.folder.feedback.mkdir(exist_ok=True)
            write_report(self.folder.page_path(name), page, durable=False)
        except GraderError:
            raise  # the disk is full or the folder is gone: results could not be written either
        except Exception as err:  # noqa: BLE001  # a page is not worth a class
            self.say(f"No page for `{name}`: {type(err).__name__}: {err}")
