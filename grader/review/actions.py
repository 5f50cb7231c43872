"""What a TA does: each form does one thing, then leads back to where it was sent from.

A form says which submissions it is about, and which was the last action when its page was made; what others
did since to the same thing is a conflict, and nothing is written.
The form is read first, also where nobody is signed in any more: what was typed is then shown again.
"""

from __future__ import annotations

from urllib.parse import parse_qsl

from fastapi import APIRouter
from starlette.responses import RedirectResponse

from grader.review.desk_query import Query
from grader.review.desk_records import Acted, DeskError
from grader.review.forms import Form, OwnForm, local_path, with_query
from grader.review.site import Site, TheSite, TheVisitor

router = APIRouter(prefix="/act")

_SEE_OTHER = 303


def _chosen(site: Site, form: Form) -> tuple[str, ...]:
    """The submissions that a form is about: those named, or all that a filter fits.

    Raises:
        DeskError: there are none.
    """
    names = form.all("submission")
    if form.one("scope") == "all":
        names = site.desk.ids(Query.from_params(dict(parse_qsl(form.one("query")))))
    if not names:
        raise DeskError("No submission is chosen.", hint="Tick at least one, or choose all that are listed.")
    return tuple(dict.fromkeys(names))


def _refuse_unsent(form: Form) -> None:
    """What was typed into a form belongs to another of its buttons, and must not be dropped.

    Raises:
        DeskError: there is such a text.
    """
    if form.text("text") or form.text("why"):
        raise DeskError(
            "There is a text in the form that this button does not store.",
            hint="Go back and press the button beside it first; or empty it here and send this again.",
        )


def _points(form: Form) -> float:
    text = form.one("points").replace(",", ".")
    try:
        return float(text)
    except ValueError:
        hint = "Points are a number, as in `2.5`."
        raise DeskError(f"`{text}` is no number of points.", hint=hint) from None


def _back(site: Site, form: Form, acted: Acted) -> RedirectResponse:
    site.warnings.keep(acted.action.number, acted.warning)
    back = local_path(form.one("back"))
    return RedirectResponse(with_query(back, said=acted.action.number), _SEE_OTHER)


@router.post("/override")
def override(form: OwnForm, site: TheSite, visitor: TheVisitor) -> RedirectResponse:
    """Points for a check, or for an exercise where no check is named, or the grader's again."""
    points = None if form.one("how") == "withdraw" else _points(form)
    acted = site.desk.override(
        visitor.name,
        _chosen(site, form),
        form.one("exercise"),
        points,
        form.text("why"),
        form.seen,
        check=form.one("check") or form.one("of"),
    )
    return _back(site, form, acted)


@router.post("/comment")
def comment(form: OwnForm, site: TheSite, visitor: TheVisitor) -> RedirectResponse:
    acted = site.desk.comment(
        visitor.name,
        _chosen(site, form),
        form.text("text"),
        form.seen,
        exercise=form.one("exercise"),
        check=form.one("check"),
        path=form.one("path"),
        line=form.whole("line") if form.one("line") else None,
        staff_only=bool(form.one("staff_only")),
    )
    return _back(site, form, acted)


@router.post("/revise")
def revise(form: OwnForm, site: TheSite, visitor: TheVisitor) -> RedirectResponse:
    """Another text for a comment, or none."""
    text = None if form.one("how") == "withdraw" else form.text("text")
    acted = site.desk.revise_comment(visitor.name, _chosen(site, form), form.one("thread"), text, form.seen)
    return _back(site, form, acted)


@router.post("/mark")
def mark(form: OwnForm, site: TheSite, visitor: TheVisitor) -> RedirectResponse:
    _refuse_unsent(form)
    acted = site.desk.mark(visitor.name, _chosen(site, form), form.one("how") != "open", form.seen)
    return _back(site, form, acted)


@router.post("/undo")
def undo(form: OwnForm, site: TheSite, visitor: TheVisitor) -> RedirectResponse:
    return _back(site, form, site.desk.undo(visitor.name, form.whole("number"), form.seen))


@router.post("/regrade")
def regrade(form: OwnForm, site: TheSite, visitor: TheVisitor) -> RedirectResponse:
    """Grade again what was chosen; the page of the regrade tells how it goes."""
    _refuse_unsent(form)
    site.regrades.start(site.desk, visitor.name, _chosen(site, form))
    return RedirectResponse(with_query("/regrade", back=local_path(form.one("back"))), _SEE_OTHER)


@router.post("/stop")
def stop(form: OwnForm, site: TheSite, visitor: TheVisitor) -> RedirectResponse:
    site.regrades.stop()
    return RedirectResponse("/regrade", _SEE_OTHER)


@router.post("/selection")
def act_on_selection(form: OwnForm, site: TheSite, visitor: TheVisitor) -> RedirectResponse:
    """The one form around the list of a class, whose buttons say what is to be done with the chosen ones."""
    doings = {"comment": comment, "done": mark, "open": mark, "regrade": regrade}
    doing = doings.get(form.one("how"))
    if doing is None:
        raise DeskError(
            "The form does not say what is to be done.", hint="Go back and press one of its buttons."
        )
    return doing(form, site, visitor)
