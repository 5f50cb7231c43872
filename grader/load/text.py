"""From the bytes of a file to its text, by Python's own rules, with clear words where that fails."""

from __future__ import annotations

import codecs
import io
import re
import tokenize

from grader.load.names import printable
from grader.load.raw import Unreadable

# Marks that show code in another order than it runs (CVE-2021-42574); a reviewer should know of them.
BIDIRECTIONAL = re.compile("[\u202a-\u202e\u2066-\u2069]")

# Encodings that people write text in. Others (punycode, unicode_escape, utf_7) only hide code or take long.
_CODECS = re.compile(
    r"utf-8(-sig)?|ascii|iso8859-\d+|cp\d+|gbk|gb2312|gb18030|big5(hkscs)?|hz|shift_jis\w*|euc_\w+"
    r"|iso2022_\w+|koi8-\w|mac-\w+|johab"
)
_SIGNATURES = (
    (b"%PDF", "a PDF file"),
    (b"PK\x03\x04", "a zip archive or an Office document"),
    (b"\xd0\xcf\x11\xe0", "an Office document"),
    (b"{\\rtf", "an RTF document"),
    (b"<!doctype", "a web page"),
    (b"<html", "a web page"),
    (b"\x7fELF", "a program"),
    (b"\x89PNG", "a picture"),
)


def decode_source(content: bytes, path: str) -> str:
    """The text with `\\n` line ends and without a byte order mark.

    Raises:
        Unreadable: it is another kind of file, UTF-16, holds NUL bytes, or does not fit its encoding.
    """
    head = content[:64].lstrip().lower()
    for signature, name in _SIGNATURES:
        if head.startswith(signature.lower()):
            raise Unreadable(
                f"`{path}` is {name}; expected Python code as plain text.",
                hint="Export the code as .py or .ipynb.",
            )
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise Unreadable(f"`{path}` is saved as UTF-16; expected UTF-8.", hint="Save it as UTF-8.")
    if b"\0" in content:
        raise _has_nul(content, path)
    encoding = _declared_encoding(content, path)
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as err:
        line = content.count(b"\n", 0, err.start) + 1
        raise Unreadable(
            f"`{path}` is not valid {encoding.upper().removesuffix('-SIG')} text: line {line} holds the byte "
            f"0x{content[err.start]:02x}.",
            hint="Save it as UTF-8, or name its encoding in the first line: `# -*- coding: gbk -*-`.",
        ) from err
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def _has_nul(content: bytes, path: str) -> Unreadable:
    share = content.count(0) / len(content)
    if 0.3 < share < 0.7:
        return Unreadable(f"`{path}` looks like UTF-16 text; expected UTF-8.", hint="Save it as UTF-8.")
    line = content.count(b"\n", 0, content.index(0)) + 1
    return Unreadable(
        f"`{path}` holds a NUL byte in line {line}; expected plain text.",
        hint="The file may be damaged: save it again as UTF-8.",
    )


def _declared_encoding(content: bytes, path: str) -> str:
    try:
        # The two lines that may hold a declaration, with any of the three line ends.
        head = io.BytesIO(re.sub(rb"\r\n?", b"\n", content[:4096]))
        encoding, _ = tokenize.detect_encoding(head.readline)
    except SyntaxError as err:
        if "unknown encoding" not in str(err.msg):
            return "utf-8"  # decoding the whole will say where it breaks
        raise Unreadable(
            f"`{path}` names an encoding that Python does not know ({printable(str(err.msg), 80)}).",
            hint="Save it as UTF-8 and remove the coding line.",
        ) from err
    if not _CODECS.fullmatch(codecs.lookup(encoding).name):
        raise Unreadable(
            f"`{path}` names the encoding `{printable(encoding, 40)}`; expected an ordinary text encoding.",
            hint="Save it as UTF-8 and remove the coding line.",
        )
    return encoding
