"""Pages from templates. Whatever is put into one is escaped twice over: as HTML, and as visible text.

Jinja escapes what a browser would read as markup. Before that, every text passes through `printable`, so that
no control or direction-changing character of a student's reaches a page: what is seen is what is there.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

from fastapi import Request
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape
from starlette.responses import HTMLResponse

from grader.printable import printable
from grader.report.html import with_code
from grader.report.schema import UNTOUCHED
from grader.report.wording import (
    DEVICE_WORDS,
    OUTCOME_SENTENCES,
    OUTCOME_WORDS,
    REPORT_WORDS,
    STATUS_WORDS,
    points_text,
    score_text,
    seconds_text,
)
from grader.review.forms import local_path
from grader.review.guard import Refusal
from grader.review.sessions import Visitor
from grader.review.site import Site

_HERE = Path(__file__).parent
STATIC = {"review.css": "text/css", "review.js": "text/javascript", "icon.svg": "image/svg+xml"}
REPORT_STATES = {str(status): said for status, said in REPORT_WORDS.items()} | {
    "not_graded": "Not graded yet"
}
_LONGEST_TEXT = 200_000  # characters of one text on a page


def _finalize(value: Any) -> Any:
    """What an expression of a template becomes; markup of our own stays as it is."""
    if value is None:
        return ""
    if isinstance(value, Markup) or not isinstance(value, str):
        return value
    return printable(value, _LONGEST_TEXT)


def as_typed(text: str) -> Markup:
    """What a person typed, for a field of a form, without a character changed."""
    return escape(text)


def when(time: datetime | None) -> Markup:
    """A moment in the time of the machine that serves, to the minute."""
    if time is None:
        return Markup("")
    local = time.astimezone()
    template = Markup('<time class="nowrap" datetime="{}">{}</time>')
    return template.format(local.isoformat(timespec="seconds"), local.strftime("%Y-%m-%d %H:%M"))


def plural(count: int, one: str, many: str = "") -> str:
    """`1 submission`, `2 submissions`."""
    return f"{count} {one if count == 1 else many or one + 's'}"


def tone(word: str) -> str:
    """The colour class of a status or an outcome."""
    if word in ("passed", "graded"):
        return "good"
    if word in ("partial", "needs_regrade", "harness_error", "skipped", "not_graded", "practice"):
        return "warn"
    return "bad"


def path_part(text: str) -> Markup:
    """An id as one part of a URL's path."""
    return Markup(quote(text, safe=""))


def words(name: str) -> str:
    """A misconception's name as people read it."""
    return name.replace("_", " ")


@lru_cache(maxsize=1)
def environment() -> Environment:
    """Everything that templates may use."""
    made = Environment(
        loader=FileSystemLoader(_HERE / "templates"),
        autoescape=True,
        finalize=_finalize,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "as_typed": as_typed,
        "path_part": path_part,
        "plural": plural,
        "points": points_text,
        "seconds": seconds_text,
        "ticks": with_code,
        "tone": tone,
        "when": when,
        "words": words,
    }
    made.globals |= {
        "DEVICE_WORDS": DEVICE_WORDS,
        "OUTCOME_SENTENCES": OUTCOME_SENTENCES,
        "OUTCOME_WORDS": OUTCOME_WORDS,
        "REPORT_WORDS": REPORT_STATES,
        "STATUS_WORDS": STATUS_WORDS,
        "UNTOUCHED": UNTOUCHED,
        "score_text": score_text,
        "static": static_url,
    }
    return made


@lru_cache(maxsize=8)
def static_file(name: str) -> bytes:
    return (_HERE / "static" / name).read_bytes()


@lru_cache(maxsize=8)
def static_url(name: str) -> str:
    """The digest in it changes with the file, so browsers may keep it."""
    return f"/static/{hashlib.sha256(static_file(name)).hexdigest()[:12]}/{name}"


def page(
    request: Request, site: Site, visitor: Visitor | None, template: str, status: int = 200, **shown: Any
) -> HTMLResponse:
    """A page in the common frame; `shown` is what the template needs beside it."""
    frame = {
        "site": site,
        "visitor": visitor,
        "here": here(request),
        "may_act": visitor is not None and not site.is_read_only,
        "said": _said(request, site, visitor),
    }
    text = environment().get_template(template).render({**frame, **shown})
    return HTMLResponse(text.encode("utf-8", "backslashreplace"), status)


def here(request: Request) -> str:
    """The path and query of this page, without what was said on it once."""
    query = "&".join(part for part in request.url.query.split("&") if part and not part.startswith("said="))
    path = quote(request.url.path)
    return local_path(f"{path}?{query}" if query else path)


def _said(request: Request, site: Site, visitor: Visitor | None) -> Mapping[str, Any] | None:
    """The action that led to this page, with what it could not do."""
    number = request.query_params.get("said", "")
    if visitor is None or not (number.isascii() and number.isdigit() and len(number) < 16):
        return None
    action = site.desk.action(int(number))
    return {"action": action, "warning": site.warnings.of(action.number)} if action else None


def refusal_page(refusal: Refusal) -> HTMLResponse:
    """What stands in place of a page for which nobody's session was looked up."""
    shown = {"title": refusal.title, "hint": refusal.hint, "frame": False}
    text = environment().get_template("refused.html").render(shown)
    return HTMLResponse(text, refusal.status)
