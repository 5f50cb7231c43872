"""What a form sent, and where to go afterwards."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated
from urllib.parse import parse_qsl, urlencode, urlsplit

from fastapi import Depends, Request

from grader.review.desk_records import DeskError
from grader.review.site import FormExpired, TheVisitor

MAX_FORM_BYTES = 4 * 2**20  # the ids of a large class, and a long comment
MAX_FIELDS = 20_000
_OWN_FIELDS = frozenset({"csrf", "seen"})


@dataclass(frozen=True)
class Form:
    """The fields of a form, each with all its values."""

    fields: Mapping[str, tuple[str, ...]]

    def one(self, name: str) -> str:
        """The field's first value, stripped; empty if it was not sent."""
        return self.fields.get(name, ("",))[0].strip()

    def text(self, name: str) -> str:
        """What was typed into a text box, with line ends as Python has them."""
        return self.one(name).replace("\r\n", "\n")

    def all(self, name: str) -> tuple[str, ...]:
        return self.fields.get(name, ())

    def whole(self, name: str) -> int:
        """A whole number.

        Raises:
            DeskError: it is none.
        """
        text = self.one(name)
        if not (text.isascii() and text.isdigit() and len(text) < 16):
            raise DeskError(f"The form has no usable `{name}`.", hint="Open the page again and send it anew.")
        return int(text)

    @property
    def seen(self) -> int:
        return self.whole("seen")

    @property
    def again(self) -> list[tuple[str, str]]:
        """Everything that sends this form once more, but for what is made anew."""
        return [
            (name, value)
            for name, values in self.fields.items()
            if name not in _OWN_FIELDS
            for value in values
        ]


def parse_form(body: bytes) -> Form:
    """Raises DeskError: it is no form."""
    try:
        pairs = parse_qsl(body.decode("ascii"), keep_blank_values=True, max_num_fields=MAX_FIELDS)
    except ValueError:
        raise DeskError("The form cannot be read.", hint="Open the page again and send it anew.") from None
    fields: dict[str, list[str]] = {}
    for name, value in pairs:
        fields.setdefault(name, []).append(value)
    return Form({name: tuple(values) for name, values in fields.items()})


async def read_form(request: Request) -> Form:
    """The form of a request, which also stays with it for a page that tells of a failure."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_FORM_BYTES:
            raise DeskError(
                f"The form is larger than {MAX_FORM_BYTES // 2**20} MiB.", hint="Send less at once."
            )
    request.state.form = form = parse_form(body)
    return form


AnyForm = Annotated[Form, Depends(read_form)]


def own_form(form: AnyForm, visitor: TheVisitor) -> Form:
    """A form of this session's own pages.

    Raises:
        FormExpired: another site made it up, or it is from an earlier session.
    """
    if not visitor.sent(form.one("csrf")):
        raise FormExpired("This form is from an earlier session, or not from these pages.")
    return form


OwnForm = Annotated[Form, Depends(own_form)]


def local_path(text: str, default: str = "/") -> str:
    """`text` if it is a place on these pages, else `default`: nobody is sent anywhere else."""
    is_plain = text.isascii() and text.isprintable() and " " not in text and "\\" not in text
    if not is_plain or not text.startswith("/") or text.startswith("//"):
        return default
    parts = urlsplit(text)
    return default if parts.scheme or parts.netloc else text


def with_query(path: str, **parameters: object) -> str:
    """A local path with further parameters; those it has of the same name are replaced."""
    parts = urlsplit(path)
    kept = [(name, value) for name, value in parse_qsl(parts.query) if name not in parameters]
    query = urlencode([*kept, *((name, str(value)) for name, value in parameters.items())])
    fragment = f"#{parts.fragment}" if parts.fragment else ""
    return f"{parts.path}?{query}{fragment}" if query else f"{parts.path}{fragment}"
