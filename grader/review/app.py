"""The application: all routes, every failure as a page, and the guard around everything."""

from __future__ import annotations

from fastapi import APIRouter, FastAPI, Request
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, Response

from grader.review import actions, class_pages, entry, exporting, submission_pages
from grader.review.failures import add_failures
from grader.review.forms import local_path
from grader.review.guard import Guard
from grader.review.rendering import STATIC, page, refusal_page, static_file, static_url
from grader.review.site import Site, TheSite, TheVisitor

router = APIRouter()


@router.get("/static/{digest}/{name}")
def show_static(digest: str, name: str) -> Response:
    """Our own style and script; the only thing that is shown to anybody."""
    if name not in STATIC or static_url(name) != f"/static/{digest}/{name}":
        raise HTTPException(404)
    headers = {"Cache-Control": "public, max-age=31536000, immutable"}
    return Response(static_file(name), media_type=STATIC[name], headers=headers)


@router.get("/regrade")
def show_regrade(request: Request, site: TheSite, visitor: TheVisitor, back: str = "/") -> HTMLResponse:
    """How the last regrade goes, or went."""
    last = site.regrades.last
    state = last.state if last is not None else None
    return page(request, site, visitor, "regrade.html", state=state, back=local_path(back))


def make_app(site: Site) -> Guard:
    """The whole of the pages for one site, as an ASGI application."""
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    app.state.site = site
    for part in (router, entry.router, class_pages.router, submission_pages.router, exporting.router):
        app.include_router(part)
    if not site.is_read_only:
        app.include_router(actions.router)
    add_failures(app)
    return Guard(app, site.address, refusal_page, is_read_only=site.is_read_only)
