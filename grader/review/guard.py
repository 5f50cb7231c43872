"""What every request must say before any page sees it, and what every answer says about itself.

Three things are asked, each enough alone against another site's page in the TA's browser: the Host is one of
ours, a request that changes anything comes from our own origin, and (later, in each form) it carries the
session's own CSRF token. Pages may load our style, script and pictures, and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from grader.review.address import Address, origin_of

READING = frozenset({"GET", "HEAD"})
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # With `no-referrer` browsers send `Origin: null` even to us; this one tells other sites nothing either.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    "Cache-Control": "no-store",
}


@dataclass(frozen=True)
class Refusal:
    """An answer in place of a page; `hint` says what to do."""

    status: int
    title: str
    hint: str


RefusalPage = Callable[[Refusal], Response]


class Guard:
    """ASGI middleware around the whole application."""

    def __init__(self, app: ASGIApp, address: Address, page: RefusalPage, *, is_read_only: bool) -> None:
        self._app = app
        self._address = address
        self._page = page
        self._is_read_only = is_read_only

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":  # no page opens a websocket
            await send({"type": "websocket.close", "code": 1008})
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        refusal = self._refusal(scope["method"], Headers(scope=scope))
        answer = self._app if refusal is None else self._page(refusal)
        await answer(scope, receive, send_with_headers)

    def _refusal(self, method: str, headers: Headers) -> Refusal | None:
        hosts = headers.getlist("host")
        if len(hosts) != 1 or hosts[0].lower() not in self._address.hosts:
            return Refusal(
                421,
                "This is not the address of the review pages",
                f"Open {self._address.url} as `grade review` printed it.",
            )
        if method in READING:
            return None
        if method != "POST":
            return Refusal(405, "Pages are read and forms are sent, nothing else", "Go back.")
        if not self._comes_from_us(headers):
            return Refusal(
                403,
                "This request came from another site and was refused",
                "Nothing was changed. Open the page here and send its form again.",
            )
        if self._is_read_only:
            return Refusal(
                403,
                "These pages are read-only",
                "Nothing was changed. Start `grade review` without --read-only to make changes.",
            )
        return None

    def _comes_from_us(self, headers: Headers) -> bool:
        if headers.get("sec-fetch-site", "same-origin") != "same-origin":
            return False
        said = headers.get("origin")
        origin = said if said is not None else origin_of(headers.get("referer", ""))
        return origin in self._address.origins
