"""Canvas: one assignment of a course by its REST interface, through canvasapi.

A PUT carries grade, comment and files of one student. Each comment is appended, so each carries a mark by
which it is found again when a sending had no clear end. Canvas throttles with 403 or 429; such a request was
not read and is sent again after the time that Canvas names. An error of its own (5xx) says nothing about what
arrived.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import requests
from canvasapi.course import Course
from canvasapi.exceptions import (
    CanvasException,
    Forbidden,
    InvalidAccessToken,
    RateLimitExceeded,
    Unauthorized,
)
from canvasapi.requester import Requester
from canvasapi.upload import Uploader
from requests.adapters import HTTPAdapter

from grader.exports.filling import is_same_number
from grader.exports.matching import Row
from grader.printable import printable
from grader.push.credentials import Secret, check_address
from grader.push.errors import PushError, RefusedError, UncertainError
from grader.push.ledger import Entry
from grader.push.patience import TIMEOUT_S, TRIES, is_throttled, pause_s, rest
from grader.push.planning import Standing, Step

PER_PAGE = 100
GRADING_TYPES = ("points", "percent", "letter_grade", "gpa_scale")
FEEDBACK_NAME = "feedback"
_SERVER_ERROR = 500


class AssignmentFacts(NamedTuple):
    """What Canvas says of the assignment; `maximum` is in points, None if it has none."""

    name: str
    maximum: float | None


class _Patient(HTTPAdapter):
    """Waits and sends again what Canvas did not read; reads are also sent again after its own errors."""

    def __init__(self, wait: Callable[[float], None]) -> None:
        super().__init__()
        self._pause = wait

    def send(self, request: requests.PreparedRequest, *args: Any, **choices: Any) -> requests.Response:
        choices["timeout"] = choices.get("timeout") or TIMEOUT_S
        for number in range(1, TRIES):
            response = super().send(request, *args, **choices)
            failed = response.status_code >= _SERVER_ERROR and request.method == "GET"
            if not failed and not is_throttled(response.status_code, response.headers, response.content):
                return response
            response.close()
            self._pause(pause_s(response.headers, number))
        return super().send(request, *args, **choices)


def _leave(request: requests.PreparedRequest) -> requests.PreparedRequest:
    return request


class CanvasDoor:
    """One assignment of one course."""

    def __init__(
        self,
        address: str,
        token: Secret,
        *,
        course: str,
        assignment: str,
        wait: Callable[[float], None] = rest,
    ) -> None:
        for what, number in (("course", course), ("assignment", assignment)):
            if not number.isdecimal() or not number.isascii():
                shown = printable(number, 80, one_line=True)
                raise PushError(f"`{shown}` is no number of a Canvas {what}; it stands in its address.")
        self.address = check_address(address, "address of Canvas")
        self.destination = f"canvas {self.address} courses/{course} assignments/{assignment}"
        self._requester = Requester(self.address, token.reveal())
        # canvasapi has no setting for waiting and time-outs; its session takes an adapter like any other.
        session = self._requester._session
        session.auth = _leave  # else a ~/.netrc would replace the token
        for protocol in ("https://", "http://"):
            session.mount(protocol, _Patient(wait))
        self._course = Course(self._requester, {"id": int(course)})
        self._number = int(assignment)
        self._submissions: dict[str, Any] = {}

    def facts(self) -> AssignmentFacts:
        """What the assignment is.

        Raises:
            PushError: Canvas does not give it, or its grades are no points.
        """
        with _translated(is_read=True):
            self._assignment = self._course.get_assignment(self._number)
        name = printable(str(self._assignment.name), 200, one_line=True)
        kind = getattr(self._assignment, "grading_type", "points")
        if kind not in GRADING_TYPES:
            raise PushError(
                f"The assignment `{name}` takes no points (it is graded as `{printable(kind, 80)}`).",
                hint="Set *Display Grade as* to Points in Canvas.",
            )
        maximum = getattr(self._assignment, "points_possible", None)
        return AssignmentFacts(name, float(maximum) if maximum else None)

    def roster(self) -> list[Row]:
        """The course's students; the row's key `lms_id` is Canvas' own number."""
        with _translated(is_read=True):
            people = list(self._course.get_users(enrollment_type=["student"], per_page=PER_PAGE))
        return [_row(number, person) for number, person in enumerate(people)]

    def standings(self) -> dict[str, Standing]:
        """What everybody has who is given the assignment, by Canvas' number of the student."""
        with _translated(is_read=True):
            found = list(self._assignment.get_submissions(per_page=PER_PAGE))
        self._submissions = {str(one.user_id): one for one in found}
        return {user: _standing(one) for user, one in self._submissions.items()}

    def send(self, step: Step) -> None:
        submission = self._submissions[step.user]
        fields: dict[str, Any] = {}
        if step.sends_grade:
            fields["submission"] = {"posted_grade": step.entry.grade}
        if step.comment or step.page:
            fields["comment"] = {"text_comment": _marked(step.comment, step.entry.mark)}
        with _translated():
            if step.page is not None:
                name = f"{FEEDBACK_NAME}{step.page.ending}"
                fields["comment"]["file_ids"] = [self._upload(step.user, name, step.page.content)]
            submission.edit(**fields)

    def has_received(self, user: str, entry: Entry) -> bool:
        with _translated(is_read=True):
            assignment = self._course.get_assignment(self._number)
            found = assignment.get_submission(int(user), include=["submission_comments"])
        if entry.mark:
            said = [str(one.get("comment", "")) for one in getattr(found, "submission_comments", None) or ()]
            return any(_mark_line(entry.mark) in text for text in said)
        return is_same_number(_standing(found).text, entry.grade)

    def _upload(self, user: str, name: str, content: bytes) -> int:
        place = f"courses/{self._course.id}/assignments/{self._number}/submissions/{user}/comments/files"
        with tempfile.TemporaryDirectory(prefix="push-") as folder:
            path = Path(folder) / name
            path.write_bytes(content)
            ended_well, answer = Uploader(self._requester, place, os.fspath(path)).start()
        number = answer.get("id")
        if not ended_well or not isinstance(number, int):
            raise RefusedError("Canvas did not take the feedback file.")
        return number


def _row(number: int, person: Any) -> Row:
    keys = {
        "lms_id": str(person.id),
        "sis_id": str(getattr(person, "sis_user_id", None) or ""),
        "login": str(getattr(person, "login_id", None) or ""),
        "email": str(getattr(person, "email", None) or ""),
    }
    name = str(getattr(person, "sortable_name", None) or getattr(person, "name", ""))
    return Row(number, printable(f"{name} ({person.id})", 200, one_line=True), keys, name)


def _standing(submission: Any) -> Standing:
    score = getattr(submission, "score", None)
    is_excused = bool(getattr(submission, "excused", False))
    return Standing(None if score is None else float(score), "excused in Canvas" if is_excused else "")


def _mark_line(mark: str) -> str:
    return f"[result {mark}]"


def _marked(text: str, mark: str) -> str:
    return f"{text}\n\n{_mark_line(mark)}".lstrip()


@contextmanager
def _translated(*, is_read: bool = False) -> Iterator[None]:
    """Turns the library's errors into ours; what only read and failed has left nothing in doubt."""
    try:
        yield
    except (InvalidAccessToken, Unauthorized) as err:
        raise PushError("Canvas refuses the token (401), or it may not grade here.", hint=_said(err)) from err
    except Forbidden as err:
        raise PushError("Canvas does not allow this (403).", hint=_said(err)) from err
    except RateLimitExceeded as err:
        raise PushError("Canvas is still too busy (429).", hint="Run the command again later.") from err
    except requests.RequestException as err:
        kind = UncertainError if not is_read else PushError
        raise kind(f"Canvas does not answer ({type(err).__name__}).") from err
    except CanvasException as err:
        raise _of_status(err, is_read) from err
    except (ValueError, KeyError, AttributeError) as err:
        # An answer that is not what the interface promises, such as a page for people.
        kind = UncertainError if not is_read else PushError
        raise kind("The answer is not one of Canvas' interface.", hint="Check --url.") from err


def _of_status(err: CanvasException, is_read: bool) -> PushError:
    said = _said(err)
    if is_read:
        return PushError(f"Canvas does not give what is asked for ({type(err).__name__}).", hint=said)
    if type(err) is CanvasException:  # the library's word for all codes without a class, so also for 5xx
        return UncertainError("Canvas failed.", hint=said)
    return RefusedError(f"Canvas refuses it ({type(err).__name__}).", hint=said)


def _said(err: Exception) -> str:
    return printable(str(err), 300, one_line=True)
