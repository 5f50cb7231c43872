"""Makes a document fit a target's limit: longer texts are cut further, and single checks left out last."""

from __future__ import annotations

from collections.abc import Callable

from grader.errors import HarnessError

TEXT_CHARACTERS = (8192, 2048, 512, 128, 0)
"""Room for the text of one check, tried from the left. 0: only the whole, no single checks."""

_CUT = " [...]"
MIB = 1024 * 1024


def cut(text: str, characters: int) -> str:
    """`text`, at most `characters` long; a longer one says that it was cut."""
    if len(text) <= characters:
        return text
    return text[: max(0, characters - len(_CUT))] + _CUT[:characters]


def fit(render: Callable[[int], str], limit_bytes: int) -> str:
    """The first of `render(room)` that has at most `limit_bytes` bytes.

    Raises:
        HarnessError: not even the document without single checks fits.
    """
    text = ""
    for room in TEXT_CHARACTERS:
        text = render(room)
        if len(text.encode()) <= limit_bytes:
            return text
    raise HarnessError(f"The document has {len(text.encode())} bytes; the target takes {limit_bytes}.")
