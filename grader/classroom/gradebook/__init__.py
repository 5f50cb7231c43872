"""The gradebook: every run of every submission, kept for ever; which grade counts is a query.

`tables` says what is stored, `database` opens one, `book` writes runs, `grades` answers what counts,
`overrides` takes a person's changes. Any database that SQLAlchemy knows; SQLite in the batch's folder by
default.
"""

from grader.classroom.gradebook.book import Gradebook, StoredRun
from grader.classroom.gradebook.database import GradebookError, open_database
from grader.classroom.gradebook.grades import Grade, counting_grades, list_runs
from grader.classroom.gradebook.overrides import Override, add_override, list_overrides

__all__ = [
    "Grade",
    "Gradebook",
    "GradebookError",
    "Override",
    "StoredRun",
    "add_override",
    "counting_grades",
    "list_overrides",
    "list_runs",
    "open_database",
]
