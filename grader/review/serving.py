"""Starts the pages and ends them: one process, one port, nothing left behind."""

from __future__ import annotations

import socket
import sys
import webbrowser
from collections.abc import Callable
from types import FrameType

import uvicorn

from grader.errors import GraderError
from grader.review.address import Address
from grader.review.app import make_app
from grader.review.site import Site

_FINISH_S = 3  # for requests that are being answered when the end comes


class ServingError(GraderError):
    """The address cannot be listened on; nothing was started."""


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens there; port 0 takes any that is free.

    Raises:
        ServingError: it is taken, or not ours to take.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        opened = socket.create_server((host, port), family=family)
    except (OSError, OverflowError) as err:
        reason = getattr(err, "strerror", None) or str(err)
        raise ServingError(
            f"`{host}:{port}` cannot be listened on: {reason}.",
            hint="Name another port with --port, or none for one that is free.",
        ) from err
    opened.setblocking(False)
    return opened


class _Server(uvicorn.Server):
    """Says that it is ready only when it is, and leaves it to us what comes after its end."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._ready()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """A signal ends it in order, a second one at once; uvicorn's own would then kill the process."""
        self.force_exit = self.should_exit
        self.should_exit = True


def serve(site: Site, opened: socket.socket, *, opens_browser: bool) -> None:
    """Answer until Ctrl-C or a TERM signal; a regrade under way is ended too."""
    config = uvicorn.Config(
        make_app(site),
        log_level="warning",
        access_log=False,  # an address may hold the token
        server_header=False,
        proxy_headers=False,  # whoever asks could claim to be anybody
        timeout_graceful_shutdown=_FINISH_S,
        lifespan="off",
    )

    def say() -> None:
        link = link_of(site)
        print(_greeting(site, link), flush=True)
        if opens_browser:
            webbrowser.open(link)

    try:
        _Server(config, say).run(sockets=[opened])
    except KeyboardInterrupt:
        pass  # before the server had taken over
    finally:
        site.regrades.stop()
        opened.close()
    print("The pages are closed; everything that was said is kept.", file=sys.stderr)


def link_of(site: Site) -> str:
    return f"{site.address.url}/enter?token={site.token}" if site.token else f"{site.address.url}/"


def _greeting(site: Site, link: str) -> str:
    how = "Open this link" if site.token else "Open this address and sign in"
    lines = [f"{how}:", f"  {link}"]
    is_public = bool(site.address.public_url) or not site.address.is_loopback
    if is_public and not site.address.is_https:
        lines.append("It is not encrypted: put a proxy with https in front and name its --public-url.")
    lines.append("Ctrl-C ends it." + (" Nothing can be changed: --read-only." if site.is_read_only else ""))
    return "\n".join(lines)


def address_of(opened: socket.socket, host: str, public_url: str) -> Address:
    """The address with the port that the socket really has."""
    return Address(host, opened.getsockname()[1], public_url)
