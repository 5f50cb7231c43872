"""What Pygments says of a Python text, within bounds: the text is a student's, and may be made to be slow."""

from __future__ import annotations

from collections.abc import Iterator

from pygments.lexers.python import PythonLexer
from pygments.token import Text, _TokenType

MAX_CHARACTERS, MAX_LINES, MAX_LINE = 60_000, 2_000, 2_000


def tokens_of(text: str) -> Iterator[tuple[_TokenType, str]]:
    """The tokens of the text; a text beyond the bounds is one token, plain.

    Lines of white space only come back empty: the lexer takes the square of their number otherwise.
    """
    lines = [line if line.strip() else "" for line in text.split("\n")]
    plain = "\n".join(lines)
    is_long = len(text) > MAX_CHARACTERS or len(lines) > MAX_LINES
    if is_long or max(map(len, lines)) > MAX_LINE:
        yield Text, plain
        return
    # The lexer must keep every character: its defaults strip and add line ends.
    for _, kind, value in PythonLexer(stripnl=False, ensurenl=False).get_tokens_unprocessed(plain):
        yield kind, value
