from __future__ import annotations

import subprocess
import sys
import unicodedata

import pytest

from grader.printable import printable


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text", "plain text"),
        ("Jürgen 王 שלום é", "Jürgen 王 שלום é"),
        ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
        ("a\rb", "a\\rb"),
        ("a\r\nb\tc", "a\nb\tc"),
        ("\x00\x07\x08\x7f\x9b", "\\x00\\x07\\x08\\x7f\\x9b"),
        ("\u202eabc\u2066\u200b", "\\u202eabc\\u2066\\u200b"),
        ("\u2028\u2029", "\\u2028\\u2029"),
        ("\ud800", "\\ud800"),
        ("\U000e0041", "\\U000e0041"),
    ],
)
def test_unsafe_characters_become_visible_escapes(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_one_line_has_no_line_end() -> None:
    assert printable("a\nb\tc\r\n", one_line=True) == "a\\nb\\tc\\n"


def test_long_text_is_capped_and_says_so() -> None:
    shown = printable("x" * 500, 100)
    assert len(shown) == 100
    assert shown.endswith("x [... 500 characters in all]")


def test_huge_text_is_not_read_to_its_end() -> None:
    assert len(printable("\x1b" * 50_000_000, 100)) == 100


@pytest.mark.parametrize("limit", [0, 1, 10, 50, 5000])
def test_any_text_becomes_safe_capped_and_stable(limit: int) -> None:
    text = "".join(chr(code) for code in range(0x3000)) + "".join(map(chr, range(0xD7F0, 0xE010)))
    shown = printable(text, limit)
    assert len(shown) <= limit
    assert printable(shown, limit) == shown
    shown.encode("utf-8")
    assert all(unicodedata.category(char)[0] != "C" for char in shown if char not in "\n\t")


def test_standard_library_is_enough() -> None:
    code = (
        "import sys; before = set(sys.modules); import grader.printable; "
        "new = {name.split('.')[0] for name in set(sys.modules) - before}; "
        "sys.exit(bool(new - set(sys.stdlib_module_names) - {'grader'}))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
