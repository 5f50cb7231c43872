"""Where the pages are reached, and what a request must therefore say about itself.

A browser always sends the Host that it was told to open. A page of somebody else whose name was made to point
at this machine (DNS rebinding) sends another one, so only the Hosts that we print ourselves are answered.
"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from urllib.parse import urlsplit

from grader.errors import GraderError

LOOPBACK = "127.0.0.1"
_DEFAULT_PORTS = {"http": 80, "https": 443}


class AddressError(GraderError):
    """An address or URL that cannot be used; nothing was started."""


@dataclass(frozen=True)
class Address:
    """`host` and `port` are listened on; `public_url` is what people open, without a slash at its end."""

    host: str
    port: int
    public_url: str = ""

    @property
    def is_loopback(self) -> bool:
        return is_loopback(self.host)

    @property
    def url(self) -> str:
        return self.public_url or f"http://{_bracketed(self.host)}:{self.port}"

    @property
    def is_https(self) -> bool:
        return self.url.startswith("https://")

    @property
    def origins(self) -> frozenset[str]:
        """What `Origin` may say. Behind a proxy only the public one: nobody opens the inner one."""
        if self.public_url:
            return frozenset({_origin(self.public_url)})
        names = {_bracketed(self.host)}
        if self.is_loopback:
            names |= {LOOPBACK, "localhost", "[::1]"}
        return frozenset(_origin(f"http://{name}:{self.port}") for name in names)

    @property
    def hosts(self) -> frozenset[str]:
        """What `Host` may say, in lower case; a default port may be named or not."""
        return frozenset(host for origin in self.origins for host in _hosts(origin))


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def parse_listen(text: str) -> tuple[str, int]:
    """Host and port of `HOST:PORT`, as in `0.0.0.0:8000` or `[::]:8000`.

    Raises:
        AddressError: it is none.
    """
    host, colon, port = text.rpartition(":")
    host = host.strip("[]")
    if not colon or not host or not port.isascii() or not port.isdigit() or int(port) > 65535:
        raise AddressError(f"`{text}` is no address.", hint="It is HOST:PORT, as in `0.0.0.0:8000`.")
    return host, int(port)


def parse_public_url(text: str) -> str:
    """The URL that people open, in its plain form.

    Raises:
        AddressError: it is no http(s) URL of a host alone.
    """
    hint = "It is the scheme and host that people open, as in `https://review.example.edu`."
    try:
        parts = urlsplit(text)
        usable = parts.scheme in _DEFAULT_PORTS and bool(parts.hostname) and parts.port != 0
    except ValueError:
        raise AddressError(f"`{text}` is no URL.", hint=hint) from None
    if not usable or parts.path not in ("", "/") or parts.query or parts.fragment or parts.username:
        raise AddressError(f"`{text}` cannot be the address of the review pages.", hint=hint)
    return _origin(text)


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _origin(url: str) -> str:
    """Scheme, host and port as browsers write them: lower case, without a default port."""
    parts = urlsplit(url)
    host = _bracketed((parts.hostname or "").lower())
    port = parts.port
    named = "" if port is None or port == _DEFAULT_PORTS.get(parts.scheme) else f":{port}"
    return f"{parts.scheme}://{host}{named}"


def origin_of(url: str) -> str:
    """The origin of any URL, empty if it has none."""
    try:
        return _origin(url) if urlsplit(url).hostname else ""
    except ValueError:
        return ""


def _hosts(origin: str) -> tuple[str, ...]:
    parts = urlsplit(origin)
    if parts.port is not None:
        return (parts.netloc,)
    return parts.netloc, f"{parts.netloc}:{_DEFAULT_PORTS[parts.scheme]}"
