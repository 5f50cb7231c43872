"""Names of people and files: compared, cleaned for printing, turned into ids that are safe and unique."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence

from grader.printable import printable

MAX_NAME_CHARACTERS = 200
MAX_ID_BYTES = 96  # leaves room for an ending within the 255 bytes that file systems allow
_RESERVED = frozenset(
    {"con", "prn", "aux", "nul", *(f"{port}{number}" for port in ("com", "lpt") for number in range(10))}
)
_HASH_CHARACTERS = 6


def clean(text: str) -> str:
    """A name on one line, without characters that hide or reorder others."""
    return printable(text.strip(), MAX_NAME_CHARACTERS, one_line=True)


def letters(text: str) -> str:
    """What is left of a name for comparing: letters and digits without case and accents."""
    plain = unicodedata.normalize("NFKD", text).casefold()
    return "".join(char for char in plain if char.isalnum())


def name_keys(name: str) -> frozenset[str]:
    """All forms under which a name may be written: `Doe, Jane`, `Jane Doe`, `doejane`."""
    words = [word for word in re.split(r"[\s,]+", name) if word]
    if not words:
        return frozenset()
    joined = {letters("".join(words))}
    for cut in range(1, len(words)):
        joined.add(letters("".join((*words[cut:], *words[:cut]))))
    return frozenset(joined - {""})


def common_start(names: Sequence[str], separator: str) -> str:
    """What all of at least two different names start with, up to and with the last separator in it."""
    if len(set(names)) < 2:
        return ""
    shortest = min(names, key=len)
    length = next(
        (place for place, char in enumerate(shortest) if any(name[place] != char for name in names)),
        len(shortest),
    )
    return shortest[: shortest.rfind(separator, 0, length) + 1]


def safe_id(text: str) -> str:
    """A file name on every system: letters and digits of any script, `-`, `_`, `.` and `+` inside only."""
    normal = unicodedata.normalize("NFC", text)
    kept = "".join(char if char.isalnum() or char in "-_.+" else "-" for char in normal)
    short = re.sub(r"-{2,}", "-", kept).strip("-._+")
    if len(short.encode("utf-8", "replace")) > MAX_ID_BYTES:
        room = MAX_ID_BYTES - _HASH_CHARACTERS - 1
        head = short.encode("utf-8", "replace")[:room].decode("utf-8", "ignore").rstrip("-._+")
        short = f"{head}-{_hash(text)}"
    if not short:
        return f"submission-{_hash(text)}"
    return f"_{short}" if short.split(".")[0].lower() in _RESERVED else short


def unique_ids(wanted: Sequence[tuple[str, str]]) -> list[str]:
    """Ids for (text, key) pairs with distinct keys; no two are equal, also where case is ignored.

    Those that clash get a piece of their key's hash, so that ids do not depend on the order.
    """
    plain = [safe_id(text) for text, _ in wanted]
    times = Counter(_folded(one) for one in plain)
    taken = {folded for folded, count in times.items() if count == 1}
    ids: list[str] = []
    for one, (_, key) in zip(plain, wanted, strict=True):
        chosen, length = one, _HASH_CHARACTERS
        while times[_folded(one)] > 1 and (chosen == one or _folded(chosen) in taken):
            chosen = f"{one}-{_hash(key, length)}"
            length += 2
        taken.add(_folded(chosen))
        ids.append(chosen)
    return ids


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKD", text.casefold())


def _hash(text: str, length: int = _HASH_CHARACTERS) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:length]
