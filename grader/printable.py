"""Makes text of unknown origin safe to show: nothing in it can move a cursor, hide or reorder a line.

Whatever a student's code prints or raises, and every name found in a submission, passes through here
before it reaches a report, a terminal or a log. Letters of every script stay as they are; control
characters, invisible and direction-changing ones and broken surrogates become visible escapes.
Standard library only, so every step may use it.
"""

from __future__ import annotations

import unicodedata

# Unicode categories that must not reach a reader raw: control, format (bidi, zero width), surrogate,
# private use, unassigned, and the line and paragraph separators that some viewers obey.
_UNSAFE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}

DEFAULT_LIMIT = 4000
"""Characters of one text that are shown unless the caller says otherwise."""


def printable(text: str, limit: int = DEFAULT_LIMIT, *, one_line: bool = False) -> str:
    """`text` with unsafe characters as visible escapes, at most `limit` characters long.

    Line ends become `\\n`; with `one_line` they and tabs are escaped too. A text that is too long ends
    with a note of how much is left out; the note counts towards `limit`. Applying it twice changes
    nothing.
    """
    # Escapes only make a text longer, so what lies beyond `limit` cannot be shown: do not look at it.
    head = text[: limit + 1].replace("\r\n", "\n")
    kept = "" if one_line else "\n\t"
    # Nearly every text is harmless, and then one look at the whole of it is fifty times as fast.
    is_plain = (head if one_line else head.replace("\n", "").replace("\t", "")).isprintable()
    safe = head if is_plain else "".join(c if c in kept or _is_safe(c) else _escape(c) for c in head)
    if len(text) <= limit and len(safe) <= limit:
        return safe
    note = f" [... {max(len(text), len(safe))} characters in all]"
    return safe[: max(0, limit - len(note))] + note[:limit]


def _is_safe(char: str) -> bool:
    return (char.isascii() and char.isprintable()) or unicodedata.category(char) not in _UNSAFE


def _escape(char: str) -> str:
    if char in _NAMED:
        return _NAMED[char]
    code = ord(char)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
