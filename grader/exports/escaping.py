"""Hostile text made harmless, for each language that a target reads. Control characters are gone already.

Every text of a report went through `printable`: no NUL, no escape sequence, nothing that reorders a line.
What is left to do is each target's own syntax.
"""

from __future__ import annotations

import html
import re
import string

_MARKDOWN = re.compile("([" + re.escape(string.punctuation.replace("<", "").replace(">", "")) + "])")
_XML_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def for_html(text: str) -> str:
    """Text for an element or a quoted attribute."""
    return html.escape(text, quote=True)


def for_html_block(text: str) -> str:
    """Text of several lines as preformatted HTML."""
    return f"<pre>{for_html(text)}</pre>"


def for_markdown(text: str) -> str:
    """Text on one line of GitHub's Markdown, also in a table: no markup, no link, no image."""
    one_line = " ".join(text.split())
    return _MARKDOWN.sub(r"\\\1", one_line).replace("<", "&lt;").replace(">", "&gt;")


def for_xml(text: str) -> str:
    """Text for a library that writes XML: what XML 1.0 cannot hold becomes a question mark."""
    return _XML_ILLEGAL.sub("?", text)


def for_command(text: str) -> str:
    """The message of a GitHub workflow command: one line, and no older command inside it."""
    percented = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return percented.replace("##[", "## [")


def for_property(text: str) -> str:
    """A property of a GitHub workflow command."""
    return for_command(text).replace(":", "%3A").replace(",", "%2C")


def without_tags(text: str) -> str:
    """Text for a target that may or may not read it as HTML: the same to a person either way."""
    return text.replace("<", "‹").replace(">", "›")
