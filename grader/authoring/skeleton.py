"""The files of a new exercise, with marks where an author has to write: what is in them and where they go.

`grade verify` refuses the exercise until every `TODO(author)` is gone and the checks prove themselves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

TEMPLATES = Path(__file__).parent / "templates"
# Name of the template, and where its text goes below the assignment's folder.
_PLACES = {
    "stub": "exercises/@STEM@.py",
    "text": "exercises/notebook/@STEM@.md",
    "reference": "solutions/@STEM@.py",
    "misconceptions": "solutions/misconceptions/@STEM@.py",
    "public_suite": "tests/public/test_@STEM@.py",
    "staff_suite": "tests/hidden/test_@STEM@.py",
    "wheat": "tests/wheats/@STEM@/another_way.py",
    "chaff": "tests/chaffs/@STEM@/first_mistake.py",
}
MISTAKE = "first_mistake"

_FUNCTION = '''
def @NAME@(X: torch.Tensor) -> torch.Tensor:
    """@DOCSTRING@"""
    raise NotImplementedError@REMARK@
'''
_CLASS = '''
class @NAME@(nn.Module):
    """@DOCSTRING@"""

    def __init__(self) -> None:
        @INIT@

    def forward(self, X: torch.Tensor) -> torch.Tensor:
        """(rows, steps) -> (rows, steps)."""
        raise NotImplementedError@REMARK@
'''
_CONTRACT = """\
TODO(author): what it computes, in a line.

    Args:
        X: shape (rows, steps), float32 or float64. TODO(author): what the axes and numbers mean

    Returns:
        TODO(author): shape, dtype and device; whether X may be changed

    Example:
        TODO(author): a call with small numbers and what it prints

    Free to you:
        TODO(author): what is not graded
    """
_RIGHT = "  # TODO(author): a right answer"
_WRONG = "  # TODO(author): the answer with this mistake"
_TELL = "TODO(author): what you did, why it is wrong, where to look."


class NewFile(NamedTuple):
    """A file of the new exercise; `path` is relative to the assignment's folder, with `/`."""

    path: str
    text: str


class Wish(NamedTuple):
    """What the new exercise is to be."""

    stem: str
    title: str
    points: float
    track: str
    symbols: Sequence[str]


def write_skeleton(wish: Wish) -> list[NewFile]:
    """The texts of all files of the exercise but for its entry in assignment.toml."""
    words = _words(wish)
    return [
        NewFile(_fill(place, words), _fill((TEMPLATES / f"{name}.txt").read_text("utf-8"), words))
        for name, place in _PLACES.items()
    ]


def write_entry(wish: Wish) -> str:
    """The exercise's table in assignment.toml."""
    symbols = ", ".join(f'"{symbol}"' for symbol in wish.symbols)
    title = wish.title.replace("\\", "\\\\").replace('"', '\\"')
    lines = [
        "[[exercises]]",
        f'stem = "{wish.stem}"',
        f'title = "{title}"',
        f"points = {wish.points:.10g}",
        f"symbols = [{symbols}]",
    ]
    if wish.track != "core":
        lines.append(f'track = "{wish.track}"')
    return "\n".join(lines) + "\n"


def _words(wish: Wish) -> Mapping[str, str]:
    first = wish.symbols[0]
    has_class = any(_is_class(symbol) for symbol in wish.symbols)
    mistake = "FirstMistake" if _is_class(first) else MISTAKE
    return {
        "STUB_CODE": "\n".join(_definition(symbol, _CONTRACT, "", is_stub=True) for symbol in wish.symbols),
        "RIGHT_CODE": _answers(wish, _RIGHT),
        "WRONG_CODE": _answers(wish, _WRONG),
        "MISTAKE_CODE": _definition(mistake, _TELL, _WRONG),
        "FROM_TORCH": "from torch import nn\n" if has_class else "",
        "CALL": f"{first}()" if _is_class(first) else first,
        "MISTAKE": MISTAKE,
        "FIFTH": f"{wish.points / 5:.10g}",
        "TWO_FIFTHS": f"{wish.points * 2 / 5:.10g}",
        "STEM": wish.stem,
        "TITLE": wish.title,
    }


def _answers(wish: Wish, remark: str) -> str:
    return "\n".join(_definition(symbol, f"As `{symbol}` of the stub.", remark) for symbol in wish.symbols)


def _is_class(symbol: str) -> bool:
    """Classes are written in CapWords, functions in lower case."""
    return symbol[:1].isupper()


def _definition(name: str, docstring: str, remark: str, *, is_stub: bool = False) -> str:
    init = "raise NotImplementedError" if is_stub else "super().__init__()"
    words = {"NAME": name, "DOCSTRING": docstring, "REMARK": remark, "INIT": init}
    return _fill(_CLASS if _is_class(name) else _FUNCTION, words)


def _fill(text: str, words: Mapping[str, str]) -> str:
    """Put the words in; a word that is put in is not looked at again for further ones but by later names."""
    for name, word in words.items():
        text = text.replace(f"@{name}@", word)
    return text.rstrip("\n") + "\n" if "\n" in text else text
