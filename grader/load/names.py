"""Names: made printable, sorted into kinds, ignored by rule, matched with exercises, turned into modules."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import PurePosixPath

from grader.load.raw import Kind

SCRIPT_ENDINGS = (".py", ".pyw", ".py.txt")
NOTEBOOK_ENDINGS = (".ipynb", ".ipynb.json", ".ipynb.txt")
ARCHIVE_ENDINGS = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz", ".tbz2", ".tar.xz", ".txz")

# Folders whose content is never a student's own answer.
IGNORED_FOLDERS = frozenset(
    {"__pycache__", "__MACOSX", "site-packages", "dist-packages", "venv", "virtualenv", "node_modules"}
)
# The grader brings its own stand-in for the book's library, whose real source holds the answers.
LIBRARY_FOLDERS = frozenset({"d2l"})
# A submitted file of these names must not take the place of the library in `sys.modules`.
RESERVED_MODULES = (sys.stdlib_module_names - {"code", "test", "this"}) | {
    "IPython", "box", "d2l", "grader", "landlock", "matplotlib", "numpy", "pandas", "pyseccomp", "pytest",
    "scipy", "sklearn", "torch", "torchaudio", "torchvision",
}  # fmt: skip

EXACT, SAME_LETTERS, COPY, ENDS_WITH, FOLDER = range(5)
UNRELATED = 9
_COPY_SUFFIX = re.compile(
    r"(?:\s*\(\d+\)|[\s_-]+copy(?:[\s_-]*\d+)?|[\s_-]+副本|[-_]\d{1,2})+$", re.IGNORECASE
)


def printable(text: str, limit: int = 200) -> str:
    """The text with control, bidirectional and surrogate characters escaped, cut to `limit` characters."""
    cut = text if len(text) <= limit else text[: limit - 1] + "…"
    shown = (c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in cut)
    return "".join(shown).replace("`", "'")


def kind_of(name: str) -> Kind:
    lowered = name.lower()
    if lowered.endswith(SCRIPT_ENDINGS):
        return "script"
    if lowered.endswith(NOTEBOOK_ENDINGS):
        return "notebook"
    return "archive" if lowered.endswith(ARCHIVE_ENDINGS) else "other"


def is_ignored(part: str) -> bool:
    """Is this folder or file name one that nobody hands in on purpose (hidden, cache, environment)?"""
    return part.startswith(".") or part in IGNORED_FOLDERS


def ignored_with_note(parts: Sequence[str]) -> str:
    """Why a file with code is left aside on purpose, as the end of a sentence; empty if it is not."""
    if any(part in LIBRARY_FOLDERS for part in parts[:-1]) or parts[-1].lower() == "d2l.py":
        return "the grader has its own stand-in for `d2l`"
    name = parts[-1].lower()
    if name == "conftest.py" or (name.startswith("test_") and name.endswith(".py")):
        return "files with tests are not part of an answer"
    return ""


def bare_name(path: str) -> str:
    """The file's name without folders and without the ending of its kind."""
    name = PurePosixPath(path).name
    for ending in (*NOTEBOOK_ENDINGS[1:], ".py.txt", ".ipynb", ".pyw", ".py"):
        if name.lower().endswith(ending):
            return name[: -len(ending)]
    return name


def match_tier(path: str, stem: str) -> int:
    """How well a file's name fits an exercise: EXACT is best, UNRELATED means not at all."""
    bare = bare_name(path)
    if bare == stem:
        return EXACT
    wanted = _letters(stem)
    if _letters(bare) == wanted:
        return SAME_LETTERS
    original = _letters(_COPY_SUFFIX.sub("", bare))
    if original == wanted:
        return COPY
    if original.endswith(wanted):
        return ENDS_WITH
    folder = PurePosixPath(path).parent.name
    return FOLDER if bare == "__init__" and _letters(folder) == wanted else UNRELATED


def best_tier(path: str, stems: Sequence[str]) -> int:
    return min((match_tier(path, stem) for stem in stems), default=UNRELATED)


def module_name(path: str, taken: frozenset[str]) -> str:
    """A name under which siblings can import the file: its own if it is free, else with its folders."""
    pure = PurePosixPath(path)
    bare = bare_name(path)
    own = pure.parent.name if bare == "__init__" else _COPY_SUFFIX.sub("", bare)
    choices = [_identifier(own)]
    if bare != own:
        choices.append(_identifier(bare))
    choices.append(".".join(_identifier(part) for part in (*pure.parent.parts, own)))
    for choice in choices:
        safe = f"submitted_{choice}" if choice.split(".")[0] in RESERVED_MODULES else choice
        if safe not in taken:
            return safe
    number = 2
    while f"{choices[0]}_{number}" in taken:
        number += 1
    return f"{choices[0]}_{number}"


def _letters(text: str) -> str:
    return "".join(c for c in text.lower() if c.isalnum())


def _identifier(text: str) -> str:
    if text.isidentifier():
        return text
    changed = re.sub(r"\W", "_", text) or "_"
    return changed if changed.isidentifier() else f"_{changed}"
