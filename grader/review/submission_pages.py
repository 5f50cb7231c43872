"""One submission: its page, its earlier runs, its pictures, its files."""

from __future__ import annotations

import io
import zipfile
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import quote

from fastapi import APIRouter, Request
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, Response

from grader.exports.classgrades import FEEDBACK_FOLDER
from grader.report.schema import Report
from grader.review.code_view import CodeFile, view_code
from grader.review.desk_query import Query
from grader.review.desk_records import Download, SubmissionView
from grader.review.rendering import page
from grader.review.site import Site, TheSite, TheVisitor

router = APIRouter()

# What a picture or a page made by the grader may do in a browser: show itself.
_PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
_PAGE_POLICY = f"{_PICTURE_POLICY}; img-src data:; frame-ancestors 'none'"
# `currentColor` of a picture in an <img> is its own; it follows the reader's theme.
_THEME = (
    "<style>svg{color:#1c2127;background:#fff;font-family:system-ui,Arial,sans-serif}"
    "@media(prefers-color-scheme:dark){svg{color:#e6e9ed;background:#1a2027}}</style>"
)


@router.get("/submissions/{name}")
def show_submission(
    request: Request, site: TheSite, visitor: TheVisitor, name: str, path: str = "", line: int = 0
) -> HTMLResponse:
    """Everything about one submission. `path` and `line` say where a comment is being written."""
    view = site.desk.submission(name)
    query = Query.from_params(request.query_params)
    sources = site.desk.source_files(name)
    shown: dict[str, Any] = {
        "view": view,
        "query": query,
        "around": site.desk.around(name, query),
        "sources": sources,
        "code": view_code(sources, view.report, view.comments),
        "writes_at": (path, line),
        "sizes": _cluster_sizes(site, view),
        "has_feedback": _feedback(site, name).is_file(),
        "version": view.version,
        "about": _about(view),
        "is_open": partial(_is_open, view, path),
        "results": {one.stem: one for one in view.report.exercises} if view.report else {},
    }
    return page(request, site, visitor, "submission.html", **shown)


def _is_open(view: SubmissionView, path: str, shown: CodeFile) -> bool:
    """Is there anything to look at in this file? What is all right, or still a stub, stays folded."""
    lost = {
        one.stem
        for one in view.exercises
        if one.status != "not_attempted" and (one.score is None or one.score < one.max_score)
    }
    return (
        not shown.file.stems
        or not lost.isdisjoint(shown.file.stems)
        or path == shown.file.path
        or shown.file.state not in ("same", "unknown")
        or bool(shown.stray)
        or any(line.comments for line in shown.lines)
    )


def _about(view: SubmissionView) -> list[str]:
    """What else is known of who handed it in, beside the name at the top."""
    person = view.person
    top = person["name"] or person["login"] or view.id
    known = [one for one in (view.id, person["login"], person["section"]) if one and one != top]
    if person["submitted"]:
        known.append(f"handed in {person['submitted']}")
    if person["attempt"] > 1:
        known.append(f"attempt {person['attempt']}")
    if person["members"]:
        known.append(f"group: {', '.join(person['members'].splitlines())}")
    return list(dict.fromkeys(known))


def _cluster_sizes(site: Site, view: SubmissionView) -> dict[str, int]:
    """How many fail like this one, by the cluster's key."""
    wanted = {exercise.cluster for exercise in view.exercises if exercise.cluster}
    return {one.key: one.size for one in site.desk.clusters() if one.key in wanted} if wanted else {}


@router.get("/submissions/{name}/runs/{run}")
def show_run(request: Request, site: TheSite, visitor: TheVisitor, name: str, run: str) -> HTMLResponse:
    """A report as it was, to look at."""
    view = site.desk.submission(name)
    report = _report(site, view, run)
    info = next(one for one in view.runs if one.id == run)
    return page(request, site, visitor, "run.html", view=view, report=report, info=info)


def _report(site: Site, view: SubmissionView, run: str) -> Report:
    """A run of this submission, and of no other."""
    report = site.desk.report(run) if any(one.id == run for one in view.runs) else None
    if report is None:
        raise HTTPException(404)
    return report


@router.get("/submissions/{name}/runs/{run}/{stem}/{number}.svg")
def show_picture(site: TheSite, visitor: TheVisitor, name: str, run: str, stem: str, number: int) -> Response:
    from grader.report.pictures import draw

    report = _report(site, site.desk.submission(name), run)
    pictures = next((one.pictures for one in report.exercises if one.stem == stem), ())
    if not 0 <= number < len(pictures):
        raise HTTPException(404)
    headers = {"Content-Security-Policy": _PICTURE_POLICY, "Cache-Control": "private, max-age=3600"}
    return Response(_standalone(draw(pictures[number])), media_type="image/svg+xml", headers=headers)


def _standalone(drawn: str) -> str:
    """An SVG that was drawn to stand within a page, as a file of its own."""
    start = drawn.index("<svg") + len("<svg")
    end = drawn.index(">", start) + 1
    return f'<svg xmlns="http://www.w3.org/2000/svg"{drawn[start:end]}{_THEME}{drawn[end:]}'


@router.get("/submissions/{name}/feedback")
def show_feedback(site: TheSite, visitor: TheVisitor, name: str) -> Response:
    """The page that the student gets, as it is."""
    site.desk.submission(name)
    try:
        content = _feedback(site, name).read_bytes()
    except OSError:
        raise HTTPException(404) from None
    return Response(content, media_type="text/html", headers={"Content-Security-Policy": _PAGE_POLICY})


def _feedback(site: Site, name: str) -> Path:
    return site.desk.folder.path / FEEDBACK_FOLDER / f"{name}.html"


@router.get("/submissions/{name}/files")
def download_files(site: TheSite, visitor: TheVisitor, name: str) -> Response:
    """What was handed in: one file as it is, more of them in a zip."""
    files = site.desk.download(name)
    if not files:
        raise HTTPException(404)
    if len(files) == 1:
        return attachment(PurePosixPath(files[0].name).name, files[0].content)
    return attachment(f"{name}.zip", _zipped(files))


def _zipped(files: tuple[Download, ...]) -> bytes:
    """The names as they were, but for parts that would lead out of the folder they are unpacked in."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in files:
            parts = [part for part in file.name.replace("\\", "/").split("/") if part not in ("", ".", "..")]
            archive.writestr("/".join(parts) or "file", file.content)
    return made.getvalue()


def attachment(name: str, content: bytes) -> Response:
    """A file to keep, never to open in the browser."""
    plain = "".join(c if c.isascii() and (c.isalnum() or c in "._- ") else "_" for c in name).strip(". ")
    encoded = quote(name.encode("utf-8", "replace"), safe="")
    said = f"attachment; filename=\"{plain or 'file'}\"; filename*=UTF-8''{encoded}"
    return Response(content, media_type="application/octet-stream", headers={"Content-Disposition": said})
