"""The gradebook: every run of every submission, kept for ever; which grade counts is a query.

`tables` says what is stored, `database` opens one, `book` writes runs, `counting` and `grades` answer what
counts, `actions`, `overrides` and `comments` take what people do. Any database that SQLAlchemy knows; SQLite
in the batch's folder by default.
"""

from grader.classroom.gradebook.actions import Action
from grader.classroom.gradebook.book import Gradebook, StoredRun
from grader.classroom.gradebook.comments import Comment
from grader.classroom.gradebook.counting import Grade
from grader.classroom.gradebook.database import open_database
from grader.classroom.gradebook.grades import counting_grades, list_runs
from grader.classroom.gradebook.overrides import Override, add_override, list_overrides
from grader.classroom.gradebook.transactions import GradebookError

__all__ = [
    "Action",
    "Comment",
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
