"""Python text in colours, within bounds that keep texts made to be slow from being so."""

from __future__ import annotations

import pytest
from pygments.token import Keyword, Text

from grader.records import SourceText
from grader.report.highlighting import MAX_CHARACTERS, MAX_LINE, MAX_LINES, tokens_of
from grader.report.html import render_code


def test_every_character_comes_back_in_order() -> None:
    text = "import torch\n\ndef f(x):\n    return 'é' + x  # \x0c\n"
    tokens = list(tokens_of(text))
    assert "".join(value for _, value in tokens) == text
    assert any(kind in Keyword for kind, _ in tokens)


@pytest.mark.parametrize("blank", [" ", "\t", "\x0c", " \t \x0b"])
def test_lines_of_white_space_reach_the_lexer_empty(blank: str) -> None:
    text = "x = 1\n" + f"{blank}\n" * 50 + "y = 2\n"
    assert "".join(value for _, value in tokens_of(text)) == "x = 1\n" + "\n" * 50 + "y = 2\n"


@pytest.mark.parametrize(
    "text", [" \n" * (MAX_LINES + 1), "(" * (MAX_LINE + 1), "x = (\n" * (MAX_CHARACTERS // 6 + 1)]
)
def test_text_beyond_the_bounds_is_plain(text: str) -> None:
    ((kind, _),) = tokens_of(text)
    assert kind is Text
    assert render_code(SourceText("slow", "slow.py", text))
