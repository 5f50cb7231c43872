"""Every way to fail as a page: what happened, that nothing is lost, and what to do now."""

from __future__ import annotations

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from grader.classroom.gradebook import GradebookError
from grader.errors import GraderError
from grader.exports.classgrades import ExportError
from grader.review.desk_records import ConflictError, DeskError, NoSuchSubmission, ReadOnlyError
from grader.review.entry import login_page
from grader.review.forms import Form, local_path
from grader.review.guard import READING, Refusal
from grader.review.rendering import here, page, refusal_page
from grader.review.site import FormExpired, NotSignedIn, Site, site_of, visitor_of

# What a person typed, as opposed to what the page sends along.
_TYPED = {"text": "Your comment", "why": "Your reason", "points": "Your points"}
_STATUS: tuple[tuple[type[GraderError], int], ...] = (
    (NoSuchSubmission, 404),
    (ReadOnlyError, 403),
    (FormExpired, 403),
    (DeskError, 400),
    (ExportError, 400),
    (GradebookError, 503),
)
_TITLES = {
    400: "That cannot be done",
    403: "That is not allowed here",
    404: "There is no such page",
    405: "There is no such page",
    409: "Somebody was faster",
    500: "Something went wrong",
    503: "The gradebook cannot be used now",
}


def add_failures(app: FastAPI) -> None:
    """Let every exception end as a page."""
    app.add_exception_handler(NotSignedIn, _not_signed_in)
    app.add_exception_handler(GraderError, _failed)
    app.add_exception_handler(HTTPException, _refused)
    app.add_exception_handler(RequestValidationError, _not_found)
    app.add_exception_handler(Exception, _broken)


def _form(request: Request) -> Form:
    """The form that was being taken; an empty one if there was none."""
    found: Form = getattr(request.state, "form", Form({}))
    return found


def _typed(form: Form) -> list[tuple[str, str]]:
    return [(label, form.text(name)) for name, label in _TYPED.items() if form.text(name)]


def _not_signed_in(request: Request, err: Exception) -> Response:
    assert isinstance(err, NotSignedIn)
    is_reading = request.method in READING
    back = here(request) if is_reading else local_path(_form(request).one("back"))
    back = "/" if back.startswith(("/enter", "/login")) else back
    site = site_of(request)
    problem = "" if site.accounts.names() and is_reading else err.message
    return login_page(request, site, back=back, status=403, problem=problem, typed=_typed(_form(request)))


def _failed(request: Request, err: Exception) -> Response:
    """What was refused, with the form as it was sent, so that it can be corrected and sent again."""
    assert isinstance(err, GraderError)
    site, form = site_of(request), _form(request)
    status = 409 if isinstance(err, ConflictError) else _status(err)
    try:
        visitor = visitor_of(request, site)
    except NotSignedIn:
        return refusal_page(Refusal(status, err.message, err.hint))
    shown = {
        "title": _TITLES[status],
        "message": err.message,
        "hint": err.hint,
        "meanwhile": err.meanwhile if isinstance(err, ConflictError) else (),
        "form": form,
        "action": request.url.path,
        "version": site.desk.version() if status != 503 else 0,
        "is_again": bool(form.fields)
        and status in (400, 403, 409, 503)
        and not isinstance(err, ReadOnlyError),
        "back": local_path(form.one("back")),
    }
    return page(request, site, visitor, "failed.html", status, **shown)


def _status(err: GraderError) -> int:
    return next((status for kind, status in _STATUS if isinstance(err, kind)), 500)


def _refused(request: Request, err: Exception) -> Response:
    assert isinstance(err, HTTPException)
    return _plain(request, err.status_code, "The address has no page, or not any more.")


def _not_found(request: Request, err: Exception) -> Response:
    return _plain(request, 404, "The address has no page, or not any more.")


def _broken(request: Request, err: Exception) -> Response:
    """A bug of ours; the server's log has the traceback."""
    return _plain(request, 500, "The pages themselves failed. What was stored before is still there.")


def _plain(request: Request, status: int, message: str) -> Response:
    site: Site = site_of(request)
    try:
        visitor = visitor_of(request, site)
    except NotSignedIn as err:
        return _not_signed_in(request, err)
    shown = {
        "title": _TITLES.get(status, _TITLES[500]),
        "message": message,
        "hint": "Go to the class and find it from there.",
        "meanwhile": (),
        "form": _form(request),
        "action": "",
        "version": 0,
        "is_again": False,
        "back": "/",
    }
    return page(request, site, visitor, "failed.html", status, **shown)
