"""Grade files to download, with every override and comment in them: those that need no file of the LMS."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, Request
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, Response

from grader.exports.classgrades import ExportError, read_class
from grader.exports.gradefile import Export, ExportRequest
from grader.exports.targets import load_gradefile, target_names
from grader.review.rendering import page
from grader.review.site import Site, TheSite, TheVisitor
from grader.review.submission_pages import attachment

router = APIRouter(prefix="/exports")


@dataclass(frozen=True)
class Target:
    """`why_not` says what `grade export` needs for it that a page has not; `export` is None then."""

    name: str
    title: str
    export: Export | None
    why_not: str = ""


def _targets(site: Site) -> list[Target]:
    request = ExportRequest(read_class(site.desk.folder.path, site.database))
    found = []
    for name in target_names("gradefiles"):
        gradefile = load_gradefile(name)
        try:
            found.append(Target(name, gradefile.title, gradefile.make(request)))
        except ExportError as err:
            found.append(Target(name, gradefile.title, None, err.message))
    return found


@router.get("")
def show_exports(request: Request, site: TheSite, visitor: TheVisitor) -> HTMLResponse:
    shown: dict[str, Any] = {"targets": _targets(site), "folder": site.desk.folder.path}
    return page(request, site, visitor, "exports.html", **shown)


@router.get("/{name}/{file}")
def download(site: TheSite, visitor: TheVisitor, name: str, file: str) -> Response:
    """One file of a target, made now."""
    if name not in target_names("gradefiles"):
        raise HTTPException(404)
    export = load_gradefile(name).make(ExportRequest(read_class(site.desk.folder.path, site.database)))
    found = next((one for one in export.files if one.name == file), None)
    if found is None:
        raise HTTPException(404)
    return attachment(found.name, found.content)
