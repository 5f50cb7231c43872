"""Parses Python text. Where that fails it strips IPython's own lines, or says what is wrong and where."""

from __future__ import annotations

import ast
import re
import unicodedata
import warnings
from typing import NamedTuple

from grader.load.names import printable

MAX_STRIP_ROUNDS = 40  # each parses the text again, so a long text gets fewer
MAX_STRIP_CHARACTERS = 2_000_000  # parsed in all rounds together
MAX_STATEMENTS = 20_000  # at top level of one text
_LOOK_CHARACTERS = 500  # of a line that may be a magic
_MAGIC = re.compile(r"(?:[%!]|\?+\w|[\w.]+\?\??\s*$|[\w, ]+=\s*[%!]|(?:pip|conda)3? install )")
_CONFLICT = re.compile(r"^(<{7}|={7}|>{7})(?: |$)")
_UNUSUAL = re.compile(
    "[\u00a0\u2000-\u200f\u2018-\u201f\u2028-\u202f\u2212\u3000-\u3002\u300a-\u3011\ufeff\uff01-\uff5e]"
)
_CODE_POINT = re.compile(r"U\+([0-9A-F]{4,6})")


class SyntaxProblem(Exception):
    """Why text is not Python: `what` is a sentence's end that names the line; `line` counts from 1."""

    def __init__(self, what: str, line: int, hint: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.line = line
        self.hint = hint


class Parsed(NamedTuple):
    """A tree, the text that it belongs to, and the line numbers whose IPython commands became `pass`."""

    tree: ast.Module
    text: str
    stripped: tuple[int, ...]


def parse_source(text: str) -> Parsed:
    """Parse as it stands first; only where that fails, replace magics and shell lines by `pass`.

    Raises:
        SyntaxProblem: it is not Python even so.
    """
    lines = text.split("\n")
    stripped: list[int] = []
    rounds = min(MAX_STRIP_ROUNDS, max(2, MAX_STRIP_CHARACTERS // (len(text) + 1)))
    for _ in range(rounds):
        try:
            return Parsed(_parse("\n".join(lines)), "\n".join(lines), tuple(stripped))
        except SyntaxError as err:
            number = err.lineno or 0
            if not _strip_line(lines, number):
                break
            stripped.append(number)
        except (RecursionError, MemoryError, ValueError, OverflowError) as err:
            raise SyntaxProblem(
                _too_complex(err), 1, "Split long expressions over several statements."
            ) from err
    return _parse_without_magics(lines, stripped)


def _parse_without_magics(lines: list[str], stripped: list[int]) -> Parsed:
    """The last resort: strip every line that looks like a magic, wherever the parser stopped."""
    attempt = list(lines)
    more = [number for number in range(1, len(lines) + 1) if _strip_line(attempt, number)]
    for candidate, numbers in ((attempt, [*stripped, *more]), (lines, stripped)):
        text = "\n".join(candidate)
        try:
            return Parsed(_parse(text), text, tuple(sorted(numbers)))
        except SyntaxError as err:
            failure = explain_syntax_error(err, text)
        except (RecursionError, MemoryError, ValueError, OverflowError) as err:
            failure = SyntaxProblem(_too_complex(err), 1)
    raise failure


def check_compiles(tree: ast.Module) -> None:
    """Raise SyntaxProblem for what parses but does not compile, such as `return` outside a function."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(tree, "<cell>", "exec", dont_inherit=True)
    except SyntaxError as err:
        raise explain_syntax_error(err, "") from err
    except (RecursionError, MemoryError, ValueError, OverflowError) as err:
        raise SyntaxProblem(_too_complex(err), 1) from err


def _parse(text: str) -> ast.Module:
    with warnings.catch_warnings():  # invalid escapes and the like are the student's own affair
        warnings.simplefilter("ignore")
        tree = ast.parse(text)
    if len(tree.body) > MAX_STATEMENTS:
        raise OverflowError(f"it holds more than {MAX_STATEMENTS} statements")
    return tree


def _strip_line(lines: list[str], number: int) -> bool:
    """Replace the line by `pass` at its own indentation if it looks like an IPython command."""
    if not 0 < number <= len(lines):
        return False
    line = lines[number - 1]
    if not _MAGIC.match(line.strip()[:_LOOK_CHARACTERS]):
        return False
    lines[number - 1] = line[: len(line) - len(line.lstrip())] + "pass"
    return True


def _too_complex(err: BaseException) -> str:
    if isinstance(err, (ValueError, OverflowError)):
        return f"cannot be parsed: {printable(str(err), 100)}"
    return f"is nested too deeply or too large to be parsed ({type(err).__name__})"


def explain_syntax_error(err: SyntaxError, text: str) -> SyntaxProblem:
    """What the parser stumbled over, in words that name the line and, if it is one, the character."""
    lines = text.split("\n")
    line = max(1, min(err.lineno or 1, len(lines) if text else err.lineno or 1))
    conflict = _find_conflict(lines)
    if conflict:
        return SyntaxProblem(
            f"holds a merge-conflict marker in line {conflict}: `{printable(lines[conflict - 1], 60)}`",
            conflict,
            "Resolve the conflict: keep one version and delete the marker lines.",
        )
    if isinstance(err, TabError):
        return SyntaxProblem(
            f"mixes tabs and spaces in the indentation of line {line}; expected one of them throughout",
            line,
            "Convert the file's indentation to spaces.",
        )
    code = lines[line - 1] if line <= len(lines) else ""
    character = _unusual_character(str(err.msg), code)
    if character:
        name = unicodedata.name(character, "a character without a name")
        shown = character if character.isprintable() and not character.isspace() else "that character"
        return SyntaxProblem(
            f"holds U+{ord(character):04X} ({name}) in line {line}, where Python expects a plain character",
            line,
            f"Replace {shown} by its plain form; text copied from a page often holds such characters.",
        )
    where = f" `{printable(code.strip(), 80)}`" if code.strip() else ""
    return SyntaxProblem(
        f"is not valid Python: {type(err).__name__}, {printable(str(err.msg), 160)}, in line {line}{where}",
        line,
        "It looks like Python 2; write Python 3." if "Missing parentheses in call" in str(err.msg) else "",
    )


def _find_conflict(lines: list[str]) -> int:
    """The line of the first merge-conflict marker if there is a whole set of them, else 0."""
    found = {match[1][0]: number for number, line in reversed(list(enumerate(lines, 1)))
             if (match := _CONFLICT.match(line))}  # fmt: skip
    return found["<"] if found.keys() >= {"<", ">"} else 0


def _unusual_character(message: str, code: str) -> str:
    named = _CODE_POINT.search(message)
    if named:
        return chr(int(named[1], 16))
    if "was never closed" in message or "expected ':'" in message:
        return ""
    outside_strings = re.sub(r"#.*|\"[^\"]*\"|'[^']*'", "", code[:_LOOK_CHARACTERS])
    found = _UNUSUAL.search(outside_strings)
    return found[0] if found else ""
