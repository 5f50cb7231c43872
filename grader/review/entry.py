"""How somebody gets in: by the token of the printed link, or by name and password; and out again."""

from __future__ import annotations

import hmac
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from grader.review.forms import AnyForm, OwnForm, local_path
from grader.review.rendering import page, plural
from grader.review.sessions import TURN_S
from grader.review.site import NotSignedIn, Site, TheSite, TheVisitor

router = APIRouter()

_SEE_OTHER = 303
_TOO_MANY = 429


@router.get("/enter")
def enter(site: TheSite, token: str = "") -> Response:
    """The printed link: its token becomes a cookie, and the address no longer has it."""
    if not site.token or not hmac.compare_digest(site.token.encode(), token.encode("utf-8", "replace")):
        raise NotSignedIn("This link does not open these pages.")
    return _welcome(site, site.who, "/")


@router.get("/login")
def show_login(request: Request, site: TheSite, back: str = "/") -> HTMLResponse:
    return login_page(request, site, back=local_path(back))


@router.post("/login")
def log_in(request: Request, site: TheSite, form: AnyForm) -> Response:
    """Name and password for a session. How long it takes does not tell whether the name exists."""
    name, back = form.one("name"), local_path(form.one("back"))

    def refuse(problem: str, status: int) -> Response:
        return login_page(request, site, back=back, name=name, problem=problem, status=status)

    if site.token:
        raise NotSignedIn("These pages are opened by their link; there are no accounts.")
    wait_s = site.tries.wait_s(name)
    if wait_s > 0:
        minutes = plural(int(wait_s) // 60 + 1, "minute")
        answer = refuse(f"Too many wrong passwords for this name: try again in {minutes}.", _TOO_MANY)
        answer.headers["Retry-After"] = str(int(wait_s) + 1)
        return answer
    if not site.tries.turn.acquire(timeout=TURN_S):
        return refuse("Too many people sign in at once: try again in a minute.", _TOO_MANY)
    try:
        # The password as it was typed: spaces at its ends are part of it.
        is_right = site.accounts.check(name, form.fields.get("password", ("",))[0])
    finally:
        site.tries.turn.release()
    if not is_right:
        site.tries.failed(name)
        return refuse("Name and password do not belong together.", 403)
    site.tries.succeeded(name)
    return _welcome(site, name, back)


@router.post("/logout")
def log_out(request: Request, site: TheSite, visitor: TheVisitor, form: OwnForm) -> Response:
    site.sessions.end(request.cookies.get(site.cookie, ""))
    answer = RedirectResponse("/login", _SEE_OTHER)
    answer.delete_cookie(
        site.cookie, path="/", secure=site.address.is_https, httponly=True, samesite="strict"
    )
    return answer


def _welcome(site: Site, name: str, back: str) -> Response:
    answer = RedirectResponse(back, _SEE_OTHER)
    answer.set_cookie(
        site.cookie,
        site.sessions.begin(name),
        path="/",
        secure=site.address.is_https,
        httponly=True,
        samesite="strict",
    )
    return answer


def login_page(
    request: Request, site: Site, *, back: str = "/", status: int = 200, **shown: Any
) -> HTMLResponse:
    """The way in. `shown` may hold `problem`, `name`, and `typed`: texts of a form that came too late."""
    defaults = {"problem": "", "name": "", "typed": [], "back": back}
    return page(request, site, None, "login.html", status, **{**defaults, **shown})
